//! Games of chess as PGN: the files `games/rNN.pgn`, and `agon export pgn`.
//!
//! ```text
//! [Event "nightly"]
//! ...
//! [Result "1-0"]
//! [TimeControl "60+0.5"]
//! [Termination "normal"]
//!
//! 1. e4 {+0.31/12 0.480s} 1... e5 {-0.20/11 0.502s}
//! ...
//! 31. Qg7# {+M1/14 0.020s} {checkmate}
//! 1-0
//! ```
//! A comment has what the engine said last of its search, from its own side: the score in pawns, or
//! the moves to a mate, and the depth. Then it has the time of the move. A game that does not begin
//! at the usual start has its FEN, and one of Chess960 the tag `Variant`.

use std::fmt::Write;

use agon_record::{EngineEvaluation, Evaluation, GameRecord, Verdict};
use agon_seats::TimeControl;
use agon_standings::result::{Cause, Termination};
use agon_store::times::allowances;

/// The longest line of moves, in columns.
const WIDTH: usize = 80;

/// The usual start.
const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// Whether a game has this form.
pub fn is_for(record: &GameRecord) -> bool {
    record.referee.is_none() && record.rules.split(':').next() == Some("chess")
}

/// The game with an empty line behind it. `event` and `site` are the tags of that name. `stage` is
/// the part of the event that it belongs to, if its number is one of that alone. `None` if the game
/// is none of chess, or if its moves cannot be played.
pub fn write(record: &GameRecord, event: &str, site: &str, stage: Option<&str>) -> Option<String> {
    let moves = match record.plies.len() {
        _ if !is_for(record) => return None,
        0 => Vec::new(),
        _ => {
            let texts = record.plies.iter().map(|ply| ply.text.as_str());
            agon_games::shown_moves(&record.rules, &record.start, texts)?
        }
    };
    let mut out = String::with_capacity(700 + 32 * moves.len());
    for (name, value) in tags(record, event, site, stage) {
        let value = value.replace('\\', "\\\\").replace('"', "\\\"");
        let _ = writeln!(out, "[{name} \"{value}\"]"); // a String takes everything
    }
    out.push('\n');
    let mut line = Line { out: &mut out, width: 0 };
    let (mut number, mut is_black) = first_move(&record.start);
    for (ply, mv) in record.plies.iter().zip(&moves) {
        line.word(&format!("{number}.{}", if is_black { ".." } else { "" }));
        line.word(mv);
        let thought = ply.thought.as_deref().map(thought).unwrap_or_default();
        line.comment(&format!("{thought}{:.3}s", ply.time.as_secs_f64()));
        number += u32::from(is_black);
        is_black = !is_black;
    }
    line.comment(&why(record));
    if line.width > 0 {
        out.push('\n');
    }
    out.push_str(&record.result());
    out.push_str("\n\n");
    Some(out)
}

fn tags(record: &GameRecord, event: &str, site: &str, stage: Option<&str>) -> Vec<(&'static str, String)> {
    let seats = record.seats.values();
    let name = |seat: usize| seats.get(seat).map(|seat| seat.entrant.clone()).unwrap_or_default();
    let mut tags = vec![
        ("Event", event.to_owned()),
        ("Site", site.to_owned()),
        ("Date", record.started.format("%Y.%m.%d").to_string()),
        ("Round", record.id.round.to_string()),
        ("White", name(0)),
        ("Black", name(1)),
        ("Result", record.result()),
    ];
    match stage {
        None => tags.push(("Id", record.id.to_string())),
        Some(stage) => {
            tags.extend([("Stage", stage.to_owned()), ("Id", format!("{stage}/{}", record.id))]);
        }
    }
    let is_960 = record.rules.contains("960");
    if is_960 {
        tags.push(("Variant", "Chess960".to_owned()));
    }
    if is_960 || record.start != START {
        tags.extend([("SetUp", "1".to_owned()), ("FEN", record.start.clone())]);
    }
    let times: Vec<String> = seats.iter().map(|seat| time_control(&seat.time_control)).collect();
    match &times[..] {
        [white, black] if white != black => {
            tags.extend([("WhiteTimeControl", white.clone()), ("BlackTimeControl", black.clone())]);
        }
        _ => tags.extend(times.first().map(|time| ("TimeControl", time.clone()))),
    }
    tags.push(("Termination", termination(record).to_owned()));
    tags.push(("PlyCount", record.plies.len().to_string()));
    tags
}

