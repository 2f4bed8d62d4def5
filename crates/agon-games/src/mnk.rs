//! m,n,k tic-tac-toe: k or more in a straight line on m columns and n rows.
//!
//! A board has one word of bits for each row and side, with a rim of empty cells around it. So a
//! run of stones ends at the edge without a check.
//!
//! The score of a seat is 1 if it has won and 0 otherwise.

use std::fmt;
use std::str::FromStr;

use super::stones::{BadOptions, Layout, quoted};
use crate::diagram::{CellPlane, Diagram, Frame, SlotContent, SlotShape};
use crate::{About, points};
use crate::{Ending, Game, GameFile, PerSeat, Position, Refereed, Refusal, Rules, Seat, Status};

/// The longest side a board may have.
const LONGEST: u8 = 20;

/// The description for people.
pub(super) const ABOUT: About = About {
    title: "m,n,k games: k in a line on m columns and n rows (tic-tac-toe, gomoku)",
    rules: "\
X begins, unless the option first=O says otherwise. In turn each puts a mark on a free cell. Who first has k or \
more of them in a straight line (along a row, a column or a diagonal) has won. A full board is a draw. A board \
has 1 to 20 columns and rows, and k goes from 1 to the longer side.",
    moves: "The column's letter and the row's number, a1 at the bottom left: X,h8. Columns are a to t.",
    position: "\
The rows from the top, joined by /: X, O, or . for a free cell. Whose move it is follows from the numbers of \
marks.",
    score: "1 for the winner and 0 otherwise; a result is 1-0, 0-1 or 1/2-1/2.",
    result: points,
};

/// The mark of a side.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mark {
    /// `X`
    X,
    /// `O`
    O,
}

/// The rules of an m,n,k game. The default is tic-tac-toe, `3x3,3`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Mnk {
    columns: u8,
    rows: u8,
    k: u8,
    first: Mark,
}

impl Default for Mnk {
    fn default() -> Self {
        Mnk { columns: 3, rows: 3, k: 3, first: Mark::X }
    }
}

impl Mnk {
    /// The game of `k` or more in a line on this many columns and rows, begun by `first`.
    ///
    /// # Errors
    /// `BadOptions` unless both sides are from 1 to 20 and `k` is from 1 to the longer one.
    pub fn new(columns: u32, rows: u32, k: u32, first: Mark) -> Result<Mnk, BadOptions> {
        let longer = columns.max(rows);
        let side = |name, length: u32| match u8::try_from(length) {
            Ok(length @ 1..=LONGEST) => Ok(length),
            _ => Err(BadOptions(format!("{length} {name}: a board has 1 to {LONGEST}"))),
        };
        let (columns, rows) = (side("columns", columns)?, side("rows", rows)?);
        match u8::try_from(k) {
            Ok(k) if (1..=longer).contains(&k.into()) => Ok(Mnk { columns, rows, k, first }),
            _ => Err(BadOptions(format!(
                "a line of {k}: on {columns}x{rows} it may be 1 to {longer}, the longer side"
            ))),
        }
    }

    /// The number of columns.
    pub fn columns(self) -> u8 {
        self.columns
    }

    /// The number of rows.
    pub fn rows(self) -> u8 {
        self.rows
    }

    /// The length of a line that wins.
    pub fn k(self) -> u8 {
        self.k
    }

    /// The empty board.
    pub fn board(self) -> MnkBoard {
        MnkBoard { rules: self, first: Stones::default(), second: Stones::default(), plies: 0, won: false }
    }

    /// Reads the form of [`MnkBoard::text`](Position::text), or `startpos`.
    ///
    /// # Errors
    /// [`Refusal::Unreadable`], with the place in the text and what is wrong there.
    pub fn read(self, text: &str) -> Result<MnkBoard, Refusal> {
        let mut board = self.board();
        if text == "startpos" {
            return Ok(board);
        }
        let stones = self.layout().read(text)?;
        board.plies = u16::try_from(stones.cells.len()).expect("a board has at most 400 cells");
        for &(cell, seat) in &stones.cells {
            board.stones_mut(seat).flip(self.cell(cell));
        }
        let lines = PerSeat::from_fn(2, |seat| board.stones(seat).has_line(self.k));
        let last = *board.stones(stones.to_move.other());
        let at_once = || last.cells().any(|cell| !last.without(cell).has_line(self.k));
        board.won = self.layout().won(stones.to_move, &lines, at_once)?;
        Ok(board)
    }

