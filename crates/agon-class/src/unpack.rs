//! Copies a submission, which is a file, a folder or an archive, to a folder of its own.
//!
//! Nothing in it is trusted: links, paths that lead out, devices and archives that are too large
//! are refused.

use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use agon_programs::machine_fault::NoEngine;
use agon_programs::{bounded, languages, submission};

use super::archives::{Gunzip, untar, unzip};
use super::entry_names::is_junk;
use super::extracted::{Extracted, UnpackLimits, open};

/// How many folders and archives around a submission are removed.
pub(super) const MOST_DEEP: usize = 8;

/// How much of a source is read.
const MOST_SOURCE: u64 = 1 << 20;

/// What a file is, by its first bytes and its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum FileKind {
    Zip,
    Tar,
    TarGz,
    /// An archive of this kind, which is not read.
    Unread(&'static str),
    Other,
}

/// Copies or unpacks a submission into the folder `to`, which is made. If there is a single folder
/// or a single archive in it, its contents are used. What macOS and Windows add is left out.
///
/// # Errors
/// Why it cannot be unpacked, and whose fault that is; then nothing of the submission may be used.
pub(super) fn unpack(from: &Path, to: &Path, limits: UnpackLimits) -> Result<(), NoEngine> {
    let mut room = Extracted::new(to, limits);
    add(&mut room, from)?;
    for _ in 0..MOST_DEEP {
        match within(to)? {
            FolderHolds::Engine => break,
            FolderHolds::Folder(only) => lift(&only, to)?,
            FolderHolds::Package(only) => {
                remove_beside(&only, to)?;
                return put_below(&only, to);
            }
            FolderHolds::Archive(only) => {
                remove_beside(&only, to)?;
                let aside = aside(to)?;
                fs::rename(&only, &aside).map_err(disk)?;
                let unpacked = add_file(&mut room, &aside, only.file_name().map(Path::new));
                fs::remove_file(&aside).map_err(disk)?;
                unpacked?;
            }
        }
    }
    Ok(())
}

/// Unpacks a zip or tar.gz archive with the submissions of a class, as it is.
///
/// # Errors
/// Why it cannot be read; then nothing of it may be used.
pub(super) fn unpack_class(from: &Path, to: &Path) -> Result<(), String> {
    add(&mut Extracted::new(to, UnpackLimits::CLASS), from).map_err(|why| why.to_string())
}

/// Unpacks an archive within a submission, as it is.
///
/// # Errors
/// As [`unpack`].
pub(super) fn unpack_as_it_is(from: &Path, to: &Path) -> Result<(), NoEngine> {
    add(&mut Extracted::new(to, UnpackLimits::SUBMISSION), from)
}

/// Adds a file, a folder or the contents of an archive.
fn add(room: &mut Extracted, from: &Path) -> Result<(), NoEngine> {
    let about = fs::symlink_metadata(from).map_err(|error| NoEngine::of("cannot be read", &error))?;
    if about.is_symlink() {
        return Err("is a link; hand in the file or the folder itself".to_owned().into());
    }
    fs::create_dir_all(room.to()).map_err(disk)?;
    if about.is_dir() {
        room.copy_folder(from, Path::new(""))
    } else if about.is_file() {
        add_file(room, from, from.file_name().map(Path::new))
    } else {
        Err("is neither a file nor a folder".to_owned().into())
    }
}

/// Adds a file called `name`, or the contents of an archive.
fn add_file(room: &mut Extracted, from: &Path, name: Option<&Path>) -> Result<(), NoEngine> {
    match kind_of(from, name.unwrap_or(from))? {
        FileKind::Zip => unzip(from, room),
        FileKind::Tar => untar(open(from)?, room),
        FileKind::TarGz => untar(Gunzip::new(open(from)?), room),
        FileKind::Unread(kind) => Err(format!(
            "is a {kind} archive, which agon does not read; hand in a zip or tar.gz archive, a folder, or \
             the source itself"
        )
        .into()),
        FileKind::Other => {
            // A source file keeps its name, which tells its language.
            let is_source = |name: &&Path| languages::is_source(&name.to_string_lossy().to_lowercase());
            let name = name.filter(is_source).unwrap_or(Path::new("engine"));
            room.file(name, &mut open(from)?, Some(true))
        }
    }
}

