//! What an engine does wrong, found out by playing a few moves with it, in plain words for its author.
//!
//! The opponent is ours: it plays legal moves drawn from a seed. Every seat is tried; a game ends at the first
//! fault, because nobody knows what an engine thinks after one.

pub mod tryout;

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::time::Duration;

use agon_games::{Game, PerSeat, Refusal, Rules, Seat};
use agon_printable::escape;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::clock::{Clock, TimeControl};
use crate::engine::spec::EngineSpec;
use crate::engine::{Limits, Patience, Scratch, SeatSeen, Trouble, load};
use crate::openings::Openings;
use crate::record::{Cause, Exit, GameRecord, Ply, Termination, TranscriptLine, Way};
use crate::referee::{self, Engines, GameEnd, GameInProgress, OfferedMove, Players, Seating};

/// What is tried.
#[derive(Clone)]
pub struct CheckTrial<'a> {
    /// The game.
    pub rules: &'a dyn Rules,
    /// The engine.
    pub engine: &'a EngineSpec,
    /// How much time it has.
    pub control: TimeControl,
    /// How late an answer may be.
    pub margin: Duration,
    /// How long it may take to start, and when to stop.
    pub limits: Limits,
    /// Where it gets its directory.
    pub scratch: &'a Scratch,
    /// What the boards and our moves are drawn from.
    pub seed: u64,
    /// How games begin.
    pub openings: &'a Openings,
    /// How many moves of its own it is to make in each game.
    pub moves: usize,
}

/// What was found in one game.
#[derive(Debug, Default)]
pub struct CheckFinding {
    /// The side it played.
    pub side: String,
    /// The moves it made that were right, and the longest time one took.
    pub moves: usize,
    /// The longest time a move took.
    pub longest: Duration,
    /// How long it took to start.
    pub startup: Duration,
    /// Whether the game came to its end by the rules.
    pub finished: bool,
    /// By which fault it lost the game, if by any.
    pub fault: Option<Cause>,
    /// What loses games.
    pub wrong: Vec<String>,
    /// What does not, but is worth a word.
    pub advice: Vec<String>,
    /// What it wrote to stderr, the head and the tail.
    pub stderr: Vec<u8>,
    /// Whether it wrote its answer only when its input had ended.
    answered_at_the_end: bool,
}

/// How often a game is repeated that agon or the machine has spoilt.
const SPOILT: u32 = 4;
/// How long the first pause before such a game is; each later one is that much longer.
const PAUSE: Duration = Duration::from_millis(200);

