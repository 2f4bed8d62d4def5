//! Game records as lines of JSON: written and read.

use std::io;

use agon_record::{BoxPlace, GameRecord, Host, OrganiserRuling, Verdict};
use agon_seats::PerSeat;
use agon_standings::result::Termination;
use agon_store::imported::CountedAs;
use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};
use serde_json::ser::{CompactFormatter, Formatter, Serializer};

/// One line of JSON, without a newline.
///
/// The line is printable ASCII without `<`, for every name and output of an engine. So it is safe
/// on a terminal and in a web page.
pub fn line(what: &impl Serialize) -> String {
    let mut line = Vec::new();
    what.serialize(&mut Serializer::with_formatter(&mut line, Printable(CompactFormatter)))
        .expect("a record has string keys only, and a vector takes everything");
    String::from_utf8(line).expect("the formatter writes ASCII")
}

/// A game for another database.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ExportedGame {
    /// The game.
    #[serde(flatten)]
    pub record: GameRecord,
    /// Its key, as 16 hexadecimal digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The hash of each seat's engine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine_hashes: Option<PerSeat<String>>,
    /// Whether it counted. Otherwise it was void or history.
    #[serde(default = "yes", skip_serializing_if = "is_so")]
    pub counts: bool,
    /// What its result counts in its run, if it counts and that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted_as: Option<CountedAs>,
    /// The machine on which it was played, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<Host>,
    /// What the box of each seat's engine showed besides what every box has, with the reason of
    /// each place; none if no engine was in a box.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boxes: Option<PerSeat<Vec<BoxPlace>>>,
}

fn yes() -> bool {
    true
}

#[allow(clippy::trivially_copy_pass_by_ref)] // as serde calls it
fn is_so(it: &bool) -> bool {
    *it
}

/// A game as one line of JSON, without a newline.
pub fn to_export(exported: &ExportedGame) -> String {
    line(exported)
}

/// Reads a line of [`to_export`]. A record alone, as the events have it, is one too.
///
/// # Errors
/// The line is not a record, a seat has no place, score or hash, or a ply has no seat.
pub fn from_export(line: &str) -> Result<ExportedGame> {
    let exported: ExportedGame = serde_json::from_str(line)?;
    check(&exported.record)?;
    let seats = exported.record.seats.len();
    ensure!(
        exported.engine_hashes.as_ref().is_none_or(|hashes| hashes.len() == seats),
        "the number of engine hashes differs from the number of seats"
    );
    ensure!(
        exported.boxes.as_ref().is_none_or(|boxes| boxes.len() == seats),
        "the number of boxes differs from the number of seats"
    );
    Ok(exported)
}

/// Checks the conditions that the types leave open and that users of a record rely on.
fn check(record: &GameRecord) -> Result<()> {
    let seats = record.seats.len();
    ensure!((1..=256).contains(&seats), "a game has 1 to 256 seats, not {seats}");
    if let Some(ply) = record.plies.iter().position(|ply| ply.seat.index() >= seats) {
        anyhow::bail!("ply {} was played by a seat that the game does not have", ply + 1);
    }
    if let Some(ruling) = &record.ruling {
        let OrganiserRuling { decision, why, played, .. } = &**ruling;
        ensure!(decision.fits(seats), "the decision of the organiser does not fit {seats} seats");
        ensure!(!why.trim().is_empty(), "the decision of the organiser has no reason");
        let decided = decision.verdict(why, played, seats);
        ensure!(record.verdict == decided, "the verdict is not that of the organiser's decision");
        return check(&record.clone().as_played());
    }
    let Verdict::Decided(decided) = &record.verdict else { return Ok(()) };
    ensure!(decided.places.len() == seats, "{} places for {seats} seats", decided.places.len());
    ensure!(decided.scores.len() == seats, "{} scores for {seats} seats", decided.scores.len());
    ensure!(decided.places.values().contains(&1), "no seat has the first place");
    if let Termination::Forfeit(seat, _) = decided.termination {
        ensure!(seat.index() < seats, "the fault belongs to a seat that the game does not have");
    }
    Ok(())
}

/// Compact JSON. Characters other than printable ASCII are escaped, and so is `<`, which could end
/// a script.
struct Printable(CompactFormatter);

