//! Where games begin: at the start position, or at a position or after moves from a file or a book,
//! in chess also from PGN and EPD.
//! They may also begin after moves drawn from the seed. Each opening is played twice, sides
//! swapped.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

use agon_games::{Game, Needs, Rules, Status, chess, find};
use agon_printable::escape;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::pgn_book::{self, PgnGame};

/// The openings of a run.
#[derive(Clone, Default, Debug)]
pub struct Openings {
    /// Positions, one line each, all playable; empty for the usual start position.
    positions: Vec<String>,
    /// The moves that lead to those of them that were given as moves.
    moves: HashMap<String, Vec<String>>,
    /// How many moves are drawn from the seed and played from there.
    random_plies: u32,
    /// The later pairs of a pairing, with random moves of their own.
    later: Option<LaterPairs>,
    /// How random moves are drawn.
    drawing: Drawing,
    /// Lines of its file with the opening of an earlier line, each with that one.
    doubled: Vec<(usize, usize)>,
}

/// How the random moves of a start are drawn. A run that has begun goes on as it began, and the
/// audit draws as the run did.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum Drawing {
    /// Again from the beginning until all the moves are made, the game goes on, and the side to
    /// move has no move that wins. A start that is won at once is decided by the seat, in both
    /// games of the pair.
    #[default]
    Balanced,
    /// Once. Where a move would end the game, the start is the position before it. So did earlier
    /// versions.
    Once,
}

impl Drawing {
    /// The name of the drawing among the conditions of a run; it is there where random moves are
    /// drawn, except in runs of earlier versions.
    pub const NAME: &str = "random starts";
    /// Its value for [`Drawing::Balanced`].
    pub const BALANCED: &str = "not won at once";

    /// The drawing of a run under these conditions.
    pub fn of(terms: &BTreeMap<String, String>) -> Self {
        if terms.contains_key(Self::NAME) { Drawing::Balanced } else { Drawing::Once }
    }
}

/// A game in the position in which it begins.
pub struct Opening {
    /// The game.
    pub game: Box<dyn Game>,
    /// The moves with their sides that lead to it from the start position, if they are known.
    pub moves: Option<Vec<String>>,
}

/// The pairs of games after the planned ones: those of play-offs. Two engines that answer the same
/// in the same position would only repeat their games from the same start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LaterPairs {
    /// The number of pairs before them.
    pub after: u32,
    /// How many moves are drawn from the seed.
    pub random_plies: u32,
}

/// Why a line of a file is not an opening.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {why}")]
pub struct OpeningError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong in it.
    pub why: String,
}

/// The sign at the beginning of a comment line. No position and no move of any game begins with it,
/// while abalone's positions may begin with `#`.
pub const COMMENT: char = ';';

/// The opening books that are built in: the game, with the options of its board, and the openings.
/// scripts/make-book makes them.
const BOOKS: [(&str, &str); 7] = [
    ("abalone", include_str!("../../../books/abalone.txt")),
    ("connect4", include_str!("../../../books/connect4.txt")),
    ("mill", include_str!("../../../books/mill.txt")),
    ("mnk:3x3,3", include_str!("../../../books/mnk-3x3-3.txt")),
    ("mnk:15x15,5", include_str!("../../../books/mnk-15x15-5.txt")),
    ("morris", include_str!("../../../books/morris.txt")),
    ("morris:nine", include_str!("../../../books/morris-nine.txt")),
];

impl Openings {
    /// Games begin at the start position, or after this number of random moves from it.
    pub fn from_start(random_plies: u32) -> Self {
        Openings { random_plies, ..Openings::default() }
    }

    /// Parses openings, one per line: a position, or moves from the start position separated by
    /// blanks, with or without side letters. Blank lines and lines that begin with [`COMMENT`] are
    /// ignored.
    ///
    /// # Errors
    /// [`OpeningError`], with the line.
    pub fn parse(text: &str, rules: &dyn Rules, random_plies: u32) -> Result<Self, OpeningError> {
        Self::parse_part(text, rules, random_plies, None)
    }

