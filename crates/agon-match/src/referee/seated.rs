//! The engines of one game at their seats, for both kinds of games: their processes, their
//! directories, their handshakes, and what is seen of them.

use std::time::{Duration, Instant};

use agon_programs::spec::EngineSpec;
use agon_protocol::{Conversation, ProcessSpan, Reply};
use agon_record::reason::{FaultFact, FaultNote, QuotedLine};
use agon_record::{SpentTime, Unanswered};
use agon_seats::{PerSeat, Seat};
use agon_standings::result::Cause;

use super::pool::{EnginePool, Parked};
use crate::processes::{EngineStart, Fault, GameProcesses, Limits, Patience, SeatSeen, Trouble, WorkDir};

/// The most characters that are shown of a line in a handshake that was not expected.
const UNEXPECTED: usize = 100;

/// How often programs are started anew in a game that draw by lot who begins.
const LOTS: usize = 64;

/// How an engine comes into the game.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Arrival {
    /// Its process is started for this game.
    Starts,
    /// Its process has played before.
    GoesOn,
    /// Its process is started when its next turn comes. To the engine the game begins there.
    JoinsLate,
}

/// An engine at its seat, with a conversation of the kind `T`.
pub(super) struct SeatedEngine<'a, T: ?Sized> {
    pub(super) spec: &'a EngineSpec,
    pub(super) arrival: Arrival,
    pub(super) talk: Box<T>,
    /// It is removed when the process has ended, and not before.
    pub(super) directory: WorkDir,
    /// How its process was started, to be shown.
    pub(super) command: Vec<String>,
    /// How long it took to say that it is ready.
    pub(super) handshake: Duration,
}

/// The question that has no answer yet.
struct OpenQuestion {
    seat: Seat,
    allowance: Duration,
    /// Which question of the game it is; none if it is the handshake.
    number: Option<usize>,
}

/// All engines of a game.
pub(super) struct SeatedEngines<'a, T: ?Sized> {
    // Before the players: dropped in this order, the processes end before their directories are
    // removed.
    pub(super) processes: GameProcesses,
    pub(super) players: PerSeat<Option<SeatedEngine<'a, T>>>,
    /// What each seat is called in a notice of whom the game waits for.
    called: fn(&'static [&'static str], Seat) -> String,
    seats: &'static [&'static str],
    startup: Duration,
    open_question: Option<OpenQuestion>,
    /// Turns in which others kept an engine from a processor, and those that were lost on time.
    spent: Vec<(Seat, SpentTime)>,
    /// How often programs were started anew because of their lots.
    lots: usize,
}

/// What is left of the engines of a game that is over.
pub(super) struct EnginesLeft {
    pub(super) seen: PerSeat<SeatSeen>,
    /// The seats whose evidence is kept, each with the command that started its engine.
    pub(super) at_fault: Vec<(Seat, Vec<String>)>,
    pub(super) unanswered: Vec<(Seat, Unanswered)>,
    /// How turns were spent that are for the record.
    pub(super) spent: Vec<(Seat, SpentTime)>,
    /// When the game was over; none if it could not begin.
    pub(super) finished: Option<Instant>,
}

impl EnginesLeft {
    /// What is left of a game of so many seats that could not begin.
    pub(super) fn nothing(seats: usize) -> Self {
        EnginesLeft {
            seen: PerSeat::from_fn(seats, |_| SeatSeen::default()),
            at_fault: Vec::new(),
            unanswered: Vec::new(),
            spent: Vec::new(),
            finished: None,
        }
    }
}

