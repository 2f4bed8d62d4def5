//! The rules of a run that end a game by the scores that its engines give: `--resign-when` and
//! `--draw-when`.

use std::fmt;
use std::str::FromStr;

/// The largest score that a rule can have, in hundredths.
const MOST_SCORE: u32 = 1_000_000;

/// When an engine is taken to have given up, `score=600,moves=4`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ResignWhen {
    /// How far behind its scores say it is, at least, in hundredths.
    pub score: u32,
    /// How many of its moves in a row say so, at least 1.
    pub moves: u32,
    /// Whether as many scores of the other side must say that it is as far ahead.
    pub twosided: bool,
}

/// When both engines are taken to agree on a draw, `after=40,moves=8,score=10`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DrawWhen {
    /// How many moves each side makes at least.
    pub after: u32,
    /// How many moves in a row of each side say that the game is even, at least 1.
    pub moves: u32,
    /// How far from 0 such a score is at most, in hundredths.
    pub score: u32,
}

/// What is asked of such a rule: one, or none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AskedRule<R> {
    /// `never`: a flag takes back what a file says.
    Never,
    /// This one.
    When(R),
}

/// What is asked of `--resign-when`.
pub type ResignRule = AskedRule<ResignWhen>;
/// What is asked of `--draw-when`.
pub type DrawRule = AskedRule<DrawWhen>;

impl<R> AskedRule<R> {
    /// The rule, if there is to be one.
    pub fn rule(self) -> Option<R> {
        match self {
            AskedRule::Never => None,
            AskedRule::When(rule) => Some(rule),
        }
    }
}

impl<R: FromStr<Err = String>> FromStr for AskedRule<R> {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        if text == "never" { Ok(AskedRule::Never) } else { text.parse().map(AskedRule::When) }
    }
}

/// The rules of a run that end its games by scores.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ScoreRules {
    /// When an engine has lost.
    pub resign: Option<ResignWhen>,
    /// When the game is drawn.
    pub draw: Option<DrawWhen>,
}

impl ScoreRules {
    /// Whether there is no such rule.
    pub fn is_empty(&self) -> bool {
        self.resign.is_none() && self.draw.is_none()
    }
}

/// `score=600,moves=4,twosided`.
impl fmt::Display for ResignWhen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ResignWhen { score, moves, twosided } = self;
        write!(f, "score={score},moves={moves}{}", if *twosided { ",twosided" } else { "" })
    }
}

/// `after=40,moves=8,score=10`.
impl fmt::Display for DrawWhen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DrawWhen { after, moves, score } = self;
        write!(f, "after={after},moves={moves},score={score}")
    }
}

impl FromStr for ResignWhen {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        const LIKE: &str = "write it like score=600,moves=4 or score=600,moves=4,twosided";
        let parts = Parts::of(text, &["score", "moves"], Some("twosided"), LIKE)?;
        let [score, moves] = parts.numbers[..] else { unreachable!("one number for each name") };
        if score == 0 {
            return Err(format!("a score of 0 gives up an even game; {LIKE}"));
        }
        Ok(ResignWhen { score, moves: one_or_more(moves, LIKE)?, twosided: parts.word })
    }
}

impl FromStr for DrawWhen {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        const LIKE: &str = "write it like after=40,moves=8,score=10";
        let parts = Parts::of(text, &["after", "moves", "score"], None, LIKE)?;
        let [after, moves, score] = parts.numbers[..] else { unreachable!("one number for each name") };
        Ok(DrawWhen { after, moves: one_or_more(moves, LIKE)?, score })
    }
}

fn one_or_more(moves: u32, like: &str) -> Result<u32, String> {
    if moves == 0 { Err(format!("moves is 1 or more; {like}")) } else { Ok(moves) }
}

/// The parts of a rule: a number for each name, and perhaps a word.
struct Parts {
    numbers: Vec<u32>,
    word: bool,
}

impl Parts {
    fn of(text: &str, names: &[&str], word: Option<&str>, like: &str) -> Result<Self, String> {
        let mut numbers = vec![None; names.len()];
        let mut has_word = false;
        for part in text.split(',').map(str::trim) {
            if word == Some(part) && !has_word {
                has_word = true;
                continue;
            }
            let (name, number) = part.split_once('=').unwrap_or((part, ""));
            let Some(at) = names.iter().position(|own| *own == name.trim_end()) else {
                return Err(format!("{part:?} is no part of it, or is there twice; {like}"));
            };
            let read = number.trim_start().parse().ok().filter(|number| *number <= MOST_SCORE);
            let Some(read) = read else {
                return Err(format!("{name} is not a whole number from 0 to {MOST_SCORE}; {like}"));
            };
            if numbers[at].replace(read).is_some() {
                return Err(format!("{name} is there twice; {like}"));
            }
        }
        match names.iter().zip(&numbers).find(|(_, number)| number.is_none()) {
            Some((name, _)) => Err(format!("{name} is missing; {like}")),
            None => Ok(Parts { numbers: numbers.into_iter().flatten().collect(), word: has_word }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_reads_back_as_it_is_written() {
        for text in ["score=600,moves=4", "score=1,moves=1,twosided"] {
            assert_eq!(text.parse::<ResignWhen>().unwrap().to_string(), text);
        }
        let text = "after=0,moves=8,score=0";
        assert_eq!(text.parse::<DrawWhen>().unwrap().to_string(), text);
        assert_eq!(
            "twosided, moves = 3, score = 900".parse(),
            Ok(ResignWhen { score: 900, moves: 3, twosided: true })
        );
    }

    #[test]
    fn a_rule_of_a_file_is_taken_back_by_a_word() {
        assert_eq!("never".parse::<ResignRule>().unwrap().rule(), None);
        let rule = ResignWhen { score: 600, moves: 3, twosided: false };
        assert_eq!("score=600,moves=3".parse::<ResignRule>().unwrap().rule(), Some(rule));
        assert!("off".parse::<DrawRule>().unwrap_err().contains("write it like after="));
    }

    #[test]
    fn what_is_no_rule_is_refused_with_what_to_write() {
        for (text, why) in [
            ("", "\"\" is no part"),
            ("600", "is no part"),
            ("score=600", "moves is missing"),
            ("score=600,moves=0", "moves is 1 or more"),
            ("score=0,moves=3", "an even game"),
            ("score=-600,moves=3", "score is not a whole number"),
            ("score=6.5,moves=3", "score is not a whole number"),
            ("score=600,moves=3,score=5", "score is there twice"),
            ("score=600,moves=3,twosided,twosided", "there twice"),
            ("score=600,moves=3,after=2", "\"after=2\" is no part"),
            ("score=9999999,moves=3", "to 1000000"),
        ] {
            let said = text.parse::<ResignWhen>().unwrap_err();
            assert!(said.contains(why) && said.contains("; write it like score="), "{text}: {said}");
        }
        let said = "moves=8,score=10".parse::<DrawWhen>().unwrap_err();
        assert_eq!(said, "after is missing; write it like after=40,moves=8,score=10");
        assert!("after=1,moves=8,score=10,twosided".parse::<DrawWhen>().is_err());
    }
}