/// Our own error on the disk. It names no path, because the author reads it.
#[allow(clippy::needless_pass_by_value)] // as map_err gives it
fn disk(error: io::Error) -> NoEngine {
    NoEngine::of("cannot be unpacked", &error)
}

/// Whether a file is an archive, of a kind that is read or not. A jar is a program.
pub(super) fn is_archive(path: &Path) -> bool {
    kind_of(path, path).is_ok_and(|kind| kind != FileKind::Other)
}

/// What a file that was handed in as `name` is. A jar is a zip archive, but also a program.
fn kind_of(path: &Path, name: &Path) -> Result<FileKind, NoEngine> {
    let name = name.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let mut head = Vec::new();
    open(path)?.take(512).read_to_end(&mut head).map_err(|error| NoEngine::of("cannot be read", &error))?;
    let is = |magic: &[u8]| head.starts_with(magic);
    let named = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    Ok(if is(b"7z\xbc\xaf\x27\x1c") || named(&[".7z"]) {
        FileKind::Unread("7z")
    } else if is(b"Rar!\x1a\x07") || named(&[".rar"]) {
        FileKind::Unread("rar")
    } else if is(b"\xfd7zXZ\0") {
        FileKind::Unread("xz")
    } else if is(b"BZh") && named(&[".bz2", ".tbz", ".tbz2"]) {
        FileKind::Unread("bz2")
    } else if is(b"\x28\xb5\x2f\xfd") {
        FileKind::Unread("zstd")
    // What it is says more than its name.
    } else if (is(b"PK\x03\x04") || is(b"PK\x05\x06")) && !named(&[".jar"]) {
        FileKind::Zip
    } else if is(b"\x1f\x8b") {
        FileKind::TarGz
    } else if head.get(257..262) == Some(b"ustar") {
        FileKind::Tar
    } else if named(&[".zip"]) {
        FileKind::Zip
    } else if named(&[".tar.gz", ".tgz"]) {
        FileKind::TarGz
    } else if named(&[".tar"]) {
        FileKind::Tar
    } else {
        FileKind::Other
    })
}

/// What a folder that was handed in holds.
pub(super) enum FolderHolds {
    /// The engine, as it lies there, or nothing that plays.
    Engine,
    /// This folder alone, beside what is for people: the engine is in it.
    Folder(PathBuf),
    /// This folder alone, which is that of a package in Java: its sources say so.
    Package(PathBuf),
    /// This archive alone.
    Archive(PathBuf),
}

/// What a folder that was handed in holds. The only entry that is not hidden, or the only archive
/// or the only folder with sources beside what is for people, is what counts.
///
/// # Errors
/// It has several archives, or cannot be read.
pub(super) fn within(folder: &Path) -> Result<FolderHolds, NoEngine> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(disk)? {
        let entry = entry.map_err(disk)?;
        let path = entry.path();
        let name = path.file_name().unwrap_or_default();
        // It is refused as a whole, and what it leads to may be the work of another.
        if entry.file_type().map_err(disk)?.is_symlink() {
            return Ok(FolderHolds::Engine);
        }
        if !name.as_encoded_bytes().starts_with(b".") && !is_junk(Path::new(name)) {
            found.push(path);
        }
    }
    let (mut archives, mut folders) = (Vec::new(), Vec::new());
    for path in &found {
        if path.is_dir() {
            if found.len() == 1 || has_work(path, MOST_DEEP)? {
                folders.push(path.clone());
            }
        } else if found.len() == 1 || !is_document(path) {
            if kind_of(path, path)? == FileKind::Other {
                return Ok(FolderHolds::Engine);
            }
            archives.push(path.clone());
        }
    }
    Ok(match (&archives[..], &folders[..]) {
        ([archive], []) => FolderHolds::Archive(archive.clone()),
        ([], [only]) if is_source_folder(only) => FolderHolds::Engine,
        ([], [only]) if is_package(only) => FolderHolds::Package(only.clone()),
        ([], [only]) => FolderHolds::Folder(only.clone()),
        ([_, _, ..], _) => {
            return Err("has several archives; hand in only the one that counts".to_owned().into());
        }
        _ => FolderHolds::Engine,
    })
}

