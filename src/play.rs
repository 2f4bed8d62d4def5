//! A person against an engine: one game in a terminal, with undo, hints and patience for typed mistakes.
//!
//! The person is a seat like any other, but is never out of time and never forfeits. An engine's fault ends the
//! game as it would in a match.

use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

use agon_games::{Game, PerSeat, Rules, Seat, Status};
use agon_printable::escape;
use rustix::event::{PollFd, PollFlags, poll};

use crate::clock::{Clock, TimeControl};
use crate::engine::protocol::Talk;
use crate::engine::spec::EngineSpec;
use crate::engine::{EngineStart, GameProcesses, Limits, Patience, Scratch, Trouble, WorkDir};
use crate::referee;

/// What is played.
pub struct Play<'a> {
    /// The game.
    pub rules: &'a dyn Rules,
    /// The engine.
    pub engine: &'a EngineSpec,
    /// The seat of the person.
    pub person: Seat,
    /// Where the game starts, as one line.
    pub start: String,
    /// Moves that have been played from there, with their side letters.
    pub moves: Vec<String>,
    /// The engine's time, and the person's by which nobody loses.
    pub control: TimeControl,
    /// How late an answer may be.
    pub margin: Duration,
    /// How long the engine may take to start, and when to stop.
    pub limits: Limits,
    /// Where the engine gets its directory.
    pub scratch: &'a Scratch,
}

/// Why the game ended here.
enum Leave {
    /// The person said so, or there is nobody left to ask.
    Quit,
    /// A signal came.
    Stopped,
    /// Ours.
    Broken(io::Error),
}

impl From<io::Error> for Leave {
    fn from(error: io::Error) -> Self {
        Leave::Broken(error)
    }
}

const HELP: &str = "\
  a move     as the notation has it, with or without the side: agon rules tells
  moves      what may be played now (also: hint)
  undo       takes back your last move and what followed
  board      shows the position again
  resign     gives the game up
  quit       leaves (also: the end of input)
";

/// Plays the game with a person who types on standard input and reads on standard output. `draw` shows a position.
/// Tells whether it was left by a signal.
///
/// # Errors
/// Ours, or a terminal that is gone.
pub fn play(play: &Play<'_>, draw: &dyn Fn(&dyn Game) -> String) -> io::Result<bool> {
    let mut session = match Session::open(play, play.start.clone(), &play.moves) {
        Ok(session) => session,
        Err(Leave::Quit) => return Ok(false),
        Err(Leave::Stopped) => return Ok(true),
        Err(Leave::Broken(error)) => return Err(error),
    };
    let mut typed = Typed { stop: play.limits.stop.clone(), waiting: Vec::new(), ended: false };
    say(&format!(
        "{}: you are {}, {} is {}; type help for what you can type",
        play.rules.spec(),
        play.rules.seats()[play.person.index()],
        play.engine.name,
        play.rules.seats()[play.person.other().index()]
    ))?;
    let left = session.turns(&mut typed, draw);
    session.close(matches!(left, Err(Leave::Quit)));
    match left {
        Ok(()) | Err(Leave::Quit) => Ok(false),
        Err(Leave::Stopped) => Ok(true),
        Err(Leave::Broken(error)) => Err(error),
    }
}

/// The game as it stands, and the engine that knows it.
struct Session<'a> {
    play: &'a Play<'a>,
    /// Where the engine was started, as one line.
    start: String,
    game: Box<dyn Game>,
    /// The moves since then, by whom and what.
    moves: Vec<(Seat, String)>,
    table: Option<GameProcesses>,
    talk: Talk,
    clocks: PerSeat<Clock>,
    /// It goes when the engine has ended, and not before.
    directory: Option<WorkDir>,
}

/// The engine has the only chair: the person needs none.
const CHAIR: Seat = Seat::FIRST;

