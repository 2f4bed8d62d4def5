//! Common parts of the tests from outside. They are an arena with engines, agon run in it under a
//! watchdog, and checks of its output and of what it leaves behind.

#![allow(dead_code)] // each test file uses its own part of this
#![allow(clippy::unwrap_used)] // helpers of tests may panic

mod metronome;
mod not_tried;
pub(crate) mod referees;

#[allow(unused_imports)] // each test file uses its own part
pub(crate) use metronome::Metronome;
#[allow(unused_imports)] // as above
pub(crate) use not_tried::not_tried;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Once;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;
use wait_timeout::ChildExt;

/// The program under test.
pub(crate) const AGON: &str = env!("CARGO_BIN_EXE_agon");

/// The path of a sample engine: cargo puts all programs of the workspace into one directory.
macro_rules! engine {
    ($name:literal) => {
        concat!(env!("CARGO_BIN_EXE_agon"), "-", $name)
    };
}
pub(crate) const ALPHABETA: &str = engine!("alphabeta");
pub(crate) const GREEDY: &str = engine!("greedy");
pub(crate) const LOOKAHEAD: &str = engine!("lookahead");
pub(crate) const MOVER: &str = engine!("mover");
pub(crate) const ORACLE: &str = engine!("oracle");
pub(crate) const RANDOM: &str = engine!("random");
/// The engine that misbehaves on request.
pub(crate) const STUB: &str = engine!("stub");

/// The watchdog ends a run after this time, and the test fails. What an engine of a test starts
/// lives for two minutes. A run that waits for that is seen before, by [`SLACK`].
const WATCHDOG: Duration = Duration::from_secs(300);
/// A run on a busy machine may take so much longer than its clocks say.
pub(crate) const SLACK: Duration = Duration::from_secs(90);
/// How long killed processes may still be visible on a busy machine.
const GONE_WITHIN: Duration = Duration::from_secs(60);

/// Cargo builds the sample engines for the tests of their own package, but not for one test of agon
/// that is called alone. Such a test would play with old engines.
///
/// # Panics
/// If a source of the engines is newer than each of them.
pub(crate) fn engines_are_built() {
    static LOOKED: Once = Once::new();
    LOOKED.call_once(|| {
        let modified = |path: &Path| fs::metadata(path).and_then(|file| file.modified()).ok();
        let engines = [ALPHABETA, GREEDY, LOOKAHEAD, MOVER, ORACLE, RANDOM, STUB];
        let built = engines.into_iter().map(Path::new).filter_map(modified).max();
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("engines");
        for folder in fs::read_dir(sources).unwrap().map(|entry| entry.unwrap().path()) {
            let files = fs::read_dir(&folder).into_iter().flatten().map(|entry| entry.unwrap().path());
            for file in files.chain([folder.clone()]) {
                let is_source = file.extension() == Some("rs".as_ref()) && !folder.ends_with("tests");
                let is_newer = is_source && modified(&file) > built;
                assert!(!is_newer, "{} is newer than the engines: call cargo build", file.display());
            }
        }
    });
}

/// An arena for one run: engines, temporary files, results.
pub(crate) struct Arena {
    home: TempDir,
    /// In the environment of every engine, and in all paths here: it marks our processes.
    pub(crate) token: String,
}

impl Arena {
    /// An empty arena.
    pub(crate) fn new() -> Self {
        engines_are_built();
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let token = format!("arena-{}-{number}-", std::process::id());
        let home = tempfile::Builder::new().prefix(&token).tempdir().unwrap();
        for name in ["engines", "tmp"] {
            fs::create_dir(home.path().join(name)).unwrap();
        }
        Arena { home, token }
    }

    /// A path in it.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    /// The same as text, for a command line.
    pub(crate) fn text(&self, name: &str) -> String {
        self.path(name).into_os_string().into_string().unwrap()
    }

    /// An engine with this command, in `engines/NAME`.
    pub(crate) fn engine(&self, name: &str, command: &[&str]) {
        self.engine_with(name, command, "");
    }

    /// The same, with more lines for its `engine.toml`.
    pub(crate) fn engine_with(&self, name: &str, command: &[&str], more: &str) {
        let folder = self.path("engines").join(name);
        fs::create_dir(&folder).unwrap();
        let command: Vec<String> = command.iter().map(|word| format!("{word:?}")).collect();
        let text = format!("command = [{}]\n{more}\n[env]\nTOKEN = {:?}\n", command.join(", "), self.token);
        fs::write(folder.join("engine.toml"), text).unwrap();
    }

    /// The engine that misbehaves; `mode` is its mode and options, separated by spaces.
    pub(crate) fn stub(&self, name: &str, mode: &str) {
        let command: Vec<&str> = std::iter::once(STUB).chain(mode.split(' ')).collect();
        self.engine(name, &command);
    }

    /// agon with these arguments, run from here with its temporary files in `tmp`.
    pub(crate) fn agon(&self, arguments: &[&str]) -> Command {
        self.command(AGON, arguments)
    }

