//! Standings: games in, tables out. A game costs the same to add whether it is the tenth or the
//! millionth, and the order of the games makes no difference.
//!
//! Written for any number of seats: a seat alone on first place has won, seats that share it have
//! drawn, all others have lost. Between two seats, the one with the better place has won.

pub mod table;

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use agon_seats::{PerSeat, Seat};

use crate::encounters::{self, Encounters};
use crate::plackett_luce::TableResult;
use crate::points::{Amount, Points, Wdl};
use crate::rating::Meeting;
use crate::result::{Cause, FinalResult, GameId, LEAST_SEATS, SeatStats, Termination};
use crate::scoring::{Earned, Finishes, Scoring};
use crate::tiebreaks::TieBreak;
use crate::versus::Encounter;

/// The sums of all games that count.
#[derive(Clone, Debug)]
pub struct Standings {
    scoring: Scoring,
    /// In the order of entry; `numbers` and `met` hold indexes into this list.
    entrants: Vec<Entrant>,
    numbers: HashMap<String, usize>,
    met: BTreeMap<(usize, usize), Wdl>,
    /// The two-seat games in `met` as pairs.
    encounters: Encounters,
    /// The two-seat games by the entrants on the first and second seat, as the first sees them, for
    /// ratings.
    seated: BTreeMap<(usize, usize), Wdl>,
    /// The games of more than two seats by the entrant and the place of each seat, for ratings.
    tables: BTreeMap<Vec<(usize, u8)>, u64>,
    voids: u64,
    for_nobody: u64,
    is_swiss: bool,
    tiebreaks: Vec<TieBreak>,
    /// What a stage adds to the table; nothing in a tournament without stages.
    stage: StageMarks,
    /// How many games were added by their points alone.
    plain: u32,
    /// The games of one entrant against another that were not played, as the first sees them.
    unplayed: BTreeMap<(usize, usize), Wdl>,
}

/// The groups, play-offs and leaders of a stage.
#[derive(Clone, Default, Debug)]
struct StageMarks {
    /// The group of each entrant, from 1.
    groups: HashMap<usize, usize>,
    /// The pairings that are play-offs.
    play_offs: HashSet<u32>,
    /// The leaders of a gauntlet, who are ahead of all others.
    leaders: HashSet<usize>,
    /// The order in its group and the rank of each entrant, if the stage says so.
    places: HashMap<usize, (usize, usize)>,
    /// The names of the groups.
    names: Vec<String>,
}

/// The groups of a stage as the standings need them.
#[derive(Clone, Default, Debug)]
pub struct StageGroups {
    /// The members of each group.
    pub groups: Vec<Vec<String>>,
    /// The name of each group: `group A`, `division 2`, `match for place 3`.
    pub names: Vec<String>,
    /// How many of the first members of each group lead a gauntlet.
    pub leaders: usize,
    /// The numbers of the pairings that are play-offs.
    pub play_offs: Vec<u32>,
}

#[derive(Clone, Debug)]
struct Entrant {
    name: String,
    tally: Tally,
    /// Its games by round, for the progressive score.
    rounds: BTreeMap<u32, Earned>,
    /// Its byes.
    byes: u64,
    /// Its games in play-offs, which are in no other number here.
    play_offs: Wdl,
    /// Those of them that were not played.
    unplayed_play_offs: Wdl,
    /// Its games that were not played, by pairing: forfeit wins and losses.
    unplayed: Vec<Wdl>,
    /// The games of each round in which a Swiss did not pair it, after it had withdrawn.
    absent: Vec<u64>,
    /// The games of each round of a Swiss before it has joined.
    missed: Vec<u64>,
    /// Whether it has withdrawn.
    has_withdrawn: bool,
}

