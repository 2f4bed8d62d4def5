//! What chooses pairs, and what is certain by their results.

use std::collections::VecDeque;

use super::super::question::RunQuestion;
use super::draw::Chances;
use super::estimates::Estimates;
use super::evidence::{BetCapitals, DrawnPair};

/// Chooses pairs, and says what is certain by their results.
#[derive(Clone, Debug)]
pub struct PairChooser {
    question: RunQuestion,
    seed: u64,
    /// Pair n is chosen before the results of the last `lag` pairs before it are looked at.
    lag: u32,
    /// How many pairs were chosen, and how many of their results were looked at.
    chosen: u32,
    learned: u32,
    /// The pairs whose results were not looked at yet, in their order.
    open: VecDeque<OpenPair>,
    /// By the results as they were first seen: what choices follow from.
    seen: Known,
    /// By the results as they count: what verdicts follow from.
    counting: Known,
}

/// The result of a pair: the score of the lower entrant in its two games together, from 0 to 1, or
/// `None` if there is none: a game was void, repeats another one, or was annulled.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PairResult {
    /// As it was when the games were first played. It never changes.
    pub seen: Option<f64>,
    /// As it counts.
    pub counts: Option<f64>,
}

/// What is known by some results.
#[derive(Clone, Debug)]
struct Known {
    pairs: u32,
    estimates: Estimates,
    evidence: BetCapitals,
}

/// A pair that was chosen.
#[derive(Clone, Debug)]
struct OpenPair {
    drawn: DrawnPair,
    result: Option<PairResult>,
}

/// How far a question is settled.
#[derive(Clone, PartialEq, Debug)]
pub struct QuestionStand {
    /// The question.
    pub question: RunQuestion,
    /// Whether it is settled with 95 %.
    pub is_settled: bool,
    /// How many pairs of games count.
    pub pairs: u32,
    /// The entrants by what they are expected to score against the whole field, the best first.
    pub ranking: Vec<usize>,
    /// That score of each entrant, from 0 to 1, by its number.
    pub scores: Vec<f64>,
    /// Who is not yet known to be better than whom, the supposedly better one first.
    pub open: Vec<[usize; 2]>,
    /// The bar of each entrant in Elo by its number, if the question is about bars. An end may be
    /// infinite.
    pub bars: Vec<[f64; 2]>,
}

impl QuestionStand {
    /// Whether the bar of an entrant is narrow enough; true if the question is not about bars.
    pub fn is_narrow(&self, entrant: usize) -> bool {
        match (self.question, self.bars.get(entrant)) {
            (RunQuestion::Bars(width), Some([low, high])) => (high - low) / 2.0 <= width + 1e-9,
            _ => true,
        }
    }
}

impl PairChooser {
    /// For so many entrants, at least two, whom the question fits.
    ///
    /// # Panics
    /// If the question does not fit them.
    pub fn new(question: RunQuestion, entrants: usize, seed: u64, lag: u32) -> Self {
        assert!(entrants >= 2 && question.fits(entrants).is_ok(), "the question fits the entrants");
        let known = Known {
            pairs: 0,
            estimates: Estimates::new(entrants),
            evidence: BetCapitals::new(question, entrants),
        };
        PairChooser {
            question,
            seed,
            lag,
            chosen: 0,
            learned: 0,
            open: VecDeque::new(),
            seen: known.clone(),
            counting: known,
        }
    }

    /// How many pairs were chosen.
    pub fn chosen(&self) -> u32 {
        self.chosen
    }

    /// Whether the results that are known suffice for the choice of the next pair.
    pub fn can_choose(&self) -> bool {
        let due = self.chosen.saturating_sub(self.lag).saturating_sub(self.learned) as usize;
        self.open.iter().take(due).all(|open| open.result.is_some())
    }

    /// Chooses the next pair: two entrants by their numbers, the lower one first. `None` if more
    /// results must be known before.
    pub fn choose(&mut self) -> Option<[usize; 2]> {
        if !self.can_choose() {
            return None;
        }
        while self.learned < self.chosen.saturating_sub(self.lag) {
            self.look();
        }
        let chances = Chances::of(&self.focus(), self.chosen);
        self.chosen += 1;
        let pair = chances.draw(self.seed, self.chosen);
        let drawn = DrawnPair::new(pair, &self.seen.estimates, &chances);
        self.open.push_back(OpenPair { drawn, result: None });
        Some(pair)
    }

    /// Looks at the first result that was not looked at.
    fn look(&mut self) {
        let OpenPair { drawn, result } = self.open.pop_front().expect("a chosen pair is open");
        let PairResult { seen, counts } = result.unwrap_or(PairResult { seen: None, counts: None });
        self.seen.learn(&drawn, seen);
        self.counting.learn(&drawn, counts);
        self.learned += 1;
    }

