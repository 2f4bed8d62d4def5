//! Oracle: plays best moves wherever the value of the position is known, and any move elsewhere. With a
//! lower skill, some of its moves are drawn at random: an opponent of a known strength.

#[path = "../talk/mod.rs"]
mod talk;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

use agon_games::{Needs, Position};
use agon_solved::{Solver, SolverSettings};
use talk::{Brain, Failure, Kind, Order, Setting, Watch, draw, tables};

fn main() -> ExitCode {
    talk::run(|order| {
        let (game, options) = order.game();
        match game {
            "connect4" => order.play(tables::connect4(options), Oracle::new(order)?),
            "mill" => order.play(tables::mill(options), Oracle::new(order)?),
            "mnk" => order.play(tables::mnk(options), Oracle::new(order)?),
            "morris" => order.play(tables::morris(options), Oracle::new(order)?),
            _ => Err(order.unknown("connect4, mill, mnk and morris")),
        }
    })
}

/// The most positions that a search for the value of one move looks at, in games without a table.
const POSITIONS: u32 = 100_000;

struct Oracle {
    spec: String,
    solver: Solver,
    /// How many of a hundred moves are best ones. The others are drawn from all legal moves.
    skill: u32,
    seed: u32,
    positions: u32,
}

impl Oracle {
    fn new(order: &Order) -> Result<Self, Failure> {
        let spec = order.spec.clone();
        let solver = solver(&spec, POSITIONS).map_err(Failure::Usage)?;
        Ok(Oracle { spec, solver, skill: 100, seed: 0, positions: POSITIONS })
    }

    /// A number that follows from the seed, the position and what it is for.
    fn drawn(&self, position: &str, purpose: &str) -> u64 {
        draw(format!("{} {purpose} {position}", self.seed).as_bytes())
    }

    /// One of the best moves, as text with its side. `None` if the position cannot be followed.
    fn best(&self, position: &str) -> Option<String> {
        let ranked = self.solver.follow(position).ok()?.ranked();
        let alike = ranked.chunk_by(|one, next| one.valuation == next.valuation).next()?;
        let chosen = self.drawn(position, "best") % alike.len() as u64;
        alike.get(chosen as usize).map(|one| one.text.clone())
    }
}

/// The values of a game, with the tables that `agon value` uses too.
fn solver(spec: &str, positions: u32) -> Result<Solver, String> {
    let rules = agon_games::find(spec, &Needs::default()).map_err(|error| error.to_string())?;
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")));
    let settings = SolverSettings {
        directory: base.map(|base| base.join("agon")),
        threads: NonZeroUsize::MIN,
        tell: None,
        most_positions: Some(positions.into()),
    };
    Ok(Solver::new(rules.as_ref(), settings))
}

impl<P: Position> Brain<P> for Oracle {
    fn name(&self) -> String {
        "agon-oracle".to_owned()
    }

    fn settings(&self) -> Vec<Setting> {
        vec![
            Setting { name: "Skill", kind: Kind::Spin { default: 100, least: 0, most: 100 } },
            Setting { name: "Seed", kind: Kind::Spin { default: 0, least: 0, most: u32::MAX } },
            Setting {
                name: "Positions",
                kind: Kind::Spin { default: POSITIONS, least: 1, most: 1_000_000_000 },
            },
        ]
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let number = value.parse().map_err(|_| format!("{name} is a whole number"))?;
        match name {
            "Skill" => self.skill = number,
            "Seed" => self.seed = number,
            _ => {
                self.positions = number;
                self.solver = solver(&self.spec, number)?;
            }
        }
        Ok(())
    }

    /// Opens the table of the game, or makes it, while no clock runs.
    fn new_game(&mut self) {
        self.solver.prepare();
    }

    fn choose(&mut self, position: &P, _: &mut Watch<'_>) -> Option<P::Move> {
        let text = position.text();
        if self.drawn(&text, "skill") % 100 < u64::from(self.skill)
            && let Some(best) = self.best(&text)
            && let Ok(mv) = position.parse(best.split_once(',').map_or(best.as_str(), |(_, mv)| mv))
        {
            return Some(mv);
        }
        let mut moves = Vec::new();
        position.moves(&mut moves);
        let chosen = self.drawn(&text, "any") % moves.len().max(1) as u64;
        moves.get(chosen as usize).copied()
    }
}
