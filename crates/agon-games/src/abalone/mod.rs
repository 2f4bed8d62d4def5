//! Abalone: marbles on a hexagon, pushed off the board; a side that has lost six loses the game.
//!
//! The notation is that of the contest's document: `<tail><head>-<new tail>`, with every row
//! numbered from its own left end. (Modern books number along diagonals, so rows f to i differ.)
//! Rules that the document leaves open are options, see [`Abalone`].

mod board;
mod ko;
mod notation;
mod picture;
mod position;
mod result;
#[cfg(test)]
mod tests;

use std::str::FromStr;

pub use board::{AbaloneBoard, AbaloneMove, Direction, Space, row_length, row_letter};
pub use position::{AbalonePosition, AbaloneUndo};
pub use result::{MarbleCount, ResultMark, read_result, result_text};

use crate::{About, GameCard};
use crate::{Game, GameFile, Refereed, Refusal, Rules};

/// The marbles each side starts with.
pub const MARBLES: u32 = 14;

/// A side has lost when this many of its marbles were pushed off.
pub const LOSING: u32 = 6;

/// The game is over when each side has made this many moves.
pub const MOVES_A_SIDE: u16 = 200;

/// The names of the seats: black begins, and its marbles are `#`; those of white are `O`.
pub const SEATS: &[&str] = &["B", "W"];

/// The description for people.
pub(super) const ABOUT: About = About {
    card: GameCard {
        name: "Abalone",
        aim: "Push six marbles of the other side off the board: two or three in a row push fewer of theirs.",
    },
    title: "Abalone: marbles on a hexagon, pushed off the board",
    rules: "\
Black (B, its marbles #) starts on top and moves first, white (W, its marbles O) at the bottom; each has \
fourteen. One to three of one's own marbles in a line move one cell: along their line, where they push fewer \
opposing marbles than they are if a free cell or the edge lies behind those; or broadside, two or three of them \
to free cells. One's own marbles never leave the board. A side that has lost six marbles loses the game. No \
board may repeat, whichever side is to move: such a move is illegal (ko=no allows it). A side without a legal \
move loses. After 200 moves a side the game is a tie (at-limit=marbles: the side with more marbles wins).",
    moves: "\
The tail, the head and where the tail goes, without spaces: d1f2-e1; of one marble where it was and where it \
goes: a3-b4. Rows are a (bottom) to i (top), and each counts from its own left end. A broadside is written as \
the push in the direction closest to it; with its ends the other way round it is read too (agon position notation \
abalone f2d1-...).",
    position: "\
The rows i to a joined by /: # for black, O for white, . for a free cell; then the side to move, b or w; then \
the plies played so far, if there are any. Boards that were there before are not in it.",
    score: "\
The marbles left. A result has black's part first, the marbles and W (won), L (lost), T (tied), R (resigned) or \
* (out of time): 13(W)-8(L).",
    result: result::of,
};

/// The result of a game in which each side has made its 200 moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum AtLimit {
    /// A tie; the marbles do not matter.
    #[default]
    Tie,
    /// A win for the side with more marbles.
    Marbles,
}

/// The rules of Abalone with their options.
///
/// As text, after the colon of `--game abalone:`, separated by commas: `at-limit=tie` (the default)
/// or `at-limit=marbles`; `ko=yes` (the default) or `ko=no`, which lets boards repeat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Abalone {
    /// How the game ends after 200 moves a side.
    pub at_limit: AtLimit,
    /// Whether a move that repeats an earlier board is illegal.
    pub ko: bool,
}

impl Default for Abalone {
    fn default() -> Self {
        Abalone { at_limit: AtLimit::Tie, ko: true }
    }
}

impl FromStr for Abalone {
    type Err = Refusal;

    /// Reads the options; an empty text means the defaults.
    fn from_str(text: &str) -> Result<Self, Refusal> {
        let mut rules = Abalone::default();
        if text.is_empty() {
            return Ok(rules);
        }
        let mut given = Vec::new();
        for item in text.split(',') {
            let name = item.split('=').next().unwrap_or(item);
            if given.contains(&name) {
                return Err(Refusal::unreadable(format!("abalone: {name} is given twice")));
            }
            given.push(name);
            match item {
                "at-limit=tie" => rules.at_limit = AtLimit::Tie,
                "at-limit=marbles" => rules.at_limit = AtLimit::Marbles,
                "ko=yes" => rules.ko = true,
                "ko=no" => rules.ko = false,
                _ => {
                    return Err(Refusal::unreadable(format!(
                        "abalone: {item:?} is no option; there are at-limit=tie, at-limit=marbles, ko=yes and ko=no"
                    )));
                }
            }
        }
        Ok(rules)
    }
}

impl Abalone {
    /// The start position, for programs that search.
    pub fn position(self) -> AbalonePosition {
        AbalonePosition::start(self)
    }

    /// A position from its one-line text or from `startpos`, for programs that search.
    ///
    /// The text does not hold the earlier boards, so the Ko rule knows only this one. It holds the
    /// plies since the start if they follow the side.
    ///
    /// # Errors
    /// [`Refusal::Unreadable`], with the place in the text and what is wrong there.
    pub fn position_from(self, text: &str) -> Result<AbalonePosition, Refusal> {
        if text.trim() == "startpos" {
            return Ok(self.position());
        }
        let (board, to_move, plies) = notation::read_position(text)?;
        Ok(AbalonePosition::new(self, board, to_move, plies))
    }
}

impl Rules for Abalone {
    fn spec(&self) -> String {
        let mut options = Vec::new();
        if self.at_limit == AtLimit::Marbles {
            options.push("at-limit=marbles");
        }
        if !self.ko {
            options.push("ko=no");
        }
        if options.is_empty() { "abalone".to_owned() } else { format!("abalone:{}", options.join(",")) }
    }

    fn seats(&self) -> &'static [&'static str] {
        SEATS
    }

    fn settings(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    fn supplies(&self) -> Vec<GameFile> {
        Vec::new()
    }

    /// The only start position, for every seed.
    fn start(&self, _: u64) -> Box<dyn Game> {
        Box::new(Refereed::new(self.position(), SEATS))
    }

    fn resume(&self, text: &str) -> Result<Box<dyn Game>, Refusal> {
        Ok(Box::new(Refereed::new(self.position_from(text)?, SEATS)))
    }
}
