//! A tournament every night, as cron starts it.

use std::fs;

use super::home::{Home, Said, programs, root};

const OPTIONS: &str = "--games 10 --st 5 --size 3x3x1 --seed 5";

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

fn put_illegal(home: &Home, name: &str) {
    let stub = programs().join("agon-stub");
    home.put(
        format!("engines/{name}/engine.toml"),
        format!("command = [{stub:?}]\nargs = [\"illegal\", \"{{side}}\", \"{{rows}}\", \"{{columns}}\", \"{{planes}}\"]\n"),
    );
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
}

#[test]
fn a_night_under_an_empty_environment_needs_the_path_of_agon_and_says_so() {
    let home = Home::with_two();
    let missing = night(&home, "AGON=/no/agon", "");
    assert_eq!(missing.code, Some(2), "{}", missing.all());
    assert!(missing.out().contains("set AGON to its path"), "{}", missing.all());
    // A copy of the script beside no target directory finds agon by the PATH, as after an installation.
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
