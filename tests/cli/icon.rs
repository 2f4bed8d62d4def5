//! The sample engine in Icon, built, checked and played.

use std::fs;

use super::home::{Home, root};
use super::support::{is_thorough, not_tried};

#[test]
#[ignore = "slow"]
fn the_sample_in_icon_plays_the_letter_cube_in_its_time() {
    let home = Home::with_two();
    for program in ["icont", "iconx"] {
        if home.shell(&format!("command -v {program}")).code != Some(0) {
            not_tried!("engines/icon: {program} is not on this machine; apt-get install icont iconx");
            return;
        }
    }
    for file in ["engine.toml", "cube.icn"] {
        home.put(format!("icon/{file}"), fs::read(root().join("engines/icon").join(file)).unwrap());
    }
    let checked = home.agon(["check", "icon", "--st", "5"]);
    assert_eq!(checked.code, Some(0), "{}", checked.all());
    assert!(checked.out().contains("nothing wrong was found"), "{}", checked.all());
    // It computes for as long as it may.
    let controls = ["--tc 6+0.1", "--st 0.5", "--tc 9/6"];
    for control in controls.into_iter().take(if is_thorough() { 3 } else { 1 }) {
        let words = format!("match icon engines/random --games 2 --game letters:4x4x2 {control} --seed 7");
        let said = home.agon(words.split(' '));
        assert_eq!(said.code, Some(0), "{control}: {}", said.all());
        assert!(!said.err().contains("building"), "{}", said.all());
        let out = said.out();
        let row = out.lines().find(|line| line.starts_with("1  icon ")).unwrap_or_default();
        // Games, won, drawn, lost.
        let counts: Vec<&str> = row.split_whitespace().skip(2).take(4).collect();
        assert_eq!(counts, ["2", "2", "0", "0"], "{control}: {}", said.all());
    }
    // On a large board it would look at all replies for half a minute, and answers with the best so
    // far.
    let large = "check icon --game letters:14x14x3 --st 3 --moves 1 --startup 60";
    let said = home.agon(large.split(' '));
    assert!(said.code == Some(0) && !said.out().contains("WRONG"), "{}", said.all());
}
