//! The two tables: the ranking and the crosstable.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{Standings, Tally};
use crate::points::{Amount, Wdl};
use crate::scoring::Scoring;
use crate::settled::{SettledTie, TieStep};
use crate::tiebreaks::{Buchholz, TieBreak, TieSums, TieValues, direct};
use crate::versus::Encounter;

/// One row of the ranking.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// 1 is the best; equals share a rank, and the next ranks are left out (1, 2, 2, 4).
    pub rank: usize,
    /// The name of the entrant.
    pub entrant: String,
    /// Its points.
    pub points: Amount,
    /// Its points as a share of the points for as many wins, 0 to 1. It is `None` before its first
    /// game, and if points are summed scores.
    pub share: Option<f64>,
    /// Whether the points are summed scores. Then the tie-breaks by points of opponents count for
    /// nothing ([`TieBreak::takes_opponents`]).
    pub summed: bool,
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
    /// Its games that were not played: forfeit wins and losses, which count in its points.
    pub unplayed: Wdl,
    /// Whether it has withdrawn.
    pub has_withdrawn: bool,
    /// Its games won with a seat other than the first.
    pub black_wins: u64,
    /// Its group in a stage, from 1; `None` outside of stages. Each group is ranked alone.
    pub group: Option<usize>,
    /// The name of its group, if the group has one: `group A`, `division 2`, `match for place 3`.
    pub group_name: Option<String>,
    /// Its games in play-offs, which are in none of the numbers above and below.
    pub play_offs: Wdl,
    /// Those of them that were not played.
    pub unplayed_play_offs: Wdl,
    /// Its two-seat games against all others, without play-offs. They have the bars of its score
    /// ([`Encounter::bars`]).
    pub field: Encounter,
    /// The sums behind the points.
    pub tally: Tally,
}

