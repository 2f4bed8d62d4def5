//! What agon is started with and in: signals, limits, descriptors, directories, process 1.

use std::fs;

use super::home::{Home, Said};

/// A match of two games.
const MATCH: &str =
    "match engines/greedy engines/random --game letters:3x3x1 --st 5 --games 2 --seed 1 --quiet";

/// Whether the programs of coreutils and util-linux that make these surroundings are there.
fn can(home: &Home, probe: &str) -> bool {
    let there = home.shell(&format!("{probe} >/dev/null 2>&1")).code == Some(0);
    if !there {
        eprintln!("not tried: {probe} does not work here");
    }
    there
}

fn plays(said: &Said, how: &str) {
    assert_eq!(said.code, Some(0), "{how}: {}", said.all());
}

#[test]
fn no_signal_that_a_parent_blocks_or_ignores_keeps_agon_or_an_engine_from_anything() {
    let home = Home::with_two();
    if !can(&home, "env --block-signal=CHLD --ignore-signal=CHLD true") {
        return;
    }
    home.put_program(
        "engines/signs",
        "#!/bin/sh\ngrep -E 'Sig(Blk|Ign)' /proc/self/status >> \"$(dirname \"$0\")/../signs.txt\"\n",
    );
    for how in [
        "--block-signal=CHLD",
        "--ignore-signal=CHLD",
        "--ignore-signal=INT --ignore-signal=TERM --ignore-signal=HUP",
        "--block-signal",
        "--ignore-signal --block-signal",
    ] {
        plays(&home.shell(&format!("env {how} agon {MATCH} --out run")), how);
        fs::remove_dir_all(home.path("run")).unwrap();
    }
    // The control shows that the parent's state would come through.
    let control =
        home.shell("env --ignore-signal --block-signal=USR1 grep -E 'Sig(Blk|Ign)' /proc/self/status");
    assert!(control.out().lines().all(|line| line.contains(|digit| ('1'..='f').contains(&digit))));
    for level in ["none", "limits"] {
        let said = home.shell(&format!(
            "env --ignore-signal --block-signal agon match engines/signs engines/greedy --game letters:4x4x1 --st 5 --games 2 \
             --quiet --isolation {level} --out {level}"
        ));
        plays(&said, level);
        let seen = home.read("signs.txt");
        assert!(!seen.is_empty());
        let none = |line: &str| line.split('\t').nth(1) == Some("0000000000000000");
        assert!(seen.lines().all(none), "{level}: {seen}");
    }
}

#[test]
fn a_signal_that_was_blocked_or_ignored_by_the_parent_stops_a_run_but_what_nohup_ignores_does_not() {
    let home = Home::with_two();
    if !can(&home, "env --block-signal=TERM --ignore-signal=HUP true") {
        return;
    }
    let long = "match engines/greedy engines/random --game letters:4x4x1 --st 5 --games 4000 --seed 1 --quiet --out run";
    // Whether the run has ended by the signal; if it has not, it goes on to begin many games.
    let ends = |how: &str, signal: &str| {
        let said = home.shell(&format!(
            "env {how} agon {long} & run=$!; games() {{ agon games run 2>/dev/null | wc -l; }}; \
             until [ $(games) -gt 5 ]; do sleep 0.05; done; before=$(games); kill -{signal} $run; \
             while [ -e /proc/$run/exe ] && [ $(games) -lt $((before + 50)) ]; do sleep 0.05; done; \
             [ -e /proc/$run/exe ] && echo plays on; kill -TERM $run; wait $run"
        ));
        fs::remove_dir_all(home.path("run")).unwrap();
        assert_eq!(said.code, Some(130), "{how} {signal}: {}", said.all());
        !said.out().contains("plays on")
    };
    assert!(ends("--block-signal=TERM", "TERM") && ends("--ignore-signal=TERM", "TERM"));
    assert!(!ends("--ignore-signal=HUP", "HUP"), "as under nohup");
    assert!(ends("--default-signal=HUP", "HUP"), "the control");
}