    /// Takes the result of a pair by its number, from 1. Results may come in any order; of two of
    /// one pair the first is taken.
    pub fn take(&mut self, number: u32, result: PairResult) {
        let Some(at) = number.checked_sub(self.learned + 1) else { return };
        if let Some(open) = self.open.get_mut(at as usize) {
            open.result.get_or_insert(result);
        }
    }

    /// Whether the question is settled by the results that the last choice followed from. Once
    /// settled, it stays so.
    pub fn is_settled(&self) -> bool {
        self.counting.is_settled(self.question)
    }

    /// How far the question is settled by all results that are known.
    pub fn stand(&self) -> QuestionStand {
        let mut all = self.clone();
        while !all.open.is_empty() {
            all.look();
        }
        all.counting.stand(self.question)
    }

    /// By how much each entrant is in question.
    fn focus(&self) -> Vec<f64> {
        self.seen.focus(self.question)
    }
}

impl Known {
    fn learn(&mut self, drawn: &DrawnPair, score: Option<f64>) {
        let Some(score) = score else { return };
        self.pairs += 1;
        self.evidence.add(drawn, score);
        self.estimates.learn(drawn.pair, score);
    }

    fn entrants(&self) -> usize {
        self.estimates.means().len()
    }

    /// The entrants, the best first. Who is certainly better than more others stands before.
    fn ranking(&self) -> Vec<usize> {
        let size = self.entrants();
        let ahead = |own: &usize| (0..size).filter(|other| self.evidence.is_ahead(*own, *other)).count();
        let behind = |own: &usize| (0..size).filter(|other| self.evidence.is_ahead(*other, *own)).count();
        let certain: Vec<isize> =
            (0..size).map(|own| ahead(&own).cast_signed() - behind(&own).cast_signed()).collect();
        let mut ranking: Vec<usize> = (0..size).collect();
        let means = self.estimates.means();
        ranking.sort_by(|one, two| means[*two].total_cmp(&means[*one]));
        // What is certain is not contradicted by what is estimated.
        let is_wrong = |one: usize, two: usize| self.evidence.is_ahead(two, one);
        if ranking.windows(2).any(|two| is_wrong(two[0], two[1])) {
            ranking.sort_by(|one, two| certain[*two].cmp(&certain[*one]));
        }
        ranking
    }

    /// Whom the question asks to be told apart and who is not yet, the supposedly better one first.
    fn open(&self, question: RunQuestion, ranking: &[usize]) -> Vec<[usize; 2]> {
        let is_open = |two: &[usize; 2]| !self.evidence.is_ahead(two[0], two[1]);
        match question {
            RunQuestion::Cut(cut) => {
                let (best, others) = ranking.split_at(cut);
                best.iter().flat_map(|one| others.iter().map(|two| [*one, *two])).filter(is_open).collect()
            }
            RunQuestion::Order => ranking.windows(2).map(|two| [two[0], two[1]]).filter(is_open).collect(),
            RunQuestion::Bars(_) => Vec::new(),
        }
    }

    fn is_settled(&self, question: RunQuestion) -> bool {
        match question {
            RunQuestion::Cut(_) | RunQuestion::Order => self.open(question, &self.ranking()).is_empty(),
            RunQuestion::Bars(width) => (0..self.entrants()).all(|one| {
                self.evidence.bar(one).is_some_and(|[low, high]| (high - low) / 2.0 <= width + 1e-9)
            }),
        }
    }

    fn stand(&self, question: RunQuestion) -> QuestionStand {
        let ranking = self.ranking();
        QuestionStand {
            question,
            is_settled: self.is_settled(question),
            pairs: self.pairs,
            scores: self.estimates.means().to_vec(),
            open: self.open(question, &ranking),
            bars: (0..self.entrants()).filter_map(|one| self.evidence.bar(one)).collect(),
            ranking,
        }
    }

