//! One table: the loop of a game with persons, engines and programs elsewhere on its seats.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use agon_games::{Game, Outcome, PerSeat, Rules, Seat, with_side};
use agon_printable::{clean, escape};
use crossbeam_channel::{Receiver, RecvTimeoutError};
use serde_json::{Value, json};

use super::desk::{Desk, Phase};
use super::letters::{Asked, OpenWish, SeatKind, TableWish};
use super::seats::Sitting;
use super::{Output, Room, board, hints, lobby};
use crate::clock::{Clock, whole_micros};
use crate::engine::{Limits, Patience, Trouble};
use crate::openings::{self, Opening};
use crate::play::session::{PastMove, Seated, Session};
use crate::record::Ply;
use crate::referee::{Engines, GameEnd, OfferedMove, Players};

/// Where only engines play, each move is shown for this time.
const PACE: Duration = Duration::from_millis(400);
/// The most moves that a table can be opened with.
const MOST_MOVES: usize = 2000;

/// Ends the thinking of an engine, because somebody wants something that cannot wait.
#[derive(Default)]
pub(super) struct Bell {
    other_end: Mutex<Option<UnixStream>>,
    is_thinking: AtomicBool,
}

impl Bell {
    /// What is readable as soon as the bell has rung, for the next session.
    fn hang(&self) -> io::Result<Arc<OwnedFd>> {
        let (read, write) = UnixStream::pair()?;
        *self.other_end.lock().unwrap_or_else(PoisonError::into_inner) = Some(write);
        Ok(Arc::new(read.into()))
    }

    /// Rings it.
    pub(super) fn ring(&self) {
        if let Some(other_end) = &mut *self.other_end.lock().unwrap_or_else(PoisonError::into_inner) {
            let _ = other_end.write_all(b"!"); // nobody thinks any more
        }
    }

    /// Whether an engine is to move.
    pub(super) fn is_thinking(&self) -> bool {
        self.is_thinking.load(Ordering::Relaxed)
    }
}

/// A table that is to be opened.
pub(super) struct Order {
    rules: Arc<dyn Rules>,
    sittings: PerSeat<Sitting>,
    start: String,
    opening: Option<Vec<String>>,
    past: Vec<PastMove>,
    /// Whether another seed gives another start.
    is_drawn: bool,
}

impl Order {
    /// Reads what is to be played.
    ///
    /// # Errors
    /// A sentence that says what is wrong.
    pub(super) fn read(wish: &OpenWish, room: &Room<'_>) -> Result<Order, String> {
        let rules = lobby::rules(room, &wish.game)?;
        let seats = rules.seats().len();
        if wish.seats.len() != seats {
            return Err(format!("This game has {seats} seats."));
        }
        let sittings = wish
            .seats
            .iter()
            .map(|seat| Sitting::read(seat, rules.as_ref(), room))
            .collect::<Result<Vec<_>, _>>()?;
        let position = wish.position.as_deref().map(str::trim).filter(|text| !text.is_empty());
        let Opening { game, moves: opening } = match position {
            Some(text) => openings::read(text, rules.as_ref())
                .map_err(|why| format!("The position: {}.", clean(&why)))?,
            None => Opening { game: rules.start(wish.seed.unwrap_or_else(seed)), moves: Some(Vec::new()) },
        };
        let start = game.text();
        let opening =
            opening.filter(|moves| !moves.is_empty()).or_else(|| openings::no_moves(&start, rules.as_ref()));
        if wish.moves.len() > MOST_MOVES {
            return Err(format!("A game can be opened with at most {MOST_MOVES} moves."));
        }
        let mut game = game;
        let moves = wish.moves.iter().map(String::as_str);
        let past = agon_games::play_all(game.as_mut(), rules.seats(), moves)
            .map_err(|stuck| format!("The moves: {}.", clean(&stuck.to_string())))?;
        if let Some(over) = game.status().over() {
            return Err(format!("The game is over in this position: {}.", over.why));
        }
        let is_drawn = position.is_none() && rules.start(1).text() != rules.start(2).text();
        let past = past.into_iter().map(PastMove::untimed).collect();
        Ok(Order { sittings: sittings.into(), start, opening, past, is_drawn, rules })
    }

