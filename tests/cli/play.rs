//! A person against an engine, in a pipe and in a real terminal.

use crate::support::{GREEDY, MOVER, RANDOM};
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

const AGON: &str = env!("CARGO_BIN_EXE_agon");
const BOARD: [&str; 5] = ["--game", "letters:4x4x2", "--seed", "7", "--st=2"];

/// The output for this input.
fn typed(options: &[&str], text: &str) -> Output {
    against(GREEDY, options, text)
}

/// The same against another engine.
fn against(engine: &str, options: &[&str], text: &str) -> Output {
    let mut agon = Command::new(AGON)
        .args(["play", engine])
        .args(options)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    agon.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    agon.wait_with_output().unwrap()
}

fn shown(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The engine's moves.
fn plays(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| line.split_once(" plays ").map(|(_, mv)| mv)).collect()
}

#[test]
fn a_slip_is_explained_and_costs_nothing() {
    let output = typed(&BOARD, "1,1,1,9,9,9,zebra\nwhat\n\nmoves\nP\nquit\n");
    let text = shown(&output);
    assert!(output.status.success());
    assert_eq!(text.matches("try again").count(), 2, "{text}");
    assert_eq!(plays(&text).len(), 1, "{text}");
    let first = text.lines().find(|line| line.contains("> P")).expect("the legal moves begin with the pass");
    assert!(first.split("  ").count() > 3, "{first}");
}

#[test]
fn undo_takes_back_to_the_persons_last_move_and_the_engine_plays_the_same_again() {
    let output = typed(&BOARD, "undo\nP\nundo\nP\nundo\nundo\nP\nquit\n");
    let text = shown(&output);
    assert!(text.contains("there is no move of yours to take back"), "{text}");
    let moves = plays(&text);
    assert_eq!(moves.len(), 3, "{text}");
    assert!(moves.iter().all(|mv| *mv == moves[0]), "{moves:?}");
    // Earlier moves are played again unchanged.
    let far = shown(&typed(&BOARD, "P\nP\nundo\nP\nquit\n"));
    let moves = plays(&far);
    assert_eq!((moves[0], moves[1]), (plays(&text)[0], moves[2]), "{far}");
}

#[test]
fn either_side_and_any_position_can_be_played() {
    let black = shown(&typed(&[&BOARD[..], &["--side", "b"]].concat(), "P\nquit\n"));
    assert_eq!(plays(&black).len(), 2, "{black}");
    let wrong = typed(&["--side", "X"], "");
    assert_eq!(wrong.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("W and B"));
    let place = ["--game", "letters:3x3x1", "--position", "3x3x1 tea/eat/ate b 5 6 0", "--side", "B"];
    let text = shown(&typed(&place, "moves\n1,1,1,1,3,1,tea\nquit\n"));
    assert!(text.contains("1,1,1,1,3,1,eat"), "{text}");
    let nonsense = typed(&["--position", "no such thing"], "");
    assert_eq!(nonsense.status.code(), Some(2));
}

#[test]
fn an_engine_that_crashes_is_shown_with_its_last_words() {
    let home = tempfile::tempdir().unwrap();
    let engine = home.path().join("engine");
    std::fs::write(&engine, "#!/bin/sh\necho 'letters only, please' >&2\nexit 3\n").unwrap();
    std::fs::set_permissions(&engine, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let text = shown(&against(engine.to_str().unwrap(), &["--game", "connect4", "--side", "O"], "quit\n"));
    assert!(text.contains("engine has lost by crash: "), "{text}");
    assert!(text.contains("engine wrote to stderr:\n  letters only, please\n"), "{text}");
    // An engine that plays another game by its engine.toml is refused before the first move.
    let other = home.path().join("other");
    std::fs::create_dir(&other).unwrap();
    std::fs::write(other.join("engine.toml"), format!("command = [{GREEDY:?}]\ngames = [\"letters\"]\n"))
        .unwrap();
    let refused = against(other.to_str().unwrap(), &["--game", "connect4"], "quit\n");
    assert_eq!(refused.status.code(), Some(2));
    let why = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(why.contains("other plays letters, not connect4"), "{why}");
}

#[test]
fn a_key_in_a_real_terminal_ends_it_and_leaves_nobody_behind() {
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/scripted/terminal.py");
    let play = |keys: &[&str]| {
        let mut terminal = Command::new("python3");
        terminal.arg(&script).args(keys).args(["--", AGON, "play", GREEDY]).args(BOARD);
        terminal.output().unwrap()
    };
    let quit = play(&["W> ", "P", "W> ", "help", "takes back", "quit"]);
    assert_eq!(quit.status.code(), Some(0), "{}", shown(&quit));
    let key = play(&["W> ", "P", "W> ", "^C"]);
    assert_eq!(key.status.code(), Some(130), "{}", shown(&key));
    // The line editor is not waited for.
    let ended = play(&["W> ", "SIGTERM"]);
    assert_eq!(ended.status.code(), Some(130), "{}", shown(&ended));
}

#[test]
fn a_recorded_game_is_taken_up_at_any_ply() {
    let home = tempfile::tempdir().unwrap();
    let random = RANDOM;
    let played = Command::new(AGON)
        .args(["match", random, GREEDY, "--games", "2", "--out", "run", "--quiet"])
        .args(BOARD)
        .current_dir(home.path())
        .output()
        .unwrap();
    assert!(played.status.success(), "{}", String::from_utf8_lossy(&played.stderr));
    let record = home.path().join("run/games/r01.txt");
    let record = record.to_str().unwrap();
    let several = typed(&["--record", record], "");
    let why = String::from_utf8_lossy(&several.stderr).into_owned();
    assert_eq!(several.status.code(), Some(2), "{why}");
    assert!(why.contains("it has 2 games") && why.contains("r01-p0001-g0"), "{why}");
    let first = ["--id", "r01-p0001-g01", "--record", record];
    let typed = |more: &[&str], text: &str| typed(&[&first, more].concat(), text);
    // The greedy engine plays its moves again; the random engine's seat is ours now.
    let text = shown(&typed(&["--ply", "2"], "P\nquit\n"));
    let drawn = text.lines().take(8).collect::<String>();
    assert!(drawn.contains('_'), "letters are gone already: {text}");
    assert_eq!(plays(&text).len(), 1, "{text}");
    // With a different side from the record's, the game starts in the position itself.
    let as_black = shown(&typed(&["--ply", "2", "--side", "B"], "quit\n"));
    assert_eq!(plays(&as_black).len(), 1, "{as_black}");
    let over = typed(&[], "");
    assert_eq!(over.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&over.stderr).contains("--ply"));
}

