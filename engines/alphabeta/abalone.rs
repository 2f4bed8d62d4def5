//! Abalone: the marbles, their distance from the middle, and their cohesion.

use std::sync::LazyLock;

use agon_games::abalone::{AbaloneMove, AbalonePosition, Direction, MOVES_A_SIDE, Space};
use agon_seats::Seat;

use super::evaluate::{Evaluate, key_of};

const MARBLE: i32 = 100;

/// The value of a pair of neighbours.
const PAIR: i32 = 2;

/// The value of a cell by its distance from the middle. Marbles on the edge are easily lost.
const RING: [i32; 5] = [14, 13, 10, 5, -4];

struct Geometry {
    /// The cells of each ring, the middle first.
    rings: [u64; 5],
    /// The neighbours of each cell.
    neighbours: [u64; Space::COUNT],
    /// The ring of each cell.
    ring: [usize; Space::COUNT],
}

static GEOMETRY: LazyLock<Geometry> = LazyLock::new(|| {
    let mut neighbours = [0; Space::COUNT];
    for cell in Space::all() {
        for next in Direction::ALL.into_iter().filter_map(|direction| cell.next(direction)) {
            neighbours[cell.index()] |= 1 << next.index();
        }
    }
    let around = |cells: u64| {
        (0..Space::COUNT)
            .filter(|cell| cells >> cell & 1 == 1)
            .fold(cells, |all, cell| all | neighbours[cell])
    };
    let middle = Space::new(4, 5).expect("e5 is the middle");
    let mut inside = 1 << middle.index();
    let mut rings = [inside, 0, 0, 0, 0];
    for ring in &mut rings[1..] {
        let wider = around(inside);
        (*ring, inside) = (wider & !inside, wider);
    }
    let mut ring = [0; Space::COUNT];
    for (cell, its) in ring.iter_mut().enumerate() {
        *its = rings.iter().position(|ring| ring >> cell & 1 == 1).expect("the rings are the whole board");
    }
    Geometry { rings, neighbours, ring }
});

fn worth(marbles: u64) -> i32 {
    let rings: i32 = GEOMETRY
        .rings
        .iter()
        .zip(RING)
        .map(|(ring, worth)| (ring & marbles).count_ones() as i32 * worth)
        .sum();
    let mut pairs = 0; // each is found twice
    let mut left = marbles;
    while left != 0 {
        pairs += (GEOMETRY.neighbours[left.trailing_zeros() as usize] & marbles).count_ones();
        left &= left - 1;
    }
    marbles.count_ones() as i32 * MARBLE + rings + pairs as i32 * PAIR / 2
}

impl Evaluate for AbalonePosition {
    /// The number of moves played matters only near the end of the game.
    fn key(&self) -> u64 {
        let left = self.plies_left();
        key_of(&(self.marbles(), self.to_move(), if left < 40 { left } else { 40 }))
    }

    fn evaluate(&self) -> i32 {
        let own = self.to_move();
        worth(self.marbles().bits(own)) - worth(self.marbles().bits(own.other()))
    }

    fn plies_left(&self) -> u32 {
        u32::from(2 * MOVES_A_SIDE - self.plies())
    }

    /// Marbles pushed off the board first, then other pushes, then moves to the middle.
    fn promise(&self, mv: AbaloneMove) -> i32 {
        let own: Seat = self.to_move();
        let mut ahead = mv.head().next(mv.step);
        let mut pushed = 0;
        if mv.step == mv.line {
            while let Some(cell) = ahead
                && self.marbles().at(cell) == Some(own.other())
            {
                pushed += 1;
                ahead = cell.next(mv.step);
            }
        }
        if pushed > 0 {
            return if ahead.is_none() { 1000 } else { 300 + 20 * pushed };
        }
        let ring = |cell: Option<Space>| cell.map_or(5, |cell| GEOMETRY.ring[cell.index()] as i32);
        let inwards = ring(Some(mv.tail)) - ring(mv.head().next(mv.step));
        (20 + 10 * inwards + 5 * i32::from(mv.marbles)).max(0)
    }
}

#[cfg(test)]
mod tests {
    use agon_games::Position;
    use agon_games::abalone::Abalone;

    use super::*;

    #[test]
    fn the_rings_are_the_board() {
        let sizes: Vec<u32> = GEOMETRY.rings.iter().map(|ring| ring.count_ones()).collect();
        assert_eq!(sizes, [1, 6, 12, 18, 24]);
    }

    #[test]
    fn nobody_is_better_at_the_start_and_a_marble_more_is_better() {
        let mut position = Abalone::default().position();
        assert_eq!(position.evaluate(), 0);
        let text = position.text().replacen('O', ".", 1);
        position = Abalone::default().position_from(&text).unwrap();
        assert!(position.evaluate() > 50);
    }

    #[test]
    fn a_push_off_the_board_is_looked_at_first() {
        let text = "OOOOO/....../......./......../OO###..../......../#######/####../OOOOO b";
        let position = Abalone::default().position_from(text).unwrap();
        let mut moves = Vec::new();
        position.moves(&mut moves);
        let best = moves.iter().max_by_key(|mv| position.promise(**mv)).unwrap();
        assert_eq!(position.promise(*best), 1000);
        let mut after = position.clone();
        after.play(*best);
        assert!(after.score(Seat::SECOND) < position.score(Seat::SECOND), "{best}");
    }
}
