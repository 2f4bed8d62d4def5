//! The protocol `console`: programs that are made for people, with boards, prompts and menus.
//!
//! The regular expression `answer` finds the move in what such a program writes. It searches line
//! by line, and in a line that the program leaves unfinished while it waits. The program is told a
//! move by the template `say`. Without the key `prompt` it is told everything as soon as it is
//! known. With it, it is told one line for each prompt. That suits a program that throws away what
//! was written too early, and one that repeats its move behind it.
//!
//! At the start it is told the lines of `start`, then `first` or `second`, then the moves of the
//! opening. A program with `prompt` is told them before the game, within its start-up budget. The
//! last line is kept for its first turn if it is to move: it begins to think there.
//!
//! A program may draw by lot who begins, and say so in its first lines. If that is not as the game
//! has it, it is started anew.

use std::collections::VecDeque;
use std::sync::Arc;

use agon_printable::escape;
use agon_seats::{Clock, PerSeat, Seat};

use super::console_spec::{Board, ConsoleSpec};
use super::{Conversation, Reply, Start, Talk, without_side};

/// What stands for its prompt in an example of a conversation.
const ITS_PROMPT: &str = "(its prompt)";
/// The longest text of a program that a reason quotes, in characters.
const QUOTED: usize = 100;
/// How many lines without a move a reason quotes.
const LAST_LINES: usize = 3;
/// So many letters are a word, and not the names of columns.
const WORD: usize = 3;

/// One program's conversation.
pub(super) struct ConsoleTalk {
    spec: Arc<ConsoleSpec>,
    board: Board,
    seat: Seat,
    seats: &'static [&'static str],
    /// Whether it makes the first move of the game.
    begins: bool,
    /// Whether it has drawn that.
    has_drawn: bool,
    /// The lines that it is still to be told.
    waiting: VecDeque<String>,
    /// How many of them are kept for its first turn.
    kept: usize,
    /// Whether the lines before its first turn are being told.
    starting: bool,
    /// Whether it waits for a line.
    prompted: bool,
    /// Whether it is to move.
    asked: bool,
    /// The lines that it has not repeated yet.
    told: VecDeque<String>,
    /// What is sent next.
    question: Vec<u8>,
    /// The last move of an opponent, as it was told.
    last_told: String,
    /// What it said about that.
    complaint: Option<String>,
    /// The lines of this turn without a move: how many, and the last of them.
    without_move: LinesWithoutMove,
    /// Its last move, as it wrote it.
    said: Vec<u8>,
}

impl ConsoleTalk {
    pub(super) fn new(spec: &Arc<ConsoleSpec>, start: &Start) -> Self {
        let own = start.seats[start.seat.index()];
        let is_own = |text: &str| text.split_once(',').is_some_and(|(side, _)| side == own);
        let moves = start.moves.as_deref().unwrap_or_default();
        let begins = moves.first().map_or(start.to_move == start.seat, |text| is_own(text));
        let mut talk = ConsoleTalk {
            board: Board::new(spec, start),
            seat: start.seat,
            seats: start.seats,
            begins,
            has_drawn: false,
            waiting: spec.opening_lines(begins).collect(),
            kept: 0,
            starting: false,
            prompted: false,
            asked: false,
            told: VecDeque::new(),
            question: Vec::new(),
            last_told: String::new(),
            complaint: None,
            without_move: LinesWithoutMove::default(),
            said: Vec::new(),
            spec: spec.clone(),
        };
        moves.iter().for_each(|text| talk.add(text, is_own(text)));
        talk.kept = usize::from(start.to_move == start.seat && !talk.waiting.is_empty());
        // One that is to move and needs no line does so without a prompt.
        talk.starting = spec.prompt.is_some() && (start.to_move != start.seat || talk.kept > 0);
        talk
    }

    /// Has a move told next.
    fn add(&mut self, text: &str, is_own: bool) {
        let (side, mv) = text.split_once(',').unwrap_or(("", text));
        let lines = self.spec.told(side, mv, is_own, &self.board);
        self.last_told = lines.join(" ");
        self.waiting.extend(lines);
    }

    /// The line that it is told for its prompt.
    fn next_line(&mut self) -> Vec<u8> {
        let Some(line) = self.waiting.pop_front() else { return Vec::new() };
        self.prompted = false;
        let bytes = format!("{line}\n").into_bytes();
        if self.spec.echo {
            self.told.push_back(line);
        }
        bytes
    }