#[test]
fn agon_plays_whatever_is_closed_removed_or_unset() {
    let home = Home::with_two();
    for how in [
        "agon @ 0<&-",
        "agon @ 0<&- 1>&- 2>&-",
        "umask 0777; agon @",
        "mkdir gone; cd gone; rmdir ../gone; agon match ../engines/greedy",
        "env -u HOME -u USER -u LANG agon @",
        "env LANG=xx_XX.weird LC_ALL=tlh agon @",
        "nice -n 19 agon @",
    ] {
        let line = if how.contains("gone") {
            let engines = MATCH.replace("engines/", &format!("{}/", home.path("engines").display()));
            format!("mkdir gone; cd gone; rmdir ../gone; agon {engines} --out {}", home.path("run").display())
        } else {
            how.replace('@', &format!("{MATCH} --out run"))
        };
        plays(&home.shell(&line), how);
        assert_eq!(home.agon(["verify", "run"]).code, Some(0), "{how}");
        fs::remove_dir_all(home.path("run")).unwrap();
    }
    let agon = super::home::programs().join("agon");
    for how in ["env -u PATH", "env PATH="] {
        let said = home.shell(&format!("exec {how} {} {MATCH} --out run", agon.display()));
        plays(&said, how);
        fs::remove_dir_all(home.path("run")).unwrap();
    }
}

#[test]
fn a_current_directory_that_cannot_be_read_is_no_matter_where_no_relative_path_is_needed() {
    let home = Home::with_two();
    let (bin, top) = (super::home::programs(), home.path("").display().to_string());
    let top = top.trim_end_matches('/');
    // Root may enter what is shut, so another user is tried if the test is run by root.
    let user = if rustix::process::geteuid().is_root() {
        "setpriv --reuid 65534 --regid 65534 --clear-groups"
    } else {
        ""
    };
    if !user.is_empty() && !can(&home, &format!("{user} {}/agon --version", bin.display())) {
        return;
    }
    let absolute = MATCH.replace("engines/", &format!("{top}/engines/"));
    let agon = bin.join("agon").display().to_string();
    let shut = "mkdir -m 777 shut; cd shut; chmod 0 .;";
    // Of this test's own directory, and of nothing beside it.
    let said = home.shell(&format!(
        "chmod -R a+rwX ..; {user} sh -c '{shut} {agon} {absolute} --out {top}/run; echo $?; {agon} \
         match engines/greedy engines/random; echo $?'; chmod 777 shut"
    ));
    let (out, all) = (said.out(), said.all());
    assert_eq!(out.lines().filter(|line| *line == "0").count(), 1, "{all}");
    assert!(said.err().contains("engines/greedy: Permission denied"), "{all}");
    assert!(!all.contains("panicked"), "{all}");
}

#[test]
fn a_place_for_temporary_files_that_cannot_be_used_is_named_with_what_to_do() {
    let home = Home::with_two();
    home.put("file", "");
    for place in ["/nowhere/at/all", "file", &"a".repeat(300)] {
        let said = home.shell(&format!("TMPDIR={place} agon {MATCH}"));
        assert_eq!(said.code, Some(1), "{}", said.all());
        assert!(said.err().contains("TMPDIR"), "{place}: {}", said.all());
    }
}

