//! The options that an engine of UGI or a relative announces in its handshake, and which values it
//! takes for them.
//!
//! `option name Hash type spin default 16 min 1 max 1024`, as the document of UCI has it. Names,
//! defaults and the values of a `combo` may have several words. Engines are written by people, so
//! the kind is read in any case, the order of the words is free, and an announcement that makes no
//! sense limits nothing.

use agon_printable::escape;

/// The longest text that is kept of one word, in characters.
const LONGEST: usize = 300;
/// The most values of a `combo` that a message lists.
const LISTED: usize = 20;

/// An option, as its engine has announced it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AnnouncedOption {
    /// Its name, with one blank between two words; escaped.
    pub name: String,
    /// The values that it takes.
    pub kind: OptionKind,
}

/// What an option takes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OptionKind {
    /// `true` or `false`.
    Check,
    /// A whole number between these two, as far as they are announced.
    Spin {
        /// The least.
        min: Option<i128>,
        /// The greatest.
        max: Option<i128>,
    },
    /// One of these texts.
    Combo(Vec<String>),
    /// No value: it does something.
    Button,
    /// Any text, or nothing is known of it.
    Any,
}

impl AnnouncedOption {
    /// What the words of a line tell, the first of which is `option`.
    pub(super) fn read<'a>(words: impl Iterator<Item = &'a [u8]>) -> Self {
        let words = words.filter(|word| !word.is_empty()).map(|word| escape(word, LONGEST));
        let words: Vec<String> = words.skip(2).collect();
        let kind_at = |is_kind: &dyn Fn(&str) -> bool| {
            let mut pairs = words.windows(2);
            pairs.position(|pair| pair[0].eq_ignore_ascii_case("type") && is_kind(&pair[1]))
        };
        // A name may hold the word: `Book type type combo`.
        let at = kind_at(&|word| Named::of(word).is_some()).or_else(|| kind_at(&|_| true));
        let at = at.unwrap_or(words.len());
        let (name, rest) = words.split_at(at);
        let kind = match rest {
            [_, kind, rest @ ..] => OptionKind::of(Named::of(kind), rest),
            _ => OptionKind::Any,
        };
        AnnouncedOption { name: name.join(" "), kind }
    }
}

/// The kinds by their names.
#[derive(Clone, Copy)]
enum Named {
    Check,
    Spin,
    Combo,
    Button,
    Text,
}

impl Named {
    fn of(word: &str) -> Option<Self> {
        Some(match word.to_ascii_lowercase().as_str() {
            "check" => Named::Check,
            "spin" => Named::Spin,
            "combo" => Named::Combo,
            "button" => Named::Button,
            "string" => Named::Text,
            _ => return None,
        })
    }
}

impl OptionKind {
    /// The kind with this name, which these words follow.
    fn of(named: Option<Named>, rest: &[String]) -> Self {
        match named {
            Some(Named::Check) => OptionKind::Check,
            Some(Named::Button) => OptionKind::Button,
            Some(Named::Spin) => spin(rest),
            Some(Named::Combo) => {
                let values = values_of(rest);
                if values.is_empty() { OptionKind::Any } else { OptionKind::Combo(values) }
            }
            Some(Named::Text) | None => OptionKind::Any,
        }
    }

    /// Whether the option takes this value, as `setoption` sends it. The spelling is to be the
    /// engine's own: many compare it letter by letter, and ignore another one in silence.
    pub fn takes(&self, value: &str) -> bool {
        match self {
            OptionKind::Any => true,
            OptionKind::Button => value.is_empty(),
            OptionKind::Check => matches!(value, "true" | "false"),
            OptionKind::Combo(values) => {
                let words: Vec<String> =
                    value.split_ascii_whitespace().map(|word| escape(word.as_bytes(), LONGEST)).collect();
                values.contains(&words.join(" "))
            }
            OptionKind::Spin { min, max } => value.parse::<i128>().is_ok_and(|number| {
                min.is_none_or(|min| min <= number) && max.is_none_or(|max| number <= max)
            }),
        }
    }

