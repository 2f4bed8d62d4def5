//! `agon match`: two engines against each other.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use agon_games::PerSeat;
use agon_printable::harmless;
use agon_standings::pairings::{self, PlannedGame};
use agon_standings::sprt::Sprt;
use anyhow::Context;
use clap::Args;

use super::duel::Duel;
use super::run_dir::RunDir;
use super::{code_of, entrants, isolation, settings};
use crate::config::{Misuse, Options, whole};
use crate::engine::program::display_path;
use crate::export::directory::Directory;
use crate::keeper::RunContext;
use crate::record::{GameId, Ply, Verdict};
use crate::referee::Report;
use crate::report::terminal::{self, TableLook};
use crate::run::{self, Sinks};
use crate::store::Store;

/// Plays two engines against each other, sides swapped on the same boards
///
/// An engine is an executable file, or a folder with an engine.toml. Nothing is written but to the terminal,
/// unless --out gives a directory.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon match ./mine ./theirs
  agon match ./mine ./theirs --games 2 -v
  agon match ./mine ./theirs --sprt 0,10    until it is plain whether mine is stronger
  agon match ./mine ./theirs --board board.txt --st 1 --games 2 -v")]
pub(super) struct MatchArgs {
    /// The engine that has the first seat in the first game
    first: PathBuf,

    /// The other one
    second: PathBuf,

    #[command(flatten)]
    options: Options,

    /// The seed of the first board itself, as games.csv has it, to play a game of a tournament again
    #[arg(long, value_name = "N", conflicts_with = "seed", value_parser = whole::<u64>, allow_negative_numbers = true)]
    board_seed: Option<u64>,

    /// Plays until it is plain that the first engine is stronger by the second number of Elo, or is not by the first:
    /// 0,10 or 0,10,alpha=0.05,beta=0.05,normalized,games. Pairs of games on one board count, or with `games` each game
    #[arg(long, value_name = "ELO0,ELO1", conflicts_with = "board_seed", allow_hyphen_values = true)]
    sprt: Option<Sprt>,

    /// Shows each move with its time and points
    #[arg(long, short)]
    verbose: bool,

    /// Shows nothing but the standings in the end
    #[arg(long, short, conflicts_with = "verbose")]
    quiet: bool,
}

/// The most games of a test for which no number is given.
const MOST_OF_A_TEST: u32 = 100_000;

impl MatchArgs {
    pub(super) fn run(self, context: &RunContext) -> anyhow::Result<ExitCode> {
        let games = match (&self.sprt, self.options.games) {
            (Some(_), None) => MOST_OF_A_TEST,
            _ => self.options.games()?,
        };
        if self.board_seed.is_some() && games != 2 {
            return Err(Misuse::error("--board-seed is one board, for two games; add --games 2"));
        }
        let rules = settings::rules(&self.options)?;
        let of = |path| entrants::one(path, &self.options, context);
        let mut engines = vec![of(&self.first)?, of(&self.second)?];
        if engines[0].name == engines[1].name {
            // An engine may well play itself; the table needs two names.
            engines[1].name.push_str(" (2)");
        }
        let mut options = self.options.clone();
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
        entrants::arguments(&run, context)?;
        if let Some(out) = &self.options.out {
            Directory::check(out)?;
        }
        let mut events = settings::events(&self.options)?;
        let mut home = match &self.options.out {
            Some(out) => Some(RunDir::open(out, &run, games, "match", false)?),
            None => None,
        };
        let human = settings::stdout_is_events(&self.options);
        let tell = move |text: &str| {
            if human {
                return super::say(text);
            }
            // To a pipe that was closed there is nobody to tell; the run goes on.
            let _ = writeln!(std::io::stdout(), "{}", harmless(text.as_bytes()));
        };
        if !self.quiet {
            isolation::warn(&run);
            match self.board_seed {
                Some(seed) => tell(&format!("{}, {}, board seed {seed}", run.rules.spec(), run.control)),
                None => tell(&format!("{}, {}, seed {}", run.rules.spec(), run.control, run.seed)),
            }
        }
        let mut on_ply = |id: GameId, number: usize, ply: &Ply| {
            tell(&format!(
                "{} {number:>3}. {}  {} points, {:.3} ms",
                id.game,
                ply.text,
                ply.points,
                ply.time.as_secs_f64() * 1e3
            ));
        };
        let quiet = self.quiet;
        let mut duel = Duel::new(&run.entrants[0].name);
        if let Some(home) = &home {
            home.store.shorts()?.iter().for_each(|short| duel.add_short(short));
        }
        let test = self.sprt;
        let decided = AtomicBool::new(test.is_some_and(|test| duel.decides(&test)));
        let mut on_game = |report: &Report| {
            duel.add(&report.record);
            if test.is_some_and(|test| duel.decides(&test)) {
                decided.store(true, Ordering::Relaxed);
            }
            if !quiet {
                tell(&result(report));
            }
        };
        let played = home.as_ref().map(|home| (home.beginning.played.clone(), home.keys.clone()));
        let left =
            |game: &PlannedGame| played.as_ref().is_none_or(|(played, keys)| !played.has(keys.of(game)));
        let (mut store, mut directory, mut stop) = (None, None, None);
        if let Some(home) = &mut home {
            store = Some(&mut home.store);
            directory = Some(&mut home.directory);
            stop = Some(home.stop.clone());
        }
        let faces = Sinks {
            events: events.as_mut(),
            stop,
            store,
            directory,
            on_ply: if self.verbose { Some(&mut on_ply) } else { None },
            on_game: Some(&mut on_game),
            ..Sinks::default()
        };
        let names: Vec<String> = run.entrants.iter().map(|engine| engine.name.clone()).collect();
        let done = match self.board_seed {
            None => {
                let plan = pairings::plan(&names, games, run.seed).filter(left);
                let plan = plan.take_while(|_| !decided.load(Ordering::Relaxed));
                run::play(&run, context, plan, u64::from(games), faces)?
            }
            Some(seed) => {
                let plan = (1..=2).map(|game| PlannedGame {
                    id: GameId { round: 1, pairing: 1, game },
                    seats: if game == 1 { PerSeat::two(0, 1) } else { PerSeat::two(1, 0) },
                    seed,
                });
                let plan = plan.filter(left);
                run::play(&run, context, plan, 2, faces)?
            }
        };
        if let Some(test) = &test {
            tell(&duel.told(test));
        }
        let rows = done.standings.table();
        if human {
            super::drawn_aside(&rows);
        } else {
            // Not by `tell`: a table that goes nowhere is a result that is lost.
            let table = terminal::standings(&rows, TableLook::of(&std::io::stdout()));
            std::io::stdout().write_all(table.as_bytes()).context("cannot write the standings")?;
        }
        if let Some(home) = &home
            && !self.quiet
        {
            home.head()?.iter().for_each(|line| tell(line));
            tell(&format!("results in {}", display_path(Path::new(home.directory.path()))));
        }
        Ok(code_of(&done))
    }
}

/// A game's result in a line or two.
fn result(report: &Report) -> String {
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
