//! Copies a submission, which is a file, a folder or an archive, to a folder of its own.
//!
//! Nothing in it is trusted: links, paths that lead out, devices and archives that are too large
//! are refused.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Component, Path, PathBuf};

use agon_printable::escape;
use flate2::bufread::GzDecoder;
use rustix::fs::OFlags;

use super::entry_names::{is_junk, zip_path};
use crate::engine::extent::FolderLimits;
use crate::engine::{languages, stopping};
use crate::inbox::{MOST_FILES, MOST_UNPACKED};

/// The most files and folders of a submission.
pub(super) const MOST_ENTRIES: usize = FolderLimits::SUBMISSION.entries;
/// The most bytes of a submission, unpacked.
const MOST_BYTES: u64 = FolderLimits::SUBMISSION.bytes;
/// The first byte of a member of a gzip file.
const GZIP: u8 = 0x1f;
/// The least number of zeros at the end of a tar archive: one block.
const TAR_END: usize = 512;
/// How many folders and archives around a submission are removed.
const MOST_DEEP: usize = 8;

/// The most of what is unpacked.
#[derive(Clone, Copy)]
pub(super) struct UnpackLimits {
    entries: usize,
    bytes: u64,
    /// Whether the archive knows which files are programs. A learning system has forgotten it.
    has_modes: bool,
}

impl UnpackLimits {
    /// Those of one submission.
    pub(super) const SUBMISSION: UnpackLimits =
        UnpackLimits { entries: MOST_ENTRIES, bytes: MOST_BYTES, has_modes: true };
    /// Those of an archive that comes by itself, at any hour.
    pub(super) const UPLOAD: UnpackLimits =
        UnpackLimits { entries: MOST_FILES, bytes: MOST_UNPACKED, has_modes: true };
    /// Those of the submissions of a class, as a learning system gives them out.
    pub(super) const CLASS: UnpackLimits =
        UnpackLimits { entries: 50 * MOST_ENTRIES, bytes: 16 * MOST_BYTES, has_modes: false };
}

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
/// Words for the author; then nothing of the submission may be used.
pub(super) fn unpack(from: &Path, to: &Path, limits: UnpackLimits) -> Result<(), String> {
    let mut room = Extracted::new(to, limits);
    room.add(from)?;
    for _ in 0..MOST_DEEP {
        let Some(only) = only_entry(to)? else { break };
        if only.is_dir() {
            lift(&only, to)?;
        } else if kind_of(&only, &only)? != FileKind::Other {
            let aside = aside(to)?;
            fs::rename(&only, &aside).map_err(disk)?;
            let unpacked = room.add_file(&aside, only.file_name().map(Path::new));
            fs::remove_file(&aside).map_err(disk)?;
            unpacked?;
        } else {
            break;
        }
    }
    Ok(())
}

/// Unpacks a zip or tar.gz archive with the submissions of a class, as it is.
///
/// # Errors
/// Why it cannot be read; then nothing of it may be used.
pub(super) fn unpack_class(from: &Path, to: &Path) -> Result<(), String> {
    Extracted::new(to, UnpackLimits::CLASS).add(from)
}

/// The files written so far, and their folder.
struct Extracted {
    entries: usize,
    bytes: u64,
    limits: UnpackLimits,
    to: PathBuf,
}

impl Extracted {
    fn new(to: &Path, limits: UnpackLimits) -> Self {
        Extracted { entries: 0, bytes: 0, limits, to: to.to_owned() }
    }

    /// Adds a file, a folder or the contents of an archive.
    fn add(&mut self, from: &Path) -> Result<(), String> {
        let about = fs::symlink_metadata(from).map_err(|error| format!("cannot be read: {error}"))?;
        if about.is_symlink() {
            return Err("is a link; hand in the file or the folder itself".to_owned());
        }
        fs::create_dir_all(&self.to).map_err(disk)?;
        if about.is_dir() {
            self.copy_folder(from, Path::new(""))
        } else if about.is_file() {
            self.add_file(from, from.file_name().map(Path::new))
        } else {
            Err("is neither a file nor a folder".to_owned())
        }
    }

    /// Adds a file called `name`, or the contents of an archive.
    fn add_file(&mut self, from: &Path, name: Option<&Path>) -> Result<(), String> {
        match kind_of(from, name.unwrap_or(from))? {
            FileKind::Zip => unzip(from, self),
            FileKind::Tar => untar(open(from)?, self),
            FileKind::TarGz => untar(Gunzip::new(open(from)?), self),
            FileKind::Unread(kind) => Err(format!(
                "is a {kind} archive, which agon does not read; hand in a zip or tar.gz archive, a folder, or \
                 the source itself"
            )),
            FileKind::Other => {
                // A source file keeps its name, which tells its language.
                let is_source = |name: &&Path| languages::is_source(&name.to_string_lossy().to_lowercase());
                let name = name.filter(is_source).unwrap_or(Path::new("engine"));
                self.file(name, &mut open(from)?, Some(true))
            }
        }
    }

