//! A picture on which outlines and texts are drawn.

use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, Paint, Pixmap, PremultipliedColorU8, Stroke, StrokeDash, Transform,
};

use crate::lettering::Lettering;
use crate::outline::Outline;

/// How much thicker the lines of a bold text are, in parts of its size.
const BOLD: f32 = 0.05;

/// Red, green and blue.
pub type Colour = [u8; 3];

/// How a line is drawn.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pen {
    /// Its width.
    pub width: f32,
    /// Whether its ends are round, and not flat.
    pub is_round: bool,
    /// The lengths of a dash and of a gap; `None` for a whole line.
    pub dashes: Option<[f32; 2]>,
}

/// How a text is drawn: around a middle.
#[derive(Clone, Copy, Debug)]
pub struct TextLook {
    /// Its size.
    pub size: f32,
    /// Whether its lines are thicker.
    pub is_bold: bool,
    /// Its colour.
    pub colour: Colour,
    /// The most room that it has. A longer one is drawn narrower.
    pub room: f32,
}

/// Pixels, and how many of them make the unit of what is drawn.
#[derive(Clone)]
pub struct Canvas {
    pixels: Pixmap,
    scale: f32,
}

impl Canvas {
    /// A canvas of one colour, in units, with this many pixels to a unit. `None` if it would have
    /// more than 65,535 in a line: a GIF has no more.
    pub fn new([width, height]: [f32; 2], scale: f32, colour: Colour) -> Option<Self> {
        let pixels = |length: f32| {
            // What is a little more than a whole number by rounding is that number.
            let pixels = (length * scale - 0.01).ceil().max(1.0);
            (1.0..=f32::from(u16::MAX)).contains(&pixels).then_some(pixels as u32)
        };
        let mut canvas = Canvas { pixels: Pixmap::new(pixels(width)?, pixels(height)?)?, scale };
        canvas.pixels.fill(Color::from_rgba8(colour[0], colour[1], colour[2], u8::MAX));
        Some(canvas)
    }

    /// How many pixels are in a line, and how many lines there are.
    pub fn size(&self) -> [usize; 2] {
        [self.pixels.width() as usize, self.pixels.height() as usize]
    }

    /// The pixels, line by line from the top. Each is opaque.
    pub(crate) fn pixels(&self) -> &[PremultipliedColorU8] {
        self.pixels.pixels()
    }

    /// Fills an outline, seen from this place.
    pub fn fill(&mut self, outline: &Outline, at: [f32; 2], colour: Colour) {
        if let Some(path) = &outline.0 {
            let transform = self.transform(at);
            self.pixels.fill_path(path, &paint(colour), FillRule::Winding, transform, None);
        }
    }

    /// Draws the line of an outline, seen from this place.
    pub fn stroke(&mut self, outline: &Outline, at: [f32; 2], colour: Colour, pen: Pen) {
        if let Some(path) = &outline.0 {
            let stroke = Stroke {
                width: pen.width,
                line_cap: if pen.is_round { LineCap::Round } else { LineCap::Butt },
                line_join: if pen.is_round { LineJoin::Round } else { LineJoin::Miter },
                dash: pen.dashes.and_then(|dashes| StrokeDash::new(dashes.to_vec(), 0.0)),
                ..Stroke::default()
            };
            let transform = self.transform(at);
            self.pixels.stroke_path(path, &paint(colour), &stroke, transform, None);
        }
    }

    /// Draws a text around a place.
    pub fn text(&mut self, lettering: &mut Lettering, at: [f32; 2], text: &str, look: TextLook) {
        let (path, width) = lettering.text(text);
        let Some(path) = path else { return };
        let narrow = (look.room / (width * look.size)).min(1.0);
        let transform = self.transform(at).pre_scale(look.size * narrow, look.size);
        let paint = paint(look.colour);
        self.pixels.fill_path(&path, &paint, FillRule::Winding, transform, None);
        if look.is_bold {
            let stroke = Stroke { width: BOLD, ..Stroke::default() };
            self.pixels.stroke_path(&path, &paint, &stroke, transform, None);
        }
    }

    /// Where a place lies in the pixel that holds it, in parts of 256: drawings around places for
    /// which this is equal have the same pixels.
    pub fn part_of_pixel(&self, at: [f32; 2]) -> [u8; 2] {
        // It is at least 0 and less than 256.
        self.pixel(at).map(|pixel| ((pixel - pixel.floor()) * 256.0) as u8)
    }

