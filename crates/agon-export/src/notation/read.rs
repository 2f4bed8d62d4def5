//! Reads a game's text.

use std::time::Duration;

use agon_printable::unescape;
use agon_seats::Seat;

use super::{NO_MOVE, Notation, Noted, Tag};

/// Why a text is not a game.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {why}")]
pub struct NotationError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub why: String,
}

/// Reads a game: tags, then rounds of moves, then the result. Blank lines and comments after a `;`
/// are ignored, except for the points and times that agon writes. Rounds must be numbered in order.
///
/// The rules are not applied here.
///
/// # Errors
/// [`NotationError`], with the line.
pub fn read(text: &str) -> Result<Notation, NotationError> {
    let mut games = read_all(text)?;
    if games.len() > 1 {
        let line = games[1].tags.first().map_or(1, |tag| tag.line);
        return Err(NotationError { line, why: "another game begins here; give one at a time".to_owned() });
    }
    Ok(games.pop().expect("there is one at least, though it may be empty"))
}

/// Reads several games, one after the other. Each ends with its result, and the next begins with a
/// tag.
///
/// # Errors
/// As [`read`].
pub fn read_all(text: &str) -> Result<Vec<Notation>, NotationError> {
    let mut games = Vec::new();
    let mut game = Notation { lines: 0, ..Notation::default() };
    let mut rounds = 0;
    for (line, written) in (1..).zip(text.lines()) {
        let wrong = |why: String| NotationError { line, why };
        // A tag's value may contain a semicolon.
        let is_tag = written.trim_start().starts_with('[');
        let (words, comment) = match written.split_once(';') {
            Some((words, comment)) if !is_tag => (words.trim(), comment.trim()),
            _ => (written.trim(), ""),
        };
        game.lines = line;
        if words.is_empty() {
            continue;
        }
        if is_tag && game.result.is_some() {
            games.push(std::mem::take(&mut game));
            (game.lines, rounds) = (line, 0);
        }
        if let Some((_, at)) = &game.result {
            return Err(wrong(format!("the game ended with its result in line {at} already")));
        }
        if is_tag {
            let (name, value) = tag(words).map_err(wrong)?;
            if rounds > 0 {
                return Err(wrong(format!("the tag {name} follows a move")));
            }
            if let Some(first) = game.found(&name) {
                return Err(wrong(format!("the tag {name} is in line {} already", first.line)));
            }
            game.tags.push(Tag { name, value, line });
        } else if number(words).is_some() {
            let before = game.plies.len();
            moves(&mut game, &mut rounds, words, line).map_err(wrong)?;
            note(&mut game.plies[before..], comment).map_err(wrong)?;
        } else {
            match game.tag("Result") {
                Some(result) if result != words => {
                    return Err(wrong(format!("the result is {words:?} here, but {result:?} in its tag")));
                }
                Some(_) => game.result = Some((words.to_owned(), line)),
                None => return Err(wrong(format!("{words:?} is not a tag, a move or a result"))),
            }
        }
    }
    games.push(game);
    Ok(games)
}

/// `[Name "value"]`.
fn tag(line: &str) -> Result<(String, String), String> {
    let wrong = || "a tag has the form [Name \"value\"]".to_owned();
    let inside = line.strip_prefix('[').and_then(|line| line.strip_suffix("\"]")).ok_or_else(wrong)?;
    let (name, value) = inside.split_once(" \"").ok_or_else(wrong)?;
    Ok((name.to_owned(), unescaped(value)?))
}

/// The number before a dot at the beginning of a word, and the text after the dot.
fn number(word: &str) -> Option<(usize, &str)> {
    let (number, rest) = word.split_once('.')?;
    let digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    Some((number.parse().ok().filter(|_| digits)?, rest))
}

/// `12. d1f2-e1 f5f6-e6`, or several rounds.
fn moves(game: &mut Notation, rounds: &mut usize, line: &str, at: usize) -> Result<(), String> {
    let seats = game.tag("Seats").map_or(2, |sides| sides.split(',').count());
    let mut seat = 0;
    for word in line.split_whitespace() {
        let mut word = word;
        if let Some((round, rest)) = number(word) {
            *rounds += 1;
            if round != *rounds {
                return Err(format!("this is round {rounds}, but its number is {round}"));
            }
            seat = 0;
            // `1... e6` is another form of `1. ... e6`.
            match rest.strip_prefix("..") {
                Some(rest) => (seat, word) = (1, rest),
                None => word = rest,
            }
            if word.is_empty() {
                continue;
            }
        }
        if seat >= seats {
            return Err(format!("round {rounds} has more than {seats} moves"));
        }
        if word != NO_MOVE {
            game.plies.push(Noted {
                round: *rounds,
                seat: Seat::new(seat),
                text: unescaped(word)?,
                note: None,
                line: at,
            });
        }
        seat += 1;
    }
    Ok(())
}

