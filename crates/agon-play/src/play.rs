//! A person against an engine: one game in a terminal, with undo, hints and patience for typed
//! mistakes.
//!
//! The person is a seat like any other, but is never out of time and never forfeits. An engine's
//! fault ends the game as it would in a match.

mod hosted;
pub mod session;
mod typed;

use std::io::{self, Write};
use std::time::{Duration, Instant};

use agon_games::{Game, Outcome, Rules, places_without, with_side};
use agon_match::processes::{Fault, Limits, Patience, Scratch, Trouble};
use agon_match::referee::{Engines, GameEnd, OfferedMove, Players};
use agon_pages::report::columns::wrapped;
use agon_pages::report::drawing;
use agon_pages::report::terminal::TableLook;
use agon_printable::escape;
use agon_programs::spec::EngineSpec;
use agon_protocol::without_side;
use agon_record::Ply;
use agon_seats::{Clock, PerSeat, Seat, TimeControl};
use agon_solved::Solver;

use crate::choices;
pub use hosted::play_hosted;
use session::{PastMove, PlaySession, Seated};
use typed::{NoLine, Typed};

/// The most legal moves that are listed.
const MOST_SHOWN: usize = 200;

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
    /// The moves with their sides that lead there, if they are known.
    pub opening: Option<Vec<String>>,
    /// Moves that have been played from there, with their side letters.
    pub moves: Vec<String>,
    /// The engine's time, and the person's by which nobody loses.
    pub control: TimeControl,
    /// How long the engine may take to start, and when to stop.
    pub limits: Limits,
    /// Where the engine gets its directory.
    pub scratch: &'a Scratch,
    /// What the seed of the engine follows from.
    pub seed: u64,
    /// The values that are shown beside the legal moves, if they are wanted.
    pub values: Option<Solver>,
}

impl<'a> Play<'a> {
    /// The engine on its seat, and the time of each.
    fn seated(&self) -> Seated<'a> {
        let seats = self.rules.seats().len();
        let seat = self.person.other();
        Seated {
            rules: self.rules,
            engines: PerSeat::from_fn(seats, |other| (other == seat).then_some(self.engine)),
            controls: PerSeat::from_fn(seats, |_| self.control),
            limits: self.limits.clone(),
            scratch: self.scratch,
            seed: self.seed,
        }
    }
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

impl From<NoLine> for Leave {
    fn from(why: NoLine) -> Self {
        match why {
            NoLine::End => Leave::Quit,
            NoLine::Stopped => Leave::Stopped,
            NoLine::Broken(error) => Leave::Broken(error),
        }
    }
}

const HELP: &str = "\
  a move     as the notation has it, with or without the side: agon rules tells
  a word     in the letter cube: where it lies is found, or asked if there are several places
  moves      what may be played now, with its points or values (also: hint)
  undo       takes back your last move and what followed
  board      shows the position again
  resign     gives the game up
  quit       leaves (also: the end of input)
";

/// Plays the game with a person who types on standard input and reads on standard output. Tells
/// whether it was left by a signal.
///
/// # Errors
/// Ours, or a terminal that is gone.
pub fn play(play: &Play<'_>) -> io::Result<bool> {
    let typed = Typed::new(play.limits.stop.clone());
    let look = TableLook::of(&io::stdout());
    match play_and_undo(play, &mut Terminal { typed, look, before: None, shown: String::new() }) {
        Leave::Quit | Leave::Undo => Ok(false),
        Leave::Stopped => Ok(true),
        Leave::Broken(error) => Err(error),
    }
}

