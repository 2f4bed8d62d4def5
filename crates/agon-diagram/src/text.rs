//! Reads the text of diagrams, films and frames: `frames 1` and `frames 2`, as `docs/frames.md`
//! describes it.
//!
//! The text may come from a program that nobody trusts. So every number and every text is bounded,
//! and what is read once can be drawn and applied without another check.

use std::collections::HashSet;
use std::str::FromStr;

use agon_printable::escape;

use agon_printable::quoted;
use agon_seats::Seat;

use crate::drawing::{
    Diagram, Frame, HandArea, Label, MOST_SLOTS, Point, SLOT, Slot, SlotContent, SlotShape,
};
use crate::film::Film;
use crate::written::{NEWEST_FRAMES, VERSION};

/// The longest side of a diagram: 1,000 slots.
const LONGEST_SIDE: i32 = 1000 * SLOT;

const MOST_LINES: usize = 2 * MOST_SLOTS;
const MOST_LABELS: usize = MOST_SLOTS;
const MOST_FRAMES: usize = 100_000;

/// The most characters of a slot's content, of that of a panel, of a name or label, and of a
/// caption.
const MOST_TEXT: usize = 4;
const MOST_PANEL: usize = 40;
const MOST_NAME: usize = 40;
const MOST_CAPTION: usize = 200;

/// Why a text is not a diagram, a film or a frame.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}, character {character}: {why}")]
pub struct BadFrames {
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub character: usize,
    /// What is wrong there, and what should be there.
    pub why: String,
}

/// What is wrong in one line, at a byte of it.
struct Fault {
    at: usize,
    why: String,
}

impl Fault {
    fn new(at: usize, why: impl Into<String>) -> Self {
        Fault { at, why: why.into() }
    }

    fn in_line(self, number: usize, line: &str) -> BadFrames {
        let character = line.get(..self.at).map_or(0, |before| before.chars().count()) + 1;
        BadFrames { line: number, character, why: self.why }
    }
}

impl FromStr for Frame {
    type Err = BadFrames;

    /// Reads one line. The slots are below [`MOST_SLOTS`]; [`Frame::apply`] compares them with
    /// those of a board. Texts are as long as on a panel, since the board is not known.
    fn from_str(line: &str) -> Result<Self, BadFrames> {
        read_frame(line, Named { count: MOST_SLOTS, board: None }).map_err(|fault| fault.in_line(1, line))
    }
}

impl FromStr for Diagram {
    type Err = BadFrames;

    /// Reads the lines from `frames 1` to the labels.
    fn from_str(text: &str) -> Result<Self, BadFrames> {
        let mut lines = (1..).zip(text.lines());
        let (diagram, rest) = read_diagram(&mut lines)?;
        match rest {
            None => Ok(diagram),
            Some((number, line)) => {
                Err(Fault::new(0, format!("{} is not part of a diagram", quoted(line))).in_line(number, line))
            }
        }
    }
}

impl FromStr for Film {
    type Err = BadFrames;

    /// Reads a diagram, its line `start`, and the frames, of which there may be none. All slots
    /// exist.
    fn from_str(text: &str) -> Result<Self, BadFrames> {
        let mut lines = (1..).zip(text.lines());
        let (diagram, start) = read_diagram(&mut lines)?;
        let slots = Named::of(&diagram);
        let (number, line) = start.unwrap_or((text.lines().count() + 1, ""));
        let start = read_start(line, slots).map_err(|fault| fault.in_line(number, line))?;
        let mut frames = Vec::new();
        for (number, line) in lines {
            let frame = match frames.len() {
                MOST_FRAMES => Err(Fault::new(0, format!("a game has at most {MOST_FRAMES} frames"))),
                _ => read_frame(line, slots),
            };
            frames.push(frame.map_err(|fault| fault.in_line(number, line))?);
        }
        Ok(Film { diagram, start, frames })
    }
}

/// Lines with their numbers.
type Numbered<'a> = (usize, &'a str);

