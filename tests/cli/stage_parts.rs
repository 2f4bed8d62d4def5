//! Parts of a stage and of a Swiss: each plays its share of what is known, and what follows is
//! known when they are merged.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::home::{Home, Said, programs};
use super::hosted_tables;
use super::machines::CopiedTo;
use super::remote::{ssh_words, sshd};
use super::support::not_tried;

/// Eight engines that always play the same, each better than the one before. Which part a match
/// belongs to follows from the bytes of their files, which are the same on all machines.
fn home() -> Home {
    home_of("agon-greedy")
}

/// The same, with this name of the program that plays.
fn home_of(greedy: &str) -> Home {
    let home = Home::new();
    for number in 1..=8 {
        let arguments = "\"{side}\", \"{rows}\", \"{columns}\", \"{planes}\", \"{seconds}\"";
        let toml = format!("command = [\"./play\"]\nargs = [{arguments}, \"{number}0\"]\n");
        home.put(format!("engines/g{number}/engine.toml"), toml);
        home.put_program(format!("engines/g{number}/play"), format!("#!/bin/sh\nexec {greedy} \"$@\"\n"));
    }
    let common =
        "engines = \"engines\"\ngame = \"letters:4x4x2\"\nst = 5\ngames = 2\nseed = 7\nconcurrency = 1\n";
    let groups = "[[stages]]\nname = \"groups\"\ngroups = 2\nadvance = 2\n";
    let last = "[[stages]]\nname = \"final\"\nformat = \"knockout\"\n";
    home.put("cup.toml", format!("{common}{groups}{last}"));
    home.put("swiss.toml", format!("{common}format = \"swiss\"\nrounds = 3\n"));
    home
}

/// Runs a command of blanks and words.
fn agon(home: &Home, line: &str) -> Said {
    home.agon(line.split_whitespace())
}

/// Runs one that succeeds.
#[track_caller]
fn does(home: &Home, line: &str) -> String {
    let said = agon(home, line);
    assert_eq!(said.code, Some(0), "{line}\n{}", said.all());
    said.all()
}

/// Runs one that is refused with these words, in one error.
#[track_caller]
fn fails(home: &Home, line: &str, code: i32, words: &[&str]) {
    let said = agon(home, line);
    assert_eq!(said.code, Some(code), "{line}\n{}", said.all());
    assert_eq!(said.err().lines().filter(|line| line.starts_with("error: ")).count(), 1, "{}", said.all());
    for words in words {
        assert!(said.err().contains(words), "{line}: no {words:?}\n{}", said.all());
    }
}

/// A CSV file without the columns that differ from one run of the same games to another.
fn table(home: &Home, file: &str) -> Vec<Vec<String>> {
    let text = home.read(file);
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let is_time = |name: &str| name.ends_with("_ms") || ["started", "finished"].contains(&name);
    let kept: Vec<usize> = (0..rows[0].len()).filter(|at| !is_time(&rows[0][*at])).collect();
    rows.iter().map(|row| kept.iter().map(|at| row[*at].to_owned()).collect()).collect()
}

#[test]
fn of_a_game_that_comes_twice_the_one_that_counts_stays_with_what_was_decided_about_it() {
    let home = home();
    // The third part is of another cut, and has games that the others have too.
    for (out, part) in [("one", "1/2"), ("two", "2/2"), ("other", "1/3")] {
        does(&home, &format!("tournament cup.toml --out {out} --part {part} --no-check"));
    }
    does(&home, "merge all one two");
    assert!(does(&home, "merge all other").contains(" 0 games taken in"));
    let listed = does(&home, "games other");
    let id =
        listed.lines().find_map(|line| line.split(' ').next().filter(|id| id.starts_with("r0"))).unwrap();
    let decided = does(&home, &format!("decide all {id} void --why twice --yes"));
    assert!(!decided.contains("history"), "{decided}");
    let is_void =
        || does(&home, "games all").lines().any(|line| line.starts_with(id) && line.contains(" void "));
    assert!(is_void() && does(&home, "verify all").contains(" 0 differences in all"), "{decided}");
    does(&home, "tournament cup.toml --out all --no-check");
    assert!(is_void() && does(&home, "verify all").contains(" 0 differences in all"));
}

