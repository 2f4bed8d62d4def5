//! The folder of the game of a referee program. The tests cover engines that are made for it, what
//! of it is the referee, and where the faults of the referee are told.

use super::hosted_authors::{TOML, tried, with};
use super::support::{is_thorough, not_tried};

#[test]
#[ignore = "slow"]
fn a_new_engine_for_the_game_of_a_referee_works_as_it_is() {
    let home = with(&[], &format!("prompt = \"your turn\"\n{TOML}"));
    let languages = [
        ("python", "python3"),
        ("c", "cc"),
        ("javascript", "node"),
        ("c++", "c++"),
        ("java", "javac"),
        ("rust", "rustc"),
        ("go", "go"),
    ];
    // The compilers of the last four cost more than all else here.
    for (language, program) in languages.into_iter().take(if is_thorough() { 7 } else { 3 }) {
        if home.shell(&format!("command -v {program}")).code != Some(0) {
            not_tried!("agon new ./sums {language}: {program} is not on this machine");
            continue;
        }
        let folder = format!("engines/my {}", language.replace('+', "p"));
        let made = home.agon(["new", "./sums:rounds=3", language, &folder]);
        assert!(made.code == Some(0) && !made.out().contains("not on this machine"), "{}", made.all());
        for step in made.out().lines().filter(|line| line.starts_with("  agon check")) {
            let said = home.shell(&format!("{step} --isolation limits --st 10"));
            assert_eq!(said.code, Some(0), "{language}: {}", said.all());
            assert_eq!(said.out().matches("nothing wrong was found").count(), 2, "{}", said.all());
        }
        assert!(home.read(&format!("{folder}/test.sh")).contains("--game ../../sums:rounds=3 \"$@\""));
    }
    let tested = home.shell("cd / && sh \"$OLDPWD/engines/my python/test.sh\" --isolation limits --st 10");
    assert!(tested.code == Some(0) && tested.out().contains("nothing wrong"), "{}", tested.all());
    let other = home.agon(["check", "engines/my python", "--game", "mill"]);
    assert!(
        other.code == Some(2) && other.err().contains("my python plays sums, not mill"),
        "{}",
        other.all()
    );
    let unnamed = home.agon(["check", "engines/my python"]);
    assert!(unnamed.code == Some(2) && unnamed.err().contains("--game ./sums"), "{}", unnamed.all());
    home.put("sums/game.toml", format!("prompt = \"\"\n{TOML}"));
    let refused = home.agon(["new", "./sums", "python", "none"]);
    assert!(refused.code == Some(2) && refused.err().contains("no starter for sums"), "{}", refused.all());
    assert!(!home.path("none").exists());
}

