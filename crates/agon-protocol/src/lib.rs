//! The protocols between agon and an engine. A [`Conversation`] is the harness's side: it knows
//! what to say when, and which lines are answers. It never waits; the referee does. [`Talk`] is one
//! about a game that agon judges, [`told::Told`] one about the game of a referee program.

#![warn(missing_docs)]

pub mod announced;
mod cells;
mod console;
mod console_spec;
pub mod gomocup;
mod gomocup_settings;
pub mod gtp;
pub mod gtp_told;
mod gtp_wire;
pub mod lines;
mod stones;
pub mod template;
pub mod told;
pub mod ugi;
mod ugi_ponder;
pub mod ugi_told;
pub mod ugi_words;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use agon_games::{Game, Gomocup, Rules};
use agon_record::reason::QuotedLine;
use agon_seats::{Clock, PerSeat, SearchLimits, Seat, TimeControl};
use serde::Deserialize;

use announced::AnnouncedOption;
use ugi_words::UgiWords;

pub use console_spec::ConsoleSpec;

/// How long an engine may take to leave when its stdin is closed, unless its protocol says
/// otherwise.
pub const GRACE: Duration = Duration::from_millis(200);

/// How long a process of an engine lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProcessSpan {
    /// One process plays all games of a pairing.
    Pairing,
    /// Each game starts a new one.
    Game,
    /// Each turn starts a new one, in the position of that time.
    Turn,
}

/// A protocol, as `engine.toml` names it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// One move per line; see [`lines`].
    #[default]
    Lines,
    /// The Universal Game Interface; see [`ugi`].
    Ugi,
    /// The interface of chess programs: [`ugi`] with other words.
    Uci,
    /// The interface of Tak programs: [`ugi`] with other words.
    Tei,
    /// The interface of Ataxx programs: [`ugi`] with other words.
    Uai,
    /// The Go Text Protocol; see [`gtp`].
    Gtp,
    /// The protocol of Gomocup, with its table of settings; see [`gomocup`].
    Gomocup(#[serde(skip)] gomocup::Settings),
    /// A program that is made for people; see [`ConsoleSpec`].
    Console,
}

impl Protocol {
    /// The protocol of a program that has no `engine.toml`, in this game: that of chess programs in
    /// chess, else `lines`.
    pub fn usual_in(game: &str) -> Self {
        if game.split(':').next() == Some("chess") { Protocol::Uci } else { Protocol::Lines }
    }

    /// Whether an engine that asks for no arguments gets those of the game. Programs of the other
    /// protocols learn everything from the lines they read, and many take an argument for a command
    /// and end.
    pub fn has_usual_arguments(&self) -> bool {
        matches!(self, Protocol::Lines)
    }

