//! Writes diagrams, films and frames as text, which `text` reads.

use std::fmt;

use crate::drawing::{Diagram, Frame, HandArea, Label, Point, Slot, SlotContent, SlotShape};
use crate::film::Film;

/// The first line of a board without edges, panels and hands. A program that reads another version
/// refuses it.
pub(crate) const VERSION: &str = "frames 1";
/// The first line of the newest version, whose boards may have edges, panels and hands.
pub const NEWEST_FRAMES: &str = "frames 2";

/// `.`, `1` to `9`, or `"` or `?` with a text.
impl fmt::Display for SlotContent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SlotContent::Empty => f.write_str("."),
            SlotContent::Piece(seat) => write!(f, "{}", seat.index() + 1),
            SlotContent::Text(text) => write!(f, "\"{text}"),
            SlotContent::Held(text) => write!(f, "?{text}"),
        }
    }
}

/// One line, without its newline: `35>0 0=1 *0|X drops a stone into column 1`.
impl fmt::Display for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut space = "";
        let mut item = |item: fmt::Arguments<'_>| {
            let written = write!(f, "{space}{item}");
            space = " ";
            written
        };
        for (from, to) in &self.slides {
            item(format_args!("{from}>{to}"))?;
        }
        for (slot, content) in &self.changes {
            item(format_args!("{slot}={content}"))?;
        }
        for slot in &self.marks {
            item(format_args!("*{slot}"))?;
        }
        for slot in &self.row {
            item(format_args!("!{slot}"))?;
        }
        write!(f, "|{}", self.caption)
    }
}

/// The lines from `frames 1` to the hands, each ended by a newline; a board with edges, panels or
/// hands begins with `frames 2`.
impl fmt::Display for Diagram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_plain = |slot: &Slot| matches!(slot.shape, SlotShape::Square | SlotShape::Round);
        let is_old = self.hands.is_empty() && self.slots.iter().all(is_plain);
        let version = if is_old { VERSION } else { NEWEST_FRAMES };
        writeln!(f, "{version}\nsize {} {}", self.width, self.height)?;
        for Slot { at: Point { x, y }, shape, name } in &self.slots {
            match shape {
                SlotShape::Square => writeln!(f, "slot {x} {y} square {name}")?,
                SlotShape::Round => writeln!(f, "slot {x} {y} round {name}")?,
                SlotShape::Edge(from, to) => {
                    writeln!(f, "edge {} {} {} {} {name}", from.x, from.y, to.x, to.y)?;
                }
                SlotShape::Panel(width) => writeln!(f, "panel {x} {y} {width} {name}")?,
            }
        }
        for (from, to) in &self.lines {
            writeln!(f, "line {} {} {} {}", from.x, from.y, to.x, to.y)?;
        }
        for Label { at: Point { x, y }, text } in &self.labels {
            writeln!(f, "label {x} {y} {text}")?;
        }
        for HandArea { seat, slots, .. } in &self.hands {
            write!(f, "hand {}", seat.index() + 1)?;
            slots.iter().try_for_each(|slot| write!(f, " {slot}"))?;
            f.write_str("\n")?;
        }
        Ok(())
    }
}

/// The diagram, the line `start`, and one line for each frame, each ended by a newline.
impl fmt::Display for Film {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}start", self.diagram)?;
        for (slot, content) in self.start.iter().enumerate().filter(|(_, on)| **on != SlotContent::Empty) {
            write!(f, " {slot}={content}")?;
        }
        f.write_str("\n")?;
        self.frames.iter().try_for_each(|frame| writeln!(f, "{frame}"))
    }
}
