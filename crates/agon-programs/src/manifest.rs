//! What a box shows: a list of places, each with the reason why it is there.
//!
//! It is computed from where an engine lies and from what the organiser has: his options, his
//! `PATH`, his own folders. Nothing that a submission says has a part in it, so not a byte of it is
//! read here. One thing alone is read of an organiser's engine: which program its `engine.toml`
//! names.

use std::fmt;
use std::path::{Path, PathBuf};

use agon_sandbox::{is_of_system, why_not_shown};

use super::origin::Origin;
use super::program::without_dots;
use super::spec::EngineSpec;
use super::{tools, wine};

/// Why a box shows a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// Every box shows it.
    System,
    /// The engine itself: its folder, or the one file that it is.
    Engine,
    /// The program that the organiser's own `engine.toml` or `game.toml` names.
    Command,
    /// `--show`, or the key `show`.
    Asked,
    /// The installation of this interpreter or build tool, which is in the organiser's `PATH`.
    Tool(&'static str),
    /// A table of a solved game.
    Tables,
    /// Wine, or the template of its prefix.
    Wine,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::System => f.write_str("every box has it"),
            Reason::Engine => f.write_str("the engine itself"),
            Reason::Command => f.write_str("the command in the organiser's file"),
            Reason::Asked => f.write_str("--show"),
            Reason::Tool(name) => write!(f, "the installation of {name} in PATH"),
            Reason::Tables => f.write_str("a table of a solved game"),
            Reason::Wine => f.write_str("Wine"),
        }
    }
}

/// A place that a box shows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ShownPlace {
    /// The file or the directory with all below it, absolute; in the box it has the same path.
    pub path: PathBuf,
    /// Why it is there.
    pub reason: Reason,
    /// Whether an engine can write to it: to its own tmpfs alone.
    pub writable: bool,
}

/// What the box of an engine or of a build shows besides what every box has.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Manifest {
    places: Vec<ShownPlace>,
}

impl Manifest {
    /// The manifest of an engine. `asked` are the places of `--show`.
    pub fn of(engine: &EngineSpec, asked: &[PathBuf]) -> Self {
        let mut all = Manifest::default();
        all.add_engine(engine);
        let program = without_dots(&engine.program);
        let is_elsewhere = !program.starts_with(&engine.source);
        // A program that is not there is not shown either: the engine cannot be started.
        if engine.origin == Origin::Organiser && is_elsewhere && program.is_file() {
            all.add(program, Reason::Command);
        }
        all.add_asked(asked);
        tools::interpreters().iter().for_each(|place| all.add(place.path.clone(), Reason::Tool(place.tool)));
        wine::places().into_iter().for_each(|path| all.add(path, Reason::Wine));
        all
    }

    /// The manifest of the build of what lies in a folder.
    pub fn of_build(asked: &[PathBuf]) -> Self {
        let mut all = Manifest::default();
        all.add_asked(asked);
        tools::of_builds().iter().for_each(|place| all.add(place.path.clone(), Reason::Tool(place.tool)));
        all
    }

    /// The same with more places of the organiser's.
    #[must_use]
    pub fn with(mut self, places: impl IntoIterator<Item = PathBuf>, reason: Reason) -> Self {
        places.into_iter().for_each(|path| self.add(path, reason));
        self
    }

    /// Adds the engine itself. What is gone by now stays in the list: the builder of the box is to
    /// miss it.
    fn add_engine(&mut self, engine: &EngineSpec) {
        let has_others = engine.apart.iter().any(|name| engine.source.join(name).exists());
        // A program that lies among them needs its place.
        let is_apart = |path: &Path| engine.parts().are_apart(path);
        let is_among = engine.program.strip_prefix(&engine.source).is_ok_and(is_apart);
        if !has_others || is_among {
            self.add(engine.source.clone(), Reason::Engine);
            return;
        }
        // Its folder without what is no part of it: the other entries, each for itself.
        let entries = std::fs::read_dir(&engine.source).into_iter().flatten().flatten();
        let parts = entries.filter(|entry| !is_apart(Path::new(&entry.file_name())));
        for path in parts.map(|entry| entry.path()).filter(|path| path.exists()) {
            self.add(path, Reason::Engine);
        }
    }

    fn add_asked(&mut self, asked: &[PathBuf]) {
        asked.iter().for_each(|path| self.add(path.clone(), Reason::Asked));
    }

    /// Adds a place, unless one that is there shows it already.
    fn add(&mut self, path: PathBuf, reason: Reason) {
        if !self.has(&path) {
            self.places.retain(|place| !place.path.starts_with(&path));
            self.places.push(ShownPlace { path, reason, writable: false });
        }
    }

    /// The places besides those that every box has.
    pub fn places(&self) -> &[ShownPlace] {
        &self.places
    }

    /// Every place that the box shows, those of the system too.
    pub fn whole(&self) -> Vec<ShownPlace> {
        let common = agon_sandbox::of_every_box().into_iter();
        let common = common.map(|(path, writable)| ShownPlace { path, reason: Reason::System, writable });
        common.chain(self.places.iter().cloned()).collect()
    }

    /// Whether a program in the box finds a path, and where that leads if it is a link.
    pub fn reaches(&self, path: &Path) -> bool {
        self.has(path) && path.canonicalize().is_ok_and(|real| self.has(&real))
    }

    /// Whether a path lies in a place that is shown.
    fn has(&self, path: &Path) -> bool {
        is_of_system(path) || self.places.iter().any(|place| path.starts_with(&place.path))
    }
}

