//! A league: every night each division plays a round robin, in a directory of its own. The
//! divisions of a night follow from the stored results of the night before.

use std::path::{Path, PathBuf};

use agon_config::league::LeagueFile;
use agon_config::stages::{CupFile, WithdrawnFile};
use agon_config::{CommandExit, Options};
use agon_export::cells::{self, CsvCell};
use agon_export::{atomic, csv};
use agon_match::keeper::RunContext;
use agon_pages::report::bracket::{self, BracketGroup, BracketLine, BracketStage};
use agon_printable::clean;
use agon_standings::cup::{self, CupStage, GroupShape};
use agon_standings::league::{LeagueRules, Move, division_title};
use agon_standings::matches::Scores;
use agon_standings::stage::{self, Field};
use agon_standings::strengths::Strengths;
use agon_standings::{Standings, bootstrap};
use agon_store::Store;
use agon_store::ranking::{DerivedStage, StageSpec};

use super::cup::Cup;
use super::played_stage::{PlayedStage, with_late};
use super::session::{self, Session};
use super::sink::Sink;
use super::withdrawing::plays_no_round;
use super::{gone, looked, repaired, replacing, settings, stages, withdrawing};

/// The table of a league.
pub(super) const TABLE: &str = "league.csv";

/// The ratings by the games of all nights.
const RATINGS: &str = "ratings.csv";

/// A league of which a night is to be played.
pub struct League {
    /// Its rules, from the file.
    pub league: LeagueFile,
    /// The engines and options, as of a cup.
    pub cup: Cup,
    /// Whether the next night begins if the last one is over.
    pub next: bool,
}

/// The stored nights, in their order, and how many move after the last of them, if that is stored.
fn nights(root: &Path) -> anyhow::Result<(Vec<DerivedStage>, Option<usize>)> {
    let stored = looked::stages(root)?;
    let moves = stored.last().and_then(|(spec, _)| spec.moves);
    Ok((stored.into_iter().map(|(_, derived)| derived).collect(), moves))
}

/// Writes the table and the ratings of a league from the stored nights, if they are there. Returns
/// whether the table is as it should be: one night of an earlier version has not stored how many
/// move, and then it stays as it was.
pub(super) fn refresh(root: &Path, nights: Vec<(StageSpec, DerivedStage)>) -> anyhow::Result<bool> {
    if !root.join(TABLE).is_file() && !root.join(RATINGS).is_file() {
        return Ok(true);
    }
    rate(root)?;
    let ruled = |(spec, night): (StageSpec, DerivedStage)| Some((spec.league_rules()?, night));
    let Some(nights) = nights.into_iter().map(ruled).collect::<Option<Vec<_>>>() else { return Ok(false) };
    atomic::write_text(&root.join(TABLE), &table(&nights)?)?;
    Ok(true)
}

/// A night before its first game.
pub struct PlannedNight {
    /// The night as a stage.
    pub stage: CupStage,
    /// Its entrants, a group for each division.
    pub field: Field<String>,
    /// Its results so far, if it is under way.
    pub scores: Scores,
    /// The names in each division.
    divisions: Vec<Vec<String>>,
}

/// The night of a league that is under way, or else the next one, of the engines with these names
/// and without those that the file lets withdraw before it.
pub fn planned(
    league: &LeagueFile,
    file: &CupFile,
    options: &Options,
    mut names: Vec<String>,
    withdrawn: &[WithdrawnFile],
) -> anyhow::Result<PlannedNight> {
    let root = session::root(options);
    let (before, moves) = nights(&root)?;
    let begins = before.last().is_none_or(|night| night.progress.result.is_some());
    let seed = match options.seed {
        Some(seed) => seed,
        None => Store::seed_in(&root.join("night-1"))?.unwrap_or(0),
    };
    let number = before.len() + usize::from(begins);
    if begins && !before.is_empty() {
        let leaves = |name: &String| withdrawn.iter().any(|one| one.engine == *name && plays_no_round(one));
        names.retain(|name| !leaves(name));
    }
    let places = places(withdrawn, &before)?;
    let directory = root.join(format!("night-{number}"));
    let night = NightPlan { number, before: &before, moves, begins, seed, places, directory };
    night.of(league, file, options, names)
}

