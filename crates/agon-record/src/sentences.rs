//! Reads sentences as [`EndReason`]s: those of records as text, and of databases that agon 0.2.0 or
//! an older one has written.
//!
//! A reading makes the same sentence again, byte for byte. A sentence can have several, because a
//! line of an engine may hold the marks that end it.

use agon_standings::result::{Cause, Termination};

use super::reason::{EndReason, FaultFact, FaultNote, FaultReason, LAST_WORDS, QuotedLine};
use super::{Exit, ScoreReason, reason};

/// The most signals of an operating system.
const SIGNALS: i32 = 64;

impl EndReason {
    /// The reason that a sentence tells of a game with this termination.
    pub fn of_sentence(words: &str, termination: Termination) -> EndReason {
        let found = match termination {
            Termination::Normal => Some(EndReason::Rules(words.to_owned())),
            Termination::Resignation(_) => Some(EndReason::Resigned),
            Termination::Adjudication => adjudication(words),
            Termination::Decision => None,
            Termination::Forfeit(_, cause) => return EndReason::Words(words.to_owned()).read(Some(cause)),
        };
        found.filter(|found| found.to_string() == words).unwrap_or_else(|| EndReason::Words(words.to_owned()))
    }

    /// What is known of a fault: what a sentence tells, if there is nothing else.
    #[must_use]
    pub fn read(&self, fault: Option<Cause>) -> EndReason {
        self.readings(fault).into_iter().next().unwrap_or_else(|| self.clone())
    }

    /// Everything that a sentence can mean; of other reasons there is one meaning.
    pub fn readings(&self, fault: Option<Cause>) -> Vec<EndReason> {
        let EndReason::Words(words) = self else { return vec![self.clone()] };
        let mut found = match fault {
            Some(Cause::IllegalMove | Cause::Protocol) => refusals(words),
            _ => Vec::new(),
        };
        found.push(EndReason::Fault(Box::new(fault_of(words))));
        found.retain(|found| found.to_string() == *words);
        found
    }

    /// Whether it says the same as another: a sentence is compared with the sentence of the other.
    pub fn says(&self, other: &EndReason) -> bool {
        match (self, other) {
            (EndReason::Words(words), other) | (other, EndReason::Words(words)) => {
                *words == other.to_string()
            }
            (one, other) => one == other,
        }
    }
}

fn adjudication(words: &str) -> Option<EndReason> {
    let number = |end: &str| words.strip_suffix(end)?.parse().ok();
    if let Some(plies) = number(" plies were played; the score decides") {
        return Some(EndReason::PlyLimit(plies));
    }
    if let Some(given) = number(" answers were given; the scores decide") {
        return Some(EndReason::AnswerLimit(given));
    }
    if let Some(scores) = ScoreReason::of_sentence(words) {
        return Some(EndReason::Scores(scores));
    }
    let (side, rest) = words.split_once(" wins in ")?;
    let plies = rest.split(' ').next()?.parse().ok()?;
    Some(EndReason::KnownWin { side: side.to_owned(), plies })
}

/// Every way to read a refused move or a line that is none: `"LINE": WHY`, and perhaps the engine's
/// own line.
fn refusals(words: &str) -> Vec<EndReason> {
    if let Some(rest) = words.strip_prefix("its answer is no move: ") {
        let splits = quoted(rest).into_iter();
        let facts = splits.map(|(line, why)| FaultFact::NoMove { line, why: why.to_owned() });
        return facts.map(|fact| EndReason::Fault(fact.into())).collect();
    }
    let mut found = Vec::new();
    for (line, rest) in quoted(words) {
        for (at, mark) in rest.match_indices("; its line was \"") {
            let own = rest[at + mark.len()..].strip_suffix('"').filter(|own| !own.is_empty());
            if let Some(own) = own {
                let (why, own) = (rest[..at].to_owned(), Some(line_of(own)));
                found.push(EndReason::Refused { line: line.clone(), why, own });
            }
        }
        found.push(EndReason::Refused { line, why: rest.to_owned(), own: None });
    }
    found
}

/// The lines that may be quoted at the beginning, `"LINE": REST`, each with the rest behind it.
fn quoted(words: &str) -> Vec<(QuotedLine, &str)> {
    let Some(inside) = words.strip_prefix('"') else { return Vec::new() };
    let ends = inside.match_indices("\": ");
    ends.map(|(end, mark)| (line_of(&inside[..end]), &inside[end + mark.len()..])).collect()
}

/// A line as a sentence shows it: `W,1,1,1,1[... 900 more bytes]`.
fn line_of(shown: &str) -> QuotedLine {
    let cut = || {
        let (text, left) = shown.strip_suffix(" more bytes]")?.rsplit_once("[... ")?;
        Some(QuotedLine { text: text.to_owned(), left: left.parse().ok()? })
    };
    cut().unwrap_or_else(|| QuotedLine { text: shown.to_owned(), left: 0 })
}