    /// Its name, as `engine.toml` has it.
    pub fn name(&self) -> &'static str {
        match self {
            Protocol::Lines => "lines",
            Protocol::Ugi => "ugi",
            Protocol::Uci => "uci",
            Protocol::Tei => "tei",
            Protocol::Uai => "uai",
            Protocol::Gtp => "gtp",
            Protocol::Gomocup(_) => "gomocup",
            Protocol::Console => "console",
        }
    }

    /// Whether it is the Universal Game Interface or one of its relatives, which have options and
    /// limits of the search.
    pub fn is_ugi(&self) -> bool {
        matches!(self, Protocol::Ugi | Protocol::Uci | Protocol::Tei | Protocol::Uai)
    }

    /// Whether an engine can refuse the game in the handshake, or be asked there which relative of
    /// the protocol it speaks.
    pub fn may_refuse(&self) -> bool {
        self.is_ugi() || matches!(self, Protocol::Gtp | Protocol::Gomocup(_))
    }

    /// Whether a word or a sign before a move tells it from every other line.
    pub fn marks_moves(&self) -> bool {
        self.is_ugi() || matches!(self, Protocol::Gtp)
    }

    /// Whether the last words to an engine have an answer.
    pub fn answers_farewell(&self) -> bool {
        matches!(self, Protocol::Gtp)
    }

    /// How long a process lives where its `engine.toml` does not say so.
    pub fn usual_span(&self) -> ProcessSpan {
        match self {
            Protocol::Lines | Protocol::Console | Protocol::Gomocup(_) => ProcessSpan::Game,
            Protocol::Ugi | Protocol::Uci | Protocol::Tei | Protocol::Uai | Protocol::Gtp => {
                ProcessSpan::Pairing
            }
        }
    }

    /// Whether it has words for another game of the same process.
    pub fn begins_again(&self) -> bool {
        !matches!(self, Protocol::Lines | Protocol::Console)
    }

    /// What is sent before stdin is closed.
    pub fn farewell(&self) -> &'static [u8] {
        match self {
            Protocol::Lines | Protocol::Console => b"",
            Protocol::Ugi | Protocol::Uci | Protocol::Tei | Protocol::Uai => ugi::FAREWELL,
            Protocol::Gtp => gtp::FAREWELL,
            Protocol::Gomocup(settings) => settings.farewell(),
        }
    }

    /// How long an engine may take to leave when its stdin is closed.
    pub fn grace(&self) -> Duration {
        match self {
            Protocol::Gomocup(settings) => settings.grace(),
            _ => GRACE,
        }
    }

    /// The folder of its own files that an engine gets a copy of for each process, and the name of
    /// the copy.
    pub fn seed_folder(&self) -> Option<(&Path, &'static str)> {
        match self {
            Protocol::Gomocup(settings) => Some((settings.folder.as_deref()?, gomocup::FOLDER)),
            _ => None,
        }
    }

    /// The same for an engine whose files lie at another place.
    pub fn moved(mut self, moved: &dyn Fn(&Path) -> PathBuf) -> Self {
        if let Protocol::Gomocup(settings) = &mut self {
            settings.folder = settings.folder.as_deref().map(moved);
        }
        self
    }

    /// Whether `\r` alone ends a line of an engine, and the end of its output the last one.
    pub fn is_lenient(&self) -> bool {
        matches!(self, Protocol::Gomocup(_))
    }

    /// Whether an engine may write this line at any time.
    pub fn is_chatter(&self, line: &str) -> bool {
        match self {
            Protocol::Gomocup(_) => gomocup::is_chatter(line),
            _ => false,
        }
    }

    /// Whether an engine starts only when its turn comes, in the position at that time; see
    /// [`lines`].
    pub fn joins_late(&self, start: &Start) -> bool {
        match self {
            Protocol::Lines => lines::joins_late(start),
            _ => false,
        }
    }

    /// Whether games of these rules can be played in it.
    ///
    /// # Errors
    /// Why not, in words that follow the name of the protocol.
    pub fn fits(&self, rules: &dyn Rules) -> Result<(), String> {
        match self {
            Protocol::Lines | Protocol::Ugi | Protocol::Uci | Protocol::Tei | Protocol::Uai => Ok(()),
            Protocol::Gtp => gtp::fits(rules),
            Protocol::Gomocup(_) => gomocup::fits(rules),
            // The table of a console program is asked as well: see `ConsoleSpec::fits`.
            Protocol::Console => Ok(()),
        }
    }

    /// A conversation about one game.
    pub fn talk(&self, terms: &TalkTerms<'_>) -> Box<dyn Talk> {
        match self {
            Protocol::Lines => Box::new(lines::LinesTalk::new(&terms.start)),
            Protocol::Ugi | Protocol::Uci | Protocol::Tei | Protocol::Uai => {
                Box::new(ugi::UgiTalk::new(terms))
            }
            Protocol::Gtp => Box::new(gtp::GtpTalk::new(terms)),
            Protocol::Gomocup(settings) => Box::new(gomocup::GomocupTalk::new(terms, settings)),
            Protocol::Console => {
                let spec = terms.console.expect("an engine.toml without the table is refused");
                Box::new(console::ConsoleTalk::new(spec, &terms.start))
            }
        }
    }
}

