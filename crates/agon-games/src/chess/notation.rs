//! Moves as text: the form of UCI, and the algebraic notation of appendix C of the laws.

use agon_printable::quoted;
use cozy_chess::{File, Move, Piece, Rank, Square, util};

use super::state::{ChessPosition, last_rank, side};
use crate::Refusal;

/// Reads a move in either form. The counters of the game are not looked at.
///
/// # Errors
/// [`Refusal::Unreadable`] if it is in neither form, [`Refusal::Illegal`] with the reason.
pub(super) fn read(position: &ChessPosition, text: &str) -> Result<Move, Refusal> {
    // `B1c3` is a bishop on the first rank; whole words in small or in capital letters are UCI's.
    let is_one_case = !text.bytes().any(|byte| byte.is_ascii_uppercase())
        || !text.bytes().any(|byte| byte.is_ascii_lowercase());
    if is_one_case && let Some(coordinates) = Coordinates::read(&text.to_ascii_lowercase()) {
        return coordinates.find(position);
    }
    match Algebraic::read(text) {
        Some(wanted) => wanted.find(position, text),
        None => Err(Refusal::unreadable(format!(
            "a move is written like e2e4 or e7e8q, or like Nf3 or O-O; this is {}",
            quoted(text)
        ))),
    }
}

/// The name of a piece.
pub(super) fn name(piece: Piece) -> &'static str {
    match piece {
        Piece::Pawn => "pawn",
        Piece::Knight => "knight",
        Piece::Bishop => "bishop",
        Piece::Rook => "rook",
        Piece::Queen => "queen",
        Piece::King => "king",
    }
}

/// What a pawn can become, by its small letter.
fn promoted(letter: char) -> Option<Piece> {
    letter.try_into().ok().filter(|piece| !matches!(piece, Piece::Pawn | Piece::King))
}

/// `e2e4`, `e7e8q`.
struct Coordinates {
    from: Square,
    to: Square,
    promotion: Option<Piece>,
}

impl Coordinates {
    fn read(text: &str) -> Option<Self> {
        let from = text.get(0..2)?.parse().ok()?;
        let to = text.get(2..4)?.parse().ok()?;
        let promotion = match text.len() {
            4 => None,
            5 => Some(promoted(text.chars().last()?)?),
            _ => return None,
        };
        Some(Coordinates { from, to, promotion })
    }

    fn find(&self, position: &ChessPosition) -> Result<Move, Refusal> {
        let mut found = None;
        position.each(|mv| {
            let is_it = mv.from == self.from && mv.promotion == self.promotion;
            // Castling may also be written as the king that takes its rook.
            if is_it && (position.written(mv).written == self.to || mv.to == self.to) {
                found = Some(mv);
            }
        });
        found.ok_or_else(|| Refusal::illegal(self.why_not(position)))
    }

    /// Why a move is illegal.
    fn why_not(&self, position: &ChessPosition) -> String {
        let &Coordinates { from, to, promotion } = self;
        let board = &position.board;
        let mover = board.side_to_move();
        if !position.has_move() {
            return "the game is over".to_owned();
        }
        let (Some(piece), Some(color)) = (board.piece_on(from), board.color_on(from)) else {
            return format!("{from} is empty");
        };
        if color != mover {
            return format!("{from} holds a {} of {}", name(piece), side(color));
        }
        let is_last = piece == Piece::Pawn && to.rank() == last_rank(mover);
        if promotion.is_some() && !is_last {
            return "only a pawn that reaches the last rank is promoted".to_owned();
        }
        if promotion.is_none() && is_last {
            let legal = position.has(|mv| mv.from == from && mv.to == to);
            if legal {
                return "a pawn that reaches the last rank becomes another piece: add q, r, b or n"
                    .to_owned();
            }
        }
        if piece == Piece::King && !position.is_960() && from.file() == File::E {
            let rights = board.castle_rights(mover);
            let right = match to.file() {
                File::G => Some(rights.short),
                File::C => Some(rights.long),
                _ => None,
            };
            if let Some(right) = right.filter(|_| to.rank() == from.rank()) {
                return match right {
                    None => "the right to castle there is lost, or was never there".to_owned(),
                    Some(_) => {
                        "castling is not possible now: it needs free squares, and the king is not in check, \
                                passes no attacked square and ends on none"
                            .to_owned()
                    }
                };
            }
        }
        if position.is_960() && piece == Piece::King && from.rank() == to.rank() {
            let rights = board.castle_rights(mover);
            let right = match to.file() {
                File::G => rights.short,
                File::C => rights.long,
                _ => None,
            };
            if let Some(rook) = right
                && position.has(|mv| mv.from == from && mv.to == Square::new(rook, from.rank()))
            {
                return format!(
                    "in Chess960 castling is written as the king that takes its rook: {from}{}",
                    Square::new(rook, from.rank())
                );
            }
        }
        if board.color_on(to) == Some(mover) {
            return format!("{to} holds a piece of the same side");
        }
        if reaches(position, piece, from, to) {
            return match position.in_check() {
                true => "the king is in check, and this move leaves it there".to_owned(),
                false => "this move leaves the king in check".to_owned(),
            };
        }
        format!("the {} on {from} cannot go to {to}", name(piece))
    }
}