impl<'a> Session<'a> {
    /// Starts the engine at a position and tells it of the moves since then. An engine that is told the whole game
    /// each time is told; one that keeps the game in its head must play its own moves again, and if it decides
    /// otherwise it is started anew in the position itself.
    fn open(play: &'a Play<'a>, start: String, moves: &[String]) -> Result<Self, Leave> {
        let mut session = Session::begin(play, start)?;
        if session.catch_up(moves)? {
            return Ok(session);
        }
        session.close(true);
        let mut game = play.rules.resume(&session.start).map_err(io::Error::other)?;
        for text in moves {
            game.play(text.as_bytes()).map_err(io::Error::other)?;
        }
        Session::begin(play, game.text())
    }

    fn begin(play: &'a Play<'a>, position: String) -> Result<Self, Leave> {
        let game = play.rules.resume(&position).map_err(io::Error::other)?;
        let seat = play.person.other();
        let start = referee::start(play.rules, play.engine, seat, game.as_ref());
        let clock = Clock::new(play.control, play.margin, Duration::ZERO);
        let mut session = Session {
            play,
            start: position,
            game,
            moves: Vec::new(),
            table: None,
            talk: play.engine.protocol.talk(&start, false),
            clocks: PerSeat::two(clock, clock),
            directory: None,
        };
        if !play.engine.protocol.joins_late(&start) {
            session.seat_engine()?;
        }
        Ok(session)
    }

    /// Starts the engine in the game as it stands.
    fn seat_engine(&mut self) -> Result<(), Leave> {
        let Play { rules, engine, scratch, .. } = *self.play;
        let (seat, game) = (self.play.person.other(), self.game.as_ref());
        let start = referee::start(rules, engine, seat, game);
        self.talk = engine.protocol.talk(&start, false);
        let own = scratch.directory(&engine.name, &start.board, rules.supplies())?;
        let confinement = &self.play.limits.confinement;
        let mut setup = referee::setup(rules, engine, seat, self.play.control, &own, confinement, game)
            .map_err(io::Error::other)?;
        setup.greeting = self.talk.greeting();
        self.directory = Some(own);
        let table =
            self.table.insert(GameProcesses::sit(vec![EngineStart::Start(setup)], self.play.limits.clone())?);
        if let Err(trouble) = referee::get_ready(table, CHAIR, &mut self.talk, self.play.limits.startup) {
            self.lost(trouble)?;
            return Err(Leave::Quit);
        }
        Ok(())
    }

    /// Plays moves that were played before; `false` if the engine decides otherwise this time.
    fn catch_up(&mut self, moves: &[String]) -> Result<bool, Leave> {
        let keeps_the_game = !self.play.engine.protocol.keeps_process();
        for text in moves {
            let Status::ToMove(seat) = self.game.status() else { return Ok(true) };
            if seat != self.play.person && keeps_the_game {
                if self.engine_moves()?.as_ref() != Some(text) {
                    return Ok(false);
                }
            } else {
                self.make(seat, text.as_bytes()).map_err(io::Error::other)?;
            }
        }
        Ok(true)
    }

    /// Plays a move and tells the engine.
    fn make(&mut self, seat: Seat, line: &[u8]) -> Result<String, agon_games::Refusal> {
        let played = self.game.play(line)?;
        self.moves.push((seat, played.text.clone()));
        // One that joins late is shown the position instead.
        if let Some(table) = &mut self.table {
            let told = self.talk.played(seat, &played.text);
            if !told.is_empty() {
                table.tell(CHAIR, &told);
            }
        }
        Ok(played.text)
    }

