//! One attack at one level, and what must hold after each.

use std::fmt;
use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crate::support::{AGON, Arena, Finished, Game, Metronome, SLACK, STUB};
use crate::table::Mode;
use crate::world::World;

/// Thinks as long as this and plays words.
const OPPONENT: &str = "last-moment --word --ms";
const THINKING: Duration = Duration::from_millis(100);
/// The same against attackers that compute meanwhile: a busy machine gives them a part of that.
const THINKING_LONG: Duration = Duration::from_millis(500);
/// The time for a move. An attack takes as long as its processor time takes, and is not to lose by
/// the clock because the machine is busy.
const LIMIT: Duration = Duration::from_secs(30);
/// The same for an attacker that loses by letting it pass.
const SHORT_LIMIT: Duration = Duration::from_millis(300);
/// What a start and a turn take at most on an idle machine.
const START: Duration = Duration::from_secs(3);
const TURN: Duration = Duration::from_millis(1800);
/// The time for an engine to exit, for a killed one to disappear, and for the removal of its
/// directory.
const ENDING: Duration = Duration::from_millis(200 + 4000);
/// The head and the tail of a log with every byte escaped, and a line between.
const MOST_LOG: u64 = 4 * 64 * 1024 + 200;

/// The user who runs the harness.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum User {
    Root,
    /// A user without root's rights and without other processes.
    Plain,
}

/// The number of an unused plain user, so that an attack on all processes of a user harms no other.
pub(crate) fn stranger() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    800_000_000 + std::process::id() % 100_000 * 1000 + NEXT.fetch_add(1, Ordering::Relaxed) % 1000
}

impl User {
    pub(crate) const ALL: [User; 2] = [User::Root, User::Plain];

    /// Whether the test can run as this user. Run by a plain user, it runs as that one.
    pub(crate) fn can_be_had(self) -> bool {
        match self {
            User::Root => rustix::process::geteuid().is_root(),
            User::Plain => true,
        }
    }

    /// Whether the test must change to this user first.
    pub(crate) fn is_to_be_become(self) -> bool {
        self == User::Plain && rustix::process::geteuid().is_root()
    }
}

impl fmt::Display for User {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if *self == User::Root { "root" } else { "a plain user" })
    }
}

/// Copies of the programs that every user can run.
pub(crate) struct Programs {
    place: PathBuf,
}

impl Programs {
    pub(crate) fn get() -> &'static Programs {
        static COPIES: LazyLock<Programs> = LazyLock::new(|| {
            let place = std::env::temp_dir().join(format!("{PLACE}{}", std::process::id()));
            forget_runs_before();
            fs::create_dir_all(&place).unwrap();
            open(&place, 0o755);
            for program in [AGON, STUB] {
                let copy = place.join(Path::new(program).file_name().unwrap());
                fs::copy(program, &copy).unwrap();
                open(&copy, 0o755);
            }
            Programs { place }
        });
        &COPIES
    }

    fn agon(&self) -> PathBuf {
        self.place.join("agon")
    }

    pub(crate) fn stub(&self) -> PathBuf {
        self.place.join("agon-stub")
    }
}

/// The prefix of a directory of copies; the number of its process follows.
const PLACE: &str = "agon-attacks-";

/// Removes the copies of ended runs: a static is never dropped.
fn forget_runs_before() {
    for entry in fs::read_dir(std::env::temp_dir()).unwrap().flatten() {
        let name = entry.file_name();
        let pid = name.to_str().and_then(|name| name.strip_prefix(PLACE)?.parse::<u32>().ok());
        if pid.is_some_and(|pid| !Path::new(&format!("/proc/{pid}")).exists()) {
            let _ = fs::remove_dir_all(entry.path()); // others' files stay
        }
    }
}

fn open(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// One attack at one level.
pub(crate) struct Case {
    pub(crate) mode: Mode,
    pub(crate) level: &'static str,
    pub(crate) user: User,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} at {} as {}", self.mode.attack, self.mode.name, self.level, self.user)
    }
}

/// The result of an attack, in the words of the table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Observed {
    effect: &'static str,
    verdict: String,
}

impl fmt::Display for Observed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.effect, self.verdict)
    }
}

impl Case {
    /// Its column in the table.
    pub(crate) fn column(&self) -> String {
        match self.user {
            User::Root => self.level.to_owned(),
            User::Plain => format!("{}, plain user", self.level),
        }
    }

