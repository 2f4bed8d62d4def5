//! Games whose rules are a program: the folder of a game with its `game.toml`, and the protocol
//! `referee 1` between agon and the program. `docs/referee.md` describes both.
//!
//! Nothing here starts a process: the module `referee` does.

mod course;
mod drawing;
mod folder;
mod gtp;
mod judged;
mod lines;
mod options;
mod rules;
mod state;
mod ugi;

pub use course::{CourseEntry, CourseLine, RecordedAnswer, answers, course, public_lines};
pub use drawing::{BadDrawing, by_plies, drawing};
pub use folder::{FILE, GameFolder, MOST_SEATS};
pub use judged::{GameRules, UNKNOWN};
pub use lines::{FaultKind, HandshakeLine, Question, StepLine, VERSION, handshake, step};
pub use options::{OptionSpec, Values};
pub use rules::HostedRules;
pub use state::{Answered, Flow, HostedGame, HostedNews, kind_of};
