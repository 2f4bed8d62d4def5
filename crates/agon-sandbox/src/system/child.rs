//! The child's part of a start, which both systems call.

/// What a child tells that has not become its program: how far it came, and the number of the
/// error. Zeros before.
pub(crate) type ChildOutcome = [i32; 2];

/// The child's part of a start: it becomes a program, or writes a [`ChildOutcome`] and gives the
/// code it ends with.
pub(crate) type Begin = extern "C" fn(*mut libc::c_void) -> libc::c_int;
