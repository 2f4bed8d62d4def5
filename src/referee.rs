//! One game: a position, the engines around a table and their clocks, played to a record.
//!
//! The referee does not know what a word, a marble or a pass is, nor what a pipe is. It asks whoever is to move,
//! hears the answer against the clock, lets the rules judge it, and tells the others.

mod start;

use std::collections::{HashMap, HashSet};
use std::io;
use std::time::Duration;

use agon_games::{Game, Outcome, PerSeat, Refusal, Rules, Seat, Status, result};
use agon_printable::escape;
use chrono::{DateTime, Utc};

use crate::clock::{Clock, TimeControl};
use crate::engine::protocol::{Reply, Start, Talk};
use crate::engine::spec::EngineSpec;
use crate::engine::{
    EngineStart, Fault, GameProcesses, Limits, ParkedEngine, Patience, Scratch, SeatSeen, Setup, Trouble,
    WorkDir,
};
use crate::engine::{load, sandbox};
use crate::record::{
    Cause, Decided, Evidence, GameId, GameRecord, Isolated, Ply, SeatRecord, Termination, Unanswered, Verdict,
};
pub use start::{setup, start};

/// Everything about a game but its moves.
pub struct GameOrder<'a> {
    /// Which game of the run it is.
    pub id: GameId,
    /// The game.
    pub rules: &'a dyn Rules,
    /// What the start position was drawn from.
    pub seed: u64,
    /// Who plays which part.
    pub engines: PerSeat<&'a EngineSpec>,
    /// How much time each has.
    pub controls: PerSeat<TimeControl>,
    /// How late an answer may be.
    pub margin: Duration,
    /// Extra time for each seat, for moves that take longer than they should.
    pub bank: Duration,
    /// After so many plies the score decides.
    pub max_plies: Option<usize>,
    /// How long an engine may take to start, and when to stop.
    pub limits: Limits,
    /// Where engines get their directories.
    pub scratch: &'a Scratch,
}

/// A game that was played, and what its engines wrote to stderr.
pub struct Report {
    /// The game.
    pub record: GameRecord,
    /// The head and the tail of each engine's stderr, as it wrote them.
    pub stderr: PerSeat<Vec<u8>>,
}

/// The run was stopped; the game is abandoned and has no record.
#[derive(Debug)]
pub struct RunStopped;

/// Engine processes that live on from game to game, by the names of their entrants.
pub struct EnginePool {
    engines: HashMap<String, Stayer>,
    /// Those that were seen to have one thread only: they are started where the game is played.
    single: HashSet<String>,
    limits: Limits,
}

struct Stayer {
    held: ParkedEngine,
    directory: WorkDir,
    farewell: &'static [u8],
}

impl EnginePool {
    /// Nobody stays yet.
    pub fn new(limits: Limits) -> Self {
        EnginePool { engines: HashMap::new(), single: HashSet::new(), limits }
    }

    /// Ends them all: they have nothing more to play.
    pub fn end(&mut self) {
        for (_, Stayer { held, directory, farewell }) in self.engines.drain() {
            held.end(farewell, &self.limits);
            drop(directory);
        }
    }
}

impl Drop for EnginePool {
    fn drop(&mut self) {
        self.end();
    }
}

