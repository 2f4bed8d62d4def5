//! The options that an engine of UGI or a relative announces in its handshake, and which values it
//! takes for them.
//!
//! `option name Hash type spin default 16 min 1 max 1024`, as the document of UCI has it. Names,
//! defaults and the values of a `combo` may have several words. Engines are written by people, so
//! the kind is read in any case, the order of the words is free, and an announcement that makes no
//! sense limits nothing.

use std::fmt::Display;

use agon_printable::escape;

/// The longest text that is kept of one word, in characters.
const LONGEST: usize = 300;
/// The most values of a `combo` that a message lists.
const LISTED: usize = 20;

/// An option, as its engine has announced it.
#[derive(Clone, PartialEq, Debug)]
pub struct AnnouncedOption {
    /// Its name, with one blank between two words; escaped.
    pub name: String,
    /// The values that it takes.
    pub kind: OptionKind,
}

/// What an option takes.
#[derive(Clone, PartialEq, Debug)]
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
    /// A number between these two, as far as they are announced. UCI has whole ones alone, but some
    /// engines announce `default 0.5`.
    Decimal {
        /// The least.
        min: Option<f64>,
        /// The greatest.
        max: Option<f64>,
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
        let words: Vec<String> = words.skip(1).collect();
        let at = words.iter().position(|word| word.eq_ignore_ascii_case("name"));
        let (before, rest) = at.map_or((&[][..], &words[..]), |at| (&words[..at], &words[at + 1..]));
        // As some write it: `option type spin name Hash default 16`.
        if let Some(at) = type_in(before) {
            let end = rest.iter().skip(1).position(|word| is_keyword(word)).map_or(rest.len(), |end| end + 1);
            let (name, more) = rest.split_at(end);
            let clauses = [&before[..at], &before[at + 2..], more].concat();
            let kind = OptionKind::of(Named::of(&before[at + 1]), &clauses);
            return AnnouncedOption { name: name.join(" "), kind };
        }
        let at = type_in(rest).unwrap_or(rest.len());
        let (name, rest) = rest.split_at(at);
        let Some((kind, after)) = rest.get(1).map(|kind| (Named::of(kind), &rest[2..])) else {
            return AnnouncedOption { name: name.join(" "), kind: OptionKind::Any };
        };
        // As some write it: `option name Hash default 16 type spin`.
        let end = (1..name.len()).find(|end| kind.is_some_and(|kind| kind.has_clauses(&name[*end..], after)));
        let (name, early) = name.split_at(end.unwrap_or(name.len()));
        let clauses = [before, early, after].concat();
        AnnouncedOption { name: name.join(" "), kind: OptionKind::of(kind, &clauses) }
    }
}

/// Where `type` and a kind stand in words. A name may hold the word too: `Book type type combo`.
fn type_in(words: &[String]) -> Option<usize> {
    let kind_at = |is_kind: &dyn Fn(&str) -> bool| {
        let mut pairs = words.windows(2);
        pairs.position(|pair| pair[0].eq_ignore_ascii_case("type") && is_kind(&pair[1]))
    };
    kind_at(&|word| Named::of(word).is_some()).or_else(|| kind_at(&|_| true))
}

/// Whether a word begins what is announced behind the kind.
fn is_keyword(word: &str) -> bool {
    ["default", "min", "max", "var"].iter().any(|keyword| word.eq_ignore_ascii_case(keyword))
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

    /// Whether these words are what is announced of this kind, and no part of a name: they have
    /// that shape, and the words `after` the kind do not tell the same. Of a text nobody can say.
    fn has_clauses(self, words: &[String], after: &[String]) -> bool {
        let is = |word: &String, keyword: &str| word.eq_ignore_ascii_case(keyword);
        let is_told = |keyword: &String| after.iter().any(|word| is(word, keyword));
        let pairs = words.chunks(2);
        match self {
            Named::Spin => pairs.into_iter().all(|pair| match pair {
                [keyword, value] => {
                    is_keyword(keyword) && !is(keyword, "var") && !is_told(keyword) && number(value).is_some()
                }
                _ => false,
            }),
            Named::Check => match words {
                [keyword, value] => {
                    is(keyword, "default")
                        && !is_told(keyword)
                        && ["true", "false"].iter().any(|known| is(value, known))
                }
                _ => false,
            },
            Named::Combo => match words {
                [keyword, _, ..] if is(keyword, "default") && !is_told(keyword) => {
                    let default = words[1..].split(|word| is(word, "var")).next().unwrap_or_default();
                    let mut all = words.iter().chain(after);
                    all.any(|word| is(word, "var"))
                        && values_of(&[&words[default.len() + 1..], after].concat())
                            .contains(&default.join(" "))
                }
                [keyword, _, ..] => is(keyword, "var") && !is_told(keyword),
                _ => false,
            },
            Named::Button | Named::Text => false,
        }
    }
}

/// A number as an engine announces it; the whole ones are those of UCI.
fn number(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().filter(|number| number.is_finite())
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
            OptionKind::Spin { min, max } => {
                value.parse::<i128>().is_ok_and(|number| is_between(number, *min, *max))
            }
            OptionKind::Decimal { min, max } => {
                number(value).is_some_and(|number| is_between(number, *min, *max))
            }
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
            OptionKind::Spin { min, max } => format!("a whole number{}", bounds(*min, *max)),
            OptionKind::Decimal { min, max } => format!("a number{}", bounds(*min, *max)),
        }
    }

    /// The values that it takes, if they can be listed.
    pub fn values(&self) -> Vec<&str> {
        match self {
            OptionKind::Check => vec!["true", "false"],
            OptionKind::Combo(values) => values.iter().map(String::as_str).collect(),
            OptionKind::Spin { .. } | OptionKind::Decimal { .. } | OptionKind::Button | OptionKind::Any => {
                Vec::new()
            }
        }
    }
}

