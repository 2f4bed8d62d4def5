//! Games that end before their rules end them, because the scores of their engines say who has
//! lost, or that nobody has.

use agon_config::{DrawWhen, Options, ResignWhen, ScoreRules};
use agon_games::{Game, places_without};
use agon_programs::spec::EngineSpec;
use agon_record::reason::EndReason;
use agon_record::{Evaluation, Ply, ScoreReason};
use agon_seats::result::Lost;
use agon_seats::{PerSeat, Seat};

use crate::hosted::GameRules;

/// The rules of a run that end its games by scores.
///
/// # Errors
/// [`agon_config::Misuse`] if its game or one of its engines has no scores.
pub fn wanted(options: &Options, rules: &GameRules, engines: &[EngineSpec]) -> anyhow::Result<ScoreRules> {
    let wanted = options.score_rules();
    let key = match (wanted.resign, wanted.draw) {
        (Some(_), _) => "resign-when",
        (None, Some(_)) => "draw-when",
        (None, None) => return Ok(wanted),
    };
    if rules.built_in().is_none() {
        let why = "is for games that agon judges; leave it out in the game of a referee program";
        return Err(options.misuse(key, "", why));
    }
    if let Some(engine) = engines.iter().find(|engine| !engine.protocol.is_ugi()) {
        let why = format!(
            "{} speaks the protocol {}, which has no scores; leave {key} out, or give engines that speak ugi or uci",
            engine.name,
            engine.protocol.name()
        );
        return Err(options.misuse(key, "", &why));
    }
    Ok(wanted)
}

/// How a game ends by the scores of its engines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScoreEnd {
    /// This seat has given up.
    Lost(Seat, ResignWhen),
    /// Both agree on a draw.
    Drawn(DrawWhen),
}

impl ScoreEnd {
    /// The reason in the record.
    pub fn reason(&self, sides: &[&str]) -> EndReason {
        EndReason::Scores(match *self {
            ScoreEnd::Lost(seat, ResignWhen { score, moves, twosided }) => {
                let side = sides.get(seat.index()).copied().unwrap_or("nobody");
                ScoreReason::Lost { side: side.to_owned(), score, moves, twosided }
            }
            ScoreEnd::Drawn(DrawWhen { moves, score, .. }) => ScoreReason::Drawn { score, moves },
        })
    }

    /// The places in a game that stands like this.
    pub fn places(&self, game: &dyn Game) -> PerSeat<u8> {
        match self {
            ScoreEnd::Lost(seat, _) => places_without(game, *seat, Lost::Resigned),
            ScoreEnd::Drawn(_) => game.scores().map(|_, _| 1),
        }
    }
}

/// Follows the scores of a game of two sides, ply by ply.
#[derive(Clone, Copy, Debug, Default)]
pub struct ScoreWatch {
    rules: ScoreRules,
    sides: [SideScores; 2],
}

/// The moves of one side, and how many of its last ones in a row say the same.
#[derive(Clone, Copy, Debug, Default)]
struct SideScores {
    moves: u32,
    behind: u32,
    ahead: u32,
    even: u32,
}

impl ScoreWatch {
    /// For a game that begins, in a run with these rules.
    pub fn new(rules: ScoreRules) -> Self {
        ScoreWatch { rules, ..ScoreWatch::default() }
    }

    /// A move was made. One without a score says nothing of the game, so the row ends.
    pub fn played(&mut self, ply: &Ply) {
        if self.rules.is_empty() {
            return;
        }
        let Some(side) = self.sides.get_mut(ply.seat.index()) else { return };
        side.moves += 1;
        let said = ply.thought.as_deref().and_then(Evaluation::of_thought);
        let count = |row: u32, holds: bool| if holds { row + 1 } else { 0 };
        if let Some(ResignWhen { score, .. }) = self.rules.resign {
            side.behind = count(side.behind, said.is_some_and(|said| said.is_behind(score)));
            side.ahead = count(side.ahead, said.is_some_and(|said| said.is_ahead(score)));
        }
        if let Some(DrawWhen { score, .. }) = self.rules.draw {
            side.even = count(side.even, said.is_some_and(|said| said.is_even(score)));
        }
    }

