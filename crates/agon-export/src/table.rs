//! The standings as JSON, for programs, with everything the tables show.

use agon_standings::Standings;
use agon_standings::any_time::ScoreBar;
use agon_standings::points::{Amount, Wdl};
use agon_standings::scoring::Scoring;
use agon_standings::sprt::TestStand;
use agon_standings::strengths::{ConnectedPart, RatingAnchor, Strength, Strengths};
use agon_standings::table::{CrosstableCell, Row};
use agon_store::until::StoredQuestion;
use serde_json::{Map, Value, json};

use super::csv::places;
use super::events::{QuestionFacts, TestFacts};
use super::json;
use super::standing_columns::{StandingColumn, cause_key, columns_of};

/// The numbers of games.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counts {
    /// Games that count.
    pub games: u64,
    /// How many of them repeat earlier ones, and are not counted again.
    pub repeats: u64,
    /// Void games.
    pub void: u64,
    /// Games that are history.
    pub history: u64,
}

/// The standings, the crosstable and the ratings as one line of JSON with a newline. The keys are
/// an interface: new ones may be added, and none changes its meaning. `heads` are the chain heads
/// of the databases. `running` says whether the run goes on, `stage` which part of a tournament it
/// is, and `test` how far the test of a match has come.
pub fn standings(
    standings: &Standings,
    found: Option<(&Strengths, Option<&RatingAnchor>)>,
    counts: Counts,
    heads: &[&str],
    running: bool,
    stage: Option<usize>,
    (test, question): (Option<&TestStand>, Option<&StoredQuestion>),
) -> String {
    let crosstable = standings.crosstable();
    let cell = |one: &str, other: &str, cell: CrosstableCell| {
        let mut all = with_games(Map::new(), cell.games, cell.points);
        if let Some(bars) = standings.encounter_of(one, other).bars() {
            with_bar(&mut all, "fixed", bars.fixed);
            with_bar(&mut all, "any_time", bars.any_time);
        }
        all
    };
    let line = |(engine, line): (&String, &Vec<Option<CrosstableCell>>)| {
        let met = crosstable.entrants.iter().zip(line);
        let against: Map<String, Value> = met
            .filter_map(|(other, games)| Some((other.clone(), cell(engine, other, (*games)?).into())))
            .collect();
        (engine.clone(), Value::Object(against))
    };
    let met: Map<String, Value> = crosstable.entrants.iter().zip(&crosstable.cells).map(line).collect();
    let rows = standings.table();
    let (places, columns) = (places(&rows), columns_of(&rows));
    let tiebreaks: Vec<&str> = standings.tiebreaks().iter().map(|one| one.name()).collect();
    let mut all = json!({
        "points": points(standings.scoring()),
        "tiebreaks": tiebreaks,
        "games": counts.games,
        "void": counts.void,
        "history": counts.history,
        "running": running,
        "stage": stage,
        "heads": heads,
        "standings": rows.iter().map(|one| row(one, &columns, places)).collect::<Vec<_>>(),
        "crosstable": met,
        "ratings": found.map(|(found, anchor)| ratings(found, anchor)),
    });
    if counts.repeats > 0 {
        all["repeats"] = counts.repeats.into();
    }
    if let Some(stand) = test {
        all["test"] = json!(TestFacts::from(stand));
    }
    if let Some(found) = question {
        all["question"] = json!(QuestionFacts::from(found));
    }
    json::line(&all) + "\n"
}

/// What a game is worth.
fn points(scoring: Scoring) -> Value {
    match scoring {
        Scoring::Results(points) => json!({
            "win": points.win().to_f64(),
            "draw": points.draw().to_f64(),
            "loss": points.loss().to_f64(),
        }),
        Scoring::Places(points) => {
            json!({ "places": points.places().iter().map(|points| points.to_f64()).collect::<Vec<_>>() })
        }
        Scoring::Sum => json!({ "sum": true }),
    }
}

fn with_games(mut to: Map<String, Value>, games: Wdl, points: Amount) -> Map<String, Value> {
    let counts =
        [("games", games.games()), ("wins", games.wins), ("draws", games.draws), ("losses", games.losses)];
    to.extend(counts.map(|(key, count)| (key.to_owned(), count.into())));
    to.insert("points".to_owned(), points.to_f64().into());
    to
}

/// The ends of a bar, as a percentage and in Elo, which has none for 0 and 100 %.
fn with_bar(to: &mut Map<String, Value>, name: &str, bar: ScoreBar) {
    for (end, score, elo) in [("low", bar.low, bar.elos()[0]), ("high", bar.high, bar.elos()[1])] {
        to.insert(format!("{name}_{end}"), (100.0 * score).into());
        to.insert(format!("elo_{name}_{end}"), elo.is_finite().then_some(elo).into());
    }
}

/// `places` is the number of places of a game, 0 with two seats.
fn row(row: &Row, columns: &[StandingColumn], places: u8) -> Value {
    let tally = &row.tally;
    let mut all = Map::new();
    let (mut faults, mut play_offs) = (Map::new(), Map::new());
    for column in columns {
        let value = column.of(row).json();
        match column {
            StandingColumn::Of(name, _) => all.insert((*name).to_owned(), value),
            StandingColumn::LostBy(cause) => faults.insert(cause_key(*cause), value),
            StandingColumn::PlayOffs(name, _) => play_offs.insert((*name).to_owned(), value),
        };
    }
    all.insert("lost_by".to_owned(), faults.into());
    all.insert("play_offs".to_owned(), row.group.map(|_| play_offs).into());
    let seats = tally.seats.iter();
    let seats = seats.map(|games| json!({"wins": games.wins, "draws": games.draws, "losses": games.losses}));
    all.insert("seats".to_owned(), seats.collect());
    if places > 0 {
        let finishes = &tally.finishes;
        all.insert("average_place".to_owned(), finishes.average().into());
        all.insert("places".to_owned(), (1..=places).map(|place| finishes.on(place)).collect());
    }
    all.into()
}

