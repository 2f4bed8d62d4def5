//! The words in which a relative of the Universal Game Interface differs from it: the greeting, the
//! clocks, and how a move is written.

use agon_games::Rules;
use serde::Deserialize;

use super::stones::{Cell, Shape, Stones};
use super::{Protocol, without_side};

/// The words of one engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UgiWords {
    /// The first word to a process: `ugi`.
    pub greeting: String,
    /// The answer to it: `ugiok`.
    pub ok: String,
    /// The line that begins a game: `uginewgame`, or `teinewgame 6`.
    pub new_game: String,
    /// The clocks of the first and of the second seat: `p1time p2time`.
    pub clocks: [String; 2],
    /// Their increments: `p1inc p2inc`.
    pub increments: [String; 2],
    /// How a move is written, if not as agon writes it.
    pub map: Option<MoveMap>,
}

/// The table `[ugi]` of an `engine.toml`: each word that is given replaces the usual one.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UgiWordsFile {
    greeting: Option<String>,
    ok: Option<String>,
    new_game: Option<String>,
    clocks: Option<[String; 2]>,
    increments: Option<[String; 2]>,
    #[serde(rename = "move")]
    template: Option<String>,
}

impl UgiWords {
    /// Stands for any line that answers the greeting. No file can give it.
    pub const ANY_LINE: &str = "";

    /// The words of a protocol.
    pub fn usual(protocol: &Protocol) -> Self {
        let pair = |words: [&str; 2]| words.map(str::to_owned);
        let name = if protocol.is_ugi() { protocol.name() } else { Protocol::Ugi.name() };
        let (clocks, increments) = match protocol {
            Protocol::Uci | Protocol::Tei => (["wtime", "btime"], ["winc", "binc"]),
            // In Ataxx black moves first.
            Protocol::Uai => (["btime", "wtime"], ["binc", "winc"]),
            _ => (["p1time", "p2time"], ["p1inc", "p2inc"]),
        };
        UgiWords {
            greeting: name.to_owned(),
            ok: format!("{name}ok"),
            new_game: format!("{name}newgame"),
            clocks: pair(clocks),
            increments: pair(increments),
            map: None,
        }
    }

    /// The words of a protocol, with those of a table in their place.
    ///
    /// # Errors
    /// What is wrong with the table, and what to write.
    pub fn read(file: Option<UgiWordsFile>, protocol: &Protocol) -> Result<Self, String> {
        let mut words = UgiWords::usual(protocol);
        let Some(file) = file else { return Ok(words) };
        if !protocol.is_ugi() {
            return Err(format!(
                "the protocol {} has no such words; write protocol = \"ugi\", \"uci\", \"tei\" or \"uai\"",
                protocol.name()
            ));
        }
        let UgiWordsFile { greeting, ok, new_game, clocks, increments, template } = file;
        if new_game
            .iter()
            .any(|line| line.trim() != line || line.is_empty() || line.contains(char::is_control))
        {
            return Err(format!(
                "{:?} is not one line; write new_game = \"word\"",
                new_game.unwrap_or_default()
            ));
        }
        let given = [&greeting, &ok].into_iter().flatten();
        for word in given.chain(clocks.iter().flatten()).chain(increments.iter().flatten()) {
            if word.is_empty() || word.chars().any(|c| c.is_whitespace() || c.is_control()) {
                return Err(format!("{word:?} is not one word; write it without blanks"));
            }
        }
        words.greeting = greeting.unwrap_or(words.greeting);
        words.ok = ok.unwrap_or(words.ok);
        words.new_game = new_game.unwrap_or(words.new_game);
        words.clocks = clocks.unwrap_or(words.clocks);
        words.increments = increments.unwrap_or(words.increments);
        words.map = template.map(|template| template.parse()).transpose()?;
        Ok(words)
    }

    /// Whether the moves of a game can be written in them.
    ///
    /// # Errors
    /// Why not, and what to do.
    pub fn fits(&self, rules: &dyn Rules) -> Result<(), String> {
        match &self.map {
            Some(map) if map.names_cell && Shape::of(rules).is_none() => Err(format!(
                "only cells of mnk and connect4 have names, and not those of {}; write move = \"{{move}}\"",
                rules.spec()
            )),
            _ => Ok(()),
        }
    }
}

/// How an engine writes a move: `P@{cell}`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MoveMap {
    before: String,
    after: String,
    /// Whether the cell of the stone is named, and not the move.
    names_cell: bool,
}

impl std::str::FromStr for MoveMap {
    type Err = String;

    fn from_str(template: &str) -> Result<Self, String> {
        let wrong = |why: &str| Err(format!("move = {template:?} {why}; write one like \"P@{{cell}}\""));
        let parts = |word: &str| template.split_once(word);
        let (names_cell, parts) = match (parts("{cell}"), parts("{move}")) {
            (Some(parts), None) => (true, parts),
            (None, Some(parts)) => (false, parts),
            _ => return wrong("needs {cell} or {move}, and not both"),
        };
        let (before, after) = parts;
        if [before, after].iter().any(|part| part.contains(['{', '}'])) {
            return wrong("has other braces");
        }
        if template.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return wrong("is not one word");
        }
        Ok(MoveMap { before: before.to_owned(), after: after.to_owned(), names_cell })
    }
}

