//! How the games of a run begin: openings in an order of the seed, or random plies, and what is
//! said of games that repeat others.

use std::path::Path;
use std::time::{Duration, Instant};

use agon_config::{Misuse, Options};
use agon_match::openings::{Drawing, Openings};
use agon_standings::pairings::PlannedGame;
use agon_store::key::GameConditions;
use agon_store::{Store, repeats};

use crate::run::{Run, openings_hash};

/// Sees that the games of a run differ where its pairings have this many games. Openings from a
/// file are shuffled by the seed. Without any, the pairs of a game that always begins alike get
/// random plies. Returns what is to be said of that.
///
/// A run that is continued in a directory keeps the starts and the counting that it began with.
pub fn vary(
    run: &mut Run,
    options: &Options,
    games: u32,
    begun_in: Option<&Path>,
) -> anyhow::Result<Option<String>> {
    let terms = begun_in.map(Store::terms_in).transpose()?.flatten();
    let terms = terms.filter(|terms| terms.get("game").is_some_and(|game| *game == run.rules.spec()));
    run.repeats_count_once &= terms.as_ref().is_none_or(repeats::is_once);
    let openings_before = terms.as_ref().and_then(|terms| terms.get("openings"));
    let usual = agon_games::random_plies(&run.rules.spec());
    let drawing = terms.as_ref().filter(|terms| draws(terms)).map_or(Drawing::Balanced, Drawing::of);
    run.openings = std::mem::take(&mut run.openings).drawn_as(drawing);
    // A referee program draws its own starts.
    let Some(rules) = run.rules.built_in() else { return Ok(None) };
    if let Some((asked, most)) = run.openings.falls_short(rules, run.seed) {
        return Err(Misuse::hinted(
            format!(
                "{} has no start after {asked} random plies in which the game goes on and nobody wins with the \
                 next move",
                rules.spec()
            ),
            format!("give --random-plies {most}"),
        ));
    }
    match run.openings.parts() {
        ([], 0) if usual > 0 && options.random_plies.is_none() => {
            let before = terms.as_ref().filter(|_| openings_before.is_none());
            let before = before.and_then(|terms| terms.get("random plies")?.parse().ok());
            let plies = before.unwrap_or(if games > 2 { usual } else { 0 });
            let openings = Openings::from_start(plies).drawn_as(drawing);
            // Hardly a start of a very small board is not won at once.
            let plies = openings.falls_short(rules, run.seed).map_or(plies, |(_, most)| most);
            run.openings = Openings::from_start(plies).drawn_as(drawing);
            Ok((plies > 0).then(|| {
                format!(
                    "each pair of games begins after {plies} random plies, the same for both; --openings or \
                     --random-plies changes that"
                )
            }))
        }
        ([], _) => Ok(None),
        (positions, _) => {
            // Stored before openings were shuffled.
            if openings_before.is_none_or(|before| *before != openings_hash(positions)) {
                run.openings.shuffle(run.seed);
            }
            Ok(None)
        }
    }
}

/// How many openings that come again are named.
const NAMED: usize = 3;

/// How long boards are looked at before the first game.
const LOOK: Duration = Duration::from_secs(2);

/// What is to be said of boards that have no start with all their random plies. In games that draw
/// their boards one board may have such a start, and another may not. Of a long plan the first
/// boards are looked at.
pub fn short(run: &Run, games: impl Iterator<Item = PlannedGame>) -> Option<String> {
    let rules = run.rules.built_in()?;
    let begins_alike = rules.start(1).text() == rules.start(2).text();
    if begins_alike || run.openings.drawing() != Some(Drawing::Balanced) {
        return None;
    }
    let began = Instant::now();
    let (mut looked_at, mut short) = (0, Vec::new());
    for game in games.filter(|game| game.id.game % 2 == 1).take_while(|_| began.elapsed() < LOOK) {
        looked_at += 1;
        short.extend(run.openings.falls_short_at(rules, game.seed, game.board()));
    }
    let (asked, fewest) = short.iter().min_by_key(|(_, made)| *made)?;
    Some(format!(
        "of {looked_at} boards {} have no start after {asked} random plies in which the game goes on and nobody wins \
         with the next move; these begin after fewer, {fewest} at least; --random-plies {fewest} is the same for all",
        short.len()
    ))
}

/// Whether games under these conditions begin after random moves.
fn draws(terms: &GameConditions) -> bool {
    terms.get("random plies").is_some_and(|plies| plies != "0")
        || terms.contains_key("random plies of play-offs")
}

/// What is to be said of openings that stand in their file more than once.
pub fn doubled(run: &Run) -> Option<String> {
    let all = run.openings.doubled();
    let named =
        all.iter().take(NAMED).map(|(line, earlier)| format!("line {line} is that of line {earlier}"));
    let named: Vec<String> = named.collect();
    let more = match all.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    (!named.is_empty()).then(|| {
        format!(
            "openings: the opening in {}{more}; such an opening is played more often than the others",
            named.join(", in ")
        )
    })
}

/// What is to be said of openings that do not suffice for pairings of this many games.
pub fn used_up(run: &Run, games: u32) -> Option<String> {
    let pairs = run.openings.used_up_after().filter(|pairs| games.div_ceil(2) > *pairs)?;
    Some(format!(
        "the openings are used up after {} games of a pairing; from then on they come again, and a game that \
         repeats an earlier one counts once",
        2 * pairs
    ))
}

/// What is to be said of games that repeated earlier ones.
pub fn repeated(repeats: u64) -> Option<String> {
    let games = match repeats {
        0 => return None,
        1 => "1 game repeats an earlier one".to_owned(),
        many => format!("{many} games repeat earlier ones"),
    };
    Some(format!(
        "{games} move for move and count for nobody: other starts, by --random-plies or --openings, would tell more"
    ))
}
