//! The two tables: the ranking and the crosstable.

use std::cmp::Ordering;

use super::{Standings, Tally};
use crate::points::{Amount, Points, Wdl};

/// One row of the ranking.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// 1 is the best; equals share a rank, and the next ranks are left out (1, 2, 2, 4).
    pub rank: usize,
    /// The name of the entrant.
    pub entrant: String,
    /// Its points.
    pub points: Amount,
    /// Its points as a share of the points for as many wins, 0 to 1; `None` before its first game.
    pub share: Option<f64>,
    /// The points of beaten opponents and half of those drawn with (FIDE C.07), game by game.
    pub sonneborn_berger: Amount,
    /// Its points against those it is tied with; `None` without a tie, or if not all of them have
    /// met.
    pub direct: Option<Amount>,
    /// Its points against entrants with at least half of the possible points (Koya, FIDE C.07).
    pub koya: Amount,
    /// The sum of its points after each round.
    pub progressive: Amount,
    /// The points of its opponents, game by game. It tells nothing in a round robin.
    pub buchholz: Buchholz,
    /// Its byes in a Swiss, which count in its points; `None` in every other format.
    pub byes: Option<u64>,
    /// The sums behind the points.
    pub tally: Tally,
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
    /// From the points of each opponent.
    pub fn of(mut opponents: Vec<Amount>) -> Self {
        opponents.sort_unstable();
        let sum = |some: &[Amount]| some.iter().copied().sum();
        let cut = opponents.get(1..).unwrap_or_default();
        let median = &cut[..cut.len().saturating_sub(1)];
        Buchholz { all: sum(&opponents), cut_1: sum(cut), median: sum(median) }
    }
}

/// The crosstable, in the order of the ranking.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Crosstable {
    /// The entrants, the best first.
    pub entrants: Vec<String>,
    /// For each entrant a row with its games against each; `None` against itself and those it has
    /// not met.
    pub cells: Vec<Vec<Option<CrosstableCell>>>,
}

/// The games of the row's entrant against another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CrosstableCell {
    /// Its results.
    pub games: Wdl,
    /// Its points.
    pub points: Amount,
}

/// Points out of games, compared by points per game without rounding. No games are less than any.
#[derive(Clone, Copy)]
struct Share {
    points: Amount,
    games: u64,
}

impl Share {
    fn cmp(self, other: Share) -> Ordering {
        let product = |a: Share, b: Share| i128::from(a.points.thousandths()) * i128::from(b.games);
        (self.games > 0).cmp(&(other.games > 0)).then_with(|| product(self, other).cmp(&product(other, self)))
    }
}

/// The numbers that rank an entrant, the most important first.
struct Contender {
    number: usize,
    share: Share,
    direct: Share,
    wins: u64,
    sonneborn_berger: Amount,
}

/// Tie-breaks that are shown but do not decide, by the index of the entrant.
struct Sums {
    koya: Vec<Amount>,
    progressive: Vec<Amount>,
    buchholz: Vec<Buchholz>,
}

impl Contender {
    /// `Less` is the better one.
    fn cmp(&self, other: &Contender) -> Ordering {
        (other.share.cmp(self.share))
            .then_with(|| other.direct.cmp(self.direct))
            .then_with(|| other.wins.cmp(&self.wins))
            .then_with(|| other.sonneborn_berger.cmp(&self.sonneborn_berger))
    }
}

impl Standings {
    /// All entrants, the best first.
    ///
    /// The rank follows from the points. While some have played more games than others it follows
    /// from the share of points, which gives the same order once all have played equally many. Ties
    /// are broken by the games between the tied if each has met each; then by wins; then by
    /// Sonneborn-Berger. Entrants that are still equal share a rank and are ordered by name.
    pub fn table(&self) -> Vec<Row> {
        let mut contenders = self.contenders();
        contenders.sort_by(|a, b| b.share.cmp(a.share));
        for tied in contenders.chunk_by_mut(|a, b| a.share.cmp(b.share).is_eq()) {
            self.settle(tied);
        }
        contenders.sort_by(|a, b| {
            a.cmp(b).then_with(|| self.entrants[a.number].name.cmp(&self.entrants[b.number].name))
        });
        let mut rank = 0;
        let ranks: Vec<usize> = (0..contenders.len())
            .map(|place| {
                if place == 0 || contenders[place - 1].cmp(&contenders[place]).is_ne() {
                    rank = place + 1;
                }
                rank
            })
            .collect();
        let sums = self.sums();
        contenders.iter().zip(ranks).map(|(contender, rank)| self.row(contender, rank, &sums)).collect()
    }

