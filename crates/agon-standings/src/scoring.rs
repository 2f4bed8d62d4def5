//! What a game is worth in the standings: the points of its result, those of a place, or the scores
//! themselves.

use std::collections::BTreeMap;
use std::fmt;

use crate::points::{Amount, Points, PointsError, Wdl};
use crate::result::{LEAST_SEATS, MOST_SEATS};

/// How the points of an entrant follow from its games.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scoring {
    /// A win, a draw and a loss have their points. This is the scoring of two seats. With more, the
    /// seat alone on first place has won, and seats that share it have drawn.
    Results(Points),
    /// Each place has its points, with three or more seats.
    Places(PlacePoints),
    /// The points are the scores, summed over the games.
    Sum,
}

impl Scoring {
    /// The word for [`Scoring::Sum`].
    const SUM: &str = "sum";

    /// The scoring of games with so many seats, unless another is given. It is 2-1-0 for two.
    /// Otherwise it is a point for each opponent that one is placed ahead of.
    pub fn usual(seats: usize) -> Scoring {
        if seats <= LEAST_SEATS {
            Scoring::Results(Points::default())
        } else {
            Scoring::Places(PlacePoints::ahead_of(seats))
        }
    }

    /// Reads `2-1-0` for two seats, a number for each place for more, or `sum`.
    ///
    /// # Errors
    /// It is none of these, or has another number of places than there are seats.
    pub fn read(text: &str, seats: usize) -> Result<Scoring, PointsError> {
        if text.trim() == Self::SUM {
            return Ok(Scoring::Sum);
        }
        if seats <= LEAST_SEATS {
            return Ok(Scoring::Results(text.parse()?));
        }
        let wrong = || PointsError::Places { text: text.to_owned(), seats };
        let parts: Vec<&str> = text.split('-').map(str::trim).collect();
        if parts.len() != seats {
            return Err(wrong());
        }
        let points = parts.into_iter().map(str::parse).collect::<Result<Vec<Amount>, _>>()?;
        PlacePoints::new(&points).map(Scoring::Places)
    }

    /// The points of one entrant against another in the games that both play. With points by place
    /// or summed scores, a game counts 1 for the entrant that is placed ahead. It counts a half if
    /// they share a place.
    pub fn between_two(self) -> Points {
        match self {
            Scoring::Results(points) => points,
            Scoring::Places(_) | Scoring::Sum => Points::CHESS,
        }
    }

    /// The points of these games.
    pub(crate) fn of(self, earned: &Earned) -> Amount {
        match self {
            Scoring::Results(points) => points.of(earned.games),
            Scoring::Places(places) => places.of(&earned.finishes),
            Scoring::Sum => Amount::whole(earned.score),
        }
    }

    /// The points for so many games, all won; `None` if there is no such limit.
    pub(crate) fn most(self, games: u64) -> Option<Amount> {
        match self {
            Scoring::Results(points) => Some(points.win() * games),
            Scoring::Places(places) => Some(places.at(1) * games),
            Scoring::Sum => None,
        }
    }

    /// The games of a bye that count as won. With more than two seats a bye is a pause, and counts
    /// for nothing. While some entrants have played more games than others, their shares are
    /// compared.
    pub(crate) fn byes(self, games: u64) -> u64 {
        if matches!(self, Scoring::Results(_)) { games } else { 0 }
    }

    /// Whether it takes the places of a game with so many seats.
    pub(crate) fn by_place(self, seats: usize) -> bool {
        seats > LEAST_SEATS || matches!(self, Scoring::Places(_))
    }
}

impl Default for Scoring {
    fn default() -> Self {
        Scoring::usual(LEAST_SEATS)
    }
}

impl From<Points> for Scoring {
    fn from(points: Points) -> Scoring {
        Scoring::Results(points)
    }
}

/// As [`Scoring::read`] reads it.
impl fmt::Display for Scoring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scoring::Results(points) => points.fmt(f),
            Scoring::Places(points) => points.fmt(f),
            Scoring::Sum => f.write_str(Self::SUM),
        }
    }
}

/// The points of each place, the first place first. Written `3-1-0`.
///
/// Seats that share a place share the points of the places that they take. With `3-1-0`, two that
/// share the second place have half a point each. Sums over all games are exact. They are rounded
/// once, to a thousandth, and entrants with the same rounded sum are equal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlacePoints {
    seats: usize,
    points: [Amount; MOST_SEATS],
}

/// A multiple of every number of seats that can share a place.
const SHARES: i128 = 720_720;

