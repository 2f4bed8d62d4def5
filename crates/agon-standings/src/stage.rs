//! One stage: groups that play in a format, a cut, and the play-offs of ties across it. The scores
//! determine the matches; asked again after each match, the plan grows to its end.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

pub use super::brackets::round_name;
use super::brackets::{bracket, duel_name, gauntlet, in_play};
use super::matches::{Match, Scores, Sheet};
use super::pairings::{self, board_seed};
use super::swiss::{self, SwissPlayer};
use super::ties::{Judge, TieTable};
use super::withdrawals::{
    Absence, Closing, LateEntry, absent_rounds, in_place, is_paired, missed_rounds, paired_as, placed,
};
use crate::points::Points;
use crate::settled::SettledTie;
use crate::tiebreaks::TieBreak;

/// The format of a group.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// A round robin, repeated this often, in the order of the Berger tables.
    RoundRobin {
        /// 2 is a double round robin; seats are swapped from one cycle to the next.
        cycles: u32,
    },
    /// The leaders play all others.
    Gauntlet {
        /// The number of leaders.
        leaders: usize,
    },
    /// The loser of a match is out. The first in the group has the first seed.
    Knockout {
        /// Whether the losers of the semi-finals play for third place.
        third_place: bool,
    },
    /// Entrants with similar points meet, for a number of rounds.
    Swiss {
        /// The number of rounds.
        rounds: usize,
    },
}

impl Format {
    /// The tie-breaks of the format, unless others are given.
    pub fn tiebreaks(self) -> Vec<TieBreak> {
        let (direct, berger, wins) = (TieBreak::Direct, TieBreak::SonnebornBerger, TieBreak::Wins);
        let decide = match self {
            // In a Swiss the opponents differ most.
            Format::Swiss { .. } => {
                vec![TieBreak::BuchholzCut1, TieBreak::Buchholz, direct, berger, wins]
            }
            Format::Gauntlet { .. } => vec![direct, wins, berger],
            Format::RoundRobin { .. } | Format::Knockout { .. } => vec![direct, berger, wins],
        };
        decide.into_iter().chain([TieBreak::FewestFaults, TieBreak::Lot]).collect()
    }
}

/// The rules of a stage.
#[derive(Clone, PartialEq, Debug)]
pub struct StageRules {
    /// The format of each group.
    pub format: Format,
    /// The number of games in a match.
    pub games: u32,
    /// The number of games in a match of a play-off.
    pub play_off_games: u32,
    /// How often a tie is played off before tie-breaks decide. A match of two that is still level
    /// then has one more pair of games. If that is level too, the entrant that thought less in it
    /// is ahead. Without play-offs, the time of the match itself decides.
    pub play_offs: u32,
    /// The tie-breaks after the play-offs, in their order. Lot comes last in any case.
    pub tiebreaks: Vec<TieBreak>,
    /// The points for a result.
    pub points: Points,
}

/// The entrants of a stage, and its cuts.
#[derive(Clone, Debug)]
pub struct Field<S> {
    /// The names of all entrants.
    pub names: Vec<S>,
    /// The members of each group by their indexes in `names`, the first seed first.
    pub groups: Vec<Vec<usize>>,
    /// The title of each group in sentences.
    pub titles: Vec<String>,
    /// The cuts, where ties are played off: a cut at 4 separates the fourth of a group from the
    /// fifth.
    pub cuts: Vec<usize>,
    /// The seed of boards and lots.
    pub seed: u64,
    /// Who has withdrawn.
    pub absences: Vec<Absence>,
    /// Who has joined late.
    pub late: Vec<LateEntry>,
    /// Its end, if it was closed before all games were played.
    pub closing: Option<Closing>,
}

impl Field<String> {
    /// Whether an entrant of this name was drawn into the stage: it has not joined late, nor come
    /// in the place of another.
    pub fn begins_with(&self, name: &str) -> bool {
        let Some(own) = self.names.iter().position(|other| other == name) else { return false };
        !self.late.iter().any(|one| one.entrant == own)
            && !self.absences.iter().any(|one| one.replaced_by() == Some(own))
    }
}

/// The progress of a stage.
#[derive(Clone, Debug)]
pub struct StageProgress {
    /// The matches that are certain to be played, in order, including those that are over.
    pub matches: Vec<Match>,
    /// The entrant with the bye in each round of a Swiss, by index in the field.
    pub byes: Vec<usize>,
    /// The matches of a knockout, with the byes of its first round.
    pub duels: Vec<Duel>,
    /// The members of each group by their indexes in the field, the best first by the results so
    /// far, each with its rank. Equals share a rank until the stage is over, and in a gauntlet also
    /// then.
    pub orders: Vec<Vec<(usize, usize)>>,
    /// The rankings of the groups, when it is over.
    pub result: Option<Vec<Ranking>>,
}

