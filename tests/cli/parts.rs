//! A run that is cut into parts for several machines, and the parts that are put together.

use std::fs;

use serde_json::Value;

use super::home::{Home, Said};
use crate::support::MOVER;

/// A folder with four engines that play random legal moves.
pub(super) fn home() -> Home {
    let home = Home::new();
    let mover = MOVER;
    for name in ["ada", "bob", "cy", "dora"] {
        let toml = format!(
            "command = [{mover:?}]\nargs = [\"{{game}}\", \"{{side}}\", \"{{seconds}}\", \"{{position}}\"]\n"
        );
        home.put(format!("engines/{name}/engine.toml"), &toml);
    }
    home
}

const OPTIONS: &str = "--game mnk:5x5,4 --games 4 --st 5 --seed 7 --concurrency 1";

/// Runs a command of blanks and words.
pub(super) fn agon(home: &Home, line: &str) -> Said {
    home.agon(line.split_whitespace())
}

pub(super) fn plays(home: &Home, more: &str) -> Said {
    let said = agon(home, &format!("tournament engines {OPTIONS} {more}"));
    assert_eq!(said.code, Some(0), "{}", said.all());
    said
}

/// The games that count, without what differs from run to run.
pub(super) fn games(home: &Home, directory: &str) -> Vec<(String, Vec<String>, String)> {
    let lines = agon(home, &format!("export json {directory}")).out();
    let mut games: Vec<_> = lines
        .lines()
        .map(|line| {
            let game: Value = serde_json::from_str(line).unwrap();
            let plies = game["plies"].as_array().unwrap();
            let moves = plies.iter().map(|ply| ply["text"].as_str().unwrap().to_owned()).collect();
            (game["key"].as_str().unwrap().to_owned(), moves, game["verdict"].to_string())
        })
        .collect();
    games.sort();
    games
}

#[test]
fn parts_make_the_run_that_one_machine_would_have_played() {
    let home = home();
    plays(&home, "--out whole");
    let all = games(&home, "whole");
    assert_eq!(all.len(), 24);
    let mut sizes = Vec::new();
    for part in 1..=3 {
        plays(&home, &format!("--out part-{part} --part {part}/3"));
        let own = games(&home, &format!("part-{part}"));
        assert!(own.iter().all(|game| all.contains(game)), "part {part}");
        // Both games on a board are in the same part.
        assert_eq!(own.len() % 2, 0);
        assert_eq!(agon(&home, &format!("verify part-{part}")).code, Some(0), "part {part}");
        let status = agon(&home, &format!("status part-{part}")).out();
        assert!(
            status.contains(&format!("part-{part}: part {part} of 3 finished, {} games", own.len())),
            "{status}"
        );
        sizes.push(own.len());
    }
    assert_eq!(sizes.iter().sum::<usize>(), 24, "{sizes:?}");
    assert!(sizes.iter().filter(|size| **size > 0).count() >= 2, "{sizes:?}");
    // Which games are of which part depends on the engines' files, so a part may be empty.
    let left_out = sizes.iter().position(|size| *size > 0).unwrap();
    let missing = sizes[left_out];
    let others: Vec<String> =
        (1..=3).filter(|part| *part != left_out + 1).map(|part| format!("part-{part}")).collect();
    let first = agon(&home, &format!("merge all {}", others.join(" ")));
    assert_eq!(first.code, Some(0), "{}", first.all());
    assert!(
        first.out().contains(&format!("of 24 games are there, {missing} are missing")),
        "{}",
        first.all()
    );
    // Twice is as good as once.
    let again = agon(&home, "merge all part-1 part-2 part-3");
    let taken = format!("{}: 0 games taken in\n", others[0]);
    assert!(again.out().contains(&taken), "{}", again.all());
    assert!(again.out().ends_with("all: all 24 games are there\n"), "{}", again.all());
    assert_eq!(games(&home, "all"), all);
    let (whole, merged) =
        (agon(&home, "standings whole --csv").out(), agon(&home, "standings all --csv").out());
    let points = |table: &str| -> Vec<String> {
        table.lines().map(|row| row.split(',').take(8).collect::<Vec<_>>().join(",")).collect()
    };
    assert_eq!(points(&whole), points(&merged));
    let verified = agon(&home, "verify all");
    assert_eq!(verified.code, Some(0), "{}", verified.all());
    let resumed = plays(&home, "--out all");
    assert!(resumed.err().contains("24 games have been played already"), "{}", resumed.all());
}

