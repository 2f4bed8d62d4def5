//! The sample engines as agon sees them: their strength, their folders, and the verdicts that the
//! stub expects.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use agon_programs::spec::EngineSpec;
use agon_standings::result::Cause;
use tempfile::TempDir;

use crate::support::{AGON, ALPHABETA, MOVER, STUB};

/// Folders with an `engine.toml` each, for the harness.
fn folders(engines: &[(&str, &str, bool)]) -> (TempDir, Vec<PathBuf>) {
    let home = tempfile::tempdir().unwrap();
    let mut folders = Vec::new();
    for (name, program, ugi) in engines {
        let folder = home.path().join(name);
        fs::create_dir(&folder).unwrap();
        let talk = if *ugi {
            "args = [\"{game}\", \"ugi\"]\nprotocol = \"ugi\"\n"
        } else {
            "args = [\"{game}\", \"{side}\", \"{control}\", \"{position}\"]\n"
        };
        fs::write(folder.join("engine.toml"), format!("command = [{program:?}]\n{talk}")).unwrap();
        folders.push(folder);
    }
    (home, folders)
}

/// The points of the first of two engines in a match, and the harness's output.
fn points(engines: &[PathBuf], arguments: &[&str]) -> (f64, String) {
    let output = Command::new(AGON)
        .arg("match")
        .args(engines)
        .args(arguments)
        .args(["--events", "-", "--seed", "1"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    let mut points = 0.0;
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let event: serde_json::Value = serde_json::from_str(line).unwrap();
        if event["event"] != "game_over" {
            continue;
        }
        let record = &event["record"];
        let decided = &record["verdict"]["decided"];
        assert_eq!(decided["termination"], "normal", "{record}");
        let first = record["seats"].as_array().unwrap();
        let own = first.iter().position(|seat| seat["entrant"] == "first").unwrap();
        let places = decided["places"].as_array().unwrap();
        points += match (places[own].as_u64(), places[1 - own].as_u64()) {
            (Some(1), Some(1)) => 0.5,
            (Some(1), _) => 1.0,
            _ => 0.0,
        };
    }
    (points, said)
}

#[test]
#[ignore = "slow"]
fn alphabeta_beats_the_random_mover_in_every_game() {
    for (spec, ugi) in
        [("mill", false), ("mnk:15x15,5", true), ("abalone", false), ("morris", true), ("morris:nine", false)]
    {
        let (_home, engines) = folders(&[("first", ALPHABETA, ugi), ("second", MOVER, false)]);
        let (points, said) = points(
            &engines,
            &["--game", spec, "--games", "4", "--st", "0.05", "--margin", "0.5", "--random-plies", "2"],
        );
        assert!(points >= 3.0, "{spec}: {points} of 4\n{said}");
    }
}

#[test]
fn the_folders_of_the_samples_say_how_to_start_them() {
    for name in ["alphabeta", "mover", "tryst"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("engines").join(name);
        let spec = EngineSpec::at(&folder).unwrap();
        assert_eq!((spec.name.as_str(), spec.build.is_some()), (name, true));
        assert!(spec.program.ends_with(format!("target/release/agon-{name}")), "{:?}", spec.program);
    }
}

#[test]
fn every_mode_of_the_stub_expects_a_termination_that_exists() {
    let output = Command::new(STUB).arg("--list").output().expect("the stub starts");
    let text = String::from_utf8(output.stdout).expect("the list is text");
    let mut names = Vec::new();
    for line in text.lines() {
        let columns: Vec<&str> = line.split('\t').collect();
        let [_, name, blocked, verdicts @ .., _] = &columns[..] else { panic!("{line:?} is too short") };
        names.push(*name);
        assert!(
            ["-", "none", "limits", "sandbox", "strict"].contains(blocked),
            "{name}: {blocked:?} is no level"
        );
        assert_eq!(verdicts.len(), 4, "{name}: one verdict a level");
        for word in verdicts.iter().flat_map(|verdict| verdict.split(" | ")) {
            assert!(
                ["normal", "no result", "any"].contains(&word)
                    || Cause::ALL.iter().any(|cause| cause.name() == word),
                "{name}: {word:?} is no termination"
            );
        }
    }
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count, "no name is given twice");
    assert!(count > 70, "{count} modes");
}
