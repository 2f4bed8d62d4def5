//! A game as the contest's document on Abalone writes it: seven tags, the moves, the result, and
//! nothing else. `super::read` reads it back.
//!
//! ```text
//! [Event "Waterloo"]
//! [Site "Waterloo"]
//! [Date "1993.05.01"]
//! [Round "1"]
//! [Black "alpha"]
//! [White "bravo"]
//! [Result "13(W)-8(L)"]
//!
//! 1. a3-b4   i1g3-h2
//! 2. d1f2-e1
//! 13(W)-8(L)
//! ```

use agon_games::Needs;
use agon_printable::escape;
use agon_record::GameRecord;
use unicode_width::UnicodeWidthStr;

use super::{Rounds, line, tags};

/// The longest line of running text, in columns.
const WIDTH: usize = 78;

/// How the moves are laid out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum MoveLayout {
    /// A round a line, the moves of a seat below each other; the result below.
    #[default]
    Columns,
    /// As many as fit in a line; the result behind the last move.
    Running,
}

/// The names of the tags that stand in the document for a game of these sides.
fn names(record: &GameRecord) -> usize {
    // Event, Site, Date, Round, a name for each seat, Result.
    5 + record.seats.len()
}

/// The record in the document's form. `set` has other values for tags, by their names.
///
/// A game that does not begin at the usual start has a tag `Start` as well: nobody could read it
/// otherwise.
///
/// # Errors
/// The name of a tag in `set` that the document does not have, with those that it has.
pub fn document(
    record: &GameRecord,
    event: &str,
    site: &str,
    layout: MoveLayout,
    set: &[(String, String)],
) -> Result<String, String> {
    let mut all = tags(record, event, site);
    let start = all.iter().find(|(name, _)| name == "Start").cloned();
    all.truncate(names(record));
    for (name, value) in set {
        let known: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
        let missing =
            format!("there is no tag {}; there are {}", escape(name.as_bytes(), 40), known.join(", "));
        all.iter_mut().find(|(own, _)| own == name).ok_or(missing)?.1.clone_from(value);
    }
    let result = all.last().map(|(_, value)| value.clone()).unwrap_or_default();
    all.extend(start.filter(|_| !begins_as_usual(record)));
    let mut out = String::with_capacity(256 + 16 * record.plies.len());
    for (name, value) in all {
        let value = escape(value.as_bytes(), usize::MAX).replace('"', "\\\"");
        line(&mut out, format_args!("[{name} \"{value}\"]"));
    }
    out.push('\n');
    let Rounds { moves, each, .. } = Rounds::of(record);
    let rounds: Vec<&str> = each.iter().map(|round| &moves[round.moves.clone()]).collect();
    match layout {
        MoveLayout::Columns => columns(&mut out, &rounds),
        MoveLayout::Running => {
            let words = rounds.iter().flat_map(|round| round.split(' ')).chain([result.as_str()]);
            running(&mut out, words);
            return Ok(out);
        }
    }
    line(&mut out, format_args!("{result}"));
    Ok(out)
}

/// Whether a game begins at the usual start of its rules. Of boards that are drawn there is none.
pub fn begins_as_usual(record: &GameRecord) -> bool {
    let rules = agon_games::find(&record.rules, &Needs::default()).ok();
    let start = rules.and_then(|rules| rules.resume("startpos").ok());
    start.is_some_and(|start| start.text() == record.start)
}

/// A round a line, with the words of each column below each other.
fn columns(out: &mut String, rounds: &[&str]) {
    let mut widths: Vec<usize> = Vec::new();
    for (column, word) in rounds.iter().flat_map(|round| round.split(' ').enumerate()) {
        match widths.get_mut(column) {
            Some(widest) => *widest = word.width().max(*widest),
            None => widths.push(word.width()),
        }
    }
    for round in rounds {
        let mut text = String::new();
        for (word, widest) in round.split(' ').zip(&widths) {
            text.push_str(word);
            text.extend(std::iter::repeat_n(' ', widest - word.width() + 1));
        }
        line(out, format_args!("{}", text.trim_end()));
    }
}

