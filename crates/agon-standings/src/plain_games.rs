//! Games of which nothing is known but who played, and the points of each.

use std::cmp::Ordering;
use std::time::Duration;

use agon_seats::PerSeat;
use thiserror::Error;

use crate::result::{FinalResult, GameId, LEAST_SEATS, MOST_SEATS, SeatStats, Termination};
use crate::standings::Standings;

/// Why some points are no result of a game.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum PlainGameError {
    /// Too few seats, or too many.
    #[error("a game has {LEAST_SEATS} to {MOST_SEATS} seats, and not {0}")]
    Seats(usize),
    /// Points that cannot be compared.
    #[error("{name}: its points are no number")]
    NoNumber {
        /// The entrant.
        name: String,
    },
}

impl Standings {
    /// Adds a game by its points: `standings.add(&[("ada", 1.0), ("bob", 0.0)])`.
    ///
    /// The entrants stand in the order of the seats, and may be new. More points are a better
    /// place, equal points share one; the standings give each place what it is worth to them. Every
    /// game is a round and a pairing of its own, so no two games are a pair with swapped sides. For
    /// that, for summed scores, for faults and times there is [`Standings::add_decided`]; do not
    /// add games to one table in both ways.
    ///
    /// # Errors
    /// [`PlainGameError`]: nothing was added.
    pub fn add(&mut self, points: &[(&str, f64)]) -> Result<(), PlainGameError> {
        if !(LEAST_SEATS..=MOST_SEATS).contains(&points.len()) {
            return Err(PlainGameError::Seats(points.len()));
        }
        if let Some((name, _)) = points.iter().find(|(_, own)| own.is_nan()) {
            return Err(PlainGameError::NoNumber { name: (*name).to_owned() });
        }
        let place = |own: f64| {
            let better =
                points.iter().filter(|(_, other)| other.partial_cmp(&own) == Some(Ordering::Greater));
            u8::try_from(1 + better.count()).unwrap_or(u8::MAX)
        };
        let decided = FinalResult {
            places: PerSeat::from_fn(points.len(), |seat| place(points[seat.index()].1)),
            scores: PerSeat::from_fn(points.len(), |_| 0),
            termination: Termination::Normal,
        };
        let seats = PerSeat::from_fn(points.len(), |seat| SeatStats {
            entrant: points[seat.index()].0,
            plies: 0,
            time: Duration::ZERO,
            longest: Duration::ZERO,
            fault: None,
        });
        let number = self.next_plain();
        self.add_decided(GameId { round: number, pairing: number, game: 1 }, &seats, &decided);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::points::Points;
    use crate::scoring::Scoring;

    #[test]
    fn points_are_places_and_count_as_these() {
        let mut standings = Standings::new(Points::CHESS, ["ada"]);
        standings.add(&[("ada", 1.0), ("bob", 0.0)]).unwrap();
        standings.add(&[("bob", 0.5), ("cleo", 0.5)]).unwrap();
        standings.add(&[("cleo", -3.0), ("ada", f64::INFINITY)]).unwrap();
        let rows: Vec<String> = standings
            .table()
            .into_iter()
            .map(|row| format!("{} {} {}", row.rank, row.entrant, row.tally.total()))
            .collect();
        assert_eq!(rows, ["1 ada 2-0-0", "2 bob 0-1-1", "2 cleo 0-1-1"]);
        assert_eq!(standings.between("ada", "cleo").to_string(), "1-0-0");
        // Two games are no pair.
        assert_eq!(standings.encounter_of("ada", "bob").pairs.count(), 0);
    }

    #[test]
    fn tables_of_several_seats_share_places() {
        let mut standings = Standings::new(Scoring::usual(3), [""; 0]);
        standings.add(&[("a", 2.0), ("b", 7.0), ("c", 2.0)]).unwrap();
        let first = standings.table().remove(0);
        assert_eq!((&*first.entrant, standings.between("a", "c").to_string()), ("b", "0-1-0".to_owned()));
    }

    #[test]
    fn what_is_no_game_adds_nothing() {
        let mut standings = Standings::new(Points::CHESS, [""; 0]);
        assert_eq!(standings.add(&[("a", 1.0)]), Err(PlainGameError::Seats(1)));
        let wrong = standings.add(&[("a", 1.0), ("b", f64::NAN)]).unwrap_err();
        assert_eq!(wrong.to_string(), "b: its points are no number");
        assert_eq!(standings.names().count(), 0);
    }
}
