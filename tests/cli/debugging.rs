//! What an author uses to look into an engine: a match without a clock, and a game played on.

use super::home::Home;

/// An engine for mnk:3x3,3 that needs half a second for its first move.
const SLOW: &str = "
import sys, time
side = sys.argv[1]
cells = [sys.stdin.readline() for _ in range(4)] and [c + r for r in '123' for c in 'abc']
turn = side == sys.argv[2]
time.sleep(0.5)
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
