//! A person against an engine: one game in a terminal, with undo, hints and patience for typed mistakes.
//!
//! The person is a seat like any other, but is never out of time and never forfeits. An engine's fault ends the
//! game as it would in a match.

use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

use agon_games::{Game, Outcome, PerSeat, Rules, Seat};
use agon_printable::escape;
use rustix::event::{PollFd, PollFlags, poll};

use crate::clock::{Clock, TimeControl};
use crate::engine::spec::EngineSpec;
use crate::engine::{Limits, Patience, Scratch, Trouble};
use crate::record::Ply;
use crate::referee::{Engines, GameEnd, GameInProgress, OfferedMove, Players, Seating};

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
    /// The person said so, or the engine has lost.
    Quit,
    /// The person takes a move back.
    Undo,
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
    let typed = Typed { stop: play.limits.stop.clone(), waiting: Vec::new(), ended: false };
    match play_and_undo(play, &mut Terminal { typed, draw }) {
        Leave::Quit | Leave::Undo => Ok(false),
        Leave::Stopped => Ok(true),
        Leave::Broken(error) => Err(error),
    }
}

/// Plays until the person leaves. After an undo the engine is started anew in the shorter game.
fn play_and_undo(play: &Play<'_>, terminal: &mut Terminal<'_>) -> Leave {
    let names = play.rules.seats();
    let mut greeting = Some(format!(
        "{}: you are {}, {} is {}; type help for what you can type",
        play.rules.spec(),
        names[play.person.index()],
        play.engine.name,
        names[play.person.other().index()]
    ));
    let (mut start, mut moves) = (play.start.clone(), play.moves.clone());
    loop {
        let mut session = match Session::open(play, start, &moves) {
            Ok(session) => session,
            Err(leave) => return leave,
        };
        let greeted = greeting.take().map_or(Ok(()), |text| say(&text));
        let kept = greeted.map_err(Leave::from).and_then(|()| session.turns(terminal));
        let patience = match &kept {
            Ok(_) | Err(Leave::Quit | Leave::Undo) => Patience::All,
            Err(Leave::Stopped | Leave::Broken(_)) => Patience::None,
        };
        start = session.start.clone();
        session.engines.end(patience, None);
        match kept {
            Ok(kept) => moves = kept,
            Err(leave) => return leave,
        }
    }
}

/// The game as it stands, and the engine that knows it.
struct Session<'a> {
    play: &'a Play<'a>,
    /// Where the engine was started, as one line.
    start: String,
    game: GameInProgress<'a>,
    engines: Engines<'a>,
}

impl<'a> Session<'a> {
    /// Starts the engine at a position and tells it of the moves since then. An engine that is told the whole game
    /// each time is told; one that keeps the game in its head must play its own moves again, and if it decides
    /// otherwise it is started anew in the position itself.
    fn open(play: &'a Play<'a>, start: String, moves: &[String]) -> Result<Self, Leave> {
        let mut session = Session::begin(play, start)?;
        if session.catch_up(moves)? {
            return Ok(session);
        }
        session.engines.end(Patience::All, None);
        let mut game = play.rules.resume(&session.start).map_err(io::Error::other)?;
        for text in moves {
            game.play(text.as_bytes()).map_err(io::Error::other)?;
        }
        Session::begin(play, game.text())
    }

    fn begin(play: &'a Play<'a>, start: String) -> Result<Self, Leave> {
        let game = play.rules.resume(&start).map_err(io::Error::other)?;
        let seat = play.person.other();
        let seats = play.rules.seats().len();
        let clock = Clock::new(play.control, play.margin, Duration::ZERO);
        let seating = Seating {
            rules: play.rules,
            engines: PerSeat::from_fn(seats, |other| (other == seat).then_some(play.engine)),
            controls: PerSeat::from_fn(seats, |_| play.control),
            limits: play.limits.clone(),
            scratch: play.scratch,
        };
        let mut engines = Engines::start(seating, game.as_ref(), None)?;
        engines.launch(seat).and_then(|()| engines.ready(seat)).map_err(|trouble| lost(play, trouble))?;
        let clocks = PerSeat::from_fn(seats, |_| clock);
        let game = GameInProgress { rules: play.rules, game, clocks, plies: Vec::new(), max_plies: None };
        Ok(Session { play, start, game, engines })
    }

