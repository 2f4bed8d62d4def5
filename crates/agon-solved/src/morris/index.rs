//! The numbering of positions: tier by tier, reduced by the symmetries of the board.
//!
//! A tier is the men left to place, the stones of the side to move and those of the other side. A
//! cell of a tier has two parts. The first is the class of the mover's stones under the symmetries.
//! The second is the rank of the other stones among the points that are left. If a symmetry maps
//! the mover's stones onto themselves, several cells are the same position. The smallest of them is
//! the principal cell.

use agon_games::morris::{FEWEST, points};

use super::board::{MOST_POINTS, MorrisBoard, SideStones, Symmetry, choose, subsets, symmetries};

/// The most stones of a side in a table.
const MOST_STONES: usize = 9;

/// Sets of as many stones, up to symmetry.
struct Classes {
    /// For each set, by rank: its class times 16, plus the symmetry that maps it onto the class's
    /// own set.
    of: Vec<u32>,
    all: Vec<Class>,
}

/// A set of stones that stands for all its images.
struct Class {
    set: u32,
    /// The number of each point among the points that are not in the set.
    place: [u8; MOST_POINTS],
    /// The points that are not in the set, in order.
    free: [u8; MOST_POINTS],
    /// The symmetries that keep the set, without the identity, as bits.
    keeps: u16,
}

/// One tier: a range of cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Tier {
    /// The men that both sides have still to place. The side to move has the odd one.
    pub(crate) hands: u8,
    /// The stones of the side to move.
    pub(crate) own: u8,
    /// The stones of the other side.
    pub(crate) other: u8,
    /// The number of its first cell.
    pub(crate) first: u32,
    /// The number of its cells.
    pub(crate) cells: u32,
    /// The sets of the other side's stones for each class.
    pub(crate) width: u32,
}

/// The numbering of all positions of a table.
pub(crate) struct MorrisIndex {
    pub(crate) board: MorrisBoard,
    symmetries: Vec<Symmetry>,
    /// The number of ways to choose `k` of `n`: `ways[k][n]`.
    ways: [[u32; MOST_POINTS + 1]; MOST_STONES + 1],
    /// Part of a rank: by byte of the set, stones before it, and value.
    parts: Vec<[[u32; 256]; MOST_STONES + 1]>,
    /// By number of stones.
    classes: Vec<Classes>,
    /// The sets of `k` of `n` points: `sets[k][n]`.
    sets: Vec<Vec<Vec<u32>>>,
    tiers: Vec<Tier>,
    /// The tier of hands, own and other stones.
    places: [[[u8; MOST_STONES + 1]; MOST_STONES + 1]; 2 * MOST_STONES + 1],
    /// Sliding positions have at most so many stones a side.
    most: u8,
}

/// No tier has this number.
const NO_TIER: u8 = u8::MAX;

impl MorrisIndex {
    /// The positions after placing with at most `most` stones a side, and if `placing` those
    /// before.
    pub(crate) fn new(board: MorrisBoard, most: u8, placing: bool) -> Self {
        let mut index = MorrisIndex {
            board,
            symmetries: symmetries(board.layout),
            ways: [[0; MOST_POINTS + 1]; MOST_STONES + 1],
            parts: Vec::new(),
            classes: Vec::new(),
            sets: Vec::new(),
            tiers: Vec::new(),
            places: [[[NO_TIER; MOST_STONES + 1]; MOST_STONES + 1]; 2 * MOST_STONES + 1],
            most,
        };
        for (k, row) in index.ways.iter_mut().enumerate() {
            for (n, ways) in row.iter_mut().enumerate() {
                *ways = if k <= n { choose(n, k) as u32 } else { 0 };
            }
        }
        index.fill_parts();
        let points = usize::from(board.layout.points);
        for stones in 0..=usize::from(most) {
            let classes = index.classify(stones);
            index.classes.push(classes);
            let fewest = points.saturating_sub(most.into());
            let sets = |n: usize| if n < fewest { Vec::new() } else { subsets(n, stones) };
            index.sets.push((0..=points).map(sets).collect());
        }
        index.number_tiers(placing);
        index
    }

    fn fill_parts(&mut self) {
        for byte in 0..3 {
            let mut part = [[0; 256]; MOST_STONES + 1];
            for (before, row) in part.iter_mut().enumerate() {
                for (set, entry) in row.iter_mut().enumerate() {
                    let bits = (0..8).filter(|bit| set >> bit & 1 == 1);
                    // More stones than any side has are never looked up.
                    let way = |(nth, bit): (usize, usize)| {
                        self.ways.get(before + nth + 1).map_or(0, |row| row[byte * 8 + bit])
                    };
                    *entry = bits.enumerate().map(way).sum();
                }
            }
            self.parts.push(part);
        }
    }