/// Plays until the person leaves. After an undo the engine is started anew in the shorter game.
fn play_and_undo(play: &Play<'_>, terminal: &mut Terminal) -> Leave {
    let names = play.rules.seats();
    let mut greeting = Some(format!(
        "{}: you are {}, {} is {}; type help for what you can type",
        play.rules.spec(),
        names[play.person.index()],
        play.engine.name,
        names[play.person.other().index()]
    ));
    let (mut start, mut opening) = (play.start.clone(), play.opening.clone());
    let mut moves: Vec<PastMove> = play.moves.iter().cloned().map(PastMove::untimed).collect();
    let seated = play.seated();
    loop {
        let mut session = match PlaySession::open(&seated, start, opening, &moves) {
            Ok(session) => session,
            Err(trouble) => return lost(play, trouble),
        };
        let greeted = greeting.take().map_or(Ok(()), |text| say(&text));
        let kept = greeted
            .map_err(Leave::from)
            .and_then(|()| AtTable { play, session: &mut session }.turns(terminal));
        let patience = match &kept {
            Ok(_) | Err(Leave::Quit | Leave::Undo) => Patience::All,
            Err(Leave::Stopped | Leave::Broken(_)) => Patience::None,
        };
        (start, opening) = (session.start.clone(), session.opening.clone());
        let seen = session.engines.end(patience);
        terminal.before = None;
        let Turned { over, kept } = match kept {
            Ok(turned) => turned,
            Err(leave) => return leave,
        };
        if let Some(Over { words, by_fault }) = over {
            let stderr = if by_fault {
                complaint(&play.engine.name, &seen[play.person.other()].stderr)
            } else {
                String::new()
            };
            let told = say(&format!("{words}{stderr}")).map_err(Leave::from);
            if let Err(leave) = told.and_then(|()| terminal.wait_for_undo()) {
                return leave;
            }
        }
        let Some(kept) = kept else {
            let told = say(NOTHING_TO_TAKE_BACK);
            return told.map_or_else(Leave::Broken, |()| Leave::Quit);
        };
        moves = kept;
    }
}

const NOTHING_TO_TAKE_BACK: &str = "there is no move of yours to take back";

/// What became of the turns of a game.
struct Turned {
    /// How the game ended; `None` if a move is taken back.
    over: Option<Over>,
    /// The moves before the person's last one; `None` if there is no such move.
    kept: Option<Vec<PastMove>>,
}

/// The end of a game, in words.
struct Over {
    words: String,
    /// Whether the engine was at fault, so that its stderr matters.
    by_fault: bool,
}

/// How many lines of stderr are shown.
const SHOWN_LINES: usize = 10;

/// What an engine that was at fault wrote to stderr, in lines of its own; empty if that is nothing.
fn complaint(name: &str, stderr: &[u8]) -> String {
    let lines = stderr.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end);
    let lines: Vec<String> =
        lines.filter(|line| !line.is_empty()).map(|line| format!("  {}", escape(line, 200))).collect();
    match &lines[lines.len().saturating_sub(SHOWN_LINES)..] {
        [] => String::new(),
        last => format!("\n{name} wrote to stderr:\n{}", last.join("\n")),
    }
}

/// The game as it stands, at the terminal.
struct AtTable<'s, 'a> {
    play: &'a Play<'a>,
    session: &'s mut PlaySession<'a>,
}