    /// A canvas on which nothing is, for a drawing that is at most this wide and high. It is
    /// stamped on this one where places have this part of a pixel. With it comes the place around
    /// which it is drawn. `None` if it would have too many pixels.
    pub fn stamp(&self, part: [u8; 2], size: f32) -> Option<(Canvas, [f32; 2])> {
        // Half of it on both sides of a pixel in the middle, and one more for the part.
        let side = 2 * (size * self.scale / 2.0).ceil().max(0.0) as u32 + 3;
        let canvas = Canvas { pixels: Pixmap::new(side, side)?, scale: self.scale };
        let middle = part.map(|part| ((side / 2) as f32 + f32::from(part) / 256.0) / self.scale);
        Some((canvas, middle))
    }

    /// Puts a stamp around a place.
    pub fn put(&mut self, stamp: &Canvas, at: [f32; 2]) {
        let half = (stamp.pixels.width() / 2) as i32;
        let [left, top] = self.pixel(at).map(|pixel| pixel.floor() as i32 - half);
        let [wide, high] = self.size();
        let side = stamp.size()[0];
        for (line, pixels) in stamp.pixels().chunks(side).enumerate() {
            let Some(y) = usize::try_from(top + line as i32).ok().filter(|y| *y < high) else { continue };
            for (column, above) in pixels.iter().enumerate().filter(|(_, pixel)| pixel.alpha() > 0) {
                let Some(x) = usize::try_from(left + column as i32).ok().filter(|x| *x < wide) else {
                    continue;
                };
                let below = &mut self.pixels.pixels_mut()[y * wide + x];
                *below = over(*above, *below);
            }
        }
    }

    /// A place in pixels.
    fn pixel(&self, at: [f32; 2]) -> [f32; 2] {
        at.map(|length| length * self.scale)
    }

    fn transform(&self, [x, y]: [f32; 2]) -> Transform {
        Transform::from_scale(self.scale, self.scale).pre_translate(x, y)
    }
}

/// A pixel above an opaque one (Porter and Duff, "Compositing Digital Images", 1984: `over`).
fn over(above: PremultipliedColorU8, below: PremultipliedColorU8) -> PremultipliedColorU8 {
    let rest = u32::from(u8::MAX - above.alpha());
    let mix = |above: u8, below: u8| {
        let sum = u32::from(above) + (u32::from(below) * rest + 127) / 255;
        u8::try_from(sum).unwrap_or(u8::MAX)
    };
    let [red, green, blue] =
        [mix(above.red(), below.red()), mix(above.green(), below.green()), mix(above.blue(), below.blue())];
    // An opaque pixel may have any colour.
    PremultipliedColorU8::from_rgba(red, green, blue, u8::MAX).unwrap_or(below)
}

fn paint(colour: Colour) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color_rgba8(colour[0], colour[1], colour[2], u8::MAX);
    paint
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_is_the_drawing_itself() {
        let dot = Outline::circle([0.0; 2], 30.0);
        let (white, red) = ([255; 3], [200, 10, 20]);
        let empty = Canvas::new([200.0, 100.0], 0.37, white).unwrap();
        // One of them is cut off at the corner.
        for at in [[50.0, 50.0], [51.3, 48.8], [0.0, 0.0], [150.0, 99.0]] {
            let (mut drawn, mut stamped) = (empty.clone(), empty.clone());
            drawn.fill(&dot, at, red);
            let (mut stamp, middle) = empty.stamp(empty.part_of_pixel(at), 60.0).unwrap();
            stamp.fill(&dot, middle, red);
            stamped.put(&stamp, at);
            assert!(drawn.pixels() != empty.pixels());
            for (one, other) in drawn.pixels().iter().zip(stamped.pixels()) {
                // A pixel has sixteen parts, and a stamp may lie aside by the 256th of one.
                let near = |one: u8, other: u8| one.abs_diff(other) <= 255 / 16 + 2;
                let [ones, others] = [one, other].map(|pixel| [pixel.red(), pixel.green(), pixel.blue()]);
                assert!(
                    ones.iter().zip(others).all(|(one, other)| near(*one, other)),
                    "{at:?}: {one:?} {other:?}"
                );
            }
        }
    }
}
