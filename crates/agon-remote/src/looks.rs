//! Looks: the side of the harness asks the machine of the engine, at times that it draws, how the
//! engine has spent its turn, and measures what can be believed of that.
//!
//! A plain look goes there and back as any line does. When the other side says that others keep its
//! engine from a processor, it also gets trials: it is to compute for [`WORK`], and says when that
//! is done. How long that takes shows how slow the machine is for a program that computes. Both
//! together bound what is believed: the longest of the last round trips, and the part of the turn
//! in which a program would not run that is as slow as the slowest of the last trials.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crate::claim::FarClaim;
use crate::frame::WireFrame;
use crate::times::{FarTimes, monotonic};
use crate::waits::OwnWaits;

/// The processor time of a trial.
const WORK: Duration = Duration::from_millis(5);
/// A thread that wakes for a trial is served sooner than a program that computes all the time. So a
/// machine on which trials take twice their processor time or more is taken for so many times as
/// slow.
const FAVOUR: f64 = 2.0;
/// So many of the last looks of each kind count.
const LAST: usize = 16;
/// The time from one look to the next in milliseconds, at least and at most: while a question is
/// open, when it has been so for a while, and otherwise.
const OPEN: (u32, u32) = (10, 40);
const LONG: (u32, u32) = (50, 150);
const IDLE: (u32, u32) = (100, 400);
/// A question that has been open for so long is a long one.
const A_WHILE: Duration = Duration::from_secs(1);
/// After so long without a question no looks are sent.
const ASLEEP: Duration = Duration::from_secs(10);
/// The engine was kept from a processor if it was so for so long, and for a tenth of the time.
const KEPT: Duration = Duration::from_millis(4);

/// A look that is under way.
#[derive(Clone, Copy, Debug)]
struct OpenLook {
    number: u64,
    sent: Instant,
    /// The waits of this side when it was sent.
    waits: Duration,
}

impl OpenLook {
    fn age(&self, now: Instant, waits: Duration) -> Duration {
        now.saturating_duration_since(self.sent).saturating_sub(waits.saturating_sub(self.waits))
    }
}

/// What the other side has said of a turn.
#[derive(Clone, Copy, Debug)]
struct HeardClaim {
    claim: FarClaim,
    /// When it came.
    at: Instant,
    /// The waits of this side then.
    waits: Duration,
}

/// The looks of one game.
#[derive(Debug)]
pub(crate) struct Looks {
    own: OwnWaits,
    /// When the present question was sent; by both clocks, with the waits of this side.
    question: Option<(Instant, Duration, Duration)>,
    /// Whether something was heard of the engine since then.
    is_answered: bool,
    next: Instant,
    sent: u64,
    /// The number of the last look before the present question.
    before: u64,
    plain: Option<OpenLook>,
    trial: Option<OpenLook>,
    rounds: VecDeque<Duration>,
    trials: VecDeque<Duration>,
    /// What was said last of the present question.
    claim: Option<HeardClaim>,
}

impl Looks {
    pub(crate) fn new() -> Self {
        Looks {
            own: OwnWaits::new(),
            question: None,
            is_answered: false,
            next: Instant::now(),
            sent: 0,
            before: 0,
            plain: None,
            trial: None,
            rounds: VecDeque::new(),
            trials: VecDeque::new(),
            claim: None,
        }
    }

    /// The engine is told something: a turn of it may begin.
    pub(crate) fn told(&mut self) {
        let now = Instant::now();
        self.question = Some((now, monotonic(), self.own.total()));
        (self.is_answered, self.before, self.claim) = (false, self.sent, None);
        self.next = now + drawn(OPEN);
    }

    /// The way there and back took so long before the game.
    pub(crate) fn note_round(&mut self, round: Duration) {
        keep(&mut self.rounds, round);
    }

    /// The connection is lost, and what was under way with it.
    pub(crate) fn lost(&mut self) {
        (self.plain, self.trial) = (None, None);
    }

    /// How long until the next look.
    pub(crate) fn until_next(&self) -> Option<Duration> {
        let (asked, ..) = self.question?;
        let asleep = self.is_answered && asked.elapsed() > ASLEEP;
        (!asleep).then(|| self.next.saturating_duration_since(Instant::now()))
    }

