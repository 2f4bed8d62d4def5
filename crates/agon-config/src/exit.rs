//! The exit codes of all commands, once. `docs/exit-codes.md` and the help are compared with this
//! list.

use std::process::ExitCode;

/// How a command has ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum CommandExit {
    /// It is done.
    Done,
    /// It could not be done, or something wrong was found.
    Failed,
    /// Wrong use or configuration, or an open question before the games.
    Misuse,
    /// What it needs is not available on this machine.
    Unavailable,
    /// Done, but some games stayed void or could not be judged.
    SomeVoid,
    /// Done, and there is news.
    News,
    /// The answer of a test: better.
    Better,
    /// The answer of a test: not better.
    NotBetter,
    /// The answer of a test, or to the question of a run: open.
    Open,
    /// The connection of an engine elsewhere was lost.
    Lost,
    /// The user has stopped it.
    Interrupted,
}

impl CommandExit {
    /// All of them, ordered by number.
    pub const ALL: [CommandExit; 11] = [
        CommandExit::Done,
        CommandExit::Failed,
        CommandExit::Misuse,
        CommandExit::Unavailable,
        CommandExit::SomeVoid,
        CommandExit::News,
        CommandExit::Better,
        CommandExit::NotBetter,
        CommandExit::Open,
        CommandExit::Lost,
        CommandExit::Interrupted,
    ];

    /// The number that the program leaves with.
    pub const fn number(self) -> u8 {
        match self {
            CommandExit::Done => 0,
            CommandExit::Failed => 1,
            CommandExit::Misuse => 2,
            CommandExit::Unavailable => 3,
            CommandExit::SomeVoid => 4,
            CommandExit::News => 5,
            CommandExit::Better => 10,
            CommandExit::NotBetter => 11,
            CommandExit::Open => 12,
            CommandExit::Lost => 75,
            CommandExit::Interrupted => 130,
        }
    }

    /// What it means, in a few words.
    pub const fn meaning(self) -> &'static str {
        match self {
            CommandExit::Done => "done",
            CommandExit::Failed => "it could not be done, or something wrong was found",
            CommandExit::Misuse => "wrong use or configuration, or an open question before the games",
            CommandExit::Unavailable => "the isolation level or a compiler is not available here",
            CommandExit::SomeVoid => "done, but some games stayed void or could not be judged",
            CommandExit::News => "done, and a night has news",
            CommandExit::Better => "a test has shown that the first engine is better: H1 accepted",
            CommandExit::NotBetter => "a test has shown that it is not better: H0 accepted",
            CommandExit::Open => "a test is over and not decided, or a question is open",
            CommandExit::Lost => "the connection of an engine elsewhere was lost",
            CommandExit::Interrupted => "interrupted",
        }
    }

    /// [`CommandExit::Done`], or [`CommandExit::Failed`] if something wrong was found.
    pub fn found(is_wrong: bool) -> CommandExit {
        if is_wrong { CommandExit::Failed } else { CommandExit::Done }
    }
}

impl From<CommandExit> for ExitCode {
    fn from(exit: CommandExit) -> ExitCode {
        ExitCode::from(exit.number())
    }
}
