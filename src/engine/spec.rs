//! How to start an engine: what its file or its `engine.toml` says, checked once.

use std::collections::BTreeMap;
use std::ffi::CString;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use agon_printable::{clean_lines, escape};
use serde::Deserialize;

use super::program;
use super::protocol::Protocol;

/// The longest name of an engine, in characters; what is longer is cut.
const MAX_NAME: usize = 60;

/// An engine as it was found, with everything needed to start it.
#[derive(Clone, Debug)]
pub struct EngineSpec {
    /// Its name as it may be shown: no control characters, not empty, at most 60 characters.
    pub name: String,
    /// The path it was named by, absolute: a program, or the folder of an `engine.toml`.
    pub source: PathBuf,
    /// The folder it lies in, absolute.
    pub folder: PathBuf,
    /// The program, absolute.
    pub program: PathBuf,
    /// What stands before the arguments of the protocol: a script's path, an interpreter's options.
    pub leading: Vec<String>,
    /// The arguments of the protocol, if it wants others than the usual ones. `{side}` and the like are filled in.
    pub arguments: Option<Vec<String>>,
    /// Variables of its environment besides those every engine has.
    pub environment: BTreeMap<String, String>,
    /// Where it is started.
    pub directory: WorkingDirectory,
    /// How it is talked to.
    pub protocol: Protocol,
    /// The command that makes the program, run in its folder.
    pub build: Option<Vec<String>>,
}

/// Where an engine is started.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WorkingDirectory {
    /// In an empty directory of its own, with `board` and what else the game supplies.
    #[default]
    Own,
    /// In the folder of its `engine.toml`.
    Folder,
}

/// `engine.toml` as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: Option<String>,
    command: Option<Vec<String>>,
    args: Option<Vec<String>>,
    #[serde(default)]
    directory: WorkingDirectory,
    #[serde(default)]
    protocol: Protocol,
    build: Option<Vec<String>>,
    #[serde(default)]
    env: BTreeMap<String, String>,
}

impl EngineSpec {
    /// The engine that a path names: an executable file, a folder with an `engine.toml`, or such a file.
    ///
    /// The program is not looked at yet: a build may still have to make it.
    ///
    /// # Errors
    /// Words that name the file, its line where there is one, and what to do.
    pub fn at(path: &Path) -> Result<Self, String> {
        if path.is_dir() {
            let file = path.join("engine.toml");
            if file.is_file() {
                return Self::from_toml(&file);
            }
            return Err(format!("{}: a folder without an engine.toml in it", program::display_path(path)));
        }
        if path.file_name().is_some_and(|name| name == "engine.toml") && path.is_file() {
            return Self::from_toml(path);
        }
        let absolute =
            std::path::absolute(path).map_err(|error| format!("{}: {error}", program::display_path(path)))?;
        let name = absolute.file_name().map(|name| name.as_bytes().to_vec()).unwrap_or_default();
        Ok(EngineSpec {
            name: shown_name(&name)
                .ok_or_else(|| format!("{}: no name of a file", program::display_path(path)))?,
            source: absolute.clone(),
            folder: absolute.parent().unwrap_or(Path::new("/")).to_owned(),
            program: absolute,
            leading: Vec::new(),
            arguments: None,
            environment: BTreeMap::new(),
            directory: WorkingDirectory::Own,
            protocol: Protocol::default(),
            build: None,
        })
    }

