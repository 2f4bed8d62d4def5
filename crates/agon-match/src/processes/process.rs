//! One engine process in one game: its pipes, what lies in them, and what was seen of it.
//!
//! Nothing here waits for an answer: the one poll loop of a game is in `game_processes.rs`. Faults
//! are named there too, except those of an engine that uses too much (`usage.rs`).

mod placement;
mod setup;
mod starving;
mod terminal;
mod unasked;
mod usage;

use std::ffi::CString;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use agon_config::Confinement;
use agon_programs::sandbox::{self, LaunchSpec};
use agon_record::{Exit, Traffic, Way};
use agon_sandbox::spawn::{self, Child, Launch, NotStarted};
use agon_sandbox::system::resize_pipe;
use agon_sandbox::{Isolation, Warden, orphans};
use agon_seats::whole_micros;
use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::buffers::{LineInbox, Log, Transcript};
use super::pinning::Core;
use placement::{Placement, stays_on_core};
use terminal::{Escapes, PromptWatch};
use usage::Accounts;

pub(crate) use setup::TIMES;
pub use setup::{InPause, LONGEST_PAUSE, PAUSE_FILE, Prompts, Setup, TIMES_FILE};

/// The most bytes one read takes.
const GULP: usize = 64 * 1024;
/// The size of a stdin pipe once the engine is up.
const FULL_PIPE: usize = 64 * 1024;
/// The size of the stderr pipe of an engine that floods it: the most that anybody may ask for.
const WIDE_PIPE: usize = 1024 * 1024;

/// How far the process is with its start.
enum StartUp {
    /// Its stdin is a pipe of one page. It takes more when everything in it has been read.
    Polled,
    /// Its stdin is no such pipe. This copy of the process's end tells how much has not been read.
    LookedAt(OwnedFd),
    /// There is no way to see what it has read: it is up when it writes something.
    Unseen,
    /// It had read everything, or had written something, at this instant.
    Up(Instant),
}

/// Whether the process runs, and who ended it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Life {
    Running,
    /// We have killed it, and its end has not been seen yet.
    Killed,
    /// It ended by itself.
    Ended,
    /// It ended after we had killed it.
    EndedKilled,
}

/// One engine process, and everything of it that is bounded.
pub(super) struct Process {
    pid: Pid,
    /// Readable when it has ended.
    end: OwnedFd,
    stdin: Option<OwnedFd>,
    stdout: Option<OwnedFd>,
    stderr: Option<OwnedFd>,
    pub(super) inbox: LineInbox,
    pub(super) outbox: Vec<u8>,
    pub(super) mark: String,
    pub(super) started: Instant,
    start_up: StartUp,
    life: Life,
    /// Whether it has answered a question yet.
    pub(super) answered: bool,
    /// Whether its unasked lines stay in the inbox, because they answer earlier questions.
    pub(super) holds: bool,
    /// Whether that is because it thinks on its opponent's time.
    pub(super) ponders: bool,
    /// Whether it has written the answer of an engine of UGI when no question was open.
    pub(super) answers_twice: bool,
    /// How long it may take to leave.
    pub(super) grace: Duration,
    /// Whether it runs with helper processes that it cannot end.
    pub(super) has_helpers: bool,
    /// What becomes of it in a pause.
    in_pause: InPause,
    /// The one who can stop and let go everything in its box.
    warden: Option<Warden>,
    confinement: Confinement,
    accounts: Accounts,
    placement: Placement,
    pub(super) screen: Screen,
    /// What was seen of it in the present game.
    pub(super) game: GameTrace,
    /// The limit it is over, for which it was killed.
    pub(super) over: Option<(agon_standings::result::Cause, agon_record::reason::FaultFact)>,
}

/// What an engine is that writes for people.
pub(super) struct Screen {
    /// Whether its stdin and stdout are a terminal.
    is_terminal: bool,
    /// Takes what is for a terminal out of its output, if that is for people.
    escapes: Option<Escapes>,
    /// Its prompts, if they are heard.
    pub(super) prompt: Option<PromptWatch>,
}

