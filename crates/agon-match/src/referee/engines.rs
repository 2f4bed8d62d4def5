//! The engines of one game: how each is started, made ready, told of moves, asked for one, and
//! ended.

use std::io;
use std::time::Duration;

use agon_config::Ponder;
use agon_games::{Game, Rules};
use agon_printable::escape;
use agon_programs::spec::EngineSpec;
use agon_programs::wine;
use agon_protocol::announced::AnnouncedOption;
use agon_protocol::{ProcessSpan, Protocol, Reply, Start, Talk, TalkTerms};
use agon_record::reason::FaultFact;
use agon_seats::{Clock, PerSeat, Seat, TimeControl};
use agon_standings::result::Cause;

use super::game_loop::OfferedMove;
use super::ponder;
use super::pool::{EnginePool, Parked};
use super::seated::{Arrival, EnginesLeft, SeatedEngine, SeatedEngines, heard, remarked};
use super::start::{self, GameWords};
use crate::processes::{EngineStart, Fault, Limits, Patience, Scratch, SeatSeen, Setup, Trouble, WorkDir};

/// How long an engine that may drop a command is waited for until it reads again, off all clocks.
const READER: Duration = Duration::from_millis(5);

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
        before: Option<&'s [AnnouncedOption]>,
        directory: &WorkDir,
    ) -> TalkTerms<'s> {
        TalkTerms {
            control: self.controls[start.seat],
            start,
            begun: before.is_some(),
            options: &spec.options,
            words: &spec.words,
            console: spec.console.as_ref(),
            search: spec.odds.search.or(self.limits.terms.search),
            ponders: self.limits.terms.confinement.ponder == Ponder::On,
            announced: before.unwrap_or_default(),
            memory: self.limits.terms.confinement.memory,
            directory: start::place(directory, &spec.confinement(&self.limits.terms.confinement)).to_owned(),
            // The first bytes of the program are read for it, so only for the protocol that asks.
            windows: matches!(spec.protocol, Protocol::Gomocup(_)) && wine::is_windows(&spec.program),
        }
    }
}

/// An engine of a game that agon judges.
pub(super) type Player<'a> = SeatedEngine<'a, dyn Talk>;

