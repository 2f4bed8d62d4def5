//! Why an engine had no answer when its time ran out, in plain words for its author.

use std::time::Duration;

use agon_record::{TranscriptLine, Way};

/// How long we wait for an answer whose time has run out, to tell a slow engine from one that is
/// stuck.
pub(super) const LATE: Duration = Duration::from_secs(1);

/// What an engine did when its time had run out, before its input was closed.
pub(super) enum LateAnswer {
    /// It answered, so long after the question.
    Answered(Duration),
    /// It used the processor most of the time.
    Computing,
    /// It did nothing, and has answered before.
    Slow,
    /// It did nothing, and has never answered.
    Silent,
}

impl LateAnswer {
    /// The words for its author, where its time was `limit`. Nothing of one whose silence has
    /// another reason.
    pub(super) fn words(&self, limit: Duration) -> Option<String> {
        let seconds = |time: Duration| format!("{} s", (time.as_secs_f64() * 1e3).round() / 1e3);
        let limit = seconds(limit);
        match self {
            LateAnswer::Answered(after) => Some(format!(
                "It answered after {}; its limit is {limit}. It is only too slow: let it think for a shorter \
                 time, and leave a tenth of the limit for the machine",
                seconds(*after)
            )),
            LateAnswer::Computing => Some(format!(
                "It was computing all the time: it may think too long, or for ever. Its limit is {limit}"
            )),
            LateAnswer::Slow => Some(format!(
                "It answered before, but not this time: it may think too long, or wait for a line that does \
                 not come. Its limit is {limit}"
            )),
            LateAnswer::Silent => None,
        }
    }
}

/// Why no answer came in time, as far as the lines show it.
pub(super) enum Silence {
    /// It wrote a move without a newline.
    Unfinished,
    /// It wrote this without a newline, which is no move.
    Prompt(String),
    /// It had an answer, which came when its stdin was closed.
    AnsweredAtTheEnd,
    /// It wrote nothing in the whole game.
    NothingAtAll,
}

impl Silence {
    pub(super) fn words(&self) -> String {
        match self {
            Silence::Unfinished => {
                "It wrote a move without a newline at the end. A move is a line: end it with a newline".to_owned()
            }
            Silence::Prompt(text) => format!(
                "It wrote \"{text}\" without a newline, which is no move and looks like a prompt. Only moves belong \
                 on stdout, each on a line of its own: leave prompts out, and write notes to stderr"
            ),
            Silence::AnsweredAtTheEnd => {
                "Its answer came only when its time was over and its input had ended. If it does not think for so \
                 long, its output lies in a buffer: flush stdout after each move (C: fflush(stdout); Python: print(..., flush=True); Pascal: flush(output); Java: \
                 System.out.flush())"
                    .to_owned()
            }
            Silence::NothingAtAll => {
                "It has written nothing at all to stdout. Does its output lie in a buffer that is never flushed? Does \
                 it wait for something that never comes (a prompt, a line \"your turn\", the end of its input)? Does \
                 it sleep or think for longer than its time? Who has the first move makes it as soon as the board \
                 is read"
                    .to_owned()
            }
        }
    }
}

/// Why an engine was silent. Whether it had something to say shows when its stdin is closed and it
/// leaves. `said` is the number of bytes that it wrote in all, `sides` those of the game.
pub(super) fn silence(heard: &[TranscriptLine], said: u64, sides: &[&str]) -> Option<Silence> {
    let last_told = heard.iter().rposition(|line| line.way == Way::Told);
    let after = heard.iter().skip(last_told.map_or(0, |at| at + 1));
    let whole = after.clone().filter(|line| line.way == Way::Unasked).count();
    let is_move = |text: &str| {
        let of = |side: &&str| text.strip_prefix(*side).is_some_and(|rest| rest.starts_with(','));
        sides.iter().any(of) || text.starts_with("bestmove")
    };
    if let Some(line) = heard.iter().rfind(|line| line.way == Way::Unfinished) {
        let text = line.text.trim_start();
        Some(if is_move(text) { Silence::Unfinished } else { Silence::Prompt(line.text.clone()) })
    } else if whole > 0 {
        Some(Silence::AnsweredAtTheEnd)
    } else {
        (said == 0).then_some(Silence::NothingAtAll)
    }
}

/// The words for an engine that has used the processor for nearly all of a turn without an answer.
/// `cpu` is the processor time of the whole game, `thought` the time of its moves before.
pub(super) fn computed(cpu: Duration, thought: Duration, turn: Duration) -> Option<String> {
    let used = cpu.saturating_sub(thought);
    (used * 10 >= turn * 8 && !turn.is_zero()).then(|| {
        format!(
            "It used the processor all the time, {:.1} s of {:.1} s: it computes and comes to no end. Look for a loop \
             that does not end, and let its search look at the clock",
            used.min(turn).as_secs_f64(),
            turn.as_secs_f64()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_that_computes_all_the_time_is_told_so() {
        let [cpu, thought, turn] = [1900, 1000, 1000].map(Duration::from_millis);
        assert!(computed(cpu, thought, turn).is_some_and(|words| words.contains("0.9 s of 1.0 s")));
        assert_eq!(computed(cpu, Duration::from_millis(1500), turn), None, "it waited for something");
        assert_eq!(computed(cpu, thought, Duration::ZERO), None);
    }
}
