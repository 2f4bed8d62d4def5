//! A person against engines in a game of a referee program: sees what the referee tells its seat, and
//! types the answers.

use std::io;
use std::time::{Duration, Instant};

use agon_games::{PerSeat, Seat};
use agon_printable::escape;

use super::say;
use super::typed::{NoLine, Typed};
use crate::clock::Clock;
use crate::engine::{Patience, Trouble};
use crate::hosted::{AnswerSize, Answered, HostedGame, HostedRules, Question};
use crate::record::{Cause, Decided};
use crate::referee::{
    GameOrder, HostedEngines, HostedHalt, HostedPlayers, HostedReferee, RefereeTrouble, steps,
};

/// The most characters of a line that is shown.
const SHOWN: usize = 4000;
/// What leaves the game. No answer begins like it, as far as games go.
const QUIT: &str = "/quit";

/// Plays a game with a person on standard input and output. `order` has an engine for each seat; that
/// of the person is not started. Tells whether it was left by a signal.
///
/// # Errors
/// Ours, the referee's, or a terminal that is gone.
pub fn play_hosted(order: &GameOrder<'_>, rules: &HostedRules, person: Seat) -> io::Result<bool> {
    let mut referee = match HostedReferee::start(rules, order.controls[person], &order.limits, order.scratch)
    {
        Ok(referee) => referee,
        Err(RefereeTrouble::Stopped) => return Ok(true),
        Err(RefereeTrouble::Ours(error)) => return Err(error),
        Err(RefereeTrouble::Fault(why)) => return Err(of_referee(rules, &why)),
    };
    let mut table = Table {
        rules,
        person,
        order,
        engines: HostedEngines::new(order, rules)?,
        clocks: order.clocks(),
        typed: Typed::new(order.limits.stop.clone()),
        out: PerSeat::from_fn(rules.seat_count(), |_| false),
    };
    say(&format!(
        "{}: you are seat {}, {} has the others; {QUIT} or the end of input leaves",
        rules.folder.title,
        table.named(person),
        order.engines[person].name
    ))?;
    let mut game = HostedGame::new(rules.seat_count());
    let ending = steps(&mut game, order.seed, order.max_plies, &mut referee, &mut table);
    let mut told = Ok(());
    if let Ok(decided) = &ending {
        told = table.hear(&game.take_untold(person)).and_then(|()| table.result(decided));
        referee.end_of_trial();
    }
    table.engines.end(if ending.is_ok() { Patience::All } else { Patience::None });
    told?;
    match ending {
        Ok(_) | Err(HostedHalt::Left(LeaveTable::Quit)) => Ok(false),
        Err(HostedHalt::Stopped | HostedHalt::Left(LeaveTable::Stopped)) => Ok(true),
        Err(HostedHalt::Ours(error) | HostedHalt::Left(LeaveTable::Broken(error))) => Err(error),
        Err(HostedHalt::Referee(why)) => Err(of_referee(rules, &why)),
    }
}

fn of_referee(rules: &HostedRules, why: &str) -> io::Error {
    io::Error::other(format!("the referee {} is at fault: {why}", rules.folder.name))
}

/// The person at the terminal, and the engines.
struct Table<'a> {
    rules: &'a HostedRules,
    person: Seat,
    order: &'a GameOrder<'a>,
    engines: HostedEngines<'a>,
    clocks: PerSeat<Clock>,
    typed: Typed,
    /// The seats of which it was said that they are out.
    out: PerSeat<bool>,
}

/// Why the game is left before its end.
enum LeaveTable {
    /// The person said so.
    Quit,
    /// A signal came.
    Stopped,
    /// Ours.
    Broken(io::Error),
}

impl From<NoLine> for LeaveTable {
    fn from(why: NoLine) -> Self {
        match why {
            NoLine::End => LeaveTable::Quit,
            NoLine::Stopped => LeaveTable::Stopped,
            NoLine::Broken(error) => LeaveTable::Broken(error),
        }
    }
}

impl Table<'_> {
    /// The name of a seat, which is its number in most games.
    fn named(&self, seat: Seat) -> &'static str {
        agon_games::Rules::seats(self.rules)[seat.index()]
    }

    /// Shows lines that the person's seat is told.
    fn hear(&self, told: &str) -> io::Result<()> {
        told.lines().try_for_each(|line| say(&format!("  {}", escape(line.as_bytes(), SHOWN))))
    }

    /// The next line that the person types which is not blank.
    fn next_line(&mut self) -> Result<String, LeaveTable> {
        let prompt = format!("{}> ", self.named(self.person));
        loop {
            let line = self.typed.line(&prompt)?;
            match line.trim_end_matches(['\r', '\n']).trim() {
                "" => {}
                QUIT => return Err(LeaveTable::Quit),
                line => return Ok(line.to_owned()),
            }
        }
    }

    /// The answer of the person, who has as much time as it takes.
    fn person_answers(&mut self, size: &AnswerSize) -> Result<Answered, LeaveTable> {
        let asked = Instant::now();
        let mut lines = Vec::new();
        if let AnswerSize::Until(word) = size {
            say(&format!("type lines, and {} after the last", escape(word.as_bytes(), 60)))
                .map_err(LeaveTable::Broken)?;
        }
        while !size.is_whole(&lines) {
            lines.push(self.next_line()?);
        }
        Ok(Answered::Lines(lines, asked.elapsed()))
    }

    /// The places and scores of all seats.
    fn result(&self, decided: &Decided) -> io::Result<()> {
        say(&format!("the game is over: {}", decided.reason))?;
        decided.places.iter().try_for_each(|(seat, place)| {
            let who = if seat == self.person { "you" } else { &self.order.engines[seat].name };
            say(&format!(
                "  place {place}: seat {} ({who}), score {}",
                self.named(seat),
                decided.scores[seat]
            ))
        })
    }
}

impl HostedPlayers for Table<'_> {
    type Leave = LeaveTable;

    fn answer(&mut self, question: &Question, untold: &str) -> Result<Answered, LeaveTable> {
        let seat = question.seat;
        if seat == self.person {
            self.hear(untold).map_err(LeaveTable::Broken)?;
            return self.person_answers(&question.size);
        }
        let answered =
            self.engines.ask(question, untold, &mut self.clocks[seat]).map_err(|trouble| match trouble {
                Trouble::Stopped => LeaveTable::Stopped,
                Trouble::Ours(error) => LeaveTable::Broken(error),
                Trouble::Fault(fault) => LeaveTable::Broken(io::Error::other(fault.why)),
            })?;
        if let Answered::Fault(cause, why) = &answered {
            let (name, seat) = (&self.order.engines[seat].name, self.named(seat));
            let out = if *cause == Cause::TimeForfeit { "" } else { " and answers nothing more" };
            say(&format!("{name} (seat {seat}) has the fault {}{out}: {why}", cause.name()))
                .map_err(LeaveTable::Broken)?;
        }
        Ok(answered)
    }

    fn stepped(&mut self, game: &mut HostedGame, _: Duration) -> Result<(), LeaveTable> {
        for seat in game.seats() {
            let Some(why) = game.bad_answer(seat).filter(|_| !self.out[seat]) else { continue };
            let words = if seat == self.person {
                format!("your answer was bad, and you are out: {why}")
            } else {
                let name = &self.order.engines[seat].name;
                format!("{name} (seat {}) is out, because its answer was bad: {why}", self.named(seat))
            };
            say(&words).map_err(LeaveTable::Broken)?;
            self.out[seat] = true;
        }
        Ok(())
    }
}
