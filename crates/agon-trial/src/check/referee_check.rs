//! What a referee program does wrong, found out by playing whole games with it: agon itself answers
//! for all seats. Each game is played twice, because the same seed and answers must give the same
//! lines.

mod answers;
mod findings;

use std::collections::HashMap;
use std::time::{Duration, Instant};

use agon_match::hosted::{CourseEntry, HostedGame, HostedRules, StepLine, course};
use agon_match::processes::{Limits, Scratch, SeatSeen};
use agon_match::referee::{self, HostedHalt, HostedReferee, RefereeTrouble, with_last_words};
use agon_printable::escape;
use agon_protocol::GRACE;
use agon_record::{Decided, Exit};
use agon_seats::{PerSeat, Seat, TimeControl};
use agon_standings::pairings::board_seed;

use self::answers::{AnswerSource, Answerer, KINDS, MOST_ANSWERS, NoEnd, TrialKind};
pub use self::findings::FindingWeight;
use self::findings::{GameFinding, GameLines, difference, of_game, shown_line};
use super::CheckStopped;
use super::silence::{Silence, silence};

/// How many lines of a game a finding shows.
const SHOWN_LINES: usize = 6;
/// The words about a referee that goes on after a game.
const AFTER_END: &str = "it wrote more lines after end; it must wait there for the next seed or quit";
/// How many lines of its stderr a finding shows, from the end: the traceback of a program in
/// Python.
const SHOWN_STDERR: usize = 10;
/// After so many games from the beginning that are void for one reason, the others are not played.
const ALIKE: u32 = 3;
/// What its author can do, if that is why.
const FLUSH: &str = "flush stdout at the end of each step (C: fflush(stdout); Python: print(..., flush=True); \
                     Java: System.out.flush())";
/// A step that usually takes longer than this makes many games slow.
const SLOW: Duration = Duration::from_millis(100);

/// So many games that end at once, and alike, say that answers do not matter.
const AT_ONCE: usize = 4;

/// The kind of the finding that a game is void.
const VOID: &str = "void";

/// A referee program that is tried.
pub struct RefereeTrial<'a> {
    /// The game, with each number of seats that is tried.
    pub rules: &'a [HostedRules],
    /// The time control that the referee is told.
    pub control: TimeControl,
    /// The limits of its processes, and when to stop.
    pub limits: Limits,
    /// Where it gets its directories.
    pub scratch: &'a Scratch,
    /// The number of games.
    pub games: u32,
    /// What their seeds and the answers are drawn from.
    pub seed: u64,
    /// The longest time for all.
    pub bound: Duration,
    /// Is told how many games have been played.
    pub progress: &'a (dyn Fn(u32) + Sync),
}

/// A fault of a referee program, or a word for its author.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RefereeFinding {
    /// How much it matters.
    pub weight: FindingWeight,
    /// Its kind, as a word for programs.
    pub kind: &'static str,
    /// The words for people.
    pub words: String,
    /// In how many games it was found; 0 if it is not about games.
    pub games: u32,
    /// The first of these games.
    pub first: Option<TrialGamePlace>,
    /// The last lines of that game up to the place.
    pub lines: Vec<String>,
}

/// A game of a trial.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TrialGamePlace {
    /// Its number, from 1.
    pub game: u32,
    /// The number of seats.
    pub seats: usize,
    /// Its seed.
    pub seed: u64,
    /// How the seats answered, in words.
    pub answers: &'static str,
}

/// What was found, and how much was tried.
#[derive(Debug, Default)]
pub struct RefereeReport {
    /// What the program calls itself.
    pub program: String,
    /// What was found, the worst first.
    pub findings: Vec<RefereeFinding>,
    /// How many games were played.
    pub games: u32,
    /// How long each step took, in order.
    steps: Vec<Duration>,
    /// The decided games in which no answer was called bad.
    undisputed: Vec<UndisputedEnd>,
}

/// How a game ended in which no answer was called bad.
#[derive(PartialEq, Debug)]
struct UndisputedEnd {
    /// The place of each seat.
    places: PerSeat<u8>,
    /// Whether no seat had given more than one answer.
    at_once: bool,
}

impl RefereeReport {
    /// Whether nothing is wrong.
    pub fn is_well(&self) -> bool {
        self.findings.iter().all(|finding| finding.weight != FindingWeight::Wrong)
    }

