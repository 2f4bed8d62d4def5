//! The languages of submissions: how the sources of each are built, and how the result is started.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::Path;

use agon_printable::escape;

use super::made_program::is_test;
use super::own_lines::{own_lines, wrong_lines};

/// The endings of C sources.
const C: [&str; 1] = [".c"];
/// The endings of C++ sources.
const CPP: [&str; 3] = [".cpp", ".cc", ".cxx"];
/// The endings of files that can be a whole submission, besides programs.
const ALONE: [&str; 7] = [".py", ".java", ".jar", ".go", ".rs", ".js", ".mjs"];
/// The folder of sources beside the top of a submission.
const SRC: &str = "src";
/// Folders whose sources are no part of the engine.
const NOT_BUILT: [&str; 3] = ["test", "tests", "node_modules"];
/// How many levels below `src` are looked at, and how many files.
const MOST_DEEP: usize = 10;
const MOST_FILES: usize = 20_000;
/// How much of a source is read.
const MOST_BYTES: u64 = 1 << 20;
/// In how many sources comments are looked for that say how they are started.
const MOST_SOURCES: usize = 100;
/// How many wrong ones of these are told.
const MOST_WRONG: usize = 3;

/// Whether a file of this name can be a whole submission that is not a program yet.
pub fn is_source(name: &str) -> bool {
    C.iter().chain(&CPP).chain(&ALONE).any(|ending| name.ends_with(ending))
}

/// Whether the comments of a source say how it is started.
pub fn says_how_it_starts(path: &Path) -> bool {
    let mut bytes = Vec::new();
    let read = fs::File::open(path).and_then(|file| file.take(MOST_BYTES).read_to_end(&mut bytes));
    read.is_ok() && !own_lines(&String::from_utf8_lossy(&bytes)).is_empty()
}

/// The files of a submission: at its top, and below its folder `src`.
pub(super) struct Sources<'a> {
    folder: &'a Path,
    /// Their paths from the top.
    paths: BTreeSet<String>,
}

/// How likely it is that a file is the one to start: the likeliest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum StartRank {
    /// It says itself how it is started.
    Said,
    /// It has the name of such a file, and is at the top.
    Named,
    /// It has such a name, and is below `src`.
    NamedBelow,
    /// It has another name.
    Other,
    /// It starts nothing: C without a function `main`.
    Part,
}

/// The ways to build and start the sources in one language; or words for the author, if it is not
/// clear which of its files is to be started.
pub(super) struct LanguageWays {
    pub(super) rank: StartRank,
    /// Whether its file to start has what a program begins with, in a language that is compiled.
    pub(super) is_program: bool,
    pub(super) ways: Result<Vec<Language>, UnclearStart>,
}

/// Why it is not clear which file of a language is to be started.
#[derive(Debug)]
pub(super) struct UnclearStart {
    /// In words for the author.
    pub(super) why: String,
    /// The files of which each may be meant, where a person could start any of them.
    pub(super) files: Vec<String>,
    /// Whether each of these has what a program begins with, in a language that is compiled.
    pub(super) are_programs: bool,
}

impl UnclearStart {
    /// Several files that may be started.
    fn of(why: String, files: &[String], are_programs: bool) -> Self {
        UnclearStart { why, files: files.iter().map(|path| bare(path)).collect(), are_programs }
    }
}

impl LanguageWays {
    /// The file that is started first.
    pub(super) fn start(&self) -> Option<&str> {
        self.ways.as_ref().ok().and_then(|ways| ways.first()?.start.as_deref())
    }
}

/// A way in which a submission in one language is built and started.
pub(super) struct Language {
    /// The name of the language.
    pub(super) name: &'static str,
    /// The file that is started, from the top.
    pub(super) start: Option<String>,
    /// The build command; `None` if nothing is built.
    pub(super) build: Option<Vec<String>>,
    /// The command of the engine.
    pub(super) run: Vec<String>,
    /// More lines of its `engine.toml`, which its source has in a comment.
    pub(super) own: String,
}

impl<'a> Sources<'a> {
    /// Lists a folder.
    ///
    /// # Errors
    /// It cannot be read.
    pub(super) fn of(folder: &'a Path) -> Result<Self, String> {
        let mut paths = BTreeSet::new();
        add_files(folder, "", &mut paths).map_err(|error| error.to_string())?;
        add_below(&folder.join(SRC), SRC, MOST_DEEP, &mut paths);
        Ok(Sources { folder, paths })
    }

