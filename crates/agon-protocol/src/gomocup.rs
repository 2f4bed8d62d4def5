//! The protocol of Gomocup, in which engines play five in a row on a board of any size.
//!
//! `START 15`, or `RECTSTART 10,12` on a board that is no square, is answered with a line that
//! begins with `OK`. Then the engine is sent its limits as lines `INFO name value`, which it does
//! not answer. On its turn it is sent `INFO time_left MS`. Then it is sent `BEGIN` on the empty
//! board, or `TURN x,y` after one move of its opponent. Otherwise it is sent `BOARD`, a line
//! `x,y,1` for each own stone and `x,y,2` for each other one, and `DONE`. It answers `x,y`, counted
//! from 0 at the top left corner, the column first. `END` is the end. A new process plays each
//! game, or with `process = "pairing"` the same one after `RESTART`.
//!
//! Before its answer it may write `MESSAGE` and `DEBUG`, the last of which is stored with the move,
//! and `SUGGEST x,y`, which is answered with `PLAY x,y`. `ERROR` and `UNKNOWN` in a turn are no
//! answer either: some engines write a move behind them. Others wait for the next command; see
//! [`GomocupHabits::again`].

use std::fmt::Write;
use std::time::Duration;

use agon_games::Rules;
use agon_printable::escape;
use agon_seats::{Clock, PerSeat, Seat, TimeControl};

use super::gomocup_settings::{INFO, RESERVE_MS, WINE_RESERVE_MS, windows_path};
use super::{Conversation, GomocupHabits, Reply, Talk, TalkTerms, without_side};

pub use super::gomocup_settings::{FOLDER, Newline, Settings};

/// The longest text of an engine that is stored or shown, in characters.
const TEXT: usize = 300;
/// What engines are told to have as much as they like of, where the protocol has no word for that.
const NO_LIMIT: u64 = 2_147_483_647;
/// The share of the memory limit that an engine is told of, in percent. Many use more than they are
/// told.
const MEMORY: u64 = 60;
/// The most memory that the protocol can tell of, in bytes.
const MOST_MEMORY: u64 = 0x7FFF_FFFF;
/// What the opponent is: a game of a tournament.
const GAME_TYPE: &str = "2";
/// Whether games of these rules can be played in it: five in a line.
pub(super) fn fits(rules: &dyn Rules) -> Result<(), String> {
    if rules.gomocup().is_some() {
        return Ok(());
    }
    let spec = rules.spec();
    Err(format!("engines play five in a line, and the game is {spec}; give a game like --game mnk:15x15,5"))
}

/// A stone on the board, counted as the protocol does.
#[derive(Clone, Copy)]
struct Stone {
    x: u32,
    y: u32,
    own: bool,
}

/// One engine's conversation.
pub struct GomocupTalk {
    seat: Seat,
    side: &'static str,
    columns: u32,
    rows: u32,
    newline: &'static str,
    /// The settings, as long as it has made no move after lines that end in `\r\n` and may not read
    /// them.
    unsettled: Option<Settings>,
    reserve: Duration,
    /// Whether it is told its time before each turn.
    tells_time: bool,
    /// Whether its process has played before, and begins anew.
    restarts: bool,
    is_ready: bool,
    /// What is sent when the handshake is done.
    setup: String,
    /// The stones in the order in which they were played.
    stones: Vec<Stone>,
    /// How many of them the engine knows.
    known: usize,
    /// The last question. The room is kept from turn to turn.
    question: String,
    /// The last line of this turn that was no answer.
    complaint: Option<String>,
    /// Its last move, as it wrote it.
    said: Vec<u8>,
}