    /// The looks that are to be sent now.
    pub(crate) fn due(&mut self) -> Vec<WireFrame> {
        if !self.until_next().is_some_and(|left| left.is_zero()) {
            return Vec::new();
        }
        let now = Instant::now();
        let is_long = self.question.is_some_and(|(asked, ..)| now.saturating_duration_since(asked) > A_WHILE);
        self.next = now
            + drawn(match self.is_answered {
                true => IDLE,
                false if is_long => LONG,
                false => OPEN,
            });
        let waits = self.own.total();
        let mut frames = Vec::new();
        let mut begin = |open: &mut Option<OpenLook>, sent: &mut u64, work: Duration| {
            if open.is_none() {
                *sent += 1;
                *open = Some(OpenLook { number: *sent, sent: now, waits });
                frames.push(WireFrame::Look(*sent, u32::try_from(work.as_micros()).unwrap_or(0)));
            }
        };
        if self.is_kept(now) {
            begin(&mut self.trial, &mut self.sent, WORK);
        }
        begin(&mut self.plain, &mut self.sent, Duration::ZERO);
        frames
    }

    /// Whether the other side says that its engine is kept from a processor in the present turn.
    fn is_kept(&self, now: Instant) -> bool {
        let (Some((asked, ..)), Some(HeardClaim { claim, at, .. })) = (self.question, self.claim) else {
            return false;
        };
        let span = at.saturating_duration_since(asked);
        let kept = span.saturating_sub(claim.own);
        now >= at && kept >= KEPT && kept * 10 >= span
    }

    /// A look has come back. Numbers that were not sent are ignored.
    pub(crate) fn back(&mut self, number: u64, claim: FarClaim) {
        let (now, waits) = (Instant::now(), self.own.total());
        if let Some(look) = self.plain.take_if(|look| look.number == number) {
            keep(&mut self.rounds, look.age(now, waits));
        } else if let Some(look) = self.trial.take_if(|look| look.number == number) {
            keep(&mut self.trials, look.age(now, waits));
        } else {
            return;
        }
        if number > self.before {
            self.claim = Some(HeardClaim { claim, at: now, waits });
        }
    }

    /// The engine has written something, and the other side says this of its time.
    pub(crate) fn said(&mut self, claim: Option<FarClaim>) {
        self.is_answered = true;
        if let Some(claim) = claim {
            self.claim = Some(HeardClaim { claim, at: Instant::now(), waits: self.own.total() });
        }
    }

    /// The turn so far.
    pub(crate) fn times(&self) -> FarTimes {
        let (Some((asked, since, waits_then)), Some(heard)) = (self.question, self.claim) else {
            return FarTimes::default();
        };
        let (now, waits) = (Instant::now(), self.own.total());
        // What has happened since the other side said so counts as the engine's own, but not the
        // time in which this side has waited for a processor.
        let later = now.saturating_duration_since(heard.at);
        let later = later.saturating_sub(waits.saturating_sub(heard.waits));
        let claim = FarClaim { own: heard.claim.own + later, ..heard.claim };
        let span = now.saturating_duration_since(asked).saturating_sub(waits.saturating_sub(waits_then));
        FarTimes { since, claim, seen: self.seen(span, now, waits) }
    }

    /// How long the engine can have been held up in this time, as far as looks have shown it. Those
    /// that are under way count as long as they have been so far.
    fn seen(&self, span: Duration, now: Instant, waits: Duration) -> Duration {
        let longest = |done: &VecDeque<Duration>, open: &Option<OpenLook>| {
            let open = open.as_ref().map(|look| look.age(now, waits));
            done.iter().copied().chain(open).max().unwrap_or_default()
        };
        let (round, trial) = (longest(&self.rounds, &self.plain), longest(&self.trials, &self.trial));
        round + span.mul_f64(kept_waiting(trial))
    }
}

/// The part of the time in which a program waits on a machine where a trial takes so long.
fn kept_waiting(trial: Duration) -> f64 {
    if trial <= WORK {
        return 0.0;
    }
    let favour = if trial >= 2 * WORK { FAVOUR } else { 1.0 };
    1.0 - WORK.as_secs_f64() / (trial.as_secs_f64() * favour)
}

fn keep(list: &mut VecDeque<Duration>, time: Duration) {
    list.push_back(time);
    if list.len() > LAST {
        list.pop_front();
    }
}

