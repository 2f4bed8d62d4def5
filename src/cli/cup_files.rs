//! The files of a cup beside the directories of its stages: the bracket, the places, and the tables
//! of all groups.

use std::path::Path;

use agon_printable::clean;
use agon_standings::cup::{self, CupPlace, CupStage};
use agon_standings::points::Amount;
use agon_standings::stage::{self, Duel, Format};
use agon_standings::sums::Sum;
use agon_standings::tiebreaks::Buchholz;

use super::played_stage::PlayedStage;
use crate::export::atomic;
use crate::export::cells::{self, Cell};
use crate::report::bracket::{self, BracketGroup, BracketLine, BracketStage};

/// Writes `bracket.txt`, `bracket.svg`, `places.csv` and `stages.csv`.
pub(super) fn write(root: &Path, stages: &[CupStage], played: &[PlayedStage]) -> anyhow::Result<()> {
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
pub(super) fn text(stages: &[CupStage], played: &[PlayedStage]) -> String {
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
pub(super) fn places(stages: &[CupStage], played: &[PlayedStage]) -> Vec<CupPlace> {
    let fields: Vec<_> = played.iter().map(|one| (one.field.clone(), one.progress.result.clone())).collect();
    cup::places(stages, &fields)
}

/// The members of each group of a stage, the best first, by the results so far.
fn orders(played: &PlayedStage) -> Vec<Vec<usize>> {
    let members = |order: &Vec<(usize, usize)>| order.iter().map(|(entrant, _)| *entrant).collect();
    played.progress.orders.iter().map(members).collect()
}

fn drawn(stages: &[CupStage], played: &[PlayedStage]) -> Vec<BracketStage> {
    stages.iter().zip(played).flat_map(|(stage, played)| drawn_stage(stage, played)).collect()
}

/// The columns of a stage: one for each round of a knockout, and one of any other format.
fn drawn_stage(stage: &CupStage, played: &PlayedStage) -> Vec<BracketStage> {
    if matches!(stage.rules.format, Format::Knockout { .. }) {
        return drawn_knockout(stage, played);
    }
    let result = played.progress.result.as_ref();
    // In the last stage nobody advances; the winner of each group is marked.
    let go_on = if result.is_some() { stage.advance.unwrap_or(1) } else { 0 };
    let sums = played.sums(stage);
    let leaders = match stage.rules.format {
        Format::Gauntlet { leaders } => leaders,
        _ => 0,
    };
    let group = |(number, order): (usize, Vec<usize>)| BracketGroup {
        title: played.field.titles[number].clone(),
        words: (order.iter().take(leaders).map(|leader| leads(played, stage, *leader, &sums[*leader])))
            .chain(result.map(|result| result[number].words.clone()).unwrap_or_default())
            .collect(),
        lines: (order.into_iter().enumerate())
            .map(|(rank, entrant)| BracketLine {
                name: played.field.names[entrant].clone(),
                points: sums[entrant].points.to_string(),
                note: if rank < leaders { "leader".to_owned() } else { note(&sums[entrant]) },
                goes_on: rank < go_on,
            })
            .collect(),
    };
    let groups = orders(played).into_iter().enumerate().map(group).collect();
    vec![BracketStage { name: stage.name.clone(), groups }]
}

/// What a leader of a gauntlet has reached: `alpha scored 7 of 12 points, 58.3 %`.
fn leads(played: &PlayedStage, stage: &CupStage, leader: usize, sum: &Sum) -> String {
    let most = stage.rules.points.win() * sum.games.games();
    let name = &played.field.names[leader];
    if sum.games.games() == 0 {
        return format!("{name} leads and has not played yet");
    }
    let share = 100.0 * sum.points.to_f64() / most.to_f64();
    format!("{name} leads and scored {} of {most} points, {share:.1} %", sum.points)
}

/// A column for each round of a knockout: who met whom, with the points of the match.
fn drawn_knockout(stage: &CupStage, played: &PlayedStage) -> Vec<BracketStage> {
    let slots = played.progress.duels.iter().map(|duel| duel.slots).max().unwrap_or(0);
    let rounds = std::iter::successors(Some(slots), |slots| Some(slots / 2)).take_while(|slots| *slots > 1);
    let column = |slots: usize| {
        let of_round = |third: bool| {
            let duels = played.progress.duels.iter();
            duels.filter(move |duel| duel.slots == slots && duel.is_for_third == third)
        };
        // The final comes first, the match for the third place below it.
        let groups: Vec<BracketGroup> =
            of_round(false).chain(of_round(true)).map(|duel| drawn_duel(stage, played, duel)).collect();
        BracketStage { name: format!("{}: {}", stage.name, stage::round_name(slots)), groups }
    };
    rounds.map(column).filter(|column| !column.groups.is_empty()).collect()
}

fn drawn_duel(stage: &CupStage, played: &PlayedStage, duel: &Duel) -> BracketGroup {
    let title = format!("{}, {}", played.field.titles[duel.group], duel.name);
    let one = duel.at.map(|at| played.progress.matches[at]);
    let score = one.and_then(|one| Some((one, played.scores.get(&one.pairing.pairing)?)));
    let line = |entrant: usize| BracketLine {
        name: played.field.names[entrant].clone(),
        points: score.map_or_else(String::new, |(one, score)| {
            let is_first = one.pairing.first == entrant;
            let games = if is_first { score.games } else { score.games.reversed() };
            stage.rules.points.of(games).to_string()
        }),
        note: if duel.at.is_none() { "without an opponent".to_owned() } else { String::new() },
        goes_on: duel.winner == Some(entrant),
    };
    BracketGroup {
        lines: duel.entrants.iter().flatten().map(|entrant| line(*entrant)).collect(),
        words: duel.words.clone(),
        title,
    }
}

/// The note on an entrant besides its points: byes, play-offs and Buchholz.
fn note(sum: &Sum) -> String {
    let bye = (sum.byes > 0).then(|| format!("{} games won without an opponent", sum.byes));
    let play_offs = (sum.play_offs.games() > 0).then(|| format!("play-offs {}", sum.play_offs));
    let buchholz = sum.buchholz.map(|buchholz| format!("Buchholz {}", buchholz.all));
    [buchholz, bye, play_offs].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn places_csv(stages: &[CupStage], places: &[CupPlace]) -> anyhow::Result<String> {
    let row = |CupPlace { name, place, reached }: &CupPlace| {
        let stage = Cell::text(&stages[*reached].name);
        vec![Cell::exact(place), Cell::text(name), Cell::exact(reached + 1), stage]
    };
    cells::text_of(["place", "engine", "stage", "stage_name"], places.iter().map(row))
}

/// A column of `stages.csv` after the engine: its name, and its cell for a sum.
type Column = (&'static str, fn(&Sum) -> Cell);

const COLUMNS: [Column; 12] = [
    ("games", |sum| Cell::exact(sum.games.games())),
    ("wins", |sum| Cell::exact(sum.games.wins)),
    ("draws", |sum| Cell::exact(sum.games.draws)),
    ("losses", |sum| Cell::exact(sum.games.losses)),
    ("points", |sum| Cell::exact(sum.points)),
    ("byes", |sum| Cell::exact(sum.byes)),
    ("play_off_wins", |sum| Cell::exact(sum.play_offs.wins)),
    ("play_off_draws", |sum| Cell::exact(sum.play_offs.draws)),
    ("play_off_losses", |sum| Cell::exact(sum.play_offs.losses)),
    ("buchholz", |sum| of_swiss(sum, |buchholz| buchholz.all)),
    ("buchholz_cut_1", |sum| of_swiss(sum, |buchholz| buchholz.cut_1)),
    ("buchholz_median", |sum| of_swiss(sum, |buchholz| buchholz.median)),
];

/// How many of the columns are before `goes_on`.
const BEFORE: usize = 5;

fn of_swiss(sum: &Sum, part: fn(Buchholz) -> Amount) -> Cell {
    Cell::maybe(sum.buchholz.map(part))
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
                let name = Cell::text(&played.field.names[entrant]);
                let mut row = vec![Cell::exact(number), Cell::exact(group), Cell::exact(place), name];
                row.extend(cells(before));
                row.push(Cell::exact(if goes_on { "yes" } else { "no" }));
                row.extend(cells(behind));
                rows.push(row);
            }
        }
    }
    cells::text_of(head, rows)
}
