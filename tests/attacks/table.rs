//! The attacks as the stub lists them, and the table of what was seen of each.

use std::fmt::Write;
use std::process::Command;

use crate::Seen;
use crate::case::Observed;
use crate::support::STUB;

pub(crate) const LEVELS: [&str; 4] = ["none", "limits", "sandbox", "strict"];
/// The columns of the table: the levels as root, and what a plain user gets.
const COLUMNS: [&str; 6] = ["none", "limits", "sandbox", "strict", "none, plain user", "sandbox, plain user"];
const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/attacks.md");

/// A row of `agon-stub --list`.
#[derive(Clone, Debug)]
pub(crate) struct Mode {
    /// Its number in the list of attacks, or `-`.
    pub(crate) attack: String,
    pub(crate) name: String,
    /// The lowest level at which it must not work.
    pub(crate) blocked: Option<String>,
    /// The verdict at each level.
    verdicts: Vec<String>,
    what: String,
}

impl Mode {
    /// What the harness must make of it at a level, `a | b` if either is right.
    pub(crate) fn verdict(&self, level: &str) -> &str {
        &self.verdicts[LEVELS.iter().position(|other| *other == level).unwrap()]
    }

    /// Whether it must be blocked at a level; nothing where there is nothing to block.
    pub(crate) fn is_blocked(&self, level: &str) -> Option<bool> {
        let place = |level: &str| LEVELS.iter().position(|other| *other == level).unwrap();
        Some(place(level) >= place(self.blocked.as_deref()?))
    }
}

/// All of them.
pub(crate) fn modes() -> Vec<Mode> {
    let listed = Command::new(STUB).arg("--list").output().unwrap();
    let text = String::from_utf8(listed.stdout).unwrap();
    let row = |line: &str| {
        let columns: Vec<&str> = line.split('\t').collect();
        let [attack, name, blocked, none, limits, sandbox, strict, what] = columns[..] else {
            panic!("{line:?} has not eight columns")
        };
        Mode {
            attack: attack.to_owned(),
            name: name.to_owned(),
            blocked: (blocked != "-").then(|| blocked.to_owned()),
            verdicts: [none, limits, sandbox, strict].map(str::to_owned).to_vec(),
            what: what.to_owned(),
        }
    };
    let mut modes: Vec<Mode> = text.lines().map(row).collect();
    modes.sort_by(|a, b| a.attack.cmp(&b.attack)); // in the order of the list; the dashes come first
    modes
}

/// Compares what was seen with the document, as far as it was tried; with `AGON_WRITE_TABLE` writes the document.
pub(crate) fn compare_or_write(modes: &[Mode], seen: &Seen) {
    let written = std::fs::read_to_string(FILE).unwrap_or_default();
    if std::env::var_os("AGON_WRITE_TABLE").is_some() {
        std::fs::write(FILE, document(modes, seen, &written)).unwrap();
        return;
    }
    let mut differ = Vec::new();
    for ((mode, column), observed) in
        seen.iter().filter(|((_, column), _)| COLUMNS.contains(&column.as_str()))
    {
        let cell = cell(&written, mode, column);
        if cell.as_deref() != Some(&observed.to_string()) {
            differ.push(format!("{mode} at {column}: {observed} was seen, {cell:?} is written"));
        }
    }
    for mode in modes {
        assert!(
            written.contains(&format!("| `{}` |", mode.name)),
            "docs/attacks.md has no row for {}",
            mode.name
        );
    }
    assert!(differ.is_empty(), "run scripts/attack-table, or mend what changed:\n{}", differ.join("\n"));
}

/// What the document says of a mode in a column.
fn cell(document: &str, mode: &str, column: &str) -> Option<String> {
    let place = COLUMNS.iter().position(|other| *other == column)?;
    let row = document.lines().find(|line| line.contains(&format!("| `{mode}` |")))?;
    let cells: Vec<&str> = row.split('|').map(str::trim).collect();
    cells.get(4 + place).map(|&cell| cell.to_owned())
}

fn document(modes: &[Mode], seen: &Seen, before: &str) -> String {
    let mut text = String::from(HEAD);
    let _ = writeln!(text, "| attack | mode | what it does | {} |", COLUMNS.join(" | "));
    let _ = writeln!(text, "|---|---|---|{}", "---|".repeat(COLUMNS.len()));
    for mode in modes {
        let cells = COLUMNS.map(|column| {
            let found = seen.get(&(mode.name.clone(), column.to_owned())).map(Observed::to_string);
            // What was not tried this time stays as it was.
            found.or_else(|| cell(before, &mode.name, column)).unwrap_or_default()
        });
        let _ = writeln!(
            text,
            "| {} | `{}` | {} | {} |",
            mode.attack,
            mode.name,
            mode.what.replace('|', "\\|"),
            cells.join(" | ")
        );
    }
    text
}

const HEAD: &str = "\
# What hostile engines try, and what comes of it

One mode of `agon-stub` an attack, played in both seats against an innocent opponent at each level of isolation. In
every cell stands what became of the attack and then the verdict of the games:

* **works**: it did what it set out to do. At `none` that is the positive control of the test.
* **blocked**: it was tried and did not work.
* **not tried**: it would have ended others' processes, or proves nothing; the plain user's run is its control.
* **survived**: there is nothing to block, or it lies in the protocol; the game ends in time with the right verdict.

Every case ended in time, with one record a game, the blame on the right side, no process and no temporary file left,
and outputs that are well formed. Where the verdict is `no result` the attack killed the harness: nothing was left behind
then either, and the run can be resumed.

An empty cell was not tried: attacks by words alone are the same at all levels, and are tried at the ends. The columns
are those of root's harness, at whose higher levels each engine is an unprivileged user of its own; the last two are a
plain user's. Where one of his is blocked at `none`, the system itself has done it.

This file is written by `scripts/attack-table` and compared with what happens by `cargo test --test attacks`.

";
