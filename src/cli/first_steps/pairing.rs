//! `agon match`: two engines against each other, or a few.

use std::cell::RefCell;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use agon_candidates::match_score::MatchScore;
use agon_config::{CommandExit, Misuse, Options, Part, Seconds, asked_question, whole};
use agon_export::events::TestFacts;
use agon_export::foreign;
use agon_match::hosted::GameRules;
use agon_match::keeper::RunContext;
use agon_match::openings::Openings;
use agon_match::processes::{TrafficLog, WaitNotice};
use agon_match::referee::Report;
use agon_pages::report::terminal;
use agon_printable::counted;
use agon_programs::naming::{self, FoundIn};
use agon_programs::program::display_path;
use agon_programs::spec::EngineSpec;
use agon_record::{Ply, Verdict};
use agon_standings::Standings;
use agon_standings::matches::Match;
use agon_standings::pairings::PlannedGame;
use agon_standings::result::GameId;
use agon_standings::scoring::Scoring;
use agon_standings::sprt::{Sprt, SprtVerdict};
use agon_standings::table_plan::TableFormat;
use agon_store::ranking::RankingSpec;
use agon_store::scores::GameResult;
use agon_store::{Consent, Drawn, Store};
use agon_tournament::competition::gauntlet::Gauntlet;
use agon_tournament::competition::run_dir::{RunDir, RunPlan};
use agon_tournament::competition::session::{self, RunWatch, Session};
use agon_tournament::competition::terminal_sink::{Teller, TerminalSink};
use agon_tournament::competition::{settings, starts};
use agon_tournament::entrants::{self, BuildPlace, EngineBuilder, OnRefusal, elsewhere};
use agon_tournament::estimate::{TimeEstimate, TriedPace};
use agon_tournament::run::{Done, Run};
use anyhow::Context;
use clap::Args;

use crate::cli::first_steps::handed_in;
use crate::cli::first_steps::usual_test::USUAL_TEST;
use crate::cli::options;
use crate::cli::options::OptionFlags;

/// Plays engines against each other, sides swapped
///
/// The two games of a pair begin with the same board.
///
/// An engine is an executable file, or a folder with an engine.toml. NAME@HASH is an engine as an
/// earlier run has kept it: of --out or agon-run, or DIR/NAME@HASH of the run in DIR. Options may
/// stand behind an engine of a protocol that has some, ./mine:Hash=64,Threads=2. A submission
/// (an archive, a source file, or a folder without an engine.toml) is built as agon check does, and
/// all play at isolation sandbox. Without --out no file is written. With more than two engines,
/// each plays each other one.
///
/// A pairing of more than two games without openings begins each pair of games with random plies,
/// if the game always begins alike. There are 4 such plies, in mnk 2. Otherwise engines without
/// chance would repeat the same two games. A game that repeats an earlier one counts once.
#[derive(Args, Debug)]
#[command(mut_args(options::of_a_match))]
#[command(after_help = "\
Examples:
  agon match ./mine ./theirs
  agon match ./mine ./theirs --games 2 -v
  agon match ./mine ./theirs --games 2 -v --no-clock    one of them runs in a debugger
  agon match ./mine ./theirs --sprt         until it is plain whether mine is stronger
  agon match ./mine ./theirs --sprt 0,10    the same for small differences; takes more games
  agon match ./new ./a ./b ./c --gauntlet   the first against each of the others
  agon match ./mine results/mine@1a2b3c     against itself as it played in an earlier run
  agon match ./mine:Hash=64 ./mine:Hash=256    against itself with other options
  agon match ./mine ./theirs --game letters:board=board.txt --st 1 --games 2 -v")]
pub(crate) struct MatchArgs {
    /// The engines, two or more; the first has the first seat in the first game
    #[arg(required = true, num_args = 2.., value_name = "ENGINE")]
    engines: Vec<PathBuf>,

    #[command(flatten)]
    options: OptionFlags,

    /// The first engine plays each of the others, and they do not play each other
    #[arg(long, hide_short_help = true)]
    gauntlet: bool,

