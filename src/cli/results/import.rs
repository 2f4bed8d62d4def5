//! `agon import`: games from elsewhere, each checked as by `agon verify` before any is stored.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use agon_audit::conditions::Conditions;
use agon_audit::facts::Difference;
use agon_audit::game;
use agon_audit::hosted::{RefereedGames, Unchecked};
use agon_audit::import_counts::{ImportCounts, Judged, Refused};
use agon_audit::referee_program::{RefereeAccess, RefereeOfRun};
use agon_config::{Confinement, Misuse, Options};
use agon_export::directory::Directory;
use agon_export::json::{self, ExportedGame};
use agon_export::plan_head::PlanHead;
use agon_games::Rules;
use agon_match::keeper::RunContext;
use agon_printable::{clean, text_without_mark};
use agon_programs::program::display_path;
use agon_record::{GameRecord, OrganiserRuling};
use agon_standings::result::GameId;
use agon_store::lock::Lock;
use agon_store::{ImportedGame, Store, StoredDecision, key};
use agon_tournament::competition::fresh_run::FreshRun;
use agon_tournament::competition::settings;
use anyhow::Context;
use clap::Args;

use crate::cli::out;
use crate::cli::referees::RefereeWorkshop;

/// The longest line, in bytes.
pub(crate) const MAX_LINE: u64 = 64 << 20;

/// Stores games that were played elsewhere
///
/// They stand one on a line, as agon export json writes them.
///
/// Every game is played through the rules first, and either all games of a file are stored or none.
/// They must be of one game, that of the run in the directory. Games of a referee program are
/// refereed once more. A game that is there already is left out, so that importing a file twice
/// changes nothing. In a directory without a run the results count what they counted in the run
/// that was exported.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon import results games.jsonl
  ssh other agon export json results | agon import results -
  agon import results games.jsonl --game ./referees/kuhn
  agon import results old.jsonl --points 3-1-0")]
pub(crate) struct ImportArgs {
    /// The directory of the run; it is made if it does not exist
    #[arg(value_name = "DIR")]
    directory: PathBuf,

    /// The file, or - for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The folder of the game, for games of a referee program [default: where the run found it]
    #[arg(long, value_name = "FOLDER")]
    game: Option<PathBuf>,

    /// The word list of letters games [default: a built-in list of English words]
    #[arg(long, value_name = "FILE")]
    dictionary: Option<PathBuf>,

    /// Points for a win, a draw and a loss, 1-1/2-0 or 3-1-0, in a directory without a run. With
    /// three or more seats, a number for each place. The word sum stands for the scores themselves
    /// [default: those of the run that was exported]
    #[arg(long, value_name = "WIN-DRAW-LOSS")]
    points: Option<String>,
}

impl ImportArgs {
    /// Whether a referee program may be started. Errors are left to the import itself.
    pub(crate) fn starts_referees(&self) -> bool {
        let refereed = || Store::read(&self.directory).and_then(|store| store.has_refereed_games());
        self.game.is_some() || Store::is_in(&self.directory) && refereed().unwrap_or(false)
    }

