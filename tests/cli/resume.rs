//! A killed run continues with the same command and ends as if it had not been killed.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::support::{AGON, Arena, RANDOM, children_of, is_thorough};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rustix::process::{Pid, Signal, kill_process};

/// How many times a run is killed. `scripts/kill-test` sets more.
fn kills() -> u64 {
    std::env::var("AGON_KILLS").ok().map_or(8, |text| text.parse().expect("AGON_KILLS is a number"))
}

/// A tournament of fast engines that always play the same moves.
struct Tournament {
    arena: Arena,
    games: u32,
}

impl Tournament {
    fn new(games: u32) -> Self {
        let arena = Arena::new();
        for name in ["one", "two", "three", "four"] {
            arena.engine(name, &[RANDOM]);
        }
        Tournament { arena, games }
    }

    fn command(&self, out: &str) -> Command {
        let mut command = Command::new(AGON);
        command
            .args(["tournament", &self.arena.text("engines"), "--out", &self.arena.text(out)])
            .args([
                "--games",
                &self.games.to_string(),
                "--game",
                "letters:2x3x1",
                "--seed",
                "11",
                "--st",
                "5",
            ])
            .args(["--concurrency", "2", "--quiet"])
            .env("TMPDIR", self.arena.path("tmp"))
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        command
    }

    /// Runs it to its end.
    fn finish(&self, out: &str) -> (Option<i32>, String) {
        let output = self.command(out).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    }

    /// `games.csv` without the times.
    fn games(&self, out: &str) -> Vec<String> {
        let mut rows = csv::Reader::from_path(self.arena.path(&format!("{out}/games.csv"))).unwrap();
        let head = rows.headers().unwrap().clone();
        let timeless = |name: &str| !name.contains("_ms") && !["started", "finished"].contains(&name);
        rows.records()
            .map(|row| {
                let row = row.unwrap();
                let cells = head.iter().zip(&row).filter(|(name, _)| timeless(name));
                cells.map(|(_, cell)| cell.to_owned()).collect::<Vec<_>>().join("|")
            })
            .collect()
    }

    fn is_whole(&self, out: &str) {
        let store = agon_store::Store::read(&self.arena.path(out)).unwrap();
        assert_eq!(store.integrity().unwrap(), "ok");
    }

    fn count(&self, out: &str) -> u64 {
        agon_store::Store::read(&self.arena.path(out)).map_or(0, |store| store.counts().unwrap().0)
    }
}

/// Kills the harness, its keeper, or both at once.
fn kill(child: &mut Child, which: u64) {
    let keeper = Pid::from_child(child);
    let harness: Vec<Pid> = children_of(child.id()).into_iter().filter_map(Pid::from_raw).collect();
    if which != 1 {
        harness.iter().for_each(|pid| _ = kill_process(*pid, Signal::KILL)); // it may have ended
    }
    if which != 0 {
        let _ = kill_process(keeper, Signal::KILL); // as above
    }
    child.wait().unwrap();
}

