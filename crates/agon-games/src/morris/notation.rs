//! Morris as text: reads moves and positions, writes boards, and converts the document's move
//! numbers.

use super::men::{MorrisMove, Side};
use super::{MorrisLayout, QUIET_PLIES, SEATS};
use crate::{Refusal, Seat};

/// Reads a move on this board. Case is ignored. A position decides whether the move is legal.
pub(super) fn read_move(layout: &MorrisLayout, text: &str) -> Result<MorrisMove, Refusal> {
    let most = layout.points - 1;
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
    Ok(MorrisMove {
        from: from.map(|from| read_point(from, most)).transpose()?,
        to: read_point(to, most)?,
        removed: removed.map(|removed| read_point(removed, most)).transpose()?,
    })
}

/// A number from 0 to `most`, without sign or leading zeros.
fn read_point(text: &str, most: u8) -> Result<u8, Refusal> {
    text.parse()
        .ok()
        .filter(|point: &u8| *point <= most && point.to_string() == text)
        .ok_or_else(|| Refusal::unreadable(format!("{text:?} is no point; the points are 0 to {most}")))
}

/// The letter of a seat.
pub(super) fn name(seat: Seat) -> &'static str {
    SEATS[seat.index()]
}

/// The document's number of a move of Six Men's Morris.
pub(super) fn number(mv: MorrisMove) -> u16 {
    let first = u16::from(mv.from.unwrap_or(mv.to));
    let to = u16::from(mv.to);
    let removed = mv.removed.map_or(first, u16::from);
    match mv.from {
        None => to * 256 + removed * 16 + to,
        Some(_) => first * 256 + to * 16 + removed,
    }
}

/// Reads the document's number of a move. Its form depends on whether the side to move `places` a
/// man, as it does with a man in hand.
pub(super) fn read_number(number: u16, places: bool) -> Result<MorrisMove, Refusal> {
    if number >= 1 << 12 {
        return Err(Refusal::unreadable(format!("{number} is no number of a move; they go from 0 to 4095")));
    }
    let [high, middle, low] = [8, 4, 0].map(|shift| (number >> shift & 15) as u8);
    let (from, to, removed) = match places {
        false => (Some(high), middle, low),
        true if high == low => (None, high, middle),
        true => {
            return Err(Refusal::unreadable(format!(
                "{number} is {high}*256+{middle}*16+{low}, and of a man that is placed the first and the last are the same point"
            )));
        }
    };
    Ok(MorrisMove { from, to, removed: (removed != high).then_some(removed) })
}

/// The rows of points from the top, made of `X`, `O` and `.`. `at` gives the seat whose man is on a
/// point.
pub(super) fn rows(layout: &MorrisLayout, at: impl Fn(u8) -> Option<Seat>) -> Vec<String> {
    let mut points = 0..;
    let mark = |point| at(point).map_or(".", name);
    layout.rows.iter().map(|&length| points.by_ref().take(usize::from(length)).map(mark).collect()).collect()
}

/// What the text of a position holds.
pub(super) struct PositionFields {
    pub(super) first: Side,
    pub(super) second: Side,
    pub(super) to_move: Seat,
    /// The plies since the last removal.
    pub(super) quiet: u16,
}

/// Reads a position: the points, the side to move, both sides' men in hand, and optionally the
/// number of plies without a removal. Or the tier, the points and the side to move.
pub(super) fn read_position(layout: &MorrisLayout, text: &str) -> Result<PositionFields, Refusal> {
    let fields: Vec<&str> = text.split_whitespace().collect();
    if let [tier, board, side] = fields[..]
        && tier.len() != usize::from(layout.points)
    {
        return read_tiered(layout, tier, board, side);
    }
    let (board, side, hands, quiet) = match fields[..] {
        [board, side, first, second] => (board, side, [first, second], "0"),
        [board, side, first, second, quiet] => (board, side, [first, second], quiet),
        _ => {
            return Err(Refusal::unreadable(format!(
                "a position is written POINTS SIDE HAND HAND, POINTS SIDE HAND HAND QUIET or TIER POINTS SIDE, and \
                 here are {} fields",
                fields.len()
            )));
        }
    };
    let [first, second] = read_men(layout, board)?;
    let to_move = match side {
        "x" => Seat::FIRST,
        "o" => Seat::SECOND,
        _ => return Err(Refusal::unreadable(format!("the side to move is x or o, and here it is {side:?}"))),
    };
    let first = Side { men: first, hand: read_hand(layout, Seat::FIRST, first, hands[0])? };
    let second = Side { men: second, hand: read_hand(layout, Seat::SECOND, second, hands[1])? };
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
    Ok(PositionFields { first, second, to_move, quiet })
}

/// Reads a position with its tier, XXYZ: the men that both sides have still to place, the men of X
/// and those of O on the board. X places first, and then they place in turn.
fn read_tiered(
    layout: &MorrisLayout,
    tier: &str,
    board: &str,
    side: &str,
) -> Result<PositionFields, Refusal> {
    let is_number = tier.bytes().all(|byte| byte.is_ascii_digit());
    let Some(number @ 0..=9999) = tier.parse::<u32>().ok().filter(|_| is_number) else {
        return Err(Refusal::unreadable(format!(
            "the tier is a number XXYZ: men to place, men of X, men of O, like 1200 or 66, and here it is {tier:?}"
        )));
    };
    let (hands, wanted) = (number / 100, [number / 10 % 10, number % 10]);
    let men = read_men(layout, board)?;
    for (seat, (men, wanted)) in [Seat::FIRST, Seat::SECOND].into_iter().zip(men.iter().zip(wanted)) {
        if men.count_ones() != wanted {
            return Err(Refusal::unreadable(format!(
                "in tier {tier} {} has {wanted} men on the board, and here are {}",
                name(seat),
                men.count_ones()
            )));
        }
    }
    let [first, second] = [hands / 2, hands.div_ceil(2)].map(|hand| hand.to_string());
    read_position(layout, &format!("{board} {side} {first} {second}"))
}

/// The points with men of X and of O.
fn read_men(layout: &MorrisLayout, text: &str) -> Result<[u32; 2], Refusal> {
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

fn read_hand(layout: &MorrisLayout, seat: Seat, men: u32, text: &str) -> Result<u8, Refusal> {
    let most = layout.men;
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
