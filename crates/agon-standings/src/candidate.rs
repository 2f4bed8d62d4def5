//! A new version of an entrant: whom it plays to be rated soon, and its rating among the others.
//!
//! A game tells most about the difference of two ratings if they are equal: its information is the
//! variance of its result. So the opponents are those of the pool that are rated nearest to where
//! the new version is expected.

use super::Standings;
use super::points::Wdl;
use super::rating::{Meeting, NINETY_FIVE, Prior, Ratings, SCALE};
use super::strengths::Strengths;
use super::versus::Encounter;

/// How many of the nearest a new version plays.
pub const NEAREST: usize = 5;

/// An entrant that has a rating.
#[derive(Clone, PartialEq, Debug)]
pub struct PoolMember {
    /// Its name.
    pub name: String,
    /// Its rating in Elo.
    pub elo: f64,
}

/// The rating of a new version among the others.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CandidateRating {
    /// In Elo; the average of all is 0.
    pub elo: f64,
    /// The usual error bar: half the width of the interval of 95 %, with what is not known of the
    /// ratings of its opponents.
    pub error: f64,
    /// The error bar by its own games alone, as if the ratings of its opponents were exact. More
    /// games make it as narrow as one likes, and the other one not.
    pub own_error: f64,
    /// Its place among the others, from 1. Its last version has none.
    pub place: usize,
    /// The number of places.
    pub of: usize,
    /// The games against its opponents.
    pub games: u64,
}

/// The ratings of all that are connected with this entrant by games, with its own: the strongest
/// first. Empty if it has no rating.
pub fn rated_pool(standings: &Standings, entrant: &str) -> Vec<PoolMember> {
    let parts = Strengths::of(standings, 0, 0).map(|strengths| strengths.parts).unwrap_or_default();
    let own = parts.into_iter().find(|part| part.rows.iter().any(|row| row.entrant == entrant));
    let rows = own.map(|part| part.rows).unwrap_or_default();
    rows.into_iter().map(|row| PoolMember { name: row.entrant, elo: row.elo }).collect()
}

/// Where a new version is expected, in Elo: as much above its last version as the games of both
/// say. One that has won all of them is expected at a finite rating.
pub fn expected(last: f64, met: Encounter) -> f64 {
    last + met.versus().map_or(0.0, |versus| versus.elo)
}

/// The members of a pool, at most so many, whose ratings are nearest to this one: the nearest
/// first, and of equally near ones the first of the pool.
pub fn nearest(pool: &[PoolMember], elo: f64, most: usize) -> Vec<&PoolMember> {
    let mut all: Vec<&PoolMember> = pool.iter().collect();
    all.sort_by(|a, b| (a.elo - elo).abs().total_cmp(&(b.elo - elo).abs()));
    all.truncate(most);
    all
}

/// The rating of a new version: by its games in `own`, and by those of the `pool` among each other,
/// in which its last version has the same name. `None` before its first game.
///
/// All games are rated at once by the model of [`crate::rating`].
pub fn rated(pool: &Standings, own: &Standings, name: &str) -> Option<CandidateRating> {
    let names: Vec<&str> = pool.names().collect();
    let index = |of: &str| names.iter().position(|other| *other == of);
    let own_names: Vec<&str> = own.names().collect();
    let number = |at: usize| if own_names[at] == name { Some(names.len()) } else { index(own_names[at]) };
    let mut meetings = pool.meetings();
    let before = meetings.len();
    meetings.extend(own.meetings().into_iter().filter_map(|Meeting { first, second, games }| {
        Some(Meeting { first: number(first)?, second: number(second)?, games })
    }));
    let games = meetings[before..].iter().map(|meeting| meeting.games.games()).sum();
    if games == 0 {
        return None;
    }
    let all: Wdl = meetings.iter().map(|meeting| meeting.games).sum();
    let prior = Prior::USUAL.on_the_model_scale(all.wins + all.losses, all.draws);
    let found = Ratings::fit(names.len() + 1, &meetings, prior)?;
    let elos = found.elos();
    let (elo, error) = (elos[names.len()], found.elo_error(names.len()));
    let own_error = own_error(&found, &meetings[before..], names.len());
    let has_played = |other: usize| {
        meetings.iter().any(|one| [one.first, one.second].contains(&other) && one.games.games() > 0)
    };
    let others: Vec<usize> =
        (0..names.len()).filter(|other| names[*other] != name && has_played(*other)).collect();
    let above = others.iter().filter(|other| elos[**other] > elo).count();
    Some(CandidateRating { elo, error, own_error, place: above + 1, of: others.len() + 1, games })
}