#[test]
fn what_is_missing_is_played_and_a_part_goes_on() {
    let home = home();
    plays(&home, "--out part-1 --part 1/2");
    let again = plays(&home, "--out part-1 --part 1/2");
    assert!(again.err().contains("games have been played already and count"), "{}", again.all());
    assert_eq!(agon(&home, "merge all part-1").code, Some(0));
    let had = games(&home, "all");
    plays(&home, "--out all");
    let all = games(&home, "all");
    assert!(all.len() == 24 && had.len() < 24 && had.iter().all(|game| all.contains(game)));
}

#[test]
fn a_part_of_another_run_is_left_out_whole() {
    let home = home();
    plays(&home, "--out part-1 --part 1/2");
    assert_eq!(agon(&home, "merge all part-1").code, Some(0));
    let before = games(&home, "all");
    let other = OPTIONS.replace("--seed 7", "--seed 8");
    let played = agon(&home, &format!("tournament engines {other} --out other --part 2/2"));
    assert_eq!(played.code, Some(0), "{}", played.all());
    let said = agon(&home, "merge all other");
    assert_eq!(said.code, Some(1), "{}", said.all());
    assert!(
        said.err().contains("other: left out: it is part of another run: seed is 8 and not 7"),
        "{}",
        said.all()
    );
    home.put("engines/bob/notes", "another bob");
    plays(&home, "--out changed --part 2/2");
    let said = agon(&home, "merge all changed");
    assert!(
        said.code == Some(1) && said.err().contains("the engine bob is another program"),
        "{}",
        said.all()
    );
    // A copy that was cut short.
    fs::remove_file(home.path("engines/bob/notes")).unwrap();
    plays(&home, "--out torn --part 2/2");
    let database = home.path("torn/agon.db");
    let whole = fs::read(&database).unwrap();
    fs::write(&database, &whole[..whole.len() / 2]).unwrap();
    let said = agon(&home, "merge all torn");
    assert!(said.code == Some(1) && said.err().contains("torn: left out: "), "{}", said.all());
    fs::write(&database, &whole).unwrap();
    assert_eq!(games(&home, "all"), before);
}

#[test]
fn wrong_parts_are_refused_in_words() {
    let home = home();
    for (line, words) in [
        ("tournament engines --seed 1 --part 0/3", "it is no part of a whole; write one like 2/8"),
        ("tournament engines --seed 1 --part 4/3", "it is no part of a whole; write one like 2/8"),
        ("tournament engines --seed 1 --part 2", "it is no part of a whole; write one like 2/8"),
        ("tournament engines --part 1/2", "give all parts the same --seed"),
        ("tournament engines --seed 1 --part 1/2 --st 1 --st 2", "at several time controls is not cut"),
        ("merge all nowhere", "nowhere: there is no run in it"),
        ("merge all", "FROM"),
    ] {
        let said = agon(&home, line);
        assert!(said.code == Some(2) && said.err().contains(words), "{line}: {}", said.all());
    }
    home.put("cup.toml", "engines = \"engines\"\nseed = 1\n[league]\ndivisions = 1\n");
    let said = agon(&home, "tournament cup.toml --part 1/2");
    assert!(said.code == Some(2) && said.err().contains("are not cut into parts"), "{}", said.all());
    plays(&home, "--out part-1 --part 1/2");
    let two = "match engines/ada engines/bob --game mnk:5x5,4 --games 8 --st 5 --seed 7 --out";
    for (line, words) in [
        (format!("{two} m --part 3/2"), "it is no part of a whole"),
        (format!("{two} m --part 1/2 --sprt 0,50"), "cannot be used with"),
        ("plan --missing part-1 --parts 0".to_owned(), "a run has one part at least"),
        ("merge all - -".to_owned(), "standard input can be read only once"),
    ] {
        let said = agon(&home, &line);
        assert!(said.code == Some(2) && said.err().contains(words), "{line}: {}", said.all());
    }
    for part in 1..=2 {
        let said = agon(&home, &format!("{two} match-{part} --part {part}/2"));
        assert_eq!(said.code, Some(0), "{}", said.all());
    }
    let said = agon(&home, "merge match match-1 match-2");
    assert!(said.out().ends_with("match: all 8 games are there\n"), "{}", said.all());
    let said = agon(&home, "merge part-1 part-1");
    assert!(said.code == Some(2) && said.err().contains("it cannot be merged into itself"), "{}", said.all());
}

