//! How a run ranks its entrants: its tie-breaks and, of a stage, its groups and format. The
//! standings follow from it and from the games.

use agon_programs::program::display_path;
use agon_standings::StageGroups;
use agon_standings::cup;
use agon_standings::league::{LeagueRules, Move, division_title};
use agon_standings::matches::Scores;
use agon_standings::points::Points;
use agon_standings::stage::{Field, Format, StageProgress, StageRules};
use agon_standings::sums::{self, Sum};
use agon_standings::table::{self, Row};
use agon_standings::tiebreaks::TieBreak;
use agon_standings::withdrawals::absent_rounds;
use anyhow::{Context, Result, ensure};
use rusqlite::{Connection, OptionalExtension, Transaction, params};
use serde::{Deserialize, Serialize};

use super::Store;
use super::scores::{self, GameResult};

/// The table is made when a run first needs it, so that databases without it keep their version.
/// `rules` is a [`RankingSpec`] as JSON.
pub(super) const TABLE: &str = "CREATE TABLE IF NOT EXISTS ranking (
    run       INTEGER PRIMARY KEY REFERENCES run,
    rules     TEXT NOT NULL
) STRICT";

/// How a run ranks its entrants. A run without one has the usual tie-breaks and no groups.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct RankingSpec {
    /// The tie-breaks, in their order.
    pub tiebreaks: Vec<TieBreak>,
    /// The stage, if the run is one.
    pub stage: Option<StageSpec>,
}

/// A stage, as far as its standings depend on it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct StageSpec {
    /// Its name.
    pub name: String,
    /// The format of each group.
    pub format: Format,
    /// Games in a match.
    pub games: u32,
    /// Games in a match of a play-off.
    pub play_off_games: u32,
    /// How often a tie is played off.
    pub play_offs: u32,
    /// The sizes of the groups; their members follow one another in the list of entrants.
    pub sizes: Vec<usize>,
    /// The titles of the groups.
    pub titles: Vec<String>,
    /// The cuts of each group.
    pub cuts: Vec<usize>,
    /// The names of the stages after it.
    pub later: Vec<String>,
    /// Of a night of a league: how many go up from each division but the first, and as many down.
    /// Nights of earlier versions do not have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moves: Option<usize>,
}

impl StageSpec {
    /// Whether it is a night of a league: its groups are divisions.
    pub fn is_night(&self) -> bool {
        let is_division = |(at, title): (usize, &String)| *title == division_title(&self.name, at + 1);
        !self.titles.is_empty() && self.titles.iter().enumerate().all(is_division)
    }

    /// How many of each group advance; `None` in the last stage.
    pub fn advance(&self) -> Option<usize> {
        self.cuts.last().copied().filter(|_| !self.later.is_empty())
    }

    /// By what rules the engines of a night move; `None` of another stage and of a night that has
    /// not stored them.
    pub fn league_rules(&self) -> Option<LeagueRules> {
        let moves = self.moves.filter(|_| self.is_night())?;
        Some(LeagueRules { divisions: self.sizes.len(), moves })
    }
}

/// A stage with its results so far.
pub struct DerivedStage {
    /// Its rules.
    pub rules: StageRules,
    /// Its entrants and groups.
    pub field: Field<String>,
    /// Its matches and orders.
    pub progress: StageProgress,
    /// The scores of its matches.
    pub scores: Scores,
    /// Every game that counts.
    pub games: Vec<GameResult>,
    /// The names of engines that had withdrawn before it began.
    pub left: Vec<String>,
}

impl DerivedStage {
    /// The sums of all entrants, in the order of the field.
    pub fn sums(&self) -> Vec<Sum> {
        sums::sums(&self.rules, &self.field, &self.progress, &self.scores)
    }

