//! The byte of a cell: value and remoteness.
//!
//! A game that ends for the loser on its own turn makes even remoteness lost and odd remoteness
//! won. There is one other end: a side that places its last man while the other has won already. It
//! comes with the end of placing, so few plies later, and has bytes of its own.

use crate::value::{Remoteness, Solution, Value};

/// A value with its remoteness as a number: 0 is drawn, `FAR - n` won in `n` and its negative lost
/// in `n`. So the greatest number is the best.
pub(crate) type Score = i16;

/// More than any remoteness.
pub(crate) const FAR: Score = 1000;

/// A drawn position.
pub(crate) const DRAWN: u8 = 255;

/// A cell that is not solved yet; no table holds it in the end.
pub(crate) const OPEN: u8 = 254;

/// The first byte of the other end. There is space for a remoteness up to 18, the men of both
/// sides.
const OTHER_END: u8 = 235;

/// The highest remoteness that a byte has.
pub(crate) const MOST_PLIES: u16 = OTHER_END as u16 - 1;

/// The byte of a remoteness, won if odd and lost if even.
#[inline]
pub(crate) fn plies(remoteness: u16) -> u8 {
    assert!(remoteness <= MOST_PLIES, "a remoteness of {remoteness} has no byte");
    remoteness as u8
}

/// The byte of a score.
pub(crate) fn encode(score: Score) -> u8 {
    let remoteness = (FAR - score.abs()) as u16;
    match score {
        0 => DRAWN,
        _ if (score > 0) == (remoteness % 2 == 1) => plies(remoteness),
        _ => OTHER_END + remoteness as u8,
    }
}

/// The score of a byte.
#[inline]
pub(crate) fn decode(byte: u8) -> Score {
    match byte {
        DRAWN | OPEN => 0,
        OTHER_END.. => {
            let remoteness = Score::from(byte - OTHER_END);
            if remoteness % 2 == 1 { remoteness - FAR } else { FAR - remoteness }
        }
        _ if byte % 2 == 1 => FAR - Score::from(byte),
        _ => Score::from(byte) - FAR,
    }
}

/// The score of a move that leads to this score.
#[inline]
pub(crate) fn before(score: Score) -> Score {
    -score + (score.signum())
}

/// The solution of a score.
pub(crate) fn solution(score: Score) -> Solution {
    let remoteness = Remoteness::Plies((FAR - score.abs()) as u16);
    match score {
        0 => Solution::DRAWN,
        1.. => Solution { value: Value::Won, remoteness },
        _ => Solution { value: Value::Lost, remoteness },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_reads_back() {
        for byte in (0..OTHER_END + 19).chain([DRAWN]) {
            assert_eq!(encode(decode(byte)), byte);
        }
        assert_eq!(solution(decode(0)), Solution::lost(0));
        assert_eq!(solution(decode(147)), Solution::won(147));
        assert_eq!(solution(decode(OTHER_END)), Solution::won(0));
        assert_eq!(solution(decode(OTHER_END + 3)), Solution::lost(3));
        assert_eq!(solution(before(decode(148))), Solution::won(149));
        assert_eq!(solution(before(decode(7))), Solution::lost(8));
        assert_eq!(before(0), 0);
    }
}
