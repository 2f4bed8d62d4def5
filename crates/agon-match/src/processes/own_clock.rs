//! The clock of an engine on a busy machine: the time of a turn without that in which the engine
//! was kept from a processor. Pure arithmetic over what was seen.
//!
//! From one look at the threads of an engine to the next is a *stretch*. In it the engine was
//! starved while a thread of it waited for a processor, at the priority and on the cores that agon
//! gave it, and no thread of it ran. So its clock runs at least as fast as it uses processors. The
//! deadline falls when the clock has reached the allowance, whatever the wall clock says, and at
//! [`MOST`] allowances of the wall clock at the latest.

use std::collections::HashMap;
use std::time::Duration;

use agon_sandbox::{Priority, ThreadSample, TreeSample};

/// A turn takes at most so many allowances.
pub(in crate::processes) const MOST: u32 = 10;
/// An engine that has used less than this part of its allowance in [`MOST`] of them had no
/// processor.
const NOTHING: u32 = 100;
/// What is left of an allowance and less than this is not waited for: it is shorter than what can
/// be measured.
const STEP: Duration = Duration::from_millis(1);

/// How agon has let an engine run.
#[derive(Clone, Debug, Default)]
pub(in crate::processes) struct Given {
    /// The priority of its threads.
    pub(in crate::processes) priority: Priority,
    /// The cores that it may use; empty if they are unknown.
    pub(in crate::processes) cores: Vec<usize>,
}

impl Given {
    /// Whether a thread runs no worse than it was let.
    fn is_kept_by(&self, thread: &ThreadSample) -> bool {
        thread.priority.policy == self.priority.policy
            && thread.priority.nice <= self.priority.nice
            && self.cores.iter().all(|core| thread.cores.contains(core))
    }
}

/// The waits of one thread, or of the thread that waited most.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(in crate::processes) struct Waits {
    /// Waits that have ended, and those that are known to go on.
    sure: Duration,
    /// What may have been a wait that goes on, or sleep: the next look shows it.
    perhaps: Duration,
}

impl Waits {
    fn most(self, other: Waits) -> Waits {
        Waits { sure: self.sure.max(other.sure), perhaps: self.perhaps.max(other.perhaps) }
    }
}

/// What was seen of an engine from one look to the next.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::processes) struct Stretch {
    pub(in crate::processes) span: Duration,
    /// The processor time of all its processes.
    pub(in crate::processes) used: Duration,
    /// That of the thread with the most.
    pub(in crate::processes) busiest: Duration,
    /// Of all threads.
    pub(in crate::processes) waits: Waits,
    /// Of those that run as agon has let them.
    pub(in crate::processes) kept: Waits,
    /// On how many cores its threads can have run at once.
    pub(in crate::processes) cores: u32,
    /// Whether processes of it came within the stretch. Then others may have come and gone unseen.
    pub(in crate::processes) comes_and_goes: bool,
}

impl Stretch {
    /// The harness worked for the engine: it read what that wrote without end.
    pub(in crate::processes) fn served(&mut self, by_harness: Duration) {
        self.used += by_harness;
        self.busiest += by_harness;
    }

    /// The part in which no thread of it ran.
    fn idle(&self) -> Duration {
        self.span.saturating_sub((self.used / self.cores.max(1)).max(self.busiest))
    }

    /// What is excused because the harness woke late in it: the part of that in which the engine
    /// did not run, without its waits, which are counted anyway.
    pub(in crate::processes) fn standstill(&self, late: Duration) -> Duration {
        late.min(self.idle()).saturating_sub(self.kept.sure)
    }
}

/// What is known of a thread after a look.
#[derive(Clone, Copy, Debug, Default)]
struct KnownThread {
    ran: Duration,
    waited: Duration,
    runnable: bool,
    /// How much of a wait that goes on was counted: the kernel counts a wait when it ends.
    going_on: Duration,
    /// How much longer it may have gone on: the thread has not run since.
    perhaps: Duration,
}

/// The threads of an engine as they were seen last.
#[derive(Clone, Debug, Default)]
pub(in crate::processes) struct KnownThreads {
    cpu: Duration,
    threads: HashMap<(i32, u64), KnownThread>,
}

