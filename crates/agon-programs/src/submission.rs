//! How a submission is built when its author does not say so: by what lies in its folder.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use agon_printable::escape;

use super::engine_file;
use super::java_starter;
use super::languages::{self, Language, LanguageWays, Sources, StartRank};
use super::machine_fault::{MachineFault, NoEngine};
use super::made_program;
use super::program;
use super::spec::{self, EngineSpec};
use super::tools;

/// How an `engine.toml` begins that we have written, and so may write again.
pub const WRITTEN: &str = "# Written by agon build.\n";
/// The names of a Makefile, in the order of make.
const MAKEFILES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];
/// The targets of a Makefile that a person would ask for.
const TARGETS: [&str; 3] = ["engine", "all", "build"];

/// One submission: a folder, and what is to be done with it.
#[derive(Debug)]
pub struct Submission {
    /// Its folder, absolute.
    pub folder: PathBuf,
    /// How it is built, at least one way: the next one is tried if one makes no engine.
    pub ways: Vec<BuildWay>,
    /// Why other files of it are no way.
    pub unfit: Option<String>,
    /// Each way, by its `by`, with the file that it starts, where there is no Makefile.
    pub starts: Vec<(&'static str, String)>,
    /// What this machine lacks for a way that is as likely as the first.
    pub lacks: Option<MachineFault>,
    /// What is wrong with comments that were to say how it is started.
    pub ignored: Vec<String>,
}

/// A way to build a submission.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BuildWay {
    /// Its build command: a program that was found, and its arguments. None where there is nothing
    /// to build.
    pub build: Option<Vec<OsString>>,
    /// By what it was found out, for people: `Makefile`.
    pub by: &'static str,
    /// What `engine.toml` is to say then.
    pub settings: WaySettings,
}

/// The `engine.toml` of a submission that was built.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WaySettings {
    /// Its own.
    Own,
    /// This text.
    Text(String),
    /// One that names the program that the build has made, with these lines besides.
    OfMadeProgram(String),
}

impl Submission {
    /// A submission that is built in one way.
    fn one(folder: PathBuf, by: &'static str, build: Option<Vec<OsString>>, settings: WaySettings) -> Self {
        let ways = vec![BuildWay { build, by, settings }];
        Submission { folder, ways, unfit: None, starts: Vec::new(), lacks: None, ignored: Vec::new() }
    }

    /// Whether a command builds it.
    pub fn is_built(&self) -> bool {
        self.ways.iter().any(|way| way.build.is_some())
    }
}

/// The folder of an engine that is known, with the build command of the engine.
///
/// # Errors
/// The command's program is not on this machine.
pub(super) fn with_command(engine: &EngineSpec) -> Result<Submission, NoEngine> {
    let build = engine.build.as_ref().map(|words| command(words.iter().map(String::as_str))).transpose()?;
    Ok(Submission::one(engine.folder.clone(), "engine.toml", build, WaySettings::Own))
}

/// The engine of a folder that was handed in.
///
/// # Errors
/// Why there is none, and whose fault that is.
pub(crate) fn engine_of(folder: &Path) -> Result<EngineSpec, NoEngine> {
    EngineSpec::submitted(folder).map_err(|why| match MachineFault::of_settings(folder) {
        Some(fault) => fault.into(),
        None => why.into(),
    })
}

