//! Small pictures as SVG: error bars, ratings over runs, and times of moves. They have classes
//! instead of styles, so the page's policy and its dark form hold for them.

use std::fmt::Write;

use maud::{Markup, PreEscaped, html};

/// The range of a picture's values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    low: f64,
    high: f64,
    size: f64,
}

impl Scale {
    /// Maps the range of these values to `0..size`. Without two different values it is one wide.
    pub(super) fn over(values: impl Iterator<Item = f64>, size: f64) -> Scale {
        let (low, high) = values
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        match low < high {
            true => Scale { low, high, size },
            false if low.is_finite() => Scale { low: low - 0.5, high: low + 0.5, size },
            false => Scale { low: 0.0, high: 1.0, size },
        }
    }

    fn at(self, value: f64) -> f64 {
        (value - self.low) / (self.high - self.low) * self.size
    }
}

/// The width of an error bar's picture.
pub(super) const BAR: f64 = 100.0;

/// A rating with its error bar.
pub(super) fn bar(scale: Scale, value: f64, error: f64) -> Markup {
    let (left, right, dot) = (scale.at(value - error), scale.at(value + error), scale.at(value));
    html! {
        svg.bar viewBox="-4 0 108 10" aria-hidden="true" {
            path d={ "M" (round(left)) " 5H" (round(right)) } {}
            circle cx=(round(dot)) cy="5" r="3" {}
        }
    }
}

/// A point of a line: its value, its error, whether something changed there, and its name.
#[derive(Clone, Debug)]
pub(super) struct LinePoint {
    /// The value.
    pub(super) value: f64,
    /// The error bar; 0 for none.
    pub(super) error: f64,
    /// Whether it is marked.
    pub(super) is_marked: bool,
    /// Its words in the tooltip.
    pub(super) name: String,
}

/// Values over runs, with error bars; marked points are squares.
pub(super) fn line(points: &[LinePoint], what: &str) -> Markup {
    const WIDTH: f64 = 600.0;
    const HEIGHT: f64 = 160.0;
    let ends = points.iter().flat_map(|point| [point.value - point.error, point.value + point.error]);
    let scale = Scale::over(ends, HEIGHT);
    let step = WIDTH / points.len().saturating_sub(1).max(1) as f64;
    let (x, y) = (|at: usize| at as f64 * step, |value: f64| HEIGHT - scale.at(value));
    let mut path = String::new();
    for (at, point) in points.iter().enumerate() {
        let sign = if at == 0 { 'M' } else { 'L' };
        let _ = write!(path, "{sign}{} {}", round(x(at)), round(y(point.value))); // a String takes everything
    }
    html! {
        svg.line viewBox="-50 -12 670 190" role="img" aria-label=(what) {
            text x="-8" y="6" class="axis" { (format!("{:.0}", scale.high)) }
            text x="-8" y=(HEIGHT + 4.0) class="axis" { (format!("{:.0}", scale.low)) }
            path.curve d=(path) {}
            @for (at, point) in points.iter().enumerate() {
                g class=[point.is_marked.then_some("changed")] {
                    title { (point.name) }
                    path.error d={ "M" (round(x(at))) " " (round(y(point.value - point.error))) "V" (round(y(point.value + point.error))) } {}
                    @if point.is_marked {
                        rect x=(round(x(at) - 5.0)) y=(round(y(point.value) - 5.0)) width="10" height="10" {}
                    } @else {
                        circle cx=(round(x(at))) cy=(round(y(point.value))) r="4" {}
                    }
                }
            }
        }
    }
}

/// How many moves took how long, in steps of a factor of two.
pub(super) fn times(micros: &[u32]) -> Markup {
    let mut counts = [0_usize; 33];
    for time in micros {
        counts[(u32::BITS - time.leading_zeros()) as usize] += 1;
    }
    let first = counts.iter().position(|count| *count > 0).unwrap_or(0);
    let last = counts.iter().rposition(|count| *count > 0).unwrap_or(0);
    let most = counts.iter().copied().max().unwrap_or(1).max(1) as f64;
    let wide = 600.0 / (last - first + 1) as f64;
    let mut bars = String::new();
    for (at, count) in counts[first..=last].iter().enumerate() {
        let high = (100.0 * *count as f64 / most).max(if *count > 0 { 1.0 } else { 0.0 });
        let below = 1_u64 << (first + at);
        let _ = write!(
            bars,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"><title>below {}: {count}</title></rect>",
            round(at as f64 * wide),
            round(100.0 - high),
            round(wide * 0.9),
            round(high),
            time(below)
        );
    }
    let ends = (1_u64 << first.saturating_sub(1), 1_u64 << last);
    html! {
        svg.times viewBox="-10 -5 640 130" role="img" aria-label={ "Moves by their time, from " (time(ends.0)) " to " (time(ends.1)) } {
            (PreEscaped(bars))
            text x="0" y="118" class="from" { (time(ends.0)) }
            text x="600" y="118" class="axis" { (time(ends.1)) }
        }
    }
}

/// A time in microseconds for people: `250 us`, `1.5 ms`, `3.2 s`.
pub(super) fn time(micros: u64) -> String {
    let (value, unit) = match micros {
        0..1_000 => return format!("{micros} µs"),
        1_000..1_000_000 => (micros as f64 / 1e3, "ms"),
        _ => (micros as f64 / 1e6, "s"),
    };
    if value < 10.0 { format!("{value:.1} {unit}") } else { format!("{value:.0} {unit}") }
}

/// Without needless digits: pages are small.
fn round(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_stand_within_their_frame_whatever_the_values_are() {
        for values in [&[] as &[f64], &[1.0], &[1.0, 1.0], &[-300.0, 20.0, 1e9]] {
            let points: Vec<LinePoint> = (values.iter())
                .map(|value| LinePoint { value: *value, error: 5.0, is_marked: false, name: "<b>".into() })
                .collect();
            let drawn = line(&points, "ratings").into_string();
            assert!(!drawn.contains("NaN") && !drawn.contains("inf") && !drawn.contains("<b>"), "{drawn}");
        }
        assert!(times(&[]).into_string().starts_with("<svg"));
        let drawn = times(&[0, 1, 5, 1000, u32::MAX]).into_string();
        assert_eq!(drawn.matches("<rect").count(), 33, "{drawn}");
    }

    #[test]
    fn times_are_short() {
        assert_eq!(
            [time(0), time(250), time(1500), time(12_345), time(3_200_000)].join(" "),
            "0 µs 250 µs 1.5 ms 12 ms 3.2 s"
        );
    }
}
