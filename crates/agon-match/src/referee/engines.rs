//! The engines of one game: how each is started, made ready, told of moves, asked for one, and
//! ended.

use std::io;
use std::time::Duration;

use agon_games::{Game, Rules};
use agon_printable::escape;
use agon_programs::spec::EngineSpec;
use agon_programs::wine;
use agon_protocol::{ProcessSpan, Reply, Start, Talk, TalkTerms};
use agon_record::reason::{FaultFact, FaultNote, QuotedLine};
use agon_record::{SpentTime, Unanswered};
use agon_seats::{Clock, PerSeat, Seat, TimeControl};
use agon_standings::result::Cause;

use super::game_loop::OfferedMove;
use super::pool::{EnginePool, Parked};
use super::start::{self, GameWords};
use crate::processes::{
    EngineStart, Fault, GameProcesses, Limits, Patience, Scratch, SeatSeen, Setup, Trouble, WorkDir,
};

/// How long an engine that may drop a command is waited for until it reads again, off all clocks.
const READER: Duration = Duration::from_millis(5);

/// The most characters that are shown of a line in a handshake that was not expected.
const UNEXPECTED: usize = 100;

/// How long an engine may take to say what it is called.
const INTRODUCTION: Duration = Duration::from_secs(1);

/// What the engines of a game need to know of it.
pub struct Seating<'a> {
    /// The game.
    pub rules: &'a dyn Rules,
    /// The engine of each seat; none where a person moves, or the harness itself.
    pub engines: PerSeat<Option<&'a EngineSpec>>,
    /// How much time each has.
    pub controls: PerSeat<TimeControl>,
    /// How long an engine may take to start, how it is confined, and when to stop.
    pub limits: Limits,
    /// Where engines get their directories.
    pub scratch: &'a Scratch,
    /// The moves with their sides that lead to the position in which the game begins, if they are
    /// known.
    pub opening: Option<Vec<String>>,
    /// The seed of the game. Each engine gets one of its own, which follows from it.
    pub seed: u64,
}

impl Seating<'_> {
    /// What the conversation with an engine needs to know, in this directory of its own.
    fn terms<'s>(
        &self,
        spec: &'s EngineSpec,
        start: Start,
        begun: bool,
        directory: &WorkDir,
    ) -> TalkTerms<'s> {
        TalkTerms {
            control: self.controls[start.seat],
            start,
            begun,
            options: &spec.options,
            words: &spec.words,
            console: spec.console.as_ref(),
            search: self.limits.terms.search,
            memory: self.limits.terms.confinement.memory,
            directory: start::place(directory, &spec.confinement(&self.limits.terms.confinement)).to_owned(),
            windows: wine::is_windows(&spec.program),
        }
    }
}

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

pub(super) struct SeatedEngine<'a> {
    spec: &'a EngineSpec,
    pub(super) arrival: Arrival,
    pub(super) talk: Box<dyn Talk>,
    /// It is removed when the process has ended, and not before.
    pub(super) directory: WorkDir,
    /// How its process was started, to be shown.
    command: Vec<String>,
    /// How long it took to say that it is ready.
    handshake: Duration,
}

struct OpenQuestion {
    seat: Seat,
    allowance: Duration,
    /// Whether it is the handshake.
    greeting: bool,
}

/// The engines of one game.
pub struct Engines<'a> {
    // Before the players: dropped in this order, the processes end before their directories are
    // removed.
    processes: GameProcesses,
    players: PerSeat<Option<SeatedEngine<'a>>>,
    seating: Seating<'a>,
    /// The question that has no answer yet.
    open_question: Option<OpenQuestion>,
    /// The number of moves that were played.
    plies: usize,
    /// The moves that lead to the position, if they are known and an engine will ask for them.
    moves: Option<Vec<String>>,
    /// Whether questions are put at once and only once: see [`Engines::hurry`].
    hurries: bool,
    /// Turns in which others kept an engine from a processor, and the one that was lost on time.
    spent: Vec<(Seat, SpentTime)>,
}

