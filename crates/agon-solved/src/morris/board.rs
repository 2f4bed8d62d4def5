//! The boards of morris for the solver: sets of points, and the symmetries of the board.

use agon_games::morris::{MorrisLayout, points};

/// The most points of a board.
pub(crate) const MOST_POINTS: usize = 24;

/// A permutation of the points that keeps the lines and the mills, as one table per byte of a set.
pub(crate) struct Symmetry([[u32; 256]; 3]);

impl Symmetry {
    fn new(image: &[u8]) -> Self {
        let mut tables = [[0; 256]; 3];
        for (byte, table) in tables.iter_mut().enumerate() {
            for (set, entry) in table.iter_mut().enumerate() {
                let bits = (0..8).filter(|bit| set >> bit & 1 == 1).map(|bit| byte * 8 + bit);
                *entry = bits.filter_map(|point| image.get(point)).fold(0, |all, point| all | 1 << point);
            }
        }
        Symmetry(tables)
    }

    /// The image of a set.
    #[inline]
    pub(crate) fn of(&self, set: u32) -> u32 {
        let [low, middle, high, _] = set.to_le_bytes();
        self.0[0][usize::from(low)] | self.0[1][usize::from(middle)] | self.0[2][usize::from(high)]
    }
}

/// Every symmetry of a board, the identity first.
///
/// They are found by trying: the image of each point in turn, as long as lines and mills stay.
pub(crate) fn symmetries(layout: &MorrisLayout) -> Vec<Symmetry> {
    let mut found = Vec::new();
    extend(layout, &mut Vec::new(), &mut found);
    found.sort_unstable();
    found.iter().map(|image| Symmetry::new(image)).collect()
}

fn extend(layout: &MorrisLayout, image: &mut Vec<u8>, found: &mut Vec<Vec<u8>>) {
    let next = image.len() as u8;
    if next == layout.points {
        let map = Symmetry::new(image);
        let mut mills: Vec<u32> = layout.mills().collect();
        let mut images: Vec<u32> = mills.iter().map(|mill| map.of(*mill)).collect();
        mills.sort_unstable();
        images.sort_unstable();
        if mills == images {
            found.push(image.clone());
        }
        return;
    }
    for candidate in 0..layout.points {
        let same_lines = |other: u8| {
            let before = layout.joined(next) >> other & 1;
            before == layout.joined(candidate) >> image[usize::from(other)] & 1
        };
        if !image.contains(&candidate) && (0..next).all(same_lines) {
            image.push(candidate);
            extend(layout, image, found);
            image.pop();
        }
    }
}

/// The number of ways to choose `k` of `n` points.
pub(crate) fn choose(n: usize, k: usize) -> usize {
    (0..k).fold(1, |ways, i| ways * (n - i) / (i + 1))
}

/// All sets of `k` of the first `n` points, in rising order.
pub(crate) fn subsets(n: usize, k: usize) -> Vec<u32> {
    if k > n {
        return Vec::new();
    }
    let count = choose(n, k);
    let mut all = Vec::with_capacity(count);
    let mut set = (1u64 << k) - 1;
    for _ in 0..count {
        all.push(set as u32);
        // The next larger number with as many ones.
        let carried = set + (set & set.wrapping_neg());
        let moved = (carried ^ set) >> 2;
        set = carried | moved.checked_shr(set.trailing_zeros()).unwrap_or(0);
    }
    all
}

/// The stones of both sides, from the view of the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SideStones {
    /// Those of the side to move.
    pub(crate) own: u32,
    /// Those of the other side.
    pub(crate) other: u32,
}

impl SideStones {
    /// The same stones with the other side to move.
    pub(crate) fn turned(self) -> Self {
        SideStones { own: self.other, other: self.own }
    }
}

/// The rules that matter to the solver, on one board.
#[derive(Clone, Copy)]
pub(crate) struct MorrisBoard {
    pub(crate) layout: &'static MorrisLayout,
    pub(crate) rules: agon_games::morris::Morris,
}

impl MorrisBoard {
    pub(crate) fn new(rules: agon_games::morris::Morris) -> Self {
        MorrisBoard { layout: rules.men.layout(), rules }
    }

    /// The stones of the other side that a mill may remove.
    #[inline]
    pub(crate) fn removable(&self, other: u32) -> u32 {
        match self.rules.removal {
            agon_games::morris::Removal::Any => other,
            agon_games::morris::Removal::Outside => match other & !self.layout.mills_of(other) {
                0 => other,
                outside => outside,
            },
        }
    }

    /// The points to which a stone may slide or fly.
    #[inline]
    pub(crate) fn reach(&self, stones: SideStones, from: u8) -> u32 {
        let free = self.layout.all() & !(stones.own | stones.other);
        if self.flies(stones.own) { free } else { free & self.layout.joined(from) }
    }

    /// Whether these stones may fly, once placing is over.
    #[inline]
    pub(crate) fn flies(&self, own: u32) -> bool {
        self.rules.flying && own.count_ones() == agon_games::morris::FEWEST
    }

    /// Calls `take` with the stones after each move, for the side that moves then, and whether a
    /// stone was removed. `places` says whether the stone comes from the hand.
    #[inline]
    pub(crate) fn successors(
        &self,
        stones: SideStones,
        places: bool,
        mut take: impl FnMut(SideStones, bool),
    ) {
        let free = self.layout.all() & !(stones.own | stones.other);
        let mut removable = None;
        let mut arrive = |left: u32, to: u8, take: &mut dyn FnMut(SideStones, bool)| {
            let own = left | 1 << to;
            if !self.layout.in_mill(own, to) {
                return take(SideStones { own: stones.other, other: own }, false);
            }
            let may_go = *removable.get_or_insert_with(|| self.removable(stones.other));
            if may_go == 0 {
                return take(SideStones { own: stones.other, other: own }, false);
            }
            for removed in points(may_go) {
                take(SideStones { own: stones.other & !(1 << removed), other: own }, true);
            }
        };
        if places {
            points(free).for_each(|to| arrive(stones.own, to, &mut take));
            return;
        }
        for from in points(stones.own) {
            let left = stones.own & !(1 << from);
            points(self.reach(stones, from)).for_each(|to| arrive(left, to, &mut take));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_games::morris::{NINE, SIX};

    #[test]
    fn each_board_has_16_symmetries_and_the_first_is_the_identity() {
        for layout in [&SIX, &NINE] {
            let all = symmetries(layout);
            assert_eq!(all.len(), 16);
            assert!((0..layout.points).all(|point| all[0].of(1 << point) == 1 << point));
            for map in &all {
                assert_eq!(map.of(layout.all()), layout.all());
                assert!(layout.mills().all(|mill| layout.mills().any(|other| map.of(mill) == other)));
            }
        }
    }

    #[test]
    fn subsets_come_in_rising_order() {
        assert_eq!(subsets(4, 2), [0b0011, 0b0101, 0b0110, 0b1001, 0b1010, 0b1100]);
        assert_eq!(subsets(5, 0), [0]);
        assert_eq!(subsets(3, 4), [0u32; 0]);
        assert_eq!(subsets(24, 5).len(), 42504);
    }
}
