//! Standings of three games: `cargo run -p agon-standings --example table`.

use std::time::Duration;

use agon_games::PerSeat;
use agon_standings::Standings;
use agon_standings::points::Points;
use agon_standings::result::{Decided, SeatStats, Termination};

fn main() {
    let mut standings = Standings::new(Points::CHESS, ["ada", "bob", "cleo"]);
    for (first, second, places) in [("ada", "bob", [1, 2]), ("bob", "cleo", [1, 1]), ("cleo", "ada", [2, 1])]
    {
        let stats = |name| SeatStats {
            entrant: name,
            plies: 20,
            time: Duration::from_secs(1),
            longest: Duration::from_millis(90),
        };
        let decided = Decided {
            places: PerSeat::from(places.to_vec()),
            scores: PerSeat::two(0, 0),
            termination: Termination::Normal,
            reason: "five in a row".to_owned(),
        };
        standings.add_decided(1, &PerSeat::two(stats(first), stats(second)), &decided);
    }
    for row in standings.table() {
        println!("{:>2} {:5} {}", row.rank, row.entrant, row.tally.total());
    }
}
