//! A budget of time for a run: a round is begun only while it probably fits into it, and what was
//! begun is played to its end. So everybody has played equally often.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use agon_standings::pairings::PlannedGame;

/// The time for all runs of a command.
#[derive(Debug)]
pub struct RoundBudget {
    until: Instant,
    rounds: Mutex<BegunRounds>,
}

/// The rounds that were begun so far.
#[derive(Default, Debug)]
struct BegunRounds {
    /// The last one, and when it was begun.
    last: Option<(u32, Instant)>,
    /// The longest time from the beginning of one to that of the next.
    longest: Duration,
    /// Whether one was not begun.
    is_over: bool,
}

impl RoundBudget {
    /// So much time from now on.
    pub fn of(time: Duration) -> Self {
        // A time that no clock shows is no bound.
        let far = Duration::from_secs(u64::from(u32::MAX));
        RoundBudget { until: Instant::now() + time.min(far), rounds: Mutex::default() }
    }

    /// Whether a round was not begun.
    pub fn is_over(&self) -> bool {
        self.rounds.lock().unwrap_or_else(PoisonError::into_inner).is_over
    }

    /// The games of a plan, up to the first round that is not begun.
    pub(super) fn whole_rounds<'a>(
        &'a self,
        plan: impl Iterator<Item = PlannedGame> + Send + 'a,
    ) -> impl Iterator<Item = PlannedGame> + Send + 'a {
        plan.take_while(|game| self.begins(game.id.round, Instant::now()))
    }

    /// Whether a game of this round is begun now.
    fn begins(&self, round: u32, now: Instant) -> bool {
        let mut rounds = self.rounds.lock().unwrap_or_else(PoisonError::into_inner);
        if rounds.is_over {
            return false;
        }
        if let Some((last, began)) = rounds.last {
            if last == round {
                return true;
            }
            rounds.longest = rounds.longest.max(now.duration_since(began));
        }
        rounds.is_over = now + rounds.longest >= self.until;
        if !rounds.is_over {
            rounds.last = Some((round, now));
        }
        !rounds.is_over
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_begins_while_the_longest_one_so_far_would_fit() {
        let budget = RoundBudget::of(Duration::from_secs(100));
        let at = |seconds| budget.until - Duration::from_secs(100) + Duration::from_secs(seconds);
        assert!(budget.begins(1, at(0)) && budget.begins(1, at(10)));
        assert!(budget.begins(2, at(30)));
        // What was begun goes on, whatever the time is.
        assert!(budget.begins(2, at(69)) && !budget.is_over());
        assert!(!budget.begins(3, at(71)), "it took 41 s");
        assert!(budget.is_over() && !budget.begins(4, at(72)));
        let budget = RoundBudget::of(Duration::MAX);
        assert!(budget.begins(1, Instant::now()) && budget.begins(2, Instant::now()));
        assert!(!RoundBudget::of(Duration::ZERO).begins(1, Instant::now()));
    }
}
