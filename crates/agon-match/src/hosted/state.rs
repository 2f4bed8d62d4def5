//! A game of a referee program as its lines make it. It has what each seat is told and asked, who
//! is out, the moves, and the end. Pure: it reads the lines of a live referee and of a stored one
//! alike.

use std::time::Duration;

use agon_printable::escape;
use agon_record::reason::{EndReason, FaultFact, FaultNote, FaultReason};
use agon_record::{Decided, Ply, SeatFault};
use agon_seats::{PerSeat, Seat, result};
use agon_standings::result::{Cause, Termination};

use super::lines::{self, FaultKind, Question, StepLine};

/// The most bytes that may wait for seats to be asked, and that all lines of a game may have.
const MOST_BYTES: usize = 64 << 20;
/// What a line costs besides its bytes: short ones fill the memory too.
const LINE_COST: usize = 64;
/// The most characters of a move in the record.
const LONGEST_MOVE: usize = 1000;

/// Why a seat is not asked any more.
#[derive(Clone, PartialEq, Eq, Debug)]
enum SeatState {
    /// It takes part.
    Playing,
    /// The referee has said `out`.
    Out,
    /// The referee has said `bad`, and why.
    Bad(String),
    /// It answers nothing more: its fault.
    Gone(Cause, Box<FaultReason>),
}

/// What a line of the referee has led to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Flow {
    /// The step goes on.
    GoOn,
    /// The step has ended with these questions, in the order of the seats.
    Wait(Vec<Question>),
    /// The game is over.
    Over,
    /// The referee cannot go on, in its words.
    Void(String),
}

/// Something that spectators may know while the game goes on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HostedNews {
    /// A move that the referee has published.
    Moved(Ply),
    /// A public line; escaped.
    Public(String),
    /// The running scores.
    Scores(PerSeat<i32>),
}

/// One answer or its absence, as the referee is told it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answered {
    /// The lines of the seat.
    Lines(Vec<String>, Duration),
    /// There are none: the cause, and why.
    Fault(Cause, Box<FaultReason>),
}

/// The state of one game.
pub struct HostedGame {
    /// Whether seats can share the first place.
    draws: bool,
    seats: PerSeat<SeatState>,
    /// What each seat has not read yet.
    untold: PerSeat<String>,
    /// The bytes of all of it.
    waiting: usize,
    questions: Vec<Question>,
    scores: PerSeat<i32>,
    plies: Vec<Ply>,
    /// The plies of each seat that have no `move` yet, by their index.
    unnamed: PerSeat<Vec<usize>>,
    /// How many plies have been published.
    shown: usize,
    /// What spectators were not told yet.
    news: Vec<HostedNews>,
    /// Whether a running score has changed since they were told.
    scored: bool,
    /// The fault of each seat that had one, in the order in which they came.
    faults: Vec<SeatFault>,
    /// The first fault that puts its seat out, and why.
    put_out: Option<(Seat, Cause, Box<FaultReason>)>,
    /// The seats that were late in the last step, and why.
    late: Vec<(Seat, Cause, Box<FaultReason>)>,
    /// How many answers and faults there were.
    given: usize,
    end: Option<(PerSeat<i32>, String)>,
    lines: Vec<String>,
    bytes: usize,
}

impl HostedGame {
    /// The beginning of a game of so many seats. With `draws`, seats can share the first place.
    pub fn new(seats: usize, draws: bool) -> Self {
        HostedGame {
            draws,
            seats: PerSeat::from_fn(seats, |_| SeatState::Playing),
            untold: PerSeat::from_fn(seats, |_| String::new()),
            waiting: 0,
            questions: Vec::new(),
            scores: PerSeat::from_fn(seats, |_| 0),
            plies: Vec::new(),
            unnamed: PerSeat::from_fn(seats, |_| Vec::new()),
            shown: 0,
            news: Vec::new(),
            scored: false,
            faults: Vec::new(),
            put_out: None,
            late: Vec::new(),
            given: 0,
            end: None,
            lines: Vec::new(),
            bytes: 0,
        }
    }

