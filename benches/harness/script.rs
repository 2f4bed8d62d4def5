//! The moves of the instant engines: a whole game, computed beforehand.

use std::sync::Arc;

use agon_games::lexicon::Lexicon;
use agon_games::{Needs, Rules, Status, find};

/// How many random games the longest is taken from.
const TRIES: u64 = 40;

/// The rules of a spec, with the word list of the fixtures. Every game begins on the same position.
pub(crate) fn rules(spec: &str) -> Arc<dyn Rules> {
    let words = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/words.txt");
    let words = std::fs::read(words).expect("the word list lies in fixtures");
    let lexicon = Arc::new(Lexicon::parse(&words).expect("the word list is good"));
    let rules = find(spec, &Needs { lexicon: Some(lexicon.clone()) }).expect("there is such a game");
    if !spec.starts_with("letters") {
        return rules;
    }
    let board = rules.start(1).view(agon_seats::Seat::FIRST);
    Arc::new(
        agon_games::letters::Letters::from_board(board.as_bytes(), lexicon).expect("it has just been drawn"),
    )
}

/// The moves of a long game: for m,n,k games the cells in order, else the longest of some random
/// games.
pub(crate) fn moves(rules: &dyn Rules, in_order: bool) -> Vec<String> {
    let one = |seed: u64| {
        let mut game = rules.start(1);
        let (mut moves, mut random) = (Vec::new(), seed);
        while let Status::ToMove(_) = game.status() {
            let mut legal = game.moves();
            // A pass would shorten the game.
            let longer = legal.iter().any(|text| !text.ends_with(",P"));
            legal.retain(|text| !longer || !text.ends_with(",P"));
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let pick =
                if in_order { 0 } else { usize::try_from(random >> 33).expect("31 bits") % legal.len() };
            let played = game.play(legal[pick].as_bytes()).expect("it is legal");
            moves.push(played.text);
        }
        moves
    };
    if in_order {
        return one(0);
    }
    (0..TRIES).map(one).max_by_key(Vec::len).expect("there are some")
}
