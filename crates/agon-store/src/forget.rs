//! Games that are made history for good, because of the machine on which they were played.

use agon_programs::program::display_path;
use anyhow::{Context, Result};
use rusqlite::Transaction;

use super::run_facts::RENUMBERED;
use super::{Store, chain, has_table};

/// Games that were made history for good, because of their host. Unlike other history they do not
/// count again when a plan has them.
pub(super) const FORGOTTEN: &str =
    "CREATE TABLE IF NOT EXISTS forgotten (game INTEGER PRIMARY KEY REFERENCES game) STRICT";

impl Store {
    /// Makes the games of a host history for good, all or none: the next run plays them again.
    /// Returns how many there were.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn forget_host(&mut self, name: &str) -> Result<u64> {
        let cannot = || format!("cannot write {}", display_path(&self.path));
        if !has_table(&self.db, "played_on").with_context(cannot)? {
            return Ok(0);
        }
        let forget = |change: &Transaction<'_>| -> Result<(u64, chain::Link)> {
            change.execute_batch(FORGOTTEN)?;
            // Void attempts and history too: they shall not count later.
            change.execute(
                "INSERT OR IGNORE INTO forgotten (game) SELECT game FROM played_on JOIN host ON id = host \
                 WHERE record ->> 'name' = ?1",
                [name],
            )?;
            let gone = change.execute(
                "UPDATE game SET current = NULL WHERE current = 1 AND number IN (SELECT game FROM forgotten)",
                [],
            )? as u64;
            if gone > 0 {
                // The run is no longer done, its standings are those of an earlier time, and its
                // files name games that do not count.
                change.execute(
                    "UPDATE run SET outcome = ?1, ended_after = NULL \
                     WHERE number = (SELECT max(number) FROM run)",
                    [RENUMBERED],
                )?;
            }
            Ok((gone, chain::select(change)?))
        };
        let change = self.db.transaction().with_context(cannot)?;
        let (gone, head) = forget(&change).with_context(cannot)?;
        change.commit().with_context(cannot)?;
        self.head = Some(head);
        Ok(gone)
    }
}
