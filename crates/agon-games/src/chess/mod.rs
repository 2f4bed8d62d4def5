//! Chess by the laws of FIDE, from the usual start or from one of the 960.
//!
//! `cozy-chess` generates the moves. What ends a game, how a position is read, refused and written,
//! and how a move is named is decided here. The articles are those of the Laws of Chess of 2023.
//!
//! The score of a seat is 1 if it has mated and 0 otherwise.

mod fen;
mod notation;
mod picture;
mod position;
mod state;
#[cfg(test)]
mod tests;

use std::str::FromStr;

use agon_printable::quoted;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

pub use cozy_chess::{Color, Piece, Square};
pub use state::{ChessMove, ChessPosition, ChessUndo};

use crate::{About, GameCard, points};
use crate::{Game, GameFile, Refereed, Refusal, Rules};

/// The names of the seats: white begins.
pub const SEATS: &[&str] = &["W", "B"];

/// The number of starts of Chess960.
const STARTS: u16 = 960;

/// The description for people.
pub(super) const ABOUT: About = About {
    card: GameCard { name: "Chess", aim: "Attack the king of the other side so that it cannot escape." },
    title: "Chess, by the laws of FIDE, and Chess960",
    rules: "\
White (W) begins. A side whose king is attacked and has no legal move is mated and loses. The game is drawn by \
stalemate, where neither side has the material to mate, when the same position comes a third time with the same \
possible moves, and after fifty moves of both sides without a capture or a move of a pawn. With claims=never nobody \
claims the last two: then the position comes five times, or the moves are seventy-five. A mate goes before the \
counters. A side that is out of time has lost, unless the other one has not the material to mate: then the game is \
drawn. chess:960 draws one of the 960 starts from the seed, the same for both colours, and chess:960=N takes number \
N of them, 0 to 959.",
    moves: "\
From and to, and the letter of a promotion: e2e4, e7e8q. Castling is the move of the king, e1g1; in chess:960 the \
king takes its own rook, e1h1. The algebraic notation is read too (Nf3, exd6, O-O), and people are shown it.",
    position: "\
FEN: the ranks from 8 to 1, the side to move, castling (KQkq; in chess:960 also the file of a rook, as in X-FEN), the \
square of an en passant capture that is legal, the plies since the last capture or move of a pawn, and the number of \
the move. The positions before it are not in it. startpos is the usual start.",
    score: "1 for the side that has mated, and 0 otherwise; a result is 1-0, 0-1 or 1/2-1/2.",
    result: points,
};

/// Where a game begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ChessStart {
    /// The usual start.
    #[default]
    Usual,
    /// A start of Chess960 that the seed draws.
    Drawn,
    /// The start of Chess960 with this number, from 0 to 959.
    Number(u16),
}

/// Who ends a game that may be drawn by a claim.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Claims {
    /// A draw that a side may claim is claimed at once: articles 9.2 and 9.3.
    #[default]
    AtOnce,
    /// Nobody claims a draw: articles 9.6.1 and 9.6.2 end the game.
    Never,
}

/// The rules of chess with their options.
///
/// As text, after the colon of `--game chess:`, separated by commas: `960` or `960=N`, and
/// `claims=at-once` (the default) or `claims=never`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Chess {
    /// Where games begin.
    pub start: ChessStart,
    /// Whether draws are claimed.
    pub claims: Claims,
}

/// The FEN of a line of EPD: its four fields, and the counters of the operations `hmvc` and `fmvn`.
/// `None` if the line has no operations, or is no EPD.
///
/// # Errors
/// A counter is not a whole number.
pub fn fen_of_epd(line: &str) -> Option<Result<String, Refusal>> {
    let fields: Vec<&str> = line.split_ascii_whitespace().take(6).collect();
    let is_position = fields.len() > 4 && fields[0].matches('/').count() == 7;
    let is_number = |text: &&str| text.bytes().all(|byte| byte.is_ascii_digit());
    let has_counters = fields.len() == 6 && fields[4..].iter().all(is_number);
    if !is_position || has_counters && line.split_ascii_whitespace().count() == 6 {
        return None;
    }
    let counter = |name: &str, usual: &str| match operations(line).find(|one| one.0 == name) {
        Some((_, value)) if value.parse::<u16>().is_ok() => Ok(value.to_owned()),
        Some((_, value)) => {
            Err(Refusal::unreadable(format!("the operation {name} has {value:?}, and needs a whole number")))
        }
        None => Ok(usual.to_owned()),
    };
    let counters = match has_counters {
        true => Ok(fields[4..].join(" ")),
        false => counter("hmvc", "0").and_then(|quiet| Ok(format!("{quiet} {}", counter("fmvn", "1")?))),
    };
    Some(counters.map(|counters| format!("{} {counters}", fields[..4].join(" "))))
}