impl MoveMap {
    /// The move as the engine writes it, before it is played.
    pub(super) fn write(&self, text: &str, stones: Option<&Stones>) -> String {
        let MoveMap { before, after, names_cell } = self;
        let cell = stones.filter(|_| *names_cell).and_then(|stones| stones.cell(text));
        let inside = cell.map_or_else(|| without_side(text).to_owned(), Cell::name);
        format!("{before}{inside}{after}")
    }

    /// The move that the engine's word stands for, without its side.
    ///
    /// # Errors
    /// Why it stands for none.
    pub(super) fn read(&self, word: &str, stones: Option<&Stones>) -> Result<String, String> {
        let MoveMap { before, after, names_cell } = self;
        let form = || format!("it is not of the form {self}");
        let inside = strip(word, before, after).ok_or_else(form)?;
        let Some(stones) = stones.filter(|_| *names_cell) else { return Ok(inside.to_owned()) };
        let cell = Cell::named(inside).ok_or_else(form)?;
        if !stones.shape.drops {
            return Ok(cell.name());
        }
        let lowest = stones.lowest(cell.column);
        if let Some(lowest) = lowest.filter(|lowest| *lowest != cell) {
            let floats = cell.row < stones.shape.rows && stones.owner(cell).is_none();
            let seems = if floats { ": it seems to play without gravity" } else { "" };
            return Err(format!(
                "it dropped a disc at {} where the lowest free cell of the column is {}{seems}",
                cell.name(),
                lowest.name()
            ));
        }
        Ok((cell.column + 1).to_string())
    }
}

/// Moves of referee programs, which have no cells.
impl MoveMap {
    /// Whether it writes the cell of a stone.
    pub fn is_of_cells(&self) -> bool {
        self.names_cell
    }

    /// A move as the engine writes it.
    pub(super) fn around(&self, text: &str) -> String {
        format!("{}{text}{}", self.before, self.after)
    }

    /// The move in the engine's word, if it is of this form.
    pub(super) fn inside<'a>(&self, word: &'a str) -> Option<&'a str> {
        strip(word, &self.before, &self.after)
    }
}

impl std::fmt::Display for MoveMap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let word = if self.names_cell { "{cell}" } else { "{move}" };
        write!(f, "{}{word}{}", self.before, self.after)
    }
}

/// The inside of a word between two others; capital letters are as good as small ones.
fn strip<'a>(word: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let end = word.len().checked_sub(after.len()).filter(|end| *end >= before.len())?;
    let (head, inside, tail) = (word.get(..before.len())?, word.get(before.len()..end)?, word.get(end..)?);
    (head.eq_ignore_ascii_case(before) && tail.eq_ignore_ascii_case(after)).then_some(inside)
}

#[cfg(test)]
mod tests {
    use agon_games::connect4::ConnectFour;
    use agon_games::mnk::Mnk;
    use agon_seats::Seat;

    use super::*;
    use crate::Start;

    fn stones(rules: &dyn Rules) -> Stones {
        Stones::of(&Start::new(rules, rules.start(1).as_ref(), Seat::FIRST, None)).unwrap()
    }

    #[test]
    fn a_cell_is_written_and_read_as_the_template_says() {
        let map: MoveMap = "P@{cell}".parse().unwrap();
        let stones = stones(&Mnk::default());
        assert_eq!(map.write("X,b2", Some(&stones)), "P@b2");
        assert_eq!(map.read("p@B2", Some(&stones)), Ok("b2".to_owned()));
        for word in ["b2", "P@", "P@22", "e2e4", "P@ä"] {
            assert_eq!(
                map.read(word, Some(&stones)),
                Err("it is not of the form P@{cell}".to_owned()),
                "{word}"
            );
        }
    }

    #[test]
    fn a_column_is_the_cell_to_which_the_stone_falls() {
        let map: MoveMap = "P@{cell}".parse().unwrap();
        let mut stones = stones(&ConnectFour);
        assert_eq!(map.write("X,4", Some(&stones)), "P@d1");
        stones.play(Seat::FIRST, "X,4");
        assert_eq!(map.write("O,4", Some(&stones)), "P@d2");
        assert_eq!(map.read("P@d2", Some(&stones)), Ok("4".to_owned()));
        let floating = map.read("P@d3", Some(&stones)).unwrap_err();
        let words = "it dropped a disc at d3 where the lowest free cell of the column is d2: it seems to play without gravity";
        assert_eq!(floating, words);
        for (word, what) in [("P@d1", "taken"), ("P@d9", "beside the board")] {
            assert!(!map.read(word, Some(&stones)).unwrap_err().contains("gravity"), "{word} is {what}");
        }
    }

    #[test]
    fn a_template_with_a_slip_is_refused_with_an_example() {
        for template in ["P@", "P@{cell}{move}", "P@{row}{cell}", "P {cell}", "{cell"] {
            let why = template.parse::<MoveMap>().unwrap_err();
            assert!(why.contains("write one like \"P@{cell}\""), "{why}");
        }
        assert_eq!("{move}!".parse::<MoveMap>().unwrap().read("c3!", None), Ok("c3".to_owned()));
    }
}
