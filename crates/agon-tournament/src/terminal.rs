//! What a run says in the terminal: remarks on stderr, results on stdout.

use std::io::Write;

use agon_pages::report::columns::wrapped;
use agon_pages::report::terminal::TableLook;
use agon_printable::harmless;
use anyhow::Context;

use crate::entrants::isolation;
use crate::run::Run;

/// Prints a message on stderr, with control sequences escaped. On a terminal its lines break at
/// words.
pub fn say(text: &str) {
    let width = TableLook::of(&std::io::stderr()).width;
    let text = wrapped(&harmless(text.as_bytes()), width);
    let _ = writeln!(std::io::stderr(), "{text}"); // a closed stderr has no readers
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
