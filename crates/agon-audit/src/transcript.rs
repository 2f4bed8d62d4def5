//! The transcript of an engine that lost by a fault: agon told it the moves of the game and no
//! others, and it wrote its own moves.
//!
//! Only the lines of the protocol `lines` can be compared. Other protocols have words of their own,
//! and so may the programs of people. What an engine wrote besides is its own affair.

use agon_export::replay::written_so;
use agon_games::Rules;
use agon_record::{EVIDENCE_LINES, GameRecord, RefereeRecord, TranscriptLine, Way};
use agon_seats::Seat;

use super::facts::{Difference, quoted};

/// Compares the transcripts of a game of built-in rules with its moves.
///
/// # Errors
/// A line that tells another move, with its key.
pub(super) fn of_moves(record: &GameRecord, rules: &dyn Rules) -> Result<(), Difference> {
    for (seat, own) in record.seats.iter() {
        let lines = own.evidence.as_ref().map_or(&[][..], |evidence| &evidence.lines);
        let begins = |line: &TranscriptLine, seat: Seat| {
            let side = rules.seats().get(seat.index()).copied().unwrap_or_default();
            line.text.strip_prefix(side).is_some_and(|rest| rest.starts_with(','))
        };
        let said = lines_of(lines, |line| line.way == Way::Said && begins(line, seat));
        if said.is_empty() {
            continue;
        }
        let is_told = |line: &TranscriptLine| {
            line.way == Way::Told
                && record.seats.iter().any(|(other, _)| other != seat && begins(line, other))
        };
        let told = lines_of(lines, is_told);
        let moves = |is_own: bool| -> Vec<usize> {
            let all = record.plies.iter().enumerate();
            all.filter(|(_, ply)| (ply.seat == seat) == is_own).map(|(at, _)| at).collect()
        };
        let agrees = |(_, line): &Line<'_>, ply: usize| {
            line.text == record.plies[ply].text
                || is_cut(&line.text)
                || written_so(rules, record, ply, &line.text)
        };
        let is_whole = lines.len() < EVIDENCE_LINES;
        if is_whole {
            has_said(seat, &said, &moves(true), &agrees)?;
        }
        // A second seat that begins is told a pass of the first.
        let others = moves(false);
        let begins_with_pass = told.first().is_some_and(|(_, line)| line.text.ends_with(",P"));
        let found = compared(seat, &told, &others, is_whole, &agrees);
        match found {
            Err(_) if begins_with_pass => compared(seat, &told[1..], &others, is_whole, &agrees)?,
            found => found?,
        }
    }
    Ok(())
}

/// Compares the transcripts of a game of a referee program with its lines.
///
/// # Errors
/// A line that is not there, with its key.
pub(super) fn of_lines(record: &GameRecord, referee: &RefereeRecord) -> Result<(), Difference> {
    for (seat, own) in record.seats.iter() {
        let lines = own.evidence.as_ref().map_or(&[][..], |evidence| &evidence.lines);
        let number = (seat.index() + 1).to_string();
        let texts = |begin: &str, all: Option<&str>| -> Vec<&str> {
            let of = |line: &'_ str, who: &str| -> Option<usize> {
                let rest = line.strip_prefix(begin)?.strip_prefix(who)?;
                (rest.is_empty() || rest.starts_with(' ')).then(|| line.len() - rest.len() + 1)
            };
            let found = referee.lines.iter().filter_map(|line| {
                let at = of(line, &number).or_else(|| of(line, all?))?;
                Some(line.get(at..).unwrap_or_default())
            });
            found.collect()
        };
        let told = texts("<tell ", Some("all"));
        let is_told = |line: &TranscriptLine| {
            let is_plain = !is_cut(&line.text) && !line.text.contains('\\');
            !is_plain || told.iter().any(|text| text.trim() == line.text.trim())
        };
        let heard = lines_of(lines, |line| line.way == Way::Told);
        let others: Vec<_> = heard.iter().filter(|(_, line)| !is_told(line)).collect();
        // The prompt is the one line that the referee does not write.
        let Some((_, prompt)) = others.last() else { continue };
        let is_lines = heard.iter().any(|(_, line)| told.contains(&line.text.as_str()));
        // An engine of another protocol is told more lines that the referee has not written.
        let mut strange = others.iter().filter(|(_, line)| line.text != prompt.text);
        if let (Some((at, line)), None, true) = (strange.next(), strange.next(), is_lines) {
            let why = format!("is {}, which the referee has not told it", quoted(&line.text));
            return Err(Difference::at(key(seat, *at), why));
        }
    }
    Ok(())
}

