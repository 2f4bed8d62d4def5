//! What has changed since the run before, in words, and which games are played for it.

use std::collections::BTreeMap;

use agon_printable::counted;
use agon_standings::question::RunQuestion;
use agon_standings::table_plan::TableFormat;

use super::drawn::draws_rounds;
use super::key::{GameConditions, Keys, Player, REFEREE, differences, tables_of};
use super::plan::{Plan, PlayedKeys};

/// Which files make a referee program another one.
const WHAT_COUNTS: &str =
    " (all files of its folder count but engines/, README.md, test.sh and hidden files)";

/// The run before, as it is stored.
pub(super) struct RunBefore {
    pub(super) number: i64,
    pub(super) finished: bool,
    /// Whether it was killed before the files had the new numbers of the games.
    pub(super) renumbered: bool,
    pub(super) games: u32,
    /// The question for which its pairs were chosen, if they were.
    pub(super) question: Option<RunQuestion>,
    pub(super) terms: GameConditions,
    pub(super) players: Vec<Entered>,
}

impl RunBefore {
    /// `4 games in each pairing`, or for which question they were chosen.
    pub(super) fn games_in_words(&self) -> String {
        words_of_games(self.games, self.question, &self.terms)
    }

    /// Whether the plan has the same conditions, engines and number of games.
    pub(super) fn is_of(&self, plan: &Plan<'_>) -> bool {
        self.terms == *plan.terms
            && self.games == plan.games
            && self.players.len() == plan.players.len()
            && self.players.iter().zip(plan.players).all(|(entered, player)| entered.is(player))
    }
}

/// An entrant of the run before.
#[derive(PartialEq)]
pub(super) struct Entered {
    pub(super) name: String,
    pub(super) hash: String,
    /// Its time control.
    pub(super) control: String,
    /// The path of its program, if that was outside of its folder and is known.
    pub(super) outside: Option<String>,
}

impl Entered {
    pub(super) fn is(&self, player: &Player) -> bool {
        self.name == player.name && self.hash == player.hash && self.has_time_of(player)
    }

    pub(super) fn has_time_of(&self, player: &Player) -> bool {
        self.control == player.control
    }
}

/// The games that count, after the plan has changed.
#[derive(Default)]
pub(super) struct Selected {
    /// How many of them counted before.
    pub(super) kept: u64,
    /// How many of them are history that counts again, by the name of an engine.
    pub(super) again: BTreeMap<String, u64>,
}

/// How many pairings of each entrant have games to play.
pub(super) struct MissingPairings<'a> {
    pub(super) plan: &'a Plan<'a>,
    pub(super) counts: Vec<u32>,
    pub(super) selected: &'a Selected,
}

impl<'a> MissingPairings<'a> {
    pub(super) fn new(plan: &'a Plan<'a>, keys: &Keys, played: &PlayedKeys, selected: &'a Selected) -> Self {
        let mut counts = vec![0; plan.players.len()];
        let mut last = None;
        let missing = plan.all_games().filter(|game| !played.has(keys.of(game)));
        // The games of a pairing follow one another.
        for game in missing.filter(|game| last.replace(game.id.pairing) != Some(game.id.pairing)) {
            game.seats.values().iter().for_each(|entrant| counts[*entrant] += 1);
        }
        MissingPairings { plan, counts, selected }
    }

    /// What is played for an entrant, by its place in the plan, with this word: `its 3 pairings are
    /// played again`.
    pub(super) fn of(&self, entrant: usize, word: &str) -> String {
        let format = self.plan.ranking.and_then(|ranking| Some(ranking.stage.as_ref()?.format));
        let tables = tables_of(self.plan.terms);
        let (one, several) = if tables.seats > 2 { ("table", "tables") } else { ("pairing", "pairings") };
        // Later rounds follow from the results of earlier ones.
        let by_swiss = matches!(tables.format, TableFormat::Swiss { .. });
        if by_swiss || format.is_some_and(draws_rounds) {
            return format!("its {several} are {word}");
        }
        let pairings = match self.counts[entrant] {
            1 => format!("its {one} is"),
            many => format!("its {many} {several} are"),
        };
        match (self.selected.again.get(&self.plan.players[entrant].name), self.counts[entrant]) {
            (Some(1), 0) => "its older game counts again".to_owned(),
            (Some(games), 0) => format!("its {games} older games count again"),
            (None, 0) => "its older games count again".to_owned(),
            (Some(games), _) => format!("{games} of its older games count again, and {pairings} played"),
            (None, _) => format!("{pairings} {word}"),
        }
    }