    /// The start position of every game: its text, or moves from the usual start position
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["openings", "board"], hide_short_help = true)]
    position: Option<String>,

    /// The seed of one board, from games.csv, to play a game of a tournament again
    #[arg(long, value_name = "N", conflicts_with = "seed", value_parser = whole::<u64>, allow_negative_numbers = true, hide_short_help = true)]
    board_seed: Option<u64>,

    /// Plays until SPRT decides between the two Elo differences of the first engine: 0,10 or
    /// 0,10,alpha=0.05,beta=0.05,normalized,games. It counts pairs of games on one board, or with
    /// `games` each game. Without a value it is 0,50: about 50 games for engines far apart. Exit
    /// code 10: H1 is accepted; 11: H0; 12: not decided
    #[arg(
        long,
        value_name = "ELO0,ELO1",
        conflicts_with = "board_seed",
        allow_hyphen_values = true,
        num_args = 0..=1,
        default_missing_value = USUAL_TEST
    )]
    sprt: Option<Sprt>,

    /// Plays only one of N parts of the games, for several machines; agon merge puts the parts
    /// together. All parts need the same engines, options and --seed
    #[arg(long, value_name = "K/N", requires_all = ["seed", "out"], conflicts_with_all = ["sprt", "board_seed"], hide_short_help = true)]
    part: Option<Part>,

    /// No engine loses on time: for one that runs in a debugger. It is told the time as usual, and
    /// may be a week late
    #[arg(long, conflicts_with_all = ["margin", "startup"], hide_short_help = true)]
    no_clock: bool,

    /// Shows the score of the first engine on stderr after this many seconds; 0 for never. The
    /// score is games, Elo with its error bar and, with --sprt, the LLR with its bounds. With
    /// --no-clock also which engine a game waits for [default: 30, or never with --quiet]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, hide_short_help = true)]
    report_every: Option<Seconds>,

    /// Makes games in the directory of --out history that do not fit these engines and options,
    /// without a question. They count again when the change is undone
    #[arg(long, requires = "out", hide_short_help = true)]
    again: bool,

    /// Builds engines outside of this directory without a box, as those in it. Otherwise the build
    /// command of their engine.toml runs in a box
    #[arg(long, hide_short_help = true)]
    build: bool,

    /// A file that keeps every line of every engine, in both directions, with its time
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    log: Option<PathBuf>,

    /// Shows each move with its time and points
    #[arg(long, short)]
    verbose: bool,

    /// Shows only the standings at the end
    #[arg(long, short, conflicts_with = "verbose")]
    quiet: bool,
}

/// The most games of a test without --games.
const MOST_OF_A_TEST: u32 = 100_000;
/// The time between two lines with the score, if none is given.
const USUAL_REPORT: Duration = Duration::from_secs(30);

/// The margin without a clock: a week, the most that a time may be. It stands in the records.
const NO_CLOCK: Duration = Duration::from_secs(7 * 24 * 3600);

