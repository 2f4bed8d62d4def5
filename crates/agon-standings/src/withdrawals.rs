//! Entrants that withdraw or join late, and stages that are closed: what becomes of games that are
//! not played.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::matches::{Match, Score, Unplayed};
use crate::pairings::PlannedGame;

/// What becomes of the games of an entrant that has withdrawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum WithdrawalRule {
    /// Games that were played count. The others are lost by forfeit, and won by the opponents.
    Forfeit,
    /// None of its games count.
    Expunge,
}

impl WithdrawalRule {
    /// Every rule.
    pub const ALL: [WithdrawalRule; 2] = [WithdrawalRule::Forfeit, WithdrawalRule::Expunge];

    /// Its name as a user writes it.
    pub fn name(self) -> &'static str {
        match self {
            WithdrawalRule::Forfeit => "forfeit",
            WithdrawalRule::Expunge => "expunge",
        }
    }
}

impl fmt::Display for WithdrawalRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for WithdrawalRule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|rule| rule.name() == text)
            .ok_or_else(|| format!("there is no rule {text:?}; there are forfeit and expunge"))
    }
}

impl From<WithdrawalRule> for String {
    fn from(rule: WithdrawalRule) -> String {
        rule.name().to_owned()
    }
}

impl TryFrom<String> for WithdrawalRule {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

/// An entrant that joins a Swiss late.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LateEntry {
    /// Its index in the field.
    pub entrant: usize,
    /// The first round in which it is paired.
    pub from: u32,
}

/// What becomes of the games that a run lacks when it is closed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClosingRule {
    /// They are drawn.
    Drawn,
    /// They count for nobody.
    Void,
}

/// The end of a run before all of its games were played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Closing {
    /// What becomes of the games that it lacks.
    pub rest: ClosingRule,
    /// The last round; a Swiss pairs no later one.
    pub last: u32,
}

/// An entrant of a stage or a run that has withdrawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Absence {
    /// Its index in the field.
    pub entrant: usize,
    /// From this round on, it plays nothing that it has not played yet.
    pub from: u32,
    /// From this round on, a Swiss does not pair it. It is later than `from` where the round was
    /// paired by then.
    pub unpaired: u32,
    /// What becomes of its games.
    pub rule: WithdrawalRule,
    /// Who plays in its place from the round `unpaired` on.
    pub successor: Successor,
}

/// Who plays in the place of an entrant that has withdrawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Successor {
    /// Nobody.
    Nobody,
    /// One that has not come yet. Its games wait for it.
    Awaited,
    /// This entrant, by its index in the field.
    Entrant(usize),
}

impl Absence {
    /// Who plays in its place, if somebody does by now.
    pub fn replaced_by(&self) -> Option<usize> {
        match self.successor {
            Successor::Entrant(other) => Some(other),
            Successor::Nobody | Successor::Awaited => None,
        }
    }

    /// Whether it is this entrant, and one that has not come yet is to play in its place.
    pub(crate) fn is_awaited(&self, entrant: usize) -> bool {
        self.entrant == entrant && self.successor == Successor::Awaited
    }

    /// Whether its place in this round is free, for one that has not come yet.
    fn awaits_in(&self, round: u32) -> bool {
        self.successor == Successor::Awaited && round >= self.unpaired
    }
}

/// Whether this entrant plays nothing more in this round, and nobody else will.
pub fn is_absent(absences: &[Absence], entrant: usize, round: u32) -> bool {
    absences.iter().any(|one| one.entrant == entrant && round >= one.from && !one.awaits_in(round))
}

/// Who plays in this round in the place of an entrant: itself, unless it was replaced by then.
pub fn in_place(absences: &[Absence], mut entrant: usize, round: u32) -> usize {
    // One replaces another only if it has not played itself, so that this ends.
    for _ in 0..absences.len() {
        let one = absences.iter().find(|one| one.entrant == entrant && round >= one.unpaired);
        match one.and_then(Absence::replaced_by) {
            Some(other) => entrant = other,
            None => break,
        }
    }
    entrant
}

/// Who has the place in a round in which its holder changes: there an entrant is paired like the
/// one that it replaces.
pub fn paired_as(absences: &[Absence], mut entrant: usize, round: u32) -> usize {
    for _ in 0..absences.len() {
        match absences.iter().find(|one| one.replaced_by() == Some(entrant) && round == one.unpaired) {
            Some(one) => entrant = one.entrant,
            None => break,
        }
    }
    entrant
}

/// The members of a group that have a place of their own in its plan.
pub fn placed(absences: &[Absence], members: &[usize]) -> Vec<usize> {
    let replaces = |member: &usize| absences.iter().any(|one| one.replaced_by() == Some(*member));
    members.iter().copied().filter(|member| !replaces(member)).collect()
}

/// Whether nobody plays this game, if it has not been played yet.
pub fn are_given_up(absences: &[Absence], game: &PlannedGame) -> bool {
    !absences.is_empty() && game.seats.values().iter().any(|one| is_absent(absences, *one, game.id.round))
}