/// Reads a diagram up to its end or to another kind of line, which is returned.
fn read_diagram<'a>(
    lines: &mut impl Iterator<Item = Numbered<'a>>,
) -> Result<(Diagram, Option<Numbered<'a>>), BadFrames> {
    let (number, line) = lines.next().unwrap_or((1, ""));
    let is_newest = check_version(line).map_err(|fault| fault.in_line(number, line))?;
    let (number, line) = lines.next().unwrap_or((number + 1, ""));
    let mut diagram = read_size(line).map_err(|fault| fault.in_line(number, line))?;
    for (number, line) in lines {
        match diagram.read_line(line, is_newest).map_err(|fault| fault.in_line(number, line))? {
            true => {}
            false => return Ok((diagram, Some((number, line)))),
        }
    }
    Ok((diagram, None))
}

/// Whether boards of this version may have edges, panels and hands.
fn check_version(line: &str) -> Result<bool, Fault> {
    match line.split_once(' ') {
        _ if line == VERSION => Ok(false),
        _ if line == NEWEST_FRAMES => Ok(true),
        Some(("frames", other)) => {
            let known = "1 and 2 are known";
            Err(Fault::new(7, format!("this is version {} of the format, and {known}", quoted(other))))
        }
        _ => Err(Fault::new(0, format!("the first line is {}, and should be `{VERSION}`", quoted(line)))),
    }
}

fn read_size(line: &str) -> Result<Diagram, Fault> {
    let mut fields = Fields::new(line);
    if fields.word() != "size" {
        return Err(Fault::new(0, "the second line should be `size WIDTH HEIGHT`"));
    }
    let (width, height) =
        (fields.number("the width", LONGEST_SIDE)?, fields.number("the height", LONGEST_SIDE)?);
    fields.end()?;
    Ok(Diagram { width, height, ..Diagram::default() })
}

impl Diagram {
    /// Reads one frame of this board: its slots exist, and its texts have room there.
    ///
    /// # Errors
    /// [`BadFrames`], in line 1.
    pub fn read_frame(&self, line: &str) -> Result<Frame, BadFrames> {
        read_frame(line, Named::of(self)).map_err(|fault| fault.in_line(1, line))
    }

    /// The hand to which a slot belongs.
    pub fn hand_of(&self, slot: usize) -> Option<&HandArea> {
        self.hands.iter().find(|hand| hand.slots.contains(&slot))
    }

