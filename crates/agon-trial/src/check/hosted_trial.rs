//! A trial of an engine in a game of a referee program. It plays against random legal answers, or
//! against copies of itself.

use std::time::Duration;

use agon_match::hosted::{Answered, HostedGame, HostedRules, Question};
use agon_match::processes::{Patience, SeatSeen, Trouble};
use agon_match::referee::{GameOrder, HostedEngines, HostedHalt, HostedPlayers, HostedReferee, steps};
use agon_printable::escape;
use agon_protocol::Protocol;
use agon_record::reason::FaultReason;
use agon_seats::{Clock, PerSeat, Seat};
use agon_standings::pairings::board_seed;
use agon_standings::result::{Cause, GameId};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use super::conversation::{silent_handshake, unfinished};
use super::legal::{listed, one_of};
use super::silence::{Silence, computed, silence};
use super::{CheckFinding, CheckStopped, CheckTrial, at_the_end, spoilt_at, too_close};

/// The most legal answers that a message lists.
const LISTED: usize = 12;

/// Plays one game with the engine on `seat`.
pub(super) fn check_once(
    trial: &CheckTrial<'_>,
    rules: &HostedRules,
    seat: Seat,
) -> Result<CheckFinding, CheckStopped> {
    let seats = rules.seat_count();
    let order = order(trial, seats);
    let mut game = HostedGame::new(seats, rules.folder.draws);
    let mut referee = HostedReferee::start(rules, trial.control, &trial.limits, trial.scratch)
        .map_err(|trouble| stopped::<LeaveTrial>(rules, trouble.into()))?;
    let mut tried = Tried {
        seat,
        engines: HostedEngines::new(&order, rules)?,
        clocks: order.clocks(),
        random: ChaCha8Rng::seed_from_u64(trial.seed),
        moves_left: trial.moves,
        legal: PerSeat::from_fn(seats, |_| None),
        last: String::new(),
        moves: 0,
        longest: Duration::ZERO,
    };
    let ending = steps(&mut game, order.seed, None, &mut referee, &mut tried);
    let mut finding = CheckFinding {
        side: named(rules, seat),
        moves: tried.moves,
        longest: tried.longest,
        games: 1,
        ..CheckFinding::default()
    };
    let (mut patience, mut turn, mut is_greeting) = (Patience::All, None, false);
    match ending {
        Ok(_) => finding.finished = true,
        Err(HostedHalt::Left(LeaveTrial::Enough)) => {}
        Err(HostedHalt::Left(LeaveTrial::Bad(why))) => {
            finding.moves -= 1;
            finding.fault = Some(Cause::IllegalMove);
            finding.wrong.push(tried.refused(&why));
            patience = Patience::AllBut(seat);
        }
        Err(HostedHalt::Left(LeaveTrial::Fault { by, cause, why })) => {
            is_greeting = cause == Cause::StartFailed && why.is_before_game();
            turn = tried.engines.unanswered[by].map(|question| question.time);
            finding.fault = Some(cause);
            let copy = if by == seat { String::new() } else { format!("its copy as {}: ", named(rules, by)) };
            finding.wrong.push(copy + &placed(&why, finding.moves));
        }
        Err(HostedHalt::Left(LeaveTrial::Trouble(trouble))) => {
            finding.startup = tried.engines.end(Patience::None)[seat].startup;
            let error = match trouble {
                Trouble::Stopped => return Err(CheckStopped::Stopped),
                Trouble::Ours(error) => error,
                Trouble::Fault(fault) => std::io::Error::other(fault.why.to_string()),
            };
            finding.unjudged = Some(spoilt_at(finding.moves, &error));
            return Ok(finding);
        }
        Err(halt) => {
            tried.engines.end(Patience::None);
            return Err(stopped(rules, halt));
        }
    }
    referee.end_of_trial();
    let limit = tried.clocks[seat].left() + tried.clocks[seat].bank();
    let seen = tried.engines.end(patience);
    let seen = &seen[seat];
    finding.startup = seen.startup;
    finding.stderr.clone_from(&seen.stderr);
    if is_greeting {
        finding.advice.extend(silent_handshake(trial.engine));
    } else if finding.fault == Some(Cause::TimeForfeit) {
        advise(trial, rules, seen, turn, &mut finding);
    }
    at_the_end(seen, patience, &trial.engine.protocol, None, false, &mut finding);
    too_close(&mut finding, limit);
    Ok(finding)
}

/// The game of a trial: its copies of the engine sit on all seats.
fn order<'a>(trial: &'a CheckTrial<'_>, seats: usize) -> GameOrder<'a> {
    GameOrder {
        id: GameId { round: 1, pairing: 1, game: trial.opening },
        seed: board_seed(trial.seed, "check", &trial.engine.name, 1),
        engines: PerSeat::from_fn(seats, |_| trial.engine),
        controls: PerSeat::from_fn(seats, |_| trial.control),
        lags: PerSeat::from_fn(seats, |_| None),
        max_plies: None,
        limits: trial.limits.clone(),
        scratch: trial.scratch,
    }
}

/// Where an engine was at fault, after so many answers.
fn placed(why: &FaultReason, answers: usize) -> String {
    // The reason says that it was before the game.
    match why.is_before_game() {
        true => why.to_string(),
        false => format!("at its answer {}: {why}", answers + 1),
    }
}