impl PlacePoints {
    /// The points of these places.
    ///
    /// # Errors
    /// In each of these cases:
    ///
    /// * there are fewer than 3 or more than 16 places;
    /// * a place has more points than a better one;
    /// * the last place has as many as the first;
    /// * the first has more than 100.
    pub fn new(points: &[Amount]) -> Result<PlacePoints, PointsError> {
        let shown = || points.iter().map(Amount::to_string).collect::<Vec<_>>().join("-");
        if points.len() <= LEAST_SEATS || points.len() > MOST_SEATS {
            return Err(PointsError::Places { text: shown(), seats: points.len().clamp(3, MOST_SEATS) });
        }
        let (first, last) = (points[0], points[points.len() - 1]);
        let falls = points.is_sorted_by(|better, worse| better >= worse);
        if !falls || first <= last || last < Amount::ZERO || first > Points::MOST {
            return Err(PointsError::PlaceOrder(shown()));
        }
        let mut all = [Amount::ZERO; MOST_SEATS];
        all[..points.len()].copy_from_slice(points);
        Ok(PlacePoints { seats: points.len(), points: all })
    }

    /// A point for each seat that is placed behind. Takes 3 to 16 seats; others become the nearest
    /// of these.
    pub fn ahead_of(seats: usize) -> PlacePoints {
        let seats = seats.clamp(LEAST_SEATS + 1, MOST_SEATS);
        let mut points = [Amount::ZERO; MOST_SEATS];
        points.iter_mut().zip((0..seats as u64).rev()).for_each(|(own, behind)| *own = Amount::ONE * behind);
        PlacePoints { seats, points }
    }

    /// The points of each place.
    pub fn places(&self) -> &[Amount] {
        &self.points[..self.seats]
    }

    /// The points of this place, from 1; beyond the last place, those of the last.
    fn at(&self, place: usize) -> Amount {
        self.points[place.clamp(1, self.seats) - 1]
    }

    fn of(&self, finishes: &Finishes) -> Amount {
        let shares: i128 = (finishes.counts.iter())
            .map(|((place, sharing), games)| {
                let places = usize::from(*place)..usize::from(*place) + usize::from(*sharing);
                let together: i64 = places.map(|place| self.at(place).thousandths()).sum();
                i128::from(together) * (SHARES / i128::from(*sharing).max(1)) * i128::from(*games)
            })
            .sum();
        Amount::of_thousandths(i64::try_from((shares + SHARES / 2).div_euclid(SHARES)).unwrap_or(i64::MAX))
    }
}

impl fmt::Display for PlacePoints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.places().iter().map(Amount::to_string).collect::<Vec<_>>().join("-"))
    }
}

/// How often an entrant came on each place, alone or with others.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Finishes {
    /// The games by the place and the number of seats that share it.
    counts: BTreeMap<(u8, u8), u64>,
}

impl Finishes {
    /// Counts a game: the place, from 1, and how many seats have it.
    pub(crate) fn add(&mut self, place: u8, sharing: u8) {
        *self.counts.entry((place, sharing)).or_default() += 1;
    }

    pub(crate) fn include(&mut self, other: &Finishes) {
        for (finish, games) in &other.counts {
            *self.counts.entry(*finish).or_default() += games;
        }
    }

    /// The number of games.
    pub fn games(&self) -> u64 {
        self.counts.values().sum()
    }

    /// The number of games on this place, from 1, alone or with others.
    pub fn on(&self, place: u8) -> u64 {
        self.counts.iter().filter(|((own, _), _)| *own == place).map(|(_, games)| games).sum()
    }

    /// The average place; `None` without games. Two that share the second place have place 2.5
    /// here, so that the average of a game is the same with shared places and without.
    #[allow(clippy::cast_precision_loss)] // fewer than 2^53 games
    pub fn average(&self) -> Option<f64> {
        let twice = |((place, sharing), games): (&(u8, u8), &u64)| {
            (2 * u64::from(*place) + u64::from(sharing.saturating_sub(1))) * games
        };
        let sum: u64 = self.counts.iter().map(twice).sum();
        (self.games() > 0).then(|| sum as f64 / 2.0 / self.games() as f64)
    }
}

/// The games of an entrant as far as its points follow from them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Earned {
    pub(crate) games: Wdl,
    pub(crate) finishes: Finishes,
    pub(crate) score: i64,
}