impl<'a, T: Conversation + ?Sized> SeatedEngines<'a, T> {
    /// These engines, whose processes come so into the game. `called` names a seat in notices.
    pub(super) fn new(
        seated: Vec<(EngineStart, Option<SeatedEngine<'a, T>>)>,
        seats: &'static [&'static str],
        called: fn(&'static [&'static str], Seat) -> String,
        limits: &Limits,
    ) -> Self {
        let (starts, players): (Vec<_>, Vec<_>) = seated.into_iter().unzip();
        let players: PerSeat<Option<SeatedEngine<'a, T>>> = players.into();
        let mut processes = GameProcesses::new(starts, limits.clone());
        if let Some(log) = &limits.traffic {
            processes.log_to(players.map(|seat, player| {
                player.as_ref().map(|player| log.seat(seats[seat.index()], &player.spec.name))
            }));
        }
        for (seat, player) in players.iter() {
            if let Some(player) = player
                && let Some(elsewhere) = &player.spec.elsewhere
            {
                processes.is_elsewhere(seat, player.directory.path(), elsewhere);
            }
        }
        let startup = limits.terms.startup;
        let (open_question, spent) = (None, Vec::new());
        SeatedEngines { processes, players, called, seats, startup, open_question, spent, lots: 0 }
    }

    /// Goes through the handshake, if the protocol of this seat has one and it is still to come,
    /// within the start-up budget. Returns whether there was one.
    ///
    /// # Errors
    /// [`Trouble`], as [`GameProcesses::hear`] has it.
    pub(super) fn ready(&mut self, seat: Seat) -> Result<bool, Trouble> {
        let Some(player) = &mut self.players[seat] else { return Ok(false) };
        if player.arrival == Arrival::JoinsLate || player.talk.awaits().is_none() {
            return Ok(false);
        }
        self.processes.start(seat)?;
        self.processes.tell(seat, &player.talk.hello());
        let (called, seats) = (self.called, self.seats);
        self.processes.awaits(|| format!("{} ({}) before the game", player.spec.name, called(seats, seat)));
        self.processes.ask(seat, self.startup);
        self.open_question = Some(OpenQuestion { seat, allowance: self.startup, number: None });
        let mut unexpected = None;
        player.handshake = loop {
            let answer = self
                .processes
                .hear()
                .map_err(|trouble| not_ready(trouble, seat, player.talk.as_ref(), unexpected.take()))?;
            let line = QuotedLine::cut(&answer.line, UNEXPECTED);
            match heard(player.talk.as_mut(), answer.line, answer.whole) {
                Reply::Ready => break answer.time,
                Reply::Tell(text) => self.processes.tell_more(&text),
                Reply::Refused(why) => {
                    let why = FaultFact::RefusedToPlay(why).into();
                    return Err(Trouble::Fault(Fault { seat, cause: Cause::StartFailed, why }));
                }
                Reply::Again => {
                    self.draw_again(seat)?;
                    return Ok(false);
                }
                Reply::Nothing if !line.text.is_empty() => unexpected = Some(line),
                Reply::Move(_) | Reply::NoMove { .. } | Reply::Thought(_) | Reply::Nothing => {}
            }
        };
        self.open_question = None;
        self.processes.end_far_turn(seat);
        Ok(true)
    }

    /// Ends a program that has drawn by lot that another seat begins than in this game. It is
    /// started anew for its turn.
    ///
    /// # Errors
    /// Its fault: it has never drawn what fits.
    pub(super) fn draw_again(&mut self, seat: Seat) -> Result<(), Trouble> {
        self.lots += 1;
        if self.lots > LOTS {
            let why = format!("it has drawn {LOTS} times who begins, and never as in this game");
            let why = FaultFact::Told(why).into();
            return Err(Trouble::Fault(Fault { seat, cause: Cause::StartFailed, why }));
        }
        let Some(player) = &mut self.players[seat] else { return Ok(()) };
        player.arrival = Arrival::JoinsLate;
        self.open_question = None;
        self.processes.retire(seat, b"");
        Ok(())
    }

    /// Puts the question of this number, which has been sent, and starts its clock. `what` it is, a
    /// ply or a question, is said in notices. Of an engine that is behind, what it has written
    /// comes first.
    pub(super) fn put(
        &mut self,
        seat: Seat,
        allowance: Duration,
        what: &str,
        number: usize,
        is_behind: bool,
    ) -> Result<(), Trouble> {
        self.processes.start(seat)?;
        let (called, seats) = (self.called, self.seats);
        if let Some(player) = &self.players[seat] {
            let name = &player.spec.name;
            self.processes.awaits(|| format!("{name} ({}) at {what} {number}", called(seats, seat)));
        }
        if is_behind {
            self.processes.go_on(seat, b"", allowance);
        } else {
            self.processes.ask(seat, allowance);
        }
        self.open_question = Some(OpenQuestion { seat, allowance, number: Some(number) });
        Ok(())
    }

    /// The time of an answer by the clock of its engine. The open question has its answer.
    ///
    /// # Errors
    /// As [`GameProcesses::own_time`].
    pub(super) fn answered(&mut self, time: Duration) -> Result<Duration, Trouble> {
        let time = self.processes.own_time(time)?;
        self.note_spent();
        self.open_question = None;
        Ok(time)
    }

    /// Notes how the turn of the open question was spent, if that is for the record.
    pub(super) fn note_spent(&mut self) {
        let Some(&OpenQuestion { seat, number, .. }) = self.open_question.as_ref() else { return };
        self.spent.extend(self.processes.take_spent(number.unwrap_or(0)).map(|spent| (seat, spent)));
    }

    /// The open question is no question any more: what has come in its place decides.
    pub(super) fn give_up(&mut self) {
        self.open_question = None;
    }

    /// The question that was left without an answer, and whose it was.
    pub(super) fn unanswered(&self) -> Option<(Seat, Unanswered)> {
        let &OpenQuestion { seat, allowance, number } = self.open_question.as_ref()?;
        Some((seat, Unanswered { time: self.processes.waited(), allowance, greeting: number.is_none() }))
    }

    /// The seat whose move has not come.
    pub(super) fn open_seat(&self) -> Option<Seat> {
        self.open_question.as_ref().filter(|question| question.number.is_some()).map(|question| question.seat)
    }

    /// Ends the engines of a game that is over. Evidence of the seats at fault is kept, and the
    /// questions that they have left without an answer.
    pub(super) fn leave(
        mut self,
        patience: Patience,
        at_fault: &[Seat],
        unanswered: Vec<(Seat, Unanswered)>,
        pool: Option<&mut EnginePool>,
    ) -> EnginesLeft {
        self.note_spent();
        let command = |seat: &Seat| self.players[*seat].as_ref().map(|player| player.command.clone());
        let at_fault = at_fault.iter().map(|seat| (*seat, command(seat).unwrap_or_default())).collect();
        let spent = std::mem::take(&mut self.spent);
        let finished = Some(Instant::now());
        EnginesLeft { seen: self.end(patience, pool), at_fault, unanswered, spent, finished }
    }

    /// The processes exit, or go into the pool for the next game.
    pub(super) fn end(self, patience: Patience, mut pool: Option<&mut EnginePool>) -> PerSeat<SeatSeen> {
        let SeatedEngines { mut processes, mut players, .. } = self;
        let stay = players.map(|_, player| {
            pool.is_some()
                && player.as_ref().is_some_and(|player| player.spec.process == ProcessSpan::Pairing)
        });
        for (seat, player) in players.iter_mut() {
            let Some(player) = player else { continue };
            match player.talk.break_off() {
                _ if !stay[seat] => processes.tell(seat, player.spec.protocol.farewell()),
                b"" => {}
                stop => processes.tell(seat, stop),
            }
        }
        let closed =
            processes.close_but(patience, &stay).into_values().into_iter().zip(players.into_values());
        let seen: Vec<SeatSeen> = closed
            .map(|((mut seen, process), player)| {
                let Some(SeatedEngine { spec, directory, handshake, talk, .. }) = player else { return seen };
                seen.startup += handshake;
                if let Some(pool) = &mut pool {
                    if seen.pinned {
                        pool.single.insert(spec.name.clone());
                    } else {
                        pool.single.remove(&spec.name);
                    }
                    if let Some(process) = process {
                        let farewell = spec.protocol.farewell();
                        let announced = talk.announced().to_vec();
                        let parked = Parked { process, directory, farewell, announced };
                        pool.parked.insert(spec.name.clone(), parked);
                    }
                }
                seen
            })
            .collect();
        seen.into()
    }
}