fn is_between<T: PartialOrd + Copy>(number: T, min: Option<T>, max: Option<T>) -> bool {
    min.is_none_or(|min| min <= number) && max.is_none_or(|max| number <= max)
}

/// The bounds of a number, for a message, with a blank before them.
fn bounds<T: Display>(min: Option<T>, max: Option<T>) -> String {
    match (min, max) {
        (Some(min), Some(max)) => format!(" from {min} to {max}"),
        (Some(min), None) => format!(" of at least {min}"),
        (None, Some(max)) => format!(" of at most {max}"),
        (None, None) => String::new(),
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

/// A `spin` with these words. An engine that announces something else than numbers, or a least one
/// above the greatest, means something else.
fn spin(words: &[String]) -> OptionKind {
    let (mut min, mut max, mut default) = (None, None, None);
    for pair in words.windows(2) {
        let told = match pair[0].to_ascii_lowercase().as_str() {
            "min" => &mut min,
            "max" => &mut max,
            "default" => &mut default,
            _ => continue,
        };
        if number(&pair[1]).is_none() {
            return OptionKind::Any;
        }
        *told = Some(&pair[1]);
    }
    let whole = |told: Option<&String>| told.map(|told| told.parse::<i128>()).transpose();
    let decimal = |told: Option<&String>| told.and_then(|told| number(told));
    let kind = match (whole(min), whole(max), whole(default)) {
        (Ok(min), Ok(max), Ok(_)) => OptionKind::Spin { min, max },
        _ => OptionKind::Decimal { min: decimal(min), max: decimal(max) },
    };
    match (decimal(min), decimal(max)) {
        (Some(min), Some(max)) if min > max => OptionKind::Any,
        _ => kind,
    }
}

/// The option with this name, in any case, as UCI has it.
pub fn option_named<'a>(announced: &'a [AnnouncedOption], name: &str) -> Option<&'a AnnouncedOption> {
    announced.iter().find(|option| is_same_option(&option.name, name))
}

/// Whether two names are of one option: UCI compares them in any case.
pub fn is_same_option(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other)
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
        let decimal = |min, max| OptionKind::Decimal { min, max };
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
            ("option name Draw type spin default 0.5 min 0.0 max 1.0", "Draw", decimal(Some(0.0), Some(1.0))),
            ("option name Draw type spin default 0.5", "Draw", decimal(None, None)),
            ("option name Draw type spin default 1 min 0.5 max 9", "Draw", decimal(Some(0.5), Some(9.0))),
            ("option name Draw type spin default none min 0 max 9", "Draw", OptionKind::Any),
            ("option name Draw type spin default 1 min 0.5 max 0.25", "Draw", OptionKind::Any),
            ("option name Draw type spin default nan min 0.5", "Draw", OptionKind::Any),
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

    /// UCI has one order, but nothing else is meant by another one.
    #[test]
    fn the_words_of_a_line_may_stand_in_another_order() {
        let hash = OptionKind::Spin { min: Some(1), max: Some(9) };
        for (line, name, kind) in [
            ("option name Hash default 2 type spin min 1 max 9", "Hash", &hash),
            ("option name Hash min 1 max 9 default 2 type spin", "Hash", &hash),
            ("option name Hash MIN 1 Max 9 TYPE Spin Default 2", "Hash", &hash),
            ("option type spin name Hash default 2 min 1 max 9", "Hash", &hash),
            ("option type spin min 1 max 9 name Hash", "Hash", &hash),
            ("option min 1 max 9 name Hash type spin default 2", "Hash", &hash),
            ("option Hash type spin default 2 min 1 max 9", "Hash", &hash),
            ("option name Own Hash default 2 type spin min 1 max 9", "Own Hash", &hash),
            ("option name Ponder default false type check", "Ponder", &OptionKind::Check),
            ("option type check name Own Book", "Own Book", &OptionKind::Check),
            ("option type button name Clear Hash", "Clear Hash", &OptionKind::Button),
            ("option name Style default a b type combo var a b var c", "Style", &combo(&["a b", "c"])),
            ("option name Style var a b var c default c type combo", "Style", &combo(&["a b", "c"])),
            ("option name Style default c var a var c type combo", "Style", &combo(&["a", "c"])),
            ("option type combo name Style default a b var a b var c", "Style", &combo(&["a b", "c"])),
            // What is told behind the kind too is a part of the name, as what has no such shape.
            ("option name Hash default 2 type spin default 3 min 1 max 9", "Hash default 2", &hash),
            ("option name Hash default type spin default 3 min 1 max 9", "Hash default", &hash),
            ("option name Split min depth type spin min 1 max 9", "Split min depth", &hash),
            ("option name Use default type check", "Use default", &OptionKind::Check),
            ("option name Load default true type button", "Load default true", &OptionKind::Button),
            ("option name Book default x type string", "Book default x", &OptionKind::Any),
            ("option name default 2 type spin min 1 max 9", "default 2", &hash),
            ("option name A value B type spin min 1 max 9", "A value B", &hash),
        ] {
            assert_eq!(read(line), AnnouncedOption { name: name.to_owned(), kind: kind.clone() }, "{line}");
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
            (
                read("option name Draw type spin default 0.5 min 0.25 max 1").kind,
                vec!["0.25", "1", "0.75", "1.0"],
                vec!["0.2", "1.1", "", "much", "nan", "inf"],
            ),
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
            ("option name H type spin default 0.5 min 0.0 max 1", "a number from 0 to 1"),
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
