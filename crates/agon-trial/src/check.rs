//! What an engine does wrong, found out by playing a few moves with it, in plain words for its
//! author.
//!
//! The opponent is ours: it plays legal moves drawn from a seed. Every seat is tried; a game ends
//! at the first fault, because nobody knows what an engine thinks after one.

mod again;
pub mod board_file;
mod console;
mod conversation;
mod gomocup_habits;
mod hints;
mod hosted_trial;
mod legal;
pub mod referee_check;
mod silence;
pub mod spoken;
mod trial;

pub use legal::listed;

use std::io;
use std::time::Duration;

use agon_export::replay::tried;
use agon_games::Game;
use agon_match::hosted::GameRules;
use agon_match::openings::Openings;
use agon_match::processes::{Limits, Patience, Scratch, SeatSeen};
use agon_printable::{escape, unescape};
use agon_programs::spec::EngineSpec;
use agon_programs::unbuffered;
use agon_protocol::Protocol;
use agon_record::reason::FaultFact;
use agon_record::{Exit, GameRecord, TranscriptLine, Way};
use agon_seats::{Seat, TimeControl};
use agon_standings::result::{Cause, Termination};

use self::hints::refused;
use self::silence::{Silence, computed, silence};

/// What is tried.
#[derive(Clone)]
pub struct CheckTrial<'a> {
    /// The game.
    pub rules: &'a GameRules,
    /// The engine.
    pub engine: &'a EngineSpec,
    /// How much time it has.
    pub control: TimeControl,
    /// How long it may take to start, and when to stop.
    pub limits: Limits,
    /// Where it gets its directory.
    pub scratch: &'a Scratch,
    /// What the boards and our moves are drawn from.
    pub seed: u64,
    /// How games begin.
    pub openings: &'a Openings,
    /// The number of the opening, from 1.
    pub opening: u32,
    /// How many moves of its own it is to make.
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
    /// The time of all its moves.
    pub thinking: Duration,
    /// How long it took to start.
    pub startup: Duration,
    /// The number of games.
    pub games: u32,
    /// Whether the last game came to its end by the rules.
    pub finished: bool,
    /// By which fault it lost the game, if by any.
    pub fault: Option<Cause>,
    /// What loses games.
    pub wrong: Vec<String>,
    /// What does not, but is worth a word.
    pub advice: Vec<String>,
    /// Where and why the game was left without a judgement: agon or the machine has spoilt it.
    pub unjudged: Option<String>,
    /// What it wrote to stderr, the head and the tail.
    pub stderr: Vec<u8>,
    /// Whether it had not left in time when its input had ended.
    did_not_leave: bool,
    /// Whether it wrote its answer only when its input had ended.
    answered_at_the_end: bool,
    /// How busy the machine was, where that may be the reason of its fault.
    busy: Option<String>,
}

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

/// Plays games with the engine on `seat` until it has made its moves, at most this many. A fault
/// ends them. `greeted` is for all games of the engine.
///
/// # Errors
/// [`CheckStopped`].
pub fn check_games(
    trial: &CheckTrial<'_>,
    seat: Seat,
    most: u32,
    greeted: &mut spoken::OtherGreetings,
) -> Result<CheckFinding, CheckStopped> {
    let mut all = check(trial, seat)?;
    if let Some(words) = board_file::advice(trial, seat, &all)? {
        all.advice = vec![words];
    } else if let Some(words) = greeted.words(trial, &all)? {
        // What else is said of its silence would lead its author astray.
        all.advice = vec![words];
    }
    if seat == Seat::FIRST && all.wrong.is_empty() && all.unjudged.is_none() {
        let at = all.advice.len().min(1); // behind what it says of itself
        all.advice.splice(at..at, gomocup_habits::habits(trial)?);
    }
    while all.wrong.is_empty()
        && all.unjudged.is_none()
        && all.finished
        && all.games < most
        && all.moves < trial.moves
    {
        let next = CheckTrial {
            seed: trial.seed.wrapping_add(u64::from(all.games)),
            opening: trial.opening + all.games,
            ..trial.clone()
        };
        let found = match check(&next, seat) {
            Err(CheckStopped::Broken(error)) => {
                all.unjudged = Some(format!("its game {} could not be judged: {error}", all.games + 1));
                return Ok(all);
            }
            found => found?,
        };
        // One game's notes are enough, and those of a fault matter most.
        let advice = if found.wrong.is_empty() && !all.advice.is_empty() { all.advice } else { found.advice };
        all = CheckFinding {
            moves: all.moves + found.moves,
            games: all.games + 1,
            longest: all.longest.max(found.longest),
            startup: all.startup,
            advice,
            ..found
        };
    }
    Ok(all)
}

