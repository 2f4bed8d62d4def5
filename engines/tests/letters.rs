//! The sample engines, tested by hand-written conversations: their answers, and their exit.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// The worked example of the rules.
const EXAMPLE: &str = "6 6 3\n\
    appleb\nutteri\nsgoodt\noeatth\nisisas\nampleb\n\n\
    oardth\nisgame\nwillfo\nrceyou\ntothin\nkabout\n\n\
    genera\ntingpe\nrmutio\nnsasto\nppinga\nndstar\n";

const WORDS: [&str; 13] =
    ["ample", "apple", "boa", "eat", "game", "good", "help", "lot", "oat", "set", "top", "utter", "zoo"];

const GREEDY: &str = env!("CARGO_BIN_EXE_agon-greedy");
const LOOKAHEAD: &str = env!("CARGO_BIN_EXE_agon-lookahead");
const RANDOM: &str = env!("CARGO_BIN_EXE_agon-random");
const STUB: &str = env!("CARGO_BIN_EXE_agon-stub");

#[test]
fn greedy_engines_play_the_word_that_scores_most() {
    for command in greedy_engines() {
        let mut engine = Playing::start(&command, "W", EXAMPLE, &WORDS);
        assert_eq!(engine.answer(), "W,1,1,1,1,5,1,apple"); // as much as ample, and found first
        engine.tell("B,6,5,1,6,1,1,ample"); // the ends may come in either order
        assert_eq!(engine.answer(), "W,3,2,1,3,5,1,good");
        engine.tell("B,P");
        assert_eq!(engine.answer(), "W,2,1,1,2,5,1,utter");
        engine.tell("B,P");
        assert_eq!(engine.answer(), "W,6,2,1,6,4,1,boa"); // it has come up under ample
        engine.leave();
    }
}

#[test]
fn greedy_engines_know_words_that_burrow() {
    for command in greedy_engines() {
        let mut engine = Playing::start(&command, "B", EXAMPLE, &["lot"]);
        engine.tell("W,3,4,1,3,4,3,lot");
        assert_eq!(engine.answer(), "B,6,4,1,6,4,3,lot");
        engine.leave();
        // The opponent's word takes three letters of one column, and the fourth moves up.
        let words = ["sea", "set", "tea", "top"];
        let mut engine = Playing::start(&command, "B", "1 3 4\ntea\noat\nppp\nset\n", &words);
        engine.tell("W,1,1,1,1,1,3,top");
        assert_eq!(engine.answer(), "B,1,1,1,1,3,1,sea");
        engine.leave();
    }
}

#[test]
fn lookahead_does_not_open_the_way_for_a_better_reply() {
    // Taking cat (5) uncovers zoo (12); taking tea (3) leaves cat.
    let (board, words) = ("2 3 2\ncat\ntea\nzoo\nxxx\n", ["cat", "tea", "zoo"]);
    for (program, best) in [(GREEDY, "W,1,1,1,1,3,1,cat"), (LOOKAHEAD, "W,2,1,1,2,3,1,tea")] {
        let engine = Playing::start(&[program], "W", board, &words);
        assert_eq!(engine.answer(), best);
        engine.leave();
    }
}

#[test]
fn random_plays_the_same_moves_in_the_same_game_and_others_in_another() {
    let answers = |board: &str| {
        let mut engine = Playing::start(&[RANDOM], "W", board, &WORDS);
        let first = engine.answer();
        engine.tell("B,P");
        let second = engine.answer();
        engine.leave();
        (first, second)
    };
    let game = answers(EXAMPLE);
    assert_eq!(answers(EXAMPLE), game);
    assert!(WORDS.iter().any(|word| game.0.ends_with(word)), "{} is no word", game.0);
    // A different letter in the far corner is a different position: at least one of twenty draws
    // another word.
    let mut others =
        (b'a'..b'u').map(|letter| EXAMPLE.replace("ndstar", &format!("ndsta{}", char::from(letter))));
    assert!(others.any(|board| answers(&board).0 != game.0));
}

/// What an engine knows, it also knows with a larger share.
#[test]
fn an_engine_that_knows_fewer_words_plays_no_better_one() {
    let lengths: Vec<usize> = (0..=10)
        .map(|tenths| {
            let percent = (10 * tenths).to_string();
            let engine = Playing::start_with(&[GREEDY], "W", EXAMPLE, &WORDS, &[&percent]);
            let answer = engine.answer();
            engine.leave();
            // A longer word of these has more points.
            answer.rsplit(',').next().expect("a line has a last part").replace('P', "").len()
        })
        .collect();
    assert!(lengths.is_sorted(), "{lengths:?}");
    assert_eq!((lengths[0], lengths[10]), (0, 5), "it knows none, and all: {lengths:?}");
    assert!(lengths[1..10].iter().any(|length| (1..5).contains(length)), "{lengths:?}");
    let wrong = Command::new(GREEDY).args(["W", "6", "6", "3", "5", "many"]).output().expect("it starts");
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("wrong arguments"), "{wrong:?}");
}

