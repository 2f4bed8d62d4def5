//! One game of a referee program, played to a record: the referee's steps, and between them the
//! questions to the seats.

use agon_printable::escape;

use super::hosted_engines::HostedEngines;
use super::hosted_referee::{HostedReferee, RefereeTrouble};
use super::{Beginning, EnginePool, GameOrder, Played, Report, RunStopped, now, report};
use crate::engine::{Patience, SeatSeen, Trouble};
use crate::hosted::{Flow, HostedGame, HostedRules, Question, UNKNOWN};
use crate::record::{Ply, RefereeRecord, Verdict};

/// After so many answers a game is void: its referee asks for ever.
const MOST_ANSWERS: usize = 1_000_000;
/// The most characters of the referee's stderr in a record.
const STDERR: usize = 4000;

/// Why there is no verdict of the referee.
enum Broken {
    Stopped,
    /// The referee is at fault.
    Referee(String),
    /// Agon or the machine is.
    Ours(String),
}

impl From<RefereeTrouble> for Broken {
    fn from(trouble: RefereeTrouble) -> Self {
        match trouble {
            RefereeTrouble::Fault(why) => Broken::Referee(why),
            RefereeTrouble::Stopped => Broken::Stopped,
            RefereeTrouble::Ours(error) => Broken::Ours(error.to_string()),
        }
    }
}

/// Plays one game, as [`super::play`] does.
pub(super) fn play(
    order: &GameOrder<'_>,
    rules: &HostedRules,
    pool: &mut EnginePool,
    on_ply: &mut impl FnMut(&Ply),
) -> Result<Report, RunStopped> {
    let beginning = Beginning::now(UNKNOWN.to_owned());
    let mut game = HostedGame::new(order.engines.len());
    let mut record =
        RefereeRecord { hash: rules.hash.clone(), options: rules.options_line(), ..RefereeRecord::default() };
    let mut seen = order.engines.map(|_, _| SeatSeen::default());
    let (mut at_fault, mut unanswered) = (Vec::new(), None);
    let parked = pool.referee.take().and_then(|parked| HostedReferee::go_on(parked, rules));
    let referee = match parked {
        Some(referee) => Ok(referee),
        None => HostedReferee::start(rules, order.controls.values()[0], &order.limits, order.scratch),
    };
    let verdict = match (referee, HostedEngines::new(order, rules)) {
        (Err(trouble), _) => Err(trouble.into()),
        (_, Err(error)) => Err(Broken::Ours(error.to_string())),
        (Ok(mut referee), Ok(mut engines)) => {
            record.program.clone_from(&referee.program);
            let verdict = steps(&mut game, order, &mut referee, &mut engines, on_ply);
            let (by_referee, parked) = referee.end(verdict.is_ok());
            pool.referee = parked;
            if let Err(Broken::Referee(_)) = &verdict {
                record.stderr = escape(&by_referee.stderr, STDERR);
            }
            let seats = game.at_fault();
            at_fault = seats.iter().map(|seat| (*seat, engines.commands[*seat].clone())).collect();
            unanswered =
                seats.first().and_then(|seat| engines.unanswered[*seat].map(|question| (*seat, question)));
            let patience = match (&verdict, seats.first()) {
                (Err(_), _) => Patience::None,
                (Ok(_), Some(seat)) => Patience::AllBut(*seat),
                (Ok(_), None) => Patience::All,
            };
            if verdict.is_ok() {
                for seat in order.engines.seats() {
                    let untold = game.take_untold(seat);
                    engines.tell(seat, &untold);
                }
            }
            seen = engines.end(patience);
            verdict
        }
    };
    let verdict = match verdict {
        Ok(verdict) => verdict,
        Err(Broken::Stopped) => return Err(RunStopped),
        Err(Broken::Ours(why)) => Verdict::Void { why },
        Err(Broken::Referee(why)) => {
            record.fault = Some(why.clone());
            Verdict::Void { why: format!("the referee {}: {why}", rules.folder.name) }
        }
    };
    let (plies, lines) = game.into_parts();
    record.lines = lines;
    let played = Played {
        verdict,
        last: UNKNOWN.to_owned(),
        plies,
        seen,
        at_fault,
        unanswered,
        referee: Some(Box::new(record)),
        finished: Some(now()),
    };
    Ok(report(order, beginning, played))
}

/// The steps of the referee, and the answers in between, until the game is over.
fn steps(
    game: &mut HostedGame,
    order: &GameOrder<'_>,
    referee: &mut HostedReferee,
    engines: &mut HostedEngines<'_>,
    on_ply: &mut impl FnMut(&Ply),
) -> Result<Verdict, Broken> {
    let mut clocks = order.clocks();
    let most = order.max_plies.unwrap_or(MOST_ANSWERS);
    let mut sent = format!("seed {}\nstart\n", order.seed);
    loop {
        referee.send(sent.as_bytes());
        let flow = loop {
            let line = referee.hear()?;
            match game.take(&line).map_err(Broken::Referee)? {
                Flow::GoOn => {}
                flow => break flow,
            }
        };
        game.newly_shown().iter().for_each(&mut *on_ply);
        let questions = match flow {
            Flow::Wait(questions) => questions,
            Flow::Void(why) => return Err(Broken::Referee(format!("it says void: {why}"))),
            Flow::Over | Flow::GoOn => {
                return Ok(Verdict::Decided(game.decided().expect("the referee has ended the game")));
            }
        };
        if game.answers() + questions.len() > most {
            return if order.max_plies.is_some() {
                Ok(Verdict::Decided(game.adjudicated()))
            } else {
                Err(Broken::Referee(format!("it has asked {MOST_ANSWERS} times and goes on")))
            };
        }
        sent.clear();
        for Question { seat, most, size } in questions {
            let answered = match game.gone(seat) {
                Some(gone) => gone,
                None => {
                    let untold = game.take_untold(seat);
                    let question = Question { seat, most, size };
                    match engines.ask(&question, &untold, &mut clocks[seat]) {
                        Ok(answered) => answered,
                        Err(Trouble::Stopped) => return Err(Broken::Stopped),
                        Err(Trouble::Ours(error)) => return Err(Broken::Ours(error.to_string())),
                        Err(Trouble::Fault(fault)) => return Err(Broken::Ours(fault.why)),
                    }
                }
            };
            for line in game.answered(seat, answered) {
                sent.push_str(&line);
                sent.push('\n');
            }
        }
    }
}