/// The meaning of a line, or of text behind which an engine waits.
pub(super) fn heard<T: Conversation + ?Sized>(talk: &mut T, text: Vec<u8>, whole: bool) -> Reply {
    if whole { talk.hear(text) } else { talk.hear_prompt(&text) }
}

/// The fault of an engine that has not answered, with what its conversation tells of it.
pub(super) fn remarked<T: Conversation + ?Sized>(trouble: Trouble, seat: Seat, talk: &T) -> Trouble {
    match (trouble, talk.remark()) {
        (Trouble::Fault(Fault { seat: by, cause, why }), Some(remark)) if by == seat => {
            Trouble::Fault(Fault { seat, cause, why: why.with(FaultNote::Remark(remark)) })
        }
        (other, _) => other,
    }
}

/// The fault of an engine that did not come through its handshake.
fn not_ready<T: Conversation + ?Sized>(
    trouble: Trouble,
    seat: Seat,
    talk: &T,
    unexpected: Option<QuotedLine>,
) -> Trouble {
    match trouble {
        Trouble::Fault(Fault { seat: by, cause, why }) if by == seat => {
            let mut why = why.awaiting(talk.awaits());
            let remark = talk.remark().filter(|_| cause == Cause::TimeForfeit);
            let quotes =
                |line: &QuotedLine| remark.as_ref().is_some_and(|words| words.contains(&line.to_string()));
            why.notes.extend(unexpected.filter(|line| !quotes(line)).map(FaultNote::Unexpected));
            why.notes.extend(remark.map(FaultNote::Remark));
            Trouble::Fault(Fault { seat, cause, why })
        }
        other => other,
    }
}
