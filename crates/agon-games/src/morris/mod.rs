//! Six Men's Morris, and Nine Men's Morris by the same code: place, slide, close mills, remove.
//!
//! Rules that the contest's document leaves open are options, see [`Morris`]. The document has no
//! draws; here a position that occurs for the third time and 200 plies without a removal are draws.

mod layout;
mod men;
mod notation;
mod picture;
mod position;
#[cfg(test)]
mod tests;

use std::str::FromStr;

pub use layout::{MorrisLayout, NINE, SIX, points};
pub use men::MorrisMove;
pub use position::{MorrisPosition, MorrisUndo};

use notation::PositionFields;

use crate::{About, GameCard, points as points_of};
use crate::{Game, GameFile, Refereed, Refusal, Rules};

/// The game is a draw after this many plies in a row without a removal.
pub const QUIET_PLIES: u16 = 200;

/// A side with fewer men than this, and none in hand, has lost; with this many it may fly.
pub const FEWEST: u32 = 3;

/// The names of the seats.
pub const SEATS: &[&str] = &["X", "O"];

/// The description for people.
pub(super) const ABOUT: About = About {
    card: GameCard {
        name: "Morris",
        aim: "Place your men, then slide them: three on a side of a square take one of the other side off.",
    },
    title: "Six Men's Morris, and Nine Men's Morris: place, slide, close mills, remove",
    rules: "\
X begins. First each places its six men in turn on free points (nine men on 24 points with the option nine). \
Then men slide to a neighbouring free point; a side with three men left and none in hand may fly to any \
(flying=no: it may not). A mill is three men on a side of a square, in Nine Men's Morris also on a line between \
the squares. Who closes one removes an opposing man, and must: one, even for two mills, and one that is in no \
mill unless all are (removal=any: any). Once both hands are empty, a side with fewer than three men, or without \
a move, has lost (nomove=draws: without a move it is a draw). The third time of a position with the same side to \
move, or 200 plies without a removal, is a draw.",
    moves: "\
The point, X,7, with the man removed behind an r: X,7r2; then from and to: X,3-4, X,3-4r7. Points are numbered \
row by row from 0. The numbers of 2006, in Six Men's Morris: to*256+removed*16+to for a placed man (removed=to \
for none), from*256+to*16+removed for one that moves (removed=from for none); agon position notation converts them.",
    position: "\
The points in order, X, O or . for a free one; the side to move, x or o; the men in hand of X and of O; then the \
plies since the last removal, if there are any. Positions that were there before are not in it. Or the tier, the \
points and the side: 1200 ................ x. A tier is XXYZ: men to place, men of X and of O on the board.",
    score: "The men left, on the board and in hand; a result is 1-0, 0-1 or 1/2-1/2.",
    result: points_of,
};

/// The number of men per side, which determines the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Men {
    /// Six on 16 points.
    #[default]
    Six,
    /// Nine on 24 points.
    Nine,
}

impl Men {
    /// The board for this number of men.
    pub fn layout(self) -> &'static MorrisLayout {
        match self {
            Men::Six => &SIX,
            Men::Nine => &NINE,
        }
    }
}

/// Which opposing men a mill may remove.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Removal {
    /// Those outside mills, or any if all are in mills.
    #[default]
    Outside,
    /// Any.
    Any,
}

/// The effect of having no legal move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum NoMove {
    /// The side to move has lost.
    #[default]
    Loses,
    /// The game is a draw.
    Draws,
}

/// The rules of Morris with their options.
///
/// As text, after the colon of `--game morris:`, separated by commas, the default first: `six` or
/// `nine`; `flying=yes` or `flying=no`; `removal=outside` or `removal=any`; `nomove=loses` or
/// `nomove=draws`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Morris {
    /// The number of men per side.
    pub men: Men,
    /// Whether a side with three men left may go to any free point.
    pub flying: bool,
    /// Which men a mill may remove.
    pub removal: Removal,
    /// The effect of having no legal move.
    pub nomove: NoMove,
}

impl Default for Morris {
    fn default() -> Self {
        Morris { men: Men::Six, flying: true, removal: Removal::Outside, nomove: NoMove::Loses }
    }
}

impl FromStr for Morris {
    type Err = Refusal;

    /// Reads the options; an empty text means the defaults.
    fn from_str(text: &str) -> Result<Self, Refusal> {
        let mut rules = Morris::default();
        if text.is_empty() {
            return Ok(rules);
        }
        let mut given = Vec::new();
        for item in text.split(',') {
            let name = item.split_once('=').map_or("the number of men", |(name, _)| name);
            match item {
                "six" => rules.men = Men::Six,
                "nine" => rules.men = Men::Nine,
                "flying=yes" => rules.flying = true,
                "flying=no" => rules.flying = false,
                "removal=outside" => rules.removal = Removal::Outside,
                "removal=any" => rules.removal = Removal::Any,
                "nomove=loses" => rules.nomove = NoMove::Loses,
                "nomove=draws" => rules.nomove = NoMove::Draws,
                _ => {
                    return Err(Refusal::unreadable(format!(
                        "morris: {item:?} is no option; there are six or nine, flying=yes or no, \
                         removal=outside or any, nomove=loses or draws"
                    )));
                }
            }
            if given.contains(&name) {
                return Err(Refusal::unreadable(format!("morris: {name} is given twice")));
            }
            given.push(name);
        }
        Ok(rules)
    }
}

impl Morris {
    /// The empty board, for programs that search.
    pub fn position(self) -> MorrisPosition {
        MorrisPosition::start(self)
    }

    /// A position from its one-line text or from `startpos`, for programs that search.
    ///
    /// The earlier positions are not in the text, so repetitions are counted from here.
    ///
    /// # Errors
    /// [`Refusal::Unreadable`], with the place in the text and what is wrong there.
    pub fn position_from(self, text: &str) -> Result<MorrisPosition, Refusal> {
        if text.trim() == "startpos" {
            return Ok(self.position());
        }
        let PositionFields { first, second, to_move, quiet } =
            notation::read_position(self.men.layout(), text)?;
        Ok(MorrisPosition::new(self, first, second, to_move, quiet))
    }
}

impl Rules for Morris {
    fn spec(&self) -> String {
        let mut options = Vec::new();
        if self.men == Men::Nine {
            options.push("nine");
        }
        if !self.flying {
            options.push("flying=no");
        }
        if self.removal == Removal::Any {
            options.push("removal=any");
        }
        if self.nomove == NoMove::Draws {
            options.push("nomove=draws");
        }
        if options.is_empty() { "morris".to_owned() } else { format!("morris:{}", options.join(",")) }
    }

    fn seats(&self) -> &'static [&'static str] {
        SEATS
    }

    /// `men`: the number of men per side, `6` or `9`.
    fn settings(&self) -> Vec<(&'static str, String)> {
        vec![("men", self.men.layout().men.to_string())]
    }

    fn supplies(&self) -> Vec<GameFile> {
        Vec::new()
    }

    /// The empty board, the only start position, for every seed.
    fn start(&self, _: u64) -> Box<dyn Game> {
        Box::new(Refereed::new(self.position(), SEATS))
    }

    fn resume(&self, text: &str) -> Result<Box<dyn Game>, Refusal> {
        Ok(Box::new(Refereed::new(self.position_from(text)?, SEATS)))
    }
}
