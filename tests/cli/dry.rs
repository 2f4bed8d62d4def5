//! `agon tournament --dry-run`: everything before the first game, and nothing else.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::home::{Home, Said};

const OPTIONS: &str = "--games 2 --st 5 --max-plies 6 --seed 5 --out run";

fn agon(home: &Home, words: &str) -> Said {
    home.agon(words.split_whitespace())
}

/// What a dry run says of the games, each line with a time behind it.
fn untimed(said: &Said) -> String {
    let text = said.out();
    let mut untimed = String::new();
    for line in text.lines() {
        let (plan, time) =
            line.split_once(" would be played").map_or((line, None), |(plan, time)| (plan, Some(time)));
        let is_time = |time: &str| {
            time.starts_with(", about ") && time.ends_with(" seconds") || time == ", about 1 second"
        };
        assert!(time.is_none_or(is_time), "{text}");
        untimed.push_str(&format!("{plan}{}\n", if time.is_some() { " would be played" } else { "" }));
    }
    untimed
}

#[test]
fn a_run_says_how_long_it_takes_before_its_first_game() {
    let home = Home::with_two();
    // Without a try and without a game the clock alone is known.
    let words = "tournament engines --game connect4 --games 100 --st 60 --max-plies 10 --no-check --dry-run --out other";
    let engine =
        "command = [\"agon-mover\"]\nargs = [\"{game}\", \"{side}\", \"{control}\", \"{position}\"]\n";
    for (name, other) in [("one", "greedy"), ("two", "random")] {
        home.put(format!("engines/{name}/engine.toml"), engine);
        fs::remove_file(home.path(format!("engines/{other}"))).unwrap();
    }
    let said = agon(&home, words);
    let text = said.out();
    assert!(
        text.contains("100 would be played, up to ") && text.ends_with(" by the clock\n"),
        "{}",
        said.all()
    );
    assert!(text.contains(" hours by "), "{text}");
    // The games of a run tell the time of those that follow.
    let run = "tournament engines --game connect4 --st 60 --max-plies 10 --out run";
    assert_eq!(agon(&home, &format!("{run} --games 2 --quiet")).code, Some(0));
    let said = agon(&home, &format!("{run} --games 4 --dry-run --no-check"));
    assert_eq!(untimed(&said), "dry run: 4 games in the plan; 2 count already, 2 would be played\n");
    let started =
        agon(&home, "tournament engines --game connect4 --games 2 --st 60 --max-plies 10 --out third");
    let line = started.err().lines().find(|line| line.starts_with("2 games, up to ")).map(str::to_owned);
    assert!(line.is_some_and(|line| line.ends_with(" minutes by the clock")), "{}", started.all());
}

#[test]
fn a_match_says_before_its_first_game_what_is_known_of_the_time() {
    let home = Home::with_two();
    let line = |said: &Said| {
        let all = said.all();
        all.lines().find(|line| line.contains(" games, ")).map(str::to_owned)
    };
    let engines = "match engines/greedy engines/random --game connect4 --max-plies 10";
    let said = agon(&home, &format!("{engines} --games 4 --st 60"));
    let time = line(&said).unwrap_or_else(|| panic!("{}", said.all()));
    assert!(time.starts_with("4 games, up to ") && time.ends_with(" minutes by the clock"), "{time}");
    // A pair and games without a clock say nothing, and neither do games that are soon over.
    for words in ["--games 2 --st 60", "--games 4 --st 0.5", "--games 4 --no-clock"] {
        assert_eq!(line(&agon(&home, &format!("{engines} {words}"))), None, "{words}");
    }
    let referees = Path::new(env!("CARGO_MANIFEST_DIR")).join("referees");
    let player = referees.join("random-player").display().to_string();
    let game = referees.join("dots").display().to_string();
    let said = home.agon(["match", &player, &player, "--game", &game, "--games", "4"]);
    let time = line(&said).unwrap_or_else(|| panic!("{}", said.all()));
    assert_eq!(time, "4 games, and the first one will show how long they take");
}

/// All files below a directory with their bytes; the log of SQLite may come and go.
fn files(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(directory).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            all.extend(files(&path));
        } else if !path.to_string_lossy().contains("agon.db-") {
            all.insert(path.display().to_string(), fs::read(&path).unwrap());
        }
    }
    all
}