/// Plays one game from its start position. `on_ply` is told of each move as it is made. Engines whose protocol
/// lets one process play many games are taken from `staying` and left there.
///
/// A game that our own fault spoils is void in its record, with the reason.
///
/// # Errors
/// [`RunStopped`], when the run is to stop.
pub fn play(
    order: &GameOrder<'_>,
    mut game: Box<dyn Game>,
    staying: &mut EnginePool,
    mut on_ply: impl FnMut(&Ply),
) -> Result<Report, RunStopped> {
    let start = game.text();
    let started = DateTime::<Utc>::from(std::time::SystemTime::now());
    let load = load::reading();
    let mut plies = Vec::new();
    let mut finished = None;
    let mut unanswered = order.engines.map(|_, _| None);
    let mut seen = order.engines.map(|_, _| SeatSeen::default());
    let mut commands = order.engines.map(|_, _| Vec::new());
    let mut verdict = loop {
        let mut seated = match seat(order, game.as_ref(), staying) {
            Ok(seated) => seated,
            Err(error) => break Verdict::Void { why: error.to_string() },
        };
        let verdict = moves(order, game.as_mut(), &mut seated, &mut plies, &mut unanswered, &mut on_ply);
        commands = std::mem::replace(&mut seated.commands, order.engines.map(|_, _| Vec::new()));
        finished = Some(DateTime::<Utc>::from(std::time::SystemTime::now()));
        let patience = match &verdict {
            Err(Halt::Stopped) | Ok(Verdict::Void { .. }) => Patience::None,
            Err(Halt::LeftBetweenGames(seat)) => Patience::AllBut(*seat),
            Ok(Verdict::Decided(decided)) => {
                decided.termination.forfeited().map_or(Patience::All, Patience::AllBut)
            }
        };
        seen = get_up(order, seated, patience, staying);
        match verdict {
            Ok(verdict) => break verdict,
            Err(Halt::Stopped) => return Err(RunStopped),
            // It does not stay, so that it is started anew, and that happens once at the most.
            Err(Halt::LeftBetweenGames(_)) => {}
        }
    };
    let stderr = seen.map(|_, seen| seen.stderr.clone());
    if let Verdict::Decided(decided) = &mut verdict
        && let Termination::Forfeit(seat, Cause::Crash) = decided.termination
        && let Some(words) = last_words(&seen[seat].stderr)
    {
        decided.reason.push_str(&format!("; the last it wrote to stderr is \"{words}\""));
    }
    let at_fault = match &verdict {
        Verdict::Decided(decided) => decided.termination.forfeited(),
        Verdict::Void { .. } => None,
    };
    let seats = order.engines.map(|seat, engine| {
        let own = || plies.iter().filter(|ply: &&Ply| ply.seat == seat);
        let seen = &seen[seat];
        SeatRecord {
            side: order.rules.seats()[seat.index()].to_owned(),
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
            evidence: (at_fault == Some(seat)).then(|| evidence(seen, &commands[seat])),
            unanswered: unanswered[seat].filter(|_| at_fault == Some(seat)),
        }
    });
    let record = GameRecord {
        id: order.id,
        rules: order.rules.spec(),
        seed: order.seed,
        start,
        last: game.text(),
        time_control: order.controls[Seat::FIRST].to_string(),
        seats,
        plies,
        verdict,
        isolation: Some(Isolated {
            level: order.limits.confinement.level.to_string(),
            in_force: sandbox::in_force(&order.limits.confinement),
        }),
        machine: load.until(load::reading()),
        started,
        finished: finished.unwrap_or_else(|| DateTime::from(std::time::SystemTime::now())),
    };
    Ok(Report { record, stderr })
}

/// `st=5 margin=0.02 bank=10`, without the bank if there is none.
fn time_control(order: &GameOrder<'_>, seat: Seat) -> String {
    let mut text = format!("{} margin={}", order.controls[seat], order.margin.as_secs_f64());
    if !order.bank.is_zero() {
        text.push_str(&format!(" bank={}", order.bank.as_secs_f64()));
    }
    text
}

/// Why a game was broken off without a verdict.
enum Halt {
    Stopped,
    /// The process of this seat, which was to play on, left before the game began.
    LeftBetweenGames(Seat),
}