    /// Any program, run like agon.
    pub(crate) fn command(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(self.home.path())
            .env("TMPDIR", self.path("tmp"))
            .stdin(Stdio::null())
            .stdout(File::create(self.path("stdout")).unwrap())
            .stderr(File::create(self.path("stderr")).unwrap());
        command
    }

    /// A match of two games, with results in `out` and events in `events`.
    pub(crate) fn play(&self, one: &str, other: &str, options: &str) -> Finished {
        let (one, other) = (format!("engines/{one}"), format!("engines/{other}"));
        let mut arguments = vec!["match", &one, &other, "--games", "2", "--out", "out", "--events", "events"];
        arguments.extend(options.split_ascii_whitespace());
        self.run(&mut self.agon(&arguments))
    }

    /// Runs it to its end, under the watchdog.
    pub(crate) fn run(&self, command: &mut Command) -> Finished {
        let began = Instant::now();
        let child = command.spawn().unwrap();
        self.wait(child, began)
    }

    /// Waits for the end of a process, under the watchdog.
    pub(crate) fn wait(&self, mut child: Child, began: Instant) -> Finished {
        let status = child.wait_timeout(WATCHDOG).unwrap();
        let took = began.elapsed();
        if status.is_none() {
            let _ = child.kill(); // it may have just ended
            let _ = child.wait(); // as above
        }
        let read = |name| String::from_utf8_lossy(&fs::read(self.path(name)).unwrap()).into_owned();
        let (stdout, stderr) = (read("stdout"), read("stderr"));
        let Some(status) = status else {
            panic!("still running after {WATCHDOG:?}; stdout {stdout:?}, stderr {stderr:?}");
        };
        Finished { code: status.code(), stdout, stderr, took }
    }

    /// The lines of `events`, all of which must be JSON.
    pub(crate) fn events(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.path("events")).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The finished games, from the events.
    pub(crate) fn games(&self) -> Vec<Game> {
        let over = |event: &Value| event["event"] == "game_over";
        self.events().into_iter().filter(over).map(Game).collect()
    }

    /// The rows of a CSV file of the results, each cell with the name of its column.
    pub(crate) fn rows(&self, name: &str) -> Vec<Vec<(String, String)>> {
        let mut reader = csv::Reader::from_path(self.path("out").join(name)).unwrap();
        let head = reader.headers().unwrap().clone();
        reader
            .records()
            .map(|row| {
                let row = row.unwrap();
                head.iter().zip(&row).map(|(name, cell)| (name.to_owned(), cell.to_owned())).collect()
            })
            .collect()
    }

    /// A game's engine's stderr in the results.
    pub(crate) fn log(&self, game: &str, side: &str) -> String {
        fs::read_to_string(self.path(&format!("out/logs/{game}-{side}.txt"))).unwrap()
    }

    /// Asserts that the run has left no process and no temporary file.
    #[track_caller]
    pub(crate) fn assert_nothing_left(&self, what: &str) {
        self.assert_no_process_left(what);
        let files: Vec<_> = fs::read_dir(self.path("tmp")).unwrap().flatten().map(|e| e.path()).collect();
        assert_eq!(files, Vec::<PathBuf>::new(), "{what}: temporary files left behind");
    }

    /// Asserts that the run has left no process.
    #[track_caller]
    pub(crate) fn assert_no_process_left(&self, what: &str) {
        let until = Instant::now() + GONE_WITHIN;
        let mut left = self.processes();
        while !left.is_empty() && Instant::now() < until {
            sleep(Duration::from_millis(10));
            left = self.processes();
        }
        assert_eq!(left, Vec::<String>::new(), "{what}: processes left behind");
    }

    /// Every process whose command line or environment has the token.
    pub(crate) fn processes(&self) -> Vec<String> {
        let has_token =
            |bytes: &[u8]| bytes.windows(self.token.len()).any(|part| part == self.token.as_bytes());
        numbers_in_proc()
            .filter_map(|pid| {
                let read = |file: &str| fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
                let command = read("cmdline");
                (has_token(&command) || has_token(&read("environ")))
                    .then(|| format!("{pid} {}", String::from_utf8_lossy(&command).replace('\0', " ")))
            })
            .collect()
    }

    /// Asserts that every file of the results, and the output for a terminal, is text without
    /// control sequences.
    #[track_caller]
    pub(crate) fn assert_harmless(&self, what: &str) {
        let mut files = vec![self.path("stdout"), self.path("stderr"), self.path("events")];
        files_below(&self.path("out"), &mut files);
        for file in files {
            // The database is binary. The copies in `programs/TREE/NAME` are what was copied.
            let is_copy =
                file.strip_prefix(self.path("out/programs")).is_ok_and(|path| path.components().count() > 2);
            if is_copy || file.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"agon.db"))
            {
                continue;
            }
            let Ok(bytes) = fs::read(&file) else { continue };
            let shown = file.display();
            let text = String::from_utf8(bytes).unwrap_or_else(|_| panic!("{what}: {shown} is not text"));
            let bad = text.chars().find(|c| (c.is_control() && *c != '\n') || is_bidi(*c));
            assert_eq!(bad, None, "{what}: in {shown}");
        }
    }
}

fn is_bidi(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

fn files_below(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { files_below(&path, files) } else { files.push(path) }
    }
}

