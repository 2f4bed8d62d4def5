//! A cup: stage after stage, each with a cut, the next one drawn from the entrants that advance.

use std::collections::BTreeMap;

use super::pairings::board_seed;
use super::stage::{Field, Format, Ranking, StageRules, deal};
use super::swiss;

/// One stage.
#[derive(Clone, PartialEq, Debug)]
pub struct CupStage {
    /// Its name.
    pub name: String,
    /// Its rules.
    pub rules: StageRules,
    /// The shape of its groups.
    pub shape: GroupShape,
    /// How many of each group advance; `None` in the last stage.
    pub advance: Option<usize>,
    /// Whether entrants keep the given order, instead of an order drawn by lot.
    pub listed: bool,
}

impl CupStage {
    /// Whether each entrant meets each other one.
    pub fn is_all_against_all(&self) -> bool {
        matches!(self.rules.format, Format::RoundRobin { .. }) && self.shape == GroupShape::Groups(1)
    }

    /// Whether ties of this field may be played off.
    pub fn has_play_offs<S>(&self, field: &Field<S>) -> bool {
        let is_knockout = matches!(self.rules.format, Format::Knockout { .. });
        self.rules.play_offs > 0 && (is_knockout || !field.cuts.is_empty())
    }

    /// The stage with this field and these orders, if it is over.
    pub fn outcome<'a>(
        &self,
        field: &'a Field<String>,
        orders: Option<&'a [Vec<(usize, usize)>]>,
    ) -> StageOutcome<'a> {
        StageOutcome { field, orders, advance: self.advance, is_finals: self.shape == GroupShape::Finals }
    }
}

/// The groups of a stage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GroupShape {
    /// This many, dealt from pots: first the winners of the groups before, then the seconds, and so
    /// on.
    Groups(usize),
    /// The first meets the second for first place, the third the fourth for third place, and so on.
    Finals,
}

/// A stage of a cup that has begun, as far as the places of its entrants depend on it.
#[derive(Clone, Copy, Debug)]
pub struct StageOutcome<'a> {
    /// Its entrants and groups.
    pub field: &'a Field<String>,
    /// The members of each group, the best first, each with its rank, if it is over.
    pub orders: Option<&'a [Vec<(usize, usize)>]>,
    /// How many of each group advance; `None` in the last stage.
    pub advance: Option<usize>,
    /// Whether its groups are matches for places, as of [`GroupShape::Finals`].
    pub is_finals: bool,
}

/// The place of an entrant in a cup that has come so far.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CupPlace {
    /// The entrant.
    pub name: String,
    /// Its place; equals share one.
    pub place: usize,
    /// The last stage it played in, from 0.
    pub reached: usize,
}

/// A contradiction in the stages, with the stage and the key concerned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Misfit {
    /// The stage, from 0.
    pub stage: usize,
    /// The key in the file.
    pub key: &'static str,
    /// What is wrong with it.
    pub why: String,
}

/// The sizes of the groups of a stage with this number of entrants, the larger groups last.
pub fn sizes(shape: GroupShape, entrants: usize) -> Vec<usize> {
    match shape {
        GroupShape::Groups(groups) => (0..groups)
            .map(|group| entrants / groups + usize::from(group >= groups - entrants % groups))
            .collect(),
        GroupShape::Finals => (0..entrants / 2).map(|_| 2).collect(),
    }
}

/// The number of entrants of each stage, given that of the first.
///
/// # Errors
/// The first contradiction.
pub fn check(stages: &[CupStage], entrants: usize) -> Result<Vec<usize>, Misfit> {
    let mut counts = Vec::new();
    let mut count = entrants;
    for (number, stage) in stages.iter().enumerate() {
        let misfit = |key, why: String| Err(Misfit { stage: number, key, why });
        counts.push(count);
        let sizes = match stage.shape {
            GroupShape::Groups(0) => return misfit("groups", "0 groups; give at least 1".to_owned()),
            GroupShape::Groups(groups) if count < 2 * groups => {
                return misfit(
                    "groups",
                    format!(
                        "{count} {} not fill {groups} {} of two or more; {}",
                        if count == 1 { "entrant does" } else { "entrants do" },
                        if groups == 1 { "group" } else { "groups" },
                        if groups == 1 { "let more advance" } else { "give fewer groups" },
                    ),
                );
            }
            GroupShape::Finals if count < 2 || count % 2 == 1 => {
                return misfit("format", format!("finals need an even number of entrants, but {count} come"));
            }
            shape => sizes(shape, count),
        };
        let (least, most) =
            (sizes.iter().min().copied().unwrap_or(0), sizes.iter().max().copied().unwrap_or(0));
        if let Some((key, why)) = misfit_of_format(stage, least) {
            return misfit(key, why);
        }
        match (stage.advance, number + 1 == stages.len()) {
            (Some(_), true) => {
                return misfit("advance", "the last stage has no next one; leave it out there".to_owned());
            }
            (None, false) => {
                return misfit("advance", "it is missing; give how many of each group advance".to_owned());
            }
            (Some(go_on), false) if go_on == 0 || go_on > least => {
                let size = if least == most { least.to_string() } else { format!("{least} to {most}") };
                let why = format!("{go_on} of each group cannot advance, as groups have {size}; give fewer");
                return misfit("advance", why);
            }
            (Some(go_on), false) => count = go_on * sizes.len(),
            (None, true) => {}
        }
    }
    Ok(counts)
}