/// The engines of one game.
pub struct Engines<'a> {
    seated: SeatedEngines<'a, dyn Talk>,
    seating: Seating<'a>,
    /// The number of moves that were played.
    plies: usize,
    /// The moves that lead to the position, if they are known and an engine will ask for them.
    moves: Option<Vec<String>>,
    /// Whether questions are put at once and only once: see [`Engines::hurry`].
    hurries: bool,
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
        let mut seated = Vec::new();
        for (seat, engine) in seating.engines.iter() {
            let Some(spec) = *engine else {
                seated.push((EngineStart::NoProcess, None));
                continue;
            };
            let parked = pool.as_mut().and_then(|pool| pool.take(&spec.name));
            let (start, player) = if let Some(Parked { process, directory, announced, .. }) = parked {
                let start = start::start(seating.rules, spec, seat, game, seating.opening.as_deref());
                let talk = spec.protocol.talk(&seating.terms(spec, start, Some(&announced), &directory));
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
            seated.push((start, Some(player)));
        }
        let may_join_late = |(_, player): &(EngineStart, Option<Player<'_>>)| {
            player.as_ref().is_some_and(|player| {
                let console = player.spec.console.as_ref();
                player.arrival == Arrival::JoinsLate || console.is_some_and(|spec| spec.draws_lots())
            })
        };
        let moves = seating.opening.clone().filter(|_| seated.iter().any(may_join_late));
        let called = |seats: &'static [&'static str], seat: Seat| seats[seat.index()].to_owned();
        let seated = SeatedEngines::new(seated, seating.rules.seats(), called, &seating.limits);
        Ok(Engines { seated, seating, plies: 0, moves, hurries: false })
    }

    /// Starts an engine that was to be started when it is first asked.
    ///
    /// # Errors
    /// [`Trouble`], as `GameProcesses::start` has it.
    pub fn launch(&mut self, seat: Seat) -> Result<(), Trouble> {
        let joins_late =
            self.seated.players[seat].as_ref().is_none_or(|player| player.arrival == Arrival::JoinsLate);
        if joins_late { Ok(()) } else { self.seated.processes.start(seat) }
    }

    /// Whether the process of this seat has played before.
    pub fn goes_on(&self, seat: Seat) -> bool {
        self.seated.players[seat].as_ref().is_some_and(|player| player.arrival == Arrival::GoesOn)
    }

    /// Puts questions at once from now on, and none of them twice, as managers do that do not look
    /// at engines.
    pub fn hurry(&mut self) {
        self.hurries = true;
    }

    /// Goes through the handshake, if the protocol of this seat has one, within the start-up
    /// budget.
    ///
    /// # Errors
    /// [`Trouble`], as `GameProcesses::hear` has it.
    pub fn ready(&mut self, seat: Seat) -> Result<(), Trouble> {
        let is_ready = self.seated.ready(seat)?;
        // What it has answered to a stop at the end of the last game lies behind it now.
        self.seated.processes.hold_lines_for_ponder(seat, false);
        if is_ready
            && let Some(player) = &mut self.seated.players[seat]
            && let Some(habits) = player.talk.gomocup()
        {
            let told = habits.begins();
            if !told.is_empty() {
                self.seated.processes.await_reader(seat, READER)?;
                self.seated.processes.tell(seat, &told);
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
        if let Some(player) = &mut self.seated.players[seat] {
            player.arrival = Arrival::Starts;
        }
        self.ready(seat)
    }

    /// Asks an engine that is ready what it is called, if its protocol can. Returns the first words
    /// of the handshake, and what it says of itself within a second, if it does.
    ///
    /// # Errors
    /// [`Trouble`], as `GameProcesses::hear` has it; silence is no fault here.
    pub fn introduce(&mut self, seat: Seat) -> Result<Option<(String, Option<String>)>, Trouble> {
        let here = |player: &&mut Player<'_>| player.arrival != Arrival::JoinsLate;
        let Some(player) = self.seated.players[seat].as_mut().filter(here) else { return Ok(None) };
        let hello = escape(player.talk.hello().trim_ascii(), 400);
        let Some(habits) = player.talk.gomocup() else { return Ok(None) };
        self.seated.processes.await_reader(seat, READER)?;
        self.seated.processes.tell(seat, &habits.inquiry());
        self.seated.processes.ask(seat, INTRODUCTION);
        loop {
            match self.seated.processes.hear() {
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
        for (seat, player) in self.seated.players.iter_mut() {
            // One that joins late is shown the position then.
            let Some(player) = player.as_mut().filter(|player| player.arrival != Arrival::JoinsLate) else {
                continue;
            };
            let told = player.talk.played(by, text);
            if !told.is_empty() {
                self.seated.processes.tell(seat, told);
            }
        }
    }

    /// Asks the engine of this seat for its move. The deadline is that of the question, however
    /// many lines come before the move.
    ///
    /// # Errors
    /// [`Trouble`], as `GameProcesses::hear` has it.
    pub fn ask(
        &mut self,
        seat: Seat,
        game: &dyn Game,
        clocks: &PerSeat<Clock>,
    ) -> Result<OfferedMove, Trouble> {
        self.join(seat, game)?;
        ponder::let_others(&mut self.seated, self.seating.rules, seat, game, clocks);
        let pondered = ponder::thought(&mut self.seated, seat);
        let player = self.seated.players[seat].as_mut().expect("only seats with an engine are asked here");
        // Its engines may drop what comes before they read again.
        if player.talk.gomocup().is_some() && !self.hurries {
            self.seated.processes.await_reader(seat, READER)?;
        }
        if player.spec.protocol.is_ugi() && self.seated.processes.answers_twice(seat) {
            player.talk.answers_twice();
        }
        let question = player.talk.question(clocks);
        if !question.is_empty() {
            self.seated.processes.tell(seat, question);
        }
        let number = self.plies + 1;
        self.seated.put(seat, clocks[seat].allowance(), "ply", number, false)?;
        let SeatedEngines { processes, players, .. } = &mut self.seated;
        let player = players[seat].as_mut().expect("it was there when it was asked");
        if let Some(habits) = player.talk.gomocup().filter(|_| !self.hurries) {
            processes.ask_again_if_idle(habits.again());
        }
        let (mut thought, mut offered) = (pondered, None);
        let (line, time) = loop {
            // Asked twice, an engine may answer twice: what it says last answers the last question.
            let answer = match offered.take() {
                None => processes.hear().map_err(|trouble| remarked(trouble, seat, player.talk.as_ref()))?,
                Some(first) => match processes.hear_until_idle()? {
                    None => break first,
                    Some(answer) => {
                        offered = Some(first);
                        answer
                    }
                },
            };
            match heard(player.talk.as_mut(), answer.line, answer.whole) {
                Reply::Move(line) if processes.was_asked_again() => {
                    if let Some(habits) = player.talk.gomocup() {
                        habits.answered_again();
                    }
                    offered = Some((line, answer.time));
                }
                Reply::Move(line) => {
                    if !answer.whole {
                        processes.take_prompt(seat);
                    }
                    break (line, answer.time);
                }
                Reply::Thought(words) => ponder::keep(&mut thought, words),
                Reply::Tell(text) => processes.tell_more(&text),
                Reply::NoMove { line, why } => {
                    self.seated.give_up();
                    let why = FaultFact::NoMove { line, why }.into();
                    return Err(Trouble::Fault(Fault { seat, cause: Cause::Protocol, why }));
                }
                Reply::Again => {
                    self.seated.draw_again(seat)?;
                    return self.ask(seat, game, clocks);
                }
                Reply::Ready | Reply::Refused(_) | Reply::Nothing => {}
            }
        };
        let time = self.seated.answered(time)?;
        self.leave(seat);
        Ok(OfferedMove { line, time, thought })
    }

    /// Has an engine start whose process is to be started for this turn, and go through its
    /// handshake. No clock runs meanwhile.
    fn join(&mut self, seat: Seat, game: &dyn Game) -> Result<(), Trouble> {
        while let Some(player) = &mut self.seated.players[seat]
            && player.arrival == Arrival::JoinsLate
        {
            let setup;
            (*player, setup) = prepare(&self.seating, player.spec, seat, game, self.moves.as_deref())
                .map_err(Trouble::Ours)?;
            player.arrival = Arrival::Starts;
            self.seated.processes.start_later(seat, setup);
            self.ready(seat)?;
        }
        Ok(())
    }

    /// Ends the process of an engine that has moved, if it has one for each turn.
    fn leave(&mut self, seat: Seat) {
        let Some(player) = &mut self.seated.players[seat] else { return };
        if player.spec.process == ProcessSpan::Turn {
            self.seated.processes.retire(seat, player.spec.protocol.farewell());
            player.arrival = Arrival::JoinsLate;
        }
    }

    /// The line with which the engine of this seat has made its last move, if its protocol has
    /// words of its own; else empty.
    pub fn said(&self, seat: Seat) -> &[u8] {
        self.seated.players[seat].as_ref().map_or(&[], |player| player.talk.said())
    }

    /// Whether the engine whose time has run out has been computing most of the time.
    pub fn is_computing(&mut self) -> bool {
        self.seated.processes.is_computing()
    }

    /// Waits longer for a move whose time has run out, with the input of the engine still open.
    /// Gives the time from the question to the move, if there is one.
    ///
    /// # Errors
    /// [`Trouble::Stopped`] alone.
    pub fn wait_longer(&mut self, more: Duration) -> Result<Option<Duration>, Trouble> {
        let Some(seat) = self.seated.open_seat() else { return Ok(None) };
        let Some(player) = &mut self.seated.players[seat] else { return Ok(None) };
        self.seated.processes.extend(more);
        loop {
            match self.seated.processes.hear() {
                Ok(answer) => match heard(player.talk.as_mut(), answer.line, answer.whole) {
                    Reply::Move(_) => return Ok(Some(self.seated.processes.waited())),
                    Reply::Tell(text) => self.seated.processes.tell_more(&text),
                    _ => {}
                },
                Err(Trouble::Stopped) => return Err(Trouble::Stopped),
                Err(Trouble::Fault(_) | Trouble::Ours(_)) => return Ok(None),
            }
        }
    }

    /// The options that the engine of this seat has announced in its handshake.
    pub fn announced(&self, seat: Seat) -> &[AnnouncedOption] {
        self.seated.players[seat].as_ref().map_or(&[], |player| player.talk.announced())
    }

    /// The seat whose question was left without an answer, and the question.
    pub(super) fn leave_all(
        self,
        patience: Patience,
        at_fault: &[Seat],
        pool: &mut EnginePool,
    ) -> EnginesLeft {
        let unanswered = self.seated.unanswered().into_iter().collect();
        self.seated.leave(patience, at_fault, unanswered, Some(pool))
    }

    /// The game is over, and the processes exit.
    pub fn end(self, patience: Patience) -> PerSeat<SeatSeen> {
        self.seated.end(patience, None)
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
) -> io::Result<(Player<'a>, Setup)> {
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
    let talk = spec.protocol.talk(&seating.terms(spec, start, None, &directory));
    setup.greeting = talk.greeting();
    let command = setup.arguments.iter().map(|word| escape(word.as_bytes(), 400)).collect();
    Ok((SeatedEngine { spec, arrival, talk, directory, command, handshake: Duration::ZERO }, setup))
}
