//! A table that is taken from its file, or made and stored when it is needed first.

use std::fmt;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use crate::file::{Damage, TableFile, TableKey, write};
use crate::limit::Stop;

/// The state of a solve: how many cells are done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CellsDone {
    /// The cells that are done.
    pub done: u64,
    /// All cells of the table.
    pub of: u64,
}

/// What is told of a table that is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TableNews<'a> {
    /// How far the solve is.
    Cells(CellsDone),
    /// The table is in a new file of so many bytes.
    Stored(&'a Path, u64),
}

/// A function that is told of a table that is made, from any thread.
pub type Tell = Arc<dyn Fn(TableNews<'_>) + Send + Sync>;

/// Where tables are stored and how they are made.
#[derive(Clone)]
pub struct SolverSettings {
    /// The directory of the tables. Without one they are kept in memory alone.
    pub directory: Option<PathBuf>,
    /// How many threads make a table.
    pub threads: NonZeroUsize,
    /// Told about a solve while it runs.
    pub tell: Option<Tell>,
    /// The most positions that a search for one value looks at, if that is to be fewer than usual.
    /// More values are unknown then.
    pub most_positions: Option<u64>,
    /// Ends searches early. More values are unknown then.
    pub stop: Option<Stop>,
    /// Whether a table that is missing is made. If not, values that need it are unknown.
    pub makes_tables: bool,
}

impl Default for SolverSettings {
    /// In memory, on one thread.
    fn default() -> Self {
        SolverSettings {
            directory: None,
            threads: NonZeroUsize::MIN,
            tell: None,
            most_positions: None,
            stop: None,
            makes_tables: true,
        }
    }
}

/// Something that went wrong, although the values are right.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Warning {
    /// A file could not be used, so the table was made again.
    MadeAgain {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        damage: Damage,
    },
    /// The table could not be stored, so it is in memory alone.
    NotStored {
        /// The file that was not written.
        path: PathBuf,
        /// The message of the system.
        error: String,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::MadeAgain { path, damage } => {
                write!(f, "{}: {damage}; the table was made again", path.display())
            }
            Warning::NotStored { path, error } => {
                write!(f, "{}: {error}; the table is kept in memory alone", path.display())
            }
        }
    }
}

/// The cells of a table.
enum Cells {
    File(TableFile),
    Memory(Vec<u8>),
}

impl Cells {
    fn cell(&self, cell: u64) -> Result<u8, Damage> {
        match self {
            Cells::File(file) => file.cell(cell),
            Cells::Memory(bytes) => Ok(bytes[cell as usize]),
        }
    }
}

/// Makes the bytes of a table, on so many threads, and tells how many cells are done.
type Make = Box<dyn Fn(NonZeroUsize, &(dyn Fn(u64) + Sync)) -> Vec<u8> + Send + Sync>;

/// One table: opened or made on first use.
pub(crate) struct StoredTable {
    key: TableKey,
    settings: SolverSettings,
    make: Make,
    first: OnceLock<Cells>,
    /// The table that replaces `first`, if its file turned out to be damaged.
    second: OnceLock<Cells>,
    warnings: Mutex<Vec<Warning>>,
}

impl StoredTable {
    pub(crate) fn new(key: TableKey, settings: SolverSettings, make: Make) -> Self {
        let (first, second) = (OnceLock::new(), OnceLock::new());
        StoredTable { key, settings, make, first, second, warnings: Mutex::default() }
    }

    /// The byte of a cell. The table is opened or made if need be.
    pub(crate) fn cell(&self, cell: u64) -> u8 {
        match self.first().cell(cell) {
            Ok(byte) => byte,
            Err(damage) => {
                let second = self.second.get_or_init(|| Cells::Memory(self.made_again(damage)));
                second.cell(cell).expect("memory is not damaged")
            }
        }
    }

    /// The byte of a cell as the settings allow: `None` if the table would have to be made and may
    /// not.
    pub(crate) fn found(&self, cell: u64) -> Option<u8> {
        if self.settings.makes_tables {
            return Some(self.cell(cell));
        }
        self.opened()?.cell(cell).ok()
    }

    /// Whether the table is there or may be made.
    pub(crate) fn is_usable(&self) -> bool {
        self.settings.makes_tables || self.opened().is_some()
    }

    /// The table, if it is open or its file is whole.
    fn opened(&self) -> Option<&Cells> {
        if self.first.get().is_none() {
            let file = TableFile::open(&self.path()?, &self.key).ok()?;
            return Some(self.first.get_or_init(|| Cells::File(file)));
        }
        self.first.get()
    }

    /// Opens the table, or makes and stores it if the settings allow.
    pub(crate) fn prepare(&self) {
        if self.settings.makes_tables {
            self.first();
        } else {
            self.opened();
        }
    }

    /// The file, if the settings have a directory.
    pub(crate) fn path(&self) -> Option<PathBuf> {
        let name: String =
            self.key.name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        Some(self.settings.directory.as_ref()?.join(format!("{name}.table")))
    }

    /// How many threads may work.
    pub(crate) fn threads(&self) -> NonZeroUsize {
        self.settings.threads
    }

    /// The number of cells.
    pub(crate) fn cells(&self) -> u64 {
        self.key.cells
    }

