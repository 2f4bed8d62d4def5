//! `agon decide`: the organiser decides about a game that was played.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::SystemTime;

use agon_config::Misuse;
use agon_printable::{clean, counted, quoted};
use agon_programs::program::display_path;
use agon_record::{Decision, GameRecord};
use agon_seats::{PerSeat, Seat};
use agon_standings::result::GameId;
use agon_standings::scoring::Scoring;
use agon_store::lock::Lock;
use agon_store::{Consequences, Decidable, MadeDecision, Store, StoredDecision};
use agon_tournament::competition::event_files;
use agon_tournament::competition::looked::{self, LookedRun};
use clap::Args;

use super::noted;
use crate::cli::out;
use crate::cli::stage_option::StageOption;

/// Decides about a game that was played, with a reason
///
/// The decision counts in standings, stages, leagues and grades. The game as it was played stays,
/// agon verify plays it again, and the decision is a link of the chain of its own.
///
/// void: the game counts for nobody. replay: it is played again, by the next agon tournament or
/// agon nightly. award SIDE: this side has won, given by its letter, its number or its engine.
/// result: the result in order of play, 1-0, 0-1 or 1/2-1/2; with three or more seats, or if scores
/// are summed, the scores, 3-1-2 or 3/-1/2. undo: takes back what was decided. Without a game, the
/// decisions are listed.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon decide results r01-p0003-g02 void --why 'both had the book of last year'
  agon decide results r01-p0003-g02 award W --why 'the clock of the server was wrong'
  agon decide cup r02-p0007-g01 result 1/2-1/2 --why 'agreed' --stage 1 --yes
  agon decide results r01-p0003-g02 undo --why 'the protest was withdrawn'
  agon decide results                     lists the decisions")]
pub(crate) struct DecideArgs {
    /// The directory of the run, of a cup, of a league or of a class
    #[arg(value_name = "DIR")]
    directory: PathBuf,

    /// The game, as agon games names it: r01-p0003-g02
    #[arg(value_name = "GAME")]
    game: Option<GameId>,

    /// void, replay, award, result or undo
    #[arg(value_name = "WHAT", requires = "game")]
    what: Option<String>,

    /// The side of award, or the result
    #[arg(value_name = "VALUE", requires = "what", allow_hyphen_values = true)]
    value: Option<String>,

    /// The reason, for the record of the game
    #[arg(long, value_name = "TEXT")]
    why: Option<String>,

    /// Does it also if the run is over, or if games depend on the result
    #[arg(long)]
    yes: bool,

    #[command(flatten)]
    of: StageOption,
}

/// The game that is meant, with its run.
struct Meant {
    run: LookedRun,
    game: Decidable,
}

impl DecideArgs {
    pub(crate) fn run(&self) -> anyhow::Result<ExitCode> {
        let runs = self.of.decided_runs(&self.directory)?;
        let Some(id) = self.game else { return list(&runs) };
        let meant = self.meant(id, runs)?;
        let store = Store::read(&meant.run.path)?;
        let made = self.made(id, &meant.game, store.points()?)?;
        let later = later_parts(&meant.run)?;
        if made.decision == Some(Decision::Replay) {
            refuse_without(&store, id, &meant.game.stored.record)?;
            refuse_of_earlier_night(&meant.run, &later)?;
        }
        drop(store);
        let path = &meant.run.path;
        let _lock = Lock::take(path)?;
        let mut store = Store::open(path)?;
        let number = meant.game.stored.number;
        let found = store.decide(number, &made, false)?;
        let text = follows(&meant, &made, &found, &later);
        let is_asked = found.was_over || found.history > 0 || !later.is_empty();
        if is_asked && !self.yes {
            out(&text)?;
            return Err(Misuse::hinted(
                "nothing was changed: the run is over, or more depends on this result",
                "read what follows from it, then give --yes too",
            ));
        }
        store.decide(number, &made, true)?;
        drop(store);
        done(&meant.run, id.round, &text)
    }

