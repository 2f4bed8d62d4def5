//! One engine process in one game: its pipes, what lies in them, and what was seen of it.
//!
//! Nothing here waits; the one poll loop of a game is in `table.rs`. Nothing here decides either: an engine's
//! fault is for the table to name.

use std::ffi::CString;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::pipe::fcntl_setpipe_size;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::buffers::{Inbox, KEPT_LINES, Log, Next, Transcript};
use super::orphans;
use super::pinning::Core;
use super::sandbox::tree::{self, Use};
use super::sandbox::{self, Room, Warden};
use super::spawn::{self, Child, Launch, NotStarted};
use crate::config::{Confinement, Isolation, Size};
use crate::record::{Cause, Exit, Traffic, Usage, Way};

/// The most bytes one read takes.
const GULP: usize = 64 * 1024;
/// The size of a stdin pipe once the engine is up.
const FULL_PIPE: usize = 64 * 1024;
/// The size of the stderr pipe of an engine that floods it: the most that anybody may ask for.
const WIDE_PIPE: usize = 1024 * 1024;

/// What is needed to start an engine for one seat of one game.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The program, absolute.
    pub program: CString,
    /// Its arguments; the first is the name it is called by.
    pub arguments: Vec<CString>,
    /// Its whole environment, `NAME=value`.
    pub environment: Vec<CString>,
    /// The directory it is started in, absolute.
    pub directory: CString,
    /// The directory with the files of the game, absolute. In a box they are files of the box.
    pub files: CString,
    /// What a box shows besides the system, each file and directory at its own place.
    pub shown: Vec<CString>,
    /// What lies in its stdin when it starts.
    pub greeting: Vec<u8>,
    /// Whether it has been seen to have one thread only, so that it is started on the game's core.
    pub single: bool,
}

/// One engine process, and everything of it that is bounded.
pub(super) struct Process {
    pid: Pid,
    pidfd: OwnedFd,
    stdin: Option<OwnedFd>,
    stdout: Option<OwnedFd>,
    stderr: Option<OwnedFd>,
    pub(super) inbox: Inbox,
    outbox: Vec<u8>,
    pub(super) log: Log,
    pub(super) transcript: Transcript,
    pub(super) traffic: Traffic,
    pub(super) mark: String,
    pub(super) started: Instant,
    /// When it was seen to have read what it had been told, or to write something.
    pub(super) up: Option<Instant>,
    /// Whether the end of the process has been seen.
    pub(super) ended: bool,
    /// Whether we killed it before its end was seen.
    killed: bool,
    /// Whether room in its stdin means that it has read everything.
    tells_when_read: bool,
    /// When the last byte it was told was written, if it has not answered since.
    pub(super) told_at: Option<Instant>,
    /// How often its output woke us in this turn.
    pub(super) wakes: u32,
    /// Whether this is the game it was started for.
    fresh: bool,
    /// Whether it has answered a question yet.
    pub(super) answered: bool,
    pub(super) lateness: Duration,
    /// The one who can stop and let go everything in its box.
    warden: Option<Warden>,
    /// The processor time it had used when the others' turn had gone on for a while.
    resting: Option<Duration>,
    /// The processor time it had used when the game began.
    used_before: Duration,
    /// Whether it had no children when it was looked at last.
    alone: bool,
    /// The core of the game; none once it was seen to have several threads.
    core: Option<Arc<Core>>,
    pinned: bool,
    pub(super) usage: Usage,
    /// The limit it is over, for which it was killed.
    pub(super) over: Option<(Cause, String)>,
}