#[test]
fn a_run_killed_at_any_instant_ends_like_one_that_was_not() {
    let tournament = Tournament::new(if is_thorough() { 40 } else { 20 });
    let began = Instant::now();
    assert_eq!(tournament.finish("unbroken").0, Some(0));
    let whole = began.elapsed();
    let wanted = tournament.games("unbroken");
    let all = u64::from(6 * tournament.games);
    assert_eq!(wanted.len() as u64, all);

    let seed = std::env::var("AGON_KILL_SEED").ok().map_or(1, |text| text.parse().expect("a number"));
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let (mut out, mut round, mut before, mut midway) = (String::new(), 0, 0, 0);
    // How long a run takes differs with the load, so the kills may all come too early or too late
    // at first. They go on until one has hit a run in its middle, within a bound.
    let is_last = |number: u64, midway: u64| number + 1 >= kills() && midway > 0 || number + 1 >= 6 * kills();
    for kill_number in 0.. {
        if out.is_empty() {
            round += 1;
            out = format!("broken{round}");
            before = 0;
        }
        let mut child = tournament.command(&out).spawn().unwrap();
        // About a third of a run: some kills come before the first game, some in the middle, some
        // at the end.
        let most = u64::try_from(whole.as_millis()).unwrap() / 3 + 60;
        sleep(Duration::from_millis(random.next_u64() % most));
        kill(&mut child, random.next_u64() % 3);
        // If only the keeper was killed, the harness stops by itself; the lock shows when.
        let directory = tournament.arena.path(&out);
        let patience = Instant::now();
        while directory.exists() && agon_store::lock::holder(&directory).unwrap().is_some() {
            assert!(patience.elapsed() < Duration::from_secs(300), "the harness has outlived its keeper");
            sleep(Duration::from_millis(10));
        }
        let now = tournament.count(&out);
        assert!(now >= before, "kill {kill_number}: {before} games were stored, and {now} are");
        midway += u64::from(now > before && now < all);
        before = now;
        if now > 0 {
            tournament.is_whole(&out);
        }
        let last = is_last(kill_number, midway);
        if now >= all / 4 * 3 || last {
            let (code, said) = tournament.finish(&out);
            assert_eq!(code, Some(0), "{said}");
            assert_eq!(tournament.games(&out), wanted, "after kill {kill_number}");
            tournament.is_whole(&out);
            fs::remove_dir_all(&directory).unwrap();
            out.clear();
        }
        if last {
            break;
        }
    }
    eprintln!("{} kills, {midway} of them between two games of a run, in {round} run(s)", kills());
    assert!(midway > 0, "no kill has hit a run in its middle");
}

#[test]
#[ignore = "slow"]
fn a_write_that_fails_ends_the_run_and_loses_nothing() {
    let tournament = Tournament::new(20);
    assert_eq!(tournament.finish("unbroken").0, Some(0));
    // No file may grow past this many blocks of 1024 bytes: such a write fails.
    let limit = fs::metadata(tournament.arena.path("unbroken/agon.db")).unwrap().len() / 1024;
    let words = tournament.command("broken");
    let words: Vec<String> = words.get_args().map(|word| format!("'{}'", word.to_str().unwrap())).collect();
    let line = format!("ulimit -f {}; trap '' XFSZ; exec {AGON} {}", limit - 60, words.join(" "));
    let output = Command::new("bash")
        .args(["-c", &line])
        .env("TMPDIR", tournament.arena.path("tmp"))
        .stdout(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert_eq!(said.lines().filter(|line| line.starts_with("error: ")).count(), 1, "{said}");
    tournament.is_whole("broken");
    let (code, said) = tournament.finish("broken");
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(tournament.games("broken"), tournament.games("unbroken"));
}

#[test]
fn a_second_run_on_the_directory_is_told_who_holds_it_and_stop_ends_the_first() {
    let arena = Arena::new();
    arena.stub("one", "last-moment --word --ms 50");
    arena.stub("two", "last-moment --word --ms 50");
    let agon = |words: &[&str]| {
        let mut command = Command::new(AGON);
        command.args(words).env("TMPDIR", arena.path("tmp"));
        command
    };
    let (engines, out) = (arena.text("engines"), arena.text("out"));
    let run = [
        "tournament",
        &engines,
        "--games",
        "400",
        "--game",
        "letters:4x4x2",
        "--seed",
        "1",
        "--st",
        "5",
        "--out",
        &out,
        "--quiet",
    ];
    let mut first = agon(&run).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let played =
        || agon_store::Store::read(&arena.path("out")).is_ok_and(|store| store.counts().unwrap().0 > 0);
    let patience = Instant::now();
    while !played() {
        assert!(patience.elapsed() < Duration::from_secs(300), "no game was played");
        sleep(Duration::from_millis(20));
    }
    let second = agon(&run).output().unwrap();
    let said = String::from_utf8_lossy(&second.stderr);
    assert_eq!(second.status.code(), Some(1), "{said}");
    assert!(said.contains("is in use by process ") && said.contains(" since "), "{said}");
    let table = agon(&["standings", &out]).output().unwrap();
    let table = String::from_utf8_lossy(&table.stdout).into_owned();
    assert!(table.contains("the run goes on: process "), "{table}");
    assert_eq!(agon(&["stop", &out, "--wait"]).output().unwrap().status.code(), Some(0));
    assert_eq!(first.wait().unwrap().code(), Some(130));
    assert_eq!(agon(&["stop", &out]).output().unwrap().status.code(), Some(1));
}
