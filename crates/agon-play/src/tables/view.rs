//! What a table shows: the game from its start, what is on the board, and how it ended.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use agon_diagram::{Diagram, Frame, SlotContent};
use agon_games::{Game, Rules, Status};
use agon_printable::clean;
use agon_protocol::without_side;
use agon_record::{EngineEvaluation, Evaluation, Ply};
use agon_seats::{PerSeat, Seat};
use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::ending::{self, TableEnding};
use super::requests::SeatKind;
use super::seats::SeatSpec;
use super::{Output, board};
use crate::play::session::PastMove;

/// What happens at a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TablePhase {
    /// Engines start, or play again up to where the game stands.
    Starts,
    /// This seat is to move.
    ToMove(Seat),
    /// The game is over.
    Over,
}

/// A move that was played, as it is shown.
struct ShownPly {
    past: PastMove,
    seat: Seat,
    /// The move as people write it.
    shown: String,
    caption: String,
    /// The time that the operator of a remote seat took besides.
    overhead: Option<Duration>,
}

/// The game of a table, and where it is told.
pub(super) struct GameView {
    rules: Arc<dyn Rules>,
    /// The position in which it begins.
    pub(super) start: String,
    game: Box<dyn Game>,
    diagram: Option<Diagram>,
    contents: Vec<SlotContent>,
    last: Frame,
    played: Vec<ShownPly>,
    /// The next ply's overhead, if it has one.
    pub(super) overhead: Option<Duration>,
    ending: Option<TableEnding>,
    /// When the table was opened, or the game begun again.
    pub(super) started: DateTime<Utc>,
    number: u64,
    revision: u64,
    output: Arc<Output>,
}

impl GameView {
    /// A game in its start position.
    pub(super) fn new(
        rules: Arc<dyn Rules>,
        game: Box<dyn Game>,
        number: u64,
        output: Arc<Output>,
    ) -> GameView {
        GameView {
            rules,
            start: game.text(),
            diagram: game.diagram(),
            contents: game.contents(),
            game,
            last: Frame::default(),
            played: Vec::new(),
            overhead: None,
            ending: None,
            started: DateTime::from(SystemTime::now()),
            number,
            revision: 0,
            output,
        }
    }

    /// How many plies have been played.
    pub(super) fn plies(&self) -> usize {
        self.played.len()
    }

    /// The moves so far.
    pub(super) fn past(&self) -> Vec<PastMove> {
        self.played.iter().map(|shown| shown.past.clone()).collect()
    }

    /// Plays moves that were played before.
    pub(super) fn resume(&mut self, past: &[PastMove]) {
        past.iter().for_each(|past| self.push(past.clone(), None));
    }

    /// Notes a move that the rules have accepted.
    pub(super) fn note(&mut self, ply: &Ply) {
        self.push(PastMove::from(ply), self.overhead);
        self.overhead = None;
    }

    fn push(&mut self, past: PastMove, overhead: Option<Duration>) {
        let seat = self.game.to_move();
        let shown = self.game.shown(past.text.as_bytes());
        let shown = shown.unwrap_or_else(|| without_side(&past.text).to_owned());
        // The same rules have just accepted it in the same position.
        let Ok(frame) = self.game.play_framed(past.text.as_bytes()) else { return };
        if frame.apply(&mut self.contents).is_err() {
            self.contents = self.game.contents();
        }
        self.played.push(ShownPly { past, seat, shown, caption: frame.caption.clone(), overhead });
        self.last = frame;
        self.ending = None;
    }

    /// Keeps the first so many plies, or all if there are fewer, from another start if there is
    /// one.
    pub(super) fn rewind(&mut self, plies: usize, start: Option<Box<dyn Game>>) {
        let kept: Vec<ShownPly> = std::mem::take(&mut self.played).into_iter().take(plies).collect();
        let fresh = start.or_else(|| self.rules.resume(&self.start).ok());
        let Some(fresh) = fresh else { return };
        self.start = fresh.text();
        self.contents = fresh.contents();
        self.game = fresh;
        self.last = Frame::default();
        self.ending = None;
        for shown in kept {
            self.push(shown.past, shown.overhead);
        }
    }

    /// The number of plies before the last one of these seats; none if they have not moved.
    pub(super) fn before_last(&self, is_theirs: impl Fn(Seat) -> bool) -> Option<usize> {
        self.played.iter().rposition(|shown| is_theirs(shown.seat))
    }