/// `60+0.5`, `40/300`, and `1/5` for five seconds a move.
fn time_control(text: &str) -> String {
    let added = |increment: std::time::Duration| match increment.is_zero() {
        true => String::new(),
        false => format!("+{}", increment.as_secs_f64()),
    };
    match allowances(text) {
        Ok((TimeControl::PerMove(time), ..)) => format!("1/{}", time.as_secs_f64()),
        Ok((TimeControl::WholeGame { base, increment }, ..)) => {
            format!("{}{}", base.as_secs_f64(), added(increment))
        }
        Ok((TimeControl::Repeating { moves, base, increment }, ..)) => {
            format!("{moves}/{}{}", base.as_secs_f64(), added(increment))
        }
        Err(_) => "?".to_owned(),
    }
}

/// The word of PGN for how the game ended.
fn termination(record: &GameRecord) -> &'static str {
    let Some(decided) = record.decided() else { return "unterminated" };
    match decided.termination {
        Termination::Normal | Termination::Resignation(_) => "normal",
        Termination::Adjudication | Termination::Decision => "adjudication",
        Termination::Forfeit(_, Cause::TimeForfeit | Cause::StdinBlocked) => "time forfeit",
        Termination::Forfeit(_, Cause::IllegalMove | Cause::Protocol) => "rules infraction",
        Termination::Forfeit(..) => "abandoned",
    }
}

/// Why the game ended, and whose fault or wish that was.
fn why(record: &GameRecord) -> String {
    match &record.verdict {
        Verdict::Void { why } => format!("void: {why}"),
        Verdict::Decided(decided) => match decided.termination {
            Termination::Forfeit(seat, _) | Termination::Resignation(seat) => {
                let side = record.seats.values().get(seat.index()).map_or("?", |seat| seat.side.as_str());
                format!("{} by {side}: {}", decided.termination, decided.reason)
            }
            _ => decided.reason.to_string(),
        },
    }
}

/// The number of the first move of a position, and whether black makes it.
fn first_move(start: &str) -> (u32, bool) {
    let mut fields = start.split(' ');
    let is_black = fields.nth(1) == Some("b");
    (fields.next_back().and_then(|number| number.parse().ok()).unwrap_or(1), is_black)
}

/// The score and the depth of a line `info ...`, and a blank: `+0.31/12 `.
fn thought(line: &str) -> String {
    let mut words = line.split_ascii_whitespace();
    // Behind these two are moves, and words for people.
    let before = words.by_ref().take_while(|word| !matches!(*word, "pv" | "string"));
    let depth = before.skip_while(|word| *word != "depth").nth(1).and_then(|depth| depth.parse::<u32>().ok());
    // Readers of PGN take a score for an exact one.
    let exact = Evaluation::of_thought(line).filter(|said| said.bound.is_none());
    let score = exact.and_then(|said| match said.score {
        // Adding zero turns -0 into 0.
        EngineEvaluation::Hundredths(score) => Some(format!("{:+.2}", score / 100.0 + 0.0)),
        EngineEvaluation::Mate(moves) => {
            Some(format!("{}M{}", if moves > 0 { '+' } else { '-' }, moves.unsigned_abs()))
        }
        _ => None,
    });
    match (score, depth) {
        (Some(score), Some(depth)) => format!("{score}/{depth} "),
        (Some(score), None) => format!("{score} "),
        _ => String::new(),
    }
}

/// Words with a blank between them, in lines.
struct Line<'a> {
    out: &'a mut String,
    width: usize,
}

