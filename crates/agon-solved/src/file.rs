//! The file of a table: a header and one byte per position.
//!
//! All numbers are little-endian. The header is, in this order:
//!
//! * [`MAGIC`];
//! * the version of the format;
//! * the length of the header;
//! * the number of cells;
//! * the bytes of a block;
//! * the length of the key, and the key;
//! * a CRC-32 of each block;
//! * a CRC-32 of the header so far.
//!
//! The cells follow.
//!
//! A look-up reads one block and checks it, so that damage is found where it matters and no file is
//! read whole. Blocks that were read are kept.

use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::Path;
use std::sync::OnceLock;

/// The first bytes of each file.
const MAGIC: &[u8; 12] = b"agon-solved\n";

/// The version of the format, including the numbering of the cells.
const FORMAT: u32 = 1;

/// The cells of a block.
const BLOCK: usize = 1 << 14;

/// The bytes of the header before the key.
const FIXED: usize = MAGIC.len() + 4 * 4 + 8;

/// What a file must hold to be the right one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct TableKey {
    /// The game with its options, and the version of its rules.
    pub(crate) name: String,
    /// The number of cells.
    pub(crate) cells: u64,
}

/// Why a file cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Damage {
    /// There is none.
    #[error("there is no such file")]
    Missing,
    /// It is no table, or the table of another game or version.
    #[error("it is not the table of this game and version")]
    Foreign,
    /// It is too short or too long.
    #[error("it has {found} bytes and should have {wanted}")]
    Length {
        /// Its length.
        found: u64,
        /// The length that the header demands.
        wanted: u64,
    },
    /// A checksum is wrong.
    #[error("a checksum is wrong")]
    Checksum,
    /// It cannot be read.
    #[error("{0}")]
    Unreadable(String),
}

impl From<io::Error> for Damage {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Damage::Missing,
            _ => Damage::Unreadable(error.to_string()),
        }
    }
}

/// A table on the disk, of which some blocks were read.
pub(crate) struct TableFile {
    file: File,
    key: TableKey,
    start: u64,
    checksums: Vec<u32>,
    blocks: Vec<OnceLock<Box<[u8]>>>,
}

impl TableFile {
    /// Opens a file and checks its header and its length.
    ///
    /// # Errors
    /// [`Damage`], if it is not a whole table of this key.
    pub(crate) fn open(path: &Path, key: &TableKey) -> Result<Self, Damage> {
        let file = File::open(path)?;
        let start = header_length(key);
        let wanted = start as u64 + key.cells;
        let mut header = vec![0; start];
        match file.read_exact_at(&mut header, 0) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                let found = file.metadata()?.len();
                let mut begins = vec![0; MAGIC.len().min(found as usize)];
                file.read_exact_at(&mut begins, 0)?;
                let is_ours = MAGIC.starts_with(&begins);
                return Err(if is_ours { Damage::Length { found, wanted } } else { Damage::Foreign });
            }
            other => other?,
        }
        let checksums = start - 4 - 4 * blocks_of(key);
        if header[..checksums] != prologue(key)[..] {
            return Err(Damage::Foreign);
        }
        let mut numbers = header[checksums..]
            .chunks_exact(4)
            .map(|four| u32::from_le_bytes(four.try_into().expect("a chunk of four bytes")));
        let checksums: Vec<u32> = numbers.by_ref().take(blocks_of(key)).collect();
        if numbers.next() != Some(crc32fast::hash(&header[..start - 4])) {
            return Err(Damage::Checksum);
        }
        let found = file.metadata()?.len();
        if found != wanted {
            return Err(Damage::Length { found, wanted });
        }
        let blocks = checksums.iter().map(|_| OnceLock::new()).collect();
        Ok(TableFile { file, key: key.clone(), start: start as u64, checksums, blocks })
    }

    /// The byte of a cell.
    ///
    /// # Errors
    /// [`Damage`], if its block cannot be read or is damaged.
    pub(crate) fn cell(&self, cell: u64) -> Result<u8, Damage> {
        let (number, place) = ((cell as usize) / BLOCK, (cell as usize) % BLOCK);
        if let Some(block) = self.blocks[number].get() {
            return Ok(block[place]);
        }
        let block = self.read(number)?;
        Ok(self.blocks[number].get_or_init(|| block)[place])
    }

    fn read(&self, number: usize) -> Result<Box<[u8]>, Damage> {
        let first = (number * BLOCK) as u64;
        let mut block = vec![0; BLOCK.min((self.key.cells - first) as usize)];
        self.file.read_exact_at(&mut block, self.start + first)?;
        if crc32fast::hash(&block) != self.checksums[number] {
            return Err(Damage::Checksum);
        }
        Ok(block.into_boxed_slice())
    }
}

