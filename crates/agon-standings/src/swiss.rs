//! The rounds of a Swiss system: entrants with similar points meet, no two meet twice, and first
//! seats are shared equally.

/// The data of an entrant for the pairing of a round.
#[derive(Clone, Debug)]
pub struct SwissPlayer {
    /// Points so far, in any unit; a bye counts as all games won.
    pub points: i64,
    /// Its opponents so far, by their numbers; `None` is a bye.
    pub met: Vec<Option<usize>>,
    /// Matches that it began with the first seat, minus those that it did not.
    pub firsts: i32,
    /// Whether it had the first seat in its last match.
    pub was_first: bool,
}

/// The most rounds for which a pairing without repeats certainly exists.
///
/// As long as each can still meet half of the others, there is a perfect matching (Dirac).
pub fn most_rounds(players: usize) -> usize {
    players.div_ceil(2)
}

/// The largest difference between an entrant's first and second seats after a match.
const LEAN: i32 = 2;

/// After this many pairs the search ends, and a round is paired without regard to seats and points.
const TRIES: u32 = 100_000;

/// With so few left, the search looks ahead whether each of them still has a partner.
const FEW: usize = 40;

/// Pairs a round: the entrant with the first seat and its opponent; `None` for the bye. Players are
/// numbered by their strength before the first round, the strongest first. The pairs come in the
/// order of the points.
///
/// The bye goes to the lowest entrant without one that leaves the others a pairing without repeats.
/// Equals meet as far as possible, and each entrant's seats differ by at most two.
///
/// Panics after [`most_rounds`].
pub fn pair(players: &[SwissPlayer]) -> Vec<(usize, Option<usize>)> {
    paired(players).unwrap_or_else(|order| paired_at_any_price(players, &order))
}

/// Pairs a round of those who are there, by their numbers. Where too few are left who have not met,
/// some meet again.
pub fn pair_present(players: &[SwissPlayer], there: &[usize]) -> Vec<(usize, Option<usize>)> {
    if there.len() == players.len() {
        return pair(players);
    }
    let number = |player: usize| there.iter().position(|one| *one == player).unwrap_or(usize::MAX);
    let met = |met: &Option<usize>| met.map(number);
    let present: Vec<SwissPlayer> = (there.iter())
        .map(|player| SwissPlayer {
            met: players[*player].met.iter().map(met).collect(),
            ..players[*player].clone()
        })
        .collect();
    let can_all_meet = present.iter().all(|player| player.met.len() < most_rounds(present.len()));
    let pairs = paired(&present).unwrap_or_else(|order| match can_all_meet {
        true => paired_at_any_price(&present, &order),
        false => met_again(&present, &order),
    });
    pairs.into_iter().map(|(one, other)| (there[one], other.map(|other| there[other]))).collect()
}

/// Pairs neighbours, whether they have met or not. The lowest has the bye.
fn met_again(players: &[SwissPlayer], order: &[usize]) -> Pairs {
    let pairs = order.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
    seated(players, order, pairs, order.chunks_exact(2).remainder().first().copied())
}

fn paired_at_any_price(players: &[SwissPlayer], order: &[usize]) -> Pairs {
    let (pairs, bye) = at_any_price(players, order);
    seated(players, order, pairs, bye)
}

/// The pairs of a round, and the bye.
type Pairs = Vec<(usize, Option<usize>)>;

/// The pairs of a round without repeats, with seats.
///
/// # Errors
/// The players in the order of their points, if none are found.
fn paired(players: &[SwissPlayer]) -> Result<Pairs, Vec<usize>> {
    let mut order: Vec<usize> = (0..players.len()).collect();
    order.sort_by_key(|player| (std::cmp::Reverse(players[*player].points), *player));
    let byes: Vec<Option<usize>> = if players.len().is_multiple_of(2) {
        vec![None]
    } else {
        order
            .iter()
            .rev()
            .filter(|player| !players[**player].met.contains(&None))
            .copied()
            .map(Some)
            .collect()
    };
    let new = |one: usize, other: usize| !players[one].met.contains(&Some(other));
    let level = |one: usize, other: usize| players[one].firsts * players[other].firsts < LEAN * LEAN;
    let (mut found, mut tries) = (None, TRIES);
    for bye in byes {
        let left: Vec<usize> = order.iter().copied().filter(|player| Some(*player) != bye).collect();
        let mut search = |fits: &dyn Fn(usize, usize) -> bool| {
            let mut search = Search { players, fits, tries, pairs: Vec::new() };
            let found = search.pair(&left);
            tries = search.tries;
            found.then_some(search.pairs)
        };
        let pairs = search(&|one, other| new(one, other) && level(one, other)).or_else(|| search(&new));
        if let Some(pairs) = pairs {
            found = Some((pairs, bye));
            break;
        }
    }
    let Some((pairs, bye)) = found else { return Err(order) };
    Ok(seated(players, &order, pairs, bye))
}