/// Those with the first rank, each in its group; none of a group in which nothing counts yet.
pub fn firsts(rows: &[Row]) -> Vec<&Row> {
    let counts =
        |row: &Row| row.tally.total().games() + row.tally.finishes.games() + row.unplayed.games() > 0;
    let begun: BTreeSet<Option<usize>> = rows.iter().filter(|row| counts(row)).map(|row| row.group).collect();
    rows.iter().filter(|row| row.rank == 1 && begun.contains(&row.group)).collect()
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

/// An entrant with what ranks it before tie-breaks.
#[derive(Clone)]
struct Contender {
    number: usize,
    share: Share,
    /// The games between the tied, if each has met each.
    direct: Option<Wdl>,
    rank: usize,
}

impl Standings {
    /// All entrants, the best first; in a stage, group after group.
    ///
    /// The rank follows from the points. While some have played more games than others, it follows
    /// from the share of points. Once all have played equally many, the order is the same. Ties are
    /// broken by [`Standings::tiebreaks`]. Entrants that are still equal share a rank and are
    /// ordered by name. In a stage, the ranks of [`Standings::place`] count instead.
    pub fn table(&self) -> Vec<Row> {
        let values = self.values();
        self.ranked(&values, &mut Vec::new()).iter().map(|contender| self.row(contender, &values)).collect()
    }

    /// How the tie-breaks separated entrants with equal points. Of a stage this is not the whole
    /// story, since it has play-offs and lots ([`crate::stage::Ranking::ties`]).
    pub fn ties(&self) -> Vec<SettledTie> {
        let mut ties = Vec::new();
        self.ranked(&self.values(), &mut ties);
        ties
    }

    /// All entrants in the order of the table, with their ranks. Adds how ties were settled.
    fn ranked(&self, values: &TieValues, ties: &mut Vec<SettledTie>) -> Vec<Contender> {
        let mut contenders = self.contenders();
        contenders.sort_by(|a, b| self.before_ties(a, b));
        for tied in contenders.chunk_by_mut(|a, b| self.before_ties(a, b).is_eq()) {
            self.settle(tied);
        }
        let mut ranked: Vec<Contender> = Vec::with_capacity(contenders.len());
        for tied in contenders.chunk_by_mut(|a, b| self.before_ties(a, b).is_eq()) {
            let group = self.group(&tied[0]);
            let first = ranked.iter().filter(|one| self.group(one) == group).count();
            let mut steps = Vec::new();
            self.rank(tied, first + 1, &self.tiebreaks, values, &mut steps);
            tied.sort_by(|a, b| a.rank.cmp(&b.rank).then_with(|| self.name(a).cmp(self.name(b))));
            if !steps.is_empty() {
                let points = |one: &Contender| one.share.points;
                ties.push(SettledTie {
                    title: String::new(),
                    names: tied.iter().map(|one| self.name(one).to_owned()).collect(),
                    points: tied.iter().all(|one| points(one) == points(&tied[0])).then(|| points(&tied[0])),
                    rank: first + 1,
                    is_across_cut: false,
                    steps,
                });
            }
            ranked.extend(tied.iter().cloned());
        }
        if !self.stage.places.is_empty() {
            let place = |one: &Contender| self.stage.places.get(&one.number).copied();
            ranked.sort_by_key(|one| (self.group(one), place(one).map_or(usize::MAX, |(at, _)| at)));
            for one in &mut ranked {
                one.rank = place(one).map_or(one.rank, |(_, rank)| rank);
            }
        }
        ranked
    }

    fn name(&self, one: &Contender) -> &str {
        &self.entrants[one.number].name
    }

    /// The crosstable, in the order of [`Standings::table`].
    pub fn crosstable(&self) -> Crosstable {
        let entrants: Vec<String> = self.table().into_iter().map(|row| row.entrant).collect();
        let cell = |one: &String, other: &String| {
            let games = self.between(one, other) + self.unplayed_between(one, other);
            (games.games() > 0).then(|| CrosstableCell { games, points: self.points().of(games) })
        };
        let cells =
            entrants.iter().map(|one| entrants.iter().map(|other| cell(one, other)).collect()).collect();
        Crosstable { entrants, cells }
    }

    /// By what the first of a group is first, where another that plays on has more points: the
    /// order would look wrong. `rows` are those of [`Standings::table`].
    pub fn first_by(&self, rows: &[Row], group: Option<usize>) -> Option<&'static str> {
        let leads = |row: &Row| {
            self.numbers.get(&row.entrant).is_some_and(|number| self.stage.leaders.contains(number))
        };
        // A stage is ranked by its points and its matches, unless it is a gauntlet.
        if !self.stage.places.is_empty() && self.stage.leaders.is_empty() {
            return None;
        }
        let own = || rows.iter().filter(|row| row.group == group && !row.has_withdrawn);
        let first = own().find(|row| row.rank == 1)?;
        let mut with_more = own().filter(|row| row.points > first.points).peekable();
        with_more.peek()?;
        Some(match leads(first) && with_more.all(|row| !leads(row)) {
            true => "as the leader of the gauntlet",
            false if first.summed => "by points per game",
            false => "by the percentage of points",
        })
    }

    fn contenders(&self) -> Vec<Contender> {
        (self.entrants.iter().enumerate())
            .map(|(number, entrant)| {
                let total = entrant.with_byes(self.scoring);
                let share = Share { points: self.scoring.of(&total), games: total.games.games() };
                Contender { number, share, direct: None, rank: 0 }
            })
            .collect()
    }

    fn values(&self) -> TieValues {
        let sums = self.entrants.iter().map(|entrant| TieSums {
            points: self.scoring.of(&entrant.with_byes(self.scoring)),
            most: self.scoring.most(entrant.with_byes(self.scoring).games.games()),
            games: entrant.tally.total(),
            byes: if entrant.byes == 0 { &[] } else { std::slice::from_ref(&entrant.byes) },
            unplayed: if self.is_swiss { &entrant.unplayed } else { &[] },
            absent: &entrant.absent,
            missed: &entrant.missed,
            black_wins: entrant.tally.black_wins(),
            faults: entrant.tally.losses.forfeits(),
            rounds: entrant.rounds.iter().map(|(round, games)| (*round, self.scoring.of(games))).collect(),
        });
        TieValues::of(self.points(), &sums.collect::<Vec<_>>(), &self.opponents())
    }

    /// The games of each against each, for tie-breaks. In a Swiss, a game that was not played has
    /// no opponent. Elsewhere it counts as if it had been played (FIDE C.07).
    fn opponents(&self) -> Cow<'_, BTreeMap<(usize, usize), Wdl>> {
        if self.is_swiss || self.unplayed.is_empty() {
            return Cow::Borrowed(&self.met);
        }
        let mut all = self.met.clone();
        for (pair, games) in &self.unplayed {
            *all.entry(*pair).or_default() += *games;
        }
        Cow::Owned(all)
    }

    /// The games of one entrant against another that were not played.
    pub fn unplayed_between(&self, one: &str, other: &str) -> Wdl {
        let numbers = self.numbers.get(one).copied().zip(self.numbers.get(other).copied());
        numbers.and_then(|pair| self.unplayed.get(&pair)).copied().unwrap_or_default()
    }

    /// The group of an entrant, 0 outside of stages.
    fn group(&self, one: &Contender) -> usize {
        self.stage.groups.get(&one.number).copied().unwrap_or(0)
    }

    /// The order by group, leaders and share; `Less` is the better one.
    fn before_ties(&self, one: &Contender, other: &Contender) -> Ordering {
        let leads = |one: &Contender| self.stage.leaders.contains(&one.number);
        let is_gone = |one: &Contender| self.entrants[one.number].has_withdrawn;
        (self.group(one).cmp(&self.group(other)))
            .then_with(|| leads(other).cmp(&leads(one)))
            .then_with(|| is_gone(one).cmp(&is_gone(other)))
            .then_with(|| other.share.cmp(one.share))
    }

    /// Ranks entrants that are equal so far by the rest of the tie-breaks, beginning with this
    /// rank. Adds each step that separates some of them.
    fn rank(
        &self,
        tied: &mut [Contender],
        first: usize,
        tiebreaks: &[TieBreak],
        values: &TieValues,
        steps: &mut Vec<TieStep>,
    ) {
        let Some((tiebreak, rest)) = tiebreaks.split_first().filter(|_| tied.len() > 1) else {
            tied.iter_mut().for_each(|one| one.rank = first);
            return;
        };
        let numbers: Vec<usize> = tied.iter().map(|one| one.number).collect();
        let by: HashMap<usize, Share> = (numbers.iter())
            .filter_map(|number| Some((*number, self.number_by(*tiebreak, *number, &numbers, values)?)))
            .collect();
        if by.len() < tied.len() {
            return self.rank(tied, first, rest, values, steps); // not all have met, or a lot
        }
        let order = |one: &Contender, other: &Contender| {
            let order = by[&other.number].cmp(by[&one.number]);
            if *tiebreak == TieBreak::FewestFaults { order.reverse() } else { order }
        };
        tied.sort_by(order);
        if tied.windows(2).any(|two| order(&two[0], &two[1]).is_ne()) {
            let number = |one: &Contender| (self.name(one).to_owned(), by[&one.number].points.to_string());
            steps.push(TieStep {
                by: tiebreak.decider().to_owned(),
                order: tied.iter().map(number).collect(),
                unplayed: None,
            });
        }
        let mut rank = first;
        for part in tied.chunk_by_mut(|one, other| order(one, other).is_eq()) {
            self.rank(part, rank, rest, values, steps);
            rank += part.len();
        }
    }

    /// The number of an entrant by a tie-break, as points per game; `None` if it has none.
    fn number_by(
        &self,
        tiebreak: TieBreak,
        number: usize,
        tied: &[usize],
        values: &TieValues,
    ) -> Option<Share> {
        if tiebreak == TieBreak::Direct {
            let games = direct(&self.opponents(), number, tied)?;
            return Some(Share { points: self.points().of(games), games: games.games() });
        }
        values.value(tiebreak, number).map(|points| Share { points, games: 1 })
    }

    /// Notes with each of the tied the games among them, if each has met each.
    fn settle(&self, tied: &mut [Contender]) {
        if tied.len() < 2 {
            return;
        }
        let numbers: Vec<usize> = tied.iter().map(|contender| contender.number).collect();
        let met = self.opponents();
        let met: Option<Vec<Wdl>> = numbers.iter().map(|number| direct(&met, *number, &numbers)).collect();
        for (contender, games) in tied.iter_mut().zip(met.into_iter().flatten()) {
            contender.direct = Some(games);
        }
    }

    fn row(&self, contender: &Contender, values: &TieValues) -> Row {
        let number = contender.number;
        let entrant = &self.entrants[number];
        Row {
            direct: contender.direct.map(|games| self.points().of(games)),
            koya: values.koya[number],
            progressive: values.progressive[number],
            buchholz: values.buchholz[number],
            byes: self.is_swiss.then_some(entrant.byes),
            unplayed: entrant.unplayed.iter().copied().sum(),
            has_withdrawn: entrant.has_withdrawn,
            black_wins: entrant.tally.black_wins(),
            group: self.stage.groups.get(&number).copied(),
            group_name: (self.stage.groups.get(&number))
                .and_then(|group| self.stage.names.get(group.checked_sub(1)?))
                .cloned(),
            play_offs: entrant.play_offs,
            unplayed_play_offs: entrant.unplayed_play_offs,
            rank: contender.rank,
            entrant: entrant.name.clone(),
            points: contender.share.points,
            share: self.share_of(contender.share),
            summed: self.scoring == Scoring::Sum,
            sonneborn_berger: values.sonneborn_berger[number],
            field: self.encounters.of(number),
            tally: entrant.tally.clone(),
        }
    }

    fn share_of(&self, of: Share) -> Option<f64> {
        let most = self.scoring.most(of.games).filter(|_| of.games > 0)?;
        Some(of.points.to_f64() / most.to_f64())
    }
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
    use crate::StageGroups;
    use crate::points::Points;
    use crate::result::GameId;
    use crate::sample::{Sample, around, game};

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

    /// The round of a game of the eight: its index in the row of either player.
    fn round_of(record: &Sample) -> u32 {
        let number = |seat| record.seats[seat].entrant[1..].parse::<usize>().unwrap();
        let (first, second) = (number(agon_seats::Seat::FIRST), number(agon_seats::Seat::SECOND));
        let entry = format!("{second}w");
        let place = EIGHT[first - 1].split(' ').position(|text| text.starts_with(&entry)).unwrap();
        u32::try_from(place).unwrap() + 1
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

    fn fed(scoring: impl Into<Scoring>, records: &[Sample]) -> Standings {
        let mut standings = Standings::new(scoring, [] as [&str; 0]);
        records.iter().for_each(|record| standings.note(record));
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
        records.iter_mut().for_each(|record| record.round = round_of(record));
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
    fn each_tiebreak_orders_those_who_are_tied_as_published() {
        // 5, 6 and 7 have three points each. Sonneborn-Berger is 6.5, 8.75 and 9.5. Wins are 3, 1
        // and 2, and Koya is 0, 1.5 and 1.5. Progressive is 15, 13 and 8, and wins with black are
        // 2, 1 and 1.
        for (tiebreaks, order) in [
            (&[TieBreak::SonnebornBerger][..], "5 p7, 6 p6, 7 p5"),
            (&[TieBreak::Wins], "5 p5, 6 p7, 7 p6"),
            (&[TieBreak::Koya], "5 p6, 5 p7, 7 p5"),
            (&[TieBreak::Koya, TieBreak::SonnebornBerger], "5 p7, 6 p6, 7 p5"),
            (&[TieBreak::Progressive], "5 p5, 6 p6, 7 p7"),
            (&[TieBreak::BlackWins], "5 p5, 6 p6, 6 p7"),
            (&[TieBreak::BlackWins, TieBreak::Direct], "5 p5, 6 p6, 6 p7"),
            (&[TieBreak::Buchholz, TieBreak::Direct], "5 p5, 6 p6, 6 p7"),
            (&[TieBreak::Lot], "5 p5, 5 p6, 5 p7"),
        ] {
            let mut records = eight();
            records.iter_mut().for_each(|record| record.round = round_of(record));
            let mut standings = fed(Points::CHESS, &records);
            standings.break_ties(tiebreaks);
            let ranks = ranks(&standings);
            assert!(ranks.contains(&format!("{order}, 8 p8")), "{tiebreaks:?}: {ranks}");
            // Each step that has separated some of them is told, in the order of the ranks.
            let mut ties = standings.ties();
            ties.retain(|tie| tie.rank == 5);
            let by: Vec<&str> = ties.iter().flat_map(|tie| &tie.steps).map(|step| step.by.as_str()).collect();
            let expected: &[&str] = match tiebreaks {
                [TieBreak::Lot] => &[],
                // Buchholz is the same for all in a round robin.
                [TieBreak::Buchholz, _] => &["direct encounter"],
                [TieBreak::Koya, TieBreak::SonnebornBerger] => &["Koya", "Sonneborn-Berger"],
                [first, ..] => &[first.words()],
                [] => unreachable!(),
            };
            assert_eq!(by, expected, "{tiebreaks:?}: {ties:?}");
            for tie in &ties {
                let ranked: Vec<String> = order.split(", ").map(|one| one[2..].to_owned()).collect();
                assert_eq!((&tie.names, tie.rank), (&ranked, 5), "{tiebreaks:?}");
            }
        }
    }

    #[test]
    fn groups_are_ranked_alone_leaders_first_and_play_offs_count_apart() {
        let mut standings = Standings::new(Points::CHESS, ["a", "b", "c", "d"]);
        standings.of_stage(&StageGroups {
            groups: vec![vec!["a".to_owned(), "b".to_owned()], vec!["c".to_owned(), "d".to_owned()]],
            names: vec!["group A".to_owned(), "group B".to_owned()],
            leaders: 1,
            play_offs: vec![3],
        });
        for (pairing, first, second) in [(1, "b", "a"), (2, "c", "d"), (3, "b", "a")] {
            let sample = game(first, second, "1-0");
            let id = GameId { round: 1, pairing, game: 1 };
            standings.add_decided(id, &sample.seats, sample.decided.as_ref().unwrap());
        }
        assert_eq!(ranks(&standings), "1 a, 2 b, 1 c, 2 d");
        let rows = standings.table();
        assert_eq!((rows[1].points.to_string(), rows[1].play_offs.to_string()), ("1".into(), "1-0-0".into()));
        assert_eq!((rows[1].group, rows[3].group), (Some(1), Some(2)));
        assert_eq!(rows[3].group_name.as_deref(), Some("group B"));
        assert_eq!((rows[1].tally.total().games(), standings.between("a", "b").games()), (1, 1));
        standings.place(&[vec![("b", 1), ("a", 2)], vec![("c", 1), ("d", 2)]]);
        assert_eq!(ranks(&standings), "1 b, 2 a, 1 c, 2 d");
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
            standings.note(&record);
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

    /// Three games of three, worked by hand:
    ///
    /// | | a | b | c |
    /// |---|---|---|---|
    /// | 1 | 1st | 2nd | 3rd |
    /// | 2 | 2nd, shared | 1st | 2nd, shared |
    /// | 3 | 1st, shared | 3rd | 1st, shared |
    fn three() -> Vec<Sample> {
        let mut games = vec![
            around(&[("a", 1, 10), ("b", 2, 0), ("c", 3, -10)]),
            around(&[("b", 1, 30), ("c", 2, -15), ("a", 2, -15)]),
            around(&[("c", 1, 4), ("a", 1, 4), ("b", 3, -8)]),
        ];
        games.iter_mut().zip(1..).for_each(|(game, round)| game.round = round);
        games
    }

    #[test]
    fn points_by_place_of_three_games_of_three_worked_by_hand() {
        let standings = fed(Scoring::read("5-2-0", 3).unwrap(), &three());
        let rows = standings.table();
        // a 5 + 1 + 3.5, b 2 + 5 + 0, c 0 + 1 + 3.5.
        let shown: Vec<String> = rows
            .iter()
            .map(|row| {
                let finishes = &row.tally.finishes;
                format!(
                    "{} {} {} {:.3} {} {:.4} {}",
                    row.rank,
                    row.entrant,
                    row.points,
                    row.share.unwrap(),
                    finishes.on(1),
                    finishes.average().unwrap(),
                    row.tally.score_for
                )
            })
            .collect();
        assert_eq!(
            shown,
            ["1 a 9.5 0.633 2 1.6667 -1", "2 b 7 0.467 1 2.0000 22", "3 c 4.5 0.300 1 2.3333 -21"]
        );
        // a has beaten b twice and c once, and drawn with c twice: 7 + 7 + 4.5 + 4.5 / 2 + 4.5 / 2.
        assert_eq!(rows[0].sonneborn_berger.to_string(), "23");
        // Each opponent three times; the weakest and the strongest left out.
        assert_eq!(
            (rows[0].buchholz.all.to_string(), rows[0].buchholz.cut_1.to_string()),
            ("34.5".into(), "21".into())
        );
        // Nobody but a has half of 15 points: b was ahead of a once, c drew twice.
        assert_eq!((rows[1].koya.to_string(), rows[2].koya.to_string()), ("1".into(), "1".into()));
        // After the rounds: 5, 6 and 9.5.
        assert_eq!(rows[0].progressive.to_string(), "20.5");
        assert_eq!(standings.points_per_game("a").unwrap().to_string(), "3.167");
    }

    #[test]
    fn two_tables_of_three_seats_together_are_the_table_of_all_games() {
        let games = three();
        for scoring in [Scoring::usual(3), Scoring::Sum] {
            let mut together = fed(scoring, &games[..1]);
            let mut later = games[1..].to_vec();
            later.iter_mut().for_each(|game| game.round -= 1);
            together.include(&fed(scoring, &later));
            let all = fed(scoring, &games);
            assert_eq!((together.table(), together.crosstable()), (all.table(), all.crosstable()));
            assert_eq!(together.table_results(), all.table_results());
            assert!(all.has_tables() && !fed(scoring, &[game("a", "b", "1-0")]).has_tables());
        }
    }

    #[test]
    fn the_crosstable_of_three_seats_counts_ahead_equal_and_behind() {
        let table = fed(Scoring::usual(3), &three()).crosstable();
        let cells: Vec<String> = (table.line("a").unwrap().iter().flatten())
            .map(|cell| format!("{} {}", cell.points, cell.games))
            .collect();
        assert_eq!(table.entrants, ["a", "b", "c"]);
        assert_eq!(cells, ["2 2-0-1", "2 1-2-0"]);
    }

    #[test]
    fn with_the_usual_points_by_place_the_points_are_the_sum_of_the_crosstable() {
        let mut draw = draws(5);
        for seats in [3_usize, 4, 7] {
            let mut games = Vec::new();
            for _ in 0..30 {
                let scores: Vec<i32> = (0..seats).map(|_| i32::try_from(draw(4)).unwrap()).collect();
                let start = draw(9);
                let names: Vec<String> = (0..seats).map(|seat| format!("e{}", (start + seat) % 9)).collect();
                let place =
                    |own: i32| 1 + u8::try_from(scores.iter().filter(|score| **score > own).count()).unwrap();
                let at: Vec<(&str, u8, i32)> = names
                    .iter()
                    .zip(&scores)
                    .map(|(name, score)| (name.as_str(), place(*score), *score))
                    .collect();
                games.push(around(&at));
            }
            let standings = fed(Scoring::usual(seats), &games);
            let (rows, crosstable) = (standings.table(), standings.crosstable());
            for row in &rows {
                let line = crosstable.line(&row.entrant).unwrap();
                assert_eq!(line.iter().flatten().map(|cell| cell.points).sum::<Amount>(), row.points);
            }
            let all: Amount = rows.iter().map(|row| row.points).sum();
            assert_eq!(all, Amount::ONE * (30 * seats * (seats - 1) / 2) as u64);
        }
    }

    #[test]
    fn summed_scores_are_the_points_and_tie_breaks_by_opponents_are_passed_over() {
        let standings = fed(Scoring::Sum, &three());
        let rows = standings.table();
        let shown: Vec<String> = rows.iter().map(|row| format!("{} {}", row.entrant, row.points)).collect();
        assert_eq!(shown, ["b 22", "a -1", "c -21"]);
        // b has 0, 30 and 22 after the rounds.
        assert_eq!((rows[0].share, rows[0].progressive.to_string()), (None, "52".to_owned()));
        // b and c have 0 each; by Sonneborn-Berger c would be ahead, having beaten d, who has 5.
        let games = [
            around(&[("b", 1, 5), ("a", 2, 0), ("d", 3, -5)]),
            around(&[("d", 1, 10), ("a", 2, 0), ("b", 3, -5)]),
            around(&[("c", 1, 0), ("d", 2, 0), ("a", 2, 0)]),
            around(&[("c", 1, 0), ("d", 2, 0), ("a", 2, 0)]),
        ];
        let ranked = |tiebreak| {
            let mut standings = fed(Scoring::Sum, &games);
            standings.break_ties(&[tiebreak]);
            ranks(&standings)
        };
        assert_eq!(ranked(TieBreak::SonnebornBerger), "1 d, 2 a, 2 b, 2 c");
        assert_eq!(ranked(TieBreak::Wins), "1 d, 2 c, 3 b, 4 a");
    }

    #[test]
    fn an_entrant_that_paused_is_ranked_by_points_per_game() {
        let games = [
            around(&[("a", 1, 3), ("b", 2, 2), ("c", 3, 1)]),
            around(&[("a", 3, 1), ("b", 1, 3), ("d", 2, 2)]),
        ];
        let mut standings = fed(Scoring::usual(3), &games);
        standings.swiss([("c", 1), ("d", 1)]);
        assert_eq!(ranks(&standings), "1 b, 2 d, 3 a, 4 c");
        let d = standings.table().swap_remove(1);
        // The pause is noted, and counts for nothing.
        assert_eq!((d.points.to_string(), d.share, d.byes), ("1".into(), Some(0.5), Some(1)));
    }
}