/// A match of a knockout: two entrants, of whom one goes on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Duel {
    /// Its group, from 0.
    pub group: usize,
    /// How many entrants the round has room for: 2 in the final, 4 in the semi-finals.
    pub slots: usize,
    /// Its name: `final`, `semi-final 1`, `match for place 3`.
    pub name: String,
    /// The entrants by their indexes in the field, the higher seed first; `None` is a bye.
    pub entrants: [Option<usize>; 2],
    /// The index of its match in [`StageProgress::matches`]; `None` of a bye.
    pub at: Option<usize>,
    /// Whether it is for the third place.
    pub is_for_third: bool,
    /// The winner, once it is known.
    pub winner: Option<usize>,
    /// How a level match was decided, one sentence per step.
    pub words: Vec<String>,
    /// The same as the step that decided it; `None` of a match that was not level or goes on.
    pub tie: Option<SettledTie>,
}

/// The number of games in the deciding pair of a match.
const DECIDING_GAMES: u32 = 2;

/// The final ranking of a group.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ranking {
    /// Its members by their indexes in the field, the best first.
    pub order: Vec<usize>,
    /// How each tie that mattered was decided, one sentence per step.
    pub words: Vec<String>,
    /// All ties with the steps that settled them, whether they mattered or not.
    pub ties: Vec<SettledTie>,
}

/// The matches of a stage, as far as the scores determine them, and the rankings at the end.
///
/// More scores only add matches: none changes its number.
pub fn progress<S: AsRef<str>>(rules: &StageRules, field: &Field<S>, scores: &Scores) -> StageProgress {
    let mut stage = Stage {
        rules,
        field,
        scores,
        sheet: Sheet::default(),
        byes: Vec::new(),
        duels: Vec::new(),
        orders: Vec::new(),
    };
    let result = match rules.format {
        Format::Knockout { third_place } => stage.knockout(third_place),
        Format::Swiss { rounds } => stage.swiss(rounds),
        Format::RoundRobin { cycles } => {
            for cycle in 0..cycles {
                stage.rounds(
                    |members| {
                        let pairings = pairings::round_robin(members);
                        pairings.map(|one| (one.round, (one.first, one.second))).collect()
                    },
                    cycle % 2 == 1,
                );
            }
            stage.ranked()
        }
        Format::Gauntlet { leaders } => {
            stage.rounds(|members| gauntlet(leaders, members), false);
            stage.ranked()
        }
    };
    let placed = |ranking: &Ranking| ranking.order.iter().copied().zip(1..).collect();
    let orders = match (&result, rules.format) {
        (Some(result), Format::Gauntlet { .. }) => stage.shared(result),
        (Some(result), _) => result.iter().map(placed).collect(),
        (None, _) if stage.orders.is_empty() => stage.so_far(),
        (None, _) => stage.orders,
    };
    StageProgress { matches: stage.sheet.matches, byes: stage.byes, duels: stage.duels, orders, result }
}

struct Stage<'a, S> {
    rules: &'a StageRules,
    field: &'a Field<S>,
    scores: &'a Scores,
    sheet: Sheet,
    /// The entrants with a bye.
    byes: Vec<usize>,
    /// The matches of a knockout.
    duels: Vec<Duel>,
    /// The order in each group of a knockout that is not over.
    orders: Vec<Vec<(usize, usize)>>,
}

/// A table with the sentences that begin with its title: the group, the table, its cuts, the title.
type TitledTable<'t> = (usize, &'t TieTable, &'t [usize], String);

