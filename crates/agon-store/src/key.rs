//! The identity of a game: in another plan the same game has another number, but the same key.

use std::collections::BTreeMap;

use agon_config::Confinement;
use agon_seats::PerSeat;
use agon_standings::pairings::PlannedGame;
use agon_standings::table_plan::TablePlan;
use sha2::{Digest, Sha256};

use super::hash::part;

/// The conditions on which all games of a run depend, under names for people. Other conditions give
/// other games.
pub type GameConditions = BTreeMap<String, String>;

/// The name of the number of seats among the conditions; it is not there in games of two that are
/// built in.
pub const SEATS: &str = "seats";
/// The name of the hash of the referee program among the conditions.
pub const REFEREE: &str = "referee";
/// The name of the format of tables among the conditions; it is there with more than two seats. A
/// game at the same table is the same game in another format, so it is no part of its key.
pub const TABLES: &str = "format of tables";
/// Another name of the format of tables, in runs whose keys depend on it.
const TABLES_IN_KEYS: &str = "tables";

/// The tables of a run under these conditions.
pub fn tables_of(terms: &GameConditions) -> TablePlan {
    let seats = terms.get(SEATS).and_then(|text| text.parse().ok()).unwrap_or(2);
    let format = terms
        .get(TABLES)
        .or_else(|| terms.get(TABLES_IN_KEYS))
        .and_then(|text| text.parse().ok())
        .unwrap_or_default();
    TablePlan { seats, format }
}

/// The differences between two sets of conditions: name, value there, value here.
pub fn differences(there: &GameConditions, here: &GameConditions) -> Vec<(String, String, String)> {
    let names: std::collections::BTreeSet<&String> = there.keys().chain(here.keys()).collect();
    // The level is a condition only where it is not the usual one; "none" is another level.
    let usual = |name: &str| match name {
        "isolation" => Confinement::default().level.to_string(),
        _ => "none".to_owned(),
    };
    let value = |terms: &GameConditions, name: &str| terms.get(name).cloned().unwrap_or_else(|| usual(name));
    names
        .into_iter()
        .map(|name| (name.clone(), value(there, name), value(here, name)))
        .filter(|(_, there, here)| there != here)
        .collect()
}

/// An entrant of a run: name, version and time control.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Player {
    /// Its name.
    pub name: String,
    /// The hash of its content.
    pub hash: String,
    /// Where it was found.
    pub source: String,
    /// The path of its program, if that lies outside of its folder.
    pub outside: Option<String>,
    /// Its [`super::EntrantTerms`] as text: its time control, and what differs if it plays
    /// elsewhere. Margin and bank are the same for all entrants and belong to the conditions.
    pub control: String,
}

impl AsRef<str> for Player {
    fn as_ref(&self) -> &str {
        &self.name
    }
}

/// Computes the keys of planned games.
#[derive(Clone, Debug)]
pub struct Keys {
    /// The hash of the conditions.
    terms: Sha256,
    /// The hash of each entrant.
    players: Vec<[u8; 32]>,
}

impl Keys {
    /// Keys for the games of these players under these conditions.
    pub fn new(terms: &GameConditions, players: &[Player]) -> Self {
        let mut hash = Sha256::new();
        for (name, value) in terms.iter().filter(|(name, _)| *name != TABLES) {
            part(&mut hash, name.as_bytes());
            part(&mut hash, value.as_bytes());
        }
        let players = players.iter().map(|player| {
            let mut hash = Sha256::new();
            for text in [&player.name, &player.hash, &player.control] {
                part(&mut hash, text.as_bytes());
            }
            hash.finalize().into()
        });
        Keys { terms: hash, players: players.collect() }
    }

    /// The key of a game. It depends only on the conditions, the board, the pair of games and the
    /// entrant on each seat. Numbers of games, rounds and pairings shift when another entrant is
    /// added.
    pub fn of(&self, game: &PlannedGame) -> i64 {
        self.of_parts(game.seed, game.board(), &game.seats)
    }

    /// A number for all games of one table on one board, independent of the seats: by it a plan is
    /// cut into parts.
    pub fn of_pair(&self, game: &PlannedGame) -> u64 {
        self.of_table(game.seats.values())(game.board())
    }

    /// The same number for each board of a table, from 1. The table is hashed once: a part of a
    /// large plan asks for far more boards than it has games.
    pub fn of_table(&self, entrants: &[usize]) -> impl Fn(u32) -> u64 + Send + use<> {
        let mut seats = entrants.to_vec();
        seats.sort_unstable();
        let table = self.of_parts(0, 0, &seats.into()).cast_unsigned();
        move |board| mixed(table.wrapping_add(u64::from(board).wrapping_mul(0x9e37_79b9_7f4a_7c15)))
    }

