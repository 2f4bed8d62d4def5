//! The conditions of a run's games, read from the database.

use std::str::FromStr;
use std::sync::Arc;

use agon_config::ScoreRules;
use agon_games::Rules;
use agon_match::openings::{Drawing, LaterPairs, Openings};
use agon_store::hash;
use agon_store::key::GameConditions;

/// The conditions that the games of a run share, as far as they are known. Imported games have
/// none.
#[derive(Clone, Default)]
pub struct Conditions {
    /// The openings.
    pub openings: Option<Openings>,
    /// What ended its games early; `None` if that is unknown.
    pub early_end: Option<EarlyEnd>,
    /// The text after the time control of every seat: ` margin=0.02 bank=10`.
    pub allowances: Option<String>,
    /// The isolation level, if it was not the usual one.
    pub level: Option<String>,
}

/// The rules of a match that end a game before its own rules do.
#[derive(Clone, Copy)]
pub struct EarlyEnd {
    /// The number of plies after which the score decides.
    pub max_plies: Option<usize>,
    /// The plies to a win within which a game is adjudicated.
    pub adjudicate: Option<u16>,
    /// The rules that end a game by scores.
    pub score_rules: ScoreRules,
}

impl Conditions {
    /// The number of plies after which the score decides, if the run has one.
    pub fn max_plies(&self) -> Option<usize> {
        self.early_end?.max_plies
    }

    /// The conditions of a run with these terms. `supply` gives a file of the database by its hash.
    ///
    /// # Errors
    /// The term that is impossible.
    pub fn of(
        terms: &GameConditions,
        rules: &Arc<dyn Rules>,
        supply: impl Fn(&str) -> Option<Vec<u8>>,
    ) -> Result<Self, String> {
        let later = later(terms)?;
        let openings = openings(terms, rules, supply)?
            .map(|openings| openings.with_later(later).drawn_as(Drawing::of(terms)));
        Ok(Conditions { openings, ..Conditions::without_openings(terms)? })
    }

    /// The conditions of a run in which every game begins where its referee program begins it.
    ///
    /// # Errors
    /// The term that is impossible.
    pub(crate) fn without_openings(terms: &GameConditions) -> Result<Self, String> {
        let number = |name: &str| -> Result<Option<f64>, String> {
            let Some(text) = terms.get(name) else { return Ok(None) };
            text.parse().map(Some).map_err(|_| format!("the term {name} of the run is not a number"))
        };
        let mut conditions = Conditions {
            // A stored number of plies is whole.
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            early_end: Some(EarlyEnd {
                max_plies: number("max plies")?.map(|plies| plies as usize),
                adjudicate: number("adjudicate")?.map(|plies| plies as u16),
                score_rules: ScoreRules {
                    resign: rule(terms, "resign when")?,
                    draw: rule(terms, "draw when")?,
                },
            }),
            level: terms.get("isolation").map(|text| text.split(", ").next().unwrap_or_default().to_owned()),
            ..Conditions::default()
        };
        if let Some(margin) = number("margin")? {
            let bank = number("bank")?.filter(|bank| *bank > 0.0);
            let bank = bank.map(|bank| format!(" bank={bank}")).unwrap_or_default();
            conditions.allowances = Some(format!(" margin={margin}{bank}"));
        }
        Ok(conditions)
    }
}

/// A rule that ends a game by scores.
fn rule<R: FromStr>(terms: &GameConditions, name: &str) -> Result<Option<R>, String> {
    let read = |text: &String| text.parse().map_err(|_| format!("the term {name} of the run cannot be read"));
    terms.get(name).map(read).transpose()
}

/// The random moves of play-offs: `4 after 5 pairs`.
fn later(terms: &GameConditions) -> Result<Option<LaterPairs>, String> {
    let Some(text) = terms.get("random plies of play-offs") else { return Ok(None) };
    let read = || {
        let (random_plies, after) = text.strip_suffix(" pairs")?.split_once(" after ")?;
        Some(LaterPairs { after: after.parse().ok()?, random_plies: random_plies.parse().ok()? })
    };
    read().map(Some).ok_or_else(|| "the term random plies of play-offs of the run cannot be read".to_owned())
}

/// The openings, if they are known. Positions from a file must be in the database.
fn openings(
    terms: &GameConditions,
    rules: &Arc<dyn Rules>,
    supply: impl Fn(&str) -> Option<Vec<u8>>,
) -> Result<Option<Openings>, String> {
    let random_plies = match terms.get("random plies") {
        None => 0,
        Some(text) => {
            text.parse().map_err(|_| "the term random plies of the run is not a number".to_owned())?
        }
    };
    let text_of = |hash: &String| supply(hash).and_then(|bytes| String::from_utf8(bytes).ok());
    if let Some(hash) = terms.get("openings") {
        let Some(text) = text_of(hash) else { return Ok(None) };
        let positions: Vec<String> = text.lines().map(str::to_owned).collect();
        return Openings::at(positions, rules.as_ref(), random_plies).map(Some);
    }
    let Some(boards) = terms.get("boards") else { return Ok(None) };
    if *boards == hash::of_bytes(rules.start(1).text().as_bytes()) {
        return Ok(Some(Openings::from_start(random_plies)));
    }
    // The board came from a file.
    let Some(text) = text_of(boards) else { return Ok(None) };
    Openings::at(vec![text], rules.as_ref(), random_plies).map(Some)
}
