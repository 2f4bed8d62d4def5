//! The registry of games and their names.
//!
//! A game is written `NAME` or `NAME:OPTIONS`, like `letters:6x6x3`; [`find`] returns its rules. A
//! new game needs a file here, a `pub mod` line and a line in [`GAMES`].

use std::fmt::Display;
use std::str::FromStr;
use std::sync::Arc;

use agon_printable::{escape, meant, nearest};

use crate::Rules;
use crate::chess::{Chess, ChessStart};
use crate::letters::Letters;
use crate::lexicon::Lexicon;
use crate::move_list::shown;
use crate::result::{self, Finish};

/// A game in the registry.
pub struct Entry {
    /// Its name: `letters`.
    pub name: &'static str,
    /// The options after the name and a colon, for people.
    pub options: &'static str,
    /// Whether [`Needs::lexicon`] is required.
    pub needs_lexicon: bool,
    /// The version of the rules. It rises when a game that was legal is no longer so, or ends
    /// differently: games played under another version are played again.
    pub version: u32,
    /// How many random moves a pair of games begins with, where a pairing has several pairs and no
    /// openings are given. Without random moves the same engines would play the same game again.
    /// The number is even, so that the first seat moves first as usual. 0 where the seed draws
    /// another board for each pair anyway.
    pub random_plies: u32,
    /// Whether the seed draws the start under these options, so that no random moves are needed.
    pub draws_start: fn(options: &str) -> bool,
    /// Whether its rules depend on earlier positions: on repetitions.
    pub remembers: bool,
    /// Whether people write its moves otherwise than programs, see [`shown_moves`].
    pub shows_moves: bool,
    /// A description of the game.
    pub about: &'static About,
    make: fn(&str, &Needs) -> Made,
}

/// A game in two lines, as it is without options.
pub struct GameCard {
    /// Its usual name.
    pub name: &'static str,
    /// How it is won, in one sentence.
    pub aim: &'static str,
}

/// A description of a game, for people.
pub struct About {
    /// What a newcomer reads first.
    pub card: GameCard,
    /// Its name in one line.
    pub title: &'static str,
    /// How it is played and who wins, in a few sentences, with the default of each option.
    pub rules: &'static str,
    /// The notation of a move, with examples.
    pub moves: &'static str,
    /// The format of a position's one-line text.
    pub position: &'static str,
    /// The score of a seat, and the format of a result.
    pub score: &'static str,
    /// The result in the form of this game.
    pub result: fn(&Finish<'_>) -> String,
}

/// The result in the form of most games: `1-0`, `0-1`, `1/2-1/2`.
pub(crate) fn points(finish: &Finish<'_>) -> String {
    result::points(finish.places)
}

/// The rules, or what is wrong with the options.
type Made = Result<Arc<dyn Rules>, String>;

/// All games, in alphabetical order.
pub static GAMES: &[Entry] = &[
    plain::<crate::abalone::Abalone>(
        "abalone",
        "[at-limit=tie|marbles][,ko=yes|no], at-limit=tie,ko=yes if left out",
        4,
        true,
        &crate::abalone::ABOUT,
    ),
    Entry {
        shows_moves: true,
        draws_start: |options| options.parse::<Chess>().is_ok_and(|rules| rules.start == ChessStart::Drawn),
        ..plain::<Chess>(
            "chess",
            "[960[=N]][,claims=at-once|never], claims=at-once and the usual start if left out",
            4,
            true,
            &crate::chess::ABOUT,
        )
    },
    plain::<crate::connect4::ConnectFour>("connect4", "none", 4, false, &crate::connect4::ABOUT),
    Entry {
        name: "letters",
        options: "[ROWSxCOLUMNSxPLANES][,scrabble|uniform][,dictionary=FILE][,board=FILE], 6x6x3,scrabble if left out",
        needs_lexicon: true,
        version: 1,
        random_plies: 0,
        draws_start: |_| true,
        remembers: false,
        shows_moves: false,
        about: &crate::letters::ABOUT,
        make: |options, needs| {
            let lexicon =
                needs.lexicon.clone().ok_or("it needs a word list; give one with dictionary=FILE")?;
            shared(Letters::with_options(options, lexicon))
        },
    },
    plain::<crate::mill::Mill>("mill", "none", 4, false, &crate::mill::ABOUT),
    plain::<crate::mnk::Mnk>(
        "mnk",
        "COLUMNSxROWS,K[,first=X|O][,exact][,caro][,renju], 3x3,3 if left out",
        2,
        false,
        &crate::mnk::ABOUT,
    ),
    plain::<crate::morris::Morris>(
        "morris",
        "[six|nine][,flying=yes|no][,removal=outside|any][,nomove=loses|draws], six men's if left out",
        4,
        true,
        &crate::morris::ABOUT,
    ),
];

/// Data that some games need besides their options.
#[derive(Clone, Default, Debug)]
pub struct Needs {
    /// The words, for word games.
    pub lexicon: Option<Arc<Lexicon>>,
}

/// Why there are no rules.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum UnknownGame {
    /// No game has this name.
    #[error("there is no game \"{name}\"; {}the games are {}", meant_game(name), names())]
    Name {
        /// The name, escaped and cut.
        name: String,
    },
    /// The options do not fit the game.
    #[error("{game}: {why}; its options are {options}")]
    Options {
        /// The game's name.
        game: &'static str,
        /// What is wrong.
        why: String,
        /// The options that it has.
        options: &'static str,
    },
}

