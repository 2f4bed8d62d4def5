//! How a game and its options are written in one text.

/// The options of the letter cube that have keys and flags of their own in agon 0.1.0.
pub const OF_LETTERS: [&str; 4] = ["size", "letters", "dictionary", "board"];

/// A value of an option, in quotation marks if it has a comma.
pub(super) fn quoted(value: &str) -> String {
    if value.contains(',') { format!("\"{value}\"") } else { value.to_owned() }
}

/// The options in a table `[game]` as one text: `letters:4x4x2,dictionary=words.txt`.
pub(super) fn one_text(name: &str, options: &[(String, String)]) -> String {
    let part = |(key, value): &(String, String)| match (name, key.as_str()) {
        (_, "options") | ("letters", "size" | "letters") => value.clone(),
        _ => format!("{key}={}", quoted(value)),
    };
    let parts: Vec<String> = options.iter().map(part).collect();
    if parts.is_empty() { name.to_owned() } else { format!("{name}:{}", parts.join(",")) }
}
