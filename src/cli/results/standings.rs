//! `agon standings`: shows the standings of a run, even while it goes on.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use agon_config::Misuse;
use agon_export::csv;
use agon_export::table::{self, Counts};
use agon_pages::report::columns::{ABOUT_BARS, columns, elo_bar, score_bar};
use agon_pages::report::hosts;
use agon_pages::report::terminal::{self, TableLook};
use agon_printable::{clean, counted, decimal, escape};
use agon_programs::program::display_path;
use agon_seats::TimeControl;
use agon_standings::Standings;
use agon_standings::scoring::Scoring;
use agon_standings::sprt::TestStand;
use agon_standings::strengths::{self, ConnectedPart, RatingAnchor, Strength, Strengths};
use agon_standings::table::Row;
use agon_standings::versus::percent;
use agon_store::until::StoredQuestion;
use agon_store::{Store, WHAT_THE_HEAD_IS, lock, tested, until};
use agon_tournament::competition::looked::{LookedRun, joined_csv};
use clap::Args;

use crate::cli::stage_option::StageOption;
use crate::cli::{drawn, out};

/// Shows the standings of a run, even while it goes on
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon standings
  agon standings results --csv
  agon standings results --json | jq .standings[0]
  agon standings results --ratings
  agon standings results --ratings --anchor alpha=2800
  agon standings results --pairs
  agon standings results --hosts
  watch agon standings results")]
pub(crate) struct StandingsArgs {
    /// The directory of the run, or the one above those of several time controls, or of a cup
    #[arg(value_name = "DIR", default_value = "agon-run")]
    directory: PathBuf,

    /// Writes the standings in the form of standings.csv
    #[arg(long)]
    csv: bool,

    /// Writes all tables, also the ratings, as one line of JSON
    #[arg(long, conflicts_with_all = ["csv", "ratings"])]
    json: bool,

    /// Shows the ratings too; with --csv, writes them in the form of ratings.csv
    #[arg(long)]
    ratings: bool,

    /// Sets the rating of one engine, so that the ratings of runs can be compared. The error bars
    /// are those of the difference to it
    #[arg(long, value_name = "NAME=ELO", allow_hyphen_values = true)]
    anchor: Option<RatingAnchor>,

    /// Shows each two engines too, with the bars of their score and its Elo
    #[arg(long, conflicts_with_all = ["csv", "json"])]
    pairs: bool,

    /// Points for a win, a draw and a loss, 1-1/2-0 or 3-1-0. With three or more seats, a number
    /// for each place. The word sum stands for the scores themselves [default: those of the run]
    #[arg(long, value_name = "WIN-DRAW-LOSS")]
    points: Option<String>,

    /// Shows instead what was played on each host, and tests whether results and time forfeits
    /// differ between hosts
    #[arg(long, conflicts_with_all = ["csv", "json", "ratings", "pairs", "points"])]
    hosts: bool,

    #[command(flatten)]
    of: StageOption,
}

impl StandingsArgs {
    pub(crate) fn run(&self) -> anyhow::Result<ExitCode> {
        if self.anchor.is_some() && !self.ratings && !self.json {
            return Err(Misuse::hinted(
                "--anchor: only ratings have a scale",
                "give --ratings or --json too",
            ));
        }
        let runs = self.of.runs(&self.directory)?;
        let mut tables = Vec::new();
        // Movers connect the divisions of a league, so all its nights so far are rated together.
        let mut nights: Option<Standings> = None;
        for (at, run) in runs.iter().enumerate() {
            if self.csv || self.json {
                tables.push((run.number, self.told(run, &mut nights)?));
                continue;
            }
            run.announce(at == 0)?;
            if self.hosts {
                out(&hosts_of(&run.path)?)?;
                continue;
            }
            drawn(&self.told(run, &mut nights)?)?;
        }
        // A line of JSON for each stage, and the rows of all stages in one table.
        match self.json {
            true => out(&tables.into_iter().map(|(_, line)| line).collect::<String>())?,
            false => out(&joined_csv(&tables))?,
        }
        Ok(ExitCode::SUCCESS)
    }

    /// The ratings, on the scale that is asked for. There are none of too many engines.
    fn strengths(&self, rated: &Standings) -> anyhow::Result<Option<Strengths>> {
        if self.ratings && rated.names().count() > strengths::MOST {
            return Err(Misuse::hinted(
                format!("--ratings: agon rates at most {} engines", strengths::MOST),
                "leave out --ratings",
            ));
        }
        let found = Strengths::anchored(rated, 0, 1, self.anchor.as_ref());
        if let (Some(anchor), Some(found)) = (&self.anchor, &found) {
            is_rated(anchor, found.rows().map(|row| row.entrant.as_str()))?;
        }
        Ok(found)
    }

