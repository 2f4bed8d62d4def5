//! Copies a submission, which is a file, a folder or an archive, to a folder of its own.
//!
//! Nothing in it is trusted: links, paths that lead out, devices and archives that are too large
//! are refused.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Component, Path, PathBuf};

use agon_printable::escape;
use rustix::fs::OFlags;

use crate::engine::program::display_path;
use crate::engine::submission;

/// The most files and folders of a submission.
pub(super) const MOST_ENTRIES: usize = 20_000;
/// The most bytes of a submission, unpacked.
const MOST_BYTES: u64 = 1 << 30;

/// Copies or unpacks a submission into the folder `to`, which is made. If an archive has a single
/// folder, its contents are used.
///
/// # Errors
/// Words for the author; then nothing of the submission may be used.
pub(super) fn unpack(from: &Path, to: &Path) -> Result<(), String> {
    let about = fs::symlink_metadata(from).map_err(|error| format!("cannot be read: {error}"))?;
    if about.is_symlink() {
        return Err("is a link; hand in the file or the folder itself".to_owned());
    }
    fs::create_dir_all(to).map_err(|error| format!("{}: {error}", display_path(to)))?;
    let mut room = Extracted { entries: 0, bytes: 0, to: to.to_owned() };
    let name = from.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    if about.is_dir() {
        room.copy_folder(from, Path::new(""))?;
    } else if name.ends_with(".zip") {
        unzip(from, &mut room)?;
    } else if name.ends_with(".tar.gz") || name.ends_with(".tgz") {
        untar(from, &mut room)?;
    } else if about.is_file() {
        let mut file = open(from)?;
        // A source file keeps its name, which tells its language.
        let source = from.file_name().filter(|_| submission::is_source(&name));
        room.file(source.map_or(Path::new("engine"), Path::new), &mut file, true)?;
    } else {
        return Err("is neither a file nor a folder".to_owned());
    }
    flatten(to)
}

/// The files written so far, and their folder.
struct Extracted {
    entries: usize,
    bytes: u64,
    to: PathBuf,
}

impl Extracted {
    /// The path of an entry, if it stays inside.
    fn place(&mut self, inner: &Path) -> Result<PathBuf, String> {
        self.entries += 1;
        if self.entries > MOST_ENTRIES {
            return Err(format!("has more than {MOST_ENTRIES} files"));
        }
        let stays = inner.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if !stays {
            return Err(format!("{} leads out of it", told(inner)));
        }
        Ok(self.to.join(inner))
    }

    fn folder(&mut self, inner: &Path) -> Result<(), String> {
        let place = self.place(inner)?;
        fs::create_dir_all(&place).map_err(|error| format!("{}: {error}", told(inner)))
    }

    fn file(&mut self, inner: &Path, from: &mut dyn Read, executable: bool) -> Result<(), String> {
        let place = self.place(inner)?;
        let wrong = |error: io::Error| format!("{}: {error}", told(inner));
        if let Some(parent) = place.parent() {
            fs::create_dir_all(parent).map_err(wrong)?;
        }
        // A second entry of the same name would overwrite the first, or follow a link.
        let mut file = File::options().write(true).create_new(true).open(&place).map_err(wrong)?;
        // The unpacked bytes are counted: the size in an archive's header may be wrong.
        let mut chunk = vec![0; 1 << 16];
        loop {
            let read = from.read(&mut chunk).map_err(wrong)?;
            if read == 0 {
                break;
            }
            self.bytes += read as u64;
            if self.bytes > MOST_BYTES {
                return Err(format!("is more than {} MiB unpacked", MOST_BYTES >> 20));
            }
            file.write_all(&chunk[..read]).map_err(wrong)?;
        }
        let mode = if executable { 0o755 } else { 0o644 };
        file.set_permissions(fs::Permissions::from_mode(mode)).map_err(wrong)
    }

