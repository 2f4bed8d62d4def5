//! A new version of an engine: a test against its last version, then its rating by games against
//! the nearest of the others.
//!
//! Its games lie in runs of their own, `candidates/NAME-NEW-LAST/test` and `rating` in the
//! directory of the results. So they count in no table of the tournament, and each of the two runs
//! is stored, resumed and verified like any other.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use agon_config::candidates::CandidateTerms;
use agon_config::{CommandExit, EngineTime, Misuse, Options};
use agon_export::events::TestFacts;
use agon_export::verdicts::{CandidateVerdict, FOLDER, RatingRow, TestedVersions};
use agon_match::hosted::GameRules;
use agon_match::keeper::RunContext;
use agon_match::referee::Report;
use agon_printable::meant;
use agon_programs::program::display_path;
use agon_programs::spec::EngineSpec;
use agon_standings::Standings;
use agon_standings::candidate::{self, CandidateRating, NEAREST, PoolMember};
use agon_store::{Consent, Drawn, Store, hash};
use agon_tournament::competition::gauntlet::Gauntlet;
use agon_tournament::competition::run_dir::{RunDir, RunPlan};
use agon_tournament::competition::session::{self, RunWatch, Session};
use agon_tournament::competition::sink::Sink;
use agon_tournament::competition::{settings, starts};
use agon_tournament::entrants::{OnRefusal, kept};
use agon_tournament::run::{Done, Run};
use agon_tournament::terminal;

use crate::match_score::MatchScore;

/// The name of the event of both runs: they are matches, which may end before their plan.
const EVENT: &str = "match";
/// The time between two lines with the score of the test.
const REPORT: Duration = Duration::from_secs(30);
/// How many digits of a hash stand in the name of a directory.
const DIGITS: usize = 8;
/// The fewest games against each opponent between two looks at the rating.
const STEP: u32 = 4;

/// The tests of new versions of the engines of a tournament.
#[derive(Clone)]
pub struct Candidates {
    /// The options of the tournament.
    pub options: Options,
    /// The game.
    pub rules: GameRules,
    /// All engines as they are now.
    pub engines: Vec<EngineSpec>,
    /// How they are tested and rated.
    pub terms: CandidateTerms,
    /// What may make games of candidates history without a question.
    pub consent: Consent,
    /// When no more games begin, if the time is bounded.
    pub until: Option<Instant>,
}

/// An engine whose program is another one than when it played last.
#[derive(Clone, Debug)]
pub struct ChangedEngine {
    /// It as it is now.
    now: EngineSpec,
    hash: String,
    /// Its last version, `NAME@HASH`.
    last: EngineSpec,
    last_hash: String,
}

/// What is known of the program of an engine.
enum FoundVersion {
    /// It has changed.
    Changed(Box<ChangedEngine>),
    /// It is the one that played last.
    Same,
    /// No version of it has played.
    New,
    /// It has changed, and no earlier version is there any more.
    NotKept(anyhow::Error),
}

/// What came of a candidate.
pub struct CandidateEnd {
    /// How its games ended: 0, 4 if some stayed void, 130 if it was stopped.
    pub code: CommandExit,
    /// What was found, unless it was stopped.
    pub verdict: Option<CandidateVerdict>,
}

impl Candidates {
    /// The directory of the results.
    fn root(&self) -> PathBuf {
        session::root(&self.options)
    }

    fn found(&self, engine: &EngineSpec) -> anyhow::Result<FoundVersion> {
        let root = self.root();
        if !Store::is_in(&root) {
            return Ok(FoundVersion::New);
        }
        let now = hash::of_engine(engine)?;
        let versions = Store::read(&root)?.played_versions(&engine.name, &now)?;
        match versions.first() {
            None => return Ok(FoundVersion::New),
            Some(last) if last.is_now => return Ok(FoundVersion::Same),
            Some(_) => {}
        }
        let mut why = None;
        for version in versions.into_iter().filter(|version| !version.is_now) {
            match kept::version(&root, &engine.name, &version.hash) {
                Ok(last) => {
                    let (now, last_hash) = (engine.clone(), version.hash);
                    let hash = hash::of_engine(engine)?;
                    return Ok(FoundVersion::Changed(Box::new(ChangedEngine { now, hash, last, last_hash })));
                }
                Err(error) => why = why.or(Some(error)),
            }
        }
        Ok(FoundVersion::NotKept(why.expect("a version that is there was found")))
    }

