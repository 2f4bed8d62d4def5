//! The bracket of a cup, as text and as SVG: the groups of each stage, and the entrants that
//! advance.

use agon_printable::clean;
use unicode_width::UnicodeWidthChar;

use super::table;

/// A stage in the bracket.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BracketStage {
    /// Its name.
    pub name: String,
    /// Its groups.
    pub groups: Vec<BracketGroup>,
}

/// A group in the bracket.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BracketGroup {
    /// Its name.
    pub title: String,
    /// Its members; ordered by place once it is over.
    pub lines: Vec<BracketLine>,
    /// How ties that mattered were decided.
    pub words: Vec<String>,
}

/// A member of a group.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BracketLine {
    /// Its name.
    pub name: String,
    /// Its points so far.
    pub points: String,
    /// A note for the text form; usually empty.
    pub note: String,
    /// Whether it advances, or has won the last match.
    pub goes_on: bool,
}

/// The bracket as lines of text; `>` marks the entrants that advance. Ends with a newline.
pub fn text(stages: &[BracketStage]) -> String {
    let groups = || stages.iter().flat_map(|stage| &stage.groups);
    // One table of all members, so that their points stand below one another.
    let mut members = table::empty(false);
    for BracketLine { name, points, note, goes_on } in groups().flat_map(|group| &group.lines) {
        let mark = if *goes_on { '>' } else { ' ' };
        let cells = [format!("  {mark} {}", clean(name)), format!("{points:>6}"), note.clone()];
        table::add(&mut members, cells);
    }
    table::align(&mut members, |place| place == 1);
    let members = table::lines(&members);
    let mut members = members.lines();
    let mut out = String::new();
    for group in groups() {
        line(&mut out, &clean(&group.title));
        members.by_ref().take(group.lines.len()).for_each(|member| line(&mut out, member));
        for words in &group.words {
            line(&mut out, &format!("    {}", clean(words)));
        }
        out.push('\n');
    }
    out.pop();
    out
}

fn line(out: &mut String, text: &str) {
    out.push_str(text);
    out.push('\n');
}

const COLUMN: usize = 310;
const BOX: usize = 210;
/// The width of the points in a box, in pixels.
const POINTS: usize = 44;
/// The space between a text and its frame, in pixels.
const PAD: usize = 6;
const ROW: usize = 18;
const GAP: usize = 26;
const HEAD: usize = 34;

/// The bracket as a picture: a column per stage, a box per group, and a curve from each advancing
/// entrant to its next box. A tooltip shows cut names, and how ties were decided.
pub fn svg(stages: &[BracketStage]) -> String {
    let height_of = |stage: &BracketStage| -> usize {
        stage.groups.iter().map(|group| (group.lines.len() + 1) * ROW + GAP).sum::<usize>()
    };
    let height = HEAD + stages.iter().map(height_of).max().unwrap_or(0);
    let width = stages.len().max(1) * COLUMN - (COLUMN - BOX) + 20;
    let mut out = String::new();
    let mut put = |text: String| line(&mut out, &text);
    put(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"12\">"
    ));
    put("<title>The bracket of the cup</title>".to_owned());
    // The page around it may be dark.
    put(format!("<rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>"));
    // The place of each name in the column before: the start of its curve.
    let mut before: Vec<(&str, usize)> = Vec::new();
    for (number, stage) in stages.iter().enumerate() {
        let x = number * COLUMN + 10;
        put(format!("<text x=\"{x}\" y=\"20\" font-weight=\"bold\">{}</text>", cut(&stage.name, BOX)));
        // Each column is centred vertically.
        let mut y = HEAD + (height - HEAD - height_of(stage)) / 2;
        let mut here = Vec::new();
        for group in &stage.groups {
            let words: Vec<String> = group.words.iter().map(|words| escaped(&clean(words))).collect();
            put(format!(
                "<text x=\"{x}\" y=\"{}\" fill=\"#555\">{}{}</text>",
                y + 12,
                cut(&group.title, BOX),
                if words.is_empty() { String::new() } else { format!("<title>{}</title>", words.join("; ")) }
            ));
            let tall = group.lines.len() * ROW;
            put(format!(
                "<rect x=\"{x}\" y=\"{}\" width=\"{BOX}\" height=\"{tall}\" fill=\"none\" stroke=\"#888\"/>",
                y + ROW
            ));
            for (place, BracketLine { name, points, goes_on, .. }) in group.lines.iter().enumerate() {
                let base = y + ROW + place * ROW;
                let weight = if *goes_on { "bold" } else { "normal" };
                let text = base + 13;
                put(format!(
                    "<text x=\"{}\" y=\"{text}\" font-weight=\"{weight}\">{}</text>",
                    x + PAD,
                    cut(name, BOX - POINTS - 2 * PAD)
                ));
                put(format!(
                    "<text x=\"{}\" y=\"{text}\" text-anchor=\"end\">{}</text>",
                    x + BOX - PAD,
                    cut(points, POINTS)
                ));
                let middle = base + ROW / 2;
                if let Some((_, from)) = before.iter().find(|(other, _)| other == name) {
                    // Curves, because straight lines with corners would overlap.
                    let (start, half) = (x - COLUMN + BOX, x - (COLUMN - BOX) / 2);
                    put(format!(
                        "<path d=\"M{start} {from} C{half} {from} {half} {middle} {x} {middle}\" fill=\"none\" \
                         stroke=\"#aaa\"/>"
                    ));
                }
                if *goes_on {
                    here.push((name.as_str(), middle));
                }
            }
            y += tall + ROW + GAP;
        }
        before = here;
    }
    line(&mut out, "</svg>");
    out
}

