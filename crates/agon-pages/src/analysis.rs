//! What the moves of games did to the values of their positions, per game and per engine. The
//! values are those of `agon-solved`; a ply whose value is not known counts for nothing.

use std::collections::BTreeMap;

use agon_record::{GameRecord, Verdict};
use agon_seats::{PerSeat, Refusal, Seat};
use agon_solved::{Followed, MoveQuality, ReviewedMove, Valuation, Value};

/// A game to analyse.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlayedGame {
    /// Its name for people.
    pub id: String,
    /// The entrants by seat.
    pub entrants: PerSeat<String>,
    /// The moves, with or without their sides.
    pub moves: Vec<String>,
    /// The place of each seat; `None` if the result is not known.
    pub places: Option<PerSeat<u8>>,
}

impl PlayedGame {
    /// The game of a record, with the result that its moves made: a decision of the organiser does
    /// not change what was played.
    pub fn of(record: &GameRecord) -> Self {
        PlayedGame {
            id: record.id.to_string(),
            entrants: record.seats.map(|_, seat| seat.entrant.clone()),
            moves: record.plies.iter().map(|ply| ply.text.clone()).collect(),
            places: match record.played_verdict() {
                Verdict::Decided(decided) => Some(decided.places.clone()),
                Verdict::Void { .. } => None,
            },
        }
    }
}

/// A part of a game.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Phase {
    /// In morris, men come onto the board.
    Placing,
    /// In morris, men on the board move.
    Sliding,
    /// In other games, the first third of the plies of the game.
    First,
    /// The second third.
    Second,
    /// The last third.
    Last,
}

impl Phase {
    /// `placing`, `sliding`, `first third`, `second third` or `last third`.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Placing => "placing",
            Phase::Sliding => "sliding",
            Phase::First => "first third",
            Phase::Second => "second third",
            Phase::Last => "last third",
        }
    }

    /// The phase of a ply, counted from 0, in a game of so many.
    fn of(rules: &str, mv: &str, ply: usize, plies: usize) -> Self {
        if rules.starts_with("morris") {
            return if mv.contains('-') { Phase::Sliding } else { Phase::Placing };
        }
        match ply * 3 / plies.max(1) {
            0 => Phase::First,
            1 => Phase::Second,
            _ => Phase::Last,
        }
    }
}

/// One ply of a game that was analysed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AnalysedPly {
    /// Its number, from 1.
    pub number: usize,
    /// Its part of the game.
    pub phase: Phase,
    /// The move beside the other legal ones.
    pub review: ReviewedMove,
}

impl AnalysedPly {
    /// What the move did to the value of the game.
    pub fn quality(&self) -> MoveQuality {
        self.review.quality()
    }

    /// Whether it made a position that was not lost a lost one, for the side that moved.
    pub fn loses(&self) -> bool {
        let value = |valuation: Valuation| valuation.known().map(|known| known.value);
        value(self.review.played) == Some(Value::Lost)
            && value(self.review.before).is_some_and(|before| before != Value::Lost)
    }

    /// Whether the position had several legal moves, of which one alone kept its value.
    pub(crate) fn has_only_move(&self) -> bool {
        self.review.keeping == Some(1) && self.review.legal > 1
    }
}

/// `perfect`, `slip`, `blunder` or `unknown`.
pub fn quality_name(quality: MoveQuality) -> &'static str {
    match quality {
        MoveQuality::Perfect => "perfect",
        MoveQuality::Slip(_) => "slip",
        MoveQuality::Blunder => "blunder",
        MoveQuality::Unknown => "unknown",
    }
}

/// A game that was analysed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AnalysedGame {
    /// The game.
    pub game: PlayedGame,
    /// Its plies.
    pub plies: Vec<AnalysedPly>,
    /// The side that would move next, and the value of the last position for it.
    pub last: (Seat, Valuation),
}

/// A value that nobody has asked for.
const NOT_ASKED: Valuation = Valuation::Unknown { why: "no search was made" };

impl AnalysedGame {
    /// Analyses a game of these rules from its start on.
    ///
    /// # Errors
    /// The number of a ply from 1, and why the rules refuse it.
    pub fn new(rules: &str, game: PlayedGame, followed: &mut dyn Followed) -> Result<Self, (usize, Refusal)> {
        let total = game.moves.len();
        let mut plies = Vec::with_capacity(total);
        for (index, mv) in game.moves.iter().enumerate() {
            let review = followed.review(mv).map_err(|refusal| (index + 1, refusal))?;
            let phase = Phase::of(rules, &review.text, index, total);
            plies.push(AnalysedPly { number: index + 1, phase, review });
        }
        Ok(AnalysedGame { game, plies, last: (followed.mover(), followed.value()) })
    }

