//! The board of a game as SVG. It has classes instead of styles, so the page's policy and its dark
//! form hold for it.

use std::fmt::Write;

use agon_diagram::{Diagram, Film, Frame, HandArea, Point, SLOT, Slot, SlotContent, SlotShape};
use agon_seats::Seat;
use maud::{Markup, PreEscaped, html};

/// Half of the width of a mark. The page's script makes the same ones.
pub(super) const MARK: i32 = 47;

/// The board with these contents, and with the slots of a move and of a row marked. `id` makes the
/// id of an element of this page; `with_ids` says whether slots have one: `s0`, `s1` and so on.
pub(super) fn svg(
    diagram: &Diagram,
    contents: &[SlotContent],
    (marks, row): (&[usize], &[usize]),
    id: &dyn Fn(&str) -> String,
    with_ids: bool,
) -> Markup {
    html! {
        svg.board.round[is_round(diagram)].chequered[has_figures(contents)] width=(diagram.width * 4 / 5) viewBox={ "0 0 " (diagram.width) " " (diagram.height) } role="img" aria-label="Board" {
            (layers(diagram, contents, (marks, row), id, with_ids))
        }
    }
}

/// Whether all slots of a board are round: then marks are too.
pub(super) fn is_round(diagram: &Diagram) -> bool {
    diagram.slots.iter().all(|slot| slot.shape != SlotShape::Square)
}

/// What a board consists of, from below: lines, cells, marks, labels, contents and the row.
pub(super) fn layers(
    diagram: &Diagram,
    contents: &[SlotContent],
    (marks, row): (&[usize], &[usize]),
    id: &dyn Fn(&str) -> String,
    with_ids: bool,
) -> Markup {
    let is_round = is_round(diagram);
    let edges = edges(diagram);
    html! {
        @if !diagram.lines.is_empty() { path.lines d=(lines(diagram)) {} }
        @if !edges.is_empty() { path.edges d=(edges) {} }
        @for (shape, name) in [(SlotShape::Square, "square"), (SlotShape::Round, "round")] {
            // Where lines join the slots, these are points, not cells. Edges join round ones.
            @let is_joined = !diagram.lines.is_empty() || shape == SlotShape::Round && !edges.is_empty();
            @let class = if is_joined { "point" } else { "cell" };
            @let dots = dots(diagram, shape);
            @if !dots.is_empty() {
                // An outline, and the same dots within it, a little smaller.
                g class={ (class) " " (name) } { path id=(id(name)) d=(dots) {} }
                g class={ (class) " inner " (name) } { use href={ "#" (id(name)) } {} }
            }
        }
        (panels(diagram))
        @if !diagram.hands.is_empty() { g.hands { @for hand in &diagram.hands { (area(diagram, hand)) } } }
        @if has_figures(contents) { g.cell.inner.square.shade { path d=(dots_of(diagram.slots.iter().filter(is_dark))) {} } }
        g.marks { (rings(diagram, marks, is_round)) }
        g.labels { @for label in &diagram.labels { text x=(label.at.x) y=(label.at.y) { (label.text) } } }
        g.slots { (PreEscaped(slots(diagram, contents, id, with_ids))) }
        g.row { (rings(diagram, row, is_round)) }
    }
}

/// Whether a board may be looked at from its other side: its slots hang together, and nothing falls
/// on it. Several planes would change places.
pub(super) fn can_be_flipped(film: &Film) -> bool {
    let falls = film.each(|before, frame| is_entering(frame, before));
    !falls.contains(&true) && hangs_together(&film.diagram)
}

/// Whether a ply shows how a new piece enters: it slides from a slot where nothing was.
pub(super) fn is_entering(frame: &Frame, before: &[SlotContent]) -> bool {
    frame.slides.iter().any(|(from, _)| before.get(*from) == Some(&SlotContent::Empty))
}

