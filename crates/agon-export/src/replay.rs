//! Plays a game's record again through the rules, and finds everything in it that is wrong.
//!
//! A record holds more than its moves: points, scores, the last position, the number of plies, the
//! termination and the result. If a move was replaced by another legal one, one of these differs.

use agon_games::{Game, Outcome, Rules, Status, places_without, with_side};
use agon_match::referee::adjudication;
use agon_printable::{escape, unescape};
use agon_record::reason::{EndReason, FaultFact, QuotedLine};
use agon_record::{GameRecord, ScoreReason};
use agon_seats::result::{self, Finish, Lost};
use agon_seats::{PerSeat, Refusal, Seat};
use agon_standings::result::{Cause, Termination};

use super::notation::{Notation, Noted, PLAYED};

/// What is wrong with a record.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {why}")]
pub struct Discrepancy {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there: the move or tag, and its correct value.
    pub why: String,
}

/// A game that was played again.
pub struct Replay {
    /// The game after its last move.
    pub game: Box<dyn Game>,
    /// The moves in the referee's form, with their side letters.
    pub moves: Vec<String>,
    /// The reason for the end, by the rules or by the record.
    pub ending: String,
}

/// The game of a record before its first move.
///
/// # Errors
/// [`Discrepancy`], when the tags `Start` or `Seats` do not fit this game.
pub fn begin(record: &Notation, rules: &dyn Rules) -> Result<Box<dyn Game>, Discrepancy> {
    let seats = rules.seats().join(",");
    if let Some(tag) = record.found("Seats").filter(|tag| tag.value != seats) {
        let why = format!(
            "the tag Seats says {}, but the seats of {} are {seats}",
            quoted(&tag.value),
            rules.spec()
        );
        return Err(Discrepancy { line: tag.line, why });
    }
    let (line, start) = record.found("Start").map_or((1, "startpos"), |tag| (tag.line, tag.value.as_str()));
    rules
        .resume(start)
        .map_err(|refusal| Discrepancy { line, why: format!("the tag Start is not a position: {refusal}") })
}

/// Plays the moves of a record up to a ply, or all of them if there are fewer.
///
/// # Errors
/// [`Discrepancy`], with the first illegal move or the first wrong points.
pub fn play(record: &Notation, rules: &dyn Rules, plies: usize) -> Result<Replay, Discrepancy> {
    let mut game = begin(record, rules)?;
    let mut moves = Vec::new();
    for (ply, noted) in (1..).zip(record.plies.iter().take(plies)) {
        let side = rules.seats()[noted.seat.index()];
        let wrong = |why: &str| Discrepancy {
            line: noted.line,
            why: format!("move {} of {side} (ply {ply}), {}: {why}", noted.round, quoted(&noted.text)),
        };
        let played = one(game.as_mut(), rules, noted).map_err(|refusal| wrong(&refusal.to_string()))?;
        if let Some((points, _)) = noted.note.filter(|(points, _)| *points != played.points) {
            return Err(wrong(&format!("it scores {}, but the record says {points}", played.points)));
        }
        moves.push(played.text);
    }
    Ok(Replay { game, moves, ending: String::new() })
}

fn one(game: &mut dyn Game, rules: &dyn Rules, noted: &Noted) -> Result<agon_games::Played, Refusal> {
    if let Status::ToMove(seat) = game.status()
        && seat != noted.seat
    {
        let name = |seat: Seat| rules.seats()[seat.index()];
        return Err(Refusal::illegal(format!(
            "it is {}'s turn, but the move stands in the place of {}",
            name(seat),
            name(noted.seat)
        )));
    }
    game.play(with_side(&noted.text, rules.seats(), noted.seat).as_bytes())
}

/// Plays a whole record again and checks all its values against the rules.
///
/// # Errors
/// [`Discrepancy`], with the first wrong value.
pub fn verify(record: &Notation, rules: &dyn Rules) -> Result<Replay, Discrepancy> {
    let record = &as_played(record)?;
    whole(record)?;
    let mut replay = play(record, rules, usize::MAX)?;
    let game = replay.game.as_ref();
    let scores: Vec<String> = game.scores().values().iter().map(i32::to_string).collect();
    tag_is(record, "Last", &game.text())?;
    tag_is(record, "Scores", &scores.join(":"))?;
    replay.ending = ended(record, rules, game)?;
    Ok(replay)
}

