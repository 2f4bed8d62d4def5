//! The columns of standings, once: `standings.csv` and `agon standings --json` are made from this
//! list, and tables for people take theirs from it by name.

use std::time::Duration;

use agon_printable::{clean, decimal};
use agon_standings::points::{Amount, Wdl};
use agon_standings::result::Cause;
use agon_standings::table::Row;
use serde_json::Value;

use super::cells::CsvCell;
use super::millis;

/// How many causes of a loss are among the first columns; later causes are at the end.
const FIRST_CAUSES: usize = 11;

/// A column of standings.
#[derive(Clone, Copy)]
pub enum StandingColumn {
    /// A fact of an entrant, under this name.
    Of(&'static str, for<'a> fn(&'a Row) -> StandingValue<'a>),
    /// Its games lost by this cause. JSON has an object of them.
    LostBy(Cause),
    /// Games of its play-offs; empty outside of a stage. JSON has an object of them.
    PlayOffs(&'static str, fn(Wdl) -> u64),
}

/// What a column holds, with the form that it has in a table.
pub enum StandingValue<'a> {
    /// A name, as it was read.
    Text(&'a str),
    /// A number of games, or a rank.
    Count(Option<u64>),
    /// A score in the unit of the game.
    Score(i64),
    /// Points, or a tie-break of points.
    Points(Option<Amount>),
    /// A share from 0 to 1, shown as a percentage.
    Share(Option<f64>),
    /// Shown in milliseconds.
    Time(Option<Duration>),
}

use StandingColumn::{LostBy, Of, PlayOffs};
use StandingValue::{Count, Points, Score, Share, Text, Time};

const FIRST: [StandingColumn; 14] = [
    Of("rank", |row| Count(Some(row.rank as u64))),
    Of("engine", |row| Text(&row.entrant)),
    Of("games", |row| Count(Some(row.tally.total().games()))),
    Of("wins", |row| Count(Some(row.tally.total().wins))),
    Of("draws", |row| Count(Some(row.tally.total().draws))),
    Of("losses", |row| Count(Some(row.tally.total().losses))),
    Of("points", |row| Points(Some(row.points))),
    Of("percent", |row| Share(row.share)),
    Of("sonneborn_berger", |row| of_opponents(row, row.sonneborn_berger)),
    Of("score_for", |row| Score(row.tally.score_for)),
    Of("score_against", |row| Score(row.tally.score_against)),
    Of("won_by_forfeit", |row| Count(Some(row.tally.won_by_forfeit))),
    Of("lost_normally", |row| Count(Some(row.tally.losses.normal))),
    Of("lost_by_adjudication", |row| Count(Some(row.tally.losses.adjudication))),
];

const MIDDLE: [StandingColumn; 9] = [
    Of("average_move_ms", |row| Time(row.tally.average())),
    Of("longest_move_ms", |row| Time(Some(row.tally.longest))),
    Of("direct_encounter", |row| Points(row.direct)),
    Of("koya", |row| of_opponents(row, row.koya)),
    Of("progressive", |row| Points(Some(row.progressive))),
    Of("byes", |row| Count(row.byes)),
    Of("buchholz", |row| of_swiss(row, row.buchholz.all)),
    Of("buchholz_cut_1", |row| of_swiss(row, row.buchholz.cut_1)),
    Of("buchholz_median", |row| of_swiss(row, row.buchholz.median)),
];

const LAST: [StandingColumn; 6] = [
    Of("void", |row| Count(Some(row.tally.voids))),
    Of("black_wins", |row| Count(Some(row.black_wins))),
    Of("group", |row| Count(row.group.map(|group| group as u64))),
    PlayOffs("wins", |games| games.wins),
    PlayOffs("draws", |games| games.draws),
    PlayOffs("losses", |games| games.losses),
];

/// Where somebody has withdrawn or the run was closed: games that were not played.
const WITHDRAWN: [StandingColumn; 4] = [
    Of("forfeit_wins", |row| Count(Some(row.unplayed.wins))),
    Of("forfeit_losses", |row| Count(Some(row.unplayed.losses))),
    Of("unplayed_draws", |row| Count(Some(row.unplayed.draws))),
    Of("withdrawn", |row| Text(if row.has_withdrawn { "yes" } else { "no" })),
];

/// Where play-offs were not played: how many games of them are forfeit wins and losses.
const FORFEITED_PLAY_OFFS: [StandingColumn; 2] = [
    Of("play_off_forfeit_wins", |row| Count(row.group.map(|_| row.unplayed_play_offs.wins))),
    Of("play_off_forfeit_losses", |row| Count(row.group.map(|_| row.unplayed_play_offs.losses))),
];

/// Of games of two seats: the ends of the two bars of 95 % for the score.
const BARS: [StandingColumn; 4] = [
    Of("fixed_low", |row| Share(row.field.bars().map(|bars| bars.fixed.low))),
    Of("fixed_high", |row| Share(row.field.bars().map(|bars| bars.fixed.high))),
    Of("any_time_low", |row| Share(row.field.bars().map(|bars| bars.any_time.low))),
    Of("any_time_high", |row| Share(row.field.bars().map(|bars| bars.any_time.high))),
];

/// The columns of these standings, in the order of `standings.csv`. New ones are added at the end.
pub(super) fn columns_of(rows: &[Row]) -> Vec<StandingColumn> {
    let mut all = columns();
    if rows.iter().any(|row| row.has_withdrawn || row.unplayed.games() > 0) {
        all.extend(WITHDRAWN);
    }
    if !rows.iter().any(|row| row.tally.seats.len() > 2 || row.tally.finishes.games() > 0) {
        all.extend(BARS);
    }
    if rows.iter().any(|row| row.unplayed_play_offs.games() > 0) {
        all.extend(FORFEITED_PLAY_OFFS);
    }
    all
}

/// All columns of a run in which nobody has withdrawn.
fn columns() -> Vec<StandingColumn> {
    let (first_causes, later_causes) = Cause::ALL.split_at(FIRST_CAUSES);
    let causes = |causes: &'static [Cause]| causes.iter().map(|cause| LostBy(*cause));
    let all = FIRST.into_iter().chain(causes(first_causes)).chain(MIDDLE);
    all.chain(causes(later_causes)).chain(LAST).collect()
}

/// The column of this name in `standings.csv`.
pub fn named(name: &str) -> Option<StandingColumn> {
    columns()
        .into_iter()
        .chain(WITHDRAWN)
        .chain(BARS)
        .chain(FORFEITED_PLAY_OFFS)
        .find(|column| column.name() == name)
}

/// A tie-break by points of opponents has no meaning if points are summed scores.
fn of_opponents(row: &Row, points: Amount) -> StandingValue<'static> {
    Points((!row.summed).then_some(points))
}

/// The same of a tie-break that only a Swiss has.
fn of_swiss(row: &Row, points: Amount) -> StandingValue<'static> {
    Points(row.byes.filter(|_| !row.summed).map(|_| points))
}

