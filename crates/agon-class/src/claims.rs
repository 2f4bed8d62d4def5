//! What was handed in, before it is known whose it is and whether it counts: an entry of a
//! download, or a line of the roster.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use agon_programs::submission;

use super::claimed_files::{
    self, ClaimedFile, copied, copied_folder, file_name, made_anew, own_name, placed, shown, top_of,
};
use super::file_doubts::{FileDoubt, may_start};
use super::handed_in::PersonHint;
use super::links;
use super::unpack::{self, FolderHolds};
use super::written_time::{TimeSource, WrittenTime};

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
    /// Which of its files counts, if somebody has to say it.
    pub(super) doubt: Option<FileDoubt>,
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
        if let Some(path) = self.doubt.as_ref().and_then(|doubt| doubt.called(name)) {
            return Some(path);
        }
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

    /// Whether all of it is for people, and nothing plays.
    pub(super) fn is_for_people(&self) -> bool {
        let is = |path: &PathBuf| {
            if path.is_dir() { !claimed_files::has_work(path) } else { unpack::is_document(path) }
        };
        self.paths().iter().all(is)
    }

    /// Its files, or what is in its folder.
    pub(super) fn paths(&self) -> Vec<PathBuf> {
        match &self.files[..] {
            [ClaimedFile { path, name: None, .. }] if path.is_dir() => top_of(path),
            files => files.iter().map(|file| file.path.clone()).collect(),
        }
    }

    /// The path of what counts: a folder, a file, or a folder that is made at `to` with the files
    /// under their own names. `only` is the one file that counts; of sources it is the one that is
    /// started.
    pub(super) fn gathered(&self, only: Option<PathBuf>, to: &Path) -> io::Result<PathBuf> {
        let Some(only) = only else {
            if let [ClaimedFile { path, name: None, .. }] = &self.files[..] {
                return Ok(path.clone());
            }
            self.gather(to, &|_| true)?;
            return Ok(to.to_owned());
        };
        if only.is_dir() {
            return Ok(only);
        }
        if !unpack::is_archive(&only) && self.gather_to_start(&only, to)? {
            return Ok(to.to_owned());
        }
        made_anew(to)?;
        let name = self.files.iter().find(|file| file.path == only).and_then(|file| file.name.clone());
        let copy = to.join(own_name(name.as_deref(), &only));
        copied(&only, &copy)?;
        Ok(copy)
    }

    /// Makes a folder with those of its files, under their own names, that are wanted.
    pub(super) fn gather(&self, to: &Path, is_wanted: &dyn Fn(&Path) -> bool) -> io::Result<()> {
        made_anew(to)?;
        if let [ClaimedFile { path, name: None, .. }] = &self.files[..]
            && path.is_dir()
        {
            return copied_folder(path, to, is_wanted);
        }
        for (file, name) in placed(&self.files).into_iter().filter(|(file, _)| is_wanted(&file.path)) {
            copied(&file.path, &to.join(own_name(Some(&name), &file.path)))?;
        }
        Ok(())
    }

    /// The name of one of its files from the folder in which they are built.
    pub(super) fn built_name(&self, path: &Path) -> Option<String> {
        if let [ClaimedFile { path: folder, name: None, .. }] = &self.files[..] {
            return Some(path.strip_prefix(folder).ok()?.to_string_lossy().into_owned());
        }
        placed(&self.files).into_iter().find(|(file, _)| file.path == path).map(|(_, name)| name)
    }

    /// Whether one of its files is a link, has one in it that leads out of it, or is reached
    /// through one that leads out of this folder.
    pub(super) fn leads_out_of(&self, home: &Path) -> bool {
        let leads_out = |path: &Path| {
            links::led_astray(path, home).is_some() || path.is_dir() && links::stays_inside(path).is_err()
        };
        self.files.iter().any(|file| leads_out(&file.path))
    }

    /// Looks whether it is clear which of its files counts, also within its only folder or archive.
    /// What is unpacked for it goes to `to`; where it is not clear, these are its files.
    pub(super) fn look_inside(&mut self, to: &Path) -> io::Result<()> {
        if to.exists() {
            fs::remove_dir_all(to)?;
        }
        let Some(mut folder) = self.first_look(to)? else { return Ok(()) };
        for number in 0..unpack::MOST_DEEP {
            match unpack::within(&folder) {
                Ok(FolderHolds::Folder(inner)) => folder = inner,
                Ok(FolderHolds::Archive(archive)) => {
                    let next = to.join(format!("{number}"));
                    made_anew(&next)?;
                    // One that cannot be unpacked is refused later.
                    if unpack::unpack_as_it_is(&archive, &next).is_err() {
                        break;
                    }
                    folder = next;
                }
                Ok(FolderHolds::Package(_)) => break,
                Ok(FolderHolds::Engine) | Err(_) => {
                    self.doubt = FileDoubt::of_folder(&folder);
                    break;
                }
            }
        }
        if self.doubt.is_some() {
            if !matches!(&self.files[..], [ClaimedFile { path, name: None, .. }] if *path == folder) {
                self.files = vec![ClaimedFile::folder(folder)];
            }
        } else if to.exists() {
            fs::remove_dir_all(to)?;
        }
        Ok(())
    }

    /// The folder with its files; `None` if its files say all, and there is nothing to look into.
    fn first_look(&mut self, to: &Path) -> io::Result<Option<PathBuf>> {
        if let [ClaimedFile { path, name: None, .. }] = &self.files[..]
            && path.is_dir()
        {
            return Ok(Some(path.clone()));
        }
        let all: Vec<(String, PathBuf)> = match &self.files[..] {
            [ClaimedFile { path, name: None, .. }] => vec![(file_name(path), path.clone())],
            files => placed(files).into_iter().map(|(file, name)| (name, file.path.clone())).collect(),
        };
        let mut work = all.iter().map(|(_, path)| path).filter(|path| !unpack::is_document(path));
        if let (Some(only), None) = (work.next(), work.next()) {
            if !only.is_file() || !unpack::is_archive(only) {
                return Ok(None);
            }
            let folder = to.join("only");
            made_anew(&folder)?;
            return Ok(unpack::unpack_as_it_is(only, &folder).is_ok().then_some(folder));
        }
        let is_source = |name: &str| claimed_files::is_program(&name.to_lowercase());
        let plays =
            all.iter().any(|(name, path)| is_source(name) || (!unpack::is_document(path) && may_start(path)));
        self.doubt = FileDoubt::of_files(&all, plays);
        let sources = all.iter().filter(|(name, _)| is_source(name)).count();
        if self.doubt.is_some() || sources < 2 {
            return Ok(None);
        }
        let folder = to.join("all");
        self.gather(&folder, &|_| true)?;
        Ok(Some(folder))
    }

    /// Gathers it without archives, so that this file is started; `false` if it is not.
    pub(super) fn gather_to_start(&self, only: &Path, to: &Path) -> io::Result<bool> {
        let Some(name) = self.built_name(only) else { return Ok(false) };
        self.gather(to, &|path| !claimed_files::is_archive(&file_name(path).to_lowercase()))?;
        if claimed_files::says_how_it_is_built(&name.to_lowercase()) {
            return Ok(true);
        }
        if submission::rivals(to).contains(&name) {
            submission::let_start(to, &name)?;
            return Ok(true);
        }
        Ok(submission::first_start(to).is_none_or(|first| first == name))
    }
}