    /// The seats whose moves an operator enters.
    pub(super) fn remote_seats(&self) -> Vec<Seat> {
        self.sittings.iter().filter(|(_, one)| one.kind == SeatKind::Remote).map(|(seat, _)| seat).collect()
    }

    /// What stays the same as long as the table is open.
    pub(super) fn look(&self) -> Value {
        match self.rules.resume(&self.start) {
            Ok(game) => board::board(self.rules.as_ref(), game.as_ref()),
            Err(_) => Value::Null, // it was read before
        }
    }
}

/// A seed that nobody has seen.
fn seed() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(1, |since| u64::from(since.subsec_micros()))
}

/// Why the loop of a game is left.
enum Leave {
    /// Moves are taken back: so many plies are kept.
    Undo(usize),
    /// The same game from its start.
    Again,
    /// This seat gives the game up.
    Resigned(Seat),
    /// The time of this seat is over.
    Flagged(Seat),
    /// The table closes.
    Closed(String),
    /// The bell has rung.
    Rung,
}

/// A table that is open.
pub(super) struct Table<'a> {
    order: Order,
    room: &'a Room<'a>,
    inbox: Receiver<Asked>,
    /// What was asked while the table did something else.
    stash: VecDeque<Asked>,
    bell: Arc<Bell>,
    output: Arc<Output>,
    desk: Desk,
}

impl<'a> Table<'a> {
    /// A table with the pieces on their places.
    pub(super) fn new(
        order: Order,
        room: &'a Room<'a>,
        number: u64,
        inbox: Receiver<Asked>,
        bell: Arc<Bell>,
        output: Arc<Output>,
    ) -> Self {
        let rules = &order.rules;
        // It was read from this text before.
        let game = rules.resume(&order.start).unwrap_or_else(|_| rules.start(1));
        let mut desk = Desk::new(rules.clone(), game, number, output.clone());
        desk.resume(&order.past);
        Table { order, room, inbox, stash: VecDeque::new(), bell, output, desk }
    }

    /// Plays until the table closes. Returns why.
    pub(super) fn run(mut self) -> String {
        let rules = self.order.rules.clone();
        let sittings = std::mem::replace(&mut self.order.sittings, Vec::new().into());
        loop {
            let why = match self.game(rules.as_ref(), &sittings) {
                Ok(leave) => leave,
                Err(error) => Leave::Closed(format!("The table cannot go on: {error}.")),
            };
            match why {
                Leave::Undo(plies) => self.desk.rewind(plies, None),
                Leave::Again => {
                    let fresh = self.order.is_drawn.then(|| rules.start(seed()));
                    if let Some(fresh) = &fresh {
                        self.order.opening = openings::no_moves(&fresh.text(), rules.as_ref());
                    }
                    self.desk.rewind(0, fresh);
                }
                Leave::Closed(why) => return why,
                Leave::Rung | Leave::Resigned(_) | Leave::Flagged(_) => {}
            }
        }
    }