    /// The crosstable, in the order of [`Standings::table`].
    pub fn crosstable(&self) -> Crosstable {
        let entrants: Vec<String> = self.table().into_iter().map(|row| row.entrant).collect();
        let cell = |one: &String, other: &String| {
            let games = self.between(one, other);
            (games.games() > 0).then(|| CrosstableCell { games, points: self.points.of(games) })
        };
        let cells =
            entrants.iter().map(|one| entrants.iter().map(|other| cell(one, other)).collect()).collect();
        Crosstable { entrants, cells }
    }

    fn contenders(&self) -> Vec<Contender> {
        let totals: Vec<Wdl> = self.entrants.iter().map(super::Entrant::with_byes).collect();
        // Twice the tie-break, so that a draw counts the opponent's points once and nothing is
        // halved early.
        let mut twice = vec![Amount::ZERO; totals.len()];
        for ((one, other), games) in &self.met {
            twice[*one] += self.points.of(totals[*other]) * (2 * games.wins + games.draws);
        }
        totals
            .iter()
            .enumerate()
            .map(|(number, total)| Contender {
                number,
                share: Share { points: self.points.of(*total), games: total.games() },
                direct: Share { points: Amount::ZERO, games: 0 },
                wins: self.entrants[number].tally.total().wins,
                sonneborn_berger: twice[number].half(),
            })
            .collect()
    }

    fn sums(&self) -> Sums {
        let totals: Vec<Wdl> = self.entrants.iter().map(super::Entrant::with_byes).collect();
        let mut koya = vec![Amount::ZERO; totals.len()];
        let mut opponents: Vec<Vec<Amount>> = (self.entrants.iter().zip(&totals))
            .map(|(entrant, total)| match entrant.byes {
                0 => Vec::new(),
                byes => vec![self.points.of(*total) * byes],
            })
            .collect();
        for ((one, other), games) in &self.met {
            let theirs = self.points.of(totals[*other]);
            opponents[*one].push(theirs * games.games());
            let half = self.points.win() * totals[*other].games();
            if theirs + theirs >= half {
                koya[*one] += self.points.of(*games);
            }
        }
        let last = self.entrants.iter().filter_map(|entrant| entrant.rounds.keys().next_back()).max();
        let progressive = |entrant: &super::Entrant| {
            // The points of a round count after it and after each later one.
            let of = |(round, games): (&u32, &Wdl)| {
                self.points.of(*games) * u64::from(last.map_or(0, |last| last - round + 1))
            };
            entrant.rounds.iter().map(of).sum()
        };
        let buchholz = opponents.into_iter().map(Buchholz::of).collect();
        Sums { koya, buchholz, progressive: self.entrants.iter().map(progressive).collect() }
    }

    /// Gives each of the tied its share of the points of their own games, if each has met each.
    fn settle(&self, tied: &mut [Contender]) {
        if tied.len() < 2 {
            return;
        }
        let numbers: Vec<usize> = tied.iter().map(|contender| contender.number).collect();
        let met =
            |one: usize| numbers.iter().filter(move |other| **other != one).map(move |other| (one, *other));
        if numbers.iter().flat_map(|one| met(*one)).any(|pair| !self.met.contains_key(&pair)) {
            return;
        }
        for contender in tied {
            let games: Wdl = met(contender.number).map(|(one, other)| self.encounter(one, other)).sum();
            contender.direct = Share { points: self.points.of(games), games: games.games() };
        }
    }