/// The engines that the file lets withdraw before the next night, each with the one that plays in
/// its place.
fn places(withdrawn: &[WithdrawnFile], before: &[DerivedStage]) -> anyhow::Result<Vec<(String, String)>> {
    let leaves = |one: &&WithdrawnFile| {
        plays_no_round(one) && !before.iter().any(|night| night.has_withdrawn(&one.engine))
    };
    let mut found = Vec::new();
    for one in withdrawn.iter().filter(leaves) {
        if let Some(by) = withdrawing::rule(one.rule.as_deref())?.by {
            found.push((one.engine.clone(), by));
        }
    }
    Ok(found)
}

/// What a night follows from.
struct NightPlan<'a> {
    number: usize,
    /// The stored nights.
    before: &'a [DerivedStage],
    /// How many move after the last of them, if that is stored.
    moves: Option<usize>,
    /// Whether it is not among them.
    begins: bool,
    seed: u64,
    /// Who has withdrawn since the night before, each with the one that plays in its place.
    places: Vec<(String, String)>,
    /// Its directory.
    directory: PathBuf,
}

impl NightPlan<'_> {
    fn of(
        &self,
        league: &LeagueFile,
        file: &CupFile,
        options: &Options,
        names: Vec<String>,
    ) -> anyhow::Result<PlannedNight> {
        let store = self.stored()?;
        let divisions = self.divisions(league, file, names, store.as_ref())?;
        let mut all = stages::of_file(file, options, settings::points(options)?)?;
        let stage = CupStage {
            name: format!("night {}", self.number),
            shape: GroupShape::Groups(divisions.len()),
            ..all.remove(0)
        };
        let mut field = field(&stage, &divisions, cup::seed_of(self.seed, self.number - 1));
        let mut scores = Scores::new();
        if let (Some(last), Some(store)) = (self.before.last(), store) {
            let withdrawn = store.withdrawn()?;
            field.absences = withdrawn.absences(&field.names);
            field.closing = withdrawn.closing();
            scores.clone_from(&last.scores);
        }
        Ok(PlannedNight { stage, field, scores, divisions })
    }

    /// Its store if it is under way or over. What is stored there may be no league, which is
    /// refused before a game is played.
    fn stored(&self) -> anyhow::Result<Option<Store>> {
        let is_there = !self.begins && Store::is_in(&self.directory);
        is_there.then(|| Store::read(&self.directory)).transpose()
    }

    /// The divisions, from the night before or, of the first one, from seeds and lot.
    fn divisions(
        &self,
        league: &LeagueFile,
        file: &CupFile,
        mut names: Vec<String>,
        stored: Option<&Store>,
    ) -> anyhow::Result<Vec<Vec<String>>> {
        names.sort();
        // Who has withdrawn plays on no later night.
        names.retain(|name| !self.before.iter().any(|night| night.has_withdrawn(name)));
        let Some(last) = self.before.last() else {
            let pots = stages::first_pots(file, &names)?;
            let order = stage::deal(&pots, 1, self.seed, false).concat();
            return Ok(league.rules(order.len())?.divided(&order));
        };
        let named =
            |group: &Vec<usize>| group.iter().map(|entrant| last.field.names[*entrant].clone()).collect();
        match &last.progress.result {
            Some(result) if self.begins => {
                let mut rankings: Vec<Vec<String>> =
                    result.iter().map(|ranking| named(&places_of(last, &ranking.order))).collect();
                for name in rankings.iter_mut().flatten() {
                    if let Some((_, by)) = self.places.iter().find(|(engine, _)| engine == name) {
                        name.clone_from(by);
                    }
                }
                let rules = league.rules(names.len())?;
                // Those move who were told so, whatever the file says of the next nights.
                let rules = LeagueRules { moves: self.moves.unwrap_or(rules.moves), ..rules };
                Ok(rules.next(&rankings, &names))
            }
            _ => {
                let groups: Vec<Vec<String>> = last.field.groups.iter().map(named).collect();
                let joined = stored.map(|store| with_late(store, groups.clone())).transpose()?.flatten();
                Ok(joined.unwrap_or(groups))
            }
        }
    }
}

