//! A tournament every night, as cron starts it.

use std::fs;

use super::home::{Home, Said, programs, root};

const OPTIONS: &str = "--games 10 --st 5 --game letters:3x3x1 --seed 5";

/// A night as cron plays it: an empty environment, except what the line itself sets.
fn night(home: &Home, before: &str, options: &str) -> Said {
    home.shell(&format!(
        "env -i {before} TMPDIR=\"$TMPDIR\" /bin/sh -c 'cd \"{}\" && \"{}\" engines run {OPTIONS} {options}'",
        home.path("").display(),
        root().join("scripts/nightly").display(),
    ))
}

fn with_agon(home: &Home) -> Said {
    night(home, &format!("AGON=\"{}\"", programs().join("agon").display()), "")
}

/// The only line of a night with this exit code.
fn line(home: &Home, code: i32) -> String {
    let said = with_agon(home);
    assert_eq!((said.code, said.out().lines().count()), (Some(code), 1), "{}", said.all());
    said.out().trim_end().to_owned()
}

/// An engine that plays as one side, and loses by an illegal move as the other.
fn put_illegal(home: &Home, name: &str) {
    let [stub, random] = ["agon-stub", "agon-random"].map(|name| programs().join(name));
    home.put_program(
        format!("engines/{name}/run"),
        format!("#!/bin/sh\n[ \"$1\" = W ] && exec {stub:?} illegal \"$@\"\nexec {random:?} \"$@\"\n"),
    );
    home.put(format!("engines/{name}/engine.toml"), "command = [\"./run\"]\n");
}

fn put_broken(home: &Home, name: &str, word: &str) {
    home.put(
        format!("engines/{name}/engine.toml"),
        format!("command = [\"./made\"]\nbuild = [\"sh\", \"-c\", \"echo built >> ../../builds; echo no compiler {word}; false\"]\n"),
    );
}

#[test]
fn a_night_tells_one_line_an_unchanged_one_nothing_and_an_alarm_rings_once() {
    let home = Home::with_two();
    let first = line(&home, 0);
    assert!(first.starts_with("run 1: 2 engines, 10 games; ") && first.contains("; head "), "{first}");
    let unchanged = line(&home, 0);
    assert!(unchanged.starts_with("nothing changed; head "), "{unchanged}");
    fs::remove_file(home.path("engines/greedy")).unwrap();
    put_illegal(&home, "greedy");
    let worse = line(&home, 5);
    assert!(worse.contains("worse: greedy (") && !worse.contains("random ("), "{worse}");
    assert!(worse.contains(" of 10 games by faults"), "{worse}");
    let after = line(&home, 0);
    assert!(after.starts_with("nothing changed; head "), "{after}");
    let log = home.read("run/nightly.log");
    assert_eq!(log.matches("; results in ").count(), 4, "{log}");
    assert!(log.contains(&worse), "the log has the line\n{log}");
}

#[test]
fn an_engine_that_cannot_be_built_is_left_out_alone_and_in_quarantine_until_it_changes() {
    let home = Home::with_two();
    put_broken(&home, "bravo", "here");
    let builds = || fs::read_to_string(home.path("builds")).map_or(0, |text| text.lines().count());
    let first = line(&home, 5);
    assert!(first.starts_with("run 1: 2 engines, 10 games; "), "{first}");
    assert!(first.contains("; left out: bravo (its build failed with exit status: 1); "), "{first}");
    assert!(!first.contains("run/") && !first.contains("no compiler"), "the line is short\n{first}");
    let second = line(&home, 0);
    assert!(second.starts_with("nothing changed; still left out: bravo; head "), "{second}");
    let third = line(&home, 0);
    assert!(third.starts_with("nothing changed; in quarantine: bravo from now on; head "), "{third}");
    assert_eq!(builds(), 3);
    let fourth = line(&home, 0);
    assert!(fourth.starts_with("nothing changed; in quarantine: bravo; head "), "{fourth}");
    assert_eq!(builds(), 3, "an engine in quarantine is not built");
    put_broken(&home, "bravo", "there");
    assert!(line(&home, 5).contains("left out: bravo ("));
    assert_eq!(builds(), 4, "it changed");
    fs::remove_dir_all(home.path("engines/bravo")).unwrap();
    home.engine("engines/bravo", "agon-random");
    let mended = line(&home, 0);
    assert!(mended.starts_with("run 2: 3 engines, 30 games; "), "{mended}");
    assert!(!mended.contains("quarantine") && !mended.contains("left out"), "{mended}");
}

