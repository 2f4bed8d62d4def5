//! Abalone as text: reads moves and positions, writes boards.

use super::board::{AbaloneBoard, AbaloneMove, Direction, Obstacle, Space, row_length, row_letter};
use super::{LOSING, MARBLES, MOVES_A_SIDE, SEATS};
use crate::{Refusal, Seat};

/// Reads a move. Case is ignored. A position decides whether the move is legal.
///
/// A broadside with tail and head swapped, and the new place of the cell named first, is the same
/// move and is accepted. A push in the wrong order is refused with its proper text.
pub(super) fn read_move(text: &str) -> Result<AbaloneMove, Refusal> {
    let (tail, head, to) = read_cells(text)?;
    let step = Direction::ALL.into_iter().find(|&step| tail.next(step) == Some(to));
    match (head, step) {
        (None, Some(step)) => Ok(AbaloneMove { tail, marbles: 1, line: step, step }),
        (None, None) => Err(Refusal::illegal(format!("{to} is not next to {tail}"))),
        (Some(head), step) => several(tail, head, to, step),
    }
}

/// The move of two or three marbles with these ends, in its normal form.
fn several(tail: Space, head: Space, to: Space, step: Option<Direction>) -> Result<AbaloneMove, Refusal> {
    let Some((line, marbles)) = line_between(tail, head) else {
        return Err(Refusal::illegal(format!(
            "{tail} and {head} are not the ends of two or three in a line"
        )));
    };
    let Some(step) = step else {
        return Err(Refusal::illegal(format!("{to} is not next to {tail}")));
    };
    let mv = AbaloneMove { tail, marbles, line, step };
    if step == line || line.beside().contains(&step) {
        return Ok(mv);
    }
    let turned = AbaloneMove { tail: head, line: line.opposite(), ..mv };
    if step == line.opposite() {
        return Err(Refusal::illegal(format!("a push goes from its tail to its head, this one is {turned}")));
    }
    Ok(turned)
}

/// The direction from a tail to a head, and the number of cells, if those are two or three.
fn line_between(tail: Space, head: Space) -> Option<(Direction, u8)> {
    Direction::ALL.into_iter().find_map(|line| {
        let second = tail.next(line)?;
        if second == head {
            return Some((line, 2));
        }
        (second.next(line) == Some(head)).then_some((line, 3))
    })
}

fn read_cells(text: &str) -> Result<(Space, Option<Space>, Space), Refusal> {
    let Some((from, to)) = text.split_once('-') else {
        return Err(Refusal::unreadable(
            "a move is written TAIL HEAD - NEW TAIL without spaces, h1h3-h2, or a3-b4 for one marble; there is no '-'",
        ));
    };
    let to = read_cell(to)?;
    match from.chars().count() {
        2 => Ok((read_cell(from)?, None, to)),
        4 => {
            let (tail, head) = (read_cell(&from_chars(from, 0))?, read_cell(&from_chars(from, 2))?);
            if tail == head {
                return Err(Refusal::unreadable(format!(
                    "tail and head are both {tail}; a move of one marble is written {tail}-{to}"
                )));
            }
            Ok((tail, Some(head), to))
        }
        _ => Err(Refusal::unreadable(format!(
            "before the '-' stand one cell or two, a3 or h1h3, and this is {from:?}"
        ))),
    }
}

/// The two characters of a text from this index.
fn from_chars(text: &str, at: usize) -> String {
    text.chars().skip(at).take(2).collect()
}

fn read_cell(text: &str) -> Result<Space, Refusal> {
    let mut letters = text.chars();
    let (Some(row), Some(number), None) = (letters.next(), letters.next(), letters.next()) else {
        return Err(Refusal::unreadable(format!("{text:?} is no cell; a cell is a letter and a digit, e5")));
    };
    let row = row.to_ascii_lowercase();
    let Some(index) = ('a'..='i').position(|letter| letter == row) else {
        return Err(Refusal::unreadable(format!("{text:?} is no cell; the rows are a to i")));
    };
    let cell = number.to_digit(10).and_then(|number| Space::new(index, number as usize));
    cell.ok_or_else(|| {
        Refusal::unreadable(format!(
            "{text:?} is no cell; row {row} goes from {row}1 to {row}{}",
            row_length(index)
        ))
    })
}

