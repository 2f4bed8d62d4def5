//! The tokens with which authors and staff ask the server for what is theirs. A token is shown
//! once, when it is made; only its hash is kept.

use std::fs::{self, DirBuilder, File};
use std::io::Read;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use agon_config::Misuse;
use agon_export::atomic;
use agon_export::cells::{self, CsvCell};
use agon_printable::without_mark;
use agon_programs::program::display_path;
use anyhow::{Context, Result};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// Whose a token is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Holder {
    /// The author behind an alias.
    Author(String),
    /// A member of the staff, by name.
    Staff(String),
}

/// A token as it is kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TokenRow {
    /// Whose it is.
    pub holder: Holder,
    /// The SHA-256 of the token, in hexadecimal.
    pub hash: String,
    /// When it was made, as text.
    pub made: String,
    /// When it was revoked, as text.
    pub revoked: Option<String>,
}

/// All tokens of a class.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tokens {
    path: PathBuf,
    /// In the order in which they were made.
    pub rows: Vec<TokenRow>,
}

const FILE: &str = "tokens.csv";
const COLUMNS: [&str; 5] = ["role", "name", "sha256", "made", "revoked"];

impl Tokens {
    /// Reads the tokens in a folder; none if there is no file.
    ///
    /// # Errors
    /// [`Misuse`], which names the file and the line.
    pub fn read(folder: &Path) -> Result<Tokens> {
        let path = folder.join(FILE);
        let mut tokens = Tokens { path, rows: Vec::new() };
        if !tokens.path.exists() {
            return Ok(tokens);
        }
        let bytes =
            fs::read(&tokens.path).with_context(|| format!("cannot read {}", display_path(&tokens.path)))?;
        let wrong = |line: u64| {
            Misuse::hinted(
                format!("{}: line {line}: not a line of a file of tokens", display_path(&tokens.path)),
                "restore the file that agon token has written, or remove it and make new tokens",
            )
        };
        let mut reader = csv::Reader::from_reader(without_mark(&bytes));
        // Its columns are read by their places.
        let head = reader.headers().map_err(|_| wrong(1))?;
        if !head.iter().eq(COLUMNS) {
            return Err(wrong(1));
        }
        for (line, row) in (2..).zip(reader.records()) {
            let row = row.map_err(|_| wrong(line))?;
            let cells: Vec<&str> = row.iter().map(CsvCell::read).collect();
            let [role, name, hash, made, revoked] = cells[..] else { return Err(wrong(line)) };
            let holder = match role {
                "author" => Holder::Author(name.to_owned()),
                "staff" => Holder::Staff(name.to_owned()),
                _ => return Err(wrong(line)),
            };
            let revoked = (!revoked.is_empty()).then(|| revoked.to_owned());
            tokens.rows.push(TokenRow { holder, hash: hash.to_owned(), made: made.to_owned(), revoked });
        }
        Ok(tokens)
    }

    /// Writes them. The folder is for its owner alone.
    ///
    /// # Errors
    /// Errors of the disk.
    pub fn write(&self) -> Result<()> {
        if let Some(folder) = self.path.parent() {
            DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(folder)
                .with_context(|| format!("cannot make {}", display_path(folder)))?;
        }
        let row = |TokenRow { holder, hash, made, revoked }: &TokenRow| {
            let (role, name) = match holder {
                Holder::Author(name) => ("author", name),
                Holder::Staff(name) => ("staff", name),
            };
            let last = CsvCell::maybe(revoked.as_ref());
            vec![CsvCell::exact(role), CsvCell::text(name), CsvCell::exact(hash), CsvCell::exact(made), last]
        };
        atomic::write_text(&self.path, &cells::text_of(COLUMNS, self.rows.iter().map(row))?)
    }

    /// Makes a token of 128 bits, which is known to its holder alone from then on.
    ///
    /// # Errors
    /// The system gives no random bytes.
    pub fn issue(&mut self, holder: Holder, now: &str) -> Result<String> {
        let mut bytes = [0_u8; 16];
        File::open("/dev/urandom")
            .and_then(|mut random| random.read_exact(&mut bytes))
            .context("cannot read /dev/urandom")?;
        let token: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let hash = hash_of(&token);
        self.rows.push(TokenRow { holder, hash, made: now.to_owned(), revoked: None });
        Ok(token)
    }

    /// Whether somebody has a token that is not revoked.
    pub fn has(&self, holder: &Holder) -> bool {
        self.rows.iter().any(|row| row.holder == *holder && row.revoked.is_none())
    }

    /// Revokes the tokens of somebody. Returns whether there were any.
    pub fn revoke(&mut self, holder: &Holder, now: &str) -> bool {
        let valid = self.rows.iter_mut().filter(|row| row.holder == *holder && row.revoked.is_none());
        valid.map(|row| row.revoked = Some(now.to_owned())).count() > 0
    }

    /// Whose token this is; `None` if it is nobody's or was revoked. The time that this takes tells
    /// nothing of any token: hashes are compared, all of them, and each to its end.
    pub fn holder(&self, token: &str) -> Option<&Holder> {
        let hash = hash_of(token.trim());
        let mut found = None;
        for row in &self.rows {
            let is_same = bool::from(row.hash.as_bytes().ct_eq(hash.as_bytes()));
            if is_same && row.revoked.is_none() {
                found = Some(&row.holder);
            }
        }
        found
    }
}

fn hash_of(token: &str) -> String {
    Sha256::digest(token).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_kept_as_its_hash_and_ends_when_it_is_revoked() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("tokens");
        let mut tokens = Tokens::read(&folder).unwrap();
        let [author, staff] = [Holder::Author("quiet-otter".into()), Holder::Staff("=Ada, B".into())];
        let token = tokens.issue(author.clone(), "now").unwrap();
        let of_staff = tokens.issue(staff.clone(), "now").unwrap();
        assert!(token.len() == 32 && token != of_staff);
        tokens.write().unwrap();
        let text = fs::read_to_string(folder.join(FILE)).unwrap();
        assert!(!text.contains(&token) && text.contains(&hash_of(&token)), "{text}");
        let mut tokens = Tokens::read(&folder).unwrap();
        assert_eq!((tokens.holder(&token), tokens.holder(&of_staff)), (Some(&author), Some(&staff)));
        for other in ["", "quiet-otter", &token[1..], &hash_of(&token)] {
            assert_eq!(tokens.holder(other), None, "{other}");
        }
        assert!(tokens.revoke(&author, "later") && !tokens.has(&author));
        assert!(!tokens.revoke(&author, "later"));
        assert_eq!((tokens.holder(&token), tokens.holder(&of_staff)), (None, Some(&staff)));
        tokens.write().unwrap();
        assert_eq!(Tokens::read(&folder).unwrap(), tokens);
    }
}