impl League {
    /// Plays the last night to its end, or with `next` the one after it.
    ///
    /// # Errors
    /// As [`Cup::play`](super::cup::Cup::play).
    pub fn run(mut self, context: &RunContext, sink: &mut dyn Sink) -> anyhow::Result<CommandExit> {
        let root = session::root(&self.cup.options);
        let (before, moves) = nights(&root)?;
        let is_over = before.last().is_some_and(|night| night.progress.result.is_some());
        let begins = before.is_empty() || is_over && self.next;
        let number = before.len() + usize::from(begins);
        let path = root.join(format!("night-{number}"));
        self.cup.refuse_another(&root.join(format!("night-{}", before.len().max(1))))?;
        if self.cup.options.seed.is_none() {
            self.cup.options.seed = Store::seed_in(&root.join("night-1"))?;
        }
        let control = self.cup.options.time_control()?;
        if !begins && !is_over && !self.cup.dry {
            let names: Vec<String> = self.cup.engines.iter().map(|engine| engine.name.clone()).collect();
            withdrawing::note_in(&self.cup.withdrawn, &path, &names)?;
            replacing::refuse_missing(&path, &names)?;
        }
        if before.is_empty() {
            let names: Vec<String> = self.cup.engines.iter().map(|engine| engine.name.clone()).collect();
            withdrawing::check(&self.cup.withdrawn, &path, &names, || Some(u32::MAX))?;
        }
        if is_over && let Some(last) = looked::parts(&root).last() {
            withdrawing::agree_with(&self.cup.withdrawn, &Store::read(&last.path)?)?;
        }
        let places = places(&self.cup.withdrawn, &before)?;
        let leaving = if is_over { self.leaving(&before, number)? } else { Vec::new() };
        let gone = gone::of_run(&path)?;
        self.cup.engines = gone::with(std::mem::take(&mut self.cup.engines), &gone);
        let (rules, engines) = (self.cup.rules.clone(), self.cup.engines.clone());
        let mut whole = settings::run(&self.cup.options, rules, engines, control)?;
        whole.entrants.retain(|engine| !gone::is_gone(&gone, engine));
        self.cup.options.seed = Some(whole.seed);
        let names = self.cup.engines.iter().map(|engine| engine.name.clone()).collect();
        let night = NightPlan {
            number,
            before: &before,
            moves,
            begins,
            seed: whole.seed,
            places,
            directory: path.clone(),
        };
        let PlannedNight { stage, field, divisions, .. } =
            night.of(&self.league, &self.cup.file, &self.cup.options, names)?;
        if self.cup.dry {
            sink.say(stages::groups(&field).trim_end());
        }
        let directories = [path];
        let options = &self.cup.options;
        let mut session = Session::open(context, options, &whole, &directories, sink, self.cup.on_refusal())?
            .at_most(self.cup.at_most)
            .dry(self.cup.dry)?;
        if self.cup.check && (self.cup.dry || before.is_empty()) {
            session.try_out(&whole)?;
        }
        leaving.iter().for_each(|words| session.sink().warn(words));
        if let Some(last) = before.last().filter(|_| begins) {
            self.say_who_is_elsewhere(&session, last, moves, &divisions)?;
        }
        if !begins && is_over {
            session.say(&format!("{} is over; its games count; --next begins the next night", stage.name));
        } else {
            let mut state = PlayedStage::new(&stage, field);
            // Another night has other start positions, even where all games begin alike.
            state.varied_after = Some(0);
            let of_file = self.league.rules(state.field.names.len())?.moves;
            state.moves = Some(moves.filter(|_| !begins).unwrap_or(of_file));
            if !begins {
                state.read(&Store::read(&directories[0])?, &stage)?;
            }
            self.cup.play_stage(
                &mut session,
                &stage,
                &mut state,
                &directories[0],
                &whole,
                self.cup.consent,
            )?;
        }
        if !begins {
            self.say_who_waits(&session, &stage.name, &divisions, &before);
        }
        if self.cup.dry {
            return Ok(session.code());
        }
        for night in looked::parts(&root).iter().filter(|night| night.path != directories[0] || is_over) {
            repaired::repair(&night.path)?;
        }
        // Each night moves by the rules that it was played by.
        let ruled = |(spec, night): (StageSpec, DerivedStage)| match spec.league_rules() {
            Some(rules) => Ok((rules, night)),
            None => Ok((self.league.rules(night.places())?, night)),
        };
        let nights = looked::stages(&root)?.into_iter().map(ruled).collect::<anyhow::Result<Vec<_>>>()?;
        if !nights.is_empty() {
            atomic::write_text(&root.join(TABLE), &table(&nights)?)?;
            rate(&root)?;
        }
        session.show(|sink| nights.last().map_or(Ok(()), |(rules, night)| sink.night(night, *rules)))
    }

