//! What the lines of a game tell about its referee program, in plain words for its author.

use std::collections::BTreeSet;
use std::slice;

use agon_diagram::{Film, NEWEST_FRAMES};
use agon_match::hosted::{HostedRules, StepLine, step};
use agon_printable::escape;
use agon_record::Decided;
use agon_seats::{PerSeat, Seat};

use super::answers::AnswerSource;

/// The most characters of a line that is shown.
const SHOWN: usize = 160;

/// How much a finding matters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum FindingWeight {
    /// Games with this referee become void, or do not count as they should.
    Wrong,
    /// It may be meant so, but rarely is.
    Warning,
    /// Worth a word.
    Note,
}

impl FindingWeight {
    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            FindingWeight::Wrong => "wrong",
            FindingWeight::Warning => "warning",
            FindingWeight::Note => "note",
        }
    }
}

/// What was found in one game, or in all.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct GameFinding {
    pub(super) weight: FindingWeight,
    /// What kind of finding it is: one of each kind is shown.
    pub(super) kind: &'static str,
    pub(super) words: String,
    /// The number of the line of the game that shows it, from 1.
    pub(super) line: Option<usize>,
}

impl GameFinding {
    pub(super) fn new(weight: FindingWeight, kind: &'static str, words: impl Into<String>) -> Self {
        GameFinding { weight, kind, words: words.into(), line: None }
    }

    fn at(self, line: usize) -> Self {
        GameFinding { line: Some(line + 1), ..self }
    }
}

/// A game as it was played: its lines, where the answers came from, and its result, if it has one.
/// Each line has `<` or `>` before it.
pub(super) struct GameLines<'a> {
    pub(super) rules: &'a HostedRules,
    pub(super) lines: &'a [String],
    pub(super) given: &'a [(Seat, AnswerSource)],
    pub(super) decided: Option<&'a Decided>,
}

/// What a seat has done last.
#[derive(Clone, Default)]
struct SeatLines {
    /// The last legal answers that it was told.
    legal: BTreeSet<String>,
    /// Its last answer, where that came from, and its line.
    last: Option<(String, AnswerSource, usize)>,
    /// The lines of answers that have no `move`.
    unnamed: Vec<usize>,
    /// Why it takes part no more: `bad`, or the word of its fault.
    lost: Option<String>,
}

/// What one game shows.
pub(super) fn of_game(game: &GameLines<'_>) -> Vec<GameFinding> {
    let mut found = answers(game);
    found.extend(drawing(game.lines));
    let Some(decided) = game.decided else { return found };
    let firsts = decided.places.iter().filter(|(_, place)| **place == 1).count();
    if !game.rules.folder.draws && firsts > 1 {
        found.push(GameFinding::new(
            FindingWeight::Wrong,
            "draws",
            format!(
                "game.toml has draws = false, and a game has ended with the scores {}: {firsts} seats share the first \
                 place",
                words_of(&decided.scores)
            ),
        ));
    }
    found
}

fn words_of(scores: &PerSeat<i32>) -> String {
    scores.values().iter().map(i32::to_string).collect::<Vec<_>>().join(" ")
}

fn answers(game: &GameLines<'_>) -> Vec<GameFinding> {
    let mut reading = GameReading::of(game);
    for (at, line) in game.lines.iter().enumerate() {
        match line.strip_prefix('>') {
            Some(sent) => reading.sent(at, sent),
            None => reading.read(at, line.strip_prefix('<').unwrap_or(line)),
        }
    }
    let GameReading { of, scores, mut found, .. } = reading;
    let Some(decided) = game.decided else { return found };
    if let Some((_, lines)) = of.iter().find(|(_, lines)| !lines.unnamed.is_empty()) {
        let words = format!(
            "{} answer(s) of a game have no line move S TEXT: the record then has the words of the engine, as it wrote \
             them",
            lines.unnamed.len()
        );
        found.push(GameFinding::new(FindingWeight::Warning, "no-move", words).at(lines.unnamed[0]));
    }
    found.extend(winner_at_fault(game, decided, &of));
    found.extend(running_scores(game, decided, &scores));
    found
}

