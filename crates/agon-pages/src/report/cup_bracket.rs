//! The bracket of a cup, made from its stages: who met whom, with the points, and who went on.

use std::collections::BTreeSet;

use agon_printable::counted;
use agon_standings::cup::{self, StageOutcome};
use agon_standings::matches::Scores;
use agon_standings::points::Wdl;
use agon_standings::stage::{self, Duel, Field, Format, Ranking, StageProgress, StageRules};
use agon_standings::sums::{self, Sum};
use agon_store::ranking::{DerivedStage, StageSpec};

use super::bracket::{BracketGroup, BracketLine, BracketStage};

/// A stage with what its part of the bracket shows.
pub struct DrawnStage<'a> {
    /// Its name.
    pub name: &'a str,
    /// How many of each group go on; `None` in the last stage.
    pub advance: Option<usize>,
    /// Its rules.
    pub rules: &'a StageRules,
    /// Its entrants and groups.
    pub field: &'a Field<String>,
    /// Its matches and orders.
    pub progress: &'a StageProgress,
    /// The scores of its matches.
    pub scores: &'a Scores,
    /// Whether its groups are matches for places.
    pub is_finals: bool,
    /// Who plays in the next stage, if that has begun.
    pub next: Option<&'a Field<String>>,
}

impl<'a> DrawnStage<'a> {
    /// The stages of a cup as they are stored, in their order. One that is to be drawn anew, as the
    /// stage before has another result now, is left out, and what comes after it.
    pub fn of_stored(stored: &[&'a (StageSpec, DerivedStage)]) -> Vec<DrawnStage<'a>> {
        let stays = |pair: &[&(StageSpec, DerivedStage)]| follows(pair[0], pair[1]);
        let count = stored.len().min(1 + stored.windows(2).take_while(|pair| stays(pair)).count());
        let stored = &stored[..count];
        let drawn = |(number, (spec, stage)): (usize, &&'a (StageSpec, DerivedStage))| DrawnStage {
            name: &spec.name,
            advance: spec.advance(),
            rules: &stage.rules,
            field: &stage.field,
            progress: &stage.progress,
            scores: &stage.scores,
            is_finals: spec.titles.first().is_some_and(|title| cup::is_finals(&spec.name, title)),
            next: stored.get(number + 1).map(|(_, next)| &next.field),
        };
        stored.iter().enumerate().map(drawn).collect()
    }

    /// The same for the places of a cup.
    pub fn outcome(&self) -> StageOutcome<'a> {
        let orders = &self.progress.orders[..];
        StageOutcome {
            field: self.field,
            orders: self.progress.result.is_some().then_some(orders),
            advance: self.advance,
            is_finals: self.is_finals,
        }
    }

    /// Whether an entrant with this place in its group, from 0, plays in the next stage. Once that
    /// has begun, those go on who play there, whatever is decided about this stage later.
    pub fn goes_on(&self, entrant: usize, place: usize) -> bool {
        match self.next {
            Some(next) => next.begins_with(&self.field.names[entrant]),
            None => self.progress.result.is_some() && self.advance.is_some_and(|go_on| place < go_on),
        }
    }

    /// The sums of all entrants, in the order of the field.
    pub fn sums(&self) -> Vec<Sum> {
        sums::sums(self.rules, self.field, self.progress, self.scores)
    }
}

/// Whether a stage is what follows from the one before, or is over: then it stays, whatever is
/// decided about that one.
pub fn follows((spec, before): &(StageSpec, DerivedStage), (_, next): &(StageSpec, DerivedStage)) -> bool {
    if next.progress.result.is_some() {
        return true;
    }
    let Some(result) = &before.progress.result else { return false };
    let names = |ranking: &Ranking| -> Vec<&str> {
        let first = ranking.order.iter().take(spec.advance().unwrap_or(0));
        first.map(|entrant| before.field.names[*entrant].as_str()).collect()
    };
    let go_on: BTreeSet<&str> = result.iter().flat_map(names).collect();
    let plays: BTreeSet<&str> =
        next.field.names.iter().map(String::as_str).filter(|name| next.field.begins_with(name)).collect();
    go_on == plays
}

/// The columns of the bracket of all stages.
pub fn all_columns(stages: &[DrawnStage<'_>]) -> Vec<BracketStage> {
    stages.iter().flat_map(columns).collect()
}

/// The columns of a stage: one for each round of a knockout, and one of any other format.
fn columns(stage: &DrawnStage<'_>) -> Vec<BracketStage> {
    if matches!(stage.rules.format, Format::Knockout { .. }) {
        return drawn_knockout(stage);
    }
    let result = stage.progress.result.as_ref();
    // In the last stage nobody advances; the winner of each group is marked.
    let is_last = stage.advance.is_none();
    let has_won = |rank: usize| is_last && result.is_some() && rank == 1;
    let sums = stage.sums();
    let leaders = match stage.rules.format {
        Format::Gauntlet { leaders } => leaders,
        _ => 0,
    };
    let group = |(number, order): (usize, &Vec<(usize, usize)>)| BracketGroup {
        title: stage.field.titles[number].clone(),
        words: (order.iter().take(leaders).map(|(leader, _)| leads(stage, *leader, &sums[*leader])))
            .chain(result.map(|result| result[number].words.clone()).unwrap_or_default())
            .collect(),
        lines: (order.iter().enumerate())
            .map(|(at, (entrant, rank))| BracketLine {
                name: stage.field.names[*entrant].clone(),
                points: sums[*entrant].points.to_string(),
                note: if at < leaders { "leader".to_owned() } else { note(&sums[*entrant]) },
                goes_on: stage.goes_on(*entrant, at) || has_won(*rank),
            })
            .collect(),
    };
    let groups = stage.progress.orders.iter().enumerate().map(group).collect();
    vec![BracketStage { name: stage.name.to_owned(), groups }]
}

/// What a leader of a gauntlet has reached: `alpha scored 7 of 12 points, 58.3 %`.
fn leads(stage: &DrawnStage<'_>, leader: usize, sum: &Sum) -> String {
    let games = sum.games.games() + sum.unplayed.games();
    let most = stage.rules.points.win() * games;
    let name = &stage.field.names[leader];
    if games == 0 {
        return format!("{name} leads and has not played yet");
    }
    let share = 100.0 * sum.points.to_f64() / most.to_f64();
    format!("{name} leads and scored {} of {most} points, {share:.1} %", sum.points)
}

/// A column for each round of a knockout: who met whom, with the points of the match.
fn drawn_knockout(stage: &DrawnStage<'_>) -> Vec<BracketStage> {
    let slots = stage.progress.duels.iter().map(|duel| duel.slots).max().unwrap_or(0);
    let rounds = std::iter::successors(Some(slots), |slots| Some(slots / 2)).take_while(|slots| *slots > 1);
    let column = |slots: usize| {
        let of_round = |third: bool| {
            let duels = stage.progress.duels.iter();
            duels.filter(move |duel| duel.slots == slots && duel.is_for_third == third)
        };
        // The final comes first, the match for the third place below it.
        let groups: Vec<BracketGroup> =
            of_round(false).chain(of_round(true)).map(|duel| drawn_duel(stage, duel)).collect();
        BracketStage { name: format!("{}: {}", stage.name, stage::round_name(slots)), groups }
    };
    rounds.map(column).filter(|column| !column.groups.is_empty()).collect()
}

fn drawn_duel(stage: &DrawnStage<'_>, duel: &Duel) -> BracketGroup {
    let title = format!("{}, {}", stage.field.titles[duel.group], duel.name);
    let one = duel.at.map(|at| stage.progress.matches[at]);
    let score = one.and_then(|one| Some((one, stage.scores.get(&one.pairing.pairing)?)));
    let line = |entrant: usize| BracketLine {
        name: stage.field.names[entrant].clone(),
        points: score.map_or_else(String::new, |(one, score)| {
            let is_first = one.pairing.first == entrant;
            let games = if is_first { score.total() } else { score.total().reversed() };
            stage.rules.points.of(games).to_string()
        }),
        note: if duel.at.is_none() { "without an opponent".to_owned() } else { String::new() },
        goes_on: duel.winner == Some(entrant),
    };
    let unplayed = score.and_then(|(_, score)| Some(format!("{title}: {}", score.unplayed_words()?)));
    BracketGroup {
        lines: duel.entrants.iter().flatten().map(|entrant| line(*entrant)).collect(),
        words: unplayed.into_iter().chain(duel.words.iter().cloned()).collect(),
        title,
    }
}

/// The note on an entrant besides its points: byes, play-offs and Buchholz.
fn note(sum: &Sum) -> String {
    let bye = (sum.byes > 0).then(|| format!("{} won without an opponent", counted(sum.byes, "game")));
    let play_offs = (sum.play_offs.games() > 0).then(|| format!("play-offs {}", sum.play_offs));
    let in_play_offs = sum.unplayed_play_offs.games();
    let play_offs = play_offs.map(|text| match in_play_offs {
        0 => text,
        games => format!("{text} ({games} unplayed)"),
    });
    let buchholz = sum.buchholz.map(|buchholz| format!("Buchholz {}", buchholz.all));
    let Wdl { wins, draws, losses } = sum.unplayed;
    let forfeits = (wins + losses > 0).then(|| format!("by forfeit {wins} won, {losses} lost"));
    let drawn = (draws > 0).then(|| format!("{} drawn that nobody played", counted(draws, "game")));
    [buchholz, bye, forfeits, drawn, play_offs].into_iter().flatten().collect::<Vec<_>>().join(", ")
}