    /// Whether a file of this name is at the top.
    pub(super) fn has(&self, name: &str) -> bool {
        self.paths.contains(name)
    }

    /// The files with one of these endings. Their paths begin with `./`, because a name that begins
    /// like an option is none.
    pub(super) fn ending_in(&self, endings: &[&str]) -> Vec<String> {
        // C++ has an ending of C in capitals; Python starts a file of any name.
        let is_python = |path: &str, ending: &str| ending == ".py" && path.to_lowercase().ends_with(".py");
        let fits =
            |path: &&String| endings.iter().any(|ending| path.ends_with(ending) || is_python(path, ending));
        self.paths.iter().filter(fits).map(|path| format!("./{path}")).collect()
    }

    /// The file to start: one of these names, at the top or in `src`, or else the only file with
    /// one of these endings.
    ///
    /// # Errors
    /// There are several, and none has such a name.
    fn main(&self, language: &str, names: &[&str], endings: &[&str]) -> Result<Option<String>, UnclearStart> {
        let named = |name: &&&str| self.has(name);
        if let Some(name) = names.iter().find(named) {
            return Ok(Some((*name).to_owned()));
        }
        let in_src = names.iter().map(|name| format!("{SRC}/{name}")).find(|name| self.has(name));
        if in_src.is_some() {
            return Ok(in_src);
        }
        let mut all = self.ending_in(endings);
        without_tests(&mut all);
        let is_at_top = |path: &&String| path.matches('/').count() == 1;
        if all.iter().filter(is_at_top).count() == 1 {
            all.retain(|path| is_at_top(&path));
        }
        // Of several modules in Python the one that is made to be started.
        let is_started = |path: &&String| {
            let text = self.text(path);
            text.lines().any(|line| line.starts_with("if __name__ ==") && line.contains("__main__"))
        };
        if all.len() > 1 && endings == [".py"] && all.iter().filter(is_started).count() == 1 {
            all.retain(|path| is_started(&path));
        }
        self.keep_what_says_how(&mut all);
        match &all[..] {
            [] => Ok(None),
            [only] => Ok(Some(only.trim_start_matches("./").to_owned())),
            several => {
                let why =
                    format!("several {language} files and none called {}; write an engine.toml", names[0]);
                Err(UnclearStart::of(why, several, false))
            }
        }
    }

    /// Of several files that may be started, keeps the one that alone says how it is started.
    fn keep_what_says_how(&self, files: &mut Vec<String>) {
        let says_how = |path: &&String| !own_lines(&self.text(path)).is_empty();
        if files.len() > 1 && files.iter().filter(says_how).count() == 1 {
            files.retain(|path| says_how(&path));
        }
    }

    fn bytes(&self, path: &str) -> Vec<u8> {
        let mut bytes = Vec::new();
        // A file that cannot be read has no main method; its compiler reports the error.
        if let Ok(file) = fs::File::open(self.folder.join(path)) {
            let _ = file.take(MOST_BYTES).read_to_end(&mut bytes); // as above
        }
        bytes
    }

    pub(super) fn text(&self, path: &str) -> String {
        String::from_utf8_lossy(&self.bytes(path)).into_owned()
    }

    /// The lines for an `engine.toml` in the comments of all its sources: of the first that has
    /// some.
    pub(super) fn own_of_all(&self) -> String {
        let all = self.paths.iter().filter(|path| is_source(path) && !is_test(Path::new(path)));
        self.own_lines(&all.cloned().collect::<Vec<_>>())
    }

    /// What is wrong with lines in comments of its sources that look like lines for an
    /// `engine.toml`.
    pub(super) fn wrong_lines(&self) -> Vec<String> {
        let all = self.paths.iter().filter(|path| is_source(path) && !is_test(Path::new(path)));
        let of_file = |path: &String| {
            let name = escape(path.as_bytes(), 100);
            wrong_lines(&self.text(path)).into_iter().map(move |why| format!("{name}: {why}"))
        };
        all.take(MOST_SOURCES).flat_map(of_file).take(MOST_WRONG).collect()
    }

