//! What was handed in, before it is known whose it is and whether it counts: an entry of a
//! download, or a line of the roster.

use std::fs;
use std::path::{Path, PathBuf};

use agon_printable::escape;
use agon_programs::languages;

use super::entry_names::is_junk;
use super::handed_in::{PersonHint, without_attempt};
use super::private;
use super::unpack;
use super::written_time::{TimeSource, WrittenTime};

/// The longest name in a table.
const MOST_SHOWN: usize = 250;
/// The most names in a message.
const MOST_NAMED: usize = 6;

/// Something that was handed in.
#[derive(Clone, Debug)]
pub(super) struct IntakeClaim {
    /// Its name in the download or in the roster, escaped.
    pub(super) shown: String,
    /// Those who have handed it in, as a download names them.
    pub(super) people: Vec<PersonHint>,
    /// Its student, if the roster names it; and the line.
    pub(super) of_roster: Option<(usize, u64)>,
    /// Its folder or files.
    pub(super) files: Vec<ClaimedFile>,
    /// Whether the system has marked it as late.
    pub(super) is_late: bool,
    /// When it was handed in.
    pub(super) time: WrittenTime,
    /// Where the time was read.
    pub(super) time_from: TimeSource,
    /// Why it is left out, if it is.
    pub(super) left_out: Option<&'static str>,
}

/// A file of a claim, or the folder of it.
#[derive(Clone, Debug)]
pub(super) struct ClaimedFile {
    pub(super) path: PathBuf,
    /// The name as the student knows it; `None` for a folder.
    pub(super) name: Option<String>,
    /// The number of the file in the system.
    pub(super) attachment: Option<u64>,
}

impl ClaimedFile {
    /// A folder.
    pub(super) fn folder(path: PathBuf) -> Self {
        ClaimedFile { path, name: None, attachment: None }
    }

