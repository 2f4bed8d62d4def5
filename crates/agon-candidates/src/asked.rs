//! The new versions that a command asks for: that of one engine instead of a tournament, or all
//! before the games of a night.

use agon_config::candidates::CandidateTerms;
use agon_config::{CommandExit, Misuse, Options};
use agon_match::keeper::RunContext;
use agon_tournament::competition::sink::Sink;
use agon_tournament::competition::tournament::{AfterPrelude, Prelude, ReadyTournament};

use crate::candidate::{CandidateEnd, Candidates};

/// Which new versions of engines are tested.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WantedCandidates {
    /// That of the engine with this name, and nothing else is played.
    One(String),
    /// All, before the other games.
    Changed,
}

/// The new versions of engines that are tested, and how.
#[derive(Clone, PartialEq, Debug)]
pub struct AskedCandidates {
    /// Which.
    pub wanted: WantedCandidates,
    /// How they are tested and rated.
    pub terms: CandidateTerms,
    /// The flag or the key that asks for it, for messages.
    pub place: String,
}

impl Prelude for AskedCandidates {
    fn play(
        &self,
        ready: &ReadyTournament<'_>,
        context: &RunContext,
        sink: &mut dyn Sink,
    ) -> anyhow::Result<AfterPrelude> {
        self.refuse(ready)?;
        // The file of events is for one of the two.
        let is_first = self.wanted == WantedCandidates::Changed;
        let events = ready.options.events.clone().filter(|_| !is_first);
        let all = Candidates {
            options: Options { events, ..ready.options.clone() },
            rules: ready.rules.clone(),
            engines: ready.engines.to_vec(),
            terms: self.terms,
            consent: ready.consent,
            until: ready.until,
        };
        let changed = match &self.wanted {
            WantedCandidates::One(name) => vec![all.named(name)?],
            WantedCandidates::Changed => all.changed(&mut |line| sink.say(line))?,
        };
        let mut worst = CommandExit::Done;
        for one in changed.iter().take_while(|_| !is_first || !all.is_late()) {
            if ready.dry {
                all.plan(one, sink)?;
                continue;
            }
            let CandidateEnd { code, verdict } = all.play(one, context, sink)?;
            let Some(verdict) = verdict else { return Ok(AfterPrelude::End(code)) };
            // As of a test of two engines: its answer, unless void games leave it open.
            if !is_first {
                let is_open = verdict.exit() == CommandExit::Open && code != CommandExit::Done;
                return Ok(AfterPrelude::End(if is_open { code } else { verdict.exit() }));
            }
            worst = worst.max(code);
        }
        Ok(if is_first { AfterPrelude::GoOn(worst) } else { AfterPrelude::End(worst) })
    }
}

impl AskedCandidates {
    /// Refuses candidates of what is no round robin of games for two.
    fn refuse(&self, ready: &ReadyTournament<'_>) -> anyhow::Result<()> {
        let refused = |what: &str, hint: &str| Err(Misuse::hinted(format!("{}: {what}", self.place), hint));
        if ready.is_staged {
            return refused(
                "an engine is compared with the ratings of a round robin of all, not of stages, groups or leagues",
                "leave it out, or compare two programs: agon match NEW LAST --sprt",
            );
        }
        if ready.part.is_some() {
            return refused("a test ends with any game, so it has no parts", "leave out --part");
        }
        if ready.options.time_controls()?.len() > 1 {
            return refused(
                "a candidate is tested at one time control",
                "give one, with the --out of its results, as in --st 1 --out results/st=1",
            );
        }
        let seats = ready.rules.seats().len();
        if seats != 2 {
            return refused(
                &format!("a test is for games of two seats, and this one has {seats}"),
                "leave it out",
            );
        }
        Ok(())
    }
}
