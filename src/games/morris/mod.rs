//! Morris.