    /// The lines for an `engine.toml` that these sources have in comments: those of the first that
    /// has some.
    fn own_lines(&self, paths: &[String]) -> String {
        let all = paths.iter().take(MOST_SOURCES).map(|path| own_lines(&self.text(path)));
        all.into_iter().find(|lines| !lines.is_empty()).unwrap_or_default()
    }
}

/// Leaves out the sources that test others, unless there are no others.
fn without_tests(all: &mut Vec<String>) {
    if all.iter().any(|path| !is_test(Path::new(path))) {
        all.retain(|path| !is_test(Path::new(path)));
    }
}

/// The languages of the sources of a submission, the likeliest first: a file that is named like the
/// file to start comes before files of other languages that are not.
pub(super) fn of(sources: &Sources<'_>) -> Vec<LanguageWays> {
    let all = [c_and_cpp, java, go, rust, jar, java_script, python];
    let found = all.into_iter().map(|language| language(sources));
    let mut found: Vec<LanguageWays> = found
        .filter(|ways| ways.as_ref().map_or(true, |ways| !ways.is_empty()))
        .map(|ways| {
            let first = ways.as_ref().ok().and_then(|ways| ways.first());
            let start = first.and_then(|way| way.start.as_deref());
            let rank = match first {
                Some(way) if !way.own.is_empty() => StartRank::Said,
                _ => start.map_or(StartRank::Part, rank_of),
            };
            let is_whole = |(way, start): (&Language, &str)| match way.name {
                // They have a function main, as only such a file is started.
                "C" | "Java" => true,
                "Go" => sources.text(start).contains("func main("),
                "Rust" => sources.text(start).contains("fn main("),
                _ => false,
            };
            let is_program = match &ways {
                Ok(_) => first.zip(start).is_some_and(is_whole),
                Err(unclear) => unclear.are_programs && !unclear.files.is_empty(),
            };
            LanguageWays { rank, is_program, ways }
        })
        .collect();
    found.sort_by_key(|language| language.rank);
    found
}

/// How likely a file with this path is the one to start.
fn rank_of(path: &str) -> StartRank {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let is_named = match &*stem.to_lowercase() {
        "main" | "engine" => true,
        "__main__" => ending == "py",
        "index" => ["js", "mjs"].contains(&ending),
        _ => false,
    };
    match (is_named, folder.trim_start_matches("./")) {
        (true, "" | ".") => StartRank::Named,
        (true, _) => StartRank::NamedBelow,
        (false, _) => StartRank::Other,
    }
}

type Found = Result<Vec<Language>, UnclearStart>;

fn c_and_cpp(sources: &Sources<'_>) -> Found {
    let all: Vec<String> = sources.ending_in(&C).into_iter().chain(sources.ending_in(&CPP)).collect();
    // Two functions main do not fit into one program.
    let starts = |path: &String| has_c_main(&sources.text(path));
    let mains: Vec<&String> = all.iter().filter(|path| starts(path)).collect();
    let mut wanted: Vec<String> = mains.iter().map(|path| (*path).clone()).collect();
    without_tests(&mut wanted);
    if wanted.len() > 1 {
        let is_named = |path: &String| {
            let stem = Path::new(path).file_stem().map(|stem| stem.to_string_lossy().to_lowercase());
            stem.is_some_and(|stem| ["main", "engine"].contains(&&*stem))
        };
        let named: Vec<String> = wanted.iter().filter(|path| is_named(path)).cloned().collect();
        if named.len() == 1 {
            wanted = named;
        }
    }
    sources.keep_what_says_how(&mut wanted);
    if wanted.len() > 1 {
        let why = "several C files have a function main, and not one of them is called main.c or \
                   engine.c; write an engine.toml or a Makefile";
        return Err(UnclearStart::of(why.to_owned(), &wanted, true));
    }
    let is_other_main = |path: &String| mains.contains(&path) && !wanted.contains(path);
    let kept: Vec<String> = all.iter().filter(|path| !is_other_main(path)).cloned().collect();
    Ok(c_way(sources, &kept, &wanted).into_iter().collect())
}

