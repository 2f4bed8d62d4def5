//! The board for people: a drawing in plain characters, the diagram, and what a move changes on it.

use cozy_chess::{Board, Color, File, Move, Piece, Rank, Square};

use super::notation::name;
use super::state::{ChessPosition, side};
use super::{SEATS, fen};
use agon_diagram::{CellPlane, Diagram, Frame, SlotContent, SlotShape};

/// The signs of the pieces, white ones first: king, queen, rook, bishop, knight, pawn.
const FIGURES: [[&str; 6]; 2] = [
    ["\u{2654}", "\u{2655}", "\u{2656}", "\u{2657}", "\u{2658}", "\u{2659}"],
    ["\u{265a}", "\u{265b}", "\u{265c}", "\u{265d}", "\u{265e}", "\u{265f}"],
];

/// The ranks from 8 to 1, small letters for black, with the names of ranks and files, and the side
/// to move.
pub(super) fn drawing(position: &ChessPosition) -> String {
    let mut drawing = String::with_capacity(260);
    for rank in Rank::ALL.into_iter().rev() {
        drawing.push_str(&format!("{rank} "));
        for file in File::ALL {
            drawing.push(' ');
            drawing.push(fen::sign(&position.board, Square::new(file, rank)).unwrap_or('.'));
        }
        drawing.push('\n');
    }
    drawing.push_str(&format!("\n   a b c d e f g h   {} to move\n", side(position.mover()).to_lowercase()));
    drawing
}

/// The number of a square's slot: row by row from the top left.
fn slot(square: Square) -> usize {
    8 * (7 - square.rank() as usize) + square.file() as usize
}

pub(super) fn diagram() -> Diagram {
    let file = |column: usize| File::index(column).to_string();
    let rank = |row: usize| Rank::index(7 - row).to_string();
    let cells = CellPlane {
        columns: 8,
        rows: 8,
        shape: SlotShape::Square,
        across: &file,
        below: true,
        down: Some(&rank),
    };
    cells.diagram(|column, row| file(column) + &rank(row))
}

/// What is on a square.
fn content(piece: Option<(Piece, Color)>) -> SlotContent {
    let Some((piece, color)) = piece else { return SlotContent::Empty };
    let place = match piece {
        Piece::King => 0,
        Piece::Queen => 1,
        Piece::Rook => 2,
        Piece::Bishop => 3,
        Piece::Knight => 4,
        Piece::Pawn => 5,
    };
    SlotContent::Text(FIGURES[color as usize][place].to_owned())
}

pub(super) fn contents(board: &Board) -> Vec<SlotContent> {
    let on = |square: Square| content(board.piece_on(square).zip(board.color_on(square)));
    let rows = Rank::ALL.into_iter().rev();
    rows.flat_map(|rank| File::ALL.into_iter().map(move |file| on(Square::new(file, rank)))).collect()
}

/// What a legal move changes. The row is the king that it puts in check.
pub(super) fn frame(position: &ChessPosition, mv: Move) -> Frame {
    let board = &position.board;
    let mover = position.mover();
    let piece = board.piece_on(mv.from).expect("a legal move moves a piece");
    let mut after = position.clone();
    after.make(mv);
    let check = after.in_check();
    let mut frame = Frame::default();
    if position.castles(mv) {
        let is_short = mv.to.file() > mv.from.file();
        let (king, rook) = if is_short { (File::G, File::F) } else { (File::C, File::D) };
        let on = |file: File| Square::new(file, mv.from.rank());
        for (from, to) in [(mv.from, on(king)), (mv.to, on(rook))].into_iter().filter(|(from, to)| from != to)
        {
            frame.slides.push((slot(from), slot(to)));
        }
        frame.marks.push(slot(mv.from));
        if on(king) != mv.from {
            frame.marks.push(slot(on(king)));
        }
        let which = if is_short { "short" } else { "long" };
        frame.caption =
            format!("{} castles {which}, the king from {} to {}", SEATS[mover as usize], mv.from, on(king));
    } else {
        match mv.promotion {
            None => frame.slides.push((slot(mv.from), slot(mv.to))),
            Some(promotion) => {
                frame.changes.push((slot(mv.from), SlotContent::Empty));
                frame.changes.push((slot(mv.to), content(Some((promotion, mover)))));
            }
        }
        if position.passes(mv) {
            let taken = Square::new(mv.to.file(), mv.from.rank());
            frame.changes.push((slot(taken), SlotContent::Empty));
        }
        frame.marks.extend([slot(mv.from), slot(mv.to)]);
        frame.caption = caption(position, piece, mv);
    }
    if check {
        frame.row.push(slot(after.board.king(!mover)));
        frame.caption.push_str(", check");
    }
    frame
}

/// A move that is not castling, in words.
fn caption(position: &ChessPosition, piece: Piece, mv: Move) -> String {
    let Move { from, to, promotion } = mv;
    let (who, own) = (SEATS[position.mover() as usize], name(piece));
    let mut caption = if position.passes(mv) {
        format!("{who} takes a pawn en passant with the pawn from {from} to {to}")
    } else if let Some(taken) = position.board.piece_on(to) {
        format!("{who} takes the {} on {to} with the {own} from {from}", name(taken))
    } else {
        format!("{who} moves the {own} from {from} to {to}")
    };
    if let Some(promotion) = promotion {
        caption.push_str(&format!(" and makes it a {}", name(promotion)));
    }
    caption
}
