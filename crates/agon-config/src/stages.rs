//! The stages of a `tournament.toml` as they are written.

use std::path::Path;

use agon_printable::escape;
use agon_standings::tiebreaks::TieBreak;

use super::lines::KeyLines;
use super::table::{keys, tables_in_a_list};

keys! {
    /// One stage as it is written, in the list `stages` or, if it is the only one, at the top of
    /// the file.
    StageFile {
        /// The name of the stage [default: stage 1, stage 2 and so on]
        name: Option<String>,
        /// How its entrants are paired: `round robin` (Berger tables), `double round robin`,
        /// `gauntlet`, `knockout`, `swiss` or `finals` [default: round robin]
        format: Option<String>,
        /// The number of groups; their sizes differ by one at most [default: 1]
        groups: Option<usize>,
        /// The number of entrants of each group that advance to the next stage; required in all
        /// stages but the last, which has none
        advance: Option<usize>,
        /// Games in each pairing, an even number [default: those of the file]
        games: Option<u32>,
        /// The number of times that each entrant of a round robin meets each other entrant
        /// [default: 1, or 2 in a double round robin]
        cycles: Option<u32>,
        /// The number of rounds of a Swiss, required there. It is at most half the number of the
        /// group's entrants, rounded up, because no two entrants meet twice
        rounds: Option<usize>,
        /// The number of entrants of a gauntlet that play all others, but not each other. They are
        /// the first of the group, such as seeds [default: 1]
        leaders: Option<usize>,
        /// Whether a knockout has a match for the third place [default: true]
        third_place: Option<bool>,
        /// How entrants are drawn into groups. `lot` draws them from the seed. `listed` takes the
        /// order of the stage before [default: lot, and listed in later stages that are a knockout
        /// or a gauntlet]
        draw: Option<String>,
        /// How often a tie across the cut is played off [default: 2]
        play_offs: Option<u32>,
        /// Games in each pairing of a play-off, an even number [default: 2]
        play_off_games: Option<u32>,
        /// The tie-breaks after the play-offs, in their order; lot comes last in any case
        /// [default: those of the file, or of the format]
        tiebreaks: Vec<TieBreak>,
    }
}

keys! {
    /// An engine that has withdrawn, as it is written.
    WithdrawnFile {
        /// The name of the engine (required)
        engine: String,
        /// The first round that it does not play, as `round 3` [default: now, its next round]
        from: Option<String>,
        /// What becomes of its games: `forfeit`, `expunge`, or `replaced by NAME`, which plays the
        /// rest in its place [default: forfeit]
        rule: Option<String>,
        /// Why, which is shown with it
        why: Option<String>,
    }
}

tables_in_a_list!(WithdrawnFile, "withdrawal", "a list of tables, [{ engine = \"NAME\" }]");
tables_in_a_list!(StageFile, "stage", "a list of tables, [[stages]]");

/// The part of a `tournament.toml` that is about stages.
#[derive(Clone, Default, Debug)]
pub struct CupFile {
    /// Engines that enter the first stage as seeds, the strongest first.
    pub seeds: Vec<String>,
    /// The stages in their order, at least one.
    pub stages: Vec<StageFile>,
    /// Whether they are written as a list, so that each stage has a directory of its own.
    pub is_staged: bool,
    /// The lines of the keys at the top of the file.
    pub lines: KeyLines,
}

impl CupFile {
    /// The stage of a file that says nothing about stages: a round robin of all.
    pub fn single(path: &Path) -> Self {
        let lines = KeyLines::nothing(escape(path.as_os_str().as_encoded_bytes(), 400));
        let stage = StageFile { lines: lines.clone(), ..StageFile::default() };
        CupFile { stages: vec![stage], lines, ..CupFile::default() }
    }

    /// An error about the seeds, with their line.
    pub fn misuse_of_seeds(&self, why: &str) -> anyhow::Error {
        self.lines.misuse("seeds", why)
    }

    /// An error about a key of a stage, from 0, with its line. The line of a missing key is that of
    /// its stage.
    pub fn misuse(&self, stage: usize, key: &str, why: &str) -> anyhow::Error {
        self.stages[stage].lines.misuse(key, why)
    }
}