    fn copy_folder(&mut self, from: &Path, inner: &Path) -> Result<(), String> {
        for entry in fs::read_dir(from.join(inner)).map_err(|error| format!("{}: {error}", told(inner)))? {
            let entry = entry.map_err(|error| format!("{}: {error}", told(inner)))?;
            let below = inner.join(entry.file_name());
            // The metadata of a link itself.
            let about = entry.metadata().map_err(|error| format!("{}: {error}", told(&below)))?;
            if about.is_dir() {
                self.folder(&below)?;
                self.copy_folder(from, &below)?;
            } else if about.is_file() {
                let mut file = open(&entry.path()).map_err(|why| format!("{}: {why}", told(&below)))?;
                self.file(&below, &mut file, about.permissions().mode() & 0o100 != 0)?;
            } else {
                return Err(format!("{} is a link or a device; hand in the file itself", told(&below)));
            }
        }
        Ok(())
    }
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
        let mut entry = archive.by_index(number).map_err(wrong)?;
        let name = PathBuf::from(entry.name().map_err(wrong)?.into_owned());
        let mode = entry.unix_mode().unwrap_or(0o644);
        match mode & 0o170_000 {
            0 | 0o100_000 | 0o040_000 => {}
            _ => return Err(format!("{} is a link or a device; hand in the file itself", told(&name))),
        }
        if entry.is_dir() {
            room.folder(&name)?;
        } else {
            room.file(&name, &mut entry, mode & 0o100 != 0)?;
        }
    }
    Ok(())
}

fn untar(from: &Path, room: &mut Extracted) -> Result<(), String> {
    let wrong = |error: io::Error| format!("is no tar.gz archive that can be read: {error}");
    let file = open(from)?;
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(file));
    for entry in archive.entries().map_err(wrong)? {
        let mut entry = entry.map_err(wrong)?;
        let name = entry.path().map_err(wrong)?.into_owned();
        let kind = entry.header().entry_type();
        if kind.is_dir() {
            room.folder(&name)?;
        } else if kind.is_file() {
            let mode = entry.header().mode().map_err(wrong)?;
            room.file(&name, &mut entry, mode & 0o100 != 0)?;
        } else if !kind.is_pax_global_extensions() && !kind.is_pax_local_extensions() {
            return Err(format!("{} is a link or a device; hand in the file itself", told(&name)));
        }
    }
    Ok(())
}

/// Moves the contents of a single folder up, as in an archive of a folder.
fn flatten(to: &Path) -> Result<(), String> {
    let wrong = |error: io::Error| format!("{}: {error}", display_path(to));
    let entries: Vec<PathBuf> = fs::read_dir(to)
        .map_err(wrong)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<_>>()
        .map_err(wrong)?;
    let [only] = &entries[..] else { return Ok(()) };
    if !only.is_dir() {
        return Ok(());
    }
    // Renamed first, because an entry in it may have its name.
    let aside = to.with_extension("unpacked");
    fs::rename(only, &aside).map_err(wrong)?;
    fs::remove_dir(to).map_err(wrong)?;
    fs::rename(&aside, to).map_err(wrong)
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
        unpack(&home.path().join("a.tar.gz"), &home.path().join("one")).unwrap();
        assert_eq!(fs::read_to_string(home.path().join("one/src/a.py")).unwrap(), "y");
        let mut zip = zip::ZipWriter::new(File::create(home.path().join("b.zip")).unwrap());
        zip.start_file("engine.toml", zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(b"z").unwrap();
        zip.finish().unwrap();
        unpack(&home.path().join("b.zip"), &home.path().join("two")).unwrap();
        assert_eq!(fs::read_to_string(home.path().join("two/engine.toml")).unwrap(), "z");
        unpack(&home.path().join("one"), &home.path().join("three")).unwrap();
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
            let why = unpack(&archive, &to).unwrap_err();
            assert!(why.contains(words), "{name}: {why}");
        }
        assert!(!home.path().join("out").exists());
        let folder = home.path().join("folder");
        fs::create_dir(&folder).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", folder.join("board")).unwrap();
        assert!(unpack(&folder, &home.path().join("copy")).unwrap_err().contains("is a link"));
        for (name, to) in
            [("x.py", "/etc/passwd"), ("folder-link", "/etc"), ("a-link.tgz", "a.tgz"), ("gone", "/no")]
        {
            let link = home.path().join(name);
            std::os::unix::fs::symlink(to, &link).unwrap();
            let place = home.path().join("of-a-link");
            let why = unpack(&link, &place).unwrap_err();
            assert!(why.contains("is a link; hand in the file"), "{name}: {why}");
            assert!(!place.exists());
        }
        fs::write(home.path().join("c.zip"), "no archive").unwrap();
        assert!(unpack(&home.path().join("c.zip"), &home.path().join("c")).unwrap_err().contains("no zip"));
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
        let mut room = Extracted { entries: 0, bytes: MOST_BYTES - 100_000, to: home.path().to_owned() };
        let why = room.file(Path::new("bomb"), &mut Zeros, false).unwrap_err();
        assert!(why.contains("more than 1024 MiB"), "{why}");
        room.entries = MOST_ENTRIES;
        assert!(room.folder(Path::new("one-more")).unwrap_err().contains("more than 20000 files"));
    }
}