    /// The number of steps, and the median and the longest time of a step.
    pub fn steps(&self) -> (usize, Duration, Duration) {
        let median = self.steps.get(self.steps.len() / 2).copied().unwrap_or_default();
        (self.steps.len(), median, self.steps.last().copied().unwrap_or_default())
    }

    fn knows(&self, kind: &str) -> bool {
        self.findings.iter().any(|known| known.kind == kind)
    }

    /// Adds the last lines of a program's stderr to the last finding.
    fn show_stderr(&mut self, stderr: &[u8]) {
        let lines: Vec<&[u8]> =
            stderr.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()).collect();
        let shown = &lines[lines.len().saturating_sub(SHOWN_STDERR)..];
        if let Some(finding) = self.findings.last_mut() {
            finding.lines.extend(shown.iter().map(|line| format!("stderr: {}", escape(line, 200))));
        }
    }

    fn add(&mut self, found: GameFinding, place: Option<&TrialGamePlace>, lines: &[String]) {
        if let Some(known) = self.findings.iter_mut().find(|known| known.kind == found.kind) {
            if place.is_some_and(|place| known.first.as_ref().is_none_or(|first| first.game != place.game)) {
                known.games += 1;
            }
            return;
        }
        let until = found.line.unwrap_or(lines.len()).min(lines.len());
        let from = until.saturating_sub(SHOWN_LINES);
        let shown = (from + 1..).zip(&lines[from..until]);
        self.findings.push(RefereeFinding {
            weight: found.weight,
            kind: found.kind,
            words: found.words,
            games: u32::from(place.is_some()),
            first: place.cloned(),
            lines: shown.map(|(number, line)| format!("line {number}: {}", shown_line(line))).collect(),
        });
    }
}

/// A game of a trial as it went.
struct TrialGame {
    lines: Vec<String>,
    given: Vec<(Seat, AnswerSource)>,
    decided: Option<Decided>,
    steps: Vec<Duration>,
    /// The fault of the referee.
    fault: Option<String>,
    /// Whether that is that it did not answer in time.
    is_silent: bool,
    /// What it has then written to stderr.
    stderr: Vec<u8>,
    no_end: Option<NoEnd>,
    /// How the process ended, if it was to end.
    seen: Option<SeatSeen>,
    /// The process, if it goes on to another game.
    referee: Option<HostedReferee>,
}

impl TrialGame {
    /// How it ended, if it was decided and no answer was called bad.
    fn undisputed_end(&self) -> Option<UndisputedEnd> {
        let places = self.decided.as_ref()?.places.clone();
        let of_referee = course(&self.lines, places.len());
        let is_bad = of_referee.iter().any(|line| matches!(line.what, CourseEntry::Step(StepLine::Bad(..))));
        let mut answered: Vec<Seat> = self.given.iter().map(|(seat, _)| *seat).collect();
        let answers = answered.len();
        answered.sort();
        answered.dedup();
        (!is_bad).then_some(UndisputedEnd { places, at_once: answered.len() == answers })
    }
}

/// Plays the games of a trial.
///
/// # Errors
/// [`CheckStopped`].
pub fn check_referee(trial: &RefereeTrial<'_>) -> Result<RefereeReport, CheckStopped> {
    let mut report = RefereeReport::default();
    let until = Instant::now() + trial.bound;
    let mut playable = Vec::new();
    for rules in trial.rules {
        match begins(trial, rules, &mut report)? {
            Beginning::Well => playable.push(rules),
            Beginning::Wrong => {}
            // With other numbers of seats it would be waited for just as long.
            Beginning::Silent => break,
        }
    }
    let mut alike = AlikeFaults::default();
    let mut kept: HashMap<usize, HostedReferee> = HashMap::new();
    for number in (1..=trial.games).take_while(|_| !playable.is_empty()) {
        if Instant::now() >= until {
            let words = format!(
                "after {} s only {} of {} games were played; --seconds gives more time",
                trial.bound.as_secs_f64(),
                report.games,
                trial.games
            );
            report.add(GameFinding::new(FindingWeight::Note, "time", words), None, &[]);
            break;
        }
        let at = number as usize - 1;
        let rules = playable[at % playable.len()];
        let kind = KINDS[at / playable.len() % KINDS.len()];
        let seats = rules.seat_count();
        let round = TrialRound { trial, rules, kind, number, until };
        let fault = round.play(&mut kept, seats, &mut report)?;
        (trial.progress)(number);
        if alike.note(fault.as_deref()) && number < trial.games {
            let words = format!(
                "the first {ALIKE} games are void for the same reason, so the other {} were not played",
                trial.games - number
            );
            report.add(GameFinding::new(FindingWeight::Note, "alike", words), None, &[]);
            break;
        }
    }
    kept.into_values().for_each(|referee| drop(referee.end_of_trial()));
    deaf(&mut report);
    report.steps.sort();
    speed(trial, &mut report);
    report.findings.sort_by_key(|finding| finding.weight);
    Ok(report)
}

