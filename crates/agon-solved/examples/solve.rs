//! Makes the table of a game, in memory, and counts its values: `solve GAME [THREADS]`.

use std::num::NonZeroUsize;
use std::time::Instant;

use agon_games::{Needs, find};
use agon_solved::{Solver, SolverSettings};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let game = arguments.next().unwrap_or_else(|| "morris".to_owned());
    let threads: NonZeroUsize = arguments.next().map_or(Ok(NonZeroUsize::MIN), |threads| threads.parse())?;
    let solver = Solver::new(
        &*find(&game, &Needs::default())?,
        SolverSettings { threads, ..SolverSettings::default() },
    );
    let clock = Instant::now();
    solver.prepare();
    println!("{game}: {} cells in {:.2?}", solver.cells().unwrap_or(0), clock.elapsed());
    for tier in solver.tiers() {
        let (hands, own, other) = (tier.hands, tier.own, tier.other);
        let (won, drawn, lost, longest) = (tier.won, tier.drawn, tier.lost, tier.longest);
        println!("{hands} {own} {other}: won {won}, drawn {drawn}, lost {lost}, longest {longest}");
    }
    Ok(())
}
