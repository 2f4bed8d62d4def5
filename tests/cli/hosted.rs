//! Games of referee programs: questions, answers, faults, secrets, and referees that go wrong.

use serde_json::Value;

use super::home::{Home, Said};
use super::support::not_tried;

/// What each referee here begins with: lines out, questions, and the handshake.
const REFEREE: &str = r#"import os, sys

def out(line):
    sys.stdout.write(line + "\n")
    sys.stdout.flush()

asked = []

def ask(seat, how=""):
    asked.append(seat)
    out(f"ask {seat} {how}".strip())

def wait(lines=None):
    out("wait")
    count = lines or len(asked)
    asked.clear()
    return [sys.stdin.readline().rstrip("\n") for _ in range(count)]

for line in sys.stdin:
    words = line.split()
    if words[0] == "seats":
        seats = int(words[1])
    elif words[0] == "clock":
        out("referee 1 test 0.1")
        out("ready")
    elif words[0] == "seed":
        seed = int(words[1])
    elif words[0] == "start":
        play()
    elif words[0] == "quit":
        break
"#;

/// An engine that writes each line it reads to its stderr, and runs `answer` when it is asked.
pub(super) fn engine(home: &Home, name: &str, answer: &str) {
    let answer = answer.replace('\n', "\n        ");
    let program = format!(
        "#!/usr/bin/env -S python3 -S\nimport os, sys, time\nturn = 0\nfor line in sys.stdin:\n    \
         sys.stderr.write(line)\n    if line == '?\\n':\n        turn += 1\n        {answer}\n        \
         sys.stdout.flush()\n"
    );
    home.put_program(format!("engines/{name}"), program);
}

/// A game whose referee runs `play`, with these keys in its `game.toml`.
pub(super) fn game(home: &Home, keys: &str, play: &str) {
    let play = play.replace('\n', "\n    ");
    let at = REFEREE.find("for line in").unwrap();
    let (helpers, talk) = REFEREE.split_at(at);
    home.put("game/referee.py", format!("{helpers}def play():\n    {play}\n\n{talk}"));
    home.put(
        "game/game.toml",
        format!(
            "name = \"test\"\ncommand = [\"python3\", \"-S\", \"referee.py\"]\ntime = \"st=5\"\n{keys}\n"
        ),
    );
}

pub(super) fn play(home: &Home, engines: &[&str], options: &[&str]) -> Said {
    let engines: Vec<String> = engines.iter().map(|name| format!("engines/{name}")).collect();
    let mut words = vec!["match"];
    words.extend(engines.iter().map(String::as_str));
    words.extend(["--game", "./game", "--out", "run", "--seed", "7"]);
    words.extend(options);
    home.agon(words)
}

/// The stored games in the order of the plan, as JSON.
pub(super) fn records(home: &Home) -> Vec<Value> {
    let said = home.agon(["export", "json", "run"]);
    said.out().lines().map(|line| serde_json::from_str::<Value>(line).unwrap()).collect()
}

/// The lines between agon and the referee in the first game.
pub(super) fn lines(home: &Home) -> Vec<String> {
    let first = &records(home)[0];
    let lines = first["referee"]["lines"].as_array().unwrap_or_else(|| panic!("{first}"));
    lines.iter().map(|line| line.as_str().unwrap().to_owned()).collect()
}

#[track_caller]
pub(super) fn assert_in_order(lines: &[String], wanted: &[&str]) {
    let mut rest = lines.iter();
    for want in wanted {
        assert!(rest.any(|line| line.starts_with(want)), "{want} is not in its place in {lines:#?}");
    }
}

