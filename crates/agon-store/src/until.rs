//! The question that a run is played for, and the pairs of games that were chosen for it. The
//! question is an arrangement, and so a link of the chain: a change of it breaks the chain.
//!
//! No choice is stored. Each pair is chosen again from the seed and from the results as they were
//! first stored, whatever became of them later: the chooser gives the same pairs for them.

use std::collections::{HashMap, HashSet};

use agon_printable::{clean, counted};
use agon_standings::pairings::PlannedGame;
use agon_standings::question::RunQuestion;
use agon_standings::until::{PairPlan, QuestionStand, SeenGame};
use anyhow::{Context, Result};
use rusqlite::{Connection, Transaction};

use super::Store;
use super::arranged::StoredClosing;
use super::arrangements;
use super::chain;
use super::drawn::Drawn;
use super::key::{GameConditions, Keys, Player};
use super::rulings::RuledResult;

/// The games of each pairing that a run for a question may have; as many as a run may ever need. It
/// is a prime, and `--games` is a multiple of the seats: so a run whose question is gone is known.
pub const GAMES_OF_A_PAIRING: u32 = 99_991;

/// The most pairs without whose results a pair is chosen: two for each game at the same time.
const MOST_LAG: u32 = 2048;

/// What a run is played for.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct UntilSpec {
    /// The question that ends it.
    pub question: RunQuestion,
    /// The most games.
    pub most: u64,
    /// A pair is chosen without the results of so many pairs before it.
    pub lag: u32,
}

impl UntilSpec {
    /// The most pairs of games.
    pub fn most_pairs(&self) -> u32 {
        u32::try_from(self.most / 2).unwrap_or(u32::MAX)
    }
}

/// The pairs that were chosen for the question of a run.
pub struct ChosenPairs {
    /// What chooses the next ones. It knows all results.
    pub plan: PairPlan,
    /// The games of all pairs so far, in the order of the plan. The last ones may be missing.
    pub games: Vec<PlannedGame>,
}

/// How far the question of a run is settled.
#[derive(Clone, PartialEq, Debug)]
pub struct StoredQuestion {
    /// What the run is played for.
    pub spec: UntilSpec,
    /// The names of the entrants, by their numbers.
    pub names: Vec<String>,
    /// How far it is settled.
    pub stand: QuestionStand,
}

/// Notes the question of the last run, if it is new or has another limit. A run without one never
/// had one: another question makes another run.
pub(super) fn put(change: &Transaction<'_>, run: i64, until: Option<&UntilSpec>) -> Result<()> {
    match until {
        Some(until) if of_run(change, run)? != Some(*until) => {
            let UntilSpec { question, most, lag } = *until;
            arrangements::ask(change, (question.to_string(), most, lag), chain::head(change)?)
        }
        _ => Ok(()),
    }
}

/// The question of a run.
pub(super) fn of_run(db: &Connection, run: i64) -> Result<Option<UntilSpec>> {
    let Some((text, most, lag)) = arrangements::asked(db, run)? else { return Ok(None) };
    anyhow::ensure!(lag <= MOST_LAG, "the lag of the question {text:?} is {lag}, and {MOST_LAG} is the most");
    let question = text
        .parse()
        .map_err(anyhow::Error::msg)
        .with_context(|| format!("the question {text:?} cannot be read"))?;
    Ok(Some(UntilSpec { question, most, lag }))
}

/// The results of the games of each key: the first that was stored, and the one that counts.
struct KeyedResults {
    /// By key; inside, `None` of a void game.
    first: HashMap<i64, Option<[u8; 2]>>,
    counting: HashMap<i64, [u8; 2]>,
}

impl KeyedResults {
    fn of(&self, key: i64) -> Option<SeenGame> {
        let seen = *self.first.get(&key)?;
        Some(SeenGame { seen, counts: self.counting.get(&key).copied() })
    }
}

/// The seats of a game with two of them, in a query.
const OF_SEATS: &str = "JOIN seat s ON s.game = g.number AND s.seat = 0 \
                        JOIN seat t ON t.game = g.number AND t.seat = 1";

/// The places of both seats of a game, from two columns of a row.
fn places(row: &rusqlite::Row<'_>, at: usize) -> rusqlite::Result<[Option<u8>; 2]> {
    Ok([row.get(at)?, row.get(at + 1)?])
}

