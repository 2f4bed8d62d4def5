//! `games/ID.txt`: one game as text, to be read by people and played again by `verify`.
//!
//! ```text
//! [Event "nightly"]
//! [Start "appleb/oardth"]
//! [W "alpha"]
//! ...
//! [Result "1-0"]
//!
//! 1. W,1,1,1,1,5,1,apple  ; 9 points, 20.500 ms
//! 2. B,P                  ; 0 points, 1.000 ms
//!
//! 1-0
//! ```
//!
//! Values and moves are escaped on the way out and come back as they were, whatever bytes they hold.

use std::fmt::Write;
use std::time::Duration;

use chrono::SecondsFormat;

use super::millis;
use crate::printable::escape;
use crate::record::{GameRecord, Verdict};

/// A game as its text tells it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Notation {
    /// Names and values, in the order they stand in.
    pub tags: Vec<(String, String)>,
    /// The moves in order of play.
    pub plies: Vec<Noted>,
    /// `1-0`, `0-1`, `1/2-1/2`, or `*` for a void game.
    pub result: String,
}

/// One move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Noted {
    /// The move with its side letter.
    pub text: String,
    /// What it scored and what it took, if the text says so; written by hand it need not.
    pub note: Option<(i32, Duration)>,
}

/// Why a text is no game.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {why}")]
pub struct NotationError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub why: String,
}

impl Notation {
    /// The value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str())
    }
}

/// The record as text. `event` says what the game was a part of.
///
/// The tags, in this order: `Event`, `Id`, `Round`, `Date`, `Game`, `Seed`, `Start`, `Seats` (the sides in
/// order of play), one for each side, `TimeControl`, `Started`, `Finished`, `Result`, `Termination`, `Reason`,
/// `Scores` (not for a void game), `Last`.
pub fn write(record: &GameRecord, event: &str) -> String {
    let mut out = String::new();
    for (name, value) in tags(record, event) {
        line(&mut out, format_args!("[{name} \"{}\"]", escaped(&value).replace('"', "\\\"")));
    }
    out.push('\n');
    let moves: Vec<String> = record.plies.iter().map(|ply| escaped(&ply.text)).collect();
    let digits = moves.len().to_string().len();
    let width = moves.iter().map(|text| text.chars().count()).max().unwrap_or(0);
    for ((number, text), ply) in (1..).zip(&moves).zip(&record.plies) {
        let (points, millis) = (ply.points, millis(ply.time));
        line(&mut out, format_args!("{number:>digits$}. {text:width$}  ; {points} points, {millis} ms"));
    }
    if !moves.is_empty() {
        out.push('\n');
    }
    line(&mut out, format_args!("{}", record.result()));
    out
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    let _ = writeln!(out, "{text}"); // a String takes everything
}

