//! The games of each two entrants as pairs on one board with sides swapped. The order of the games
//! makes no difference.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

use super::points::Wdl;
use super::versus::Encounter;

/// The games of all entrants, who are known by numbers.
#[derive(Clone, Default, Debug)]
pub struct Encounters {
    /// By two entrants, the lower number first, as it sees the games.
    all: BTreeMap<(usize, usize), Encounter>,
    /// By entrant: its games against all others.
    fields: BTreeMap<usize, Encounter>,
    /// The games whose other one is missing so far, by pairing and pair.
    open: HashMap<(u32, u32), Open>,
}

/// A game of a pair without the other one.
#[derive(Clone, Copy, Debug)]
struct Open {
    /// The entrants of the first and the second seat.
    seats: [usize; 2],
    /// The half points of the first seat.
    halves: usize,
}

impl Encounters {
    /// Adds a game by the number of its pairing, its number in it, from 1, the entrants of the
    /// first and the second seat, and the half points of the first seat: 2, 1 or 0. Games 1 and 2,
    /// 3 and 4 and so on are pairs if their sides are swapped.
    pub fn add(&mut self, (pairing, game): (u32, u32), seats: [usize; 2], halves: usize) {
        let pair = (pairing, game.div_ceil(2));
        let [one, two] = seats;
        let other = self.open.get(&pair).copied().filter(|other| other.seats == [two, one]);
        match other {
            Some(_) => drop(self.open.remove(&pair)),
            None => drop(self.open.entry(pair).or_insert(Open { seats, halves })),
        }
        // The half points of an entrant.
        let seen = |by: usize, [first, _]: [usize; 2], halves| if first == by { halves } else { 2 - halves };
        let count = |met: &mut Encounter, by: usize| {
            let own = seen(by, seats, halves);
            match other {
                Some(other) => {
                    let before = seen(by, other.seats, other.halves);
                    *of_halves(&mut met.single, before) -= 1;
                    met.pairs.add(before + own);
                }
                None => *of_halves(&mut met.single, own) += 1,
            }
        };
        let lower = one.min(two);
        count(self.all.entry((lower, one.max(two))).or_default(), lower);
        seats.into_iter().for_each(|by| count(self.fields.entry(by).or_default(), by));
    }

    /// The games of one entrant against another, as the first of them sees them.
    pub fn between(&self, one: usize, other: usize) -> Encounter {
        let met = self.all.get(&(one.min(other), one.max(other))).copied().unwrap_or_default();
        if one <= other { met } else { met.reversed() }
    }

    /// The games of an entrant against all others.
    pub fn of(&self, entrant: usize) -> Encounter {
        self.fields.get(&entrant).copied().unwrap_or_default()
    }

    /// Adds the games of other entrants, whose numbers here are `numbers`. Their pairs are their
    /// own: no game of theirs is one of a pair here.
    pub fn include(&mut self, other: &Encounters, numbers: &[usize]) {
        for ((one, two), met) in &other.all {
            let (one, two) = (numbers[*one], numbers[*two]);
            let met = if one < two { *met } else { met.reversed() };
            *self.all.entry((one.min(two), one.max(two))).or_default() += met;
        }
        for (entrant, met) in &other.fields {
            *self.fields.entry(numbers[*entrant]).or_default() += *met;
        }
    }
}

/// The half points of the first seat of a game of two, by the places of both.
pub fn halves([first, second]: [u8; 2]) -> usize {
    match first.cmp(&second) {
        Ordering::Less => 2,
        Ordering::Equal => 1,
        Ordering::Greater => 0,
    }
}

fn of_halves(games: &mut Wdl, halves: usize) -> &mut u64 {
    match halves {
        0 => &mut games.losses,
        1 => &mut games.draws,
        _ => &mut games.wins,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::versus::Pairs;

    #[test]
    fn two_games_with_swapped_sides_are_a_pair_whichever_is_first() {
        let games = [((1, 1), [4, 2], 2), ((1, 2), [2, 4], 1), ((1, 3), [4, 2], 0), ((2, 1), [2, 7], 2)];
        for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]] {
            let mut all = Encounters::default();
            order.iter().for_each(|at| {
                let (id, seats, halves) = games[*at];
                all.add(id, seats, halves);
            });
            let met = all.between(4, 2);
            assert_eq!(met.pairs, Pairs([0, 0, 0, 1, 0]));
            assert_eq!(met.single, Wdl { wins: 0, draws: 0, losses: 1 });
            assert_eq!(all.between(2, 4), met.reversed());
            assert_eq!((all.between(7, 2).games(), all.between(4, 7).games()), (1, 0));
            assert_eq!(all.of(4), met);
            assert_eq!((all.of(2).pairs, all.of(2).single.games()), (met.reversed().pairs, 2));
            assert_eq!((all.of(7).single.losses, all.of(9).games()), (1, 0));
        }
    }

    #[test]
    fn games_on_the_same_sides_are_no_pair() {
        let mut all = Encounters::default();
        for game in 1..=2 {
            all.add((1, game), [0, 1], 2);
        }
        let met = all.between(0, 1);
        assert_eq!((met.pairs.count(), met.single.wins), (0, 2));
    }

    #[test]
    fn what_is_included_keeps_its_pairs_and_single_games() {
        let mut own = Encounters::default();
        own.add((1, 1), [0, 1], 2);
        let mut other = Encounters::default();
        other.add((1, 2), [0, 1], 2);
        other.add((2, 1), [0, 1], 1);
        other.add((2, 2), [1, 0], 0);
        own.include(&other, &[1, 0]);
        let met = own.between(0, 1);
        assert_eq!(met.single, Wdl { wins: 1, draws: 0, losses: 1 });
        assert_eq!(met.pairs, Pairs([0, 1, 0, 0, 0]));
        assert_eq!((own.of(0), own.of(1)), (met, met.reversed()));
    }
}
