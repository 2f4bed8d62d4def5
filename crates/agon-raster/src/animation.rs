//! Pictures one after the other as a GIF (GIF89a, CompuServe 1990). All have one palette, and of
//! each only the rectangle is written that differs from the one before.

use std::collections::HashMap;
use std::io;

use gif::{Encoder, Frame, Repeat};
use tiny_skia::PremultipliedColorU8;

use crate::canvas::{Canvas, Colour};

/// The most colours of a palette beside the one that means "as before".
const MOST: usize = 255;

/// The most shades between two colours of a drawing, at the edges of its shapes.
const SHADES: usize = 3;

/// How far a shade is at least from any other colour. The fewer there are, the smaller is the file:
/// most of it are texts, which consist of edges.
const APART: u32 = 30;

/// Makes a GIF. All canvases have the size of the first one.
pub struct Animation {
    palette: Palette,
    size: [usize; 2],
    /// The colours of the last picture.
    before: Vec<PremultipliedColorU8>,
    /// The last picture, which is written when it is known how long it stays.
    open: Option<Frame<'static>>,
    encoder: Encoder<Vec<u8>>,
}

impl Animation {
    /// Begins with a picture. A drawing of these colours has no others but those between two of
    /// them. With `repeats` the GIF plays again and again.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn new(first: &Canvas, colours: &[Colour], repeats: bool) -> io::Result<Self> {
        let size = first.size();
        let mut palette = Palette::new(colours);
        let [width, height] = size.map(short);
        let mut encoder =
            Encoder::new(Vec::new(), width, height, &palette.bytes()).map_err(io::Error::other)?;
        if repeats {
            encoder.set_repeat(Repeat::Infinite).map_err(io::Error::other)?;
        }
        let before = first.pixels().to_vec();
        let buffer: Vec<u8> = before.iter().map(|pixel| palette.index(*pixel)).collect();
        let open = Some(Frame { width, height, buffer: buffer.into(), ..Frame::default() });
        Ok(Animation { palette, size, before, open, encoder })
    }

    /// Says how long the picture before stays, in hundredths of a second, and goes on with another.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn then(&mut self, stays: u16, next: &Canvas) -> io::Result<()> {
        self.write(stays)?;
        let pixels = next.pixels();
        let [wide, _] = self.size;
        let differs = |at: &usize| pixels[*at] != self.before[*at];
        let lines = (0..pixels.len()).filter(differs).map(|at| at / wide);
        let (top, bottom) = ends(lines).unwrap_or((0, 0));
        let columns = (top * wide..(bottom + 1) * wide).filter(differs).map(|at| at % wide);
        let (left, right) = ends(columns).unwrap_or((0, 0));
        let mut buffer = Vec::with_capacity((right + 1 - left) * (bottom + 1 - top));
        for line in top..=bottom {
            let all = line * wide + left..=line * wide + right;
            let whole: Vec<u8> = pixels[all.clone()].iter().map(|pixel| self.palette.index(*pixel)).collect();
            let before = self.before[all.clone()].iter().zip(&pixels[all]);
            let news = whole.iter().zip(before);
            let news: Vec<u8> = news
                .map(|(index, (was, is))| if was == is { self.palette.as_before() } else { *index })
                .collect();
            // Under a new text the old one need not be seen: then the whole line has fewer parts.
            buffer.extend(if parts(&whole) < parts(&news) { whole } else { news });
        }
        self.before.copy_from_slice(pixels);
        self.open = Some(Frame {
            left: short(left),
            top: short(top),
            width: short(right + 1 - left),
            height: short(bottom + 1 - top),
            transparent: Some(self.palette.as_before()),
            buffer: buffer.into(),
            ..Frame::default()
        });
        Ok(())
    }

    /// Says how long the last picture stays, in hundredths of a second, and ends the GIF.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn end(mut self, stays: u16) -> io::Result<Vec<u8>> {
        self.write(stays)?;
        self.encoder.into_inner().map_err(io::Error::other)
    }

    fn write(&mut self, stays: u16) -> io::Result<()> {
        let Some(frame) = self.open.take() else { return Ok(()) };
        self.encoder.write_frame(&Frame { delay: stays, ..frame }).map_err(io::Error::other)
    }
}

/// The smallest and the largest of some numbers.
fn ends(numbers: impl Iterator<Item = usize>) -> Option<(usize, usize)> {
    numbers.fold(None, |ends: Option<(usize, usize)>, number| {
        let (low, high) = ends.unwrap_or((number, number));
        Some((low.min(number), high.max(number)))
    })
}

/// How many parts of one colour a line has. The more, the larger it is in a file.
fn parts(line: &[u8]) -> usize {
    line.chunk_by(|one, other| one == other).count()
}

fn short(length: usize) -> u16 {
    u16::try_from(length).expect("a canvas has at most 65,535 pixels in a line")
}

/// The colours of a drawing, and shades between each two of them.
struct Palette {
    colours: Vec<Colour>,
    /// The nearest of them for each colour that was asked for.
    known: HashMap<Colour, u8>,
}

impl Palette {
    fn new(drawn: &[Colour]) -> Self {
        let mut colours: Vec<Colour> = Vec::new();
        for colour in drawn {
            if colours.len() < MOST && !colours.contains(colour) {
                colours.push(*colour);
            }
        }
        let plain = colours.clone();
        let pairs = plain.len() * plain.len().saturating_sub(1) / 2;
        let shades = ((MOST - plain.len()) / pairs.max(1)).min(SHADES);
        for (at, one) in plain.iter().enumerate() {
            for other in &plain[..at] {
                for shade in 1..=shades {
                    let new = between(*one, *other, shade, shades + 1);
                    if colours.iter().all(|colour| far(*colour, new) > APART * APART) {
                        colours.push(new);
                    }
                }
            }
        }
        Palette { colours, known: HashMap::new() }
    }

