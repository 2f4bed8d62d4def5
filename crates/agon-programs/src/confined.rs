//! How each engine of a run is confined. Engines that play elsewhere have a level of their own.

use agon_config::Confinement;
use agon_record::{Isolated, Lag, PlayedElsewhere};
use agon_sandbox::Isolation;

use super::sandbox;
use super::spec::EngineSpec;

impl EngineSpec {
    /// How this engine is confined in a run that confines its engines so. An engine elsewhere needs
    /// a network, which no box has.
    #[must_use]
    pub fn confinement(&self, of_run: &Confinement) -> Confinement {
        let level = match self.elsewhere {
            Some(_) => of_run.level.min(Isolation::Limits),
            None => of_run.level,
        };
        Confinement { level, ..of_run.clone() }
    }

    /// The record of an engine elsewhere in a game with this lag; `None` if it plays here.
    pub fn played_elsewhere(&self, of_run: &Confinement, lag: Option<Lag>) -> Option<PlayedElsewhere> {
        self.elsewhere.as_ref()?;
        let own = self.confinement(of_run);
        let isolation = Isolated { level: own.level.to_string(), in_force: sandbox::in_force(&own) };
        Some(PlayedElsewhere { place: self.place.clone(), isolation, lag })
    }

    /// The name by which `--elsewhere` knows it. Its own file cannot choose it: a name in the file
    /// does not count, and that of the folder does.
    pub fn organisers_name(&self) -> String {
        if self.names_itself { self.folder_name() } else { self.name.clone() }
    }
}
