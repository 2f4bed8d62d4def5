//! Keys of a `tournament.toml` that a grading leaves alone.

use std::path::PathBuf;

use agon_class::Class;
use agon_config::TournamentFile;
use agon_tournament::entrants;

/// What a `tournament.toml` says for `agon plan`, `agon tournament` and the nights alone. One file
/// can serve them all, so a grading leaves these keys alone, and says what it leaves out by that.
pub(crate) struct OfNights {
    /// The folder of the key `engines`, and its place in the file.
    engines: Option<(PathBuf, String)>,
    /// The place of the table `league`.
    league: Option<String>,
}

impl OfNights {
    pub(crate) fn of(file: &TournamentFile) -> Self {
        let place = |key: &str| file.lines.place(&[key]);
        OfNights {
            engines: file.engines.clone().map(|folder| (folder, place("engines"))),
            league: file.league.as_ref().map(|_| place("league")),
        }
    }

    /// A line for each key that names something which is not graded.
    pub(crate) fn remarks(&self, class: &Class) -> Vec<String> {
        let mut remarks = Vec::new();
        if let Some((folder, place)) = &self.engines {
            // A folder that cannot be read has no engine that somebody could miss.
            let mut listed =
                entrants::listed(folder, None).map(|listing| listing.engines).unwrap_or_default();
            // Those of the inbox are students of the class under their aliases.
            listed.retain(|engine| !agon_class::came_by_inbox(&engine.source));
            let others = class.count_others(&listed);
            if others > 0 {
                let are =
                    if others == 1 { "1 engine there is" } else { &format!("{others} engines there are") };
                remarks.push(format!(
                    "{place}: {are} not in the roster, and not graded; engines of your own play as baselines of \
                     [grades]"
                ));
            }
        }
        if let Some(place) = &self.league {
            remarks.push(format!("{place}: the grades come from one tournament of all, not from the nights"));
        }
        remarks
    }
}