    /// The engine with this name, if it has changed and its last version is there.
    ///
    /// # Errors
    /// [`Misuse`] that says what is missing.
    pub fn named(&self, name: &str) -> anyhow::Result<ChangedEngine> {
        let (root, given) = (display_path(&self.root()), format!("--candidate {name}"));
        let names = || self.engines.iter().map(|engine| engine.name.as_str());
        let Some(engine) = self.engines.iter().find(|engine| engine.name == name) else {
            let all: Vec<&str> = names().collect();
            let hint = format!("{}there are {}", meant(name, names()), all.join(", "));
            return Err(Misuse::hinted(format!("{given}: there is no such engine"), hint));
        };
        match self.found(engine)? {
            FoundVersion::Changed(changed) => Ok(*changed),
            FoundVersion::Same => Err(Misuse::hinted(
                format!("{given}: its program is the one that played last in {root}"),
                "change or build it first; agon match A B --sprt compares any two programs",
            )),
            FoundVersion::New => Err(Misuse::hinted(
                format!("{given}: it has not played in {root}, so there is no last version of it"),
                "play the tournament first: the same command without --candidate",
            )),
            FoundVersion::NotKept(error) => {
                let why = match error.downcast::<Misuse>() {
                    Ok(misuse) => misuse.what,
                    Err(other) => return Err(other),
                };
                Err(Misuse::hinted(
                    format!("{given}: no earlier version of it is kept: {why}"),
                    "give the path of its last version: agon match NEW LAST --sprt",
                ))
            }
        }
    }

