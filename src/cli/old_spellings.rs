//! Command lines of agon 0.1.0 that are spelled otherwise now. They work until 0.3.0, with a line
//! of warning.

use std::ffi::OsString;
use std::path::Path;

use agon_config::Options;
use agon_match::keeper;
use agon_tournament::run::shell_path;
use agon_tournament::terminal::warn_of_old;

/// Commands that became commands of `agon position`.
const OF_POSITION: [&str; 6] = ["show", "moves", "value", "perft", "notation", "board"];

/// Warns of flags that are options of the letter cube now.
pub(super) fn warn_of_flags(options: &Options) {
    let flags: Vec<String> = options.old_spellings().iter().map(|flag| format!("--{flag}")).collect();
    if !flags.is_empty() && !keeper::is_kept() {
        let game = shell_path(Path::new(&options.game_in_one()));
        warn_of_old(&flags.join(" "), &format!("--game {game}"));
    }
}

/// The words of a command line as they are spelled now.
pub(super) fn renewed(words: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut words: Vec<OsString> = words.collect();
    let Some(command) = words.get(1).and_then(|word| word.to_str()).map(str::to_owned) else { return words };
    let warn_of = |old: &str, new: &str| {
        // Its keeper has said so.
        if !keeper::is_kept() {
            warn_of_old(old, new);
        }
    };
    if OF_POSITION.contains(&command.as_str()) {
        warn_of(&format!("agon {command}"), &format!("agon position {command}"));
        words.insert(1, "position".into());
    } else if command == "pascal-unit" {
        warn_of("agon pascal-unit FILE", "agon new mill pascal --unit FILE");
        words = of_pascal(words);
    }
    words
}

/// `agon pascal-unit FILE --out DIR` as `agon new mill pascal DIR --unit FILE`.
fn of_pascal(words: Vec<OsString>) -> Vec<OsString> {
    let mut rest = words.into_iter();
    let mut new: Vec<OsString> = rest.next().into_iter().collect();
    new.extend(["new", "mill", "pascal"].map(OsString::from));
    rest.next();
    while let Some(word) = rest.next() {
        match word.to_str() {
            Some("--out") => new.extend(rest.next()),
            Some(text) if text.starts_with("--out=") => new.push(text["--out=".len()..].into()),
            Some(text) if text.starts_with('-') => new.push(word),
            _ => new.extend(["--unit".into(), word]),
        }
    }
    new
}

#[cfg(test)]
mod tests {
    use super::*;

    fn renewed_line(line: &str) -> String {
        let words = renewed(line.split(' ').map(OsString::from));
        words.iter().map(|word| word.to_str().unwrap()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn old_commands_become_new_ones_and_new_ones_stay() {
        for (old, new) in [
            ("agon show mill --moves 32", "agon position show mill --moves 32"),
            ("agon perft mill 3", "agon position perft mill 3"),
            ("agon position show mill", "agon position show mill"),
            ("agon match show moves", "agon match show moves"),
            ("agon pascal-unit a.pas", "agon new mill pascal --unit a.pas"),
            (
                "agon pascal-unit --out there a.pas --checks",
                "agon new mill pascal there --unit a.pas --checks",
            ),
            ("agon pascal-unit --out=there a.pas", "agon new mill pascal there --unit a.pas"),
            ("agon", "agon"),
        ] {
            assert_eq!(renewed_line(old), new);
        }
    }
}
