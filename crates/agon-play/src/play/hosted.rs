//! A person against engines in a game of a referee program: sees what the referee tells its seat,
//! and types the answers.

use std::io;
use std::time::{Duration, Instant};

use agon_match::hosted::{Answered, HostedGame, HostedRules, Question};
use agon_match::processes::{Patience, Trouble};
use agon_match::referee::{
    GameOrder, HostedEngines, HostedHalt, HostedPlayers, HostedReferee, RefereeTrouble, steps,
};
use agon_printable::escape;
use agon_protocol::told::AnswerSize;
use agon_record::Decided;
use agon_seats::{Clock, PerSeat, Seat};
use agon_standings::result::Cause;
use agon_trial::check::listed;

use super::typed::{NoLine, Typed};
use super::{complaint, say};

/// The most characters of a line that is shown.
const SHOWN: usize = 4000;
/// What leaves the game. No answer begins like it, as far as games go.
const QUIT: &str = "/quit";
/// What a person may type besides answers.
const HELP: &str = "\
  an answer   as the game has it: agon rules tells
  /moves      the legal answers, where the referee lists them
  /say TEXT   answers with TEXT as it is: a line that begins with /, that is blank, or that is not listed
  /quit       leaves (also: the end of input)
An answer that was sent cannot be taken back.";
/// Words that a person types who wants something else than to answer.
const NO_ANSWERS: [&str; 8] = ["help", "quit", "exit", "undo", "moves", "hint", "board", "resign"];

