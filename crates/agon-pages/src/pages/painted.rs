//! The board of a game as pixels: what `board` draws as SVG, in the light colours of the style.

use std::collections::HashMap;

use agon_diagram::{Diagram, Label, Point, SLOT, Slot, SlotContent, SlotShape};
use agon_raster::{Canvas, Colour, Lettering, Outline, Pen, TextLook};
use agon_seats::Seat;

use super::board::{self, MARK};
use super::shell::STYLE;

/// How many pixels a slot is wide: on a small board the second number, on others as many as give
/// the longer side of the picture this length, and at least the first number.
const PIXELS: [f32; 2] = [50.0, 80.0];
const USUAL: f32 = 500.0;

/// How many pixels a picture has at most in a line or a column.
const MOST_PIXELS: f32 = 1600.0;

/// How many drawings of pieces and letters are kept: at most some 30 MB.
const MOST_STAMPS: usize = 1000;

/// The colours of the style that have no name there.
const WHITE: Colour = [0xff; 3];
const BLACK: Colour = [0x10; 3];
const RIM: Colour = [0xa8; 3];
const WHITE_RIM: Colour = [0x55; 3];
const SHADE: Colour = [0x7a, 0x9c, 0x8a];
const FIGURE: [[Colour; 2]; 2] = [[WHITE, [0x11; 3]], [[0x22; 3], [0xee; 3]]];

/// The colours of the style by their names, as a light page has them.
struct Style {
    back: Colour,
    text: Colour,
    soft: Colour,
    panel: Colour,
    edge: Colour,
    seats: [Colour; 2],
    mark: Colour,
    good: Colour,
    bad: Colour,
    /// A dark square: half of [`SHADE`] on a panel.
    shade: Colour,
}

impl Style {
    fn new() -> Self {
        let panel = named("panel");
        Style {
            back: named("back"),
            text: named("text"),
            soft: named("soft"),
            panel,
            edge: named("edge"),
            seats: [named("one"), named("two")],
            mark: named("mark"),
            good: named("good"),
            bad: named("bad"),
            shade: std::array::from_fn(|at| SHADE[at].midpoint(panel[at])),
        }
    }

    fn of(&self, seat: Seat) -> Colour {
        self.seats[seat.index().min(1)]
    }
}

/// A colour of the first line of the style, such as `--back:#fff`.
fn named(name: &str) -> Colour {
    let root = STYLE.lines().next().unwrap_or_default();
    let digits = root.split([';', '{', '}']).find_map(|rule| rule.strip_prefix(&format!("--{name}:#")));
    let digits: Vec<u8> = digits
        .into_iter()
        .flat_map(str::chars)
        .filter_map(|digit| digit.to_digit(16))
        .map(|digit| digit as u8)
        .collect();
    match digits[..] {
        [red, green, blue] => [17 * red, 17 * green, 17 * blue],
        [r1, r2, g1, g2, b1, b2] => [16 * r1 + r2, 16 * g1 + g2, 16 * b1 + b2],
        _ => panic!("the style names the colour {name} in its first line"),
    }
}

/// What is drawn of a position.
pub(super) struct PaintedPosition<'a> {
    /// What is on the slots.
    pub(super) contents: &'a [SlotContent],
    /// The slots of the move.
    pub(super) marks: &'a [usize],
    /// The line that has won, or the mill that was closed.
    pub(super) row: &'a [usize],
    /// The two lines below the board, each with the size of its letters and the distance of its
    /// middle from the lower end.
    pub(super) lines: [(f32, f32, &'a str); 2],
}

/// Draws the positions of a game.
pub(super) struct Painter<'a> {
    diagram: &'a Diagram,
    sides: &'a [&'a str],
    lettering: &'a mut Lettering,
    style: Style,
    /// What all positions have: cells, lines and panels.
    board: Canvas,
    is_round: bool,
    is_chequered: bool,
    height: f32,
    /// What stands on slots, as it was drawn before, by where it lies in a pixel.
    stamps: HashMap<(String, [u8; 2]), Canvas>,
}