/// Whether a source in C or C++ defines the function `main`.
fn has_c_main(text: &str) -> bool {
    text.lines().any(|line| {
        let Some((before, rest)) = line.split_once("main") else { return false };
        let is_type = |word: &str| {
            ["int", "void", "signed", "auto", "extern", "\"C\"", "long", "static"].contains(&word)
        };
        rest.trim_start().starts_with('(')
            && !rest.contains(';') | rest.contains('{')
            && !before.starts_with("  ")
            && (before.is_empty() || before.ends_with([' ', '\t']))
            && before.split_whitespace().all(is_type)
    })
}

fn c_way(sources: &Sources<'_>, all: &[String], main: &[String]) -> Option<Language> {
    let (c, cpp): (Vec<String>, Vec<String>) =
        all.iter().cloned().partition(|path| C.iter().any(|ending| path.ends_with(ending)));
    let (compiler, libraries) = match (c.is_empty(), cpp.is_empty()) {
        (true, true) => return None,
        (false, true) => ("cc", &["-lm"][..]),
        (true, false) => ("c++", &["-lm"][..]),
        // `c++` would compile C as C++.
        (false, false) => ("cc", &["-lstdc++", "-lm"][..]),
    };
    let mut build = words(&[compiler, "-O2", "-o", "engine"]);
    build.extend(
        ["include", SRC]
            .iter()
            .filter(|name| sources.folder.join(name).is_dir())
            .map(|name| format!("-I./{name}")),
    );
    build.extend(c.into_iter().chain(cpp));
    build.extend(words(libraries));
    let own = sources.own_lines(main);
    let start = main.first().map(|path| bare(path));
    Some(Language { name: "C", start, build: Some(build), run: words(&["./engine"]), own })
}

fn java(sources: &Sources<'_>) -> Found {
    let all = sources.ending_in(&[".java"]);
    if all.is_empty() {
        return Ok(Vec::new());
    }
    let has_main = |path: &&String| {
        let text = sources.text(path);
        text.contains("static void main") || text.contains("static public void main")
    };
    let mut with_main: Vec<String> = all.iter().filter(has_main).cloned().collect();
    without_tests(&mut with_main);
    for name in ["/Main.java", "/Engine.java"] {
        if with_main.len() > 1 && with_main.iter().any(|path| path.ends_with(name)) {
            with_main.retain(|path| path.ends_with(name));
        }
    }
    sources.keep_what_says_how(&mut with_main);
    let [main] = &with_main[..] else {
        let why = match with_main.len() {
            0 => "no Java file has a method public static void main",
            _ => "several Java files with a method main and none called Main.java; write an engine.toml",
        };
        return Err(UnclearStart::of(why.to_owned(), &with_main, true));
    };
    let class = class_of(main);
    let text = sources.text(main);
    let class = package_of(&text).map_or_else(|| class.to_owned(), |package| format!("{package}.{class}"));
    // Each byte is a letter of Latin-1, and most texts in it are no UTF-8.
    let is_utf8 = all.iter().all(|path| std::str::from_utf8(&sources.bytes(path)).is_ok());
    let encoding = if is_utf8 { "UTF-8" } else { "ISO-8859-1" };
    let way = |sources_built: Vec<String>| {
        let build = words(&["javac", "-encoding", encoding, "-d", "classes"]);
        let run = words(&["java", "-XX:+UseSerialGC", "-cp", "{folder}/classes"]);
        Language {
            name: "Java",
            start: Some(bare(main)),
            build: Some(build.into_iter().chain(sources_built).collect()),
            run: run.into_iter().chain([class.clone()]).collect(),
            own: sources.own_lines(std::slice::from_ref(main)),
        }
    };
    // Tests need libraries that are not here. A name may be that of a test and be none.
    let mut engine = all.clone();
    without_tests(&mut engine);
    let mut ways = vec![way(engine.clone())];
    if engine.len() < all.len() {
        ways.push(way(all));
    }
    Ok(ways)
}

/// The class that a file in Java is named after.
pub(super) fn class_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path).trim_end_matches(".java")
}

/// The package of a source in Java.
pub(super) fn package_of(text: &str) -> Option<&str> {
    let named = text.lines().find_map(|line| line.trim().strip_prefix("package ")?.split(';').next());
    named.map(str::trim)
}

