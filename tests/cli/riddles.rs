//! Bots in the words of riddles.io and theaigames.com, through the adapter that ships, against a
//! scripted one.

use std::fs;
use std::path::Path;

use crate::scripted::{Scripted, ending, moves};
use crate::support::side_by_side;

/// A bot of this site through the adapter; the run has a bank of so many seconds.
fn bot(home: &Scripted, name: &str, site: &str, bank: u32, variables: &[(&str, &str)]) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (adapter, script) = (root.join("engines/adapter/riddles.py"), root.join("tests/scripted/riddles.py"));
    let toml = format!(
        "command = [\"python3\", {adapter:?}]\nargs = [{site:?}, \"{{game}}\", \"{{side}}\", \"{{to_move}}\", \
         \"{{control}}\", \"{bank}\", \"python3\", {script:?}]\ngames = [\"connect4\", \"mnk\"]\n"
    );
    home.logged(name, &toml, variables);
}

/// Bots of this site for `connect4` or `mnk`, of these modes.
fn pair_with_bank(site: &str, game: &str, one: &str, two: &str, bank: u32) -> Scripted {
    let home = Scripted::new();
    for (name, mode) in [("one", one), ("two", two)] {
        bot(&home, name, site, bank, &[("MODE", mode), ("GAME", game)]);
    }
    home
}

fn pair(site: &str, game: &str, one: &str, two: &str) -> Scripted {
    pair_with_bank(site, game, one, two, 0)
}

#[test]
fn a_bot_is_told_the_settings_once_and_the_field_in_each_turn() {
    let home = pair_with_bank("riddles", "connect4", "plain", "comments", 10);
    let games = home.play("--game connect4 --games 2 --st 0.5 --bank 10 --concurrency 1");
    assert!(moves(&games[0]).starts_with("X,1 O,1 X,1 O,1 X,1 O,1 X,2"), "{}", moves(&games[0]));
    let log = home.log("two");
    let field = format!(".{}", ",.".repeat(41));
    let first: Vec<&str> = log.iter().take(12).map(String::as_str).collect();
    assert_eq!(
        first,
        [
            "STARTED",
            "settings timebank 10000",
            "settings time_per_move 500",
            "settings player_names player0,player1",
            "settings your_bot player1",
            "settings your_botid 1",
            "settings field_width 7",
            "settings field_height 6",
            "settings max_rounds 21",
            "update game round 1",
            // The bottom row is the last one.
            &format!("update game field {}0,.,.,.,.,.,.", &field[..70]),
            "action move 10500"
        ]
    );
    assert_eq!(log[12], "update game round 2");
    assert_eq!(log.iter().filter(|line| *line == "STARTED").count(), 2, "each game has a new process");
    assert_eq!(log.iter().filter(|line| *line == "LEFT").count(), 2);
    assert_eq!(log.iter().filter(|line| line.starts_with("settings timebank")).count(), 2);
}

#[test]
fn the_older_site_counts_from_one_and_joins_rows_by_semicolons() {
    let home = pair("theaigames", "mnk", "plain", "plain");
    let games = home.play("--game mnk:3x2,2 --games 2 --tc 60+0.5 --concurrency 1");
    // From the top left.
    assert_eq!(moves(&games[0]), "X,a2 O,b2 X,c2 O,a1");
    let log = home.log("two");
    for line in [
        "settings timebank 60000",
        "settings time_per_move 500",
        "settings player_names player1,player2",
        "settings your_botid 2",
        "settings field_columns 3",
        "settings field_rows 2",
        "update game field 1,0,0;0,0,0",
        "action move 60000",
    ] {
        assert!(log.iter().any(|logged| logged == line), "{line}: {log:?}");
    }
}