impl<'a> Engines<'a> {
    /// Gives each engine its directory with the game's files. Its process starts when it is first
    /// needed, or goes on if it is in the pool.
    ///
    /// # Errors
    /// Ours: no room for a directory, or arguments that cannot be filled in.
    pub fn start(
        seating: Seating<'a>,
        game: &dyn Game,
        mut pool: Option<&mut EnginePool>,
    ) -> io::Result<Self> {
        let (mut starts, mut players) = (Vec::new(), Vec::new());
        for (seat, engine) in seating.engines.iter() {
            let Some(spec) = *engine else {
                starts.push(EngineStart::NoProcess);
                players.push(None);
                continue;
            };
            let parked = pool.as_mut().and_then(|pool| pool.take(&spec.name));
            let (start, player) = if let Some(Parked { process, directory, .. }) = parked {
                let start = start::start(seating.rules, spec, seat, game, seating.opening.as_deref());
                let talk = spec.protocol.talk(&seating.terms(spec, start, true, &directory));
                let command = vec![escape(spec.c_program().as_bytes(), 400)];
                let arrival = Arrival::GoesOn;
                let player =
                    SeatedEngine { spec, arrival, talk, directory, command, handshake: Duration::ZERO };
                (EngineStart::GoOn(process), player)
            } else {
                let single = pool.as_ref().is_some_and(|pool| pool.single.contains(&spec.name));
                let (player, setup) = prepare(&seating, spec, seat, game, seating.opening.as_deref())?;
                (EngineStart::Later(Box::new(Setup { single, ..setup })), player)
            };
            starts.push(start);
            players.push(Some(player));
        }
        let mut processes = GameProcesses::new(starts, seating.limits.clone());
        if let Some(log) = &seating.limits.traffic {
            let side = |seat: Seat| seating.rules.seats()[seat.index()];
            processes.log_to(
                seating.engines.map(|seat, engine| engine.map(|spec| log.seat(side(seat), &spec.name))),
            );
        }
        let players: PerSeat<Option<SeatedEngine<'_>>> = players.into();
        for (seat, player) in players.iter() {
            if let Some(player) = player
                && let Some(elsewhere) = &player.spec.elsewhere
            {
                processes.is_elsewhere(seat, player.directory.path(), elsewhere);
            }
        }
        let joins_late = |player: &Option<SeatedEngine<'_>>| {
            player.as_ref().is_some_and(|player| player.arrival == Arrival::JoinsLate)
        };
        let moves = seating.opening.clone().filter(|_| players.values().iter().any(joins_late));
        Ok(Engines {
            processes,
            players,
            seating,
            open_question: None,
            plies: 0,
            moves,
            hurries: false,
            spent: Vec::new(),
        })
    }

    /// Starts an engine that was to be started when it is first asked.
    ///
    /// # Errors
    /// [`Trouble`], as [`GameProcesses::start`] has it.
    pub fn launch(&mut self, seat: Seat) -> Result<(), Trouble> {
        let joins_late =
            self.players[seat].as_ref().is_none_or(|player| player.arrival == Arrival::JoinsLate);
        if joins_late { Ok(()) } else { self.processes.start(seat) }
    }

    /// Whether the process of this seat has played before.
    pub fn goes_on(&self, seat: Seat) -> bool {
        self.players[seat].as_ref().is_some_and(|player| player.arrival == Arrival::GoesOn)
    }

    /// Puts questions at once from now on, and none of them twice, as managers do that do not look
    /// at engines.
    pub fn hurry(&mut self) {
        self.hurries = true;
    }

    /// How the process of this seat was started, to be shown.
    pub fn command(&self, seat: Seat) -> Vec<String> {
        self.players[seat].as_ref().map(|player| player.command.clone()).unwrap_or_default()
    }

    /// The question that was left without an answer, and whose it was.
    pub fn unanswered(&self) -> Option<(Seat, Unanswered)> {
        let &OpenQuestion { seat, allowance, greeting } = self.open_question.as_ref()?;
        Some((seat, Unanswered { time: self.processes.waited(), allowance, greeting }))
    }

    /// The turns for the record: those in which others kept an engine from a processor, and the one
    /// that was lost on time.
    pub fn take_spent(&mut self) -> Vec<(Seat, SpentTime)> {
        if let Some(&OpenQuestion { seat, greeting, .. }) = self.open_question.as_ref() {
            self.note_spent(seat, if greeting { 0 } else { self.plies + 1 });
        }
        std::mem::take(&mut self.spent)
    }

    fn note_spent(&mut self, seat: Seat, question: usize) {
        self.spent.extend(self.processes.take_spent(question).map(|spent| (seat, spent)));
    }

    /// Goes through the handshake, if the protocol of this seat has one, within the start-up
    /// budget.
    ///
    /// # Errors
    /// [`Trouble`], as [`GameProcesses::hear`] has it.
    pub fn ready(&mut self, seat: Seat) -> Result<(), Trouble> {
        let Some(player) = &mut self.players[seat] else { return Ok(()) };
        if player.arrival == Arrival::JoinsLate || player.talk.awaits().is_none() {
            return Ok(());
        }
        self.processes.start(seat)?;
        self.processes.tell(seat, &player.talk.hello());
        let allowance = self.seating.limits.terms.startup;
        let side = self.seating.rules.seats()[seat.index()];
        self.processes.awaits(|| format!("{} ({side}) before the game", player.spec.name));
        self.processes.ask(seat, allowance);
        self.open_question = Some(OpenQuestion { seat, allowance, greeting: true });
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
                Reply::Nothing if !line.text.is_empty() => unexpected = Some(line),
                Reply::Move(_) | Reply::NoMove { .. } | Reply::Thought(_) | Reply::Nothing => {}
            }
        };
        self.open_question = None;
        self.processes.end_far_turn(seat);
        if let Some(habits) = player.talk.gomocup() {
            let told = habits.begins();
            if !told.is_empty() {
                self.processes.await_reader(seat, READER)?;
                self.processes.tell(seat, &told);
            }
        }
        Ok(())
    }

    /// The same for an engine that is only greeted, and does not play: its process is started at
    /// once.
    ///
    /// # Errors
    /// As [`Engines::ready`].
    pub fn greet(&mut self, seat: Seat) -> Result<(), Trouble> {
        if let Some(player) = &mut self.players[seat] {
            player.arrival = Arrival::Starts;
        }
        self.ready(seat)
    }

    /// Asks an engine that is ready what it is called, if its protocol can. Returns the first words
    /// of the handshake, and what it says of itself within a second, if it does.
    ///
    /// # Errors
    /// [`Trouble`], as [`GameProcesses::hear`] has it; silence is no fault here.
    pub fn introduce(&mut self, seat: Seat) -> Result<Option<(String, Option<String>)>, Trouble> {
        let here = |player: &&mut SeatedEngine<'_>| player.arrival != Arrival::JoinsLate;
        let Some(player) = self.players[seat].as_mut().filter(here) else { return Ok(None) };
        let hello = escape(player.talk.hello().trim_ascii(), 400);
        let Some(habits) = player.talk.gomocup() else { return Ok(None) };
        self.processes.await_reader(seat, READER)?;
        self.processes.tell(seat, &habits.inquiry());
        self.processes.ask(seat, INTRODUCTION);
        loop {
            match self.processes.hear() {
                Ok(answer) => {
                    if let Some(words) = habits.introduces(&answer.line) {
                        return Ok(Some((hello, Some(words))));
                    }
                }
                Err(Trouble::Fault(Fault { cause: Cause::TimeForfeit, .. })) => {
                    return Ok(Some((hello, None)));
                }
                Err(trouble) => return Err(trouble),
            }
        }
    }

    /// Tells every engine of a move.
    pub fn tell(&mut self, by: Seat, text: &str) {
        self.plies += 1;
        if let Some(moves) = &mut self.moves {
            moves.push(text.to_owned());
        }
        for (seat, player) in self.players.iter_mut() {
            // One that joins late is shown the position then.
            let Some(player) = player.as_mut().filter(|player| player.arrival != Arrival::JoinsLate) else {
                continue;
            };
            let told = player.talk.played(by, text);
            if !told.is_empty() {
                self.processes.tell(seat, &told);
            }
        }
    }

    /// Asks the engine of this seat for its move. The deadline is that of the question, however
    /// many lines come before the move.
    ///
    /// # Errors
    /// [`Trouble`], as [`GameProcesses::hear`] has it.
    pub fn ask(
        &mut self,
        seat: Seat,
        game: &dyn Game,
        clocks: &PerSeat<Clock>,
    ) -> Result<OfferedMove, Trouble> {
        self.join(seat, game)?;
        let player = self.players[seat].as_mut().expect("only seats with an engine are asked here");
        // Its engines may drop what comes before they read again.
        if player.talk.gomocup().is_some() && !self.hurries {
            self.processes.await_reader(seat, READER)?;
        }
        let question = player.talk.question(clocks);
        if !question.is_empty() {
            self.processes.tell(seat, question);
        }
        self.processes.start(seat)?;
        let allowance = clocks[seat].allowance();
        let (side, ply) = (self.seating.rules.seats()[seat.index()], self.plies + 1);
        self.processes.awaits(|| format!("{} ({side}) at ply {ply}", player.spec.name));
        self.processes.ask(seat, allowance);
        self.open_question = Some(OpenQuestion { seat, allowance, greeting: false });
        if let Some(habits) = player.talk.gomocup().filter(|_| !self.hurries) {
            self.processes.ask_again_if_idle(habits.again());
        }
        let (mut thought, mut offered) = (None, None);
        let (line, time) = loop {
            // Asked twice, an engine may answer twice: what it says last answers the last question.
            let answer = match offered.take() {
                None => {
                    self.processes.hear().map_err(|trouble| remarked(trouble, seat, player.talk.as_ref()))?
                }
                Some(first) => match self.processes.hear_until_idle()? {
                    None => break first,
                    Some(answer) => {
                        offered = Some(first);
                        answer
                    }
                },
            };
            match heard(player.talk.as_mut(), answer.line, answer.whole) {
                Reply::Move(line) if self.processes.was_asked_again() => {
                    if let Some(habits) = player.talk.gomocup() {
                        habits.answered_again();
                    }
                    offered = Some((line, answer.time));
                }
                Reply::Move(line) => {
                    if !answer.whole {
                        self.processes.take_prompt(seat);
                    }
                    break (line, answer.time);
                }
                Reply::Thought(words) => thought = Some(words),
                Reply::Tell(text) => self.processes.tell_more(&text),
                Reply::NoMove { line, why } => {
                    self.open_question = None;
                    let why = FaultFact::NoMove { line, why }.into();
                    return Err(Trouble::Fault(Fault { seat, cause: Cause::Protocol, why }));
                }
                Reply::Ready | Reply::Refused(_) | Reply::Nothing => {}
            }
        };
        let time = self.processes.own_time(time)?;
        self.open_question = None;
        self.note_spent(seat, ply);
        self.leave(seat);
        Ok(OfferedMove { line, time, thought })
    }

    /// Has an engine start whose process is to be started for this turn, and go through its
    /// handshake. No clock runs meanwhile.
    fn join(&mut self, seat: Seat, game: &dyn Game) -> Result<(), Trouble> {
        let Some(player) = &mut self.players[seat] else { return Ok(()) };
        if player.arrival != Arrival::JoinsLate {
            return Ok(());
        }
        let setup;
        (*player, setup) =
            prepare(&self.seating, player.spec, seat, game, self.moves.as_deref()).map_err(Trouble::Ours)?;
        player.arrival = Arrival::Starts;
        self.processes.start_later(seat, setup);
        self.ready(seat)
    }

    /// Ends the process of an engine that has moved, if it has one for each turn.
    fn leave(&mut self, seat: Seat) {
        let Some(player) = &mut self.players[seat] else { return };
        if player.spec.process == ProcessSpan::Turn {
            self.processes.retire(seat, player.spec.protocol.farewell());
            player.arrival = Arrival::JoinsLate;
        }
    }

    /// The line with which the engine of this seat has made its last move, if its protocol has
    /// words of its own; else empty.
    pub fn said(&self, seat: Seat) -> &[u8] {
        self.players[seat].as_ref().map_or(&[], |player| player.talk.said())
    }

    /// Whether the engine whose time has run out has been computing most of the time.
    pub fn is_computing(&mut self) -> bool {
        self.processes.is_computing()
    }

    /// Waits longer for a move whose time has run out, with the input of the engine still open.
    /// Gives the time from the question to the move, if there is one.
    ///
    /// # Errors
    /// [`Trouble::Stopped`] alone.
    pub fn wait_longer(&mut self, more: Duration) -> Result<Option<Duration>, Trouble> {
        let Some(&OpenQuestion { seat, greeting: false, .. }) = self.open_question.as_ref() else {
            return Ok(None);
        };
        let Some(player) = &mut self.players[seat] else { return Ok(None) };
        self.processes.extend(more);
        loop {
            match self.processes.hear() {
                Ok(answer) => match heard(player.talk.as_mut(), answer.line, answer.whole) {
                    Reply::Move(_) => return Ok(Some(self.processes.waited())),
                    Reply::Tell(text) => self.processes.tell_more(&text),
                    _ => {}
                },
                Err(Trouble::Stopped) => return Err(Trouble::Stopped),
                Err(Trouble::Fault(_) | Trouble::Ours(_)) => return Ok(None),
            }
        }
    }

    /// The names of the options that the engine of this seat has announced in its handshake.
    pub fn announced(&self, seat: Seat) -> &[String] {
        self.players[seat].as_ref().map_or(&[], |player| player.talk.announced())
    }

    /// The game is over: the processes exit, or go into the pool for the next game.
    pub fn end(self, patience: Patience, pool: Option<&mut EnginePool>) -> PerSeat<SeatSeen> {
        let Engines { mut processes, players, .. } = self;
        let stay = players.map(|_, player| {
            pool.is_some()
                && player.as_ref().is_some_and(|player| player.spec.process == ProcessSpan::Pairing)
        });
        for (seat, player) in players.iter().filter(|(seat, _)| !stay[*seat]) {
            if let Some(player) = player {
                processes.tell(seat, player.spec.protocol.farewell());
            }
        }
        let mut pool = pool;
        let closed =
            processes.close_but(patience, &stay).into_values().into_iter().zip(players.into_values());
        let seen: Vec<SeatSeen> = closed
            .map(|((mut seen, process), player)| {
                let Some(SeatedEngine { spec, directory, handshake, .. }) = player else { return seen };
                seen.startup += handshake;
                if let Some(pool) = &mut pool {
                    if seen.pinned {
                        pool.single.insert(spec.name.clone());
                    } else {
                        pool.single.remove(&spec.name);
                    }
                    if let Some(process) = process {
                        let farewell = spec.protocol.farewell();
                        pool.parked.insert(spec.name.clone(), Parked { process, directory, farewell });
                    }
                }
                seen
            })
            .collect();
        seen.into()
    }
}

