//! `agon analyse`: which moves threw games away, in games that are solved.

use std::collections::HashMap;
use std::iter::Enumerate;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use std::vec::IntoIter;

use agon_config::{CommandExit, Misuse, Options, whole};
use agon_export::json;
use agon_export::notation::player_tag;
use agon_games::Rules;
use agon_match::keeper;
use agon_pages::analysis::{AnalysedGame, AnalysedPly, EngineAnalyses, PlayedGame, quality_name};
use agon_pages::report::columns::columns;
use agon_printable::{are, clean, counted};
use agon_programs::program::display_path;
use agon_programs::stopping;
use agon_record::GameRecord;
use agon_seats::{PerSeat, Seat};
use agon_solved::{Extent, MoveQuality, ProofSearch, Solver};
use agon_standings::result::GameId;
use agon_store::{Filter, Store};
use agon_tournament::competition::looked::{LookedRun, joined_csv};
use agon_tournament::competition::settings;
use agon_tournament::progress;
use anyhow::Context;
use clap::Args;

use crate::cli::games::solved::{solver, warn, words};
use crate::cli::results::analyse_rows::{GameRows, engine_csv, engine_object};
use crate::cli::results::proofs::{self, ProvedPlayers};
use crate::cli::results::replay;
use crate::cli::stage_option::StageOption;
use crate::cli::{known_in, out, out_list, say};

/// Shows which moves threw games away, in solved games
///
/// A blunder changes the value of the game. A slip keeps it, and makes a win longer or a loss
/// shorter. An only move alone keeps it. For each engine, agon shows the share of perfect moves, in
/// each part of the game. It shows how many games the engine won of those in which it had a won
/// position. It also shows how many games the engine threw away. These ended worse for the engine
/// than a position that it had. Values are those of agon position value: moves whose value is not
/// known count for nothing.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon analyse results
  agon analyse results r01-p0003-g02            every move of one game
  agon analyse game.txt
  agon analyse results r01-p0003-g02 --depth 5  what five plies prove, also where nothing is solved
  agon analyse results --engine mine --csv      a row for each ply
  agon analyse results --engines --json         a line for each engine")]
pub(crate) struct AnalyseArgs {
    /// The directory of a run or of a cup, or the record of a game
    #[arg(value_name = "DIR|RECORD", default_value = "agon-run")]
    place: PathBuf,

    /// Only this game, with all its moves
    #[arg(value_name = "GAME")]
    id: Option<GameId>,

    /// Only games of this engine
    #[arg(long, value_name = "NAME")]
    engine: Option<String>,

    /// With --csv or --json: the engines, and not the games
    #[arg(long)]
    engines: bool,

    /// Writes a CSV table: a row for each ply
    #[arg(long, conflicts_with = "json")]
    csv: bool,

    /// Writes JSON: a line for each game
    #[arg(long)]
    json: bool,

    /// The most games that are listed with the move that threw them away
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = whole::<usize>, allow_negative_numbers = true)]
    list: usize,

    /// The most positions that a search for the value of one move looks at, in games without a
    /// table. More of them find more values
    #[arg(long, value_name = "N", default_value_t = 200_000, value_parser = whole::<u64>, allow_negative_numbers = true)]
    positions: u64,

    /// Shows instead what a search of so many plies proves, in every built-in game: missed wins,
    /// missed blocks, and the last moment when the game could be saved; in the letter cube also the
    /// best words
    #[arg(long, value_name = "N", conflicts_with_all = ["engines", "csv", "json"], value_parser = clap::value_parser!(u32).range(1..=99))]
    depth: Option<u32>,

    /// The word list of the letter cube [default: a list of English words that is built in]
    #[arg(long, value_name = "FILE")]
    dictionary: Option<PathBuf>,

    #[command(flatten)]
    of: StageOption,
}

/// The games of one run, or one game.
#[derive(Default)]
struct Analysed {
    engines: EngineAnalyses,
    /// Those that are shown one by one.
    games: Vec<AnalysedGame>,
    /// How many games there were.
    total: usize,
    /// Games of games that are not solved.
    unsolved: usize,
    /// Games that were not looked at, as the user had stopped it.
    left: usize,
}

/// How many games are analysed at one time, on all cores, before they are shown.
const TOGETHER: usize = 64;