    /// Plays moves that were played before; `false` if the engine decides otherwise this time.
    fn catch_up(&mut self, moves: &[String]) -> Result<bool, Leave> {
        let Session { play, game, engines, .. } = self;
        match game.play_on(&mut Replayed { play, engines, moves: moves.iter() }) {
            GameEnd::Over(_) | GameEnd::PlyLimit | GameEnd::Left(NoMore::Moves) => Ok(true),
            GameEnd::Left(NoMore::Agreement) | GameEnd::Resigned(_) => Ok(false),
            GameEnd::Trouble(Trouble::Fault(_)) => Ok(false),
            GameEnd::Trouble(trouble) => Err(lost(play, trouble)),
            GameEnd::Refused { refusal, .. } => Err(io::Error::other(refusal).into()),
        }
    }

    /// Plays until the person takes a move back. Gives the moves that are kept.
    fn turns(&mut self, terminal: &mut Terminal<'_>) -> Result<Vec<String>, Leave> {
        let play = self.play;
        loop {
            let engines = &mut self.engines;
            match self.game.play_on(&mut AtTerminal { play, engines, terminal }) {
                GameEnd::Left(Leave::Undo) => {}
                GameEnd::Left(leave) => return Err(leave),
                GameEnd::Over(outcome) => {
                    terminal.show(self.game.game.as_ref())?;
                    say(&result(play, &outcome))?;
                    say("type undo to take back your last move, or quit")?;
                    terminal.wait_for_undo()?;
                }
                GameEnd::PlyLimit => return Err(Leave::Quit),
                GameEnd::Resigned(seat) => {
                    let name = &play.engine.name;
                    say(&if seat == play.person {
                        format!("you resign: {name} won")
                    } else {
                        format!("{name} resigns: you won")
                    })?;
                    return Err(Leave::Quit);
                }
                GameEnd::Refused { line, refusal, .. } => {
                    let line = escape(&line, 200);
                    say(&format!("{} wrote \"{line}\", and that loses: {refusal}", play.engine.name))?;
                    return Err(Leave::Quit);
                }
                GameEnd::Trouble(trouble) => return Err(lost(play, trouble)),
            }
            let plies = &self.game.plies;
            match plies.iter().rposition(|ply| ply.seat == play.person) {
                Some(last) => return Ok(plies[..last].iter().map(|ply| ply.text.clone()).collect()),
                None => say("there is no move of yours to take back")?,
            }
        }
    }
}

/// The result in one line, from the person's side.
fn result(play: &Play<'_>, outcome: &Outcome) -> String {
    let winners: Vec<&str> = outcome
        .places
        .iter()
        .filter(|(_, place)| **place == 1)
        .map(|(seat, _)| if seat == play.person { "you" } else { play.engine.name.as_str() })
        .collect();
    let scores: Vec<String> = outcome.scores.values().iter().map(i32::to_string).collect();
    let who = if winners.len() == 1 { format!("{} won", winners[0]) } else { "a draw".to_owned() };
    format!("{}: {who}, {}", outcome.why, scores.join("-"))
}

/// Tells of an engine's fault, which ends the game.
fn lost(play: &Play<'_>, trouble: Trouble) -> Leave {
    match trouble {
        Trouble::Fault(fault) => {
            let told =
                say(&format!("{} has lost by {}: {}", play.engine.name, fault.cause.name(), fault.why));
            told.map_or_else(Leave::Broken, |()| Leave::Quit)
        }
        Trouble::Stopped => Leave::Stopped,
        Trouble::Ours(error) => Leave::Broken(error),
    }
}

/// The players while a game is played again up to where it stood.
struct Replayed<'s, 'a> {
    play: &'a Play<'a>,
    engines: &'s mut Engines<'a>,
    moves: std::slice::Iter<'s, String>,
}

/// Why a game is not played again any further.
enum NoMore {
    /// All its moves have been played.
    Moves,
    /// The engine decides otherwise.
    Agreement,
}

impl Players for Replayed<'_, '_> {
    type Leave = NoMore;

    fn ask(
        &mut self,
        seat: Seat,
        game: &dyn Game,
        clocks: &PerSeat<Clock>,
    ) -> Result<OfferedMove, GameEnd<NoMore>> {
        let text = self.moves.next().ok_or(GameEnd::Left(NoMore::Moves))?;
        if seat == self.play.person || self.play.engine.protocol.keeps_process() {
            return Ok(OfferedMove { line: text.clone().into_bytes(), time: Duration::ZERO, thought: None });
        }
        let offered = self.engines.ask(seat, game, clocks).map_err(GameEnd::Trouble)?;
        let agrees = game.read(&offered.line).is_ok_and(|(read, _)| read == *text);
        if agrees { Ok(offered) } else { Err(GameEnd::Left(NoMore::Agreement)) }
    }

