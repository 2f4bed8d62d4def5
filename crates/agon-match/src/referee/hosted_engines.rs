//! The engines of a game of a referee program: each reads its lines when it is asked, and answers
//! in lines. Of an engine that speaks GTP, or UGI or a relative, lines that tell moves become
//! commands, and the move that it writes becomes the line.

use std::io;
use std::time::Duration;

use agon_printable::escape;
use agon_programs::spec::EngineSpec;
use agon_protocol::gtp_told::GtpTold;
use agon_protocol::told::Told;
use agon_protocol::ugi_told::UgiTold;
use agon_protocol::{Protocol, Reply};
use agon_record::reason::{FaultFact, FaultNote};
use agon_record::{SpentTime, Unanswered};
use agon_seats::{Clock, PerSeat, Seat};
use agon_standings::result::Cause;

use super::{GameOrder, start};
use crate::hosted::{AnswerSize, Answered, HostedRules, Question};
use crate::processes::{EngineStart, Fault, GameProcesses, Patience, SeatSeen, Trouble, WorkDir};

/// What a seat still owes after it was late: lines that answer an earlier question.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Debt {
    Lines(u64),
    Until(String),
}

/// The conversation with an engine that does not speak lines.
fn talk(order: &GameOrder<'_>, rules: &HostedRules, seat: Seat, spec: &EngineSpec) -> Option<Box<dyn Told>> {
    if spec.protocol == Protocol::Gtp {
        return Some(Box::new(GtpTold::new(&rules.gtp()?, seat, order.controls[seat])));
    }
    let table = rules.folder.ugi.clone().filter(|_| spec.protocol.is_ugi())?;
    let search = order.limits.terms.search;
    Some(Box::new(UgiTold::new(table, &spec.words, &spec.options, search, seat)))
}

/// The engines of one game.
pub struct HostedEngines<'a> {
    // Before the directories: dropped in this order, the processes end first.
    processes: GameProcesses,
    _directories: Vec<WorkDir>,
    order: &'a GameOrder<'a>,
    prompt: Vec<u8>,
    /// How the process of each seat was started, to be shown.
    pub commands: PerSeat<Vec<String>>,
    debts: PerSeat<Vec<Debt>>,
    /// The conversations of the seats that do not speak lines.
    talks: PerSeat<Option<Box<dyn Told>>>,
    /// How long each was in its handshake.
    handshakes: PerSeat<Duration>,
    /// How many lines of this turn answered earlier questions.
    paid: usize,
    asked: usize,
    /// The last question that stayed without an answer.
    pub unanswered: PerSeat<Option<Unanswered>>,
    /// Turns in which others kept an engine from a processor, and those that were lost on time.
    pub spent: Vec<(Seat, SpentTime)>,
}

impl<'a> HostedEngines<'a> {
    /// Gives each engine its directory. Its process starts when it is first asked.
    ///
    /// # Errors
    /// Ours: no room for a directory, or arguments that cannot be filled in.
    pub fn new(order: &'a GameOrder<'a>, rules: &HostedRules) -> io::Result<Self> {
        let (mut starts, mut directories, mut commands) = (Vec::new(), Vec::new(), Vec::new());
        let talks = order.engines.map(|seat, spec| talk(order, rules, seat, spec));
        for (seat, spec) in order.engines.iter() {
            let directory = order.scratch.directory(&spec.name, "", Vec::new())?;
            let seed = start::own_seed(order.seed, &spec.name, seat);
            let (control, confinement) = (order.controls[seat], &order.limits.terms.confinement);
            let setup = start::hosted_setup(rules, spec, seat, control, seed, &directory, confinement)
                .map_err(io::Error::other)?;
            commands.push(setup.arguments.iter().map(|word| escape(word.as_bytes(), 400)).collect());
            starts.push(EngineStart::Later(Box::new(setup)));
            directories.push(directory);
        }
        let mut processes = GameProcesses::new(starts, order.limits.clone());
        if let Some(log) = &order.limits.traffic {
            let side = |seat: Seat| rules.seats()[seat.index()];
            processes.log_to(order.engines.map(|seat, spec| Some(log.seat(side(seat), &spec.name))));
        }
        for ((seat, spec), directory) in order.engines.iter().zip(&directories) {
            if let Some(elsewhere) = &spec.elsewhere {
                processes.is_elsewhere(seat, directory.path(), elsewhere);
            }
        }
        let seats = order.engines.len();
        let prompt = match rules.folder.prompt.as_str() {
            "" => Vec::new(),
            prompt => format!("{prompt}\n").into_bytes(),
        };
        Ok(HostedEngines {
            processes,
            _directories: directories,
            order,
            prompt,
            commands: commands.into(),
            debts: PerSeat::from_fn(seats, |_| Vec::new()),
            talks,
            handshakes: PerSeat::from_fn(seats, |_| Duration::ZERO),
            paid: 0,
            asked: 0,
            unanswered: PerSeat::from_fn(seats, |_| None),
            spent: Vec::new(),
        })
    }

