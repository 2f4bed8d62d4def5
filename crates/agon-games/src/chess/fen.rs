//! Positions as FEN, with the castling rights of X-FEN. What no game can lead to is refused, with
//! the reason.

use cozy_chess::{
    Board, BoardBuilder, Color, File, Piece, Rank, Square, get_bishop_moves, get_king_moves,
    get_knight_moves, get_pawn_attacks, get_rook_moves,
};

use agon_printable::quoted;

use super::state::{en_passant_file, side};
use crate::Refusal;

/// The most plies without a capture or a move of a pawn: then article 9.6.2 has ended the game.
const MOST_QUIET: u16 = 150;

/// Reads a position: six fields, or four, as in EPD. Returns the board and the plies since the last
/// capture or move of a pawn.
///
/// # Errors
/// [`Refusal::Unreadable`], with what is wrong.
pub(super) fn read(text: &str, is_960: bool) -> Result<(Board, u16), Refusal> {
    let fields: Vec<&str> = text.split_ascii_whitespace().collect();
    let (rows, to_move, castling, en_passant, clock, number) = match fields[..] {
        [rows, to_move, castling, en_passant, clock, number] => {
            (rows, to_move, castling, en_passant, clock, number)
        }
        [rows, to_move, castling, en_passant] => (rows, to_move, castling, en_passant, "0", "1"),
        _ => {
            return Err(Refusal::unreadable(format!(
                "a FEN has six fields, or four as in EPD, and this has {}: {}",
                fields.len(),
                quoted(text)
            )));
        }
    };
    let mut made = BoardBuilder::empty();
    read_rows(rows, &mut made)?;
    made.side_to_move = match to_move {
        "w" => Color::White,
        "b" => Color::Black,
        _ => return Err(wrong(format!("the side to move is w or b, and not {}", quoted(to_move)))),
    };
    for color in Color::ALL {
        counts(&made, color)?;
    }
    kings(&made)?;
    read_castling(castling, &mut made, is_960)?;
    read_en_passant(en_passant, &mut made)?;
    let clock = number_of(clock, "the plies since a capture or a move of a pawn", MOST_QUIET)?;
    // Some programs number the first move with 0.
    made.fullmove_number = number_of(number, "the number of the move", u16::MAX)?.max(1);
    let board = made.build().map_err(|why| wrong(format!("no game leads to this position: {why}")))?;
    // A square behind a pawn of which no capture is legal makes no difference (article 9.2.3).
    if board.en_passant().is_some() && en_passant_file(&board).is_none() {
        made.en_passant = None;
        let board = made.build().map_err(|why| wrong(format!("no game leads to this position: {why}")))?;
        return Ok((board, clock));
    }
    Ok((board, clock))
}

fn wrong(why: impl Into<String>) -> Refusal {
    Refusal::unreadable(why)
}

fn read_rows(rows: &str, made: &mut BoardBuilder) -> Result<(), Refusal> {
    let ranks: Vec<&str> = rows.split('/').collect();
    if ranks.len() != 8 {
        return Err(wrong(format!("the board has {} ranks, separated by /, and should have 8", ranks.len())));
    }
    for (rank, row) in Rank::ALL.into_iter().rev().zip(ranks) {
        let mut file = 0;
        for sign in row.chars() {
            if let Some(free) = sign.to_digit(10).filter(|free| (1..=8).contains(free)) {
                file += free as usize;
                continue;
            }
            let piece: Piece = sign
                .to_ascii_lowercase()
                .try_into()
                .map_err(|_| wrong(format!("rank {rank} has the sign {sign:?}, which is no piece")))?;
            let color = if sign.is_ascii_uppercase() { Color::White } else { Color::Black };
            if let Some(file) = File::try_index(file) {
                *made.square_mut(Square::new(file, rank)) = Some((piece, color));
            }
            file += 1;
        }
        if file != File::NUM {
            return Err(wrong(format!("rank {rank} has {file} squares and should have 8")));
        }
    }
    Ok(())
}

