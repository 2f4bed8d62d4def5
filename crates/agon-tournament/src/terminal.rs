//! What a run says in the terminal: remarks on stderr, results on stdout.

use std::io::{IsTerminal, Write};
use std::os::fd::AsFd;

use agon_config::Misuse;
use agon_match::keeper::{Hindrance, Interrupted};
use agon_pages::report::columns::wrapped;
use agon_pages::report::terminal::{FAULT, TableLook};
use agon_printable::harmless;
use agon_programs::machine_fault::{MachineFault, MachineFaults};
use agon_programs::stopping;
use agon_sandbox::Unavailable;
use anyhow::Context;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, getpgid, getpgrp, getppid};
use rustix::termios::{tcgetpgrp, tcsetpgrp};

use crate::entrants::isolation;
use crate::run::{RefereeAtFault, Run};

/// Prints a message on stderr, with control sequences escaped. On a terminal its lines break at
/// words.
pub fn say(text: &str) {
    let width = TableLook::of(&std::io::stderr()).width;
    let text = wrapped(&harmless(text.as_bytes()), width);
    let _ = writeln!(std::io::stderr(), "{text}"); // a closed stderr has no readers
}

/// How often a wait for an answer looks for a request to stop.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

/// Asks a question on the terminal, and says whether the answer is yes. `None` if nobody is there:
/// in a script, under cron, or in the background of a shell.
///
/// # Errors
/// The answer cannot be read, or this process is to stop.
pub fn agrees(question: &str) -> anyhow::Result<Option<bool>> {
    let (stdin, stderr) = (std::io::stdin(), std::io::stderr());
    if !stdin.is_terminal() || !stderr.is_terminal() {
        return Ok(None);
    }
    let Some(_foreground) = Foreground::taken() else { return Ok(None) };
    let width = TableLook::of(&stderr).width;
    let _ = write!(&stderr, "{}", wrapped(&harmless(question.as_bytes()), width)); // as in say
    let mut ready = [PollFd::from_borrowed_fd(stdin.as_fd(), PollFlags::IN)];
    loop {
        stopping::go_on().context("nothing has changed")?;
        match poll(&mut ready, Some(&LOOK)) {
            Ok(0) | Err(Errno::INTR) => {}
            Ok(_) => break,
            Err(error) => return Err(error).context("cannot wait for an answer"),
        }
    }
    let mut answer = String::new();
    stdin.read_line(&mut answer).context("cannot read the answer")?;
    Ok(Some(matches!(answer.trim(), "y" | "Y" | "yes" | "Yes")))
}

/// The terminal in the hands of this process group: only the group in the foreground may read it,
/// and that is the keeper's. It gets the terminal back.
struct Foreground {
    before: Pid,
}

impl Foreground {
    /// `None` if the keeper itself is in the background.
    fn taken() -> Option<Foreground> {
        let stdin = std::io::stdin();
        let before = tcgetpgrp(&stdin).ok()?;
        let own = getpgrp();
        if before != own {
            (getpgid(getppid()).ok()? == before).then_some(())?;
            tcsetpgrp(&stdin, own).ok()?;
        }
        Some(Foreground { before })
    }
}

impl Drop for Foreground {
    fn drop(&mut self) {
        let _ = tcsetpgrp(std::io::stdin(), self.before); // the terminal may be gone
    }
}

/// Warns of a spelling that works until 0.3.0, with the one to write.
pub fn warn_of_old(old: &str, new: &str) {
    say(&format!("warning: {old} is now {new}; the old spelling works until 0.3.0"));
}

/// Warns of what the isolation level of a run leaves open on this machine.
pub fn warn(run: &Run) {
    isolation::warnings(run).iter().for_each(|warning| say(warning));
}

/// Writes text to stdout, with control sequences escaped.
///
/// # Errors
/// If it cannot be written, but for a reader that has gone.
pub fn out(text: &str) -> anyhow::Result<()> {
    drawn(&harmless(text.as_bytes()))
}

/// Writes to stdout text with styles of ours.
pub fn drawn(text: &str) -> anyhow::Result<()> {
    out_bytes(text.as_bytes())
}

/// Writes to stdout. A reader that has closed it has seen enough, as `head` has; the command goes
/// on to its exit code, which may be its verdict.
pub fn out_bytes(bytes: &[u8]) -> anyhow::Result<()> {
    match std::io::stdout().write_all(bytes) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        written => written.context("cannot write to standard output"),
    }
}

/// Prints an error, and its hint on a line of its own. `hint` is asked for one if the error has
/// none itself.
pub fn complain(error: &anyhow::Error, hint: impl Fn(&anyhow::Error) -> Option<String>) {
    if stopping::was_asked(error) {
        return complain(&Interrupted.into(), hint);
    }
    let hint_of = |cause: &'_ (dyn std::error::Error + 'static)| {
        let misuse = cause.downcast_ref::<Misuse>().and_then(|misuse| misuse.hint.clone());
        misuse
            .or_else(|| cause.downcast_ref::<Unavailable>().map(|level| level.remedy.clone()))
            .or_else(|| cause.downcast_ref::<MachineFaults>().map(MachineFaults::hint))
            .or_else(|| cause.downcast_ref::<MachineFault>().map(MachineFault::hint))
            .or_else(|| cause.downcast_ref::<Hindrance>().map(|hindrance| hindrance.hint.clone()))
            .or_else(|| cause.downcast_ref::<RefereeAtFault>().map(|referee| referee.hint.clone()))
    };
    let hint = error.chain().find_map(hint_of).or_else(|| hint(error));
    let causes: Vec<String> = error
        .chain()
        .map(|cause| {
            cause.downcast_ref::<Misuse>().map_or_else(|| cause.to_string(), |misuse| misuse.what.clone())
        })
        .collect();
    let look = TableLook::of(&std::io::stderr());
    let text = wrapped(&harmless(format!("error: {}", causes.join(": ")).as_bytes()), look.width);
    let rest = text.strip_prefix("error:").unwrap_or(&text);
    let _ = writeln!(std::io::stderr(), "{}{rest}", look.styled("error:", FAULT)); // as in say
    if let Some(hint) = hint {
        say(&format!("hint: {hint}"));
    }
}