    /// The game with this number; exactly one run must have it.
    fn meant(&self, id: GameId, runs: Vec<LookedRun>) -> anyhow::Result<Meant> {
        let mut found = Vec::new();
        let mut is_planned = false;
        for run in runs {
            let store = Store::read(&run.path)?;
            match store.decidable(id)? {
                Some(game) => found.push(Meant { run, game }),
                None => {
                    let last = store.runs()?.pop();
                    let mut plan = last.as_ref().and_then(|run| run.planned()).into_iter().flatten();
                    is_planned |= plan.any(|game| game.id == id);
                }
            }
        }
        if found.len() > 1 {
            let parts: Vec<String> =
                found.iter().filter_map(|one| Some(format!("--stage {}", one.run.number?))).collect();
            return Err(Misuse::hinted(
                format!("{}: several stages have a game {id}", display_path(&self.directory)),
                format!("give {}", parts.join(" or ")),
            ));
        }
        found.pop().ok_or_else(|| {
            let what = if is_planned { "has not been played yet" } else { "is not there" };
            Misuse::hinted(
                format!("{}: game {id} {what}", display_path(&self.directory)),
                "agon games lists the games that were played",
            )
        })
    }

    /// The decision that is asked for.
    fn made(&self, id: GameId, game: &Decidable, points: Scoring) -> anyhow::Result<StoredDecision> {
        let record = &game.stored.record;
        let decision = self.decision(record, points)?;
        let why = noted::reason(self.why.as_deref(), "give the reason of the decision, with --why TEXT")?;
        let undo = "take it back first, with agon decide DIR GAME undo --why TEXT";
        if let Some(ruling) = record.ruling.as_ref().filter(|_| game.is_expunged) {
            return Err(Misuse::hinted(
                format!("game {id} does not count: {}", clean(&ruling.why)),
                "take that back first, with agon withdraw DIR ENGINE undo --why TEXT",
            ));
        }
        match (&record.ruling, &decision) {
            (Some(ruling), Some(_)) => {
                let what = format!("the organiser has decided about {id} already: {}", clean(&ruling.why));
                return Err(Misuse::hinted(what, undo));
            }
            (None, None) if game.is_again => {
                return Err(Misuse::hinted(
                    format!("game {id} has been played again since: the first one cannot count any more"),
                    "decide about the game that was played again",
                ));
            }
            (None, None) => {
                return Err(Misuse::hinted(
                    format!("nothing was decided about {id}, so nothing can be taken back"),
                    "agon decide DIR lists the decisions",
                ));
            }
            (Some(_), None) | (None, Some(_)) => {}
        }
        // A void attempt is played again without a decision.
        if record.decided().is_none() && matches!(decision, Some(Decision::Replay)) {
            return Err(Misuse::hinted(
                format!("game {id} is void, so that it is played again in any case"),
                "agon tournament with the same options plays it",
            ));
        }
        // The database has nanoseconds.
        Ok(StoredDecision { decision, why, decided: SystemTime::now().into() })
    }

    fn decision(&self, record: &GameRecord, points: Scoring) -> anyhow::Result<Option<Decision>> {
        let what = self.what.as_deref().unwrap_or_default();
        let has_value = matches!(what, "award" | "result");
        match (&self.value, what) {
            (_, "void" | "replay" | "undo") | (Some(_), "award" | "result") => {}
            (None, "award" | "result") => {
                let example = if what == "award" { "award W" } else { "result 1-0" };
                return Err(Misuse::hinted(format!("{what} lacks its value"), format!("write {example}")));
            }
            _ => {
                return Err(Misuse::hinted(
                    format!("{} is no decision", quoted(what)),
                    "write void, replay, award SIDE, result 1-0 or undo",
                ));
            }
        }
        if let Some(value) = self.value.as_ref().filter(|_| !has_value) {
            return Err(Misuse::hinted(
                format!("{} behind {what} has no meaning", quoted(value)),
                "leave it out",
            ));
        }
        let value = self.value.as_deref().unwrap_or_default();
        Ok(match what {
            "void" => Some(Decision::Void),
            "replay" => Some(Decision::Replay),
            "award" if points == Scoring::Sum => {
                return Err(Misuse::hinted(
                    "award: the points of this run are the scores, which a won game does not say".to_owned(),
                    "give the score of each seat, with result",
                ));
            }
            "award" => Some(Decision::Award(side(record, value)?)),
            "result" => Some(result(record, value, points)?),
            _ => None,
        })
    }
}