impl<S: AsRef<str>> Stage<'_, S> {
    /// Adds the rounds of all groups, first all first rounds. `plan` gives the rounds and pairs for
    /// a group of this size.
    fn rounds(&mut self, plan: impl Fn(usize) -> Vec<(u32, (usize, usize))>, swapped: bool) {
        let start = self.sheet.last_round();
        let absences = &self.field.absences;
        let places: Vec<Vec<usize>> = self.field.groups.iter().map(|group| placed(absences, group)).collect();
        let plans: Vec<_> = places.iter().map(|places| plan(places.len())).collect();
        let last = plans.iter().flatten().map(|(round, _)| *round).max().unwrap_or(0);
        // A cursor for each group: a search for each round would be too slow with 500 entrants.
        let mut cursors: Vec<_> = plans.into_iter().map(|plan| plan.into_iter().peekable()).collect();
        for round in 1..=last {
            for (group, cursor) in cursors.iter_mut().enumerate() {
                let holder = |place: usize| in_place(absences, places[group][place], start + round);
                while let Some((_, (first, second))) = cursor.next_if(|(of, _)| *of == round) {
                    let pair = (holder(first), holder(second));
                    let pair = if swapped { (pair.1, pair.0) } else { pair };
                    self.sheet.add(group, start + round, pair, self.rules.games, 0);
                }
            }
        }
    }

    /// The order of each group by points, when all necessary matches are over.
    fn ranked(&mut self) -> Option<Vec<Ranking>> {
        if !self.sheet.is_over(self.scores) {
            return None;
        }
        let tables = self.tables();
        let tables: Vec<TitledTable<'_>> = (tables.iter().enumerate())
            .map(|(group, table)| (group, table, &self.field.cuts[..], self.field.titles[group].clone()))
            .collect();
        self.settled(&tables)
    }

    /// The sums of each group, without play-offs.
    fn tables(&self) -> Vec<TieTable> {
        let main = || self.sheet.matches.iter().filter(|one| one.play_off == 0);
        (self.field.groups.iter().enumerate())
            .map(|(group, members)| {
                let mut table = TieTable::new(members, self.rules.points);
                if let Format::Gauntlet { leaders } = self.rules.format {
                    table = table.led_by(leaders);
                }
                let gone = self.field.absences.iter().filter(|one| members.contains(&one.entrant));
                gone.for_each(|one| table.put_behind(one));
                if matches!(self.rules.format, Format::Swiss { .. }) {
                    table = table.of_swiss();
                    self.absent_rounds(group, &mut table);
                }
                main().filter(|one| one.group == group).for_each(|one| table.add(one, self.scores));
                let byes = self.byes.iter().filter(|bye| members.contains(bye));
                byes.for_each(|bye| table.add_bye(*bye, self.rules.games));
                table
            })
            .collect()
    }

    /// Notes the rounds in which a Swiss did not pair somebody who had withdrawn.
    fn absent_rounds(&self, group: usize, table: &mut TieTable) {
        let members = &self.field.groups[group];
        let rounds = absent_rounds(&self.field.absences, (group, members), &self.sheet.matches);
        rounds.for_each(|(entrant, rounds)| table.add_absent(entrant, rounds, self.rules.games));
        let last = self.sheet.last_round();
        for late in self.field.late.iter().filter(|late| members.contains(&late.entrant)) {
            table.add_missed(late.entrant, missed_rounds(late, last), self.rules.games);
        }
    }

    /// The order of each group by the results so far.
    fn so_far(&self) -> Vec<Vec<(usize, usize)>> {
        let tables = self.tables();
        let order = |(group, table): (usize, &TieTable)| {
            self.judge(&(group, table, &[], self.field.titles[group].clone())).so_far()
        };
        tables.iter().enumerate().map(order).collect()
    }

    /// The final order of each group. Entrants that only a lot separates share a rank, unless a cut
    /// lies between them or the group had play-offs.
    fn shared(&self, rankings: &[Ranking]) -> Vec<Vec<(usize, usize)>> {
        let equal = self.so_far();
        let group = |(group, ranking): (usize, &Ranking)| {
            let played_off = self.sheet.matches.iter().any(|one| one.group == group && one.play_off > 0);
            let ranks: HashMap<usize, usize> = equal[group].iter().copied().collect();
            let mut rank = 0;
            let ranked = (ranking.order.iter().enumerate()).map(|(at, entrant)| {
                let shares = at > 0
                    && !played_off
                    && !self.field.cuts.contains(&at)
                    && ranks[&ranking.order[at - 1]] == ranks[entrant];
                if !shares {
                    rank = at + 1;
                }
                (*entrant, rank)
            });
            ranked.collect()
        };
        rankings.iter().enumerate().map(group).collect()
    }

    fn judge<'t>(&'t self, (group, table, _, title): &TitledTable<'t>) -> Judge<'t, S> {
        Judge {
            names: &self.field.names,
            table,
            matches: &self.sheet.matches,
            scores: self.scores,
            group: *group,
            title: title.clone(),
            play_offs: self.rules.play_offs,
            tiebreaks: &self.rules.tiebreaks,
            seed: self.field.seed,
        }
    }

    /// Settles ties across the cuts of several tables. Adds the necessary play-offs until all are
    /// over.
    fn settled(&mut self, tables: &[TitledTable<'_>]) -> Option<Vec<Ranking>> {
        loop {
            let (mut rankings, mut wanted) = (Vec::new(), Vec::new());
            for titled in tables {
                match self.judge(titled).settle(titled.2) {
                    Ok((order, words, ties)) => rankings.push(Ranking { order, words, ties }),
                    Err(needed) => wanted.extend(needed),
                }
            }
            if wanted.is_empty() {
                return Some(rankings);
            }
            // All play-offs of one wave are numbered before any of them is played, so their numbers
            // are fixed.
            let start = self.sheet.last_round();
            for tie in wanted {
                let games = if tie.is_deciding { DECIDING_GAMES } else { self.rules.play_off_games };
                for one in pairings::round_robin(tie.members.len()) {
                    let pair = (tie.members[one.first], tie.members[one.second]);
                    let round = start + one.round;
                    self.sheet.add(tie.group, round, pair, games, tie.play_off);
                }
            }
            if !self.sheet.is_over(self.scores) {
                return None;
            }
        }
    }

    fn knockout(&mut self, third_place: bool) -> Option<Vec<Ranking>> {
        // The remaining entrants, in the order of the bracket; an empty slot is a bye.
        let mut alive: Vec<Vec<Option<usize>>> = (self.field.groups.iter())
            .map(|group| {
                let group = placed(&self.field.absences, group);
                let slots = group.len().next_power_of_two();
                bracket(slots).into_iter().map(|seed| group.get(seed).copied()).collect()
            })
            .collect();
        // The last to go out comes first.
        let mut out: Vec<Vec<usize>> = vec![Vec::new(); alive.len()];
        let mut words: Vec<Vec<String>> = vec![Vec::new(); alive.len()];
        let mut ties: Vec<Vec<SettledTie>> = vec![Vec::new(); alive.len()];
        let mut replaced: Vec<Vec<usize>> = vec![Vec::new(); alive.len()];
        while alive.iter().any(|group| group.len() > 1) {
            let round = self.sheet.last_round() + 1;
            for (group, alive) in alive.iter_mut().enumerate() {
                let is_last = third_place && alive.len() == 2;
                let for_third = out[group].iter_mut().take(if is_last { 2 } else { 0 });
                for place in alive.iter_mut().flatten().chain(for_third) {
                    let holder = in_place(&self.field.absences, *place, round);
                    if holder != *place {
                        replaced[group].insert(0, std::mem::replace(place, holder));
                    }
                }
            }
            let behind = out.iter().zip(&replaced).map(|(out, replaced)| [&out[..], replaced].concat());
            let absences = &self.field.absences;
            self.orders =
                alive.iter().zip(behind).map(|(alive, out)| in_play(alive, &out, absences)).collect();
            let duels = self.duels.len();
            for (group, alive) in alive.iter().enumerate() {
                self.add_duels(group, alive, third_place.then_some(&out[group]));
            }
            for duel in &mut self.duels[duels..] {
                if let [Some(one), Some(other)] = duel.entrants {
                    // The higher seed has the first seat in every second round.
                    let pair = if round % 2 == 1 { (one, other) } else { (other, one) };
                    duel.at = Some(self.sheet.matches.len());
                    self.sheet.add(duel.group, round, pair, self.rules.games, 0);
                } else {
                    duel.winner = duel.entrants.into_iter().flatten().next();
                }
            }
            self.decide_duels(duels);
            if !self.sheet.is_over(self.scores) {
                return None;
            }
            let settled = self.settled_duels(duels)?;
            let mut lost: Vec<Vec<usize>> = vec![Vec::new(); alive.len()];
            for (at, Ranking { order, words: said, ties: mut settled }) in settled {
                let duel = &mut self.duels[at];
                duel.winner = Some(order[0]);
                words[duel.group].extend(said.iter().cloned());
                ties[duel.group].extend(settled.iter().cloned());
                duel.words = said;
                duel.tie = settled.pop();
                if duel.is_for_third {
                    out[duel.group].splice(..2, order);
                } else {
                    lost[duel.group].push(order[1]);
                }
            }
            for (group, alive) in alive.iter_mut().enumerate() {
                let lost = &mut lost[group];
                let winner = |pair: &[Option<usize>]| {
                    pair.iter().copied().find(|one| one.is_some_and(|one| !lost.contains(&one))).flatten()
                };
                if alive.len() > 1 {
                    *alive = alive.chunks(2).map(winner).collect();
                }
                // Of entrants that go out together, the higher seed comes first.
                let seed = |entrant: &usize| self.field.groups[group].iter().position(|one| one == entrant);
                lost.sort_by_key(seed);
                out[group].splice(..0, lost.iter().copied());
            }
        }
        // Who has come for one that was out already has no place in the bracket.
        let order = |group: usize| {
            let known = alive[group].iter().flatten().chain(&out[group]).chain(&replaced[group]);
            let mut order: Vec<usize> = known.copied().collect();
            let missing = self.field.groups[group].iter().filter(|one| !order.contains(one));
            let missing: Vec<usize> = missing.copied().collect();
            order.extend(missing);
            order
        };
        Some(
            (words.into_iter().zip(ties).enumerate())
                .map(|(group, (words, ties))| Ranking { order: order(group), words, ties })
                .collect(),
        )
    }

    /// Adds the duels of a round of one group, without their matches. `out` are those that went out
    /// before, if there is a match for the third place.
    fn add_duels(&mut self, group: usize, alive: &[Option<usize>], out: Option<&Vec<usize>>) {
        let slots = alive.len();
        let duel = |name: String, entrants: [Option<usize>; 2], is_for_third: bool| Duel {
            group,
            slots,
            name,
            entrants,
            at: None,
            is_for_third,
            winner: None,
            words: Vec::new(),
            tie: None,
        };
        if let (2, Some([third, fourth, ..])) = (slots, out.map(Vec::as_slice)) {
            let name = "match for place 3".to_owned();
            self.duels.push(duel(name, [Some(*third), Some(*fourth)], true));
        }
        for (number, pair) in (1..).zip(alive.chunks(2).filter(|pair| pair.len() == 2)) {
            self.duels.push(duel(duel_name(slots, number), [pair[0], pair[1]], false));
        }
    }

    /// Notes the winners of this round's matches that are not level, before all of them are over.
    fn decide_duels(&mut self, from: usize) {
        for duel in &mut self.duels[from..] {
            let Some(one) = duel.at.map(|at| self.sheet.matches[at]) else { continue };
            if !one.is_over(self.scores) {
                continue;
            }
            let games = self.scores[&one.pairing.pairing].total();
            let (first, second) = (self.rules.points.of(games), self.rules.points.of(games.reversed()));
            duel.winner = match first.cmp(&second) {
                std::cmp::Ordering::Greater => Some(one.pairing.first),
                std::cmp::Ordering::Less => Some(one.pairing.second),
                std::cmp::Ordering::Equal => None,
            };
        }
    }

    /// The rankings of this round's duels, when all are decided, with the index of each duel.
    fn settled_duels(&mut self, from: usize) -> Option<Vec<(usize, Ranking)>> {
        let (mut played, mut tables) = (Vec::new(), Vec::new());
        for (number, duel) in self.duels.iter().enumerate().skip(from) {
            let (Some(at), [Some(one), Some(other)]) = (duel.at, duel.entrants) else { continue };
            let mut table = TieTable::new(&[one, other], self.rules.points);
            table.add(&self.sheet.matches[at], self.scores);
            tables.push((duel.group, table, format!("{}, {}", self.field.titles[duel.group], duel.name)));
            played.push(number);
        }
        let tables: Vec<TitledTable<'_>> =
            tables.iter().map(|(group, table, title)| (*group, table, &[1][..], title.clone())).collect();
        Some(played.into_iter().zip(self.settled(&tables)?).collect())
    }

    fn swiss(&mut self, rounds: usize) -> Option<Vec<Ranking>> {
        let groups = &self.field.groups;
        let fresh = SwissPlayer { points: 0, met: Vec::new(), firsts: 0, was_first: false };
        let mut players: Vec<Vec<SwissPlayer>> =
            groups.iter().map(|group| vec![fresh.clone(); group.len()]).collect();
        let bye = self.rules.points.win() * u64::from(self.rules.games);
        let rounds = u32::try_from(rounds).expect("a tournament has fewer than 2^32 rounds");
        let rounds = self.field.closing.map_or(rounds, |closing| closing.last.min(rounds));
        for round in 1..=rounds {
            let mut met = Vec::new();
            for (group, players) in players.iter_mut().enumerate() {
                let (absences, members) = (&self.field.absences, &groups[group]);
                if round as usize > swiss::most_rounds(placed(absences, members).len()) {
                    continue;
                }
                // In its first round, one that replaces another is paired like that one.
                let at = |entrant: usize| members.iter().position(|one| *one == entrant);
                let mut there: Vec<usize> = (members.iter())
                    .filter(|entrant| is_paired(absences, &self.field.late, **entrant, round))
                    .filter_map(|entrant| at(paired_as(absences, *entrant, round)))
                    .collect();
                there.sort_unstable();
                let holder = |player: usize| at(in_place(absences, members[player], round)).unwrap_or(player);
                for (first, second) in swiss::pair_present(players, &there) {
                    let (first, second) = (holder(first), second.map(holder));
                    players[first].met.push(second);
                    let Some(second) = second else {
                        players[first].points += bye.thousandths();
                        self.byes.push(groups[group][first]);
                        continue;
                    };
                    players[second].met.push(Some(first));
                    (players[first].was_first, players[second].was_first) = (true, false);
                    players[first].firsts += 1;
                    players[second].firsts -= 1;
                    met.push((group, first, second, self.sheet.matches.len()));
                    let pair = (groups[group][first], groups[group][second]);
                    self.sheet.add(group, round, pair, self.rules.games, 0);
                }
            }
            if !self.sheet.is_over(self.scores) {
                return None;
            }
            for (group, first, second, place) in met {
                let score = &self.scores[&self.sheet.matches[place].pairing.pairing];
                let games = score.total();
                players[group][first].points += self.rules.points.of(games).thousandths();
                players[group][second].points += self.rules.points.of(games.reversed()).thousandths();
            }
        }
        self.ranked()
    }
}