    fn seat_names(self) -> &'static [&'static str] {
        match self.first {
            Mark::X => &["X", "O"],
            Mark::O => &["O", "X"],
        }
    }

    fn layout(self) -> Layout {
        Layout {
            group: "row",
            groups: self.rows.into(),
            cells: self.columns.into(),
            signs: match self.first {
                Mark::X => "XO",
                Mark::O => "OX",
            },
            seats: self.seat_names(),
        }
    }

    /// The cell with this number, counted from 0 through the rows from the top.
    fn cell(self, index: usize) -> MnkCell {
        let (row, column) = (index / usize::from(self.columns), index % usize::from(self.columns));
        MnkCell { column: column as u8 + 1, row: self.rows - row as u8 }
    }

    /// The number of a cell, counted as [`Mnk::cell`] does.
    fn index(self, cell: MnkCell) -> usize {
        usize::from(self.rows - cell.row) * usize::from(self.columns) + usize::from(cell.column) - 1
    }

    fn cells(self) -> u16 {
        u16::from(self.columns) * u16::from(self.rows)
    }
}

impl FromStr for Mnk {
    type Err = BadOptions;

    /// Reads `15x15,5` (columns, rows, k) or `15x15,5,first=O`; an empty text is tic-tac-toe.
    fn from_str(text: &str) -> Result<Self, BadOptions> {
        if text.is_empty() {
            return Ok(Mnk::default());
        }
        let shape = || {
            BadOptions(format!(
                "{} is not an m,n,k game: write COLUMNSxROWS,K like 15x15,5, and ,first=O if O begins",
                quoted(text)
            ))
        };
        let mut parts = text.split(',');
        let (columns, rows) = parts.next().and_then(|size| size.split_once('x')).ok_or_else(shape)?;
        let k = parts.next().ok_or_else(shape)?;
        let first = match (parts.next(), parts.next()) {
            (None | Some("first=X"), None) => Mark::X,
            (Some("first=O"), None) => Mark::O,
            (Some(option), None) => {
                return Err(BadOptions(format!(
                    "{} is not an option: first=X or first=O is",
                    quoted(option)
                )));
            }
            (_, Some(_)) => return Err(shape()),
        };
        let number = |name: &str, digits: &str| {
            let only_digits = digits.bytes().all(|byte| byte.is_ascii_digit());
            digits.parse().ok().filter(|_| only_digits).ok_or_else(|| {
                BadOptions(format!("{} is not a number of {name}; they go up to {LONGEST}", quoted(digits)))
            })
        };
        Mnk::new(number("columns", columns)?, number("rows", rows)?, number("stones in a line", k)?, first)
    }
}

impl Rules for Mnk {
    fn spec(&self) -> String {
        let first = match self.first {
            Mark::X => "",
            Mark::O => ",first=O",
        };
        format!("mnk:{}x{},{}{first}", self.columns, self.rows, self.k)
    }

    fn seats(&self) -> &'static [&'static str] {
        self.seat_names()
    }

    /// Columns, rows and k; and the side that begins, but only if it is `O`. So an engine that does
    /// not know the option finds its time at the usual place.
    fn settings(&self) -> Vec<(&'static str, String)> {
        let mut settings: Vec<_> = [("columns", self.columns), ("rows", self.rows), ("k", self.k)]
            .map(|(name, number)| (name, number.to_string()))
            .to_vec();
        if self.first == Mark::O {
            settings.push(("first", "O".to_owned()));
        }
        settings
    }

    fn supplies(&self) -> Vec<GameFile> {
        Vec::new()
    }

    /// The numbers of marks show whose turn it is, but only to an engine that knows who began.
    fn must_ask(&self) -> &'static [&'static str] {
        match self.first {
            Mark::X => &[],
            Mark::O => &["first", "game"],
        }
    }

    /// The empty board, whatever the seed.
    fn start(&self, _: u64) -> Box<dyn Game> {
        Box::new(Refereed::new(self.board(), self.seat_names()))
    }

    fn resume(&self, text: &str) -> Result<Box<dyn Game>, Refusal> {
        Ok(Box::new(Refereed::new(self.read(text)?, self.seat_names())))
    }
}

/// A cell of the board, both counted from 1, row 1 at the bottom: a move, written `h8`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MnkCell {
    column: u8,
    row: u8,
}

