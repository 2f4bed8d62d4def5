//! The cells of a board by the names that programs give them: `{cell}` 1 to 9, `{A}{row}`,
//! `{x},{y}`.
//!
//! A template with such words is written for each cell of a board. Read the other way round, the
//! texts give the cell again, so one template serves both directions.

use std::collections::BTreeMap;

use agon_games::Rules;

use super::template::Template;

/// The words that stand for a part of a cell, each with its meaning.
pub(super) const WORDS: [&str; 15] = [
    "column", "x", "a", "A", "row", "y", "row_down", "y_down", "r", "R", "cell", "index", "cell_up",
    "index_up", "move",
];

/// A cell of a board, or a column of one in which pieces fall.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct NamedCell {
    /// The move in agon's notation, without its side.
    pub(super) text: String,
    /// Counted from 0, from the left.
    x: usize,
    /// Counted from 0, from the bottom; none where columns alone are named.
    y: Option<usize>,
    columns: usize,
    rows: usize,
}

/// The letter with this number, counted from 0.
fn letter(number: usize, first: u8) -> Option<String> {
    let number = u8::try_from(number).ok().filter(|number| *number < 26)?;
    Some(char::from(first + number).to_string())
}

impl NamedCell {
    /// The value of a word; none if this board has no such thing.
    pub(super) fn word(&self, word: &str) -> Option<String> {
        let NamedCell { x, columns, rows, .. } = *self;
        let y = || self.y;
        let down = || self.y.map(|y| rows - 1 - y);
        let number = |number: usize| Some(number.to_string());
        match word {
            "move" => Some(self.text.clone()),
            "column" => number(x + 1),
            "x" => number(x),
            "a" => letter(x, b'a'),
            "A" => letter(x, b'A'),
            "row" => number(y()? + 1),
            "y" => number(y()?),
            "row_down" => number(down()? + 1),
            "y_down" => number(down()?),
            "r" => letter(down()?, b'a'),
            "R" => letter(down()?, b'A'),
            "cell" => number(down()? * columns + x + 1),
            "index" => number(down()? * columns + x),
            "cell_up" => number(y()? * columns + x + 1),
            "index_up" => number(y()? * columns + x),
            _ => None,
        }
    }
}

