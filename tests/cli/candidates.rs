//! New versions of engines: a test against the last version, a rating among the others, and both
//! before the other games of a night.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use serde_json::Value;

use super::home::{Home, Said};
use super::support::wait_until;

const GAME: &str = "--game letters:3x3x2 --st 5 --seed 5 --isolation none";
/// A test that is over soon, and few games for a rating.
const SOON: &str = "--sprt 0,300 --candidate-games 60 --rating-games 12";

/// A home with three engines in folders of their own, whose copies are kept, and their tournament
/// in `run`.
fn home() -> Home {
    let home = Home::new();
    put(&home, "ada", 5, 1);
    put(&home, "bob", 30, 1);
    put(&home, "eve", 100, 1);
    let said = agon(&home, &format!("tournament engines --games 2 {GAME} --out run --quiet"));
    assert_eq!(said.code, Some(0), "{}", said.all());
    home
}

/// A version of an engine that knows this share of the words.
fn put(home: &Home, name: &str, knows: u32, version: u32) {
    home.submission(&format!("engines/{name}"), "agon-greedy", "");
    let words = "\"{side}\", \"{rows}\", \"{columns}\", \"{planes}\", \"{seconds}\"";
    home.put(
        format!("engines/{name}/engine.toml"),
        format!("command = [\"./run\"]\nargs = [{words}, \"{knows}\"] # version {version}\n"),
    );
}

fn agon(home: &Home, line: &str) -> Said {
    home.agon(line.split_whitespace())
}

fn candidate(home: &Home, more: &str) -> Said {
    agon(home, &format!("tournament engines --games 2 {GAME} --out run {more}"))
}

#[test]
fn a_candidate_goes_with_a_file_that_has_a_question_and_not_with_the_flag() {
    let home = home();
    put(&home, "ada", 100, 2);
    let said = candidate(&home, "--candidate ada --until cut=1 --at-most 20");
    assert!(
        said.code == Some(2) && said.err().contains("leave --until and its --at-most out"),
        "{}",
        said.all()
    );
    let file = "engines = \"engines\"\nout = \"asked\"\ngame = \"letters:3x3x2\"\nst = 5\nseed = 5\nisolation = \"none\"\n\
                until = \"cut=1\"\nat-most = 12\n[candidates]\ntest = \"0,300\"\ngames = 20\nrating-games = 6\n";
    home.put("night.toml", file);
    put(&home, "ada", 5, 1);
    let first = agon(&home, "nightly night.toml --no-check");
    assert!(first.out().contains("cut=1: "), "{}", first.all());
    // The night tests the new version, then it plays for the question.
    put(&home, "ada", 100, 2);
    let dry = agon(&home, "tournament night.toml --candidate ada --dry-run");
    assert!(dry.code == Some(0) && dry.out().contains("at most 20 games against ada@"), "{}", dry.all());
    let night = agon(&home, "nightly night.toml --no-check");
    assert!(night.out().contains("ada: ") && night.out().contains("cut=1: "), "{}", night.all());
    let verified = agon(&home, "verify asked");
    assert_eq!(verified.code, Some(0), "{}", verified.all());
}

/// The directories of all candidates.
fn candidates(home: &Home) -> Vec<PathBuf> {
    let folders = fs::read_dir(home.path("run/candidates")).into_iter().flatten();
    folders.map(|entry| entry.unwrap().path()).collect()
}

/// Whether a harness holds the directory, or one of those of its candidates.
fn is_held(home: &Home) -> bool {
    let runs = candidates(home).into_iter().flat_map(|own| [own.join("test"), own.join("rating")]);
    [home.path("run")].into_iter().chain(runs).any(|run| {
        let lock = fs::File::open(run.join("agon.lock"));
        lock.is_ok_and(|lock| flock(lock, FlockOperation::NonBlockingLockExclusive).is_err())
    })
}

/// The games that count and those that are planned, of a run.
fn games(home: &Home, run: &str) -> (u64, u64) {
    let said = agon(home, &format!("status {run} --json"));
    let status: Value = serde_json::from_str(said.out().lines().next().unwrap()).unwrap();
    (status["games"].as_u64().unwrap(), status["planned"].as_u64().unwrap())
}

