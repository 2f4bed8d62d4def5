//! One game as text, as in `games/rNN.txt`: people read it, and [`replay`](super::replay) plays it
//! again.
//!
//! ```text
//! [Event "nightly"]
//! [Site "?"]
//! [Date "2027.01.15"]
//! [Round "1"]
//! [Black "alpha"]
//! [White "bravo"]
//! [Result "13(W)-8(L)"]
//! [Game "abalone"]
//! ...
//!
//! 1. a3-b4 i1g3-h2  ; 0 points 20.500 ms, 0 points 1.000 ms
//! 2. d1f2-e1
//!
//! 13(W)-8(L)
//! ```
//! The tags down to `Result`, the rounds of moves and the result follow the contest's document on
//! Abalone. Other games have the same form, each with its own players, moves and result. Text after
//! a `;` is a comment: the points and the time of each move in the line, and below it an engine's
//! thoughts. In a round each seat has a move, in order of play, without its side letter. `...`
//! stands for a seat that does not move in it, as when a game begins with black.
//!
//! Values and moves are escaped when written and read back unchanged, with any bytes.

mod document;
mod read;

use std::borrow::Cow;
use std::fmt::Write;
use std::ops::Range;
use std::time::Duration;

use agon_printable::escape;
use agon_record::{GameRecord, Ply};
use agon_seats::{PerSeat, Seat};
use chrono::SecondsFormat;
use unicode_width::UnicodeWidthStr;

pub use document::{MoveLayout, begins_as_usual, document};
pub use read::{NotationError, read, read_all};

use super::put_millis;

/// The sign of a seat that does not move in a round.
const NO_MOVE: &str = "...";

/// A game as its text describes it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Notation {
    /// Names and values, in the order of the text.
    pub tags: Vec<Tag>,
    /// The moves in order of play.
    pub plies: Vec<Noted>,
    /// The result below the moves, with its line; a record written by hand may lack it.
    pub result: Option<(String, usize)>,
    /// Its last line, from 1.
    pub lines: usize,
}

/// One tag.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tag {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// Its line, from 1.
    pub line: usize,
}

/// One move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Noted {
    /// Its round, from 1.
    pub round: usize,
    /// Its seat, known from its place in the round.
    pub seat: Seat,
    /// The move as it is written, usually without its side letter.
    pub text: String,
    /// Its points and its time, if the text has them; one written by hand may not.
    pub note: Option<(i32, Duration)>,
    /// Its line, from 1.
    pub line: usize,
}

impl Notation {
    /// The value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.found(name).map(|tag| tag.value.as_str())
    }

    /// A tag with its line.
    pub fn found(&self, name: &str) -> Option<&Tag> {
        self.tags.iter().find(|tag| tag.name == name)
    }
}

/// The tag of the player with this side letter: `White` for `W`, `Black` for `B`, else the letter
/// itself.
pub fn player_tag(side: &str) -> &str {
    match side {
        "W" => "White",
        "B" => "Black",
        other => other,
    }
}

/// The record as text. `event` is the name of the tournament, whose place is not known.
pub fn write(record: &GameRecord, event: &str) -> String {
    write_at(record, event, "?")
}

/// The tags of a game as it was played, where the organiser has decided otherwise, and the tags
/// that then have what counts.
pub(super) const PLAYED: [(&str, &str); 4] = [
    ("PlayedResult", "Result"),
    ("PlayedTermination", "Termination"),
    ("PlayedReason", "Reason"),
    ("PlayedScores", "Scores"),
];

fn list(scores: &PerSeat<i32>) -> String {
    let scores: Vec<String> = scores.values().iter().map(i32::to_string).collect();
    scores.join(":")
}

