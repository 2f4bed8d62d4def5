//! A second implementation of the rules, slow and different: points with coordinates, characters,
//! and every conceivable move tested against the rules. Its results are compared with those of the
//! first.

use std::collections::{BTreeMap, BTreeSet};

use super::*;

type Place = (i32, i32);

/// The coordinates of the points, from the centre.
fn places(men: Men) -> Vec<Place> {
    let squares: i32 = match men {
        Men::Six => 2,
        Men::Nine => 3,
    };
    let mut places = vec![];
    for y in -squares..=squares {
        for x in -squares..=squares {
            let ring = x.abs().max(y.abs());
            if ring > 0 && [x, y].iter().all(|&part| part == 0 || part.abs() == ring) {
                places.push((x, y));
            }
        }
    }
    places
}

/// Whether a line joins two points: on one row or column, with no point and not the centre between.
fn neighbours(places: &[Place], a: Place, b: Place) -> bool {
    let between = |c: Place| {
        (a.0 == b.0 && b.0 == c.0 && (a.1.min(b.1)..=a.1.max(b.1)).contains(&c.1)
            || a.1 == b.1 && b.1 == c.1 && (a.0.min(b.0)..=a.0.max(b.0)).contains(&c.0))
            && c != a
            && c != b
    };
    a != b && (a.0 == b.0 || a.1 == b.1) && !between((0, 0)) && !places.iter().any(|&c| between(c))
}

/// Whether this point is part of a full mill: three on one row or column, each the neighbour of the
/// next.
fn in_mill(places: &[Place], board: &[char], at: usize) -> bool {
    let own = |i: usize| board[i] == board[at];
    let all = 0..places.len();
    all.clone().any(|a| {
        all.clone().any(|b| {
            all.clone().any(|c| {
                let mill = neighbours(places, places[a], places[b])
                    && neighbours(places, places[b], places[c])
                    && a != c
                    && (places[a].0 == places[c].0 || places[a].1 == places[c].1);
                mill && [a, b, c].contains(&at) && own(a) && own(b) && own(c)
            })
        })
    })
}

/// Each move's text with the points after it.
fn naive_moves(position: &MorrisPosition) -> BTreeSet<(String, String)> {
    let rules = position.rules();
    let places = places(rules.men);
    let board: Vec<char> = position.text().split(' ').next().unwrap().chars().collect();
    let (own, theirs) = if position.to_move() == Seat::FIRST { ('X', 'O') } else { ('O', 'X') };
    let hand = position.hand(position.to_move());
    let count = board.iter().filter(|&&mark| mark == own).count();
    let mut found = BTreeSet::new();
    for from in (0..places.len()).map(Some).chain([None]) {
        for to in 0..places.len() {
            let legal = board[to] == '.'
                && match from {
                    None => hand > 0,
                    Some(from) => {
                        let near = neighbours(&places, places[from], places[to]);
                        hand == 0 && board[from] == own && (near || rules.flying && count == 3)
                    }
                };
            if !legal {
                continue;
            }
            let mut after = board.clone();
            after[to] = own;
            let man = match from {
                Some(from) => {
                    after[from] = '.';
                    format!("{from}-{to}")
                }
                None => to.to_string(),
            };
            let victims: Vec<usize> = (0..places.len()).filter(|&i| after[i] == theirs).collect();
            let safe = |i: usize| rules.removal == Removal::Outside && in_mill(&places, &after, i);
            let all_safe = victims.iter().all(|&i| safe(i));
            if !in_mill(&places, &after, to) || victims.is_empty() {
                found.insert((man, after.iter().collect()));
                continue;
            }
            for &victim in victims.iter().filter(|&&i| all_safe || !safe(i)) {
                let mut removed = after.clone();
                removed[victim] = '.';
                found.insert((format!("{man}r{victim}"), removed.iter().collect()));
            }
        }
    }
    found
}

/// Whether the game is over, by the text and the earlier texts alone.
fn naive_over(position: &MorrisPosition, seen: &BTreeMap<String, u32>) -> bool {
    let text = position.text();
    let fields: Vec<&str> = text.split(' ').collect();
    let few = |mark| fields[0].matches(mark).count() < 3;
    let placed = fields[2] == "0" && fields[3] == "0";
    placed && (few('X') || few('O') || naive_moves(position).is_empty())
        || seen[&fields[..2].join(" ")] >= 3
        || fields.get(4) == Some(&"200")
}

/// Random numbers that are the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides as u64) as usize
    }
}