#[test]
fn a_better_version_is_shown_and_rated_and_the_table_stays_as_it_is() {
    let home = home();
    let table = || {
        ["standings run --json", "games run --csv", "status run --json", "history run --json"]
            .map(|line| agon(&home, line).out())
    };
    let before = table();
    put(&home, "ada", 100, 2);
    let dry = candidate(&home, "--candidate ada --dry-run");
    assert!(dry.code == Some(0) && candidates(&home).is_empty(), "{}", dry.all());
    assert!(dry.out().contains("dry run: ada: at most 1000 games against ada@"), "{}", dry.all());
    assert!(dry.out().contains("then at most 400 against the nearest of the others, "), "{}", dry.all());

    let said = candidate(&home, &format!("--candidate ada {SOON}"));
    assert_eq!(said.code, Some(10), "{}", said.all());
    let line = said.out();
    assert!(line.starts_with("ada: better than its last version (SPRT 0,300): +"), "{line}");
    assert!(line.lines().count() == 1 && line.contains(" of 3 (rating "), "{}", said.all());
    assert_eq!(table(), before, "its games are not those of the table");
    let [own] = &candidates(&home)[..] else { panic!("{}", said.all()) };
    let own = own.strip_prefix(home.path("")).unwrap().display().to_string();
    for run in ["test", "rating"] {
        let verified = agon(&home, &format!("verify {own}/{run}"));
        assert_eq!(verified.code, Some(0), "{}", verified.all());
    }
    let tested = games(&home, &format!("{own}/test"));
    assert!(line.contains(&format!(" after {} games, now ", tested.0)) && tested.0 >= 6, "{line} {tested:?}");
    let rated = games(&home, &format!("{own}/rating"));
    assert!(rated.0 == rated.1 && rated.0 <= 12, "a rating has played its plan: {rated:?}");
    let status = agon(&home, &format!("status {own}/test")).out();
    assert!(status.contains("H1 accepted"), "{status}");
    let verdict: Value = serde_json::from_str(&home.read(&format!("{own}/verdict.json"))).unwrap();
    assert_eq!(
        (verdict["result"].as_str(), verdict["line"].as_str()),
        (Some("better"), Some(line.trim_end()))
    );

    for (more, shown) in [("", true), ("--for public", true), ("--hide-results", false)] {
        let said = agon(&home, &format!("report run --out pages {more}"));
        assert_eq!(said.code, Some(0), "{}", said.all());
        let status: Value = serde_json::from_str(&home.read("pages/status.json")).unwrap();
        let told = status.get("candidates").map(|all| (all[0]["result"].as_str(), all[0]["line"].as_str()));
        assert_eq!(told, shown.then_some((Some("better"), Some(line.trim_end()))), "{status}");
    }

    // The same again plays nothing and says the same.
    let again = candidate(&home, &format!("--candidate ada {SOON}"));
    assert_eq!((again.code, again.out()), (Some(10), line), "{}", again.all());
    assert_eq!(
        (games(&home, &format!("{own}/test")), games(&home, &format!("{own}/rating"))),
        (tested, rated)
    );
    // The table has the new version when it is played.
    let said = candidate(&home, "--quiet");
    assert_eq!(said.code, Some(0), "{}", said.all());
    let said = candidate(&home, "--candidate ada");
    assert!(
        said.code == Some(2) && said.err().contains("its program is the one that played last in run"),
        "{}",
        said.all()
    );
}

