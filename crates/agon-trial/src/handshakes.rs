//! Finds engines before the first game that refuse it in the handshake of their protocol.

mod relatives;

use std::time::Duration;

use agon_config::Misuse;
use agon_match::hosted::{GameRules, HostedRules};
use agon_match::keeper::Interrupted;
use agon_match::openings::{Opening, Openings};
use agon_match::processes::{Fault, Limits, Patience, Scratch, Trouble};
use agon_match::referee::{Engines, GameOrder, HostedEngines, Seating, with_last_words};
use agon_match::schedule;
use agon_programs::option_values;
use agon_programs::program::display_path;
use agon_programs::spec::EngineSpec;
use agon_protocol::Protocol;
use agon_protocol::announced::AnnouncedOption;
use agon_seats::{PerSeat, Seat, TimeControl};
use agon_standings::result::{Cause, GameId};
use anyhow::Context;

/// How often a handshake is tried again that the machine has spoilt.
const SPOILT: u32 = 3;
/// How long an engine may take to answer the greeting of another protocol.
const RELATIVE: Duration = Duration::from_secs(3);

/// What the handshake with an engine depends on.
pub struct HandshakeTerms<'a> {
    /// The game.
    pub rules: &'a GameRules,
    /// How games begin.
    pub openings: &'a Openings,
    /// What boards are drawn from.
    pub seed: u64,
    /// How much time the engine has.
    pub control: TimeControl,
    /// How long it may take to start, how it is confined, and when to stop.
    pub limits: Limits,
    /// Where it gets its directory.
    pub scratch: &'a Scratch,
}

/// Why an engine cannot play, as its handshake shows.
#[derive(Debug)]
pub struct HandshakeRefusal {
    /// What to tell the user.
    pub misuse: Misuse,
    /// Whether it has never answered.
    pub is_silence: bool,
}

/// Goes through the handshake of an engine, if its protocol has one that can fail, and ends it
/// again. Returns why it cannot play these games, if it cannot. An engine of Gomocup that
/// does not accept the usual line ends is tried with the others, and keeps these. An
/// engine that does not answer is greeted in the words of the other protocols. One that ends in its
/// handshake is tried once more: a fault that does not come again is left to the games.
///
/// # Errors
/// agon's own, or the run is to stop.
pub fn refusal(terms: &HandshakeTerms<'_>, engine: &EngineSpec) -> anyhow::Result<Option<HandshakeRefusal>> {
    if !engine.protocol.may_refuse() {
        return Ok(None);
    }
    let Greeted { fault, announced } = greeted(terms, engine)?;
    let refuses_option =
        |misuse: Option<Misuse>| misuse.map(|misuse| HandshakeRefusal { misuse, is_silence: false });
    // Before the fault, because a value that it does not take may have made it.
    if let Some(misuse) = option_values::wrong_value(engine, &announced) {
        return Ok(refuses_option(Some(misuse)));
    }
    let Some(first) = fault else {
        return Ok(refuses_option(option_values::unknown_option(engine, &announced)));
    };
    let fault = match &engine.protocol {
        Protocol::Gomocup(settings) if may_be_newline(first.cause) && settings.try_other_newline() => {
            let Some(second) = handshake(terms, engine)? else { return Ok(None) };
            settings.take_back();
            second
        }
        _ => first,
    };
    // The refusal of Gomocup begins with a word with which others say that they do not know a
    // command.
    if (fault.why.refused_to_play().is_none() || matches!(engine.protocol, Protocol::Gomocup(_)))
        && let Some(misuse) = other_protocol(terms, engine)?
    {
        return Ok(Some(HandshakeRefusal { misuse, is_silence: false }));
    }
    let (place, why) = (called(engine), &fault.why);
    let is_silence = fault.cause == Cause::TimeForfeit;
    let misuse = match why.refused_to_play() {
        Some(why) => Misuse {
            what: format!("{place}: the engine cannot play {}: {why}", terms.rules.spec()),
            hint: Some("give a game that it plays with --game, or leave this engine out".to_owned()),
        },
        // An engine that never answers speaks another protocol, or holds back what it writes. The
        // line ends of Gomocup are known only of an engine that has answered.
        None if is_silence || matches!(engine.protocol, Protocol::Gomocup(_)) => {
            Misuse { what: format!("{place}: {why}"), hint: Some(hint(fault.cause, engine)) }
        }
        None if ends_again(terms, engine, &fault)? => Misuse {
            what: format!("{place}: the engine ends in its handshake: {why}"),
            hint: Some(hint(fault.cause, engine)),
        },
        // The games tell what else is wrong.
        None => return Ok(None),
    };
    Ok(Some(HandshakeRefusal { misuse, is_silence }))
}

