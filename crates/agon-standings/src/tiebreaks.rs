//! Tie-breaks: their names, and the number of each entrant by each of them.
//!
//! With more than two seats, a game counts once for each opponent. An opponent is beaten if it is
//! placed behind, and drawn with if it shares the place. A game is won alone on first place.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::points::{Amount, Points, Wdl};

/// A number that orders entrants with equal points, or lot.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum TieBreak {
    /// The points in the games between the tied, if each has met each.
    Direct,
    /// Games won, without byes.
    Wins,
    /// Games won with the second seat, which has the black pieces in chess.
    BlackWins,
    /// The points of beaten opponents and half of those drawn with (FIDE C.07), game by game.
    SonnebornBerger,
    /// The points against entrants with at least half of the possible points (Koya, FIDE C.07).
    Koya,
    /// The sum of the points after each round.
    Progressive,
    /// The points of the opponents, game by game.
    Buchholz,
    /// Buchholz without the weakest opponent.
    BuchholzCut1,
    /// Buchholz without the weakest and the strongest opponent.
    BuchholzMedian,
    /// Games lost by a fault, the fewest first.
    FewestFaults,
    /// A lot drawn from the seed.
    Lot,
}

impl TieBreak {
    /// Every tie-break.
    pub const ALL: [TieBreak; 11] = [
        TieBreak::BuchholzCut1,
        TieBreak::Buchholz,
        TieBreak::BuchholzMedian,
        TieBreak::SonnebornBerger,
        TieBreak::Koya,
        TieBreak::Progressive,
        TieBreak::Direct,
        TieBreak::Wins,
        TieBreak::BlackWins,
        TieBreak::FewestFaults,
        TieBreak::Lot,
    ];

    /// The tie-breaks of a tournament that is not in stages.
    pub const USUAL: [TieBreak; 3] = [TieBreak::Direct, TieBreak::Wins, TieBreak::SonnebornBerger];

    /// Its name as a user writes it: `buchholz-cut-1`.
    pub fn name(self) -> &'static str {
        match self {
            TieBreak::Direct => "direct",
            TieBreak::Wins => "wins",
            TieBreak::BlackWins => "black-wins",
            TieBreak::SonnebornBerger => "sonneborn-berger",
            TieBreak::Koya => "koya",
            TieBreak::Progressive => "progressive",
            TieBreak::Buchholz => "buchholz",
            TieBreak::BuchholzCut1 => "buchholz-cut-1",
            TieBreak::BuchholzMedian => "buchholz-median",
            TieBreak::FewestFaults => "fewest-faults",
            TieBreak::Lot => "lot",
        }
    }

    /// Whether it adds up points of opponents. Summed scores can be negative, so that it would be
    /// a loss to have beaten somebody; there these tie-breaks are passed over.
    pub fn takes_opponents(self) -> bool {
        match self {
            TieBreak::SonnebornBerger
            | TieBreak::Koya
            | TieBreak::Buchholz
            | TieBreak::BuchholzCut1
            | TieBreak::BuchholzMedian => true,
            TieBreak::Direct
            | TieBreak::Wins
            | TieBreak::BlackWins
            | TieBreak::Progressive
            | TieBreak::FewestFaults
            | TieBreak::Lot => false,
        }
    }

    /// The words for it in a sentence.
    pub fn words(self) -> &'static str {
        match self {
            TieBreak::Direct => "direct encounter",
            TieBreak::Wins => "games won",
            TieBreak::BlackWins => "games won with the second seat",
            TieBreak::SonnebornBerger => "Sonneborn-Berger",
            TieBreak::Koya => "Koya",
            TieBreak::Progressive => "progressive score",
            TieBreak::Buchholz => "Buchholz",
            TieBreak::BuchholzCut1 => "Buchholz cut 1",
            TieBreak::BuchholzMedian => "median Buchholz",
            TieBreak::FewestFaults => "games lost by a fault, the fewest first",
            TieBreak::Lot => "lot",
        }
    }

    /// The words for it behind "by".
    pub(crate) fn decider(self) -> &'static str {
        match self {
            TieBreak::FewestFaults => "fewer games lost by a fault",
            other => other.words(),
        }
    }
}

