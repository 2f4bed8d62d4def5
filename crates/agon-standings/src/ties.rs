//! Ties: which of the entrants with equal points advance. Ties that matter are played off, and each
//! step is described in words.

use std::collections::HashMap;

use super::matches::{Match, Scores};
use super::pairings::board_seed;
use crate::points::{Amount, Points, Wdl};

/// The sums of a group in the matches of the format itself, without play-offs.
pub(super) struct TieTable {
    pub(super) members: Vec<usize>,
    pub(super) points: Points,
    totals: HashMap<usize, Wdl>,
    met: HashMap<(usize, usize), Wdl>,
    forfeits: HashMap<usize, u64>,
    /// Whether the share of points counts, because some play more games than others. Tie-breaks are
    /// then those of `standings.csv`.
    by_share: bool,
}

impl TieTable {
    pub(super) fn new(members: &[usize], points: Points) -> Self {
        TieTable {
            members: members.to_vec(),
            points,
            totals: HashMap::new(),
            met: HashMap::new(),
            forfeits: HashMap::new(),
            by_share: false,
        }
    }

    /// The same, for members of whom some play more games than others.
    pub(super) fn by_share(self) -> Self {
        TieTable { by_share: true, ..self }
    }

    pub(super) fn add(&mut self, one: &Match, scores: &Scores) {
        let Some(score) = scores.get(&one.pairing.pairing) else { return };
        let (first, second) = (one.pairing.first, one.pairing.second);
        let sides = [
            (first, second, score.games, score.faults_of_first),
            (second, first, score.games.reversed(), score.faults_of_second),
        ];
        for (own, other, games, faults) in sides {
            *self.totals.entry(own).or_default() += games;
            *self.met.entry((own, other)).or_default() += games;
            *self.forfeits.entry(own).or_default() += faults;
        }
    }

    /// Adds games won without an opponent.
    pub(super) fn add_bye(&mut self, entrant: usize, games: u32) {
        self.totals.entry(entrant).or_default().wins += u64::from(games);
    }

    /// The number that ranks a member: its points, or their share with nine digits.
    fn rated(&self, entrant: usize) -> i64 {
        let (points, games) = (self.points_of(entrant).thousandths(), self.total(entrant).games());
        if !self.by_share {
            return points;
        }
        // Entrants without games come last.
        let share = i128::from(points) * 1_000_000_000 / i128::from(games.max(1));
        if games == 0 { -1 } else { i64::try_from(share).unwrap_or(i64::MAX) }
    }

    pub(super) fn points_of(&self, entrant: usize) -> Amount {
        self.points.of(self.total(entrant))
    }

    fn total(&self, entrant: usize) -> Wdl {
        self.totals.get(&entrant).copied().unwrap_or_default()
    }

    /// The points of one of these in the games among them; `None` unless all have met.
    fn direct(&self, of: usize, among: &[usize]) -> Option<Amount> {
        let others = among.iter().filter(|other| **other != of);
        others.map(|other| self.met.get(&(of, *other)).map(|games| self.points.of(*games))).sum()
    }

    fn sonneborn_berger(&self, of: usize) -> Amount {
        let own = self.met.iter().filter(|((one, _), _)| *one == of);
        own.map(|((_, other), games)| self.points_of(*other) * (2 * games.wins + games.draws))
            .sum::<Amount>()
            .half()
    }
}

/// A tie-break after the play-offs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Breaker {
    Direct,
    SonnebornBerger,
    Wins,
    Forfeits,
    Lot,
}

impl Breaker {
    const ALL: [Breaker; 5] =
        [Breaker::Direct, Breaker::SonnebornBerger, Breaker::Wins, Breaker::Forfeits, Breaker::Lot];

    /// In the order of `standings.csv`, before lot.
    const OF_STANDINGS: [Breaker; 5] =
        [Breaker::Direct, Breaker::Wins, Breaker::SonnebornBerger, Breaker::Forfeits, Breaker::Lot];

    /// How many of them `standings.csv` has; it leaves the rest equal, ordered by name.
    const IN_STANDINGS: usize = 3;

    fn name(self) -> &'static str {
        match self {
            Breaker::Direct => "direct encounter",
            Breaker::SonnebornBerger => "Sonneborn-Berger",
            Breaker::Wins => "games won",
            Breaker::Forfeits => "games lost by a fault, the fewest first",
            Breaker::Lot => "lot",
        }
    }
}

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
    pub(super) seed: u64,
}

/// A tie that must be played off.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Wanted {
    pub(super) group: usize,
    pub(super) members: Vec<usize>,
    pub(super) play_off: u32,
}

/// Entrants that are equal so far.
#[derive(Clone)]
struct Block {
    members: Vec<usize>,
    /// How many play-offs they have had.
    played: u32,
}

