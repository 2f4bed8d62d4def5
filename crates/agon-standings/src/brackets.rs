//! The plan of a gauntlet, the bracket of a knockout and the names of its matches.

use super::withdrawals::Absence;

/// The rounds of a gauntlet: in each round every leader meets another one of the others.
pub(super) fn gauntlet(leaders: usize, members: usize) -> Vec<(u32, (usize, usize))> {
    let others = members.saturating_sub(leaders);
    let slots = leaders.max(others);
    let mut all = Vec::new();
    for round in 0..slots {
        for leader in 0..leaders.min(members) {
            let other = (leader + round) % slots;
            if other < others {
                let pair = (leader, leaders + other);
                // The first seat alternates from round to round and from leader to leader.
                let pair = if (round + leader) % 2 == 0 { pair } else { (pair.1, pair.0) };
                all.push((u32::try_from(round).expect("a tournament has fewer than 2^32 rounds") + 1, pair));
            }
        }
    }
    all
}

/// The slots of a knockout's first round, for a power of two: 1-8 4-5 2-7 3-6, counted from 0.
pub(super) fn bracket(slots: usize) -> Vec<usize> {
    let mut places = vec![0];
    while places.len() < slots {
        let size = places.len() * 2;
        places = places.iter().flat_map(|place| [*place, size - 1 - place]).collect();
    }
    places
}

/// The members of a knockout group that is not over: those still in play share the first place.
pub(super) fn in_play(alive: &[Option<usize>], out: &[usize], absences: &[Absence]) -> Vec<(usize, usize)> {
    // One whose reserve is awaited holds the place, and is behind all others.
    let is_awaited = |entrant: &usize| absences.iter().any(|one| one.is_awaited(*entrant));
    let (awaited, alive): (Vec<usize>, Vec<usize>) =
        alive.iter().copied().flatten().partition(|entrant| is_awaited(entrant));
    let after = alive.len() + 1;
    let behind = out.iter().copied().chain(awaited).zip(after..);
    alive.into_iter().map(|entrant| (entrant, 1)).chain(behind).collect()
}

/// The name of a round of a knockout with room for `slots` entrants.
pub fn round_name(slots: usize) -> String {
    match slots {
        2 => "final".to_owned(),
        4 => "semi-finals".to_owned(),
        8 => "quarter-finals".to_owned(),
        _ => format!("round of {slots}"),
    }
}

/// The name of a match in such a round.
pub(super) fn duel_name(slots: usize, number: usize) -> String {
    let round = round_name(slots);
    match (slots, round.strip_suffix('s')) {
        (2, _) => round,
        (_, Some(one)) => format!("{one} {number}"),
        (_, None) => format!("{round}, match {number}"),
    }
}
