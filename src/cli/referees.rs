//! The referee program for commands that referee stored games again: its folder is found, built and
//! made ready.

use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agon_audit::referee_program::RefereeAccess;
use agon_config::{Confinement, GameArg};
use agon_match::hosted::GameFolder;
use agon_match::keeper::RunContext;
use agon_match::processes::Scratch;
use agon_tournament::entrants::{self, BuildPlace, EngineBuilder, isolation};

/// Where referee programs are started.
pub(super) struct RefereeWorkshop {
    folder: Option<PathBuf>,
    scratch: Scratch,
    stop: Arc<OwnedFd>,
}

impl RefereeWorkshop {
    /// Programs are started where the run found them, or in this folder, whose program is built
    /// first.
    pub(super) fn open(folder: Option<&Path>, context: &RunContext) -> anyhow::Result<Self> {
        let folder = match folder {
            None => None,
            Some(folder) => {
                // The options of each game are in its run, so those behind the folder are ignored.
                let given = GameArg::from(folder.to_string_lossy().as_ref());
                let folder = if folder.exists() { folder } else { Path::new(given.parts().0) };
                // A folder that is not there is reported with its file.
                let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
                let game = GameFolder::at(&folder)?;
                let confinement = Confinement::default();
                isolation::is_available(&confinement, context)?;
                let builder = EngineBuilder { context, confinement, tell: &crate::cli::say };
                entrants::make_ready(&game.referee, &builder, BuildPlace::BoxedIfForeign)?;
                Some(folder)
            }
        };
        // There is one such directory at a time.
        let scratch = Scratch::create(&context.scratch)?;
        Ok(RefereeWorkshop { folder, scratch, stop: context.stop.clone() })
    }

    pub(super) fn access(&self) -> RefereeAccess<'_> {
        RefereeAccess { folder: self.folder.clone(), scratch: &self.scratch, stop: self.stop.clone() }
    }
}
