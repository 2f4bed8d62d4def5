//! A game followed move by move, with the values of its positions.

use std::sync::Arc;

use agon_diagram::SlotContent;
use agon_games::{Position, Status};
use agon_seats::{Refusal, Seat};

use crate::value::{RankedMove, Valuation, Value};
use crate::values::PositionValues;

/// What a played move did to the value of the game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MoveQuality {
    /// It keeps the value, and no move wins faster or loses more slowly.
    Perfect,
    /// It keeps the value, but makes a win so many plies longer or a loss so many shorter.
    Slip(u16),
    /// It changes the value.
    Blunder,
    /// A value or a remoteness that decides this is not known.
    Unknown,
}

/// A played move beside the other legal ones.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReviewedMove {
    /// The move, normalised, with its side.
    pub text: String,
    /// The side that made it.
    pub seat: Seat,
    /// The value of the position before it, for that side.
    pub before: Valuation,
    /// The value of the move, for that side, with this ply counted.
    pub played: Valuation,
    /// A best move. `None` if it is not known which one is best.
    pub best: Option<String>,
    /// The number of legal moves.
    pub legal: usize,
    /// How many of them keep the value of the position. `None` if that is not known.
    pub keeping: Option<usize>,
    /// The legal moves, best first, if they are asked for by [`Followed::list_choices`].
    pub choices: Vec<LegalChoice>,
}

/// A legal move with its value, and where a board shows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LegalChoice {
    /// The move and its value.
    pub ranked: RankedMove,
    /// The slots of the game's diagram from which and to which a piece goes. They are the same for
    /// a piece that enters. `None` if nothing moves, as in a pass.
    pub slots: Option<(usize, usize)>,
}

impl ReviewedMove {
    /// What the move did to the value of the game.
    pub fn quality(&self) -> MoveQuality {
        let (Some(before), Some(played)) = (self.before.known(), self.played.known()) else {
            return MoveQuality::Unknown;
        };
        if before.value != played.value {
            return MoveQuality::Blunder;
        }
        if before.value == Value::Drawn {
            return MoveQuality::Perfect;
        }
        match (before.remoteness.plies(), played.remoteness.plies()) {
            (Some(best), Some(plies)) if best == plies => MoveQuality::Perfect,
            (Some(best), Some(plies)) => MoveQuality::Slip(best.abs_diff(plies)),
            _ => MoveQuality::Unknown,
        }
    }

    /// Whether it was the only legal move of several that keeps the value.
    pub fn is_only(&self) -> bool {
        self.keeping == Some(1)
            && self.legal > 1
            && self.before.known().map(|before| before.value)
                == self.played.known().map(|played| played.value)
    }
}

/// One game that is followed by text. Refused moves change nothing.
pub trait Followed: Send {
    /// The position as one line.
    fn text(&self) -> String;

    /// The side to move, or the one that would be next.
    fn mover(&self) -> Seat;

    /// Whether the game is over.
    fn is_over(&self) -> bool;

    /// The value of the position for the side to move.
    fn value(&self) -> Valuation;

    /// The legal moves with their values, best first; equal ones in the order of the game.
    fn ranked(&mut self) -> Vec<RankedMove>;

    /// From now on, a reviewed move has all legal ones beside it.
    fn list_choices(&mut self);

    /// Plays a move, with or without its side.
    ///
    /// # Errors
    /// A [`Refusal`], if the move cannot be read or is not legal.
    fn play(&mut self, line: &str) -> Result<(), Refusal>;

    /// Plays a move, and compares it with the other legal ones.
    ///
    /// # Errors
    /// As [`Followed::play`].
    fn review(&mut self, line: &str) -> Result<ReviewedMove, Refusal>;

    /// Whether earlier positions or a count of plies could make the result of perfect play differ
    /// from the value. The value is that of the game without history.
    ///
    /// True if the value is not known. A value of which this is false may end a game.
    fn history_could_change(&self) -> bool;
}

/// A game of typed positions that is followed.
pub(crate) struct Following<P: Position> {
    position: P,
    values: Arc<dyn PositionValues<P>>,
    seats: &'static [&'static str],
    moves: Vec<P::Move>,
    valuations: Vec<Valuation>,
    lists_choices: bool,
}