/// Who of the members of a group was not paired by a Swiss because it had withdrawn, and in how
/// many of the rounds so far.
pub fn absent_rounds<'a>(
    absences: &'a [Absence],
    (group, members): (usize, &'a [usize]),
    matches: &[Match],
) -> impl Iterator<Item = (usize, u64)> + use<'a> {
    let main = matches.iter().filter(|one| one.play_off == 0 && one.group == group);
    let last = main.map(|one| one.pairing.round).max().unwrap_or(0);
    let is_awaited = |one: &Absence| one.is_awaited(one.entrant);
    let gone = absences.iter().filter(move |one| members.contains(&one.entrant) && !is_awaited(one));
    gone.map(move |one| (one.entrant, u64::from((last + 1).saturating_sub(one.unpaired))))
        .filter(|(_, rounds)| *rounds > 0)
}

/// Whether a Swiss pairs this entrant in this round.
pub fn is_paired(absences: &[Absence], late: &[LateEntry], entrant: usize, round: u32) -> bool {
    !absences.iter().any(|one| one.entrant == entrant && round >= one.unpaired && !one.awaits_in(round))
        && !late.iter().any(|one| one.entrant == entrant && round < one.from)
}

/// How many of the rounds up to this one a late entrant has missed.
pub fn missed_rounds(late: &LateEntry, last: u32) -> u64 {
    u64::from(late.from.saturating_sub(1).min(last))
}

/// The score of a match with the games that are not played, where `score` has those that were.
pub fn settled(absences: &[Absence], closing: Option<Closing>, one: &Match, score: Score) -> Score {
    let left = u64::from(one.games).saturating_sub(score.played());
    let is_gone = |entrant| is_absent(absences, entrant, one.pairing.round);
    let is_expunged = |entrant| {
        let rule = absences.iter().find(|one| one.entrant == entrant).map(|one| one.rule);
        rule == Some(WithdrawalRule::Expunge)
    };
    let mut unplayed = Unplayed::default();
    match (is_gone(one.pairing.first), is_gone(one.pairing.second)) {
        (false, false) => match closing.map(|closing| closing.rest) {
            None => return score,
            Some(ClosingRule::Drawn) => unplayed.games.draws = left,
            Some(ClosingRule::Void) => unplayed.nobody = left,
        },
        _ if is_expunged(one.pairing.first) || is_expunged(one.pairing.second) => unplayed.nobody = left,
        (true, true) => unplayed.nobody = left,
        (true, false) => unplayed.games.losses = left,
        (false, true) => unplayed.games.wins = left,
    }
    Score { unplayed, ..score }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairings::Pairing;
    use crate::points::Wdl;

    #[test]
    fn a_rule_reads_back_and_another_is_refused_with_all_of_them() {
        for rule in WithdrawalRule::ALL {
            assert_eq!(rule.to_string().parse(), Ok(rule));
        }
        let words = "leave".parse::<WithdrawalRule>().unwrap_err();
        assert!(words.contains("\"leave\"") && words.contains("forfeit and expunge"), "{words}");
    }

    #[test]
    fn a_place_goes_from_one_to_the_next() {
        let rule = WithdrawalRule::Forfeit;
        let one = |entrant, unpaired, by| Absence {
            entrant,
            from: 1,
            unpaired,
            rule,
            successor: Successor::Entrant(by),
        };
        let absences = [one(0, 2, 4), one(4, 3, 5)];
        assert_eq!([1, 2, 3, 9].map(|round| in_place(&absences, 0, round)), [0, 4, 5, 5]);
        assert_eq!([1, 2, 3].map(|round| in_place(&absences, 1, round)), [1, 1, 1]);
        assert_eq!([2, 3, 4].map(|round| paired_as(&absences, 4, round)), [0, 4, 4]);
        assert_eq!([2, 3, 4].map(|round| paired_as(&absences, 5, round)), [5, 4, 5]);
        assert_eq!(placed(&absences, &[0, 1, 2, 4, 5]), [0, 1, 2]);
    }

    #[test]
    fn what_was_played_stays_and_the_rest_goes_to_the_opponent() {
        let absence = |entrant, from, rule| Absence {
            entrant,
            from,
            unpaired: from,
            rule,
            successor: Successor::Nobody,
        };
        let one = |round| Match {
            pairing: Pairing { round, pairing: 1, first: 0, second: 1 },
            group: 0,
            before: 0,
            games: 4,
            play_off: 0,
        };
        let played = Score { games: Wdl { wins: 1, draws: 0, losses: 0 }, ..Score::default() };
        let gone = [absence(0, 2, WithdrawalRule::Forfeit)];
        assert_eq!(settled(&gone, None, &one(1), played), played);
        let score = settled(&gone, None, &one(2), played);
        assert_eq!(score.total(), Wdl { wins: 1, draws: 0, losses: 3 });
        assert_eq!((score.games, score.played()), (played.games, 4));
        let both = [gone[0], absence(1, 1, WithdrawalRule::Forfeit)];
        let score = settled(&both, None, &one(2), played);
        assert_eq!((score.total(), score.unplayed.nobody), (played.games, 3));
        for (rest, draws) in [(ClosingRule::Drawn, 3), (ClosingRule::Void, 0)] {
            let score = settled(&[], Some(Closing { rest, last: 2 }), &one(2), played);
            assert_eq!((score.total().draws, score.unplayed.nobody, score.played()), (draws, 3 - draws, 4));
        }
        let expunged = [absence(1, 1, WithdrawalRule::Expunge)];
        assert_eq!(settled(&expunged, None, &one(2), Score::default()).unplayed.nobody, 4);
    }
}
