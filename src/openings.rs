//! Where games begin: at the start position, at a position or after moves from a file, or after
//! moves drawn from the seed. Each opening is played twice, sides swapped.

use agon_games::{Game, Rules, Status};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// The openings of a run.
#[derive(Clone, Default, Debug)]
pub struct Openings {
    /// Positions, one line each, all playable; empty for the usual start position.
    positions: Vec<String>,
    /// How many moves are drawn from the seed and played from there.
    random_plies: u32,
    /// The later pairs of a pairing, with random moves of their own.
    later: Option<LaterPairs>,
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

impl Openings {
    /// Games begin at the start position, or after this number of random moves from it.
    pub fn from_start(random_plies: u32) -> Self {
        Openings { positions: Vec::new(), random_plies, later: None }
    }

    /// Parses openings, one per line: a position, or moves from the start position separated by
    /// blanks, with or without side letters. Blank lines and lines that begin with [`COMMENT`] are
    /// ignored.
    ///
    /// # Errors
    /// [`OpeningError`], with the line.
    pub fn parse(text: &str, rules: &dyn Rules, random_plies: u32) -> Result<Self, OpeningError> {
        let mut positions = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim();
            if line.is_empty() || line.starts_with(COMMENT) {
                continue;
            }
            let game =
                read(line, rules).map_err(|why| OpeningError { line: number, why: hinted(line, why) })?;
            if game.status().over().is_some() {
                return Err(OpeningError {
                    line: number,
                    why: "the game is over in this position; give another".to_owned(),
                });
            }
            positions.push(game.text());
        }
        if positions.is_empty() {
            return Err(OpeningError {
                line: 1,
                why: "the file has no opening; write one per line".to_owned(),
            });
        }
        Ok(Openings { positions, random_plies, later: None })
    }

    /// Games begin at these positions in turn, or after this number of random moves from them.
    ///
    /// # Errors
    /// The text of the position that cannot be read.
    pub fn at(positions: Vec<String>, rules: &dyn Rules, random_plies: u32) -> Result<Self, String> {
        for (number, position) in (1..).zip(&positions) {
            rules.resume(position).map_err(|why| format!("opening {number} is not a position: {why}"))?;
        }
        Ok(Openings { positions, random_plies, later: None })
    }

    /// Puts the positions into an order drawn from this seed: the first lines of a file are often
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

    /// The same openings with these later pairs.
    #[must_use]
    pub fn with_later(self, later: Option<LaterPairs>) -> Self {
        Openings { later, ..self }
    }

    /// How many random moves this pair begins with.
    pub fn random_plies_of(&self, pair: u32) -> u32 {
        let later = self.later.filter(|later| pair > later.after);
        later.map_or(self.random_plies, |later| later.random_plies)
    }

    /// The game of this board seed in its start position. `pair` counts the pairs of games in the
    /// pairing, from 1: each takes the next line of the file, and the first line follows the last.
    pub fn begin(&self, rules: &dyn Rules, seed: u64, pair: u32) -> Box<dyn Game> {
        let mut game = if self.positions.is_empty() {
            rules.start(seed)
        } else {
            let at = (pair as usize - 1) % self.positions.len();
            rules.resume(&self.positions[at]).expect("each position has been read back already")
        };
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let random_plies = self.random_plies_of(pair);
        for _ in 0..random_plies {
            let moves = game.moves();
            if moves.is_empty() {
                break; // a board of letters may have no legal move
            }
            let mv = &moves[drawn(&mut random, moves.len())];
            let before = game.text();
            game.play(mv.as_bytes()).expect("a legal move can be played");
            if !matches!(game.status(), Status::ToMove(_)) {
                // An opening must not end the game: stop one move before.
                return rules.resume(&before).expect("a position's text reads back");
            }
        }
        // A rule about repetition ignores the moves before the opening, as with openings from a
        // file: the record of the game knows only its start position.
        if random_plies > 0 {
            rules.resume(&game.text()).expect("a position's text reads back")
        } else {
            game
        }
    }
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

/// The game at an opening: a position, or a list of moves.
///
/// # Errors
/// What is wrong with the position or with the move, according to what the text looks like.
pub fn read(line: &str, rules: &dyn Rules) -> Result<Box<dyn Game>, String> {
    let as_position = match rules.resume(line) {
        Ok(game) => return Ok(game),
        Err(error) => error,
    };
    let Ok(mut game) = rules.resume("startpos") else {
        return Err(format!("as a position: {as_position}"));
    };
    // The first word shows which of the two it is.
    agon_games::play_all(&mut *game, rules.seats(), line.split_whitespace()).map_err(|stuck| match stuck
        .number
    {
        1 => format!("as a position: {as_position}; as moves: {stuck}"),
        _ => stuck.to_string(),
    })?;
    Ok(game)
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_games::Needs;

    fn mill() -> std::sync::Arc<dyn Rules> {
        agon_games::find("mill", &Needs::default()).unwrap()
    }

    #[test]
    fn moves_and_positions_are_read_and_taken_in_turn() {
        let rules = mill();
        let position = read("11 12 W,13", rules.as_ref()).unwrap().text();
        let file = format!("; two openings\n11 22\n\n{position}\n");
        let openings = Openings::parse(&file, rules.as_ref(), 0).unwrap();
        let begin = |pair| openings.begin(rules.as_ref(), 1, pair).text();
        assert_eq!(begin(2), position);
        assert_eq!(begin(1), begin(3));
        assert_ne!(begin(1), begin(2));
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
            let game = Openings::from_start(3).begin(rules.as_ref(), seed, 1);
            assert_eq!(game.moves(), rules.resume(&game.text()).unwrap().moves(), "{}", game.text());
        }
    }

    #[test]
    fn a_board_without_a_word_takes_no_random_plies() {
        let lexicon = Some(std::sync::Arc::new(agon_games::lexicon::Lexicon::parse(b"zzzzzz").unwrap()));
        let rules = agon_games::find("letters:3x3x1", &Needs { lexicon }).unwrap();
        let game = Openings::from_start(2).begin(rules.as_ref(), 1, 1);
        assert_eq!(game.text(), rules.start(1).text());
    }

    #[test]
    fn play_offs_begin_elsewhere_where_the_start_is_fixed() {
        let rules = mill();
        let mut openings = Openings::from_start(0);
        openings.vary_after(2, rules.as_ref());
        let begin = |pair| openings.begin(rules.as_ref(), u64::from(pair), pair).text();
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
            let game = openings.begin(rules.as_ref(), seed, 1);
            assert!(matches!(game.status(), Status::ToMove(_)), "{}", game.text());
            assert_eq!(game.text(), openings.begin(rules.as_ref(), seed, 2).text());
            seen.insert(game.text());
        }
        assert!(seen.len() > 50);
    }
}
