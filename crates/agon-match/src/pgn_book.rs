//! Games in PGN, as books of openings have them: the tags that matter and the moves of the main
//! line, each with its line in the file. No rules are known here.

/// A game of a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PgnGame {
    /// The line of its first tag or move, from 1.
    pub line: usize,
    /// The tag `FEN`.
    pub fen: Option<String>,
    /// The tag `SetUp`: `1` if the game begins at the position of the tag `FEN`.
    pub set_up: Option<String>,
    /// The tag `Variant`.
    pub variant: Option<String>,
    /// Its moves, each with its line.
    pub moves: Vec<(usize, String)>,
}

/// Whether a text looks like PGN: it begins with a tag or with the number of the first move.
pub fn is_one(text: &str) -> bool {
    let mut lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with(['%', ';']));
    first.is_some_and(|line| line.starts_with('[') || line.starts_with("1."))
}

/// Reads the games of a file.
///
/// # Errors
/// The line and what is wrong in it.
pub fn read(text: &str) -> Result<Vec<PgnGame>, (usize, String)> {
    let mut reader = Reader { games: Vec::new(), game: None, depth: 0, has_moves: false };
    // The line in which a comment in braces began.
    let mut comment: Option<usize> = None;
    for (number, line) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
        let mut rest = line;
        if comment.is_none() && rest.starts_with('%') {
            continue;
        }
        loop {
            if comment.is_some() {
                let Some((_, behind)) = rest.split_once('}') else { break };
                (rest, comment) = (behind, None);
            }
            rest = rest.trim_start();
            let Some(sign) = rest.chars().next() else { break };
            rest = match sign {
                ';' => break,
                '{' => {
                    comment = Some(number);
                    &rest[1..]
                }
                '[' if reader.depth == 0 => reader.tag(number, rest)?,
                '(' => {
                    reader.depth += 1;
                    &rest[1..]
                }
                ')' => {
                    let outside = || (number, "a ) closes no variation".to_owned());
                    reader.depth = reader.depth.checked_sub(1).ok_or_else(outside)?;
                    &rest[1..]
                }
                _ => {
                    let is_end = |sign: char| sign.is_whitespace() || "{}()[];".contains(sign);
                    // A sign that ends words and begins nothing is a word.
                    let end = rest.find(is_end).filter(|end| *end > 0).unwrap_or(match rest.find(is_end) {
                        Some(_) => sign.len_utf8(),
                        None => rest.len(),
                    });
                    reader.word(number, &rest[..end]);
                    &rest[end..]
                }
            };
        }
    }
    if let Some(line) = comment {
        return Err((line, "the comment that begins here has no }".to_owned()));
    }
    if reader.depth > 0 {
        return Err((text.lines().count(), "a variation has no )".to_owned()));
    }
    reader.end();
    Ok(reader.games)
}

struct Reader {
    games: Vec<PgnGame>,
    game: Option<PgnGame>,
    /// In how many variations the text is.
    depth: usize,
    has_moves: bool,
}

impl Reader {
    fn game(&mut self, line: usize) -> &mut PgnGame {
        self.game.get_or_insert_with(|| PgnGame { line, ..PgnGame::default() })
    }

    fn end(&mut self) {
        self.games.extend(self.game.take());
        self.has_moves = false;
    }