/// Whether one can go from each slot to every other one, by slots that touch or by lines.
pub(super) fn hangs_together(diagram: &Diagram) -> bool {
    let near = |one: &Slot, other: &Slot| {
        (one.at.x - other.at.x).abs() <= SLOT && (one.at.y - other.at.y).abs() <= SLOT
    };
    let is_on = |at: Point, (from, to): &(Point, Point)| {
        let (along, aside) = ((to.x - from.x, to.y - from.y), (at.x - from.x, at.y - from.y));
        let is_between = (from.x.min(to.x)..=from.x.max(to.x)).contains(&at.x)
            && (from.y.min(to.y)..=from.y.max(to.y)).contains(&at.y);
        is_between && along.0 * aside.1 == along.1 * aside.0
    };
    let joined = |one: &Slot, other: &Slot| {
        near(one, other) || diagram.lines.iter().any(|line| is_on(one.at, line) && is_on(other.at, line))
    };
    // Texts beside the board belong to no place of it.
    let mut left: Vec<&Slot> = diagram.slots.iter().filter(|slot| !slot.shape.is_panel()).collect();
    let mut reached: Vec<&Slot> = left.pop().into_iter().collect();
    while let Some(one) = reached.pop() {
        let (next, rest) = left.into_iter().partition(|other| joined(one, other));
        left = rest;
        reached.extend::<Vec<&Slot>>(next);
    }
    left.is_empty()
}

/// Rings around slots: a mark for each.
pub(super) fn rings(diagram: &Diagram, slots: &[usize], is_round: bool) -> Markup {
    html! {
        @for slot in slots.iter().filter_map(|slot| diagram.slots.get(*slot)) {
            @if let SlotShape::Edge(from, to) = slot.shape { path d=(line(from, to)) {} }
            @else if let SlotShape::Panel(width) = slot.shape { (panel(slot.at, width)) }
            @else { rect x=(slot.at.x - MARK) y=(slot.at.y - MARK) width=(2 * MARK) height=(2 * MARK) rx=(if is_round { MARK } else { 8 }) {} }
        }
    }
}

/// The boxes of the panels among the slots.
fn panels(diagram: &Diagram) -> Markup {
    let boxes = diagram.slots.iter().filter_map(|slot| match slot.shape {
        SlotShape::Panel(width) => Some(panel(slot.at, width)),
        _ => None,
    });
    let boxes: Vec<Markup> = boxes.collect();
    html! { @if !boxes.is_empty() { g.panels { @for panel in &boxes { (panel) } } } }
}

/// The frame round a hand, in the colour of its seat, with the name of its holder above it.
fn area(diagram: &Diagram, hand: &HandArea) -> Markup {
    let (Point { x, y }, [width, height], name) = hand_frame(diagram, hand);
    html! {
        g class={ "h" (hand.seat.index() + 1) } {
            rect x=(x) y=(y) width=(width) height=(height) rx="12" {}
            text x=(x) y=(y - 20) { (name) }
        }
    }
}

/// How wide a letter of the name of a holder is.
pub(super) const NAME_LETTER: i32 = 17;

/// The frame round the slots of a hand: its upper left corner and its size, and the name of the
/// holder, as far as there is room for it above the frame.
pub(super) fn hand_frame(diagram: &Diagram, hand: &HandArea) -> (Point, [i32; 2], String) {
    let sides = hand.slots.iter().filter_map(|slot| diagram.slots.get(*slot)).map(|slot| {
        let half = if let SlotShape::Panel(width) = slot.shape { width / 2 } else { SLOT / 2 };
        (slot.at.x - half, slot.at.x + half, slot.at.y)
    });
    let sides: Vec<(i32, i32, i32)> = sides.collect();
    let least = |of: fn(&(i32, i32, i32)) -> i32| sides.iter().map(of).min().unwrap_or(0);
    let most = |of: fn(&(i32, i32, i32)) -> i32| sides.iter().map(of).max().unwrap_or(0);
    let corner = Point { x: least(|side| side.0) - 4, y: least(|side| side.2) - SLOT / 2 - 4 };
    let size = [most(|side| side.1) + 4 - corner.x, most(|side| side.2) + SLOT / 2 + 4 - corner.y];
    let room = usize::try_from(size[0] / NAME_LETTER).unwrap_or_default();
    let name = match hand.holder.chars().count() <= room {
        true => hand.holder.clone(),
        false => hand.holder.chars().take(room.saturating_sub(1)).chain(['\u{2026}']).collect(),
    };
    (corner, size, name)
}

