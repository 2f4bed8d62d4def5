//! Questions about a directory of results, and runs that continue in one.

use std::fs;

use super::home::{Home, Said, programs};
use crate::support::copy_program;

const RUN: &str = "tournament engines --games 2 --st 2 --game letters:3x3x1 --seed 5 --out run";

fn done(home: &Home, words: &str) -> Said {
    let said = home.agon(words.split(' '));
    assert_eq!(said.code, Some(0), "agon {words}: {}", said.all());
    said
}

fn with_a_bad_one() -> Home {
    let home = Home::with_two();
    home.put("engines/bad/engine.toml", toml(""));
    done(&home, &format!("{RUN} --quiet"));
    home
}

fn toml(more: &str) -> String {
    format!(
        "command = [\"agon-stub\"]\n\
         args = [\"illegal\", \"{{side}}\", \"{{rows}}\", \"{{columns}}\", \"{{planes}}\"]\n{more}"
    )
}

#[test]
fn the_same_command_again_plays_nothing_and_an_engine_that_changed_its_pairings() {
    let home = with_a_bad_one();
    let before = home.read("run/games.csv");
    let said = done(&home, RUN);
    assert!(said.err().contains("6 games have been played already and count"), "{}", said.all());
    assert_eq!(home.read("run/games.csv"), before);
    home.put("engines/bad/engine.toml", toml("# mended\n"));
    let said = done(&home, RUN);
    for words in [
        "bad has changed: its 2 pairings are played again",
        "4 games that counted are history now",
        "2 games have been played already",
    ] {
        assert!(said.err().contains(words), "{words}\n{}", said.all());
    }
    assert_eq!(home.read("run/games.csv").lines().count(), 7);
    assert!(done(&home, "history run --summary").out().starts_with("run 2: 3 engines, 6 games; "));
    assert_eq!(done(&home, "games run --all").out().lines().count(), 11);
    assert!(done(&home, "verify run").out().contains("10 games checked, 0 with differences"));
}

#[test]
fn every_table_is_made_from_the_database_alone_with_the_points_of_the_run() {
    let home = Home::with_two();
    home.engine("engines/third", "agon-random");
    let same = |points: &str| {
        done(
            &home,
            &format!(
                "tournament engines --games 8 --st 2 --game letters:3x3x1 --seed 5 --out run --quiet {points}"
            ),
        );
        done(&home, "export csv run tables");
        for table in ["standings.csv", "crosstable.csv", "games.csv"] {
            assert_eq!(home.read(&format!("tables/{table}")), home.read(&format!("run/{table}")), "{points}");
        }
        assert_eq!(done(&home, "standings run --csv").out(), home.read("run/standings.csv"), "{points}");
        assert!(done(&home, "verify run").out().contains(" 0 differences in all"));
        home.read("run/standings.csv")
    };
    let three = same("--points 3-1-0");
    assert!(done(&home, "standings run --json").out().contains("\"win\":3.0"));
    let chess = done(&home, "standings run --csv --points 1-1/2-0").out();
    assert_ne!(chess, three);
    // Other points play no game again, and are those of the run from now on.
    assert_eq!(same("--points 1-1/2-0"), chess);
    assert_eq!(home.read("run/games.csv").lines().count(), 25);
}

#[test]
fn another_tournament_in_the_directory_is_refused_with_what_differs() {
    let home = with_a_bad_one();
    let said = home.agon("tournament engines --game mill --games 2 --out run".split(' '));
    assert_eq!(said.code, Some(2), "{}", said.all());
    assert!(said.err().contains("its game is letters:3x3x1, yours is mill"), "{}", said.all());
    assert_eq!(said.err().lines().filter(|line| line.starts_with("error: ")).count(), 1);
    // Without a seed it is that of the first run.
    let said = done(&home, &RUN.replace(" --seed 5", ""));
    assert!(said.err().contains("6 games have been played already and count"), "{}", said.all());
}

#[test]
fn a_wrong_directory_of_a_later_time_control_is_refused_before_the_first_game() {
    let home = with_a_bad_one();
    std::fs::create_dir(home.path("several")).unwrap();
    std::fs::rename(home.path("run"), home.path("several/st=2")).unwrap();
    let said = home.agon("tournament engines --game mill --games 2 --st 1 --st 2 --out several".split(' '));
    assert_eq!(said.code, Some(2), "{}", said.all());
    assert!(said.err().contains("its game is letters:3x3x1, yours is mill"), "{}", said.all());
    assert_eq!(home.read("several/st=1/games.csv").lines().count(), 1, "{}", said.all());
}

