//! What an author uses to look into an engine: a match without a clock, and a game played on.

use super::home::Home;
use super::support::not_tried;

/// An engine for mnk:3x3,3 that needs a second for its first move.
const SLOW: &str = "
import sys, time
side = sys.argv[1]
cells = [sys.stdin.readline() for _ in range(4)] and [c + r for r in '123' for c in 'abc']
turn = side == sys.argv[2]
time.sleep(1)
while cells:
    if turn:
        print(side + ',' + cells.pop(0), flush=True)
    else:
        line = sys.stdin.readline().strip()
        if not line: break
        cells.remove(line[2:])
    turn = not turn
";

fn home() -> Home {
    let home = Home::new();
    home.put("slow/slow.py", SLOW);
    home.put(
        "slow/engine.toml",
        "command = [\"python3\", \"{folder}/slow.py\"]\nargs = [\"{side}\", \"{to_move}\"]\n",
    );
    let args = "[\"{game}\", \"{side}\", \"{control}\", \"{position}\"]";
    home.put("mover/engine.toml", format!("command = [\"agon-mover\"]\nargs = {args}\n"));
    home
}

#[test]
#[ignore = "slow"]
fn without_a_clock_nobody_loses_on_time_and_the_record_says_so() {
    let home = home();
    let play =
        |more: &str| home.agon(format!("match slow mover --game mnk --games 2 --st 0.1 {more}").split(' '));
    let clock = play("--margin 0.05");
    // On a busy machine the game may be void.
    assert!(
        ["time forfeit by slow", "the time ran out"].iter().any(|why| clock.all().contains(why)),
        "{}",
        clock.all()
    );
    let free = play("--no-clock --out run");
    assert_eq!(free.code, Some(0), "{}", free.all());
    assert!(free.out().contains("no clock") && !free.out().contains("forfeit by"), "{}", free.all());
    assert!(home.read("run/games/r01.txt").contains("[TimeControl \"st=0.1 margin=604800\"]"));
    assert_eq!(home.agon(["verify", "run"]).code, Some(0));
    assert_eq!(play("--no-clock --margin 1").code, Some(2));
}

#[test]
fn a_core_is_written_where_its_author_wants_it_and_counts_as_no_change() {
    let pattern = std::fs::read_to_string("/proc/sys/kernel/core_pattern").unwrap_or_default();
    let home = Home::new();
    if pattern.trim() != "core" || home.shell("ulimit -c 100000").code != Some(0) {
        not_tried!("a core of a crash: the system writes none into the working directory");
        return;
    }
    let engine = |name: &str, answer: &str| {
        let answers = format!("uci) echo uciok ;;\nisready) echo readyok ;;\ngo*) {answer} ;;");
        home.put_program(
            name,
            format!("#!/bin/sh\nwhile read -r line; do case $line in\n{answers}\nesac; done\n"),
        );
    };
    engine("mine/run", "kill -ABRT $$");
    home.put("mine/engine.toml", "protocol = \"uci\"\ndirectory = \"folder\"\nlearns = [\"core\"]\n");
    engine("other", "echo bestmove f2f3");
    let agon = env!("CARGO_BIN_EXE_agon");
    let play = |level: &str| {
        let words = "match ./mine ./other --game chess --tc 60 --games 2";
        let said = home.shell(&format!("ulimit -c 100000; {agon} {words} --isolation {level} --out {level}"));
        assert!(said.code == Some(0) && said.out().contains("crash by mine"), "{}", said.all());
        home.path("mine/core").exists()
    };
    assert!(!play("limits"), "this level allows no core");
    assert!(play("none"), "the limit of the shell is not kept");
}

