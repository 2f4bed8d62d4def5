//! The side of the engine: it starts the engine for each game, and carries its pipes to the
//! harness.

use std::fs::OpenOptions;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use agon_printable::escape;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group};
use tempfile::TempDir;

use crate::claim::EngineClock;
use crate::error::RemoteError;
use crate::frame::{Ended, WireFrame};
use crate::greeting::{self, LINE, NotLetIn, PROOF, Token};
use crate::link::RemoteLink;
use crate::trials::Trials;
use crate::turn::FarTurn;
use crate::wire::{GULP, Wire};

/// Between two attempts to connect.
const RETRY: Duration = Duration::from_millis(200);
/// Where somebody else answers, the time between two attempts grows to this.
const LONGEST_RETRY: Duration = Duration::from_secs(3);
/// After so many attempts nothing more is said of those who prove nothing.
const MOST_SAID: u32 = 100;
/// Deadlines and the end of the engine are looked at so often.
const TICK: Duration = Duration::from_millis(20);
/// After the end of the engine its output is read for so long, if a child of it holds the pipe.
const LAST_OUTPUT: Duration = Duration::from_millis(200);

/// Where to connect, and what to start.
pub struct Connecting<'a> {
    /// `HOST:PORT`.
    pub address: &'a str,
    /// What the other side must know.
    pub token: &'a Token,
    /// The engine and its own arguments; those of the harness follow.
    pub program: PathBuf,
    /// Its own arguments.
    pub arguments: Vec<std::ffi::OsString>,
    /// After so many games it is enough; none for no end.
    pub games: Option<u32>,
    /// Becomes readable when it is to stop.
    pub stop: BorrowedFd<'a>,
    /// Makes what observes the engine of a game.
    pub clock: &'a (dyn Fn() -> Box<dyn EngineClock> + Sync),
}

/// A connection that was let in.
struct Admitted {
    stream: TcpStream,
    session: String,
    received: u64,
    rest: Vec<u8>,
    /// Whether the other side knows looks.
    knows_looks: bool,
}

/// Why there is no connection.
enum Refusal {
    /// Nobody listens, or not yet.
    NotNow,
    /// The address is unknown: it is wrong, or the network is away.
    NoAddress(String),
    /// The other side has another game: it has proved that it knows the token.
    Over,
    /// It will not do: it has proved that it knows the token.
    Never(String),
    /// Who listens there says so, or is no agon at all, and has proved nothing: the right one may
    /// come.
    Unproved(String),
}

/// Plays games until it is told to stop. `say` gets what a person may want to know.
///
/// # Errors
/// [`RemoteError::Refused`]: the address is unknown, or the other side has proved that it knows the
/// token, and refuses for ever. Who has not proved it ends nothing.
pub fn connect(order: &Connecting<'_>, say: &dyn Fn(&str)) -> Result<(), RemoteError> {
    let mut games = 0;
    // An address that was known once is right.
    let mut is_known = false;
    let mut unproved = Unproved::default();
    let mut is_old_told = false;
    say(&format!("connects to {}", order.address));
    while order.games.is_none_or(|most| games < most) {
        let opened = open(order, None, 0);
        is_known |= !matches!(opened, Err(Refusal::NoAddress(_)));
        match opened {
            Ok(admitted) => {
                unproved = Unproved::default();
                if !admitted.knows_looks && !std::mem::replace(&mut is_old_told, true) {
                    say(
                        "the agon listen there is older: it cannot hear how this machine keeps the engine waiting. \
                         Update agon on that machine",
                    );
                }
                let mut remote = RemoteEngine::new(order, say, games + 1, admitted)?;
                let stopped = remote.play()?;
                // Without one, it has only answered echoes.
                games += u32::from(remote.has_begun);
                remote.end();
                if stopped {
                    return Ok(());
                }
            }
            Err(Refusal::NoAddress(why)) if !is_known => {
                let why = format!("{}: there is no such address: {why}", order.address);
                return Err(RemoteError::Refused(why));
            }
            Err(Refusal::Never(why)) => {
                return Err(RemoteError::Refused(format!("{}: {why}", order.address)));
            }
            Err(Refusal::Unproved(why)) => {
                if waits(order.stop, unproved.note(order.address, &why, say)) {
                    return Ok(());
                }
            }
            Err(Refusal::NotNow | Refusal::NoAddress(_) | Refusal::Over) => {
                if waits(order.stop, RETRY) {
                    return Ok(());
                }
            }
        }
    }
    Ok(())
}

