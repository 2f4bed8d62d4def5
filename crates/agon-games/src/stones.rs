//! Positions of games in which two sides put stones on a board, one per move, until one side has a
//! line.
//!
//! The common part is here: cells in groups joined by `/`, the side to move, and the end by the
//! first line. Each game knows where a stone may go and what a line is.

use crate::{PerSeat, Refusal, Seat};
use agon_printable::quoted;

/// Why the text after the colon of `--game` is wrong, and what to write.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct BadOptions(pub(super) String);

/// Checks the options of a game that has none.
///
/// # Errors
/// [`BadOptions`], if there are any.
pub(super) fn no_options(game: &str, text: &str) -> Result<(), BadOptions> {
    match text {
        "" => Ok(()),
        _ => Err(BadOptions(format!("{game} takes no options; this is {}", quoted(text)))),
    }
}

/// The order of a board's cells in a line of text.
#[derive(Clone, Copy)]
pub(super) struct Layout {
    /// The text between two `/`: a `row` (the top one first) or a `plane`.
    pub(super) group: &'static str,
    /// The number of groups.
    pub(super) groups: usize,
    /// The number of cells in each.
    pub(super) cells: usize,
    /// The stones of the first and of the second seat.
    pub(super) signs: &'static str,
    /// The names of the seats.
    pub(super) seats: &'static [&'static str],
}

/// The stones of a text: the seat to move, and the owner of each cell, counted from 0 through the
/// groups.
pub(super) struct ParsedStones {
    pub(super) to_move: Seat,
    pub(super) cells: Vec<(usize, Seat)>,
}

impl Layout {
    /// The text of a board, group by group.
    pub(super) fn write(&self, owner: impl Fn(usize) -> Option<Seat>) -> String {
        let sign = |cell| match owner(cell) {
            Some(seat) => char::from(self.signs.as_bytes()[seat.index()]),
            None => '.',
        };
        let group = |g| (g * self.cells..(g + 1) * self.cells).map(sign).collect();
        (0..self.groups).map(group).collect::<Vec<String>>().join("/")
    }

    /// Reads the stones of a text.
    ///
    /// # Errors
    /// [`Refusal::Unreadable`] if the text has another form, another character (its place is
    /// named), or numbers of stones that taking turns cannot give.
    pub(super) fn read(&self, text: &str) -> Result<ParsedStones, Refusal> {
        let groups: Vec<&str> = text.split('/').collect();
        let mut cells = Vec::new();
        for (g, group) in groups.iter().enumerate() {
            for (c, sign) in group.chars().enumerate() {
                match self.signs.find(sign) {
                    Some(seat) => cells.push((g * self.cells + c, Seat::new(seat))),
                    None if sign == '.' => {}
                    None => return Err(self.strange(g, c, sign)),
                }
            }
            if group.len() != self.cells {
                return Err(Refusal::unreadable(format!(
                    "{} {} has {} cells and should have {}",
                    self.group,
                    g + 1,
                    group.len(),
                    self.cells
                )));
            }
        }
        if groups.len() != self.groups {
            return Err(Refusal::unreadable(format!(
                "there are {} {}s joined by `/` and should be {}",
                groups.len(),
                self.group,
                self.groups
            )));
        }
        Ok(ParsedStones { to_move: self.whose_move(&cells)?, cells })
    }

    fn strange(&self, group: usize, cell: usize, sign: char) -> Refusal {
        let (first, second) = self.signs.split_at(1);
        Refusal::unreadable(format!(
            "{} {}, cell {} is {sign:?}; a cell is {first}, {second} or .",
            self.group,
            group + 1,
            cell + 1
        ))
    }

    /// The first seat moves if both have as many stones, the second if the first has one more.
    fn whose_move(&self, cells: &[(usize, Seat)]) -> Result<Seat, Refusal> {
        let second = cells.iter().filter(|(_, seat)| *seat == Seat::SECOND).count();
        let first = cells.len() - second;
        match first.checked_sub(second) {
            Some(0) => Ok(Seat::FIRST),
            Some(1) => Ok(Seat::SECOND),
            _ => Err(Refusal::unreadable(format!(
                "{} has {first} and {} has {second} on the board; {} begins, so it has as many or one more",
                self.seats[0], self.seats[1], self.seats[0]
            ))),
        }
    }

    /// Whether the last move has won, by the owners of lines. `at_once` says whether a single last
    /// move can have made all lines of the seat that moved last.
    ///
    /// # Errors
    /// [`Refusal::Unreadable`], if the game would have ended before.
    pub(super) fn won(
        &self,
        to_move: Seat,
        has_line: &PerSeat<bool>,
        at_once: impl FnOnce() -> bool,
    ) -> Result<bool, Refusal> {
        let [mover, last] = [to_move, to_move.other()].map(|seat| self.seats[seat.index()]);
        match (has_line[to_move], has_line[to_move.other()]) {
            (false, false) => Ok(false),
            (false, true) if at_once() => Ok(true),
            (false, true) => {
                Err(Refusal::unreadable(format!("{last} has lines that no single last move can have made")))
            }
            (true, false) => Err(Refusal::unreadable(format!(
                "{mover} has a line, so the game was over before {last} made the last move"
            ))),
            (true, true) => Err(Refusal::unreadable(format!(
                "{mover} and {last} both have a line; the first one ended the game"
            ))),
        }
    }
}