    /// What it can be told now.
    fn next_lines(&mut self) -> Vec<u8> {
        match self.spec.prompt {
            Some(_) if self.prompted => self.next_line(),
            Some(_) => Vec::new(),
            None => (0..self.waiting.len()).flat_map(|_| self.next_line()).collect(),
        }
    }

    /// The parts of a text between prompts, and whether it ends with a prompt.
    fn parts<'t>(&self, text: &'t str) -> (Vec<&'t str>, bool) {
        let Some(prompt) = &self.spec.prompt else { return (Vec::new(), false) };
        let (mut parts, mut from) = (Vec::new(), 0);
        for found in prompt.0.find_iter(text) {
            parts.push(&text[from..found.start()]);
            from = found.end();
        }
        if parts.is_empty() {
            return (parts, false);
        }
        parts.push(&text[from..]);
        (parts, text[from..].trim().is_empty())
    }

    fn listen(&mut self, bytes: &[u8], is_whole: bool) -> Reply {
        let text = String::from_utf8_lossy(bytes);
        if let Some(lot) = self.spec.lot(&text).filter(|_| !self.has_drawn) {
            self.has_drawn = true;
            if lot != self.begins {
                return Reply::Again;
            }
        }
        let (parts, ends_with_prompt) = self.parts(&text);
        self.prompted |= ends_with_prompt || text == ITS_PROMPT;
        // A part between prompts may be an answer that a `^` keeps from being found in the whole.
        let texts = || std::iter::once(&*text).chain(parts.iter().copied());
        if let Some(next) = self.told.front()
            && texts().any(|text| text.trim() == next.trim())
        {
            self.told.pop_front();
        } else if let Some(reply) = self.answer_in(&text, texts(), is_whole) {
            self.said = bytes.to_vec();
            return reply;
        }
        match self.waiting.len() {
            _ if !self.prompted || !(self.starting || self.asked) => Reply::Nothing,
            left if self.starting && left <= self.kept => {
                self.starting = false;
                Reply::Ready
            }
            0 => Reply::Nothing,
            _ => Reply::Tell(self.next_line()),
        }
    }

    /// Its move, if it is to move and knows everything.
    fn answer_in<'t>(
        &mut self,
        whole: &str,
        mut texts: impl Iterator<Item = &'t str> + Clone,
        is_whole: bool,
    ) -> Option<Reply> {
        if self.starting || !self.asked || !self.waiting.is_empty() {
            return None;
        }
        if self.spec.illegal.as_ref().is_some_and(|illegal| illegal.0.is_match(whole)) {
            self.complaint = Some(escape(whole.trim().as_bytes(), QUOTED));
            return None;
        }
        let mv = if self.spec.resign.as_ref().is_some_and(|resign| resign.0.is_match(whole)) {
            Some("R".to_owned())
        } else {
            texts.find_map(|text| self.spec.answer.find(text, &self.board))
        };
        let Some(mv) = mv else {
            // An unfinished line may still grow, and is told of elsewhere.
            if is_whole && !whole.trim().is_empty() {
                self.without_move.add(&escape(whole.trim().as_bytes(), QUOTED));
            }
            return None;
        };
        self.asked = false;
        let side = self.seats[self.seat.index()];
        Some(Reply::Move(format!("{side},{mv}").into_bytes()))
    }
}

/// The lines of a turn in which no move was found.
#[derive(Default)]
struct LinesWithoutMove {
    count: u32,
    /// The last ones, newest first.
    last: VecDeque<String>,
    /// The last ones with words: the others are mostly rows of a board.
    last_words: VecDeque<String>,
}

impl LinesWithoutMove {
    fn add(&mut self, line: &str) {
        self.count += 1;
        let is_words = line.split(|letter: char| !letter.is_alphabetic()).any(|word| word.len() >= WORD);
        let lists = [Some(&mut self.last), is_words.then_some(&mut self.last_words)];
        for list in lists.into_iter().flatten() {
            list.truncate(LAST_LINES - 1);
            list.push_front(line.to_owned());
        }
    }

