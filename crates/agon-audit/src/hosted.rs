//! The audit of a game of a referee program. Its record follows from its lines, and the program,
//! started once more with the seed and the recorded answers, writes the same lines.

use std::time::Duration;

use agon_config::Confinement;
use agon_match::hosted::{
    Answered, FaultKind, Flow, HostedGame, HostedRules, Question, RecordedAnswer, UNKNOWN, answers, kind_of,
};
use agon_match::processes::{GameTerms, Limits};
use agon_match::referee::{Divergence, RefereeAgain, RefereeTrouble};
use agon_printable::clean;
use agon_record::reason::FaultFact;
use agon_record::{Decided, GameRecord, RefereeRecord, Verdict, VoidReason};
use agon_seats::{Clock, Flag, PerSeat, SearchLimits, Seat};
use agon_standings::result::{Cause, Termination};
use agon_store::times::allowances;

use super::conditions::{Conditions, EarlyEnd};
use super::facts::{Difference, Facts, quoted};
use super::referee_program::{RefereeAccess, RefereeOfRun, found};
use super::{contradictions, elsewhere, game, seat_faults, transcript};

const NOT_STARTED: &str = "its referee program is not started here";
/// How long a referee may take to start.
const STARTUP: Duration = Duration::from_secs(10);

/// The games of one referee program, and what they are checked against.
pub struct RefereedGames<'a> {
    conditions: Conditions,
    /// The program, or why it cannot be started.
    referee: Result<(HostedRules, RefereeAgain<'a>), String>,
    /// Whether the program of the run is not there any more.
    is_gone: bool,
}

/// What was wrong with the check of a game, if not with the game.
#[derive(Debug)]
pub enum Unchecked {
    /// The game differs from what it should be.
    Wrong(Difference),
    /// The user has stopped the audit, or the machine has failed.
    Trouble(anyhow::Error),
}

impl From<Difference> for Unchecked {
    fn from(difference: Difference) -> Self {
        Unchecked::Wrong(difference)
    }
}

impl<'a> RefereedGames<'a> {
    /// Games of this spec with so many seats and this referee. Without `access` no program is
    /// started.
    pub fn new(
        spec: &str,
        seats: usize,
        referee: RefereeOfRun<'_>,
        confinement: Confinement,
        conditions: Conditions,
        access: Option<&RefereeAccess<'a>>,
    ) -> Self {
        let found = match access {
            None => Err(NOT_STARTED.to_owned()),
            Some(access) => found(spec, seats, referee, access).map(|rules| {
                let terms = GameTerms {
                    margin: Duration::ZERO,
                    bank: Duration::ZERO,
                    startup: STARTUP,
                    search: SearchLimits::default(),
                    confinement,
                };
                let limits = Limits::new(terms, Some(access.stop.clone()));
                let again = RefereeAgain::new(rules.clone(), limits, access.scratch);
                (rules, again)
            }),
        };
        let is_gone = access.is_some() && found.is_err();
        RefereedGames { conditions, referee: found, is_gone }
    }

    /// Games that are checked against their lines alone.
    pub fn by_lines_alone() -> Self {
        RefereedGames {
            conditions: Conditions::default(),
            referee: Err(NOT_STARTED.to_owned()),
            is_gone: false,
        }
    }

    /// Whether the program of the run is gone or has changed, so that no game can be refereed
    /// again.
    pub fn is_gone(&self) -> bool {
        self.is_gone
    }

    /// Whether the program is known and the scores of its games add up.
    pub fn is_sum(&self) -> bool {
        self.referee.as_ref().is_ok_and(|(rules, _)| rules.folder.sum)
    }

