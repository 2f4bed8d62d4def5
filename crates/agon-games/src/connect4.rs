//! Connect four: four in a line on seven columns and six rows, where every stone falls to the
//! lowest free cell.
//!
//! None of the contests plays it. It is the small example of how to add a game: this file, one line
//! in the list of modules and one in the registry.
//!
//! A cell is a bit, and a column is seven bits: six cells from the bottom up and one that stays
//! empty. So no line runs from the top of one column into the bottom of the next.
//!
//! The score of a seat is 1 if it has won and 0 otherwise.

use std::fmt;
use std::str::FromStr;

use super::stones::{BadOptions, Layout, no_options};
use crate::{About, GameCard, points};
use crate::{Ending, Game, GameFile, PerSeat, Position, Refereed, Refusal, Rules, Seat, Status};
use agon_diagram::{CellPlane, Diagram, Frame, SlotContent, SlotShape};
use agon_printable::quoted;

const SEATS: &[&str] = &["X", "O"];

const ROWS: Layout = Layout { group: "row", groups: 6, cells: 7, signs: "XO", seats: SEATS };

/// The lowest cell of each column.
const FLOOR: u64 = 0x0408_1020_4081;

/// All cells of the first column.
const COLUMN: u64 = 0x3f;

/// The number of cells.
const CELLS: usize = 42;

/// All cells.
const BOARD: u64 = FLOOR * COLUMN;

/// The description for people.
pub(super) const ABOUT: About = About {
    card: GameCard {
        name: "Connect four",
        aim: "Drop stones into the columns; four of yours in a line win.",
    },
    title: "Connect four: four in a line on seven columns and six rows, with gravity",
    rules: "\
X begins. In turn each drops a stone into one of the seven columns, where it falls to the lowest free cell. Who \
first has four stones in a straight line (along a row, a column or a diagonal) has won. A full board is a draw.",
    moves: "The number of the column, 1 to 7 from the left: X,4.",
    position: "\
The six rows from the top, joined by /: X, O, or . for a free cell. Whose move it is follows from the numbers \
of stones.",
    score: "1 for the winner and 0 otherwise; a result is 1-0, 0-1 or 1/2-1/2.",
    result: points,
};

/// The rules of connect four. They have no options.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ConnectFour;

impl FromStr for ConnectFour {
    type Err = BadOptions;

    /// Reads the text after the colon of `--game`, which must be empty.
    fn from_str(text: &str) -> Result<Self, BadOptions> {
        no_options("connect4", text).map(|()| ConnectFour)
    }
}

impl Rules for ConnectFour {
    fn spec(&self) -> String {
        "connect4".to_owned()
    }

    fn seats(&self) -> &'static [&'static str] {
        SEATS
    }

    /// Columns, rows and the length of a line, as in m,n,k games.
    fn settings(&self) -> Vec<(&'static str, String)> {
        [("columns", 7), ("rows", 6), ("k", 4)].map(|(name, number)| (name, number.to_string())).to_vec()
    }

    fn supplies(&self) -> Vec<GameFile> {
        Vec::new()
    }

    /// The empty board, for every seed.
    fn start(&self, _: u64) -> Box<dyn Game> {
        Box::new(Refereed::new(Grid::default(), SEATS))
    }

    fn resume(&self, text: &str) -> Result<Box<dyn Game>, Refusal> {
        Ok(Box::new(Refereed::new(text.parse::<Grid>()?, SEATS)))
    }
}

/// A column into which a stone falls, counted from 0: a move. It is written from 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct DropColumn(u8);

impl DropColumn {
    /// Its index, from 0 at the left.
    pub fn index(self) -> usize {
        self.0.into()
    }

    fn cells(self) -> u64 {
        COLUMN << (7 * self.0)
    }
}

impl fmt::Display for DropColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0 + 1)
    }
}

/// The cell that was filled last.
#[derive(Clone, Copy, Debug)]
pub struct DropUndo(u64);