/// Plays one game with the engine on `seat`. A game that the machine has spoilt is played again,
/// and so is one in which the time ran out on a busy machine.
///
/// # Errors
/// [`CheckStopped`].
pub fn check(trial: &CheckTrial<'_>, seat: Seat) -> Result<CheckFinding, CheckStopped> {
    let mut finding = again::played(|| play_once(trial, seat), std::thread::sleep)?;
    let mut cause = None;
    if finding.answered_at_the_end {
        let unbuffered =
            EngineSpec { environment: unbuffered::environment(trial.engine), ..trial.engine.clone() };
        let again = play_once(&CheckTrial { engine: &unbuffered, ..trial.clone() }, seat);
        let in_time = matches!(&again, Ok(again) if again.moves > finding.moves || !is_late(again));
        cause = Some(if in_time { NO_FLUSH } else { READS_TO_THE_END });
    }
    finding.explain(cause, trial.engine.pty);
    Ok(finding)
}

impl CheckFinding {
    /// Puts the cause of its silence, if it is known, before all other advice, and behind that how
    /// busy the machine was. `pty` says whether the engine plays on a terminal.
    fn explain(&mut self, cause: Option<&str>, pty: bool) {
        if let Some(cause) = cause {
            let terminal = (!pty).then(|| console::WITHOUT_TERMINAL.to_owned());
            self.advice.splice(0..0, [cause.to_owned()].into_iter().chain(terminal));
        }
        self.advice.extend(self.busy.take());
    }
}

