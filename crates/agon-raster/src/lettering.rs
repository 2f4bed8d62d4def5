//! The outlines of signs, and a text as a row of them.

use std::collections::HashMap;

use tiny_skia::{Path, PathBuilder, Rect, Transform};
use ttf_parser::{Face, GlyphId, OutlineBuilder};
use unicode_bidi::BidiInfo;
use unicode_normalization::UnicodeNormalization;

use crate::fonts::FontFiles;

/// How high a capital is if the font does not say it, in parts of the size.
const CAPITAL: f32 = 0.72;

/// The box that is drawn for a sign that no font has: its width, its line, and the room beside it.
const BOX: f32 = 0.5;
const LINE: f32 = 0.05;
const BESIDE: f32 = 0.06;

/// A sign of size 1 that stands on the line y=0, y downwards.
#[derive(Clone)]
struct Glyph {
    path: Option<Path>,
    advance: f32,
}

/// Reads signs from fonts, each of them once.
pub struct Lettering {
    files: FontFiles,
    known: HashMap<char, Glyph>,
    /// How high a capital is, in parts of the size.
    capital: f32,
}

impl Lettering {
    /// With these fonts.
    pub fn new(files: FontFiles) -> Self {
        let capital = files.read.first().and_then(|font| {
            let face = font.face()?;
            face.capital_height().map(|height| f32::from(height) / f32::from(face.units_per_em()))
        });
        Lettering {
            files,
            known: HashMap::new(),
            capital: capital.filter(|height| (0.4..1.0).contains(height)).unwrap_or(CAPITAL),
        }
    }

    /// A text of size 1, as one shape around its middle, and its width. From right to left where
    /// its script is read so (Unicode Standard Annex 9).
    pub(crate) fn text(&mut self, text: &str) -> (Option<Path>, f32) {
        let text: String = text.nfc().collect();
        let mut signs: Vec<char> = Vec::new();
        let info = BidiInfo::new(&text, None);
        for paragraph in &info.paragraphs {
            signs.extend(info.reorder_line(paragraph, paragraph.range.clone()).chars());
        }
        let (mut all, mut x) = (PathBuilder::new(), 0.0);
        for sign in signs {
            let glyph = self.glyph(sign);
            if let Some(path) = &glyph.path {
                // A finite number moves it to a finite place.
                if let Some(path) = path.clone().transform(Transform::from_translate(x, 0.0)) {
                    all.push_path(&path);
                }
            }
            x += glyph.advance;
        }
        let middle = Transform::from_translate(-x / 2.0, self.capital / 2.0);
        (all.finish().and_then(|path| path.transform(middle)), x)
    }

    fn glyph(&mut self, sign: char) -> &Glyph {
        if !self.known.contains_key(&sign) {
            let glyph = self.find(sign).unwrap_or_else(|| self.missing());
            self.known.insert(sign, glyph);
        }
        &self.known[&sign]
    }

    /// The sign in the first font that has it. The next fonts are read only now.
    fn find(&mut self, sign: char) -> Option<Glyph> {
        let mut at = 0;
        loop {
            while let Some(font) = self.files.read.get(at) {
                let glyph = font.face().and_then(|face| outlined(&face, sign));
                if glyph.is_some() {
                    return glyph;
                }
                at += 1;
            }
            if !self.files.more() {
                return None;
            }
        }
    }

    /// The box for a sign that no font has.
    fn missing(&self) -> Glyph {
        let mut path = PathBuilder::new();
        let outer = Rect::from_ltrb(BESIDE, -self.capital, BESIDE + BOX, 0.0);
        let inner = Rect::from_ltrb(BESIDE + LINE, LINE - self.capital, BESIDE + BOX - LINE, -LINE);
        outer.into_iter().for_each(|rect| path.push_rect(rect));
        if let Some(inner) = inner {
            // The other way round, so that it is a hole.
            path.move_to(inner.left(), inner.top());
            path.line_to(inner.left(), inner.bottom());
            path.line_to(inner.right(), inner.bottom());
            path.line_to(inner.right(), inner.top());
            path.close();
        }
        Glyph { path: path.finish(), advance: BOX + 2.0 * BESIDE }
    }
}