    /// What is shown of one run. `nights` has the games of a league's nights before it.
    fn told(&self, run: &LookedRun, nights: &mut Option<Standings>) -> anyhow::Result<String> {
        let Seen { standings, counts, holder, heads, by_lot, test, question } = self.seen(&run.path)?;
        let with_ratings = self.ratings || self.json;
        let rated = match with_ratings && run.is_night() {
            true => self.with_nights(run, nights, &standings)?,
            false => &standings,
        };
        let anchor = self.anchor.as_ref();
        let found = if with_ratings { self.strengths(rated)? } else { None };
        if self.json {
            let heads: Vec<&str> = heads.iter().map(|(_, head)| head.as_str()).collect();
            return Ok(table::standings(
                &standings,
                found.as_ref().map(|found| (found, anchor)),
                counts,
                &heads,
                holder.is_some(),
                run.number,
                (test.as_ref(), question.as_ref()),
            ));
        }
        let rows = standings.table();
        if self.csv {
            let mut bytes = Vec::new();
            match &found {
                Some(found) => csv::ratings(found, &mut bytes)?,
                None => csv::standings(&rows, &mut bytes)?,
            }
            return Ok(String::from_utf8_lossy(&bytes).into_owned());
        }
        let mut text = terminal::standings(&rows, standings.tiebreaks(), TableLook::of(&std::io::stdout()));
        for words in by_lot {
            text.push_str(&format!("{}\n", clean(&words)));
        }
        if let Some(found) = &found {
            text.push_str(&ratings(found, rated, anchor));
        }
        if self.pairs {
            // The ratings end with an empty line.
            text.push_str(if found.is_some() { "" } else { "\n" });
            text.push_str(&pairs(&standings, &rows));
        }
        let has_bars = rows.iter().any(|row| row.field.bars().is_some());
        if has_bars && (self.pairs || found.is_some()) {
            text.push_str(&format!("{ABOUT_BARS}\n\n"));
        }
        if let Some(stand) = &test {
            text.push_str(&format!("{}: {}\n", clean(&stand.engine), tested::words(stand)));
        }
        if let Some(found) = &question {
            text.push_str(&field_scores(found));
        }
        text.push_str(&counted(counts.games, "game"));
        if counts.repeats > 0 {
            text.push_str(&format!(
                ", {} of them repeat earlier ones and are not counted again",
                counts.repeats
            ));
        }
        if counts.void > 0 {
            text.push_str(&format!(", {} void", counts.void));
        }
        if counts.history > 0 {
            text.push_str(&format!(", {} more in the history", counts.history));
        }
        if let Some(who) = holder {
            text.push_str(&format!("; the run goes on: {who}"));
        }
        text.push('\n');
        if !heads.is_empty() && std::io::stdout().is_terminal() {
            text.push_str(&format!("{WHAT_THE_HEAD_IS}\n"));
        }
        for (of, head) in heads {
            text.push_str(&format!("head of the chain{of} {head}\n"));
        }
        Ok(text)
    }

    /// The games of all nights of a league up to this one.
    fn with_nights<'a>(
        &self,
        run: &LookedRun,
        nights: &'a mut Option<Standings>,
        standings: &Standings,
    ) -> anyhow::Result<&'a Standings> {
        if nights.is_none() {
            // Only this night is shown.
            let mut before = run.nights_before();
            if let Some(first) = before.next() {
                let mut all = self.seen(&first)?.standings;
                for night in before {
                    all.include(&self.seen(&night)?.standings);
                }
                *nights = Some(all);
            }
        }
        match nights {
            Some(all) => all.include(standings),
            None => *nights = Some(standings.clone()),
        }
        Ok(nights.as_ref().expect("it was set"))
    }

    /// The contents of the directory; of a tournament at several time controls, the sum of all of
    /// them.
    fn seen(&self, directory: &Path) -> anyhow::Result<Seen> {
        let is_control = |path: &PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str());
            name.is_some_and(|name| TimeControl::of_directory_name(name).is_some())
        };
        let mut controls = Store::below(directory);
        controls.retain(is_control);
        let mut all = self.seen_in(controls.first().map_or(directory, PathBuf::as_path))?;
        name_heads(&mut all.heads, controls.first());
        for control in controls.iter().skip(1) {
            let Seen { standings, counts, holder, mut heads, .. } = self.seen_in(control)?;
            name_heads(&mut heads, Some(control));
            all.heads.extend(heads);
            all.standings.include(&standings);
            all.counts.games += counts.games;
            all.counts.repeats += counts.repeats;
            all.counts.void += counts.void;
            all.counts.history += counts.history;
            all.holder = all.holder.or(holder);
        }
        Ok(all)
    }

    fn seen_in(&self, directory: &Path) -> anyhow::Result<Seen> {
        let store = Store::read(directory)?;
        let (settled, void, history) = store.counts()?;
        let points = match &self.points {
            None => store.points()?,
            Some(text) => Scoring::read(text, store.tables()?.seats)
                .map_err(|error| Misuse::misread("--points", &error.to_string()))?,
        };
        let standings = store.standings(points)?;
        let for_nobody = standings.for_nobody();
        let (games, void) = (settled - for_nobody, void + for_nobody);
        Ok(Seen {
            standings,
            counts: Counts { games, repeats: store.repeats()?.len() as u64, void, history },
            by_lot: by_lot(&store)?,
            test: store.test()?,
            question: store.question()?,
            holder: lock::holder(directory)?,
            heads: if games + void + history > 0 {
                vec![(String::new(), store.head()?.to_string())]
            } else {
                Vec::new()
            },
        })
    }
}

