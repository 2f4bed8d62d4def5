//! The table `[gomocup]` of an `engine.toml`, against the scripted engine.

use std::os::unix::fs::PermissionsExt;

use crate::gomocup::{Pair, SHORT, assert_well, count, plies};
use crate::support::Game;

#[test]
fn the_lines_info_have_an_order_and_can_be_left_out() {
    let table = "[gomocup]\norder = [\"rule\", \"depth\", \"folder\"]\nomit = [\"game_type\", \"time_left\"]\n\
                 info = { depth = 3 }\n";
    let pair = Pair::with("", table);
    assert_well(&pair.play("--st 2"));
    let told: Vec<String> = pair.told().into_iter().filter(|line| line.starts_with("INFO")).collect();
    let names: Vec<&str> = told.iter().map(|line| line.split(' ').nth(1).unwrap()).collect();
    assert_eq!(names, ["rule", "depth", "folder", "max_memory", "timeout_match", "timeout_turn"]);
}

#[test]
fn a_process_that_restarts_plays_all_games_of_a_pairing() {
    let pair = Pair::with("", "process = \"pairing\"\n");
    assert_well(&pair.play("--st 2"));
    let log = pair.log();
    assert_eq!((count(&log, "STARTED"), count(&log, "RESTART"), count(&log, "END")), (2, 1, 2), "{log:?}");
    let from = log.iter().position(|line| line == "RESTART").unwrap();
    assert!(log[from + 1].starts_with("INFO max_memory"), "{log:?}");
    assert!(log[from..].contains(&"BEGIN".to_owned()), "the board is empty again: {log:?}");
    let games = Pair::with("no-restart", "process = \"pairing\"\n").play("--st 2");
    assert_eq!(games[0].ending().1, None);
    assert_eq!(games[1].ending().1, Some("odd"));
    let words = "it answered \"RESTART\" with \"UNKNOWN\"; write process = \"game\" into its engine.toml";
    assert!(games[1].reason().contains(words), "{}", games[1].reason());
}

/// Plays with a folder of files, at this level; `None` if there is no such level here.
fn with_folder(level: &str) -> Option<Vec<Game>> {
    let pair = Pair::with("keeps", "[gomocup]\nfolder = \"seed\"\n");
    let folder = pair.0.path("engines/odd/seed");
    std::fs::create_dir_all(folder.join("deep")).unwrap();
    std::fs::write(folder.join("learned"), "s").unwrap();
    std::fs::write(folder.join("deep/weights"), "w").unwrap();
    std::os::unix::fs::symlink("/etc/hostname", folder.join("link")).unwrap();
    let log = pair.0.path("odd.log");
    for name in [".", "engines", "engines/odd/seed", "engines/odd/seed/deep"] {
        std::fs::set_permissions(pair.0.path(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let boxed = level == "sandbox";
    if boxed {
        for name in ["plain", "odd"] {
            let file = pair.0.path(&format!("engines/{name}/engine.toml"));
            let text = std::fs::read_to_string(&file).unwrap();
            let own = format!("GOMOCUP_LOG={}", pair.0.text(&format!("{name}.log")));
            std::fs::write(file, text.replace(&own, "GOMOCUP_LOG=log")).unwrap();
        }
    }
    let options = format!("{SHORT} --st 5 --isolation {level}");
    let said = pair.run(&options);
    if said.code == Some(3) {
        eprintln!("NOT TRIED: {level} is not available");
        return None;
    }
    assert_eq!(said.code, Some(0), "{} {}", said.stdout, said.stderr);
    if !boxed {
        let log = std::fs::read_to_string(log).unwrap();
        assert!(
            log.lines().any(|line| line.starts_with("INFO folder /") && line.ends_with("/data")),
            "{log}"
        );
    }
    let games = pair.0.games();
    // What it wrote is no part of it: nothing is left to play.
    let again = pair.run(&options);
    assert!(again.stdout.contains("2 games have been played already and count"), "{}", again.stdout);
    assert_eq!(std::fs::read_to_string(folder.join("learned")).unwrap(), "s");
    Some(games)
}

#[test]
#[ignore = "slow"]
fn the_folder_of_an_engine_is_a_copy_that_it_can_write_to_at_every_level() {
    for level in ["none", "limits", "sandbox"] {
        let Some(games) = with_folder(level) else { continue };
        assert_well(&games);
        for game in games {
            let own = plies(&game).into_iter().filter_map(|ply| ply["thought"].as_str());
            let own: Vec<&str> = own.filter(|thought| thought.starts_with("MESSAGE found")).collect();
            // Each game begins with the files of the folder.
            let found = ["MESSAGE found sx w", "MESSAGE found sxx w", "MESSAGE found sxxx w"];
            assert_eq!(own, found, "{level}");
        }
    }
}
