//! Lets a clock run through a few answers: `cargo run -p agon-clock --example spend`.

use std::time::Duration;

use agon_seats::{Clock, TimeControl};

fn main() -> Result<(), String> {
    let control: TimeControl = "tc=2/10+1".parse()?;
    let mut clock = Clock::new(control, Duration::from_millis(20), Duration::ZERO);
    for seconds in [4, 5, 3] {
        println!("the answer may take {:?}; it takes {seconds} s", clock.allowance());
        clock.spend(Duration::from_secs(seconds), None);
    }
    println!("left: {:?}", clock.left());
    Ok(())
}
