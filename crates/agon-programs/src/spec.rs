//! How to start an engine, read once from its file or its `engine.toml` and checked.

use std::collections::BTreeMap;
use std::ffi::CString;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agon_printable::escape;
use agon_protocol::template::Template;
use agon_protocol::ugi_words::UgiWords;
use agon_protocol::{ConsoleSpec, ProcessSpan, Protocol, gomocup};
use agon_seats::Odds;

use super::elsewhere::Elsewhere;
pub use super::engine_file::BoardTold;
use super::engine_file::{self, EMPTY_BUILD, EngineFile, OldSpelling, WorkingDirectory};
use super::known_copy::KnownCopy;
use super::origin::Origin;
use super::own_place::{self, NamedThings};
use super::parts::Parts;
use super::set_engine::SetEngine;
use super::{pbrain, program};

/// What in the folder of a game is no part of its referee program: engines for the game, and what
/// is for people.
pub const APART: [&str; 3] = ["engines", "README.md", "test.sh"];

/// The most bytes of arguments that are filled in, which is more than any system takes.
const MOST_ARGUMENTS: usize = 8 << 20;

/// The longest name of an engine, in characters; longer names are cut.
const MAX_NAME: usize = 60;

/// An engine that was found, with everything needed to start it.
#[derive(Clone, Debug)]
pub struct EngineSpec {
    /// Its name, escaped: without control characters, not empty, at most 60 characters.
    pub name: String,
    /// The path that named it, absolute: a program, or the folder of an `engine.toml`.
    pub source: PathBuf,
    /// The folder that holds it, absolute.
    pub folder: PathBuf,
    /// The program, absolute.
    pub program: PathBuf,
    /// The arguments before those of the protocol: a script's path, an interpreter's options.
    pub leading: Vec<String>,
    /// The arguments of the protocol, if not the usual ones. `{side}` and the like are filled in.
    pub arguments: Option<Vec<String>>,
    /// Environment variables in addition to the usual ones.
    pub environment: BTreeMap<String, String>,
    /// The working directory.
    pub directory: WorkingDirectory,
    /// Its protocol.
    pub protocol: Protocol,
    /// Where it finds the board, if it speaks lines.
    pub board: BoardTold,
    /// How long a process of it lives.
    pub process: ProcessSpan,
    /// What its `engine.toml` says in a spelling that is old.
    pub old: Option<OldSpelling>,
    /// How it is talked to, in the protocol `console`.
    pub console: Option<Arc<ConsoleSpec>>,
    /// Whether its stdin and stdout are a terminal.
    pub pty: bool,
    /// The command that builds the program in its folder.
    pub build: Option<Vec<String>>,
    /// What is sent to it by `setoption`, in the order of its file: one option may need another.
    /// Only UGI and its relatives have options.
    pub options: Vec<(String, String)>,
    /// The words of a UGI engine.
    pub words: UgiWords,
    /// The games that it plays, as `--game` takes them; a name alone stands for all its options.
    /// Empty if it does not say.
    pub games: Vec<String>,
    /// What in its folder is no part of it, by name: neither hashed nor shown in its box.
    pub apart: &'static [&'static str],
    /// The files and folders that it learns into, by their paths in its folder: no part of it, and
    /// never copied. A submission has none.
    pub learns: Vec<PathBuf>,
    /// Whether its `engine.toml` gives it another name than that of its folder.
    pub names_itself: bool,
    /// Where it plays if it plays elsewhere: `lab1`.
    pub place: Option<String>,
    /// The command that gives each line back from there.
    pub echo: Option<Vec<String>>,
    /// Whether it says that a copy of its files may play in their place.
    pub kept: Option<bool>,
    /// The text of its `engine.toml`, as it was read.
    pub text: Option<Arc<str>>,
    /// The kept copy that it was found in by its hash.
    pub copy: Option<Arc<KnownCopy>>,
    /// Whether it plays elsewhere. The options of a run say so; no file can.
    pub elsewhere: Option<Arc<Elsewhere>>,
    /// What it has instead of what the others have. The organiser says so.
    pub odds: Odds,
    /// What the organiser has set, where that is not as its own file has it.
    pub set: Option<Arc<SetEngine>>,
    /// Where the organiser names it besides the engines of a folder, for messages.
    pub named_at: Option<Arc<str>>,
    /// Who answers for its files. No file can say so.
    pub origin: Origin,
}