impl MatchArgs {
    pub(crate) fn run(mut self, context: &RunContext) -> anyhow::Result<ExitCode> {
        let teller = Teller::stdout(self.quiet, &self.options);
        let mut engines = self.found(context)?;
        let mut options = self.options.clone();
        settings::choose_game(&mut options, &engines)?;
        tell_apart(&mut engines);
        let (run, remark, games) = self.prepared(context, options.clone(), engines)?;
        let directories: Vec<PathBuf> = self.options.out.iter().cloned().collect();
        let shown = TerminalSink::new(teller, &self.options);
        let mut sink = shown;
        let mut session =
            Session::open(context, &self.options, &run, &directories, &mut sink, OnRefusal::End)?;
        let names: Vec<String> = run.entrants.iter().map(|engine| engine.name.clone()).collect();
        let gauntlet = self.gauntlet.then(|| Gauntlet::new(&names, games, &run));
        let matches = gauntlet.as_ref().map(Gauntlet::matches);
        let ranking = gauntlet.as_ref().map(Gauntlet::ranking);
        let drawn = matches.map(|all| Drawn::Matches(all.to_vec()));
        let plan = self.run_plan(games, drawn.as_ref(), ranking.as_ref());
        let traffic = self.traffic()?;
        // A match that cannot be played is refused before the games in the directory are touched.
        let remarks = self.remarks(&run, &names, games, remark)?;
        let open = |out: &PathBuf| session.directory(out, &run, plan, "match", self.consent());
        let mut directory = self.options.out.as_ref().map(open).transpose()?;
        let board = self.board_seed.map_or(format!("seed {}", run.seed), |seed| format!("board seed {seed}"));
        let clock = if self.no_clock { ", no clock: nobody loses on time" } else { "" };
        teller.say(&format!("{}, {}, {board}{clock}", run.rules.spec(), run.control));
        remarks.iter().for_each(|remark| teller.say(remark));
        directory.iter().flat_map(|there| there.remarks(false)).for_each(|remark| teller.say(&remark));
        let mut score = self.score(&names[0], directory.as_ref())?;
        let decided = AtomicBool::new(self.is_over(&score));
        let mut reporter = Reporter::new(self.report_every());
        let results = RefCell::new(Vec::new());
        let openings_end = run.openings.used_up_after().filter(|_| self.options.games.is_none());
        let mut played = directory.as_ref().map_or(0, |there| there.beginning.played.count());
        let mut on_game = |report: &Report, is_repeat: bool| {
            played += 1;
            score.add(&report.record, is_repeat);
            results.borrow_mut().extend(GameResult::of(&report.record, is_repeat));
            // Games that had begun by then end after it.
            let is_decided_now = self.is_over(&score) && !decided.swap(true, Ordering::Relaxed);
            teller.say(&result(report, number_of(report.record.id, games), run.points));
            if openings_end.is_some_and(|pairs| report.record.id.game == 2 * pairs) {
                starts::used_up(&run, games).iter().for_each(|remark| teller.say(remark));
            }
            let mut is_told = is_decided_now || played == u64::from(games);
            if reporter.is_due() {
                crate::cli::say(&score.line(self.sprt.as_ref()));
                is_told = true;
            }
            is_told.then(|| self.test_facts(&score)).flatten()
        };
        let mut on_ply =
            |id: GameId, number: usize, ply: &Ply| teller.say(&line(number_of(id, games), number, ply, &run));
        let rank = gauntlet
            .as_ref()
            .map(|gauntlet| |standings: &mut Standings| gauntlet.rank(standings, results.borrow().clone()));
        let watch = RunWatch {
            traffic,
            waiting: self.waiting(games),
            on_ply: if self.verbose { Some(&mut on_ply) } else { None },
            on_game: Some(&mut on_game),
            rank: rank.as_ref().map(|rank| rank as &dyn Fn(&mut Standings)),
            ..RunWatch::default()
        };
        let (total, plan) = self.own_plan(&run, &names, games, matches, directory.as_mut())?;
        let plan = plan.take_while(|_| !decided.load(Ordering::Relaxed));
        self.time(&run, total, directory.as_ref())?.iter().for_each(|line| teller.say(line));
        let done = session.play(&run, directory.as_mut(), plan, total, watch)?;
        if done.stopped {
            crate::cli::say(&self.stopped(played, total, directory.is_some()));
        }
        starts::repeated(done.repeats).iter().for_each(|remark| teller.say(remark));
        forgotten_game(&options, &run, &done, &mut session);
        shown.show(|look| {
            self.told(&score)
                + &terminal::standings(&done.standings.table(), done.standings.tiebreaks(), look)
        })?;
        say_where(directory.as_ref(), &teller)?;
        Ok(self.code(session.code(), &score).into())
    }