/// The groups of a stage after entrants have come or gone. All others keep their groups. Each new
/// entrant joins the smallest group, the last of equals. `entrants` are those of today. `None` if a
/// group is then too small for the stage, or if its order decides who meets whom.
pub fn regrouped(stage: &CupStage, groups: &[Vec<String>], entrants: &[String]) -> Option<Vec<Vec<String>>> {
    if stage.shape == GroupShape::Finals {
        return None;
    }
    let mut kept: Vec<Vec<String>> = (groups.iter())
        .map(|group| group.iter().filter(|name| entrants.contains(name)).cloned().collect())
        .collect();
    for fresh in entrants.iter().filter(|name| !groups.iter().flatten().any(|there| there == *name)) {
        // The larger groups are the last ones, as in a draw.
        let smallest = kept.iter_mut().rev().min_by_key(|group| group.len())?;
        smallest.push(fresh.clone());
    }
    let least = kept.iter().map(Vec::len).min()?;
    let fits = least >= stage.advance.unwrap_or(0).max(2) && misfit_of_format(stage, least).is_none();
    fits.then_some(kept)
}

/// The key and the reason, if the format does not fit groups whose smallest has `least` entrants.
fn misfit_of_format(stage: &CupStage, least: usize) -> Option<(&'static str, String)> {
    match stage.rules.format {
        Format::Gauntlet { leaders } if leaders == 0 || leaders >= least => Some((
            "leaders",
            format!(
                "{leaders} {} in a group of {least}; give 1 to {}",
                if leaders == 1 { "leader" } else { "leaders" },
                least - 1
            ),
        )),
        Format::Swiss { rounds } if rounds == 0 || rounds > swiss::most_rounds(least) => {
            let fit = swiss::most_rounds(least);
            let why = format!("{rounds} rounds of {least} entrants; give 1 to {fit}, or a round robin");
            Some(("rounds", why))
        }
        Format::RoundRobin { cycles: 0 } => {
            Some(("cycles", "0 cycles would play nothing; give at least 1".to_owned()))
        }
        _ => None,
    }
}

/// The seed of a stage: that of the cup for the first, another one for each later stage.
pub fn seed_of(seed: u64, stage: usize) -> u64 {
    if stage == 0 { seed } else { board_seed(seed, "\u{0}stage", &stage.to_string(), 1) }
}

/// The field of a stage. `pots` are the entrants, the strongest pot first.
pub fn field(stages: &[CupStage], number: usize, pots: &[Vec<String>], seed: u64) -> Field<String> {
    let stage = &stages[number];
    let seed = seed_of(seed, number);
    let groups = match stage.shape {
        GroupShape::Groups(groups) => deal(pots, groups, seed, stage.listed),
        GroupShape::Finals => pots.concat().chunks(2).map(<[String]>::to_vec).collect(),
    };
    of_groups(stages, number, &groups, seed)
}

/// The field of a stage with known groups. `seed` is that of the stage.
pub fn of_groups(stages: &[CupStage], number: usize, groups: &[Vec<String>], seed: u64) -> Field<String> {
    let mut next = 0..groups.iter().map(Vec::len).sum();
    Field {
        names: groups.concat(),
        groups: groups.iter().map(|group| next.by_ref().take(group.len()).collect()).collect(),
        titles: (0..groups.len()).map(|group| title(&stages[number], groups.len(), group)).collect(),
        cuts: cuts(stages, number, groups.len()),
        seed,
        absences: Vec::new(),
        late: Vec::new(),
        closing: None,
    }
}