#[test]
fn an_option_that_changed_plays_what_it_touches_and_the_older_games_come_back_with_it() {
    let home = with_a_bad_one();
    let before = home.read("run/games.csv");
    let run = format!("{RUN} --again");
    let said = done(&home, &format!("{run} --time bad=st=3"));
    assert!(
        said.err().contains("bad has st=3 instead of st=2: its 2 pairings are played again"),
        "{}",
        said.all()
    );
    assert!(said.err().contains("2 games have been played already"), "{}", said.all());
    let said = done(&home, &run.replace("--st 2", "--st 1"));
    let why = "the time control has changed from ";
    assert!(!said.err().contains(why) && said.err().contains("its 2 pairings"), "{}", said.all());
    let said = done(&home, &run.replace("--st 2", "--st 4"));
    assert!(said.err().contains(&format!("{why}st=1 to st=4: every pairing")), "{}", said.all());
    let said = done(&home, &run.replace("3x3x1", "3x3x2"));
    assert!(said.err().contains("game has changed from letters:3x3x1 to"), "{}", said.all());
    let said = done(&home, &run);
    assert!(said.err().contains("6 games have been played already and count"), "{}", said.all());
    assert_eq!(home.read("run/games.csv"), before);
    assert!(done(&home, "verify run").out().contains(" 0 differences in all"));
}

#[test]
fn games_that_stay_void_give_a_code_of_their_own_and_are_played_when_they_can_be() {
    let home = Home::with_two();
    home.put_program("engines/held", fs::read(programs().join("agon-random")).unwrap());
    // A program that is open for writing cannot be started, which is no entrant's fault. A copy
    // of it could.
    let run = format!("{RUN} --keep off");
    let held = fs::OpenOptions::new().append(true).open(home.path("engines/held")).unwrap();
    let said = home.agon(run.split(' '));
    assert_eq!(said.code, Some(4), "{}", said.all());
    // A game that is over before the second seat is first to move needs no second engine.
    let voids = said.err().matches(" stayed void: ").count();
    assert!((1..=4).contains(&voids), "{}", said.all());
    assert!(done(&home, "standings run").out().contains(&format!("{} games", 6 - voids)), "{}", said.all());
    // Each was tried three times.
    assert_eq!(done(&home, "games run --termination void").out().lines().count(), 1 + 3 * voids);
    drop(held);
    done(&home, &run);
    assert!(done(&home, "standings run").out().contains("6 games"));
    assert_eq!(done(&home, "games run").out().lines().count(), 7);
}

#[test]
fn a_clock_that_jumps_touches_no_game_and_no_verdict() {
    let home = Home::with_two();
    home.put(
        "jump.c",
        "#define _GNU_SOURCE\n#include <time.h>\n#include <unistd.h>\n#include <sys/syscall.h>\n\
         int clock_gettime(clockid_t which, struct timespec *at) {\n\
           static int calls;\n\
           long code = syscall(SYS_clock_gettime, which, at);\n\
           static const long years[] = {100, -30, 400, -1000, 200};\n\
           if (which == CLOCK_REALTIME) at->tv_sec += years[__sync_fetch_and_add(&calls, 1) % 5] * 31556952L;\n\
           return (int)code;\n}\n",
    );
    let said = home.shell("cc -shared -fPIC -o jump.so jump.c");
    assert_eq!(said.code, Some(0), "{}", said.all());
    done(&home, &format!("{RUN} --quiet"));
    let steady = home.read("run/games.csv");
    let said =
        home.shell(&format!("LD_PRELOAD=$PWD/jump.so agon {}", RUN.replace("--out run", "--out jumped")));
    assert_eq!(said.code, Some(0), "{}", said.all());
    let dates = home.read("jumped/games.csv");
    let years: Vec<&str> =
        dates.match_indices("T").filter_map(|(at, _)| dates.get(at.checked_sub(10)?..at - 6)).collect();
    assert!(years.iter().any(|year| !year.starts_with("202")), "the clock did not jump: {years:?}");
    let moves = |table: &str| -> Vec<String> {
        let mut rows = csv::Reader::from_reader(table.as_bytes());
        let head = rows.headers().unwrap().clone();
        let at = |name: &str| head.iter().position(|column| column == name).unwrap();
        let (id, result, how) = (at("id"), at("result"), at("termination"));
        rows.records()
            .map(|row| row.unwrap())
            .map(|row| format!("{} {} {}", &row[id], &row[result], &row[how]))
            .collect()
    };
    assert_eq!(moves(&dates), moves(&steady));
    let said =
        home.shell(&format!("LD_PRELOAD=$PWD/jump.so agon {}", RUN.replace("--out run", "--out jumped")));
    assert!(said.err().contains("2 games have been played already and count"), "{}", said.all());
    done(&home, "history jumped");
    assert!(done(&home, "verify jumped").out().contains("2 games checked, 0 with differences"));
}

