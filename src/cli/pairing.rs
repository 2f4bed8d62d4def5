//! `agon match`: two engines against each other.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use agon_games::PerSeat;
use agon_standings::pairings::{self, PlannedGame};
use agon_standings::sprt::Sprt;
use clap::Args;

use super::match_score::MatchScore;
use super::run_dir::RunPlan;
use super::session::{RunWatch, Session, Teller};
use super::settings;
use crate::config::{Misuse, Options, Seconds, whole};
use crate::engine::program::display_path;
use crate::engine::spec::EngineSpec;
use crate::entrants::{self, EngineBuilder};
use crate::keeper::RunContext;
use crate::record::{GameId, Ply, Verdict};
use crate::referee::Report;
use crate::report::terminal;
use crate::run::Run;
use crate::store::Store;

/// Plays two engines against each other, sides swapped on the same boards
///
/// An engine is an executable file, or a folder with an engine.toml. Without --out no file is
/// written.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon match ./mine ./theirs
  agon match ./mine ./theirs --games 2 -v
  agon match ./mine ./theirs --games 2 -v --no-clock    one of them runs in a debugger
  agon match ./mine ./theirs --sprt 0,10    until it is plain whether mine is stronger
  agon match ./mine ./theirs --board board.txt --st 1 --games 2 -v")]
pub(super) struct MatchArgs {
    /// The engine that has the first seat in the first game
    first: PathBuf,

    /// The other engine
    second: PathBuf,

    #[command(flatten)]
    options: Options,

    /// The seed of one board, from games.csv, to play a game of a tournament again
    #[arg(long, value_name = "N", conflicts_with = "seed", value_parser = whole::<u64>, allow_negative_numbers = true)]
    board_seed: Option<u64>,

    /// Plays until SPRT decides between the two Elo differences of the first engine: 0,10 or
    /// 0,10,alpha=0.05,beta=0.05,normalized,games. It counts pairs of games on one board, or with
    /// `games` each game
    #[arg(long, value_name = "ELO0,ELO1", conflicts_with = "board_seed", allow_hyphen_values = true)]
    sprt: Option<Sprt>,

    /// No engine loses on time: for one that runs in a debugger. It is told the time as usual, and may
    /// be a week late
    #[arg(long, conflicts_with_all = ["margin", "startup"])]
    no_clock: bool,

    /// Shows each move with its time and points
    #[arg(long, short)]
    verbose: bool,

    /// Shows only the standings at the end
    #[arg(long, short, conflicts_with = "verbose")]
    quiet: bool,
}

/// The most games of a test without --games.
const MOST_OF_A_TEST: u32 = 100_000;

/// The margin without a clock: a week, the most that a time may be. It stands in the records.
const NO_CLOCK: Duration = Duration::from_secs(7 * 24 * 3600);

impl MatchArgs {
    pub(super) fn run(self, context: &RunContext) -> anyhow::Result<ExitCode> {
        let games = self.games()?;
        let run = self.prepared(context)?;
        let directories: Vec<PathBuf> = self.options.out.iter().cloned().collect();
        let teller = Teller::stdout(self.quiet, &self.options);
        let mut session = Session::open(context, &self.options, &run, &directories, teller)?;
        let mut directory = match &self.options.out {
            Some(out) => Some(session.directory(
                out,
                &run,
                RunPlan { games, matches: None, ranking: None },
                "match",
                false,
            )?),
            None => None,
        };
        let board = self.board_seed.map_or(format!("seed {}", run.seed), |seed| format!("board seed {seed}"));
        let clock = if self.no_clock { ", no clock: nobody loses on time" } else { "" };
        teller.say(&format!("{}, {}, {board}{clock}", run.rules.spec(), run.control));
        let mut score = MatchScore::new(&run.entrants[0].name);
        if let Some(directory) = &directory {
            directory.store.results()?.iter().for_each(|result| score.add_result(result));
        }
        let is_decided = |score: &MatchScore| self.sprt.is_some_and(|test| score.decides(&test));
        let decided = AtomicBool::new(is_decided(&score));
        let mut on_game = |report: &Report| {
            score.add(&report.record);
            if is_decided(&score) {
                decided.store(true, Ordering::Relaxed);
            }
            teller.say(&result(report));
        };
        let mut on_ply = |id: GameId, number: usize, ply: &Ply| teller.say(&line(id, number, ply));
        let watch = RunWatch {
            on_ply: if self.verbose { Some(&mut on_ply) } else { None },
            on_game: Some(&mut on_game),
            ..RunWatch::default()
        };
        let names: Vec<String> = run.entrants.iter().map(|engine| engine.name.clone()).collect();
        let plan = self.plan(&names, games, run.seed).take_while(|_| !decided.load(Ordering::Relaxed));
        let done = session.play(&run, directory.as_mut(), plan, u64::from(games), watch)?;
        let told = self.sprt.map(|test| format!("{}\n", score.told(&test))).unwrap_or_default();
        let rows = done.standings.table();
        let code = session
            .show(|look| format!("{told}{}", terminal::standings(&rows, done.standings.tiebreaks(), look)))?;
        if let Some(directory) = &directory {
            directory.head()?.iter().for_each(|line| teller.say(line));
            teller.say(&format!("results in {}", display_path(directory.directory.path())));
        }
        Ok(code)
    }

