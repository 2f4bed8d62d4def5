//! A folder of engines: each executable file, each subfolder with an `engine.toml`, and each
//! download of Gomocup.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::machine_fault::MachineFaults;
use super::naming::{self, FoundIn};
use super::places::{self, ListedEntry};
use super::spec::EngineSpec;
use super::{languages, pbrain, program};

/// What was found in a folder, ordered by name.
#[derive(Debug, Default)]
pub struct Listing {
    /// The engines.
    pub engines: Vec<EngineSpec>,
    /// What is not an engine, and why.
    pub skipped: Vec<Remark>,
    /// What looks like an engine but cannot be started, and what to do.
    pub broken: Vec<Remark>,
    /// What this machine lacks for the broken engines that could not be built for that alone.
    pub lacking: MachineFaults,
    /// The engines that have the name of their folder, because others have theirs.
    pub renamed: Vec<Remark>,
}

/// A remark about one entry of the folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Remark {
    /// Its path.
    pub entry: PathBuf,
    /// The entry, escaped.
    pub what: String,
    /// What to know about it.
    pub why: String,
}

impl Remark {
    /// What is wrong with the entry, with its path.
    pub fn line(&self) -> String {
        // An error in an engine.toml names its file already.
        if self.why.starts_with(&self.what) {
            self.why.clone()
        } else {
            format!("{}: {}", self.what, self.why)
        }
    }
}

/// Reads a folder. Engines may still have to be built; [`Listing::check`] checks them after that.
///
/// # Errors
/// The folder cannot be read.
pub fn read(folder: &Path) -> io::Result<Listing> {
    let mut paths: Vec<_> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    paths.sort();
    let mut listing = Listing { lacking: MachineFaults::of_engines(), ..Listing::default() };
    let mut entries = Vec::new();
    for path in paths {
        let what = program::display_path(&path);
        let skip = |listing: &mut Listing, why: &str| {
            listing.skipped.push(Remark { entry: path.clone(), what: what.clone(), why: why.to_owned() });
        };
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if name == "tournament.toml" && path.is_file() {
            continue; // the options of the tournament, which are read
        }
        if name.starts_with('.') {
            skip(&mut listing, "hidden");
        } else if path.is_dir() {
            if path.join("agon.db").is_file() {
                continue; // the results of a run, which may lie among its engines
            }
            if !path.join("engine.toml").exists() && pbrain::of_folder(&path).is_none() {
                skip(&mut listing, "a folder without an engine.toml in it");
                continue;
            }
            match EngineSpec::at(&path) {
                Ok(engine) => entries.push((path, engine)),
                Err(why) => listing.broken.push(Remark { entry: path, what, why }),
            }
        } else if path.is_file()
            && !pbrain::is_one(&path)
            && rustix::fs::access(&path, rustix::fs::Access::EXEC_OK).is_err()
        {
            let why = match program::check(&path) {
                Err(why) if looks_like_a_program(&path) => {
                    format!("looks like a program, but is {why}")
                }
                _ if languages::is_source(&name) => {
                    format!(
                        "a source, and not executable; agon check {what} tells how it would be built and started"
                    )
                }
                _ => "not executable".to_owned(),
            };
            skip(&mut listing, &why);
        } else {
            // Executable, a broken link or a FIFO: it is probably meant as an engine.
            match EngineSpec::at(&path) {
                Ok(engine) => entries.push((path, engine)),
                Err(why) => listing.broken.push(Remark { entry: path, what, why }),
            }
        }
    }
    let placed: Vec<ListedEntry<'_>> =
        entries.iter().map(|(path, engine)| ListedEntry { path, engine }).collect();
    for ((path, engine), refused) in entries.iter().zip(places::refused(&placed)) {
        match refused {
            None => listing.engines.push(engine.clone()),
            Some(why) => {
                let what = program::display_path(path);
                listing.broken.push(Remark { entry: path.clone(), what, why });
            }
        }
    }
    Ok(listing)
}

impl Listing {
    /// Moves an engine to the broken ones.
    pub fn leave_out(&mut self, engine: &EngineSpec, why: String) {
        self.engines.retain(|listed| listed.source != engine.source);
        let what = program::display_path(&engine.source);
        self.broken.push(Remark { entry: engine.source.clone(), what, why });
    }

    /// Gives engines of one name the names of their folders. Moves engines that cannot be started,
    /// and engines that share a name nevertheless, to the broken ones. If one of these has the name
    /// of its own file or folder, it keeps the name: another cannot put it out with a `name` in an
    /// `engine.toml`.
    pub fn check(&mut self) {
        let before: Vec<String> = self.engines.iter().map(|engine| engine.name.clone()).collect();
        for at in naming::by_folders(&mut self.engines, FoundIn::OneFolder) {
            let (engine, name) = (&self.engines[at], &before[at]);
            self.renamed.push(Remark {
                entry: engine.source.clone(),
                what: program::display_path(&engine.source),
                why: format!("it plays as {}, because another engine is called {name} too", engine.name),
            });
        }
        let mut names: BTreeMap<String, Vec<(PathBuf, bool)>> = BTreeMap::new();
        for engine in &self.engines {
            names.entry(engine.name.clone()).or_default().push((engine.source.clone(), engine.names_itself));
        }
        for engine in std::mem::take(&mut self.engines) {
            let what = program::display_path(&engine.program);
            let mut others = names[&engine.name].iter().filter(|(source, _)| *source != engine.source);
            if let Some((rival, _)) = others.find(|(_, names_itself)| engine.names_itself || !names_itself) {
                let why = format!(
                    "the name {} is taken by {}; rename one, or set name in its engine.toml",
                    engine.name,
                    program::display_path(rival)
                );
                let what = program::display_path(&engine.source);
                self.broken.push(Remark { entry: engine.source, what, why });
                continue;
            }
            match engine.can_start() {
                Ok(()) => self.engines.push(engine),
                Err(why) => self.broken.push(Remark { entry: engine.source, what, why }),
            }
        }
    }
}

fn looks_like_a_program(path: &Path) -> bool {
    let mut head = [0; 4];
    let read = fs::File::open(path).and_then(|mut file| io::Read::read(&mut file, &mut head));
    read.is_ok() && (head.starts_with(b"#!") || head.starts_with(b"\x7fELF"))
}