impl Entrant {
    /// Its games and byes, which make up its points.
    fn with_byes(&self, scoring: Scoring) -> Earned {
        let byes = Wdl { wins: scoring.byes(self.byes), ..Wdl::default() };
        Earned {
            games: self.tally.total() + byes + self.unplayed.iter().copied().sum(),
            finishes: self.tally.finishes.clone(),
            score: self.tally.score_for,
        }
    }
}

/// The sums of one entrant.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Its games by seat, the first seat first; shorter if it has not had the last seats.
    pub seats: Vec<Wdl>,
    /// Its places in games of more than two seats, and in all games if points are by place.
    pub finishes: Finishes,
    /// The sum of its scores, in the game's own unit.
    pub score_for: i64,
    /// The sum of its opponents' scores.
    pub score_against: i64,
    /// Its losses by termination.
    pub losses: Losses,
    /// Games it won by a fault of an opponent.
    pub won_by_forfeit: u64,
    /// The number of its moves.
    pub plies: u64,
    /// The time of those moves.
    pub time: Duration,
    /// The time of its longest answer.
    pub longest: Duration,
    /// Void attempts at its games, whether the game was played again or not.
    pub voids: u64,
}

impl Tally {
    /// Its games on all seats.
    pub fn total(&self) -> Wdl {
        self.seats.iter().copied().sum()
    }

    /// Its games on this seat.
    pub fn on(&self, seat: Seat) -> Wdl {
        self.seats.get(seat.index()).copied().unwrap_or_default()
    }

    /// Its games won with a seat other than the first.
    pub fn black_wins(&self) -> u64 {
        self.seats.iter().skip(1).map(|games| games.wins).sum()
    }

    /// The average time of a move; `None` before the first one.
    pub fn average(&self) -> Option<Duration> {
        let nanos = self.time.as_nanos().checked_div(u128::from(self.plies))?;
        Some(Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX)))
    }
}

/// Lost games by termination.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Losses {
    /// By the rules of the game.
    pub normal: u64,
    /// By a rule of the match, or by a decision of the organiser.
    pub adjudication: u64,
    /// By a fault.
    pub faults: BTreeMap<Cause, u64>,
}

impl Losses {
    /// The number of games lost by this fault.
    pub fn by(&self, cause: Cause) -> u64 {
        self.faults.get(&cause).copied().unwrap_or(0)
    }

    /// The number of games lost by any fault.
    pub fn forfeits(&self) -> u64 {
        self.faults.values().sum()
    }

    fn add(&mut self, own_fault: Option<Cause>, termination: Termination) {
        match (own_fault, termination) {
            (Some(cause), _) => *self.faults.entry(cause).or_default() += 1,
            (None, Termination::Adjudication | Termination::Decision) => self.adjudication += 1,
            (None, Termination::Normal | Termination::Resignation(_) | Termination::Forfeit(..)) => {
                self.normal += 1;
            }
        }
    }
}

impl Standings {
    /// Standings without games. These entrants are listed from the start; others are entered with
    /// their first game.
    pub fn new<S: Into<String>>(scoring: impl Into<Scoring>, entrants: impl IntoIterator<Item = S>) -> Self {
        let mut standings = Standings {
            scoring: scoring.into(),
            entrants: Vec::new(),
            numbers: HashMap::new(),
            met: BTreeMap::new(),
            encounters: Encounters::default(),
            seated: BTreeMap::new(),
            tables: BTreeMap::new(),
            voids: 0,
            for_nobody: 0,
            is_swiss: false,
            tiebreaks: TieBreak::USUAL.to_vec(),
            stage: StageMarks::default(),
            plain: 0,
            unplayed: BTreeMap::new(),
        };
        for name in entrants {
            standings.number(&name.into());
        }
        standings
    }

    /// How points follow from games.
    pub fn scoring(&self) -> Scoring {
        self.scoring
    }

    /// The points of one entrant against another, as [`Scoring::between_two`] defines them.
    pub fn points(&self) -> Points {
        self.scoring.between_two()
    }

