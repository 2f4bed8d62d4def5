//! What the results of imported games count: a run of the directory says it, or the games
//! themselves, or an option.

use agon_config::Misuse;
use agon_programs::program::display_path;
use agon_standings::scoring::Scoring;
use agon_store::Store;
use agon_store::imported::{CountedAs, Imported, Repeats};

use super::facts::Difference;

/// What is known of it so far.
pub struct ImportCounts {
    /// Whether a run of the directory says it.
    has_run: bool,
    /// The number of seats of the games that count.
    seats: Option<usize>,
    /// The points of `--points`.
    given: Option<String>,
    /// Whether they replace those of the games.
    has_given: bool,
    /// What the games count.
    known: Option<CountedAs>,
    /// Where their referee program was found.
    folder: Option<String>,
}

/// How a game is judged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Judged {
    /// By built-in rules.
    ByRules,
    /// By a referee program, whose scores add up or not.
    ByProgram(bool),
}

/// Why a game is not let in.
#[derive(Debug)]
pub struct Refused {
    /// What is wrong, with the key.
    pub why: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl From<String> for Refused {
    fn from(why: String) -> Self {
        Refused { why, hint: None }
    }
}

impl From<Difference> for Refused {
    fn from(difference: Difference) -> Self {
        difference.to_string().into()
    }
}

impl ImportCounts {
    /// What is known before the first game.
    ///
    /// # Errors
    /// [`Misuse`] if points are given for a directory whose run has points, or errors of the
    /// database.
    pub fn of(store: &Store, given: Option<&str>) -> anyhow::Result<Self> {
        let has_run = store.has_run()?;
        if has_run && given.is_some() {
            return Err(Misuse::hinted(
                format!("--points: {} has a run, whose points count", display_path(store.directory())),
                "leave out --points, or import into another directory",
            ));
        }
        let noted = store.imported()?;
        let (games, ..) = store.counts()?;
        let seats = if games > 0 { Some(store.tables()?.seats) } else { None };
        Ok(ImportCounts {
            has_run,
            seats,
            given: given.map(str::to_owned),
            has_given: given.is_some(),
            folder: noted.as_ref().and_then(|noted| noted.folder.clone()),
            known: noted.map(|noted| noted.counted_as),
        })
    }

    /// Takes a game that counts, with so many seats. `said` is what it says itself.
    ///
    /// # Errors
    /// It has other seats than the others, or counts otherwise, or nothing says what it counts.
    pub fn take(&mut self, seats: usize, said: Option<&CountedAs>, judged: Judged) -> Result<(), Refused> {
        let others = *self.seats.get_or_insert(seats);
        if others != seats {
            let why = format!("there are {seats}, but the other games have {others}");
            return Err(Refused {
                why: Difference::at("seats", why).to_string(),
                hint: Some("import it into another directory".to_owned()),
            });
        }
        if self.has_run {
            return Ok(());
        }
        if let Some(said) = said {
            Scoring::read(&said.points, seats)
                .map_err(|error| Difference::at("counted_as.points", error.to_string()))?;
        }
        if let Some(points) = self.given.take() {
            let scoring = Scoring::read(&points, seats)
                .map_err(|error| Refused { why: format!("--points: {error}"), hint: None })?;
            let (repeats, tiebreaks, stage) = match said.or(self.known.as_ref()) {
                Some(said) => (said.repeats, said.tiebreaks.clone(), said.stage.clone()),
                // As runs of this agon count them.
                None if judged == Judged::ByRules => (Repeats::Once, None, None),
                None => (Repeats::Each, None, None),
            };
            self.known = Some(CountedAs { points: scoring.to_string(), repeats, tiebreaks, stage });
        }
        match (&self.known, said) {
            (Some(known), Some(said)) if !self.agree(known, said) => {
                let words = |of: &CountedAs| serde_json::to_string(of).unwrap_or_default();
                let why = format!("is {}, but that of the other games is {}", words(said), words(known));
                Err(Refused {
                    why: Difference::at("counted_as", why).to_string(),
                    hint: Some(
                        "import it into another directory, or say with --points what all games count"
                            .to_owned(),
                    ),
                })
            }
            (Some(_), _) => Ok(()),
            (None, Some(said)) => {
                self.known = Some(said.clone());
                Ok(())
            }
            (None, None) => {
                let own =
                    if judged == Judged::ByProgram(true) { Scoring::Sum } else { Scoring::usual(seats) };
                let why = "is missing, and nothing else says what a result counts";
                Err(Refused {
                    why: Difference::at("counted_as", why).to_string(),
                    hint: Some(format!(
                        "give the points of their run, such as --points {own}, or export the games again with this \
                         agon"
                    )),
                })
            }
        }
    }

    /// Whether a game counts as the others do, but for points that are given for all.
    fn agree(&self, known: &CountedAs, said: &CountedAs) -> bool {
        let said = match self.has_given {
            true => CountedAs { points: known.points.clone(), ..said.clone() },
            false => said.clone(),
        };
        *known == said
    }

    /// The stage whose games they are, if they are those of one.
    pub fn stage(&self) -> Option<&str> {
        self.known.as_ref()?.stage.as_deref()
    }

    /// What is to be noted in the directory, where `folder` is that of the referee program.
    pub fn noted(&self, folder: Option<String>) -> Option<Imported> {
        if self.has_run {
            return None;
        }
        let counted_as = self.known.clone()?;
        Some(Imported { seats: self.seats?, counted_as, folder: folder.or_else(|| self.folder.clone()) })
    }
}