#[test]
fn games_come_through_a_pipe_and_wrong_ones_are_left_out_by_name() {
    let home = home();
    plays(&home, "--out part-1 --part 1/2");
    plays(&home, "--out part-2 --part 2/2");
    let missing = games(&home, "part-2").len();
    assert_eq!(agon(&home, "merge all part-1").code, Some(0));
    let planned = agon(&home, "plan --missing all --parts 2").out();
    assert!(
        planned.ends_with(&format!(
            "part 2/2: {missing} games are missing\n{missing} of 24 games are missing\n"
        )),
        "{planned}"
    );
    let lines = planned.lines().filter(|line| line.starts_with("round ") && line.ends_with(", part 2/2"));
    assert!(lines.count() > 0 && !planned.contains("part 1/2"), "{planned}");
    let json: Value = serde_json::from_str(&agon(&home, "plan --missing all --json").out()).unwrap();
    assert_eq!((&json["planned"], &json["missing"]), (&24.into(), &missing.into()));
    let had = games(&home, "all");
    // Input that was cut short, in a line or at its end, and a move that the rules refuse: nothing
    // is taken in.
    for (change, words) in [
        ("head -c -40", "left out: line"),
        ("head -c -1", "has no end, the input was cut short"),
        ("sed '$s/\"text\":\"[^\"]*\"/\"text\":\"z9\"/'", "key plies[0]"),
    ] {
        let said = home.shell(&format!("agon export json part-2 | {change} | agon merge all -"));
        let errors = said.err().lines().filter(|line| line.starts_with("error: ")).count();
        assert!(
            said.code == Some(1) && errors == 1 && said.err().contains(words),
            "{change}: {}",
            said.all()
        );
        assert_eq!(games(&home, "all"), had, "{change}");
    }
    // Games of other conditions, engines and rules.
    let other = OPTIONS.replace("--seed 7", "--seed 8");
    assert_eq!(agon(&home, &format!("tournament engines {other} --out other --part 2/2")).code, Some(0));
    home.put("engines/bob/notes", "another bob");
    plays(&home, "--out changed");
    let ruled = OPTIONS.replace("5x5,4", "4x4,4");
    assert_eq!(agon(&home, &format!("tournament engines {ruled} --out ruled --part 2/2")).code, Some(0));
    for (from, words) in [
        ("other", "its conditions are others: key "),
        ("ruled", "its rules are mnk:4x4,4 and not mnk:5x5,4"),
        ("changed", "the engine bob is another program"),
    ] {
        let said = home.shell(&format!("agon export json {from} | agon merge all -"));
        assert!(said.code == Some(1), "{}", said.all());
        assert!(said.err().contains("error: standard input: left out: game r"), "{}", said.all());
        assert!(said.err().contains(words), "{from}: {}", said.all());
        if from != "changed" {
            assert_eq!(games(&home, "all"), had, "{from}");
        }
    }
    // The rest, twice.
    let said = home.shell("agon export json part-2 | agon merge all -");
    assert!(said.code == Some(0) && said.out().ends_with("all 24 games are there\n"), "{}", said.all());
    let said = home.shell("agon export json part-2 | agon merge all - part-1");
    assert!(said.out().contains("standard input: 0 games taken in\n"), "{}", said.all());
    assert_eq!(agon(&home, "verify all").code, Some(0));
    assert_eq!(agon(&home, "plan --missing all").out(), "0 of 24 games are missing\n");
}

#[test]
fn a_full_disk_in_the_middle_of_a_merge_leaves_what_was_there() {
    let home = home();
    let options = OPTIONS.replace("--games 4", "--games 12");
    for part in 1..=2 {
        let line = format!("tournament engines {options} --out part-{part} --part {part}/2");
        assert_eq!(agon(&home, &line).code, Some(0));
    }
    assert_eq!(agon(&home, "merge all part-1").code, Some(0));
    let had = games(&home, "all");
    // In blocks of half a kilobyte: more than the 32 KiB that SQLite needs to read, less than the
    // games.
    for directory in ["fresh", "all"] {
        let said = home.shell(&format!("(ulimit -f 72; exec agon merge {directory} part-2) 2>&1 | cat"));
        let text = said.out();
        assert_eq!(text.lines().filter(|line| line.starts_with("error: ")).count(), 1, "{text}");
        assert!(text.contains("part-2: left out: cannot write "), "{text}");
    }
    assert_eq!(games(&home, "all"), had);
    assert!(
        fs::read_dir(home.path("fresh"))
            .unwrap()
            .all(|entry| { !entry.unwrap().file_name().to_string_lossy().contains("agon.db") })
    );
    assert_eq!(agon(&home, "verify all").code, Some(0));
    let said = agon(&home, "merge all part-2");
    assert!(said.out().ends_with("all 72 games are there\n"), "{}", said.all());
}

