//! The notes on submissions, in small JSON files.

use std::fs;
use std::path::Path;

use agon_config::Misuse;
use agon_export::atomic;
use agon_printable::clean;
use agon_programs::program::display_path;
use agon_sandbox::Isolation;
use anyhow::Result;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::places::Inbox;

/// What the server has to know of the process that does the work.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct InboxNote {
    /// The level at which engines are built, tried and played.
    pub isolation: String,
    /// Why the level `strict` is not available on the machine, if it is not.
    pub without_strict: Option<String>,
    /// The game.
    pub game: String,
}

/// A submission that was answered.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct AnsweredSubmission {
    /// When it was answered, as text in the time of the machine.
    pub when: String,
    /// When it had come; an older version has not noted it.
    #[serde(default)]
    pub arrived: Option<String>,
    /// The name of the archive, as it came.
    pub archive: String,
    /// The beginning of the hash of its content.
    pub version: String,
    /// Why it is refused; `None` if it is accepted.
    pub refused: Option<String>,
    /// What is worth a word though it is accepted.
    pub remark: Option<String>,
}

/// The version that plays.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct Accepted {
    /// When it was accepted.
    pub when: String,
    /// When it had come, for the first time; as in [`AnsweredSubmission`].
    #[serde(default)]
    pub arrived: Option<String>,
    /// The beginning of the hash of its content.
    pub version: String,
}

/// What an author is told.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug, Default)]
pub struct SubmissionNote {
    /// The version in the pool.
    pub plays: Option<Accepted>,
    /// The last submission.
    pub last: Option<AnsweredSubmission>,
}

const STATUS: &str = "status.json";
const NOTE: &str = "inbox.json";
const QUEUE: &str = "queue.json";

impl Inbox {
    /// Whether engines are confined as submissions of everybody must be: at `strict`, or at
    /// `sandbox` where `strict` is not available. Then the reason is returned, to be said aloud.
    ///
    /// # Errors
    /// [`Misuse`].
    pub fn is_confined(&self) -> Result<Option<String>> {
        let shown = display_path(self.root());
        let Some(note) = self.note() else {
            let what = format!("--accept {shown}: no agon inbox has worked in it");
            return Err(Misuse::hinted(what, format!("start agon inbox {shown} first")));
        };
        match (note.isolation.parse::<Isolation>(), note.without_strict) {
            (Ok(Isolation::Strict), _) => Ok(None),
            (Ok(Isolation::Sandbox), Some(why)) => Ok(Some(format!(
                "submissions are built and played at isolation sandbox, because strict is not available: {why}"
            ))),
            _ => Err(Misuse::hinted(
                format!(
                    "--accept {shown}: agon inbox works in it at isolation {}, and strict is available",
                    clean(&note.isolation)
                ),
                "write isolation = \"strict\" into its tournament.toml, and start agon inbox again",
            )),
        }
    }

    /// What was noted at the last start of `agon inbox`; `None` if it was never started.
    pub fn note(&self) -> Option<InboxNote> {
        read(&self.reports().join(NOTE))
    }

    /// Notes it.
    ///
    /// # Errors
    /// Errors of the disk.
    pub fn write_note(&self, note: &InboxNote) -> Result<()> {
        write(&self.reports().join(NOTE), note)
    }

    /// What is told to the author behind an alias; empty if nothing has come.
    pub fn status(&self, alias: &str) -> SubmissionNote {
        read(&self.report(alias).join(STATUS)).unwrap_or_default()
    }

    /// Tells it.
    ///
    /// # Errors
    /// Errors of the disk.
    pub fn write_status(&self, alias: &str, status: &SubmissionNote) -> Result<()> {
        write(&self.report(alias).join(STATUS), status)
    }

    /// Notes the aliases whose submissions are in work or wait for it, the first first.
    ///
    /// # Errors
    /// Errors of the disk.
    pub fn write_queue(&self, aliases: &[String]) -> Result<()> {
        write(&self.reports().join(QUEUE), &aliases)
    }

    /// The place of an alias in the queue, from 1; `None` if nothing of it waits.
    pub fn place_in_queue(&self, alias: &str) -> Option<usize> {
        self.queue().iter().position(|own| own == alias).map(|before| before + 1)
    }

    /// The aliases whose submissions are in work or wait for it, the first first.
    pub fn queue(&self) -> Vec<String> {
        let mut queue: Vec<String> = read(&self.reports().join(QUEUE)).unwrap_or_default();
        for (path, _) in self.uploaded() {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let own = name.split('.').next().unwrap_or_default().to_owned();
            if !queue.contains(&own) {
                queue.push(own);
            }
        }
        queue
    }

    /// The aliases of which something is told.
    pub fn aliases(&self) -> Vec<String> {
        let entries = fs::read_dir(self.reports()).into_iter().flatten().flatten();
        let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        let mut all: Vec<String> =
            folders.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        all.sort();
        all
    }
}

/// A file that cannot be read tells nothing: it will be written again.
fn read<T: DeserializeOwned>(path: &Path) -> Option<T> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

fn write(path: &Path, note: &impl Serialize) -> Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut text = serde_json::to_string(note)?;
    text.push('\n');
    if fs::read_to_string(path).is_ok_and(|before| before == text) {
        return Ok(()); // a folder in which nothing happens costs no writes
    }
    atomic::write_text(path, &text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uploads_wait_behind_what_is_in_work() {
        let home = tempfile::tempdir().unwrap();
        let inbox = Inbox::at(home.path());
        inbox.make().unwrap();
        assert_eq!(inbox.place_in_queue("quiet-otter"), None);
        inbox.write_queue(&["calm-owl".to_owned(), "grey-wren".to_owned()]).unwrap();
        fs::write(inbox.uploads().join("calm-owl.zip"), "").unwrap();
        fs::write(inbox.uploads().join("quiet-otter.tar.gz"), "").unwrap();
        fs::write(inbox.uploads().join(".late-lynx"), "").unwrap();
        let places =
            ["calm-owl", "grey-wren", "quiet-otter", "late-lynx"].map(|one| inbox.place_in_queue(one));
        assert_eq!(places, [Some(1), Some(2), Some(3), None]);
    }
}
