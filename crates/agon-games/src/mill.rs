//! Mill: four in a line in a cube of 4x4x4, where every ball falls to the lowest free cell of its
//! column.
//!
//! A cell is a bit: bit 0 is x=1, y=1, z=1; x counts ones, y fours, z sixteens. So the cells of a
//! column are sixteen bits apart, and a free cell is playable if the bit sixteen below is taken.
//!
//! The score of a seat is 1 if it has won and 0 otherwise.

use std::fmt;
use std::str::FromStr;

use super::stones::{BadOptions, Layout, no_options};
use crate::{About, GameCard, points};
use crate::{Ending, Game, GameFile, PerSeat, Position, Refereed, Refusal, Rules, Seat, Status};
use agon_diagram::{Diagram, Frame, SlotContent, SlotShape, planes};
use agon_printable::quoted;

const SEATS: &[&str] = &["W", "B"];

const PLANES: Layout = Layout { group: "plane", groups: 4, cells: 16, signs: "12", seats: SEATS };

/// The same cells in the form of the file `board`, one line per row.
const ROWS: Layout = Layout { group: "row", groups: 16, cells: 4, ..PLANES };

/// The cells of plane 1, which need no ball below them.
const FLOOR: u64 = 0xffff;

/// From a cell to the one above.
const UP: u32 = 16;

/// The straight lines of four cells. Bit 0 is x=1, y=1, z=1; x counts ones, y fours, z sixteens.
pub const LINES: [u64; 76] = lines();

/// The lines through each cell, four or seven of them; the first one fills the rest.
const THROUGH: [[u64; 7]; 64] = lines_through();

const fn lines() -> [u64; 76] {
    let mut lines = [0; 76];
    let mut found = 0;
    let mut start = 0;
    while start < 64 {
        let (x, y, z) = (start % 4, start / 4 % 4, start / 16);
        let mut way = 0;
        while way < 27 {
            let (dx, dy, dz) = (way % 3 - 1, way / 3 % 3 - 1, way / 9 - 1);
            // Each line is met from both of its ends. The later half of the directions, after the
            // null direction, takes each of them once.
            if way > 13 && spans(x, dx) && spans(y, dy) && spans(z, dz) {
                let step = dx + 4 * dy + 16 * dz;
                lines[found] =
                    1 << start | 1 << (start + step) | 1 << (start + 2 * step) | 1 << (start + 3 * step);
                found += 1;
            }
            way += 1;
        }
        start += 1;
    }
    assert!(found == 76, "a cube of 4x4x4 has 76 lines");
    lines
}

/// Whether three steps from this coordinate stay within 0..4.
const fn spans(from: i32, step: i32) -> bool {
    let end = from + 3 * step;
    0 <= end && end < 4
}

const fn lines_through() -> [[u64; 7]; 64] {
    let mut through = [[0; 7]; 64];
    let mut cell = 0;
    while cell < 64 {
        let mut found = 0;
        let mut line = 0;
        while line < LINES.len() {
            if LINES[line] >> cell & 1 == 1 {
                through[cell][found] = LINES[line];
                found += 1;
            }
            line += 1;
        }
        while found < 7 {
            through[cell][found] = through[cell][0];
            found += 1;
        }
        cell += 1;
    }
    through
}

/// The description for people.
pub(super) const ABOUT: About = About {
    card: GameCard {
        name: "Mill",
        aim: "Drop balls into a cube of four by four columns; four of yours in a line win.",
    },
    title: "Mill: four in a line in a cube of 4x4x4, with gravity",
    rules: "\
W begins. In turn each drops a ball into one of the 16 columns, where it falls to the lowest free cell. Who \
first has four balls in one of the 76 straight lines (along an edge, across a face or through the cube) has \
won. The 64th ball without a line is a draw. A column that does not exist or is full is illegal.",
    moves: "\
The column's x and y, two digits from 1 to 4: W,32 is x=3, y=2. The interface of 1997 answers with a number \
instead, x in the low byte and y in the high one: x=3, y=4 is 1027 (agon position notation mill 34).",
    position: "\
The planes z=1 to 4 from the bottom, joined by /; each has 16 cells, the rows y=1 to 4 of x=1 to 4: 1 for W, 2 \
for B, . for a free cell. Whose move it is follows from the numbers of balls.",
    score: "1 for the winner and 0 otherwise; a result is 1-0, 0-1 or 1/2-1/2.",
    result: points,
};