    fn row(&self, contender: &Contender, rank: usize, sums: &Sums) -> Row {
        let entrant = &self.entrants[contender.number];
        Row {
            direct: (contender.direct.games > 0).then_some(contender.direct.points),
            koya: sums.koya[contender.number],
            progressive: sums.progressive[contender.number],
            buchholz: sums.buchholz[contender.number],
            byes: self.is_swiss.then_some(entrant.byes),
            rank,
            entrant: entrant.name.clone(),
            points: contender.share.points,
            share: share_of(self.points, contender.share),
            sonneborn_berger: contender.sonneborn_berger,
            tally: entrant.tally.clone(),
        }
    }
}

fn share_of(points: Points, of: Share) -> Option<f64> {
    (of.games > 0).then(|| of.points.to_f64() / (points.win() * of.games).to_f64())
}

impl Crosstable {
    /// The row of this entrant.
    pub fn line(&self, entrant: &str) -> Option<&[Option<CrosstableCell>]> {
        let place = self.entrants.iter().position(|name| name == entrant)?;
        Some(&self.cells[place])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Sample;
    use crate::sample::game;

    /// Eight players, from the reference numbers: w first, b second, the opponent, the result.
    const EIGHT: [&str; 8] = [
        "8w1 2w1 3b1 4w= 5b1 6w= 7b0",
        "7w= 1b0 8w1 3w1 4b= 5w1 6b1",
        "6w= 7b1 1w0 2b0 8w= 4w1 5b1",
        "5w1 6b= 7w1 1b= 2w= 3b0 8w1",
        "4b0 8b1 6w1 7b1 1w0 2b0 3w0",
        "3b= 4w= 5b0 8b1 7w= 1b= 2w0",
        "2b= 3w0 4b0 5w0 6b= 8b1 1w1",
        "1b0 5w0 2b0 6w0 3b= 7w0 4b0",
    ];

    /// Every game once, from the row of the player with the first seat.
    fn eight() -> Vec<Sample> {
        let mut records = Vec::new();
        for (player, line) in (1..).zip(EIGHT) {
            for entry in line.split(' ').filter(|entry| entry.contains('w')) {
                let (opponent, result) = entry.split_once('w').unwrap();
                let result = match result {
                    "1" => "1-0",
                    "=" => "1/2-1/2",
                    _ => "0-1",
                };
                records.push(game(&format!("p{player}"), &format!("p{opponent}"), result));
            }
        }
        records
    }

    /// A double round robin of four with points 4 4 3 1; the results follow from the published
    /// tie-breaks.
    fn four(drawn_pairs_are_draws: bool) -> Vec<Sample> {
        let mut records = Vec::new();
        for (one, other, points) in
            [("a", "b", 1), ("a", "c", 2), ("a", "d", 1), ("b", "c", 1), ("b", "d", 2), ("c", "d", 2)]
        {
            let (first, second) = match (points, drawn_pairs_are_draws) {
                (2, _) => ("1-0", "0-1"),
                (_, true) => ("1/2-1/2", "1/2-1/2"),
                (_, false) => ("1-0", "1-0"),
            };
            records.push(game(one, other, first));
            records.push(game(other, one, second));
        }
        records
    }

    fn fed(points: Points, records: &[Sample]) -> Standings {
        let mut standings = Standings::new(points, [] as [&str; 0]);
        records.iter().for_each(|record| standings.add(record));
        standings
    }

    fn ranks(standings: &Standings) -> String {
        let rows: Vec<String> =
            standings.table().iter().map(|row| format!("{} {}", row.rank, row.entrant)).collect();
        rows.join(", ")
    }

    /// Numbers below `below`, the same in each run.
    fn draws(seed: u64) -> impl FnMut(usize) -> usize {
        let mut state = seed;
        move |below| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 33).unwrap() % below
        }
    }

    /// Up to forty games of up to seven entrants, some of whom meet often and some never.
    fn random_games(seed: u64) -> Vec<Sample> {
        let mut draw = draws(seed);
        let entrants = 2 + draw(6);
        let played = 1 + draw(40);
        (0..played)
            .map(|_| {
                let first = draw(entrants);
                let second = (first + 1 + draw(entrants - 1)) % entrants;
                let result = ["1-0", "0-1", "1/2-1/2"][draw(3)];
                game(&format!("e{first}"), &format!("e{second}"), result)
            })
            .collect()
    }

    #[test]
    fn sonneborn_berger_of_eight_players_is_as_published() {
        let mut rows = fed(Points::CHESS, &eight()).table();
        rows.sort_by(|a, b| a.entrant.cmp(&b.entrant));
        let shown: Vec<String> = rows
            .iter()
            .map(|row| format!("{} {} {}", row.points, row.sonneborn_berger, row.tally.total().wins))
            .collect();
        assert_eq!(
            shown,
            ["5 16.25 4", "5 14.25 4", "4 12.25 3", "4.5 13 3", "3 6.5 3", "3 8.75 1", "3 9.5 2", "0.5 2 0"]
        );
    }

    #[test]
    fn koya_progressive_and_buchholz_of_eight_players_are_as_published() {
        let mut records = eight();
        for record in &mut records {
            // The index in the row of either player is the round.
            let number = |seat| record.seats[seat].entrant[1..].parse::<usize>().unwrap();
            let (first, second) = (number(agon_games::Seat::FIRST), number(agon_games::Seat::SECOND));
            let entry = format!("{second}w");
            let place = EIGHT[first - 1].split(' ').position(|text| text.starts_with(&entry)).unwrap();
            record.round = u32::try_from(place).unwrap() + 1;
        }
        let mut rows = fed(Points::CHESS, &records).table();
        rows.sort_by(|a, b| a.entrant.cmp(&b.entrant));
        let column = |cell: fn(&Row) -> Amount| -> Vec<String> {
            rows.iter().map(|row| cell(row).to_string()).collect()
        };
        assert_eq!(column(|row| row.koya), ["2.5", "1.5", "1", "1", "0", "1.5", "1.5", "0.5"]);
        assert_eq!(column(|row| row.progressive), ["24", "17", "14", "19.5", "15", "13", "8", "1.5"]);
        // Nothing: the total without one's own.
        assert_eq!(column(|row| row.buchholz.all + row.points), ["28"; 8]);
        let direct: Vec<Option<String>> =
            rows.iter().map(|row| row.direct.map(|points| points.to_string())).collect();
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(direct, [some("1"), some("0"), None, None, some("2"), some("0.5"), some("0.5"), None]);
    }

    #[test]
    fn sonneborn_berger_of_a_double_round_robin_is_as_published() {
        for drawn in [true, false] {
            let rows = fed(Points::CHESS, &four(drawn)).table();
            let shown: Vec<String> = rows
                .iter()
                .map(|row| format!("{} {} {}", row.entrant, row.points, row.sonneborn_berger))
                .collect();
            assert_eq!(shown, ["a 4 11", "b 4 9", "c 3 6", "d 1 4"]);
        }
    }

    #[test]
    fn points_of_two_one_none_double_everything() {
        let rows = fed(Points::TWO_ONE_NONE, &eight()).table();
        assert_eq!(
            (rows[0].points.to_string(), rows[0].sonneborn_berger.to_string()),
            ("10".into(), "32.5".into())
        );
    }

    #[test]
    fn ties_are_broken_by_the_direct_encounter_first() {
        // Second and first have five points each; the first has beaten the second. Three have three
        // points: 5 beat 6 and 7 (2), 6 and 7 drew (0.5 each), and 7 has more wins.
        assert_eq!(ranks(&fed(Points::CHESS, &eight())), "1 p1, 2 p2, 3 p4, 4 p3, 5 p5, 6 p7, 7 p6, 8 p8");
        // b has more wins than a (2 to 1), but lost to it.
        let records = [
            game("a", "b", "1-0"),
            game("a", "c", "1/2-1/2"),
            game("a", "d", "1/2-1/2"),
            game("b", "c", "1-0"),
            game("b", "d", "1-0"),
            game("c", "d", "1/2-1/2"),
        ];
        assert!(ranks(&fed(Points::CHESS, &records)).starts_with("1 a, 2 b"));
    }

    #[test]
    fn wins_decide_where_the_tied_have_drawn_with_each_other() {
        let records = [
            game("x", "y", "1/2-1/2"),
            game("x", "c", "1/2-1/2"),
            game("x", "d", "1/2-1/2"),
            game("y", "c", "1-0"),
            game("d", "y", "1-0"),
            game("c", "d", "1-0"),
        ];
        let rows = fed(Points::CHESS, &records).table();
        let x = rows.iter().position(|row| row.entrant == "x").unwrap();
        let y = rows.iter().position(|row| row.entrant == "y").unwrap();
        assert_eq!(rows[x].points, rows[y].points);
        assert!(y < x);
    }

    #[test]
    fn sonneborn_berger_decides_between_those_who_have_not_met() {
        // a beat the stronger c, b the weaker d.
        let records =
            [game("a", "c", "1-0"), game("b", "d", "1-0"), game("c", "d", "1-0"), game("c", "d", "1-0")];
        assert_eq!(ranks(&fed(Points::CHESS, &records)), "1 a, 2 b, 3 c, 4 d");
        let swapped: Vec<Sample> =
            [game("b", "c", "1-0"), game("a", "d", "1-0")].into_iter().chain(records[2..].to_vec()).collect();
        assert_eq!(ranks(&fed(Points::CHESS, &swapped)), "1 b, 2 a, 3 c, 4 d");
    }

    #[test]
    fn equals_share_a_rank_and_the_next_is_left_out() {
        let records = [
            game("top", "zoe", "1-0"),
            game("top", "amy", "1-0"),
            game("top", "low", "1-0"),
            game("zoe", "amy", "1/2-1/2"),
            game("zoe", "low", "1-0"),
            game("amy", "low", "1-0"),
        ];
        assert_eq!(ranks(&fed(Points::default(), &records)), "1 top, 2 amy, 2 zoe, 4 low");
    }

    #[test]
    fn an_unfinished_table_goes_by_the_share_of_points() {
        let mut standings = Standings::new(Points::default(), ["idle", "busy", "keen", "weak"]);
        for record in [
            game("keen", "weak", "1-0"),
            game("busy", "weak", "1-0"),
            game("busy", "weak", "1-0"),
            game("busy", "weak", "1/2-1/2"),
        ] {
            standings.add(&record);
        }
        let rows = standings.table();
        assert_eq!(ranks(&standings), "1 keen, 2 busy, 3 weak, 4 idle");
        assert_eq!((rows[0].share, rows[3].share), (Some(1.0), None));
        assert!((rows[1].share.unwrap() - 5.0 / 6.0).abs() < 1e-12);
    }

    #[test]
    fn the_order_of_games_makes_no_difference() {
        for seed in 0..60 {
            let mut records = random_games(seed);
            let before = fed(Points::CHESS, &records);
            let mut draw = draws(seed + 1000);
            for place in (1..records.len()).rev() {
                records.swap(place, draw(place + 1));
            }
            let after = fed(Points::CHESS, &records);
            assert_eq!(before.table(), after.table(), "seed {seed}");
            assert_eq!(before.crosstable(), after.crosstable(), "seed {seed}");
        }
    }

    #[test]
    fn points_fit_the_games_and_the_crosstable_fits_the_table() {
        for seed in 0..60 {
            let records = random_games(seed);
            let standings = fed(Points::TWO_ONE_NONE, &records);
            let rows = standings.table();
            let all: Amount = rows.iter().map(|row| row.points).sum();
            assert_eq!(all, Points::TWO_ONE_NONE.win() * records.len() as u64, "seed {seed}");
            let crosstable = standings.crosstable();
            for (place, row) in rows.iter().enumerate() {
                let line = crosstable.line(&row.entrant).unwrap();
                assert_eq!(line.iter().flatten().map(|cell| cell.points).sum::<Amount>(), row.points);
                assert_eq!(line.iter().flatten().map(|cell| cell.games).sum::<Wdl>(), row.tally.total());
                assert_eq!(line[place], None);
                for (other, cell) in line.iter().enumerate() {
                    let seen = crosstable.cells[other][place].map(|cell| cell.games.reversed());
                    assert_eq!(cell.map(|cell| cell.games), seen);
                }
            }
        }
    }
}
