//! The engines of a game of a referee program: each reads its lines when it is asked, and answers
//! in lines. Of an engine that speaks GTP, or UGI or a relative, lines that tell moves become
//! commands, and the move that it writes becomes the line.

use std::io;
use std::time::Duration;

use agon_printable::escape;
use agon_programs::spec::EngineSpec;
use agon_protocol::announced::AnnouncedOption;
use agon_protocol::gtp_told::GtpTold;
use agon_protocol::told::{AnswerSize, LinesTold, Told};
use agon_protocol::ugi_told::UgiTold;
use agon_protocol::{Protocol, Reply};
use agon_record::Unanswered;
use agon_record::reason::FaultNote;
use agon_seats::{Clock, PerSeat, Seat};
use agon_standings::result::Cause;

use super::seated::{Arrival, EnginesLeft, SeatedEngine, SeatedEngines, remarked};
use super::{GameOrder, start};
use crate::hosted::{Answered, FaultKind, HostedRules, Question, kind_of};
use crate::processes::{EngineStart, Fault, Patience, SeatSeen, Trouble};

/// The conversation with the engine on this seat.
fn talk(order: &GameOrder<'_>, rules: &HostedRules, seat: Seat, spec: &EngineSpec) -> Box<dyn Told> {
    if let Some(board) = rules.gtp().filter(|_| spec.protocol == Protocol::Gtp) {
        return Box::new(GtpTold::new(&board, seat, order.controls[seat]));
    }
    if let Some(table) = rules.folder.ugi.clone().filter(|_| spec.protocol.is_ugi()) {
        let search = spec.odds.search.or(order.limits.terms.search);
        return Box::new(UgiTold::new(table, &spec.words, &spec.options, search, seat));
    }
    Box::new(LinesTold::new(&rules.folder.prompt))
}

/// The engines of one game.
pub struct HostedEngines<'a> {
    seated: SeatedEngines<'a, dyn Told>,
    asked: usize,
    /// The last question that stayed without an answer.
    pub unanswered: PerSeat<Option<Unanswered>>,
}

