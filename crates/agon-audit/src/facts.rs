//! What an audit has proved, what it had to believe, and what differs.

use std::collections::BTreeMap;

use agon_printable::{counted, escape};

/// The most characters of quoted text in a message.
const SHOWN: usize = 80;

/// A wrong value in a record.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("key {key}: {why}")]
pub struct Difference {
    /// Its place in the record's JSON: `plies[3].points`.
    pub key: String,
    /// What is wrong there, and the correct value.
    pub why: String,
}

impl Difference {
    /// A difference at a key.
    pub fn at(key: impl Into<String>, why: impl Into<String>) -> Self {
        Difference { key: key.into(), why: why.into() }
    }
}

/// A text of the record, made safe to show.
pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", escape(text.as_bytes(), SHOWN))
}

/// How many facts of each kind were proved, and how many only the harness has witnessed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Facts {
    proved: BTreeMap<&'static str, u64>,
    witnessed: BTreeMap<&'static str, u64>,
}

impl Facts {
    /// Adds facts that follow from the rules, the plan or the content.
    pub fn proved(&mut self, what: &'static str, count: usize) {
        *self.proved.entry(what).or_default() += count as u64;
    }

    /// Adds facts that only the record states, and that contradict nothing.
    pub fn witnessed(&mut self, what: &'static str, count: usize) {
        *self.witnessed.entry(what).or_default() += count as u64;
    }

    /// Adds the facts of a game.
    pub fn add(&mut self, other: &Facts) {
        for (into, from) in [(&mut self.proved, &other.proved), (&mut self.witnessed, &other.witnessed)] {
            for (what, count) in from {
                *into.entry(what).or_default() += count;
            }
        }
    }

    /// The numbers by kind: of proved facts, and of witnessed ones.
    pub fn counts(&self) -> (&BTreeMap<&'static str, u64>, &BTreeMap<&'static str, u64>) {
        (&self.proved, &self.witnessed)
    }

    /// Both as lines of text: `120 facts proved: 40 moves, 80 points`.
    pub fn lines(&self) -> [String; 2] {
        let line = |all: &BTreeMap<&'static str, u64>, how: &str| {
            let parts: Vec<String> = all
                .iter()
                .filter(|(_, count)| **count > 0)
                .map(|(what, count)| if *count == 1 { one(what) } else { format!("{count} {what}") })
                .collect();
            let total: u64 = all.values().sum();
            if parts.is_empty() {
                format!("0 facts {how}")
            } else {
                format!("{} {how}: {}", counted(total, "fact"), parts.join(", "))
            }
        };
        [line(&self.proved, "proved"), line(&self.witnessed, "witnessed by the harness alone")]
    }
}

/// One of a kind of facts: `1 game of programs that changed`.
fn one(what: &str) -> String {
    let (noun, rest) = what.find(" of ").map_or((what, ""), |at| what.split_at(at));
    let stem = noun.strip_suffix("es").filter(|stem| stem.ends_with('h'));
    format!("1 {}{rest}", stem.or_else(|| noun.strip_suffix('s')).unwrap_or(noun))
}

#[cfg(test)]
mod tests {
    use super::one;

    #[test]
    fn a_single_fact_is_named_in_the_singular() {
        let all = ["decisions", "finishes", "tables of a Swiss", "planned games", "usage", "places"].map(one);
        assert_eq!(
            all.join(", "),
            "1 decision, 1 finish, 1 table of a Swiss, 1 planned game, 1 usage, 1 place"
        );
    }
}
