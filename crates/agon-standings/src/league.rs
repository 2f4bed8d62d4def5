//! A league: divisions that play night after night, with promotion and relegation between them.

use std::collections::VecDeque;

use crate::cup::{GroupShape, sizes};

/// How many change divisions after a night. So many go up from each division but the first, and as
/// many go down from each but the last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LeagueRules {
    /// The number of divisions.
    pub divisions: usize,
    /// How many go up, and how many go down.
    pub moves: usize,
}

/// What a night means for an entrant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Move {
    /// It plays in the division above on the next night.
    Up,
    /// It stays.
    Stay,
    /// It plays in the division below on the next night.
    Down,
}

/// The title of a division of a night, counted from 1: `night 3, division 1`.
pub fn division_title(night: &str, division: usize) -> String {
    format!("{night}, division {division}")
}

impl LeagueRules {
    /// The divisions of entrants in this order, the best first. Sizes differ by one at most, the
    /// larger divisions last.
    pub fn divided(self, order: &[String]) -> Vec<Vec<String>> {
        let mut left = order;
        (sizes(GroupShape::Groups(self.divisions), order.len()).into_iter())
            .map(|size| {
                let (division, rest) = left.split_at(size);
                left = rest;
                division.to_vec()
            })
            .collect()
    }

    /// What a place, from 0, in a division of this size, from 0, means for the next night.
    pub fn of_place(self, division: usize, place: usize, size: usize) -> Move {
        if division > 0 && place < self.moves {
            Move::Up
        } else if division + 1 < self.divisions && place + self.moves >= size {
            Move::Down
        } else {
            Move::Stay
        }
    }

    /// The divisions of the next night, after a night with these rankings, the best first. Entrants
    /// that are gone leave a gap, which the best below fill; new ones begin at the bottom, in the
    /// order of their names. Who has to go up goes up: if a division becomes smaller, the last of
    /// those who would stay go down.
    pub fn next(self, rankings: &[Vec<String>], entered: &[String]) -> Vec<Vec<String>> {
        // Those from above come first in their new division, those from below last.
        let mut divisions: Vec<[VecDeque<String>; 3]> =
            vec![Default::default(); rankings.len().max(self.divisions)];
        for (division, ranking) in rankings.iter().enumerate() {
            for (place, name) in ranking.iter().enumerate().filter(|(_, name)| entered.contains(name)) {
                let (to, part) = match self.of_place(division, place, ranking.len()) {
                    Move::Up => (division - 1, 2),
                    Move::Stay => (division, 1),
                    Move::Down => (division + 1, 0),
                };
                if let Some(to) = divisions.get_mut(to) {
                    to[part].push_back(name.clone());
                }
            }
        }
        let mut new: Vec<String> = entered
            .iter()
            .filter(|name| !rankings.iter().flatten().any(|known| known == *name))
            .cloned()
            .collect();
        new.sort();
        if let Some(last) = divisions.last_mut() {
            last[2].extend(new);
        }
        let mut found: Vec<Vec<String>> = Vec::new();
        let mut pushed_down: Vec<String> = Vec::new();
        for (division, size) in
            sizes(GroupShape::Groups(self.divisions), entered.len()).into_iter().enumerate()
        {
            let [from_above, staying, from_below] =
                divisions.get_mut(division).map(std::mem::take).unwrap_or_default();
            let mut before: Vec<String> = pushed_down.drain(..).chain(from_above).chain(staying).collect();
            let mut risen: Vec<String> = from_below.into();
            let room = size.saturating_sub(risen.len());
            if before.len() > room {
                pushed_down = before.split_off(room);
            }
            pushed_down.extend(risen.drain(size.min(risen.len())..));
            before.append(&mut risen);
            let mut below = divisions.iter_mut().skip(division + 1).flatten();
            while before.len() < size
                && let Some(best) = below.find_map(VecDeque::pop_front)
            {
                before.push(best);
                below = divisions.iter_mut().skip(division + 1).flatten();
            }
            found.push(before);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    fn shown(divisions: &[Vec<String>]) -> String {
        divisions.iter().map(|division| division.join(" ")).collect::<Vec<_>>().join(" | ")
    }

    #[test]
    fn the_last_go_down_and_the_first_below_come_up() {
        let league = LeagueRules { divisions: 3, moves: 1 };
        let first = league.divided(&names("a b c d e f g h i j"));
        assert_eq!(shown(&first), "a b c | d e f | g h i j");
        let rankings = [names("c b a"), names("f e d"), names("j i h g")];
        let next = league.next(&rankings, &names("a b c d e f g h i j"));
        assert_eq!(shown(&next), "c b f | a e j | d i h g");
    }

    #[test]
    fn who_is_gone_is_replaced_from_below_and_who_is_new_begins_at_the_bottom() {
        let league = LeagueRules { divisions: 2, moves: 1 };
        let rankings = [names("a b c"), names("d e f")];
        assert_eq!(shown(&league.next(&rankings, &names("b c d e f z y"))), "b d c | e f y z");
    }

    #[test]
    fn who_has_to_go_up_goes_up_though_the_divisions_become_smaller() {
        let league = LeagueRules { divisions: 2, moves: 1 };
        let rankings = [names("a b c"), names("d e f")];
        // One of three has to make room for d.
        assert_eq!(shown(&league.next(&rankings, &names("a b c d e"))), "a d | b c e");
        assert_eq!(shown(&league.next(&rankings, &names("a b c d"))), "a d | b c");
        // Where nobody is to go down, somebody is gone.
        assert_eq!(shown(&league.next(&rankings, &names("a c d e"))), "a d | c e");
        assert_eq!(shown(&league.next(&rankings, &names("b c e f"))), "b c | e f");
        let league = LeagueRules { divisions: 3, moves: 1 };
        let rankings = [names("a b c"), names("d e f"), names("g h i")];
        assert_eq!(shown(&league.next(&rankings, &names("a b c d e g h"))), "a d | b g | c e h");
        // The number of divisions may change with the file.
        let rankings = [names("a b c"), names("d e f")];
        let (three, one) = (LeagueRules { divisions: 3, moves: 1 }, LeagueRules { divisions: 1, moves: 0 });
        assert_eq!(shown(&three.next(&rankings, &names("a b c d e f g"))), "a d | b c | e f g");
        assert_eq!(shown(&one.next(&rankings, &names("a b c d e f"))), "a b c d e f");
        let league = LeagueRules { divisions: 2, moves: 2 };
        let rankings = [names("a b c d"), names("e f g h")];
        assert_eq!(shown(&league.next(&rankings, &names("a b e f"))), "e f | a b");
    }

    #[test]
    fn nobody_moves_where_nobody_is_to_move() {
        let league = LeagueRules { divisions: 2, moves: 0 };
        let rankings = [names("b a"), names("d c")];
        assert_eq!(shown(&league.next(&rankings, &names("a b c d"))), "b a | d c");
    }
}