    /// The warnings since the last call.
    pub(crate) fn take_warnings(&self) -> Vec<Warning> {
        std::mem::take(&mut *self.warnings.lock().expect("no thread panicked"))
    }

    fn first(&self) -> &Cells {
        self.first.get_or_init(|| {
            let Some(path) = self.path() else { return Cells::Memory(self.made()) };
            match TableFile::open(&path, &self.key) {
                Ok(file) => Cells::File(file),
                Err(Damage::Missing) => self.stored(&path, self.made()),
                Err(damage) => Cells::Memory(self.made_again(damage)),
            }
        })
    }

    /// Makes the table in place of a damaged one, and stores it.
    fn made_again(&self, damage: Damage) -> Vec<u8> {
        let bytes = self.made();
        if let Some(path) = self.path()
            && self.store(&path, &bytes)
        {
            self.warn(Warning::MadeAgain { path, damage });
        }
        bytes
    }

    fn stored(&self, path: &Path, bytes: Vec<u8>) -> Cells {
        if !self.store(path, &bytes) {
            return Cells::Memory(bytes);
        }
        // The file takes less memory than the bytes.
        TableFile::open(path, &self.key).map_or(Cells::Memory(bytes), Cells::File)
    }

    fn store(&self, path: &Path, bytes: &[u8]) -> bool {
        let result = write(path, &self.key, bytes);
        match (&result, &self.settings.tell) {
            (Err(error), _) => {
                self.warn(Warning::NotStored { path: path.to_owned(), error: error.to_string() });
            }
            (Ok(bytes), Some(tell)) => tell(TableNews::Stored(path, *bytes)),
            (Ok(_), None) => {}
        }
        result.is_ok()
    }

    fn made(&self) -> Vec<u8> {
        let tell = |done| {
            if let Some(tell) = &self.settings.tell {
                tell(TableNews::Cells(CellsDone { done, of: self.key.cells }));
            }
        };
        (self.make)(self.settings.threads, &tell)
    }

    fn warn(&self, warning: Warning) {
        self.warnings.lock().expect("no thread panicked").push(warning);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::sync::atomic::{AtomicU32, Ordering};

    fn table(directory: &Path, made: &Arc<AtomicU32>) -> StoredTable {
        let made = made.clone();
        let make = move |_, tell: &(dyn Fn(u64) + Sync)| {
            made.fetch_add(1, Ordering::Relaxed);
            tell(20_000);
            (0..20_000_u32).map(|cell| (cell % 250) as u8).collect()
        };
        let settings = SolverSettings { directory: Some(directory.to_owned()), ..SolverSettings::default() };
        StoredTable::new(TableKey { name: "test".to_owned(), cells: 20_000 }, settings, Box::new(make))
    }

    #[test]
    fn a_table_is_made_once_and_then_read() {
        let home = tempfile::tempdir().unwrap();
        let made = Arc::new(AtomicU32::new(0));
        for _ in 0..3 {
            let stored = table(home.path(), &made);
            assert_eq!((stored.cell(19_999), stored.take_warnings()), (249, vec![]));
        }
        assert_eq!(made.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn a_damaged_file_is_made_again_with_a_warning() {
        let home = tempfile::tempdir().unwrap();
        let made = Arc::new(AtomicU32::new(0));
        table(home.path(), &made).prepare();
        let path = table(home.path(), &made).path().unwrap();
        let whole = fs::read(&path).unwrap();
        let mut changed = whole.clone();
        *changed.last_mut().unwrap() ^= 1;
        for (round, bytes) in [&changed[..], &whole[..700], b"else"].into_iter().enumerate() {
            fs::write(&path, bytes).unwrap();
            let stored = table(home.path(), &made);
            assert_eq!((stored.cell(0), stored.cell(19_999)), (0, 249));
            let warnings = stored.take_warnings();
            assert!(matches!(&warnings[..], [Warning::MadeAgain { .. }]), "{warnings:?}");
            assert_eq!(fs::read(&path).unwrap(), whole);
            assert_eq!(made.load(Ordering::Relaxed), 2 + round as u32);
        }
    }

    #[test]
    fn a_directory_that_cannot_be_written_costs_one_warning() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("file");
        fs::write(&file, "").unwrap();
        let stored = table(&file.join("below"), &Arc::new(AtomicU32::new(0)));
        assert_eq!((stored.cell(7), stored.cell(8)), (7, 8));
        let warnings = stored.take_warnings();
        assert!(matches!(&warnings[..], [Warning::NotStored { .. }]), "{warnings:?}");
    }

    /// Each writer has a temporary file of its own. A reader sees a whole file at all times.
    #[test]
    fn two_that_make_the_same_table_leave_one_whole_file() {
        let home = tempfile::tempdir().unwrap();
        let made = Arc::new(AtomicU32::new(0));
        let path = table(home.path(), &made).path().unwrap();
        let key = TableKey { name: "test".to_owned(), cells: 20_000 };
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..25 {
                        let bytes: Vec<u8> = (0..20_000_u32).map(|cell| (cell % 250) as u8).collect();
                        write(&path, &key, &bytes).unwrap();
                        assert_eq!(TableFile::open(&path, &key).unwrap().cell(19_999), Ok(249));
                    }
                });
            }
        });
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);
    }
}