/// The record without a decision of the organiser: its tags are those of the game as played.
fn as_played(record: &Notation) -> Result<Notation, Discrepancy> {
    let mut played = record.clone();
    let Some(decision) = record.found("Decision") else { return Ok(played) };
    played.tags.retain(|tag| PLAYED.iter().all(|(_, name)| tag.name != *name));
    for (own, name) in PLAYED {
        let Some(tag) = played.tags.iter_mut().find(|tag| tag.name == own) else {
            let why = format!("there is a tag Decision, but no tag {own}");
            return Err(Discrepancy { line: decision.line, why });
        };
        name.clone_into(&mut tag.name);
    }
    // A void attempt has no scores.
    played.tags.retain(|tag| tag.name != "Scores" || !tag.value.is_empty());
    Ok(played)
}

/// Refuses a truncated record.
fn whole(record: &Notation) -> Result<(), Discrepancy> {
    let cut = |line, why| Err(Discrepancy { line, why });
    let plies = record.plies.len();
    if let Some(tag) = record.found("Plies").filter(|tag| tag.value != plies.to_string()) {
        let (line, last) = record.plies.last().map_or((tag.line, String::new()), |last| {
            (last.line, format!(", the last one {}", quoted(&last.text)))
        });
        let said = quoted(&tag.value);
        return cut(line, format!("the record has {plies} plies{last}, but its tag Plies says {said}"));
    }
    // A record written by hand may end with its last move; a record of agon never does.
    if record.result.is_none() && (plies == 0 || record.found("Plies").is_some()) {
        return cut(
            record.lines.max(1),
            "the game ends without its result: the record is truncated".to_owned(),
        );
    }
    if record.found("Result").is_none() {
        return cut(1, "there is no tag Result".to_owned());
    }
    Ok(())
}

/// Refuses a tag with another value.
fn tag_is(record: &Notation, name: &str, by_the_moves: &str) -> Result<(), Discrepancy> {
    let Some(tag) = record.found(name).filter(|tag| tag.value != by_the_moves) else { return Ok(()) };
    let said = quoted(&tag.value);
    let why = format!(
        "the tag {name} says {said}, but by the moves it is {}: a move or the tag was changed",
        quoted(by_the_moves)
    );
    Err(Discrepancy { line: tag.line, why })
}

/// Why the game ended, after a check of the tags `Termination`, `Reason` and `Result`.
fn ended(record: &Notation, rules: &dyn Rules, game: &dyn Game) -> Result<String, Discrepancy> {
    let said = record.tag("Termination");
    let at = record.found("Termination").or(record.found("Result")).map_or(1, |tag| tag.line);
    let wrong = |why: String| Err(Discrepancy { line: at, why });
    if said == Some("void") {
        tag_is(record, "Result", "*")?;
        return Ok("void".to_owned());
    }
    match (game.status(), said) {
        (Status::Over(outcome), None | Some("normal")) => {
            tag_is(record, "Reason", &outcome.why)?;
            tag_is(record, "Result", &text_of(rules, &outcome.places, &outcome.scores, None))?;
            Ok(outcome.why)
        }
        (Status::Over(Outcome { why, .. }), Some(said)) => wrong(format!(
            "the tag Termination says {}, but by the rules the game is over: {why}",
            quoted(said)
        )),
        (Status::ToMove(seat), Some("normal")) => wrong(format!(
            "the tag Termination says \"normal\", but after the last move the game goes on with {}",
            rules.seats()[seat.index()]
        )),
        (Status::ToMove(_), Some("adjudication")) if is_by_value(record) => {
            let moves = record.plies.iter().map(|ply| ply.text.as_str());
            let start = record.tag("Start").unwrap_or("startpos");
            let Some(end) = adjudication::known_end(rules, start, moves) else {
                return wrong(
                    "the tag Termination says \"adjudication\", but nobody is known to win".to_owned(),
                );
            };
            let (places, reason) = (end.places(rules.seats().len()), end.reason(rules.seats()));
            tag_is(record, "Result", &text_of(rules, &places, &game.scores(), None))?;
            tag_is(record, "Reason", &reason.to_string())?;
            Ok(reason.to_string())
        }
        (Status::ToMove(_), Some("adjudication"))
            if let Some((places, reason)) = by_scores(record, rules, game) =>
        {
            tag_is(record, "Result", &text_of(rules, &places, &game.scores(), None))?;
            Ok(format!("{reason}; whether they were, agon verify says of the run"))
        }
        (Status::ToMove(_), Some("adjudication")) => {
            let scores = game.scores();
            tag_is(record, "Result", &text_of(rules, &result::by_score(&scores), &scores, None))?;
            tag_is(record, "Reason", &EndReason::PlyLimit(record.plies.len()).to_string())?;
            Ok("the score decides".to_owned())
        }
        (Status::ToMove(_), None) if let Some(how) = left_open(record, rules, &game.scores()) => {
            Ok(how.to_owned())
        }
        (Status::ToMove(mover), said) => {
            fault(record, rules, said)?;
            let Some(ways) = ways_to_lose(said) else {
                return wrong(format!(
                    "the tag Termination says {}, which is no termination of a game",
                    quoted(said.unwrap_or_default())
                ));
            };
            lost(record, rules, game, &ways, said, mover)
        }
    }
}

