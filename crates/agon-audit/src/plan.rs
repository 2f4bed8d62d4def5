//! The audit of stored games against the plan: entrants, versions, boards, each game once, and
//! standings.

use std::collections::{HashMap, HashSet};

use agon_printable::clean;
use agon_standings::Standings;
use agon_standings::pairings::{self, PlannedGame, table_seed};
use agon_standings::strengths::Strengths;
use agon_standings::table_plan::{TableFormat, TablePlan};
use agon_standings::withdrawals::is_paired;
use agon_store::finishes::FoundFinishes;
use agon_store::inside::{Ran, Standing, thousandths};
use agon_store::key::{Keys, tables_of};
use agon_store::times::{allowances, search_of};
use agon_store::{Drawn, EntrantTerms, Store, Stored};
use anyhow::Result;

use super::elsewhere;
use super::facts::{Difference, Facts};

/// The event name of `agon match`: a test may end its run early, and one board may be given.
pub const MATCH: &str = "match";

/// Ratings are stored in thousandths of an Elo, and another processor may round the last digit
/// differently.
const RATING_SLACK: i64 = 2;

/// Compares a game with its run: engines, times, seed and key.
pub(super) fn game(stored: &Stored, run: &Ran, keys: &Keys, facts: &mut Facts) -> Result<(), Difference> {
    let record = &stored.record;
    let mut seats = Vec::new();
    for (seat, own) in record.seats.iter() {
        let (at, hash) = (seat.index(), &stored.hashes[seat]);
        let place = run.players.iter().position(|player| player.name == own.entrant && player.hash == *hash);
        let Some(place) = place else {
            let why =
                format!("{} was not entered in run {} in this version", clean(&own.entrant), run.number);
            return Err(Difference::at(format!("seats[{at}].entrant"), why));
        };
        let entered = &run.players[place].control;
        let terms: EntrantTerms = entered.parse().map_err(|why| {
            let why = format!("was entered with \"{}\", which cannot be read: {why}", clean(entered));
            Difference::at(format!("seats[{at}].entrant"), why)
        })?;
        let is_own_time = allowances(&own.time_control).is_ok_and(|(control, ..)| control == terms.control);
        if !is_own_time || search_of(&own.time_control) != Ok(terms.search) {
            let said = clean(&own.time_control);
            let why = format!("is \"{said}\", but it was entered with {}{}", terms.control, terms.search);
            return Err(Difference::at(format!("seats[{at}].time_control"), why));
        }
        elsewhere::of_run(at, own, &terms)?;
        if stored.plies[seat] != record.plies.iter().filter(|ply| ply.seat == seat).count() as u64 {
            return Err(Difference::at(
                format!("seats[{at}]"),
                "the stored number of its plies differs from its moves",
            ));
        }
        seats.push(place);
    }
    facts.proved("engines", seats.len());
    let board = pairings::board(record.id.game, record.seats.len());
    let names: Vec<&str> = record.seats.values().iter().map(|seat| seat.entrant.as_str()).collect();
    let drawn = run.seed().map(|seed| table_seed(seed, &names, board));
    let given = run.seed().filter(|_| run.event == MATCH);
    if ![drawn, given].contains(&Some(record.seed)) {
        let drawn = drawn.map_or_else(|| "none".to_owned(), |seed| seed.to_string());
        return Err(Difference::at("seed", format!("is {}, but the plan has {drawn}", record.seed)));
    }
    facts.proved("seeds", 1);
    let planned = PlannedGame { id: record.id, seats: seats.into(), seed: record.seed };
    if keys.of(&planned) == stored.key {
        facts.proved("keys", 1);
    } else {
        return Err(Difference::at("key", "is not that of the game's terms, seed and engines"));
    }
    Ok(())
}

/// Whether a game is one of a run: its engines, times, seed and key.
///
/// # Errors
/// What differs.
pub fn belongs(stored: &Stored, run: &Ran, keys: &Keys) -> Result<(), Difference> {
    game(stored, run, keys, &mut Facts::default())
}

/// The findings about a plan.
#[derive(Default)]
pub(super) struct Found {
    pub(super) differences: Vec<String>,
    /// How many planned games have not been played.
    pub(super) missing: u64,
}

