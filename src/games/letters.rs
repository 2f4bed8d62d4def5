//! The letter cube.
