//! Tests of the tables of morris: known numbers, a naive solver, and games played by the tables.

mod by_rules;
mod naive;

use super::*;
use crate::Solver;
use crate::naive::{Dice, play_best};
use crate::worked::worked;
use std::num::NonZeroUsize;
use std::sync::OnceLock;

fn settings() -> SolverSettings {
    SolverSettings { threads: NonZeroUsize::new(2).unwrap(), ..SolverSettings::default() }
}

fn values(options: &str) -> MorrisValues {
    MorrisValues::new(options.parse().unwrap(), settings())
}

/// The standard rules, solved once for all tests, by two threads.
fn six_solver() -> &'static Solver {
    static SIX: OnceLock<Solver> = OnceLock::new();
    SIX.get_or_init(|| Solver::new(&Morris::default(), settings()))
}

fn six() -> &'static MorrisValues {
    six_solver().morris()
}

/// The values after placing, with at most so many stones a side.
fn endgames(options: &str, most: u8) -> MorrisValues {
    let rules: Morris = options.parse().unwrap();
    let index = MorrisIndex::new(MorrisBoard::new(rules), most, false);
    MorrisValues::of_index(rules, Arc::new(index), settings())
}

/// Every variant of Six Men's Morris.
fn variants() -> Vec<String> {
    let mut all = Vec::new();
    for flying in ["yes", "no"] {
        for removal in ["outside", "any"] {
            for nomove in ["loses", "draws"] {
                all.push(format!("flying={flying},removal={removal},nomove={nomove}"));
            }
        }
    }
    all
}

/// Random positions.
impl Dice {
    /// A set of `stones` of these points.
    fn set(&mut self, mut points: Vec<u8>, stones: usize) -> u32 {
        (0..stones).fold(0, |set, _| set | 1 << points.swap_remove(self.below(points.len())))
    }

    /// The text of a random position with this tier.
    fn text(&mut self, tier: &index::Tier) -> String {
        let own = self.set((0..16).collect(), tier.own.into());
        let free = (0..16).filter(|point| own >> point & 1 == 0).collect();
        let other = self.set(free, tier.other.into());
        // The side to move has the odd man in hand, and then it is O.
        let is_x = tier.hands.is_multiple_of(2) && (tier.hands > 0 || self.below(2) == 0);
        text_of(16, tier.hands, SideStones { own, other }, is_x)
    }
}

/// The text of a position on so many points, with X or O to move.
fn text_of(points: u8, hands: u8, SideStones { own, other }: SideStones, is_x: bool) -> String {
    let (x, o) = if is_x { (own, other) } else { (other, own) };
    let mark = |point: u8| match (x >> point & 1, o >> point & 1) {
        (1, _) => 'X',
        (_, 1) => 'O',
        _ => '.',
    };
    let board: String = (0..points).map(mark).collect();
    let side = if is_x { 'x' } else { 'o' };
    format!("{board} {side} {} {}", hands / 2, hands.div_ceil(2))
}

#[test]
fn the_start_of_six_mens_morris_is_drawn() {
    assert_eq!(six().of(&Morris::default().position()), Solution::DRAWN.into());
    let ranked = six_solver().follow("startpos").unwrap().ranked();
    assert_eq!(ranked.len(), 16);
    assert!(ranked.iter().all(|mv| mv.valuation == Solution::DRAWN.into()), "{ranked:?}");
}

#[test]
fn every_cell_agrees_with_its_successors() {
    assert_eq!(six().verify(&|_| {}), Ok(()));
}

#[test]
#[ignore = "half a minute, in scripts/test-all"]
fn every_variant_agrees_with_itself_and_draws() {
    for options in variants() {
        let values = values(&options);
        assert_eq!(values.verify(&|_| {}), Ok(()), "{options}");
        let start = options.parse::<Morris>().unwrap().position();
        assert_eq!(values.of(&start), Solution::DRAWN.into(), "{options}");
    }
}

#[test]
fn one_and_two_threads_make_the_same_bytes() {
    let one = solve::solve(&six().index, NonZeroUsize::MIN, &|_| {});
    assert!((0..one.len()).all(|cell| six().stored.cell(cell as u64) == one[cell]));
}

