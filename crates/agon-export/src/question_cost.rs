//! How many games a question is likely to cost, in words and as JSON.

use agon_config::asked_question::{self, AskedQuestion};
use agon_standings::simulated::GameModel;
use agon_standings::strengths::Strengths;
use agon_standings::until::{ForeseenCost, USUAL_DEVIATION, foreseen};
use agon_store::Store;
use serde_json::{Value, json};

/// The lag of runs that are simulated: the numbers hardly depend on it.
const USUAL_LAG: u32 = 4;

/// How many games a question is likely to cost.
pub struct FieldCost {
    asked: AskedQuestion,
    entrants: usize,
    /// Whether the strengths are the ratings of a stored run.
    is_rated: bool,
    cost: ForeseenCost,
}

impl FieldCost {
    /// For these engines. If a stored run has rated all of them, their strengths are its ratings.
    ///
    /// # Errors
    /// [`Misuse`](agon_config::Misuse): the question does not fit the engines; or errors of the
    /// database.
    pub fn of(asked: AskedQuestion, names: &[String], stored: Option<&Store>) -> anyhow::Result<Self> {
        asked_question::fits(asked, names.len())?;
        let known = stored.map(|store| ratings(store, names)).transpose()?.flatten();
        let most_pairs = u32::try_from(asked.most / 2).unwrap_or(u32::MAX);
        let of_run = known.as_ref().map(|(known, model)| (&known[..], *model));
        let cost = foreseen(asked.question, names.len(), of_run, most_pairs, USUAL_LAG);
        Ok(FieldCost { asked, entrants: names.len(), is_rated: known.is_some(), cost })
    }

    /// In a sentence.
    pub fn words(&self) -> String {
        let ForeseenCost { runs, settled, games } = self.cost;
        let AskedQuestion { question, most } = self.asked;
        let by = match self.is_rated {
            true => "the ratings, draws and first moves of the stored run".to_owned(),
            false => format!("strengths with a deviation of {USUAL_DEVIATION} Elo"),
        };
        if runs == 0 {
            return format!(
                "{question}: what it costs is not simulated for {} engines and {most} games",
                self.entrants
            );
        }
        let after = games.map(|[low, middle, high]| {
            format!(", in the middle after {middle} games, half of them after {low} to {high}")
        });
        format!(
            "{question}: in {runs} runs simulated by {by} it was settled {settled} times{} with at most {most} games",
            after.unwrap_or_default()
        )
    }

    /// As `agon plan --json` has it.
    pub fn object(&self) -> Value {
        json!({
            "question": self.asked.question.to_string(),
            "at_most": self.asked.most,
            "engines": self.entrants,
            "rated": self.is_rated,
            "simulated": self.cost.runs,
            "settled": self.cost.settled,
            "games": self.cost.games,
        })
    }
}

/// The ratings of these engines in a stored run, and the model of its games; `None` if one of them
/// has none, or if the ratings are not of one scale.
fn ratings(store: &Store, names: &[String]) -> anyhow::Result<Option<(Vec<f64>, GameModel)>> {
    let found = Strengths::of(&store.standings(store.points()?)?, 0, 1);
    let Some([part]) = found.as_ref().map(|found| &found.parts[..]) else { return Ok(None) };
    let rating = |name: &String| part.rows.iter().find(|row| row.entrant == *name).map(|row| row.elo);
    let ratings: Option<Vec<f64>> = names.iter().map(rating).collect();
    let model = part.model();
    Ok(ratings.map(|ratings| (ratings, model)))
}