impl AnalyseArgs {
    pub(crate) fn run(&self) -> anyhow::Result<ExitCode> {
        let mut solvers = Solvers { by_spec: HashMap::new(), most_positions: self.positions };
        if let Some(depth) = self.depth {
            return self.prove(depth, &mut solvers);
        }
        if self.id.is_some() || !self.place.is_dir() {
            let (record, rules) = {
                let words = self.dictionary.as_deref();
                replay::recorded(&self.place, self.id, None, words, self.of.stage)?
            };
            let start = record.tag("Start").unwrap_or("startpos").to_owned();
            let name = |side: &str| record.tag(player_tag(side)).unwrap_or(side).to_owned();
            let game = PlayedGame {
                id: record.tag("Id").map_or_else(|| display_path(&self.place), str::to_owned),
                entrants: rules.seats().iter().map(|side| name(side)).collect::<Vec<_>>().into(),
                moves: record.plies.iter().map(|ply| ply.text.clone()).collect(),
                places: record.tag("Result").and_then(places),
            };
            let solver = solvers.of(rules.as_ref());
            if solver.extent() == Extent::Nothing {
                return Err(Misuse::hinted(
                    format!("nothing of {} is solved", rules.spec()),
                    "add --depth 5 for what a search of five plies proves",
                ));
            }
            let game = analysed(&rules.spec(), &start, game, solver)?;
            if let Some(mut rows) = self.game_rows(false) {
                return rows.put(&game, None).map(|()| ExitCode::SUCCESS);
            }
            let mut all = Analysed::default();
            all.engines.add(&game);
            all.games.push(game);
            return self.show(&[(None, all)], true);
        }
        let runs = self.of.runs(&self.place)?;
        let mut parts = Vec::new();
        let known = known_in(&runs, self.engine.as_deref())?;
        let has_stages = known.len() != 1 || known.iter().any(|(run, _)| run.number.is_some());
        let mut rows = self.game_rows(has_stages);
        keeper::heed_stops()?;
        for (run, store) in known {
            let part = self.analyse(&store, &mut solvers, &mut |game| match &mut rows {
                Some(rows) => rows.put(game, run.number),
                None => Ok(()),
            })?;
            parts.push((Some(run), part));
        }
        solvers.warn();
        let total: usize = parts.iter().map(|(_, part)| part.total).sum();
        let unsolved: usize = parts.iter().map(|(_, part)| part.unsolved).sum();
        let left: usize = parts.iter().map(|(_, part)| part.left).sum();
        if total + left == 0 && unsolved > 0 {
            return Err(Misuse::error(format!(
                "{}: nothing of the games that were played here is solved; agon position value --help says which are",
                display_path(&self.place)
            )));
        }
        let done = match rows {
            Some(mut rows) => rows.begin().map(|()| ExitCode::SUCCESS),
            None => self.show(&parts, false),
        }?;
        if left == 0 {
            return Ok(done);
        }
        say(&format!(
            "stopped: {} analysed, and {left} {} left",
            if total == 1 { "1 game was".to_owned() } else { format!("{total} games were") },
            are(left)
        ));
        Ok(CommandExit::Interrupted.into())
    }

    /// Where games are written one by one; `None` if the games themselves are not written.
    fn game_rows(&self, has_stages: bool) -> Option<GameRows> {
        GameRows::new(self.csv && !self.engines, self.json && !self.engines, has_stages)
    }

