//! Where the engines of a folder lie: no two entries are one engine, and none plays with a program
//! that lies in the folder of another.
//!
//! A place is known by its device and inode, so links, links of links and bind mounts are seen
//! through. Two names of one file cannot be told from such a mount: hard links of a program are one
//! engine too. A copy is another engine.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::program::display_path;
use super::spec::EngineSpec;

/// An entry of a folder of engines, with its engine.
pub(super) struct ListedEntry<'a> {
    /// Its path in the folder.
    pub(super) path: &'a Path,
    pub(super) engine: &'a EngineSpec,
}

/// Where an engine lies.
struct Place {
    /// Its folder or its program, without links.
    real: PathBuf,
    /// Device and inode.
    identity: (u64, u64),
    is_folder: bool,
    is_link: bool,
    /// Its program, without links.
    program: PathBuf,
}

/// Why each entry cannot play beside the others; nothing for the others. Of two entries that are
/// one engine, the one that is no link plays, or else the first.
pub(super) fn refused(entries: &[ListedEntry<'_>]) -> Vec<Option<String>> {
    let places: Vec<Option<Place>> = entries.iter().map(Place::of).collect();
    let known: Vec<(usize, &Place)> =
        places.iter().enumerate().filter_map(|(at, place)| Some((at, place.as_ref()?))).collect();
    let name = |at: usize| display_path(Path::new(entries[at].path.file_name().unwrap_or_default()));
    let refusal = |at: usize| {
        let (own, place) = (name(at), places[at].as_ref()?);
        let others = || known.iter().filter(|(other, _)| *other != at);
        let goes_first = |other: usize, rival: &Place| (rival.is_link, other) < (place.is_link, at);
        // Two links to a program elsewhere are two names that the organiser gave it. Two links to a
        // folder have one name, that of the folder.
        let are_names = |rival: &Place| !place.is_folder && place.is_link && rival.is_link;
        let same = others().find(|(other, rival)| {
            rival.identity == place.identity && !are_names(rival) && goes_first(*other, rival)
        });
        if let Some((other, _)) = same {
            let kind = if place.is_folder { "folder" } else { "program" };
            return Some(format!(
                "{own} is the {kind} of {}; leave one of them out, or make a copy of it",
                name(*other)
            ));
        }
        let around = others().find(|(_, rival)| {
            let holds = |path: &Path| rival.is_folder && path.starts_with(&rival.real);
            let is_within = holds(&place.real) && rival.identity != place.identity;
            is_within
                || (holds(&place.program) && !(place.is_folder && place.program.starts_with(&place.real)))
        });
        around.map(|(other, _)| {
            format!(
                "its program {} lies in the folder of {}; put the program that both use in a folder of its own, \
                 or make a copy of it",
                display_path(&place.program),
                name(*other)
            )
        })
    };
    (0..entries.len()).map(refusal).collect()
}

impl Place {
    /// `None` for what is not there, which is told elsewhere.
    fn of(entry: &ListedEntry<'_>) -> Option<Place> {
        let real = entry.path.canonicalize().ok()?;
        let about = fs::metadata(&real).ok()?;
        Some(Place {
            identity: (about.dev(), about.ino()),
            is_folder: about.is_dir(),
            is_link: entry.path.is_symlink(),
            program: real_or_to_be(&entry.engine.program),
            real,
        })
    }
}

/// A path without links. A build may still have to make its last part.
fn real_or_to_be(path: &Path) -> PathBuf {
    let beside = || Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?));
    path.canonicalize().ok().or_else(beside).unwrap_or_else(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    /// A folder of engines: `a` and `b` in folders of their own, and `lone`, a program.
    fn engines() -> tempfile::TempDir {
        let home = tempfile::tempdir().unwrap();
        for name in ["t/a", "t/b", "away/c"] {
            put(&home, &format!("{name}/run"), "#!/bin/sh\n");
            put(&home, &format!("{name}/engine.toml"), "command = [\"./run\"]\n");
        }
        put(&home, "t/lone", "#!/bin/sh\n");
        put(&home, "shared/mover", "#!/bin/sh\n");
        home
    }

    fn put(home: &tempfile::TempDir, name: &str, text: &str) {
        let path = home.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// The entries that are refused, with the first words that say why.
    fn refusals(home: &tempfile::TempDir) -> Vec<String> {
        let listed = fs::read_dir(home.path().join("t")).unwrap();
        let mut paths: Vec<PathBuf> = listed.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        let engines: Vec<EngineSpec> = paths.iter().map(|path| EngineSpec::at(path).unwrap()).collect();
        let entries: Vec<ListedEntry<'_>> =
            paths.iter().zip(&engines).map(|(path, engine)| ListedEntry { path, engine }).collect();
        let refused = refused(&entries).into_iter().flatten();
        refused.map(|why| why.split("; ").next().unwrap().to_owned()).collect()
    }

    #[test]
    fn two_entries_of_one_place_are_one_engine_however_they_are_spelt() {
        let home = engines();
        assert_eq!(refusals(&home), [""; 0]);
        let at = |name: &str| home.path().join(name);
        // The link comes first by name, and the folder itself plays.
        for (to, link, words) in [
            ("a", "A-link", "A-link is the folder of a"),
            ("../t/./b", "link", "link is the folder of b"),
            ("../away/../t/lone", "also", "also is the program of lone"),
        ] {
            symlink(to, at("t").join(link)).unwrap();
            assert_eq!(refusals(&home), [words], "{to}");
            fs::remove_file(at("t").join(link)).unwrap();
        }
        // Two links to one place elsewhere.
        symlink("../away/c", at("t/c1")).unwrap();
        symlink(at("away/c"), at("t/c2")).unwrap();
        assert_eq!(refusals(&home), ["c2 is the folder of c1"]);
        fs::remove_file(at("t/c2")).unwrap();
        for link in ["t/fast", "t/slow"] {
            symlink("../shared/mover", at(link)).unwrap();
        }
        assert_eq!(refusals(&home), [""; 0], "two names that the organiser gave a program elsewhere");
        fs::hard_link(at("t/lone"), at("t/z")).unwrap();
        assert_eq!(refusals(&home), ["z is the program of lone"]);
        fs::remove_file(at("t/z")).unwrap();
        fs::copy(at("t/lone"), at("t/z")).unwrap();
        assert_eq!(refusals(&home), [""; 0], "a copy is another engine");
    }

    #[test]
    fn no_engine_plays_with_the_program_in_the_folder_of_another() {
        let home = engines();
        let at = |name: &str| home.path().canonicalize().unwrap().join(name);
        let command = |words: &str| put(&home, "t/b/engine.toml", &format!("command = [{words}]\n"));
        let theirs = format!("its program {} lies in the folder of a", at("t/a/run").display());
        for words in ["\"../a/run\"", "\"./link\"", "\"{folder}/../a/run\", \"x\""] {
            let _ = fs::remove_file(at("t/b/link"));
            symlink("../a/run", at("t/b/link")).unwrap();
            command(words);
            assert_eq!(refusals(&home), [theirs.as_str()], "{words}");
        }
        // A link of the organiser's to the program alone.
        command("\"./run\"");
        symlink("a/run", at("t/fast")).unwrap();
        assert_eq!(refusals(&home), [theirs.as_str()]);
        fs::remove_file(at("t/fast")).unwrap();
        // A program elsewhere is the organiser's, and several may use it.
        command(&format!("{:?}", at("shared/mover")));
        symlink("../shared/mover", at("t/mover")).unwrap();
        put(&home, "t/d/engine.toml", "command = [\"{folder}/../../shared/mover\"]\n");
        put(&home, "t/e/engine.toml", "command = [\"sh\"]\n");
        assert_eq!(refusals(&home), [""; 0]);
    }
}