    /// The last lines with words, or else the last lines.
    fn shown(&self) -> String {
        let lines = if self.last_words.is_empty() { &self.last } else { &self.last_words };
        let lines: Vec<String> = lines.iter().rev().map(|line| format!("\"{line}\"")).collect();
        lines.join(", ")
    }
}

impl Conversation for ConsoleTalk {
    fn awaits(&self) -> Option<&'static str> {
        let waits = self.starting || !self.waiting.is_empty();
        (self.spec.prompt.is_some() && !self.prompted && waits).then_some(ITS_PROMPT)
    }

    fn hear(&mut self, line: Vec<u8>) -> Reply {
        self.listen(&line, true)
    }

    fn hear_prompt(&mut self, text: &[u8]) -> Reply {
        self.listen(text, false)
    }

    fn remark(&self) -> Option<String> {
        if let Some(words) = self.complaint.as_ref().filter(|_| self.last_told.is_empty()) {
            return Some(format!("it said \"{words}\""));
        }
        if let Some(words) = &self.complaint {
            return Some(format!("of the move {:?} it said \"{words}\"", self.last_told));
        }
        match self.without_move.count {
            0 if self.asked && !self.waiting.is_empty() => {
                Some("it was not told the move, because no text matched the key prompt".to_owned())
            }
            0 => None,
            lines => Some(format!(
                "in {lines} line(s) the key answer found no move; the last: {}",
                self.without_move.shown()
            )),
        }
    }
}

impl Talk for ConsoleTalk {
    /// A program is not told its own moves.
    fn played(&mut self, by: Seat, text: &str) -> &[u8] {
        if by == self.seat {
            return &[];
        }
        self.add(text, false);
        self.question = self.next_lines();
        &self.question
    }

    fn question(&mut self, _: &PerSeat<Clock>) -> &[u8] {
        self.asked = true;
        self.complaint = None;
        self.without_move = LinesWithoutMove::default();
        self.question = self.next_lines();
        &self.question
    }

    fn answer(&self, text: &str) -> String {
        self.board.written(without_side(text))
    }

    fn said(&self) -> &[u8] {
        &self.said
    }
}

#[cfg(test)]
mod tests {
    use agon_games::Needs;

    use super::*;
    use agon_seats::TimeControl;
    use std::time::Duration;

    /// A conversation about a game of tic-tac-toe after these moves.
    fn talk(table: &str, seat: Seat, moves: &[&str]) -> ConsoleTalk {
        let spec: ConsoleSpec = toml::from_str(table).unwrap();
        let rules = agon_games::find("mnk:3x3,3", &Needs::default()).unwrap();
        spec.fits(rules.as_ref()).unwrap();
        let mut game = rules.start(1);
        let moves: Vec<String> = moves.iter().map(|text| game.play(text.as_bytes()).unwrap().text).collect();
        let start = Start::new(rules.as_ref(), game.as_ref(), seat, Some(&moves));
        spec.can_start(&start).unwrap();
        ConsoleTalk::new(&Arc::new(spec), &start)
    }

    fn ask(talk: &mut ConsoleTalk) -> String {
        let clock =
            |_| Clock::new(TimeControl::PerMove(Duration::from_secs(1)), Duration::ZERO, Duration::ZERO);
        String::from_utf8(talk.question(&PerSeat::from_fn(2, clock)).to_vec()).unwrap()
    }

    fn heard(talk: &mut ConsoleTalk, text: &str) -> Reply {
        talk.hear(text.as_bytes().to_vec())
    }

    fn plays(mv: &str) -> Reply {
        Reply::Move(mv.as_bytes().to_vec())
    }

    fn tells(text: &str) -> Reply {
        Reply::Tell(text.as_bytes().to_vec())
    }

    const CELLS: &str = "answer = 'I play (\\d)'\nsay = \"{move}\"\ncoordinates = \"{cell}\"\n";

    #[test]
    fn a_program_without_a_prompt_is_told_everything_at_once() {
        let mut second = talk(&format!("{CELLS}start = [\"new\"]\nsecond = \"you\"\n"), Seat::SECOND, &[]);
        assert_eq!(second.awaits(), None);
        assert_eq!(second.played(Seat::FIRST, "X,b2"), b"new\nyou\n5\n");
        assert_eq!(ask(&mut second), "");
        assert_eq!(heard(&mut second, "hm, I play 7 then"), plays("O,a1"));
        assert_eq!(heard(&mut second, "I play 8"), Reply::Nothing, "it has moved");
        let mut first = talk(&format!("{CELLS}first = \"me\"\n"), Seat::FIRST, &[]);
        assert_eq!(ask(&mut first), "me\n");
        assert_eq!(heard(&mut first, "I play 99"), plays("X,c1"), "the first match counts");
    }

