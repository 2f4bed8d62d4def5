//! Who sits on a seat: a person, an engine with its settings, or the operator of a program
//! elsewhere.

use std::time::Duration;

use agon_games::Rules;
use agon_programs::spec::EngineSpec;
use agon_seats::{SearchLimits, TimeControl};

use super::TablesSpec;
use super::requests::{SeatKind, SeatRequest};

/// The time of an engine for which none is given.
const ENGINE_TIME: Duration = Duration::from_secs(2);
/// What stands for no limit at all: longer than any table is open.
const NO_LIMIT: Duration = Duration::from_secs(7 * 24 * 3600);
/// The most characters of a name.
const LONGEST_NAME: usize = 60;
/// The longest value of a setting.
const LONGEST_SETTING: usize = 100;
/// The setting that says what a draw is worth, in programs that expect a result between 0 and 1.
const DRAW_VALUE: &str = "DrawValue";

/// How strong an engine plays against somebody who chooses nothing else.
pub(super) struct EngineStrength {
    /// Its name, in requests and for people.
    pub(super) name: &'static str,
    /// What it means, for people.
    pub(super) told: &'static str,
    /// The time for each move.
    time: Duration,
    /// How far an engine searches whose protocol has a word for that.
    search: SearchLimits,
}

const fn strength(
    name: &'static str,
    told: &'static str,
    seconds: u64,
    depth: Option<u32>,
) -> EngineStrength {
    EngineStrength {
        name,
        told,
        time: Duration::from_secs(seconds),
        search: SearchLimits { nodes: None, depth },
    }
}

/// Every strength, the weakest first.
pub(super) const STRENGTHS: [EngineStrength; 3] = [
    strength(
        "easy",
        "looks one ply ahead if its protocol lets us say so (UGI, UCI); 1 second a move",
        1,
        Some(1),
    ),
    strength(
        "medium",
        "looks three plies ahead if its protocol lets us say so; 2 seconds a move",
        2,
        Some(3),
    ),
    strength("strong", "looks as far as it can in 5 seconds a move", 5, None),
];

/// Who sits on a seat.
pub(super) struct SeatSpec {
    /// What plays.
    pub(super) kind: SeatKind,
    /// The name that is shown.
    pub(super) name: String,
    /// The engine, with its settings.
    pub(super) engine: Option<EngineSpec>,
    /// The time.
    pub(super) control: TimeControl,
    /// Whether it has a clock by which it can lose.
    pub(super) has_clock: bool,
}

impl SeatSpec {
    /// Reads who is to sit on a seat.
    ///
    /// # Errors
    /// A sentence.
    pub(super) fn read(
        request: &SeatRequest,
        rules: &dyn Rules,
        spec: &TablesSpec<'_>,
    ) -> Result<SeatSpec, String> {
        let given = request.time.as_deref().map(str::trim).filter(|text| !text.is_empty());
        let given: Option<TimeControl> =
            given.map(str::parse).transpose().map_err(|why| format!("The time: {why}."))?;
        if given.is_some_and(|control| control.longest() > spec.longest) {
            let minutes = spec.longest.as_secs_f64() / 60.0;
            return Err(format!("The time is longer than a table is open, which is {minutes} minutes."));
        }
        let mut engine = match request.kind {
            SeatKind::Engine => Some(engine(request, rules, spec)?),
            SeatKind::Person | SeatKind::Remote => None,
        };
        let strength = asked_strength(request, &mut engine)?;
        let given = given.or(strength);
        let given_name = request.name.as_deref().map(str::trim).filter(|name| !name.is_empty());
        if given_name
            .is_some_and(|name| name.chars().count() > LONGEST_NAME || name.chars().any(char::is_control))
        {
            return Err(format!("A name is one line of at most {LONGEST_NAME} characters."));
        }
        let name = match (&engine, given_name, request.kind) {
            (Some(engine), ..) => engine.name.clone(),
            (None, Some(name), _) => name.to_owned(),
            (None, None, SeatKind::Remote) => "a program elsewhere".to_owned(),
            (None, None, _) => "a person".to_owned(),
        };
        let usual = if engine.is_some() { ENGINE_TIME } else { NO_LIMIT };
        Ok(SeatSpec {
            kind: request.kind,
            name,
            has_clock: given.is_some() || engine.is_some(),
            engine,
            control: given.unwrap_or(TimeControl::PerMove(usual)),
        })
    }

    /// Whether its score is a result that it expects, in hundredths above a half.
    pub(super) fn expects_results(&self) -> bool {
        self.engine.as_ref().is_some_and(expects_results)
    }
}

/// Gives an engine the strength that is asked for. Returns its time.
fn asked_strength(
    request: &SeatRequest,
    engine: &mut Option<EngineSpec>,
) -> Result<Option<TimeControl>, String> {
    let Some(name) = request.strength.as_deref() else { return Ok(None) };
    let Some(engine) = engine else { return Err("Only an engine has a strength.".to_owned()) };
    if request.time.is_some() {
        return Err("A seat has a time or a strength, not both.".to_owned());
    }
    let strength = STRENGTHS.iter().find(|one| one.name == name).ok_or_else(|| {
        format!("There is no such strength; there are {}.", STRENGTHS.map(|one| one.name).join(", "))
    })?;
    if engine.protocol.is_ugi() {
        engine.odds.search = strength.search;
    }
    Ok(Some(TimeControl::PerMove(strength.time)))
}

/// Whether the score of an engine is a result that it expects: it knows what a draw is worth.
pub(super) fn expects_results(engine: &EngineSpec) -> bool {
    engine.options.iter().any(|(name, _)| name.eq_ignore_ascii_case(DRAW_VALUE))
}

fn engine(request: &SeatRequest, rules: &dyn Rules, spec: &TablesSpec<'_>) -> Result<EngineSpec, String> {
    let name = request.engine.as_deref().unwrap_or_default();
    let found = spec.engines.iter().find(|engine| engine.name == name);
    let game = rules.spec();
    let mut engine = found.ok_or("There is no engine of this name.")?.clone().in_game(&game);
    if !engine.plays(&game) {
        return Err(format!("{} plays {}, not {game}.", engine.name, engine.games.join(", ")));
    }
    for (name, value) in &request.settings {
        let known = engine.options.iter_mut().find(|(own, _)| own == name);
        let (_, own) = known.ok_or("The engine.toml of this engine has no such setting.")?;
        if value.len() > LONGEST_SETTING || value.chars().any(char::is_control) {
            return Err("A setting is one line of at most 100 characters.".to_owned());
        }
        own.clone_from(value);
    }
    Ok(engine)
}
