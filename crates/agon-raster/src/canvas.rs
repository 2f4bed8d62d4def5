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

    fn transform(&self, [x, y]: [f32; 2]) -> Transform {
        Transform::from_scale(self.scale, self.scale).pre_translate(x, y)
    }
}

fn paint(colour: Colour) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color_rgba8(colour[0], colour[1], colour[2], u8::MAX);
    paint
}