    /// The most games to play.
    fn games(&self) -> anyhow::Result<u32> {
        let games = match (&self.sprt, self.options.games) {
            (Some(_), None) => MOST_OF_A_TEST,
            _ => self.options.games()?,
        };
        if self.board_seed.is_some() && games != 2 {
            return Err(Misuse::hinted("--board-seed is one board, for two games", "add --games 2"));
        }
        Ok(games)
    }

    /// The run, with both engines found and built.
    fn prepared(&self, context: &RunContext) -> anyhow::Result<Run> {
        let rules = settings::rules(&self.options)?;
        let confinement = self.options.confinement()?;
        let builder = EngineBuilder { context, confinement, tell: &super::say };
        let mut engines = vec![entrants::one(&self.first, &builder)?, entrants::one(&self.second, &builder)?];
        distinguish(&mut engines);
        let mut options = self.options.clone();
        if self.no_clock {
            options.margin = Some(Seconds(NO_CLOCK));
            options.startup = Some(Seconds(NO_CLOCK));
        }
        if let (None, None, Some(out)) = (options.seed, self.board_seed, &options.out) {
            options.seed = Store::seed_in(out)?;
        }
        let mut run = settings::run(&options, rules, engines, self.options.time_control()?)?;
        if let Some(seed) = self.board_seed {
            run.seed = seed; // nothing else is drawn from it
        }
        if self.verbose && self.options.concurrency.is_none() {
            run.concurrency = 1; // moves of several games at once are hard to follow
        }
        Ok(run)
    }

    /// The games in their order: those of the seed, or two on the board of --board-seed.
    fn plan<'n>(
        &self,
        names: &'n [String],
        games: u32,
        seed: u64,
    ) -> Box<dyn Iterator<Item = PlannedGame> + Send + 'n> {
        let Some(seed) = self.board_seed else {
            return Box::new(pairings::plan(names, games, seed));
        };
        Box::new((1..=2).map(move |game| PlannedGame {
            id: GameId { round: 1, pairing: 1, game },
            seats: if game == 1 { PerSeat::two(0, 1) } else { PerSeat::two(1, 0) },
            seed,
        }))
    }
}

/// Gives the second engine another name if it has that of the first: an engine may play itself.
pub(super) fn distinguish(engines: &mut [EngineSpec]) {
    if engines[0].name == engines[1].name {
        engines[1].name.push_str(" (2)");
    }
}

/// A move as a line.
pub(super) fn line(id: GameId, number: usize, ply: &Ply) -> String {
    let millis = ply.time.as_secs_f64() * 1e3;
    format!("{} {number:>3}. {}  {} points, {millis:.3} ms", id.game, ply.text, ply.points)
}

/// A game's result as a line.
pub(super) fn result(report: &Report) -> String {
    let record = &report.record;
    let who: Vec<String> =
        record.seats.values().iter().map(|seat| format!("{} {}", seat.side, seat.entrant)).collect();
    let who = who.join(" - ");
    match &record.verdict {
        Verdict::Void { why } => format!("game {}: {who}: void, {why}", record.id.game),
        Verdict::Decided(decided) => {
            let mut line = format!(
                "game {}: {who}: {}, {} plies, ",
                record.id.game,
                record.result_text(),
                record.plies.len()
            );
            match decided.termination.forfeited() {
                None => line.push_str(&decided.reason),
                Some(seat) => {
                    let by = &record.seats[seat];
                    line.push_str(&format!("{} by {}: {}", decided.termination, by.entrant, decided.reason));
                }
            }
            line
        }
    }
}