    /// What it takes, for a message: `a whole number from 1 to 1024`.
    pub fn allowed(&self) -> String {
        match self {
            OptionKind::Any => "any text".to_owned(),
            OptionKind::Button => "no value, because it is a button".to_owned(),
            OptionKind::Check => "true or false".to_owned(),
            OptionKind::Combo(values) => {
                let more = if values.len() > LISTED { ", ..." } else { "" };
                let listed: Vec<&str> = values.iter().take(LISTED).map(String::as_str).collect();
                format!("one of {}{more}", listed.join(", "))
            }
            OptionKind::Spin { min, max } => match (min, max) {
                (Some(min), Some(max)) => format!("a whole number from {min} to {max}"),
                (Some(min), None) => format!("a whole number of at least {min}"),
                (None, Some(max)) => format!("a whole number of at most {max}"),
                (None, None) => "a whole number".to_owned(),
            },
        }
    }

    /// The values that it takes, if they can be listed.
    pub fn values(&self) -> Vec<&str> {
        match self {
            OptionKind::Check => vec!["true", "false"],
            OptionKind::Combo(values) => values.iter().map(String::as_str).collect(),
            OptionKind::Spin { .. } | OptionKind::Button | OptionKind::Any => Vec::new(),
        }
    }
}

/// The values of a `combo` with these words: each behind a `var`, and the default, which an engine
/// takes whether it lists it or not, and which may stand anywhere.
fn values_of(words: &[String]) -> Vec<String> {
    let mut values: Vec<Vec<&str>> = Vec::new();
    let mut default: Option<Vec<&str>> = None;
    let mut is_default = false;
    for word in words {
        match word.as_str() {
            "var" => {
                is_default = false;
                values.push(Vec::new());
            }
            // As the first word behind `var` it is a value.
            "default" if default.is_none() && values.last().is_none_or(|value| !value.is_empty()) => {
                is_default = true;
                default = Some(Vec::new());
            }
            word if is_default => default.iter_mut().for_each(|value| value.push(word)),
            word => values.iter_mut().rev().take(1).for_each(|value| value.push(word)),
        }
    }
    let is_listed = !values.is_empty();
    let mut found: Vec<String> =
        values.into_iter().filter(|value| !value.is_empty()).map(|value| value.join(" ")).collect();
    let default = default.map(|value| value.join(" ")).filter(|value| is_listed && !value.is_empty());
    if let Some(default) = default.filter(|default| !found.contains(default)) {
        found.push(default);
    }
    found
}

/// A `spin` with these words. An engine that announces other numbers than whole ones, or a least
/// one above the greatest, means something else.
fn spin(words: &[String]) -> OptionKind {
    let (mut min, mut max) = (None, None);
    for pair in words.windows(2) {
        let bound = match pair[0].to_ascii_lowercase().as_str() {
            "min" => &mut min,
            "max" => &mut max,
            "default" => &mut None,
            _ => continue,
        };
        let Ok(number) = pair[1].parse::<i128>() else { return OptionKind::Any };
        *bound = Some(number);
    }
    match (min, max) {
        (Some(min), Some(max)) if min > max => OptionKind::Any,
        _ => OptionKind::Spin { min, max },
    }
}