    fn turns(&mut self, typed: &mut Typed, draw: &dyn Fn(&dyn Game) -> String) -> Result<(), Leave> {
        loop {
            say(&format!("\n{}", draw(self.game.as_ref()).trim_end()))?;
            match self.game.status() {
                Status::Over(outcome) => {
                    let winners: Vec<&str> = outcome
                        .places
                        .iter()
                        .filter(|(_, place)| **place == 1)
                        .map(|(seat, _)| self.name(seat))
                        .collect();
                    let scores: Vec<String> = outcome.scores.values().iter().map(i32::to_string).collect();
                    let who =
                        if winners.len() == 1 { format!("{} won", winners[0]) } else { "a draw".to_owned() };
                    say(&format!("{}: {who}, {}", outcome.why, scores.join("-")))?;
                    say("type undo to take back your last move, or quit")?;
                    if !self.after_the_end(typed)? {
                        return Ok(());
                    }
                }
                Status::ToMove(seat) if seat == self.play.person => self.person_moves(typed, draw)?,
                Status::ToMove(_) => match self.engine_moves()? {
                    Some(text) => say(&format!("{} plays {text}", self.play.engine.name))?,
                    None => return Ok(()),
                },
            }
        }
    }

    fn name(&self, seat: Seat) -> &str {
        if seat == self.play.person { "you" } else { &self.play.engine.name }
    }

    /// The engine's move, or nothing if it has lost by a fault.
    fn engine_moves(&mut self) -> Result<Option<String>, Leave> {
        let seat = self.play.person.other();
        if self.table.is_none() {
            self.seat_engine()?;
        }
        let table = self.table.as_mut().expect("the engine sits until the end");
        let question = self.talk.question(&self.clocks);
        if !question.is_empty() {
            table.tell(CHAIR, question);
        }
        let (line, time, _) =
            match referee::answer(table, CHAIR, &mut self.talk, self.clocks[seat].allowance()) {
                Ok(answer) => answer,
                Err(trouble) => {
                    self.lost(trouble)?;
                    return Ok(None);
                }
            };
        let side = self.play.rules.seats()[seat.index()];
        if referee::resigns(&line, side) {
            say(&format!("{} resigns: you won", self.play.engine.name))?;
            return Ok(None);
        }
        self.clocks[seat].spend(time);
        match self.make(seat, &line) {
            Ok(text) => Ok(Some(text)),
            Err(refusal) => {
                say(&format!(
                    "{} wrote \"{}\", and that loses: {refusal}",
                    self.play.engine.name,
                    escape(&line, 200)
                ))?;
                Ok(None)
            }
        }
    }

    fn lost(&self, trouble: Trouble) -> Result<(), Leave> {
        match trouble {
            Trouble::Fault(fault) => {
                let name = &self.play.engine.name;
                say(&format!("{name} has lost by {}: {}", fault.cause.name(), fault.why))?;
                Ok(())
            }
            Trouble::Stopped => Err(Leave::Stopped),
            Trouble::Ours(error) => Err(Leave::Broken(error)),
        }
    }

    fn person_moves(&mut self, typed: &mut Typed, draw: &dyn Fn(&dyn Game) -> String) -> Result<(), Leave> {
        let asked = Instant::now();
        let side = self.play.rules.seats()[self.play.person.index()];
        loop {
            prompt(&format!("{} {side}> ", self.clocks_shown(asked.elapsed())))?;
            let line = typed.line()?;
            let line = line.trim();
            match line.to_ascii_lowercase().as_str() {
                "" => {}
                "help" | "?" => say(HELP.trim_end())?,
                "quit" | "exit" => return Err(Leave::Quit),
                "board" => say(draw(self.game.as_ref()).trim_end())?,
                "moves" | "hint" | "hints" => self.show_moves()?,
                "undo" => {
                    if self.undo()? {
                        return Ok(());
                    }
                }
                "resign" => {
                    say(&format!("you resign: {} won", self.play.engine.name))?;
                    return Err(Leave::Quit);
                }
                _ => {
                    let has_side = self.play.rules.seats().iter().any(|name| {
                        line.split_once(',').is_some_and(|(first, _)| first.trim().eq_ignore_ascii_case(name))
                    });
                    let text = if has_side { line.to_owned() } else { format!("{side},{line}") };
                    match self.make(self.play.person, text.as_bytes()) {
                        Ok(_) => {
                            self.clocks[self.play.person].spend(asked.elapsed());
                            return Ok(());
                        }
                        // Nothing is lost by a slip of the finger.
                        Err(refusal) => say(&format!("{refusal}; try again, or type moves or help"))?,
                    }
                }
            }
        }
    }