    /// Starts referee programs below the keeper of `context`; without one, there are none.
    pub(crate) fn run(&self, context: Option<&RunContext>) -> anyhow::Result<ExitCode> {
        let workshop =
            context.map(|context| RefereeWorkshop::open(self.game.as_deref(), context)).transpose()?;
        let access = workshop.as_ref().map(RefereeWorkshop::access);
        let input: Box<dyn Read> = if self.file == Path::new("-") {
            Box::new(std::io::stdin())
        } else {
            let file = File::open(&self.file)
                .map_err(|error| Misuse::error(format!("{}: {error}", display_path(&self.file))))?;
            Box::new(file)
        };
        let fresh = FreshRun::of(&self.directory);
        let taken = self.take_in(input, access.as_ref());
        if taken.is_err() {
            fresh.remove();
        }
        let Taken { new, counted, stage } = taken?;
        out(&format!(
            "{} taken in; {counted} {}\n",
            agon_printable::counted(new, "game"),
            if counted == 1 { "counts" } else { "count" }
        ))?;
        if let Some(stage) = stage {
            out(&format!(
                "they are of the stage {}: its groups, play-offs and byes are not in its games, so the standings \
                 here are those of the games alone; agon export db takes all of it\n",
                clean(&stage)
            ))?;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn take_in(&self, input: Box<dyn Read>, access: Option<&RefereeAccess<'_>>) -> anyhow::Result<Taken> {
        Directory::make(&self.directory)?;
        let _lock = Lock::take(&self.directory)?;
        let mut store = Store::open(&self.directory)?;
        let mut lines = ImportLines {
            gate: Gate::of(&store, self.dictionary.as_deref(), access)?,
            counts: ImportCounts::of(&store, self.points.as_deref())?,
            input: BufReader::new(input),
            shown: display_path(&self.file),
            number: 0,
            keys: HashMap::new(),
            programs: HashMap::new(),
        };
        let new = store.import(&mut lines, |lines| lines.counts.noted(lines.gate.referee_folder()))?;
        let (counted, ..) = store.counts()?;
        Ok(Taken { new, counted, stage: lines.counts.stage().map(str::to_owned) })
    }
}

/// What was imported.
struct Taken {
    new: u64,
    /// How many games of the directory count now.
    counted: u64,
    /// The stage of a cup whose games they are.
    stage: Option<String>,
}

/// The games of a file, one a line.
struct ImportLines<'a> {
    gate: Gate<'a>,
    counts: ImportCounts,
    input: BufReader<Box<dyn Read>>,
    /// The name of the file in messages.
    shown: String,
    number: u64,
    /// The lines of the games that count, by key.
    keys: HashMap<i64, u64>,
    /// The hash of each engine of a game that counts, and the line.
    programs: HashMap<String, (String, u64)>,
}

impl Iterator for ImportLines<'_> {
    type Item = anyhow::Result<ImportedGame>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut line = String::new();
        loop {
            self.number += 1;
            line.clear();
            match (&mut self.input).take(MAX_LINE).read_line(&mut line) {
                Ok(0) => return None,
                Ok(_) if line.trim().is_empty() || PlanHead::is_in(text_without_mark(&line)) => {}
                Ok(_) => {
                    let place = format!("{}: line {}", self.shown, self.number);
                    return Some(self.let_in(text_without_mark(line.trim_end())).map_err(
                        |Refused { why, hint }| {
                            Misuse { what: format!("{place}: {}", clean(&why)), hint }.into()
                        },
                    ));
                }
                Err(error) => {
                    let what = format!("{}: line {} cannot be read", self.shown, self.number);
                    return Some(Err(error).context(what));
                }
            }
        }
    }
}

impl ImportLines<'_> {
    fn let_in(&mut self, line: &str) -> Result<ImportedGame, Refused> {
        let exported = json::from_export(line).map_err(|error| format!("no game: {error:#}"))?;
        let said = exported.counted_as.clone();
        let game = self.gate.let_in(exported, self.number)?;
        if game.counts {
            let record = &game.record;
            self.once(&game)?;
            self.counts.take(record.seats.len(), said.as_ref(), self.gate.judged(record))?;
        }
        Ok(game)
    }

    /// A key belongs to one game that counts, and a name to one program.
    fn once(&mut self, game: &ImportedGame) -> Result<(), Difference> {
        if let Some(earlier) = self.keys.insert(game.key, self.number) {
            return Err(Difference::at("key", format!("is that of the game in line {earlier}")));
        }
        for (seat, hash) in game.hashes.iter().filter(|(_, hash)| !hash.is_empty()) {
            let name = &game.record.seats[seat].entrant;
            let (known, earlier) =
                self.programs.entry(name.clone()).or_insert_with(|| (hash.clone(), self.number));
            if known != hash {
                let why =
                    format!("is another program of {} than in line {earlier}, and both count", clean(name));
                return Err(Difference::at(format!("engine_hashes[{}]", seat.index()), why));
            }
        }
        Ok(())
    }
}

