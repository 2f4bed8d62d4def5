//! A game of Abalone between two moves: the side to move, the legal moves, and the end.

use std::ops::ControlFlow;

use super::board::{AbaloneBoard, AbaloneMove, Direction, Space, row_length, row_letter};
use super::ko::PastPositions;
use super::{Abalone, AtLimit, LOSING, MARBLES, MOVES_A_SIDE, SEATS, notation, picture};
use crate::{Ending, Position, Refusal, Seat, Status};
use agon_diagram::{Diagram, Frame, SlotContent};

/// The rows i to a at the start.
const START: [&str; 9] =
    ["#####", "######", "..###..", "........", ".........", "........", "..OOO..", "OOOOOO", "OOOOO"];

const MORE_LEFT: &str = "200 moves a side, more marbles left";

/// A position with the boards that must not be repeated.
#[derive(Clone, PartialEq, Debug)]
pub struct AbalonePosition {
    rules: Abalone,
    board: AbaloneBoard,
    to_move: Seat,
    plies: u16,
    seen: Option<PastPositions>,
}

/// The data that takes a move back.
#[derive(Clone, Copy, Debug)]
pub struct AbaloneUndo {
    board: AbaloneBoard,
}

impl AbalonePosition {
    /// The start position: fourteen marbles per side, black on top and to move.
    pub fn start(rules: Abalone) -> Self {
        let board = notation::read_rows(&START).expect("the start is written as every board is");
        AbalonePosition::new(rules, board, Seat::FIRST, 0)
    }

    /// A position after `plies` moves, with no earlier board known.
    pub(super) fn new(rules: Abalone, board: AbaloneBoard, to_move: Seat, plies: u16) -> Self {
        AbalonePosition { rules, board, to_move, plies, seen: rules.ko.then(|| PastPositions::new(board)) }
    }

    /// The marbles on their cells.
    pub fn marbles(&self) -> &AbaloneBoard {
        &self.board
    }

    /// The side to move, or the one that would be next.
    pub fn to_move(&self) -> Seat {
        self.to_move
    }

    /// How many moves of both sides have been played.
    pub fn plies(&self) -> u16 {
        self.plies
    }

    /// When this board occurred before, in words: `at the start`, `after B's move 3`. `None` if the
    /// Ko rule is off.
    fn repeats(&self, board: &AbaloneBoard) -> Option<String> {
        let seen = self.seen.as_ref()?;
        let number = seen.find(board)?;
        let ago = seen.len() - 1 - number;
        let ply = usize::from(self.plies) - ago;
        let mover = if ago.is_multiple_of(2) { self.to_move.other() } else { self.to_move };
        Some(match (number, ply) {
            (_, 0) => "at the start".to_owned(),
            (0, _) => "where this game was taken up".to_owned(),
            _ => format!("after {}'s move {}", SEATS[mover.index()], ply.div_ceil(2)),
        })
    }

    /// Refuses an illegal move, and names the rule.
    fn check(&self, mv: AbaloneMove) -> Result<(), Refusal> {
        for cell in mv.cells() {
            match self.board.at(cell) {
                Some(seat) if seat == self.to_move => {}
                Some(seat) => {
                    return Err(Refusal::illegal(format!(
                        "{cell} holds a marble of {}",
                        notation::name(seat)
                    )));
                }
                None => return Err(Refusal::illegal(format!("{cell} is empty"))),
            }
        }
        let after = self
            .board
            .after(self.to_move, mv)
            .map_err(|obstacle| Refusal::illegal(notation::words(&self.board, self.to_move, mv, obstacle)))?;
        match self.repeats(&after) {
            Some(when) => Err(Refusal::illegal(format!("that board has been before ({when})"))),
            None => Ok(()),
        }
    }

    /// How the game ended by the board and the counter. Legal moves are not examined.
    fn ended(&self) -> Option<Ending> {
        let left = |seat| self.board.marbles(seat);
        for seat in [Seat::FIRST, Seat::SECOND] {
            if left(seat) + LOSING <= MARBLES {
                return Some(Ending::Win(seat.other(), "six marbles pushed off"));
            }
        }
        if self.plies < 2 * MOVES_A_SIDE {
            return None;
        }
        let (black, white) = (left(Seat::FIRST), left(Seat::SECOND));
        Some(match self.rules.at_limit {
            AtLimit::Tie => Ending::Draw("200 moves a side"),
            AtLimit::Marbles if black > white => Ending::Win(Seat::FIRST, MORE_LEFT),
            AtLimit::Marbles if black < white => Ending::Win(Seat::SECOND, MORE_LEFT),
            AtLimit::Marbles => Ending::Draw("200 moves a side, as many marbles left"),
        })
    }

