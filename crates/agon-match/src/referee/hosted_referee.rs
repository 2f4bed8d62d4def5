//! The process of a referee program: how it is started, its handshake, and its lines. Its faults
//! are never an engine's: they make a game void.

use std::io;
use std::time::Duration;

use agon_config::Confinement;
use agon_printable::escape;
use agon_record::reason::{FaultFact, FaultReason};
use agon_seats::{Seat, TimeControl};

use super::{start, with_last_words};
use crate::hosted::{HandshakeLine, HostedRules, handshake};
use crate::processes::{
    EngineStart, GameProcesses, GameTerms, Limits, ParkedEngine, Patience, Scratch, SeatSeen, Trouble,
    WorkDir,
};

/// The most lines of a handshake: a program that writes more is not a referee.
const MOST_GREETINGS: usize = 100;

/// Why a referee program cannot go on with a game.
#[derive(Debug)]
pub enum RefereeTrouble {
    /// Its own fault.
    Fault(Box<FaultReason>),
    /// The run is to stop.
    Stopped,
    /// Ours.
    Ours(io::Error),
}

/// A referee process between two games.
pub(super) struct ParkedReferee {
    process: ParkedEngine,
    directory: WorkDir,
    program: String,
    limits: Limits,
    /// The time control that it was told.
    control: TimeControl,
}

impl ParkedReferee {
    pub(super) fn end(self) {
        self.process.end(b"quit\n", &self.limits);
        drop(self.directory);
    }
}

/// The referee process of one game.
pub struct HostedReferee {
    // Before its directory: dropped in this order, the process ends before the directory is
    // removed.
    processes: GameProcesses,
    directory: WorkDir,
    limits: Limits,
    step: Duration,
    keep: bool,
    /// The time control that it was told.
    control: TimeControl,
    /// What it calls itself.
    program: String,
    /// The seed of the game that it has begun.
    begun: Option<u64>,
    /// The bytes that it was sent since its last line.
    sent: u64,
}

impl HostedReferee {
    /// Starts the referee and goes through the handshake.
    ///
    /// # Errors
    /// [`RefereeTrouble`].
    pub fn start(
        rules: &HostedRules,
        control: TimeControl,
        limits: &Limits,
        scratch: &Scratch,
    ) -> Result<Self, RefereeTrouble> {
        let limits = limits_of(rules, limits);
        let spec = &rules.folder.referee;
        // A directory of no engine: no engine has a slash in its name.
        let directory = scratch.directory("/referee", "", Vec::new()).map_err(RefereeTrouble::Ours)?;
        let mut setup = start::referee_setup(spec, &directory, &limits.terms.confinement)
            .map_err(|why| RefereeTrouble::Ours(io::Error::other(why)))?;
        let seats = rules.seat_count();
        setup.greeting = format!(
            "game {}\nseats {seats}\nclock {control}\n",
            [rules.folder.name.clone(), rules.options_line()].join(" ").trim_end()
        )
        .into_bytes();
        let startup = limits.terms.startup;
        let mut referee = HostedReferee {
            processes: GameProcesses::new(vec![EngineStart::Later(Box::new(setup))], limits.clone()),
            directory,
            limits,
            step: rules.folder.step,
            keep: rules.folder.keep,
            control,
            program: String::new(),
            begun: None,
            sent: 0,
        };
        referee.processes.start(Seat::FIRST).map_err(trouble)?;
        referee.processes.go_on(Seat::FIRST, b"", startup);
        match referee.greet(rules) {
            Ok(program) => referee.program = program,
            Err(RefereeTrouble::Fault(why)) => {
                let seen = referee.end_of_fault();
                return Err(RefereeTrouble::Fault(with_last_words(why, &seen.stderr)));
            }
            Err(trouble) => return Err(trouble),
        }
        Ok(referee)
    }

