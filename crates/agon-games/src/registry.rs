//! The rules, one file a game, and the registry of their names.
//!
//! A game is written `NAME` or `NAME:OPTIONS`, like `letters:6x6x3`; [`find`] gives its rules. A new game
//! is a file here, a `pub mod` line and a line of [`GAMES`].

use std::fmt::Display;
use std::str::FromStr;
use std::sync::Arc;

use agon_printable::escape;

use crate::Rules;
use crate::letters::Letters;
use crate::lexicon::Lexicon;
use crate::result::{self, Finish};

/// A game that can be asked for by name.
pub struct Entry {
    /// Its name: `letters`.
    pub name: &'static str,
    /// What may follow the name and a colon, for people.
    pub options: &'static str,
    /// Whether [`Needs::lexicon`] must be there.
    pub needs_lexicon: bool,
    /// The version of the rules. It goes up when a game that was legal is no longer, or ends otherwise: whatever was
    /// played under another version is played again.
    pub version: u32,
    /// The game in a few sentences, and how it writes a result.
    pub about: &'static About,
    make: fn(&str, &Needs) -> Made,
}

/// What a person wants to know of a game.
pub struct About {
    /// Its name in a line.
    pub title: &'static str,
    /// How it is played and who wins, in a few sentences, the default of each option named as such.
    pub rules: &'static str,
    /// How a move is written, with examples.
    pub moves: &'static str,
    /// What stands in the one-line text of a position.
    pub position: &'static str,
    /// What the score of a seat is, and how a result is written.
    pub score: &'static str,
    /// The result of a game as this game writes it.
    pub result: fn(&Finish<'_>) -> String,
}

/// The result as most games write it: `1-0`, `0-1`, `1/2-1/2`.
pub(crate) fn points(finish: &Finish<'_>) -> String {
    result::points(finish.places)
}

/// The rules, or why the options are wrong.
type Made = Result<Arc<dyn Rules>, String>;

/// Every game, in the order of the alphabet.
pub static GAMES: &[Entry] = &[
    plain::<crate::abalone::Abalone>(
        "abalone",
        "[at-limit=tie|marbles][,ko=yes|no], at-limit=tie,ko=yes if left out",
        &crate::abalone::ABOUT,
    ),
    plain::<crate::connect4::ConnectFour>("connect4", "none", &crate::connect4::ABOUT),
    Entry {
        name: "letters",
        options: "[ROWSxCOLUMNSxPLANES][,][scrabble|uniform], 6x6x3,scrabble if left out",
        needs_lexicon: true,
        version: 1,
        about: &crate::letters::ABOUT,
        make: |options, needs| {
            let lexicon =
                needs.lexicon.clone().ok_or("it needs a word list; give one with --dictionary FILE")?;
            shared(Letters::with_options(options, lexicon))
        },
    },
    plain::<crate::mill::Mill>("mill", "none", &crate::mill::ABOUT),
    plain::<crate::mnk::Mnk>("mnk", "COLUMNSxROWS,K[,first=X|O], 3x3,3 if left out", &crate::mnk::ABOUT),
    plain::<crate::morris::Morris>(
        "morris",
        "[six|nine][,flying=yes|no][,removal=outside|any][,nomove=loses|draws], six men's if left out",
        &crate::morris::ABOUT,
    ),
];

/// What some games need besides their options.
#[derive(Clone, Default, Debug)]
pub struct Needs {
    /// The words, for games that are played with words.
    pub lexicon: Option<Arc<Lexicon>>,
}

/// Why no rules were found.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum UnknownGame {
    /// There is no game of this name.
    #[error("there is no game \"{name}\"; there are {}", names())]
    Name {
        /// The name that was asked for, escaped and cut.
        name: String,
    },
    /// The game cannot be made with these options.
    #[error("{game}: {why}; its options are {options}")]
    Options {
        /// The game's name.
        game: &'static str,
        /// What is wrong.
        why: String,
        /// What may be written.
        options: &'static str,
    },
}

/// The entry of the game that a spec names, `letters:6x6x3`, whatever its options.
///
/// # Errors
/// [`UnknownGame::Name`], which lists the names there are.
pub fn entry(spec: &str) -> Result<&'static Entry, UnknownGame> {
    let (name, _) = spec.split_once(':').unwrap_or((spec, ""));
    GAMES
        .iter()
        .find(|entry| entry.name == name)
        .ok_or_else(|| UnknownGame::Name { name: escape(name.as_bytes(), 40) })
}

/// The version of the rules that a spec names; 0 if there are none of the name.
pub fn version(spec: &str) -> u32 {
    entry(spec).map_or(0, |entry| entry.version)
}

/// The rules that a spec names, `letters:6x6x3`.
///
/// # Errors
/// [`UnknownGame`], which says what may be written instead.
pub fn find(spec: &str, needs: &Needs) -> Result<Arc<dyn Rules>, UnknownGame> {
    let entry = entry(spec)?;
    let (_, options) = spec.split_once(':').unwrap_or((spec, ""));
    (entry.make)(options, needs).map_err(|why| UnknownGame::Options {
        game: entry.name,
        why,
        options: entry.options,
    })
}

/// The result of a game as that game writes it. A game that is not known here writes it as most do.
pub fn result_text(spec: &str, finish: &Finish<'_>) -> String {
    entry(spec).map_or(points as fn(&Finish<'_>) -> String, |entry| entry.about.result)(finish)
}

fn names() -> String {
    let names: Vec<&str> = GAMES.iter().map(|entry| entry.name).collect();
    names.join(", ")
}

/// A game whose options are all it needs, read by its `FromStr`: one line in [`GAMES`].
const fn plain<R>(name: &'static str, options: &'static str, about: &'static About) -> Entry
where
    R: Rules + FromStr + 'static,
    R::Err: Display,
{
    let make: fn(&str, &Needs) -> Made = |options, _| shared(options.parse::<R>());
    Entry { name, options, needs_lexicon: false, version: 1, about, make }
}

fn shared<R: Rules + 'static, E: Display>(rules: Result<R, E>) -> Made {
    rules.map(|rules| Arc::new(rules) as Arc<dyn Rules>).map_err(|error| error.to_string())
}