/// The box of a panel, a little narrower than its place, as cells are. The page's script makes the
/// same one.
fn panel(at: Point, width: i32) -> Markup {
    let half = width / 2 - SLOT / 2 + MARK;
    html! { rect x=(at.x - half) y=(at.y - MARK) width=(2 * half) height=(2 * MARK) rx="8" {} }
}

/// The sizes of letters of `.board text`, `.l2`, `.l3` and `.l4`.
pub(super) const SIZES: [i32; 4] = [52, 42, 32, 25];

/// A text on a panel: as large as there is room for. A letter is 0.6 times as wide as it is high,
/// or twice that in scripts with wide signs. What is still too long is drawn narrower.
fn panel_text(text: &str, width: i32, more: Option<&str>) -> Markup {
    let (text, fit, room) = panel_fit(text, width);
    let class = (fit != Some(0)).then(|| format!("l{}", fit.map_or(SIZES.len(), |at| at + 1)));
    let length = fit.is_none().then_some(room);
    let class = joined([class.as_deref(), more]);
    html! { text class=[class] textLength=[length] lengthAdjust=[length.map(|_| "spacingAndGlyphs")] { (text) } }
}

/// A text on a panel of this width as it is read, which of [`SIZES`] it has room for, if any, and
/// that room.
pub(super) fn panel_fit(text: &str, width: i32) -> (String, Option<usize>, i32) {
    let text = text.replace('_', " ");
    let units: i32 = text.chars().map(|sign| if sign < '\u{1100}' { 1 } else { 2 }).sum();
    let room = width - 20;
    let fit = SIZES.iter().position(|size| 6 * units * size <= 10 * room);
    (text, fit, room)
}

fn lines(diagram: &Diagram) -> String {
    diagram.lines.iter().map(|(from, to)| line(*from, *to)).collect()
}

/// The edges among the slots as a path.
fn edges(diagram: &Diagram) -> String {
    let all = diagram.slots.iter().filter_map(|slot| match slot.shape {
        SlotShape::Edge(from, to) => Some(line(from, to)),
        _ => None,
    });
    all.collect()
}

fn line(from: Point, to: Point) -> String {
    format!("M{} {}L{} {}", from.x, from.y, to.x, to.y)
}

/// The cells of one shape as a path of dots. Its caps have the form and the size of the cells: a
/// board of a hundred cells takes less than a kilobyte.
fn dots(diagram: &Diagram, shape: SlotShape) -> String {
    dots_of(diagram.slots.iter().filter(|slot| slot.shape == shape))
}

fn dots_of<'a>(slots: impl Iterator<Item = &'a Slot>) -> String {
    let mut path = String::new();
    let mut last = None;
    for slot in slots {
        let (x, y) = (slot.at.x, slot.at.y);
        let _ = match last {
            None => write!(path, "M{x} {y}z"),
            Some((before_x, before_y)) => write!(path, "m{} {}z", x - before_x, y - before_y),
        }; // as above
        last = Some((x, y));
    }
    path
}

/// Whether a square of a chequered board is a dark one. That in the upper left corner is light.
pub(super) fn is_dark(slot: &&Slot) -> bool {
    (slot.at.x / SLOT + slot.at.y / SLOT) % 2 == 0
}

/// The signs of the pieces of chess, which are drawn as figures: white ones first, each time king,
/// queen, rook, bishop, knight and pawn.
const FIGURES: std::ops::RangeInclusive<char> = '\u{2654}'..='\u{265f}';

/// The number of a figure, from 0, if a text on a slot is one.
pub(super) fn figure(text: &str) -> Option<u32> {
    let mut signs = text.chars();
    let sign = signs.next().filter(|sign| FIGURES.contains(sign))?;
    signs.next().is_none().then(|| u32::from(sign) - u32::from(*FIGURES.start()))
}