impl Store {
    /// What the last run is played for; `None` if it has no question.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn until(&self) -> Result<Option<UntilSpec>> {
        let last: Option<i64> = self.db.query_row("SELECT max(number) FROM run", [], |row| row.get(0))?;
        last.map_or(Ok(None), |last| of_run(&self.db, last))
    }

    /// Whether the pairs of the last run were chosen for a question that is gone from the database.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn lacks_question(&self) -> Result<bool> {
        let sql =
            "SELECT EXISTS (SELECT 1 FROM run WHERE number = (SELECT max(number) FROM run) AND games = ?1)";
        let is_for_one = self.db.query_row(sql, [GAMES_OF_A_PAIRING], |row| row.get(0))?;
        Ok(is_for_one && self.until()?.is_none())
    }

    /// What an earlier run than the last was played for, if it was this question.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn until_before(&self, question: RunQuestion) -> Result<Option<UntilSpec>> {
        let last: Option<i64> = self.db.query_row("SELECT max(number) FROM run", [], |row| row.get(0))?;
        for run in (1..last.unwrap_or(0)).rev() {
            if let Some(spec) = of_run(&self.db, run)?.filter(|spec| spec.question == question) {
                return Ok(Some(spec));
            }
        }
        Ok(None)
    }

    /// Chooses the pairs of a run again, up to those that are not played yet. The lag is that with
    /// which it began.
    ///
    /// # Errors
    /// The question does not fit the entrants, or errors of the database.
    pub fn chosen(
        &self,
        spec: &UntilSpec,
        terms: &GameConditions,
        players: &[Player],
    ) -> Result<ChosenPairs> {
        self.chosen_by(spec, terms, players, &self.keyed_results()?)
    }

    /// The games of the pairs that a run for a question, by its number, had chosen when `until` was
    /// the last game; `None` if the run has no question.
    ///
    /// # Errors
    /// As [`Store::chosen`].
    pub fn chosen_then(
        &self,
        (run, until): (i64, i64),
        terms: &GameConditions,
        players: &[Player],
    ) -> Result<Option<Vec<PlannedGame>>> {
        let Some(spec) = of_run(&self.db, run)? else { return Ok(None) };
        Ok(Some(self.chosen_by(&spec, terms, players, &self.first_results(until)?)?.games))
    }

    fn chosen_by(
        &self,
        spec: &UntilSpec,
        terms: &GameConditions,
        players: &[Player],
        results: &KeyedResults,
    ) -> Result<ChosenPairs> {
        spec.question.fits(players.len())?;
        let seed = terms.get("seed").and_then(|seed| seed.parse().ok()).context("the run has no seed")?;
        let names: Vec<String> = players.iter().map(|player| player.name.clone()).collect();
        let keys = Keys::new(terms, players);
        // Fewer may be asked for than before. A match in the same directory may have played more of
        // two engines than was ever asked for: those games are none of the question.
        let asked = arrangements::most_asked(&self.db, &spec.question.to_string(), players)?;
        let last = UntilSpec { most: asked.max(spec.most), ..*spec }.most_pairs();
        let mut plan = PairPlan::new(spec.question, names, seed, spec.lag);
        let mut games = Vec::new();
        // How many games there are up to the last one that was played.
        let mut played = 0;
        while let Some(pair) = plan.choose() {
            let is_stored =
                pair.number <= last && pair.games.iter().any(|game| results.of(keys.of(game)).is_some());
            let is_settled = played == games.len() && plan.is_settled();
            // What was played after a verdict was chosen too, and so was what is more than enough.
            if !is_stored && (is_settled || pair.number > spec.most_pairs()) {
                break;
            }
            for game in &pair.games {
                let stored = results.of(keys.of(game));
                games.push(game.clone());
                if let Some(result) = stored {
                    plan.take(game.id, result);
                    played = games.len().next_multiple_of(2);
                }
            }
        }
        if plan.is_settled() {
            games.truncate(played);
        }
        Ok(ChosenPairs { plan, games })
    }

    /// How far the question of the last run is settled by the games that count; `None` if it has
    /// none.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn question(&self) -> Result<Option<StoredQuestion>> {
        let Some(spec) = self.until()? else { return Ok(None) };
        let Some(run) = self.read_runs(false)?.pop() else { return Ok(None) };
        let stand = self.chosen(&spec, &run.terms, &run.players)?.plan.stand();
        let names = run.players.into_iter().map(|player| player.name).collect();
        Ok(Some(StoredQuestion { spec, names, stand }))
    }

    /// The games that were chosen for the question of a run; `None` if it has none. Those of an
    /// earlier run are not chosen again.
    pub(super) fn chosen_in(
        &self,
        (run, games): (i64, u32),
        terms: &GameConditions,
        players: &[Player],
    ) -> Result<Option<Drawn>> {
        let Some(spec) = of_run(&self.db, run)? else {
            // Nobody can tell its pairs, and without a question it would have millions of games.
            return Ok((games == GAMES_OF_A_PAIRING).then(|| Drawn::Pairs(Vec::new())));
        };
        let last: i64 = self.db.query_row("SELECT max(number) FROM run", [], |row| row.get(0))?;
        let games = if run == last { self.chosen(&spec, terms, players)?.games } else { Vec::new() };
        Ok(Some(Drawn::Pairs(games)))
    }

    /// The results as they were first stored, up to this game. Choices follow from these alone.
    fn first_results(&self, until: i64) -> Result<KeyedResults> {
        let mut first = HashMap::new();
        let mut rows = self.db.prepare(&format!(
            "SELECT g.key, s.place, t.place FROM game g {OF_SEATS} WHERE g.number <= ?1 ORDER BY g.number"
        ))?;
        let mut rows = rows.query([until])?;
        while let Some(row) = rows.next()? {
            let [one, two] = places(row, 1)?;
            first.entry(row.get(0)?).or_insert(one.zip(two).map(|(one, two)| [one, two]));
        }
        let decided = first.iter().filter_map(|(key, result)| Some((*key, (*result)?)));
        Ok(KeyedResults { counting: decided.collect(), first })
    }

    fn keyed_results(&self) -> Result<KeyedResults> {
        let KeyedResults { first, .. } = self.first_results(i64::MAX)?;
        let (repeats, rulings): (HashSet<i64>, _) = (self.repeats()?, self.rulings()?);
        let mut counting = HashMap::new();
        let mut rows = self.db.prepare(&format!(
            "SELECT g.key, s.place, t.place, s.score, t.score, g.number FROM game g {OF_SEATS} \
             WHERE g.current = 1"
        ))?;
        let mut rows = rows.query([])?;
        while let Some(row) = rows.next()? {
            let number: i64 = row.get(5)?;
            let played = places(row, 1)?;
            let counts = match rulings.result(number, &played, &[row.get(3)?, row.get(4)?]) {
                Some(RuledResult::Counts(result)) => {
                    let seats = result.places.values();
                    seats.first().copied().zip(seats.get(1).copied())
                }
                Some(RuledResult::Nothing) => None,
                None => played[0].zip(played[1]),
            };
            if let (Some((one, two)), false) = (counts, repeats.contains(&number)) {
                counting.insert(row.get(0)?, [one, two]);
            }
        }
        Ok(KeyedResults { first, counting })
    }
}

