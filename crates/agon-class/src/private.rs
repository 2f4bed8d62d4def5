//! What only the teacher may read: every file of the private folder, and every folder in it.

use rustix::fs::Mode;
use rustix::process::umask;

/// While it lives, new files and folders of this process belong to their owner alone. Nothing else
/// is written then: no game is played while the private files are made.
pub(super) struct Private(Mode);

impl Private {
    pub(super) fn begin() -> Self {
        Private(umask(Mode::RWXG | Mode::RWXO))
    }
}

impl Drop for Private {
    fn drop(&mut self) {
        umask(self.0);
    }
}
