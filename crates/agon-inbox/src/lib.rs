//! The folder of a class's submissions: its layout, its tokens, and the notes on each submission.
//! `agon inbox` does the work in it. The server of the pages puts archives there and reads the
//! notes.

#![warn(missing_docs)]

mod notes;
mod places;
mod publication;
mod rates;
mod tokens;

pub use notes::{Accepted, AnsweredSubmission, InboxNote, SubmissionNote};
pub use places::{Inbox, MOST_BYTES, MOST_FILES, MOST_UNPACKED};
pub use publication::{is_published, publish, withdraw};
pub use rates::{MOST_A_DAY, TooSoon, count_archive, may_come};
pub use tokens::{Holder, TokenRow, Tokens};