    /// Checks a game. `Err(why)` inside `Ok`: nothing is wrong with it, and it is not proved
    /// either, because its referee cannot be started.
    ///
    /// # Errors
    /// [`Unchecked`].
    pub fn check(&mut self, record: &GameRecord) -> Result<Result<Facts, String>, Unchecked> {
        let Some(referee) = &record.referee else {
            return Err(Difference::at("referee", "is missing, but a program has refereed the game").into());
        };
        if let Ok((rules, _)) = &self.referee {
            game::seats(record, &rules.spec(), rules.seats())?;
            if rules.options_line() != referee.options {
                let (said, own) = (quoted(&referee.options), rules.options_line());
                return Err(Difference::at("referee.options", format!("is {said}, but it has {own}")).into());
            }
            if rules.hash != referee.hash {
                let why = format!("is {}, but the run had {}", quoted(&referee.hash), rules.hash);
                return Err(Difference::at("referee.hash", why).into());
            }
        }
        let mut facts = Facts::default();
        // Without the program a game that was decided is believed to be one that may end so.
        let draws = match &self.referee {
            Ok((rules, _)) => rules.folder.draws,
            Err(_) => record.decided().is_some(),
        };
        by_its_lines(record, referee, draws, &self.conditions, &mut facts)?;
        let again = match &mut self.referee {
            Ok((_, again)) => again,
            Err(why) => return Ok(Err(why.clone())),
        };
        if referee.lines.is_empty() {
            return Ok(Ok(facts));
        }
        let (control, ..) = allowances(&record.seats[Seat::FIRST].time_control)
            .map_err(|why| Difference::at("seats[0].time_control", why))?;
        match again.game(record.seed, control, &referee.program, &referee.lines) {
            Ok(None) => {}
            Ok(Some(divergence)) => return Err(differs(referee, &divergence).into()),
            Err(RefereeTrouble::Fault(why)) => {
                let why = format!("its referee cannot begin here: {}", clean(&why.to_string()));
                self.referee = Err(why.clone());
                return Ok(Err(why));
            }
            Err(RefereeTrouble::Stopped) => {
                return Err(Unchecked::Trouble(agon_match::keeper::Interrupted.into()));
            }
            Err(RefereeTrouble::Ours(error)) => return Err(Unchecked::Trouble(error.into())),
        }
        let written = referee.lines.iter().filter(|line| line.starts_with('<')).count();
        facts.proved("lines of referees", written);
        Ok(Ok(facts))
    }
}

fn line_at(at: usize) -> String {
    format!("referee.lines[{at}]")
}

/// The words about a referee that does not write the recorded lines.
fn differs(referee: &RefereeRecord, divergence: &Divergence) -> Difference {
    let recorded = |at: usize| {
        let text = referee.lines.get(at).and_then(|line| line.strip_prefix('<')).unwrap_or_default();
        format!("line {} is {}", at + 1, quoted(text))
    };
    match divergence {
        Divergence::Program(other) => {
            let why = format!("is {}, but the referee says {}", quoted(&referee.program), quoted(other));
            Difference::at("referee.program", why)
        }
        Divergence::Line(at, written) => Difference::at(
            line_at(*at),
            format!(
                "{}, but by the seed and the answers the referee writes {}",
                recorded(*at),
                quoted(written)
            ),
        ),
        Divergence::Fails(at, why) => Difference::at(
            line_at(*at),
            format!("{}, but refereed once more the referee fails there: {}", recorded(*at), clean(why)),
        ),
    }
}

/// How the lines of a game end.
enum Ending {
    /// The referee has ended the game.
    Over,
    /// The referee is at fault, and the last line shows it.
    Fault(String),
    /// So many questions are open.
    Waits(usize),
    /// In the middle of a step.
    Open,
}