impl Formatter for Printable {
    fn write_string_fragment<W: io::Write + ?Sized>(&mut self, to: &mut W, fragment: &str) -> io::Result<()> {
        for letter in fragment.chars() {
            if matches!(letter, ' '..='~') && letter != '<' {
                self.0.write_string_fragment(to, letter.encode_utf8(&mut [0; 4]))?;
            } else {
                for unit in letter.encode_utf16(&mut [0; 2]) {
                    write!(to, "\\u{unit:04x}")?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_record::sample::{ended_by, game, void};
    use agon_record::{Evidence, TranscriptLine, Way};
    use agon_seats::Seat;
    use agon_standings::result::Cause;
    use agon_standings::tiebreaks::TieBreak;
    use agon_store::imported::Repeats;

    #[test]
    fn a_record_comes_back_as_it_was() {
        let crash = Termination::Forfeit(Seat::SECOND, Cause::Crash);
        let mut lost = ended_by(game(1, "alpha", "bravo", "1-0"), crash, "killed by SIGSEGV (signal 11)");
        lost.seats[Seat::SECOND].evidence = Some(Evidence {
            lines: vec![TranscriptLine {
                at: lost.seats[Seat::FIRST].time,
                way: Way::Said,
                text: "W,P".to_owned(),
            }],
            stderr: "Zoë\u{10ffff}</script>\u{1b}[2J\"\\".to_owned(),
            command: vec!["./engine".to_owned()],
        });
        for record in [lost, void(game(2, "alpha", "bravo", "0-1"), "no disk")] {
            assert_eq!(from_export(&line(&record)).unwrap().record, record);
        }
    }

    #[test]
    fn an_exported_game_comes_back_with_or_without_its_hashes() {
        let record = game(1, "alpha", "bravo", "1-0");
        let with = ExportedGame {
            record: record.clone(),
            key: Some("00ff".to_owned()),
            engine_hashes: Some(PerSeat::two("a".to_owned(), "b".to_owned())),
            counts: false,
            counted_as: Some(CountedAs {
                points: "sum".to_owned(),
                repeats: Repeats::Once,
                tiebreaks: Some(vec![TieBreak::Koya]),
                stage: None,
            }),
            host: Some(Host { name: "ws3".to_owned(), cpu: String::new(), cores: 4 }),
            boxes: Some(PerSeat::two(
                Vec::new(),
                vec![BoxPlace { path: "/opt/x".to_owned(), reason: "--show".to_owned() }],
            )),
        };
        assert_eq!(from_export(&to_export(&with)).unwrap(), with);
        let without = ExportedGame {
            record: record.clone(),
            key: None,
            engine_hashes: None,
            counts: true,
            counted_as: None,
            host: None,
            boxes: None,
        };
        assert_eq!(from_export(&line(&record)).unwrap(), without);
    }

    #[test]
    fn a_line_is_printable_ascii_and_ends_no_script() {
        let line = super::line(&game(1, "</script>\n\u{7f}\u{202e}Zoë 🂡", "\u{9b}", "1-0"));
        assert!(line.bytes().all(|byte| (b' '..=b'~').contains(&byte) && byte != b'<'), "{line}");
        assert!(line.contains("\\u003c/script>\\n\\u007f\\u202eZo\\u00eb \\ud83c\\udca1"), "{line}");
    }

    #[test]
    fn a_record_that_is_not_of_one_piece_is_refused() {
        let line = super::line(&game(1, "alpha", "bravo", "1-0"));
        for (good, bad, why) in [
            ("\"places\":[1,2]", "\"places\":[1]", "1 places for 2 seats"),
            ("\"scores\":[12,9]", "\"scores\":[12,9,1]", "3 scores for 2 seats"),
            ("\"places\":[1,2]", "\"places\":[2,2]", "no seat has the first place"),
            ("\"seat\":1", "\"seat\":2", "ply 2 was played by a seat that the game does not have"),
            (
                "\"normal\"",
                "{\"forfeit\":[7,\"crash\"]}",
                "the fault belongs to a seat that the game does not have",
            ),
        ] {
            assert!(line.contains(good), "{good} is not in {line}");
            assert_eq!(from_export(&line.replace(good, bad)).unwrap_err().to_string(), why);
        }
        assert!(from_export("{}").is_err());
    }
}