impl KnownThreads {
    /// The first look of a turn, `since` its clock began. Returns what may have been a wait.
    pub(in crate::processes) fn first(
        sample: &TreeSample,
        since: Duration,
        given: &Given,
    ) -> (Self, SpentTurn) {
        let mut spent = SpentTurn::default();
        let known = |thread: &ThreadSample| {
            let perhaps = if thread.runnable { since } else { Duration::ZERO };
            if given.is_kept_by(thread) {
                spent.perhaps = spent.perhaps.max(perhaps);
                spent.room = spent.perhaps;
            }
            let ThreadSample { ran, waited, runnable, .. } = *thread;
            let known = KnownThread { ran, waited, runnable, going_on: Duration::ZERO, perhaps };
            ((thread.id, thread.born), known)
        };
        (KnownThreads { cpu: sample.cpu, threads: sample.threads.iter().map(known).collect() }, spent)
    }

    /// What has happened since the last look, `span` ago.
    pub(in crate::processes) fn next(
        &mut self,
        sample: &TreeSample,
        span: Duration,
        given: &Given,
    ) -> Stretch {
        let mut stretch = Stretch { span, used: sample.cpu.saturating_sub(self.cpu), ..Stretch::default() };
        let (mut at_once, mut most) = (0u32, 0u32);
        let mut threads = HashMap::new();
        for thread in &sample.threads {
            let key = (thread.id, thread.born);
            let before = self.threads.get(&key).copied();
            stretch.comes_and_goes |= before.is_none();
            let before = before.unwrap_or_default();
            let ran = thread.ran.saturating_sub(before.ran);
            let ended = thread.waited.saturating_sub(before.waited);
            let stood = thread.runnable && before.runnable && ran.is_zero() && ended.is_zero();
            let going_on = if stood { before.going_on + span } else { Duration::ZERO };
            let sure = (ended + going_on).saturating_sub(before.going_on);
            let perhaps = match thread.runnable {
                true if stood => before.perhaps,
                // What has ended may have begun before the stretch.
                true => span.saturating_sub(ran).saturating_sub(sure.saturating_sub(before.perhaps)),
                false => Duration::ZERO,
            };
            let waits = Waits { sure, perhaps };
            stretch.waits = stretch.waits.most(waits);
            if given.is_kept_by(thread) {
                stretch.kept = stretch.kept.most(waits);
            }
            stretch.busiest = stretch.busiest.max(ran.min(span));
            at_once += u32::from(thread.runnable || !ran.is_zero());
            most = most.max(u32::try_from(thread.cores.len()).unwrap_or(u32::MAX));
            let ThreadSample { ran, waited, runnable, .. } = *thread;
            threads.insert(key, KnownThread { ran, waited, runnable, going_on, perhaps });
        }
        stretch.cores = at_once.min(most).max(1);
        (self.cpu, self.threads) = (sample.cpu, threads);
        stretch
    }
}

/// A turn so far, as the engine has spent it.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::processes) struct SpentTurn {
    /// The processor time of all its processes.
    pub(in crate::processes) ran: Duration,
    waited: Duration,
    starved: Duration,
    /// What may have been a wait since the last look but one.
    perhaps: Duration,
    /// The time in which none of its threads ran.
    room: Duration,
    /// The most that it can have been starved, as a part of the turn, where only what others used
    /// can tell.
    most: Option<f64>,
    /// Whether processes of it came and went.
    pub(in crate::processes) comes_and_goes: bool,
    /// Whether its clock runs as fast as all its processes together use processors.
    counts_all_use: bool,
}

/// What becomes of a turn whose engine has not answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::processes) enum Ruling {
    /// So much of its allowance is left.
    GoesOn(Duration),
    /// It had its time.
    Lost,
    /// It had the most time that there is, and no processor in all of it.
    NeverRan,
}

