//! A request to stop, for commands without engines that work for long and can show what they have.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use agon_config::CommandExit;
use anyhow::Context;
use signal_hook::consts::{SIGINT, SIGTERM};

static ASKED: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// From now on the first SIGINT or SIGTERM asks this process to stop, and the second ends it.
///
/// # Errors
/// The system cannot give a handler.
pub(crate) fn heed() -> anyhow::Result<()> {
    let asked = ASKED.get_or_init(Arc::default);
    for signal in [SIGINT, SIGTERM] {
        // The order matters: the first signal finds the flag unset.
        let code = i32::from(CommandExit::Interrupted.number());
        signal_hook::flag::register_conditional_shutdown(signal, code, asked.clone())
            .and_then(|_| signal_hook::flag::register(signal, asked.clone()))
            .context("cannot wait for signals")?;
    }
    Ok(())
}

/// Whether it was asked to stop.
pub(crate) fn is_asked() -> bool {
    ASKED.get().is_some_and(|asked| asked.load(Ordering::Relaxed))
}
