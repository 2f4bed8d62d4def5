//! Every attack of `agon-stub --list` at every available isolation level: the verdict, whether the
//! attack works, and that nothing is left. `none` is the positive control: an attack that must be
//! blocked at another level has to work there, or the test proves nothing.
//!
//! `docs/attacks.md` is the table of the results. `scripts/attack-table` writes it; the test
//! compares. By default one attack of each kind is played at each level. `AGON_ATTACKS=full` plays
//! the whole table. `all` also plays the attacks by output, which are the same at all levels, at
//! each of them. `AGON_ATTACKS=MODE` plays this mode only.

#![allow(clippy::unwrap_used)] // helpers of tests may panic

mod build;
mod case;
mod doctor;
mod failing;
mod names;
mod runs;
mod spellings;
#[path = "../support/mod.rs"]
mod support;
mod table;
mod world;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use case::{Case, Observed, User};
use support::not_tried;
use table::{LEVELS, Mode};

/// One attack of each kind, by the letters of the table, and a second if a kind has two means.
const ONE_OF_EACH: [&str; 14] = [
    "honest",
    "illegal",
    "endless-output",
    "half-line-stall",
    "signal",
    "kill-parent",
    "daemon",
    "fork-bomb",
    "memory",
    "disk",
    "network",
    "look-around",
    "hang",
    "escape-codes",
];
/// Attacks on the processor and on the clocks are played with few others at the same time.
const LOUD: [&str; 21] = [
    "cores",
    "cpu-relay",
    "daemon",
    "daemon-holds-stdout",
    "fork-bomb",
    "hammer",
    "headless-memory",
    "hogs",
    "many-files",
    "memfd",
    "memory",
    "memory-family",
    "shared-memory",
    "sysv-memory",
    "ponder",
    "ponder-helper",
    "sleepers",
    "stop-parent",
    "threads",
    "wake-by-child",
    "zombies",
];
/// Attacks that use all processors are played alone.
const CROWDING: [&str; 3] = ["early-swarm", "swarm", "vfork-swarm"];
/// The number played at the same time: most of them wait for a clock.
const AT_ONCE: (usize, usize) = (6, 2);

/// The results, by mode and column of the table.
pub(crate) type Seen = BTreeMap<(String, String), Observed>;

/// Held by tests that run alone, or beside others of their kind.
static TURN: RwLock<()> = RwLock::new(());

/// Held by tests that must run alone, because of their clocks, or because they look at the machine.
pub(crate) fn alone() -> RwLockWriteGuard<'static, ()> {
    TURN.write().unwrap_or_else(PoisonError::into_inner) // another test has failed, which does not matter here
}

/// Held by tests that may run beside each other: they play a few games in boxes, and use little.
pub(crate) fn beside_others() -> RwLockReadGuard<'static, ()> {
    TURN.read().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn every_attack_at_every_level() {
    let _alone = alone();
    let modes = table::modes();
    let only = std::env::var("AGON_ATTACKS").ok();
    let before = world::Machine::now();
    let mut cases = Vec::new();
    for user in User::ALL.into_iter().filter(|user| user.can_be_had()) {
        for level in LEVELS {
            if let Err(why) = case::is_available(level, user) {
                not_tried!("{level} as {user}: {}", why.trim());
                assert!(level != "none" && level != "limits", "{level} is always available: {why}");
                continue;
            }
            let wanted = modes.iter().filter(|mode| match only.as_deref() {
                Some("all") => user == User::Root || level == "sandbox" || level == "none",
                Some("full") => is_worth_it(mode, level, user),
                Some(name) => name == mode.name,
                None => {
                    is_worth_it(mode, level, user)
                        && (user == User::Root || level == "sandbox")
                        && ONE_OF_EACH.contains(&mode.name.as_str())
                }
            });
            cases.extend(wanted.map(|mode| Case { mode: mode.clone(), level, user }));
        }
    }
    let mut seen = Seen::new();
    let failures = play_loud_and_quiet(cases, &mut seen);
    before.assert_nothing_is_left();
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
    table::compare_or_write(&modes, &seen);
    table::the_tests_it_names_are_there();
}

/// Attacks by output are the same at all levels, so they are tried at the lowest and the highest. A
/// plain user's other levels are like root's.
fn is_worth_it(mode: &Mode, level: &str, user: User) -> bool {
    let words = mode.attack.starts_with(['A', 'G', '-']) || mode.attack == "F06" || mode.attack == "F07";
    match user {
        User::Root => !words || level == "none" || level == "sandbox",
        User::Plain => !words && (level == "sandbox" || level == "none" && mode.blocked.is_some()),
    }
}

/// Plays cases, those that use much of the machine with few others at the same time. Returns the
/// failures.
pub(crate) fn play_loud_and_quiet(cases: Vec<Case>, seen: &mut Seen) -> Vec<String> {
    let (crowding, others): (Vec<Case>, Vec<Case>) =
        cases.into_iter().partition(|case| CROWDING.contains(&case.mode.name.as_str()));
    let (loud, quiet): (Vec<Case>, Vec<Case>) =
        others.into_iter().partition(|case| LOUD.contains(&case.mode.name.as_str()));
    let mut failures = Vec::new();
    for (cases, at_once) in [(quiet, AT_ONCE.0), (loud, AT_ONCE.1), (crowding, 1)] {
        play_all(&cases, at_once, seen, &mut failures);
    }
    failures
}

/// Plays these cases, `at_once` at the same time.
fn play_all(cases: &[Case], at_once: usize, seen: &mut Seen, failures: &mut Vec<String>) {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..at_once {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let result = catch_unwind(AssertUnwindSafe(|| case.play()));
                    results.lock().unwrap().push((case, result));
                }
            });
        }
    });
    for (case, result) in results.into_inner().unwrap() {
        match result {
            Ok(observed) => _ = seen.insert((case.mode.name.clone(), case.column()), observed),
            Err(panic) => {
                let text = panic.downcast_ref::<String>().cloned();
                let text = text.or_else(|| panic.downcast_ref::<&str>().map(|&text| text.to_owned()));
                failures.push(format!("* {case}: {}", text.unwrap_or_default()));
            }
        }
    }
}
