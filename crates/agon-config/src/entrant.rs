//! A program with settings of its own, as a `tournament.toml` has it: `[[engine]]`.

use std::path::PathBuf;
use std::str::FromStr;

use agon_seats::Odds;
use toml::de::DeValue;

use super::lines::{KeyLines, TomlEntry, Within};
use super::table::{keys, tables_in_a_list};
use super::values::KeyValue;

keys! {
    /// An engine with settings of its own, as it is written in the list `engine`.
    EntrantFile {
        /// The program: an executable file, a folder with an engine.toml, or DIR/NAME@HASH as the
        /// run in DIR has kept it. Several tables may name one program (required)
        program: PathBuf,
        /// The name of the engine, which tells the setting [default: that of the program with the
        /// options behind it, as mine:Hash=64]
        name: Option<String>,
        /// Options that the engine is told by `setoption`, over those of its own engine.toml, as
        /// options = { Hash = 64 }
        options: NamedValues,
        /// The words behind the program, in place of those of its engine.toml
        args: Option<Vec<String>>,
        /// Environment variables, over those of its engine.toml
        env: NamedValues,
        /// Its protocol: `lines`, `ugi`, `uci`, `tei`, `uai`, `gtp`, `gomocup` or `console`
        /// [default: that of its engine.toml]
        protocol: Option<String>,
        /// The words of its relative of UGI, as the table `[ugi]` of an engine.toml has them
        /// [default: that of its engine.toml]
        ugi: Option<OwnTable>,
        /// The table `[gomocup]` of an engine.toml [default: that of its engine.toml]
        gomocup: Option<OwnTable>,
        /// The table `[console]` of an engine.toml [default: that of its engine.toml]
        console: Option<OwnTable>,
        /// Where an engine of `lines` finds the board, `stdin` or `file`
        /// [default: that of its engine.toml]
        board: Option<String>,
        /// Its own time control, or a limit of its search, as the option `time` has it behind the
        /// name [default: as for the others]
        time: Vec<OwnOdds>,
        /// Its working directory, `own` or `folder` [default: that of its engine.toml]
        directory: Option<String>,
        /// How long a process lives: `pairing`, `game` or `turn`
        /// [default: that of its engine.toml]
        process: Option<String>,
        /// Whether its stdin and stdout are a terminal [default: that of its engine.toml]
        pty: Option<bool>,
        /// Whether a copy of its files may play in their place [default: that of its engine.toml]
        kept: Option<bool>,
        /// Where it plays if it plays elsewhere [default: that of its engine.toml]
        place: Option<String>,
        /// The command that gives each line back from there [default: that of its engine.toml]
        echo: Option<Vec<String>>,
    }
}

tables_in_a_list!(EntrantFile, "engine", "a list of tables, [[engine]]");

/// Names with texts, in the order in which they are written.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct NamedValues(pub Vec<(String, String)>);

impl KeyValue for NamedValues {
    fn shape() -> String {
        "a table, as { NAME = \"VALUE\" }".to_owned()
    }

    fn read(entry: &TomlEntry<'_>) -> anyhow::Result<Self> {
        let Some(table) = entry.value.get_ref().as_table() else {
            return Err(entry.expected("a table of names and values"));
        };
        let within = Within::Key(if entry.is("env") { "env" } else { "options" });
        let lines = KeyLines::of(entry.source, within, entry.line(), table);
        let value = |entry: TomlEntry<'_>| {
            let value = match entry.value.get_ref() {
                DeValue::Boolean(value) => value.to_string(),
                _ => match entry.number() {
                    Some(number) => number,
                    None => entry.text("a text, a number or a truth")?.to_owned(),
                },
            };
            Ok((entry.key.to_owned(), value))
        };
        let all = TomlEntry::all(entry.source, &lines, table);
        all.into_iter().map(value).collect::<anyhow::Result<_>>().map(NamedValues)
    }
}

/// A table as an `engine.toml` has it, whose keys are read with that.
#[derive(Clone, PartialEq, Debug)]
pub struct OwnTable(pub toml::Table);

impl KeyValue for OwnTable {
    fn shape() -> String {
        "a table, as an engine.toml has it".to_owned()
    }

    fn read(entry: &TomlEntry<'_>) -> anyhow::Result<Self> {
        match entry.owned() {
            Some(toml::Value::Table(table)) => Ok(OwnTable(table)),
            _ => Err(entry.expected("a table, as an engine.toml has it")),
        }
    }
}

/// A time control or a limit of the search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OwnOdds(pub Odds);

impl FromStr for OwnOdds {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        text.parse().map(OwnOdds)
    }
}

impl KeyValue for OwnOdds {
    fn shape() -> String {
        "\"st=10\", \"tc=60+1\", \"nodes=10000\" or \"depth=8\"".to_owned()
    }

    fn read(entry: &TomlEntry<'_>) -> anyhow::Result<Self> {
        entry.parse(entry.text(&Self::shape())?)
    }
}