#[test]
#[ignore = "slow"]
fn an_engine_that_loses_by_faults_in_three_nights_leaves_the_field() {
    let home = Home::with_two();
    put_illegal(&home, "bad");
    let first = line(&home, 5);
    assert!(first.contains("bad lost ") && first.contains(" of 20 games by faults"), "{first}");
    // Only nights in which it plays say anything about it.
    assert!(line(&home, 0).starts_with("nothing changed; head "));
    for (night, more) in [(2, ""), (3, "; in quarantine: bad from the next night on")] {
        fs::remove_file(home.path("engines/random")).unwrap();
        home.put_program(
            "engines/random",
            format!("#!/bin/sh\n# {night}\nexec {:?} \"$@\"\n", programs().join("agon-random")),
        );
        let said = line(&home, 0);
        assert!(said.contains(&format!("{more}; head ")), "{said}");
    }
    let without = line(&home, 0);
    assert!(without.starts_with("run 4: 2 engines, 10 games; "), "{without}");
    assert!(without.contains("; in quarantine: bad; head "), "{without}");
    // Without its memory, a night reports the games that count, not those of all nights.
    fs::remove_file(home.path("run/nightly.json")).unwrap();
    let forgotten = line(&home, 5);
    assert!(forgotten.contains("bad lost ") && forgotten.contains(" of 20 games by faults"), "{forgotten}");
}

#[test]
fn a_night_under_an_empty_environment_needs_the_path_of_agon_and_says_so() {
    let home = Home::with_two();
    let missing = night(&home, "AGON=/no/agon", "");
    assert_eq!(missing.code, Some(2), "{}", missing.all());
    assert!(missing.out().contains("set AGON to its path"), "{}", missing.all());
    // A copy of the script beside no target directory finds agon by the PATH, as after an
    // installation.
    fs::create_dir_all(home.path("opt/scripts")).unwrap();
    fs::copy(root().join("scripts/nightly"), home.path("opt/scripts/nightly")).unwrap();
    let said = home.shell(&format!(
        "env -i PATH=\"{}:/usr/bin:/bin\" TMPDIR=\"$TMPDIR\" opt/scripts/nightly engines run {OPTIONS}",
        programs().display()
    ));
    assert_eq!(said.code, Some(0), "{}", said.all());
    let failed =
        night(&home, &format!("AGON=\"{}\"", programs().join("agon").display()), "--isolation nowhere");
    assert_eq!(failed.code, Some(2), "{}", failed.all());
    assert!(
        failed.out().starts_with("agon: the night ended with exit code 2: invalid value"),
        "{}",
        failed.all()
    );
}

#[test]
fn too_few_engines_are_told_with_those_that_are_left_out() {
    let home = Home::new();
    home.engine("engines/alpha", "agon-random");
    put_broken(&home, "hal", "here");
    let first = line(&home, 5);
    assert_eq!(
        first,
        "no games: 1 of the engines can play, and a tournament needs two; \
         left out: hal (its build failed with exit status: 1)"
    );
    let later = line(&home, 1);
    assert!(later.ends_with("needs two; still left out: hal"), "{later}");
    assert_eq!(home.read("run/nightly.log").matches("no games").count(), 2);
    fs::remove_dir_all(home.path("engines/hal")).unwrap();
    home.engine("engines/hal", "agon-random");
    let mended = line(&home, 0);
    assert!(
        mended.starts_with("run 1: 2 engines, 10 games; ") && mended.contains("; back: hal; "),
        "{mended}"
    );
    home.engine("engines/third", "agon-random");
    assert!(line(&home, 0).contains("; new: third; head "));
    fs::remove_file(home.path("engines/third")).unwrap();
    let removed = line(&home, 0);
    assert!(removed.contains("; removed: third; head "), "{removed}");
}

#[test]
fn the_line_for_cron_in_the_document_suppresses_an_unchanged_night_alone() {
    let home = Home::with_two();
    let document = fs::read_to_string(root().join("docs/nightly.md")).unwrap();
    let pipe = document.split('`').find(|code| code.starts_with("| grep -v")).unwrap().to_owned();
    let told = || {
        let said = line(&home, 0);
        home.put("said", format!("{said}\n"));
        home.shell(&format!("cat said {pipe}")).out()
    };
    assert!(told().starts_with("run 1: "));
    assert_eq!(told(), "");
}

#[test]
#[ignore = "slow"]
fn an_engine_that_fails_at_once_as_every_side_is_left_out_until_it_changes() {
    let home = Home::with_two();
    home.put_program("engines/bob", "#!/usr/bin/env python3\ndef broken(:\n");
    let dry = || {
        let said = home.agon(format!("nightly engines --out run {OPTIONS} --dry-run").split(' '));
        (said.code, said.out(), said.all())
    };
    let (code, told, all) = dry();
    assert_eq!(code, Some(5), "{all}");
    assert!(told.contains("left out: bob (it cannot play: as "), "{all}");
    assert!(told.contains("10 games in the plan; 0 count already, 10 would be played"), "{all}");
    assert!(!home.path("run").exists());
    let first = line(&home, 5);
    assert!(first.starts_with("run 1: 2 engines, 10 games; "), "{first}");
    assert!(first.contains("; left out: bob (it cannot play: as "), "{first}");
    assert!(first.contains("the last it wrote to stderr is \"SyntaxError: invalid syntax\"); "), "{first}");
    let later = line(&home, 0);
    assert!(later.starts_with("nothing changed; still left out: bob; "), "{later}");
    assert!(dry().1.contains("in quarantine: bob from now on"));
    fs::remove_file(home.path("engines/bob")).unwrap();
    home.engine("engines/bob", "agon-random");
    assert!(line(&home, 0).contains("; back: bob; "));
    let log = home.read("run/nightly.log");
    assert_eq!(
        log.matches("trying 1 engine ...").count(),
        2,
        "engines that have played are not tried\n{log}"
    );
}