    /// How the game ends, if the scores so far end it.
    pub fn end(&self) -> Option<ScoreEnd> {
        let lost = self.rules.resign.and_then(|rule| {
            let has_lost = |at: usize| {
                let (own, other) = (&self.sides[at], &self.sides[1 - at]);
                own.behind >= rule.moves && (!rule.twosided || other.ahead >= rule.moves)
            };
            [Seat::FIRST, Seat::SECOND]
                .into_iter()
                .find(|seat| has_lost(seat.index()))
                .map(|seat| ScoreEnd::Lost(seat, rule))
        });
        let drawn = || {
            let rule = self.rules.draw?;
            let is_even = |side: &SideScores| side.even >= rule.moves && side.moves >= rule.after;
            self.sides.iter().all(is_even).then_some(ScoreEnd::Drawn(rule))
        };
        lost.or_else(drawn)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// Where a game ends whose plies have these scores, the first side's first. `-` is none.
    fn ended(resign: &str, draw: &str, scores: &str) -> Option<(usize, ScoreEnd)> {
        let rules = ScoreRules { resign: resign.parse().ok(), draw: draw.parse().ok() };
        let mut watch = ScoreWatch::new(rules);
        for (at, score) in scores.split(' ').enumerate() {
            let thought = (score != "-").then(|| format!("info depth 1 score {}", score.replace('_', " ")));
            let seat = Seat::new(at % 2);
            watch.played(&Ply { seat, text: String::new(), points: 0, time: Duration::ZERO, thought });
            if let Some(end) = watch.end() {
                return Some((at + 1, end));
            }
        }
        None
    }

    #[test]
    fn an_engine_that_says_often_enough_that_it_is_lost_has_lost() {
        let rule = "score=600,moves=3".parse::<ResignWhen>().unwrap();
        let lost = |plies: usize, seat: Seat| Some((plies, ScoreEnd::Lost(seat, rule)));
        let ended = |scores: &str| ended("score=600,moves=3", "", scores);
        assert_eq!(ended("cp_-600 cp_0 cp_-700 cp_0 cp_-600 cp_0"), lost(5, Seat::FIRST));
        assert_eq!(ended("cp_0 cp_-600 cp_0 mate_-3 cp_0 cp_-601"), lost(6, Seat::SECOND));
        assert_eq!(ended("cp_-600 cp_0 cp_-599 cp_0 cp_-600 cp_0 cp_-600"), None);
        assert_eq!(ended("cp_-600 cp_0 - cp_0 cp_-600 cp_0 cp_-600"), None, "a move without a score");
        assert_eq!(ended("cp_-600 cp_-600 cp_-600 cp_-600 cp_-600"), lost(5, Seat::FIRST));
    }

    #[test]
    fn a_rule_for_two_sides_needs_the_other_side_too() {
        let rule = "score=500,moves=2,twosided".parse::<ResignWhen>().unwrap();
        let ended = |scores: &str| ended(&rule.to_string(), "", scores);
        assert_eq!(ended("cp_-500 cp_0 cp_-500 cp_499 cp_-500 cp_500 cp_-500 -"), None);
        let end = Some((6, ScoreEnd::Lost(Seat::FIRST, rule)));
        assert_eq!(ended("cp_-500 cp_0 cp_-500 cp_500 cp_-500 mate_4"), end);
        assert_eq!(ended("cp_-500 cp_-500 cp_-500 cp_-500"), None, "they do not agree");
    }

    #[test]
    fn a_draw_needs_both_sides_and_enough_moves() {
        let rule = "after=3,moves=2,score=10".parse::<DrawWhen>().unwrap();
        let ended = |scores: &str| ended("", &rule.to_string(), scores);
        let drawn = |plies: usize| Some((plies, ScoreEnd::Drawn(rule)));
        assert_eq!(ended("cp_0 cp_0 cp_0 cp_0 cp_0 cp_0"), drawn(6));
        assert_eq!(ended("cp_0 cp_0 cp_11 cp_0 cp_-10 cp_10 cp_0"), drawn(7));
        assert_eq!(ended("cp_0 - cp_0 - cp_0 cp_0 cp_0"), None);
    }

    #[test]
    fn a_win_goes_before_a_draw_and_without_rules_nothing_ends() {
        let resign = "score=10,moves=1".parse::<ResignWhen>().unwrap();
        let both = ended(&resign.to_string(), "after=1,moves=1,score=10", "cp_10 cp_-10");
        assert_eq!(both, Some((2, ScoreEnd::Lost(Seat::SECOND, resign))));
        assert_eq!(ended("", "", "mate_-1 mate_1 cp_0 cp_0"), None);
    }
}