impl MnkCell {
    /// The column, from 1 at the left.
    pub fn column(self) -> u8 {
        self.column
    }

    /// The row, from 1 at the bottom.
    pub fn row(self) -> u8 {
        self.row
    }
}

impl fmt::Display for MnkCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", letter(self.column), self.row)
    }
}

/// The letter of a column, counted from 1.
fn letter(column: u8) -> char {
    char::from(b'a' + column - 1)
}

/// The stones of one side: bit `column` of word `row`. Column 0, row 0 and those after the last are
/// rim.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct Stones([u32; LONGEST as usize + 2]);

impl Stones {
    fn flip(&mut self, cell: MnkCell) {
        self.0[usize::from(cell.row)] ^= 1 << cell.column;
    }

    fn without(mut self, cell: MnkCell) -> Self {
        self.flip(cell);
        self
    }

    fn cells(&self) -> impl Iterator<Item = MnkCell> {
        let all = (1..=LONGEST).flat_map(|row| (1..=LONGEST).map(move |column| MnkCell { column, row }));
        all.filter(|cell| self.has(*cell))
    }

    fn has(&self, cell: MnkCell) -> bool {
        self.0[usize::from(cell.row)] >> cell.column & 1 == 1
    }

    fn has_line(&self, k: u8) -> bool {
        self.cells().any(|cell| self.run_through(cell, k))
    }

    /// Whether k or more in a line run through this stone.
    fn run_through(&self, cell: MnkCell, k: u8) -> bool {
        self.runs(cell, k).next().is_some()
    }

    /// The lines of k or more through this stone: the step, and the stones ahead and behind.
    fn runs(&self, cell: MnkCell, k: u8) -> impl Iterator<Item = ((i8, i8), [u8; 2])> {
        // Along the row, up the column, and along the two diagonals.
        let steps = [(1, 0), (0, 1), (1, 1), (-1, 1)].into_iter();
        steps
            .map(move |(dx, dy)| ((dx, dy), [self.beyond(cell, dx, dy), self.beyond(cell, -dx, -dy)]))
            .filter(move |(_, [ahead, behind])| 1 + ahead + behind >= k)
    }

    /// The stones of all these lines. The cell itself comes once for each.
    fn in_runs(&self, cell: MnkCell, k: u8) -> impl Iterator<Item = MnkCell> {
        self.runs(cell, k).flat_map(move |((dx, dy), [ahead, behind])| {
            (-(behind as i8)..=ahead as i8).map(move |steps| MnkCell {
                column: cell.column.wrapping_add_signed(steps * dx),
                row: cell.row.wrapping_add_signed(steps * dy),
            })
        })
    }

    /// The number of adjacent stones from the cell, without it, in this direction.
    fn beyond(&self, cell: MnkCell, dx: i8, dy: i8) -> u8 {
        let mut found = 0;
        let (mut column, mut row) = (cell.column, cell.row);
        loop {
            (column, row) = (column.wrapping_add_signed(dx), row.wrapping_add_signed(dy));
            if !self.has(MnkCell { column, row }) {
                return found;
            }
            found += 1;
        }
    }
}

/// A position of an m,n,k game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MnkBoard {
    rules: Mnk,
    first: Stones,
    second: Stones,
    plies: u16,
    /// Whether the side that moved last has a line.
    won: bool,
}

impl MnkBoard {
    /// The rules of the game.
    pub fn rules(&self) -> Mnk {
        self.rules
    }

    /// The number of stones on the board.
    pub fn plies(&self) -> u16 {
        self.plies
    }

    /// The stones of a seat row by row: bit `column` of word `row`, both from 1. Row 0, column 0,
    /// and those after the last row and column are empty.
    pub fn stone_rows(&self, seat: Seat) -> &[u32; LONGEST as usize + 2] {
        &self.stones(seat).0
    }

    /// The side to move, or the one that would be next.
    fn turn(&self) -> Seat {
        Seat::new(usize::from(self.plies % 2))
    }

    fn stones(&self, seat: Seat) -> &Stones {
        if seat == Seat::FIRST { &self.first } else { &self.second }
    }

    fn owner(&self, cell: MnkCell) -> Option<Seat> {
        [Seat::FIRST, Seat::SECOND].into_iter().find(|seat| self.stones(*seat).has(cell))
    }