/// Everything in the record that follows from its lines.
fn by_its_lines(
    record: &GameRecord,
    referee: &RefereeRecord,
    draws: bool,
    conditions: &Conditions,
    facts: &mut Facts,
) -> Result<(), Difference> {
    contradictions::check(record)?;
    for (key, text) in [("start", &record.start), ("last", &record.last)] {
        if text != UNKNOWN {
            let why = format!("is {}, but the referee alone knows the positions", quoted(text));
            return Err(Difference::at(key, why));
        }
    }
    let mut clocks = game::clocks(record, conditions)?;
    let mut course = HostedGame::new(record.seats.len(), draws);
    let ending = walk(record, referee, &mut course, &mut clocks)?;
    let at_fault = course.at_fault();
    match &record.verdict {
        Verdict::Decided(said) => {
            let expected = decided(&course, &ending, said, conditions, facts)?;
            same_verdict(said, &expected)?;
            seat_faults::forfeit(record, said, &at_fault, facts)?;
            facts.proved("results", 1);
            facts.proved("scores", said.scores.len());
            facts.proved("places", said.places.len());
        }
        Verdict::Void { why } => void(referee, &ending, why, facts)?,
    }
    seat_faults::faults(referee, course.faults(), facts)?;
    // A game that became void after its end has no evidence against anybody.
    let has_evidence = record.seats.values().iter().any(|seat| seat.evidence.is_some());
    if has_evidence || !of_changed_program(record) {
        seat_faults::evidence(record, referee, &at_fault, facts)?;
    }
    transcript::of_lines(record, referee)?;
    let (plies, _) = course.into_parts();
    if plies.len() != record.plies.len() {
        let (said, found) = (record.plies.len(), plies.len());
        return Err(Difference::at(
            "plies",
            format!("there are {said}, but by the lines of the referee {found}"),
        ));
    }
    for (at, (said, found)) in record.plies.iter().zip(&plies).enumerate() {
        let wrong = |key: &str, why: String| Err(Difference::at(format!("plies[{at}].{key}"), why));
        if said.seat != found.seat {
            let (said, found) = (said.seat.index() + 1, found.seat.index() + 1);
            return wrong("seat", format!("is seat {said}, but by the lines of the referee {found}"));
        }
        if said.text != found.text {
            let (said, found) = (quoted(&said.text), quoted(&found.text));
            return wrong("text", format!("is {said}, but by the lines of the referee {found}"));
        }
        if said.points != found.points || said.thought.is_some() {
            return wrong("points", "a referee program knows no points and thoughts of a move".to_owned());
        }
        if said.time != found.time {
            return wrong("micros", "a move that no engine has made took no time".to_owned());
        }
    }
    facts.proved("moves", plies.len());
    facts.witnessed("times", plies.len());
    game::sums(record, facts)?;
    game::isolation(record, conditions)?;
    elsewhere::check(record, facts)?;
    facts.witnessed("exits", record.seats.values().iter().filter(|seat| seat.exit.is_some()).count());
    facts.witnessed("usage", record.seats.len());
    Ok(())
}

/// Feeds the lines to a game.
fn walk(
    record: &GameRecord,
    referee: &RefereeRecord,
    course: &mut HostedGame,
    clocks: &mut PerSeat<Clock>,
) -> Result<Ending, Difference> {
    let lines = &referee.lines;
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        let Some(text) = line.strip_prefix('<') else {
            let why = format!("line {} is {}, but the referee has asked nothing", at + 1, quoted(line));
            return Err(Difference::at(line_at(at), why));
        };
        at += 1;
        let flow = course.take(text);
        let questions = match flow {
            Ok(Flow::GoOn) => continue,
            Ok(Flow::Wait(questions)) => questions,
            Ok(Flow::Over) => return last(lines, at, Ending::Over),
            Ok(Flow::Void(why)) => return last(lines, at, Ending::Fault(format!("it says void: {why}"))),
            Err(why) => return last(lines, at, Ending::Fault(why)),
        };
        if at == lines.len() {
            return Ok(Ending::Waits(questions.len()));
        }
        let (given, count, is_whole) = given(record, &questions, &lines[at..])
            .map_err(|why| Difference::at(line_at(at), format!("line {}: {why}", at + 1)))?;
        for (seat, answer) in given {
            let sent = answered(record, course, clocks, &questions, seat, answer, at)?;
            for sent in sent {
                if lines.get(at).and_then(|line| line.strip_prefix('>')) != Some(&sent) {
                    let why = format!("line {}: seat {} has had another fault", at + 1, seat.index() + 1);
                    return Err(Difference::at(line_at(at), why));
                }
                at += 1;
            }
        }
        debug_assert!(count > 0 || at < lines.len());
        if !is_whole {
            return Ok(Ending::Open);
        }
    }
    Ok(Ending::Open)
}