/// The registry entry of a spec such as `letters:6x6x3`, with any options.
///
/// # Errors
/// [`UnknownGame::Name`], which lists the names.
pub fn entry(spec: &str) -> Result<&'static Entry, UnknownGame> {
    let (name, _) = spec.split_once(':').unwrap_or((spec, ""));
    GAMES
        .iter()
        .find(|entry| entry.name == name)
        .ok_or_else(|| UnknownGame::Name { name: escape(name.as_bytes(), 40) })
}

/// The version of the rules of a spec; 0 if there is no such game.
pub fn version(spec: &str) -> u32 {
    entry(spec).map_or(0, |entry| entry.version)
}

/// The random moves of a spec's openings, as [`Entry::random_plies`]; 0 if there is no such game.
pub fn random_plies(spec: &str) -> u32 {
    let (_, options) = spec.split_once(':').unwrap_or((spec, ""));
    entry(spec).map_or(0, |entry| if (entry.draws_start)(options) { 0 } else { entry.random_plies })
}

/// Whether the rules of a spec depend on earlier positions, as [`Entry::remembers`].
pub fn remembers(spec: &str) -> bool {
    entry(spec).is_ok_and(|entry| entry.remembers)
}

/// The moves of a game from a position as people write them, without their sides. `None` where that
/// is the text of the moves, and where they cannot be played.
pub fn shown_moves<'a>(
    spec: &str,
    start: &str,
    moves: impl IntoIterator<Item = &'a str>,
) -> Option<Vec<String>> {
    entry(spec).ok().filter(|entry| entry.shows_moves)?;
    shown(find(spec, &Needs::default()).ok()?.as_ref(), start, moves)
}

/// The rules of a spec such as `letters:6x6x3`.
///
/// # Errors
/// [`UnknownGame`], which says what to write instead.
pub fn find(spec: &str, needs: &Needs) -> Result<Arc<dyn Rules>, UnknownGame> {
    let entry = entry(spec)?;
    let (_, options) = spec.split_once(':').unwrap_or((spec, ""));
    (entry.make)(options, needs).map_err(|why| UnknownGame::Options {
        game: entry.name,
        why: why + &meant_option(options, entry.options),
        options: entry.options,
    })
}

/// The game and its options as [`Rules::spec`] writes them: `mnk:3x3,3` for `mnk`. Options of one
/// meaning have one form. No words are needed for that.
///
/// # Errors
/// [`UnknownGame`], as [`find`].
pub fn canonical(spec: &str) -> Result<String, UnknownGame> {
    let lexicon = Lexicon::parse(b"word").ok().map(Arc::new);
    find(spec, &Needs { lexicon }).map(|rules| rules.spec())
}

/// The result in the form of its game. An unknown game gets the usual form.
pub fn result_text(spec: &str, finish: &Finish<'_>) -> String {
    entry(spec).map_or(points as fn(&Finish<'_>) -> String, |entry| entry.about.result)(finish)
}

/// What else games are called, without hyphens.
const ALSO_CALLED: [(&str, &str); 13] = [
    ("chess960", "chess:960"),
    ("fischerandom", "chess:960"),
    ("fischerrandom", "chess:960"),
    ("tictactoe", "mnk:3x3,3"),
    ("noughtsandcrosses", "mnk:3x3,3"),
    ("gomoku", "mnk:15x15,5"),
    ("fiveinarow", "mnk:15x15,5"),
    ("connectfour", "connect4"),
    ("fourinarow", "connect4"),
    ("scorefour", "mill"),
    ("lettercube", "letters"),
    ("sixmensmorris", "morris"),
    ("ninemensmorris", "morris:nine"),
];

fn meant_game(name: &str) -> String {
    let plain = name.to_ascii_lowercase().replace(['-', '_', ' '], "");
    match ALSO_CALLED.iter().find(|(other, _)| *other == plain) {
        Some((_, game)) => format!("it is called {game} here; "),
        None => meant(name, GAMES.iter().map(|entry| entry.name)),
    }
}

/// The words of options, as a user or [`Entry::options`] writes them.
fn words(options: &str) -> impl Iterator<Item = &str> {
    options.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-')
}

/// What was probably meant by options that a game does not have, in parentheses.
fn meant_option(given: &str, known: &str) -> String {
    let is_word = |word: &&str| word.len() > 1 && !word.contains(|letter: char| letter.is_ascii_digit());
    let unknown = words(given).filter(is_word).filter(|word| !words(known).any(|other| other == *word));
    let near = unknown.filter_map(|word| nearest(word, words(known).filter(is_word))).next();
    near.map_or_else(String::new, |word| format!(" (did you mean {word}?)"))
}

fn names() -> String {
    let names: Vec<&str> = GAMES.iter().map(|entry| entry.name).collect();
    names.join(", ")
}

/// A game that needs only its options, read by its `FromStr`: one line in [`GAMES`].
const fn plain<R>(
    name: &'static str,
    options: &'static str,
    random_plies: u32,
    remembers: bool,
    about: &'static About,
) -> Entry
where
    R: Rules + FromStr + 'static,
    R::Err: Display,
{
    let make: fn(&str, &Needs) -> Made = |options, _| shared(options.parse::<R>());
    Entry {
        name,
        options,
        needs_lexicon: false,
        version: 1,
        random_plies,
        draws_start: |_| false,
        remembers,
        shows_moves: false,
        about,
        make,
    }
}

fn shared<R: Rules + 'static, E: Display>(rules: Result<R, E>) -> Made {
    rules.map(|rules| Arc::new(rules) as Arc<dyn Rules>).map_err(|error| error.to_string())
}