/// Whether a folder is the `src` of a submission, whose sources are found from where they are, with
/// the paths of their packages.
fn is_source_folder(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| name == "src")
        && !says_how_it_is_built(folder)
        && folder.parent().is_some_and(submission::has_sources)
}

/// Whether a folder is the first one on the path of a package in Java.
fn is_package(folder: &Path) -> bool {
    let Some(source) = first_java(folder, MOST_DEEP) else { return false };
    let Ok(bytes) = bounded::bytes(&source, MOST_SOURCE) else { return false };
    let text = String::from_utf8_lossy(&bytes);
    let package = text.lines().find_map(|line| line.trim().strip_prefix("package ")?.split(';').next());
    let above = source.parent().zip(folder.parent()).and_then(|(of, top)| of.strip_prefix(top).ok());
    package.zip(above).is_some_and(|(package, above)| Path::new(&package.trim().replace('.', "/")) == above)
}

/// A source in Java in a folder or below it.
fn first_java(folder: &Path, deep: usize) -> Option<PathBuf> {
    let mut all: Vec<PathBuf> = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path()).collect();
    all.sort();
    let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) = all.into_iter().partition(|path| path.is_dir());
    let own = files.into_iter().find(|path| path.extension().is_some_and(|ending| ending == "java"));
    own.or_else(|| folders.iter().filter(|_| deep > 0).find_map(|below| first_java(below, deep - 1)))
}