#[test]
fn as_process_1_agon_confines_engines_obeys_signals_and_reaps() {
    let home = Home::with_two();
    let space = "unshare --user --map-root-user --pid --fork --mount-proc";
    if !can(&home, &format!("{space} true")) {
        return;
    }
    for level in ["limits", "sandbox"] {
        let second =
            home.shell(&format!("{space} sh -c 'agon {MATCH} --isolation {level} --out two; exit $?'"));
        let first = home.shell(&format!("{space} agon {MATCH} --isolation {level} --out one"));
        assert_eq!(first.code, second.code, "{level}: {} as process 2: {}", first.all(), second.all());
    }
    // The program that unshare waits for is process 1 there.
    let said = home.shell(&format!(
        "{space} agon match engines/greedy engines/random --game letters:4x4x1 --st 5 --games 4000 --quiet --out run & \
         until [ -e run/live.json ]; do sleep 0.05; done; \
         read -r first < /proc/$!/task/$!/children; kill -TERM $first; wait $!"
    ));
    assert_eq!(said.code, Some(130), "{}", said.all());
    // What has lost its parent becomes a child of process 1. The engine looks for those that have
    // ended and are not reaped.
    home.put_program(
        "engines/looks",
        "#!/bin/sh\nsleep 0.5\nout=\"$(dirname \"$0\")/../zombies.txt\"\n\
         for about in /proc/[0-9]*/status; do\n\
         grep -q 'State:.Z' $about 2>/dev/null && grep '^PPid:.1$' $about >> \"$out\"\ndone\n\
         echo looked >> \"$out\"\nexit 1\n",
    );
    let looks = MATCH.replace("engines/random", "engines/looks");
    for (then, is_reaped) in [
        (format!("exec agon {looks} --isolation none --out looked"), true),
        // The control: this process 1 reaps nobody.
        ("engines/looks & exec sleep 2".to_owned(), false),
    ] {
        let orphans = "(sleep 0.1 &); (setsid sleep 0.1 &)";
        let said = home.shell(&format!("{space} sh -c '{orphans}; {then}'"));
        assert_eq!(said.code, Some(0), "{}", said.all());
        let seen = home.read("zombies.txt");
        assert!(seen.contains("looked"), "{seen}");
        assert_eq!(seen.lines().all(|line| line == "looked"), is_reaped, "{then}: {seen}");
    }
    let said = home.shell(&format!("{space} agon man --wrong"));
    assert_eq!(said.code, Some(2), "{}", said.all());
    // Its numbers would mean other processes.
    let said = home.shell(&format!("unshare --user --map-root-user --pid --fork agon {MATCH} --out other"));
    assert_eq!(said.code, Some(1), "{}", said.all());
    assert!(said.err().contains("/proc") && said.err().contains("hint: mount it"), "{}", said.all());
}

#[test]
fn a_verdict_is_not_lost_with_a_closed_pipe_and_nobody_is_told_of_one() {
    let home = Home::with_two();
    plays(
        &home.agon(
            format!("{MATCH} --games 40 --random-plies 2 --out run").replace("--games 2 ", "").split(' '),
        ),
        "",
    );
    let tampered = home.shell(
        "python3 -c 'import sqlite3; c = sqlite3.connect(\"run/agon.db\"); c.execute(\"update seat set place=1+seat\"); \
         c.commit()'",
    );
    assert_eq!(tampered.code, Some(0), "{}", tampered.all());
    for (line, code) in [
        ("agon verify run", 1),
        ("agon check /bin/false --game mill", 1),
        ("agon man", 0),
        ("agon rules mill", 0),
        ("agon position moves mill", 0),
        ("agon completions bash", 0),
        ("agon export json run", 0),
    ] {
        let whole = home.shell(line);
        assert_eq!(whole.code, Some(code), "{line}: {}", whole.all());
        assert!(!whole.out().is_empty(), "{line}");
        // Its reader has closed the pipe before the first byte.
        let cut = home.shell(&format!("{{ sleep 0.1; {line}; echo $? > code; }} | true; cat code"));
        assert_eq!(cut.out().trim(), code.to_string(), "{line}: {}", cut.all());
        assert!(!cut.err().contains("roken pipe"), "{line}: {}", cut.all());
    }
}

