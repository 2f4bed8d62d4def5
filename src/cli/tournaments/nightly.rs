//! `agon nightly`: a tournament of changed engines every night, one line about it, and an alarm
//! that rings once.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use agon_candidates::asked::WantedCandidates;
use agon_config::candidates::CandidatesFile;
use agon_config::{AtMost, CommandExit, Misuse};
use agon_export::directory::Directory;
use agon_match::keeper::RunContext;
use agon_match::referee::told_with_last_words;
use agon_printable::{clean, counted};
use agon_programs::folder::{Listing, Remark};
use agon_programs::program::display_path;
use agon_programs::spec::EngineSpec;
use agon_store::lock::NightLock;
use agon_store::{Consent, Store, hash, until};
use agon_tournament::competition::looked::{self, LookedRun};
use agon_tournament::competition::nights::{MOST_BAD_NIGHTS, NightFault, NightsFile, SeenRun};
use agon_tournament::competition::session;
use agon_tournament::competition::settings;
use agon_tournament::competition::terminal_sink::{Teller, TerminalSink};
use agon_tournament::competition::tournament::{AskedTournament, EngineSearch, Prelude};
use agon_tournament::entrants;
use agon_tournament::tryout::{self, TryoutVerdict};
use anyhow::Context;
use clap::{Arg, Args};

use crate::cli::results::history::RunHistory;
use crate::cli::tournaments::tournament::TournamentArgs;
use crate::cli::{out, say};

/// How many characters of a reason stand in the line.
const SHOWN_WHY: usize = 200;

/// Plays a tournament every night, and says what is new
///
/// The report has one line.
///
/// It plays what agon tournament would play: the games that depend on changes since the last night.
/// An engine that cannot be built or started is left out. So is a new or changed engine that at
/// once loses by a fault on every side. With --skip-broken=false, agon refuses to begin instead.
/// After three bad nights in a row an engine is in quarantine: it is left out, without a build,
/// until its content changes. A night is bad for an engine that cannot be built or started. It is
/// also bad if at least half of its games are lost by its own faults.
///
/// One line for a mail goes to stdout, everything else to stderr. The file nightly.json in the
/// directory of --out remembers what was reported, so that no fault is reported twice.
#[derive(Args, Debug)]
#[command(mut_args(of_nights))]
#[command(after_help = "\
Examples:
  agon nightly engines/ --out results --games 4 --st 1 --seed 1
  agon nightly league.toml --next           the next night of a league

Exit codes: those of agon tournament, and 5 for news to look at: an engine is worse by more than chance explains, \
cannot be built or started, or loses by faults. The same fault rings once.")]
pub(crate) struct NightlyArgs {
    #[command(flatten)]
    tournament: TournamentArgs,

    /// Prints the directory of the results, which the options and the file name, and does nothing
    /// else
    #[arg(long = "where", hide_short_help = true)]
    where_to: bool,

    /// Tests the new version of each engine that has changed against its last one, and rates it,
    /// before the other games. Each has a line of its own, which is printed at once
    /// [default: true if the file has a table candidates, otherwise false]
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true", require_equals = true)]
    candidates: Option<bool>,
}

/// The help of an option that has another default here.
fn of_nights(flag: Arg) -> Arg {
    match flag.get_id().as_str() {
        "skip_broken" => flag.help(
            "Leaves out engines that cannot be built or started or that fail at once, instead of refusing to begin \
             [default: true]",
        ),
        _ => flag,
    }
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
    /// The engines that play again.
    back: Vec<String>,
    /// The engines that are left out and were reported before.
    old: Vec<String>,
    quarantined: Vec<String>,
    /// The files and folders of all engines that are left out.
    left_out: Vec<String>,
}

/// Of a run that has games left, because `--at-most` has bounded its time.
const OUT_OF_TIME: &str = "the time of --at-most is over, and the next night goes on";

