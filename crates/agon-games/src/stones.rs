//! Reads and writes the positions of the games in which two sides put stones on a board, one a move, until one
//! of them has a line.
//!
//! It knows what is the same in all of them: cells in groups joined by `/`, whose move it is by the number of
//! stones, and that the first line ends the game. Where a stone may lie and what a line is, each game knows.

use crate::{PerSeat, Refusal, Seat};
use agon_printable::escape;

/// Why the text behind the colon of `--game` is not taken, and what is.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct BadOptions(pub(super) String);

/// Takes the options of a game that has none.
///
/// # Errors
/// [`BadOptions`], if there are any.
pub(super) fn no_options(game: &str, text: &str) -> Result<(), BadOptions> {
    match text {
        "" => Ok(()),
        _ => Err(BadOptions(format!("{game} takes no options; this is {}", quoted(text)))),
    }
}

/// A stranger's text as a message shows it: in quotes, escaped, not too long.
pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", escape(text.as_bytes(), 40))
}

/// How the cells of a board stand in a line of text.
#[derive(Clone, Copy)]
pub(super) struct Layout {
    /// What stands between two `/`: `row` (the first one on top) or `plane`.
    pub(super) group: &'static str,
    /// How many of these there are.
    pub(super) groups: usize,
    /// How many cells each has.
    pub(super) cells: usize,
    /// The stone of the first seat and that of the second.
    pub(super) signs: &'static str,
    /// The names of the seats.
    pub(super) seats: &'static [&'static str],
}

/// The stones of a text: whose move it is, and who owns each cell, counted from 0 through the groups.
pub(super) struct Stones {
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

    /// The stones a text shows.
    ///
    /// # Errors
    /// [`Refusal::Unreadable`], when the text has another shape, a strange character (its place is named), or
    /// numbers of stones that taking turns cannot give.
    pub(super) fn read(&self, text: &str) -> Result<Stones, Refusal> {
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
        Ok(Stones { to_move: self.whose_move(&cells)?, cells })
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

    /// The first seat moves when both have as many stones, the second when the first has one more.
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

    /// Whether the last move has won, by who has a line. `at_once` tells whether one last move can have made all
    /// the lines of the seat that moved last.
    ///
    /// # Errors
    /// [`Refusal::Unreadable`], when the game would have ended before.
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