/// The loop, in the order in which things happen.
fn moves(
    order: &GameOrder<'_>,
    game: &mut dyn Game,
    seated: &mut Seated,
    plies: &mut Vec<Ply>,
    unanswered: &mut PerSeat<Option<Unanswered>>,
    on_ply: &mut impl FnMut(&Ply),
) -> Result<Verdict, Halt> {
    let mut clocks = order.controls.map(|_, control| Clock::new(*control, order.margin, order.bank));
    for seat in clocks.seats() {
        if seated.talks[seat].awaits().is_some()
            && let Err(trouble) = seated.table.begin(seat)
        {
            return ended_by(trouble, game);
        }
        match get_ready(&mut seated.table, seat, &mut seated.talks[seat], order.limits.startup) {
            Ok(time) => seated.handshakes[seat] = time,
            Err(Trouble::Fault(Fault { cause: Cause::Crash | Cause::ClosedOutput, .. }))
                if seated.going_on[seat] =>
            {
                return Err(Halt::LeftBetweenGames(seat));
            }
            Err(trouble) => {
                let (time, allowance) = (seated.table.waited(), order.limits.startup);
                unanswered[seat] = Some(Unanswered { time, allowance, greeting: true });
                return ended_by(trouble, game);
            }
        }
    }
    loop {
        let seat = match game.status() {
            Status::Over(outcome) => return Ok(normal(outcome)),
            Status::ToMove(seat) => seat,
        };
        if order.max_plies.is_some_and(|most| plies.len() >= most) {
            return Ok(adjudicated(game, plies.len()));
        }
        if seated.absent[seat]
            && let Err(error) = join(order, game, seated, seat)
        {
            return Ok(Verdict::Void { why: error.to_string() });
        }
        let Seated { table, talks, .. } = seated;
        let question = talks[seat].question(&clocks);
        if !question.is_empty() {
            table.tell(seat, question);
        }
        if let Err(trouble) = table.begin(seat) {
            return ended_by(trouble, game);
        }
        let allowance = clocks[seat].allowance();
        let (line, time, thought) = match answer(table, seat, &mut talks[seat], allowance) {
            Ok(answer) => answer,
            Err(trouble) => {
                unanswered[seat] = Some(Unanswered { time: table.waited(), allowance, greeting: false });
                return ended_by(trouble, game);
            }
        };
        if resigns(&line, order.rules.seats()[seat.index()]) {
            return Ok(resigned(game, seat));
        }
        let played = match game.play(&line) {
            Ok(played) => played,
            Err(refusal) => return Ok(refused(game, seat, &line, &refusal)),
        };
        clocks[seat].spend(time);
        plies.push(Ply { seat, text: played.text, points: played.points, time, thought });
        let ply = plies.last().expect("one was just put there");
        // Before the move is told, which starts a clock: whoever listens here may be slow.
        on_ply(ply);
        for other in clocks.seats().filter(|other| !seated.absent[*other]) {
            let told = talks[other].played(seat, &ply.text);
            if !told.is_empty() {
                table.tell(other, &told);
            }
        }
    }
}

/// Goes through the handshake, if the protocol has one, within the start-up budget. Gives the time it took.
///
/// # Errors
/// [`Trouble`], as [`GameProcesses::hear`] has it.
pub fn get_ready(
    table: &mut GameProcesses,
    seat: Seat,
    talk: &mut Talk,
    startup: Duration,
) -> Result<Duration, Trouble> {
    if talk.awaits().is_none() {
        return Ok(Duration::ZERO);
    }
    table.tell(seat, talk.hello());
    table.ask(seat, startup);
    loop {
        let answer = table.hear().map_err(|trouble| match trouble {
            Trouble::Fault(Fault { seat: by, cause, why }) if by == seat => Trouble::Fault(Fault {
                seat,
                cause,
                why: format!("it did not say {} before the game: {why}", talk.awaits().unwrap_or_default()),
            }),
            other => other,
        })?;
        match talk.hear(answer.line) {
            Reply::Ready => return Ok(answer.time),
            Reply::Tell(text) => table.tell(seat, &text),
            Reply::Move(_) | Reply::Thought(_) | Reply::Nothing => {}
        }
    }
}

/// Asks and hears until there is a move; the deadline is that of the question, however many lines come first.
/// Gives the move, its time and the last thought.
///
/// # Errors
/// [`Trouble`], as [`GameProcesses::hear`] has it.
pub fn answer(
    table: &mut GameProcesses,
    seat: Seat,
    talk: &mut Talk,
    allowance: Duration,
) -> Result<(Vec<u8>, Duration, Option<String>), Trouble> {
    table.ask(seat, allowance);
    let mut thought = None;
    loop {
        let answer = table.hear()?;
        match talk.hear(answer.line) {
            Reply::Move(line) => return Ok((line, answer.time, thought)),
            Reply::Thought(words) => thought = Some(words),
            Reply::Ready | Reply::Tell(_) | Reply::Nothing => {}
        }
    }
}