    fn run_plan<'a>(
        &'a self,
        games: u32,
        drawn: Option<&'a Drawn>,
        ranking: Option<&'a RankingSpec>,
    ) -> RunPlan<'a> {
        RunPlan { games, drawn, ranking, part: self.part, test: self.sprt.as_ref(), until: None }
    }

    /// What programs are told of a test.
    fn test_facts(&self, score: &MatchScore) -> Option<TestFacts> {
        self.sprt.map(|test| TestFacts::from(&score.stand(&test)))
    }

    /// The exit code: of a test its answer, if the games alone would be no reason for another one.
    fn code(&self, by_games: CommandExit, score: &MatchScore) -> CommandExit {
        let Some(test) = &self.sprt else { return by_games };
        match (by_games, score.stand(test).verdict) {
            (CommandExit::Done | CommandExit::SomeVoid, SprtVerdict::Shown) => CommandExit::Better,
            (CommandExit::Done | CommandExit::SomeVoid, SprtVerdict::Refuted) => CommandExit::NotBetter,
            (CommandExit::Done, SprtVerdict::Open) => CommandExit::Open,
            _ => by_games,
        }
    }

    /// How many games are played and how long they take, if that is worth a line: a pair of games
    /// shows it soon, a test may end with any game, and without a clock nothing is known.
    fn time(&self, run: &Run, total: u64, directory: Option<&RunDir>) -> anyhow::Result<Option<String>> {
        let played = directory.map_or(0, |directory| directory.beginning.played.count());
        let missing = total.saturating_sub(played);
        // Before the estimate, which plays random games.
        if self.sprt.is_some() || self.no_clock || missing <= 2 {
            return Ok(None);
        }
        let stored = directory.map(|directory| directory.store.usual_time()).transpose()?.flatten();
        let time = TimeEstimate::of(run, missing, stored, TriedPace::default());
        Ok(time.is_worth_saying(missing).then(|| format!("{}, {time}", counted(missing, "game"))))
    }

    /// What is said of a match that the user has stopped: the table below it counts so many games.
    /// A test without a number of games has none planned.
    fn stopped(&self, played: u64, total: u64, is_kept: bool) -> String {
        let is_endless = self.sprt.is_some() && self.options.games.is_none();
        let games = if is_endless {
            counted(played, "game")
        } else {
            format!("{played} of {}", counted(total, "game"))
        };
        let next = if is_kept { "; the same command goes on" } else { "" };
        format!("stopped after {games}{next}")
    }

    fn consent(&self) -> Consent {
        if self.again { Consent::Again } else { Consent::default() }
    }

    /// The engines, with kept ones of earlier runs.
    fn found(&mut self, context: &RunContext) -> anyhow::Result<Vec<EngineSpec>> {
        entrants::refuse_also(
            &self.options,
            "name the engine among the others: agon match A B DIR/NAME@HASH",
        )?;
        asked_question::refuse_in(&self.options, "leave it out; a match has --sprt")?;
        let results = session::root(&self.options);
        let mut are_handed_in = Vec::new();
        for path in &self.engines {
            are_handed_in.push(handed_in::is_handed_in(path, false, &mut self.options));
        }
        let all = (1..).zip(self.engines.iter().zip(are_handed_in));
        all.map(|(number, (path, is_handed_in))| match is_handed_in {
            true => handed_in::engine(path, number, &self.options, context),
            false => entrants::found_or_kept(path, &results),
        })
        .collect()
    }

    /// The most games of a pairing.
    fn games(&self, seats: usize) -> anyhow::Result<u32> {
        let games = match (&self.sprt, self.options.games) {
            (Some(_), None) => MOST_OF_A_TEST,
            _ => self.options.games_at(seats)?,
        };
        if seats > 2 {
            let both = [("--sprt", self.sprt.is_some()), ("--gauntlet", self.gauntlet)];
            if let Some((flag, _)) = both.iter().find(|(_, given)| *given) {
                let what = format!("{flag} is for games of two seats, and this one has {seats}");
                return Err(Misuse::hinted(what, format!("leave {flag} out")));
            }
        }
        if self.board_seed.is_some() && games as usize != seats {
            return Err(Misuse::hinted(
                format!("--board-seed is one board, for {seats} games"),
                format!("add --games {seats}"),
            ));
        }
        for (flag, given) in [("--sprt", self.sprt.is_some()), ("--board-seed", self.board_seed.is_some())] {
            if given && self.engines.len() > seats {
                return Err(Misuse::hinted(
                    format!("{flag} is for {seats} engines, and {} are given", self.engines.len()),
                    format!("give {seats} engines, or leave {flag} out"),
                ));
            }
        }
        Ok(games)
    }

    /// What is to be said before the first game of how games begin.
    fn remarks(
        &self,
        run: &Run,
        names: &[String],
        games: u32,
        remark: Option<String>,
    ) -> anyhow::Result<Vec<String>> {
        let used_up = starts::used_up(run, games).filter(|_| self.options.games.is_some());
        let short = match self.board_seed {
            Some(_) => None, // there is one board, which was looked at
            None => starts::short(run, run.plan(names, games)?.1),
        };
        let doubled = starts::doubled(run);
        Ok(remark.into_iter().chain(doubled).chain(used_up).chain(short).collect())
    }

    fn traffic(&self) -> anyhow::Result<Option<Arc<TrafficLog>>> {
        let Some(path) = &self.log else { return Ok(None) };
        let cannot = || format!("cannot write the log {}", display_path(path));
        settings::writable(path)?;
        if !TrafficLog::is_one(&foreign::beginning(path).unwrap_or_default()) {
            return Err(Misuse::hinted(
                format!("--log: {} exists already, and is not the log of a run", display_path(path)),
                "give another name, or move the file away",
            ));
        }
        Ok(Some(TrafficLog::open(path).with_context(cannot)?))
    }

    fn report_every(&self) -> Option<Duration> {
        match self.report_every {
            None if self.quiet => None,
            None => Some(USUAL_REPORT),
            Some(Seconds(every)) => (!every.is_zero()).then_some(every),
        }
    }

    /// Says now and then which engine a game waits for. With a clock no wait is long.
    fn waiting(&self, games: u32) -> Option<WaitNotice> {
        let every = self.report_every().filter(|_| self.no_clock)?;
        let tell =
            move |id: GameId, what: &str| crate::cli::say(&format!("game {}: {what}", number_of(id, games)));
        Some(WaitNotice::new(every, tell))
    }

    /// The score of the first engine in the games that were played before.
    fn score(&self, first: &str, directory: Option<&RunDir>) -> anyhow::Result<MatchScore> {
        let mut score = MatchScore::new(first);
        if let Some(directory) = directory {
            directory.store.results()?.iter().for_each(|result| score.add_result(result));
        }
        Ok(score)
    }

    /// Whether a test needs no more games.
    fn is_over(&self, score: &MatchScore) -> bool {
        let endless = self.options.games.is_none();
        self.sprt.is_some_and(|test| score.decides(&test) || (endless && score.only_repeats()))
    }

    /// The result of a test, in words.
    fn told(&self, score: &MatchScore) -> String {
        let Some(test) = &self.sprt else { return String::new() };
        let mut told = format!("{}\n", score.told(test));
        if !score.decides(test) && score.only_repeats() && self.options.games.is_none() {
            told.push_str("The engines only repeated their games, so the test was ended.\n");
        }
        told
    }

    /// The run, with all engines found and built, and what is to be said of its starts.
    fn prepared(
        &self,
        context: &RunContext,
        mut options: Options,
        mut engines: Vec<EngineSpec>,
    ) -> anyhow::Result<(Run, Option<String>, u32)> {
        elsewhere::appoint(&options, &mut engines, None)?;
        let confinement = options.confinement()?;
        let builder = EngineBuilder { context, confinement, tell: &crate::cli::say };
        let rules = settings::rules_to_play(&mut options, &builder)?;
        if let Some(TableFormat::Swiss { .. }) = options.tables {
            return Err(Misuse::hinted(
                "--tables: a match has no rounds for a Swiss",
                "leave it out, or use agon tournament",
            ));
        }
        let games = self.games(rules.seats().len())?;
        let place = if self.build { BuildPlace::AsPlayed } else { BuildPlace::BoxedIfForeign };
        if self.no_clock {
            options.margin = Some(Seconds(NO_CLOCK));
            options.startup = Some(Seconds(NO_CLOCK));
        }
        engines.iter().try_for_each(|engine| entrants::make_ready(engine, &builder, place))?;
        if let (None, None, Some(out)) = (options.seed, self.board_seed, &options.out) {
            options.seed = Store::seed_in(out)?;
        }
        let mut run = settings::run(&options, rules, engines, options.time_control()?)?;
        if let Some(text) = &self.position {
            let plies = self.options.random_plies.unwrap_or(0);
            let rules = run.rules.clone().with_positions()?;
            run.openings = Openings::parse(text, rules.as_ref(), plies)
                .map_err(|error| Misuse::misread("--position", &error.why))?;
        }
        let remark = starts::vary(&mut run, &options, games, options.out.as_deref())?;
        if let Some(seed) = self.board_seed {
            run.seed = seed; // nothing else is drawn from it
        }
        if self.verbose && self.options.concurrency.is_none() {
            run.concurrency = 1; // moves of several games at once are hard to follow
        }
        Ok((run, remark, games))
    }

    /// The number of games and the games in their order: those of the seed, of the gauntlet, or two
    /// on the board of --board-seed. The games that are played here, and how many they are: all, or
    /// those of a part.
    fn own_plan<'n>(
        &self,
        run: &Run,
        names: &'n [String],
        games: u32,
        matches: Option<&'n [Match]>,
        directory: Option<&mut RunDir>,
    ) -> anyhow::Result<(u64, Box<dyn Iterator<Item = PlannedGame> + Send + 'n>)> {
        let (total, plan) = self.plan(run, names, games, matches)?;
        let (Some(part), Some(directory)) = (self.part, directory) else { return Ok((total, plan)) };
        let own: Vec<PlannedGame> = plan.filter(|game| part.has(directory.keys.of_pair(game))).collect();
        Ok((own.len() as u64, Box::new(own.into_iter())))
    }

    fn plan<'n>(
        &self,
        run: &Run,
        names: &'n [String],
        games: u32,
        matches: Option<&'n [Match]>,
    ) -> anyhow::Result<(u64, Box<dyn Iterator<Item = PlannedGame> + Send + 'n>)> {
        if let Some(matches) = matches {
            let total = matches.iter().map(|one| u64::from(one.games)).sum();
            let seed = run.seed;
            return Ok((total, Box::new(matches.iter().flat_map(move |one| one.games_of(names, seed)))));
        }
        let (total, plan) = run.plan(names, games)?;
        let Some(seed) = self.board_seed else { return Ok((total, plan)) };
        Ok((total, Box::new(plan.map(move |game| PlannedGame { seed, ..game }))))
    }
}