/// Adds why an engine had no answer in time, in its question of `turn`.
fn advise(
    trial: &CheckTrial<'_>,
    rules: &HostedRules,
    seen: &SeatSeen,
    turn: Option<Duration>,
    finding: &mut CheckFinding,
) {
    if trial.engine.protocol != Protocol::Lines {
        finding.advice.extend(unfinished(trial.engine, &seen.lines.heard()));
        return;
    }
    match silence(&seen.lines.heard(), seen.traffic.said, &[]) {
        Some(Silence::AnsweredAtTheEnd) => finding.answered_at_the_end = true,
        silence => {
            let used = turn.and_then(|turn| computed(seen.usage.cpu, finding.longest, turn));
            finding.advice.extend(used.or_else(|| silence.map(|silence| silent(&silence, rules))));
        }
    }
}

/// What a seat is called: its name, or its number.
fn named(rules: &HostedRules, seat: Seat) -> String {
    match rules.folder.seat_names.get(seat.index()) {
        Some(name) => name.clone(),
        None => format!("seat {}", seat.index() + 1),
    }
}

/// Why an engine had no answer, as far as its lines show it.
fn silent(silence: &Silence, rules: &HostedRules) -> String {
    match silence {
        Silence::Prompt(text) => format!(
            "It wrote \"{text}\" without a newline at the end. An answer is a line: end it with a newline, and write \
             no prompt"
        ),
        Silence::NothingAtAll => {
            let asked = match rules.folder.prompt.as_str() {
                "" => "when it has read the lines of its turn".to_owned(),
                prompt => format!("when it reads the line \"{prompt}\""),
            };
            format!(
                "It has written nothing at all to stdout. It is to answer with a line {asked}. Does it wait for \
                 another line, or for the end of its input? Does its output lie in a buffer that is never flushed?"
            )
        }
        Silence::Unfinished | Silence::AnsweredAtTheEnd => silence.words(),
    }
}

/// A game that its referee, agon or the user has broken off.
fn stopped<L>(rules: &HostedRules, halt: HostedHalt<L>) -> CheckStopped {
    match halt {
        HostedHalt::Stopped | HostedHalt::Left(_) => CheckStopped::Stopped,
        HostedHalt::Ours(error) => CheckStopped::Broken(error),
        HostedHalt::Referee(why) => {
            CheckStopped::Broken(std::io::Error::other(format!("the referee {}: {why}", rules.folder.name)))
        }
    }
}

/// The engine on its seat, and on the others random legal answers or its copies.
struct Tried<'a> {
    seat: Seat,
    engines: HostedEngines<'a>,
    clocks: PerSeat<Clock>,
    random: ChaCha8Rng,
    /// How many answers the engine is still to give.
    moves_left: usize,
    /// The last list of legal answers of each seat.
    legal: PerSeat<Option<Vec<String>>>,
    /// The last answer of the engine.
    last: String,
    moves: usize,
    longest: Duration,
}

/// Why a game of a trial is left.
enum LeaveTrial {
    /// The engine has given as many answers as it was to give.
    Enough,
    /// The referee has refused its answer.
    Bad(String),
    /// It, or its copy on another seat, is at fault.
    Fault { by: Seat, cause: Cause, why: Box<FaultReason> },
    /// Ours, or the user has stopped it.
    Trouble(Trouble),
}

impl Tried<'_> {
    /// The words for an answer that the referee has refused.
    fn refused(&self, why: &str) -> String {
        let mut words = format!(
            "the referee refused its answer \"{}\": {}",
            escape(self.last.as_bytes(), 200),
            escape(why.as_bytes(), 200)
        );
        let legal = self.legal[self.seat].as_deref().unwrap_or_default();
        if legal.is_empty() || legal.contains(&self.last) {
            return words;
        }
        let is_inside = |answer: &&String| {
            self.last.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case(answer))
        };
        if let Some(meant) = legal.iter().find(is_inside) {
            words.push_str(&format!(
                ". Perhaps it means {}: write the answer alone and as it is listed, and everything else to stderr",
                escape(meant.as_bytes(), 60)
            ));
        } else {
            let shown: Vec<String> =
                legal.iter().take(LISTED).map(|answer| escape(answer.as_bytes(), 60)).collect();
            let more = if legal.len() > LISTED { " ..." } else { "" };
            words.push_str(&format!(". It is not in the line it was told: legal {}{more}", shown.join(" ")));
        }
        words
    }
}

impl HostedPlayers for Tried<'_> {
    type Leave = LeaveTrial;

    fn answer(&mut self, question: &Question, untold: &str) -> Result<Answered, LeaveTrial> {
        let seat = question.seat;
        // Also before an answer of ours: told of that, the engine would begin to think.
        if self.moves_left == 0 {
            return Err(LeaveTrial::Enough);
        }
        if let Some(listed) = listed(untold) {
            self.legal[seat] = Some(listed);
        }
        if seat != self.seat
            && let Some(answer) =
                self.legal[seat].as_deref().and_then(|legal| one_of(legal, &mut self.random))
        {
            return Ok(Answered::Lines(vec![answer.clone()], Duration::ZERO));
        }
        match self.engines.ask(question, untold, &mut self.clocks).map_err(LeaveTrial::Trouble)? {
            Answered::Fault(cause, why) => Err(LeaveTrial::Fault { by: seat, cause, why }),
            Answered::Lines(lines, time) => {
                if seat == self.seat {
                    self.last = lines.join(" / ");
                    self.moves_left -= 1;
                    self.moves += 1;
                    self.longest = self.longest.max(time);
                }
                Ok(Answered::Lines(lines, time))
            }
        }
    }

    fn stepped(&mut self, game: &mut HostedGame, _: Duration) -> Result<(), LeaveTrial> {
        match game.bad_answer(self.seat) {
            Some(why) => Err(LeaveTrial::Bad(why.to_owned())),
            None => Ok(()),
        }
    }
}
