//! Why a link has ended.

use std::io;
use std::time::Duration;

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
    /// The other side sends frames without end that bring nothing.
    #[error("the machine of the engine floods the connection with empty frames")]
    Flood,
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
    pub(crate) fn system(what: impl Into<String>) -> impl FnOnce(io::Error) -> RemoteError {
        let what = what.into();
        move |error| RemoteError::System { what, error }
    }
}