/// Looks at a folder.
///
/// # Errors
/// What is missing, and whose fault that is.
pub fn look(folder: &Path) -> Result<Submission, NoEngine> {
    let folder = folder.canonicalize().map_err(|error| NoEngine::of("it cannot be read", &error))?;
    let file = folder.join("engine.toml");
    // One that cannot be read is refused, and not taken for none.
    if file.is_file() && !engine_file::text(&file).is_ok_and(|text| text.starts_with(WRITTEN)) {
        return with_command(&engine_of(&folder)?);
    }
    let sources = Sources::of(&folder)?;
    let ignored = sources.wrong_lines();
    if let Some(name) = MAKEFILES.iter().find(|name| sources.has(name)) {
        let mut ways = of_makefile(&folder.join(name), &sources.own_of_all())?;
        // What is beside it may be all of the engine: the Makefile of a script often tests it.
        let more = of_sources(&folder, &sources);
        ways.extend(more.ways);
        let (unfit, lacks) = (more.unfit, more.lacks);
        return Ok(Submission { folder, ways, unfit, starts: Vec::new(), lacks, ignored });
    }
    let found = of_sources(&folder, &sources);
    if !found.ways.is_empty() {
        let SourceWays { ways, starts, unfit, lacks } = found;
        return Ok(Submission { folder, ways, unfit, starts, lacks, ignored });
    }
    if let Some(fault) = found.lacks {
        return Err(fault.into());
    }
    if let Some(why) = found.unfit {
        return Err(why.into());
    }
    let found = made_program::only_program(&folder)?.or_else(|| made_program::only_lost(&folder));
    let settings = match found {
        Some(path) => started_by(&[format!("./{}", path.display())], ""),
        None => match spec::executables(&folder)?.len() {
            1 => WRITTEN.to_owned(),
            _ => {
                return Err("nothing to build or to start was found: no engine.toml, Makefile, Cargo.toml, \
                            executable file or jar, and no source in C, C++, Java, Go, Rust, JavaScript or Python"
                    .to_owned()
                    .into());
            }
        },
    };
    Ok(Submission::one(folder, "program", None, WaySettings::Text(settings)))
}

/// Whether a folder has something to build: a Makefile, a `Cargo.toml` or sources.
pub fn has_sources(folder: &Path) -> bool {
    Sources::of(folder).is_ok_and(|sources| {
        MAKEFILES.iter().chain(&["Cargo.toml"]).any(|name| sources.has(name))
            || !languages::of(&sources).is_empty()
    })
}

/// Whether a folder has at its top, or in its sources below it, something to build or to start.
pub fn has_engine(folder: &Path) -> bool {
    folder.join("engine.toml").is_file() || has_sources(folder) || made_program::has_program(folder)
}

/// The files of which each may be the one to start, the likeliest first: in several languages, or
/// in one of which no file has the name of such a file. There are none where it is clear which one
/// is: by an `engine.toml`, by a Makefile, or because one of them alone says how it is started.
pub fn rivals(folder: &Path) -> Vec<String> {
    let Ok(sources) = Sources::of(folder) else { return Vec::new() };
    if ["engine.toml"].iter().chain(&MAKEFILES).any(|name| sources.has(name)) {
        return Vec::new();
    }
    let all = languages::of(&sources);
    let starts: Vec<&LanguageWays> = all.iter().filter(|language| language.start().is_some()).collect();
    let best = starts.first().map_or(StartRank::Part, |language| language.rank);
    let is_likely = |language: &&LanguageWays| match best {
        StartRank::Said => language.rank == best,
        StartRank::Named | StartRank::NamedBelow => language.rank == best || language.is_program,
        StartRank::Other | StartRank::Part => language.is_program,
    };
    let files = |language: &LanguageWays| match &language.ways {
        Ok(_) => language.start().into_iter().map(str::to_owned).collect(),
        Err(unclear) => unclear.files.clone(),
    };
    let likely: Vec<String> = match starts.is_empty() {
        true => Vec::new(),
        false => all.iter().filter(is_likely).flat_map(files).collect(),
    };
    match &likely[..] {
        [] if all.iter().all(|language| language.ways.is_err()) && !sources.has("Cargo.toml") => {
            let unclear = all.iter().filter_map(|language| language.ways.as_ref().err());
            unclear.flat_map(|unclear| unclear.files.clone()).collect()
        }
        [] | [_] => Vec::new(),
        _ => likely,
    }
}

/// Changes the sources in a folder so that this file, one of its [`rivals`], is started: what
/// starts in other languages is removed, and so is what a compiler would link twice. A script gets
/// a name by which it is found. A class in Java keeps its own, and gets another one that starts it.
///
/// # Errors
/// Errors of the disk.
pub fn let_start(folder: &Path, name: &str) -> io::Result<()> {
    let ending = |name: &str| name.rsplit_once('.').map(|(_, ending)| ending.to_lowercase());
    let rivals = rivals(folder);
    if !rivals.iter().any(|rival| rival == name) {
        return Ok(());
    }
    let is_script = ending(name).is_some_and(|ending| ["py", "js", "mjs", "rs"].contains(&&*ending));
    let is_java = ending(name).is_some_and(|ending| ending == "java");
    for other in rivals.iter().filter(|other| *other != name) {
        // Scripts of one language may need each other, and so may classes.
        if !(is_script || is_java) || ending(other) != ending(name) {
            fs::remove_file(folder.join(other))?;
        }
    }
    if is_java
        && first_start(folder).is_none_or(|first| first != name)
        && let Some((path, text)) = java_starter::beside(folder, name)
    {
        fs::write(folder.join(path), text)?;
    }
    if is_script && first_start(folder).is_none_or(|first| first != name) {
        let main = format!("main.{}", ending(name).unwrap_or_default());
        fs::copy(folder.join(name), folder.join(name).with_file_name(main))?;
    }
    Ok(())
}

