//! The door of the library: the values of a game, by its rules.

use std::any::Any;
use std::path::PathBuf;
use std::sync::Arc;

use agon_games::abalone::Abalone;
use agon_games::connect4::{ConnectFour, Grid};
use agon_games::letters::Letters;
use agon_games::mill::{Mill, MillCube};
use agon_games::mnk::Mnk;
use agon_games::morris::{Men, Morris};
use agon_games::{Game, Position, Rules};
use agon_seats::Refusal;

use crate::connect4::FourValues;
use crate::follow::{Followed, Following};
use crate::letters::LetterValues;
use crate::limit::SearchLimit;
use crate::mill::MillValues;
use crate::mnk::MnkValues;
use crate::morris::{Disagreement, MorrisValues};
use crate::proof::{self, ProofSearch, ProvedGame};
use crate::stored::{CellsDone, SolverSettings, Warning};
use crate::unsolved::Unsolved;
use crate::value::Valuation;
use crate::values::PositionValues;

/// Reads a position of one game.
type Read<P> = Box<dyn Fn(&str) -> Result<P, Refusal> + Send + Sync>;

/// The values of one game with its options.
///
/// Any number of threads may ask at once. A table is opened or made when it is needed first.
pub struct Solver {
    game: Box<dyn Solved>,
    morris: Option<Arc<MorrisValues>>,
}

/// What of a game can be solved, for people.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// Every position, from a table.
    Table,
    /// Some positions, from a table.
    Endgames,
    /// The positions that a search decides within its limit.
    Search,
    /// None.
    Nothing,
}

impl Solver {
    /// The values of the game with these rules.
    pub fn new(rules: &dyn Rules, settings: SolverSettings) -> Self {
        let seats = rules.seats();
        let any: &dyn Any = rules;
        let limit = SearchLimit { most: settings.most_positions, stop: settings.stop.clone() };
        if let Some(rules) = any.downcast_ref::<Morris>().copied() {
            let values = Arc::new(MorrisValues::new(rules, settings));
            let extent = if rules.men == Men::Six { Extent::Table } else { Extent::Endgames };
            let read = Box::new(move |text: &str| rules.position_from(text));
            return Solver { morris: Some(values.clone()), ..Solver::of(values, read, seats, extent) };
        }
        if let Some(rules) = any.downcast_ref::<Mnk>().copied() {
            let read = Box::new(move |text: &str| rules.read(text));
            let values = MnkValues::new(rules).within(limit);
            let extent = if values.is_known() { Extent::Search } else { Extent::Nothing };
            return Solver::of(Arc::new(values), read, seats, extent);
        }
        if any.is::<ConnectFour>() {
            let read = Box::new(|text: &str| text.parse::<Grid>());
            let values = FourValues::within(limit);
            return Solver::of(Arc::new(values), read, seats, Extent::Search);
        }
        if any.is::<Mill>() {
            let read = Box::new(|text: &str| text.parse::<MillCube>());
            let values = MillValues { limit };
            return Solver::of(Arc::new(values), read, seats, Extent::Search);
        }
        if let Some(rules) = any.downcast_ref::<Letters>().cloned() {
            let read = Box::new(move |text: &str| rules.position_from(text));
            return Solver::of(Arc::new(LetterValues), read, seats, Extent::Search);
        }
        if let Some(rules) = any.downcast_ref::<Abalone>().copied() {
            let read = Box::new(move |text: &str| rules.position_from(text));
            return Solver::of(Arc::new(Unsolved), read, seats, Extent::Nothing);
        }
        Solver { game: Box::new(Stranger), morris: None }
    }

