//! How to talk to a program that is made for people: the table `[console]` of `engine.toml`.

use std::collections::BTreeMap;
use std::fmt;

use agon_games::Rules;
use regex_lite::{Captures, Regex};
use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, Visitor, value::MapAccessDeserializer};

use super::cells::{self, MoveNames, NamedCell};
use super::template::Template;
use super::{Start, without_side};

/// The table `[console]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConsoleSpec {
    /// Finds its move in what it writes.
    pub(super) answer: AnswerPattern,
    /// How it is told the move of an opponent.
    say: MoveTemplate,
    /// How it is told a move of its own side in an opening.
    own: Option<MoveTemplate>,
    /// What it is told first of all, line by line.
    #[serde(default)]
    start: Vec<Text>,
    /// What it is told then if it makes the first move of the game, and if not.
    first: Option<Text>,
    second: Option<Text>,
    /// What it writes if it draws by lot who begins: that it makes the first move of the game
    /// itself, and that its opponent does.
    begins: Option<Pattern>,
    follows: Option<Pattern>,
    /// What it writes when it waits for a line. It is told nothing without that.
    pub(super) prompt: Option<Pattern>,
    /// What it writes when it gives up.
    pub(super) resign: Option<Pattern>,
    /// What it writes about a move that it takes for illegal.
    pub(super) illegal: Option<Pattern>,
    /// How it names moves.
    coordinates: Option<Coordinates>,
    /// Whether it repeats the lines that it is told.
    #[serde(default)]
    pub(super) echo: bool,
}

/// A regular expression.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Pattern(pub(super) Regex);

impl TryFrom<String> for Pattern {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let pattern = Regex::new(&text).map_err(|error| {
            format!("{error}\nwrite the regular expression between single quotes, and \\ before signs like ( and ?")
        })?;
        if pattern.is_match("") {
            return Err(format!("{text:?} matches text of no length; write what the program writes"));
        }
        Ok(Pattern(pattern))
    }
}

/// A regular expression with a group for the move, or with groups for the parts of a cell.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "Pattern")]
pub(super) struct AnswerPattern {
    pattern: Regex,
    /// The groups that are parts of a cell; none if a group is the move.
    parts: Vec<String>,
}

impl TryFrom<Pattern> for AnswerPattern {
    type Error = String;

    fn try_from(Pattern(pattern): Pattern) -> Result<Self, String> {
        if pattern.captures_len() < 2 {
            return Err(format!(
                "'{pattern}' has no group for the move; put it in parentheses, as in 'I play (\\S+)'"
            ));
        }
        let named: Vec<&str> = pattern.capture_names().flatten().collect();
        if let Some(unknown) = named.iter().find(|name| !cells::WORDS.contains(name)) {
            return Err(format!("(?<{unknown}>...) is unknown; name a group {}", cells::WORDS.join(", ")));
        }
        let parts = if named.contains(&"move") { Vec::new() } else { named };
        Ok(AnswerPattern { parts: parts.into_iter().map(str::to_owned).collect(), pattern })
    }
}

/// A template for a move.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "Template")]
struct MoveTemplate(Template);

impl TryFrom<Template> for MoveTemplate {
    type Error = String;

    fn try_from(template: Template) -> Result<Self, String> {
        known(&template, &[&cells::WORDS[..], &["side"]].concat())?;
        if template.words().next().is_none() {
            return Err("it does not name the move; write {move} in it".to_owned());
        }
        Ok(MoveTemplate(template))
    }
}

/// Sees that a template has no words but these.
fn known(template: &Template, words: &[&str]) -> Result<(), String> {
    match template.words().find(|word| !words.contains(word)) {
        None => Ok(()),
        Some(unknown) => {
            let words: Vec<String> = words.iter().map(|word| format!("{{{word}}}")).collect();
            Err(format!("{{{unknown}}} is unknown; write one of {}", words.join(" ")))
        }
    }
}

/// Lines that are told as they are.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
struct Text(String);

impl TryFrom<String> for Text {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if text.chars().any(|letter| letter.is_control() && letter != '\n') {
            return Err("a control character cannot be sent; leave it out".to_owned());
        }
        Ok(Text(text))
    }
}

/// How a program names moves.
#[derive(Clone, Debug)]
enum Coordinates {
    /// By a template for the cells of the board.
    By(Template),
    /// One by one.
    Of(BTreeMap<String, String>),
}

impl<'de> Deserialize<'de> for Coordinates {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Coordinates;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a template like \"{A}{row}\", or a table of moves like b2 = \"5\"")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Coordinates, E> {
                let template = Template::try_from(text.to_owned()).map_err(E::custom)?;
                known(&template, &cells::WORDS).map_err(E::custom)?;
                Ok(Coordinates::By(template))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Coordinates, A::Error> {
                Ok(Coordinates::Of(BTreeMap::deserialize(MapAccessDeserializer::new(map))?))
            }
        }
        from.deserialize_any(Read)
    }
}

