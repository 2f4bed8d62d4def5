//! What games share: results, positions for programs that search, games for a referee.
//!
//! There are two levels. [`Position`] is typed: a small `Copy` move, play and undo without
//! allocation. Perft, solvers and engines use it, and it alone may assume two seats. [`Game`] works
//! on text, because engines write text; it allows any number of seats. [`Refereed`] turns every
//! `Position` into a `Game`. [`Rules`] is one game with its options fixed: it starts games.
//!
//! Nothing here does I/O or knows what a word, a marble or a pass is.

use std::any::Any;
use std::fmt::{self, Write};
use std::sync::Arc;

use agon_seats::result::{self, Lost};
use agon_seats::{PerSeat, Refusal, Seat};
use serde::{Deserialize, Serialize};

use agon_diagram::{Diagram, Frame, SlotContent};

/// The seat to move, or how the game ended. One enum, so that a finished game has no seat to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status<E> {
    /// This seat is to move; it has at least one legal move.
    ToMove(Seat),
    /// The game is over.
    Over(E),
}

impl<E> Status<E> {
    /// The result, if the game is over.
    pub fn over(self) -> Option<E> {
        match self {
            Status::ToMove(_) => None,
            Status::Over(end) => Some(end),
        }
    }
}

/// How a game of two seats ended, with the reason ("four in a line").
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// This seat has won.
    Win(Seat, &'static str),
    /// No seat has won.
    Draw(&'static str),
}

impl Ending {
    /// Why the game is over, in a few words.
    pub fn why(self) -> &'static str {
        match self {
            Ending::Win(_, why) | Ending::Draw(why) => why,
        }
    }
}

/// The result of a finished game of any number of seats.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// The place of each seat, 1 the best; seats that tie share a place.
    pub places: PerSeat<u8>,
    /// The score of each seat in the game's own unit: letter points, marbles left, lines made.
    pub scores: PerSeat<i32>,
    /// Why the game is over, in a few words ("two passes in a row").
    pub why: String,
}

/// The state of a two-seat game between two moves, for programs that search.
///
/// No method allocates once the given vectors are large enough, as perft and search need it.
pub trait Position: Clone + Send + 'static {
    /// A legal move. `Display` writes it in the game's notation, without the side letter:
    /// `1,1,1,1,5,1,apple`.
    type Move: Copy + Eq + fmt::Debug + fmt::Display + Send;
    /// The data that `undo` needs.
    type Undo;

    /// The seat to move, or how the game ended.
    fn status(&self) -> Status<Ending>;

    /// Puts every legal move into `moves`, which is cleared first, in an order that depends on the
    /// position alone. There are none when the game is over.
    fn moves(&self, moves: &mut Vec<Self::Move>);

    /// The number of legal moves, 0 when the game is over. `scratch` may be overwritten. Some games
    /// compute the number faster, without a list.
    fn count(&self, scratch: &mut Vec<Self::Move>) -> u64 {
        self.moves(scratch);
        scratch.len() as u64
    }

    /// Reads a move, without its side letter, and checks that it is legal.
    ///
    /// # Errors
    /// [`Refusal::Unreadable`] if the text is not a move, [`Refusal::Illegal`] if the move is
    /// illegal in this position.
    fn parse(&self, text: &str) -> Result<Self::Move, Refusal>;

    /// Plays a move that `moves` or `parse` gave for this position.
    fn play(&mut self, mv: Self::Move) -> Self::Undo;

    /// Takes back the last move played.
    fn undo(&mut self, undo: Self::Undo);

    /// The score of a seat in the game's own unit.
    fn score(&self, seat: Seat) -> i32;

    /// The position as one line, which the rules read back.
    fn text(&self) -> String;

    /// The contents of the file `board`, each line ended by a newline.
    fn board(&self) -> String;

    /// A drawing of the position in plain characters, each line ended by a newline.
    ///
    /// Only pieces are capital letters or `#`, so that a program can colour them.
    fn draw(&self) -> String;

    /// The board as a diagram. `None` if it has more than
    /// [`MOST_SLOTS`](agon_diagram::MOST_SLOTS) cells. It is the same for all positions of a
    /// game.
    fn diagram(&self) -> Option<Diagram>;

    /// The contents of the diagram's slots.
    fn contents(&self) -> Vec<SlotContent>;

    /// What a legal move would change in them. The caption has no reason for the end of the game.
    fn frame(&self, mv: Self::Move) -> Frame;

    /// A legal move as people write it, without its side, where that is not the text of the move.
    fn shown(&self, _: Self::Move) -> Option<String> {
        None
    }

    /// Whether the seat could still win by some series of legal moves. Where it could not, a seat
    /// that is out of time has not lost to it.
    fn may_win(&self, _: Seat) -> bool {
        true
    }

    /// The number of a legal move in the contest's own programs, in games that have such numbers.
    fn number(&self, _: Self::Move) -> Option<u16> {
        None
    }

    /// The number of the position's tier in the contest's own programs, in games that have tiers.
    fn tier(&self) -> Option<u16> {
        None
    }

    /// Reads such a number and checks that the move is legal.
    ///
    /// # Errors
    /// [`Refusal::Unreadable`] if no move has this number, [`Refusal::Illegal`] if its move is
    /// illegal.
    fn parse_number(&self, _: u16) -> Result<Self::Move, Refusal> {
        Err(Refusal::unreadable("the moves of this game have no numbers"))
    }
}

