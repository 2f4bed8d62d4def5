//! Values of solved games on the command line: `agon value` and `agon solve`.

use std::fs;

use serde_json::Value;

use super::home::{Home, Said};

/// Runs a command with a cache of its own.
fn run(home: &Home, line: &str) -> Said {
    home.shell(&format!("XDG_CACHE_HOME=$PWD/cache agon {line}"))
}

#[test]
fn a_position_has_its_value_and_every_move_too() {
    let home = Home::new();
    for (line, words) in [
        ("value mnk:3x3,3", "X to move: drawn\n"),
        ("value mnk:4x3,3", "X to move: won in 7\n"),
        ("value mnk:3x3,3 --moves 'a1 b2 a2'", "O to move: drawn\n"),
        ("value mnk:3x3,3 --moves 'a1 b2 a2 a3 c1'", "O to move: drawn\n"),
        ("value mnk:3x3,3 --moves 'a1 b1 a2 b2 a3'", "the game is over: lost in 0\n"),
        ("value connect4", "X to move: won\n"),
    ] {
        let said = run(&home, line);
        assert!(said.code == Some(0) && said.out().starts_with(words), "{line}: {}", said.all());
    }
    let said = run(&home, "value mnk:3x3,3 --moves 'a1 c3 c1' --json");
    let json: Value = serde_json::from_str(&said.out()).unwrap();
    assert_eq!((&json["value"], &json["to_move"]), (&"lost".into(), &"O".into()), "{json}");
    let moves = json["moves"].as_array().unwrap();
    assert_eq!(moves.len(), 6, "{json}");
    // Each reply loses; b1 stops the row and so lasts longest, as far as there is a longest.
    assert!(moves.iter().all(|one| one["value"] == "lost"), "{json}");
    assert_eq!(moves[0]["remoteness"], json["remoteness"], "the best move comes first: {json}");
}

#[test]
fn a_table_is_made_once_and_made_again_when_it_is_damaged() {
    let home = Home::new();
    let solved = run(&home, "solve morris --verify");
    assert_eq!(solved.code, Some(0), "{}", solved.all());
    assert!(solved.out().contains("every position agrees with its successors"), "{}", solved.all());
    assert!(run(&home, "value morris").out().starts_with("X to move: drawn\n"));
    let files: Vec<_> =
        fs::read_dir(home.path("cache/agon")).unwrap().map(|file| file.unwrap().path()).collect();
    assert_eq!(files.len(), 1, "{files:?}");
    let whole = fs::read(&files[0]).unwrap();
    let mut damaged = whole.clone();
    let middle = damaged.len() / 2;
    damaged.truncate(middle);
    fs::write(&files[0], &damaged).unwrap();
    let again = run(&home, "value morris");
    assert!(again.code == Some(0) && again.out().starts_with("X to move: drawn\n"), "{}", again.all());
    assert_eq!(again.err().matches("warning: ").count(), 1, "{}", again.all());
    assert_eq!(fs::read(&files[0]).unwrap(), whole);
    // Where nothing can be written, it is solved in memory.
    fs::remove_file(&files[0]).unwrap();
    home.put("nowhere", "");
    let said = home.shell("XDG_CACHE_HOME=$PWD/nowhere agon value morris");
    assert!(said.code == Some(0) && said.err().contains("kept in memory alone"), "{}", said.all());
}

#[test]
fn what_has_no_value_is_named() {
    let home = Home::new();
    for (line, words) in [
        ("value abalone", "nothing of abalone is solved"),
        ("solve mill", "mill has no table"),
        ("value mnk:3x3,3 --position nonsense", "--position: row 1, cell 1 is 'n'"),
        ("value mnk:3x3,3 --moves 'b2 b2'", "--moves: move 2, \"b2\": b2 is taken"),
        ("solve morris --threads 0", "--threads: 0 threads solve nothing"),
    ] {
        let said = run(&home, line);
        assert!(said.code == Some(2) && said.err().contains(words), "{line}: {}", said.all());
    }
    let unknown = run(&home, "value mill");
    assert!(unknown.code == Some(0) && unknown.out().contains("unknown: "), "{}", unknown.all());
}
