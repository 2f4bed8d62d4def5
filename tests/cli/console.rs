//! Console programs, which were made for people: on a terminal or on pipes, at every level of
//! isolation.
//!
//! The program is `tests/scripted/console.c`, which has each quirk as a mode.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::support::{Arena, Finished, Game, MOVER, side_by_side};

/// The console program, built once.
fn program() -> &'static str {
    static BUILT: OnceLock<String> = OnceLock::new();
    BUILT.get_or_init(|| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripted/console.c");
        let folder = tempfile::Builder::new().prefix("console-").tempdir().unwrap().keep();
        // An engine in a box is another user.
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(&folder, mode).unwrap();
        let built = folder.join("console");
        let status = Command::new("cc").args(["-O1", "-o"]).arg(&built).arg(source).status().unwrap();
        assert!(status.success());
        built.into_os_string().into_string().unwrap()
    })
}

/// How the program names the places of a game, and how agon's words say it.
struct Kind {
    game: &'static str,
    places: &'static str,
    coordinates: &'static str,
}

const CELLS: Kind = Kind { game: "mnk:3x3,3", places: "cells", coordinates: "{cell}" };
const COLUMNS: Kind = Kind { game: "connect4", places: "columns", coordinates: "{x}" };
const CUBE: Kind = Kind { game: "mill", places: "cube", coordinates: "{A}{row}" };

/// The keys of a program whose board stands behind each prompt.
const PLAIN: &str = "answer = 'I play (\\w\\d?)'\nsay = \"{move}\"\nfirst = \"go\"\n";

impl Kind {
    /// Adds the program as `engines/console`, in these modes, with these lines in front of
    /// `[console]` and in it.
    fn add(&self, arena: &Arena, modes: &str, pty: bool, table: &str) {
        let command: Vec<&str> =
            [program(), self.places].into_iter().chain(modes.split_ascii_whitespace()).collect();
        let more = format!(
            "protocol = \"console\"\npty = {pty}\n[console]\n{table}coordinates = \"{}\"\n",
            self.coordinates
        );
        arena.engine_with("console", &command, &more);
        arena.engine_with("mover", &[MOVER], "args = [\"{game}\", \"{side}\", \"{seconds}\"]\n");
    }

    fn play(&self, arena: &Arena, options: &str) -> Finished {
        let options = format!("--game {} --random-plies 0 {options}", self.game);
        arena.play("console", "mover", &options)
    }

    /// Plays two games to the end, and has them verified.
    fn plays_well(&self, modes: &str, pty: bool, table: &str, options: &str) -> (Arena, Vec<Game>) {
        let arena = Arena::new();
        self.add(&arena, modes, pty, table);
        let finished = self.play(&arena, &format!("--st 5 {options}"));
        assert_eq!(finished.code, Some(0), "{finished:?}");
        let games = arena.games();
        assert_eq!(games.len(), 2);
        for game in &games {
            assert_eq!(game.ending(), ("normal".to_owned(), None), "{modes}: {}", game.reason());
            assert!(game.moves_of("console") > 2, "{modes}");
        }
        let verified = arena.run(&mut arena.agon(&["verify", "out"]));
        assert_eq!(verified.code, Some(0), "{verified:?}");
        arena.assert_nothing_left(modes);
        (arena, games)
    }

    /// Plays games that the program loses: how, and the reason.
    fn loses(&self, modes: &str, table: &str, options: &str) -> (String, String) {
        let arena = Arena::new();
        self.add(&arena, modes, true, table);
        let finished = self.play(&arena, options);
        assert_eq!(finished.code, Some(0), "{finished:?}");
        let games = arena.games();
        let (cause, loser) = games[0].ending();
        assert_eq!(loser, Some("console"), "{modes}: {}", games[0].reason());
        arena.assert_nothing_left(modes);
        arena.assert_harmless(modes);
        (cause, games[0].reason().to_owned())
    }
}

fn prompting(table: &str) -> String {
    format!("{table}prompt = '(?:Your move: |\\? )$'\n")
}

#[test]
fn three_kinds_of_boards_are_played_to_the_end_on_a_terminal() {
    for kind in [CELLS, COLUMNS, CUBE] {
        let (arena, games) = kind.plays_well("", true, PLAIN, "--isolation none");
        // It sees a terminal, although its stderr is none.
        assert!(
            arena.log(games[0].id(), ["X", "W"][usize::from(kind.game == "mill")]).contains("terminal 1 1")
        );
        kind.plays_well("", true, &prompting(PLAIN), "--isolation none");
    }
}