/// A played move, as the other seats are told it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Played {
    /// The move in the game's notation with its side letter, normalised: `W,1,1,1,1,5,1,apple`.
    pub text: String,
    /// The points of the move.
    pub points: i32,
}

/// One game in progress, for a referee: text in, text out, any number of seats.
pub trait Game: Send {
    /// The seat to move, or how the game ended.
    fn status(&self) -> Status<Outcome>;

    /// The seat to move; the first seat when the game is over.
    fn to_move(&self) -> Seat {
        match self.status() {
            Status::ToMove(seat) => seat,
            Status::Over(_) => Seat::FIRST,
        }
    }

    /// Plays a line of an engine, such as `W,1,1,1,1,5,1,apple`. Any bytes are allowed.
    ///
    /// # Errors
    /// A [`Refusal`], in words that a student understands; the game is unchanged.
    fn play(&mut self, line: &[u8]) -> Result<Played, Refusal>;

    /// The score of each seat so far.
    fn scores(&self) -> PerSeat<i32>;

    /// The contents of the file `board` for this seat.
    fn view(&self, seat: Seat) -> String;

    /// The position as one line, which the rules read back.
    fn text(&self) -> String;

    /// Every legal move, in the form that an engine writes. There are none when the game is over.
    fn moves(&self) -> Vec<String>;

    /// Whether the seat to move has a move that wins the game. The position is the same afterwards.
    fn wins_at_once(&mut self) -> bool;

    /// A line as people write the move, without its side, where that is not its text; see
    /// [`Position::shown`].
    fn shown(&self, line: &[u8]) -> Option<String>;

    /// Whether the seat could still win by some series of legal moves, see [`Position::may_win`].
    fn may_win(&self, seat: Seat) -> bool;

    /// A drawing of the position in plain characters, each line ended by a newline.
    fn draw(&self) -> String;

    /// The board as a diagram, see [`Position::diagram`].
    fn diagram(&self) -> Option<Diagram>;

    /// The contents of the diagram's slots.
    fn contents(&self) -> Vec<SlotContent>;

    /// Plays a line as [`Game::play`] does, and returns what it changed in the contents. The
    /// caption ends with the reason if the game is over.
    ///
    /// # Errors
    /// As [`Game::play`].
    fn play_framed(&mut self, line: &[u8]) -> Result<Frame, Refusal>;

    /// Reads a line without playing it. Returns the move as other seats are told it, and its number
    /// in the contest's own programs, in games that have such numbers.
    ///
    /// # Errors
    /// As [`Game::play`].
    fn read(&self, line: &[u8]) -> Result<(String, Option<u16>), Refusal>;

    /// The move with this number in the present position, in the form that an engine writes.
    ///
    /// # Errors
    /// A [`Refusal`], also when the game has no such numbers.
    fn read_number(&self, number: u16) -> Result<String, Refusal>;

    /// The number of the position's tier in the contest's own programs, in games that have tiers.
    fn tier(&self) -> Option<u16>;

    /// The number of legal move sequences of exactly `depth` plies from here, see
    /// [`crate::perft::perft`].
    fn perft(&mut self, depth: u32) -> u64;

    /// The same number for each first move, see [`crate::perft::divide`].
    fn divide(&mut self, depth: u32) -> Vec<(String, u64)>;
}

