//! The ratings of all entrants of the standings, in Elo, the strongest first.

use super::Standings;
use super::bootstrap;
use super::rating::{NINETY_FIVE, Prior, Ratings};

/// The ratings of all entrants, and the parameters of the model.
#[derive(Clone, PartialEq, Debug)]
pub struct Strengths {
    /// The strongest first.
    pub rows: Vec<Strength>,
    /// The advantage of the first seat, in Elo.
    pub advantage: f64,
    /// The share of draws between equally strong engines by the model, 0 to 1. It is not the share
    /// of all games that were drawn.
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
    /// The error bar from resampled games, if there is one.
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
    pub fn of(standings: &Standings, times: usize, seed: u64) -> Option<Strengths> {
        let names: Vec<&str> = standings.names().collect();
        if names.len() > MOST {
            return None;
        }
        let meetings = standings.meetings();
        let found = Ratings::fit(names.len(), &meetings, Prior::USUAL).filter(|_| !names.is_empty())?;
        let anew = (times > 1).then(|| bootstrap::errors(&found, &meetings, Prior::USUAL, times, seed));
        let scale = found.to_elo();
        let mut order: Vec<usize> = (0..names.len()).collect();
        order.sort_by(|a, b| {
            found.ratings[*b].total_cmp(&found.ratings[*a]).then_with(|| names[*a].cmp(names[*b]))
        });
        let row = |(place, entrant): (usize, &usize)| Strength {
            entrant: names[*entrant].to_owned(),
            games: standings.tally(names[*entrant]).map_or(0, |tally| tally.total().games()),
            elo: found.ratings[*entrant] * scale,
            error: NINETY_FIVE * found.error(*entrant) * scale,
            drawn_anew: anew.as_ref().map(|errors| errors[*entrant]),
            over_next: order.get(place + 1).map(|next| found.superiority(*entrant, *next)),
        };
        Some(Strengths {
            rows: order.iter().enumerate().map(row).collect(),
            advantage: found.advantage * scale,
            draw_rate: found.draw_rate(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::points::Points;
    use crate::sample::game;

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
}
