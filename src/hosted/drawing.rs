//! The drawing of a game of a referee program: its `board` and `frame` lines, read as a film.

use agon_games::diagram::{BadFrames, Film};
use agon_printable::escape;

/// The first line of a film.
const HEAD: &str = "frames 1\n";

/// A drawing that cannot be shown.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line} of the referee, \"{text}\": {why}")]
pub struct BadDrawing {
    /// The number of its line in the game, from 1.
    pub line: usize,
    /// The line, escaped.
    pub text: String,
    /// What is wrong with it.
    pub why: String,
}

/// The film of a recorded game; `None` if its referee has drawn nothing.
///
/// # Errors
/// [`BadDrawing`]: the first line that is not in the format.
pub fn drawing(lines: &[String]) -> Result<Option<Film>, BadDrawing> {
    let is_of = |word: &'static str| {
        move |(at, line): (usize, &'_ String)| -> Option<(usize, String)> {
            let text = line.strip_prefix('<')?.strip_prefix(word)?.strip_prefix(' ')?;
            Some((at, text.to_owned()))
        }
    };
    let board = lines.iter().enumerate().filter_map(is_of("board"));
    let drawn: Vec<(usize, String)> =
        board.chain(lines.iter().enumerate().filter_map(is_of("frame"))).collect();
    if drawn.is_empty() {
        return Ok(None);
    }
    let mut text = HEAD.to_owned();
    for (_, line) in &drawn {
        text.push_str(line);
        text.push('\n');
    }
    text.parse().map(Some).map_err(|BadFrames { line, why, .. }: BadFrames| {
        // The first line of the film is ours, and a film that breaks off breaks off at its last line.
        let at = line.saturating_sub(2).min(drawn.len() - 1);
        let (line, text) = &drawn[at];
        BadDrawing { line: line + 1, text: escape(text.as_bytes(), 100), why }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn a_drawing_is_a_film_and_a_broken_one_names_its_line() {
        let board = ["<board size 300 100", "<board slot 50 50 round a", "<public x", "<board start"];
        let whole = lines(&[&board[..], &["<frame 0=1 *0|seat 1 moves"]].concat());
        let film = drawing(&whole).unwrap().unwrap();
        assert_eq!((film.diagram.slots.len(), film.frames.len()), (1, 1));
        assert_eq!(drawing(&lines(&["<public frame 1", ">answer 1 board"])), Ok(None));
        for (wrong, line) in [("<frame 7=1|x", 5), ("<frame 0=1", 5), ("<frame ", 5)] {
            let wrong = lines(&[&board[..], &[wrong]].concat());
            assert_eq!(drawing(&wrong).unwrap_err().line, line, "{wrong:?}");
        }
        assert!(drawing(&lines(&board[..2])).is_err(), "it has no start");
        assert!(drawing(&lines(&["<frame |x"])).is_err(), "it has no board");
    }
}