    /// The same of the first plies of each line. In chess the text may also be PGN, a game an
    /// opening, and a line may be one of EPD.
    ///
    /// # Errors
    /// [`OpeningError`], with the line.
    pub fn parse_part(
        text: &str,
        rules: &dyn Rules,
        random_plies: u32,
        most: Option<usize>,
    ) -> Result<Self, OpeningError> {
        let is_chess = rules.spec().split(':').next() == Some("chess");
        let read = if is_chess && pgn_book::is_one(text) { of_pgn } else { of_lines };
        let (mut positions, mut moves) = (Vec::new(), HashMap::new());
        let (mut lines, mut doubled) = (HashMap::new(), Vec::new());
        for (number, Opening { game, moves: made }) in read(text, rules, most)? {
            if let Some(outcome) = game.status().over() {
                let why = match most {
                    None if is_chess => format!(
                        "the game is over in this position, {}; give another, or fewer plies by --opening-plies",
                        outcome.why
                    ),
                    _ => "the game is over in this position; give another".to_owned(),
                };
                return Err(OpeningError { line: number, why });
            }
            if let Some(made) = made {
                moves.entry(game.text()).or_insert(made);
            }
            match lines.entry(game.text()) {
                Entry::Occupied(earlier) => doubled.push((number, *earlier.get())),
                Entry::Vacant(place) => _ = place.insert(number),
            }
            positions.push(game.text());
        }
        if positions.is_empty() {
            return Err(OpeningError {
                line: 1,
                why: "the file has no opening; write one per line".to_owned(),
            });
        }
        Ok(Openings { positions, moves, random_plies, doubled, ..Openings::default() })
    }

    /// The lines of the file with the opening of an earlier line, each with that one.
    pub fn doubled(&self) -> &[(usize, usize)] {
        &self.doubled
    }

    /// The openings of the book of a game.
    ///
    /// # Errors
    /// There is no book for this game with these options; the error lists those that have one.
    pub fn book(rules: &dyn Rules, random_plies: u32) -> Result<Self, String> {
        let spec = rules.spec();
        let is_for = |game: &str| find(game, &Needs::default()).is_ok_and(|other| other.spec() == spec);
        let Some((_, text)) = BOOKS.iter().find(|(game, _)| is_for(game)) else {
            let games: Vec<&str> = BOOKS.iter().map(|(game, _)| *game).collect();
            return Err(format!("{spec} has no opening book; {} have one", games.join(", ")));
        };
        Self::parse(text, rules, random_plies).map_err(|error| format!("the book of {spec}: {error}"))
    }

    /// Games begin at these positions in turn, or after this number of random moves from them.
    ///
    /// # Errors
    /// The text of the position that cannot be read.
    pub fn at(positions: Vec<String>, rules: &dyn Rules, random_plies: u32) -> Result<Self, String> {
        for (number, position) in (1..).zip(&positions) {
            rules.resume(position).map_err(|why| format!("opening {number} is not a position: {why}"))?;
        }
        Ok(Openings { positions, random_plies, ..Openings::default() })
    }

    /// Puts the positions into an order drawn from this seed. The first lines of a file are often
    /// alike, and a short run takes only the first.
    pub fn shuffle(&mut self, seed: u64) {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        for left in (1..self.positions.len()).rev() {
            self.positions.swap(left, drawn(&mut random, left + 1));
        }
    }

    /// After how many pairs of games the same starts come again; `None` if they never do, because
    /// random moves follow or no position is given.
    pub fn used_up_after(&self) -> Option<u32> {
        if self.positions.is_empty() || self.random_plies > 0 {
            return None;
        }
        u32::try_from(self.positions.len()).ok()
    }

    /// The positions in the order in which they are taken, and the number of random moves.
    pub fn parts(&self) -> (&[String], u32) {
        (&self.positions, self.random_plies)
    }

    /// Whether the moves that lead to each opening are known.
    pub fn have_moves(&self) -> bool {
        self.positions.iter().all(|position| self.moves.contains_key(position))
    }

