//! `agon nightly`: a tournament of changed engines every night, one line about it, and an alarm
//! that rings once.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use agon_printable::clean;
use clap::Args;

use super::history;
use super::looked::{self, LookedRun};
use super::nights::{MOST_BAD_NIGHTS, NightFault, NightsFile, SeenRun};
use super::session::{self, Teller};
use super::tournament::{self, TournamentArgs};
use super::{out, say, settings};
use crate::engine::spec::EngineSpec;
use crate::entrants::{self, EngineBuilder};
use crate::keeper::{self, RunContext};
use crate::store::history::Moved;
use crate::store::{Store, hash};

/// The exit code when there is something new to look at.
const ALARM: u8 = 5;
/// How many characters of a reason stand in the line.
const SHOWN_WHY: usize = 80;

/// Plays a tournament every night, and reports what is new in one line
///
/// It plays what agon tournament would play: the games that depend on changes since the last night.
/// An engine that cannot be built or started is left out (--skip-broken=false refuses to begin
/// instead). After three bad nights in a row an engine is in quarantine: it is left out, without a
/// build, until its content changes. A night is bad for an engine that cannot be built or started,
/// or that loses half of its games or more by faults of its own.
///
/// One line for a mail goes to stdout, everything else to stderr. The file nightly.json in the
/// directory of --out remembers what was reported, so that no fault is reported twice.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon nightly engines/ --out results --games 4 --st 1 --seed 1
  agon nightly league.toml --next           the next night of a league

Exit codes: those of agon tournament, and 5 for news to look at: an engine is worse by more than chance explains, \
cannot be built or started, or loses by faults. The same fault rings once.")]
pub(super) struct NightlyArgs {
    #[command(flatten)]
    tournament: TournamentArgs,
}

/// An engine that can play tonight.
struct Healthy {
    entry: String,
    hash: String,
}

/// What was found in the folder tonight.
#[derive(Default)]
struct Found {
    nights: NightsFile,
    /// The engines that play, by name.
    healthy: BTreeMap<String, Healthy>,
    news: Vec<String>,
    /// The engines that are left out and were reported before.
    old: Vec<String>,
    quarantined: Vec<String>,
}

impl NightlyArgs {
    pub(super) fn run(self, context: &RunContext) -> anyhow::Result<ExitCode> {
        let asked = tournament::asked(&self.tournament.folder, self.tournament.options.clone())?;
        let root = session::root(&asked.options);
        let file = root.join("nightly.json");
        let before = NightsFile::read(&file)?;
        let skip_broken = asked.options.skip_broken.unwrap_or(true);
        let dry = self.tournament.dry_run;
        let stdout_is_events = settings::stdout_is_events(&asked.options);
        let found = RefCell::new(Found { nights: before.clone(), ..Found::default() });
        let code = self.tournament.play(context, asked, Teller::Log, |folder, named, builder| {
            if !skip_broken {
                return entrants::of_folder(folder, named, false, builder);
            }
            gather(folder, named, builder, &file, &mut found.borrow_mut())
        })?;
        if dry {
            return Ok(code);
        }
        if code == ExitCode::from(keeper::INTERRUPTED) {
            out("stopped before the end; the next night goes on\n")?;
            return Ok(code);
        }
        let mut found = found.into_inner();
        let runs: Vec<NightRun> = looked::all_runs(&root)
            .into_iter()
            .map(|run| Ok(NightRun { key: key(&run.path, &root), store: Store::read(&run.path)?, run }))
            .collect::<anyhow::Result<_>>()?;
        found.judge_play(&runs)?;
        let (mut lines, mut is_worse) = (Vec::new(), false);
        for run in &runs {
            let told = RunNews::read(run, before.runs.get(&run.key))?;
            is_worse |= told.is_worse;
            lines.extend(told.line);
            found.nights.runs.insert(run.key.clone(), told.seen);
        }
        let is_alarm = is_worse || !found.news.is_empty();
        let line = line(lines, &runs, &found)?;
        found.nights.write(&file)?;
        if stdout_is_events {
            say(&line);
        } else {
            out(&format!("{line}\n"))?;
        }
        Ok(if code == ExitCode::SUCCESS && is_alarm { ExitCode::from(ALARM) } else { code })
    }
}

/// The name of a run in `nightly.json`.
fn key(path: &Path, root: &Path) -> String {
    let name = path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned();
    if name.is_empty() { ".".to_owned() } else { name }
}

/// The name of an engine's file or folder.
fn entry_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The hash of an engine, or of its files if there is no program.
fn content(path: &Path) -> String {
    let of_engine = EngineSpec::at(path).ok().and_then(|engine| hash::of_engine(&engine).ok());
    of_engine.or_else(|| hash::of_tree(path).ok()).unwrap_or_else(|| "unreadable".to_owned())
}

