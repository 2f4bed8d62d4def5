//! `agon prune`: what does not count goes, what counts stays, and `agon verify` tells of it.

use std::fs;

use super::grading::class;
use super::home::{Home, Said};

const RUN: &str = "tournament engines --games 2 --st 5 --game letters:3x3x1 --seed 5 --out run --quiet";

fn done(home: &Home, words: &str) -> Said {
    let said = home.agon(words.split(' '));
    assert_eq!(said.code, Some(0), "agon {words}: {}", said.all());
    said
}

fn put_third(home: &Home, version: u32) {
    home.put_program("engines/third", format!("#!/bin/sh\n# {version}\nexec agon-random \"$@\"\n"));
}

fn head(home: &Home) -> String {
    let said = done(home, "standings run").out();
    said.lines().last().unwrap().rsplit(' ').next().unwrap().to_owned()
}

#[test]
fn games_that_count_no_more_go_and_the_others_stay_proved() {
    let home = Home::with_two();
    put_third(&home, 1);
    done(&home, RUN);
    put_third(&home, 2);
    done(&home, RUN);
    let (before, noted) = (done(&home, "standings run --csv").out(), head(&home));
    let nothing = done(&home, "prune run").out();
    assert_eq!(nothing, "nothing to remove that is older than 30 nights\n");
    let shown = done(&home, "prune run --nights 0").out();
    assert!(shown.starts_with("would remove from run: 4 games that do not count, about "), "{shown}");
    assert!(shown.ends_with("nothing was removed; --yes removes it\n"), "{shown}");
    assert_eq!(done(&home, "games run --all").out().lines().count(), 11);
    let removed = done(&home, "prune run --nights 0 --yes").out();
    assert!(removed.starts_with("removed from run: 4 games that did not count; "), "{removed}");
    assert_eq!(done(&home, "games run --all").out().lines().count(), 7);
    assert_eq!((done(&home, "standings run --csv").out(), head(&home)), (before, noted.clone()));
    let verified = done(&home, &format!("verify run --expect {noted}")).out();
    assert!(verified.contains("4 games were pruned; their hashes are in the chain"), "{verified}");
    assert!(verified.contains("6 games checked, 0 with differences"), "{verified}");
    // The run goes on, and the version that came back is played anew.
    put_third(&home, 1);
    done(&home, RUN);
    let verified = done(&home, "verify run").out();
    assert!(verified.contains("10 games checked, 0 with differences"), "{verified}");
    assert_eq!(done(&home, "history run --csv").out().lines().count(), 10, "the history of ranks stays");
}

#[test]
fn the_nights_that_are_kept_are_runs_however_fast_they_follow() {
    let home = Home::with_two();
    for version in 1..=3 {
        put_third(&home, version);
        done(&home, RUN);
    }
    for (nights, games) in [(1, Some(8)), (2, Some(4)), (3, None)] {
        let shown = done(&home, &format!("prune run --nights {nights}")).out();
        let words = games.map_or_else(
            || "nothing to remove that is older than 3 nights".to_owned(),
            |games| format!("would remove from run: {games} games "),
        );
        assert!(shown.starts_with(&words), "{shown}");
    }
    done(&home, "prune run --nights 2 --yes");
    assert!(done(&home, "prune run --nights 1").out().contains("would remove from run: 4 games "));
    assert_eq!(home.agon(["verify", "run"]).code, Some(0));
}

#[test]
fn a_pruned_game_whose_hash_was_changed_breaks_the_chain() {
    let home = Home::with_two();
    put_third(&home, 1);
    done(&home, RUN);
    put_third(&home, 2);
    done(&home, RUN);
    done(&home, "prune run --nights 0 --yes");
    for (change, code) in [("UPDATE pruned SET link = zeroblob(16)", 1), ("DELETE FROM pruned", 1)] {
        let line = format!(
            "cp run/agon.db kept.db && python3 -c \"import sqlite3; d = sqlite3.connect('run/agon.db'); \
             d.execute('{change}'); d.commit()\"",
        );
        assert_eq!(home.shell(&line).code, Some(0));
        let said = home.agon(["verify", "run"]);
        assert_eq!(said.code, Some(code), "{change}: {}", said.all());
        fs::copy(home.path("kept.db"), home.path("run/agon.db")).unwrap();
    }
    assert_eq!(home.agon(["verify", "run"]).code, Some(0));
}

#[test]
fn old_programs_of_a_class_go_and_those_of_counting_games_stay() {
    let home = class("id,name,mail,submission\n1,A,a,in/one\n2,B,b,in/two\n");
    let grade = "grade tournament.toml --roster roster.csv --no-check --isolation limits";
    assert_eq!(home.agon(grade.split(' ')).code, Some(0));
    let versions = || {
        let folders = fs::read_dir(home.path("results-engines")).unwrap().map(|alias| alias.unwrap().path());
        let inner = folders.flat_map(|alias| fs::read_dir(alias).unwrap().map(|entry| entry.unwrap().path()));
        inner.filter(|path| path.is_dir()).count()
    };
    home.submission("in/one", "agon-greedy", "");
    home.put("in/one/notes", "2");
    let again = home.agon(format!("{grade} --regrade").split(' '));
    assert_eq!(again.code, Some(0), "{}", again.all());
    assert_eq!(versions(), 3);
    let shown = done(&home, "prune results --nights 0").out();
    assert!(shown.contains(": a version that no counting game uses, "), "{shown}");
    assert_eq!(versions(), 3);
    done(&home, "prune results --nights 0 --yes");
    assert_eq!(versions(), 2);
    let after = home.agon(grade.split(' '));
    assert_eq!(after.code, Some(0), "{}", after.all());
    assert_eq!(versions(), 2, "those of the counting games were there");
}

#[test]
fn the_cache_is_named_when_it_is_made_and_removed_by_a_command() {
    let home = Home::new();
    let made = done(&home, "solve morris");
    let file = fs::read_dir(home.path("cache/agon")).unwrap().next().unwrap().unwrap().file_name();
    let file = format!("cache/agon/{}", file.to_str().unwrap());
    let line =
        made.err().lines().find(|line| line.starts_with("made ")).map(str::to_owned).expect("it is named");
    assert!(line.contains(&format!("{file}, ")) && line.contains(" MiB, "), "{line}");
    assert!(line.ends_with("agon prune --cache removes it"), "{line}");
    assert!(!done(&home, "solve morris").err().contains("made "), "it is there");
    home.put("cache/agon/mine.txt", "not agon's");
    home.put("cache/agon/wine-1-of-some-version/drive_c/file", "a template");
    let removed = done(&home, "prune --cache").out();
    assert_eq!(removed.matches("removed ").count(), 2, "{removed}");
    assert!(!home.path(&file).exists() && !home.path("cache/agon/wine-1-of-some-version").exists());
    assert_eq!(home.read("cache/agon/mine.txt"), "not agon's");
    assert!(done(&home, "prune --cache").out().starts_with("nothing to remove in "));
    let both = home.agon(["prune", "run", "--cache"]);
    assert_eq!(both.code, Some(2), "{}", both.all());
}
