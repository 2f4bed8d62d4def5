//! Aliases: names that do not identify their owners, drawn from a secret and the seed.

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

const FIRST: [&str; 32] = [
    "amber", "azure", "brisk", "calm", "coral", "crisp", "dusky", "early", "fleet", "gentle", "golden",
    "grey", "hazel", "ivory", "jade", "keen", "late", "lunar", "mild", "misty", "noble", "olive", "pale",
    "plain", "quick", "quiet", "rapid", "ruby", "silver", "steady", "tidal", "vivid",
];
const SECOND: [&str; 32] = [
    "adder", "badger", "bison", "crane", "curlew", "dingo", "dove", "eagle", "egret", "falcon", "finch",
    "gecko", "heron", "ibis", "jackal", "kestrel", "lark", "lynx", "marten", "newt", "otter", "owl", "panda",
    "plover", "quail", "raven", "robin", "stork", "swift", "tapir", "vole", "wren",
];

/// The second source of aliases besides the seed: nobody can draw them again without it.
pub(super) type Secret = [u8; 32];

/// An alias for each id, all different and none of those taken. The same secret, seed and ids give
/// the same aliases, in any order of the ids.
pub(super) fn draw(ids: &[String], taken: &[String], seed: u64, secret: Secret) -> Vec<String> {
    let mut random = ChaCha20Rng::from_seed(secret);
    random.set_stream(seed);
    let mut sorted: Vec<&String> = ids.iter().collect();
    sorted.sort();
    let mut drawn: Vec<(&String, String)> = Vec::new();
    for id in sorted {
        let alias = (1..)
            .map(|attempt: u32| {
                let lot = random.next_u64();
                let word = |list: [&'static str; 32], shift: u32| list[(lot >> shift) as usize % list.len()];
                // With more entrants than pairs of words, a number is added.
                let number = if attempt > 200 { format!("-{attempt}") } else { String::new() };
                format!("{}-{}{number}", word(FIRST, 8), word(SECOND, 24))
            })
            .find(|alias| !taken.contains(alias) && !drawn.iter().any(|(_, other)| other == alias));
        drawn.push((id, alias.expect("numbers never end")));
    }
    let of = |id: &String| drawn.iter().find(|(other, _)| *other == id).map(|(_, alias)| alias.clone());
    ids.iter().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_differ_hang_on_the_seed_and_not_on_the_order() {
        let mut ids: Vec<String> = (0..1500).map(|id| id.to_string()).collect();
        let first = draw(&ids, &[], 7, [1; 32]);
        let distinct: std::collections::HashSet<&String> = first.iter().collect();
        assert_eq!(distinct.len(), 1500);
        let of = |seed, secret| draw(&ids[..20], &[], seed, [secret; 32]);
        assert_ne!(of(8, 1), of(7, 1));
        assert_ne!(of(7, 2), of(7, 1), "the seed is public, and the secret is not");
        ids.reverse();
        let mut again = draw(&ids, &[], 7, [1; 32]);
        again.reverse();
        assert_eq!(again, first);
        assert!(!draw(&ids, &first[..5], 7, [1; 32]).iter().any(|alias| first[..5].contains(alias)));
    }
}
