//! What a person types: in a line editor on a terminal, line by line from anything else.

use std::io::{self, IsTerminal, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, unbounded};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};
use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;

/// How often a wait for the line editor looks for the order to stop.
const LOOK: Duration = Duration::from_millis(50);

/// Why there is no line.
pub(super) enum NoLine {
    /// The input has ended.
    End,
    /// A signal has come, or the key for one.
    Stopped,
    /// Ours.
    Broken(io::Error),
}

/// What the person types, line by line, until a signal comes.
pub(super) struct Typed {
    stop: Option<Arc<OwnedFd>>,
    source: Source,
}

enum Source {
    /// A terminal, with a line editor and its history on a thread: only so a signal can end the
    /// wait.
    Editor { prompts: Sender<String>, lines: Receiver<Result<String, ReadlineError>>, before: Termios },
    /// Anything else.
    Plain { waiting: Vec<u8>, ended: bool },
}

impl Typed {
    /// Standard input. Where a line editor does not work, lines are read as they come.
    pub(super) fn new(stop: Option<Arc<OwnedFd>>) -> Self {
        let editor = (io::stdin().is_terminal() && io::stdout().is_terminal()).then(editor).flatten();
        Typed { stop, source: editor.unwrap_or(Source::Plain { waiting: Vec::new(), ended: false }) }
    }

    /// Shows a prompt and gives the next line.
    pub(super) fn line(&mut self, prompt: &str) -> Result<String, NoLine> {
        let stop = self.stop.as_deref();
        match &mut self.source {
            Source::Plain { waiting, ended } => {
                write_out(prompt).map_err(NoLine::Broken)?;
                plain_line(waiting, ended, stop)
            }
            Source::Editor { prompts, lines, before } => {
                let gone = || NoLine::Broken(io::Error::other("the line editor is gone"));
                prompts.send(prompt.to_owned()).map_err(|_| gone())?;
                loop {
                    match lines.recv_timeout(LOOK) {
                        Ok(Ok(line)) => return Ok(line),
                        Ok(Err(ReadlineError::Eof)) => return Err(NoLine::End),
                        Ok(Err(ReadlineError::Interrupted)) => return Err(NoLine::Stopped),
                        Ok(Err(ReadlineError::Io(error))) => return Err(NoLine::Broken(error)),
                        Ok(Err(error)) => return Err(NoLine::Broken(io::Error::other(error))),
                        Err(RecvTimeoutError::Timeout) if is_readable(stop) => {
                            // The editor, which waits on, has changed the terminal.
                            let _ = tcsetattr(io::stdin(), OptionalActions::Now, before); // it may be gone
                            return Err(NoLine::Stopped);
                        }
                        Err(RecvTimeoutError::Timeout) => {}
                        Err(RecvTimeoutError::Disconnected) => return Err(gone()),
                    }
                }
            }
        }
    }
}

/// A line editor on a thread of its own. It keeps the lines of this game as its history.
fn editor() -> Option<Source> {
    let before = tcgetattr(io::stdin()).ok()?;
    let (prompts, asked) = unbounded::<String>();
    let (answers, lines) = unbounded();
    let mut editor = DefaultEditor::new().ok()?;
    let edit = move || {
        for prompt in asked {
            let line = editor.readline(&prompt);
            if let Ok(line) = &line {
                let _ = editor.add_history_entry(line); // a line that is not remembered is played all the same
            }
            if answers.send(line).is_err() {
                return;
            }
        }
    };
    std::thread::Builder::new().spawn(edit).ok()?;
    Some(Source::Editor { prompts, lines, before })
}

fn is_readable(stop: Option<&OwnedFd>) -> bool {
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    stop.is_some_and(|stop| {
        poll(&mut [PollFd::new(stop, PollFlags::IN)], Some(&now)).is_ok_and(|ready| ready > 0)
    })
}

fn plain_line(waiting: &mut Vec<u8>, ended: &mut bool, stop: Option<&OwnedFd>) -> Result<String, NoLine> {
    loop {
        if let Some(end) = waiting.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = waiting.drain(..=end).collect();
            return Ok(String::from_utf8_lossy(&line).into_owned());
        }
        if *ended {
            write_out("\n").map_err(NoLine::Broken)?;
            return Err(NoLine::End);
        }
        wait(stop)?;
        let mut piece = [0; 4096];
        match rustix::io::read(io::stdin().as_fd(), &mut piece) {
            Ok(0) => {
                // A last line without its end is a line when a person types it.
                *ended = true;
                if !waiting.is_empty() {
                    waiting.push(b'\n');
                }
            }
            Ok(count) => waiting.extend_from_slice(&piece[..count]),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(NoLine::Broken(error.into())),
        }
    }
}

fn wait(stop: Option<&OwnedFd>) -> Result<(), NoLine> {
    let stdin = io::stdin();
    let mut fds = vec![PollFd::from_borrowed_fd(stdin.as_fd(), PollFlags::IN)];
    fds.extend(stop.map(|stop| PollFd::new(stop, PollFlags::IN)));
    match poll(&mut fds, None) {
        Ok(_) | Err(rustix::io::Errno::INTR) => {}
        Err(error) => return Err(NoLine::Broken(error.into())),
    }
    if fds.get(1).is_some_and(|stop| !stop.revents().is_empty()) { Err(NoLine::Stopped) } else { Ok(()) }
}

fn write_out(text: &str) -> io::Result<()> {
    let mut out = io::stdout();
    out.write_all(text.as_bytes())?;
    out.flush()
}
