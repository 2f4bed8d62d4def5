//! Mill and connect four: stones that fall, and fixed lines of four.

use std::sync::LazyLock;

use agon_games::{Position, Status, connect4, mill};
use agon_seats::Seat;

use super::evaluate::{Evaluate, key_of};

/// The value of a line with this many stones of one side and none of the other.
const WORTH: [i32; 4] = [0, 2, 10, 40];

/// The evaluation of the lines.
struct Scan {
    /// The value of the own lines minus that of the opponent's.
    balance: i32,
    /// The free cells that would complete an own line.
    own: u64,
    /// The free cells that would complete a line of the opponent.
    other: u64,
}

fn scan(lines: &[u64], own: u64, other: u64) -> Scan {
    let mut scan = Scan { balance: 0, own: 0, other: 0 };
    for line in lines {
        let (mine, theirs) = (line & own, line & other);
        if theirs == 0 {
            let stones = mine.count_ones() as usize;
            scan.balance += WORTH[stones.min(3)];
            if stones == 3 {
                scan.own |= line & !own;
            }
        } else if mine == 0 {
            let stones = theirs.count_ones() as usize;
            scan.balance -= WORTH[stones.min(3)];
            if stones == 3 {
                scan.other |= line & !other;
            }
        }
    }
    scan
}

impl Scan {
    /// The balance, or a decided game: a line that can be completed at once wins, and two of the
    /// opponent's cells cannot both be stopped.
    fn value(&self, landings: u64) -> i32 {
        if self.own & landings != 0 {
            5000
        } else if (self.other & landings).count_ones() > 1 {
            -5000
        } else {
            self.balance
        }
    }

    /// The useful landings: one that wins, else those that stop the opponent from winning, else
    /// all.
    fn urgent(&self, landings: u64) -> u64 {
        let (wins, stops) = (self.own & landings, self.other & landings);
        match (wins, stops) {
            (0, 0) => landings,
            // With two of them the game is lost; any of them will do.
            (0, _) => stops & stops.wrapping_neg(),
            _ => wins & wins.wrapping_neg(),
        }
    }
}

/// The stones of the side to move, and of the opponent.
fn sides(status: Status<agon_games::Ending>, stones: impl Fn(Seat) -> u64) -> (u64, u64) {
    let seat = match status {
        Status::ToMove(seat) => seat,
        Status::Over(_) => Seat::FIRST, // not called then
    };
    (stones(seat), stones(seat.other()))
}

fn cube(position: &mill::MillCube) -> (u64, u64, u64) {
    let (own, other) = sides(position.status(), |seat| position.balls(seat));
    let taken = own | other;
    (own, other, !taken & (taken << 16 | 0xffff))
}

/// The cells of a column of the cube.
fn column_of(column: mill::Pole) -> u64 {
    0x0001_0001_0001_0001 << (column.x() - 1 + 4 * (column.y() - 1))
}

impl Evaluate for mill::MillCube {
    fn key(&self) -> u64 {
        key_of(self)
    }

    fn evaluate(&self) -> i32 {
        let (own, other, landings) = cube(self);
        scan(&mill::LINES, own, other).value(landings)
    }

    fn plies_left(&self) -> u32 {
        64 - (self.balls(Seat::FIRST) | self.balls(Seat::SECOND)).count_ones()
    }

    fn candidates(&self, moves: &mut Vec<mill::Pole>) {
        let (own, other, landings) = cube(self);
        let urgent = scan(&mill::LINES, own, other).urgent(landings);
        self.moves(moves);
        moves.retain(|column| column_of(*column) & urgent != 0);
    }
}

/// The lines of connect four, in the cells of [`connect4::Grid::stones`].
static LINES: LazyLock<Vec<u64>> = LazyLock::new(|| {
    let mut lines = Vec::new();
    for (dx, dy) in [(1, 0), (0, 1), (1, 1), (1, -1)] {
        for (x, y) in (0..7).flat_map(|x| (0..6).map(move |y| (x, y))) {
            if (0..7).contains(&(x + 3 * dx)) && (0..6).contains(&(y + 3 * dy)) {
                lines.push((0..4).map(|step| 1 << (7 * (x + step * dx) + y + step * dy)).sum());
            }
        }
    }
    lines
});

fn board(position: &connect4::Grid) -> (u64, u64, u64) {
    const FLOOR: u64 = 0x0408_1020_4081;
    let (own, other) = sides(position.status(), |seat| position.stones(seat));
    (own, other, ((own | other) + FLOOR) & (FLOOR * 0x3f))
}

impl Evaluate for connect4::Grid {
    fn key(&self) -> u64 {
        key_of(self)
    }

    fn evaluate(&self) -> i32 {
        let (own, other, landings) = board(self);
        scan(&LINES, own, other).value(landings)
    }

    fn plies_left(&self) -> u32 {
        42 - (self.stones(Seat::FIRST) | self.stones(Seat::SECOND)).count_ones()
    }

    fn candidates(&self, moves: &mut Vec<connect4::DropColumn>) {
        let (own, other, landings) = board(self);
        let urgent = scan(&LINES, own, other).urgent(landings);
        self.moves(moves);
        moves.retain(|column| urgent >> (7 * column.index()) & 0x3f != 0);
    }

    /// The middle first.
    fn promise(&self, column: connect4::DropColumn) -> i32 {
        3 - (column.index() as i32 - 3).abs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connect_four_has_69_lines() {
        assert_eq!(LINES.len(), 69);
        assert!(LINES.iter().all(|line| line.count_ones() == 4));
    }

    #[test]
    fn a_win_is_the_only_candidate_and_a_threat_must_be_stopped() {
        let candidates = |moves: &str| {
            let mut cube = mill::MillCube::default();
            for mv in moves.split(' ') {
                cube.play(cube.parse(mv).unwrap());
            }
            let mut moves = Vec::new();
            cube.candidates(&mut moves);
            moves.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(candidates("11 12 21 22 31 32"), ["41"]);
        assert_eq!(candidates("11 12 21 22 31"), ["41"]);
        assert_eq!(candidates("11 12 21 22").len(), 16);
    }
}