impl Process {
    /// Starts it, with the greeting already in its stdin.
    pub(super) fn start(
        setup: &Setup,
        confinement: &Confinement,
        core: Option<&Arc<Core>>,
    ) -> Result<Self, NotStarted> {
        static MARKS: AtomicU64 = AtomicU64::new(0);
        let mark = format!("{}.{}", std::process::id(), MARKS.fetch_add(1, Ordering::Relaxed));
        let mut environment = setup.environment.clone();
        // First, because the first of two variables of a name counts, and an engine.toml may set this one too.
        // In a box nobody gets away, and nothing of the harness is to be seen.
        if !confinement.level.is_boxed() {
            environment.insert(
                0,
                CString::new(format!("{}={mark}", orphans::MARK)).expect("a mark is digits and a point"),
            );
        }
        let pipes = spawn::pipes().map_err(NotStarted::Ours)?;
        // A pipe of one page can be written to only while it is empty: poll then tells us when the engine has
        // read what it was told, which is when it is up.
        let tells_when_read = fcntl_setpipe_size(&pipes.stdin, 4096).is_ok();
        let mut outbox = setup.greeting.clone();
        let mut traffic = Traffic::default();
        if let Ok(written) = rustix::io::write(&pipes.stdin, &outbox) {
            outbox.drain(..written);
            traffic.told += written as u64;
        }
        // Before the process is: whatever it forks belongs to a running engine.
        orphans::enter(&mark);
        let mut started = Instant::now();
        let launch = Launch {
            program: &setup.program,
            arguments: &setup.arguments,
            environment: &environment,
            directory: &setup.directory,
            socket: None,
            limits: &[],
        };
        // At the highest level nobody leaves the core of the game, however many threads he has.
        let stays = confinement.level == Isolation::Strict;
        let roams = core.filter(|_| !setup.single && !stays);
        if let Some(core) = roams {
            core.leave();
        }
        let spawned = if confinement.level == Isolation::None {
            spawn::spawn(&launch, pipes).map(|child| (child, None))
        } else {
            let room = Room { confinement, files: &setup.files, shown: &setup.shown, pinned: core.is_some() };
            let spawned = sandbox::start(&launch, pipes, &room);
            // What we took to build the box is not the engine's time.
            started = Instant::now();
            spawned
        };
        if let Some(core) = roams {
            core.back();
        }
        let (Child { pid, pidfd, stdin, stdout, stderr }, warden) = match spawned {
            Ok(spawned) => spawned,
            Err(error) => {
                orphans::sweep(&[&mark]);
                return Err(error);
            }
        };
        let mut process = Process {
            pid,
            pidfd,
            stdin: Some(stdin),
            stdout: Some(stdout),
            stderr: Some(stderr),
            inbox: Inbox::default(),
            outbox,
            log: Log::new(),
            transcript: Transcript::default(),
            traffic,
            mark,
            started,
            up: None,
            ended: false,
            killed: false,
            tells_when_read,
            told_at: Some(started),
            wakes: 0,
            fresh: true,
            answered: false,
            lateness: Duration::ZERO,
            warden,
            resting: None,
            used_before: Duration::ZERO,
            alone: true,
            core: core.filter(|_| !stays).cloned(),
            pinned: core.is_some() && (setup.single || stays),
            usage: Usage::default(),
            over: None,
        };
        if setup.greeting.is_empty() {
            // Nothing to read: it is up as soon as it runs, as far as anybody can tell.
            process.is_up(started);
        }
        Ok(process)
    }

    /// Forgets the game before, but not that it is up.
    pub(super) fn begin_another_game(&mut self) {
        self.log = Log::new();
        self.transcript = Transcript::default();
        self.traffic = Traffic::default();
        self.told_at = None;
        self.wakes = 0;
        self.lateness = Duration::ZERO;
        self.fresh = false;
        self.used_before = self.cpu();
        self.usage = Usage::default();
        // Between two games it is nobody's turn.
        if self.resting.is_some() {
            self.resting = Some(self.used_before);
        }
    }

    /// The processor time that it and its children have used. Of one that had no children when it was looked at last
    /// it is the kernel's own count: to walk the tree would cost more than a short game.
    fn cpu(&self) -> Duration {
        if self.alone && self.warden.is_none() {
            tree::cpu_of(self.pid).unwrap_or_default()
        } else {
            self.uses().cpu
        }
    }