impl SpentTurn {
    pub(in crate::processes) fn add(&mut self, stretch: &Stretch) {
        self.ran += stretch.used;
        self.waited += stretch.waits.sure;
        // A wait that ends now may have begun in an earlier stretch.
        self.room += stretch.idle();
        self.starved = (self.starved + stretch.kept.sure).min(self.room);
        self.perhaps = stretch.kept.perhaps;
        self.comes_and_goes |= stretch.comes_and_goes;
    }

    /// Others have used at most this part of the processors.
    pub(in crate::processes) fn cap(&mut self, part: f64) {
        self.most = Some(part.clamp(0.0, 1.0));
    }

    /// It has left the control groups in which it was started: a thread of it may wait there for
    /// ever while others run in turn.
    pub(in crate::processes) fn count_all_use(&mut self) {
        self.counts_all_use = true;
    }

    fn capped(&self, starved: Duration, wall: Duration) -> Duration {
        let used = if self.counts_all_use { self.ran } else { Duration::ZERO };
        let starved = starved.min(self.room).min(wall.saturating_sub(used));
        self.most.map_or(starved, |part| starved.min(wall.mul_f64(part)))
    }

    /// How long it was starved, for certain, in a turn of this length.
    pub(in crate::processes) fn starved(&self, wall: Duration) -> Duration {
        // What processes used that came and went is not known before others have been measured.
        if self.comes_and_goes && self.most.is_none() {
            return Duration::ZERO;
        }
        self.capped(self.starved, wall)
    }

    /// The time of its own in a turn of this length so far.
    pub(in crate::processes) fn own(&self, wall: Duration) -> Duration {
        if self.comes_and_goes {
            return wall;
        }
        wall.saturating_sub(self.capped(self.starved + self.perhaps, wall))
    }

    /// How long a thread of it waited for a processor, in a turn of this length.
    pub(in crate::processes) fn waited(&self, wall: Duration) -> Duration {
        (self.waited + self.perhaps).min(wall.saturating_sub(self.ran.min(wall)))
    }