#[test]
fn another_interpreter_of_the_same_name_is_named() {
    let home = Home::new();
    home.engine("engines/alpha", "agon-random");
    home.put("engines/dan/bot", "");
    home.put("engines/dan/engine.toml", "command = [\"thinker\"]\n");
    for (place, remark) in [("one", "1"), ("two", "2")] {
        home.put_program(
            format!("{place}/thinker"),
            format!("#!/bin/sh\n# {remark}\nexec {:?} \"$@\"\n", programs().join("agon-random")),
        );
    }
    let night = |place: &str| {
        home.shell(&format!("PATH=\"$PWD/{place}:$PATH\" agon nightly engines --out run {OPTIONS}"))
    };
    assert_eq!(night("one").code, Some(0));
    let other = night("two");
    let is_named = other.err().lines().any(|line| {
        line.contains("dan: thinker is another program than in the run before: ")
            && line.contains("/two/thinker, was ")
            && line.contains("/one/thinker")
    });
    assert!(is_named, "{}", other.all());
}

#[test]
fn a_signal_to_the_script_stops_agon_and_the_next_night_goes_on() {
    let home = Home::with_two();
    let agon = programs().join("agon");
    let script = root().join("scripts/nightly");
    let options = "--games 400 --st 5 --game letters:3x3x1 --seed 5";
    let said = home.shell(&format!(
        "AGON={agon:?} {script:?} engines run {options} & script=$!; \
         until [ \"$(agon games run 2>/dev/null | wc -l)\" -gt 3 ]; do sleep 0.05; done; \
         kill $script; wait $script; echo \"code $?\"; agon status run"
    ));
    assert!(
        said.out().starts_with("stopped before the end; the next night goes on\ncode 130\n"),
        "{}",
        said.all()
    );
    assert!(said.out().contains("run: stopped, "), "agon has ended\n{}", said.all());
}

#[test]
fn without_a_directory_the_script_uses_that_of_the_file() {
    let home = Home::with_two();
    home.put(
        "nt.toml",
        "engines = \"engines\"\nout = \"myout\"\ngames = 2\nst = 5\ngame = \"letters:3x3x1\"\nseed = 5\n",
    );
    let (agon, script) = (programs().join("agon"), root().join("scripts/nightly"));
    let night = || home.shell(&format!("AGON={agon:?} {script:?} nt.toml"));
    let first = night();
    assert!(first.out().starts_with("run 1: 2 engines, 2 games; "), "{}", first.all());
    assert!(home.path("myout/nightly.log").exists() && !home.path("agon-run").exists());
    assert!(night().out().starts_with("nothing changed"));
    assert_eq!(home.agon(["nightly", "engines", "--where"]).out(), "agon-run\n");
}

#[test]
fn a_second_night_is_refused_while_the_first_one_builds_and_a_build_has_its_limit() {
    let home = Home::with_two();
    home.put("engines/slow/engine.toml", "command = [\"./made\"]\nbuild = [\"sleep\", \"1000\"]\n");
    let night =
        "agon nightly engines --out run --games 2 --st 5 --game letters:3x3x1 --seed 5 --build-seconds 2";
    let said = home.shell(&format!(
        "{night} 2>first & first=$!; until grep -q building first; do sleep 0.05; done; \
         {night} >second 2>&1; echo \"second $?\"; wait $first; echo \"first $?\""
    ));
    assert!(said.out().starts_with("second 1\n"), "{}", said.all());
    assert!(home.read("second").contains("run is in use by process "), "{}", home.read("second"));
    assert!(said.out().contains("left out: slow (") && said.out().ends_with("first 5\n"), "{}", said.all());
}

#[test]
fn the_line_names_the_key_of_an_engine_toml_that_is_wrong() {
    let home = Home::with_two();
    home.put("engines/hal/engine.toml", "# hal\ncomand = [\"./made\"]\n");
    let said = line(&home, 5);
    assert!(said.contains("; left out: hal (engine.toml: line 2: unknown field `comand`"), "{said}");
    home.put("run/nightly.json", "{");
    let damaged = line(&home, 2);
    assert!(damaged.ends_with("; remove it; the next night reports every fault again"), "{damaged}");
}