/// What a side can have at most.
fn counts(made: &BoardBuilder, color: Color) -> Result<(), Refusal> {
    let name = side(color);
    let of = |piece: Piece| made.board.iter().filter(|on| **on == Some((piece, color))).count();
    match of(Piece::King) {
        1 => {}
        0 => return Err(wrong(format!("{name} has no king"))),
        kings => return Err(wrong(format!("{name} has {kings} kings"))),
    }
    for square in Square::ALL {
        let ends = [Rank::First, Rank::Eighth].contains(&square.rank());
        if ends && made.square(square) == Some((Piece::Pawn, color)) {
            return Err(wrong(format!("{name} has a pawn on {square}, where no pawn can stand")));
        }
    }
    let pawns = of(Piece::Pawn);
    if pawns > 8 {
        return Err(wrong(format!("{name} has {pawns} pawns")));
    }
    let promoted: usize = [(Piece::Queen, 1), (Piece::Rook, 2), (Piece::Bishop, 2), (Piece::Knight, 2)]
        .into_iter()
        .map(|(piece, first)| of(piece).saturating_sub(first))
        .sum();
    if pawns + promoted > 8 {
        return Err(wrong(format!(
            "{name} has {pawns} pawns and {promoted} pieces that only pawns can have become: together more than 8"
        )));
    }
    Ok(())
}

/// The kings are not next to each other, and no side has left its own king in check.
fn kings(made: &BoardBuilder) -> Result<(), Refusal> {
    let king = |color: Color| {
        let is_king = |square: &Square| made.square(*square) == Some((Piece::King, color));
        Square::ALL.into_iter().find(is_king).expect("each side has one king")
    };
    if get_king_moves(king(Color::White)).has(king(Color::Black)) {
        return Err(wrong("the kings stand next to each other"));
    }
    let (mover, other) = (made.side_to_move, !made.side_to_move);
    if !attackers(made, king(other), mover).is_empty() {
        return Err(wrong(format!(
            "{} is in check, but it is {}'s turn: nobody leaves the own king in check",
            side(other),
            side(mover)
        )));
    }
    let checks = attackers(made, king(mover), other);
    if checks.len() > 2 {
        return Err(wrong(format!(
            "{} pieces give check to {}, and two are the most",
            checks.len(),
            side(mover)
        )));
    }
    Ok(())
}

/// The squares from which pieces of a colour attack a square.
fn attackers(made: &BoardBuilder, square: Square, by: Color) -> Vec<Square> {
    let all = |wanted: &dyn Fn(Piece, Color) -> bool| {
        Square::ALL
            .into_iter()
            .filter(|at| made.square(*at).is_some_and(|(piece, color)| wanted(piece, color)))
            .fold(cozy_chess::BitBoard::EMPTY, |all, at| all | at.bitboard())
    };
    let occupied = all(&|_, _| true);
    let own = |pieces: &[Piece]| all(&|piece, color| color == by && pieces.contains(&piece));
    let found = (get_rook_moves(square, occupied) & own(&[Piece::Rook, Piece::Queen]))
        | (get_bishop_moves(square, occupied) & own(&[Piece::Bishop, Piece::Queen]))
        | (get_knight_moves(square) & own(&[Piece::Knight]))
        | (get_pawn_attacks(square, !by) & own(&[Piece::Pawn]));
    found.into_iter().collect()
}

fn read_castling(text: &str, made: &mut BoardBuilder, is_960: bool) -> Result<(), Refusal> {
    if text == "-" {
        return Ok(());
    }
    for sign in text.chars() {
        let color = if sign.is_ascii_uppercase() { Color::White } else { Color::Black };
        let home = Rank::First.relative_to(color);
        let refused = |why: &str| Err(wrong(format!("castling {sign:?}: {why}")));
        let has = |piece: Piece, file: &File| made.square(Square::new(*file, home)) == Some((piece, color));
        let Some(king) = File::ALL.into_iter().find(|file| has(Piece::King, file)) else {
            return refused(&format!("the king of {} is not on rank {home}", side(color)));
        };
        let rook = match sign.to_ascii_lowercase() {
            'k' => File::ALL.into_iter().rev().find(|file| *file > king && has(Piece::Rook, file)),
            'q' => File::ALL.into_iter().find(|file| *file < king && has(Piece::Rook, file)),
            letter @ 'a'..='h' => {
                letter.try_into().ok().filter(|file| *file != king && has(Piece::Rook, file))
            }
            _ => return refused("write KQkq, or the file of a rook, or - for none"),
        };
        let Some(rook) = rook else {
            return refused(&format!("{} has no rook there on rank {home}", side(color)));
        };
        if !is_960 && (king != File::E || ![File::A, File::H].contains(&rook)) {
            return refused(&format!(
                "king and rook are not where they begin, e{home} and {}{home}; chess:960 plays such a position",
                if rook > king { 'h' } else { 'a' }
            ));
        }
        let rights = made.castle_rights_mut(color);
        let right = if rook > king { &mut rights.short } else { &mut rights.long };
        if right.replace(rook).is_some() {
            return refused("the same right is given twice");
        }
    }
    Ok(())
}

