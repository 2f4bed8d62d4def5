//! The entry point of this program when it has started itself in another role than the harness.

use super::{build_box, checks, helper, roles, self_test};

/// Becomes what this process was started for, if that is not the program itself; then it does not
/// come back. Called first of all in `main`, while there is one thread.
pub fn become_helper() {
    let mut arguments = std::env::args_os().skip(1);
    match arguments.next() {
        Some(name) if name == roles::HELPER => helper::help(),
        Some(name) if name == roles::NAMESPACE => self_test::help(arguments.next().as_deref()),
        Some(name) if name == roles::ATTACKS => checks::help(arguments),
        Some(name) if name == roles::BUILD => build_box::help(arguments),
        _ => {}
    }
}