#[test]
fn every_engine_passes_when_there_is_no_word() {
    for command in all_engines() {
        let mut engine = Playing::start(&command, "B", EXAMPLE, &["zzz"]);
        engine.tell("W,P");
        assert_eq!(engine.answer(), "B,P");
        engine.leave();
    }
}

#[test]
fn no_engine_speaks_before_it_is_asked() {
    for command in all_engines() {
        let engine = Playing::start(&command, "B", EXAMPLE, &WORDS);
        assert_eq!(engine.lines.recv_timeout(Duration::from_millis(300)), Err(RecvTimeoutError::Timeout));
        engine.leave();
    }
}

#[test]
fn the_honest_stub_passes_or_plays_the_first_word() {
    for (command, first, second) in [
        (&[STUB, "honest"][..], "W,P", "W,P"),
        (&[STUB, "honest", "--word"][..], "W,1,1,1,1,5,1,apple", "W,2,1,1,2,5,1,utter"),
    ] {
        let mut engine = Playing::start(command, "W", EXAMPLE, &WORDS);
        assert_eq!(engine.answer(), first);
        engine.tell("B,P");
        assert_eq!(engine.answer(), second);
        engine.leave();
    }
}

#[test]
fn the_stub_says_what_its_modes_promise() {
    for (mode, said) in [
        (&["crlf"][..], &b"W,P\r\n"[..]),
        (&["bare-cr"], b"W,P\r"),
        (&["nul"], b"W,P\0b2\n"),
        (&["half-line-exit"], b"W,P"),
        (&["answer-exit"], b"W,P\n"),
        (&["three-moves"], b"W,P\nW,P\nW,P\n"),
        (&["prompt"], b"Your move? W,P\n"),
        (&["early-start"], b"W,P\nW,P\n"),
        (&["wrong-side"], b"B,P\n"),
        (&["no-flush"], b""),
        (&["close-stdout"], b""),
        (&["exit-now", "--code", "3"], b""),
    ] {
        let (status, output) = stub_alone(mode);
        assert_eq!(output, said, "{mode:?}");
        assert_eq!(status.code(), Some(if mode.contains(&"--code") { 3 } else { 0 }), "{mode:?}");
    }
}

#[test]
fn the_stub_dies_of_the_signal_it_is_told_to() {
    for number in [4, 6, 8, 9, 11] {
        let (status, _) = stub_alone(&["signal", "--number", &number.to_string()]);
        assert_eq!(status.signal(), Some(number));
    }
}

#[test]
fn the_stub_ends_by_itself_whatever_it_does() {
    for mode in ["stubborn", "hang", "deaf"] {
        let started = Instant::now();
        let (status, _) = stub_alone(&[mode, "--life", "1"]);
        assert!(started.elapsed() < Duration::from_secs(60), "{mode} took {:?}", started.elapsed());
        assert_eq!(status.signal(), Some(14), "{mode} was ended by its alarm");
    }
}

/// An engine in its directory, with a thread that reads its output.
struct Playing {
    child: Child,
    lines: Receiver<String>,
    what: String,
    _directory: TempDir,
}

impl Playing {
    fn start(command: &[impl AsRef<str>], side: &str, board: &str, words: &[&str]) -> Self {
        Playing::start_with(command, side, board, words, &[])
    }