impl AtTable<'_, '_> {
    /// Plays until the person takes a move back, or the game is over.
    fn turns(&mut self, terminal: &mut Terminal) -> Result<Turned, Leave> {
        let play = self.play;
        let name = &play.engine.name;
        loop {
            let PlaySession { game, engines, .. } = &mut *self.session;
            let mut by_fault = false;
            let over = match game.play_on(&mut AtTerminal { play, engines, terminal, shown: None }) {
                GameEnd::Left(Leave::Undo) => None,
                GameEnd::Left(leave) => return Err(leave),
                GameEnd::Over(outcome) => {
                    terminal.show(game.game.as_ref())?;
                    Some(result(play, &outcome))
                }
                GameEnd::PlyLimit | GameEnd::Known(_) | GameEnd::Scores(_) => return Err(Leave::Quit),
                GameEnd::Resigned(seat) if seat == play.person => Some(format!("you resign: {name} won")),
                GameEnd::Resigned(_) => Some(format!("{name} resigns: you won")),
                GameEnd::Refused { line, refusal, .. } => {
                    by_fault = true;
                    let line = escape(&line, 200);
                    Some(format!("{name} wrote \"{line}\", and that loses: {refusal}"))
                }
                GameEnd::Trouble(Trouble::Fault(fault)) => {
                    by_fault = true;
                    let places = places_without(game.game.as_ref(), fault.seat, fault.cause.lost());
                    let drawn =
                        if places[fault.seat] == 1 { "; but you could not win any more: a draw" } else { "" };
                    Some(has_lost(play, &fault) + drawn)
                }
                GameEnd::Trouble(trouble) => return Err(lost(play, trouble)),
            };
            let plies = &self.session.game.plies;
            let last = plies.iter().rposition(|ply| ply.seat == play.person);
            let kept = last.map(|last| plies[..last].iter().map(PastMove::from).collect());
            let over = over.map(|words| Over { words, by_fault });
            if kept.is_some() || over.is_some() {
                return Ok(Turned { over, kept });
            }
            say(NOTHING_TO_TAKE_BACK)?;
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

fn has_lost(play: &Play<'_>, fault: &Fault) -> String {
    format!("{} has lost by {}: {}", play.engine.name, fault.cause.name(), fault.why)
}

/// Tells of an engine's fault, which ends the game.
fn lost(play: &Play<'_>, trouble: Trouble) -> Leave {
    match trouble {
        Trouble::Fault(fault) => {
            let told = say(&has_lost(play, &fault));
            told.map_or_else(Leave::Broken, |()| Leave::Quit)
        }
        Trouble::Stopped => Leave::Stopped,
        Trouble::Ours(error) => Leave::Broken(error),
    }
}

/// The person at the terminal, and the engine.
struct AtTerminal<'s, 'a> {
    play: &'a Play<'a>,
    engines: &'s mut Engines<'a>,
    terminal: &'s mut Terminal,
    /// The engine's last move as people write it, where that is not its text.
    shown: Option<String>,
}

impl Players for AtTerminal<'_, '_> {
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
            let offered = self.engines.ask(seat, game, clocks).map_err(GameEnd::Trouble)?;
            self.shown = game.shown(&offered.line);
            Ok(offered)
        }
    }

    fn played(&mut self, ply: &Ply) {
        if ply.seat != self.play.person {
            let text = self.shown.take().unwrap_or_else(|| ply.text.clone());
            let _ = say(&format!("{} plays {text}", self.play.engine.name)); // the next prompt tells of it
        }
        self.engines.tell(ply.seat, &ply.text);
    }
}

impl AtTerminal<'_, '_> {
    fn person_moves(&mut self, game: &dyn Game, clocks: &PerSeat<Clock>) -> Result<OfferedMove, Leave> {
        let asked = Instant::now();
        let seats = self.play.rules.seats();
        let side = seats[self.play.person.index()];
        let offered =
            |text: String| OfferedMove { line: text.into_bytes(), time: asked.elapsed(), thought: None };
        // The places of a word, of which the person is to choose one.
        let mut places: Vec<String> = Vec::new();
        loop {
            let prompt = format!("{}{side}> ", self.clocks_shown(clocks, asked.elapsed()));
            let line = self.terminal.typed.line(&prompt)?;
            let line = line.trim();
            let chosen = line.parse::<usize>().ok().and_then(|number| places.get(number.checked_sub(1)?));
            if let Some(chosen) = chosen {
                return Ok(offered(chosen.clone()));
            }
            match line.to_ascii_lowercase().as_str() {
                "" => {}
                "help" | "?" => say(HELP.trim_end())?,
                "quit" | "exit" => return Err(Leave::Quit),
                "board" => self.terminal.show_again()?,
                "moves" | "hint" | "hints" => match &self.play.values {
                    Some(solver) => show_values(solver, game, self.terminal.look)?,
                    None => show_moves(self.play.rules, game, self.terminal.look)?,
                },
                "undo" => return Err(Leave::Undo),
                "resign" => return Ok(offered(format!("{side},R"))),
                word => {
                    let text = with_side(line, seats, self.play.person);
                    // Nothing is lost by a slip of the finger.
                    let refusal = match game.read(text.as_bytes()) {
                        Ok(_) => return Ok(offered(text)),
                        Err(refusal) => refusal,
                    };
                    places = choices::places_of(game, word);
                    match &places[..] {
                        [] => {
                            let why = choices::why_no_word(game, word).unwrap_or_else(|| refusal.to_string());
                            say(&format!("{why}; try again, or type moves or help"))?;
                        }
                        [one] => return Ok(offered(one.clone())),
                        several => ask_for_place(word, several)?,
                    }
                }
            }
        }
    }

