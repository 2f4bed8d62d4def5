//! The ratings of all entrants of the standings, in Elo, the strongest first.

use super::Standings;
use super::bootstrap;
use super::plackett_luce::{TableRatings, TableResult};
use super::rating::{Meeting, NINETY_FIVE, Prior, Ratings};

/// The ratings of all entrants, and the parameters of the model.
#[derive(Clone, PartialEq, Debug)]
pub struct Strengths {
    /// The strongest first.
    pub rows: Vec<Strength>,
    /// The advantage of the first seat, in Elo; with more than two seats, over the average of the
    /// others.
    pub advantage: f64,
    /// With more than two seats, the advantage of each seat in Elo; their sum is 0.
    pub seats: Vec<f64>,
    /// The share of draws between equally strong engines by the model, 0 to 1. It is not the share
    /// of all games that were drawn. With more than two seats it is for two that are left.
    pub draw_rate: f64,
}

/// The rating of one entrant.
#[derive(Clone, PartialEq, Debug)]
pub struct Strength {
    /// The entrant.
    pub entrant: String,
    /// The number of its games.
    pub games: u64,
    /// Its rating in Elo; the average of all is 0.
    pub elo: f64,
    /// The error bar.
    pub error: f64,
    /// The error bar from resampled games, if there is one. There is none with more than two seats.
    pub drawn_anew: Option<f64>,
    /// The likelihood of superiority over the next one; `None` for the last.
    pub over_next: Option<f64>,
}

/// The most entrants that are rated: the time is the third power of their number, and 2000 take ten
/// seconds.
pub const MOST: usize = 2000;

impl Strengths {
    /// The ratings of the games so far. For errors without assumptions, all games are resampled and
    /// rated `times` times from this seed; 0 for none. `None` if there are no entrants, or more
    /// than 2000.
    ///
    /// If a game has more than two seats, all games are rated by [`crate::plackett_luce`].
    pub fn of(standings: &Standings, times: usize, seed: u64) -> Option<Strengths> {
        let names: Vec<&str> = standings.names().collect();
        if names.len() > MOST {
            return None;
        }
        if names.is_empty() {
            return None;
        }
        let (meetings, tables) = (standings.meetings(), standings.table_results());
        let found = if tables.is_empty() {
            Found::of_two(names.len(), &meetings, times, seed)?
        } else {
            Found::of_tables(names.len(), &meetings, tables)?
        };
        let mut order: Vec<usize> = (0..names.len()).collect();
        order.sort_by(|a, b| {
            found.ratings[*b].total_cmp(&found.ratings[*a]).then_with(|| names[*a].cmp(names[*b]))
        });
        let row = |(place, entrant): (usize, &usize)| Strength {
            entrant: names[*entrant].to_owned(),
            games: standings.tally(names[*entrant]).map_or(0, |tally| tally.total().games()),
            elo: found.ratings[*entrant] * found.scale,
            error: NINETY_FIVE * found.errors[*entrant] * found.scale,
            drawn_anew: found.drawn_anew.as_ref().map(|errors| errors[*entrant]),
            over_next: order.get(place + 1).map(|next| (found.superiority)(*entrant, *next)),
        };
        Some(Strengths {
            rows: order.iter().enumerate().map(row).collect(),
            advantage: found.advantage * found.scale,
            seats: found.seats.iter().map(|seat| seat * found.scale).collect(),
            draw_rate: found.draw_rate,
        })
    }
}

/// What both models find, on their own scale.
struct Found {
    ratings: Vec<f64>,
    errors: Vec<f64>,
    drawn_anew: Option<Vec<f64>>,
    superiority: Box<dyn Fn(usize, usize) -> f64>,
    advantage: f64,
    seats: Vec<f64>,
    draw_rate: f64,
    /// The factor to Elo.
    scale: f64,
}

impl Found {
    fn of_two(entrants: usize, meetings: &[Meeting], times: usize, seed: u64) -> Option<Found> {
        let found = Ratings::fit(entrants, meetings, Prior::USUAL)?;
        Some(Found {
            ratings: found.ratings.clone(),
            errors: (0..entrants).map(|entrant| found.error(entrant)).collect(),
            drawn_anew: (times > 1).then(|| bootstrap::errors(&found, meetings, Prior::USUAL, times, seed)),
            advantage: found.advantage,
            seats: Vec::new(),
            draw_rate: found.draw_rate(),
            scale: found.to_elo(),
            superiority: Box::new(move |one, other| found.superiority(one, other)),
        })
    }