/// How many names or pairs of names a sentence has at most.
const NAMED: usize = 6;

/// `cut=4: settled after 212 pairs of games: the best 4 are ada, bob, cyd and dot`, or what is
/// open.
pub fn words(found: &StoredQuestion) -> String {
    let StoredQuestion { spec, names, stand } = found;
    let name = |at: &usize| clean(&names[*at]);
    let listed = |all: &[usize]| {
        let shown: Vec<String> = all.iter().take(NAMED).map(name).collect();
        let more = if all.len() > NAMED { format!(" and {} more", all.len() - NAMED) } else { String::new() };
        shown.join(", ") + &more
    };
    let how = if stand.is_settled { "settled" } else { "open" };
    let of = match (stand.is_settled, u64::from(stand.pairs) * 2 > spec.most) {
        (true, _) => String::new(),
        (false, false) => format!(", at most {} games", spec.most),
        (false, true) => format!(", which are more than --at-most {} asks for", spec.most),
    };
    let mut text = format!("{}: {how} after {} of games{of}", spec.question, counted(stand.pairs, "pair"));
    let so_far = if stand.is_settled { "" } else { "so far " };
    match spec.question {
        RunQuestion::Cut(1) => {
            text.push_str(&format!(": {so_far}the best is {}", listed(&stand.ranking[..1])));
        }
        RunQuestion::Cut(cut) => {
            text.push_str(&format!(": {so_far}the best {cut} are {}", listed(&stand.ranking[..cut])));
        }
        RunQuestion::Order => text.push_str(&format!(": {so_far}the order is {}", listed(&stand.ranking))),
        RunQuestion::Bars(width) => {
            let wide = (0..names.len()).filter(|one| !stand.is_narrow(*one));
            let wide: Vec<usize> = wide.collect();
            let narrow = names.len() - wide.len();
            text.push_str(&format!(
                ": the bars of {narrow} of {} engines are within {width} Elo",
                names.len()
            ));
            if !wide.is_empty() {
                text.push_str(&format!("; not those of {}", listed(&wide)));
            }
            text.push_str(&endless(found, &wide));
        }
    }
    if !stand.open.is_empty() {
        let apart = |two: &[usize; 2]| format!("{} and {}", name(&two[0]), name(&two[1]));
        let shown: Vec<String> = stand.open.iter().take(NAMED).map(apart).collect();
        text.push_str(&format!("; not told apart yet: {}", shown.join(", ")));
        if stand.open.len() > NAMED {
            text.push_str(&format!(" and {}", counted(stand.open.len() - NAMED, "more pair")));
        }
    }
    text
}

