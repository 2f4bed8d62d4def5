//! One game of a referee program, played to a record: the referee's steps, and between them the
//! questions to the seats.

use agon_printable::escape;

use super::hosted_engines::HostedEngines;
use super::hosted_referee::{HostedReferee, RefereeTrouble};
use super::{Beginning, EnginePool, GameNews, GameOrder, Played, Report, RunStopped, now, readable, report};
use crate::engine::{Patience, SeatSeen, Trouble};
use crate::hosted::{Flow, HostedGame, HostedRules, Question, UNKNOWN};
use crate::record::{RefereeRecord, Verdict};

/// After so many answers a game is void: its referee asks for ever.
const MOST_ANSWERS: usize = 1_000_000;
/// The most bytes of the referee's stderr in a record, from its end.
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
    on_news: &mut impl FnMut(GameNews<'_>),
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
            let verdict = steps(&mut game, order, &mut referee, &mut engines, on_news);
            let (by_referee, parked) = referee.end(verdict.is_ok());
            pool.referee = parked;
            if let Err(Broken::Referee(_)) = &verdict {
                let stderr = &by_referee.stderr;
                record.stderr = readable(&stderr[stderr.len().saturating_sub(STDERR)..]);
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
    on_news: &mut impl FnMut(GameNews<'_>),
) -> Result<Verdict, Broken> {
    let mut clocks = order.clocks();
    let most = order.max_plies.unwrap_or(MOST_ANSWERS);
    let mut sent = format!("seed {}\nstart\n", order.seed);
    loop {
        referee.send(sent.as_bytes());
        // Told at the end of the step, because who listens may be slow, and the step has a time.
        let (mut published, mut scored) = (Vec::new(), false);
        let flow = loop {
            let line = referee.hear()?;
            let flow = game.take(&line).map_err(Broken::Referee)?;
            if let Some(text) = line.strip_prefix("public ") {
                published.push((game.newly_shown(), escape(text.as_bytes(), usize::MAX)));
            }
            scored |= line.starts_with("score ");
            if flow != Flow::GoOn {
                break flow;
            }
        };
        for (plies, text) in &published {
            plies.iter().for_each(|ply| on_news(GameNews::Moved(ply)));
            on_news(GameNews::Public(text));
        }
        game.newly_shown().iter().for_each(|ply| on_news(GameNews::Moved(ply)));
        if scored {
            on_news(GameNews::Scores(game.scores()));
        }
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