/// The option with this name, in any case, as UCI has it.
pub fn option_named<'a>(announced: &'a [AnnouncedOption], name: &str) -> Option<&'a AnnouncedOption> {
    announced.iter().find(|option| option.name.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> AnnouncedOption {
        AnnouncedOption::read(line.as_bytes().split(u8::is_ascii_whitespace))
    }

    fn combo(values: &[&str]) -> OptionKind {
        OptionKind::Combo(values.iter().map(|value| (*value).to_owned()).collect())
    }

    #[test]
    fn the_lines_of_real_engines_are_read() {
        let spin = |min, max| OptionKind::Spin { min, max };
        for (line, name, kind) in [
            ("option name Hash type spin default 16 min 1 max 1024", "Hash", spin(Some(1), Some(1024))),
            ("option name Hash type spin default 16", "Hash", spin(None, None)),
            (
                "option name  Move\tOverhead type spin max 5000 default 10\r",
                "Move Overhead",
                spin(None, Some(5000)),
            ),
            (
                "option name Contempt type Spin Default 0 Min -100 Max 100",
                "Contempt",
                spin(Some(-100), Some(100)),
            ),
            ("option name Draw type spin default 0.5 min 0.0 max 1.0", "Draw", OptionKind::Any),
            ("option name Odd type spin default 1 min 9 max 0", "Odd", OptionKind::Any),
            (
                "option name Big type spin default 1 min 0 max 18446744073709551615",
                "Big",
                spin(Some(0), Some(u64::MAX.into())),
            ),
            ("option name Ponder type check default false", "Ponder", OptionKind::Check),
            ("option name Clear Hash type button", "Clear Hash", OptionKind::Button),
            ("option name NalimovPath type string default <empty>", "NalimovPath", OptionKind::Any),
            ("option name File type string default var min max", "File", OptionKind::Any),
            ("option name X type slider default 1", "X", OptionKind::Any),
            ("option name X", "X", OptionKind::Any),
            ("option name", "", OptionKind::Any),
            ("option", "", OptionKind::Any),
            ("option name X type", "X type", OptionKind::Any),
            (
                "option name Book type type combo default Very Big var Very Big var small",
                "Book type",
                combo(&["Very Big", "small"]),
            ),
            ("option name HalfKomi type combo default 0 var 0 var 4", "HalfKomi", combo(&["0", "4"])),
            ("option name Style type combo default a", "Style", OptionKind::Any),
            ("option name Style type combo var a var b c default b c", "Style", combo(&["a", "b c"])),
            ("option name Style type combo default Normal var Solid", "Style", combo(&["Solid", "Normal"])),
            ("option name Style type combo default a var default var a", "Style", combo(&["default", "a"])),
            ("option name Style type combo var var var b", "Style", combo(&["b"])),
        ] {
            assert_eq!(read(line), AnnouncedOption { name: name.to_owned(), kind }, "{line}");
        }
    }

    #[test]
    fn a_value_is_taken_as_the_engine_announces_it() {
        let hash = read("option name Hash type spin default 16 min 1 max 1024").kind;
        for (kind, good, bad) in [
            (
                hash,
                vec!["1", "1024", "+7"],
                vec!["", "0", "1025", "abc", "1e2", "64.0", "18446744073709551615"],
            ),
            (OptionKind::Check, vec!["true", "false"], vec!["", "True", "on", "1"]),
            (OptionKind::Button, vec![""], vec!["true", "1"]),
            (
                combo(&["Very Big", "small"]),
                vec!["Very Big", "Very  Big", "small"],
                vec!["", "Very", "Small"],
            ),
            (OptionKind::Any, vec!["", "<empty>", "/a/b"], vec![]),
            (OptionKind::Spin { min: None, max: Some(3) }, vec!["-9", "3"], vec!["4"]),
        ] {
            good.iter().for_each(|value| assert!(kind.takes(value), "{kind:?} {value}"));
            bad.iter().for_each(|value| assert!(!kind.takes(value), "{kind:?} {value}"));
            assert!(kind.values().iter().all(|value| kind.takes(value)));
        }
    }

    #[test]
    fn what_is_allowed_is_said() {
        for (line, said) in [
            ("option name H type spin min 1 max 9", "a whole number from 1 to 9"),
            ("option name H type spin min 1", "a whole number of at least 1"),
            ("option name H type spin max 9", "a whole number of at most 9"),
            ("option name H type spin", "a whole number"),
            ("option name H type check", "true or false"),
            ("option name H type button", "no value, because it is a button"),
            ("option name H type combo var a b var c", "one of a b, c"),
        ] {
            assert_eq!(read(line).kind.allowed(), said);
        }
        let many: String = (0..30).map(|number| format!(" var {number}")).collect();
        assert!(read(&format!("option name H type combo{many}")).kind.allowed().ends_with("18, 19, ..."));
    }

    #[test]
    fn a_name_is_found_in_any_case() {
        let all = [read("option name Skill Level type spin"), read("option name Hash type spin")];
        assert_eq!(option_named(&all, "skill level").map(|option| option.name.as_str()), Some("Skill Level"));
        assert!(option_named(&all, "Skill").is_none());
    }
}
