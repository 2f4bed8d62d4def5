//! One game: a position, the engines around a table and their clocks, played to a record.
//!
//! The referee does not know what a word, a marble or a pass is, nor what a pipe is. It asks whoever is to move,
//! hears the answer against the clock, lets the rules judge it, and tells the others.

use std::ffi::CString;
use std::io;
use std::path::Path;
use std::time::Duration;

use chrono::Utc;

use crate::clock::{Clock, TimeControl};
use crate::engine::protocol::lines;
use crate::engine::spec::{Directory, EngineSpec};
use crate::engine::{Limits, Patience, Scratch, Seen, Setup, Table, Trouble, WorkDir};
use crate::game::{Game, Outcome, PerSeat, Refusal, Rules, Seat, Status};
use crate::printable::escape;
use crate::record::{Cause, Decided, Evidence, GameId, GameRecord, Ply, SeatRecord, Termination, Verdict};

/// Everything about a game but its moves.
pub struct Order<'a> {
    /// Which game of the run it is.
    pub id: GameId,
    /// The game.
    pub rules: &'a dyn Rules,
    /// What the start position is drawn from.
    pub seed: u64,
    /// Who plays which part.
    pub engines: PerSeat<&'a EngineSpec>,
    /// How much time each has.
    pub controls: PerSeat<TimeControl>,
    /// How late an answer may be.
    pub margin: Duration,
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
pub struct Stopped;

/// Plays one game. `on_ply` is told of each move as it is made.
///
/// A game that our own fault spoils is void in its record, with the reason.
///
/// # Errors
/// [`Stopped`], when the run is to stop.
pub fn play(order: &Order<'_>, mut on_ply: impl FnMut(&Ply)) -> Result<Report, Stopped> {
    let mut game = order.rules.start(order.seed);
    let start = game.text();
    let started = Utc::now();
    let mut clocks = order.controls.map(|_, control| Clock::new(*control, order.margin));
    let mut plies = Vec::new();
    let (verdict, seen, setups) = match seat(order, game.as_ref()) {
        Err(error) => (Verdict::Void { why: error.to_string() }, None, None),
        Ok(Seated { mut table, directories, setups }) => {
            let verdict = match moves(game.as_mut(), &mut table, &mut clocks, &mut plies, &mut on_ply) {
                Ok(verdict) => verdict,
                Err(Stopped) => {
                    table.close(Patience::None);
                    return Err(Stopped);
                }
            };
            let patience = match &verdict {
                Verdict::Void { .. } => Patience::None,
                Verdict::Decided(decided) => {
                    decided.termination.forfeited().map_or(Patience::All, Patience::AllBut)
                }
            };
            let finished = Utc::now();
            let seen = table.close(patience);
            drop(directories);
            (verdict, Some((seen, finished)), Some(setups))
        }
    };
    let (seen, finished) = match seen {
        Some((seen, finished)) => (Some(seen), finished),
        None => (None, Utc::now()),
    };
    let at_fault = match &verdict {
        Verdict::Decided(decided) => decided.termination.forfeited(),
        Verdict::Void { .. } => None,
    };
    let seats = order.engines.map(|seat, engine| {
        let own = || plies.iter().filter(|ply: &&Ply| ply.seat == seat);
        let seen = seen.as_ref().map(|seen| &seen[seat]);
        SeatRecord {
            side: order.rules.seats()[seat.index()].to_owned(),
            entrant: engine.name.clone(),
            time: own().map(|ply| ply.time).sum(),
            longest: own().map(|ply| ply.time).max().unwrap_or_default(),
            startup: seen.map(|seen| seen.startup).unwrap_or_default(),
            lateness: seen.map(|seen| seen.lateness).unwrap_or_default(),
            traffic: seen.map(|seen| seen.traffic).unwrap_or_default(),
            exit: seen.and_then(|seen| seen.exit),
            stragglers: seen.map_or(0, |seen| seen.stragglers),
            evidence: match (seen, &setups) {
                (Some(seen), Some(setups)) if at_fault == Some(seat) => Some(evidence(seen, &setups[seat])),
                _ => None,
            },
        }
    });
    let stderr = match seen {
        Some(mut seen) => {
            let mut logs: Vec<Vec<u8>> = Vec::new();
            for (_, seen) in seen.iter_mut() {
                logs.push(std::mem::take(&mut seen.stderr));
            }
            logs.into()
        }
        None => order.engines.map(|_, _| Vec::new()),
    };
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
        started,
        finished,
    };
    Ok(Report { record, stderr })
}

/// The loop, in the order in which things happen.
fn moves(
    game: &mut dyn Game,
    table: &mut Table,
    clocks: &mut PerSeat<Clock>,
    plies: &mut Vec<Ply>,
    on_ply: &mut impl FnMut(&Ply),
) -> Result<Verdict, Stopped> {
    loop {
        let seat = match game.status() {
            Status::Over(outcome) => return Ok(normal(outcome)),
            Status::ToMove(seat) => seat,
        };
        table.ask(seat, clocks[seat].allowance());
        let answer = match table.hear() {
            Ok(answer) => answer,
            Err(Trouble::Fault(fault)) => return Ok(forfeit(game, seat, fault.cause, fault.why)),
            Err(Trouble::Ours(error)) => return Ok(Verdict::Void { why: error.to_string() }),
            Err(Trouble::Stopped) => return Err(Stopped),
        };
        let played = match game.play(&answer.line) {
            Ok(played) => played,
            Err(refusal) => return Ok(refused(game, seat, &answer.line, &refusal)),
        };
        clocks[seat].spend(answer.time);
        let told = lines::played(&played.text);
        for other in clocks.seats().filter(|other| *other != seat) {
            table.tell(other, &told);
        }
        plies.push(Ply { seat, text: played.text, points: played.points, time: answer.time });
        on_ply(plies.last().expect("one was just put there"));
    }
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
    forfeit(game, seat, cause, format!("\"{}\": {refusal}", escape(line, 200)))
}

