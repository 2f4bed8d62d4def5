//! The results of all benchmarks, for programs: `target/bench.json`, to which each adds its own.

use std::collections::BTreeMap;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/target/bench.json");

/// Adds these to the file; a new value replaces an old one of the same name.
pub(crate) fn keep(figures: BTreeMap<String, f64>) {
    let before = std::fs::read_to_string(FILE).unwrap_or_default(); // the first benchmark finds no file
    let mut all: BTreeMap<String, f64> = serde_json::from_str(&before).unwrap_or_default();
    all.extend(figures);
    let text = serde_json::to_string_pretty(&all).expect("numbers are JSON");
    std::fs::write(FILE, text + "\n").expect("target can be written");
    println!("\nall figures: target/bench.json");
}
