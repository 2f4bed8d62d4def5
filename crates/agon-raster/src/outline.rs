//! Shapes before they are drawn. Their unit is that of their user.

use std::f32::consts::TAU;

use tiny_skia::{Path, PathBuilder, Rect};

/// How far the handles of a cubic curve reach for a quarter of a circle of radius 1, so that it
/// differs from the circle by 0.03 % at most.
const QUARTER: f32 = 0.552_284_8;

/// A shape, or the line around it. One with nothing in it draws nothing.
#[derive(Clone, Debug)]
pub struct Outline(pub(crate) Option<Path>);

impl Outline {
    /// A rectangle around a centre. Its corners are rounded with this radius, at most half of a
    /// side.
    pub fn rect([x, y]: [f32; 2], [width, height]: [f32; 2], radius: f32) -> Self {
        let (left, top, right, bottom) =
            (x - width / 2.0, y - height / 2.0, x + width / 2.0, y + height / 2.0);
        let radius = radius.min(width / 2.0).min(height / 2.0);
        if radius <= 0.0 {
            return Outline(Rect::from_ltrb(left, top, right, bottom).map(PathBuilder::from_rect));
        }
        let near = radius * (1.0 - QUARTER);
        let mut path = PathBuilder::new();
        path.move_to(left + radius, top);
        path.line_to(right - radius, top);
        path.cubic_to(right - near, top, right, top + near, right, top + radius);
        path.line_to(right, bottom - radius);
        path.cubic_to(right, bottom - near, right - near, bottom, right - radius, bottom);
        path.line_to(left + radius, bottom);
        path.cubic_to(left + near, bottom, left, bottom - near, left, bottom - radius);
        path.line_to(left, top + radius);
        path.cubic_to(left, top + near, left + near, top, left + radius, top);
        path.close();
        Outline(path.finish())
    }

    /// A circle.
    pub fn circle([x, y]: [f32; 2], radius: f32) -> Self {
        Outline(PathBuilder::from_circle(x, y, radius))
    }

    /// A straight line.
    pub fn line([x1, y1]: [f32; 2], [x2, y2]: [f32; 2]) -> Self {
        let mut path = PathBuilder::new();
        path.move_to(x1, y1);
        path.line_to(x2, y2);
        Outline(path.finish())
    }

    /// A path as SVG writes it (SVG 2, section 9.3), of the commands `M`, `m`, `h`, `v`, `l`, `c`
    /// and `z`, and of `a` with a circle. `None` if it has others, or is no path.
    pub fn of_svg(text: &str) -> Option<Self> {
        let mut numbers = Numbers { rest: text };
        let mut path = PathBuilder::new();
        // Where the pen is, and where it goes back to.
        let ([mut x, mut y], mut begin) = ([0.0; 2], [0.0; 2]);
        while let Some(command) = numbers.command() {
            loop {
                match command {
                    'M' => (x, y) = (numbers.next()?, numbers.next()?),
                    'm' => (x, y) = (x + numbers.next()?, y + numbers.next()?),
                    'h' => x += numbers.next()?,
                    'v' => y += numbers.next()?,
                    'l' => (x, y) = (x + numbers.next()?, y + numbers.next()?),
                    'c' => {
                        let mut point = || Some([x + numbers.next()?, y + numbers.next()?]);
                        let (one, two, to) = (point()?, point()?, point()?);
                        path.cubic_to(one[0], one[1], two[0], two[1], to[0], to[1]);
                        [x, y] = to;
                    }
                    'a' => {
                        let [radius, other, _turned] = [numbers.next()?, numbers.next()?, numbers.next()?];
                        let [is_large, is_clockwise] = [numbers.next()? != 0.0, numbers.next()? != 0.0];
                        let to = [x + numbers.next()?, y + numbers.next()?];
                        if radius != other {
                            return None;
                        }
                        arc(&mut path, [x, y], to, radius, is_large, is_clockwise);
                        [x, y] = to;
                    }
                    'z' => [x, y] = begin,
                    _ => return None,
                }
                match command {
                    'M' | 'm' => {
                        begin = [x, y];
                        path.move_to(x, y);
                    }
                    'h' | 'v' | 'l' => path.line_to(x, y),
                    'z' => path.close(),
                    _ => {}
                }
                if command == 'z' || !numbers.has_next() {
                    break;
                }
            }
        }
        numbers.rest.is_empty().then(|| Outline(path.finish()))
    }
}

