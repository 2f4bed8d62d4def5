//! What the pages show of one game, but for its moves. A server keeps it, because a game that is
//! stored does not change. So after a change of a long run, only its new games are read.

use std::collections::BTreeMap;

use agon_match::hosted::UNKNOWN;
use agon_record::reason::EndReason;
use agon_record::{GameRecord, Verdict};
use agon_seats::Seat;
use agon_standings::result::{Cause, GameId, Termination};

use super::swings::Swings;

/// A game as it was read.
pub(super) struct ReadGame {
    /// Its row; the numbers of the engines are filled in when the standings are known.
    pub(super) row: GameRow,
    /// Its engines, in order of play.
    pub(super) seats: Vec<ReadSeat>,
    /// What it tells of the machine.
    pub(super) machine: MachineFacts,
}

/// What a game says of one of its engines.
pub(super) struct ReadSeat {
    /// Its name.
    pub(super) entrant: String,
    /// Its time control.
    pub(super) control: String,
    /// The time of each of its moves in microseconds.
    pub(super) times: Vec<u32>,
    /// The fault by which it lost.
    pub(super) fault: Option<FaultRow>,
}

impl ReadGame {
    /// Takes from a record what the pages show.
    pub(super) fn of(record: &GameRecord) -> ReadGame {
        let seat = |(seat, own): (Seat, &agon_record::SeatRecord)| {
            // The plies of an opening took no time.
            let plies = record.plies.iter().filter(|ply| ply.seat == seat && !ply.time.is_zero());
            ReadSeat {
                entrant: own.entrant.clone(),
                control: own.time_control.clone(),
                times: plies.map(|ply| u32::try_from(ply.time.as_micros()).unwrap_or(u32::MAX)).collect(),
                fault: FaultRow::of(record, seat),
            }
        };
        let mut machine = MachineFacts::default();
        machine.add(record);
        ReadGame { row: GameRow::new(record), seats: record.seats.iter().map(seat).collect(), machine }
    }
}

/// A game that an engine lost by its own fault.
#[derive(Clone)]
pub(super) struct FaultRow {
    /// The index of the game in the list of games.
    pub(super) game: usize,
    /// The fault.
    pub(super) cause: Cause,
    /// Why, in words.
    pub(super) why: EndReason,
    /// The index of its ply.
    pub(super) ply: usize,
    /// The position, if agon knows it.
    pub(super) position: Option<String>,
}

/// A game as lists show it.
#[derive(Clone)]
pub(super) struct GameRow {
    /// Its number in the plan.
    pub(super) id: GameId,
    /// The number of each engine in the list of engines, in order of play.
    pub(super) seats: Vec<usize>,
    /// The place of each seat; empty in a void game.
    pub(super) places: Vec<u8>,
    /// Its result in the form of the game.
    pub(super) result: String,
    /// How it ended: `normal`, `time forfeit`.
    pub(super) termination: String,
    /// The seat whose fault ended it, and the fault.
    pub(super) forfeit: Option<(Seat, Cause)>,
    /// Why it ended.
    pub(super) reason: EndReason,
    /// How many plies it has.
    pub(super) plies: usize,
    /// How often the lead changed.
    pub(super) swings: Swings,
    /// When it ended, in milliseconds since 1970.
    pub(super) finished: i64,
}

/// How busy the machine was while the games were played.
#[derive(Clone, PartialEq, Default, Debug)]
pub(super) struct MachineFacts {
    /// The latest wake-up of the harness in a question, in microseconds.
    pub(super) worst_lateness: u64,
    /// Games in which some process waited for a processor in more than a tenth of the time.
    pub(super) crowded: u64,
    /// Games lost on time among those.
    pub(super) crowded_time_forfeits: u64,
    /// The highest load average.
    pub(super) highest_load: f64,
    /// Each level of isolation with its mechanisms, and in how many games it was in force.
    pub(super) isolation: BTreeMap<(String, Vec<String>), u64>,
    /// Each engine that played elsewhere, with its place and its level, and in how many games.
    pub(super) elsewhere: BTreeMap<[String; 3], u64>,
    /// When the first game began and the last one ended, in seconds since 1970.
    pub(super) span: Option<(i64, i64)>,
}

/// Above this share of waiting the machine, not an engine, may have been slow.
const CROWDED: f64 = 0.1;

