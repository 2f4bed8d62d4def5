//! How closely engines are confined: what an engine may use.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use agon_printable::escape;
use agon_sandbox::Isolation;

use super::Misuse;

/// Whether engines may think while another one is to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Ponder {
    /// They are stopped then, at the levels that can do it.
    #[default]
    Off,
    /// They may.
    On,
}

impl FromStr for Ponder {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "off" => Ok(Ponder::Off),
            "on" => Ok(Ponder::On),
            _ => Err("write on or off".to_owned()),
        }
    }
}

/// A number of bytes, as people write it: `512M`, `2G`, `65536`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Size(pub u64);

impl FromStr for Size {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let (digits, unit) = match text.as_bytes().last() {
            Some(b'K' | b'k') => (&text[..text.len() - 1], 1 << 10),
            Some(b'M' | b'm') => (&text[..text.len() - 1], 1 << 20),
            Some(b'G' | b'g') => (&text[..text.len() - 1], 1 << 30),
            _ => (text, 1),
        };
        let number = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(unit));
        number
            .filter(|bytes| (4096..=1 << 50).contains(bytes))
            .map(Size)
            .ok_or_else(|| "it is no size that will do; write one like 512M or 2G".to_owned())
    }
}

/// The most bytes of what is kept: a size, or `off` for none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeptSize(pub u64);

impl FromStr for KeptSize {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "off" => Ok(KeptSize(0)),
            size => size.parse().map(|Size(bytes)| KeptSize(bytes)).map_err(|why| format!("{why}, or off")),
        }
    }
}

impl fmt::Display for KeptSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == 0 { f.write_str("off") } else { Size(self.0).fmt(f) }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (unit, letter) in [(1 << 30, "G"), (1 << 20, "M"), (1 << 10, "K")] {
            if self.0.is_multiple_of(unit) && self.0 > 0 {
                return write!(f, "{}{letter}", self.0 / unit);
            }
        }
        write!(f, "{}", self.0)
    }
}

/// How an engine is confined, and what it may use.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Confinement {
    /// The level.
    pub level: Isolation,
    /// Whether it may think while another is to move.
    pub ponder: Ponder,
    /// The most memory all its processes may use together, in bytes.
    pub memory: u64,
    /// The most it may write to files, in bytes: each file at `limits`, all together in a box.
    pub disk: u64,
    /// The most processes and threads it may have.
    pub processes: u32,
    /// The most processor time all its processes may use in a game.
    pub cpu_time: Option<Duration>,
    /// The most bytes it may write to stdout in one turn.
    pub output: u64,
    /// What its box shows besides, absolute: the places that the organiser asks for.
    pub show: Vec<PathBuf>,
}

impl Default for Confinement {
    fn default() -> Self {
        Confinement {
            level: Isolation::default(),
            ponder: Ponder::default(),
            memory: 1 << 30,
            disk: 64 << 20,
            processes: 256,
            cpu_time: None,
            output: 4 << 20,
            show: Vec::new(),
        }
    }
}

impl Confinement {
    /// Sees that the places of `--show` and a place that no engine may see have nothing of each
    /// other. `what` says what that is: "the results of the run".
    ///
    /// # Errors
    /// [`Misuse`], which names both.
    pub fn hides(&self, place: &Path, what: &str) -> anyhow::Result<()> {
        let real = |path: &Path| path.canonicalize().or_else(|_| std::path::absolute(path));
        let place = real(place)?;
        let clash = self.show.iter().find(|shown| place.starts_with(shown) || shown.starts_with(&place));
        let Some(shown) = clash.filter(|_| self.level.is_boxed()) else { return Ok(()) };
        let name = |path: &Path| escape(path.as_os_str().as_encoded_bytes(), 400);
        let what = format!("--show {}: engines would see {what}, {}", name(shown), name(&place));
        Err(Misuse::hinted(what, "name the files or the folder that engines need, and no more"))
    }

    /// The confinement with the level and the memory that a term of a run has, as [`fmt::Display`]
    /// writes it.
    pub fn of_term(term: &str) -> Self {
        let mut found = Confinement::default();
        for part in term.split(", ") {
            if let Ok(level) = part.parse() {
                found.level = level;
            } else if let Some(Ok(Size(memory))) = part.strip_prefix("memory ").map(str::parse) {
                found.memory = memory;
            }
        }
        found
    }
}

/// What differs from the usual, for the terms of a run: empty if nothing does.
impl fmt::Display for Confinement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let usual = Confinement::default();
        let mut parts = Vec::new();
        if self.level != usual.level {
            parts.push(self.level.to_string());
        }
        if self.ponder == Ponder::On {
            parts.push("ponder".to_owned());
        }
        if self.level > Isolation::None {
            for (name, own, other) in [("memory", self.memory, usual.memory), ("disk", self.disk, usual.disk)]
            {
                if own != other {
                    parts.push(format!("{name} {}", Size(own)));
                }
            }
            if self.processes != usual.processes {
                parts.push(format!("processes {}", self.processes));
            }
            if let Some(time) = self.cpu_time {
                parts.push(format!("cpu-time {}", time.as_secs_f64()));
            }
        }
        if self.output != usual.output {
            parts.push(format!("output {}", Size(self.output)));
        }
        f.write_str(&parts.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_written_with_a_letter() {
        assert_eq!("512M".parse(), Ok(Size(512 << 20)));
        assert_eq!("2g".parse(), Ok(Size(2 << 30)));
        assert_eq!(Size(512 << 20).to_string(), "512M");
        for wrong in ["", "M", "1.5G", "-1", "0", "99999999999G", "12é"] {
            assert!(wrong.parse::<Size>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn only_what_differs_from_the_usual_is_a_term_of_a_run() {
        assert_eq!(Confinement::default().to_string(), "");
        let other = Confinement { level: Isolation::Sandbox, memory: 512 << 20, ..Confinement::default() };
        assert_eq!(other.to_string(), "sandbox, memory 512M");
    }
}
