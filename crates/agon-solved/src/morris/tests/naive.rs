//! A second solver, slow and simple. It has characters on points, and moves by the lines of the
//! board. It sweeps over all positions of a tier until nothing changes.

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

/// A position as a number: a digit of base 3 for each point.
fn number(points: &Points) -> u32 {
    points.iter().rev().fold(0, |number, owner| number * 3 + u32::from(*owner))
}

/// The solutions of tiers after placing, by the numbers of the positions.
struct Naive(Vec<u16>);

impl Naive {
    const OPEN: u16 = 0;
    const DRAWN: u16 = 1;

    fn new() -> Self {
        Naive(vec![Self::OPEN; 3_usize.pow(16)])
    }

    fn set(&mut self, number: u32, solution: Solution) {
        let of = |first: u16| first + 2 * solution.remoteness.plies().unwrap_or(0);
        self.0[number as usize] = match solution.value {
            Value::Drawn => Self::DRAWN,
            Value::Won => of(2),
            Value::Lost => of(3),
        };
    }

    fn get(&self, number: u32) -> Option<Solution> {
        match self.0[number as usize] {
            Self::OPEN => None,
            Self::DRAWN => Some(Solution::DRAWN),
            won if won % 2 == 0 => Some(Solution::won((won - 2) / 2)),
            lost => Some(Solution::lost((lost - 3) / 2)),
        }
    }

    /// Solves a tier with its turned one. The tiers with a stone less are solved.
    ///
    /// In sweep `n` the positions of remoteness `n` are found. Sweeps end after two without any,
    /// but not before the longest remoteness of the other tiers, to which a capture may lead.
    /// Returns the longest remoteness.
    fn solve(&mut self, rules: Morris, (own, other): (usize, usize), longest: u16) -> u16 {
        let mut all = all(own, other);
        if own != other {
            all.extend(self::all(other, own));
        }
        let mut open: Vec<(u32, Vec<u32>)> = Vec::with_capacity(all.len());
        for points in &all {
            let after = after(rules, points);
            // A capture ends the game if the side to move then has too few stones.
            for over in after.iter().filter(|after| count(after, 1) < 3) {
                self.set(number(over), Solution::lost(0));
            }
            open.push((number(points), after.iter().map(number).collect()));
        }
        let (mut empty, mut last) = (0, longest);
        for remoteness in 0_u16.. {
            if remoteness > longest + 2 && empty >= 2 {
                break;
            }
            let mut found = Vec::new();
            open.retain(|(number, moves)| {
                let values = || moves.iter().map(|mv| self.get(*mv));
                let is_won =
                    remoteness > 0 && values().any(|value| value == Some(Solution::lost(remoteness - 1)));
                let loses = |value: Option<Solution>| {
                    let won = value.filter(|value| value.value == Value::Won);
                    won.is_some_and(|won| won.remoteness.plies().unwrap() < remoteness)
                };
                let is_lost = match moves.is_empty() {
                    true => remoteness == 0 && rules.nomove == agon_games::morris::NoMove::Loses,
                    false => values().all(loses),
                };
                if is_won {
                    found.push((*number, Solution::won(remoteness)));
                } else if is_lost {
                    found.push((*number, Solution::lost(remoteness)));
                }
                !is_won && !is_lost
            });
            empty = if found.is_empty() { empty + 1 } else { 0 };
            if !found.is_empty() {
                last = last.max(remoteness);
            }
            found.into_iter().for_each(|(number, solution)| self.set(number, solution));
        }
        open.into_iter().for_each(|(number, _)| self.set(number, Solution::DRAWN));
        last
    }
}

/// Compares all positions of some tiers, each tier with its turned one. It also compares the
/// numbers of won, drawn and lost positions of each tier, with its longest remoteness.
fn compare(values: &MorrisValues, tiers: &[(usize, usize)]) {
    let rules = values.index.board.rules;
    let mut naive = Naive::new();
    let mut longest = 0;
    for tier in tiers {
        longest = naive.solve(rules, *tier, longest);
    }
    for &(own, other) in tiers {
        compare_tier(values, &naive, own, other);
        if own != other {
            compare_tier(values, &naive, other, own);
        }
    }
}

fn compare_tier(values: &MorrisValues, naive: &Naive, own: usize, other: usize) {
    let rules = values.index.board.rules;
    let mut counted = [0; 4];
    for points in all(own, other) {
        let solution = naive.get(number(&points)).unwrap();
        let set = |side| (0..16).filter(|at| points[*at] == side).fold(0, |set, at| set | 1 << at);
        let stones = SideStones { own: set(1), other: set(2) };
        assert_eq!(values.valuation(values.score(0, stones)), solution.into(), "{rules:?} {points:?}");
        counted[solution.value as usize] += 1;
        counted[3] = counted[3].max(solution.remoteness.plies().unwrap_or(0).into());
    }
    let tiers = values.tiers();
    let tier = tiers
        .iter()
        .find(|tier| tier.hands == 0 && (usize::from(tier.own), usize::from(tier.other)) == (own, other))
        .unwrap();
    assert_eq!([tier.won, tier.drawn, tier.lost, tier.longest.into()], counted, "{tier:?}");
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
