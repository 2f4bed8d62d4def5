//! Ties: which of the entrants with equal points advance. Ties that matter are played off, and each
//! step is described in words.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use super::matches::{Match, Scores};
use super::pairings::board_seed;
use crate::points::{Amount, Points, Wdl};
use crate::settled::{SettledTie, TieStep};
use crate::tiebreaks::{Buchholz, TieBreak, TieSums, TieValues, direct};
use crate::withdrawals::{Absence, Successor};

/// The sums of a group in the matches of the format itself, without play-offs.
pub(super) struct TieTable {
    pub(super) members: Vec<usize>,
    points: Points,
    /// The place of each member in the lists below.
    places: HashMap<usize, usize>,
    own: Vec<Own>,
    met: BTreeMap<(usize, usize), Wdl>,
    /// Whether the share of points counts, because some play more games than others. The first
    /// members, this many, are then ahead of all others.
    leaders: Option<usize>,
    /// Whether games that were not played have no opponent, as in a Swiss. In a round robin they
    /// count as if they were played (FIDE C.07).
    is_swiss: bool,
}

/// The sums of one member.
#[derive(Clone, Default)]
struct Own {
    games: Wdl,
    byes: Vec<u64>,
    /// Its games that were not played, by match, as it sees them.
    unplayed: Vec<Wdl>,
    /// The games of each round in which it was not paired, after it had withdrawn.
    absent: Vec<u64>,
    /// The games of each round before it has joined.
    missed: Vec<u64>,
    /// 0 of one that plays, 1 of one that has withdrawn, which is behind those, and 2 of one in
    /// whose place another plays, which is behind all.
    behind: i64,
    black_wins: u64,
    faults: u64,
    time: Duration,
    rounds: BTreeMap<u32, Wdl>,
}

impl TieTable {
    pub(super) fn new(members: &[usize], points: Points) -> Self {
        TieTable {
            members: members.to_vec(),
            points,
            places: members.iter().copied().zip(0..).collect(),
            own: vec![Own::default(); members.len()],
            met: BTreeMap::new(),
            leaders: None,
            is_swiss: false,
        }
    }

    /// The same for a gauntlet: the first members lead it, and play more games than the others.
    pub(super) fn led_by(self, leaders: usize) -> Self {
        TieTable { leaders: Some(leaders), ..self }
    }

    /// The same for a Swiss.
    pub(super) fn of_swiss(self) -> Self {
        TieTable { is_swiss: true, ..self }
    }

    /// Ranks a member that has withdrawn behind all others, and one in whose place another plays
    /// behind these too.
    pub(super) fn put_behind(&mut self, one: &Absence) {
        let behind = if one.successor == Successor::Nobody { 1 } else { 2 };
        self.own[self.places[&one.entrant]].behind = behind;
    }

    /// Adds rounds of so many games in which a member that had withdrawn was not paired.
    pub(super) fn add_absent(&mut self, entrant: usize, rounds: u64, games: u32) {
        self.own[self.places[&entrant]].absent.extend((0..rounds).map(|_| u64::from(games)));
    }

    /// Adds rounds of so many games before a member has joined.
    pub(super) fn add_missed(&mut self, entrant: usize, rounds: u64, games: u32) {
        self.own[self.places[&entrant]].missed.extend((0..rounds).map(|_| u64::from(games)));
    }

    pub(super) fn add(&mut self, one: &Match, scores: &Scores) {
        let Some(score) = scores.get(&one.pairing.pairing) else { return };
        let place = |entrant: usize| self.places[&entrant];
        let (first, second) = (place(one.pairing.first), place(one.pairing.second));
        let (games, unplayed) = (score.games, score.unplayed.games);
        for (own, other, games, unplayed, at) in
            [(first, second, games, unplayed, 0), (second, first, games.reversed(), unplayed.reversed(), 1)]
        {
            let sums = &mut self.own[own];
            sums.games += games;
            if unplayed.games() > 0 {
                sums.unplayed.push(unplayed);
            }
            sums.black_wins += score.black_wins[at];
            sums.faults += score.faults[at];
            sums.time += score.times[at];
            *sums.rounds.entry(one.pairing.round).or_default() += games + unplayed;
            let met = if self.is_swiss { games } else { games + unplayed };
            if met.games() > 0 || score.unplayed.count() == 0 {
                *self.met.entry((own, other)).or_default() += met;
            }
        }
    }

