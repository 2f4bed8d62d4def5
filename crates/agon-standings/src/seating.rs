//! The search for the entrants of each table of a round: it swaps entrants of two tables as long
//! as that costs less.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

/// What it costs that two entrants share a table; the second number decides between equal first
/// ones.
pub(super) type Cost = (i64, i64);

/// About how many pairs are compared after the first descent, in search of a better one.
const WORK: usize = 2_000_000;
/// The most times that the search starts from a changed arrangement.
const MOST_KICKS: usize = 400;

/// How often each two entrants have shared a table.
#[derive(Clone)]
pub(super) struct Meetings {
    /// The lower triangle, row by row.
    times: Vec<u32>,
}

impl Meetings {
    pub(super) fn none(entrants: usize) -> Self {
        Meetings { times: vec![0; entrants * entrants.saturating_sub(1) / 2] }
    }

    fn place(one: usize, other: usize) -> usize {
        let (low, high) = if one < other { (one, other) } else { (other, one) };
        high * (high - 1) / 2 + low
    }

    pub(super) fn times(&self, one: usize, other: usize) -> u32 {
        self.times[Self::place(one, other)]
    }

    /// Counts a table.
    pub(super) fn add(&mut self, table: &[usize]) {
        for (place, one) in table.iter().enumerate() {
            for other in &table[..place] {
                self.times[Self::place(*one, *other)] += 1;
            }
        }
    }
}

/// Swaps entrants between tables of equal size until the sum of the costs is as low as the search
/// finds. The same arguments give the same tables.
pub(super) fn improve(
    tables: Vec<Vec<usize>>,
    cost: impl Fn(usize, usize) -> Cost,
    random: &mut ChaCha8Rng,
) -> Vec<Vec<usize>> {
    let mut now = Arrangement { tables, cost };
    if now.tables.len() < 2 {
        return now.tables;
    }
    now.descend();
    let mut total = now.total();
    // Of equally good arrangements the first is kept, which is the nearest to the given one.
    let (mut best, mut lowest) = (now.tables.clone(), total);
    let seats = now.tables[0].len();
    let entrants = now.tables.len() * seats;
    for _ in 0..(WORK / (entrants * entrants * seats)).min(MOST_KICKS) {
        // Two random swaps and a descent lead out of most arrangements that no swap improves.
        let before = now.tables.clone();
        for _ in 0..2 {
            let table = below(random, now.tables.len());
            let other = (table + 1 + below(random, now.tables.len() - 1)) % now.tables.len();
            now.swap((table, below(random, seats)), (other, below(random, seats)));
        }
        now.descend();
        let found = now.total();
        if found > total {
            now.tables = before;
            continue;
        }
        total = found;
        if found < lowest {
            (best, lowest) = (now.tables.clone(), found);
        }
    }
    best
}

struct Arrangement<F> {
    tables: Vec<Vec<usize>>,
    cost: F,
}

impl<F: Fn(usize, usize) -> Cost> Arrangement<F> {
    fn total(&self) -> Cost {
        let pairs = |table: &[usize]| -> Cost {
            (1..table.len())
                .map(|place| self.joining(table[place], &table[..place], usize::MAX))
                .fold((0, 0), add)
        };
        self.tables.iter().map(|table| pairs(table)).fold((0, 0), add)
    }

    /// What it costs that this entrant joins the table in the place of another.
    fn joining(&self, one: usize, table: &[usize], instead: usize) -> Cost {
        (table.iter().enumerate())
            .filter(|(place, _)| *place != instead)
            .map(|(_, other)| (self.cost)(one, *other))
            .fold((0, 0), add)
    }

    fn swap(&mut self, (table, place): (usize, usize), (other, seat): (usize, usize)) {
        let one = self.tables[table][place];
        self.tables[table][place] = std::mem::replace(&mut self.tables[other][seat], one);
    }

    /// Makes every swap that lowers the cost, until there is none.
    fn descend(&mut self) {
        let seats = self.tables[0].len();
        loop {
            let mut changed = false;
            for table in 0..self.tables.len() {
                for other in table + 1..self.tables.len() {
                    for (place, seat) in
                        (0..seats).flat_map(|place| (0..seats).map(move |seat| (place, seat)))
                    {
                        let (own, their) = (&self.tables[table], &self.tables[other]);
                        let (one, two) = (own[place], their[seat]);
                        let now = add(self.joining(one, own, place), self.joining(two, their, seat));
                        let then = add(self.joining(two, own, place), self.joining(one, their, seat));
                        if then < now {
                            self.swap((table, place), (other, seat));
                            changed = true;
                        }
                    }
                }
            }
            if !changed {
                return;
            }
        }
    }
}

fn add(one: Cost, other: Cost) -> Cost {
    (one.0 + other.0, one.1 + other.1)
}

/// A random number below this one, which is not 0.
pub(super) fn below(random: &mut ChaCha8Rng, limit: usize) -> usize {
    // The upper half of a product with 64 random bits: off by less than limit / 2^64.
    let product = u128::from(random.next_u64()) * limit as u128;
    usize::try_from(product >> 64).expect("the product of the upper half is below the limit")
}

/// Puts them in a random order (Fisher and Yates).
pub(super) fn shuffle(random: &mut ChaCha8Rng, list: &mut [usize]) {
    for place in (1..list.len()).rev() {
        list.swap(place, below(random, place + 1));
    }
}