    /// It has answered for the first time: if it has one thread only, it keeps to the core of the game from now on.
    pub(super) fn settle(&mut self) {
        if self.pinned || self.core.is_none() {
            return;
        }
        let uses = self.uses();
        self.note(&uses);
        if let Some(core) = &self.core {
            tree::threads(self.pid).into_iter().for_each(|thread| core.take(thread));
            self.pinned = true;
        }
    }

    /// Whether it has one thread, as far as was seen, and keeps to the core of the game.
    pub(super) fn is_pinned(&self) -> bool {
        self.pinned
    }

    /// What it and its children use now.
    fn uses(&self) -> Use {
        if let Some(uses) = self.warden.as_ref().and_then(Warden::uses) {
            return uses;
        }
        tree::of(self.pid, self.warden.as_ref().map_or(0, Warden::ours))
    }

    /// It is another's turn and has been for a while: it is stopped where that can be had, and its processor time
    /// is noted. One that is not up yet is let start.
    pub(super) fn rest(&mut self, confinement: &Confinement) {
        if self.resting.is_some() || self.up.is_none() || self.ended {
            return;
        }
        if let Some(warden) = &mut self.warden {
            warden.freeze();
        }
        let uses = self.uses();
        self.resting = Some(uses.cpu);
        // In its own turns it may be too quick to be looked at.
        self.judge(&uses, confinement);
    }

    /// It is to go on: what it has used meanwhile is noted. When this comes back it runs. Whether it was stopped, so
    /// that what it was about to write has come only now.
    pub(super) fn wake(&mut self) -> bool {
        let Some(before) = self.resting.take() else { return false };
        self.usage.off_turn += self.cpu().saturating_sub(before);
        self.warden.as_mut().is_some_and(Warden::thaw)
    }

    /// Kills it if it is over a limit that is for all its processes together.
    pub(super) fn look_at_limits(&mut self, confinement: &Confinement) {
        if self.ended || self.over.is_some() || self.resting.is_some() && self.warden.is_some() {
            return;
        }
        let uses = self.uses();
        self.judge(&uses, confinement);
    }

    /// It has ended: perhaps because the kernel kept it from going over a limit.
    pub(super) fn judge_its_end(&mut self, confinement: &Confinement) {
        if self.over.is_none() {
            self.over = self.warden.as_ref().and_then(|warden| warden.over(confinement));
        }
    }

    fn judge(&mut self, uses: &Use, confinement: &Confinement) {
        self.note(uses);
        if confinement.level == Isolation::None {
            return;
        }
        let over = if let Some(over) = self.warden.as_ref().and_then(|warden| warden.over(confinement)) {
            Some(over)
        } else if uses.memory > confinement.memory {
            let (used, most) = (uses.memory >> 20, Size(confinement.memory));
            Some((Cause::MemoryLimit, format!("it used {used}M of memory, and {most} is allowed")))
        } else if uses.threads > confinement.processes {
            let most = confinement.processes;
            Some((
                Cause::ProcessLimit,
                format!("it had {} processes and threads, and {most} are allowed", uses.threads),
            ))
        } else {
            confinement.cpu_time.filter(|most| self.usage.cpu > *most).map(|most| {
                let (used, most) = (self.usage.cpu.as_secs_f64(), most.as_secs_f64());
                (
                    Cause::CpuLimit,
                    format!("it used {used:.1} s of processor time in the game, and {most} s are allowed"),
                )
            })
        };
        if over.is_some() {
            self.over = over;
            self.kill();
        }
    }

    fn note(&mut self, uses: &Use) {
        self.usage.cpu = self.usage.cpu.max(uses.cpu.saturating_sub(self.used_before));
        self.usage.memory = self.usage.memory.max(uses.memory);
        self.usage.threads = self.usage.threads.max(uses.threads);
        self.alone = uses.alone;
        if uses.threads > 1
            && let Some(core) = self.core.take()
            && self.pinned
        {
            tree::threads(self.pid).into_iter().for_each(|thread| core.let_go(thread));
            self.pinned = false;
        }
    }