    /// As [`AnalysedGame::new`], where each value costs a search: from the start on, and from the
    /// end back, each as far as values are known. So no more than two searches are in vain.
    /// `follow` begins the game anew.
    ///
    /// # Errors
    /// As [`AnalysedGame::new`].
    pub(crate) fn from_both_ends(
        rules: &str,
        game: PlayedGame,
        follow: &dyn Fn() -> Result<Box<dyn Followed>, Refusal>,
    ) -> Result<Self, (usize, Refusal)> {
        let total = game.moves.len();
        let begun = |plies: usize| {
            let mut followed = follow().map_err(|refusal| (0, refusal))?;
            for (index, mv) in game.moves[..plies].iter().enumerate() {
                followed.play(mv).map_err(|refusal| (index + 1, refusal))?;
            }
            Ok(followed)
        };
        let at = |index: usize| move |refusal| (index + 1, refusal);
        let mut reviews = Vec::with_capacity(total);
        let mut from_start = begun(0)?;
        let mut first = 0;
        while first < total && from_start.value().known().is_some() {
            reviews.push(from_start.review(&game.moves[first]).map_err(at(first))?);
            first += 1;
        }
        // The others have at least their sides and their texts.
        for (index, mv) in game.moves.iter().enumerate().skip(first) {
            let (seat, text) = (from_start.mover(), mv.clone());
            from_start.play(mv).map_err(at(index))?;
            let (before, played) = (NOT_ASKED, NOT_ASKED);
            let (best, keeping, choices) = (None, None, Vec::new());
            reviews.push(ReviewedMove { text, seat, before, played, best, legal: 0, keeping, choices });
        }
        let last = (from_start.mover(), from_start.value());
        for index in (first..total).rev() {
            let mut followed = begun(index)?;
            if followed.value().known().is_none() {
                break;
            }
            reviews[index] = followed.review(&game.moves[index]).map_err(at(index))?;
        }
        let plies = (reviews.into_iter().enumerate())
            .map(|(index, review)| {
                let phase = Phase::of(rules, &review.text, index, total);
                AnalysedPly { number: index + 1, phase, review }
            })
            .collect();
        Ok(AnalysedGame { game, plies, last })
    }

    /// The value after each number of plies, from 0 on, for the side that moves then.
    pub fn values(&self) -> Vec<(Seat, Valuation)> {
        let before = self.plies.iter().map(|ply| (ply.review.seat, ply.review.before));
        before.chain([self.last]).collect()
    }

    /// The first ply of a seat that changed the value of the game.
    pub(crate) fn first_blunder_of(&self, seat: Seat) -> Option<&AnalysedPly> {
        self.plies.iter().find(|ply| ply.review.seat == seat && ply.quality() == MoveQuality::Blunder)
    }

    /// The seats that threw the game away, each with its first ply that changed the value. There is
    /// no such ply if the value was lost otherwise: by a fault, by the clock, or by a rule that
    /// counts plies.
    pub fn thrown_away(&self) -> Vec<(Seat, Option<&AnalysedPly>)> {
        let seats = (0..self.game.entrants.len()).map(Seat::new);
        let thrown = seats.filter(|seat| self.is_thrown_away_by(*seat));
        thrown.map(|seat| (seat, self.first_blunder_of(seat))).collect()
    }

    /// The first ply that lost the game for the side that made it, whether or not the other side
    /// gave it back later.
    pub fn first_losing(&self) -> Option<&AnalysedPly> {
        self.plies.iter().find(|ply| ply.loses())
    }

    /// The last ply that changed the value: behind it the value stayed what it was.
    pub fn last_blunder(&self) -> Option<&AnalysedPly> {
        self.plies.iter().rev().find(|ply| ply.quality() == MoveQuality::Blunder)
    }

    /// The best value that a seat had when it was to move; `None` if none is known.
    fn best_value(&self, seat: Seat) -> Option<Value> {
        let own = self.plies.iter().filter(|ply| ply.review.seat == seat);
        let values = own.filter_map(|ply| ply.review.before.known()).map(|known| known.value);
        values.max_by_key(|value| worth(*value))
    }