/// Gives engines of one name the names of their folders, or numbers behind it: an engine may play
/// itself, but a table needs names.
pub(crate) fn tell_apart(engines: &mut [EngineSpec]) {
    naming::by_folders(engines, FoundIn::Paths);
    for at in 1..engines.len() {
        let before = &engines[..at];
        let own = engines[at].name.clone();
        let free = |name: &String| before.iter().all(|other| other.name != *name);
        let numbered = (2..).map(|number| format!("{own} ({number})"));
        if let Some(name) = std::iter::once(own.clone()).chain(numbered).find(free) {
            engines[at].name = name;
        }
    }
}

/// Says when a line with the score is due.
struct Reporter {
    every: Option<Duration>,
    last: Instant,
}

impl Reporter {
    fn new(every: Option<Duration>) -> Self {
        Reporter { every, last: Instant::now() }
    }

    fn is_due(&mut self) -> bool {
        let now = Instant::now();
        let due = self.every.is_some_and(|every| now.duration_since(self.last) >= every);
        if due {
            self.last = now;
        }
        due
    }
}

/// Gives the hint that nobody has named the game, if it is of use.
fn forgotten_game(options: &Options, run: &Run, done: &Done, session: &mut Session<'_>) {
    let Some((hint, nobody_moved)) = settings::forgotten_game(options, &run.rules, &done.standings) else {
        return;
    };
    crate::cli::say(&hint);
    if nobody_moved {
        session.fail();
    }
}

