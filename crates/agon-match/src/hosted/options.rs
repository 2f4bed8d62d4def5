//! The options of a game: their types in `game.toml`, and their values.

use agon_printable::escape;
use serde::Deserialize;

/// The longest text of an option, in bytes.
const MOST_BYTES: usize = 200;

/// An option as `game.toml` writes it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OptionFile {
    r#type: Kind,
    default: toml::Value,
    min: Option<toml::Value>,
    max: Option<toml::Value>,
    choices: Option<Vec<String>>,
    #[serde(default)]
    about: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Integer,
    Number,
    Choice,
    Flag,
    Text,
}

/// The values that an option can have.
#[derive(Clone, PartialEq, Debug)]
pub enum Values {
    /// Whole numbers, from the least to the most.
    Integer(i64, i64),
    /// Numbers, from the least to the most.
    Number(f64, f64),
    /// One of these words.
    Choice(Vec<String>),
    /// `yes` or `no`.
    Flag,
    /// A text without spaces and commas.
    Text,
}

/// An option.
#[derive(Clone, PartialEq, Debug)]
pub struct OptionSpec {
    /// Its values.
    pub values: Values,
    /// The value that it has if none is given, as the referee is told it.
    pub default: String,
    /// What it means, for people.
    pub about: String,
}

impl OptionFile {
    /// The option, if its parts fit together.
    pub(super) fn checked(self) -> Result<OptionSpec, String> {
        let bounded = matches!(self.r#type, Kind::Integer | Kind::Number);
        if !bounded && (self.min.is_some() || self.max.is_some()) {
            return Err("min and max are for integers and numbers; leave them out".to_owned());
        }
        if (self.r#type == Kind::Choice) != self.choices.is_some() {
            return Err(
                "choices are for the type choice, which needs them; write choices = [\"a\", \"b\"]".into()
            );
        }
        let values = match self.r#type {
            Kind::Integer => {
                let bound = |value: Option<toml::Value>, usual| match value {
                    None => Ok(usual),
                    Some(value) => value.as_integer().ok_or("min and max of an integer are integers"),
                };
                Values::Integer(bound(self.min, i64::MIN)?, bound(self.max, i64::MAX)?)
            }
            Kind::Number => {
                let bound = |value: Option<toml::Value>, usual| match value {
                    None => Ok(usual),
                    Some(value) => number(&value).ok_or("min and max of a number are numbers"),
                };
                Values::Number(bound(self.min, f64::MIN)?, bound(self.max, f64::MAX)?)
            }
            Kind::Choice => {
                let choices = self.choices.unwrap_or_default();
                if choices.is_empty() || choices.iter().any(|choice| !is_value(choice)) {
                    return Err("choices are words without spaces and commas; write at least one".to_owned());
                }
                Values::Choice(choices)
            }
            Kind::Flag => Values::Flag,
            Kind::Text => Values::Text,
        };
        let text = match &self.default {
            toml::Value::String(text) => text.clone(),
            toml::Value::Boolean(true) => "yes".to_owned(),
            toml::Value::Boolean(false) => "no".to_owned(),
            value @ (toml::Value::Integer(_) | toml::Value::Float(_)) => value.to_string(),
            _ => return Err("default is no value; write a number, a text, true or false".to_owned()),
        };
        let mut spec =
            OptionSpec { values, default: String::new(), about: escape(self.about.as_bytes(), 400) };
        spec.default = spec.read(&text).map_err(|why| format!("default: {why}"))?;
        Ok(spec)
    }
}

impl OptionSpec {
    /// A value in the form in which the referee is told it.
    ///
    /// # Errors
    /// The value is not one of this option; the next step stands behind the last `; `.
    pub fn read(&self, text: &str) -> Result<String, String> {
        let wrong =
            |what: String| format!("\"{}\" is no value of it; give {what}", escape(text.as_bytes(), 60));
        match &self.values {
            Values::Integer(least, most) => match text.parse::<i64>() {
                Ok(number) if (*least..=*most).contains(&number) => Ok(number.to_string()),
                _ => Err(wrong(self.values.range())),
            },
            Values::Number(least, most) => match text.parse::<f64>() {
                Ok(number) if (*least..=*most).contains(&number) => Ok(number.to_string()),
                _ => Err(wrong(match agon_seats::with_point(text) {
                    Some(number) => format!("{}, with a decimal point: {number}", self.values.range()),
                    None => self.values.range(),
                })),
            },
            Values::Choice(choices) if choices.iter().any(|choice| choice == text) => Ok(text.to_owned()),
            Values::Choice(choices) => Err(wrong(format!("one of {}", choices.join(", ")))),
            Values::Flag => match text {
                "yes" | "true" => Ok("yes".to_owned()),
                "no" | "false" => Ok("no".to_owned()),
                _ => Err(wrong("yes or no".to_owned())),
            },
            Values::Text if is_value(text) => Ok(text.to_owned()),
            Values::Text => {
                Err(wrong(format!("at most {MOST_BYTES} printable characters without spaces and commas")))
            }
        }
    }
}