/// Warns if all games ended at once and alike, as with a referee that does not understand what it
/// is sent. In a game of one answer from each seat the answers decide who wins.
fn deaf(report: &mut RefereeReport) {
    let ends = &report.undisputed;
    if ends.len() >= AT_ONCE && ends[0].at_once && ends.iter().all(|end| *end == ends[0]) {
        let words = format!(
            "all of {} games were decided after one answer of each seat at most, whatever the answers, and alike; \
             does it read what it is sent?",
            ends.len()
        );
        report.add(GameFinding::new(FindingWeight::Warning, "at-once", words), None, &[]);
    }
}

/// The void games from the first one, as long as they are void for one reason.
#[derive(Default)]
struct AlikeFaults {
    reason: String,
    games: u32,
    is_over: bool,
}

impl AlikeFaults {
    /// Notes the fault of the next game, if it has one. Returns whether there were enough.
    fn note(&mut self, fault: Option<&str>) -> bool {
        // Numbers in it may be of a seat, a line or a time, and what follows the first semicolon
        // tells how this one game went.
        let reason = fault.unwrap_or_default().split(';').next().unwrap_or_default();
        let reason: String = reason.chars().filter(|letter| !letter.is_ascii_digit()).collect();
        self.is_over |= fault.is_none() || self.games > 0 && self.reason != reason;
        self.reason = reason;
        self.games += 1;
        !self.is_over && self.games >= ALIKE
    }
}

/// How a handshake goes.
enum Beginning {
    Well,
    Wrong,
    /// It says nothing.
    Silent,
}

/// Tries the handshake with this number of seats.
fn begins(
    trial: &RefereeTrial<'_>,
    rules: &HostedRules,
    report: &mut RefereeReport,
) -> Result<Beginning, CheckStopped> {
    match HostedReferee::start(rules, trial.control, &trial.limits, trial.scratch) {
        Ok(referee) => {
            referee.program().clone_into(&mut report.program);
            left(&referee.end_of_trial(), None, report);
            Ok(Beginning::Well)
        }
        Err(RefereeTrouble::Fault(why)) => {
            let is_silent = why.is_silence();
            let advice = if is_silent {
                format!(". Does it end its handshake with ready, and {FLUSH}?")
            } else {
                String::new()
            };
            let words = format!("with {} seats it cannot begin: {why}{advice}", rules.seat_count());
            report.add(GameFinding::new(FindingWeight::Wrong, "handshake", words), None, &[]);
            Ok(if is_silent { Beginning::Silent } else { Beginning::Wrong })
        }
        Err(RefereeTrouble::Stopped) => Err(CheckStopped::Stopped),
        Err(RefereeTrouble::Ours(error)) => Err(error.into()),
    }
}

/// One game of a trial, played twice.
struct TrialRound<'a> {
    trial: &'a RefereeTrial<'a>,
    rules: &'a HostedRules,
    kind: TrialKind,
    number: u32,
    until: Instant,
}

