//! One game: a position, engines and clocks, played to a record.
//!
//! The referee does not know what a word, a marble or a pass is, nor what a pipe is. It asks the
//! engine to move, hears its answer against the clock, lets the rules judge the move, and tells the
//! other engines.

pub mod adjudication;
mod built_in_game;
pub mod by_scores;
mod echo;
mod engines;
mod game_loop;
mod hosted_again;
mod hosted_engines;
mod hosted_game;
mod hosted_referee;
mod ponder;
mod pool;
mod seated;
mod shown;
pub mod solved_tables;
mod start;

use std::time::{Duration, Instant};

use agon_config::ScoreRules;
use agon_games::{Game, Rules};
use agon_printable::escape;
use agon_programs::spec::EngineSpec;
use agon_programs::{sandbox, wine};
use agon_record::reason::{EndReason, FaultFact, FaultNote, FaultReason, QuotedLine};
use agon_record::{
    Decided, Evidence, GameRecord, Isolated, Lag, Ply, RefereeRecord, SeatRecord, Verdict, VoidReason,
};
use agon_seats::{Clock, PerSeat, Refusal, Seat, TimeControl};
use agon_standings::result::{Cause, GameId, Termination};
use chrono::{DateTime, Utc};

use self::adjudication::Adjudicator;
use self::seated::EnginesLeft;
use crate::hosted::{HostedRules, UNKNOWN};
use crate::processes::load;
use crate::processes::{GameTerms, Limits, Scratch, SeatSeen};
pub use built_in_game::lost_by;
pub use echo::{EchoTrouble, lag};
pub use engines::{Engines, Seating};
pub use game_loop::{GameEnd, GameInProgress, OfferedMove, Players};
pub use hosted_again::{Divergence, RefereeAgain};
pub use hosted_engines::HostedEngines;
pub use hosted_game::{HostedHalt, HostedPlayers, steps};
pub use hosted_referee::{HostedReferee, RefereeTrouble};
pub use pool::EnginePool;
pub use shown::{ShownEngine, ShownLine, shown};
pub use start::{GameWords, files, hosted_setup, manifest, setup, start};

/// Everything about a game but its moves.
pub struct GameOrder<'a> {
    /// Which game of the run it is.
    pub id: GameId,
    /// What the start position was drawn from.
    pub seed: u64,
    /// Who plays which part.
    pub engines: PerSeat<&'a EngineSpec>,
    /// How much time each has.
    pub controls: PerSeat<TimeControl>,
    /// The lag of each engine that plays elsewhere and has an echo.
    pub lags: PerSeat<Option<Lag>>,
    /// After so many plies the score decides.
    pub max_plies: Option<usize>,
    /// How long an engine may take to start, and when to stop.
    pub limits: Limits,
    /// Where engines get their directories.
    pub scratch: &'a Scratch,
}

/// A game before its first move, by who judges its moves.
pub enum GameStart<'a> {
    /// Agon does.
    BuiltIn(BuiltInStart<'a>),
    /// A referee program does, which alone knows the position.
    Hosted(&'a HostedRules),
}

/// A built-in game before its first move.
pub struct BuiltInStart<'a> {
    /// Its rules.
    pub rules: &'a dyn Rules,
    /// The position.
    pub game: Box<dyn Game>,
    /// The moves with their sides that lead there, if they are known.
    pub opening: Option<Vec<String>>,
    /// Ends the game when its winner is known.
    pub adjudicator: Option<&'a Adjudicator>,
    /// End the game by the scores of its engines.
    pub score_rules: ScoreRules,
}

impl GameStart<'_> {
    /// The game and its options.
    pub fn spec(&self) -> String {
        match self {
            GameStart::BuiltIn(start) => start.rules.spec(),
            GameStart::Hosted(rules) => rules.spec(),
        }
    }

    /// The names of the seats in order of play.
    pub fn seats(&self) -> &'static [&'static str] {
        match self {
            GameStart::BuiltIn(start) => start.rules.seats(),
            GameStart::Hosted(rules) => rules.seats(),
        }
    }

    /// The position as one line.
    pub fn text(&self) -> String {
        match self {
            GameStart::BuiltIn(start) => start.game.text(),
            GameStart::Hosted(_) => UNKNOWN.to_owned(),
        }
    }
}

/// A game that was played, and what its engines wrote to stderr.
pub struct Report {
    /// The game.
    pub record: GameRecord,
    /// The head and the tail of each engine's stderr, as it wrote them.
    pub stderr: PerSeat<Vec<u8>>,
}