    /// Takes the next line of the referee.
    ///
    /// # Errors
    /// The line is not allowed here: the fault of the referee, in words for its author.
    pub fn take(&mut self, line: &str) -> Result<Flow, String> {
        self.note('<', line)?;
        match lines::step(line, self.seats.len())? {
            StepLine::Tell(to, text) => self.tell(to, text)?,
            StepLine::Ask(question) => self.ask(question, line)?,
            StepLine::Wait if self.questions.is_empty() => {
                return Err("it waits, and has asked nobody".to_owned());
            }
            StepLine::Wait => {
                self.late.clear();
                let mut questions = std::mem::take(&mut self.questions);
                questions.sort_by_key(|question| question.seat);
                return Ok(Flow::Wait(questions));
            }
            StepLine::Move(seat, text) => self.name_move(seat, text),
            StepLine::Score(seat, score) => {
                self.scores[seat] = score;
                self.scored = true;
            }
            StepLine::Public(text) => {
                self.publish_moves();
                self.news.push(HostedNews::Public(escape(text.as_bytes(), usize::MAX)));
            }
            StepLine::Bad(seat, why) => self.bad(seat, why),
            StepLine::Out(seat) => {
                if self.seats[seat] == SeatState::Playing {
                    self.seats[seat] = SeatState::Out;
                }
            }
            StepLine::End(scores, why) => {
                if let Some(question) = self.questions.first() {
                    let seat = question.seat.index() + 1;
                    return Err(format!("it ends the game while it asks seat {seat}; wait must come before"));
                }
                // Such a line may be left over from the last game of the process.
                if self.given == 0 {
                    return Err("it ends the game before it has asked any seat".to_owned());
                }
                let best = scores.iter().max();
                if !self.draws && scores.iter().filter(|score| Some(*score) == best).count() > 1 {
                    return Err("it ends the game with equal first places, and game.toml has draws = false"
                        .to_owned());
                }
                self.scores = scores.into();
                self.end = Some((self.scores.clone(), escape(why.as_bytes(), LONGEST_MOVE)));
                return Ok(Flow::Over);
            }
            StepLine::Void(why) => return Ok(Flow::Void(escape(why.as_bytes(), LONGEST_MOVE))),
            StepLine::Secret(..) | StepLine::Board(_) | StepLine::Frame(_) | StepLine::Note(_) => {}
        }
        Ok(Flow::GoOn)
    }

    fn tell(&mut self, to: Option<Seat>, text: &str) -> Result<(), String> {
        let seats: Vec<Seat> = to.map_or_else(|| self.seats.seats().collect(), |seat| vec![seat]);
        for seat in seats {
            let untold = &mut self.untold[seat];
            untold.push_str(text);
            untold.push('\n');
            self.waiting += text.len() + 1;
        }
        if self.waiting > MOST_BYTES {
            return Err(format!("it tells seats more than {MOST_BYTES} bytes and does not ask them"));
        }
        Ok(())
    }

    fn ask(&mut self, question: Question, line: &str) -> Result<(), String> {
        let seat = question.seat;
        if self.questions.iter().any(|earlier| earlier.seat == seat) {
            return Err(format!("{}: it asks the same seat twice before it waits", lines::shown(line)));
        }
        match &self.seats[seat] {
            SeatState::Playing | SeatState::Gone(..) => {
                self.questions.push(question);
                Ok(())
            }
            SeatState::Out => Err(format!("{}: this seat is out", lines::shown(line))),
            SeatState::Bad(_) => {
                Err(format!("{}: this seat is out, because its answer was bad", lines::shown(line)))
            }
        }
    }