#[test]
fn seats_that_are_asked_together_answer_without_knowing_each_other() {
    let home = Home::new();
    engine(&home, "slow", "time.sleep(0.2); print('slow answer')");
    engine(&home, "fast", "print('fast answer')");
    game(
        &home,
        "",
        "for s in (2, 1): out(f'tell {s} view {s}')\nask(2); ask(1)\na = wait()\nout('tell all ' + ' | '.join(a))\n\
         out('end 1 0 : done')",
    );
    let said = play(&home, &["slow", "fast"], &["--games", "2"]);
    assert_eq!(said.code, Some(0), "{}", said.all());
    let lines = lines(&home);
    assert_in_order(
        &lines,
        &["<ask 2", "<ask 1", "<wait", ">answer 1 slow answer", ">answer 2 fast answer", "<end 1 0"],
    );
    let log = home.read("run/logs/r01-p0001-g01-2.txt");
    assert_eq!(log, "view 2\n?\nanswer 1 slow answer | answer 2 fast answer\n");
}

#[test]
fn a_late_line_is_no_answer_to_the_next_question() {
    let home = Home::new();
    engine(&home, "late", "time.sleep(2 if turn == 1 else 0)\nprint('answer', turn)");
    engine(&home, "other", "print('x')");
    game(&home, "", "ask(1)\na = wait()[0]\nask(1)\nb = wait()[0]\nout('end 1 1 : ' + b)");
    let said = play(&home, &["late", "other"], &["--games", "2", "--time", "late=st=1"]);
    assert_eq!(said.code, Some(0), "{}", said.all());
    let lines = lines(&home);
    assert_in_order(
        &lines,
        &["<wait", ">fault 1 late no answer within 1.02 s", "<ask 1", ">answer 1 answer 2", "<end"],
    );
    let first = &records(&home)[0];
    assert_eq!(first["verdict"]["decided"]["termination"], "normal", "{first}");
}

#[test]
fn a_seat_that_is_late_in_the_last_step_loses_on_time() {
    let home = Home::new();
    home.put_program("engines/late", "#!/bin/sh\nread line\nsleep 60\n");
    engine(&home, "other", "print('x')");
    let end = "out('end 0 1' if a.startswith('fault 1 late') else 'end 1 0')";
    game(&home, "", &format!("ask(1)\na = wait()[0]\n{end}"));
    let said = play(&home, &["late", "other"], &["--games", "2", "--st", "1"]);
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(said.out().contains("time forfeit by late"), "{}", said.all());
}

#[test]
fn a_process_that_has_ended_gets_the_same_fault_again() {
    let home = Home::new();
    engine(&home, "dead", "sys.stderr.write('out of cards\\n')\nsys.exit(3)");
    engine(&home, "other", "print('x')");
    game(&home, "", "ask(1)\na = wait()[0]\nask(1); ask(2)\nb, c = wait()\nout('end 0 1 : ' + str(a == b))");
    let said = play(&home, &["dead", "other"], &["--games", "2"]);
    assert_eq!(said.code, Some(0), "{}", said.all());
    let lines = lines(&home);
    assert_in_order(&lines, &[">fault 1 crash", ">fault 1 crash", ">answer 2 x", "<end 0 1 : True"]);
    assert!(said.out().contains("crash by dead"), "{}", said.all());
    assert!(said.out().contains("out of cards"), "{}", said.all());
}

#[test]
fn answers_have_as_many_lines_as_were_asked_for_and_a_time_may_be_shortened() {
    let home = Home::new();
    engine(
        &home,
        "lines",
        "print('a 1\\nb  2' if turn == 1 else 'x\\ny\\ngo' if turn == 2 else '')\nif turn == 3: time.sleep(9)",
    );
    game(
        &home,
        "",
        "ask(1, 'lines 2')\na = wait(2)\nask(1, 'until go')\nb = wait(3)\nask(1, '100 lines 2')\nc = wait()\n\
         out('end 1 0 : ' + repr(a + b + c))",
    );
    let said = play(&home, &["lines", "lines"], &["--games", "2"]);
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert_in_order(
        &lines(&home),
        &[
            ">answer 1 a 1",
            ">answer 1 b  2",
            ">answer 1 x",
            ">answer 1 y",
            ">answer 1 go",
            ">fault 1 late no answer within 120 ms",
            "<end",
        ],
    );
}

