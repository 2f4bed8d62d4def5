//! `agon new`: an engine in each language for each game, made, built, checked and played.

use super::home::{Home, lossy, root};
use super::support::is_thorough;
use super::support::not_tried;

/// The games; the last of each kind has options.
const GAMES: [&str; 7] =
    ["mill", "mnk:5x4,3,first=O", "connect4", "abalone", "morris", "morris:nine,flying=no", "letters:4x4x3"];

/// Makes engines and checks them in whole games, unless a program is missing. In Python and in a
/// thorough test, it takes every game. Otherwise it takes one game that differs by language: a
/// compiler costs more than all else here.
fn each_game(language: &str, programs: &[&str]) {
    let home = Home::new();
    for program in programs {
        if home.shell(&format!("command -v {program}")).code != Some(0) {
            not_tried!("agon new GAME {language}: {program} is not on this machine");
            return;
        }
    }
    let first = language.len() % GAMES.len();
    for (at, game) in GAMES.into_iter().chain(["chess", "chess:960"]).enumerate() {
        if language != "python" && !is_thorough() && at != first && at < GAMES.len() {
            continue;
        }
        let folder = game.replace([':', ',', '='], "-");
        let made = home.agon(["new", game, language, &folder]);
        assert_eq!(made.code, Some(0), "{game} {language}: {}", made.all());
        assert!(!made.out().contains("not on this machine"), "{}", made.all());
        let moves = if language == "python" || is_thorough() { "60" } else { "20" };
        let checked = home.agon(["check", &folder, "--game", game, "--moves", moves, "--st", "10"]);
        assert_eq!(checked.code, Some(0), "{game} {language}: {}", checked.all());
        assert!(!checked.out().contains("note"), "{game} {language}: {}", checked.all());
    }
}