/// What was seen of a process in one game.
#[derive(Default)]
pub(super) struct GameTrace {
    pub(super) log: Log,
    pub(super) transcript: Transcript,
    pub(super) traffic: Traffic,
    /// When the last byte it was told was written, if it has not answered since.
    pub(super) told_at: Option<Instant>,
    /// How often its output woke us in this turn.
    pub(super) wakes: u32,
    /// Whether this is the game it was started for.
    is_first: bool,
    pub(super) lateness: Duration,
}

/// Starts the process of an engine at its level. The time is the first that is the engine's own.
fn launch(
    setup: &Setup,
    core: Option<&Arc<Core>>,
    mark: &str,
    pipes: spawn::Pipes,
) -> Result<(Child, Option<Warden>, Instant), NotStarted> {
    let confinement = &setup.confinement;
    let mut environment = setup.environment.clone();
    // First, because the first of two variables of a name counts, and an engine.toml may set this
    // one too. No process leaves a box, and nothing of the harness is visible in it.
    if !confinement.level.is_boxed() {
        environment.insert(
            0,
            CString::new(format!("{}={mark}", orphans::MARK)).expect("a mark is digits and a point"),
        );
    }
    let launch = Launch {
        program: &setup.program,
        arguments: &setup.arguments,
        environment: &environment,
        directory: &setup.directory,
        socket: None,
        limits: &[],
    };
    // What may have several threads is started on any core.
    let roams = core.filter(|_| !setup.single && !stays_on_core(confinement));
    if let Some(core) = roams {
        core.leave();
    }
    let started = Instant::now();
    let spawned = if confinement.level == Isolation::None {
        spawn::spawn(&launch, pipes).map(|child| (child, None, started))
    } else {
        let pinned = core.is_some();
        let spec = LaunchSpec { confinement, files: &setup.files, shown: &setup.shown, pinned };
        // The time that building the box took is not the engine's.
        sandbox::start(&launch, pipes, &spec).map(|(child, warden)| (child, warden, Instant::now()))
    };
    if let Some(core) = roams {
        core.back();
    }
    spawned.map_err(|error| setup.blamed(error))
}

impl Process {
    /// Starts it, with the greeting already in its stdin.
    pub(super) fn start(setup: &Setup, core: Option<&Arc<Core>>) -> Result<Self, NotStarted> {
        let mark = orphans::new_mark();
        let pipes = if setup.pty { spawn::terminal_pipes() } else { spawn::pipes() };
        let pipes = pipes.map_err(NotStarted::Ours)?;
        // A pipe of one page can be written to only while it is empty. So poll tells us when the
        // engine has read what it was told, which is when it is up.
        let start_up = if resize_pipe(&pipes.stdin, 4096) {
            StartUp::Polled
        } else {
            pipes.copy_of_their_stdin().map_or(StartUp::Unseen, StartUp::LookedAt)
        };
        let mut outbox = terminal::to_send(&setup.greeting, setup.pty).into_owned();
        let mut traffic = Traffic::default();
        if let Ok(written) = rustix::io::write(&pipes.stdin, &outbox) {
            outbox.drain(..written);
            traffic.told += written as u64;
        }
        // Before the process exists: all that it forks belongs to a running engine.
        orphans::enter(&mark);
        let (Child { pid, end, stdin, stdout, stderr }, warden, started) = launch(setup, core, &mark, pipes)
            .inspect_err(|_| {
                orphans::sweep(&[&mark]);
            })?;
        let mut process = Process {
            pid,
            end,
            stdin: Some(stdin),
            stdout: Some(stdout),
            stderr: Some(stderr),
            inbox: LineInbox::new(setup.lenient),
            outbox,
            mark,
            started,
            start_up,
            life: Life::Running,
            answered: false,
            holds: setup.prompts == Prompts::Awaited,
            ponders: false,
            answers_twice: false,
            grace: setup.grace,
            has_helpers: setup.has_helpers,
            in_pause: setup.in_pause.clone(),
            warden,
            confinement: setup.confinement.clone(),
            accounts: Accounts::new(started, setup.confinement.level.is_boxed()),
            placement: match core {
                None => Placement::Anywhere(None),
                Some(core) if stays_on_core(&setup.confinement) => Placement::Boxed(core.clone()),
                Some(core) if setup.single => Placement::Pinned(core.clone()),
                Some(core) => Placement::Undecided(core.clone()),
            },
            screen: Screen {
                is_terminal: setup.pty,
                escapes: (setup.pty || setup.prompts != Prompts::Ignored).then(Escapes::default),
                prompt: (setup.prompts != Prompts::Ignored).then(|| PromptWatch::new(started)),
            },
            game: GameTrace { traffic, told_at: Some(started), is_first: true, ..GameTrace::default() },
            over: None,
        };
        if setup.greeting.is_empty() {
            // Nothing to read: it is up as soon as it runs, as far as anybody can tell.
            process.note_up(started);
        }
        Ok(process)
    }