/// The number of the next move of a position, as records of games write it: `3.` for White's third
/// move and `3...` for Black's answer. Empty for a text that is no FEN.
pub fn move_number(fen: &str) -> String {
    let fields: Vec<&str> = fen.split_ascii_whitespace().collect();
    match fields[..] {
        [_, side, .., number] => format!("{number}{}", if side == "b" { "..." } else { "." }),
        _ => String::new(),
    }
}

/// The operations of a line of EPD, each with what stands behind its name. A semicolon in quotes
/// ends none.
fn operations<'a>(line: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
    let mut is_quoted = false;
    let ends = move |sign: char| {
        is_quoted ^= sign == '"';
        sign == ';' && !is_quoted
    };
    let behind_word = |text: &'a str| {
        let text = text.trim_start();
        text.find(char::is_whitespace).map_or("", |end| &text[end..])
    };
    let behind = (0..4).fold(line, |rest, _| behind_word(rest));
    behind.split(ends).map(|one| {
        let (name, value) = one.trim().split_once(char::is_whitespace).unwrap_or((one.trim(), ""));
        (name, value.trim())
    })
}

impl FromStr for Chess {
    type Err = Refusal;

    /// Reads the options; an empty text means the defaults.
    fn from_str(text: &str) -> Result<Self, Refusal> {
        let mut rules = Chess::default();
        let mut given: Vec<&str> = Vec::new();
        for item in text.split(',').filter(|_| !text.is_empty()) {
            let (name, value) =
                item.split_once('=').map_or((item, None), |(name, value)| (name, Some(value)));
            if given.contains(&name) {
                return Err(Refusal::unreadable(format!("chess: {name} is given twice")));
            }
            match (name, value) {
                ("960", None) => rules.start = ChessStart::Drawn,
                ("960", Some(number)) => rules.start = ChessStart::Number(number_of(number)?),
                ("claims", Some("at-once")) => rules.claims = Claims::AtOnce,
                ("claims", Some("never")) => rules.claims = Claims::Never,
                _ => {
                    return Err(Refusal::unreadable(format!(
                        "chess: {} is no option; there are 960, 960=N, claims=at-once and claims=never",
                        quoted(item)
                    )));
                }
            }
            given.push(name);
        }
        Ok(rules)
    }
}

/// The number of a start of Chess960.
fn number_of(text: &str) -> Result<u16, Refusal> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    text.parse().ok().filter(|number| plain && *number < STARTS).ok_or_else(|| {
        Refusal::unreadable(format!(
            "chess: {} is no start of Chess960; they are numbered from 0 to {}, the usual one is 518",
            quoted(text),
            STARTS - 1
        ))
    })
}

impl Chess {
    /// Whether castling is written and done as in Chess960.
    pub fn is_960(self) -> bool {
        self.start != ChessStart::Usual
    }

    /// The start position of a seed, for programs that search.
    pub fn position(self, seed: u64) -> ChessPosition {
        let number = match self.start {
            ChessStart::Usual => None,
            ChessStart::Number(number) => Some(number),
            ChessStart::Drawn => {
                let drawn = ChaCha8Rng::seed_from_u64(seed).next_u64() % u64::from(STARTS);
                Some(u16::try_from(drawn).expect("it is below 960"))
            }
        };
        ChessPosition::start(self, number)
    }

    /// A position from its FEN or, without an option for the start, from `startpos`; for programs
    /// that search. The positions before it are not in its text.
    ///
    /// # Errors
    /// [`Refusal::Unreadable`], with what is wrong.
    pub fn position_from(self, text: &str) -> Result<ChessPosition, Refusal> {
        match text.trim() {
            // Engines take this word for the usual start.
            "startpos" if self.is_960() => Err(Refusal::unreadable(
                "in Chess960 startpos is no position, and moves need one to begin from; give a FEN",
            )),
            "startpos" => Ok(self.position(0)),
            text => {
                fen::read(text, self.is_960()).map(|(board, clock)| ChessPosition::new(self, board, clock))
            }
        }
    }
}

impl Rules for Chess {
    fn spec(&self) -> String {
        let mut options = Vec::new();
        match self.start {
            ChessStart::Usual => {}
            ChessStart::Drawn => options.push("960".to_owned()),
            ChessStart::Number(number) => options.push(format!("960={number}")),
        }
        if self.claims == Claims::Never {
            options.push("claims=never".to_owned());
        }
        if options.is_empty() { "chess".to_owned() } else { format!("chess:{}", options.join(",")) }
    }

    fn seats(&self) -> &'static [&'static str] {
        SEATS
    }

    fn settings(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    fn supplies(&self) -> Vec<GameFile> {
        Vec::new()
    }

    fn start(&self, seed: u64) -> Box<dyn Game> {
        Box::new(Refereed::new(self.position(seed), SEATS))
    }

    fn resume(&self, text: &str) -> Result<Box<dyn Game>, Refusal> {
        Ok(Box::new(Refereed::new(self.position_from(text)?, SEATS)))
    }
}
