//! One table: the loop of a game with persons, engines and programs elsewhere on its seats.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use agon_games::{Game, Rules, with_side};
use agon_match::openings::{self, Opening};
use agon_match::processes::{Limits, Patience, Trouble};
use agon_match::referee::{Engines, GameEnd, OfferedMove, Players, solved_tables};
use agon_printable::clean;
use agon_protocol::without_side;
use agon_record::Ply;
use agon_seats::{Clock, PerSeat, Seat, whole_micros};
use chrono::DateTime;
use crossbeam_channel::{Receiver, RecvTimeoutError};
use serde_json::{Value, json};

use super::desk::Budgets;
use super::ending::{Leave, TableEnd, TableEnding};
use super::requests::{OpenRequest, PendingRequest, SeatKind, TableRequest};
use super::seats::SeatSpec;
use super::view::{GameView, TablePhase};
use super::{Output, TablesSpec, board, hints, lobby};
use crate::choices;
use crate::play::session::{PastMove, PlaySession, Seated};

/// Where only engines play, each move is shown for this time.
const PACE: Duration = Duration::from_millis(400);
/// So long a table waits at most for what arrived at the server before a person's time was over.
const ON_ITS_WAY: Duration = Duration::from_secs(5);
/// The most moves that a table can be opened with.
const MOST_MOVES: usize = 2000;

/// Ends the thinking of an engine, because somebody wants something that cannot wait.
#[derive(Default)]
pub(super) struct Interrupt {
    other_end: Mutex<Option<UnixStream>>,
    is_thinking: AtomicBool,
}

impl Interrupt {
    /// What is readable as soon as the interrupt was sent, for the next session.
    fn arm(&self) -> io::Result<Arc<OwnedFd>> {
        let (read, write) = UnixStream::pair()?;
        *self.other_end.lock().unwrap_or_else(PoisonError::into_inner) = Some(write);
        Ok(Arc::new(read.into()))
    }

    /// Sends it.
    pub(super) fn send(&self) {
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
pub(super) struct TableSpec {
    rules: Arc<dyn Rules>,
    seat_specs: PerSeat<SeatSpec>,
    start: String,
    opening: Option<Vec<String>>,
    past: Vec<PastMove>,
    /// Whether another seed gives another start.
    is_drawn: bool,
    /// What the start and the seeds of the engines follow from.
    seed: u64,
}

impl TableSpec {
    /// Reads what is to be played.
    ///
    /// # Errors
    /// A sentence that says what is wrong.
    pub(super) fn read(request: &OpenRequest, spec: &TablesSpec<'_>) -> Result<TableSpec, String> {
        let rules = lobby::rules(spec, &request.game)?;
        let seed = request.seed.unwrap_or_else(|| seed(rules.as_ref()));
        let seats = rules.seats().len();
        if request.seats.len() != seats {
            return Err(format!("This game has {seats} seats."));
        }
        let seat_specs = request
            .seats
            .iter()
            .map(|seat| SeatSpec::read(seat, rules.as_ref(), spec))
            .collect::<Result<Vec<_>, _>>()?;
        let given = lobby::opening(rules.as_ref(), request.position.as_deref())?;
        let is_usual = given.is_none();
        let Opening { game, moves: opening } =
            given.unwrap_or_else(|| Opening { game: rules.start(seed), moves: Some(Vec::new()) });
        let start = game.text();
        let opening =
            opening.filter(|moves| !moves.is_empty()).or_else(|| openings::no_moves(&start, rules.as_ref()));
        if request.moves.len() > MOST_MOVES {
            return Err(format!("A game can be opened with at most {MOST_MOVES} moves."));
        }
        let mut game = game;
        let moves = request.moves.iter().map(String::as_str);
        let past = agon_games::play_all(game.as_mut(), rules.seats(), moves)
            .map_err(|stuck| format!("The moves: {}.", clean(&stuck.to_string())))?;
        if let Some(over) = game.status().over() {
            return Err(format!("The game is over in this position: {}.", over.why));
        }
        let is_drawn = is_usual && rules.start(1).text() != rules.start(2).text();
        let past = past.into_iter().map(PastMove::untimed).collect();
        Ok(TableSpec { seat_specs: seat_specs.into(), start, opening, past, is_drawn, seed, rules })
    }

    /// The seats whose moves an operator enters.
    pub(super) fn remote_seats(&self) -> Vec<Seat> {
        self.seat_specs.iter().filter(|(_, one)| one.kind == SeatKind::Remote).map(|(seat, _)| seat).collect()
    }

    /// What stays the same as long as the table is open.
    pub(super) fn look(&self) -> Value {
        match self.rules.resume(&self.start) {
            Ok(game) => board::board(self.rules.as_ref(), game.as_ref()),
            Err(_) => Value::Null, // it was read before
        }
    }
}

/// A seed that nobody has seen. If possible, the game is not over at its start: there are boards of
/// letters without a word.
fn seed(rules: &dyn Rules) -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let first = since.map_or(1, |since| u64::from(since.subsec_micros()));
    (first..first + 100).find(|seed| rules.start(*seed).status().over().is_none()).unwrap_or(first)
}

/// A table that is open.
pub(super) struct PlayTable<'a> {
    table_spec: TableSpec,
    spec: &'a TablesSpec<'a>,
    inbox: Receiver<PendingRequest>,
    /// What was asked while the table did something else.
    deferred: VecDeque<PendingRequest>,
    interrupt: Arc<Interrupt>,
    output: Arc<Output>,
    budgets: Arc<Budgets>,
    view: GameView,
    number: u64,
    /// How often the server was asked for what had arrived.
    syncs: u64,
}

