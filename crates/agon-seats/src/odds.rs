//! What one engine plays with instead of what the others have: a time control, or a shorter search.

use std::str::FromStr;

use super::clock::{SearchLimits, TimeControl};

/// The odds of one engine: what is not given is as for all others.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Odds {
    /// Its time control.
    pub control: Option<TimeControl>,
    /// How far it may search.
    pub search: SearchLimits,
}

impl Odds {
    /// These and other odds of the same engine.
    ///
    /// # Errors
    /// Both give the same; with both values.
    pub fn and(self, other: Odds) -> Result<Odds, String> {
        let twice = |one: String, two: String| Err(format!("has {one} and {two}; give one of them"));
        if let (Some(one), Some(two)) = (self.control, other.control) {
            return twice(one.to_string(), two.to_string());
        }
        for (name, one) in self.search.given() {
            if let Some((_, two)) = other.search.given().find(|(own, _)| *own == name) {
                return twice(format!("{name}={one}"), format!("{name}={two}"));
            }
        }
        Ok(Odds { control: self.control.or(other.control), search: self.search.or(other.search) })
    }
}

/// Reads one of them: `st=10`, `tc=60+1`, `nodes=10000` or `depth=8`.
impl FromStr for Odds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(search) = SearchLimits::one(text)? {
            return Ok(Odds { control: None, search });
        }
        match text.split_once('=') {
            Some(("st" | "tc", _)) => {
                Ok(Odds { control: Some(text.parse()?), search: SearchLimits::default() })
            }
            _ => Err(format!(
                "{text:?} is neither a time control nor a limit of a search; write st=SECONDS, \
                 tc=SECONDS+INCREMENT, nodes=N or depth=PLIES"
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn odds(text: &str) -> Odds {
        text.split(' ')
            .map(|one| one.parse::<Odds>().unwrap())
            .fold(Odds::default(), |all, one| all.and(one).unwrap())
    }

    #[test]
    fn odds_are_a_time_control_and_limits_of_the_search() {
        assert_eq!(odds("tc=10+0.1").control.unwrap().to_string(), "tc=10+0.1");
        let both = odds("nodes=10000 depth=8 st=1");
        assert_eq!(both.search, SearchLimits { nodes: Some(10_000), depth: Some(8) });
        assert_eq!(both.search.to_string(), " nodes=10000 depth=8");
        assert_eq!(both.control.unwrap().to_string(), "st=1");
    }

    #[test]
    fn what_is_no_odds_or_is_given_twice_is_refused_with_what_to_write() {
        for wrong in ["nodes=0", "depth=0", "nodes=-1", "nodes=1e6", "depth=", "node=5", "10", "st=0"] {
            assert!(wrong.parse::<Odds>().unwrap_err().contains("write"), "{wrong}");
        }
        for (one, two) in [("nodes=5", "nodes=6"), ("st=1", "tc=60"), ("depth=3 nodes=1", "nodes=1")] {
            let why = odds(one).and(odds(two)).unwrap_err();
            assert!(why.contains(two) && why.contains("give one of them"), "{why}");
        }
        assert!(odds("nodes=5").and(odds("depth=5")).is_ok());
    }
}
