//! The protocol `lines`: the opponent's moves are read, one per line, and the own ones written.

use std::io::{self, BufRead, Write};
use std::time::Instant;

use agon_games::{Position, Status};
use agon_seats::{Clock, Seat, TimeControl};

use super::watch::Budget;
use super::{Brain, Table, Watch};

/// Plays one game until EOF.
pub(super) fn talk<P: Position, B: Brain<P>>(
    table: &Table<P>,
    brain: &mut B,
    mut position: P,
    seat: Seat,
    mut clock: Clock,
) -> io::Result<()> {
    let mut input = io::stdin().lock();
    brain.new_game();
    // The board's first line is the signal to begin; its contents are known from the arguments.
    if input.read_line(&mut String::new())? == 0 {
        return Ok(());
    }
    let mut asked = Instant::now();
    loop {
        if position.status() == Status::ToMove(seat) {
            let mut nobody = || false;
            let mut quiet = |_: &_, _| {};
            let mut watch = Watch::new(asked, Some(budget(&clock)), &mut nobody, &mut quiet);
            let Some(mv) = brain.choose(&position, &mut watch) else { return Ok(()) };
            let mut output = io::stdout().lock();
            writeln!(output, "{},{mv}", table.seats[seat.index()])?;
            output.flush()?;
            clock.spend(asked.elapsed(), None);
            position.play(mv);
        } else {
            let Some(text) = hear(&mut input, table.seats[seat.other().index()])? else { return Ok(()) };
            asked = Instant::now();
            let mv = position
                .parse(&text)
                .map_err(|refusal| io::Error::other(format!("the opponent's move {text:?}: {refusal}")))?;
            position.play(mv);
        }
    }
}

fn budget(clock: &Clock) -> Budget {
    match clock.control() {
        TimeControl::PerMove(time) => Budget::of_move(time),
        TimeControl::WholeGame { increment, .. } | TimeControl::Repeating { increment, .. } => {
            Budget::of_game(clock.left(), increment)
        }
    }
}

/// The opponent's next move, without its side. All other lines are the board and are ignored.
/// `None` at EOF.
fn hear(input: &mut impl BufRead, opponent: &str) -> io::Result<Option<String>> {
    let mut line = String::new();
    loop {
        line.clear();
        if input.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        if let Some((side, mv)) = line.trim_end().split_once(',')
            && side.eq_ignore_ascii_case(opponent)
        {
            return Ok(Some(mv.to_owned()));
        }
    }
}