impl<'a> PlayTable<'a> {
    /// A table with the pieces on their places.
    pub(super) fn new(
        table_spec: TableSpec,
        spec: &'a TablesSpec<'a>,
        number: u64,
        inbox: Receiver<PendingRequest>,
        interrupt: Arc<Interrupt>,
        (output, budgets): (Arc<Output>, Arc<Budgets>),
    ) -> Self {
        let rules = &table_spec.rules;
        // It was read from this text before.
        let game = rules.resume(&table_spec.start).unwrap_or_else(|_| rules.start(1));
        let mut view = GameView::new(rules.clone(), game, number, output.clone());
        view.resume(&table_spec.past);
        let deferred = VecDeque::new();
        PlayTable { table_spec, spec, inbox, deferred, interrupt, output, budgets, view, number, syncs: 0 }
    }

    /// Plays until the table closes. Returns why.
    pub(super) fn run(mut self) -> String {
        let rules = self.table_spec.rules.clone();
        let seat_specs = std::mem::replace(&mut self.table_spec.seat_specs, Vec::new().into());
        loop {
            let why = match self.game(rules.as_ref(), &seat_specs) {
                Ok(leave) => leave,
                Err(error) => Leave::Closed(format!("The table cannot go on: {error}.")),
            };
            match why {
                Leave::Undo(plies) => self.view.rewind(plies, None),
                Leave::Again => {
                    self.table_spec.seed = seed(rules.as_ref());
                    let fresh = self.table_spec.is_drawn.then(|| rules.start(self.table_spec.seed));
                    if let Some(fresh) = &fresh {
                        self.table_spec.opening = openings::no_moves(&fresh.text(), rules.as_ref());
                    }
                    self.view.rewind(0, fresh);
                    self.view.started = DateTime::from(SystemTime::now());
                }
                Leave::Closed(why) => return why,
                Leave::Interrupted | Leave::Resigned(_) | Leave::Flagged(_) => {}
            }
        }
    }

