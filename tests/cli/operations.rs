//! The steps of `docs/operations.md`, as an operator plays them.

use std::fs;

use super::home::{Home, Said, programs, root};
use super::support::not_tried;

const RUN: &str = "tournament engines --games 2 --st 5 --game letters:3x3x1 --seed 5 --out run";

fn done(home: &Home, words: &str) -> Said {
    let said = home.agon(words.split(' '));
    assert_eq!(said.code, Some(0), "agon {words}: {}", said.all());
    said
}

#[test]
fn a_backup_of_a_moment_is_restored_proved_and_continued() {
    let home = Home::with_two();
    done(&home, RUN);
    let (standings, games) = (home.read("run/standings.csv"), home.read("run/games.csv"));
    let said = done(&home, "standings run").out();
    let head = said.lines().last().unwrap().rsplit(' ').next().unwrap().to_owned();
    done(&home, "export db run backup.db");
    fs::remove_dir_all(home.path("run")).unwrap();
    fs::create_dir(home.path("run")).unwrap();
    fs::copy(home.path("backup.db"), home.path("run/agon.db")).unwrap();
    done(&home, &format!("verify run --expect {head}"));
    let dry = done(&home, &format!("{RUN} --dry-run")).out();
    assert_eq!(dry, "dry run: 2 games in the plan; 2 count already, 0 would be played\n");
    done(&home, RUN);
    assert_eq!((home.read("run/standings.csv"), home.read("run/games.csv")), (standings, games));
}

#[test]
fn a_backup_can_be_made_while_the_run_goes_on() {
    let home = Home::with_two();
    let said = home.shell(
        "agon tournament engines --games 400 --st 5 --game letters:3x3x1 --seed 5 --out run --quiet & \
         until [ \"$(agon games run 2>/dev/null | wc -l)\" -gt 5 ]; do sleep 0.05; done; \
         agon export db run backup.db && agon status run && agon stop run; wait",
    );
    assert!(said.out().contains("run: under way, "), "{}", said.all());
    fs::create_dir(home.path("restored")).unwrap();
    fs::copy(home.path("backup.db"), home.path("restored/agon.db")).unwrap();
    assert!(done(&home, "verify restored").out().contains(" 0 with differences"));
}

#[test]
#[ignore = "slow"]
fn the_package_and_the_system_files_are_sound() {
    let home = Home::new();
    let script = root().join("scripts/check-packages");
    let said = home.shell(&format!(
        "DEB_COMPRESSION='-Zgzip -z1' '{}' '{}'",
        script.display(),
        programs().join("agon").display()
    ));
    assert_eq!(said.code, Some(0), "{}", said.all());
    for part in ["package", "unit", "rotation", "image"] {
        let is_told = |line: &str| {
            line.starts_with(&format!("ok {part}")) || line.starts_with(&format!("SKIPPED {part}"))
        };
        assert!(said.out().lines().any(is_told), "{part}: {}", said.all());
    }
    let unit = fs::read_to_string(root().join("packaging/agon-nightly.service")).unwrap();
    for line in ["User=agon", "NoNewPrivileges=yes", "ProtectSystem=strict"] {
        assert!(unit.lines().any(|one| one == line), "{line}");
    }
    assert_eq!(home.agon(["man", "--out", "pages"]).code, Some(0));
    let help = home.agon(["help", "--all"]).out();
    let listed = help.split("\nOptions:").next().unwrap().lines();
    let commands: Vec<&str> = listed
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .map(|line| line.split_whitespace().next().unwrap())
        .collect();
    assert!(commands.len() > 40, "{help}");
    for command in commands {
        assert!(home.path(format!("pages/agon-{command}.1")).exists(), "{command} has no page");
    }
    assert!(home.read("pages/agon-tournament.1").contains("skip\\-broken"));
}

#[test]
#[ignore = "slow"]
fn the_page_of_a_fresh_server_is_followed_command_by_command() {
    let home = Home::new();
    let said = home.shell(&format!(
        "package=$(DEB_COMPRESSION='-Zgzip -z1' '{0}/scripts/package-deb' '{1}' .) && \
         '{0}/scripts/fresh-server' \"$package\"",
        root().display(),
        programs().join("agon").display()
    ));
    assert_eq!(said.code, Some(0), "{}", said.all());
    if let Some(why) = said.out().lines().find_map(|line| line.strip_prefix("SKIPPED ")) {
        return not_tried!("{why}");
    }
    assert!(said.out().ends_with("ok fresh server: 10 commands\n"), "{}", said.all());
    let leads = said.out().lines().any(|line| line.starts_with("night 1: run 1: 3 engines, 12 games; "));
    assert!(leads, "{}", said.all());
}