    /// Reads `[Name "value"]` and returns what stands behind it in the line.
    fn tag<'a>(&mut self, line: usize, text: &'a str) -> Result<&'a str, (usize, String)> {
        if self.has_moves {
            self.end(); // a game without its result
        }
        let wrong = || (line, "a tag is written [Name \"value\"]".to_owned());
        let (name, behind) = text[1..].trim_start().split_once('"').ok_or_else(wrong)?;
        let (mut value, mut signs) = (String::new(), behind.char_indices());
        let end = loop {
            match signs.next().ok_or_else(wrong)? {
                (at, '"') => break at + 1,
                (_, '\\') => value.push(signs.next().ok_or_else(wrong)?.1),
                (_, sign) => value.push(sign),
            }
        };
        let rest = behind[end..].trim_start().strip_prefix(']').ok_or_else(wrong)?;
        let name = name.trim();
        let game = self.game(line);
        let known = match name {
            "FEN" => &mut game.fen,
            "SetUp" => &mut game.set_up,
            "Variant" => &mut game.variant,
            _ => return Ok(rest),
        };
        // A game without a move and a result would lose its position to the next one.
        if known.replace(value).is_some() {
            return Err((line, format!("the tag {name} is there twice; end a game without moves with *")));
        }
        Ok(rest)
    }

    /// A word of the moves: a number, a move, a mark, or the result.
    fn word(&mut self, line: usize, word: &str) {
        if self.depth > 0 || word.starts_with('$') || word == "e.p." {
            return;
        }
        if ["1-0", "0-1", "1/2-1/2", "*"].contains(&word) {
            self.game(line);
            return self.end();
        }
        let bare = word.trim_start_matches(|sign: char| sign.is_ascii_digit());
        let mv = match bare.trim_start_matches('.') {
            // `0-0` is castling, and `12` the number of a move.
            behind if bare.starts_with('.') || bare.is_empty() => behind,
            _ => word,
        };
        let mv = mv.strip_suffix("e.p.").unwrap_or(mv);
        if mv.trim_matches(['!', '?']).is_empty() {
            return;
        }
        self.has_moves = true;
        self.game(line).moves.push((line, mv.to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(game: &PgnGame) -> String {
        let moves: Vec<&str> = game.moves.iter().map(|(_, mv)| mv.as_str()).collect();
        moves.join(" ")
    }

    #[test]
    fn the_main_line_is_read_and_all_else_is_left_out() {
        let text = "\u{feff}% made by hand\n[Event \"a \\\"b\\\" ] c\"]\n[FEN \"x y\"] [Variant \"Chess960\"]\n\n\
                    1.e4 {good (very) 1. d4\n} e5 $1 2. Nf3!? (2. f4 exf4 (2... d5) 3. Nf3) 2... Nc6 ; rest\n\
                    3.Bb5 a6 e.p. 4. 0-0 *\n\n1. d4 d5\n[Event \"next\"]\n\n1-0\n[Event \"last\"]\n1. c4 1/2-1/2";
        assert!(is_one(text));
        let games = read(text).unwrap();
        assert_eq!(moves(&games[0]), "e4 e5 Nf3!? Nc6 Bb5 a6 0-0");
        assert_eq!((games[0].line, games[0].moves[0].0, games[0].moves[3].0), (2, 5, 6));
        assert_eq!((games[0].fen.as_deref(), games[0].variant.as_deref()), (Some("x y"), Some("Chess960")));
        assert_eq!((moves(&games[1]).as_str(), moves(&games[2]).as_str()), ("d4 d5", ""));
        assert_eq!((games.len(), moves(&games[3]).as_str(), games[3].line), (4, "c4", 13));
    }

    #[test]
    fn what_is_not_closed_is_named_by_its_line() {
        for (text, line) in [
            ("[FEN \"a\"]\n[SetUp \"1\"]\n\n[FEN \"b\"]\n\n*\n", 4),
            ("1. e4 {\n\n", 1),
            ("1. e4\n(1. d4\n", 2),
            ("1. e4\n)", 2),
            ("[Event x]", 1),
            ("\n[Event \"x\"", 2),
        ] {
            assert_eq!(read(text).unwrap_err().0, line, "{text}");
        }
        assert!(!is_one("e4 e5\n") && !is_one("") && is_one("; a\n\n1. e4"));
        assert_eq!(read("1. e4 ] e5").unwrap()[0].moves.len(), 3);
        let games = read("[SetUp \"1\"]\n[FEN \"a\"]\n*\n[FEN \"b\"]\n1. exd6e.p. e.p. *").unwrap();
        assert_eq!((games[0].set_up.as_deref(), games[1].set_up.as_deref()), (Some("1"), None));
        assert_eq!(moves(&games[1]), "exd6");
    }
}
