//! The chooser on stored games of twenty real engines; the example `replay` has the figures.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::super::pairings::round_robin;
use super::super::question::RunQuestion;
use super::chooser::{PairChooser, PairResult};

const STORED: &str = include_str!("../../../../fixtures/twenty-engines.csv");
const ENTRANTS: usize = 20;
const CUT: usize = 4;

/// By two engines, the lower one first: the half points of the lower one in each pair of games. The
/// file names them in this order.
fn stored() -> Vec<Vec<Vec<u8>>> {
    let mut rows = STORED.lines().filter(|line| !line.starts_with('#'));
    let mut all = vec![vec![Vec::new(); ENTRANTS]; ENTRANTS];
    for (one, row) in all.iter_mut().enumerate() {
        for pairs in &mut row[one + 1..] {
            let digits = rows.next().and_then(|row| row.rsplit(',').next()).expect("a row of two engines");
            *pairs = digits.bytes().map(|digit| digit - b'0').collect();
            assert!(pairs.len() == 50 && pairs.iter().all(|halves| *halves <= 4));
        }
    }
    assert_eq!(rows.next(), None);
    all
}

fn best(scores: &[f64]) -> Vec<usize> {
    let mut ranking: Vec<usize> = (0..scores.len()).collect();
    ranking.sort_by(|one, two| scores[*two].total_cmp(&scores[*one]));
    ranking.truncate(CUT);
    ranking.sort_unstable();
    ranking
}

#[test]
fn the_right_four_of_a_real_field_are_found_as_often_as_with_twice_the_games() {
    let stored = stored();
    let mut scores = vec![0.0; ENTRANTS];
    for (one, row) in stored.iter().enumerate() {
        for (two, pairs) in row.iter().enumerate().filter(|(_, pairs)| !pairs.is_empty()) {
            let score = pairs.iter().map(|halves| f64::from(*halves)).sum::<f64>() / 200.0;
            scores[one] += score;
            scores[two] += 1.0 - score;
        }
    }
    let truth = best(&scores);
    let draw = |[one, two]: [usize; 2], random: &mut ChaCha8Rng| {
        let pairs = &stored[one.min(two)][one.max(two)];
        let score = f64::from(pairs[random.next_u32() as usize % pairs.len()]) / 4.0;
        if one < two { score } else { 1.0 - score }
    };
    let (mut ours, mut theirs) = (0, 0);
    for seed in 0..40 {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut chooser = PairChooser::new(RunQuestion::Cut(CUT), ENTRANTS, seed, 8);
        for number in 1..=190 {
            let pair = chooser.choose().unwrap();
            let score = Some(draw(pair, &mut random));
            chooser.take(number, PairResult { seen: score, counts: score });
        }
        let mut found = chooser.stand().ranking[..CUT].to_vec();
        found.sort_unstable();
        ours += u32::from(found == truth);
        // Two whole round robins, twice as many.
        let mut points = vec![0.0; ENTRANTS];
        for pair in round_robin(ENTRANTS).chain(round_robin(ENTRANTS)) {
            let score = draw([pair.first, pair.second], &mut random);
            points[pair.first] += score;
            points[pair.second] += 1.0 - score;
        }
        theirs += u32::from(best(&points) == truth);
    }
    // Of 40, chance makes a difference of six or so.
    assert!(ours + 6 >= theirs && ours >= 24, "{ours} and {theirs} of 40");
}