    /// Gives the pairs of games after this number of pairs start positions that differ, if they
    /// would otherwise begin like earlier ones.
    pub fn vary_after(&mut self, pairs: u32, rules: &dyn Rules) {
        let lines = u32::try_from(self.positions.len()).unwrap_or(u32::MAX);
        let is_fixed = lines > 0 || rules.start(1).text() == rules.start(2).text();
        if self.random_plies == 0 && is_fixed {
            let random_plies = agon_games::random_plies(&rules.spec());
            self.later = Some(LaterPairs { after: pairs.max(lines), random_plies });
        }
    }

    /// The later pairs with random moves of their own, if there are any.
    pub fn later(&self) -> Option<LaterPairs> {
        self.later
    }

    /// Pairs of games that begin in every way there is: at each position, and with each number of
    /// random moves.
    pub fn kinds(&self) -> Vec<u32> {
        let lines = u32::try_from(self.positions.len()).unwrap_or(u32::MAX).max(1);
        (1..=lines).chain(self.later.map(|later| later.after.saturating_add(1))).collect()
    }

    /// The same openings with these later pairs.
    #[must_use]
    pub fn with_later(self, later: Option<LaterPairs>) -> Self {
        Openings { later, ..self }
    }

    /// The same openings, drawn in this way.
    #[must_use]
    pub fn drawn_as(self, drawing: Drawing) -> Self {
        Openings { drawing, ..self }
    }

    /// How random moves are drawn; `None` where there are none.
    pub fn drawing(&self) -> Option<Drawing> {
        (self.random_plies > 0 || self.later.is_some()).then_some(self.drawing)
    }

    /// The number of random moves of a pair for which no start is found on the board of this seed,
    /// and how many moves there could be instead. `None` if all is well, or if there is no move at
    /// all to begin with.
    pub fn falls_short(&self, rules: &dyn Rules, seed: u64) -> Option<(u32, u32)> {
        if self.drawing != Drawing::Balanced {
            return None;
        }
        self.kinds().into_iter().find_map(|pair| self.falls_short_at(rules, seed, pair))
    }

    /// The same for this pair alone, on the board of its seed.
    pub fn falls_short_at(&self, rules: &dyn Rules, seed: u64, pair: u32) -> Option<(u32, u32)> {
        let asked = self.random_plies_of(pair);
        if self.drawing != Drawing::Balanced
            || asked == 0
            || self.base(rules, seed, pair).game.moves().is_empty()
        {
            return None;
        }
        let made = self.balanced(rules, seed, pair).1;
        (made < asked).then_some((asked, made))
    }

    /// How many random moves this pair begins with.
    pub fn random_plies_of(&self, pair: u32) -> u32 {
        let later = self.later.filter(|later| pair > later.after);
        later.map_or(self.random_plies, |later| later.random_plies)
    }

    /// The game of this board seed in its start position. `pair` counts the pairs of games in the
    /// pairing, from 1. Each pair takes the next line of the file, and the first line follows the
    /// last.
    pub fn begin(&self, rules: &dyn Rules, seed: u64, pair: u32) -> Opening {
        if self.random_plies_of(pair) == 0 {
            return self.base(rules, seed, pair);
        }
        let Opening { game, moves } = match self.drawing {
            Drawing::Balanced => self.balanced(rules, seed, pair).0,
            Drawing::Once => self.once(rules, seed, pair),
        };
        // A rule about repetition ignores the moves before the opening, as with openings from a
        // file. The record of the game knows only its start position.
        Opening { game: again(game.as_ref(), rules), moves }
    }

    /// The game of this board seed and pair before its random moves.
    fn base(&self, rules: &dyn Rules, seed: u64, pair: u32) -> Opening {
        match self.positions.len() {
            0 => Opening { game: rules.start(seed), moves: Some(Vec::new()) },
            lines => {
                let position = &self.positions[(pair as usize - 1) % lines];
                let game = rules.resume(position).expect("each position has been read back already");
                Opening { game, moves: self.moves.get(position).cloned() }
            }
        }
    }

