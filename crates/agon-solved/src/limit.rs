//! When a search gives up: after so many positions, or when its caller says stop.

use std::cell::Cell;
use std::sync::Arc;

/// Asked now and then during a search, from any thread. The search ends without a value once it
/// returns true.
pub type Stop = Arc<dyn Fn() -> bool + Send + Sync>;

/// The positions between two questions whether to stop: less than a millisecond.
const BETWEEN: u64 = 256;

/// A search gave up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct GaveUp;

/// The limits of all searches of one solver.
#[derive(Clone, Default)]
pub(crate) struct SearchLimit {
    /// The most positions of one search, if that is to be fewer than usual.
    pub(crate) most: Option<u64>,
    /// Ends searches early.
    pub(crate) stop: Option<Stop>,
}

impl SearchLimit {
    /// One search, which looks at `usual` positions at most.
    pub(crate) fn begin(&self, usual: u64) -> PositionsLeft<'_> {
        let left = self.most.map_or(usual, |most| most.min(usual));
        PositionsLeft { left: Cell::new(left), until_asked: Cell::new(0), stop: self.stop.as_ref() }
    }
}

/// What one search may still look at.
pub(crate) struct PositionsLeft<'a> {
    left: Cell<u64>,
    until_asked: Cell<u64>,
    stop: Option<&'a Stop>,
}

impl PositionsLeft<'_> {
    /// Counts one position.
    ///
    /// # Errors
    /// [`GaveUp`], if none is left, or the search is to stop.
    #[inline]
    pub(crate) fn count(&self) -> Result<(), GaveUp> {
        self.left.set(self.left.get().checked_sub(1).ok_or(GaveUp)?);
        match self.until_asked.get().checked_sub(1) {
            Some(fewer) => self.until_asked.set(fewer),
            None if self.stop.is_some_and(|stop| stop()) => return Err(GaveUp),
            None => self.until_asked.set(BETWEEN),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

    use super::*;

    #[test]
    fn a_search_gives_up_after_its_positions_or_soon_after_it_is_stopped() {
        let limit = SearchLimit { most: Some(1000), stop: None };
        let counted = |left: &PositionsLeft<'_>| (0..).take_while(|_| left.count().is_ok()).count();
        assert_eq!((counted(&limit.begin(u64::MAX)), counted(&limit.begin(10))), (1000, 10));
        let stopped = Arc::new(AtomicBool::new(false));
        let asked = stopped.clone();
        let limit = SearchLimit { most: None, stop: Some(Arc::new(move || asked.load(Relaxed))) };
        let left = limit.begin(u64::MAX);
        assert!((0..10_000).all(|_| left.count().is_ok()));
        stopped.store(true, Relaxed);
        assert!(counted(&left) as u64 <= BETWEEN);
        assert_eq!(counted(&limit.begin(u64::MAX)), 0, "the next search does not begin");
    }
}