    /// Plays from where the game stands to its end, and waits there. Engines live as long as this.
    fn game(&mut self, rules: &dyn Rules, sittings: &PerSeat<Sitting>) -> io::Result<Leave> {
        let seated = Seated {
            rules,
            engines: PerSeat::from_fn(sittings.len(), |seat| sittings[seat].engine.as_ref()),
            controls: sittings.map(|_, sitting| sitting.control),
            margin: self.room.limits.margin,
            limits: Limits { stop: Some(self.bell.hang()?), ..self.room.limits.clone() },
            scratch: self.room.scratch,
        };
        let full = sittings.map(|_, sitting| sitting.has_clock.then_some(Duration::ZERO));
        self.desk.show(Phase::Starts, sittings, &full);
        self.bell.is_thinking.store(true, Ordering::Relaxed);
        let opened =
            Session::open(&seated, self.desk.start.clone(), self.order.opening.clone(), &self.desk.past());
        let mut session = match opened {
            Ok(session) => session,
            Err(trouble) => return self.over(of_trouble(trouble, sittings)?, sittings, &full),
        };
        let Session { game, engines, .. } = &mut session;
        let end = game.play_on(&mut AtTable { table: self, sittings, engines });
        let left = left(&session.game.clocks, sittings, None);
        let names = |seat: Seat| clean(&sittings[seat].name);
        let side = |seat: Seat| rules.seats()[seat.index()];
        let how = match end {
            GameEnd::Over(outcome) => Some(result(&outcome, rules)),
            GameEnd::PlyLimit | GameEnd::Known(_) => Some("the game was ended".to_owned()),
            GameEnd::Resigned(seat) | GameEnd::Left(Leave::Resigned(seat)) => {
                Some(format!("{} resigns, so {} has won", side(seat), side(seat.other())))
            }
            GameEnd::Left(Leave::Flagged(seat)) => {
                Some(format!("the time of {} is over, so {} has won", side(seat), side(seat.other())))
            }
            GameEnd::Refused { seat, line, refusal } => {
                Some(format!("{} wrote \"{}\", and that loses: {refusal}", names(seat), escape(&line, 200)))
            }
            GameEnd::Trouble(trouble) => of_trouble(trouble, sittings)?,
            GameEnd::Left(leave) => {
                session.engines.end(Patience::None, None);
                return Ok(leave);
            }
        };
        session.engines.end(if how.is_some() { Patience::All } else { Patience::None }, None);
        self.over(how, sittings, &left)
    }

    /// The game is over, if it is known how; waits for what comes next.
    fn over(
        &mut self,
        how: Option<String>,
        sittings: &PerSeat<Sitting>,
        left: &PerSeat<Option<Duration>>,
    ) -> io::Result<Leave> {
        self.bell.is_thinking.store(false, Ordering::Relaxed);
        let Some(how) = how else {
            // Rung: what for stands in the inbox.
            return Ok(self.waiting(sittings, None).unwrap_or(Leave::Rung));
        };
        self.desk.ends(how);
        self.desk.show(Phase::Over, sittings, left);
        loop {
            let Some(asked) = self.next(None) else { return Ok(Leave::Closed(String::new())) };
            if let TableWish::Move { .. } | TableWish::Hint | TableWish::Resign = asked.wish {
                self.output.refuse(asked.number, 409, "The game is over.");
            } else if let Some(leave) = self.heed(&asked, sittings, None) {
                return Ok(leave);
            }
        }
    }

    /// The next thing that is asked, if something is before the time is over.
    fn next(&mut self, until: Option<Instant>) -> Option<Asked> {
        if let Some(asked) = self.stash.pop_front() {
            return Some(asked);
        }
        match until {
            None => self.inbox.recv().ok(),
            Some(until) => self.inbox.recv_deadline(until).ok(),
        }
    }

    /// Heeds all that was asked already; tells whether the loop is left for it. Moves are too late.
    fn waiting(&mut self, sittings: &PerSeat<Sitting>, turn: Option<Seat>) -> Option<Leave> {
        self.stash.extend(self.inbox.try_iter());
        while let Some(asked) = self.stash.pop_front() {
            if let TableWish::Move { .. } | TableWish::Hint = asked.wish {
                self.output.refuse(asked.number, 409, "It is not your turn.");
            } else if let Some(leave) = self.heed(&asked, sittings, turn) {
                return Some(leave);
            }
        }
        None
    }

