//! The seeds of runs for which none was given.

/// A seed for a run that is given none. It has at most six digits, which a person can read out and
/// type.
pub(crate) fn of_this_moment() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(1, |since| u64::from(since.subsec_micros()))
}

/// A seed that an engine cannot find by trying: it would tell the cards. Below 2^53, so that it is
/// exact in every JSON reader.
pub fn secret() -> u64 {
    // The standard library takes the keys of its hashers from the operating system's random
    // numbers.
    std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), 0) >> 11
}