#[test]
fn a_dry_run_counts_the_games_and_changes_no_file() {
    let home = Home::with_two();
    let first = agon(&home, &format!("tournament engines {OPTIONS} --dry-run"));
    assert_eq!(first.code, Some(0), "{}", first.all());
    assert_eq!(untimed(&first), "dry run: 2 games in the plan; 0 count already, 2 would be played\n");
    assert!(first.err().contains("; results in run\n"), "{}", first.all());
    assert!(!home.path("run").exists());
    assert_eq!(agon(&home, &format!("tournament engines {OPTIONS} --quiet")).code, Some(0));
    home.engine("engines/third", "agon-random");
    let before = files(&home.path("run"));
    let events = format!("tournament engines {OPTIONS} --dry-run --events events.jsonl");
    let later = agon(&home, &events);
    assert_eq!(untimed(&later), "dry run: 6 games in the plan; 2 count already, 4 would be played\n");
    assert!(later.err().contains("third is new: its 2 pairings are played\n"), "{}", later.all());
    assert!(later.err().contains("trying 3 engines ...\nall of them play\n"), "{}", later.all());
    assert!(!home.path("events.jsonl").exists());
    assert_eq!(files(&home.path("run")), before);
    // Engines that go become history, and their games count again when they are back.
    let gone = agon(&home, &format!("tournament engines {OPTIONS}"));
    assert_eq!(gone.code, Some(0), "{}", gone.all());
    std::fs::rename(home.path("engines/third"), home.path("third")).unwrap();
    let dry = agon(&home, &format!("tournament engines {OPTIONS} --dry-run --again"));
    assert!(dry.err().contains("4 games that counted would be history\n"), "{}", dry.all());
    assert_eq!(agon(&home, &format!("tournament engines {OPTIONS} --quiet --again")).code, Some(0));
    std::fs::rename(home.path("third"), home.path("engines/third")).unwrap();
    let back = agon(&home, &format!("tournament engines {OPTIONS}"));
    assert!(back.err().contains("third is back: its 4 older games count again\n"), "{}", back.all());
}

#[test]
fn a_dry_run_refuses_what_the_run_would_refuse_and_finds_engines_that_cannot_play() {
    let home = Home::with_two();
    assert_eq!(agon(&home, &format!("tournament engines {OPTIONS} --quiet")).code, Some(0));
    let other = agon(&home, "tournament engines --game connect4 --out run --dry-run");
    let real = agon(&home, "tournament engines --game connect4 --out run");
    assert_eq!((other.code, real.code), (Some(2), Some(2)), "{}", other.all());
    let error = |said: &Said| said.err().lines().find(|line| line.starts_with("error: ")).map(str::to_owned);
    assert_eq!(error(&other), error(&real));
    home.put("engines/lost/engine.toml", "command = [\"./made\"]\nbuild = [\"false\"]\n");
    assert_eq!(agon(&home, &format!("tournament engines {OPTIONS} --dry-run")).code, Some(2), "it builds");
    home.put("engines/lost/engine.toml", "command = [\"false\"]\n");
    let tried = agon(&home, &format!("tournament engines {OPTIONS} --dry-run"));
    assert_eq!(tried.code, Some(1), "{}", tried.all());
    assert!(tried.err().contains("lost    cannot play"), "{}", tried.all());
    let untried = agon(&home, &format!("tournament engines {OPTIONS} --dry-run --no-check"));
    assert_eq!(untried.code, Some(0), "{}", untried.all());
}

#[test]
fn a_dry_run_of_a_cup_tells_of_the_stage_that_comes_next_and_of_those_after_it() {
    let home = Home::with_two();
    home.engine("engines/third", "agon-random");
    home.put(
        "cup.toml",
        "engines = \"engines\"\nst = 5\ngame = \"letters:3x3x1\"\nseed = 5\ngames = 2\nout = \"cup\"\n\
         [[stages]]\nname = \"all\"\nformat = \"round robin\"\nadvance = 2\n\
         [[stages]]\nname = \"final\"\nformat = \"knockout\"\n",
    );
    let first = agon(&home, "tournament cup.toml --dry-run");
    assert_eq!(first.code, Some(0), "{}", first.all());
    assert_eq!(
        untimed(&first),
        "all: dry run: 6 games in the plan; 0 count already, 6 would be played\n\
         later: final: 2 engines in groups of 2, 1 pairing, 2 games\n"
    );
    assert!(!home.path("cup").exists());
    assert_eq!(agon(&home, "tournament cup.toml --quiet --stage 1").code, Some(0));
    let before = files(&home.path("cup"));
    let second = agon(&home, "tournament cup.toml --dry-run");
    assert_eq!(untimed(&second), "final: dry run: 2 games in the plan; 0 count already, 2 would be played\n");
    assert!(second.err().contains("all is over; its games count"), "{}", second.all());
    assert_eq!(files(&home.path("cup")), before);
    home.put(
        "league.toml",
        "engines = \"engines\"\nst = 5\ngame = \"letters:3x3x1\"\nseed = 5\ngames = 2\nout = \"league\"\n\
         [league]\ndivisions = 1\n",
    );
    let league = agon(&home, "tournament league.toml --dry-run");
    assert_eq!(
        untimed(&league),
        "night 1: dry run: 6 games in the plan; 0 count already, 6 would be played\n"
    );
    assert!(!home.path("league").exists(), "{}", league.all());
}
