//! The turns of an engine elsewhere. What its machine says of its time is a claim. It counts as far
//! as `agon listen` has measured such delays, and never beyond what the run allows for.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use agon_programs::elsewhere::Elsewhere;
use agon_record::FarTime;
use agon_record::reason::FaultFact;
use agon_remote::times::FarTimes;
use agon_seats::{Seat, whole_micros};
use agon_standings::result::Cause;

use super::{Fault, GameProcesses, Trouble};
use crate::processes::process::TIMES;

/// Less than this is not taken off a turn.
const LEAST: Duration = Duration::from_millis(1);

/// An engine elsewhere.
pub(super) struct FarSeat {
    /// The file in which its times are, if what carries its lines knows any.
    file: PathBuf,
    /// How much of its lag every answer is allowed anyway.
    allowed: Duration,
    /// The most that is allowed for in all.
    most: Duration,
    /// When the question was sent that was judged last.
    judged: Duration,
}

impl FarSeat {
    /// What is believed of a turn that took `time`, the waits on this machine left out.
    fn believed(&self, time: Duration, told: &FarTimes) -> FarTime {
        let claimed = time.saturating_sub(told.claim.own);
        let counted = claimed.min(told.seen).min(self.most).saturating_sub(self.allowed);
        let counted = if counted < LEAST { Duration::ZERO } else { counted };
        let [own, ran, seen, counted] =
            [told.claim.own, told.claim.ran, told.seen, counted].map(whole_micros);
        FarTime { own, ran, seen, counted }
    }
}

impl GameProcesses {
    /// The engine of this seat is elsewhere. Its times may be in a file of this directory.
    pub fn is_elsewhere(&mut self, seat: Seat, directory: &Path, elsewhere: &Elsewhere) {
        let (file, allowed, most) = (directory.join(TIMES), elsewhere.allowed(), elsewhere.most());
        self.far[seat] = Some(FarSeat { file, allowed, most, judged: Duration::ZERO });
        self.end_far_turn(seat);
    }

    /// How much longer the question that is open may stay so: what the machine of the engine will
    /// say may show that it was held up. Nothing once it says that the engine has had its time.
    pub(super) fn far_grant(&self) -> Duration {
        let turn = self.turn();
        let Some(seat) = &self.far[turn.seat] else { return Duration::ZERO };
        let Some(told) = FarTimes::read(&seat.file) else { return Duration::ZERO };
        let is_spent = told.since > seat.judged && told.claim.own >= turn.whole_allowance();
        if is_spent { Duration::ZERO } else { seat.most.saturating_sub(seat.allowed) }
    }

    /// How the engine that was asked has spent a turn of this length elsewhere, if that is known.
    pub(super) fn far_time(&self, time: Duration) -> Option<FarTime> {
        let seat = self.far[self.turn().seat].as_ref()?;
        let told = FarTimes::read(&seat.file).filter(|told| told.since > seat.judged)?;
        Some(seat.believed(time, &told))
    }

    /// What is known now of the times of a seat is of questions before the next one. A question may
    /// reach the other side before we have noted that it was told, so the clock does not tell.
    pub(crate) fn end_far_turn(&mut self, seat: Seat) {
        if let Some(seat) = &mut self.far[seat]
            && let Some(told) = FarTimes::read(&seat.file)
        {
            seat.judged = told.since;
        }
    }

    /// An engine elsewhere has answered later than can be explained. `own` of its time counts.
    pub(super) fn late_from_elsewhere(&mut self, answered: Instant, own: Duration) -> Trouble {
        let turn = self.turn();
        let (seat, allowance, wall) = (turn.seat, turn.whole_allowance(), turn.wall(answered));
        let (spent, waits) = self.how_it_was_spent(answered);
        let [allowance, time, own] = [allowance, wall, own].map(whole_micros);
        let why = FaultFact::LateElsewhere { allowance, time, own, spent, waits }.into();
        Trouble::Fault(Fault { seat, cause: Cause::TimeForfeit, why })
    }
}

#[cfg(test)]
mod tests {
    use agon_remote::claim::FarClaim;

    use super::*;

    const MILLI: Duration = Duration::from_millis(1);

    /// What is not counted of a turn of 500 ms, in milliseconds.
    fn counted(own: u32, seen: u32, allowed: u32, most: u32) -> u128 {
        let seat = FarSeat {
            file: PathBuf::new(),
            allowed: MILLI * allowed,
            most: MILLI * most,
            judged: Duration::ZERO,
        };
        let claim = FarClaim { own: MILLI * own, ran: MILLI * own };
        let told = FarTimes { since: MILLI, claim, seen: MILLI * seen };
        seat.believed(500 * MILLI, &told).counted.as_millis()
    }

    #[test]
    fn a_claim_counts_as_far_as_it_was_seen_and_never_beyond_what_the_run_allows() {
        assert_eq!(counted(100, 1000, 0, 1000), 400, "what it claims");
        assert_eq!(counted(100, 300, 0, 1000), 300, "what was seen");
        assert_eq!(counted(100, 1000, 0, 200), 200, "what is allowed");
        for (own, seen, most, all) in [(100, 1000, 1000, 400), (100, 300, 1000, 300), (100, 1000, 200, 200)] {
            assert_eq!(counted(own, seen, 20, most) + 20, all, "its lag is a part of it");
        }
        assert_eq!(counted(600, 1000, 0, 1000), 0, "it claims more time than there was");
        assert_eq!(counted(500, 1000, 0, 1000), 0);
        assert_eq!(counted(0, 0, 0, 1000), 0);
        assert_eq!(counted(0, 1000, 0, 0), 0);
    }
}
