//! The result of an attempt, reported on stderr in a line that tests read, and the data that a test
//! passes in.

use std::fmt::Display;
use std::io;

use crate::attacks::honest::complain;

/// Reports `attack ID: worked (what)` or `attack ID: refused (what: why)`.
pub(crate) fn tell<T, E: Display>(attack: &str, what: &str, tried: Result<T, E>) -> io::Result<()> {
    match tried {
        Ok(_) => line(attack, &format!("worked ({what})")),
        Err(why) => line(attack, &format!("refused ({what}: {why})")),
    }
}

/// The same for an observation.
pub(crate) fn tell_if(attack: &str, what: &str, worked: bool) -> io::Result<()> {
    line(attack, &format!("{} ({what})", if worked { "worked" } else { "refused" }))
}

/// Reports why an attempt was not made: it would have hurt others, or something is missing.
pub(crate) fn not_tried(attack: &str, why: &str) -> io::Result<()> {
    line(attack, &format!("not tried ({why})"))
}

fn line(attack: &str, what: &str) -> io::Result<()> {
    complain(format!("attack {attack}: {what}\n").as_bytes())
}

/// The value that the test has put into the environment under this name: a file, a port, a name.
pub(crate) fn given(name: &str) -> io::Result<String> {
    std::env::var(name).map_err(|_| io::Error::other(format!("{name} is not given")))
}
