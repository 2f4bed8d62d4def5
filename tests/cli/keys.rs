//! `docs/keys.md`, the reference of all keys of a `tournament.toml`: made of the structs that read
//! the file.

use std::fs;

use agon_config::candidates::CandidatesFile;
use agon_config::grades::{GradesFile, StepFile};
use agon_config::league::LeagueFile;
use agon_config::stages::{StageFile, WithdrawnFile};
use agon_config::{EntrantFile, EventFile, Key, OF_LETTERS, Options, TopFile};

use super::home::{Home, root};

/// The command that writes the page.
const WRITE: &str = "AGON_WRITE_KEYS=1 cargo test --test cli keys";

const HEAD: &str = "\
All keys of a `tournament.toml`, generated from the code that reads it. Examples are in
[tournaments.md](tournaments.md) and [grading.md](grading.md). A path is relative to the folder of
the file. Flags override the file.

Tables can be written in every way that TOML knows: `[[stages]]` or `stages = [{ ... }]`, `[grades]`
or `grades = { ... }`.

The game is a text, `game = \"letters:6x6x3,uniform,dictionary=words.txt\"`, or a table:
`[game]` with the key `name` and the options of the game as keys. Those of the letter cube are
`size`, `letters`, `dictionary` and `board`. Options without a name, as of mnk, stand in `options`.
";

fn page() -> String {
    let mut page = format!("# Keys of a tournament.toml\n\n<!-- written by {WRITE} -->\n\n{HEAD}");
    for (title, about, keys) in [
        ("The file", "These keys stand at the top of the file, beside the options.", TopFile::KEYS),
        (
            "Options",
            "These keys stand at the top of the file. Each is also a flag: `games = 4` is `--games 4`.",
            Options::KEYS,
        ),
        (
            "An engine with settings of its own",
            "These keys stand in a table of `engine`, which begins with `[[engine]]`. See [settings.md](settings.md).",
            EntrantFile::KEYS,
        ),
        (
            "A stage",
            "These keys stand in a table of `stages`. With one stage, all but `name` stand at the top.",
            StageFile::KEYS,
        ),
        (
            "A withdrawal",
            "These keys stand in a table of `withdrawn`: `withdrawn = [{ engine = \"a\", from = \"round 3\" }]`.",
            WithdrawnFile::KEYS,
        ),
        (
            "An event",
            "These keys stand in the table `event`. No game depends on them. `event = \"TITLE\"` is its title alone.",
            EventFile::KEYS,
        ),
        ("A league", "These keys stand in the table `league`.", LeagueFile::KEYS),
        ("Candidates", "These keys stand in the table `candidates`.", CandidatesFile::KEYS),
        ("Grades", "These keys stand in the table `grades`.", GradesFile::KEYS),
        ("A step to a grade", "These keys stand in a table of `grades.steps`.", StepFile::KEYS),
    ] {
        page +=
            &format!("\n## {title}\n\n{about}\n\n| key | value | default | meaning |\n|---|---|---|---|\n");
        page.extend(keys.iter().filter(|key| !OF_LETTERS.contains(&key.name().as_str())).map(row));
    }
    page
}

fn row(key: &Key) -> String {
    let default = key.default().unwrap_or(if key.is_required() { "**required**" } else { "" });
    // What is written in quotes is code.
    let pieces = (key.value)().split('"').map(ToOwned::to_owned).collect::<Vec<_>>();
    let value = (0..).zip(pieces).map(|(at, text)| if at % 2 == 1 { format!("`\"{text}\"`") } else { text });
    format!("| `{}` | {} | {default} | {} |\n", key.name(), value.collect::<String>(), key.meaning())
}

#[test]
fn the_reference_of_all_keys_is_current() {
    let path = root().join("docs/keys.md");
    if std::env::var_os("AGON_WRITE_KEYS").is_some() {
        fs::write(&path, page()).unwrap();
    }
    let current = fs::read_to_string(&path).unwrap_or_default();
    let line = page().lines().zip(current.lines()).position(|(wanted, found)| wanted != found);
    assert!(current == page(), "docs/keys.md:{}: is not current; write it: {WRITE}", line.unwrap_or(0) + 1);
}

#[test]
fn every_option_of_the_reference_is_a_flag() {
    let help = Home::new().agon(["tournament", "--help"]).out();
    for key in Options::KEYS.iter().filter(|key| !OF_LETTERS.contains(&key.name().as_str())) {
        assert!(
            help.contains(&format!("--{} <", key.name())) || key.name() == "skip-broken",
            "{}",
            key.name()
        );
    }
    assert!(help.contains("--skip-broken[=<BOOL>]"), "{help}");
}

#[test]
fn every_key_says_what_it_means() {
    let tables = [
        TopFile::KEYS,
        Options::KEYS,
        EntrantFile::KEYS,
        StageFile::KEYS,
        WithdrawnFile::KEYS,
        LeagueFile::KEYS,
        CandidatesFile::KEYS,
        GradesFile::KEYS,
        StepFile::KEYS,
    ];
    for key in tables.into_iter().flatten() {
        let meaning = key.meaning();
        assert!(meaning.len() > 8 && !meaning.contains("[default"), "{}: {meaning}", key.name());
    }
}