    /// Plays it, and asserts everything that must hold.
    pub(crate) fn play(&self) -> Observed {
        let arena = Arena::new();
        let opponent = format!("{OPPONENT} {}", self.thinking().as_millis());
        let (good, other) =
            if self.mode.name == "chat" { ("chat", "chat") } else { (&*opponent, &*self.mode.name) };
        for name in ["good", "bad"] {
            fs::create_dir(arena.path("engines").join(name)).unwrap();
        }
        let world = World::new(&arena);
        write_engine(&arena, "good", good, &[]);
        write_engine(&arena, "bad", other, &world.variables(&arena));
        let stranger = stranger();
        if self.user.is_to_be_become() {
            give(&arena.path(""), stranger);
        }
        let raise = arena.path("engines/bad/raise");
        fs::copy("/usr/bin/id", &raise).unwrap();
        open(&raise, 0o4755); // root's, if root makes it
        let metronome = Metronome::start();
        let finished = self.run(&arena, stranger);
        let observed = self.judge(&arena, &world, &finished, metronome.late());
        forget(&arena);
        observed
    }

    /// How long the opponent thinks about each move.
    fn thinking(&self) -> Duration {
        match self.mode.name.as_str() {
            // On a busy machine its line would come in its own next turn.
            "late-lines" => THINKING_LONG,
            "hammer" | "hogs" | "ponder" | "ponder-helper" | "wake-by-child" => THINKING_LONG,
            _ => THINKING,
        }
    }