#[test]
fn the_parts_of_a_group_stage_make_the_cup_that_one_machine_would_have_played() {
    let home = home();
    does(&home, "tournament cup.toml --out whole --no-check");
    // Which part a match belongs to follows from the programs too, so a part may have none.
    let mut shares = Vec::new();
    for part in 1..=3 {
        let said = does(&home, &format!("tournament cup.toml --out part-{part} --part {part}/3 --no-check"));
        assert!(said.contains(&format!("groups: part {part} of 3 is finished; agon merge")), "{said}");
        let status = does(&home, &format!("status part-{part}"));
        assert!(status.contains(&format!("stage 1: groups: part {part} of 3 finished, ")), "{status}");
        let json = agon(&home, &format!("status part-{part} --json")).out();
        let json: Value = serde_json::from_str(json.trim()).unwrap();
        assert_eq!(json["parts"][0], format!("{part}/3"));
        assert!(json["over"] == true && json["games"] == json["planned"], "{json}");
        let share = json["games"].as_u64().unwrap();
        shares.push(share);
        assert!(does(&home, &format!("verify part-{part}")).contains(" 0 with differences"));
        // A part that is called again plays nothing.
        let again = does(&home, &format!("tournament cup.toml --out part-{part} --part {part}/3"));
        assert!(share == 0 || again.contains("games have been played already and count"), "{again}");
        assert!(!home.path(format!("part-{part}/stage-2")).exists());
    }
    assert_eq!(shares.iter().sum::<u64>(), 24);
    // One is missing, and then one comes twice.
    let missing = does(&home, "merge all part-3 part-1");
    if shares[1] > 0 {
        assert!(
            missing.contains("of 24 games are there, ") && missing.contains("--out all and without --part")
        );
        let missing = does(&home, "plan --missing all/stage-1 --parts 3");
        assert!(missing.contains(", part 2/3\n") && !missing.contains(", part 1/3\n"), "{missing}");
    }
    let merged = does(&home, "merge all part-1 part-2");
    assert!(merged.contains("part-1/stage-1: 0 games taken in\n"), "{merged}");
    assert!(merged.ends_with("all/stage-1: all 24 games are there; groups is over\n"), "{merged}");
    let status = does(&home, "status all");
    assert!(status.contains("stage 1: groups: over, 24 games; first: "), "{status}");
    assert!(does(&home, "verify all").contains("24 games checked, 0 with differences"));
    // The next stage follows, and the files of the first are written.
    does(&home, "tournament cup.toml --out all --no-check");
    for file in [
        "stages.csv",
        "places.csv",
        "bracket.txt",
        "stage-1/crosstable.csv",
        "stage-1/ratings.csv",
        "stage-2/crosstable.csv",
        "stage-2/ratings.csv",
    ] {
        assert_eq!(home.read(&format!("whole/{file}")), home.read(&format!("all/{file}")), "{file}");
    }
    for stage in 1..=2 {
        for file in ["standings.csv", "games.csv"] {
            let of = |run: &str| table(&home, &format!("{run}/stage-{stage}/{file}"));
            assert!(of("whole").len() > 4);
            assert_eq!(of("whole"), of("all"), "{file} of stage {stage}");
        }
    }
    assert!(does(&home, "verify all").contains("24 games checked, 0 with differences"));
    assert!(does(&home, "status all").contains("stage 2: final: over, "));
}

