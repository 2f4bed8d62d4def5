//! Pairs of games that are chosen for what they tell about a question, until it is settled.
//!
//! Pair n follows from the results of pairs 1 to n - lag in the order of the plan, and from the
//! seed. So neither the time that games take nor an interruption changes it. It is drawn: a quarter
//! of the draws are even over all pairs. In the others an entrant is drawn by how much it is in
//! question, and its opponent from all others or from those in question. Fields are not transitive,
//! so nobody is placed by its games against neighbours alone. What is certain by the results is
//! computed in a way that no choice of pairs and no number of looks can deceive.

mod chooser;
mod draw;
mod estimates;
mod evidence;
mod foreseen;
mod pair_plan;
#[cfg(test)]
mod replayed;

pub use chooser::{PairChooser, PairResult, QuestionStand};
pub use foreseen::{ForeseenCost, USUAL_DEVIATION, foreseen};
pub use pair_plan::{ChosenPair, PairPlan, SeenGame};
