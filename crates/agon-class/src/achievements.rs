//! The achievement of an engine in a cup, in the terms of a grading scheme.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;

use agon_match::hosted::GameRules;
use agon_standings::cup::{CupPlace, CupStage};
use agon_standings::grades::{Achieved, PointsOf};
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
    pub without_play_offs: Vec<&'a GameResult>,
    /// Those of the first stage, without play-offs.
    pub first_stage: Vec<&'a GameResult>,
    /// The groups of the first stage; one of all without groups.
    pub groups: Vec<Vec<String>>,
    /// How ties were decided, in words.
    pub ties: Vec<String>,
    /// The places of all entrants.
    pub places: Vec<CupPlace>,
    /// The points of a game.
    pub points: Points,
    /// The rules of the game.
    pub rules: &'a GameRules,
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

/// The achievement of the engine called `name`. `None` if it has played no game, or has lost by a
/// fault and never made a legal move.
#[allow(clippy::cast_precision_loss)] // fewer than 2^53 entrants and games
pub(super) fn achieved(name: &str, cup: &CupResults<'_>, of: PointsOf) -> Option<Achieved> {
    let CupResults { games, without_play_offs, first_stage, places, points, .. } = cup;
    let counting = match of {
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
    if against.is_empty() || (plies == 0 && at_fault) {
        return None;
    }
    let place = places.iter().find(|place| place.name == *name);
    let behind = places.iter().filter(|other| place.is_some_and(|place| other.place > place.place)).count();
    let beaten = against.iter().filter(|(_, games)| points.of(**games) > points.of(games.reversed()));
    Some(Achieved {
        broken: None,
        stage: place.map_or(0, |place| place.reached + 1),
        points: percent(name, counting, *points),
        percentile: 100.0 * behind as f64 / (places.len().max(2) - 1) as f64,
        beaten: beaten.map(|(name, _)| (*name).to_owned()).collect(),
    })
}

/// The points of an engine in percent of the possible points; 0 without games.
pub(super) fn percent(name: &str, games: &[&GameResult], points: Points) -> f64 {
    let mut total = Wdl::default();
    for game in games {
        let Some(own) = game.names.iter().position(|other| other == name) else { continue };
        total += wdl([game.places[own], game.places[1 - own]]);
    }
    if total.games() == 0 {
        return 0.0;
    }
    100.0 * points.of(total).to_f64() / (points.win() * total.games()).to_f64()
}