/// The obstacle to a move of `mover`, in words for the student.
pub(super) fn words(board: &AbaloneBoard, mover: Seat, mv: AbaloneMove, obstacle: Obstacle) -> String {
    let push = mv.step == mv.line;
    match obstacle {
        Obstacle::Edge(cell) => {
            format!("the marble at {cell} would leave the board, and it is {}'s own", name(mover))
        }
        Obstacle::Taken(cell) if push && mv.marbles == 3 && board.at(cell) == Some(mover) => {
            format!("{cell} holds a fourth marble of {}, and at most three go at once", name(mover))
        }
        Obstacle::Taken(cell) => match board.at(cell) {
            Some(seat) if push || mv.marbles == 1 => format!("{cell} holds a marble of {}", name(seat)),
            Some(seat) => format!("{cell} holds a marble of {}, and a broadside pushes nothing", name(seat)),
            None => format!("{cell} is not empty"),
        },
        Obstacle::TooMany(pushed) => {
            format!("the push needs more marbles than it pushes, and it is {} against {pushed}", mv.marbles)
        }
        Obstacle::Held(cell) => {
            format!(
                "the marbles that are pushed cannot go on: behind them {cell} holds a marble of {}",
                name(mover)
            )
        }
    }
}

/// The letter of a seat.
pub(super) fn name(seat: Seat) -> &'static str {
    SEATS[seat.index()]
}

/// The rows i to a, made of `#`, `O` and `.`.
pub(super) fn rows(board: &AbaloneBoard) -> Vec<String> {
    (0..9).rev().map(|row| (1..=row_length(row)).map(|number| marble(board, row, number)).collect()).collect()
}

fn marble(board: &AbaloneBoard, row: usize, number: usize) -> char {
    let cell = Space::new(row, number).expect("a row has as many cells as it says");
    match board.at(cell) {
        Some(Seat::FIRST) => '#',
        Some(_) => 'O',
        None => '.',
    }
}

/// Reads the rows i to a.
pub(super) fn read_rows(rows: &[&str]) -> Result<AbaloneBoard, Refusal> {
    if rows.len() != 9 {
        return Err(Refusal::unreadable(format!(
            "a board has the 9 rows i to a joined by '/', and here are {}",
            rows.len()
        )));
    }
    let mut board = AbaloneBoard::EMPTY;
    for (text, row) in rows.iter().zip((0..9).rev()) {
        let letter = row_letter(row);
        let length = text.chars().count();
        if length != row_length(row) {
            return Err(Refusal::unreadable(format!(
                "row {letter} has {} cells, and {text:?} has {length}",
                row_length(row)
            )));
        }
        for (mark, number) in text.chars().zip(1..) {
            let cell = Space::new(row, number).expect("the row has this length");
            match mark {
                '#' => board.put(Seat::FIRST, cell),
                'O' => board.put(Seat::SECOND, cell),
                '.' => {}
                _ => {
                    return Err(Refusal::unreadable(format!(
                        "{cell} holds {mark:?}, which is none of '#', 'O' and '.'"
                    )));
                }
            }
        }
    }
    Ok(board)
}

/// Reads a position: the board, the side to move, and the number of plies played, which is 0 if the
/// text does not say it.
pub(super) fn read_position(text: &str) -> Result<(AbaloneBoard, Seat, u16), Refusal> {
    let fields: Vec<&str> = text.split_whitespace().collect();
    let (rows, side, plies) = match fields[..] {
        [rows, side] => (rows, side, 0),
        [rows, side, plies] => (rows, side, read_plies(plies)?),
        _ => {
            return Err(Refusal::unreadable(format!(
                "a position is written ROWS SIDE or ROWS SIDE PLIES, and here are {} fields",
                fields.len()
            )));
        }
    };
    let board = read_rows(&rows.split('/').collect::<Vec<_>>())?;
    let to_move = match side {
        "b" => Seat::FIRST,
        "w" => Seat::SECOND,
        _ => return Err(Refusal::unreadable(format!("the side to move is b or w, and here it is {side:?}"))),
    };
    check_marbles(&board)?;
    Ok((board, to_move, plies))
}

fn read_plies(text: &str) -> Result<u16, Refusal> {
    let most = 2 * MOVES_A_SIDE;
    match text.parse::<u16>() {
        Ok(plies) if plies <= most && text.bytes().all(|byte| byte.is_ascii_digit()) => Ok(plies),
        _ => Err(Refusal::unreadable(format!(
            "the plies played are a number from 0 to {most}, and here {text:?}"
        ))),
    }
}

/// Refuses numbers of marbles that no game reaches: it ends when one side has lost six.
fn check_marbles(board: &AbaloneBoard) -> Result<(), Refusal> {
    let least = MARBLES - LOSING;
    for seat in [Seat::FIRST, Seat::SECOND] {
        let marbles = board.marbles(seat);
        if !(least..=MARBLES).contains(&marbles) {
            return Err(Refusal::unreadable(format!(
                "{} has {marbles} marbles, and in a game each side has {least} to {MARBLES}",
                name(seat)
            )));
        }
    }
    if [Seat::FIRST, Seat::SECOND].iter().all(|&seat| board.marbles(seat) == least) {
        return Err(Refusal::unreadable(format!("both sides have {least} marbles, so both have lost")));
    }
    Ok(())
}