/// The engines that can play. Those that cannot are noted in `found`, and in the file if too few are
/// left.
fn gather(
    folder: &Path,
    named: Option<&str>,
    builder: &EngineBuilder<'_>,
    file: &Path,
    found: &mut Found,
) -> anyhow::Result<Vec<EngineSpec>> {
    let before = found.nights.clone();
    let listing = entrants::prepared(folder, builder, |engine| {
        let why = before.quarantine(&entry_of(&engine.source), &content(&engine.source))?;
        Some(format!("in quarantine after {MOST_BAD_NIGHTS} bad nights, until it changes; {why}"))
    })?;
    for remark in &listing.broken {
        let (entry, hash) = (entry_of(&remark.entry), content(&remark.entry));
        let shown = clean(&entry);
        let refused = entrants::line(remark);
        (builder.tell)(&format!("left out {refused}"));
        if before.quarantine(&entry, &hash).is_some() {
            found.quarantined.push(shown);
            continue;
        }
        let why = brief(&refused, &remark.what);
        if found.nights.is_bad(&entry, hash.clone(), NightFault::Broken, why.clone()) {
            found.news.push(format!("left out: {shown} ({why})"));
        } else if found.nights.quarantine(&entry, &hash).is_some() {
            found.quarantined.push(format!("{shown} from now on"));
        } else {
            found.old.push(shown);
        }
    }
    for engine in &listing.engines {
        let healthy = Healthy { entry: entry_of(&engine.source), hash: content(&engine.source) };
        found.healthy.insert(engine.name.clone(), healthy);
    }
    let entries: Vec<String> = listing.broken.iter().map(|remark| entry_of(&remark.entry)).collect();
    let is_there = |entry: &String| {
        entries.contains(entry) || found.healthy.values().any(|healthy| healthy.entry == *entry)
    };
    found.nights.bad.retain(|entry, _| is_there(entry));
    if listing.engines.len() < 2 {
        found.nights.write(file)?;
    }
    entrants::at_least_two(listing.engines.len(), folder, named)?;
    Ok(listing.engines)
}

/// The first line of a reason, without the path before it and the command and output of a build.
fn brief(refused: &str, what: &str) -> String {
    let first = refused.lines().next().unwrap_or_default();
    let why = first.strip_prefix(what).map_or(first, |rest| rest.trim_start_matches([':', ' ']));
    let why = why.split("; it said").next().unwrap_or_default();
    let build = why.split_once(" (").zip(why.rsplit_once(") ")).filter(|_| why.starts_with("its build ("));
    let why = build.map_or(why.to_owned(), |((build, _), (_, failed))| format!("{build} {failed}"));
    let (cut, shown) = (why.chars().count() > SHOWN_WHY, why.chars().take(SHOWN_WHY).collect::<String>());
    if cut { format!("{shown}...") } else { shown }
}

impl Found {
    /// Notes the engines that lost by faults tonight, and those that played well.
    fn judge_play(&mut self, runs: &[NightRun]) -> anyhow::Result<()> {
        let mut tonight: BTreeMap<String, (u64, u64)> = BTreeMap::new();
        for NightRun { key, store, .. } in runs {
            let seen = self.nights.runs.get(key).map_or(0, |seen| seen.game);
            for games in store.games_after(seen)? {
                let sum = tonight.entry(games.engine).or_default();
                *sum = (sum.0 + games.games, sum.1 + games.faults);
            }
        }
        for (name, Healthy { entry, hash }) in &self.healthy {
            let (games, faults) = tonight.get(name).copied().unwrap_or_default();
            if faults == 0 || 2 * faults < games {
                self.nights.is_well(entry, hash, games > 0);
                continue;
            }
            let why = format!("lost {faults} of {games} games by faults");
            if self.nights.is_bad(entry, hash.clone(), NightFault::Forfeits, why) {
                self.news.push(format!("{} lost {faults} of {games} games by faults", clean(name)));
            }
            if self.nights.quarantine(entry, hash).is_some() {
                self.quarantined.push(format!("{} from the next night on", clean(name)));
            }
        }
        Ok(())
    }
}

/// A run that was played tonight or before.
struct NightRun {
    /// Its name in `nightly.json`.
    key: String,
    run: LookedRun,
    store: Store,
}

/// What is new in one run.
struct RunNews {
    /// `None` if nothing is new.
    line: Option<String>,
    is_worse: bool,
    seen: SeenRun,
}

impl RunNews {
    fn read(NightRun { run, store, .. }: &NightRun, before: Option<&SeenRun>) -> anyhow::Result<RunNews> {
        let moves = store.history()?;
        let last = moves.last().map_or(0, |moved| moved.run);
        let seen = SeenRun { run: last, game: store.last_game()? };
        let is_new = before.is_none_or(|before| before.run != last);
        let latest: Vec<&Moved> = moves.iter().filter(|moved| moved.run == last).collect();
        let line = (before != Some(&seen)).then(|| history::line(run, &latest)).transpose()?;
        Ok(RunNews { line, is_worse: is_new && latest.iter().any(|moved| moved.is_worse()), seen })
    }
}

/// The line about the night.
fn line(mut lines: Vec<String>, runs: &[NightRun], found: &Found) -> anyhow::Result<String> {
    let is_quiet = lines.is_empty() && found.news.is_empty();
    if is_quiet {
        lines.push("nothing changed".to_owned());
    }
    lines.extend(found.news.iter().cloned());
    for (what, some) in [("still left out", &found.old), ("in quarantine", &found.quarantined)] {
        if !some.is_empty() {
            lines.push(format!("{what}: {}", some.join(", ")));
        }
    }
    for NightRun { run, store, .. } in runs {
        if store.last_game()? > 0 {
            let of = run.title()?.map(|title| format!(" of {title}")).unwrap_or_default();
            lines.push(format!("head{of} {}", store.head()?));
        }
    }
    Ok(lines.join("; "))
}