#[test]
fn a_changed_cell_does_not_agree() {
    let index = &six().index;
    let cell = |cell: u32| six().stored.cell(cell.into());
    let other = if cell(4000) == code::DRAWN { 3 } else { code::DRAWN };
    let changed = |at: u32| if at == 4000 { other } else { cell(at) };
    let found = verify::verify(index, &changed, NonZeroUsize::MIN, &|_| {}).unwrap_err();
    assert_eq!((found.cell, found.found), (4000, solution(decode(other)).to_string()));
}

/// The number of positions that a game from the start can reach, finished ones included.
///
/// The side to move is part of a position, so after placing each cell counts for both seats.
fn reached(index: &MorrisIndex) -> usize {
    let start = Morris::default().position();
    let (hands, stones) = seen(&start);
    let mut cells = [0, 1].map(|_| vec![false; index.cells() as usize]);
    let mut finished = std::collections::HashSet::new();
    let mut positions = 1;
    let mut open = vec![(hands, stones, 0)];
    while let Some((hands, stones, seat)) = open.pop() {
        index.board.successors(stones, hands > 0, |after, _| {
            let (hands, seat) = (hands.saturating_sub(1), 1 - seat);
            if hands == 0 && solve::too_few(after).is_some() {
                let images = index.images(after).map(|image| (image.own, image.other, seat));
                finished.extend(images);
                return;
            }
            let tier = index.tier(hands, after).unwrap();
            let cell = index.principal(tier, after);
            if !std::mem::replace(&mut cells[seat][cell as usize], true) {
                positions += index.orbit(tier, cell) as usize;
                open.push((hands, after, seat));
            }
        });
    }
    positions + finished.len()
}

#[test]
fn the_number_of_positions_that_can_be_reached_is_the_known_one() {
    assert_eq!(reached(&six().index), 42_383_945);
}

#[test]
fn the_longest_win_takes_148_plies_after_placing() {
    let longest = |sliding: bool| {
        let tiers = six().tiers().into_iter().filter(|tier| (tier.hands == 0) == sliding);
        tiers.map(|tier| tier.longest).max().unwrap()
    };
    assert_eq!((longest(true), longest(false)), (148, 149));
}

#[test]
fn each_position_of_a_tier_counts_once() {
    for tier in six().tiers() {
        let choose = |n: u8, k: u8| board::choose(n.into(), k.into()) as u64;
        let all = choose(16, tier.own) * choose(16 - tier.own, tier.other);
        assert_eq!(tier.won + tier.drawn + tier.lost, all, "{tier:?}");
    }
}

/// Both sides play best moves. The value never changes, and each ply shortens the remoteness by
/// one.
#[test]
fn perfect_play_ends_as_the_value_says_in_exactly_the_remoteness() {
    let mut dice = Dice(2006);
    let index = &six().index;
    let (mut won, mut lost) = (0, 0);
    for _ in 0..1000 {
        let tiers = index.tiers();
        let tier = &tiers[dice.below(tiers.len())];
        let text = dice.text(tier);
        let mut game = six_solver().follow(&text).unwrap_or_else(|why| panic!("{text}: {why}"));
        let [_, last] = play_best(game.as_mut(), 200);
        assert!(game.is_over() || last == Solution::DRAWN, "{text}");
        won += u32::from(last == Solution::won(0));
        lost += u32::from(last == Solution::lost(0));
    }
    assert!(lost > 300 && won > 0, "won {won}, lost {lost}");
}

#[test]
fn a_position_that_cannot_be_reached_is_answered() {
    // O has a stone before anybody has placed one.
    let game = six_solver().follow("O............... x 5 5").unwrap();
    assert!(game.value().known().is_some());
}

#[test]
fn history_could_change_a_won_value_only() {
    let mut dice = Dice(3);
    let tier = six().index.tiers().iter().find(|tier| (tier.own, tier.other) == (5, 5)).unwrap();
    let mut seen = [0; 3];
    for _ in 0..300 {
        let text = dice.text(tier);
        let after = |quiet: u16| six_solver().follow(&format!("{text} {quiet}")).unwrap();
        let Valuation::Known(solution) = after(0).value() else { panic!("{text} is unknown") };
        match solution.remoteness.plies() {
            None => assert!(!after(199).history_could_change(), "{text}"),
            Some(0) => {}
            Some(plies) => {
                assert!(!after(200 - plies).history_could_change(), "{text}");
                assert!(plies == 1 || after(201 - plies).history_could_change(), "{text}");
            }
        }
        seen[solution.value as usize] += 1;
    }
    assert!(seen.iter().all(|seen| *seen > 2), "{seen:?}");
}