    /// The points of this entrant per game, to a thousandth; `None` before its first game. It
    /// compares entrants of which some have paused, as [`crate::tables::swiss_tables`] needs.
    pub fn points_per_game(&self, entrant: &str) -> Option<Amount> {
        let earned = self.entrants[*self.numbers.get(entrant)?].with_byes(self.scoring);
        let games = i64::try_from(earned.games.games()).ok().filter(|games| *games > 0)?;
        let points = self.scoring.of(&earned).thousandths();
        Some(Amount::of_thousandths((points + games / 2).div_euclid(games)))
    }

    /// Makes it the standings of a Swiss, with the number of byes of each entrant: games won
    /// without an opponent, which count only for points.
    pub fn swiss<S: AsRef<str>>(&mut self, byes: impl IntoIterator<Item = (S, u64)>) {
        self.is_swiss = true;
        for (name, games) in byes {
            let number = self.number(name.as_ref());
            self.entrants[number].byes = games;
        }
    }

    /// Adds the games of a pairing of two that are not played, as the first sees them: forfeit wins
    /// and losses. They count for points, and for no rating.
    pub fn add_unplayed(&mut self, id: GameId, names: [&str; 2], games: Wdl) {
        let [first, second] = names.map(|name| self.number(name));
        for (own, other, games) in [(first, second, games), (second, first, games.reversed())] {
            if self.stage.play_offs.contains(&id.pairing) {
                self.entrants[own].play_offs += games;
                self.entrants[own].unplayed_play_offs += games;
                continue;
            }
            self.entrants[own].unplayed.push(games);
            self.entrants[own].rounds.entry(id.round).or_default().games += games;
            *self.unplayed.entry((own, other)).or_default() += games;
        }
    }

    /// Notes that an entrant has withdrawn: it is behind all others of its group. A Swiss has not
    /// paired it in rounds with so many games each.
    pub fn withdraw(&mut self, entrant: &str, absent: Vec<u64>) {
        let number = self.number(entrant);
        self.entrants[number].has_withdrawn = true;
        self.entrants[number].absent = absent;
    }

    /// Notes the rounds of a Swiss, with so many games each, before an entrant has joined.
    pub fn join_late(&mut self, entrant: &str, missed: Vec<u64>) {
        let number = self.number(entrant);
        self.entrants[number].missed = missed;
    }

    /// Ranks entrants with equal points by these tie-breaks, in their order.
    pub fn break_ties(&mut self, tiebreaks: &[TieBreak]) {
        self.tiebreaks = tiebreaks.to_vec();
    }

    /// The tie-breaks, in their order.
    pub fn tiebreaks(&self) -> &[TieBreak] {
        &self.tiebreaks
    }

    /// Makes it the standings of a stage: each group is ranked alone, and games of play-offs count
    /// apart. Called before games are added.
    pub fn of_stage(&mut self, stage: &StageGroups) {
        let mut marks =
            StageMarks { play_offs: stage.play_offs.iter().copied().collect(), ..StageMarks::default() };
        marks.names.clone_from(&stage.names);
        for (group, members) in (1..).zip(&stage.groups) {
            for (place, name) in members.iter().enumerate() {
                let number = self.number(name);
                marks.groups.insert(number, group);
                if place < stage.leaders {
                    marks.leaders.insert(number);
                }
            }
        }
        self.stage = marks;
    }

    /// Gives each entrant of a stage its rank: the members of each group in their order, each with
    /// its rank.
    pub fn place<S: AsRef<str>>(&mut self, orders: &[Vec<(S, usize)>]) {
        for order in orders {
            for (at, (name, rank)) in order.iter().enumerate() {
                let number = self.number(name.as_ref());
                self.stage.places.insert(number, (at, *rank));
            }
        }
    }

    /// Whether this pairing is a play-off, which counts apart.
    pub fn is_play_off(&self, pairing: u32) -> bool {
        self.stage.play_offs.contains(&pairing)
    }

