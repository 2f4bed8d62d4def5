//! The folder into which the submissions of a class come: its places, its tokens, and what is told of
//! each submission. `agon inbox` does the work in it; the server of the pages brings archives and
//! reads what is told.

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
