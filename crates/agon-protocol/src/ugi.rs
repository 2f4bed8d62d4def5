//! The Universal Game Interface, a public generalisation of the chess engines' UCI.
//!
//! `ugi` is answered with `ugiok`; then the options of `engine.toml` are sent, each as `setoption
//! name X value Y`. `isready` is answered with `readyok`; a game begins with `uginewgame`. On its
//! turn an engine is sent `position startpos|fen TEXT [moves M ...]`. Then it is sent `go movetime
//! MS` or `go p1time MS p2time MS [p1inc MS] [p2inc MS] [movestogo N]`, and behind that the limits
//! of its search, `nodes N` and `depth N`, if there are any. It may send `info ...` and answers
//! `bestmove M`. Moves have no side letter. The last `info` with a `score` is stored with the move.
//! `bestmove resign` resigns. An engine that may think on its opponent's time is sent `go ponder`
//! after `bestmove A ponder B`: see `ugi_ponder.rs`. Unknown words are ignored, as in UCI. At the
//! end the engine is sent `quit`.
//!
//! In Chess960 an engine of UCI must have the option `UCI_Chess960`, which is set.
//!
//! UCI, TEI and UAI are the same conversation in other words ([`UgiWords`]): another greeting,
//! other names of the clocks. An engine may also write its moves in another way ([`MoveMap`]). Of a
//! relative, the answers `0000`, `(none)`, `draw` and the like are no moves, and the reason says
//! so.
//!
//! [`UgiWords`]: super::ugi_words::UgiWords
//! [`MoveMap`]: super::ugi_words::MoveMap
//!
//! The whole list of moves is sent on each turn, as the interface demands. So a ply late in a long
//! game costs more than an early one.

use std::borrow::Cow;
use std::fmt::Write;

use agon_games::chess::Chess;
use agon_games::remembers;
use agon_printable::escape;
use agon_seats::{Clock, PerSeat, SearchLimits, Seat, TimeControl};

use super::announced::{AnnouncedOption, option_named};
use super::stones::Stones;
use super::ugi_ponder::{self, Pondering, StrayAnswer};
use super::ugi_words::UgiWords;
use super::{Conversation, Ponderer, Reply, Start, Talk, TalkTerms, millis, no_move, without_side};

/// What a process is sent at its end.
pub(super) const FAREWELL: &[u8] = b"quit\n";
/// The longest thought that is stored, in characters.
const THOUGHT: usize = 300;

/// The progress of the handshake.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The greeting was sent.
    Greeted,
    /// `isready` was sent behind a `stop` at the end of the last game: what the engine answers to
    /// that comes before its answer to the next one.
    Stopped,
    /// `isready` was sent.
    Asked,
    Ready,
}

/// One engine's conversation.
pub struct UgiTalk {
    side: &'static str,
    begun: bool,
    stage: Stage,
    /// `position ...` with every move so far, followed by the last question. It grows with the
    /// game, and is copied only into the pipe.
    position: String,
    /// Where the position ends in it.
    reaches: usize,
    any_moves: bool,
    seat: Seat,
    words: UgiWords,
    /// The stones on the board, where moves are written by their cells.
    stones: Option<Stones>,
    /// What is sent after the answer to the greeting: the engine's options, and a new game.
    setup: String,
    /// Whether the engine must know Chess960, and castling in it.
    needs_960: bool,
    search: SearchLimits,
    /// The options that the engine has announced.
    announced: Vec<AnnouncedOption>,
    /// Its last move, as it wrote it.
    said: Vec<u8>,
    /// The last line since the question that has no meaning.
    unknown: Option<Vec<u8>>,
    /// Whether it may think on its opponent's time, and the name of its opponent.
    ponders_against: Option<&'static str>,
    /// The move that it expects of its opponent.
    guess: Option<String>,
    pondering: Pondering,
    /// Whether it was seen to answer twice.
    answers_twice: bool,
    /// Whether it was let think on its opponent's time in this game.
    has_pondered: bool,
    /// Whether an answer is still one of before the question: it has not answered `isready`.
    syncs: bool,
    /// A question that is more than the position and `go`.
    longer: String,
}

