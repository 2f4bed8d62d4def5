//! The plan of a tournament at tables of more than two seats, as `agon plan` shows it.

use std::io::{self, Write};

use agon_config::{Misuse, Options};
use agon_printable::{clean, counted};
use agon_standings::pairings::Table;
use agon_standings::table_plan::{TableFormat, TablePlan};
use agon_tournament::competition::settings;
use serde_json::{Value, json};

/// The tables before the first game.
pub(crate) struct PlannedTables {
    names: Vec<String>,
    plan: TablePlan,
    /// The games at each table.
    games: u32,
    seed: u64,
    /// The number of all games.
    total: u64,
}

impl PlannedTables {
    /// The tables of these engines; `None` if the game has two seats.
    ///
    /// # Errors
    /// [`Misuse`]: there are too few engines, or the options do not fit the game.
    pub(crate) fn of(options: &Options, names: Vec<String>) -> anyhow::Result<Option<Self>> {
        let seats = settings::seats(options)?;
        if seats == 2 {
            return Ok(None);
        }
        let plan = TablePlan { seats, format: options.tables.unwrap_or_default() };
        let games = options.games_at(seats)?;
        let total = plan.count(names.len(), games).map_err(|error| Misuse::error(error.to_string()))?;
        let seed = options.seed.unwrap_or(0);
        Ok(Some(PlannedTables { names, plan, games, seed, total }))
    }

    fn count(&self) -> u64 {
        self.total / u64::from(self.games)
    }

    /// The tables that are known before the first game.
    fn tables(&self) -> impl Iterator<Item = Table> + '_ {
        let games = self.plan.games(&self.names, 1, self.seed).into_iter().flatten();
        games.map(|game| Table {
            round: game.id.round,
            pairing: game.id.pairing,
            entrants: game.seats.values().to_vec(),
        })
    }

    fn engines(&self, table: &Table) -> Vec<&str> {
        table.entrants.iter().map(|entrant| self.names[*entrant].as_str()).collect()
    }

    /// The tables as JSON.
    pub(crate) fn object(&self) -> Value {
        let table = |table: Table| json!({ "round": table.round, "engines": self.engines(&table), "games": self.games });
        json!({
            "stages": [{
                "name": "tables",
                "engines": self.names.len(),
                "groups": [self.names.len()],
                "pairings": self.count(),
                "games": self.total,
            }],
            "groups": [],
            "pairings": self.tables().map(table).collect::<Vec<_>>(),
        })
    }

    /// Writes the tables, unless `summary`, and how many there are.
    pub(crate) fn write(&self, out: &mut dyn Write, summary: bool) -> io::Result<()> {
        let mut round = None;
        for table in self.tables().take_while(|_| !summary) {
            if round.replace(table.round) != Some(table.round) {
                writeln!(out, "  round {}", table.round)?;
            }
            let engines: Vec<String> = self.engines(&table).into_iter().map(clean).collect();
            writeln!(out, "    {}", engines.join(" - "))?;
        }
        if matches!(self.plan.format, TableFormat::Swiss { .. }) && !summary {
            writeln!(out, "  the rounds after it follow from the results")?;
        }
        let (engines, seats) = (self.names.len(), self.plan.seats);
        writeln!(
            out,
            "{engines} engines at tables of {seats}, {}, {}",
            counted(self.count(), "table"),
            counted(self.total, "game")
        )?;
        out.flush()
    }
}
