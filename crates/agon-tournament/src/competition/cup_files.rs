//! The files of a cup beside the directories of its stages: the bracket, the places, and the tables
//! of all groups.

use std::path::Path;

use agon_export::atomic;
use agon_export::cells::{self, CsvCell};
use agon_pages::report::bracket;
use agon_pages::report::cup_bracket::{self, DrawnStage};
use agon_printable::clean;
use agon_standings::cup::{self, CupPlace, CupStage, GroupShape};
use agon_standings::points::Amount;
use agon_standings::sums::Sum;
use agon_standings::tiebreaks::Buchholz;
use agon_store::ranking::{DerivedStage, StageSpec};

use super::played_stage::PlayedStage;

/// The files.
const FILES: [&str; 4] = ["bracket.txt", "bracket.svg", "places.csv", "stages.csv"];

/// Writes `bracket.txt`, `bracket.svg`, `places.csv` and `stages.csv` from the stages as they are
/// stored; nothing before the first has begun.
pub fn write(root: &Path, stored: &[&(StageSpec, DerivedStage)]) -> anyhow::Result<()> {
    let drawn = DrawnStage::of_stored(stored);
    let Some((last, _)) = drawn.len().checked_sub(1).map(|last| stored[last]) else { return Ok(()) };
    let begun = drawn.iter().map(|stage| stage.name);
    let names: Vec<&str> = begun.chain(last.later.iter().map(String::as_str)).collect();
    put(root, &names, &drawn)
}

/// Writes them if one of them is there.
pub fn refresh(root: &Path, stored: &[&(StageSpec, DerivedStage)]) -> anyhow::Result<()> {
    match FILES.iter().any(|name| root.join(name).is_file()) {
        true => write(root, stored),
        false => Ok(()),
    }
}

/// `names` are those of all stages, also of those that have not begun.
fn put(root: &Path, names: &[&str], drawn: &[DrawnStage<'_>]) -> anyhow::Result<()> {
    let columns = cup_bracket::all_columns(drawn);
    let put = |name: &str, text: &str| atomic::write_text(&root.join(name), text);
    let [as_text, as_picture, places, stages] = FILES;
    put(as_text, &bracket::text(&columns))?;
    put(as_picture, &bracket::svg(&columns))?;
    put(places, &places_csv(names, &places_of(drawn))?)?;
    put(stages, &stages_csv(drawn)?)
}

/// The bracket and, of a cup that is over, the first places below it.
pub fn text(stages: &[CupStage], played: &[PlayedStage]) -> String {
    let mut text = bracket::text(&cup_bracket::all_columns(&drawn(stages, played)));
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
    places_of(&drawn(stages, played))
}

fn places_of(drawn: &[DrawnStage<'_>]) -> Vec<CupPlace> {
    let outcomes: Vec<_> = drawn.iter().map(DrawnStage::outcome).collect();
    cup::places(&outcomes)
}

fn drawn<'a>(stages: &'a [CupStage], played: &'a [PlayedStage]) -> Vec<DrawnStage<'a>> {
    let drawn = |(number, (stage, own)): (usize, (&'a CupStage, &'a PlayedStage))| DrawnStage {
        name: &stage.name,
        advance: stage.advance,
        rules: &stage.rules,
        field: &own.field,
        progress: &own.progress,
        scores: &own.scores,
        is_finals: stage.shape == GroupShape::Finals,
        next: played.get(number + 1).map(|next| &next.field),
    };
    stages.iter().zip(played).enumerate().map(drawn).collect()
}

fn places_csv(stages: &[&str], places: &[CupPlace]) -> anyhow::Result<String> {
    let row = |CupPlace { name, place, reached }: &CupPlace| {
        let stage = CsvCell::text(stages[*reached]);
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

/// More of them, where a stage has games that nobody played and that count in the points.
const UNPLAYED: [Column; 3] = [
    ("forfeit_wins", |sum| CsvCell::exact(sum.unplayed.wins)),
    ("forfeit_losses", |sum| CsvCell::exact(sum.unplayed.losses)),
    ("unplayed_draws", |sum| CsvCell::exact(sum.unplayed.draws)),
];

/// How many of the columns are before `goes_on`.
const BEFORE: usize = 5;

fn of_swiss(sum: &Sum, part: fn(Buchholz) -> Amount) -> CsvCell {
    CsvCell::maybe(sum.buchholz.map(part))
}

fn stages_csv(drawn: &[DrawnStage<'_>]) -> anyhow::Result<String> {
    let all_sums: Vec<Vec<Sum>> = drawn.iter().map(DrawnStage::sums).collect();
    let has_unplayed = all_sums.iter().flatten().any(|sum| sum.unplayed.games() > 0);
    let (before, behind) = COLUMNS.split_at(BEFORE);
    let behind = [behind, if has_unplayed { &UNPLAYED[..] } else { &[] }].concat();
    fn heads(columns: &[Column]) -> impl Iterator<Item = &'static str> {
        columns.iter().map(|(head, _)| *head)
    }
    let who = ["stage", "group", "place", "engine"].into_iter();
    let head = who.chain(heads(before)).chain(["goes_on"]).chain(heads(&behind));
    let mut rows = Vec::new();
    for ((number, sums), stage) in (1_u32..).zip(&all_sums).zip(drawn) {
        for (group, order) in (1_u32..).zip(&stage.progress.orders) {
            for (at, (entrant, rank)) in order.iter().enumerate() {
                let (entrant, goes_on) = (*entrant, stage.goes_on(*entrant, at));
                let cells = |columns: &[Column]| -> Vec<CsvCell> {
                    columns.iter().map(|(_, cell)| cell(&sums[entrant])).collect()
                };
                let name = CsvCell::text(&stage.field.names[entrant]);
                let mut row = vec![CsvCell::exact(number), CsvCell::exact(group), CsvCell::exact(rank), name];
                row.extend(cells(before));
                row.push(CsvCell::exact(if goes_on { "yes" } else { "no" }));
                row.extend(cells(&behind));
                rows.push(row);
            }
        }
    }
    cells::text_of(head, rows)
}