/// Why a trial has no finding.
#[derive(Debug, thiserror::Error)]
pub enum CheckStopped {
    /// The user stopped it.
    #[error("it was stopped")]
    Stopped,
    /// Ours.
    #[error(transparent)]
    Broken(#[from] io::Error),
}

/// Plays one game with the engine on `seat`. A game that the machine has spoilt is played again, and so is one in which
/// the time ran out on a busy machine.
///
/// # Errors
/// [`CheckStopped`].
pub fn check(trial: &CheckTrial<'_>, seat: Seat) -> Result<CheckFinding, CheckStopped> {
    let mut finding = check_again(trial, seat)?;
    if finding.answered_at_the_end {
        let unbuffered = EngineSpec { environment: unbuffered(trial.engine), ..trial.engine.clone() };
        let again = check_once(&CheckTrial { engine: &unbuffered, ..trial.clone() }, seat);
        let in_time = matches!(&again, Ok(again) if again.moves > finding.moves || !is_late(again));
        finding.advice.push(if in_time { NO_FLUSH } else { READS_TO_THE_END }.to_owned());
    }
    Ok(finding)
}

const NO_FLUSH: &str = "\
What it had to say came only when it ended, and comes in time without a buffer: it does not flush. Flush stdout after \
each move (C: fflush(stdout); C++: std::endl; Python: print(..., flush=True); Pascal: flush(output); Java: \
System.out.flush())";

const READS_TO_THE_END: &str = "\
What it had to say came only when its input had ended, also without the usual buffer: it reads to the end of the \
input before it answers. The input ends only with the game. Read line by line, and answer as soon as the lines of \
your turn are there (Python: sys.stdin.readline() and not sys.stdin.read()). If it does read line by line, then its \
output lies in a buffer of its own: flush that after each move";

/// The environment of an engine, with what switches off the buffers of Python and of the C library.
fn unbuffered(engine: &EngineSpec) -> BTreeMap<String, String> {
    let mut environment = engine.environment.clone();
    environment.insert("PYTHONUNBUFFERED".to_owned(), "1".to_owned());
    // As stdbuf(1) of GNU coreutils does it, which has the library in one of these places.
    let places = ["/usr/libexec/coreutils/libstdbuf.so", "/usr/lib/coreutils/libstdbuf.so"];
    if let Some(library) = places.into_iter().find(|place| Path::new(place).exists()) {
        environment.insert("LD_PRELOAD".to_owned(), library.to_owned());
        environment.insert("_STDBUF_O".to_owned(), "0".to_owned());
    }
    environment
}

fn is_late(finding: &CheckFinding) -> bool {
    finding.fault == Some(Cause::TimeForfeit)
}

/// The share of the time in which processes waited for a processor, from which a machine is busy.
const BUSY: f64 = 0.5;

fn check_again(trial: &CheckTrial<'_>, seat: Seat) -> Result<CheckFinding, CheckStopped> {
    let (mut spoilt, mut late) = (0, false);
    loop {
        let before = load::reading();
        let checked = check_once(trial, seat);
        let pressure = before.until(load::reading()).pressure.unwrap_or(0.0);
        match checked {
            Err(CheckStopped::Broken(_)) if spoilt < SPOILT => {
                spoilt += 1;
                // What holds the machine up is often over soon.
                std::thread::sleep(PAUSE * spoilt);
            }
            Ok(finding) if is_late(&finding) && pressure >= BUSY && !late => late = true,
            Ok(mut finding) if is_late(&finding) && pressure >= BUSY => {
                finding.advice.push(format!(
                    "It was tried twice, and the machine was busy: in {:.0} % of the time a process waited for a \
                     processor. Try again when nothing else runs, or with a longer --st",
                    pressure * 100.0
                ));
                return Ok(finding);
            }
            checked => return checked,
        }
    }
}

fn check_once(trial: &CheckTrial<'_>, seat: Seat) -> Result<CheckFinding, CheckStopped> {
    let &CheckTrial { rules, engine, control, scratch, .. } = trial;
    let seats = rules.seats().len();
    let game = trial.openings.begin(rules, trial.seed, 1);
    let clocks = PerSeat::from_fn(seats, |_| Clock::new(control, trial.margin, Duration::ZERO));
    let mut game = GameInProgress { rules, game, clocks, plies: Vec::new(), max_plies: None };
    let seating = Seating {
        rules,
        engines: PerSeat::from_fn(seats, |other| (other == seat).then_some(engine)),
        controls: PerSeat::from_fn(seats, |_| control),
        limits: trial.limits.clone(),
        scratch,
    };
    let mut tried = Tried {
        seat,
        engines: Engines::start(seating, game.game.as_ref(), None)?,
        random: ChaCha8Rng::seed_from_u64(trial.seed),
        moves_left: trial.moves,
    };
    let greeted = tried.engines.ready(seat);
    let is_greeted = greeted.is_ok();
    let ending = greeted.map_or_else(GameEnd::Trouble, |()| game.play_on(&mut tried));
    let own = || game.plies.iter().filter(|ply| ply.seat == seat);
    let mut finding = CheckFinding {
        side: rules.seats()[seat.index()].to_owned(),
        moves: own().count(),
        longest: own().map(|ply| ply.time).max().unwrap_or_default(),
        ..CheckFinding::default()
    };
    let mut patience = Patience::All;
    let mut late = false;
    match ending {
        GameEnd::Over(_) | GameEnd::PlyLimit => finding.finished = true,
        GameEnd::Left(EnoughMoves) => {}
        GameEnd::Resigned(_) if finding.moves == 0 => {
            finding.wrong.push("it resigned at its first move, and so loses every game".to_owned());
        }
        GameEnd::Resigned(_) => finding.advice.push("It gave the game up".to_owned()),
        GameEnd::Refused { line, refusal, .. } => {
            finding.fault = Some(referee::cause_of(&refusal));
            finding.wrong.push(refused(game.game.as_ref(), &line, &refusal));
            patience = Patience::AllBut(seat);
        }
        GameEnd::Trouble(Trouble::Fault(fault)) => {
            late = fault.cause == Cause::TimeForfeit;
            finding.fault = Some(fault.cause);
            finding.wrong.push(format!("at its move {}: {}", finding.moves + 1, fault.why));
        }
        GameEnd::Trouble(Trouble::Ours(error)) => {
            tried.engines.end(Patience::None, None);
            return Err(CheckStopped::Broken(error));
        }
        GameEnd::Trouble(Trouble::Stopped) => {
            tried.engines.end(Patience::None, None);
            return Err(CheckStopped::Stopped);
        }
    }
    let seen = tried.engines.end(patience, None);
    let seen = &seen[seat];
    finding.startup = seen.startup;
    finding.stderr.clone_from(&seen.stderr);
    if late && is_greeted {
        match silence(&seen.lines.heard(), seen.traffic.said) {
            Some(Silence::AnsweredAtTheEnd) => finding.answered_at_the_end = true,
            silence => {
                let turn = game.clocks[seat].left();
                let thought: Duration = own().map(|ply| ply.time).sum();
                let computed = computed(seen.usage.cpu, thought, turn);
                finding.advice.extend(computed.or_else(|| silence.map(|silence| silence.words().to_owned())));
            }
        }
    } else if late {
        finding.advice.push(SILENT_HANDSHAKE.to_owned());
    }
    at_the_end(seen, patience, &mut finding);
    if finding.wrong.is_empty() && finding.longest * 5 > game.clocks[seat].left() * 4 {
        finding.advice.push(format!(
            "its longest move took {:.3} s of {} s: on a slower machine it will lose on time",
            finding.longest.as_secs_f64(),
            control.seconds()
        ));
    }
    Ok(finding)
}

/// The engine on its seat, and random legal moves on the others.
struct Tried<'a> {
    seat: Seat,
    engines: Engines<'a>,
    random: ChaCha8Rng,
    /// How many moves the engine is still to make.
    moves_left: usize,
}

