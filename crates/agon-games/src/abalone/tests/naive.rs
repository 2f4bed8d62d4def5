//! A second implementation of the rules, slow and different: marbles in a map over doubled
//! coordinates, pushes as patterns of characters along a ray. Its results are compared with those
//! of the first.

use std::collections::{BTreeMap, BTreeSet};

use super::super::notation::rows;
use super::*;

/// Twice the distance from the left, and the row from the bottom. A step along a row is two to the
/// side, a step between rows is one.
type Point = (i32, i32);
type Map = BTreeMap<Point, char>;

const STEPS: [Point; 6] = [(2, 0), (1, 1), (-1, 1), (-2, 0), (-1, -1), (1, -1)];
const PUSHES: [&str; 9] = ["#.", "##.", "###.", "##O.", "##O|", "###O.", "###O|", "###OO.", "###OO|"];

fn read(rows: &[String]) -> Map {
    let mut map = Map::new();
    for (row, y) in rows.iter().zip((0..9i32).rev()) {
        for (x, mark) in row.chars().enumerate() {
            map.insert((2 * i32::try_from(x).unwrap() + (4 - y).abs(), y), mark);
        }
    }
    map
}

fn write(map: &Map) -> Vec<String> {
    (0..9).rev().map(|y| map.iter().filter(|(at, _)| at.1 == y).map(|(_, mark)| *mark).collect()).collect()
}

fn name(at: Point) -> String {
    format!("{}{}", (b'a' + at.1 as u8) as char, (at.0 - (4 - at.1).abs()) / 2 + 1)
}

fn ahead(at: Point, step: Point, times: i32) -> Point {
    (at.0 + times * step.0, at.1 + times * step.1)
}

/// Each move's text with the board after it, without the Ko rule.
fn naive_moves(map: &Map, own: char) -> BTreeSet<(String, Vec<String>)> {
    let mut found = BTreeSet::new();
    for (&tail, _) in map.iter().filter(|(_, mark)| **mark == own) {
        for step in STEPS {
            push(map, own, tail, step, &mut found);
            for line in STEPS {
                for marbles in 2..=3 {
                    broadside(map, own, tail, line, step, marbles, &mut found);
                }
            }
        }
    }
    found
}

fn push(map: &Map, own: char, tail: Point, step: Point, found: &mut BTreeSet<(String, Vec<String>)>) {
    let mut ray = String::new();
    for times in 0.. {
        match map.get(&ahead(tail, step, times)) {
            None => break,
            Some('.') => ray.push('.'),
            Some(&mark) => ray.push(if mark == own { '#' } else { 'O' }),
        }
    }
    ray.push('|');
    let Some(pattern) = PUSHES.iter().find(|pattern| ray.starts_with(**pattern)) else { return };
    let mut after = map.clone();
    after.insert(tail, '.');
    for times in 0..i32::try_from(pattern.len()).unwrap() - 1 {
        if map.contains_key(&ahead(tail, step, times + 1)) {
            after.insert(ahead(tail, step, times + 1), map[&ahead(tail, step, times)]);
        }
    }
    let marbles = i32::try_from(pattern.matches('#').count()).unwrap();
    let head = if marbles == 1 { String::new() } else { name(ahead(tail, step, marbles - 1)) };
    found.insert((format!("{}{head}-{}", name(tail), name(ahead(tail, step, 1))), write(&after)));
}