/// Refuses to let a game be played again by an engine that has withdrawn: its program may be gone.
fn refuse_without(store: &Store, id: GameId, record: &GameRecord) -> anyhow::Result<()> {
    let withdrawn = store.withdrawn()?;
    let names = record.seats.values().iter().map(|seat| seat.entrant.as_str());
    let gone: Vec<String> = names.filter(|name| withdrawn.of_engine(name).is_some()).map(clean).collect();
    if gone.is_empty() {
        return Ok(());
    }
    let who = if gone.len() == 1 { "has" } else { "have" };
    Err(Misuse::hinted(
        format!("{} {who} withdrawn, so that {id} is not played again", gone.join(" and ")),
        "give it a result with award or result, or let it count for nobody with void",
    ))
}

/// Refuses to let a game of a night be played again after the next one has begun: only the last
/// night is played.
fn refuse_of_earlier_night(run: &LookedRun, later: &[(LookedRun, u64)]) -> anyhow::Result<()> {
    let Some((next, _)) = later.first().filter(|_| run.is_night()) else { return Ok(()) };
    let name = |run: &LookedRun| format!("night {}", run.number.unwrap_or_default());
    Err(Misuse::hinted(
        format!("{} has begun, so that no game of {} is played again", name(next), name(run)),
        "give it a result with award or result, or let it count for nobody with void",
    ))
}

/// The seat with this letter, number or engine.
fn side(record: &GameRecord, asked: &str) -> anyhow::Result<Seat> {
    let is_meant = |seat: Seat| {
        let own = &record.seats[seat];
        own.side == asked || own.entrant == asked || (seat.index() + 1).to_string() == asked
    };
    let found: Vec<Seat> = record.seats.seats().filter(|seat| is_meant(*seat)).collect();
    if let [only] = found[..] {
        return Ok(only);
    }
    let each = |(seat, own): (Seat, &agon_record::SeatRecord)| {
        format!("{} or {} for {}", clean(&own.side), seat.index() + 1, clean(&own.entrant))
    };
    let sides: Vec<String> = record.seats.iter().map(each).collect();
    let what =
        if found.is_empty() { "is no side of this game" } else { "can mean several sides of this game" };
    Err(Misuse::hinted(format!("{} {what}", quoted(asked)), format!("give {}", sides.join(", "))))
}

/// The result in order of play.
fn result(record: &GameRecord, text: &str, points: Scoring) -> anyhow::Result<Decision> {
    let seats = record.seats.len();
    if seats == 2 && points != Scoring::Sum {
        let places = match text {
            "1-0" => PerSeat::two(1, 2),
            "0-1" => PerSeat::two(2, 1),
            "1/2-1/2" | "0.5-0.5" => PerSeat::two(1, 1),
            _ => {
                return Err(Misuse::hinted(
                    format!("{} is no result of two seats", quoted(text)),
                    "write 1-0, 0-1 or 1/2-1/2, in order of play; void if it shall count for nobody",
                ));
            }
        };
        return Ok(Decision::Places(places));
    }
    let parts: Vec<&str> = if text.contains('/') { text.split('/') } else { text.split('-') }.collect();
    let scores: Option<Vec<i32>> = parts.iter().map(|part| part.trim().parse().ok()).collect();
    match scores {
        Some(scores) if scores.len() == seats => Ok(Decision::Scores(scores.into())),
        Some(scores) => Err(Misuse::hinted(
            format!("{} has {} scores, and the game has {seats} seats", quoted(text), scores.len()),
            "give the score of each seat in order of play, such as 3-1-2 or 3/-1/2",
        )),
        None => Err(Misuse::hinted(
            format!("{} is no result of {seats} seats", quoted(text)),
            "give the score of each seat in order of play, such as 3-1-2 or 3/-1/2",
        )),
    }
}

/// The parts of the same cup or league that have begun after this one, with their games that count.
pub(super) fn later_parts(run: &LookedRun) -> anyhow::Result<Vec<(LookedRun, u64)>> {
    let (Some(number), Some(root)) = (run.number, run.path.parent()) else { return Ok(Vec::new()) };
    let later = looked::parts(root).into_iter().filter(|part| part.number > Some(number));
    later
        .map(|part| Ok((Store::read(&part.path)?.counts()?.0, part)))
        .map(|one| one.map(|(games, part)| (part, games)))
        .collect()
}