/// The rules of mill. They have no options.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Mill;

impl FromStr for Mill {
    type Err = BadOptions;

    /// Reads the text after the colon of `--game`, which must be empty.
    fn from_str(text: &str) -> Result<Self, BadOptions> {
        no_options("mill", text).map(|()| Mill)
    }
}

impl Rules for Mill {
    fn spec(&self) -> String {
        "mill".to_owned()
    }

    fn seats(&self) -> &'static [&'static str] {
        SEATS
    }

    /// The dimensions in the form of the letter cube, so that an engine's arguments look the same
    /// in both.
    fn settings(&self) -> Vec<(&'static str, String)> {
        ["rows", "columns", "planes"].map(|name| (name, "4".to_owned())).to_vec()
    }

    fn supplies(&self) -> Vec<GameFile> {
        Vec::new()
    }

    /// The empty cube, for every seed.
    fn start(&self, _: u64) -> Box<dyn Game> {
        Box::new(Refereed::new(MillCube::default(), SEATS))
    }

    fn resume(&self, text: &str) -> Result<Box<dyn Game>, Refusal> {
        Ok(Box::new(Refereed::new(text.parse::<MillCube>()?, SEATS)))
    }
}

/// A column of the cube, into which a ball falls: a move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Pole(u8);

impl Pole {
    /// The column with this x and y, both from 1 to 4.
    fn at(x: u32, y: u32) -> Option<Pole> {
        let on_board = (1..=4).contains(&x) && (1..=4).contains(&y);
        on_board.then(|| Pole((x - 1 + 4 * (y - 1)) as u8))
    }

    /// Its x, from 1 to 4.
    pub fn x(self) -> u8 {
        self.0 % 4 + 1
    }

    /// Its y, from 1 to 4.
    pub fn y(self) -> u8 {
        self.0 / 4 + 1
    }

    /// The answer in the interface of 1997: X in the low byte, Y in the high byte. x=3, y=4 is
    /// 1027.
    pub fn word(self) -> u16 {
        u16::from_le_bytes([self.x(), self.y()])
    }

    /// The column of an answer in the interface of 1997.
    ///
    /// # Errors
    /// [`Refusal::Illegal`] if the cube has no such column. Every number has an x and a y.
    pub fn from_word(word: u16) -> Result<Pole, Refusal> {
        let [x, y] = word.to_le_bytes();
        Pole::at(x.into(), y.into()).ok_or_else(|| {
            Refusal::illegal(format!(
                "{word} is x={x}, y={y}, and there is no such column: x and y go from 1 to 4"
            ))
        })
    }

    /// All its cells.
    fn cells(self) -> u64 {
        0x0001_0001_0001_0001 << self.0
    }
}

impl fmt::Display for Pole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.x(), self.y())
    }
}

/// The cell that was filled last.
#[derive(Clone, Copy, Debug)]
pub struct PoleUndo(u64);

/// A position. The default is the empty cube.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct MillCube {
    /// The balls of the side to move.
    own: u64,
    /// The balls of the side that moved last, the only one that can have a line.
    other: u64,
    /// Whether that side has a line.
    won: bool,
}

impl MillCube {
    /// The balls of a seat, one bit per cell, as in [`LINES`].
    pub fn balls(&self, seat: Seat) -> u64 {
        if seat == self.turn() { self.own } else { self.other }
    }

    fn taken(&self) -> u64 {
        self.own | self.other
    }

    /// The lowest free cell of each column with space.
    fn landings(&self) -> u64 {
        !self.taken() & (self.taken() << UP | FLOOR)
    }

    /// The side to move, or the one that would be next.
    fn turn(&self) -> Seat {
        Seat::new((self.taken().count_ones() % 2) as usize)
    }

    fn owner(&self, cell: usize) -> Option<Seat> {
        if self.own >> cell & 1 == 1 {
            Some(self.turn())
        } else if self.other >> cell & 1 == 1 {
            Some(self.turn().other())
        } else {
            None
        }
    }
}

fn has_line(balls: u64) -> bool {
    LINES.iter().any(|line| balls & line == *line)
}