#[test]
fn each_round_of_a_swiss_is_known_when_the_one_before_is_merged() {
    let home = home();
    does(&home, "tournament swiss.toml --out whole --no-check");
    let play = |part: u32| format!("tournament swiss.toml --out part-{part} --part {part}/2 --no-check");
    for round in 1..=3 {
        for part in 1..=2 {
            if round > 1 {
                does(&home, &format!("merge part-{part} all"));
            }
            let said = does(&home, &play(part));
            assert!(said.contains(&format!("stage 1, part {part} of 2: 8 engines, ")), "{said}");
            if round == 2 {
                continue;
            }
            assert!(
                does(&home, &format!("status part-{part}")).contains(&format!("part {part} of 2 finished"))
            );
            does(&home, &format!("verify part-{part}"));
        }
        if round == 1 {
            let words = [
                "part-1: part 1 of 2 has played its games of round 1, and the next round is not known: ",
                "hint: put the parts together with agon merge ALL PARTS, bring that here with agon merge part-1 ALL",
            ];
            fails(&home, &play(1), 2, &words);
        }
        let merged = does(&home, "merge all part-2 part-1");
        let words = match round {
            3 => "all: all 24 games are there; stage 1 is over\n".to_owned(),
            round => format!(
                "all: {} of {} games of the rounds 1 to {} are there",
                8 * round,
                8 * (round + 1),
                round + 1
            ),
        };
        assert!(merged.contains(&words), "{merged}");
    }
    assert!(does(&home, "verify all").contains("24 games checked, 0 with differences"));
    does(&home, "tournament swiss.toml --out all");
    for file in ["stages.csv", "places.csv", "crosstable.csv", "ratings.csv"] {
        assert_eq!(home.read(&format!("whole/{file}")), home.read(&format!("all/{file}")), "{file}");
    }
    for file in ["standings.csv", "games.csv"] {
        assert_eq!(table(&home, &format!("whole/{file}")), table(&home, &format!("all/{file}")), "{file}");
    }
    // A part of a run that is over has nothing to play.
    does(&home, "merge part-1 all");
    assert!(does(&home, &play(1)).contains("stage 1 is over; its games count"));
    // agon parallel does this; without --run it shows the commands of a round.
    home.put("hosts", ":\n");
    let shown = agon(&home, "parallel swiss.toml --sshlogin hosts --parts 2 --out shown");
    assert!(
        shown.out().contains("jobs.txt") && shown.err().contains("these play one round"),
        "{}",
        shown.all()
    );
}

#[test]
fn games_of_a_round_that_is_not_known_here_count_when_it_is() {
    let home = home();
    let play = |part: u32| format!("tournament swiss.toml --out part-{part} --part {part}/2 --no-check");
    does(&home, &play(1));
    does(&home, &play(2));
    does(&home, "merge early part-2");
    // The parts are merged into each other, and play on.
    does(&home, "merge part-1 part-2");
    does(&home, "merge part-2 part-1");
    does(&home, &play(2));
    let before = does(&home, "status early");
    let said = does(&home, "merge early part-2");
    assert!(said.contains(" of 16 games of the rounds 1 to 2 are there"), "{said}");
    let (after, part) = (does(&home, "status early"), does(&home, "status part-2"));
    let games = |status: &str| -> u64 {
        status.split(' ').find_map(|word| word.parse().ok()).unwrap_or_else(|| panic!("{status}"))
    };
    let part = games(part.split("finished, ").nth(1).unwrap());
    assert!(games(&before) < 8 && part > 8 && games(&after) == part, "{before}{after}");
    does(&home, &play(1));
    let said = does(&home, "merge early part-1");
    assert!(said.contains("early: 16 of 24 games of the rounds 1 to 3 are there"), "{said}");
    assert!(does(&home, "verify early").contains("16 games checked, 0 with differences"));
}