    /// The last look, before it is reaped. Gives how many processes its box has taken with it.
    pub(super) fn last_look(&mut self) -> u32 {
        if self.warden.is_some() {
            let uses = self.uses();
            self.note(&uses);
        } else if !self.ended {
            self.usage.cpu = self.usage.cpu.max(self.cpu().saturating_sub(self.used_before));
        }
        let Some(account) = self.warden.as_ref().and_then(Warden::account) else { return 0 };
        self.usage.cpu = self.usage.cpu.max(account.cpu.saturating_sub(self.used_before));
        account.left
    }

    /// Whether it runs and can still be talked to.
    pub(super) fn is_well(&self) -> bool {
        !self.ended && self.stdin.is_some() && self.stdout.is_some()
    }

    /// Whether it has not ended yet, looked up anew.
    pub(super) fn runs(&self) -> bool {
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        let mut ends = [PollFd::new(&self.pidfd, PollFlags::IN)];
        poll(&mut ends, Some(&now)).is_ok_and(|ended| ended == 0)
    }

    /// From its start until it was up; nothing in a game it did not start for.
    pub(super) fn startup(&self) -> Duration {
        match self.up {
            Some(up) if self.fresh => up.saturating_duration_since(self.started),
            _ => Duration::ZERO,
        }
    }

