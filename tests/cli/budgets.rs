//! A budget of time: whole rounds are played, everybody equally often, and the same command goes on
//! with the rest.

use super::home::{Home, Said};
use super::withdrawals::rows;

const WORDS: &str =
    "the time of --at-most is over: no further round was begun, and the same command goes on with it";

/// Four engines of which each takes a while to start.
fn home(keys: &str) -> Home {
    let home = Home::new();
    for number in 1..=4 {
        let program = super::home::programs().join("agon-random");
        home.put_program(
            format!("engines/e{number}"),
            format!("#!/bin/sh\nsleep 0.4\nexec {} \"$@\"\n", program.display()),
        );
    }
    let file = format!(
        "engines = \"engines\"\nout = \"results\"\ngame = \"mnk:3x3,3\"\nst = 20\ngames = 2\nseed = 7\nconcurrency = 1\n\
         isolation = \"limits\"\n{keys}"
    );
    home.put("tournament.toml", file);
    home
}

/// How many games each engine has played, by the table of a run.
fn games(home: &Home, run: &str) -> Vec<String> {
    // On a busy machine not even the first round may have begun.
    let table = home.path(format!("{run}/standings.csv"));
    let text = std::fs::read_to_string(table).unwrap_or_default();
    rows(&text).iter().map(|row| row["games"].clone()).collect()
}

#[test]
fn whole_rounds_are_played_within_a_budget_and_the_same_command_goes_on() {
    for (keys, whole) in [("", "6"), ("format = \"swiss\"\nrounds = 2\nplay-offs = 0\n", "4")] {
        let home = home(keys);
        let run = "results";
        // A round takes at least 1.6 s, and two of them more than the budget.
        let said = home.agon("tournament tournament.toml --no-check --at-most 3s".split(' '));
        assert_eq!(said.code, Some(0), "{}", said.all());
        assert!(said.err().contains(WORDS), "{}", said.all());
        let played = games(&home, run);
        assert!(played.windows(2).all(|two| two[0] == two[1]), "{played:?}");
        assert!(played.first().is_none_or(|games| ["0", "2", "4"].contains(&games.as_str())), "{played:?}");
        let said = home.agon("tournament tournament.toml --no-check --at-most 1h".split(' '));
        assert!(said.code == Some(0) && !said.err().contains(WORDS), "{}", said.all());
        assert_eq!(games(&home, run), [whole; 4]);
        let verified = home.agon(["verify", "results"]);
        assert_eq!(verified.code, Some(0), "{}", verified.all());
    }
}

#[test]
fn a_night_of_a_league_goes_on_on_the_next_one() {
    let home = home("[league]\ndivisions = 2\n");
    let play = |more: &str| {
        let words = format!("tournament tournament.toml --no-check --next {more}");
        let said = home.agon(words.split_whitespace());
        assert_eq!(said.code, Some(0), "{}", said.all());
        said
    };
    let moves = |said: &Said| said.out().lines().any(|line| line.ends_with(" up") || line.ends_with(" down"));
    let begun = play("--at-most 0.001s");
    assert!(begun.err().contains(WORDS) && !moves(&begun), "nobody moves before the end: {}", begun.all());
    let night = home.agon("nightly tournament.toml --no-check --next --at-most 0.001s".split(' '));
    assert_eq!(night.code, Some(0), "{}", night.all());
    let words = "the time of --at-most is over, and the next night goes on";
    assert!(night.out().contains(words), "{}", night.all());
    assert!(!home.path("results/night-2").exists());
    let over = play("");
    assert!(!over.err().contains(WORDS) && moves(&over), "{}", over.all());
    assert_eq!(games(&home, "results/night-1"), ["2"; 4]);
    play("--at-most 1h");
    assert!(home.path("results/night-2").exists());
}

#[test]
fn a_wrong_budget_is_refused() {
    let home = home("");
    for (option, words) in [
        ("--at-most 6", "--at-most 6: a number of games is for --until"),
        ("--at-most x", "it is no span of time; write one like 6h, 90m or 30s"),
        ("--at-most 0h", "it is no span of time"),
        ("--at-most -1h", "it is no span of time"),
        ("--at-most 6h --part 1/2", "--at-most: a part has no whole rounds"),
    ] {
        let said = home.agon(format!("tournament tournament.toml --no-check {option}").split(' '));
        assert!(said.code == Some(2) && said.err().contains(words), "{option}: {}", said.all());
        assert!(!home.path("results").exists());
    }
}