    /// A start of [`Drawing::Balanced`], and the number of its random moves. There are fewer than
    /// were asked for only where no such start is found; then it is the longest that was.
    fn balanced(&self, rules: &dyn Rules, seed: u64, pair: u32) -> (Opening, u32) {
        let asked = self.random_plies_of(pair);
        let base = self.base(rules, seed, pair);
        if base.game.moves().is_empty() {
            return (base, 0); // a board of letters may have no legal move
        }
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut listed = 0;
        // Fewer moves are drawn only where no start is found with all of them.
        for plies in (1..=asked).rev() {
            for _ in 0..MOST_DRAWN {
                let mut start = Opening { game: again(base.game.as_ref(), rules), moves: base.moves.clone() };
                let made = (0..plies).all(|_| draw_one(&mut start, &mut random, &mut listed));
                if made && !start.game.wins_at_once() {
                    return (start, plies);
                }
                if listed > MOST_LISTED {
                    return (base, 0);
                }
            }
        }
        (base, 0)
    }

    /// A start of [`Drawing::Once`].
    fn once(&self, rules: &dyn Rules, seed: u64, pair: u32) -> Opening {
        let Opening { mut game, mut moves } = self.base(rules, seed, pair);
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        for _ in 0..self.random_plies_of(pair) {
            let legal = game.moves();
            if legal.is_empty() {
                break; // a board of letters may have no legal move
            }
            let mv = &legal[drawn(&mut random, legal.len())];
            let before = game.text();
            let played = game.play(mv.as_bytes()).expect("a legal move can be played");
            if !matches!(game.status(), Status::ToMove(_)) {
                // An opening must not end the game: stop one move before.
                game = rules.resume(&before).expect("a position's text reads back");
                break;
            }
            if let Some(moves) = &mut moves {
                moves.push(played.text);
            }
        }
        Opening { game, moves }
    }
}

/// Openings with their lines.
type Numbered = Vec<(usize, Opening)>;

/// The openings of a file with one a line.
fn of_lines(text: &str, rules: &dyn Rules, most: Option<usize>) -> Result<Numbered, OpeningError> {
    let mut openings = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with(COMMENT) {
            continue;
        }
        let opening = read_part(line, rules, most)
            .map_err(|why| OpeningError { line: number, why: hinted(line, why) })?;
        openings.push((number, opening));
    }
    Ok(openings)
}

/// The openings of a file with games of chess.
fn of_pgn(text: &str, rules: &dyn Rules, most: Option<usize>) -> Result<Numbered, OpeningError> {
    let games = pgn_book::read(text).map_err(|(line, why)| OpeningError { line, why })?;
    let one = |PgnGame { line, fen, set_up, variant, moves }: PgnGame| {
        let wrong = |line: usize, why: String| OpeningError { line, why };
        let told = match (set_up.as_deref(), &fen) {
            (Some("1"), None) => {
                Some("SetUp says that this game has a start of its own, and there is no FEN; add it")
            }
            (Some("0"), Some(_)) => {
                Some("SetUp says that this game has the usual start, and there is a FEN; keep one")
            }
            _ => None,
        };
        if let Some(why) = told {
            return Err(wrong(line, why.to_owned()));
        }
        if let Some(variant) = variant.filter(|variant| !is_known_variant(variant)) {
            let variant = escape(variant.as_bytes(), 40);
            return Err(wrong(line, format!("this is a game of {variant}, and not of chess; leave it out")));
        }
        let start = fen.as_deref().unwrap_or("startpos");
        let mut game = rules
            .resume(start)
            .map_err(|why| wrong(line, format!("the position in which this game begins: {why}")))?;
        let mut made = Vec::new();
        for (line, text) in moves.iter().take(most.unwrap_or(usize::MAX)) {
            let number = chess::move_number(&game.text());
            let played =
                agon_games::play_all(game.as_mut(), rules.seats(), [text.as_str()]).map_err(|stuck| {
                    wrong(*line, format!("move {number} {}: {}", escape(text.as_bytes(), 60), stuck.refusal))
                })?;
            made.extend(played);
        }
        let is_usual = fen.is_none();
        Ok((line, Opening { game, moves: is_usual.then_some(made) }))
    };
    games.into_iter().map(one).collect()
}

