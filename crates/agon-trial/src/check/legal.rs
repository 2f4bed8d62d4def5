//! The legal answers that a referee program lists for a seat, by agreement in a line `legal ...`.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

/// The words of the last line in `told` that begins with `legal`; none if there is no such line.
pub fn listed(told: &str) -> Option<Vec<String>> {
    let line = told.lines().rfind(|line| line.split_ascii_whitespace().next() == Some("legal"))?;
    Some(line.split_ascii_whitespace().skip(1).map(str::to_owned).collect())
}

/// One of these, drawn by chance; none if there are none.
pub(super) fn one_of<'a, T>(items: &'a [T], random: &mut ChaCha8Rng) -> Option<&'a T> {
    let count = u64::try_from(items.len()).ok().filter(|count| *count > 0)?;
    items.get(usize::try_from(random.next_u64() % count).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::listed;

    #[test]
    fn the_last_line_that_begins_with_legal_lists_the_answers() {
        let words = |told| listed(told).map(|words| words.join(","));
        assert_eq!(words("legal a b\ncard 3\nlegal  c d\n2 pass\n"), Some("c,d".to_owned()));
        assert_eq!(words("legality a\n2 legal\n"), None);
    }
}
