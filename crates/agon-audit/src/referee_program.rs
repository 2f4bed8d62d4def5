//! The referee program of stored games: found again, if it is still that of the run.

use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agon_config::GameArg;
use agon_match::hosted::{GameFolder, HostedRules};
use agon_match::processes::Scratch;
use agon_printable::clean;
use agon_programs::kept;
use agon_programs::program::display_path;
use agon_store::hash;

/// What is needed to start referee programs.
pub struct RefereeAccess<'a> {
    /// The folder to use, instead of the one of the run.
    pub folder: Option<PathBuf>,
    /// Where processes get their directories.
    pub scratch: &'a Scratch,
    /// Becomes readable when the user stops the audit.
    pub stop: Arc<OwnedFd>,
}

/// A referee program as a run found it.
#[derive(Clone, Copy, Default, Debug)]
pub struct RefereeOfRun<'a> {
    /// The hash of its contents.
    pub hash: &'a str,
    /// Its folder, if it is known.
    pub folder: Option<&'a str>,
    /// The program that started it, if that was outside of the folder and is known.
    pub outside: Option<&'a str>,
    /// The directory of the run, which may have kept a copy.
    pub run: Option<&'a Path>,
}

/// The hash of the referee program in a folder, if there is one.
pub fn referee_hash(folder: &Path) -> Option<String> {
    let game = GameFolder::at(folder).ok()?;
    hash::of_engine(&game.referee).ok()
}

/// The rules of a game whose folder is known and unchanged, or of which the run has kept a copy.
pub(super) fn found(
    spec: &str,
    seats: usize,
    of_run: RefereeOfRun<'_>,
    access: &RefereeAccess<'_>,
) -> Result<HostedRules, String> {
    let (name, options) = spec.split_once(':').unwrap_or((spec, ""));
    let sought = Sought { name: &clean(name), options, seats, of_run };
    if let Some(folder) = &access.folder {
        return sought.at(folder);
    }
    let there = match of_run.folder {
        Some(folder) => sought.at(Path::new(folder)),
        None => Err(format!("the folder of the referee of {} is not known; {GIVE}", sought.name)),
    };
    // A program that agon has built is known by its sources, and is not found like this.
    there.or_else(|why| {
        let places = of_run.run.map(kept::places).unwrap_or_default();
        let mut copies =
            places.iter().flat_map(|folder| kept::all(folder)).filter(|(_, tree)| tree.is_some());
        copies.find_map(|(home, _)| sought.at(&kept::folder(&home)?).ok()).ok_or(why)
    })
}

const GIVE: &str = "give it with --game FOLDER";

/// The referee program that is sought.
struct Sought<'a> {
    name: &'a str,
    options: &'a str,
    seats: usize,
    of_run: RefereeOfRun<'a>,
}

impl Sought<'_> {
    /// The rules of the game in this folder, if it is that of the run.
    fn at(&self, folder: &Path) -> Result<HostedRules, String> {
        let Sought { name, options, seats, of_run } = *self;
        let place = display_path(folder);
        let cannot = |what: &str, error: &anyhow::Error| {
            format!("the referee of {name} cannot be {what}: {}", clean(&format!("{error:#}")))
        };
        let mut rules = HostedRules::find(&GameArg::in_folder(folder, options), Some(seats))
            .map_err(|error| format!("{}; {GIVE}", cannot("found", &error)))?;
        if rules.folder.name != name {
            return Err(format!("{place} is the game {}, and not {name}; {GIVE}", rules.folder.name));
        }
        rules.hash = hash::of_engine(&rules.folder.referee).map_err(|error| cannot("read", &error))?;
        if rules.hash != of_run.hash {
            return Err(changed(&place, &rules, of_run));
        }
        Ok(rules)
    }
}

/// The words about a referee that is not that of the run: its files, or the program that starts it.
fn changed(place: &str, rules: &HostedRules, of_run: RefereeOfRun<'_>) -> String {
    let hashes = format!("its hash was {} and is {}", clean(of_run.hash), rules.hash);
    let now = rules.folder.referee.outside();
    let restore = "restore its files, or name a folder with them by --game";
    match (of_run.outside, now) {
        (Some(there), Some(here)) if there != here => {
            let name = clean(here.rsplit('/').next().unwrap_or_default());
            let (there, here) = (clean(there), clean(&here));
            format!(
                "{name}, which starts the referee in {place}, is another program than in the run: {here}, was \
                 {there}; PATH decides which; {hashes}"
            )
        }
        (_, Some(here)) => {
            format!("the referee in {place} or its program {} has changed: {hashes}; {restore}", clean(&here))
        }
        (_, None) => format!("the referee in {place} has changed: {hashes}; {restore}"),
    }
}
