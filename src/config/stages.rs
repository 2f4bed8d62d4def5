//! The stages of a `tournament.toml`: what is written, with the lines it is written on.

use std::path::Path;

use agon_printable::{clean_lines, escape};
use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::Misuse;

/// One stage as it is written, under `[[stages]]` or, if it is the only one, at the top of the file.
#[derive(Deserialize, Clone, Default, Debug)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct StageFile {
    /// What it is called.
    pub name: Option<Spanned<String>>,
    /// `round robin`, `double round robin`, `gauntlet`, `knockout`, `swiss` or `finals`.
    pub format: Option<Spanned<String>>,
    /// How many groups.
    pub groups: Option<Spanned<usize>>,
    /// How many of each group go on.
    pub advance: Option<Spanned<usize>>,
    /// Games in each pairing, if not those of the file.
    pub games: Option<Spanned<u32>>,
    /// How often a tie that decides who goes on is played off.
    pub play_offs: Option<Spanned<u32>>,
    /// Games in each pairing of a play-off.
    pub play_off_games: Option<Spanned<u32>>,
    /// The rounds of a Swiss system.
    pub rounds: Option<Spanned<usize>>,
    /// How often everybody meets everybody.
    pub cycles: Option<Spanned<u32>>,
    /// How many run the gauntlet.
    pub leaders: Option<Spanned<usize>>,
    /// Whether a knockout has a match for the third place.
    pub third_place: Option<Spanned<bool>>,
    /// `lot` or `listed`.
    pub draw: Option<Spanned<String>>,
}

/// The part of a `tournament.toml` that is about stages.
#[derive(Clone, Default, Debug)]
pub struct CupFile {
    /// The file, as it may be shown.
    pub shown: String,
    /// Engines that enter the first stage as seeds, the strongest first.
    pub seeds: Vec<Spanned<String>>,
    /// The stages in their order.
    pub stages: Vec<StageFile>,
    /// Whether they are written as `[[stages]]`, so that results have a directory a stage.
    pub is_staged: bool,
    text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Staged {
    #[serde(default)]
    seeds: Vec<Spanned<String>>,
    stages: Vec<StageFile>,
}

/// Keys at the top of a file that are those of its only stage.
const KEYS: [&str; 11] = [
    "format",
    "groups",
    "advance",
    "play-offs",
    "play-off-games",
    "rounds",
    "cycles",
    "leaders",
    "third-place",
    "draw",
    "seeds",
];

impl CupFile {
    /// What a file that says nothing about stages comes to: everybody against everybody.
    pub fn single(path: &Path) -> Self {
        let shown = escape(path.as_os_str().as_encoded_bytes(), 400);
        CupFile { shown, stages: vec![StageFile::default()], ..CupFile::default() }
    }

    /// Takes what is about stages out of the text of the file at `path`, and gives the rest, in which every line has
    /// the number it had. `None`: the file says nothing about stages.
    ///
    /// # Errors
    /// [`Misuse`], which names file, line and key.
    pub fn take(text: &str, path: &Path) -> anyhow::Result<(Option<Self>, String)> {
        let shown = escape(path.as_os_str().as_encoded_bytes(), 400);
        let wrong =
            |error: toml::de::Error| Misuse::error(format!("{shown}: {}", clean_lines(&error.to_string())));
        let mut ours = sections(text, "stages");
        let is_staged = !ours.is_empty();
        let table = DeTable::parse(text).map_err(wrong)?;
        for (key, value) in table.get_ref() {
            let simple = !matches!(value.get_ref(), DeValue::Table(_));
            if simple && KEYS.contains(&key.get_ref().as_ref()) {
                ours.push(key.span().start..value.span().end);
            }
        }
        if ours.is_empty() {
            return Ok((None, text.to_owned()));
        }
        let is_ours = |at: usize| ours.iter().any(|range| range.contains(&at));
        let blanked = |keep: &dyn Fn(usize) -> bool| -> String {
            let kept = |(at, letter): (usize, char)| if letter == '\n' || keep(at) { letter } else { ' ' };
            // A letter of several bytes becomes as many blanks, so that what follows stays where it was.
            text.char_indices()
                .flat_map(|(at, letter)| {
                    let shown = kept((at, letter));
                    std::iter::repeat_n(shown, if shown == letter { 1 } else { letter.len_utf8() })
                })
                .collect()
        };
        let cup = blanked(&is_ours);
        let (seeds, stages) = if is_staged {
            let Staged { seeds, stages } = toml::from_str(&cup).map_err(wrong)?;
            (seeds, stages)
        } else {
            // The seeds are not the stage's own, and it refuses what it does not know.
            let seeds_at = table.get_ref().iter().find(|(key, _)| key.get_ref() == "seeds");
            let range = seeds_at.map(|(key, value)| key.span().start..value.span().end).unwrap_or_default();
            let seeds = seeds_at.map(|(_, value)| format!("seeds = {}\nstages = []", &text[value.span()]));
            let seeds: Option<Staged> = seeds.map(|text| toml::from_str(&text)).transpose().map_err(wrong)?;
            let stage = blanked(&|at| is_ours(at) && !range.contains(&at));
            (
                seeds.map(|staged| staged.seeds).unwrap_or_default(),
                vec![toml::from_str(&stage).map_err(wrong)?],
            )
        };
        let file = CupFile { shown, seeds, stages, is_staged, text: text.to_owned() };
        Ok((Some(file), blanked(&|at| !is_ours(at))))
    }

