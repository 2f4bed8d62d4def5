//! The table `[ugi]` of a `game.toml`: what engines that speak UGI or a relative are told of a
//! game.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use agon_printable::escape;
use agon_protocol::ugi_told::UgiTable;
use agon_seats::Seat;
use serde::Deserialize;

/// The table as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct UgiFile {
    start: Option<String>,
    #[serde(rename = "move")]
    told: Option<String>,
    #[serde(default)]
    answers: BTreeMap<String, WordsValue>,
    first: Option<toml::Value>,
}

/// One word of engines, or several.
#[derive(Deserialize)]
#[serde(untagged)]
enum WordsValue {
    One(String),
    Several(Vec<String>),
}

impl UgiFile {
    /// The table of a game with so many seats. An error comes with its key; the next step stands
    /// behind the last `; `.
    pub(super) fn checked(self, seats: &RangeInclusive<usize>) -> Result<UgiTable, (&'static str, String)> {
        let usual = UgiTable::default();
        if !seats.contains(&2) {
            let why = "UGI has two clocks, and the game never has two seats; leave the table out";
            return Err(("ugi", why.to_owned()));
        }
        let start = self.start.unwrap_or(usual.start);
        if !is_line(&start) {
            let why = "is not one line; write \"startpos\", or \"fen\" and a position";
            return Err(("ugi.start", why.to_owned()));
        }
        let told = match self.told {
            None => usual.told,
            Some(text) => template(&text).ok_or_else(|| {
                let why = "is no line with a word and one {move} behind it; write one like \"move {move}\"";
                ("ugi.move", why.to_owned())
            })?,
        };
        let first = match self.first.as_ref().map(toml::Value::as_integer) {
            None | Some(Some(1)) => Seat::FIRST,
            Some(Some(2)) => Seat::SECOND,
            Some(_) => return Err(("ugi.first", "is no seat of two; write 1 or 2".to_owned())),
        };
        let answers = answers(self.answers).map_err(|why| ("ugi.answers", why))?;
        Ok(UgiTable { start, told, answers, first })
    }
}

/// What stands before and behind the move of a line.
fn template(text: &str) -> Option<(String, String)> {
    let (before, after) = text.split_once("{move}")?;
    let is_whole = is_line(text) && !before.trim().is_empty() && !after.contains("{move}");
    is_whole.then(|| (before.to_owned(), after.to_owned()))
}

fn is_line(text: &str) -> bool {
    text.trim() == text && !text.is_empty() && !text.contains(char::is_control)
}

/// The answers of a referee with the words of engines for them, the first of which is told.
fn answers(given: BTreeMap<String, WordsValue>) -> Result<Vec<(String, Vec<String>)>, String> {
    let mut seen: Vec<String> = Vec::new();
    let mut answers = Vec::new();
    for (answer, words) in given {
        let words = match words {
            WordsValue::One(word) => vec![word],
            WordsValue::Several(words) => words,
        };
        let shown = escape(answer.as_bytes(), 60);
        if !is_line(&answer) || words.is_empty() {
            return Err(format!("{shown:?} has no word of engines; write one like pass = \"0000\""));
        }
        for word in &words {
            let small = word.to_ascii_lowercase();
            let wrong = |why: &str| {
                Err(format!(
                    "{shown:?}: {:?} {why}; write one like pass = \"0000\"",
                    escape(word.as_bytes(), 60)
                ))
            };
            if !is_line(word) || word.contains(char::is_whitespace) {
                return wrong("is not one word");
            }
            if seen.contains(&small) {
                return wrong("has two meanings");
            }
            seen.push(small);
        }
        answers.push((answer, words));
    }
    Ok(answers)
}
