//! The tables against the rules of the game: what one ply of `MorrisPosition::moves` leads to, not
//! the successors that the solver itself finds.
//!
//! If a whole table agrees, it is right. Each won or lost position has a way to the end that its
//! remoteness counts down. From each drawn position the side to move has a move to a drawn one and
//! none to a lost one. So neither side can be forced to lose.

use agon_games::morris::{MorrisMove, MorrisPosition};

use super::*;

/// The solution of a position by its moves, from the table's values of the positions after them.
fn by_one_ply(values: &MorrisValues, position: &MorrisPosition, moves: &mut Vec<MorrisMove>) -> Valuation {
    if position.status().over().is_some() {
        return values.of_any(position);
    }
    position.moves(moves);
    let mut after = position.clone();
    let next = moves.iter().map(|mv| {
        let undo = after.play(*mv);
        let value = values.of_any(&after).before();
        after.undo(undo);
        value
    });
    next.max_by(|one, other| one.quality(*other)).expect("a side to move has a move")
}

/// Compares the position of this text, which has a value.
fn agrees(values: &MorrisValues, rules: Morris, text: &str, moves: &mut Vec<MorrisMove>) {
    let position = rules.position_from(text).unwrap_or_else(|why| panic!("{text}: {why}"));
    let found = values.of(&position);
    assert!(found.known().is_some(), "{text}");
    assert_eq!(found, by_one_ply(values, &position, moves), "{} {text}", rules.spec());
}

/// Compares so many random cells of all tiers.
fn sample(values: &MorrisValues, cells: usize, dice: &mut Dice) {
    let (index, mut moves) = (&values.index, Vec::new());
    let mut seen = vec![0; index.tiers().len()];
    for number in 0..cells {
        // Each tier in turn, so that small ones are not left out.
        let place = number % index.tiers().len();
        seen[place] += 1;
        agrees(values, index.board.rules, &dice.text(&index.tiers()[place]), &mut moves);
    }
    assert!(seen.iter().all(|seen| *seen > 0), "each tier, placing too: {seen:?}");
}

/// Compares each cell.
fn all(values: &MorrisValues) {
    let (index, mut moves) = (&values.index, Vec::new());
    for tier in index.tiers() {
        for cell in tier.first..tier.first + tier.cells {
            let text = text_of(index.board.layout.points, 0, index.stones(tier, cell), true);
            agrees(values, index.board.rules, &text, &mut moves);
        }
    }
}

#[test]
fn one_ply_of_the_rules_agrees_on_a_sample_of_all_tiers() {
    sample(six(), 100_000, &mut Dice(16));
}

#[test]
#[ignore = "half a minute, in scripts/test-all"]
fn one_ply_of_the_rules_agrees_on_100_000_cells_of_every_variant() {
    let mut dice = Dice(61);
    for options in variants() {
        sample(&values(&options), 100_000, &mut dice);
    }
}

#[test]
fn one_ply_of_the_rules_agrees_on_every_endgame_of_three_stones_in_every_variant() {
    for options in variants() {
        all(&endgames(&options, 3));
    }
}

#[test]
#[ignore = "half a minute, in scripts/test-all"]
fn one_ply_of_the_rules_agrees_on_every_endgame_of_four_stones_in_every_variant() {
    for options in variants() {
        all(&endgames(&options, 4));
    }
}

#[test]
fn one_ply_of_the_rules_agrees_on_every_endgame_of_three_stones_in_nine_mens_morris() {
    let nine = endgames("nine,flying=no", 3);
    assert_eq!(nine.verify(&|_| {}), Ok(()));
    all(&nine);
}

/// Whether the side to move wins within so many plies, by trying every move.
fn wins_within(position: &mut MorrisPosition, plies: u16) -> bool {
    let mut moves = Vec::new();
    position.moves(&mut moves);
    moves.into_iter().any(|mv| {
        let undo = position.play(mv);
        let wins = loses_within(position, plies - 1);
        position.undo(undo);
        wins
    })
}

/// Whether the side that is to move, or would be next, loses within so many plies.
fn loses_within(position: &mut MorrisPosition, plies: u16) -> bool {
    match position.status().over() {
        Some(agon_games::Ending::Win(seat, _)) => return seat != position.to_move(),
        Some(agon_games::Ending::Draw(_)) => return false,
        None if plies < 2 => return false,
        None => {}
    }
    let mut moves = Vec::new();
    position.moves(&mut moves);
    moves.into_iter().all(|mv| {
        let undo = position.play(mv);
        let loses = wins_within(position, plies - 1);
        position.undo(undo);
        loses
    })
}

#[test]
fn a_search_by_the_rules_finds_the_short_wins_of_nine_mens_morris() {
    let (rules, nine) = ("nine,flying=no".parse::<Morris>().unwrap(), endgames("nine,flying=no", 3));
    let mut dice = Dice(9);
    let mut seen = [0; 2];
    for _ in 0..300 {
        let own = dice.set((0..24).collect(), 3);
        let free = (0..24).filter(|point| own >> point & 1 == 0).collect();
        let stones = SideStones { own, other: dice.set(free, 3) };
        let text = text_of(24, 0, stones, dice.below(2) == 0);
        let mut position = rules.position_from(&text).unwrap();
        if position.status().over().is_some() {
            continue;
        }
        let solution = nine.of(&position).known().unwrap();
        for plies in [1, 3, 5] {
            let wins = solution.value == Value::Won && solution.remoteness.plies().unwrap() <= plies;
            assert_eq!(wins_within(&mut position, plies), wins, "{text} in {plies}: {solution}");
            seen[usize::from(wins)] += 1;
        }
    }
    assert!(seen.iter().all(|seen| *seen > 20), "{seen:?}");
}

#[test]
fn nine_mens_morris_is_unknown_while_placing_and_with_six_stones() {
    let (rules, nine) = ("nine".parse::<Morris>().unwrap(), values("nine"));
    let six_and_five = text_of(24, 0, SideStones { own: 0b111_111, other: 0b11_111 << 10 }, true);
    for text in ["startpos", &six_and_five] {
        let value = nine.of(&rules.position_from(text).unwrap());
        assert!(value.known().is_none(), "{text}: {value}");
    }
}
