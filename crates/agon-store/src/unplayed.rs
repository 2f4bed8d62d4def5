//! The games of a plan that nobody plays any more, because an engine has withdrawn: forfeit wins
//! and losses in the standings.

use std::collections::{BTreeMap, HashSet};

use agon_standings::Standings;
use agon_standings::pairings::PlannedGame;
use agon_standings::points::Wdl;
use agon_standings::result::GameId;
use agon_standings::stage::Format;
use agon_standings::withdrawals::{ClosingRule, WithdrawalRule, are_given_up, is_absent, missed_rounds};
use anyhow::Result;

use super::Store;
use super::arrangements::Withdrawals;
use super::inside::Ran;
use super::ranking::DerivedStage;

/// The games of a pairing of two: the names, and the games as the first sees them.
type UnplayedPairing = (GameId, [String; 2], Wdl);

/// Adds who has withdrawn, and what is not played.
pub(super) fn add(
    standings: &mut Standings,
    withdrawn: &Withdrawals,
    stage: Option<&DerivedStage>,
    unplayed: Vec<UnplayedPairing>,
) {
    for made in withdrawn.all().filter(|made| standings.tally(&made.engine).is_some()).collect::<Vec<_>>() {
        standings.withdraw(&made.engine, stage.map(|stage| absent(stage, &made.engine)).unwrap_or_default());
    }
    let is_swiss = |stage: &&&DerivedStage| matches!(stage.rules.format, Format::Swiss { .. });
    for late in stage.iter().filter(is_swiss).flat_map(|stage| &stage.field.late) {
        let stage = stage.expect("it has a late entrant");
        let last = stage.progress.matches.iter().map(|one| one.pairing.round).max().unwrap_or(0);
        let missed = (0..missed_rounds(late, last)).map(|_| u64::from(stage.rules.games));
        standings.join_late(&stage.field.names[late.entrant], missed.collect());
    }
    for (id, names, games) in unplayed {
        standings.add_unplayed(id, [&names[0], &names[1]], games);
    }
}

/// The games of each round in which a Swiss did not pair an engine that has withdrawn.
fn absent(stage: &DerivedStage, engine: &str) -> Vec<u64> {
    let own = stage.field.names.iter().position(|name| name == engine);
    let Some(own) = own.filter(|_| matches!(stage.rules.format, Format::Swiss { .. })) else {
        return Vec::new();
    };
    let rounds: u64 = (0..stage.field.groups.len())
        .flat_map(|group| stage.absent_rounds(group))
        .filter(|(entrant, _)| *entrant == own)
        .map(|(_, rounds)| rounds)
        .sum();
    (0..rounds).map(|_| u64::from(stage.rules.games)).collect()
}

/// What is not played of a stage.
pub(super) fn of_stage(stage: &DerivedStage) -> Vec<UnplayedPairing> {
    let name = |entrant: usize| stage.field.names[entrant].clone();
    let one = |one: &agon_standings::matches::Match| {
        let games = stage.scores.get(&one.pairing.pairing)?.unplayed.games;
        let id = GameId { round: one.pairing.round, pairing: one.pairing.pairing, game: 0 };
        (games.games() > 0).then(|| (id, [name(one.pairing.first), name(one.pairing.second)], games))
    };
    stage.progress.matches.iter().filter_map(one).collect()
}

/// What is not played of a run that is no stage, with these withdrawals, where games with these
/// keys count.
pub(super) fn of_run(run: &Ran, withdrawn: &Withdrawals, played: &HashSet<i64>) -> Vec<UnplayedPairing> {
    let absences = withdrawn.absences(&run.players);
    let keys = run.keys();
    let mut all: BTreeMap<u32, UnplayedPairing> = BTreeMap::new();
    let closing = withdrawn.closing();
    let is_given_up = |game: &PlannedGame| closing.is_some() || are_given_up(&absences, game);
    for game in run.planned().into_iter().flatten().filter(is_given_up) {
        let [first, second] = game.seats.values()[..] else { continue };
        let is_gone = |entrant| is_absent(&absences, entrant, game.id.round);
        let rule = |entrant| absences.iter().find(|one| one.entrant == entrant).map(|one| one.rule);
        let is_expunged = [first, second].into_iter().any(|one| rule(one) == Some(WithdrawalRule::Expunge));
        if is_expunged || is_gone(first) && is_gone(second) || played.contains(&keys.of(&game)) {
            continue;
        }
        let names = [first, second].map(|entrant| run.players[entrant].name.clone());
        let id = GameId { game: 0, ..game.id };
        let (_, there, games) = all.entry(game.id.pairing).or_insert((id, names.clone(), Wdl::default()));
        // The seats are swapped from game to game.
        if !is_gone(first) && !is_gone(second) {
            games.draws += u64::from(closing.is_some_and(|closing| closing.rest == ClosingRule::Drawn));
            continue;
        }
        let is_won = is_gone(second) == (there[0] == names[0]);
        *(if is_won { &mut games.wins } else { &mut games.losses }) += 1;
    }
    all.into_values().filter(|(.., games)| games.games() > 0).collect()
}

impl Store {
    /// The standings with what is not played, after all games that count were added.
    pub(super) fn with_unplayed(
        &self,
        standings: &mut Standings,
        stage: Option<&DerivedStage>,
    ) -> Result<()> {
        let withdrawn = self.withdrawn()?;
        if withdrawn.is_empty() {
            return Ok(());
        }
        let unplayed = match stage {
            Some(stage) => of_stage(stage),
            None => match self.runs()?.pop() {
                Some(run) => {
                    let played = self.played()?.keys.iter().copied().collect();
                    of_run(&run, &withdrawn, &played)
                }
                None => Vec::new(),
            },
        };
        add(standings, &withdrawn, stage, unplayed);
        Ok(())
    }
}