    /// The rank of a set among all sets with as many points.
    #[inline]
    fn rank(&self, set: u32) -> usize {
        let [low, middle, high, _] = set.to_le_bytes();
        let first = low.count_ones() as usize;
        let second = first + middle.count_ones() as usize;
        let [a, b, c] = [&self.parts[0], &self.parts[1], &self.parts[2]];
        (a[0][usize::from(low)] + b[first][usize::from(middle)] + c[second][usize::from(high)]) as usize
    }

    fn classify(&self, stones: usize) -> Classes {
        let layout = self.board.layout;
        let sets = subsets(layout.points.into(), stones);
        let mut of = vec![u32::MAX; sets.len()];
        let mut all = Vec::new();
        for &set in &sets {
            if of[self.rank(set)] != u32::MAX {
                continue;
            }
            let mut class = Class { set, place: [0; MOST_POINTS], free: [0; MOST_POINTS], keeps: 0 };
            for (place, point) in points(layout.all() & !set).enumerate() {
                class.place[usize::from(point)] = place as u8;
                class.free[place] = point;
            }
            for (number, map) in self.symmetries.iter().enumerate() {
                let image = map.of(set);
                if image == set && number > 0 {
                    class.keeps |= 1 << number;
                }
                let back = self.symmetries.iter().position(|back| back.of(image) == set);
                let back = back.expect("the symmetries are a group");
                let entry = &mut of[self.rank(image)];
                *entry = (*entry).min((all.len() * 16 + back) as u32);
            }
            all.push(class);
        }
        Classes { of, all }
    }

    fn number_tiers(&mut self, placing: bool) {
        let men = self.board.layout.men;
        let mut shapes = Vec::new();
        // Captures lead to fewer stones, other moves to the turned tier: a pair is solved together.
        for total in 2 * FEWEST as u8..=2 * self.most {
            for own in FEWEST as u8..=self.most {
                let Some(other) = total.checked_sub(own) else { continue };
                if own >= other && other >= FEWEST as u8 {
                    shapes.push((0, own, other));
                    if own != other {
                        shapes.push((0, other, own));
                    }
                }
            }
        }
        for hands in 1..=if placing { 2 * men } else { 0 } {
            let (mover, waiter) = (hands.div_ceil(2), hands / 2);
            shapes.extend(
                (0..=men - mover).flat_map(|own| (0..=men - waiter).map(move |other| (hands, own, other))),
            );
        }
        let mut first = 0;
        for (hands, own, other) in shapes {
            let left = usize::from(self.board.layout.points - own);
            let width = self.ways[usize::from(other)][left];
            let cells = self.classes[usize::from(own)].all.len() as u32 * width;
            self.places[usize::from(hands)][usize::from(own)][usize::from(other)] = self.tiers.len() as u8;
            self.tiers.push(Tier { hands, own, other, first, cells, width });
            first += cells;
        }
        assert!(self.tiers.len() < usize::from(NO_TIER), "a tier has one byte");
    }

    /// All tiers, those that others depend on first; the two tiers of a pair are neighbours.
    pub(crate) fn tiers(&self) -> &[Tier] {
        &self.tiers
    }

    /// The number of cells.
    pub(crate) fn cells(&self) -> u32 {
        self.tiers.last().map_or(0, |tier| tier.first + tier.cells)
    }

    /// The tier of a position, if the table has it.
    #[inline]
    pub(crate) fn tier(&self, hands: u8, stones: SideStones) -> Option<&Tier> {
        let (own, other) = (stones.own.count_ones() as usize, stones.other.count_ones() as usize);
        let place = *self.places.get(usize::from(hands))?.get(own)?.get(other)?;
        self.tiers.get(usize::from(place))
    }

    /// The number of a position, which may be that of any of its cells. The tier must be the
    /// position's own.
    #[inline]
    pub(crate) fn cell(&self, tier: &Tier, stones: SideStones) -> u32 {
        let (class, _, rank) = self.place(tier, stones);
        tier.first + class as u32 * tier.width + rank
    }

    /// The principal cell of a position.
    #[inline]
    pub(crate) fn principal(&self, tier: &Tier, stones: SideStones) -> u32 {
        let (number, class, rank) = {
            let (number, other, rank) = self.place(tier, stones);
            let class = &self.classes[usize::from(tier.own)].all[number];
            (number, class, if class.keeps == 0 { rank } else { self.least(tier, class, other).min(rank) })
        };
        debug_assert!(class.set.count_ones() == u32::from(tier.own));
        tier.first + number as u32 * tier.width + rank
    }

    /// The class of a position, its other stones seen from there, and their rank.
    #[inline]
    fn place(&self, tier: &Tier, stones: SideStones) -> (usize, u32, u32) {
        let classes = &self.classes[usize::from(tier.own)];
        let entry = classes.of[self.rank(stones.own)] as usize;
        let other = self.symmetries[entry & 15].of(stones.other);
        let class = &classes.all[entry >> 4];
        (entry >> 4, other, self.rank_among(class, other))
    }

