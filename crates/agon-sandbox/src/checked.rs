//! What the self-test says, on every system: a row for each mechanism and each attack that it is to
//! prevent.

use crate::levels::Isolation;

/// The level that was asked for is not available on this machine.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("isolation level {level} is not available on this machine: {why}")]
pub struct Unavailable {
    /// The level.
    pub level: Isolation,
    /// What is missing, or which step failed.
    pub why: String,
    /// The next step. It is no part of the message.
    pub remedy: String,
}

/// Why a mechanism is not available, and what to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lack {
    /// The reason.
    pub why: String,
    /// The next step.
    pub remedy: String,
}

/// One row of the self-test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CheckRow {
    /// The mechanism, named as in [`crate::in_force`] or shorter.
    pub mechanism: &'static str,
    /// What a program would do that the mechanism is to prevent; nothing if no attack shows this
    /// mechanism alone.
    pub attack: Option<&'static str>,
    /// The lowest level that promises it. All above do so too.
    pub level: Isolation,
    /// Whether the level is not available without the mechanism.
    pub needed: bool,
    /// Whether the mechanism is available here: a word about it, or what is missing.
    pub found: Result<String, Lack>,
    /// What came of the attack, if it was made.
    pub tried: Option<Tried>,
}

/// What came of one attack.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tried {
    /// Whether it works outside, where nothing prevents it; else why not. Then nothing is proved.
    pub outside: Result<(), String>,
    /// Whether it works inside; else why not.
    pub inside: Result<(), String>,
}

/// What a row comes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CheckOutcome {
    /// The mechanism is available, and no attack was made.
    Available,
    /// The mechanism is missing, and so its level is.
    Missing,
    /// The mechanism is missing, and its level does without.
    NotNeeded,
    /// The attack works outside and not inside.
    Holds,
    /// The attack works inside.
    Fails,
    /// The attack does not work outside either, so nothing is proved.
    Unproved,
}

impl CheckRow {
    /// What it comes to.
    pub fn outcome(&self) -> CheckOutcome {
        match (&self.tried, &self.found) {
            (Some(Tried { inside: Ok(()), .. }), _) => CheckOutcome::Fails,
            (_, Err(_)) if self.needed => CheckOutcome::Missing,
            (_, Err(_)) => CheckOutcome::NotNeeded,
            (None, Ok(_)) => CheckOutcome::Available,
            (Some(Tried { outside: Ok(()), .. }), _) => CheckOutcome::Holds,
            (Some(_), _) => CheckOutcome::Unproved,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attack_that_works_inside_fails_whatever_else_was_found() {
        let (works, not) = (Ok(()), Err(String::new()));
        let lack = || Lack { why: String::new(), remedy: String::new() };
        let row = |needed, found: bool, tried: Option<[&Result<(), String>; 2]>| {
            let row = CheckRow {
                mechanism: "seccomp",
                attack: Some("make a socket"),
                level: Isolation::Sandbox,
                needed,
                found: if found { Ok(String::new()) } else { Err(lack()) },
                tried: tried
                    .map(|[outside, inside]| Tried { outside: outside.clone(), inside: inside.clone() }),
            };
            row.outcome()
        };
        assert_eq!(row(true, true, Some([&works, &works])), CheckOutcome::Fails);
        assert_eq!(row(false, false, Some([&not, &works])), CheckOutcome::Fails);
        assert_eq!(row(true, true, Some([&works, &not])), CheckOutcome::Holds);
        assert_eq!(row(true, true, Some([&not, &not])), CheckOutcome::Unproved);
        assert_eq!(row(true, true, None), CheckOutcome::Available);
        assert_eq!(row(true, false, None), CheckOutcome::Missing);
        assert_eq!(row(false, false, None), CheckOutcome::NotNeeded);
    }
}