    /// Calls `take` with each legal move until it breaks off.
    fn each_move(&self, mut take: impl FnMut(AbaloneMove) -> ControlFlow<()>) -> ControlFlow<()> {
        let mut take_legal = |mv| match self.board.after(self.to_move, mv) {
            Ok(after) if self.seen.as_ref().is_none_or(|seen| seen.find(&after).is_none()) => take(mv),
            _ => ControlFlow::Continue(()),
        };
        for tail in self.board.cells(self.to_move) {
            for line in Direction::ALL {
                let mut head = tail;
                for marbles in 1..=3 {
                    if marbles > 1 {
                        for step in line.beside() {
                            take_legal(AbaloneMove { tail, marbles, line, step })?;
                        }
                    }
                    match head.next(line) {
                        Some(next) if self.board.at(next) == Some(self.to_move) => head = next,
                        Some(_) => {
                            take_legal(AbaloneMove { tail, marbles, line, step: line })?;
                            break;
                        }
                        None => break,
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }
}

impl Position for AbalonePosition {
    type Move = AbaloneMove;
    type Undo = AbaloneUndo;

    fn status(&self) -> Status<Ending> {
        if let Some(ending) = self.ended() {
            return Status::Over(ending);
        }
        match self.each_move(|_| ControlFlow::Break(())) {
            ControlFlow::Break(()) => Status::ToMove(self.to_move),
            ControlFlow::Continue(()) => {
                Status::Over(Ending::Win(self.to_move.other(), "the other side has no legal move"))
            }
        }
    }

    fn moves(&self, moves: &mut Vec<AbaloneMove>) {
        moves.clear();
        if self.ended().is_some() {
            return;
        }
        let _ = self.each_move(|mv| {
            moves.push(mv);
            ControlFlow::Continue(())
        }); // it never breaks off
    }

    fn parse(&self, text: &str) -> Result<AbaloneMove, Refusal> {
        if self.ended().is_some() {
            return Err(Refusal::illegal("the game is over"));
        }
        let mv = notation::read_move(text)?;
        self.check(mv)?;
        Ok(mv)
    }

    fn play(&mut self, mv: AbaloneMove) -> AbaloneUndo {
        let undo = AbaloneUndo { board: self.board };
        self.board = self.board.after(self.to_move, mv).expect("only legal moves are played");
        self.to_move = self.to_move.other();
        self.plies += 1;
        if let Some(seen) = &mut self.seen {
            seen.push(self.board);
        }
        undo
    }

    fn undo(&mut self, undo: AbaloneUndo) {
        if let Some(seen) = &mut self.seen {
            seen.pop();
        }
        self.board = undo.board;
        self.to_move = self.to_move.other();
        self.plies -= 1;
    }

    /// The marbles that the seat has left.
    fn score(&self, seat: Seat) -> i32 {
        i32::try_from(self.board.marbles(seat)).expect("there are 61 cells")
    }

    /// Rows i to a joined by `/`, the side to move, and the plies played if there are any:
    /// `#####/######/..###../......../........./......../..OOO../OOOOOO/OOOOO b`.
    ///
    /// The earlier boards are not in it.
    fn text(&self) -> String {
        let mut text = notation::rows(&self.board).join("/");
        text.push_str(if self.to_move == Seat::FIRST { " b" } else { " w" });
        if self.plies > 0 {
            text.push_str(&format!(" {}", self.plies));
        }
        text
    }

    /// Rows i to a, one per line, then the side to move: `B` or `W`.
    fn board(&self) -> String {
        let mut board = notation::rows(&self.board).join("\n");
        board.push_str(&format!("\n{}\n", SEATS[self.to_move.index()]));
        board
    }

    /// The hexagon, with the names of the cells at both ends of each row.
    fn draw(&self) -> String {
        let rows = notation::rows(&self.board).into_iter().zip((0..9).rev());
        let line = |(marbles, row): (String, usize)| {
            let (letter, length) = (row_letter(row), row_length(row));
            let cells: String = marbles.chars().flat_map(|marble| [' ', marble]).collect();
            format!("{:indent$}{letter}1{cells} {letter}{length}\n", "", indent = 9 - length)
        };
        rows.map(line).collect()
    }

    fn diagram(&self) -> Option<Diagram> {
        Some(picture::diagram())
    }

    fn contents(&self) -> Vec<SlotContent> {
        Space::all().map(|cell| self.board.at(cell).into()).collect()
    }

    fn frame(&self, mv: AbaloneMove) -> Frame {
        picture::frame(&self.board, self.to_move, mv)
    }
}