/// The last line of a game is the last line of its record.
fn last(lines: &[String], at: usize, ending: Ending) -> Result<Ending, Difference> {
    match lines.get(at) {
        None => Ok(ending),
        Some(line) => {
            let why = format!("line {} is {}, but the game was over before", at + 1, quoted(line));
            Err(Difference::at(line_at(at), why))
        }
    }
}

/// The answers of the seats, how many lines they are, and whether all were given. In a game that
/// was spoilt by agon or the machine, the last answers are missing.
type Given = (Vec<(Seat, RecordedAnswer)>, usize, bool);

fn given(record: &GameRecord, questions: &[Question], lines: &[String]) -> Result<Given, String> {
    let seats = record.seats.len();
    let why = match answers(questions, lines, seats) {
        Ok((given, count)) => return Ok((given, count, true)),
        Err(why) => why,
    };
    if record.decided().is_none() {
        for asked in (1..questions.len()).rev() {
            if let Ok((given, count)) = answers(&questions[..asked], lines, seats)
                && count == lines.len()
            {
                return Ok((given, count, false));
            }
        }
    }
    Err(why)
}

/// Notes an answer. Returns the lines that the referee was sent.
fn answered(
    record: &GameRecord,
    course: &mut HostedGame,
    clocks: &mut PerSeat<Clock>,
    questions: &[Question],
    seat: Seat,
    answer: RecordedAnswer,
    at: usize,
) -> Result<Vec<String>, Difference> {
    if let Some(gone) = course.gone(seat) {
        return Ok(course.answered(seat, gone));
    }
    let asked = questions.iter().find(|question| question.seat == seat);
    let most = asked.and_then(|question| question.most);
    let answered = match answer {
        RecordedAnswer::Lines(texts) => {
            let ply = course.ply_count();
            let Some(own) = record.plies.get(ply) else {
                let why = format!("there are {ply}, but line {} of the referee has one more", at + 1);
                return Err(Difference::at("plies", why));
            };
            if let Flag::Fallen(allowed) = clocks[seat].spend(own.time, most) {
                let most = allowed.as_secs_f64();
                let why = format!("the answer took longer than the {most} s it had, but it was taken");
                return Err(Difference::at(format!("plies[{ply}].micros"), why));
            }
            Answered::Lines(texts, own.time)
        }
        RecordedAnswer::Fault(kind, why) => {
            let Some(cause) = seat_faults::cause(record, seat, &kind) else {
                let why = format!("line {}: {} is no kind of fault", at + 1, quoted(&kind));
                return Err(Difference::at(line_at(at), why));
            };
            if kind_of(cause) == FaultKind::Late {
                clocks[seat].spend(Duration::MAX, most);
            }
            // What the referee was told of it is a sentence.
            Answered::Fault(cause, FaultFact::Told(why).into())
        }
    };
    Ok(course.answered(seat, answered))
}

