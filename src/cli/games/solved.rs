//! `agon solve` and `agon position value`: the values of positions in games that are solved.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::sync::Arc;

use agon_config::{Misuse, Options, whole};
use agon_export::json;
use agon_games::{Rules, with_side};
use agon_match::referee::solved_tables::{NOWHERE, tables};
use agon_pages::report::columns::columns;
use agon_printable::clean;
use agon_solved::{Extent, RankedMove, Solver, SolverSettings, TableNews, TierCounts, Valuation};
use agon_tournament::competition::settings;
use agon_tournament::progress;
use clap::Args;
use serde_json::{Value, json};

use crate::cli::games::position_args::PositionArgs;
use crate::cli::{out, say};

/// Solves a game, and stores the values of its positions
///
/// Only morris has a table: every position of six men's morris, and endgames of nine men's morris.
/// It counts the positions of each tier, XXYZ (men to place, men of X and of O on the board), that
/// the side to move wins, draws and loses; each symmetric image counts.
///
/// It is stored in the folder agon of XDG_CACHE_HOME, or of ~/.cache, and made by itself when a
/// value is asked for.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon solve morris
  agon solve morris:nine --threads 2
  agon solve morris --verify")]
pub(crate) struct SolveArgs {
    /// The game and its options
    game: String,

    /// How many threads solve it [default: the processors of this machine]
    #[arg(long, value_name = "N", value_parser = whole::<usize>, allow_negative_numbers = true)]
    threads: Option<usize>,

    /// Compares each position with its successors
    #[arg(long)]
    verify: bool,
}

