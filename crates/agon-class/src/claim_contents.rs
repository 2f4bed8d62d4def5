//! The contents of what was handed in, by their hashes.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use agon_store::hash;

use super::build_memory;
use super::claims::IntakeClaim;

/// The hashes of what was handed in, each made once.
#[derive(Default)]
pub(super) struct ClaimContents(RefCell<HashMap<PathBuf, Option<String>>>);

impl ClaimContents {
    /// Whether two submissions are the same files.
    pub(super) fn are_equal(&self, one: &IntakeClaim, other: &IntakeClaim) -> bool {
        self.of(one).is_some_and(|one| self.of(other) == Some(one))
    }

    /// The hash of all files, as a table shows it; empty if one of them cannot be read. It begins
    /// with a letter: a spreadsheet would write another number.
    pub(super) fn shown(&self, claim: &IntakeClaim) -> String {
        let all: Option<Vec<String>> = claim.files.iter().map(|file| self.of_file(&file.path)).collect();
        all.map_or_else(String::new, |all| format!("h{:.16}", hash::of_bytes(all.join("\n").as_bytes())))
    }

    fn of(&self, claim: &IntakeClaim) -> Option<String> {
        let [only] = &claim.files[..] else { return None };
        self.of_file(&only.path)
    }

    fn of_file(&self, path: &Path) -> Option<String> {
        let mut known = self.0.borrow_mut();
        let content = known.entry(path.to_owned());
        content.or_insert_with(|| build_memory::content_of(path)).clone()
    }
}