/// The parameters of the model are those of each part, and of the whole if it is one part.
fn ratings(found: &Strengths, anchor: Option<&RatingAnchor>) -> Value {
    let engine = |part: usize, row: &Strength| {
        json!({
            "engine": row.entrant,
            "games": row.games,
            // Adding zero turns -0 into 0.
            "elo": row.elo + 0.0,
            "error95": row.error,
            "stronger_than_next": row.over_next,
            "part": part,
        })
    };
    let engines = (1..)
        .zip(&found.parts)
        .flat_map(|(number, part)| part.rows.iter().map(move |row| engine(number, row)));
    let unrated = found.unrated.iter().map(|name| json!({
            "engine": name, "games": 0, "elo": null, "error95": null, "stronger_than_next": null, "part": null,
        }));
    let parameters =
        |part: &ConnectedPart| json!({ "first_seat_elo": part.advantage + 0.0, "draw_rate": part.draw_rate });
    let parts: Vec<Value> = found.parts.iter().map(parameters).collect();
    let whole = if let [one] = &parts[..] { one.clone() } else { json!({}) };
    let mut all = json!({
        "first_seat_elo": whole["first_seat_elo"],
        "draw_rate": whole["draw_rate"],
        "parts": parts,
        "engines": engines.chain(unrated).collect::<Vec<_>>(),
    });
    if let Some(RatingAnchor { entrant, elo }) = anchor {
        all["anchor"] = json!({ "engine": entrant, "elo": elo });
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_record::sample::{around, game};
    use agon_standings::points::Points;

    #[test]
    fn the_line_holds_the_tables_and_nothing_a_page_or_a_terminal_obeys() {
        let mut all = Standings::new(Points::CHESS, ["idle"]);
        game(1, "alpha", "<b>\u{1b}", "1-0").count_in(&mut all);
        game(2, "<b>\u{1b}", "alpha", "1/2-1/2").count_in(&mut all);
        let found = Strengths::of(&all, 0, 1);
        let counts = Counts { games: 2, repeats: 0, void: 1, history: 3 };
        let line = standings(
            &all,
            found.as_ref().map(|found| (found, None)),
            counts,
            &["00"],
            false,
            Some(2),
            (None, None),
        );
        assert!(
            line.ends_with('\n') && line.trim_end().chars().all(|c| (' '..='~').contains(&c) && c != '<')
        );
        let read: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(read["points"]["draw"], 0.5);
        assert_eq!((read["void"].as_u64(), read["history"].as_u64()), (Some(1), Some(3)));
        let first = &read["standings"][0];
        assert_eq!((first["engine"].as_str(), first["rank"].as_u64()), (Some("alpha"), Some(1)));
        assert_eq!((first["points"].as_f64(), first["percent"].as_f64()), (Some(1.5), Some(75.0)));
        assert_eq!(first["seats"][1]["draws"], 1);
        assert_eq!(first["lost_by"]["time_forfeit"], 0);
        assert!(first["buchholz"].is_null() && read["standings"][2]["percent"].is_null());
        assert_eq!(read["crosstable"]["alpha"]["<b>\u{1b}"]["wins"], 1);
        assert_eq!(read["crosstable"]["idle"], json!({}));
        // Two games, which were no pair.
        let met = &read["crosstable"]["alpha"]["<b>\u{1b}"];
        assert_eq!((met["any_time_low"].as_f64(), met["any_time_high"].as_f64()), (Some(0.0), Some(100.0)));
        assert!(met["elo_any_time_low"].is_null() && met["elo_fixed_low"].is_number(), "{met}");
        assert_eq!((&first["any_time_low"], &first["fixed_low"]), (&met["any_time_low"], &met["fixed_low"]));
        assert!(read["standings"][2]["fixed_low"].is_null());
        assert_eq!(read["ratings"]["engines"][0]["engine"], "alpha");
    }

    #[test]
    fn at_a_table_the_points_are_those_of_places_or_the_scores() {
        let counts = Counts { games: 2, repeats: 0, void: 0, history: 0 };
        let read = |scoring: Scoring| -> Value {
            let mut all = Standings::new(scoring, ["idle"]);
            around(1, &[("alpha", 1, 9), ("bravo", 2, 5), ("charlie", 2, 5)]).count_in(&mut all);
            serde_json::from_str(&standings(&all, None, counts, &[], false, None, (None, None))).unwrap()
        };
        let by_place = read(Scoring::usual(3));
        assert_eq!(by_place["points"], json!({"places": [2.0, 1.0, 0.0]}));
        assert_eq!(by_place["standings"][1]["average_place"], 2.5);
        assert_eq!(by_place["standings"][1]["places"], json!([0, 1, 0]));
        let last = &by_place["standings"][3];
        assert!(last["average_place"].is_null() && last["places"] == json!([0, 0, 0]), "{last}");
        assert_eq!(read(Scoring::Sum)["points"], json!({"sum": true}));
    }
}