/// The decision about a game that comes with its record.
pub(crate) fn of_record(record: &GameRecord) -> Vec<StoredDecision> {
    let ruling = record.ruling.as_deref().cloned();
    let made = ruling.map(|OrganiserRuling { decision, why, decided, .. }| StoredDecision {
        decision: Some(decision),
        why,
        decided,
    });
    made.into_iter().collect()
}

/// Accepts or refuses games.
pub(crate) struct Gate<'a> {
    dictionary: Option<&'a Path>,
    /// The game of the run.
    spec: Option<String>,
    /// Its rules, once the first game has come.
    rules: Option<Arc<dyn Rules>>,
    /// The games that count, by their numbers: the key, and the line if the game is from this file.
    arrived: HashMap<GameId, (i64, Option<u64>)>,
    /// How referee programs are started.
    access: Option<&'a RefereeAccess<'a>>,
    /// Where the run in the directory found its referee program.
    referee_folder: Option<String>,
    /// The referee programs of the games, by hash and number of seats.
    refereed: HashMap<(String, usize), RefereedGames<'a>>,
}

impl<'a> Gate<'a> {
    /// Accepts games of the run's rules; in a new directory, of the rules of the first line.
    pub(crate) fn of(
        store: &Store,
        dictionary: Option<&'a Path>,
        access: Option<&'a RefereeAccess<'a>>,
    ) -> anyhow::Result<Self> {
        let there = store.keys_by_id()?;
        let arrived = there.into_iter().map(|(id, key)| (id, (key, None))).collect();
        Ok(Gate { arrived, ..Gate::of_rules(store, dictionary, access)? })
    }

    /// The same for [`Gate::check`] alone, which does not ask which games are there.
    pub(crate) fn of_rules(
        store: &Store,
        dictionary: Option<&'a Path>,
        access: Option<&'a RefereeAccess<'a>>,
    ) -> anyhow::Result<Self> {
        let run = store.runs()?.pop();
        let planned = run.and_then(|run| run.terms.get("game").cloned());
        let spec = match planned {
            Some(spec) => Some(spec),
            None => store.game_that_counts()?,
        };
        let referee_folder = store.referee_folder(0)?;
        let arrived = HashMap::new();
        Ok(Gate { dictionary, spec, rules: None, arrived, access, referee_folder, refereed: HashMap::new() })
    }

    fn let_in(&mut self, exported: ExportedGame, number: u64) -> Result<ImportedGame, String> {
        let decisions = of_record(&exported.record);
        let record = exported.record.as_played();
        self.check(&record)?;
        let hashes = exported.engine_hashes.unwrap_or_else(|| record.seats.map(|_, _| String::new()));
        if let Some((seat, _)) =
            hashes.iter().find(|(_, hash)| !hash.bytes().all(|byte| byte.is_ascii_graphic()))
        {
            let key = format!("engine_hashes[{}]", seat.index());
            return Err(Difference::at(key, "is not a hash").to_string());
        }
        let key = match exported.key {
            Some(text) => u64::from_str_radix(&text, 16)
                .map_err(|_| Difference::at("key", "is not a number of 16 hexadecimal digits").to_string())?
                .cast_signed(),
            None => {
                let started = record.started.to_rfc3339();
                let seed = record.seed.to_string();
                let names = record.seats.values().iter().map(|seat| seat.entrant.as_str());
                let id = record.id.to_string();
                let parts: Vec<&str> =
                    [record.rules.as_str(), &seed, &started, &id].into_iter().chain(names).collect();
                key::of_text(&parts)
            }
        };
        // A void attempt counts by a decision alone, and a game that is played again by none.
        let counts = exported.counts && (record.decided().is_some() || !decisions.is_empty());
        if counts {
            self.once(record.id, key, number)?;
        }
        let stderr = record.seats.map(|_, _| Vec::new());
        let (host, boxes) = (exported.host, exported.boxes);
        Ok(ImportedGame { record, key, hashes, counts, stderr, host, boxes, decisions })
    }