fn broadside(
    map: &Map,
    own: char,
    tail: Point,
    line: Point,
    step: Point,
    marbles: i32,
    found: &mut BTreeSet<(String, Vec<String>)>,
) {
    // Rows are the square root of three apart if cells are two apart.
    let along = line.0 * step.0 + 3 * line.1 * step.1;
    let parallel = line == step || line == (-step.0, -step.1);
    if parallel || along <= 0 {
        return;
    }
    let cells: Vec<Point> = (0..marbles).map(|times| ahead(tail, line, times)).collect();
    let go = cells
        .iter()
        .all(|&cell| map.get(&cell) == Some(&own) && map.get(&ahead(cell, step, 1)) == Some(&'.'));
    if go {
        let mut after = map.clone();
        for &cell in &cells {
            after.insert(cell, '.');
            after.insert(ahead(cell, step, 1), own);
        }
        let head = name(*cells.last().unwrap());
        found.insert((format!("{}{head}-{}", name(tail), name(ahead(tail, step, 1))), write(&after)));
    }
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

/// Nine to fourteen marbles of each side anywhere; half of the time crowded in the middle.
fn scattered(dice: &mut Dice) -> AbalonePosition {
    let mut board = AbaloneBoard::EMPTY;
    let middle = dice.below(2) == 0;
    let cells: Vec<Space> =
        Space::all().filter(|cell| !middle || (2..7).contains(&cell.row()) && cell.number() < 8).collect();
    for seat in [Seat::FIRST, Seat::SECOND] {
        let marbles = 9 + dice.below(6) as u32;
        while board.marbles(seat) < marbles {
            let cell = cells[dice.below(cells.len())];
            if board.at(cell).is_none() {
                board.put(seat, cell);
            }
        }
    }
    let to_move = if dice.below(2) == 0 { Seat::FIRST } else { Seat::SECOND };
    AbalonePosition::new(Abalone::default(), board, to_move, 0)
}

fn mark(seat: Seat) -> char {
    if seat == Seat::FIRST { '#' } else { 'O' }
}

fn real_moves(position: &AbalonePosition) -> BTreeSet<(String, Vec<String>)> {
    let mut moves = vec![];
    position.moves(&mut moves);
    let found: BTreeSet<_> = moves
        .iter()
        .map(|&mv| {
            let mut after = position.clone();
            after.play(mv);
            (mv.to_string(), rows(after.marbles()))
        })
        .collect();
    assert_eq!(found.len(), moves.len(), "no move comes twice");
    found
}

#[test]
fn both_readings_of_the_rules_find_the_same_moves_on_scattered_boards() {
    let mut dice = Dice(0x5eed);
    for _ in 0..400 {
        let position = scattered(&mut dice);
        let map = read(&rows(position.marbles()));
        assert_eq!(real_moves(&position), naive_moves(&map, mark(position.to_move())), "{}", position.text());
    }
}

#[test]
fn both_readings_agree_through_whole_games_ko_included() {
    let mut dice = Dice(0xa6a1);
    for _ in 0..6 {
        let mut position = Abalone::default().position();
        let mut seen = vec![rows(position.marbles())];
        for _ in 0..120 {
            let mut expected = naive_moves(&read(&rows(position.marbles())), mark(position.to_move()));
            expected.retain(|(_, after)| !seen.contains(after));
            assert_eq!(real_moves(&position), expected, "{}", position.text());
            if position.status().over().is_some() {
                break;
            }
            // Marbles that move back and forth repeat boards.
            let texts: Vec<&String> = expected.iter().map(|(text, _)| text).collect();
            let at = dice.below(texts.len().min(4));
            play(&mut position, texts[at]);
            seen.push(rows(position.marbles()));
        }
    }
}

#[test]
fn what_is_played_is_taken_back_and_what_is_refused_changes_nothing() {
    let mut dice = Dice(0x0ddba11);
    let mut position = Abalone::default().position();
    let mut taken_back = vec![];
    for _ in 0..150 {
        let mut moves = vec![];
        position.moves(&mut moves);
        for &mv in &moves {
            let before = position.clone();
            let undo = position.play(mv);
            assert_ne!(position, before);
            position.undo(undo);
            assert_eq!(position, before);
            assert_eq!(position.parse(&mv.to_string()), Ok(mv));
        }
        let mv = moves[dice.below(moves.len())];
        taken_back.push((position.clone(), position.play(mv)));
    }
    for (before, undo) in taken_back.into_iter().rev() {
        position.undo(undo);
        assert_eq!(position, before);
        assert_eq!(real_moves(&position), real_moves(&before));
    }
}

#[test]
fn of_all_texts_there_are_only_those_of_the_moves_are_taken() {
    let mut dice = Dice(0x7e87);
    for _ in 0..3 {
        let position = scattered(&mut dice);
        let legal: BTreeSet<String> = real_moves(&position).into_iter().map(|(text, _)| text).collect();
        let mut taken = BTreeSet::new();
        let mut turned = 0;
        let names: Vec<String> = Space::all().map(|cell| cell.to_string()).collect();
        for tail in &names {
            for head in names.iter().map(String::as_str).chain([""]) {
                for to in &names {
                    let text = format!("{tail}{head}-{to}");
                    if let Ok(mv) = position.parse(&text) {
                        turned += usize::from(mv.to_string() != text);
                        assert!(legal.contains(&mv.to_string()), "{text}");
                        taken.insert(mv.to_string());
                    } else {
                        assert!(!legal.contains(&text), "{text}");
                    }
                }
            }
        }
        assert_eq!(taken, legal);
        let broadsides = {
            let mut moves = vec![];
            position.moves(&mut moves);
            moves.iter().filter(|mv| mv.line != mv.step).count()
        };
        assert_eq!(turned, broadsides, "each broadside has one other text, a push has none");
    }
}

#[test]
fn a_turned_board_has_the_same_game() {
    let mut dice = Dice(0x60);
    for _ in 0..20 {
        let mut position = scattered(&mut dice);
        let expected = perft(&mut position, 2);
        // By 60 degrees: the rows become lines along the next axis.
        let map = read(&rows(position.marbles()));
        let turned: Map = map
            .iter()
            .map(|(&(x, y), &mark)| {
                let (x, y) = (x - 8, y - 4);
                (((x - 3 * y) / 2 + 8, (x + y) / 2 + 4), mark)
            })
            .collect();
        assert_ne!(write(&turned), write(&map));
        let swapped: Vec<String> = write(&map)
            .iter()
            .map(|row| {
                row.chars()
                    .map(|mark| match mark {
                        '#' => 'O',
                        'O' => '#',
                        _ => '.',
                    })
                    .collect()
            })
            .collect();
        let side = if position.to_move() == Seat::FIRST { "b" } else { "w" };
        let other = if position.to_move() == Seat::FIRST { "w" } else { "b" };
        for text in [format!("{} {side}", write(&turned).join("/")), format!("{} {other}", swapped.join("/"))]
        {
            let mut same = Abalone::default().position_from(&text).unwrap();
            assert_eq!(perft(&mut same, 2), expected, "{text}");
        }
    }
}
