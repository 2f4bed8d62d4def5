//! A position of chess with those before it, and what is asked of its moves.

use std::fmt;

use cozy_chess::{BitBoard, Board, Color, File, Move, Piece, Rank, Square, get_pawn_attacks};

use super::{Chess, Claims};
use crate::Seat;

/// A legal move. It is written as UCI has it: `e2e4`, `e7e8q`, and castling as `e1g1`, or as `e1h1`
/// in Chess960.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ChessMove {
    /// The move as the generator has it: castling is the king that takes its own rook.
    pub(super) inner: Move,
    /// The square that is written behind the one it comes from.
    pub(super) written: Square,
}

impl ChessMove {
    /// The square that the piece comes from.
    pub fn from(self) -> Square {
        self.inner.from
    }

    /// The square that it goes to; in castling that of the rook.
    pub fn to(self) -> Square {
        self.inner.to
    }

    /// What a pawn becomes.
    pub fn promotion(self) -> Option<Piece> {
        self.inner.promotion
    }
}

impl fmt::Display for ChessMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Move { to: self.written, ..self.inner })
    }
}

/// The data that takes a move back, besides the position before it.
#[derive(Clone, Copy, Debug)]
pub struct ChessUndo {
    clock: u16,
    times: u16,
}

/// A position with those before it.
#[derive(Clone, PartialEq, Debug)]
pub struct ChessPosition {
    rules: Chess,
    pub(super) board: Board,
    /// The positions before this one since the game began, the oldest first.
    past: Vec<Board>,
    /// The plies since the last capture or move of a pawn. The board counts them only up to 100.
    pub(super) clock: u16,
    /// How often this position has been there since the game began, now included.
    times: u16,
}

impl ChessPosition {
    /// The start with this number of Chess960, or the usual one.
    pub(super) fn start(rules: Chess, number: Option<u16>) -> Self {
        let board = number.map_or_else(Board::startpos, |number| Board::chess960_startpos(number.into()));
        ChessPosition::new(rules, board, 0)
    }

    /// A position with no position before it.
    pub(super) fn new(rules: Chess, board: Board, clock: u16) -> Self {
        ChessPosition { rules, board, past: Vec::new(), clock, times: 1 }
    }

    /// The pieces on their squares, the side to move, and the castling rights.
    pub fn pieces(&self) -> &Board {
        &self.board
    }

    /// The seat to move, or the one that would be next.
    pub fn turn(&self) -> Seat {
        seat(self.board.side_to_move())
    }

    /// Whether castling is written as the king that takes its rook.
    pub(super) fn is_960(&self) -> bool {
        self.rules.is_960()
    }

    /// Whether the king of the side to move is attacked.
    pub fn in_check(&self) -> bool {
        !self.board.checkers().is_empty()
    }

    /// Why the game is drawn although there is a legal move.
    pub(super) fn drawn(&self) -> Option<&'static str> {
        if Color::ALL.iter().all(|color| !has_material(&self.board, *color)) {
            return Some("insufficient material");
        }
        let (times, plies, by_times, by_plies) = match self.rules.claims {
            Claims::AtOnce => {
                (3, 100, "threefold repetition", "fifty moves without a capture or a pawn's move")
            }
            Claims::Never => {
                (5, 150, "fivefold repetition", "seventy-five moves without a capture or a pawn's move")
            }
        };
        if self.times >= times {
            Some(by_times)
        } else if self.clock >= plies {
            Some(by_plies)
        } else {
            None
        }
    }

    pub(super) fn has_move(&self) -> bool {
        self.board.generate_moves(|_| true)
    }

    pub(super) fn is_mated(&self) -> bool {
        self.in_check() && !self.has_move()
    }

    /// A move of the generator with the form in which it is written.
    pub(super) fn written(&self, inner: Move) -> ChessMove {
        let mut written = inner.to;
        if !self.is_960() && self.castles(inner) {
            let file = if inner.to.file() > inner.from.file() { File::G } else { File::C };
            written = Square::new(file, inner.from.rank());
        }
        ChessMove { inner, written }
    }

    /// Whether a legal move is castling: the king takes a rook of its own.
    pub(super) fn castles(&self, mv: Move) -> bool {
        self.board.colors(self.board.side_to_move()).has(mv.to)
    }

    /// Whether a legal move takes something.
    pub(super) fn captures(&self, mv: Move) -> bool {
        self.board.colors(!self.board.side_to_move()).has(mv.to) || self.passes(mv)
    }

    /// Whether a legal move is a capture en passant.
    pub(super) fn passes(&self, mv: Move) -> bool {
        self.board.piece_on(mv.from) == Some(Piece::Pawn)
            && mv.from.file() != mv.to.file()
            && !self.board.occupied().has(mv.to)
    }

    /// Calls `take` with each legal move of the board, whether or not the game is drawn.
    pub(super) fn each(&self, mut take: impl FnMut(Move)) {
        self.board.generate_moves(|moves| {
            moves.into_iter().for_each(&mut take);
            false
        });
    }

    /// Whether there is such a legal move.
    pub(super) fn has(&self, wanted: impl Fn(Move) -> bool) -> bool {
        let mut found = false;
        self.each(|mv| found |= wanted(mv));
        found
    }

    /// The side to move.
    pub(super) fn mover(&self) -> Color {
        self.board.side_to_move()
    }

    /// Plays a legal move.
    pub(super) fn make(&mut self, mv: Move) -> ChessUndo {
        let undo = ChessUndo { clock: self.clock, times: self.times };
        let resets = self.board.piece_on(mv.from) == Some(Piece::Pawn) || self.captures(mv);
        self.past.push(self.board.clone());
        self.board.play_unchecked(mv);
        self.clock = if resets { 0 } else { self.clock + 1 };
        // A position comes again after four plies at the earliest, and never across a capture or a
        // move of a pawn.
        let earlier = self.past.iter().rev().take(self.clock.into()).skip(3).step_by(2);
        let same = earlier.filter(|past| is_same(past, &self.board)).count();
        self.times = 1 + u16::try_from(same).expect("a game is over after a few repetitions");
        undo
    }

    /// Takes the last move back.
    pub(super) fn take_back(&mut self, undo: ChessUndo) {
        self.board = self.past.pop().expect("a move was played");
        (self.clock, self.times) = (undo.clock, undo.times);
    }
}