    /// Plays from where the game stands to its end, and waits there. Engines live as long as this.
    fn game(&mut self, rules: &dyn Rules, seat_specs: &PerSeat<SeatSpec>) -> io::Result<Leave> {
        let seated = Seated {
            rules,
            engines: PerSeat::from_fn(seat_specs.len(), |seat| seat_specs[seat].engine.as_ref()),
            controls: seat_specs.map(|_, seat_spec| seat_spec.control),
            limits: Limits { stop: Some(self.interrupt.arm()?), ..self.spec.limits.clone() },
            scratch: self.spec.scratch,
            seed: self.table_spec.seed,
        };
        let engines = seat_specs.iter().filter_map(|(_, seat_spec)| seat_spec.engine.as_ref());
        // Without tables an engine plays all the same, and nobody here could mend it.
        let _ = solved_tables::made_for(rules, engines);
        let full = seat_specs.map(|_, seat_spec| seat_spec.has_clock.then_some(Duration::ZERO));
        self.view.show(TablePhase::Starts, seat_specs, &full);
        self.interrupt.is_thinking.store(true, Ordering::Relaxed);
        let opened = PlaySession::open(
            &seated,
            self.view.start.clone(),
            self.table_spec.opening.clone(),
            &self.view.past(),
        );
        let mut session = match opened {
            Ok(session) => session,
            Err(trouble) => {
                let game = rules.resume(&self.view.start).ok();
                return self.after(
                    TableEnd::of_trouble(trouble, game.as_deref(), seat_specs),
                    seat_specs,
                    &full,
                );
            }
        };
        let PlaySession { game, engines, .. } = &mut session;
        let end = game.play_on(&mut AtTable { table: self, seat_specs, engines });
        let left = left(&session.game.clocks, seat_specs, None);
        let end = TableEnd::of(end, session.game.game.as_ref(), rules, seat_specs);
        let is_over = matches!(end, TableEnd::Over(_));
        session.engines.end(if is_over { Patience::All } else { Patience::None });
        self.after(end, seat_specs, &left)
    }

    /// What comes after the loop of a game.
    fn after(
        &mut self,
        end: TableEnd,
        seat_specs: &PerSeat<SeatSpec>,
        left: &PerSeat<Option<Duration>>,
    ) -> io::Result<Leave> {
        self.interrupt.is_thinking.store(false, Ordering::Relaxed);
        match end {
            TableEnd::Over(ending) => Ok(self.over(*ending, seat_specs, left)),
            TableEnd::Left(leave) => Ok(leave),
            // The reason for the interrupt is the next request of the inbox.
            TableEnd::Interrupted => Ok(self.waiting(seat_specs, None).unwrap_or(Leave::Interrupted)),
            TableEnd::Broken(error) => Err(error),
        }
    }

    /// Shows how the game ended, and waits for what comes next.
    fn over(
        &mut self,
        ending: TableEnding,
        seat_specs: &PerSeat<SeatSpec>,
        left: &PerSeat<Option<Duration>>,
    ) -> Leave {
        self.view.ends(ending);
        self.view.show(TablePhase::Over, seat_specs, left);
        loop {
            let Some(asked) = self.next(None) else { return Leave::Closed(String::new()) };
            if let TableRequest::Move { .. } | TableRequest::Hint | TableRequest::Resign = asked.request {
                self.output.refuse(asked.number, 409, "The game is over.");
            } else if let Some(leave) = self.heed(&asked, seat_specs, None) {
                return leave;
            }
        }
    }

    /// Asks the server to say when it has passed on all that has arrived.
    fn sync(&mut self) {
        self.syncs += 1;
        self.output.sync(self.number, self.syncs);
    }

    /// The next thing that is asked, if something is before the time is over.
    fn next(&mut self, until: Option<Instant>) -> Option<PendingRequest> {
        if let Some(asked) = self.deferred.pop_front() {
            return Some(asked);
        }
        match until {
            None => self.inbox.recv().ok(),
            Some(until) => self.inbox.recv_deadline(until).ok(),
        }
    }

    /// Heeds all that was asked already; tells whether the loop is left for it. Moves are too late.
    fn waiting(&mut self, seat_specs: &PerSeat<SeatSpec>, turn: Option<Seat>) -> Option<Leave> {
        self.deferred.extend(self.inbox.try_iter());
        while let Some(asked) = self.deferred.pop_front() {
            if let TableRequest::Move { .. } | TableRequest::Hint = asked.request {
                self.output.refuse(asked.number, 409, "It is not your turn.");
            } else if let Some(leave) = self.heed(&asked, seat_specs, turn) {
                return Some(leave);
            }
        }
        None
    }