/// Plays one game with the engine on `seat`.
fn play_once(trial: &CheckTrial<'_>, seat: Seat) -> Result<CheckFinding, CheckStopped> {
    match trial.rules {
        GameRules::BuiltIn(rules) => trial::check_once(trial, rules.as_ref(), seat),
        GameRules::Hosted(rules) => hosted_trial::check_once(trial, rules, seat),
    }
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

fn is_late(finding: &CheckFinding) -> bool {
    finding.fault == Some(Cause::TimeForfeit)
}

/// Whether a busy machine may be the reason of its fault.
fn is_slow(finding: &CheckFinding) -> bool {
    is_late(finding) || finding.did_not_leave
}

/// Why a game is left without a judgement after so many moves of the engine.
fn spoilt_at(moves: usize, error: &io::Error) -> String {
    format!("its move {} could not be judged: {error}", moves + 1)
}

/// Adds a word for an engine whose moves take nearly all of its time. `limit` is what it may take
/// for its next move, the bank included.
fn too_close(finding: &mut CheckFinding, limit: Duration) {
    if finding.wrong.is_empty() && finding.longest * 5 > limit * 4 {
        finding.advice.push(format!(
            "its longest move took {:.3} s of {} s: on a slower machine it will lose on time",
            finding.longest.as_secs_f64(),
            (limit.as_secs_f64() * 1e3).round() / 1e3
        ));
    }
}

/// What is said of a fault in a game that was played: the words for its author. `rules` are those
/// of the game.
pub fn words_for(record: &GameRecord, seat: Seat, rules: &GameRules) -> Vec<String> {
    let Some(evidence) = &record.seats[seat].evidence else { return Vec::new() };
    let cause = record.decided().and_then(|decided| match decided.termination {
        Termination::Forfeit(loser, cause) if loser == seat => Some(cause),
        _ => None,
    });
    match cause {
        Some(Cause::IllegalMove | Cause::Protocol) => {
            let said = evidence.lines.iter().rfind(|line| line.way == Way::Said);
            let reason = record.decided().map(|decided| decided.reason.read(cause));
            let (Some(said), Some(reason), Some(mut game)) = (said, reason, last_position(record, rules))
            else {
                return Vec::new();
            };
            // The reason says it all.
            if matches!(reason.fact(), Some(FaultFact::NoMove { .. })) {
                return Vec::new();
            }
            // Of a protocol with other words, the reason has the move.
            let tried = tried(game.as_mut(), &reason).ok().flatten();
            let told = tried.as_ref().and_then(|tried| unescape(&tried.line.text).ok());
            let own = tried.and_then(|tried| unescape(&tried.own?.text).ok()).unwrap_or_default();
            let line = told.unwrap_or_else(|| said.text.clone().into_bytes());
            game.play(&line)
                .err()
                .map(|refusal| refused(game.as_ref(), &line, &refusal, &own))
                .into_iter()
                .collect()
        }
        Some(Cause::TimeForfeit) => {
            let own = &record.seats[seat];
            let silence = silence(&evidence.lines, own.traffic.said, rules.seats());
            let thought: Duration =
                record.plies.iter().filter(|ply| ply.seat == seat).map(|ply| ply.time).sum();
            let is_silent = !matches!(silence, Some(Silence::AnsweredAtTheEnd));
            let turn = own.unanswered.map(|unanswered| unanswered.time).filter(|_| is_silent);
            let computed = turn.and_then(|turn| computed(own.usage.cpu, thought, turn));
            computed.or_else(|| silence.map(|silence| silence.words())).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// The last position of a game, played again by these rules; `None` if agon does not know it.
pub fn last_position(record: &GameRecord, rules: &GameRules) -> Option<Box<dyn Game>> {
    let mut game = rules.built_in()?.resume(&record.start).ok()?;
    for ply in &record.plies {
        game.play(ply.text.as_bytes()).ok()?;
    }
    Some(game)
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

/// `begins` is the side that begins in this start, if it is neither the usual one nor the engine's.
/// A program that `is_for_people` need not leave.
fn at_the_end(
    seen: &SeatSeen,
    patience: Patience,
    protocol: &Protocol,
    begins: Option<&str>,
    is_for_people: bool,
    finding: &mut CheckFinding,
) {
    match seen.exit {
        Some(Exit::Killed) if is_for_people && patience == Patience::All => {
            finding.advice.push(console::DOES_NOT_LEAVE.to_owned());
        }
        // One that is late may still think, and so has not read on.
        Some(Exit::Killed) if patience == Patience::All && !is_late(finding) => {
            finding.did_not_leave = true;
            finding.wrong.push(format!(
                "it does not leave when its input ends: it was killed after {} ms. End the program when reading \
                 gives end of file",
                protocol.grace().as_millis()
            ));
        }
        Some(Exit::Code(code)) if code != 0 => {
            finding.advice.push(format!("It leaves with exit status {code}; 0 is usual when all is well"));
        }
        Some(exit @ Exit::Signal(_)) => finding.wrong.push(format!("its process ended: {exit}")),
        _ => {}
    }
    if seen.traffic.unasked > 0 {
        unasked_lines(seen, protocol, begins, finding);
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

/// What it wrote when it was not its turn.
fn unasked_lines(seen: &SeatSeen, protocol: &Protocol, begins: Option<&str>, finding: &mut CheckFinding) {
    let heard = seen.lines.heard();
    let last_told = heard.iter().rposition(|line| line.way == Way::Told).unwrap_or(0);
    let is_unasked = |line: &&TranscriptLine| line.way == Way::Unasked && !protocol.is_chatter(&line.text);
    // A move has a word before it there, and no other line is taken for one.
    if protocol.marks_moves() {
        return;
    }
    let own = format!("{},", finding.side);
    // Told of the move that ends the game, an engine need not know that it does: one answer to it
    // is no fault.
    let after = heard[last_told..].iter().filter(is_unasked).count();
    let until =
        if protocol.answers_farewell() || finding.finished && after <= 1 { last_told } else { heard.len() };
    let unasked: Vec<&TranscriptLine> = heard[..until].iter().filter(is_unasked).collect();
    let early = unasked.iter().find(|line| line.text.starts_with(&own));
    if let Some((begins, line)) = begins.zip(early) {
        let words = format!(
            "in this start {begins} begins, and it wrote \"{}\" before its turn. Do not assume who begins: see \
             {{to_move}} in engines/README.md",
            line.text
        );
        if finding.wrong.is_empty() {
            finding.wrong.push(words);
        } else {
            finding.advice.push(words);
        }
        return;
    }
    let Some(line) = unasked.last().filter(|_| finding.wrong.is_empty()) else { return };
    let after_the_end = unasked.iter().all(|line| seen.closed.is_some_and(|closed| line.at >= closed));
    finding.wrong.push(if after_the_end {
        format!(
            "it wrote {} line(s) after its input had ended, such as \"{}\". The end of the input is the end of the \
             game: end the program there",
            seen.traffic.unasked, line.text
        )
    } else {
        format!(
            "it wrote {} line(s) to stdout when it was not its turn, such as \"{}\". They are ignored, but they may \
             be taken for a move one day: write notes to stderr",
            seen.traffic.unasked, line.text
        )
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cause_of_a_silence_comes_before_all_else_and_a_busy_machine_last() {
        let silent = || CheckFinding {
            advice: vec!["It wrote 3 bytes to stderr".to_owned()],
            busy: Some("the machine was busy".to_owned()),
            ..CheckFinding::default()
        };
        let [mut finding, mut unknown] = [silent(), silent()];
        finding.explain(Some(NO_FLUSH), false);
        let wanted =
            [NO_FLUSH, console::WITHOUT_TERMINAL, "It wrote 3 bytes to stderr", "the machine was busy"];
        assert_eq!(finding.advice, wanted);
        unknown.explain(None, false);
        assert_eq!(unknown.advice, wanted[2..], "nothing is known of it");
    }

    #[test]
    fn the_bank_counts_for_what_an_engine_may_take() {
        let second = Duration::from_secs(1);
        let noted = |longest, limit| {
            let mut finding = CheckFinding { longest, ..CheckFinding::default() };
            too_close(&mut finding, limit);
            finding.advice.pop()
        };
        assert_eq!(noted(second, 10 * second), None);
        assert!(noted(9 * second, 10 * second).is_some_and(|words| words.contains("9.000 s of 10 s")));
    }
}
