//! The engine that misbehaves on request. Its attacks need Linux; elsewhere it only says so.

#[cfg(target_os = "linux")]
#[path = "attacks.rs"]
mod attacks;

use std::process::ExitCode;

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    attacks::main()
}

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    eprintln!("agon-stub: its attacks need Linux, so it can do nothing on this system");
    ExitCode::from(2)
}