impl SolveArgs {
    pub(crate) fn run(&self) -> anyhow::Result<ExitCode> {
        let rules = rules(&self.game)?;
        let threads = match self.threads {
            Some(0) => return Err(Misuse::misread("--threads", "0 threads solve nothing; give 1 or more")),
            threads => threads.and_then(NonZeroUsize::new),
        };
        let solver = solver(rules.as_ref(), threads, None);
        let Some(cells) = solver.cells() else {
            let how = match solver.extent() {
                Extent::Nothing => "nothing of it is solved",
                _ => "its values are found by search when they are asked for; see agon position value",
            };
            return Err(Misuse::error(format!("{} has no table: {how}", rules.spec())));
        };
        solver.prepare();
        warn(&solver);
        let rows: Vec<Vec<String>> = by_number(&solver.tiers())
            .into_iter()
            .map(|(number, [won, drawn, lost], longest)| {
                let counts = [won, drawn, lost, longest.into()].map(|count| count.to_string());
                [vec![number.to_string()], counts.to_vec()].concat()
            })
            .collect();
        out(&columns(&["tier", "won", "drawn", "lost", "longest"], &rows))?;
        let place = solver.path().filter(|path| path.is_file());
        let place = place.map_or_else(|| "in memory alone".to_owned(), |path| path.display().to_string());
        out(&format!("{cells} cells, {}\n", clean(&place)))?;
        if self.verify {
            let bar = progress::cells_bar();
            solver.verify(&|done| bar(TableNews::Cells(done))).map_err(|wrong| anyhow::anyhow!("{wrong}"))?;
            out("every position agrees with its successors\n")?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The positions of each tier, XXYZ, that the side to move wins, draws and loses, and the longest
/// remoteness; the tier of the start comes first.
fn by_number(tiers: &[TierCounts]) -> Vec<(u16, [u64; 3], u16)> {
    let mut all: BTreeMap<u16, ([u64; 3], u16)> = BTreeMap::new();
    for tier in tiers {
        let number =
            |first: u8, second: u8| u16::from(tier.hands) * 100 + u16::from(first) * 10 + u16::from(second);
        // X places first, so that it is to move while an even number of men is left.
        let (x, o) = (number(tier.own, tier.other), number(tier.other, tier.own));
        let numbers = match tier.hands {
            0 => vec![x, o],
            hands if hands % 2 == 0 => vec![x],
            _ => vec![o],
        };
        for number in numbers {
            let (counts, longest) = all.entry(number).or_default();
            for (sum, count) in counts.iter_mut().zip([tier.won, tier.drawn, tier.lost]) {
                *sum += count;
            }
            *longest = tier.longest.max(*longest);
        }
    }
    all.into_iter().rev().map(|(number, (counts, longest))| (number, counts, longest)).collect()
}

/// Shows whether a position is won, drawn or lost, and what each move leads to
///
/// Won in N: the side to move wins in N plies, however well the other side defends. Lost in N: the
/// longest defence. A value is proven or unknown, and never a guess.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon position value mnk:3x3,3
  agon position value morris --moves '3 12'
  agon position value connect4 --moves '4 4 4 4 4 4 2 2 2 2 6 6' --json")]
pub(crate) struct ValueArgs {
    #[command(flatten)]
    position: PositionArgs,

    /// Writes one line of JSON
    #[arg(long)]
    json: bool,
}

impl ValueArgs {
    pub(crate) fn run(&self) -> anyhow::Result<ExitCode> {
        let rules = self.position.rules()?;
        let (start, moves) = self.position.played(rules.as_ref())?;
        let solver = solver(rules.as_ref(), None, None);
        if solver.extent() == Extent::Nothing {
            return Err(Misuse::error(format!("nothing of {} is solved", rules.spec())));
        }
        let mut game =
            solver.follow(&start).map_err(|refusal| Misuse::misread("--position", &refusal.to_string()))?;
        for played in &moves {
            game.play(played).map_err(|refusal| Misuse::misread("--moves", &refusal.to_string()))?;
        }
        let value = game.value();
        let ranked = if game.is_over() { Vec::new() } else { game.ranked() };
        warn(&solver);
        let to_move = rules.seats()[game.mover().index()];
        let place = rules.resume(&game.text()).map_err(std::io::Error::other)?;
        let after = |one: &RankedMove| {
            let mut next = rules.resume(&game.text()).ok()?;
            let line = with_side(&one.text, rules.seats(), next.to_move());
            next.play(line.as_bytes()).ok()?;
            next.tier()
        };
        if self.json {
            let mut object = valued(value);
            object["game"] = rules.spec().into();
            object["position"] = game.text().into();
            object["to_move"] = if game.is_over() { Value::Null } else { to_move.into() };
            if let Some(tier) = place.tier() {
                object["tier"] = tier.into();
            }
            let of_move = |one: &RankedMove| {
                let mut object = valued(one.valuation);
                object["move"] = one.text.as_str().into();
                if let Some(tier) = after(one) {
                    object["tier"] = tier.into();
                }
                object
            };
            object["moves"] = ranked.iter().map(of_move).collect();
            out(&(json::line(&object) + "\n"))?;
            return Ok(ExitCode::SUCCESS);
        }
        let who = if game.is_over() { "the game is over".to_owned() } else { format!("{to_move} to move") };
        out(&format!("{who}: {}\n", words(value)))?;
        let tier = place.tier();
        if let Some(tier) = tier {
            out(&format!("tier {tier}\n"))?;
        }
        if !ranked.is_empty() {
            let tier_of = |one: &RankedMove| after(one).map(|tier| tier.to_string());
            let row = |one: &RankedMove| {
                [one.text.clone(), words(one.valuation)].into_iter().chain(tier_of(one)).collect()
            };
            let rows: Vec<Vec<String>> = ranked.iter().map(row).collect();
            let head = ["move", "value", "tier"];
            out(&columns(if tier.is_some() { &head } else { &head[..2] }, &rows))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The rules of a built-in game.
fn rules(game: &str) -> anyhow::Result<Arc<dyn Rules>> {
    settings::built_in(&Options { game: Some(game.into()), ..Options::default() })
}

/// The values of a game, with tables in the cache directory of the user. A table that is made shows
/// its progress on a terminal. A search for one value looks at `most_positions`, if that is fewer
/// than usual.
pub(crate) fn solver(
    rules: &dyn Rules,
    threads: Option<NonZeroUsize>,
    most_positions: Option<u64>,
) -> Solver {
    let threads = threads.or_else(|| std::thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN);
    let tell = Some(progress::cells_bar());
    let settings =
        SolverSettings { directory: tables(), threads, tell, most_positions, ..Default::default() };
    Solver::new(rules, settings)
}

pub(crate) fn warn(solver: &Solver) {
    if solver.cells().is_some() && solver.path().is_none() {
        say(&format!("warning: {NOWHERE}; the table is kept in memory alone"));
    }
    solver.take_warnings().iter().for_each(|warning| say(&format!("warning: {warning}")));
}

/// A value in words; of an unknown one, why.
pub(crate) fn words(valuation: Valuation) -> String {
    match valuation {
        Valuation::Known(solution) => solution.to_string(),
        Valuation::Unknown { why } => format!("unknown: {why}"),
    }
}

/// A value as JSON.
pub(crate) fn valued(valuation: Valuation) -> Value {
    match valuation {
        Valuation::Known(solution) => {
            json!({ "value": solution.value.name(), "remoteness": solution.remoteness.plies() })
        }
        Valuation::Unknown { why } => json!({ "value": null, "remoteness": null, "unknown": why }),
    }
}