/// The cells that a move of this game can name; none where a move names more than one.
pub(super) fn of(game: &str, settings: &[(&'static str, String)]) -> Vec<NamedCell> {
    let setting = |name: &str| {
        settings.iter().find(|(known, _)| *known == name).and_then(|(_, value)| value.parse::<usize>().ok())
    };
    let (Some(columns), Some(rows)) = (setting("columns"), setting("rows")) else { return Vec::new() };
    let all = (0..rows).flat_map(|y| (0..columns).map(move |x| (x, y)));
    match game.split_once(':').map_or(game, |(name, _)| name) {
        "connect4" => {
            (0..columns).map(|x| NamedCell { text: (x + 1).to_string(), x, y: None, columns, rows }).collect()
        }
        "mill" => all
            .map(|(x, y)| NamedCell { text: format!("{}{}", x + 1, y + 1), x, y: Some(y), columns, rows })
            .collect(),
        "mnk" => all
            .filter_map(|(x, y)| {
                let text = format!("{}{}", letter(x, b'a')?, y + 1);
                Some(NamedCell { text, x, y: Some(y), columns, rows })
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// The same of these rules.
pub(super) fn of_rules(rules: &dyn Rules) -> Vec<NamedCell> {
    of(&rules.spec(), &rules.settings())
}

/// Moves in agon's notation and as a program writes them.
#[derive(Clone, Default, Debug)]
pub(super) struct MoveNames {
    theirs: BTreeMap<String, String>,
    ours: BTreeMap<String, String>,
}

impl MoveNames {
    /// The names by a template, for each of these cells.
    ///
    /// # Errors
    /// Two cells have the same name, or the board has no such word.
    pub(super) fn by(template: &Template, cells: &[NamedCell]) -> Result<Self, String> {
        let mut names = MoveNames::default();
        for cell in cells {
            let name = template.fill(&|word| cell.word(word)).map_err(|word| {
                format!("{{{word}}} of key coordinates is unknown on this board; leave it out")
            })?;
            names.add(&cell.text, &name)?;
        }
        Ok(names)
    }

    /// The names of a table.
    ///
    /// # Errors
    /// Two moves have the same name.
    pub(super) fn of(table: &BTreeMap<String, String>) -> Result<Self, String> {
        let mut names = MoveNames::default();
        table.iter().try_for_each(|(ours, theirs)| names.add(ours, theirs))?;
        Ok(names)
    }

    fn add(&mut self, ours: &str, theirs: &str) -> Result<(), String> {
        if let Some(other) = self.ours.insert(theirs.to_lowercase(), ours.to_owned()) {
            return Err(format!(
                "key coordinates names both {other} and {ours} {theirs:?}; give each move a name of its own"
            ));
        }
        self.theirs.insert(ours.to_owned(), theirs.to_owned());
        Ok(())
    }

    /// The program's name of a move; the move itself if it has none.
    pub(super) fn theirs<'a>(&'a self, ours: &'a str) -> &'a str {
        self.theirs.get(ours).map_or(ours, String::as_str)
    }

    /// The move of this name, in small letters or capitals; the name itself if there is none.
    pub(super) fn ours<'a>(&'a self, theirs: &'a str) -> &'a str {
        self.ours.get(&theirs.to_lowercase()).map_or(theirs, String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use agon_games::Needs;

    use super::*;

    fn cells(game: &str) -> Vec<NamedCell> {
        of_rules(agon_games::find(game, &Needs::default()).unwrap().as_ref())
    }

    fn named(game: &str, template: &str, mv: &str) -> String {
        let template: Template = template.to_owned().try_into().unwrap();
        let names = MoveNames::by(&template, &cells(game)).unwrap();
        let theirs = names.theirs(mv).to_owned();
        assert_eq!(names.ours(&theirs), mv, "{theirs} reads back");
        assert_eq!(names.ours(&theirs.to_lowercase()), mv, "{theirs} reads back in small letters");
        theirs
    }

    #[test]
    fn a_cell_is_written_and_read_as_programs_name_it() {
        let cases = [
            ("mnk:3x3,3", "{cell}", "a1", "7"),
            ("mnk:3x3,3", "{cell}", "c3", "3"),
            ("mnk:3x3,3", "{cell_up}", "c3", "9"),
            ("mnk:3x3,3", "{index}", "a3", "0"),
            ("mnk:3x3,3", "{row_down} {column}", "b3", "1 2"),
            ("mnk:15x15,5", "({x},{y_down})", "a15", "(0,0)"),
            ("mnk:8x8,5", "{R}{column}", "c8", "A3"),
            ("connect4", "{x}", "4", "3"),
            ("connect4", "{A}", "7", "G"),
            ("mill", "{A}{row}", "23", "B3"),
        ];
        for (game, template, ours, theirs) in cases {
            assert_eq!(named(game, template, ours), theirs, "{game} {template}");
        }
    }

    #[test]
    fn every_cell_is_a_move_of_its_game() {
        for (game, number) in [("mnk:20x20,5", 400), ("connect4", 7), ("mill", 16)] {
            let rules = agon_games::find(game, &Needs::default()).unwrap();
            let moves = rules.resume("startpos").unwrap().moves();
            let cells = cells(game);
            assert_eq!((cells.len(), moves.len()), (number, number), "{game}");
            assert!(cells.iter().all(|cell| moves.iter().any(|mv| mv.ends_with(&format!(",{}", cell.text)))));
        }
        assert_eq!(cells("abalone"), []);
    }

    #[test]
    fn names_that_two_moves_share_and_words_of_other_boards_are_refused() {
        let template = |text: &str| Template::try_from(text.to_owned()).unwrap();
        let shared = MoveNames::by(&template("{row}"), &cells("mnk:3x3,3")).unwrap_err();
        assert!(shared.contains("names both a1 and b1 \"1\""), "{shared}");
        let unknown = MoveNames::by(&template("{cell}"), &cells("connect4")).unwrap_err();
        assert!(unknown.contains("{cell}"), "{unknown}");
    }
}