/// The hosts of a run; of a tournament at several time controls, those of each.
fn hosts_of(directory: &Path) -> anyhow::Result<String> {
    let below = if Store::is_in(directory) { Vec::new() } else { Store::below(directory) };
    if !below.is_empty() {
        let each = below.iter().map(|path| Ok(format!("{}:\n{}", display_path(path), hosts_of(path)?)));
        return each.collect();
    }
    let all = Store::read(directory)?.hosts()?;
    let sentence = hosts::sentence(&all).map(|text| text + "\n").unwrap_or_default();
    Ok(hosts::table(&all) + &sentence)
}

/// The standings and what is shown with them.
struct Seen {
    standings: Standings,
    counts: Counts,
    /// The process of the run, if it goes on.
    holder: Option<String>,
    /// Each chain head, with the time control it belongs to: ` of st=5`.
    heads: Vec<(String, String)>,
    /// The places of a stage that the lot decided, and who has withdrawn, in words.
    by_lot: Vec<String>,
    /// How far the test of a match has come.
    test: Option<TestStand>,
    /// How far the question of the run is settled.
    question: Option<StoredQuestion>,
}

/// The engines of a run for a question by their scores against the whole field, and how far it is
/// settled.
fn field_scores(found: &StoredQuestion) -> String {
    let end = |elo: f64| if elo.is_finite() { decimal(elo, 0) } else { String::new() };
    let bars = !found.stand.bars.is_empty();
    let row = |(place, at): (usize, &usize)| {
        let score = decimal(100.0 * found.stand.scores[*at], 1);
        let mut row = vec![place.to_string(), clean(&found.names[*at]), score];
        row.extend(found.stand.bars.get(*at).into_iter().flatten().map(|elo| end(*elo)));
        row
    };
    let rows: Vec<Vec<String>> = (1..).zip(&found.stand.ranking).map(row).collect();
    let heads: &[&str] = if bars { &["", "engine", "%", "Elo from", "to"] } else { &["", "engine", "%"] };
    format!(
        "\n% of the points against the whole field, each opponent with the same weight\n{}{}\n",
        columns(heads, &rows),
        until::words(found)
    )
}

/// The first column of the ratings that is about bars of a score.
const BARS_FROM: usize = 5;

/// The places of a stage that the lot decided, and who has withdrawn, in words.
fn by_lot(store: &Store) -> anyhow::Result<Vec<String>> {
    let rankings = store.stage()?.and_then(|(_, derived)| derived.progress.result).unwrap_or_default();
    let words = rankings.into_iter().flat_map(|ranking| ranking.words);
    let by_lot = words.filter(|words| agon_standings::is_by_lot(words));
    let withdrawn = store.withdrawn()?;
    let withdrawn = withdrawn.sentences();
    Ok(by_lot.chain(withdrawn).collect())
}

/// Adds the time control to the heads.
fn name_heads(heads: &mut [(String, String)], control: Option<&PathBuf>) {
    let Some(name) = control.and_then(|path| path.file_name()) else { return };
    heads.iter_mut().for_each(|(of, _)| *of = format!(" of {}", name.to_string_lossy()));
}

