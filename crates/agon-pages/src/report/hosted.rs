//! A game of a referee program as text: its lines step by step, for people.

use agon_export::put_millis;
use agon_match::hosted::{CourseEntry, Question, StepLine, course};
use agon_printable::{clean, clean_lines, counted};
use agon_protocol::told::AnswerSize;
use agon_record::{GameRecord, RefereeRecord};
use agon_seats::Seat;

/// The widest label in front of a line.
const LABEL: usize = 14;

/// Who plays on which seat, the result, and how it came about.
pub fn head(record: &GameRecord, referee: &RefereeRecord) -> String {
    let seats: Vec<String> = record
        .seats
        .values()
        .iter()
        .map(|seat| format!("{} {}", clean(&seat.side), clean(&seat.entrant)))
        .collect();
    let (how, why) = record.verdict.ended();
    let scores = record.decided().map_or_else(String::new, |_| format!(", scores {}", record.scores_text()));
    let ruling = record.ruling_in_words().map_or_else(String::new, |words| clean(&words) + "\n");
    format!(
        "{}: {}: {}, {how}, {}{scores}\n{}\n{ruling}referee {}, seed {}\n",
        clean(&record.rules),
        seats.join(" - "),
        record.result_text(),
        counted(record.plies.len(), "ply"),
        clean(&why),
        clean(&referee.program),
        record.seed
    )
}

/// The game, step by step, without the lines that the reader is not shown.
pub fn steps(
    record: &GameRecord,
    referee: &RefereeRecord,
    shows: &dyn Fn(&CourseEntry<'_>) -> bool,
) -> String {
    let mut text = String::new();
    let side = |seat: Seat| clean(&record.seats[seat].side);
    let mut step = 0;
    for line in course(&referee.lines, record.seats.len()) {
        if line.what == CourseEntry::Step(StepLine::Wait) || !shows(&line.what) {
            continue;
        }
        if line.step != step {
            step = line.step;
            text.push_str(&format!("\nstep {step}\n"));
        }
        let (label, said) = match line.what {
            CourseEntry::Step(what) => of_step(&what, &side),
            CourseEntry::Move(seat, played, ply) => {
                let mut said = played.to_owned();
                if let Some(ply) = record.plies.get(ply).filter(|ply| !ply.time.is_zero()) {
                    said.push_str("   ");
                    put_millis(&mut said, ply.time);
                    said.push_str(" ms");
                }
                (format!("{} plays", side(seat)), said)
            }
            CourseEntry::Answer(seat, said) => (format!("{} answers", side(seat)), said.to_owned()),
            CourseEntry::Fault(seat, said) => (format!("{} has a fault", side(seat)), said.to_owned()),
            CourseEntry::Unread(said) => ("not understood".to_owned(), said.to_owned()),
        };
        put(&mut text, &label, &said);
    }
    text
}

/// The fault of the referee and the end of its stderr, if it was at fault.
pub fn fault(referee: &RefereeRecord) -> String {
    let Some(fault) = &referee.fault else { return String::new() };
    let mut text = format!("\nthe referee was at fault: {}\n", clean(fault));
    if !referee.stderr.is_empty() {
        text.push_str(&format!("the end of its stderr:\n{}\n", clean_lines(&referee.stderr)));
    }
    text
}

/// What one seat was told and asked, and what it answered.
pub fn view(record: &GameRecord, referee: &RefereeRecord, own: Seat) -> String {
    let mut text = String::new();
    let mut step = 0;
    for line in course(&referee.lines, record.seats.len()) {
        let (label, said) = match line.what {
            CourseEntry::Step(StepLine::Tell(to, said)) if to.is_none_or(|to| to == own) => {
                ("is told", said.to_owned())
            }
            CourseEntry::Step(StepLine::Ask(question)) if question.seat == own => {
                ("is asked", asked(&question))
            }
            CourseEntry::Answer(seat, said) if seat == own => ("answers", said.to_owned()),
            CourseEntry::Fault(seat, said) if seat == own => ("has a fault", said.to_owned()),
            _ => continue,
        };
        if line.step != step {
            step = line.step;
            text.push_str(&format!("\nstep {step}\n"));
        }
        put(&mut text, label, &said);
    }
    text
}

fn put(text: &mut String, label: &str, said: &str) {
    text.push_str(format!("  {label:LABEL$}  {}", clean(said)).trim_end());
    text.push('\n');
}

fn of_step(what: &StepLine<'_>, side: &dyn Fn(Seat) -> String) -> (String, String) {
    let (label, said) = match what {
        StepLine::Tell(None, said) => ("all are told".to_owned(), *said),
        StepLine::Tell(Some(seat), said) => (format!("{} is told", side(*seat)), *said),
        StepLine::Ask(question) => return (format!("{} is asked", side(question.seat)), asked(question)),
        StepLine::Move(seat, said) => (format!("{} plays", side(*seat)), *said),
        StepLine::Public(said) => ("public".to_owned(), *said),
        StepLine::Secret(seat, said) => (format!("{} secret", side(*seat)), *said),
        StepLine::Score(seat, score) => return (format!("{} score", side(*seat)), score.to_string()),
        StepLine::Bad(seat, said) => (format!("{} is bad", side(*seat)), *said),
        StepLine::Out(seat) => (format!("{} is out", side(*seat)), ""),
        StepLine::Board(said) => ("board".to_owned(), *said),
        StepLine::Frame(said) => ("frame".to_owned(), *said),
        StepLine::Note(said) => ("note".to_owned(), *said),
        StepLine::Void(said) => ("void".to_owned(), *said),
        StepLine::Wait => ("wait".to_owned(), ""),
        StepLine::End(scores, why) => {
            let scores: Vec<String> = scores.iter().map(i32::to_string).collect();
            let why = if why.is_empty() { String::new() } else { format!(": {why}") };
            return ("end".to_owned(), format!("{}{why}", scores.join(" ")));
        }
    };
    (label, said.to_owned())
}

/// `at most 50 ms, 3 lines`.
fn asked(question: &Question) -> String {
    let most = question.most.map(|most| format!("at most {} ms", most.as_millis()));
    let size = match &question.size {
        AnswerSize::Lines(1) => None,
        AnswerSize::Lines(count) => Some(format!("{count} lines")),
        AnswerSize::Until(word) => Some(format!("lines until {word}")),
    };
    most.into_iter().chain(size).collect::<Vec<_>>().join(", ")
}
