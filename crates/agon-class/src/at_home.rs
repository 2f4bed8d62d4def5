//! A submission at home: it is unpacked and built as a grading does it, before it is handed in.

use std::path::Path;
use std::time::Duration;

use agon_printable::harmless;
use agon_programs::build;
use agon_programs::languages;
use agon_programs::machine_fault::NoEngine;
use agon_programs::program::{self, display_path};
use agon_programs::spec::EngineSpec;
use agon_programs::submission;
use agon_tournament::entrants::EngineBuilder;
use anyhow::Context;

use super::extracted::UnpackLimits;
use super::key::KeyRow;
use super::roster::Student;
use super::submissions::{self, EngineTerms};
use super::unpack;

/// The longest name of an engine, in characters.
const MAX_NAME: usize = 60;

/// What a grading would make of a submission.
pub struct TakenSubmission {
    /// The engine, or why there is none.
    pub engine: Result<EngineSpec, NoEngine>,
    /// How it is built and started, in words: `Python: python3 main.py`.
    pub taken_as: String,
    /// A remark for its author.
    pub remark: Option<String>,
    /// The output of its build, with control sequences escaped.
    pub log: String,
}

/// Whether a path names what can be handed in and is no engine yet: an archive, a source file, or a
/// folder of sources without an `engine.toml`. A source beside an `engine.toml` is started by that,
/// unless it says itself how it is started.
pub fn is_submission(path: &Path) -> bool {
    if path.is_dir() {
        let is_engine = path.join("engine.toml").exists() || EngineSpec::at(path).is_ok();
        return !is_engine && submission::has_sources(path);
    }
    if !path.is_file() || program::check(path).is_ok() {
        return false;
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    if !languages::is_source(&name) {
        return unpack::is_archive(path);
    }
    !path.with_file_name("engine.toml").exists() || languages::says_how_it_starts(path)
}

/// Takes a submission as a grading does, in the folder `to` below a directory of the run. It may be
/// built for at most `bound`.
///
/// # Errors
/// As [`EngineBuilder::build_all`]; or errors of the disk.
pub fn take_at_home(
    path: &Path,
    to: &Path,
    bound: Duration,
    builder: &EngineBuilder<'_>,
) -> anyhow::Result<TakenSubmission> {
    // Its author may name it by a link. In a class a link would lead to the work of another.
    let path = path.canonicalize().with_context(|| format!("cannot read {}", display_path(path)))?;
    let home = path.parent().unwrap_or(Path::new("/"));
    let name = short_name(&path);
    let student = Student { submissions: vec![path.to_string_lossy().into_owned()], ..Student::default() };
    let key = KeyRow { alias: name, id: String::new(), name: String::new(), mail: String::new() };
    let terms = EngineTerms { to, bound, limits: UnpackLimits::SUBMISSION, in_pool: false };
    let made = submissions::engines(&[(&student, &key)], home, &terms, builder)?;
    let made = made.into_iter().next().context("a submission was not looked at")?;
    let log = build::log_of(&made.folder).map(|bytes| harmless(&bytes)).unwrap_or_default();
    let taken_as = made.engine.as_ref().map(|engine| words(made.by, engine)).unwrap_or_default();
    Ok(TakenSubmission { engine: made.engine, taken_as, remark: made.remark, log })
}

/// How an engine is built and started.
fn words(by: &str, engine: &EngineSpec) -> String {
    let folder = format!("{}/", display_path(&engine.folder));
    let program = match engine.program.strip_prefix(&engine.folder) {
        Ok(inner) => format!("./{}", display_path(inner)),
        Err(_) => engine.program.file_name().map(|name| display_path(Path::new(name))).unwrap_or_default(),
    };
    let rest = engine.leading.iter().chain(engine.arguments.iter().flatten());
    let rest = rest.map(|word| word.replace("{folder}/", "").replace(&folder, ""));
    let command: Vec<String> = std::iter::once(program).chain(rest).collect();
    format!("{by}: {}", command.join(" "))
}

/// A name for an engine that is made of this.
fn short_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = if path.is_dir() { &name } else { name.split('.').next().unwrap_or_default() };
    let plain = |letter: char| if letter.is_alphanumeric() || "-_".contains(letter) { letter } else { '-' };
    let name: String = stem.chars().take(MAX_NAME).map(plain).collect();
    if name.trim_matches('-').is_empty() { "submission".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn what_can_be_handed_in_is_told_from_an_engine() {
        let home = tempfile::tempdir().unwrap();
        let put = |name: &str, bytes: &[u8]| {
            let path = home.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, bytes).unwrap();
            is_submission(&path)
        };
        assert!(put("bot.py", b"print(1)") && put("Main.java", b"") && put("a.zip", b"PK\x03\x04"));
        assert!(
            put("b.tar.gz", b"\x1f\x8b") && put("c", b"PK\x03\x04") && put("d.7z", b"7z\xbc\xaf\x27\x1c")
        );
        assert!(!put("read.me", b"hello") && !put("with/engine.toml", b"") && !put("of/bot.py/x", b""));
        assert!(!put("with/a.py", b"print(1)") && put("with/b.py", b"# agon: games = [\"mill\"]\n"));
        assert!(put("src/a.py", b"") && !put("made/Makefile", b""));
        assert!(!is_submission(&home.path().join("with")), "it is an engine");
        assert!(is_submission(&home.path().join("src")) && is_submission(&home.path().join("made")));
        assert!(!is_submission(&home.path().join("of")) && !is_submission(&home.path().join("gone")));
        assert_eq!(short_name(Path::new("/x/my bot.tar.gz")), "my-bot");
        assert_eq!(short_name(Path::new("/x/.zip")), "submission");
    }
}
