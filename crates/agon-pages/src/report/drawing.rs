//! A position on a terminal: the game's drawing, with colours where they work, and its scores.

use agon_games::{Game, Rules, Status};
use agon_seats::result::Finish;

use super::terminal::TableLook;

/// The style of the first side's pieces, bold and in colour; changed cells are reversed.
const FIRST: &str = "1;36";
const SECOND: &str = "1;33";
const CHANGED: &str = "7";

/// A drawn position, with the side to move or the reason for the end, the scores and the one-line
/// text. Ends with a newline. `before` is the drawing before the last move.
pub fn position(game: &dyn Game, rules: &dyn Rules, before: Option<&str>, look: TableLook) -> String {
    let seats = rules.seats();
    let mut out = styled(&game.draw(), before, look);
    let scores: Vec<String> =
        game.scores().iter().map(|(seat, score)| format!("{} {score}", seats[seat.index()])).collect();
    let status = match game.status() {
        Status::ToMove(seat) => format!("{} to move", seats[seat.index()]),
        Status::Over(over) => {
            let finish = Finish { places: &over.places, scores: &over.scores, lost: None };
            format!("over, {}: {}", agon_games::result_text(&rules.spec(), &finish), over.why)
        }
    };
    out.push_str(&format!("\n{status}; score {}\n{}\n", scores.join(", "), game.text()));
    out
}

/// A drawing with coloured pieces and changed cells in reverse; plain where styles do not work.
/// Only the changed cells are shown by style alone.
pub fn styled(drawing: &str, before: Option<&str>, look: TableLook) -> String {
    if !look.styled {
        return drawing.to_owned();
    }
    let before: Vec<Vec<char>> =
        before.into_iter().flat_map(str::lines).map(|line| line.chars().collect()).collect();
    let mut out = String::with_capacity(4 * drawing.len());
    for (y, line) in drawing.lines().enumerate() {
        for (x, mark) in line.chars().enumerate() {
            let was = before.get(y).and_then(|line| line.get(x));
            let changed = was.is_some_and(|was| *was != mark).then_some(CHANGED);
            let side = match mark {
                '#' | 'X' | 'W' => Some(FIRST),
                'O' | 'B' => Some(SECOND),
                _ => None,
            };
            let codes: Vec<&str> = side.into_iter().chain(changed).collect();
            if codes.is_empty() {
                out.push(mark);
            } else {
                out.push_str(&format!("\x1b[{}m{mark}\x1b[0m", codes.join(";")));
            }
        }
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_games::{Needs, find};

    const STYLED: TableLook = TableLook { width: None, styled: true };

    /// The text without its style sequences, from an escape to an m.
    fn bare(text: &str) -> String {
        let mut parts = text.split('\x1b');
        let first = parts.next().unwrap().to_owned();
        first + &parts.map(|part| part.split_once('m').unwrap().1).collect::<String>()
    }

    #[test]
    fn colour_comes_in_addition() {
        for spec in ["abalone", "connect4", "mill", "mnk:15x15,5", "morris", "morris:nine"] {
            let mut game = find(spec, &Needs::default()).unwrap().start(1);
            let before = game.draw();
            let mv = game.moves().remove(3);
            game.play(mv.as_bytes()).unwrap();
            let drawing = game.draw();
            assert_eq!(styled(&drawing, Some(&before), TableLook::default()), drawing);
            let coloured = styled(&drawing, Some(&before), STYLED);
            assert_eq!(bare(&coloured), drawing, "{spec}");
            assert!(coloured.contains(";7m") || coloured.contains("[7m"), "{spec}: the last move is marked");
        }
    }

    #[test]
    fn what_has_changed_is_marked_and_nothing_else() {
        assert_eq!(styled("a.X\n", Some("a..\n"), STYLED), "a.\x1b[1;36;7mX\x1b[0m\n");
        assert_eq!(styled("O\n.\n", Some("O\nO\n"), STYLED), "\x1b[1;33mO\x1b[0m\n\x1b[7m.\x1b[0m\n");
        assert_eq!(styled(".\n", None, STYLED), ".\n");
    }
}