    /// Takes the engines out that are to withdraw before the next night, whose number this is if it
    /// begins now. Returns that in words.
    fn leaving(&mut self, before: &[DerivedStage], number: usize) -> anyhow::Result<Vec<String>> {
        let begins = number > before.len();
        let (mut said, mut come) = (Vec::new(), Vec::new());
        let Cup { withdrawn, engines, .. } = &mut self.cup;
        for one in withdrawn.iter().filter(|one| !before.iter().any(|night| night.has_withdrawn(&one.engine)))
        {
            let name = clean(&one.engine);
            if !engines.iter().any(|engine| engine.name == one.engine) {
                continue;
            }
            if !begins {
                let over = before.len();
                said.push(format!("{name} withdraws, as the file says, but night {over} is over: it leaves with the next night"));
            } else if plays_no_round(one) {
                engines.retain(|engine| engine.name != one.engine);
                let by = withdrawing::rule(one.rule.as_deref())?.by;
                let place = match &by {
                    Some(by) => format!("{} plays in its place from night {number} on", clean(by)),
                    None => format!("it does not play from night {number} on"),
                };
                said.push(format!("{name} has withdrawn, as the file says: {place}"));
                let Some(by) = by else { continue };
                let names: Vec<String> = engines.iter().map(|engine| engine.name.clone()).collect();
                replacing::refuse_unknown(&by, &one.engine, &names)
                    .and_then(|()| replacing::refuse_leaving(&by, withdrawn))
                    .and_then(|()| replacing::refuse_in_league(&by, before, &mut come))
                    .map_err(|error| withdrawing::placed(one, "rule", error))?;
            }
        }
        Ok(said)
    }

    /// Names the engines whose division is not the one that the night before has said, because the
    /// number of engines has changed.
    fn say_who_is_elsewhere(
        &self,
        session: &Session<'_>,
        last: &DerivedStage,
        moves: Option<usize>,
        divisions: &[Vec<String>],
    ) -> anyhow::Result<()> {
        let rules = self.league.rules(last.places())?;
        let rules = LeagueRules { moves: moves.unwrap_or(rules.moves), ..rules };
        for (division, ranking) in last.progress.result.iter().flatten().enumerate() {
            let order = places_of(last, &ranking.order);
            for (place, entrant) in order.iter().enumerate() {
                let name = &last.field.names[*entrant];
                let wanted = match rules.of_place(division, place, order.len()) {
                    Move::Up => division - 1,
                    Move::Stay => division,
                    Move::Down => division + 1,
                };
                let found = divisions.iter().position(|names| names.contains(name));
                if let Some(found) = found.filter(|found| *found != wanted) {
                    session.say(&format!(
                        "{} plays in division {}, and not in {}, because the number of engines or divisions has changed",
                        clean(name),
                        found + 1,
                        wanted + 1
                    ));
                }
            }
        }
        Ok(())
    }

    /// Names the engines that a night does not have because it had begun without them.
    fn say_who_waits(
        &self,
        session: &Session<'_>,
        night: &str,
        divisions: &[Vec<String>],
        before: &[DerivedStage],
    ) {
        let plays = |name: &String| divisions.iter().flatten().any(|other| other == name);
        // The program of one that has withdrawn may still be there.
        let has_left = |name: &str| before.iter().any(|night| night.has_withdrawn(name));
        let waits = |name: &String| !plays(name) && !has_left(name);
        for engine in self.cup.engines.iter().filter(|engine| waits(&engine.name)) {
            session.sink().warn(&format!(
                "{} is new and begins with the next night, because {night} has begun without it",
                engine.name
            ));
        }
    }
}