/// A position. The default is the empty board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Grid {
    /// The stones of the side to move.
    own: u64,
    /// The stones of the side that moved last, the only one that can have a line.
    other: u64,
    /// Whether that side has a line.
    won: bool,
}

impl Grid {
    /// The stones of a seat: bit `7 * column + row`, both from 0, row 0 at the bottom.
    pub fn stones(&self, seat: Seat) -> u64 {
        if seat == self.turn() { self.own } else { self.other }
    }

    fn taken(&self) -> u64 {
        self.own | self.other
    }

    /// The lowest free cell of each column with space: adding one to a column carries through its
    /// stones.
    fn landings(&self) -> u64 {
        (self.taken() + FLOOR) & BOARD
    }

    /// The side to move, or the one that would be next.
    fn turn(&self) -> Seat {
        Seat::new((self.taken().count_ones() % 2) as usize)
    }

    /// The owner of a cell, counted from 0 through the rows from the top.
    fn owner(&self, cell: usize) -> Option<Seat> {
        match bit(cell) {
            bit if self.own & bit != 0 => Some(self.turn()),
            bit if self.other & bit != 0 => Some(self.turn().other()),
            _ => None,
        }
    }
}

/// Upwards, to the right, and along the two diagonals.
const STEPS: [u32; 4] = [1, 7, 6, 8];

/// The first cells of the lines of four with this step.
fn lines(stones: u64, step: u32) -> u64 {
    let pairs = stones & stones >> step;
    pairs & pairs >> (2 * step)
}

fn has_line(stones: u64) -> bool {
    STEPS.iter().any(|step| lines(stones, *step) != 0)
}

/// The cells of all lines of four.
fn in_lines(stones: u64) -> u64 {
    let of = |step: u32| {
        let first = lines(stones, step);
        first | first << step | first << (2 * step) | first << (3 * step)
    };
    STEPS.iter().fold(0, |all, step| all | of(*step))
}

impl Position for Grid {
    type Move = DropColumn;
    type Undo = DropUndo;

    fn status(&self) -> Status<Ending> {
        if self.won {
            Status::Over(Ending::Win(self.turn().other(), "four in a line"))
        } else if self.taken() == BOARD {
            Status::Over(Ending::Draw("the board is full"))
        } else {
            Status::ToMove(self.turn())
        }
    }

    /// The columns with space, from the left.
    fn moves(&self, moves: &mut Vec<DropColumn>) {
        moves.clear();
        if !self.won {
            moves.extend((0..7).map(DropColumn).filter(|column| self.landings() & column.cells() != 0));
        }
    }

    fn count(&self, _: &mut Vec<DropColumn>) -> u64 {
        if self.won { 0 } else { self.landings().count_ones().into() }
    }

    fn parse(&self, text: &str) -> Result<DropColumn, Refusal> {
        let column = match text.as_bytes() {
            [digit @ b'1'..=b'7'] => DropColumn(digit - b'1'),
            [b'0' | b'8' | b'9'] => {
                return Err(Refusal::illegal(format!("there is no column {text}: columns go from 1 to 7")));
            }
            _ => {
                return Err(Refusal::unreadable(format!(
                    "a move is the number of a column, 1 to 7; this is {}",
                    quoted(text)
                )));
            }
        };
        if self.won {
            Err(Refusal::illegal("the game is over"))
        } else if self.landings() & column.cells() == 0 {
            Err(Refusal::illegal(format!("column {column} is full")))
        } else {
            Ok(column)
        }
    }

    fn play(&mut self, column: DropColumn) -> DropUndo {
        let cell = self.landings() & column.cells();
        (self.own, self.other) = (self.other, self.own | cell);
        self.won = has_line(self.other);
        DropUndo(cell)
    }

    fn undo(&mut self, DropUndo(cell): DropUndo) {
        (self.own, self.other) = (self.other & !cell, self.own);
        // A position from which a move was played was not won.
        self.won = false;
    }