    /// All engines that have changed and whose last version is there. Of those whose last version
    /// is not there, `tell` gets a line.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn changed(&self, tell: &mut dyn FnMut(&str)) -> anyhow::Result<Vec<ChangedEngine>> {
        let mut all = Vec::new();
        for engine in &self.engines {
            match self.found(engine)? {
                FoundVersion::Changed(changed) => all.push(*changed),
                FoundVersion::NotKept(why) => {
                    tell(&format!("{}: no test of its new version: {why:#}", engine.name));
                }
                FoundVersion::Same | FoundVersion::New => {}
            }
        }
        Ok(all)
    }

    /// Says what would be played.
    ///
    /// # Errors
    /// Errors of the database, or the line cannot be written.
    pub fn plan(&self, changed: &ChangedEngine, sink: &mut dyn Sink) -> anyhow::Result<()> {
        let home = Home::of(&self.root(), changed);
        let pool = Pool::read(self, changed)?;
        let nearest = pool.opponents(self, &home.rating(), pool.last)?;
        let names: Vec<&str> = nearest.iter().map(|engine| engine.name.as_str()).collect();
        let then = match names[..] {
            [] => "no opponent has a rating yet".to_owned(),
            _ => format!(
                "then at most {} against the nearest of the others, {} if it is as strong as before",
                self.terms.rating_games,
                names.join(", ")
            ),
        };
        sink.planned(&format!(
            "dry run: {}: at most {} games against {}, SPRT {}; {then}",
            changed.now.name, self.terms.games, changed.last.name, self.terms.test
        ))
    }

    /// Plays the test and the games for the rating, or goes on with them.
    ///
    /// # Errors
    /// [`Misuse`], or agon's own: something could not be written.
    pub fn play(
        &self,
        changed: &ChangedEngine,
        context: &RunContext,
        sink: &mut dyn Sink,
    ) -> anyhow::Result<CandidateEnd> {
        let home = Home::of(&self.root(), changed);
        let pool = Pool::read(self, changed)?;
        let mut test = self.run_of(vec![changed.now.clone(), changed.last.clone()], changed, &home.test())?;
        starts::vary(&mut test, &self.options, self.terms.games, Some(&home.test()))?;
        std::fs::create_dir_all(&home.0)?;
        let options = Options { out: Some(home.0.clone()), ..self.options.clone() };
        let directories = [home.test(), home.rating()];
        let mut session = Session::open(context, &options, &test, &directories, sink, OnRefusal::End)?
            .unattended(self.options.skip_broken == Some(true));
        let (score, done) = self.test(&mut session, &test, &home)?;
        if is_stopped(&done) {
            session.say_stopped(&done);
            return Ok(CandidateEnd { code: session.code(), verdict: None });
        }
        let (stand, met) = (score.stand(&self.terms.test), score.encounter(Some(&self.terms.test)));
        let opponents = pool.opponents(self, &home.rating(), candidate::expected(pool.last, met))?;
        let mut rating = None;
        if self.is_late() {
            session.say("the time of --at-most is over, and the same command goes on");
        } else if !opponents.is_empty() {
            let (found, done) = self.rating(&mut session, changed, &opponents, &pool, &home)?;
            if is_stopped(&done) {
                session.say_stopped(&done);
                return Ok(CandidateEnd { code: session.code(), verdict: None });
            }
            let names = opponents.into_iter().map(|engine| engine.name).collect();
            rating = found.map(|found| RatingRow::new(found, names));
        }
        let versions =
            TestedVersions { engine: &changed.now.name, hash: &changed.hash, against: &changed.last_hash };
        let verdict = CandidateVerdict::new(versions, &stand, met, rating);
        verdict.write(&home.0)?;
        session.sink().verdict(&verdict.line)?;
        Ok(CandidateEnd { code: session.code(), verdict: Some(verdict) })
    }

    /// The run of these engines, with the seed that its directory has.
    fn run_of(&self, engines: Vec<EngineSpec>, changed: &ChangedEngine, path: &Path) -> anyhow::Result<Run> {
        let mut options = self.options.clone();
        // The last version plays with the time of its engine.
        let own = options.time.iter().find(|time| time.engine == changed.now.name).cloned();
        options.time.extend(own.map(|own| EngineTime { engine: changed.last.name.clone(), ..own }));
        options.time.retain(|time| engines.iter().any(|engine| engine.name == time.engine));
        options.seed = Store::seed_in(path)?.or(options.seed);
        let control = options.time_control()?;
        settings::run(&options, self.rules.clone(), engines, control)
    }

    /// Whether no more games begin, because the time is over.
    pub fn is_late(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }

    /// Plays the test to its end, or to the last of its games.
    fn test(&self, session: &mut Session<'_>, run: &Run, home: &Home) -> anyhow::Result<(MatchScore, Done)> {
        let test = &self.terms.test;
        let names: Vec<String> = run.entrants.iter().map(|engine| engine.name.clone()).collect();
        let games = self.terms.games;
        let plan = RunPlan { games, drawn: None, ranking: None, part: None, test: Some(test), until: None };
        let mut directory = session.directory(&home.test(), run, plan, EVENT, self.consent)?;
        session.say(&format!(
            "candidate {}: at most {games} games of {}, {} against {}, SPRT {test}; results in {}",
            names[0],
            run.rules.spec(),
            run.control,
            names[1],
            display_path(&home.test())
        ));
        directory.remarks(false).iter().for_each(|remark| session.say(remark));
        let mut score = MatchScore::new(&names[0]);
        directory.store.results()?.iter().for_each(|result| score.add_result(result));
        let is_over = |score: &MatchScore| score.decides(test) || score.only_repeats();
        let is_decided = AtomicBool::new(is_over(&score));
        let (mut last, is_quiet) = (Instant::now(), session.sink().is_quiet());
        let mut on_game = |report: &Report, is_repeat: bool| {
            score.add(&report.record, is_repeat);
            // Games that had begun by then end after it.
            let is_decided_now = is_over(&score) && !is_decided.swap(true, Ordering::Relaxed);
            if last.elapsed() >= REPORT && !is_quiet {
                last = Instant::now();
                terminal::say(&score.line(Some(test)));
            }
            is_decided_now.then(|| TestFacts::from(&score.stand(test)))
        };
        let (total, plan) = run.plan(&names, games)?;
        let plan = plan.take_while(|_| !is_decided.load(Ordering::Relaxed) && !self.is_late());
        let watch = RunWatch { on_game: Some(&mut on_game), ..RunWatch::default() };
        let done = session.play(run, Some(&mut directory), plan, total, watch)?;
        session.say(&score.told(test));
        starts::repeated(done.repeats).iter().for_each(|remark| session.say(remark));
        Ok((score, done))
    }

    /// Plays against the opponents, some games each, until the rating is narrow enough.
    fn rating(
        &self,
        session: &mut Session<'_>,
        changed: &ChangedEngine,
        opponents: &[EngineSpec],
        pool: &Pool,
        home: &Home,
    ) -> anyhow::Result<(Option<CandidateRating>, Done)> {
        let path = home.rating();
        let name = &changed.now.name;
        let engines = std::iter::once(&changed.now).chain(opponents).cloned().collect();
        let mut run = self.run_of(engines, changed, &path)?;
        let count = u32::try_from(opponents.len()).unwrap_or(u32::MAX);
        let most = (self.terms.rating_games / count / 2 * 2).max(2);
        starts::vary(&mut run, &self.options, most.max(STEP), Some(&path))?;
        // All workers have something to do between two looks.
        let at_once = u32::try_from(run.concurrency).unwrap_or(u32::MAX);
        let step = STEP.max((2 * at_once).div_ceil(count).next_multiple_of(2));
        let mut games = games_before(&path)?.unwrap_or(step.min(most));
        let mut is_first = true;
        let names: Vec<String> = run.entrants.iter().map(|engine| engine.name.clone()).collect();
        session.say(&format!(
            "candidate {name}: at most {} games against {}; results in {}",
            most * count,
            names[1..].join(", "),
            display_path(&path)
        ));
        loop {
            let mut directory = self.rating_directory(session, &run, &names, games, &path)?;
            if std::mem::take(&mut is_first) {
                directory.remarks(false).iter().for_each(|remark| session.say(remark));
            }
            let gauntlet = Gauntlet::new(&names, games, &run);
            let matches = gauntlet.matches();
            let mut plan: Vec<_> = matches.iter().flat_map(|one| one.games_of(&names, run.seed)).collect();
            // Everybody's first pair of games comes first.
            plan.sort_by_key(|game| (game.id.game.div_ceil(2), game.id.pairing, game.id.game));
            let total = plan.len() as u64;
            let plan = plan.into_iter().take_while(|_| !self.is_late());
            let done = session.play(&run, Some(&mut directory), plan, total, RunWatch::default())?;
            let rating = candidate::rated(&pool.standings, &done.standings, name);
            let is_narrow = rating.is_some_and(|rating| rating.own_error <= self.terms.bar);
            if is_stopped(&done) || self.is_late() || is_narrow || games >= most {
                return Ok((rating, done));
            }
            games = (games + step).min(most);
        }
    }

    /// The directory of the games for a rating, with so many against each opponent.
    fn rating_directory(
        &self,
        session: &Session<'_>,
        run: &Run,
        names: &[String],
        games: u32,
        path: &Path,
    ) -> anyhow::Result<RunDir> {
        let gauntlet = Gauntlet::new(names, games, run);
        let (drawn, ranking) = (Drawn::Matches(gauntlet.matches().to_vec()), gauntlet.ranking());
        let plan = RunPlan {
            games,
            drawn: Some(&drawn),
            ranking: Some(&ranking),
            part: None,
            test: None,
            until: None,
        };
        // Other opponents may be the nearest now.
        session.directory(path, run, plan, EVENT, self.consent.max(Consent::Engines))
    }
}