/// Deals entrants to groups: pot after pot, each pot in an order drawn from the seed. Sizes differ
/// by at most one, the larger groups last. With `listed` the order in a pot is kept.
pub fn deal(pots: &[Vec<String>], groups: usize, seed: u64, listed: bool) -> Vec<Vec<String>> {
    let mut order: Vec<&String> = Vec::new();
    for pot in pots {
        let mut pot: Vec<&String> = pot.iter().collect();
        if !listed {
            pot.sort_by_key(|name| (board_seed(seed, name, "\u{0}draw", 1), *name));
        }
        order.extend(pot);
    }
    let mut dealt: Vec<Vec<String>> = vec![Vec::new(); groups];
    let whole = order.len() / groups * groups;
    for (place, name) in order.into_iter().enumerate() {
        let (row, column) = (place / groups, place % groups);
        // In alternating directions, so that the first group does not get the best of every row.
        let back = row % 2 == 1 || place >= whole;
        dealt[if back { groups - 1 - column } else { column }].push(name.clone());
    }
    dealt
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::matches::Score;
    use crate::points::Wdl;

    fn rules(format: Format) -> StageRules {
        StageRules {
            format,
            games: 2,
            play_off_games: 2,
            play_offs: 2,
            tiebreaks: format.tiebreaks(),
            points: Points::TWO_ONE_NONE,
        }
    }

    fn field(sizes: &[usize], cuts: &[usize]) -> Field<String> {
        let count: usize = sizes.iter().sum();
        let mut next = 0..count;
        Field {
            names: (0..count).map(|number| format!("e{number:02}")).collect(),
            groups: sizes.iter().map(|size| next.by_ref().take(*size).collect()).collect(),
            titles: (0..sizes.len()).map(|group| format!("group {group}")).collect(),
            cuts: cuts.to_vec(),
            seed: 7,
            absences: Vec::new(),
            late: Vec::new(),
            closing: None,
        }
    }

    /// Plays a stage to its end. `win` gives the number of games that the first wins; the second
    /// wins the rest.
    fn play(rules: &StageRules, field: &Field<String>, win: impl Fn(&Match) -> u64) -> StageProgress {
        let mut scores: Scores = HashMap::new();
        for _ in 0..200 {
            let found = progress(rules, field, &scores);
            for (number, one) in (1..).zip(&found.matches) {
                assert_eq!(one.pairing.pairing, number);
            }
            let next: Vec<&Match> = found.matches.iter().filter(|one| !one.is_over(&scores)).collect();
            if next.is_empty() {
                assert!(found.result.is_some(), "nothing to play and no result");
                return found;
            }
            assert!(found.result.is_none());
            for one in next {
                let wins = win(one);
                let games = Wdl { wins, draws: 0, losses: u64::from(one.games) - wins };
                scores.insert(one.pairing.pairing, Score { games, ..Score::default() });
            }
        }
        panic!("it never ends");
    }

    /// The lower number wins everything.
    fn stronger(one: &Match) -> u64 {
        if one.pairing.first < one.pairing.second { u64::from(one.games) } else { 0 }
    }

    fn text(found: &StageProgress) -> String {
        let mut lines: Vec<String> = Vec::new();
        for one in &found.matches {
            let pair = format!("{}-{}", one.pairing.first + 1, one.pairing.second + 1);
            match lines.get_mut(one.pairing.round as usize - 1) {
                Some(line) => *line = format!("{line} {pair}"),
                None => lines.push(pair),
            }
        }
        lines.join(" | ")
    }

    #[test]
    fn a_double_round_robin_swaps_its_seats_and_a_gauntlet_meets_all_others() {
        let double = play(&rules(Format::RoundRobin { cycles: 2 }), &field(&[4], &[]), stronger);
        assert_eq!(text(&double), "1-4 2-3 | 4-3 1-2 | 2-4 3-1 | 4-1 3-2 | 3-4 2-1 | 4-2 1-3");
        assert_eq!(double.matches[6].before, 2);
        assert_eq!(double.result.unwrap()[0].order, [0, 1, 2, 3]);
        let gauntlet = play(&rules(Format::Gauntlet { leaders: 1 }), &field(&[4], &[]), stronger);
        assert_eq!(text(&gauntlet), "1-2 | 3-1 | 1-4");
        let two = play(&rules(Format::Gauntlet { leaders: 2 }), &field(&[5], &[]), stronger);
        assert_eq!(text(&two), "1-3 4-2 | 4-1 2-5 | 1-5 3-2");
    }

    #[test]
    fn a_knockout_has_seeds_byes_and_a_match_for_the_third_place() {
        let eight = play(&rules(Format::Knockout { third_place: true }), &field(&[8], &[]), stronger);
        assert_eq!(text(&eight), "1-8 4-5 2-7 3-6 | 4-1 3-2 | 3-4 1-2");
        assert_eq!(eight.result.unwrap()[0].order, [0, 1, 2, 3, 4, 5, 6, 7]);
        let six = play(&rules(Format::Knockout { third_place: false }), &field(&[6], &[]), stronger);
        assert_eq!(text(&six), "4-5 3-6 | 4-1 3-2 | 1-2");
        let upset = play(&rules(Format::Knockout { third_place: true }), &field(&[4], &[]), |one| {
            u64::from(one.games) - stronger(one)
        });
        assert_eq!(upset.result.unwrap()[0].order, [3, 2, 1, 0]);
        let one = play(&rules(Format::Knockout { third_place: true }), &field(&[1], &[]), stronger);
        assert_eq!(one.result.unwrap()[0].order, [0]);
    }

    #[test]
    fn a_level_knockout_match_is_played_off_a_bounded_number_of_times() {
        let found = play(&rules(Format::Knockout { third_place: false }), &field(&[2], &[]), |_| 1);
        // Two play-offs and the deciding pair, in which both have thought for the same time.
        assert_eq!(found.matches.iter().map(|one| one.play_off).collect::<Vec<_>>(), [0, 1, 2, 3]);
        let words = &found.result.unwrap()[0].words;
        assert_eq!(words[0], "group 0, final: e00 and e01 are level with 2 points each");
        assert_eq!(words[1], "group 0, final: play-off 1: e00 2, e01 2");
        assert_eq!(words[3], "group 0, final: deciding pair: e00 2, e01 2");
        assert!(words.last().unwrap().contains("lot: e0"), "{words:?}");
    }

    #[test]
    fn a_match_that_stays_level_goes_to_the_entrant_that_thought_less() {
        let thought = |seconds| std::time::Duration::from_secs(seconds);
        for play_offs in [0, 1] {
            let rules = StageRules { play_offs, ..rules(Format::Knockout { third_place: false }) };
            let field = field(&[2], &[]);
            let mut scores: Scores = HashMap::new();
            loop {
                let found = progress(&rules, &field, &scores);
                let Some(one) = found.matches.iter().find(|one| !one.is_over(&scores)) else { break };
                let games = Wdl { wins: 1, draws: 0, losses: 1 };
                // The first of the pairing thinks longer, and longer still in the play-off.
                let times =
                    if one.pairing.first == 0 { [thought(9), thought(8)] } else { [thought(8), thought(9)] };
                scores.insert(one.pairing.pairing, Score { games, times, ..Score::default() });
            }
            let found = progress(&rules, &field, &scores);
            let words = &found.result.as_ref().unwrap()[0].words;
            assert_eq!(found.result.as_ref().unwrap()[0].order, [1, 0], "{words:?}");
            assert_eq!(found.matches.len(), if play_offs == 0 { 1 } else { 3 });
            let last = words.last().unwrap();
            assert_eq!(
                last,
                "group 0, final: thinking time, the least first: e01 8.000000 s, e00 9.000000 s"
            );
            assert_eq!((found.duels[0].winner, found.duels[0].words.len()), (Some(1), words.len()));
        }
    }

    #[test]
    fn a_gauntlet_is_won_by_its_leader_and_a_running_knockout_knows_who_is_left() {
        // Every challenger beats the leader.
        let gauntlet = rules(Format::Gauntlet { leaders: 1 });
        let found = play(&gauntlet, &field(&[4], &[]), |one| if one.pairing.first == 0 { 0 } else { 2 });
        assert_eq!(found.result.as_ref().unwrap()[0].order[0], 0);
        // The challengers are equal, and only a cut between them separates them.
        let ranks = |found: &StageProgress| found.orders[0].iter().map(|(_, rank)| *rank).collect::<Vec<_>>();
        assert_eq!(ranks(&found), [1, 2, 2, 2]);
        let cut = StageRules { play_offs: 0, ..gauntlet };
        let found = play(&cut, &field(&[4], &[2]), |one| if one.pairing.first == 0 { 0 } else { 2 });
        assert_eq!(ranks(&found), [1, 2, 3, 3]);
        let knockout = rules(Format::Knockout { third_place: true });
        let eight = field(&[8], &[]);
        let mut scores: Scores = HashMap::new();
        for one in progress(&knockout, &eight, &scores).matches {
            let games = Wdl { wins: stronger(&one), draws: 0, losses: 2 - stronger(&one) };
            scores.insert(one.pairing.pairing, Score { games, ..Score::default() });
        }
        let found = progress(&knockout, &eight, &scores);
        let names: Vec<&str> = found.duels.iter().map(|duel| duel.name.as_str()).collect();
        assert_eq!(names[3..], ["quarter-final 4", "semi-final 1", "semi-final 2"]);
        assert_eq!(found.orders[0][..5], [(0, 1), (3, 1), (1, 1), (2, 1), (4, 5)]);
        let six = play(&knockout, &field(&[6], &[]), stronger);
        let byes = six.duels.iter().filter(|duel| duel.at.is_none());
        assert_eq!(byes.map(|duel| duel.winner).collect::<Vec<_>>(), [Some(0), Some(1)]);
        assert_eq!(six.duels.iter().filter(|duel| duel.is_for_third).count(), 1);
    }

    #[test]
    fn a_swiss_ranks_by_buchholz_first() {
        let (swiss, field) = (rules(Format::Swiss { rounds: 4 }), field(&[9], &[]));
        let mut scores: Scores = HashMap::new();
        let found = loop {
            let found = progress(&swiss, &field, &scores);
            let Some(one) = found.matches.iter().find(|one| !one.is_over(&scores)) else { break found };
            // Every third match is drawn; the higher number wins the others.
            let wins = match one.pairing.pairing % 3 {
                0 => 1,
                _ => 2 - stronger(one),
            };
            let games = Wdl { wins, draws: 0, losses: 2 - wins };
            scores.insert(one.pairing.pairing, Score { games, ..Score::default() });
        };
        let sums = crate::sums::sums(&swiss, &field, &found, &scores);
        let key = |entrant: &usize| {
            let buchholz = sums[*entrant].buchholz.unwrap();
            (sums[*entrant].points, buchholz.cut_1, buchholz.all)
        };
        let keys: Vec<_> = found.result.unwrap()[0].order.iter().map(key).collect();
        assert!(keys.is_sorted_by(|one, other| one >= other), "{keys:?}");
        assert!(keys.windows(2).any(|two| two[0].0 == two[1].0 && two[0].1 > two[1].1), "{keys:?}");
    }

    #[test]
    fn a_swiss_has_its_rounds_and_the_strongest_wins() {
        let found = play(&rules(Format::Swiss { rounds: 4 }), &field(&[11], &[]), stronger);
        assert_eq!(found.matches.len(), 4 * 5);
        assert_eq!(found.result.unwrap()[0].order[0], 0);
    }

    #[test]
    fn only_the_tied_are_played_off_and_only_across_a_cut() {
        // 0 wins all; 1, 2 and 3 beat each other in a ring; 4 loses all. Two advance.
        let ring = |one: &Match| {
            let (first, second) = (one.pairing.first, one.pairing.second);
            let wins = match (first, second) {
                (1, 2) | (2, 3) | (3, 1) => true,
                (2, 1) | (3, 2) | (1, 3) => false,
                _ => first < second,
            };
            // In a play-off 3 beats all, and 1 and 2 are equal.
            match (one.play_off, first, second) {
                (0, ..) => u64::from(wins) * 2,
                (_, 3, _) => 2,
                (_, _, 3) => 0,
                _ => 1,
            }
        };
        let round_robin = rules(Format::RoundRobin { cycles: 1 });
        let found = play(&round_robin, &field(&[5], &[2]), ring);
        assert_eq!(found.matches.len(), 10 + 3);
        let result = &found.result.unwrap()[0];
        assert_eq!(result.order[..2], [0, 3]);
        assert_eq!(result.words[0], "group 0: e01, e02 and e03 have 8 points each and are tied for place 2");
        assert_eq!(result.words[1], "group 0: play-off 1: e03 8, e01 2, e02 2");
        // The tie is told with the steps that separated some of them.
        let [tie] = &result.ties[..] else { panic!("{:?}", result.ties) };
        assert_eq!((tie.names[0].as_str(), tie.rank, tie.is_across_cut), ("e03", 2, true));
        assert_eq!(tie.points.map(|points| points.to_string()), Some("8".to_owned()));
        assert_eq!(tie.steps[0].by, "play-off 1");
        let order = [("e03", "8"), ("e01", "2"), ("e02", "2")].map(|(name, own)| (name.into(), own.into()));
        assert_eq!(tie.steps[0].order, order);
        assert_eq!(tie.steps.len(), 2, "{:?}", tie.steps);
        assert_eq!(tie.steps[1].order.len(), 2, "{:?}", tie.steps);
        // A cut that separates no equals needs no play-off.
        assert_eq!(play(&round_robin, &field(&[5], &[1, 4]), ring).matches.len(), 10);
        // The third place is still open: the other two play once more.
        assert_eq!(play(&round_robin, &field(&[5], &[2, 3]), ring).matches.len(), 10 + 3 + 1);
    }

    #[test]
    fn what_play_offs_leave_tied_goes_by_wins_and_the_words_say_so() {
        let none = StageRules { play_offs: 0, ..rules(Format::RoundRobin { cycles: 1 }) };
        let mut scores: Scores = HashMap::new();
        let field = field(&[4], &[1]);
        let found = progress(&none, &field, &scores);
        for one in &found.matches {
            let (wins, draws) = match (one.pairing.first, one.pairing.second) {
                // 0 draws with all; 1 beats 2 and loses to 3, which loses to 2.
                (0, _) | (_, 0) => (0, 2),
                (1, 2) | (3, 1) | (2, 3) => (2, 0),
                _ => (0, 0),
            };
            let games = Wdl { wins, draws, losses: 2 - wins - draws };
            scores.insert(one.pairing.pairing, Score { games, ..Score::default() });
        }
        let result = progress(&none, &field, &scores).result.unwrap().remove(0);
        assert_eq!(result.order[3], 0);
        assert_eq!(
            result.words[..4],
            [
                "group 0: e00, e01, e02 and e03 have 6 points each and are tied for place 1",
                "group 0: direct encounter: e00 6, e01 6, e02 6, e03 6",
                "group 0: Sonneborn-Berger: e00 18, e01 18, e02 18, e03 18",
                "group 0: games won: e01 2, e02 2, e03 2, e00 0",
            ]
        );
    }

    #[test]
    fn groups_play_at_the_same_time_and_are_dealt_by_lot_from_pots() {
        let found = progress(&rules(Format::RoundRobin { cycles: 1 }), &field(&[3, 4], &[]), &HashMap::new());
        assert_eq!(text(&found), "2-3 4-7 5-6 | 1-2 7-6 4-5 | 3-1 5-7 6-4");
        let names: Vec<String> = (0..34).map(|number| format!("e{number}")).collect();
        let dealt = deal(std::slice::from_ref(&names), 4, 7, false);
        assert_eq!(dealt.iter().map(Vec::len).collect::<Vec<_>>(), [8, 8, 9, 9]);
        let mut shuffled = names.clone();
        shuffled.reverse();
        assert_eq!(deal(&[shuffled], 4, 7, false), dealt);
        assert_ne!(deal(std::slice::from_ref(&names), 4, 8, false), dealt);
        // The winners of four groups are spread evenly.
        let pots: Vec<Vec<String>> = names[..16].chunks(4).map(<[String]>::to_vec).collect();
        for group in deal(&pots, 2, 7, false) {
            for pot in &pots {
                assert_eq!(group.iter().filter(|name| pot.contains(name)).count(), 2);
            }
        }
        let listed = deal(&[names[..4].to_vec()], 2, 7, true);
        assert_eq!(listed, [["e0", "e3"], ["e1", "e2"]]);
    }

    #[test]
    fn five_hundred_entrants_are_planned_at_once() {
        let many = StageRules { games: 10, ..rules(Format::RoundRobin { cycles: 1 }) };
        let field = field(&[500], &[]);
        let matches = progress(&many, &field, &HashMap::new()).matches;
        assert_eq!(matches.len(), 124_750);
        let games: u64 = matches.iter().map(|one| u64::from(one.games)).sum();
        assert_eq!(games, 1_247_500);
    }
}