impl Earned {
    pub(crate) fn include(&mut self, other: &Earned) {
        self.games += other.games;
        self.finishes.include(&other.finishes);
        self.score += other.score;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(text: &str) -> PlacePoints {
        match Scoring::read(text, text.split('-').count()).unwrap() {
            Scoring::Places(points) => points,
            other => panic!("{other}"),
        }
    }

    fn finishes(all: &[(u8, u8, u64)]) -> Finishes {
        Finishes { counts: all.iter().map(|(place, sharing, games)| ((*place, *sharing), *games)).collect() }
    }

    #[test]
    fn a_scoring_is_read_by_the_number_of_seats_and_written_as_it_is_read() {
        for (text, seats, shown) in [
            ("1-1/2-0", 2, "1-0.5-0"),
            ("3-1-0", 3, "3-1-0"),
            ("5 - 3 - 1.5 - 1.5", 4, "5-3-1.5-1.5"),
            ("sum", 2, "sum"),
            ("sum", 6, "sum"),
        ] {
            let read = Scoring::read(text, seats).unwrap();
            assert_eq!(read.to_string(), shown);
            assert_eq!(Scoring::read(&read.to_string(), seats), Ok(read));
        }
        assert!(matches!(Scoring::read("3-1-0", 2), Ok(Scoring::Results(_))));
        assert!(matches!(Scoring::read("3-1-0", 3), Ok(Scoring::Places(_))));
        assert_eq!(Scoring::usual(2).to_string(), "2-1-0");
        assert_eq!(Scoring::usual(3).to_string(), "2-1-0");
        assert_eq!(Scoring::usual(5).to_string(), "4-3-2-1-0");
    }

    #[test]
    fn points_that_do_not_fit_the_places_are_refused() {
        let words = Scoring::read("2-1-0", 4).unwrap_err().to_string();
        assert!(words.contains("4 seats") && words.contains("3-2-1-0"), "{words}");
        assert!(matches!(Scoring::read("2-1-0-0-0", 4), Err(PointsError::Places { .. })));
        assert!(matches!(Scoring::read("2-x-0", 3), Err(PointsError::Amount(_))));
        for text in ["0-1-2", "1-1-1", "3-1-2", "101-1-0", "0-0-0"] {
            assert!(matches!(Scoring::read(text, 3), Err(PointsError::PlaceOrder(_))), "{text}");
        }
        assert!(matches!(PlacePoints::new(&[Amount::ONE, Amount::ZERO]), Err(PointsError::Places { .. })));
    }

    #[test]
    fn shared_places_share_their_points_and_sums_are_rounded_once() {
        let points = places("3-1-0");
        assert_eq!(points.of(&finishes(&[(2, 2, 1)])).to_string(), "0.5");
        // A third of 4 is no number of thousandths; three of them are 4 again.
        assert_eq!(points.of(&finishes(&[(1, 3, 1)])).to_string(), "1.333");
        assert_eq!(points.of(&finishes(&[(1, 3, 3)])).to_string(), "4");
        assert_eq!(points.of(&finishes(&[(1, 3, 2)])).to_string(), "2.667");
        assert_eq!(points.of(&finishes(&[(1, 1, 2), (3, 1, 5), (1, 2, 1)])).to_string(), "8");
        // A place beyond the last one has the points of the last.
        assert_eq!(places("3-2-1").of(&finishes(&[(5, 1, 1)])).to_string(), "1");
    }

    #[test]
    fn the_points_of_a_place_are_the_opponents_behind_and_half_of_the_equals() {
        for seats in 3..=16_u8 {
            for (place, sharing) in
                (1..=seats).flat_map(|place| (1..=seats - place + 1).map(move |n| (place, n)))
            {
                let own = PlacePoints::ahead_of(seats.into()).of(&finishes(&[(place, sharing, 2)]));
                let behind = u64::from(seats - (place + sharing - 1));
                assert_eq!(own, Amount::ONE * (2 * behind + u64::from(sharing - 1)));
            }
        }
    }

    #[test]
    fn places_are_counted_and_averaged() {
        let all = finishes(&[(1, 1, 2), (1, 2, 1), (2, 2, 1)]);
        assert_eq!((all.games(), all.on(1), all.on(2), all.on(3)), (4, 3, 1, 0));
        // 1, 1, 1.5 and 2.5.
        assert_eq!(all.average(), Some(1.5));
        assert_eq!(Finishes::default().average(), None);
    }

    #[test]
    fn without_a_limit_of_points_there_is_no_share() {
        assert_eq!(Scoring::Sum.most(3), None);
        assert_eq!(Scoring::Places(places("3-1-0")).most(3), Some(Amount::ONE * 9));
        let earned = Earned { score: -7, ..Earned::default() };
        assert_eq!(Scoring::Sum.of(&earned).to_string(), "-7");
        let huge = Earned { score: i64::MAX, ..Earned::default() };
        assert!(Scoring::Sum.of(&huge) > Amount::ZERO);
    }
}