#[test]
fn what_cannot_be_tested_is_refused_with_the_reason_and_nothing_is_played() {
    let home = home();
    put(&home, "new", 10, 1);
    put(&home, "ada", 100, 2);
    home.put("cup.toml", "engines = \"engines\"\nout = \"run\"\nformat = \"swiss\"\nrounds = 1\n");
    home.put("wrong.toml", "engines = \"engines\"\nout = \"run\"\n\n[candidates]\ngames = 7\n");
    home.put("test.toml", "engines = \"engines\"\nout = \"run\"\n[candidates]\ntest = \"50,0\"\n");
    let plain = format!("tournament engines --games 2 {GAME} --out run");
    for (command, why) in [
        (
            format!("{plain} --candidate adda"),
            "--candidate adda: there is no such engine\nhint: did you mean ada? there are ada, bob, ",
        ),
        (
            format!("{plain} --candidate bob"),
            "its program is the one that played last in run\nhint: change or build it first",
        ),
        (
            format!("{plain} --candidate new"),
            "it has not played in run, so there is no last version of it\nhint: play the tournament first",
        ),
        (
            format!("{} --candidate ada", plain.replace("out run", "out elsewhere")),
            "it has not played in elsewhere",
        ),
        (
            format!("{plain} --candidate ada --part 1/2"),
            "a test ends with any game, so it has no parts\nhint: leave out --part",
        ),
        (format!("{plain} --candidate ada --stage 1"), "--stage is for a tournament.toml with [[stages]]"),
        (format!("{plain} --candidate ada --sprt 10"), "'--sprt"),
        (
            format!("{plain} --candidate ada --candidate-games 3"),
            "--candidate-games: 3 will not do\nhint: give an even number",
        ),
        (format!("{plain} --candidate ada --rating-bar 0"), "--rating-bar: 0 will not do"),
        (format!("{plain} --sprt 0,10"), "--sprt is for candidates\nhint: name one, as in --candidate ada"),
        (format!("{plain} --rating-games 10"), "--rating-games is for candidates"),
        (
            format!("nightly engines --games 2 {GAME} --out run --candidate ada"),
            "a night tests every engine that has changed",
        ),
        (
            format!("nightly engines --games 2 {GAME} --out run --sprt 0,10"),
            "--sprt is for candidates\nhint: add --candidates",
        ),
        (
            format!("tournament cup.toml {GAME} --candidate ada"),
            "--candidate: an engine is compared with the ratings of a round robin of all",
        ),
        (
            format!(
                "tournament engines --games 2 {} --out run --candidate ada",
                GAME.replace("--st 5", "--st 5,6")
            ),
            "a candidate is tested at one time control",
        ),
        (
            format!("tournament wrong.toml {GAME} --candidate ada"),
            "wrong.toml: line 5: key candidates.games: 7 will not do",
        ),
        (
            format!("tournament test.toml {GAME} --candidate ada"),
            "test.toml: line 4: key candidates.test: \"50,0\": the first Elo of a test must be below",
        ),
    ] {
        let said = agon(&home, &command);
        assert!(said.code == Some(2) && said.err().contains(why), "{command}\n{}", said.all());
    }
    assert_eq!((candidates(&home).len(), games(&home, "run")), (0, (6, 6)));
    // Without its copy the last version is nowhere.
    fs::remove_dir_all(home.path("run/programs")).unwrap();
    let said = candidate(&home, "--candidate ada");
    assert_eq!(said.code, Some(2), "{}", said.all());
    assert!(said.err().contains("--candidate ada: no earlier version of it is kept: ada@"), "{}", said.all());
    assert!(
        said.err().contains("hint: give the path of its last version: agon match NEW LAST --sprt"),
        "{}",
        said.all()
    );
}

#[test]
#[ignore = "slow"]
fn a_worse_version_and_an_open_test_have_their_codes_and_a_changed_opponent_plays_as_it_was_rated() {
    let home = home();
    put(&home, "eve", 5, 2);
    put(&home, "bob", 100, 2);
    let said = candidate(&home, "--candidate eve --rating-games 20");
    assert_eq!(said.code, Some(11), "{}", said.all());
    assert!(said.out().starts_with("eve: not better than its last version: -"), "{}", said.all());
    let [own] = &candidates(&home)[..] else { panic!("{}", said.all()) };
    let own = own.strip_prefix(home.path("")).unwrap().display().to_string();
    // Bob is in the folder as another program than the one that has the rating.
    let listed = |run: &str| agon(&home, &format!("status {run} --programs")).out();
    let hash_of = |text: &str| -> String {
        let row = text.lines().find(|line| line.starts_with("bob@")).unwrap_or_else(|| panic!("{text}"));
        row.split_whitespace().next().unwrap().to_owned()
    };
    assert_eq!(hash_of(&listed(&format!("{own}/rating"))), hash_of(&listed("run")));
    put(&home, "ada", 5, 2);
    let said = candidate(&home, "--candidate ada --candidate-games 2 --rating-games 4");
    assert_eq!(said.code, Some(12), "{}", said.all());
    assert!(
        said.out().starts_with("ada: open whether it is better than its last version: "),
        "{}",
        said.all()
    );
    // More games go on with those that were played.
    let said = candidate(&home, "--candidate ada --candidate-games 6 --rating-games 4");
    assert!(said.code == Some(12) && said.out().contains(" after 6 games, now "), "{}", said.all());
}

