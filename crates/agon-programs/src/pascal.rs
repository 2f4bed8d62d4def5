//! Units of Turbo Pascal for the mill league of 1997. Finds the league's function in a unit, writes
//! the folder of an engine around it, and reads what the compiler says of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use agon_printable::{escape, without_mark};
use memchr::memmem;

use super::program::display_path;

/// The compiler.
pub const COMPILER: &str = "fpc";
/// A file that only a folder of ours has.
pub const MARK: &str = "agon_driver.pas";
/// How Free Pascal compiles like Turbo Pascal: integers of 16 bits, short strings, the check of the
/// stack, and variables in memory: a result that was not set is then what the program around the
/// unit has left there. The report of a runtime error has the lines of the source. All units are
/// compiled each time, because those of an earlier build may have had other options.
const COMMAND: [&str; 11] =
    [COMPILER, "-Mtp", "-B", "-O2", "-Oonoregvar", "-Ct", "-gl", "-v0ew", "-l-", "-oengine", MARK];
/// The checks of indices, ranges and overflows, which Turbo Pascal left out unless asked.
const CHECKS: [&str; 2] = ["-Cr", "-Co"];
/// The sign that ends a text file of DOS.
const END_OF_FILE: u8 = 26;

const PIPE: &str = include_str!("../../../starters/pascal/agon_pipe.pas");
const MILL: &str = include_str!("../../../starters/pascal/agon_mill.pas");
/// The unit Graph, whose procedures draw nothing.
const GRAPH: &str = include_str!("../../../starters/pascal/graph.pas");
const GRAPH_FILE: &str = "graph.pas";
const DRIVER: &str = include_str!("../../../starters/pascal/agon_driver.pas");

/// A unit with the league's function.
#[derive(Debug)]
pub struct LeagueUnit {
    /// The name of the unit.
    pub name: String,
    /// The name of its function.
    pub function: String,
    /// The name of the type of the board.
    board: String,
    /// The units that its interface uses, of which one may declare the type of the board.
    interface_uses: Vec<String>,
}

/// Why a file is no unit for the league.
#[derive(Debug)]
pub struct Unfit {
    /// The line, if one is to be named.
    pub line: Option<usize>,
    /// What is wrong.
    pub why: String,
    /// The declaration that is expected.
    pub hint: String,
}

/// One word, sign or string of a source.
struct Token {
    line: usize,
    text: String,
}

impl Token {
    fn is(&self, word: &str) -> bool {
        self.text.eq_ignore_ascii_case(word)
    }

    fn is_name(&self) -> bool {
        self.text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
    }
}

/// The words and signs of a source, and the files that its directives include.
#[derive(Default)]
struct Source {
    tokens: Vec<Token>,
    included: Vec<String>,
}

impl Source {
    /// Comments are left out; strings are one token each. Bytes outside of ASCII can only stand in
    /// these two.
    fn read(bytes: &[u8]) -> Source {
        let mut source = Source::default();
        let mut line = 1;
        let mut at = bytes.len() - without_mark(bytes).len();
        while let Some(&byte) = bytes.get(at).filter(|byte| **byte != END_OF_FILE) {
            let rest = &bytes[at..];
            let length = match byte {
                b'{' => until(rest, b"}"),
                b'(' if rest.starts_with(b"(*") => until(rest, b"*)"),
                b'/' if rest.starts_with(b"//") => rest.iter().take_while(|byte| **byte != b'\n').count(),
                b'\'' => 1 + until(&rest[1..], b"'"),
                _ if is_of_name(byte) => rest.iter().take_while(|byte| is_of_name(**byte)).count(),
                _ => 1,
            };
            let text = String::from_utf8_lossy(&rest[..length]);
            match byte {
                b'{' | b'(' if length > 1 => source.included.extend(include_of(&text)),
                b'/' if length > 1 => {}
                _ if byte.is_ascii_whitespace() => {}
                _ => source.tokens.push(Token { line, text: text.into_owned() }),
            }
            line += rest[..length].iter().filter(|byte| **byte == b'\n').count();
            at += length;
        }
        source
    }

