//! Shows the value of a position and of its moves: `value GAME [POSITION]`.

use agon_games::{Needs, find};
use agon_solved::{Solver, SolverSettings};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let game = arguments.next().unwrap_or_else(|| "mnk:3x3,3".to_owned());
    let position = arguments.next().unwrap_or_else(|| "startpos".to_owned());
    let rules = find(&game, &Needs::default())?;
    let solver = Solver::new(&*rules, SolverSettings::default());
    let mut followed = solver.follow(&position)?;
    println!("{}: {}", followed.text(), followed.value());
    for ranked in followed.ranked() {
        println!("{}: {}", ranked.text, ranked.valuation);
    }
    Ok(())
}
