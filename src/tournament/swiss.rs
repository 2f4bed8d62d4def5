//! The rounds of a Swiss system: who has equally many points meets, nobody meets anybody twice, and everybody has
//! the first seat in the first game about equally often.

/// What the pairing of a round goes by.
#[derive(Clone, Debug)]
pub struct Player {
    /// Points so far, in any unit; a bye counts as all games won.
    pub points: i64,
    /// Whom it has met, by their numbers; `None` is a bye.
    pub met: Vec<Option<usize>>,
    /// Matches it began with the first seat, less those it did not.
    pub firsts: i32,
    /// Whether it had the first seat in its last match.
    pub was_first: bool,
}

/// How many rounds there can be, so that a pairing without repeats is certain to exist.
///
/// As long as everybody can still meet half of the others there is a perfect matching (Dirac).
pub fn most_rounds(players: usize) -> usize {
    players.div_ceil(2)
}

/// Pairs a round: who begins with the first seat, and against whom; `None` for the bye. Players are numbered by
/// their strength before the first round, the strongest first. The pairs come in the order of the points.
///
/// Panics when there have been [`most_rounds`] already.
pub fn pair(players: &[Player]) -> Vec<(usize, Option<usize>)> {
    let slots = players.len().next_multiple_of(2);
    let mut order: Vec<usize> = (0..players.len()).collect();
    order.sort_by_key(|player| (std::cmp::Reverse(players[*player].points), *player));
    let have_met = |one: usize, other: usize| {
        let (low, high) = (one.min(other), one.max(other));
        players[low].met.contains(&(high < players.len()).then_some(high))
    };
    // The bye is a player of its own, behind everybody.
    order.extend(players.len()..slots);
    let points = |player: usize| players.get(player).map_or(i64::MIN, |player| player.points);
    let mut partner = vec![usize::MAX; slots];
    for (place, player) in order.iter().copied().enumerate() {
        if partner[player] != usize::MAX {
            continue;
        }
        let free: Vec<usize> =
            order[place + 1..].iter().copied().filter(|other| partner[*other] == usize::MAX).collect();
        // The upper half of those with equal points meets the lower half.
        let equals = free.iter().take_while(|other| points(**other) == points(player)).count();
        let fold = equals / 2;
        let mut wishes: Vec<usize> = (0..free.len()).collect();
        wishes.sort_by_key(|wish| (*wish >= equals, wish.abs_diff(fold)));
        if let Some(wish) = wishes.into_iter().find(|wish| !have_met(player, free[*wish])) {
            (partner[player], partner[free[wish]]) = (free[wish], player);
        }
    }
    mend(&order, &mut partner, have_met);
    let pairs = order.iter().filter(|player| **player < players.len());
    let mut pairs: Vec<(usize, Option<usize>)> = pairs
        .map(|player| (*player, Some(partner[*player]).filter(|other| *other < players.len())))
        .filter(|(player, other)| other.is_none_or(|other| before(&order, *player, other)))
        .collect();
    for pair in &mut pairs {
        if let (one, Some(other)) = *pair
            && begins(players, other, one)
        {
            *pair = (other, Some(one));
        }
    }
    pairs
}

fn before(order: &[usize], one: usize, other: usize) -> bool {
    let place = |player| order.iter().position(|other| *other == player);
    place(one) < place(other)
}

/// Whether `one` should begin rather than `other`, who stands higher.
fn begins(players: &[Player], one: usize, other: usize) -> bool {
    let (one, other) = (&players[one], &players[other]);
    match one.firsts.cmp(&other.firsts) {
        std::cmp::Ordering::Less => true,
        std::cmp::Ordering::Greater => false,
        // Whoever stands higher changes its seat.
        std::cmp::Ordering::Equal => other.was_first,
    }
}

/// Finds partners for those who are left: two of them and a pair that can be parted make two new pairs. There always
/// is such a pair: the two have more than half of all others left to meet.
fn mend(order: &[usize], partner: &mut [usize], have_met: impl Fn(usize, usize) -> bool) {
    loop {
        let left: Vec<usize> =
            order.iter().copied().filter(|player| partner[*player] == usize::MAX).collect();
        let [.., one, other] = left[..] else { return };
        if !have_met(one, other) {
            (partner[one], partner[other]) = (other, one);
            continue;
        }
        // From below: who leads is disturbed last.
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

    /// Plays all rounds there can be; the lower number wins, or a draw by chance.
    fn played(count: usize, seed: u64) -> Vec<Player> {
        let fresh = Player { points: 0, met: Vec::new(), firsts: 0, was_first: false };
        let mut players = vec![fresh; count];
        let mut state = seed;
        for _ in 0..most_rounds(count) {
            let pairs = pair(&players);
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
    fn nobody_meets_anybody_twice_or_has_two_byes_and_seats_are_shared() {
        for count in 2..40 {
            for seed in 0..5 {
                for player in played(count, seed) {
                    assert_eq!(player.met.len(), most_rounds(count));
                    assert!(player.met.iter().filter(|met| met.is_none()).count() <= 1);
                    assert!(player.firsts.abs() <= 3, "{} of {count}", player.firsts);
                }
            }
        }
    }

    #[test]
    fn the_first_round_parts_the_field_and_the_second_pairs_equals() {
        let fresh = Player { points: 0, met: Vec::new(), firsts: 0, was_first: false };
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
        let odd = vec![Player { points: 0, met: Vec::new(), firsts: 0, was_first: false }; 5];
        assert_eq!(pair(&odd).iter().filter(|(_, other)| other.is_none()).count(), 1);
    }
}