/// A fault other than a refused move.
fn fault_of(words: &str) -> FaultReason {
    let (words, last) = match words.split_once(LAST_WORDS) {
        Some((before, line)) => (before, line.strip_prefix('"').and_then(|line| line.strip_suffix('"'))),
        None => (words, None),
    };
    let greeted =
        words.strip_prefix("it did not say ").and_then(|rest| rest.split_once(" before the game: "));
    let (greeting, words) = match greeted {
        Some((awaited, words)) => (Some(awaited.to_owned()), words),
        None => (None, words),
    };
    let (fact, more) = fact(words).unwrap_or_else(|| (FaultFact::Told(words.to_owned()), ""));
    let remark = more.strip_prefix("; ").map(|more| FaultNote::Remark(more.to_owned()));
    let last = last.map(|line| FaultNote::LastWords(line_of(line)));
    FaultReason { greeting, fact, notes: remark.into_iter().chain(last).collect() }
}

/// What a sentence tells of a fault, and the rest of it.
fn fact(words: &str) -> Option<(FaultFact, &str)> {
    if let Some(why) = words.strip_prefix("it refused to play, before the game: ") {
        return Some((FaultFact::RefusedToPlay(why.to_owned()), ""));
    }
    if let Some(why) = words.strip_prefix("env could not start its program: ") {
        return Some((FaultFact::NotByEnv(why.to_owned()), ""));
    }
    if let Some(rest) = words.strip_prefix("its process had ended before it was asked") {
        let (exit, rest) = exit(rest);
        return Some((FaultFact::EndedBefore(exit), rest));
    }
    if let Some(rest) = words.strip_prefix("its process ended without an answer") {
        let (exit, rest) = exit(rest);
        let line = rest.strip_prefix("; \"").and_then(|rest| {
            let (line, rest) = rest.rsplit_once("\" has no newline and does not count")?;
            Some((line_of(line), rest))
        });
        let (unfinished, rest) = line.map_or((None, rest), |(line, rest)| (Some(line), rest));
        return Some((FaultFact::Ended { exit, unfinished }, rest));
    }
    if let Some(rest) = words.strip_prefix("it wrote more than ") {
        let (most, rest) = rest.split_once(" bytes in one turn")?;
        return Some((FaultFact::LongTurn(most.parse().ok()?), rest));
    }
    if let Some(rest) = words.strip_prefix("it wrote a line of more than ") {
        let (most, rest) = rest.split_once(" bytes, which begins \"")?;
        let (begins, rest) = rest.rsplit_once('"')?;
        return Some((FaultFact::LongLine { most: most.parse().ok()?, begins: line_of(begins) }, rest));
    }
    None
}

