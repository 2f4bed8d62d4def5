//! Plays a game at random and draws the last position: `cargo run -p agon-games --example
//! random_game -- mnk:5x5,4`.

use agon_games::{Needs, Status, find};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

fn main() {
    let spec = std::env::args().nth(1).unwrap_or_else(|| "mnk:5x5,4".to_owned());
    let rules = match find(&spec, &Needs::default()) {
        Ok(rules) => rules,
        Err(error) => return eprintln!("error: {error}"),
    };
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut game = rules.start(1);
    let outcome = loop {
        if let Status::Over(outcome) = game.status() {
            break outcome;
        }
        let moves = game.moves();
        let chosen = &moves[random.next_u32() as usize % moves.len()];
        let played = game.play(chosen.as_bytes()).expect("a move of the list is legal");
        println!("{}", played.text);
    };
    print!("{}", game.draw());
    println!("places {:?}: {}", outcome.places.values(), outcome.why);
}