    /// Who is first in these rows of the standings of a run: of each group of a stage, but not in a
    /// match for place 3 of finals.
    pub fn firsts<'a>(stage: Option<&(StageSpec, DerivedStage)>, rows: &'a [Row]) -> Vec<&'a Row> {
        let is_first = |row: &&Row| stage.is_none_or(|(spec, found)| found.decides(spec, row.group));
        table::firsts(rows).into_iter().filter(is_first).collect()
    }

    /// Whether the first of this group is first in the whole: not in a match for place 3 of finals.
    fn decides(&self, spec: &StageSpec, group: Option<usize>) -> bool {
        let titles = &self.field.titles;
        let is_for_all = |title: &String| cup::decides(&spec.name, title, titles.len());
        if spec.is_night() || !titles.iter().any(is_for_all) {
            return true;
        }
        group.is_none_or(|group| titles.get(group - 1).is_some_and(is_for_all))
    }

    /// The byes of all entrants of a Swiss, in the order of the field; none of another format.
    pub fn byes(&self) -> Vec<(&str, u64)> {
        if !matches!(self.rules.format, Format::Swiss { .. }) {
            return Vec::new();
        }
        let byes = self.sums().into_iter().map(|sum| sum.byes);
        self.field.names.iter().map(String::as_str).zip(byes).collect()
    }

    /// Who was not paired by a Swiss in a group because it had withdrawn, and in how many rounds.
    pub fn absent_rounds(&self, group: usize) -> impl Iterator<Item = (usize, u64)> {
        let members = &self.field.groups[group];
        absent_rounds(&self.field.absences, (group, members), &self.progress.matches)
    }

    /// Whether an engine has withdrawn from it, or before it began.
    pub fn has_withdrawn(&self, name: &str) -> bool {
        self.left.iter().any(|left| left == name)
            || self.field.absences.iter().any(|one| self.field.names[one.entrant] == name)
    }

    /// Whether another plays in the place of this entrant, so that it has none itself any more.
    pub fn is_replaced(&self, entrant: usize) -> bool {
        self.field.absences.iter().any(|one| one.entrant == entrant && one.replaced_by().is_some())
    }

    /// How many places it has: one that was replaced has none.
    pub fn places(&self) -> usize {
        (0..self.field.names.len()).filter(|entrant| !self.is_replaced(*entrant)).count()
    }

    /// What the place of an entrant in its division means for the next night, by these rules, once
    /// this night is over; `None` of one that was replaced, which has no place.
    pub fn move_of(&self, rules: LeagueRules, division: usize, entrant: usize) -> Option<Move> {
        self.progress.result.as_ref()?;
        let order = self.progress.orders[division].iter().map(|(entrant, _)| *entrant);
        let places: Vec<usize> = order.filter(|entrant| !self.is_replaced(*entrant)).collect();
        let place = places.iter().position(|other| *other == entrant)?;
        Some(rules.of_place(division, place, places.len()))
    }

    /// Its groups, for standings.
    pub fn groups(&self) -> StageGroups {
        let members =
            |group: &Vec<usize>| group.iter().map(|entrant| self.field.names[*entrant].clone()).collect();
        let play_offs = self.progress.matches.iter().filter(|one| one.play_off > 0);
        // A title begins with the name of the stage.
        let name = |title: &String| title.rsplit(", ").next().unwrap_or_default().to_owned();
        StageGroups {
            groups: self.field.groups.iter().map(members).collect(),
            names: self.field.titles.iter().map(name).collect(),
            leaders: match self.rules.format {
                Format::Gauntlet { leaders } => leaders,
                _ => 0,
            },
            play_offs: play_offs.map(|one| one.pairing.pairing).collect(),
        }
    }

    /// The members of each group by name, the best first, with their ranks.
    pub fn orders(&self) -> Vec<Vec<(&str, usize)>> {
        let named = |(entrant, rank): &(usize, usize)| (self.field.names[*entrant].as_str(), *rank);
        self.progress.orders.iter().map(|order| order.iter().map(named).collect()).collect()
    }
}

