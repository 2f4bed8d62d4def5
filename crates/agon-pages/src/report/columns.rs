//! Plain columns for lists that people read and scripts split.

use agon_printable::{clean, decimal};
use agon_standings::any_time::ScoreBar;

use super::table;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// A head and rows as lines, each cell as wide as its column. A column in which nothing is known is
/// left out. Ends with a newline.
pub fn columns(head: &[&str], rows: &[Vec<String>]) -> String {
    let mut drawn = table::empty(false);
    let is_shown = |place: &usize| is_known(*place, rows);
    let shown: Vec<usize> = (0..head.len()).filter(is_shown).collect();
    table::add(&mut drawn, shown.iter().map(|place| head[*place].to_owned()));
    for row in rows {
        table::add(&mut drawn, shown.iter().filter_map(|place| row.get(*place)).map(|cell| clean(cell)));
    }
    table::align(&mut drawn, |_| false);
    table::lines(&drawn)
}

/// Whether a column tells anything: the first one does, and one with a cell that says more than
/// that it is unknown. Without rows each does.
fn is_known(place: usize, rows: &[Vec<String>]) -> bool {
    let says = |row: &Vec<String>| row.get(place).is_some_and(|cell| !matches!(cell.as_str(), "" | UNKNOWN));
    place == 0 || rows.is_empty() || rows.iter().any(says)
}

/// What a cell says whose value is not known, if it says anything.
pub(super) const UNKNOWN: &str = "unknown";

/// What the two bars of a score are.
pub const ABOUT_BARS: &str = "The score in per cent, a draw as half a win, has two bars of 95 %. The one \"at any time\" may be looked at \
    after every game. The one called \"fixed\" is right if it is looked at once, after a number of games that was \
    set before the first one. If it is looked at again and again, it misses the true value more often.";

/// A bar of a score in per cent, `41.2-63.0`; nothing before the first result.
pub fn score_bar(bar: Option<ScoreBar>) -> String {
    let percent = |share: f64| decimal(100.0 * share, 1);
    bar.map_or_else(String::new, |bar| format!("{}-{}", percent(bar.low), percent(bar.high)))
}

/// The ends of a bar in Elo, `-61 to 92`. An end at 0 or 100 % is `-inf` or `inf`.
pub fn elo_bar(bar: Option<ScoreBar>) -> String {
    let end = |elo: f64| if elo.is_finite() { decimal(elo, 0) } else { format!("{elo}") };
    bar.map_or_else(String::new, |bar| format!("{} to {}", end(bar.elos()[0]), end(bar.elos()[1])))
}

/// Lines of at most this width, broken at spaces. The rest of a line is indented by four. A word
/// that is wider stays whole, so that it can be copied. Without a width, the text as it is.
pub fn wrapped(text: &str, width: Option<u16>) -> String {
    let Some(width) = width.map(usize::from) else { return text.to_owned() };
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (mut rest, mut indent) = (line, "");
        while rest.trim_end().width() + indent.len() > width {
            let start = rest.len() - rest.trim_start().len();
            let (mut at, mut last, mut next) = (indent.len(), None, None);
            for (place, letter) in rest.char_indices() {
                if letter == ' ' && place > start {
                    match at <= width {
                        true => last = Some(place),
                        false => next = next.or(Some(place)),
                    }
                }
                at += letter.width().unwrap_or(0);
            }
            let Some(place) = last.or(next).filter(|place| !rest[*place..].trim().is_empty()) else { break };
            out.push_str(indent);
            out.push_str(rest[..place].trim_end());
            out.push('\n');
            rest = rest[place..].trim_start();
            indent = "    ";
        }
        out.push_str(indent);
        out.push_str(rest);
    }
    out
}

#[cfg(test)]
mod tests {
    use agon_standings::any_time::ScoreBar;

    use super::{columns, elo_bar, score_bar, wrapped};

    #[test]
    fn a_bar_is_told_in_per_cent_and_in_elo() {
        let bar = ScoreBar { low: 0.25, high: 1.0 };
        assert_eq!((score_bar(Some(bar)), elo_bar(Some(bar))), ("25.0-100.0".into(), "-191 to inf".into()));
        assert_eq!((score_bar(None), elo_bar(None)), (String::new(), String::new()));
    }

    #[test]
    fn lines_break_between_words_and_a_long_word_stays_whole() {
        assert_eq!(wrapped("one two three four\nfive\n", Some(9)), "one two\n    three\n    four\nfive\n");
        assert_eq!(wrapped("a-word-that-is-long b", Some(9)), "a-word-that-is-long\n    b");
        assert_eq!(wrapped("  a-word-that-is-long\n", Some(9)), "  a-word-that-is-long\n");
        assert_eq!(
            wrapped("\u{56fd}\u{969b} \u{56fd}\u{969b}\n", Some(8)),
            "\u{56fd}\u{969b}\n    \u{56fd}\u{969b}\n"
        );
        assert_eq!(wrapped("one two three", None), "one two three");
        let text = "id  name   why it was so long that no line holds it at all, and then some more words\n";
        assert!(wrapped(text, Some(60)).lines().all(|line| line.len() <= 60));
    }

    fn rows(rows: &[[&str; 2]]) -> Vec<Vec<String>> {
        rows.iter().map(|row| row.map(str::to_owned).to_vec()).collect()
    }

    #[test]
    fn cells_stand_below_one_another() {
        let drawn = columns(&["id", "name"], &rows(&[["1", "a\u{1b}"], ["100", "b"], ["", " c"], ["2", ""]]));
        assert_eq!(drawn, "id   name\n1    a\\x1b\n100  b\n      c\n2\n");
        assert_eq!(columns(&["id", ""], &[]), "id\n");
    }

    #[test]
    fn a_column_in_which_nothing_is_known_is_left_out() {
        let row = |cells: [&str; 4]| cells.map(str::to_owned).to_vec();
        let head = ["host", "processor", "load", "games"];
        let nothing = [row(["unknown", "unknown", "", "2"]), row(["unknown", "", "", "4"])];
        assert_eq!(columns(&head, &nothing), "host     games\nunknown  2\nunknown  4\n");
        let some = [row(["a", "unknown", "", "2"]), row(["b", "x86", "", "4"])];
        assert_eq!(columns(&head, &some), "host  processor  games\na     unknown    2\nb     x86        4\n");
        assert_eq!(columns(&head, &[]), "host  processor  load  games\n");
    }

    #[test]
    fn a_wide_character_takes_two_places_and_a_combining_mark_none() {
        let drawn =
            columns(&["id", "name"], &rows(&[["国際", "a"], ["e\u{301}e\u{301}", "b"], ["four", "c"]]));
        assert_eq!(drawn, "id    name\n国際  a\ne\u{301}e\u{301}    b\nfour  c\n");
    }
}