#[test]
fn parts_are_made_anew_when_somebody_has_withdrawn() {
    let home = home();
    let play = |part: u32| format!("tournament swiss.toml --out part-{part} --part {part}/2 --no-check");
    does(&home, &play(1));
    does(&home, &play(2));
    does(&home, "merge all part-1 part-2");
    let why = "--why 'its machine is gone'";
    assert_eq!(home.shell(&format!("agon withdraw all g3 {why}")).code, Some(0));
    let in_part = home.shell(&format!("agon withdraw part-1 g3 {why}"));
    assert!(in_part.code == Some(2) && in_part.err().contains("the other parts would not know of it"));
    let had = does(&home, "export json part-1");
    fails(
        &home,
        "merge part-1 all",
        1,
        &["an engine has withdrawn or joined there", "merge this directory into"],
    );
    assert_eq!(does(&home, "export json part-1"), had);
    assert!(does(&home, "merge all part-1").contains("part-1: 0 games taken in"));
    for part in 1..=2 {
        std::fs::remove_dir_all(home.path(format!("part-{part}"))).unwrap();
        does(&home, &format!("merge part-{part} all"));
        let said = does(&home, &play(part));
        assert!(said.contains("g3 has withdrawn from round 2"), "{said}");
    }
    let merged = does(&home, "merge all part-1 part-2");
    // A part that has the whole second round, as its programs may have it, goes on with the third.
    assert!(merged.contains("all: ") && merged.contains(" 20 games "), "{merged}");
    assert!(does(&home, "verify all").contains(" games checked, 0 with differences"));
    if merged.contains("all: 14 of 20 games of the rounds 1 to 3 are there") {
        let missing = does(&home, "plan --missing all");
        assert!(!missing.contains("g3"), "{missing}");
    }
    // A file that says it before the first game would have to say it to all parts at once.
    home.put(
        "gone.toml",
        home.read("swiss.toml") + "withdrawn = [{ engine = \"g3\", from = \"round 2\" }]\n",
    );
    let words = "gone.toml: line 9: key from of withdrawal 1: this is a part of a run";
    fails(&home, "tournament gone.toml --out new --part 1/2", 2, &[words]);
    assert!(!home.path("new").exists());
    let dry = does(&home, "tournament cup.toml --out new --part 1/2 --dry-run --no-check");
    assert!(dry.contains("groups, part 1 of 2: dry run: ") && !dry.contains("is finished"), "{dry}");
    assert!(!home.path("new").exists());
}

#[test]
fn a_part_that_is_killed_goes_on_with_what_it_has() {
    let home = home();
    home.put("long.toml", home.read("cup.toml").replace("games = 2", "games = 20"));
    let line = "agon tournament long.toml --out part-1 --part 1/2 --no-check --quiet";
    // Killed when some of its games are stored.
    let killed = home.shell(&format!(
        "{line} & run=$!; for look in $(seq 600); do sleep 0.05; \
         games=$(wc -l < part-1/stage-1/games.csv 2>/dev/null || echo 0); [ \"$games\" -gt 5 ] && break; done; \
         kill -KILL $run; wait $run"
    ));
    assert_eq!(killed.code, Some(137), "{}", killed.all());
    let status =
        home.shell("for look in $(seq 100); do agon status part-1 | grep stopped && break; sleep 0.1; done");
    assert!(status.out().contains("stage 1: groups: stopped, "), "{}", status.all());
    // Its games can be merged, and none is lost.
    does(&home, "merge all part-1");
    let had: u64 = agon(&home, "status all --json")
        .out()
        .split("\"games\":")
        .nth(1)
        .unwrap()
        .split(',')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    assert!(had > 4, "{had}");
    let again = home.shell(line);
    assert_eq!(again.code, Some(0), "{}", again.all());
    assert!(does(&home, "status part-1").contains("part 1 of 2 finished"));
    assert_eq!(home.shell(&line.replace("part-1", "part-2").replace("1/2", "2/2")).code, Some(0));
    let merged = does(&home, "merge all part-1 part-2");
    assert!(merged.ends_with("all/stage-1: all 240 games are there; groups is over\n"), "{merged}");
    assert!(does(&home, "verify all").contains("240 games checked, 0 with differences"));
}

