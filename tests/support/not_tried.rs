//! What a part of a test says that this machine cannot run.

/// Says that a part of a test is left out, and why. `scripts/test` lists these lines at its end, so
/// they all begin alike.
#[allow(unused_macros)] // not every target leaves something out
macro_rules! not_tried {
    ($($words:tt)*) => {
        println!("not tried: {}", format_args!($($words)*))
    };
}
#[allow(unused_imports)] // not every target leaves something out
pub(crate) use not_tried;
