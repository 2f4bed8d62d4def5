//! The lines of the protocol `referee 1`, read and written. `docs/referee.md` describes them.

use std::time::Duration;

use agon_printable::escape;
use agon_protocol::told::AnswerSize;
use agon_seats::Seat;

/// The first word and the version of the protocol.
pub const VERSION: &str = "referee 1";
/// The most lines that an engine can be asked for at once.
const MOST_LINES: u32 = 10_000;
/// The most characters of a line that a message shows.
const SHOWN: usize = 200;

/// A line of the handshake.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HandshakeLine {
    /// `referee 1 NAME VERSION`: what the program calls itself.
    Referee(String),
    /// `seats MIN MAX`.
    Seats(usize, usize),
    /// `scores win` or `scores sum`: whether scores add up.
    Scores {
        /// Whether they add up.
        sum: bool,
    },
    /// `error TEXT`: the program cannot referee this.
    Error(String),
    /// `ready`.
    Ready,
}

/// A question to a seat.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Question {
    /// The seat.
    pub seat: Seat,
    /// The most time for the answer, if the referee limits it.
    pub most: Option<Duration>,
    /// How much is asked for.
    pub size: AnswerSize,
}

/// A line of a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StepLine<'a> {
    /// `tell S TEXT`, `tell all TEXT`: a line for one seat, or for all (`None`).
    Tell(Option<Seat>, &'a str),
    /// `ask S ...`.
    Ask(Question),
    /// `wait`.
    Wait,
    /// `move S TEXT`.
    Move(Seat, &'a str),
    /// `public TEXT`.
    Public(&'a str),
    /// `secret S TEXT`.
    Secret(Seat, &'a str),
    /// `score S X`.
    Score(Seat, i32),
    /// `bad S TEXT`.
    Bad(Seat, &'a str),
    /// `out S`.
    Out(Seat),
    /// `board TEXT`.
    Board(&'a str),
    /// `frame TEXT`.
    Frame(&'a str),
    /// `note TEXT`.
    Note(&'a str),
    /// `end X1 X2 ... : TEXT`.
    End(Vec<i32>, &'a str),
    /// `void TEXT`.
    Void(&'a str),
}

/// The fault kinds of the protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FaultKind {
    /// The time of the question has run out.
    Late,
    /// The process has ended, broke a limit, or could not be started.
    Crash,
    /// It wrote more than it may.
    Flood,
    /// It closed its stdout.
    Closed,
}

impl FaultKind {
    /// Its word in the protocol.
    pub fn word(self) -> &'static str {
        match self {
            FaultKind::Late => "late",
            FaultKind::Crash => "crash",
            FaultKind::Flood => "flood",
            FaultKind::Closed => "closed",
        }
    }
}

/// Reads a line of the handshake.
///
/// # Errors
/// Words for the author of the referee.
pub fn handshake(line: &str) -> Result<HandshakeLine, String> {
    let (word, rest) = first_word(line);
    Ok(match word {
        "referee" => {
            let (version, name) = first_word(rest);
            if version != "1" {
                return Err(format!("{}: agon speaks {VERSION} alone", shown(line)));
            }
            HandshakeLine::Referee(name.to_owned())
        }
        "seats" => match numbers(rest)[..] {
            [Some(least), Some(most)] if least <= most => HandshakeLine::Seats(least, most),
            _ => return Err(format!("{}: write seats MIN MAX", shown(line))),
        },
        "scores" if rest == "win" || rest == "sum" => HandshakeLine::Scores { sum: rest == "sum" },
        "scores" => return Err(format!("{}: write scores win or scores sum", shown(line))),
        "error" => HandshakeLine::Error(rest.to_owned()),
        "ready" if rest.is_empty() => HandshakeLine::Ready,
        _ => {
            return Err(format!(
                "{} is no line of the handshake, which has referee, seats, scores, error and ready",
                shown(line)
            ));
        }
    })
}

/// Reads a line of a step in a game of so many seats.
///
/// # Errors
/// Words for the author of the referee.
pub fn step(line: &str, seats: usize) -> Result<StepLine<'_>, String> {
    let (word, rest) = first_word(line);
    let seat = |text: &str| {
        let number = text.parse::<usize>().ok().filter(|number| (1..=seats).contains(number));
        number.map(|number| Seat::new(number - 1)).ok_or_else(|| {
            format!("{}: there is no seat {}; the seats are 1 to {seats}", shown(line), shown(text))
        })
    };
    let of_seat = || -> Result<(Seat, &str), String> {
        let (number, text) = first_word(rest);
        Ok((seat(number)?, text))
    };
    let alone = |line_without_text: StepLine<'static>| {
        if rest.is_empty() {
            Ok(line_without_text)
        } else {
            Err(format!("{}: {word} stands alone", shown(line)))
        }
    };
    match word {
        "tell" => {
            let (to, text) = first_word(rest);
            Ok(StepLine::Tell(if to == "all" { None } else { Some(seat(to)?) }, text))
        }
        "ask" => {
            let (number, how) = first_word(rest);
            question(seat(number)?, how).map(StepLine::Ask).ok_or_else(|| {
                format!(
                    "{}: write ask S, then MS if it is limited, from 1 to {}, then lines N, from 1 to {MOST_LINES}, or \
                     until WORD",
                    shown(line),
                    u32::MAX
                )
            })
        }
        "wait" => alone(StepLine::Wait),
        "move" => of_seat().map(|(seat, text)| StepLine::Move(seat, text)),
        "public" => Ok(StepLine::Public(rest)),
        "secret" => of_seat().map(|(seat, text)| StepLine::Secret(seat, text)),
        "score" => {
            let (seat, text) = of_seat()?;
            let score = text.parse().map_err(|_| format!("{}: {}", shown(line), a_score()))?;
            Ok(StepLine::Score(seat, score))
        }
        "bad" => of_seat().map(|(seat, text)| StepLine::Bad(seat, text)),
        "out" => match of_seat()? {
            (seat, "") => Ok(StepLine::Out(seat)),
            _ => Err(format!("{}: write out S", shown(line))),
        },
        "board" => Ok(StepLine::Board(rest)),
        "frame" => Ok(StepLine::Frame(rest)),
        "note" => Ok(StepLine::Note(rest)),
        "end" => end(rest, seats).map_err(|why| format!("{}: {why}", shown(line))),
        "void" => Ok(StepLine::Void(rest)),
        _ => Err(format!(
            "{} is no line of the protocol, which has tell, ask, wait, move, public, secret, score, bad, out, \
             board, frame, note, end and void",
            shown(line)
        )),
    }
}

fn end(rest: &str, seats: usize) -> Result<StepLine<'_>, String> {
    // A reason can hold a colon too, a score cannot.
    let (scores, why) = rest.split_once(':').unwrap_or((rest, ""));
    let scores: Option<Vec<i32>> = scores.split_ascii_whitespace().map(|score| score.parse().ok()).collect();
    let scores = scores.ok_or_else(|| format!("{}; write end X1 X2 ... : TEXT", a_score()))?;
    if scores.len() != seats {
        return Err(format!("{} scores for {seats} seats", scores.len()));
    }
    Ok(StepLine::End(scores, why.trim()))
}

fn a_score() -> String {
    format!("a score is a whole number from {} to {}", i32::MIN, i32::MAX)
}

/// What stands behind `ask S`: nothing, or `[MS] [lines N | until WORD]`.
fn question(seat: Seat, how: &str) -> Option<Question> {
    let (first, after) = first_word(how);
    let millis = first.parse::<u32>().ok();
    let (most, how) = match millis {
        Some(0) => return None,
        Some(millis) => (Some(Duration::from_millis(millis.into())), after),
        None => (None, how),
    };
    let size = match first_word(how) {
        ("", "") => AnswerSize::Lines(1),
        ("lines", count) => {
            AnswerSize::Lines(count.parse().ok().filter(|count| (1..=MOST_LINES).contains(count))?)
        }
        ("until", word) if !word.is_empty() => AnswerSize::Until(word.to_owned()),
        _ => return None,
    };
    Some(Question { seat, most, size })
}

/// The first word of a line, and what stands behind the space after it, which may have more spaces.
fn first_word(line: &str) -> (&str, &str) {
    line.split_once(' ').unwrap_or((line, ""))
}

fn numbers(text: &str) -> Vec<Option<usize>> {
    text.split_ascii_whitespace().map(|word| word.parse().ok()).collect()
}

/// A line in quotes, safe to show.
pub(super) fn shown(line: &str) -> String {
    format!("\"{}\"", escape(line.as_bytes(), SHOWN))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_document_is_read() {
        let two = Seat::SECOND;
        let question = |most, size| StepLine::Ask(Question { seat: two, most, size });
        for (line, expected) in [
            ("tell 2 card 1  two spaces", StepLine::Tell(Some(two), "card 1  two spaces")),
            ("tell all ", StepLine::Tell(None, "")),
            ("tell 2", StepLine::Tell(Some(two), "")),
            ("ask 2", question(None, AnswerSize::Lines(1))),
            ("ask 2 50", question(Some(Duration::from_millis(50)), AnswerSize::Lines(1))),
            ("ask 2 lines 3", question(None, AnswerSize::Lines(3))),
            ("ask 2 50 until go", question(Some(Duration::from_millis(50)), AnswerSize::Until("go".into()))),
            ("wait", StepLine::Wait),
            ("move 2 [P1]Bid: 1", StepLine::Move(two, "[P1]Bid: 1")),
            ("score 2 -7", StepLine::Score(two, -7)),
            ("bad 2 no such card", StepLine::Bad(two, "no such card")),
            ("out 2", StepLine::Out(two)),
            ("end -2 -1 3 : showdown: 3", StepLine::End(vec![-2, -1, 3], "showdown: 3")),
            ("end 1 0 0", StepLine::End(vec![1, 0, 0], "")),
            ("void no more cards", StepLine::Void("no more cards")),
        ] {
            assert_eq!(step(line, 3), Ok(expected), "{line}");
        }
        assert_eq!(handshake("referee 1 kuhn 2.0 beta"), Ok(HandshakeLine::Referee("kuhn 2.0 beta".into())));
        assert_eq!(handshake("seats 2 6"), Ok(HandshakeLine::Seats(2, 6)));
        assert_eq!(handshake("scores sum"), Ok(HandshakeLine::Scores { sum: true }));
    }

    #[test]
    fn anything_else_is_refused_in_words() {
        for (line, words) in [
            ("tell 4 x", "there is no seat \"4\""),
            ("tell 0 x", "there is no seat"),
            ("ask", "there is no seat"),
            ("ask 1 0", "write ask S"),
            ("ask 1 lines 0", "write ask S"),
            ("ask 1 soon", "write ask S"),
            ("wait 1", "stands alone"),
            ("score 1 1.5", "whole number"),
            ("score 1 2147483648", "from -2147483648 to 2147483647"),
            ("end 2147483648 0 0", "from -2147483648 to 2147483647"),
            ("ask 1 4294967296", "from 1 to 4294967295"),
            ("ask 1 lines 10001", "from 1 to 10000"),
            ("end 1 0", "2 scores for 3 seats"),
            ("end 1 0 x", "whole number"),
            ("Hello, I am a banner\u{7}", "is no line of the protocol"),
            ("", "is no line of the protocol"),
        ] {
            let why = step(line, 3).unwrap_err();
            assert!(why.contains(words), "{line}: {why}");
        }
        assert!(handshake("referee 2 x").unwrap_err().contains("referee 1 alone"));
        assert!(handshake("seats 3 2").is_err());
    }
}