    /// Adds games won without an opponent.
    pub(super) fn add_bye(&mut self, entrant: usize, games: u32) {
        self.own[self.places[&entrant]].byes.push(u64::from(games));
    }

    /// The numbers of all members for tie-breaks.
    fn values(&self) -> TieValues {
        let sums = self.members.iter().zip(&self.own).map(|(member, own)| TieSums {
            points: self.points_of(*member),
            most: Some(self.points.win() * self.total(*member).games()),
            games: own.games,
            byes: &own.byes,
            unplayed: if self.is_swiss { &own.unplayed } else { &[] },
            absent: &own.absent,
            missed: &own.missed,
            black_wins: own.black_wins,
            faults: own.faults,
            rounds: own.rounds.iter().map(|(round, games)| (*round, self.points.of(*games))).collect(),
        });
        TieValues::of(self.points, &sums.collect::<Vec<_>>(), &self.met)
    }

    /// Buchholz of each member.
    pub(super) fn buchholz(&self) -> Vec<Buchholz> {
        self.values().buchholz
    }

    /// The number that ranks a member: its points, or their share with nine digits.
    fn rated(&self, entrant: usize) -> i64 {
        let (points, games) = (self.points_of(entrant).thousandths(), self.total(entrant).games());
        let behind = self.own[self.places[&entrant]].behind;
        let Some(leaders) = self.leaders else { return points.saturating_sub(behind * BEHIND) };
        // Entrants without games come last, and leaders first.
        let share = i128::from(points) * 1_000_000_000 / i128::from(games.max(1));
        let share = if games == 0 { -1 } else { i64::try_from(share).unwrap_or(i64::MAX) };
        // A leader that has withdrawn stays ahead of the challengers.
        let ahead = if self.places[&entrant] < leaders { 3 } else { 0 };
        share.saturating_add((ahead - behind) * BEHIND)
    }

    /// How games came to a result that nobody played, in words; `None` if there are none.
    fn unplayed_words(&self) -> Option<String> {
        let unplayed: Wdl = self.own.iter().flat_map(|own| own.unplayed.iter().copied()).sum();
        // Each game is that of two.
        let half = Wdl { wins: unplayed.wins, draws: unplayed.draws / 2, losses: 0 };
        half.unplayed_words(self.own.iter().any(|own| own.games.games() > 0))
    }

    pub(super) fn points_of(&self, entrant: usize) -> Amount {
        self.points.of(self.total(entrant))
    }

    /// Its games and byes.
    fn total(&self, entrant: usize) -> Wdl {
        let own = &self.own[self.places[&entrant]];
        let byes = Wdl { wins: own.byes.iter().sum(), ..Wdl::default() };
        own.games + byes + own.unplayed.iter().copied().sum()
    }

    /// The points of one of these in the games among them; `None` unless all have met.
    fn direct(&self, of: usize, among: &[usize]) -> Option<Amount> {
        let among: Vec<usize> = among.iter().map(|entrant| self.places[entrant]).collect();
        direct(&self.met, self.places[&of], &among).map(|games| self.points.of(games))
    }

    /// The time that an entrant has thought.
    fn time(&self, entrant: usize) -> Duration {
        self.own[self.places[&entrant]].time
    }

    /// Whether it is a match of two, which must have a winner.
    fn is_match(&self) -> bool {
        self.members.len() == 2
    }
}