/// The directory of a candidate: of one version against one other.
struct Home(PathBuf);

impl Home {
    fn of(root: &Path, changed: &ChangedEngine) -> Home {
        let is_plain = |sign: char| sign.is_ascii_alphanumeric() || "._-".contains(sign);
        let name: String =
            changed.now.name.chars().take(40).map(|sign| if is_plain(sign) { sign } else { '_' }).collect();
        let digits = |hash: &str| hash.get(..DIGITS).unwrap_or(hash).to_owned();
        let (new, last) = (digits(&changed.hash), digits(&changed.last_hash));
        Home(root.join(FOLDER).join(format!("{name}-{new}-{last}")))
    }

    fn test(&self) -> PathBuf {
        self.0.join("test")
    }

    fn rating(&self) -> PathBuf {
        self.0.join("rating")
    }
}

/// The games against each opponent that a run for a rating has planned, if it has begun.
fn games_before(path: &Path) -> anyhow::Result<Option<u32>> {
    if !Store::is_in(path) || Store::seed_in(path)?.is_none() {
        return Ok(None);
    }
    Ok(Store::read(path)?.runs()?.last().map(|run| run.games))
}

/// Whether somebody has stopped a run.
fn is_stopped(done: &Done) -> bool {
    done.stopped && !done.is_out_of_time
}