fn tags(record: &GameRecord, event: &str) -> Vec<(String, String)> {
    let moment = |at: chrono::DateTime<chrono::Utc>| at.to_rfc3339_opts(SecondsFormat::Millis, true);
    let seats = record.seats.values();
    let sides: Vec<&str> = seats.iter().map(|seat| seat.side.as_str()).collect();
    let (termination, reason) = match &record.verdict {
        Verdict::Decided(decided) => (decided.termination.to_string(), &decided.reason),
        Verdict::Void { why } => ("void".to_owned(), why),
    };
    let mut tags: Vec<(&str, String)> = vec![
        ("Event", event.to_owned()),
        ("Id", record.id.to_string()),
        ("Round", record.id.round.to_string()),
        ("Date", record.started.format("%Y.%m.%d").to_string()),
        ("Game", record.rules.clone()),
        ("Seed", record.seed.to_string()),
        ("Start", record.start.clone()),
        ("Seats", sides.join(",")),
    ];
    tags.extend(seats.iter().map(|seat| (seat.side.as_str(), seat.entrant.clone())));
    tags.extend([
        ("TimeControl", record.time_control.clone()),
        ("Started", moment(record.started)),
        ("Finished", moment(record.finished)),
        ("Result", record.result()),
        ("Termination", termination),
        ("Reason", reason.clone()),
    ]);
    if let Some(decided) = record.decided() {
        let scores: Vec<String> = decided.scores.values().iter().map(i32::to_string).collect();
        tags.push(("Scores", scores.join(":")));
    }
    tags.push(("Last", record.last.clone()));
    tags.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Escaped, with spaces at the end made visible, because they would be lost between a move and its note.
fn escaped(text: &str) -> String {
    let escaped = escape(text.as_bytes(), usize::MAX);
    let kept = escaped.trim_end_matches(' ');
    format!("{kept}{}", "\\x20".repeat(escaped.len() - kept.len()))
}

/// Reads a game back. Blank lines count for nothing; numbers, tags and the result must fit.
///
/// # Errors
/// [`NotationError`], which names the line and what is wrong there.
pub fn read(text: &str) -> Result<Notation, NotationError> {
    let mut game = Notation::default();
    let mut last = 0;
    for (index, line) in text.lines().enumerate() {
        let wrong = |why: String| NotationError { line: index + 1, why };
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        last = index + 1;
        if !game.result.is_empty() {
            return Err(wrong("the game ended with its result above".to_owned()));
        } else if line.starts_with('[') {
            let tag = tag(line).map_err(wrong)?;
            if !game.plies.is_empty() || game.tag(&tag.0).is_some() {
                return Err(wrong(format!("the tag {} stands twice, or behind a move", tag.0)));
            }
            game.tags.push(tag);
        } else if let Some((number, rest)) = numbered(line) {
            if number != game.plies.len() + 1 {
                return Err(wrong(format!("this is ply {}, and its number {number}", game.plies.len() + 1)));
            }
            game.plies.push(ply(rest).map_err(wrong)?);
        } else {
            match game.tag("Result") {
                Some(result) if result != line => {
                    return Err(wrong(format!("the result is {line:?} here, and {result:?} in its tag")));
                }
                Some(_) => game.result = line.to_owned(),
                None => return Err(wrong(format!("{line:?} is no tag, move or result"))),
            }
        }
    }
    if game.result.is_empty() {
        return Err(NotationError { line: last + 1, why: "the game ends without its result".to_owned() });
    }
    Ok(game)
}

/// `[Name "value"]`.
fn tag(line: &str) -> Result<(String, String), String> {
    let wrong = || "a tag is written [Name \"value\"]".to_owned();
    let inside = line.strip_prefix('[').and_then(|line| line.strip_suffix("\"]")).ok_or_else(wrong)?;
    let (name, value) = inside.split_once(" \"").ok_or_else(wrong)?;
    Ok((name.to_owned(), unescaped(value)?))
}

/// `12. rest`: the number and the rest.
fn numbered(line: &str) -> Option<(usize, &str)> {
    let (number, rest) = line.split_once('.')?;
    Some((number.parse().ok()?, rest))
}

/// `W,P  ; 0 points, 1.000 ms`, or the move alone.
fn ply(text: &str) -> Result<Noted, String> {
    let Some((text, note)) = text.rsplit_once("  ; ") else {
        return Ok(Noted { text: unescaped(text.trim())?, note: None });
    };
    let note = read_note(note).ok_or_else(|| format!("{note:?} is not like \"9 points, 20.500 ms\""))?;
    let text = text.strip_prefix(' ').unwrap_or(text).trim_end_matches(' ');
    Ok(Noted { text: unescaped(text)?, note: Some(note) })
}

fn read_note(note: &str) -> Option<(i32, Duration)> {
    let (points, time) = note.split_once(" points, ")?;
    let (millis, micros) = time.strip_suffix(" ms")?.split_once('.')?;
    if micros.len() != 3 {
        return None;
    }
    let micros =
        millis.parse::<u64>().ok()?.checked_mul(1000)?.checked_add(micros.parse::<u16>().ok()?.into())?;
    Some((points.parse().ok()?, Duration::from_micros(micros)))
}

/// Takes back what [`escape`] did to a text, and `\"`.
fn unescaped(text: &str) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let behind = &rest[at + 1..];
        let (letter, length) = escape_sequence(behind)
            .ok_or_else(|| format!("{:?} is no escape", behind.chars().take(4).collect::<String>()))?;
        out.push(letter);
        rest = &behind[length..];
    }
    out.push_str(rest);
    Ok(out)
}