    /// Whether there are play-offs.
    pub fn has_play_offs(&self) -> bool {
        !self.stage.play_offs.is_empty()
    }

    /// The number of void games. They count for nobody.
    pub fn voids(&self) -> u64 {
        self.voids
    }

    /// How many games were played and count for nobody: the organiser has decided so, or an engine
    /// has withdrawn.
    pub fn for_nobody(&self) -> u64 {
        self.for_nobody
    }

    /// Adds a game that was played and counts for nobody.
    pub fn add_for_nobody(&mut self) {
        self.for_nobody += 1;
    }

    /// The sums of this entrant, if it was entered.
    pub fn tally(&self, entrant: &str) -> Option<&Tally> {
        self.numbers.get(entrant).map(|number| &self.entrants[*number].tally)
    }

    /// The games of one entrant against another, as the first of them sees it.
    pub fn between(&self, one: &str, other: &str) -> Wdl {
        match (self.numbers.get(one), self.numbers.get(other)) {
            (Some(one), Some(other)) => self.encounter(*one, *other),
            _ => Wdl::default(),
        }
    }

    /// The two-seat games of two entrants with their pairs, as the first of them sees them.
    pub fn encounter_of(&self, one: &str, other: &str) -> Encounter {
        match (self.numbers.get(one), self.numbers.get(other)) {
            (Some(one), Some(other)) => self.encounters.between(*one, *other),
            _ => Encounter::default(),
        }
    }

    /// The two-seat games of an entrant against all others, without play-offs.
    pub fn field_of(&self, entrant: &str) -> Encounter {
        self.numbers.get(entrant).map(|number| self.encounters.of(*number)).unwrap_or_default()
    }

