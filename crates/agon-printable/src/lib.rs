//! Untrusted bytes, made safe to show on a terminal, in a log and in a message.
//!
//! Output of engines, file names and contents of files may hold escape sequences, bidi overrides
//! and bytes that are not text. Each goes through [`escape`] once, where it comes in.

use std::fmt::{Display, Write};

/// The bytes as one printable line, cut to `most` characters of output with a note about the rest.
///
/// Printable text is unchanged. A backslash, control characters (C0, C1), zero-width characters,
/// bidi controls and bytes that are not UTF-8 become `\\`, `\t`, `\n`, `\r`, `\xNN` or `\u{NNNN}`.
pub fn escape(bytes: &[u8], most: usize) -> String {
    match escape_part(bytes, most) {
        (shown, 0) => shown,
        (shown, left) => shown + &rest(left),
    }
}

/// The note about bytes that are not shown.
pub fn rest(left: usize) -> String {
    format!("[... {left} more bytes]")
}

/// Whether [`escape`] has cut a text, as far as the text tells.
pub fn is_cut(text: &str) -> bool {
    text.ends_with(" more bytes]")
}

/// As [`escape`], with the number of bytes that are not shown in place of the note about them.
pub fn escape_part(bytes: &[u8], most: usize) -> (String, usize) {
    // True of nearly every text.
    if bytes.len() <= most && bytes.iter().all(|byte| (b' '..=b'~').contains(byte) && *byte != b'\\') {
        return (str::from_utf8(bytes).expect("printable ASCII is UTF-8").to_owned(), 0);
    }
    let mut out = String::with_capacity(bytes.len().min(most));
    let mut shown = 0;
    let mut used = 0;
    for chunk in bytes.utf8_chunks() {
        for letter in chunk.valid().chars() {
            let whole = out.len();
            let _ = write!(out, "{}", Escaped(letter)); // writing to a String cannot fail
            used += out[whole..].chars().count();
            if used > most {
                out.truncate(whole);
                return (out, bytes.len() - shown);
            }
            shown += letter.len_utf8();
        }
        for byte in chunk.invalid() {
            used += 4;
            if used > most {
                return (out, bytes.len() - shown);
            }
            let _ = write!(out, "\\x{byte:02x}"); // writing to a String cannot fail
            shown += 1;
        }
    }
    (out, 0)
}

/// A number with its noun: `1 game`, `2 games`, `3 plies`.
pub fn counted<N: Copy + Display + PartialEq + From<u8>>(number: N, noun: &str) -> String {
    if number == N::from(1) {
        return format!("1 {noun}");
    }
    let takes_es = ["s", "x", "ch", "sh"].iter().any(|end| noun.ends_with(end));
    match noun.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u'])) {
        Some(stem) => format!("{number} {stem}ies"),
        None if takes_es => format!("{number} {noun}es"),
        None => format!("{number} {noun}s"),
    }
}

/// `is` of one, and `are` of more or none.
pub fn are<N: Copy + PartialEq + From<u8>>(number: N) -> &'static str {
    if number == N::from(1) { "is" } else { "are" }
}

/// Untrusted text for a message: in quotes, escaped, and cut after 40 characters.
pub fn quoted(text: &str) -> String {
    format!("\"{}\"", escape(text.as_bytes(), 40))
}

/// Makes text that was escaped before safe once more, where it goes out.
///
/// The output of [`escape`] is unchanged, because backslashes are. A control character is escaped,
/// as it may come from a file that somebody has edited.
pub fn clean(text: &str) -> String {
    let pieces: Vec<String> = text.split('\\').map(|piece| escape(piece.as_bytes(), usize::MAX)).collect();
    pieces.join("\\")
}

/// Several lines of a message that quotes a file, each treated as by [`clean`], without the newline
/// at the end.
pub fn clean_lines(text: &str) -> String {
    text.trim_end().lines().map(clean).collect::<Vec<_>>().join("\n")
}

/// Reverses [`escape`] for bytes that were not cut, and `\\"`.
///
/// # Errors
/// The text that is not an escape sequence.
pub fn unescape(text: &str) -> Result<Vec<u8>, String> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.extend_from_slice(&rest.as_bytes()[..at]);
        let behind = &rest[at + 1..];
        let length = escape_sequence(behind, &mut out).ok_or_else(|| {
            format!("{:?} is not an escape sequence", behind.chars().take(4).collect::<String>())
        })?;
        rest = &behind[length..];
    }
    out.extend_from_slice(rest.as_bytes());
    Ok(out)
}

