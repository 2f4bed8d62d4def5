//! Boards as diagrams, and what each ply changes on them: plain data for pages and other programs.
//!
//! A [`Diagram`] has numbered slots, lines and labels. [`SlotContent`] is what is on a slot, and a
//! [`Frame`] is what one ply changes. The rules of each game make all three, so a page that draws
//! them needs no rules. `written` and `text` are their text format, which `docs/frames.md`
//! describes.

mod drawing;
mod film;
mod grid;
mod text;
mod written;

pub use drawing::{
    Diagram, Frame, HandArea, Label, MOST_SLOTS, NoSuchSlot, Point, SLOT, Slot, SlotContent, SlotShape,
};
pub use film::Film;
pub use grid::{CellPlane, planes};
pub use text::BadFrames;
pub use written::NEWEST_FRAMES;
