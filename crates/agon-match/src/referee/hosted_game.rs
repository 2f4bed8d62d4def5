//! One game of a referee program, played to a record: the referee's steps, and between them the
//! questions to the seats.

use std::io;
use std::time::{Duration, Instant};

use agon_record::reason::{FaultFact, FaultReason};
use agon_record::{Decided, RefereeRecord, Verdict, VoidReason};
use agon_seats::{Clock, PerSeat};

use super::hosted_engines::HostedEngines;
use super::hosted_referee::{HostedReferee, RefereeTrouble};
use super::seated::EnginesLeft;
use super::{EnginePool, GameNews, GameOrder, Played, RunStopped, last_note, readable};
use crate::hosted::{Answered, Flow, HostedGame, HostedNews, HostedRules, Question, UNKNOWN};
use crate::processes::{Patience, Trouble};

/// After so many answers and faults a game is void: its referee asks for ever.
const MOST_ANSWERS: usize = 1_000_000;
/// The most bytes of the referee's stderr in a record, from its end.
const STDERR: usize = 4000;

/// Who answers the questions of a game.
pub trait HostedPlayers {
    /// Why a game is left before its end.
    type Leave;

    /// Asks a seat, which is first to read `untold`. A seat that answers nothing more is not asked.
    ///
    /// # Errors
    /// The game is left.
    fn answer(&mut self, question: &Question, untold: &str) -> Result<Answered, Self::Leave>;

    /// The referee has ended a step, and took so long.
    ///
    /// # Errors
    /// The game is left.
    fn stepped(&mut self, game: &mut HostedGame, took: Duration) -> Result<(), Self::Leave>;
}

/// Why a game has no verdict of the referee.
#[derive(Debug)]
pub enum HostedHalt<L> {
    /// The run is to stop.
    Stopped,
    /// The referee is at fault.
    Referee(Box<FaultReason>),
    /// Agon or the machine is.
    Ours(io::Error),
    /// The players have left.
    Left(L),
}

impl<L> From<RefereeTrouble> for HostedHalt<L> {
    fn from(trouble: RefereeTrouble) -> Self {
        match trouble {
            RefereeTrouble::Fault(why) => HostedHalt::Referee(why),
            RefereeTrouble::Stopped => HostedHalt::Stopped,
            RefereeTrouble::Ours(error) => HostedHalt::Ours(error),
        }
    }
}

