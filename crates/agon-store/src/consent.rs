//! What makes finished games history without a question, and what is asked first.

use super::changes::{RunBefore, games_in_words, short, time_of_all};
use super::key::{GameConditions, Player, REFEREE, differences};
use super::plan::Plan;

/// What may make finished games history without a question. Each value includes those before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Consent {
    /// New versions of engines and of other programs: the tournament is still the same.
    #[default]
    Versions,
    /// Engines that are no longer there, too: in a night, the engines that are there play.
    Engines,
    /// Every change: the user wants it.
    Again,
}

/// Going on would make finished games history, and the user was not asked.
#[derive(Debug, thiserror::Error)]
#[error("{} history: {}", would_become(*.games), .reasons.join("; "))]
pub struct WouldBeHistory {
    /// How many games would no longer count.
    pub games: u64,
    /// What differs from the run before.
    pub reasons: Vec<String>,
}

fn would_become(games: u64) -> String {
    match games {
        1 => "1 game that counts would become".to_owned(),
        many => format!("{many} games that count would become"),
    }
}

/// The conditions that only another version of a program changes: the hash of the referee program,
/// and the version of agon's own rules.
const OF_PROGRAMS: [&str; 2] = [REFEREE, "rules version"];

/// The differences from the run before that are not made without consent. More games, new engines
/// and new versions of programs are not among them.
pub(super) fn asked_about(before: &RunBefore, plan: &Plan<'_>, consent: Consent) -> Vec<String> {
    if consent == Consent::Again {
        return Vec::new();
    }
    if let Some(differs) = another(before, plan) {
        return vec![format!("the directory holds another tournament ({differs})")];
    }
    let mut reasons = Vec::new();
    let all = time_of_all(before, plan);
    reasons.extend(all.map(|(there, here)| format!("the time control was {there} and is {here}")));
    for entered in &before.players {
        match plan.players.iter().find(|player| player.name == entered.name) {
            None if consent < Consent::Engines => {
                reasons.push(format!("{} is no longer among the engines", entered.name));
            }
            Some(player) if all.is_none() && !entered.has_time_of(player) => reasons.push(format!(
                "the time control of {} was {} and is {}",
                player.name, entered.control, player.control
            )),
            _ => {}
        }
    }
    reasons.extend(of_conditions(&before.terms, plan.terms));
    if before.games > plan.games {
        let (there, here) = (before.games_in_words(), games_in_words(plan));
        reasons.push(match before.question {
            Some(_) => format!("there were {there}, and it is {here} now"),
            None => format!("there were {there} and are {}", plan.games),
        });
    }
    reasons
}

fn of_conditions(there: &GameConditions, here: &GameConditions) -> Vec<String> {
    let found = differences(there, here);
    let differs = |name: &str| found.iter().any(|(other, ..)| other == name);
    // The first board follows from the game.
    let follows = |name: &str| name == "boards" && (differs("game") || differs("rules version"));
    let is_asked = |name: &str| !OF_PROGRAMS.contains(&name) && !follows(name);
    let asked = found.iter().filter(|(name, ..)| is_asked(name));
    asked.map(|(name, there, here)| format!("{name} was {} and is {}", short(there), short(here))).collect()
}

/// How a plan with another game, or with none of the engines, differs: it is probably a mistake.
fn another(before: &RunBefore, plan: &Plan<'_>) -> Option<String> {
    let game = |terms: &GameConditions| terms.get("game").cloned().unwrap_or_default();
    let (there, here) = (game(&before.terms), game(plan.terms));
    let name = |spec: &str| spec.split(':').next().unwrap_or_default().to_owned();
    let known = |player: &Player| before.players.iter().any(|entered| entered.name == player.name);
    if name(&there) != name(&here) {
        Some(format!("its game is {there}, yours is {here}"))
    } else if !plan.players.iter().any(known) && !before.players.is_empty() {
        Some("it has none of your engines".to_owned())
    } else {
        None
    }
}