#[cfg(test)]
mod tests {
    use super::super::claimed_files::tests::files;
    use super::*;

    fn of_folder(folder: &Path) -> IntakeClaim {
        let mut claim = IntakeClaim {
            shown: "x".to_owned(),
            people: Vec::new(),
            of_roster: Some((0, 2)),
            files: vec![ClaimedFile::folder(folder.to_owned())],
            is_late: false,
            time: WrittenTime::Missing,
            time_from: TimeSource::Unknown,
            left_out: None,
            doubt: None,
        };
        claim.look_inside(&folder.with_extension("inside")).unwrap();
        claim
    }

    #[test]
    fn folders_with_sources_and_files_of_several_languages_are_asked_for() {
        let home = tempfile::tempdir().unwrap();
        let java = "class A { public static void main(String[] words) {} }";
        for (number, (files, wanted, answered)) in [
            (&["backend/main.py", "frontend/app.js", "README.md"][..], "backend frontend", "main.py"),
            (&["code/a/main.py", "code/b/main.py", "report.pdf"], "a b", "main.py"),
            (&["bot/main.py", "weights.bin"], "bot", "main.py"),
            (&["bot/main.py", "venv/lib/x.py", "notes.txt"], "", ""),
            (&["src/main.py", "tools/x.py"], "", ""),
            (&["main.py", "a/x.py", "b/x.py"], "", ""),
            (&["bot/main.py", "tests/x.py", "docs/x.md"], "", ""),
            (&["main.py", "bot.c", "helper.py"], "main.py bot.c", "helper.py main.py"),
            (&["main.py", "src/Bot.java"], "main.py src/Bot.java", "main.py src"),
            (&["main.py", "weights.npz", "plot.js"], "", ""),
            (&["main.py", "helper.py", "old.zip"], "old.zip helper.py main.py", "old.zip"),
            (&["main.py", "helper.py", "zold.zip"], "zold.zip helper.py main.py", "zold.zip"),
        ]
        .into_iter()
        .enumerate()
        {
            let folder = home.path().join(format!("{number}"));
            for name in files {
                fs::create_dir_all(folder.join(name).parent().unwrap()).unwrap();
                let text = match name.rsplit('.').next() {
                    Some("java") => java,
                    Some("c") => "int main(void) {}",
                    Some("npz" | "zip") => "PK\x03\x04",
                    _ => "",
                };
                fs::write(folder.join(name), text).unwrap();
            }
            let claim = of_folder(&folder);
            let names: Vec<&str> = claim.doubt.iter().flat_map(FileDoubt::names).collect();
            assert_eq!(names.join(" "), wanted, "{files:?}");
            let Some(first) = names.first() else { continue };
            let to = home.path().join("to");
            let mut made = claim.gathered(claim.file_called(first), &to).unwrap();
            if made.is_file() {
                made.pop();
            }
            let top = top_of(&made);
            let all: Vec<String> = top.iter().map(|path| file_name(path)).collect();
            assert_eq!(all.join(" "), answered, "{files:?}");
        }
        // A source beside an archive brings the other sources along.
        let claim = of_folder(&home.path().join("11"));
        let made = claim.gathered(claim.file_called("main.py"), &home.path().join("to")).unwrap();
        assert!(made.join("helper.py").is_file() && !made.join("zold.zip").exists());
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
                doubt: None,
            };
            let inside = home.path().join(format!("inside-{name}"));
            claim.look_inside(&inside).unwrap();
            assert!(!claim.is_for_people());
            let found = claim.doubt.clone();
            assert_eq!(found.as_ref().map(FileDoubt::names), wanted.map(<[_]>::to_vec), "{name}");
            assert_eq!(inside.exists(), ["a", "b"].contains(&name));
            for file in found.iter().flat_map(FileDoubt::names) {
                let path = claim.file_called(file).unwrap();
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
            let mut claim = IntakeClaim {
                shown: "x".to_owned(),
                people: Vec::new(),
                of_roster: None,
                files,
                is_late: false,
                time: WrittenTime::Missing,
                time_from: TimeSource::Unknown,
                left_out: None,
                doubt: None,
            };
            claim.look_inside(&home.path().join("inside")).unwrap();
            claim
        };
        let names = |claim: &IntakeClaim| -> Option<Vec<String>> {
            Some(claim.doubt.as_ref()?.names().into_iter().map(str::to_owned).collect())
        };
        let doubt = claim(&[("main.py", 1), ("project.zip", 2)]);
        assert_eq!(names(&doubt).unwrap(), ["doejane_1_2_project.zip", "doejane_1_1_main.py"]);
        assert!(
            doubt.file_called("project.zip").is_some() && doubt.file_called("doejane_1_1_main.py").is_some()
        );
        assert!(doubt.file_called("other.zip").is_none());
        assert!(claim(&[("a.zip", 1), ("b.tar.gz", 2)]).doubt.is_some());
        assert_eq!(names(&claim(&[("a.py", 1), ("b.py", 2)])).unwrap(), ["a.py", "b.py"]);
        for clear in [
            &[("bot.zip", 1), ("bot-1.zip", 2)][..],
            &[("bot.zip", 1), ("report.pdf", 2)],
            &[("main.py", 1), ("b.py", 2)],
        ] {
            assert_eq!(names(&claim(clear)), None, "{clear:?}");
        }
    }
}
