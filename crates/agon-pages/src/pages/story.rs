//! What a visitor may want to see of a run: its last results, and games to look at.

use agon_printable::{clean, decimal};
use agon_standings::result::GameId;
use maud::{Markup, html};

use super::address::{Links, Page};
use super::gather::{GameRow, RunFacts};
use super::live;

/// The most results that are listed.
const RESULTS: usize = 8;

/// The last results and some games, with links to their replays.
pub(super) fn content(facts: &RunFacts, links: &Links, has_replay: &[bool]) -> Markup {
    let last = live::last_games(std::slice::from_ref(facts), RESULTS);
    let replays = has_replay.iter().filter(|has| **has).count();
    let to = |page: Page| links.page(page);
    html! {
        (games_to_look_at(facts, &to, has_replay, false))
        @if !last.is_empty() {
            h2 { "Last results" }
            div.strip { ul { @for (_, row) in last { li { (line(facts, row, &to, has_replay)) } } } }
            p {
                a href=(links.page(Page::Games(1))) { "All games" } "."
                @if replays < facts.games.len() {
                    " " (replays) " of " (facts.games.len()) " games have a replay in this report: the others were left out by "
                    code { "--replays" } "; " code { "agon replay" } " shows them."
                }
            }
        }
    }
}

/// Some games of a run with a reason to look at them; nothing if none stands out. `to` links to a
/// page of the run. Where the run is a stage of several, it is named.
pub(super) fn games_to_look_at(
    facts: &RunFacts,
    to: &dyn Fn(Page) -> String,
    has_replay: &[bool],
    is_named: bool,
) -> Markup {
    let look: Vec<(&GameRow, String)> =
        [swinging(facts), longest(facts), upset(facts)].into_iter().flatten().collect();
    html! {
        @if !look.is_empty() {
            h2 { "Games to look at" }
            ul { @for (row, why) in look { li { (line(facts, row, to, has_replay)) ": " (why) } } }
            @if is_named { p { "All of them are of " (clean(&facts.title)) "." } }
        }
    }
}

fn line(facts: &RunFacts, row: &GameRow, to: &dyn Fn(Page) -> String, has_replay: &[bool]) -> Markup {
    let place = facts.games.iter().position(|game| game.id == row.id);
    let has_page = place.is_some_and(|place| has_replay[place]);
    html! {
        @if has_page { a href=(to(Page::Game(row.id.to_string()))) { (live::result_line(facts, row)) } }
        @else { (live::result_line(facts, row)) }
    }
}

/// The games that ended by their rules.
fn whole(facts: &RunFacts) -> impl Iterator<Item = &GameRow> {
    facts.games.iter().filter(|row| !row.places.is_empty() && row.forfeit.is_none())
}

/// The longest game; `None` if all have as many plies.
fn longest(facts: &RunFacts) -> Option<(&GameRow, String)> {
    let first = |row: &&GameRow| (row.plies, std::cmp::Reverse(row.id));
    let row = whole(facts).max_by_key(first)?;
    let is_longer = whole(facts).any(|other| other.plies < row.plies);
    is_longer.then(|| (row, format!("the longest game, {} plies", row.plies)))
}

/// The game in which the lead changed most often.
fn swinging(facts: &RunFacts) -> Option<(&GameRow, String)> {
    let first = |row: &&GameRow| (row.swings.count, std::cmp::Reverse(row.id));
    let row = whole(facts).max_by_key(first).filter(|row| row.swings.count >= LEAST_SWINGS)?;
    let by = if row.swings.by_points { "by the score of the game" } else { "as one of its engines saw it" };
    Some((row, format!("the lead changed most often, {} times, {by}", row.swings.count)))
}

/// Fewer changes of the lead are nothing to look at.
const LEAST_SWINGS: u32 = 2;

/// The win over the opponent that is rated highest above the winner.
fn upset(facts: &RunFacts) -> Option<(&GameRow, String)> {
    let rating = |number: usize| facts.ratings.all.get(&facts.engines[number].name).map(|(elo, _)| *elo);
    let above = |row: &GameRow| {
        let winner = (0..2).find(|at| row.seats.len() == 2 && live::is_winner(row, *at))?;
        Some(rating(row.seats[1 - winner])? - rating(row.seats[winner])?)
    };
    let mut found: Option<(f64, GameId, &GameRow)> = None;
    for row in whole(facts) {
        if let Some(gap) = above(row).filter(|gap| *gap >= LEAST_GAP)
            && found.is_none_or(|(most, ..)| gap > most)
        {
            found = Some((gap, row.id, row));
        }
    }
    let (gap, _, row) = found?;
    Some((row, format!("the greatest upset: the loser is rated {} Elo higher", decimal(gap, 0))))
}

/// With less between them a win is no surprise.
const LEAST_GAP: f64 = 50.0;