/// An engine whose process is to be started in the game as it stands, after these moves, if they
/// are known.
pub(super) fn prepare<'a>(
    seating: &Seating<'_>,
    spec: &'a EngineSpec,
    seat: Seat,
    game: &dyn Game,
    moves: Option<&[String]>,
) -> io::Result<(SeatedEngine<'a>, Setup)> {
    let &Seating { rules, ref controls, ref limits, scratch, .. } = seating;
    let start = start::start(rules, spec, seat, game, moves);
    let directory = scratch.directory(&spec.name, &start.board, start::files(rules, &start))?;
    if let Some((folder, name)) = spec.protocol.seed_folder() {
        directory.add_folder(name, folder)?;
    }
    let words = GameWords { position: game.text(), seed: seating.seed };
    let control = controls[seat];
    let mut setup = start::setup(rules, spec, &start, control, &directory, &limits.terms.confinement, words)
        .map_err(io::Error::other)?;
    let is_late = spec.process == ProcessSpan::Turn || spec.protocol.joins_late(&start);
    let arrival = if is_late { Arrival::JoinsLate } else { Arrival::Starts };
    let talk = spec.protocol.talk(&seating.terms(spec, start, false, &directory));
    setup.greeting = talk.greeting();
    let command = setup.arguments.iter().map(|word| escape(word.as_bytes(), 400)).collect();
    Ok((SeatedEngine { spec, arrival, talk, directory, command, handshake: Duration::ZERO }, setup))
}

/// The meaning of a line, or of text behind which an engine waits.
fn heard(talk: &mut dyn Talk, text: Vec<u8>, whole: bool) -> Reply {
    if whole { talk.hear(text) } else { talk.hear_prompt(&text) }
}

/// The fault of an engine that has not answered, with what its conversation tells of it.
fn remarked(trouble: Trouble, seat: Seat, talk: &dyn Talk) -> Trouble {
    match (trouble, talk.remark()) {
        (Trouble::Fault(Fault { seat: by, cause, why }), Some(remark)) if by == seat => {
            Trouble::Fault(Fault { seat, cause, why: why.with(FaultNote::Remark(remark)) })
        }
        (other, _) => other,
    }
}

/// The fault of an engine that did not come through its handshake.
fn not_ready(trouble: Trouble, seat: Seat, talk: &dyn Talk, unexpected: Option<QuotedLine>) -> Trouble {
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