/// How a process ended, ` (exit status 3)`, and the rest.
fn exit(words: &str) -> (Option<Exit>, &str) {
    let status = words.strip_prefix(" (exit status ").and_then(|rest| rest.split(')').next()?.parse().ok());
    let all = status.map(Exit::Code).into_iter().chain((1..=SIGNALS).map(Exit::Signal)).chain([Exit::Killed]);
    let mut found = all.filter_map(|exit| Some((exit, words.strip_prefix(&reason::how(Some(exit)))?)));
    found.next().map_or((None, words), |(exit, rest)| (Some(exit), rest))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use agon_seats::Seat;

    use super::*;
    use crate::reason::Silent;

    fn line(text: &str) -> QuotedLine {
        QuotedLine::of(text.as_bytes())
    }

    fn read(words: &str, cause: Cause) -> EndReason {
        EndReason::of_sentence(words, Termination::Forfeit(Seat::FIRST, cause))
    }

    #[test]
    fn a_sentence_is_read_as_what_it_was_made_from() {
        let long = "x".repeat(900);
        let exits = [Exit::Code(3), Exit::Signal(11), Exit::Signal(50), Exit::Killed];
        let mut faults: Vec<(Cause, Box<FaultReason>)> = Vec::new();
        for exit in exits.map(Some).into_iter().chain([None]) {
            for unfinished in [None, Some(line("W,1")), Some(line(&long))] {
                let ended: Box<FaultReason> = FaultFact::Ended { exit, unfinished }.into();
                faults.push((Cause::Crash, ended.clone().with(FaultNote::LastWords(line("Segfault \"x\"")))));
                faults.push((Cause::Crash, ended));
            }
            faults.push((Cause::Crash, FaultFact::EndedBefore(exit).into()));
        }
        let limit = FaultFact::LongLine { most: 65_536, begins: QuotedLine::cut(long.as_bytes(), 60) };
        faults.extend([
            (Cause::OutputLimit, FaultFact::LongTurn(1 << 20).into()),
            (Cause::OutputLimit, limit.into()),
            (Cause::StartFailed, FaultFact::NotByEnv("it has no python3".to_owned()).into()),
            (Cause::StartFailed, FaultFact::RefusedToPlay("the board is too large".to_owned()).into()),
            (
                Cause::Protocol,
                FaultFact::NoMove { line: line("(none)"), why: "it has none".to_owned() }.into(),
            ),
        ]);
        let mut reasons: Vec<(Cause, EndReason)> =
            faults.into_iter().map(|(cause, fault)| (cause, EndReason::Fault(fault))).collect();
        for own in [None, Some(line("bestmove a1")), Some(line(&long))] {
            let refused = EndReason::Refused { line: line(&long), why: "it is taken".to_owned(), own };
            reasons.push((Cause::IllegalMove, refused));
        }
        for (cause, reason) in reasons {
            assert_eq!(read(&reason.to_string(), cause), reason, "{reason}");
        }
        let late = Box::<FaultReason>::from(silent()).awaiting(Some("ugiok"));
        let read = read(&EndReason::Fault(late).to_string(), Cause::TimeForfeit);
        assert_eq!(read.fault().and_then(|fault| fault.greeting.as_deref()), Some("ugiok"), "{read:?}");
    }

    fn silent() -> FaultFact {
        FaultFact::Silent(Silent {
            allowance: Duration::from_millis(1020),
            unfinished: None,
            unread: true,
            unasked: 2,
            spent: None,
            waits: true,
        })
    }

    #[test]
    fn adjudications_and_resignations_are_read_and_other_words_stay_words() {
        let lost = |moves: u32, twosided: bool| {
            let side = "W was -5".to_owned();
            EndReason::Scores(ScoreReason::Lost { side, score: 600, moves, twosided })
        };
        let ends = [
            (Termination::Adjudication, EndReason::PlyLimit(400)),
            (Termination::Adjudication, EndReason::AnswerLimit(30)),
            (Termination::Adjudication, EndReason::KnownWin { side: "W".to_owned(), plies: 1 }),
            (Termination::Adjudication, EndReason::KnownWin { side: "W".to_owned(), plies: 5 }),
            (Termination::Adjudication, lost(1, false)),
            (Termination::Adjudication, lost(4, true)),
            (Termination::Adjudication, EndReason::Scores(ScoreReason::Drawn { score: 0, moves: 1 })),
            (Termination::Adjudication, EndReason::Scores(ScoreReason::Drawn { score: 10, moves: 8 })),
            (Termination::Resignation(Seat::SECOND), EndReason::Resigned),
            (Termination::Normal, EndReason::Rules("two passes in a row".to_owned())),
        ];
        for (termination, reason) in ends {
            assert_eq!(EndReason::of_sentence(&reason.to_string(), termination), reason);
        }
        for termination in [Termination::Adjudication, Termination::Resignation(Seat::FIRST)] {
            let words = "+5 plies were played; the score decides";
            assert_eq!(EndReason::of_sentence(words, termination), EndReason::Words(words.to_owned()));
        }
    }

    #[test]
    fn a_line_that_holds_the_marks_has_all_its_readings() {
        let reason = EndReason::Refused {
            line: line("W,\": b"),
            why: "c; its line was \"d\"".to_owned(),
            own: Some(line("e\"; its line was \"f")),
        };
        let words = EndReason::Words(reason.to_string());
        let readings = words.readings(Some(Cause::IllegalMove));
        assert!(readings.contains(&reason) && readings.len() > 4, "{readings:?}");
        assert!(readings.iter().all(|reading| words.says(reading)));
    }

    #[test]
    fn a_reason_reads_back_from_json() {
        let fault = Box::<FaultReason>::from(silent())
            .with(FaultNote::FullDisk(8 << 20))
            .with(FaultNote::LastWords(line("gone")));
        let sentence = "no answer within 1.02 s, and it has not read its standard input; 2 line(s) it wrote when it \
                        was not asked did not count; it was waiting for input; the disk of its box is full (--disk \
                        8M); the last it wrote to stderr is \"gone\"";
        let reason = EndReason::Fault(fault);
        assert_eq!(reason.to_string(), sentence);
        let text = serde_json::to_string(&reason).unwrap();
        assert_eq!(serde_json::from_str::<EndReason>(&text).unwrap(), reason, "{text}");
        assert!(text.contains("\"allowance_micros\":1020000"), "{text}");
        assert_eq!(
            reason.public(Some(Cause::TimeForfeit)).to_string(),
            &sentence[..sentence.len() - "; the last it wrote to stderr is \"gone\"".len()]
        );
    }
}