/// Compares the games that count with the plan of the last run: each planned game once, under its
/// number, and no others.
pub(super) fn last_run(store: &Store, run: &Ran, facts: &mut Facts) -> Result<Found> {
    let mut found = Found::default();
    if store.lacks_question()? {
        found.differences.push(format!(
            "run {}: its pairs were chosen for a question, which is gone from the table arrangement; no game can be \
             compared with its plan",
            run.number
        ));
        return Ok(found);
    }
    let Some(plan) = run.plan() else {
        found.differences.push(format!("run {}: its plan names an engine that was not entered", run.number));
        return Ok(found);
    };
    let (keys, of_key) = (run.keys(), store.by_key()?);
    let mut planned = HashSet::new();
    let (mut per_pairing, mut hole) = (HashMap::<u32, u32>::new(), None);
    for mut game in plan {
        let mut all = of_key(keys.of(&game))?;
        // A single board may have been given by its own seed.
        if all.is_empty() && run.event == MATCH && run.games == 2 {
            game.seed = run.seed().unwrap_or(game.seed);
            all = of_key(keys.of(&game))?;
        }
        match all.iter().find(|one| one.counts) {
            Some(one) if one.id == game.id => {
                facts.proved("planned games", 1);
                *per_pairing.entry(game.id.pairing).or_default() += 1;
                planned.insert(one.number);
                if let Some(hole) = hole.take() {
                    let why = "has not been played, but one after it has, although the run is done";
                    found.differences.push(format!("{hole}: {why}"));
                }
            }
            Some(one) => {
                planned.insert(one.number);
                found
                    .differences
                    .push(format!("{}: it counts as {}, but the plan has it as {}", one.id, one.id, game.id));
            }
            None if all.iter().any(|one| !one.is_import) => {
                found.differences.push(format!("{}: it was played but does not count", game.id));
            }
            // Somebody has withdrawn.
            None if run.is_given_up(&game) => {}
            None => {
                found.missing += 1;
                if run.is_done() && run.players.len() > 1 {
                    hole.get_or_insert(game.id);
                }
            }
        }
    }
    let is_early = may_end_early(store, run)?;
    // A test of two engines ends when it is decided, and the rest of its plan is not played.
    if let Some(hole) = hole.filter(|_| !is_early) {
        found.differences.push(format!("{hole}: it has not been played, although the run is done"));
    }
    for (number, id, is_import) in store.counting()? {
        if !is_import && !planned.contains(&number) {
            found
                .differences
                .push(format!("{id}: it counts, but the plan of run {} has no such game", run.number));
        }
    }
    byes(store, run, &mut found, facts)?;
    draw(store, run, &mut found, facts)?;
    Ok(found)
}

/// Whether a run may be done before its plan is: a match with a test.
fn may_end_early(store: &Store, run: &Ran) -> Result<bool> {
    // Earlier versions did not note the tests of matches.
    let is_early = ["0.1.", "0.2.0"].iter().any(|version| run.agon.starts_with(version));
    Ok(run.event == MATCH && (is_early || store.test()?.is_some()))
}

/// The tables of a Swiss follow from the points before each round.
fn draw(store: &Store, run: &Ran, found: &mut Found, facts: &mut Facts) -> Result<()> {
    let TablePlan { seats, format: TableFormat::Swiss { rounds } } = tables_of(&run.terms) else {
        return Ok(());
    };
    let names: Vec<&str> = run.players.iter().map(|player| player.name.as_str()).collect();
    let Some(Drawn::Tables(said)) = &run.drawn else {
        found.differences.push(format!("run {}: it is a Swiss, but its tables are missing", run.number));
        return Ok(());
    };
    let drawn = store.swiss_tables(&names, seats, rounds, run.games, run.points)?;
    // A run that was stopped may lack the round that follows.
    for (said, drawn) in said.iter().zip(&drawn) {
        if said == drawn {
            facts.proved("tables of a Swiss", 1);
        } else {
            found.differences.push(format!(
                "round {}, table {}: it is not the one that the points before this round give",
                said.round, said.pairing
            ));
        }
    }
    if said.len() > drawn.len() {
        found.differences.push(format!(
            "run {}: {} tables were drawn before the round before them was over",
            run.number,
            said.len() - drawn.len()
        ));
    }
    Ok(())
}

/// An entrant of a Swiss without a match in a round was given a bye.
fn byes(store: &Store, run: &Ran, found: &mut Found, facts: &mut Facts) -> Result<()> {
    let given = store.given()?;
    if given.is_empty() {
        return Ok(());
    }
    let Some(drawn) = &run.drawn else {
        found.differences.push("byes are stored, but a round robin has none".to_owned());
        return Ok(());
    };
    let matches: Vec<_> = drawn.matches().iter().filter(|one| one.play_off == 0).collect();
    for (name, games) in given {
        let Some(own) = run.players.iter().position(|player| player.name == name) else {
            found.differences.push(format!("{} was given byes, but was not entered", clean(&name)));
            continue;
        };
        let plays =
            |one: &&&agon_standings::matches::Match| [one.pairing.first, one.pairing.second].contains(&own);
        // Groups do not change, and an entrant alone in its group has no games.
        let Some(group) = matches.iter().find(plays).map(|one| one.group) else {
            facts.witnessed("byes", 1);
            continue;
        };
        let rounds: HashSet<u32> = (matches.iter().filter(|one| one.group == group))
            .map(|one| one.pairing.round)
            .filter(|round| is_paired(&run.absences, &run.late, own, *round))
            .collect();
        let played: HashSet<u32> = matches.iter().filter(plays).map(|one| one.pairing.round).collect();
        let expected = rounds.difference(&played).count() as u64 * u64::from(run.games);
        if games == expected {
            facts.proved("byes", 1);
        } else {
            let name = clean(&name);
            found
                .differences
                .push(format!("{name} was given {games} byes, but by the rounds it is {expected}"));
        }
    }
    Ok(())
}