/// The name of a cause as a part of a key.
pub(super) fn cause_key(cause: Cause) -> String {
    cause.name().replace(' ', "_")
}

impl StandingColumn {
    /// Its name in the head of a table.
    pub fn name(&self) -> String {
        match self {
            Of(name, _) => (*name).to_owned(),
            LostBy(cause) => format!("lost_by_{}", cause_key(*cause)),
            PlayOffs(name, _) => format!("play_off_{name}"),
        }
    }

    /// What it holds of an entrant.
    pub fn of<'a>(&self, row: &'a Row) -> StandingValue<'a> {
        match self {
            Of(_, value) => value(row),
            LostBy(cause) => Count(Some(row.tally.losses.by(*cause))),
            PlayOffs(_, games) => Count(row.group.map(|_| games(row.play_offs))),
        }
    }
}

impl StandingValue<'_> {
    /// In a table, where numbers have a fixed number of digits.
    pub(super) fn cell(&self) -> CsvCell {
        match self {
            Text(text) => CsvCell::text(text),
            Count(count) => CsvCell::maybe(*count),
            Score(score) => CsvCell::exact(score),
            Points(points) => CsvCell::maybe(*points),
            Share(share) => CsvCell::maybe(share.map(|share| decimal(share * 100.0, 1))),
            Time(time) => CsvCell::maybe(time.map(millis)),
        }
    }

    /// In a table for people; nothing if there is nothing to say.
    pub fn shown(&self) -> String {
        let maybe = |text: Option<String>| text.unwrap_or_default();
        match self {
            Text(text) => clean(text),
            Count(count) => maybe(count.map(|count| count.to_string())),
            Score(score) => score.to_string(),
            Points(points) => maybe(points.map(|points| points.to_string())),
            Share(share) => maybe(share.map(|share| decimal(share * 100.0, 1))),
            Time(time) => maybe(time.map(millis)),
        }
    }

    /// In JSON, where `null` is what is empty in a table.
    pub(super) fn json(&self) -> Value {
        match self {
            Text(text) => (*text).into(),
            Count(count) => (*count).into(),
            Score(score) => (*score).into(),
            Points(points) => points.map(Amount::to_f64).into(),
            Share(share) => share.map(|share| 100.0 * share).into(),
            Time(time) => time.map(|time| 1000.0 * time.as_secs_f64()).into(),
        }
    }
}