#[test]
fn the_events_and_the_log_of_a_run_that_was_stopped_have_every_game_in_the_end() {
    let home = Home::with_two();
    let line = "agon match engines/greedy engines/random --game letters:4x4x1 --st 5 --games 60 --seed 1 --quiet --out run \
                --events events --log log";
    let said = home.shell(&format!(
        "{line} & until grep -q game_over events 2>/dev/null; do sleep 0.02; done; agon stop run --wait; wait $!"
    ));
    let over = |text: &str| text.lines().filter(|line| line.starts_with("{\"event\":\"game_over\"")).count();
    let first = over(&home.read("events"));
    assert!((1..60).contains(&first), "{first} of 60 games: {}", said.all());
    // Of this game nothing was written, as when agon is killed.
    let text = home.read("events");
    let lost: Vec<&str> = text.lines().filter(|line| !line.contains("\"id\":\"r01-p0001-g01\"")).collect();
    home.put("events", lost.join("\n"));
    let logged = home.read("log");
    plays(&home.shell(line), line);
    let text = home.read("events");
    let ids: std::collections::BTreeSet<String> = text
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .filter(|event| event["event"] == "game_over")
        .map(|event| event["id"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!((over(&text), ids.len()), (60, 60));
    assert!(home.read("log").starts_with(&logged) && home.read("log").len() > logged.len());
    // A new run begins its files anew.
    plays(&home.shell(&line.replace("--games 60", "--games 2").replace("--out run", "--out other")), "new");
    assert_eq!(over(&home.read("events")), 2);
}

#[test]
fn a_disk_that_is_full_or_has_no_more_files_or_can_only_be_read_is_named_with_what_to_do() {
    let home = Home::with_two();
    let mounted = "unshare --user --map-root-user --mount sh -c";
    home.put("small/mark", "");
    if !can(&home, &format!("{mounted} 'mount -t tmpfs -o size=1m none small'")) {
        return;
    }
    for (options, hint) in [
        ("size=200k", "df -h and df -i"),
        ("size=9m,nr_inodes=4", "df -h and df -i"),
        ("size=9m,ro", "only be read"),
    ] {
        let line = format!("mount -t tmpfs -o {options} none small && agon {MATCH} --out small/run");
        let said = home.shell(&format!("{mounted} '{line}'"));
        assert_eq!(said.code, Some(1), "{options}: {}", said.all());
        assert!(said.err().contains("error: ") && said.err().contains(hint), "{options}: {}", said.all());
    }
    plays(
        &home.shell(&format!(
            "{mounted} 'mount -t tmpfs -o size=90m none small && agon {MATCH} --out small/run'"
        )),
        "",
    );
}

#[test]
fn what_keeper_and_harness_leave_when_both_are_killed_goes_at_the_next_start_and_doctor_names_it() {
    let home = Home::with_two();
    let long = "agon match engines/greedy engines/random --game letters:4x4x1 --st 5 --games 4000 --quiet";
    // The other run plays on: nothing of it may go. The one is stopped first, so that neither half
    // of it sees the end of the other and tidies up. A harness that is still ending holds its
    // folder, and so does its child that has not begun its program yet: their lock is waited for.
    let said = home.shell(&format!(
        "{long} --out alive & alive=$!; {long} --out run & run=$!; \
         until [ -e alive/live.json ] && [ -e run/live.json ]; do sleep 0.05; done; \
         read -r harness < /proc/$run/task/$run/children; kill -STOP $run $harness; kill -KILL $harness $run; wait $run; \
         until flock --nonblock $TMPDIR/agon-$run-* true; do sleep 0.02; done; \
         ls -d $TMPDIR/agon-*; echo then; agon doctor --level none --json; ls -d $TMPDIR/agon-*; kill -TERM $alive; wait $alive"
    ));
    assert_eq!(said.code, Some(130), "{}", said.all());
    let out = said.out();
    let (before, after) = out.split_once("then\n").unwrap();
    assert_eq!(before.lines().count(), 2, "{}", said.all());
    let stayed: Vec<&str> =
        after.lines().filter(|line| line.contains("/agon-") && !line.contains("left")).collect();
    assert_eq!(stayed.len(), 1, "{}", said.all());
    let gone = before.lines().find(|line| !stayed.contains(line)).unwrap();
    assert!(after.contains(&format!("{gone} was left by an agon that was killed")), "{}", said.all());
}
