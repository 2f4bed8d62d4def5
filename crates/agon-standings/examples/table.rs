//! Standings of three games: `cargo run -p agon-standings --example table`.

use agon_standings::Standings;
use agon_standings::points::Points;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut standings = Standings::new(Points::CHESS, ["ada", "bob", "cleo"]);
    standings.add(&[("ada", 1.0), ("bob", 0.0)])?;
    standings.add(&[("bob", 0.5), ("cleo", 0.5)])?;
    standings.add(&[("cleo", 0.0), ("ada", 1.0)])?;
    for row in standings.table() {
        println!("{:>2} {:5} {}", row.rank, row.entrant, row.tally.total());
    }
    Ok(())
}