/// Whether there are pieces of chess among the contents: then the board is chequered.
pub(super) fn has_figures(contents: &[SlotContent]) -> bool {
    contents.iter().any(|content| matches!(content, SlotContent::Text(text) if figure(text).is_some()))
}

/// The outlines of king, queen, rook, bishop, knight and pawn, above a foot that all have.
pub(super) const OUTLINES: [&str; 6] = [
    "M-4-43h8v7h7v8h-7v9h-8v-9h-7v-8h7zM0-14c9-13 33-8 28 11-2 9-8 14-11 27h-34c-3-13-9-18-11-27-5-19 19-24 28-11zM-17 14h34",
    "M-32-22l14 17 1-27 12 24 5-30 5 30 12-24 1 27 14-17-9 46h-46zM-19 13h38M-5-38a5 5 0 1 1 10 0 5 5 0 1 1-10 0",
    "M-25-34h12v8h8v-8h10v8h8v-8h12v18l-8 7v22l6 10h-46l6-10v-22l-8-7zM-17-9h34M-17 13h34",
    "M-5-38a5 5 0 1 1 10 0 5 5 0 1 1-10 0M0-32c16 10 23 24 13 39l4 17h-34l4-17c-10-15-3-29 13-39zM0-20v16M-8-12h16M-13 7h26",
    "M-8-40l8 8c20 3 29 20 26 56h-42c-2-15 8-21 13-31-6 5-14 3-19 9-3 4-7 7-11 5-4-2-3-5 0-8l-3 2c-3-1-4-5-2-9l14-20zM-11-18h1",
    "M0-31a12 12 0 0 1 8 21l-2 4h7l-5 5c0 10 4 17 9 25h-34c5-8 9-15 9-25l-5-5h7l-2-4a12 12 0 0 1 8-21z",
];

/// The definitions of the pieces of chess. They are drawn for agon.
fn figures(id: &dyn Fn(&str) -> String) -> Markup {
    html! {
        @for (side, class) in ["light", "shadow"].into_iter().enumerate() {
            @for (number, outline) in OUTLINES.into_iter().enumerate() {
                g id=(id(&format!("f{}", side * OUTLINES.len() + number))) class={ "figure " (class) } stroke-linejoin="round" {
                    path d=(outline) {}
                    rect x="-26" y="25" width="52" height="10" rx="3" {}
                }
            }
        }
    }
}

fn slots(diagram: &Diagram, contents: &[SlotContent], id: &dyn Fn(&str) -> String, with_ids: bool) -> String {
    let mut text = String::new();
    for (number, (slot, content)) in diagram.slots.iter().zip(contents).enumerate() {
        text.push_str("<g");
        if with_ids {
            let _ = write!(text, " id=\"{}\"", id(&format!("s{number}"))); // as above
        }
        if let Some(edge) = edge_of(slot) {
            let _ = write!(text, " data-edge=\"{edge}\""); // as above
        }
        if let SlotShape::Panel(width) = slot.shape {
            let _ = write!(text, " data-panel=\"{width}\""); // as above
        }
        let _ = write!(text, " transform=\"translate({} {})\">", slot.at.x, slot.at.y); // as above
        text.push_str(&inside(slot, content, id).into_string());
        text.push_str("</g>");
    }
    text
}

/// The path of a slot that is an edge, seen from its middle.
fn edge_of(slot: &Slot) -> Option<String> {
    let SlotShape::Edge(from, to) = slot.shape else { return None };
    let seen = |end: Point| Point { x: end.x - slot.at.x, y: end.y - slot.at.y };
    Some(line(seen(from), seen(to)))
}