/// The same of a game at a known place.
///
/// The tags come in this order. First come `Event`, `Site`, `Date`, `Round`, one for each player
/// ([`player_tag`]), and `Result`. Then come `Id`, `Game`, `Seed`, `Start`, `Seats` (the sides in
/// order of play), `TimeControl`, `Started` and `Finished`. Then come `Termination`, `Reason`,
/// `Scores` (not for a void game) and `Referee`. Where the organiser has decided about the game,
/// `Decision`, `Decided` and the tags in [`PLAYED`] stand before `Referee`. A game has `Referee`
/// only if it is of a referee program: what the program calls itself, and its hash. The last tags
/// are `Paused` (only if the game was paused), `Plies` and `Last`.
pub fn write_at(record: &GameRecord, event: &str, site: &str) -> String {
    let mut out = String::with_capacity(1024 + 40 * record.plies.len());
    for (name, value) in tags(record, event, site) {
        let value = escape(value.as_bytes(), usize::MAX).replace('"', "\\\"");
        line(&mut out, format_args!("[{name} \"{value}\"]"));
    }
    out.push('\n');
    let Rounds { moves, notes, each } = Rounds::of(record);
    let widths: Vec<usize> = each.iter().map(|round| moves[round.moves.clone()].width()).collect();
    let widest = widths.iter().copied().max().unwrap_or(0);
    for (round, width) in each.iter().zip(widths) {
        out.push_str(&moves[round.moves.clone()]);
        out.extend(std::iter::repeat_n(' ', widest - width));
        out.extend(["  ; ", &notes[round.notes.clone()], "\n"]);
        for thought in &round.thoughts {
            line(&mut out, format_args!("   ; {thought}"));
        }
    }
    if !each.is_empty() {
        out.push('\n');
    }
    line(&mut out, format_args!("{}", record.result_text()));
    out
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    let _ = writeln!(out, "{text}"); // writing to a String cannot fail
}

