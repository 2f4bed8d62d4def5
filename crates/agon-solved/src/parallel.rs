//! Splits work over a few threads.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::Builder;

/// Less work than this stays on one thread: it is done before another one has started.
const SMALL: usize = 2048;

/// Runs the same work on so many threads, or as many of them as the system gives, and returns when
/// all are done. The thread that calls it is one of them.
pub(crate) fn on_each(threads: NonZeroUsize, run: impl Fn() + Sync) {
    std::thread::scope(|scope| {
        for _ in 1..threads.get() {
            if Builder::new().spawn_scoped(scope, &run).is_err() {
                break;
            }
        }
        run();
    });
}

/// Does both at the same time, or one after the other where the system gives no thread.
pub fn both<A: Send, B>(aside: impl FnOnce() -> A + Send, here: impl FnOnce() -> B) -> (A, B) {
    let aside = Mutex::new(Some(aside));
    let run = || {
        let aside = aside.lock().expect("no thread panicked").take();
        aside.map(|aside| aside())
    };
    std::thread::scope(|scope| {
        let thread = Builder::new().spawn_scoped(scope, run);
        let here = here();
        let aside = match thread {
            Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(_) => run(),
        };
        (aside.expect("it is done once"), here)
    })
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

/// What each item becomes, in the order of the items. The work is done on all cores, and no item
/// waits for another one.
pub fn each<T: Send, R: Send>(items: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let cores = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let threads = NonZeroUsize::new(items.len()).map_or(NonZeroUsize::MIN, |items| items.min(cores));
    let mut results: Vec<Option<R>> = items.iter().map(|_| None).collect();
    let places = Mutex::new(items.into_iter().zip(&mut results));
    on_each(threads, || {
        loop {
            let Some((item, place)) = places.lock().expect("no thread panicked").next() else { return };
            *place = Some(work(item));
        }
    });
    drop(places);
    results.into_iter().map(|result| result.expect("each item has its own place")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_stand_in_the_order_of_the_items() {
        for items in [0, 1, 2, 1000] {
            let all = each((0..items).collect(), |number: u64| {
                // The first ones take longest.
                std::thread::sleep(std::time::Duration::from_micros((items - number) / 10));
                2 * number
            });
            assert!(all.into_iter().eq((0..items).map(|number| 2 * number)));
        }
    }

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