/// The lines of a game, read one after the other.
struct GameReading<'a> {
    of: PerSeat<SeatLines>,
    /// The answers that were given and not yet read.
    given: slice::Iter<'a, (Seat, AnswerSource)>,
    /// The seat whose answer was the line before, since an answer may have several lines.
    before: Option<Seat>,
    scores: PerSeat<Option<i32>>,
    found: Vec<GameFinding>,
}

impl<'a> GameReading<'a> {
    fn of(game: &GameLines<'a>) -> Self {
        let seats = game.rules.seat_count();
        GameReading {
            of: PerSeat::from_fn(seats, |_| SeatLines::default()),
            given: game.given.iter(),
            before: None,
            scores: PerSeat::from_fn(seats, |_| None),
            found: Vec::new(),
        }
    }

    /// Takes a line that was sent to the referee: an answer, or the fault of a seat.
    fn sent(&mut self, at: usize, sent: &str) {
        let mut words = sent.splitn(3, ' ');
        let (word, number, text) = (words.next(), words.next(), words.next().unwrap_or_default());
        let Some(seat) = number.and_then(|number| number.parse::<usize>().ok()).map(|n| Seat::new(n - 1))
        else {
            return;
        };
        let lines = &mut self.of[seat];
        if lines.lost.is_some() {
            return; // it is told the same fault again
        }
        if word == Some("fault") {
            self.given.next();
            self.before = None;
            let kind = text.split(' ').next().unwrap_or_default();
            if kind != "late" {
                lines.lost = Some(kind.to_owned());
            }
        } else if self.before.replace(seat) != Some(seat) {
            let source = self.given.next().map_or(AnswerSource::Short, |(_, source)| *source);
            lines.last = Some((text.to_owned(), source, at));
            lines.unnamed.push(at);
        }
    }

    /// Takes a line of the referee.
    fn read(&mut self, at: usize, line: &str) {
        self.before = None;
        let Ok(read) = step(line, self.of.len()) else { return };
        match read {
            StepLine::Tell(to, text) if text.split(' ').next() == Some("legal") => {
                let told = self.of.iter_mut().filter(|(seat, _)| to.is_none_or(|to| to == *seat));
                for (_, lines) in told {
                    lines.legal = text.split_ascii_whitespace().skip(1).map(str::to_owned).collect();
                }
            }
            StepLine::Move(seat, _) if !self.of[seat].unnamed.is_empty() => {
                self.of[seat].unnamed.remove(0);
            }
            StepLine::Bad(seat, why) => self.bad(at, seat, why),
            StepLine::Score(seat, score) => self.scores[seat] = Some(score),
            StepLine::Wait | StepLine::End(..) => self.accepted(),
            _ => {}
        }
    }

    /// The referee calls the last answer of a seat bad.
    fn bad(&mut self, at: usize, seat: Seat, why: &str) {
        let lines = &mut self.of[seat];
        lines.unnamed.clear();
        if let Some((text, AnswerSource::Listed, _)) = &lines.last
            && lines.legal.contains(text)
        {
            let words = format!(
                "seat {} was told that {} is legal, answered it, and the referee says bad: {}",
                seat.index() + 1,
                shown(text),
                escape(why.as_bytes(), SHOWN)
            );
            self.found.push(GameFinding::new(FindingWeight::Wrong, "legal-is-bad", words).at(at));
        }
        lines.last = None;
        lines.lost.get_or_insert("bad".to_owned());
    }

    /// The referee goes on, so it has accepted all answers before.
    fn accepted(&mut self) {
        for (_, lines) in self.of.iter_mut() {
            if let Some((text, AnswerSource::Hostile, at)) = lines.last.take() {
                let words = format!(
                    "the answer {} was not called bad. That is right if a free text or a default is meant",
                    shown(&text)
                );
                self.found.push(GameFinding::new(FindingWeight::Note, "hostile-accepted", words).at(at));
            }
        }
    }
}

