//! The ratings of all entrants of the standings, in Elo, the strongest first.

use std::rc::Rc;
use std::str::FromStr;

use super::Standings;
use super::bootstrap;
use super::plackett_luce::{TableRatings, TableResult};
use super::points::Wdl;
use super::rating::{MOST_RATING, Meeting, NINETY_FIVE, Prior, Ratings, elo_against_average};
use super::simulated::GameModel;

/// The ratings of all entrants. Games say nothing about two entrants that have not met, not even
/// through others: each connected part of the field has a list of its own.
#[derive(Clone, PartialEq, Debug)]
pub struct Strengths {
    /// The parts, the largest first; of equal ones the one with the first name.
    pub parts: Vec<ConnectedPart>,
    /// The entrants without a game, by name. Nothing is known of them.
    pub unrated: Vec<String>,
}

/// An entrant whose rating is set, so that the ratings of other entrants can be compared over time.
#[derive(Clone, PartialEq, Debug)]
pub struct RatingAnchor {
    /// The entrant.
    pub entrant: String,
    /// Its rating in Elo.
    pub elo: f64,
}

/// `alpha=2800`. A name may have any number of `=`.
impl FromStr for RatingAnchor {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let read = text.rsplit_once('=').and_then(|(entrant, elo)| {
            let elo = elo.trim().parse().ok().filter(|elo: &f64| elo.abs() <= MOST_RATING)?;
            (!entrant.is_empty()).then(|| RatingAnchor { entrant: entrant.to_owned(), elo })
        });
        read.ok_or_else(|| "it is no engine with its rating; write one like alpha=2800".to_owned())
    }
}

/// The ratings of entrants that are connected by games, and the parameters of their model.
#[derive(Clone, PartialEq, Debug)]
pub struct ConnectedPart {
    /// The strongest first.
    pub rows: Vec<Strength>,
    /// The advantage of the first seat, in Elo; with more than two seats, over the average of the
    /// others.
    pub advantage: f64,
    /// With more than two seats, the advantage of each seat in Elo; their sum is 0.
    pub seats: Vec<f64>,
    /// The share of draws between equally strong engines by the model, 0 to 1. It is not the share
    /// of all games that were drawn. With more than two seats it is for two that are left.
    pub draw_rate: f64,
}

/// The rating of one entrant.
#[derive(Clone, PartialEq, Debug)]
pub struct Strength {
    /// The entrant.
    pub entrant: String,
    /// The number of its games.
    pub games: u64,
    /// Its rating in Elo; the average of its part is 0.
    pub elo: f64,
    /// The error bar.
    pub error: f64,
    /// The error bar from resampled games, if there is one. There is none with more than two seats.
    pub drawn_anew: Option<f64>,
    /// The likelihood of superiority over the next one of its part; `None` for the last.
    pub over_next: Option<f64>,
}

/// The most entrants that are rated: the time is the third power of their number, and 2000 take ten
/// seconds.
pub const MOST: usize = 2000;

impl Strengths {
    /// The ratings of the games so far. For errors without assumptions, all games are resampled and
    /// rated `times` times from this seed; 0 for none. `None` if there are no entrants, or more
    /// than 2000.
    ///
    /// Two that have met nobody else are rated by their [`crate::versus::Encounter`]: their ratings
    /// differ by its Elo, and its likelihood is theirs. If a game of a part has more than two
    /// seats, all its games are rated by [`crate::plackett_luce`].
    pub fn of(standings: &Standings, times: usize, seed: u64) -> Option<Strengths> {
        Strengths::anchored(standings, times, seed, None)
    }

