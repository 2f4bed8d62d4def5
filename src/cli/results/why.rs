//! `agon why`: explains to an author each game lost by a fault.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use agon_config::Options;
use agon_export::{evidence, json};
use agon_printable::{clean, counted};
use agon_programs::program::display_path;
use agon_programs::spec::{BoardTold, EngineSpec};
use agon_protocol::lines::{LinesTalk, joins_late};
use agon_protocol::{Start, Talk};
use agon_record::{BoxPlace, Evidence, GameRecord, TranscriptLine, Verdict, Way};
use agon_sandbox::Isolation;
use agon_seats::Seat;
use agon_standings::result::Termination;
use agon_store::{Filter, Store, Stored, StoredEntry, StoredWithdrawal};
use agon_tournament::competition::looked::LookedRun;
use agon_tournament::competition::settings;
use agon_tournament::entrants::kept;
use agon_tournament::run::{name_by_hash, shell_path};
use agon_trial::check;
use clap::Args;
use serde_json::json;

use crate::cli::stage_option::StageOption;
use crate::cli::{known_in, out};

/// How many lines from the end of an engine's stderr are shown.
const LAST: usize = 10;

/// Explains every game that an engine lost by a fault
///
/// Why, the position, its last lines and its stderr.
///
/// Of the games of a referee program it also lists two more kinds. These are the games that the
/// engine lost by the scores, and those in which it was at fault and did not lose.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon why results mine
  agon why results                  every engine with such a game
  agon why results mine --games 1
  agon why results mine --all       also the games of earlier versions
  agon why results mine --json | jq -r .why")]
pub(crate) struct WhyArgs {
    /// The directory of the run, or of a cup
    #[arg(value_name = "DIR")]
    directory: PathBuf,

    /// The engine. Without it, every engine that lost a game by a fault
    #[arg(value_name = "ENGINE")]
    engine: Option<String>,

    /// The most games to show, beginning with the first
    #[arg(long, value_name = "N", default_value_t = 20)]
    games: u64,

    /// Shows also games that count no longer, such as those of an earlier version of the engine
    #[arg(long)]
    all: bool,

    /// Writes each game as JSON, an object a line
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    of: StageOption,
}