#[test]
fn three_seats_are_placed_by_their_scores_and_turned_on_each_board() {
    let home = Home::new();
    for name in ["a", "b", "c"] {
        engine(&home, name, &format!("print('{name}')"));
    }
    game(
        &home,
        "seats = \"2-4\"\nscores = \"sum\"",
        "for s in range(1, seats + 1): ask(s)\na = [line.split()[2] for line in wait()]\n\
         for s, x in enumerate(a, 1): out(f'move {s} {x}')\n\
         out('end ' + ' '.join(str('abc'.index(x)) for x in a))",
    );
    let said = play(&home, &["a", "b", "c"], &["--seats", "3"]);
    assert_eq!(said.code, Some(0), "{}", said.all());
    let records = records(&home);
    assert_eq!(records.len(), 6, "two games for each seat");
    let mut first_seats: Vec<&str> =
        records.iter().map(|record| record["seats"][0]["entrant"].as_str().unwrap()).collect();
    first_seats.sort_unstable();
    assert_eq!(first_seats, ["a", "a", "b", "b", "c", "c"]);
    for record in &records {
        for (seat, own) in record["seats"].as_array().unwrap().iter().enumerate() {
            let place = &record["verdict"]["decided"]["places"][seat];
            let expected = match own["entrant"].as_str().unwrap() {
                "a" => 3,
                "b" => 2,
                _ => 1,
            };
            assert_eq!(*place, expected, "{record}");
        }
    }
    let few = play(&home, &["a", "b"], &["--seats", "3"]);
    assert_eq!(few.code, Some(2), "{}", few.all());
    assert!(few.err().contains("2 entrants") || few.err().contains("3 seats"), "{}", few.all());
    let odd = play(&home, &["a", "b", "c"], &["--seats", "3", "--games", "4"]);
    assert!(odd.code == Some(2) && odd.err().contains("give 3 or 6"), "{}", odd.all());
}

#[test]
fn a_referee_at_fault_makes_the_game_void_and_its_words_say_why() {
    for (body, words) in [
        ("out('tell 3 hidden')\nask(1); wait()", "there is no seat"),
        ("ask(1); ask(1); wait()", "asks the same seat twice"),
        ("out('wait')\nsys.stdin.readline()", "has asked nobody"),
        ("ask(1)\nout('end 1 0')", "wait must come before"),
        ("out('end 1 0 0')", "3 scores for 2 seats"),
        ("out('bad 1 no')\nask(1); wait()", "this seat is out, because its answer was bad"),
        ("out('out 2')\nask(2); wait()", "this seat is out"),
        ("out('Welcome to my game')", "is no line of the protocol"),
        ("out('void no cards')", "says void: no cards"),
        ("sys.exit(1)", "ended without an answer"),
        ("while True: out('note again')", "more than"),
    ] {
        let home = Home::new();
        engine(&home, "a", "print('x')");
        engine(&home, "b", "print('x')");
        game(&home, "step = 2", body);
        let said = play(&home, &["a", "b"], &["--games", "2", "--concurrency", "1", "--output", "1M"]);
        assert_ne!(said.code, Some(0), "{body}: {}", said.all());
        assert!(said.all().contains(words), "{body}: {words}: {}", said.all());
        assert!(said.all().contains("the referee test"), "{body}: {}", said.all());
    }
}

#[test]
fn a_silent_referee_does_not_hold_up_the_run() {
    let home = Home::new();
    engine(&home, "a", "print('x')");
    engine(&home, "b", "print('x')");
    game(&home, "step = 0.3", "import time; time.sleep(100)");
    let said = play(&home, &["a", "b"], &["--games", "2"]);
    assert!(said.all().contains("no answer within 300 ms"), "{}", said.all());
}