impl<'a> HostedEngines<'a> {
    /// Gives each engine its directory. Its process starts when it is first asked.
    ///
    /// # Errors
    /// Ours: no room for a directory, or arguments that cannot be filled in.
    pub fn new(order: &GameOrder<'a>, rules: &HostedRules) -> io::Result<Self> {
        let mut seated = Vec::new();
        for (seat, &spec) in order.engines.iter() {
            let directory = order.scratch.directory(&spec.name, "", Vec::new())?;
            let seed = start::own_seed(order.seed, &spec.name, seat);
            let (control, confinement) = (order.controls[seat], &order.limits.terms.confinement);
            let setup = start::hosted_setup(rules, spec, seat, control, seed, &directory, confinement)
                .map_err(io::Error::other)?;
            let command = setup.arguments.iter().map(|word| escape(word.as_bytes(), 400)).collect();
            let talk = talk(order, rules, seat, spec);
            let (arrival, handshake) = (Arrival::Starts, Duration::ZERO);
            let player = SeatedEngine { spec, arrival, talk, directory, command, handshake };
            seated.push((EngineStart::Later(Box::new(setup)), Some(player)));
        }
        let called = |_: &'static [&'static str], seat: Seat| format!("seat {}", seat.index() + 1);
        Ok(HostedEngines {
            seated: SeatedEngines::new(seated, rules.seats(), called, &order.limits),
            asked: 0,
            unanswered: order.engines.map(|_, _| None),
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
        self.put(question, untold, clocks)?;
        let mut lines = Vec::new();
        match self.hear(question, &mut lines).and_then(|time| self.seated.answered(time)) {
            Ok(time) => {
                clocks[seat].spend(time, question.most);
                self.unanswered[seat] = None;
                self.hear_from(seat, |talk| talk.catches_up());
                Ok(Answered::Lines(lines, time))
            }
            Err(Trouble::Fault(fault)) => {
                self.no_answer(question, lines.len() as u64, fault, &mut clocks[seat])
            }
            Err(trouble) => Err(trouble),
        }
    }

    /// The fault of a seat that does not get through its handshake, if it has one.
    fn unfit_for(&mut self, question: &Question) -> Result<Option<Answered>, Trouble> {
        if question.size != AnswerSize::Lines(1) && self.talk(question.seat).answers_one_line() {
            let protocol = self.player(question.seat).spec.protocol.name();
            let why = format!(
                "the referee asks for more than one line, which a seat that speaks {protocol} cannot give"
            );
            return Err(Trouble::Ours(io::Error::other(why)));
        }
        match self.ready(question.seat) {
            Ok(()) => Ok(None),
            // Without its handshake it can never be asked.
            Err(Trouble::Fault(Fault { seat: by, cause, why })) if by == question.seat => {
                self.seated.give_up();
                let cause = if cause == Cause::TimeForfeit { Cause::StartFailed } else { cause };
                Ok(Some(Answered::Fault(cause, why)))
            }
            Err(trouble) => Err(trouble),
        }
    }

    /// Sends a seat its lines and the question, and starts its clock.
    fn put(&mut self, question: &Question, untold: &str, clocks: &PerSeat<Clock>) -> Result<(), Trouble> {
        let seat = question.seat;
        self.asked += 1;
        // Lines that it wrote before this question may be late answers, and are no answer to it.
        for line in self.seated.processes.take_held(seat) {
            self.hear_from(seat, |talk| talk.hear(line));
        }
        let talk = self.talk(seat);
        talk.told(untold);
        let told = talk.question(clocks);
        self.seated.processes.tell(seat, &told);
        // A late answer comes before this one, and must be seen to be told apart from it.
        let is_behind = self.talk(seat).is_behind();
        self.seated.put(seat, clocks[seat].allowance_of(question.most), "question", self.asked, is_behind)
    }

    /// What follows from a fault when `heard` lines of the answer were there.
    fn no_answer(
        &mut self,
        question: &Question,
        heard: u64,
        fault: Fault,
        clock: &mut Clock,
    ) -> Result<Answered, Trouble> {
        let seat = question.seat;
        self.unanswered[seat] = self.seated.unanswered().map(|(_, unanswered)| unanswered);
        self.seated.note_spent();
        self.seated.give_up();
        let Fault { seat: whose, cause, mut why } = fault;
        if whose != seat {
            // Another engine has used the processor in this turn: the question was not a fair one.
            return Err(Trouble::Ours(io::Error::other(format!(
                "{} disturbed {}: {why}",
                self.player(whose).spec.name,
                self.player(seat).spec.name
            ))));
        }
        // One that does not even read the question may answer it once it does.
        if kind_of(cause) == FaultKind::Late {
            clock.spend(Duration::MAX, question.most);
            self.seated.processes.hold_lines(seat, true);
            self.talk(seat).late(&question.size, heard);
            let earlier = self.talk(seat).earlier();
            why.notes.extend((earlier > 0).then_some(FaultNote::EarlierAnswers(earlier)));
        }
        Ok(Answered::Fault(cause, why))
    }

    /// Fills in the lines of the answer, and returns how long it took.
    fn hear(&mut self, question: &Question, lines: &mut Vec<String>) -> Result<Duration, Trouble> {
        let seat = question.seat;
        loop {
            let answer = self.seated.processes.hear();
            let answer = answer.map_err(|trouble| remarked(trouble, seat, self.talk(seat)))?;
            match self.hear_from(seat, |talk| talk.hear(answer.line)) {
                Reply::Move(line) => {
                    // Many languages read a carriage return as the end of a line: what follows it
                    // would look like a line of agon.
                    lines.push(String::from_utf8_lossy(&line).replace('\r', "\u{fffd}"));
                    if question.size.is_whole(lines) {
                        return Ok(answer.time);
                    }
                }
                Reply::Tell(text) => self.seated.processes.tell_more(&text),
                _ => {}
            }
        }
    }

    /// Lets a conversation hear something. One that owes no answer any more has its lines dropped
    /// again that nobody has asked for.
    fn hear_from<R>(&mut self, seat: Seat, hear: impl FnOnce(&mut dyn Told) -> R) -> R {
        let talk = self.talk(seat);
        let was_behind = talk.is_behind();
        let heard = hear(talk);
        if was_behind && !talk.is_behind() {
            self.seated.processes.hold_lines(seat, false);
        }
        heard
    }

    fn player(&mut self, seat: Seat) -> &mut SeatedEngine<'a, dyn Told> {
        self.seated.players[seat].as_mut().expect("each seat has an engine")
    }

    fn talk(&mut self, seat: Seat) -> &mut dyn Told {
        self.player(seat).talk.as_mut()
    }

    /// Sends a seat the lines that it is told at the end.
    pub(super) fn tell_rest(&mut self, seat: Seat, text: &str) {
        let talk = self.talk(seat);
        talk.told(text);
        let rest = talk.rest();
        self.seated.processes.tell(seat, &rest);
    }

    /// Starts the engine of a seat whose protocol has a handshake and goes through it, within the
    /// start-up budget. Of other seats, and of one that is ready, nothing is wanted.
    ///
    /// # Errors
    /// [`Trouble`], as [`GameProcesses::hear`] has it.
    ///
    /// [`GameProcesses::hear`]: crate::processes::GameProcesses::hear
    pub fn ready(&mut self, seat: Seat) -> Result<(), Trouble> {
        self.seated.ready(seat).map(|_| ())
    }

    /// The options that the engine of this seat has announced in its handshake.
    pub fn announced(&self, seat: Seat) -> &[AnnouncedOption] {
        self.seated.players[seat].as_ref().map_or(&[], |player| player.talk.announced())
    }

    /// Ends the engines of a game that is over, in which these seats were at fault.
    pub(super) fn leave_all(mut self, patience: Patience, at_fault: &[Seat]) -> EnginesLeft {
        self.drop_debts();
        let left = |seat: &Seat| self.unanswered[*seat].map(|question| (*seat, question));
        let unanswered = at_fault.iter().filter_map(left).collect();
        self.seated.leave(patience, at_fault, unanswered, None)
    }

    /// The game is over, and the processes exit.
    pub fn end(mut self, patience: Patience) -> PerSeat<SeatSeen> {
        self.drop_debts();
        self.seated.end(patience, None)
    }

    /// What engines write at the end answers nothing, and is evidence.
    fn drop_debts(&mut self) {
        for seat in self.unanswered.seats() {
            self.seated.processes.hold_lines(seat, false);
        }
    }
}
