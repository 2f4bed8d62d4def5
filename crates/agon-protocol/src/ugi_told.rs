//! UGI and its relatives, for games of referee programs. The engine is told the position and the
//! moves that the referee tells its seat, and is asked by `go`.
//!
//! The handshake is that of [`super::ugi`]. A question is `position TEXT moves M ...` with all
//! moves so far, and `go` with the clocks. The referee tells a seat its own moves as well, so the
//! list is always the game as the referee has it. A seat that was late owes a `bestmove`, which
//! answers nothing: it is sent `stop` before the next question.

use agon_seats::{Clock, PerSeat, SearchLimits, Seat};

use super::announced::AnnouncedOption;
use super::told::{AnswerSize, Told};
use super::ugi::{go, option_lines, other_words};
use super::ugi_words::UgiWords;
use super::{Conversation, Reply};

/// How the lines of a referee and the words of UGI belong together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UgiTable {
    /// What stands behind `position` until the referee tells a line `position TEXT`.
    pub start: String,
    /// What begins and ends a line that tells a move.
    pub told: (String, String),
    /// Moves of the referee, and the words of engines for them. The first word is told.
    pub answers: Vec<(String, Vec<String>)>,
    /// The seat whose clock comes first.
    pub first: Seat,
}

impl Default for UgiTable {
    fn default() -> Self {
        UgiTable {
            start: "startpos".to_owned(),
            told: ("move ".to_owned(), String::new()),
            answers: Vec::new(),
            first: Seat::FIRST,
        }
    }
}

/// The progress of the handshake.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Greeted,
    Asked,
    Ready,
}

/// One engine's conversation.
pub struct UgiTold {
    table: UgiTable,
    words: UgiWords,
    /// What is sent after the answer to the greeting.
    setup: String,
    search: SearchLimits,
    seat: Seat,
    stage: Stage,
    /// The position from which the moves begin.
    position: String,
    /// All moves since, as the engine writes them.
    moves: Vec<String>,
    /// How many answers to earlier questions may still come.
    owed: usize,
    /// The options that it has announced.
    announced: Vec<AnnouncedOption>,
    /// Whether it was late, and has not answered a question since.
    is_behind: bool,
}

impl UgiTold {
    /// The conversation with an engine on this seat.
    pub fn new(
        table: UgiTable,
        words: &UgiWords,
        options: &[(String, String)],
        search: SearchLimits,
        seat: Seat,
    ) -> Self {
        let setup = format!("{}{}\nisready\n", option_lines(options), words.new_game);
        UgiTold {
            position: table.start.clone(),
            words: words.clone(),
            table,
            setup,
            search,
            seat,
            stage: Stage::Greeted,
            moves: Vec::new(),
            owed: 0,
            announced: Vec::new(),
            is_behind: false,
        }
    }

    /// A move of the referee as the engine writes it.
    fn written(&self, told: &str) -> String {
        let known = self.table.answers.iter().find(|(move_told, _)| move_told == told);
        match (known.and_then(|(_, words)| words.first()), &self.words.map) {
            (Some(word), _) => word.clone(),
            (None, Some(map)) => map.around(told),
            (None, None) => told.to_owned(),
        }
    }

    /// The line of the referee that an engine's word stands for.
    fn meaning(&self, word: &str) -> String {
        let is_word = |other: &String| other.eq_ignore_ascii_case(word);
        let known = self.table.answers.iter().find(|(_, words)| words.iter().any(is_word));
        match (known, &self.words.map) {
            (Some((meaning, _)), _) => meaning.clone(),
            (None, _) if word.eq_ignore_ascii_case("resign") => "resign".to_owned(),
            (None, Some(map)) => map.inside(word).unwrap_or(word).to_owned(),
            (None, None) => word.to_owned(),
        }
    }
}

impl Conversation for UgiTold {
    fn hello(&self) -> Vec<u8> {
        format!("{}\n", self.words.greeting).into_bytes()
    }

    fn awaits(&self) -> Option<&str> {
        match self.stage {
            Stage::Greeted => Some(&self.words.ok),
            Stage::Asked => Some("readyok"),
            Stage::Ready => None,
        }
    }

    fn hear(&mut self, line: Vec<u8>) -> Reply {
        let text = String::from_utf8_lossy(&line);
        let mut words = text.split_ascii_whitespace();
        match (words.next(), self.stage) {
            (Some(_), Stage::Greeted) if self.words.ok == UgiWords::ANY_LINE => {
                self.stage = Stage::Ready;
                Reply::Ready
            }
            (Some(word), Stage::Greeted) if word == self.words.ok => {
                self.stage = Stage::Asked;
                Reply::Tell(self.setup.clone().into_bytes())
            }
            (Some("option"), Stage::Greeted) => {
                self.announced.push(AnnouncedOption::read(line.split(u8::is_ascii_whitespace)));
                Reply::Nothing
            }
            (Some("readyok"), Stage::Asked) => {
                self.stage = Stage::Ready;
                Reply::Ready
            }
            (Some("bestmove"), Stage::Ready) if self.owed > 0 => {
                self.owed -= 1;
                Reply::Nothing
            }
            (Some("bestmove"), Stage::Ready) => {
                Reply::Move(self.meaning(words.next().unwrap_or_default()).into_bytes())
            }
            _ => Reply::Nothing,
        }
    }

    fn announced(&self) -> &[AnnouncedOption] {
        &self.announced
    }

    fn remark(&self) -> Option<String> {
        (self.stage == Stage::Greeted).then(|| other_words(&self.words))
    }
}

