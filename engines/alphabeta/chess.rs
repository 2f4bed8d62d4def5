//! Chess: the material, and where the pieces stand. Captures of valuable pieces are searched first.

use agon_games::chess::{ChessMove, ChessPosition, Color, Piece, Square};

use super::evaluate::Evaluate;

/// What a piece is worth, in hundredths of a pawn.
fn worth(piece: Piece) -> i32 {
    match piece {
        Piece::Pawn => 100,
        Piece::Knight => 320,
        Piece::Bishop => 330,
        Piece::Rook => 500,
        Piece::Queen => 900,
        Piece::King => 0,
    }
}

/// What a piece gains by standing on a square, seen from its own side of the board. `few` says that
/// few pieces are left.
fn place(piece: Piece, square: Square, few: bool) -> i32 {
    let (file, rank) = (square.file() as i32, square.rank() as i32);
    // 0 on the rim to 3 in the middle.
    let middle = |line: i32| line.min(7 - line);
    let centre = middle(file) + middle(rank);
    match piece {
        Piece::Pawn => 5 * (rank - 1) + if rank > 1 { 5 * middle(file) } else { 2 * middle(file) },
        Piece::Knight => 9 * centre - 20,
        Piece::Bishop => 5 * centre - 5,
        Piece::Rook => {
            if rank == 6 {
                15
            } else {
                3 * middle(file)
            }
        }
        Piece::Queen => 2 * centre,
        Piece::King if few => 8 * centre,
        // Behind its pawns, at one side.
        Piece::King => -15 * rank - 8 * middle(file),
    }
}

impl Evaluate for ChessPosition {
    fn key(&self) -> u64 {
        self.pieces().hash()
    }

    fn evaluate(&self) -> i32 {
        let board = self.pieces();
        let few = board.occupied().len() <= 12;
        let of = |color: Color| -> i32 {
            let worth_of = |piece: Piece| -> i32 {
                let all = board.colored_pieces(color, piece).into_iter();
                all.map(|square| worth(piece) + place(piece, square.relative_to(color), few)).sum()
            };
            Piece::ALL.into_iter().map(worth_of).sum()
        };
        of(board.side_to_move()) - of(!board.side_to_move())
    }

    /// A game may last for thousands of plies.
    fn plies_left(&self) -> u32 {
        u32::MAX
    }

    fn promise(&self, mv: ChessMove) -> i32 {
        let board = self.pieces();
        let is_capture = board.colors(!board.side_to_move()).has(mv.to());
        let taken = board.piece_on(mv.to()).filter(|_| is_capture).map_or(0, worth);
        let own = board.piece_on(mv.from()).map_or(0, worth);
        let promoted = mv.promotion().map_or(0, worth);
        if taken == 0 && promoted == 0 {
            0
        } else {
            (100 + taken / 2 + promoted / 3 - own / 20).clamp(1, 1000)
        }
    }
}

#[cfg(test)]
mod tests {
    use agon_games::chess::Chess;

    use super::*;

    #[test]
    fn the_sides_are_worth_the_same_at_the_start_and_a_piece_more_is_more() {
        let at = |text: &str| Chess::default().position_from(text).unwrap().evaluate();
        assert_eq!(at("startpos"), 0);
        let without = "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
        assert!(
            at(&format!("{without} w KQkq - 0 1")) > 800 && at(&format!("{without} b KQkq - 0 1")) < -800
        );
    }
}