impl EngineSpec {
    /// The engine that a path of the organiser's names. The path is an executable file, a folder
    /// with an `engine.toml`, or the `engine.toml` itself. It may also be a folder with a program
    /// of Gomocup, `pbrain-name.exe`.
    ///
    /// The program is not checked yet: a build may still have to make it.
    ///
    /// # Errors
    /// What is wrong and what to do, with the file and, where there is one, its line.
    pub fn at(path: &Path) -> Result<Self, String> {
        Self::from(path, Origin::of(path))
    }

    /// The engine of a submission, wherever that lies.
    ///
    /// # Errors
    /// As [`EngineSpec::at`].
    pub fn submitted(path: &Path) -> Result<Self, String> {
        Self::from(path, Origin::Submission)
    }

    fn from(path: &Path, origin: Origin) -> Result<Self, String> {
        let mut engine = EngineSpec { origin, ..Self::read(path)? };
        if origin == Origin::Submission {
            // What it hands in is what it is graded for.
            engine.learns.clear();
            own_place::check(&engine.named_things())?;
        }
        Ok(engine)
    }

    /// What its `engine.toml` names.
    fn named_things(&self) -> NamedThings<'_> {
        let lists = [
            ("command", Some(&self.leading)),
            ("args", self.arguments.as_ref()),
            ("build", self.build.as_ref()),
            ("echo", self.echo.as_ref()),
        ];
        let info = match &self.protocol {
            Protocol::Gomocup(settings) => settings.info.iter().collect(),
            _ => Vec::new(),
        };
        let listed = lists
            .into_iter()
            .flat_map(|(key, list)| list.into_iter().flatten().map(move |word| (vec![key], word.as_str())));
        let environment = self.environment.iter().map(|(name, value)| (vec!["env", name], value.as_str()));
        let options = self.options.iter().map(|(name, value)| (vec!["options", name], value.as_str()));
        let info = info.into_iter().map(|(name, value)| (vec!["gomocup", "info", name], value.as_str()));
        NamedThings {
            file: self.source.join("engine.toml"),
            folder: &self.folder,
            program: &self.program,
            words: listed.chain(environment).chain(options).chain(info).collect(),
        }
    }

    fn read(path: &Path) -> Result<Self, String> {
        if path.is_dir() {
            let file = path.join("engine.toml");
            if file.is_file() {
                return Self::from_toml(&file);
            }
            if let Some(found) = pbrain::of_folder(path) {
                let program = found.map_err(|why| format!("{}: {why}", program::display_path(path)))?;
                return Self::pbrain(path, &program);
            }
            return Err(format!(
                "{}: this folder has no engine.toml; add one, by agon adopt or by hand, or name a program",
                program::display_path(path)
            ));
        }
        if path.file_name().is_some_and(|name| name == "engine.toml") && path.is_file() {
            return Self::from_toml(path);
        }
        if pbrain::is_one(path) {
            return Self::pbrain(path, path);
        }
        if path.extension().is_some_and(|kind| kind == "toml") && program::check(path).is_err() {
            return Err(format!(
                "{}: a file of settings, not a program; name one of its engines with its options, as \
                 ./mine:Hash=64, or give the file to agon tournament",
                program::display_path(path)
            ));
        }
        Self::alone(path)
    }

    /// The engine of Gomocup with this program, in a folder or alone.
    fn pbrain(source: &Path, program: &Path) -> Result<Self, String> {
        let name = program.file_name().map(|name| name.as_bytes()).unwrap_or_default();
        let alone = Self::alone(program)?;
        let absolute = std::path::absolute(source)
            .map_err(|error| format!("{}: {error}", program::display_path(source)))?;
        Ok(EngineSpec {
            name: shown_name(pbrain::short_name(name)).unwrap_or(alone.name),
            source: absolute,
            protocol: Protocol::Gomocup(gomocup::Settings::default()),
            words: UgiWords::usual(&Protocol::Gomocup(gomocup::Settings::default())),
            games: ["mnk:15x15,5", "mnk"].map(str::to_owned).to_vec(),
            ..alone
        })
    }

    /// The engine as it plays this game: a program without an `engine.toml` speaks what programs
    /// of the game usually speak.
    #[must_use]
    pub fn in_game(mut self, game: &str) -> Self {
        let usual = Protocol::usual_in(game);
        let is_silent = self.set.as_ref().map_or(self.text.is_none(), |set| set.is_silent);
        if is_silent && self.protocol == Protocol::Lines && self.protocol != usual {
            self.words = UgiWords::usual(&usual);
            self.process = usual.usual_span();
            self.protocol = usual;
        }
        self.says_protocol();
        self
    }

    /// The engine that is one file, which speaks lines.
    fn alone(path: &Path) -> Result<Self, String> {
        let absolute =
            std::path::absolute(path).map_err(|error| format!("{}: {error}", program::display_path(path)))?;
        let name = absolute.file_name().map(|name| name.as_bytes().to_vec()).unwrap_or_default();
        Ok(EngineSpec {
            name: shown_name(&name).ok_or_else(|| {
                format!("{}: not the name of a file; name a program", program::display_path(path))
            })?,
            source: absolute.clone(),
            folder: absolute.parent().unwrap_or(Path::new("/")).to_owned(),
            program: absolute,
            leading: Vec::new(),
            arguments: None,
            environment: BTreeMap::new(),
            directory: WorkingDirectory::Own,
            protocol: Protocol::default(),
            board: BoardTold::default(),
            process: ProcessSpan::Game,
            old: None,
            console: None,
            pty: false,
            build: None,
            options: Vec::new(),
            words: UgiWords::usual(&Protocol::default()),
            games: Vec::new(),
            apart: &[],
            learns: Vec::new(),
            names_itself: false,
            place: None,
            echo: None,
            kept: None,
            text: None,
            copy: None,
            elsewhere: None,
            odds: Odds::default(),
            set: None,
            named_at: None,
            origin: Origin::Organiser,
        })
    }

    fn from_toml(path: &Path) -> Result<Self, String> {
        let shown = program::display_path(path);
        let text = engine_file::text(path).map_err(|error| format!("{shown}: {error}"))?;
        let folder = path
            .parent()
            .unwrap_or(Path::new("."))
            .canonicalize()
            .map_err(|error| format!("{shown}: {error}"))?;
        Self::of_text(&shown, &folder, text)
    }

    /// The engine in a folder whose `engine.toml` has this text. It is called `shown` in messages.
    pub(super) fn of_text(shown: &str, folder: &Path, text: String) -> Result<Self, String> {
        let mut file = EngineFile::parse(&text).map_err(|why| format!("{shown}: {why}"))?;
        let folder = folder.to_owned();
        let found = command(file.command.as_deref(), &folder).map_err(|why| format!("{shown}: {why}"));
        let is_pbrain = found.as_ref().is_ok_and(|(program, _)| pbrain::is_one(program));
        let protocol = file.take_protocol(&folder, is_pbrain).map_err(|why| format!("{shown}: {why}"))?;
        let folder_name = folder.file_name().map(|name| name.as_bytes().to_vec()).unwrap_or_default();
        let given = match &file.name {
            Some(name) => name.as_bytes().to_vec(),
            None => folder_name.clone(),
        };
        let name = shown_name(&given)
            .ok_or_else(|| format!("{shown}: key name: the name is blank; write a visible one"))?;
        file.check(&protocol).map_err(|why| format!("{shown}: {why}"))?;
        let (process, old) = file.span(&protocol).map_err(|why| format!("{shown}: {why}"))?;
        let (program, leading) = found?;
        let learns = file.learns(&folder, &program).map_err(|why| format!("{shown}: {why}"))?;
        let engine = EngineSpec {
            program,
            leading,
            arguments: file.args,
            environment: file.env,
            directory: file.directory,
            options: engine_file::options(file.options)
                .map_err(|why| format!("{shown}: key options: {why}"))?,
            words: UgiWords::read(file.ugi, &protocol).map_err(|why| format!("{shown}: key ugi: {why}"))?,
            protocol,
            board: file.board.unwrap_or_default(),
            process,
            old,
            console: file.console.map(Arc::new),
            pty: file.pty,
            build: file.build,
            games: file.games,
            apart: &[],
            learns,
            names_itself: file.name.is_some() && shown_name(&folder_name).as_ref() != Some(&name),
            name,
            place: file.place,
            echo: file.echo,
            kept: file.kept,
            text: Some(text.into()),
            copy: None,
            elsewhere: None,
            odds: Odds::default(),
            set: None,
            named_at: None,
            origin: Origin::Organiser,
            source: folder.clone(),
            folder,
        };
        engine.finds_board().map_err(|why| format!("{shown}: {why}"))?;
        Ok(engine)
    }

    /// The referee program of a game with this name, in its folder: it is started there, by this
    /// command or as the only executable file.
    ///
    /// # Errors
    /// What is wrong and what to do.
    pub fn of_folder(
        name: &str,
        folder: &Path,
        words: Option<&[String]>,
        build: Option<Vec<String>>,
    ) -> Result<Self, String> {
        if words
            .iter()
            .flat_map(|words| words.iter())
            .chain(build.iter().flatten())
            .any(|word| word.contains('\0'))
        {
            return Err("a word holds a NUL; remove it".to_owned());
        }
        if build.as_ref().is_some_and(Vec::is_empty) {
            return Err(EMPTY_BUILD.to_owned());
        }
        let (program, leading) = command(words, folder)?;
        for word in &leading {
            fill(word, &[("folder", String::new())]).map_err(|why| format!("key command: {why}"))?;
        }
        Ok(EngineSpec {
            name: name.to_owned(),
            source: folder.to_owned(),
            folder: folder.to_owned(),
            program,
            leading,
            arguments: Some(Vec::new()),
            environment: BTreeMap::new(),
            directory: WorkingDirectory::Folder,
            protocol: Protocol::default(),
            board: BoardTold::default(),
            process: ProcessSpan::Game,
            old: None,
            console: None,
            pty: false,
            build,
            options: Vec::new(),
            words: UgiWords::usual(&Protocol::default()),
            games: Vec::new(),
            apart: &APART,
            learns: Vec::new(),
            names_itself: false,
            place: None,
            echo: None,
            kept: None,
            text: None,
            copy: None,
            elsewhere: None,
            odds: Odds::default(),
            set: None,
            named_at: None,
            origin: Origin::Organiser,
        })
    }

    /// The whole command, with `{words}` filled in: the program, the rest of `command`, then its
    /// own `args` or the `usual` arguments.
    ///
    /// # Errors
    /// A word in braces is unknown; the error lists the known ones.
    pub fn c_command(&self, usual: &[String], words: &[(&str, String)]) -> Result<Vec<CString>, String> {
        let mut command = vec![self.c_program()];
        let mut length = 0;
        for template in self.leading.iter().chain(self.arguments.as_deref().unwrap_or(usual)) {
            let word = fill(template, words).map_err(|why| {
                // Only an engine.toml can have unknown words.
                format!("{}: {why}", program::display_path(&self.source.join("engine.toml")))
            })?;
            length += word.len();
            command.push(CString::new(word).map_err(|_| format!("{}: an argument holds a NUL", self.name))?);
            // No system takes that much: the program does not start, and the system says why.
            if length > MOST_ARGUMENTS {
                break;
            }
        }
        Ok(command)
    }

    /// The command of its echo, as an engine to be started in its folder's name and environment;
    /// `None` if it has no echo.
    ///
    /// # Errors
    /// Its program cannot be found.
    pub fn of_echo(&self) -> Result<Option<EngineSpec>, String> {
        let Some(words) = &self.echo else { return Ok(None) };
        let (program, leading) = program_of("echo", words, &self.folder)?;
        Ok(Some(EngineSpec {
            program,
            leading,
            arguments: Some(Vec::new()),
            protocol: Protocol::default(),
            board: BoardTold::default(),
            process: ProcessSpan::Game,
            old: None,
            console: None,
            pty: false,
            ..self.clone()
        }))
    }

    /// The same engine with all its files below another path: a copy of its folder, or of its
    /// program if that is alone.
    pub fn moved(&self, to: &Path) -> EngineSpec {
        let moved = |path: &Path| match path.strip_prefix(&self.source) {
            // Joined with nothing, a path would end in a slash.
            Ok(below) if below.as_os_str().is_empty() => to.to_owned(),
            Ok(below) => to.join(below),
            Err(_) => path.to_owned(),
        };
        let is_alone = self.source == self.program;
        EngineSpec {
            source: to.to_owned(),
            folder: if is_alone { to.parent().unwrap_or(to).to_owned() } else { moved(&self.folder) },
            program: moved(&self.program),
            protocol: self.protocol.clone().moved(&moved),
            ..self.clone()
        }
    }

    /// The name of its folder, or of its file if it has no folder; escaped.
    pub(super) fn folder_name(&self) -> String {
        self.source.file_name().and_then(|name| shown_name(name.as_bytes())).unwrap_or_default()
    }

    /// Whether it plays this game, as far as its `engine.toml` says. Options count by what they
    /// mean: `mnk` is `mnk:3x3,3`.
    pub fn plays(&self, game: &str) -> bool {
        let (name, _) = game.split_once(':').unwrap_or((game, ""));
        let wanted = agon_games::canonical(game).ok();
        let is_same = |own: &str| wanted.is_some() && agon_games::canonical(own).ok() == wanted;
        self.games.is_empty() || self.games.iter().any(|own| own == game || own == name || is_same(own))
    }

    /// Sees that an engine with the board in the file alone finds that: agon writes no file into
    /// the folder of an engine.
    ///
    /// # Errors
    /// Why it does not, with the key.
    pub fn finds_board(&self) -> Result<(), String> {
        let is_elsewhere = self.directory == WorkingDirectory::Folder && !self.asks_for("board");
        if self.board == BoardTold::File && is_elsewhere {
            return Err("key board: the file board lies in the engine's own directory, and directory = \"folder\" \
                        starts it in another; leave directory out, or add {board}, the path of the file, to args"
                .to_owned());
        }
        Ok(())
    }

    /// What of its folder is part of it.
    pub fn parts(&self) -> Parts {
        Parts { source: self.source.clone(), apart: self.apart, learns: self.learns.clone() }
    }

    /// Whether a file of its folder, by its path there, is part of it.
    pub fn has_part(&self, path: &Path) -> bool {
        self.parts().has(path)
    }

    /// Whether its command contains this word in braces.
    pub fn asks_for(&self, word: &str) -> bool {
        let wanted = format!("{{{word}}}");
        let mut templates = self.leading.iter().chain(self.arguments.iter().flatten());
        templates.any(|template| template.replace("{{", "").contains(&wanted))
    }

    /// The path of its program for display, if that lies outside of its folder.
    pub fn outside(&self) -> Option<String> {
        (!self.program.starts_with(&self.folder)).then(|| program::display_path(&self.program))
    }

    /// The program's path as a C string.
    pub fn c_program(&self) -> CString {
        CString::new(self.program.as_os_str().as_bytes()).expect("a path that was found has no NUL")
    }
}