impl Values {
    /// The numbers that it can be, `an integer from 1 to 10`; nothing for other types.
    pub fn range(&self) -> String {
        match self {
            Values::Integer(least, most) => {
                format!("an integer{}", range(*least != i64::MIN, least, *most != i64::MAX, most))
            }
            Values::Number(least, most) => {
                format!("a number{}", range(*least > f64::MIN, least, *most < f64::MAX, most))
            }
            Values::Choice(_) | Values::Flag | Values::Text => String::new(),
        }
    }
}

/// Whether a text can be the value of an option. On the command line it ends at a comma. In the
/// line `game` it ends at a space: a text with a space could forge another option.
fn is_value(text: &str) -> bool {
    let ends_it = |letter: char| letter == ',' || letter.is_whitespace() || letter.is_control();
    text.len() <= MOST_BYTES && !text.chars().any(ends_it)
}

fn number(value: &toml::Value) -> Option<f64> {
    #[allow(clippy::cast_precision_loss)] // a bound has few digits
    value.as_float().or_else(|| value.as_integer().map(|number| number as f64))
}

/// ` from 1 to 10`, as far as there are bounds.
fn range<T: std::fmt::Display>(from: bool, least: &T, to: bool, most: &T) -> String {
    let from = if from { format!(" from {least}") } else { String::new() };
    let to = if to { format!(" to {most}") } else { String::new() };
    format!("{from}{to}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn option(text: &str) -> Result<OptionSpec, String> {
        toml::from_str::<OptionFile>(text).expect("it is an option").checked()
    }

    #[test]
    fn a_number_has_bounds_and_is_told_in_its_shortest_form() {
        let spec = option("type = \"number\"\nmin = 0\nmax = 1.5\ndefault = 0.25").unwrap();
        assert_eq!(spec.default, "0.25");
        for (given, told) in [("0", "0"), ("1.50", "1.5"), ("1e-1", "0.1")] {
            assert_eq!(spec.read(given).as_deref(), Ok(told));
        }
        for wrong in ["1.6", "-0.1", "NaN", "inf", "half", ""] {
            let said = spec.read(wrong).unwrap_err();
            assert!(said.contains("a number from 0 to 1.5"), "{wrong}: {said}");
        }
        let open = option("type = \"number\"\ndefault = -3").unwrap();
        assert!(open.read("1e300").is_ok() && open.read("NaN").is_err());
        for (wrong, words) in [
            ("type = \"number\"\nmin = \"low\"\ndefault = 1", "are numbers"),
            ("type = \"number\"\nmin = 2\ndefault = 1", "default"),
            ("type = \"number\"\nchoices = [\"1\"]\ndefault = 1", "choices are for the type choice"),
        ] {
            assert!(option(wrong).unwrap_err().contains(words), "{wrong}");
        }
    }

    #[test]
    fn a_flag_is_yes_or_no_and_nothing_else() {
        let spec = option("type = \"flag\"\ndefault = true").unwrap();
        assert_eq!(spec.default, "yes");
        for (given, told) in [("yes", "yes"), ("true", "yes"), ("no", "no"), ("false", "no")] {
            assert_eq!(spec.read(given).as_deref(), Ok(told));
        }
        for wrong in ["1", "on", "YES", ""] {
            assert!(spec.read(wrong).unwrap_err().contains("yes or no"), "{wrong}");
        }
        assert_eq!(option("type = \"flag\"\ndefault = \"no\"").unwrap().default, "no");
        assert!(option("type = \"flag\"\ndefault = 1").is_err());
        assert!(
            option("type = \"flag\"\nmin = 0\ndefault = false").unwrap_err().contains("integers and numbers")
        );
    }
}
