//! Which programs need the place where they lie, so that no copy of them may play instead.
//!
//! An engine that is copied must play as it would have played in its place. Where that is not sure,
//! it is not copied, and its files are looked at before and after each game.

use std::fmt;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path};
use std::str::FromStr;

use memchr::memmem;

use super::engine_file::WorkingDirectory;
use super::spec::EngineSpec;
use super::{content, elf};

/// Why an engine is played where it lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InPlace {
    /// The organiser wants no copies.
    Off,
    /// Its files are larger than a copy may be.
    TooLarge,
    /// The copy could not be written, or no program can be started there.
    NoRoom,
    /// Its engine.toml says `kept = false`.
    AsItSays,
    /// It is started in its own folder and may write there.
    WorksThere,
    /// It learns into files of its folder, as its engine.toml says.
    Learns,
    /// It is a referee program with hidden files, which are no part of what is hashed.
    Hidden,
    /// Its folder is a virtual environment, or names its own place.
    Installed,
    /// Something in its folder leads out of it.
    LeadsOut,
    /// It is a file among others, which it may read.
    Beside,
    /// Its program lies in another folder.
    ProgramElsewhere,
    /// It only carries the lines of an engine on another machine.
    Carrier,
}

/// Each reason, its word in the database, and how people are told.
const REASONS: [(InPlace, &str, &str); 12] = [
    (InPlace::Off, "off", "no copies are wanted (--keep off)"),
    (InPlace::TooLarge, "too large", "it is larger than --keep allows"),
    (InPlace::NoRoom, "no room", "no copy could be made in the results"),
    (InPlace::AsItSays, "as it says", "its engine.toml says kept = false"),
    (InPlace::WorksThere, "works there", "it works in its own folder"),
    (InPlace::Learns, "learns", "it learns into its folder"),
    (InPlace::Hidden, "hidden", "it has hidden files"),
    (InPlace::Installed, "installed", "its files name the place where they lie"),
    (InPlace::LeadsOut, "leads out", "something in its folder leads out of it"),
    (InPlace::Beside, "beside", "it may read the files beside it"),
    (InPlace::ProgramElsewhere, "program elsewhere", "its program lies in another folder"),
    (InPlace::Carrier, "carrier", "it plays on another machine"),
];

impl InPlace {
    /// Its word in the database.
    pub fn word(self) -> &'static str {
        self.row().1
    }

    fn row(self) -> &'static (InPlace, &'static str, &'static str) {
        REASONS.iter().find(|(reason, ..)| *reason == self).expect("each reason has a row")
    }
}

impl fmt::Display for InPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.row().2)
    }
}

impl FromStr for InPlace {
    type Err = String;
    fn from_str(word: &str) -> Result<Self, String> {
        let row = REASONS.iter().find(|(_, own, _)| *own == word);
        row.map(|(reason, ..)| *reason).ok_or_else(|| format!("{word:?} is no reason"))
    }
}

/// The most bytes of a text that is searched for what leads out.
const SEARCHED: u64 = 1 << 20;

/// How a script leads out of its folder.
const OUT: [&[u8]; 7] = [b"../", b"/..", b"\"..\"", b"'..'", b".parent.parent", b".parents[", b"pardir"];

/// The most files that may lie beside a program alone.
const BESIDE: usize = 10_000;

/// Why an engine must play where it lies; `None` if a copy of these files plays as it would. In a
/// box it sees its own folder alone and cannot write there.
pub(super) fn needed(engine: &EngineSpec, files: &[&Path], is_boxed: bool) -> Option<InPlace> {
    if engine.elsewhere.is_some() {
        return Some(InPlace::Carrier);
    }
    if !engine.learns.is_empty() {
        return Some(InPlace::Learns);
    }
    if engine.kept == Some(false) {
        return Some(InPlace::AsItSays);
    }
    if engine.source == engine.program {
        return (!is_boxed && engine.kept.is_none() && has_company(engine)).then_some(InPlace::Beside);
    }
    if !engine.program.starts_with(&engine.source) && !is_tool(&engine.program) {
        return Some(InPlace::ProgramElsewhere);
    }
    // Of such a path a copy would lie outside of the folder of copies.
    let has_dots = engine.program.components().any(|part| part == Component::ParentDir);
    if has_dots || names_outside(engine) {
        return Some(InPlace::LeadsOut);
    }
    if engine.kept == Some(true) {
        return None;
    }
    // A referee program is always started in its folder.
    let is_referee = !engine.apart.is_empty();
    if engine.directory == WorkingDirectory::Folder && !is_boxed && !is_referee {
        return Some(InPlace::WorksThere);
    }
    if is_referee && has_hidden(&engine.source) {
        return Some(InPlace::Hidden);
    }
    if has_odd_entry(&engine.source) {
        return Some(InPlace::LeadsOut);
    }
    // The sources of a compiled program are not read when it plays.
    let is_compiled = engine.program.starts_with(&engine.source) && elf::is_one(&engine.program);
    let reads_texts = !is_boxed && !is_compiled;
    files.iter().find_map(|path| of_file(engine, path, reads_texts))
}

/// Whether a program belongs to the system or is found in `PATH`, as interpreters are.
fn is_tool(program: &Path) -> bool {
    let name = Path::new(program.file_name().unwrap_or_default());
    agon_sandbox::find_in_path(name).is_some_and(|found| found == program)
}