    /// Does what is asked, unless it is a move or a hint. `turn` is the seat to move.
    fn heed(&mut self, asked: &Asked, sittings: &PerSeat<Sitting>, turn: Option<Seat>) -> Option<Leave> {
        let refuse = |status, why: &str| self.output.refuse(asked.number, status, why);
        let is_guest = asked.seat.is_some();
        let leave = match &asked.wish {
            TableWish::Undo | TableWish::Again if is_guest => {
                refuse(403, "Only who opened the table can do this.");
                return None;
            }
            TableWish::Undo => match self.desk.before_last(|seat| sittings[seat].kind != SeatKind::Engine) {
                Some(plies) => Leave::Undo(plies),
                None => {
                    refuse(409, "There is no move of yours to take back.");
                    return None;
                }
            },
            TableWish::Again => Leave::Again,
            TableWish::Resign => {
                let theirs = |seat: &Seat| match asked.seat {
                    Some(own) => *seat == own,
                    None => sittings[*seat].kind == SeatKind::Person,
                };
                match turn.filter(theirs).or_else(|| sittings.seats().find(theirs)) {
                    Some(seat) => Leave::Resigned(seat),
                    None => {
                        refuse(409, "No person plays here.");
                        return None;
                    }
                }
            }
            TableWish::Close { .. } if is_guest => {
                refuse(403, "Only who opened the table can close it.");
                return None;
            }
            TableWish::Close { why } => Leave::Closed(
                why.clone()
                    .filter(|_| asked.number == 0)
                    .unwrap_or_else(|| "This table was closed.".to_owned()),
            ),
            TableWish::Entered | TableWish::Answered => {
                refuse(409, "It is not the turn of this seat.");
                return None;
            }
            TableWish::Look | TableWish::Move { .. } | TableWish::Hint => return None,
        };
        if asked.number > 0 {
            self.output.answer(asked.number, 200, &json!({}));
        }
        Some(leave)
    }
}

/// What is left on each clock that runs or stands. `spent` is what the seat to move has used.
fn left(
    clocks: &PerSeat<Clock>,
    sittings: &PerSeat<Sitting>,
    spent: Option<(Seat, Duration)>,
) -> PerSeat<Option<Duration>> {
    clocks.map(|seat, clock| {
        let used = spent.filter(|(whose, _)| *whose == seat).map_or(Duration::ZERO, |(_, used)| used);
        sittings[seat].has_clock.then(|| clock.left().saturating_sub(used))
    })
}

/// The result in one line.
fn result(outcome: &Outcome, rules: &dyn Rules) -> String {
    let first = outcome.places.iter().filter(|(_, place)| **place == 1);
    let winners: Vec<&str> = first.map(|(seat, _)| rules.seats()[seat.index()]).collect();
    let scores: Vec<String> = outcome.scores.values().iter().map(i32::to_string).collect();
    let who = if winners.len() == 1 { format!("{} has won", winners[0]) } else { "a draw".to_owned() };
    format!("{}: {who}, {}", outcome.why, scores.join("-"))
}

/// How the game ends by a trouble; none if the bell has rung.
fn of_trouble(trouble: Trouble, sittings: &PerSeat<Sitting>) -> io::Result<Option<String>> {
    match trouble {
        Trouble::Fault(fault) => {
            let name = clean(&sittings[fault.seat].name);
            Ok(Some(format!("{name} has lost by {}: {}", fault.cause.name(), clean(&fault.why))))
        }
        Trouble::Stopped => Ok(None),
        Trouble::Ours(error) => Err(error),
    }
}

/// Who plays a game at a table.
struct AtTable<'s, 't, 'a> {
    table: &'s mut Table<'t>,
    sittings: &'s PerSeat<Sitting>,
    engines: &'s mut Engines<'a>,
}

impl Players for AtTable<'_, '_, '_> {
    type Leave = Leave;

    fn ask(
        &mut self,
        seat: Seat,
        game: &dyn Game,
        clocks: &PerSeat<Clock>,
    ) -> Result<OfferedMove, GameEnd<Leave>> {
        let sitting = &self.sittings[seat];
        if sitting.engine.is_none() {
            self.table.bell.is_thinking.store(false, Ordering::Relaxed);
            return self.person(seat, game, clocks).map_err(GameEnd::Left);
        }
        self.table.bell.is_thinking.store(true, Ordering::Relaxed);
        if let Some(leave) = self.table.waiting(self.sittings, Some(seat)) {
            return Err(GameEnd::Left(leave));
        }
        self.table.desk.show(Phase::ToMove(seat), self.sittings, &left(clocks, self.sittings, None));
        match self.engines.ask(seat, game, clocks) {
            Ok(offered) => Ok(offered),
            Err(Trouble::Stopped) => {
                Err(GameEnd::Left(self.table.waiting(self.sittings, Some(seat)).unwrap_or(Leave::Rung)))
            }
            Err(trouble) => Err(GameEnd::Trouble(trouble)),
        }
    }

    fn played(&mut self, ply: &Ply) {
        self.table.desk.note(ply);
        if self.sittings.values().iter().all(|sitting| sitting.engine.is_some()) {
            self.pause();
        }
        self.engines.tell(ply.seat, &ply.text);
    }
}