impl<'a> Painter<'a> {
    /// Of a board that has such pieces at the start. `below` is the room below it, in the unit of
    /// the diagram.
    pub(super) fn new(
        (diagram, start): (&'a Diagram, &[SlotContent]),
        sides: &'a [&'a str],
        below: i32,
        lettering: &'a mut Lettering,
    ) -> Self {
        let (style, slot) = (Style::new(), SLOT as f32);
        let size = [diagram.width.max(1) as f32, (diagram.height + below) as f32];
        let longer = size[0].max(size[1]);
        let [least, most] = PIXELS.map(|pixels| pixels / slot);
        let scale = (USUAL / longer).clamp(least, most).min(MOST_PIXELS / longer);
        let board =
            Canvas::new(size, scale, style.back).expect("a picture has one to 1,600 pixels in a line");
        let (is_round, is_chequered) = (board::is_round(diagram), board::has_figures(start));
        let height = size[1];
        let stamps = HashMap::new();
        let mut painter =
            Painter { diagram, sides, lettering, style, board, is_round, is_chequered, height, stamps };
        painter.draw_board();
        painter
    }

    /// The colours of the pictures. Between two of them others come about, at the edges of shapes.
    pub(super) fn colours(&self) -> Vec<Colour> {
        let style = &self.style;
        let always = [style.back, style.text, style.panel, style.edge, style.soft, style.mark, RIM];
        let usual = [BLACK, style.seats[0], style.seats[1], style.good];
        let mut colours = [&always[..], &usual].concat();
        if self.is_chequered {
            colours.extend([style.shade, style.bad]);
        }
        colours
    }

    /// Cells, points, lines, panels, and the places of edges.
    fn draw_board(&mut self) {
        let (style, canvas, diagram) = (&self.style, &mut self.board, self.diagram);
        let thin = Pen { width: 4.0, ..Pen::default() };
        for (from, to) in &diagram.lines {
            canvas.stroke(&Outline::line(at(*from), at(*to)), [0.0; 2], style.edge, thin);
        }
        let is_edge = |slot: &Slot| matches!(slot.shape, SlotShape::Edge(..));
        let has_edges = diagram.slots.iter().any(is_edge);
        for slot in &diagram.slots {
            if let SlotShape::Edge(from, to) = slot.shape {
                let dotted = Pen { width: 3.0, is_round: true, dashes: Some([2.0, 9.0]) };
                canvas.stroke(&Outline::line(at(from), at(to)), [0.0; 2], style.edge, dotted);
            }
        }
        for shape in [SlotShape::Square, SlotShape::Round] {
            let is_joined = !diagram.lines.is_empty() || shape == SlotShape::Round && has_edges;
            let cell = |size: f32| match shape {
                SlotShape::Round => Outline::circle([0.0; 2], size / 2.0),
                _ => Outline::rect([0.0; 2], [size; 2], 0.0),
            };
            let layers = match is_joined {
                true => vec![(cell(26.0), style.edge)],
                false => vec![(cell(94.0), style.edge), (cell(88.0), style.panel)],
            };
            for (outline, colour) in &layers {
                for slot in diagram.slots.iter().filter(|slot| slot.shape == shape) {
                    canvas.fill(outline, at(slot.at), *colour);
                }
            }
        }
        for slot in &diagram.slots {
            if slot.shape.is_panel() {
                let panel = ring(slot, false);
                canvas.fill(&panel, [0.0; 2], style.panel);
                canvas.stroke(&panel, [0.0; 2], style.edge, Pen { width: 3.0, ..Pen::default() });
            } else if self.is_chequered && board::is_dark(&slot) && !is_edge(slot) {
                canvas.fill(&Outline::rect([0.0; 2], [88.0; 2], 0.0), at(slot.at), style.shade);
            }
        }
    }

    /// The frames of hands, with the names of their holders.
    fn draw_hands(&mut self, canvas: &mut Canvas) {
        for hand in &self.diagram.hands {
            let (corner, size, name) = board::hand_frame(self.diagram, hand);
            let [x, y] = at(corner);
            let size = size.map(|side| side as f32);
            let frame = Outline::rect([x + size[0] / 2.0, y + size[1] / 2.0], size, 12.0);
            let colour = if hand.seat.index() < 2 { self.style.of(hand.seat) } else { self.style.soft };
            canvas.stroke(&frame, [0.0; 2], colour, Pen { width: 4.0, ..Pen::default() });
            let look = TextLook { size: 30.0, is_bold: false, colour: self.style.text, room: size[0] };
            let middle = x + (name.chars().count() as f32) * board::NAME_LETTER as f32 / 2.0;
            canvas.text(self.lettering, [middle, y - 30.0], &name, look);
        }
    }