    fn stones_mut(&mut self, seat: Seat) -> &mut Stones {
        if seat == Seat::FIRST { &mut self.first } else { &mut self.second }
    }

    /// The free cells of a row as bits.
    fn free(&self, row: u8) -> u32 {
        let cells = ((1 << self.rules.columns) - 1) << 1;
        cells & !(self.first.0[usize::from(row)] | self.second.0[usize::from(row)])
    }
}

impl Position for MnkBoard {
    type Move = MnkCell;
    type Undo = MnkCell;

    fn status(&self) -> Status<Ending> {
        if self.won {
            Status::Over(Ending::Win(self.turn().other(), "a line of k or more"))
        } else if self.plies == self.rules.cells() {
            Status::Over(Ending::Draw("the board is full"))
        } else {
            Status::ToMove(self.turn())
        }
    }

    /// The free cells a1, b1, ... row by row.
    fn moves(&self, moves: &mut Vec<MnkCell>) {
        moves.clear();
        if self.won {
            return;
        }
        for row in 1..=self.rules.rows {
            let mut free = self.free(row);
            while free != 0 {
                moves.push(MnkCell { column: free.trailing_zeros() as u8, row });
                free &= free - 1;
            }
        }
    }

    fn count(&self, _: &mut Vec<MnkCell>) -> u64 {
        if self.won { 0 } else { (self.rules.cells() - self.plies).into() }
    }

    fn parse(&self, text: &str) -> Result<MnkCell, Refusal> {
        let (column, row) = split(text)?;
        let on_board = (1..=self.rules.columns).contains(&column) && (1..=self.rules.rows).contains(&row);
        if !on_board {
            return Err(Refusal::illegal(format!(
                "{text} is off the board: columns a..{}, rows 1..{}",
                letter(self.rules.columns),
                self.rules.rows
            )));
        }
        if self.won {
            Err(Refusal::illegal("the game is over"))
        } else if self.free(row) >> column & 1 == 0 {
            Err(Refusal::illegal(format!("{text} is taken")))
        } else {
            Ok(MnkCell { column, row })
        }
    }

    fn play(&mut self, cell: MnkCell) -> MnkCell {
        let k = self.rules.k;
        let stones = self.stones_mut(self.turn());
        stones.flip(cell);
        self.won = stones.run_through(cell, k);
        self.plies += 1;
        cell
    }

    fn undo(&mut self, cell: MnkCell) {
        self.plies -= 1;
        self.stones_mut(self.turn()).flip(cell);
        // A position from which a move was played was not won.
        self.won = false;
    }

    fn score(&self, seat: Seat) -> i32 {
        i32::from(self.won && seat != self.turn())
    }

    /// The rows from the top joined by `/`.
    fn text(&self) -> String {
        self.rules.layout().write(|index| self.owner(self.rules.cell(index)))
    }

    /// Columns, rows and k, `15 15 5`, then one line per row from the top.
    fn board(&self) -> String {
        let Mnk { columns, rows, k, .. } = self.rules;
        format!("{columns} {rows} {k}\n{}\n", self.text().replace('/', "\n"))
    }

    /// The rows with their numbers, the letters of the columns below.
    fn draw(&self) -> String {
        let Mnk { columns, rows, .. } = self.rules;
        let mut lines: Vec<String> = (1..=rows)
            .rev()
            .zip(self.text().split('/'))
            .map(|(number, row)| format!("{number:>2}{}", spread(row.chars())))
            .collect();
        lines.push(format!("  {}", spread((1..=columns).map(letter))));
        lines.join("\n") + "\n"
    }

    /// The rows with their numbers, the letters of the columns below.
    fn diagram(&self) -> Option<Diagram> {
        let Mnk { columns, rows, .. } = self.rules;
        let name = |column: usize, row: usize| self.rules.cell(row * usize::from(columns) + column);
        let grid = CellPlane {
            columns: columns.into(),
            rows: rows.into(),
            shape: SlotShape::Square,
            across: &|column| letter(name(column, 0).column).to_string(),
            below: true,
            down: Some(&|row| name(0, row).row.to_string()),
        };
        Some(grid.diagram(|column, row| name(column, row).to_string()))
    }

    fn contents(&self) -> Vec<SlotContent> {
        (0..self.rules.cells().into()).map(|index| self.owner(self.rules.cell(index)).into()).collect()
    }