#[test]
#[ignore = "slow"]
fn parts_of_another_cup_are_left_out_and_what_cannot_be_a_part_is_refused() {
    let home = home();
    let cup = home.read("cup.toml");
    for (name, from, to) in [
        ("four", "groups = 2\n", "groups = 4\n"),
        ("other", "advance = 2", "advance = 1"),
        ("seeded", "seed = 7\n", "seed = 7\nseeds = [\"g1\", \"g8\"]\n"),
        ("double", "groups = 2\n", "groups = 2\nformat = \"double round robin\"\n"),
        ("later", "seed = 7", "seed = 8"),
    ] {
        let text = cup.replace(from, to);
        assert_ne!(text, cup);
        home.put(format!("{name}.toml"), text);
        does(&home, &format!("tournament {name}.toml --out {name} --part 2/2 --no-check --quiet"));
    }
    does(&home, "tournament cup.toml --out part-1 --part 1/2 --no-check --quiet");
    does(&home, "merge all part-1");
    let had = does(&home, "export json all");
    for (part, words) in [
        ("four", "its groups differ"),
        ("other", "the number of those who go on differs"),
        ("seeded", "the draw of its groups differs"),
        ("double", "its format differs"),
        ("later", "seed is 8 and not 7"),
    ] {
        let words = format!("error: {part}/stage-1: left out: it is part of another run: {words}");
        fails(&home, &format!("merge all {part}"), 1, &[&words]);
        assert_eq!(does(&home, "export json all"), had, "{part}");
    }
    // Stages and single runs, and a pipe.
    does(&home, "tournament swiss.toml --out swiss --part 1/2 --no-check --quiet");
    for (line, words) in [
        ("merge all swiss", "swiss holds one run, and all the stages of a cup"),
        ("merge all part-1 swiss", "swiss holds one run, and part-1 the stages of a cup"),
        ("merge swiss part-1", "swiss holds one run, and part-1 the stages of a cup"),
        ("merge all part-1 nowhere", "nowhere: there is no run in it"),
        ("merge all part-1 -", "the stages of a cup do not come through a pipe"),
        ("merge all all", "it cannot be merged into itself"),
        (
            "tournament cup.toml --out part-1 --part 1/2 --stage 2 --no-check",
            "groups is not over in the directory of part 1 of 2",
        ),
        ("tournament cup.toml --out new --part 1/2 --seed 7 --at-most 1h", "a part has no whole rounds"),
    ] {
        fails(&home, line, 2, &[words]);
        assert!(!home.path("new").exists());
    }
    assert_eq!(does(&home, "export json all"), had);
    home.put("league.toml", cup.split("[[").next().unwrap().to_owned() + "[league]\ndivisions = 2\n");
    fails(&home, "tournament league.toml --part 1/2", 2, &["the nights of a league follow from results"]);
    home.put("unseeded.toml", cup.replace("seed = 7\n", ""));
    fails(&home, "tournament unseeded.toml --part 1/2", 2, &["give all parts the same --seed"]);
    // Another program under the same name.
    home.put("engines/g3/notes", "another g3");
    does(&home, "tournament cup.toml --out changed --part 2/2 --no-check --quiet");
    fails(
        &home,
        "merge all changed",
        1,
        &["left out: it is part of another run: the engine g3 is another program"],
    );
    assert_eq!(does(&home, "export json all"), had);
}