impl UgiTalk {
    pub(super) fn new(terms: &TalkTerms<'_>) -> Self {
        let &TalkTerms { ref start, begun, options, words, search, announced, .. } = terms;
        let needs_960 = words.greeting == "uci" && is_960(&start.game);
        let mut setup = option_lines(options);
        if needs_960 {
            setup.push_str(&format!("setoption name {OPTION_960} value true\n"));
        }
        // The game begins at its start. Moves that led there would count for a rule about
        // repetition.
        let moves = start.moves.as_deref().filter(|moves| moves.is_empty() || !remembers(&start.game));
        let position = match (moves, &start.position) {
            (Some(_), _) | (None, None) => "position startpos".to_owned(),
            (None, Some(text)) => format!("position fen {text}"),
        };
        let mut talk = UgiTalk {
            side: start.seats[start.seat.index()],
            begun,
            reaches: position.len(),
            stage: match (begun, terms.ponders) {
                (false, _) => Stage::Greeted,
                (true, false) => Stage::Asked,
                (true, true) => Stage::Stopped,
            },
            position,
            any_moves: false,
            seat: start.seat,
            stones: words.map.as_ref().and_then(|_| Stones::of(&start.without_moves())),
            words: words.clone(),
            setup: String::new(),
            needs_960,
            search,
            announced: announced.to_vec(),
            said: Vec::new(),
            unknown: None,
            ponders_against: (terms.ponders && may_ponder(terms)).then(|| other_of_two(start)).flatten(),
            guess: None,
            pondering: Pondering::No,
            answers_twice: false,
            has_pondered: false,
            syncs: false,
            longer: String::new(),
        };
        talk.setup = setup + &talk.new_game();
        for (number, text) in moves.iter().copied().flatten().enumerate() {
            talk.add(Seat::new(number % start.seats.len()), text);
        }
        talk
    }

    fn new_game(&self) -> String {
        format!("{}\nisready\n", self.words.new_game)
    }

    /// What is sent after the answer to the greeting.
    fn set_up(&self) -> Vec<u8> {
        let ponders = self.ponders_against.and_then(|_| self.option(ugi_ponder::OPTION));
        let set = ponders.map(|name| format!("setoption name {name} value true\n"));
        (set.unwrap_or_default() + &self.setup).into_bytes()
    }

    /// An option as the engine has announced it.
    fn option(&self, name: &str) -> Option<&str> {
        option_named(&self.announced, name).map(|own| own.name.as_str())
    }

    /// The position and `go`.
    fn plain_question(&mut self, clocks: &PerSeat<Clock>) -> &[u8] {
        self.position.truncate(self.reaches);
        self.position.push('\n');
        go(&mut self.position, &self.words, clocks, self.seat, Seat::FIRST, false, &self.search);
        // It does not search now, so `isready` costs it nothing. While it searches it is never
        // sent: some engines do not answer it then.
        if !self.answers_twice && !self.has_pondered {
            return self.position.as_bytes();
        }
        self.syncs = true;
        self.longer.clear();
        self.longer.push_str("isready\n");
        self.longer.push_str(&self.position);
        self.longer.as_bytes()
    }

    /// Adds a move to the position.
    fn add(&mut self, by: Seat, text: &str) {
        self.position.truncate(self.reaches);
        if !self.any_moves {
            self.position.push_str(" moves");
            self.any_moves = true;
        }
        self.position.push(' ');
        match &self.words.map {
            None => self.position.push_str(without_side(text)),
            Some(map) => self.position.push_str(&map.write(text, self.stones.as_ref())),
        }
        if let Some(stones) = &mut self.stones {
            stones.play(by, text);
        }
        self.reaches = self.position.len();
    }
}

/// Whether the options of an engine leave it to think on its opponent's time.
fn may_ponder(terms: &TalkTerms<'_>) -> bool {
    let is_off = |(name, value): &(String, String)| {
        name.eq_ignore_ascii_case(ugi_ponder::OPTION) && value.eq_ignore_ascii_case("false")
    };
    terms.words.map.is_none() && !terms.options.iter().any(is_off)
}

/// The name of the other seat, in games for two.
fn other_of_two(start: &Start) -> Option<&'static str> {
    match start.seats {
        [first, second] => Some(if start.seat == Seat::FIRST { second } else { first }),
        _ => None,
    }
}

/// The option of UCI without which an engine does not know where castling leads in Chess960.
const OPTION_960: &str = "UCI_Chess960";