/// Whether a side has the material to mate against what the other side has, if that helps. Only the
/// kinds of pieces and the colours of squares are looked at.
///
/// * A pawn, a rook or a queen is enough.
/// * Two knights, or a knight and a bishop, are enough.
/// * A single knight needs a piece of the other side that takes a square from its king: any but a
///   queen.
/// * Bishops need one on the other colour of squares, of either side, or a knight or a pawn of the
///   other side.
pub(super) fn has_material(board: &Board, color: Color) -> bool {
    let own = board.colors(color);
    let of = |piece: Piece| board.pieces(piece);
    if !(own & (of(Piece::Pawn) | of(Piece::Rook) | of(Piece::Queen))).is_empty() {
        return true;
    }
    if !(own & of(Piece::Knight)).is_empty() {
        let helps = board.colors(!color) & !(of(Piece::King) | of(Piece::Queen));
        return own.len() > 2 || !helps.is_empty();
    }
    if !(own & of(Piece::Bishop)).is_empty() {
        let bishops = of(Piece::Bishop);
        let on_both =
            !(bishops & BitBoard::DARK_SQUARES).is_empty() && !(bishops & BitBoard::LIGHT_SQUARES).is_empty();
        return on_both || !(of(Piece::Knight) | of(Piece::Pawn)).is_empty();
    }
    false
}

/// Whether two positions are the same by article 9.2.3: the same side is to move, the pieces stand
/// alike, and the possible moves are the same. (The library's own comparison takes any piece that
/// moves to the square behind a pawn for a pawn that captures.)
fn is_same(one: &Board, other: &Board) -> bool {
    one.hash_without_ep() == other.hash_without_ep()
        && one.side_to_move() == other.side_to_move()
        && Piece::ALL.iter().all(|piece| one.pieces(*piece) == other.pieces(*piece))
        && Color::ALL.iter().all(|color| {
            one.colors(*color) == other.colors(*color)
                && one.castle_rights(*color) == other.castle_rights(*color)
        })
        && en_passant_file(one) == en_passant_file(other)
}

/// The file on which a pawn can be captured en passant by a legal move.
pub(super) fn en_passant_file(board: &Board) -> Option<File> {
    let file = board.en_passant()?;
    let mover = board.side_to_move();
    let to = Square::new(file, Rank::Sixth.relative_to(mover));
    let pawns = get_pawn_attacks(to, !mover) & board.colored_pieces(mover, Piece::Pawn);
    let captures = |from| board.is_legal(Move { from, to, promotion: None });
    pawns.into_iter().any(captures).then_some(file)
}

/// The seat of a colour.
pub(super) fn seat(color: Color) -> Seat {
    if color == Color::White { Seat::FIRST } else { Seat::SECOND }
}

/// The name of a colour: `W`.
pub(super) fn side(color: Color) -> &'static str {
    super::SEATS[seat(color).index()]
}

/// The rank on which pawns of a colour are promoted.
pub(super) fn last_rank(color: Color) -> Rank {
    Rank::Eighth.relative_to(color)
}
