//! The forbidden moves of renju, by the definitions of the Renju International Federation.
//!
//! A line through a cell is a word of bits. The cells that are five away or nearer decide about
//! fives, fours and threes through the cell.

use super::cells::{MnkCell, STEPS, StoneMask};

/// A shape that the first seat of renju may not make. Making it loses the game, unless the same
/// move makes exactly five in a line.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Foul {
    /// Six or more in a line.
    Overline,
    /// Two fours. A four is a row of four stones to which one more can be added to make exactly
    /// five. Both may be in the same line.
    DoubleFour,
    /// Two threes. A three is a row of three stones to which one more can be added to make a
    /// straight four. That move must not be forbidden, and must make no five. A straight four is an
    /// unbroken row to which one more can be added at both ends to make exactly five.
    DoubleThree,
}

impl Foul {
    /// Why the game is over, for people.
    pub fn why(self) -> &'static str {
        match self {
            Foul::Overline => "a forbidden overline",
            Foul::DoubleFour => "a forbidden double four",
            Foul::DoubleThree => "a forbidden double three",
        }
    }
}

/// The shape that makes a move forbidden. The stone of the first seat is already on the board, and
/// it has not made five.
pub(super) fn foul(field: &mut TrialStones, cell: MnkCell) -> Option<Foul> {
    let lines = STEPS.map(|step| field.line(cell, step));
    if lines.iter().any(|line| line.run().count_ones() > 5) {
        return Some(Foul::Overline);
    }
    if lines.iter().map(Line::fours).sum::<u32>() > 1 {
        return Some(Foul::DoubleFour);
    }
    let mut threes = 0;
    for (step, line) in STEPS.into_iter().zip(lines) {
        // Bit by bit: the next question places a stone, and the answer may need many more.
        if line.keys().any(|offset| field.allows(cell.away(step, offset))) {
            threes += 1;
        }
        if threes > 1 {
            return Some(Foul::DoubleThree);
        }
    }
    None
}

/// The stones of both sides, for the questions that place stones on trial.
pub(super) struct TrialStones {
    /// The stones of the first seat.
    pub(super) own: StoneMask,
    /// The stones of the second seat.
    pub(super) other: StoneMask,
    pub(super) columns: u8,
    pub(super) rows: u8,
}

impl TrialStones {
    /// Whether a stone on this free cell makes no five and is not forbidden.
    fn allows(&mut self, cell: MnkCell) -> bool {
        self.own.flip(cell);
        let makes_five = STEPS.iter().any(|step| self.line(cell, *step).run().count_ones() == 5);
        let allowed = !makes_five && foul(self, cell).is_none();
        self.own.flip(cell);
        allowed
    }

    /// The line in this direction through a stone of the first seat.
    fn line(&self, cell: MnkCell, (dx, dy): (i8, i8)) -> Line {
        let mut line = Line { own: 0, free: 0 };
        for offset in -REACH..=REACH {
            let (column, row) = (cell.column as i8 + offset * dx, cell.row as i8 + offset * dy);
            if !(1..=self.columns as i8).contains(&column) || !(1..=self.rows as i8).contains(&row) {
                continue;
            }
            let (there, bit) = (MnkCell { column: column as u8, row: row as u8 }, bit(offset));
            if self.own.has(there) {
                line.own |= bit;
            } else if !self.other.has(there) {
                line.free |= bit;
            }
        }
        line
    }
}

/// How far a line is looked at: a row of five through the cell, and the cell after it.
const REACH: i8 = 5;

/// The bit of the cell so many steps from the middle of a line.
fn bit(offset: i8) -> u32 {
    1 << (offset + REACH)
}

/// The cells of a line through a stone: bit [`REACH`] is that stone. The cells that are neither own
/// nor free are those of the other side and of no board.
#[derive(Clone, Copy)]
struct Line {
    own: u32,
    free: u32,
}

impl Line {
    /// The unbroken row of own stones through the middle.
    fn run(&self) -> u32 {
        let mut run = bit(0);
        loop {
            let wider = run | (run << 1 | run >> 1) & self.own;
            if wider == run {
                return run;
            }
            run = wider;
        }
    }

    /// The unbroken row through the middle, if one more stone is here and lengthens it.
    fn run_with(&self, offset: i8) -> Option<u32> {
        let run = Line { own: self.own | bit(offset), free: self.free }.run();
        (run & bit(offset) != 0).then_some(run)
    }

    /// The free cells at most so far from the middle.
    fn free_within(self, reach: i8) -> impl Iterator<Item = i8> {
        (-reach..=reach).filter(move |offset| self.free & bit(*offset) != 0)
    }

    /// The number of fours through the middle, in a line without five.
    fn fours(&self) -> u32 {
        let fives = |offset: i8| self.run_with(offset).is_some_and(|run| run.count_ones() == 5);
        let mut ends = self.free_within(4).filter(|offset| fives(*offset));
        match (ends.next(), ends.next()) {
            (None, _) => 0,
            (Some(_), None) => 1,
            // At both ends of the same four stones it is one four, the straight four.
            (Some(one), Some(other)) if other - one == 5 => 1,
            (Some(_), Some(_)) => 2,
        }
    }

    /// The free cells on which a stone makes a straight four through the middle.
    fn keys(self) -> impl Iterator<Item = i8> {
        self.free_within(3).filter(move |offset| {
            let Some(run) = self.run_with(*offset).filter(|run| run.count_ones() == 4) else { return false };
            let (ends, after) =
                ((run << 1 | run >> 1) & !run, (run << 2 | run >> 2) & !(run | run << 1 | run >> 1));
            self.free & ends == ends && self.own & after == 0
        })
    }
}