#[test]
fn a_recorded_game_is_played_on_from_a_ply_by_engines() {
    let home = home();
    let played = home.agon("match mover mover --game mnk --games 2 --out run --quiet".split(' '));
    assert_eq!(played.code, Some(0), "{}", played.all());
    let on = |words: &str| home.agon(format!("replay run r01-p0001-g01 {words}").split(' '));
    // The same engine in the same position plays the same game to its end.
    let record = home.read("run/games/r01.txt");
    let said = on("--from 3 --engine mover");
    assert_eq!(said.code, Some(0), "{}", said.all());
    let moves: Vec<String> = said
        .out()
        .lines()
        .filter(|line| line.contains(" points, "))
        .map(|line| line.split_whitespace().nth(2).unwrap()[2..].to_owned())
        .collect();
    assert!(said.out().lines().nth(1).unwrap().contains(" 4. ") && moves.len() >= 2, "{}", said.all());
    assert!(moves.iter().all(|mv| record.contains(mv.as_str())), "{moves:?} {record}");
    let two = on("--from 1 --engine slow --engine mover --st 3");
    assert!(two.code == Some(0) && two.out().contains("X slow - O mover"), "{}", two.all());
    for (words, why) in [
        ("--from 99 --engine mover", "give at most that"),
        ("--from 3", "--engine"),
        ("--from 3 --engine mover --engine mover --engine mover", "more than twice"),
    ] {
        let refused = on(words);
        assert!(refused.code == Some(2) && refused.err().contains(why), "{words}: {}", refused.all());
    }
}

#[test]
#[ignore = "slow"]
fn a_match_without_a_clock_says_for_whom_it_waits() {
    let home = home();
    let said = home.agon("match slow mover --game mnk --games 2 --no-clock --report-every 0.1".split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    let waits = |text: &str| {
        text.starts_with("game 1: waiting for slow (X) at ply 1 for ") && text.contains("s; its pid is ")
    };
    assert!(said.err().lines().any(waits), "{}", said.all());
    let said = home.agon("match slow mover --game mnk --games 2 --report-every 0.1 --st 5".split(' '));
    assert!(said.code == Some(0) && !said.err().contains("waiting for"), "{}", said.all());
}

#[test]
fn a_loss_names_the_commands_that_play_the_game_again_and_on() {
    let home = home();
    home.put(
        "bad/bad.py",
        "import sys\nfor _ in range(4): sys.stdin.readline()\n\
         while True:\n    print(sys.argv[1] + ',b2', flush=True)\n    if not sys.stdin.readline(): break\n",
    );
    home.put(
        "bad/engine.toml",
        "command = [\"python3\", \"{folder}/bad.py\"]\nargs = [\"{side}\", \"{to_move}\"]\n",
    );
    let words = "match bad mover --game mnk --games 2 --st 3 --seed 1 --random-plies 0 --out run --quiet";
    let played = home.agon(words.split(' '));
    assert_eq!(played.code, Some(0), "{}", played.all());
    let why = home.agon(["why", "run", "bad"]).out();
    assert_eq!(home.agon(["why", "run"]).out(), why, "no other engine lost by a fault");
    assert_eq!(home.agon(["why", "run", "--json"]).out(), home.agon(["why", "run", "bad", "--json"]).out());
    assert!(why.contains("its last lines, with the time since the game began; < told"), "{why}");
    assert!(why.contains("agon itself woke late; no time of the engine"), "{why}");
    let after = |words: &str| -> Vec<String> {
        why.lines().filter_map(|line| line.strip_prefix(words)).map(str::to_owned).collect()
    };
    let (on, again) = (after("to play on from there: "), after("to play it again from its start: "));
    assert_eq!((on.len(), again.len()), (2, 2), "{why}");
    assert!(
        on[0].starts_with("agon replay run r01-p0001-g01 --from 2 --engine ") && on[0].ends_with(" --st 3")
    );
    let mended = home.shell(&on[0].replace("/bad ", "/mover "));
    assert!(mended.code == Some(0) && mended.out().contains("from ply 2: "), "{}", mended.all());
    // Game 1 of the script is the lost one, here with the second seat.
    assert!(again[1].contains("r01-p0001-g02-O/again.sh"), "{again:?}");
    let script = home.read(again[1].strip_prefix("sh ").unwrap());
    assert!(
        script.contains("Game 1 is this game") && script.contains("agon replay ../.. r01-p0001-g02 --from ")
    );
    let twice = home.shell(&again[1]);
    let rows = twice.out();
    let row =
        rows.lines().find(|row| row.starts_with("game 1: X mover@")).unwrap_or_else(|| panic!("{rows}"));
    assert!(row.contains(" - O bad@") && row.contains(": 1-0"), "{row}");
}