/// Whether a game is Chess960.
fn is_960(game: &str) -> bool {
    let rules = game.strip_prefix("chess:").and_then(|options| options.parse::<Chess>().ok());
    rules.is_some_and(Chess::is_960)
}

/// What sets the options of an engine.
pub(super) fn option_lines(options: &[(String, String)]) -> String {
    let set = |(name, value): &(String, String)| match value.as_str() {
        "" => format!("setoption name {name}\n"),
        value => format!("setoption name {name} value {value}\n"),
    };
    options.iter().map(set).collect()
}

/// Adds the line `go` for an engine on `seat`. The clock of the seat `first` has the first of the
/// names. `always` also writes increments that are zero.
pub(super) fn go(
    text: &mut String,
    words: &UgiWords,
    clocks: &PerSeat<Clock>,
    seat: Seat,
    first: Seat,
    always: bool,
    search: &SearchLimits,
) {
    text.push_str("go");
    // Writing to a String cannot fail.
    let mut increments = String::new();
    let mut clocks: Vec<(Seat, &Clock)> = clocks.iter().collect();
    let own = clocks[seat.index()].1;
    clocks.rotate_left(first.index());
    let names = words.clocks.iter().zip(&words.increments);
    for ((of, clock), (time, inc)) in clocks.into_iter().zip(names) {
        match clock.control() {
            TimeControl::WholeGame { increment, .. } | TimeControl::Repeating { increment, .. } => {
                let _ = write!(text, " {time} {}", millis(clock.left())); // as above
                if increment.is_zero() && always {
                    let _ = write!(increments, " {inc} 0"); // as above
                } else if !increment.is_zero() {
                    let _ = write!(increments, " {inc} {}", millis(increment)); // as above
                }
            }
            TimeControl::PerMove(time) if of == seat => {
                let _ = write!(text, " movetime {}", millis(time)); // as above
            }
            TimeControl::PerMove(_) => {}
        }
    }
    text.push_str(&increments);
    if let Some(moves) = own.moves_to_go() {
        let _ = write!(text, " movestogo {moves}"); // as above
    }
    for (name, limit) in search.given() {
        let _ = write!(text, " {name} {limit}"); // as above
    }
    text.push('\n');
}

/// Whether the words behind `info` have a score, and it is that of the best line of play.
fn is_thought<'a>(mut words: impl Iterator<Item = &'a [u8]>) -> bool {
    let mut has_score = false;
    while let Some(word) = words.next() {
        match word {
            b"string" => break,
            // A unit without its number is no score.
            b"score" => {
                has_score = match words.next() {
                    Some(b"cp" | b"mate") => words.next().is_some_and(is_number),
                    unit => unit.is_some(),
                }
            }
            b"multipv" if words.next() != Some(b"1") => return false,
            _ => {}
        }
    }
    has_score
}

fn is_number(word: &[u8]) -> bool {
    std::str::from_utf8(word).is_ok_and(|word| word.parse::<f64>().is_ok_and(f64::is_finite))
}

/// A thought as it is stored. Tabs between its words are blanks.
fn thought(line: &[u8]) -> String {
    if !line.contains(&b'\t') {
        return escape(line, THOUGHT);
    }
    let blanks: Vec<u8> = line.iter().map(|byte| if *byte == b'\t' { b' ' } else { *byte }).collect();
    escape(&blanks, THOUGHT)
}

/// The answers of relatives that are no moves, and what they mean.
const NO_MOVES: [(&str, &str); 6] = [
    ("", "the move is missing"),
    ("0000", FINDS_NONE),
    ("(none)", FINDS_NONE),
    ("none", FINDS_NONE),
    ("draw", "a draw cannot be claimed or offered"),
    ("win", "a win cannot be claimed"),
];

const FINDS_NONE: &str = "it finds no legal move, and there are some; its rules may be other ones";

/// What to write if an engine does not answer the greeting, because it speaks a relative.
pub(super) fn other_words(words: &UgiWords) -> String {
    let own = words.greeting.as_str();
    let others: Vec<String> = ["ugi", "uci", "tei", "uai"]
        .iter()
        .filter(|name| **name != own)
        .map(|name| format!("\"{name}\""))
        .collect();
    let [first, second, third] = &others[..] else {
        return format!("the table [ugi] gives it the greeting {own}");
    };
    format!(
        "it was sent {own}; if it speaks another relative of UGI, write protocol = {first}, {second} or {third}, or \
         its greeting into the table [ugi]"
    )
}

