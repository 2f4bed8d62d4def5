//! The board of a game as SVG.
