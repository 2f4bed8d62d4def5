//! Games of referee programs in which something goes wrong. The cases are the fault of each seat,
//! late answers, and referees that change or do not wait for their turn.

use std::fs;

use serde_json::Value;

use super::home::Home;
use super::hosted::{assert_in_order, engine, game, lines, play, records};
use crate::support::side_by_side;

/// Each seat of three is asked three times; a fault is the answer 0. Who has the highest sum wins.
const SUMS: &str = "sums = [0] * seats\nlive = set(range(1, seats + 1))\nfor turn in range(3):\n    \
    for s in sorted(live): ask(s)\n    for line in wait():\n        word, s, rest = line.split(' ', 2)\n        \
    s = int(s)\n        if word == 'fault' and not rest.startswith('late'):\n            live.discard(s)\n            \
    out(f'out {s}')\n        elif word == 'answer' and not rest.isdigit():\n            live.discard(s)\n            \
    out(f'bad {s} {rest} is no number')\n        elif word == 'answer':\n            \
    sums[s - 1] += int(rest)\n            out(f'move {s} {rest}')\n\
    out('end ' + ' '.join(map(str, sums)) + ' : the sums decide')";

/// The words of a command that ends well.
fn done(home: &Home, words: &str) -> String {
    let said = home.shell(&format!("agon {words}"));
    assert_eq!(said.code, Some(0), "agon {words}: {}", said.all());
    said.out()
}

#[test]
#[ignore = "slow"]
fn each_seat_has_its_own_fault_and_is_told_why_it_lost() {
    let home = Home::new();
    engine(&home, "crasher", "if turn == 2: raise IndexError('no card')\nprint(1)");
    engine(&home, "wrong", "print('x' if turn == 2 else 2)");
    engine(&home, "slow", "if turn == 1: time.sleep(0.9)\nprint(9)");
    engine(&home, "plain", "time.sleep(0.4)\nprint(3)");
    game(&home, "seats = \"4\"\nscores = \"sum\"", SUMS);
    let engines = ["crasher", "wrong", "slow", "plain"];
    let said = play(&home, &engines, &["--seats", "4", "--games", "4", "--time", "slow=st=0.6"]);
    assert_eq!(said.code, Some(0), "{}", said.all());

    let table = done(&home, "standings run --csv");
    let mut rows = table.lines();
    let head: Vec<&str> = rows.next().unwrap().split(',').collect();
    let rows: Vec<Vec<&str>> = rows.map(|row| row.split(',').collect()).collect();
    let cell = |engine: &str, column: &str| {
        let at = head.iter().position(|name| *name == column).unwrap();
        rows.iter().find(|row| row.contains(&engine)).unwrap()[at].to_owned()
    };
    // Slow was late once, and has the most points in spite of it.
    for (engine, column, games) in [
        ("crasher", "lost_by_crash", "4"),
        ("wrong", "lost_by_illegal_move", "4"),
        ("wrong", "lost_by_crash", "0"),
        ("slow", "lost_by_time_forfeit", "0"),
        ("plain", "lost_by_crash", "0"),
    ] {
        assert_eq!(cell(engine, column), games, "{engine} {column}\n{table}");
    }
    for (engine, words) in [
        ("crasher", &["lost by     crash", "IndexError: no card", "crasher lost 4 games by a fault"][..]),
        (
            "wrong",
            &["lost by     illegal move", "because     x is no number", "wrong lost 4 games by a fault"],
        ),
        (
            "slow",
            &[
                "slow lost 0 games by a fault",
                "it was at fault in 4 more that it did not lose",
                "time forfeit",
            ],
        ),
        ("plain", &["plain lost 0 games by a fault"]),
    ] {
        let why = done(&home, &format!("why run {engine}"));
        for word in words {
            assert!(why.contains(word), "{engine}: {word:?} is not in\n{why}");
        }
    }
    assert!(!done(&home, "why run wrong").contains("IndexError"), "that is the fault of another engine");
    assert_eq!(done(&home, "games run --engine slow --termination 'time forfeit' --json").lines().count(), 4);
    let first = &records(&home)[0];
    let faults = first["referee"]["faults"].as_array().unwrap();
    assert_eq!(faults.len(), 3, "{first}");
    let slow = faults.iter().find(|fault| fault["cause"] == "time_forfeit").unwrap();
    assert_eq!((&slow["times"], &slow["ply"]), (&1.into(), &2.into()), "{first}");

    let seats = home.read("run/seats.csv");
    assert_eq!(
        seats.matches(",crash,1,its process ended without an answer (exit status 1)").count(),
        4,
        "{seats}"
    );
    assert_eq!(seats.matches(",illegal move,1,x is no number").count(), 4, "{seats}");

    let verified = done(&home, "verify run");
    assert!(verified.contains("12 faults of seats"), "{verified}");
    let db = rusqlite::Connection::open(home.path("run/agon.db")).unwrap();
    db.execute("UPDATE seat_fault SET cause = 'crash' WHERE cause = 'illegal move'", []).unwrap();
    drop(db);
    let tampered = home.agon(["verify", "run"]);
    assert_eq!(tampered.code, Some(1), "{}", tampered.all());
    assert!(tampered.all().contains("the faults of its seats differ from its record"), "{}", tampered.all());
}

