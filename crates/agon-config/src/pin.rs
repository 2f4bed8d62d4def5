//! On which cores games are played.

use std::fmt;
use std::str::FromStr;

/// On which cores games are played. Waking another core costs many times what waking the same one
/// does. Only one engine of a game thinks at a time.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Pin {
    /// Each game on one core, where there are enough of them; an engine that uses more threads goes
    /// where it likes.
    #[default]
    Auto,
    /// The system decides.
    Off,
    /// As `Auto`, on these cores and on no others.
    Cores(Vec<usize>),
}

impl FromStr for Pin {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => return Ok(Pin::Auto),
            "off" => return Ok(Pin::Off),
            _ => {}
        }
        let mut cores = Vec::new();
        for part in text.split(',') {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let number = |text: &str| text.parse::<usize>().ok().filter(|core| *core < 1024);
            match (number(first), number(last)) {
                (Some(first), Some(last)) if first <= last => cores.extend(first..=last),
                _ => return Err("write auto, off, or cores like 0,2-3".to_owned()),
            }
        }
        cores.sort_unstable();
        cores.dedup();
        Ok(Pin::Cores(cores))
    }
}

impl fmt::Display for Pin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Pin::Auto => f.write_str("auto"),
            Pin::Off => f.write_str("off"),
            Pin::Cores(cores) => {
                let cores: Vec<String> = cores.iter().map(usize::to_string).collect();
                f.write_str(&cores.join(","))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_are_read_as_people_list_them() {
        assert_eq!("3,0-1,1".parse(), Ok(Pin::Cores(vec![0, 1, 3])));
        assert_eq!(("auto".parse(), "off".parse()), (Ok(Pin::Auto), Ok(Pin::Off)));
        for wrong in ["", "on", "1-", "2-1", "0,,1", "-1", "99999"] {
            assert!(wrong.parse::<Pin>().is_err(), "{wrong}");
        }
        assert_eq!(Pin::Cores(vec![0, 2]).to_string(), "0,2");
    }
}