/// The options that an engine announces in its handshake, also if it fails in that later.
///
/// # Errors
/// As [`refusal`].
pub fn announced(terms: &HandshakeTerms<'_>, engine: &EngineSpec) -> anyhow::Result<Vec<AnnouncedOption>> {
    Ok(greeted(terms, engine)?.announced)
}

/// An engine as messages name it: by its path, or with the settings that it was given.
fn called(engine: &EngineSpec) -> String {
    match &engine.set {
        None => display_path(&engine.source),
        Some(set) if set.spelling.is_some() => set.place.clone(),
        Some(set) => format!("{}: {}", set.place, engine.name),
    }
}

/// Whether an engine that has ended in its handshake, or has closed its output there, does so once
/// more.
fn ends_again(terms: &HandshakeTerms<'_>, engine: &EngineSpec, fault: &Fault) -> anyhow::Result<bool> {
    let has_ended = |fault: &Fault| matches!(fault.cause, Cause::Crash | Cause::ClosedOutput);
    Ok(has_ended(fault) && handshake(terms, engine)?.as_ref().is_some_and(has_ended))
}

/// Greets an engine that does not answer in its own protocol in the words of all others: first in
/// one process, and if it says anything there, in a process for each protocol at once. Returns what
/// to write into its file if it answers one.
///
/// # Errors
/// agon's own, or the run is to stop.
pub fn other_protocol(terms: &HandshakeTerms<'_>, engine: &EngineSpec) -> anyhow::Result<Option<Misuse>> {
    let answered = answers_greeting(terms, engine, GreetingTries::OneForAll)?;
    Ok(answered.map(|protocol| relatives::speaks(engine, &protocol)))
}

/// How an engine is greeted that may speak any protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GreetingTries {
    /// In all protocols in one process; one that is silent then is not greeted further.
    OneForAll,
    /// In a process for each protocol: some programs are silent when they do not know a line.
    OneForEach,
}

/// The protocol whose greeting an engine answers, as [`other_protocol`] finds it.
///
/// # Errors
/// As [`other_protocol`].
pub fn answers_greeting(
    terms: &HandshakeTerms<'_>,
    engine: &EngineSpec,
    tries: GreetingTries,
) -> anyhow::Result<Option<Protocol>> {
    let mut limits = terms.limits.clone();
    limits.terms.startup = limits.terms.startup.min(RELATIVE);
    let terms = &HandshakeTerms { limits, ..*terms };
    let mut candidates = relatives::candidates(terms.rules, engine);
    if tries == GreetingTries::OneForAll
        && let Some(first) = relatives::of_any_greeting(&candidates)
        && handshake(terms, &first)?.is_some_and(|fault| fault.cause == Cause::TimeForfeit)
    {
        candidates.retain(|other| other.arguments != first.arguments);
    }
    let tried = schedule::aside(|| {
        std::thread::scope(|scope| {
            let greet =
                |other| std::thread::Builder::new().spawn_scoped(scope, move || handshake(terms, other));
            let threads: Vec<_> = candidates.iter().map(greet).collect();
            let ended = threads.into_iter().map(|thread| {
                let thread = thread.context(schedule::NO_THREAD)?;
                thread.join().unwrap_or_else(|fault| std::panic::resume_unwind(fault))
            });
            ended.collect::<Vec<anyhow::Result<Option<Fault>>>>()
        })
    })?;
    for (other, fault) in candidates.iter().zip(tried) {
        match fault {
            Ok(None) => return Ok(Some(other.protocol.clone())),
            Err(error) if error.is::<Interrupted>() => return Err(error),
            // Nothing is known of it, which must not end a run.
            Ok(Some(_)) | Err(_) => {}
        }
    }
    Ok(None)
}

/// What to do for an engine that does not answer in its handshake.
fn hint(cause: Cause, engine: &EngineSpec) -> String {
    let flushes = match cause {
        Cause::TimeForfeit if engine.pty => " and flushes stdout after each line",
        Cause::TimeForfeit => {
            " and flushes stdout after each line (with pty = true in its engine.toml many programs do)"
        }
        _ => "",
    };
    let protocol = engine.protocol.name();
    format!("see that it speaks the protocol {protocol}{flushes}, or leave this engine out")
}