#[test]
#[ignore = "slow"]
fn a_late_answer_costs_its_clock_the_same_when_the_game_is_verified() {
    let home = Home::new();
    // What is added after the late answer is more than the clock had before.
    engine(&home, "late", "time.sleep(1 if turn == 1 else 0.5)\nprint('answer', turn)");
    engine(&home, "other", "print('x')");
    game(&home, "", "for turn in range(3):\n    ask(1)\n    wait()\nout('end 1 0')");
    let said = play(&home, &["late", "other"], &["--games", "2", "--tc", "0.3+9"]);
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert_in_order(&lines(&home), &[">fault 1 late", ">answer 1 answer 2", ">answer 1 answer 3"]);
    let verified = home.agon(["verify", "run"]);
    assert_eq!(verified.code, Some(0), "{}", verified.all());
}

#[test]
#[ignore = "slow"]
fn an_engine_that_does_not_read_its_question_is_late_and_its_answer_is_none_to_the_next() {
    let home = Home::new();
    // After its first answer it reads nothing for a while, and then everything.
    home.put_program(
        "engines/deaf",
        "#!/usr/bin/env -S python3 -S\nimport sys, time\nturn = 0\nfor line in sys.stdin:\n    \
         if line == '?\\n':\n        turn += 1\n        print('answer', turn, flush=True)\n        \
         if turn == 1: time.sleep(2)\n",
    );
    engine(&home, "other", "print('x')");
    let body = "ask(1)\nwait()\nfor _ in range(40): out('tell 1 ' + 'v' * 30000)\nask(1, '600')\nwait()\n\
                for turn in range(2):\n    ask(1)\n    wait()\nout('end 1 0')";
    game(&home, "step = 60", body);
    let options = ["--games", "2", "--tc", "9+9", "--concurrency", "1"];
    let said = play(&home, &["deaf", "other"], &options);
    assert_eq!(said.code, Some(0), "{}", said.all());
    let first = &records(&home)[0];
    assert_eq!(first["referee"]["faults"][0]["cause"], "stdin_blocked", "{:.2000}", first.to_string());
    let heard = [">answer 1 answer 1", ">fault 1 late", ">answer 1 answer 3", ">answer 1 answer 4"];
    assert_in_order(&lines(&home), &heard);
    let verified = home.agon(["verify", "run"]);
    assert_eq!(verified.code, Some(0), "{}", verified.all());
}