    /// Sends a seat its lines and asks it. Returns its lines, or its fault.
    ///
    /// # Errors
    /// [`Trouble::Stopped`] and [`Trouble::Ours`]. [`Trouble::Fault`] if another seat left this one
    /// no room to start: a referee cannot be told of a seat that it did not ask, so the game is
    /// void.
    pub fn ask(
        &mut self,
        question: &Question,
        untold: &str,
        clocks: &mut PerSeat<Clock>,
    ) -> Result<Answered, Trouble> {
        let seat = question.seat;
        if let Some(fault) = self.unfit_for(question)? {
            return Ok(fault);
        }
        let allowance = clocks[seat].allowance_of(question.most);
        self.put(seat, untold, clocks, allowance)?;
        let clock = &mut clocks[seat];
        let heard = self.hear(question);
        let heard = heard.and_then(|(lines, time)| match self.processes.own_time(time) {
            Ok(time) => Ok((lines, time)),
            Err(trouble) => Err((lines.len() as u64, trouble)),
        });
        self.spent.extend(self.processes.take_spent(self.asked).map(|spent| (seat, spent)));
        match heard {
            Ok((lines, time)) => {
                clock.spend(time, question.most);
                self.unanswered[seat] = None;
                if let Some(talk) = &mut self.talks[seat]
                    && talk.catches_up()
                {
                    self.processes.hold_lines(seat, false);
                }
                Ok(Answered::Lines(lines, time))
            }
            Err((heard, Trouble::Fault(fault))) => self.no_answer(question, heard, fault, clock, allowance),
            Err((_, trouble)) => Err(trouble),
        }
    }

    /// The fault of a seat that has a handshake if it does not get through it.
    fn unfit_for(&mut self, question: &Question) -> Result<Option<Answered>, Trouble> {
        if self.talks[question.seat].is_none() {
            return Ok(None);
        }
        if question.size != AnswerSize::Lines(1) {
            let protocol = self.order.engines[question.seat].protocol.name();
            let why = format!(
                "the referee asks for more than one line, which a seat that speaks {protocol} cannot give"
            );
            return Err(Trouble::Ours(io::Error::other(why)));
        }
        match self.ready(question.seat) {
            Ok(()) => Ok(None),
            // Without its handshake it can never be asked.
            Err(Trouble::Fault(Fault { seat: by, cause, why })) if by == question.seat => {
                let cause = if cause == Cause::TimeForfeit { Cause::StartFailed } else { cause };
                Ok(Some(Answered::Fault(cause, why)))
            }
            Err(trouble) => Err(trouble),
        }
    }

    /// Sends a seat its lines and the question, and starts its clock.
    fn put(
        &mut self,
        seat: Seat,
        untold: &str,
        clocks: &PerSeat<Clock>,
        allowance: Duration,
    ) -> Result<(), Trouble> {
        self.asked += 1;
        let (asked, spec) = (self.asked, self.order.engines[seat]);
        self.processes.awaits(|| format!("{} (seat {}) at question {asked}", spec.name, seat.index() + 1));
        // Lines that it wrote before this question may be late answers, and are no answer to it.
        for line in self.processes.take_held(seat) {
            if let Some(talk) = &mut self.talks[seat] {
                talk.hear(line);
            } else {
                self.pays_debt(seat, &line);
            }
        }
        self.paid = 0;
        let told = match &mut self.talks[seat] {
            None => [untold.as_bytes(), &self.prompt].concat(),
            Some(talk) => {
                talk.told(untold);
                talk.question(clocks)
            }
        };
        self.processes.tell(seat, &told);
        self.processes.start(seat)?;
        if self.debts[seat].is_empty() && !self.talks[seat].as_ref().is_some_and(|talk| talk.is_behind()) {
            self.processes.ask(seat, allowance);
        } else {
            // A late answer comes before this one, and must be seen to be told apart from it.
            self.processes.go_on(seat, b"", allowance);
        }
        Ok(())
    }

    /// What follows from a fault when `heard` lines of the answer were there.
    fn no_answer(
        &mut self,
        question: &Question,
        heard: u64,
        fault: Fault,
        clock: &mut Clock,
        allowance: Duration,
    ) -> Result<Answered, Trouble> {
        let seat = question.seat;
        let waited = self.processes.waited();
        self.unanswered[seat] = Some(Unanswered { time: waited, allowance, greeting: false });
        let Fault { seat: whose, cause, mut why } = fault;
        if whose != seat {
            // Another engine has used the processor in this turn: the question was not a fair one.
            return Err(Trouble::Ours(io::Error::other(format!(
                "{} disturbed {}: {why}",
                self.order.engines[whose].name, self.order.engines[seat].name
            ))));
        }
        if cause == Cause::TimeForfeit {
            clock.spend(Duration::MAX, question.most);
            self.processes.hold_lines(seat, true);
            match &mut self.talks[seat] {
                Some(talk) => talk.late(),
                None => {
                    self.debts[seat].push(match &question.size {
                        AnswerSize::Lines(count) => Debt::Lines(u64::from(*count) - heard),
                        AnswerSize::Until(word) => Debt::Until(word.clone()),
                    });
                    if self.paid > 0 {
                        let paid = self.paid;
                        why.notes.push(FaultNote::EarlierAnswers(paid));
                    }
                }
            }
        }
        Ok(Answered::Fault(cause, why))
    }