/// Reads an escape sequence after its backslash, and returns its length.
fn escape_sequence(text: &str, out: &mut Vec<u8>) -> Option<usize> {
    match text.chars().next()? {
        mark @ ('\\' | '"') => out.push(u8::try_from(mark).ok()?),
        't' => out.push(b'\t'),
        'n' => out.push(b'\n'),
        'r' => out.push(b'\r'),
        'x' => {
            out.push(u8::from_str_radix(text.get(1..3)?, 16).ok()?);
            return Some(3);
        }
        'u' => {
            let end = text.find('}')?;
            let letter = char::from_u32(u32::from_str_radix(text.get(2..end)?, 16).ok()?)?;
            out.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
            return Some(end + 1);
        }
        _ => return None,
    }
    Some(1)
}

/// A text of several lines, made safe to show: newlines and tabs are unchanged, the rest is treated
/// as by [`clean`]. The carriage return of a Windows line end is removed.
pub fn harmless(bytes: &[u8]) -> String {
    let plain = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t');
    if bytes.iter().all(plain) {
        return str::from_utf8(bytes).expect("printable ASCII is UTF-8").to_owned();
    }
    let line = |line: &[u8]| {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let pieces = line.split_inclusive(|byte| matches!(byte, b'\t' | b'\\'));
        let piece = |piece: &[u8]| match piece.split_last() {
            Some((last @ (b'\t' | b'\\'), rest)) => {
                escape(rest, usize::MAX) + char::from(*last).encode_utf8(&mut [0; 4])
            }
            _ => escape(piece, usize::MAX),
        };
        pieces.map(piece).collect::<String>()
    };
    bytes.split(|byte| *byte == b'\n').map(line).collect::<Vec<_>>().join("\n")
}

/// JSON, made safe to show: characters with an effect on terminals are escaped in the way of JSON.
pub fn harmless_json(text: String) -> String {
    let is_bad = |letter: char| letter != '\n' && (letter.is_control() || is_invisible(letter));
    if text.is_ascii() && !text.contains('\x7f') || !text.contains(is_bad) {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_bad(letter) {
            // Such a character occurs only in a string, where JSON permits this form.
            for unit in letter.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}"); // writing to a String cannot fail
            }
        } else {
            out.push(letter);
        }
    }
    out
}

struct Escaped(char);

impl std::fmt::Display for Escaped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            '\\' => f.write_str("\\\\"),
            '\t' => f.write_str("\\t"),
            '\n' => f.write_str("\\n"),
            '\r' => f.write_str("\\r"),
            c if u32::from(c) < 0x20 || u32::from(c) == 0x7f => write!(f, "\\x{:02x}", u32::from(c)),
            c if c.is_control() || is_invisible(c) => write!(f, "\\u{{{:04x}}}", u32::from(c)),
            c => f.write_char(c),
        }
    }
}

/// Characters that move, hide or reorder others: zero-width characters, bidi controls, line
/// separators, variation selectors, tags and the private planes.
fn is_invisible(c: char) -> bool {
    matches!(u32::from(c),
        0x00ad | 0x034f | 0x061c | 0x115f | 0x1160 | 0x17b4 | 0x17b5 | 0x180b..=0x180f
        | 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f | 0x3164 | 0xfe00..=0xfe0f | 0xfeff | 0xffa0
        | 0xfff0..=0xfffb | 0xe0000..=0xe0fff)
}

/// The byte order mark, which some editors and spreadsheets write before the text of a file.
pub const MARK: &str = "\u{feff}";

/// The bytes of a text file without its byte order mark, if it has one.
#[must_use]
pub fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(MARK.as_bytes()).unwrap_or(bytes)
}

/// The same for text.
#[must_use]
pub fn text_without_mark(text: &str) -> &str {
    text.strip_prefix(MARK).unwrap_or(text)
}

/// A number with this many decimals. Zero never has a minus: `-0.04` is `0.0`.
pub fn decimal(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    match text.strip_prefix('-') {
        Some(rest) if rest.bytes().all(|byte| matches!(byte, b'0' | b'.')) => rest.to_owned(),
        _ => text,
    }
}

/// A text as part of an address: bytes that have a meaning there, or are not printable ASCII,
/// become `%20` and the like.
pub fn percent(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 3 / 2);
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b',' | b':' | b';' | b'/' => {
                out.push(char::from(byte));
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// The word of a list that somebody has probably meant, if one is near.
///
/// It differs in at most a third of its letters, one at least. Swapped letters count once.
pub fn nearest<'a>(written: &str, words: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let distance = |word: &str| strsim::damerau_levenshtein(written, word);
    let near = words.into_iter().map(|word| (distance(word), word));
    let (distance, word) = near.min_by_key(|(distance, _)| *distance)?;
    (distance > 0 && distance <= (word.chars().count() / 3).max(1)).then_some(word)
}

/// The question whether the nearest of these words is meant, for the front of a hint; otherwise
/// nothing.
pub fn meant<'a>(written: &str, words: impl IntoIterator<Item = &'a str>) -> String {
    nearest(written, words).map_or_else(String::new, |word| format!("did you mean {word}? "))
}

