//! A starter for @GAME@: it answers at random. Your ideas go into `choose`.
//!
//! Handed in alone, without its engine.toml, it is started as these two lines say:
//! agon: args = @ARGS@
//! agon: games = @GAMES@
//!
//! agon starts it as: main SEAT SEATS SECONDS SEED. It reads the lines that the referee tells its
//! seat. When it is to answer, it reads the line `@PROMPT@`. Then it writes one line. Notes belong
//! on standard error.

use std::io::BufRead;

/// What the engine knows.
#[allow(dead_code)]
struct Engine {
    seat: usize,
    seats: usize,
    seconds: f64,
    /// All lines of the game so far.
    told: Vec<String>,
    /// The answers of the last line `legal`. A referee that lists no legal answers leaves it empty:
    /// then the rules of the game say what an answer is.
    legal: Vec<String>,
    chance: u64,
}

impl Engine {
    /// A number below `count` that the seed of the game determines.
    fn below(&mut self, count: usize) -> usize {
        self.chance = self.chance.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.chance >> 33) as usize % count
    }

    /// The answer. Replace this by something better.
    fn choose(&mut self) -> String {
        if self.legal.is_empty() {
            return "0".to_owned();
        }
        let at = self.below(self.legal.len());
        self.legal[at].clone()
    }
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let mut engine = Engine {
        seat: words[1].parse().expect("a seat"),
        seats: words[2].parse().expect("a number of seats"),
        seconds: words[3].parse().expect("seconds"),
        told: Vec::new(),
        legal: Vec::new(),
        chance: words[4].parse().expect("a seed"),
    };
    // At the end of the game the input ends.
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("a line");
        if line == "@PROMPT@" {
            // println! sends a whole line at once.
            println!("{}", engine.choose());
            continue;
        }
        let mut words = line.split_whitespace();
        if words.next() == Some("legal") {
            engine.legal = words.map(str::to_owned).collect();
        }
        engine.told.push(line);
    }
}