/// The names of chess and of Chess960 in the tag `Variant`.
fn is_known_variant(name: &str) -> bool {
    let plain: String = name.to_ascii_lowercase().chars().filter(char::is_ascii_alphanumeric).collect();
    ["", "standard", "chess", "normal", "chess960", "fischerandom", "fischerrandom", "frc"].contains(&&*plain)
}

/// How often the moves of a start are drawn. Where one draw of a hundred gives a start, so many
/// draws miss it once in 20,000 times.
const MOST_DRAWN: usize = 1000;
/// How many legal moves are listed for one start. A large board of letters has many, and a start
/// must not take minutes.
const MOST_LISTED: usize = 3_000_000;

/// Plays a legal move that is drawn. Returns whether there was one and the game goes on.
fn draw_one(start: &mut Opening, random: &mut ChaCha8Rng, listed: &mut usize) -> bool {
    let legal = start.game.moves();
    if legal.is_empty() {
        return false;
    }
    *listed += legal.len();
    let mv = &legal[drawn(random, legal.len())];
    let played = start.game.play(mv.as_bytes()).expect("a legal move can be played");
    if let Some(moves) = &mut start.moves {
        moves.push(played.text);
    }
    matches!(start.game.status(), Status::ToMove(_))
}

/// The same position as a game of its own.
fn again(game: &dyn Game, rules: &dyn Rules) -> Box<dyn Game> {
    rules.resume(&game.text()).expect("a position's text reads back")
}

/// A number from 0 to below `count`.
fn drawn(random: &mut ChaCha8Rng, count: usize) -> usize {
    usize::try_from(random.next_u64() % count as u64).expect("it is smaller than a number of things")
}

/// Why a line is not an opening, with a hint if it looks like a comment.
fn hinted(line: &str, why: String) -> String {
    if line.starts_with(['#', '%', '/']) {
        format!("{why}; if the line is a comment, begin it with `{COMMENT}`")
    } else {
        why
    }
}

/// The moves that lead to this position, if it is the usual start position: none.
pub fn no_moves(position: &str, rules: &dyn Rules) -> Option<Vec<String>> {
    let is_start = rules.resume("startpos").is_ok_and(|startpos| startpos.text() == position);
    is_start.then(Vec::new)
}

/// The game at an opening: a position, or a list of moves.
///
/// # Errors
/// What is wrong with the position or with the move, according to what the text looks like.
pub fn read(line: &str, rules: &dyn Rules) -> Result<Opening, String> {
    read_part(line, rules, None)
}