    /// Options that some attacks need.
    fn extra(&self) -> &'static str {
        match self.mode.name.as_str() {
            "keepsake" => "--concurrency 1",
            "cpu-relay" => "--concurrency 2 --cpu-time 1",
            _ => "--concurrency 2",
        }
    }

    /// The clocks. Only an attacker that may lose by the clock has a short time.
    fn clocks(&self) -> String {
        let short = match self.mode.verdict(self.level) {
            // It does nothing but let its time pass.
            "time forfeit" if self.mode.is_blocked(self.level).is_none() => SHORT_LIMIT,
            // It acts before, or everything is right.
            verdict if verdict.contains("time forfeit") || verdict == "any" => 5 * SHORT_LIMIT,
            _ => return format!("--st {} --startup 20", LIMIT.as_secs()),
        };
        format!("--st {} --time bad=st={} --startup 3", LIMIT.as_secs(), short.as_secs_f64())
    }

    fn run(&self, arena: &Arena, stranger: u32) -> Finished {
        let (extra, clocks) = (self.extra(), self.clocks());
        let options = format!(
            "--games 2 --out out --events events --game letters:4x4x2 --seed 3 --margin 0.3 {clocks} \
             --memory 128M --disk 32M --processes 64 {extra} --isolation {}",
            self.level
        );
        let mut arguments = vec!["match", "engines/bad", "engines/good"];
        arguments.extend(options.split_ascii_whitespace());
        arena
            .run(agon_as(self.user, stranger, arena, &[], &arguments).env("AWS_SECRET_ACCESS_KEY", "hunter2"))
    }

    /// Checks the result of a run on a machine that was `late`.
    fn judge(&self, arena: &Arena, world: &World, finished: &Finished, late: Duration) -> Observed {
        let expected = self.mode.verdict(self.level);
        let what = format!("{finished:?}");
        if finished.code.is_none() && self.mode.name == "kill-all" {
            // An attack that kills all processes of a user leaves none of agon's to clean up: boxes
            // prevent that.
            arena.assert_no_process_left(&what);
        } else {
            arena.assert_nothing_left(&what);
        }
        arena.assert_harmless(&what);
        let games = if arena.path("events").exists() { arena.games() } else { Vec::new() };
        let mut bound = SLACK;
        for game in &games {
            let plies = game.0["record"]["plies"].as_array().unwrap().len();
            bound += START + TURN * (u32::try_from(plies).unwrap() + 1) + ENDING;
        }
        assert!(finished.took < bound, "it may take {bound:?}: {what}");
        let verdict = if finished.code == Some(0) {
            assert_eq!(games.len(), 2, "{what}");
            self.the_records_are_right(arena, &games, late)
        } else {
            assert!(["no result", "any"].contains(&expected), "{expected} was expected: {what}");
            assert!(matches!(finished.code, None | Some(1 | 4 | 130)), "{what}");
            "no result".to_owned()
        };
        assert!(
            expected.split(" | ").any(|right| right == verdict || right == "any"),
            "{verdict}, and {expected} was expected: {:?}",
            games.iter().map(Game::reason).collect::<Vec<_>>()
        );
        // Where two verdicts are right, runs may differ, but the table must not.
        let shown = if expected == "any" { "any verdict" } else { expected };
        let effect = self.effect(arena, world, &games, &verdict);
        Observed { effect, verdict: shown.replace(" | ", " or ") }
    }

    fn the_innocent_one_is_unhurt(&self, game: &Game, late: Duration) {
        let good = game.seat("good");
        assert!(game.is_honest_exit("good", late), "late by {late:?}: {}", game.0);
        assert_eq!(good["stragglers"], 0);
        assert_eq!(good["evidence"], serde_json::Value::Null);
        assert_eq!(good["traffic"]["deaf"], false);
        let longest = Duration::from_micros(good["longest_micros"].as_u64().unwrap());
        // The rest is the delay of a harness with much to do.
        let most = self.thinking() + Duration::from_millis(1100) + late;
        assert!(longest < most, "it thought for {longest:?}, and {most:?} is the most");
    }

    /// Checks every record, and returns the verdict.
    fn the_records_are_right(&self, arena: &Arena, games: &[Game], late: Duration) -> String {
        let any = self.mode.verdict(self.level) == "any";
        let mut verdicts: Vec<String> = Vec::new();
        for game in games {
            let record = &game.0["record"];
            let (ending, at_fault) = game.ending();
            if !any {
                assert_eq!(at_fault, (ending != "normal").then_some("bad"), "{}", game.reason());
                if self.mode.name != "chat" {
                    self.the_innocent_one_is_unhurt(game, late);
                }
            }
            assert_eq!(record["isolation"]["level"], self.level, "{record}");
            assert!(
                record["isolation"]["in_force"].as_array().is_some_and(|all| !all.is_empty()),
                "{record}"
            );
            for seat in record["seats"].as_array().unwrap() {
                for field in ["entrant", "traffic", "lateness_micros", "startup_micros", "exit", "stragglers"]
                {
                    // An engine that was never to move was never started.
                    let unborn = field == "exit" && seat["traffic"]["told"] == 0;
                    assert!(!seat[field].is_null() || any || unborn, "no {field}: {seat}");
                }
            }
            verdicts.push(ending);
        }
        let rows = arena.rows("games.csv");
        assert_eq!(rows.len(), games.len(), "a row a game");
        for (row, game) in rows.iter().zip(games) {
            let cell = |name: &str| row.iter().find(|(column, _)| column == name).unwrap().1.clone();
            assert!(games.iter().any(|game| game.id() == cell("id")), "{row:?} {}", game.id());
        }
        let played: u64 = arena
            .rows("standings.csv")
            .iter()
            .map(|row| row.iter().find(|(column, _)| column == "games").unwrap().1.parse::<u64>().unwrap())
            .sum();
        assert_eq!(played, 2 * games.len() as u64);
        for entry in fs::read_dir(arena.path("out/logs")).into_iter().flatten().flatten() {
            let length = entry.metadata().unwrap().len();
            assert!(length <= MOST_LOG, "a log of {length} bytes");
        }
        let expected: Vec<&str> = self.mode.verdict(self.level).split(" | ").collect();
        if let Some(wrong) = verdicts.iter().find(|verdict| !any && !expected.contains(&verdict.as_str())) {
            return wrong.clone();
        }
        verdicts.swap_remove(0)
    }

    /// Whether it worked: by its own report, and as seen from outside.
    fn effect(&self, arena: &Arena, world: &World, games: &[Game], verdict: &str) -> &'static str {
        let logs: String = games
            .iter()
            .map(|game| {
                game.seat("bad")["side"].as_str().map(|side| log(arena, game.id(), side)).unwrap_or_default()
            })
            .collect();
        let claims = logs.contains(&format!("attack {}: worked", self.mode.attack));
        let harm = world.harm();
        // Only these may touch the world.
        let touches = ["tamper", "network", "local-sockets"].contains(&self.mode.name.as_str());
        assert!(harm.is_empty() || touches && claims, "{harm:?}; it says {logs:?}");
        assert!(
            !touches || !claims || !harm.is_empty() || logs.contains("watching"),
            "it says it has: {logs:?}"
        );
        let worked = claims || verdict == "no result";
        let not_tried = logs.contains(&format!("attack {}: not tried", self.mode.attack));
        let Some(blocked) = self.mode.is_blocked(self.level) else { return "survived" };
        if blocked {
            assert!(!worked, "it must be blocked: {logs:?} {harm:?}");
            return "blocked";
        }
        if self.user == User::Root && ["kill-all", "setuid"].contains(&&*self.mode.name) && not_tried {
            return "not tried"; // a plain user's is the positive control
        }
        assert!(!not_tried, "{logs:?}");
        let name = self.mode.name.as_str();
        if self.user == User::Plain
            && !worked
            && (["kill-all", "setuid"].contains(&name) || crate::LOUD.contains(&name))
        {
            panic!("the positive control of a plain user: {logs:?}");
        }
        if self.user == User::Plain && !worked {
            return "blocked"; // the system itself restricts a plain user
        }
        assert!(worked, "the positive control: it must work here, or nothing is proved: {logs:?}");
        if touches {
            assert!(!harm.is_empty(), "the positive control: nothing was touched: {logs:?}");
        }
        "works"
    }
}

