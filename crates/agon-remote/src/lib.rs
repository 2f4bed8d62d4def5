//! Carries the pipes of an engine over one TCP connection. The harness starts [`listen()`] as if it
//! were the engine. [`connect()`] starts the engine on another machine.
//!
//! Both sides prove that they know a token. Nothing is encrypted: use it through `ssh -L`, or in a
//! network that you trust. Frames are numbered, so a connection that breaks and comes back within
//! the grace loses nothing. [`greeting`] and [`frame`] have the protocol.

pub mod claim;
pub mod connect;
mod echoed;
mod error;
pub mod frame;
pub mod greeting;
pub mod link;
pub mod listen;
mod looks;
pub mod pauses;
mod pipes;
pub mod times;
mod trials;
mod turn;
mod waits;
mod wire;

pub use connect::connect;
pub use error::RemoteError;
pub use greeting::Token;
pub use listen::{echo, listen};