#[test]
fn a_repeated_position_could_change_a_won_value() {
    let mut game = six_solver().follow("X.X.X......O.O.O x 0 0").unwrap();
    assert_eq!(game.value(), Solution::won(1).into());
    for line in ["0-3", "13-10", "3-0", "10-13"] {
        assert!(!game.history_could_change(), "before {line}");
        game.play(line).unwrap();
    }
    assert_eq!(game.text(), "X.X.X......O.O.O x 0 0 4");
    assert_eq!(game.value(), Solution::won(1).into());
    assert!(game.history_could_change());
}

#[test]
fn a_review_tells_blunders_slips_and_only_moves() {
    let mut dice = Dice(7);
    let mut found = std::collections::BTreeSet::new();
    for _ in 0..200 {
        let mut game = six_solver().follow("startpos").unwrap();
        while !game.is_over() {
            let ranked = game.ranked();
            let (value, pick) = (game.value(), &ranked[dice.below(ranked.len())]);
            let reviewed = game.review(&pick.text).unwrap();
            assert_eq!((reviewed.before, reviewed.played), (value, pick.valuation));
            assert_eq!(reviewed.best.as_ref(), Some(&ranked[0].text));
            let values = |valuation: Valuation| valuation.known().map(|solution| solution.value);
            let keeping = ranked.iter().filter(|mv| values(mv.valuation) == values(value)).count();
            assert_eq!(reviewed.keeping, Some(keeping));
            // A third time of a position ends the game otherwise than the value says.
            assert!(game.is_over() || values(game.value().before()) == values(reviewed.played));
            found.insert(match reviewed.quality() {
                crate::MoveQuality::Slip(_) => "slip",
                crate::MoveQuality::Blunder => "blunder",
                crate::MoveQuality::Perfect if reviewed.is_only() => "only",
                crate::MoveQuality::Perfect => "perfect",
                crate::MoveQuality::Unknown => "unknown",
            });
        }
    }
    assert_eq!(Vec::from_iter(found), ["blunder", "only", "perfect", "slip"]);
}

#[test]
#[ignore = "minutes, in scripts/test-all"]
fn the_endgames_of_nine_mens_morris_agree_with_themselves() {
    for options in ["nine", "nine,flying=no"] {
        let clock = worked();
        let nine = values(options);
        nine.prepare();
        println!("{options}: {} cells in {:?}", nine.stored.cells(), worked() - clock);
        for tier in nine.tiers() {
            println!("{tier:?}");
        }
        assert_eq!(nine.verify(&|_| {}), Ok(()), "{options}");
    }
}

/// A table from a file, as a program uses it.
#[test]
#[ignore = "some seconds, in scripts/test-all"]
fn ten_thousand_games_are_reviewed_in_ten_seconds() {
    let home = tempfile::tempdir().unwrap();
    let directory = Some(home.path().to_owned());
    Solver::new(&Morris::default(), SolverSettings { directory: directory.clone(), ..settings() }).prepare();
    let mut dice = Dice(10_000);
    let mut moves = Vec::new();
    let mut game = || {
        let mut position = Morris::default().position();
        let mut lines = Vec::new();
        while position.status().over().is_none() {
            position.moves(&mut moves);
            let mv = moves[dice.below(moves.len())];
            lines.push(mv.to_string());
            position.play(mv);
        }
        lines
    };
    let games: Vec<Vec<String>> = (0..10_000).map(|_| game()).collect();
    let clock = worked();
    let solver = Solver::new(&Morris::default(), SolverSettings { directory, ..settings() });
    let mut blunders = 0;
    for lines in &games {
        let mut game = solver.follow("startpos").unwrap();
        for line in lines {
            let reviewed = game.review(line).unwrap();
            blunders += u32::from(reviewed.quality() == crate::MoveQuality::Blunder);
        }
    }
    let plies: usize = games.iter().map(Vec::len).sum();
    println!("{plies} plies, {blunders} blunders, {:?}", worked() - clock);
    assert!((worked() - clock).as_secs() < 10);
}