impl GomocupTalk {
    pub(super) fn new(terms: &TalkTerms<'_>, settings: &Settings) -> Self {
        let start = &terms.start;
        let (columns, rows) = start.gomocup.map_or((0, 0), |told| (told.columns.into(), told.rows.into()));
        let usual = if terms.windows { WINE_RESERVE_MS } else { RESERVE_MS };
        let reserve = Duration::from_millis(settings.reserve_ms.unwrap_or(usual).into());
        let mut talk = GomocupTalk {
            seat: start.seat,
            side: start.seats[start.seat.index()],
            columns,
            rows,
            newline: settings.line_end(),
            unsettled: (settings.newline == Newline::Auto && settings.line_end() == "\r\n")
                .then(|| settings.clone()),
            reserve,
            tells_time: !settings.omit.iter().any(|name| name == "time_left"),
            restarts: terms.begun,
            is_ready: false,
            setup: String::new(),
            stones: Vec::new(),
            known: 0,
            question: String::new(),
            complaint: None,
            said: Vec::new(),
        };
        talk.setup = talk.infos(terms, settings);
        match (&start.moves, &start.position) {
            (Some(moves), _) => {
                let seats = (0..start.seats.len()).map(Seat::new).cycle();
                moves.iter().zip(seats).for_each(|(text, seat)| talk.add(seat, text));
            }
            (None, Some(position)) => talk.add_position(position, start.seats),
            (None, None) => {}
        }
        talk
    }

    /// The lines that tell the engine its limits, in the usual order.
    fn infos(&self, terms: &TalkTerms<'_>, settings: &Settings) -> String {
        let (turn, game) = match terms.control {
            TimeControl::PerMove(time) => (self.told(time), 0),
            // Otherwise engines take a time of their own for a move.
            TimeControl::WholeGame { base, .. } | TimeControl::Repeating { base, .. } => {
                (self.told(base), self.told(base))
            }
        };
        let memory = (u128::from(terms.memory) * u128::from(MEMORY) / 100).min(MOST_MEMORY.into());
        let folder = match &settings.folder {
            Some(_) => &terms.directory.join(FOLDER),
            None => &terms.directory,
        };
        let told_folder =
            if terms.windows { windows_path(folder) } else { folder.to_string_lossy().into_owned() };
        let values = [
            memory.to_string(),
            game.to_string(),
            turn.to_string(),
            GAME_TYPE.to_owned(),
            terms.start.gomocup.map_or(0, |told| told.rule).to_string(),
            if game == 0 { NO_LIMIT } else { game }.to_string(),
            told_folder,
        ];
        let mut lines: Vec<(&str, &str)> = INFO.into_iter().zip(values.iter().map(String::as_str)).collect();
        lines.retain(|(name, _)| !settings.omit.iter().any(|omitted| omitted == name));
        for (name, value) in &settings.info {
            match lines.iter_mut().find(|(usual, _)| usual == name) {
                Some(line) => line.1 = value,
                None => lines.push((name, value)),
            }
        }
        // The others keep their order.
        let rank = |name: &str| settings.order.iter().position(|first| first == name).unwrap_or(usize::MAX);
        lines.sort_by_key(|(name, _)| rank(name));
        lines
            .iter()
            .fold(String::new(), |text, (name, value)| text + &format!("INFO {name} {value}{}", self.newline))
    }

    /// Milliseconds without the reserve, but at least 1: 0 has another meaning.
    fn told(&self, time: Duration) -> u64 {
        let left = time.saturating_sub(self.reserve).as_millis();
        u64::try_from(left).unwrap_or(NO_LIMIT).clamp(1, NO_LIMIT)
    }

    fn add(&mut self, by: Seat, text: &str) {
        let Some((x, y)) = self.point(without_side(text)) else { return };
        self.stones.push(Stone { x, y, own: by == self.seat });
    }

    /// Adds the stones of a position, the sides in turn: some engines take the order for that of
    /// play.
    fn add_position(&mut self, position: &str, seats: &[&str]) {
        let mut of_side = vec![Vec::new(); seats.len()];
        for (row, y) in position.split('/').zip(0..) {
            for (sign, x) in row.chars().zip(0..) {
                let side = seats.iter().position(|name| name.chars().eq([sign]));
                if let Some(side) = side {
                    of_side[side].push(Stone { x, y, own: side == self.seat.index() });
                }
            }
        }
        let most = of_side.iter().map(Vec::len).max().unwrap_or(0);
        for at in 0..most {
            self.stones.extend(of_side.iter().filter_map(|stones| stones.get(at)));
        }
    }

    /// `h8` as the protocol counts it.
    fn point(&self, text: &str) -> Option<(u32, u32)> {
        let (column, row) = text.split_at_checked(1)?;
        let column = u32::from(column.bytes().next()?.to_ascii_lowercase().checked_sub(b'a')?);
        Some((column, self.rows.checked_sub(row.parse().ok()?)?))
    }