impl UgiTalk {
    /// What a word means that is no move of a relative.
    fn means_no_move(&self, word: &[u8]) -> Option<&'static str> {
        let is_relative = self.words.map.is_some() || self.words.greeting != "ugi";
        let known = NO_MOVES.iter().find(|(name, _)| word.eq_ignore_ascii_case(name.as_bytes()));
        known.filter(|_| is_relative).map(|(_, why)| *why)
    }
}

impl Ponderer for UgiTalk {
    fn guess(&self) -> Option<String> {
        self.guess.clone()
    }

    fn ponder(&mut self, guess: &str, clocks: &PerSeat<Clock>) -> &[u8] {
        self.guess = None;
        self.position.truncate(self.reaches);
        self.longer.clear();
        // Before its answer to this, what it writes belongs to an earlier question.
        self.longer.push_str("isready\n");
        (self.syncs, self.has_pondered) = (true, true);
        self.longer.push_str(&self.position);
        self.longer.push_str(if self.any_moves { " " } else { " moves " });
        self.longer.push_str(without_side(guess));
        self.longer.push('\n');
        let at = self.longer.len() + "go".len();
        go(&mut self.longer, &self.words, clocks, self.seat, Seat::FIRST, false, &self.search);
        self.longer.insert_str(at, " ponder");
        self.pondering = Pondering::On(guess.to_owned());
        self.longer.as_bytes()
    }

    fn is_open(&self) -> bool {
        self.pondering.is_open()
    }

    fn is_hit(&self) -> bool {
        self.pondering == Pondering::Hit
    }
}

impl Conversation for UgiTalk {
    fn hello(&self) -> Vec<u8> {
        let text = match self.stage {
            Stage::Stopped => "isready\n".to_owned(),
            _ if self.begun => self.new_game(),
            _ => format!("{}\n", self.words.greeting),
        };
        text.into_bytes()
    }

    fn awaits(&self) -> Option<&str> {
        match self.stage {
            Stage::Greeted => Some(&self.words.ok),
            Stage::Stopped | Stage::Asked => Some("readyok"),
            Stage::Ready => None,
        }
    }