#[test]
fn the_faults_of_a_referee_are_told_where_they_can_be_mended() {
    let said = tried(&[("FAULT", r#"raise KeyError("no default")"#)], TOML);
    for words in ["stderr:   File \"", ", line ", "stderr: KeyError: 'no default'"] {
        assert!(said.out().contains(words), "{words}: {}", said.all());
    }
    // Without flush.
    let quick = format!("step = 0.5\n{TOML}");
    let said = tried(&[("flush=words[0] in (\"wait\", \"end\", \"ready\")", "flush=False")], &quick);
    assert!(said.out().contains("so they lay in a buffer: flush stdout"), "{}", said.all());
    assert!(said.out().contains("the first 3 games are void for the same reason"), "{}", said.all());
    assert!(said.out().contains("sums 1: 3 games in"), "{}", said.all());
    let said = tried(&[("HELLO", "raise OSError('no cards')")], TOML);
    assert!(said.code == Some(1) && said.out().contains("\nsums: 0 games in"), "{}", said.all());
    // The whole argument, quoted, and the seats.
    let home = with(&[("START", "1 / 0")], TOML);
    home.shell("mv sums 'my sums'");
    let said = home.agon([
        "match",
        "a",
        "b",
        "--game",
        "./my sums:rounds=3",
        "--seats",
        "2",
        "--games",
        "4",
        "--out",
        "the run",
    ]);
    let hint = said.err().lines().find_map(|line| line.strip_prefix("hint: ").map(str::to_owned)).unwrap();
    let command = hint.split(" tells more").next().unwrap();
    assert!(command.ends_with("/my sums:rounds=3' --seats 2"), "{hint}");
    let again = home.shell(&format!("{command} --games 3 --isolation limits"));
    assert!(again.code == Some(1) && again.out().contains("ZeroDivisionError"), "{}", again.all());
    let folder = hint.split("its stderr are in ").nth(1).unwrap().split(';').next().unwrap();
    assert!(home.shell(&format!("cat {folder}/stderr.txt")).out().contains("Traceback"), "{hint}");
}

#[test]
fn engines_and_texts_in_the_folder_of_a_game_are_no_part_of_its_referee() {
    let home = with(
        &[("START", "import os; say('note', *sorted(name for name in os.listdir('.') if name[0] != '.'))")],
        TOML,
    );
    home.shell("mkdir sums/cards && touch sums/cards/deck sums/book && cp -r a sums/engines");
    home.put("sums/README.md", "one");
    let play = "match a b --game ./sums --games 2 --seed 3 --out run --isolation";
    let said = home.agon([&play.split(' ').collect::<Vec<_>>()[..], &["limits"]].concat());
    assert_eq!(said.code, Some(0), "{}", said.all());
    home.put("sums/README.md", "two");
    home.put("sums/engines/main.py", "# another");
    home.put("sums/test.sh", "agon");
    let again = home.agon([&play.split(' ').collect::<Vec<_>>()[..], &["limits"]].concat());
    assert!(again.code == Some(0) && !again.all().contains("played again"), "{}", again.all());
    home.put("sums/book", "e4");
    let other = home.agon([&play.split(' ').collect::<Vec<_>>()[..], &["limits"]].concat());
    assert!(other.all().contains("all files of its folder count but engines/"), "{}", other.all());
    let boxed = home.agon([&play.split(' ').collect::<Vec<_>>()[..], &["sandbox", "--again"]].concat());
    if boxed.code == Some(3) {
        not_tried!("the level sandbox is not available on this machine");
        return;
    }
    assert!(boxed.all().contains("isolation has changed from limits to sandbox"), "{}", boxed.all());
    let shown = home.agon(["replay", "run", "r01-p0001-g01"]);
    assert!(shown.out().contains("book cards game.toml referee.py\n"), "{}", shown.all());
}

#[test]
fn what_games_of_more_than_two_seats_cannot_have_is_refused_with_what_helps() {
    let home = with(&[], TOML);
    home.shell("mkdir all && cp -r a all/a && cp -r a all/b && cp -r a all/c && cp -r a all/d");
    let cup = "engines = \"all\"\n[[stages]]\nformat = \"knockout\"\n";
    home.put("cup.toml", cup);
    for command in ["plan", "tournament"] {
        let said = home.agon([command, "cup.toml", "--game", "./sums", "--seats", "3"]);
        assert!(
            said.code == Some(2) && said.err().contains("matches of stages"),
            "{command}: {}",
            said.all()
        );
        assert!(said.out().is_empty(), "{}", said.all());
    }
    let two = home.agon("plan cup.toml --game ./sums --seats 2".split(' '));
    assert!(two.code == Some(0) && two.out().contains("4 pairings"), "{}", two.all());
    let few = home.agon("match a b --game ./sums --seats 3".split(' '));
    assert!(few.code == Some(2) && few.err().contains("give more engines, or fewer seats"), "{}", few.all());
    assert!(!few.err().contains("--tables"), "{}", few.all());
}

#[test]
fn a_game_without_a_reason_is_one_line() {
    let home = with(&[("for seat in sums:\n", "for seat in [1]:\n")], TOML);
    let said = home.agon("match a b --game ./sums:rounds=1 --games 2 -v".split(' '));
    assert!(said.out().contains("game 1: 1 a - 2 b: 1-0, 1 ply\n"), "{}", said.all());
}
