//! Splits work over a few threads.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Less work than this stays on one thread: it is done before another one has started.
const SMALL: usize = 2048;

/// Runs the same work on so many threads, and returns when all are done.
pub(crate) fn on_each(threads: NonZeroUsize, run: impl Fn() + Sync) {
    std::thread::scope(|scope| {
        for _ in 1..threads.get() {
            scope.spawn(&run);
        }
        run();
    });
}

/// Calls `work` with ranges that together are `0..items`, on so many threads. The results come in
/// no fixed order.
pub(crate) fn split<T: Send>(
    threads: NonZeroUsize,
    items: usize,
    work: impl Fn(Range<usize>) -> T + Sync,
) -> Vec<T> {
    if threads.get() == 1 || items < SMALL {
        return vec![work(0..items)];
    }
    let size = (items / (threads.get() * 8)).max(SMALL / 4);
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    on_each(threads, || {
        loop {
            let start = next.fetch_add(size, Ordering::Relaxed);
            if start >= items {
                return;
            }
            let result = work(start..(start + size).min(items));
            results.lock().expect("no thread panicked").push(result);
        }
    });
    results.into_inner().expect("no thread panicked")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_comes_once_with_any_number_of_threads() {
        for threads in 1..4 {
            for items in [0, 1, SMALL - 1, SMALL, 10 * SMALL + 1] {
                let threads = NonZeroUsize::new(threads).unwrap();
                let mut all: Vec<usize> = split(threads, items, |range| range.collect::<Vec<_>>()).concat();
                all.sort_unstable();
                assert!(all.into_iter().eq(0..items));
            }
        }
    }
}
