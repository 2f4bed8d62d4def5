//! What an engine uses, what it may use, and the core it runs on. It is looked at in its own turns
//! and in its opponent's, in which it is frozen where the level of isolation can do that.

use std::time::{Duration, Instant};

use agon_config::Ponder;
use agon_programs::sandbox::overrun;
use agon_record::Usage;
use agon_record::reason::FaultFact;
use agon_sandbox::system::given_priority;
use agon_sandbox::{Isolation, Priority, Use, Warden, orphans, process_tree as tree};
use agon_seats::whole_micros;
use agon_standings::result::Cause;
use rustix::process::{Pid, Signal, kill_process_group};

use super::starving::{GLANCE, OwnClock, SCRUTINY};
use super::{InPause, Placement, Process};

/// How long an engine whose processes were seen to share memory is not asked about it again, if it
/// takes little more.
const SHARES_FOR: Duration = Duration::from_millis(300);
/// The processor time that an engine in a box may use in a game while it is to rest. It takes a
/// moment until all its threads have stopped. So a little more is allowed for every time it was to
/// rest.
const OFF_TURN: Duration = Duration::from_millis(50);
const OFF_TURN_EACH: Duration = Duration::from_millis(2);

/// The processor time that an engine had used at an instant.
#[derive(Clone, Copy)]
struct UsageLook {
    at: Instant,
    cpu: Duration,
}

/// The account of what a process has used in its game.
pub(super) struct Accounts {
    usage: Usage,
    /// When it was looked at last, and the processor time it had used by then.
    look: UsageLook,
    /// What was seen of it since its turn had gone on for a while.
    pub(super) turn: Option<OwnClock>,
    /// The priority at which it was started.
    pub(super) priority: Priority,
    /// What it had used when its opponent's turn had gone on for a while, if it rests in that.
    resting: Option<UsageLook>,
    /// How often it was to rest in this game.
    rests: u32,
    /// The processor time it had used when the game began.
    used_before: Duration,
    /// Until when what its processes share explains the memory they seem to use, and how much that
    /// was.
    shares: Option<(Instant, u64)>,
    /// Whether it had no children when it was looked at last.
    alone: bool,
}

impl Accounts {
    pub(super) fn new(started: Instant, boxed: bool) -> Self {
        Accounts {
            usage: Usage::default(),
            look: UsageLook { at: started, cpu: Duration::ZERO },
            turn: None,
            priority: given_priority(boxed),
            resting: None,
            rests: 0,
            used_before: Duration::ZERO,
            shares: None,
            alone: true,
        }
    }

    /// Forgets the game before, until the end of which it had used this much processor time.
    pub(super) fn begin_another_game(&mut self, used: Duration) {
        self.usage = Usage::default();
        self.rests = 0;
        self.used_before = used;
        // Between two games no engine has the turn.
        if self.resting.is_some() {
            self.resting = Some(UsageLook { at: Instant::now(), cpu: used });
        }
    }

    /// Notes the processor time that it has used in all its games.
    pub(super) fn note_cpu(&mut self, total: Duration) {
        self.usage.cpu = self.usage.cpu.max(total.saturating_sub(self.used_before));
    }

    fn used_since(&self, before: UsageLook) -> Used {
        Used {
            cpu: self.look.cpu.saturating_sub(before.cpu),
            span: self.look.at.saturating_duration_since(before.at),
        }
    }
}

/// The processor time that an engine has used in a span of time.
#[derive(Clone, Copy, Debug)]
pub(in crate::processes) struct Used {
    pub(in crate::processes) cpu: Duration,
    pub(in crate::processes) span: Duration,
}

impl Used {
    /// Whether it was enough to keep others from a processor: a quarter of one.
    pub(in crate::processes) fn is_much(self) -> bool {
        self.cpu * 4 >= self.span
    }
}

impl Process {
    /// The processor time that it and its children have used. If it had no children at the last
    /// look, this is the kernel's own count. To walk the tree would cost more than a short game.
    pub(super) fn cpu(&self) -> Duration {
        if self.accounts.alone && self.warden.is_none() {
            tree::cpu_of(self.pid).unwrap_or_default()
        } else {
            self.uses(GLANCE).cpu
        }
    }

    /// It has answered for the first time: if it has one thread only, it keeps to the core of the
    /// game from now on.
    pub(in crate::processes) fn settle(&mut self) {
        if !matches!(self.placement, Placement::Undecided(_)) {
            return;
        }
        // With several threads it may run anywhere.
        self.look(GLANCE);
        if let Placement::Undecided(core) = &self.placement {
            tree::threads(self.pid).into_iter().for_each(|thread| core.take(thread));
            self.placement = Placement::Pinned(core.clone());
        }
    }