/// Words with a blank between them, in lines.
fn running<'a>(out: &mut String, words: impl Iterator<Item = &'a str>) {
    let mut width = 0;
    for word in words {
        if width > 0 && width + 1 + word.width() > WIDTH {
            out.push('\n');
            width = 0;
        }
        if width > 0 {
            out.push(' ');
            width += 1;
        }
        out.push_str(word);
        width += word.width();
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use super::*;
    use agon_record::Verdict;
    use agon_record::sample::game;
    use agon_seats::{PerSeat, Seat};

    /// A game of abalone, from the usual start.
    fn abalone() -> GameRecord {
        let mut record = game(1, "alpha", "bravo", "1-0");
        record.rules = "abalone".to_owned();
        let rules = agon_games::find("abalone", &Needs::default()).unwrap();
        record.start = rules.start(1).text();
        (record.seats[Seat::FIRST].side, record.seats[Seat::SECOND].side) = ("B".to_owned(), "W".to_owned());
        for (ply, text) in record.plies.iter_mut().zip(["B,i1-h1", "W,a1b2-c3", "B,i2-h2"]) {
            ply.text = text.to_owned();
            ply.thought = Some("info depth 2".to_owned());
        }
        if let Verdict::Decided(decided) = &mut record.verdict {
            decided.scores = PerSeat::two(13, 8);
        }
        record
    }

    #[test]
    fn a_game_has_seven_tags_its_moves_and_its_result() {
        let record = abalone();
        let head = "[Event \"cup\"]\n[Site \"here\"]\n[Date \"2027.01.15\"]\n[Round \"1\"]\n[Black \"alpha\"]\n\
                    [White \"bravo\"]\n[Result \"13(W)-8(L)\"]\n\n";
        let write = |layout| document(&record, "cup", "here", layout, &[]).unwrap();
        let columns = write(MoveLayout::Columns);
        assert_eq!(columns, format!("{head}1. i1-h1 a1b2-c3\n2. i2-h2\n13(W)-8(L)\n"));
        let running = write(MoveLayout::Running);
        assert_eq!(running, format!("{head}1. i1-h1 a1b2-c3 2. i2-h2 13(W)-8(L)\n"));
        for text in [columns, running] {
            let back = read(&text).unwrap();
            let moves: Vec<&str> = back.plies.iter().map(|ply| ply.text.as_str()).collect();
            assert_eq!(moves, ["i1-h1", "a1b2-c3", "i2-h2"]);
            assert_eq!(back.result.map(|(result, _)| result).as_deref(), Some("13(W)-8(L)"));
        }
    }

    #[test]
    fn each_tag_can_be_set_and_others_are_refused() {
        let record = abalone();
        let write = |set: &[(&str, &str)]| {
            let set: Vec<(String, String)> =
                set.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            document(&record, "cup", "?", MoveLayout::Columns, &set)
        };
        for name in ["Event", "Site", "Date", "Round", "Black", "White"] {
            let text = write(&[(name, "a \"b\"]\n[c")]).unwrap();
            assert_eq!(read(&text).unwrap().tag(name), Some("a \"b\"]\n[c"), "{text}");
        }
        let text = write(&[("Result", "14(R)-8(W)")]).unwrap();
        assert!(text.contains("[Result \"14(R)-8(W)\"]") && text.ends_with("\n14(R)-8(W)\n"), "{text}");
        let why = write(&[("Game", "abalone")]).unwrap_err();
        assert_eq!(why, "there is no tag Game; there are Event, Site, Date, Round, Black, White, Result");
    }

    #[test]
    fn long_games_are_wrapped_and_other_starts_keep_their_tag() {
        let mut record = abalone();
        for number in 0..400 {
            let mut ply = record.plies[0].clone();
            ply.seat = Seat::new(usize::from(number % 2 == 0));
            record.plies.push(ply);
        }
        let text = document(&record, "", "", MoveLayout::Running, &[]).unwrap();
        assert!(text.lines().all(|line| line.len() <= WIDTH), "{text}");
        assert_eq!(read(&text).unwrap().plies.len(), record.plies.len());
        record.start = "...../....../......./######../....###OO/......../......./OO..../OOOOO w".to_owned();
        let text = document(&record, "", "", MoveLayout::Running, &[]).unwrap();
        assert!(text.contains("[Start \"...../"), "{text}");
    }
}
