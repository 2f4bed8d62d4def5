//! The examination that the positions of a game take on random games, whatever the game.

use std::fmt;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::game::{Game, Position, Refereed, Refusal, Status};

/// Texts in the notations of all games, and in none.
const TEXTS: &str = "1|7|8|0|32|11|44|52|64|00|a1|h8|H8|t20|a0|u1|a01|a21|p3|P|7r2|3-4|3-4r7|d1f2-e1|a3-b4|\
    1,1,1,1,5,1,apple|1 |  1|+1|-1|1.0|a 1|11 |012|one|resign|.|/|,|a1b2|é1|١١|99999999999999999999|a999999999999";

/// Plays this many random games from a position and holds every position on the way against the laws.
///
/// `read` reads a position's text. The game must have one text for each move.
pub(super) fn examine<P: Position + PartialEq + fmt::Debug>(
    start: &P,
    read: impl Fn(&str) -> Result<P, Refusal>,
    games: u64,
) {
    for seed in 0..games {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut position = start.clone();
        let mut moves = Vec::new();
        for ply in 0.. {
            assert!(ply < 10_000, "the game does not end: {}", position.text());
            position.moves(&mut moves);
            stands_the_laws(&position, &moves, &read);
            if moves.is_empty() {
                break;
            }
            position.play(moves[random.next_u32() as usize % moves.len()]);
        }
    }
}

fn stands_the_laws<P: Position + PartialEq + fmt::Debug>(
    position: &P,
    moves: &[P::Move],
    read: impl Fn(&str) -> Result<P, Refusal>,
) {
    let text = position.text();
    assert!(text.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{text:?} is no line of text");
    assert_eq!(read(&text).as_ref(), Ok(position), "the text reads back to the same position");
    assert_eq!(position.status().over().is_some(), moves.is_empty(), "a game goes on while there are moves");
    assert_eq!(position.count(&mut Vec::new()), moves.len() as u64);

    let mut played = position.clone();
    let mut texts = Vec::new();
    for &mv in moves {
        let undo = played.play(mv);
        assert_ne!(&played, position, "{mv} changes something");
        played.undo(undo);
        assert_eq!(&played, position, "{mv} is taken back");
        assert!(!texts.contains(&mv.to_string()), "{mv} is listed once");
        assert_eq!(position.parse(&mv.to_string()), Ok(mv));
        texts.push(mv.to_string());
    }

    let mut game = Refereed::new(position.clone(), &["first", "second"]);
    let side = match position.status() {
        Status::ToMove(seat) => ["first", "second"][seat.index()],
        Status::Over(_) => "first",
    };
    for other in TEXTS.split('|').filter(|other| !texts.iter().any(|text| text == other)) {
        assert!(game.play(format!("{side},{other}").as_bytes()).is_err(), "{other:?} is refused in {text}");
        assert_eq!(game.text(), text, "a refusal changes nothing");
    }
}