#[cfg(test)]
mod tests {
    use super::{
        are, clean, clean_lines, counted, decimal, escape, harmless, harmless_json, percent, unescape,
    };

    #[test]
    fn a_text_in_an_address_has_no_sign_with_a_meaning_there() {
        assert_eq!(percent("a-b_c.d/e,f:g;1"), "a-b_c.d/e,f:g;1");
        assert_eq!(percent("a b?#%\n\u{e4}\""), "a%20b%3F%23%25%0A%C3%A4%22");
    }

    #[test]
    fn text_stays_and_control_is_shown() {
        assert_eq!(escape("W,1,1,1,1,5,1,äpfel".as_bytes(), 99), "W,1,1,1,1,5,1,äpfel");
        assert_eq!(escape(b"\x1b[2J\x07\x00\t\r\n\\", 99), "\\x1b[2J\\x07\\x00\\t\\r\\n\\\\");
        assert_eq!(escape("\u{9b}\u{202e}\u{200b}".as_bytes(), 99), "\\u{009b}\\u{202e}\\u{200b}");
    }

    #[test]
    fn bytes_that_are_no_text_are_hex() {
        assert_eq!(escape(b"a\xff\xfe\xed\xa0\x80b", 99), "a\\xff\\xfe\\xed\\xa0\\x80b");
    }

    #[test]
    fn what_was_escaped_comes_back_byte_for_byte() {
        for bytes in [
            &b"a\xff\xfe\x80b"[..],
            b"\x1b[2J\x07\0\t\r\n\\\"",
            "\u{9b}\u{202e} \u{200b}\u{ff}".as_bytes(),
            b"\\x41",
        ] {
            assert_eq!(unescape(&escape(bytes, 999)).as_deref(), Ok(bytes));
        }
        for wrong in ["\\", "\\q", "\\x1", "\\xé", "\\u{", "\\u{d800}"] {
            assert!(unescape(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_is_too_long_is_cut_and_counted() {
        assert_eq!(escape(b"abcdefgh", 5), "abcde[... 3 more bytes]");
    }

    #[test]
    fn a_text_keeps_its_lines_tabs_and_backslashes_and_nothing_that_a_terminal_obeys() {
        let plain = "a\tb \\x1b äöü\n\n  end\n";
        assert_eq!(harmless(plain.as_bytes()), plain);
        let bad = b"\x1b[2J\ta\\\x07b\r\nc\rd\x7f\xff\xc2\x9b\xe2\x80\xae\n";
        assert_eq!(harmless(bad), "\\x1b[2J\ta\\\\x07b\nc\\rd\\x7f\\xff\\u{009b}\\u{202e}\n");
    }

    #[test]
    fn json_stays_the_same_value_and_shows_nothing_that_a_terminal_obeys() {
        let value = serde_json::json!({"a\u{9b}": "\u{1b}\u{7f}\u{202e}\u{e0041}ä\n\\"});
        let shown = harmless_json(serde_json::to_string_pretty(&value).unwrap());
        assert!(
            shown.chars().all(|letter| letter == '\n' || letter == 'ä' || (' '..='~').contains(&letter)),
            "{shown}"
        );
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap(), value);
    }

    #[test]
    fn what_is_escaped_is_clean_and_what_slipped_through_is_escaped() {
        let escaped = escape(b"\x1b[2J\\ \xff", 99);
        assert_eq!(clean(&escaped), escaped);
        assert_eq!(clean("a\\b\x1bc\u{202e}"), "a\\b\\x1bc\\u{202e}");
        assert_eq!(clean_lines("a\x1b\n  b\n\n"), "a\\x1b\n  b");
    }

    #[test]
    fn a_number_has_no_minus_before_nothing() {
        for (value, text) in
            [(-0.0, "0.0"), (-0.04, "0.0"), (-0.06, "-0.1"), (0.05, "0.1"), (-12.34, "-12.3")]
        {
            assert_eq!(decimal(value, 1), text);
        }
        assert_eq!((decimal(-0.4, 0), decimal(-1.0, 0)), ("0".to_owned(), "-1".to_owned()));
    }

    #[test]
    fn a_number_has_its_noun_in_the_singular_or_the_plural() {
        let all =
            ["game", "ply", "match", "process", "day"].map(|noun| [0, 1, 2].map(|at| counted(at, noun)));
        assert_eq!(
            all.concat().join(", "),
            "0 games, 1 game, 2 games, 0 plies, 1 ply, 2 plies, 0 matches, 1 match, 2 matches, \
             0 processes, 1 process, 2 processes, 0 days, 1 day, 2 days"
        );
        assert_eq!([0, 1, 2].map(are), ["are", "is", "are"]);
    }
}