/// Gives the first seats in these pairs.
fn seated(
    players: &[SwissPlayer],
    order: &[usize],
    mut pairs: Vec<(usize, usize)>,
    bye: Option<usize>,
) -> Pairs {
    let mut places = vec![0; players.len()];
    order.iter().zip(0..).for_each(|(player, place)| places[*player] = place);
    for (one, other) in &mut pairs {
        if places[*other] < places[*one] {
            std::mem::swap(one, other);
        }
    }
    pairs.sort_by_key(|(one, _)| places[*one]);
    let pairs = pairs.into_iter().zip(0..).map(|((one, other), board)| {
        if begins(&players[other], &players[one], board) { (other, Some(one)) } else { (one, Some(other)) }
    });
    pairs.chain(bye.map(|bye| (bye, None))).collect()
}

/// A search for partners from the top, so that changes affect the leaders last.
struct Search<'a> {
    players: &'a [SwissPlayer],
    /// Whether two may meet.
    fits: &'a dyn Fn(usize, usize) -> bool,
    /// How many pairs may still be tried.
    tries: u32,
    pairs: Vec<(usize, usize)>,
}

impl Search<'_> {
    /// Finds partners for all that are left, if possible.
    fn pair(&mut self, left: &[usize]) -> bool {
        let Some(next) = self.next(left) else { return left.is_empty() };
        let mut rest = left.to_vec();
        let one = rest.remove(next);
        for place in self.wishes(one, &rest) {
            let other = rest[place];
            if !(self.fits)(one, other) {
                continue;
            }
            if self.tries == 0 {
                return false;
            }
            self.tries -= 1;
            let mut rest = rest.clone();
            rest.remove(place);
            self.pairs.push((one, other));
            if self.pair(&rest) {
                return true;
            }
            self.pairs.pop();
        }
        false
    }

    /// The index of the player to pair next: the top one, unless few are left and one of them has a
    /// single partner. `None` if one has no partner.
    fn next(&self, left: &[usize]) -> Option<usize> {
        if left.len() > FEW {
            return Some(0);
        }
        let fit =
            |one: &usize| left.iter().filter(|other| *other != one && (self.fits)(*one, **other)).count();
        let counts: Vec<usize> = left.iter().map(fit).collect();
        if counts.contains(&0) {
            return None;
        }
        Some(counts.iter().position(|count| *count == 1).unwrap_or(0)).filter(|_| !left.is_empty())
    }

    /// The others as partners, the best first: equals, and among them those that need the other
    /// seat. Among these the first is half of the equals away, so that the upper half meets the
    /// lower. Then the nearest.
    fn wishes(&self, one: usize, rest: &[usize]) -> Vec<usize> {
        let points = |player: usize| self.players[player].points;
        let equals = rest.iter().take_while(|other| points(**other) == points(one)).count();
        let same_wish = |other: usize| self.players[one].firsts * self.players[other].firsts > 0;
        let mut wishes: Vec<usize> = (0..rest.len()).collect();
        wishes.sort_by_key(|wish| {
            let gap = points(one).abs_diff(points(rest[*wish]));
            (gap, same_wish(rest[*wish]), wish.abs_diff(equals / 2))
        });
        wishes
    }
}

/// Whether `one` gets the first seat against `other`, which is higher, on this board, counted from
/// 0.
fn begins(one: &SwissPlayer, other: &SwissPlayer, board: usize) -> bool {
    match one.firsts.cmp(&other.firsts) {
        std::cmp::Ordering::Less => true,
        std::cmp::Ordering::Greater => false,
        // The higher player changes its seat; without earlier matches, boards alternate.
        std::cmp::Ordering::Equal if other.met.iter().any(Option::is_some) => other.was_first,
        std::cmp::Ordering::Equal => board % 2 == 1,
    }
}