/// Each two engines that have met, in the order of the table, with the bars of their score.
fn pairs(standings: &Standings, rows: &[Row]) -> String {
    let mut lines = Vec::new();
    for (at, one) in rows.iter().enumerate() {
        for other in &rows[at + 1..] {
            let met = standings.encounter_of(&one.entrant, &other.entrant);
            if met.games() == 0 {
                continue;
            }
            let games = standings.between(&one.entrant, &other.entrant);
            let share = (games.wins as f64 + games.draws as f64 / 2.0) / games.games() as f64;
            let bars = met.bars();
            let any_time = bars.map(|bars| bars.any_time);
            lines.push(vec![
                one.entrant.clone(),
                other.entrant.clone(),
                games.to_string(),
                decimal(100.0 * share, 1),
                score_bar(any_time),
                score_bar(bars.map(|bars| bars.fixed)),
                elo_bar(any_time),
            ]);
        }
    }
    if lines.is_empty() {
        return "no two engines have met in a game of two seats\n\n".to_owned();
    }
    let head = ["engine", "opponent", "+ = -", "%", "% at any time", "% fixed", "elo at any time"];
    format!("{}\n", columns(&head, &lines))
}

/// Sees that one of the rated engines has this name.
///
/// # Errors
/// [`Misuse`] with the names that there are.
pub(super) fn is_rated<'a>(
    anchor: &RatingAnchor,
    rated: impl Iterator<Item = &'a str>,
) -> anyhow::Result<()> {
    let mut names: Vec<&str> = rated.collect();
    if names.contains(&anchor.entrant.as_str()) {
        return Ok(());
    }
    names.sort_unstable();
    names.dedup();
    let names: Vec<String> = names.into_iter().map(clean).collect();
    Err(Misuse::hinted(
        format!("--anchor: no engine with a rating is called {}", escape(anchor.entrant.as_bytes(), 60)),
        match &names[..] {
            [] => "nobody has a rating before the first game".to_owned(),
            names => format!("the engines are {}", names.join(", ")),
        },
    ))
}

/// The ratings as a table for each part of the field, with the parameters of its model.
fn ratings(found: &Strengths, standings: &Standings, anchor: Option<&RatingAnchor>) -> String {
    let parts = found.parts.len();
    let mut text = String::new();
    for (number, part) in (1..).zip(&found.parts) {
        let head = format!(
            "part {number} of {parts}: these engines have met, also through others, and no engine of another part\n"
        );
        text.push_str(&format!(
            "\n{}{}",
            if parts > 1 { &head } else { "" },
            of_part(part, standings, anchor)
        ));
    }
    if !found.unrated.is_empty() {
        let names: Vec<String> = found.unrated.iter().map(|name| clean(name)).collect();
        text.push_str(&format!("\nwithout a rating, because they have no game: {}\n", names.join(", ")));
    }
    text + "\n"
}

fn of_part(part: &ConnectedPart, standings: &Standings, anchor: Option<&RatingAnchor>) -> String {
    let row = |row: &Strength| {
        let bars = standings.field_of(&row.entrant).bars();
        vec![
            row.entrant.clone(),
            row.games.to_string(),
            decimal(row.elo, 0),
            decimal(row.error, 0),
            row.over_next.map(percent).unwrap_or_default(),
            score_bar(bars.map(|bars| bars.any_time)),
            score_bar(bars.map(|bars| bars.fixed)),
        ]
    };
    let rows: Vec<Vec<String>> = part.rows.iter().map(row).collect();
    let seats: Vec<String> = part.seats.iter().map(|elo| decimal(*elo, 0)).collect();
    let model = match &seats[..] {
        [] => format!(
            "draws between equals {:.0} %, the first seat is worth {} Elo",
            100.0 * part.draw_rate,
            decimal(part.advantage, 0)
        ),
        _ => format!(
            "two equals share a place in {:.0} %, the seats in order of play are worth {} Elo",
            100.0 * part.draw_rate,
            seats.join(", ")
        ),
    };
    let mut head = vec!["engine", "games", "elo", "+-", "stronger than the next", "% at any time", "% fixed"];
    let mut rows = rows;
    // At tables of more than two seats a share of the points has no bars.
    if rows.iter().all(|row| row[BARS_FROM].is_empty()) {
        head.truncate(BARS_FROM);
        rows.iter_mut().for_each(|row| row.truncate(BARS_FROM));
    }
    let table = columns(&head, &rows);
    let of = match anchor.filter(|anchor| part.rows.iter().any(|row| row.entrant == anchor.entrant)) {
        Some(anchor) => format!("the difference to {}", clean(&anchor.entrant)),
        None => "a rating".to_owned(),
    };
    format!("{table}{model}; +- is the 95 % error bar of {of}, and fixed\n")
}
