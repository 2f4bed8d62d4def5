//! Conversations in games of referee programs: an engine reads the lines that the referee tells its
//! seat, and answers in lines. An engine that was late owes the lines of its answer, which are no
//! answer to a later question.

use agon_seats::{Clock, PerSeat};

use super::{Conversation, Reply};

/// How much a question asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AnswerSize {
    /// So many lines.
    Lines(u32),
    /// Lines up to one that is this word.
    Until(String),
}

impl AnswerSize {
    /// Whether these lines are a whole answer.
    pub fn is_whole(&self, lines: &[String]) -> bool {
        match self {
            AnswerSize::Lines(count) => u32::try_from(lines.len()) == Ok(*count),
            AnswerSize::Until(word) => lines.last() == Some(word),
        }
    }
}

/// A conversation about the game of a referee program. Each line that the referee gets of an
/// answer is a [`Reply::Move`].
pub trait Told: Conversation {
    /// Whether each answer has one line, as a move has.
    fn answers_one_line(&self) -> bool {
        true
    }

    /// Takes the lines that the referee has told the seat. Lines that mean nothing in the protocol
    /// are left out.
    fn told(&mut self, lines: &str);

    /// What asks for an answer, in addition to what was sent before.
    fn question(&mut self, clocks: &PerSeat<Clock>) -> Vec<u8>;

    /// What of the lines it is to be sent when the game is over.
    fn rest(&mut self) -> Vec<u8> {
        Vec::new()
    }

    /// Its time has run out when so many lines of the answer were there. The others may come later.
    fn late(&mut self, asked: &AnswerSize, heard: u64);

    /// Whether the answer to an earlier question may still come.
    fn is_behind(&self) -> bool;

    /// It has answered the last question. Returns whether it is behind no more by that.
    fn catches_up(&mut self) -> bool;

    /// How many lines since the last question have answered earlier ones.
    fn earlier(&self) -> usize {
        0
    }
}

/// What a seat still owes after it was late: lines that answer an earlier question.
enum Debt {
    Lines(u64),
    Until(String),
}

/// The conversation with an engine that reads and answers lines.
pub struct LinesTold {
    /// The lines that it is to be sent.
    untold: String,
    /// What follows the lines of a question.
    prompt: Vec<u8>,
    debts: Vec<Debt>,
    /// How many lines of this turn answered earlier questions.
    paid: usize,
}

impl LinesTold {
    /// A conversation in which this line follows what is told, if it is not empty.
    pub fn new(prompt: &str) -> Self {
        let prompt = if prompt.is_empty() { Vec::new() } else { format!("{prompt}\n").into_bytes() };
        LinesTold { untold: String::new(), prompt, debts: Vec::new(), paid: 0 }
    }
}

impl Conversation for LinesTold {
    fn hear(&mut self, line: Vec<u8>) -> Reply {
        let Some(oldest) = self.debts.first_mut() else { return Reply::Move(line) };
        let is_paid = match oldest {
            Debt::Lines(count) => {
                *count -= 1;
                *count == 0
            }
            Debt::Until(word) => line == word.as_bytes(),
        };
        if is_paid {
            self.debts.remove(0);
        }
        self.paid += 1;
        Reply::Nothing
    }
}

impl Told for LinesTold {
    fn answers_one_line(&self) -> bool {
        false
    }

    fn told(&mut self, lines: &str) {
        self.untold.push_str(lines);
    }

    fn question(&mut self, _: &PerSeat<Clock>) -> Vec<u8> {
        self.paid = 0;
        let mut text = self.rest();
        text.extend_from_slice(&self.prompt);
        text
    }

    fn rest(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.untold).into_bytes()
    }

    fn late(&mut self, asked: &AnswerSize, heard: u64) {
        self.debts.push(match asked {
            AnswerSize::Lines(count) => Debt::Lines(u64::from(*count) - heard),
            AnswerSize::Until(word) => Debt::Until(word.clone()),
        });
    }

    fn is_behind(&self) -> bool {
        !self.debts.is_empty()
    }

    /// Its late lines have come before, or it was not late.
    fn catches_up(&mut self) -> bool {
        false
    }

    fn earlier(&self) -> usize {
        self.paid
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use agon_seats::TimeControl;

    use super::*;

    #[test]
    fn lines_that_are_owed_answer_no_later_question() {
        let control = TimeControl::PerMove(Duration::from_secs(1));
        let clocks = PerSeat::from_fn(2, |_| Clock::new(control, Duration::ZERO, Duration::ZERO));
        let mut told = LinesTold::new("?");
        told.told("card 1\n");
        assert_eq!(told.question(&clocks), b"card 1\n?\n");
        told.late(&AnswerSize::Lines(2), 1);
        told.late(&AnswerSize::Until("go".to_owned()), 0);
        assert_eq!(told.question(&clocks), b"?\n");
        for line in ["second", "x", "go"] {
            assert!(told.is_behind(), "{line}");
            assert_eq!(told.hear(line.as_bytes().to_vec()), Reply::Nothing);
        }
        assert_eq!((told.is_behind(), told.earlier()), (false, 3));
        assert_eq!(told.hear(b"mine".to_vec()), Reply::Move(b"mine".to_vec()));
        told.told("over\n");
        assert_eq!(told.rest(), b"over\n");
    }
}