    /// The picture of a position.
    pub(super) fn draw(&mut self, position: &PaintedPosition<'_>) -> Canvas {
        let mut canvas = self.board.clone();
        self.draw_hands(&mut canvas);
        let chosen = |slots: &[usize]| -> Vec<&'a Slot> {
            slots.iter().filter_map(|slot| self.diagram.slots.get(*slot)).collect()
        };
        let style = &self.style;
        for slot in chosen(position.marks) {
            let ring = ring(slot, self.is_round);
            if matches!(slot.shape, SlotShape::Edge(..)) {
                let pen = Pen { width: 52.0, is_round: true, dashes: None };
                canvas.stroke(&ring, [0.0; 2], style.mark, pen);
            } else {
                canvas.fill(&ring, [0.0; 2], style.mark);
                let pen = Pen { width: 4.0, is_round: false, dashes: Some([14.0, 8.0]) };
                canvas.stroke(&ring, [0.0; 2], style.text, pen);
            }
        }
        for Label { at: place, text } in &self.diagram.labels {
            let look = TextLook { size: 36.0, is_bold: false, colour: style.soft, room: f32::MAX };
            canvas.text(self.lettering, at(*place), text, look);
        }
        for (slot, content) in self.diagram.slots.iter().zip(position.contents) {
            self.draw_content(&mut canvas, slot, content);
        }
        let style = &self.style;
        for slot in chosen(position.row) {
            let is_edge = matches!(slot.shape, SlotShape::Edge(..));
            let colour = if self.is_chequered && !is_edge { style.bad } else { style.good };
            canvas.stroke(&ring(slot, self.is_round), [0.0; 2], colour, Pen { width: 9.0, ..Pen::default() });
        }
        let width = self.diagram.width as f32;
        for (size, from_below, text) in position.lines {
            let look = TextLook { size, is_bold: false, colour: style.text, room: 0.96 * width };
            // A line of SVG stands on its place, and one of ours is around it.
            let place = [width / 2.0, self.height - from_below - 0.36 * size];
            canvas.text(self.lettering, place, text, look);
        }
        canvas
    }

    /// What is on a slot.
    fn draw_content(&mut self, canvas: &mut Canvas, slot: &Slot, content: &SlotContent) {
        let style = &self.style;
        if let SlotShape::Edge(from, to) = slot.shape {
            let (colour, dashes) = match content {
                SlotContent::Empty => return,
                SlotContent::Piece(seat) if seat.index() < 2 => {
                    (style.of(*seat), (seat.index() == 1).then_some([24.0, 22.0]))
                }
                _ => (style.text, None),
            };
            let pen = Pen { width: 15.0, is_round: true, dashes };
            return canvas.stroke(&Outline::line(at(from), at(to)), [0.0; 2], colour, pen);
        }
        match (content, slot.shape) {
            (SlotContent::Empty, _) => {}
            (SlotContent::Text(text) | SlotContent::Held(text), SlotShape::Panel(width)) => {
                let (text, fit, room) = board::panel_fit(text, width);
                let size = board::SIZES[fit.unwrap_or(board::SIZES.len() - 1)];
                let colour = self.ink(content);
                self.write(canvas, at(slot.at), (&text, colour), [size, room]);
            }
            _ => self.stamp(canvas, at(slot.at), content),
        }
    }

    /// Draws what is on a slot; what was drawn before is stamped.
    fn stamp(&mut self, canvas: &mut Canvas, at: [f32; 2], content: &SlotContent) {
        let part = canvas.part_of_pixel(at);
        let key = (content.to_string(), part);
        if !self.stamps.contains_key(&key) {
            let Some((mut stamp, middle)) = canvas.stamp(part, SLOT as f32) else { return };
            match content {
                SlotContent::Empty => {}
                SlotContent::Piece(seat) => self.draw_piece(&mut stamp, middle, *seat),
                SlotContent::Text(text) if board::figure(text).is_some() => {
                    draw_figure(&mut stamp, middle, board::figure(text).unwrap_or_default() as usize);
                }
                SlotContent::Text(text) | SlotContent::Held(text) => {
                    let letters = text.chars().count().clamp(1, board::SIZES.len());
                    let written = (text.as_str(), self.ink(content));
                    self.write(&mut stamp, middle, written, [board::SIZES[letters - 1], SLOT]);
                }
            }
            if self.stamps.len() >= MOST_STAMPS {
                self.stamps.clear();
            }
            self.stamps.insert(key.clone(), stamp);
        }
        canvas.put(&self.stamps[&key], at);
    }

    /// The colour of a text: a soft one if its holder alone saw it.
    fn ink(&self, content: &SlotContent) -> Colour {
        if matches!(content, SlotContent::Held(_)) { self.style.soft } else { self.style.text }
    }

    /// Writes a text on a slot in a colour.
    fn write(
        &mut self,
        canvas: &mut Canvas,
        at: [f32; 2],
        (text, colour): (&str, Colour),
        [size, room]: [i32; 2],
    ) {
        let (size, room) = (size as f32, room as f32);
        let look = TextLook { size, is_bold: true, colour, room };
        canvas.text(self.lettering, at, text, look);
    }

    /// The piece of a seat, with the mark that it has besides its colour.
    fn draw_piece(&mut self, canvas: &mut Canvas, at: [f32; 2], seat: Seat) {
        let style = &self.style;
        let side = self.sides.get(seat.index()).copied().unwrap_or_default();
        let (inside, rim) = match (seat.index(), side) {
            (_, "W") => (WHITE, WHITE_RIM),
            (_, "B") => (BLACK, RIM),
            _ => (style.of(seat), style.back),
        };
        let thin = Pen { width: 4.0, ..Pen::default() };
        let circle = Outline::circle([0.0; 2], 38.0);
        canvas.fill(&circle, at, inside);
        canvas.stroke(&circle, at, rim, thin);
        let thick = Pen { width: 9.0, ..Pen::default() };
        match (seat.index(), side) {
            (_, "W") => {}
            (_, "B") => {
                canvas.stroke(&Outline::circle([0.0; 2], 20.0), at, RIM, Pen { width: 5.0, ..thin });
            }
            (0, _) => {
                for ends in [[-15.0, -15.0, 15.0, 15.0], [-15.0, 15.0, 15.0, -15.0]] {
                    let line = Outline::line([ends[0], ends[1]], [ends[2], ends[3]]);
                    canvas.stroke(&line, at, style.back, thick);
                }
            }
            (1, _) => canvas.stroke(&Outline::circle([0.0; 2], 17.0), at, style.back, thick),
            (number, _) => {
                self.write(canvas, at, (&(number + 1).to_string(), self.style.text), [board::SIZES[0], 70]);
            }
        }
    }
}