fn blocks_of(key: &TableKey) -> usize {
    (key.cells as usize).div_ceil(BLOCK)
}

fn header_length(key: &TableKey) -> usize {
    FIXED + key.name.len() + 4 * blocks_of(key) + 4
}

/// The header before the checksums.
fn prologue(key: &TableKey) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(FORMAT.to_le_bytes());
    bytes.extend((header_length(key) as u32).to_le_bytes());
    bytes.extend(key.cells.to_le_bytes());
    bytes.extend((BLOCK as u32).to_le_bytes());
    bytes.extend((key.name.len() as u32).to_le_bytes());
    bytes.extend(key.name.as_bytes());
    bytes
}

/// Writes a table through a temporary file of its own, which then gets the name. So a reader finds
/// a whole file or none, also if several processes write the same table.
///
/// # Errors
/// The directory cannot be made or written, or the disk is full. No part of a file is left then.
pub(crate) fn write(path: &Path, key: &TableKey, cells: &[u8]) -> io::Result<u64> {
    let directory = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(directory)?;
    let mut header = prologue(key);
    for block in cells.chunks(BLOCK) {
        header.extend(crc32fast::hash(block).to_le_bytes());
    }
    header.extend(crc32fast::hash(&header).to_le_bytes());
    let mut temporary = tempfile::Builder::new()
        .prefix(".agon-")
        .suffix(".tmp")
        .permissions(Permissions::from_mode(0o666)) // less the umask: others may read tables
        .tempfile_in(directory)?;
    temporary.write_all(&header)?;
    temporary.write_all(cells)?;
    // It is not synced: after a power failure the checksums show what is missing.
    temporary.persist(path)?;
    Ok((header.len() + cells.len()) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> TableKey {
        TableKey { name: "morris v1".to_owned(), cells: 40_000 }
    }

    fn cells() -> Vec<u8> {
        (0..40_000_u32).map(|cell| (cell % 251) as u8).collect()
    }

    #[test]
    fn a_table_reads_back_block_by_block() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("new/tables/six.table");
        assert_eq!(TableFile::open(&path, &key()).err(), Some(Damage::Missing));
        write(&path, &key(), &cells()).unwrap();
        let table = TableFile::open(&path, &key()).unwrap();
        for cell in [0, 16_383, 16_384, 39_999, 5] {
            assert_eq!(table.cell(cell), Ok((cell % 251) as u8));
        }
        let read = table.blocks.iter().filter(|block| block.get().is_some()).count();
        assert_eq!((read, table.blocks.len()), (3, 3));
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "no temporary file is left");
    }

    #[test]
    fn one_look_up_reads_one_block() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("six.table");
        write(&path, &key(), &cells()).unwrap();
        let table = TableFile::open(&path, &key()).unwrap();
        assert_eq!(table.cell(20_000), Ok((20_000 % 251) as u8));
        let read: Vec<bool> = table.blocks.iter().map(|block| block.get().is_some()).collect();
        assert_eq!(read, [false, true, false]);
    }

    #[test]
    fn every_cut_and_every_changed_byte_is_noticed() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("six.table");
        write(&path, &key(), &cells()).unwrap();
        let whole = fs::read(&path).unwrap();
        for length in [0, 5, 12, 40, 60, 100, whole.len() - 1, whole.len() + 1] {
            let mut bytes = whole.clone();
            bytes.resize(length, 0);
            fs::write(&path, bytes).unwrap();
            let damage = TableFile::open(&path, &key()).err().unwrap();
            assert!(matches!(damage, Damage::Length { .. }), "{length}: {damage}");
        }
        for place in (0..header_length(&key())).chain([whole.len() - 1]) {
            let mut bytes = whole.clone();
            bytes[place] ^= 4;
            fs::write(&path, bytes).unwrap();
            let read = TableFile::open(&path, &key()).and_then(|table| table.cell(39_999));
            assert!(matches!(read, Err(Damage::Foreign | Damage::Checksum)), "{place}: {read:?}");
        }
        fs::write(&path, "a letter to a friend").unwrap();
        assert_eq!(TableFile::open(&path, &key()).err(), Some(Damage::Foreign));
        fs::write(&path, &whole).unwrap();
        let other = TableKey { name: "morris v2".to_owned(), ..key() };
        assert_eq!(TableFile::open(&path, &other).err(), Some(Damage::Foreign));
        assert_eq!(
            TableFile::open(home.path(), &key()).err().map(|damage| damage == Damage::Missing),
            Some(false)
        );
    }
}