fn tags(record: &GameRecord, event: &str, site: &str) -> Vec<(String, String)> {
    let moment = |at: chrono::DateTime<chrono::Utc>| at.to_rfc3339_opts(SecondsFormat::Millis, true);
    let seats = record.seats.values();
    let sides: Vec<&str> = seats.iter().map(|seat| seat.side.as_str()).collect();
    let (termination, reason) = record.verdict.ended();
    let mut tags: Vec<(&str, String)> = vec![
        ("Event", event.to_owned()),
        ("Site", site.to_owned()),
        ("Date", record.started.format("%Y.%m.%d").to_string()),
        ("Round", record.id.round.to_string()),
    ];
    tags.extend(seats.iter().map(|seat| (player_tag(&seat.side), seat.entrant.clone())));
    tags.extend([
        ("Result", record.result_text()),
        ("Id", record.id.to_string()),
        ("Game", record.rules.clone()),
        ("Seed", record.seed.to_string()),
        ("Start", record.start.clone()),
        ("Seats", sides.join(",")),
        ("TimeControl", time_control(record)),
        ("Started", moment(record.started)),
        ("Finished", moment(record.finished)),
        ("Termination", termination),
        ("Reason", reason),
    ]);
    if let Some(decided) = record.decided() {
        tags.push(("Scores", list(&decided.scores)));
    }
    if let Some(ruling) = &record.ruling {
        let played = record.clone().as_played();
        let (termination, reason) = played.verdict.ended();
        let scores = played.decided().map_or_else(String::new, |own| list(&own.scores));
        tags.push(("Decision", ruling.decision.word().to_owned()));
        tags.push(("Decided", moment(ruling.decided)));
        let values = [played.result_text(), termination, reason, scores];
        tags.extend(PLAYED.iter().map(|(name, _)| *name).zip(values));
    }
    if let Some(referee) = &record.referee {
        tags.push(("Referee", format!("{} {}", referee.program, referee.hash)));
    }
    let pauses = record.pauses();
    if !pauses.is_empty() {
        tags.push(("Paused", pauses.join("; ")));
    }
    let elsewhere: Vec<String> = (seats.iter())
        .filter_map(|seat| Some(format!("{} {}", seat.side, seat.elsewhere.as_ref()?)))
        .collect();
    if !elsewhere.is_empty() {
        tags.push(("Elsewhere", elsewhere.join(", ")));
    }
    tags.push(("Plies", record.plies.len().to_string()));
    tags.push(("Last", record.last.clone()));
    tags.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// `st=5 margin=0.02` if all seats have the same, otherwise one for each side: `W tc=60, B tc=90`.
fn time_control(record: &GameRecord) -> String {
    let seats = record.seats.values();
    if seats.iter().all(|seat| seat.time_control == seats[0].time_control) {
        return seats[0].time_control.clone();
    }
    let each: Vec<String> = seats.iter().map(|seat| format!("{} {}", seat.side, seat.time_control)).collect();
    each.join(", ")
}

/// The lines of moves. All their texts stand in two strings: a string of each line would be two
/// pieces of memory a round.
struct Rounds {
    moves: String,
    notes: String,
    each: Vec<Round>,
}

/// A line of moves: one of each seat that moves in the round.
struct Round {
    /// In `moves` of [`Rounds`].
    moves: Range<usize>,
    /// In `notes` of [`Rounds`].
    notes: Range<usize>,
    thoughts: Vec<String>,
}

impl Rounds {
    fn of(record: &GameRecord) -> Self {
        let plies = record.plies.len();
        let mut moves = String::with_capacity(14 * plies);
        let mut notes = String::with_capacity(24 * plies);
        let mut each: Vec<Round> = Vec::with_capacity(plies / record.seats.len().max(1) + 1);
        let mut digits = itoa::Buffer::new();
        let mut next = 0; // the next place in the round
        // People write the moves of some games otherwise than programs.
        let texts = record.plies.iter().map(|ply| ply.text.as_str());
        let mut shown = agon_games::shown_moves(&record.rules, &record.start, texts).map(Vec::into_iter);
        for ply in &record.plies {
            let seat = ply.seat.index();
            let begins = each.is_empty() || seat < next;
            if begins {
                each.push(Round {
                    moves: moves.len()..moves.len(),
                    notes: notes.len()..notes.len(),
                    thoughts: Vec::new(),
                });
                moves.extend([digits.format(each.len()), "."]);
                next = 0;
            } else {
                notes.push_str(", ");
            }
            for _ in next..seat {
                moves.extend([" ", NO_MOVE]);
            }
            next = seat + 1;
            let side = &record.seats[ply.seat].side;
            // A referee program writes moves without a side letter.
            let letter = record.referee.is_none().then_some(side.as_str());
            match shown.as_mut().and_then(Iterator::next) {
                Some(text) => moves.extend([" ", &text]),
                None => moves.extend([" ", &written(ply, letter)]),
            }
            notes.push_str(digits.format(ply.points));
            notes.push_str(" points ");
            put_millis(&mut notes, ply.time);
            notes.push_str(" ms");
            let round = each.last_mut().expect("there is one by now");
            (round.moves.end, round.notes.end) = (moves.len(), notes.len());
            round.thoughts.extend(ply.thought.iter().map(|thought| {
                // It was escaped when it was read; this keeps it on one line.
                format!("{side}: {}", agon_printable::clean(thought))
            }));
        }
        Self { moves, notes, each }
    }
}

/// A move without its side letter, if it has one, as one word without a dot or a semicolon.
fn written<'a>(ply: &'a Ply, side: Option<&str>) -> Cow<'a, str> {
    let bare = side.and_then(|side| ply.text.strip_prefix(side)?.strip_prefix(',')).unwrap_or(&ply.text);
    // True of nearly every move of every game.
    if bare.bytes().all(|byte| byte.is_ascii_alphanumeric() || b",-+:/".contains(&byte)) {
        return Cow::Borrowed(bare);
    }
    let mut word = escape(bare.as_bytes(), usize::MAX);
    for (special, escaped) in [(" ", "\\x20"), (".", "\\x2e"), (";", "\\x3b"), ("\u{3000}", "\\u{3000}")] {
        word = word.replace(special, escaped);
    }
    Cow::Owned(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_record::Verdict;
    use agon_record::sample::{ended_by, game, void};
    use agon_seats::PerSeat;
    use agon_standings::result::{Cause, Termination};

    #[test]
    fn a_game_reads_like_this() {
        let fault = Termination::Forfeit(Seat::SECOND, Cause::IllegalMove);
        let mut record = ended_by(game(1, "alpha", "bravo", "1-0"), fault, "\"B,x\": no such cell");
        record.plies[1].thought = Some("info depth 2 score cp 9".to_owned());
        assert_eq!(
            write(&record, "nightly"),
            r#"[Event "nightly"]
[Site "?"]
[Date "2027.01.15"]
[Round "1"]
[White "alpha"]
[Black "bravo"]
[Result "12(W)-9(L)"]
[Id "r01-p0001-g01"]
[Game "letters:6x6x3"]
[Seed "1234"]
[Start "appleb/oardth"]
[Seats "W,B"]
[TimeControl "st=5 margin=0.02"]
[Started "2027-01-15T08:00:00.000Z"]
[Finished "2027-01-15T08:00:01.250Z"]
[Termination "illegal move"]
[Reason "\"B,x\": no such cell"]
[Scores "12:9"]
[Plies "3"]
[Last "______/oardth"]

1. 1,1,1,1,5,1,apple P  ; 9 points 20.500 ms, 0 points 1.000 ms
   ; B: info depth 2 score cp 9
2. P                    ; 0 points 9.500 ms

12(W)-9(L)
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
            assert_eq!(back.result, Some((record.result_text(), back.lines)));
            let pairs: Vec<(String, String)> =
                back.tags.iter().map(|tag| (tag.name.clone(), tag.value.clone())).collect();
            assert_eq!(pairs, tags(&record, "", "?"));
            for (noted, ply) in back.plies.iter().zip(&record.plies) {
                assert_eq!((noted.seat, noted.note), (ply.seat, Some((ply.points, ply.time))));
                assert!(ply.text.ends_with(&format!(",{}", noted.text)));
            }
            assert_eq!(back.plies.len(), record.plies.len());
        }
    }

    #[test]
    fn a_round_has_a_place_for_every_seat() {
        let mut record = game(1, "alpha", "bravo", "1-0");
        for (ply, (seat, side)) in
            record.plies.iter_mut().zip([(Seat::SECOND, "B"), (Seat::SECOND, "B"), (Seat::FIRST, "W")])
        {
            (ply.seat, ply.text) = (seat, format!("{side},P"));
        }
        let written = write(&record, "");
        assert!(written.contains("\n1. ... P  ; ") && written.contains("\n2. ... P  ; "), "{written}");
        assert!(written.contains("\n3. P      ; "), "{written}");
        let seats: Vec<Seat> = read(&written).unwrap().plies.iter().map(|noted| noted.seat).collect();
        assert_eq!(seats, [Seat::SECOND, Seat::SECOND, Seat::FIRST]);
    }

    #[test]
    fn comments_stand_below_one_another_whatever_the_letters_of_a_move() {
        let mut record = game(1, "alpha", "bravo", "1-0");
        record.plies[0].text = "W,国際".to_owned();
        let written = write(&record, "");
        assert!(written.contains("\n1. 国際 P  ; 9 points"), "{written}");
        assert!(written.contains("\n2. P       ; 0 points"), "{written}");
    }

    #[test]
    fn each_side_has_its_time_if_they_have_not_the_same() {
        let mut record = game(1, "alpha", "bravo", "1-0");
        record.seats[Seat::SECOND].time_control = "tc=2700".to_owned();
        assert!(write(&record, "").contains("[TimeControl \"W st=5 margin=0.02, B tc=2700\"]"));
    }

    #[test]
    fn a_game_of_abalone_has_the_documents_result_and_players() {
        let mut record = game(1, "alpha", "bravo", "1-0");
        record.rules = "abalone".to_owned();
        (record.seats[Seat::FIRST].side, record.seats[Seat::SECOND].side) = ("B".to_owned(), "W".to_owned());
        if let Verdict::Decided(decided) = &mut record.verdict {
            decided.scores = PerSeat::two(13, 8);
        }
        let head: Vec<String> = write(&record, "cup").lines().take(7).map(str::to_owned).collect();
        assert_eq!(
            head,
            [
                "[Event \"cup\"]",
                "[Site \"?\"]",
                "[Date \"2027.01.15\"]",
                "[Round \"1\"]",
                "[Black \"alpha\"]",
                "[White \"bravo\"]",
                "[Result \"13(W)-8(L)\"]"
            ]
        );
    }

    #[test]
    fn hostile_texts_come_back_and_never_show() {
        let hostile = [
            "\"]\n[Result \"0-1\"]",
            "a\\b\\\"",
            "\u{1b}[2J\u{9b}\u{202e}\u{7f}\0",
            "W,P  ; 0 points 1.000 ms",
            " spaces  ",
            "\u{3000}wide\u{3000}",
            "Zoë 🂡 \\x41 \\u{41}",
            "\\",
            "7. W,P",
            "...",
        ];
        for text in hostile {
            let mut record = game(1, text, "bravo", "1-0");
            record.plies[1].text = text.to_owned();
            let written = write(&record, text);
            assert!(!written.chars().any(|c| c.is_control() && c != '\n'), "{written:?}");
            assert_eq!(written.lines().count(), 25, "{written}");
            let back = read(&written).unwrap();
            assert_eq!(
                (back.tag("Event"), back.tag("White"), back.tag("Result")),
                (Some(text), Some(text), Some("12-9"))
            );
            assert_eq!(back.plies[1].text, text);
        }
    }
}