/// What is on a slot. The page's script makes the same elements. On an edge it is a line: of the
/// seat's colour and kind, or a plain one for a text.
pub(super) fn inside(slot: &Slot, content: &SlotContent, id: &dyn Fn(&str) -> String) -> Markup {
    if let Some(edge) = edge_of(slot) {
        let seat = match content {
            SlotContent::Empty => return html! {},
            SlotContent::Piece(seat) => format!("edge e{}", seat.index() + 1),
            SlotContent::Text(_) | SlotContent::Held(_) => "edge".to_owned(),
        };
        return html! { path class=(seat) d=(edge) {} };
    }
    if let (SlotShape::Panel(width), SlotContent::Text(text)) = (slot.shape, content) {
        return panel_text(text, width, None);
    }
    if let SlotContent::Held(text) = content {
        // The script hides the one or the other.
        let held = Some("held");
        return html! {
            @if let SlotShape::Panel(width) = slot.shape { (panel_text(text, width, held)) } @else { (plain_text(text, held)) }
            (plain_text("?", Some("veil")))
        };
    }
    html! {
        @match content {
            SlotContent::Empty => {}
            SlotContent::Piece(seat) => { use href={ "#" (piece_id(*seat, id)) } {} }
            SlotContent::Text(text) if figure(text).is_some() => {
                use href={ "#" (id(&format!("f{}", figure(text).unwrap_or_default()))) } {}
            }
            SlotContent::Text(text) | SlotContent::Held(text) => { (plain_text(text, None)) }
        }
    }
}

/// A text on a slot that is no panel.
fn plain_text(text: &str, more: Option<&str>) -> Markup {
    let length = text.chars().count();
    let size = (length > 1).then(|| format!("l{length}"));
    html! { text class=[joined([size.as_deref(), more])] { (text) } }
}

fn joined(classes: [Option<&str>; 2]) -> Option<String> {
    let given: Vec<&str> = classes.into_iter().flatten().collect();
    (!given.is_empty()).then(|| given.join(" "))
}

/// The definitions of the pieces. Each seat's piece has a mark of its own besides its colour: W and
/// B are white, and black with a ring, as in their games; other seats have a cross, a ring or a
/// number. `with_figures` adds the pieces of chess.
pub(super) fn pieces(sides: &[&str], with_figures: bool, id: &dyn Fn(&str) -> String) -> Markup {
    html! {
        svg.defined aria-hidden="true" {
            defs {
                @for (number, side) in sides.iter().enumerate() {
                    g id=(piece_id(Seat::new(number), id)) class={ "piece " (class(number, side)) } {
                        circle r="38" {}
                        @match (number, *side) {
                            (_, "W") => {}
                            (_, "B") => { circle.sign r="20" {} }
                            (0, _) => { path.sign d="M-15-15 15 15M-15 15 15-15" {} }
                            (1, _) => { circle.sign r="17" {} }
                            (number, _) => { text { (number + 1) } }
                        }
                    }
                }
                @if with_figures { (figures(id)) }
            }
        }
    }
}

fn class(number: usize, side: &str) -> &'static str {
    match (number, side) {
        (_, "W") => "white",
        (_, "B") => "black",
        (0, _) => "first",
        _ => "second",
    }
}

/// The id of a seat's piece. Its last digit is the content of a slot in the text of frames.
fn piece_id(seat: Seat, id: &dyn Fn(&str) -> String) -> String {
    id(&format!("p{}", seat.index() + 1))
}

