//! The cost of words, to read and to find on a cube: `cargo bench --bench letters` prints a few
//! lines, each a measured mean.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use agon_games::Position;
use agon_games::letters::{Cube, Dimensions, Frequencies, Letters};
use agon_games::lexicon::Lexicon;

fn main() {
    let list = std::fs::read("fixtures/words.txt").expect("the word list lies in fixtures");
    let lexicon = Arc::new(Lexicon::parse(&list).expect("the word list is good"));
    let times = 20;
    println!(
        "reading {} words: {:.1} ms",
        lexicon.len(),
        mean(times, || Lexicon::parse(&list).map(|l| l.len())) / 1e6
    );
    println!("by letters: {:.1} ms", once(|| lexicon.by_letters().len()) / 1e6);

    for size in [(4, 5, 2), (6, 6, 3), (10, 20, 30)] {
        let dimensions = Dimensions::new(size.0, size.1, size.2).expect("the size is possible");
        let rules = Letters::new(dimensions, Frequencies::Scrabble, lexicon.clone());
        let position = rules.position(1);
        let mut moves = Vec::new();
        let listing = mean(200, || position.moves(&mut moves));
        println!(
            "{dimensions}: {:.1} us for all {} moves, {:.3} ms to look through {} lines",
            listing / 1e3,
            moves.len(),
            nothing_found(&position, &lexicon) / 1e6,
            lines(dimensions, lexicon.longest())
        );
    }
}

/// A full search on a dealt board that finds nothing: as many words as usual, each with a q, and no
/// q on the board.
fn nothing_found(start: &Cube, lexicon: &Lexicon) -> f64 {
    let words = String::from_utf8(lexicon.text().to_vec()).expect("letters are UTF-8");
    let list: String = words.lines().map(|word| format!("q{}\n", &word[1..])).collect();
    let lexicon = Lexicon::parse(list.as_bytes()).expect("there are words");
    let cube = Cube::parse_text(&start.text().replace('q', "e"), Arc::new(lexicon)).expect("it reads back");
    assert_eq!(cube.search(), None);
    mean(50, || cube.search())
}

/// The number of lines of letters on a full board.
fn lines(dimensions: Dimensions, longest: usize) -> usize {
    let along =
        |side: usize| (0..side).map(|start| (side - start).min(longest).saturating_sub(2)).sum::<usize>();
    let stacks = dimensions.rows() * dimensions.columns();
    dimensions.rows() * along(dimensions.columns())
        + dimensions.columns() * along(dimensions.rows())
        + stacks * dimensions.planes().min(longest).saturating_sub(2)
}

fn once<T>(work: impl FnOnce() -> T) -> f64 {
    let start = Instant::now();
    black_box(work());
    start.elapsed().as_nanos() as f64
}

/// Nanoseconds per run, after one run to warm up.
fn mean<T>(turns: u32, mut work: impl FnMut() -> T) -> f64 {
    black_box(work());
    once(|| {
        for _ in 0..turns {
            black_box(work());
        }
    }) / f64::from(turns)
}