impl Store {
    /// How the last run ranks its entrants, or the run from which games were imported; `None` if in
    /// the usual way.
    ///
    /// # Errors
    /// Errors of the database, or the stored text cannot be read.
    pub fn ranking(&self) -> Result<Option<RankingSpec>> {
        let last =
            self.db.query_row("SELECT max(number) FROM run", [], |row| row.get::<_, Option<i64>>(0))?;
        if let Some(run) = last {
            return self.ranking_of(run);
        }
        let tiebreaks = self.imported()?.and_then(|imported| imported.counted_as.tiebreaks);
        Ok(tiebreaks.map(|tiebreaks| RankingSpec { tiebreaks, stage: None }))
    }

    /// How this run ranks its entrants.
    pub(super) fn ranking_of(&self, run: i64) -> Result<Option<RankingSpec>> {
        let text = stored(&self.db, run)?;
        text.map(|text| serde_json::from_str(&text).context("how the run ranks its entrants")).transpose()
    }

    /// The stage of the last run with its results so far; `None` if the run is no stage.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn stage(&self) -> Result<Option<(StageSpec, DerivedStage)>> {
        let read = || -> Result<_> {
            let Some(RankingSpec { tiebreaks, stage: Some(stage) }) = self.ranking()? else {
                return Ok(None);
            };
            let derived = self.derived(&stage, &tiebreaks, self.points()?.between_two())?;
            Ok(Some((stage, derived)))
        };
        read().with_context(|| format!("cannot read {}", display_path(&self.path)))
    }

    pub(super) fn derived(
        &self,
        stage: &StageSpec,
        tiebreaks: &[TieBreak],
        points: Points,
    ) -> Result<DerivedStage> {
        let names = self.entrants()?;
        ensure!(
            stage.sizes.iter().sum::<usize>() == names.len() && stage.sizes.len() == stage.titles.len(),
            "the groups of the stage are not those of its entrants"
        );
        let mut next = 0..names.len();
        let withdrawn = self.withdrawn()?;
        let field = Field {
            absences: withdrawn.absences(&names),
            late: withdrawn.late(&names),
            closing: withdrawn.closing(),
            groups: stage.sizes.iter().map(|size| next.by_ref().take(*size).collect()).collect(),
            names,
            titles: stage.titles.clone(),
            cuts: stage.cuts.clone(),
            seed: self.last_terms()?.and_then(|terms| terms.get("seed")?.parse().ok()).unwrap_or(0),
        };
        let rules = StageRules {
            format: stage.format,
            games: stage.games,
            play_off_games: stage.play_off_games,
            play_offs: stage.play_offs,
            tiebreaks: tiebreaks.to_vec(),
            points,
        };
        let games = self.results()?;
        let (progress, scores) = scores::progress(&rules, &field, &games);
        let left = withdrawn.all().filter(|made| made.from == 0).map(|made| made.engine.clone()).collect();
        Ok(DerivedStage { rules, field, progress, scores, games, left })
    }
}

/// The stored text of a run.
fn stored(db: &Connection, run: i64) -> Result<Option<String>> {
    if !super::has_table(db, "ranking")? {
        return Ok(None);
    }
    let text = db.query_row("SELECT rules FROM ranking WHERE run = ?1", [run], |row| row.get(0));
    Ok(text.optional()?)
}

/// Stores how a run ranks its entrants. Stored standings of another ranking no longer hold.
pub(super) fn put(change: &Transaction<'_>, run: i64, ranking: Option<&RankingSpec>) -> Result<()> {
    let text = ranking.map(serde_json::to_string).transpose()?;
    if stored(change, run)? == text {
        return Ok(());
    }
    change.execute_batch(TABLE)?;
    change.execute("DELETE FROM ranking WHERE run = ?1", [run])?;
    if let Some(text) = text {
        change.execute("INSERT INTO ranking (run, rules) VALUES (?1, ?2)", params![run, text])?;
    }
    change.execute("UPDATE run SET ended_after = NULL WHERE number = ?1", [run])?;
    Ok(())
}
