//! The generator and the checker agree: of all texts that could be a move, exactly the listed ones
//! are accepted.

use std::collections::HashSet;

use agon_games::{Game, Status, abalone};

use crate::cases::{Case, Dice, FEW};

/// Random games, and in each one position tested with all its texts.
fn agree(case: &Case, texts: impl Fn() -> Vec<String>) {
    let rules = case.rules();
    let texts = texts();
    for seed in 0..case.games {
        let mut dice = Dice::new(seed);
        let mut game = rules.start(seed);
        let until = dice.below(case.longest);
        for _ in 0..until {
            let moves = game.moves();
            if let Some(mv) = (!moves.is_empty()).then(|| dice.one(&moves)) {
                game.play(mv.as_bytes()).unwrap();
            }
        }
        let Status::ToMove(seat) = game.status() else { continue };
        try_all(case.spec, game.as_ref(), rules.seats()[seat.index()], &texts);
    }
}

fn try_all(spec: &str, game: &dyn Game, side: &str, texts: &[String]) {
    let listed: HashSet<String> = game.moves().into_iter().collect();
    let mut accepted = HashSet::new();
    for text in texts {
        let line = format!("{side},{text}");
        match game.read(line.as_bytes()) {
            // A move may have several texts; its normal form is in the list.
            Ok((told, _)) => {
                assert!(listed.contains(&told), "{spec} {}: {line} is accepted", game.text());
                accepted.insert(told);
            }
            Err(why) => assert!(!listed.contains(&line), "{spec} {}: {line} is refused: {why}", game.text()),
        }
    }
    assert_eq!(accepted, listed, "{spec} {}: every move has been among the texts", game.text());
}

/// One game whose random positions are among its first plies, while moves are left.
fn case(spec: &'static str, games: u64, among: usize) -> Case {
    Case { games, words: FEW, ..Case::new(spec, among) }
}

/// All texts of one and two characters, and those of a letter and a number.
fn short() -> Vec<String> {
    let printable = || (b' '..=b'~').map(char::from);
    let mut texts: Vec<String> = printable().map(String::from).collect();
    texts.extend(printable().flat_map(|a| printable().map(move |b| format!("{a}{b}"))));
    texts.extend(('a'..='z').flat_map(|letter| (0..120).map(move |number| format!("{letter}{number}"))));
    texts.sort();
    texts.dedup();
    texts
}

#[test]
fn stones_lie_where_they_may() {
    agree(&case("connect4", 30, 40), short);
    agree(&case("mill", 30, 60), short);
    for spec in
        ["mnk:3x3,3", "mnk:7x2,3", "mnk:4x3,3,first=O", "mnk:15x15,5", "mnk:20x20,5", "mnk:9x9,5,renju"]
    {
        agree(&case(spec, 20, 30), short);
    }
}

#[test]
fn men_go_where_they_may() {
    let texts = |points: usize| {
        let mut texts = Vec::new();
        for to in 0..=points {
            let mut men = vec![to.to_string()];
            men.extend((0..=points).map(|from| format!("{from}-{to}")));
            for man in men {
                texts.extend((0..=points).map(|removed| format!("{man}r{removed}")));
                texts.push(man);
            }
        }
        texts
    };
    for spec in ["morris", "morris:flying=no,removal=any"] {
        agree(&case(spec, 60, 80), || texts(16));
    }
    agree(&case("morris:nine", 30, 120), || texts(24));
}

#[test]
fn chess_pieces_go_where_they_may() {
    let texts = || {
        let squares: Vec<String> =
            ('a'..='h').flat_map(|file| (1..=8).map(move |rank| format!("{file}{rank}"))).collect();
        let mut texts = short();
        for from in &squares {
            for to in &squares {
                for promotion in ["", "q", "r", "b", "n", "k", "p"] {
                    texts.push(format!("{from}{to}{promotion}"));
                }
            }
            for piece in ["", "N", "B", "R", "Q", "K", "a", "bx"] {
                texts.push(format!("{piece}{from}"));
            }
        }
        texts.extend(["O-O", "O-O-O", "0-0", "0-0-0"].map(str::to_owned));
        texts
    };
    for spec in ["chess", "chess:960", "chess:960=5,claims=never"] {
        agree(&case(spec, 25, 300), texts);
    }
}

#[test]
fn marbles_go_where_they_may() {
    let texts = || {
        let cells: Vec<String> = abalone::Space::all().map(|cell| cell.to_string()).collect();
        let mut texts = Vec::new();
        for tail in &cells {
            for to in &cells {
                texts.push(format!("{tail}-{to}"));
                texts.extend(cells.iter().map(|head| format!("{tail}{head}-{to}")));
            }
        }
        texts
    };
    agree(&case("abalone", 6, 150), texts);
}

#[test]
fn words_lie_where_they_may() {
    for (spec, [rows, columns, planes], games) in
        [("letters:3x3x1", [3, 3, 1], 20), ("letters:1x1x9", [1, 1, 9], 20), ("letters:3x4x3", [3, 4, 3], 8)]
    {
        let texts = || {
            let cell = |n: usize| (n % rows + 1, n / rows % columns + 1, n / rows / columns + 1);
            let cells: Vec<_> = (0..rows * columns * planes).map(cell).collect();
            let mut texts = vec!["P".to_owned()];
            for (x1, y1, z1) in &cells {
                for (x2, y2, z2) in &cells {
                    let ends = format!("{x1},{y1},{z1},{x2},{y2},{z2}");
                    texts.extend(FEW.split(' ').map(|word| format!("{ends},{word}")));
                }
            }
            texts
        };
        agree(&case(spec, games, 4), texts);
    }
}