/// A text without markup or control characters, cut at this width. The tooltip shows the whole.
fn cut(text: &str, room: usize) -> String {
    let text = clean(text);
    if text.chars().map(wide).sum::<usize>() <= room {
        return escaped(&text);
    }
    let mut left = room - wide('…');
    let fits = |letter: &char| {
        let fits = left >= wide(*letter);
        left = left.saturating_sub(wide(*letter));
        fits
    };
    let short: String = text.chars().take_while(fits).collect();
    format!("{}…<title>{}</title>", escaped(&short), escaped(&text))
}

/// The most pixels that a letter takes, bold and 12 high. Fonts differ, so this is a safe guess.
fn wide(letter: char) -> usize {
    match letter {
        'i' | 'j' | 'l' | '.' | ',' | ';' | ':' | '\'' | '|' | '!' | ' ' => 5,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '…' => 13,
        'A'..='Z' | '&' | '+' | '=' | '<' | '>' | '~' | '#' => 10,
        '!'..='~' => 8,
        _ if letter.width() == Some(0) => 0,
        _ => 13,
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stages() -> Vec<BracketStage> {
        let line = |name: &str, points: &str, goes_on| BracketLine {
            name: name.to_owned(),
            points: points.to_owned(),
            note: String::new(),
            goes_on,
        };
        let group = |title: &str, lines, words| BracketGroup { title: title.to_owned(), lines, words };
        vec![
            BracketStage {
                name: "round 1".to_owned(),
                groups: vec![group(
                    "group A",
                    vec![
                        line("<b>&\u{1b}", "12", true),
                        line("bravo", "3.5", true),
                        line("charlie", "0", false),
                    ],
                    vec!["group A: lot: bravo".to_owned()],
                )],
            },
            BracketStage {
                name: "final".to_owned(),
                groups: vec![group(
                    "final",
                    vec![line("bravo", "", false), line("<b>&\u{1b}", "", false)],
                    vec![],
                )],
            },
        ]
    }

    #[test]
    fn the_text_marks_who_goes_on_and_says_why() {
        assert_eq!(
            text(&stages()),
            "group A\n  > <b>&\\x1b      12\n  > bravo        3.5\n    charlie        0\n    group A: lot: bravo\n\n\
             final\n    bravo\n    <b>&\\x1b\n"
        );
    }

    #[test]
    fn points_stand_below_one_another_whatever_the_letters_of_a_name() {
        let mut stages = stages();
        stages[0].groups[0].lines[0].name = "国際".to_owned();
        stages[0].groups[0].lines[1].name = "e\u{301}lan".to_owned();
        let drawn = text(&stages[..1]);
        assert!(
            drawn.contains("  > 国際         12\n  > e\u{301}lan        3.5\n    charlie       0\n"),
            "{drawn}"
        );
    }

    #[test]
    fn the_picture_holds_no_markup_of_a_name_and_a_line_for_each_who_goes_on() {
        let picture = svg(&stages());
        assert!(picture.contains("&lt;b&gt;&amp;\\x1b") && !picture.contains("<b>"), "{picture}");
        assert_eq!(picture.matches("<path").count(), 2);
        assert_eq!(picture.matches("<rect").count(), 3);
        assert!(picture.contains("group A<title>group A: lot: bravo</title>"), "{picture}");
        assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
    }

    #[test]
    fn a_long_name_ends_before_the_points_and_is_whole_in_its_title() {
        for (name, shown) in [
            ("W".repeat(40), 10),
            ("i".repeat(60), 28),
            ("国".repeat(60), 10),
            ("e\u{301}".repeat(40), 34),
            ("short".to_owned(), 5),
        ] {
            let text = cut(&name, BOX - POINTS - 2 * PAD);
            let (before, title) = text.split_once('…').unwrap_or((&text, ""));
            assert_eq!(before.chars().count(), shown, "{text}");
            assert_eq!(title.contains(&name), shown != 5, "{text}");
        }
    }
}
