//! What came of an attempt, told on stderr in a line that a test can read, and what the test has told the attacker.

use std::fmt::Display;
use std::io;

use crate::attacks::honest::complain;

/// Tells `attack ID: worked (what)` or `attack ID: refused (what: why)`.
pub(crate) fn tell<T, E: Display>(attack: &str, what: &str, tried: Result<T, E>) -> io::Result<()> {
    match tried {
        Ok(_) => line(attack, &format!("worked ({what})")),
        Err(why) => line(attack, &format!("refused ({what}: {why})")),
    }
}

/// The same of something that is seen rather than tried.
pub(crate) fn tell_if(attack: &str, what: &str, worked: bool) -> io::Result<()> {
    line(attack, &format!("{} ({what})", if worked { "worked" } else { "refused" }))
}

/// Tells why something was not even tried: it would have hurt somebody else, or something is missing.
pub(crate) fn not_tried(attack: &str, why: &str) -> io::Result<()> {
    line(attack, &format!("not tried ({why})"))
}

fn line(attack: &str, what: &str) -> io::Result<()> {
    complain(format!("attack {attack}: {what}\n").as_bytes())
}

/// What the test has put into the environment under this name: a file, a port, somebody's name.
pub(crate) fn given(name: &str) -> io::Result<String> {
    std::env::var(name).map_err(|_| io::Error::other(format!("{name} is not given")))
}