/// The engine has made as many moves as it was to make.
struct EnoughMoves;

impl Players for Tried<'_> {
    type Leave = EnoughMoves;

    fn ask(
        &mut self,
        seat: Seat,
        game: &dyn Game,
        clocks: &PerSeat<Clock>,
    ) -> Result<OfferedMove, GameEnd<EnoughMoves>> {
        // Also before a move of ours: told of that, the engine would begin to think.
        if self.moves_left == 0 {
            return Err(GameEnd::Left(EnoughMoves));
        }
        if seat == self.seat {
            return self.engines.ask(seat, game, clocks).map_err(GameEnd::Trouble);
        }
        let line = our_move(game, &mut self.random).into_bytes();
        Ok(OfferedMove { line, time: Duration::ZERO, thought: None })
    }

    fn played(&mut self, ply: &Ply) {
        if ply.seat == self.seat {
            self.moves_left -= 1;
        }
        self.engines.tell(ply.seat, &ply.text);
    }
}

fn our_move(game: &dyn Game, random: &mut ChaCha8Rng) -> String {
    let moves = game.moves();
    let index = random.next_u64() % moves.len() as u64;
    moves[usize::try_from(index).expect("it is smaller than the number of moves")].clone()
}

/// Why a line was refused, and what its author probably meant.
fn refused(game: &dyn Game, line: &[u8], refusal: &Refusal) -> String {
    let what = match refusal {
        Refusal::Unreadable(_) => "cannot be read as a move",
        Refusal::Illegal(_) => "is not legal",
    };
    let mut words = format!("its line \"{}\" {what}: {refusal}", escape(line, 200));
    if let Some(hint) = hint(game, line) {
        words.push_str(". ");
        words.push_str(&hint);
    }
    words
}

/// Tries what students commonly do to a move, undone: the first that makes it legal is the hint.
fn hint(game: &dyn Game, line: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(line).ok()?;
    let legal = game.moves();
    let legal_now = |text: &str| legal.iter().any(|legal| legal.eq_ignore_ascii_case(text));
    let side = legal.first()?.split(',').next()?;
    if let Some(found) = legal.iter().filter(|legal| text.contains(legal.as_str())).max_by_key(|l| l.len()) {
        return Some(format!(
            "There is more in the line than the move {found}: write the move alone, no prompt, and \
             everything else to stderr"
        ));
    }
    if legal_now(text.trim()) {
        return Some("There are blanks around the move; write the move alone".to_owned());
    }
    if legal_now(&format!("{side},{text}")) {
        return Some(format!("The side is missing: write {side},{text}"));
    }
    if text.split_once(',').is_none_or(|(first, _)| first.contains(' ') || first.len() > 3) {
        return Some("Only moves belong on stdout; write notes and everything else to stderr".to_owned());
    }
    let fields: Vec<&str> = text.split(',').collect();
    let (first, rest) = fields.split_first()?;
    if legal_now(&format!("{side},{}", rest.join(","))) {
        return Some(format!("It plays {side}, and so its moves begin with {side} and not with {first}"));
    }
    let shifted: Vec<String> = rest
        .iter()
        .map(|field| {
            field.parse::<i64>().map_or_else(|_| (*field).to_owned(), |number| (number + 1).to_string())
        })
        .collect();
    // Without a 0 the move may just as well be a wrong one that is counted from 1.
    if rest.contains(&"0") && legal_now(&format!("{side},{}", shifted.join(","))) {
        return Some("Coordinates are counted from 1, and these are counted from 0".to_owned());
    }
    if let [x1, y1, z1, x2, y2, z2, word] = rest
        && legal_now(&format!("{side},{y1},{x1},{z1},{y2},{x2},{z2},{word}"))
    {
        return Some("The row comes first and then the column; here they are the other way round".to_owned());
    }
    None
}