/// Writes the ratings of the engines by the games of all nights: movers connect the divisions.
fn rate(root: &Path) -> anyhow::Result<()> {
    let mut all: Option<Standings> = None;
    for night in looked::parts(root) {
        let store = Store::read(&night.path)?;
        let night = store.standings(store.points()?)?;
        match &mut all {
            Some(all) => all.include(&night),
            None => all = Some(night),
        }
    }
    let found = all.and_then(|all| Strengths::of(&all, bootstrap::times(all.names().count()), 1));
    found.map_or(Ok(()), |found| atomic::write(&root.join(RATINGS), |to| csv::ratings(&found, to)))
}

/// The entrants of a night.
fn field(stage: &CupStage, divisions: &[Vec<String>], seed: u64) -> Field<String> {
    let mut next = 0..divisions.iter().map(Vec::len).sum();
    Field {
        names: divisions.concat(),
        groups: divisions.iter().map(|division| next.by_ref().take(division.len()).collect()).collect(),
        titles: (1..=divisions.len()).map(|division| division_title(&stage.name, division)).collect(),
        cuts: Vec::new(),
        seed,
        absences: Vec::new(),
        late: Vec::new(),
        closing: None,
    }
}

/// Those in an order who have a place in their division, without those who were replaced.
fn places_of(night: &DerivedStage, order: &[usize]) -> Vec<usize> {
    order.iter().copied().filter(|entrant| !night.is_replaced(*entrant)).collect()
}

/// The move of an entrant of a division, in words for a table; nothing before the night is over.
fn move_of(night: &DerivedStage, rules: LeagueRules, division: usize, entrant: usize) -> &'static str {
    match night.move_of(rules, division, entrant) {
        Some(Move::Up) => "up",
        Some(Move::Down) => "down",
        Some(Move::Stay) | None => "",
    }
}

/// A night with its divisions and, when it is over, who goes up or down.
pub(super) fn drawn(night: &DerivedStage, rules: LeagueRules) -> String {
    let is_over = night.progress.result.is_some();
    let group = |(division, order): (usize, &Vec<(usize, usize)>)| BracketGroup {
        title: night.field.titles[division].clone(),
        lines: (order.iter().enumerate())
            .map(|(place, (entrant, _))| BracketLine {
                name: night.field.names[*entrant].clone(),
                points: points_of(night, *entrant),
                note: move_of(night, rules, division, *entrant).to_owned(),
                goes_on: is_over && place == 0,
            })
            .collect(),
        words: night.progress.result.as_ref().map(|all| all[division].words.clone()).unwrap_or_default(),
    };
    let groups = night.progress.orders.iter().enumerate().map(group).collect();
    bracket::text(&[BracketStage { name: String::new(), groups }])
}

fn points_of(night: &DerivedStage, entrant: usize) -> String {
    night.sums()[entrant].points.to_string()
}

/// `league.csv`: a row for each engine and night.
fn table(nights: &[(LeagueRules, DerivedStage)]) -> anyhow::Result<String> {
    let mut rows = Vec::new();
    for (number, (rules, night)) in (1_usize..).zip(nights) {
        let sums = night.sums();
        for (division, order) in night.progress.orders.iter().enumerate() {
            for (entrant, rank) in order {
                let sum = &sums[*entrant];
                let mut row =
                    vec![CsvCell::exact(number), CsvCell::exact(division + 1), CsvCell::exact(rank)];
                row.push(CsvCell::text(&night.field.names[*entrant]));
                let games = [sum.games.games(), sum.games.wins, sum.games.draws, sum.games.losses];
                row.extend(games.map(CsvCell::exact));
                row.extend([
                    CsvCell::exact(sum.points),
                    CsvCell::exact(move_of(night, *rules, division, *entrant)),
                ]);
                rows.push(row);
            }
        }
    }
    let head =
        ["night", "division", "place", "engine", "games", "wins", "draws", "losses", "points", "moves"];
    cells::text_of(head, rows)
}
