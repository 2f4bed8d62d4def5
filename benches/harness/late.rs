//! How late the harness wakes at a deadline, with engines that never answer.

use std::process::Command;

use crate::Bench;
use crate::table::BenchTable;

pub(crate) fn part(bench: &mut Bench) {
    let games = if bench.rounds < 5 { 20 } else { 100 };
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/deadline");
    let said = Command::new(script)
        .args(["--games", &games.to_string()])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("python3 runs");
    let text = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(said.status.success(), "{text}{}", String::from_utf8_lossy(&said.stderr));
    let mut table = BenchTable::new("lateness at a deadline of 100 ms, ms", &["", "p50", "p99", "max"]);
    for line in text.lines().filter(|line| line.contains(" p50 ")) {
        let (name, figures) = line.split_once(" p50 ").expect("as filtered");
        let numbers: Vec<f64> = figures.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        let name = name.trim();
        for (figure, value) in ["p50", "p99", "max"].iter().zip(&numbers) {
            bench.note(format!("{name}, {figure} ms"), *value);
        }
        let cells: Vec<String> = numbers.iter().map(|value| format!("{value:.3}")).collect();
        table.row(&[vec![name.to_owned()], cells].concat());
    }
    table.print();
}