    fn name_move(&mut self, seat: Seat, text: &str) {
        let text = escape(text.as_bytes(), LONGEST_MOVE);
        if self.unnamed[seat].is_empty() {
            // The referee has moved for the seat: it did not answer, or it had no choice.
            self.plies.push(Ply { seat, text, points: 0, time: Duration::ZERO, thought: None });
        } else {
            let ply = self.unnamed[seat].remove(0);
            self.plies[ply].text = text;
        }
    }

    fn bad(&mut self, seat: Seat, why: &str) {
        let why = escape(why.as_bytes(), LONGEST_MOVE);
        if matches!(self.seats[seat], SeatState::Playing | SeatState::Out) {
            let answer = self.plies.iter().rposition(|ply| ply.seat == seat);
            let told: Box<FaultReason> = FaultFact::Told(why.clone()).into();
            self.note_fault(seat, Cause::IllegalMove, &told, answer.unwrap_or(self.plies.len()));
            self.seats[seat] = SeatState::Bad(why);
        }
    }

    /// Notes a fault of a seat. One that puts the seat out takes the place of its late answers.
    fn note_fault(&mut self, seat: Seat, cause: Cause, why: &FaultReason, ply: usize) {
        let is_late = kind_of(cause) == FaultKind::Late;
        if !is_late && self.put_out.is_none() {
            self.put_out = Some((seat, cause, Box::new(why.clone())));
        }
        if let Some(at) = self.faults.iter().position(|fault| fault.seat == seat) {
            if is_late {
                self.faults[at].times += 1;
                return;
            }
            self.faults.remove(at);
        }
        self.faults.push(SeatFault { seat, cause, why: why.to_string(), times: 1, ply });
    }

    /// What waits for a seat. It is to be sent now.
    pub fn take_untold(&mut self, seat: Seat) -> String {
        let untold = std::mem::take(&mut self.untold[seat]);
        self.waiting -= untold.len();
        untold
    }

    /// The fault of a seat that answers nothing more.
    pub fn gone(&self, seat: Seat) -> Option<Answered> {
        match &self.seats[seat] {
            SeatState::Gone(cause, why) => Some(Answered::Fault(*cause, why.clone())),
            SeatState::Playing | SeatState::Out | SeatState::Bad(_) => None,
        }
    }

    /// All seats.
    pub fn seats(&self) -> impl DoubleEndedIterator<Item = Seat> + use<> {
        self.seats.seats()
    }

    /// Why the answer of a seat was bad, if the referee has said so.
    pub fn bad_answer(&self, seat: Seat) -> Option<&str> {
        match &self.seats[seat] {
            SeatState::Bad(why) => Some(why),
            SeatState::Playing | SeatState::Out | SeatState::Gone(..) => None,
        }
    }

    /// Notes what a seat that was asked has answered. Returns the lines that the referee is sent.
    pub fn answered(&mut self, seat: Seat, answered: Answered) -> Vec<String> {
        let number = seat.index() + 1;
        let sent = match answered {
            Answered::Lines(texts, time) => {
                let all = texts.join(" / ");
                self.unnamed[seat].push(self.plies.len());
                self.plies.push(Ply {
                    seat,
                    text: escape(all.as_bytes(), LONGEST_MOVE),
                    points: 0,
                    time,
                    thought: None,
                });
                texts.iter().map(|text| format!("answer {number} {text}")).collect()
            }
            Answered::Fault(cause, why) => {
                let kind = kind_of(cause);
                let line = format!("fault {number} {} {why}", kind.word());
                if kind == FaultKind::Late {
                    self.note_fault(seat, cause, &why, self.plies.len());
                    self.late.push((seat, cause, why));
                } else if matches!(self.seats[seat], SeatState::Playing) {
                    self.note_fault(seat, cause, &why, self.plies.len());
                    self.seats[seat] = SeatState::Gone(cause, why);
                }
                vec![line]
            }
        };
        self.given += 1;
        for line in &sent {
            // The referee's own lines are bounded; answers are bounded by the size of a turn.
            self.bytes += line.len() + LINE_COST;
            self.lines.push(format!(">{line}"));
        }
        sent
    }