    /// Whether it has one thread, as far as was seen, and keeps to the core of the game.
    pub(in crate::processes) fn is_pinned(&self) -> bool {
        matches!(self.placement, Placement::Pinned(_) | Placement::Boxed(_))
    }

    /// What it has used in this game.
    pub(in crate::processes) fn usage(&self) -> Usage {
        self.accounts.usage
    }

    /// What it and its children use now, as far as that is found out within `bound`.
    fn uses(&self, bound: Duration) -> Use {
        if let Some(uses) = self.warden.as_ref().and_then(Warden::uses) {
            return uses;
        }
        tree::of(&self.roots(), self.ours(), bound)
    }

    /// Looks what it uses now, and notes it.
    pub(super) fn look(&mut self, bound: Duration) {
        let uses = self.uses(bound);
        self.note(&uses);
    }

    /// Whether it has read all that it was told and waits for more; nothing where the system does
    /// not tell.
    pub(in crate::processes) fn reads_input(&self) -> Option<bool> {
        if !self.told() || self.up().is_none() || self.unread() > 0 {
            return Some(false);
        }
        tree::reads_input(&self.roots(), self.ours(), GLANCE)
    }

    /// The processor time that it and its children have used by now.
    pub(in crate::processes) fn cpu_now(&self) -> Duration {
        self.uses(GLANCE).cpu
    }

    /// How many processes and threads it has now.
    pub(in crate::processes) fn threads_now(&self) -> u32 {
        self.uses(SCRUTINY).threads
    }

    /// The processes that all of its own stand below. In a box nobody leaves the tree.
    pub(super) fn roots(&self) -> Vec<Pid> {
        let mut roots = if self.warden.is_none() { orphans::of_engine(&self.mark) } else { Vec::new() };
        roots.push(self.pid);
        roots
    }

    /// How many generations of the tree are the harness's own.
    pub(super) fn ours(&self) -> usize {
        self.warden.as_ref().map_or(0, Warden::ours)
    }

    /// Whether it may write no more to its box, because that is full.
    pub(in crate::processes) fn disk_is_full(&self) -> bool {
        self.warden.as_ref().is_some_and(Warden::disk_is_full)
    }

    /// What it has used in the other's turn, if that has gone on for a while and it is not to think
    /// in it.
    pub(in crate::processes) fn used_off_turn(&mut self) -> Option<Used> {
        let before = self.accounts.resting?;
        self.look(SCRUTINY);
        Some(self.accounts.used_since(before))
    }

    /// It is another's turn and has been for a while: it is stopped where that can be had, and its
    /// processor time is noted. One that is not up yet is let start.
    pub(in crate::processes) fn freeze(&mut self) {
        if self.accounts.resting.is_some() || self.up().is_none() || self.ended() {
            return;
        }
        if let Some(warden) = &mut self.warden {
            warden.freeze();
        }
        let uses = self.uses(SCRUTINY);
        self.accounts.resting = Some(UsageLook { at: Instant::now(), cpu: uses.cpu });
        self.accounts.rests += 1;
        // In its own turns it may be too quick to be looked at.
        self.judge(&uses);
    }

    /// It goes on, and what it has used meanwhile is noted. When this returns, it runs. Returns
    /// whether it was stopped, so that what it was about to write has come only now.
    pub(in crate::processes) fn thaw(&mut self) -> bool {
        let Some(before) = self.accounts.resting.take() else { return false };
        self.accounts.usage.off_turn += self.cpu().saturating_sub(before.cpu);
        self.judge_off_turn(self.accounts.usage.off_turn);
        self.warden.as_mut().is_some_and(Warden::thaw)
    }

    /// The game is paused: it is stopped with all it has started. Outside of a box, only its
    /// process group is. An engine elsewhere is not stopped by us: what it writes counts as written
    /// when the pause began.
    pub(in crate::processes) fn pause(&mut self) {
        match (&self.in_pause, &mut self.warden) {
            (InPause::GoesOn, _) => {}
            // Without the file it goes on like any engine elsewhere.
            (InPause::Told(file), _) => _ = std::fs::write(file, ""),
            (InPause::Stopped, Some(warden)) => warden.freeze(),
            (InPause::Stopped, None) => self.signal_group(Signal::STOP),
        }
    }

    /// The pause is over: it goes on, unless it is another's turn.
    pub(in crate::processes) fn end_pause(&mut self) {
        match (&self.in_pause, &mut self.warden) {
            (InPause::GoesOn, _) => {}
            (InPause::Told(file), _) => _ = std::fs::remove_file(file), // it may not have been written
            (InPause::Stopped, Some(warden)) if self.accounts.resting.is_none() => _ = warden.thaw(),
            (InPause::Stopped, Some(_)) => {}
            (InPause::Stopped, None) => self.signal_group(Signal::CONT),
        }
    }