/// Half the width in Elo of the interval of 95 % of a rating by these games, if the other ratings
/// are exact. A game tells as much as the variance of its result, a draw as half.
#[allow(clippy::cast_precision_loss)] // numbers of games are below 2^53
fn own_error(found: &Ratings, meetings: &[Meeting], entrant: usize) -> f64 {
    let told = |meeting: &Meeting| {
        let (win, _, loss) = found.expected(meeting.first, meeting.second);
        let variance = (win + loss) / 4.0 - ((win - loss) / 2.0).powi(2);
        meeting.games.games() as f64 * variance * SCALE * SCALE
    };
    let error = NINETY_FIVE / meetings.iter().map(told).sum::<f64>().sqrt();
    let rating = found.ratings[entrant];
    (found.elo(rating + error) - found.elo(rating - error)) / 2.0
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{Rng, SeedableRng};

    use super::*;
    use crate::sample::game;
    use crate::simulated::GameModel;
    use crate::sprt::{Sprt, SprtVerdict};
    use crate::versus::{Pairs, expected_score};

    const MODEL: GameModel = GameModel { draws: 0.3, first_seat: 30.0 };

    fn halves(random: &mut ChaCha8Rng, stronger: f64) -> usize {
        let at = f64::from(random.next_u32()) / 2f64.powi(32);
        let (win, draw) = MODEL.expected(stronger);
        if at < win { 2 } else { usize::from(at < win + draw) }
    }

    /// Plays a pair of games, where the first is stronger by so much Elo.
    fn pair(standings: &mut Standings, random: &mut ChaCha8Rng, names: [&str; 2], stronger: f64) {
        for (first, second, stronger) in [(names[0], names[1], stronger), (names[1], names[0], -stronger)] {
            let result = ["0-1", "1/2-1/2", "1-0"][halves(random, stronger)];
            standings.note(&game(first, second, result));
        }
    }

    fn empty() -> Standings {
        Standings::new(crate::points::Points::TWO_ONE_NONE, Vec::<String>::new())
    }

    /// A round robin of entrants of these strengths, with so many pairs of games each.
    fn pool(strong: &[(&str, f64)], pairs: u32, random: &mut ChaCha8Rng) -> Standings {
        let mut standings = empty();
        for (at, (one, elo)) in strong.iter().enumerate() {
            for (other, of_other) in &strong[at + 1..] {
                (0..pairs).for_each(|_| pair(&mut standings, random, [one, other], elo - of_other));
            }
        }
        standings
    }

    #[test]
    fn the_nearest_are_those_of_the_least_distance_and_the_nearest_is_first() {
        let all = [("a", 400.0), ("b", 130.0), ("c", 60.0), ("d", 40.0), ("e", -20.0), ("f", -300.0)];
        let pool: Vec<PoolMember> =
            all.iter().map(|(name, elo)| PoolMember { name: (*name).to_owned(), elo: *elo }).collect();
        let names = |elo, most| -> Vec<&str> {
            nearest(&pool, elo, most).into_iter().map(|one| one.name.as_str()).collect()
        };
        assert_eq!(names(50.0, 3), ["c", "d", "e"]);
        assert_eq!(names(1000.0, 2), ["a", "b"]);
        assert_eq!((names(-1000.0, 1), names(0.0, 9).len()), (vec!["f"], 6));
        assert_eq!(expected(120.0, Encounter::default()), 120.0);
        let better = Encounter { pairs: Pairs([1, 3, 10, 14, 12]), ..Encounter::default() };
        assert!(expected(120.0, better) > 200.0 && expected(120.0, better.reversed()) < 40.0);
    }

    #[test]
    fn a_version_is_rated_among_the_others_and_its_last_one_has_no_place() {
        let mut random = ChaCha8Rng::seed_from_u64(11);
        let strong = [("a", 200.0), ("b", 100.0), ("c", 0.0), ("d", -100.0), ("e", -200.0)];
        let before = pool(&strong, 60, &mut random);
        assert_eq!(rated(&before, &empty(), "d"), None);
        // d was fourth, and its new version is 200 Elo stronger: stronger than c and its last one.
        let mut own = empty();
        for _ in 0..60 {
            pair(&mut own, &mut random, ["d", "b"], 0.0);
            pair(&mut own, &mut random, ["d", "c"], 100.0);
        }
        let few = rated(&before, &own, "d").unwrap();
        assert!(few.place <= 3 && few.of == 5 && few.games == 240, "{few:?}");
        assert!((few.elo - 85.0).abs() < 2.0 * few.error, "{few:?}");
        for _ in 0..200 {
            pair(&mut own, &mut random, ["d", "b"], 0.0);
        }
        // A game against nobody of the pool tells nothing.
        own.note(&game("d", "stranger", "1-0"));
        let many = rated(&before, &own, "d").unwrap();
        assert!(many.error < few.error && many.own_error < 0.7 * few.own_error, "{few:?} {many:?}");
        assert_eq!(many.games, 640);
        let last = rated_pool(&before, "d").into_iter().find(|one| one.name == "d").unwrap();
        assert!(many.elo > last.elo + 100.0, "{many:?} {last:?}");
        assert!(rated_pool(&before, "nobody").is_empty());
    }

    #[test]
    fn the_nearest_five_tell_as_much_in_fewer_games_than_the_whole_field() {
        // Twenty of a normal distribution with a deviation of 200 Elo, by their quantiles.
        let names: Vec<String> = (0..20).map(|number| format!("e{number:02}")).collect();
        let quantile = |at: usize| {
            let share = (at as f64 + 0.5) / 20.0;
            // The logistic distribution of the same deviation is near enough.
            200.0 * 0.5513 * (share / (1.0 - share)).ln()
        };
        let strong: Vec<(&str, f64)> =
            names.iter().enumerate().map(|(at, name)| (name.as_str(), quantile(at))).collect();
        let mut random = ChaCha8Rng::seed_from_u64(5);
        let before = pool(&strong, 10, &mut random);
        let mut needed = [0; 2];
        for (name, own) in strong.iter().step_by(3) {
            let mut known = rated_pool(&before, name);
            let last = known.iter().find(|one| one.name == *name).unwrap().elo;
            known.retain(|one| one.name != *name);
            for (way, most) in [NEAREST, 19].into_iter().enumerate() {
                let opponents = nearest(&known, last, most);
                let mut played = empty();
                loop {
                    for one in &opponents {
                        let elo = strong.iter().find(|other| other.0 == one.name).unwrap().1;
                        pair(&mut played, &mut random, [name, &one.name], own - elo);
                        needed[way] += 2;
                    }
                    if rated(&before, &played, name).unwrap().own_error < 40.0 {
                        break;
                    }
                }
            }
        }
        assert!(10 * needed[1] > 12 * needed[0], "{needed:?}");
    }

    #[test]
    fn a_sequential_test_needs_about_half_the_games_of_a_fixed_one() {
        let test: Sprt = "0,50".parse().unwrap();
        let mut random = ChaCha8Rng::seed_from_u64(3);
        let (mut games, mut wrong) = (0, 0);
        for _ in 0..60 {
            let mut pairs = Pairs::default();
            let verdict = loop {
                pairs.add(halves(&mut random, 50.0) + 2 - halves(&mut random, -50.0));
                let verdict = test.finding(test.ratio(Wdl::default(), pairs));
                if verdict != SprtVerdict::Open {
                    break verdict;
                }
            };
            games += 2 * pairs.count();
            wrong += u32::from(verdict == SprtVerdict::Refuted);
        }
        // Of a game with 30 % draws, (2 x 1.645)^2 times its variance over the squared difference.
        let fixed = 10.82 * 0.175 / (expected_score(50.0) - 0.5_f64).powi(2);
        assert!((games as f64) < 0.65 * 60.0 * fixed && wrong <= 8, "{games} {fixed} {wrong}");
    }
}
