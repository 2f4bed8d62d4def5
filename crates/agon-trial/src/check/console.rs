//! What the author of an `engine.toml` with `protocol = "console"` is told about a program that has
//! lost.

use agon_programs::spec::EngineSpec;

/// What to look at when no move was found in time. `is_greeted` says whether its first prompt was
/// found.
pub(super) fn silent(engine: &EngineSpec, is_greeted: bool) -> String {
    let mut words = if is_greeted {
        "agon looks for the key answer in each line that the program writes, and in a line behind which it waits. It is \
         told moves by the key say, and with the key prompt nothing before that matches. Compare these keys with what the \
         program writes on your terminal"
    } else {
        "Before the first game agon waits for text that matches the key prompt. Write there the end of what the program \
         asks, or leave the key out if it asks nothing"
    }
    .to_owned();
    words.push_str("; agon position show GAME --as-engine ENGINE prints what it is told");
    if !engine.pty {
        words.push_str(". ");
        words.push_str(WITHOUT_TERMINAL);
    }
    words
}

/// What to do for a program whose text stays in a buffer.
pub(super) const WITHOUT_TERMINAL: &str = "\
Many programs write at once only to a terminal: add pty = true to its engine.toml";

/// What to look at when a move was found that the rules refuse.
pub(super) const REFUSED: &str = "\
The key answer has found this in what the program writes. If that is not its move, make the expression more exact; if it \
is, the key coordinates says how the program names the cells";

/// What is no fault of a program that is made for people.
pub(super) const DOES_NOT_LEAVE: &str = "\
It does not leave when its input ends. It is killed then, and loses nothing by that";