    fn signal_group(&self, signal: Signal) {
        if !self.ended() {
            let _ = kill_process_group(self.pid, signal); // one that has just ended needs none
        }
    }

    /// Ends it if it has used more of the processor than it may while it was stopped.
    fn judge_off_turn(&mut self, used: Duration) {
        let most = OFF_TURN + OFF_TURN_EACH * self.accounts.rests;
        if used <= most
            || self.over.is_some()
            || self.warden.is_none()
            || self.confinement.ponder == Ponder::On
        {
            return;
        }
        let (used, most) = (whole_micros(used), whole_micros(most));
        self.over = Some((Cause::Pondering, FaultFact::OffTurn { used, most }));
        self.kill();
    }

    /// Kills it if it is over a limit that is for all its processes together.
    pub(in crate::processes) fn look_at_limits(&mut self) {
        if self.ended() || self.over.is_some() {
            return;
        }
        let uses = self.uses(GLANCE);
        if let Some(before) = self.accounts.resting {
            self.judge_off_turn(self.accounts.usage.off_turn + uses.cpu.saturating_sub(before.cpu));
        }
        if self.over.is_none() {
            self.judge(&uses);
        }
    }

    /// It has ended: perhaps because the kernel kept it from going over a limit.
    pub(in crate::processes) fn judge_its_end(&mut self) {
        if self.over.is_none() {
            self.over = self.warden.as_ref().and_then(|warden| overrun(warden, &self.confinement));
        }
    }

    fn judge(&mut self, uses: &Use) {
        self.note(uses);
        let confinement = self.confinement.clone();
        if confinement.level == Isolation::None {
            return;
        }
        let over = if let Some(over) = self.warden.as_ref().and_then(|warden| overrun(warden, &confinement)) {
            Some(over)
        } else if let Some(used) = self.memory_over(uses) {
            Some((Cause::MemoryLimit, FaultFact::Memory { used, most: confinement.memory }))
        } else if uses.threads > confinement.processes {
            let (had, most) = (uses.threads, confinement.processes);
            Some((Cause::ProcessLimit, FaultFact::Processes { had, most }))
        } else {
            confinement.cpu_time.filter(|most| self.accounts.usage.cpu > *most).map(|most| {
                let (used, most) = (whole_micros(self.accounts.usage.cpu), whole_micros(most));
                (Cause::CpuLimit, FaultFact::CpuTime { used, most })
            })
        };
        if over.is_some() {
            self.over = over;
            self.kill();
        }
    }

    /// What it uses of memory, if that is more than it may. What its processes share must not count
    /// once for each of them. The kernel takes a while to find that out. So it is asked only when
    /// there seems to be too much, and not at every look. At `strict` the kernel has counted every
    /// page once already.
    fn memory_over(&mut self, uses: &Use) -> Option<u64> {
        let most = self.confinement.memory;
        if uses.memory <= most {
            return None;
        }
        if self.confinement.level == Isolation::Strict {
            return Some(uses.memory);
        }
        let now = Instant::now();
        let known =
            |(until, seemed): (Instant, u64)| now < until && uses.memory < seemed.saturating_add(most / 4);
        if self.accounts.shares.is_some_and(known) {
            return None;
        }
        let used = tree::memory_without_sharing(&self.roots(), self.ours(), SCRUTINY);
        if used <= most {
            self.accounts.shares = Some((now + SHARES_FOR, uses.memory));
        }
        Some(used).filter(|used| *used > most)
    }

    fn note(&mut self, uses: &Use) {
        self.accounts.note_cpu(uses.cpu);
        self.accounts.usage.memory = self.accounts.usage.memory.max(uses.memory);
        self.accounts.usage.threads = self.accounts.usage.threads.max(uses.threads);
        if uses.whole {
            self.accounts.look = UsageLook { at: Instant::now(), cpu: uses.cpu };
        }
        self.accounts.alone = uses.alone;
        if uses.threads > 1 && !matches!(self.placement, Placement::Boxed(_)) {
            let core = match &self.placement {
                Placement::Pinned(core) => {
                    tree::threads(self.pid).into_iter().for_each(|thread| core.let_go(thread));
                    Some(core.clone())
                }
                Placement::Undecided(core) | Placement::Boxed(core) => Some(core.clone()),
                Placement::Anywhere(core) => core.clone(),
            };
            self.placement = Placement::Anywhere(core);
        }
    }

    /// The last look, before it is reaped. Returns how many processes its box has taken with it.
    pub(in crate::processes) fn count_left(&mut self) -> u32 {
        if self.warden.is_some() {
            self.look(GLANCE);
        } else if !self.ended() {
            self.accounts.note_cpu(self.cpu());
        }
        let Some(account) = self.warden.as_ref().and_then(Warden::account) else { return 0 };
        self.accounts.note_cpu(account.cpu);
        account.left
    }
}