/// The outline of a sign in a font; `None` if it has none. A space has no outline and a width.
fn outlined(face: &Face<'_>, sign: char) -> Option<Glyph> {
    let glyph = face.glyph_index(sign).filter(|glyph| *glyph != GlyphId(0))?;
    let size = 1.0 / f32::from(face.units_per_em());
    let mut pen = Pen(PathBuilder::new());
    // What cannot be drawn has no path.
    let _ = face.outline_glyph(glyph, &mut pen);
    let path = pen.0.finish().and_then(|path| path.transform(Transform::from_scale(size, -size)));
    if path.is_none() && !sign.is_whitespace() {
        return None;
    }
    Some(Glyph { path, advance: f32::from(face.glyph_hor_advance(glyph).unwrap_or_default()) * size })
}

/// Draws an outline of a font as a path.
struct Pen(PathBuilder);

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.0.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.0.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.0.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.0.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.0.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The signs of this machine, if it has a font.
    fn of_machine() -> Option<Lettering> {
        let files = FontFiles::of_machine();
        if let Err(why) = &files {
            println!("not tried: {why}; apt-get install fonts-dejavu-core");
        }
        files.ok().map(Lettering::new)
    }

    #[test]
    fn a_text_is_as_wide_as_its_signs_and_stands_around_its_middle() {
        let Some(mut lettering) = of_machine() else { return };
        let (path, width) = lettering.text("HHH");
        let (one, narrow) = lettering.text("H");
        let bounds = path.unwrap().bounds();
        assert!((width - 3.0 * narrow).abs() < 0.001 && width > 1.0, "{width} {narrow}");
        assert!((bounds.left() + bounds.right()).abs() < 0.1, "{bounds:?}");
        assert!((bounds.top() + bounds.bottom()).abs() < 0.1 && bounds.height() > 0.5, "{bounds:?}");
        assert!(one.unwrap().bounds().width() < narrow);
        assert!(lettering.text("").0.is_none() && lettering.text(" ").0.is_none());
        assert!(lettering.text(" ").1 > 0.1);
    }

    #[test]
    fn a_sign_that_no_font_has_is_a_box_and_none_is_drawn_in_another_order() {
        let Some(mut lettering) = of_machine() else { return };
        // A character for private use, and one that is none.
        for sign in ["\u{10fffd}", "\u{fdd0}"] {
            let (path, width) = lettering.text(sign);
            let bounds = path.unwrap().bounds();
            assert!((width - BOX - 2.0 * BESIDE).abs() < 0.001 && (bounds.width() - BOX).abs() < 0.001);
        }
        // Accents that stand behind their letter, and the same as one sign.
        assert_eq!(lettering.text("e\u{301}").1, lettering.text("é").1);
        // Alef, bet and gimel are read from the right: bet and gimel differ in their width.
        let widths = |text: &str, lettering: &mut Lettering| lettering.text(text).0.unwrap();
        let [forward, backward] =
            ["\u{5d0}\u{5d2}", "\u{5d2}\u{5d0}"].map(|text| widths(text, &mut lettering));
        assert_ne!(forward, backward);
        let mixed = widths("a\u{5d0}\u{5d2}", &mut lettering);
        let [alef, gimel] = ["\u{5d0}", "\u{5d2}"].map(|text| widths(text, &mut lettering));
        assert!(alef.len() > 2 && gimel.len() > 2);
        // The sign that stands last is the alef: the path ends with it.
        let end = &mixed.points()[mixed.points().len() - alef.points().len()..];
        let apart: Vec<f32> = end.iter().zip(alef.points()).map(|(one, other)| one.x - other.x).collect();
        assert!(apart.iter().all(|x| (x - apart[0]).abs() < 0.001), "{apart:?}");
    }

    #[test]
    fn a_text_of_any_characters_is_drawn() {
        let Some(mut lettering) = of_machine() else { return };
        for text in ["日本 ØÆ ž", "العربية", "हिन्दी", "👩‍👩‍👧", "\u{200f}a\u{202e}b", "\n\t\u{0}"]
        {
            assert!(lettering.text(text).1.is_finite(), "{text}");
        }
    }
}