    /// The names in all `uses` of these tokens.
    fn uses(tokens: &[Token]) -> Vec<String> {
        let mut names = Vec::new();
        for (at, _) in tokens.iter().enumerate().filter(|(_, token)| token.is("uses")) {
            let list = tokens[at + 1..].iter().take_while(|token| !token.is(";"));
            names.extend(list.filter(|token| token.is_name()).map(|token| token.text.to_ascii_lowercase()));
        }
        names
    }
}

fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The length up to the end of the first `end`, or of everything.
fn until(bytes: &[u8], end: &[u8]) -> usize {
    memmem::find(bytes, end).map_or(bytes.len(), |at| at + end.len())
}

/// The file that a directive like `{$I tables.inc}` includes; `{$I+}` is a switch.
fn include_of(comment: &str) -> Option<String> {
    let inner = comment.trim_start_matches(['{', '(', '*']).trim_end_matches(['}', ')', '*']);
    let (word, file) = inner.strip_prefix('$')?.split_once(char::is_whitespace)?;
    let is_include = word.eq_ignore_ascii_case("i") || word.eq_ignore_ascii_case("include");
    is_include.then(|| file.trim().to_owned())
}

/// A function or procedure as it is declared.
struct Header {
    line: usize,
    is_function: bool,
    name: String,
    /// The types of its parameters.
    types: Vec<String>,
    result: Option<String>,
}

impl Header {
    /// The header that begins with this token, `function` or `procedure`; `None` for a type.
    fn read(tokens: &[Token]) -> Option<Header> {
        let name = tokens.get(1).filter(|token| token.is_name())?;
        let mut rest = tokens.iter().skip(2).peekable();
        let mut types = Vec::new();
        if rest.next_if(|token| token.is("(")).is_some() {
            let (mut names, mut of) = (0, None::<String>);
            for token in rest.by_ref() {
                let ends = token.is(")");
                if ends || token.is(";") {
                    types.extend(std::iter::repeat_n(of.take().unwrap_or_default(), names));
                    names = 0;
                    if ends {
                        break;
                    }
                } else if token.is(":") {
                    of = Some(String::new());
                } else if let Some(of) = &mut of {
                    of.push_str(&token.text);
                } else if token.is_name() && !token.is("var") && !token.is("const") {
                    names += 1;
                }
            }
        }
        let result = rest.next_if(|token| token.is(":")).and_then(|_| rest.next());
        Some(Header {
            line: tokens[0].line,
            is_function: tokens[0].is("function"),
            name: name.text.clone(),
            types,
            result: result.map(|token| token.text.clone()),
        })
    }

    /// The headers among these tokens, without those of objects.
    fn all(tokens: &[Token]) -> Vec<Header> {
        let mut found = Vec::new();
        let mut depth = 0_usize;
        for (at, token) in tokens.iter().enumerate() {
            if token.is("record") || token.is("object") {
                depth += 1;
            } else if token.is("end") {
                depth = depth.saturating_sub(1);
            } else if depth == 0 && (token.is("function") || token.is("procedure")) {
                found.extend(Header::read(&tokens[at..]));
            }
        }
        found
    }

    /// The type of the board, if this is a function of the league.
    fn board(&self) -> Option<&str> {
        let [who, board, own, other] = &self.types[..] else { return None };
        let is = |text: &str, word: &str| text.eq_ignore_ascii_case(word);
        let fits = is(who, "byte")
            && is(own, "real")
            && is(other, "real")
            && self.is_function
            && self.result.as_deref().is_some_and(|result| is(result, "word"));
        let is_type = |name: &str| name.bytes().all(|byte| is_of_name(byte) || byte == b'.');
        (fits && is_type(board) && !board.is_empty()).then_some(&**board)
    }

    /// For a message: without the names of the parameters.
    fn shown(&self) -> String {
        let kind = if self.is_function { "function" } else { "procedure" };
        let result = self.result.as_ref().map(|result| format!(": {result}")).unwrap_or_default();
        format!("{kind} {}({}){result}", self.name, self.types.join("; "))
    }
}