    fn of<P: Position>(
        values: Arc<dyn PositionValues<P>>,
        read: Read<P>,
        seats: &'static [&'static str],
        extent: Extent,
    ) -> Self {
        Solver { game: Box::new(TypedGame { values, read, seats, extent }), morris: None }
    }

    /// The tables of morris.
    #[cfg(test)]
    pub(crate) fn morris(&self) -> &MorrisValues {
        self.morris.as_ref().expect("the game is morris")
    }

    /// What of the game can be solved.
    pub fn extent(&self) -> Extent {
        self.game.extent()
    }

    /// Follows a game from a position's one-line text, or from `startpos` in the games that have
    /// one start.
    ///
    /// The text holds no earlier positions, so repetitions are counted from here.
    ///
    /// # Errors
    /// [`Refusal::Unreadable`], with the place in the text and what is wrong there.
    pub fn follow(&self, text: &str) -> Result<Box<dyn Followed>, Refusal> {
        self.game.follow(text)
    }

    /// What a search proves of the moves of a game that begins at a position's one-line text. Of a
    /// game that this library does not know, nothing.
    ///
    /// # Errors
    /// The ply that cannot be played, from 1, and why; 0 if it is the position that cannot be read.
    pub fn proofs(
        &self,
        text: &str,
        moves: &[String],
        search: ProofSearch,
    ) -> Result<ProvedGame, (usize, Refusal)> {
        self.game.proofs(text, moves, search)
    }

    /// The value of a game's position for the side to move. See [`Solver::follow`] for the moves,
    /// and for many positions of one game.
    pub fn value(&self, game: &dyn Game) -> Valuation {
        let why = "the position of this game has no text";
        self.follow(&game.text()).map_or(Valuation::Unknown { why }, |followed| followed.value())
    }

    /// Opens the table of the game, or makes and stores it. Does nothing in games without one.
    pub fn prepare(&self) {
        self.game.prepare();
    }

    /// The file of the table, if the game has one and the settings have a directory.
    pub fn path(&self) -> Option<PathBuf> {
        self.morris.as_ref()?.stored().path()
    }

    /// The positions of the table, if the game has one. Positions that a symmetry of the board maps
    /// onto each other count once, and a few of them several times.
    pub fn cells(&self) -> Option<u64> {
        Some(self.morris.as_ref()?.stored().cells())
    }

    /// Compares each position of the table with its successors. Does nothing in games without a
    /// table.
    ///
    /// # Errors
    /// The first position that does not agree.
    pub fn verify(&self, tell: &(dyn Fn(CellsDone) + Sync)) -> Result<(), Disagreement> {
        match &self.morris {
            Some(morris) => morris.verify(&|done| tell(CellsDone { done, of: morris.stored().cells() })),
            None => Ok(()),
        }
    }

    /// How many positions of the table are won, drawn and lost, tier by tier. Makes the table if
    /// need be. Empty in games without a table.
    pub fn tiers(&self) -> Vec<TierCounts> {
        self.morris.as_ref().map_or_else(Vec::new, |morris| morris.tiers())
    }

    /// The warnings since the last call: files that were damaged or could not be written.
    pub fn take_warnings(&self) -> Vec<Warning> {
        self.game.take_warnings()
    }
}

pub use crate::morris::TierCounts;

/// A game whose positions have values, without its type.
trait Solved: Send + Sync {
    fn extent(&self) -> Extent;
    fn follow(&self, text: &str) -> Result<Box<dyn Followed>, Refusal>;
    fn proofs(
        &self,
        text: &str,
        moves: &[String],
        search: ProofSearch,
    ) -> Result<ProvedGame, (usize, Refusal)>;
    fn prepare(&self);
    fn take_warnings(&self) -> Vec<Warning>;
}

struct TypedGame<P> {
    values: Arc<dyn PositionValues<P>>,
    read: Read<P>,
    seats: &'static [&'static str],
    extent: Extent,
}

impl<P: Position> Solved for TypedGame<P> {
    fn extent(&self) -> Extent {
        self.extent
    }

    fn follow(&self, text: &str) -> Result<Box<dyn Followed>, Refusal> {
        Ok(Box::new(Following::new((self.read)(text)?, self.values.clone(), self.seats)))
    }

    fn proofs(
        &self,
        text: &str,
        moves: &[String],
        search: ProofSearch,
    ) -> Result<ProvedGame, (usize, Refusal)> {
        let position = (self.read)(text).map_err(|why| (0, why))?;
        proof::proved(position, self.seats, moves, search)
    }

    fn prepare(&self) {
        self.values.prepare();
    }

    fn take_warnings(&self) -> Vec<Warning> {
        self.values.take_warnings()
    }
}

/// A game that this library does not know.
struct Stranger;

impl Solved for Stranger {
    fn extent(&self) -> Extent {
        Extent::Nothing
    }

    fn follow(&self, _: &str) -> Result<Box<dyn Followed>, Refusal> {
        Err(Refusal::unreadable("there are no values of this game"))
    }

    fn proofs(&self, _: &str, _: &[String], _: ProofSearch) -> Result<ProvedGame, (usize, Refusal)> {
        Ok(ProvedGame::default())
    }

    fn prepare(&self) {}

    fn take_warnings(&self) -> Vec<Warning> {
        Vec::new()
    }
}