/// A pairing without repeats and without a second bye, which certainly exists, for a field too
/// large to search.
fn at_any_price(players: &[SwissPlayer], order: &[usize]) -> (Vec<(usize, usize)>, Option<usize>) {
    let slots = players.len().next_multiple_of(2);
    let have_met = |one: usize, other: usize| {
        let (low, high) = (one.min(other), one.max(other));
        players[low].met.contains(&(high < players.len()).then_some(high))
    };
    // The bye is an extra player, after all others.
    let order: Vec<usize> = order.iter().copied().chain(players.len()..slots).collect();
    let mut partner = vec![usize::MAX; slots];
    for (place, one) in order.iter().copied().enumerate() {
        let free = |other: &usize| partner[*other] == usize::MAX && !have_met(one, *other);
        if partner[one] == usize::MAX
            && let Some(other) = order[place + 1..].iter().copied().find(free)
        {
            (partner[one], partner[other]) = (other, one);
        }
    }
    mend(&order, &mut partner, have_met);
    let mut pairs = Vec::new();
    let mut bye = None;
    for (place, player) in order.iter().enumerate().filter(|(_, player)| **player < players.len()) {
        match partner[*player] {
            other if other >= players.len() => bye = Some(*player),
            other if order[place..].contains(&other) => pairs.push((*player, other)),
            _ => {}
        }
    }
    (pairs, bye)
}