    /// The lines of the answer, and how long it took. An error comes with the number of lines of
    /// the answer that were there.
    fn hear(&mut self, question: &Question) -> Result<(Vec<String>, Duration), (u64, Trouble)> {
        let seat = question.seat;
        let mut lines = Vec::new();
        loop {
            let mut answer = self.processes.hear().map_err(|trouble| (lines.len() as u64, trouble))?;
            if let Some(talk) = &mut self.talks[seat] {
                match talk.hear(answer.line) {
                    Reply::Move(line) => answer.line = line,
                    Reply::Tell(text) => {
                        self.processes.tell_more(&text);
                        continue;
                    }
                    _ => continue,
                }
            }
            if self.pays_debt(seat, &answer.line) {
                continue;
            }
            // Many languages read a carriage return as the end of a line: what follows it would
            // look like a line of agon.
            let line = String::from_utf8_lossy(&answer.line).replace('\r', "\u{fffd}");
            lines.push(line);
            if question.size.is_whole(&lines) {
                return Ok((lines, answer.time));
            }
        }
    }

    /// Whether a line belongs to an earlier question, which was answered late.
    fn pays_debt(&mut self, seat: Seat, line: &[u8]) -> bool {
        let debts = &mut self.debts[seat];
        let Some(oldest) = debts.first_mut() else { return false };
        let paid = match oldest {
            Debt::Lines(count) => {
                *count -= 1;
                *count == 0
            }
            Debt::Until(word) => line == word.as_bytes(),
        };
        if paid {
            debts.remove(0);
        }
        if debts.is_empty() {
            self.processes.hold_lines(seat, false);
        }
        self.paid += 1;
        true
    }

    /// Sends a seat lines that need no answer. One that does not speak lines needs no moves without
    /// a question.
    pub fn tell(&mut self, seat: Seat, text: &str) {
        if self.talks[seat].is_none() {
            self.processes.tell(seat, text.as_bytes());
        }
    }

    /// Starts the engine of a seat that does not speak lines and goes through its handshake, within
    /// the start-up budget. Of other seats, and of one that is ready, nothing is wanted.
    ///
    /// # Errors
    /// [`Trouble`], as [`GameProcesses::hear`] has it.
    pub fn ready(&mut self, seat: Seat) -> Result<(), Trouble> {
        let Some(talk) = self.talks[seat].as_mut().filter(|talk| talk.awaits().is_some()) else {
            return Ok(());
        };
        let name = &self.order.engines[seat].name;
        self.processes.start(seat)?;
        self.processes.tell(seat, &talk.hello());
        self.processes.awaits(|| format!("{name} (seat {}) before the game", seat.index() + 1));
        self.processes.ask(seat, self.order.limits.terms.startup);
        loop {
            let answer = self.processes.hear().map_err(|trouble| match trouble {
                Trouble::Fault(Fault { seat: by, cause, why }) if by == seat => {
                    let mut why = why.awaiting(talk.awaits());
                    let remark = talk.remark().filter(|_| cause == Cause::TimeForfeit);
                    why.notes.extend(remark.map(FaultNote::Remark));
                    Trouble::Fault(Fault { seat, cause, why })
                }
                other => other,
            })?;
            match talk.hear(answer.line) {
                Reply::Ready => {
                    self.handshakes[seat] = answer.time;
                    self.processes.end_far_turn(seat);
                    return Ok(());
                }
                Reply::Tell(text) => self.processes.tell_more(&text),
                Reply::Refused(why) => {
                    let why = FaultFact::RefusedToPlay(why).into();
                    return Err(Trouble::Fault(Fault { seat, cause: Cause::StartFailed, why }));
                }
                _ => {}
            }
        }
    }

    /// The game is over, and the processes exit.
    pub fn end(mut self, patience: Patience) -> PerSeat<SeatSeen> {
        // What they write at the end answers nothing, and is evidence.
        for seat in self.debts.seats() {
            self.processes.hold_lines(seat, false);
            if self.talks[seat].is_some() {
                self.processes.tell(seat, self.order.engines[seat].protocol.farewell());
            }
        }
        let mut seen = self.processes.close(patience);
        for (seat, handshake) in self.handshakes.iter() {
            seen[seat].startup += *handshake;
        }
        seen
    }
}