/// Whether the command of an engine names what is not copied.
fn names_outside(engine: &EngineSpec) -> bool {
    let separates = |sign: char| sign.is_whitespace() || "=;:,&|'\"()<>`".contains(sign);
    let leads_out = |piece: &str| {
        let mut parts = piece.split('/').filter(|part| !part.is_empty() && *part != ".");
        piece.starts_with('~')
            || (piece.starts_with('/') && !is_of_system(Path::new(piece)))
            || parts.any(|part| part == ".." || content::is_passed_over(part.as_bytes()))
    };
    let words = engine.leading.iter().chain(engine.arguments.iter().flatten());
    let options = engine.options.iter().map(|(_, value)| value);
    words.chain(engine.environment.values()).chain(options).any(|word| word.split(separates).any(leads_out))
}

/// Whether a path belongs to the system, which no run changes.
fn is_of_system(path: &Path) -> bool {
    ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/dev", "/proc", "/sys", "/etc"]
        .iter()
        .any(|system| path.starts_with(system))
}

/// Whether a folder has something besides files and folders: what it leads to is not copied.
fn has_odd_entry(folder: &Path) -> bool {
    let mut entries = Vec::new();
    content::gather(folder, &content::is_passed_over, &mut entries).is_err()
        || entries.iter().any(|path| !path.is_file())
}

/// Whether a folder has hidden files that a referee program may need.
fn has_hidden(folder: &Path) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name()).any(|name| {
        let bytes = name.as_bytes();
        bytes.starts_with(b".") && !content::is_passed_over(bytes)
    })
}

/// What one file of a folder says of its place.
fn of_file(engine: &EngineSpec, path: &Path, reads_texts: bool) -> Option<InPlace> {
    let folder = &engine.source;
    if path.file_name().is_some_and(|name| name == "pyvenv.cfg") {
        return Some(InPlace::Installed);
    }
    if let Ok(link) = fs::read_link(path) {
        let target = path.parent().unwrap_or(folder).join(&link);
        let stays = link.is_relative() && target.canonicalize().is_ok_and(|real| real.starts_with(folder));
        if !stays || link.components().any(|part| part == Component::ParentDir) {
            return Some(InPlace::LeadsOut);
        }
        return None;
    }
    let about = fs::metadata(path).ok()?;
    if !about.is_file() {
        return None;
    }
    let bytes = fs::read(path).ok().filter(|_| about.len() <= SEARCHED);
    // Reached over a link, it has another name.
    let names = [b"/", base(folder), b"/"].concat();
    if bytes.as_ref().is_none_or(|bytes| bytes.starts_with(b"\x7fELF")) {
        if elf::loads(path, folder.as_os_str().as_bytes()) {
            return Some(InPlace::Installed);
        }
        let leads_out = elf::lists(path).iter().any(|list| memmem::find(list, b"..").is_some());
        return leads_out.then_some(InPlace::LeadsOut);
    }
    let bytes = bytes.filter(|bytes| !bytes.contains(&0))?;
    if [folder.as_os_str().as_bytes(), &names].iter().any(|name| memmem::find(&bytes, name).is_some()) {
        return Some(InPlace::Installed);
    }
    let is_for_people = path.extension().is_some_and(|end| end == "md");
    (reads_texts && !is_for_people && OUT.iter().any(|out| memmem::find(&bytes, out).is_some()))
        .then_some(InPlace::LeadsOut)
}

fn base(folder: &Path) -> &[u8] {
    folder.file_name().map(OsStrExt::as_bytes).unwrap_or_default()
}

/// Whether something lies beside a program alone that is no engine: the program may read it.
fn has_company(engine: &EngineSpec) -> bool {
    let own = &engine.program;
    if own.is_symlink() {
        return true;
    }
    let text =
        fs::metadata(own).ok().filter(|about| about.len() <= SEARCHED).and_then(|_| fs::read(own).ok());
    let script = text.filter(|text| text.starts_with(b"#!"));
    if script.is_none() && !elf::lists(own).is_empty() {
        return true; // its libraries may lie there
    }
    let Ok(entries) = fs::read_dir(&engine.folder) else { return true };
    for (count, entry) in entries.enumerate() {
        let Ok(entry) = entry else { return true };
        let path = entry.path();
        let (name, stem) = (entry.file_name(), path.file_stem().unwrap_or_default().to_owned());
        if path == *own || name.as_bytes().starts_with(b".") {
            continue;
        }
        let is_engine = match path.is_dir() {
            true => ["engine.toml", "agon.db", "agon.lock"].iter().any(|file| path.join(file).is_file()),
            false => super::program::check(&path).is_ok() && Some(stem.as_os_str()) != own.file_stem(),
        };
        let is_named = script.as_ref().is_some_and(|text| memmem::find(text, stem.as_bytes()).is_some());
        if count >= BESIDE || !is_engine || is_named {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_reads_back_by_its_word() {
        for (reason, word, _) in REASONS {
            assert_eq!(word.parse(), Ok(reason));
            assert_eq!(reason.word(), word);
        }
        assert!("kept".parse::<InPlace>().is_err());
    }
}
