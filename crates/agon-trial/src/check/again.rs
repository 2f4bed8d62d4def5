//! Plays a game of a trial again: one that agon or the machine has spoilt, and one in which the
//! engine may have been slow because the machine was busy.

use std::time::Duration;

use agon_match::processes::load;

use super::{CheckFinding, CheckStopped, is_slow};

/// How often a game is repeated that agon or the machine has spoilt.
const SPOILT: u32 = 4;
/// How long the first pause before such a game is; each later one is that much longer.
const PAUSE: Duration = Duration::from_millis(200);
/// The share of the time in which processes waited for a processor, from which a machine is busy.
const BUSY: f64 = 0.5;

/// Plays a game by `once` until it has a finding that can be judged, at most five times. If it has
/// none, gives the longest game, whose finding says why it was left.
///
/// # Errors
/// [`CheckStopped`], where the last game could not begin.
pub(super) fn played(
    mut once: impl FnMut() -> Result<CheckFinding, CheckStopped>,
    pause: impl Fn(Duration),
) -> Result<CheckFinding, CheckStopped> {
    let (mut spoilt, mut late) = (0, false);
    let mut most: Option<CheckFinding> = None;
    loop {
        let before = load::reading();
        let checked = once();
        let pressure = before.until(load::reading()).pressure.unwrap_or(0.0);
        match checked {
            Err(CheckStopped::Broken(_)) | Ok(CheckFinding { unjudged: Some(_), .. }) => {
                if let Ok(finding) = checked {
                    if most.as_ref().is_none_or(|most| most.moves <= finding.moves) {
                        most = Some(finding);
                    }
                } else if spoilt == SPOILT && most.is_none() {
                    return checked;
                }
                if spoilt == SPOILT {
                    return Ok(most.map(given_up).unwrap_or_default());
                }
                spoilt += 1;
                // What holds the machine up is often over soon.
                pause(PAUSE * spoilt);
            }
            Ok(finding) if is_slow(&finding) && pressure >= BUSY && !late => late = true,
            Ok(mut finding) if is_slow(&finding) && pressure >= BUSY => {
                finding.busy = Some(format!(
                    "It was tried twice, and the machine was busy: in {:.0} % of the time a process waited for a \
                     processor. Try again when nothing else runs, or with a longer --st",
                    pressure * 100.0
                ));
                return Ok(finding);
            }
            checked => return checked,
        }
    }
}

/// A game that was spoilt each time.
fn given_up(mut finding: CheckFinding) -> CheckFinding {
    finding.advice.push(format!(
        "It was tried {} times. Try again when nothing else runs, or with a longer --st",
        SPOILT + 1
    ));
    finding
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::io;

    fn broken() -> Result<CheckFinding, CheckStopped> {
        Err(CheckStopped::Broken(io::Error::other("no room")))
    }

    fn spoilt(moves: usize) -> Result<CheckFinding, CheckStopped> {
        let unjudged = Some(format!("the harness was late at move {}", moves + 1));
        Ok(CheckFinding { moves, unjudged, ..CheckFinding::default() })
    }

    /// What comes of these games, how many were played, and how long the pauses were.
    fn of(
        games: Vec<Result<CheckFinding, CheckStopped>>,
    ) -> (Result<CheckFinding, CheckStopped>, usize, Vec<Duration>) {
        let count = games.len();
        let (mut left, pauses) = (games.into_iter(), RefCell::new(Vec::new()));
        let played =
            played(|| left.next().expect("no more games are wanted"), |time| pauses.borrow_mut().push(time));
        (played, count - left.len(), pauses.into_inner())
    }

    #[test]
    fn a_spoilt_game_is_played_again_and_a_good_one_is_not() {
        let good = || Ok(CheckFinding { moves: 4, ..CheckFinding::default() });
        let (played, count, pauses) = of(vec![spoilt(3), broken(), good(), good()]);
        let finding = played.unwrap();
        assert_eq!((finding.moves, finding.unjudged, count), (4, None, 3));
        assert_eq!(pauses, [PAUSE, PAUSE * 2]);
    }

    #[test]
    fn of_games_that_are_all_spoilt_the_longest_is_kept_with_the_reason() {
        let (played, count, _) = of(vec![spoilt(1), spoilt(5), broken(), spoilt(2), spoilt(0), spoilt(9)]);
        let finding = played.unwrap();
        assert_eq!((finding.moves, count), (5, 5));
        assert_eq!(finding.unjudged.as_deref(), Some("the harness was late at move 6"));
        assert!(finding.advice[0].starts_with("It was tried 5 times"), "{:?}", finding.advice);
        // The same if the last one did not begin.
        let (played, ..) = of(vec![spoilt(1), broken(), broken(), broken(), broken()]);
        assert_eq!(played.unwrap().moves, 1);
    }

    #[test]
    fn games_that_never_begin_and_an_order_to_stop_are_errors() {
        let (played, count, _) = of((0..6).map(|_| broken()).collect());
        assert!(matches!(played, Err(CheckStopped::Broken(_))) && count == 5);
        let (played, count, _) = of(vec![spoilt(1), Err(CheckStopped::Stopped), spoilt(1)]);
        assert!(matches!(played, Err(CheckStopped::Stopped)) && count == 2);
    }
}