#[test]
fn a_directory_where_nothing_can_be_written_is_read_and_not_played_in() {
    let home = with_a_bad_one();
    copy_program(programs().join("agon"), &home.path("agon"));
    // Killed during a run: the last games are in the log beside the database.
    let said = home.shell(
        "python3 -c \"import sqlite3, os; d = sqlite3.connect('run/agon.db'); \
         d.execute('UPDATE seat SET time = 77000000 WHERE game = 1 AND seat = 0'); d.commit(); os._exit(0)\"; \
         rm -f run/agon.db-shm; ls -l run; chmod 755 . ..; chmod -R a-w run",
    );
    assert!(said.out().contains("agon.db-wal"), "{}", said.all());
    let nobody =
        if rustix::process::geteuid().is_root() { "setpriv --reuid 65534 --clear-groups" } else { "" };
    let said = home.shell(&format!("TMPDIR=/tmp {nobody} ./agon export json run"));
    assert!(said.code == Some(0) && said.out().contains("77000"), "{}", said.all());
    let said = home.shell(&format!("TMPDIR=/tmp {nobody} ./agon standings run"));
    assert!(said.code == Some(0) && said.out().contains("6 games"), "{}", said.all());
    let said = home.shell(&format!("TMPDIR=/tmp {nobody} ./agon {}", RUN.replace("--games 2", "--games 4")));
    assert_eq!(said.code, Some(1), "{}", said.all());
    let told: Vec<String> =
        said.err().lines().filter(|line| line.starts_with("error: ")).map(str::to_owned).collect();
    assert!(told.len() == 1 && told[0].contains("run"), "{}", said.all());
}

#[test]
fn games_are_listed_and_told_of_to_their_authors() {
    let home = with_a_bad_one();
    let lost = done(&home, "games run --engine bad --lost").out();
    assert_eq!(lost.lines().count(), 5, "{lost}");
    let why = done(&home, "why run bad").out();
    assert!(why.contains("lost by     illegal move") && why.contains(" > W,"), "{why}");
    // The cube comes before the first move; the last line is a command that works.
    assert!(why.contains("the lines it was told before the first move:\n              < 3 3 1\n"), "{why}");
    let (before, command) = why.trim_end().rsplit_once("to check the engine: ").expect("the command");
    assert!(before.contains("\nbad lost 3 games by a fault\n"), "{why}");
    let checked = home.shell(command);
    assert!(checked.code == Some(1) && checked.out().contains("WRONG"), "{command}\n{}", checked.all());
    // What it lost on the board is explained elsewhere.
    let lost = done(&home, "games run --engine random --lost --json").out().lines().count();
    assert!(lost > 0);
    let told = done(&home, "why run random").out();
    let games = if lost == 1 { "1 game".to_owned() } else { format!("{lost} games") };
    let by_rules = format!(
        "random lost 0 games by a fault\nit lost {games} by the rules: agon games run --engine random --lost lists them"
    );
    assert!(told.contains(&by_rules), "{told}");
    let said = home.agon("why run nobody".split(' '));
    assert!(said.code == Some(2) && said.err().contains("bad, greedy, random"), "{}", said.all());
    assert!(
        done(&home, "replay run r01-p0001-g01").out().contains("all tags, points and results are correct")
    );
    assert_eq!(home.agon("replay run r09-p0001-g01".split(' ')).code, Some(2));
    assert_eq!(home.agon("replay run".split(' ')).code, Some(2), "which of them?");
}