const SILENT_HANDSHAKE: &str = "\
Before the first game agon writes ugi, and reads lines until there is ugiok; then uginewgame and isready, and reads \
until there is readyok. Answer each at once and flush stdout. An engine that speaks the protocol of lines has no \
protocol = \"ugi\" in its engine.toml";

/// What is said of a fault in a game that was played: the words for its author. `rules` are those of the game.
pub fn words_for(record: &GameRecord, seat: Seat, rules: &dyn Rules) -> Vec<String> {
    let Some(evidence) = &record.seats[seat].evidence else { return Vec::new() };
    let cause = record.decided().and_then(|decided| match decided.termination {
        Termination::Forfeit(loser, cause) if loser == seat => Some(cause),
        _ => None,
    });
    match cause {
        Some(Cause::IllegalMove | Cause::Protocol) => {
            let said = evidence.lines.iter().rfind(|line| line.way == Way::Said);
            let (Some(said), Some(mut game)) = (said, last_position(record, rules)) else {
                return Vec::new();
            };
            let line = said.text.as_bytes();
            game.play(line).err().map(|refusal| refused(game.as_ref(), line, &refusal)).into_iter().collect()
        }
        Some(Cause::TimeForfeit) => {
            let own = &record.seats[seat];
            let silence = silence(&evidence.lines, own.traffic.said);
            let thought: Duration =
                record.plies.iter().filter(|ply| ply.seat == seat).map(|ply| ply.time).sum();
            let is_silent = !matches!(silence, Some(Silence::AnsweredAtTheEnd));
            let turn = own.unanswered.map(|unanswered| unanswered.time).filter(|_| is_silent);
            let computed = turn.and_then(|turn| computed(own.usage.cpu, thought, turn));
            computed.or_else(|| silence.map(|silence| silence.words().to_owned())).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// The last position of a game, played again by these rules.
pub fn last_position(record: &GameRecord, rules: &dyn Rules) -> Option<Box<dyn Game>> {
    let mut game = rules.resume(&record.start).ok()?;
    for ply in &record.plies {
        game.play(ply.text.as_bytes()).ok()?;
    }
    Some(game)
}

/// Why no answer came in time, as far as the lines show it.
enum Silence {
    /// It wrote something without a newline.
    Unfinished,
    /// It had an answer, which came when its stdin was closed.
    AnsweredAtTheEnd,
    /// It wrote nothing in the whole game.
    NothingAtAll,
}

impl Silence {
    fn words(&self) -> &'static str {
        match self {
            Silence::Unfinished => {
                "It wrote something without a newline at the end. A move is a line: end it with a newline"
            }
            Silence::AnsweredAtTheEnd => {
                "What it had to say came only when it ended: its output lies in a buffer. Flush stdout after each \
                 move (C: fflush(stdout); Python: print(..., flush=True); Pascal: flush(output); Java: \
                 System.out.flush())"
            }
            Silence::NothingAtAll => {
                "It has written nothing at all to stdout. Does its output lie in a buffer that is never flushed? Does \
                 it wait for something that never comes (a prompt, a line \"your turn\", the end of its input)? Who \
                 has the first move makes it as soon as the board is read"
            }
        }
    }
}

/// The words for an engine that has used the processor for nearly all of a turn without an answer. `cpu` is the
/// processor time of the whole game, `thought` the time of its moves before.
fn computed(cpu: Duration, thought: Duration, turn: Duration) -> Option<String> {
    let used = cpu.saturating_sub(thought);
    (used * 10 >= turn * 8 && !turn.is_zero()).then(|| {
        format!(
            "It used the processor all the time, {:.1} s of {:.1} s: it computes and comes to no end. Look for a loop \
             that does not end, and let its search look at the clock",
            used.min(turn).as_secs_f64(),
            turn.as_secs_f64()
        )
    })
}

/// Why an engine was silent. Whether it had something to say shows when its stdin is closed and it leaves. `said` is
/// the number of bytes that it wrote in all.
fn silence(heard: &[TranscriptLine], said: u64) -> Option<Silence> {
    let last_told = heard.iter().rposition(|line| line.way == Way::Told);
    let after = heard.iter().skip(last_told.map_or(0, |at| at + 1));
    let whole = after.clone().filter(|line| line.way == Way::Unasked).count();
    if heard.iter().any(|line| line.way == Way::Unfinished) {
        Some(Silence::Unfinished)
    } else if whole > 0 {
        Some(Silence::AnsweredAtTheEnd)
    } else {
        (said == 0).then_some(Silence::NothingAtAll)
    }
}

/// What to change when an engine's stderr says that it has not found a file.
pub fn missing_file(stderr: &str) -> Option<&'static str> {
    let said = stderr.to_lowercase();
    let signs =
        ["no such file", "filenotfound", "nosuchfile", "enoent", "can't open file", "cannot find module"];
    let classes = ["could not find or load main class"];
    signs.iter().chain(&classes).any(|sign| said.contains(sign)).then_some(
        "It has not found a file. It is started in an empty directory of its own: write {folder}/FILE for files \
         beside its engine.toml, in command and args; or add directory = \"folder\" to its engine.toml, which starts \
         it in its folder",
    )
}

fn at_the_end(seen: &SeatSeen, patience: Patience, finding: &mut CheckFinding) {
    match seen.exit {
        Some(Exit::Killed) if patience == Patience::All => finding.wrong.push(format!(
            "it does not leave when its input ends: it was killed after {} ms. End the program when reading \
             gives end of file",
            crate::engine::GRACE.as_millis()
        )),
        Some(Exit::Code(code)) if code != 0 => {
            finding.advice.push(format!("It leaves with exit status {code}; 0 is usual when all is well"));
        }
        Some(exit @ Exit::Signal(_)) => finding.wrong.push(format!("its process ended: {exit}")),
        _ => {}
    }
    // Told of the move that ends the game, an engine need not know that it does: what it answers then is no fault.
    let heard = seen.lines.heard();
    let last_told = heard.iter().rposition(|line| line.way == Way::Told).unwrap_or(0);
    let until = if finding.finished { last_told } else { heard.len() };
    let mut unasked = heard[..until].iter().filter(|line| line.way == Way::Unasked);
    if let Some(line) = unasked.next_back().filter(|_| finding.wrong.is_empty()) {
        finding.wrong.push(format!(
            "it wrote {} line(s) to stdout when it was not its turn, such as \"{}\". They are ignored, but they may \
             be taken for a move one day: write notes to stderr",
            seen.traffic.unasked, line.text
        ));
    }
    if seen.traffic.crlf {
        finding.advice.push("Its lines end in \\r\\n; \\n alone is usual, and both are read".to_owned());
    }
    if seen.traffic.deaf && finding.wrong.is_empty() {
        finding.advice.push("It closed its stdin while the game went on".to_owned());
    }
    if seen.stragglers > 0 {
        finding.advice.push(format!(
            "It left {} process(es) running, which were killed: wait for your children",
            seen.stragglers
        ));
    }
    if !finding.wrong.is_empty()
        && let Some(hint) = missing_file(&String::from_utf8_lossy(&seen.stderr))
    {
        finding.advice.push(hint.to_owned());
    }
    if seen.traffic.logged > 0 {
        let lines = seen.stderr.split(|byte| *byte == b'\n');
        let last: Vec<String> =
            lines.filter(|line| !line.is_empty()).map(|line| format!("  {}", escape(line, 200))).collect();
        let tail = &last[last.len().saturating_sub(5)..];
        finding.advice.push(format!(
            "It wrote {} bytes to stderr, which is kept as a log; the end of it:\n{}",
            seen.traffic.logged,
            tail.join("\n")
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_that_computes_all_the_time_is_told_so() {
        let [cpu, thought, turn] = [1900, 1000, 1000].map(Duration::from_millis);
        assert!(computed(cpu, thought, turn).is_some_and(|words| words.contains("0.9 s of 1.0 s")));
        assert_eq!(computed(cpu, Duration::from_millis(1500), turn), None, "it waited for something");
        assert_eq!(computed(cpu, thought, Duration::ZERO), None);
    }

    #[test]
    fn only_a_zero_is_taken_for_counting_from_zero() {
        let rules = agon_games::connect4::ConnectFour;
        let mut game = rules.start(1);
        for line in ["X,4", "O,4", "X,4", "O,4", "X,4", "O,4"] {
            game.play(line.as_bytes()).unwrap();
        }
        let hint = |line: &str| hint(game.as_ref(), line.as_bytes());
        assert_eq!(hint("X,4"), None, "the fourth column is full");
        assert!(hint("X,0").is_some_and(|words| words.contains("counted from 0")));
    }
}
