//! How many rounds, pairings and games a stage has.

use super::matches::{Match, Scores};
use super::stage::{Field, Format, StageRules};
use super::swiss;
use super::withdrawals::{is_paired, placed};

impl StageRules {
    /// The number of pairings in a group of this size, without play-offs.
    pub fn pairings(&self, size: usize) -> usize {
        match self.format {
            Format::RoundRobin { cycles } => size * size.saturating_sub(1) / 2 * cycles as usize,
            Format::Gauntlet { leaders } => leaders * size.saturating_sub(leaders),
            Format::Swiss { rounds } => size / 2 * rounds,
            Format::Knockout { third_place } => size.saturating_sub(1) + usize::from(third_place && size > 3),
        }
    }

    /// The number of games that a stage has, without those that are not played because somebody
    /// has withdrawn: those of the format, and the play-offs among the matches so far.
    pub fn planned_games<S>(&self, field: &Field<S>, matches: &[Match], scores: &Scores) -> u64 {
        let places = |group: &Vec<usize>| placed(&field.absences, group).len();
        let mut pairings: usize = field.groups.iter().map(|group| self.pairings(places(group))).sum();
        if let Format::Swiss { rounds } = self.format
            && (!field.absences.is_empty() || !field.late.is_empty() || field.closing.is_some())
        {
            let last = matches.iter().map(|one| one.pairing.round).max().unwrap_or(0);
            let rounds = u32::try_from(rounds).unwrap_or(u32::MAX);
            let later = last + 1..=field.closing.map_or(rounds, |closing| closing.last);
            let of_round = |round: u32| -> usize {
                let groups = field.groups.iter();
                let groups = groups.filter(|group| round as usize <= swiss::most_rounds(places(group)));
                let there = |group: &Vec<usize>| {
                    group.iter().filter(|one| is_paired(&field.absences, &field.late, **one, round)).count()
                };
                groups.map(|group| there(group) / 2).sum()
            };
            pairings =
                matches.iter().filter(|one| one.play_off == 0).count() + later.map(of_round).sum::<usize>();
        }
        let play_offs = matches.iter().filter(|one| one.play_off > 0).map(|one| u64::from(one.games));
        let unplayed = scores.values().map(|score| score.unplayed.count()).sum::<u64>();
        (pairings as u64 * u64::from(self.games) + play_offs.sum::<u64>()).saturating_sub(unplayed)
    }

    /// The most pairs of games that two entrants play against each other before play-offs.
    pub fn pairs(&self) -> u32 {
        let cycles = match self.format {
            Format::RoundRobin { cycles } => cycles,
            _ => 1,
        };
        self.games.div_ceil(2) * cycles
    }
}

impl Format {
    /// The last round of a group of this size, if it is known before; in a gauntlet and in a round
    /// robin without play-offs.
    pub fn last_round(self, size: usize) -> Option<u32> {
        let rounds = match self {
            Format::RoundRobin { cycles } => (size.next_multiple_of(2).saturating_sub(1)) * cycles as usize,
            Format::Gauntlet { leaders } => leaders.max(size.saturating_sub(leaders)),
            Format::Swiss { rounds } => rounds,
            Format::Knockout { .. } => return None,
        };
        u32::try_from(rounds).ok()
    }
}