/// How the first line of an `engine.toml` begins that was written for a unit; its file follows.
const WRITTEN: &str = "# Written by agon new mill pascal from ";

/// The same, as agon 0.1.0 has written it.
const WRITTEN_BEFORE: &str = "# Written by agon pascal-unit from ";

/// The name of a file, in one line.
fn file_name(file: &Path) -> String {
    file.file_name().map(|name| escape(name.as_encoded_bytes(), 200)).unwrap_or_default()
}

impl LeagueUnit {
    /// Finds the league's function in a unit. A unit with several functions of that form plays with
    /// the one that is called `P` and its own name, or else `PYuval`.
    ///
    /// # Errors
    /// It is no unit, or has no such function.
    pub fn read(bytes: &[u8]) -> Result<LeagueUnit, Unfit> {
        let Source { tokens, .. } = Source::read(bytes);
        let named = (tokens.first().is_some_and(|first| first.is("unit")))
            .then(|| tokens.get(1).filter(|name| name.is_name()))
            .flatten();
        let Some(name) = named.map(|token| token.text.clone()) else {
            let what = match tokens.first() {
                Some(first) if first.is("program") => "it is a program, not a unit",
                _ => "it is not a unit of Pascal: it does not begin with unit and a name",
            };
            return Err(Unfit { line: None, why: what.to_owned(), hint: declaration("Yuval") });
        };
        if name.to_ascii_lowercase().starts_with("agon_") {
            let hint = "give the unit another name".to_owned();
            return Err(Unfit { line: None, why: format!("{name} is the name of a unit of agon"), hint });
        }
        let place = |word: &str| tokens.iter().position(|token| token.is(word));
        let interface =
            &tokens[place("interface").unwrap_or(0)..place("implementation").unwrap_or(tokens.len())];
        let headers = Header::all(interface);
        let wanted = [format!("P{name}"), "PYuval".to_owned()];
        let called = |wanted: &String| {
            headers.iter().find(|header| header.name.eq_ignore_ascii_case(wanted) && header.board().is_some())
        };
        let fitting: Vec<&Header> = headers.iter().filter(|header| header.board().is_some()).collect();
        let found = wanted.iter().find_map(called).or(match fitting[..] {
            [only] => Some(only),
            _ => None,
        });
        match found.and_then(|header| Some((header, header.board()?))) {
            Some((header, board)) => {
                no_semicolon(&tokens, header).map_or(Ok(()), Err)?;
                Ok(LeagueUnit {
                    function: header.name.clone(),
                    board: board.to_owned(),
                    interface_uses: Source::uses(interface),
                    name,
                })
            }
            None => Err(unfit(&name, &wanted, &headers, &Header::all(&tokens), fitting.len())),
        }
    }

    /// The name of its folder and of its engine, and of its file in the folder.
    pub fn short(&self) -> String {
        self.name.to_ascii_lowercase()
    }

    /// Writes the sources of its engine to a folder that is there: the unit, the units beside it
    /// that it uses, agon's units and `engine.toml`. Returns the written name of each source with
    /// the path from which it was read.
    ///
    /// # Errors
    /// What cannot be read or written.
    pub fn write(
        &self,
        file: &Path,
        folder: &Path,
        checks: bool,
    ) -> std::io::Result<BTreeMap<String, PathBuf>> {
        let beside = Beside::of(file);
        let mut from = BTreeMap::from([(format!("{}.pas", self.short()), file.to_owned())]);
        let mut due = vec![file.to_owned()];
        while let Some(path) = due.pop() {
            let source = Source::read(&fs::read(&path)?);
            let units = Source::uses(&source.tokens).into_iter().map(|name| format!("{name}.pas"));
            for name in units.chain(source.included) {
                if let Some(path) = beside.find(&name)
                    && !from.contains_key(&name)
                    && !name.starts_with("agon_")
                {
                    due.push(path.clone());
                    from.insert(name, path);
                }
            }
        }
        for (name, path) in &from {
            fs::write(folder.join(name), fs::read(path)?)?;
        }
        for (name, text) in self.ours(&from, checks, file) {
            fs::write(folder.join(name), text)?;
        }
        let mentions_graph = |path: &PathBuf| {
            let text = fs::read(path).unwrap_or_default().to_ascii_lowercase();
            memmem::find(&text, b"graph").is_some()
        };
        if !from.contains_key(GRAPH_FILE) && from.values().any(mentions_graph) {
            fs::write(folder.join(GRAPH_FILE), GRAPH)?;
        }
        Ok(from)
    }