    fn of_parts(&self, seed: u64, pair: u32, seats: &PerSeat<usize>) -> i64 {
        let mut hash = self.terms.clone();
        hash.update(seed.to_le_bytes());
        hash.update(pair.to_le_bytes());
        for place in seats.values() {
            hash.update(self.players[*place]);
        }
        first(&hash.finalize())
    }
}

/// The key of an imported game without a plan, computed from its text.
pub fn of_text(parts: &[&str]) -> i64 {
    let mut hash = Sha256::new();
    parts.iter().for_each(|text| part(&mut hash, text.as_bytes()));
    first(&hash.finalize())
}

/// The finaliser of SplitMix64.
fn mixed(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

/// 64 bits: among a million games two share a key once in forty million tournaments.
fn first(hash: &[u8]) -> i64 {
    i64::from_le_bytes(hash[..8].try_into().expect("a SHA-256 has 32 bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_standings::pairings;
    use std::collections::{BTreeSet, HashSet};

    fn player(name: &str) -> Player {
        Player {
            name: name.to_owned(),
            hash: "00".to_owned(),
            outside: None,
            source: String::new(),
            control: "st=1".to_owned(),
        }
    }

    fn keys(players: &[Player], games: u32) -> Vec<i64> {
        let terms: GameConditions = [("game".to_owned(), "mill".to_owned())].into();
        let names: Vec<&str> = players.iter().map(|player| player.name.as_str()).collect();
        let keys = Keys::new(&terms, players);
        pairings::plan(&names, games, 7).map(|game| keys.of(&game)).collect()
    }

    #[test]
    fn an_entrant_more_leaves_the_keys_of_the_others_as_they_were() {
        let three = keys(&["b", "c", "d"].map(player), 4);
        let four: HashSet<i64> = keys(&["a", "b", "c", "d"].map(player), 4).into_iter().collect();
        assert_eq!(three.iter().collect::<BTreeSet<_>>().len(), 12);
        assert_eq!(four.len(), 24);
        assert!(three.iter().all(|key| four.contains(key)));
    }

    #[test]
    fn parts_share_out_the_pairs_and_the_short_way_gives_the_same_games() {
        let players: Vec<Player> = (0..20).map(|at| player(&format!("e{at}"))).collect();
        let keys = Keys::new(&GameConditions::new(), &players);
        let mut sizes = Vec::new();
        for part in 0..7 {
            let has = |pair: u64| pair % 7 == part;
            let short: Vec<_> = pairings::plan_of(&players, 6, 7, |entrants| {
                let pair = keys.of_table(entrants);
                move |board| has(pair(board))
            })
            .collect();
            let long: Vec<_> =
                pairings::plan(&players, 6, 7).filter(|game| has(keys.of_pair(game))).collect();
            assert_eq!(short, long);
            sizes.push(short.len());
        }
        assert_eq!(sizes.iter().sum::<usize>(), 190 * 6);
        assert!(sizes.iter().all(|size| size % 2 == 0 && (100..230).contains(size)), "{sizes:?}");
    }

    /// The plan of one part of 1,000 of 1,247,500 games: `cargo test --release --lib --
    /// a_large_plan --nocapture` shows its processor time, which should be 0.2 s. An unoptimised
    /// build needs ten times as much.
    #[test]
    fn a_large_plan_is_cut_in_a_moment() {
        let players: Vec<Player> = (0..500).map(|at| player(&format!("engine-{at}"))).collect();
        let keys = Keys::new(&GameConditions::new(), &players);
        let spent = || {
            let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
            std::time::Duration::try_from(time).expect("a processor's clock is never negative")
        };
        let begun = spent();
        let games = pairings::plan_of(&players, 10, 7, |entrants| {
            let pair = keys.of_table(entrants);
            move |board| pair(board) % 1000 == 3
        });
        let games = games.count();
        let took = spent() - begun;
        println!("{games} games in {took:?}");
        assert!((1000..1500).contains(&games) && took.as_secs() < 4, "{games} games in {took:?}");
    }

    #[test]
    fn another_content_or_time_touches_the_games_of_that_engine_alone() {
        let before: HashSet<i64> = keys(&["a", "b", "c"].map(player), 2).into_iter().collect();
        for change in
            [|player: &mut Player| player.hash.push('1'), |player: &mut Player| player.control.push('0')]
        {
            let mut players = ["a", "b", "c"].map(player);
            change(&mut players[1]);
            let after = keys(&players, 2);
            assert_eq!(after.iter().filter(|key| before.contains(key)).count(), 2);
        }
    }
}
