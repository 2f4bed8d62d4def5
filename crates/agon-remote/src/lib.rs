//! Carries the pipes of an engine over one TCP connection: the harness starts [`listen()`] as if it were
//! the engine, and [`connect()`] starts the engine on another machine.
//!
//! Both sides prove that they know a token. Nothing is encrypted: use it through `ssh -L`, or in a
//! network that you trust. Frames are numbered, so a connection that breaks and comes back within the
//! grace loses nothing. [`greeting`] and [`frame`] have the protocol.

pub mod connect;
pub mod frame;
pub mod greeting;
pub mod link;
pub mod listen;
mod wire;

use std::io;
use std::time::Duration;

pub use connect::connect;
pub use greeting::Token;
pub use listen::listen;

/// An idle connection is tried so often.
const HEARTBEAT: Duration = Duration::from_secs(1);
/// A connection on which nothing came for so long is given up.
const SILENT: Duration = Duration::from_secs(5);
/// A stranger has so long to prove that it knows the token.
const PROOF: Duration = Duration::from_secs(5);
/// The most bytes of one read.
const GULP: usize = 64 * 1024;

/// Why the pipes are carried no longer.
#[derive(Debug, thiserror::Error)]
pub enum RemoteError {
    /// The token cannot be used.
    #[error("{0}")]
    Token(String),
    /// The other side does not speak the protocol, or does not know the token.
    #[error("{0}")]
    Refused(String),
    /// The connection broke and did not come back in time.
    #[error("the connection was lost and did not come back within {0:?}")]
    Lost(Duration),
    /// The system refuses.
    #[error("{what}: {error}")]
    System {
        /// What was tried.
        what: String,
        /// What the system says.
        error: io::Error,
    },
}

impl RemoteError {
    fn system(what: impl Into<String>) -> impl FnOnce(io::Error) -> RemoteError {
        let what = what.into();
        move |error| RemoteError::System { what, error }
    }
}