/// Why the box of an engine cannot show it: it lies where a box has something of its own.
///
/// # Errors
/// Words with its path and what to do.
pub(super) fn can_show(engine: &EngineSpec) -> Result<(), String> {
    match why_not_shown(&engine.source) {
        None => Ok(()),
        Some(why) => Err(format!(
            "{}: its place, {}, {why}; move it to a folder of its own elsewhere",
            engine.name,
            super::program::display_path(&engine.source)
        )),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    /// The paths of a manifest that stand under a directory, each with its reason.
    fn below(manifest: &Manifest, home: &Path) -> Vec<(String, Reason)> {
        let shown = manifest.places().iter().filter_map(|place| {
            let path = place.path.strip_prefix(home).ok()?;
            Some((path.to_string_lossy().into_owned(), place.reason))
        });
        shown.collect()
    }

    fn executable(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Programs, links, an `engine.toml` and names that ask for places, in many spellings.
    fn fill_with_wishes(folder: &Path, secret: &Path, round: usize) {
        let secret = secret.display();
        let lines = [
            format!("#!/usr/bin/env -S -u {secret} /usr/bin/python3\n"),
            format!("#!/usr/bin/env {secret}\n"),
            format!("#!{secret}/bin/prog -x\n"),
            format!("#!/usr/bin/env -S --chdir={secret} -C {secret} \"{secret}/bin/prog\"\n"),
            "#!/usr/bin/env -u / sh\n".to_owned(),
            "#!/tmp\n".to_owned(),
            "MZ".to_owned(),
            "\u{7f}ELF".to_owned(),
        ];
        let commands = [
            format!("[\"{secret}/bin/prog\"]"),
            "[\"{folder}/../secret/bin/prog\"]".to_owned(),
            format!("[\"./engine\", \"{{tables}}\", \"{secret}\"]"),
            "[\"python3\", \"{folder}/engine\"]".to_owned(),
            "[\"./link/bin/prog\"]".to_owned(),
        ];
        let _ = fs::remove_dir_all(folder);
        executable(&folder.join("engine"), &lines[round % lines.len()]);
        executable(&folder.join(format!("other-{round}")), &lines[(round + 3) % lines.len()]);
        symlink(format!("{secret}"), folder.join("link")).unwrap();
        symlink(format!("{secret}/bin/prog"), folder.join("python3")).unwrap();
        let command = &commands[round % commands.len()];
        let env = format!("[env]\nPATH = \"{secret}/bin\"\nLD_LIBRARY_PATH = \"{secret}/lib\"\n");
        fs::write(folder.join("engine.toml"), format!("command = {command}\nargs = [\"{secret}\"]\n{env}"))
            .unwrap();
    }

    #[test]
    fn no_byte_of_a_submission_has_a_part_in_what_its_box_shows() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        let (secret, folder) = (home.join("secret"), home.join("class/ann"));
        executable(&secret.join("bin/prog"), "#!/bin/sh\n");
        executable(&secret.join("lib/key"), "");
        fs::create_dir_all(&folder).unwrap();
        let asked = [home.join("shown")];
        let plain = EngineSpec {
            source: folder.clone(),
            folder: folder.clone(),
            program: folder.join("engine"),
            origin: Origin::Submission,
            ..EngineSpec::at(Path::new("/x")).unwrap()
        };
        let expected = Manifest::of(&plain, &asked);
        assert_eq!(
            below(&expected, &home),
            [("class/ann".to_owned(), Reason::Engine), ("shown".to_owned(), Reason::Asked)]
        );
        for round in 0..40 {
            fill_with_wishes(&folder, &secret, round);
            // As if none of them were refused before there is an engine.
            let engine = EngineSpec { origin: Origin::Submission, ..EngineSpec::at(&folder).unwrap() };
            assert_eq!(Manifest::of(&engine, &asked), expected, "{round}: {:?}", engine.program);
        }
    }

    #[test]
    fn a_program_that_the_organiser_names_elsewhere_is_shown_alone() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        executable(&home.join("secret/bin/prog"), "#!/bin/sh\n");
        executable(&home.join("secret/lib/key"), "");
        let folder = home.join("bots/mine");
        fs::create_dir_all(&folder).unwrap();
        let text = format!("command = [\"{}/secret/bin/prog\"]\n", home.display());
        fs::write(folder.join("engine.toml"), text).unwrap();
        symlink(&folder, home.join("bots/link")).unwrap();
        for entry in ["bots/mine", "bots/link"] {
            let engine = EngineSpec::at(&home.join(entry)).unwrap();
            assert_eq!(
                below(&Manifest::of(&engine, &[]), &home),
                [("bots/mine".to_owned(), Reason::Engine), ("secret/bin/prog".to_owned(), Reason::Command)],
                "{entry}"
            );
        }
    }

    #[test]
    fn a_place_within_another_is_not_listed_again() {
        let all = Manifest::default()
            .with(["/opt/x/y", "/opt/x", "/opt/x/z", "/usr/lib/y"].map(PathBuf::from), Reason::Asked);
        assert_eq!(all.places().len(), 1);
        assert_eq!(all.places()[0].path, Path::new("/opt/x"));
        let whole = all.whole();
        assert!(whole.iter().any(|place| place.path == Path::new("/usr") && !place.writable));
        let writable: Vec<_> = whole.iter().filter(|place| place.writable).map(|place| &place.path).collect();
        assert_eq!(writable, [Path::new("/tmp")], "nothing else can be written to");
    }
}