/// Whether an engine may have failed because of the ends of its lines.
fn may_be_newline(cause: Cause) -> bool {
    matches!(cause, Cause::StartFailed | Cause::Crash | Cause::ClosedOutput)
}

/// The fault of an engine in its handshake, if there is one. A handshake that the machine has
/// spoilt is tried again.
///
/// # Errors
/// agon's own, or the run is to stop.
pub fn handshake(terms: &HandshakeTerms<'_>, engine: &EngineSpec) -> anyhow::Result<Option<Fault>> {
    Ok(greeted(terms, engine)?.fault)
}

/// What a handshake has shown.
struct Greeted {
    /// The fault of the engine, if there is one.
    fault: Option<Fault>,
    /// The options that it has announced before that.
    announced: Vec<AnnouncedOption>,
}

/// Goes through a handshake, as [`handshake`] does.
fn greeted(terms: &HandshakeTerms<'_>, engine: &EngineSpec) -> anyhow::Result<Greeted> {
    let mut tries = 0;
    loop {
        let mut announced = Vec::new();
        match handshake_once(terms, engine, &mut announced)? {
            Ok(fault) => return Ok(Greeted { fault, announced }),
            Err(error) if tries == SPOILT => return Err(error).context("the engine could not be tried"),
            Err(_) => tries += 1,
        }
    }
}

/// The same once in a game of a referee program, whose referee is not needed for it.
fn hosted_handshake(
    terms: &HandshakeTerms<'_>,
    rules: &HostedRules,
    engine: &EngineSpec,
    announced: &mut Vec<AnnouncedOption>,
) -> std::io::Result<Result<(), Trouble>> {
    let seats = rules.seat_count();
    let order = GameOrder {
        id: GameId { round: 1, pairing: 1, game: 1 },
        seed: terms.seed,
        engines: PerSeat::from_fn(seats, |_| engine),
        controls: PerSeat::from_fn(seats, |_| terms.control),
        lags: PerSeat::from_fn(seats, |_| None),
        max_plies: None,
        limits: terms.limits.clone(),
        scratch: terms.scratch,
    };
    let mut engines = HostedEngines::new(&order, rules)?;
    let ready = engines.ready(Seat::FIRST);
    announced.extend_from_slice(engines.announced(Seat::FIRST));
    engines.end(if ready.is_ok() { Patience::All } else { Patience::AllBut(Seat::FIRST) });
    Ok(ready)
}

/// The same once; the inner error is ours. `announced` gets the options that the engine announces.
fn handshake_once(
    terms: &HandshakeTerms<'_>,
    engine: &EngineSpec,
    announced: &mut Vec<AnnouncedOption>,
) -> anyhow::Result<std::io::Result<Option<Fault>>> {
    let seats = terms.rules.seats().len();
    let greeted = schedule::aside(|| -> std::io::Result<_> {
        let rules = match terms.rules {
            GameRules::BuiltIn(rules) => rules.as_ref(),
            GameRules::Hosted(rules) => return hosted_handshake(terms, rules, engine, announced),
        };
        let Opening { game, moves } = terms.openings.begin(rules, terms.seed, 1);
        let seating = Seating {
            rules,
            engines: PerSeat::from_fn(seats, |seat| (seat == Seat::FIRST).then_some(engine)),
            controls: PerSeat::from_fn(seats, |_| terms.control),
            limits: terms.limits.clone(),
            scratch: terms.scratch,
            opening: moves,
            seed: terms.seed,
        };
        let mut engines = Engines::start(seating, game.as_ref(), None)?;
        let ready = engines.greet(Seat::FIRST);
        announced.extend_from_slice(engines.announced(Seat::FIRST));
        let patience = if ready.is_ok() { Patience::All } else { Patience::AllBut(Seat::FIRST) };
        let seen = engines.end(patience);
        Ok(ready.map_err(|trouble| match trouble {
            Trouble::Fault(fault) if fault.cause == Cause::Crash => {
                Trouble::Fault(Fault { why: with_last_words(fault.why, &seen[Seat::FIRST].stderr), ..fault })
            }
            other => other,
        }))
    })?;
    match greeted.context("the engine could not be tried")? {
        Ok(()) => Ok(Ok(None)),
        Err(Trouble::Fault(fault)) => Ok(Ok(Some(fault))),
        Err(Trouble::Stopped) => Err(Interrupted.into()),
        Err(Trouble::Ours(error)) => Ok(Err(error)),
    }
}