    fn of_tables(entrants: usize, meetings: &[Meeting], mut results: Vec<TableResult>) -> Option<Found> {
        results.extend(meetings.iter().flat_map(TableResult::of_meeting));
        let found = TableRatings::fit(entrants, &results, Prior::USUAL)?;
        Some(Found {
            ratings: found.ratings.clone(),
            errors: (0..entrants).map(|entrant| found.error(entrant)).collect(),
            drawn_anew: None,
            advantage: found.advantage(),
            seats: found.seats.clone(),
            draw_rate: found.nu() / (2.0 + found.nu()),
            scale: found.to_elo(),
            superiority: Box::new(move |one, other| found.superiority(one, other)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::points::Points;
    use crate::sample::{around, game};
    use crate::scoring::Scoring;

    #[test]
    fn a_field_too_large_to_be_rated_is_not() {
        let field = |size: usize| Standings::new(Points::CHESS, (0..size).map(|number| number.to_string()));
        assert!(Strengths::of(&field(3), 0, 1).is_some());
        assert!(Strengths::of(&field(MOST + 1), 0, 1).is_none());
    }

    #[test]
    fn the_games_of_the_reference_give_its_elo() {
        let mut standings = Standings::new(Points::CHESS, ["delta", "bravo"]);
        for line in include_str!("../fixtures/ratings/four-engines.csv").lines().skip(1) {
            let parts: Vec<&str> = line.split(',').collect();
            standings.add(&game(parts[1], parts[2], parts[3]));
        }
        let found = Strengths::of(&standings, 50, 7).unwrap();
        let shown: Vec<String> =
            found.rows.iter().map(|row| format!("{} {:.1}", row.entrant, row.elo)).collect();
        // 90.902 and 29.985 on the model's own scale, times 2 / (2 + 0.757092).
        assert_eq!(shown, ["alpha 65.9", "bravo 21.8", "charlie -21.8", "delta -65.9"]);
        assert!((found.rows[0].over_next.unwrap() - 0.7647).abs() < 1e-4);
        assert!((found.rows[0].drawn_anew.unwrap() / found.rows[0].error - 1.0).abs() < 0.5);
        assert_eq!((found.rows[0].games, found.rows[3].over_next), (36, None));
        assert!(Strengths::of(&Standings::new(Points::CHESS, [] as [&str; 0]), 0, 1).is_none());
    }

    #[test]
    fn games_of_three_seats_are_rated_by_their_places() {
        let mut standings = Standings::new(Scoring::usual(3), ["c", "b", "a"]);
        for names in [["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"]] {
            let place = |name: &str| 1 + u8::from(name != "a") + u8::from(name == "c");
            for _ in 0..5 {
                standings.add(&around(&names.map(|name| (name, place(name), 0))));
            }
            standings.add(&around(&names.map(|name| (name, 4 - place(name), 0))));
        }
        let found = Strengths::of(&standings, 20, 1).unwrap();
        let names: Vec<&str> = found.rows.iter().map(|row| row.entrant.as_str()).collect();
        assert_eq!(names, ["a", "b", "c"]);
        assert_eq!((found.rows[0].games, found.rows[0].drawn_anew), (18, None));
        assert!(found.rows[0].over_next.unwrap() > 0.9 && found.rows[0].error > 10.0);
        // Every seat had every place equally often.
        assert!(found.seats.len() == 3 && found.advantage.abs() < 1e-6, "{found:?}");
        // A game of two counts with them.
        let mut with_two = standings.clone();
        with_two.add(&game("c", "a", "1-0"));
        assert!(Strengths::of(&with_two, 0, 1).unwrap().rows[0].elo < found.rows[0].elo);
        let mut all = Standings::new(Scoring::usual(3), [] as [&str; 0]);
        all.include(&standings);
        assert_eq!(Strengths::of(&all, 20, 1).unwrap(), found);
    }
}