    fn from_toml(path: &Path) -> Result<Self, String> {
        let shown = program::display_path(path);
        let text = fs::read_to_string(path).map_err(|error| format!("{shown}: {error}"))?;
        let file: File =
            toml::from_str(&text).map_err(|error| format!("{shown}: {}", clean_lines(&error.to_string())))?;
        let folder = path
            .parent()
            .unwrap_or(Path::new("."))
            .canonicalize()
            .map_err(|error| format!("{shown}: {error}"))?;
        let given = match &file.name {
            Some(name) => name.as_bytes().to_vec(),
            None => folder.file_name().map(|name| name.as_bytes().to_vec()).unwrap_or_default(),
        };
        let name = shown_name(&given)
            .ok_or_else(|| format!("{shown}: key name: an engine needs a name that can be seen"))?;
        for (variable, value) in &file.env {
            if variable.is_empty() || variable.contains(['=', '\0']) || value.contains('\0') {
                return Err(format!("{shown}: key env: {:?} cannot be set", escape(variable.as_bytes(), 60)));
            }
        }
        for word in [&file.command, &file.args, &file.build].into_iter().flatten().flatten() {
            if word.contains('\0') {
                return Err(format!("{shown}: {:?} holds a NUL", escape(word.as_bytes(), 60)));
            }
        }
        let (program, leading) = match &file.command {
            Some(words) => {
                let Some((first, rest)) = words.split_first() else {
                    return Err(format!(
                        "{shown}: key command: an empty list; write command = [\"./program\"] or leave it out"
                    ));
                };
                (locate(first, &folder).map_err(|why| format!("{shown}: key command: {why}"))?, rest.to_vec())
            }
            None => (only_executable(&folder).map_err(|why| format!("{shown}: {why}"))?, Vec::new()),
        };
        if file.build.as_ref().is_some_and(Vec::is_empty) {
            return Err(format!(
                "{shown}: key build: an empty list; write build = [\"make\"] or leave it out"
            ));
        }
        Ok(EngineSpec {
            name,
            program,
            leading,
            arguments: file.args,
            environment: file.env,
            directory: file.directory,
            protocol: file.protocol,
            build: file.build,
            source: folder.clone(),
            folder,
        })
    }

    /// Its whole command, with the words in braces filled in: the program, what its `command` names besides, and
    /// its own arguments or, if it has no list of its own, the `usual` ones.
    ///
    /// # Errors
    /// Words that name a pair of braces nobody knows, and those there are.
    pub fn c_command(&self, usual: &[String], words: &[(&str, String)]) -> Result<Vec<CString>, String> {
        let mut command = vec![self.c_program()];
        for template in self.leading.iter().chain(self.arguments.as_deref().unwrap_or(usual)) {
            let word = fill(template, words).map_err(|why| {
                // Only an engine.toml has words to be filled in that are not ours.
                format!("{}: {why}", program::display_path(&self.source.join("engine.toml")))
            })?;
            command.push(CString::new(word).map_err(|_| format!("{}: an argument holds a NUL", self.name))?);
        }
        Ok(command)
    }

    /// Whether a word in braces stands in its command.
    pub fn asks_for(&self, word: &str) -> bool {
        let wanted = format!("{{{word}}}");
        let mut templates = self.leading.iter().chain(self.arguments.iter().flatten());
        templates.any(|template| template.replace("{{", "").contains(&wanted))
    }

    /// The program's path for the calls that start it.
    pub fn c_program(&self) -> CString {
        CString::new(self.program.as_os_str().as_bytes()).expect("a path that was found has no NUL")
    }
}

/// Fills in `{word}`; `{{` and `}}` are braces themselves.
fn fill(template: &str, words: &[(&str, String)]) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = template;
    while let Some(at) = rest.find(['{', '}']) {
        out.push_str(&rest[..at]);
        let brace = &rest[at..=at];
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix(brace) {
            out.push_str(brace);
            rest = after;
            continue;
        }
        let known = || words.iter().map(|(word, _)| format!("{{{word}}}")).collect::<Vec<_>>().join(" ");
        let Some((word, after)) = rest.split_once('}').filter(|_| brace == "{") else {
            return Err(format!(
                "the argument {template:?} has a single {brace}; write it twice, or one of {}",
                known()
            ));
        };
        let Some((_, value)) = words.iter().find(|(name, _)| *name == word) else {
            let word = escape(word.as_bytes(), 60);
            return Err(format!("the argument {template:?} asks for {{{word}}}; there are {}", known()));
        };
        out.push_str(value);
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
}

