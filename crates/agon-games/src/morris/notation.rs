//! Morris as text: reads moves and positions, writes boards, and converts the document's move
//! numbers.

use super::position::{MorrisMove, MorrisPosition, Side};
use super::{Men, Morris, QUIET_PLIES, SEATS, points};
use crate::{Position, Refusal, Seat};

/// Reads a move and checks that it is legal. Case is ignored.
pub(super) fn read_move(position: &MorrisPosition, text: &str) -> Result<MorrisMove, Refusal> {
    let most = position.layout().points - 1;
    let (man, removed) = match text.split_once(['r', 'R']) {
        Some((man, removed)) => (man, Some(removed)),
        None => (text, None),
    };
    let (from, to) = match man.split_once('-') {
        Some((from, to)) => (Some(from), to),
        None => (None, man),
    };
    if to.is_empty() {
        return Err(Refusal::unreadable(format!(
            "a move is written 7, 7r2, 3-4 or 3-4r7, and this is {text:?}"
        )));
    }
    let mv = MorrisMove {
        from: from.map(|from| read_point(from, most)).transpose()?,
        to: read_point(to, most)?,
        removed: removed.map(|removed| read_point(removed, most)).transpose()?,
    };
    check(position, mv)?;
    Ok(mv)
}

/// A number from 0 to `most`, without sign or leading zeros.
fn read_point(text: &str, most: u8) -> Result<u8, Refusal> {
    text.parse()
        .ok()
        .filter(|point: &u8| *point <= most && point.to_string() == text)
        .ok_or_else(|| Refusal::unreadable(format!("{text:?} is no point; the points are 0 to {most}")))
}

/// Refuses an illegal move, and names the rule.
fn check(position: &MorrisPosition, mv: MorrisMove) -> Result<(), Refusal> {
    if position.status().over().is_some() {
        return Err(Refusal::illegal("the game is over"));
    }
    let mover = position.to_move();
    let own = name(mover);
    let refuse = |why: String| Err(Refusal::Illegal(why));
    match (mv.from, position.hand(mover)) {
        (Some(_), hand @ 1..) => {
            return refuse(format!(
                "{own} has still {hand} in hand to place, so a move names one point, {}",
                mv.to
            ));
        }
        (None, 0) => {
            return refuse(format!("{own} has no man in hand, so a move names two points, from and to, 3-4"));
        }
        _ => {}
    }
    match mv.from.map(|from| (from, position.at(from))) {
        Some((from, None)) => return refuse(format!("{from} is empty")),
        Some((from, Some(seat))) if seat != mover => return refuse(holds(from, seat)),
        _ => {}
    }
    if let Some(seat) = position.at(mv.to) {
        return refuse(holds(mv.to, seat));
    }
    match mv.from {
        Some(from) if !position.flies() && position.layout().joined(from) >> mv.to & 1 == 0 => {
            let flying =
                if position.rules().flying { ", and only a side with three men left flies" } else { "" };
            refuse(format!("{from} and {} are not joined{flying}", mv.to))
        }
        _ => check_removal(position, mv),
    }
}

fn check_removal(position: &MorrisPosition, mv: MorrisMove) -> Result<(), Refusal> {
    let theirs = position.to_move().other();
    let man = MorrisMove { removed: None, ..mv };
    let removable = if position.closes(mv.from, mv.to) { position.removable() } else { 0 };
    let refuse = |why: String| Err(Refusal::Illegal(why));
    match (mv.removed, points(removable).next()) {
        (None, None) => Ok(()),
        (Some(_), None) => refuse(format!("{man} closes no mill, so no man is removed")),
        (None, Some(first)) => {
            let example = MorrisMove { removed: Some(first), ..mv };
            refuse(format!("{man} closes a mill, so a man of {} must be removed: {example}", name(theirs)))
        }
        (Some(removed), Some(_)) if removable >> removed & 1 == 1 => Ok(()),
        (Some(removed), Some(_)) => match position.at(removed) {
            // At this time the man is on its new point.
            _ if removed == mv.to => refuse(holds(removed, position.to_move())),
            None => refuse(format!("{removed} is empty")),
            Some(seat) if seat != theirs => refuse(holds(removed, seat)),
            Some(_) => {
                let outside: Vec<String> = points(removable).map(|point| point.to_string()).collect();
                refuse(format!(
                    "{removed} is in a mill, and there are men of {} outside mills: {}",
                    name(theirs),
                    outside.join(", ")
                ))
            }
        },
    }
}

fn holds(point: u8, seat: Seat) -> String {
    format!("{point} holds a man of {}", name(seat))
}

fn name(seat: Seat) -> &'static str {
    SEATS[seat.index()]
}

/// The document's number of a move, see [`MorrisPosition::number`].
pub(super) fn number(position: &MorrisPosition, mv: MorrisMove) -> Option<u16> {
    if position.rules().men == Men::Nine {
        return None;
    }
    let first = u16::from(mv.from.unwrap_or(mv.to));
    let to = u16::from(mv.to);
    let removed = mv.removed.map_or(first, u16::from);
    Some(match mv.from {
        None => to * 256 + removed * 16 + to,
        Some(_) => first * 256 + to * 16 + removed,
    })
}