    fn break_off(&mut self) -> &'static [u8] {
        if std::mem::take(&mut self.pondering).goes_on() { b"stop\n" } else { b"" }
    }

    fn expected(&self) -> Vec<String> {
        let option = (self.needs_960 && self.stage == Stage::Greeted)
            .then(|| format!("option name {OPTION_960} type check default false"));
        option.into_iter().chain(self.awaits().map(str::to_owned)).collect()
    }

    fn announced(&self) -> &[AnnouncedOption] {
        &self.announced
    }

    fn hear(&mut self, line: Vec<u8>) -> Reply {
        let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        match (words.next(), self.stage) {
            (Some(_), Stage::Greeted) if self.words.ok == UgiWords::ANY_LINE => {
                self.stage = Stage::Ready;
                Reply::Ready
            }
            (Some(word), Stage::Greeted)
                if word == self.words.ok.as_bytes()
                    && self.needs_960
                    && self.option(OPTION_960).is_none() =>
            {
                Reply::Refused(format!(
                    "it has not announced the option {OPTION_960}, so it castles otherwise"
                ))
            }
            (Some(word), Stage::Greeted) if word == self.words.ok.as_bytes() => {
                self.stage = Stage::Asked;
                Reply::Tell(self.set_up())
            }
            (Some(b"option"), Stage::Greeted) => {
                self.announced.push(AnnouncedOption::read(line.split(u8::is_ascii_whitespace)));
                Reply::Nothing
            }
            (Some(b"readyok"), Stage::Stopped) => {
                self.stage = Stage::Asked;
                Reply::Tell(self.new_game().into_bytes())
            }
            (Some(b"readyok"), Stage::Ready) if self.syncs => {
                self.syncs = false;
                Reply::Nothing
            }
            (Some(b"readyok"), Stage::Asked) => {
                self.stage = Stage::Ready;
                Reply::Ready
            }
            // It is about a position that is no question any more.
            (Some(b"info"), Stage::Ready)
                if self.syncs || matches!(self.pondering, Pondering::Stopping(_)) =>
            {
                Reply::Nothing
            }
            // Of several lines of play the first is the one that it plays.
            (Some(b"info"), _) if is_thought(&mut words) => Reply::Thought(thought(&line)),
            (Some(b"bestmove"), Stage::Ready) if self.syncs => Reply::Nothing,
            (Some(b"bestmove"), Stage::Ready) => {
                match self.pondering.answers() {
                    Some(StrayAnswer::Stopped(question)) => {
                        // It begins with `isready`, because some engines answer `stop` twice.
                        self.syncs = true;
                        return Reply::Tell(question);
                    }
                    Some(StrayAnswer::Nothing) => return Reply::Nothing,
                    None => {}
                }
                let word = words.next().unwrap_or_default();
                let guess = words.next().filter(|word| *word == b"ponder").and_then(|_| words.next());
                self.guess = guess.and_then(|guess| {
                    Some(format!("{},{}", self.ponders_against?, std::str::from_utf8(guess).ok()?))
                });
                if let Some(why) = self.means_no_move(word) {
                    return no_move(&line, why);
                }
                let mv = match &self.words.map {
                    _ if word.eq_ignore_ascii_case(b"resign") => Cow::Borrowed(b"R".as_slice()),
                    None => Cow::Borrowed(word),
                    Some(map) => match map.read(&String::from_utf8_lossy(word), self.stones.as_ref()) {
                        Ok(mv) => Cow::Owned(mv.into_bytes()),
                        Err(why) => return no_move(&line, &why),
                    },
                };
                // In the place of the last line, so that a move costs no memory.
                let mut text = std::mem::take(&mut self.said);
                text.clear();
                text.extend_from_slice(self.side.as_bytes());
                text.push(b',');
                text.extend_from_slice(&mv);
                self.said = line;
                Reply::Move(text)
            }
            (Some(b"info"), _) | (None, _) => Reply::Nothing,
            _ => {
                self.unknown = Some(line);
                Reply::Nothing
            }
        }
    }

    fn remark(&self) -> Option<String> {
        match (&self.unknown, self.stage) {
            _ if self.syncs => Some(
                "it was sent isready, which it has not answered with readyok, and an answer counts behind that"
                    .to_owned(),
            ),
            _ if matches!(self.pondering, Pondering::Stopping(_)) => {
                Some("it was sent stop, which it has not answered with bestmove".to_owned())
            }
            (Some(line), Stage::Ready) => {
                let line = escape(line, THOUGHT);
                Some(format!("it wrote \"{line}\", which is no line that begins with bestmove"))
            }
            (_, Stage::Greeted) => Some(other_words(&self.words)),
            _ => None,
        }
    }
}

impl Talk for UgiTalk {
    fn played(&mut self, by: Seat, text: &str) -> &[u8] {
        self.add(by, text);
        if by != self.seat {
            self.pondering.opponent_plays(text);
        }
        &[]
    }

    fn ponderer(&mut self) -> Option<&mut dyn Ponderer> {
        let can = self.ponders_against.is_some() && self.option(ugi_ponder::OPTION).is_some();
        can.then_some(self)
    }

    fn answers_twice(&mut self) {
        self.answers_twice = true;
    }

    fn question(&mut self, clocks: &PerSeat<Clock>) -> &[u8] {
        self.unknown = None;
        match std::mem::take(&mut self.pondering) {
            Pondering::Hit => b"ponderhit\n",
            Pondering::On(_) | Pondering::Missed => {
                // What it answers to `stop` comes behind its answer to an earlier `isready`, and
                // before that to the one of the question.
                let syncs = self.syncs;
                self.pondering = Pondering::Stopping(self.plain_question(clocks).to_vec());
                self.syncs = syncs;
                b"stop\n"
            }
            Pondering::No | Pondering::Answered | Pondering::Stopping(_) => self.plain_question(clocks),
        }
    }

    fn answer(&self, text: &str) -> String {
        match &self.words.map {
            None => format!("bestmove {}", without_side(text)),
            Some(map) => format!("bestmove {}", map.write(text, self.stones.as_ref())),
        }
    }

    fn said(&self) -> &[u8] {
        &self.said
    }
}