/// A part of a circle between two points, as cubic curves of an eighth of it at most (SVG 2,
/// appendix B.2.4).
fn arc(
    path: &mut PathBuilder,
    from: [f32; 2],
    to: [f32; 2],
    radius: f32,
    is_large: bool,
    is_clockwise: bool,
) {
    let half = [(to[0] - from[0]) / 2.0, (to[1] - from[1]) / 2.0];
    let apart = half[0].hypot(half[1]);
    // A circle that is too small becomes the one of which the points are a diameter.
    let radius = radius.max(apart);
    let aside = (radius * radius - apart * apart).max(0.0).sqrt() / apart;
    let side = if is_large == is_clockwise { -aside } else { aside };
    let centre = [from[0] + half[0] - side * half[1], from[1] + half[1] + side * half[0]];
    let angle = |point: [f32; 2]| (point[1] - centre[1]).atan2(point[0] - centre[0]);
    let begin = angle(from);
    let turn = (angle(to) - begin).rem_euclid(TAU);
    let turn = if is_clockwise { turn } else { turn - TAU };
    let parts = (turn.abs() / (TAU / 8.0)).ceil().max(1.0);
    let step = turn / parts;
    let reach = radius * 4.0 / 3.0 * (step / 4.0).tan();
    let on = |angle: f32| [centre[0] + radius * angle.cos(), centre[1] + radius * angle.sin()];
    let mut at = begin;
    while (at - begin).abs() + step.abs() / 2.0 < turn.abs() {
        let (one, two) = (on(at), on(at + step));
        path.cubic_to(
            one[0] - reach * at.sin(),
            one[1] + reach * at.cos(),
            two[0] + reach * (at + step).sin(),
            two[1] - reach * (at + step).cos(),
            two[0],
            two[1],
        );
        at += step;
    }
}

/// The commands and the numbers of a path, one after the other.
struct Numbers<'a> {
    rest: &'a str,
}

impl Numbers<'_> {
    fn skip(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', ',']);
    }

    fn command(&mut self) -> Option<char> {
        self.skip();
        let command = self.rest.chars().next().filter(char::is_ascii_alphabetic)?;
        self.rest = &self.rest[1..];
        Some(command)
    }

    fn has_next(&mut self) -> bool {
        self.skip();
        self.rest.starts_with(|sign: char| sign == '-' || sign == '.' || sign.is_ascii_digit())
    }

    fn next(&mut self) -> Option<f32> {
        self.skip();
        let is_part = |(at, sign): (usize, char)| {
            sign.is_ascii_digit() || sign == '-' && at == 0 || sign == '.' && !self.rest[..at].contains('.')
        };
        let end = self.rest.char_indices().find(|at| !is_part(*at)).map_or(self.rest.len(), |(at, _)| at);
        let (number, rest) = self.rest.split_at(end);
        self.rest = rest;
        number.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The left, upper, right and lower end of a shape.
    fn bounds(outline: &Outline) -> [f32; 4] {
        let bounds = outline.0.as_ref().unwrap().compute_tight_bounds().unwrap();
        [bounds.left(), bounds.top(), bounds.right(), bounds.bottom()]
            .map(|side| (side * 10.0).round() / 10.0)
    }

    #[test]
    fn paths_of_svg_have_their_commands_and_numbers() {
        for (text, wanted) in [
            ("M10 20h30v-5l-4 1z", [10.0, 15.0, 40.0, 20.0]),
            ("M-4-43h8.5.5v7", [-4.0, -43.0, 5.0, -36.0]),
            ("M0 0h4z m0 9h1", [0.0, 0.0, 4.0, 9.0]),
            ("M0 0c0 9 9 9 9 0", [0.0, 0.0, 9.0, 6.8]),
            // Two halves of a circle, and one of each of the four arcs between two points.
            ("M-5-38a5 5 0 1 1 10 0 5 5 0 1 1-10 0", [-5.0, -43.0, 5.0, -33.0]),
            ("M0 0a10 10 0 0 1 10 10", [0.0, 0.0, 10.0, 10.0]),
            ("M0 0a10 10 0 1 1 10 10", [0.0, -10.0, 20.0, 10.0]),
            ("M0 0a10 10 0 0 0 10 10", [0.0, 0.0, 10.0, 10.0]),
            ("M0 0a10 10 0 1 0 10 10", [-10.0, 0.0, 10.0, 20.0]),
            // The circle is too small for these points.
            ("M0 0a1 1 0 0 1 10 0", [0.0, -5.0, 10.0, 0.0]),
        ] {
            assert_eq!(bounds(&Outline::of_svg(text).unwrap()), wanted, "{text}");
        }
        for text in ["M0", "M0 0h", "M0 0q1 1 2 2", "M0 0a1 2 0 0 1 3 3", "x", "M0 0h1?", "M0 0h-"] {
            assert!(Outline::of_svg(text).is_none(), "{text}");
        }
    }

    #[test]
    fn corners_are_at_most_half_of_a_side() {
        assert_eq!(bounds(&Outline::rect([50.0, 50.0], [94.0, 90.0], 47.0)), [3.0, 5.0, 97.0, 95.0]);
        assert_eq!(bounds(&Outline::rect([50.0, 50.0], [20.0, 10.0], 0.0)), [40.0, 45.0, 60.0, 55.0]);
    }
}
