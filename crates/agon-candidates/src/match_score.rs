//! The score of a match of two, game by game and pair by pair, from which SPRT decides.

use agon_printable::{clean, decimal};
use agon_record::GameRecord;
use agon_seats::Seat;
use agon_standings::any_time::ScoreBar;
use agon_standings::points::Wdl;
use agon_standings::sprt::{Sprt, TestStand, Unit};
use agon_standings::versus::{Encounter, Pairs, Versus, percent};
use agon_store::scores::GameResult;
use agon_store::tested::{self, EngineScore};

/// The score from the view of the first engine, against one opponent or several.
pub struct MatchScore {
    score: EngineScore,
    /// How many of the last games repeated earlier ones, without one that did not.
    repeats_in_a_row: u32,
}

/// After this number of repeats in a row, a test without a number of games ends. The engines have
/// no other games to play, and the test would never be decided.
const HOPELESS: u32 = 24;

impl MatchScore {
    /// The score of this engine, before its first game.
    pub fn new(first: &str) -> Self {
        MatchScore { score: EngineScore::new(first), repeats_in_a_row: 0 }
    }

    /// Counts a game that has just ended, unless it repeats an earlier one.
    pub fn add(&mut self, record: &GameRecord, is_repeat: bool) {
        let (Some(decided), 2) = (record.decided(), record.seats.len()) else { return };
        let places = [decided.places[Seat::FIRST], decided.places[Seat::SECOND]];
        let names = [Seat::FIRST, Seat::SECOND].map(|seat| record.seats[seat].entrant.as_str());
        self.count((record.id.pairing, record.id.game), names, places, is_repeat);
    }

    /// Counts a game that was played before.
    pub fn add_result(&mut self, result: &GameResult) {
        let names = [result.names[0].as_str(), result.names[1].as_str()];
        self.count((result.pairing, result.game), names, result.places, result.is_repeat);
    }

    fn count(&mut self, game: (u32, u32), names: [&str; 2], places: [u8; 2], is_repeat: bool) {
        if !names.contains(&self.score.engine.as_str()) {
            return;
        }
        if is_repeat {
            self.repeats_in_a_row += 1;
            return;
        }
        self.repeats_in_a_row = 0;
        self.score.add(game, names, places);
    }

    /// Whether the engines only repeat their games.
    pub fn only_repeats(&self) -> bool {
        self.repeats_in_a_row >= HOPELESS
    }

    /// How far a test has come.
    pub fn stand(&self, test: &Sprt) -> TestStand {
        self.score.stand(test)
    }

    /// Whether the test is decided.
    pub fn decides(&self, test: &Sprt) -> bool {
        self.stand(test).is_decided()
    }

    /// The score so far in one line: `mine: 12 games, +7 =2 -3, Elo 120.4 +- 180.2, LLR 0.51
    /// [-2.94, 2.94]`. Elo has its usual error bar, and after some games the bar that may be
    /// looked at at any time.
    pub fn line(&self, test: Option<&Sprt>) -> String {
        let Wdl { wins, draws, losses } = self.score.games;
        let elo = self.versus(test).map(|found| format!(", {}", elo(&found))).unwrap_or_default();
        let any_time = self.encounter(test).bars().map(|bars| at_any_time(bars.any_time)).unwrap_or_default();
        let ratio = test.map(|test| format!(", {}", tested::ratio(&self.stand(test)))).unwrap_or_default();
        format!(
            "{}: {} games, +{wins} ={draws} -{losses}{elo}{any_time}{ratio}",
            clean(&self.score.engine),
            self.score.games.games()
        )
    }

    fn versus(&self, test: Option<&Sprt>) -> Option<Versus> {
        self.encounter(test).versus()
    }

    /// All games: in pairs, unless the test counts games.
    pub fn encounter(&self, test: Option<&Sprt>) -> Encounter {
        match test.map_or(Unit::Pair, |test| test.unit) {
            Unit::Pair => self.score.encounter(),
            Unit::Game => Encounter::of_games(self.score.games),
        }
    }

    /// The result of the test, in words.
    pub fn told(&self, test: &Sprt) -> String {
        let stand = self.stand(test);
        let strength = self.versus(Some(test)).map_or_else(String::new, |found| {
            let normalized = decimal(found.normalized, 1);
            let sure = percent(found.superiority);
            let unit = if test.unit == Unit::Game { ", each game by itself" } else { "" };
            format!("{}, nElo {normalized}, stronger with {sure}{unit}\n", elo(&found))
        });
        let Pairs([none, half, one, more, two]) = self.score.encounter().pairs;
        format!(
            "{}: {} in {} games; pairs with 0, 1/2, 1, 1 1/2 and 2 points: {none} {half} {one} {more} {two}\n{strength}\
             SPRT {test}: {}: {}",
            clean(&self.score.engine),
            self.score.games,
            self.score.games.games(),
            tested::ratio(&stand),
            stand.verdict,
        )
    }
}