    /// Whether games of history count again with this entrant: it was there before.
    fn is_back(&self, player: &Player) -> bool {
        self.selected.again.contains_key(&player.name)
    }

    /// What becomes of all games, when a condition of all has changed.
    pub(super) fn of_all(&self) -> &'static str {
        match (self.selected.again.is_empty(), self.counts.iter().all(|count| *count == 0)) {
            (false, true) => "the older games with it count again",
            (false, false) => "the older games with it count again, the others are played",
            (true, _) if tables_of(self.plan.terms).seats > 2 => "every table is played again",
            (true, _) => "every pairing is played again",
        }
    }
}

/// What has changed, and which games are played for it.
pub(super) fn changes(before: &RunBefore, missing: &MissingPairings<'_>) -> Vec<String> {
    let plan = missing.plan;
    let old: BTreeMap<&str, &Entered> =
        before.players.iter().map(|entered| (entered.name.as_str(), entered)).collect();
    let mut lines = Vec::new();
    let all = time_of_all(before, plan);
    if let Some((there, here)) = all {
        lines.push(format!("the time control has changed from {there} to {here}: {}", missing.of_all()));
    }
    for (place, player) in plan.players.iter().enumerate() {
        match old.get(player.name.as_str()) {
            None => {
                let is = if missing.is_back(player) { "is back" } else { "is new" };
                lines.push(format!("{} {is}: {}", player.name, missing.of(place, "played")));
            }
            Some(entered) if entered.hash != player.hash => {
                lines.push(format!("{} has changed: {}", player.name, missing.of(place, "played again")));
                lines.extend(another_program(entered, player));
            }
            Some(entered) if all.is_none() && !entered.has_time_of(player) => {
                lines.push(format!(
                    "{} has {} instead of {}: {}",
                    player.name,
                    player.control,
                    entered.control,
                    missing.of(place, "played again")
                ));
            }
            Some(_) => {}
        }
    }
    for Entered { name, .. } in &before.players {
        if !plan.players.iter().any(|player| player.name == *name) {
            lines.push(format!("{name} is no longer entered: its games are kept as history"));
        }
    }
    for (name, there, here) in differences(&before.terms, plan.terms) {
        // What of its files has changed is not known: the hash is of all.
        let of_what = if name == REFEREE { WHAT_COUNTS } else { "" };
        lines.push(format!(
            "{name} has changed from {} to {}{of_what}: {}",
            short(&there),
            short(&here),
            missing.of_all()
        ));
    }
    let (there, here) = (before.games_in_words(), games_in_words(plan));
    match before.games.cmp(&plan.games) {
        std::cmp::Ordering::Less => {
            lines.push(format!("{here} instead of {there}: the missing ones are played"));
        }
        std::cmp::Ordering::Greater => {
            lines.push(format!("{here} instead of {there}: the others are kept as history"));
        }
        std::cmp::Ordering::Equal => {}
    }
    lines
}

/// `4 games in each pairing`, or for which question they are chosen.
pub(super) fn games_in_words(plan: &Plan<'_>) -> String {
    words_of_games(plan.games, plan.until.map(|until| until.question), plan.terms)
}

fn words_of_games(games: u32, question: Option<RunQuestion>, terms: &GameConditions) -> String {
    let each = if tables_of(terms).seats > 2 { "at each table" } else { "in each pairing" };
    match question {
        Some(question) => format!("games chosen for --until {question}"),
        None => format!("{} {each}", counted(games, "game")),
    }
}

/// Says that an engine is started by another program, such as another interpreter of the same name.
fn another_program(before: &Entered, now: &Player) -> Option<String> {
    let (there, here) = (before.outside.as_ref()?, now.outside.as_ref()?);
    let name = here.rsplit('/').next().unwrap_or_default();
    (there != here).then(|| {
        let player = &now.name;
        format!("{player}: {name} is another program than in the run before: {here}, was {there}; PATH decides which")
    })
}

/// The time control that all entrants had, and the one that all have now, if it differs.
pub(super) fn time_of_all<'a>(before: &'a RunBefore, plan: &'a Plan<'_>) -> Option<(&'a str, &'a str)> {
    let (there, here) = (&before.players.first()?.control, &plan.players.first()?.control);
    let all = before.players.iter().all(|entered| entered.control == *there)
        && plan.players.iter().all(|player| player.control == *here);
    (all && there != here).then_some((there.as_str(), here.as_str()))
}

/// The first digits of a hash, enough to recognise it.
pub(super) fn short(value: &str) -> &str {
    if value.len() == 64 && value.bytes().all(|byte| byte.is_ascii_hexdigit()) { &value[..12] } else { value }
}