impl Position for MillCube {
    type Move = Pole;
    type Undo = PoleUndo;

    fn status(&self) -> Status<Ending> {
        if self.won {
            Status::Over(Ending::Win(self.turn().other(), "four in a line"))
        } else if self.taken() == u64::MAX {
            Status::Over(Ending::Draw("the board is full"))
        } else {
            Status::ToMove(self.turn())
        }
    }

    /// The columns 11, 21, 31, 41, 12, ... with space.
    fn moves(&self, moves: &mut Vec<Pole>) {
        moves.clear();
        if self.won {
            return;
        }
        // The top cell is free exactly if the column has space.
        let mut open = !self.taken() >> (3 * UP);
        while open != 0 {
            moves.push(Pole(open.trailing_zeros() as u8));
            open &= open - 1;
        }
    }

    fn count(&self, _: &mut Vec<Pole>) -> u64 {
        if self.won { 0 } else { self.landings().count_ones().into() }
    }

    fn parse(&self, text: &str) -> Result<Pole, Refusal> {
        let &[x @ b'0'..=b'9', y @ b'0'..=b'9'] = text.as_bytes() else {
            return Err(Refusal::unreadable(format!(
                "a move is the x and the y of a column, two digits like 32; this is {}",
                quoted(text)
            )));
        };
        let Some(column) = Pole::at((x - b'0').into(), (y - b'0').into()) else {
            return Err(Refusal::illegal(format!("there is no column {text}: x and y go from 1 to 4")));
        };
        if self.won {
            Err(Refusal::illegal("the game is over"))
        } else if column.cells() & self.landings() == 0 {
            Err(Refusal::illegal(format!("column {column} is full")))
        } else {
            Ok(column)
        }
    }

    fn play(&mut self, column: Pole) -> PoleUndo {
        let cell = self.landings() & column.cells();
        let balls = self.own | cell;
        (self.own, self.other) = (self.other, balls);
        self.won = THROUGH[cell.trailing_zeros() as usize].iter().any(|line| balls & line == *line);
        PoleUndo(cell)
    }

    fn undo(&mut self, PoleUndo(cell): PoleUndo) {
        (self.own, self.other) = (self.other & !cell, self.own);
        // A position from which a move was played was not won.
        self.won = false;
    }

    fn score(&self, seat: Seat) -> i32 {
        i32::from(self.won && seat != self.turn())
    }

    /// The planes from z=1 joined by `/`, each with the rows y=1..4 of x=1..4: `1` for White, `2`
    /// for Black.
    fn text(&self) -> String {
        PLANES.write(|cell| self.owner(cell))
    }

    /// The dimensions `4 4 4`, then one line per row, plane by plane from z=1.
    fn board(&self) -> String {
        format!("4 4 4\n{}\n", ROWS.write(|cell| self.owner(cell)).replace('/', "\n"))
    }

    /// The planes side by side, the lowest first, x to the right and y downwards.
    fn draw(&self) -> String {
        let cell = |x: usize, y: usize, z: usize| match self.owner(x + 4 * y + 16 * z) {
            Some(seat) => SEATS[seat.index()],
            None => ".",
        };
        let mut lines =
            vec!["  z=1          z=2          z=3          z=4".to_owned(), ["y\\x 1 2 3 4"; 4].join("  ")];
        for y in 0..4 {
            let planes: Vec<String> = (0..4)
                .map(|z| format!("  {} {}", y + 1, [0, 1, 2, 3].map(|x| cell(x, y, z)).join(" ")))
                .collect();
            lines.push(planes.join("  "));
        }
        lines.join("\n") + "\n"
    }

    /// The planes side by side, the lowest first, x to the right and y downwards.
    fn diagram(&self) -> Option<Diagram> {
        planes([4, 4, 4], ['x', 'y'], SlotShape::Round)
    }

    fn contents(&self) -> Vec<SlotContent> {
        (0..64).map(|cell| self.owner(cell).into()).collect()
    }

