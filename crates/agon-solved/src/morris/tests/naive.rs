//! A second solver, slow and simple: characters on points, moves by the lines of the board, and
//! sweeps over all positions of a tier until nothing changes.

use std::collections::HashMap;

use super::*;

const LINES: [[usize; 3]; 8] =
    [[0, 1, 2], [3, 4, 5], [10, 11, 12], [13, 14, 15], [0, 6, 13], [3, 7, 10], [5, 8, 12], [2, 9, 15]];
const SPOKES: [[usize; 2]; 4] = [[1, 4], [6, 7], [8, 9], [11, 14]];

/// The points: 1 for the side to move, 2 for the other, 0 for none.
type Points = [u8; 16];

fn joined(a: usize, b: usize) -> bool {
    let pair = |one: usize, other: usize| (a, b) == (one, other) || (b, a) == (one, other);
    LINES.iter().any(|line| pair(line[0], line[1]) || pair(line[1], line[2]))
        || SPOKES.iter().any(|spoke| pair(spoke[0], spoke[1]))
}

fn milled(points: &Points, at: usize) -> bool {
    LINES.iter().any(|line| line.contains(&at) && line.iter().all(|point| points[*point] == points[at]))
}

fn count(points: &Points, side: u8) -> usize {
    points.iter().filter(|owner| **owner == side).count()
}

/// The positions after each move, from the view of the side that moves then.
fn after(rules: Morris, points: &Points) -> Vec<Points> {
    let flies = rules.flying && count(points, 1) == 3;
    let mut found = Vec::new();
    for from in (0..16).filter(|from| points[*from] == 1) {
        for to in (0..16).filter(|to| points[*to] == 0 && (flies || joined(from, *to))) {
            let mut moved = *points;
            (moved[from], moved[to]) = (0, 1);
            let turned = |points: Points| points.map(|owner| [0, 2, 1][usize::from(owner)]);
            if !milled(&moved, to) {
                found.push(turned(moved));
                continue;
            }
            let theirs: Vec<usize> = (0..16).filter(|at| moved[*at] == 2).collect();
            let any = rules.removal == agon_games::morris::Removal::Any;
            let all_safe = theirs.iter().all(|at| milled(&moved, *at));
            for at in theirs.into_iter().filter(|at| any || all_safe || !milled(&moved, *at)) {
                let mut removed = moved;
                removed[at] = 0;
                found.push(turned(removed));
            }
        }
    }
    found
}

/// All positions with so many stones.
fn all(own: usize, other: usize) -> Vec<Points> {
    let mut found = vec![[0; 16]];
    for (side, stones) in [(1, own), (2, other)] {
        for _ in 0..stones {
            let place = |points: &Points| {
                let first = (0..16).rev().find(|at| points[*at] == side).map_or(0, |at| at + 1);
                let next = |at: usize| {
                    let mut next = *points;
                    next[at] = side;
                    next
                };
                (first..16).filter(|at| points[*at] == 0).map(next).collect::<Vec<_>>()
            };
            found = found.iter().flat_map(place).collect();
        }
    }
    found
}

/// The solutions of tiers after placing.
#[derive(Default)]
struct Naive(HashMap<Points, Solution>);

impl Naive {
    fn value(&self, points: &Points) -> Option<Solution> {
        match (count(points, 1) < 3, count(points, 2) < 3) {
            (true, _) => Some(Solution::lost(0)),
            (_, true) => Some(Solution::won(0)),
            _ => self.0.get(points).copied(),
        }
    }

    /// Solves a tier with its turned one. The tiers with a stone less are solved.
    ///
    /// In sweep `n` the positions of remoteness `n` are found. Sweeps end after two without any, but
    /// not before the longest remoteness of the other tiers, to which a capture may lead.
    fn solve(&mut self, rules: Morris, own: usize, other: usize) {
        let mut open: Vec<Points> = all(own, other);
        if own != other {
            open.extend(all(other, own));
        }
        let moves: Vec<Vec<Points>> = open.iter().map(|points| after(rules, points)).collect();
        let mut open: Vec<(Points, Vec<Points>)> = open.into_iter().zip(moves).collect();
        let longest = self.0.values().filter_map(|solution| solution.remoteness.plies()).max().unwrap_or(0);
        let mut empty = 0;
        for remoteness in 0_u16.. {
            if remoteness > longest + 2 && empty >= 2 {
                break;
            }
            let mut found = Vec::new();
            open.retain(|(points, moves)| {
                let values = moves.iter().map(|mv| self.value(mv));
                let won = values.clone().any(|value| value == remoteness.checked_sub(1).map(Solution::lost));
                let lost = match values
                    .clone()
                    .map(|value| value.filter(|value| value.value == Value::Won))
                    .collect::<Option<Vec<_>>>()
                {
                    Some(values) if values.is_empty() => {
                        remoteness == 0 && rules.nomove == agon_games::morris::NoMove::Loses
                    }
                    Some(values) => values.iter().all(|value| value.remoteness.plies().unwrap() < remoteness),
                    None => false,
                };
                if won && remoteness > 0 {
                    found.push((*points, Solution::won(remoteness)));
                } else if lost {
                    found.push((*points, Solution::lost(remoteness)));
                }
                !(won && remoteness > 0 || lost)
            });
            empty = if found.is_empty() { empty + 1 } else { 0 };
            self.0.extend(found);
        }
        self.0.extend(open.into_iter().map(|(points, _)| (points, Solution::DRAWN)));
    }
}

/// Compares all positions of some tiers, each tier with its turned one.
fn compare(values: &MorrisValues, tiers: &[(usize, usize)]) {
    let rules = values.index.board.rules;
    let mut naive = Naive::default();
    for &(own, other) in tiers {
        naive.solve(rules, own, other);
    }
    for (points, solution) in &naive.0 {
        let set = |side| (0..16).filter(|at| points[*at] == side).fold(0, |set, at| set | 1 << at);
        let stones = SideStones { own: set(1), other: set(2) };
        assert_eq!(values.valuation(values.score(0, stones)), (*solution).into(), "{rules:?} {points:?}");
    }
    let expected: usize =
        tiers.iter().map(|(own, other)| all(*own, *other).len() * if own == other { 1 } else { 2 }).sum();
    assert_eq!(naive.0.len(), expected);
    compare_counts(values, &naive);
}

/// Compares the numbers of won, drawn and lost positions of each tier, and its longest remoteness.
fn compare_counts(values: &MorrisValues, naive: &Naive) {
    let mut counts: HashMap<(usize, usize), [u64; 4]> = HashMap::new();
    for (points, solution) in &naive.0 {
        let tier = counts.entry((count(points, 1), count(points, 2))).or_default();
        tier[solution.value as usize] += 1;
        tier[3] = tier[3].max(solution.remoteness.plies().unwrap_or(0).into());
    }
    for tier in values.tiers().iter().filter(|tier| tier.hands == 0) {
        if let Some(counted) = counts.remove(&(tier.own.into(), tier.other.into())) {
            assert_eq!([tier.won, tier.drawn, tier.lost, tier.longest.into()], counted, "{tier:?}");
        }
    }
    assert!(counts.is_empty(), "{counts:?}");
}

#[test]
fn a_naive_solver_agrees_on_three_against_three() {
    compare(six(), &[(3, 3)]);
}

#[test]
#[ignore = "minutes, in scripts/test-all"]
fn a_naive_solver_agrees_on_four_stones_in_every_variant() {
    for options in variants() {
        compare(&endgames(&options, 4), &[(3, 3), (4, 3), (4, 4)]);
    }
}
