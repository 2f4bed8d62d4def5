//! The games that the laws are tested on, and the random numbers for their games.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use agon_games::lexicon::Lexicon;
use agon_games::{Needs, Rules, find};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// The games, each with the options to test.
pub(super) fn cases() -> Vec<Case> {
    vec![
        Case { words: FEW, ..Case::new("letters:3x3x1", 8) },
        Case { words: FEW, ..Case::new("letters:1x1x9", 8) },
        Case { words: FEW, ..Case::new("letters:4x5x2", 30) },
        Case::new("letters:4x5x2,uniform", 30),
        Case::new("letters:6x6x3", 74),
        Case::new("connect4", 42),
        Case::new("mill", 64),
        Case { games: 400, ..Case::new("mnk:3x3,3", 9) },
        Case::new("mnk:4x3,3,first=O", 12),
        Case::new("mnk:1x1,1", 1),
        Case::new("mnk:1x20,20", 20),
        Case::new("mnk:7x2,3", 14),
        Case::new("mnk:5x4,3", 20),
        Case { games: 20, ..Case::new("mnk:15x15,5", 225) },
        Case { games: 5, ..Case::new("mnk:20x20,5", 400) },
        Case { games: 40, ..Case::new("mnk:8x6,4,exact", 48) },
        Case { games: 40, ..Case::new("mnk:7x7,3,first=O,caro", 49) },
        Case { games: 40, ..Case::new("mnk:7x7,4,exact,caro", 49) },
        // By a forbidden move the other seat wins, whose points are not those of the ply.
        Case { games: 60, points_add_up: false, ..Case::new("mnk:9x9,5,renju", 81) },
        Case { games: 20, points_add_up: false, ..Case::new("mnk:15x15,5,first=O,renju", 225) },
        Case { whole_text: false, points_add_up: false, games: 10, ..Case::new("abalone", 400) },
        Case {
            whole_text: false,
            points_add_up: false,
            games: 5,
            ..Case::new("abalone:at-limit=marbles", 400)
        },
        Case { points_add_up: false, games: 5, ..Case::new("abalone:ko=no", 400) },
        Case { games: 60, ..repeating("chess") },
        Case { games: 30, ..repeating("chess:960") },
        Case { games: 20, ..repeating("chess:960=1,claims=never") },
        Case { points_add_up: false, ..repeating("morris") },
        Case { points_add_up: false, games: 100, ..repeating("morris:nine") },
        Case { points_add_up: false, games: 50, ..repeating("morris:flying=no,removal=any,nomove=draws") },
        Case { points_add_up: false, games: 50, ..repeating("morris:nine,removal=any") },
    ]
}

/// One game with its options, and the laws that have an exception in it.
pub(super) struct Case {
    pub(super) spec: &'static str,
    /// The most plies a game can have.
    pub(super) longest: usize,
    /// The number of random games.
    pub(super) games: u64,
    /// The words of the game; empty for all English ones.
    pub(super) words: &'static str,
    /// Whether the one-line text determines the legal moves. With a rule about repetition it does
    /// not.
    pub(super) whole_text: bool,
    /// Whether the points of a seat's plies add up to its score. Marbles left do not.
    pub(super) points_add_up: bool,
}

impl Case {
    pub(super) const fn new(spec: &'static str, longest: usize) -> Self {
        Case { spec, longest, games: 200, words: "", whole_text: true, points_add_up: true }
    }

    pub(super) fn rules(&self) -> Arc<dyn Rules> {
        let lexicon = if self.words.is_empty() { english() } else { lexicon(self.words) };
        find(self.spec, &Needs { lexicon: Some(lexicon) }).unwrap_or_else(|error| panic!("{error}"))
    }
}

pub(super) const FEW: &str = "ate eat tea ten net one eon ion tin nit ran ear are era ore roe oar rat tar art sea sat set \
                   son sun nor not ton tone note rate tear tare east seat rose sore into rain iron noise stone \
                   ride dire oil lie lad old ail ale lea dog god run urn bit but die";

pub(super) fn lexicon(words: &str) -> Arc<Lexicon> {
    Arc::new(Lexicon::parse(words.replace(' ', "\n").as_bytes()).unwrap())
}

pub(super) fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name)).unwrap()
}

pub(super) fn english() -> Arc<Lexicon> {
    static ENGLISH: OnceLock<Arc<Lexicon>> = OnceLock::new();
    ENGLISH.get_or_init(|| Arc::new(Lexicon::parse(&fixture("words.txt")).unwrap())).clone()
}

/// A game with draws at the third occurrence of a position and after many quiet plies.
const fn repeating(spec: &'static str) -> Case {
    Case { whole_text: false, ..Case::new(spec, 4000) }
}

/// Calls `law` with every case and a seed for each of its games.
pub(super) fn of_every_game(law: impl Fn(&Case, &dyn Rules, u64, &mut Dice)) {
    for case in cases() {
        let rules = case.rules();
        for seed in 0..case.games {
            law(&case, &*rules, seed, &mut Dice::new(seed));
        }
    }
}

/// Random numbers for one game.
pub(super) struct Dice(ChaCha8Rng);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Dice(ChaCha8Rng::seed_from_u64(seed ^ 0x6c61_7773))
    }

    pub(super) fn below(&mut self, sides: usize) -> usize {
        (self.0.next_u64() % sides as u64) as usize
    }

    pub(super) fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

#[test]
fn every_game_has_a_case() {
    let cases = cases();
    for entry in agon_games::GAMES.iter() {
        let is_of = |case: &Case| case.spec.split(':').next() == Some(entry.name);
        assert!(cases.iter().any(is_of), "{}: give it a line in cases() of tests/laws/cases.rs", entry.name);
    }
}
