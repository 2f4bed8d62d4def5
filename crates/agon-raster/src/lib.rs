//! Shapes and texts as pixels, with the fonts of the machine, and pictures of them as GIF files.
//!
//! An [`Outline`] is a shape, and a [`Canvas`] draws it. [`Lettering`] has the outlines of signs,
//! read from a font of this machine. An [`Animation`] makes one GIF of several pictures. Nothing
//! here knows what is drawn.

mod animation;
mod canvas;
mod fonts;
mod lettering;
mod outline;

pub use animation::Animation;
pub use canvas::{Canvas, Colour, Pen, TextLook};
pub use fonts::{FontFault, FontFiles};
pub use lettering::Lettering;
pub use outline::Outline;