/// What a conversation about one game needs to know.
#[derive(Clone, Debug)]
pub struct TalkTerms<'a> {
    /// Where the game starts.
    pub start: Start,
    /// Whether the process has played before.
    pub begun: bool,
    /// The options of the engine.
    pub options: &'a [(String, String)],
    /// The words of a UGI engine.
    pub words: &'a UgiWords,
    /// How a program that is made for people is talked to.
    pub console: Option<&'a Arc<ConsoleSpec>>,
    /// How far it may search for a move.
    pub search: SearchLimits,
    /// Whether it may think on its opponent's time.
    pub ponders: bool,
    /// The options that its process has announced in an earlier game.
    pub announced: &'a [AnnouncedOption],
    /// How much time it has.
    pub control: TimeControl,
    /// The most memory that it may use, in bytes.
    pub memory: u64,
    /// The directory of its own, as it sees it.
    pub directory: PathBuf,
    /// Whether it is a Windows program, which has other paths.
    pub windows: bool,
}

/// The start of a game, as an engine is told it.
#[derive(Clone, Debug)]
pub struct Start {
    /// The seat of the engine.
    pub seat: Seat,
    /// The names of all seats.
    pub seats: &'static [&'static str],
    /// The file `board`.
    pub board: String,
    /// Whether an engine that speaks lines is told the board on its stdin too.
    pub tells_board: bool,
    /// The position as one line; `None` for the usual start position.
    pub position: Option<String>,
    /// The moves with their sides that lead to it from the usual start position, if they are known.
    pub moves: Option<Vec<String>>,
    /// The seat to move.
    pub to_move: Seat,
    /// The game with its options.
    pub game: String,
    /// What the protocol of Gomocup tells of the game, if it can be played in it.
    pub gomocup: Option<Gomocup>,
    /// The numbers of the game: names and values; see [`Rules::settings`].
    pub settings: Vec<(&'static str, String)>,
    /// A move that leaves the board as it is, for boards that do not show whose turn it is; see
    /// [`Rules::turn_sign`].
    pub turn_sign: Option<&'static str>,
}

impl Start {
    /// The current position, for an engine on this seat whose arguments do not show whose turn it
    /// is. `moves` lead to it, if they are known.
    pub fn new(rules: &dyn Rules, game: &dyn Game, seat: Seat, moves: Option<&[String]>) -> Self {
        let text = game.text();
        let startpos = rules.resume("startpos").ok();
        let is_usual = startpos.as_ref().is_some_and(|startpos| startpos.text() == text);
        let moves = if is_usual { Some(Vec::new()) } else { moves.map(<[String]>::to_vec) };
        Start {
            seat,
            seats: rules.seats(),
            board: game.view(seat),
            tells_board: true,
            position: (!is_usual).then_some(text),
            // Nobody else knows the start of a board that was drawn.
            moves: moves.filter(|_| startpos.is_some()),
            to_move: game.to_move(),
            game: rules.spec(),
            gomocup: rules.gomocup(),
            settings: rules.settings(),
            turn_sign: rules.turn_sign(),
        }
    }
}

impl Start {
    /// The position from which its moves begin, if they are known.
    fn without_moves(&self) -> Self {
        let position = self.position.clone().filter(|_| self.moves.is_none());
        Start { position, ..self.clone() }
    }
}

/// The meaning of an engine's line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reply {
    /// A move with its side letter, or text in its place.
    Move(Vec<u8>),
    /// A thought, to be stored with the move.
    Thought(String),
    /// The handshake is done.
    Ready,
    /// What is to be sent before the next line is read.
    Tell(Vec<u8>),
    /// The engine cannot play this game, and why, in words for its author.
    Refused(String),
    /// In place of a move, what can be no move.
    NoMove {
        /// The line.
        line: QuotedLine,
        /// What it means.
        why: String,
    },
    /// The program has drawn by lot who begins, and not as the game has it: it is to be started
    /// anew.
    Again,
    /// Nothing that matters.
    Nothing,
}

/// The harness's side of one conversation, as far as it is the same in games of agon and of referee
/// programs.
pub trait Conversation: Send {
    /// The options that the engine has announced so far.
    fn announced(&self) -> &[AnnouncedOption] {
        &[]
    }