/// More than any share of points.
const BEHIND: i64 = 1_000_000_000_000_000;

/// Settles the ties of a group.
pub(super) struct Judge<'a, S> {
    pub(super) names: &'a [S],
    pub(super) table: &'a TieTable,
    /// The matches of the stage, with the play-offs of this group.
    pub(super) matches: &'a [Match],
    pub(super) scores: &'a Scores,
    pub(super) group: usize,
    /// The beginning of each sentence: `group A`.
    pub(super) title: String,
    /// The most play-offs of one tie.
    pub(super) play_offs: u32,
    /// The tie-breaks after them.
    pub(super) tiebreaks: &'a [TieBreak],
    pub(super) seed: u64,
}

/// A tie that must be played off.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Wanted {
    pub(super) group: usize,
    pub(super) members: Vec<usize>,
    pub(super) play_off: u32,
    /// Whether it is the last pair of a match, in which the time decides too.
    pub(super) is_deciding: bool,
}

/// Whether these words about a tie are those of a lot.
pub fn is_by_lot(words: &str) -> bool {
    words.contains(&format!(": {}: ", TieBreak::Lot.words()))
}

/// Entrants that are equal so far.
#[derive(Clone)]
struct Block {
    members: Vec<usize>,
    /// How many play-offs they have had.
    played: u32,
}

/// A step that separated some of these members.
type Separated = (Vec<usize>, TieStep);

/// The parts of a block, best first, with the words about each step and the one that has separated
/// them, if any has.
type Broken = (Vec<Block>, Vec<String>, Option<TieStep>);

/// The members of a group, the best first, with the words about each tie that mattered, and all
/// ties.
type Settled = (Vec<usize>, Vec<String>, Vec<SettledTie>);