/// What was heard from those who have proved nothing.
#[derive(Default)]
struct Unproved {
    why: String,
    times: u32,
}

impl Unproved {
    /// Says why there is no connection, if it is new. Returns after how long to try again.
    fn note(&mut self, address: &str, why: &str, say: &dyn Fn(&str)) -> Duration {
        if self.why != why && self.times < MOST_SAID {
            say(&format!(
                "{address}: {why}. It has not proved that it knows the token, so this goes on trying; compare the two \
                 tokens if it stays so"
            ));
            why.clone_into(&mut self.why);
        }
        self.times += 1;
        (RETRY * self.times).min(LONGEST_RETRY)
    }
}

/// Waits. Tells whether it is to stop.
fn waits(stop: BorrowedFd<'_>, time: Duration) -> bool {
    let mut fds = [PollFd::from_borrowed_fd(stop, PollFlags::IN)];
    poll(&mut fds, Some(&timespec(time))).is_ok_and(|happened| happened > 0)
}

fn timespec(time: Duration) -> Timespec {
    Timespec::try_from(time).unwrap_or(Timespec { tv_sec: 1, tv_nsec: 0 })
}

/// Connects, and proves the token.
fn open(order: &Connecting<'_>, session: Option<&str>, received: u64) -> Result<Admitted, Refusal> {
    let not_now = |_: io::Error| Refusal::NotNow;
    let addresses = order.address.to_socket_addrs().map_err(|error| Refusal::NoAddress(error.to_string()))?;
    let stream = addresses
        .into_iter()
        .find_map(|address| TcpStream::connect_timeout(&address, PROOF).ok())
        .ok_or(Refusal::NotNow)?;
    let until = Instant::now() + PROOF;
    let mut lines = BufReader::new(stream);
    let challenge = line(&mut lines, until)?;
    let theirs = greeting::read_challenge(&challenge).ok_or_else(not_agon)?;
    let own = greeting::nonce().map_err(not_now)?;
    let claim = greeting::claim(order.token, theirs, &own, session, received);
    lines.get_mut().write_all(claim.as_bytes()).map_err(not_now)?;
    let welcome = line(&mut lines, until)?;
    let (session, received) = match greeting::read_welcome(order.token, &own, theirs, &welcome) {
        Ok(let_in) => let_in,
        Err(NotLetIn::NoProof) => {
            return Err(Refusal::Unproved("the other side does not know the token".to_owned()));
        }
        Err(NotLetIn::Refused(words)) => {
            let proof = line(&mut lines, until).unwrap_or_default();
            let is_proved = greeting::is_proved(order.token, &own, theirs, &words, &proof);
            let shown = escape(words.as_bytes(), 200);
            return Err(match words.as_str() {
                _ if !is_proved => Refusal::Unproved(shown),
                "that game is over" => Refusal::Over,
                "the seat is taken" => Refusal::NotNow,
                _ => Refusal::Never(shown),
            });
        }
    };
    let rest = lines.buffer().to_vec();
    let knows_looks = greeting::knows_looks(theirs);
    Ok(Admitted { stream: lines.into_inner(), session, received, rest, knows_looks })
}

fn not_agon() -> Refusal {
    Refusal::Unproved("what listens there is not agon listen".to_owned())
}

/// A line of the greeting. The other side has proved nothing yet, so its length and its time have
/// bounds.
fn line(lines: &mut BufReader<TcpStream>, until: Instant) -> Result<String, Refusal> {
    let not_now = |_: io::Error| Refusal::NotNow;
    let mut line = Vec::new();
    while line.len() <= LINE {
        let left = until.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
        lines.get_ref().set_read_timeout(Some(left)).map_err(not_now)?;
        let arrived = lines.fill_buf().map_err(not_now)?;
        if arrived.is_empty() || Instant::now() >= until {
            return Err(Refusal::NotNow); // it went away: another one may come
        }
        let end = arrived.iter().position(|byte| *byte == b'\n');
        let count = end.map_or(arrived.len(), |end| end + 1);
        line.extend_from_slice(&arrived[..end.unwrap_or(count)]);
        lines.consume(count);
        if end.is_some() {
            return String::from_utf8(line).map_err(|_| not_agon());
        }
    }
    Err(not_agon())
}