impl WhyArgs {
    pub(crate) fn run(mut self) -> anyhow::Result<ExitCode> {
        let runs = self.of.runs(&self.directory)?;
        let wanted = self.engine.take();
        for (at, (run, store)) in known_in(&runs, wanted.as_deref())?.iter().enumerate() {
            if !self.json {
                run.announce(at == 0)?;
            }
            let all = match &wanted {
                Some(engine) => vec![engine.clone()],
                None => self.with_faults(store)?,
            };
            if all.is_empty() && !self.json {
                let voids = void_attempts(store, None)?;
                out(&format!("no engine lost a game by a fault{voids}\n"))?;
            }
            let withdrawn = store.withdrawn()?;
            let is_meant = |made: &&StoredWithdrawal| wanted.as_ref().is_none_or(|name| *name == made.engine);
            let enters = |made: &&StoredEntry| wanted.as_ref().is_none_or(|name| *name == made.engine);
            for made in withdrawn.entries().iter().filter(enters).filter(|_| !self.json) {
                out(&format!("{}: {}\n", clean(&made.words()), clean(&made.why)))?;
            }
            for made in withdrawn.all().filter(is_meant).filter(|_| !self.json) {
                out(&format!("{}: {}\n", clean(&made.words()), clean(&made.why)))?;
            }
            if let Some(made) = withdrawn.closed().filter(|_| !self.json) {
                out(&format!("{}: {}\n", made.words(), clean(&made.why)))?;
            }
            for (place, engine) in all.into_iter().enumerate() {
                self.engine = Some(engine);
                if self.json {
                    self.list(store, run.number)?;
                    continue;
                }
                if place > 0 {
                    out("\n")?;
                }
                self.explain(run, store)?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    /// The engine that is explained.
    fn engine(&self) -> &str {
        self.engine.as_deref().unwrap_or_default()
    }

    /// The engines of a run about which there is something to explain, by name.
    fn with_faults(&self, store: &Store) -> anyhow::Result<Vec<String>> {
        let mut names = store.names()?;
        names.sort();
        if store.has_refereed_games()? {
            return Ok(names);
        }
        let decided = store.has_decisions()?;
        let mut at_fault = BTreeSet::new();
        let filter = Filter { by_fault: true, all: self.all, ..Filter::default() };
        store.games(&filter, |stored| {
            let seats = stored.record.seats.values();
            at_fault
                .extend(seats.iter().filter(|seat| seat.evidence.is_some()).map(|seat| seat.entrant.clone()));
            Ok(())
        })?;
        if decided {
            store.games(&Filter { all: true, ..Filter::default() }, |stored| {
                let seats = stored.record.seats.values().iter().filter(|_| stored.record.ruling.is_some());
                at_fault.extend(seats.map(|seat| seat.entrant.clone()));
                Ok(())
            })?;
        }
        names.retain(|name| at_fault.contains(name));
        Ok(names)
    }

    /// Calls `each` with the games that the engine lost by a fault.
    fn faults(
        &self,
        store: &Store,
        all: bool,
        each: impl FnMut(Stored) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let filter = Filter { engine: self.engine.clone(), by_fault: true, all, ..Filter::default() };
        store.games(&filter, each)
    }

    /// The games of referee programs that the engine did not lose although it was at fault in them,
    /// a line for each.
    fn faults_without_loss(&self, store: &Store) -> anyhow::Result<()> {
        self.list_seats(store, "it was at fault in {} more that it did not lose", |record, seat| {
            let (cause, why) = record.fault_of(seat)?;
            let has_lost = record.decided().is_none_or(|decided| decided.places[seat] > 1);
            (!has_lost).then(|| format!("{}: {}", cause.name(), clean(&why.to_string())))
        })
    }

    /// The games of referee programs that the engine lost without a fault, a line for each.
    fn lost_by_scores(&self, store: &Store) -> anyhow::Result<()> {
        self.list_seats(store, "it lost {} more by the scores", |record, seat| {
            let decided = record.decided().filter(|decided| decided.places[seat] > 1)?;
            if record.fault_of(seat).is_some() {
                return None;
            }
            let of = decided.termination.forfeited().map_or_else(String::new, |other| {
                format!("{} of {}: ", decided.termination, clean(&record.seats[other].entrant))
            });
            let (place, scores) = (decided.places[seat], record.scores_text());
            Some(format!("place {place}, scores {scores}: {of}{}", clean(&decided.reason.to_string())))
        })
    }

    /// Lists the games of referee programs in which the engine had a seat for which there are
    /// `words`, under a head with their number.
    fn list_seats(
        &self,
        store: &Store,
        head: &str,
        words: impl Fn(&GameRecord, Seat) -> Option<String>,
    ) -> anyhow::Result<()> {
        if !store.has_refereed_games()? {
            return Ok(());
        }
        let (mut count, mut lines) = (0, String::new());
        let own = Filter { engine: self.engine.clone(), all: self.all, ..Filter::default() };
        store.games(&own, |stored| {
            let record = &stored.record;
            for (seat, own) in record.seats.iter().filter(|(_, own)| own.entrant == self.engine()) {
                let Some(words) = record.referee.as_ref().and_then(|_| words(record, seat)) else { continue };
                count += 1;
                if count <= self.games {
                    lines.push_str(&format!("{} as {}: {words}\n", record.id, clean(&own.side)));
                }
            }
            Ok(())
        })?;
        if count == 0 {
            return Ok(());
        }
        let more =
            if count > self.games { format!("; {} of them are shown", self.games) } else { String::new() };
        out(&format!("{}{more}:\n{lines}", head.replace("{}", &count.to_string())))
    }

    /// What the organiser has decided about games of the engine.
    fn decided(&self, store: &Store) -> anyhow::Result<()> {
        let own = Filter { engine: self.engine.clone(), all: true, ..Filter::default() };
        if !store.has_decisions()? {
            return Ok(());
        }
        store.games(&own, |stored| match stored.record.ruling_in_words() {
            Some(words) => out(&format!("{}: {}\n", stored.record.id, clean(&words))),
            None => Ok(()),
        })
    }

    /// How many games of a board it lost by the rules, and what says more about them.
    fn lost_on_the_board(&self, run: &LookedRun, store: &Store) -> anyhow::Result<()> {
        if store.has_refereed_games()? {
            return Ok(());
        }
        let mut count = 0u64;
        store.games(&Filter { engine: self.engine.clone(), lost: true, ..Filter::default() }, |stored| {
            let decided = stored.record.decided();
            count += u64::from(decided.is_some_and(|decided| decided.termination == Termination::Normal));
            Ok(())
        })?;
        if count == 0 {
            return Ok(());
        }
        let (place, engine) = (display_path(&run.path), clean(self.engine()));
        let games = counted(count, "game");
        out(&format!(
            "it lost {games} by the rules: agon games {place} --engine {engine} --lost lists them, and agon \
             analyse {place} names the moves where values are known\n"
        ))
    }

    fn list(&self, store: &Store, stage: Option<usize>) -> anyhow::Result<()> {
        let mut left = self.games;
        self.faults(store, self.all, |stored| {
            let record = &stored.record;
            let boxes = store.shown(&stored)?;
            let lost = record.seats.iter().filter(|(_, seat)| seat.entrant == self.engine());
            for (at, seat) in lost {
                let Some(evidence) = seat.evidence.as_ref().filter(|_| left > 0) else { continue };
                left -= 1;
                let [(_, why), (_, lines), (_, stderr), (_, position), _] =
                    evidence::files(record, seat, evidence, "");
                let object = json!({
                    "id": record.id.to_string(),
                    "stage": stage,
                    "engine": seat.entrant,
                    "side": seat.side,
                    "why": why,
                    "position": position,
                    "lines": lines,
                    "stderr": stderr,
                    "box": boxes.as_ref().map(|boxes| &boxes[at]),
                });
                out(&(json::line(&object) + "\n"))?;
            }
            Ok(())
        })
    }

    fn explain(&self, run: &LookedRun, store: &Store) -> anyhow::Result<()> {
        let (mut count, mut command) = (0, None);
        self.faults(store, self.all, |stored| {
            count += 1;
            if count > self.games {
                return Ok(());
            }
            out(&told(&stored, self.engine(), run, store.source(self.engine())?.as_deref()))?;
            out(&boxed(store, &stored, self.engine())?)?;
            command = check_command(run, store, &stored, self.engine())?;
            Ok(())
        })?;
        let engine = clean(self.engine());
        let mut last = format!("{engine} lost {} by a fault", counted(count, "game"));
        if count > self.games {
            last.push_str(&format!("; {} of them are shown, --games {count} shows all", self.games));
        }
        let mut history = 0;
        self.faults(store, true, |stored| {
            history += u64::from(!stored.counts);
            Ok(())
        })?;
        if history > 0 {
            let shows = if self.all { "count no longer" } else { "more count no longer, --all shows them" };
            last.push_str(&format!("; {history} {shows}"));
        }
        last.push_str(&void_attempts(store, self.engine.clone())?);
        out(&format!("{last}\n"))?;
        self.decided(store)?;
        self.lost_by_scores(store)?;
        self.lost_on_the_board(run, store)?;
        self.faults_without_loss(store)?;
        match command {
            Some(command) => out(&format!("to check the engine: {command}\n")),
            None => Ok(()),
        }
    }
}

/// How many attempts at games were void, of this engine or of all, and why, as the end of a
/// sentence; empty if none was.
fn void_attempts(store: &Store, engine: Option<String>) -> anyhow::Result<String> {
    let games = if engine.is_some() { "its games" } else { "the games" };
    let (mut voids, mut reason) = (0, None);
    let termination = Some("void".to_owned());
    store.games(&Filter { engine, termination, all: true, ..Filter::default() }, |stored| {
        voids += 1;
        if let Verdict::Void { why } = stored.record.verdict {
            reason = Some(why);
        }
        Ok(())
    })?;
    let Some(reason) = reason else { return Ok(String::new()) };
    let attempts = if voids == 1 { "attempt at one of" } else { "attempts at" };
    let were = if voids == 1 { "was" } else { "were" };
    Ok(format!("; {voids} {attempts} {games} {were} void, the last because {}", clean(&reason.to_string())))
}

/// What the box of an engine showed in a game besides the system; nothing if it played in none.
fn boxed(store: &Store, stored: &Stored, engine: &str) -> anyhow::Result<String> {
    let seat = stored.record.seats.iter().find(|(_, seat)| seat.entrant == engine);
    let Some((seat, _)) = seat else { return Ok(String::new()) };
    let Some(shown) = store.shown(stored)? else { return Ok(String::new()) };
    let place = |place: &BoxPlace| format!("  {} ({})\n", clean(&place.path), clean(&place.reason));
    let places: String = shown[seat].iter().map(place).collect();
    Ok(if places.is_empty() { places } else { format!("its box showed, besides the system:\n{places}\n") })
}

/// Explains one game. The engine was started from `source`, if that is known.
fn told(stored: &Stored, engine: &str, run: &LookedRun, source: Option<&str>) -> String {
    let record = &stored.record;
    let mut text = String::new();
    for (seat_of, seat) in record.seats.iter().filter(|(_, seat)| seat.entrant == *engine) {
        let Some(evidence) = &seat.evidence else { continue };
        // The command to play it again needs the engines, which may have moved; evidence/ has it.
        let [(_, why), _, (_, stderr), (_, position), _] = evidence::files(record, seat, evidence, "");
        let stderr: Vec<&str> = stderr.trim_end().lines().collect();
        let stderr = &stderr[stderr.len().saturating_sub(LAST)..];
        if !stored.counts {
            text.push_str("this game counts no longer\n");
        }
        text.push_str(&why);
        text.push_str(&position);
        let spec = source.and_then(|source| EngineSpec::at(Path::new(source)).ok());
        // A program that is made for people is told none of them.
        let is_console = spec.as_ref().is_some_and(|spec| spec.console.is_some());
        let tells_board = spec.is_none_or(|spec| spec.board == BoardTold::Stdin);
        let first = first_lines(record, seat_of, evidence, tells_board);
        if let Some(first) = first.filter(|first| !is_console && !first.is_empty()) {
            text.push_str("the lines it was told before the first move:\n");
            first.lines().for_each(|line| text.push_str(&format!("              < {line}\n")));
        }
        text.push_str(
            "its last lines, with the time since the game began; < told, > said, ! unasked, ? unfinished:\n",
        );
        text.push_str(&folded(&evidence.lines));
        if !stderr.is_empty() {
            text.push_str("the last lines of its stderr:\n");
            stderr.iter().for_each(|line| text.push_str(&format!("  {line}\n")));
        }
        if let Some(hint) = check::missing_file(&evidence.stderr) {
            text.push_str(&format!("note: {hint}\n"));
        }
        let mine = player(run, &seat.entrant, &stored.hashes[seat_of], source);
        let path = shell_path(&run.path);
        if record.referee.is_some() {
            let (id, side) = (record.id, &seat.side);
            text.push_str(&format!("to see all that it was told: agon replay {path} {id} --seat {side}\n"));
        } else {
            text.push_str(&format!(
                "to play on from there: agon replay {} {} --from {} --engine {}{}\n",
                path,
                record.id,
                record.plies.len(),
                shell_path(&mine),
                record.time_control.strip_prefix("st=").map_or_else(String::new, |st| format!(" --st {st}"))
            ));
        }
        let script = run.path.join(format!("evidence/{}-{}/again.sh", record.id, seat.side));
        if script.is_file() {
            text.push_str(&format!("to play it again from its start: sh {}\n", shell_path(&script)));
        }
        text.push('\n');
    }
    text.lines().map(|line| clean(line) + "\n").collect()
}

/// The engine of a seat for a command line: with the settings that it had, if it was set.
fn player(run: &LookedRun, name: &str, hash: &str, source: Option<&str>) -> PathBuf {
    let source = Path::new(source.filter(|source| !source.is_empty()).unwrap_or("./mine"));
    let is_set = EngineSpec::at(source).is_ok_and(|own| own.name != name);
    match is_set && kept::version(&run.path, name, hash).is_ok() {
        true => run.path.join(name_by_hash(name, hash)),
        false => source.to_owned(),
    }
}

/// The longest line that is shown whole if more lines begin as it does.
const LONG: usize = 60;

/// The transcript. Of long lines that begin alike, one after the other, the beginning of the first
/// is shown, and how many more there are.
fn folded(lines: &[TranscriptLine]) -> String {
    let beginning = |line: &TranscriptLine| -> Option<(Way, String)> {
        let mut letters = line.text.chars();
        let beginning: String = letters.by_ref().take(LONG).collect();
        letters.next().map(|_| (line.way, beginning))
    };
    let mut text = String::new();
    for alike in lines.chunk_by(|one, next| beginning(one).is_some_and(|own| beginning(next) == Some(own))) {
        let mut first = alike[0].clone();
        if let ([_, _, ..], Some((_, beginning))) = (alike, beginning(&first)) {
            first.text = format!("{beginning}... and {} more lines that begin so", alike.len() - 1);
        }
        text.push_str(&evidence::lines(&[first]));
    }
    text
}

/// What lay in the stdin of an engine of the protocol of lines when it was started.
fn first_lines(record: &GameRecord, seat: Seat, evidence: &Evidence, tells_board: bool) -> Option<String> {
    // A handshake is among the lines that are kept; of a long game only the last ones are.
    let words = ["ugi", "isready", "go ", "START ", "RECTSTART ", "INFO "];
    let is_other =
        |line: &TranscriptLine| line.way == Way::Told && words.iter().any(|word| line.text.starts_with(word));
    if evidence.lines.iter().any(is_other) {
        return None;
    }
    let rules =
        settings::built_in(&Options { game: Some(record.rules.as_str().into()), ..Options::default() })
            .ok()?;
    let mut game = rules.resume(&record.start).ok()?;
    let mut start = Start::new(rules.as_ref(), game.as_ref(), seat, None);
    if joins_late(&start) {
        for ply in record.plies.iter().take_while(|ply| ply.seat != seat) {
            game.play(ply.text.as_bytes()).ok()?;
        }
        start = Start::new(rules.as_ref(), game.as_ref(), seat, None);
    }
    String::from_utf8(LinesTalk::new(&Start { tells_board, ..start }).greeting()).ok()
}

/// The command that tries the engine of a game under the same conditions, if its place is known.
fn check_command(
    run: &LookedRun,
    store: &Store,
    stored: &Stored,
    engine: &str,
) -> anyhow::Result<Option<String>> {
    let Some(source) = store.source(engine)?.filter(|source| !source.is_empty()) else { return Ok(None) };
    let record = &stored.record;
    let clock = record.time_control.replacen('=', " ", 1);
    let entrant = engine;
    let seat = record.seats.iter().find(|(_, seat)| seat.entrant == entrant);
    let hash = seat.map_or("", |(seat, _)| stored.hashes[seat].as_str());
    let engine = shell_path(&player(run, entrant, hash, Some(&source)));
    let game = match &record.referee {
        None => record.rules.clone(),
        Some(_) => {
            let Some(folder) = store.referee_folder(stored.run)? else { return Ok(None) };
            let options =
                record.rules.split_once(':').map_or(String::new(), |(_, options)| format!(":{options}"));
            format!("{} --seats {}", shell_path(Path::new(&(folder + &options))), record.seats.len())
        }
    };
    let usual = Isolation::default().to_string();
    let elsewhere = seat.and_then(|(_, seat)| seat.elsewhere.as_ref()).map(|own| &own.isolation);
    let level = elsewhere
        .or(record.isolation.as_ref())
        .map(|isolated| &isolated.level)
        .filter(|level| **level != usual);
    let level = level.map_or_else(String::new, |level| format!(" --isolation {level}"));
    Ok(Some(format!("agon check {engine} --game {game} --{clock}{level}")))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn long_lines_that_begin_alike_are_shown_once() {
        let line = |millis, way, text: &str| TranscriptLine {
            at: Duration::from_millis(millis),
            way,
            text: text.to_owned(),
        };
        let long = "x".repeat(200);
        let lines = [
            line(1, Way::Told, "?"),
            line(2, Way::Said, &long),
            line(3, Way::Said, &format!("{long}y")),
            line(4, Way::Said, &long),
            line(5, Way::Unasked, &long),
            line(6, Way::Said, "bid"),
            line(7, Way::Said, "bid"),
        ];
        let text = folded(&lines);
        let shown: Vec<&str> = text.lines().map(|line| line.split_once(" ms ").unwrap().1).collect();
        let first = format!("> {}... and 2 more lines that begin so", "x".repeat(60));
        assert_eq!(shown, ["< ?", &first, &format!("! {long}"), "> bid", "> bid"], "{text}");
    }
}
