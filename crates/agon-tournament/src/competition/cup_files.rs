//! The files of a cup beside the directories of its stages: the bracket, the places, and the tables
//! of all groups.

use std::path::Path;

use agon_export::atomic;
use agon_export::cells::{self, CsvCell};
use agon_pages::report::bracket::{self, BracketStage};
use agon_pages::report::cup_bracket::{self, DrawnStage};
use agon_printable::clean;
use agon_standings::cup::{self, CupPlace, CupStage};
use agon_standings::points::Amount;
use agon_standings::sums::Sum;
use agon_standings::tiebreaks::Buchholz;

use super::played_stage::PlayedStage;

/// Writes `bracket.txt`, `bracket.svg`, `places.csv` and `stages.csv`.
pub fn write(root: &Path, stages: &[CupStage], played: &[PlayedStage]) -> anyhow::Result<()> {
    if !root.is_dir() {
        return Ok(()); // nothing was played
    }
    let drawn = drawn(stages, played);
    let put = |name: &str, text: &str| atomic::write_text(&root.join(name), text);
    put("bracket.txt", &bracket::text(&drawn))?;
    put("bracket.svg", &bracket::svg(&drawn))?;
    put("places.csv", &places_csv(stages, &places(stages, played))?)?;
    put("stages.csv", &stages_csv(stages, played)?)
}

/// The bracket and, of a cup that is over, the first places below it.
pub fn text(stages: &[CupStage], played: &[PlayedStage]) -> String {
    let mut text = bracket::text(&drawn(stages, played));
    // Before the end, everybody who is still in shares the first place.
    if played.len() < stages.len() || played.iter().any(|stage| stage.progress.result.is_none()) {
        return text;
    }
    text.push('\n');
    for place in places(stages, played).iter().take_while(|place| place.place <= 4) {
        text.push_str(&format!("{}  {}\n", place.place, clean(&place.name)));
    }
    text
}

/// The places of all entrants.
pub fn places(stages: &[CupStage], played: &[PlayedStage]) -> Vec<CupPlace> {
    let fields: Vec<_> = played.iter().map(|one| (one.field.clone(), one.progress.result.clone())).collect();
    cup::places(stages, &fields)
}

/// The members of each group of a stage, the best first, by the results so far.
fn orders(played: &PlayedStage) -> Vec<Vec<usize>> {
    let members = |order: &Vec<(usize, usize)>| order.iter().map(|(entrant, _)| *entrant).collect();
    played.progress.orders.iter().map(members).collect()
}

fn drawn(stages: &[CupStage], played: &[PlayedStage]) -> Vec<BracketStage> {
    let drawn = |(stage, played): (&CupStage, &PlayedStage)| {
        cup_bracket::columns(&DrawnStage {
            name: &stage.name,
            advance: stage.advance,
            rules: &stage.rules,
            field: &played.field,
            progress: &played.progress,
            scores: &played.scores,
        })
    };
    stages.iter().zip(played).flat_map(drawn).collect()
}

fn places_csv(stages: &[CupStage], places: &[CupPlace]) -> anyhow::Result<String> {
    let row = |CupPlace { name, place, reached }: &CupPlace| {
        let stage = CsvCell::text(&stages[*reached].name);
        vec![CsvCell::exact(place), CsvCell::text(name), CsvCell::exact(reached + 1), stage]
    };
    cells::text_of(["place", "engine", "stage", "stage_name"], places.iter().map(row))
}

/// A column of `stages.csv` after the engine: its name, and its cell for a sum.
type Column = (&'static str, fn(&Sum) -> CsvCell);

const COLUMNS: [Column; 12] = [
    ("games", |sum| CsvCell::exact(sum.games.games())),
    ("wins", |sum| CsvCell::exact(sum.games.wins)),
    ("draws", |sum| CsvCell::exact(sum.games.draws)),
    ("losses", |sum| CsvCell::exact(sum.games.losses)),
    ("points", |sum| CsvCell::exact(sum.points)),
    ("byes", |sum| CsvCell::exact(sum.byes)),
    ("play_off_wins", |sum| CsvCell::exact(sum.play_offs.wins)),
    ("play_off_draws", |sum| CsvCell::exact(sum.play_offs.draws)),
    ("play_off_losses", |sum| CsvCell::exact(sum.play_offs.losses)),
    ("buchholz", |sum| of_swiss(sum, |buchholz| buchholz.all)),
    ("buchholz_cut_1", |sum| of_swiss(sum, |buchholz| buchholz.cut_1)),
    ("buchholz_median", |sum| of_swiss(sum, |buchholz| buchholz.median)),
];

/// How many of the columns are before `goes_on`.
const BEFORE: usize = 5;

fn of_swiss(sum: &Sum, part: fn(Buchholz) -> Amount) -> CsvCell {
    CsvCell::maybe(sum.buchholz.map(part))
}

fn stages_csv(stages: &[CupStage], played: &[PlayedStage]) -> anyhow::Result<String> {
    let (before, behind) = COLUMNS.split_at(BEFORE);
    let heads = |columns: &'static [Column]| columns.iter().map(|(head, _)| *head);
    let who = ["stage", "group", "place", "engine"].into_iter();
    let head = who.chain(heads(before)).chain(["goes_on"]).chain(heads(behind));
    let mut rows = Vec::new();
    for (number, (stage, played)) in (1_u32..).zip(stages.iter().zip(played)) {
        let over = played.progress.result.is_some();
        let sums = played.sums(stage);
        for (group, order) in (1_u32..).zip(orders(played)) {
            for (place, entrant) in (1_usize..).zip(order) {
                let goes_on = over && stage.advance.is_some_and(|go_on| place <= go_on);
                let cells = |columns: &'static [Column]| columns.iter().map(|(_, cell)| cell(&sums[entrant]));
                let name = CsvCell::text(&played.field.names[entrant]);
                let mut row =
                    vec![CsvCell::exact(number), CsvCell::exact(group), CsvCell::exact(place), name];
                row.extend(cells(before));
                row.push(CsvCell::exact(if goes_on { "yes" } else { "no" }));
                row.extend(cells(behind));
                rows.push(row);
            }
        }
    }
    cells::text_of(head, rows)
}
