//! The games and engines of `agon analyse` as rows of a table, or as lines of JSON.

use agon_export::cells::{self, CsvCell, CsvWriter};
use agon_export::json;
use agon_pages::analysis::{AnalysedGame, AnalysedPly, EngineAnalyses, EngineAnalysis, quality_name};
use agon_seats::Seat;
use serde_json::{Value, json};

use crate::cli::games::solved::valued;
use crate::cli::out;

/// Games that are written one by one, so that none of them stays in memory: the rows of a table, or
/// lines of JSON.
pub(super) struct GameRows {
    is_csv: bool,
    has_stages: bool,
    has_begun: bool,
}

impl GameRows {
    /// `None` if the games themselves are not written.
    pub(super) fn new(is_csv: bool, is_json: bool, has_stages: bool) -> Option<GameRows> {
        (is_csv || is_json).then_some(GameRows { is_csv, has_stages, has_begun: false })
    }

    /// Writes the head of the table, if that was not done.
    pub(super) fn begin(&mut self) -> anyhow::Result<()> {
        if std::mem::replace(&mut self.has_begun, true) || !self.is_csv {
            return Ok(());
        }
        let stage = self.has_stages.then_some("stage");
        write_rows([PLY_HEAD.into_iter().chain(stage).map(CsvCell::from).collect()])
    }

    pub(super) fn put(&mut self, game: &AnalysedGame, stage: Option<usize>) -> anyhow::Result<()> {
        self.begin()?;
        if !self.is_csv {
            return out(&(json::line(&game_object(game, stage)) + "\n"));
        }
        let stage = self.has_stages.then(|| CsvCell::exact(stage.unwrap_or(0)));
        write_rows(game.plies.iter().map(|ply| ply_row(game, ply).into_iter().chain(stage.clone()).collect()))
    }
}

fn write_rows(rows: impl IntoIterator<Item = Vec<CsvCell>>) -> anyhow::Result<()> {
    let mut bytes = Vec::new();
    let mut table = CsvWriter::new(&mut bytes);
    rows.into_iter().try_for_each(|row| table.row(row))?;
    table.flush()?;
    drop(table);
    out(&String::from_utf8(bytes)?)
}

const PLY_HEAD: [&str; 14] = [
    "game",
    "ply",
    "phase",
    "side",
    "engine",
    "move",
    "quality",
    "value",
    "remoteness",
    "value_after",
    "remoteness_after",
    "best",
    "legal",
    "keeping",
];

fn ply_row(game: &AnalysedGame, ply: &AnalysedPly) -> Vec<CsvCell> {
    let review = &ply.review;
    let (before, after) = (review.before.known(), review.played.known());
    vec![
        CsvCell::exact(&game.game.id),
        CsvCell::exact(ply.number),
        CsvCell::exact(ply.phase.name()),
        CsvCell::exact(review.text.split(',').next().unwrap_or_default()),
        CsvCell::text(&game.game.entrants[review.seat]),
        CsvCell::text(&review.text),
        CsvCell::exact(quality_name(ply.quality())),
        CsvCell::maybe(before.map(|before| before.value)),
        CsvCell::maybe(before.and_then(|before| before.remoteness.plies())),
        CsvCell::maybe(after.map(|after| after.value)),
        CsvCell::maybe(after.and_then(|after| after.remoteness.plies())),
        CsvCell::text(review.best.as_deref().unwrap_or_default()),
        CsvCell::exact(review.legal),
        CsvCell::maybe(review.keeping),
    ]
}

pub(super) fn engine_csv(engines: &EngineAnalyses) -> anyhow::Result<String> {
    let head = [
        "engine",
        "games",
        "moves",
        "known",
        "perfect",
        "slips",
        "blunders",
        "only_moves",
        "only_found",
        "winnable",
        "wins_found",
        "thrown_away",
        "phase",
        "phase_known",
        "phase_perfect",
    ];
    let rows = engines.engines.iter().flat_map(|(name, engine)| {
        let counts = [
            engine.games,
            engine.moves,
            engine.all.known,
            engine.all.perfect,
            engine.slips,
            engine.blunders,
            engine.only_moves,
            engine.only_found,
            engine.winnable,
            engine.wins_found,
            engine.thrown_away,
        ];
        engine.phases.iter().map(move |(phase, count)| {
            let mut row = vec![CsvCell::text(name)];
            row.extend(counts.map(CsvCell::exact));
            row.extend([
                CsvCell::exact(phase.name()),
                CsvCell::exact(count.known),
                CsvCell::exact(count.perfect),
            ]);
            row
        })
    });
    cells::text_of(head, rows)
}

pub(super) fn engine_object(name: &str, engine: &EngineAnalysis, stage: Option<usize>) -> Value {
    let phases: serde_json::Map<String, Value> = (engine.phases.iter())
        .map(|(phase, count)| {
            (phase.name().to_owned(), json!({ "known": count.known, "perfect": count.perfect }))
        })
        .collect();
    json!({
        "engine": name,
        "stage": stage,
        "games": engine.games,
        "moves": engine.moves,
        "known": engine.all.known,
        "perfect": engine.all.perfect,
        "slips": engine.slips,
        "blunders": engine.blunders,
        "only_moves": engine.only_moves,
        "only_found": engine.only_found,
        "winnable": engine.winnable,
        "wins_found": engine.wins_found,
        "thrown_away": engine.thrown_away,
        "phases": phases,
    })
}

fn game_object(game: &AnalysedGame, stage: Option<usize>) -> Value {
    let plies: Vec<Value> = game
        .plies
        .iter()
        .map(|ply| {
            let review = &ply.review;
            json!({
                "ply": ply.number,
                "phase": ply.phase.name(),
                "engine": game.game.entrants[review.seat],
                "move": review.text,
                "quality": quality_name(ply.quality()),
                "before": valued(review.before),
                "after": valued(review.played),
                "best": review.best,
                "legal": review.legal,
                "keeping": review.keeping,
            })
        })
        .collect();
    let seats = (0..game.game.entrants.len()).map(Seat::new);
    let thrown_away: Vec<&String> =
        seats.filter(|seat| game.is_thrown_away_by(*seat)).map(|seat| &game.game.entrants[seat]).collect();
    json!({
        "id": game.game.id,
        "stage": stage,
        "engines": game.game.entrants.values(),
        "first_losing_ply": game.first_losing().map(|ply| ply.number),
        "last_blunder": game.last_blunder().map(|ply| ply.number),
        "thrown_away_by": thrown_away,
        "plies": plies,
    })
}
