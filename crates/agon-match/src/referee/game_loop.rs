//! The loop of a game: the players are asked in turn, the rules judge each move, and all players
//! are told of it.
//!
//! The loop knows neither processes nor terminals. A match, `check` and `play` differ in their
//! [`Players`] alone.

use std::time::Duration;

use agon_games::{Game, Outcome, Rules, Status};
use agon_record::Ply;
use agon_seats::{Clock, PerSeat, Refusal, Seat};

use super::adjudication::{FollowedGame, KnownEnd, has_begun};
use super::by_scores::{ScoreEnd, ScoreWatch};
use crate::processes::Trouble;

/// A line that a player gives as its move. The rules have not judged it yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OfferedMove {
    /// The move with its side letter, or what the player takes for one.
    pub line: Vec<u8>,
    /// From the question to the answer.
    pub time: Duration,
    /// The last thing an engine said of its thinking.
    pub thought: Option<String>,
}

/// The players of a game: engines, a person, or the harness itself.
pub trait Players {
    /// Why the players may break the game off.
    type Leave;

    /// The move of the seat to move.
    ///
    /// # Errors
    /// Why there is none: [`GameEnd::Trouble`] or [`GameEnd::Left`].
    fn ask(
        &mut self,
        seat: Seat,
        game: &dyn Game,
        clocks: &PerSeat<Clock>,
    ) -> Result<OfferedMove, GameEnd<Self::Leave>>;

    /// A move was made. All players are told of it, its own player too.
    fn played(&mut self, ply: &Ply);
}

/// Why a game goes on no longer.
pub enum GameEnd<L> {
    /// It is over by its rules.
    Over(Outcome),
    /// As many plies were played as are allowed.
    PlyLimit,
    /// Its winner is known.
    Known(KnownEnd),
    /// The scores of the engines end it.
    Scores(ScoreEnd),
    /// This seat gave it up.
    Resigned(Seat),
    /// The rules refused a move.
    Refused {
        /// Whose move.
        seat: Seat,
        /// The line as the player gave it.
        line: Vec<u8>,
        /// Why it was refused.
        refusal: Refusal,
    },
    /// An engine is at fault, the harness is, or the run is to stop.
    Trouble(Trouble),
    /// The players broke it off.
    Left(L),
}

/// A game as it stands.
pub struct GameInProgress<'a> {
    /// Its rules.
    pub rules: &'a dyn Rules,
    /// The position.
    pub game: Box<dyn Game>,
    /// The clock of each seat.
    pub clocks: PerSeat<Clock>,
    /// The moves so far.
    pub plies: Vec<Ply>,
    /// After so many plies it ends.
    pub max_plies: Option<usize>,
    /// Its values, if it ends when its winner is known.
    pub followed: Option<FollowedGame>,
    /// The scores that the players have given.
    pub scores: ScoreWatch,
}

impl<'a> GameInProgress<'a> {
    /// A game before its first move, which its rules alone end.
    pub fn new(rules: &'a dyn Rules, game: Box<dyn Game>, clocks: PerSeat<Clock>) -> Self {
        let (plies, scores) = (Vec::new(), ScoreWatch::default());
        GameInProgress { rules, game, clocks, plies, max_plies: None, followed: None, scores }
    }

    /// Plays until there is a reason not to go on. The steps stand in the order in which things
    /// happen.
    pub fn play_on<P: Players>(&mut self, players: &mut P) -> GameEnd<P::Leave> {
        loop {
            let seat = match self.game.status() {
                Status::Over(outcome) => return GameEnd::Over(outcome),
                Status::ToMove(seat) => seat,
            };
            if self.max_plies.is_some_and(|most| self.plies.len() >= most) {
                return GameEnd::PlyLimit;
            }
            let left = self.max_plies.map(|most| most - self.plies.len());
            if let Some(followed) = self.followed.as_ref().filter(|_| has_begun(self.plies.len()))
                && let Some(end) = followed.end(left)
            {
                return GameEnd::Known(end);
            }
            if let Some(end) = self.scores.end() {
                return GameEnd::Scores(end);
            }
            let OfferedMove { line, time, thought } =
                match players.ask(seat, self.game.as_ref(), &self.clocks) {
                    Ok(offered) => offered,
                    Err(ending) => return ending,
                };
            if resigns(&line, self.rules.seats()[seat.index()]) {
                return GameEnd::Resigned(seat);
            }
            let played = match self.game.play(&line) {
                Ok(played) => played,
                Err(refusal) => return GameEnd::Refused { seat, line, refusal },
            };
            self.clocks[seat].spend(time, None);
            if let Some(followed) = &mut self.followed {
                followed.played(&played.text);
            }
            self.plies.push(Ply { seat, text: played.text, points: played.points, time, thought });
            let ply = self.plies.last().expect("one was just put there");
            self.scores.played(ply);
            players.played(ply);
        }
    }
}

/// Whether a line gives the game up: `B,R` in every game, because no game has a move of that name.
fn resigns(line: &[u8], side: &str) -> bool {
    let Some((own, rest)) = line.split_at_checked(side.len()) else { return false };
    own.eq_ignore_ascii_case(side.as_bytes()) && rest.eq_ignore_ascii_case(b",R")
}