/// The verdict by the lines.
fn decided(
    course: &HostedGame,
    ending: &Ending,
    said: &Decided,
    conditions: &Conditions,
    facts: &mut Facts,
) -> Result<Decided, Difference> {
    let wrong = |why: &str| Err(Difference::at("verdict", why));
    match ending {
        Ending::Over => course.decided().map_or_else(|| wrong("is decided, but the game goes on"), Ok),
        Ending::Fault(why) => wrong(&format!("is decided, but the referee is at fault: {}", clean(why))),
        Ending::Open => wrong("is decided, but the lines of the referee end within a step"),
        Ending::Waits(_) if said.termination != Termination::Adjudication => {
            wrong("is decided, but the lines of the referee end with questions")
        }
        Ending::Waits(questions) => {
            match conditions.early_end {
                Some(EarlyEnd { max_plies: Some(most), .. }) if course.given() + questions > most => {
                    facts.proved("adjudications", 1);
                }
                Some(EarlyEnd { max_plies: Some(most), .. }) => {
                    return wrong(&format!("was adjudicated, but there are no more than {most} answers"));
                }
                Some(EarlyEnd { max_plies: None, .. }) => {
                    return wrong("was adjudicated, but the run has no rule for that");
                }
                None => facts.witnessed("adjudications", 1),
            }
            Ok(course.adjudicated())
        }
    }
}

fn same_verdict(said: &Decided, expected: &Decided) -> Result<(), Difference> {
    let key = |part: &str| format!("verdict.decided.{part}");
    let list = |values: Vec<String>| values.join(":");
    let scores = |of: &Decided| list(of.scores.values().iter().map(i32::to_string).collect());
    let places = |of: &Decided| list(of.places.values().iter().map(u8::to_string).collect());
    let by = "by the lines of the referee it is";
    for (part, said, expected) in [
        ("scores", scores(said), scores(expected)),
        ("places", places(said), places(expected)),
        ("termination", ended(said), ended(expected)),
    ] {
        if said != expected {
            return Err(Difference::at(key(part), format!("says {said}, but {by} {expected}")));
        }
    }
    // Of a program that crashed, its last words are behind the reason.
    let is_crash = matches!(said.termination, Termination::Forfeit(_, Cause::Crash));
    let read = said.reason.read(said.termination.cause());
    let kept = if is_crash { read.without_last_words() } else { read };
    let (kept, expected) = (kept.to_string(), expected.reason.to_string());
    if kept == expected {
        return Ok(());
    }
    let (said, expected) = (quoted(&said.reason.to_string()), quoted(&expected));
    Err(Difference::at(key("reason"), format!("says {said}, but {by} {expected}")))
}

/// `crash of seat 2`.
fn ended(decided: &Decided) -> String {
    match decided.termination.forfeited() {
        Some(seat) => format!("{} of seat {}", decided.termination, seat.index() + 1),
        None => decided.termination.to_string(),
    }
}

/// Whether a game is void because the files of one of its programs changed.
fn of_changed_program(record: &GameRecord) -> bool {
    matches!(&record.verdict, Verdict::Void { why: VoidReason::ProgramChanged { .. } })
}

/// Whether the game is void for the reason that its lines give.
fn void(
    referee: &RefereeRecord,
    ending: &Ending,
    why: &VoidReason,
    facts: &mut Facts,
) -> Result<(), Difference> {
    let wrong = |key: &str, why: String| Err(Difference::at(key, why));
    match (ending, &referee.fault) {
        // The programs are looked at after the game as well.
        (Ending::Over, None) if matches!(why, VoidReason::ProgramChanged { .. }) => {
            facts.witnessed("games of programs that changed", 1);
        }
        (Ending::Over, _) => {
            return wrong("verdict", "is void, but the referee has ended the game".to_owned());
        }
        (Ending::Fault(found), Some(said)) if found == said => facts.proved("faults of referees", 1),
        (Ending::Fault(found), said) => {
            let said = quoted(said.as_deref().unwrap_or("nothing"));
            return wrong("referee.fault", format!("is {said}, but by its lines it is {}", quoted(found)));
        }
        (Ending::Waits(_) | Ending::Open, Some(_)) => facts.witnessed("faults of referees", 1),
        (Ending::Waits(_) | Ending::Open, None) => {}
    }
    match &referee.fault {
        Some(fault) if !why.is_of_referee(fault) => {
            let why = quoted(&why.to_string());
            wrong("verdict.void.why", format!("is {why}, but the fault was {}", quoted(fault)))
        }
        _ => Ok(()),
    }
}
