//! The achievement of an engine in a cup, in the terms of a grading scheme.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;

use agon_match::hosted::GameRules;
use agon_standings::cup::{CupPlace, CupStage};
use agon_standings::grades::{Achieved, At, By, PointsOf, Scheme};
use agon_standings::points::{Points, Wdl};
use agon_standings::rating::{Meeting, Prior, Ratings};
use agon_store::scores::GameResult;

/// The results of a cup.
pub struct CupResults<'a> {
    /// Its stages.
    pub stages: &'a [CupStage],
    /// The directory of each stage.
    pub directories: Vec<PathBuf>,
    /// The games of all stages that count.
    pub games: Vec<&'a GameResult>,
    /// Those of them that are in no play-off.
    pub without_play_offs: CountingGames<'a>,
    /// Those of the first stage, without play-offs.
    pub first_stage: CountingGames<'a>,
    /// The groups of the first stage; one of all without groups.
    pub groups: Vec<Vec<String>>,
    /// How ties were decided, in words.
    pub ties: Vec<String>,
    /// The names of those who have withdrawn.
    pub withdrawn: Vec<&'a str>,
    /// The places of all entrants.
    pub places: Vec<CupPlace>,
    /// The points of a game.
    pub points: Points,
    /// The rules of the game.
    pub rules: &'a GameRules,
}

/// What makes a share of the points.
#[derive(Clone, Default)]
pub struct CountingGames<'a> {
    /// Games that count.
    pub games: Vec<&'a GameResult>,
    /// Each bye and each match won by forfeit, as an entrant and the number of games won.
    pub byes: Vec<(&'a str, u64)>,
}

/// Why an engine has no achievement.
pub(super) enum Unachieved {
    /// It has lost by a fault and never made a legal move.
    NeverMoved,
    /// No game counts on which the grade depends, in words.
    NoGameCounts(String),
}

impl CountingGames<'_> {
    /// The points of an engine in percent of the possible points; `None` if it has no game here
    /// that counts.
    pub(super) fn percent(&self, name: &str, points: Points) -> Option<f64> {
        let mut total = Wdl::default();
        for game in &self.games {
            let Some(own) = game.names.iter().position(|other| other == name) else { continue };
            total += wdl([game.places[own], game.places[1 - own]]);
        }
        if total.games() == 0 {
            return None;
        }
        total.wins += self.byes.iter().filter(|(one, _)| *one == name).map(|(_, games)| games).sum::<u64>();
        Some(100.0 * points.of(total).to_f64() / (points.win() * total.games()).to_f64())
    }
}

/// The rating of each engine that has played, from all games of all stages.
pub(super) fn elos(games: &[&GameResult]) -> HashMap<String, f64> {
    let names: BTreeSet<&str> = games.iter().flat_map(|game| &game.names).map(String::as_str).collect();
    let names: Vec<&str> = names.into_iter().collect();
    let of = |name: &String| names.binary_search(&name.as_str()).expect("every name was taken");
    let meetings: Vec<Meeting> = (games.iter())
        .map(|game| Meeting {
            first: of(&game.names[0]),
            second: of(&game.names[1]),
            games: wdl(game.places),
        })
        .collect();
    let all: Wdl = meetings.iter().map(|meeting| meeting.games).sum();
    let prior = Prior::USUAL.on_the_model_scale(all.wins + all.losses, all.draws);
    let fitted = Ratings::fit(names.len(), &meetings, prior);
    fitted.map_or_else(HashMap::new, |fitted| {
        names.iter().map(|name| (*name).to_owned()).zip(fitted.elos()).collect()
    })
}

/// One game from the view of the first of two.
fn wdl([own, other]: [u8; 2]) -> Wdl {
    let mut game = Wdl::default();
    match own.cmp(&other) {
        std::cmp::Ordering::Less => game.wins += 1,
        std::cmp::Ordering::Equal => game.draws += 1,
        std::cmp::Ordering::Greater => game.losses += 1,
    }
    game
}

/// The achievement of the engine called `name`, for grades by these rules. Only baselines can be
/// beaten.
///
/// # Errors
/// It has none.
#[allow(clippy::cast_precision_loss)] // fewer than 2^53 entrants and games
pub(super) fn achieved(
    name: &str,
    cup: &CupResults<'_>,
    scheme: &Scheme,
    baselines: &[&str],
) -> Result<Achieved, Unachieved> {
    let CupResults { games, without_play_offs, first_stage, places, points, .. } = cup;
    let counting = match scheme.points_of {
        PointsOf::Groups => first_stage,
        PointsOf::All => without_play_offs,
    };
    let (mut plies, mut at_fault) = (0, false);
    let mut against: BTreeMap<&str, Wdl> = BTreeMap::new();
    for game in games {
        let Some(own) = game.names.iter().position(|other| other == name) else { continue };
        let other = 1 - own;
        plies += game.plies[own];
        at_fault |= game.faults[own];
        let score = wdl([game.places[own], game.places[other]]);
        *against.entry(game.names[other].as_str()).or_default() += score;
    }
    let share = counting.percent(name, *points);
    if against.is_empty() || (scheme.by == By::Points && share.is_none()) {
        return Err(Unachieved::NoGameCounts("none of its games counts".to_owned()));
    }
    if plies == 0 && at_fault {
        return Err(Unachieved::NeverMoved);
    }
    // One without a game that counts has a place, but stands nowhere.
    let have_played: BTreeSet<&String> = games.iter().flat_map(|game| &game.names).collect();
    let place = places.iter().find(|place| place.name == *name);
    let others: Vec<&CupPlace> =
        places.iter().filter(|other| other.name != *name && have_played.contains(&other.name)).collect();
    let behind = others.iter().filter(|other| place.is_some_and(|place| other.place > place.place)).count();
    let beaten = against.iter().filter(|(other, games)| {
        baselines.contains(*other) && points.of(**games) > points.of(games.reversed())
    });
    let achieved = Achieved {
        broken: None,
        stage: place.map_or(0, |place| place.reached + 1),
        points: share.unwrap_or_default(),
        percentile: 100.0 * behind as f64 / others.len().max(1) as f64,
        beaten: beaten.map(|(name, _)| (*name).to_owned()).collect(),
    };
    match unmet(&achieved, scheme, &against) {
        Some(baseline) => {
            Err(Unachieved::NoGameCounts(format!("none of its games against {baseline} counts")))
        }
        None => Ok(achieved),
    }
}

/// A baseline that the engine has not met in a game that counts, and that would make the grade
/// better.
fn unmet<'a>(achieved: &Achieved, scheme: &'a Scheme, against: &BTreeMap<&str, Wdl>) -> Option<&'a str> {
    let grade = scheme.grade(achieved).grade;
    scheme.steps.iter().find_map(|step| match &step.at {
        At::Beaten(baseline) if !against.contains_key(baseline.as_str()) && Some(step.grade) > grade => {
            Some(baseline.as_str())
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_bye_counts_as_won_games_for_one_who_has_played() {
        let lost = GameResult {
            pairing: 1,
            game: 1,
            names: ["a", "b"].map(str::to_owned),
            places: [2, 1],
            faults: [false; 2],
            plies: [3; 2],
            times: [Duration::ZERO; 2],
            is_repeat: false,
        };
        let counting = CountingGames { games: vec![&lost; 2], byes: vec![("a", 2), ("c", 2)] };
        let shares = ["a", "b", "c"].map(|name| counting.percent(name, Points::CHESS));
        assert_eq!(shares, [Some(50.0), Some(100.0), None]);
    }
}
