//! What an engine is entered with: its time control, and what differs if it plays elsewhere.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use agon_sandbox::Isolation;
use agon_seats::{SearchLimits, TimeControl};

/// What the games of one entrant depend on besides its content and the conditions of the run.
/// Written `st=5`, or `st=5 nodes=10000 isolation=limits lag=0.02`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EntrantTerms {
    /// Its time control.
    pub control: TimeControl,
    /// How far it may search, if that is not as for the others.
    pub search: SearchLimits,
    /// Its level of isolation, if that is another one than the run's.
    pub level: Option<Isolation>,
    /// The most of its lag that is allowed for.
    pub lag: Duration,
}

/// An engine that plays elsewhere without a difference is written as if it played here: its games
/// are the same.
impl fmt::Display for EntrantTerms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.control, self.search)?;
        if let Some(level) = self.level {
            write!(f, " isolation={level}")?;
        }
        if !self.lag.is_zero() {
            write!(f, " lag={}", self.lag.as_secs_f64())?;
        }
        Ok(())
    }
}

impl FromStr for EntrantTerms {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut words = text.split(' ');
        let control = words.next().unwrap_or_default().parse()?;
        let search = SearchLimits::default();
        let mut terms = EntrantTerms { control, search, level: None, lag: Duration::ZERO };
        for word in words {
            if let Some(limit) = SearchLimits::one(word)? {
                terms.search = terms.search.or(limit);
                continue;
            }
            match word.split_once('=') {
                Some(("isolation", level)) => terms.level = Some(level.parse()?),
                Some(("lag", seconds)) => terms.lag = agon_seats::zero_or_more(seconds)?,
                _ => return Err("an entrant has the form st=5 isolation=limits lag=0.02".to_owned()),
            }
        }
        Ok(terms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_engine_is_entered_with_reads_back() {
        for text in [
            "st=5",
            "tc=60+1 isolation=limits",
            "st=5 nodes=9 depth=2 lag=1",
            "st=5 lag=0.02",
            "tc=40/60 isolation=none lag=1.5",
        ] {
            assert_eq!(text.parse::<EntrantTerms>().unwrap().to_string(), text);
        }
        for wrong in ["", "5", "st=5 nodes=0", "st=5 lag", "st=5 lag=-1", "st=5 isolation=box", "st=5 bank=1"]
        {
            assert!(wrong.parse::<EntrantTerms>().is_err(), "{wrong}");
        }
    }
}