/// The numbers of all processes.
pub(crate) fn numbers_in_proc() -> impl Iterator<Item = i32> {
    fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// The child processes of this parent.
pub(crate) fn children_of(parent: u32) -> Vec<i32> {
    numbers_in_proc()
        .filter(|pid| {
            let stat = fs::read(format!("/proc/{pid}/stat")).unwrap_or_default();
            let stat = String::from_utf8_lossy(&stat); // a process may have any name
            let after_name = stat.rsplit(") ").next().unwrap_or_default();
            after_name.split(' ').nth(1) == Some(parent.to_string().as_str())
        })
        .collect()
}

/// Puts a program under a path where every user can start it. Another process copies it: a test
/// that forks during a copy of our own would keep the file busy. A link would be a change of the
/// program to those that play with it at the time.
pub(crate) fn copy_program(program: impl AsRef<Path>, path: &Path) {
    assert!(Command::new("cp").arg(program.as_ref()).arg(path).status().unwrap().success());
}

/// Whether tests are to try everything, as `scripts/test-all` asks, or a part of it.
pub(crate) fn is_thorough() -> bool {
    std::env::var_os("AGON_THOROUGH").is_some()
}

/// Tries each case, six at once: most of the time an engine's clock runs.
pub(crate) fn side_by_side<T: Sync>(cases: &[T], each: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    let some = || {
        while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            each(case);
        }
    };
    // A case that fails ends its thread, and with it the scope and the test.
    std::thread::scope(|scope| (0..6).for_each(|_| _ = scope.spawn(some)));
}

/// Waits until this is true, at most five minutes.
#[track_caller]
pub(crate) fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let until = Instant::now() + Duration::from_secs(300);
    while !is_so() {
        assert!(Instant::now() < until, "waited in vain until {what}");
        sleep(Duration::from_millis(5));
    }
}

/// A run that has ended.
#[derive(Debug)]
pub(crate) struct Finished {
    /// Its exit code, if no signal ended it.
    pub(crate) code: Option<i32>,
    /// What it wrote to stdout.
    pub(crate) stdout: String,
    /// What it wrote to stderr.
    pub(crate) stderr: String,
    /// Its duration, measured from outside.
    pub(crate) took: Duration,
}

/// A finished game: its event `game_over`.
#[derive(Debug)]
pub(crate) struct Game(pub(crate) Value);

impl Game {
    /// `r01-p0001-g01`.
    pub(crate) fn id(&self) -> &str {
        self.0["id"].as_str().unwrap()
    }

    /// The seat of the entrant.
    pub(crate) fn seat_number(&self, entrant: &str) -> usize {
        self.seats().iter().position(|seat| seat["entrant"] == entrant).unwrap()
    }

    /// The record of the entrant's seat.
    pub(crate) fn seat(&self, entrant: &str) -> &Value {
        &self.seats()[self.seat_number(entrant)]
    }

    fn seats(&self) -> &Vec<Value> {
        self.0["record"]["seats"].as_array().unwrap()
    }

    /// Whether the entrant, which is honest, ended as it should: by itself, or not at all if it was
    /// never to move, and so never started. On a machine that made it this late it may have been
    /// killed after its grace period.
    pub(crate) fn is_honest_exit(&self, entrant: &str, late: Duration) -> bool {
        let exit = &self.seat(entrant)["exit"];
        let first = self.seat_number(entrant) == 0;
        let plies = self.0["record"]["plies"].as_array().unwrap();
        if !first && plies.is_empty() {
            return exit.is_null();
        }
        exit == &serde_json::json!({"code": 0}) || (late >= agon_protocol::GRACE && exit == "killed")
    }

    /// The termination, like `normal` or `time forfeit`, and the entrant whose fault it was.
    pub(crate) fn ending(&self) -> (String, Option<&str>) {
        let verdict = &self.0["record"]["verdict"];
        match &verdict["decided"]["termination"] {
            Value::String(word) => (word.clone(), None),
            Value::Object(forfeit) => {
                let fault = &forfeit["forfeit"];
                let seat = usize::try_from(fault[0].as_u64().unwrap()).unwrap();
                let cause = fault[1].as_str().unwrap().replace('_', " ");
                (cause, self.seats()[seat]["entrant"].as_str())
            }
            _ => ("void".to_owned(), None),
        }
    }

    /// The same as a sentence.
    pub(crate) fn reason(&self) -> &str {
        let verdict = &self.0["record"]["verdict"];
        verdict["decided"]["reason"].as_str().or(verdict["void"]["why"].as_str()).unwrap()
    }

    /// The place of the entrant; the winner has 1.
    pub(crate) fn place(&self, entrant: &str) -> u64 {
        self.0["record"]["verdict"]["decided"]["places"][self.seat_number(entrant)].as_u64().unwrap()
    }

    /// How many moves the entrant has made.
    pub(crate) fn moves_of(&self, entrant: &str) -> usize {
        let seat = self.seat_number(entrant);
        let plies = self.0["record"]["plies"].as_array().unwrap();
        plies.iter().filter(|ply| ply["seat"] == seat).count()
    }
}