#[test]
fn the_parts_of_a_swiss_by_tables_are_merged_round_by_round() {
    let home = hosted_tables::class(6);
    let line =
        "tournament engines --game ./game --seats 3 --games 3 --seed 7 --isolation none --tables swiss:2";
    does(&home, &format!("{line} --out whole"));
    for round in 1..=2 {
        for part in 1..=2 {
            if round > 1 {
                does(&home, &format!("merge part-{part} all --game game"));
            }
            let said = does(&home, &format!("{line} --out part-{part} --part {part}/2"));
            assert!(said.contains(&format!("part {part} of 2 is finished")), "{said}");
        }
        if round == 1 {
            fails(&home, &format!("{line} --out part-2 --part 2/2"), 2, &["has played its games of round 1"]);
        }
        does(&home, "merge all part-1 part-2 --game game");
    }
    assert!(does(&home, "status all").contains("all: over, 12 games"));
    assert!(does(&home, "verify all --game game").contains("4 tables of a Swiss"));
    does(&home, &format!("{line} --out all"));
    assert_eq!(home.read("whole/crosstable.csv"), home.read("all/crosstable.csv"));
    assert_eq!(table(&home, "whole/standings.csv"), table(&home, "all/standings.csv"));
}

/// Whether a program is on this machine.
fn has(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok()
}

#[test]
#[ignore = "slow"]
fn agon_parallel_plays_one_round_after_the_other_and_goes_on_where_it_stopped() {
    if !has("parallel") {
        return not_tried!("GNU parallel: there is no parallel; apt-get install parallel");
    }
    let home = home();
    does(&home, "tournament cup.toml --out whole --no-check");
    home.put("hosts", ":\n");
    // Its second call fails.
    home.put_program(
        "bin/parallel",
        "#!/bin/sh\ncase \"$*\" in *jobs-2.txt*) [ -e failed ] || { : >failed; exit 1; };; esac\n\
         PATH=${PATH#*:}; exec parallel \"$@\"\n",
    );
    let line = "PATH=$PWD/bin:$PATH agon parallel cup.toml --sshlogin hosts --parts 2 --out club --run";
    let said = home.shell(line);
    assert_eq!(said.code, Some(1), "{}", said.all());
    assert!(
        said.err().contains("error: not all parts have played their share of round 2\n"),
        "{}",
        said.all()
    );
    assert!(does(&home, "status club/all").contains("stage 1: groups: over, 24 games"));
    let said = home.shell(line);
    assert_eq!(said.code, Some(0), "{}", said.all());
    for file in ["stages.csv", "places.csv", "bracket.txt", "stage-2/crosstable.csv"] {
        assert_eq!(home.read(&format!("whole/{file}")), home.read(&format!("club/all/{file}")), "{file}");
    }
    assert!(does(&home, "verify club/all").contains("24 games checked, 0 with differences"));
    // Once more there is nothing to do.
    let again = home.shell(line);
    assert!(
        again.code == Some(0) && again.out().contains("parts/1/stage-2: 0 games taken in"),
        "{}",
        again.all()
    );
}

#[test]
#[ignore = "slow"]
fn agon_parallel_takes_what_is_known_to_the_hosts() {
    if let Some(program) = ["parallel", "rsync"].into_iter().find(|program| !has(program)) {
        return not_tried!("GNU parallel over ssh: there is no {program}; apt-get install {program}");
    }
    // The PATH behind ssh has no greedy.
    let home = home_of(programs().join("agon-greedy").to_str().unwrap());
    let (_server, port) = match sshd(&home) {
        Ok(found) => found,
        Err(why) => return not_tried!("GNU parallel over ssh: {why}"),
    };
    does(&home, "tournament swiss.toml --out whole --no-check");
    home.put("hosts", ssh_words(&home, port) + "\n");
    let command = "parallel swiss.toml --sshlogin hosts --parts 2 --out club";
    let text = agon(&home, command).out();
    let remote = text.split_whitespace().find(|word| word.starts_with("agon-")).unwrap();
    let _copied = CopiedTo(Path::new(&std::env::var("HOME").unwrap()).join(remote));
    let said = does(&home, &format!("{command} --run"));
    assert!(said.contains("club/all: all 24 games are there; stage 1 is over\n"), "{said}");
    assert!(does(&home, "verify club/all").contains("24 games checked, 0 with differences"));
    assert_eq!(home.read("whole/stages.csv"), home.read("club/all/stages.csv"));
}