/// The same of the first plies, if they are moves.
fn read_part(line: &str, rules: &dyn Rules, most: Option<usize>) -> Result<Opening, String> {
    let is_chess = rules.spec().split(':').next() == Some("chess");
    let position = match is_chess {
        true => chess::fen_of_epd(line).transpose().map_err(|why| why.to_string())?,
        false => None,
    };
    let as_position = match rules.resume(position.as_deref().unwrap_or(line)) {
        Ok(game) => return Ok(Opening { game, moves: None }),
        Err(error) => error,
    };
    let Ok(mut game) = rules.resume("startpos") else {
        return Err(format!("as a position: {as_position}"));
    };
    // No move of chess has a slash, and each FEN has seven.
    if is_chess && line.contains('/') {
        return Err(as_position.to_string());
    }
    // The first word shows which of the two it is.
    let words = line.split_whitespace().take(most.unwrap_or(usize::MAX));
    let moves =
        agon_games::play_all(&mut *game, rules.seats(), words).map_err(|stuck| match stuck.number {
            1 => format!("as a position: {as_position}; as moves: {stuck}"),
            _ => stuck.to_string(),
        })?;
    Ok(Opening { game, moves: Some(moves) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mill() -> std::sync::Arc<dyn Rules> {
        agon_games::find("mill", &Needs::default()).unwrap()
    }

    #[test]
    fn moves_and_positions_are_read_and_taken_in_turn() {
        let rules = mill();
        let position = read("11 12 W,13", rules.as_ref()).unwrap().game.text();
        let file = format!("; two openings\n11 22\n\n{position}\n");
        let openings = Openings::parse(&file, rules.as_ref(), 0).unwrap();
        let begin = |pair| openings.begin(rules.as_ref(), 1, pair).game.text();
        assert_eq!(begin(2), position);
        assert_eq!(begin(1), begin(3));
        assert_ne!(begin(1), begin(2));
    }

    #[test]
    fn a_line_with_the_opening_of_an_earlier_one_is_known() {
        let openings =
            Openings::parse("11 22\n; 11 22\n22 11\n\nW,11 B,22\n11 33\n", mill().as_ref(), 0).unwrap();
        assert_eq!(openings.doubled(), [(5, 1)]);
    }

    #[test]
    fn a_seed_shuffles_the_openings_and_each_comes_once_before_any_comes_again() {
        let rules = mill();
        let lines: Vec<String> = (1..=4).flat_map(|x| (1..=4).map(move |y| format!("{x}{y}\n"))).collect();
        let shuffled = |seed| {
            let mut openings = Openings::parse(&lines.concat(), rules.as_ref(), 0).unwrap();
            openings.shuffle(seed);
            openings.parts().0.to_vec()
        };
        let (mut one, mut other) = (shuffled(1), shuffled(2));
        assert_eq!(one, shuffled(1));
        assert_ne!(one, other);
        one.sort();
        other.sort();
        assert_eq!(one, other);
        assert_eq!(one.len(), 16);
    }

    #[test]
    fn starts_come_again_after_the_last_opening_unless_random_moves_follow() {
        let openings = |plies| Openings::parse("11\n12\n", mill().as_ref(), plies).unwrap().used_up_after();
        assert_eq!(
            (openings(0), openings(2), Openings::from_start(0).used_up_after()),
            (Some(2), None, None)
        );
    }

    #[test]
    fn a_wrong_opening_is_named_by_line_and_move() {
        let rules = mill();
        let said = |text: &str| Openings::parse(text, rules.as_ref(), 0).unwrap_err().to_string();
        assert!(said("11 22\n11 55\n").starts_with("line 2: move 2, \"55\": "), "{}", said("11 22\n11 55\n"));
        assert!(said("h8\n").contains("as moves: move 1"), "{}", said("h8\n"));
        assert!(said("\n; nothing\n").contains("no opening"));
        assert!(said("11 12 11 12 11 12 11\n").contains("over"));
    }

    #[test]
    fn a_comment_of_another_sign_is_refused_with_its_line_and_a_hint() {
        for game in agon_games::GAMES {
            let lexicon = Some(std::sync::Arc::new(agon_games::lexicon::Lexicon::parse(b"cat").unwrap()));
            let rules = agon_games::find(game.name, &Needs { lexicon }).unwrap();
            for comment in ["# the start", "## 1", "% one", "// one"] {
                let why =
                    Openings::parse(&format!("; a comment\n{comment}\n"), rules.as_ref(), 0).unwrap_err();
                assert_eq!(why.line, 2);
                assert!(
                    why.why.ends_with("if the line is a comment, begin it with `;`"),
                    "{}: {why}",
                    game.name
                );
            }
        }
    }

    #[test]
    fn what_was_there_before_the_beginning_may_come_back() {
        let rules = agon_games::find("abalone", &Needs::default()).unwrap();
        // In some of these games black has moved there and back, and white could move back too.
        for seed in 0..300 {
            let game = Openings::from_start(3).begin(rules.as_ref(), seed, 1).game;
            assert_eq!(game.moves(), rules.resume(&game.text()).unwrap().moves(), "{}", game.text());
        }
    }

    #[test]
    fn a_board_without_a_word_takes_no_random_plies() {
        let lexicon = Some(std::sync::Arc::new(agon_games::lexicon::Lexicon::parse(b"zzzzzz").unwrap()));
        let rules = agon_games::find("letters:3x3x1", &Needs { lexicon }).unwrap();
        let game = Openings::from_start(2).begin(rules.as_ref(), 1, 1).game;
        assert_eq!(game.text(), rules.start(1).text());
    }

    #[test]
    fn play_offs_begin_elsewhere_where_the_start_is_fixed() {
        let rules = mill();
        let mut openings = Openings::from_start(0);
        openings.vary_after(2, rules.as_ref());
        let begin = |pair| openings.begin(rules.as_ref(), u64::from(pair), pair).game.text();
        assert_eq!(begin(1), begin(2));
        assert_ne!(begin(2), begin(3));
        assert_ne!(begin(3), begin(4));
        // A file with more lines is used up first.
        let mut file = Openings::parse("11 22\n11 33\n11 12\n", rules.as_ref(), 0).unwrap();
        file.vary_after(2, rules.as_ref());
        assert_eq!(file.later().map(|later| later.after), Some(3));
        let mut drawn = Openings::from_start(3);
        drawn.vary_after(2, rules.as_ref());
        assert_eq!(drawn.later(), None);
    }

    #[test]
    fn random_plies_depend_on_the_seed_alone_and_never_end_the_game() {
        let rules = agon_games::find("mnk:3x3,3", &Needs::default()).unwrap();
        let openings = Openings::from_start(8);
        let mut seen = std::collections::HashSet::new();
        for seed in 0..200 {
            let game = openings.begin(rules.as_ref(), seed, 1).game;
            assert!(matches!(game.status(), Status::ToMove(_)), "{}", game.text());
            assert_eq!(game.text(), openings.begin(rules.as_ref(), seed, 2).game.text());
            seen.insert(game.text());
        }
        assert!(seen.len() > 50);
    }

    #[test]
    fn random_starts_have_all_their_plies_and_are_not_won_at_once() {
        let numbers = [
            ("abalone", &[2, 30][..]),
            ("connect4", &[2, 12, 25, 30]),
            ("mill", &[4, 30]),
            ("mnk:3x3,3", &[2, 5, 8]),
            ("mnk:7x7,4", &[12]),
            ("morris", &[4, 17, 30]),
            ("morris:nine", &[30]),
        ];
        let mut won_when_drawn_once = 0;
        for (game, plies) in numbers {
            let rules = agon_games::find(game, &Needs::default()).unwrap();
            for (plies, seed) in plies.iter().flat_map(|plies| (1..=20).map(move |seed| (*plies, seed))) {
                let openings = Openings::from_start(plies);
                let mut start = openings.begin(rules.as_ref(), seed, 1);
                assert_eq!(openings.falls_short(rules.as_ref(), seed), None, "{game} {plies} {seed}");
                assert_eq!(start.moves.as_ref().unwrap().len(), plies as usize, "{game} {seed}");
                assert!(!start.game.wins_at_once(), "{game} {plies} {seed}: {}", start.game.text());
                let once = openings.drawn_as(Drawing::Once).begin(rules.as_ref(), seed, 1);
                let mut once = once.game;
                won_when_drawn_once += u32::from(once.wins_at_once());
            }
        }
        assert!(won_when_drawn_once > 20, "{won_when_drawn_once}: the control");
    }

    #[test]
    fn more_random_plies_than_a_board_has_are_told_with_the_most_it_has() {
        let short = |game: &str, plies| {
            let rules = agon_games::find(game, &Needs::default()).unwrap();
            Openings::from_start(plies).falls_short(rules.as_ref(), 1)
        };
        assert_eq!(short("mnk:3x3,3", 9), Some((9, 8)));
        assert_eq!(short("mnk:2x2,2", 2), Some((2, 1)));
        assert_eq!(short("mnk:3x3,3", 8), None);
    }
}
