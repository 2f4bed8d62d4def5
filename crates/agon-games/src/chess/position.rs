//! The rules of chess as every game has them: the legal moves, the end, and the forms of a
//! position.

use cozy_chess::Color;

use super::state::{ChessMove, ChessPosition, ChessUndo, has_material};
use super::{fen, notation, picture};
use crate::{Ending, Position, Refusal, Seat, Status};
use agon_diagram::{Diagram, Frame, SlotContent};

impl Position for ChessPosition {
    type Move = ChessMove;
    type Undo = ChessUndo;

    /// A mate and a stalemate go before all that only draws.
    fn status(&self) -> Status<Ending> {
        if !self.has_move() {
            return Status::Over(match self.in_check() {
                true => Ending::Win(self.turn().other(), "checkmate"),
                false => Ending::Draw("stalemate"),
            });
        }
        self.drawn().map_or(Status::ToMove(self.turn()), |why| Status::Over(Ending::Draw(why)))
    }

    fn moves(&self, moves: &mut Vec<ChessMove>) {
        moves.clear();
        if self.drawn().is_none() {
            self.each(|mv| moves.push(self.written(mv)));
        }
    }

    fn count(&self, _: &mut Vec<ChessMove>) -> u64 {
        let mut number = 0;
        if self.drawn().is_none() {
            self.board.generate_moves(|moves| {
                number += moves.len() as u64;
                false
            });
        }
        number
    }

    /// Reads the form of UCI, or the algebraic one.
    fn parse(&self, text: &str) -> Result<ChessMove, Refusal> {
        let mv = notation::read(self, text)?;
        match self.drawn() {
            Some(_) => Err(Refusal::illegal("the game is over")),
            None => Ok(self.written(mv)),
        }
    }

    fn play(&mut self, mv: ChessMove) -> ChessUndo {
        self.make(mv.inner)
    }

    fn undo(&mut self, undo: ChessUndo) {
        self.take_back(undo);
    }

    fn score(&self, seat: Seat) -> i32 {
        i32::from(seat != self.turn() && self.is_mated())
    }

    /// FEN, with the rights of X-FEN.
    fn text(&self) -> String {
        fen::write(&self.board, self.clock)
    }

    /// The same, as a line.
    fn board(&self) -> String {
        self.text() + "\n"
    }

    fn draw(&self) -> String {
        picture::drawing(self)
    }

    fn diagram(&self) -> Option<Diagram> {
        Some(picture::diagram())
    }

    fn contents(&self) -> Vec<SlotContent> {
        picture::contents(&self.board)
    }

    fn frame(&self, mv: ChessMove) -> Frame {
        picture::frame(self, mv.inner)
    }

    /// The algebraic notation.
    fn shown(&self, mv: ChessMove) -> Option<String> {
        Some(notation::algebraic(self, mv.inner))
    }

    /// Article 6.9: whether the side has the material for a mate by some series of legal moves.
    fn may_win(&self, seat: Seat) -> bool {
        has_material(&self.board, if seat == Seat::FIRST { Color::White } else { Color::Black })
    }
}