/// Reads `9 points 20.500 ms, 0 points 1.000 ms` for the moves of a line. Other comments are
/// ignored.
fn note(plies: &mut [Noted], comment: &str) -> Result<(), String> {
    if !(comment.contains(" points ") && comment.ends_with(" ms")) {
        return Ok(());
    }
    let notes: Vec<&str> = comment.split(", ").collect();
    if notes.len() != plies.len() {
        return Err(format!("there are {} moves in this line and notes for {}", plies.len(), notes.len()));
    }
    for (noted, note) in plies.iter_mut().zip(notes) {
        let read = read_note(note)
            .ok_or_else(|| format!("{note:?} does not have the form \"9 points 20.500 ms\""))?;
        noted.note = Some(read);
    }
    Ok(())
}

fn read_note(note: &str) -> Option<(i32, Duration)> {
    let (points, time) = note.split_once(" points ")?;
    let (millis, micros) = time.strip_suffix(" ms")?.split_once('.')?;
    if micros.len() != 3 {
        return None;
    }
    let micros =
        millis.parse::<u64>().ok()?.checked_mul(1000)?.checked_add(micros.parse::<u16>().ok()?.into())?;
    Some((points.parse().ok()?, Duration::from_micros(micros)))
}

/// Reverses [`escape`](agon_printable::escape), and `\"`.
fn unescaped(text: &str) -> Result<String, String> {
    String::from_utf8(unescape(text)?).map_err(|_| format!("{text:?} is not UTF-8 text"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::write;
    use agon_record::sample::game;

    #[test]
    fn a_game_written_by_hand_needs_no_notes_and_few_tags() {
        let game = read("[Result \"1-0\"]\n1. b2 a1\r\n\n 2.c3; well played\n;\n3... a2 4. c1\n1-0").unwrap();
        let moves: Vec<(usize, usize, &str)> =
            game.plies.iter().map(|ply| (ply.round, ply.seat.index(), ply.text.as_str())).collect();
        assert_eq!(moves, [(1, 0, "b2"), (1, 1, "a1"), (2, 0, "c3"), (3, 1, "a2"), (4, 0, "c1")]);
        assert_eq!(game.plies[0].note, None);
        assert_eq!(game.result, Some(("1-0".to_owned(), 7)));
    }

    #[test]
    fn a_move_may_look_like_a_result() {
        let game = read("[Result \"0-1\"]\n1. 1-0 0-1\n0-1").unwrap();
        assert_eq!((game.plies.len(), game.lines), (2, 3));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        for (text, error) in [
            ("[Result 1-0]", "line 1: a tag has the form [Name \"value\"]"),
            ("[Result \"1-0\"]\n1. P P\n3. P", "line 3: this is round 2, but its number is 3"),
            ("[Result \"1-0\"]\n1. P P P", "line 2: round 1 has more than 2 moves"),
            ("[Seats \"A,B,C\"]\n1. P P P\n\n2. P P P P", "line 4: round 2 has more than 3 moves"),
            ("[Result \"1-0\"]\n0-1", "line 2: the result is \"0-1\" here, but \"1-0\" in its tag"),
            ("W,P", "line 1: \"W,P\" is not a tag, a move or a result"),
            ("[Result \"1-0\"]\n1-0\n1. P", "line 3: the game ended with its result in line 2 already"),
            ("[A \"\"]\n[A \"\"]", "line 2: the tag A is in line 1 already"),
            ("1. P\n[A \"\"]", "line 2: the tag A follows a move"),
            ("[Start \"a\\qb\"]", "line 1: \"qb\" is not an escape sequence"),
            ("1. P ; 0 points soon, 3 ms", "line 1: there are 1 moves in this line and notes for 2"),
            (
                "1. P ; 0 points 3 ms",
                "line 1: \"0 points 3 ms\" does not have the form \"9 points 20.500 ms\"",
            ),
        ] {
            assert_eq!(read(text).unwrap_err().to_string(), error);
        }
    }

    #[test]
    fn no_text_makes_the_reader_panic() {
        let written = write(&game(1, "Zoë\u{202e}", "bravo", "1-0"), "x");
        for (at, _) in written.char_indices() {
            let _ = read(&written[..at]);
            for put in ["\\", "\"", "ë", "\\u{", "\\xë", ".", ";"] {
                let _ = read(&format!("{}{put}{}", &written[..at], &written[at..]));
            }
        }
    }
}