fn jar(sources: &Sources<'_>) -> Found {
    let jar = sources.main("jar", &["engine.jar", "main.jar"], &[".jar"])?;
    let run = |jar: &str| words(&["java", "-XX:+UseSerialGC", "-jar", &in_folder(jar)]);
    let way = |jar: String| Language {
        name: "jar",
        build: None,
        run: run(&jar),
        own: String::new(),
        start: Some(jar),
    };
    Ok(jar.map(way).into_iter().collect())
}

fn go(sources: &Sources<'_>) -> Found {
    let mut all = sources.ending_in(&[".go"]);
    let is_left_out = |line: &str| ["//go:build ignore", "// +build ignore"].contains(&line.trim());
    all.retain(|path| !path.ends_with("_test.go") && !sources.text(path).lines().any(is_left_out));
    // Two functions main do not fit into one package.
    let starts = |path: &&String| sources.text(path).lines().any(|line| line.starts_with("func main("));
    let mains: Vec<String> = all.iter().filter(starts).cloned().collect();
    let mut wanted = mains.clone();
    if wanted.len() > 1 && wanted.iter().any(|path| rank_of(path) == StartRank::Named) {
        wanted.retain(|path| rank_of(path) == StartRank::Named);
    }
    sources.keep_what_says_how(&mut wanted);
    if wanted.len() > 1 {
        let why = "several Go files have a function main, and not one of them is called main.go; write an \
                   engine.toml or a Makefile";
        return Err(UnclearStart::of(why.to_owned(), &wanted, true));
    }
    all.retain(|path| wanted.contains(path) || !mains.contains(path));
    let parts = match (sources.has("go.mod") && wanted == mains, all.is_empty()) {
        (true, _) => vec![".".to_owned()],
        (false, true) => return Ok(Vec::new()),
        (false, false) => all.clone(),
    };
    let build = words(&["go", "build", "-o", "engine"]).into_iter().chain(parts).collect();
    let own = sources.own_lines(&all);
    let named = all.iter().find(|path| rank_of(path) == StartRank::Named);
    let start = named.or(all.first()).map_or("go.mod".to_owned(), |path| bare(path));
    let run = words(&["./engine"]);
    Ok(vec![Language { name: "Go", start: Some(start), build: Some(build), run, own }])
}

fn rust(sources: &Sources<'_>) -> Found {
    let main = sources.main("Rust", &["main.rs"], &[".rs"])?;
    let build =
        |main: &str| words(&["rustc", "--edition", "2021", "-O", "-o", "engine", &format!("./{main}")]);
    let way = |main: String| {
        let own = sources.own_lines(std::slice::from_ref(&main));
        let (build, run) = (Some(build(&main)), words(&["./engine"]));
        Language { name: "Rust", start: Some(main), build, run, own }
    };
    Ok(main.map(way).into_iter().collect())
}

fn java_script(sources: &Sources<'_>) -> Found {
    let names = ["main.js", "main.mjs", "index.js", "index.mjs", "engine.js", "engine.mjs"];
    let named = serde_json::from_str::<serde_json::Value>(&sources.text("package.json")).ok();
    let named =
        named.and_then(|package| Some(package.get("main")?.as_str()?.trim_start_matches("./").to_owned()));
    let main = match named.filter(|name| sources.has(name)) {
        Some(name) => Some(name),
        None => sources.main("JavaScript", &names, &[".js", ".mjs"])?,
    };
    let way = |main: String| Language {
        name: "JavaScript",
        start: Some(main.clone()),
        build: None,
        run: words(&["node", &in_folder(&main)]),
        own: sources.own_lines(std::slice::from_ref(&main)),
    };
    Ok(main.map(way).into_iter().collect())
}

fn python(sources: &Sources<'_>) -> Found {
    let main = sources.main("Python", &["main.py", "engine.py", "__main__.py"], &[".py"])?;
    let way = |main: String| Language {
        name: "Python",
        start: Some(main.clone()),
        build: None,
        run: words(&["python3", &in_folder(&main)]),
        own: sources.own_lines(std::slice::from_ref(&main)),
    };
    Ok(main.map(way).into_iter().collect())
}

fn words(all: &[&str]) -> Vec<String> {
    all.iter().map(|word| (*word).to_owned()).collect()
}

/// A path of [`Sources::ending_in`] without its beginning.
fn bare(path: &str) -> String {
    path.trim_start_matches("./").to_owned()
}