fn ended_by(trouble: Trouble, game: &dyn Game) -> Result<Verdict, Halt> {
    match trouble {
        Trouble::Fault(Fault { seat, cause, why }) => {
            Ok(forfeit(game, seat, Termination::Forfeit(seat, cause), why))
        }
        Trouble::Ours(error) => Ok(Verdict::Void { why: error.to_string() }),
        Trouble::Stopped => Err(Halt::Stopped),
    }
}

/// Whether a line gives the game up: `B,R`, whatever the game: no game has a move of that name.
pub fn resigns(line: &[u8], side: &str) -> bool {
    let Some((own, rest)) = line.split_at_checked(side.len()) else { return false };
    own.eq_ignore_ascii_case(side.as_bytes()) && rest.eq_ignore_ascii_case(b",R")
}

fn normal(outcome: Outcome) -> Verdict {
    Verdict::Decided(Decided {
        places: outcome.places,
        scores: outcome.scores,
        termination: Termination::Normal,
        reason: outcome.why,
    })
}

fn refused(game: &dyn Game, seat: Seat, line: &[u8], refusal: &Refusal) -> Verdict {
    let cause = match refusal {
        Refusal::Unreadable(_) => Cause::Protocol,
        Refusal::Illegal(_) => Cause::IllegalMove,
    };
    forfeit(game, seat, Termination::Forfeit(seat, cause), format!("\"{}\": {refusal}", escape(line, 200)))
}

/// Whoever is at fault, or gives up, is last, and the others share the first place, whatever the score.
fn forfeit(game: &dyn Game, seat: Seat, termination: Termination, reason: String) -> Verdict {
    let scores = game.scores();
    Verdict::Decided(Decided { places: result::all_but(seat, scores.len()), scores, termination, reason })
}

fn resigned(game: &dyn Game, seat: Seat) -> Verdict {
    forfeit(game, seat, Termination::Resignation(seat), "it resigned".to_owned())
}

/// The higher score wins; equal scores share the place.
fn adjudicated(game: &dyn Game, plies: usize) -> Verdict {
    let scores = game.scores();
    Verdict::Decided(Decided {
        places: result::by_score(&scores),
        scores,
        termination: Termination::Adjudication,
        reason: format!("{plies} plies were played; the score decides"),
    })
}

/// The last line of a log that is not blank: of a program that crashed it mostly says why.
fn last_words(log: &[u8]) -> Option<String> {
    let mut lines = log.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    lines.rfind(|line| !line.is_empty()).map(|line| escape(line, 200))
}

fn evidence(seen: &SeatSeen, command: &[String]) -> Evidence {
    let stderr = seen.stderr.split(|byte| *byte == b'\n').map(|line| escape(line, 2000));
    Evidence {
        lines: seen.lines.heard(),
        stderr: stderr.collect::<Vec<_>>().join("\n").trim_end().to_owned(),
        command: command.to_vec(),
    }
}

struct Seated {
    table: GameProcesses,
    /// They go when their engines have ended, and not before.
    directories: PerSeat<WorkDir>,
    talks: PerSeat<Talk>,
    /// How each was started, to be shown.
    commands: PerSeat<Vec<String>>,
    /// Whether its process has played before.
    going_on: PerSeat<bool>,
    /// Whether it has still to be started, when its turn comes.
    absent: PerSeat<bool>,
    /// How long each took to say that it is ready, where its protocol wants that.
    handshakes: PerSeat<Duration>,
}

