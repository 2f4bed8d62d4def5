//! The lines of an `engine.toml` that a source has in its comments: how it is started.

use agon_printable::escape;

/// How a line in a comment of a source begins that is a line of its `engine.toml`.
pub(super) const OWN: &str = "agon";
/// The keys that such a line may have, each with a line.
const OWN_KEYS: [(&str, &str); 4] = [
    ("args", "args = [\"{side}\", \"{to_move}\"]"),
    ("board", "board = \"file\""),
    ("games", "games = [\"mill\"]"),
    ("protocol", "protocol = \"lines\""),
];
/// What may end a comment on such a line.
const CLOSINGS: [&str; 6] = ["*/", "*)", "-->", "\"\"\"", "'''", "}"];
/// Where such lines may stand.
const OWN_LINES: usize = 60;
/// How much of a wrong one is told.
const MOST_SHOWN: usize = 100;

/// The lines of an `engine.toml` in the comments at the beginning of a source: `# agon: args =
/// [...]`.
pub(super) fn own_lines(text: &str) -> String {
    let all = text.lines().take(OWN_LINES).filter_map(|line| own_line(line)?.1.ok());
    all.map(|line| line + "\n").collect()
}

/// What is wrong with the lines that look like ones of an `engine.toml`.
pub(super) fn wrong_lines(text: &str) -> Vec<String> {
    let wrong = |(number, line): (usize, &str)| {
        let why = match own_line(line)? {
            (_, Err(why)) => why,
            (..) if number > OWN_LINES => format!("it counts only in the first {OWN_LINES} lines"),
            _ => return None,
        };
        let shown = escape(line.trim().as_bytes(), MOST_SHOWN);
        Some(format!("line {number}: {shown:?} is ignored: {why}"))
    };
    (1..).zip(text.lines()).filter_map(wrong).collect()
}

/// The key of a comment that looks like a line of an `engine.toml`, and that line; or what to write
/// there. `None` if it is another comment.
fn own_line(line: &str) -> Option<(&str, Result<String, String>)> {
    let line = line.trim_start_matches(|mark: char| mark.is_whitespace() || "#/*;-!\"'{(%".contains(mark));
    let begin = line.get(..OWN.len()).filter(|begin| begin.eq_ignore_ascii_case(OWN))?;
    let own = line[begin.len()..].trim_start().strip_prefix(':')?.trim();
    let key = own.split('=').next().filter(|key| key.len() < own.len())?.trim();
    if key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)) {
        return None;
    }
    let Some((_, example)) = OWN_KEYS.iter().find(|(known, _)| *known == key) else {
        let keys = OWN_KEYS.map(|(key, _)| key).join(", ");
        return Some((
            key,
            Err(format!("such a comment has one of {keys}; write an engine.toml for others")),
        ));
    };
    let without = CLOSINGS.iter().filter_map(|closing| own.strip_suffix(closing));
    let mut readings = std::iter::once(own).chain(without);
    let is_read = |own: &&str| toml::from_str::<toml::Table>(own).is_ok();
    let read = readings.find(is_read).map(|own| own.trim().to_owned());
    Some((key, read.ok_or_else(|| format!("it is no line of an engine.toml; write it like agon: {example}"))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_that_was_to_say_how_it_is_started_is_named_with_what_to_write() {
        let args = "write it like agon: args = [\"{side}\", \"{to_move}\"]";
        for (line, wrong) in [
            ("# agon: args = [{side}]", Some(args)),
            ("// agon: args = [\"{side}\", // mine", Some(args)),
            ("# agon: arguments = [\"{side}\"]", Some("has one of args, board, games, protocol")),
            ("# agon: build = [\"make\"]", Some("write an engine.toml for others")),
            ("# Agon :games=[\"mill\"]", None),
            ("/* agon: games = [\"mill\"] */", None),
            ("# agon: see a = b", None),
            ("# agon: the harness", None),
            ("# agonising: args = 1", None),
        ] {
            let found = wrong_lines(&format!("x\n{line}\n"));
            match wrong {
                None => assert!(found.is_empty(), "{line}: {found:?}"),
                Some(words) => {
                    let is = |why: &String| why.starts_with("line 2: ") && why.contains(words);
                    assert!(found.len() == 1 && is(&found[0]), "{line}: {found:?}");
                }
            }
        }
        let late = "\n".repeat(OWN_LINES) + "# agon: games = [\"mill\"]\n";
        assert!(own_lines(&late).is_empty());
        assert!(wrong_lines(&late)[0].ends_with("is ignored: it counts only in the first 60 lines"));
        assert_eq!(own_lines("# Agon :games=[\"mill\"]\n"), "games=[\"mill\"]\n");
    }
}