/// Plays one game, as [`super::play`] does.
pub(super) fn play(
    order: &GameOrder<'_>,
    rules: &HostedRules,
    pool: &mut EnginePool,
    on_news: &mut impl FnMut(GameNews<'_>),
) -> Result<Played, RunStopped> {
    let mut game = HostedGame::new(order.engines.len(), rules.folder.draws);
    let mut record =
        RefereeRecord { hash: rules.hash.clone(), options: rules.options_line(), ..RefereeRecord::default() };
    let mut left = EnginesLeft::nothing(order.engines.len());
    let control = order.controls.values()[0];
    let parked = pool.referee.take();
    let parked = parked.and_then(|parked| HostedReferee::go_on_with(parked, rules, control, order.seed));
    let referee = match parked {
        Some(referee) => Ok(referee),
        None => HostedReferee::start(rules, control, &order.limits, order.scratch),
    };
    let verdict = match (referee, HostedEngines::new(order, rules)) {
        (Err(trouble), _) => Err(trouble.into()),
        (_, Err(error)) => Err(HostedHalt::Ours(error)),
        (Ok(mut referee), Ok(mut engines)) => {
            referee.program().clone_into(&mut record.program);
            let mut players = InMatch { engines: &mut engines, clocks: order.clocks(), on_news };
            let mut verdict = steps(&mut game, order.seed, order.max_plies, &mut referee, &mut players);
            let (by_referee, parked) = referee.end(verdict.is_ok());
            pool.referee = parked;
            if let Err(HostedHalt::Referee(why)) = &mut verdict {
                let stderr = &by_referee.stderr;
                record.stderr = readable(&stderr[stderr.len().saturating_sub(STDERR)..]);
                why.notes.extend(last_note(stderr));
            }
            let at_fault = game.at_fault();
            let patience = match (&verdict, at_fault.first()) {
                (Err(_), _) => Patience::None,
                (Ok(_), Some(seat)) => Patience::AllBut(*seat),
                (Ok(_), None) => Patience::All,
            };
            if verdict.is_ok() {
                for seat in order.engines.seats() {
                    engines.tell_rest(seat, &game.take_untold(seat));
                }
            }
            left = engines.leave_all(patience, &at_fault);
            verdict
        }
    };
    let verdict = match verdict {
        Ok(decided) => Verdict::Decided(decided),
        Err(HostedHalt::Stopped | HostedHalt::Left(Trouble::Stopped)) => return Err(RunStopped),
        Err(HostedHalt::Ours(error) | HostedHalt::Left(Trouble::Ours(error))) => {
            Verdict::Void { why: error.to_string().into() }
        }
        Err(HostedHalt::Left(Trouble::Fault(fault))) => Verdict::Void { why: fault.why.to_string().into() },
        Err(HostedHalt::Referee(why)) => {
            let fault = why.to_string();
            record.fault = Some(fault.clone());
            Verdict::Void { why: VoidReason::RefereeFault { game: rules.folder.name.clone(), fault } }
        }
    };
    record.faults = Some(game.faults().to_vec());
    let (plies, lines) = game.into_parts();
    record.lines = lines;
    Ok(Played { verdict, last: UNKNOWN.to_owned(), plies, left, referee: Some(Box::new(record)) })
}

/// Engines on all seats.
struct InMatch<'a, 'o, F> {
    engines: &'a mut HostedEngines<'o>,
    clocks: PerSeat<Clock>,
    on_news: &'a mut F,
}

impl<F: FnMut(GameNews<'_>)> HostedPlayers for InMatch<'_, '_, F> {
    type Leave = Trouble;

    fn answer(&mut self, question: &Question, untold: &str) -> Result<Answered, Trouble> {
        self.engines.ask(question, untold, &mut self.clocks)
    }

    fn stepped(&mut self, game: &mut HostedGame, _: Duration) -> Result<(), Trouble> {
        for news in game.take_news() {
            (self.on_news)(match &news {
                HostedNews::Moved(ply) => GameNews::Moved(ply),
                HostedNews::Public(text) => GameNews::Public(text),
                HostedNews::Scores(scores) => GameNews::Scores(scores),
            });
        }
        Ok(())
    }
}

/// The referee is at fault, of which there are no more than these words.
fn at_fault<L>(why: String) -> HostedHalt<L> {
    HostedHalt::Referee(FaultFact::Told(why).into())
}

/// The steps of the referee, and the answers in between, until the game is over. After `most`
/// answers, if there is such a limit, the running scores decide.
///
/// # Errors
/// [`HostedHalt`].
pub fn steps<P: HostedPlayers>(
    game: &mut HostedGame,
    seed: u64,
    most: Option<usize>,
    referee: &mut HostedReferee,
    players: &mut P,
) -> Result<Decided, HostedHalt<P::Leave>> {
    let mut began = Instant::now();
    referee.begin(seed)?;
    let mut sent = String::new();
    loop {
        let flow = loop {
            let line = referee.hear()?;
            match game.take(&line).map_err(at_fault)? {
                Flow::GoOn => {}
                flow => break flow,
            }
        };
        players.stepped(game, began.elapsed()).map_err(HostedHalt::Left)?;
        let questions = match flow {
            Flow::Wait(questions) => questions,
            Flow::Void(why) => return Err(at_fault(format!("it says void: {why}"))),
            Flow::Over | Flow::GoOn => return Ok(game.decided().expect("the referee has ended the game")),
        };
        if game.given() + questions.len() > most.unwrap_or(MOST_ANSWERS) {
            return if most.is_some() {
                Ok(game.adjudicated())
            } else {
                Err(at_fault(format!("it has asked {MOST_ANSWERS} times and goes on")))
            };
        }
        sent.clear();
        for question in questions {
            let seat = question.seat;
            let answered = match game.gone(seat) {
                Some(gone) => gone,
                None => {
                    let untold = game.take_untold(seat);
                    players.answer(&question, &untold).map_err(HostedHalt::Left)?
                }
            };
            for line in game.answered(seat, answered) {
                sent.push_str(&line);
                sent.push('\n');
            }
        }
        began = Instant::now();
        referee.send(sent.as_bytes())?;
    }
}
