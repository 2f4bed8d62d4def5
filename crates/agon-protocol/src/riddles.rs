//! The words of the bots of riddles.io and of its predecessor theaigames.com, for `connect4` and
//! `mnk`.
//!
//! A bot reads `settings NAME VALUE` lines, then in each of its turns `update game round N`,
//! `update game field F` and `action move MS`. It answers `place_disc C` in connect four and
//! `place_move X Y` on other boards. Columns and rows are counted from 0, rows from the top. The
//! field is all cells, row by row from the top. Words behind the numbers mean nothing. Each game
//! has a new process, which ends when its input ends. There is no handshake.
//!
//! | | `riddles` | `theaigames` |
//! |---|---|---|
//! | bots | 0 and 1 | 1 and 2 |
//! | field | `.,.,0,1` | `0,0;1,2`: rows are joined by `;` |
//! | size | `field_width`, `field_height` | `field_columns`, `field_rows` |
//!
//! `timebank` is the bank of the run, or the time of the clock, and `time_per_move` the time for
//! each move, or the increment. `action move` has all the time that the move may take.
//!
//! The words are those of the pages "Getting started" of two contests of theaigames.com, and of
//! published bots. The contests are Four In A Row and Ultimate Tic Tac Toe.

use std::fmt::Write;
use std::time::Duration;

use agon_games::Rules;
use agon_seats::{Clock, PerSeat, Seat, TimeControl};

use super::stones::{Cell, Shape, Stones};
use super::{Reply, Talk, TalkTerms, millis, no_move};

/// Whether a game can be played.
///
/// # Errors
/// Why not.
pub(super) fn fits(rules: &dyn Rules) -> Result<(), String> {
    match Shape::of(rules) {
        Some(_) => Ok(()),
        None => Err(format!("is for connect4 and mnk, and not for {}; give --game connect4", rules.spec())),
    }
}

/// Which of the two sites a bot was written for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Dialect {
    Riddles,
    TheAiGames,
}

impl Dialect {
    /// The number of a bot.
    fn id(self, seat: Seat) -> usize {
        match self {
            Dialect::Riddles => seat.index(),
            Dialect::TheAiGames => seat.index() + 1,
        }
    }

    /// A free cell, and what joins two rows.
    fn signs(self) -> (&'static str, &'static str) {
        match self {
            Dialect::Riddles => (".", ","),
            Dialect::TheAiGames => ("0", ";"),
        }
    }

    fn size(self) -> [&'static str; 2] {
        match self {
            Dialect::Riddles => ["field_width", "field_height"],
            Dialect::TheAiGames => ["field_columns", "field_rows"],
        }
    }
}

/// One bot's conversation.
pub struct RiddlesTalk {
    dialect: Dialect,
    seat: Seat,
    side: &'static str,
    stones: Option<Stones>,
    has_settings: bool,
    question: String,
    /// Its last move, as it wrote it.
    said: Vec<u8>,
}

impl RiddlesTalk {
    pub(super) fn new(terms: &TalkTerms<'_>, dialect: Dialect) -> Self {
        let start = &terms.start;
        RiddlesTalk {
            dialect,
            seat: start.seat,
            side: start.seats[start.seat.index()],
            stones: Stones::of(start),
            has_settings: false,
            question: String::new(),
            said: Vec::new(),
        }
    }

    fn settings(&self, clock: &Clock, shape: Shape) -> String {
        let name = |seat| format!("player{}", self.dialect.id(seat));
        let (own, increment) = match clock.control() {
            TimeControl::PerMove(time) if clock.bank().is_zero() => (time, time),
            TimeControl::PerMove(time) => (Duration::ZERO, time),
            TimeControl::WholeGame { increment, .. } | TimeControl::Repeating { increment, .. } => {
                (clock.left(), increment)
            }
        };
        let [columns, rows] = self.dialect.size();
        let lines = [
            ("timebank", (own + clock.bank()).as_millis().to_string()),
            ("time_per_move", increment.as_millis().to_string()),
            ("player_names", format!("{},{}", name(Seat::FIRST), name(Seat::SECOND))),
            ("your_bot", name(self.seat)),
            ("your_botid", self.dialect.id(self.seat).to_string()),
            (columns, shape.columns.to_string()),
            (rows, shape.rows.to_string()),
            ("max_rounds", (shape.columns * shape.rows).div_ceil(2).to_string()),
        ];
        lines.iter().map(|(name, value)| format!("settings {name} {value}\n")).collect()
    }

    fn field(&self, stones: &Stones) -> String {
        let Shape { columns, rows, .. } = stones.shape;
        let (free, joint) = self.dialect.signs();
        let sign = |cell| match stones.owner(cell) {
            Some(seat) => self.dialect.id(seat).to_string(),
            None => free.to_owned(),
        };
        let row = |row| (0..columns).map(|column| sign(Cell { column, row })).collect::<Vec<_>>().join(",");
        (0..rows).rev().map(row).collect::<Vec<_>>().join(joint)
    }
}

impl Talk for RiddlesTalk {
    fn played(&mut self, by: Seat, text: &str) -> Vec<u8> {
        if let Some(stones) = &mut self.stones {
            stones.play(by, text);
        }
        Vec::new()
    }

    fn question(&mut self, clocks: &PerSeat<Clock>) -> &[u8] {
        self.question.clear();
        let Some(stones) = &self.stones else { return &[] };
        let clock = &clocks[self.seat];
        let mut text = String::new();
        if !self.has_settings {
            self.has_settings = true;
            text = self.settings(clock, stones.shape);
        }
        let (round, field) = (stones.count() / 2 + 1, self.field(stones));
        let time = millis(clock.left() + clock.bank());
        // Writing to a String cannot fail.
        let _ = write!(text, "update game round {round}\nupdate game field {field}\naction move {time}\n");
        self.question = text;
        self.question.as_bytes()
    }

    fn answer(&self, text: &str) -> String {
        match self.stones.as_ref().and_then(|stones| Some((stones.shape, stones.cell(text)?))) {
            Some((Shape { drops: true, .. }, cell)) => format!("place_disc {}", cell.column),
            Some((shape, cell)) => {
                format!("place_move {} {}", cell.column, shape.rows.abs_diff(cell.row + 1))
            }
            None => text.to_owned(),
        }
    }

    fn hear(&mut self, line: Vec<u8>) -> Reply {
        let Some(Shape { columns, rows, drops }) = self.stones.as_ref().map(|stones| stones.shape) else {
            return Reply::Move(line);
        };
        let text = String::from_utf8_lossy(&line);
        let words: Vec<&str> = text.split_whitespace().collect();
        let number = |at: usize| words.get(at).and_then(|word| word.parse::<usize>().ok());
        let mv = match (words.first().copied(), number(1), number(2)) {
            (None, ..) => return Reply::Nothing,
            // The largest number is beside the board, too.
            (Some("place_disc"), Some(column), _) if drops => column.saturating_add(1).to_string(),
            (Some("place_move"), Some(column), Some(row)) if !drops => {
                if column >= columns || row >= rows {
                    let why = format!("the last cell is {} {}", columns - 1, rows - 1);
                    return no_move(&line, &why);
                }
                Cell { column, row: rows - 1 - row }.name()
            }
            _ if drops => return no_move(&line, "a move is place_disc COLUMN, counted from 0"),
            _ => return no_move(&line, "a move is place_move X Y, counted from 0 and from the top"),
        };
        let mv = format!("{},{mv}", self.side).into_bytes();
        self.said.clear();
        self.said.extend_from_slice(&line);
        Reply::Move(mv)
    }

    fn said(&self) -> &[u8] {
        &self.said
    }
}