#[test]
fn one_process_referees_many_games_if_its_file_says_so() {
    for (keep, processes) in [("keep = true", 1), ("", 4)] {
        let home = Home::new();
        engine(&home, "a", "print('x')");
        engine(&home, "b", "print('x')");
        game(&home, keep, "out(f'note {os.getpid()}')\nask(1)\nwait()\nout('end 1 0')");
        let said = play(&home, &["a", "b"], &["--games", "4", "--concurrency", "1"]);
        assert_eq!(said.code, Some(0), "{}", said.all());
        let mut pids: Vec<String> =
            records(&home).iter().map(|record| record["referee"]["lines"][0].to_string()).collect();
        pids.sort();
        pids.dedup();
        assert_eq!(pids.len(), processes, "{keep}");
    }
}

#[test]
fn after_too_many_answers_the_running_scores_decide() {
    let home = Home::new();
    engine(&home, "a", "print('x')");
    engine(&home, "b", "print('x')");
    game(&home, "", "while True:\n    ask(1); wait()\n    out('score 1 5'); ask(2); wait()");
    let said = play(&home, &["a", "b"], &["--games", "2", "--max-plies", "6"]);
    assert_eq!(said.code, Some(0), "{}", said.all());
    let first = &records(&home)[0]["verdict"]["decided"];
    assert_eq!((&first["termination"], &first["scores"][0]), (&"adjudication".into(), &5.into()), "{first}");
}

#[test]
fn a_file_of_a_tournament_names_a_game_beside_it() {
    let home = Home::new();
    engine(&home, "a", "print('x')");
    engine(&home, "b", "print('x')");
    game(
        &home,
        "[options.rounds]\ntype = \"integer\"\nmin = 1\nmax = 9\ndefault = 3",
        "ask(1); wait()\nout('end 1 0')",
    );
    home.put(
        "cups/t.toml",
        "engines = \"../engines\"\ngame = \"../game:rounds=5\"\ngames = 2\nout = \"../run\"\n",
    );
    let said = home.agon(["tournament", "cups/t.toml", "--quiet"]);
    assert_eq!(said.code, Some(0), "{}", said.all());
    let first = &records(&home)[0];
    assert_eq!(
        (&first["rules"], &first["referee"]["options"]),
        (&"test:rounds=5".into(), &"rounds=5".into())
    );
    // The same command again has nothing to play; another referee has another game.
    let again = home.agon(["tournament", "cups/t.toml"]);
    assert!(again.err().contains("nothing has changed"), "{}", again.all());
    let text = home.read("game/referee.py");
    home.put("game/referee.py", text.replace("out('end 1 0')", "out('end 0 1')"));
    let changed = home.agon(["tournament", "cups/t.toml"]);
    assert!(changed.err().contains("referee"), "{}", changed.all());
    assert_eq!(records(&home)[0]["verdict"]["decided"]["places"][0], 2);
}

/// Looks for the secret of the referee in its folder, its memory, its environment, its pipes and in
/// the directories of others. Writes what it finds.
const SPY: &str = r#"#!/usr/bin/env -S python3 -S
import glob, os, sys
me = os.getpid()

def tries():
    yield "folder", lambda: open("FOLDER/secret.txt").read()
    # It has the seed, from which all cards follow.
    yield "database", lambda: "SECRET" if open("FOLDER/../run/agon.db", "rb").read(6) == b"SQLite" else ""
    for process in glob.glob("/proc/[0-9]*"):
        number = int(process.rsplit("/", 1)[1])
        if number == me:
            continue
        try:
            command = open(f"{process}/cmdline", "rb").read()
        except OSError:
            continue
        if b"referee.py" not in command:
            continue
        yield "seen", lambda: "SECRET is running"
        yield "environ", lambda p=process: open(f"{p}/environ", errors="replace").read()
        yield "memory", lambda p=process: memory(p)
        for pipe in glob.glob(f"{process}/fd/*"):
            yield "pipe", lambda pipe=pipe: "SECRET" if os.open(pipe, os.O_RDONLY | os.O_NONBLOCK) else ""
    for file in glob.glob("/tmp/**/seat-two", recursive=True) + glob.glob("../*/seat-two"):
        yield "neighbour", lambda: "SECRET"