/// Fills in `{word}`; `{{` and `}}` stand for single braces.
fn fill(template: &str, words: &[(&str, String)]) -> Result<String, String> {
    let known = || words.iter().map(|(word, _)| format!("{{{word}}}")).collect::<Vec<_>>().join(" ");
    let value = |word: &str| words.iter().find(|(name, _)| *name == word).map(|(_, value)| value.clone());
    let parsed = Template::parse(template).map_err(|brace| {
        format!("the argument {template:?} has a single {brace}; double it, or write one of {}", known())
    })?;
    parsed.fill(&value).map_err(|word| {
        let word = escape(word.as_bytes(), 60);
        format!("the argument {template:?} asks for {{{word}}}, which is unknown; write one of {}", known())
    })
}

/// A name, escaped; `None` if it is blank.
pub(super) fn shown_name(bytes: &[u8]) -> Option<String> {
    let name = escape(bytes, MAX_NAME);
    let name = name.trim();
    if name.is_empty() { None } else { Some(name.to_owned()) }
}

/// The program and the arguments of a command in a folder; without one, the only executable file.
fn command(words: Option<&[String]>, folder: &Path) -> Result<(PathBuf, Vec<String>), String> {
    match words {
        Some(words) => program_of("command", words, folder),
        None => Ok((only_executable(folder)?, Vec::new())),
    }
}

