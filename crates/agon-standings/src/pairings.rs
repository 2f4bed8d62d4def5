//! Round robins: the pairings of each round, the games of each pairing or table, and the seed of
//! each board.
//!
//! Everything is lazy: the plan of a million games takes as much memory as the plan of one.

use std::ops::RangeInclusive;

use agon_seats::{PerSeat, Seat};

use crate::result::GameId;

/// Two entrants that meet, by their indexes in the list of entrants, from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pairing {
    /// Its round, from 1.
    pub round: u32,
    /// Its number through all rounds, from 1.
    pub pairing: u32,
    /// The entrant with the first seat in its odd games.
    pub first: usize,
    /// The entrant with the first seat in its even games.
    pub second: usize,
}

/// Entrants that play together, by their indexes in the list of entrants, from 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table {
    /// Its round, from 1.
    pub round: u32,
    /// Its number through all rounds, from 1.
    pub pairing: u32,
    /// The entrants in the order of their seats in the first game.
    pub entrants: Vec<usize>,
}

impl From<Pairing> for Table {
    fn from(Pairing { round, pairing, first, second }: Pairing) -> Table {
        Table { round, pairing, entrants: vec![first, second] }
    }
}

/// A planned game: the entrants on its seats, and the seed of its board.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlannedGame {
    /// Its place in the plan.
    pub id: GameId,
    /// The entrant on each seat, by its index in the list of entrants, from 0.
    pub seats: PerSeat<usize>,
    /// The seed from which its start position is drawn.
    pub seed: u64,
}

impl PlannedGame {
    /// The number of its board at the table, from 1: on each board every entrant has each seat
    /// once.
    pub fn board(&self) -> u32 {
        board(self.id.game, self.seats.len())
    }
}

/// The number of the board on which a game of a table with so many seats is played, from 1.
pub fn board(game: u32, seats: usize) -> u32 {
    game.div_ceil(u32::try_from(seats).expect("a game has at most 256 seats").max(1))
}

/// All pairings of a round robin, in the order of the Berger tables (FIDE Handbook).
///
/// With an odd number of entrants the opponent of the last number has a bye, and that pairing is
/// left out. Fewer than two entrants have no pairings.
pub fn round_robin(entrants: usize) -> impl Iterator<Item = Pairing> + Clone {
    let slots = entrants.next_multiple_of(2);
    (1..slots)
        .flat_map(move |round| (0..slots / 2).map(move |board| (round, meeting(slots, round, board))))
        .filter(move |(_, (first, second))| *first < entrants && *second < entrants)
        .zip(1..)
        .map(|((round, (first, second)), pairing)| Pairing {
            round: u32::try_from(round).expect("a tournament has fewer than 2^32 rounds"),
            pairing,
            first,
            second,
        })
}

/// The pairing on this board, from 0, in this round, from 1: the closed form of the published
/// tables.
fn meeting(slots: usize, round: usize, board: usize) -> (usize, usize) {
    let circle = slots - 1;
    let turning = ((round + 1) * slots / 2 - 1) % circle;
    match board {
        0 if round % 2 == 1 => (turning, circle),
        0 => (circle, turning),
        _ => ((turning + board) % circle, (turning + circle - board) % circle),
    }
}

/// The number of rounds of a round robin.
pub fn rounds(entrants: usize) -> usize {
    if entrants < 2 { 0 } else { entrants.next_multiple_of(2) - 1 }
}

/// The number of games of a [`plan`].
pub fn games(entrants: usize, games: u32) -> u64 {
    let entrants = entrants as u64;
    entrants * entrants.saturating_sub(1) / 2 * u64::from(games)
}

/// Every game of a round robin, pairing after pairing in Berger order, `games` games each.
///
/// With an even number of games every entrant has each seat equally often.
pub fn plan<S: AsRef<str>>(entrants: &[S], games: u32, seed: u64) -> impl Iterator<Item = PlannedGame> {
    round_robin(entrants.len()).flat_map(move |pairing| pairing_games(pairing, entrants, games, seed))
}

/// The games of a round robin on some boards alone: `boards` is asked once for each pairing, and
/// what it returns for each board, from 1.
pub fn plan_of<'a, S: AsRef<str> + Sync, B: Fn(u32) -> bool + Send + 'a>(
    entrants: &'a [S],
    games: u32,
    seed: u64,
    boards: impl Fn(&[usize]) -> B + Send + 'a,
) -> impl Iterator<Item = PlannedGame> + Send + 'a {
    round_robin(entrants.len()).flat_map(move |pairing| {
        let table = Table::from(pairing);
        let has = boards(&table.entrants);
        table_games_on(table, entrants, 1..=games, seed, has)
    })
}

/// The games of one pairing: sides swapped in every second one, games 1 and 2, 3 and 4, ... on the
/// same board.
///
/// Panics if the pairing names an entrant that the list does not have.
pub fn pairing_games<S: AsRef<str>>(
    pairing: Pairing,
    entrants: &[S],
    games: u32,
    seed: u64,
) -> impl Iterator<Item = PlannedGame> {
    table_games(Table::from(pairing), entrants, games, seed)
}