    /// The same on a scale on which one entrant has a given rating. The error bars of its part are
    /// those of the difference to it, and its own is 0. Other parts stay around 0.
    pub fn anchored(
        standings: &Standings,
        times: usize,
        seed: u64,
        anchor: Option<&RatingAnchor>,
    ) -> Option<Strengths> {
        let names: Vec<&str> = standings.names().collect();
        if names.is_empty() || names.len() > MOST {
            return None;
        }
        let (meetings, tables) = (standings.meetings(), standings.table_results());
        let mut strengths = Strengths { parts: Vec::new(), unrated: Vec::new() };
        for members in connected(names.len(), &meetings, &tables) {
            if let [alone] = members[..] {
                strengths.unrated.push(names[alone].to_owned());
                continue;
            }
            let own = anchor.filter(|anchor| members.iter().any(|member| names[*member] == anchor.entrant));
            strengths.parts.push(part(standings, &names, &members, &meetings, &tables, (times, seed), own)?);
        }
        strengths.unrated.sort();
        strengths
            .parts
            .sort_by(|a, b| b.rows.len().cmp(&a.rows.len()).then_with(|| a.first().cmp(&b.first())));
        Some(strengths)
    }

    /// All rows, part by part.
    pub fn rows(&self) -> impl Iterator<Item = &Strength> {
        self.parts.iter().flat_map(|part| &part.rows)
    }

    /// The rating and the error bar of each entrant as they were stored before the tendency to draw
    /// had a prior, and before parts were rated apart: for databases of that time.
    pub fn as_once(standings: &Standings) -> Option<Vec<(String, f64, f64)>> {
        let names: Vec<&str> = standings.names().collect();
        let (meetings, mut tables) = (standings.meetings(), standings.table_results());
        if names.is_empty() || names.len() > MOST {
            return None;
        }
        let prior = Prior::WITHOUT_DRAWS;
        let all = 0..names.len();
        let (ratings, errors, scale): (Vec<f64>, Vec<f64>, f64) = if tables.is_empty() {
            let found = Ratings::fit(names.len(), &meetings, prior)?;
            (found.ratings.clone(), all.map(|entrant| found.error(entrant)).collect(), found.to_elo())
        } else {
            tables.extend(meetings.iter().flat_map(TableResult::of_meeting));
            let found = TableRatings::fit(names.len(), &tables, prior)?;
            (found.ratings.clone(), all.map(|entrant| found.error(entrant)).collect(), found.to_elo())
        };
        let rating = |(number, name): (usize, &&str)| {
            ((*name).to_owned(), ratings[number] * scale, NINETY_FIVE * errors[number] * scale)
        };
        Some(names.iter().enumerate().map(rating).collect())
    }
}

impl ConnectedPart {
    /// What games of two seats between these entrants are simulated by.
    pub fn model(&self) -> GameModel {
        GameModel { draws: self.draw_rate.clamp(0.0, 0.99), first_seat: self.advantage }
    }

    /// The first name of its entrants.
    fn first(&self) -> Option<&str> {
        self.rows.iter().map(|row| row.entrant.as_str()).min()
    }
}

/// The entrants by the connected parts of the field, each in growing order.
fn connected(entrants: usize, meetings: &[Meeting], tables: &[TableResult]) -> Vec<Vec<usize>> {
    let mut part: Vec<usize> = (0..entrants).collect();
    fn root(part: &mut [usize], mut entrant: usize) -> usize {
        while part[entrant] != entrant {
            part[entrant] = part[part[entrant]];
            entrant = part[entrant];
        }
        entrant
    }
    let mut join = |one: usize, other: usize| {
        let (one, other) = (root(&mut part, one), root(&mut part, other));
        part[one.max(other)] = one.min(other);
    };
    meetings.iter().for_each(|meeting| join(meeting.first, meeting.second));
    for table in tables {
        table.seats.windows(2).for_each(|seats| join(seats[0].0, seats[1].0));
    }
    let mut parts: Vec<Vec<usize>> = vec![Vec::new(); entrants];
    (0..entrants).for_each(|entrant| parts[root(&mut part, entrant)].push(entrant));
    parts.retain(|members| !members.is_empty());
    parts
}

