//! The `[league]` of a `tournament.toml`.

use agon_standings::league::LeagueRules;

use super::lines::{TomlEntry, Within};
use super::table::{FileTable, keys};
use super::values::KeyValue;

keys! {
    /// A league as it is written.
    LeagueFile {
        /// The number of divisions; their sizes differ by one at most, and the larger ones are the
        /// lower ones (required)
        divisions: usize,
        /// How many go up from each division but the first after a night [default: 1]
        promote: Option<usize>,
        /// How many go down from each division but the last; as many as go up
        /// [default: that of promote]
        relegate: Option<usize>,
    }
}

impl KeyValue for LeagueFile {
    fn shape() -> String {
        "a table".to_owned()
    }
    fn read(entry: &TomlEntry<'_>) -> anyhow::Result<Self> {
        Self::read_table(entry, Within::Key("league"))
    }
}

impl LeagueFile {
    /// The rules for this number of entrants.
    ///
    /// # Errors
    /// [`super::Misuse`], with the line of the key that does not fit.
    pub fn rules(&self, entrants: usize) -> anyhow::Result<LeagueRules> {
        let divisions = self.divisions;
        if divisions == 0 || entrants / divisions < 2 {
            let why = format!("{entrants} engines do not fill {divisions} divisions of two or more");
            return Err(self.lines.misuse("divisions", &why));
        }
        let moves = self.promote.or(self.relegate).unwrap_or(1);
        if let Some(relegate) = self.relegate.filter(|relegate| *relegate != moves) {
            let why =
                format!("{relegate} go down, but {moves} go up; give the same number, so that sizes stay");
            return Err(self.lines.misuse("relegate", &why));
        }
        // A division in the middle loses members at both ends.
        let ends = if divisions > 2 { 2 } else { 1 };
        let least = entrants / divisions;
        if ends * moves > least {
            let why =
                format!("{moves} of a division of {least} cannot change; give at most {}", least / ends);
            return Err(self.lines.misuse("promote", &why));
        }
        Ok(LeagueRules { divisions, moves })
    }
}