/// Reads the document's number of a move. Its form depends on the position: with a man in hand, a
/// man is placed.
pub(super) fn read_number(position: &MorrisPosition, number: u16) -> Result<MorrisMove, Refusal> {
    if position.rules().men == Men::Nine {
        return Err(Refusal::unreadable("only the moves of Six Men's Morris have numbers"));
    }
    if number >= 1 << 12 {
        return Err(Refusal::unreadable(format!("{number} is no number of a move; they go from 0 to 4095")));
    }
    let [high, middle, low] = [8, 4, 0].map(|shift| (number >> shift & 15) as u8);
    let (from, to, removed) = match position.hand(position.to_move()) {
        0 => (Some(high), middle, low),
        _ if high == low => (None, high, middle),
        _ => {
            return Err(Refusal::unreadable(format!(
                "{number} is {high}*256+{middle}*16+{low}, and of a man that is placed the first and the last are the same point"
            )));
        }
    };
    let mv = MorrisMove { from, to, removed: (removed != high).then_some(removed) };
    check(position, mv)?;
    Ok(mv)
}

/// The rows of points from the top, made of `X`, `O` and `.`.
pub(super) fn rows(position: &MorrisPosition) -> Vec<String> {
    let mut points = 0..;
    let mark = |point| match position.at(point) {
        Some(seat) => name(seat),
        None => ".",
    };
    position
        .layout()
        .rows
        .iter()
        .map(|&length| points.by_ref().take(usize::from(length)).map(mark).collect())
        .collect()
}

/// Reads a position: the points, the side to move, both sides' men in hand, and optionally the
/// number of plies without a removal.
pub(super) fn read_position(rules: Morris, text: &str) -> Result<MorrisPosition, Refusal> {
    if text.trim() == "startpos" {
        return Ok(MorrisPosition::start(rules));
    }
    let fields: Vec<&str> = text.split_whitespace().collect();
    let (board, side, hands, quiet) = match fields[..] {
        [board, side, first, second] => (board, side, [first, second], "0"),
        [board, side, first, second, quiet] => (board, side, [first, second], quiet),
        _ => {
            return Err(Refusal::unreadable(format!(
                "a position is written POINTS SIDE HAND HAND or POINTS SIDE HAND HAND QUIET, and here are {} fields",
                fields.len()
            )));
        }
    };
    let [first, second] = read_men(rules, board)?;
    let to_move = match side {
        "x" => Seat::FIRST,
        "o" => Seat::SECOND,
        _ => return Err(Refusal::unreadable(format!("the side to move is x or o, and here it is {side:?}"))),
    };
    let first = Side { men: first, hand: read_hand(rules, Seat::FIRST, first, hands[0])? };
    let second = Side { men: second, hand: read_hand(rules, Seat::SECOND, second, hands[1])? };
    let in_turn = match to_move {
        Seat::FIRST => first.hand == second.hand,
        _ => first.hand + 1 == second.hand || first.hand == 0 && second.hand == 0,
    };
    if !in_turn {
        return Err(Refusal::unreadable(format!(
            "X and O place in turn, so with {} to move they cannot have {} and {} in hand",
            name(to_move),
            first.hand,
            second.hand
        )));
    }
    let quiet = quiet.parse().ok().filter(|plies: &u16| *plies <= QUIET_PLIES && plies.to_string() == quiet);
    let quiet = quiet.ok_or_else(|| {
        Refusal::unreadable(format!("the plies without a removal are a number from 0 to {QUIET_PLIES}"))
    })?;
    Ok(MorrisPosition::new(rules, first, second, to_move, quiet))
}

/// The points with men of X and of O.
fn read_men(rules: Morris, text: &str) -> Result<[u32; 2], Refusal> {
    let layout = rules.men.layout();
    let length = text.chars().count();
    if length != usize::from(layout.points) {
        return Err(Refusal::unreadable(format!(
            "a board has {} points, and {text:?} has {length}",
            layout.points
        )));
    }
    let mut men = [0, 0];
    for (point, mark) in text.chars().enumerate() {
        match mark {
            'X' => men[0] |= 1 << point,
            'O' => men[1] |= 1 << point,
            '.' => {}
            _ => {
                return Err(Refusal::unreadable(format!(
                    "point {point} holds {mark:?}, which is none of 'X', 'O' and '.'"
                )));
            }
        }
    }
    Ok(men)
}

fn read_hand(rules: Morris, seat: Seat, men: u32, text: &str) -> Result<u8, Refusal> {
    let most = rules.men.layout().men;
    let hand =
        text.parse().ok().filter(|hand: &u8| *hand <= most && hand.to_string() == text).ok_or_else(|| {
            Refusal::unreadable(format!(
                "the men in hand of {} are a number from 0 to {most}, and here {text:?}",
                name(seat)
            ))
        })?;
    let on_board = men.count_ones();
    if on_board + u32::from(hand) > u32::from(most) {
        return Err(Refusal::unreadable(format!(
            "{} has {on_board} men on the board and {hand} in hand, and there are only {most}",
            name(seat)
        )));
    }
    Ok(hand)
}
