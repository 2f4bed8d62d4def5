//! The languages of submissions: how the sources of each are built, and how the result is started.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::Path;

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
/// How much of a Java source is read.
const MOST_BYTES: u64 = 1 << 20;

/// Whether a file of this name can be a whole submission that is not a program yet.
pub fn is_source(name: &str) -> bool {
    C.iter().chain(&CPP).chain(&ALONE).any(|ending| name.ends_with(ending))
}

/// The files of a submission: at its top, and below its folder `src`.
pub(super) struct Sources<'a> {
    folder: &'a Path,
    /// Their paths from the top.
    paths: BTreeSet<String>,
}

/// How a submission in one language is built and started.
pub(super) struct Language {
    /// The name of the language.
    pub(super) name: &'static str,
    /// The build command; `None` if nothing is built.
    pub(super) build: Option<Vec<String>>,
    /// The command of the engine.
    pub(super) run: Vec<String>,
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
    fn ending_in(&self, endings: &[&str]) -> Vec<String> {
        let fits = |path: &&String| endings.iter().any(|ending| path.ends_with(ending));
        self.paths.iter().filter(fits).map(|path| format!("./{path}")).collect()
    }

    /// The file to start: one of these names, at the top or in `src`, or else the only file with
    /// one of these endings.
    ///
    /// # Errors
    /// There are several, and none has such a name.
    fn main(&self, language: &str, names: &[&str], endings: &[&str]) -> Result<Option<String>, String> {
        let named = |name: &&&str| self.has(name);
        if let Some(name) = names.iter().find(named) {
            return Ok(Some((*name).to_owned()));
        }
        let in_src = names.iter().map(|name| format!("{SRC}/{name}")).find(|name| self.has(name));
        if in_src.is_some() {
            return Ok(in_src);
        }
        let mut all = self.ending_in(endings);
        let is_at_top = |path: &&String| path.matches('/').count() == 1;
        if all.iter().filter(is_at_top).count() == 1 {
            all.retain(|path| is_at_top(&path));
        }
        match &all[..] {
            [] => Ok(None),
            [only] => Ok(Some(only.trim_start_matches("./").to_owned())),
            _ => Err(format!("several {language} files and none called {}; write an engine.toml", names[0])),
        }
    }

    fn text(&self, path: &str) -> String {
        let mut bytes = Vec::new();
        // A file that cannot be read has no main method; its compiler reports the error.
        if let Ok(file) = fs::File::open(self.folder.join(path)) {
            let _ = file.take(MOST_BYTES).read_to_end(&mut bytes); // as above
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// The language of a submission and its commands; `None` if it has no sources.
///
/// # Errors
/// Words for the author: it is not clear which file is to be started.
pub(super) fn of(sources: &Sources<'_>) -> Result<Option<Language>, String> {
    let all = [c_and_cpp, java, go, rust, jar, java_script, python];
    for language in all {
        if let Some(found) = language(sources)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

type Found = Result<Option<Language>, String>;

fn c_and_cpp(sources: &Sources<'_>) -> Found {
    let (c, cpp) = (sources.ending_in(&C), sources.ending_in(&CPP));
    let (compiler, libraries) = match (c.is_empty(), cpp.is_empty()) {
        (true, true) => return Ok(None),
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
    Ok(Some(Language { name: "C", build: Some(build), run: words(&["./engine"]) }))
}

fn java(sources: &Sources<'_>) -> Found {
    let all = sources.ending_in(&[".java"]);
    if all.is_empty() {
        return Ok(None);
    }
    let has_main = |path: &&String| {
        let text = sources.text(path);
        text.contains("static void main") || text.contains("static public void main")
    };
    let mut with_main: Vec<&String> = all.iter().filter(has_main).collect();
    if with_main.iter().any(|path| path.ends_with("/Main.java")) {
        with_main.retain(|path| path.ends_with("/Main.java"));
    }
    let [main] = with_main[..] else {
        return Err(match with_main.len() {
            0 => "no Java file has a method public static void main".to_owned(),
            _ => "several Java files with a method main and none called Main.java; write an engine.toml"
                .to_owned(),
        });
    };
    let class = main.rsplit('/').next().unwrap_or(main).trim_end_matches(".java");
    let text = sources.text(main);
    let package = text.lines().find_map(|line| line.trim().strip_prefix("package ")?.split(';').next());
    let class = package.map_or_else(|| class.to_owned(), |package| format!("{}.{class}", package.trim()));
    let build = words(&["javac", "-encoding", "UTF-8", "-d", "classes"]);
    let run = words(&["java", "-XX:+UseSerialGC", "-cp", "{folder}/classes"]);
    Ok(Some(Language {
        name: "Java",
        build: Some(build.into_iter().chain(all).collect()),
        run: run.into_iter().chain([class]).collect(),
    }))
}

fn jar(sources: &Sources<'_>) -> Found {
    let jar = sources.main("jar", &["engine.jar", "main.jar"], &[".jar"])?;
    let run = |jar: String| words(&["java", "-XX:+UseSerialGC", "-jar", &in_folder(&jar)]);
    Ok(jar.map(|jar| Language { name: "jar", build: None, run: run(jar) }))
}

fn go(sources: &Sources<'_>) -> Found {
    let mut all = sources.ending_in(&[".go"]);
    all.retain(|path| !path.ends_with("_test.go"));
    let parts = match (sources.has("go.mod"), all.is_empty()) {
        (true, _) => vec![".".to_owned()],
        (false, true) => return Ok(None),
        (false, false) => all,
    };
    let build = words(&["go", "build", "-o", "engine"]).into_iter().chain(parts).collect();
    Ok(Some(Language { name: "Go", build: Some(build), run: words(&["./engine"]) }))
}

fn rust(sources: &Sources<'_>) -> Found {
    let main = sources.main("Rust", &["main.rs"], &[".rs"])?;
    let build =
        |main: String| words(&["rustc", "--edition", "2021", "-O", "-o", "engine", &format!("./{main}")]);
    Ok(main.map(|main| Language { name: "Rust", build: Some(build(main)), run: words(&["./engine"]) }))
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
    Ok(main.map(|main| Language {
        name: "JavaScript",
        build: None,
        run: words(&["node", &in_folder(&main)]),
    }))
}

fn python(sources: &Sources<'_>) -> Found {
    let main = sources.main("Python", &["main.py", "engine.py", "__main__.py"], &[".py"])?;
    Ok(main.map(|main| Language { name: "Python", build: None, run: words(&["python3", &in_folder(&main)]) }))
}

fn words(all: &[&str]) -> Vec<String> {
    all.iter().map(|word| (*word).to_owned()).collect()
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
        let found = of(&Sources::of(home.path())?)?;
        Ok(found.map_or_else(String::new, |Language { name, build, run }| {
            format!("{name}: {} | {}", build.unwrap_or_default().join(" "), run.join(" "))
        }))
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
            (&[("src/main.py", ""), ("src/b.py", "")], "Python:  | python3 {folder}/src/main.py"),
            (&[("bot.py", ""), ("src/b.py", "")], "Python:  | python3 {folder}/bot.py"),
            (&[("{x}.py", "")], "Python:  | python3 {folder}/{{x}}.py"),
            (&[("read.me", "")], ""),
        ] {
            assert_eq!(told(files).unwrap(), commands);
        }
        assert!(told(&[("a.py", ""), ("b.py", "")]).unwrap_err().contains("none called main.py"));
        assert!(told(&[("A.java", "")]).unwrap_err().contains("no Java file has a method"));
        assert!(told(&[("A.java", main), ("B.java", main)]).unwrap_err().contains("none called Main.java"));
    }
}