/// A name as it may be shown, or nothing if it is blank.
fn shown_name(bytes: &[u8]) -> Option<String> {
    let name = escape(bytes, MAX_NAME);
    let name = name.trim();
    if name.is_empty() { None } else { Some(name.to_owned()) }
}

fn locate(command: &str, folder: &Path) -> Result<PathBuf, String> {
    let path = Path::new(&command.replace("{folder}", &folder.to_string_lossy())).to_owned();
    // Joining leaves an absolute path as it is.
    if command.contains('/') {
        return Ok(folder.join(path));
    }
    let beside = folder.join(&path);
    if beside.is_file() { Ok(beside) } else { program::find(&path) }
}

/// The executable files in a folder, by name.
///
/// # Errors
/// It cannot be read.
pub(super) fn executables(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let listed = fs::read_dir(folder).map_err(|error| error.to_string())?;
    let mut found: Vec<PathBuf> = listed
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok())
        .collect();
    found.sort();
    Ok(found)
}

fn only_executable(folder: &Path) -> Result<PathBuf, String> {
    match executables(folder)?.as_slice() {
        [one] => Ok(one.clone()),
        [] => Err("no executable file lies beside it; add command = [\"...\"]".to_owned()),
        several => Err(format!(
            "{} executable files lie beside it ({}, ...); say which with command = [\"...\"]",
            several.len(),
            program::display_path(several[0].file_name().map(Path::new).unwrap_or(&several[0]))
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words() -> Vec<(&'static str, String)> {
        vec![("side", "W".to_owned()), ("rows", "6".to_owned())]
    }

    #[test]
    fn words_in_braces_are_filled_in_and_unknown_ones_are_named() {
        assert_eq!(fill("--{side}={rows}", &words()), Ok("--W=6".to_owned()));
        assert_eq!(fill("{{{side}}}", &words()), Ok("{W}".to_owned()));
        assert!(fill("{colour}", &words()).unwrap_err().contains("{colour}; there are {side} {rows}"));
        assert!(fill("{side", &words()).unwrap_err().contains("single {"));
        assert!(fill("side}", &words()).unwrap_err().contains("single }"));
    }

    #[test]
    fn what_a_command_asks_for_is_known_and_doubled_braces_ask_for_nothing() {
        let mut spec = EngineSpec::at(Path::new("/nowhere/x")).unwrap();
        assert!(!spec.asks_for("to_move"));
        spec.arguments =
            Some(vec!["{side}".to_owned(), "{{position}}".to_owned(), "--first={to_move}".to_owned()]);
        assert!(spec.asks_for("to_move") && spec.asks_for("side") && !spec.asks_for("position"));
        spec.leading = vec!["{position}".to_owned()];
        assert!(spec.asks_for("position"));
    }

    #[test]
    fn an_engine_toml_with_a_slip_is_refused_with_its_line() {
        let dir = tempfile::tempdir().unwrap();
        let said = |text: &str| {
            fs::write(dir.path().join("engine.toml"), text).unwrap();
            EngineSpec::at(dir.path()).unwrap_err()
        };
        let unknown = said("name = \"x\"\ncomand = [\"./x\"]\n");
        assert!(unknown.contains("line 2") && unknown.contains("comand"), "{unknown}");
        assert!(said("command = []\n").contains("key command"));
        assert!(said("name = \"\\u001b\"\ncommand = 3\n").contains("line 2"));
        assert!(said("name = \"  \"\n").contains("key name"));
        assert!(said("").contains("no executable file"));
        assert!(said("protocol = \"telepathy\"\n").contains("telepathy"));
    }

    #[test]
    fn a_hostile_name_is_shown_harmless() {
        let spec = EngineSpec::at(Path::new("/tmp/\u{1b}[2Jx")).unwrap();
        assert_eq!(spec.name, "\\x1b[2Jx");
    }
}