/// `, at any time -35.1 to 310.0`: the bar of 95 % in Elo that may be looked at after each game.
fn at_any_time(bar: ScoreBar) -> String {
    let [low, high] = bar.elos();
    match (low.is_finite(), high.is_finite()) {
        (true, true) => format!(", at any time {} to {}", decimal(low, 1), decimal(high, 1)),
        (true, false) => format!(", at any time above {}", decimal(low, 1)),
        (false, true) => format!(", at any time below {}", decimal(high, 1)),
        (false, false) => String::new(),
    }
}

/// `Elo 120.4 +- 180.2`.
fn elo(found: &Versus) -> String {
    format!("Elo {} +- {}", decimal(found.elo, 1), decimal(found.elo_error, 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_sided_and_even_matches_are_told_without_infinities() {
        let test: Sprt = "0,400".parse().unwrap();
        // The places of the first engine in both games of each pair.
        for places in [[1, 1], [2, 2], [1, 2]] {
            let mut score = MatchScore::new("mine");
            for pair in 0..4 {
                score.count((1, 2 * pair + 1), ["mine", "other"], [places[0], 3 - places[0]], false);
                score.count((1, 2 * pair + 2), ["other", "mine"], [3 - places[1], places[1]], false);
                let told = score.told(&test) + &score.line(Some(&test));
                assert!(!told.contains("inf") && !told.contains("NaN") && !told.contains("-0.0"), "{told}");
                assert!(told.contains("Elo ") && told.contains(" +- "), "{told}");
            }
        }
    }

    #[test]
    fn a_pair_counts_when_both_its_games_are_over_whichever_ends_first() {
        let mut score = MatchScore::new("mine");
        // Game 2 ends before game 1; mine has the second seat in it and wins.
        let (own, other) = (["mine", "other"], ["other", "mine"]);
        score.count((1, 2), other, [2, 1], false);
        assert_eq!(score.score.encounter().pairs.count(), 0);
        score.count((1, 1), own, [1, 1], false);
        score.count((1, 3), own, [2, 1], false);
        assert_eq!(score.score.encounter().pairs.0, [0, 0, 0, 1, 0]);
        assert_eq!(score.score.games, Wdl { wins: 1, draws: 1, losses: 1 });
        let test: Sprt = "0,400".parse().unwrap();
        assert!(!score.decides(&test));
        for pair in 2..40 {
            score.count((1, 2 * pair + 1), own, [1, 2], false);
            score.count((1, 2 * pair + 2), other, [2, 1], false);
        }
        assert!(score.decides(&test));
        assert!(score.told(&test).contains("LLR "), "{}", score.told(&test));
        assert!(score.told(&test).ends_with(": H1 accepted"), "{}", score.told(&test));
    }

    #[test]
    fn a_repeat_counts_for_nobody_and_nothing_but_repeats_is_hopeless() {
        let mut score = MatchScore::new("mine");
        let names = ["mine", "other"];
        for game in 1..=2 + HOPELESS {
            score.count((1, game), names, [1, 2], game > 2);
            assert_eq!(score.only_repeats(), game == 2 + HOPELESS, "{game}");
        }
        // Both were played on the same sides, which is no pair.
        assert_eq!((score.score.games.games(), score.score.encounter().pairs.count()), (2, 0));
        score.count((1, 99), names, [1, 2], false);
        assert!(!score.only_repeats());
    }

    #[test]
    fn opponents_are_told_apart_and_games_of_others_do_not_count() {
        let mut score = MatchScore::new("mine");
        score.count((1, 1), ["mine", "a"], [1, 2], false);
        score.count((2, 2), ["b", "mine"], [1, 2], false);
        score.count((3, 1), ["a", "b"], [1, 2], false);
        assert_eq!((score.score.games.games(), score.score.encounter().pairs.count()), (2, 0));
        score.count((2, 1), ["mine", "b"], [1, 2], false);
        assert_eq!(score.score.encounter().pairs.0, [0, 0, 1, 0, 0]);
        assert!(
            score.line(None).starts_with("mine: 3 games, +2 =0 -1, Elo 58.5 +- "),
            "{}",
            score.line(None)
        );
        assert!(!score.line(None).contains("any time"), "nothing is known after three games");
    }

    #[test]
    fn the_line_of_a_match_has_the_bar_that_may_be_looked_at_at_any_time() {
        let mut score = MatchScore::new("mine");
        for game in 1..=60 {
            let names = if game % 2 == 1 { ["mine", "a"] } else { ["a", "mine"] };
            let mine = usize::from(game % 2 == 0);
            let mut places = [2, 2];
            places[mine] = 1;
            score.count((1, game), names, places, false);
        }
        let line = score.line(None);
        assert!(line.contains("+60 =0 -0, Elo ") && line.contains(", at any time above "), "{line}");
        let met = Encounter { pairs: Pairs([10, 20, 40, 30, 20]), ..Encounter::default() };
        let bar = met.bars().unwrap().any_time;
        let [low, high] = bar.elos().map(|elo| decimal(elo, 1));
        assert_eq!(at_any_time(bar), format!(", at any time {low} to {high}"));
        assert_eq!(at_any_time(ScoreBar { low: 0.0, high: 0.5 }), ", at any time below 0.0");
    }
}