    /// The file of the unit from which the engine in a folder was written, if that is another one.
    pub fn other_source(file: &Path, folder: &Path) -> Option<String> {
        let settings = fs::read_to_string(folder.join("engine.toml")).ok()?;
        let first = settings.lines().next()?;
        let source = first.strip_prefix(WRITTEN).or_else(|| first.strip_prefix(WRITTEN_BEFORE))?;
        (source != file_name(file)).then(|| source.to_owned())
    }

    /// The files that agon adds.
    fn ours(
        &self,
        from: &BTreeMap<String, PathBuf>,
        checks: bool,
        file: &Path,
    ) -> [(&'static str, String); 4] {
        // The type of the board may be declared in one of these; the unit's own declaration wins.
        let copied = |name: &&String| from.contains_key(&format!("{name}.pas"));
        let mut units: Vec<&str> = self.interface_uses.iter().filter(copied).map(String::as_str).collect();
        units.push(&self.name);
        let driver = DRIVER
            .replace("@UNITS@", &units.join(", "))
            .replace("@BOARD@", &self.board)
            .replace("@UNIT@", &self.name)
            .replace("@FUNCTION@", &self.function);
        let (last, words) = (MARK, &COMMAND[..COMMAND.len() - 1]);
        let extra = if checks { &CHECKS[..] } else { &[] };
        let build: Vec<String> =
            words.iter().chain(extra).chain([&last]).map(|word| format!("{word:?}")).collect();
        let settings = format!(
            "{WRITTEN}{}\n# It is written again when that runs again.\nname = {:?}\nprotocol = \"ugi\"\n\
             games = [\"mill\"]\ncommand = [\"./engine\"]\nbuild = [{}]\n",
            file_name(file),
            self.short(),
            build.join(", ")
        );
        [
            ("agon_pipe.pas", PIPE.to_owned()),
            ("agon_mill.pas", MILL.to_owned()),
            (MARK, driver),
            ("engine.toml", settings),
        ]
    }

    /// What the compiler says of the unit, one message a line, with the author's own files:
    /// `yuval.pas:12:5: error: ...`. What it says of agon's program is told of the function.
    pub fn messages(&self, log: &str, from: &BTreeMap<String, PathBuf>) -> Vec<String> {
        let mut said: Vec<String> = log.lines().filter_map(|line| self.message(line, from)).collect();
        let mut seen = BTreeSet::new();
        said.retain(|line| seen.insert(line.clone()));
        said
    }

    fn message(&self, line: &str, from: &BTreeMap<String, PathBuf>) -> Option<String> {
        let (place, rest) = line.split_once(") ")?;
        let (name, place) = place.split_once('(')?;
        let (kind, text) = rest.split_once(": ")?;
        // Such a line only counts those before it.
        if text.ends_with("compiling module, stopping") {
            return None;
        }
        let kind = if kind == "Warning" { "warning" } else { "error" };
        let path = from.iter().find(|(copy, _)| copy.eq_ignore_ascii_case(name)).map(|(_, path)| path);
        Some(match path {
            Some(path) => {
                format!(
                    "{}:{}: {kind}: {}",
                    display_path(path),
                    place.replace(',', ":"),
                    escape(text.as_bytes(), 400)
                )
            }
            None if kind == "warning" => return None,
            None => format!(
                "error: {}: its board, {}, is not array[1..4, 1..4, 1..4] of byte: {}",
                self.function,
                self.board,
                escape(text.as_bytes(), 400)
            ),
        })
    }
}

/// The files in the folder of a unit.
struct Beside(Vec<PathBuf>);

impl Beside {
    /// A folder that cannot be listed has no other units.
    fn of(file: &Path) -> Beside {
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let listed = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut files: Vec<PathBuf> =
            listed.map(|entry| folder.join(entry.file_name())).filter(|path| path.is_file()).collect();
        files.sort();
        Beside(files)
    }

