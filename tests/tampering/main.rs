//! Tampered results: each change of the database, of a record file and of exported games is
//! detected, or is listed as undetectable. Unchanged results pass.

#![allow(clippy::unwrap_used)] // helpers of tests may panic

mod database;
mod exported;
mod honest;
mod place;
mod records;