/// Finds partners for the rest: two of them and an existing pair make two new pairs. Such a pair
/// always exists: the two can still meet more than half of all others.
fn mend(order: &[usize], partner: &mut [usize], have_met: impl Fn(usize, usize) -> bool) {
    loop {
        let left: Vec<usize> =
            order.iter().copied().filter(|player| partner[*player] == usize::MAX).collect();
        let [.., one, other] = left[..] else { return };
        if !have_met(one, other) {
            (partner[one], partner[other]) = (other, one);
            continue;
        }
        // From below, so that changes affect the leaders last.
        let found = order.iter().rev().copied().find(|third| {
            let fourth = partner[*third];
            fourth != usize::MAX && !have_met(one, *third) && !have_met(other, fourth)
        });
        let third = found.expect("there have been fewer rounds than half the players");
        let fourth = partner[third];
        (partner[one], partner[third]) = (third, one);
        (partner[other], partner[fourth]) = (fourth, other);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// Plays all possible rounds with random results; calls `look` with each round before it is
    /// played.
    fn played(
        count: usize,
        seed: u64,
        mut look: impl FnMut(&[SwissPlayer], &[(usize, Option<usize>)]),
    ) -> Vec<SwissPlayer> {
        let fresh = SwissPlayer { points: 0, met: Vec::new(), firsts: 0, was_first: false };
        let mut players = vec![fresh; count];
        let mut state = seed;
        for _ in 0..most_rounds(count) {
            let pairs = pair(&players);
            look(&players, &pairs);
            let mut seen = HashSet::new();
            for (first, second) in pairs {
                assert!(seen.insert(first));
                let Some(second) = second else {
                    players[first].points += 2;
                    players[first].met.push(None);
                    continue;
                };
                assert!(seen.insert(second));
                assert!(!players[first].met.contains(&Some(second)), "{first} and {second} have met");
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let (a, b) = [(2, 0), (1, 1), (0, 2)][(state >> 40) as usize % 3];
                players[first].points += a;
                players[second].points += b;
                players[first].met.push(Some(second));
                players[second].met.push(Some(first));
                players[first].firsts += 1;
                players[second].firsts -= 1;
                players[first].was_first = true;
                players[second].was_first = false;
            }
            assert_eq!(seen.len(), count);
        }
        players
    }

    #[test]
    #[ignore = "slow"]
    fn nobody_meets_anybody_twice_or_has_two_byes_and_seats_are_shared() {
        for count in 2..=40 {
            for seed in 0..if count <= 20 { 40 } else { 5 } {
                for player in played(count, seed, |_, _| {}) {
                    assert_eq!(player.met.len(), most_rounds(count));
                    let byes = player.met.iter().filter(|met| met.is_none()).count();
                    assert!(byes <= 1);
                    // At most one seat more than parity demands.
                    assert!(player.firsts.abs() <= 2, "{} of {count}, seed {seed}", player.firsts);
                }
            }
        }
    }

    /// Whether these can all be paired without repeats, by trying everything.
    fn can_be_paired(players: &[SwissPlayer], left: &[usize]) -> bool {
        let Some((one, rest)) = left.split_first() else { return true };
        rest.iter().any(|other| {
            let others: Vec<usize> = rest.iter().copied().filter(|player| player != other).collect();
            !players[*one].met.contains(&Some(*other)) && can_be_paired(players, &others)
        })
    }

    #[test]
    fn the_bye_goes_to_the_lowest_who_has_had_none() {
        let (mut lowest, mut others) = (0, 0);
        for count in (3..=19).step_by(2) {
            for seed in 0..40 {
                played(count, seed, |players, pairs| {
                    let bye = pairs.iter().find(|(_, other)| other.is_none()).unwrap().0;
                    let mut free: Vec<usize> = (0..count).collect();
                    free.retain(|player| !players[*player].met.contains(&None));
                    free.sort_by_key(|player| (players[*player].points, std::cmp::Reverse(*player)));
                    // If it is another, the lower players leave no pairing without repeats.
                    for low in free.into_iter().take_while(|player| *player != bye) {
                        let left: Vec<usize> = (0..count).filter(|player| *player != low).collect();
                        assert!(
                            !can_be_paired(players, &left),
                            "{count} players, seed {seed}: {bye}, not {low}"
                        );
                        others += 1;
                    }
                    lowest += 1;
                });
            }
        }
        assert!(others * 50 < lowest, "{others} of {lowest}");
    }

    #[test]
    fn a_field_too_large_to_search_is_paired_without_repeats() {
        let mut players = played(41, 1, |_, _| {});
        players.iter_mut().for_each(|player| {
            player.met.pop();
        });
        let order: Vec<usize> = (0..41).collect();
        let (pairs, bye) = at_any_price(&players, &order);
        let mut seen: Vec<usize> = pairs.iter().flat_map(|(one, other)| [*one, *other]).chain(bye).collect();
        seen.sort();
        assert_eq!(seen, order);
        assert!(pairs.iter().all(|(one, other)| !players[*one].met.contains(&Some(*other))));
        assert!(!players[bye.unwrap()].met.contains(&None));
    }

    #[test]
    fn those_who_are_there_are_paired_and_meet_again_only_where_nobody_new_is_left() {
        for count in 4..=12 {
            for seed in 0..20 {
                let players = played(count, seed, |_, _| {});
                // One after another is gone, although no rounds are left by the number of players.
                for gone in 1..count {
                    let there: Vec<usize> = (gone..count).collect();
                    let pairs = pair_present(&players, &there);
                    let mut seen: Vec<usize> =
                        pairs.iter().flat_map(|(one, other)| [Some(*one), *other]).flatten().collect();
                    seen.sort_unstable();
                    assert_eq!(seen, there);
                    assert_eq!(pairs.iter().filter(|(_, other)| other.is_none()).count(), there.len() % 2);
                }
            }
        }
        let mut players = played(8, 3, |_, _| {});
        players.iter_mut().for_each(|player| player.met.truncate(1));
        let there: Vec<usize> = (1..8).collect();
        for (one, other) in pair_present(&players, &there) {
            assert!(other.is_none_or(|other| !players[one].met.contains(&Some(other))));
        }
    }

    #[test]
    fn the_first_round_parts_the_field_and_the_second_pairs_equals() {
        let fresh = SwissPlayer { points: 0, met: Vec::new(), firsts: 0, was_first: false };
        let mut players = vec![fresh; 8];
        let met: Vec<(usize, Option<usize>)> = pair(&players);
        let low = |(one, other): &(usize, Option<usize>)| (*one).min(other.unwrap());
        assert_eq!(met.iter().map(low).collect::<Vec<_>>(), [0, 1, 2, 3]);
        assert!(
            met.iter()
                .all(|(one, other)| one.abs_diff(other.unwrap()) == 4 || one.abs_diff(other.unwrap()) == 3)
        );
        for (one, other) in met {
            let other = other.unwrap();
            players[one].met.push(Some(other));
            players[other].met.push(Some(one));
            players[one.min(other)].points = 2;
        }
        for (one, other) in pair(&players) {
            assert_eq!(players[one].points, players[other.unwrap()].points);
        }
        let odd = vec![SwissPlayer { points: 0, met: Vec::new(), firsts: 0, was_first: false }; 5];
        assert_eq!(pair(&odd).iter().filter(|(_, other)| other.is_none()).count(), 1);
    }
}