    /// Forgets the game before, but not that it is up.
    pub(super) fn begin_another_game(&mut self) {
        self.game = GameTrace::default();
        self.accounts.begin_another_game(self.cpu());
    }

    /// When it was seen to have read what it had been told, or to write something.
    pub(super) fn up(&self) -> Option<Instant> {
        match self.start_up {
            StartUp::Up(at) => Some(at),
            StartUp::Polled | StartUp::LookedAt(_) | StartUp::Unseen => None,
        }
    }

    /// Whether the end of the process has been seen.
    pub(super) fn ended(&self) -> bool {
        matches!(self.life, Life::Ended | Life::EndedKilled)
    }

    /// Whether it has neither ended nor been killed.
    pub(super) fn is_running(&self) -> bool {
        self.life == Life::Running
    }

    /// The end of the process has been seen.
    pub(super) fn note_end(&mut self) {
        self.life = match self.life {
            Life::Running | Life::Ended => Life::Ended,
            Life::Killed | Life::EndedKilled => Life::EndedKilled,
        };
    }

    /// Whether it runs and can still be talked to.
    pub(super) fn is_well(&self) -> bool {
        !self.ended() && self.stdin.is_some() && self.stdout.is_some()
    }

    /// Whether it has not ended yet, looked up anew.
    pub(super) fn runs(&self) -> bool {
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        let mut ends = [PollFd::new(&self.end, PollFlags::IN)];
        poll(&mut ends, Some(&now)).is_ok_and(|ended| ended == 0)
    }

    /// Waits for its end, at most until this instant. Its pipes are not looked at meanwhile.
    pub(super) fn wait_for_end(&mut self, until: Instant) {
        while !self.ended() {
            let left = until.saturating_duration_since(Instant::now());
            let left = Timespec::try_from(left).expect("a few seconds");
            let mut ends = [PollFd::new(&self.end, PollFlags::IN)];
            match poll(&mut ends, Some(&left)) {
                Ok(0) => return,
                Ok(_) => self.note_end(),
                Err(Errno::INTR) => {}
                Err(_) => return,
            }
        }
    }

    /// From its start until it was up; nothing in a game it did not start for.
    pub(super) fn startup(&self) -> Duration {
        match self.up() {
            Some(up) if self.game.is_first => whole_micros(up.saturating_duration_since(self.started)),
            _ => Duration::ZERO,
        }
    }

    pub(super) fn pid(&self) -> Pid {
        self.pid
    }