/// Whether a piece of the side to move could go there if its king could be taken.
fn reaches(position: &ChessPosition, piece: Piece, from: Square, to: Square) -> bool {
    let board = &position.board;
    let (mover, occupied) = (board.side_to_move(), board.occupied());
    let squares = match piece {
        Piece::Knight => cozy_chess::get_knight_moves(from),
        Piece::Bishop => cozy_chess::get_bishop_moves(from, occupied),
        Piece::Rook => cozy_chess::get_rook_moves(from, occupied),
        Piece::Queen => {
            cozy_chess::get_bishop_moves(from, occupied) | cozy_chess::get_rook_moves(from, occupied)
        }
        Piece::King => cozy_chess::get_king_moves(from),
        Piece::Pawn => {
            let passing = board.en_passant().map(|file| Square::new(file, Rank::Sixth.relative_to(mover)));
            let taken =
                passing.map_or(board.colors(!mover), |square| board.colors(!mover) | square.bitboard());
            cozy_chess::get_pawn_quiets(from, mover, occupied)
                | (cozy_chess::get_pawn_attacks(from, mover) & taken)
        }
    };
    squares.has(to)
}

/// A move in the algebraic notation: what is known of it.
struct Algebraic {
    piece: Piece,
    file: Option<File>,
    rank: Option<Rank>,
    to: Option<Square>,
    promotion: Option<Piece>,
    /// Castling, and whether it is the short one.
    castles: Option<bool>,
}

impl Algebraic {
    /// `Nf3`, `Nbd2`, `R1a3`, `exd5`, `e8=Q+`, `O-O`, `0-0-0#`. Signs of check, `x`, `-` and `=`
    /// may be missing, and marks like `!?` may follow.
    fn read(text: &str) -> Option<Self> {
        if !text.is_ascii() {
            return None;
        }
        let bare = text.trim_end_matches(['!', '?']).trim_end_matches(['+', '#']);
        let castles = match bare {
            "O-O" | "0-0" => Some(true),
            "O-O-O" | "0-0-0" => Some(false),
            _ => None,
        };
        let nothing =
            Algebraic { piece: Piece::King, file: None, rank: None, to: None, promotion: None, castles };
        if castles.is_some() {
            return Some(nothing);
        }
        let (piece, rest) = match bare.chars().next()? {
            letter @ ('N' | 'B' | 'R' | 'Q' | 'K') => {
                (letter.to_ascii_lowercase().try_into().ok()?, &bare[1..])
            }
            _ => (Piece::Pawn, bare),
        };
        // The promotion: `=Q`, `(Q)`, or `Q` right behind the square.
        let (rest, promotion) = match rest.trim_end_matches(')').chars().last()? {
            letter @ ('N' | 'B' | 'R' | 'Q') if piece == Piece::Pawn => {
                let rest = rest.trim_end_matches(')').strip_suffix(letter)?.trim_end_matches(['=', '(']);
                (rest, Some(promoted(letter.to_ascii_lowercase())?))
            }
            _ => (rest, None),
        };
        let (before, to) = rest.split_at_checked(rest.len().checked_sub(2)?)?;
        let to = to.parse().ok()?;
        let before = before.strip_suffix(['x', '-', ':']).unwrap_or(before);
        let (mut file, mut rank) = (None, None);
        for sign in before.chars() {
            match (File::try_from(sign), Rank::try_from(sign)) {
                (Ok(named), _) if file.is_none() && rank.is_none() => file = Some(named),
                (_, Ok(named)) if rank.is_none() => rank = Some(named),
                _ => return None,
            }
        }
        Some(Algebraic { piece, file, rank, to: Some(to), promotion, castles: None })
    }

    fn find(&self, position: &ChessPosition, text: &str) -> Result<Move, Refusal> {
        let board = &position.board;
        let mut found = Vec::new();
        position.each(|mv| {
            let castles = position.castles(mv).then(|| mv.to.file() > mv.from.file());
            let fits = match self.castles {
                Some(_) => castles == self.castles,
                None => {
                    castles.is_none()
                        && board.piece_on(mv.from) == Some(self.piece)
                        && self.to == Some(mv.to)
                        && self.file.is_none_or(|file| file == mv.from.file())
                        && self.rank.is_none_or(|rank| rank == mv.from.rank())
                        && mv.promotion == self.promotion
                }
            };
            if fits {
                found.push(mv);
            }
        });
        match found[..] {
            [mv] => Ok(mv),
            [] => Err(Refusal::illegal(match self.to {
                _ if !board.generate_moves(|_| true) => "the game is over".to_owned(),
                None => "castling is not possible now".to_owned(),
                Some(to)
                    if self.piece == Piece::Pawn
                        && self.promotion.is_none()
                        && to.rank() == last_rank(board.side_to_move()) =>
                {
                    "a pawn that reaches the last rank becomes another piece: add =Q, =R, =B or =N".to_owned()
                }
                Some(_) => format!("no legal move of a {} is {}", name(self.piece), quoted(text)),
            })),
            _ => {
                let all: Vec<String> = found.iter().map(|mv| algebraic(position, *mv)).collect();
                Err(Refusal::illegal(format!("{} can be {}", quoted(text), all.join(" or "))))
            }
        }
    }
}

/// A legal move in the algebraic notation.
pub(super) fn algebraic(position: &ChessPosition, mv: Move) -> String {
    util::display_san_move(&position.board, mv).to_string()
}
