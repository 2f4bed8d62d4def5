//! The test of `agon match --sprt` without a value.

use std::ffi::OsString;

/// The test, as `--sprt` reads it.
pub(super) const USUAL_TEST: &str = "0,50";

/// The words of a command line, with the usual test behind a `--sprt` that another option follows.
/// A value may begin with a hyphen, as in `--sprt -5,5`, so the option itself would take that one.
pub(crate) fn with_usual_test(words: impl Iterator<Item = OsString>) -> impl Iterator<Item = OsString> {
    let mut words = words.peekable();
    std::iter::from_fn(move || {
        let word = words.next()?;
        let is_option = |next: &OsString| {
            let next = next.as_encoded_bytes();
            next.starts_with(b"-") && !next.get(1).is_some_and(|byte| byte.is_ascii_digit() || *byte == b'.')
        };
        let lacks_value = word == "--sprt" && words.peek().is_some_and(is_option);
        Some(if lacks_value { format!("--sprt={USUAL_TEST}").into() } else { word })
    })
}
