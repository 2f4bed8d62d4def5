//! The files `key.csv`, with the student of each alias, and `key.secret`, from which aliases are
//! drawn.

use std::fs::{self, OpenOptions, Permissions};
use std::io::{Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

use agon_config::Misuse;
use agon_export::cells::{self, CsvCell};
use agon_printable::without_mark;
use agon_programs::program::display_path;
use anyhow::Context;

use super::aliases::Secret;

/// The columns of the key file.
const COLUMNS: [&str; 4] = ["alias", "id", "name", "mail"];

/// A line of the key file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeyRow {
    /// The alias.
    pub alias: String,
    /// The id in the roster.
    pub id: String,
    /// The name.
    pub name: String,
    /// The address.
    pub mail: String,
}

impl KeyRow {
    /// The student, with everything that a teacher may correct.
    pub(super) fn told(&self) -> String {
        format!("{} {} <{}>", self.id, self.name, self.mail)
    }
}

/// Reads the text of the key file at `path`.
///
/// # Errors
/// [`Misuse`], which names the file and the line.
pub fn read_key(bytes: &[u8], path: &Path) -> anyhow::Result<Vec<KeyRow>> {
    let mut reader = csv::Reader::from_reader(without_mark(bytes));
    let wrong = |line: u64| {
        Misuse::hinted(
            format!("{}: line {line}: not a line of a key file", display_path(path)),
            "give the key file that agon grade has written",
        )
    };
    // Its columns are read by their places.
    let head = reader.headers().map_err(|_| wrong(1))?;
    if !head.iter().eq(COLUMNS) {
        return Err(wrong(1));
    }
    let mut known = Vec::new();
    for (line, row) in (2..).zip(reader.records()) {
        let row = row.map_err(|_| wrong(line))?;
        let cells: Vec<String> = row.iter().map(|cell| CsvCell::read(cell).to_owned()).collect();
        let [alias, id, name, mail] = <[String; 4]>::try_from(cells).map_err(|_| wrong(line))?;
        known.push(KeyRow { alias, id, name, mail });
    }
    Ok(known)
}

/// Reads a file that `agon grade` has written.
pub(super) fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    fs::read(path).map_err(|error| {
        let what = format!("{}: cannot be read: {error}", display_path(path));
        Misuse::hinted(what, "give another folder with --to")
    })
}

/// The secret from which aliases are drawn. The file at `path` is made once, readable for its owner
/// alone.
pub(super) fn secret(path: &Path) -> anyhow::Result<Secret> {
    let mut secret = Secret::default();
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Ok(mut file) => fs::File::open("/dev/urandom")
            .and_then(|mut random| random.read_exact(&mut secret))
            .and_then(|()| file.write_all(&secret))
            .and_then(|()| file.sync_all())
            .inspect_err(|_| {
                let _ = fs::remove_file(path); // half a secret is useless
            })
            .with_context(|| format!("cannot make {}", display_path(path)))?,
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            secret = read(path)?.try_into().map_err(|_| {
                Misuse::hinted(
                    format!("{}: not the 32 bytes that agon grade has written", display_path(path)),
                    "remove it, and new aliases are drawn from a new secret",
                )
            })?;
        }
        Err(error) => return Err(error).with_context(|| format!("cannot make {}", display_path(path))),
    }
    Ok(secret)
}

/// Writes a key file that only its owner may read.
pub(super) fn write(path: &Path, known: &[KeyRow]) -> anyhow::Result<()> {
    let row = |KeyRow { alias, id, name, mail }: &KeyRow| {
        [alias, id, name, mail].map(|cell| CsvCell::text(cell)).into()
    };
    let text = cells::text_of(COLUMNS, known.iter().map(row))?;
    let beside = path.with_extension("new");
    let written = || -> std::io::Result<()> {
        let mut file =
            OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&beside)?;
        // An older file there may be readable for others.
        file.set_permissions(Permissions::from_mode(0o600))?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&beside, path)
    };
    written().with_context(|| format!("cannot write {}", display_path(path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_file_has_no_formula_and_its_students_come_back_as_they_were() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("key.csv");
        let row = |id: &str, name: &str| {
            let [alias, id, name, mail] = ["quiet-otter", id, name, "@x"].map(str::to_owned);
            KeyRow { alias, id, name, mail }
        };
        let rows = [row("-17", "=1+1"), row("18", "Block, \"Jasen\"")];
        write(&path, &rows).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().nth(1), Some("quiet-otter,'-17,'=1+1,'@x"));
        assert_eq!(read_key(text.as_bytes(), &path).unwrap(), rows);
    }
}