    /// The same, with more arguments after the usual ones.
    fn start_with(
        command: &[impl AsRef<str>],
        side: &str,
        board: &str,
        words: &[&str],
        more: &[&str],
    ) -> Self {
        let command: Vec<&str> = command.iter().map(AsRef::as_ref).collect();
        let directory = directory_with(board, words);
        let sizes = board.lines().next().expect("a board has a first line").split(' ');
        let mut child = Command::new(command[0])
            .args(&command[1..])
            .arg(side)
            .args(sizes)
            .arg("5")
            .args(more)
            .current_dir(directory.path())
            .env_remove("PYTHONUNBUFFERED") // it would hide a missing flush
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the engine starts");
        let output = BufReader::new(child.stdout.take().expect("stdout is piped"));
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            output.lines().map_while(Result::ok).take_while(|line| sender.send(line.clone()).is_ok()).count()
        });
        let mut playing = Playing { child, lines, what: command.join(" "), _directory: directory };
        playing.write(board);
        playing
    }

    fn write(&mut self, text: &str) {
        let input = self.child.stdin.as_mut().expect("stdin is piped");
        input.write_all(text.as_bytes()).expect("the engine listens");
    }

    fn tell(&mut self, mv: &str) {
        self.write(&format!("{mv}\n"));
    }

    fn answer(&self) -> String {
        self.lines.recv_timeout(Duration::from_secs(10)).unwrap_or_else(|why| panic!("{}: {why}", self.what))
    }

    /// Closes its stdin. It must exit, with success; the bound is for a busy machine.
    fn leave(mut self) {
        drop(self.child.stdin.take());
        let until = Instant::now() + Duration::from_secs(20);
        loop {
            if let Some(status) = self.child.try_wait().expect("it is our child") {
                assert!(status.success(), "{}: {status}", self.what);
                return;
            }
            assert!(Instant::now() < until, "{} does not exit", self.what);
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Drop for Playing {
    fn drop(&mut self) {
        // A failed test leaves it running; otherwise this has no effect.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A directory in the state that an engine finds.
fn directory_with(board: &str, words: &[&str]) -> TempDir {
    let mut sorted: Vec<(String, Vec<&str>)> = Vec::new();
    for word in words {
        let mut letters: Vec<char> = word.chars().collect();
        letters.sort_unstable();
        let key: String = letters.into_iter().collect();
        match sorted.iter_mut().find(|(other, _)| *other == key) {
            Some((_, list)) => list.push(word),
            None => sorted.push((key, vec![word])),
        }
    }
    sorted.sort();
    let lines: String = sorted.iter().map(|(key, list)| format!("{key} {}\n", list.join(" "))).collect();
    let directory = tempfile::tempdir().expect("there is room for a directory");
    for (name, text) in
        [("board", board.to_owned()), ("dictionary", words.join("\n") + "\n"), ("dictionary.sorted", lines)]
    {
        fs::write(directory.path().join(name), text).expect("there is room for a file");
    }
    directory
}

/// Runs the stub as white on the example, without an opponent, to its end.
fn stub_alone(mode: &[&str]) -> (ExitStatus, Vec<u8>) {
    let directory = directory_with(EXAMPLE, &WORDS);
    let output = Command::new(STUB)
        .args(mode)
        .args(["W", "6", "6", "3", "5"])
        .current_dir(directory.path())
        .stdin(fs::File::open(directory.path().join("board")).expect("it was written just now"))
        .output()
        .expect("the stub starts");
    (output.status, output.stdout)
}

fn greedy_engines() -> Vec<Vec<String>> {
    vec![vec![GREEDY.to_owned()], plain_python(), plain_c()]
}

fn all_engines() -> Vec<Vec<String>> {
    let mut all = greedy_engines();
    all.extend([LOOKAHEAD, RANDOM].map(|program| vec![program.to_owned()]));
    all
}

fn plain_python() -> Vec<String> {
    let folder = sample("plain-python");
    let path = folder.to_str().expect("the path is text");
    strings(&engine_toml(&folder), "command").iter().map(|word| word.replace("{folder}", path)).collect()
}

/// Builds the engine in C by its `engine.toml`, once, in a folder of its own.
fn plain_c() -> Vec<String> {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    let about = engine_toml(&sample("plain-c"));
    let folder = BUILT.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("plain-c");
        fs::create_dir_all(&folder).expect("there is room for a directory");
        fs::copy(sample("plain-c").join("plain.c"), folder.join("plain.c")).expect("it can be copied");
        let build = strings(&about, "build");
        let built = Command::new(&build[0]).args(&build[1..]).current_dir(&folder).status();
        assert!(built.expect("there is a C compiler").success());
        folder
    });
    let program = folder.join(&strings(&about, "command")[0]);
    vec![program.to_str().expect("the path is text").to_owned()]
}

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn engine_toml(folder: &Path) -> toml::Table {
    let text = fs::read_to_string(folder.join("engine.toml")).expect("there is an engine.toml");
    text.parse().expect("engine.toml is TOML")
}

fn strings(table: &toml::Table, key: &str) -> Vec<String> {
    let list = table[key].as_array().expect("it is a list");
    list.iter().map(|word| word.as_str().expect("of strings").to_owned()).collect()
}
