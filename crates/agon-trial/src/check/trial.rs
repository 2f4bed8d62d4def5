//! A trial of an engine in a game of rules that agon knows. It plays against random legal moves.

use std::io;
use std::time::Duration;

use agon_games::{Game, Rules, Status};
use agon_match::openings::Opening;
use agon_match::processes::{Patience, SeatSeen, Trouble};
use agon_match::referee::{self, Engines, GameEnd, GameInProgress, OfferedMove, Players, Seating};
use agon_printable::clean;
use agon_programs::spec::EngineSpec;
use agon_protocol::announced::{AnnouncedOption, option_named};
use agon_record::Ply;
use agon_record::reason::FaultNote;
use agon_seats::{Clock, PerSeat, Seat, TimeControl};
use agon_standings::result::Cause;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::hints::refused;
use super::silence::{LATE, LateAnswer, Silence, silence};
use super::{
    CheckFinding, CheckStopped, CheckTrial, at_the_end, console, conversation, spoilt_at, too_close,
};

/// How a game of a trial ended for the engine.
struct TrialEnd<'a> {
    /// The processes, which are still to be ended.
    engines: Engines<'a>,
    patience: Patience,
    /// Whether its time ran out.
    late: bool,
    /// What it did after that, if it was asked for a move.
    lateness: Option<LateAnswer>,
}

/// Plays one game with the engine on `seat`.
pub(super) fn check_once(
    trial: &CheckTrial<'_>,
    rules: &dyn Rules,
    seat: Seat,
) -> Result<CheckFinding, CheckStopped> {
    let &CheckTrial { engine, control, .. } = trial;
    let seats = rules.seats().len();
    let Opening { game, moves: opening } = trial.openings.begin(rules, trial.seed, trial.opening);
    let first = match game.status() {
        Status::ToMove(first) => first,
        Status::Over(_) => Seat::FIRST,
    };
    let clocks =
        PerSeat::from_fn(seats, |_| Clock::new(control, trial.limits.terms.margin, trial.limits.terms.bank));
    let mut game = GameInProgress::new(rules, game, clocks);
    let mut tried = TriedEngine::new(trial, seat, control, opening, &game, trial.moves)?;
    let greeted = tried.engines.ready(seat).and_then(|()| tried.engines.introduce(seat));
    let is_greeted = greeted.is_ok();
    let introduced = greeted.as_ref().ok().cloned().flatten();
    let ending = greeted.map_or_else(GameEnd::Trouble, |_| game.play_on(&mut tried));
    let own = || game.plies.iter().filter(|ply| ply.seat == seat);
    let mut finding = CheckFinding {
        side: rules.seats()[seat.index()].to_owned(),
        moves: own().count(),
        games: 1,
        longest: own().map(|ply| ply.time).max().unwrap_or_default(),
        thinking: own().map(|ply| ply.time).sum(),
        ..CheckFinding::default()
    };
    finding.advice.extend(introduced.map(|(hello, words)| match words {
        Some(words) => format!("It accepts {hello}. It says of itself: {words}"),
        None => format!("It accepts {hello}. It does not answer ABOUT, which is no fault"),
    }));
    let Some(end) = judged(ending, engine, is_greeted, game.game.as_ref(), tried, &mut finding)? else {
        return Ok(finding);
    };
    let unknown = if is_greeted { unknown_options(engine, end.engines.announced(seat)) } else { Vec::new() };
    let limit = game.clocks[seat].left() + game.clocks[seat].bank();
    let seen = end.engines.end(end.patience);
    let seen = &seen[seat];
    finding.startup = seen.startup;
    finding.stderr.clone_from(&seen.stderr);
    if let Some(words) = end.lateness.as_ref().and_then(|lateness| lateness.words(limit)) {
        finding.advice.push(words);
    } else if end.late {
        advise_on_silence(engine, is_greeted, seen, rules.seats(), &mut finding);
    }
    if end.late && is_greeted {
        finding.advice.extend(conversation::unfinished(engine, &seen.lines.heard()));
    }
    finding.advice.extend(unknown);
    let begins = (first != Seat::FIRST && first != seat).then(|| rules.seats()[first.index()]);
    let is_for_people = engine.console.is_some();
    at_the_end(seen, end.patience, &engine.protocol, begins, is_for_people, &mut finding);
    if first != Seat::FIRST && !finding.wrong.is_empty() && finding.moves <= 1 {
        finding.advice.push(format!(
            "In this start {} begins, which {{to_move}} in the args of its engine.toml tells",
            rules.seats()[first.index()]
        ));
    }
    too_close(&mut finding, limit);
    Ok(finding)
}

