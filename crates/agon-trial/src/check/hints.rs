//! Why a line of an engine is no legal move, and what its author probably meant.

use agon_games::Game;
use agon_printable::escape;
use agon_seats::Refusal;

/// Why a line was refused, and what its author probably meant. `said` is the line in the words of
/// the engine's protocol, if that has words of its own.
pub(super) fn refused(game: &dyn Game, line: &[u8], refusal: &Refusal, said: &[u8]) -> String {
    let what = match refusal {
        Refusal::Unreadable(_) => "cannot be read as a move",
        Refusal::Illegal(_) => "is not legal",
    };
    if !said.is_empty() {
        let (said, line) = (escape(said, 200), escape(line, 200));
        return format!("its line \"{said}\" stands for \"{line}\", which {what}: {refusal}");
    }
    let mut words = format!("its line \"{}\" {what}: {refusal}", escape(line, 200));
    if let Some(hint) = hint(game, line) {
        words.push_str(". ");
        words.push_str(&hint);
    }
    words
}

/// Tries what students commonly do to a move, undone: the first that makes it legal is the hint.
fn hint(game: &dyn Game, line: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(line).ok()?;
    let legal = game.moves();
    let legal_now = |text: &str| legal.iter().any(|legal| legal.eq_ignore_ascii_case(text));
    let side = legal.first()?.split(',').next()?;
    if let Some(found) = legal.iter().filter(|legal| text.contains(legal.as_str())).max_by_key(|l| l.len()) {
        return Some(format!(
            "There is more in the line than the move {found}: write the move alone, no prompt, and \
             everything else to stderr"
        ));
    }
    let bare: String = text.split_whitespace().collect();
    if bare != text && legal_now(&bare) {
        return Some(format!("There are blanks in the line: remove the blanks and write {bare}"));
    }
    if legal_now(&format!("{side},{text}")) {
        return Some(format!("The side is missing: write {side},{text}"));
    }
    if text.starts_with("place_disc ") || text.starts_with("place_move ") {
        return Some("This looks like a bot of riddles.io or theaigames.com: it plays through engines/adapter/riddles.py".to_owned());
    }
    if let Some(protocol) = other_protocol(text) {
        return Some(format!(
            "This looks like the protocol {protocol}: if it speaks that, write protocol = \"{protocol}\" in its engine.toml"
        ));
    }
    if text.split_once(',').is_none_or(|(first, _)| first.contains(' ') || first.len() > 3) {
        return Some("Only moves belong on stdout; write notes and everything else to stderr".to_owned());
    }
    let fields: Vec<&str> = text.split(',').collect();
    let (first, rest) = fields.split_first()?;
    if legal_now(&format!("{side},{}", rest.join(","))) {
        return Some(format!("It plays {side}, and so its moves begin with {side} and not with {first}"));
    }
    let shifted: Vec<String> = rest
        .iter()
        .map(|field| {
            field.parse::<i64>().map_or_else(|_| (*field).to_owned(), |number| (number + 1).to_string())
        })
        .collect();
    // Without a 0 the move may just as well be a wrong one that is counted from 1.
    if rest.contains(&"0") && legal_now(&format!("{side},{}", shifted.join(","))) {
        return Some("Coordinates are counted from 1, and these are counted from 0".to_owned());
    }
    if let [x1, y1, z1, x2, y2, z2, word] = rest
        && legal_now(&format!("{side},{y1},{x1},{z1},{y2},{x2},{z2},{word}"))
    {
        return Some("The row comes first and then the column; here they are the other way round".to_owned());
    }
    None
}

/// The protocol in which this is a usual line.
fn other_protocol(line: &str) -> Option<&'static str> {
    let word = line.split_whitespace().next()?;
    let after = word.strip_prefix(['=', '?']);
    match word {
        "UNKNOWN" | "ERROR" | "OK" | "MESSAGE" | "DEBUG" | "SUGGEST" => Some("gomocup"),
        "ugiok" => Some("ugi"),
        "uciok" | "id" | "option" | "info" | "readyok" | "bestmove" => Some("uci"),
        _ if line.starts_with("Unknown command") => Some("uci"),
        _ if after.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit())) => Some("gtp"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use agon_games::Rules;

    use super::*;

    #[test]
    fn a_usual_line_of_another_protocol_names_that() {
        for (line, protocol) in [
            ("UNKNOWN command", "gomocup"),
            ("ERROR", "gomocup"),
            ("? unknown command", "gtp"),
            ("=12 D4", "gtp"),
            ("Unknown command: '3 3 3'.", "uci"),
            ("id name Engine 1", "uci"),
        ] {
            assert_eq!(other_protocol(line), Some(protocol), "{line}");
        }
        for line in ["", "thinking", "X,a1", "?what", "Error: no such file", "ok"] {
            assert_eq!(other_protocol(line), None, "{line}");
        }
        let game = agon_games::connect4::ConnectFour.start(1);
        let words = hint(game.as_ref(), b"UNKNOWN command").unwrap();
        assert!(words.contains("write protocol = \"gomocup\""), "{words}");
        let words = hint(game.as_ref(), b"place_disc 3").unwrap();
        assert!(words.contains("engines/adapter/riddles.py"), "{words}");
    }

    #[test]
    fn only_a_zero_is_taken_for_counting_from_zero() {
        let rules = agon_games::connect4::ConnectFour;
        let mut game = rules.start(1);
        for line in ["X,4", "O,4", "X,4", "O,4", "X,4", "O,4"] {
            game.play(line.as_bytes()).unwrap();
        }
        let hint = |line: &str| hint(game.as_ref(), line.as_bytes());
        assert_eq!(hint("X,4"), None, "the fourth column is full");
        assert!(hint("X,0").is_some_and(|words| words.contains("counted from 0")));
    }
}