#[test]
fn a_round_is_one_file_whose_games_are_replayed_together_or_one_by_one() {
    let home = with_a_bad_one();
    let said = done(&home, "replay run/games/r01.txt").out();
    assert_eq!(said, "2 games: every move is legal, and all tags, points and results are correct.\n");
    let one = done(&home, "replay run/games/r01.txt r01-p0001-g02").out();
    assert!(one.contains("all tags, points and results are correct"), "{one}");
    let path = home.path("run/games/r01.txt");
    let text = std::fs::read_to_string(&path).unwrap();
    // In the second of them, so that no game before the wrong one is blamed.
    let last = text.rfind("[Plies \"").unwrap();
    let none = home.agon("replay run/games/r01.txt r01-p0007-g02".split(' '));
    assert!(
        none.code == Some(2) && none.err().contains("none of its 2 games is r01-p0007-g02"),
        "{}",
        none.all()
    );
    let torn = format!("{}{}", &text[..last], text[last..].replacen("[Plies \"", "[Plies \"1", 1));
    std::fs::write(&path, &torn).unwrap();
    let said = home.agon("replay run/games/r01.txt".split(' '));
    let second = torn.rfind("[Event ").unwrap();
    let lines = torn[..second].lines().count() + 1..=torn.lines().count();
    let named = lines.clone().any(|line| said.err().contains(&format!("r01.txt: line {line}: ")));
    assert!(said.code == Some(2) && named, "{lines:?}: {}", said.all());
    // A file that has lost a game is written again by the next run.
    std::fs::write(&path, &text[..text.len() / 2]).unwrap();
    std::fs::write(home.path("run/games/r01-p0001-g01.txt"), "of an earlier agon\n").unwrap();
    std::fs::write(home.path("run/games/notes.txt"), "somebody's\n").unwrap();
    done(&home, RUN);
    assert_eq!(std::fs::read_to_string(&path).unwrap().len(), text.len());
    assert!(done(&home, "replay run/games/r01.txt").out().starts_with("2 games: "));
    assert!(!home.path("run/games/r01-p0001-g01.txt").exists() && home.path("run/games/notes.txt").exists());
}

#[test]
fn games_travel_from_one_database_to_another_and_count_there_once() {
    let home = with_a_bad_one();
    done(&home, "export json run games.jsonl");
    assert!(done(&home, "import other games.jsonl").out().contains("6 games taken in; 6 count"));
    assert!(done(&home, "import other games.jsonl").out().contains("0 games taken in; 6 count"));
    // A reader that has seen enough is no error.
    let closed = home.shell("{ sleep 0.3; agon export json run; echo $? >code; } | true");
    assert_eq!((closed.err().as_str(), home.read("code").as_str()), ("", "0\n"));
    done(&home, "export csv other tables");
    for table in ["standings.csv", "crosstable.csv", "games.csv"] {
        assert_eq!(home.read(&format!("tables/{table}")), home.read(&format!("run/{table}")), "{table}");
    }
    assert!(done(&home, "verify other").out().contains("6 games checked, 0 with differences"));
    home.put("wrong.jsonl", format!("{}\n{{}}\n", home.read("games.jsonl").lines().next().unwrap()));
    let said = home.agon("import new wrong.jsonl".split(' '));
    assert!(said.code == Some(2) && said.err().contains("line 2"), "{}", said.all());
    assert!(!home.path("new").exists());
    done(&home, "export db run copy.db");
    assert_eq!(home.agon("export db run copy.db".split(' ')).code, Some(2));
}

#[test]
fn a_move_that_was_changed_in_the_database_is_found() {
    let home = with_a_bad_one();
    let said = home.shell(
        "python3 -c \"import sqlite3; d = sqlite3.connect('run/agon.db'); \
         d.execute('UPDATE seat SET score = score + 1 WHERE game = 1'); d.commit()\"",
    );
    assert_eq!(said.code, Some(0), "{}", said.all());
    let said = home.agon(["verify", "run"]);
    assert_eq!(said.code, Some(1), "{}", said.all());
    assert!(said.out().contains("6 games checked, 1 with differences"), "{}", said.all());
}