def memory(process):
    for line in open(f"{process}/maps"):
        span, rights = line.split()[:2]
        if "rw" not in rights or "[v" in line:
            continue
        first, last = (int(part, 16) for part in span.split("-"))
        with open(f"{process}/mem", "rb", 0) as mem:
            mem.seek(first)
            if b"SECRET" + b"-OF-THE-DEAL" in mem.read(min(last - first, 1 << 24)):
                return "SECRET"
    return ""

for line in sys.stdin:
    if line == "?\n":
        found = set()
        for name, look in tries():
            try:
                if "SECRET" in look():
                    found.add(name)
            except (OSError, ValueError):
                pass
        print("found:", *sorted(found), flush=True)
"#;

/// Whether a process may read the memory of another one of its user.
fn may_look_into_processes() -> bool {
    let scope = std::fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope");
    rustix::process::geteuid().is_root() || scope.is_ok_and(|scope| scope.trim() == "0")
}

#[test]
fn an_engine_in_a_box_finds_no_secret_of_the_referee() {
    for (level, finds) in [("none", true), ("sandbox", false), ("strict", false)] {
        let home = Home::new();
        let folder = home.path("game");
        home.put_program("engines/spy", SPY.replace("FOLDER", folder.to_str().unwrap()));
        home.put_program(
            "engines/two",
            "#!/bin/sh\necho x > seat-two 2>/dev/null\nwhile read line; do [ \"$line\" = '?' ] && echo x; done\n",
        );
        home.put("game/secret.txt", "SECRET");
        let may_look = may_look_into_processes();
        game(
            &home,
            "",
            "deal = 'SECRET' + '-OF-THE-DEAL'\nask(2); wait()\nask(1)\na = wait()[0]\nout('end 0 1 : ' + a)",
        );
        let toml = home.read("game/game.toml");
        home.put("game/game.toml", toml.replace("[\"python3\"", "[\"env\", \"DEAL=SECRET\", \"python3\""));
        let said =
            play(&home, &["spy", "two"], &["--games", "2", "--isolation", level, "--concurrency", "1"]);
        if level != "none" && said.code == Some(3) {
            not_tried!("isolation level {level} is not available on this machine");
            continue;
        }
        assert_eq!(said.code, Some(0), "{level}: {}", said.all());
        let first = records(&home)[0]["verdict"]["decided"]["reason"].as_str().unwrap().to_owned();
        assert!(first.contains("found:"), "{level}: {first}");
        // The positive control: without a box all attacks work.
        let found: Vec<&str> = first.trim_start_matches("answer 1 found:").split_whitespace().collect();
        if finds {
            for attack in ["folder", "database", "neighbour", "seen", "environ", "pipe", "memory"] {
                let is_there = found.contains(&attack);
                // The kernel may keep memory to parents and to root.
                assert!(is_there || (attack == "memory" && !may_look), "{level}: {attack}: {first}");
            }
        } else {
            assert!(found.is_empty(), "{level}: {first}");
        }
    }
}

#[test]
#[ignore = "slow"]
fn the_games_that_ship_are_played_refereed_once_more_and_counted_again() {
    let home = Home::new();
    let script = super::home::root().join("scripts/referee-games");
    let said = home.shell(&format!("'{}' '{}' 2", script.display(), env!("CARGO_BIN_EXE_agon")));
    assert_eq!(said.code, Some(0), "{}", said.all());
    let text = said.out();
    for game in [
        "kuhn, 2",
        "kuhn, 3",
        "holdem, 4",
        "liars-dice, 3",
        "dilemma, 2",
        "cycles, 3",
        "divide, 3",
        "dots, 2",
        "ataxx, 2",
        "tak, 2",
    ] {
        let line =
            text.lines().find(|line| line.starts_with(game)).unwrap_or_else(|| panic!("{game}: {text}"));
        assert!(line.contains("games count the same"), "{line}");
    }
}