impl AtTable<'_, '_, '_> {
    /// Lets those who watch see a move before the next one.
    fn pause(&mut self) {
        let until = Instant::now() + PACE;
        match self.table.inbox.recv_deadline(until) {
            Ok(asked) => self.table.stash.push_back(asked),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
        }
    }

    /// Waits for the move of a person or an operator.
    fn person(&mut self, seat: Seat, game: &dyn Game, clocks: &PerSeat<Clock>) -> Result<OfferedMove, Leave> {
        let (table, sittings) = (&mut *self.table, self.sittings);
        table.desk.show(Phase::ToMove(seat), sittings, &left(clocks, sittings, None));
        let asked_at = Instant::now();
        let sitting = &sittings[seat];
        let is_remote = sitting.kind == SeatKind::Remote;
        let extra = if is_remote { table.room.operator } else { Duration::ZERO };
        let flag = sitting.has_clock.then(|| asked_at + clocks[seat].left() + extra);
        let mut thinking = Thinking::default();
        loop {
            let Some(asked) = table.next(flag) else {
                let is_flag = flag.is_some_and(|flag| flag <= Instant::now());
                return Err(if is_flag { Leave::Flagged(seat) } else { Leave::Closed(String::new()) });
            };
            let refuse = |status, why: String| table.output.refuse(asked.number, status, why);
            let may = asked.seat.map_or(!is_remote, |own| own == seat);
            match &asked.wish {
                TableWish::Move { .. } if !may => {
                    refuse(403, "Another seat is to move.".to_owned());
                }
                TableWish::Move { ply, .. } if *ply != table.desk.plies() => {
                    refuse(409, "The board has changed since then.".to_owned());
                }
                TableWish::Move { text, .. } => {
                    let line = with_side(text.trim(), table.order.rules.seats(), seat);
                    // Nothing is lost by a slip of the finger.
                    let line = match game.read(line.as_bytes()) {
                        Ok((line, _)) => line,
                        Err(refusal) => {
                            refuse(422, format!("{}.", clean(&refusal.to_string())));
                            continue;
                        }
                    };
                    table.output.answer(asked.number, 200, &json!({}));
                    let mut time = asked_at.elapsed();
                    if is_remote {
                        let overhead = thinking.overhead(time);
                        table.desk.overhead = overhead;
                        time -= overhead.unwrap_or(time).min(extra);
                    }
                    return Ok(OfferedMove {
                        line: line.into_bytes(),
                        time: whole_micros(time),
                        thought: None,
                    });
                }
                TableWish::Hint => {
                    hints::answer(
                        asked.number,
                        table.order.rules.as_ref(),
                        game.text(),
                        &game.moves(),
                        table.output.clone(),
                    );
                }
                TableWish::Entered if may && is_remote => {
                    thinking = Thinking { from: Some(asked_at.elapsed()), to: None };
                    table.output.answer(asked.number, 200, &json!({}));
                }
                TableWish::Answered if may && is_remote && thinking.from.is_some() => {
                    thinking.to = Some(asked_at.elapsed());
                    table.output.answer(asked.number, 200, &json!({}));
                }
                _ => {
                    if let Some(leave) = table.heed(&asked, sittings, Some(seat)) {
                        return Err(leave);
                    }
                }
            }
        }
    }
}

/// When a program elsewhere thought, as its operator says, since the move was shown.
#[derive(Default)]
struct Thinking {
    from: Option<Duration>,
    to: Option<Duration>,
}

impl Thinking {
    /// What the operator took of this time; none if that is not known.
    fn overhead(&self, time: Duration) -> Option<Duration> {
        Some(time.saturating_sub(self.to?.saturating_sub(self.from?)))
    }
}