impl FaultRow {
    /// The fault by which a seat lost the game; its place in the list is filled in later.
    fn of(record: &GameRecord, seat: Seat) -> Option<FaultRow> {
        record.decided().filter(|decided| decided.places[seat] > 1)?;
        let (cause, why) = record.fault_of(seat)?;
        Some(FaultRow {
            game: 0,
            cause,
            why,
            ply: record.seat_fault(seat).map_or(record.plies.len(), |own| own.ply),
            position: (record.last != UNKNOWN).then(|| record.last.clone()),
        })
    }
}

/// A result without the marks that say who has won: `14-8` of `14(W)-8(L)`. It stands where that is
/// said in another way.
pub(super) fn without_marks(result: &str) -> String {
    let mut parts = result.split('(');
    let first = parts.next().unwrap_or_default().to_owned();
    first + &parts.map(|part| part.split_once(')').map_or(part, |(_, rest)| rest)).collect::<String>()
}

impl GameRow {
    fn new(record: &GameRecord) -> GameRow {
        let (places, termination, forfeit, reason) = match &record.verdict {
            Verdict::Decided(decided) => (
                decided.places.values().to_vec(),
                decided.termination.to_string(),
                match decided.termination {
                    Termination::Forfeit(seat, cause) => Some((seat, cause)),
                    _ => None,
                },
                decided.reason.clone(),
            ),
            Verdict::Void { why } => (Vec::new(), "void".to_owned(), None, EndReason::Words(why.to_string())),
        };
        GameRow {
            id: record.id,
            seats: Vec::new(),
            places,
            result: record.result_text(),
            termination,
            forfeit,
            reason,
            plies: record.plies.len(),
            swings: Swings::of(record),
            finished: record.finished.timestamp_millis(),
        }
    }

    /// What the game was for one of its engines: 1 a win, 0 a draw, -1 a loss.
    pub(super) fn of(&self, engine: usize) -> i8 {
        let Some(seat) = self.seats.iter().position(|one| *one == engine) else { return 0 };
        let Some(place) = self.places.get(seat) else { return 0 };
        let first = self.places.iter().filter(|place| **place == 1).count();
        match (*place, first) {
            (1, 1) => 1,
            (1, _) => 0,
            _ => -1,
        }
    }
}

impl MachineFacts {
    fn add(&mut self, record: &GameRecord) {
        let lateness = record.seats.values().iter().map(|seat| seat.lateness).max().unwrap_or_default();
        self.worst_lateness =
            self.worst_lateness.max(u64::try_from(lateness.as_micros()).unwrap_or(u64::MAX));
        self.highest_load = self.highest_load.max(record.machine.load.unwrap_or(0.0));
        if record.machine.pressure.is_some_and(|share| share > CROWDED) {
            self.crowded += 1;
            let on_time = |termination| matches!(termination, Termination::Forfeit(_, Cause::TimeForfeit));
            if record.decided().is_some_and(|decided| on_time(decided.termination)) {
                self.crowded_time_forfeits += 1;
            }
        }
        if let Some(isolated) = &record.isolation {
            *self.isolation.entry((isolated.level.clone(), isolated.in_force.clone())).or_default() += 1;
        }
        for seat in record.seats.values() {
            if let Some(own) = &seat.elsewhere {
                let key = [&seat.entrant, own.place_or_elsewhere(), &own.isolation.level].map(str::to_owned);
                *self.elsewhere.entry(key).or_default() += 1;
            }
        }
        let (from, to) = (record.started.timestamp(), record.finished.timestamp());
        let (first, last) = self.span.unwrap_or((from, to));
        self.span = Some((first.min(from), last.max(to)));
    }

    /// Adds what other games tell.
    pub(super) fn merge(&mut self, other: &MachineFacts) {
        self.worst_lateness = self.worst_lateness.max(other.worst_lateness);
        self.crowded += other.crowded;
        self.crowded_time_forfeits += other.crowded_time_forfeits;
        self.highest_load = self.highest_load.max(other.highest_load);
        add_counts(&mut self.isolation, &other.isolation);
        add_counts(&mut self.elsewhere, &other.elsewhere);
        self.span = match (self.span, other.span) {
            (Some((first, last)), Some((from, to))) => Some((first.min(from), last.max(to))),
            (one, another) => one.or(another),
        };
    }
}

/// Adds counts to those of the same keys. Most games have a key that is known.
fn add_counts<K: Ord + Clone>(to: &mut BTreeMap<K, u64>, more: &BTreeMap<K, u64>) {
    for (key, count) in more {
        match to.get_mut(key) {
            Some(sum) => *sum += count,
            None => drop(to.insert(key.clone(), *count)),
        }
    }
}
