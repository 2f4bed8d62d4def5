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
/// Moves may be running text: a line may end anywhere, also behind the number of a round, and the
/// result may follow the last move in its line.
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
    let mut reader = Reader::default();
    let is_last = last_of_their_games(text);
    for (line, (written, is_last)) in (1..).zip(text.lines().zip(is_last)) {
        let wrong = |why: String| NotationError { line, why };
        let WrittenLine { words, comment, is_tag } = WrittenLine::of(written);
        reader.game.lines = line;
        if words.is_empty() {
            continue;
        }
        if is_tag && reader.game.result.is_some() {
            games.push(std::mem::take(&mut reader).game);
            reader.game.lines = line;
        }
        if let Some((_, at)) = &reader.game.result {
            return Err(wrong(format!("the game ended with its result in line {at} already")));
        }
        if is_tag {
            reader.tag(words, line).map_err(wrong)?;
        } else {
            let before = reader.game.plies.len();
            reader.words(words, line, is_last).map_err(wrong)?;
            note(&mut reader.game.plies[before..], comment).map_err(wrong)?;
        }
    }
    games.push(reader.game);
    Ok(games)
}

/// A line without its comment.
struct WrittenLine<'a> {
    words: &'a str,
    comment: &'a str,
    is_tag: bool,
}

impl<'a> WrittenLine<'a> {
    fn of(written: &'a str) -> Self {
        // A tag's value may contain a semicolon.
        let is_tag = written.trim_start().starts_with('[');
        match written.split_once(';') {
            Some((words, comment)) if !is_tag => {
                WrittenLine { words: words.trim(), comment: comment.trim(), is_tag }
            }
            _ => WrittenLine { words: written.trim(), comment: "", is_tag },
        }
    }
}

/// Of each line, whether no more moves follow it in its game.
fn last_of_their_games(text: &str) -> Vec<bool> {
    let mut is_last = true;
    let mut all: Vec<bool> = Vec::new();
    for written in text.lines().rev() {
        let line = WrittenLine::of(written);
        all.push(is_last);
        if !line.words.is_empty() {
            is_last = line.is_tag;
        }
    }
    all.reverse();
    all
}

/// A game that is being read.
#[derive(Default)]
struct Reader {
    game: Notation,
    /// The number of the last round.
    round: usize,
    /// The next place in it.
    seat: usize,
}

impl Reader {
    fn tag(&mut self, words: &str, line: usize) -> Result<(), String> {
        let (name, value) = tag(words)?;
        if self.round > 0 {
            return Err(format!("the tag {name} follows a move"));
        }
        if let Some(first) = self.game.found(&name) {
            return Err(format!("the tag {name} is in line {} already", first.line));
        }
        self.game.tags.push(Tag { name, value, line });
        Ok(())
    }

    /// Reads a line of numbers, moves and a result. `is_last` says that no more follow.
    fn words(&mut self, line: &str, at: usize, is_last: bool) -> Result<(), String> {
        let seats = self.game.tag("Seats").map_or(2, |sides| sides.split(',').count());
        let tagged = self.game.tag("Result").map(str::to_owned);
        let words: Vec<&str> = line.split_whitespace().collect();
        for (place, word) in words.iter().enumerate() {
            let is_alone = words.len() == 1;
            if let Some(result) = &tagged {
                // A move may look like a result, and so the last word alone is one.
                let ends = is_alone || is_last && place + 1 == words.len();
                if ends && word == result {
                    self.game.result = Some((result.clone(), at));
                    return Ok(());
                }
                // A move of morris may look like one, too.
                let is_other =
                    self.round == 0 && number(word).is_none() || is_last && looks_like_result(word);
                if is_alone && is_other {
                    return Err(format!("the result is {word:?} here, but {result:?} in its tag"));
                }
            }
            if self.round == 0 && number(word).is_none() {
                return Err(format!("{line:?} is not a tag, a move or a result"));
            }
            self.word(word, seats, at)?;
        }
        Ok(())
    }