    /// A ball falls from the top of its column.
    fn frame(&self, column: Pole) -> Frame {
        let mut after = *self;
        let PoleUndo(landing) = after.play(column);
        let landing = landing.trailing_zeros() as usize;
        let balls = after.other;
        let row =
            THROUGH[landing].iter().filter(|line| balls & *line == **line).fold(0, |all, line| all | line);
        let (x, y, z) = (column.x(), column.y(), landing / 16 + 1);
        Frame {
            row: (0..64).filter(|cell| row >> cell & 1 == 1).collect(),
            caption: format!("{} drops a ball to x={x} y={y} z={z}", SEATS[self.turn().index()]),
            ..Frame::entering(self.turn(), usize::from(column.0) + 48, landing)
        }
    }

    fn number(&self, column: Pole) -> Option<u16> {
        Some(column.word())
    }

    fn parse_number(&self, number: u16) -> Result<Pole, Refusal> {
        self.parse(&Pole::from_word(number)?.to_string())
    }
}

impl FromStr for MillCube {
    type Err = Refusal;

    /// Reads the form of [`MillCube::text`](Position::text), or `startpos`.
    fn from_str(text: &str) -> Result<MillCube, Refusal> {
        if text == "startpos" {
            return Ok(MillCube::default());
        }
        let stones = PLANES.read(text)?;
        let mut balls = PerSeat::two(0_u64, 0);
        for (cell, seat) in stones.cells {
            balls[seat] |= 1 << cell;
        }
        let (own, other) = (balls[stones.to_move], balls[stones.to_move.other()]);
        let taken = own | other;
        let floating = taken & !(taken << UP | FLOOR);
        if floating != 0 {
            let cell = floating.trailing_zeros();
            let (x, y, z) = (cell % 4 + 1, cell / 4 % 4 + 1, cell / 16 + 1);
            return Err(Refusal::unreadable(format!(
                "the ball at x={x}, y={y}, z={z} floats: the cell below it is free"
            )));
        }
        let tops = other & !(taken >> UP);
        let at_once = || bits(tops).any(|top| !has_line(other & !top));
        let won = PLANES.won(stones.to_move, &balls.map(|_, balls| has_line(*balls)), at_once)?;
        Ok(MillCube { own, other, won })
    }
}