    /// Adds a void attempt at a game: it counts for nobody, but is shown with each of its entrants.
    pub fn add_void<'a>(&mut self, entrants: impl IntoIterator<Item = &'a str>) {
        self.voids += 1;
        entrants.into_iter().for_each(|entrant| self.add_voids(entrant, 1));
    }

    /// Adds a number of void attempts to this entrant.
    pub fn add_voids(&mut self, entrant: &str, attempts: u64) {
        let number = self.number(entrant);
        self.entrants[number].tally.voids += attempts;
    }

    /// Adds a game that counts, with a place, a score and a name for each seat.
    pub fn add_decided<S: AsRef<str>>(
        &mut self,
        id: GameId,
        seats: &PerSeat<SeatStats<S>>,
        decided: &FinalResult,
    ) {
        let numbers = seats.map(|_, seat| self.number(seat.entrant.as_ref()));
        if let [first, second] = *numbers.values()
            && first != second
        {
            add_place(self.seated.entry((first, second)).or_default(), decided, Seat::FIRST);
        }
        if numbers.len() > LEAST_SEATS {
            let places = numbers.iter().map(|(seat, number)| (*number, decided.places[seat]));
            *self.tables.entry(places.collect()).or_default() += 1;
        }
        if self.stage.play_offs.contains(&id.pairing) {
            for (seat, number) in numbers.iter() {
                add_place(&mut self.entrants[*number].play_offs, decided, seat);
            }
            return;
        }
        if let [first, second] = *numbers.values()
            && first != second
        {
            let halves = encounters::halves([decided.places[Seat::FIRST], decided.places[Seat::SECOND]]);
            self.encounters.add((id.pairing, id.game), [first, second], halves);
        }
        let by_place = self.scoring.by_place(numbers.len());
        let everybody: i64 = decided.scores.values().iter().copied().map(i64::from).sum();
        for (seat, number) in numbers.iter() {
            let own = i64::from(decided.scores[seat]);
            let tally = &mut self.entrants[*number].tally;
            tally.score_for += own;
            tally.score_against += everybody - own;
            tally.longest = tally.longest.max(seats[seat].longest);
            tally.plies += seats[seat].plies;
            tally.time += seats[seat].time;
            tally.add_result(seat, decided, seats[seat].fault);
            let round = self.entrants[*number].rounds.entry(id.round).or_default();
            add_place(&mut round.games, decided, seat);
            round.score += own;
            if by_place {
                let place = decided.places[seat];
                let sharing = decided.places.values().iter().filter(|other| **other == place).count();
                let sharing = u8::try_from(sharing).unwrap_or(u8::MAX);
                round.finishes.add(place, sharing);
                self.entrants[*number].tally.finishes.add(place, sharing);
            }
            for (opponent, other) in numbers.iter().filter(|(_, other)| *other != number) {
                let encounter = self.met.entry((*number, *other)).or_default();
                match decided.places[seat].cmp(&decided.places[opponent]) {
                    Ordering::Less => encounter.wins += 1,
                    Ordering::Equal => encounter.draws += 1,
                    Ordering::Greater => encounter.losses += 1,
                }
            }
        }
    }

    /// Adds the contents of another table, as if its rounds followed those here.
    pub fn include(&mut self, other: &Standings) {
        let rounds = self.entrants.iter().filter_map(|entrant| entrant.rounds.keys().next_back());
        let start = rounds.max().copied().unwrap_or(0);
        let numbers: Vec<usize> = other.entrants.iter().map(|entrant| self.number(&entrant.name)).collect();
        for (entrant, number) in other.entrants.iter().zip(&numbers) {
            let own = &mut self.entrants[*number];
            own.tally.include(&entrant.tally);
            own.byes += entrant.byes;
            own.play_offs += entrant.play_offs;
            own.unplayed_play_offs += entrant.unplayed_play_offs;
            own.unplayed.extend(&entrant.unplayed);
            own.absent.extend(&entrant.absent);
            own.missed.extend(&entrant.missed);
            own.has_withdrawn |= entrant.has_withdrawn;
            for (round, games) in &entrant.rounds {
                own.rounds.entry(start + round).or_default().include(games);
            }
        }
        for (mine, theirs) in [
            (&mut self.met, &other.met),
            (&mut self.seated, &other.seated),
            (&mut self.unplayed, &other.unplayed),
        ] {
            for ((one, other), games) in theirs {
                *mine.entry((numbers[*one], numbers[*other])).or_default() += *games;
            }
        }
        self.encounters.include(&other.encounters, &numbers);
        for (seats, games) in &other.tables {
            let seats = seats.iter().map(|(entrant, place)| (numbers[*entrant], *place));
            *self.tables.entry(seats.collect()).or_default() += games;
        }
        self.voids += other.voids;
        self.for_nobody += other.for_nobody;
        self.is_swiss |= other.is_swiss;
    }

    /// The number of the next game that is added by its points alone, from 1.
    pub(crate) fn next_plain(&mut self) -> u32 {
        self.plain += 1;
        self.plain
    }

    fn number(&mut self, name: &str) -> usize {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.entrants.len();
        self.entrants.push(Entrant {
            name: name.to_owned(),
            tally: Tally::default(),
            rounds: BTreeMap::new(),
            byes: 0,
            play_offs: Wdl::default(),
            unplayed_play_offs: Wdl::default(),
            unplayed: Vec::new(),
            absent: Vec::new(),
            missed: Vec::new(),
            has_withdrawn: false,
        });
        self.numbers.insert(name.to_owned(), number);
        number
    }

    /// The names of all entrants, in the order of entry.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entrants.iter().map(|entrant| entrant.name.as_str())
    }

    /// The two-seat games by the entrants on the first and second seat, for
    /// [`crate::rating::Ratings::fit`]. The numbers are indexes into [`Standings::names`]. Games of
    /// more than two seats are left out.
    pub fn meetings(&self) -> Vec<Meeting> {
        let meeting = |((first, second), games): (&(usize, usize), &Wdl)| Meeting {
            first: *first,
            second: *second,
            games: *games,
        };
        self.seated.iter().map(meeting).collect()
    }

    /// The games of more than two seats, for [`crate::plackett_luce::TableRatings::fit`]. The
    /// numbers are indexes into [`Standings::names`].
    pub fn table_results(&self) -> Vec<TableResult> {
        let result =
            |(seats, games): (&Vec<(usize, u8)>, &u64)| TableResult { seats: seats.clone(), games: *games };
        self.tables.iter().map(result).collect()
    }

    /// Whether a game has more than two seats.
    pub fn has_tables(&self) -> bool {
        !self.tables.is_empty()
    }

    fn encounter(&self, one: usize, other: usize) -> Wdl {
        self.met.get(&(one, other)).copied().unwrap_or_default()
    }
}