/// The title of a group: `round 1, group B`, `final, place 3`.
fn title(stage: &CupStage, groups: usize, group: usize) -> String {
    match stage.shape {
        GroupShape::Finals => title_of_match(&stage.name, group),
        GroupShape::Groups(_) if groups == 1 => stage.name.clone(),
        GroupShape::Groups(_) => format!("{}, group {}", stage.name, letter(group)),
    }
}

/// Whether the winner of a group of the last stage, which has this name, has won the cup. Otherwise
/// it has won its group, or a match for another place.
pub fn decides(stage: &str, title: &str, groups: usize) -> bool {
    groups == 1 || is_finals(stage, title)
}

/// Whether the groups of a stage, which has this name, are matches for places: the first of them
/// has this title.
pub fn is_finals(stage: &str, title: &str) -> bool {
    title == title_of_match(stage, 0)
}

fn title_of_match(stage: &str, group: usize) -> String {
    format!("{stage}, match for place {}", 2 * group + 1)
}

/// The name of a group, counted from 0: A, B, ..., Z, 27, 28, ...
pub fn letter(group: usize) -> String {
    match u8::try_from(group) {
        Ok(number @ 0..26) => char::from(b'A' + number).to_string(),
        _ => (group + 1).to_string(),
    }
}

/// The cuts in each group of a stage, where ties matter.
fn cuts(stages: &[CupStage], number: usize, groups: usize) -> Vec<usize> {
    let stage = &stages[number];
    let Some(go_on) = stage.advance else {
        return if stage.shape == GroupShape::Finals { vec![1] } else { Vec::new() };
    };
    match stages.get(number + 1).map(|next| next.shape) {
        // The entrants of the final are settled here already.
        Some(GroupShape::Finals) if groups == 1 => (2..=go_on).step_by(2).collect(),
        Some(GroupShape::Finals) => (1..=go_on).collect(),
        _ => vec![go_on],
    }
}

/// The pots of the next stage: the winners of the groups, then the seconds, as far as they advance.
pub fn pots(field: &Field<String>, result: &[Ranking], go_on: usize) -> Vec<Vec<String>> {
    let of_rank = |rank: usize| result.iter().map(|group| field.names[group.order[rank]].clone()).collect();
    (0..go_on).map(of_rank).collect()
}