    /// The number of the nearest colour. That of equal ones is the first.
    fn index(&mut self, pixel: PremultipliedColorU8) -> u8 {
        let colour = [pixel.red(), pixel.green(), pixel.blue()];
        *self.known.entry(colour).or_insert_with(|| {
            let nearest = (0..=u8::MAX).zip(&self.colours).min_by_key(|(_, other)| far(colour, **other));
            nearest.map_or(0, |(number, _)| number)
        })
    }

    /// The number that leaves a pixel as it was.
    fn as_before(&self) -> u8 {
        u8::try_from(self.colours.len()).expect("a palette has at most 255 colours")
    }

    /// The palette in a file: the last colour is that of no pixel.
    fn bytes(&self) -> Vec<u8> {
        self.colours.iter().chain([&[0; 3]]).flatten().copied().collect()
    }
}

/// The square of the distance of two colours.
fn far(one: Colour, other: Colour) -> u32 {
    one.iter().zip(other).map(|(one, other)| u32::from(one.abs_diff(other)).pow(2)).sum()
}

/// The colour that lies so many parts of `all` on the way between two.
fn between(one: Colour, other: Colour, part: usize, all: usize) -> Colour {
    std::array::from_fn(|at| {
        let (one, other) = (usize::from(one[at]), usize::from(other[at]));
        // It lies between two bytes.
        ((one * part + other * (all - part)) / all) as u8
    })
}

#[cfg(test)]
mod tests {
    use gif::{ColorOutput, DecodeOptions};

    use super::*;
    use crate::outline::Outline;

    const WHITE: Colour = [255; 3];
    const RED: Colour = [200, 10, 20];

    fn canvas(at: Option<[f32; 2]>) -> Canvas {
        let mut canvas = Canvas::new([100.0, 50.0], 0.5, WHITE).unwrap();
        at.into_iter().for_each(|at| canvas.fill(&Outline::rect([0.0; 2], [20.0; 2], 0.0), at, RED));
        canvas
    }

    /// Of each frame its place, its size and how long it stays, and the picture when it is shown.
    fn shown(file: &[u8]) -> Vec<([u16; 5], Vec<Colour>)> {
        let mut options = DecodeOptions::new();
        options.set_color_output(ColorOutput::RGBA);
        let mut decoder = options.read_info(file).unwrap();
        let wide = usize::from(decoder.width());
        let mut picture = vec![[0; 3]; wide * usize::from(decoder.height())];
        let mut all = Vec::new();
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            for (at, pixel) in frame.buffer.chunks(4).enumerate().filter(|(_, pixel)| pixel[3] > 0) {
                let (x, y) = (at % usize::from(frame.width), at / usize::from(frame.width));
                let place = (y + usize::from(frame.top)) * wide + x + usize::from(frame.left);
                picture[place] = [pixel[0], pixel[1], pixel[2]];
            }
            all.push(([frame.left, frame.top, frame.width, frame.height, frame.delay], picture.clone()));
        }
        all
    }

    #[test]
    fn of_each_picture_the_rectangle_that_has_changed_is_written() {
        let pictures = [None, Some([20.0, 20.0]), Some([20.0, 20.0]), Some([60.0, 30.0])].map(canvas);
        let mut animation = Animation::new(&pictures[0], &[WHITE, RED], true).unwrap();
        for (stays, picture) in [10, 20, 30].into_iter().zip(&pictures[1..]) {
            animation.then(stays, picture).unwrap();
        }
        let file = animation.end(40).unwrap();
        let frames = shown(&file);
        let rectangles: Vec<[u16; 5]> = frames.iter().map(|(rectangle, _)| *rectangle).collect();
        let wanted = [[0, 0, 50, 25, 10], [5, 5, 10, 10, 20], [0, 0, 1, 1, 30], [5, 5, 30, 15, 40]];
        assert_eq!(rectangles, wanted);
        for ((_, picture), canvas) in frames.iter().zip(&pictures) {
            let pixels = canvas.pixels().iter().map(|pixel| [pixel.red(), pixel.green(), pixel.blue()]);
            assert!(picture.iter().copied().eq(pixels), "each picture is whole");
        }
    }

    #[test]
    fn a_palette_has_shades_between_its_colours_as_far_as_there_is_room() {
        let many: Vec<Colour> = (0..30).map(|number| [8 * number, 255 - 8 * number, number]).collect();
        for (colours, most) in [(&many[..1], 1), (&many[..2], 5), (&many[..13], 247), (&many[..], 30)] {
            let palette = Palette::new(colours);
            assert!(palette.colours.len() <= most && palette.colours.starts_with(colours));
        }
        let mut palette = Palette::new(&[[0; 3], [100; 3]]);
        let pixel = |grey| PremultipliedColorU8::from_rgba(grey, grey, grey, 255).unwrap();
        let shades = [0, 12, 13, 50, 99].map(|grey| {
            let number = palette.index(pixel(grey));
            palette.colours[usize::from(number)][0]
        });
        assert_eq!(shades, [0, 0, 25, 50, 100]);
    }
}