    /// The number of plies so far: answers, and moves that the referee has made for a seat.
    pub fn ply_count(&self) -> usize {
        self.plies.len()
    }

    /// The number of answers and faults so far.
    pub fn given(&self) -> usize {
        self.given
    }

    /// The fault of each seat that had one, in the order in which they came.
    pub fn faults(&self) -> &[SeatFault] {
        &self.faults
    }

    /// What spectators may know and were not told before, in order. It is told at the end of a
    /// step, because who listens may be slow, and the step has a time.
    pub(crate) fn take_news(&mut self) -> Vec<HostedNews> {
        self.publish_moves();
        if std::mem::take(&mut self.scored) {
            self.news.push(HostedNews::Scores(self.scores.clone()));
        }
        std::mem::take(&mut self.news)
    }

    /// Publishes the plies up to the first one that has no `move` line; all of them when the game
    /// is over.
    fn publish_moves(&mut self) {
        let first_unnamed = self.unnamed.values().iter().filter_map(|list| list.first()).min();
        let all = self.plies.len();
        let until = if self.end.is_some() { all } else { first_unnamed.copied().unwrap_or(all) };
        let until = until.max(self.shown);
        let from = std::mem::replace(&mut self.shown, until);
        self.news.extend(self.plies[from..until].iter().cloned().map(HostedNews::Moved));
    }

    /// The result, once the game is over.
    pub fn decided(&self) -> Option<Decided> {
        let (scores, why) = self.end.as_ref()?;
        let (termination, reason) = match self.put_out.as_ref().or(self.late.first()) {
            None => (Termination::Normal, EndReason::Rules(why.clone())),
            Some((seat, cause, fault)) => {
                let mut fault = fault.clone();
                fault.notes.extend((!why.is_empty()).then(|| FaultNote::End(why.clone())));
                (Termination::Forfeit(*seat, *cause), EndReason::Fault(fault))
            }
        };
        Some(Decided { places: result::by_score(scores), scores: scores.clone(), termination, reason })
    }

    /// The result if the game is broken off after too many plies: the running scores decide.
    pub fn adjudicated(&self) -> Decided {
        Decided {
            places: result::by_score(&self.scores),
            scores: self.scores.clone(),
            termination: Termination::Adjudication,
            reason: EndReason::AnswerLimit(self.given),
        }
    }

    /// The seats that are at fault: their evidence is kept.
    pub fn at_fault(&self) -> Vec<Seat> {
        self.seats.seats().filter(|seat| self.faults.iter().any(|fault| fault.seat == *seat)).collect()
    }

    /// Adds a line to the record.
    ///
    /// # Errors
    /// All lines together are too long.
    pub fn note(&mut self, sign: char, line: &str) -> Result<(), String> {
        self.bytes += line.len() + LINE_COST;
        if self.bytes > MOST_BYTES {
            return Err(format!(
                "its game has more than {MOST_BYTES} bytes of lines, and each line counts {LINE_COST} more"
            ));
        }
        self.lines.push(format!("{sign}{line}"));
        Ok(())
    }

    /// The moves, and all lines.
    pub fn into_parts(self) -> (Vec<Ply>, Vec<String>) {
        (self.plies, self.lines)
    }
}

/// The kind of a fault in the protocol.
pub fn kind_of(cause: Cause) -> FaultKind {
    match cause {
        Cause::TimeForfeit | Cause::StdinBlocked => FaultKind::Late,
        Cause::OutputLimit => FaultKind::Flood,
        Cause::ClosedOutput => FaultKind::Closed,
        Cause::IllegalMove
        | Cause::Crash
        | Cause::Protocol
        | Cause::StartFailed
        | Cause::MemoryLimit
        | Cause::ProcessLimit
        | Cause::CpuLimit
        | Cause::Pondering
        | Cause::Obstruction => FaultKind::Crash,
    }
}
