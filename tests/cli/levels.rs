//! Messages about an isolation level before anything is played.

use super::home::{Home, programs};
use super::support::not_tried;

#[test]
fn too_little_disk_for_the_files_of_the_game_is_refused_with_the_least_that_will_do() {
    let home = Home::new();
    let greedy = programs().join("agon-greedy");
    let check = |disk: &str| {
        let words =
            ["check", greedy.to_str().unwrap(), "--isolation", "sandbox", "--st", "1", "--disk", disk];
        home.agon(words)
    };
    let said = check("8K");
    if said.code == Some(3) {
        not_tried!("no sandbox is available");
        return;
    }
    assert_eq!(said.code, Some(2), "{}", said.all());
    let least = said.err().rsplit("give at least --disk ").next().unwrap().trim().to_owned();
    assert!(said.err().contains("--disk 8K"), "{}", said.all());
    let enough = check(&least);
    assert_eq!(enough.code, Some(0), "{}", enough.all());
    let kilobytes: u64 = least.strip_suffix('K').expect("a number of pages").parse().unwrap();
    let less = check(&format!("{}K", kilobytes - 4));
    assert_eq!(less.code, Some(2), "{}", less.all());
}

#[test]
fn root_is_warned_by_every_command_that_starts_an_engine_without_a_box() {
    let home = Home::new();
    let greedy = programs().join("agon-greedy");
    let root = rustix::process::geteuid().is_root();
    for level in ["none", "limits"] {
        let said = home.agon(["check", greedy.to_str().unwrap(), "--isolation", level, "--st", "1"]);
        let warned = said.err().contains(&format!("powers of root at --isolation {level}"));
        assert_eq!(warned, root, "{}", said.all());
    }
}
