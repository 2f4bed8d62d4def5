//! The entries of zip and tar archives, which are written to a folder.
//!
//! What an archive says of itself is believed nowhere: neither the number of its entries, nor the
//! lengths of their names, nor the sizes of their files.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use std::rc::Rc;

use agon_programs::machine_fault::NoEngine;
use agon_programs::stopping;
use flate2::bufread::GzDecoder;
use zip::ZipArchive;
use zip::result::ZipError;

use super::entry_names::{is_junk, zip_path};
use super::extracted::{Extracted, irregular, open, told};

/// The first byte of a member of a gzip file.
const GZIP: u8 = 0x1f;
/// The most members of a gzip file. Each takes memory anew, and an empty one has 20 bytes.
const MOST_MEMBERS: usize = 100_000;
/// The least number of zeros at the end of a tar archive: one block.
const TAR_END: usize = 512;
/// The most bytes that a tar archive says of an entry: names of any length, and attributes.
const MOST_SAID: u64 = 1 << 20;
/// About how many bytes the list of a zip archive has for an entry. What it says more is refused.
const LISTED: u64 = 256;

/// Of how many bytes a reader may go on.
type Allowance = Rc<Cell<Option<u64>>>;

/// A file of which only so many bytes are read.
struct Bounded {
    file: File,
    left: Allowance,
}

/// Takes bytes that were read from an allowance.
fn take(left: &Allowance, count: usize, more: &'static str) -> io::Result<()> {
    let Some(before) = left.get() else { return Ok(()) };
    let after = before.checked_sub(count as u64).ok_or_else(|| io::Error::other(more))?;
    left.set(Some(after));
    Ok(())
}

impl Read for Bounded {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        stopping::go_on()?;
        let count = self.file.read(to)?;
        take(&self.left, count, "the list of its files is too long")?;
        Ok(count)
    }
}

impl Seek for Bounded {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

/// Unpacks a zip archive.
///
/// # Errors
/// Why it cannot be unpacked, and whose fault that is.
pub(super) fn unzip(from: &Path, room: &mut Extracted) -> Result<(), NoEngine> {
    let wrong = |error: ZipError| match error {
        ZipError::Io(error) => NoEngine::of("is no zip archive that can be read", &error),
        error => format!("is no zip archive that can be read: {error}").into(),
    };
    // The whole list is held in memory, so it is bounded before it is read.
    let left = Rc::new(Cell::new(Some(MOST_SAID + room.limits.entries as u64 * LISTED)));
    let file = Bounded { file: open(from)?, left: left.clone() };
    let mut archive = ZipArchive::new(file).map_err(wrong)?;
    left.set(None);
    if archive.len() > room.limits.entries {
        return Err(format!("has more than {} files", room.limits.entries).into());
    }
    // Nothing is unpacked of an archive that itself says that it is too large.
    let all = archive.decompressed_size().unwrap_or_default();
    room.has_room(u64::try_from(all).unwrap_or(u64::MAX))?;
    for number in 0..archive.len() {
        room.count()?;
        let mut entry = archive.by_index(number).map_err(|error| match error {
            ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) => {
                NoEngine::Author("has a password; hand in an archive without one".to_owned())
            }
            error => wrong(error),
        })?;
        let cp437 = entry.name().map_err(wrong)?.into_owned();
        let name = zip_path(entry.name_raw(), &cp437);
        let mode = entry.unix_mode();
        match mode.unwrap_or_default() & 0o170_000 {
            0 | 0o100_000 | 0o040_000 => {}
            _ => return Err(irregular(&name).into()),
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
            room.has_room(entry.size())?;
            // One with more bytes than it says ends with an error.
            room.file(&name, &mut entry, executable)?;
        }
    }
    Ok(())
}

/// What a gzip file holds, in all its members. Bytes behind the last one are left out, as gzip
/// does; the decoder of flate2 for several members would refuse them.
pub(super) struct Gunzip {
    member: Option<GzDecoder<BufReader<File>>>,
    /// How many members have ended.
    ended: usize,
}

