//! A tournament of a file without the program agon, whose results go to a receiver of one's own:
//! `cargo run -p agon-tournament --example cup -- cup.toml`.

use std::path::Path;

use agon_config::Options;
use agon_match::keeper::RunContext;
use agon_match::referee::Report;
use agon_standings::Standings;
use agon_standings::cup::CupStage;
use agon_tournament::competition::cup_files;
use agon_tournament::competition::played_stage::PlayedStage;
use agon_tournament::competition::sink::Sink;
use agon_tournament::competition::tournament::{AskedTournament, Tournament};

/// What came of a tournament.
#[derive(Default)]
pub(crate) struct Results {
    /// The games: the engines and the result of each.
    pub(crate) games: Vec<String>,
    /// The engines in the order of their places.
    pub(crate) places: Vec<String>,
}

impl Sink for Results {
    fn game(&mut self, report: &Report, _is_repeat: bool) {
        let seats = report.record.seats.values().iter();
        let names: Vec<&str> = seats.map(|seat| seat.entrant.as_str()).collect();
        self.games.push(format!("{} {}", names.join(" - "), report.record.result_text()));
    }

    fn standings(&mut self, _title: Option<&str>, standings: &Standings) -> anyhow::Result<()> {
        self.places = standings.table().iter().map(|row| row.entrant.clone()).collect();
        Ok(())
    }

    fn stages(&mut self, stages: &[CupStage], played: &[PlayedStage]) -> anyhow::Result<()> {
        self.places = cup_files::places(stages, played).into_iter().map(|place| place.name).collect();
        Ok(())
    }
}

/// Plays the tournament of a file, or goes on with it.
pub(crate) fn play(file: &Path) -> anyhow::Result<Results> {
    let home = tempfile::tempdir()?;
    let (context, _stop) = RunContext::without_keeper(home.path().join("engines"))?;
    let mut results = Results::default();
    Tournament::new(AskedTournament::read(file, Options::default())?).play(&context, &mut results)?;
    Ok(results)
}

#[allow(dead_code)] // a test plays it as a module
fn main() -> anyhow::Result<()> {
    let file = std::env::args().nth(1).ok_or_else(|| anyhow::anyhow!("give a tournament.toml"))?;
    let results = play(Path::new(&file))?;
    results.games.iter().for_each(|game| println!("{game}"));
    (1..).zip(&results.places).for_each(|(place, name)| println!("{place}. {name}"));
    Ok(())
}
