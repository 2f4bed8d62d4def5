//! `agon new`: an engine in each language for each game, made, built, checked and played.

use super::home::{Home, lossy, root};
use super::support::is_thorough;

/// The games; the last of each kind has options.
const GAMES: [&str; 7] =
    ["mill", "mnk:5x4,3,first=O", "connect4", "abalone", "morris", "morris:nine,flying=no", "letters:4x4x3"];

/// Makes engines and checks them in whole games, unless a program is missing: for every game in
/// Python and in a thorough test, otherwise for two games that differ by language.
fn each_game(language: &str, programs: &[&str]) {
    let home = Home::new();
    for program in programs {
        if home.shell(&format!("command -v {program}")).code != Some(0) {
            println!("NOT TRIED: agon new GAME {language}: {program} is not on this machine");
            return;
        }
    }
    let first = language.len() % GAMES.len();
    for (at, game) in GAMES.into_iter().enumerate() {
        if language != "python" && !is_thorough() && at != first && at != (first + 3) % GAMES.len() {
            continue;
        }
        let folder = game.replace([':', ',', '='], "-");
        let made = home.agon(["new", game, language, &folder]);
        assert_eq!(made.code, Some(0), "{game} {language}: {}", made.all());
        assert!(!made.out().contains("not on this machine"), "{}", made.all());
        let checked = home.agon(["check", &folder, "--game", game, "--moves", "60", "--st", "10"]);
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
    assert!(checked.code == Some(0) && checked.out().contains("to the end of the game"), "{}", checked.all());
    let other = home.agon(["check", "one", "--game", "mill"]);
    assert!(other.code == Some(2) && other.err().contains("one plays connect4, not mill"), "{}", other.all());
    assert!(home.read("one/README.md").contains("Hand in the folder with its `engine.toml`"));
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
fn a_starter_in_cpp_plays_every_game() {
    each_game("c++", &["c++"]);
}

#[test]
fn a_starter_in_java_plays_every_game() {
    each_game("java", &["java", "javac"]);
}

#[test]
fn a_starter_in_javascript_plays_every_game() {
    each_game("javascript", &["node"]);
}

#[test]
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
    assert!(tested.out().contains("to the end of the game"), "{}", tested.all());
    let source = home.read("mill-python/main.py");
    assert!(!source.contains("#:") && !source.contains("@GAME@") && !source.contains("dictionary"));
    // Its test finds a fault that its author makes.
    home.put("mill-python/main.py", source.replace(r#""{x + 1}{y + 1}""#, r#""{x}{y + 1}""#));
    let broken = home.shell("sh mill-python/test.sh");
    assert_eq!(broken.code, Some(1), "{}", broken.all());
    assert!(broken.out().contains("WRONG"), "{}", broken.all());
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
    let wrong = home.agon(["new", "chess", "c"]);
    assert!(wrong.code == Some(2) && wrong.err().contains("no game \"chess\""), "{}", wrong.all());
    assert!(home.agon(["new", "mill", "cobol"]).err().contains("python, c, c++, java, javascript, rust, go"));
    assert_eq!(home.listing(), before);
    // An empty one is filled.
    std::fs::create_dir(home.path("empty")).unwrap();
    assert_eq!(home.agon(["new", "mill", "js", "empty"]).code, Some(0));
    assert!(root().join("starters/main.js").exists() && home.path("empty/main.js").exists());
}