    #[test]
    fn each_prompt_gets_one_line_and_the_last_one_before_its_first_move_waits_for_its_turn() {
        let prompts = format!("{CELLS}start = [\"3\"]\nfirst = \"2\"\nsecond = \"1\"\nprompt = '[?:] $'\n");
        let mut first = talk(&prompts, Seat::FIRST, &[]);
        assert_eq!(first.awaits(), Some(ITS_PROMPT));
        assert_eq!(heard(&mut first, "Welcome"), Reply::Nothing);
        assert_eq!(first.hear_prompt(b"Size: "), tells("3\n"));
        assert_eq!(first.hear_prompt(b"Who begins? "), Reply::Ready);
        assert_eq!(ask(&mut first), "2\n");
        assert_eq!(first.hear_prompt(b"I play 1. Your move: "), plays("X,a3"));
        assert_eq!(first.played(Seat::SECOND, "O,c1"), b"9\n", "it was waiting");
        let mut second = talk(&prompts, Seat::SECOND, &[]);
        assert_eq!(
            [second.hear_prompt(b"Size: "), second.hear_prompt(b"Who? ")],
            [tells("3\n"), tells("1\n")]
        );
        assert_eq!(second.hear_prompt(b"Your move: "), Reply::Ready);
        assert_eq!(second.played(Seat::FIRST, "X,a3"), b"1\n");
        assert_eq!(ask(&mut second), "");
        assert_eq!(heard(&mut second, "I play 2"), plays("O,b3"));
        // What it writes behind its move does not answer the next question.
        assert_eq!(second.played(Seat::FIRST, "X,c1"), b"");
        assert_eq!(ask(&mut second), "");
        assert_eq!(heard(&mut second, "so: I play 2"), Reply::Nothing);
        assert_eq!(second.hear_prompt(b"Your move: "), tells("9\n"));
        assert_eq!(heard(&mut second, "I play 3"), plays("O,c3"));
    }

    #[test]
    fn an_echo_is_no_answer_and_comes_once_for_each_line() {
        let echo = "answer = '^(\\d)$'\nsay = \"{cell}\"\ncoordinates = \"{cell}\"\necho = true\nprompt = 'move> '\n";
        let mut second = talk(echo, Seat::SECOND, &[]);
        assert_eq!(second.hear_prompt(b"move> "), Reply::Ready);
        assert_eq!(second.played(Seat::FIRST, "X,a3"), b"1\n");
        ask(&mut second);
        assert_eq!(heard(&mut second, "move> 1"), Reply::Nothing);
        assert_eq!(heard(&mut second, "1"), plays("O,a3"), "the second one is its own, and illegal");
    }

    #[test]
    fn the_moves_of_an_opening_are_told_by_their_sides() {
        let own = format!("{CELLS}own = \"force {{move}}\"\nfirst = \"f\"\nsecond = \"s\"\n");
        let mut first = talk(&own, Seat::FIRST, &["X,b2", "O,a1"]);
        assert_eq!(ask(&mut first), "f\nforce 5\n7\n");
        let mut second = talk(&own, Seat::SECOND, &["X,b2"]);
        assert_eq!(ask(&mut second), "s\n5\n");
    }

    #[test]
    fn a_start_that_cannot_be_told_is_refused() {
        let rules = agon_games::find("mnk:3x3,3", &Needs::default()).unwrap();
        let game = rules.resume("XO./.../...").unwrap();
        let spec: ConsoleSpec = toml::from_str(CELLS).unwrap();
        let start = |moves: Option<&[String]>| Start::new(rules.as_ref(), game.as_ref(), Seat::FIRST, moves);
        let position = spec.can_start(&start(None)).unwrap_err();
        assert!(position.contains("as moves"), "{position}");
        let moves = ["X,a3".to_owned(), "O,b3".to_owned()];
        let own = spec.can_start(&start(Some(&moves))).unwrap_err();
        assert!(own.contains("X,a3") && own.contains("own = "), "{own}");
        let sides: ConsoleSpec = toml::from_str("answer = '(.+)'\nsay = \"{side} {move}\"\n").unwrap();
        assert_eq!(sides.can_start(&start(Some(&moves))), Ok(()));
    }