/// The engine as it runs.
struct Running {
    child: Child,
    stdin: Option<OwnedFd>,
    stdout: Option<OwnedFd>,
    stderr: Option<OwnedFd>,
    /// Whether it has read what it was told first.
    up: bool,
    /// When it was seen to have ended.
    ended: Option<(Instant, Ended)>,
}

/// One game of the engine.
struct RemoteEngine<'a> {
    order: &'a Connecting<'a>,
    say: &'a dyn Fn(&str),
    game: u32,
    session: String,
    link: RemoteLink,
    wire: Option<Wire>,
    lost: Option<Instant>,
    grace: Duration,
    directory: TempDir,
    arguments: Vec<Vec<u8>>,
    running: Option<Running>,
    /// Whether the engine was to be started.
    has_begun: bool,
    /// What the engine has not read yet.
    told: Vec<u8>,
    /// Whether it has been told anything.
    has_told: bool,
    told_all: bool,
    /// Whether the end of the engine has been sent.
    over: bool,
    turn: FarTurn,
    /// None before the first one.
    trials: Option<Trials>,
    /// Whether the other side knows looks.
    knows_looks: bool,
}

impl<'a> RemoteEngine<'a> {
    fn new(
        order: &'a Connecting<'a>,
        say: &'a dyn Fn(&str),
        game: u32,
        admitted: Admitted,
    ) -> Result<Self, RemoteError> {
        let mut link = RemoteLink::default();
        let wire = Wire::new(admitted.stream, &mut link, &admitted.rest)
            .map_err(RemoteError::system("the connection"))?;
        Ok(RemoteEngine {
            order,
            say,
            game,
            session: admitted.session,
            link,
            wire: Some(wire),
            lost: None,
            grace: Duration::ZERO,
            directory: tempfile::tempdir().map_err(RemoteError::system("cannot make a directory"))?,
            arguments: Vec::new(),
            running: None,
            has_begun: false,
            told: Vec::new(),
            has_told: false,
            told_all: false,
            over: false,
            turn: FarTurn::new((order.clock)()),
            trials: None,
            knows_looks: admitted.knows_looks,
        })
    }

    /// Plays until the game is over. Tells whether it is to stop altogether.
    fn play(&mut self) -> Result<bool, RemoteError> {
        loop {
            if self.wait()? {
                return Ok(true);
            }
            self.carry();
            self.serve();
            if self.over && self.link.is_settled() {
                return Ok(false);
            }
            // Before the game begins, it is not known how long it waits. If it waits no longer, the
            // other side says so.
            if let Some(since) = self.lost
                && (self.has_begun && since.elapsed() >= self.grace || !self.reconnect())
            {
                if self.has_begun {
                    (self.say)(&format!("game {}: the connection is lost, and the game with it", self.game));
                }
                return Ok(false);
            }
        }
    }

    /// Waits until something happens. Tells whether it is to stop.
    fn wait(&mut self) -> Result<bool, RemoteError> {
        let reads_more = !self.link.is_full();
        let flags = Wire::flags(&mut self.link);
        let mut fds = vec![PollFd::from_borrowed_fd(self.order.stop, PollFlags::IN)];
        fds.extend(self.wire.as_ref().map(|wire| PollFd::from_borrowed_fd(wire.fd(), flags)));
        if let Some(running) = &self.running {
            let output = [&running.stdout, &running.stderr].into_iter().flatten().filter(|_| reads_more);
            fds.extend(output.map(|fd| PollFd::new(fd, PollFlags::IN)));
            let input = running.stdin.as_ref().filter(|_| !self.told.is_empty());
            fds.extend(input.map(|fd| PollFd::new(fd, PollFlags::OUT)));
        }
        fds.extend(self.trials.as_ref().map(|trials| PollFd::from_borrowed_fd(trials.bell(), PollFlags::IN)));
        // Nothing tells when the engine has read its input for the first time.
        let is_up = self.running.as_ref().is_none_or(|running| running.up);
        let tick = if is_up { TICK } else { TICK / 10 };
        let first_look = self.turn.until_first_look().filter(|_| self.knows_looks);
        self.turn.waits();
        let happened = poll(&mut fds, Some(&timespec(first_look.map_or(tick, |first| first.min(tick)))));
        let is_to_stop = !fds[0].revents().is_empty();
        self.turn.runs();
        match happened {
            Ok(_) => Ok(is_to_stop),
            Err(Errno::INTR) => Ok(false),
            Err(error) => Err(RemoteError::system("poll")(error.into())),
        }
    }

