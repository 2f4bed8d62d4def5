//! Makes the opening book of connect four: `connect_four_book STONES signs|scores MINUTES FILE
//! [BITS]`.
//!
//! The file is written now and then. If it is there already, the work goes on from it.

use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use agon_solved::{BookDepth, connect_four_book};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [stones, depth, minutes, path, rest @ ..] = &arguments[..] else {
        return Err("give STONES signs|scores MINUTES FILE [BITS]".into());
    };
    let bits = rest.first().map_or(Ok(24), |bits| bits.parse())?;
    let depth = match depth.as_str() {
        "signs" => BookDepth::Signs,
        "scores" => BookDepth::Scores,
        _ => return Err("the depth is signs or scores".into()),
    };
    let started = Instant::now();
    let until = started + Duration::from_secs(60 * minutes.parse::<u64>()?);
    let threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let written = Mutex::new(Instant::now());
    let go_on = |file: &[u8]| {
        let missing = file.iter().filter(|byte| **byte == 0).count();
        println!("{missing} of {} are missing after {:?}", file.len() - 1, started.elapsed());
        let mut written = written.lock().expect("no thread panicked");
        if written.elapsed() > Duration::from_secs(10) {
            *written = Instant::now();
            if let Err(error) = std::fs::write(path, file) {
                eprintln!("{path}: {error}");
            }
        }
        Instant::now() < until
    };
    let file = std::fs::read(path).unwrap_or_default();
    let book = connect_four_book(stones.parse()?, depth, &file, threads, bits, &go_on);
    println!("done after {:?}", started.elapsed());
    Ok(std::fs::write(path, book)?)
}
