//! Results that somebody has changed: each change of the database, of a record file and of exported games is noticed, or
//! stands on the list of what an audit cannot know. What nobody has touched passes.

#![allow(clippy::unwrap_used)] // helpers of tests may panic

mod database;
mod exported;
mod honest;
mod place;
mod records;