    /// Where the referee program of the games is, if they have one.
    fn referee_folder(&self) -> Option<String> {
        if self.refereed.is_empty() {
            return None;
        }
        let given = self.access.and_then(|access| access.folder.as_ref());
        given.map(|folder| folder.to_string_lossy().into_owned()).or_else(|| self.referee_folder.clone())
    }

    /// How a game is judged that was let in.
    fn judged(&self, record: &GameRecord) -> Judged {
        let Some(referee) = &record.referee else { return Judged::ByRules };
        let games = self.refereed.get(&(referee.hash.clone(), record.seats.len()));
        Judged::ByProgram(games.is_some_and(RefereedGames::is_sum))
    }

    /// Plays a game through its rules.
    ///
    /// # Errors
    /// What differs, in words.
    pub(crate) fn check(&mut self, record: &GameRecord) -> Result<(), String> {
        if record.referee.is_some() {
            return self.referee(record);
        }
        let rules = self.rules_of(&record.rules)?;
        let checked = game::check(record, rules.as_ref(), &Conditions::default());
        checked.map(|_| ()).map_err(|error| error.to_string())
    }

    /// Referees a game of a program once more.
    fn referee(&mut self, record: &GameRecord) -> Result<(), String> {
        self.is_of_the_others(&record.rules)?;
        let hash = record.referee.as_ref().map_or("", |referee| referee.hash.as_str());
        let Some(access) = self.access else {
            let why = "is of a referee program; give its folder with --game FOLDER";
            return Err(Difference::at("rules", why).to_string());
        };
        let seats = record.seats.len();
        let of_run = RefereeOfRun { hash, folder: self.referee_folder.as_deref(), outside: None, run: None };
        let games = self.refereed.entry((hash.to_owned(), seats)).or_insert_with(|| {
            let (confinement, conditions) = (Confinement::default(), Conditions::default());
            RefereedGames::new(&record.rules, seats, of_run, confinement, conditions, Some(access))
        });
        match games.check(record) {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(why)) => Err(Difference::at("referee", why).to_string()),
            Err(Unchecked::Wrong(difference)) => Err(difference.to_string()),
            Err(Unchecked::Trouble(error)) => Err(format!("{error:#}")),
        }
    }

    /// Whether a game is that of the run, and of the other lines.
    fn is_of_the_others(&mut self, spec: &str) -> Result<(), String> {
        let own = self.spec.get_or_insert_with(|| spec.to_owned());
        if own == spec {
            return Ok(());
        }
        let why = format!("is {spec}, but the other games are of {own}; import it into another directory");
        Err(Difference::at("rules", why).to_string())
    }

    /// The rules, if all games share them.
    fn rules_of(&mut self, spec: &str) -> Result<Arc<dyn Rules>, String> {
        self.is_of_the_others(spec)?;
        if let Some(rules) = &self.rules {
            return Ok(rules.clone());
        }
        let options = Options {
            game: Some(spec.into()),
            dictionary: self.dictionary.map(Path::to_owned),
            ..Options::default()
        };
        let rules = settings::built_in(&options)
            .map_err(|error| Difference::at("rules", error.to_string()).to_string())?;
        Ok(self.rules.insert(rules).clone())
    }

    /// One game counts under a number: the same one may come again, another one may not.
    fn once(&mut self, id: GameId, key: i64, number: u64) -> Result<(), String> {
        let wrong = |why: String| Err(Difference::at("id", why).to_string());
        match self.arrived.insert(id, (key, Some(number))) {
            Some((_, Some(earlier))) => wrong(format!("{id} is in line {earlier} already")),
            Some((there, None)) if there != key => wrong(format!(
                "another game counts as {id} in the directory; import this one into another directory"
            )),
            _ => Ok(()),
        }
    }
}
