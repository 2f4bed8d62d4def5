//! The memory of the harness, by number of games and by concurrency.

use std::fs;

use crate::Bench;
use crate::matches::{Match, Protocol};
use crate::table::BenchTable;

pub(crate) fn part(bench: &mut Bench, quick: bool) {
    let mut table = BenchTable::new("resident memory of the harness, KiB", &["after", "now", "peak of it"]);
    let rows: &[(usize, usize)] = if quick {
        &[(2, 1), (100, 1), (64, 64)]
    } else {
        &[(2, 1), (100, 1), (10_000, 1), (200, 2), (640, 64)]
    };
    for (games, at_once) in rows {
        let asked = Match {
            protocol: Protocol::Ugi,
            at_once: *at_once,
            cores: 2,
            ..Match::of("mnk:10x10,10", *games)
        };
        // The high-water mark of this run alone.
        let _ = fs::write("/proc/self/clear_refs", "5"); // without it the peak is that of all runs so far
        asked.play(bench);
        let (now, peak) = (status("VmRSS:"), status("VmHWM:"));
        let name = format!("{games} games, {at_once} at once");
        bench.note(format!("resident KiB after {name}"), now);
        bench.note(format!("peak resident KiB in {name}"), peak);
        table.row(&[name, format!("{now:.0}"), format!("{peak:.0}")]);
    }
    table.print();
}

fn status(key: &str) -> f64 {
    let text = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(key)).unwrap_or_default();
    line.split_whitespace().next().and_then(|word| word.parse().ok()).unwrap_or(f64::NAN)
}