fn real_moves(position: &MorrisPosition) -> BTreeSet<(String, String)> {
    let mut moves = vec![];
    position.moves(&mut moves);
    let found: BTreeSet<_> = moves
        .iter()
        .map(|&mv| {
            let mut after = position.clone();
            after.play(mv);
            (mv.to_string(), after.text().split(' ').next().unwrap().to_owned())
        })
        .collect();
    assert_eq!(found.len(), moves.len(), "no move comes twice");
    found
}

/// Plays one random game, compares both implementations at each position, takes every ply back, and
/// returns the last position.
///
/// Each move is one of the first `choice`: a small choice leads to repeated positions.
fn examine(options: &str, choice: usize, dice: &mut Dice) -> MorrisPosition {
    let rules: Morris = options.parse().unwrap();
    let mut position = rules.position();
    let mut seen = BTreeMap::new();
    let mut played = vec![];
    loop {
        let text = position.text();
        *seen.entry(text.split(' ').take(2).collect::<Vec<_>>().join(" ")).or_insert(0) += 1;
        assert_eq!(position.status().over().is_some(), naive_over(&position, &seen), "{options} {text}");
        assert_eq!(rules.position_from(&text).unwrap().text(), text);
        if position.status().over().is_some() {
            break;
        }
        assert_eq!(real_moves(&position), naive_moves(&position), "{options} {text}");
        let mut moves = vec![];
        position.moves(&mut moves);
        for &mv in &moves {
            let before = position.clone();
            let undo = position.play(mv);
            position.undo(undo);
            assert_eq!(position, before);
            assert_eq!(position.parse(&mv.to_string()), Ok(mv));
            if let Some(number) = position.number(mv) {
                assert_eq!(position.parse_number(number), Ok(mv));
            }
        }
        let mv = moves[dice.below(moves.len().min(choice))];
        played.push((position.clone(), position.play(mv)));
    }
    let end = position.clone();
    for (before, undo) in played.into_iter().rev() {
        position.undo(undo);
        assert_eq!(position, before);
    }
    end
}

#[test]
fn both_readings_of_the_rules_agree_through_whole_games() {
    let mut dice = Dice(0x6060);
    let mut ends = BTreeSet::new();
    for options in ["", "flying=no", "removal=any", "nomove=draws,flying=no", "nine"] {
        for game in 0..if options == "nine" { 2 } else { 16 } {
            let end = examine(options, if game % 4 == 3 { 2 } else { usize::MAX }, &mut dice);
            ends.insert(end.status().over().expect("the game was played to its end").why());
        }
    }
    assert!(ends.len() >= 3, "the games ended in several ways: {ends:?}");
}

#[test]
fn of_all_texts_only_those_of_the_moves_are_taken() {
    let mut dice = Dice(0x7e87);
    let mut position = Morris::default().position();
    for _ in 0..40 {
        if position.status().over().is_some() {
            position = Morris::default().position();
        }
        let legal: BTreeSet<String> = moves(&position).into_iter().collect();
        let numbers: Vec<String> = (0..16).map(|point| point.to_string()).collect();
        for from in numbers.iter().map(|point| format!("{point}-")).chain([String::new()]) {
            for to in &numbers {
                for removed in numbers.iter().map(|point| format!("r{point}")).chain([String::new()]) {
                    let text = format!("{from}{to}{removed}");
                    assert_eq!(
                        position.parse(&text).is_ok(),
                        legal.contains(&text),
                        "{text} {}",
                        position.text()
                    );
                }
            }
        }
        let mut moves = vec![];
        position.moves(&mut moves);
        position.play(moves[dice.below(moves.len())]);
    }
}

#[test]
fn a_turned_mirrored_or_inverted_board_has_the_same_game() {
    let mut dice = Dice(0x16);
    let places = places(Men::Six);
    let turn = |(x, y): Place| (-y, x);
    let mirror = |(x, y): Place| (-x, y);
    // Exchanges the outer and the inner square.
    let invert = |(x, y): Place| (x.signum() * (3 - x.abs()), y.signum() * (3 - y.abs()));
    for plies in [4, 7, 9, 11, 14, 20] {
        let mut position = Morris::default().position();
        for _ in 0..plies {
            let mut moves = vec![];
            position.moves(&mut moves);
            if !moves.is_empty() {
                position.play(moves[dice.below(moves.len())]);
            }
        }
        let text = position.text();
        let (board, rest) = text.split_once(' ').unwrap();
        let expected = perft(&mut at(&text), 3);
        for change in [&turn as &dyn Fn(Place) -> Place, &mirror, &invert] {
            let changed: String = places
                .iter()
                .map(|&place| {
                    let from = places.iter().position(|&other| change(other) == place).expect("a point");
                    board.chars().nth(from).expect("a mark")
                })
                .collect();
            assert_eq!(perft(&mut at(&format!("{changed} {rest}")), 3), expected, "{text} {changed}");
        }
    }
}
