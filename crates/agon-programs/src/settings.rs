//! One program with settings that the organiser gives it: options, arguments and the like that are
//! not those of its own `engine.toml`.
//!
//! The program plays as if its `engine.toml` were another one, and that text is part of what is
//! hashed and kept. So each setting is an engine of its own in records, and a kept copy plays as
//! it was set. Only an organiser's file or command can set a program: an `engine.toml` cannot.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agon_config::{EntrantFile, Misuse, OwnTable};
use agon_printable::{clean, escape};
use agon_protocol::Protocol;
use agon_protocol::announced::is_same_option;
use toml::{Table, Value};

use super::engine_file::{self, EngineFile};
use super::program;
use super::protocol_keys;
use super::set_engine::SetEngine;
use super::spec::{EngineSpec, shown_name};

/// The longest name of an engine that is made of its settings, in characters.
const LONGEST_NAME: usize = 60;

/// What an organiser gives a program.
#[derive(Clone, Default, Debug)]
pub struct EngineSettings {
    /// Its name; without one it is made of the program's and the options.
    pub name: Option<String>,
    /// Options of its protocol, in the order in which they are sent, over those of its own file.
    pub options: Vec<(String, String)>,
    /// Environment variables, over those of its own file.
    pub env: Vec<(String, String)>,
    /// Other keys of an `engine.toml`, in the place of its own.
    pub keys: Vec<SetKey>,
    /// Where this is written, for messages.
    pub place: String,
    /// Where the options are written, if that is known better.
    pub options_place: Option<String>,
    /// Where its name is written, or is to be written.
    pub name_place: Option<String>,
}

/// A key of an `engine.toml` that the organiser sets.
#[derive(Clone, PartialEq, Debug)]
pub struct SetKey {
    /// The key.
    pub key: &'static str,
    /// Its value.
    pub value: Value,
    /// Where it is written, for messages.
    pub place: String,
}

/// The keys of an `engine.toml` that a table `[[engine]]` has not: the program stands in their
/// place, or they tell what the program is and not how it plays.
#[cfg(test)]
const OWN_ALONE: [&str; 4] = ["command", "build", "games", "learns"];

/// An engine with options behind its path.
pub struct SpelledEngine {
    /// Its path.
    pub program: PathBuf,
    /// The options.
    pub settings: EngineSettings,
}

/// What `PATH:OPTION=VALUE,...` names. `None` if something lies at the whole path, or if nothing is
/// there before a colon: then it is a path, whatever is in it.
///
/// # Errors
/// What is behind the path is wrong, or two paths are possible.
pub fn spelled(path: &Path, is_there: impl Fn(&Path) -> bool) -> Option<Result<SpelledEngine, Misuse>> {
    let text = path.to_str().filter(|_| path.symlink_metadata().is_err())?;
    let split = text.match_indices(':').map(|(at, _)| (Path::new(&text[..at]), &text[at + 1..]));
    let fits = split.filter(|(program, options)| options.contains('=') && is_there(program));
    let place = escape(text.as_bytes(), 200);
    Some(match fits.collect::<Vec<_>>()[..] {
        [] => return None,
        [(program, options)] => spelled_options(options)
            .map(|options| SpelledEngine {
                program: program.to_owned(),
                settings: EngineSettings { options, place: place.clone(), ..EngineSettings::default() },
            })
            .map_err(|why| match Misuse::parts(&why) {
                Some((what, hint)) => {
                    Misuse { what: format!("{place}: {what}"), hint: Some(hint.to_owned()) }
                }
                None => Misuse { what: format!("{place}: {why}"), hint: None },
            }),
        [(one, _), (two, _), ..] => Err(Misuse {
            what: format!(
                "{place}: this is {} with options, or {}, which is there too",
                program::display_path(one),
                program::display_path(two)
            ),
            hint: Some(
                "name the program and its options in a table [[engine]] of a tournament.toml".to_owned(),
            ),
        }),
    })
}