#[test]
fn a_terminal_works_at_every_level() {
    let levels: &[&str] =
        if strict_works() { &["limits", "sandbox", "strict"] } else { &["limits", "sandbox"] };
    for level in levels {
        let options = format!("--isolation {level}");
        let (arena, games) = COLUMNS.plays_well("undo driver", true, &prompting(PLAIN), &options);
        let log = arena.log(games[0].id(), "X");
        assert!(log.contains("terminal 1 1"), "{level}: {log}");
        // In a box nobody changes the driver of the terminal, not even to the same one.
        let driver = if *level == "limits" { "driver 0" } else { "driver -1" };
        assert!(log.contains(driver), "{level}: {log}");
    }
}

/// Whether this machine has the level `strict`.
fn strict_works() -> bool {
    let arena = Arena::new();
    CELLS.add(&arena, "", true, PLAIN);
    arena.play("mover", "mover", "--game mnk:3x3,3 --isolation strict").code == Some(0)
}

#[test]
fn quirks_of_console_programs_cost_no_game() {
    let asks = "answer = 'I play (\\w\\d?)'\nsay = \"{move}\"\nfirst = \"2\"\nsecond = \"1\"\n";
    let cases = [
        ("asks", asks.to_owned()),
        ("asks", prompting(asks)),
        ("one-line", prompting(PLAIN)),
        ("drips", PLAIN.to_owned()),
        ("twice", prompting(PLAIN)),
        ("undo", PLAIN.to_owned()),
        ("slow", prompting(PLAIN)),
        // Its answer looks like the line that it repeats.
        (
            "echo",
            prompting("answer = '(?:I play |^)(\\w\\d?)$'\nsay = \"{move}\"\nfirst = \"go\"\necho = true\n"),
        ),
    ];
    for (modes, table) in cases {
        CELLS.plays_well(modes, true, &table, "--isolation none");
    }
}

#[test]
fn a_program_that_draws_who_begins_is_started_anew_until_it_fits() {
    let table =
        "answer = 'I play (\\w\\d?)'\nsay = \"{move}\"\nbegins = 'computer begins'\nfollows = 'You begin'\n";
    for table in [table.to_owned(), prompting(table), prompting(table)] {
        let arena = Arena::new();
        CELLS.add(&arena, "lots", true, &table);
        let finished = CELLS.play(&arena, "--st 20");
        assert_eq!(finished.code, Some(0), "{finished:?}");
        for game in arena.games() {
            assert_eq!(game.ending(), ("normal".to_owned(), None), "{table}: {}", game.reason());
        }
        let verified = arena.run(&mut arena.agon(&["verify", "out"]));
        assert_eq!(verified.code, Some(0), "{verified:?}");
        arena.assert_nothing_left("lots");
    }
}

#[test]
#[ignore = "slow"]
fn a_lot_that_never_fits_ends_by_itself() {
    let table =
        "answer = 'I play (\\w\\d?)'\nsay = \"{move}\"\nbegins = 'computer begins'\nfollows = 'You begin'\n";
    let (cause, why) = CELLS.loses("biased", table, "--st 20");
    assert!(cause == "start failed" && why.contains("it has drawn 64 times who begins"), "{cause}: {why}");
}

#[test]
#[ignore = "slow"]
fn without_a_terminal_a_program_that_does_not_flush_is_silent() {
    let arena = Arena::new();
    CELLS.add(&arena, "", false, PLAIN);
    let finished = CELLS.play(&arena, "--st 0.5 --isolation none");
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert_eq!(arena.games()[0].ending(), ("time forfeit".to_owned(), Some("console")));
    // The control: on a pipe one that flushes is heard, and its colours are taken out too.
    CELLS.plays_well("flushes", false, &prompting(PLAIN), "--isolation none");
}