/// The file that is started first of the sources in a folder.
pub fn first_start(folder: &Path) -> Option<String> {
    let sources = Sources::of(folder).ok()?;
    languages::of(&sources).first()?.start().map(str::to_owned)
}

/// An `engine.toml` with this command.
pub(super) fn started_by(words: &[String], more: &str) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect();
    format!("{WRITTEN}command = [{}]\n{more}", words.join(", "))
}

/// By a Makefile: what make makes of itself, and a target that a person would ask for. All is made
/// anew: what was handed in with the sources may be older, or of another system.
fn of_makefile(path: &Path, own: &str) -> Result<Vec<BuildWay>, NoEngine> {
    let text = engine_file::text(path).unwrap_or_default();
    // Such rules make the Makefile itself, with tools that nobody has.
    let folder = path.parent().unwrap_or(Path::new("."));
    let is_made =
        ["configure.ac", "Makefile.in", "CMakeCache.txt"].iter().any(|name| folder.join(name).exists());
    let usual: &[&str] = if is_made { &["make"] } else { &["make", "-B"] };
    let way = |more: Option<&'static str>| {
        let build = Some(command(usual.iter().copied().chain(more))?);
        Ok(BuildWay { build, by: "Makefile", settings: WaySettings::OfMadeProgram(own.to_owned()) })
    };
    let targets: Vec<&str> = text
        .lines()
        .filter(|line| !line.starts_with(['\t', '.', '#', ' ']))
        .filter_map(|line| line.split_once(':').filter(|(_, rest)| !rest.starts_with('=')))
        .flat_map(|(names, _)| names.split_whitespace())
        .collect();
    let other = TARGETS.into_iter().find(|name| targets.contains(name) && targets.first() != Some(name));
    [Some(None), other.map(Some)].into_iter().flatten().map(way).collect()
}

