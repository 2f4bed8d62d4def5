//! The self-test of the manifest: submissions that ask for a place of the user's in every known
//! way, and whether their boxes would show it.
//!
//! It is made before the first game in a box, and by `agon doctor`.

use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use agon_sandbox::{CheckRow, Isolation, Tried};

use super::manifest::Manifest;
use super::origin::Origin;
use super::spec::EngineSpec;

/// What a submission says to be shown a place, `PLACE` in these words.
#[derive(Clone, Copy, Debug)]
pub enum Wish {
    /// The first line of its program.
    FirstLine(&'static str),
    /// Its `engine.toml`.
    Settings(&'static str),
    /// Its program is a link there.
    ProgramLink,
    /// A folder in it is a link there.
    FolderLink,
}

/// Every known way, each with what it tries to do.
pub(crate) const WISHES: [(&str, Wish); 16] = [
    ("be shown a folder by the option -u of env", Wish::FirstLine("#!/usr/bin/env -S -u PLACE /bin/sh")),
    ("be shown a folder by a word for env", Wish::FirstLine("#!/usr/bin/env PLACE")),
    ("be shown a folder by the option -C of env", Wish::FirstLine("#!/usr/bin/env -S -C PLACE /bin/sh")),
    (
        "be shown a folder by the option --chdir of env",
        Wish::FirstLine("#!/usr/bin/env -S --chdir=PLACE PLACE/bin/sh"),
    ),
    ("be shown a folder by quotes for env", Wish::FirstLine("#!/usr/bin/env -S \"PLACE/bin/prog\"")),
    ("be shown a folder by another env", Wish::FirstLine("#!PLACE/bin/env -S -u PLACE sh")),
    ("be shown a folder as its interpreter", Wish::FirstLine("#!PLACE")),
    ("be shown the installation of its interpreter", Wish::FirstLine("#!PLACE/bin/prog -x")),
    ("be shown a script's interpreter by a script", Wish::FirstLine("#!PLACE/bin/script")),
    ("be shown a folder as its program", Wish::Settings("command = [\"PLACE/bin/prog\"]")),
    ("be shown a folder beside its own", Wish::Settings("command = [\"{folder}/../yours/bin/prog\"]")),
    (
        "be shown a folder by its arguments",
        Wish::Settings("command = [\"./engine\", \"PLACE\"]\nargs = [\"PLACE\"]"),
    ),
    (
        "be shown a folder by its environment",
        Wish::Settings("command = [\"./engine\"]\n[env]\nPATH = \"PLACE/bin\""),
    ),
    (
        "be shown the place of its build command",
        Wish::Settings("command = [\"./engine\"]\nbuild = [\"PLACE/bin/prog\"]"),
    ),
    ("be shown a file by a link as its program", Wish::ProgramLink),
    ("be shown a folder by a link in its own", Wish::FolderLink),
];

impl Wish {
    /// Writes the submission that has this wish into a new folder.
    fn write(self, folder: &Path, place: &Path) -> io::Result<()> {
        let filled = |text: &str| text.replace("PLACE", &place.to_string_lossy());
        fs::create_dir(folder)?;
        let program = folder.join("engine");
        match self {
            Wish::ProgramLink => symlink(place.join("bin/prog"), &program)?,
            Wish::FirstLine(line) => script(&program, &filled(line))?,
            Wish::Settings(_) | Wish::FolderLink => script(&program, "#!/bin/sh")?,
        }
        let settings = match self {
            Wish::Settings(text) => filled(text),
            Wish::FolderLink => {
                symlink(place, folder.join("link"))?;
                "command = [\"./link/bin/prog\"]".to_owned()
            }
            Wish::FirstLine(_) | Wish::ProgramLink => "command = [\"./engine\"]".to_owned(),
        };
        fs::write(folder.join("engine.toml"), settings + "\n")
    }
}

fn script(path: &Path, line: &str) -> io::Result<()> {
    fs::write(path, format!("{line}\n"))?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
}

/// Makes every wish below an empty directory of the run, and looks whether a box of a game or of a
/// build would show the place: `Ok` if it would, else why not. In the order of [`WISHES`].
///
/// # Errors
/// Errors of the disk.
pub fn tried(empty: &Path) -> io::Result<Vec<Tried>> {
    let home = empty.canonicalize()?.join("wishes");
    let place = home.join("yours");
    fs::create_dir_all(place.join("bin"))?;
    fs::create_dir_all(place.join("lib"))?;
    script(&place.join("bin/prog"), "#!/bin/sh")?;
    script(&place.join("bin/script"), &format!("#!{}", place.join("bin/prog").display()))?;
    let key = place.join("lib/key");
    fs::write(&key, "yours\n")?;
    // The control: nothing but the manifest keeps the place from an engine.
    let outside = || fs::read(&key).map(|_| ()).map_err(|error| error.to_string());
    let one = |(number, (_, wish)): (usize, (&str, Wish))| -> io::Result<Tried> {
        let folder = home.join(format!("wish-{number}"));
        wish.write(&folder, &place)?;
        // Some are refused before there is an engine. No box may need that.
        let engine = EngineSpec::at(&folder);
        let engine = engine.map(|engine| EngineSpec { origin: Origin::Submission, ..engine });
        let inside = match engine {
            Ok(engine) if shows(&engine, &place) => Ok(()),
            Ok(_) => Err("the manifest is the same".to_owned()),
            Err(_) => Err("the submission is refused".to_owned()),
        };
        Ok(Tried { outside: outside(), inside })
    };
    WISHES.into_iter().enumerate().map(one).collect()
}

/// Whether something below a place is in a box of this engine, or in one that builds it.
fn shows(engine: &EngineSpec, place: &Path) -> bool {
    let all: [Manifest; 2] = [Manifest::of(engine, &[]), Manifest::of_build(&[])];
    let mut paths = all.iter().flat_map(Manifest::places).map(|shown| &shown.path);
    let meets = |path: &PathBuf| path.starts_with(place) || place.starts_with(path);
    paths.any(meets)
}

/// The wishes that come true although no box may grant them.
///
/// # Errors
/// As [`tried`].
pub fn breaches(empty: &Path) -> io::Result<Vec<&'static str>> {
    let all = WISHES.iter().zip(tried(empty)?);
    Ok(all.filter(|(_, tried)| tried.inside.is_ok()).map(|((what, _), _)| *what).collect())
}

/// The same as rows of the self-test.
///
/// # Errors
/// As [`tried`].
pub fn rows(empty: &Path) -> io::Result<Vec<CheckRow>> {
    let all = WISHES.iter().zip(tried(empty)?);
    Ok(all
        .map(|((what, _), tried)| CheckRow {
            mechanism: "manifest",
            attack: Some(what),
            level: Isolation::Sandbox,
            needed: true,
            found: Ok("computed without the submission".to_owned()),
            tried: Some(tried),
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_wish_of_a_submission_comes_true_and_some_of_an_organiser_do() {
        let home = tempfile::tempdir().unwrap();
        assert_eq!(breaches(home.path()).unwrap(), Vec::<&str>::new());
        // The control: the same folder as the organiser's own is shown the program that it names.
        let at = WISHES.iter().position(|(what, _)| what.contains("as its program")).unwrap();
        let wishes = home.path().canonicalize().unwrap().join("wishes");
        let organisers = EngineSpec::at(&wishes.join(format!("wish-{at}"))).unwrap();
        assert!(shows(&organisers, &wishes.join("yours")));
    }
}
