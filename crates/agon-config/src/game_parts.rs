//! The options of the letter cube that are files: `letters:6x6x3,dictionary=words.txt,board=b.txt`.

use std::path::{Path, PathBuf};

use super::game_arg::GameArg;
use super::game_text::{OF_LETTERS, quoted};
use super::options::Options;

/// The options of a game, which commas part. A comma between quotation marks parts nothing.
fn parts(options: &str) -> Vec<String> {
    let (mut found, mut is_quoted) = (vec![String::new()], false);
    for letter in options.chars() {
        match letter {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => found.push(String::new()),
            _ => found.last_mut().expect("it begins with one").push(letter),
        }
    }
    found
}

impl Options {
    /// Takes the word list and the board out of the options of the game, where a user or a file of
    /// the user's has named them. Relative paths begin at `home`. A game that somebody else names
    /// must not come here: it would read any file.
    ///
    /// # Errors
    /// [`super::Misuse`], when one is given twice or is empty.
    pub fn take_files_of_game(&mut self, home: &Path) -> anyhow::Result<()> {
        let Some((name, options)) = self.game.as_ref().map(GameArg::parts) else { return Ok(()) };
        if name != "letters" || !options.contains('=') {
            return Ok(());
        }
        let (mut rest, mut board, mut dictionary) = (Vec::new(), None, None);
        for part in parts(options) {
            let (place, path) = match part.split_once('=') {
                Some(("dictionary", path)) => (&mut dictionary, path),
                Some(("board", path)) => (&mut board, path),
                _ => {
                    rest.push(part);
                    continue;
                }
            };
            if path.is_empty() {
                return Err(self.misuse("game", "", &format!("{part} names no file; write its path")));
            }
            if place.replace(home.join(path)).is_some() {
                return Err(self.misuse("game", "", &format!("{part} is the second; leave one out")));
            }
        }
        let game = if rest.is_empty() { name.to_owned() } else { format!("{name}:{}", rest.join(",")) };
        for (key, is_taken) in [("dictionary", dictionary.is_some()), ("board", board.is_some())] {
            if is_taken && self.gives(key) {
                let why = format!("names a {key}, and {key} is given besides; leave one out");
                return Err(self.misuse("game", "", &why));
            }
        }
        self.dictionary = dictionary.or(self.dictionary.take());
        self.board = board.or(self.board.take());
        self.game = Some(GameArg(game));
        Ok(())
    }

    /// The game as it is spelled with all its options: `letters:6x6x3,dictionary=words.txt`.
    #[must_use]
    pub fn game_in_one(&self) -> String {
        let (name, rest) = self.game.as_ref().map_or(("letters", ""), GameArg::parts);
        let path = |path: &PathBuf| quoted(&path.to_string_lossy());
        let mut parts: Vec<String> = if rest.is_empty() { Vec::new() } else { vec![rest.to_owned()] };
        parts.extend(self.size.iter().chain(&self.letters).cloned());
        parts.extend(self.dictionary.iter().map(|file| format!("dictionary={}", path(file))));
        parts.extend(self.board.iter().map(|file| format!("board={}", path(file))));
        if parts.is_empty() { name.to_owned() } else { format!("{name}:{}", parts.join(",")) }
    }

    /// The options of the letter cube that are given by a flag or a key of their own.
    pub fn old_spellings(&self) -> Vec<&'static str> {
        OF_LETTERS.into_iter().filter(|key| self.gives(key)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(game: &str) -> Result<Options, String> {
        let mut options = Options { game: Some(game.into()), ..Options::default() };
        options.take_files_of_game(Path::new("")).map_err(|error| error.to_string())?;
        Ok(options)
    }

    #[test]
    fn the_files_of_the_letter_cube_are_options_of_it() {
        let all = taken("letters:6x6x3,uniform,dictionary=\"a,b/words.txt\",board=b=1.txt").unwrap();
        assert_eq!(all.game, Some("letters:6x6x3,uniform".into()));
        assert_eq!(all.dictionary, Some("a,b/words.txt".into()));
        assert_eq!(all.board, Some("b=1.txt".into()));
        assert_eq!(all.game_in_one(), "letters:6x6x3,uniform,dictionary=\"a,b/words.txt\",board=b=1.txt");
        assert_eq!(taken("letters:dictionary=w").unwrap().game, Some("letters".into()));
        for same in ["mnk:15x15,5,first=X", "letters:6x6x3", "./mine:board=7", "letters"] {
            assert_eq!(taken(same).unwrap().game, Some(same.into()));
        }
    }

    #[test]
    fn a_file_that_is_given_twice_or_has_no_name_is_refused() {
        assert!(taken("letters:board=").unwrap_err().contains("--game: board= names no file"));
        assert!(taken("letters:board=a,board=b").unwrap_err().contains("board=b is the second"));
        let mut both = Options {
            game: Some("letters:dictionary=a".into()),
            dictionary: Some("b".into()),
            ..Options::default()
        };
        let said = both.take_files_of_game(Path::new("")).unwrap_err().to_string();
        assert!(said.contains("names a dictionary, and dictionary is given besides"), "{said}");
    }
}
