//! How a game is named: by its name or its folder, with its options.

use std::path::Path;

/// A game: its name and options, `mnk:5x5,4`, or the folder of a game and its options.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameArg(pub String);

impl GameArg {
    /// The game in a folder. Its options are empty, or what follows the colon.
    pub fn in_folder(folder: &Path, options: &str) -> Self {
        // A relative path without a slash would be the name of a built-in game.
        let folder = if folder.is_absolute() { folder.to_owned() } else { Path::new(".").join(folder) };
        let folder = folder.to_string_lossy();
        GameArg(if options.is_empty() { folder.into_owned() } else { format!("{folder}:{options}") })
    }

    /// The name or the folder, and the options behind the first colon. Of a folder, the options
    /// begin at the first colon that a key and `=` follow, since their values may have slashes.
    /// Without such a colon they follow the first one after the last slash.
    pub fn parts(&self) -> (&str, &str) {
        let text = &self.0;
        // A built-in game has no slash before the colon, but its options may name files.
        let is_name = text.find([':', '/']).is_some_and(|at| text[at..].starts_with(':'));
        let name_ends = if is_name { 0 } else { text.rfind('/').unwrap_or(0) };
        let mut colons = text.match_indices(':').map(|(at, _)| at);
        let before_key = colons.clone().find(|at| !is_name && begins_an_option(&text[at + 1..]));
        let at = before_key.or_else(|| colons.find(|at| *at >= name_ends));
        at.map_or((text, ""), |at| (&text[..at], &text[at + 1..]))
    }

    /// The folder, if it is one: its name has a slash, or is `.` or `..`.
    pub fn folder(&self) -> Option<&Path> {
        let (path, _) = self.parts();
        (path.contains('/') || path == "." || path == "..").then(|| Path::new(path))
    }
}

/// Whether the text begins with the key of an option and `=`.
fn begins_an_option(text: &str) -> bool {
    let is_key = |key: &str| {
        !key.is_empty() && key.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_".contains(letter))
    };
    text.split_once('=').is_some_and(|(key, _)| is_key(key))
}

impl From<String> for GameArg {
    fn from(text: String) -> Self {
        GameArg(text)
    }
}

impl From<&str> for GameArg {
    fn from(text: &str) -> Self {
        GameArg(text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_a_folder_may_have_slashes_and_colons() {
        for (text, place, options) in [
            ("mnk:5x5,4", "mnk", "5x5,4"),
            ("letters:dictionary=/usr/share/dict/words", "letters", "dictionary=/usr/share/dict/words"),
            ("referees/ataxx:board=x5o/7/7/o5x", "referees/ataxx", "board=x5o/7/7/o5x"),
            ("./go:komi=6.5,book=a:b=/c", "./go", "komi=6.5,book=a:b=/c"),
            ("/data/a=b/go:size=9", "/data/a=b/go", "size=9"),
            ("/data/at:noon/go", "/data/at:noon/go", ""),
            ("/data/at:noon/go:fast", "/data/at:noon/go", "fast"),
            ("..", "..", ""),
            ("./kuhn", "./kuhn", ""),
        ] {
            assert_eq!(GameArg::from(text).parts(), (place, options), "{text}");
        }
    }
}
