//! Engines that think on their opponent's time, if the run allows it and they can.

use agon_games::{Game, Rules, Status};
use agon_protocol::{Reply, Talk};
use agon_seats::{Clock, PerSeat, Seat};

use super::seated::SeatedEngines;

/// Lets the engines think that are not asked, each about the move that it expects of the seat that
/// is. `game` is the position that this seat is asked in.
pub(super) fn let_others(
    seated: &mut SeatedEngines<'_, dyn Talk>,
    rules: &dyn Rules,
    asked: Seat,
    game: &dyn Game,
    clocks: &PerSeat<Clock>,
) {
    for (seat, player) in seated.players.iter_mut() {
        let Some(player) = player.as_mut().filter(|_| seat != asked) else { continue };
        let Some(ponderer) = player.talk.ponderer().filter(|ponderer| !ponderer.is_open()) else { continue };
        let Some(guess) = ponderer.guess().and_then(|guess| leads_on(rules, game, &guess)) else { continue };
        let told = ponderer.ponder(&guess, clocks);
        seated.processes.hold_lines_for_ponder(seat, true);
        seated.processes.tell(seat, told);
    }
}

/// A guess as the rules write it, if it is a legal move after which the game goes on.
fn leads_on(rules: &dyn Rules, game: &dyn Game, guess: &str) -> Option<String> {
    let mut ahead = rules.resume(&game.text()).ok()?;
    let played = ahead.play(guess.as_bytes()).ok()?;
    matches!(ahead.status(), Status::ToMove(_)).then_some(played.text)
}

/// What the engine of this seat, which is to be asked, has said last of the move that has come, if
/// it thought about that.
pub(super) fn thought(seated: &mut SeatedEngines<'_, dyn Talk>, seat: Seat) -> Option<String> {
    let player = seated.players[seat].as_mut()?;
    let is_hit = player.talk.ponderer().filter(|ponderer| ponderer.is_open())?.is_hit();
    let lines = seated.processes.take_pondered(seat);
    seated.processes.hold_lines_for_ponder(seat, false);
    let mut thought = None;
    for line in lines {
        if let Reply::Thought(words) = player.talk.hear(line) {
            keep(&mut thought, words);
        }
    }
    thought.filter(|_| is_hit)
}

/// Keeps what an engine has reported last. A score that is only a bound does not take the place of
/// an exact one: such a report is made in the midst of a search, and the search goes on.
pub(super) fn keep(thought: &mut Option<String>, words: String) {
    let is_bound = |words: &str| words.contains(" lowerbound") || words.contains(" upperbound");
    let is_exact = |words: &str| words.contains(" score ") && !is_bound(words);
    if !(is_bound(&words) && thought.as_deref().is_some_and(is_exact)) {
        *thought = Some(words);
    }
}

#[cfg(test)]
mod tests {
    use super::keep;

    #[test]
    fn a_bound_takes_the_place_of_a_bound_and_of_no_exact_score() {
        let last = |lines: &[&str]| {
            let mut thought = None;
            lines.iter().for_each(|line| keep(&mut thought, (*line).to_owned()));
            thought.unwrap()
        };
        let [exact, bound] = ["info depth 5 score cp 97", "info depth 6 score cp 55 upperbound"];
        let deeper = "info depth 7 score cp 40 lowerbound";
        assert_eq!(last(&[exact, bound]), exact);
        assert_eq!(last(&[bound, deeper]), deeper);
        assert_eq!(last(&[bound, exact]), exact);
        // What is no score has no exact one to lose.
        assert_eq!(last(&["info string hello", bound]), bound);
    }
}