/// Computes the standings of each finished run again, and compares them with the stored ones.
pub(super) fn standings(store: &Store, runs: &[Ran], facts: &mut Facts) -> Result<Vec<String>> {
    let mut differences = Vec::new();
    for (at, run) in runs.iter().enumerate() {
        let stored = store.stored_standings(run.number)?;
        if stored.is_empty() {
            if run.is_done() && run.players.len() > 1 {
                differences.push(format!("run {}: it is done, but its standings are missing", run.number));
            }
            continue;
        }
        if run.is_done() && run.ended_after.is_none() {
            differences.push(format!(
                "run {}: it is done, but does not say which games were stored by then",
                run.number
            ));
            continue;
        }
        let (Some(until), Some(plan)) = (run.ended_after, run.plan()) else {
            facts.witnessed("standings", stored.len());
            continue;
        };
        let is_last = at + 1 == runs.len();
        let (latest, imported) = store.stored(until)?;
        let keys = run.keys();
        let is_now = is_last && latest == until;
        let is_for_question = matches!(run.drawn, Some(Drawn::Pairs(_)));
        let drawn = run.drawn.is_some() && !is_for_question;
        let found = if is_now {
            store.standings(run.points)?
        } else if imported > 0 || drawn || store.pruned_up_to(until)? > 0 {
            // Nothing stored says which imported games counted at that time, and who had a bye.
            // Games that counted then may be pruned.
            facts.witnessed("standings", stored.len());
            continue;
        } else {
            // Its pairs are chosen again from the results that were there by then.
            let chosen = match is_for_question {
                true => store.chosen_then((run.number, until), &run.terms, &run.players)?,
                false => None,
            };
            let keys: Vec<i64> = match chosen {
                Some(games) => games.iter().map(|game| keys.of(game)).collect(),
                None => plan.iter().map(|game| keys.of(game)).collect(),
            };
            store.standings_then(run, &keys, until)?
        };
        match store.finishes_of(run, is_now)? {
            FoundFinishes::None => {}
            FoundFinishes::Proved(rows) => facts.proved("finishes", rows),
            FoundFinishes::Missing => differences
                .push(format!("run {}: the finishes of its engines are missing", run.number)),
            FoundFinishes::Differ(engine) => differences.push(format!(
                "run {}: the finishes of its engines are not those of its games; {} is the first that differs",
                run.number,
                clean(&engine)
            )),
        }
        let rated: Ratings = if store.is_rated_as_once(run.number)? {
            let once = Strengths::as_once(&found).unwrap_or_default();
            once.into_iter().map(|(name, elo, error)| (name, (elo, error))).collect()
        } else {
            let today = Strengths::of(&found, 0, 1);
            let rows = today.iter().flat_map(Strengths::rows);
            rows.map(|row| (row.entrant.clone(), (row.elo, row.error))).collect()
        };
        let expected = expected(&found, &rated, run);
        if expected.len() == stored.len() && expected.iter().zip(&stored).all(|(one, other)| same(one, other))
        {
            facts.proved("standings", stored.len());
            continue;
        }
        let first = expected.iter().zip(&stored).find(|(one, other)| !same(one, other));
        let whose = first.map(|(one, _)| format!("; {} is the first that differs", clean(&one.name)));
        differences.push(format!(
            "run {}: its standings are not those of its games{}",
            run.number,
            whose.unwrap_or_default()
        ));
    }
    Ok(differences)
}

/// The rating and the error bar of each entrant that has one.
type Ratings = HashMap<String, (f64, f64)>;

/// The standings of these results, as a run stores them, by name.
fn expected(found: &Standings, rated: &Ratings, run: &Ran) -> Vec<Standing> {
    let mut expected: Vec<Standing> = (found.table().iter())
        .filter(|row| run.players.iter().any(|player| player.name == row.entrant))
        .map(|row| {
            let total = row.tally.total();
            let number = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
            Standing {
                name: row.entrant.clone(),
                numbers: [
                    number(row.rank as u64),
                    number(total.wins),
                    number(total.draws),
                    number(total.losses),
                    row.points.thousandths(),
                ],
                rating: rated.get(&row.entrant).map(|(elo, error)| (thousandths(*elo), thousandths(*error))),
            }
        })
        .collect();
    expected.sort_by(|one, other| one.name.cmp(&other.name));
    expected
}

/// Whether two rows agree, their ratings within [`RATING_SLACK`].
fn same(one: &Standing, other: &Standing) -> bool {
    let is_near = match (one.rating, other.rating) {
        (Some(one), Some(other)) => {
            one.0.abs_diff(other.0).max(one.1.abs_diff(other.1)) <= RATING_SLACK.unsigned_abs()
        }
        (one, other) => one == other,
    };
    one.name == other.name && one.numbers == other.numbers && is_near
}