/// Gives each engine its directory with the game's files, and starts it, unless it is still here.
fn seat(order: &GameOrder<'_>, game: &dyn Game, staying: &mut EnginePool) -> io::Result<Seated> {
    let mut directories = Vec::new();
    let mut sittings = Vec::new();
    let mut commands = Vec::new();
    let mut talks = Vec::new();
    let mut absent = Vec::new();
    for (seat, engine) in order.engines.iter() {
        let start = start(order.rules, engine, seat, game);
        let here = staying.engines.remove(&engine.name).filter(|stayer| stayer.held.is_alive());
        let talk = engine.protocol.talk(&start, here.is_some());
        let mut joins_late = false;
        let (sitting, own, command) = match here {
            Some(Stayer { held, directory, .. }) => {
                (EngineStart::GoOn(held), directory, vec![escape(engine.c_program().as_bytes(), 400)])
            }
            None => {
                let (own, mut setup) = prepare(order, game, seat, &start, &talk)?;
                setup.single = staying.single.contains(&engine.name);
                let command = shown(&setup);
                joins_late = engine.protocol.joins_late(&start);
                // Not before it has something to do: what it did until then it would do in another's time.
                (EngineStart::StartLater(setup), own, command)
            }
        };
        commands.push(command);
        sittings.push(sitting);
        directories.push(own);
        talks.push(talk);
        absent.push(joins_late);
    }
    let going_on: Vec<bool> =
        sittings.iter().map(|sitting| matches!(sitting, EngineStart::GoOn(_))).collect();
    let table = GameProcesses::sit(sittings, order.limits.clone())?;
    Ok(Seated {
        going_on: going_on.into(),
        absent: absent.into(),
        table,
        directories: directories.into(),
        talks: talks.into(),
        commands: commands.into(),
        handshakes: order.engines.map(|_, _| Duration::ZERO),
    })
}

/// The directory of an engine with the files of the game, and how it is started there.
fn prepare(
    order: &GameOrder<'_>,
    game: &dyn Game,
    seat: Seat,
    start: &Start,
    talk: &Talk,
) -> io::Result<(WorkDir, Setup)> {
    let (engine, confinement) = (order.engines[seat], &order.limits.confinement);
    let own = order.scratch.directory(&engine.name, &start.board, order.rules.supplies())?;
    let mut setup = setup(order.rules, engine, seat, order.controls[seat], &own, confinement, game)
        .map_err(io::Error::other)?;
    setup.greeting = talk.greeting();
    Ok((own, setup))
}

/// Prepares an engine whose first turn has come: to it the game begins here. Nobody's clock runs meanwhile.
fn join(order: &GameOrder<'_>, game: &dyn Game, seated: &mut Seated, seat: Seat) -> io::Result<()> {
    let start = start(order.rules, order.engines[seat], seat, game);
    let talk = order.engines[seat].protocol.talk(&start, false);
    let (own, setup) = prepare(order, game, seat, &start, &talk)?;
    seated.commands[seat] = shown(&setup);
    seated.table.seat(seat, setup);
    seated.directories[seat] = own;
    seated.talks[seat] = talk;
    seated.absent[seat] = false;
    Ok(())
}

/// The command of an engine, to be shown.
fn shown(setup: &Setup) -> Vec<String> {
    setup.arguments.iter().map(|word| escape(word.as_bytes(), 400)).collect()
}

/// The game is over: the engines leave, or stay for the next.
fn get_up(
    order: &GameOrder<'_>,
    seated: Seated,
    patience: Patience,
    staying: &mut EnginePool,
) -> PerSeat<SeatSeen> {
    let Seated { mut table, directories, handshakes, .. } = seated;
    let stay = order.engines.map(|_, engine| engine.protocol.keeps_process());
    for (seat, engine) in order.engines.iter().filter(|(seat, _)| !stay[*seat]) {
        table.tell(seat, engine.protocol.farewell());
    }
    let mut all = Vec::new();
    let got_up = table.close_but(patience, &stay).into_values().into_iter().zip(directories.into_values());
    for (((mut seen, held), directory), (seat, engine)) in got_up.zip(order.engines.iter()) {
        seen.startup += handshakes[seat];
        if seen.pinned {
            staying.single.insert(engine.name.clone());
        } else {
            staying.single.remove(&engine.name);
        }
        if let Some(held) = held {
            let farewell = engine.protocol.farewell();
            staying.engines.insert(engine.name.clone(), Stayer { held, directory, farewell });
        }
        all.push(seen);
    }
    all.into()
}