    /// Reads the number of a round, a move, or both.
    fn word(&mut self, word: &str, seats: usize, at: usize) -> Result<(), String> {
        let mut word = word;
        if let Some((round, rest)) = number(word) {
            self.round += 1;
            if round != self.round {
                return Err(format!("this is round {}, but its number is {round}", self.round));
            }
            self.seat = 0;
            // `1... e6` is another form of `1. ... e6`.
            match rest.strip_prefix("..") {
                Some(rest) => (self.seat, word) = (1, rest),
                None => word = rest,
            }
            if word.is_empty() {
                return Ok(());
            }
        }
        if self.seat >= seats {
            return Err(format!("round {} has more than {seats} moves", self.round));
        }
        if word != NO_MOVE {
            self.game.plies.push(Noted {
                round: self.round,
                seat: Seat::new(self.seat),
                text: unescaped(word)?,
                note: None,
                line: at,
            });
        }
        self.seat += 1;
        Ok(())
    }
}

/// Whether a word has the form of a result: `1-0`, `73-72`, `13(W)-8(L)`, `*`.
fn looks_like_result(word: &str) -> bool {
    let is_side = |side: &str| {
        let marbles = side.split_once('(').map_or(side, |(marbles, _)| marbles);
        !marbles.is_empty() && marbles.bytes().all(|byte| byte.is_ascii_digit() || byte == b'/')
    };
    word == "*" || word.contains('-') && word.split('-').all(is_side)
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
    fn moves_may_be_running_text() {
        let head = "[Result \"13(W)-8(L)\"]\n";
        for moves in [
            "1. a3-b4 i1g3-h2 2. d1f2-e1\n13(W)-8(L)\n",
            "1. a3-b4 i1g3-h2 2. d1f2-e1 13(W)-8(L)",
            "1.\na3-b4\ni1g3-h2\n2.\nd1f2-e1\n13(W)-8(L)\n\n",
            "1.  a3-b4\ti1g3-h2\r\n2.  d1f2-e1\t13(W)-8(L)\r\n; a comment\n",
            "1. a3-b4 i1g3-h2 2.\n  d1f2-e1 ; good\n13(W)-8(L)",
            "1.a3-b4 i1g3-h2 2.d1f2-e1\n13(W)-8(L)",
        ] {
            let game = read(&format!("{head}{moves}")).unwrap();
            let plies: Vec<(usize, usize, &str)> =
                game.plies.iter().map(|ply| (ply.round, ply.seat.index(), ply.text.as_str())).collect();
            assert_eq!(plies, [(1, 0, "a3-b4"), (1, 1, "i1g3-h2"), (2, 0, "d1f2-e1")], "{moves:?}");
            assert_eq!(
                game.result.as_ref().map(|(result, _)| result.as_str()),
                Some("13(W)-8(L)"),
                "{moves:?}"
            );
        }
        // Several games, each with its result in the line of its last move; one is unfinished.
        let one = format!("{head}1. a3-b4\ni1g3-h2 13(W)-8(L)\n\n");
        let games = read_all(&format!("{one}{one}{head}1. a3-b4 i1g3-h2 2.\n")).unwrap();
        assert_eq!(games.iter().map(|game| game.plies.len()).collect::<Vec<_>>(), [2, 2, 2]);
        assert_eq!(games.iter().map(|game| game.result.is_some()).collect::<Vec<_>>(), [true, true, false]);
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
            ("[Result \"1-0\"]\n1. P\n0-1", "line 3: the result is \"0-1\" here, but \"1-0\" in its tag"),
            (
                "[Result \"13(W)-8(L)\"]\n1. P P\n8(L)-13(W)",
                "line 3: the result is \"8(L)-13(W)\" here, but \"13(W)-8(L)\" in its tag",
            ),
            ("[Result \"1-0\"]\n1. P\nP P", "line 3: round 1 has more than 2 moves"),
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