/// Plays a game with a person on standard input and output. `order` has an engine for each seat;
/// that of the person is not started. Tells whether it was left by a signal.
///
/// # Errors
/// Ours, the referee's, or a terminal that is gone.
pub fn play_hosted(order: &GameOrder<'_>, rules: &HostedRules, person: Seat) -> io::Result<bool> {
    let mut referee = match HostedReferee::start(rules, order.controls[person], &order.limits, order.scratch)
    {
        Ok(referee) => referee,
        Err(RefereeTrouble::Stopped) => return Ok(true),
        Err(RefereeTrouble::Ours(error)) => return Err(error),
        Err(RefereeTrouble::Fault(why)) => return Err(of_referee(rules, &why.to_string())),
    };
    let mut table = Table {
        rules,
        person,
        order,
        engines: HostedEngines::new(order, rules)?,
        clocks: order.clocks(),
        typed: Typed::new(order.limits.stop.clone()),
        out: PerSeat::from_fn(rules.seat_count(), |_| false),
        is_warned: false,
        at_fault: Vec::new(),
    };
    say(&format!(
        "{}: you are seat {}, {} has the others; type /help for what you can type",
        rules.folder.title,
        table.named(person),
        order.engines[person].name
    ))?;
    let mut game = HostedGame::new(rules.seat_count(), rules.folder.draws);
    let ending = steps(&mut game, order.seed, order.max_plies, &mut referee, &mut table);
    let mut told = Ok(());
    if let Ok(decided) = &ending {
        told = table.hear(&game.take_untold(person)).and_then(|()| table.result(decided));
        referee.end_of_trial();
    }
    let at_fault = std::mem::take(&mut table.at_fault);
    let seen = table.engines.end(if ending.is_ok() { Patience::All } else { Patience::None });
    told?;
    for seat in at_fault {
        let words = complaint(&order.engines[seat].name, &seen[seat].stderr);
        if !words.is_empty() {
            say(words.trim_start())?;
        }
    }
    match ending {
        Ok(_) | Err(HostedHalt::Left(LeaveTable::Quit)) => Ok(false),
        Err(HostedHalt::Stopped | HostedHalt::Left(LeaveTable::Stopped)) => Ok(true),
        Err(HostedHalt::Ours(error) | HostedHalt::Left(LeaveTable::Broken(error))) => Err(error),
        Err(HostedHalt::Referee(why)) => Err(of_referee(rules, &why.to_string())),
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
    /// Whether it was said that answers are not checked.
    is_warned: bool,
    /// The seats of engines that were at fault.
    at_fault: Vec<Seat>,
}

/// What a person has typed.
#[derive(PartialEq, Eq, Debug)]
enum Input {
    /// This is the answer.
    Answer(String),
    /// The game is left.
    Quit,
    /// It is no answer; this is said instead.
    Say(String),
}

/// Reads a line that a person has typed. `legal` has the answers that the referee has listed for
/// this question.
fn input(line: &str, legal: Option<&[String]>) -> Input {
    let line = line.trim_end_matches(['\r', '\n']).trim();
    let is_legal = legal.is_some_and(|legal| legal.iter().any(|answer| answer == line));
    let shown = escape(line.as_bytes(), 60);
    let list = || match legal {
        Some(legal) => format!("the legal answers: {}", escape(legal.join(" ").as_bytes(), SHOWN)),
        None => "the referee lists no legal answers".to_owned(),
    };
    match line.split_once(' ').unwrap_or((line, "")) {
        _ if is_legal => Input::Answer(line.to_owned()),
        ("", _) => Input::Say(String::new()),
        (QUIT, "") => Input::Quit,
        ("/help", "") | ("help", "") => Input::Say(HELP.to_owned()),
        ("/moves", "") => Input::Say(list()),
        ("/say", text) => Input::Answer(text.to_owned()),
        ("/undo", "") => Input::Say("an answer that was sent cannot be taken back".to_owned()),
        (word, _) if word.starts_with('/') => Input::Say(format!(
            "there is no {shown}; /help tells what you can type, /say {shown} answers with it"
        )),
        (word, "") if NO_ANSWERS.contains(&word) => Input::Say(format!(
            "{word} was not sent; /help tells what you can type, /say {word} answers with it"
        )),
        _ if legal.is_some() => Input::Say(format!("{shown} is not legal, and was not sent; {}", list())),
        _ => Input::Answer(line.to_owned()),
    }
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
        self.rules.seats()[seat.index()]
    }

    /// Shows lines that the person's seat is told.
    fn hear(&self, told: &str) -> io::Result<()> {
        told.lines().try_for_each(|line| say(&format!("  {}", escape(line.as_bytes(), SHOWN))))
    }

    /// The next line that the person answers with.
    fn next_line(&mut self, legal: Option<&[String]>) -> Result<String, LeaveTable> {
        let prompt = format!("{}> ", self.named(self.person));
        loop {
            match input(&self.typed.line(&prompt)?, legal) {
                Input::Answer(line) => return Ok(line),
                Input::Quit => return Err(LeaveTable::Quit),
                Input::Say(text) if text.is_empty() => {}
                Input::Say(text) => say(&text).map_err(LeaveTable::Broken)?,
            }
        }
    }

    /// The answer of the person, who has as much time as it takes. What the referee has listed as
    /// `legal` for this question are answers of one line.
    fn person_answers(
        &mut self,
        size: &AnswerSize,
        legal: Option<&[String]>,
    ) -> Result<Answered, LeaveTable> {
        let legal = legal.filter(|_| *size == AnswerSize::Lines(1));
        if legal.is_none() && !std::mem::replace(&mut self.is_warned, true) {
            say("the referee lists no legal answers here: what you type is sent as it is, and a bad answer \
                 cannot be taken back")
            .map_err(LeaveTable::Broken)?;
        }
        let asked = Instant::now();
        let mut lines = Vec::new();
        if let AnswerSize::Until(word) = size {
            say(&format!("type lines, and {} after the last", escape(word.as_bytes(), 60)))
                .map_err(LeaveTable::Broken)?;
        }
        while !size.is_whole(&lines) {
            lines.push(self.next_line(legal)?);
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
            return self.person_answers(&question.size, listed(untold).as_deref());
        }
        let answered =
            self.engines.ask(question, untold, &mut self.clocks).map_err(|trouble| match trouble {
                Trouble::Stopped => LeaveTable::Stopped,
                Trouble::Ours(error) => LeaveTable::Broken(error),
                Trouble::Fault(fault) => LeaveTable::Broken(io::Error::other(fault.why.to_string())),
            })?;
        if let Answered::Fault(cause, why) = &answered {
            self.at_fault.retain(|other| *other != seat);
            self.at_fault.push(seat);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_answer_is_sent() {
        let legal = ["7".to_owned(), "help".to_owned()];
        let answer = |text: &str| Input::Answer(text.to_owned());
        assert_eq!(input(" 7\r\n", Some(&legal)), answer("7"));
        assert_eq!(input("help", Some(&legal)), answer("help"), "the referee has listed it");
        assert_eq!(input("8", None), answer("8"));
        assert_eq!(input("/say /quit", Some(&legal)), answer("/quit"));
        assert_eq!(input("/say ", None), answer(""));
        assert_eq!(input("/quit", None), Input::Quit);
        assert_eq!(input("\n", None), Input::Say(String::new()));
        for line in ["/help", "/moves", "/undo", "/undoo", "undo", "help"] {
            assert!(matches!(input(line, None), Input::Say(words) if !words.is_empty()), "{line}");
        }
        assert!(matches!(input("8", Some(&legal)), Input::Say(words) if words.ends_with("7 help")));
    }
}