    /// The rank of a set among the sets of points that are not the class's own.
    #[inline]
    fn rank_among(&self, class: &Class, other: u32) -> u32 {
        let mut rank = 0;
        let mut left = other;
        let mut nth = 1;
        while left != 0 {
            let place = class.place[left.trailing_zeros() as usize];
            rank += self.ways[nth][usize::from(place)];
            left &= left - 1;
            nth += 1;
        }
        rank
    }

    fn least(&self, tier: &Tier, class: &Class, other: u32) -> u32 {
        let images = points(class.keeps.into()).map(|number| self.symmetries[usize::from(number)].of(other));
        images.map(|image| self.rank_among(class, image)).min().unwrap_or(tier.width)
    }

    /// The stones of a cell.
    #[inline]
    pub(crate) fn stones(&self, tier: &Tier, cell: u32) -> SideStones {
        let local = cell - tier.first;
        let class = &self.classes[usize::from(tier.own)].all[(local / tier.width) as usize];
        let free = usize::from(self.board.layout.points - tier.own);
        let mut set = self.sets[usize::from(tier.other)][free][(local % tier.width) as usize];
        let mut other = 0;
        while set != 0 {
            other |= 1 << class.free[set.trailing_zeros() as usize];
            set &= set - 1;
        }
        SideStones { own: class.set, other }
    }

    /// The images of a position under all symmetries.
    #[cfg(test)]
    pub(crate) fn images(&self, stones: SideStones) -> impl Iterator<Item = SideStones> {
        self.symmetries
            .iter()
            .map(move |map| SideStones { own: map.of(stones.own), other: map.of(stones.other) })
    }

    /// How many different positions are symmetric to that of a cell, itself included.
    #[inline]
    pub(crate) fn orbit(&self, tier: &Tier, cell: u32) -> u32 {
        let class = &self.classes[usize::from(tier.own)].all[((cell - tier.first) / tier.width) as usize];
        if class.keeps == 0 {
            return 16;
        }
        let other = self.stones(tier, cell).other;
        let keeps = points(class.keeps.into());
        16 / (1 + keeps.filter(|number| self.symmetries[usize::from(*number)].of(other) == other).count())
            as u32
    }

    /// Whether a cell is the principal one of its position.
    #[inline]
    pub(crate) fn is_principal(&self, tier: &Tier, cell: u32) -> bool {
        let local = cell - tier.first;
        let class = &self.classes[usize::from(tier.own)].all[(local / tier.width) as usize];
        class.keeps == 0 || self.least(tier, class, self.stones(tier, cell).other) >= local % tier.width
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_games::morris::Morris;

    fn six() -> MorrisIndex {
        MorrisIndex::new(MorrisBoard::new(Morris::default()), 6, true)
    }

    #[test]
    fn six_mens_morris_has_the_known_numbers_of_classes_and_cells() {
        let index = six();
        let classes: Vec<usize> = index.classes.iter().map(|classes| classes.all.len()).collect();
        assert_eq!(classes, [1, 2, 14, 42, 140, 294, 554]);
        let sliding: u32 = index.tiers.iter().filter(|tier| tier.hands == 0).map(|tier| tier.cells).sum();
        assert_eq!(sliding, 1_364_462);
    }

    /// A side closes no mill with its first two men, and each further man removes at most one. The
    /// table also has the tiers in which more are missing, because any position may be asked for.
    #[test]
    fn six_mens_morris_has_the_known_number_of_placing_cells_that_removals_allow() {
        let index = six();
        let cells = |is_counted: &dyn Fn(&Tier) -> bool| -> u32 {
            let tiers = index.tiers.iter().filter(|tier| tier.hands > 0 && is_counted(tier));
            tiers.map(|tier| tier.cells).sum()
        };
        let allowed = |tier: &Tier| {
            let (own, other) = (6 - tier.hands.div_ceil(2), 6 - tier.hands / 2);
            own - tier.own <= other.saturating_sub(2) && other - tier.other <= own.saturating_sub(2)
        };
        assert_eq!(cells(&|_| true), 2_453_618);
        assert_eq!(cells(&allowed), 2_332_951);
    }

    #[test]
    fn a_cell_reads_back_and_symmetric_positions_share_the_principal_cell() {
        let index = six();
        for tier in index.tiers() {
            let mut orbits = 0;
            for cell in tier.first..tier.first + tier.cells {
                let stones = index.stones(tier, cell);
                assert_eq!(index.tier(tier.hands, stones), Some(tier));
                assert_eq!(index.cell(tier, stones), cell);
                let principal = index.principal(tier, stones);
                assert_eq!(index.is_principal(tier, cell), principal == cell, "{stones:?}");
                if principal == cell {
                    orbits += index.orbit(tier, cell);
                }
                if cell % 97 == 0 {
                    for map in &index.symmetries {
                        let image = SideStones { own: map.of(stones.own), other: map.of(stones.other) };
                        assert_eq!(index.principal(tier, image), principal);
                    }
                }
            }
            let (own, other) = (usize::from(tier.own), usize::from(tier.other));
            assert_eq!(orbits as usize, choose(16, own) * choose(16 - own, other), "{tier:?}");
        }
    }
}
