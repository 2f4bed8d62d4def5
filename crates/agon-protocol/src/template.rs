//! Text with words in braces, as `args` and the templates of `engine.toml` have it.

use serde::Deserialize;

/// The longest text that is filled in, in bytes. What is longer is cut: no system takes an argument
/// of that length, so the program does not start, and the system says why.
const MOST_FILLED: usize = 1 << 20;

/// Text with `{words}`; `{{` and `}}` stand for single braces. One from a file has no control
/// character but the newline.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct Template(Vec<Part>);

#[derive(Clone, PartialEq, Eq, Debug)]
enum Part {
    Text(String),
    Word(String),
}

impl TryFrom<String> for Template {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if text.chars().any(|letter| letter.is_control() && letter != '\n') {
            return Err("a control character cannot be sent; leave it out".to_owned());
        }
        Template::parse(&text).map_err(|brace| {
            format!("{text:?} has a single {brace}; double it, or write a word like {{move}}")
        })
    }
}

impl Template {
    /// Reads it.
    ///
    /// # Errors
    /// The brace that stands alone.
    pub fn parse(text: &str) -> Result<Self, &str> {
        let (mut parts, mut plain, mut rest) = (Vec::new(), String::new(), text);
        while let Some(at) = rest.find(['{', '}']) {
            plain.push_str(&rest[..at]);
            let brace = &rest[at..=at];
            rest = &rest[at + 1..];
            if let Some(after) = rest.strip_prefix(brace) {
                plain.push_str(brace);
                rest = after;
                continue;
            }
            let (word, after) = rest.split_once('}').filter(|_| brace == "{").ok_or(brace)?;
            parts.push(Part::Text(std::mem::take(&mut plain)));
            parts.push(Part::Word(word.to_owned()));
            rest = after;
        }
        parts.push(Part::Text(plain + rest));
        Ok(Template(parts))
    }

    /// The words in it.
    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|part| match part {
            Part::Word(word) => Some(word.as_str()),
            Part::Text(_) => None,
        })
    }

    /// The text with its words filled in.
    ///
    /// # Errors
    /// The first word that has no value.
    pub fn fill(&self, value: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
        let mut filled = String::new();
        for part in &self.0 {
            match part {
                Part::Text(text) => filled.push_str(text),
                Part::Word(word) => filled.push_str(&value(word).ok_or_else(|| word.clone())?),
            }
            if filled.len() > MOST_FILLED {
                let cut = (0..=MOST_FILLED).rev().find(|at| filled.is_char_boundary(*at));
                filled.truncate(cut.unwrap_or(0));
                break;
            }
        }
        Ok(filled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_filled_in_and_slips_are_named() {
        let filled = |text: &str| {
            Template::try_from(text.to_owned())
                .map(|template| template.fill(&|word| (word == "move").then(|| "4".to_owned())))
        };
        assert_eq!(filled("play {move}!"), Ok(Ok("play 4!".to_owned())));
        assert_eq!(filled("{{{move}}}"), Ok(Ok("{4}".to_owned())));
        assert_eq!(filled("{colour}"), Ok(Err("colour".to_owned())));
        let board = "x".repeat(MOST_FILLED / 10);
        let many = Template::try_from("{board}".repeat(6000)).unwrap();
        assert_eq!(many.fill(&|_| Some(board.clone())).map(|text| text.len()), Ok(MOST_FILLED));
        assert!(filled("{move").unwrap_err().contains("single {"));
        assert!(filled("move}").unwrap_err().contains("single }"));
        assert!(filled("\u{3}").unwrap_err().contains("control character"));
    }
}