/// The ratings of one part of the field.
fn part(
    standings: &Standings,
    names: &[&str],
    members: &[usize],
    meetings: &[Meeting],
    tables: &[TableResult],
    anew: (usize, u64),
    anchor: Option<&RatingAnchor>,
) -> Option<ConnectedPart> {
    let own = |entrant: usize| members.binary_search(&entrant).ok();
    let meeting = |meeting: &Meeting| {
        Some(Meeting { first: own(meeting.first)?, second: own(meeting.second)?, games: meeting.games })
    };
    let meetings: Vec<Meeting> = meetings.iter().filter_map(meeting).collect();
    let table = |result: &TableResult| {
        let seats = result.seats.iter().map(|(entrant, place)| Some((own(*entrant)?, *place)));
        Some(TableResult { seats: seats.collect::<Option<_>>()?, games: result.games })
    };
    let mut tables: Vec<TableResult> = tables.iter().filter_map(table).collect();
    let mut found = if tables.is_empty() {
        let all: Wdl = meetings.iter().map(|meeting| meeting.games).sum();
        let prior = Prior::USUAL.on_the_model_scale(all.wins + all.losses, all.draws);
        Found::of_two(members.len(), &meetings, prior, Some(anew))?
    } else {
        tables.extend(meetings.iter().flat_map(TableResult::of_meeting));
        let (alone, shared) = TableRatings::choices(&tables);
        Found::of_tables(members.len(), &tables, Prior::USUAL.on_the_model_scale(alone, shared))?
    };
    if let [one, other] = members[..]
        && let Some(versus) = standings.encounter_of(names[one], names[other]).versus()
    {
        let [elo, error] = [versus.elo, versus.elo_error].map(|both| both / 2.0);
        found.elos = vec![elo, -elo];
        found.errors = vec![error; 2];
        found.difference = Box::new(move |_, _| 2.0 * error);
        let likelihood = versus.superiority;
        found.superiority = Box::new(move |one, _| if one == 0 { likelihood } else { 1.0 - likelihood });
    }
    let name = |entrant: usize| names[members[entrant]];
    if let Some(anchor) = anchor
        && let Some(at) = (0..members.len()).find(|entrant| name(*entrant) == anchor.entrant)
    {
        let shift = anchor.elo - found.elos[at];
        found.elos.iter_mut().for_each(|elo| *elo += shift);
        found.errors = (0..members.len())
            .map(|entrant| if entrant == at { 0.0 } else { (found.difference)(entrant, at) })
            .collect();
        found.drawn_anew = None;
    }
    let mut order: Vec<usize> = (0..members.len()).collect();
    // Equals differ by rounding alone, and are in the order of their names.
    let rounded = |entrant: usize| (found.elos[entrant] * 1e6).round() + 0.0;
    order.sort_by(|a, b| rounded(*b).total_cmp(&rounded(*a)).then_with(|| name(*a).cmp(name(*b))));
    let row = |(place, entrant): (usize, &usize)| Strength {
        entrant: name(*entrant).to_owned(),
        games: standings.tally(name(*entrant)).map_or(0, |tally| tally.total().games()),
        elo: found.elos[*entrant],
        error: found.errors[*entrant],
        drawn_anew: found.drawn_anew.as_ref().map(|errors| errors[*entrant]),
        over_next: order.get(place + 1).map(|next| (found.superiority)(*entrant, *next)),
    };
    Some(ConnectedPart {
        rows: order.iter().enumerate().map(row).collect(),
        advantage: found.advantage,
        seats: found.seats,
        draw_rate: found.draw_rate,
    })
}

/// What both models find, in Elo.
struct Found {
    elos: Vec<f64>,
    errors: Vec<f64>,
    drawn_anew: Option<Vec<f64>>,
    superiority: Box<dyn Fn(usize, usize) -> f64>,
    /// The error bar of the difference of two.
    difference: Box<dyn Fn(usize, usize) -> f64>,
    advantage: f64,
    seats: Vec<f64>,
    draw_rate: f64,
}