#[test]
fn starters_know_their_game_without_being_told() {
    let home = Home::new();
    for name in ["one", "two"] {
        assert_eq!(home.agon(["new", "connect4", "python", name]).code, Some(0));
    }
    let said = home.agon("match one two --games 2 --st 5 --seed 7".split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(said.out().starts_with("connect4, st=5") && !said.all().contains("crash"), "{}", said.all());
    let checked = home.agon(["check", "one", "--moves", "60", "--st", "5"]);
    assert!(checked.code == Some(0) && checked.out().contains(" in 3 games"), "{}", checked.all());
    let other = home.agon(["check", "one", "--game", "mill"]);
    assert!(other.code == Some(2) && other.err().contains("one plays connect4, not mill"), "{}", other.all());
    assert!(home.read("one/README.md").contains("Hand in the folder, or the source alone"));
}

#[test]
fn a_starter_in_python_plays_every_game() {
    each_game("python", &["python3"]);
}

#[test]
fn a_starter_in_c_plays_every_game() {
    each_game("c", &["cc"]);
}

#[test]
#[ignore = "slow"]
fn a_starter_in_cpp_plays_every_game() {
    each_game("c++", &["c++"]);
}

#[test]
#[ignore = "slow"]
fn a_starter_in_java_plays_every_game() {
    each_game("java", &["java", "javac"]);
}

#[test]
#[ignore = "slow"]
fn a_starter_in_javascript_plays_every_game() {
    each_game("javascript", &["node"]);
}

#[test]
#[ignore = "slow"]
fn a_starter_in_rust_plays_every_game() {
    each_game("rust", &["rustc"]);
}

#[test]
fn a_starter_in_go_plays_every_game() {
    each_game("go", &["go"]);
}

#[test]
fn a_starter_has_a_test_that_its_readme_names_and_nothing_of_other_games() {
    let home = Home::new();
    let made = home.agon(["new", "mill", "python"]);
    assert_eq!(made.code, Some(0), "{}", made.all());
    assert!(made.out().contains("agon check mill-python --game mill"), "{}", made.all());
    assert!(home.read("mill-python/README.md").contains("`sh test.sh`"));
    let tested = home.shell("cd / && sh \"$OLDPWD/mill-python/test.sh\" --seed 3");
    assert_eq!(tested.code, Some(0), "{}", tested.all());
    assert!(tested.out().contains(" in 3 games"), "{}", tested.all());
    let source = home.read("mill-python/main.py");
    assert!(!source.contains("#:") && !source.contains("@GAME@") && !source.contains("dictionary"));
    // Its test finds a fault that its author makes.
    home.put("mill-python/main.py", source.replace(r#""{x + 1}{y + 1}""#, r#""{x}{y + 1}""#));
    let broken = home.shell("sh mill-python/test.sh");
    assert_eq!(broken.code, Some(1), "{}", broken.all());
    assert!(broken.out().contains("WRONG"), "{}", broken.all());
}

#[test]
fn a_starter_for_a_game_with_options_plays_that_unless_another_is_named() {
    let home = Home::new();
    for name in ["one", "two"] {
        assert_eq!(home.agon(["new", "mnk:7x7,4", "python", name]).code, Some(0));
    }
    let said = home.agon("match one two --games 2 --st 5 --seed 7".split(' '));
    assert!(said.code == Some(0) && said.out().starts_with("mnk:7x7,4, st=5"), "{}", said.all());
    let checked = home.agon(["check", "one", "--st", "5"]);
    assert!(checked.code == Some(0) && checked.out().starts_with("mnk:7x7,4, st=5\n"), "{}", checked.all());
    let other = home.agon(["check", "one", "--game", "mnk:4x4,4", "--st", "5"]);
    assert!(other.code == Some(0) && other.out().starts_with("mnk:4x4,4, st=5\n"), "{}", other.all());
}

#[test]
#[ignore = "slow"]
fn starters_that_are_started_in_one_second_do_not_play_alike() {
    let home = Home::new();
    let languages = [("c", "cc"), ("python", "python3"), ("javascript", "node"), ("java", "javac")];
    // The runtimes of the other two take seconds to start.
    for (language, program) in languages.into_iter().take(if is_thorough() { 4 } else { 2 }) {
        if home.shell(&format!("command -v {program}")).code != Some(0) {
            not_tried!("agon new connect4 {language}: {program} is not on this machine");
            continue;
        }
        assert_eq!(home.agon(["new", "connect4", language, language]).code, Some(0));
        let games = home.agon([
            "match",
            language,
            language,
            "--games",
            "2",
            "--st",
            "5",
            "--random-plies",
            "0",
            "-v",
        ]);
        assert_eq!(games.code, Some(0), "{}", games.all());
        // The columns of each game, of which the first side's are drawn by two processes.
        let columns = |game: &str| -> Vec<String> {
            let said = games.out();
            let moves = said.lines().filter(|line| line.starts_with(game) && line.contains(" points, "));
            moves.map(|line| line.split_whitespace().nth(2).unwrap()[2..].to_owned()).collect()
        };
        assert_ne!(columns("1 "), columns("2 "), "{language}: {}", games.all());
    }
}

#[test]
fn a_folder_with_files_is_never_overwritten() {
    let home = Home::new();
    home.put("mine/notes.txt", "precious");
    home.put("file", "precious");
    let before = home.listing();
    for (place, why) in [("mine", "is a folder with files in it"), ("file", "is a file")] {
        let refused = home.agon(["new", "mill", "c", place]);
        assert_eq!(refused.code, Some(2), "{}", refused.all());
        let said = lossy(&refused.err);
        assert!(
            said.contains(why) && said.contains("nothing was written") && said.contains("hint:"),
            "{said}"
        );
    }
    assert_eq!(home.listing(), before);
    let wrong = home.agon(["new", "shogi", "c"]);
    assert!(wrong.code == Some(2) && wrong.err().contains("no game \"shogi\""), "{}", wrong.all());
    assert!(home.agon(["new", "mill", "cobol"]).err().contains("python, c, c++, java, javascript, rust, go"));
    assert_eq!(home.listing(), before);
    // An empty one is filled.
    std::fs::create_dir(home.path("empty")).unwrap();
    assert_eq!(home.agon(["new", "mill", "js", "empty"]).code, Some(0));
    assert!(root().join("starters/main.js").exists() && home.path("empty/main.js").exists());
}
