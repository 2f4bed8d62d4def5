//! What goes along with the games of a part: the kept copies of its programs, and what the boxes of
//! its engines showed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::Value;

use super::home::{Home, Said};
use crate::support::not_tried;

/// Runs a command of blanks and words that succeeds.
fn done(home: &Home, line: &str) -> Said {
    let said = home.agon(line.split_whitespace());
    assert_eq!(said.code, Some(0), "{line}: {}", said.all());
    said
}

/// What the boxes of each game showed, by the key of the game.
fn boxes(home: &Home, directory: &str) -> BTreeMap<String, Value> {
    let lines = done(home, &format!("export json {directory}")).out();
    let games = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    games.map(|game| (game["key"].as_str().unwrap().to_owned(), game["boxes"].clone())).collect()
}

/// The names of the kept copies.
fn copies(home: &Home, directory: &str) -> BTreeSet<String> {
    let all = fs::read_dir(home.path(format!("{directory}/programs"))).into_iter().flatten();
    all.map(|copy| copy.unwrap().file_name().into_string().unwrap()).collect()
}

/// Two parts of one run, at the highest level that there is. Returns whether the engines were in
/// boxes.
fn parts() -> (Home, bool) {
    let home = Home::new();
    for name in ["ada", "bob", "cy"] {
        home.submission(&format!("engines/{name}"), "agon-random", "");
    }
    home.put("engines/bad/engine.toml", "command = [\"./run\"]\n");
    home.put_program("engines/bad/run", "#!/bin/sh\nexit 3\n");
    home.put("shown/words", "");
    let has_boxes = home.agon(["doctor", "--level", "sandbox"]).code != Some(3);
    if !has_boxes {
        not_tried!("what boxes showed: the level sandbox is not available on this machine");
    }
    let level = if has_boxes { "--isolation sandbox --show shown" } else { "--isolation none" };
    let line = format!("tournament engines --game mnk:3x3,3 --games 4 --st 5 --seed 7 --quiet {level}");
    for part in 1..=2 {
        done(&home, &format!("{line} --out part-{part} --part {part}/2"));
    }
    (home, has_boxes)
}

#[test]
fn programs_and_what_boxes_showed_go_along_with_the_games_of_a_part() {
    let (home, has_boxes) = parts();
    done(&home, "merge all part-1 part-2");
    let kept = copies(&home, "all");
    assert_eq!(kept, &copies(&home, "part-1") | &copies(&home, "part-2"));
    assert_eq!(kept.len(), 4);
    let verified = done(&home, "verify all").out();
    assert!(
        !verified.contains("not there any more") && !verified.contains("its program is not kept"),
        "{verified}"
    );
    let programs = |directory: &str| -> Vec<Value> {
        let said = done(&home, &format!("status {directory} --json")).out();
        let status: Value = serde_json::from_str(said.lines().next().unwrap()).unwrap();
        let kept = |engine: &Value| serde_json::json!([engine["engine"], engine["hash"], engine["kept"]]);
        status["programs"].as_array().unwrap().iter().map(kept).collect()
    };
    assert_eq!(programs("all"), programs("part-1"));
    // The hash that played is played again, out of the merged run.
    let hash = programs("all")[0][1].as_str().unwrap()[..12].to_owned();
    done(
        &home,
        &format!("match all/ada@{hash} engines/cy --game mnk:3x3,3 --games 2 --st 5 --isolation none"),
    );
    let own = boxes(&home, "part-1").into_iter().chain(boxes(&home, "part-2")).collect::<BTreeMap<_, _>>();
    assert_eq!(own.len(), 24);
    assert_eq!(boxes(&home, "all"), own);
    let said = home.shell(
        "agon export json part-1 --plan | agon merge piped - && agon export json part-2 | agon merge piped - && \
         agon export json all | agon import imported -",
    );
    assert_eq!(said.code, Some(0), "{}", said.all());
    for directory in ["piped", "imported"] {
        assert_eq!(boxes(&home, directory), own, "{directory}");
        let why = done(&home, &format!("why {directory} bad")).out();
        assert_eq!(why.contains("its box showed, besides the system:"), has_boxes, "{directory}: {why}");
    }
    let why = done(&home, "why all bad --json").out();
    assert!(why.lines().count() > 0);
    for line in why.lines() {
        let lost: Value = serde_json::from_str(line).unwrap();
        let has = |reason: &str, end: &str| {
            let places = lost["box"].as_array().into_iter().flatten();
            places
                .filter(|place| place["reason"] == reason)
                .any(|place| place["path"].as_str().unwrap().ends_with(end))
        };
        assert_eq!(has("--show", "/shown"), has_boxes, "{line}");
        assert_eq!(has("the engine itself", "/bad"), has_boxes, "{line}");
    }
    assert!(!own.values().any(|boxes| boxes.is_null() == has_boxes), "{own:?}");
}

#[test]
fn a_part_without_its_copies_is_named_and_a_copy_that_has_changed_is_left_out() {
    let (home, _) = parts();
    assert_eq!(home.shell("cp -r part-1 bare && rm -r bare/programs").code, Some(0));
    let said = done(&home, "merge all bare");
    assert!(
        said.err().contains("warning: bare: the kept copies of these engines are not there: "),
        "{}",
        said.all()
    );
    assert!(
        said.err().contains("bad") && said.err().contains("copy its folder programs too"),
        "{}",
        said.all()
    );
    // Another merge mends it, whichever part has the copies.
    let changed = copies(&home, "part-2")
        .into_iter()
        .find(|copy| home.path(format!("part-2/programs/{copy}/bad")).exists());
    let changed = changed.unwrap();
    home.put_program(format!("part-2/programs/{changed}/bad/run"), "#!/bin/sh\nexit 4\n");
    let said = home.agon(["merge", "all", "part-2"]);
    assert_eq!(said.code, Some(1), "{}", said.all());
    let words = "error: part-2: left out: the program of bad: ";
    assert!(said.err().contains(words) && said.err().contains("bad/run is not as it was"), "{}", said.all());
    assert!(!copies(&home, "all").contains(&changed));
    assert_eq!(boxes(&home, "all").len(), 24, "its games are there: {}", said.all());
    done(&home, "merge all part-1");
    assert_eq!(copies(&home, "all"), copies(&home, "part-1"));
    done(&home, "verify all");
}
