//! How a submission is built when its author does not say so: by what lies in its folder.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use agon_printable::escape;

use super::engine_file;
use super::languages::{self, Language, Sources};
use super::program;
use super::spec::{self, EngineSpec};
use super::tools;

/// How an `engine.toml` begins that we have written, and so may write again.
pub const WRITTEN: &str = "# Written by agon build.\n";

/// One submission: a folder, and what is to be done with it.
#[derive(Debug)]
pub struct Submission {
    /// Its folder, absolute.
    pub folder: PathBuf,
    /// Its build command: a program that was found, and its arguments. None where there is nothing
    /// to build.
    pub build: Option<Vec<OsString>>,
    /// By what it was found out, for people: `Makefile`.
    pub by: &'static str,
    /// What `engine.toml` is to say when it is built, if there is none.
    pub settings: Option<String>,
}

/// The folder of an engine that is known, with the build command of the engine.
///
/// # Errors
/// The command's program is not on this machine.
pub(super) fn with_command(engine: &EngineSpec) -> Result<Submission, String> {
    let build = engine.build.as_ref().map(|words| command(words.iter().map(String::as_str))).transpose()?;
    Ok(Submission { folder: engine.folder.clone(), build, by: "engine.toml", settings: None })
}

/// Looks at a folder.
///
/// # Errors
/// Words that name what is missing.
pub fn look(folder: &Path) -> Result<Submission, String> {
    let folder = folder.canonicalize().map_err(|error| error.to_string())?;
    let found = |by, build: Option<Vec<OsString>>, settings| {
        Ok(Submission { folder: folder.clone(), build, by, settings })
    };
    let file = folder.join("engine.toml");
    // One that cannot be read is refused, and not taken for none.
    if file.is_file() && !engine_file::text(&file).is_ok_and(|text| text.starts_with(WRITTEN)) {
        return with_command(&EngineSpec::submitted(&folder)?);
    }
    let sources = Sources::of(&folder)?;
    let run = |words: &[String]| {
        let words: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect();
        Some(format!("{WRITTEN}command = [{}]\n", words.join(", ")))
    };
    if ["Makefile", "makefile", "GNUmakefile"].iter().any(|name| sources.has(name)) {
        // It is the product of the Makefile: the one executable file.
        return found("Makefile", Some(command(["make"].into_iter())?), Some(WRITTEN.to_owned()));
    }
    if sources.has("Cargo.toml") {
        let text =
            engine_file::text(&folder.join("Cargo.toml")).map_err(|why| format!("Cargo.toml: {why}"))?;
        let table: toml::Table =
            toml::from_str(&text).map_err(|error| format!("Cargo.toml: {}", error.message()))?;
        let name = table.get("package").and_then(|package| package.get("name")?.as_str());
        let name = name.ok_or("Cargo.toml: it names no package")?;
        let build = command(["cargo", "build", "--release", "--offline"].into_iter())?;
        return found("Cargo.toml", Some(build), run(&[format!("./target/release/{name}")]));
    }
    if let Some(Language { name, build, run: words }) = languages::of(&sources)? {
        let build = build.map(|words| command(words.iter().map(String::as_str))).transpose()?;
        return found(name, build, run(&words));
    }
    match spec::executables(&folder)?.as_slice() {
        [_] => found("program", None, Some(WRITTEN.to_owned())),
        [] => Err("nothing to build or to start was found: no engine.toml, Makefile, Cargo.toml, executable file or \
                   jar, and no source in C, C++, Java, Go, Rust, JavaScript or Python"
            .to_owned()),
        several => Err(format!(
            "{} programs and nothing that says which of them plays; write an engine.toml with command = [\"...\"]",
            several.len()
        )),
    }
}

/// A command with its program found.
fn command<'a>(mut words: impl Iterator<Item = &'a str>) -> Result<Vec<OsString>, String> {
    let first = words.next().ok_or("an empty build command")?;
    // One in the folder is found there when it runs.
    let program = if first.contains('/') {
        PathBuf::from(first)
    } else {
        let found = program::find(Path::new(first))
            .map_err(|_| format!("{} is not on this machine; install it", escape(first.as_bytes(), 60)))?;
        tools::behind_rustup(&found, first).unwrap_or(found)
    };
    Ok(std::iter::once(program.into_os_string()).chain(words.map(OsString::from)).collect())
}
