//! What a competition says and what comes of it, on a terminal.

use std::io::Write;

use agon_config::Options;
use agon_pages::report::terminal::{self as tables, TableLook};
use agon_printable::harmless;
use agon_standings::Standings;
use agon_standings::cup::CupStage;
use agon_standings::league::LeagueRules;
use agon_store::ranking::DerivedStage;

use super::played_stage::PlayedStage;
use super::sink::Sink;
use super::{cup_files, league, settings};
use crate::progress::{PlannedWork, Progress};
use crate::terminal;

/// The output for messages to people while a command works.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Teller {
    /// None.
    Nowhere,
    /// Stderr.
    Stderr,
    /// Stdout.
    Stdout,
    /// Stderr, and the results too.
    Log,
}

impl Teller {
    /// Stderr, unless `quiet`.
    pub fn stderr(quiet: bool) -> Teller {
        if quiet { Teller::Nowhere } else { Teller::Stderr }
    }

    /// Stdout, unless it is for events or `quiet`.
    pub fn stdout(quiet: bool, options: &Options) -> Teller {
        if quiet || settings::stdout_is_events(options) { Teller::stderr(quiet) } else { Teller::Stdout }
    }

    /// Says it.
    pub fn say(self, text: &str) {
        match self {
            Teller::Nowhere => {}
            Teller::Stderr | Teller::Log => terminal::say(text),
            // A closed pipe has no reader, and the run goes on.
            Teller::Stdout => _ = writeln!(std::io::stdout(), "{}", harmless(text.as_bytes())),
        }
    }
}

/// A terminal as the receiver of a competition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TerminalSink {
    teller: Teller,
    stdout_is_events: bool,
}

impl TerminalSink {
    /// Remarks go where `teller` says them. Results go to stdout, or to stderr if stdout is for
    /// events or the teller is for a log.
    pub fn new(teller: Teller, options: &Options) -> Self {
        TerminalSink { teller, stdout_is_events: settings::stdout_is_events(options) }
    }

    /// Shows a result.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn show(self, draw: impl Fn(TableLook) -> String) -> anyhow::Result<()> {
        if self.stdout_is_events || self.teller == Teller::Log {
            let stderr = std::io::stderr();
            let _ = stderr.lock().write_all(draw(TableLook::of(&stderr)).as_bytes()); // a closed stderr has no readers
            return Ok(());
        }
        // Unlike messages, a table that cannot be written is an error: the result is lost.
        terminal::drawn(&draw(TableLook::of(&std::io::stdout())))
    }
}

impl Sink for TerminalSink {
    fn say(&mut self, remark: &str) {
        self.teller.say(remark);
    }

    fn warn(&mut self, warning: &str) {
        terminal::say(warning);
    }

    fn is_quiet(&self) -> bool {
        self.teller == Teller::Nowhere
    }

    fn agrees(&mut self, question: &str) -> anyhow::Result<Option<bool>> {
        terminal::agrees(question)
    }

    fn planned(&mut self, line: &str) -> anyhow::Result<()> {
        terminal::out(&format!("{line}\n"))
    }

    fn progress(&self, work: PlannedWork) -> Option<Progress> {
        Some(Progress::new(work, self.is_quiet()))
    }

    fn standings(&mut self, title: Option<&str>, standings: &Standings) -> anyhow::Result<()> {
        let rows = standings.table();
        let title = title.map(|title| format!("{title}\n")).unwrap_or_default();
        self.show(|look| format!("{title}{}", tables::standings(&rows, standings.tiebreaks(), look)))
    }

    fn stages(&mut self, stages: &[CupStage], played: &[PlayedStage]) -> anyhow::Result<()> {
        self.show(|_| cup_files::text(stages, played))
    }

    fn verdict(&mut self, line: &str) -> anyhow::Result<()> {
        if self.stdout_is_events {
            terminal::say(line);
            return Ok(());
        }
        terminal::out(&format!("{line}\n"))
    }

    /// With `--quiet` it stands below the table.
    fn answer(&mut self, line: &str) -> anyhow::Result<()> {
        match self.teller {
            Teller::Nowhere => self.verdict(line),
            Teller::Stderr | Teller::Stdout | Teller::Log => {
                self.say(line);
                Ok(())
            }
        }
    }

    fn night(&mut self, night: &DerivedStage, rules: LeagueRules) -> anyhow::Result<()> {
        self.show(|_| league::drawn(night, rules))
    }
}
