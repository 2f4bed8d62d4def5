//! The time of an engine over `agon connect`: one that is honest loses no game to a busy machine,
//! and a machine that lies gains no more than the run allows for.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::ops::RangeInclusive;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use agon_remote::claim::FarClaim;
use agon_remote::frame::{Ended, WireFrame};
use agon_remote::link::RemoteLink;
use agon_remote::{Token, greeting};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::home::{Home, programs};
use super::remote::{MOVER, connected, far, free_port, listening, mover};
use super::support::{is_thorough, not_tried};

/// The token of [`far`].
const SECRET: &[u8] = b"0123456789abcdef0123456789abcdef";
const MILLI: Duration = Duration::from_millis(1);

/// A run's folder with an engine `far` that is connected to this port, and `mover`.
fn table(port: u16, args: &str) -> Home {
    let home = Home::new();
    far(&home, &listening(&home, port), args);
    let echo = listening(&home, port).replace("\"--\"", "\"--echo\"");
    home.put("far/engine.toml", format!("{}echo = [{echo}]\n", home.read("far/engine.toml")));
    mover(&home);
    home
}

/// The games of a match between `far` and `mover`, which is proved besides.
fn games(home: &Home, words: &str) -> Vec<Value> {
    let all = format!(
        "match far mover --game mnk:3x3,3 --random-plies 0 --isolation limits --concurrency 1 --startup 30 \
         --elsewhere far {words} --out out"
    );
    let said = home.agon(all.split_whitespace());
    let log = std::fs::read_to_string(home.path("connect.log")).unwrap_or_default();
    assert_eq!(said.code, Some(0), "{words}: {}\n{log}", said.all());
    let proved = home.agon(["verify", "out"]);
    assert!(proved.code == Some(0) && proved.out().contains(" 0 differences in all"), "{}", proved.all());
    let said = home.agon(["export", "json", "out", "--all"]);
    said.out().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// How many of the games `far` has lost on time or by a crash. Any other end of them is the normal
/// one, and none is void.
fn lost(games: &[Value]) -> (usize, usize) {
    let mut lost = (0, 0);
    for game in games {
        let decided = &game["verdict"]["decided"];
        assert!(decided.is_object(), "void: {}", game["verdict"]);
        let far = usize::from(game["seats"][1]["entrant"] == "far");
        match &decided["termination"] {
            Value::String(word) => assert!(word == "normal" || word == "adjudication", "{decided}"),
            fault if fault["forfeit"][0] == far && fault["forfeit"][1] == "time_forfeit" => lost.0 += 1,
            fault if fault["forfeit"][0] == far && fault["forfeit"][1] == "crash" => lost.1 += 1,
            other => panic!("{other}: {decided}"),
        }
    }
    lost
}

/// A machine that does what it likes with what `agon connect` would do.
#[derive(Clone, Copy)]
struct FalseMachine {
    /// It answers after so long.
    think: Duration,
    /// It says so of the time that its engine had. None if it is of a version that says nothing.
    own: Option<Duration>,
    /// Looks are answered after so long.
    look: Duration,
    /// It sends frames without end that bring nothing, in place of an answer.
    floods: bool,
}

impl FalseMachine {
    /// Plays until it is dropped.
    fn plays(self, port: u16) -> PlayingMachine {
        let over = Arc::new(AtomicBool::new(false));
        let seen = over.clone();
        let thread = thread::spawn(move || {
            if self.look.is_zero() && !self.floods {
                is_served_first();
            }
            while !seen.load(Ordering::SeqCst) {
                if self.game(port, &seen).is_err() {
                    thread::sleep(20 * MILLI);
                }
            }
            waits_of_this_thread()
        });
        PlayingMachine { over, thread: Some(thread) }
    }

    fn game(self, port: u16, over: &AtomicBool) -> std::io::Result<()> {
        let mut lines = BufReader::new(TcpStream::connect(("127.0.0.1", port))?);
        let (mut challenge, mut welcome) = (String::new(), String::new());
        lines.read_line(&mut challenge)?;
        let theirs = greeting::read_challenge(challenge.trim_end()).ok_or(ErrorKind::InvalidData)?;
        let own = if self.own.is_some() { greeting::nonce()? } else { greeting::random()? };
        let claim = greeting::claim(&Token::new(SECRET), theirs, &own, None, 0);
        lines.get_mut().write_all(claim.as_bytes())?;
        lines.read_line(&mut welcome)?;
        let rest = lines.buffer().to_vec();
        let mut stream = lines.into_inner();
        stream.set_read_timeout(Some(5 * MILLI))?;
        stream.set_nodelay(true)?;
        let mut engine = FalseEngine::new(self);
        engine.link.hear(&rest);
        while !over.load(Ordering::SeqCst) && !engine.over {
            let mut bytes = [0; 4096];
            match stream.read(&mut bytes) {
                Ok(0) => return Ok(()),
                Ok(count) => engine.link.hear(&bytes[..count]),
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
                Err(error) => return Err(error),
            }
            engine.goes_on();
            stream.write_all(engine.link.out())?;
            engine.link.out().clear();
            if engine.floods {
                stream.write_all(&WireFrame::Seen(u64::MAX, FarClaim::default()).bytes().repeat(500))?;
            }
        }
        Ok(())
    }
}

struct PlayingMachine {
    over: Arc<AtomicBool>,
    thread: Option<thread::JoinHandle<Duration>>,
}

impl PlayingMachine {
    /// Ends it. How long it has waited for a processor in all.
    fn end(mut self) -> Duration {
        self.over.store(true, Ordering::SeqCst);
        self.thread.take().unwrap().join().unwrap()
    }
}

impl Drop for PlayingMachine {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // a test that fails tells why
        }
    }
}