impl NightlyArgs {
    pub(crate) fn run(self, context: &RunContext) -> anyhow::Result<ExitCode> {
        let mut asked = AskedTournament::read(&self.tournament.folder, self.tournament.options.clone())?;
        let root = session::root(&asked.options);
        if self.where_to {
            out(&format!("{}\n", root.display()))?;
            return Ok(ExitCode::SUCCESS);
        }
        let file = root.join("nightly.json");
        let before = NightsFile::read(&file)?;
        let skip_broken = *asked.options.skip_broken.get_or_insert(true);
        let dry = self.tournament.dry_run;
        let stdout_is_events = settings::stdout_is_events(&asked.options);
        let found = RefCell::new(Found { nights: before.clone(), ..Found::default() });
        let check = !self.tournament.no_check;
        // The engines of a night are tried when they are gathered, those of a dry one too.
        let mut sink = TerminalSink::new(Teller::Log, &asked.options);
        let prelude = self.asked_candidates(asked.candidates.as_ref())?;
        let mut tournament = self.tournament.tournament(asked);
        tournament.prelude = prelude;
        tournament.check &= !(skip_broken && dry);
        let is_bounded = matches!(tournament.asked.options.at_most, Some(AtMost::Time(_)));
        // The engines that are there play: nobody waits for an answer at night.
        tournament.consent = tournament.consent.max(Consent::Engines);
        let mut lock = None;
        let played = tournament.play_with(context, &mut sink, |search| {
            if !dry {
                lock = Some(begun(&root)?);
            }
            if !skip_broken {
                let EngineSearch { folder, named, bound, builder, also, leave_out, .. } = search;
                return entrants::of_folder(folder, named, false, bound, builder, also, leave_out);
            }
            gather(&search, &looked::all_runs(&root), check, &mut found.borrow_mut())
        });
        let code = match played.map_err(|error| error.downcast::<TooFew>()) {
            Ok(code) => code,
            Err(Err(error)) => return Err(error),
            Err(Ok(too_few)) => {
                let found = found.into_inner();
                if !dry {
                    found.nights.write(&file)?;
                }
                out(&format!("{}\n", found.told(vec![too_few.to_string()])))?;
                return Ok(if found.news.is_empty() { CommandExit::Failed } else { CommandExit::News }.into());
            }
        };
        if dry {
            return found.into_inner().tell_dry(code);
        }
        if code == CommandExit::Interrupted {
            out("stopped before the end; the next night goes on\n")?;
            return Ok(code.into());
        }
        let mut found = found.into_inner();
        let runs: Vec<NightRun> = looked::all_runs(&root)
            .into_iter()
            .map(|run| Ok(NightRun { key: key(&run.path, &root), store: Store::read(&run.path)?, run }))
            .collect::<anyhow::Result<_>>()?;
        found.judge_play(&runs)?;
        let (mut lines, mut is_worse) = (Vec::new(), false);
        for run in &runs {
            let told = RunNews::read(run, before.runs.get(&run.key), |name| found.is_there(name))?;
            is_worse |= told.is_worse;
            // An imported run has none of its own.
            let is_left = run.store.runs()?.last().is_some() && !run.store.is_over()?;
            lines.extend(if is_bounded && is_left { Some(OUT_OF_TIME.to_owned()) } else { told.line });
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
        Ok(code_of(code, is_alarm).into())
    }
}

/// The exit code of a night. An open question waits; news do not.
fn code_of(played: CommandExit, is_alarm: bool) -> CommandExit {
    let is_plain = matches!(played, CommandExit::Done | CommandExit::Open);
    if is_plain && is_alarm { CommandExit::News } else { played }
}

impl NightlyArgs {
    /// The candidates of the night, if it has any.
    fn asked_candidates(&self, file: Option<&CandidatesFile>) -> anyhow::Result<Option<Box<dyn Prelude>>> {
        if self.tournament.candidate.is_some() {
            return Err(Misuse::hinted(
                "--candidate: a night tests every engine that has changed",
                "give --candidates, or test one engine with agon tournament --candidate NAME",
            ));
        }
        let of_file = file.map(|file| (file.nightly.unwrap_or(true), file.lines.place(&["nightly"])));
        let (is_wanted, place) = match (self.candidates, of_file) {
            (Some(is_wanted), _) => (is_wanted, "--candidates".to_owned()),
            (None, Some((is_wanted, place))) => (is_wanted, place),
            (None, None) => (false, String::new()),
        };
        let wanted = is_wanted.then_some((WantedCandidates::Changed, place));
        self.tournament.of_candidates.asked(wanted, file.cloned(), "add --candidates")
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

/// Fewer than two engines can play, because others cannot.
#[derive(Debug, thiserror::Error)]
#[error("no games: {0} of the engines can play, and a tournament needs two")]
struct TooFew(usize);

/// Makes the directory of the results, and keeps other nights out of it.
fn begun(root: &Path) -> anyhow::Result<NightLock> {
    if looked::all_runs(root).is_empty() {
        Directory::check(root)?;
    }
    std::fs::create_dir_all(root).with_context(|| format!("cannot make {}", display_path(root)))?;
    NightLock::take(root)
}

/// Moves new and changed engines that cannot play to the broken ones.
fn try_fresh(listing: &mut Listing, runs: &[LookedRun], search: &EngineSearch<'_>) -> anyhow::Result<()> {
    let mut fresh = Vec::new();
    for engine in &listing.engines {
        let hash = content(&engine.source);
        let has_played = |run: &LookedRun| Store::read(&run.path)?.has_entered(&engine.name, &hash);
        let known = runs.iter().rev().map(has_played).find(|known| !matches!(known, Ok(false)));
        if !known.transpose()?.unwrap_or(false) {
            fresh.push(engine.name.clone());
        }
    }
    if fresh.is_empty() {
        return Ok(());
    }
    (search.builder.tell)(&tryout::announced(fresh.len()));
    for (name, verdict) in fresh.iter().zip((search.try_out)(&listing.engines, &fresh)?) {
        let TryoutVerdict::Cannot { why, stderr } = verdict else { continue };
        for engine in listing.engines.extract_if(.., |engine| engine.name == *name) {
            let what = display_path(&engine.source);
            let why = told_with_last_words(format!("it cannot play: {why}"), &stderr);
            listing.broken.push(Remark { entry: engine.source, what, why });
        }
    }
    Ok(())
}

/// The engines that can play. Those that cannot are noted in `found`.
///
/// # Errors
/// [`TooFew`]; errors of builds and of the databases.
fn gather(
    search: &EngineSearch<'_>,
    runs: &[LookedRun],
    check: bool,
    found: &mut Found,
) -> anyhow::Result<Vec<EngineSpec>> {
    let EngineSearch { folder, named, bound, builder, .. } = *search;
    let before = found.nights.clone();
    let mut listing = entrants::prepared(folder, named, bound, builder, |engine| {
        let why = before.quarantine(&entry_of(&engine.source), &content(&engine.source))?;
        Some(format!("in quarantine after {MOST_BAD_NIGHTS} bad nights, until it changes; {why}"))
    })?;
    (search.leave_out)(&mut listing)?;
    if check {
        try_fresh(&mut listing, runs, search)?;
    }
    for remark in &listing.broken {
        let (entry, hash) = (entry_of(&remark.entry), content(&remark.entry));
        let shown = clean(&entry);
        let refused = remark.line();
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
    found.left_out = listing.broken.iter().map(|remark| entry_of(&remark.entry)).collect();
    let is_there = |entry: &String| {
        found.left_out.contains(entry) || found.healthy.values().any(|healthy| healthy.entry == *entry)
    };
    found.nights.bad.retain(|entry, _| is_there(entry));
    let is_back = |healthy: &&Healthy| match before.bad.get(&healthy.entry) {
        Some(bad) => bad.fault == NightFault::Broken || bad.nights >= MOST_BAD_NIGHTS,
        None => false,
    };
    found.back = found.healthy.values().filter(is_back).map(|healthy| clean(&healthy.entry)).collect();
    let engines = entrants::with_also(listing.engines, search.also)?;
    let playing = engines.len();
    if playing < 2 && !listing.broken.is_empty() {
        return Err(TooFew(playing).into());
    }
    entrants::at_least_two(playing, folder, named)?;
    Ok(engines)
}

/// The first line of a reason, without the path before it and the command and output of a build.
fn brief(refused: &str, what: &str) -> String {
    let mut lines = refused.lines();
    let first = lines.next().unwrap_or_default();
    let why = first.strip_prefix(what).map_or(first, |rest| rest.trim_start_matches([':', ' ', '/']));
    // The reason follows the place and the lines of the file.
    let in_toml = why.split_once("TOML parse error at ").zip(lines.next_back());
    let in_toml = in_toml.map(|((file, place), why)| {
        let line = place.split(',').next().unwrap_or_default();
        format!("{file}{line}: {}", why.trim())
    });
    let why = in_toml.as_deref().unwrap_or(why);
    let why = why.split("; it said").next().unwrap_or_default();
    let build = why.split_once(" (").zip(why.rsplit_once(") ")).filter(|_| why.starts_with("its build ("));
    let why = build.map_or(why.to_owned(), |((build, _), (_, failed))| format!("{build} {failed}"));
    let (cut, shown) = (why.chars().count() > SHOWN_WHY, why.chars().take(SHOWN_WHY).collect::<String>());
    if cut { format!("{shown}...") } else { shown }
}

impl Found {
    /// Says at the end of a dry night what was found, with this exit code if it is no news.
    fn tell_dry(&self, code: CommandExit) -> anyhow::Result<ExitCode> {
        let told = self.told(Vec::new());
        if !told.is_empty() {
            out(&format!("{told}\n"))?;
        }
        let is_alarm = code == CommandExit::Done && !self.news.is_empty();
        Ok(if is_alarm { CommandExit::News } else { code }.into())
    }

    /// These sentences with what is wrong with engines and who plays again.
    fn told(&self, mut lines: Vec<String>) -> String {
        lines.extend(self.news.iter().cloned());
        for (what, some) in
            [("back", &self.back), ("still left out", &self.old), ("in quarantine", &self.quarantined)]
        {
            if !some.is_empty() {
                lines.push(format!("{what}: {}", some.join(", ")));
            }
        }
        lines.join("; ")
    }

    /// Whether an engine of this name is in the folder, as far as is known of one that is left out.
    fn is_there(&self, name: &str) -> bool {
        self.healthy.contains_key(name) || self.left_out.iter().any(|entry| entry == name)
    }

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
            let why = format!("lost {faults} of {} by faults", counted(games, "game"));
            if self.nights.is_bad(entry, hash.clone(), NightFault::Forfeits, why) {
                self.news.push(format!(
                    "{} lost {faults} of {} by faults",
                    clean(name),
                    counted(games, "game")
                ));
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
    /// `is_there` says whether an engine of this name is in the folder.
    fn read(
        NightRun { run, store, .. }: &NightRun,
        before: Option<&SeenRun>,
        is_there: impl Fn(&str) -> bool,
    ) -> anyhow::Result<RunNews> {
        let history = RunHistory::read(run, store)?;
        let moves = &history.moves;
        let last = moves.last().map_or(0, |moved| moved.run);
        let seen = SeenRun { run: last, game: store.last_game()? };
        let is_new = before.is_none_or(|before| before.run != last);
        let latest = history.latest();
        let mut line = (before != Some(&seen)).then(|| history.line(run)).transpose()?;
        if let Some(line) = &mut line {
            let plays = |name: &str| latest.iter().any(|moved| moved.engine == name);
            let earlier = moves.iter().filter(|moved| before.is_some_and(|before| before.run == moved.run));
            let gone = earlier.filter(|moved| !plays(&moved.engine) && !is_there(&moved.engine));
            let gone: Vec<String> = gone.map(|moved| clean(&moved.engine)).collect();
            if !gone.is_empty() {
                line.push_str(&format!("; removed: {}", gone.join(", ")));
            }
        }
        Ok(RunNews { line, is_worse: is_new && latest.iter().any(|moved| moved.is_worse()), seen })
    }
}

/// The line about the night.
fn line(mut lines: Vec<String>, runs: &[NightRun], found: &Found) -> anyhow::Result<String> {
    let is_quiet = lines.is_empty() && found.news.is_empty() && found.back.is_empty();
    if is_quiet {
        lines.push("nothing changed".to_owned());
    }
    lines = vec![found.told(lines)];
    for NightRun { run, store, .. } in runs {
        if store.last_game()? > 0 {
            let of = run.title()?.map(|title| format!(" of {title}")).unwrap_or_default();
            let (question, withdrawn) = (store.question()?, store.withdrawn()?);
            lines.extend(question.map(|found| until::words_at_the_end(&found, withdrawn.closed())));
            lines.push(format!("head{of} {}", store.head()?));
        }
    }
    Ok(lines.join("; "))
}
