//! Numbers of move sequences, by which two programs compare their rules.

use agon_games::{Needs, find};

use crate::cases::{english, fixture};

/// Larger numbers are left to `cargo bench --bench perft`.
const MOST: u64 = 300_000_000;

/// One line of `fixtures/perft.txt`: game, position, depth, number, its source.
#[test]
fn move_sequences_are_as_many_as_others_count() {
    let table = String::from_utf8(fixture("perft.txt")).unwrap();
    let mut games = Vec::new();
    for line in table.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let cells: Vec<&str> = line.split(';').map(str::trim).collect();
        let &[game, position, depth, number, source] = cells.as_slice() else { panic!("{line}") };
        let (depth, number): (u32, u64) = (depth.parse().unwrap(), number.parse().unwrap());
        assert!(!source.is_empty(), "{line}");
        games.push(game.split(':').next().unwrap());
        if number > MOST {
            continue;
        }
        let rules = find(game, &Needs { lexicon: Some(english()) }).unwrap();
        let mut game = rules.resume(position).unwrap();
        assert_eq!(game.perft(depth), number, "{line}");
    }
    for entry in agon_games::GAMES {
        assert!(games.contains(&entry.name), "{} has its numbers", entry.name);
    }
}