    pub(super) fn pidfd(&self) -> BorrowedFd<'_> {
        self.pidfd.as_fd()
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
        self.stdin.is_some() && ((self.up.is_none() && self.tells_when_read) || !self.outbox.is_empty())
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
        if self.outbox.is_empty() {
            let written = self.write(text);
            self.outbox.extend_from_slice(&text[written..]);
        } else {
            self.outbox.extend_from_slice(text);
            self.flush();
        }
        let at = self.told_at.map_or_else(|| began.elapsed(), |at| at.saturating_duration_since(began));
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            self.transcript.note(at, Way::Told, line.strip_suffix(b"\n").unwrap_or(line));
        }
    }

    /// Writes what waits, as far as there is room.
    pub(super) fn flush(&mut self) {
        let waiting = std::mem::take(&mut self.outbox);
        let written = self.write(&waiting);
        self.outbox = waiting;
        self.outbox.drain(..written);
    }

    /// Writes what the pipe takes. One that nobody reads any more takes everything, and it is noted.
    fn write(&mut self, bytes: &[u8]) -> usize {
        let Some(stdin) = &self.stdin else { return bytes.len() };
        if bytes.is_empty() {
            return 0;
        }
        match rustix::io::write(stdin, bytes) {
            Ok(written) => {
                // The clock of a question runs from here, whatever we do before we listen.
                self.told_at = Some(Instant::now());
                self.traffic.told += written as u64;
                written
            }
            Err(Errno::AGAIN | Errno::INTR) => 0,
            Err(_) => {
                // EPIPE: it has closed its stdin, or has died. Whether it can still answer is seen elsewhere.
                self.traffic.deaf = true;
                self.stdin = None;
                self.is_up(Instant::now());
                bytes.len()
            }
        }
    }

    /// It has read what it was told, or has written something.
    pub(super) fn is_up(&mut self, now: Instant) {
        if self.up.is_none() {
            self.up = Some(now);
            if let Some(stdin) = &self.stdin {
                let _ = fcntl_setpipe_size(stdin, FULL_PIPE); // a smaller pipe only blocks sooner
            }
        }
    }

    /// Room in its stdin, or nobody there to read it.
    pub(super) fn stdin_ready(&mut self, hung_up: bool, now: Instant) {
        if hung_up {
            self.traffic.deaf = true;
            self.stdin = None;
            self.outbox.clear();
            self.is_up(now);
        } else if self.outbox.is_empty() {
            if self.tells_when_read {
                self.is_up(now);
            }
        } else {
            self.flush();
        }
    }

    /// How many bytes of what it was told it has not read.
    pub(super) fn unread(&self) -> u64 {
        self.stdin.as_ref().and_then(|stdin| rustix::io::ioctl_fionread(stdin).ok()).unwrap_or(0)
    }

    /// Takes what lies in its stdout, at most a gulp; `false` when nothing lay there or it is closed.
    pub(super) fn read_stdout(&mut self, now: Instant) -> bool {
        let Some(stdout) = &self.stdout else { return false };
        let read = self.inbox.fill(|room| {
            // A page does for a move; whoever writes more is read in larger pieces.
            room.reserve(if self.wakes > 4 { GULP } else { 4096 });
            rustix::io::read(stdout, spare_capacity(room))
        });
        match read {
            Ok(0) => {
                self.stdout = None;
                false
            }
            Ok(bytes) => {
                self.traffic.said += bytes as u64;
                self.is_up(now);
                true
            }
            Err(Errno::AGAIN | Errno::INTR) => false,
            Err(_) => {
                self.stdout = None;
                false
            }
        }
    }

    /// Makes room in its stderr for what it writes between two looks. A smaller pipe only blocks it sooner.
    pub(super) fn widen_stderr(&self) {
        if let Some(stderr) = &self.stderr {
            let _ = fcntl_setpipe_size(stderr, WIDE_PIPE); // as said above
        }
    }

    /// Takes what lies in its stderr, at most a gulp; `false` when nothing lay there or it is closed.
    pub(super) fn read_stderr(&mut self, scratch: &mut Vec<u8>) -> bool {
        let Some(stderr) = &self.stderr else { return false };
        scratch.clear();
        scratch.reserve(GULP);
        match rustix::io::read(stderr, spare_capacity(scratch)) {
            Ok(0) => self.stderr = None,
            Ok(_) => {
                self.log.push(scratch);
                self.traffic.logged = self.log.total();
                return true;
            }
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(_) => self.stderr = None,
        }
        false
    }

    /// Whatever lies in the inbox was said without being asked: it is noted and answers nothing.
    pub(super) fn drop_unasked(&mut self, at: Duration) {
        // The other's clock may be running: a flood is counted at once, and only its end is looked at by line.
        self.traffic.unasked += self.inbox.drop_all_but_last_lines(KEPT_LINES);
        loop {
            match self.inbox.next() {
                Next::Line(line) | Next::Stale(line) | Next::TooLong(line) => self.unasked(at, &line),
                Next::Nothing => return,
            }
        }
    }

    /// Notes a line that answers nothing.
    pub(super) fn unasked(&mut self, at: Duration, line: &[u8]) {
        self.traffic.unasked += 1;
        self.transcript.note(at, Way::Unasked, line);
    }

    /// Lets it know that the game is over.
    pub(super) fn close_stdin(&mut self) {
        self.stdin = None;
        self.outbox.clear();
    }

    /// Kills it and everything in its session's process group.
    pub(super) fn kill(&mut self) {
        self.killed |= !self.ended;
        // The group stays ours while the leader is not reaped, so the number cannot be somebody else's.
        let _ = kill_process_group(self.pid, Signal::KILL); // it may be empty already
    }

    /// How a process that has ended did so, as the end of a sentence. It is not reaped by this.
    pub(super) fn how_it_ended(&self) -> String {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let status = waitid(WaitId::PidFd(self.pidfd.as_fd()), look).ok().flatten();
        let exit = status.map(|status| self.exit(status.exit_status(), status.terminating_signal()));
        exit.map_or_else(String::new, |exit| format!(" ({exit})"))
    }

    /// Reaps it, if it has ended. Called once, after `kill`, which must come first.
    pub(super) fn reap(&mut self) -> io::Result<Option<Exit>> {
        let Some((status, cpu)) = spawn::reap(self.pid)? else { return Ok(None) };
        if self.warden.is_none() {
            self.usage.cpu = self.usage.cpu.max(cpu.saturating_sub(self.used_before));
        }
        Ok(Some(self.exit(status.code(), status.signal())))
    }

    fn exit(&self, code: Option<i32>, signal: Option<i32>) -> Exit {
        match (code, signal) {
            (Some(code), _) => Exit::Code(code),
            (None, Some(9)) if self.killed => Exit::Killed,
            (None, signal) => Exit::Signal(signal.unwrap_or(0)),
        }
    }
}