#[test]
#[ignore = "slow"]
fn a_late_answer_costs_one_question_even_if_it_comes_before_the_next() {
    let home = Home::new();
    // It is late once, and the answer comes while the other one thinks.
    engine(&home, "late", "time.sleep(2.5 if turn == 1 else 0)\nprint('late', turn)");
    engine(&home, "other", "time.sleep(2 if turn == 1 else 0)\nprint('other', turn)");
    let turns = "said = []\nfor turn in range(3):\n    for s in (1, 2):\n        ask(s, '1000' if s == 1 else '')\n        \
                 said += wait()\nout('end 1 0 : ' + ' | '.join(said))";
    game(&home, "", turns);
    let said = play(&home, &["late", "other"], &["--games", "2"]);
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert_in_order(
        &lines(&home),
        &[
            ">fault 1 late",
            ">answer 2 other 1",
            ">answer 1 late 2",
            ">answer 2 other 2",
            ">answer 1 late 3",
            "<end",
        ],
    );
    // One that never answers a question that it did not answer in time is told so.
    engine(&home, "late", "if turn > 1: print('late', turn)");
    engine(&home, "other", "print('other', turn)");
    let said = play(&home, &["late", "other"], &["--games", "2", "--st", "1.5", "--again"]);
    assert_eq!(said.code, Some(0), "{}", said.all());
    let words =
        "line(s) of it answered earlier questions, because each question needs its answer, even a late one";
    let records = home.shell("agon export json run").out();
    assert!(records.contains(words), "{records}");
}

#[test]
fn a_referee_that_changes_while_a_run_goes_on_ends_it() {
    let home = Home::new();
    engine(&home, "one", "print('x')");
    engine(&home, "two", "print('x')");
    // The referee writes a line to its own file, as somebody who mends it would.
    game(
        &home,
        "",
        "me = sys.argv[1]\nif os.path.exists(me + '/.now'):\n        open(me + '/referee.py', 'a').write('# mended\\n')\n\
         ask(1)\nwait()\nout('end 1 0')",
    );
    let toml = home.read("game/game.toml").replace("\"referee.py\"]", "\"referee.py\", \"{folder}\"]");
    home.put("game/game.toml", toml);
    home.put("game/.now", "");
    let changed = play(&home, &["one", "two"], &["--games", "4", "--isolation", "none"]);
    assert_eq!(changed.code, Some(1), "{}", changed.all());
    assert!(changed.err().contains("has changed while it went on"), "{}", changed.all());
    assert!(records(&home).is_empty(), "the game in which it changed is not stored");
    fs::remove_file(home.path("game/.now")).unwrap();
    let again = play(&home, &["one", "two"], &["--games", "4", "--isolation", "none"]);
    assert_eq!((again.code, records(&home).len()), (Some(0), 4), "{}", again.all());
}

#[test]
fn a_referee_that_is_mended_while_a_run_goes_on_referees_it_to_its_end_as_it_was() {
    let home = Home::new();
    let file = home.path("game/referee.py");
    engine(&home, "one", &format!("open({file:?}, 'w').write('raise SystemExit')\nprint('x')"));
    engine(&home, "two", "print('x')");
    game(&home, "", "ask(1)\nwait()\nout('end 1 0')");
    let said = play(&home, &["one", "two"], &["--games", "4", "--isolation", "none"]);
    assert_eq!((said.code, records(&home).len()), (Some(0), 4), "{}", said.all());
    // The control: it was changed, and the changed one ends at once.
    assert_eq!(fs::read_to_string(&file).unwrap(), "raise SystemExit");
    let again = play(&home, &["one", "two"], &["--games", "4", "--isolation", "none"]);
    assert_ne!(again.code, Some(0), "{}", again.all());
}

