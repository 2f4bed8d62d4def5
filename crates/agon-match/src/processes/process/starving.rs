//! Whether an engine was kept from a processor in its turn: its threads are looked at now and then
//! while its clock runs.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use agon_sandbox::process_tree as tree;
use rustix::process::Pid;

use super::Process;
use crate::processes::own_clock::{Given, KnownThreads, Ruling, SpentTurn};

/// How long one look at an engine's processes may take while somebody's clock runs, and where it
/// decides a game.
pub(super) const GLANCE: Duration = Duration::from_millis(5);
pub(super) const SCRUTINY: Duration = Duration::from_secs(1);
/// What others use is measured for at least so long.
const PROBE: Duration = Duration::from_millis(40);

/// The threads of an engine in its turn, as they were seen last, and the turn so far.
pub(super) struct OwnClock {
    at: Instant,
    known: KnownThreads,
    spent: SpentTurn,
    /// The processor time of every process outside, where that is asked.
    outside: Option<(Instant, HashMap<i32, Duration>)>,
}

impl Process {
    /// Its turn has gone on for `since`: from here on it is known what it does in it.
    pub(in crate::processes) fn look_at_turn(&mut self, since: Duration) {
        self.look(GLANCE);
        let sample = tree::sample(&self.roots(), self.ours(), GLANCE);
        let (known, spent) = KnownThreads::first(&sample, since, &self.given());
        self.accounts.turn =
            sample.whole.then(|| OwnClock { at: Instant::now(), known, spent, outside: None });
    }

    /// A turn begins, of which nothing is known yet.
    pub(in crate::processes) fn begin_turn(&mut self) {
        self.accounts.turn = None;
    }

    /// What it did in its turn before a pause is kept, and what it does in the pause is not
    /// counted.
    pub(in crate::processes) fn skip_pause(&mut self) {
        let Some(mut clock) = self.accounts.turn.take() else { return };
        let sample = tree::sample(&self.roots(), self.ours(), SCRUTINY);
        clock.known = KnownThreads::first(&sample, Duration::ZERO, &self.given()).0;
        clock.at = Instant::now();
        clock.outside = None;
        self.accounts.turn = Some(clock);
    }

    /// Looks at its threads in its turn. In the time since the last look the harness woke late by
    /// `late`, and worked `by_harness` on what the engine wrote without end. Returns how much of
    /// the lateness is excused.
    pub(in crate::processes) fn look_at_threads(&mut self, late: Duration, by_harness: Duration) -> Duration {
        self.look_at_threads_within(SCRUTINY, late, by_harness)
    }

    /// The same while there is no hurry to know: a tree too large to be seen at once is left.
    pub(in crate::processes) fn glance_at_threads(&mut self, by_harness: Duration) {
        self.look_at_threads_within(GLANCE, Duration::ZERO, by_harness);
    }

    fn look_at_threads_within(&mut self, bound: Duration, late: Duration, by_harness: Duration) -> Duration {
        let Some(mut clock) = self.accounts.turn.take() else { return Duration::ZERO };
        let mut sample = tree::sample(&self.roots(), self.ours(), bound);
        // A control group has counted those too that came and went.
        let counted = self.warden.as_ref().and_then(|warden| warden.uses());
        let now = Instant::now();
        let mut excused = Duration::ZERO;
        if sample.whole {
            let span = now.saturating_duration_since(clock.at);
            if let Some(uses) = counted {
                sample.cpu = uses.cpu;
            }
            let mut stretch = clock.known.next(&sample, span, &self.given());
            stretch.comes_and_goes &= counted.is_none();
            stretch.served(by_harness);
            clock.spent.add(&stretch);
            clock.at = now;
            excused = stretch.standstill(late);
        }
        self.accounts.turn = Some(clock);
        excused
    }

    /// Judges its turn, which has gone on for `wall` without an answer.
    pub(in crate::processes) fn rule_on_turn(&mut self, wall: Duration, allowance: Duration) -> Ruling {
        let roots = self.roots();
        let is_kept = tree::worst_session(&roots, self.ours(), SCRUTINY) == 0;
        let is_in_place = self.warden.is_some() || tree::are_in_own_groups(&roots, self.ours(), SCRUTINY);
        let cores = self.placement.all_cores();
        let Some(clock) = &mut self.accounts.turn else { return Ruling::Lost };
        // A session that has made itself nicer than others waits by its own will.
        if !is_kept {
            return Ruling::Lost;
        }
        if !is_in_place {
            clock.spent.count_all_use();
        }
        if clock.spent.comes_and_goes
            && let Some(wait) = measure_others(clock, &roots, cores)
        {
            return Ruling::GoesOn(wait);
        }
        match clock.spent.rule(wall, allowance) {
            // Who has left its control group may have chosen one without a processor.
            Ruling::NeverRan if !is_in_place => Ruling::Lost,
            ruling => ruling,
        }
    }

    /// How long its turn has kept it from a processor, for certain.
    pub(in crate::processes) fn starved(&self, wall: Duration) -> Duration {
        self.accounts.turn.as_ref().map_or(Duration::ZERO, |clock| clock.spent.starved(wall))
    }

    /// What it has used in its turn, and how long it has waited for a processor, if that is known.
    pub(in crate::processes) fn spent_in_turn(&self, wall: Duration) -> Option<(Duration, Duration)> {
        self.accounts.turn.as_ref().map(|clock| (clock.spent.ran, clock.spent.waited(wall)))
    }

    /// Whether it used a processor, or waited for one, for most of a turn that took so long.
    pub(in crate::processes) fn computes(&mut self, wall: Duration) -> bool {
        self.look_at_threads(Duration::ZERO, Duration::ZERO);
        self.spent_in_turn(wall).is_some_and(|(ran, waited)| (ran + waited) * 2 >= wall)
    }

    fn given(&self) -> Given {
        Given { priority: self.accounts.priority, cores: self.placement.cores() }
    }
}

/// What others have used of the processors caps what an engine whose processes come and go can have
/// been starved: its own that have gone may not have been counted. Returns how long that must still
/// be measured.
fn measure_others(clock: &mut OwnClock, roots: &[Pid], cores: usize) -> Option<Duration> {
    let now = Instant::now();
    let outside = tree::outside(roots, SCRUTINY);
    let Some((since, before)) = &clock.outside else {
        clock.outside = Some((now, outside));
        return Some(PROBE);
    };
    let span = now.saturating_duration_since(*since);
    if span < PROBE {
        return Some(PROBE - span);
    }
    let grown =
        |(pid, cpu): (&i32, &Duration)| cpu.saturating_sub(before.get(pid).copied().unwrap_or_default());
    let used: Duration = outside.iter().map(grown).sum();
    clock.spent.cap(used.as_secs_f64() / (span.as_secs_f64() * cores.max(1) as f64));
    None
}