/// Counts a game by the place of this seat.
fn add_place(games: &mut Wdl, decided: &FinalResult, seat: Seat) {
    let best = decided.places.values().iter().filter(|place| **place == 1).count();
    match (decided.places[seat], best) {
        (1, 1) => games.wins += 1,
        (1, _) => games.draws += 1,
        _ => games.losses += 1,
    }
}

impl Tally {
    fn include(&mut self, other: &Tally) {
        let seats = self.seats.len().max(other.seats.len());
        self.seats.resize(seats, Wdl::default());
        self.seats.iter_mut().zip(&other.seats).for_each(|(own, more)| *own += *more);
        self.finishes.include(&other.finishes);
        self.score_for += other.score_for;
        self.score_against += other.score_against;
        self.losses.normal += other.losses.normal;
        self.losses.adjudication += other.losses.adjudication;
        for (cause, games) in &other.losses.faults {
            *self.losses.faults.entry(*cause).or_default() += games;
        }
        self.won_by_forfeit += other.won_by_forfeit;
        self.plies += other.plies;
        self.time += other.time;
        self.longest = self.longest.max(other.longest);
        self.voids += other.voids;
    }

    fn add_result(&mut self, seat: Seat, decided: &FinalResult, own_fault: Option<Cause>) {
        if self.seats.len() <= seat.index() {
            self.seats.resize(seat.index() + 1, Wdl::default());
        }
        let best = decided.places.values().iter().filter(|place| **place == 1).count();
        let games = &mut self.seats[seat.index()];
        match (decided.places[seat], best) {
            (1, 1) => {
                games.wins += 1;
                if decided.termination.forfeited().is_some() {
                    self.won_by_forfeit += 1;
                }
            }
            (1, _) => games.draws += 1,
            _ => {
                games.losses += 1;
                self.losses.add(own_fault, decided.termination);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{Sample, ended_by, game, void};
    use agon_seats::PerSeat;

    fn fed(records: &[Sample]) -> Standings {
        let mut standings = Standings::new(Points::default(), ["alpha", "bravo"]);
        records.iter().for_each(|record| standings.note(record));
        standings
    }

    #[test]
    fn games_count_by_seat_and_by_opponent() {
        let standings = fed(&[
            game("alpha", "bravo", "1-0"),
            game("bravo", "alpha", "0-1"),
            game("alpha", "charlie", "1/2-1/2"),
        ]);
        let alpha = standings.tally("alpha").unwrap();
        assert_eq!(alpha.on(Seat::FIRST), Wdl { wins: 1, draws: 1, losses: 0 });
        assert_eq!(alpha.on(Seat::SECOND), Wdl { wins: 1, draws: 0, losses: 0 });
        assert_eq!(alpha.total().games(), 3);
        assert_eq!((alpha.score_for, alpha.score_against), (12 + 8 + 5, 9 + 3 + 5));
        assert_eq!(standings.between("alpha", "bravo").to_string(), "2-0-0");
        assert_eq!(standings.between("charlie", "alpha").to_string(), "0-1-0");
        assert_eq!(standings.between("charlie", "nobody").games(), 0);
    }

    #[test]
    fn a_void_game_counts_for_nobody_and_is_noted_for_both() {
        let spoilt = || void(game("alpha", "bravo", "1-0"));
        let standings = fed(&[spoilt(), spoilt()]);
        assert_eq!(standings.voids(), 2);
        for entrant in ["alpha", "bravo"] {
            assert_eq!(standings.tally(entrant), Some(&Tally { voids: 2, ..Tally::default() }));
        }
    }

    #[test]
    fn losses_are_told_apart_by_whose_fault_they_were() {
        let fault = Termination::Forfeit(Seat::FIRST, Cause::Crash);
        let standings = fed(&[
            ended_by(game("alpha", "bravo", "0-1"), fault),
            ended_by(game("alpha", "bravo", "0-1"), Termination::Adjudication),
            game("alpha", "bravo", "0-1"),
        ]);
        let alpha = &standings.tally("alpha").unwrap().losses;
        assert_eq!((alpha.normal, alpha.adjudication, alpha.by(Cause::Crash)), (1, 1, 1));
        assert_eq!((alpha.forfeits(), alpha.by(Cause::Protocol)), (1, 0));
        assert_eq!(standings.tally("bravo").unwrap().won_by_forfeit, 1);
    }

    #[test]
    fn two_tables_together_are_the_table_of_all_games() {
        let fault = Termination::Forfeit(Seat::FIRST, Cause::Crash);
        let mut later = [
            game("alpha", "charlie", "1-0"),
            ended_by(game("alpha", "bravo", "0-1"), fault),
            void(game("alpha", "bravo", "1-0")),
        ];
        let first = [game("alpha", "bravo", "1-0"), game("bravo", "alpha", "1/2-1/2")];
        let mut together = fed(&first);
        together.include(&fed(&later));
        later.iter_mut().for_each(|record| record.round = 2);
        let all = fed(&[&first[..], &later[..]].concat());
        assert_eq!(together.table(), all.table());
        assert_eq!(together.crosstable(), all.crosstable());
        assert_eq!((together.meetings(), together.voids()), (all.meetings(), all.voids()));
    }

    #[test]
    fn times_are_those_of_ones_own_moves() {
        let standings = fed(&[game("alpha", "bravo", "1-0")]);
        let alpha = standings.tally("alpha").unwrap();
        assert_eq!(alpha.average(), Some(Duration::from_millis(15)));
        assert_eq!((alpha.plies, alpha.longest), (2, Duration::from_micros(20_500)));
        assert_eq!(standings.tally("bravo").unwrap().average(), Some(Duration::from_millis(1)));
        assert_eq!(Tally::default().average(), None);
    }

    #[test]
    fn of_three_seats_the_shared_first_place_is_a_draw() {
        let mut record = game("alpha", "bravo", "1-0");
        record.seats = PerSeat::from(
            ["alpha", "bravo", "charlie"].map(|name| crate::sample::seat(name, 1, 1, 1)).to_vec(),
        );
        if let Some(decided) = &mut record.decided {
            decided.places = PerSeat::from(vec![1, 3, 1]);
            decided.scores = PerSeat::from(vec![7, 1, 7]);
        }
        let standings = fed(&[record]);
        assert_eq!(standings.tally("charlie").unwrap().on(Seat::new(2)).to_string(), "0-1-0");
        assert_eq!(standings.between("alpha", "bravo").to_string(), "1-0-0");
        assert_eq!(standings.between("alpha", "charlie").to_string(), "0-1-0");
        assert_eq!(standings.tally("bravo").unwrap().score_against, 14);
    }

    #[test]
    fn an_engine_that_plays_itself_meets_nobody() {
        let standings = fed(&[game("alpha", "alpha", "1-0")]);
        assert_eq!(standings.tally("alpha").unwrap().total().to_string(), "1-0-1");
        assert_eq!(standings.between("alpha", "alpha").games(), 0);
    }
}