/// How a game that is not over by the rules ended without a loser, in a record that does not say
/// why it ended.
fn left_open(record: &Notation, rules: &dyn Rules, scores: &PerSeat<i32>) -> Option<&'static str> {
    let result = record.tag("Result")?;
    let is = |places: &PerSeat<u8>| text_of(rules, places, scores, None) == result;
    if result == UNFINISHED {
        Some("unfinished")
    } else if is(&result::by_score(scores)) {
        Some("the score decides")
    } else {
        is(&scores.map(|_, _| 1)).then_some("a tie")
    }
}

/// The result of a game that was not played to its end.
const UNFINISHED: &str = "*";

/// The places of a game that ended by the scores of its engines, as its reason says.
fn by_scores(record: &Notation, rules: &dyn Rules, game: &dyn Game) -> Option<(PerSeat<u8>, EndReason)> {
    let reason = EndReason::of_sentence(record.tag("Reason")?, Termination::Adjudication);
    let EndReason::Scores(scores) = &reason else { return None };
    let places = match scores {
        ScoreReason::Lost { side, .. } => {
            let loser = rules.seats().iter().position(|own| own == side)?;
            places_without(game, Seat::new(loser), Lost::Resigned)
        }
        ScoreReason::Drawn { .. } => game.scores().map(|_, _| 1),
    };
    Some((places, reason))
}

fn is_by_value(record: &Notation) -> bool {
    let read = |words| EndReason::of_sentence(words, Termination::Adjudication);
    record.tag("Reason").is_some_and(|words| matches!(read(words), EndReason::KnownWin { .. }))
}

/// The ways of losing that a termination stands for; without a termination, all of them.
fn ways_to_lose(termination: Option<&str>) -> Option<Vec<Lost>> {
    let Some(said) = termination else { return Some(Lost::ALL.to_vec()) };
    if said == Termination::Resignation(Seat::FIRST).to_string() {
        return Some(vec![Lost::Resigned]);
    }
    Cause::ALL.iter().find(|cause| cause.name() == said).map(|cause| vec![cause.lost()])
}

/// Checks the reason of an illegal move, of a line that cannot be read, or of a resignation.
fn fault(record: &Notation, rules: &dyn Rules, said: Option<&str>) -> Result<(), Discrepancy> {
    let Some(reason) = record.found("Reason") else { return Ok(()) };
    let wrong = |why: String| Err(Discrepancy { line: reason.line, why: format!("the tag Reason: {why}") });
    if said == Some("resignation") {
        return tag_is(record, "Reason", &EndReason::Resigned.to_string());
    }
    let refused = [Cause::IllegalMove, Cause::Protocol];
    let Some(cause) = refused.into_iter().find(|cause| said == Some(cause.name())) else { return Ok(()) };
    let mut game = play(record, rules, usize::MAX)?.game;
    let read = EndReason::Words(reason.value.clone());
    // The rules do not know the words of protocols.
    if cause == Cause::Protocol && matches!(read.read(Some(cause)).fact(), Some(FaultFact::NoMove { .. })) {
        return Ok(());
    }
    match tried(game.as_mut(), &read) {
        Err(why) => wrong(why),
        Ok(Some(tried)) if tried.cause != cause => {
            wrong(format!("{} is {}, not {}", quoted(&tried.line.text), tried.cause.name(), cause.name()))
        }
        Ok(_) => Ok(()),
    }
}