    /// Does what is asked, unless it is a move or a hint. `turn` is the seat to move.
    fn heed(
        &mut self,
        asked: &PendingRequest,
        seat_specs: &PerSeat<SeatSpec>,
        turn: Option<Seat>,
    ) -> Option<Leave> {
        let refuse = |status, why: &str| self.output.refuse(asked.number, status, why);
        let is_guest = asked.seat.is_some();
        let leave = match &asked.request {
            TableRequest::Undo | TableRequest::Again if is_guest => {
                refuse(403, "Only who opened the table can do this.");
                return None;
            }
            TableRequest::Undo => {
                match self.view.before_last(|seat| seat_specs[seat].kind != SeatKind::Engine) {
                    Some(plies) => Leave::Undo(plies),
                    None => {
                        refuse(409, "There is no move of yours to take back.");
                        return None;
                    }
                }
            }
            TableRequest::Again => Leave::Again,
            TableRequest::Resign => {
                let theirs = |seat: &Seat| match asked.seat {
                    Some(own) => *seat == own,
                    None => seat_specs[*seat].kind == SeatKind::Person,
                };
                match turn.filter(theirs).or_else(|| seat_specs.seats().find(theirs)) {
                    Some(seat) => Leave::Resigned(seat),
                    None => {
                        refuse(409, "No person plays here.");
                        return None;
                    }
                }
            }
            TableRequest::Close { .. } if is_guest => {
                refuse(403, "Only who opened the table can close it.");
                return None;
            }
            TableRequest::Close { why } => Leave::Closed(
                why.clone()
                    .filter(|_| asked.number == 0)
                    .unwrap_or_else(|| "This table was closed.".to_owned()),
            ),
            TableRequest::Entered | TableRequest::Answered => {
                refuse(409, "It is not the turn of this seat.");
                return None;
            }
            TableRequest::Look | TableRequest::Move { .. } | TableRequest::Hint | TableRequest::Synced(_) => {
                return None;
            }
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
    seat_specs: &PerSeat<SeatSpec>,
    spent: Option<(Seat, Duration)>,
) -> PerSeat<Option<Duration>> {
    clocks.map(|seat, clock| {
        let used = spent.filter(|(whose, _)| *whose == seat).map_or(Duration::ZERO, |(_, used)| used);
        seat_specs[seat].has_clock.then(|| clock.left().saturating_sub(used))
    })
}

/// Who plays a game at a table.
struct AtTable<'s, 't, 'a> {
    table: &'s mut PlayTable<'t>,
    seat_specs: &'s PerSeat<SeatSpec>,
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
        let seat_spec = &self.seat_specs[seat];
        if seat_spec.engine.is_none() {
            self.table.interrupt.is_thinking.store(false, Ordering::Relaxed);
            return self.person(seat, game, clocks).map_err(GameEnd::Left);
        }
        self.table.interrupt.is_thinking.store(true, Ordering::Relaxed);
        if let Some(leave) = self.table.waiting(self.seat_specs, Some(seat)) {
            return Err(GameEnd::Left(leave));
        }
        self.table.view.show(TablePhase::ToMove(seat), self.seat_specs, &left(clocks, self.seat_specs, None));
        match self.engines.ask(seat, game, clocks) {
            Ok(offered) => Ok(offered),
            Err(Trouble::Stopped) => Err(GameEnd::Left(
                self.table.waiting(self.seat_specs, Some(seat)).unwrap_or(Leave::Interrupted),
            )),
            Err(trouble) => Err(GameEnd::Trouble(trouble)),
        }
    }

    fn played(&mut self, ply: &Ply) {
        self.table.view.note(ply);
        if self.seat_specs.values().iter().all(|seat_spec| seat_spec.engine.is_some()) {
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
            Ok(asked) => self.table.deferred.push_back(asked),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
        }
    }

