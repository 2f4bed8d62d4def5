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
/// Only the changed cells are shown by style alone. On a terminal that is narrower than the
/// drawing, the planes of a board stand below each other.
pub fn styled(drawing: &str, before: Option<&str>, look: TableLook) -> String {
    let before: Vec<Vec<char>> =
        before.into_iter().flat_map(str::lines).map(|line| line.chars().collect()).collect();
    let cell = |y: usize, (x, mark): (usize, char)| {
        let was = before.get(y).and_then(|line| line.get(x));
        (mark, was.is_some_and(|was| *was != mark))
    };
    let rows: Vec<Vec<DrawnCell>> = (drawing.lines().enumerate())
        .map(|(y, line)| line.chars().enumerate().map(|at| cell(y, at)).collect())
        .collect();
    let mut out = String::with_capacity(4 * drawing.len());
    for row in folded(rows, look.width.map_or(usize::MAX, usize::from)) {
        for (mark, is_changed) in row {
            let side = match mark {
                '#' | 'X' | 'W' => Some(FIRST),
                'O' | 'B' => Some(SECOND),
                _ => None,
            };
            let codes: Vec<&str> = side.into_iter().chain(is_changed.then_some(CHANGED)).collect();
            if codes.is_empty() || !look.styled {
                out.push(mark);
            } else {
                out.push_str(&format!("\x1b[{}m{mark}\x1b[0m", codes.join(";")));
            }
        }
        out.push('\n');
    }
    out
}

/// A sign of a drawing, and whether the last move has changed it.
type DrawnCell = (char, bool);

/// The rows of a drawing, where possible none wider than this: parts that stand side by side, with
/// two blank columns between them, are put below each other.
fn folded(rows: Vec<Vec<DrawnCell>>, width: usize) -> Vec<Vec<DrawnCell>> {
    if rows.iter().all(|row| row.len() <= width) {
        return rows;
    }
    let is_blank = |row: &Vec<DrawnCell>| row.iter().all(|(mark, _)| *mark == ' ');
    let mut out = Vec::new();
    for band in rows.chunk_by(|one, next| is_blank(one) == is_blank(next)) {
        let mut band = band.to_vec();
        while let Some(right) = parted(&mut band, width) {
            out.append(&mut band);
            out.push(Vec::new());
            band = right;
        }
        out.append(&mut band);
    }
    out
}

/// Cuts off what stands to the right of the last gap within the width, if anything is wider.
fn parted(band: &mut [Vec<DrawnCell>], width: usize) -> Option<Vec<Vec<DrawnCell>>> {
    let widest = band.iter().map(Vec::len).max().filter(|widest| *widest > width)?;
    let is_free = |x: usize| band.iter().all(|row| row.get(x).is_none_or(|(mark, _)| *mark == ' '));
    let first = (0..widest).find(|x| !is_free(*x))?;
    let gap = (first + 1..=width).rev().find(|x| is_free(*x) && is_free(x + 1))?;
    let next = (gap..widest).find(|x| !is_free(*x))?;
    let right = band.iter().map(|row| row.get(next..).unwrap_or_default().to_vec()).collect();
    for row in band {
        row.truncate(gap);
        row.truncate(row.iter().rposition(|(mark, _)| *mark != ' ').map_or(0, |last| last + 1));
    }
    Some(right)
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
    fn planes_stand_below_each_other_on_a_narrow_terminal() {
        let game = find("mill", &Needs::default()).unwrap().start(1);
        let wide = game.draw();
        let narrow = |width: u16| styled(&wide, None, TableLook { width: Some(width), styled: false });
        assert_eq!(narrow(80), wide);
        let expected = "  z=1          z=2\ny\\x 1 2 3 4  y\\x 1 2 3 4\n  1 . . . .    1 . . . .\n";
        assert!(narrow(30).starts_with(expected), "{}", narrow(30));
        assert!(narrow(30).contains("\n\n  z=3          z=4\ny\\x 1 2 3 4  y\\x 1"), "{}", narrow(30));
        assert!(narrow(20).lines().all(|line| line.len() <= 20), "{}", narrow(20));
        assert_eq!(narrow(20).matches("  4 . . . .").count(), 4, "{}", narrow(20));
        assert_eq!(
            styled("a very wide row\n", None, TableLook { width: Some(5), styled: false }),
            "a very wide row\n"
        );
        // What has changed is marked wherever it stands.
        let marked = styled("a  b\n", Some("a  c\n"), TableLook { width: Some(3), styled: true });
        assert_eq!(marked, "a\n\n\x1b[7mb\x1b[0m\n");
    }

    #[test]
    fn what_has_changed_is_marked_and_nothing_else() {
        assert_eq!(styled("a.X\n", Some("a..\n"), STYLED), "a.\x1b[1;36;7mX\x1b[0m\n");
        assert_eq!(styled("O\n.\n", Some("O\nO\n"), STYLED), "\x1b[1;33mO\x1b[0m\n\x1b[7m.\x1b[0m\n");
        assert_eq!(styled(".\n", None, STYLED), ".\n");
    }
}