    /// A point of the protocol in the notation of the game, also where it lies beside the board.
    fn notation(&self, x: u32, y: u32) -> String {
        let column = char::from(b'a' + u8::try_from(x.min(25)).unwrap_or(25));
        format!("{column}{}", self.rows.saturating_sub(y))
    }

    /// The words for the position as it stands.
    fn command(&self) -> String {
        let end = self.newline;
        match (self.stones.as_slice(), self.stones.get(self.known..)) {
            ([], _) => format!("BEGIN{end}"),
            (_, Some([Stone { x, y, own: false }])) => format!("TURN {x},{y}{end}"),
            _ => self.board(),
        }
    }

    fn board(&self) -> String {
        let end = self.newline;
        let mut text = format!("BOARD{end}");
        for Stone { x, y, own } in &self.stones {
            let _ = write!(text, "{x},{y},{}{end}", if *own { 1 } else { 2 }); // a String takes everything
        }
        text + "DONE" + end
    }

    /// An answer to the first line.
    fn hear_greeting(&mut self, line: &str) -> Reply {
        let is = |word: &str| line.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
        if is("OK") {
            self.is_ready = true;
            return Reply::Ready;
        }
        if self.restarts && (is("ERROR") || is("UNKNOWN")) {
            return Reply::Refused(format!(
                "it answered \"RESTART\" with \"{}\"; write process = \"game\" into its engine.toml, or leave the key process out",
                escape(line.as_bytes(), TEXT)
            ));
        }
        if is("ERROR") || is("UNKNOWN") {
            return Reply::Refused(format!(
                "it refuses a board of {} columns and {} rows: it answered \"{}\" with \"{}\"",
                self.columns,
                self.rows,
                self.hello_words(),
                escape(line.as_bytes(), TEXT)
            ));
        }
        Reply::Nothing
    }

    fn hello_words(&self) -> String {
        let (columns, rows) = (self.columns, self.rows);
        if self.restarts {
            return "RESTART".to_owned();
        }
        if columns == rows { format!("START {columns}") } else { format!("RECTSTART {columns},{rows}") }
    }
}

impl Conversation for GomocupTalk {
    fn hello(&self) -> Vec<u8> {
        (self.hello_words() + self.newline).into_bytes()
    }

    fn awaits(&self) -> Option<&'static str> {
        (!self.is_ready).then_some("OK")
    }

    fn remark(&self) -> Option<String> {
        self.complaint.clone()
    }

    fn hear(&mut self, line: Vec<u8>) -> Reply {
        let lossy = String::from_utf8_lossy(&line);
        let text = lossy.trim();
        if text.is_empty() {
            return Reply::Nothing;
        }
        if !self.is_ready {
            return self.hear_greeting(text);
        }
        if let Some((x, y)) = coordinates(text) {
            self.said.clear();
            self.said.extend_from_slice(&line);
            return Reply::Move(format!("{},{}", self.side, self.notation(x, y)).into_bytes());
        }
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let words = escape(line.trim_ascii(), TEXT);
        match word.to_ascii_uppercase().as_str() {
            "MESSAGE" | "DEBUG" => Reply::Thought(words),
            "SUGGEST" => match coordinates(rest.trim()) {
                Some((x, y)) => {
                    let told = format!("PLAY {x},{y}");
                    self.complaint =
                        Some(format!("it wrote \"{words}\", and no move when it was told \"{told}\""));
                    Reply::Tell((told + self.newline).into_bytes())
                }
                None => self.no_answer(&words),
            },
            "OK" => Reply::Nothing,
            _ => self.no_answer(&words),
        }
    }
}

impl Talk for GomocupTalk {
    fn gomocup(&mut self) -> Option<&mut dyn GomocupHabits> {
        Some(self)
    }

    /// Nothing is told before the engine's turn: the last move of a game would start a search.
    fn played(&mut self, by: Seat, text: &str) -> &[u8] {
        self.add(by, text);
        if by == self.seat {
            self.known = self.stones.len();
            // It reads the usual ends of lines.
            self.unsettled = None;
        }
        &[]
    }

    fn question(&mut self, clocks: &PerSeat<Clock>) -> &[u8] {
        let clock = &clocks[self.seat];
        let left = match clock.control() {
            TimeControl::PerMove(_) => NO_LIMIT,
            TimeControl::WholeGame { .. } | TimeControl::Repeating { .. } => self.told(clock.left()),
        };
        let time =
            if self.tells_time { format!("INFO time_left {left}{}", self.newline) } else { String::new() };
        self.question = time + &self.command();
        self.complaint = None;
        self.question.as_bytes()
    }