#[test]
fn a_referee_speaks_only_when_it_is_its_turn() {
    for (keep, body, words) in [
        (
            "",
            "ask(1)\nout('wait\\nend 0 1')\nsys.stdin.readline()",
            "it wrote \"end 0 1\" after ready or wait",
        ),
        ("", "out('end 1 0')", "it ends the game before it has asked any seat"),
        ("keep = true", "out('end 1 0')", "it ends the game before it has asked any seat"),
    ] {
        let home = Home::new();
        engine(&home, "one", "print('x')");
        engine(&home, "two", "print('x')");
        game(&home, keep, body);
        let said = play(&home, &["one", "two"], &["--games", "2"]);
        assert_eq!(said.code, Some(1), "{body}: {}", said.all());
        assert!(said.err().contains(words), "{body}: {}", said.all());
    }
    // What it writes after the end of a game does not decide the next one.
    let home = Home::new();
    engine(&home, "one", "print('x')");
    engine(&home, "two", "print('x')");
    game(&home, "keep = true", "ask(1)\nwait()\nout('end 1 0\\nend 0 1 : stale')");
    let said = play(&home, &["one", "two"], &["--games", "6"]);
    assert_eq!(said.code, Some(0), "{}", said.all());
    for record in records(&home) {
        assert_eq!(record["verdict"]["decided"]["places"], serde_json::json!([1, 2]), "{record}");
    }
    let checked = home.shell("agon check-referee game --games 3 --seed 7");
    assert!(checked.all().contains("it wrote more lines after end"), "{}", checked.all());
}

#[test]
fn a_line_after_ready_or_wait_is_void_however_late_it_comes() {
    // What it writes in the handshake, and in its only step; the words of the void game, if it is
    // one.
    let cases = [
        ("out('ready')", "wait()", None),
        ("out('ready\\nnote early')", "wait()", Some("note early")),
        ("out('ready'); time.sleep(0.1); out('tell all early')", "wait()", Some("tell all early")),
        ("out('ready'); time.sleep(0.1); out('ready')", "wait()", Some("ready")),
        // The answer lies there already when this is written.
        (
            "out('ready')",
            "out('wait'); time.sleep(1); out('note early'); time.sleep(5); sys.stdin.readline()",
            Some("note early"),
        ),
        ("out('note early'); out('ready')", "wait()", Some("is no line of the handshake")),
    ];
    side_by_side(&cases, |&(ready, step, void)| {
        let home = Home::new();
        engine(&home, "one", "print('x')");
        engine(&home, "two", "print('x')");
        game(&home, "", &format!("ask(1)\n{step}\nout('end 1 0')"));
        let referee = home.read("game/referee.py").replace("out(\"ready\")", ready);
        home.put("game/referee.py", format!("import time\n{referee}"));
        let said = play(&home, &["one", "two"], &["--games", "2", "--isolation", "none"]);
        match void {
            None => assert_eq!(said.code, Some(0), "{ready} {step}: {}", said.all()),
            Some(words) => {
                assert!(said.code != Some(0) && said.err().contains(words), "{ready} {step}: {}", said.all());
            }
        }
    });
    // After the end of a game it decides no other one: that has a new process.
    let home = Home::new();
    engine(&home, "one", "print('x')");
    engine(&home, "two", "print('x')");
    let body = "import time\nask(1)\nwait()\nout('end 1 0')\ntime.sleep(0.05)\nout('note late')";
    game(&home, "keep = true", body);
    let said = play(&home, &["one", "two"], &["--games", "4", "--isolation", "none"]);
    assert_eq!((said.code, records(&home).len()), (Some(0), 4), "{}", said.all());
}