    /// Goes on with a process that has refereed before, if it was told the same time control.
    pub(super) fn go_on(parked: ParkedReferee, rules: &HostedRules, control: TimeControl) -> Option<Self> {
        if parked.control != control {
            parked.end();
            return None;
        }
        let ParkedReferee { mut process, directory, program, limits, .. } = parked;
        // A line of the last game would decide this one.
        if !process.is_alive() || process.has_written() {
            process.end(b"", &limits);
            return None;
        }
        Some(HostedReferee {
            processes: GameProcesses::new(vec![EngineStart::GoOn(process)], limits.clone()),
            directory,
            limits,
            step: rules.folder.step,
            keep: rules.folder.keep,
            control,
            program,
            begun: None,
            sent: 0,
        })
    }

    /// Goes on as [`HostedReferee::go_on`], with a game of this seed. A referee that has written
    /// something since the end of its last game goes on with none: a new process is needed.
    pub(super) fn go_on_with(
        parked: ParkedReferee,
        rules: &HostedRules,
        control: TimeControl,
        seed: u64,
    ) -> Option<Self> {
        let mut referee = HostedReferee::go_on(parked, rules, control)?;
        match referee.begin(seed) {
            Err(RefereeTrouble::Fault(_)) => {
                referee.end_of_fault();
                None
            }
            // If the run is to stop, the next step says so.
            Ok(()) | Err(RefereeTrouble::Stopped | RefereeTrouble::Ours(_)) => Some(referee),
        }
    }

    /// Hears the handshake. Returns what the program calls itself.
    fn greet(&mut self, rules: &HostedRules) -> Result<String, RefereeTrouble> {
        let fault = |why: String| Err(told(format!("in the handshake: {why}")));
        let mut program = None;
        for _ in 0..MOST_GREETINGS {
            let line = self.hear()?;
            let read = match handshake(&line) {
                Ok(read) => read,
                Err(why) => return fault(why),
            };
            match (read, &program) {
                (HandshakeLine::Error(why), _) => {
                    return Err(told(escape(why.as_bytes(), 400)));
                }
                (HandshakeLine::Referee(name), None) => program = Some(escape(name.as_bytes(), 200)),
                (HandshakeLine::Referee(_), Some(_)) => return fault("it says referee twice".to_owned()),
                (_, None) => {
                    return fault(format!(
                        "its first line is \"{}\", and not referee 1 NAME VERSION",
                        escape(line.as_bytes(), 200)
                    ));
                }
                (HandshakeLine::Seats(least, most), Some(_)) => {
                    let seats = rules.seat_count();
                    if !(least..=most).contains(&seats) {
                        return fault(format!(
                            "it takes {least} to {most} seats with these options, and the run has {seats}"
                        ));
                    }
                }
                (HandshakeLine::Scores { sum }, Some(_)) => {
                    if sum != rules.folder.sum {
                        let word = |sum| if sum { "sum" } else { "win" };
                        return fault(format!(
                            "it says scores {}, and game.toml has scores = \"{}\"",
                            word(sum),
                            word(rules.folder.sum)
                        ));
                    }
                }
                (HandshakeLine::Ready, Some(name)) => return Ok(name.clone()),
            }
        }
        fault(format!("it has written {MOST_GREETINGS} lines and is not ready"))
    }

    /// Begins a game with this seed, and its first step. Before `start` goes out, the referee has
    /// read the seed: what it wrote before that, it wrote when it had to read.
    ///
    /// # Errors
    /// [`RefereeTrouble::Fault`]: it has written something.
    pub fn begin(&mut self, seed: u64) -> Result<(), RefereeTrouble> {
        if self.begun.replace(seed) == Some(seed) {
            return Ok(());
        }
        self.is_silent()?;
        let line = format!("seed {seed}\n");
        self.processes.go_on_when_read(Seat::FIRST, line.as_bytes(), self.step).map_err(trouble)?;
        self.is_silent()?;
        self.processes.tell_more(b"start\n");
        self.sent = 6;
        Ok(())
    }

    /// Sends it lines, and begins a step.
    ///
    /// # Errors
    /// [`RefereeTrouble::Fault`]: it has written more, although it had to read first.
    pub fn send(&mut self, lines: &[u8]) -> Result<(), RefereeTrouble> {
        self.is_silent()?;
        self.processes.go_on(Seat::FIRST, lines, self.step);
        self.sent = lines.len() as u64;
        Ok(())
    }