    /// The value of the result for a seat.
    fn result(&self, seat: Seat) -> Option<Value> {
        let places = self.game.places.as_ref()?;
        let shared = places.values().iter().all(|place| *place == 1);
        Some(match places[seat] {
            1 if shared => Value::Drawn,
            1 => Value::Won,
            _ => Value::Lost,
        })
    }

    /// Whether a seat has lost; not known of a void game.
    pub fn has_lost(&self, seat: Seat) -> bool {
        self.result(seat) == Some(Value::Lost)
    }

    /// Whether the result for a seat is worse than a value that it had when it was to move.
    pub fn is_thrown_away_by(&self, seat: Seat) -> bool {
        match (self.best_value(seat), self.result(seat)) {
            (Some(best), Some(result)) => worth(result) < worth(best),
            _ => false,
        }
    }
}

/// Larger for a better value.
fn worth(value: Value) -> u8 {
    match value {
        Value::Won => 2,
        Value::Drawn => 1,
        Value::Lost => 0,
    }
}

/// How many moves of known quality there were, and how many of them were perfect.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MoveCount {
    /// Moves of known quality.
    pub known: u64,
    /// The perfect ones.
    pub perfect: u64,
}

impl MoveCount {
    /// The share of perfect moves, from 0 to 1; `None` without a move of known quality.
    pub fn share(self) -> Option<f64> {
        (self.known > 0).then(|| self.perfect as f64 / self.known as f64)
    }

    fn add(&mut self, quality: MoveQuality) {
        self.known += u64::from(quality != MoveQuality::Unknown);
        self.perfect += u64::from(quality == MoveQuality::Perfect);
    }
}

/// What an engine did in its games.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EngineAnalysis {
    /// Its games.
    pub games: u64,
    /// Its moves.
    pub moves: u64,
    /// Its moves of known quality.
    pub all: MoveCount,
    /// The same for each phase.
    pub phases: BTreeMap<Phase, MoveCount>,
    /// Moves that made a win longer or a loss shorter.
    pub slips: u64,
    /// Moves that changed the value of the game.
    pub blunders: u64,
    /// Positions in which one move alone kept the value.
    pub only_moves: u64,
    /// In how many of them it played that move.
    pub only_found: u64,
    /// Games in which it had a won position when it was to move.
    pub winnable: u64,
    /// The games among these that it won.
    pub wins_found: u64,
    /// Games whose result is worse for it than a value that it had.
    pub thrown_away: u64,
}

impl EngineAnalysis {
    fn add(&mut self, game: &AnalysedGame, seat: Seat) {
        self.games += 1;
        for ply in game.plies.iter().filter(|ply| ply.review.seat == seat) {
            let quality = ply.quality();
            self.moves += 1;
            self.all.add(quality);
            self.phases.entry(ply.phase).or_default().add(quality);
            self.slips += u64::from(matches!(quality, MoveQuality::Slip(_)));
            self.blunders += u64::from(quality == MoveQuality::Blunder);
            self.only_moves += u64::from(ply.has_only_move());
            self.only_found += u64::from(ply.has_only_move() && ply.review.is_only());
        }
        if game.best_value(seat) == Some(Value::Won)
            && let Some(result) = game.result(seat)
        {
            self.winnable += 1;
            self.wins_found += u64::from(result == Value::Won);
        }
        self.thrown_away += u64::from(game.is_thrown_away_by(seat));
    }
}

/// The analyses of all engines, by name.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EngineAnalyses {
    /// Each engine.
    pub engines: BTreeMap<String, EngineAnalysis>,
}

impl EngineAnalyses {
    /// Adds a game to its engines.
    pub fn add(&mut self, game: &AnalysedGame) {
        for (seat, name) in game.game.entrants.iter() {
            self.engines.entry(name.clone()).or_default().add(game, seat);
        }
    }

    /// The phases that occur, in their order.
    pub fn phases(&self) -> Vec<Phase> {
        let mut all: Vec<Phase> =
            self.engines.values().flat_map(|engine| engine.phases.keys().copied()).collect();
        all.sort();
        all.dedup();
        all
    }
}

#[cfg(test)]
mod tests {
    use agon_games::Needs;
    use agon_solved::{Solver, SolverSettings};

    use super::*;

    fn analysed(spec: &str, moves: &str, places: [u8; 2]) -> AnalysedGame {
        let rules = agon_games::find(spec, &Needs::default()).unwrap();
        let solver = Solver::new(rules.as_ref(), SolverSettings::default());
        let game = PlayedGame {
            id: "one".to_owned(),
            entrants: PerSeat::two("first".to_owned(), "second".to_owned()),
            moves: moves.split_whitespace().map(str::to_owned).collect(),
            places: Some(PerSeat::two(places[0], places[1])),
        };
        let mut followed = solver.follow("startpos").unwrap();
        AnalysedGame::new(spec, game, followed.as_mut()).unwrap()
    }

