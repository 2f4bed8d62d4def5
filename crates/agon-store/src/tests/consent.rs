//! What becomes history without a question, and what does not.

use super::*;

#[test]
fn games_become_history_without_consent_for_new_versions_alone() {
    let bench = Bench::new();
    let names = ["alpha", "bravo", "charlie"];
    let (mut store, _, plan) = bench.begin(&names, 4);
    // Nothing is lost where nothing was finished.
    drop(store);
    bench.try_begin(&["x", "y"], 4, 7, Consent::Versions).unwrap();
    (store, ..) = bench.begin(&names, 4);
    play(&mut store, &plan, &names);
    drop(store);
    let refused = |names: &[&str], games, seed, consent| {
        let error = bench.try_begin(names, games, seed, consent).err()?;
        let WouldBeHistory { games, reasons } = error.downcast().unwrap();
        assert_eq!(Store::read(bench.home.path()).unwrap().counts().unwrap(), (12, 0, 0));
        Some((games, reasons.join("; ")))
    };
    let refusal = |games: u64, why: &str| Some((games, why.to_owned()));
    let (versions, engines) = (Consent::Versions, Consent::Engines);
    let another = refusal(12, "the directory holds another tournament (it has none of your engines)");
    assert_eq!(refused(&["x", "y"], 4, 7, versions), another);
    assert_eq!(refused(&["x", "y"], 4, 7, engines), another);
    let all = refusal(12, "seed was 7 and is 8");
    assert_eq!(refused(&names, 4, 8, versions), all);
    assert_eq!(refused(&names, 4, 8, engines), all);
    let fewer = refusal(6, "there were 4 games in each pairing and are 2");
    assert_eq!(refused(&names, 2, 7, versions), fewer);
    assert_eq!(refused(&names, 2, 7, engines), fewer);
    let gone = refusal(8, "bravo is no longer among the engines");
    assert_eq!(refused(&["alpha", "charlie"], 4, 7, versions), gone);
    // More games, other versions and new engines at once; at night an engine may be gone, too.
    let (_, night, left) = bench.try_begin(&["alpha", "bravo*", "charlie"], 6, 7, versions).unwrap();
    assert_eq!((night.history, left.len()), (8, 2 + 12));
    bench.begin(&names, 4);
    let (_, night, left) = bench.try_begin(&["alpha", "charlie", "delta"], 4, 7, engines).unwrap();
    assert_eq!((night.history, left.len()), (8, 8));
    let (store, night, left) = bench.try_begin(&["x", "y"], 4, 7, Consent::Again).unwrap();
    assert_eq!((night.history, left.len(), store.counts().unwrap()), (4, 4, (0, 0, 12)));
}