#[test]
#[ignore = "slow"]
fn a_killed_test_goes_on_and_plays_no_game_twice() {
    let home = home();
    put(&home, "ada", 5, 2);
    let words = format!(
        "tournament engines --games 2 {GAME} --out run --candidate ada --candidate-games 60 --rating-games 20 \
         --rating-bar 1 --sprt -5,5"
    );
    let mut kills = 0;
    for _ in 0..4 {
        let mut child = Command::new(env!("CARGO_BIN_EXE_agon"))
            .args(words.split_whitespace())
            .current_dir(home.path(""))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_millis(900) && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(20));
        }
        kills += u32::from(child.try_wait().unwrap().is_none());
        let _ = child.kill();
        child.wait().unwrap();
        // Its harness ends by itself a moment later, on a busy machine a long one.
        wait_until("nobody holds the directory", || !is_held(&home));
    }
    assert!(kills > 0, "it was never killed");
    let said = agon(&home, &words);
    assert_eq!(said.code, Some(12), "{}", said.all());
    assert!(
        said.out().contains(" after 60 games, now ") || said.out().contains(" games, now "),
        "{}",
        said.all()
    );
    let [own] = &candidates(&home)[..] else { panic!("{}", said.all()) };
    let own = own.strip_prefix(home.path("")).unwrap().display().to_string();
    for (run, wanted) in [("test", 60), ("rating", 20)] {
        assert_eq!(games(&home, &format!("{own}/{run}")).0, wanted);
        assert_eq!(agon(&home, &format!("verify {own}/{run}")).code, Some(0));
    }
}

#[test]
#[ignore = "slow"]
fn a_night_tests_changed_engines_before_its_other_games_and_an_unchanged_one_does_not() {
    let home = Home::new();
    put(&home, "ada", 5, 1);
    put(&home, "bob", 30, 1);
    put(&home, "eve", 100, 1);
    let file = "engines = \"engines\"\nout = \"run\"\ngames = 2\nst = 5\nseed = 5\ngame = \"letters:3x3x2\"\n\
                isolation = \"none\"\n\n[candidates]\ntest = \"0,300\"\ngames = 40\nrating-games = 8\n";
    home.put("tournament.toml", file);
    let night = |more: &str| agon(&home, &format!("nightly tournament.toml {more}"));
    let first = night("");
    assert!(
        first.code == Some(0) && first.out().starts_with("run 1: 3 engines, 6 games; "),
        "{}",
        first.all()
    );
    put(&home, "ada", 100, 2);
    put(&home, "new", 10, 1);
    let dry = night("--dry-run");
    assert!(dry.out().contains("dry run: ada: at most 40 games against ada@"), "{}", dry.all());
    let second = night("");
    let lines: Vec<String> = second.out().lines().map(ToOwned::to_owned).collect();
    assert!(second.code == Some(0) && lines.len() == 2, "{}", second.all());
    assert!(
        lines[0].starts_with("ada: better than its last version")
            && lines[1].starts_with("run 2: 4 engines, "),
        "{}",
        second.all()
    );
    let (candidate, table) =
        (second.err().find("candidate ada: "), second.err().find("4 engines, 12 games of "));
    assert!(candidate.is_some() && candidate < table, "{}", second.all());
    assert_eq!(games(&home, "run"), (12, 12));
    let third = night("");
    assert!(third.code == Some(0) && third.out().starts_with("nothing changed; head "), "{}", third.all());
    put(&home, "ada", 5, 3);
    let off = night("--candidates=false");
    assert!(off.out().starts_with("run 3: 4 engines, ") && candidates(&home).len() == 1, "{}", off.all());
    put(&home, "ada", 100, 4);
    home.put("tournament.toml", file.replace("games = 40", "games = 40\nnightly = false"));
    let off = night("");
    assert!(off.out().starts_with("run 4: ") && candidates(&home).len() == 1, "{}", off.all());
}