/// The program and the arguments of a command that is the value of this key.
fn program_of(key: &str, words: &[String], folder: &Path) -> Result<(PathBuf, Vec<String>), String> {
    let Some((first, rest)) = words.split_first() else {
        return Err(format!("key {key}: an empty list; write {key} = [\"./program\"] or leave it out"));
    };
    if ["", ".", ".."].contains(&first.as_str()) {
        return Err(format!(
            "key {key}: {first:?} is no program; write {key} = [\"./program\"] or leave it out"
        ));
    }
    Ok((locate(first, folder).map_err(|why| format!("key {key}: {why}"))?, rest.to_vec()))
}

fn locate(command: &str, folder: &Path) -> Result<PathBuf, String> {
    let path = Path::new(&command.replace("{folder}", &folder.to_string_lossy())).to_owned();
    // Joining keeps an absolute path.
    if command.contains('/') {
        return Ok(folder.join(path));
    }
    let beside = folder.join(&path);
    if beside.is_file() { Ok(beside) } else { program::find(&path) }
}

/// The executable files in a folder, ordered by name.
///
/// # Errors
/// The folder cannot be read.
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
        [] if let Some(found) = pbrain::of_folder(folder) => found,
        [] => Err("its folder has no executable file; add command = [\"...\"]".to_owned()),
        several => Err(format!(
            "its folder has {} executable files ({}, ...); name one with command = [\"...\"]",
            several.len(),
            program::display_path(several[0].file_name().map(Path::new).unwrap_or(&several[0]))
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::super::engine_file::is_game_name;
    use super::*;

    fn words() -> Vec<(&'static str, String)> {
        vec![("side", "W".to_owned()), ("rows", "6".to_owned())]
    }

    #[test]
    fn words_in_braces_are_filled_in_and_unknown_ones_are_named() {
        assert_eq!(fill("--{side}={rows}", &words()), Ok("--W=6".to_owned()));
        assert_eq!(fill("{{{side}}}", &words()), Ok("{W}".to_owned()));
        assert!(
            fill("{colour}", &words())
                .unwrap_err()
                .contains("{colour}, which is unknown; write one of {side} {rows}")
        );
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
        assert!(unknown.ends_with("did you mean command?"), "{unknown}");
        assert!(said("command = []\n").contains("key command"));
        let text = said("command = \"./x\"\n");
        assert!(text.contains("line 1") && text.contains("expected a list, like [\"...\"]"), "{text}");
        assert!(said("name = \"\\u001b\"\ncommand = 3\n").contains("line 2"));
        assert!(said("name = \"  \"\n").contains("key name"));
        assert!(said("").contains("no executable file"));
        assert!(said("protocol = \"telepathy\"\n").contains("telepathy"));
        for gone in ["riddles", "theaigames"] {
            let words = said(&format!("command = [\"sh\"]\nprotocol = \"{gone}\"\n"));
            assert!(words.contains("line 2") && words.contains("engines/adapter/riddles.py"), "{words}");
            assert!(words.contains(&format!("args = [\"{gone}\", \"{{game}}\", ")), "{words}");
        }
        for (learns, why) in [
            ("[\"../x\"]", "\"../x\" leads out of the engine's folder"),
            ("[\"/x\"]", "leads out"),
            ("[\"a\", \"./\"]", "\"./\" is the engine's whole folder"),
            ("[\"\"]", "is the engine's whole folder"),
            ("[\"./engine.toml\"]", "is this file"),
            ("[\"bin/\"]", "the program lies in bin"),
            ("[\"a\\u0000\"]", "holds a NUL"),
        ] {
            let text = said(&format!("command = [\"./bin/run\"]\nlearns = {learns}\n"));
            assert!(text.contains("key learns: ") && text.contains(why), "{learns}: {text}");
        }
        assert!(said("learns = \"x\"\n").contains("line 1"));
        assert!(
            said("command = [\"sh\"]\n[options]\nHash = 1\n").contains("key options: the protocol lines")
        );
        let nested = said("command = [\"sh\"]\nprotocol = \"ugi\"\n[options]\nHash = [1]\n");
        assert!(nested.contains("Hash = \"text\""), "{nested}");
        let lines = said("command = [\"sh\"]\nprotocol = \"ugi\"\n[options]\nHash = \"1\\nquit\"\n");
        assert!(lines.contains("line ends"), "{lines}");
        let game = said("command = [\"sh\"]\ngames = [\"mill\", \"Chess\"]\n");
        assert!(game.contains("key games: there is no game \"Chess\"") && game.contains("abalone"), "{game}");
        let board = said("command = [\"sh\"]\nprotocol = \"ugi\"\nboard = \"file\"\n");
        assert!(board.contains("key board: the protocol ugi tells the board in its own words"), "{board}");
        let unknown = said("command = [\"sh\"]\nboard = \"disk\"\n");
        assert!(unknown.contains("line 2") && unknown.contains("file"), "{unknown}");
        let folder = "command = [\"sh\"]\ndirectory = \"folder\"\nboard = \"file\"\n";
        assert!(said(folder).contains("add {board}, the path of the file, to args"));
        fs::write(dir.path().join("engine.toml"), format!("args = [\"{{board}}\"]\n{folder}")).unwrap();
        assert_eq!(EngineSpec::at(dir.path()).unwrap().board, BoardTold::File);
        for (lines, why) in [
            ("process = \"pairing\"\n", "the protocol lines has no word for another game"),
            ("process = \"ever\"\n", "expected one of `pairing`, `game`, `turn`"),
            ("protocol = \"gomocup\"\nprocess = \"game\"\n[gomocup]\nrestart = true\n", "the old spelling"),
            (
                "protocol = \"console\"\nprocess = \"turn\"\n[console]\nanswer = '(a)'\nsay = \"{move}\"\n",
                "add own = \"template\"",
            ),
        ] {
            let text = said(&format!("command = [\"sh\"]\n{lines}"));
            assert!(text.contains(why), "{lines}: {text}");
        }
        let options = said("command = [\"sh\"]\ngames = [\"mill\", \"mnk:3x\"]\n");
        assert!(options.contains("key games: mnk: ") && options.contains("COLUMNSxROWS,K"), "{options}");
    }

    #[test]
    fn a_file_says_where_it_plays_and_cannot_choose_the_name_that_the_organiser_gives() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("lab1");
        fs::create_dir(&folder).unwrap();
        let read = |text: &str| {
            fs::write(folder.join("engine.toml"), format!("command = [\"sh\"]\n{text}")).unwrap();
            EngineSpec::at(&folder)
        };
        let spec = read("name = \"other\"\nplace = \"lab 1\"\necho = [\"cat\"]\n").unwrap();
        assert_eq!((spec.name.as_str(), spec.organisers_name().as_str()), ("other", "lab1"));
        assert_eq!(spec.place.as_deref(), Some("lab 1"));
        assert!(spec.of_echo().unwrap().unwrap().program.ends_with("cat") && spec.elsewhere.is_none());
        assert_eq!(read("name = \"lab1\"\n").unwrap().organisers_name(), "lab1");
        assert_eq!(read("").unwrap().organisers_name(), "lab1");
        let most = "x".repeat(64);
        assert!(read(&format!("place = \"{most}\"\n")).is_ok());
        for wrong in [format!("{most}x"), " ".to_owned(), "\\u001b[2J".to_owned()] {
            let said = read(&format!("place = \"{wrong}\"\n")).unwrap_err();
            assert!(said.contains("key place: write a printable text"), "{said}");
        }
        assert!(read("echo = []\n").unwrap_err().contains("key echo: an empty list"));
        assert!(read("elsewhere = true\n").unwrap_err().contains("elsewhere"), "no file can");
    }

    #[test]
    fn a_process_lives_as_long_as_its_protocol_or_its_file_says() {
        let dir = tempfile::tempdir().unwrap();
        let read = |text: &str| {
            fs::write(dir.path().join("engine.toml"), format!("command = [\"sh\"]\n{text}")).unwrap();
            EngineSpec::at(dir.path()).unwrap()
        };
        for (text, span) in [
            ("", ProcessSpan::Game),
            ("process = \"turn\"\n", ProcessSpan::Turn),
            ("protocol = \"ugi\"\n", ProcessSpan::Pairing),
            ("protocol = \"gtp\"\nprocess = \"game\"\n", ProcessSpan::Game),
            ("protocol = \"uci\"\nprocess = \"turn\"\n", ProcessSpan::Turn),
            ("protocol = \"gomocup\"\n", ProcessSpan::Game),
            ("protocol = \"gomocup\"\nprocess = \"pairing\"\n", ProcessSpan::Pairing),
        ] {
            let spec = read(text);
            assert_eq!((spec.process, spec.old), (span, None), "{text}");
        }
        for (restart, span) in [("true", ProcessSpan::Pairing), ("false", ProcessSpan::Game)] {
            let spec = read(&format!("protocol = \"gomocup\"\n[gomocup]\nrestart = {restart}\n"));
            assert_eq!(spec.process, span);
            let old = spec.old.unwrap();
            assert_eq!(old.old, format!("restart = {restart} of [gomocup]"));
        }
    }

    #[test]
    fn a_game_stands_for_all_its_options_and_no_games_for_all_games() {
        let mut spec = EngineSpec::at(Path::new("/nowhere/x")).unwrap();
        assert!(spec.plays("mill"));
        spec.games = vec!["mnk".to_owned(), "morris:nine".to_owned()];
        assert!(spec.plays("mnk") && spec.plays("mnk:15x15,5") && spec.plays("morris:nine"));
        assert!(!spec.plays("morris") && !spec.plays("mill"));
    }

    #[test]
    fn options_count_by_what_they_mean() {
        let mut spec = EngineSpec::at(Path::new("/nowhere/x")).unwrap();
        for (listed, game) in [
            ("mnk:3x3,3", "mnk"),
            ("mnk:3x3,3", "mnk:3x3,3,first=X"),
            ("morris:six", "morris"),
            ("morris:six,flying=yes", "morris:six"),
            ("morris:nine,removal=outside", "morris:nine"),
            ("abalone:at-limit=tie", "abalone:ko=yes"),
            ("letters:6x6x3,scrabble", "letters"),
            ("letters:4x4x2", "letters:4x4x2,scrabble"),
            ("connect4", "connect4"),
        ] {
            spec.games = vec![listed.to_owned()];
            assert!(spec.plays(game), "{listed}: {game}");
        }
        for (listed, game) in [
            ("mnk:3x3,3", "mnk:4x4,3"),
            ("morris:six", "morris:nine"),
            ("abalone:at-limit=marbles", "abalone"),
            ("letters:6x6x3,uniform", "letters"),
            ("my-game", "mnk"),
        ] {
            spec.games = vec![listed.to_owned()];
            assert!(!spec.plays(game), "{listed}: {game}");
        }
    }

    #[test]
    fn the_game_of_a_referee_program_is_listed_by_its_name() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("engine.toml"), "command = [\"sh\"]\ngames = [\"my-game\"]\n").unwrap();
        let spec = EngineSpec::at(dir.path()).unwrap();
        assert!(spec.plays("my-game") && spec.plays("my-game:size=3") && !spec.plays("mill"));
        assert!(!is_game_name("") && !is_game_name("my-game:size=3") && !is_game_name("../my-game"));
    }

    #[test]
    fn a_hostile_name_is_shown_harmless() {
        let spec = EngineSpec::at(Path::new("/tmp/\u{1b}[2Jx")).unwrap();
        assert_eq!(spec.name, "\\x1b[2Jx");
    }
}