/// Options as they stand behind a path: `Hash=64,Threads=2`. A comma that is no end is written
/// twice.
///
/// # Errors
/// What is wrong, and what to write.
pub(crate) fn spelled_options(text: &str) -> Result<Vec<(String, String)>, String> {
    let whole = text.replace(",,", "\0");
    let one = |part: &str| {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        let (name, value) = (name.trim().replace('\0', ","), value.replace('\0', ","));
        if name.is_empty() || !part.contains('=') {
            let part = clean(&part.replace('\0', ","));
            return Err(format!("\"{part}\" is no option with a value; write OPTION=VALUE,OPTION=VALUE"));
        }
        Ok((name, value))
    };
    let options: Vec<(String, String)> = whole.split(',').map(one).collect::<Result<_, _>>()?;
    engine_file::given_once(options.iter().map(|(name, _)| name.as_str()))?;
    Ok(options)
}

/// Options as [`spelled_options`] reads them.
fn spelling(options: &[(String, String)]) -> String {
    let all = options.iter().map(|(name, value)| format!("{name}={value}").replace(',', ",,"));
    all.collect::<Vec<_>>().join(",")
}

impl EngineSettings {
    /// Those of a table `[[engine]]`.
    pub fn of_entry(entry: &EntrantFile) -> Self {
        let text = |value: &Option<String>| value.clone().map(Value::String);
        let words = |words: &Option<Vec<String>>| {
            words.as_ref().map(|words| Value::Array(words.iter().cloned().map(Value::String).collect()))
        };
        let table = |table: &Option<OwnTable>| table.clone().map(|table| Value::Table(table.0));
        let keys = [
            ("args", words(&entry.args)),
            ("protocol", text(&entry.protocol)),
            ("ugi", table(&entry.ugi)),
            ("gomocup", table(&entry.gomocup)),
            ("console", table(&entry.console)),
            ("board", text(&entry.board)),
            ("directory", text(&entry.directory)),
            ("process", text(&entry.process)),
            ("pty", entry.pty.map(Value::Boolean)),
            ("kept", entry.kept.map(Value::Boolean)),
            ("place", text(&entry.place)),
            ("echo", words(&entry.echo)),
        ];
        let set = |(key, value)| {
            let value: Option<Value> = value;
            Some(SetKey { key, value: value?, place: entry.lines.place(&[key]) })
        };
        EngineSettings {
            name: entry.name.clone(),
            options: entry.options.0.clone(),
            env: entry.env.0.clone(),
            keys: keys.into_iter().filter_map(set).collect(),
            name_place: Some(entry.lines.place(&["name"])),
            place: entry.lines.place(&["program"]),
            options_place: entry.lines.has("options").then(|| entry.lines.place(&["options"])),
        }
    }

    /// The program with these settings, if there are any, and else under the name that they give.
    ///
    /// # Errors
    /// As [`EngineSpec::with_settings`].
    pub fn set(&self, program: EngineSpec) -> Result<EngineSpec, String> {
        if !self.is_empty() {
            return program.with_settings(self);
        }
        let name = self.name_of(&program)?;
        Ok(EngineSpec { names_itself: program.names_itself && self.name.is_none(), name, ..program })
    }

    /// Whether the program plays as it is.
    pub fn is_empty(&self) -> bool {
        self.options.is_empty() && self.env.is_empty() && self.keys.is_empty()
    }

    /// The name of the program with these settings.
    ///
    /// # Errors
    /// It needs one of its own, or that is too long or blank; with its place.
    pub fn name_of(&self, program: &EngineSpec) -> Result<String, String> {
        if let Some(name) = &self.name {
            let shown = shown_name(name.as_bytes());
            let place = self.name_place.as_deref().unwrap_or(&self.place);
            return shown.ok_or_else(|| format!("{place}: the name is blank; write a visible one"));
        }
        let is_more = !self.keys.is_empty() || !self.env.is_empty();
        if self.is_empty() {
            return Ok(program.name.clone());
        }
        if is_more {
            return Err(format!(
                "{}: is missing; write one that tells the setting, like name = \"{}-a\"",
                self.name_place.as_deref().unwrap_or(&self.place),
                clean(&program.name)
            ));
        }
        // A slash in a name would be one of a path.
        let name = format!("{}:{}", program.name, spelling(&self.options)).replace('/', "_");
        match shown_name(name.as_bytes()) {
            Some(shown) if name.chars().count() <= LONGEST_NAME => Ok(shown),
            _ => Err(format!(
                "{}: its options make a name of more than {LONGEST_NAME} characters; give it a name in a table \
                 [[engine]] of a tournament.toml",
                self.place
            )),
        }
    }