    /// The clocks before the prompt, if there are any: a time for each move binds the engine alone.
    fn clocks_shown(&self, clocks: &PerSeat<Clock>, thinking: Duration) -> String {
        let (you, engine) = (clocks[self.play.person], clocks[self.play.person.other()]);
        match self.play.control {
            TimeControl::PerMove(_) => String::new(),
            TimeControl::WholeGame { .. } | TimeControl::Repeating { .. } => format!(
                "[you {} s, {} {} s] ",
                you.left().saturating_sub(thinking).as_secs(),
                self.play.engine.name,
                engine.left().as_secs()
            ),
        }
    }
}

fn ask_for_place(word: &str, places: &[String]) -> io::Result<()> {
    say(&format!("{word} can be taken in {} places; type the number of one:", places.len()))?;
    for (number, place) in (1..).zip(places) {
        say(&format!("  {number}: {place}"))?;
    }
    Ok(())
}

/// Lists the legal moves, each with the points it would make, if it makes any.
fn show_moves(rules: &dyn Rules, game: &dyn Game, look: TableLook) -> io::Result<()> {
    let shown: Vec<String> = choices::with_points(rules, game, MOST_SHOWN)
        .into_iter()
        .map(|(text, points)| match (without_side(&text), points) {
            (mv, 0) => mv.to_owned(),
            // A blank at which no line ends.
            (mv, points) => format!("{mv}\u{a0}({points})"),
        })
        .collect();
    say(&wrapped(&shown.join("  "), look.width).replace('\u{a0}', " "))?;
    match game.moves().len() - shown.len() {
        0 => Ok(()),
        more => say(&format!("and {more} more")),
    }
}

/// Lists the legal moves from the best on, each with its value for the person.
fn show_values(solver: &Solver, game: &dyn Game, look: TableLook) -> io::Result<()> {
    let ranked = match solver.follow(&game.text()) {
        Ok(mut followed) => followed.ranked(),
        Err(refusal) => return say(&format!("this position has no values: {refusal}")),
    };
    for alike in ranked.chunk_by(|one, next| one.valuation == next.valuation) {
        let moves: Vec<&str> = alike.iter().map(|ranked| without_side(&ranked.text)).collect();
        say(&wrapped(&format!("{}: {}", alike[0].valuation, moves.join("  ")), look.width))?;
    }
    Ok(())
}

/// What the person types and sees.
struct Terminal {
    typed: Typed,
    look: TableLook,
    /// The drawing that was shown last: what has changed since then is marked.
    before: Option<String>,
    /// The same as it was shown.
    shown: String,
}

impl Terminal {
    fn show(&mut self, game: &dyn Game) -> io::Result<()> {
        let drawing = game.draw();
        self.shown = drawing::styled(&drawing, self.before.as_deref(), self.look);
        self.before = Some(drawing);
        self.show_again()
    }

    fn show_again(&self) -> io::Result<()> {
        say(&format!("\n{}", self.shown.trim_end()))
    }

    /// The game is over; comes back if the person wants to take a move back.
    fn wait_for_undo(&mut self) -> Result<(), Leave> {
        say("type undo to take back your last move, or quit")?;
        // Asked once more, because undo may be mistyped.
        for is_last in [false, true] {
            match self.typed.line("> ")?.trim().to_ascii_lowercase().as_str() {
                "undo" => return Ok(()),
                "quit" | "exit" | "" => break,
                _ if is_last => break,
                _ => say("the game is over: only undo goes on; anything else leaves")?,
            }
        }
        Err(Leave::Quit)
    }
}

fn say(text: &str) -> io::Result<()> {
    writeln!(io::stdout(), "{text}")
}