    /// What becomes readable when it has ended.
    pub(super) fn end(&self) -> BorrowedFd<'_> {
        self.end.as_fd()
    }

    pub(super) fn stdin(&self) -> Option<BorrowedFd<'_>> {
        self.stdin.as_ref().map(AsFd::as_fd)
    }

    pub(super) fn stdout(&self) -> Option<BorrowedFd<'_>> {
        self.stdout.as_ref().map(AsFd::as_fd)
    }

    pub(super) fn stderr(&self) -> Option<BorrowedFd<'_>> {
        self.stderr.as_ref().map(AsFd::as_fd)
    }

    /// Whether poll should say when its stdin can be written to.
    pub(super) fn wants_stdin(&self) -> bool {
        self.stdin.is_some() && (matches!(self.start_up, StartUp::Polled) || !self.outbox.is_empty())
    }

    /// Whether everything it was told lies in its pipe or has been read.
    pub(super) fn told(&self) -> bool {
        self.outbox.is_empty()
    }

    /// How many bytes still wait for room in its pipe.
    pub(super) fn untold(&self) -> usize {
        self.outbox.len()
    }

    /// Tells it something; what does not fit into the pipe now goes later.
    pub(super) fn tell(&mut self, text: &[u8], began: Instant) {
        let sent = terminal::to_send(text, self.screen.is_terminal);
        if self.outbox.is_empty() {
            let written = self.write(&sent);
            self.outbox.extend_from_slice(&sent[written..]);
        } else {
            self.outbox.extend_from_slice(&sent);
            self.flush();
        }
        self.note_told(text, began);
    }

    /// Logs what lay in its stdin when it started. The evidence has it as the start position.
    pub(super) fn log_greeting(&mut self, greeting: &[u8], began: Instant) {
        let at = self.started.saturating_duration_since(began);
        for line in greeting.split_inclusive(|byte| *byte == b'\n') {
            self.game.transcript.log_only(at, Way::Told, line.strip_suffix(b"\n").unwrap_or(line));
        }
    }

    /// Puts what it was told into the transcript.
    pub(super) fn note_told(&mut self, text: &[u8], began: Instant) {
        let at = self.game.told_at.map_or_else(|| began.elapsed(), |at| at.saturating_duration_since(began));
        self.game.transcript.note_lines(at, Way::Told, text);
    }

    /// Writes what waits, as far as there is room.
    pub(super) fn flush(&mut self) {
        let waiting = std::mem::take(&mut self.outbox);
        let written = self.write(&waiting);
        self.outbox = waiting;
        self.outbox.drain(..written);
    }

    /// Writes what the pipe takes. A closed one takes everything, and that is noted.
    fn write(&mut self, bytes: &[u8]) -> usize {
        let Some(stdin) = &self.stdin else { return bytes.len() };
        if bytes.is_empty() {
            return 0;
        }
        match rustix::io::write(stdin, bytes) {
            Ok(written) => {
                // The clock of a question runs from here, even if we listen later.
                self.game.told_at = Some(Instant::now());
                self.game.traffic.told += written as u64;
                written
            }
            Err(Errno::AGAIN | Errno::INTR) => 0,
            Err(_) => {
                // EPIPE: it has closed its stdin, or has died. Whether it can still answer is seen
                // elsewhere.
                self.game.traffic.deaf = true;
                self.stdin = None;
                self.note_up(Instant::now());
                bytes.len()
            }
        }
    }

    /// It has read what it was told, or has written something.
    pub(super) fn note_up(&mut self, now: Instant) {
        if self.up().is_none() {
            self.start_up = StartUp::Up(now);
            if let Some(stdin) = &self.stdin {
                let _ = resize_pipe(stdin, FULL_PIPE); // a smaller pipe only blocks sooner
            }
        }
    }

    /// Room in its stdin, or nobody there to read it.
    pub(super) fn stdin_ready(&mut self, hung_up: bool, now: Instant) {
        // We have closed it, and this event is from before: the engine is not to blame.
        if self.stdin.is_none() {
            return;
        }
        if hung_up {
            self.game.traffic.deaf = true;
            self.stdin = None;
            self.outbox.clear();
            self.note_up(now);
        } else if !self.outbox.is_empty() {
            self.flush();
        } else if matches!(self.start_up, StartUp::Polled) {
            self.note_up(now);
        }
    }

    /// Whether it has to be looked at now and then to see when it is up.
    pub(super) fn is_looked_at(&self) -> bool {
        matches!(self.start_up, StartUp::LookedAt(_))
    }

    /// Looks whether it has read what it was told, or can no longer.
    pub(super) fn look_whether_up(&mut self, now: Instant) {
        if self.is_looked_at() && self.outbox.is_empty() && (self.ended() || self.unread() == 0) {
            self.note_up(now);
        }
    }

    /// How many bytes of what it was told it has not read.
    pub(super) fn unread(&self) -> u64 {
        let stdin = match &self.start_up {
            StartUp::LookedAt(theirs) => Some(theirs),
            StartUp::Polled | StartUp::Unseen | StartUp::Up(_) => {
                if self.screen.is_terminal {
                    return self.stdin.as_ref().map_or(0, agon_sandbox::terminal::unread);
                }
                self.stdin.as_ref()
            }
        };
        stdin.and_then(|stdin| rustix::io::ioctl_fionread(stdin).ok()).unwrap_or(0)
    }

    /// Takes what lies in its stdout, at most a gulp; `false` if nothing did or it is closed.
    pub(super) fn read_stdout(&mut self, now: Instant) -> bool {
        let Some(stdout) = &self.stdout else { return false };
        let read = self.inbox.fill(|room| {
            // A page does for a move; longer output is read in larger pieces.
            room.reserve(if self.game.wakes > 4 { GULP } else { 4096 });
            let before = room.len();
            let read = rustix::io::read(stdout, spare_capacity(room));
            if let Some(escapes) = &mut self.screen.escapes {
                escapes.strip(room, before);
            }
            read
        });
        match read {
            Ok(0) => {
                self.stdout = None;
                false
            }
            Ok(bytes) => {
                self.game.traffic.said += bytes as u64;
                if let Some(prompt) = &mut self.screen.prompt {
                    prompt.grew = now;
                }
                self.note_up(now);
                true
            }
            Err(Errno::AGAIN | Errno::INTR) => false,
            Err(_) => {
                self.stdout = None;
                false
            }
        }
    }

    /// Makes room in its stderr for what it writes between two looks. A smaller pipe only blocks it
    /// sooner.
    pub(super) fn widen_stderr(&self) {
        if let Some(stderr) = &self.stderr {
            let _ = resize_pipe(stderr, WIDE_PIPE); // as said above
        }
    }

    /// Takes what lies in its stderr, at most a gulp; `false` if nothing did or it is closed.
    pub(super) fn read_stderr(&mut self, scratch: &mut Vec<u8>) -> bool {
        let Some(stderr) = &self.stderr else { return false };
        scratch.clear();
        scratch.reserve(GULP);
        match rustix::io::read(stderr, spare_capacity(scratch)) {
            Ok(0) => self.stderr = None,
            Ok(_) => {
                self.game.log.push(scratch);
                self.game.traffic.logged = self.game.log.total();
                return true;
            }
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(_) => self.stderr = None,
        }
        false
    }

    /// Lets it know that the game is over.
    pub(super) fn close_stdin(&mut self) {
        self.end_terminal();
        self.stdin = None;
        self.outbox.clear();
    }

    /// Kills it and everything in its session's process group.
    pub(super) fn kill(&mut self) {
        if self.life == Life::Running {
            self.life = Life::Killed;
        }
        // The group is ours while the leader is not reaped: its number is nobody else's.
        let _ = kill_process_group(self.pid, Signal::KILL); // it may be empty already
    }

    /// How a process that has ended did so, as the end of a sentence. It is not reaped by this.
    pub(super) fn ended_as(&self) -> Option<Exit> {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let status = waitid(WaitId::Pid(self.pid), look).ok().flatten()?;
        Some(self.exit(status.exit_status(), status.terminating_signal()))
    }

    /// Reaps it, if it has ended. Called once, after `kill`, which must come first.
    pub(super) fn reap(&mut self) -> io::Result<Option<Exit>> {
        let Some((status, cpu)) = spawn::reap(self.pid)? else { return Ok(None) };
        if self.warden.is_none() {
            self.accounts.note_cpu(cpu);
        }
        Ok(Some(self.exit(status.code(), status.signal())))
    }

    fn exit(&self, code: Option<i32>, signal: Option<i32>) -> Exit {
        match (code, signal) {
            (Some(code), _) => Exit::Code(code),
            (None, Some(9)) if matches!(self.life, Life::Killed | Life::EndedKilled) => Exit::Killed,
            (None, signal) => Exit::Signal(signal.unwrap_or(0)),
        }
    }
}