/// What the sources in a folder are built by.
#[derive(Default)]
struct SourceWays {
    /// The likeliest first; none if there are no sources.
    ways: Vec<BuildWay>,
    /// Each of them with the file that it starts.
    starts: Vec<(&'static str, String)>,
    /// Why others are none.
    unfit: Option<String>,
    /// What the machine lacks for one that is as likely as the first.
    lacks: Option<MachineFault>,
}

/// By the sources in a folder.
fn of_sources(folder: &Path, sources: &Sources<'_>) -> SourceWays {
    type Ways = Result<Vec<BuildWay>, NoEngine>;
    let mut all: Vec<(StartRank, Ways)> = Vec::new();
    let mut found = SourceWays::default();
    let cargo = sources.has("Cargo.toml").then(|| of_cargo(folder, sources));
    let is_cargo = cargo.as_ref().is_some_and(|cargo| !matches!(cargo, Err(NoEngine::Author(_))));
    if let Some(cargo) = cargo {
        let is_named = is_cargo && sources.has("src/main.rs");
        all.push((if is_named { StartRank::Named } else { StartRank::Other }, cargo.map(|way| vec![way])));
        found.starts.push(("Cargo.toml", "Cargo.toml".to_owned()));
    }
    for LanguageWays { rank, ways, .. } in languages::of(sources) {
        let named = ways.as_ref().ok().and_then(|ways| ways.first());
        // Cargo compiles them.
        if is_cargo && named.is_some_and(|way| way.name == "Rust") {
            continue;
        }
        found.starts.extend(named.and_then(|way| Some((way.name, way.start.clone()?))));
        let ways = ways.map_err(|unclear| NoEngine::Author(unclear.why));
        all.push((rank, ways.and_then(|ways| ways.into_iter().map(of_language).collect())));
    }
    all.sort_by_key(|(rank, _)| *rank);
    let mut first = None;
    let mut unfit = Vec::new();
    for (rank, ways) in all {
        match ways {
            Ok(ways) => {
                first = first.or(Some(rank));
                found.ways.extend(ways);
            }
            Err(NoEngine::Author(why)) => unfit.push(why),
            Err(NoEngine::Machine(fault)) if first.is_none() => {
                // Nobody knows whether it is an engine, so nothing else is taken for one.
                return SourceWays { lacks: Some(fault), ..SourceWays::default() };
            }
            Err(NoEngine::Machine(fault)) if first == Some(rank) => {
                found.lacks.get_or_insert(fault);
            }
            Err(NoEngine::Machine(_)) => {}
        }
    }
    found.unfit = (!unfit.is_empty()).then(|| unfit.join("; "));
    found
}

fn of_cargo(folder: &Path, sources: &Sources<'_>) -> Result<BuildWay, NoEngine> {
    let text = engine_file::text(&folder.join("Cargo.toml")).map_err(|why| format!("Cargo.toml: {why}"))?;
    let table: toml::Table =
        toml::from_str(&text).map_err(|error| format!("Cargo.toml: {}", error.message()))?;
    let name = table.get("package").and_then(|package| package.get("name")?.as_str());
    let name = name.ok_or_else(|| "Cargo.toml: it names no package".to_owned())?;
    let build = command(["cargo", "build", "--release", "--offline"].into_iter())?;
    let started = started_by(&[format!("./target/release/{name}")], &sources.own_of_all());
    Ok(BuildWay { build: Some(build), by: "Cargo.toml", settings: WaySettings::Text(started) })
}

fn of_language(way: Language) -> Result<BuildWay, NoEngine> {
    let Language { name, build, run, own, .. } = way;
    let build = build.map(|words| command(words.iter().map(String::as_str))).transpose()?;
    // An interpreter that is not here is told before anything is built.
    if let Some(fault) = run.first().and_then(|word| MachineFault::lacks(word)) {
        return Err(fault.into());
    }
    Ok(BuildWay { build, by: name, settings: WaySettings::Text(started_by(&run, &own)) })
}

/// A command with its program found.
fn command<'a>(mut words: impl Iterator<Item = &'a str>) -> Result<Vec<OsString>, NoEngine> {
    let first = words.next().ok_or_else(|| "an empty build command".to_owned())?;
    // One in the folder is found there when it runs.
    let program = if first.contains('/') {
        PathBuf::from(first)
    } else {
        let found = program::find(Path::new(first)).map_err(|_| match MachineFault::lacks(first) {
            Some(fault) => NoEngine::Machine(fault),
            None => format!("{} is not on this machine; install it", escape(first.as_bytes(), 60)).into(),
        })?;
        tools::behind_rustup(&found, first).unwrap_or(found)
    };
    Ok(std::iter::once(program.into_os_string()).chain(words.map(OsString::from)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ways of a folder with these files, in short.
    fn ways(files: &[(&str, &str)]) -> Vec<String> {
        let home = tempfile::tempdir().unwrap();
        files.iter().for_each(|(name, text)| fs::write(home.path().join(name), text).unwrap());
        let found = look(home.path()).unwrap();
        let told = |way: &BuildWay| {
            let words = way.build.iter().flatten().skip(1).map(|word| word.to_string_lossy().into_owned());
            format!("{} {}", way.by, words.collect::<Vec<_>>().join(" ")).trim_end().to_owned()
        };
        found.ways.iter().map(told).collect()
    }

    #[test]
    fn a_file_that_is_named_like_the_file_to_start_comes_first() {
        let java = "class Main { public static void main(String[] words) {} }";
        let starts = |files: &[(&str, &str)]| {
            let home = tempfile::tempdir().unwrap();
            for (name, text) in files {
                let path = home.path().join(name);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            }
            let found = languages::of(&Sources::of(home.path()).unwrap());
            let ways = found.into_iter().flat_map(|language| language.ways.ok().unwrap_or_default());
            ways.map(|way| way.start.unwrap_or_default()).collect::<Vec<_>>()
        };
        let main = ("main.py", "");
        assert_eq!(starts(&[("Main.java", java), main, ("train.py", "")]), ["Main.java", "main.py"]);
        assert_eq!(starts(&[main, ("engine.py", "")]), ["main.py"]);
        let c = ("bot.c", "int main(void) {}");
        assert_eq!(starts(&[c, ("main.h", ""), ("src/Engine.java", java)]), ["src/Engine.java", "bot.c"]);
        assert_eq!(starts(&[main, ("fast.c", "int add;")]), ["main.py", ""]);
        assert_eq!(starts(&[("bot.py", ""), ("src/lib.c", "int x;")]), ["bot.py", ""]);
        for other in [c, ("plot.js", ""), ("gen.rs", ""), ("old.jar", ""), ("A.java", java), ("go.mod", "")] {
            assert_eq!(starts(&[main, other]), ["main.py", other.0]);
            assert_eq!(starts(&[("__main__.py", ""), other])[0], "__main__.py");
        }
        assert_eq!(starts(&[main, ("src/index.js", "")]), ["main.py", "src/index.js"]);
        assert_eq!(starts(&[c, ("index.js", "")]), ["index.js", "bot.c"]);
        // One that is not clear is no way, and hides none.
        assert_eq!(starts(&[("a.rs", ""), ("b.rs", ""), ("bot.py", "")]), ["bot.py"]);
    }

    #[test]
    fn several_files_that_may_be_the_one_to_start_are_rivals() {
        let java = "class A { public static void main(String[] words) {} }";
        let of = |files: &[(&str, &str)]| {
            let home = tempfile::tempdir().unwrap();
            files.iter().for_each(|(name, text)| fs::write(home.path().join(name), text).unwrap());
            (rivals(home.path()).join(" "), first_start(home.path()).unwrap_or_default())
        };
        let is = |files: &[(&str, &str)], wanted: &str, first: &str| {
            assert_eq!(of(files), (wanted.to_owned(), first.to_owned()), "{files:?}");
        };
        let (c, main) = (("bot.c", "int main(void) {}"), ("main.py", ""));
        is(&[c, main], "main.py bot.c", "main.py");
        is(&[("Main.java", java), main], "Main.java main.py", "Main.java");
        is(&[c, ("A.java", java)], "bot.c A.java", "bot.c");
        is(&[main, ("gen.rs", "fn main() {}")], "main.py gen.rs", "main.py");
        // Others are parts of it, or are made for people.
        for other in [("fast.c", "int x;"), ("plot.js", ""), ("old.jar", ""), ("gen.rs", "fn x() {}")] {
            is(&[main, other], "", "main.py");
        }
        is(&[c, ("plot.py", "")], "", "bot.c");
        is(&[c, main, ("Makefile", "all:")], "", "main.py");
        is(&[c, main, ("engine.toml", "")], "", "main.py");
        // Of one language none has the name of such a file.
        is(&[("a.py", ""), ("b.py", ""), ("test_a.py", "")], "a.py b.py", "");
        is(&[("a.c", "int main() {}"), ("b.c", "int main() {}"), ("c.c", "")], "a.c b.c", "");
        is(&[("a.py", ""), ("b.py", ""), ("A.java", java)], "", "A.java");
        is(&[("A.java", java), ("B.java", java)], "A.java B.java", "");
        is(&[("A.java", java), ("B.java", java), main], "main.py A.java B.java", "main.py");
        is(&[("A.java", java), ("B.java", java), ("Main.java", java)], "", "Main.java");
        is(&[("A.java", java), ("Util.java", "class Util {}"), ("BotTest.java", java)], "", "A.java");
        // One that says how it is started is the one.
        let said = ("bot.c", "// agon: args = [\"{side}\"]\nint main(void) {}");
        is(&[said, main], "", "bot.c");
        is(&[said, ("main.py", "# agon: games = [\"mill\"]\n")], "bot.c main.py", "bot.c");
    }

    #[test]
    fn the_rival_that_was_chosen_is_started() {
        let a = ("A.java", "class A { public static void main(String[] words) {} }");
        let b = ("B.java", "class B { public static void main(String[] words) {} }");
        for (files, chosen, wanted, first) in [
            (
                &[("bot.c", "int main(void) {}"), ("main.py", ""), ("more.py", "")][..],
                "bot.c",
                "bot.c more.py",
                "bot.c",
            ),
            (
                &[("bot.c", "int main(void) {}"), ("main.py", ""), ("more.py", "")],
                "main.py",
                "main.py more.py",
                "main.py",
            ),
            (&[("a.py", "1"), ("b.py", "2")], "b.py", "a.py b.py main.py", "main.py"),
            (&[("a.c", "int main() {}"), ("b.c", "int main() {}"), ("c.c", "")], "b.c", "b.c c.c", "b.c"),
            (&[("a.py", ""), ("b.py", "")], "c.py", "a.py b.py", ""),
            (&[a, b, ("C.java", "")], "B.java", "A.java B.java C.java Main.java", "Main.java"),
            (&[a, b, ("main.py", "")], "A.java", "A.java B.java Main.java", "Main.java"),
            (
                &[a, b, ("C.java", "enum Main {}")],
                "A.java",
                "A.java B.java C.java Engine.java",
                "Engine.java",
            ),
        ] {
            let home = tempfile::tempdir().unwrap();
            files.iter().for_each(|(name, text)| fs::write(home.path().join(name), text).unwrap());
            let_start(home.path(), chosen).unwrap();
            let all = fs::read_dir(home.path()).unwrap().map(|entry| entry.unwrap().file_name());
            let mut all: Vec<String> = all.map(|name| name.into_string().unwrap()).collect();
            all.sort();
            assert_eq!(
                (all.join(" ").as_str(), first_start(home.path()).unwrap_or_default().as_str()),
                (wanted, first)
            );
            if wanted.ends_with("main.py") && first != chosen {
                assert_eq!(fs::read_to_string(home.path().join("main.py")).unwrap(), "2");
            }
        }
    }

    #[test]
    fn a_cargo_toml_without_a_package_hides_no_sources() {
        assert_eq!(ways(&[("Cargo.toml", ""), ("main.py", "")]), ["Python"]);
        let package = "[package]\nname = \"x\"\n";
        let both = ways(&[("Cargo.toml", package), ("main.py", ""), ("main.rs", "")]);
        assert_eq!(both, ["Python", "Cargo.toml build --release --offline"]);
    }

    #[test]
    fn the_sources_beside_a_makefile_are_the_next_way() {
        let test = "test:\n\tpython3 main.py\n";
        assert_eq!(ways(&[("Makefile", test), ("main.py", "")]), ["Makefile -B", "Python"]);
        let second = "test:\n\ttrue\nall: bot\n";
        assert_eq!(ways(&[("Makefile", second)]), ["Makefile -B", "Makefile -B all"]);
        assert_eq!(ways(&[("Makefile", "all: bot\nbot: x\n")]), ["Makefile -B"]);
        assert_eq!(ways(&[("Makefile", "CC := gcc\nx:\n"), ("configure.ac", "")]), ["Makefile"]);
    }

    #[test]
    fn sources_that_are_no_way_are_told_beside_the_makefile() {
        let home = tempfile::tempdir().unwrap();
        for (name, text) in [("Makefile", "all:\n"), ("a.py", ""), ("b.py", "")] {
            fs::write(home.path().join(name), text).unwrap();
        }
        let found = look(home.path()).unwrap();
        assert!(found.ways.len() == 1 && found.unfit.unwrap().contains("none called main.py"));
    }

    #[test]
    fn a_compiler_that_is_not_here_is_the_fault_of_the_machine() {
        let home = tempfile::tempdir().unwrap();
        let with = |text: &str| {
            fs::write(home.path().join("engine.toml"), text).unwrap();
            look(home.path()).unwrap_err()
        };
        if program::find(Path::new("swipl")).is_err() {
            let lacks = NoEngine::Machine(MachineFault::Lacks("swipl".to_owned()));
            assert_eq!(with("command = [\"./bot\"]\nbuild = [\"swipl\", \"x\"]\n"), lacks);
            assert_eq!(with("command = [\"swipl\", \"x\"]\n"), lacks);
        }
        assert!(matches!(with("command = [\"./bot\"]\nbuild = [\"my-own-tool\"]\n"), NoEngine::Author(_)));
        assert!(matches!(with("command = [\"my-own-tool\"]\n"), NoEngine::Author(_)));
        assert!(matches!(with("command = 3\n"), NoEngine::Author(_)));
    }
}