/// What stands behind a backslash, and how long it is.
fn escape_sequence(text: &str) -> Option<(char, usize)> {
    let hex = |digits: &str| char::from_u32(u32::from_str_radix(digits, 16).ok()?);
    match text.chars().next()? {
        mark @ ('\\' | '"') => Some((mark, 1)),
        't' => Some(('\t', 1)),
        'n' => Some(('\n', 1)),
        'r' => Some(('\r', 1)),
        'x' => Some((hex(text.get(1..3)?)?, 3)),
        'u' => {
            let end = text.find('}')?;
            Some((hex(text.get(2..end)?)?, end + 1))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Seat;
    use crate::record::{Cause, Termination};
    use crate::standings::sample::{ended_by, game, void};

    #[test]
    fn a_game_reads_like_this() {
        let fault = Termination::Forfeit(Seat::SECOND, Cause::IllegalMove);
        let record = ended_by(game(1, "alpha", "bravo", "1-0"), fault, "\"B,x\": no such cell");
        assert_eq!(
            write(&record, "nightly"),
            r#"[Event "nightly"]
[Id "r01-p0001-g01"]
[Round "1"]
[Date "2027.01.15"]
[Game "letters:6x6x3"]
[Seed "1234"]
[Start "appleb/oardth"]
[Seats "W,B"]
[W "alpha"]
[B "bravo"]
[TimeControl "st=5"]
[Started "2027-01-15T08:00:00.000Z"]
[Finished "2027-01-15T08:00:01.250Z"]
[Result "1-0"]
[Termination "illegal move"]
[Reason "\"B,x\": no such cell"]
[Scores "12:9"]
[Last "______/oardth"]

1. W,1,1,1,1,5,1,apple  ; 9 points, 20.500 ms
2. B,P                  ; 0 points, 1.000 ms
3. W,P                  ; 0 points, 9.500 ms

1-0
"#
        );
    }

    #[test]
    fn what_is_written_is_read_back() {
        for result in ["1-0", "0-1", "1/2-1/2", "*"] {
            let record = match result {
                "*" => void(game(1, "alpha", "bravo", "1-0"), "no disk"),
                _ => game(1, "alpha", "bravo", result),
            };
            let back = read(&write(&record, "")).unwrap();
            assert_eq!(back.result, result);
            assert_eq!(back.tags, tags(&record, ""));
            let plies: Vec<Noted> = record
                .plies
                .iter()
                .map(|ply| Noted { text: ply.text.clone(), note: Some((ply.points, ply.time)) })
                .collect();
            assert_eq!(back.plies, plies);
        }
    }

    #[test]
    fn hostile_texts_come_back_and_never_show() {
        let hostile = [
            "\"]\n[Result \"0-1\"]",
            "a\\b\\\"",
            "\u{1b}[2J\u{9b}\u{202e}\u{7f}\0",
            "W,P  ; 0 points, 1.000 ms",
            " spaces  ",
            "\u{3000}wide\u{3000}",
            "",
            "Zoë 🂡 \\x41 \\u{41}",
            "\\",
            "7. W,P",
        ];
        for text in hostile {
            let mut record = game(1, text, "bravo", "1-0");
            record.plies[1].text = text.to_owned();
            let written = write(&record, text);
            assert!(!written.chars().any(|c| c.is_control() && c != '\n'), "{written:?}");
            assert_eq!(written.lines().count(), 24, "{written}");
            let back = read(&written).unwrap();
            assert_eq!(
                (back.tag("Event"), back.tag("W"), back.tag("Result")),
                (Some(text), Some(text), Some("1-0"))
            );
            assert_eq!(back.plies[1].text, text);
        }
    }

    #[test]
    fn a_game_written_by_hand_needs_no_notes_and_few_tags() {
        let game = read("[Result \"1-0\"]\n1. X,b2\r\n\n 2.O,a1\n1-0").unwrap();
        let texts: Vec<&str> = game.plies.iter().map(|ply| ply.text.as_str()).collect();
        assert_eq!(texts, ["X,b2", "O,a1"]);
        assert_eq!(game.plies[0].note, None);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        for (text, error) in [
            ("", "line 1: the game ends without its result"),
            ("[Result \"1-0\"]\n\n1. W,P\n\n", "line 4: the game ends without its result"),
            ("[Result 1-0]", "line 1: a tag is written [Name \"value\"]"),
            ("[Result \"1-0\"]\n1. W,P\n3. B,P", "line 3: this is ply 2, and its number 3"),
            ("[Result \"1-0\"]\n0-1", "line 2: the result is \"0-1\" here, and \"1-0\" in its tag"),
            ("W,P", "line 1: \"W,P\" is no tag, move or result"),
            ("[Result \"1-0\"]\n1-0\n1. W,P", "line 3: the game ended with its result above"),
            ("[A \"\"]\n[A \"\"]", "line 2: the tag A stands twice, or behind a move"),
            ("[Start \"a\\qb\"]", "line 1: \"qb\" is no escape"),
            ("1. W,P  ; 0 points, soon", "line 1: \"0 points, soon\" is not like \"9 points, 20.500 ms\""),
        ] {
            assert_eq!(read(text).unwrap_err().to_string(), error);
        }
    }

    #[test]
    fn no_text_makes_the_reader_panic() {
        let written = write(&game(1, "Zoë\u{202e}", "bravo", "1-0"), "x");
        for (at, _) in written.char_indices() {
            let _ = read(&written[..at]);
            for put in ["\\", "\"", "ë", "\\u{", "\\xë"] {
                let _ = read(&format!("{}{put}{}", &written[..at], &written[at..]));
            }
        }
    }
}