/// Whether a folder has a source, a program or an archive, so many folders deep. One of documents
/// or of tests, by its name, has none.
pub(super) fn has_work(folder: &Path, deep: usize) -> Result<bool, NoEngine> {
    const NOT_LOOKED_AT: [&str; 11] = [
        "doc",
        "docs",
        "report",
        "reports",
        "test",
        "tests",
        "images",
        "screenshots",
        "node_modules",
        "venv",
        "__pycache__",
    ];
    let name = folder.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    if deep == 0 || name.starts_with('.') || NOT_LOOKED_AT.contains(&name.as_str()) {
        return Ok(false);
    }
    if says_how_it_is_built(folder) {
        return Ok(true);
    }
    for entry in fs::read_dir(folder).map_err(disk)? {
        let entry = entry.map_err(disk)?;
        let path = entry.path();
        let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
        let is_work = if entry.file_type().map_err(disk)?.is_symlink() {
            false
        } else if path.is_dir() {
            has_work(&path, deep - 1)?
        } else {
            let may_start = fs::metadata(&path).map_err(disk)?.permissions().mode() & 0o100 != 0;
            languages::is_source(&name)
                || !is_document(&path) && (may_start || kind_of(&path, &path)? != FileKind::Other)
        };
        if is_work {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a folder has a file that says how it is built, or what is started.
fn says_how_it_is_built(folder: &Path) -> bool {
    const NAMES: [&str; 7] =
        ["engine.toml", "Makefile", "makefile", "GNUmakefile", "Cargo.toml", "go.mod", "package.json"];
    NAMES.iter().any(|name| folder.join(name).is_file())
}

/// Whether a file is for people, by its name.
pub(super) fn is_document(path: &Path) -> bool {
    const ENDINGS: [&str; 20] = [
        "pdf", "txt", "md", "doc", "docx", "odt", "rtf", "png", "jpg", "jpeg", "gif", "svg", "bmp", "webp",
        "tex", "html", "ppt", "pptx", "xls", "xlsx",
    ];
    const NAMES: [&str; 4] = ["readme", "license", "authors", "changelog"];
    let small = |part: Option<&std::ffi::OsStr>| part.map(|part| part.to_string_lossy().to_lowercase());
    match small(path.extension()) {
        Some(ending) => ENDINGS.contains(&ending.as_str()),
        None => small(path.file_name()).is_some_and(|name| NAMES.contains(&name.as_str())),
    }
}

/// Makes the folder `only` the folder `to`, in which it lies.
fn lift(only: &Path, to: &Path) -> Result<(), NoEngine> {
    // Renamed first, because an entry in it may have its name.
    let aside = aside(to)?;
    fs::rename(only, &aside).map_err(disk)?;
    fs::remove_dir_all(to).map_err(disk)?;
    fs::rename(&aside, to).map_err(disk)
}

/// Removes what lies in a folder beside what counts, but for what is hidden.
fn remove_beside(only: &Path, to: &Path) -> Result<(), NoEngine> {
    for entry in fs::read_dir(to).map_err(disk)? {
        let path = entry.map_err(disk)?.path();
        let is_hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        if path != only && !is_hidden {
            if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.map_err(disk)?;
        }
    }
    Ok(())
}

/// Puts the folder `only`, in which a package begins, below the folder `src` of its own folder.
fn put_below(only: &Path, to: &Path) -> Result<(), NoEngine> {
    let aside = aside(to)?;
    fs::rename(only, &aside).map_err(disk)?;
    let sources = to.join("src");
    fs::create_dir_all(&sources).map_err(disk)?;
    fs::rename(&aside, sources.join(only.file_name().unwrap_or_default())).map_err(disk)
}

/// A free path beside a folder.
fn aside(to: &Path) -> Result<PathBuf, NoEngine> {
    let aside = to.with_extension("unpacked");
    match fs::symlink_metadata(&aside) {
        // A run that was killed may have left it.
        Ok(about) if about.is_dir() => fs::remove_dir_all(&aside).map_err(disk)?,
        Ok(_) => fs::remove_file(&aside).map_err(disk)?,
        Err(_) => {}
    }
    Ok(aside)
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Write;

    use super::*;

    /// A tar.gz with these entries: name, type, contents.
    fn tar_gz(path: &Path, entries: &[(&str, tar::EntryType, &str)]) {
        let mut builder = tar::Builder::new(flate2::write::GzEncoder::new(
            File::create(path).unwrap(),
            flate2::Compression::fast(),
        ));
        for (name, kind, contents) in entries {
            let mut header = tar::Header::new_gnu();
            // Written by hand, because the crate refuses paths that lead out.
            header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
            header.set_entry_type(*kind);
            header.set_mode(0o755);
            header.set_size(contents.len() as u64);
            if *kind == tar::EntryType::Symlink {
                header.set_link_name("/etc/passwd").unwrap();
            }
            header.set_cksum();
            builder.append(&header, contents.as_bytes()).unwrap();
        }
        builder.into_inner().unwrap().finish().unwrap();
    }

    #[test]
    fn archives_and_folders_come_out_whole_without_the_folder_around_them() {
        let home = tempfile::tempdir().unwrap();
        let regular = tar::EntryType::Regular;
        tar_gz(
            &home.path().join("a.tar.gz"),
            &[("mine/engine.toml", regular, "x"), ("mine/src/a.py", regular, "y")],
        );
        unpack(&home.path().join("a.tar.gz"), &home.path().join("one"), UnpackLimits::SUBMISSION).unwrap();
        assert_eq!(fs::read_to_string(home.path().join("one/src/a.py")).unwrap(), "y");
        // One that is called as another kind is what it is.
        fs::copy(home.path().join("a.tar.gz"), home.path().join("a.zip")).unwrap();
        unpack(&home.path().join("a.zip"), &home.path().join("named"), UnpackLimits::SUBMISSION).unwrap();
        assert_eq!(fs::read_to_string(home.path().join("named/src/a.py")).unwrap(), "y");
        let mut zip = zip::ZipWriter::new(File::create(home.path().join("b.zip")).unwrap());
        zip.start_file("engine.toml", zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(b"z").unwrap();
        zip.finish().unwrap();
        unpack(&home.path().join("b.zip"), &home.path().join("two"), UnpackLimits::SUBMISSION).unwrap();
        assert_eq!(fs::read_to_string(home.path().join("two/engine.toml")).unwrap(), "z");
        unpack(&home.path().join("one"), &home.path().join("three"), UnpackLimits::SUBMISSION).unwrap();
        assert!(home.path().join("three/engine.toml").is_file());
    }

    #[test]
    fn a_single_folder_with_sources_beside_documents_is_the_submission() {
        let home = tempfile::tempdir().unwrap();
        let top = |number: usize, files: &[&str]| {
            let from = home.path().join(format!("from{number}"));
            for name in files {
                fs::create_dir_all(from.join(name).parent().unwrap()).unwrap();
                fs::write(from.join(name), "x").unwrap();
            }
            let to = home.path().join(format!("to{number}"));
            unpack(&from, &to, UnpackLimits::SUBMISSION).unwrap();
            let all = fs::read_dir(to).unwrap().map(|entry| entry.unwrap().file_name());
            let mut all: Vec<String> = all.map(|name| name.into_string().unwrap()).collect();
            all.sort();
            all.join(" ")
        };
        for (number, (files, wanted)) in [
            (&["report.pdf", "code/main.py"][..], "main.py"),
            (&["README.md", "LICENSE", "a/bot/main.py", "a/README"], "main.py"),
            (&["code/main.py", "docs/report.md", "docs/search.js"], "main.py"),
            (&["code/engine.toml", "photo.jpeg"], "engine.toml"),
            (&["README.md", "src/main.py"], "README.md src"),
            (&["README.md", "src/Cargo.toml", "src/src/main.rs"], "Cargo.toml src"),
            (&["README.md", "main.py", "code/main.py"], "README.md code main.py"),
            (&["a/main.py", "b/main.py", "x.txt"], "a b x.txt"),
            (&["data.bin", "b/main.py"], "b data.bin"),
            (&["a/x.pdf", "b.txt"], "a b.txt"),
            (&["src/com/me/Bot.java", "src/com/me/x/A.java"], "src"),
            (&["mine/src/main.py"], "src"),
            (&["src/go.mod", "src/main.go"], "go.mod main.go"),
            (&["src/read.pdf"], "read.pdf"),
        ]
        .into_iter()
        .enumerate()
        {
            assert_eq!(top(number, files), wanted, "{files:?}");
        }
    }

    #[test]
    fn the_path_of_a_package_in_java_stays() {
        let home = tempfile::tempdir().unwrap();
        for (number, package, wanted) in [
            (0, "package com.me;", "src/com/me/Bot.java"),
            (1, "// mine\r\npackage com.me ;\r\n", "src/com/me/Bot.java"),
            (2, "package me;", "src/me/Bot.java"),
            (3, "", "Bot.java"),
        ] {
            let (from, to) = (home.path().join(format!("{number}")), home.path().join(format!("to{number}")));
            for (name, text) in [("mine/com/me/Bot.java", package), ("mine/README.md", "")] {
                fs::create_dir_all(from.join(name).parent().unwrap()).unwrap();
                fs::write(from.join(name), text).unwrap();
            }
            unpack(&from, &to, UnpackLimits::SUBMISSION).unwrap();
            assert!(to.join(wanted).is_file(), "{package}");
        }
    }

    #[test]
    fn links_and_paths_that_lead_out_are_refused() {
        let home = tempfile::tempdir().unwrap();
        let archive = home.path().join("a.tgz");
        for (name, kind, words) in [
            ("../out", tar::EntryType::Regular, "leads out"),
            ("/tmp/out", tar::EntryType::Regular, "leads out"),
            ("passwd", tar::EntryType::Symlink, "is a link"),
            ("pipe", tar::EntryType::Fifo, "is a link or a device"),
        ] {
            tar_gz(&archive, &[(name, kind, "")]);
            let to = home.path().join(name.replace('/', "-"));
            let why = unpack(&archive, &to, UnpackLimits::SUBMISSION).unwrap_err().to_string();
            assert!(why.contains(words), "{name}: {why}");
        }
        assert!(!home.path().join("out").exists());
        let folder = home.path().join("folder");
        fs::create_dir(&folder).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", folder.join("board")).unwrap();
        assert!(
            unpack(&folder, &home.path().join("copy"), UnpackLimits::SUBMISSION)
                .unwrap_err()
                .to_string()
                .contains("is a link")
        );
        for (name, to) in
            [("x.py", "/etc/passwd"), ("folder-link", "/etc"), ("a-link.tgz", "a.tgz"), ("gone", "/no")]
        {
            let link = home.path().join(name);
            std::os::unix::fs::symlink(to, &link).unwrap();
            let place = home.path().join("of-a-link");
            let why = unpack(&link, &place, UnpackLimits::SUBMISSION).unwrap_err().to_string();
            assert!(why.contains("is a link; hand in the file"), "{name}: {why}");
            assert!(!place.exists());
        }
        let two = home.path().join("two");
        fs::create_dir(&two).unwrap();
        ["v1.zip", "v2.zip"].iter().for_each(|name| fs::write(two.join(name), "PK\x03\x04").unwrap());
        let why =
            unpack(&two, &home.path().join("of-two"), UnpackLimits::SUBMISSION).unwrap_err().to_string();
        assert_eq!(why, "has several archives; hand in only the one that counts");
        fs::write(home.path().join("c.zip"), "no archive").unwrap();
        assert!(
            unpack(&home.path().join("c.zip"), &home.path().join("c"), UnpackLimits::SUBMISSION)
                .unwrap_err()
                .to_string()
                .contains("no zip")
        );
    }

    #[test]
    fn an_archive_is_read_to_its_end_and_its_checksum_is_checked() {
        let home = tempfile::tempdir().unwrap();
        let regular = tar::EntryType::Regular;
        let whole = home.path().join("whole.tar.gz");
        tar_gz(&whole, &[("main.py", regular, "import helper"), ("helper.py", regular, "print(1)")]);
        let mut plain = Vec::new();
        Gunzip::new(File::open(&whole).unwrap()).read_to_end(&mut plain).unwrap();
        let unpacked = |name: &str, bytes: &[u8]| {
            let (from, to) = (home.path().join(name), home.path().join(format!("{name}-to")));
            fs::write(&from, bytes).unwrap();
            let done = unpack(&from, &to, UnpackLimits::SUBMISSION).map_err(|why| why.to_string());
            done.map(|()| fs::read_dir(to).unwrap().count())
        };
        let member = |bytes: &[u8]| {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        };
        let two = [member(&plain[..1024]), member(&plain[1024..])].concat();
        assert_eq!(unpacked("two.tar.gz", &two), Ok(2), "two members are one archive");
        let rest = [&member(&plain)[..], b"rest"].concat();
        assert_eq!(unpacked("rest.tar.gz", &rest), Ok(2), "what follows is left out, as gzip does");
        assert_eq!(unpacked("plain.tar", &plain), Ok(2));
        let mut wrong = member(&plain);
        let at = wrong.windows(6).position(|six| six == b"import").unwrap();
        wrong[at] = b'I';
        assert!(unpacked("wrong.tar.gz", &wrong).unwrap_err().contains("checksum"));
        let short = unpacked("short.tar", &plain[..1024]).unwrap_err();
        assert!(short.contains("ends too early"), "{short}");
        tar_gz(&whole, &[("a.py", regular, "1"), ("a.py", regular, "2")]);
        let twice = unpacked("twice.tar.gz", &fs::read(&whole).unwrap()).unwrap_err();
        assert!(twice.contains("has a.py twice"), "{twice}");
    }
}