    /// The file of this name, in upper or lower case: on DOS that made no difference.
    fn find(&self, name: &str) -> Option<PathBuf> {
        let is = |path: &&PathBuf| path.file_name().is_some_and(|own| own.eq_ignore_ascii_case(name));
        self.0.iter().find(is).cloned()
    }
}

/// The first place of a declaration of the league where a semicolon is missing: the league's
/// announcement prints its text without them.
fn no_semicolon(tokens: &[Token], header: &Header) -> Option<Unfit> {
    let at = tokens
        .windows(2)
        .rposition(|two| two[0].line == header.line && two[0].is("function") && two[1].is(&header.name))?;
    let end = at + tokens[at..].iter().position(|token| token.is(")"))?;
    // Behind the parameters stand a colon and the type of the result.
    let places = [(1, true), (at.checked_sub(1)?, !tokens[at - 1].is("interface")), (end + 2, true)];
    let lacks = |place: usize| {
        let is_end = |token: &Token| token.is(";");
        !tokens.get(place).is_some_and(is_end) && !tokens.get(place + 1).is_some_and(is_end)
    };
    let (place, _) = places.into_iter().find(|(place, counts)| *counts && lacks(*place))?;
    let words: Vec<&str> = tokens[place.saturating_sub(1)..=place].iter().map(|token| &*token.text).collect();
    let words = escape(words.join(" ").as_bytes(), 100);
    Some(Unfit {
        line: Some(tokens[place].line),
        why: format!("there is no semicolon behind {words}"),
        hint: "write one: the announcement of the league prints its text without them, and no compiler takes it so"
            .to_owned(),
    })
}

/// Why none of these functions is the league's.
fn unfit(unit: &str, wanted: &[String], headers: &[Header], all: &[Header], fitting: usize) -> Unfit {
    let is_wanted = |header: &&Header| wanted.iter().any(|name| header.name.eq_ignore_ascii_case(name));
    let (line, why) = if fitting > 1 {
        let names: Vec<&str> =
            headers.iter().filter(|header| header.board().is_some()).map(|header| &*header.name).collect();
        (None, format!("its interface declares several functions of the league: {}", names.join(", ")))
    } else if let Some(header) = headers.iter().find(is_wanted) {
        (
            Some(header.line),
            format!("{} is not the function of the league", escape(header.shown().as_bytes(), 200)),
        )
    } else if let Some(header) = all.iter().find(|header| header.board().is_some()) {
        (Some(header.line), format!("{} is not declared in the interface", header.name))
    } else {
        (None, "its interface declares no function of the league".to_owned())
    };
    Unfit { line, why, hint: declaration(unit) }
}

/// The declaration of the league, as words of advice.
fn declaration(unit: &str) -> String {
    format!(
        "declare in the interface of the unit: type TBoard = array[1..4, 1..4, 1..4] of byte; \
         function P{unit}(who: byte; board: TBoard; ytime, otime: real): word;"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "function PYuval(who:byte; board:TBoard; ytime,otime:real):word;";

    fn read(interface: &str) -> Result<LeagueUnit, Unfit> {
        LeagueUnit::read(format!("unit Yuval; interface {interface} implementation end.").as_bytes())
    }

    #[test]
    fn the_function_is_found_in_any_spelling_and_not_in_comments() {
        for spelling in [
            HEADER,
            "FUNCTION pyuval ( WHO : BYTE ; Board : tboard ; YTime : REAL ; OTime : Real ) : Word ; far;",
            "{ function PYuval(a: integer) } function PYuval(who: byte; var board: TBoard; ytime, { left } otime: real): word;",
            "(* function PYuval; *) type F = function(a: byte): word; function PYuval(a: byte; const b: TBoard; c, d: real): word;",
            "const s = 'it''s { not'; function PYuval(a: byte; b: TBoard; c, d: real): word;",
            "type O = object function PYuval(a: byte; b: TBoard; c, d: real): word; end; function PYuval(a: byte; b: TBoard; c, d: real): word;",
        ] {
            let unit = read(spelling).unwrap_or_else(|unfit| panic!("{spelling}: {}", unfit.why));
            assert!(unit.function.eq_ignore_ascii_case("PYuval"), "{spelling}");
            assert!(unit.board.eq_ignore_ascii_case("TBoard"), "{spelling}");
        }
    }

    #[test]
    fn among_several_functions_the_one_with_the_name_of_the_unit_plays() {
        let other = HEADER.replace("PYuval", "PDana");
        assert_eq!(read(&other).unwrap().function, "PDana");
        assert_eq!(read(&format!("{other} {HEADER}")).unwrap().function, "PYuval");
        let third = HEADER.replace("PYuval", "PNoa");
        assert!(read(&format!("{other} {third}")).unwrap_err().why.ends_with("PDana, PNoa"));
        assert!(read("type O = object function PYuval(a: byte; b: TBoard; c, d: real): word; end;").is_err());
    }

    #[test]
    fn a_semicolon_that_the_announcement_leaves_out_is_named_with_its_line() {
        let header = HEADER.trim_end_matches(';');
        let board = "type TBoard = array[1..4, 1..4, 1..4] of byte";
        for (source, line, words) in [
            (format!("unit Yuval\ninterface\n{board};\n{HEADER}\nimplementation"), 1, "unit Yuval"),
            (format!("unit Yuval;\ninterface\n{board}\n{HEADER}\nimplementation"), 3, "of byte"),
            (format!("unit Yuval;\ninterface\n{board};\n{header}\nimplementation"), 4, ": word"),
        ] {
            let unfit = LeagueUnit::read(source.as_bytes()).unwrap_err();
            assert_eq!(unfit.line, Some(line), "{source}: {}", unfit.why);
            assert_eq!(unfit.why, format!("there is no semicolon behind {words}"));
        }
        let whole = format!("unit Yuval;\ninterface\n{board};\n{HEADER} far;\nimplementation");
        assert!(LeagueUnit::read(whole.as_bytes()).is_ok());
    }

    #[test]
    fn a_procedure_or_other_types_are_shown_as_they_are_declared() {
        let procedure = "procedure PYuval(who: byte; var x, y: byte);";
        assert!(read(procedure).unwrap_err().why.starts_with("procedure PYuval(byte; byte; byte) is not"));
        let integers = HEADER.replace("byte", "integer");
        assert!(read(&integers).unwrap_err().why.contains("PYuval(integer; TBoard; real; real): word"));
        let marked = format!("\u{feff}unit Yuval; interface {HEADER}");
        assert!(LeagueUnit::read(marked.as_bytes()).is_ok());
        // What follows the sign that ends a file of DOS is no part of it.
        let unit = format!("unit Yuval;\r\ninterface\r\n\u{1a}{HEADER}");
        assert!(LeagueUnit::read(unit.as_bytes()).is_err());
    }

    #[test]
    fn messages_name_the_files_of_the_author() {
        let unit = read(HEADER).unwrap();
        let from = BTreeMap::from([("yuval.pas".to_owned(), PathBuf::from("old/YUVAL97.PAS"))]);
        let log = "yuval.pas(3,9) Warning: odd\nyuval.pas(12,5) Error: bad: thing\nyuval.pas(20) Fatal: worse\n\
                   yuval.pas(21) Fatal: There were 2 errors compiling module, stopping\n\
                   agon_driver.pas(15,3) Error: no array\nFatal: Compilation aborted\n";
        assert_eq!(
            unit.messages(log, &from),
            [
                "old/YUVAL97.PAS:3:9: warning: odd",
                "old/YUVAL97.PAS:12:5: error: bad: thing",
                "old/YUVAL97.PAS:20: error: worse",
                "error: PYuval: its board, TBoard, is not array[1..4, 1..4, 1..4] of byte: no array",
            ]
        );
    }
}