    fn show_moves(&self) -> Result<(), Leave> {
        let moves = self.game.moves();
        let shown: Vec<&str> = moves
            .iter()
            .take(200)
            .map(|text| text.split_once(',').map_or(text.as_str(), |(_, mv)| mv))
            .collect();
        say(&shown.join("  "))?;
        if moves.len() > shown.len() {
            say(&format!("and {} more", moves.len() - shown.len()))?;
        }
        Ok(())
    }

    /// Back to where the person last had to move. The engine is started anew there.
    fn undo(&mut self) -> Result<bool, Leave> {
        let Some(last) = self.moves.iter().rposition(|(seat, _)| *seat == self.play.person) else {
            say("there is no move of yours to take back")?;
            return Ok(false);
        };
        let kept: Vec<String> = self.moves[..last].iter().map(|(_, text)| text.clone()).collect();
        self.close(true);
        *self = Session::open(self.play, self.start.clone(), &kept)?;
        Ok(true)
    }

    /// Whether the game goes on after all.
    fn after_the_end(&mut self, typed: &mut Typed) -> Result<bool, Leave> {
        loop {
            prompt("> ")?;
            match typed.line()?.trim() {
                "undo" => return self.undo(),
                "quit" | "exit" | "" => return Ok(false),
                _ => say("type undo or quit")?,
            }
        }
    }

    fn clocks_shown(&self, thinking: Duration) -> String {
        let (you, engine) = (self.clocks[self.play.person], self.clocks[self.play.person.other()]);
        match self.play.control {
            TimeControl::PerMove(time) => format!("[{} s a move]", time.as_secs_f64()),
            TimeControl::WholeGame { .. } => format!(
                "[you {} s, {} {} s]",
                you.left().saturating_sub(thinking).as_secs(),
                self.play.engine.name,
                engine.left().as_secs()
            ),
        }
    }

    fn close(&mut self, in_peace: bool) {
        if let Some(mut table) = self.table.take() {
            table.tell(CHAIR, self.play.engine.protocol.farewell());
            table.close(if in_peace { Patience::All } else { Patience::None });
        }
        self.directory = None;
    }
}

/// What the person types, line by line, until a signal comes.
struct Typed {
    stop: Option<Arc<OwnedFd>>,
    waiting: Vec<u8>,
    ended: bool,
}

impl Typed {
    fn line(&mut self) -> Result<String, Leave> {
        loop {
            if let Some(end) = self.waiting.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.waiting.drain(..=end).collect();
                return Ok(String::from_utf8_lossy(&line).into_owned());
            }
            if self.ended {
                say("")?;
                return Err(Leave::Quit);
            }
            self.wait()?;
            let mut piece = [0; 4096];
            match rustix::io::read(io::stdin().as_fd(), &mut piece) {
                Ok(0) => {
                    // A last line without its end is a line when a person types it.
                    self.ended = true;
                    if !self.waiting.is_empty() {
                        self.waiting.push(b'\n');
                    }
                }
                Ok(count) => self.waiting.extend_from_slice(&piece[..count]),
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(Leave::Broken(error.into())),
            }
        }
    }

    fn wait(&self) -> Result<(), Leave> {
        let stdin = io::stdin();
        let mut fds = vec![PollFd::from_borrowed_fd(stdin.as_fd(), PollFlags::IN)];
        if let Some(stop) = &self.stop {
            fds.push(PollFd::new(stop.as_ref(), PollFlags::IN));
        }
        match poll(&mut fds, None) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(Leave::Broken(error.into())),
        }
        if fds.get(1).is_some_and(|stop| !stop.revents().is_empty()) { Err(Leave::Stopped) } else { Ok(()) }
    }
}

fn say(text: &str) -> io::Result<()> {
    writeln!(io::stdout(), "{text}")
}

fn prompt(text: &str) -> io::Result<()> {
    let mut out = io::stdout();
    write!(out, "{text}")?;
    out.flush()
}