    /// Reads a slot, an edge, a panel, a line, a label or a hand; false if the line is another one.
    fn read_line(&mut self, line: &str, is_newest: bool) -> Result<bool, Fault> {
        let mut fields = Fields::new(line);
        match fields.word() {
            kind @ ("edge" | "panel" | "hand") if !is_newest => {
                let hint = format!("write `{NEWEST_FRAMES}` in the first line");
                return Err(Fault::new(0, format!("{VERSION} has no {kind}s; {hint}")));
            }
            "edge" => {
                room(self.slots.len(), MOST_SLOTS, "slots")?;
                let (from, to) = (self.read_point(&mut fields)?, self.read_point(&mut fields)?);
                if from == to {
                    return Err(Fault::new(0, "an edge has two different ends"));
                }
                self.slots.push(Slot::edge(from, to, fields.rest("the name of an edge", MOST_NAME)?));
            }
            "panel" => {
                room(self.slots.len(), MOST_SLOTS, "slots")?;
                let at = self.read_point(&mut fields)?;
                let shape = SlotShape::Panel(self.read_width(&mut fields, at)?);
                self.slots.push(Slot { at, shape, name: fields.rest("the name of a panel", MOST_NAME)? });
            }
            "slot" => {
                room(self.slots.len(), MOST_SLOTS, "slots")?;
                let at = self.read_point(&mut fields)?;
                let shape = fields.shape()?;
                self.slots.push(Slot { at, shape, name: fields.rest("the name of a slot", MOST_NAME)? });
            }
            "line" => {
                room(self.lines.len(), MOST_LINES, "lines")?;
                let (from, to) = (self.read_point(&mut fields)?, self.read_point(&mut fields)?);
                fields.end()?;
                self.lines.push((from, to));
            }
            "label" => {
                room(self.labels.len(), MOST_LABELS, "labels")?;
                let at = self.read_point(&mut fields)?;
                self.labels.push(Label { at, text: fields.rest("a label", MOST_NAME)? });
            }
            "hand" => {
                let hand = self.read_hand(&mut fields)?;
                self.hands.push(hand);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The seat and the slots of a hand. Each seat has one hand, and each slot is in one.
    fn read_hand(&self, fields: &mut Fields<'_>) -> Result<HandArea, Fault> {
        let at = fields.at;
        let seat = match fields.word().as_bytes() {
            [digit @ b'1'..=b'9'] => Seat::new(usize::from(digit - b'1')),
            _ => return Err(Fault::new(at.min(fields.line.len()), "a hand begins with a seat from 1 to 9")),
        };
        let number = seat.index() + 1;
        if self.hands.iter().any(|hand| hand.seat == seat) {
            return Err(Fault::new(at, format!("seat {number} has a hand already")));
        }
        let mut hand = HandArea { seat, slots: Vec::new(), holder: format!("seat {number}") };
        while let Some((at, slot)) = fields.next() {
            let slot = read_slot(slot, Named::of(self)).map_err(|why| Fault::new(at, why))?;
            if hand.slots.contains(&slot) || self.hand_of(slot).is_some() {
                return Err(Fault::new(at, format!("slot {slot} is in a hand already")));
            }
            if matches!(self.slots[slot].shape, SlotShape::Edge(..)) {
                return Err(Fault::new(at, format!("slot {slot} is an edge, which no hand holds")));
            }
            hand.slots.push(slot);
        }
        match hand.slots.is_empty() {
            false => Ok(hand),
            true => Err(Fault::new(fields.line.len(), "a hand has one slot or more")),
        }
    }

    /// The width of a panel, which lies within the board.
    fn read_width(&self, fields: &mut Fields<'_>, middle: Point) -> Result<i32, Fault> {
        let at = fields.at;
        let width = fields.number("the width of a panel", self.width)?;
        let most = 2 * middle.x.min(self.width - middle.x);
        match (SLOT..=most).contains(&width) {
            true => Ok(width),
            false => {
                let room = format!("there is room for {most} around x={}", middle.x);
                Err(Fault::new(
                    at,
                    format!("a panel is at least {SLOT} wide, and {room}; this one is {width}"),
                ))
            }
        }
    }

    fn read_point(&self, fields: &mut Fields<'_>) -> Result<Point, Fault> {
        Ok(Point { x: fields.number("x", self.width)?, y: fields.number("y", self.height)? })
    }
}

/// Refuses one more than the most.
fn room(there: usize, most: usize, what: &str) -> Result<(), Fault> {
    if there < most {
        return Ok(());
    }
    Err(Fault::new(0, format!("a diagram has at most {most} {what}")))
}

/// The slots that a line may name.
#[derive(Clone, Copy)]
struct Named<'a> {
    count: usize,
    /// `None` if the board is not known.
    board: Option<&'a Diagram>,
}

impl<'a> Named<'a> {
    fn of(board: &'a Diagram) -> Self {
        Named { count: board.slots.len(), board: Some(board) }
    }

    /// Whether a slot is a panel; `None` if the board is not known.
    fn is_panel(self, slot: usize) -> Option<bool> {
        self.board.map(|board| board.slots[slot].shape.is_panel())
    }

    /// Whether a text on this slot may be hidden.
    fn is_held(self, slot: usize) -> bool {
        self.board.is_none_or(|board| board.hand_of(slot).is_some())
    }

    /// The most characters of a text on this slot.
    fn most_text(self, slot: usize) -> usize {
        if self.is_panel(slot) == Some(false) { MOST_TEXT } else { MOST_PANEL }
    }
}

/// Reads `start` and the contents of the slots that are not empty.
fn read_start(line: &str, slots: Named<'_>) -> Result<Vec<SlotContent>, Fault> {
    let mut fields = Fields::new(line);
    if fields.word() != "start" {
        let wanted = "a line `slot`, `edge`, `panel`, `line`, `label`, `hand` or `start` should be here";
        return Err(Fault::new(0, format!("{wanted}; this is {}", quoted(line))));
    }
    let mut start = vec![SlotContent::Empty; slots.count];
    let mut used = HashSet::new();
    while let Some((at, item)) = fields.next() {
        let change = match item.split_once('=') {
            Some((slot, content)) => read_change(slot, content, slots),
            None => Err(format!("{} is not SLOT=CONTENT", quoted(item))),
        };
        let (slot, content) = change.map_err(|why| Fault::new(at, why))?;
        if !used.insert(slot) {
            return Err(Fault::new(at, format!("slot {slot} has a content already")));
        }
        start[slot] = content;
    }
    Ok(start)
}

fn read_frame(line: &str, slots: Named<'_>) -> Result<Frame, Fault> {
    let Some((items, caption)) = line.split_once('|') else {
        return Err(Fault::new(line.len(), "there is no `|`; a caption stands behind it"));
    };
    let mut frame = Frame::default();
    let mut used = HashSet::new();
    let mut at = 0;
    for item in items.split(' ').filter(|_| !items.is_empty()) {
        frame.add(item, slots, &mut used).map_err(|why| Fault::new(at, why))?;
        at += item.len() + 1;
    }
    frame.caption =
        line_of(caption, "the caption", MOST_CAPTION).map_err(|why| Fault::new(items.len() + 1, why))?;
    Ok(frame)
}

/// What a slot may be once in a frame.
#[derive(PartialEq, Eq, Hash)]
enum Used {
    From,
    To,
    Change,
    Mark,
    Row,
}

impl Frame {
    /// Reads one item. `used` holds what the items before have named.
    fn add(&mut self, item: &str, slots: Named<'_>, used: &mut HashSet<(Used, usize)>) -> Result<(), String> {
        let mut once = |how, slot, what| match used.insert((how, slot)) {
            true => Ok(()),
            false => Err(format!("{what} slot {slot} is given twice")),
        };
        if let Some(slot) = item.strip_prefix('*') {
            let slot = read_slot(slot, slots)?;
            once(Used::Mark, slot, "the mark of")?;
            self.marks.push(slot);
        } else if let Some(slot) = item.strip_prefix('!') {
            let slot = read_slot(slot, slots)?;
            once(Used::Row, slot, "in the row,")?;
            self.row.push(slot);
        } else if let Some((slot, content)) = item.split_once('=') {
            let change = read_change(slot, content, slots)?;
            once(Used::Change, change.0, "the content of")?;
            self.changes.push(change);
        } else if let Some((from, to)) = item.split_once('>') {
            let (from, to) = (read_slot(from, slots)?, read_slot(to, slots)?);
            if from == to {
                return Err(format!("the slide from slot {from} leads back to it"));
            }
            if slots.is_panel(from) != slots.is_panel(to) {
                return Err(format!(
                    "of the slots {from} and {to} one is a panel, and the other has no room for its text"
                ));
            }
            once(Used::From, from, "a slide from")?;
            once(Used::To, to, "a slide to")?;
            self.slides.push((from, to));
        } else {
            return Err(format!(
                "{} is not FROM>TO, SLOT=CONTENT, *SLOT or !SLOT, with one space between two",
                quoted(item)
            ));
        }
        Ok(())
    }
}

fn read_change(slot: &str, content: &str, slots: Named<'_>) -> Result<(usize, SlotContent), String> {
    let slot = read_slot(slot, slots)?;
    let content = read_content(content, slots.most_text(slot))?;
    match content {
        SlotContent::Held(_) if !slots.is_held(slot) => Err(format!("slot {slot} is in no hand")),
        _ => Ok((slot, content)),
    }
}

fn read_slot(text: &str, slots: Named<'_>) -> Result<usize, String> {
    let slot = digits(text).ok_or_else(|| format!("{} is not the number of a slot", quoted(text)))?;
    if slot < slots.count {
        return Ok(slot);
    }
    Err(match slots.count {
        0 => "the board has no slots".to_owned(),
        count => format!("there is no slot {slot}; they go from 0 to {}", count - 1),
    })
}

fn read_content(text: &str, most: usize) -> Result<SlotContent, String> {
    match (text, text.strip_prefix(['"', '?'])) {
        (".", _) => Ok(SlotContent::Empty),
        (_, Some(inside)) if !inside.contains(|sign: char| sign.is_whitespace() || sign == '|') => {
            let inside = line_of(inside, "the text on a slot", most)?;
            Ok(if text.starts_with('?') { SlotContent::Held(inside) } else { SlotContent::Text(inside) })
        }
        (_, Some(_)) => {
            Err("the text on a slot has no space and no `|`; `_` is a space on a panel".to_owned())
        }
        _ => match text.as_bytes() {
            [digit @ b'1'..=b'9'] => Ok(SlotContent::Piece(Seat::new(usize::from(digit - b'1')))),
            _ => Err(format!(
                "{} is not a content: `.`, the number of a seat from 1 to 9, or `\"` and a text",
                quoted(text)
            )),
        },
    }
}

/// A text of one to `most` printable characters, without backslash, and without a space at its
/// ends.
fn line_of(text: &str, what: &str, most: usize) -> Result<String, String> {
    let shown = || quoted(text);
    if text.is_empty() {
        return Err(format!("{what} is empty"));
    }
    if text.chars().count() > most {
        return Err(format!("{what} has more than {most} characters"));
    }
    if escape(text.as_bytes(), usize::MAX) != text {
        return Err(format!("{what} has a character that is not printable, or a backslash: {}", shown()));
    }
    if text.trim() != text {
        return Err(format!("{what} begins or ends with a space: {}", shown()));
    }
    Ok(text.to_owned())
}

/// A number of digits alone, without a leading zero, of at most six digits.
fn digits(text: &str) -> Option<usize> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    text.parse().ok().filter(|_| plain && text.len() <= 6)
}

/// The fields of a line, with one space between two.
struct Fields<'a> {
    line: &'a str,
    /// Where the next field begins; beyond the end if there is none.
    at: usize,
}