/// Gives this thread a processor as soon as it wants one, where that is allowed: on a busy machine
/// it could not answer at once.
fn is_served_first() {
    let thread = rustix::thread::gettid().as_raw_nonzero().to_string();
    let _ = Command::new("chrt").args(["--rr", "--pid", "1", &thread]).stderr(Stdio::null()).status(); // as said
}

/// How long this thread has waited for a processor in all.
fn waits_of_this_thread() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    Duration::from_nanos(text.split(' ').nth(1).unwrap().parse().unwrap())
}

/// One game of such a machine.
struct FalseEngine {
    machine: FalseMachine,
    link: RemoteLink,
    side: String,
    taken: HashSet<String>,
    later: Vec<(Instant, WireFrame)>,
    is_up: bool,
    floods: bool,
    over: bool,
}

impl FalseEngine {
    fn new(machine: FalseMachine) -> Self {
        FalseEngine {
            machine,
            link: RemoteLink::default(),
            side: String::new(),
            taken: HashSet::new(),
            later: Vec::new(),
            is_up: false,
            floods: false,
            over: false,
        }
    }

    fn goes_on(&mut self) {
        while let Ok(Some(frame)) = self.link.next_frame() {
            match frame {
                WireFrame::Argument(word) => self.side = String::from_utf8(word).unwrap(),
                WireFrame::Stdin(bytes) => self.told(std::str::from_utf8(&bytes).unwrap()),
                WireFrame::StdinEnd => {
                    self.link.send(&WireFrame::Exit(Ended::Code(0)));
                    self.over = true;
                }
                WireFrame::Look(number, _) => {
                    let claim = FarClaim { own: self.machine.own.unwrap_or_default(), ran: Duration::ZERO };
                    self.later.push((Instant::now() + self.machine.look, WireFrame::Seen(number, claim)));
                }
                _ => {}
            }
        }
        let now = Instant::now();
        for (_, frame) in self.later.extract_if(.., |(at, _)| *at <= now) {
            self.link.send(&frame);
        }
    }

    /// The board comes first, and then the moves of the other side.
    fn told(&mut self, text: &str) {
        let moves: Vec<&str> = text.lines().filter_map(|line| Some(line.split_once(',')?.1)).collect();
        let begins = !self.is_up && self.side == "X";
        if !std::mem::replace(&mut self.is_up, true) {
            self.link.send(&WireFrame::Up);
        }
        self.taken.extend(moves.iter().map(|cell| (*cell).to_owned()));
        if moves.is_empty() && !begins {
            return;
        }
        self.floods = self.machine.floods;
        let cells = ["a", "b", "c"].map(|column| ["1", "2", "3"].map(|row| format!("{column}{row}")));
        let Some(cell) = cells.concat().into_iter().find(|cell| !self.taken.contains(cell)) else { return };
        let line = format!("{},{cell}\n", self.side).into_bytes();
        self.taken.insert(cell);
        let frame = match self.machine.own {
            Some(own) => WireFrame::Answer(FarClaim { own, ran: Duration::ZERO }, line),
            None => WireFrame::Stdout(line),
        };
        self.later.push((Instant::now() + self.machine.think, frame));
    }
}

