//! The stones on a board of `mnk` or `connect4`, for protocols that name cells in words of their
//! own.

use agon_games::Rules;
use agon_seats::Seat;

use super::{Start, without_side};

/// The numbers of a board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Shape {
    pub(super) columns: usize,
    pub(super) rows: usize,
    /// Whether a stone falls to the lowest free cell of its column, as in `connect4`.
    pub(super) drops: bool,
}

impl Shape {
    /// The board of a game; `None` if stones are not all that the game has.
    pub(super) fn of(rules: &dyn Rules) -> Option<Self> {
        Self::read(&rules.spec(), &rules.settings())
    }

    fn read(game: &str, settings: &[(&'static str, String)]) -> Option<Self> {
        let drops = match game.split(':').next()? {
            "mnk" => false,
            "connect4" => true,
            _ => return None,
        };
        let number = |wanted: &str| {
            settings.iter().find(|(name, _)| *name == wanted).and_then(|(_, value)| value.parse().ok())
        };
        Some(Shape { columns: number("columns")?, rows: number("rows")?, drops })
    }
}

/// A cell, counted from 0: columns from the left, rows from the bottom.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Cell {
    pub(super) column: usize,
    pub(super) row: usize,
}

impl Cell {
    /// Its name in `mnk`: the letter of the column and the number of the row, `b2`.
    pub(super) fn name(self) -> String {
        format!("{}{}", letter(self.column), self.row + 1)
    }

    /// The cell with this name. It may lie beside the board.
    pub(super) fn named(name: &str) -> Option<Self> {
        let column = name.chars().next().filter(char::is_ascii_alphabetic)?.to_ascii_lowercase();
        let digits = name.get(1..).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
        let row = digits.parse::<usize>().ok()?.checked_sub(1)?;
        Some(Cell { column: usize::from(column as u8 - b'a'), row })
    }
}

/// The letter of a column.
fn letter(column: usize) -> char {
    u8::try_from(column).ok().filter(|column| *column < 26).map_or('?', |column| char::from(b'a' + column))
}

/// The stones of a position.
#[derive(Clone, Debug)]
pub(super) struct Stones {
    pub(super) shape: Shape,
    /// Who has each cell, row by row from the bottom.
    owners: Vec<Option<Seat>>,
}

impl Stones {
    /// The stones with which a game starts; `None` if it is another game.
    pub(super) fn of(start: &Start) -> Option<Self> {
        let shape = Shape::read(&start.game, &start.settings)?;
        let mut stones = Stones { shape, owners: vec![None; shape.columns * shape.rows] };
        // Of all positions there is one form: rows from the top, joined by `/`.
        for (row, text) in start.position.iter().flat_map(|text| text.split('/').rev()).enumerate() {
            for (column, sign) in text.chars().enumerate() {
                let seat = start.seats.iter().position(|name| name.starts_with(sign));
                stones.put(Cell { column, row }, seat.map(Seat::new));
            }
        }
        Some(stones)
    }

    fn index(&self, cell: Cell) -> Option<usize> {
        let Shape { columns, rows, .. } = self.shape;
        (cell.column < columns && cell.row < rows).then(|| cell.row * columns + cell.column)
    }

    fn put(&mut self, cell: Cell, owner: Option<Seat>) {
        if let Some(index) = self.index(cell) {
            self.owners[index] = owner;
        }
    }

    /// Who has a cell.
    pub(super) fn owner(&self, cell: Cell) -> Option<Seat> {
        self.index(cell).and_then(|index| self.owners[index])
    }

    /// The cells of one seat, row by row from the bottom.
    pub(super) fn of_seat(&self, seat: Seat) -> impl Iterator<Item = Cell> {
        let columns = self.shape.columns;
        let own = self.owners.iter().enumerate().filter(move |(_, owner)| **owner == Some(seat));
        own.map(move |(index, _)| Cell { column: index % columns, row: index / columns })
    }

    /// The lowest free cell of a column; `None` if it is full.
    pub(super) fn lowest(&self, column: usize) -> Option<Cell> {
        let mut cells = (0..self.shape.rows).map(|row| Cell { column, row });
        cells.find(|cell| column < self.shape.columns && self.owner(*cell).is_none())
    }

    /// The cell of a move, with or without its side.
    pub(super) fn cell(&self, text: &str) -> Option<Cell> {
        let mv = without_side(text);
        if self.shape.drops {
            self.lowest(mv.parse::<usize>().ok()?.checked_sub(1)?)
        } else {
            Cell::named(mv)
        }
    }

    /// Puts the stone of a move.
    pub(super) fn play(&mut self, seat: Seat, text: &str) {
        if let Some(cell) = self.cell(text) {
            self.put(cell, Some(seat));
        }
    }
}

#[cfg(test)]
mod tests {
    use agon_games::connect4::ConnectFour;
    use agon_games::mnk::Mnk;

    use super::*;

    #[test]
    fn the_stones_of_a_start_are_those_of_its_position() {
        let rules: Mnk = "3x2,2,first=O".parse().unwrap();
        let game = rules.resume("..O/X.O").unwrap();
        let start = Start::new(&rules, game.as_ref(), Seat::FIRST, None);
        let mut stones = Stones::of(&start).unwrap();
        assert_eq!(stones.of_seat(Seat::FIRST).map(Cell::name).collect::<Vec<_>>(), ["c1", "c2"]);
        assert_eq!(stones.of_seat(Seat::SECOND).map(Cell::name).collect::<Vec<_>>(), ["a1"]);
        stones.play(Seat::SECOND, "X,b2");
        assert_eq!(stones.owner(Cell { column: 1, row: 1 }), Some(Seat::SECOND));
    }

    #[test]
    fn a_stone_of_connect_four_falls() {
        let start = Start::new(&ConnectFour, ConnectFour.start(1).as_ref(), Seat::FIRST, None);
        let mut stones = Stones::of(&start).unwrap();
        for seat in [Seat::FIRST, Seat::SECOND, Seat::FIRST] {
            stones.play(seat, "4");
        }
        assert_eq!(stones.lowest(3).map(Cell::name), Some("d4".to_owned()));
        assert_eq!(stones.lowest(7), None);
    }

    #[test]
    fn a_name_that_is_no_cell_is_none() {
        assert_eq!(Cell::named("b12"), Some(Cell { column: 1, row: 11 }));
        for name in ["", "b", "b0", "b-1", "12", "ä1", "b1x", "b99999999999999999999"] {
            assert_eq!(Cell::named(name), None, "{name}");
        }
    }
}