    /// Sees that no key depends on a protocol that is not known before the game is.
    fn depends_on_no_protocol(&self) -> Result<(), String> {
        for SetKey { key, place, .. } in &self.keys {
            if let Some(wanted) = protocol_keys::protocol_wanted(key) {
                return Err(format!(
                    "{place}: this depends on the protocol, which neither this table nor an engine.toml of the \
                     program says; add {wanted}"
                ));
            }
        }
        Ok(())
    }

    /// What is wrong with the text that these settings make, with the place of the key that it
    /// names, if that is one of these.
    fn placed(&self, why: &str) -> String {
        let why = why.strip_prefix(": ").unwrap_or(why);
        let key = why.strip_prefix("key ").and_then(|rest| rest.split_once([':', ' '])).map(|(key, _)| key);
        let set = |wanted: &str| self.keys.iter().find(|set| set.key == wanted).map(|set| &set.place);
        let of_options = self.options_place.as_ref().filter(|_| key == Some("options"));
        // Else a key of the program's own file does not go with the protocol that is set.
        match key
            .and_then(|key| Some((set(key).or(of_options)?, why.strip_prefix("key ")?.get(key.len()..)?)))
        {
            Some((place, rest)) => format!("{place}: {}", rest.trim_start_matches([':', ' '])),
            None => format!("{}: {why}", set("protocol").unwrap_or(&self.place)),
        }
    }
}

impl EngineSpec {
    /// The program with these settings.
    ///
    /// # Errors
    /// What is wrong, with the place of the settings.
    pub fn with_settings(self, settings: &EngineSettings) -> Result<EngineSpec, String> {
        let place = &settings.place;
        let wrong = |why: String| format!("{place}: {why}");
        let name = settings.name_of(&self)?;
        engine_file::given_once(settings.options.iter().map(|(name, _)| name.as_str()))
            .map_err(|why| format!("{}: {why}", settings.options_place.as_ref().unwrap_or(place)))?;
        // Alone, so that the message is about this key and not about a text that nobody wrote.
        for SetKey { key, value, place } in &settings.keys {
            EngineFile::read_key(key, value).map_err(|why| format!("{place}: {why}"))?;
        }
        let (text, is_silent) = self.text_of(settings).map_err(wrong)?;
        if is_silent {
            settings.depends_on_no_protocol()?;
        }
        let set = EngineSpec::of_text("", &self.folder, text).map_err(|why| settings.placed(&why))?;
        let names = settings.options.iter().map(|(name, _)| name.clone());
        let is_spelled = settings.env.is_empty() && settings.keys.is_empty() && settings.name.is_none();
        let source = program::display_path(&self.source);
        let own = SetEngine {
            own_text: self.text.clone(),
            is_silent,
            options: names.collect(),
            options_place: settings.options_place.as_ref().unwrap_or(place).clone(),
            place: place.clone(),
            spelling: is_spelled.then(|| format!("{source}:{}", spelling(&settings.options))),
        };
        Ok(EngineSpec {
            name,
            source: self.source,
            folder: self.folder,
            program: self.program,
            leading: self.leading,
            build: self.build,
            // Those of a program without a file of its own stand in none.
            games: if self.text.is_none() { self.games } else { set.games },
            origin: self.origin,
            names_itself: false,
            set: Some(Arc::new(own)),
            named_at: self.named_at,
            ..set
        })
    }