    fn answer(&self, text: &str) -> String {
        self.point(without_side(text)).map_or_else(|| text.to_owned(), |(x, y)| format!("{x},{y}"))
    }

    fn said(&self) -> &[u8] {
        &self.said
    }
}

impl GomocupHabits for GomocupTalk {
    fn begins(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.setup).into_bytes()
    }

    fn again(&self) -> Vec<u8> {
        let text = if self.stones.is_empty() { self.command() } else { self.board() };
        // It may read a number before `\r`, as that of START, and no other word.
        let text = if self.unsettled.is_some() { text.replace('\r', "") } else { text };
        text.into_bytes()
    }

    fn answered_again(&mut self) {
        if let Some(settings) = self.unsettled.take() {
            settings.try_other_newline();
            self.newline = "\n";
        }
    }

    fn inquiry(&self) -> Vec<u8> {
        format!("ABOUT{}", self.newline).into_bytes()
    }

    fn introduces(&self, line: &[u8]) -> Option<String> {
        let text = escape(line.trim_ascii(), TEXT);
        let lower = text.to_ascii_lowercase();
        (lower.contains("name=") || lower.contains("name =") || lower.contains("version")).then_some(text)
    }
}

impl GomocupTalk {
    fn no_answer(&mut self, words: &str) -> Reply {
        let form = if is_nearly_a_move(words) {
            ": a move is two numbers with a comma and no blanks, \"8,8\""
        } else {
            ""
        };
        self.complaint = Some(format!("it wrote \"{words}\", which is no move{form}"));
        Reply::Nothing
    }
}

/// Whether a line has two numbers and no words: `8, 8` or `(8,8)`.
fn is_nearly_a_move(line: &str) -> bool {
    let numbers = line.split(|sign: char| !sign.is_ascii_digit()).filter(|number| !number.is_empty());
    numbers.count() == 2 && !line.contains(char::is_alphabetic)
}

/// Whether a line may come at any time: it is no move.
pub(super) fn is_chatter(line: &str) -> bool {
    coordinates(line.trim()).is_none()
}

/// `7,7`, and nothing else. A number that is too large stands for the largest: it is beside every
/// board.
fn coordinates(text: &str) -> Option<(u32, u32)> {
    let (x, y) = text.split_once(',')?;
    let number = |digits: &str| {
        let only_digits = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        only_digits.then(|| digits.parse().unwrap_or(u32::MAX))
    };
    Some((number(x)?, number(y)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_option_of_the_game_has_its_number() {
        for (spec, number) in [
            ("mnk:15x15,5", Some(0)),
            ("mnk:15x15,5,first=O", Some(0)),
            ("mnk:15x15,5,exact", Some(1)),
            ("mnk:15x15,5,renju", Some(4)),
            ("mnk:15x15,5,caro,first=O", Some(8)),
            ("mnk:15x15,5,exact,caro", Some(9)),
            ("mnk:15x15,5,gravity", None),
        ] {
            let rules = agon_games::find(spec, &agon_games::Needs::default()).ok();
            let told = rules.and_then(|rules| rules.gomocup());
            assert_eq!(told.map(|told| told.rule), number, "{spec}");
        }
    }

    #[test]
    fn what_is_nearly_a_move_is_told_apart_from_words() {
        for text in ["8, 8", "(8,8)", "8 8", "8;8.", "+8,8"] {
            assert!(is_nearly_a_move(text), "{text}");
        }
        for text in ["ERROR 8,8", "8", "11,7 10,6 13,5", "", "h8"] {
            assert!(!is_nearly_a_move(text), "{text}");
        }
    }

    #[test]
    fn a_move_is_two_numbers_and_nothing_else() {
        assert_eq!(coordinates("7,14"), Some((7, 14)));
        assert_eq!(coordinates("7,99999999999999999999"), Some((7, u32::MAX)));
        for text in ["7", "7,", ",7", "7, 7", "-1,7", "7,7,1", "11,7 10,6", "7,7.", "OK"] {
            assert_eq!(coordinates(text), None, "{text}");
        }
    }
}