impl Told for UgiTold {
    fn told(&mut self, lines: &str) {
        let (before, after) = self.table.told.clone();
        for line in lines.lines() {
            if let Some(position) = line.strip_prefix("position ") {
                position.trim().clone_into(&mut self.position);
                self.moves.clear();
            } else if let Some(told) =
                line.strip_prefix(before.as_str()).and_then(|rest| rest.strip_suffix(after.as_str()))
                && !told.is_empty()
                && !told.contains(char::is_whitespace)
            {
                self.moves.push(self.written(told));
            }
        }
    }

    fn question(&mut self, clocks: &PerSeat<Clock>) -> Vec<u8> {
        let mut text = if self.owed > 0 { "stop\n".to_owned() } else { String::new() };
        text.push_str("position ");
        text.push_str(&self.position);
        if !self.moves.is_empty() {
            text.push_str(" moves ");
            text.push_str(&self.moves.join(" "));
        }
        text.push('\n');
        go(&mut text, &self.words, clocks, self.seat, self.table.first, true, &self.search);
        text.into_bytes()
    }

    fn late(&mut self, _: &AnswerSize, _: u64) {
        self.owed += 1;
        self.is_behind = true;
    }

    fn is_behind(&self) -> bool {
        self.is_behind
    }

    fn catches_up(&mut self) -> bool {
        std::mem::take(&mut self.is_behind)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use agon_seats::TimeControl;

    use super::*;
    use crate::Protocol;

    /// A conversation with the second seat after its handshake, and the clocks.
    fn talk(table: UgiTable, protocol: &Protocol) -> (UgiTold, PerSeat<Clock>) {
        let mut words = UgiWords::usual(protocol);
        words.map = Some("P@{move}".parse().unwrap());
        let options = [("Hash".to_owned(), "16".to_owned())];
        let mut talk = UgiTold::new(table, &words, &options, SearchLimits::default(), Seat::SECOND);
        assert_eq!(talk.hear(words.ok.clone().into_bytes()), {
            let setup = format!("setoption name Hash value 16\n{}\nisready\n", words.new_game);
            Reply::Tell(setup.into_bytes())
        });
        assert_eq!(talk.awaits(), Some("readyok"));
        assert_eq!(talk.hear(b"readyok".to_vec()), Reply::Ready);
        let time = |seconds| TimeControl::WholeGame {
            base: Duration::from_secs(seconds),
            increment: Duration::ZERO,
        };
        let clocks = PerSeat::from_fn(2, |seat| {
            Clock::new(time(60 + 30 * seat.index() as u64), Duration::ZERO, Duration::ZERO)
        });
        (talk, clocks)
    }

    fn asked(talk: &mut UgiTold, clocks: &PerSeat<Clock>) -> String {
        String::from_utf8(talk.question(clocks)).unwrap()
    }

    #[test]
    fn a_question_has_the_position_all_moves_and_both_clocks() {
        let (mut talk, clocks) = talk(UgiTable::default(), &Protocol::Uai);
        talk.told("legal a1 b2\nmove a1\nmove b2 c3\nmoved c3\n");
        let go = "go btime 60000 wtime 90000 binc 0 winc 0\n";
        assert_eq!(asked(&mut talk, &clocks), format!("position startpos moves P@a1\n{go}"));
        assert_eq!(talk.hear(b"bestmove p@b2 ponder P@c3".to_vec()), Reply::Move(b"b2".to_vec()));
        talk.told("move b2\nmove c3\n");
        assert_eq!(asked(&mut talk, &clocks), format!("position startpos moves P@a1 P@b2 P@c3\n{go}"));
        // What is of another form goes to the referee as it is.
        assert_eq!(talk.hear(b"bestmove e2e4".to_vec()), Reply::Move(b"e2e4".to_vec()));
        talk.told("position fen xo o\nmove d4\n");
        assert_eq!(asked(&mut talk, &clocks), format!("position fen xo o moves P@d4\n{go}"));
    }

    #[test]
    fn a_table_says_what_a_word_means_and_whose_clock_is_the_first() {
        let table = UgiTable {
            start: "fen x o".to_owned(),
            told: ("play * ".to_owned(), " !".to_owned()),
            answers: vec![("pass".to_owned(), vec!["0000".to_owned(), "(none)".to_owned()])],
            first: Seat::SECOND,
        };
        let (mut talk, clocks) = talk(table, &Protocol::Uci);
        talk.told("play * pass !\nplay * b2 !\nplay * b3\n");
        let go = "go wtime 90000 btime 60000 winc 0 binc 0\n";
        assert_eq!(asked(&mut talk, &clocks), format!("position fen x o moves 0000 P@b2\n{go}"));
        for (word, meaning) in [("(NONE)", "pass"), ("0000", "pass"), ("Resign", "resign"), ("", "")] {
            let line = format!("bestmove {word}").into_bytes();
            assert_eq!(talk.hear(line), Reply::Move(meaning.as_bytes().to_vec()), "{word}");
        }
    }

    #[test]
    fn a_late_move_answers_nothing() {
        let (mut talk, clocks) = talk(UgiTable::default(), &Protocol::Ugi);
        asked(&mut talk, &clocks);
        talk.late(&AnswerSize::Lines(1), 0);
        assert!(talk.is_behind());
        talk.told("move a1\n");
        assert!(asked(&mut talk, &clocks).starts_with("stop\nposition startpos moves P@a1\ngo p1time "));
        assert_eq!(talk.hear(b"bestmove P@z9".to_vec()), Reply::Nothing);
        assert_eq!(talk.hear(b"bestmove P@b2".to_vec()), Reply::Move(b"b2".to_vec()));
        assert!(talk.catches_up() && !talk.is_behind());
    }
}