#[test]
#[ignore = "slow"]
fn faults_of_console_programs_are_named() {
    let complaining = format!("{PLAIN}illegal = '(?i)illegal'\n");
    let cases = [
        ("crash", PLAIN, "crash", "exit status 3"),
        ("late", PLAIN, "time forfeit", "no answer within"),
        ("garbage", PLAIN, "time forfeit", "the key answer found no move"),
        ("flood", PLAIN, "output limit", "without"),
        ("leaves", PLAIN, "crash", "ended"),
        ("wrong", PLAIN, "illegal move", "z9"),
        ("strict", &complaining, "time forfeit", "it said \\\"Illegal move"),
        (
            "",
            "answer = 'I play (.)'\nsay = \"{move}\"\nfirst = \"go\"\nprompt = 'name\\?'\n",
            "time forfeit",
            "prompt",
        ),
    ];
    side_by_side(&cases, |&(modes, table, cause, words)| {
        let kind = if modes == "strict" { COLUMNS } else { CELLS };
        let (ended, reason) = kind.loses(modes, table, "--st 1 --startup 4 --isolation none");
        let words = words.replace('\\', "");
        assert!(ended == cause, "{modes}: {ended} {reason}");
        assert!(modes == "flood" || reason.contains(&words), "{modes}: {reason}");
    });
}

#[test]
fn a_program_that_leaves_behind_its_last_move_has_played_it() {
    // A board of one cell is full after one move.
    let kind = Kind { game: "mnk:1x1,1", ..CELLS };
    let arena = Arena::new();
    kind.add(&arena, "leaves", true, "answer = 'I play \\d()'\nsay = \"{move}\"\nfirst = \"go\"\n");
    fs::write(
        arena.path("engines/console/engine.toml"),
        fs::read_to_string(arena.path("engines/console/engine.toml"))
            .unwrap()
            .replace("coordinates = \"{cell}\"", "[console.coordinates]\na1 = \"\""),
    )
    .unwrap();
    let finished = kind.play(&arena, "--st 5 --isolation none");
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert_eq!(arena.games()[0].ending(), ("normal".to_owned(), None), "{}", arena.games()[0].reason());
    assert_eq!(arena.games()[0].moves_of("console"), 1);
}

#[test]
fn starts_that_a_program_cannot_be_told_are_refused_before_the_first_game() {
    let refused = |options: &str| {
        let arena = Arena::new();
        CELLS.add(&arena, "", true, PLAIN);
        fs::write(arena.path("positions"), "XO./.../...\n").unwrap();
        fs::write(arena.path("one-move"), "b2\n").unwrap();
        let finished = arena.play("console", "mover", &format!("--game mnk:3x3,3 {options}"));
        assert_eq!(arena.games().len(), 0);
        assert_eq!(finished.code, Some(2), "{finished:?}");
        finished.stderr
    };
    let position = refused("--openings positions");
    assert!(
        position.contains("engine.toml") && position.contains("write the openings as moves"),
        "{position}"
    );
    let own = refused("--openings one-move");
    assert!(own.contains("X,b2") && own.contains("own = "), "{own}");
    assert!(refused("--random-plies 3").contains("--random-plies 0"));
}

#[test]
fn slips_in_an_engine_toml_are_named_with_line_and_key() {
    let said = |more: &str| {
        let arena = Arena::new();
        arena.engine_with("console", &[program(), "cells"], more);
        let finished = arena.run(&mut arena.agon(&["check", "engines/console", "--game", "mnk:3x3,3"]));
        assert_eq!(finished.code, Some(2), "{finished:?}");
        finished.stderr
    };
    let regex = said("protocol = \"console\"\n[console]\nanswer = '(('\nsay = \"{move}\"\n");
    assert!(
        regex.contains("line 4") && regex.contains("answer = '(('") && regex.contains("quotes"),
        "{regex}"
    );
    let word = said("protocol = \"console\"\n[console]\nanswer = '(.)'\nsay = \"{mov}\"\n");
    assert!(word.contains("line 5") && word.contains("{mov} is unknown; write one of {column}"), "{word}");
    let lots =
        said("protocol = \"console\"\n[console]\nanswer = '(.)'\nsay = \"{move}\"\nbegins = 'I begin'\n");
    assert!(lots.contains("key begins says what") && lots.contains("add follows = 'text'"), "{lots}");
    let table = said("protocol = \"console\"\n");
    assert!(table.contains("key protocol: console needs a table"), "{table}");
    let lines = said("[console]\nanswer = '(.)'\nsay = \"{move}\"\n");
    assert!(lines.contains("key console") && lines.contains("protocol = \"console\""), "{lines}");
}