/// A piece of chess: its outline, and the foot that all have.
fn draw_figure(canvas: &mut Canvas, at: [f32; 2], number: usize) {
    let kinds = board::OUTLINES.len();
    let [inside, line] = FIGURE[(number / kinds).min(1)];
    let outline =
        Outline::of_svg(board::OUTLINES[number % kinds]).expect("the outlines are paths that can be read");
    let foot = Outline::rect([0.0, 30.0], [52.0, 10.0], 3.0);
    for part in [outline, foot] {
        canvas.fill(&part, at, inside);
        canvas.stroke(&part, at, line, Pen { width: 3.0, is_round: true, dashes: None });
    }
}

/// The outline of a mark around a slot. That of an edge is the edge itself.
fn ring(slot: &Slot, is_round: bool) -> Outline {
    let mark = 2.0 * MARK as f32;
    match slot.shape {
        SlotShape::Edge(from, to) => Outline::line(at(from), at(to)),
        SlotShape::Panel(width) => Outline::rect(at(slot.at), [(width - SLOT) as f32 + mark, mark], 8.0),
        _ => Outline::rect(at(slot.at), [mark, mark], if is_round { MARK as f32 } else { 8.0 }),
    }
}

fn at(point: Point) -> [f32; 2] {
    [point.x as f32, point.y as f32]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_colours_are_those_of_the_style() {
        assert_eq!((named("back"), named("text")), (WHITE, [0x1a; 3]));
        for rule in [
            ".white circle{fill:#fff;stroke:#555}",
            ".black circle{fill:#101010;stroke:#a8a8a8}",
            ".cell.shade{stroke:#7a9c8a80}",
            ".figure{stroke-width:3;fill:#fff;stroke:#111}",
            ".figure.shadow{fill:#222;stroke:#eee}",
            ".cell,.point,.lines{fill:none;stroke:var(--edge);stroke-width:94}",
            ".cell.inner{stroke:var(--panel);stroke-width:88}",
            ".panels rect{fill:var(--panel);stroke:var(--edge);stroke-width:3}",
            ".marks rect{fill:var(--mark);stroke:var(--text);stroke-width:4;stroke-dasharray:14 8}",
            ".row rect{fill:none;stroke:var(--good);stroke-width:9}",
            ".e2{stroke:var(--two);stroke-dasharray:24 22}",
            ".marks path{fill:none;stroke:var(--mark);stroke-width:52;stroke-linecap:round}",
        ] {
            assert!(STYLE.lines().any(|line| line == rule), "painted.rs draws {rule}");
        }
    }

    #[test]
    fn each_outline_of_chess_can_be_read() {
        for outline in board::OUTLINES {
            assert!(Outline::of_svg(outline).is_some(), "{outline}");
        }
    }
}