/// A seat that was put out and has won all the same.
fn winner_at_fault(game: &GameLines<'_>, decided: &Decided, of: &PerSeat<SeatLines>) -> Option<GameFinding> {
    let mut firsts = decided.places.iter().filter(|(_, place)| **place == 1);
    let (winner, _) = firsts.next().filter(|_| firsts.next().is_none())?;
    let lost = of[winner].lost.as_deref()?;
    if of.iter().all(|(_, lines)| lines.lost.is_some()) {
        return None;
    }
    // What a seat has won in a game of amounts may stay its own.
    let weight = if game.rules.folder.sum { FindingWeight::Note } else { FindingWeight::Warning };
    let why = if lost == "bad" { "its answer was bad".to_owned() } else { format!("fault {lost}") };
    let words = format!(
        "seat {} took part no more ({why}), and is the only winner with the scores {}",
        winner.index() + 1,
        words_of(&decided.scores)
    );
    Some(GameFinding::new(weight, "winner-at-fault", words).at(game.lines.len() - 1))
}

/// Running scores that are not those of the end, in games whose scores are amounts.
fn running_scores(
    game: &GameLines<'_>,
    decided: &Decided,
    running: &PerSeat<Option<i32>>,
) -> Option<GameFinding> {
    let (seat, score) = running.iter().find_map(|(seat, score)| Some((seat, (*score)?)))?;
    let end = decided.scores[seat];
    (game.rules.folder.sum && score != end).then(|| {
        let words = format!(
            "the last running score of seat {} is {score}, and its score at the end is {end}. A game that is broken \
             off by --max-plies has the running scores",
            seat.index() + 1
        );
        GameFinding::new(FindingWeight::Note, "running-scores", words).at(game.lines.len() - 1)
    })
}

/// A drawing that is no film.
fn drawing(lines: &[String]) -> Option<GameFinding> {
    let mut text = format!("{NEWEST_FRAMES}\n");
    let mut places = vec![0];
    let mut is_started = false;
    for (at, line) in lines.iter().enumerate() {
        let Some(said) = line.strip_prefix('<') else { continue };
        let drawn = match said.split_once(' ').unwrap_or((said, "")) {
            ("board", drawn) => {
                is_started |= drawn.split(' ').next() == Some("start");
                drawn
            }
            ("frame", drawn) => {
                if !is_started {
                    let words = "it writes frame before the lines board, of which the last begins with start";
                    return Some(GameFinding::new(FindingWeight::Wrong, "drawing", words).at(at));
                }
                drawn
            }
            _ => continue,
        };
        text.push_str(drawn);
        text.push('\n');
        places.push(at);
    }
    if places.len() == 1 {
        return None;
    }
    let Err(bad) = text.parse::<Film>() else {
        // The board can be read; what is left are the hands.
        let bad = agon_match::hosted::drawing(lines, true).err()?;
        let words = format!("its drawing cannot be read: {}", bad.why);
        return Some(GameFinding::new(FindingWeight::Wrong, "drawing", words).at(bad.line - 1));
    };
    let at = places.get(bad.line - 1).or(places.last()).copied().unwrap_or_default();
    let words =
        format!("its drawing cannot be read, at character {} of the text: {}", bad.character, bad.why);
    Some(GameFinding::new(FindingWeight::Wrong, "drawing", words).at(at))
}

/// The first line that differs between two games with the same seed and the same answers.
pub(super) fn difference(first: &[String], second: &[String]) -> Option<usize> {
    let same = first.iter().zip(second).take_while(|(first, second)| first == second).count();
    (same < first.len().max(second.len())).then_some(same)
}

/// A line of a game as it is shown: `agon:` or `referee:`, and the line.
pub(super) fn shown_line(line: &str) -> String {
    let (who, text) = match line.strip_prefix('>') {
        Some(text) => ("agon   ", text),
        None => ("referee", line.strip_prefix('<').unwrap_or(line)),
    };
    format!("{who} {}", escape(text.as_bytes(), SHOWN))
}

fn shown(text: &str) -> String {
    format!("\"{}\"", escape(text.as_bytes(), 60))
}
