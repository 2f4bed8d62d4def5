//! m,n,k tic-tac-toe: k or more in a straight line on m columns and n rows.
//!
//! A board has one word of bits for each row and side, with a rim of empty cells around it. So a
//! run of stones ends at the edge without a check.
//!
//! The score of a seat is 1 if it has won and 0 otherwise.

mod about;
mod cells;
mod line_rule;
mod reading;
mod renju;
#[cfg(test)]
mod rule_tests;

use std::str::FromStr;

pub(super) use about::ABOUT;
pub use cells::MnkCell;
use cells::{LONGEST, LineThrough, StoneMask, letter, split};
pub use line_rule::LineRule;
pub use renju::Foul;
use renju::{TrialStones, foul};

use super::stones::{BadOptions, Layout};
use crate::{Ending, Game, GameFile, Gomocup, PerSeat, Position, Refereed, Refusal, Rules, Seat, Status};
use agon_diagram::{CellPlane, Diagram, Frame, SlotContent, SlotShape};
use agon_printable::quoted;

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
    rule: LineRule,
}

impl Default for Mnk {
    fn default() -> Self {
        Mnk { columns: 3, rows: 3, k: 3, first: Mark::X, rule: LineRule::Free }
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
            Ok(k) if (1..=longer).contains(&k.into()) => {
                Ok(Mnk { columns, rows, k, first, rule: LineRule::Free })
            }
            _ => Err(BadOptions(format!(
                "a line of {k}: on {columns}x{rows} it may be 1 to {longer}, the longer side"
            ))),
        }
    }

    /// The same game with another rule about lines.
    ///
    /// # Errors
    /// `BadOptions` for renju, unless k is 5.
    pub fn with_rule(self, rule: LineRule) -> Result<Mnk, BadOptions> {
        match rule {
            LineRule::Renju if self.k != 5 => {
                Err(BadOptions(format!("renju with a line of {}: it is a game of five in a line", self.k)))
            }
            _ => Ok(Mnk { rule, ..self }),
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

    /// Which lines win.
    pub fn rule(self) -> LineRule {
        self.rule
    }

    /// The empty board.
    pub fn board(self) -> MnkBoard {
        MnkBoard {
            rules: self,
            first: StoneMask::default(),
            second: StoneMask::default(),
            plies: 0,
            end: End::Open,
        }
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
        let marked = self.marked(text);
        let mut text = text.to_owned();
        if let Some((at, _)) = marked {
            text[at..=at].make_ascii_uppercase();
        }
        let stones = self.layout().read(&text)?;
        board.plies = u16::try_from(stones.cells.len()).expect("a board has at most 400 cells");
        for &(cell, seat) in &stones.cells {
            board.stones_mut(seat).flip(self.cell(cell));
        }
        if let Some((_, index)) = marked {
            return board.ended_by(self.cell(index), stones.to_move);
        }
        let lines = PerSeat::from_fn(2, |seat| board.has_line(seat));
        let at_once = || board.last_alone(stones.to_move.other());
        if self.layout().won(stones.to_move, &lines, at_once)? {
            board.end = End::Line;
        }
        board.has_no_overline()
    }

    /// Where a text has the mark of a forbidden move, if it has one, and the number of that cell.
    fn marked(self, text: &str) -> Option<(usize, usize)> {
        let sign = self.foul_sign();
        let at = text.find(sign).filter(|_| self.rule == LineRule::Renju)?;
        (text.matches(sign).count() == 1).then(|| (at, text[..at].matches(|sign| sign != '/').count()))
    }

    /// The mark of a forbidden move in a text.
    fn foul_sign(self) -> char {
        match self.first {
            Mark::X => 'x',
            Mark::O => 'o',
        }
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

    /// Reads `15x15,5` (columns, rows, k) with options, as in `15x15,5,first=O,exact`; an empty
    /// text is tic-tac-toe.
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
        let (mut first, mut words) = (None, Vec::new());
        for part in parts {
            match part {
                "first=X" | "first=O" if first.is_some() => return Err(shape()),
                "first=X" => first = Some(Mark::X),
                "first=O" => first = Some(Mark::O),
                "exact" | "caro" | "renju" => words.push(part),
                _ => {
                    return Err(BadOptions(format!(
                        "{} is not an option: first=X, first=O, exact, caro and renju are",
                        quoted(part)
                    )));
                }
            }
        }
        let rule = LineRule::of(&words).ok_or_else(|| {
            BadOptions(format!(
                "{} is not one rule: write exact, caro, exact,caro or renju",
                quoted(&words.join(","))
            ))
        })?;
        let number = |name: &str, digits: &str| {
            let only_digits = digits.bytes().all(|byte| byte.is_ascii_digit());
            digits.parse().ok().filter(|_| only_digits).ok_or_else(|| {
                BadOptions(format!("{} is not a number of {name}; they go up to {LONGEST}", quoted(digits)))
            })
        };
        let (columns, rows) = (number("columns", columns)?, number("rows", rows)?);
        Mnk::new(columns, rows, number("stones in a line", k)?, first.unwrap_or(Mark::X))?.with_rule(rule)
    }
}

impl Rules for Mnk {
    fn spec(&self) -> String {
        let first = match self.first {
            Mark::X => "",
            Mark::O => ",first=O",
        };
        let comma = if self.rule == LineRule::Free { "" } else { "," };
        let Mnk { columns, rows, k, .. } = self;
        format!("mnk:{columns}x{rows},{k}{first}{comma}{}", self.rule.option())
    }

    fn seats(&self) -> &'static [&'static str] {
        self.seat_names()
    }

    /// Columns, rows and k are always there. The side that begins is there only if it is `O`. The
    /// rule about lines is there only if it is not the usual one. So an engine that does not know
    /// the options finds its time at the usual place.
    fn settings(&self) -> Vec<(&'static str, String)> {
        let mut settings: Vec<_> = [("columns", self.columns), ("rows", self.rows), ("k", self.k)]
            .map(|(name, number)| (name, number.to_string()))
            .to_vec();
        if self.first == Mark::O {
            settings.push(("first", "O".to_owned()));
        }
        if self.rule != LineRule::Free {
            settings.push(("rule", self.rule.option().to_owned()));
        }
        settings
    }

    fn gomocup(&self) -> Option<Gomocup> {
        (self.k == 5).then(|| Gomocup { columns: self.columns, rows: self.rows, rule: self.rule.gomocup() })
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

    /// The empty board, for every seed.
    fn start(&self, _: u64) -> Box<dyn Game> {
        Box::new(Refereed::new(self.board(), self.seat_names()))
    }

    fn resume(&self, text: &str) -> Result<Box<dyn Game>, Refusal> {
        Ok(Box::new(Refereed::new(self.read(text)?, self.seat_names())))
    }
}

/// A position of an m,n,k game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MnkBoard {
    rules: Mnk,
    first: StoneMask,
    second: StoneMask,
    plies: u16,
    end: End,
}