    fn score(&self, seat: Seat) -> i32 {
        i32::from(self.won && seat != self.turn())
    }

    /// The rows from the top joined by `/`.
    fn text(&self) -> String {
        ROWS.write(|cell| self.owner(cell))
    }

    /// Columns, rows and 4 for the line, `7 6 4`, then one line per row from the top.
    fn board(&self) -> String {
        format!("7 6 4\n{}\n", self.text().replace('/', "\n"))
    }

    /// The rows from the top, with the numbers of the columns below.
    fn draw(&self) -> String {
        let rows = self.text().replace('/', "\n") + "\n1234567\n";
        rows.lines()
            .map(|row| row.chars().flat_map(|cell| [' ', cell]).chain(['\n']).collect::<String>())
            .collect()
    }

    /// The rows from the top, with the numbers of the columns below.
    fn diagram(&self) -> Option<Diagram> {
        let number = |column: usize| (column + 1).to_string();
        let cells = CellPlane {
            columns: 7,
            rows: 6,
            shape: SlotShape::Round,
            across: &number,
            below: true,
            down: None,
        };
        Some(cells.diagram(|column, row| format!("column {} row {}", column + 1, 6 - row)))
    }

    fn contents(&self) -> Vec<SlotContent> {
        (0..CELLS).map(|cell| self.owner(cell).into()).collect()
    }

    /// A stone falls from the top of its column.
    fn frame(&self, column: DropColumn) -> Frame {
        let mut after = *self;
        let DropUndo(landing) = after.play(column);
        let row = in_lines(after.other);
        let cells = |bits: u64| (0..CELLS).filter(move |cell| bits & bit(*cell) != 0);
        let landing = cells(landing).next().expect("a legal column has space");
        Frame {
            row: cells(row).collect(),
            caption: format!("{} drops a stone into column {column}", SEATS[self.turn().index()]),
            ..Frame::entering(self.turn(), column.index(), landing)
        }
    }
}

/// The bit of a cell, counted from 0 through the rows from the top.
fn bit(cell: usize) -> u64 {
    1 << (7 * (cell % 7) + 5 - cell / 7)
}

impl FromStr for Grid {
    type Err = Refusal;