impl Line<'_> {
    fn word(&mut self, word: &str) {
        let own = word.chars().count();
        // A line that begins with this sign is no part of PGN.
        if self.width > 0 && self.width + 1 + own > WIDTH && !word.starts_with('%') {
            self.out.push('\n');
            self.width = 0;
        }
        if self.width > 0 {
            self.out.push(' ');
            self.width += 1;
        }
        self.out.push_str(word);
        self.width += own;
    }

    /// A text in braces, which it cannot contain, on as many lines as it needs.
    fn comment(&mut self, text: &str) {
        let text = text.replace(['{', '}'], "'");
        let mut words: Vec<&str> = text.split_ascii_whitespace().collect();
        let Some(last) = words.pop() else { return };
        match words.split_first() {
            None => self.word(&format!("{{{last}}}")),
            Some((first, middle)) => {
                self.word(&format!("{{{first}"));
                middle.iter().for_each(|word| self.word(word));
                self.word(&format!("{last}}}"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use agon_record::Ply;
    use agon_record::sample;
    use agon_seats::Seat;

    use super::*;

    /// A game of chess with these moves.
    fn game(rules: &str, start: &str, moves: &[&str]) -> GameRecord {
        let mut record = sample::game(1, "alpha", "br\"avo", "1-0");
        (record.rules, record.start) = (rules.to_owned(), start.to_owned());
        let sides = if start.contains(" b ") { ["B", "W"] } else { ["W", "B"] };
        let ply = |(at, text): (usize, &&str)| Ply {
            seat: Seat::new(usize::from(sides[at % 2] == "B")),
            text: format!("{},{text}", sides[at % 2]),
            points: 0,
            time: Duration::from_millis(480),
            thought: (at == 0)
                .then(|| "info depth 12 seldepth 14 score cp -31 nodes 99 pv e7e5 depth".to_owned()),
        };
        record.plies = moves.iter().enumerate().map(ply).collect();
        record
    }

    #[test]
    fn a_game_is_written_as_viewers_read_it() {
        let text = write(&game("chess", START, &["e2e4", "e7e5", "d1h5"]), "night", "?", None).unwrap();
        assert!(
            text.starts_with("[Event \"night\"]\n[Site \"?\"]\n[Date \"2027.01.15\"]\n[Round \"1\"]\n"),
            "{text}"
        );
        assert!(text.contains("[Black \"br\\\"avo\"]\n[Result \"1-0\"]\n"), "{text}");
        assert!(!text.contains("FEN") && text.contains("[TimeControl \"1/"), "{text}");
        assert!(text.contains("\n\n1. e4 {-0.31/12 0.480s} 1... e5 {0.480s} 2. Qh5 {0.480s} "), "{text}");
        assert!(text.ends_with("}\n1-0\n\n"), "{text}");
        assert!(text.lines().all(|line| line.starts_with('[') || line.chars().count() <= WIDTH), "{text}");
    }

    #[test]
    fn another_start_has_its_fen_and_black_may_begin() {
        let fen = "4k3/8/8/8/8/8/8/4K2R b K - 3 40";
        let text = write(&game("chess:960", fen, &["e8d8", "e1h1"]), "night", "?", None).unwrap();
        assert!(
            text.contains(&format!("[Variant \"Chess960\"]\n[SetUp \"1\"]\n[FEN \"{fen}\"]\n")),
            "{text}"
        );
        assert!(text.contains("\n40... Kd8 {-0.31/12 0.480s} 41. O-O {0.480s}"), "{text}");
    }

    #[test]
    fn what_is_no_game_of_chess_has_no_pgn() {
        // Two stages of a cup may have games of one number.
        let text = write(&game("chess", START, &["e2e4"]), "night", "?", Some("stage-2")).unwrap();
        assert!(text.contains("[Stage \"stage-2\"]\n[Id \"stage-2/r01-p0001-g01\"]\n"), "{text}");
        assert_eq!(write(&sample::game(1, "alpha", "bravo", "1-0"), "night", "?", None), None);
        assert_eq!(write(&game("chess", START, &["e2e5"]), "night", "?", None), None);
    }

    #[test]
    fn scores_are_written_in_pawns_or_in_moves_to_the_mate() {
        for (line, expected) in [
            ("info depth 9 score cp 5 pv e2e4", "+0.05/9 "),
            ("info score mate 3 depth 20", "+M3/20 "),
            ("info depth 20 score mate -2", "-M2/20 "),
            ("info depth 20 score mate -2 upperbound", ""),
            ("info depth 20 score cp -0", "+0.00/20 "),
            ("info score cp 1250", "+12.50 "),
            ("info depth 3", ""),
            ("info score cp", ""),
            ("", ""),
        ] {
            assert_eq!(thought(line), expected, "{line}");
        }
    }

    #[test]
    fn no_line_of_a_comment_begins_with_a_percent_sign() {
        let mut out = String::new();
        let mut line = Line { out: &mut out, width: 0 };
        line.comment(&format!("{} {}", "x".repeat(76), "% ".repeat(60)));
        assert!(out.contains('%') && !out.lines().any(|line| line.starts_with('%')), "{out}");
    }
}
