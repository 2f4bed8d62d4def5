//! Sample games for tests.

use std::time::Duration;

use agon_seats::PerSeat;

use crate::Standings;
use crate::result::{FinalResult, GameId, SeatStats, Termination};

/// The parts of a game that standings use.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub(crate) round: u32,
    pub(crate) seats: PerSeat<SeatStats<String>>,
    /// `None` for a void game.
    pub(crate) decided: Option<FinalResult>,
}

impl Standings {
    /// Adds a game, void or not.
    pub(crate) fn note(&mut self, game: &Sample) {
        match &game.decided {
            Some(decided) => {
                // Each is a pairing of its own.
                let id = GameId { round: game.round, pairing: self.next_plain(), game: 1 };
                self.add_decided(id, &game.seats, decided);
            }
            None => self.add_void(game.seats.values().iter().map(|seat| seat.entrant.as_str())),
        }
    }
}

/// A seat with these numbers.
pub(crate) fn seat(entrant: &str, plies: u64, micros: u64, longest: u64) -> SeatStats<String> {
    let (time, longest) = (Duration::from_micros(micros), Duration::from_micros(longest));
    SeatStats { entrant: entrant.to_owned(), plies, time, longest, fault: None }
}

/// A game of letters between two entrants with this result, three plies long.
pub(crate) fn game(first: &str, second: &str, result: &str) -> Sample {
    let (places, scores) = match result {
        "1-0" => ([1, 2], [12, 9]),
        "0-1" => ([2, 1], [3, 8]),
        "1/2-1/2" => ([1, 1], [5, 5]),
        other => panic!("no result: {other}"),
    };
    Sample {
        round: 1,
        seats: PerSeat::two(seat(first, 2, 30_000, 20_500), seat(second, 1, 1_000, 20_500)),
        decided: Some(FinalResult {
            places: PerSeat::from(places.to_vec()),
            scores: PerSeat::from(scores.to_vec()),
            termination: Termination::Normal,
        }),
    }
}

/// A game at a table: the name, the place and the score of each seat.
pub(crate) fn around(seats: &[(&str, u8, i32)]) -> Sample {
    Sample {
        round: 1,
        seats: PerSeat::from(
            seats.iter().map(|(name, _, _)| seat(name, 1, 1_000, 1_000)).collect::<Vec<_>>(),
        ),
        decided: Some(FinalResult {
            places: PerSeat::from(seats.iter().map(|(_, place, _)| *place).collect::<Vec<_>>()),
            scores: PerSeat::from(seats.iter().map(|(_, _, score)| *score).collect::<Vec<_>>()),
            termination: Termination::Normal,
        }),
    }
}

/// The same game, ended by this termination.
pub(crate) fn ended_by(mut game: Sample, termination: Termination) -> Sample {
    game.decided = game.decided.map(|decided| FinalResult { termination, ..decided });
    if let Termination::Forfeit(seat, cause) = termination {
        game.seats[seat].fault = Some(cause);
    }
    game
}

/// The same game, void.
pub(crate) fn void(game: Sample) -> Sample {
    Sample { decided: None, ..game }
}