/// The run was stopped. The game is abandoned and has no record.
#[derive(Debug)]
pub struct RunStopped;

impl<'a> GameOrder<'a> {
    /// The clock of each seat.
    pub fn clocks(&self) -> PerSeat<Clock> {
        let lag = |seat: Seat| self.lags[seat].map_or(Duration::ZERO, |lag| lag.allowed);
        let GameTerms { margin, bank, .. } = self.limits.terms;
        self.controls.map(|seat, control| Clock::new(*control, margin, bank).with_lag(lag(seat)))
    }

    /// What the engines need to know of a game with these rules that begins after these moves.
    fn seating(&self, rules: &'a dyn Rules, opening: Option<Vec<String>>) -> Seating<'a> {
        Seating {
            rules,
            engines: self.engines.map(|_, engine| Some(*engine)),
            controls: self.controls.clone(),
            limits: self.limits.clone(),
            scratch: self.scratch,
            opening,
            seed: self.seed,
        }
    }
}

/// What spectators of a game learn while it is played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GameNews<'a> {
    /// A seat has moved.
    Moved(&'a Ply),
    /// The referee program has published a line; escaped.
    Public(&'a str),
    /// The referee program has changed the running scores.
    Scores(&'a PerSeat<i32>),
}

/// Plays one game from its start position. `on_news` is told of each move as it is made. Engines
/// whose protocol lets one process play many games are taken from `pool` and left there.
///
/// A game that our own fault spoils is void in its record, with the reason.
///
/// # Errors
/// [`RunStopped`], when the run is to stop.
pub fn play(
    order: &GameOrder<'_>,
    start: GameStart<'_>,
    pool: &mut EnginePool,
    mut on_news: impl FnMut(GameNews<'_>),
) -> Result<Report, RunStopped> {
    let beginning = Beginning::now(&start);
    let played = match start {
        GameStart::BuiltIn(start) => built_in_game::play(order, start, &beginning.start, pool, &mut on_news),
        GameStart::Hosted(rules) => hosted_game::play(order, rules, pool, &mut on_news),
    };
    Ok(report(order, beginning, played?))
}

/// A game that is not begun by our own fault: void, with this reason.
pub fn not_begun(order: &GameOrder<'_>, start: &GameStart<'_>, why: VoidReason) -> Report {
    let referee = match start {
        GameStart::BuiltIn(_) => None,
        GameStart::Hosted(rules) => {
            let faults = Some(Vec::new());
            let record = RefereeRecord {
                hash: rules.hash.clone(),
                options: rules.options_line(),
                faults,
                ..RefereeRecord::default()
            };
            Some(Box::new(record))
        }
    };
    let beginning = Beginning::now(start);
    let played = Played {
        verdict: Verdict::Void { why },
        last: beginning.start.clone(),
        plies: Vec::new(),
        left: EnginesLeft::nothing(order.engines.len()),
        referee,
    };
    report(order, beginning, played)
}

impl Report {
    /// The game as one that our own fault has made void after all.
    pub fn spoilt(mut self, why: VoidReason) -> Report {
        self.record.verdict = Verdict::Void { why };
        for (_, seat) in self.record.seats.iter_mut() {
            (seat.evidence, seat.unanswered) = (None, None);
        }
        self
    }
}

/// What is known of a game when it begins.
struct Beginning {
    spec: String,
    sides: &'static [&'static str],
    start: String,
    at: DateTime<Utc>,
    began: Instant,
    load: load::Reading,
}

impl Beginning {
    fn now(start: &GameStart<'_>) -> Self {
        let at = DateTime::from(std::time::SystemTime::now());
        let (spec, sides, start) = (start.spec(), start.seats(), start.text());
        Beginning { spec, sides, start, at, began: Instant::now(), load: load::reading() }
    }
}

/// A game that is over, as it was played and seen.
struct Played {
    verdict: Verdict,
    last: String,
    plies: Vec<Ply>,
    left: EnginesLeft,
    referee: Option<Box<RefereeRecord>>,
}

/// The record of a game, with what its engines wrote to stderr.
fn report(order: &GameOrder<'_>, beginning: Beginning, played: Played) -> Report {
    let Played { mut verdict, last, plies, left, referee } = played;
    let EnginesLeft { seen, at_fault, unanswered, spent, finished } = left;
    let Beginning { spec, sides, start, at: started, began, load } = beginning;
    let stderr = seen.map(|_, seen| seen.stderr.clone());
    if let Verdict::Decided(Decided { termination, reason: EndReason::Fault(fault), .. }) = &mut verdict
        && let Termination::Forfeit(seat, Cause::Crash) = termination
    {
        fault.notes.extend(last_note(&seen[*seat].stderr));
    }
    let command = |seat| at_fault.iter().find(|(whose, _)| *whose == seat).map(|(_, command)| command);
    let seats = order.engines.map(|seat, engine| {
        let own = || plies.iter().filter(|ply: &&Ply| ply.seat == seat);
        let seen = &seen[seat];
        SeatRecord {
            side: sides[seat.index()].to_owned(),
            entrant: engine.name.clone(),
            time_control: time_control(order, seat),
            time: own().map(|ply| ply.time).sum(),
            longest: own().map(|ply| ply.time).max().unwrap_or_default(),
            startup: seen.startup,
            lateness: seen.lateness,
            traffic: seen.traffic,
            exit: seen.exit,
            stragglers: seen.stragglers,
            usage: seen.usage,
            evidence: command(seat).map(|command| evidence(seen, command)),
            unanswered: unanswered
                .iter()
                .find(|(whose, _)| command(seat).is_some() && *whose == seat)
                .map(|(_, question)| *question),
            pauses: seen.pauses.clone(),
            spent: spent.iter().filter(|(whose, _)| *whose == seat).map(|(_, spent)| *spent).collect(),
            elsewhere: engine.played_elsewhere(&order.limits.terms.confinement, order.lags[seat]),
        }
    });
    let record = GameRecord {
        id: order.id,
        rules: spec,
        seed: order.seed,
        start,
        last,
        time_control: order.controls[Seat::FIRST].to_string(),
        seats,
        plies,
        verdict,
        isolation: Some(Isolated {
            level: order.limits.terms.confinement.level.to_string(),
            in_force: sandbox::in_force(&order.limits.terms.confinement),
        }),
        machine: load.until(load::reading()),
        referee,
        ruling: None,
        started,
        // By a clock that nobody sets meanwhile.
        finished: started + finished.unwrap_or_else(Instant::now).saturating_duration_since(began),
    };
    Report { record, stderr }
}

/// The time of a seat as its record has it: `st=5 margin=0.02 bank=10`, without the bank if there
/// is none, and with the limits of its search behind it if it has some of its own.
pub fn time_control(order: &GameOrder<'_>, seat: Seat) -> String {
    let GameTerms { margin, bank, .. } = order.limits.terms;
    let mut text = format!("{} margin={}", order.controls[seat], margin.as_secs_f64());
    if !bank.is_zero() {
        text.push_str(&format!(" bank={}", bank.as_secs_f64()));
    }
    text + &order.engines[seat].odds.search.to_string()
}

/// The fault of an engine whose line the rules refuse.
pub fn cause_of(refusal: &Refusal) -> Cause {
    match refusal {
        Refusal::Unreadable(_) => Cause::Protocol,
        Refusal::Illegal(_) => Cause::IllegalMove,
    }
}

/// A reason with the last line that the program wrote to stderr, if there is any.
pub fn with_last_words(mut why: Box<FaultReason>, stderr: &[u8]) -> Box<FaultReason> {
    why.notes.extend(last_note(stderr));
    why
}

/// The same of a fault that is told in words.
pub fn told_with_last_words(why: String, stderr: &[u8]) -> String {
    with_last_words(FaultFact::Told(why).into(), stderr).to_string()
}

/// What the stderr of a program that crashed says of it: the library that Wine lacks, or the last
/// line that is not blank.
fn last_note(stderr: &[u8]) -> Option<FaultNote> {
    if let Some(library) = wine::missing_library(stderr) {
        return Some(FaultNote::LacksLibrary(library));
    }
    let mut lines = stderr.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    lines.rfind(|line| !line.is_empty()).map(|line| FaultNote::LastWords(QuotedLine::of(line)))
}

fn evidence(seen: &SeatSeen, command: &[String]) -> Evidence {
    Evidence { lines: seen.lines.heard(), stderr: readable(&seen.stderr), command: command.to_vec() }
}

/// What a program wrote to stderr, its lines escaped.
fn readable(stderr: &[u8]) -> String {
    let lines = stderr.split(|byte| *byte == b'\n').map(|line| escape(line, 2000));
    lines.collect::<Vec<_>>().join("\n").trim_end().to_owned()
}