    /// Waits for the move of a person or an operator. Its time ends when it arrives at the server,
    /// however long it takes to come here.
    fn person(&mut self, seat: Seat, game: &dyn Game, clocks: &PerSeat<Clock>) -> Result<OfferedMove, Leave> {
        let (table, seat_specs) = (&mut *self.table, self.seat_specs);
        table.view.show(TablePhase::ToMove(seat), seat_specs, &left(clocks, seat_specs, None));
        let asked_at = Instant::now();
        let seat_spec = &seat_specs[seat];
        let is_remote = seat_spec.kind == SeatKind::Remote;
        let extra = if is_remote { table.spec.operator } else { Duration::ZERO };
        let flag = seat_spec.has_clock.then(|| asked_at + clocks[seat].left() + extra);
        let mut thinking = Thinking::default();
        // When the time is over, until when what had arrived before may still come.
        let mut last: Option<Instant> = None;
        loop {
            let Some(asked) = table.next(last.or(flag)) else {
                let Some(flag) = flag.filter(|flag| *flag <= Instant::now()) else {
                    return Err(Leave::Closed(String::new()));
                };
                if last.is_some() {
                    return Err(Leave::Flagged(seat));
                }
                last = Some(flag.max(Instant::now()) + ON_ITS_WAY);
                table.sync();
                continue;
            };
            let refuse = |status, why: String| table.output.refuse(asked.number, status, why);
            let may = asked.seat.map_or(!is_remote, |own| own == seat);
            let used = asked.arrived.saturating_duration_since(asked_at);
            let is_late = flag.is_some_and(|flag| asked.arrived > flag);
            match &asked.request {
                TableRequest::Synced(number) if last.is_some() && *number == table.syncs => {
                    return Err(Leave::Flagged(seat));
                }
                TableRequest::Synced(_) => {}
                TableRequest::Close { .. } => {
                    if let Some(leave) = table.heed(&asked, seat_specs, Some(seat)) {
                        return Err(leave);
                    }
                }
                _ if is_late => refuse(409, "The time is over.".to_owned()),
                TableRequest::Move { .. } if !may => {
                    refuse(403, "Another seat is to move.".to_owned());
                }
                TableRequest::Move { ply, .. } if *ply != table.view.plies() => {
                    refuse(409, "The board has changed since then.".to_owned());
                }
                TableRequest::Move { text, .. } => {
                    let line = with_side(text.trim(), table.table_spec.rules.seats(), seat);
                    // Nothing is lost by a slip of the finger.
                    let places = match game.read(line.as_bytes()) {
                        Ok((line, _)) => vec![line],
                        Err(refusal) => match choices::places_of(game, text.trim()) {
                            places if places.is_empty() => {
                                let why = choices::why_no_word(game, text.trim());
                                let why = why.unwrap_or_else(|| refusal.to_string());
                                refuse(422, format!("{}.", clean(&why)));
                                continue;
                            }
                            places => places,
                        },
                    };
                    let [line] = &places[..] else {
                        table.output.answer(asked.number, 422, &several(text.trim(), &places));
                        continue;
                    };
                    table.output.answer(asked.number, 200, &json!({}));
                    let mut time = used;
                    if is_remote {
                        let overhead = thinking.overhead(time);
                        table.view.overhead = overhead;
                        time -= overhead.unwrap_or(time).min(extra);
                    }
                    return Ok(OfferedMove {
                        line: line.clone().into_bytes(),
                        time: whole_micros(time),
                        thought: None,
                    });
                }
                TableRequest::Hint => {
                    let rules = table.table_spec.rules.as_ref();
                    hints::answer(&asked, rules, game, table.output.clone(), table.budgets.clone());
                }
                TableRequest::Entered if may && is_remote => {
                    thinking = Thinking { from: Some(used), to: None };
                    table.output.answer(asked.number, 200, &json!({}));
                }
                TableRequest::Answered if may && is_remote && thinking.from.is_some() => {
                    thinking.to = Some(used);
                    table.output.answer(asked.number, 200, &json!({}));
                }
                _ => {
                    if let Some(leave) = table.heed(&asked, seat_specs, Some(seat)) {
                        return Err(leave);
                    }
                }
            }
        }
    }
}

/// What is answered to a word that can be taken in several places: these moves.
fn several(word: &str, places: &[String]) -> Value {
    let moves: Vec<Value> = places.iter().map(|mv| json!({ "move": without_side(mv) })).collect();
    let error =
        format!("{} can be taken in {} places: choose one below the board.", clean(word), moves.len());
    json!({ "error": error, "moves": moves })
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