#[test]
fn the_seed_of_a_game_cannot_be_guessed_from_what_engines_are_told() {
    let home = Home::new();
    for name in ["one", "two"] {
        home.put(format!("engines/{name}/engine.toml"), "command = [\"./run\", \"{seed}\"]\n");
        home.put_program(
            format!("engines/{name}/run"),
            "#!/usr/bin/env -S python3 -S\nimport sys\nfor line in sys.stdin:\n    if line == '?\\n': print(sys.argv[1], flush=True)\n",
        );
    }
    game(&home, "", "ask(1); ask(2)\nwait()\nout('end 1 0')");
    let said = home.shell("agon match engines/one engines/two --game ./game --games 2 --out run");
    assert_eq!(said.code, Some(0), "{}", said.all());
    let seed = said.out().split("seed ").nth(1).unwrap().split_whitespace().next().unwrap().to_owned();
    let seed: u64 = seed.trim_end_matches(',').parse().unwrap();
    assert!(seed > 1 << 32, "{seed} is small enough to be tried");
    let told: Vec<u64> = records(&home)
        .iter()
        .flat_map(|record| record["plies"].as_array().unwrap().clone())
        .map(|ply: Value| ply["text"].as_str().unwrap().parse().unwrap())
        .collect();
    assert_eq!(told.len(), 4);
    let games: Vec<u64> = records(&home).iter().map(|record| record["seed"].as_u64().unwrap()).collect();
    for own in &told {
        assert!(!games.contains(own) && told.iter().filter(|other| *other == own).count() == 1, "{told:?}");
    }
}

#[test]
fn engines_that_flood_or_close_their_output_have_their_own_kind_of_fault() {
    let cases = [
        ("print('x' * 70000)", "flood", "output limit"),
        ("for _ in range(40000): print('y' * 60)", "flood", "output limit"),
        ("os.close(1); time.sleep(60)", "closed", "closed output"),
    ];
    side_by_side(&cases, |&(answer, kind, ending)| {
        let home = Home::new();
        engine(&home, "wild", answer);
        engine(&home, "other", "print('x')");
        // It is asked for a line that never comes, and once more: the fault stays.
        let body = "ask(1, 'until end')\na = wait()[0]\nask(1); ask(2)\nb, c = wait()\n\
                    out('end 0 1 : ' + str(a == b))";
        game(&home, "", body);
        let options = "--games 2 --st 1.5 --output 1M --isolation none --concurrency 1";
        let said = play(&home, &["wild", "other"], &options.split(' ').collect::<Vec<_>>());
        assert_eq!(said.code, Some(0), "{answer}: {}", said.all());
        let fault = format!(">fault 1 {kind} ");
        assert_in_order(&lines(&home), &[&fault, &fault, ">answer 2 x", "<end 0 1 : True"]);
        assert!(said.out().contains(&format!("{ending} by wild")), "{answer}: {}", said.all());
        let verified = done(&home, "verify run");
        assert!(verified.contains("2 games checked, 0 with differences"), "{answer}: {verified}");
    });
}

#[test]
#[ignore = "slow"]
fn a_seat_reads_a_view_of_300_kilobytes_in_one_turn_and_more_than_the_cap_is_the_fault_of_the_referee() {
    // It counts what it reads before the question.
    let counts = "print(sum(map(len, seen))); seen.clear()";
    for (lines, kilobytes, is_void) in [(10, 30, false), (1100, 64, true)] {
        let home = Home::new();
        for name in ["one", "two"] {
            home.put_program(
                format!("engines/{name}"),
                format!(
                    "#!/usr/bin/env -S python3 -S\nimport sys\nseen = []\nfor line in sys.stdin:\n    \
                     if line == '?\\n':\n        {counts}\n        sys.stdout.flush()\n    \
                     else:\n        seen.append(line)\n"
                ),
            );
        }
        let length = kilobytes * 1024 - 100;
        let body = format!(
            "for _ in range({lines}): out('tell 1 ' + 'v' * {length})\nask(1)\na = wait()[0]\nout('end 1 0 : ' + a)"
        );
        game(&home, "step = 60", &body);
        let options = ["--games", "2", "--isolation", "none", "--concurrency", "1"];
        let said = play(&home, &["one", "two"], &options);
        assert_eq!(said.code != Some(0), is_void, "{}", said.all());
        if is_void {
            assert!(said.all().contains("the referee test"), "{}", said.all());
        } else {
            let read = format!("answer 1 {}", lines * (length + 1));
            assert_eq!(records(&home)[0]["verdict"]["decided"]["reason"], read.as_str());
        }
    }
}
