//! A game of engines and persons as it stands: begun in a position, and played again up to a move.
//! That is how a move is taken back.

use std::io;
use std::time::Duration;

use agon_games::{Game, Rules};
use agon_match::processes::{Fault, Limits, Patience, Scratch, Trouble};
use agon_match::referee::{Engines, GameEnd, GameInProgress, OfferedMove, Players, Seating, with_last_words};
use agon_programs::spec::EngineSpec;
use agon_protocol::ProcessSpan;
use agon_record::Ply;
use agon_seats::{Clock, PerSeat, Seat, TimeControl};

/// Who plays, and by which rules.
#[derive(Clone)]
pub struct Seated<'a> {
    /// The game.
    pub rules: &'a dyn Rules,
    /// The engine of each seat; none where a person moves.
    pub engines: PerSeat<Option<&'a EngineSpec>>,
    /// How much time each has.
    pub controls: PerSeat<TimeControl>,
    /// How long an engine may take to start, and when to stop.
    pub limits: Limits,
    /// Where engines get their directories.
    pub scratch: &'a Scratch,
    /// What the seeds of the engines follow from: the same each time when moves are taken back.
    pub seed: u64,
}

/// A move that was played before.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PastMove {
    /// The move with its side.
    pub text: String,
    /// The time that its seat took.
    pub time: Duration,
    /// What the engine said of it then.
    pub thought: Option<String>,
}

impl PastMove {
    /// A move of which nothing else is known, and which took no time.
    pub fn untimed(text: String) -> Self {
        PastMove { text, time: Duration::ZERO, thought: None }
    }
}

impl From<&Ply> for PastMove {
    fn from(ply: &Ply) -> Self {
        PastMove { text: ply.text.clone(), time: ply.time, thought: ply.thought.clone() }
    }
}

/// The game as it stands, and the engines that know it.
pub struct PlaySession<'a> {
    /// Where the engines were started, as one line.
    pub start: String,
    /// The moves that lead there, if they are known.
    pub opening: Option<Vec<String>>,
    /// The game.
    pub game: GameInProgress<'a>,
    /// Its engines.
    pub engines: Engines<'a>,
}

impl<'a> PlaySession<'a> {
    /// Starts the engines at a position and plays the moves since then. An engine that is told the
    /// whole game each time is told. One that keeps the game in its head must play its own moves
    /// again. If it decides otherwise, all are started anew in the position itself.
    ///
    /// # Errors
    /// [`Trouble`]: an engine does not start, or the order to stop has come.
    pub fn open(
        seated: &Seated<'a>,
        start: String,
        opening: Option<Vec<String>>,
        past: &[PastMove],
    ) -> Result<Self, Trouble> {
        let mut session = PlaySession::begin(seated, start, opening)?;
        if session.catch_up(seated, past)? {
            return Ok(session);
        }
        session.engines.end(Patience::All);
        let (mut game, mut clocks) = (resumed(seated.rules, &session.start)?, clocks(seated));
        let mut texts = Vec::new();
        for one in past {
            clocks[game.to_move()].spend(one.time, None);
            texts.push(game.play(one.text.as_bytes()).map_err(|error| ours(&error))?.text);
        }
        let opening = session.opening.map(|before| [before, texts].concat());
        let mut session = PlaySession::begin(seated, game.text(), opening)?;
        session.game.clocks = clocks;
        session.game.game = game; // it knows the earlier positions
        Ok(session)
    }

    fn begin(seated: &Seated<'a>, start: String, opening: Option<Vec<String>>) -> Result<Self, Trouble> {
        let game = resumed(seated.rules, &start)?;
        let seating = Seating {
            rules: seated.rules,
            engines: seated.engines.clone(),
            controls: seated.controls.clone(),
            limits: seated.limits.clone(),
            scratch: seated.scratch,
            opening: opening.clone(),
            seed: seated.seed,
        };
        let mut engines = Engines::start(seating, game.as_ref(), None).map_err(Trouble::Ours)?;
        for (seat, _) in seated.engines.iter().filter(|(_, engine)| engine.is_some()) {
            // One that is to move could write before it is asked.
            let launched = if game.to_move() == seat { Ok(()) } else { engines.launch(seat) };
            if let Err(trouble) = launched.and_then(|()| engines.ready(seat)) {
                let seen = engines.end(Patience::None);
                return Err(match trouble {
                    Trouble::Fault(fault) => {
                        Trouble::Fault(Fault { why: with_last_words(fault.why, &seen[seat].stderr), ..fault })
                    }
                    other => other,
                });
            }
        }
        let game = GameInProgress::new(seated.rules, game, clocks(seated));
        Ok(PlaySession { start, opening, game, engines })
    }

    /// Plays moves that were played before; `false` if an engine decides otherwise this time.
    fn catch_up(&mut self, seated: &Seated<'_>, past: &[PastMove]) -> Result<bool, Trouble> {
        let PlaySession { game, engines, .. } = self;
        match game.play_on(&mut Replayed { seated, engines, past: past.iter() }) {
            GameEnd::Over(_)
            | GameEnd::PlyLimit
            | GameEnd::Known(_)
            | GameEnd::Scores(_)
            | GameEnd::Left(NoMore::Moves) => Ok(true),
            GameEnd::Left(NoMore::Agreement) | GameEnd::Resigned(_) => Ok(false),
            GameEnd::Trouble(Trouble::Fault(_)) => Ok(false),
            GameEnd::Trouble(trouble) => Err(trouble),
            GameEnd::Refused { refusal, .. } => Err(ours(&refusal)),
        }
    }
}

fn clocks(seated: &Seated<'_>) -> PerSeat<Clock> {
    let terms = &seated.limits.terms;
    seated.controls.map(|_, control| Clock::new(*control, terms.margin, terms.bank))
}

fn resumed(rules: &dyn Rules, start: &str) -> Result<Box<dyn Game>, Trouble> {
    rules.resume(start).map_err(|error| ours(&error))
}

fn ours(error: &agon_seats::Refusal) -> Trouble {
    Trouble::Ours(io::Error::other(error.clone()))
}

/// The players while a game is played again up to where it stood.
struct Replayed<'s, 'a> {
    seated: &'s Seated<'s>,
    engines: &'s mut Engines<'a>,
    past: std::slice::Iter<'s, PastMove>,
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
        let PastMove { text, time, thought } = self.past.next().ok_or(GameEnd::Left(NoMore::Moves))?;
        let again = OfferedMove { line: text.clone().into_bytes(), time: *time, thought: thought.clone() };
        // It is told the whole position.
        let is_told = |engine: &EngineSpec| {
            engine.process != ProcessSpan::Game || engine.protocol.usual_span() == ProcessSpan::Pairing
        };
        if self.seated.engines[seat].is_none_or(is_told) {
            return Ok(again);
        }
        let offered = self.engines.ask(seat, game, clocks).map_err(GameEnd::Trouble)?;
        let agrees = game.read(&offered.line).is_ok_and(|(read, _)| read == *text);
        if agrees { Ok(again) } else { Err(GameEnd::Left(NoMore::Agreement)) }
    }

    fn played(&mut self, ply: &Ply) {
        self.engines.tell(ply.seat, &ply.text);
    }
}