#[test]
#[ignore = "slow"]
fn check_explains_what_a_console_program_needs() {
    let checked = |modes: &str, pty: bool, table: &str| {
        let arena = Arena::new();
        CELLS.add(&arena, modes, pty, table);
        let words = ["check", "engines/console", "--game", "mnk:3x3,3", "--st", "0.5", "--startup", "1"];
        let finished = arena.run(&mut arena.agon(&words));
        (finished.code, finished.stdout)
    };
    let prompts = prompting(PLAIN);
    let other_prompt = format!("{PLAIN}prompt = 'Name: '\n");
    let cases = [
        ("undo", true, &*prompts, 0, ["loses nothing by that", "--random-plies 0"]),
        ("", false, PLAIN, 1, ["add pty = true", ""]),
        ("garbage", true, PLAIN, 1, ["beep boop", "key answer"]),
        ("wrong", true, PLAIN, 1, ["key coordinates", ""]),
        ("", true, &*other_prompt, 1, ["key prompt", ""]),
    ];
    side_by_side(&cases, |&(modes, pty, table, wanted, words)| {
        let (code, said) = checked(modes, pty, table);
        assert_eq!(code, Some(wanted), "{said}");
        assert!(words.iter().all(|words| said.contains(words)), "{said}");
    });
}

#[test]
fn what_a_console_program_is_told_is_shown() {
    let arena = Arena::new();
    CELLS.add(
        &arena,
        "asks",
        true,
        &prompting("answer = '(.)'\nsay = \"{move}\"\nfirst = \"2\"\nsecond = \"1\"\n"),
    );
    let shown = |side: &str| {
        let words = [
            "position",
            "show",
            "mnk:3x3,3",
            "--as-engine",
            "engines/console",
            "--side",
            side,
            "--moves",
            "b2 a1 c3",
        ];
        let finished = arena.run(&mut arena.agon(&words));
        assert_eq!(finished.code, Some(0), "{finished:?}");
        let lines = finished.stdout.lines().map(str::trim).filter(|line| line.starts_with(['<', '>']));
        lines.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(shown("X"), "> (its prompt) < 2 > 5 > (its prompt) < 7 > 3");
    assert_eq!(shown("O"), "> (its prompt) < 1 > (its prompt) < 5 > 7 > (its prompt) < 3");
}

#[test]
fn the_other_protocols_work_on_a_terminal_too() {
    let arena = Arena::new();
    let args = "args = [\"{game}\", \"{side}\", \"{seconds}\"]\npty = true\n";
    arena.engine_with("lines", &[MOVER], args);
    arena.engine_with("ugi", &[MOVER], "args = [\"{game}\", \"ugi\"]\nprotocol = \"ugi\"\npty = true\n");
    for level in ["none", "sandbox"] {
        let finished = arena.play("lines", "ugi", &format!("--game abalone --st 5 --isolation {level}"));
        assert_eq!(finished.code, Some(0), "{finished:?}");
        for game in arena.games() {
            assert_eq!(game.ending().1, None, "{}", game.reason());
        }
        fs::remove_dir_all(arena.path("out")).unwrap();
        fs::remove_file(arena.path("events")).unwrap();
    }
    arena.assert_nothing_left("on a terminal");
}

/// The folder of the document with the examples.
#[test]
fn the_examples_of_the_document_are_complete() {
    let document = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("engines/README.md");
    let text = fs::read_to_string(document).unwrap();
    let from = text.find("## Console programs").expect("the section is there");
    let examples: Vec<&str> = text[from..]
        .split("```toml\n")
        .skip(1)
        .filter_map(|rest| rest.split_once("```"))
        .map(|(example, _)| example)
        .filter(|example| example.contains("[console]"))
        .collect();
    assert_eq!(examples.len(), 3);
    for (example, kind) in examples.into_iter().zip([CUBE, COLUMNS, CELLS]) {
        assert!(example.lines().count() <= 10, "{example}");
        let arena = Arena::new();
        CELLS.add(&arena, "", true, PLAIN);
        let command = format!("command = [{:?}, {:?}]", program(), kind.places);
        let lines: Vec<&str> = example.lines().filter(|line| !line.starts_with("command")).collect();
        fs::write(arena.path("engines/console/engine.toml"), format!("{command}\n{}\n", lines.join("\n")))
            .unwrap();
        let finished = kind.play(&arena, "--st 5");
        assert_eq!(finished.code, Some(0), "{finished:?}");
        for game in arena.games() {
            assert_eq!(game.ending().1, None, "{}: {}", kind.game, game.reason());
        }
    }
}
