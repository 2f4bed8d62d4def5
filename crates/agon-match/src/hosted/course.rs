//! The lines of a recorded game: which answers belong to which questions, and what each line says.

use std::collections::VecDeque;

use agon_seats::Seat;

use super::lines::{self, Question, StepLine};

/// One line of a recorded game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CourseLine<'a> {
    /// The step of the referee in which it stands, from 1.
    pub step: usize,
    /// How many plies the game has after it.
    pub plies: usize,
    /// What it says.
    pub what: CourseEntry<'a>,
}

/// What a line of a recorded game says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CourseEntry<'a> {
    /// A line of the referee that makes no ply.
    Step(StepLine<'a>),
    /// `move S TEXT`, with the index of its ply in the record.
    Move(Seat, &'a str, usize),
    /// A line that a seat answered.
    Answer(Seat, &'a str),
    /// A seat gave no answer: the kind of the fault and why.
    Fault(Seat, &'a str),
    /// A line that is not in the protocol, by the fault of the referee.
    Unread(&'a str),
}

/// What a seat answered, as the record has it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RecordedAnswer {
    /// The lines.
    Lines(Vec<String>),
    /// The kind of the fault, and why.
    Fault(String, String),
}

/// What the referee was sent after a step: the answers to these questions, from the beginning of
/// `lines`. The questions are in the order of the seats. Also returns how many lines the answers
/// are.
///
/// # Errors
/// Words about the first line that answers none of them.
pub fn answers(
    questions: &[Question],
    lines: &[String],
    seats: usize,
) -> Result<(Vec<(Seat, RecordedAnswer)>, usize), String> {
    let mut found = Vec::new();
    let mut at = 0;
    for question in questions {
        let mut texts = Vec::new();
        let mut fault = None;
        while fault.is_none() && !question.size.is_whole(&texts) {
            match lines.get(at).and_then(|line| sent(line, seats)) {
                Some(CourseEntry::Answer(seat, text)) if seat == question.seat => texts.push(text.to_owned()),
                Some(CourseEntry::Fault(seat, text)) if seat == question.seat && texts.is_empty() => {
                    let (kind, why) = text.split_once(' ').unwrap_or((text, ""));
                    fault = Some(RecordedAnswer::Fault(kind.to_owned(), why.to_owned()));
                }
                _ => {
                    let seat = question.seat.index() + 1;
                    return Err(format!("there is no answer of seat {seat}, which was asked"));
                }
            }
            at += 1;
        }
        found.push((question.seat, fault.unwrap_or(RecordedAnswer::Lines(texts))));
    }
    match lines.get(at) {
        Some(line) if line.starts_with('>') => Err("it answers no question".to_owned()),
        _ => Ok((found, at)),
    }
}

/// A line that the referee was sent, if it is one.
fn sent(line: &str, seats: usize) -> Option<CourseEntry<'_>> {
    let (word, rest) = line.strip_prefix('>')?.split_once(' ')?;
    let (number, text) = rest.split_once(' ').unwrap_or((rest, ""));
    let seat = number.parse::<usize>().ok().filter(|number| (1..=seats).contains(number))?;
    let seat = Seat::new(seat - 1);
    match word {
        "answer" => Some(CourseEntry::Answer(seat, text)),
        "fault" => Some(CourseEntry::Fault(seat, text)),
        _ => None,
    }
}

/// The lines of a recorded game of so many seats. A record that somebody has changed is read as far
/// as it makes sense.
pub fn course(lines: &[String], seats: usize) -> Vec<CourseLine<'_>> {
    let mut found = Vec::with_capacity(lines.len());
    let (mut step, mut plies) = (1, 0);
    let mut questions: Vec<Question> = Vec::new();
    let mut unnamed: Vec<VecDeque<usize>> = vec![VecDeque::new(); seats];
    for (at, line) in lines.iter().enumerate() {
        let what = match line.strip_prefix('<') {
            None => sent(line, seats).unwrap_or(CourseEntry::Unread(line)),
            Some(text) => match lines::step(text, seats) {
                Err(_) => CourseEntry::Unread(text),
                Ok(StepLine::Move(seat, text)) => {
                    let ply = unnamed[seat.index()].pop_front().unwrap_or_else(|| {
                        plies += 1;
                        plies - 1
                    });
                    CourseEntry::Move(seat, text, ply)
                }
                Ok(StepLine::Ask(question)) => {
                    questions.push(question.clone());
                    CourseEntry::Step(StepLine::Ask(question))
                }
                Ok(what) => CourseEntry::Step(what),
            },
        };
        let waits = what == CourseEntry::Step(StepLine::Wait);
        if waits {
            questions.sort_by_key(|question| question.seat);
            let given = answers(&std::mem::take(&mut questions), &lines[at + 1..], seats);
            for (seat, answer) in given.map(|(given, _)| given).unwrap_or_default() {
                if let RecordedAnswer::Lines(_) = answer {
                    unnamed[seat.index()].push_back(plies);
                    plies += 1;
                }
            }
        }
        found.push(CourseLine { step, plies, what });
        // The answers belong to the step that asked for them.
        if lines[at].starts_with('>') && lines.get(at + 1).is_some_and(|next| next.starts_with('<')) {
            step += 1;
        }
    }
    found
}

/// The lines of a recorded game that spectators may know while other games have the same secrets.
/// These are what was published, and what all seats were told. Lines that nobody can read are none
/// of them.
pub fn public_lines(lines: &[String], seats: usize) -> Vec<String> {
    let is_public = |line: &&String| match line.strip_prefix('<').map(|text| lines::step(text, seats)) {
        Some(Ok(what)) => !matches!(
            what,
            StepLine::Tell(Some(_), _) | StepLine::Ask(_) | StepLine::Secret(..) | StepLine::Note(_)
        ),
        Some(Err(_)) | None => false,
    };
    lines.iter().filter(is_public).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_protocol::told::AnswerSize;

    fn owned(lines: &[&str]) -> Vec<String> {
        lines.iter().map(|line| (*line).to_owned()).collect()
    }

    #[test]
    fn a_move_is_that_of_the_oldest_answer_of_its_seat() {
        let lines = owned(&[
            "<ask 2",
            "<ask 1 until go",
            "<wait",
            ">answer 1 go",
            ">answer 2 b",
            "<move 2 B",
            "<move 1 A",
            "<move 1 forced",
            "<end 0 1",
        ]);
        let found: Vec<(usize, CourseEntry<'_>)> =
            course(&lines, 2).into_iter().map(|line| (line.step, line.what)).collect();
        assert_eq!(found[5], (2, CourseEntry::Move(Seat::SECOND, "B", 1)));
        assert_eq!(found[6], (2, CourseEntry::Move(Seat::FIRST, "A", 0)));
        assert_eq!(found[7], (2, CourseEntry::Move(Seat::FIRST, "forced", 2)));
    }

    #[test]
    fn every_question_has_its_answer_and_every_answer_its_question() {
        let question = |number: usize, size| Question { seat: Seat::new(number - 1), most: None, size };
        let asked = [question(1, AnswerSize::Lines(2)), question(2, AnswerSize::Until("go".to_owned()))];
        let first = [">answer 1 a", ">answer 1 b c"];
        let with = |second: &[&str]| owned(&[&first, second].concat());
        let whole = with(&[">fault 2 late it took too long", "<end 1 0"]);
        let (given, lines) = answers(&asked, &whole, 2).unwrap();
        assert_eq!(lines, 3);
        assert_eq!(given[0].1, RecordedAnswer::Lines(owned(&["a", "b c"])));
        assert_eq!(given[1].1, RecordedAnswer::Fault("late".to_owned(), "it took too long".to_owned()));
        let (given, lines) = answers(&asked, &with(&[">answer 2 go"]), 2).unwrap();
        assert_eq!((given[1].1.clone(), lines), (RecordedAnswer::Lines(owned(&["go"])), 3));
        let one_more = owned(&[">answer 1 a", ">answer 1 b", ">answer 1 c"]);
        for wrong in [&whole[..1], &whole[..2], &one_more[..], &whole[2..3]] {
            assert!(answers(&asked, wrong, 2).is_err(), "{wrong:?}");
        }
    }
}