#[test]
fn hosts_are_compared_and_the_games_of_one_are_forgotten() {
    let home = home();
    for (part, host) in [(1, "lab-quick"), (2, "lab-tardy")] {
        let said = home.shell(&format!(
            "AGON_HOST={host} agon tournament engines {OPTIONS} --out part-{part} --part {part}/2"
        ));
        assert_eq!(said.code, Some(0), "{}", said.all());
    }
    let (fast, slow) = (games(&home, "part-1").len(), games(&home, "part-2").len());
    // One by its directory and one through a pipe.
    let said = home.shell("agon merge all part-1 && agon export json part-2 | agon merge all -");
    assert_eq!(said.code, Some(0), "{}", said.all());
    let table = agon(&home, "standings all --hosts").out();
    let games_of = |host: &str| table.lines().any(|line| line.starts_with(host));
    assert!(games_of("lab-quick") && games_of("lab-tardy"), "{table}");
    assert!(table.contains("2 hosts: "), "{table}");
    assert!(table.contains("there are no time forfeits"), "{table}");
    let verified = agon(&home, "verify all");
    assert!(verified.code == Some(0) && verified.out().contains("2 hosts: "), "{}", verified.all());
    // No page names them, and an export only if it may.
    assert_eq!(agon(&home, "report all --out report").code, Some(0));
    assert_eq!(home.shell("grep -rl 'lab-tardy' report").out(), "");
    assert!(agon(&home, "export json all").out().contains("\"host\":{\"name\":\"lab-tardy\""));
    assert!(!agon(&home, "export json all --no-hosts").out().contains("\"host\""));
    let unknown = agon(&home, "forget all --host ws9");
    assert!(
        unknown.code == Some(2) && unknown.err().contains("the hosts are lab-quick, lab-tardy"),
        "{}",
        unknown.all()
    );
    let shown = agon(&home, "forget all --host lab-tardy").out();
    assert!(shown.contains(&format!("all: {slow} games would become history")), "{shown}");
    assert_eq!(agon(&home, "forget all --host lab-tardy --yes").code, Some(0));
    assert_eq!(games(&home, "all").len(), fast);
    assert_eq!(agon(&home, "verify all").code, Some(0));
    // The same part does not bring them back, and the run plays them anew.
    let merged = agon(&home, "merge all part-2");
    assert!(merged.out().contains(&format!("{slow} are missing")), "{}", merged.all());
    plays(&home, "--out all");
    assert_eq!(games(&home, "all").len(), 24);
    let verified = agon(&home, "verify all");
    assert_eq!(verified.code, Some(0), "{}", verified.all());
    let again = agon(&home, "standings all --hosts").out();
    assert!(!again.contains("lab-tardy"), "{again}");
}

#[test]
#[ignore = "slow"]
fn a_part_of_a_large_plan_needs_little_memory() {
    let home = Home::new();
    let mover = MOVER;
    for number in 1..=500 {
        let toml = format!("command = [{mover:?}]\nargs = [\"{{game}}\", \"{{side}}\", \"{{seconds}}\"]\n");
        home.put(format!("engines/e{number}/engine.toml"), toml);
    }
    // 1,247,500 games in 1,000 parts. 50 MB are promised, and the bound has room for another
    // system.
    home.put(
        "peak.py",
        "import resource, subprocess, sys\n\
         code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode\n\
         print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)\n\
         sys.exit(code)\n",
    );
    let said = home.shell(
        "python3 peak.py agon tournament engines --game mnk:3x3,3 --games 10 --st 5 --seed 7 --part 3/1000 \
         --out part --dry-run --no-check --quiet",
    );
    assert_eq!(said.code, Some(0), "{}", said.all());
    let peak: u64 = said.out().trim().parse().unwrap();
    assert!((1..100).contains(&peak), "{peak} MiB");
}