    /// The text of the `engine.toml` that it plays by, and whether nothing names its protocol.
    fn text_of(&self, settings: &EngineSettings) -> Result<(String, bool), String> {
        let (mut table, mut options) = match &self.text {
            Some(text) => {
                let file = EngineFile::parse(text)?;
                let mut options: Vec<_> = file.options.into_iter().collect();
                options.sort_by_key(|(name, _)| name.span().start);
                let table = toml::from_str::<Table>(text).map_err(|error| error.to_string())?;
                (table, options.into_iter().map(|(name, value)| (name.into_inner(), value)).collect())
            }
            None => (self.table_alone(), Vec::<(String, Value)>::new()),
        };
        table.remove("options");
        for SetKey { key, value, .. } in &settings.keys {
            table.insert((*key).to_owned(), value.clone());
        }
        for (name, value) in &settings.options {
            let value = Value::String(value.clone());
            match options.iter_mut().find(|(own, _)| is_same_option(own, name)) {
                Some((_, own)) => *own = value,
                None => options.push((name.clone(), value)),
            }
        }
        if !settings.env.is_empty() {
            let env = table.entry("env").or_insert_with(|| Value::Table(Table::new()));
            let env = env.as_table_mut().ok_or("key env: is no table")?;
            env.extend(settings.env.iter().map(|(name, value)| (name.clone(), Value::String(value.clone()))));
        }
        // Of a program alone only chess engines are known by what they are.
        if self.text.is_none() && !options.is_empty() && !table.contains_key("protocol") {
            table.insert("protocol".to_owned(), Value::String(Protocol::Uci.name().to_owned()));
        }
        let is_silent = self.text.is_none() && !table.contains_key("protocol");
        let mut text = toml::to_string(&table).map_err(|error| error.to_string())?;
        if !options.is_empty() {
            text.push_str("\n[options]\n");
            for (name, value) in options {
                text.push_str(&format!("{} = {}\n", Value::String(name), as_text(value)));
            }
        }
        Ok((text, is_silent))
    }

    /// What the `engine.toml` of a program without one would say.
    fn table_alone(&self) -> Table {
        let name = self.program.file_name().unwrap_or_default().to_string_lossy();
        let mut table = Table::new();
        table.insert("command".to_owned(), Value::Array(vec![Value::String(format!("./{name}"))]));
        if self.protocol != Protocol::Lines {
            table.insert("protocol".to_owned(), Value::String(self.protocol.name().to_owned()));
        }
        table
    }

    /// Its `engine.toml` with the protocol that it speaks, if that was not said.
    pub(super) fn says_protocol(&mut self) {
        let Some(set) = &mut self.set else { return };
        if let (true, Some(text)) = (set.is_silent, &self.text) {
            self.text = Some(format!("protocol = \"{}\"\n{text}", self.protocol.name()).into());
            Arc::make_mut(set).is_silent = false;
        }
    }

    /// The text of the `engine.toml` that lies in its folder, if one does.
    pub fn own_text(&self) -> Option<&str> {
        self.set.as_ref().map_or(self.text.as_deref(), |set| set.own_text.as_deref())
    }
}