/// The engines that have ratings in the stored run.
struct Pool {
    /// All games of the stored run, in which the last version of the candidate has its name.
    standings: Standings,
    /// The others, the strongest first.
    others: Vec<PoolMember>,
    /// The rating of the last version.
    last: f64,
}

impl Pool {
    fn read(candidates: &Candidates, changed: &ChangedEngine) -> anyhow::Result<Pool> {
        let store = Store::read(&candidates.root())?;
        let standings = store.standings(store.points()?)?;
        let mut others = candidate::rated_pool(&standings, &changed.now.name);
        let own = others.iter().position(|one| one.name == changed.now.name);
        let last = own.map_or(0.0, |own| others.remove(own).elo);
        Ok(Pool { standings, others, last })
    }

    /// The opponents of a candidate that is expected at this rating, as they played in the stored
    /// run. A rating that has begun keeps its opponents.
    fn opponents(
        &self,
        candidates: &Candidates,
        rating: &Path,
        expected: f64,
    ) -> anyhow::Result<Vec<EngineSpec>> {
        let root = candidates.root();
        let store = Store::read(&root)?;
        let as_played = |name: &str| as_played(candidates, &store, name);
        if games_before(rating)?.is_some()
            && let Some(run) = Store::read(rating)?.runs()?.pop()
        {
            let before = run.players.iter().skip(1).map(|player| as_played(&player.name));
            if let Some(same) = before.collect::<anyhow::Result<Option<Vec<_>>>>()? {
                return Ok(same);
            }
        }
        let mut found = Vec::new();
        for member in candidate::nearest(&self.others, expected, self.others.len()) {
            if found.len() < NEAREST {
                found.extend(as_played(&member.name)?);
            }
        }
        Ok(found)
    }
}

/// The version of an engine that has the rating, under its own name: the engine of the folder, or a
/// kept copy if it has changed since. `None` if neither is there.
fn as_played(candidates: &Candidates, store: &Store, name: &str) -> anyhow::Result<Option<EngineSpec>> {
    let Some(engine) = candidates.engines.iter().find(|engine| engine.name == name) else { return Ok(None) };
    let versions = store.played_versions(name, &hash::of_engine(engine)?)?;
    let Some(last) = versions.first() else { return Ok(None) };
    if last.is_now {
        return Ok(Some(engine.clone()));
    }
    let kept = kept::version(store.directory(), name, &last.hash).ok();
    Ok(kept.map(|kept| EngineSpec { name: name.to_owned(), ..kept }))
}