    /// By how much each entrant is in question: by the probability that it stands on the wrong side
    /// of another one, by the ratings.
    fn focus(&self, question: RunQuestion) -> Vec<f64> {
        let mut focus = vec![0.0; self.entrants()];
        if let RunQuestion::Bars(width) = question {
            for (one, focus) in focus.iter_mut().enumerate() {
                let is_wide =
                    self.evidence.bar(one).is_none_or(|[low, high]| (high - low) / 2.0 > width + 1e-9);
                *focus = f64::from(u8::from(is_wide));
            }
            return focus;
        }
        let ranking = self.ranking();
        let open = self.open(question, &ranking);
        let ratings = self.estimates.ratings();
        if let RunQuestion::Cut(cut) = question {
            let mut by_rating: Vec<f64> = ratings.iter().map(|(rating, _)| *rating).collect();
            by_rating.sort_by(|one, two| two.total_cmp(one));
            let border = f64::midpoint(by_rating[cut - 1], by_rating[cut]);
            for one in open.iter().flatten() {
                let (rating, deviation) = ratings[*one];
                let away = (rating - border) / deviation;
                focus[*one] = (-away * away / 2.0).exp().max(1e-3) * deviation;
            }
            return focus;
        }
        for [better, worse] in open {
            let apart = ratings[better].0 - ratings[worse].0;
            let deviation = ratings[better].1.hypot(ratings[worse].1);
            let doubt = (-(apart / deviation).powi(2) / 2.0).exp().max(1e-3) * deviation;
            focus[better] += doubt;
            focus[worse] += doubt;
        }
        focus
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{Rng, SeedableRng};

    use super::*;

    const LAG: u32 = 4;

    /// A pair of games of two with this expected score, of which a third are draws.
    fn played(random: &mut ChaCha8Rng, expected: f64) -> f64 {
        let game = |at: f64| {
            let draws = 0.6 * expected.min(1.0 - expected);
            if at < expected - draws / 2.0 {
                0.5
            } else if at < expected + draws / 2.0 {
                0.25
            } else {
                0.0
            }
        };
        (0..2).map(|_| game(f64::from(random.next_u32()) / 2f64.powi(32))).sum()
    }

    /// Chooses and plays up to so many pairs. `expected` is the expected score of the first of two.
    fn run(
        question: RunQuestion,
        entrants: usize,
        seed: u64,
        most: u32,
        expected: impl Fn(usize, usize) -> f64,
    ) -> (QuestionStand, Vec<[usize; 2]>) {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut chooser = PairChooser::new(question, entrants, seed, LAG);
        let mut pairs = Vec::new();
        for number in 1..=most {
            let pair = chooser.choose().unwrap();
            if chooser.is_settled() {
                break;
            }
            pairs.push(pair);
            let score = Some(played(&mut random, expected(pair[0], pair[1])));
            chooser.take(number, PairResult { seen: score, counts: score });
        }
        (chooser.stand(), pairs)
    }

    /// The expected scores of entrants in a row, each so much ahead of the next.
    fn in_a_row(step: f64) -> impl Fn(usize, usize) -> f64 {
        #[allow(clippy::cast_precision_loss)]
        move |one, two| (0.5 + step * (two as f64 - one as f64)).clamp(0.02, 0.98)
    }

    /// Rock, paper and scissors: all score one half.
    fn rings(one: usize, two: usize) -> f64 {
        [0.5, 0.85, 0.15][(3 + two % 3 - one % 3) % 3]
    }

    #[test]
    fn a_clear_field_is_settled_with_the_right_ones_and_the_others_stay_open() {
        for seed in 0..4 {
            let (stand, pairs) = run(RunQuestion::Cut(2), 5, seed, 1500, in_a_row(0.12));
            let mut best = stand.ranking[..2].to_vec();
            best.sort_unstable();
            assert!(stand.is_settled && stand.open.is_empty() && pairs.len() < 1500, "{stand:?}");
            assert_eq!(best, [0, 1]);
            let (stand, _) = run(RunQuestion::Order, 4, seed, 1500, in_a_row(0.15));
            assert_eq!((stand.is_settled, &stand.ranking[..]), (true, &[0, 1, 2, 3][..]));
        }
        let (stand, pairs) = run(RunQuestion::Cut(2), 5, 1, 60, in_a_row(0.12));
        assert!(!stand.is_settled && !stand.open.is_empty() && pairs.len() == 60);
    }

    #[test]
    fn equals_and_rings_are_rarely_settled_however_often_one_looks() {
        let mut deceived = 0;
        for seed in 0..60 {
            deceived += u32::from(run(RunQuestion::Order, 2, seed, 300, |_, _| 0.5).0.is_settled);
            deceived += u32::from(run(RunQuestion::Cut(1), 3, seed, 150, rings).0.is_settled);
            deceived += u32::from(run(RunQuestion::Cut(3), 9, seed, 60, rings).0.is_settled);
        }
        assert!(deceived <= 9, "{deceived} of 180");
    }

    #[test]
    fn who_beats_everybody_near_and_loses_to_the_weak_is_placed_by_the_whole_field() {
        // The first beats the second and third, who beat all others more clearly than it does.
        let field = |one: usize, two: usize| match (one, two) {
            (0, 1 | 2) => 0.8,
            (0, _) => 0.35,
            (1, 2) => 0.5,
            (1 | 2, _) => 0.85,
            _ => 0.5,
        };
        let mut settled = 0;
        for seed in 0..6 {
            let (stand, _) = run(RunQuestion::Cut(2), 8, seed, 1200, |one, two| {
                if one < two { field(one, two) } else { 1.0 - field(two, one) }
            });
            let mut best = stand.ranking[..2].to_vec();
            best.sort_unstable();
            assert!(!stand.is_settled || best == [1, 2], "{stand:?}");
            settled += u32::from(stand.is_settled);
        }
        assert!(settled >= 4, "{settled} of 6");
    }

    #[test]
    fn bars_end_as_narrow_as_was_asked_for_and_hold_the_score() {
        let mut missed = 0;
        for seed in 0..6 {
            let (stand, _) = run(RunQuestion::Bars(60.0), 4, seed, 1500, in_a_row(0.1));
            assert!(stand.is_settled && (0..4).all(|one| stand.is_narrow(one)), "{stand:?}");
            for (one, [low, high]) in stand.bars.iter().enumerate() {
                let score =
                    (0..4).filter(|two| *two != one).map(|two| in_a_row(0.1)(one, two)).sum::<f64>() / 3.0;
                let elo = crate::versus::elo_of(score);
                missed += u32::from(!(*low..=*high).contains(&elo));
            }
        }
        assert!(missed <= 1, "{missed}");
    }

    #[test]
    fn a_pair_follows_from_the_results_before_the_lag_and_from_nothing_later() {
        let chosen = |changed: u32, backwards: bool| {
            let mut chooser = PairChooser::new(RunQuestion::Cut(2), 6, 3, LAG);
            let mut pairs: Vec<[usize; 2]> = Vec::new();
            let mut waiting = Vec::new();
            for number in 1..=200u32 {
                pairs.push(chooser.choose().unwrap());
                let [one, two] = pairs[number as usize - 1];
                // Its result follows from the pair alone.
                let score = f64::from(u32::from(one < two) + u32::from(one == 0)) / 2.0;
                let score = if number == changed { 0.0 } else { score };
                waiting.push((number, Some(score)));
                if !backwards || number % LAG == 0 {
                    for (number, score) in waiting.drain(..).rev() {
                        chooser.take(number, PairResult { seen: score, counts: score });
                    }
                }
            }
            pairs
        };
        let usual = chosen(0, false);
        // When and in which order results came makes no difference.
        assert_eq!(usual, chosen(0, true));
        let other = chosen(100, false);
        assert_eq!(usual[..104], other[..104], "pair 104 follows from pairs 1 to 99");
        assert_ne!(usual, other);
    }

    #[test]
    fn a_choice_waits_for_the_results_that_it_follows_from() {
        let mut chooser = PairChooser::new(RunQuestion::Order, 3, 1, LAG);
        for _ in 0..LAG {
            assert!(chooser.choose().is_some());
        }
        assert!(chooser.choose().is_some(), "pair 5 follows from none");
        assert_eq!((chooser.choose(), chooser.can_choose()), (None, false));
        chooser.take(2, PairResult { seen: Some(1.0), counts: Some(1.0) });
        assert_eq!(chooser.choose(), None);
        chooser.take(1, PairResult { seen: None, counts: None });
        assert!(chooser.choose().is_some() && chooser.choose().is_some());
        // A number that was never chosen is nobody's.
        chooser.take(99, PairResult { seen: None, counts: None });
        assert_eq!(chooser.chosen(), 7);
    }

    #[test]
    fn what_is_annulled_later_changes_the_verdict_and_no_choice() {
        let chosen = |counts: bool| {
            let mut random = ChaCha8Rng::seed_from_u64(5);
            let mut chooser = PairChooser::new(RunQuestion::Cut(1), 4, 5, LAG);
            let mut pairs = Vec::new();
            for number in 1..=600 {
                let pair = chooser.choose().unwrap();
                pairs.push(pair);
                let seen = Some(played(&mut random, in_a_row(0.25)(pair[0], pair[1])));
                chooser.take(number, PairResult { seen, counts: seen.filter(|_| counts) });
            }
            (chooser.stand(), pairs)
        };
        let (all, none) = (chosen(true), chosen(false));
        assert_eq!(all.1, none.1);
        assert!(all.0.is_settled && !none.0.is_settled);
        assert_eq!((all.0.pairs, none.0.pairs), (600, 0));
    }

    #[test]
    fn a_fifth_of_the_pairs_is_spread_evenly_and_the_others_are_those_in_question() {
        let (stand, pairs) = run(RunQuestion::Cut(2), 10, 2, 900, in_a_row(0.045));
        assert!(!stand.is_settled, "the test needs all of its pairs");
        let played = |one: usize| pairs.iter().filter(|pair| pair.contains(&one)).count();
        let least = (0..10).map(played).min().unwrap();
        // A tenth of twice the pairs is the even share of an entrant.
        assert!(least >= pairs.len() / 5 / 5, "{least} of {}", pairs.len());
        assert!(played(1) + played(2) > 2 * (played(8) + played(9)), "{}", played(1));
        for one in 0..10 {
            for two in one + 1..10 {
                assert!(pairs.contains(&[one, two]), "{one} {two}");
            }
        }
    }
}
