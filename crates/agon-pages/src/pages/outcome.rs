//! What a match of a knockout was for one of its entrants, in words.

use agon_standings::matches::{Match, Score};
use agon_standings::stage::Duel;
use agon_store::ranking::DerivedStage;
use maud::{Markup, html};

use super::ties;

/// The last match of a knockout that an entrant played.
pub(super) fn last_duel(derived: &DerivedStage, group: usize, entrant: usize) -> Option<(&Duel, &Match)> {
    let progress = &derived.progress;
    let own =
        progress.duels.iter().filter(|duel| duel.group == group && duel.entrants.contains(&Some(entrant)));
    let last = own.filter(|duel| duel.at.is_some()).min_by_key(|duel| duel.slots)?;
    Some((last, &progress.matches[last.at?]))
}

/// `beat bert 3-1`, `beat bert 2-2 in the final, by play-off 1 (4 to 0)`. `place` stands before
/// what decided. `name` shows the name of an engine.
pub(super) fn outcome(
    derived: &DerivedStage,
    one: &Match,
    entrant: usize,
    place: &str,
    name: &dyn Fn(&str) -> Markup,
) -> Markup {
    let other = if one.pairing.first == entrant { one.pairing.second } else { one.pairing.first };
    let mut duels = derived.progress.duels.iter();
    let duel = duels.find(|duel| duel.at.is_some_and(|at| derived.progress.matches[at] == *one));
    let verb = match duel.and_then(|duel| duel.winner) {
        Some(winner) if winner == entrant => "beat",
        Some(_) => "lost to",
        None => "met",
    };
    let decided = duel.and_then(|duel| ties::decided(duel, &derived.field.names[entrant]));
    html! {
        (verb) " " (name(&derived.field.names[other]))
        @if let Some(points) = points_in(derived, one, entrant) {
            " " span.whole { (points) }
            @if let Some(words) = derived.scores.get(&one.pairing.pairing).and_then(Score::unplayed_words) { " (" (words) ")" }
        }
        (place)
        @if let Some(decided) = decided { ", by " (decided) }
    }
}

/// What the games of a pairing belong to: `group A`, `semi-final 1, play-off 1`. It is empty in the
/// only group of a stage; `None` if the stage has no such pairing.
pub(super) fn place_of(derived: &DerivedStage, pairing: u32) -> Option<String> {
    let progress = &derived.progress;
    let one = progress.matches.iter().find(|one| one.pairing.pairing == pairing)?;
    let pair = [one.pairing.first, one.pairing.second];
    let is_of = |duel: &&Duel| pair.iter().all(|entrant| duel.entrants.contains(&Some(*entrant)));
    let group = || match &derived.field.titles[..] {
        [_] => String::new(),
        titles => titles[one.group].rsplit(", ").next().unwrap_or_default().to_owned(),
    };
    let own = progress.duels.iter().find(is_of).map_or_else(group, |duel| duel.name.clone());
    let play_off = match one.play_off {
        0 => None,
        play_off if play_off > derived.rules.play_offs => Some("deciding pair".to_owned()),
        play_off => Some(format!("play-off {play_off}")),
    };
    let parts: Vec<String> =
        [Some(own).filter(|own| !own.is_empty()), play_off].into_iter().flatten().collect();
    Some(parts.join(", "))
}

/// The points of an entrant and of its opponent in a match or a play-off: `3-1`.
fn points_in(derived: &DerivedStage, one: &Match, entrant: usize) -> Option<String> {
    let total = derived.scores.get(&one.pairing.pairing).map(Score::total)?;
    let own = if one.pairing.first == entrant { total } else { total.reversed() };
    let of = |games| derived.rules.points.of(games).to_string();
    Some(format!("{}-{}", of(own), of(own.reversed())))
}
