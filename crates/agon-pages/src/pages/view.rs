//! For whom the pages are written, and what they leave out.

use agon_match::hosted::{CourseEntry, StepLine};
use agon_printable::{clean, harmless};
use agon_record::reason::EndReason;
use agon_record::{GameRecord, SeatRecord};
use agon_seats::Seat;
use agon_standings::result::Cause;

/// Who will read the pages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Audience {
    /// Everybody: names of engines, results and moves. No stderr, no evidence, no path and no host.
    Public,
    /// The author of this engine: besides, its own stderr and evidence.
    Engine(String),
    /// Those who run the tournament: everything.
    Staff,
}

/// What the pages show.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct View {
    /// Who will read them.
    pub audience: Audience,
    /// Whether results are left out: in titles, lists, addresses and counts.
    pub hide_results: bool,
    /// How many places the standings show; `None` for all.
    pub top: Option<usize>,
}

impl View {
    /// Whether stderr and evidence of this engine are shown.
    pub(super) fn may_see(&self, engine: &str) -> bool {
        match &self.audience {
            Audience::Public => false,
            Audience::Engine(own) => own == engine,
            Audience::Staff => true,
        }
    }

    /// Whether paths, the machine's name and other facts of the place are shown.
    pub(super) fn is_staff(&self) -> bool {
        self.audience == Audience::Staff
    }

    /// The reason for the end of a game, which `engine` lost by this fault. Only its author and the
    /// staff read all of it.
    pub(super) fn reason(&self, engine: &str, fault: Option<Cause>, reason: &EndReason) -> String {
        clean(&if self.may_see(engine) { reason.to_string() } else { reason.public(fault).to_string() })
    }

    /// Whether a line of a game of a referee program is shown. What a seat was told and wrote
    /// belongs to its author, and notes to the staff. Secrets are shown when they are `open`: other
    /// games may be played with the same cards, by other engines on the same seats.
    pub(super) fn shows_line(&self, record: &GameRecord, line: &CourseEntry<'_>, open: bool) -> bool {
        let own = |seat: Seat| self.may_see(&record.seats[seat].entrant);
        match line {
            CourseEntry::Step(StepLine::Tell(Some(seat), _)) => own(*seat),
            CourseEntry::Step(StepLine::Ask(question)) => own(question.seat),
            CourseEntry::Answer(seat, _) | CourseEntry::Fault(seat, _) => own(*seat),
            CourseEntry::Step(StepLine::Note(_) | StepLine::Void(_)) | CourseEntry::Unread(_) => {
                self.is_staff()
            }
            CourseEntry::Step(StepLine::Secret(..)) => open,
            CourseEntry::Step(StepLine::Board(_) | StepLine::Frame(_)) => false,
            CourseEntry::Step(_) | CourseEntry::Move(..) => true,
        }
    }

    /// The end of what an engine wrote to stderr in a game, if it may be shown and is not empty.
    pub(super) fn stderr(&self, seat: &SeatRecord, stderr: &[u8]) -> Option<String> {
        if !self.may_see(&seat.entrant) || stderr.is_empty() {
            return None;
        }
        let text = harmless(&stderr[stderr.len().saturating_sub(MOST_STDERR)..]);
        Some(text)
    }

    /// Whether the evidence of this seat is shown.
    pub(super) fn shows_evidence(&self, record: &GameRecord, seat: agon_seats::Seat) -> bool {
        let seat = &record.seats[seat];
        self.may_see(&seat.entrant) && seat.evidence.is_some()
    }
}

/// The most bytes of an engine's stderr on a page, from its end.
const MOST_STDERR: usize = 4000;