impl<P: Position> Following<P> {
    pub(crate) fn new(
        position: P,
        values: Arc<dyn PositionValues<P>>,
        seats: &'static [&'static str],
    ) -> Self {
        Following { position, values, seats, moves: Vec::new(), valuations: Vec::new(), lists_choices: false }
    }

    fn parse(&self, line: &str) -> Result<P::Move, Refusal> {
        let mover = self.seats[self.mover().index()];
        let named = line
            .split_once(',')
            .filter(|(side, _)| self.seats.iter().any(|name| name.eq_ignore_ascii_case(side)));
        match named {
            None => self.position.parse(line),
            Some((side, text)) if side.eq_ignore_ascii_case(mover) => self.position.parse(text),
            Some((side, _)) => Err(Refusal::illegal(format!(
                "it is {mover}'s turn, and the move is for {}",
                side.to_ascii_uppercase()
            ))),
        }
    }

    /// Lists the legal moves and their values.
    fn look(&mut self) {
        self.position.moves(&mut self.moves);
        self.values.of_moves(&self.position, &self.moves, &mut self.valuations);
    }

    fn told(&self, mv: P::Move) -> String {
        format!("{},{mv}", self.seats[self.mover().index()])
    }

    /// The moves that were looked at, best first; equal ones in the order of the game.
    fn choices(&self) -> Vec<LegalChoice> {
        let contents = self.position.contents();
        let one = |(mv, valuation): (&P::Move, &Valuation)| {
            let frame = self.position.frame(*mv);
            let is_taken = |slot: &usize| contents.get(*slot).is_some_and(|own| *own != SlotContent::Empty);
            let slide = frame.slides.into_iter().find(|(from, _)| is_taken(from));
            let slots = slide.or_else(|| frame.marks.first().map(|slot| (*slot, *slot)));
            LegalChoice { ranked: RankedMove { text: self.told(*mv), valuation: *valuation }, slots }
        };
        let mut choices: Vec<LegalChoice> = self.moves.iter().zip(&self.valuations).map(one).collect();
        choices.sort_by(|one, other| other.ranked.valuation.quality(one.ranked.valuation));
        choices
    }
}

impl<P: Position> Followed for Following<P> {
    fn text(&self) -> String {
        self.position.text()
    }

    fn mover(&self) -> Seat {
        self.values.mover(&self.position)
    }

    fn is_over(&self) -> bool {
        matches!(self.position.status(), Status::Over(_))
    }

    fn value(&self) -> Valuation {
        self.values.of_any(&self.position)
    }

    fn ranked(&mut self) -> Vec<RankedMove> {
        self.look();
        let moves = self.moves.iter().zip(&self.valuations);
        let mut ranked: Vec<RankedMove> =
            moves.map(|(mv, valuation)| RankedMove { text: self.told(*mv), valuation: *valuation }).collect();
        ranked.sort_by(|one, other| other.valuation.quality(one.valuation));
        ranked
    }

    fn list_choices(&mut self) {
        self.lists_choices = true;
    }

    fn play(&mut self, line: &str) -> Result<(), Refusal> {
        let mv = self.parse(line)?;
        self.position.play(mv);
        Ok(())
    }

    fn review(&mut self, line: &str) -> Result<ReviewedMove, Refusal> {
        let mv = self.parse(line)?;
        self.look();
        let before = self.value();
        let values = || self.moves.iter().zip(&self.valuations);
        let played = values().find(|(other, _)| **other == mv).map(|(_, value)| *value);
        let best = before.known().and_then(|_| values().find(|(_, value)| **value == before));
        let all_known = self.valuations.iter().all(|value| value.known().is_some());
        let keeps = |value: &&Valuation| {
            value.known().map(|value| value.value) == before.known().map(|before| before.value)
        };
        let reviewed = ReviewedMove {
            text: self.told(mv),
            seat: self.mover(),
            before,
            played: played.unwrap_or(Valuation::Unknown { why: "the game lists no such move" }),
            best: best.map(|(best, _)| self.told(*best)),
            legal: self.moves.len(),
            keeping: all_known.then(|| self.valuations.iter().filter(keeps).count()),
            choices: if self.lists_choices { self.choices() } else { Vec::new() },
        };
        self.position.play(mv);
        Ok(reviewed)
    }

    fn history_could_change(&self) -> bool {
        match self.value().known() {
            Some(solution) => self.values.history_could_change(&self.position, solution),
            None => true,
        }
    }
}
