//! Work on many things, shared out to all cores.

use std::num::NonZeroUsize;
use std::sync::Mutex;

/// What each item becomes, in the order of the items. The work is done on all cores, and no item
/// waits for another one.
pub(super) fn each<T: Send, R: Send>(items: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get).min(items.len().max(1));
    let mut results: Vec<Option<R>> = items.iter().map(|_| None).collect();
    let places = Mutex::new(items.into_iter().zip(&mut results));
    let run = || {
        loop {
            let Some((item, place)) = places.lock().expect("no thread panicked").next() else { return };
            *place = Some(work(item));
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..cores {
            scope.spawn(run);
        }
        run();
    });
    drop(places);
    results.into_iter().map(|result| result.expect("each has its own")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_stand_in_the_order_of_the_items() {
        for items in [0, 1, 2, 1000] {
            let all = each((0..items).collect(), |number: u64| {
                // The first ones take longest.
                std::thread::sleep(std::time::Duration::from_micros(items.saturating_sub(number) / 10));
                2 * number
            });
            assert!(all.into_iter().eq((0..items).map(|number| 2 * number)));
        }
    }
}