    /// The name in the download.
    fn in_download(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

/// A name of a download, as it is shown.
pub(super) fn shown(name: &str) -> String {
    escape(name.as_bytes(), MOST_SHOWN)
}

impl IntakeClaim {
    /// The files, as a table shows them.
    pub(super) fn files_shown(&self) -> String {
        let mut names: Vec<String> = match &self.files[..] {
            [folder] if folder.name.is_none() => {
                top_of(&folder.path).iter().map(|path| file_name(path)).collect()
            }
            files => files.iter().map(ClaimedFile::in_download).collect(),
        };
        let more = names.len().saturating_sub(MOST_NAMED * 2);
        names.truncate(MOST_NAMED * 2);
        let more = if more > 0 { format!("; and {more} more") } else { String::new() };
        let names: Vec<String> = names.iter().map(|name| shown(name)).collect();
        names.join("; ") + &more
    }

    /// Whether this is the name of it, or of one of its files in the download.
    pub(super) fn is_called(&self, name: &str) -> bool {
        self.shown == name || self.files.iter().any(|file| shown(&file.in_download()) == name)
    }

    /// The file with this name, as the download or the student calls it.
    pub(super) fn file_called(&self, name: &str) -> Option<PathBuf> {
        let fits = |path: &Path, own: Option<&str>| {
            shown(&file_name(path)) == name || own.map(shown).as_deref() == Some(name)
        };
        if let [ClaimedFile { path: folder, name: None, .. }] = &self.files[..] {
            return top_of(folder).into_iter().find(|path| fits(path, None));
        }
        let mut fitting = self.files.iter().filter(|file| fits(&file.path, file.name.as_deref()));
        // The name of the download is of one file.
        match (fitting.next(), fitting.next()) {
            (Some(only), None) => Some(only.path.clone()),
            _ => None,
        }
    }

    /// Which of its files counts, if somebody has to say it: the names.
    pub(super) fn doubtful_files(&self) -> Option<Vec<String>> {
        let named: Vec<(String, PathBuf)> = match &self.files[..] {
            [ClaimedFile { path, name: None, .. }] if self.of_roster.is_none() => {
                top_of(path).into_iter().map(|path| (file_name(&path), path)).collect()
            }
            [_] => return None,
            files => placed(files).into_iter().map(|(file, name)| (name, file.path.clone())).collect(),
        };
        let is = |fits: &dyn Fn(&str) -> bool| -> Vec<&(String, PathBuf)> {
            named.iter().filter(|(name, path)| path.is_file() && fits(&name.to_lowercase())).collect()
        };
        let archives = is(&is_archive);
        let mut sources = is(&|name| !is_archive(name) && is_program(name));
        sources.extend(named.iter().filter(|(_, path)| path.is_dir() && has_work(path)));
        let is_doubtful = archives.len() > 1 || (archives.len() == 1 && !sources.is_empty());
        is_doubtful
            .then(|| archives.into_iter().chain(sources).map(|(_, path)| shown(&file_name(path))).collect())
    }

    /// Looks into its archive, if it is one. Where it is not clear which of the files there counts,
    /// they are unpacked to `to`, and are its files.
    pub(super) fn look_inside(&mut self, to: &Path) -> std::io::Result<()> {
        let mut work = self.paths().into_iter().filter(|path| !unpack::is_document(path));
        let (Some(archive), None) = (work.next(), work.next()) else { return Ok(()) };
        if !archive.is_file() || !unpack::is_archive(&archive) {
            return Ok(());
        }
        made_anew(to)?;
        // One that cannot be unpacked is refused later.
        if unpack::unpack_as_it_is(&archive, to).is_ok() {
            let mut top = to.to_owned();
            while let [only] = &top_of(&top)[..]
                && only.is_dir()
            {
                top.clone_from(only);
            }
            let before = std::mem::replace(&mut self.files, vec![ClaimedFile::folder(top)]);
            if self.doubtful_files().is_some() {
                return Ok(());
            }
            self.files = before;
        }
        fs::remove_dir_all(to)
    }

    /// Whether all of it is for people, and nothing plays.
    pub(super) fn is_for_people(&self) -> bool {
        let is = |path: &PathBuf| if path.is_dir() { !has_work(path) } else { unpack::is_document(path) };
        self.paths().iter().all(is)
    }

    /// Its files, or what is in its folder.
    fn paths(&self) -> Vec<PathBuf> {
        match &self.files[..] {
            [ClaimedFile { path, name: None, .. }] if path.is_dir() => top_of(path),
            files => files.iter().map(|file| file.path.clone()).collect(),
        }
    }

    /// The path of what counts: a folder, a file, or a folder that is made at `to` with the files
    /// under their own names. `only` is the one file that counts.
    pub(super) fn gathered(&self, only: Option<PathBuf>, to: &Path) -> std::io::Result<PathBuf> {
        if let Some(only) = only {
            if only.is_dir() {
                return Ok(only);
            }
            made_anew(to)?;
            let name = self.files.iter().find(|file| file.path == only).and_then(|file| file.name.clone());
            let copy = to.join(own_name(name.as_deref(), &only));
            copied(&only, &copy)?;
            return Ok(copy);
        }
        if let [ClaimedFile { path, name: None, .. }] = &self.files[..] {
            return Ok(path.clone());
        }
        made_anew(to)?;
        for (file, name) in placed(&self.files) {
            copied(&file.path, &to.join(own_name(Some(&name), &file.path)))?;
        }
        Ok(to.to_owned())
    }
}

/// The files with the names under which they are built. Where a name is there twice, with a number
/// that the system has added, the newest file has the name. A number that tells files apart stays.
fn placed(files: &[ClaimedFile]) -> Vec<(&ClaimedFile, String)> {
    let name_of = |file: &ClaimedFile| file.name.clone().unwrap_or_default();
    let base_of = |file: &ClaimedFile| {
        let name = name_of(file);
        // Only a system that counts files adds a number to their names.
        file.attachment.and_then(|_| without_attempt(&name)).unwrap_or(name)
    };
    let mut all: Vec<(&ClaimedFile, String)> = Vec::new();
    for file in files {
        let (name, base) = (name_of(file), base_of(file));
        let same: Vec<&ClaimedFile> = files.iter().filter(|other| base_of(other) == base).collect();
        let newest =
            same.iter().max_by_key(|other| other.attachment).is_some_and(|newest| newest.path == file.path);
        if same.len() == 1 || (newest && same.iter().any(|other| name_of(other) == base)) {
            all.push((file, base.clone()));
        }
        // What is no program is found by its own name too.
        let is_apart = same.len() > 1 && !same.iter().any(|other| name_of(other) == base);
        let is_data = !is_program(&name.to_lowercase()) && !is_archive(&name.to_lowercase()) && name != base;
        if is_apart || (is_data && same.len() > 1) {
            all.push((file, name));
        }
    }
    all
}

/// The entries of a folder that are no junk, ordered by name.
fn top_of(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_shown = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default();
        !is_junk(Path::new(name)) && !name.as_encoded_bytes().starts_with(b".")
    };
    let mut all: Vec<PathBuf> = entries.filter(is_shown).collect();
    all.sort();
    all
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The name of a copy: it comes from the student, and only its last part is used.
fn own_name(name: Option<&str>, path: &Path) -> PathBuf {
    let name = name.and_then(|name| Path::new(name).file_name());
    PathBuf::from(name.unwrap_or(path.file_name().unwrap_or_default()))
}

/// Makes a folder without the files of an earlier intake, which may be those of somebody else.
fn made_anew(to: &Path) -> std::io::Result<()> {
    if to.exists() {
        fs::remove_dir_all(to)?;
    }
    private::make(to)
}

fn copied(from: &Path, to: &Path) -> std::io::Result<()> {
    // A link is refused later, as in every folder.
    if fs::symlink_metadata(from)?.is_symlink() {
        return std::os::unix::fs::symlink(fs::read_link(from)?, to);
    }
    if from.is_file() {
        fs::copy(from, to)?;
    }
    Ok(())
}

/// Whether a folder has something that plays. One that cannot be read is looked at later.
fn has_work(folder: &Path) -> bool {
    unpack::has_work(folder, unpack::MOST_DEEP).unwrap_or(true)
}

/// Whether a name, in small letters, is that of an archive.
fn is_archive(name: &str) -> bool {
    const ENDINGS: [&str; 9] =
        [".zip", ".tar", ".tar.gz", ".tgz", ".7z", ".rar", ".tar.xz", ".tar.bz2", ".tbz2"];
    ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// Whether a name, in small letters, is that of a source or of what a build begins with.
fn is_program(name: &str) -> bool {
    const NAMES: [&str; 4] = ["makefile", "cargo.toml", "engine.toml", "package.json"];
    languages::is_source(name) || NAMES.contains(&name) || name.ends_with(".jar")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(all: &[(&str, u64)]) -> Vec<ClaimedFile> {
        let file = |(name, attachment): &(&str, u64)| ClaimedFile {
            path: PathBuf::from(format!("doejane_1_{attachment}_{name}")),
            name: Some((*name).to_owned()),
            attachment: Some(*attachment),
        };
        all.iter().map(file).collect()
    }

    fn names(all: &[(&str, u64)]) -> Vec<String> {
        let files = files(all);
        placed(&files)
            .into_iter()
            .map(|(file, name)| format!("{name}={}", file.attachment.unwrap()))
            .collect()
    }

    #[test]
    fn the_number_of_an_attempt_goes_where_the_system_has_added_it() {
        // 9999998 is older than 10000003, whatever their first digits are.
        assert_eq!(names(&[("main-1.py", 10_000_003), ("main.py", 9_999_998)]), ["main.py=10000003"]);
        assert_eq!(names(&[("main.py", 7), ("main-1.py", 8), ("main-2.py", 9)]), ["main.py=9"]);
        assert_eq!(names(&[("Main-2.java", 1), ("Util-1.java", 2)]), ["Main.java=1", "Util.java=2"]);
        let apart = ["main.py=1", "weights-1.txt=2", "weights-2.txt=3"];
        assert_eq!(names(&[("main.py", 1), ("weights-1.txt", 2), ("weights-2.txt", 3)]), apart);
        assert_eq!(names(&[("player-1.py", 1), ("player-2.py", 2)]), ["player-1.py=1", "player-2.py=2"]);
        // Data that is there twice is found by either name.
        assert_eq!(names(&[("w.txt", 1), ("w-1.txt", 2)]), ["w.txt=2", "w-1.txt=2"]);
    }

    #[test]
    fn an_archive_beside_sources_is_a_doubt_within_another_and_beside_a_folder_too() {
        let home = tempfile::tempdir().unwrap();
        let put = |name: &str, entries: &[&str]| {
            let path = home.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            let mut zip = zip::ZipWriter::new(fs::File::create(path).unwrap());
            for entry in entries {
                zip.start_file(*entry, zip::write::SimpleFileOptions::default()).unwrap();
            }
            zip.finish().unwrap();
        };
        put("a/bot.zip", &["mine/main.py", "mine/project.zip"]);
        put("b/bot.zip", &["one.zip", "two.tar.gz"]);
        put("c/bot.zip", &["mine/main.py", "mine/report.pdf"]);
        put("d/src.zip", &["main.py"]);
        fs::create_dir(home.path().join("d/src")).unwrap();
        fs::write(home.path().join("d/src/main.py"), "").unwrap();
        for (name, wanted) in [
            ("a", Some(&["project.zip", "main.py"][..])),
            ("b", Some(&["one.zip", "two.tar.gz"])),
            ("c", None),
            ("d", Some(&["src.zip", "src"])),
        ] {
            let mut claim = IntakeClaim {
                shown: name.to_owned(),
                people: Vec::new(),
                of_roster: None,
                files: vec![ClaimedFile::folder(home.path().join(name))],
                is_late: false,
                time: WrittenTime::Missing,
                time_from: TimeSource::Unknown,
                left_out: None,
            };
            let inside = home.path().join(format!("inside-{name}"));
            claim.look_inside(&inside).unwrap();
            assert!(!claim.is_for_people());
            let found = claim.doubtful_files();
            assert_eq!(
                found.as_ref().map(|all| all.iter().map(String::as_str).collect()),
                wanted.map(<[_]>::to_vec)
            );
            assert_eq!(inside.exists(), ["a", "b"].contains(&name));
            for file in found.unwrap_or_default() {
                let path = claim.file_called(&file).unwrap();
                assert!(claim.gathered(Some(path), &home.path().join("to")).unwrap().exists());
            }
        }
    }

    #[test]
    fn an_archive_beside_a_program_or_another_archive_is_a_doubt() {
        let home = tempfile::tempdir().unwrap();
        let claim = |all: &[(&str, u64)]| {
            let mut files = files(all);
            for file in &mut files {
                file.path = home.path().join(&file.path);
                fs::write(&file.path, "x").unwrap();
            }
            IntakeClaim {
                shown: "x".to_owned(),
                people: Vec::new(),
                of_roster: None,
                files,
                is_late: false,
                time: WrittenTime::Missing,
                time_from: TimeSource::Unknown,
                left_out: None,
            }
        };
        let doubt = claim(&[("main.py", 1), ("project.zip", 2)]);
        assert_eq!(doubt.doubtful_files().unwrap(), ["doejane_1_2_project.zip", "doejane_1_1_main.py"]);
        assert!(
            doubt.file_called("project.zip").is_some() && doubt.file_called("doejane_1_1_main.py").is_some()
        );
        assert!(doubt.file_called("other.zip").is_none());
        assert!(claim(&[("a.zip", 1), ("b.tar.gz", 2)]).doubtful_files().is_some());
        for clear in [
            &[("bot.zip", 1), ("bot-1.zip", 2)][..],
            &[("bot.zip", 1), ("report.pdf", 2)],
            &[("a.py", 1), ("b.py", 2)],
        ] {
            assert_eq!(claim(clear).doubtful_files(), None, "{clear:?}");
        }
    }
}