/// A time between these, in milliseconds, that nobody can know before.
fn drawn((least, most): (u32, u32)) -> Duration {
    let mut bytes = [0; 4];
    // Without random bytes it is the least.
    let _ = rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty());
    let micros = u64::from(u32::from_be_bytes(bytes)) % (u64::from(most - least) * 1000 + 1);
    Duration::from_millis(least.into()) + Duration::from_micros(micros)
}

#[cfg(test)]
mod tests {
    use std::thread::sleep;

    use super::*;

    const MILLI: Duration = Duration::from_millis(1);

    fn claim(own: Duration) -> FarClaim {
        FarClaim { own, ran: own }
    }

    /// The looks of the next moment when there are any, as numbers with their work.
    fn next_looks(looks: &mut Looks) -> Vec<(u64, u32)> {
        loop {
            let due = looks.due();
            if !due.is_empty() {
                return due
                    .into_iter()
                    .map(|frame| match frame {
                        WireFrame::Look(number, work) => (number, work),
                        other => panic!("{other:?}"),
                    })
                    .collect();
            }
            sleep(MILLI);
        }
    }

    #[test]
    fn a_machine_that_keeps_nobody_waiting_gets_no_trial_and_one_that_does_gets_them() {
        let mut looks = Looks::new();
        assert!(looks.until_next().is_none(), "no question yet");
        looks.told();
        let first = next_looks(&mut looks);
        assert!(first.len() == 1 && first[0].1 == 0, "{first:?}");
        looks.back(first[0].0, claim(60_000 * MILLI));
        let second = next_looks(&mut looks);
        assert!(second.iter().all(|look| look.1 == 0), "{second:?}");
        // The second look says that the engine had next to nothing of this time.
        looks.back(second[0].0, claim(Duration::ZERO));
        let third = next_looks(&mut looks);
        assert!(third.iter().any(|look| look.1 == 5000), "{third:?}");
    }

    #[test]
    fn what_is_believed_is_what_round_trips_and_trials_have_shown() {
        let mut looks = Looks::new();
        looks.told();
        let round = next_looks(&mut looks)[0].0;
        sleep(30 * MILLI);
        looks.back(round, claim(Duration::ZERO));
        let seen = looks.times().seen;
        assert!(seen >= 30 * MILLI, "the round trip: {seen:?}");
        let (mut bare, mut later) = (None, Vec::new());
        while bare.is_none() {
            later = next_looks(&mut looks);
            bare = later.iter().find(|look| look.1 > 0).map(|look| look.0);
            if bare.is_none() {
                looks.back(later[0].0, claim(Duration::ZERO));
            }
        }
        for look in later.iter().filter(|look| look.1 == 0) {
            looks.back(look.0, claim(Duration::ZERO));
        }
        sleep(50 * MILLI);
        let times = looks.times();
        looks.back(bare.unwrap(), claim(Duration::ZERO));
        let after = looks.times();
        // Nine tenths of some 100 ms, whether the trial is under way or back.
        assert!(times.seen >= seen + 40 * MILLI && after.seen >= seen + 40 * MILLI, "{times:?} {after:?}");
    }

    #[test]
    fn a_program_waits_longer_than_a_trial_on_a_busy_machine_and_on_no_other() {
        let percent = |trial: u32| (100.0 * kept_waiting(trial * MILLI)).round();
        assert_eq!([0, 5, 9, 10, 25, 50].map(percent), [0.0, 0.0, 44.0, 75.0, 90.0, 95.0]);
    }

    #[test]
    fn claims_of_an_earlier_question_and_numbers_that_were_not_sent_say_nothing() {
        let mut looks = Looks::new();
        looks.told();
        let old = next_looks(&mut looks)[0].0;
        looks.told();
        looks.back(old, claim(MILLI));
        looks.back(99, claim(MILLI));
        assert_eq!(looks.times(), FarTimes::default());
        let new = next_looks(&mut looks)[0].0;
        looks.back(new, claim(MILLI));
        let times = looks.times();
        assert!(times.since > Duration::ZERO && times.claim.own >= MILLI);
        sleep(20 * MILLI);
        assert!(looks.times().claim.own >= 20 * MILLI, "the time since then is its own");
    }

    #[test]
    fn looks_come_at_times_that_differ() {
        let times: Vec<Duration> = (0..20).map(|_| drawn(OPEN)).collect();
        assert!(times.iter().all(|time| (10 * MILLI..=40 * MILLI).contains(time)), "{times:?}");
        assert!(times.iter().any(|time| *time != times[0]));
    }
}