/// Puts the end of a game into the finding. `None` if the machine has spoilt the game: then the
/// engine is ended, and the finding is whole.
fn judged<'a>(
    ending: GameEnd<EnoughMoves>,
    engine: &EngineSpec,
    is_greeted: bool,
    game: &dyn Game,
    tried: TriedEngine<'a>,
    finding: &mut CheckFinding,
) -> Result<Option<TrialEnd<'a>>, CheckStopped> {
    let seat = tried.seat;
    let mut end = TrialEnd { engines: tried.engines, patience: Patience::All, late: false, lateness: None };
    match ending {
        GameEnd::Over(_) | GameEnd::PlyLimit | GameEnd::Known(_) | GameEnd::Scores(_) => {
            finding.finished = true;
        }
        GameEnd::Left(EnoughMoves) => {}
        GameEnd::Resigned(_) if finding.moves == 0 => {
            finding.wrong.push("it resigned at its first move, and so loses every game".to_owned());
        }
        GameEnd::Resigned(_) => finding.advice.push("It gave the game up".to_owned()),
        GameEnd::Refused { line, refusal, .. } => {
            finding.fault = Some(referee::cause_of(&refusal));
            finding.wrong.push(refused(game, &line, &refusal, end.engines.said(seat)));
            if engine.console.is_some() {
                finding.advice.push(console::REFUSED.to_owned());
            }
            end.patience = Patience::AllBut(seat);
        }
        GameEnd::Trouble(Trouble::Fault(fault)) => {
            end.late = fault.cause == Cause::TimeForfeit;
            if end.late && is_greeted {
                // The fault quotes what it wrote in place of a move: it is not slow.
                let is_quoted = fault.why.notes.iter().any(|note| matches!(note, FaultNote::Remark(_)));
                let lateness = wait_longer(&mut end.engines, finding.moves)?;
                end.lateness = match lateness {
                    LateAnswer::Slow if is_quoted => Some(LateAnswer::Silent),
                    other => Some(other),
                };
            }
            finding.fault = Some(fault.cause);
            finding.wrong.push(match is_greeted {
                true => format!("at its move {}: {}", finding.moves + 1, fault.why),
                // The reason says that it was before the game.
                false => fault.why.to_string(),
            });
        }
        GameEnd::Trouble(Trouble::Ours(error)) => {
            finding.startup = end.engines.end(Patience::None)[seat].startup;
            finding.unjudged = Some(spoilt_at(finding.moves, &error));
            return Ok(None);
        }
        GameEnd::Trouble(Trouble::Stopped) => {
            end.engines.end(Patience::None);
            return Err(CheckStopped::Stopped);
        }
    }
    Ok(Some(end))
}

/// Advice on the options that the engine is sent and has not announced, if its protocol has
/// announcements.
fn unknown_options(engine: &EngineSpec, announced: &[AnnouncedOption]) -> Vec<String> {
    if !engine.protocol.is_ugi() {
        return Vec::new();
    }
    let names = engine.options.iter().map(|(name, _)| name);
    let unknown = names.filter(|name| option_named(announced, name).is_none());
    let advice = |name: &String| {
        format!(
            "It is sent the option {} of its engine.toml, but has not announced it: before {} it has no line \
             \"option name {0} type ...\"",
            clean(name),
            engine.words.ok
        )
    };
    unknown.map(advice).collect()
}

/// Says why an engine whose time ran out may have said nothing, as far as its lines tell.
fn advise_on_silence(
    engine: &EngineSpec,
    is_greeted: bool,
    seen: &SeatSeen,
    seats: &[&str],
    finding: &mut CheckFinding,
) {
    if is_greeted {
        match silence(&seen.lines.heard(), seen.traffic.said, seats) {
            Some(Silence::AnsweredAtTheEnd) => finding.answered_at_the_end = true,
            _ if engine.console.is_some() => finding.advice.push(console::silent(engine, true)),
            silence => finding.advice.extend(silence.map(|silence| silence.words())),
        }
    } else if engine.console.is_some() {
        finding.advice.push(console::silent(engine, false));
    } else {
        finding.advice.extend(conversation::silent_handshake(engine));
        if !engine.pty && seen.traffic.said == 0 {
            finding.advice.push(console::WITHOUT_TERMINAL.to_owned());
        }
    }
}

/// Finds out what an engine does whose time has run out. It has made this number of moves.
fn wait_longer(engines: &mut Engines<'_>, moves: usize) -> Result<LateAnswer, CheckStopped> {
    match engines.wait_longer(LATE) {
        Ok(Some(after)) => Ok(LateAnswer::Answered(after)),
        Ok(None) if engines.is_computing() => Ok(LateAnswer::Computing),
        Ok(None) if moves > 0 => Ok(LateAnswer::Slow),
        Ok(None) => Ok(LateAnswer::Silent),
        Err(_) => Err(CheckStopped::Stopped),
    }
}

/// The engine on its seat, and random legal moves on the others.
pub(super) struct TriedEngine<'a> {
    seat: Seat,
    pub(super) engines: Engines<'a>,
    random: ChaCha8Rng,
    /// How many moves the engine is still to make.
    pub(super) moves_left: usize,
}

impl<'a> TriedEngine<'a> {
    /// Gets ready the engine of a trial on this seat. It is to make so many moves of this game.
    ///
    /// # Errors
    /// As [`Engines::start`].
    pub(super) fn new(
        trial: &CheckTrial<'a>,
        seat: Seat,
        control: TimeControl,
        opening: Option<Vec<String>>,
        game: &GameInProgress<'a>,
        moves_left: usize,
    ) -> io::Result<Self> {
        let rules = game.rules;
        let seats = rules.seats().len();
        let seating = Seating {
            rules,
            engines: PerSeat::from_fn(seats, |other| (other == seat).then_some(trial.engine)),
            controls: PerSeat::from_fn(seats, |_| control),
            limits: trial.limits.clone(),
            scratch: trial.scratch,
            opening,
            seed: trial.seed,
        };
        let engines = Engines::start(seating, game.game.as_ref(), None)?;
        Ok(TriedEngine { seat, engines, random: ChaCha8Rng::seed_from_u64(trial.seed), moves_left })
    }
}

/// The engine has made as many moves as it was to make.
pub(super) struct EnoughMoves;

impl Players for TriedEngine<'_> {
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

/// A legal move, drawn at random.
fn our_move(game: &dyn Game, random: &mut ChaCha8Rng) -> String {
    let moves = game.moves();
    let index = random.next_u64() % moves.len() as u64;
    moves[usize::try_from(index).expect("it is smaller than the number of moves")].clone()
}