    /// Something wrong with the seeds, with their line.
    pub fn misuse_of_seeds(&self, why: &str) -> anyhow::Error {
        let line = line_of(&self.text, "seeds").unwrap_or(1);
        Misuse::error(format!("{}: line {line}: key seeds: {why}", self.shown))
    }

    /// Something wrong with a key of a stage, from 0, with its line.
    pub fn misuse(&self, stage: usize, key: &str, why: &str) -> anyhow::Error {
        let file = &self.stages[stage];
        let span = match key {
            "name" => file.name.as_ref().map(Spanned::span),
            "format" => file.format.as_ref().map(Spanned::span),
            "groups" => file.groups.as_ref().map(Spanned::span),
            "advance" => file.advance.as_ref().map(Spanned::span),
            "games" => file.games.as_ref().map(Spanned::span),
            "play-offs" => file.play_offs.as_ref().map(Spanned::span),
            "play-off-games" => file.play_off_games.as_ref().map(Spanned::span),
            "rounds" => file.rounds.as_ref().map(Spanned::span),
            "cycles" => file.cycles.as_ref().map(Spanned::span),
            "leaders" => file.leaders.as_ref().map(Spanned::span),
            "draw" => file.draw.as_ref().map(Spanned::span),
            _ => None,
        };
        let start = span.map(|span| span.start);
        // A key that is not there is missing where its stage begins.
        let start = start.or_else(|| sections(&self.text, "stages").get(stage).map(|section| section.start));
        let line = self.text[..start.unwrap_or(0)].matches('\n').count() + 1;
        let which = if self.is_staged { format!(" of stage {}", stage + 1) } else { String::new() };
        Misuse::error(format!("{}: line {line}: key {key}{which}: {why}", self.shown))
    }
}

/// The line a key at the top of a file stands on, from 1.
pub fn line_of(text: &str, key: &str) -> Option<usize> {
    let table = DeTable::parse(text).ok()?;
    let (key, _) = table.get_ref().iter().find(|(found, _)| found.get_ref() == key)?;
    Some(text[..key.span().start].matches('\n').count() + 1)
}

/// Where the tables of this name lie, each from its header to the next header.
pub(super) fn sections(text: &str, name: &str) -> Vec<std::ops::Range<usize>> {
    let mut found: Vec<std::ops::Range<usize>> = Vec::new();
    let (mut at, mut open) = (0, false);
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim_start();
        if trimmed.starts_with('[') {
            let header = trimmed.trim_start_matches('[').split([']', '.']).next().unwrap_or_default();
            open = header.trim() == name;
            if open {
                found.push(at..at);
            }
        }
        at += line.len();
        if open && let Some(last) = found.last_mut() {
            last.end = at;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(text: &str) -> anyhow::Result<(Option<CupFile>, String)> {
        CupFile::take(text, Path::new("cup.toml"))
    }

    #[test]
    fn stages_are_taken_out_and_every_line_stays_where_it_was() {
        let text =
            "games = 4 # é\n\n[[stages]]\nname = \"one\"\nadvance = 2\n\n[[stages]]\nformat = \"finals\"\n";
        let (cup, rest) = take(text).unwrap();
        let cup = cup.unwrap();
        assert_eq!((cup.stages.len(), cup.is_staged), (2, true));
        assert_eq!(cup.stages[0].advance.as_ref().map(|advance| *advance.get_ref()), Some(2));
        assert_eq!(rest.trim(), "games = 4 # é");
        let words = cup.misuse(0, "advance", "too many").to_string();
        assert_eq!(words, "cup.toml: line 5: key advance of stage 1: too many");
        assert!(cup.misuse(1, "groups", "none").to_string().contains("line 7: key groups of stage 2"));
    }

    #[test]
    fn a_single_stage_stands_at_the_top() {
        let (cup, rest) =
            take("games = 4\nformat = \"swiss\"\nrounds = 3\nseeds = [\n  \"a\",\n]\nst = 1\n").unwrap();
        let cup = cup.unwrap();
        assert_eq!((cup.stages.len(), cup.is_staged), (1, false));
        assert_eq!(cup.seeds[0].get_ref(), "a");
        assert_eq!(rest.split_whitespace().collect::<Vec<_>>(), ["games", "=", "4", "st", "=", "1"]);
        assert!(cup.misuse(0, "rounds", "too many").to_string().contains("line 3: key rounds: too many"));
        assert!(take("games = 4\n").unwrap().0.is_none());
    }

    #[test]
    fn an_unknown_key_of_a_stage_is_refused_with_its_line() {
        let words = take("games = 4\n[[stages]]\nadvanse = 3\n").unwrap_err().to_string();
        assert!(words.contains("line 3") && words.contains("advanse"), "{words}");
        assert!(take("seeds = 3\n").unwrap_err().to_string().contains("cup.toml"));
    }
}
