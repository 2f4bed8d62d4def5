//! Engines of one name. The assignment of a class or the rules of a contest may prescribe the name
//! of the program, as Gomocup does. Then the folder tells whose it is.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::spec::{EngineSpec, shown_name};

/// Where engines of one name were found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FoundIn {
    /// In one folder: a program in it is known by its own name.
    OneFolder,
    /// At paths that the user has named, each in some folder.
    Paths,
}

/// Gives engines of one name the names of their folders, where these tell them apart. Returns the
/// places of those that have another name now. One that has its name from its own folder keeps it,
/// and so do engines of one folder.
pub fn by_folders(engines: &mut [EngineSpec], found: FoundIn) -> Vec<usize> {
    let names: Vec<String> = engines.iter().map(|engine| engine.name.clone()).collect();
    let folders: Vec<Option<String>> = engines.iter().map(|engine| of_folder(engine, found)).collect();
    let is_shared = |at: usize| names.iter().filter(|name| **name == names[at]).count() > 1;
    let is_taken = |at: usize, wanted: &String| {
        let others = (0..names.len()).filter(|other| *other != at);
        let of_others = |other: usize| {
            names[other] == *wanted || is_shared(other) && folders[other].as_ref() == Some(wanted)
        };
        others.into_iter().any(of_others)
    };
    let mut renamed = Vec::new();
    for at in 0..engines.len() {
        let Some(folder) = folders[at].as_ref().filter(|_| is_shared(at)) else { continue };
        if *folder != names[at] && !is_taken(at, folder) {
            engines[at].name.clone_from(folder);
            engines[at].names_itself = false;
            renamed.push(at);
        }
    }
    renamed
}

/// The name of the folder of an engine; nothing of a program that is known by its own name, of
/// a kept copy, whose folder is agon's, and of one that is called by its settings.
fn of_folder(engine: &EngineSpec, found: FoundIn) -> Option<String> {
    let is_program = engine.source == engine.program;
    if engine.copy.is_some() || engine.set.is_some() || is_program && found == FoundIn::OneFolder {
        return None;
    }
    let folder: &Path = if is_program { &engine.folder } else { &engine.source };
    shown_name(folder.file_name()?.as_bytes())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// The names of the engines at these paths, each a program or a folder with this `engine.toml`.
    fn named(found: FoundIn, engines: &[(&str, Option<&str>)]) -> Vec<String> {
        let home = tempfile::tempdir().unwrap();
        let mut specs: Vec<EngineSpec> = engines
            .iter()
            .map(|(path, toml)| {
                let path = home.path().join(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                match toml {
                    Some(toml) => {
                        fs::create_dir_all(&path).unwrap();
                        fs::write(path.join("engine.toml"), format!("command = [\"sh\"]\n{toml}")).unwrap();
                    }
                    None => {
                        fs::write(&path, "#!/bin/sh\n").unwrap();
                        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
                    }
                }
                // A folder with a program of a prescribed name is one engine.
                let in_folder = toml.is_none() && found == FoundIn::OneFolder;
                let folder = path.parent().unwrap().to_owned();
                EngineSpec::at(if in_folder && folder != home.path() { &folder } else { &path }).unwrap()
            })
            .collect();
        by_folders(&mut specs, found);
        specs.into_iter().map(|spec| spec.name).collect()
    }

    #[test]
    fn programs_with_a_prescribed_name_are_known_by_their_folders() {
        let gomocup = [("alice/pbrain-gomoku-ai", None), ("bob/pbrain-gomoku-ai", None)];
        for found in [FoundIn::OneFolder, FoundIn::Paths] {
            assert_eq!(named(found, &gomocup), ["alice", "bob"], "{found:?}");
            assert_eq!(named(found, &gomocup[..1]), ["gomoku-ai"], "nothing is to be told apart");
        }
        let main = [("alice/main.py", None), ("bob/main.py", None), ("eve/other", None)];
        assert_eq!(named(FoundIn::Paths, &main), ["alice", "bob", "other"]);
        let toml = Some("name = \"AlphaBot\"\n");
        let same = [("alice", toml), ("bob", toml), ("carol", Some(""))];
        assert_eq!(named(FoundIn::OneFolder, &same), ["alice", "bob", "carol"]);
    }

    #[test]
    fn an_engine_keeps_the_name_of_its_own_folder_and_takes_none_from_others() {
        let other = [("alice", Some("")), ("bob", Some("name = \"alice\"\n"))];
        assert_eq!(named(FoundIn::OneFolder, &other), ["alice", "bob"]);
        // The folder of the third has the name of a program.
        let taken = [
            ("x/bot", Some("")),
            ("y/bot", Some("")),
            ("alice", None),
            ("z/alice", Some("name = \"bot\"\n")),
        ];
        assert_eq!(named(FoundIn::Paths, &taken), ["bot", "bot", "alice", "bot"]);
        let file = [("greedy", None), ("evil", Some("name = \"greedy\"\n"))];
        assert_eq!(named(FoundIn::OneFolder, &file), ["greedy", "evil"]);
    }
}