/// The number of a game among all pairings of this many games.
fn number_of(id: GameId, games: u32) -> u64 {
    u64::from(id.pairing - 1) * u64::from(games) + u64::from(id.game)
}

/// A move as a line, in the game with this number.
pub(crate) fn line(game: u64, number: usize, ply: &Ply, run: &Run) -> String {
    let millis = ply.time.as_secs_f64() * 1e3;
    if let GameRules::Hosted(rules) = &run.rules {
        // A referee names its moves without the seat, and gives them no points.
        let side = rules.seats().get(ply.seat.index()).copied().unwrap_or_default();
        return format!("{game} {number:>3}. {side}: {}  {millis:.3} ms", ply.text);
    }
    format!("{game} {number:>3}. {}  {} points, {millis:.3} ms", ply.text, ply.points)
}

/// The result of the game with this number as a line: its scores, if these are the points.
pub(crate) fn result(report: &Report, number: u64, points: Scoring) -> String {
    let record = &report.record;
    let who: Vec<String> =
        record.seats.values().iter().map(|seat| format!("{} {}", seat.side, seat.entrant)).collect();
    let who = who.join(" - ");
    match &record.verdict {
        Verdict::Void { why } => format!("game {number}: {who}: void, {why}"),
        Verdict::Decided(decided) => {
            let plies = counted(record.plies.len(), "ply");
            let why = match decided.termination.forfeited() {
                // A referee program need not give a reason.
                None if decided.reason.to_string().is_empty() => String::new(),
                None => format!(", {}", decided.reason),
                Some(seat) => {
                    let by = &record.seats[seat];
                    format!(", {} by {}: {}", decided.termination, by.entrant, decided.reason)
                }
            };
            let shown = if points == Scoring::Sum { record.scores_text() } else { record.result_text() };
            format!("game {number}: {who}: {shown}, {plies}{why}")
        }
    }
}

/// Says where the results are, and the head of their chain.
fn say_where(directory: Option<&RunDir>, teller: &Teller) -> anyhow::Result<()> {
    let Some(directory) = directory else { return Ok(()) };
    directory.head()?.iter().for_each(|line| teller.say(line));
    teller.say(&format!("results in {}", display_path(directory.directory.path())));
    Ok(())
}