    /// Reads the form of [`Grid::text`](Position::text), or `startpos`.
    fn from_str(text: &str) -> Result<Grid, Refusal> {
        if text == "startpos" {
            return Ok(Grid::default());
        }
        let read = ROWS.read(text)?;
        let mut stones = PerSeat::two(0_u64, 0);
        for &(cell, seat) in &read.cells {
            stones[seat] |= bit(cell);
        }
        let (own, other) = (stones[read.to_move], stones[read.to_move.other()]);
        let taken = own | other;
        let floats = |cell: usize| bit(cell) & (taken << 1 | FLOOR) == 0;
        if let Some(&(cell, _)) = read.cells.iter().find(|(cell, _)| floats(*cell)) {
            return Err(Refusal::unreadable(format!(
                "the stone in row {}, cell {} floats: the cell below it is free",
                cell / 7 + 1,
                cell % 7 + 1
            )));
        }
        let is_top = |bit: u64| other & bit != 0 && taken & bit << 1 == 0;
        let at_once = || (0..42).map(bit).any(|bit| is_top(bit) && !has_line(other & !bit));
        let won = ROWS.won(read.to_move, &stones.map(|_, stones| has_line(*stones)), at_once)?;
        Ok(Grid { own, other, won })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(moves: &str) -> Grid {
        let mut board = Grid::default();
        for text in moves.split_whitespace() {
            let column = board.parse(text).unwrap();
            board.play(column);
        }
        board
    }

    fn unread(text: &str) -> String {
        text.parse::<Grid>().unwrap_err().to_string()
    }

    #[test]
    fn lines_win_in_all_four_directions_and_not_around_the_edge() {
        let won = |seat| Status::Over(Ending::Win(seat, "four in a line"));
        assert_eq!(after("1 2 1 2 1 2 1").status(), won(Seat::FIRST));
        assert_eq!(after("4 4 5 5 6 6 7").status(), won(Seat::FIRST));
        assert_eq!(after("1 2 2 3 3 4 3 4 4 6 4").status(), won(Seat::FIRST));
        assert_eq!(after("6 7 5 6 5 5 3 4 4 4 1 4").status(), won(Seat::SECOND));
        // Two at the top of the first column and two at the bottom of the second are not a line.
        assert_eq!(after("2 1 2 1 1 1 1 7 1").status(), Status::ToMove(Seat::SECOND));
        assert_eq!(after("1 2 1 2 1 2 1").parse("3"), Err(Refusal::illegal("the game is over")));
    }

    #[test]
    fn a_full_board_is_a_draw() {
        let two = "1 2 1 2 2 1 2 1 1 2 1 2";
        let board = after(&format!(
            "{two} {} {} 7 7 7 7 7 7",
            two.replace('1', "3").replace('2', "4"),
            two.replace('1', "5").replace('2', "6")
        ));
        assert_eq!(board.status(), Status::Over(Ending::Draw("the board is full")));
        assert_eq!((board.score(Seat::FIRST), board.score(Seat::SECOND)), (0, 0));
        assert_eq!(board.text().parse(), Ok(board));
    }

    #[test]
    fn moves_are_refused_for_the_reason_they_are_wrong() {
        let refused = |moves, text| after(moves).parse(text).unwrap_err();
        assert_eq!(refused("3 3 3 3 3 3", "3"), Refusal::illegal("column 3 is full"));
        assert_eq!(refused("", "8"), Refusal::illegal("there is no column 8: columns go from 1 to 7"));
        assert_eq!(
            refused("", "h8"),
            Refusal::unreadable("a move is the number of a column, 1 to 7; this is \"h8\"")
        );
    }

    #[test]
    fn a_text_that_no_game_leads_to_is_refused_with_the_place() {
        let rows = |rows: &[&str]| [&["......."; 6][rows.len()..], rows].concat().join("/");
        assert_eq!(rows(&["X......"]), after("1").text());
        assert_eq!(after("1").board(), "7 6 4\n.......\n.......\n.......\n.......\n.......\nX......\n");
        assert_eq!(
            unread(&rows(&["X......", "......."])),
            "the stone in row 5, cell 1 floats: the cell below it is free"
        );
        assert_eq!(unread(&rows(&["XXXXOO.O"])), "row 6 has 8 cells and should have 7");
        assert_eq!(unread(&rows(&["X..?..."])), "row 6, cell 4 is '?'; a cell is X, O or .");
        assert_eq!(
            unread(&rows(&["O......", "OX.X...", "OX.X...", "OX.X..."])),
            "X has 6 and O has 4 on the board; X begins, so it has as many or one more"
        );
        assert_eq!(
            unread(&rows(&["XXXXOOO", "OOOXXXO"])),
            "X has a line, so the game was over before O made the last move"
        );
    }

    #[test]
    fn a_line_with_stones_on_top_of_it_was_not_made_last() {
        assert_eq!(
            unread("......./......./......./......./OOOX.../XXXXO.."),
            "X has lines that no single last move can have made"
        );
    }

    #[test]
    fn the_rules_name_themselves_and_take_no_options() {
        assert_eq!("".parse::<ConnectFour>().map(|rules| rules.spec()), Ok("connect4".to_owned()));
        assert_eq!(
            "8x8".parse::<ConnectFour>().unwrap_err().to_string(),
            "connect4 takes no options; this is \"8x8\""
        );
        let mut game = ConnectFour.start(7);
        assert_eq!(game.play(b"X,4").unwrap().text, "X,4");
        assert_eq!(ConnectFour.resume(&game.text()).unwrap().text(), game.text());
    }
}
