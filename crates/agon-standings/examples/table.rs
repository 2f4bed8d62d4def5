//! Standings of three games: `cargo run -p agon-standings --example table`.

use std::time::Duration;

use agon_games::PerSeat;
use agon_standings::Standings;
use agon_standings::points::Points;
use agon_standings::result::{Decided, GameId, SeatStats, Termination};

fn main() {
    let mut standings = Standings::new(Points::CHESS, ["ada", "bob", "cleo"]);
    let games = [("ada", "bob", [1, 2]), ("bob", "cleo", [1, 1]), ("cleo", "ada", [2, 1])];
    for (pairing, (first, second, places)) in (1..).zip(games) {
        let stats = |name| SeatStats {
            entrant: name,
            plies: 20,
            time: Duration::from_secs(1),
            longest: Duration::from_millis(90),
            fault: None,
        };
        let decided = Decided {
            places: PerSeat::from(places.to_vec()),
            scores: PerSeat::two(0, 0),
            termination: Termination::Normal,
            reason: "five in a row".to_owned(),
        };
        let id = GameId { round: 1, pairing, game: 1 };
        standings.add_decided(id, &PerSeat::two(stats(first), stats(second)), &decided);
    }
    for row in standings.table() {
        println!("{:>2} {:5} {}", row.rank, row.entrant, row.tally.total());
    }
}