impl<S: AsRef<str>> Judge<'_, S> {
    /// The members of the group, the best first, with the words about each tie that mattered. A cut
    /// at 4 separates the fourth from the fifth.
    ///
    /// # Errors
    /// Play-offs that must be played first.
    pub(super) fn settle(&self, cuts: &[usize]) -> Result<(Vec<usize>, Vec<String>), Vec<Wanted>> {
        let all = Block { members: self.table.members.clone(), played: 0 };
        let mut blocks = split(&all, 0, |member| self.table.rated(member));
        let (mut words, mut wanted) = (Vec::new(), Vec::new());
        for cut in cuts {
            while let Some((place, start)) = across(&blocks, *cut) {
                let block = &blocks[place];
                if block.played < self.play_offs {
                    let play_off = block.played + 1;
                    let Some(points) = self.played_off(&block.members, play_off) else {
                        let members = block.members.clone();
                        let tie = Wanted { group: self.group, members, play_off };
                        // Two cuts may go through one tie.
                        if !wanted.contains(&tie) {
                            wanted.push(tie);
                        }
                        break;
                    };
                    if block.played == 0 {
                        words.push(self.tied(block, start, *cut));
                    }
                    words.push(self.step(&format!("play-off {play_off}"), &block.members, &points));
                    let parts = split(block, play_off, |member| points[&member].thousandths());
                    blocks.splice(place..=place, parts);
                } else {
                    if self.play_offs == 0 {
                        words.push(self.tied(block, start, *cut));
                    }
                    let (parts, said) = self.broken(block, true);
                    words.extend(said);
                    blocks.splice(place..=place, parts);
                }
            }
        }
        if !wanted.is_empty() {
            return Err(wanted);
        }
        // Ties that do not matter are ordered too, for the draw of the next stage.
        while let Some(place) = blocks.iter().position(|block| block.members.len() > 1) {
            let (parts, _) = self.broken(&blocks[place], false);
            blocks.splice(place..=place, parts);
        }
        Ok((blocks.into_iter().flat_map(|block| block.members).collect(), words))
    }

    /// The points of each in a play-off of these; `None` while it is not over.
    fn played_off(&self, members: &[usize], play_off: u32) -> Option<HashMap<usize, Amount>> {
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
        (count == members.len() * (members.len() - 1) / 2)
            .then(|| members.iter().map(|member| (*member, table.points_of(*member))).collect())
    }

    /// The first tie-break that separates them, and its words. `decides` says whether an entrant
    /// advances by it.
    fn broken(&self, block: &Block, decides: bool) -> (Vec<Block>, Vec<String>) {
        let mut words = Vec::new();
        let breakers = match (self.table.by_share, decides) {
            (true, true) => &Breaker::OF_STANDINGS[..],
            (true, false) => &Breaker::OF_STANDINGS[..Breaker::IN_STANDINGS],
            (false, _) => &Breaker::ALL[..],
        };
        for breaker in breakers.iter().copied() {
            let values: Option<HashMap<usize, Amount>> = block
                .members
                .iter()
                .map(|member| Some((*member, self.value(breaker, *member, &block.members)?)))
                .collect();
            let Some(values) = values else {
                words.push(format!("{}: {}: not all of them have met", self.title, breaker.name()));
                continue;
            };
            words.push(self.step(breaker.name(), &block.members, &values));
            // Fewer faults are better; of all other numbers, more.
            let sign = if breaker == Breaker::Forfeits { -1 } else { 1 };
            let parts = if breaker == Breaker::Lot {
                split(block, block.played, |member| self.lot(member))
            } else {
                split(block, block.played, |member| sign * values[&member].thousandths())
            };
            if parts.len() > 1 {
                return (parts, words);
            }
        }
        // Equals of a gauntlet, ordered by name; or two names with one lot, in the order of entry.
        let mut members = block.members.clone();
        if self.table.by_share {
            members.sort_by_key(|member| self.names[*member].as_ref());
        }
        let one = |member: &usize| Block { members: vec![*member], played: block.played };
        (members.iter().map(one).collect(), words)
    }

    fn value(&self, breaker: Breaker, member: usize, tied: &[usize]) -> Option<Amount> {
        let count = |count: u64| Amount::ONE * count;
        Some(match breaker {
            Breaker::Direct => self.table.direct(member, tied)?,
            Breaker::SonnebornBerger => self.table.sonneborn_berger(member),
            Breaker::Wins => count(self.table.total(member).wins),
            Breaker::Forfeits => count(self.table.forfeits.get(&member).copied().unwrap_or(0)),
            Breaker::Lot => Amount::ZERO,
        })
    }

    fn lot(&self, member: usize) -> i64 {
        let drawn = board_seed(self.seed, self.names[member].as_ref(), "\u{0}lot", 1);
        i64::try_from(drawn).expect("a board's seed has 48 bits")
    }

    fn tied(&self, block: &Block, start: usize, cut: usize) -> String {
        let points = self.table.points_of(block.members[0]);
        if self.table.members.len() == 2 {
            return format!(
                "{}: {} are level with {points} points each",
                self.title,
                self.list(&block.members)
            );
        }
        let open = cut - start;
        let places =
            if open == 1 { format!("place {cut}") } else { format!("places {} to {cut}", start + 1) };
        format!(
            "{}: {} have {points} points each and are tied for {places}",
            self.title,
            self.list(&block.members)
        )
    }

    fn step(&self, what: &str, members: &[usize], values: &HashMap<usize, Amount>) -> String {
        let mut sorted = members.to_vec();
        if what == Breaker::Lot.name() {
            sorted.sort_by_key(|member| std::cmp::Reverse(self.lot(*member)));
            let names: Vec<&str> = sorted.iter().map(|member| self.names[*member].as_ref()).collect();
            return format!("{}: {what}: {}", self.title, names.join(" before "));
        }
        sorted.sort_by_key(|member| std::cmp::Reverse(values[member]));
        if what == Breaker::Forfeits.name() {
            sorted.reverse();
        }
        let told: Vec<String> = sorted
            .iter()
            .map(|member| format!("{} {}", self.names[*member].as_ref(), values[member]))
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