/// Whoever is at fault is last, and the others share the first place, whatever the score.
fn forfeit(game: &dyn Game, seat: Seat, cause: Cause, reason: String) -> Verdict {
    let scores = game.scores();
    let last = u8::try_from(scores.len()).expect("a game has at most 255 seats");
    Verdict::Decided(Decided {
        places: scores.map(|other, _| if other == seat { last } else { 1 }),
        scores,
        termination: Termination::Forfeit(seat, cause),
        reason,
    })
}

fn evidence(seen: &Seen, setup: &Setup) -> Evidence {
    let stderr = seen.stderr.split(|byte| *byte == b'\n').map(|line| escape(line, 2000));
    Evidence {
        lines: seen.lines.clone(),
        stderr: stderr.collect::<Vec<_>>().join("\n").trim_end().to_owned(),
        command: setup.arguments.iter().map(|word| escape(word.as_bytes(), 400)).collect(),
    }
}

struct Seated {
    table: Table,
    /// They go when the game is over, and not before.
    directories: Vec<WorkDir>,
    setups: PerSeat<Setup>,
}

/// Gives each engine its directory with the game's files, and starts it.
fn seat(order: &Order<'_>, game: &dyn Game) -> io::Result<Seated> {
    let mut directories = Vec::new();
    let mut setups = Vec::new();
    for (seat, engine) in order.engines.iter() {
        let own = order.scratch.directory()?;
        let board = game.view(seat);
        own.put("board", board.as_bytes())?;
        for supply in order.rules.supplies() {
            own.link(order.scratch, &supply)?;
        }
        let setup =
            setup(order.rules, engine, seat, order.controls[seat], &own, &board).map_err(io::Error::other)?;
        setups.push(setup);
        directories.push(own);
    }
    let setups = setups.into();
    let table = Table::sit(&setups, order.limits.clone())?;
    Ok(Seated { table, directories, setups })
}

/// How an engine is started on this seat, in a directory that has the game's files already.
///
/// # Errors
/// Words that name an argument nobody can fill in. Asked once before a run, it does not fail in it.
pub fn setup(
    rules: &dyn Rules,
    engine: &EngineSpec,
    seat: Seat,
    control: TimeControl,
    own: &WorkDir,
    board: &str,
) -> Result<Setup, String> {
    let words = words(rules, seat, control, own.path(), &engine.folder);
    Ok(Setup {
        program: engine.c_program(),
        arguments: engine.c_command(&usual_arguments(rules), &words)?,
        environment: environment(engine, own.path()),
        directory: match engine.directory {
            Directory::Own => own.c_path(),
            Directory::Folder => c_path(&engine.folder),
        },
        greeting: lines::greeting(board),
    })
}

/// The arguments of an engine that asks for no others: `{side} {rows} {columns} {planes} {seconds}`.
fn usual_arguments(rules: &dyn Rules) -> Vec<String> {
    lines::arguments(rules.settings().iter().map(|(word, _)| *word))
}

/// What an engine's arguments may ask for in braces.
fn words(
    rules: &dyn Rules,
    seat: Seat,
    control: TimeControl,
    own: &Path,
    folder: &Path,
) -> Vec<(&'static str, String)> {
    let mut words = vec![("side", rules.seats()[seat.index()].to_owned())];
    words.extend(rules.settings());
    words.push(("seconds", control.seconds()));
    words.push(("game", rules.spec()));
    words.push(("board", own.join("board").to_string_lossy().into_owned()));
    for supply in rules.supplies() {
        // `dictionary.sorted` would be an odd thing to write in braces.
        if !supply.name.contains('.') {
            words.push((supply.name, own.join(supply.name).to_string_lossy().into_owned()));
        }
    }
    words.push(("folder", folder.to_string_lossy().into_owned()));
    words
}

/// The variables an engine inherits. Everything else stays with whoever runs the harness.
const INHERITED: [&str; 5] = ["PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ"];

fn environment(engine: &EngineSpec, own: &Path) -> Vec<CString> {
    use std::os::unix::ffi::OsStrExt;
    let mut variables: Vec<Vec<u8>> = Vec::new();
    let mut set = |name: &str, value: &[u8]| {
        if !engine.environment.contains_key(name) {
            variables.push([name.as_bytes(), b"=", value].concat());
        }
    };
    for name in INHERITED {
        if let Some(value) = std::env::var_os(name) {
            set(name, value.as_bytes());
        }
    }
    set("HOME", own.as_os_str().as_bytes());
    set("TMPDIR", own.as_os_str().as_bytes());
    variables.extend(engine.environment.iter().map(|(name, value)| format!("{name}={value}").into_bytes()));
    variables.into_iter().map(|variable| CString::new(variable).expect("variables hold no NUL")).collect()
}

fn c_path(path: &Path) -> CString {
    use std::os::unix::ffi::OsStrExt;
    CString::new(path.as_os_str().as_bytes()).expect("a path that was found has no NUL")
}