    /// Judges a turn that has gone on for `wall` without an answer.
    pub(in crate::processes) fn rule(&self, wall: Duration, allowance: Duration) -> Ruling {
        let starved = self.capped(self.starved + self.perhaps, wall);
        if wall >= allowance * MOST {
            let never = self.ran * NOTHING < allowance && !self.comes_and_goes && starved * 10 >= wall * 9;
            return if never { Ruling::NeverRan } else { Ruling::Lost };
        }
        match allowance.saturating_sub(wall - starved) {
            left if left < STEP => Ruling::Lost,
            left => Ruling::GoesOn(left),
        }
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{Rng, SeedableRng};

    use super::*;

    const MICRO: Duration = Duration::from_micros(1);
    const MILLI: Duration = Duration::from_millis(1);

    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    enum Act {
        Run,
        Wait,
        Sleep,
    }

    /// A thread whose history is known, seen as a kernel shows it: a wait counts when it ends.
    struct Thread {
        ran: Duration,
        waited: Duration,
        slept: Duration,
        act: Act,
        since: Duration,
        nice: i32,
        cores: Vec<usize>,
    }

    impl Thread {
        fn new() -> Self {
            let none = Duration::ZERO;
            let (act, cores) = (Act::Wait, vec![0, 1]);
            Thread { ran: none, waited: none, slept: none, act, since: none, nice: 0, cores }
        }

        fn go_on(&mut self, time: Duration) {
            match self.act {
                Act::Run => self.ran += time,
                Act::Wait => self.since += time,
                Act::Sleep => self.slept += time,
            }
        }

        fn turn_to(&mut self, act: Act) {
            // A thread that wakes waits first, and one that waits runs next.
            self.act = match (self.act, act) {
                (Act::Wait, Act::Sleep) => Act::Run,
                (Act::Sleep, Act::Run) => Act::Wait,
                (_, act) => act,
            };
            if self.act != Act::Wait {
                self.waited += std::mem::take(&mut self.since);
            }
        }

        fn all_waits(&self) -> Duration {
            self.waited + self.since
        }

        fn seen(&self, id: i32) -> ThreadSample {
            ThreadSample {
                id,
                born: 7,
                runnable: self.act != Act::Sleep,
                ran: self.ran,
                waited: self.waited,
                priority: Priority { nice: self.nice, policy: 0 },
                cores: self.cores.clone(),
            }
        }
    }

    fn sample(threads: &[Thread]) -> TreeSample {
        let seen = (1..).zip(threads).map(|(id, thread)| thread.seen(id));
        TreeSample {
            cpu: threads.iter().map(|thread| thread.ran).sum(),
            threads: seen.collect(),
            whole: true,
        }
    }

    fn given() -> Given {
        Given { priority: Priority::default(), cores: vec![0, 1] }
    }

    /// Plays a turn of an engine of one thread. What it does is drawn with these weights, and looks
    /// come at odd times. Gives the thread, the turn, its length and the ruling.
    fn turn(
        seed: u64,
        weights: [u32; 3],
        thread: Thread,
        allowance: Duration,
    ) -> (Thread, SpentTurn, Duration, Ruling) {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut below = |most: u32| random.next_u32() % most.max(1);
        let mut threads = [thread];
        let first = MICRO * (500 + below(40_000));
        threads[0].go_on(first);
        let (mut known, mut spent) = KnownThreads::first(&sample(&threads), first, &given());
        let mut wall = first;
        loop {
            let span = MICRO * (5_000 + below(45_000));
            let mut left = span;
            while !left.is_zero() {
                let part = left.min(MICRO * (1 + below(30_000)));
                threads[0].go_on(part);
                left -= part;
                let drawn = below(weights.iter().sum());
                let act = match drawn {
                    drawn if drawn < weights[0] => Act::Run,
                    drawn if drawn < weights[0] + weights[1] => Act::Wait,
                    _ => Act::Sleep,
                };
                threads[0].turn_to(act);
            }
            wall += span;
            spent.add(&known.next(&sample(&threads), span, &given()));
            if wall < allowance {
                continue;
            }
            let ruling = spent.rule(wall, allowance);
            if !matches!(ruling, Ruling::GoesOn(_)) {
                let [thread] = threads;
                return (thread, spent, wall, ruling);
            }
        }
    }

    /// However a turn goes: it is not lost before the engine has had its allowance, run or slept,
    /// or the most wall time that there is. It goes on no longer than one look after that.
    #[test]
    fn an_engine_loses_when_it_has_used_or_slept_its_allowance_and_not_before() {
        for seed in 0..3000u64 {
            let weights = [1 + (seed % 5) as u32, (seed / 5 % 20) as u32, (seed / 100 % 4) as u32];
            let allowance = MILLI * (50 + (seed % 7) as u32 * 60);
            let (thread, spent, wall, ruling) = turn(seed, weights, Thread::new(), allowance);
            let own = thread.ran + thread.slept;
            let what = format!("{seed} {weights:?}: own {own:?} of {allowance:?} in {wall:?}, {ruling:?}");
            assert!(spent.starved(wall) <= thread.all_waits(), "{what}: {:?}", spent.starved(wall));
            if wall < allowance * MOST {
                assert!(own + 2 * MILLI >= allowance, "{what}: too soon");
            }
            // Between two looks at most 50 ms pass; and what was sleep is known one look later.
            assert!(own <= allowance + 150 * MILLI, "{what}: too late");
            assert!(wall <= allowance * MOST + 50 * MILLI, "{what}: longer than the most");
            assert!(ruling == Ruling::Lost || thread.ran * NOTHING < allowance, "{what}: void");
        }
    }

    /// The control is the same engine as agon has let it run.
    #[test]
    fn an_engine_that_runs_worse_than_it_was_let_or_sleeps_gains_nothing() {
        let allowance = 200 * MILLI;
        let longest = |weights, thread: fn() -> Thread| {
            (0..200).map(|seed| turn(seed, weights, thread(), allowance).2).max().unwrap()
        };
        let starved = [1, 9, 0];
        assert!(longest(starved, Thread::new) > allowance * 2, "the control");
        let nice = || Thread { nice: 1, ..Thread::new() };
        let narrow = || Thread { cores: vec![1], ..Thread::new() };
        let sleeper = [0, 0, 1];
        for (weights, thread) in
            [(starved, nice as fn() -> Thread), (starved, narrow), (sleeper, Thread::new)]
        {
            assert!(longest(weights, thread) <= allowance + 150 * MILLI);
        }
    }

    #[test]
    fn an_engine_without_a_processor_in_ten_allowances_never_ran_and_one_with_a_hundredth_lost() {
        let allowance = 200 * MILLI;
        let at_the_end = |run: Duration| {
            let mut thread = [Thread::new()];
            let (mut known, mut spent) = KnownThreads::first(&sample(&thread), 2 * MILLI, &given());
            for number in 0..50 {
                thread[0].go_on(50 * MILLI);
                if number == 3 {
                    thread[0].turn_to(Act::Run);
                    thread[0].go_on(run);
                    thread[0].turn_to(Act::Wait);
                }
                spent.add(&known.next(&sample(&thread), 50 * MILLI, &given()));
            }
            spent.rule(allowance * MOST + MILLI, allowance)
        };
        assert_eq!(at_the_end(Duration::ZERO), Ruling::NeverRan);
        assert_eq!(at_the_end(3 * MILLI), Ruling::Lost);
    }

    /// Threads of one engine that keep each other from two cores, or from one, on a machine with
    /// nobody else: the processor time counts, whichever of them used it.
    #[test]
    fn threads_that_keep_each_other_from_a_processor_gain_nothing() {
        for (count, running) in [(3, 2), (40, 2), (12, 1)] {
            let mut threads: Vec<Thread> = (0..count).map(|_| Thread::new()).collect();
            if running == 1 {
                threads.iter_mut().for_each(|thread| thread.cores = vec![0]);
            }
            let given = Given { cores: (0..running).collect(), ..given() };
            let (mut known, mut spent) = KnownThreads::first(&sample(&threads), 2 * MILLI, &given);
            for look in 0..40usize {
                for slice in 0..10 {
                    for (number, thread) in threads.iter_mut().enumerate() {
                        let runs = (number + look + slice) % count < running;
                        thread.turn_to(if runs { Act::Run } else { Act::Wait });
                        thread.go_on(5 * MILLI);
                    }
                }
                spent.add(&known.next(&sample(&threads), 50 * MILLI, &given));
            }
            let wall = 2002 * MILLI;
            assert!(spent.starved(wall) <= 60 * MILLI, "{count}: {:?}", spent.starved(wall));
            assert_eq!(spent.rule(wall, 1000 * MILLI), Ruling::Lost, "{count}");
        }
    }

    #[test]
    fn what_others_used_caps_what_an_engine_can_have_been_starved() {
        let mut thread = [Thread::new()];
        let (mut known, mut spent) = KnownThreads::first(&sample(&thread), 2 * MILLI, &given());
        thread[0].go_on(400 * MILLI);
        spent.add(&known.next(&sample(&thread), 400 * MILLI, &given()));
        assert_eq!(spent.rule(402 * MILLI, 200 * MILLI), Ruling::GoesOn(200 * MILLI), "the control");
        spent.cap(0.25);
        assert_eq!(spent.rule(402 * MILLI, 200 * MILLI), Ruling::Lost);
    }

    #[test]
    fn a_harness_that_woke_late_excuses_what_the_engine_did_not_run() {
        let stretch = |ran: u32, waited: u32| Stretch {
            span: 100 * MILLI,
            used: MILLI * ran,
            busiest: MILLI * ran,
            kept: Waits { sure: MILLI * waited, ..Waits::default() },
            cores: 1,
            ..Stretch::default()
        };
        let late = 80 * MILLI;
        assert_eq!(stretch(0, 0).standstill(late), late);
        assert_eq!(stretch(70, 0).standstill(late), 30 * MILLI);
        assert_eq!(stretch(0, 50).standstill(late), 30 * MILLI, "its waits are counted as such");
        let mut served = stretch(0, 0);
        served.served(95 * MILLI);
        assert_eq!(served.standstill(late), 5 * MILLI, "the harness read what it wrote without end");
    }
}