/// A machine that lies as well as it can gains the lag that the run allows for, and not more. The
/// first machine is the control: what is allowed for is not lost.
#[test]
#[ignore = "slow"]
fn a_machine_that_lies_gains_no_more_than_the_lag_and_no_game_is_void() {
    let second = Duration::from_secs(1);
    let late =
        FalseMachine { think: 2 * second, own: Some(Duration::ZERO), look: 60 * second, floods: false };
    for (what, machine, expected) in [
        ("it holds back what is asked of it", late, (0, 0)),
        ("it is later than the lag", FalseMachine { think: 8 * second, ..late }, (2, 0)),
        ("it answers looks at once", FalseMachine { look: Duration::ZERO, ..late }, (2, 0)),
        ("it says that its engine had that time", FalseMachine { own: Some(2 * second), ..late }, (2, 0)),
        ("it says nothing, as the first version", FalseMachine { own: None, ..late }, (2, 0)),
        ("it floods", FalseMachine { floods: true, think: 60 * second, ..late }, (0, 2)),
    ] {
        let port = free_port();
        let home = table(port, "\"{side}\"");
        let playing = machine.plays(port);
        let games = games(&home, "--games 2 --max-plies 4 --st 0.5 --lag 4");
        let waited = playing.end();
        // A look that waits for a processor shows a busy machine, and what that costs is no lie.
        if machine.look.is_zero() && waited >= MILLI && lost(&games) != expected {
            not_tried!("chrt --rr 1: {what}; it could not, since this machine is busy");
            continue;
        }
        assert_eq!(lost(&games), expected, "{what}: {games:#?}");
        let why = home.agon(["why", "out"]);
        assert_eq!(
            why.out().contains("its machine says that it had"),
            expected.0 > 0 && machine.own.is_some() && machine.think == 2 * second,
            "{what}: {}",
            why.all()
        );
    }
}

/// Passes on what comes, so much later.
fn delaying(to: u16, delay: Duration) -> u16 {
    jittering(to, delay..=delay)
}

/// Passes on what comes, later by a time of these, another one each time. Nothing is overtaken.
fn jittering(to: u16, delays: RangeInclusive<Duration>) -> u16 {
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = socket.local_addr().unwrap().port();
    let pass = move |mut from: TcpStream, mut into: TcpStream| {
        let (send, waits) = std::sync::mpsc::channel::<(Instant, Vec<u8>)>();
        let (least, span) = (*delays.start(), *delays.end() - *delays.start());
        let mut drawn = 1_u32;
        thread::spawn(move || {
            for (at, bytes) in waits {
                thread::sleep(at.saturating_duration_since(Instant::now()));
                if into.write_all(&bytes).is_err() {
                    break;
                }
            }
            let _ = into.shutdown(std::net::Shutdown::Both); // it may be closed already
        });
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = from.read(&mut bytes) {
                drawn = drawn.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let delay = least + span * (drawn >> 24) / 255;
                if send.send((Instant::now() + delay, bytes[..count].to_vec())).is_err() {
                    return;
                }
            }
        });
    };
    thread::spawn(move || {
        for near in socket.incoming().map_while(Result::ok) {
            let Ok(far) = TcpStream::connect(("127.0.0.1", to)) else { continue };
            near.set_nodelay(true).unwrap();
            far.set_nodelay(true).unwrap();
            pass(near.try_clone().unwrap(), far.try_clone().unwrap());
            pass(far, near);
        }
    });
    port
}

/// An engine that answers at once, on a way that delays everything. The control has the same way
/// and a lag that allows for it.
#[test]
#[ignore = "slow"]
fn a_way_that_delays_everything_by_more_than_the_lag_loses_and_by_less_does_not() {
    for (lag, expected) in [("0.5", (2, 0)), ("20", (0, 0))] {
        let port = free_port();
        let home = table(port, MOVER);
        let engine = programs().join("agon-mover");
        let _machine = connected(&home, delaying(port, 700 * MILLI), &[engine.to_str().unwrap()]);
        let games = games(&home, &format!("--games 2 --max-plies 4 --st 0.4 --lag {lag}"));
        assert_eq!(lost(&games), expected, "{lag}: {games:#?}");
    }
}