#[test]
fn an_opening_is_in_the_field() {
    let home = pair("theaigames", "connect4", "plain", "plain");
    let rows = "......./......./......./......./......./...X...";
    fs::write(home.path("openings"), format!("7 7\n{rows}\n")).unwrap();
    let games = home.play("--game connect4 --games 4 --openings openings --concurrency 1");
    assert!(games.iter().all(|game| ending(game).0 == "\"normal\""));
    let log = home.log("one");
    for end in ["0,0,0,0,0,0,2;0,0,0,0,0,0,1", "0,0,0,0,0,0,0;0,0,0,1,0,0,0"] {
        assert!(log.iter().any(|line| line.ends_with(end)), "{end}: {log:?}");
    }
    home.verify();
}

#[test]
#[ignore = "slow"]
fn what_goes_wrong_is_named() {
    let expected = [
        ("connect4", "talks", "protocol", "\"O,no idea\""),
        ("connect4", "no-moves", "protocol", "\"O,no_moves\""),
        ("connect4", "outside", "illegal_move", "\"O,8\""),
        ("connect4", "huge", "protocol", "\"O,18446744073709551616\""),
        ("connect4", "slow", "time_forfeit", "no answer within"),
        ("mnk", "outside", "protocol", "\"O,place_move 0 3\""),
        ("mnk", "taken", "illegal_move", "\"O,a3\""),
    ];
    side_by_side(&expected, |&(game, mode, cause, words)| {
        let home = pair("riddles", game, "plain", mode);
        let spec = if game == "mnk" { "mnk:3x3,3" } else { game };
        // Its opponent has time enough on a busy machine.
        let times = if mode == "slow" { "--st 10 --time two=st=0.5" } else { "--st 10" };
        let games = home.play(&format!("--game {spec} --games 2 --concurrency 1 {times}"));
        let (termination, why) = ending(&games[0]);
        assert!(termination.contains(cause) && why.contains(words), "{game} {mode}: {termination} {why}");
        assert_eq!(games[0]["result"], "1-0", "{mode}");
        home.verify();
    });
}

#[test]
fn a_bank_is_drawn_on_and_told() {
    let home = pair_with_bank("riddles", "mnk", "plain", "plain", 60);
    bot(&home, "one", "riddles", 60, &[("GAME", "mnk"), ("MODE", "slow"), ("SLEEP", "0.5")]);
    let games = home.play("--game mnk:3x3,3 --games 2 --st 0.2 --bank 60 --concurrency 1");
    assert_eq!(ending(&games[0]).0, "\"normal\"");
    let log = home.log("one");
    let told: Vec<u64> =
        log.iter().filter_map(|line| line.strip_prefix("action move ")?.parse().ok()).collect();
    assert_eq!(told[0], 60_200);
    assert!(told[1] < 60_000, "{told:?}");
}

#[test]
fn the_old_names_are_refused_with_the_lines_to_write() {
    for site in ["riddles", "theaigames"] {
        let home = Scripted::new();
        home.mover("one");
        home.engine("two", "riddles.py", &format!("protocol = \"{site}\"\n"), &[]);
        let why = home.refused("--game connect4");
        assert!(why.contains("two/engine.toml") && why.contains("line 2"), "{why}");
        assert!(why.contains("engines/adapter/riddles.py\"] and args = [\"") && why.contains(site), "{why}");
    }
}

#[test]
fn twenty_games_with_a_sample_engine_are_proved() {
    for (protocol, game, spec) in [("riddles", "connect4", "connect4"), ("theaigames", "mnk", "mnk:5x4,4")] {
        let home = pair(protocol, game, "plain", "plain");
        home.mover("two");
        let games = home.play(&format!("--game {spec} --games 20 --random-plies 2"));
        assert_eq!(games.len(), 20);
        assert!(games.iter().all(|game| ending(game).0 == "\"normal\""));
        assert!(home.verify().contains("20 games"));
    }
}

#[test]
fn check_names_what_a_bot_says_that_is_no_move() {
    let home = pair("riddles", "connect4", "plain", "talks");
    let (well, said) = home.check("one", "--game connect4");
    assert!(well, "{said}");
    let (well, said) = home.check("two", "--game connect4");
    assert!(!well && said.contains("no idea"), "{said}");
}
