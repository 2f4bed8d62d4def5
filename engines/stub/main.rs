//! The engine that misbehaves on request. What it does is asked of Linux, and elsewhere it only says so.

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
    eprintln!("agon-stub: its attacks are made of parts of Linux; there is nothing it can do on this system");
    ExitCode::from(2)
}