    /// Whether it has written nothing that was not heard.
    fn is_silent(&mut self) -> Result<(), RefereeTrouble> {
        match self.processes.unheard(Seat::FIRST) {
            Some(line) => Err(too_early(&line)),
            None => Ok(()),
        }
    }

    /// Its next line, within the time of the step.
    ///
    /// # Errors
    /// [`RefereeTrouble`].
    pub fn hear(&mut self) -> Result<String, RefereeTrouble> {
        let answer = self.processes.hear().map_err(trouble)?;
        // Nothing of what it was sent has left the pipe: it wrote this before it read.
        let sent = std::mem::take(&mut self.sent);
        if sent > 0 && self.processes.unread(Seat::FIRST) >= sent {
            return Err(too_early(&escape(&answer.line, 100)));
        }
        String::from_utf8(answer.line)
            .map_err(|error| told(format!("\"{}\" is not UTF-8 text", escape(error.as_bytes(), 200))))
    }

    /// What it calls itself.
    pub fn program(&self) -> &str {
        &self.program
    }

    /// Ends a referee that was only tried.
    pub fn end_of_trial(mut self) -> SeatSeen {
        self.keep = false;
        self.end(true).0
    }

    /// Ends a referee that is at fault.
    pub fn end_of_fault(self) -> SeatSeen {
        self.end(false).0
    }

    /// Goes on to another game with the same process, if it still runs. Returns what was seen of it
    /// in the last one too.
    pub fn next_game(mut self, rules: &HostedRules) -> (SeatSeen, Option<Self>) {
        self.keep = true;
        let control = self.control;
        let (mut seen, mut parked) = self.end(true);
        let has_written = parked.as_mut().is_some_and(|parked| parked.process.has_written());
        seen.traffic.unasked += u64::from(has_written);
        (seen, parked.and_then(|parked| HostedReferee::go_on(parked, rules, control)))
    }

    /// The game is over. A referee that is well, and has written nothing after its end, goes on to
    /// the next game, if its `game.toml` says so.
    pub(super) fn end(self, well: bool) -> (SeatSeen, Option<ParkedReferee>) {
        let HostedReferee { mut processes, directory, limits, keep, control, program, .. } = self;
        let stay = well && keep;
        if !stay {
            processes.tell(Seat::FIRST, b"quit\n");
        }
        let patience = if well { Patience::All } else { Patience::None };
        let closed = processes.close_but(patience, &vec![stay].into()).into_values();
        let (seen, process) = closed.into_iter().next().expect("it has one process");
        let Some(process) = process else { return (seen, None) };
        if seen.traffic.unasked > 0 {
            process.end(b"quit\n", &limits);
            return (seen, None);
        }
        (seen, Some(ParkedReferee { process, directory, program, limits, control }))
    }
}

/// The limits of the referee: those of an engine, but its own memory and no limit of processor
/// time.
fn limits_of(rules: &HostedRules, limits: &Limits) -> Limits {
    let confinement = Confinement {
        memory: rules.folder.memory.unwrap_or(limits.terms.confinement.memory),
        cpu_time: None,
        ..limits.terms.confinement.clone()
    };
    // A pause is given while an engine is to answer.
    let terms = GameTerms { confinement, ..limits.terms.clone() };
    Limits { terms, traffic: None, waiting: None, pauses: None, ..limits.clone() }
}

/// A fault of which there are no more than these words.
fn told(why: String) -> RefereeTrouble {
    RefereeTrouble::Fault(FaultFact::Told(why).into())
}

fn too_early(line: &str) -> RefereeTrouble {
    told(format!("it wrote \"{line}\" after ready or wait, where it has to read first"))
}

fn trouble(trouble: Trouble) -> RefereeTrouble {
    match trouble {
        Trouble::Fault(fault) => RefereeTrouble::Fault(fault.why),
        Trouble::Stopped => RefereeTrouble::Stopped,
        Trouble::Ours(error) => RefereeTrouble::Ours(error),
    }
}
