//! First steps: an engine is begun, checked, and plays its first games.

pub(super) mod adopt;
pub(super) mod check;
mod check_file;
mod handed_in;
pub(super) mod new;
pub(super) mod new_folder;
pub(super) mod pairing;
pub(super) mod pascal_unit;
pub(super) mod play;
pub(super) mod usual_test;
