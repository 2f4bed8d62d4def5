//! Pauses of single games, which the organiser gives from another process while a game waits.
//!
//! A directory of the run holds up to three files for each game that is played now: `ID.playing`;
//! `ID.pause`, with the reason, as long as a pause is asked for; `ID.paused`, as long as the game
//! is paused. The harness writes the first and the third, the organiser's command the second. While
//! there is a file `all.pause`, no game begins.

use std::fs;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use agon_printable::escape;
use agon_standings::result::GameId;

const PLAYING: &str = "playing";
const ASKED: &str = "pause";
const PAUSED: &str = "paused";
/// The file that lets no new game begin.
const HOLD: &str = "all.pause";
/// The name of the directory in that of the run.
const DIRECTORY: &str = "agon.pauses";
/// The most characters of a reason.
const REASON: usize = 200;

/// The pauses of a run.
#[derive(Clone, Debug)]
pub struct Pauses {
    directory: PathBuf,
}

/// A game that is played now, as the organiser sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlayedNow {
    /// Which game it is.
    pub game: GameId,
    /// Whether a pause is asked for.
    pub asked: bool,
    /// Whether it is paused.
    pub paused: bool,
}

impl Pauses {
    /// The pauses of the run in this directory.
    pub fn of_run(directory: &Path) -> Self {
        Pauses { directory: directory.join(DIRECTORY) }
    }

    /// Allows pauses in this run. What an earlier one left is removed.
    ///
    /// # Errors
    /// Errors of the disk.
    pub fn allow(&self) -> io::Result<()> {
        self.forbid()?;
        fs::create_dir(&self.directory)
    }

    /// Removes the directory, if it is there.
    ///
    /// # Errors
    /// Errors of the disk.
    pub fn forbid(&self) -> io::Result<()> {
        match fs::remove_dir_all(&self.directory) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Whether the run allows pauses.
    pub fn are_allowed(&self) -> bool {
        self.directory.is_dir()
    }

    /// The games that are played now, in the order of their ids.
    ///
    /// # Errors
    /// Errors of the disk.
    pub fn played_now(&self) -> io::Result<Vec<PlayedNow>> {
        let mut games = Vec::new();
        for entry in fs::read_dir(&self.directory)? {
            let path = entry?.path();
            let stem = path.file_stem().and_then(|stem| stem.to_str());
            if let Some(game) = stem.and_then(|stem| stem.parse().ok())
                && path.extension().is_some_and(|end| end == PLAYING)
            {
                let asked = self.file(game, ASKED).exists();
                games.push(PlayedNow { game, asked, paused: self.file(game, PAUSED).exists() });
            }
        }
        games.sort_by_key(|played| played.game);
        Ok(games)
    }

    /// Asks for a pause of this game.
    ///
    /// # Errors
    /// Errors of the disk.
    pub fn ask(&self, game: GameId, why: &str) -> io::Result<()> {
        // Renamed into place, so that no reason is read before it is whole.
        let draft = self.file(game, "draft");
        fs::write(&draft, why)?;
        fs::rename(draft, self.file(game, ASKED))
    }

    /// Lets no new game begin.
    ///
    /// # Errors
    /// Errors of the disk.
    pub fn hold(&self) -> io::Result<()> {
        fs::write(self.directory.join(HOLD), "")
    }

    /// Whether no new game begins.
    pub fn is_held(&self) -> bool {
        self.directory.join(HOLD).exists()
    }

    /// Lets new games begin again. Returns whether none began.
    ///
    /// # Errors
    /// Errors of the disk.
    pub fn let_begin(&self) -> io::Result<bool> {
        match fs::remove_file(self.directory.join(HOLD)) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Ends the pause of this game, or the request for one.
    ///
    /// # Errors
    /// Errors of the disk.
    pub fn end(&self, game: GameId) -> io::Result<()> {
        fs::remove_file(self.file(game, ASKED))
    }

    /// A game that is played from now on, until the result is dropped. No pause of it is longer
    /// than `longest`.
    ///
    /// # Errors
    /// Errors of the disk.
    pub fn begin(&self, game: GameId, longest: Duration) -> io::Result<PausableGame> {
        let pauses = GamePauses { all: self.clone(), game, longest };
        pauses.remove(ASKED);
        fs::write(self.file(game, PLAYING), "")?;
        Ok(PausableGame(pauses))
    }

    fn file(&self, game: GameId, end: &str) -> PathBuf {
        self.directory.join(format!("{game}.{end}"))
    }
}

/// A game that is played now. Dropped, it is over.
#[derive(Debug)]
pub struct PausableGame(GamePauses);

impl PausableGame {
    /// The pauses of the game.
    pub fn pauses(&self) -> GamePauses {
        self.0.clone()
    }
}

impl Drop for PausableGame {
    fn drop(&mut self) {
        [PLAYING, ASKED, PAUSED].iter().for_each(|end| self.0.remove(end));
    }
}

/// The pauses of one game, as the harness sees them.
#[derive(Clone, Debug)]
pub struct GamePauses {
    all: Pauses,
    game: GameId,
    /// The longest pause.
    pub(super) longest: Duration,
}

impl GamePauses {
    /// Whether a pause is asked for.
    pub(super) fn is_asked(&self) -> bool {
        self.all.file(self.game, ASKED).exists()
    }

    /// The game is paused from now on. Returns the reason, escaped.
    pub(super) fn begin(&self) -> String {
        let mut why = Vec::new();
        let file = fs::File::open(self.all.file(self.game, ASKED));
        // A reason that cannot be read is none: the pause does not depend on it.
        let _ = file.and_then(|file| file.take(4 * REASON as u64).read_to_end(&mut why));
        let _ = fs::write(self.all.file(self.game, PAUSED), ""); // only the organiser's command reads it
        escape(why.trim_ascii(), REASON)
    }

    /// The pause is over.
    pub(super) fn end(&self) {
        [ASKED, PAUSED].iter().for_each(|end| self.remove(end));
    }

    fn remove(&self, end: &str) {
        let _ = fs::remove_file(self.all.file(self.game, end)); // it may not be there
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_can_be_paused_only_while_it_is_played() {
        let home = tempfile::tempdir().unwrap();
        let pauses = Pauses::of_run(home.path());
        assert!(!pauses.are_allowed());
        pauses.allow().unwrap();
        assert!(pauses.are_allowed());
        let id: GameId = "r01-p0002-g03".parse().unwrap();
        let played = pauses.begin(id, Duration::from_secs(3)).unwrap();
        let game = played.pauses();
        assert!(!game.is_asked());
        pauses.ask(id, "  a \x07 power cut\n").unwrap();
        assert!(game.is_asked());
        assert_eq!(pauses.played_now().unwrap(), [PlayedNow { game: id, asked: true, paused: false }]);
        assert_eq!(game.begin(), "a \\x07 power cut");
        assert_eq!(pauses.played_now().unwrap(), [PlayedNow { game: id, asked: true, paused: true }]);
        pauses.end(id).unwrap();
        assert!(!game.is_asked());
        game.end();
        drop(played);
        assert!(!pauses.is_held() && !pauses.let_begin().unwrap());
        pauses.hold().unwrap();
        assert!(pauses.is_held());
        assert_eq!(pauses.played_now().unwrap(), []);
        assert!(pauses.let_begin().unwrap() && !pauses.is_held());
    }
}