/// Plays the first free cell when so many seconds have passed since the question.
const PUNCTUAL: &str = r#"
import sys, time
seconds, side = float(sys.argv[1]), sys.argv[2]
cells = [column + row for column in "abc" for row in "123"]
def move(since):
    time.sleep(max(0, since + seconds - time.monotonic()))
    print(side + "," + cells.pop(0), flush=True)
for _ in range(4):
    sys.stdin.readline()
if side == "X":
    move(time.monotonic())
for line in sys.stdin:
    since = time.monotonic()
    cells.remove(line.strip().split(",")[1])
    move(since)
"#;

/// An engine that uses most of its time, on a way whose delays differ by more than it leaves: they
/// cost nothing where a lag is allowed for. In the control nothing is. The lag and what is left of
/// the time are longer than a busy machine stops a process for.
#[test]
#[ignore = "slow"]
fn jitter_loses_no_game_of_an_engine_that_uses_most_of_its_time() {
    for (lag, played, expected) in [("--lag 5", 4, (0, 0)), ("", 2, (2, 0))] {
        let port = free_port();
        let home = table(port, "\"0.7\", \"{side}\"");
        home.put("punctual.py", PUNCTUAL);
        let program = home.path("punctual.py");
        let way = jittering(port, 200 * MILLI..=500 * MILLI);
        let _machine = connected(&home, way, &["python3", program.to_str().unwrap()]);
        let games = games(&home, &format!("--games {played} --max-plies 6 --st 1 {lag}"));
        assert_eq!(lost(&games), expected, "{lag}: {games:#?}");
    }
}

/// Keeps each core busy with four processes. They end by themselves after some minutes.
struct Load(Vec<Child>);

impl Load {
    fn new() -> Self {
        let burn = || {
            let words = ["timeout", "300", "sh", "-c", "while :; do :; done"];
            Command::new("setsid").args(words).stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap()
        };
        let cores = thread::available_parallelism().map_or(2, |cores| cores.get());
        Load((0..4 * cores).map(|_| burn()).collect())
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = kill_process(Pid::from_child(child), Signal::TERM); // it may have ended by itself
            let _ = child.wait(); // as above
        }
    }
}

/// Plays the first free cell when it has used so much processor time: 80 ms, or all of it.
const BURNS: &str = r#"
import sys, time
seconds, side = float(sys.argv[1]), sys.argv[2]
cells = [column + row for column in "abc" for row in "123"]
def move():
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass
    print(side + "," + cells.pop(0), flush=True)
for _ in range(4):
    sys.stdin.readline()
if side == "X":
    move()
for line in sys.stdin:
    cells.remove(line.strip().split(",")[1])
    move()
"#;

#[test]
#[ignore = "slow"]
fn on_a_busy_machine_an_honest_engine_elsewhere_loses_nothing_and_one_that_burns_loses_each() {
    if !Path::new("/usr/bin/python3").exists() {
        return not_tried!("apt-get install python3");
    }
    let _load = Load::new();
    let most = if is_thorough() { 6 } else { 2 };
    for (seconds, count, words, expected) in [
        ("0.08", most, "--st 0.2 --lag 10", 0..=0),
        ("1e9", 2, "--st 0.2 --lag 10", 2..=2),
        // The control: nothing is allowed for, and the machine is busy.
        ("0.08", most, "--st 0.1 --lag 0.001", 1..=most),
    ] {
        let words = &format!("--games {count} {words}");
        let port = free_port();
        let home = table(port, "\"{side}\"");
        let script = home.put("burns.py", BURNS);
        let _machine = connected(&home, port, &["/usr/bin/python3", script.to_str().unwrap(), seconds]);
        let games = games(&home, words);
        let (lost, crashed) = lost(&games);
        let told = || {
            format!(
                "{seconds} {words}: {lost} lost on time, {crashed} crashed: {games:#?}\n{}",
                home.read("connect.log")
            )
        };
        assert!(expected.contains(&lost) && crashed == 0, "{}", told());
    }
}
