//! What has failed while a box was built, in words for the harness.

use std::io;

/// What failed, in words.
pub(super) type Failure = String;

/// An error with the step it happened at.
pub(super) fn at<E: std::fmt::Display>(step: &str) -> impl FnOnce(E) -> Failure {
    move |error| format!("{step}: {error}")
}

/// What a call that gives -1 has to say. Nothing may be called between the two: it could set the
/// number anew.
pub(super) fn check(result: libc::c_int) -> io::Result<()> {
    if result == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