/// The places after a seat has lost in this way: it is last, and the others share the first place.
/// Where it is out of time and none of the others could have won, all share it.
pub fn places_without(game: &dyn Game, loser: Seat, way: Lost) -> PerSeat<u8> {
    let seats = game.scores().len();
    let others = result::all_but(loser, seats);
    let is_draw = way == Lost::OutOfTime && others.seats().all(|seat| seat == loser || !game.may_win(seat));
    if is_draw { others.map(|_, _| 1) } else { others }
}

/// A file beside `board` in an engine's directory, like the dictionary.
#[derive(Clone, Debug)]
pub struct GameFile {
    /// The name of the file.
    pub name: &'static str,
    /// Its contents.
    pub bytes: Arc<Vec<u8>>,
}

/// One game with its options fixed.
pub trait Rules: Any + Send + Sync {
    /// The game and its options in the form of `--game`: `letters:6x6x3`.
    fn spec(&self) -> String;

    /// The names of the seats in order of play, as written before a move: `["W", "B"]`.
    fn seats(&self) -> &'static [&'static str];

    /// The values for an engine's arguments besides side and time, in the order of `lines`:
    /// `("rows", "6")`.
    fn settings(&self) -> Vec<(&'static str, String)>;

    /// The files beside `board`.
    fn supplies(&self) -> Vec<GameFile>;

    /// A move that leaves the file `board` as it is, in a game whose file does not show whose turn
    /// it is. Otherwise `None`.
    fn turn_sign(&self) -> Option<&'static str> {
        None
    }

    /// Words in braces, of which an engine with arguments of its own must use one, because nothing
    /// else tells it who moves first. Empty if the first seat does.
    fn must_ask(&self) -> &'static [&'static str] {
        &[]
    }

    /// The game in the words of Gomocup's protocol; `None` if the protocol has no such game.
    fn gomocup(&self) -> Option<crate::Gomocup> {
        None
    }

    /// The start position drawn from this seed. The same seed always gives the same position.
    fn start(&self, seed: u64) -> Box<dyn Game>;

    /// A game that continues from a position's one-line text.
    ///
    /// # Errors
    /// [`Refusal::Unreadable`], with the place in the text and what is wrong there.
    fn resume(&self, text: &str) -> Result<Box<dyn Game>, Refusal>;
}

/// The adapter from a [`Position`] to a [`Game`].
pub struct Refereed<P> {
    position: P,
    seats: &'static [&'static str],
}

impl<P: Position> Refereed<P> {
    /// A game that starts from this position, with the names of its two seats.
    pub fn new(position: P, seats: &'static [&'static str]) -> Self {
        Refereed { position, seats }
    }

    /// The seat to move, and the move that its line means.
    fn understand(&self, line: &[u8]) -> Result<(Seat, P::Move), Refusal> {
        let Status::ToMove(seat) = self.position.status() else {
            return Err(Refusal::illegal("the game is over"));
        };
        let text = side_off(line, self.seats, seat)?;
        Ok((seat, self.position.parse(text)?))
    }

    /// A move in the form for the other seats.
    fn told(&self, seat: Seat, mv: P::Move) -> String {
        // Enough for most moves, and no less is ever given.
        let mut text = String::with_capacity(24);
        text.push_str(self.seats[seat.index()]);
        let _ = write!(text, ",{mv}"); // a String takes everything
        text
    }
}

impl<P: Position> Game for Refereed<P> {
    fn status(&self) -> Status<Outcome> {
        match self.position.status() {
            Status::ToMove(seat) => Status::ToMove(seat),
            Status::Over(ending) => {
                let places = match ending {
                    Ending::Win(winner, _) => PerSeat::from_fn(2, |seat| if seat == winner { 1 } else { 2 }),
                    Ending::Draw(_) => PerSeat::two(1, 1),
                };
                Status::Over(Outcome { places, scores: self.scores(), why: ending.why().to_owned() })
            }
        }
    }

    fn play(&mut self, line: &[u8]) -> Result<Played, Refusal> {
        let (seat, mv) = self.understand(line)?;
        let before = self.position.score(seat);
        self.position.play(mv);
        Ok(Played { text: self.told(seat, mv), points: self.position.score(seat) - before })
    }

    fn scores(&self) -> PerSeat<i32> {
        PerSeat::from_fn(2, |seat| self.position.score(seat))
    }

    fn view(&self, _: Seat) -> String {
        self.position.board()
    }

    fn text(&self) -> String {
        self.position.text()
    }