impl TrialRound<'_> {
    fn seed(&self) -> u64 {
        board_seed(self.trial.seed, "referee", "check", self.number)
    }

    /// Plays it, and returns the fault that made it void.
    fn play(
        &self,
        kept: &mut HashMap<usize, HostedReferee>,
        seats: usize,
        report: &mut RefereeReport,
    ) -> Result<Option<String>, CheckStopped> {
        let place =
            TrialGamePlace { game: self.number, seats, seed: self.seed(), answers: self.kind.words() };
        let parked = kept.remove(&seats);
        let was_kept = parked.is_some();
        let mut game = self.once(parked, self.rules.folder.keep)?;
        report.games += 1;
        report.steps.append(&mut game.steps);
        report.undisputed.extend(game.undisputed_end());
        for found in self.of_one(&game) {
            let (is_new, kind) = (!report.knows(found.kind), found.kind);
            report.add(found, Some(&place), &game.lines);
            if is_new && kind == VOID {
                report.show_stderr(&game.stderr);
            }
        }
        if let Some(seen) = &game.seen {
            left(seen, Some((&place, &game.lines)), report);
        }
        if let Some(referee) = game.referee.take() {
            kept.insert(seats, referee);
        } else if self.rules.folder.keep && game.decided.is_some() {
            let words = "game.toml has keep = true, but its process ends after a game";
            report.add(GameFinding::new(FindingWeight::Warning, "not-kept", words), Some(&place), &[]);
        }
        if game.is_silent {
            return Ok(game.fault); // once more it would only take as long
        }
        let again = self.once(None, false)?;
        if let Some(at) = differs(&game, &again) {
            let found = self.not_the_same(&game, &again, at, was_kept)?;
            report.add(found, Some(&place), &game.lines);
        }
        Ok(game.fault)
    }

    /// Plays the game once, with this process or a new one. `keep` is whether the process is to go
    /// on.
    fn once(&self, referee: Option<HostedReferee>, keep: bool) -> Result<TrialGame, CheckStopped> {
        let &TrialRound { trial, rules, .. } = self;
        let seats = rules.seat_count();
        let until = self.until.min(Instant::now() + trial.bound / 4);
        let mut answerer = Answerer::new(self.kind, seats, self.seed(), until);
        // Equal first places are a finding of their own.
        let mut state = HostedGame::new(seats, true);
        let started = match referee {
            Some(referee) => Ok(referee),
            None => HostedReferee::start(rules, trial.control, &trial.limits, trial.scratch),
        };
        let mut game = TrialGame {
            lines: Vec::new(),
            given: Vec::new(),
            decided: None,
            steps: Vec::new(),
            fault: None,
            is_silent: false,
            stderr: Vec::new(),
            no_end: None,
            seen: None,
            referee: None,
        };
        let mut referee = match started {
            Ok(referee) => referee,
            Err(RefereeTrouble::Fault(why)) => {
                return Ok(TrialGame { fault: Some(format!("it cannot begin: {why}")), ..game });
            }
            Err(RefereeTrouble::Stopped) => return Err(CheckStopped::Stopped),
            Err(RefereeTrouble::Ours(error)) => return Err(error.into()),
        };
        match referee::steps(&mut state, self.seed(), None, &mut referee, &mut answerer) {
            Ok(decided) => {
                game.decided = Some(decided);
                let unasked = if keep {
                    let (seen, next) = referee.next_game(rules);
                    game.referee = next;
                    seen.traffic.unasked
                } else {
                    game.seen.insert(referee.end_of_trial()).traffic.unasked
                };
                if unasked > 0 {
                    game.fault = Some(AFTER_END.to_owned());
                }
            }
            Err(HostedHalt::Referee(why)) => {
                // A silent one has its input closed first: then it writes what lies in its buffer.
                let is_silent = why.is_silence();
                game.is_silent = is_silent;
                let seen = if is_silent { referee.end_of_trial() } else { referee.end_of_fault() };
                let why = with_last_words(why, &seen.stderr).to_string();
                game.fault = Some(match silence(&seen.lines.heard(), seen.traffic.said, &[]) {
                    Some(Silence::AnsweredAtTheEnd) if is_silent => format!(
                        "{why}. It wrote the lines only when its input had ended, so they lay in a buffer: {FLUSH}"
                    ),
                    _ => why,
                });
                game.stderr = seen.stderr;
            }
            Err(HostedHalt::Left(no_end)) => {
                referee.end_of_fault();
                game.no_end = Some(no_end);
            }
            Err(HostedHalt::Stopped) => return Err(CheckStopped::Stopped),
            Err(HostedHalt::Ours(error)) => return Err(error.into()),
        }
        let Answerer { steps, given, .. } = answerer;
        Ok(TrialGame { lines: state.into_parts().1, given, steps, ..game })
    }

    /// What one game shows.
    fn of_one(&self, game: &TrialGame) -> Vec<GameFinding> {
        let lines = GameLines {
            rules: self.rules,
            lines: &game.lines,
            given: &game.given,
            decided: game.decided.as_ref(),
        };
        let mut found = of_game(&lines);
        if let Some(why) = &game.fault {
            found.insert(0, GameFinding::new(FindingWeight::Wrong, VOID, format!("the game is void: {why}")));
        }
        match game.no_end {
            None => {}
            Some(NoEnd::Answers) => found.push(GameFinding::new(
                FindingWeight::Wrong,
                "no-end",
                format!(
                    "the game has not ended after {MOST_ANSWERS} answers. End it after a number of moves, and when no \
                     seat takes part any more"
                ),
            )),
            Some(NoEnd::Time) => found.push(GameFinding::new(
                FindingWeight::Warning,
                "long",
                format!("the game was left after {} answers, because the time was over", game.given.len()),
            )),
        }
        if game.given.iter().any(|(_, source)| *source == AnswerSource::Short) {
            let words = "it asks a seat that was told no line legal, so that short texts were tried as answers. With \
                         such a line, an engine that plays at random can play this game";
            found.push(GameFinding::new(FindingWeight::Note, "no-legal", words));
        }
        found
    }

    /// The words for two games that differ at a line.
    fn not_the_same(
        &self,
        game: &TrialGame,
        again: &TrialGame,
        at: usize,
        was_kept: bool,
    ) -> Result<GameFinding, CheckStopped> {
        let end = || "the game has ended".to_owned();
        let line = |game: &TrialGame| game.lines.get(at).map_or_else(end, |line| shown_line(line));
        let differs_at = format!("line {} differs: \"{}\" and \"{}\"", at + 1, line(game), line(again));
        // A process that has played before may differ because something is left of the game before.
        let is_left_over = was_kept && differs(again, &self.once(None, false)?).is_none();
        let (kind, words) = if is_left_over {
            (
                "left-over",
                format!(
                    "the process that has refereed another game before writes other lines than a fresh one: \
                     {differs_at}. With keep = true nothing of a game may be left for the next one"
                ),
            )
        } else {
            (
                "chance",
                format!(
                    "the same seed and the same answers do not give the same lines: {differs_at}. It must draw all \
                     chance from the seed, and nothing from the clock or the order of a hash table"
                ),
            )
        };
        Ok(GameFinding { line: Some(at + 1), ..GameFinding::new(FindingWeight::Wrong, kind, words) })
    }
}