/// The single bits of a set.
fn bits(set: u64) -> impl Iterator<Item = u64> {
    (0..64).map(|bit| 1 << bit).filter(move |bit| set & bit != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perft::{divide, perft};

    fn after(moves: &str) -> MillCube {
        let mut cube = MillCube::default();
        for text in moves.split_whitespace() {
            let column = cube.parse(text).unwrap();
            cube.play(column);
        }
        cube
    }

    fn refused(moves: &str, text: &str) -> Refusal {
        after(moves).parse(text).unwrap_err()
    }

    fn unread(text: &str) -> String {
        text.parse::<MillCube>().unwrap_err().to_string()
    }

    /// The text of a cube with these planes; missing planes are empty.
    fn planes(planes: &[&str]) -> String {
        let mut text = planes.join("/");
        for _ in planes.len()..4 {
            text += "/................";
        }
        text
    }

    #[test]
    fn a_division_adds_up_and_lists_every_first_move() {
        let parts = divide(&mut MillCube::default(), 4);
        assert_eq!(parts.len(), 16);
        assert_eq!(parts.iter().map(|(_, number)| number).sum::<u64>(), 65536);
        assert_eq!(parts[0].0.to_string(), "11");
        assert_eq!(divide(&mut MillCube::default(), 0), []);
    }

    #[test]
    fn each_of_the_76_lines_wins() {
        let mut different = LINES.to_vec();
        different.sort_unstable();
        different.dedup();
        assert_eq!(different.len(), 76);
        assert!(LINES.iter().all(|line| line.count_ones() == 4));
        // Eight corners and eight inner cells have seven lines each, all others four.
        let many = (0..64).filter(|cell| LINES.iter().filter(|line| *line >> cell & 1 == 1).count() == 7);
        assert_eq!(many.count(), 16);
        for (cell, lines) in THROUGH.iter().enumerate() {
            let through: Vec<u64> = LINES.into_iter().filter(|line| line >> cell & 1 == 1).collect();
            assert!(through.iter().all(|line| lines.contains(line)), "cell {cell}");
            assert!(lines.iter().all(|line| through.contains(line)), "cell {cell}");
        }
    }

    #[test]
    fn the_first_wins_come_at_ply_7() {
        let winner = |moves| after(moves).status();
        assert_eq!(winner("11 12 21 22 31 32"), Status::ToMove(Seat::FIRST));
        assert_eq!(winner("11 12 21 22 31 32 41"), Status::Over(Ending::Win(Seat::FIRST, "four in a line")));
        assert_eq!(winner("11 12 11 22 11 32 11"), Status::Over(Ending::Win(Seat::FIRST, "four in a line")));
        let black = after("44 11 43 11 42 11 33 11");
        assert_eq!(black.status(), Status::Over(Ending::Win(Seat::SECOND, "four in a line")));
        assert_eq!((black.score(Seat::FIRST), black.score(Seat::SECOND)), (0, 1));
        assert_eq!(black.parse("11"), Err(Refusal::illegal("the game is over")));
    }

    #[test]
    fn the_last_ball_can_draw_and_can_win() {
        let last_ball = |text: &str| {
            let mut cube: MillCube = text.parse().unwrap();
            cube.play(cube.parse("44").unwrap());
            assert_eq!(cube.text().parse(), Ok(cube));
            cube.status()
        };
        assert_eq!(
            last_ball("1112122121111112/2212212212121121/2121112112212212/212122122211122."),
            Status::Over(Ending::Draw("the board is full"))
        );
        assert_eq!(
            last_ball("1121212221112212/2211211122211222/1212121112222112/112112112211122."),
            Status::Over(Ending::Win(Seat::SECOND, "four in a line"))
        );
    }

    #[test]
    fn moves_are_refused_for_the_reason_they_are_wrong() {
        let full = "32 32 32 32";
        assert_eq!(refused(full, "32"), Refusal::illegal("column 32 is full"));
        assert_eq!(refused("", "52"), Refusal::illegal("there is no column 52: x and y go from 1 to 4"));
        assert_eq!(refused("", "30"), Refusal::illegal("there is no column 30: x and y go from 1 to 4"));
        assert_eq!(
            refused("", "h8"),
            Refusal::unreadable("a move is the x and the y of a column, two digits like 32; this is \"h8\"")
        );
        for text in ["", "3", "321", "3,2", "a1", " 32", "32 ", "+3", "P", "3-4", "\u{663}\u{662}"] {
            assert!(matches!(refused("", text), Refusal::Unreadable(_)), "{text:?}");
        }
    }

    #[test]
    fn a_ball_falls_to_the_lowest_free_cell() {
        assert_eq!(after("32 32 14").text(), planes(&["......1.....1...", "......2........."]));
        assert_eq!(
            after("32 32 14").board(),
            format!("4 4 4\n....\n..1.\n....\n1...\n....\n..2.\n{}", "....\n".repeat(10))
        );
    }

    #[test]
    fn a_text_that_no_game_leads_to_is_refused_with_the_place() {
        assert_eq!(unread("1......"), "plane 1 has 7 cells and should have 16");
        assert_eq!(unread(&planes(&["................."])), "plane 1 has 17 cells and should have 16");
        assert_eq!(
            unread("................/................"),
            "there are 2 planes joined by `/` and should be 4"
        );
        assert_eq!(unread(&planes(&["1....x.........."])), "plane 1, cell 6 is 'x'; a cell is 1, 2 or .");
        assert_eq!(
            unread(&planes(&["11.............."])),
            "W has 2 and B has 0 on the board; W begins, so it has as many or one more"
        );
        assert_eq!(
            unread(&planes(&["2..............."])),
            "W has 0 and B has 1 on the board; W begins, so it has as many or one more"
        );
        assert_eq!(
            unread(&planes(&["1...............", ".2.............."])),
            "the ball at x=2, y=1, z=2 floats: the cell below it is free"
        );
        assert_eq!(
            unread(&planes(&["1111222.2......."])),
            "W has a line, so the game was over before B made the last move"
        );
        assert_eq!(
            unread(&planes(&["11112222........"])),
            "W and B both have a line; the first one ended the game"
        );
        assert_eq!(
            unread(&planes(&["11111111222.222.", "2..............."])),
            "W has lines that no single last move can have made"
        );
    }

    #[test]
    fn a_line_with_balls_on_top_of_it_was_not_made_last() {
        assert_eq!(
            unread(&planes(&["11112...........", "2221............"])),
            "W has lines that no single last move can have made"
        );
    }

    #[test]
    fn a_won_position_reads_back_as_won() {
        let won: MillCube = planes(&["1111222........."]).parse().unwrap();
        assert_eq!(won.status(), Status::Over(Ending::Win(Seat::FIRST, "four in a line")));
        assert_eq!("startpos".parse(), Ok(MillCube::default()));
    }

    #[test]
    fn the_number_of_1997_has_x_low_and_y_high() {
        let column = after("").parse("34").unwrap();
        assert_eq!((column.x(), column.y(), column.word()), (3, 4, 1027));
        assert_eq!(Pole::from_word(1027), Ok(column));
        assert_eq!(
            Pole::from_word(0x0501),
            Err(Refusal::illegal("1281 is x=1, y=5, and there is no such column: x and y go from 1 to 4"))
        );
        let mut moves = Vec::new();
        MillCube::default().moves(&mut moves);
        assert!(moves.iter().all(|column| Pole::from_word(column.word()) == Ok(*column)));
    }

    #[test]
    fn the_rules_name_themselves_and_take_no_options() {
        assert_eq!("".parse::<Mill>().map(|mill| mill.spec()), Ok("mill".to_owned()));
        assert_eq!("5x5".parse::<Mill>().unwrap_err().to_string(), "mill takes no options; this is \"5x5\"");
        let mut game = Mill.start(7);
        assert_eq!(game.play(b"W,32").unwrap().text, "W,32");
        assert_eq!(Mill.resume(&game.text()).unwrap().text(), game.text());
        assert!(Mill.resume("mill").is_err());
    }

    /// A second implementation, simple and slow: cells in an array, lines walked from every ball.
    #[derive(Clone, Default)]
    struct Naive([[[u8; 4]; 4]; 4]);

    impl Naive {
        fn sequences(&self, mover: u8, depth: u32) -> u64 {
            if depth == 0 {
                return 1;
            }
            let mut found = 0;
            for (x, y) in (0..16).map(|column| (column / 4, column % 4)) {
                let Some(z) = (0..4).find(|z| self.0[x][y][*z] == 0) else { continue };
                let mut next = self.clone();
                next.0[x][y][z] = mover;
                if depth == 1 || !next.has_line(mover) {
                    found += next.sequences(3 - mover, depth - 1);
                }
            }
            found
        }

        fn has_line(&self, who: u8) -> bool {
            let steps =
                || (-1..=1).flat_map(|a| (-1..=1).flat_map(move |b| (-1..=1).map(move |c| [a, b, c])));
            let cells = || (0..4).flat_map(|a| (0..4).flat_map(move |b| (0..4).map(move |c| [a, b, c])));
            cells().any(|cell: [i32; 3]| {
                steps().filter(|step| *step != [0, 0, 0]).any(|step: [i32; 3]| {
                    (0..4).all(|n| {
                        let at = [0, 1, 2].map(|axis| cell[axis] + n * step[axis]);
                        at.iter().all(|place| (0..4).contains(place))
                            && self.0[at[0] as usize][at[1] as usize][at[2] as usize] == who
                    })
                })
            })
        }
    }

    /// From positions close to a win, where a wrong line shows within two plies.
    #[test]
    fn another_program_counts_the_same_sequences() {
        assert_eq!(Naive::default().sequences(1, 4), 65536);
        let mut cube = MillCube::default();
        let mut naive = Naive::default();
        let mut moves = Vec::new();
        let mut random: u32 = 1997;
        let mut cut_short = 0;
        for ply in 0..2000 {
            cube.moves(&mut moves);
            if moves.is_empty() {
                (cube, naive) = (MillCube::default(), Naive::default());
                continue;
            }
            let mover = 1 + cube.turn().index() as u8;
            let number = perft(&mut cube, 2);
            assert_eq!(number, naive.sequences(mover, 2), "ply {ply}: {}", cube.text());
            cut_short += u32::from(number < 200);
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let column = moves[(random >> 16) as usize % moves.len()];
            let (x, y) = (usize::from(column.x()) - 1, usize::from(column.y()) - 1);
            let z = (0..4).find(|z| naive.0[x][y][*z] == 0).unwrap();
            naive.0[x][y][z] = mover;
            cube.play(column);
        }
        assert!(cut_short > 100, "the random games come near their ends");
    }
}