    /// The path of an entry, if it stays inside.
    fn place(&mut self, inner: &Path) -> Result<PathBuf, String> {
        self.entries += 1;
        if self.entries > self.limits.entries {
            return Err(format!("has more than {} files", self.limits.entries));
        }
        let stays = inner.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if !stays {
            return Err(format!("has the path {}, which leads out of it", told(inner)));
        }
        Ok(self.to.join(inner))
    }

    fn folder(&mut self, inner: &Path) -> Result<(), String> {
        let place = self.place(inner)?;
        fs::create_dir_all(&place).map_err(|error| format!("{}: {error}", told(inner)))
    }

    /// Adds a file. Where the archive does not say whether it is executable, its first bytes do.
    fn file(&mut self, inner: &Path, from: &mut dyn Read, executable: Option<bool>) -> Result<(), String> {
        let place = self.place(inner)?;
        let wrong = |error: io::Error| format!("{}: {error}", told(inner));
        if let Some(parent) = place.parent() {
            fs::create_dir_all(parent).map_err(wrong)?;
        }
        // A second entry of the same name would overwrite the first, or follow a link.
        let file = File::options().write(true).create_new(true).open(&place);
        let mut file = file.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => format!("has {} twice; make the archive anew", told(inner)),
            _ => wrong(error),
        })?;
        let mut is_program = executable.filter(|_| self.limits.has_modes);
        // The unpacked bytes are counted: the size in an archive's header may be wrong.
        let mut chunk = vec![0; 1 << 16];
        loop {
            stopping::go_on().map_err(wrong)?;
            let read = from.read(&mut chunk).map_err(wrong)?;
            if read == 0 {
                break;
            }
            self.bytes += read as u64;
            if self.bytes > self.limits.bytes {
                return Err(format!("is more than {} MiB unpacked", self.limits.bytes >> 20));
            }
            let head = &chunk[..read];
            is_program.get_or_insert(head.starts_with(b"#!") || head.starts_with(b"\x7fELF"));
            file.write_all(head).map_err(wrong)?;
        }
        let mode = if is_program == Some(true) { 0o755 } else { 0o644 };
        file.set_permissions(fs::Permissions::from_mode(mode)).map_err(wrong)
    }

    fn copy_folder(&mut self, from: &Path, inner: &Path) -> Result<(), String> {
        for entry in fs::read_dir(from.join(inner)).map_err(|error| format!("{}: {error}", told(inner)))? {
            let entry = entry.map_err(|error| format!("{}: {error}", told(inner)))?;
            let below = inner.join(entry.file_name());
            if is_junk(&below) {
                continue;
            }
            // The metadata of a link itself.
            let about = entry.metadata().map_err(|error| format!("{}: {error}", told(&below)))?;
            if about.is_dir() {
                self.folder(&below)?;
                self.copy_folder(from, &below)?;
            } else if about.is_file() {
                let mut file = open(&entry.path()).map_err(|why| format!("{}: {why}", told(&below)))?;
                self.file(&below, &mut file, Some(about.permissions().mode() & 0o100 != 0))?;
            } else {
                return Err(irregular(&below));
            }
        }
        Ok(())
    }
}

/// Why an entry that is neither a file nor a folder is refused.
fn irregular(inner: &Path) -> String {
    format!("has {}, which is a link or a device; hand in the file itself", told(inner))
}

/// Our own error on the disk. It names no path, because the author reads it.
#[allow(clippy::needless_pass_by_value)] // as map_err gives it
fn disk(error: io::Error) -> String {
    format!("cannot be unpacked: {error}")
}

/// What a file that was handed in as `name` is. A jar is a zip archive, but also a program.
fn kind_of(path: &Path, name: &Path) -> Result<FileKind, String> {
    let name = name.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let mut head = Vec::new();
    open(path)?.take(512).read_to_end(&mut head).map_err(|error| format!("cannot be read: {error}"))?;
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
    } else if named(&[".zip"]) || (is(b"PK\x03\x04") || is(b"PK\x05\x06")) && !named(&[".jar"]) {
        FileKind::Zip
    } else if named(&[".tar.gz", ".tgz"]) || is(b"\x1f\x8b") {
        FileKind::TarGz
    } else if named(&[".tar"]) || head.get(257..262) == Some(b"ustar") {
        FileKind::Tar
    } else {
        FileKind::Other
    })
}