/// Checks the result of a game that is not over by the rules, so that a seat lost it in one of
/// these ways.
fn lost(
    record: &Notation,
    rules: &dyn Rules,
    game: &dyn Game,
    ways: &[Lost],
    said: Option<&str>,
    mover: Seat,
) -> Result<String, Discrepancy> {
    let scores = game.scores();
    let result = record.found("Result").expect("a whole record has one");
    let mut possible = Vec::new();
    for way in ways {
        // A person may resign out of turn, and an engine may have a fault before the first move.
        // Otherwise the side to move has lost.
        let before = |words: &str| EndReason::Words(words.to_owned()).read(None).is_before_game();
        let greeting = || record.tag("Reason").is_none_or(before);
        let anybody = said.is_none() || record.plies.is_empty() && greeting();
        for seat in scores.seats().filter(|seat| anybody || *seat == mover) {
            let text = text_of(rules, &places_without(game, seat, *way), &scores, Some((seat, *way)));
            if text == result.value {
                let how = said.unwrap_or(match way {
                    Lost::Resigned => "resignation",
                    Lost::OutOfTime => "time forfeit",
                    Lost::Fault => "forfeit",
                });
                return Ok(format!("{how} by {}", rules.seats()[seat.index()]));
            }
            possible.push(text);
        }
    }
    possible.dedup();
    let why = format!(
        "the tag Result says {}, but after the last move the game is not over, so it would be {}",
        quoted(&result.value),
        possible.join(" or ")
    );
    Err(Discrepancy { line: result.line, why })
}

/// A refused line that was played in its position.
pub struct TriedLine {
    /// The fault that it is.
    pub cause: Cause,
    /// The line.
    pub line: QuotedLine,
    /// The line of the engine, if its protocol has words of its own.
    pub own: Option<QuotedLine>,
}

/// Plays the line that was refused in its position; `None` if the line was cut, so that it cannot
/// be played.
///
/// # Errors
/// The line is legal, or the rules refuse it for another reason.
pub fn tried(game: &mut dyn Game, reason: &EndReason) -> Result<Option<TriedLine>, String> {
    let sentence = || quoted(&reason.to_string());
    let mut quotes = false;
    for reading in reason.readings(Some(Cause::IllegalMove)) {
        let EndReason::Refused { line, why, own } = reading else { continue };
        quotes = true;
        if line.is_cut() {
            return Ok(None);
        }
        let Ok(written) = unescape(&line.text) else { continue };
        match game.play(&written) {
            Ok(_) => return Err(format!("{} is a legal move there", quoted(&line.text))),
            Err(refusal) if refusal.to_string() == why && QuotedLine::of(&written) == line => {
                let cause = match refusal {
                    Refusal::Unreadable(_) => Cause::Protocol,
                    Refusal::Illegal(_) => Cause::IllegalMove,
                };
                return Ok(Some(TriedLine { cause, line, own }));
            }
            Err(_) => {}
        }
    }
    Err(match quotes {
        true => format!("{} is not how the rules refuse that line", sentence()),
        false => format!("{} does not begin with the engine's line", sentence()),
    })
}

/// Whether a line, escaped, is another form of this ply: played there, it is the same move.
pub fn written_so(rules: &dyn Rules, record: &GameRecord, ply: usize, line: &str) -> bool {
    let Ok(mut game) = rules.resume(&record.start) else { return false };
    for before in &record.plies[..ply] {
        if game.play(before.text.as_bytes()).is_err() {
            return false;
        }
    }
    let Ok(line) = unescape(line) else { return false };
    game.play(&line).is_ok_and(|played| played.text == record.plies[ply].text)
}

fn text_of(
    rules: &dyn Rules,
    places: &PerSeat<u8>,
    scores: &PerSeat<i32>,
    lost: Option<(Seat, Lost)>,
) -> String {
    agon_games::result_text(&rules.spec(), &Finish { places, scores, lost })
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", escape(text.as_bytes(), 200))
}
