//! The first arguments with which this program starts itself in another role. Nobody types them.

/// A helper, which builds a box and starts a program in it. It finds its socket as descriptor 3.
pub(super) const HELPER: &str = "\u{1}helper";
/// A process that tries to make a namespace; the second argument is its kind, as a number.
pub(super) const NAMESPACE: &str = "\u{1}namespace";
/// A process that makes the attacks of the self-test.
pub(super) const ATTACKS: &str = "\u{1}attacks";
/// The process in a build box that runs the build command.
pub(super) const BUILD: &str = "\u{1}build";