/// Where two games differ that should be the same. A game that was left early is compared as far as
/// it went.
fn differs(first: &TrialGame, second: &TrialGame) -> Option<usize> {
    let is_cut = first.no_end == Some(NoEnd::Time) || second.no_end == Some(NoEnd::Time);
    let most = if is_cut { first.lines.len().min(second.lines.len()) } else { usize::MAX };
    let cut = |game: &TrialGame| game.lines.len().min(most);
    difference(&first.lines[..cut(first)], &second.lines[..cut(second)])
}

/// What a process shows that was to end.
fn left(seen: &SeatSeen, of: Option<(&TrialGamePlace, &[String])>, report: &mut RefereeReport) {
    let (place, lines) = of.map_or((None, &[][..]), |(place, lines)| (Some(place), lines));
    if seen.exit == Some(Exit::Killed) {
        let words = format!(
            "it does not end at quit, nor at the end of its input: it was killed after {} ms, and each game waits so \
             long",
            GRACE.as_millis()
        );
        report.add(GameFinding::new(FindingWeight::Warning, "does-not-leave", words), place, lines);
    }
    let last =
        seen.stderr.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).rfind(|line| !line.is_empty());
    if let Some(last) = last {
        let words =
            format!("it wrote to stderr, which is kept as a log; the last line: {}", escape(last, 200));
        report.add(GameFinding::new(FindingWeight::Note, "stderr", words), place, &[]);
    }
}

/// What the times of the steps show, which are in order.
fn speed(trial: &RefereeTrial<'_>, report: &mut RefereeReport) {
    let (_, median, longest) = report.steps();
    let Some(rules) = trial.rules.first() else { return };
    let step = rules.folder.step;
    if longest > step / 2 {
        let words = format!(
            "the longest step took {:.3} s of {} s: on a slower machine the game is void. Make it faster, or give it \
             more with step in game.toml",
            longest.as_secs_f64(),
            step.as_secs_f64()
        );
        report.add(GameFinding::new(FindingWeight::Warning, "slow", words), None, &[]);
    } else if median > SLOW {
        let words = format!(
            "half of all steps take {:.0} ms or more, which makes games slow",
            median.as_secs_f64() * 1e3
        );
        report.add(GameFinding::new(FindingWeight::Warning, "slow", words), None, &[]);
    }
}