    /// Shows what a search of so many plies proves of each game.
    fn prove(&self, depth: u32, solvers: &mut Solvers) -> anyhow::Result<ExitCode> {
        let search = ProofSearch { depth, positions: self.positions };
        if self.id.is_some() || !self.place.is_dir() {
            let words = self.dictionary.as_deref();
            let (record, rules) = replay::recorded(&self.place, self.id, None, words, self.of.stage)?;
            let start = record.tag("Start").unwrap_or("startpos");
            let name = |side: &&str| record.tag(player_tag(side)).unwrap_or(side).to_owned();
            let names: Vec<String> = rules.seats().iter().map(name).collect();
            let moves: Vec<String> = record.plies.iter().map(|ply| ply.text.clone()).collect();
            let id = record.tag("Id").map_or_else(|| display_path(&self.place), str::to_owned);
            let players = ProvedPlayers { id: &id, names: &names, spec: &rules.spec() };
            proofs::show(&players, solvers.of(rules.as_ref()), start, &moves, search)?;
            return Ok(ExitCode::SUCCESS);
        }
        let runs = self.of.runs(&self.place)?;
        for (_, store) in known_in(&runs, self.engine.as_deref())? {
            store.games(&Filter { engine: self.engine.clone(), ..Filter::default() }, |stored| {
                let record = &stored.record;
                if record.referee.is_some() {
                    return Ok(());
                }
                let names: Vec<String> =
                    record.seats.values().iter().map(|seat| seat.entrant.clone()).collect();
                let moves: Vec<String> = record.plies.iter().map(|ply| ply.text.clone()).collect();
                let (id, solver) =
                    (record.id.to_string(), solvers.of_record(record, self.dictionary.as_ref())?);
                let players = ProvedPlayers { id: &id, names: &names, spec: &record.rules };
                proofs::show(&players, solver, &record.start, &moves, search)
            })?;
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Analyses the games of a run, on all cores. `take` gets each of them, in the order of the
    /// plan. When the user stops it, the games that are done stay.
    fn analyse(
        &self,
        store: &Store,
        solvers: &mut Solvers,
        take: &mut dyn FnMut(&AnalysedGame) -> anyhow::Result<()>,
    ) -> anyhow::Result<Analysed> {
        let mut all = Analysed::default();
        let bar = progress::begun("analysing", store.counts()?.0);
        let mut waiting = Vec::new();
        let mut finish = |waiting: &mut Vec<GameToAnalyse>, solvers: &Solvers, all: &mut Analysed| {
            for game in analysed_together(std::mem::take(waiting), solvers, &|| bar.inc(1)) {
                let Some(game) = game else {
                    all.left += 1;
                    continue;
                };
                let game = game?;
                take(&game)?;
                all.add(game, self.list);
            }
            anyhow::Ok(())
        };
        store.games(&Filter { engine: self.engine.clone(), ..Filter::default() }, |stored| {
            let record = &stored.record;
            if stopping::is_asked() {
                all.left += 1;
                return Ok(());
            }
            let solver = match record.referee {
                Some(_) => None,
                None => Some(solvers.of_record(record, self.dictionary.as_ref())?),
            };
            if solver.is_none_or(|solver| solver.extent() == Extent::Nothing) {
                all.unsolved += 1;
                return Ok(());
            }
            waiting.push(GameToAnalyse::of(record));
            if waiting.len() < TOGETHER { Ok(()) } else { finish(&mut waiting, solvers, &mut all) }
        })?;
        finish(&mut waiting, solvers, &mut all)?;
        bar.finish_and_clear();
        Ok(all)
    }

    fn show(&self, parts: &[(Option<&LookedRun>, Analysed)], alone: bool) -> anyhow::Result<ExitCode> {
        if self.csv {
            let mut tables = Vec::new();
            for (run, part) in parts {
                tables.push((run.and_then(|run| run.number), engine_csv(&part.engines)?));
            }
            out(&joined_csv(&tables))?;
            return Ok(ExitCode::SUCCESS);
        }
        for (at, (run, part)) in parts.iter().enumerate() {
            let stage = run.and_then(|run| run.number);
            match self.json {
                true => {
                    for (name, engine) in &part.engines.engines {
                        out(&(json::line(&engine_object(name, engine, stage)) + "\n"))?;
                    }
                }
                _ if alone => part.games.iter().try_for_each(show_game)?,
                _ => {
                    if let Some(run) = run {
                        run.announce(at == 0)?;
                    }
                    self.show_run(part)?;
                }
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    fn show_run(&self, part: &Analysed) -> anyhow::Result<()> {
        let phases = part.engines.phases();
        let mut head = vec![
            "engine",
            "games",
            "moves",
            "known",
            "perfect",
            "slips",
            "blunders",
            "only moves",
            "wins found",
            "thrown away",
        ];
        head.extend(phases.iter().map(|phase| phase.name()));
        let rows: Vec<Vec<String>> = (part.engines.engines.iter())
            .map(|(name, engine)| {
                let mut row = vec![
                    clean(name),
                    engine.games.to_string(),
                    engine.moves.to_string(),
                    engine.all.known.to_string(),
                    percent(engine.all.share()),
                    engine.slips.to_string(),
                    engine.blunders.to_string(),
                    format!("{} of {}", engine.only_found, engine.only_moves),
                    format!("{} of {}", engine.wins_found, engine.winnable),
                    engine.thrown_away.to_string(),
                ];
                let share = |phase| engine.phases.get(phase).and_then(|count| count.share());
                row.extend(phases.iter().map(|phase| percent(share(phase))));
                row
            })
            .collect();
        out_list(&columns(&head, &rows))?;
        if part.unsolved > 0 {
            out(&format!(
                "{} {are} not solved and {are} left out\n",
                counted(part.unsolved, "game"),
                are = are(part.unsolved)
            ))?;
        }
        show_thrown_away(&part.games)
    }
}

/// The games that were thrown away, each with the first move by which it was.
fn show_thrown_away(games: &[AnalysedGame]) -> anyhow::Result<()> {
    let row = |game: &AnalysedGame, seat: Seat, ply: Option<&AnalysedPly>| {
        let mut row = vec![game.game.id.clone(), clean(&game.game.entrants[seat])];
        let Some(ply) = ply else {
            row.extend(["-", "no move", "by a fault or a rule of counts", "", ""].map(str::to_owned));
            return row;
        };
        let later = game.last_blunder().filter(|last| last.number != ply.number);
        row.extend([
            ply.number.to_string(),
            ply.review.text.clone(),
            format!("{} -> {}", words(ply.review.before), words(ply.review.played)),
            ply.review.best.clone().unwrap_or_default(),
            later.map(|last| format!("blunder at ply {}", last.number)).unwrap_or_default(),
        ]);
        row
    };
    let rows: Vec<Vec<String>> = (games.iter())
        .flat_map(|game| game.thrown_away().into_iter().map(move |(seat, ply)| row(game, seat, ply)))
        .collect();
    if rows.is_empty() {
        return Ok(());
    }
    out("\nThe games thrown away, each with the first move that changed the value:\n")?;
    out_list(&columns(&["game", "engine", "ply", "move", "value", "best", "the last"], &rows))
}

impl Analysed {
    /// Adds a game, and keeps it to be listed if it was thrown away and fewer than `most` are kept.
    fn add(&mut self, game: AnalysedGame, most: usize) {
        self.total += 1;
        self.engines.add(&game);
        if self.games.len() < most && !game.thrown_away().is_empty() {
            self.games.push(game);
        }
    }
}

/// A stored game before it is analysed.
struct GameToAnalyse {
    spec: String,
    start: String,
    game: PlayedGame,
}

impl GameToAnalyse {
    fn of(record: &GameRecord) -> Self {
        GameToAnalyse {
            spec: record.rules.clone(),
            start: record.start.clone(),
            game: PlayedGame::of(record),
        }
    }

    fn analysed(self, solver: &Solver) -> anyhow::Result<AnalysedGame> {
        analysed(&self.spec, &self.start, self.game, solver)
    }
}

/// How long the games in work may go on when the user has stopped the analysis.
const GRACE: Duration = Duration::from_secs(1);

/// Games by their places, each with its values.
type Queue = Mutex<Enumerate<IntoIter<(Arc<Solver>, GameToAnalyse)>>>;

/// Analyses games on all cores, and returns them in their order. When the user stops it, the games
/// that are not done soon are `None`: their threads end with the process, as one value may take
/// minutes.
fn analysed_together(
    games: Vec<GameToAnalyse>,
    solvers: &Solvers,
    told: &dyn Fn(),
) -> Vec<Option<anyhow::Result<AnalysedGame>>> {
    let mut results: Vec<Option<anyhow::Result<AnalysedGame>>> = games.iter().map(|_| None).collect();
    let each = games.into_iter().map(|game| (solvers.by_spec[&game.spec].clone(), game));
    let queue: Arc<Queue> = Arc::new(Mutex::new(each.collect::<Vec<_>>().into_iter().enumerate()));
    let (done, news) = mpsc::channel();
    let next = |queue: &Queue| {
        if stopping::is_asked() { None } else { queue.lock().expect("no thread panicked").next() }
    };
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    for _ in 0..cores.min(results.len()) {
        let (queue, done) = (queue.clone(), done.clone());
        let work = move || {
            while let Some((at, (solver, game))) = next(&queue) {
                if done.send((at, game.analysed(&solver))).is_err() {
                    return; // nobody waits any more
                }
            }
        };
        // With fewer threads it takes longer; without any it is done below.
        if std::thread::Builder::new().spawn(work).is_err() {
            break;
        }
    }
    drop(done);
    let mut stopped = None;
    loop {
        match news.recv_timeout(GRACE / 20) {
            Ok((at, game)) => {
                results[at] = Some(game);
                told();
            }
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {}
        }
        if stopping::is_asked() && stopped.get_or_insert_with(Instant::now).elapsed() > GRACE {
            break;
        }
    }
    while let Some((at, (solver, game))) = next(&queue) {
        results[at] = Some(game.analysed(&solver));
        told();
    }
    results
}

/// The values of each game that occurs.
struct Solvers {
    by_spec: HashMap<String, Arc<Solver>>,
    most_positions: u64,
}

impl Solvers {
    fn of(&mut self, rules: &dyn Rules) -> &Solver {
        let most = Some(self.most_positions);
        self.by_spec.entry(rules.spec()).or_insert_with(|| Arc::new(solver(rules, None, most)))
    }

    /// The values of the game of a record.
    fn of_record(&mut self, record: &GameRecord, dictionary: Option<&PathBuf>) -> anyhow::Result<&Solver> {
        if !self.by_spec.contains_key(&record.rules) {
            let game = Some(record.rules.as_str().into());
            let options = Options { game, dictionary: dictionary.cloned(), ..Options::default() };
            let rules = settings::built_in(&options)?;
            let most = Some(self.most_positions);
            self.by_spec.insert(record.rules.clone(), Arc::new(solver(rules.as_ref(), None, most)));
        }
        Ok(&self.by_spec[&record.rules])
    }

    fn warn(&self) {
        self.by_spec.values().for_each(|solver| warn(solver));
    }
}

fn analysed(spec: &str, start: &str, game: PlayedGame, solver: &Solver) -> anyhow::Result<AnalysedGame> {
    let id = game.id.clone();
    let mut followed = solver
        .follow(start)
        .map_err(|refusal| anyhow::anyhow!("{refusal}"))
        .with_context(|| format!("the start of game {id} cannot be read"))?;
    AnalysedGame::new(spec, game, followed.as_mut()).map_err(|(ply, refusal)| {
        Misuse::hinted(format!("game {id}, ply {ply}: {refusal}"), "agon verify says more")
    })
}

/// The places of a result in the notation of two seats.
fn places(result: &str) -> Option<PerSeat<u8>> {
    match result {
        "1-0" => Some(PerSeat::two(1, 2)),
        "0-1" => Some(PerSeat::two(2, 1)),
        "1/2-1/2" => Some(PerSeat::two(1, 1)),
        _ => None,
    }
}

fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "-".to_owned(), |share| format!("{:.1} %", share * 100.0))
}

/// Every move of a game.
fn show_game(game: &AnalysedGame) -> anyhow::Result<()> {
    let rows: Vec<Vec<String>> = game
        .plies
        .iter()
        .map(|ply| {
            let review = &ply.review;
            let is_perfect = review.best.as_ref() == Some(&review.text) || review.before == review.played;
            vec![
                ply.number.to_string(),
                clean(&game.game.entrants[review.seat]),
                review.text.clone(),
                quality_name(ply.quality()).to_owned() + if review.is_only() { ", only move" } else { "" },
                words(review.before),
                if is_perfect { String::new() } else { words(review.played) },
                review.best.clone().filter(|_| !is_perfect).unwrap_or_default(),
            ]
        })
        .collect();
    out_list(&columns(&["ply", "engine", "move", "", "value", "after it", "best"], &rows))?;
    out(&turning_point(game))
}

/// The move that lost the game, and those that threw a better result away.
fn turning_point(game: &AnalysedGame) -> String {
    let told = |what: &str, ply: &AnalysedPly| {
        format!(
            "{} {what} at ply {} first, with {}; best was {}\n",
            clean(&game.game.entrants[ply.review.seat]),
            ply.number,
            ply.review.text,
            ply.review.best.as_deref().unwrap_or("not known")
        )
    };
    let losing = game.first_losing();
    let mut lines = String::new();
    if let Some(ply) = losing {
        let is_lost = game.has_lost(ply.review.seat);
        lines += &told(if is_lost { "lost the game" } else { "had a lost position" }, ply);
    }
    for (_, ply) in game.thrown_away() {
        let Some(ply) = ply.filter(|ply| losing.is_none_or(|losing| losing.number != ply.number)) else {
            continue;
        };
        lines += &told(if ply.loses() { "threw the game away" } else { "threw the win away" }, ply);
    }
    if lines.is_empty() {
        return match game.plies.iter().find(|ply| ply.quality() == MoveQuality::Blunder) {
            Some(ply) => told("changed the value of the game", ply),
            None => "no move is known to have changed the value of the game\n".to_owned(),
        };
    }
    lines
}