/// A file of the submission in the command of its engine. Braces in its name mean themselves.
fn in_folder(path: &str) -> String {
    format!("{{folder}}/{}", path.replace('{', "{{").replace('}', "}}"))
}

/// Adds the files of a folder with their paths from the top. Names that are not text are left out.
fn add_files(folder: &Path, inner: &str, paths: &mut BTreeSet<String>) -> std::io::Result<Vec<String>> {
    let mut folders = Vec::new();
    for entry in fs::read_dir(folder)?.flatten() {
        let Ok(name) = entry.file_name().into_string() else { continue };
        let path = if inner.is_empty() { name } else { format!("{inner}/{name}") };
        // A link may be part of an honest folder of `agon build`.
        if entry.path().is_file() && paths.len() < MOST_FILES {
            paths.insert(path);
        } else if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            folders.push(path);
        }
    }
    Ok(folders)
}

/// Adds the files of a folder and of the folders below it. A folder that cannot be read has none.
fn add_below(folder: &Path, inner: &str, deep: usize, paths: &mut BTreeSet<String>) {
    for path in add_files(folder, inner, paths).unwrap_or_default() {
        let name = path.rsplit('/').next().unwrap_or(&path).to_owned();
        if deep > 0 && !name.starts_with('.') && !NOT_BUILT.contains(&name.as_str()) {
            add_below(&folder.join(&name), &path, deep - 1, paths);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The build and run commands of a folder with these files.
    fn told(files: &[(&str, &str)]) -> Result<String, String> {
        let home = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = home.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let Some(first) = of(&Sources::of(home.path())?).into_iter().next() else {
            return Ok(String::new());
        };
        let found = first.ways.map_err(|unclear| unclear.why)?;
        let told = |Language { name, build, run, own, .. }: Language| {
            let own = if own.is_empty() { own } else { format!(" | {}", own.trim_end()) };
            format!("{name}: {} | {}{own}", build.unwrap_or_default().join(" "), run.join(" "))
        };
        Ok(found.into_iter().map(told).collect::<Vec<_>>().join(" OR "))
    }

    #[test]
    fn each_language_is_built_and_started_in_its_own_way() {
        let main = "public class X { public static void main(String[] a) {} }";
        let packed = format!("// mine\npackage com.me;\n{main}");
        for (files, commands) in [
            (&[("a.c", ""), ("b.c", "")][..], "C: cc -O2 -o engine ./a.c ./b.c -lm | ./engine"),
            (
                &[("src/a.cpp", ""), ("src/x/b.cc", ""), ("src/test/t.cpp", "")],
                "C: c++ -O2 -o engine -I./src ./src/a.cpp ./src/x/b.cc -lm | ./engine",
            ),
            (
                &[("a.c", ""), ("b.cxx", ""), ("include/a.h", "")],
                "C: cc -O2 -o engine -I./include ./a.c ./b.cxx -lstdc++ -lm | ./engine",
            ),
            (
                &[("Main.java", main), ("Other.java", main)],
                "Java: javac -encoding UTF-8 -d classes ./Main.java ./Other.java | java -XX:+UseSerialGC -cp {folder}/classes Main",
            ),
            (
                &[("src/com/me/Bot.java", &packed), ("src/com/me/B.java", "")],
                "Java: javac -encoding UTF-8 -d classes ./src/com/me/B.java ./src/com/me/Bot.java | java -XX:+UseSerialGC -cp {folder}/classes com.me.Bot",
            ),
            (&[("bot.jar", "")], "jar:  | java -XX:+UseSerialGC -jar {folder}/bot.jar"),
            (&[("go.mod", ""), ("a.go", "")], "Go: go build -o engine . | ./engine"),
            (&[("a.go", ""), ("a_test.go", "")], "Go: go build -o engine ./a.go | ./engine"),
            (
                &[("a.go", ""), ("gen.go", "//go:build ignore\nfunc main() {")],
                "Go: go build -o engine ./a.go | ./engine",
            ),
            (
                &[("go.mod", ""), ("a.go", "func main() {"), ("main.go", "func main() {"), ("b.go", "")],
                "Go: go build -o engine ./b.go ./main.go | ./engine",
            ),
            (&[("bot.rs", "")], "Rust: rustc --edition 2021 -O -o engine ./bot.rs | ./engine"),
            (
                &[("src/main.rs", ""), ("src/b.rs", "")],
                "Rust: rustc --edition 2021 -O -o engine ./src/main.rs | ./engine",
            ),
            (&[("main.js", ""), ("b.js", "")], "JavaScript:  | node {folder}/main.js"),
            (
                &[("package.json", "{\"main\": \"./a.js\"}"), ("a.js", ""), ("b.js", "")],
                "JavaScript:  | node {folder}/a.js",
            ),
            (&[("main.PY", "")], "Python:  | python3 {folder}/main.PY"),
            (&[("src/main.py", ""), ("src/b.py", "")], "Python:  | python3 {folder}/src/main.py"),
            (&[("bot.py", ""), ("src/b.py", "")], "Python:  | python3 {folder}/bot.py"),
            (&[("{x}.py", "")], "Python:  | python3 {folder}/{{x}}.py"),
            (&[("read.me", "")], ""),
            (
                &[("bot.c", "int main(void) {"), ("bot_test.c", "int\nmain()\n{"), ("a.c", "")],
                "C: cc -O2 -o engine ./a.c ./bot.c -lm | ./engine",
            ),
            (
                &[("engine.cpp", "int main() {}"), ("tool.cpp", "int main() {}"), ("a.cpp", "int main();")],
                "C: c++ -O2 -o engine ./a.cpp ./engine.cpp -lm | ./engine",
            ),
            (
                &[("Engine.java", main), ("EngineTest.java", main)],
                "Java: javac -encoding UTF-8 -d classes ./Engine.java | java -XX:+UseSerialGC -cp {folder}/classes Engine \
                 OR Java: javac -encoding UTF-8 -d classes ./Engine.java ./EngineTest.java | java -XX:+UseSerialGC -cp {folder}/classes Engine",
            ),
            (
                &[("bot.py", ""), ("test_bot.py", ""), ("conftest.py", "")],
                "Python:  | python3 {folder}/bot.py",
            ),
            (
                &[("a.py", ""), ("b.py", "x = 1\nif __name__ == \"__main__\":\n    x()\n")],
                "Python:  | python3 {folder}/b.py",
            ),
            (&[("bot.js", ""), ("bot.test.js", "")], "JavaScript:  | node {folder}/bot.js"),
            (
                &[("main.py", "\"\"\"Mine.\n\nagon: args = [\"{side}\"]\nagon: build = [\"x\"]\n\"\"\"\n")],
                "Python:  | python3 {folder}/main.py | args = [\"{side}\"]",
            ),
            (
                &[("a.c", "/* agon: args = [\"{side}\"] */\nint main(void) {}\n")],
                "C: cc -O2 -o engine ./a.c -lm | ./engine | args = [\"{side}\"]",
            ),
            (
                &[("a.py", "\"\"\" agon: games = [\"mill\"] \"\"\"\n")],
                "Python:  | python3 {folder}/a.py | games = [\"mill\"]",
            ),
            (
                &[("main.rs", "//! agon: games = [\"mill\"]\n// agon: is a harness = no\n")],
                "Rust: rustc --edition 2021 -O -o engine ./main.rs | ./engine | games = [\"mill\"]",
            ),
        ] {
            assert_eq!(told(files).unwrap(), commands);
        }
        assert!(told(&[("a.py", ""), ("b.py", "")]).unwrap_err().contains("none called main.py"));
        let two = &[("a.c", "int main() {}"), ("b.c", "int main() {}")];
        assert!(told(two).unwrap_err().contains("not one of them is called main.c"));
        let two = &[("a.go", "func main() {"), ("b.go", "func main() {")];
        assert!(told(two).unwrap_err().contains("not one of them is called main.go"));
        assert!(told(&[("A.java", "")]).unwrap_err().contains("no Java file has a method"));
        assert!(told(&[("A.java", main), ("B.java", main)]).unwrap_err().contains("none called Main.java"));
        // Of several, the one that says how it is started.
        let said = format!("// agon: games = [\"mill\"]\n{main}");
        assert!(told(&[("A.java", main), ("B.java", &said)]).unwrap().contains("{folder}/classes B |"));
        assert!(told(&[("a.py", ""), ("b.py", "# agon: games = [\"mill\"]\n")]).unwrap().contains("b.py |"));
    }
}