/// The piece of a seat beside its name.
pub(super) fn piece(seat: Seat, id: &dyn Fn(&str) -> String) -> Markup {
    html! { svg.stone viewBox="-42 -42 84 84" aria-hidden="true" { use href={ "#" (piece_id(seat, id)) } {} } " " }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use agon_diagram::Label;
    use agon_games::{Needs, film, find, lexicon::Lexicon};

    use super::*;

    fn drawn(diagram: &Diagram, contents: &[SlotContent]) -> String {
        svg(diagram, contents, (&[], &[]), &str::to_owned, true).into_string()
    }

    #[test]
    fn a_board_of_108_letters_takes_less_than_nine_kilobytes() {
        let lexicon = Some(Arc::new(Lexicon::parse(b"word\n").unwrap()));
        let rules = find("letters:6x6x3", &Needs { lexicon }).unwrap();
        let film = film(rules.as_ref(), &rules.start(1).text(), []).unwrap();
        assert_eq!(film.diagram.slots.len(), 108);
        let drawn = drawn(&film.diagram, &film.start);
        assert_eq!(drawn.matches("<g id=\"s").count(), 108);
        assert!(drawn.len() <= 9000, "{} bytes", drawn.len());
    }

    #[test]
    fn pieces_differ_by_their_marks_and_nothing_has_a_style() {
        for sides in [["W", "B"], ["X", "O"]] {
            let drawn = pieces(&sides, false, &str::to_owned).into_string();
            let signs = drawn.split("<g ").skip(1).map(|piece| {
                let inside = piece.split_once('>').unwrap().1;
                inside.split("</g>").next().unwrap().to_owned()
            });
            let signs: Vec<String> = signs.collect();
            assert!(signs.len() == 2 && signs[0] != signs[1], "{signs:?}");
            assert!(!drawn.contains("style"), "{drawn}");
        }
    }

    #[test]
    fn pieces_of_chess_are_figures_on_a_chequered_board() {
        let rules = find("chess", &Needs::default()).unwrap();
        let film = film(rules.as_ref(), "startpos", ["e2e4"]).unwrap();
        let drawn =
            drawn(&film.diagram, &film.start) + &pieces(&["W", "B"], true, &str::to_owned).into_string();
        assert!(drawn.contains("board chequered") && drawn.contains("shade"), "{drawn}");
        for number in 0..12 {
            assert_eq!(drawn.matches(&format!("<g id=\"f{number}\"")).count(), 1, "{number}");
            assert!(drawn.contains(&format!("href=\"#f{number}\"")), "{number}");
        }
        // h1 is light: the 64th slot. 32 squares are dark.
        assert!(!is_dark(&&film.diagram.slots[63]) && is_dark(&&film.diagram.slots[56]));
        assert_eq!(film.diagram.slots.iter().filter(is_dark).count(), 32);
        assert!(!drawn.contains('\u{2654}') && !drawn.contains("style"));
    }

    #[test]
    fn a_board_of_one_plane_on_which_nothing_falls_can_be_flipped() {
        let lexicon = Some(Arc::new(Lexicon::parse(b"word\n").unwrap()));
        for (spec, can) in [
            ("abalone", true),
            ("chess", true),
            ("connect4", false),
            ("letters:6x6x3", false),
            ("mill", false),
            ("mnk:7x5,4", true),
            ("mnk:1x1,1", true),
            ("morris", true),
            ("morris:nine", true),
        ] {
            let rules = find(spec, &Needs { lexicon: lexicon.clone() }).unwrap();
            let game = rules.start(1);
            let start = game.text();
            let mv = game.moves().first().cloned();
            let film = film(rules.as_ref(), &start, mv.as_deref()).unwrap();
            assert_eq!(can_be_flipped(&film), can, "{spec}");
        }
    }

    #[test]
    fn an_edge_is_a_line_of_its_seat() {
        let at = |x, y| Point { x, y };
        let edges =
            [(at(100, 100), at(200, 100)), (at(200, 100), at(200, 200)), (at(100, 100), at(100, 200))];
        let slots = edges.map(|(from, to)| Slot::edge(from, to, "an edge".to_owned()));
        let diagram = Diagram { width: 300, height: 300, slots: slots.into(), ..Diagram::default() };
        let contents =
            [SlotContent::Piece(Seat::SECOND), SlotContent::Empty, SlotContent::Text("+".to_owned())];
        let drawn = svg(&diagram, &contents, (&[0], &[2]), &str::to_owned, true).into_string();
        let line = "data-edge=\"M-50 0L50 0\" transform=\"translate(150 100)\"><path class=\"edge e2\" d=\"M-50 0L50 0\">";
        assert!(drawn.contains(line), "{drawn}");
        assert!(drawn.contains("<path class=\"edge\" d=\"M0 -50L0 50\">"), "{drawn}");
        assert_eq!(drawn.matches("class=\"edge").count(), 3, "with the path of all edges: {drawn}");
        assert!(drawn.contains("<g class=\"marks\"><path d=\"M100 100L200 100\">"), "{drawn}");
        assert!(drawn.contains("<g class=\"row\"><path d=\"M100 100L100 200\">"), "{drawn}");
    }

    #[test]
    fn a_panel_is_a_box_whose_text_has_the_size_for_which_there_is_room() {
        let at = Point { x: 250, y: 50 };
        let slot = |at, shape, name: &str| Slot { at, shape, name: name.to_owned() };
        let round = slot(Point { x: 50, y: 50 }, SlotShape::Round, "a");
        let slots = vec![round.clone(), slot(at, SlotShape::Panel(300), "bid")];
        let diagram = Diagram { width: 400, height: 100, slots, ..Diagram::default() };
        for (text, drawn_as) in [
            ("3_x_4", "<text>3 x 4</text>"),
            ("ten_signs_", "<text class=\"l2\">ten signs </text>"),
            ("骰骰骰骰骰", "<text class=\"l2\">骰骰骰骰骰</text>"),
            (&"a".repeat(14), "<text class=\"l3\">aaaaaaaaaaaaaa</text>"),
            (&"a".repeat(18), "<text class=\"l4\">aaaaaaaaaaaaaaaaaa</text>"),
            (&"b".repeat(40), "<text class=\"l4\" textLength=\"280\" lengthAdjust=\"spacingAndGlyphs\">bbbb"),
            ("<b>", "<text>&lt;b&gt;</text>"),
        ] {
            let contents = [SlotContent::Text("a_b".to_owned()), SlotContent::Text(text.to_owned())];
            let drawn = svg(&diagram, &contents, (&[1], &[0]), &str::to_owned, true).into_string();
            assert!(
                drawn.contains(&format!("data-panel=\"300\" transform=\"translate(250 50)\">{drawn_as}")),
                "{drawn}"
            );
            assert!(drawn.contains("<text class=\"l3\">a_b</text>"), "no space elsewhere: {drawn}");
            let rect = "<rect x=\"103\" y=\"3\" width=\"294\" height=\"94\" rx=\"8\">";
            assert_eq!(drawn.matches(rect).count(), 2, "the box and its mark: {drawn}");
            assert!(drawn.contains(&format!("<g class=\"panels\">{rect}")), "{drawn}");
        }
        // A text beside the board is no part of it.
        assert!(hangs_together(&diagram));
        let far = vec![round, slot(at, SlotShape::Round, "b")];
        assert!(!hangs_together(&Diagram { slots: far, ..Diagram::default() }));
    }

    #[test]
    fn a_hand_has_a_frame_with_its_holder_and_what_it_holds_can_be_veiled() {
        let slot = |x| Slot { at: Point { x, y: 100 }, shape: SlotShape::Square, name: x.to_string() };
        let hand = HandArea { seat: Seat::SECOND, slots: vec![0, 1], holder: "<Ada> and others".to_owned() };
        let slots = vec![slot(100), slot(200)];
        let diagram = Diagram { width: 300, height: 200, slots, hands: vec![hand], ..Diagram::default() };
        let contents = [SlotContent::Held("K".to_owned()), SlotContent::Text("?".to_owned())];
        let drawn = drawn(&diagram, &contents);
        let frame = "<g class=\"h2\"><rect x=\"46\" y=\"46\" width=\"208\" height=\"108\" rx=\"12\"></rect>\
                     <text x=\"46\" y=\"26\">&lt;Ada&gt; and o\u{2026}</text></g>";
        assert!(drawn.contains(frame), "{drawn}");
        assert!(drawn.contains("<text class=\"held\">K</text><text class=\"veil\">?</text>"), "{drawn}");
        assert!(drawn.contains("<text>?</text>"), "{drawn}");
    }

    #[test]
    fn texts_on_a_board_are_texts() {
        let at = Point { x: 50, y: 50 };
        let diagram = Diagram {
            width: 100,
            height: 100,
            slots: vec![Slot { at, shape: SlotShape::Square, name: "<b>".to_owned() }],
            labels: vec![Label { at, text: "<script>".to_owned() }],
            ..Diagram::default()
        };
        let drawn = drawn(&diagram, &[SlotContent::Text("\"<&>".to_owned())]);
        assert!(drawn.contains("&lt;script&gt;") && drawn.contains("&quot;&lt;&amp;&gt;"), "{drawn}");
        assert!(!drawn.contains("<b>") && !drawn.contains("<script"), "{drawn}");
    }
}