    /// Notes how the game ended.
    pub(super) fn ends(&mut self, ending: TableEnding) {
        self.ending = Some(ending);
    }

    /// Tells what the table shows now. `left` has the time of each seat that has a clock.
    pub(super) fn show(
        &mut self,
        phase: TablePhase,
        seat_specs: &PerSeat<SeatSpec>,
        left: &PerSeat<Option<Duration>>,
    ) {
        self.revision += 1;
        let state = self.state(phase, seat_specs, left);
        self.output.tell(self.number, self.revision, &state);
    }

    fn record(&self, ending: &TableEnding, seat_specs: &PerSeat<SeatSpec>) -> String {
        let rules = self.rules.as_ref();
        ending::record(ending, rules, &self.start, &self.past(), seat_specs, self.started)
    }

    fn state(
        &self,
        phase: TablePhase,
        seat_specs: &PerSeat<SeatSpec>,
        left: &PerSeat<Option<Duration>>,
    ) -> Value {
        let game = self.game.as_ref();
        let to_move = match (phase, game.status()) {
            (TablePhase::ToMove(seat), _) => Some(seat),
            (TablePhase::Starts, Status::ToMove(seat)) => Some(seat),
            _ => None,
        };
        let (name, seat) = match phase {
            TablePhase::Starts => ("starts", None),
            TablePhase::Over => ("over", None),
            TablePhase::ToMove(seat) => match seat_specs[seat].kind {
                SeatKind::Person => ("person", Some(seat)),
                SeatKind::Remote => ("remote", Some(seat)),
                SeatKind::Engine => ("engine", Some(seat)),
            },
        };
        let has_moves = matches!(name, "person" | "remote");
        let moves = has_moves.then(|| board::moves(self.rules.as_ref(), game, self.diagram.as_ref()));
        let players = seat_specs.iter().map(|(seat, seat_spec)| {
            let name = match seat_spec.kind {
                SeatKind::Person => "person",
                SeatKind::Engine => "engine",
                SeatKind::Remote => "remote",
            };
            json!({
                "name": clean(&seat_spec.name),
                "kind": name,
                "left": left[seat].map(|left| u64::try_from(left.as_millis()).unwrap_or(u64::MAX)),
                "score": game.scores()[seat],
            })
        });
        json!({
            "revision": self.revision,
            "phase": name,
            "turn": to_move.map(Seat::index),
            "runs": seat.map(Seat::index),
            "players": players.collect::<Vec<_>>(),
            "contents": board::contents(&self.contents),
            "slides": self.last.slides,
            "marks": self.last.marks,
            "row": self.last.row,
            "drawing": self.diagram.is_none().then(|| game.draw()),
            "plies": self.played.iter().map(|shown| ply(shown, seat_specs)).collect::<Vec<_>>(),
            "moves": moves,
            "start": self.start,
            "position": game.text(),
            "result": self.ending.as_ref().map(|ending| &ending.how),
            "record": self.ending.as_ref().map(|ending| self.record(ending, seat_specs)),
        })
    }
}

fn ply(shown: &ShownPly, seat_specs: &PerSeat<SeatSpec>) -> Value {
    let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
    let thought = shown.past.thought.as_deref();
    let expected = thought.filter(|_| seat_specs[shown.seat].expects_results()).and_then(expected);
    json!({
        "seat": shown.seat.index(),
        "move": shown.shown,
        "caption": clean(&shown.caption),
        "micros": micros(shown.past.time),
        "thought": thought.map(clean),
        "expected": expected,
        "overhead": shown.overhead.map(micros),
    })
}

/// The result that an engine expects, from 0 to 1: its score is in hundredths above a half,
/// doubled.
fn expected(thought: &str) -> Option<f64> {
    let EngineEvaluation::Hundredths(points) = Evaluation::of_thought(thought)?.score else { return None };
    Some((0.5 + points / 200.0).clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expected_result_is_read_from_a_score() {
        assert_eq!(expected("info depth 2 score cp 100 nodes 7"), Some(1.0));
        assert_eq!(expected("info score cp -50"), Some(0.25));
        assert_eq!(expected("info depth 2 score mate 3"), None);
        assert_eq!(expected("info score cp"), None);
    }
}