impl<'a> Fields<'a> {
    fn new(line: &'a str) -> Self {
        Fields { line, at: 0 }
    }

    /// The next field with its place.
    fn next(&mut self) -> Option<(usize, &'a str)> {
        let at = self.at;
        let rest = self.line.get(at..)?;
        let word = rest.split(' ').next().unwrap_or(rest);
        self.at += word.len() + 1;
        Some((at, word))
    }

    /// The next field, empty if there is none.
    fn word(&mut self) -> &'a str {
        self.next().map_or("", |(_, word)| word)
    }

    fn number(&mut self, what: &str, most: i32) -> Result<i32, Fault> {
        let (at, text) =
            self.next().ok_or_else(|| Fault::new(self.line.len(), format!("{what} is missing")))?;
        let number = digits(text).and_then(|number| i32::try_from(number).ok());
        number.filter(|number| *number <= most).ok_or_else(|| {
            Fault::new(at, format!("{what} is {}, and should be a number from 0 to {most}", quoted(text)))
        })
    }

    fn shape(&mut self) -> Result<SlotShape, Fault> {
        let at = self.at;
        let text = self.word();
        match text {
            "square" => Ok(SlotShape::Square),
            "round" => Ok(SlotShape::Round),
            _ => Err(Fault::new(at, format!("{} is not a shape: square or round", quoted(text)))),
        }
    }

    /// The rest of the line, in which spaces are allowed.
    fn rest(&mut self, what: &str, most: usize) -> Result<String, Fault> {
        let text = self.line.get(self.at..).unwrap_or("");
        line_of(text, what, most).map_err(|why| Fault::new(self.at.min(self.line.len()), why))
    }

    fn end(&mut self) -> Result<(), Fault> {
        match self.next() {
            None => Ok(()),
            Some((at, text)) => Err(Fault::new(at, format!("{} is one field too many", quoted(text)))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "frames 1\nsize 300 100\nslot 50 50 square a1\nslot 150 50 round b 1\n";

    fn refused<T: FromStr<Err = BadFrames> + std::fmt::Debug>(text: &str) -> String {
        text.parse::<T>().unwrap_err().to_string()
    }

    #[test]
    fn a_whole_film_is_read() {
        let text = format!(
            "{HEAD}line 50 50 150 50\nlabel 250 50 a label\nstart 1=\"ab\n0=2 *0|X moves\n|O passes\n"
        );
        let film: Film = text.parse().unwrap();
        assert_eq!(film.diagram.slots[1].name, "b 1");
        assert_eq!(film.start, [SlotContent::Empty, SlotContent::Text("ab".to_owned())]);
        assert_eq!(film.frames[0].changes, [(0, SlotContent::Piece(Seat::SECOND))]);
        assert_eq!(film.frames[1], Frame { caption: "O passes".to_owned(), ..Frame::default() });
        assert_eq!(film.to_string(), text);
    }

    #[test]
    fn an_edge_is_a_slot_of_the_second_version() {
        let text = "frames 2\nsize 300 100\nedge 50 50 250 51 a1-b1\nslot 50 50 round a1\nstart 0=1\n";
        let film: Film = text.parse().unwrap();
        let (from, to) = (Point { x: 50, y: 50 }, Point { x: 250, y: 51 });
        assert_eq!(film.diagram.slots[0], Slot::edge(from, to, "a1-b1".to_owned()));
        assert_eq!(
            (film.diagram.slots[0].at, film.start[0].to_string()),
            (Point { x: 150, y: 50 }, "1".to_owned())
        );
        assert_eq!(film.to_string(), text);
        // Without an edge the first version is written, which all programs read.
        let plain: Film = "frames 2\nsize 300 100\nslot 50 50 round a1\nstart\n".parse().unwrap();
        assert!(plain.to_string().starts_with("frames 1\n"));
        for (line, error) in [
            ("edge 50 50 50 50 a", "character 1: an edge has two different ends"),
            ("edge 50 50 250 a", "character 16: y is \"a\", and should be a number from 0 to 100"),
            ("edge 50 50 250 50", "character 18: the name of an edge is empty"),
        ] {
            let text = format!("frames 2\nsize 300 100\n{line}\n");
            assert_eq!(refused::<Diagram>(&text), format!("line 3, {error}"), "{line}");
        }
        let old = refused::<Diagram>(&text.replace("frames 2", "frames 1"));
        assert_eq!(old, "line 3, character 1: frames 1 has no edges; write `frames 2` in the first line");
    }

    #[test]
    fn a_panel_holds_forty_characters_and_a_cell_four() {
        let forty = "a_".repeat(20);
        let head = "frames 2\nsize 300 100\npanel 150 50 300 the pot\nslot 50 50 square a1\n\
                    panel 150 50 100 a bid\n";
        let text = format!("{head}start 0=\"{forty}\n0>2 1=\"3_x4|moves\n");
        let film: Film = text.parse().unwrap();
        let slot = &film.diagram.slots[0];
        assert_eq!(
            (slot.at, slot.shape, slot.name.as_str()),
            (Point { x: 150, y: 50 }, SlotShape::Panel(300), "the pot")
        );
        assert_eq!(film.to_string(), text);
        assert_eq!(film.at(1)[2], SlotContent::Text(forty.clone()));
        for (rest, error) in [
            (format!("start 0=\"{forty}x"), "7: the text on a slot has more than 40 characters"),
            ("start 1=\"abcde".to_owned(), "7: the text on a slot has more than 4 characters"),
        ] {
            assert_eq!(refused::<Film>(&format!("{head}{rest}\n")), format!("line 6, character {error}"));
        }
        for (rest, error) in [
            ("0>1|a", "1: of the slots 0 and 1 one is a panel, and the other has no room for its text"),
            ("1=\"abcde|a", "1: the text on a slot has more than 4 characters"),
        ] {
            let error = format!("line 7, character {error}");
            assert_eq!(refused::<Film>(&format!("{head}start\n{rest}\n")), error, "{rest}");
        }
        // A frame alone does not know its board.
        assert!(format!("0=\"{forty}|a").parse::<Frame>().is_ok());
        assert!(format!("0=\"{forty}x|a").parse::<Frame>().is_err());
        let room = "a panel is at least 100 wide, and there is room for";
        for (line, error) in [
            (
                "panel 150 50 302 a",
                "14: the width of a panel is \"302\", and should be a number from 0 to 300".to_owned(),
            ),
            ("panel 100 50 202 a", format!("14: {room} 200 around x=100; this one is 202")),
            ("panel 200 50 202 a", format!("14: {room} 200 around x=200; this one is 202")),
            ("panel 150 50 99 a", format!("14: {room} 300 around x=150; this one is 99")),
            ("panel 150 50 100", "17: the name of a panel is empty".to_owned()),
        ] {
            let error = format!("line 3, character {error}");
            assert_eq!(refused::<Diagram>(&format!("frames 2\nsize 300 100\n{line}\n")), error, "{line}");
        }
        let old = refused::<Diagram>(&text.replace("frames 2", "frames 1"));
        assert_eq!(old, "line 3, character 1: frames 1 has no panels; write `frames 2` in the first line");
    }

    #[test]
    fn a_hand_names_slots_of_one_seat_which_may_hold_hidden_texts() {
        let head = "frames 2\nsize 300 100\nslot 50 50 square a\nslot 150 50 square b\nedge 0 0 9 9 e\n";
        let text = format!("{head}hand 2 1 0\nstart 0=?K 1=\"?\n1=?10 0=\"K|shows a king\n");
        let film: Film = text.parse().unwrap();
        let hand = HandArea { seat: Seat::SECOND, slots: vec![1, 0], holder: "seat 2".to_owned() };
        assert_eq!(film.diagram.hands, [hand]);
        assert_eq!(film.start[0], SlotContent::Held("K".to_owned()));
        assert_eq!(film.to_string(), text);
        for (line, error) in [
            ("hand 0 0", "6: a hand begins with a seat from 1 to 9"),
            ("hand", "5: a hand begins with a seat from 1 to 9"),
            ("hand 1", "7: a hand has one slot or more"),
            ("hand 1 0 0", "10: slot 0 is in a hand already"),
            ("hand 1 2", "8: slot 2 is an edge, which no hand holds"),
            ("hand 1 3", "8: there is no slot 3; they go from 0 to 2"),
        ] {
            let found = refused::<Diagram>(&format!("{head}{line}\n"));
            assert_eq!(found, format!("line 6, character {error}"), "{line}");
        }
        for (lines, error) in [
            ("hand 1 0\nhand 1 1", "line 7, character 6: seat 1 has a hand already"),
            ("hand 1 0\nhand 2 0", "line 7, character 8: slot 0 is in a hand already"),
            ("hand 1 0\nstart 1=?K", "line 7, character 7: slot 1 is in no hand"),
        ] {
            assert_eq!(refused::<Film>(&format!("{head}{lines}\n")), error, "{lines}");
        }
        let old = refused::<Diagram>("frames 1\nsize 300 100\nslot 50 50 square a\nhand 1 0\n");
        assert_eq!(old, "line 4, character 1: frames 1 has no hands; write `frames 2` in the first line");
    }

    #[test]
    fn what_is_wrong_in_a_diagram_is_named_with_its_place() {
        for (text, error) in [
            ("", "line 1, character 1: the first line is \"\", and should be `frames 1`"),
            ("frames 3\n", "line 1, character 8: this is version \"3\" of the format, and 1 and 2 are known"),
            ("frames 1", "line 2, character 1: the second line should be `size WIDTH HEIGHT`"),
            ("frames 1\nsize 5", "line 2, character 7: the height is missing"),
            (
                "frames 1\nsize 5 05",
                "line 2, character 8: the height is \"05\", and should be a number from 0 to 100000",
            ),
            (
                "frames 1\nsize 5 -5",
                "line 2, character 8: the height is \"-5\", and should be a number from 0 to 100000",
            ),
            (
                "frames 1\nsize 5 100001",
                "line 2, character 8: the height is \"100001\", and should be a number from 0 to 100000",
            ),
            ("frames 1\nsize 5 6 7", "line 2, character 10: \"7\" is one field too many"),
            (
                "frames 1\nsize 5 6\nslot 6 6 round a",
                "line 3, character 6: x is \"6\", and should be a number from 0 to 5",
            ),
            (
                "frames 1\nsize 5 6\nslot 5 6 oval a",
                "line 3, character 10: \"oval\" is not a shape: square or round",
            ),
            ("frames 1\nsize 5 6\nslot 5 6 round", "line 3, character 15: the name of a slot is empty"),
            (
                "frames 1\nsize 5 6\nlabel 5 6 é\u{202e}x",
                "line 3, character 11: a label has a character that is not printable, or a backslash: \"é\\u{202e}x\"",
            ),
            (
                "frames 1\nsize 5 6\nlabel 5 6  a",
                "line 3, character 11: a label begins or ends with a space: \" a\"",
            ),
            ("frames 1\nsize 5 6\nspot 5 6", "line 3, character 1: \"spot 5 6\" is not part of a diagram"),
        ] {
            assert_eq!(refused::<Diagram>(text), error, "{text}");
        }
        let many = format!("frames 1\nsize 5 6\n{}", "slot 1 1 round a\n".repeat(MOST_SLOTS + 1));
        assert_eq!(refused::<Diagram>(&many), "line 2003, character 1: a diagram has at most 2000 slots");
    }

    #[test]
    fn what_is_wrong_in_a_film_is_named_with_its_place() {
        for (rest, error) in [
            (
                "",
                "line 5, character 1: a line `slot`, `edge`, `panel`, `line`, `label`, `hand` or `start` should be here; this is \"\"",
            ),
            (
                "spot",
                "line 5, character 1: a line `slot`, `edge`, `panel`, `line`, `label`, `hand` or `start` should be here; this is \"spot\"",
            ),
            ("start 2=1", "line 5, character 7: there is no slot 2; they go from 0 to 1"),
            ("start 0=1 0=2", "line 5, character 11: slot 0 has a content already"),
            ("start 0", "line 5, character 7: \"0\" is not SLOT=CONTENT"),
            ("start\n0=1", "line 6, character 4: there is no `|`; a caption stands behind it"),
            ("start\n0=1 *2|a", "line 6, character 5: there is no slot 2; they go from 0 to 1"),
            (
                "start\n0=1|a\n0>1  *1|b",
                "line 7, character 5: \"\" is not FROM>TO, SLOT=CONTENT, *SLOT or !SLOT, with one space between two",
            ),
        ] {
            assert_eq!(refused::<Film>(&format!("{HEAD}{rest}\n")), error, "{rest}");
        }
    }

    #[test]
    fn what_is_wrong_in_a_frame_is_named_with_its_place() {
        for (line, error) in [
            ("|", "character 2: the caption is empty"),
            (
                "|a\tb",
                "character 2: the caption has a character that is not printable, or a backslash: \"a\\tb\"",
            ),
            (
                "0=10|a",
                "character 1: \"10\" is not a content: `.`, the number of a seat from 1 to 9, or `\"` and a text",
            ),
            (
                "0=0|a",
                "character 1: \"0\" is not a content: `.`, the number of a seat from 1 to 9, or `\"` and a text",
            ),
            ("*1 0=\"|a", "character 4: the text on a slot is empty"),
            (
                "0=\"a\u{a0}b|a",
                "character 1: the text on a slot has no space and no `|`; `_` is a space on a panel",
            ),
            ("0=1 0=2|a", "character 5: the content of slot 0 is given twice"),
            ("0>1 2>1|a", "character 5: a slide to slot 1 is given twice"),
            ("0>1 0>2|a", "character 5: a slide from slot 0 is given twice"),
            ("3>3|a", "character 1: the slide from slot 3 leads back to it"),
            ("*4 *4|a", "character 4: the mark of slot 4 is given twice"),
            ("!4 !4|a", "character 4: in the row, slot 4 is given twice"),
            ("*2000|a", "character 1: there is no slot 2000; they go from 0 to 1999"),
            ("*+1|a", "character 1: \"+1\" is not the number of a slot"),
            ("*01|a", "character 1: \"01\" is not the number of a slot"),
            ("*99999999999999999999|a", "character 1: \"99999999999999999999\" is not the number of a slot"),
        ] {
            assert_eq!(refused::<Frame>(line), format!("line 1, {error}"), "{line}");
        }
        let long = format!("|{}", "a".repeat(MOST_CAPTION + 1));
        assert_eq!(refused::<Frame>(&long), "line 1, character 2: the caption has more than 200 characters");
    }

    #[test]
    fn slides_happen_at_once_and_the_changes_after_them() {
        let frame: Frame = "0>1 1>2 3>0 4>3 0=2|a".parse().unwrap();
        let text = |text: &str| SlotContent::Text(text.to_owned());
        let mut contents = [text("a"), text("b"), text("c"), SlotContent::Empty, text("d")];
        frame.apply(&mut contents).unwrap();
        let entered = SlotContent::Piece(Seat::SECOND);
        assert_eq!(contents, [entered, text("a"), text("b"), text("d"), SlotContent::Empty]);
        let mut few = [text("a"), text("b"), text("c")];
        let error = frame.apply(&mut few).unwrap_err();
        assert_eq!(error.to_string(), "there is no slot 3; the board has 3, numbered from 0");
        assert_eq!(few, [text("a"), text("b"), text("c")], "nothing has changed");
    }
}