    fn moves(&self) -> Vec<String> {
        let Status::ToMove(seat) = self.position.status() else { return Vec::new() };
        let mut moves = Vec::new();
        self.position.moves(&mut moves);
        moves.iter().map(|mv| self.told(seat, *mv)).collect()
    }

    fn wins_at_once(&mut self) -> bool {
        let Status::ToMove(seat) = self.position.status() else { return false };
        let mut moves = Vec::new();
        self.position.moves(&mut moves);
        moves.into_iter().any(|mv| {
            let undo = self.position.play(mv);
            let wins =
                matches!(self.position.status(), Status::Over(Ending::Win(winner, _)) if winner == seat);
            self.position.undo(undo);
            wins
        })
    }

    fn shown(&self, line: &[u8]) -> Option<String> {
        let (_, mv) = self.understand(line).ok()?;
        self.position.shown(mv)
    }

    fn may_win(&self, seat: Seat) -> bool {
        self.position.may_win(seat)
    }

    fn draw(&self) -> String {
        self.position.draw()
    }

    fn diagram(&self) -> Option<Diagram> {
        self.position.diagram()
    }

    fn contents(&self) -> Vec<SlotContent> {
        self.position.contents()
    }

    fn play_framed(&mut self, line: &[u8]) -> Result<Frame, Refusal> {
        let (_, mv) = self.understand(line)?;
        let mut frame = self.position.frame(mv);
        self.position.play(mv);
        if let Status::Over(ending) = self.position.status() {
            frame.caption.push_str(": ");
            frame.caption.push_str(ending.why());
        }
        Ok(frame)
    }

    fn read(&self, line: &[u8]) -> Result<(String, Option<u16>), Refusal> {
        let (seat, mv) = self.understand(line)?;
        Ok((self.told(seat, mv), self.position.number(mv)))
    }

    fn read_number(&self, number: u16) -> Result<String, Refusal> {
        let Status::ToMove(seat) = self.position.status() else {
            return Err(Refusal::illegal("the game is over"));
        };
        Ok(self.told(seat, self.position.parse_number(number)?))
    }

    fn tier(&self) -> Option<u16> {
        self.position.tier()
    }

    fn perft(&mut self, depth: u32) -> u64 {
        crate::perft::perft(&mut self.position, depth)
    }

    fn divide(&mut self, depth: u32) -> Vec<(String, u64)> {
        let Status::ToMove(seat) = self.position.status() else { return Vec::new() };
        let parts = crate::perft::divide(&mut self.position, depth);
        parts.into_iter().map(|(mv, number)| (self.told(seat, mv), number)).collect()
    }
}

/// The move after `SIDE,`, once the side was checked. The case of the side letter is ignored.
fn side_off<'a>(line: &'a [u8], seats: &[&str], to_move: Seat) -> Result<&'a str, Refusal> {
    let text = readable(line)?;
    let Some((side, mv)) = text.split_once(',') else {
        return Err(Refusal::unreadable(format!(
            "a move is written SIDE,MOVE, here {},MOVE; there is no comma",
            seats[to_move.index()]
        )));
    };
    match seats.iter().position(|name| name.eq_ignore_ascii_case(side)) {
        Some(index) if index == to_move.index() => Ok(mv),
        Some(_) => Err(Refusal::illegal(format!(
            "it is {}'s turn, and the move is for {}",
            seats[to_move.index()],
            side.to_ascii_uppercase()
        ))),
        None => Err(Refusal::unreadable(format!(
            "a move begins with the side, {}; this begins with {side:?}",
            seats.join(" or ")
        ))),
    }
}

/// The line as text, if it is printable ASCII, like the moves of every game. Lookalikes are named.
fn readable(line: &[u8]) -> Result<&str, Refusal> {
    if line.is_empty() {
        return Err(Refusal::unreadable("the line is empty"));
    }
    let Some(at) = line.iter().position(|byte| !(b' '..=b'~').contains(byte)) else {
        return Ok(std::str::from_utf8(line).expect("printable ASCII is UTF-8"));
    };
    let what = match std::str::from_utf8(&line[at..]).ok().and_then(|rest| rest.chars().next()) {
        Some(letter) if !letter.is_ascii() => {
            format!("U+{:04X} {letter:?}, which is not an ASCII character", u32::from(letter))
        }
        _ => format!("0x{:02x}", line[at]),
    };
    Err(Refusal::unreadable(format!("byte {} of the line is {what}", at + 1)))
}