fn read_en_passant(text: &str, made: &mut BoardBuilder) -> Result<(), Refusal> {
    if text == "-" {
        return Ok(());
    }
    let refused = |why: &str| Err(wrong(format!("en passant {}: {why}", quoted(text))));
    let Ok(square) = text.parse::<Square>() else {
        return refused("write the square behind the pawn, such as e3, or -");
    };
    let mover = made.side_to_move;
    let behind = Rank::Third.relative_to(!mover);
    if square.rank() != behind {
        return refused(&format!("with {} to move it is on rank {behind}", side(mover)));
    }
    let pawn = Square::new(square.file(), Rank::Fourth.relative_to(!mover));
    let from = Square::new(square.file(), Rank::Second.relative_to(!mover));
    if made.square(pawn) != Some((Piece::Pawn, !mover)) {
        return refused(&format!("there is no pawn of {} on {pawn}", side(!mover)));
    }
    if made.square(square).is_some() || made.square(from).is_some() {
        return refused(&format!("the pawn on {pawn} cannot have come from {from}"));
    }
    made.en_passant = Some(square);
    Ok(())
}

/// A number of digits, up to `most`.
fn number_of(text: &str, what: &str, most: u16) -> Result<u16, Refusal> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.parse().ok().filter(|number| digits && *number <= most);
    number.ok_or_else(|| wrong(format!("{what}: {} is not a number from 0 to {most}", quoted(text))))
}

/// A position as FEN. The castling rights are those of X-FEN: a letter of KQkq, or the file of the
/// rook where it is not the outermost one.
pub(super) fn write(board: &Board, clock: u16) -> String {
    let mut text = String::with_capacity(90);
    for rank in Rank::ALL.into_iter().rev() {
        let mut free = 0;
        for file in File::ALL {
            match sign(board, Square::new(file, rank)) {
                None => free += 1,
                Some(sign) => {
                    if free > 0 {
                        text.push_str(&free.to_string());
                        free = 0;
                    }
                    text.push(sign);
                }
            }
        }
        if free > 0 {
            text.push_str(&free.to_string());
        }
        if rank != Rank::First {
            text.push('/');
        }
    }
    text.push_str(if board.side_to_move() == Color::White { " w " } else { " b " });
    let before = text.len();
    for color in Color::ALL {
        let rights = board.castle_rights(color);
        let rooks = board.colored_pieces(color, Piece::Rook) & Rank::First.relative_to(color).bitboard();
        for (rook, is_short) in [(rights.short, true), (rights.long, false)] {
            let Some(rook) = rook else { continue };
            let outer = |at: Square| if is_short { at.file() > rook } else { at.file() < rook };
            let letter = match (rooks.into_iter().any(outer), is_short) {
                (true, _) => char::from(rook),
                (false, true) => 'k',
                (false, false) => 'q',
            };
            text.push(if color == Color::White { letter.to_ascii_uppercase() } else { letter });
        }
    }
    if text.len() == before {
        text.push('-');
    }
    match en_passant_file(board) {
        Some(file) => {
            let square = Square::new(file, Rank::Sixth.relative_to(board.side_to_move()));
            text.push_str(&format!(" {square}"));
        }
        None => text.push_str(" -"),
    }
    text.push_str(&format!(" {clock} {}", board.fullmove_number()));
    text
}

/// The letter of the piece on a square: a capital one for white.
pub(super) fn sign(board: &Board, square: Square) -> Option<char> {
    let letter = char::from(board.piece_on(square)?);
    Some(if board.color_on(square) == Some(Color::White) { letter.to_ascii_uppercase() } else { letter })
}