    fn played(&mut self, ply: &Ply) {
        self.engines.tell(ply.seat, &ply.text);
    }
}

/// The person at the terminal, and the engine.
struct AtTerminal<'s, 'a, 't> {
    play: &'a Play<'a>,
    engines: &'s mut Engines<'a>,
    terminal: &'s mut Terminal<'t>,
}

impl Players for AtTerminal<'_, '_, '_> {
    type Leave = Leave;

    fn ask(
        &mut self,
        seat: Seat,
        game: &dyn Game,
        clocks: &PerSeat<Clock>,
    ) -> Result<OfferedMove, GameEnd<Leave>> {
        self.terminal.show(game).map_err(|error| GameEnd::Left(error.into()))?;
        if seat == self.play.person {
            self.person_moves(game, clocks).map_err(GameEnd::Left)
        } else {
            self.engines.ask(seat, game, clocks).map_err(GameEnd::Trouble)
        }
    }

    fn played(&mut self, ply: &Ply) {
        if ply.seat != self.play.person {
            let _ = say(&format!("{} plays {}", self.play.engine.name, ply.text)); // the next prompt tells of it
        }
        self.engines.tell(ply.seat, &ply.text);
    }
}

impl AtTerminal<'_, '_, '_> {
    fn person_moves(&mut self, game: &dyn Game, clocks: &PerSeat<Clock>) -> Result<OfferedMove, Leave> {
        let asked = Instant::now();
        let seats = self.play.rules.seats();
        let side = seats[self.play.person.index()];
        let offered =
            |text: String| OfferedMove { line: text.into_bytes(), time: asked.elapsed(), thought: None };
        loop {
            prompt(&format!("{} {side}> ", self.clocks_shown(clocks, asked.elapsed())))?;
            let line = self.terminal.typed.line()?;
            let line = line.trim();
            match line.to_ascii_lowercase().as_str() {
                "" => {}
                "help" | "?" => say(HELP.trim_end())?,
                "quit" | "exit" => return Err(Leave::Quit),
                "board" => say((self.terminal.draw)(game).trim_end())?,
                "moves" | "hint" | "hints" => show_moves(game)?,
                "undo" => return Err(Leave::Undo),
                "resign" => return Ok(offered(format!("{side},R"))),
                _ => {
                    let has_side = line.split_once(',').is_some_and(|(first, _)| {
                        seats.iter().any(|name| first.trim().eq_ignore_ascii_case(name))
                    });
                    let text = if has_side { line.to_owned() } else { format!("{side},{line}") };
                    // Nothing is lost by a slip of the finger.
                    match game.read(text.as_bytes()) {
                        Ok(_) => return Ok(offered(text)),
                        Err(refusal) => say(&format!("{refusal}; try again, or type moves or help"))?,
                    }
                }
            }
        }
    }

    fn clocks_shown(&self, clocks: &PerSeat<Clock>, thinking: Duration) -> String {
        let (you, engine) = (clocks[self.play.person], clocks[self.play.person.other()]);
        match self.play.control {
            TimeControl::PerMove(time) => format!("[{} s a move]", time.as_secs_f64()),
            TimeControl::WholeGame { .. } | TimeControl::Repeating { .. } => format!(
                "[you {} s, {} {} s]",
                you.left().saturating_sub(thinking).as_secs(),
                self.play.engine.name,
                engine.left().as_secs()
            ),
        }
    }
}

fn show_moves(game: &dyn Game) -> io::Result<()> {
    let moves = game.moves();
    let shown: Vec<&str> =
        moves.iter().take(200).map(|text| text.split_once(',').map_or(text.as_str(), |(_, mv)| mv)).collect();
    say(&shown.join("  "))?;
    if moves.len() > shown.len() {
        say(&format!("and {} more", moves.len() - shown.len()))?;
    }
    Ok(())
}

/// What the person types and sees.
struct Terminal<'a> {
    typed: Typed,
    draw: &'a dyn Fn(&dyn Game) -> String,
}

impl Terminal<'_> {
    fn show(&self, game: &dyn Game) -> io::Result<()> {
        say(&format!("\n{}", (self.draw)(game).trim_end()))
    }

    /// The game is over; comes back if the person wants to take a move back.
    fn wait_for_undo(&mut self) -> Result<(), Leave> {
        loop {
            prompt("> ")?;
            match self.typed.line()?.trim() {
                "undo" => return Ok(()),
                "quit" | "exit" | "" => return Err(Leave::Quit),
                _ => say("type undo or quit")?,
            }
        }
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