/// How the last move has ended the game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum End {
    /// Not by a line or a forbidden move. The board may be full.
    Open,
    /// By a line.
    Line,
    /// By a forbidden move, on this cell.
    Foul(Foul, MnkCell),
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

    fn stones(&self, seat: Seat) -> &StoneMask {
        if seat == Seat::FIRST { &self.first } else { &self.second }
    }

    fn owner(&self, cell: MnkCell) -> Option<Seat> {
        [Seat::FIRST, Seat::SECOND].into_iter().find(|seat| self.stones(*seat).has(cell))
    }

    fn stones_mut(&mut self, seat: Seat) -> &mut StoneMask {
        if seat == Seat::FIRST { &mut self.first } else { &mut self.second }
    }

    /// Whether a line or a forbidden move has ended the game.
    fn is_decided(&self) -> bool {
        !matches!(self.end, End::Open)
    }

    /// Whether a mark of this seat on this free cell would win.
    pub fn wins(&self, seat: Seat, cell: MnkCell) -> bool {
        let mut after = *self;
        after.stones_mut(seat).flip(cell);
        after.winning(seat, cell).next().is_some()
    }

    /// The lines through a stone of this seat that win.
    fn winning(&self, seat: Seat, cell: MnkCell) -> impl Iterator<Item = LineThrough> {
        let Mnk { k, rule, .. } = self.rules;
        let (own, other) = (self.stones(seat), self.stones(seat.other()));
        own.runs(cell, k).filter(move |run| {
            let is_blocked = || run.beyond(cell).iter().all(|end| other.has(*end));
            rule.wins(seat == Seat::FIRST, run.length() - k, is_blocked)
        })
    }

    /// Whether this seat has a line that wins.
    fn has_line(&self, seat: Seat) -> bool {
        self.stones(seat).cells().any(|cell| self.winning(seat, cell).next().is_some())
    }

    /// What the stone that was put on this cell last has ended.
    fn end_after(&self, seat: Seat, cell: MnkCell) -> End {
        if self.rules.rule == LineRule::Free {
            return if self.stones(seat).run_through(cell, self.rules.k) { End::Line } else { End::Open };
        }
        if self.winning(seat, cell).next().is_some() {
            return End::Line;
        }
        if self.rules.rule != LineRule::Renju || seat != Seat::FIRST {
            return End::Open;
        }
        let Mnk { columns, rows, .. } = self.rules;
        let mut field = TrialStones { own: self.first, other: self.second, columns, rows };
        foul(&mut field, cell).map_or(End::Open, |foul| End::Foul(foul, cell))
    }

    /// Whether a single last stone of this seat can have made all its lines, and those that are
    /// forbidden to it.
    fn last_alone(&self, seat: Seat) -> bool {
        self.stones(seat).cells().any(|cell| {
            let mut before = *self;
            before.stones_mut(seat).flip(cell);
            !before.has_line(seat) && !before.has_overline()
        })
    }

    /// Whether the first seat has a line that is forbidden to it.
    fn has_overline(&self) -> bool {
        self.rules.rule == LineRule::Renju && self.first.cells().any(|cell| self.first.run_through(cell, 6))
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
        match self.end {
            End::Line => {
                let winner = self.turn().other();
                Status::Over(Ending::Win(winner, self.rules.rule.why(winner == Seat::FIRST)))
            }
            End::Foul(foul, _) => Status::Over(Ending::Win(self.turn(), foul.why())),
            End::Open if self.plies == self.rules.cells() => Status::Over(Ending::Draw("the board is full")),
            End::Open => Status::ToMove(self.turn()),
        }
    }

    /// The free cells a1, b1, ... row by row.
    fn moves(&self, moves: &mut Vec<MnkCell>) {
        moves.clear();
        if self.is_decided() {
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
        if self.is_decided() { 0 } else { (self.rules.cells() - self.plies).into() }
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
        if self.is_decided() {
            Err(Refusal::illegal("the game is over"))
        } else if self.free(row) >> column & 1 == 0 {
            Err(Refusal::illegal(format!("{text} is taken")))
        } else {
            Ok(MnkCell { column, row })
        }
    }

    fn play(&mut self, cell: MnkCell) -> MnkCell {
        let seat = self.turn();
        self.stones_mut(seat).flip(cell);
        self.end = self.end_after(seat, cell);
        self.plies += 1;
        cell
    }

    fn undo(&mut self, cell: MnkCell) {
        self.plies -= 1;
        self.stones_mut(self.turn()).flip(cell);
        // In a position from which a move was played, the game was not over.
        self.end = End::Open;
    }

    fn score(&self, seat: Seat) -> i32 {
        i32::from(match self.end {
            End::Open => false,
            End::Line => seat != self.turn(),
            End::Foul(..) => seat == self.turn(),
        })
    }

    /// The rows from the top joined by `/`. The mark of a forbidden move is a small letter.
    fn text(&self) -> String {
        let mut text = self.rules.layout().write(|index| self.owner(self.rules.cell(index)));
        if let End::Foul(_, cell) = self.end {
            let index = self.rules.index(cell);
            // One `/` stands before each row but the first.
            let at = index + index / usize::from(self.rules.columns);
            text[at..=at].make_ascii_lowercase();
        }
        text
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
        let run = after.winning(seat, cell).flat_map(|run| run.cells(cell));
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

    /// Whether this seat wins against every reply of its opponent.
    fn forces(seat: Seat, board: &mut MnkBoard, known: &mut HashMap<(StoneMask, StoneMask), bool>) -> bool {
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
        let forced = hoped.cells().any(|cell| hoped.run_through(cell, k))
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
        assert_eq!(
            refused("3x3,3,first=Z"),
            "\"first=Z\" is not an option: first=X, first=O, exact, caro and renju are"
        );
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