/// The value of an option as text, so that `64` and `"64"` are the same setting.
fn as_text(value: Value) -> Value {
    match value {
        Value::Integer(_) | Value::Float(_) | Value::Boolean(_) => Value::String(value.to_string()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn options(text: &str) -> Vec<(String, String)> {
        spelled_options(text).unwrap()
    }

    fn settings(text: &str) -> EngineSettings {
        EngineSettings { options: options(text), place: "here".to_owned(), ..EngineSettings::default() }
    }

    #[test]
    fn options_are_spelled_in_one_word() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(options("Hash=64"), [pair("Hash", "64")]);
        let long = "Skill Level=5,List=a,,b,Path=/x:/y,Eval=a=b,Clear=";
        let all = options(long);
        assert_eq!(all[1..4], [pair("List", "a,b"), pair("Path", "/x:/y"), pair("Eval", "a=b")]);
        assert_eq!((&all[0], &all[4]), (&pair("Skill Level", "5"), &pair("Clear", "")));
        assert_eq!(spelling(&all), long);
        for wrong in ["", "Hash", "Hash=1,", "=5", "Hash=1,hash=2"] {
            assert!(spelled_options(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_setting_is_over_its_own_file_and_names_the_engine() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().canonicalize().unwrap().join("bot");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("run"), "#!/bin/sh\n").unwrap();
        fs::set_permissions(folder.join("run"), fs::Permissions::from_mode(0o755)).unwrap();
        let toml = "name = \"b\"\nprotocol = \"uci\"\n[options]\nZ = 1\nHash = 16\n[env]\nA = \"1\"\n";
        fs::write(folder.join("engine.toml"), toml).unwrap();
        let own = EngineSpec::at(&folder).unwrap();
        let set = own.clone().with_settings(&settings("hash=64,Threads=2")).unwrap();
        assert_eq!(set.name, "b:hash=64,Threads=2");
        let sent: Vec<String> = set.options.iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(sent, ["Z=1", "Hash=64", "Threads=2"]);
        assert_eq!((&set.program, set.environment["A"].as_str()), (&own.program, "1"));
        // Its text is what a file there would have to say for the same.
        let text = set.text.clone().unwrap();
        assert_eq!(set.own_text(), Some(toml));
        fs::write(folder.join("engine.toml"), &*text).unwrap();
        assert_eq!(EngineSpec::at(&folder).unwrap().options, set.options);
        // A program alone speaks UCI if it has options, and else what the game says.
        let alone = EngineSpec::at(&folder.join("run")).unwrap();
        assert_eq!(alone.clone().with_settings(&settings("Hash=1")).unwrap().protocol, Protocol::Uci);
        let key = |key, value| SetKey { key, value, place: "there".to_owned() };
        let args = key("args", Value::Array(vec![Value::String("-x".to_owned())]));
        let more = EngineSettings {
            name: Some("x".to_owned()),
            keys: vec![args],
            place: "here".to_owned(),
            ..EngineSettings::default()
        };
        let set = alone.clone().with_settings(&more).unwrap().in_game("chess");
        assert_eq!(
            (set.protocol, set.arguments.unwrap()),
            (Protocol::Uci, ["-x"].map(str::to_owned).to_vec())
        );
        assert!(set.text.unwrap().starts_with("protocol = \"uci\"\n"));
        for (wrong, why) in [
            (EngineSettings { name: None, ..more.clone() }, "here: is missing"),
            (settings(&format!("Hash={}", "1".repeat(60))), "more than 60 characters"),
            (
                EngineSettings {
                    keys: vec![key("protocol", Value::String("udp".to_owned()))],
                    ..more.clone()
                },
                "there: unknown variant `udp`",
            ),
            (
                EngineSettings {
                    keys: vec![key(
                        "ugi",
                        Value::Table(Table::from_iter([("x".to_owned(), Value::from(1))])),
                    )],
                    ..more
                },
                "there: unknown field `x`",
            ),
        ] {
            let said = alone.clone().with_settings(&wrong).unwrap_err();
            assert!(said.contains(why), "{said}");
        }
    }

    /// A key of an `engine.toml` cannot be forgotten in `[[engine]]`.
    #[test]
    fn a_table_of_an_engine_has_each_key_of_an_engine_toml() {
        let why = EngineFile::parse("none-of-these = 1").map(|_| ()).unwrap_err();
        let listed = why.split_once("expected one of ").expect("a list of keys").1;
        let listed = listed.split('`').skip(1).step_by(2);
        let entry = EntrantFile::KEYS.iter().map(agon_config::Key::name).collect::<Vec<_>>();
        let own: Vec<&str> = listed.filter(|key| !OWN_ALONE.contains(key)).collect();
        assert!(own.len() > 12, "{why}");
        let missing: Vec<&&str> =
            own.iter().filter(|key| !entry.iter().any(|other| other == **key)).collect();
        assert!(missing.is_empty(), "{missing:?}");
        let more: Vec<&String> = entry.iter().filter(|key| !own.contains(&key.as_str())).collect();
        assert_eq!(more, ["program", "time"]);
    }
}