    fn frame(&self, cell: MnkCell) -> Frame {
        let mut after = *self;
        after.play(cell);
        let seat = self.turn();
        let index = self.rules.index(cell);
        let run = after.stones(seat).in_runs(cell, self.rules.k);
        let mut row: Vec<usize> = run.map(|cell| self.rules.index(cell)).collect();
        row.sort_unstable();
        row.dedup();
        Frame {
            row,
            caption: format!("{} puts a mark on {cell}", self.rules.seat_names()[seat.index()]),
            ..Frame::entering(seat, index, index)
        }
    }
}

/// These characters with a space before each.
fn spread(cells: impl Iterator<Item = char>) -> String {
    cells.flat_map(|cell| [' ', cell]).collect()
}

/// The column and the row of a move, both from 1, if any board has them.
fn split(text: &str) -> Result<(u8, u8), Refusal> {
    let unreadable = |why| Refusal::unreadable(format!("{why}; this is {}", quoted(text)));
    let notation = || unreadable("a move is the letter of a column and the number of a row, like h8");
    let (&letter, digits) = text.as_bytes().split_first().ok_or_else(notation)?;
    // No row has three digits, so a long line is refused before it is read.
    if !letter.is_ascii_alphabetic()
        || !(1..=2).contains(&digits.len())
        || !digits.iter().all(u8::is_ascii_digit)
    {
        return Err(notation());
    }
    if digits[0] == b'0' && digits.len() > 1 {
        return Err(unreadable("the number of a row does not begin with 0"));
    }
    let row = digits.iter().fold(0, |row, digit| 10 * row + (digit - b'0'));
    Ok((letter.to_ascii_lowercase() - b'a' + 1, row))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    fn rules(text: &str) -> Mnk {
        text.parse().unwrap()
    }

    fn after(text: &str, moves: &str) -> MnkBoard {
        let mut board = rules(text).board();
        for text in moves.split_whitespace() {
            let cell = board.parse(text).unwrap();
            board.play(cell);
        }
        board
    }

    fn unread(game: &str, text: &str) -> String {
        rules(game).read(text).unwrap_err().to_string()
    }

    /// The number of all games from here, and of the drawn ones among them.
    fn games(board: &mut MnkBoard) -> (u32, u32) {
        if let Some(ending) = board.status().over() {
            return (1, u32::from(matches!(ending, Ending::Draw(_))));
        }
        let mut moves = Vec::new();
        board.moves(&mut moves);
        moves.into_iter().fold((0, 0), |(all, drawn), cell| {
            board.play(cell);
            let (a, d) = games(board);
            board.undo(cell);
            (all + a, drawn + d)
        })
    }

    #[test]
    fn tic_tac_toe_has_255168_games_and_46080_are_drawn() {
        assert_eq!(games(&mut rules("").board()), (255_168, 46080));
    }

    /// Whether this seat wins whatever its opponent plays.
    fn forces(seat: Seat, board: &mut MnkBoard, known: &mut HashMap<(Stones, Stones), bool>) -> bool {
        if let Some(ending) = board.status().over() {
            return matches!(ending, Ending::Win(winner, _) if winner == seat);
        }
        if let Some(forced) = known.get(&(board.first, board.second)) {
            return *forced;
        }
        let (mut free, turn, k) = (Vec::new(), board.turn(), board.rules.k);
        board.moves(&mut free);
        let mut hoped = *board.stones(seat);
        free.iter().for_each(|cell| hoped.flip(*cell));
        let mut after = |cell: &MnkCell| {
            board.play(*cell);
            let forced = forces(seat, board, known);
            board.undo(*cell);
            forced
        };
        let forced = hoped.has_line(k)
            && if turn == seat { free.iter().any(&mut after) } else { free.iter().all(&mut after) };
        known.insert((board.first, board.second), forced);
        forced
    }

    #[test]
    fn small_games_have_their_known_values() {
        let winner = |game| {
            let can = |seat| forces(seat, &mut rules(game).board(), &mut HashMap::new());
            [Seat::FIRST, Seat::SECOND].into_iter().find(|seat| can(*seat))
        };
        for game in ["3x3,3", "4x4,4", "3x2,3", "4x4,4,first=O"] {
            assert_eq!(winner(game), None, "{game}");
        }
        for game in ["4x3,3", "3x4,3", "4x4,3", "2x2,2", "1x1,1"] {
            assert_eq!(winner(game), Some(Seat::FIRST), "{game}");
        }
    }

    #[test]
    fn lines_win_in_all_four_directions_and_may_be_longer_than_k() {
        let won = |seat| Status::Over(Ending::Win(seat, "a line of k or more"));
        assert_eq!(after("15x15,5", "h8 a1 i8 b1 j8 c1 k8 d1 l8").status(), won(Seat::FIRST));
        assert_eq!(after("15x15,5", "a1 o15 a2 o14 a3 o13 a4 o12 c5 o11").status(), won(Seat::SECOND));
        assert_eq!(after("5x4,3", "a1 a2 b2 b3 c3").status(), won(Seat::FIRST));
        assert_eq!(after("5x4,3", "e1 a1 d2 a2 c3").status(), won(Seat::FIRST));
        assert_eq!(after("9x1,3", "a1 d1 b1 g1 e1 i1 c1").status(), won(Seat::FIRST));
        assert_eq!(after("20x20,20", "t20").status(), Status::ToMove(Seat::SECOND));
        assert_eq!(after("20x20,1", "t20").status(), won(Seat::FIRST));
        // The end of one row and the beginning of the next are not neighbours.
        assert_eq!(after("3x3,3", "c1 a1 a2 c3 b2 b3").status(), Status::ToMove(Seat::FIRST));
        // Five and more: the sixth in the middle joins three and two.
        assert_eq!(after("15x15,5", "a1 a3 b1 b3 c1 c3 e1 e3 f1 g3 d1").status(), won(Seat::FIRST));
        let board = after("3x3,3", "a1 b2 a2 b1 a3");
        assert_eq!((board.score(Seat::FIRST), board.score(Seat::SECOND)), (1, 0));
    }

    #[test]
    fn a_full_board_is_a_draw_unless_its_last_stone_wins() {
        assert_eq!(
            after("3x3,3", "a1 b2 c3 c2 a2 a3 c1 b1 b3").status(),
            Status::Over(Ending::Draw("the board is full"))
        );
        let won = after("3x3,3", "a1 b1 b2 a2 a3 b3 c2 c1 c3");
        assert_eq!(won.status(), Status::Over(Ending::Win(Seat::FIRST, "a line of k or more")));
    }

    #[test]
    fn moves_are_refused_for_the_reason_they_are_wrong() {
        let refused = |moves, text| after("15x15,5", moves).parse(text).unwrap_err();
        assert_eq!(refused("h8", "h8"), Refusal::illegal("h8 is taken"));
        let off = |text| Refusal::illegal(format!("{text} is off the board: columns a..o, rows 1..15"));
        for text in ["p3", "a16", "a0", "z99"] {
            assert_eq!(refused("", text), off(text));
        }
        assert_eq!(
            refused("", "d1f2-e1"),
            Refusal::unreadable(
                "a move is the letter of a column and the number of a row, like h8; this is \"d1f2-e1\""
            )
        );
        assert_eq!(rules("15x15,5").board().parse("H8"), rules("15x15,5").board().parse("h8"));
        assert_eq!(
            refused("", "h08"),
            Refusal::unreadable("the number of a row does not begin with 0; this is \"h08\"")
        );
        for text in
            ["", "h", "8", "8h", "32", "h 8", "h8 ", "h+8", "h8,h9", "h100", "h8h9", "P", "7r2", "3-4"]
        {
            assert!(matches!(refused("", text), Refusal::Unreadable(_)), "{text:?}");
        }
        assert_eq!(after("3x3,3", "a1 b2 a2 b1 a3").parse("c3"), Err(Refusal::illegal("the game is over")));
    }

    #[test]
    fn moves_are_listed_row_by_row_from_a1() {
        let mut moves = Vec::new();
        after("3x2,3", "b1").moves(&mut moves);
        let texts: Vec<String> = moves.iter().map(MnkCell::to_string).collect();
        assert_eq!(texts, ["a1", "c1", "a2", "b2", "c2"]);
    }

    #[test]
    fn rows_are_written_from_the_top() {
        let board = after("4x3,3", "a1 d3 b2");
        assert_eq!(board.text(), "...O/.X../X...");
        assert_eq!(board.board(), "4 3 3\n...O\n.X..\nX...\n");
        assert_eq!(after("4x3,3,first=O", "a1 d3 b2").text(), "...X/.O../O...");
    }

    #[test]
    fn a_text_that_no_game_leads_to_is_refused_with_the_place() {
        let counts = "X has 0 and O has 1 on the board; X begins, so it has as many or one more";
        assert_eq!(unread("3x3,3", "..././..."), "row 2 has 1 cells and should have 3");
        assert_eq!(unread("3x3,3", ".../..../..."), "row 2 has 4 cells and should have 3");
        assert_eq!(unread("3x3,3", ".../..."), "there are 2 rows joined by `/` and should be 3");
        assert_eq!(unread("3x3,3", ".../..x/..."), "row 2, cell 3 is 'x'; a cell is X, O or .");
        assert_eq!(unread("3x3,3", ".../.О./..."), "row 2, cell 2 is 'О'; a cell is X, O or .");
        assert_eq!(unread("3x3,3", "O../.../..."), counts);
        assert_eq!(
            unread("3x3,3,first=O", "O../X../X.."),
            counts.replace("X has 0 and O has 1", "O has 1 and X has 2").replace("X begins", "O begins")
        );
        assert_eq!(unread("3x3,3", "XXX/OOO/X.."), "O and X both have a line; the first one ended the game");
        assert_eq!(
            unread("3x3,3", "XXX/O.O/O.."),
            "X has a line, so the game was over before O made the last move"
        );
        assert_eq!(
            unread("6x3,3", "XXX.../OO.OO./XXX..O"),
            "X has lines that no single last move can have made"
        );
        let two_at_once = rules("3x3,3").read("XXX/XOO/XOO").unwrap();
        assert_eq!(two_at_once.status(), Status::Over(Ending::Win(Seat::FIRST, "a line of k or more")));
        assert_eq!(rules("4x3,3").read("startpos"), Ok(rules("4x3,3").board()));
    }

    #[test]
    fn options_are_read_and_given_back() {
        for spec in ["mnk:3x3,3", "mnk:15x15,5", "mnk:1x1,1", "mnk:20x1,20", "mnk:19x19,6,first=O"] {
            assert_eq!(rules(&spec[4..]).spec(), spec);
        }
        assert_eq!(rules("4x3,3,first=X"), rules("4x3,3"));
        assert_eq!(rules("").spec(), "mnk:3x3,3");
    }

    #[test]
    fn wrong_options_are_refused_with_what_is_allowed() {
        let refused = |text: &str| text.parse::<Mnk>().unwrap_err().to_string();
        assert_eq!(refused("21x3,3"), "21 columns: a board has 1 to 20");
        assert_eq!(refused("3x0,3"), "0 rows: a board has 1 to 20");
        assert_eq!(refused("300x3,3"), "300 columns: a board has 1 to 20");
        assert_eq!(refused("4x3,5"), "a line of 5: on 4x3 it may be 1 to 4, the longer side");
        assert_eq!(refused("3x3,0"), "a line of 0: on 3x3 it may be 1 to 3, the longer side");
        assert_eq!(refused("ax3,3"), "\"a\" is not a number of columns; they go up to 20");
        assert_eq!(refused("3x3,+3"), "\"+3\" is not a number of stones in a line; they go up to 20");
        assert_eq!(refused("3x3,3,first=Z"), "\"first=Z\" is not an option: first=X or first=O is");
        let shape = "write COLUMNSxROWS,K like 15x15,5, and ,first=O if O begins";
        for text in ["3", "3x3", "3,3,3", "3x3,3,first=O,first=X", ","] {
            assert_eq!(refused(text), format!("\"{text}\" is not an m,n,k game: {shape}"));
        }
    }

    #[test]
    fn who_begins_sits_first() {
        let rules = rules("3x3,3,first=O");
        assert_eq!(rules.seats(), ["O", "X"]);
        let mut game = rules.start(0);
        assert_eq!(game.play(b"X,b2"), Err(Refusal::illegal("it is O's turn, and the move is for X")));
        assert_eq!(game.play(b"O,b2").unwrap().text, "O,b2");
        assert_eq!(game.text(), ".../.O./...");
        let names = |rules: Mnk| rules.settings().into_iter().map(|(name, _)| name).collect::<Vec<_>>();
        assert_eq!(names(rules), ["columns", "rows", "k", "first"]);
        assert_eq!(names(Mnk::default()), ["columns", "rows", "k"]);
    }
}