/// A line with its number in the transcript.
type Line<'a> = (usize, &'a TranscriptLine);

fn lines_of(lines: &[TranscriptLine], wanted: impl Fn(&TranscriptLine) -> bool) -> Vec<Line<'_>> {
    lines.iter().enumerate().filter(|(_, line)| wanted(line)).collect()
}

/// Looks for the moves of an engine among its lines, in their order. It may have written other
/// lines too: only it knows why, and a game must not be refused for them. The last move may be
/// missing.
fn has_said(
    seat: Seat,
    lines: &[Line<'_>],
    moves: &[usize],
    agrees: &dyn Fn(&Line<'_>, usize) -> bool,
) -> Result<(), Difference> {
    let mut left = lines.iter();
    let said = moves.iter().take_while(|ply| left.any(|line| agrees(line, **ply))).count();
    if said == moves.len() || (said + 1 == moves.len() && lines.len() < moves.len()) {
        return Ok(());
    }
    let strange = lines.iter().zip(moves).find(|(line, ply)| !agrees(line, **ply));
    let (at, line) = strange.map_or(&lines[lines.len() - 1], |(line, _)| line);
    Err(Difference::at(
        key(seat, *at),
        format!("is {}, which is not the move of the game there", quoted(&line.text)),
    ))
}

/// Compares lines with moves, by their numbers. A whole transcript begins with the first move, and
/// one that was cut ends with the last. One more line may stand behind them, which was no move, and
/// the last move need not have been told.
fn compared(
    seat: Seat,
    lines: &[Line<'_>],
    moves: &[usize],
    is_whole: bool,
    agrees: &dyn Fn(&Line<'_>, usize) -> bool,
) -> Result<(), Difference> {
    let differs = |lines: &[Line<'_>], moves: &[usize]| -> Option<usize> {
        let (from, extra) = match is_whole {
            true => (0, lines.get(moves.len())),
            false => {
                (moves.len().saturating_sub(lines.len()), lines.first().filter(|_| lines.len() > moves.len()))
            }
        };
        let pair = lines.iter().zip(&moves[from..]).find(|(line, ply)| !agrees(line, **ply));
        pair.map(|(line, _)| line.0).or(extra.map(|(at, _)| *at))
    };
    let shorter = |of: usize| of.saturating_sub(1);
    // A line too many stands behind the moves, so that it belongs to none of them.
    let has_more = lines.len() > moves.len() || !is_whole;
    let wrong = [
        differs(lines, moves),
        if has_more { differs(&lines[..shorter(lines.len())], moves) } else { Some(0) },
        if is_whole { Some(0) } else { differs(lines, &moves[..shorter(moves.len())]) },
    ];
    let all: Option<Vec<usize>> = wrong.into_iter().collect();
    let Some(at) = all.and_then(|all| all.first().copied()) else { return Ok(()) };
    let text = lines.iter().find(|(own, _)| *own == at).map_or("", |(_, line)| line.text.as_str());
    Err(Difference::at(
        key(seat, at),
        format!("is {}, which is not the move of the game there", quoted(text)),
    ))
}

fn key(seat: Seat, at: usize) -> String {
    format!("seats[{}].evidence.lines[{at}].text", seat.index())
}

/// Of a long line the end is not kept.
fn is_cut(text: &str) -> bool {
    text.ends_with(" more bytes]")
}
