//! The list of the moves of a game, with times, clocks, scores and what engines reported.

use std::time::Duration;

use agon_printable::clean;
use agon_record::{GameRecord, Ply};
use agon_seats::{Clock, PerSeat, TimeControl};
use agon_store::times::allowances;
use maud::{Markup, html};

use super::{plot, values};
use crate::analysis::AnalysedGame;

/// The moves with what was measured and reported, and which columns they need.
pub(super) struct MoveList<'a> {
    pub(super) record: &'a GameRecord,
    pub(super) scores: Option<&'a [PerSeat<i32>]>,
    /// The clock of each seat at the start, and of the seat that moved after each ply.
    pub(super) clocks: Option<(Vec<String>, Vec<String>)>,
    has_thoughts: bool,
    /// The moves as people write them, where that is not their text.
    shown: Option<Vec<String>>,
    pub(super) values: Option<&'a AnalysedGame>,
}

impl<'a> MoveList<'a> {
    pub(super) fn new(
        record: &'a GameRecord,
        scores: Option<&'a [PerSeat<i32>]>,
        values: Option<&'a AnalysedGame>,
    ) -> Self {
        // Where the last ply alone has points, they say who won, as in connect four.
        let counts_points = record.plies.iter().rev().skip(1).any(|ply| ply.points != 0);
        MoveList {
            record,
            scores: scores.filter(|_| counts_points),
            clocks: clocks(record),
            values,
            shown: agon_games::shown_moves(
                &record.rules,
                &record.start,
                record.plies.iter().map(|ply| ply.text.as_str()),
            ),
            has_thoughts: record.plies.iter().any(|ply| ply.thought.is_some()),
        }
    }

    /// The names of the columns.
    pub(super) fn columns(&self) -> impl Iterator<Item = &'static str> {
        let columns = [
            ("ply", true),
            ("move", true),
            ("time", true),
            ("clock", self.clocks.is_some()),
            ("points", self.scores.is_some()),
            ("score", self.scores.is_some()),
            ("value", self.values.is_some()),
            ("better", self.values.is_some()),
            ("thought", self.has_thoughts),
        ];
        columns.into_iter().filter(|(_, is_there)| *is_there).map(|(name, _)| name)
    }

    /// The place of a column.
    pub(super) fn column(&self, name: &str) -> Option<usize> {
        self.columns().position(|column| column == name)
    }

    /// The table; its first row is the start. Hidden rows are shown by the script as it reaches
    /// them.
    pub(super) fn table(&self, hides: bool) -> Markup {
        let sides = self.sides();
        html! {
            div.moves tabindex="0" role="region" aria-label="Moves" {
                table {
                    caption { "Moves" @if self.scores.is_some() { ". The score is " (clean(&sides.join(":"))) "." } }
                    thead { tr { @for column in self.columns() { th scope="col" { (column) } } } }
                    tbody {
                        tr {
                            td { a href="#ply=0" { "0" } }
                            @for column in self.columns().skip(1) {
                                td { @match (column, self.scores) {
                                    ("move", _) => "start",
                                    ("score", Some(scores)) => (score(&scores[0])),
                                    ("value", _) => @if let Some(game) = self.values { (values::for_both(&sides, game.values()[0])) },
                                    _ => {}
                                } }
                            }
                        }
                        @let known = self.values.map(AnalysedGame::values).unwrap_or_default();
                        @for (number, ply) in (1..).zip(&self.record.plies) {
                            (self.row(number, ply, known.get(number).map(|value| values::for_both(&sides, *value)), hides))
                        }
                    }
                }
            }
        }
    }

    fn sides(&self) -> Vec<&str> {
        self.record.seats.values().iter().map(|seat| seat.side.as_str()).collect()
    }

    fn row(&self, number: usize, ply: &Ply, value: Option<String>, hides: bool) -> Markup {
        let analysed = self.values.and_then(|game| game.plies.get(number - 1));
        html! {
            tr hidden[hides] {
                td { a href={ "#ply=" (number) } { (number) } }
                td {
                    // A referee program writes moves without the name of their seat.
                    @if self.record.referee.is_some() { (clean(&self.record.seats[ply.seat].side)) ": " }
                    @match self.shown.as_ref().and_then(|shown| shown.get(number - 1)) {
                        Some(text) => (text),
                        None => (clean(&ply.text)),
                    }
                    @if let Some(mark) = analysed.and_then(values::mark) { " " b.mark.blunder[mark == "blunder"] { (mark) } }
                }
                td { (plot::time(u64::try_from(ply.time.as_micros()).unwrap_or(u64::MAX))) }
                @if let Some((_, clocks)) = &self.clocks { td { (clocks[number - 1]) } }
                @if let Some(scores) = self.scores { td { (ply.points) } td { (score(&scores[number])) } }
                @if let (Some(value), Some(analysed)) = (value, analysed) { td { (value) } td { (values::better(analysed)) } }
                @if self.has_thoughts {
                    td { @if let Some(thought) = &ply.thought { (clean(thought.strip_prefix("info ").unwrap_or(thought))) } }
                }
            }
        }
    }
}

/// `12:9`.
fn score(scores: &PerSeat<i32>) -> String {
    let scores: Vec<String> = scores.values().iter().map(i32::to_string).collect();
    scores.join(":")
}

/// The clocks by the stored time controls: of each seat at the start, and of the seat that moved
/// after each ply. `None` if no clock runs down.
pub(super) fn clocks(record: &GameRecord) -> Option<(Vec<String>, Vec<String>)> {
    let mut clocks = Vec::new();
    for seat in record.seats.values() {
        let (control, margin, bank) = allowances(&seat.time_control).ok()?;
        clocks.push(Clock::new(control, margin, bank).with_lag(seat.allowed_lag()));
    }
    let stands = |clock: &Clock| matches!(clock.control(), TimeControl::PerMove(_)) && clock.bank().is_zero();
    if clocks.iter().all(stands) {
        return None;
    }
    let start = clocks.iter().map(shown).collect();
    let after = record.plies.iter().map(|ply| {
        let clock = &mut clocks[ply.seat.index()];
        clock.spend(ply.time, None);
        shown(clock)
    });
    let after = after.collect();
    Some((start, after))
}

/// `4:59.9`, and behind it the bank, if there is one.
fn shown(clock: &Clock) -> String {
    match clock.bank() {
        bank if bank.is_zero() => clock_text(clock.left()),
        bank => format!("{} + {}", clock_text(clock.left()), clock_text(bank)),
    }
}

/// `4:59.9`. The script of pages from a server writes it the same way.
pub(super) fn clock_text(time: Duration) -> String {
    let tenths = time.as_millis() / 100;
    let (minutes, seconds) = (tenths / 600, tenths / 10 % 60);
    format!("{minutes}:{seconds:02}.{}", tenths % 10)
}