    /// Moves what came and what waits over the connection.
    fn carry(&mut self) {
        let Some(mut wire) = self.wire.take() else { return };
        let mut stands = wire.read(&mut self.link);
        loop {
            match self.link.next_frame() {
                Ok(Some(frame)) => self.act(frame),
                Ok(None) => break,
                Err(_) => {
                    stands = false;
                    break;
                }
            }
        }
        self.serve();
        stands &= wire.is_alive(&mut self.link) && wire.write(&mut self.link);
        if stands {
            self.wire = Some(wire);
        } else {
            self.lost = Some(Instant::now());
        }
    }

    fn act(&mut self, frame: WireFrame) {
        match frame {
            WireFrame::Argument(argument) => self.arguments.push(argument),
            WireFrame::File(name, bytes) => self.put(&name, &bytes),
            WireFrame::Begin(grace) => {
                self.grace = Duration::from_millis(grace.into());
                self.has_begun = true;
                self.start();
            }
            WireFrame::Stdin(bytes) => {
                self.told.extend(bytes);
                self.has_told = true;
            }
            WireFrame::StdinEnd => self.told_all = true,
            WireFrame::Look(number, work) => self.look(number, Duration::from_micros(work.into())),
            WireFrame::Pause => self.signal(Signal::STOP),
            WireFrame::Resume => self.signal(Signal::CONT),
            _ => {}
        }
    }

    /// Answers a look, at once or after so much work.
    fn look(&mut self, number: u64, work: Duration) {
        if work.is_zero() {
            let claim = self.turn.so_far();
            self.link.send(&WireFrame::Seen(number, claim));
            return;
        }
        if self.trials.is_none() {
            self.trials = Trials::new().ok(); // without one the other side sees nothing, and believes nothing
        }
        if let Some(trials) = &self.trials {
            trials.begin(number, work);
        }
    }

    /// Adds bytes to a file of the game.
    fn put(&self, name: &str, bytes: &[u8]) {
        let is_plain = !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\0']);
        let path = self.directory.path().join(name);
        let put = || OpenOptions::new().append(true).create(true).open(&path)?.write_all(bytes);
        if !is_plain {
            (self.say)(&format!(
                "a file of the game has the name {:?}; it is left out",
                escape(name.as_bytes(), 80)
            ));
        } else if let Err(error) = put() {
            (self.say)(&format!("cannot write the file {name} of the game: {error}"));
        }
    }

