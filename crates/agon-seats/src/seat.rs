//! The seats of a game, and one value for each of them.

use std::ops::{Index, IndexMut};

use serde::{Deserialize, Serialize};

/// One seat of a game, numbered from 0 in order of play.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seat(u8);

impl Seat {
    /// The seat that moves first.
    pub const FIRST: Seat = Seat(0);
    /// The seat that moves second.
    pub const SECOND: Seat = Seat(1);

    /// The seat with this place in the order of play.
    pub fn new(index: usize) -> Self {
        Seat(u8::try_from(index).expect("a game has at most 256 seats"))
    }

    /// Its place in the order of play, from 0.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// The opponent. Only for games of two seats.
    #[must_use]
    pub fn other(self) -> Self {
        Seat(self.0 ^ 1)
    }
}

/// One `T` for each seat of a game, indexed by [`Seat`] alone.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PerSeat<T>(Vec<T>);

impl<T> PerSeat<T> {
    /// Makes one value for each of `seats` seats.
    pub fn from_fn(seats: usize, mut make: impl FnMut(Seat) -> T) -> Self {
        PerSeat((0..seats).map(|i| make(Seat::new(i))).collect())
    }

    /// A value for each of two seats.
    pub fn two(first: T, second: T) -> Self {
        PerSeat(vec![first, second])
    }

    /// How many seats there are.
    #[allow(clippy::len_without_is_empty)] // a game without seats does not exist
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The seats in order of play.
    pub fn seats(&self) -> impl DoubleEndedIterator<Item = Seat> + use<T> {
        (0..self.0.len()).map(Seat::new)
    }

    /// Each seat with its value, in order of play.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (Seat, &T)> {
        self.0.iter().enumerate().map(|(i, value)| (Seat::new(i), value))
    }

    /// Each seat with a mutable reference to its value, in order of play.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (Seat, &mut T)> {
        self.0.iter_mut().enumerate().map(|(i, value)| (Seat::new(i), value))
    }

    /// The values in order of play.
    pub fn values(&self) -> &[T] {
        &self.0
    }

    /// The values in order of play, moved out.
    pub fn into_values(self) -> Vec<T> {
        self.0
    }

    /// A new value for each seat, computed from the old one.
    pub fn map<U>(&self, mut f: impl FnMut(Seat, &T) -> U) -> PerSeat<U> {
        PerSeat(self.iter().map(|(seat, value)| f(seat, value)).collect())
    }
}

impl<T> From<Vec<T>> for PerSeat<T> {
    fn from(values: Vec<T>) -> Self {
        PerSeat(values)
    }
}

impl<T> Index<Seat> for PerSeat<T> {
    type Output = T;
    fn index(&self, seat: Seat) -> &T {
        &self.0[seat.index()]
    }
}

impl<T> IndexMut<Seat> for PerSeat<T> {
    fn index_mut(&mut self, seat: Seat) -> &mut T {
        &mut self.0[seat.index()]
    }
}
