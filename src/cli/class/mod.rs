//! A class: submissions, aliases and grades.

pub(super) mod grade;
pub(super) mod inbox;
pub(super) mod intake;
pub(super) mod late;
pub(super) mod of_nights;
pub(super) mod publish;
pub(super) mod reveal;
pub(super) mod token;