/// Opens a regular file. A link or a FIFO that has replaced it meanwhile is refused.
fn open(path: &Path) -> Result<File, String> {
    let wrong = |error: io::Error| format!("cannot be read: {error}");
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let file = File::options().read(true).custom_flags(flags).open(path).map_err(wrong)?;
    match file.metadata().map_err(wrong)?.is_file() {
        true => Ok(file),
        false => Err("is neither a file nor a folder".to_owned()),
    }
}

fn unzip(from: &Path, room: &mut Extracted) -> Result<(), String> {
    let wrong = |error: zip::result::ZipError| format!("is no zip archive that can be read: {error}");
    let file = open(from)?;
    let mut archive = zip::ZipArchive::new(file).map_err(wrong)?;
    for number in 0..archive.len() {
        let mut entry = archive.by_index(number).map_err(|error| match error {
            zip::result::ZipError::UnsupportedArchive(zip::result::ZipError::PASSWORD_REQUIRED) => {
                "has a password; hand in an archive without one".to_owned()
            }
            error => wrong(error),
        })?;
        let cp437 = entry.name().map_err(wrong)?.into_owned();
        let name = zip_path(entry.name_raw(), &cp437);
        let mode = entry.unix_mode();
        match mode.unwrap_or_default() & 0o170_000 {
            0 | 0o100_000 | 0o040_000 => {}
            _ => return Err(irregular(&name)),
        }
        if is_junk(&name) {
            continue;
        }
        // A folder of Windows may end in its own separator.
        if entry.is_dir() || entry.name_raw().ends_with(b"\\") {
            room.folder(&name)?;
        } else {
            let executable =
                mode.filter(|_| entry.system() == zip::System::Unix).map(|mode| mode & 0o100 != 0);
            room.file(&name, &mut entry, executable)?;
        }
    }
    Ok(())
}

/// What a gzip file holds, in all its members. Bytes behind the last one are left out, as gzip
/// does; the decoder of flate2 for several members would refuse them.
struct Gunzip {
    member: Option<GzDecoder<BufReader<File>>>,
}

impl Gunzip {
    fn new(file: File) -> Self {
        Gunzip { member: Some(GzDecoder::new(BufReader::new(file))) }
    }
}

impl Read for Gunzip {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        while let Some(mut member) = self.member.take() {
            let count = member.read(to)?;
            if count > 0 || to.is_empty() {
                self.member = Some(member);
                return Ok(count);
            }
            // Its checksum is right.
            let mut rest = member.into_inner();
            if rest.fill_buf()?.first() == Some(&GZIP) {
                self.member = Some(GzDecoder::new(rest));
            }
        }
        Ok(0)
    }
}

/// Counts the zeros at the end of what was read, and lets no more be read than an archive needs:
/// entries that are left out are read as well.
struct CountZeros<R> {
    inner: R,
    zeros: usize,
    /// How many more bytes may be read.
    left: u64,
}

impl<R: Read> Read for CountZeros<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        stopping::go_on()?;
        let count = self.inner.read(to)?;
        let too_long = || io::Error::other("it holds more than it may, unpacked");
        self.left = self.left.checked_sub(count as u64).ok_or_else(too_long)?;
        let zeros = to[..count].iter().rev().take_while(|byte| **byte == 0).count();
        self.zeros = if zeros == count { self.zeros + zeros } else { zeros };
        Ok(count)
    }
}

fn untar(from: impl Read, room: &mut Extracted) -> Result<(), String> {
    let wrong = |error: io::Error| format!("is no tar.gz archive that can be read: {error}");
    // Each entry has a head and is filled up with zeros.
    let left = room.limits.bytes.saturating_mul(2).saturating_add(room.limits.entries as u64 * 4096);
    let mut archive = tar::Archive::new(CountZeros { inner: from, zeros: 0, left });
    for entry in archive.entries().map_err(wrong)? {
        let mut entry = entry.map_err(wrong)?;
        let name = entry.path().map_err(wrong)?.into_owned();
        let kind = entry.header().entry_type();
        if is_junk(&name) && (kind.is_dir() || kind.is_file()) {
            continue;
        }
        if kind.is_dir() {
            room.folder(&name)?;
        } else if kind.is_file() {
            let mode = entry.header().mode().map_err(wrong)?;
            room.file(&name, &mut entry, Some(mode & 0o100 != 0))?;
        } else if !kind.is_pax_global_extensions() && !kind.is_pax_local_extensions() {
            return Err(irregular(&name));
        }
    }
    let mut rest = archive.into_inner();
    if rest.zeros < TAR_END {
        return Err("ends too early: its end is missing; hand it in again".to_owned());
    }
    // The checksum of a gzip file is behind the end of its archive.
    let most = room.limits.bytes;
    if io::copy(&mut rest.by_ref().take(most), &mut io::sink()).map_err(wrong)? == most {
        return Err(format!("is more than {} MiB unpacked", most >> 20));
    }
    Ok(())
}