fn log(arena: &Arena, game: &str, side: &str) -> String {
    fs::read_to_string(arena.path(&format!("out/logs/{game}-{side}.txt"))).unwrap_or_default()
}

/// The program as this user, in a process group of its own, so that an attack on a group does not
/// reach the test.
///
/// `before` is a command that runs it.
pub(crate) fn agon_as(
    user: User,
    stranger: u32,
    arena: &Arena,
    before: &[&str],
    arguments: &[&str],
) -> Command {
    let agon = Programs::get().agon();
    let id = stranger.to_string();
    let become_it = ["setpriv", "--reuid", &id, "--regid", &id, "--clear-groups"];
    let mut all = if user.is_to_be_become() { become_it.to_vec() } else { Vec::new() };
    all.extend(before);
    all.push(agon.to_str().unwrap());
    all.extend(arguments);
    let mut command = arena.command(all[0], &all[1..]);
    command.process_group(0);
    command
}

/// The stub in this mode, with these variables in its environment besides the token.
fn write_engine(arena: &Arena, name: &str, mode: &str, variables: &[(&str, String)]) {
    let stub = Programs::get().stub();
    let words: Vec<String> = mode.split(' ').map(|word| format!("{word:?}")).collect();
    let mut text = format!(
        "command = [{stub:?}, {}]\nlearns = [\"notes\", \"notes.renamed\", \"doomed\"]\n[env]\nTOKEN = {:?}\n",
        words.join(", "),
        arena.token
    );
    for (variable, value) in variables {
        text += &format!("{variable} = {value:?}\n");
    }
    fs::write(arena.path("engines").join(name).join("engine.toml"), text).unwrap();
}

/// An arena with two engines, `bad` and `good`, owned by a user.
pub(crate) struct Stage {
    pub(crate) arena: Arena,
    user: User,
    stranger: u32,
}

impl Stage {
    pub(crate) fn new(user: User, bad: &str, good: &str) -> Self {
        let arena = Arena::new();
        for (name, mode) in [("bad", bad), ("good", good)] {
            fs::create_dir(arena.path("engines").join(name)).unwrap();
            write_engine(&arena, name, mode, &[]);
        }
        let stranger = stranger();
        if user.is_to_be_become() {
            give(&arena.path(""), stranger);
        }
        Stage { arena, user, stranger }
    }

    /// agon, run by `before` unless that is empty.
    pub(crate) fn command(&self, before: &[&str], arguments: &[&str]) -> Command {
        agon_as(self.user, self.stranger, &self.arena, before, arguments)
    }

    /// Gives the new files in the arena to its user.
    pub(crate) fn belongs_to_its_user(&self) {
        if self.user.is_to_be_become() {
            give(&self.arena.path(""), self.stranger);
        }
    }

    /// Another program, run by its user.
    pub(crate) fn as_its_user(&self, program: &str, arguments: &[&str]) -> Command {
        if !self.user.is_to_be_become() {
            let mut command = Command::new(program);
            command.args(arguments);
            return command;
        }
        let id = self.stranger.to_string();
        let mut command = Command::new("setpriv");
        command.args(["--reuid", &id, "--regid", &id, "--clear-groups", program]).args(arguments);
        command
    }

    pub(crate) fn run(&self, command: &mut Command) -> Finished {
        self.arena.run(command)
    }
}

/// Gives all files there to this user.
pub(crate) fn give(path: &Path, user: u32) {
    chown(path, Some(user), Some(user)).unwrap();
    if path.is_dir() && !path.is_symlink() {
        fs::read_dir(path).unwrap().flatten().for_each(|entry| give(&entry.path(), user));
    }
}

/// Removes the files of attacks in shared places.
fn forget(arena: &Arena) {
    for place in ["/tmp", "/var/tmp", "/dev/shm"] {
        for what in ["keepsake", "meet"] {
            let _ = fs::remove_file(format!("{place}/{what}-{}", arena.token)); // usually there is none
        }
    }
}

/// Whether a level is available on this machine.
pub(crate) fn is_available(level: &str, user: User) -> Result<(), String> {
    let stage = Stage::new(user, "honest", "honest");
    let arguments = [
        "match",
        "engines/bad",
        "engines/good",
        "--game",
        "letters:4x4x2",
        "--isolation",
        level,
        "--games",
        "2",
    ];
    let finished = stage.run(&mut stage.command(&[], &arguments));
    match finished.code {
        Some(0) => Ok(()),
        Some(3) => Err(finished.stderr),
        _ => panic!("{level} as {user}: {finished:?}"),
    }
}