    fn start(&mut self) {
        let received = std::mem::take(&mut self.arguments);
        let shown: Vec<String> = received.iter().map(|word| escape(word, 80)).collect();
        (self.say)(&format!("game {}: starts the engine with {}", self.game, shown.join(" ")));
        let started = Command::new(&self.order.program)
            .args(&self.order.arguments)
            .args(received.into_iter().map(std::ffi::OsString::from_vec))
            .current_dir(self.directory.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn();
        match started {
            Ok(mut child) => {
                let stdin = child.stdin.take().map(OwnedFd::from);
                // What it does not read must not hold up what it writes.
                if let Some(fd) = &stdin {
                    let _ = rustix::io::ioctl_fionbio(fd, true); // a pipe takes it
                }
                let stdout = child.stdout.take().map(OwnedFd::from);
                let stderr = child.stderr.take().map(OwnedFd::from);
                self.running = Some(Running { child, stdin, stdout, stderr, up: false, ended: None });
            }
            Err(error) => {
                let why = format!("{}: {error}", self.order.program.display());
                (self.say)(&why);
                self.link.send(&WireFrame::Stderr(format!("{why}\n").into_bytes()));
                self.link.send(&WireFrame::Exit(Ended::NotStarted));
                self.over = true;
            }
        }
    }

    /// Writes to the engine, reads what it wrote, and sees whether it has ended.
    fn serve(&mut self) {
        while let Some(number) = self.trials.as_ref().and_then(Trials::next_done) {
            let claim = self.turn.so_far();
            self.link.send(&WireFrame::Seen(number, claim));
        }
        let Some(running) = &mut self.running else { return };
        if running.up && !self.told.is_empty() {
            self.turn.told(running.child.id());
        }
        if let Some(stdin) = running.stdin.as_ref().filter(|_| !self.told.is_empty()) {
            match rustix::io::write(stdin, &self.told) {
                Ok(count) => drop(self.told.drain(..count)),
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(_) => running.stdin = None,
            }
        }
        let unread = running.stdin.as_ref().map_or(Ok(0), rustix::io::ioctl_fionread);
        if !running.up && self.has_told && self.told.is_empty() && unread.is_ok_and(|unread| unread == 0) {
            running.up = true;
            self.turn.told(running.child.id());
            self.link.send(&WireFrame::Up);
        }
        if running.stdin.is_none() || self.told_all && self.told.is_empty() {
            (running.stdin, self.told) = (None, Vec::new());
        }
        if !self.link.is_full() {
            let (turn, knows_looks) = (&mut self.turn, self.knows_looks);
            let said = |bytes| if knows_looks { turn.answer(bytes) } else { WireFrame::Stdout(bytes) };
            if read(&mut running.stdout, &mut self.link, said) {
                self.link.send(&WireFrame::StdoutEnd);
            }
            read(&mut running.stderr, &mut self.link, WireFrame::Stderr);
        }
        if running.ended.is_none()
            && let Ok(Some(status)) = running.child.try_wait()
        {
            let small = |number: i32| u8::try_from(number).unwrap_or(u8::MAX);
            let ended = match status.signal() {
                Some(signal) => Ended::Signal(small(signal)),
                None => Ended::Code(small(status.code().unwrap_or_default())),
            };
            running.ended = Some((Instant::now(), ended));
        }
        if let Some((at, ended)) = running.ended {
            let all_read = running.stdout.is_none() && running.stderr.is_none();
            if (all_read || at.elapsed() >= LAST_OUTPUT) && !self.over {
                self.link.send(&WireFrame::Exit(ended));
                self.over = true;
            }
        }
    }

    /// Connects again. Returns whether the game may go on.
    fn reconnect(&mut self) -> bool {
        match open(self.order, Some(&self.session), self.link.received()) {
            Ok(admitted) => {
                if self.link.reconnect(admitted.received).is_err() {
                    return false;
                }
                let Ok(wire) = Wire::new(admitted.stream, &mut self.link, &admitted.rest) else {
                    return true;
                };
                (self.wire, self.lost) = (Some(wire), None);
                (self.say)(&format!("game {}: connected again", self.game));
                true
            }
            Err(Refusal::NotNow | Refusal::NoAddress(_)) => {
                waits(self.order.stop, if self.has_begun { TICK } else { RETRY });
                true
            }
            // A stranger that took the address in the meantime does not end the game.
            Err(Refusal::Unproved(_)) => {
                waits(self.order.stop, RETRY);
                true
            }
            Err(Refusal::Over | Refusal::Never(_)) => false,
        }
    }

    /// Sends a signal to the process group of the engine.
    fn signal(&self, signal: Signal) {
        let group = self.running.as_ref().and_then(|running| i32::try_from(running.child.id()).ok());
        if let Some(group) = group.and_then(Pid::from_raw) {
            let _ = kill_process_group(group, signal); // nobody may be left in it
        }
    }

    /// Ends the engine with all that it has started.
    fn end(mut self) {
        self.signal(Signal::KILL);
        let Some(mut running) = self.running.take() else { return };
        // An engine may have left its group.
        let _ = running.child.kill();
        let _ = running.child.wait(); // it is gone
    }
}

/// Sends what lies in a pipe. Tells whether the pipe has ended now.
fn read(from: &mut Option<OwnedFd>, link: &mut RemoteLink, frame: impl FnOnce(Vec<u8>) -> WireFrame) -> bool {
    let Some(pipe) = from else { return false };
    let mut fds = [PollFd::from_borrowed_fd(pipe.as_fd(), PollFlags::IN)];
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    if !poll(&mut fds, Some(&now)).is_ok_and(|ready| ready > 0) {
        return false;
    }
    let mut bytes = vec![0; GULP];
    match rustix::io::read(&*pipe, &mut bytes) {
        Ok(0) => {
            *from = None;
            true
        }
        Ok(count) => {
            bytes.truncate(count);
            link.send(&frame(bytes));
            false
        }
        Err(Errno::AGAIN | Errno::INTR) => false,
        Err(_) => {
            *from = None;
            true
        }
    }
}