/// What the decision is, and what follows from it, in lines.
fn follows(meant: &Meant, made: &StoredDecision, found: &Consequences, later: &[(LookedRun, u64)]) -> String {
    let record = meant.game.stored.record.clone().as_played();
    let id = record.id;
    let names: Vec<String> = record.seats.values().iter().map(|seat| clean(&seat.entrant)).collect();
    let (how, reason) = record.verdict.ended();
    let mut text = format!(
        "{id}, {}: as played {}, {how}: {}\n",
        names.join(" - "),
        record.result_text(),
        clean(&reason)
    );
    let ruled = made.decision.as_ref().map(|decision| {
        (decision, record.clone().ruled(decision.clone(), made.why.clone(), made.decided).result_text())
    });
    let what = match &ruled {
        None => "what was decided is taken back, and the game counts as it was played".to_owned(),
        Some((Decision::Void, _)) => "decided: it counts for nobody".to_owned(),
        Some((Decision::Replay, _)) => {
            "decided: it is played again, by agon tournament or agon nightly with the same options".to_owned()
        }
        Some((_, result)) => format!("decided: {result}"),
    };
    text.push_str(&format!("{what}: {}\n", made.why));
    text + &changes(found, later)
}

/// What follows from what was decided, in lines.
pub(super) fn changes(found: &Consequences, later: &[(LookedRun, u64)]) -> String {
    let mut text = String::new();
    for (title, before, now) in &found.orders {
        let order = |names: &[String]| names.iter().map(|name| clean(name)).collect::<Vec<_>>().join(", ");
        text.push_str(&format!("order of {}: {} (before: {})\n", clean(title), order(now), order(before)));
    }
    match (found.was_over, found.is_over) {
        (true, true) if found.moves_points => {
            text.push_str("the run was over and stays over; its standings change\n");
        }
        (true, true) => text.push_str("the run was over and stays over; nobody's points or place change\n"),
        (true, false) => {
            text.push_str("the run was over and is not any more; its command plays what is missing\n");
        }
        (false, true) => text.push_str("with that, the run is over\n"),
        (false, false) => {}
    }
    if found.history > 0 {
        let (games, again) = match found.history {
            1 => ("1 game of a later round counts".to_owned(), "if it is drawn again, it counts again"),
            games => {
                (format!("{games} games of later rounds count"), "those that are drawn again count again")
            }
        };
        text.push_str(&format!(
            "{games} no longer, as what they followed from is another or is missing now; {again}\n"
        ));
    }
    for (part, games) in later {
        let name = part.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let keeps = match part.is_night() {
            true => "its divisions stay",
            false => "if it is over, it stays; otherwise its draw follows from this result",
        };
        text.push_str(&format!("{} has begun, with {}: {keeps}\n", clean(&name), counted(*games, "game")));
    }
    text
}

/// After something was stored about a run: writes its files, with the texts of the games of one
/// round, and says what follows from it.
pub(super) fn done(run: &LookedRun, round: u32, text: &str) -> anyhow::Result<ExitCode> {
    let written = event_files::refresh(run, round);
    let left = written.as_ref().ok().cloned().flatten().unwrap_or_default();
    out(&format!("{text}{left}head of the chain {}\n", Store::read(&run.path)?.head()?))?;
    written.map(|_| ExitCode::SUCCESS)
}

/// The decisions in the runs, a line each.
fn list(runs: &[LookedRun]) -> anyhow::Result<ExitCode> {
    noted::list(runs, "the organiser has decided about no game", |store| {
        let line = |found: MadeDecision| {
            let name = match found.game {
                Some(id) => format!("{id}, {}", clean(&found.engines.join(" - "))),
                None => "a pruned game".to_owned(),
            };
            let when = found.made.decided.format("%Y-%m-%d %H:%M");
            format!("{when}  {name}: {}", clean(&found.sentence()))
        };
        Ok(store.decisions()?.into_iter().map(line).collect())
    })
}
