//! The command that plays a game of a run again.

use crate::engine::spec::EngineSpec;
use crate::record::GameRecord;
use crate::run::{Run, shell_path, shell_word};

impl Run {
    /// The arguments of agon that play a game again, with the same board and sides.
    pub fn again(&self, record: &GameRecord) -> String {
        let seats = record.seats.values().iter();
        let engines: Vec<&EngineSpec> = seats
            .filter_map(|seat| self.entrants.iter().find(|engine| engine.name == seat.entrant))
            .collect();
        let options = format!("{}{}", self.again, elsewhere(engines.iter().copied()));
        let engines: Vec<String> = engines.iter().map(|engine| shell_path(&engine.source)).collect();
        let engines = engines.join(" ");
        let plies = self.openings.random_plies_of(record.id.game.div_ceil(2));
        let start = match self.openings.parts() {
            ([], _) if plies == 0 => String::new(),
            ([], _) => format!(" --random-plies {plies}"),
            _ => format!(" --position {}", shell_word(record.start.as_ref())),
        };
        let games = record.seats.len();
        format!("match {engines} {options}{start} --games {games} --board-seed {} -v", record.seed)
    }
}

/// The options that let these engines play elsewhere.
fn elsewhere<'e>(engines: impl Iterator<Item = &'e EngineSpec>) -> String {
    let mut again = String::new();
    for engine in engines {
        let Some(elsewhere) = &engine.elsewhere else { continue };
        again.push_str(&format!(" --elsewhere {}", shell_word(engine.organisers_name().as_ref())));
        if !elsewhere.most().is_zero() && !again.contains(" --lag ") {
            again.push_str(&format!(" --lag {}", elsewhere.most().as_secs_f64()));
        }
    }
    again
}