#[test]
fn a_word_is_enough_in_capitals_too_and_several_places_are_asked_for() {
    let cube = |rows: &str| format!("3x3x1 {rows} b 5 6 0");
    let play = |rows: &str, text: &str| {
        let position = cube(rows);
        shown(&typed(&["--game", "letters:3x3x1", "--position", &position, "--side", "B", "--st", "5"], text))
    };
    // One place: it is played, also as a word that is not the one listed.
    for word in ["CAT", "act"] {
        let text = play("cat/zzz/eat", &format!("{word}\nquit\n"));
        assert!(!text.contains("try again") && plays(&text) == ["W,3,1,1,3,3,1,ate"], "{text}");
    }
    // Several: the person chooses one by its number.
    let text = play("tea/eat/ate", "Tea\n9\nTEA\n2\nquit\n");
    assert!(text.contains("tea can be taken in 6 places; type the number of one:\n  1: B,"), "{text}");
    assert!(text.contains("try again") && plays(&text).len() == 1, "{text}");
    let nowhere = play("cat/zzz/eat", "zebra\nquit\n");
    assert!(nowhere.contains("try again") && plays(&nowhere).is_empty(), "{nowhere}");
}

#[test]
fn hints_have_points_and_the_prompt_has_no_clock_without_a_clock() {
    let position = ["--game", "letters:3x3x1", "--position", "3x3x1 cat/zzz/zzz b 5 6 0", "--side", "B"];
    let text = shown(&typed(&position, "moves\nquit\n"));
    assert!(text.contains("B> P  1,1,1,1,3,1,") && text.contains(" (5)\n"), "{text}");
    assert!(!text.contains("s a move"), "{text}");
    let clock = shown(&typed(&[&position[..], &["--tc", "60"]].concat(), "quit\n"));
    assert!(clock.contains("[you ") && clock.contains(" s, agon-greedy 60 s] B> "), "{clock}");
}

#[test]
fn an_engines_fault_and_its_resignation_can_be_taken_back() {
    let home = tempfile::tempdir().unwrap();
    for (answer, words) in
        [("O,z9", "and that loses"), ("O,R", "resigns: you won"), ("", "has lost by crash")]
    {
        let program = format!(
            "import sys\nfor _ in range(5): sys.stdin.readline()\nprint('{answer}') if '{answer}' else 0\n"
        );
        std::fs::write(home.path().join("mine.py"), program).unwrap();
        let settings = "command = [\"python3\", \"{folder}/mine.py\"]\n";
        std::fs::write(home.path().join("engine.toml"), settings).unwrap();
        let engine = home.path().to_str().unwrap();
        let text = shown(&against(engine, &["--game", "mnk"], "b2\nundo\na1\nquit\n"));
        assert_eq!(text.matches(words).count(), 2, "{text}");
        assert_eq!(text.matches("type undo to take back").count(), 2, "{text}");
        // The move is taken back, and another one is made.
        let last = text.split("> ").nth(2).expect("another prompt");
        assert!(last.contains(" 1 . . .\n") || text.contains(" 1 X . ."), "{text}");
    }
}

#[test]
#[ignore = "slow"]
fn a_terminal_has_a_line_editor_with_history_and_marks_the_last_move() {
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/scripted/terminal.py");
    let mut terminal = Command::new("python3");
    // Left twice and a correction; the key Up brings the line before back.
    terminal.arg(&script).args([
        "X> ",
        "help",
        "a move",
        "\u{1b}[A",
        "a move",
        "a9\u{1b}[D\u{1b}[D\u{1b}[C\u{1b}[3~1",
    ]);
    terminal.args(["plays", "quit", "--", AGON, "play", MOVER]);
    terminal.args(["--game", "mnk", "--st", "5"]).env("TERM", "xterm").env_remove("NO_COLOR");
    let output = terminal.output().unwrap();
    let text = shown(&output);
    assert!(text.matches("agon rules tells").count() == 2, "{text}");
    assert!(text.contains("\u{1b}[1;36;7mX"), "the last move is marked: {text}");
}