impl Found {
    /// `anew` says how often games are drawn anew for a second error bar, and from which seed.
    fn of_two(
        entrants: usize,
        meetings: &[Meeting],
        prior: Prior,
        anew: Option<(usize, u64)>,
    ) -> Option<Found> {
        let found = Rc::new(Ratings::fit(entrants, meetings, prior)?);
        let other = found.clone();
        let anew = anew.filter(|(times, _)| *times > 1);
        Some(Found {
            elos: found.elos(),
            errors: (0..entrants).map(|entrant| found.elo_error(entrant)).collect(),
            drawn_anew: anew.map(|(times, seed)| bootstrap::errors(&found, meetings, prior, times, seed)),
            advantage: elo_against_average(found.advantage, 0.0, found.nu),
            seats: Vec::new(),
            draw_rate: found.draw_rate(),
            difference: Box::new(move |one, two| other.difference_error(one, two)),
            superiority: Box::new(move |one, other| found.superiority(one, other)),
        })
    }

    fn of_tables(entrants: usize, results: &[TableResult], prior: Prior) -> Option<Found> {
        let found = Rc::new(TableRatings::fit(entrants, results, prior)?);
        let other = found.clone();
        Some(Found {
            elos: found.elos(),
            errors: (0..entrants).map(|entrant| found.elo_error(entrant)).collect(),
            drawn_anew: None,
            advantage: found.elo(found.advantage()),
            seats: found.seats.iter().map(|seat| found.elo(*seat)).collect(),
            draw_rate: found.nu() / (2.0 + found.nu()),
            difference: Box::new(move |one, two| other.difference_error(one, two)),
            superiority: Box::new(move |one, other| found.superiority(one, other)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::points::Points;
    use crate::sample::{around, game};
    use crate::scoring::Scoring;

    #[test]
    fn a_field_too_large_to_be_rated_is_not() {
        let field = |size: usize| Standings::new(Points::CHESS, (0..size).map(|number| number.to_string()));
        assert!(Strengths::of(&field(3), 0, 1).is_some());
        assert!(Strengths::of(&field(MOST + 1), 0, 1).is_none());
    }

    #[test]
    fn the_games_of_the_reference_give_its_elo() {
        let mut standings = Standings::new(Points::CHESS, ["delta", "bravo"]);
        for line in include_str!("../fixtures/ratings/four-engines.csv").lines().skip(1) {
            let parts: Vec<&str> = line.split(',').collect();
            standings.note(&game(parts[1], parts[2], parts[3]));
        }
        let found = Strengths::of(&standings, 50, 7).unwrap();
        let shown: Vec<String> = found.rows().map(|row| format!("{} {:.1}", row.entrant, row.elo)).collect();
        // Between the maximum of the likelihood, 68.308, and that with a narrower prior, 65.9.
        assert_eq!(shown, ["alpha 66.3", "bravo 21.9", "charlie -21.9", "delta -66.3"]);
        let rows = &found.parts[0].rows;
        assert!((rows[0].over_next.unwrap() - 0.7647).abs() < 0.01, "{rows:?}");
        assert!((rows[0].drawn_anew.unwrap() / rows[0].error - 1.0).abs() < 0.5);
        assert_eq!((rows[0].games, rows[3].over_next), (36, None));
        // 90.902 and 29.985 on the model's own scale, times 2 / (2 + 0.757092).
        let once = Strengths::as_once(&standings).unwrap();
        let shown: Vec<String> = once.iter().map(|(name, elo, _)| format!("{name} {elo:.1}")).collect();
        assert_eq!(shown, ["delta -65.9", "bravo 21.8", "alpha 65.9", "charlie -21.8"]);
        assert!(Strengths::of(&Standings::new(Points::CHESS, [] as [&str; 0]), 0, 1).is_none());
    }

    #[test]
    fn an_anchor_sets_the_scale_and_the_bars_are_those_of_the_difference_to_it() {
        let mut standings = Standings::new(Points::CHESS, ["delta", "bravo"]);
        for line in include_str!("../fixtures/ratings/four-engines.csv").lines().skip(1) {
            let parts: Vec<&str> = line.split(',').collect();
            standings.note(&game(parts[1], parts[2], parts[3]));
        }
        standings.note(&game("x", "y", "1-0"));
        let free = Strengths::of(&standings, 0, 1).unwrap();
        let anchor: RatingAnchor = "bravo=2800".parse().unwrap();
        let found = Strengths::anchored(&standings, 0, 1, Some(&anchor)).unwrap();
        let shown: Vec<String> =
            found.parts[0].rows.iter().map(|row| format!("{} {:.1}", row.entrant, row.elo)).collect();
        assert_eq!(shown, ["alpha 2844.4", "bravo 2800.0", "charlie 2756.2", "delta 2711.8"]);
        assert_eq!(found.parts[1], free.parts[1], "the other part stays as it is");
        let errors: Vec<f64> = found.parts[0].rows.iter().map(|row| row.error).collect();
        assert_eq!(errors[1], 0.0);
        // A difference of two is less certain than one against the average of four, and by less
        // than twice.
        for (error, row) in errors.iter().zip(&free.parts[0].rows).filter(|(error, _)| **error > 0.0) {
            assert!(*error > row.error && *error < 2.0 * row.error, "{error} {row:?}");
        }
        // Two alone: the bar of their difference is that of their Elo.
        let mut two = Standings::new(Points::CHESS, ["a", "b"]);
        ["1-0", "1/2-1/2", "0-1", "1-0"].into_iter().for_each(|result| two.note(&game("a", "b", result)));
        let found = Strengths::anchored(&two, 0, 1, Some(&"b=0".parse().unwrap())).unwrap();
        let versus = two.encounter_of("a", "b").versus().unwrap();
        let row = &found.parts[0].rows[0];
        assert!(
            (row.elo - versus.elo).abs() < 1e-9 && (row.error - versus.elo_error).abs() < 1e-9,
            "{row:?}"
        );
        for wrong in ["", "alpha", "=5", "alpha=", "alpha=x", "alpha=NaN", "alpha=1e9"] {
            assert!(wrong.parse::<RatingAnchor>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn games_of_three_seats_are_rated_by_their_places() {
        let mut standings = Standings::new(Scoring::usual(3), ["c", "b", "a"]);
        for names in [["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"]] {
            let place = |name: &str| 1 + u8::from(name != "a") + u8::from(name == "c");
            for _ in 0..5 {
                standings.note(&around(&names.map(|name| (name, place(name), 0))));
            }
            standings.note(&around(&names.map(|name| (name, 4 - place(name), 0))));
        }
        let found = Strengths::of(&standings, 20, 1).unwrap();
        let part = &found.parts[0];
        let names: Vec<&str> = part.rows.iter().map(|row| row.entrant.as_str()).collect();
        assert_eq!(names, ["a", "b", "c"]);
        assert_eq!((part.rows[0].games, part.rows[0].drawn_anew), (18, None));
        assert!(part.rows[0].over_next.unwrap() > 0.9 && part.rows[0].error > 10.0);
        // Every seat had every place equally often.
        assert!(part.seats.len() == 3 && part.advantage.abs() < 1e-6, "{found:?}");
        // A game of two counts with them.
        let mut with_two = standings.clone();
        with_two.note(&game("c", "a", "1-0"));
        assert!(Strengths::of(&with_two, 0, 1).unwrap().parts[0].rows[0].elo < part.rows[0].elo);
        let mut all = Standings::new(Scoring::usual(3), [] as [&str; 0]);
        all.include(&standings);
        assert_eq!(Strengths::of(&all, 20, 1).unwrap(), found);
    }

    /// Standings of these games: `alpha bravo 1-0`.
    fn standings_of<S: AsRef<str>>(games: &[S]) -> Standings {
        let mut standings = Standings::new(Points::CHESS, ["alpha"]);
        for line in games {
            let words: Vec<&str> = line.as_ref().split(' ').collect();
            standings.note(&game(words[0], words[1], words[2]));
        }
        standings
    }

    #[test]
    fn each_connected_part_has_a_list_of_its_own_and_those_without_games_have_none() {
        let mut games = Vec::new();
        for names in [["a", "b", "c"], ["x", "y", "z"]] {
            for (one, other) in [(0, 1), (1, 2), (0, 2)] {
                games.push(format!("{} {} 1-0", names[one], names[other]));
            }
        }
        let found = Strengths::of(&standings_of(&games), 10, 1).unwrap();
        assert_eq!(found.unrated, ["alpha"]);
        let orders: Vec<Vec<&str>> = (found.parts.iter())
            .map(|part| part.rows.iter().map(|row| row.entrant.as_str()).collect())
            .collect();
        assert_eq!(orders, [["a", "b", "c"], ["x", "y", "z"]]);
        for part in &found.parts {
            assert!(part.rows.iter().map(|row| row.elo).sum::<f64>().abs() < 1e-6);
            assert_eq!(part.rows.iter().filter(|row| row.over_next.is_none()).count(), 1);
        }
        // The games of the other part change nothing.
        let alone = Strengths::of(&standings_of(&games[..3]), 10, 1).unwrap();
        assert_eq!(alone.parts[0], found.parts[0]);
        // One game between them makes one list.
        games.push("a x 1/2-1/2".to_owned());
        assert_eq!(Strengths::of(&standings_of(&games), 0, 1).unwrap().parts.len(), 1);
    }

    #[test]
    fn two_alone_have_the_numbers_of_their_encounter() {
        let standings = standings_of(&["a b 1-0", "a b 1/2-1/2", "b a 0-1"]);
        let found = Strengths::of(&standings, 0, 1).unwrap();
        let versus = standings.encounter_of("a", "b").versus().unwrap();
        let rows = &found.parts[0].rows;
        assert!((rows[0].elo - rows[1].elo - versus.elo).abs() < 1e-9, "{rows:?} {versus:?}");
        assert!((rows[0].error + rows[1].error - versus.elo_error).abs() < 1e-9);
        assert_eq!(rows[0].over_next, Some(versus.superiority));
    }

    /// What the likelihood itself says of the difference of two ratings, at the fitted place: its
    /// curvature, without any prior, on the scale of Elo. Numerical, by the model's formula.
    fn own_bar(entrants: usize, meetings: &[Meeting], found: &Ratings) -> Option<f64> {
        use crate::symmetric::Symmetric;
        let log = |at: &[f64]| -> f64 {
            let nu = at[entrants + 1].exp();
            (meetings.iter())
                .map(|meeting| {
                    let d = at[meeting.first] - at[meeting.second] + at[entrants];
                    let total = (d / 2.0).exp() + nu + (-d / 2.0).exp();
                    let Wdl { wins, draws, losses } = meeting.games;
                    wins as f64 * d / 2.0 - losses as f64 * d / 2.0 + draws as f64 * nu.ln()
                        - meeting.games.games() as f64 * total.ln()
                })
                .sum()
        };
        let scale = std::f64::consts::LN_10 / 400.0;
        let mut at: Vec<f64> = found.ratings.iter().map(|rating| rating * scale).collect();
        at.extend([found.advantage * scale, found.nu.ln()]);
        // The ratings alone: what is left is a lower bound of the bar.
        let mut bend = Symmetric::zero(entrants);
        let step = 1e-3;
        for one in 0..entrants {
            for other in 0..=one {
                let moved = |a: f64, b: f64| {
                    let mut there = at.clone();
                    there[one] += a;
                    there[other] += b;
                    log(&there)
                };
                let cross = moved(step, step) - moved(step, -step) - moved(-step, step) + moved(-step, -step);
                // The common shift, which games say nothing about, is fixed.
                *bend.at_mut(one, other) = 1.0 - cross / (4.0 * step * step);
            }
        }
        let inverse = bend.factor()?.inverse();
        let mean: f64 = (0..entrants).map(|other| inverse.at(0, other)).sum::<f64>() / entrants as f64;
        let all: f64 = (0..entrants)
            .flat_map(|one| (0..entrants).map(move |other| (one, other)))
            .map(|(one, other)| inverse.at(one, other))
            .sum::<f64>()
            / (entrants as f64).powi(2);
        let variance = inverse.at(0, 0) - 2.0 * mean + all;
        Some(NINETY_FIVE * variance.max(0.0).sqrt() / scale * found.to_elo())
    }

    /// No result of up to twelve games of two to four engines has a bar that is narrower than what
    /// the likelihood and the prior of 350 Elo say together.
    #[test]
    fn no_bar_is_narrower_than_the_likelihood_and_the_prior_make_it() {
        let mut narrowest = f64::INFINITY;
        let mut tried = 0;
        for entrants in 2..=4_usize {
            let pairings: Vec<(usize, usize)> =
                (0..entrants).flat_map(|one| (one + 1..entrants).map(move |other| (one, other))).collect();
            let rounds = 12 / pairings.len();
            // The first pairing has each result, the others each kind alone.
            for wins in 0..=rounds as u64 {
                for draws in 0..=rounds as u64 - wins {
                    for kind in 0..3 {
                        let rest = |rounds: u64| match kind {
                            0 => Wdl { wins: rounds, draws: 0, losses: 0 },
                            1 => Wdl { wins: 0, draws: rounds, losses: 0 },
                            _ => Wdl { wins: rounds / 2, draws: 0, losses: rounds - rounds / 2 },
                        };
                        let losses = rounds as u64 - wins - draws;
                        let meetings: Vec<Meeting> = (pairings.iter().enumerate())
                            .map(|(at, (first, second))| Meeting {
                                first: *first,
                                second: *second,
                                games: if at == 0 {
                                    Wdl { wins, draws, losses }
                                } else {
                                    rest(rounds as u64)
                                },
                            })
                            .collect();
                        let all: Wdl = meetings.iter().map(|meeting| meeting.games).sum();
                        let prior = Prior::USUAL.on_the_model_scale(all.wins + all.losses, all.draws);
                        let found = Ratings::fit(entrants, &meetings, prior).unwrap();
                        let bar = NINETY_FIVE * found.error(0) * found.to_elo();
                        let own = own_bar(entrants, &meetings, &found).unwrap_or(f64::INFINITY);
                        // In the field a rating of the prior varies a little less than alone.
                        let assumed = NINETY_FIVE * prior.rating * found.to_elo() * 0.5_f64.sqrt();
                        let least = (own.powi(-2) + assumed.powi(-2)).powf(-0.5);
                        assert!(bar > 0.99 * least, "{meetings:?}: {bar} {own} {assumed}");
                        narrowest = narrowest.min(bar);
                        tried += 1;
                    }
                }
            }
        }
        // Twelve drawn games of two engines.
        assert!(tried > 200 && narrowest > 20.0, "{tried} {narrowest}");
    }

    #[test]
    fn drawn_games_have_bars_like_other_games_in_every_command() {
        for games in (2..=12_u64).step_by(2) {
            let drawn = Wdl { wins: 0, draws: games / 2, losses: 0 };
            let meetings = [(0, 1), (1, 0)].map(|(first, second)| Meeting { first, second, games: drawn });
            let prior = Prior::USUAL.on_the_model_scale(0, games);
            let found = Ratings::fit(2, &meetings, prior).unwrap();
            let by_model = 2.0 * NINETY_FIVE * found.error(0) * found.to_elo();
            let lines: Vec<String> = (0..games).map(|_| "a b 1/2-1/2".to_owned()).collect();
            let standings = standings_of(&lines);
            let versus = standings.encounter_of("a", "b").versus().unwrap();
            assert!((0.9..1.7).contains(&(by_model / versus.elo_error)), "{games}: {by_model} {versus:?}");
            let rows = &Strengths::of(&standings, 0, 1).unwrap().parts[0].rows;
            assert!((2.0 * rows[0].error - versus.elo_error).abs() < 1e-9);
        }
    }
}