/// The only entry of a folder that is not hidden; or the only archive, if the other files are
/// documents. Those are removed then.
fn only_entry(folder: &Path) -> Result<Option<PathBuf>, String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(disk)? {
        let path = entry.map_err(disk)?.path();
        let is_hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        if !is_hidden {
            found.push(path);
        }
    }
    if found.len() > 1 {
        let mut archives = Vec::new();
        for path in &found {
            if path.is_dir() || !is_document(path) && kind_of(path, path)? == FileKind::Other {
                return Ok(None);
            }
            if !is_document(path) {
                archives.push(path.clone());
            }
        }
        if archives.len() > 1 {
            return Err("has several archives; hand in only the one that counts".to_owned());
        }
        if archives.len() == 1 {
            found.retain(|path| *path == archives[0] || fs::remove_file(path).is_err());
        }
    }
    Ok(if found.len() == 1 { found.pop() } else { None })
}

/// Whether a file is for people, by its name.
fn is_document(path: &Path) -> bool {
    const ENDINGS: [&str; 9] = ["pdf", "txt", "md", "doc", "docx", "odt", "rtf", "png", "jpg"];
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    ending.is_some_and(|ending| ENDINGS.contains(&ending.as_str()))
}

/// Makes the folder `only` the folder `to`, in which it lies.
fn lift(only: &Path, to: &Path) -> Result<(), String> {
    // Renamed first, because an entry in it may have its name.
    let aside = aside(to)?;
    fs::rename(only, &aside).map_err(disk)?;
    fs::remove_dir_all(to).map_err(disk)?;
    fs::rename(&aside, to).map_err(disk)
}

/// A free path beside a folder.
fn aside(to: &Path) -> Result<PathBuf, String> {
    let aside = to.with_extension("unpacked");
    match fs::symlink_metadata(&aside) {
        // A run that was killed may have left it.
        Ok(about) if about.is_dir() => fs::remove_dir_all(&aside).map_err(disk)?,
        Ok(_) => fs::remove_file(&aside).map_err(disk)?,
        Err(_) => {}
    }
    Ok(aside)
}

fn told(path: &Path) -> String {
    escape(path.as_os_str().as_encoded_bytes(), 100)
}

#[cfg(test)]
mod tests {
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
            let why = unpack(&archive, &to, UnpackLimits::SUBMISSION).unwrap_err();
            assert!(why.contains(words), "{name}: {why}");
        }
        assert!(!home.path().join("out").exists());
        let folder = home.path().join("folder");
        fs::create_dir(&folder).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", folder.join("board")).unwrap();
        assert!(
            unpack(&folder, &home.path().join("copy"), UnpackLimits::SUBMISSION)
                .unwrap_err()
                .contains("is a link")
        );
        for (name, to) in
            [("x.py", "/etc/passwd"), ("folder-link", "/etc"), ("a-link.tgz", "a.tgz"), ("gone", "/no")]
        {
            let link = home.path().join(name);
            std::os::unix::fs::symlink(to, &link).unwrap();
            let place = home.path().join("of-a-link");
            let why = unpack(&link, &place, UnpackLimits::SUBMISSION).unwrap_err();
            assert!(why.contains("is a link; hand in the file"), "{name}: {why}");
            assert!(!place.exists());
        }
        fs::write(home.path().join("c.zip"), "no archive").unwrap();
        assert!(
            unpack(&home.path().join("c.zip"), &home.path().join("c"), UnpackLimits::SUBMISSION)
                .unwrap_err()
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
            unpack(&from, &to, UnpackLimits::SUBMISSION).map(|()| fs::read_dir(to).unwrap().count())
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

    #[test]
    fn a_bomb_is_not_unpacked_to_its_end() {
        struct Zeros;
        impl Read for Zeros {
            fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
                Ok(to.len())
            }
        }
        let home = tempfile::tempdir().unwrap();
        let mut room = Extracted::new(home.path(), UnpackLimits::SUBMISSION);
        room.bytes = MOST_BYTES - 100_000;
        let why = room.file(Path::new("bomb"), &mut Zeros, Some(false)).unwrap_err();
        assert!(why.contains("more than 1024 MiB"), "{why}");
        room.entries = MOST_ENTRIES;
        assert!(room.folder(Path::new("one-more")).unwrap_err().contains("more than 20000 files"));
    }
}