    #[test]
    fn a_blunder_changes_the_value_and_is_found_with_a_better_move() {
        // After a1 only the centre holds the draw.
        let game = analysed("mnk:3x3,3", "a1 b1 b2 c3 a2 a3 c2", [1, 2]);
        let qualities: Vec<MoveQuality> = game.plies.iter().map(AnalysedPly::quality).collect();
        assert_eq!(qualities[..2], [MoveQuality::Perfect, MoveQuality::Blunder]);
        let losing = game.first_losing().unwrap();
        assert_eq!((losing.number, losing.review.best.as_deref()), (2, Some("O,b2")));
        assert!(losing.has_only_move() && !losing.review.is_only());
        assert_eq!(game.last_blunder().map(|ply| ply.number), Some(2));
        let mut all = EngineAnalyses::default();
        all.add(&game);
        let (first, second) = (&all.engines["first"], &all.engines["second"]);
        assert_eq!((first.winnable, first.wins_found, first.thrown_away, first.blunders), (1, 1, 0, 0));
        assert_eq!((second.winnable, second.thrown_away, second.blunders), (0, 1, 1));
        assert_eq!((second.only_moves, second.only_found), (1, 0), "b2; behind it every move loses");
    }

    #[test]
    fn a_won_game_that_is_not_won_is_thrown_away_and_a_longer_way_is_a_slip() {
        // The first player wins on 4x3; the value says in 7 from the start.
        let won = analysed("mnk:4x3,3", "b2", [2, 1]);
        let mut all = EngineAnalyses::default();
        all.add(&won);
        let first = &all.engines["first"];
        assert_eq!((first.winnable, first.wins_found, first.thrown_away), (1, 0, 1));
        let corner = analysed("mnk:4x3,3", "a1", [1, 2]);
        assert!(matches!(corner.plies[0].quality(), MoveQuality::Slip(_) | MoveQuality::Blunder));
    }

    #[test]
    fn a_win_that_is_thrown_to_a_draw_is_listed_with_its_move() {
        // O's answer beside the corner loses, and X gives it back with c3.
        let game = analysed("mnk:3x3,3", "a1 b1 c3", [1, 1]);
        let [(seat, Some(ply))] = game.thrown_away()[..] else { panic!("{game:?}") };
        assert_eq!((seat, ply.number, ply.loses()), (Seat::new(0), 3, false), "{game:?}");
        assert_eq!(ply.review.before.to_string(), "won in 5");
        // A side that forfeits a drawn game has no such move.
        let forfeited = analysed("mnk:3x3,3", "a1 b2", [2, 1]);
        assert_eq!(forfeited.thrown_away(), [(Seat::new(0), None)]);
    }

    #[test]
    fn from_both_ends_the_known_values_are_the_same() {
        let rules = agon_games::find("mnk:4x4,3", &Needs::default()).unwrap();
        let moves = "a1 d4 b1 c1 b2 b3 c2 a2 d1 d2 c3";
        let game = |spec: &str| analysed(spec, moves, [1, 1]);
        let whole = game("mnk:4x4,3");
        for most in [1, 30, 300, 1_000_000] {
            let settings = SolverSettings { most_positions: Some(most), ..SolverSettings::default() };
            let solver = Solver::new(rules.as_ref(), settings);
            let found =
                AnalysedGame::from_both_ends("mnk:4x4,3", whole.game.clone(), &|| solver.follow("startpos"));
            let found = found.unwrap();
            assert_eq!(found.plies.len(), whole.plies.len());
            for ((seat, value), (same, wanted)) in found.values().into_iter().zip(whole.values()) {
                assert!(seat == same && (value == wanted || value.known().is_none()), "{most}: {value}");
            }
        }
    }

    #[test]
    fn the_phases_of_morris_are_those_of_its_rules() {
        assert_eq!(Phase::of("morris", "X,a1", 30, 40), Phase::Placing);
        assert_eq!(Phase::of("morris:nine", "X,a1-a4", 1, 40), Phase::Sliding);
        let of = |ply| Phase::of("mnk:3x3,3", "X,a1", ply, 9);
        assert_eq!(
            [of(0), of(2), of(3), of(6), of(8)].map(Phase::name)[1..4],
            ["first third", "second third", "last third"]
        );
    }
}