impl fmt::Display for TieBreak {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Reads [`TieBreak::name`].
impl FromStr for TieBreak {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|one| one.name() == text).ok_or_else(|| {
            format!("there is no tie-break {text:?}; there are {}", Self::ALL.map(Self::name).join(", "))
        })
    }
}

impl From<TieBreak> for String {
    fn from(one: TieBreak) -> String {
        one.name().to_owned()
    }
}

impl TryFrom<String> for TieBreak {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

/// The points of the opponents, once per game. A bye is an opponent with the entrant's own points
/// (FIDE C.07).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Buchholz {
    /// Of all opponents.
    pub all: Amount,
    /// Without the weakest.
    pub cut_1: Amount,
    /// Without the weakest and the strongest.
    pub median: Amount,
}

impl Buchholz {
    /// From the points of each opponent. The weakest that is left out is a round that one has
    /// missed by oneself, if there is one (FIDE C.07).
    fn of(mut opponents: Vec<OpponentPoints>) -> Self {
        opponents.sort_unstable_by_key(|one| one.points);
        let sum = |some: &[OpponentPoints]| some.iter().map(|one| one.points).sum();
        let all = sum(&opponents);
        if !opponents.is_empty() {
            opponents.remove(opponents.iter().position(|one| one.is_missed).unwrap_or(0));
        }
        let median = &opponents[..opponents.len().saturating_sub(1)];
        Buchholz { all, cut_1: sum(&opponents), median: sum(median) }
    }
}

/// The points of an opponent.
#[derive(Clone, Copy)]
struct OpponentPoints {
    points: Amount,
    /// Whether there was none, because one has missed the round by oneself.
    is_missed: bool,
}

/// The sums of one entrant that tie-breaks are made of.
pub(crate) struct TieSums<'a> {
    /// Its points, with byes.
    pub(crate) points: Amount,
    /// The points for as many games, all won; `None` if points are summed scores.
    pub(crate) most: Option<Amount>,
    /// Its games, without byes.
    pub(crate) games: Wdl,
    /// Its byes: how many games each was worth.
    pub(crate) byes: &'a [u64],
    /// Its games without an opponent that were won and lost by forfeit, by match.
    pub(crate) unplayed: &'a [Wdl],
    /// The games of each round in which it was not paired, after it had withdrawn.
    pub(crate) absent: &'a [u64],
    /// The games of each round before it has joined.
    pub(crate) missed: &'a [u64],
    /// Games won with a seat other than the first.
    pub(crate) black_wins: u64,
    /// Games lost by a fault.
    pub(crate) faults: u64,
    /// Its points by round.
    pub(crate) rounds: Vec<(u32, Amount)>,
}

/// The number of each entrant by each tie-break that needs no tie to be known.
pub(crate) struct TieValues {
    /// Whether the points of an opponent tell its rank, which summed scores do not.
    ranks_opponents: bool,
    pub(crate) sonneborn_berger: Vec<Amount>,
    pub(crate) koya: Vec<Amount>,
    pub(crate) progressive: Vec<Amount>,
    pub(crate) buchholz: Vec<Buchholz>,
    wins: Vec<u64>,
    black_wins: Vec<u64>,
    faults: Vec<u64>,
}

