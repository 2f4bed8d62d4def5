//! A link of the chain of hashes, and how it is computed from contents.

use std::fmt;
use std::str::FromStr;

use rusqlite::types::ValueRef;
use sha2::{Digest, Sha256};

use super::cells::StoredCell;
use super::hash::part;

/// The hash of a game, a selection, a decision or an arrangement, and of everything stored before
/// it. Written as 32 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Link([u8; 16]);

impl Link {
    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    pub(super) fn of(hash: Sha256) -> Self {
        Link(hash.finalize()[..16].try_into().expect("a SHA-256 has 32 bytes"))
    }

    pub(super) fn read(bytes: Option<Vec<u8>>) -> Option<Self> {
        Some(Link(bytes?.try_into().ok()?))
    }
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl FromStr for Link {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            "not the head of a chain; write 32 hexadecimal digits, as agon standings shows them".to_owned()
        };
        if text.len() != 32 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(wrong());
        }
        let mut link = [0; 16];
        for (byte, digits) in link.iter_mut().zip(text.as_bytes().chunks(2)) {
            let digits = str::from_utf8(digits).map_err(|_| wrong())?;
            *byte = u8::from_str_radix(digits, 16).map_err(|_| wrong())?;
        }
        Ok(Link(link))
    }
}

/// Computes the hash of one game. NULL columns are left out.
pub(super) struct Content(Sha256);

impl Content {
    pub(super) fn after(before: Link) -> Self {
        let mut hash = Sha256::new();
        hash.update(before.0);
        hash.update(b"game");
        Content(hash)
    }

    /// The content of a decision.
    pub(super) fn of_decision(before: Link) -> Self {
        let mut hash = Sha256::new();
        hash.update(before.0);
        hash.update(b"decision");
        Content(hash)
    }

    /// The content of an arrangement.
    pub(super) fn of_arrangement(before: Link) -> Self {
        let mut hash = Sha256::new();
        hash.update(before.0);
        hash.update(b"arrangement");
        Content(hash)
    }

    pub(super) fn text(&mut self, name: &str, value: &str) {
        self.cell(name, b't', value.as_bytes());
    }

    pub(super) fn bytes(&mut self, name: &str, value: &[u8]) {
        self.cell(name, b'b', value);
    }

    pub(super) fn number(&mut self, name: &str, value: i64) {
        self.cell(name, b'n', &value.to_le_bytes());
    }

    /// A value of a column; NULL is left out.
    pub(super) fn cell_of(&mut self, name: &str, cell: &StoredCell<'_>) {
        match cell {
            StoredCell::Null => {}
            StoredCell::Number(number) => self.number(name, *number),
            StoredCell::Text(text) => self.text(name, text),
            StoredCell::Bytes(bytes) => self.bytes(name, bytes),
        }
    }

    pub(super) fn maybe_text(&mut self, name: &str, value: Option<&str>) {
        value.inspect(|value| self.text(name, value));
    }

    pub(super) fn link(self) -> Link {
        Link::of(self.0)
    }

    fn cell(&mut self, name: &str, kind: u8, value: &[u8]) {
        part(&mut self.0, name.as_bytes());
        self.0.update([kind]);
        part(&mut self.0, value);
    }

    /// Every column of a row under its name.
    pub(super) fn row(&mut self, row: &rusqlite::Row<'_>) -> rusqlite::Result<()> {
        for (at, name) in row.as_ref().column_names().into_iter().enumerate() {
            match row.get_ref(at)? {
                ValueRef::Null => {}
                ValueRef::Integer(number) => self.number(name, number),
                // No column holds a real number, but a tampered one may.
                ValueRef::Real(number) => self.cell(name, b'r', &number.to_le_bytes()),
                ValueRef::Text(text) => self.cell(name, b't', text),
                ValueRef::Blob(bytes) => self.bytes(name, bytes),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_reads_back_and_nothing_else_is_one() {
        let link = Link([0xa5; 16]);
        assert_eq!(link.to_string().parse(), Ok(link));
        assert_eq!(link.to_string().to_uppercase().parse(), Ok(link));
        for wrong in ["", "a5", "g5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5", "+5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5"] {
            assert!(wrong.parse::<Link>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn cells_do_not_run_into_each_other() {
        let link = |fill: fn(&mut Content)| {
            let mut content = Content::after(Link::default());
            fill(&mut content);
            content.link()
        };
        let some = [
            link(|content| content.text("a", "bc")),
            link(|content| content.text("ab", "c")),
            link(|content| content.bytes("a", b"bc")),
            link(|content| content.number("a", 1)),
            link(|content| content.number("a", 2)),
            link(|_| {}),
        ];
        for (at, one) in some.iter().enumerate() {
            assert!(some[..at].iter().all(|other| other != one), "{at}");
        }
        assert_eq!(link(|content| content.maybe_text("a", None)), link(|_| {}));
    }
}