impl Gunzip {
    /// Reads a file from its beginning.
    pub(super) fn new(file: File) -> Self {
        Gunzip { member: Some(GzDecoder::new(BufReader::new(file))), ended: 0 }
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
            self.ended += 1;
            if self.ended > MOST_MEMBERS {
                return Err(io::Error::other(format!("it has more than {MOST_MEMBERS} parts")));
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
    /// How many of them before the contents of the next entry, which are held in memory.
    said: Allowance,
}

impl<R: Read> Read for CountZeros<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        stopping::go_on()?;
        let count = self.inner.read(to)?;
        let too_long = || io::Error::other("it holds more than it may, unpacked");
        self.left = self.left.checked_sub(count as u64).ok_or_else(too_long)?;
        take(&self.said, count, "a name in it is too long")?;
        let zeros = to[..count].iter().rev().take_while(|byte| **byte == 0).count();
        self.zeros = if zeros == count { self.zeros + zeros } else { zeros };
        Ok(count)
    }
}

/// Unpacks a tar archive.
///
/// # Errors
/// Why it cannot be unpacked, and whose fault that is.
pub(super) fn untar(from: impl Read, room: &mut Extracted) -> Result<(), NoEngine> {
    let wrong = |error: io::Error| NoEngine::of("is no tar.gz archive that can be read", &error);
    // Each entry has a head and is filled up with zeros.
    let left = room.limits.bytes.saturating_add(room.limits.entries as u64 * 4096);
    let said = Rc::new(Cell::new(None));
    let mut archive = tar::Archive::new(CountZeros { inner: from, zeros: 0, left, said: said.clone() });
    let mut entries = archive.entries().map_err(wrong)?;
    loop {
        said.set(Some(MOST_SAID));
        let Some(entry) = entries.next() else { break };
        let mut entry = entry.map_err(wrong)?;
        said.set(None);
        room.count()?;
        let name = entry.path().map_err(wrong)?.into_owned();
        let kind = entry.header().entry_type();
        if is_junk(&name) && (kind.is_dir() || kind.is_file()) {
            // What is left out is read here, so that what is said of the next entry is known.
        } else if kind.is_dir() {
            room.folder(&name)?;
        } else if kind.is_file() {
            let mode = entry.header().mode().map_err(wrong)?;
            room.has_room(entry.size())?;
            room.file(&name, &mut entry, Some(mode & 0o100 != 0))?;
        } else if kind.is_gnu_sparse() {
            return Err(format!("has {}, which is a sparse file; hand in the whole file", told(&name)).into());
        } else if !kind.is_pax_global_extensions() && !kind.is_pax_local_extensions() {
            return Err(irregular(&name).into());
        }
        io::copy(&mut entry, &mut io::sink()).map_err(wrong)?;
    }
    said.set(None);
    let mut rest = archive.into_inner();
    if rest.zeros < TAR_END {
        return Err("ends too early: its end is missing; hand it in again".to_owned().into());
    }
    // The checksum of a gzip file is behind the end of its archive.
    let most = room.limits.bytes;
    if io::copy(&mut rest.by_ref().take(most), &mut io::sink()).map_err(wrong)? == most {
        return Err(format!("is more than {} MiB unpacked", most >> 20).into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;
    use crate::extracted::UnpackLimits;

    /// What is said of an archive with these bytes, and how many entries its folder has then.
    fn unpacked(bytes: &[u8], is_zip: bool) -> Result<usize, String> {
        unpacked_or_not(bytes, is_zip).map_err(|why| why.to_string())
    }

    fn unpacked_or_not(bytes: &[u8], is_zip: bool) -> Result<usize, NoEngine> {
        let home = tempfile::tempdir().unwrap();
        let (from, to) = (home.path().join("archive"), home.path().join("to"));
        fs::write(&from, bytes).unwrap();
        fs::create_dir(&to).unwrap();
        let mut room = Extracted::new(&to, UnpackLimits::SUBMISSION);
        match is_zip {
            true => unzip(&from, &mut room)?,
            false => untar(Gunzip::new(open(&from)?), &mut room)?,
        }
        Ok(fs::read_dir(to).unwrap().count())
    }

    /// An entry in the list of a zip archive, which lies at the beginning. All have the same empty
    /// contents.
    fn listed(name: &str, size: u32) -> Vec<u8> {
        let mut entry = b"PK\x01\x02\x14\x03\x14\0\0\0\0\0\0\0\0\0".to_vec();
        for number in [0, 0, size] {
            entry.extend(u32::to_le_bytes(number)); // the checksum and the sizes
        }
        entry.extend(u16::try_from(name.len()).unwrap().to_le_bytes());
        entry.extend([0; 16]);
        entry.extend(name.bytes());
        entry
    }

    /// A zip archive with this list, which says that it has `count` entries.
    fn zip_of(list: &[u8], count: u16) -> Vec<u8> {
        let mut bytes = b"PK\x03\x04\x14\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0x".to_vec();
        let begin = u32::try_from(bytes.len()).unwrap();
        bytes.extend(list);
        bytes.extend(b"PK\x05\x06\0\0\0\0");
        bytes.extend([count.to_le_bytes(), count.to_le_bytes()].concat());
        bytes.extend(u32::try_from(list.len()).unwrap().to_le_bytes());
        bytes.extend(begin.to_le_bytes());
        bytes.extend([0, 0]);
        bytes
    }

    #[test]
    fn what_a_zip_archive_says_of_itself_is_bounded_before_it_is_read() {
        let many: Vec<u8> = (0..60_000).flat_map(|number| listed(&format!("{number:05}"), 0)).collect();
        let long: Vec<u8> = (0..200).flat_map(|number| listed(&format!("{number:060000}"), 0)).collect();
        let large: Vec<u8> = (0..3).flat_map(|number| listed(&format!("{number}"), 500 << 20)).collect();
        for (list, count, words) in [
            (&listed("x", 0), 60_000, "is no zip archive that can be read"),
            (&many, 60_000, "has more than 20000 files"),
            (&long, 200, "the list of its files is too long"),
            (&large, 3, "is more than 1024 MiB unpacked"),
        ] {
            let why = unpacked(&zip_of(list, count), true).unwrap_err();
            assert!(why.contains(words), "{words}: {why}");
        }
        let both = [listed("A.py", 0), listed("a.py", 0)].concat();
        assert_eq!(unpacked(&zip_of(&both, 2), true), Ok(2), "names that differ by case alone");
        let deep = format!("{}x", "d/".repeat(100));
        let why = unpacked(&zip_of(&listed(&deep, 0), 1), true).unwrap_err();
        assert!(why.contains("has more than 64 folders in each other: d/d/"), "{why}");
    }

    #[test]
    fn a_file_of_a_zip_archive_that_is_larger_than_its_list_says_is_refused_at_once() {
        let mut zip = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
        let stored = zip::write::SimpleFileOptions::default();
        zip.start_file("zeros", stored).unwrap();
        zip.write_all(&vec![0; 10 << 20]).unwrap();
        let mut bytes = zip.finish().unwrap().into_inner();
        let list = bytes.windows(4).rposition(|four| four == b"PK\x01\x02").unwrap();
        bytes[list + 24..list + 28].copy_from_slice(&1000_u32.to_le_bytes());
        let why = unpacked(&bytes, true).unwrap_err();
        assert!(why.contains("zeros: File is larger than its declared"), "{why}");
    }

    fn head(name: &str, kind: tar::EntryType, size: u64) -> Vec<u8> {
        let mut header = tar::Header::new_gnu();
        header.set_path(name).unwrap();
        header.set_entry_type(kind);
        header.set_mode(0o755);
        header.set_size(size);
        if kind == tar::EntryType::GNUSparse {
            header.as_gnu_mut().unwrap().set_real_size(size);
        }
        header.set_cksum();
        header.as_bytes().to_vec()
    }

    fn gz(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn what_a_tar_archive_says_of_itself_is_bounded_too() {
        use tar::EntryType as Kind;
        let many = |name: &str, kind: Kind| head(name, kind, 0).repeat(20_100);
        let long = [head("L", Kind::GNULongName, 3 << 20), vec![b'x'; 3 << 20]].concat();
        for (mut bytes, words) in [
            (many("._x", Kind::Regular), "has more than 20000 files"),
            (many("d", Kind::Directory), "has more than 20000 files"),
            (many("g", Kind::XGlobalHeader), "has more than 20000 files"),
            (long, "a name in it is too long"),
            (head("x", Kind::GNUSparse, 0), "has x, which is a sparse file; hand in the whole file"),
            (head("x", Kind::Symlink, 0), "has x, which is a link or a device"),
            (head("x", Kind::Link, 0), "has x, which is a link or a device"),
        ] {
            bytes.extend([0; 1024]);
            let why = unpacked(&gz(&bytes), false).unwrap_err();
            assert!(why.contains(words), "{words}: {why}");
        }
        // What is left out may be long, and the next entry is read.
        let mut mac = [head("._x", Kind::Regular, 3 << 20), vec![0; 3 << 20]].concat();
        mac.extend(head("x", Kind::Regular, 0));
        mac.extend([0; 1024]);
        assert_eq!(unpacked(&gz(&mac), false), Ok(1));
        let why = unpacked(&gz(b"").repeat(MOST_MEMBERS + 1), false).unwrap_err();
        assert!(why.contains("it has more than 100000 parts"), "{why}");
    }
}