impl TieValues {
    /// From the sums of all entrants. `met` has the games of each against each other, by index in
    /// `sums`, both ways, and `points` is what these games are worth between two.
    pub(crate) fn of(points: Points, sums: &[TieSums<'_>], met: &BTreeMap<(usize, usize), Wdl>) -> Self {
        let own: Vec<Amount> = sums.iter().map(|sum| sum.points).collect();
        // Twice the tie-break, so that a draw counts the opponent's points once and nothing is
        // halved early.
        let mut twice = vec![Amount::ZERO; sums.len()];
        let mut koya = vec![Amount::ZERO; sums.len()];
        // Where one had no opponent, it is as if one had met somebody with one's own points. Rounds
        // after a withdrawal count as drawn for those that have met who withdrew.
        let mut opponents: Vec<Vec<OpponentPoints>> = Vec::new();
        for ((sum, own), twice) in sums.iter().zip(&own).zip(&mut twice) {
            let alone = |points, is_missed| OpponentPoints { points, is_missed };
            let byes = sum.byes.iter().map(|games| alone(*own * *games, false));
            let unplayed = sum.unplayed.iter().map(|games| alone(*own * games.games(), games.losses > 0));
            let absent = sum.absent.iter().chain(sum.missed).map(|games| alone(*own * *games, true));
            opponents.push(byes.chain(unplayed).chain(absent).collect());
            for games in sum.unplayed {
                *twice += *own * (2 * games.wins + games.draws);
            }
        }
        for ((one, other), games) in met {
            let theirs = own[*other] + points.draw() * sums[*other].absent.iter().sum();
            twice[*one] += theirs * (2 * games.wins + games.draws);
            opponents[*one].push(OpponentPoints { points: theirs * games.games(), is_missed: false });
            if sums[*other].most.is_some_and(|most| theirs + theirs >= most) {
                koya[*one] += points.of(*games);
            }
        }
        let last = sums.iter().flat_map(|sum| &sum.rounds).map(|(round, _)| *round).max().unwrap_or(0);
        let progressive = |sum: &TieSums<'_>| {
            // The points of a round count after it and after each later one.
            sum.rounds.iter().map(|(round, points)| *points * u64::from(last - round + 1)).sum()
        };
        TieValues {
            ranks_opponents: sums.iter().all(|sum| sum.most.is_some()),
            sonneborn_berger: twice.into_iter().map(Amount::half).collect(),
            koya,
            progressive: sums.iter().map(progressive).collect(),
            buchholz: opponents.into_iter().map(Buchholz::of).collect(),
            wins: sums.iter().map(|sum| sum.games.wins).collect(),
            black_wins: sums.iter().map(|sum| sum.black_wins).collect(),
            faults: sums.iter().map(|sum| sum.faults).collect(),
        }
    }

    /// The number of an entrant. It is `None` for lot, and for the direct encounter, which depends
    /// on the tied. It is also `None` for the points of opponents if points are summed scores.
    pub(crate) fn value(&self, tiebreak: TieBreak, entrant: usize) -> Option<Amount> {
        let count = |count: &[u64]| Amount::ONE * count[entrant];
        if tiebreak.takes_opponents() && !self.ranks_opponents {
            return None;
        }
        Some(match tiebreak {
            TieBreak::Direct | TieBreak::Lot => return None,
            TieBreak::Wins => count(&self.wins),
            TieBreak::BlackWins => count(&self.black_wins),
            TieBreak::FewestFaults => count(&self.faults),
            TieBreak::SonnebornBerger => self.sonneborn_berger[entrant],
            TieBreak::Koya => self.koya[entrant],
            TieBreak::Progressive => self.progressive[entrant],
            TieBreak::Buchholz => self.buchholz[entrant].all,
            TieBreak::BuchholzCut1 => self.buchholz[entrant].cut_1,
            TieBreak::BuchholzMedian => self.buchholz[entrant].median,
        })
    }
}

/// The games of one of the tied against the others; `None` unless it has met each.
pub(crate) fn direct(met: &BTreeMap<(usize, usize), Wdl>, of: usize, tied: &[usize]) -> Option<Wdl> {
    let others = tied.iter().filter(|other| **other != of);
    others.map(|other| met.get(&(of, *other)).copied()).sum()
}

#[cfg(test)]
mod tests {
    use super::TieBreak;

    #[test]
    fn every_name_reads_back_and_another_is_refused_with_all_of_them() {
        for one in TieBreak::ALL {
            assert_eq!(one.to_string().parse(), Ok(one));
        }
        let words = "bucholz".parse::<TieBreak>().unwrap_err();
        assert!(words.contains("\"bucholz\"") && words.contains("buchholz-cut-1, buchholz"), "{words}");
    }
}
