//! The terms on which engines play.

use std::time::Duration;

use agon_config::Confinement;
use agon_seats::SearchLimits;

/// What all games of a run grant each engine, besides its time control.
#[derive(Clone, Debug)]
pub struct GameTerms {
    /// How late an answer may be.
    pub margin: Duration,
    /// Extra time for each seat in each game, for moves that take longer than they should.
    pub bank: Duration,
    /// How long an engine may take to start.
    pub startup: Duration,
    /// How far engines may search for a move.
    pub search: SearchLimits,
    /// How engines are confined, and what they may use.
    pub confinement: Confinement,
}
