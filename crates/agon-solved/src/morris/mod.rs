//! Morris: tables by retrograde analysis.
//!
//! Values are those of the game without history. The rules of agon end a game as a draw at the
//! third time of a position. They also do so after [`QUIET_PLIES`] plies without a removal. The
//! tables know neither rule. So these rules never change a drawn value, and can make a draw of a
//! won or lost one:
//!
//! * if the plies without a removal so far and the remoteness together exceed [`QUIET_PLIES`];
//! * if a position since the last removal has occurred twice, because the way to the end may lead
//!   through it. The way itself repeats no position, as each of its plies shortens the remoteness.

mod board;
mod code;
mod index;
mod solve;
#[cfg(test)]
mod tests;
mod verify;

pub use verify::Disagreement;

use agon_games::morris::{Men, Morris, MorrisMove, MorrisPosition, QUIET_PLIES};
use agon_games::{Position, Rules, version};
use agon_seats::Seat;

use std::sync::Arc;

use crate::file::TableKey;
use crate::stored::{SolverSettings, StoredTable, Warning};
use crate::value::{Solution, Valuation, Value};
use crate::values::PositionValues;
use board::{MorrisBoard, SideStones};
use code::{Score, decode, solution};
use index::MorrisIndex;

/// The most stones of a side in the tables of Nine Men's Morris.
pub(crate) const NINE_STONES: u8 = 5;

/// The values of the positions of one tier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TierCounts {
    /// The men that both sides have still to place.
    pub hands: u8,
    /// The stones of the side to move.
    pub own: u8,
    /// The stones of the other side.
    pub other: u8,
    /// The positions in which the side to move wins. Each symmetric image counts.
    pub won: u64,
    /// The drawn positions.
    pub drawn: u64,
    /// The positions in which the side to move loses.
    pub lost: u64,
    /// The longest remoteness.
    pub longest: u16,
}

/// The values of one variant of morris.
pub(crate) struct MorrisValues {
    index: Arc<MorrisIndex>,
    stored: StoredTable,
}

impl MorrisValues {
    pub(crate) fn new(rules: Morris, settings: SolverSettings) -> Self {
        let board = MorrisBoard::new(rules);
        let index = Arc::new(match rules.men {
            Men::Six => MorrisIndex::new(board, board.layout.men, true),
            Men::Nine => MorrisIndex::new(board, NINE_STONES, false),
        });
        MorrisValues::of_index(rules, index, settings)
    }

    /// The values of the positions that an index has.
    fn of_index(rules: Morris, index: Arc<MorrisIndex>, settings: SolverSettings) -> Self {
        let spec = rules.spec();
        let key = TableKey { name: format!("{spec}-v{}", version(&spec)), cells: index.cells().into() };
        let solving = index.clone();
        let make = move |threads, tell: &(dyn Fn(u64) + Sync)| solve::solve(&solving, threads, tell);
        MorrisValues { index, stored: StoredTable::new(key, settings, Box::new(make)) }
    }

    /// The table.
    pub(crate) fn stored(&self) -> &StoredTable {
        &self.stored
    }

    /// The score of a position by the table; earlier moves do not matter.
    fn score(&self, hands: u8, stones: SideStones) -> Option<Score> {
        if hands == 0
            && let Some(score) = solve::too_few(stones)
        {
            return Some(score);
        }
        let tier = self.index.tier(hands, stones)?;
        self.stored.found(self.index.cell(tier, stones).into()).map(decode)
    }

    fn valuation(&self, score: Option<Score>) -> Valuation {
        let why = || match self.stored.is_usable() {
            true => "the tables of Nine Men's Morris begin after placing, with five stones a side at most",
            false => "the table of this game is missing",
        };
        score.map_or_else(|| Valuation::Unknown { why: why() }, |score| solution(score).into())
    }

    /// The values tier by tier.
    pub(crate) fn tiers(&self) -> Vec<TierCounts> {
        let count = |tier: &index::Tier| {
            let (hands, own, other) = (tier.hands, tier.own, tier.other);
            let mut counts = TierCounts { hands, own, other, won: 0, drawn: 0, lost: 0, longest: 0 };
            for cell in tier.first..tier.first + tier.cells {
                if !self.index.is_principal(tier, cell) {
                    continue;
                }
                let Solution { value, remoteness } = solution(decode(self.stored.cell(cell.into())));
                let images = u64::from(self.index.orbit(tier, cell));
                match value {
                    Value::Won => counts.won += images,
                    Value::Drawn => counts.drawn += images,
                    Value::Lost => counts.lost += images,
                }
                counts.longest = counts.longest.max(remoteness.plies().unwrap_or(0));
            }
            counts
        };
        self.index.tiers().iter().map(count).collect()
    }

    /// Compares each cell with its successors. `tell` is called with the number of cells that are
    /// done.
    ///
    /// # Errors
    /// The first cell that does not agree.
    pub(crate) fn verify(&self, tell: &(dyn Fn(u64) + Sync)) -> Result<(), Disagreement> {
        let threads = self.stored.threads();
        verify::verify(&self.index, &|cell| self.stored.cell(cell.into()), threads, tell)
    }
}

/// The men left to place, and the stones from the view of the side to move.
fn seen(position: &MorrisPosition) -> (u8, SideStones) {
    let mover = position.to_move();
    let hands = position.hand(Seat::FIRST) + position.hand(Seat::SECOND);
    (hands, SideStones { own: position.men(mover), other: position.men(mover.other()) })
}

impl PositionValues<MorrisPosition> for MorrisValues {
    fn mover(&self, position: &MorrisPosition) -> Seat {
        position.to_move()
    }

    fn of(&self, position: &MorrisPosition) -> Valuation {
        let (hands, stones) = seen(position);
        self.valuation(self.score(hands, stones))
    }

    fn of_moves(&self, position: &MorrisPosition, moves: &[MorrisMove], values: &mut Vec<Valuation>) {
        let (hands, stones) = seen(position);
        values.clear();
        values.extend(moves.iter().map(|mv| {
            let bit = |point: Option<u8>| point.map_or(0, |point| 1 << point);
            let own = stones.own & !bit(mv.from) | 1 << mv.to;
            let after = SideStones { own: stones.other & !bit(mv.removed), other: own };
            self.valuation(self.score(hands.saturating_sub(1), after)).before()
        }));
    }

    fn history_could_change(&self, position: &MorrisPosition, solution: Solution) -> bool {
        let plies = solution.remoteness.plies().unwrap_or(u16::MAX);
        let late = position.quiet().saturating_add(plies) > QUIET_PLIES;
        let is_over = position.status().over().is_some();
        solution.value != Value::Drawn && !is_over && (late || position.has_repeated())
    }

    fn prepare(&self) {
        self.stored.prepare();
    }

    fn take_warnings(&self) -> Vec<Warning> {
        self.stored.take_warnings()
    }
}