    #[test]
    fn a_complaint_and_lines_without_a_move_are_remarked() {
        let mut second =
            talk(&format!("{CELLS}illegal = '(?i)illegal'\nresign = 'give up'\n"), Seat::SECOND, &[]);
        second.played(Seat::FIRST, "X,b2");
        ask(&mut second);
        assert_eq!(heard(&mut second, "thinking"), Reply::Nothing);
        assert!(second.remark().is_some_and(|words| words.contains("\"thinking\"")), "{:?}", second.remark());
        assert_eq!(heard(&mut second, "Illegal move! I play 5"), Reply::Nothing);
        assert_eq!(second.remark().unwrap(), "of the move \"5\" it said \"Illegal move! I play 5\"");
        assert_eq!(heard(&mut second, "I give up"), plays("O,R"));
        let mut first = talk(&format!("{CELLS}illegal = '(?i)illegal'\n"), Seat::FIRST, &[]);
        ask(&mut first);
        heard(&mut first, "Illegal move!");
        assert_eq!(first.remark().unwrap(), "it said \"Illegal move!\"", "it was told none");
    }

    #[test]
    fn the_parts_of_a_cell_can_stand_apart() {
        let apart = "answer = 'row (?<row_down>\\d+), column (?<A>\\w)'\nsay = \"{row_down}\\n{A}\"\n";
        let mut second = talk(apart, Seat::SECOND, &[]);
        assert_eq!(second.played(Seat::FIRST, "X,a3"), b"1\nA\n");
        ask(&mut second);
        assert_eq!(heard(&mut second, "row 4, column d"), plays("O,row 4, column d"));
        ask(&mut second);
        assert_eq!(heard(&mut second, "I take row 3, column c."), plays("O,c1"));
    }

    #[test]
    fn a_slip_in_the_table_is_named() {
        let said = |table: &str| toml::from_str::<ConsoleSpec>(table).unwrap_err().to_string();
        let cases = [
            ("answer = '(('\nsay = \"{move}\"\n", "line 1", "single quotes"),
            ("answer = 'I play'\nsay = \"{move}\"\n", "line 1", "parentheses"),
            ("answer = '(?<cel>.)'\nsay = \"{move}\"\n", "line 1", "column, x"),
            ("answer = '(.)'\nsay = \"{mov}\"\n", "line 2", "{mov} is unknown"),
            ("answer = '(.)'\nsay = \"play\"\n", "line 2", "{move}"),
            ("answer = '(.)'\nsay = \"{move}\"\nprompt = '.*'\n", "line 3", "no length"),
            ("answer = '(.)'\nsay = \"{move}\"\ncoordinates = 3\n", "line 3", "a template like"),
            ("answer = '(.)'\nsay = \"{move}\"\ncoordinates = \"{side}\"\n", "line 3", "{side} is unknown"),
            ("answer = '(.)'\nsay = \"{move}\"\nfirst = \"\\u0003\"\n", "line 3", "control"),
            ("answer = '(.)'\nsay = \"{move}\"\nsey = \"\"\n", "line 3", "sey"),
            ("say = \"{move}\"\n", "answer", "missing"),
        ];
        for (table, place, words) in cases {
            let said = said(table);
            assert!(said.contains(place) && said.contains(words), "{table}: {said}");
        }
    }

    #[test]
    fn a_game_without_such_cells_is_refused() {
        let rules = |game: &str| agon_games::find(game, &Needs::default()).unwrap();
        let spec: ConsoleSpec = toml::from_str(CELLS).unwrap();
        for game in ["connect4", "abalone"] {
            let why = spec.fits(rules(game).as_ref()).unwrap_err();
            assert!(why.contains("key coordinates") && why.contains(game), "{why}");
        }
        let table = "answer = '(.+)'\nsay = \"{move}\"\n[coordinates]\n15-14 = \"o to n\"\n";
        let spec: ConsoleSpec = toml::from_str(table).unwrap();
        assert_eq!(spec.fits(rules("morris").as_ref()), Ok(()));
    }
}