    /// What ends its thinking when the game is over and its process goes on.
    fn break_off(&mut self) -> &'static [u8] {
        &[]
    }

    /// The first words of the handshake.
    fn hello(&self) -> Vec<u8> {
        Vec::new()
    }

    /// The word with which the engine reports that it is ready, if it has not done so.
    fn awaits(&self) -> Option<&str> {
        None
    }

    /// The lines with which an engine goes on, where it is to write more than its move.
    fn expected(&self) -> Vec<String> {
        self.awaits().map(str::to_owned).into_iter().collect()
    }

    /// Interprets a line.
    fn hear(&mut self, line: Vec<u8>) -> Reply;

    /// Interprets text behind which the engine waits without a newline. If it means nothing, it may
    /// still grow.
    fn hear_prompt(&mut self, _: &[u8]) -> Reply {
        Reply::Nothing
    }

    /// What to add to the reason if it loses for want of an answer.
    fn remark(&self) -> Option<String> {
        None
    }
}

/// A conversation about a game whose moves agon judges.
pub trait Talk: Conversation {
    /// What lies in the stdin of a process when it starts.
    fn greeting(&self) -> Vec<u8> {
        // Not the handshake: its answer would come before it is expected.
        Vec::new()
    }

    /// What only the protocol of Gomocup has, in a conversation in it.
    fn gomocup(&mut self) -> Option<&mut dyn GomocupHabits> {
        None
    }

    /// What only an engine has that may think on its opponent's time, in a conversation with one.
    fn ponderer(&mut self) -> Option<&mut dyn Ponderer> {
        None
    }

    /// The engine was seen to write a second answer where one was due. From now on its answers are
    /// told from those.
    fn answers_twice(&mut self) {}

    /// What to send after a seat has moved.
    fn played(&mut self, by: Seat, text: &str) -> &[u8];

    /// The question, in addition to what was sent before.
    fn question(&mut self, _: &PerSeat<Clock>) -> &[u8] {
        &[]
    }

    /// The line with which an engine plays this move.
    fn answer(&self, text: &str) -> String;

    /// The line with which the engine has made its last move, if that is in other words than
    /// agon's; else empty.
    fn said(&self) -> &[u8] {
        &[]
    }
}

/// An engine that may think on its opponent's time.
pub trait Ponderer {
    /// The move, with its side, that it expects of its opponent, if it has said one with its last
    /// move.
    fn guess(&self) -> Option<String>;

    /// What lets it think about the position after this move of its opponent, with its side.
    fn ponder(&mut self, guess: &str, clocks: &PerSeat<Clock>) -> &[u8];

    /// Whether it was let think since its last move, and was not asked since.
    fn is_open(&self) -> bool;

    /// Whether its opponent has played the move that it thinks about.
    fn is_hit(&self) -> bool;
}

/// What a conversation of Gomocup has and no other. Its engines may drop what comes before they
/// read their stdin again.
pub trait GomocupHabits {
    /// What is sent once the handshake is done. The engine does not answer it.
    fn begins(&mut self) -> Vec<u8>;

    /// The open question in other words, for an engine that waits for input and has not answered.
    fn again(&self) -> Vec<u8>;

    /// The move came after the question was put once more.
    fn answered_again(&mut self);

    /// What asks an engine that is ready for its name.
    fn inquiry(&self) -> Vec<u8>;

    /// What an engine says of itself in this line, if it does.
    fn introduces(&self, line: &[u8]) -> Option<String>;
}

/// The reason of a forfeit by a line that can be no move: the line and what it means.
fn no_move(line: &[u8], why: &str) -> Reply {
    Reply::NoMove { line: QuotedLine::of(line), why: why.to_owned() }
}

/// A move without its side.
pub fn without_side(text: &str) -> &str {
    text.split_once(',').map_or(text, |(_, mv)| mv)
}

/// Whole milliseconds, as engines are told the time: rounded down, at least 1.
fn millis(time: Duration) -> u128 {
    time.as_millis().max(1)
}