impl<S: AsRef<str>> Judge<'_, S> {
    /// The members of the group, the best first, with how their ties were settled. A cut at 4
    /// separates the fourth from the fifth.
    ///
    /// # Errors
    /// Play-offs that must be played first.
    pub(super) fn settle(&self, cuts: &[usize]) -> Result<Settled, Vec<Wanted>> {
        let values = self.table.values();
        let mut blocks = self.by_points();
        let (mut words, mut wanted) = (Vec::new(), Vec::new());
        let mut steps: Vec<Separated> = Vec::new();
        for cut in cuts {
            while let Some((place, start)) = across(&blocks, *cut) {
                let block = &blocks[place];
                if block.played < self.most_play_offs() {
                    let play_off = block.played + 1;
                    let is_deciding = play_off > self.play_offs;
                    let Some(table) = self.played_off(&block.members, play_off) else {
                        let members = block.members.clone();
                        let tie = Wanted { group: self.group, members, play_off, is_deciding };
                        // Two cuts may go through one tie.
                        if !wanted.contains(&tie) {
                            wanted.push(tie);
                        }
                        break;
                    };
                    if block.played == 0 {
                        words.push(self.tied(block, start, *cut));
                    }
                    let what =
                        if is_deciding { "deciding pair".to_owned() } else { format!("play-off {play_off}") };
                    let points = |member: usize| table.points_of(member);
                    let unplayed = table.unplayed_words().map(|words| format!("; {words}"));
                    words.push(self.listed(&what, &block.members, points) + &unplayed.unwrap_or_default());
                    let mut parts = split(block, play_off, |member| points(member).thousandths());
                    let by = if is_deciding { format!("the {what}") } else { what.clone() };
                    let mut step = self.step(&by, &parts, |member| points(member).to_string());
                    if let Some(step) = &mut step {
                        step.unplayed = table.unplayed_words();
                    }
                    if is_deciding && parts.len() == 1 {
                        let (split, said) = self.by_time(block, play_off, &table);
                        words.push(said);
                        let by = format!("less thinking time in the {what}");
                        step = self.step(&by, &split, |member| millis(table.time(member)));
                        parts = split;
                    }
                    steps.extend(step.map(|step| (block.members.clone(), step)));
                    blocks.splice(place..=place, parts);
                } else {
                    let mut parts = vec![block.clone()];
                    let mut step = None;
                    if self.play_offs == 0 {
                        words.push(self.tied(block, start, *cut));
                        if self.table.is_match() {
                            let (split, said) = self.by_time(block, 0, self.table);
                            words.push(said);
                            let time = |member| millis(self.table.time(member));
                            step = self.step("less thinking time in the match", &split, time);
                            parts = split;
                        }
                    }
                    if parts.len() == 1 {
                        let (split, said, by) = self.broken(block, true, &values);
                        words.extend(said);
                        (parts, step) = (split, by);
                    }
                    steps.extend(step.map(|step| (block.members.clone(), step)));
                    blocks.splice(place..=place, parts);
                }
            }
        }
        if !wanted.is_empty() {
            return Err(wanted);
        }
        // Ties that do not matter are ordered too, for the draw of the next stage.
        while let Some(place) = blocks.iter().position(|block| block.members.len() > 1) {
            let (parts, said, step) = self.broken(&blocks[place], false, &values);
            // Nothing in the table shows why an entrant is ahead by lot.
            words.extend(said.into_iter().filter(|said| is_by_lot(said)));
            steps.extend(step.map(|step| (blocks[place].members.clone(), step)));
            blocks.splice(place..=place, parts);
        }
        let order: Vec<usize> = blocks.into_iter().flat_map(|block| block.members).collect();
        let ties = self.ties(&order, &steps, cuts);
        Ok((order, words, ties))
    }

    /// The ties by points, with the steps that settled each of them.
    fn ties(&self, order: &[usize], steps: &[Separated], cuts: &[usize]) -> Vec<SettledTie> {
        let (mut ties, mut start) = (Vec::new(), 0);
        for block in self.by_points() {
            let own = start..start + block.members.len();
            start = own.end;
            let of_block = steps.iter().filter(|(members, _)| block.members.contains(&members[0]));
            let steps: Vec<TieStep> = of_block.map(|(_, step)| step.clone()).collect();
            if steps.is_empty() {
                continue;
            }
            let points = |member: &usize| self.table.points_of(*member);
            let is_equal = block.members.iter().all(|member| points(member) == points(&block.members[0]));
            ties.push(SettledTie {
                title: self.title.clone(),
                names: order[own.clone()].iter().map(|member| self.name(*member)).collect(),
                points: is_equal.then(|| points(&block.members[0])),
                rank: own.start + 1,
                is_across_cut: cuts.iter().any(|cut| own.start < *cut && *cut < own.end),
                steps,
            });
        }
        ties
    }

    fn name(&self, member: usize) -> String {
        self.names[member].as_ref().to_owned()
    }

    /// The step that made these parts of a block; `None` if it has not separated it.
    fn step(&self, by: &str, parts: &[Block], number: impl Fn(usize) -> String) -> Option<TieStep> {
        let members = parts.iter().flat_map(|part| &part.members);
        let order = members.map(|member| (self.name(*member), number(*member))).collect();
        (parts.len() > 1).then(|| TieStep { by: by.to_owned(), order, unplayed: None })
    }

    /// The members by the results so far, the best first, each with its rank; equals share one.
    /// Nothing is drawn by lot.
    pub(super) fn so_far(&self) -> Vec<(usize, usize)> {
        let values = self.table.values();
        let mut order = Vec::new();
        for mut block in self.by_points() {
            block.members.sort_by_key(|member| self.names[*member].as_ref());
            let mut parts = vec![block];
            for tiebreak in self.tiebreaks {
                let split = |block: Block| match self.numbers(*tiebreak, &block.members, &values) {
                    Some(numbers) => split(&block, 0, |member| signed(*tiebreak, numbers[&member])),
                    None => vec![block],
                };
                parts = parts.into_iter().flat_map(split).collect();
            }
            for part in parts {
                let rank = order.len() + 1;
                order.extend(part.members.into_iter().map(|member| (member, rank)));
            }
        }
        order
    }

    fn by_points(&self) -> Vec<Block> {
        let all = Block { members: self.table.members.clone(), played: 0 };
        split(&all, 0, |member| self.table.rated(member))
    }

    /// The most play-offs of a tie. A match of two has one more: the deciding pair.
    fn most_play_offs(&self) -> u32 {
        self.play_offs + u32::from(self.table.is_match() && self.play_offs > 0)
    }

    /// The entrant that has thought less in these games is ahead.
    fn by_time(&self, block: &Block, played: u32, table: &TieTable) -> (Vec<Block>, String) {
        let micros = |member: usize| i64::try_from(table.time(member).as_micros()).unwrap_or(i64::MAX);
        let parts = split(block, played, |member| -micros(member));
        let told = parts
            .iter()
            .flat_map(|part| &part.members)
            .map(|member| format!("{} {}", self.names[*member].as_ref(), seconds(table.time(*member))));
        let told: Vec<String> = told.collect();
        (parts, format!("{}: thinking time, the least first: {}", self.title, told.join(", ")))
    }

    /// The sums of a play-off of these; `None` while it is not over.
    fn played_off(&self, members: &[usize], play_off: u32) -> Option<TieTable> {
        let mut table = TieTable::new(members, self.table.points);
        let among = |one: &&Match| {
            one.group == self.group
                && one.play_off == play_off
                && members.contains(&one.pairing.first)
                && members.contains(&one.pairing.second)
        };
        let mut count = 0;
        for one in self.matches.iter().filter(among) {
            if !one.is_over(self.scores) {
                return None;
            }
            table.add(one, self.scores);
            count += 1;
        }
        (count == members.len() * (members.len() - 1) / 2).then_some(table)
    }

    /// Separates them by the first tie-break that does. `decides` says whether an entrant advances
    /// by it.
    fn broken(&self, block: &Block, decides: bool, values: &TieValues) -> Broken {
        let mut words = Vec::new();
        // Something must decide.
        let lot = (!self.tiebreaks.contains(&TieBreak::Lot)).then_some(TieBreak::Lot);
        // Equals of a gauntlet stay equal where nothing depends on it.
        let last = |one: &TieBreak| matches!(one, TieBreak::FewestFaults | TieBreak::Lot);
        let matters = |one: &TieBreak| decides || self.table.leaders.is_none() || !last(one);
        for tiebreak in self.tiebreaks.iter().copied().chain(lot).filter(matters) {
            if tiebreak == TieBreak::Lot {
                let parts = split(block, block.played, |member| self.lot(member));
                let drawn: Vec<&str> = parts
                    .iter()
                    .flat_map(|part| &part.members)
                    .map(|member| self.names[*member].as_ref())
                    .collect();
                words.push(format!("{}: {}: {}", self.title, tiebreak.words(), drawn.join(" before ")));
                if parts.len() > 1 {
                    let step = self.step(tiebreak.words(), &parts, |_| String::new());
                    return (parts, words, step);
                }
                continue;
            }
            let Some(numbers) = self.numbers(tiebreak, &block.members, values) else {
                words.push(format!("{}: {}: not all of them have met", self.title, tiebreak.words()));
                continue;
            };
            let number = |member: usize| signed(tiebreak, numbers[&member]);
            let mut sorted = block.members.clone();
            sorted.sort_by_key(|member| std::cmp::Reverse(number(*member)));
            words.push(self.in_order(tiebreak.words(), &sorted, |member| numbers[&member]));
            let parts = split(block, block.played, number);
            if parts.len() > 1 {
                let step = self.step(tiebreak.decider(), &parts, |member| numbers[&member].to_string());
                return (parts, words, step);
            }
        }
        // Equals of a gauntlet, ordered by name; or two names with one lot, in the order of entry.
        let mut members = block.members.clone();
        if self.table.leaders.is_some() {
            members.sort_by_key(|member| self.names[*member].as_ref());
        }
        let one = |member: &usize| Block { members: vec![*member], played: block.played };
        (members.iter().map(one).collect(), words, None)
    }

    /// The numbers of the tied by a tie-break; `None` for lot, and for the direct encounter unless
    /// all of them have met.
    fn numbers(
        &self,
        tiebreak: TieBreak,
        tied: &[usize],
        values: &TieValues,
    ) -> Option<HashMap<usize, Amount>> {
        let number = |member: usize| match tiebreak {
            TieBreak::Direct => self.table.direct(member, tied),
            _ => values.value(tiebreak, self.table.places[&member]),
        };
        tied.iter().map(|member| Some((*member, number(*member)?))).collect()
    }

    fn lot(&self, member: usize) -> i64 {
        let drawn = board_seed(self.seed, self.names[member].as_ref(), "\u{0}lot", 1);
        i64::try_from(drawn).expect("a board's seed has 48 bits")
    }

    fn tied(&self, block: &Block, start: usize, cut: usize) -> String {
        let points = self.table.points_of(block.members[0]);
        if self.table.members.len() == 2 {
            return format!(
                "{}: {} are level with {} each",
                self.title,
                self.list(&block.members),
                points.counted()
            );
        }
        let open = cut - start;
        let places =
            if open == 1 { format!("place {cut}") } else { format!("places {} to {cut}", start + 1) };
        format!(
            "{}: {} have {} each and are tied for {places}",
            self.title,
            self.list(&block.members),
            points.counted()
        )
    }

    /// The members with their numbers, the greatest first.
    fn listed(&self, what: &str, members: &[usize], number: impl Fn(usize) -> Amount) -> String {
        let mut sorted = members.to_vec();
        sorted.sort_by_key(|member| std::cmp::Reverse(number(*member)));
        self.in_order(what, &sorted, number)
    }

    fn in_order(&self, what: &str, members: &[usize], number: impl Fn(usize) -> Amount) -> String {
        let told: Vec<String> = members
            .iter()
            .map(|member| format!("{} {}", self.names[*member].as_ref(), number(*member)))
            .collect();
        format!("{}: {what}: {}", self.title, told.join(", "))
    }

    fn list(&self, members: &[usize]) -> String {
        let names: Vec<&str> = members.iter().map(|member| self.names[*member].as_ref()).collect();
        match names.split_last() {
            Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
            _ => names.concat(),
        }
    }
}

fn millis(time: Duration) -> String {
    format!("{:.3} ms", 1000.0 * time.as_secs_f64())
}

fn seconds(time: Duration) -> String {
    format!("{:.6} s", time.as_secs_f64())
}

/// The number as an order: fewer faults are better; of all other numbers, more.
fn signed(tiebreak: TieBreak, number: Amount) -> i64 {
    let sign = if tiebreak == TieBreak::FewestFaults { -1 } else { 1 };
    sign * number.thousandths()
}

/// The block on both sides of a cut, and the index of its first member.
fn across(blocks: &[Block], cut: usize) -> Option<(usize, usize)> {
    let mut start = 0;
    for (place, block) in blocks.iter().enumerate() {
        let end = start + block.members.len();
        if start < cut && cut < end {
            return Some((place, start));
        }
        start = end;
    }
    None
}

/// Splits a block by a value, the greatest first; equals stay together.
fn split(block: &Block, played: u32, value: impl Fn(usize) -> i64) -> Vec<Block> {
    let mut members = block.members.clone();
    members.sort_by_key(|member| std::cmp::Reverse(value(*member)));
    members
        .chunk_by(|a, b| value(*a) == value(*b))
        .map(|part| Block { members: part.to_vec(), played })
        .collect()
}