/// The games of one table. As many games as there are seats share a board, and each entrant has
/// each seat once in them. From game to game the first becomes the last, and the others move up.
///
/// On every second board the entrants sit in the reverse order. So over two boards each of them
/// moves as often right before as right after each neighbour.
///
/// Panics if the table names an entrant that the list does not have.
pub fn table_games<S: AsRef<str>>(
    table: Table,
    entrants: &[S],
    games: u32,
    seed: u64,
) -> impl Iterator<Item = PlannedGame> {
    table_games_on(table, entrants, 1..=games, seed, |_| true)
}

/// The two games of a pairing on one board, from 1, with sides swapped.
///
/// Panics if the pairing names an entrant that the list does not have.
pub fn board_games<S: AsRef<str>>(
    pairing: Pairing,
    entrants: &[S],
    board: u32,
    seed: u64,
) -> impl Iterator<Item = PlannedGame> {
    table_games_on(Table::from(pairing), entrants, 2 * board - 1..=2 * board, seed, |_| true)
}

/// Some games of one table, on the boards that `has` accepts.
fn table_games_on<S: AsRef<str>>(
    table: Table,
    entrants: &[S],
    games: RangeInclusive<u32>,
    seed: u64,
    has: impl Fn(u32) -> bool,
) -> impl Iterator<Item = PlannedGame> {
    let Table { round, pairing, entrants: members } = table;
    let names: Vec<&str> = members.iter().map(|entrant| entrants[*entrant].as_ref()).collect();
    let seats = members.len();
    games.filter(move |game| has(board(*game, seats))).map(move |game| {
        let (board, turn) = ((game as usize - 1) / members.len(), (game as usize - 1) % members.len());
        let seated = |seat: Seat| match (seat.index() + turn) % members.len() {
            place if board % 2 == 1 => members[(members.len() - place) % members.len()],
            place => members[place],
        };
        PlannedGame {
            id: GameId { round, pairing, game },
            seats: PerSeat::from_fn(members.len(), seated),
            seed: table_seed(
                seed,
                &names,
                u32::try_from(board + 1).expect("there are fewer boards than games"),
            ),
        }
    })
}

/// The seed of the board on which two entrants play pair number `pair` of their games, from 1.
pub fn board_seed(run: u64, one: &str, other: &str, pair: u32) -> u64 {
    table_seed(run, &[one, other], pair)
}

