//! The sums of each entrant of a stage: games, byes, points, play-offs and, in a Swiss, Buchholz.

use super::matches::Scores;
use super::stage::{Field, Format, StageProgress, StageRules};
use super::ties::TieTable;
use super::withdrawals::{absent_rounds, missed_rounds};
use crate::points::{Amount, Wdl};
use crate::tiebreaks::Buchholz;

/// The sums of one entrant in a stage.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sum {
    /// Its games in the matches of the format itself.
    pub games: Wdl,
    /// Its byes: games won without an opponent.
    pub byes: u64,
    /// Its games that were not played: forfeit wins and losses.
    pub unplayed: Wdl,
    /// The points for all of these.
    pub points: Amount,
    /// Its games in play-offs of ties, which count in none of the numbers above.
    pub play_offs: Wdl,
    /// Those of them that were not played.
    pub unplayed_play_offs: Wdl,
    /// The points of its opponents; `None` in every format but the Swiss.
    pub buchholz: Option<Buchholz>,
}

/// The sums of all entrants so far, by index in a field of this size.
pub fn sums<S>(rules: &StageRules, field: &Field<S>, progress: &StageProgress, scores: &Scores) -> Vec<Sum> {
    let mut all = vec![Sum::default(); field.names.len()];
    let played = progress.matches.iter().filter_map(|one| Some((one, scores.get(&one.pairing.pairing)?)));
    for (one, score) in played {
        let (games, unplayed) = (score.games, score.unplayed.games);
        for (entrant, games, unplayed) in [
            (one.pairing.first, games, unplayed),
            (one.pairing.second, games.reversed(), unplayed.reversed()),
        ] {
            if one.play_off == 0 {
                all[entrant].games += games;
                all[entrant].unplayed += unplayed;
            } else {
                all[entrant].play_offs += games + unplayed;
                all[entrant].unplayed_play_offs += unplayed;
            }
        }
    }
    for bye in &progress.byes {
        all[*bye].byes += u64::from(rules.games);
    }
    for sum in &mut all {
        sum.points = rules.points.of(sum.games + sum.unplayed) + rules.points.win() * sum.byes;
    }
    if !matches!(rules.format, Format::Swiss { .. }) {
        return all;
    }
    let everybody: Vec<usize> = (0..field.names.len()).collect();
    let mut table = TieTable::new(&everybody, rules.points).of_swiss();
    for (group, members) in field.groups.iter().enumerate() {
        let rounds = absent_rounds(&field.absences, (group, members), &progress.matches);
        rounds.for_each(|(entrant, rounds)| table.add_absent(entrant, rounds, rules.games));
    }
    let last = progress.matches.iter().map(|one| one.pairing.round).max().unwrap_or(0);
    for late in &field.late {
        table.add_missed(late.entrant, missed_rounds(late, last), rules.games);
    }
    progress.matches.iter().filter(|one| one.play_off == 0).for_each(|one| table.add(one, scores));
    progress.byes.iter().for_each(|bye| table.add_bye(*bye, rules.games));
    for (sum, buchholz) in all.iter_mut().zip(table.buchholz()) {
        sum.buchholz = Some(buchholz);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matches::{Match, Score};
    use crate::pairings::Pairing;
    use crate::points::Points;

    /// A Swiss of five, three rounds of one game, worked out by hand; w is a win of the first, = a
    /// draw:
    ///
    /// | round | | | bye |
    /// |---|---|---|---|
    /// | 1 | a w b | c w d | e |
    /// | 2 | a w c | e = b | d |
    /// | 3 | a = e | c w b | - |
    ///
    /// In the third round d does not play, as if it had been the odd one again: it has two byes.
    /// Points: a 2.5, b 0.5, c 2, d 2, e 2. Buchholz is the points of the opponents. A bye is an
    /// opponent with as many points as one has oneself (FIDE C.07). The sums are:
    ///
    /// * a 0.5 + 2 + 2 = 4.5;
    /// * b 2.5 + 2 + 2 = 6.5;
    /// * c 2 + 2.5 + 0.5 = 5;
    /// * d 2 + 2 + 2 = 6;
    /// * e 2 + 0.5 + 2.5 = 5.
    ///
    /// Cut 1 leaves out the lowest: 4, 4.5, 4.5, 4, 4.5. The median leaves out the highest too: 2,
    /// 2, 2, 2, 2.
    fn swiss(format: Format) -> Vec<Sum> {
        let (win, draw) = (Wdl { wins: 1, draws: 0, losses: 0 }, Wdl { wins: 0, draws: 1, losses: 0 });
        let games =
            [(0, 1, win), (2, 3, win), (0, 2, win), (4, 1, draw), (0, 4, draw), (2, 1, win), (0, 4, win)];
        let mut progress = StageProgress {
            matches: Vec::new(),
            byes: vec![4, 3, 3],
            duels: Vec::new(),
            orders: Vec::new(),
            result: None,
        };
        let mut scores = Scores::new();
        for (pairing, (first, second, games)) in (1..).zip(games) {
            let pairing = Pairing { round: 1, pairing, first, second };
            // The last game is a play-off, and counts for nothing.
            let play_off = u32::from(pairing.pairing == 7);
            progress.matches.push(Match { pairing, group: 0, before: 0, games: 1, play_off });
            scores.insert(pairing.pairing, Score { games, ..Score::default() });
        }
        let tiebreaks = format.tiebreaks();
        let rules = StageRules {
            format,
            games: 1,
            play_off_games: 2,
            play_offs: 2,
            tiebreaks,
            points: Points::CHESS,
        };
        let field = Field {
            names: ["a", "b", "c", "d", "e"].to_vec(),
            groups: vec![(0..5).collect()],
            titles: vec![String::new()],
            cuts: Vec::new(),
            seed: 7,
            absences: Vec::new(),
            late: Vec::new(),
            closing: None,
        };
        sums(&rules, &field, &progress, &scores)
    }

    #[test]
    fn points_and_buchholz_of_a_swiss_worked_by_hand() {
        let all = swiss(Format::Swiss { rounds: 3 });
        let shown = |cell: fn(&Sum) -> Amount| -> Vec<String> {
            all.iter().map(|sum| cell(sum).to_string()).collect()
        };
        assert_eq!(shown(|sum| sum.points), ["2.5", "0.5", "2", "2", "2"]);
        assert_eq!(shown(|sum| sum.buchholz.unwrap().all), ["4.5", "6.5", "5", "6", "5"]);
        assert_eq!(shown(|sum| sum.buchholz.unwrap().cut_1), ["4", "4.5", "4.5", "4", "4.5"]);
        assert_eq!(shown(|sum| sum.buchholz.unwrap().median), ["2", "2", "2", "2", "2"]);
        let byes: Vec<u64> = all.iter().map(|sum| sum.byes).collect();
        assert_eq!(byes, [0, 0, 0, 2, 1]);
        assert_eq!(
            (all[0].games.to_string(), all[0].play_offs.to_string()),
            ("2-1-0".into(), "1-0-0".into())
        );
    }

    #[test]
    fn buchholz_is_for_a_swiss_alone() {
        let all = swiss(Format::RoundRobin { cycles: 1 });
        assert!(all.iter().all(|sum| sum.buchholz.is_none()));
    }
}
