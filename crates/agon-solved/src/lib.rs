//! Exact values of positions in the games of agon: won, drawn or lost, and in how many plies.
//!
//! [`Solver`] is made from the rules of a game and answers for its positions; [`Followed`] is one
//! game, move by move. An answer is proven or "unknown", never a guess. The library writes to no
//! terminal; it reads and writes table files in a directory that the caller names, and returns
//! warnings as data.

pub mod value;

// Tables, and their files.
mod file;
pub mod parallel;
mod stored;

// Searches.
mod limit;
mod lines;
mod proof;
mod transposition;

// What a game offers, and a game that is followed.
mod follow;
mod values;

// One module per game or kind of game.
mod connect4;
mod letters;
mod mill;
mod mnk;
mod morris;
mod unsolved;

mod solver;

#[cfg(test)]
mod naive;
#[cfg(test)]
mod worked;

pub use connect4::{BookDepth, connect_four_book};
pub use file::Damage;
pub use follow::{Followed, LegalChoice, MoveQuality, ReviewedMove};
pub use limit::Stop;
pub use morris::Disagreement;
pub use proof::{AllowedLoss, ProofSearch, ProvedGame, ProvedMove};
pub use solver::{Extent, Solver, TierCounts};
pub use stored::{CellsDone, SolverSettings, TableNews, Tell, Warning};
pub use value::{RankedMove, Remoteness, Solution, Valuation, Value};