/// The seed of board number `board` of a table, from 1.
///
/// It depends only on its arguments, and the order of the names does not matter. So the boards of a
/// table stay the same when others are entered. The value will never change. It is FNV-1a (64 bits)
/// and then the finaliser of SplitMix64. The input is the run's seed as 8 bytes, the names, and the
/// board as 4 bytes; both numbers are little-endian. The names are in the order of their bytes,
/// with 0xff after each. The upper 48 bits are kept: a number below 2^48 is exact in every
/// spreadsheet and JSON reader.
pub fn table_seed(run: u64, names: &[&str], board: u32) -> u64 {
    let mut names = names.to_vec();
    names.sort_unstable();
    // 0xff occurs in no UTF-8 text, so ("ab", "c") and ("a", "bc") differ.
    let named = names.iter().flat_map(|name| name.bytes().chain([0xff]));
    let bytes = run.to_le_bytes().into_iter().chain(named).chain(board.to_le_bytes());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    let mixed = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed ^ (mixed >> 31)) >> 16
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    /// A table in its printed form: rounds separated by ` | `, each with its pairs.
    fn table(entrants: usize) -> String {
        let mut rounds: Vec<Vec<String>> = vec![Vec::new(); rounds(entrants)];
        for Pairing { round, first, second, .. } in round_robin(entrants) {
            rounds[round as usize - 1].push(format!("{}-{}", first + 1, second + 1));
        }
        rounds.iter().map(|round| round.join(" ")).collect::<Vec<_>>().join(" | ")
    }

    #[test]
    fn the_published_tables_come_out_for_4_to_16_who_moves_first_included() {
        let published = include_str!("../fixtures/berger.txt");
        let tables: Vec<&str> = published.split("\n\n").skip(1).collect();
        assert_eq!(tables.len(), 7);
        for text in tables {
            let (slots, printed) = text.split_once('\n').unwrap();
            let slots: usize = slots.parse().unwrap();
            let printed: Vec<&str> = printed.trim_end().lines().collect();
            assert_eq!(table(slots), printed.join(" | "), "{slots} entrants");
            // One fewer: the opponent of the highest number has a bye, and nothing else changes.
            let plays = |pair: &&str| !pair.split('-').any(|number| number == slots.to_string());
            let odd: Vec<String> = (printed.iter())
                .map(|round| round.split(' ').filter(plays).collect::<Vec<_>>().join(" "))
                .collect();
            assert_eq!(table(slots - 1), odd.join(" | "), "{} entrants", slots - 1);
        }
        assert_eq!(table(5), "2-5 3-4 | 5-3 1-2 | 3-1 4-5 | 1-4 2-3 | 4-2 5-1");
    }

    #[test]
    fn two_meet_once_and_fewer_do_not_meet() {
        assert_eq!(table(2), "1-2");
        assert_eq!(round_robin(1).count(), 0);
        assert_eq!(round_robin(0).count(), 0);
        assert_eq!([0, 1, 2, 3, 4].map(rounds), [0, 0, 1, 3, 3]);
    }

    #[test]
    fn everybody_meets_everybody_once_and_sits_once_a_round() {
        for entrants in 2..40 {
            let mut met = HashMap::new();
            let mut busy = HashMap::new();
            for (pairing, number) in round_robin(entrants).zip(1..) {
                assert_eq!(pairing.pairing, number);
                let Pairing { first, second, round, .. } = pairing;
                assert!(round as usize <= rounds(entrants));
                *met.entry((first.min(second), first.max(second))).or_insert(0) += 1;
                *busy.entry((round, first)).or_insert(0) += 1;
                *busy.entry((round, second)).or_insert(0) += 1;
            }
            assert_eq!(met.len(), entrants * (entrants - 1) / 2);
            assert!(met.values().chain(busy.values()).all(|times| *times == 1), "{entrants} entrants");
        }
    }

    #[test]
    fn sides_swap_on_the_same_board_and_everybody_has_each_seat_equally_often() {
        let names = ["alpha", "bravo", "charlie", "delta", "echo"];
        let plan: Vec<PlannedGame> = plan(&names, 4, 7).collect();
        assert_eq!(plan.len() as u64, games(5, 4));
        let mut firsts = [0; 5];
        for pair in plan.chunks(2) {
            assert_eq!(pair[0].id.pairing, pair[1].id.pairing);
            assert_eq!(pair[0].seed, pair[1].seed);
            assert_eq!(pair[0].seats[Seat::FIRST], pair[1].seats[Seat::SECOND]);
            assert_eq!(pair[0].seats[Seat::SECOND], pair[1].seats[Seat::FIRST]);
            firsts[pair[0].seats[Seat::FIRST]] += 1;
            firsts[pair[1].seats[Seat::FIRST]] += 1;
        }
        assert_eq!(firsts, [8; 5]);
        assert_ne!(plan[0].seed, plan[2].seed);
        assert_eq!(plan[5].id.to_string(), "r01-p0002-g02");
    }

    #[test]
    fn seeds_are_the_same_for_ever() {
        assert_eq!(board_seed(1, "alpha", "bravo", 1), 19_877_456_153_937);
        assert_eq!(board_seed(u64::MAX, "", "Zoë", 1000), 66_597_924_241_368);
    }

    #[test]
    fn boards_do_not_depend_on_who_else_has_entered() {
        let boards = |names: &[&str]| -> Vec<u64> {
            plan(names, 6, 2026)
                .filter(|game| game.seats.values().iter().all(|entrant| names[*entrant] <= "bravo"))
                .map(|game| game.seed)
                .collect()
        };
        let two = boards(&["alpha", "bravo"]);
        assert_eq!(two.len(), 6);
        assert_eq!(two, boards(&["zulu", "bravo", "yankee", "alpha", "x-ray"]));
    }

    #[test]
    fn names_runs_and_pairs_are_told_apart() {
        let seed = board_seed(1, "ab", "c", 1);
        assert_eq!(seed, board_seed(1, "c", "ab", 1));
        for other in [board_seed(1, "a", "bc", 1), board_seed(2, "ab", "c", 1), board_seed(1, "ab", "c", 2)] {
            assert_ne!(seed, other);
        }
        assert!((0..1000).all(|pair| board_seed(1, "ab", "c", pair) < 1 << 48));
        let three = table_seed(1, &["c", "ab", "d"], 1);
        assert_eq!(three, table_seed(1, &["d", "c", "ab"], 1));
        assert_ne!(three, table_seed(1, &["abc", "d"], 1));
        assert_ne!(three, table_seed(1, &["c", "ab", "d"], 2));
        // For ever, as `seeds_are_the_same_for_ever`.
        assert_eq!(three, 233_608_738_894_859);
    }

    #[test]
    fn at_a_table_the_seats_turn_and_each_board_has_each_entrant_on_each_seat() {
        let names = ["alpha", "bravo", "charlie", "delta"];
        let table = Table { round: 2, pairing: 5, entrants: vec![3, 0, 2] };
        let games: Vec<PlannedGame> = table_games(table, &names, 7, 9).collect();
        let seats: Vec<&[usize]> = games.iter().map(|game| game.seats.values()).collect();
        assert_eq!(seats[..3], [[3, 0, 2], [0, 2, 3], [2, 3, 0]]);
        // The other way round: who sat right before me now sits right after me.
        assert_eq!(seats[3..6], [[3, 2, 0], [2, 0, 3], [0, 3, 2]]);
        assert_eq!(seats[6], seats[0]);
        let seeds: Vec<u64> = games.iter().map(|game| game.seed).collect();
        let board = |number| table_seed(9, &["alpha", "charlie", "delta"], number);
        assert_eq!(seeds, [1, 1, 1, 2, 2, 2, 3].map(board));
        assert_eq!(games[6].id.to_string(), "r02-p0005-g07");
    }
}