/// The same at the end of a run, which may have been closed before the question was settled.
pub fn words_at_the_end(found: &StoredQuestion, closed: Option<&StoredClosing>) -> String {
    match closed {
        Some(closed) => format!("{}; {}: {}", words(found), closed.words(), clean(&closed.why)),
        None => words(found),
    }
}

/// A score against the field from which on a bar without an upper end says that hardly a game was
/// lost; the Elo of this score is 440.
const NEARLY_ALL: f64 = 0.925;

/// Why the bars of these engines may stay without an end, however many games are played.
fn endless(StoredQuestion { names, stand, .. }: &StoredQuestion, wide: &[usize]) -> String {
    let mut text = String::new();
    for one in wide.iter().copied() {
        let Some([low, high]) = stand.bars.get(one) else { continue };
        let is_best = high.is_infinite() && stand.scores[one] > NEARLY_ALL;
        let is_worst = low.is_infinite() && stand.scores[one] < 1.0 - NEARLY_ALL;
        let (does, end) = match (is_best, is_worst) {
            (true, _) => ("wins", "upper"),
            (_, true) => ("loses", "lower"),
            (false, false) => continue,
        };
        text.push_str(&format!(
            "; {} {does} nearly all of its games: while it does, its bar has no {end} end, and the question stays open",
            clean(&names[one])
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(question: RunQuestion, open: Vec<[usize; 2]>, bars: Vec<[f64; 2]>) -> StoredQuestion {
        let is_settled = open.is_empty() && bars.iter().all(|[low, high]| high - low < 100.0);
        let stand = QuestionStand {
            question,
            is_settled,
            pairs: 40,
            ranking: vec![2, 0, 1],
            scores: vec![0.5, 0.3, 0.7],
            open,
            bars,
        };
        let names = ["ada", "bob", "cyd"].map(str::to_owned).to_vec();
        StoredQuestion { spec: UntilSpec { question, most: 200, lag: 2 }, names, stand }
    }

    #[test]
    fn a_question_is_told_with_its_answer_and_what_is_open() {
        let told = |question, open, bars| words(&found(question, open, bars));
        assert_eq!(
            told(RunQuestion::Cut(1), Vec::new(), Vec::new()),
            "cut=1: settled after 40 pairs of games: the best is cyd"
        );
        assert_eq!(
            told(RunQuestion::Order, vec![[0, 1]], Vec::new()),
            "order: open after 40 pairs of games, at most 200 games: so far the order is cyd, ada, bob; not told \
             apart yet: ada and bob"
        );
        assert_eq!(
            told(RunQuestion::Bars(50.0), Vec::new(), vec![[0.0, 90.0], [0.0, f64::INFINITY], [0.0, 10.0]]),
            "bars=50: open after 40 pairs of games, at most 200 games: the bars of 2 of 3 engines are within 50 \
             Elo; not those of bob"
        );
        let mut wins = found(RunQuestion::Bars(50.0), Vec::new(), vec![[0.0, 90.0], [300.0, f64::INFINITY]]);
        wins.stand.scores = vec![0.5, 0.97, 0.1];
        let told = words(&wins);
        assert!(
            told.ends_with(
                "not those of bob; bob wins nearly all of its games: while it does, its bar has no upper end, and the \
                 question stays open"
            ),
            "{told}"
        );
    }
}