impl ConsoleSpec {
    /// Whether games of these rules can be played with this table.
    ///
    /// # Errors
    /// Why not, with the key and what to write.
    pub fn fits(&self, rules: &dyn Rules) -> Result<(), String> {
        if self.begins.is_some() != self.follows.is_some() {
            let (key, other) =
                if self.begins.is_some() { ("begins", "follows") } else { ("follows", "begins") };
            return Err(format!(
                "key {key} says what the program writes for one of two lots, and nothing says what it writes for the \
                 other; add {other} = 'text'"
            ));
        }
        let (game, cells) = (rules.spec(), cells::of_rules(rules));
        let templates = [("say", Some(&self.say)), ("own", self.own.as_ref())];
        let mut used: Vec<(&str, &str)> =
            self.answer.parts.iter().map(|part| ("answer", part.as_str())).collect();
        for (key, template) in templates {
            used.extend(template.iter().flat_map(|template| template.0.words()).map(|word| (key, word)));
        }
        if let Some(Coordinates::By(template)) = &self.coordinates {
            used.extend(template.words().map(|word| ("coordinates", word)));
        }
        let is_general = |word: &str| ["move", "side"].contains(&word);
        let lacks =
            |word: &str| !is_general(word) && cells.first().and_then(|cell| cell.word(word)).is_none();
        if let Some((key, word)) = used.into_iter().find(|(_, word)| lacks(word)) {
            return Err(format!(
                "key {key}: a move of {game} has no {{{word}}}; write {{move}} there, and a table \
                 [console.coordinates] if the program has other names for moves"
            ));
        }
        self.names(&cells).map(|_| ())
    }

    /// Whether it is told nothing without a prompt.
    pub fn awaits_prompts(&self) -> bool {
        self.prompt.is_some()
    }

    /// Whether it draws by lot who begins.
    pub fn draws_lots(&self) -> bool {
        self.begins.is_some()
    }

    /// What it has drawn by this text, if it says so: whether it begins.
    pub(super) fn lot(&self, text: &str) -> Option<bool> {
        let has = |pattern: &Option<Pattern>| pattern.as_ref().is_some_and(|it| it.0.is_match(text));
        if has(&self.begins) { Some(true) } else { has(&self.follows).then_some(false) }
    }

    /// Whether it can be told moves of its own side.
    pub fn tells_own_moves(&self) -> bool {
        self.own.is_some() || self.say.0.words().any(|word| word == "side")
    }

    /// Whether a game with this start can be told to the program.
    ///
    /// # Errors
    /// Why not, and what to do.
    pub fn can_start(&self, start: &Start) -> Result<(), String> {
        let Some(moves) = &start.moves else {
            return Err(
                "a console program is told moves, and a game begins at a position; write the openings \
                        as moves"
                    .to_owned(),
            );
        };
        let own = start.seats[start.seat.index()];
        match moves.iter().find(|text| text.split_once(',').is_some_and(|(side, _)| side == own)) {
            Some(text) if !self.tells_own_moves() => Err(format!(
                "a game begins after {text}, a move of the program's own side, and nothing says how to tell it; add \
                 own = \"template\", or play without openings (--random-plies 0)"
            )),
            _ => Ok(()),
        }
    }

    /// The names of the moves on this board.
    pub(super) fn names(&self, cells: &[NamedCell]) -> Result<MoveNames, String> {
        match &self.coordinates {
            None => Ok(MoveNames::default()),
            Some(Coordinates::By(template)) => MoveNames::by(template, cells),
            Some(Coordinates::Of(table)) => MoveNames::of(table),
        }
    }

    /// What it is told before it is told moves: the lines of `start`, and who begins.
    pub(super) fn opening_lines(&self, begins: bool) -> impl Iterator<Item = String> {
        let who = if begins { &self.first } else { &self.second };
        let texts = self.start.iter().chain(who);
        texts.flat_map(|Text(text)| text.split('\n')).map(str::to_owned)
    }

    /// The lines by which it is told a move of `side`.
    pub(super) fn told(&self, side: &str, mv: &str, is_own: bool, board: &Board) -> Vec<String> {
        let template = self.own.as_ref().filter(|_| is_own).unwrap_or(&self.say);
        let value = |word: &str| match word {
            "side" => Some(side.to_owned()),
            "move" => Some(board.names.theirs(mv).to_owned()),
            word => board.cells.iter().find(|cell| cell.text == mv)?.word(word),
        };
        // Every word has been tried before the first game; a move without such words is told as it
        // is.
        let text = template.0.fill(&value).unwrap_or_else(|_| mv.to_owned());
        text.split('\n').map(str::to_owned).collect()
    }
}

/// The names of moves in one game.
pub(super) struct Board {
    cells: Vec<NamedCell>,
    names: MoveNames,
}

impl Board {
    /// Those of a game with this start.
    pub(super) fn new(spec: &ConsoleSpec, start: &Start) -> Self {
        let cells = cells::of(&start.game, &start.settings);
        let names = spec.names(&cells).unwrap_or_default(); // they were made before the first game
        Board { cells, names }
    }

    /// How the program writes this move.
    pub(super) fn written(&self, text: &str) -> String {
        self.names.theirs(without_side(text)).to_owned()
    }
}

impl AnswerPattern {
    /// The move in this text, in agon's notation if it is one of the board, otherwise as it stands
    /// there.
    pub(super) fn find(&self, text: &str, board: &Board) -> Option<String> {
        let found = self.pattern.captures(text)?;
        if self.parts.is_empty() {
            let name = found.name("move").or_else(|| found.get(1))?.as_str().trim();
            return Some(board.names.ours(name).to_owned());
        }
        let is_meant = |cell: &&NamedCell| self.parts.iter().all(|part| names(&found, part, cell));
        let cell = board.cells.iter().find(is_meant);
        Some(cell.map_or_else(|| found[0].trim().to_owned(), |cell| cell.text.clone()))
    }
}

/// Whether a group of the answer names its part of the cell. One that is not in the text names all.
fn names(found: &Captures<'_>, part: &str, cell: &NamedCell) -> bool {
    let Some(said) = found.name(part) else { return true };
    cell.word(part).is_some_and(|word| word.eq_ignore_ascii_case(said.as_str().trim()))
}