/// The places of all entrants after the stages that are over. An entrant that went out later is
/// ahead of one that went out earlier; in the same stage, the rank in the group decides. Those who
/// went no farther than a stage that is not over share a place.
pub fn places(played: &[StageOutcome<'_>]) -> Vec<CupPlace> {
    // By the stage and the rank in the group, the last stage first.
    let mut tiers: BTreeMap<(std::cmp::Reverse<usize>, usize), Vec<String>> = BTreeMap::new();
    for (number, StageOutcome { field, orders, advance, is_finals }) in played.iter().enumerate() {
        // One that was out may have come back in the place of another, and one that was replaced is
        // behind all others.
        let is_later =
            |name: &String| played[number + 1..].iter().any(|later| later.field.names.contains(name));
        let is_replaced = |entrant: usize| {
            field.absences.iter().any(|one| one.entrant == entrant && one.replaced_by().is_some())
        };
        let Some(orders) = orders else {
            // A later stage may be over, although something was decided about this one since.
            let here = field.names.iter().filter(|name| !is_later(name)).cloned();
            tiers.entry((std::cmp::Reverse(number), 0)).or_default().extend(here);
            continue;
        };
        for (group, order) in orders.iter().enumerate() {
            let stays = advance.unwrap_or(0);
            // An entrant that advances has reached the next stage, even before it begins. Once that
            // has begun, it has those who play there, whatever is decided about the stage before.
            let is_last = number + 1 == played.len();
            if is_last && stays > 0 {
                let names = order[..stays].iter().map(|(entrant, _)| field.names[*entrant].clone());
                tiers.entry((std::cmp::Reverse(number + 1), 0)).or_default().extend(names);
            }
            for (entrant, rank) in order.iter().skip(if is_last { stays } else { 0 }) {
                let name = &field.names[*entrant];
                let rank = match is_finals {
                    _ if is_replaced(*entrant) => usize::MAX,
                    _ if is_later(name) => continue,
                    true => 2 * group + rank,
                    false => *rank,
                };
                tiers.entry((std::cmp::Reverse(number), rank)).or_default().push(name.clone());
            }
        }
    }
    let mut place = 1;
    let mut all = Vec::new();
    for ((std::cmp::Reverse(reached), _), mut names) in tiers {
        names.sort();
        let shared = place;
        place += names.len();
        all.extend(names.into_iter().map(|name| CupPlace { name, place: shared, reached }));
    }
    all
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::matches::{Match, Score, Scores};
    use crate::points::{Points, Wdl};
    use crate::stage::progress;

    fn stage(name: &str, shape: GroupShape, advance: Option<usize>) -> CupStage {
        CupStage {
            name: name.to_owned(),
            rules: StageRules {
                format: Format::RoundRobin { cycles: 1 },
                games: 10,
                play_off_games: 2,
                play_offs: 2,
                tiebreaks: Format::RoundRobin { cycles: 1 }.tiebreaks(),
                points: Points::TWO_ONE_NONE,
            },
            shape,
            advance,
            listed: false,
        }
    }

    fn places_of(stages: &[CupStage], played: &[(Field<String>, Option<Vec<Ranking>>)]) -> Vec<CupPlace> {
        let ranked = |ranking: &Ranking| ranking.order.iter().copied().zip(1..).collect();
        let orders: Vec<Option<Vec<_>>> = (played.iter())
            .map(|(_, result)| result.as_ref().map(|result| result.iter().map(ranked).collect()))
            .collect();
        let all = stages.iter().zip(played).zip(&orders);
        let outcomes: Vec<_> =
            all.map(|((stage, (field, _)), orders)| stage.outcome(field, orders.as_deref())).collect();
        places(&outcomes)
    }

    /// The cup of a class in the letters document.
    fn class_cup() -> Vec<CupStage> {
        vec![
            stage("round 1", GroupShape::Groups(4), Some(4)),
            stage("round 2", GroupShape::Groups(2), Some(4)),
            stage("round 3", GroupShape::Groups(1), Some(4)),
            stage("semi-finals", GroupShape::Groups(1), Some(4)),
            stage("finals", GroupShape::Finals, None),
        ]
    }

    #[test]
    fn one_that_comes_back_in_the_place_of_another_has_one_place() {
        let stages =
            [stage("all", GroupShape::Groups(1), Some(4)), stage("finals", GroupShape::Finals, None)];
        let order = |order: &[usize]| Ranking { order: order.to_vec(), words: Vec::new(), ties: Vec::new() };
        let names = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<String>>();
        let first = field(&stages, 0, &[names("a b c d e f")], 7);
        let in_order: Vec<usize> = names("a b c d e f")
            .iter()
            .map(|name| first.names.iter().position(|one| one == name).unwrap())
            .collect();
        // In the first of the two matches, e plays in the place of a, and wins.
        let mut last = first.clone();
        last.names = names("a b e c d");
        last.groups = vec![vec![0, 1, 2], vec![3, 4]];
        let rule = crate::withdrawals::WithdrawalRule::Forfeit;
        last.absences = vec![crate::withdrawals::Absence {
            entrant: 0,
            from: 1,
            unpaired: 1,
            rule,
            successor: crate::withdrawals::Successor::Entrant(2),
        }];
        let played =
            [(first, Some(vec![order(&in_order)])), (last, Some(vec![order(&[2, 1, 0]), order(&[3, 4])]))];
        let places = places_of(&stages, &played);
        let found: Vec<(&str, usize)> = places.iter().map(|one| (one.name.as_str(), one.place)).collect();
        assert_eq!(found, [("e", 1), ("b", 2), ("c", 3), ("d", 4), ("a", 5), ("f", 6)]);
    }

    #[test]
    fn what_is_decided_about_an_earlier_stage_loses_nobody() {
        let stages =
            [stage("all", GroupShape::Groups(1), Some(2)), stage("finals", GroupShape::Finals, None)];
        let order = |order: &[usize]| Ranking { order: order.to_vec(), words: Vec::new(), ties: Vec::new() };
        let names = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<String>>();
        let first = field(&stages, 0, &[names("a b c d")], 7);
        let at = |name: &str| first.names.iter().position(|one| one == name).unwrap();
        // When b and a had played the final, it was decided that c had been before b.
        let now = order(&["a", "c", "b", "d"].map(at));
        let last = field(&stages, 1, &[names("a"), names("b")], 7);
        let winner = last.names.iter().position(|name| name == "b").unwrap();
        let won = order(&[winner, 1 - winner]);
        let places = places_of(&stages, &[(first, Some(vec![now])), (last, Some(vec![won]))]);
        let found: Vec<(&str, usize)> = places.iter().map(|one| (one.name.as_str(), one.place)).collect();
        assert_eq!(found, [("b", 1), ("a", 2), ("c", 3), ("d", 4)]);
    }

    #[test]
    fn equals_of_a_gauntlet_share_a_place() {
        let stages = [stage("all", GroupShape::Groups(1), None)];
        let field = field(&stages, 0, &[vec!["a".to_owned(), "b".to_owned(), "c".to_owned()]], 7);
        let orders = [vec![(0, 1), (1, 1), (2, 3)]];
        let places = places(&[stages[0].outcome(&field, Some(&orders))]);
        assert_eq!(places.iter().map(|one| one.place).collect::<Vec<_>>(), [1, 1, 3]);
    }

    #[test]
    fn the_class_cup_has_220_pairings_and_the_strongest_come_first() {
        let stages = class_cup();
        assert_eq!(check(&stages, 34), Ok(vec![34, 16, 8, 4, 4]));
        assert_eq!(sizes(GroupShape::Groups(4), 34), [8, 8, 9, 9]);
        let mut pots = vec![(0..34).map(|number| format!("e{number:02}")).collect::<Vec<_>>()];
        let (mut played, mut matches) = (Vec::new(), 0);
        for number in 0..stages.len() {
            let field = field(&stages, number, &pots, 7);
            let mut scores: Scores = HashMap::new();
            let win = |one: &Match| {
                let games = u64::from(one.games);
                if field.names[one.pairing.first] < field.names[one.pairing.second] { games } else { 0 }
            };
            for one in progress(&stages[number].rules, &field, &scores).matches {
                matches += 1;
                let games = Wdl { wins: win(&one), draws: 0, losses: u64::from(one.games) - win(&one) };
                scores.insert(one.pairing.pairing, Score { games, ..Score::default() });
            }
            let result = progress(&stages[number].rules, &field, &scores).result.unwrap();
            pots = super::pots(&field, &result, stages[number].advance.unwrap_or(0));
            played.push((field, Some(result)));
        }
        assert_eq!(matches, 220);
        let places = places_of(&stages, &played);
        assert_eq!(places.len(), 34);
        let first: Vec<(&str, usize, usize)> =
            places[..6].iter().map(|place| (place.name.as_str(), place.place, place.reached)).collect();
        assert_eq!(first[..4], [("e00", 1, 4), ("e01", 2, 4), ("e02", 3, 4), ("e03", 4, 4)]);
        assert_eq!((first[4].1, first[4].2), (5, 2));
        assert_eq!(places[33].reached, 0);
        // After the first stage the sixteen entrants that advance share the first place.
        let half = places_of(&stages, &played[..1]);
        assert!(half[..16].iter().all(|place| (place.place, place.reached) == (1, 1)));
        assert_eq!((half[16].place, half[16].reached), (17, 0));
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let of = |change: fn(&mut Vec<CupStage>), entrants| {
            let mut stages = class_cup();
            change(&mut stages);
            let misfit = check(&stages, entrants).unwrap_err();
            (misfit.stage, misfit.key)
        };
        assert_eq!(of(|_| {}, 7), (0, "groups"));
        assert_eq!(of(|_| {}, 12), (0, "advance"));
        assert_eq!(of(|stages| stages[1].advance = Some(9), 34), (1, "advance"));
        assert_eq!(of(|stages| stages[1].advance = None, 34), (1, "advance"));
        assert_eq!(of(|stages| stages[4].advance = Some(1), 34), (4, "advance"));
        assert_eq!(of(|stages| stages[3].advance = Some(3), 34), (4, "format"));
        assert_eq!(of(|stages| stages[0].rules.format = Format::Swiss { rounds: 7 }, 34), (0, "rounds"));
        assert_eq!(of(|stages| stages[0].rules.format = Format::Gauntlet { leaders: 8 }, 34), (0, "leaders"));
    }

    #[test]
    fn semi_finals_settle_who_plays_for_the_title() {
        let stages = class_cup();
        assert_eq!(cuts(&stages, 0, 4), [4]);
        assert_eq!(cuts(&stages, 3, 1), [2, 4]);
        assert_eq!(cuts(&stages, 4, 2), [1]);
    }
}
