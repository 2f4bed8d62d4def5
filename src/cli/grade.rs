//! `agon grade`: a class's submissions under aliases through a tournament to grades.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use agon_games::Rules;
use agon_printable::clean;
use agon_standings::cup::{CupPlace, CupStage};
use agon_standings::grades::{Achieved, Grade};
use agon_standings::points::{Points, Wdl};
use agon_standings::rating::{Meeting, Prior, Ratings};
use anyhow::Context;
use clap::Args;

use super::cup::{Cup, PlayedStage, home_of};
use super::cup_files::{self, cell};
use super::handed_in::{self, StudentSubmission};
use super::reveal::{self, Known};
use super::tryout::{self, TryoutVerdict};
use super::{isolation, settings};
use crate::aliases;
use crate::config::roster::{self, Student};
use crate::config::stages::CupFile;
use crate::config::{Isolation, Misuse, Options, TournamentFile};
use crate::engine::folder;
use crate::engine::program::display_path;
use crate::engine::spec::EngineSpec;
use crate::export::gradebook::{self, GradebookEntry, Leading};
use crate::export::{atomic, notation};
use crate::keeper::RunContext;
use crate::report::columns::columns;
use crate::store::{Filter, Store};

/// Plays a class's tournament under aliases and gives the grades that its [grades] ask for
///
/// The roster has the columns id, name, mail and submission: a folder, a program, or a zip or tar.gz archive, seen from the
/// roster's folder. What is public (the results of --out) knows aliases only; names stand in the folder of --to alone.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon grade tournament.toml --roster roster.csv
  agon grade tournament.toml --roster roster.csv --canvas gradebook.csv --item Cup
  agon reveal quiet-otter --key grades/key.csv")]
pub(super) struct GradeArgs {
    /// The tournament.toml, with a section [grades]
    file: PathBuf,

    /// Who hands in what
    #[arg(long, value_name = "FILE")]
    roster: PathBuf,

    /// The folder for what is not public: key.csv, grades.csv and what students are sent
    #[arg(long, value_name = "DIR", default_value = "grades")]
    to: PathBuf,

    /// An exported Canvas gradebook, of which a copy is filled in
    #[arg(long, value_name = "FILE")]
    canvas: Option<PathBuf>,

    /// What the assignment is called in the learning system
    #[arg(long, value_name = "NAME", default_value = "Tournament")]
    item: String,

    /// Does not try what was handed in before the tournament begins
    #[arg(long)]
    no_check: bool,

    /// Shows less
    #[arg(long, short)]
    quiet: bool,

    #[command(flatten)]
    options: Options,
}

impl GradeArgs {
    pub(super) fn run(self, kept: &RunContext) -> anyhow::Result<ExitCode> {
        let text = text(&self.file, "a tournament.toml")?;
        let read = TournamentFile::parse(&text, &self.file)?;
        let Some(grades) = read.grades else {
            return Err(Misuse::error(format!("{}: section [grades] is missing", display_path(&self.file))));
        };
        let scheme = grades.scheme()?;
        let mut options = self.options.clone().over(read.options);
        // Students' programs are strangers', unless whoever grades says otherwise.
        options.isolation.get_or_insert(Isolation::Sandbox);
        let students = roster::read(&text_of(&self.roster)?, &self.roster)?;
        let root = options.out.clone().unwrap_or_else(|| PathBuf::from("agon-run"));
        let (inside, outside) = (std::path::absolute(&self.to)?, std::path::absolute(&root)?);
        if inside.starts_with(&outside) {
            return Err(Misuse::error("--to lies in --out, which is public; give another"));
        }
        let quiet = self.quiet;
        let tell = move |text: &str| {
            if !quiet {
                super::say(text);
            }
        };
        isolation::is_available(&options.confinement()?, kept)?;
        let baselines = match &grades.baselines {
            Some(folder) => baselines(folder)?,
            None => Vec::new(),
        };
        fs::create_dir_all(&self.to).with_context(|| format!("cannot make {}", display_path(&self.to)))?;
        let taken: Vec<String> = baselines.iter().map(|engine| engine.name.clone()).collect();
        let keys = self.keys(&students, &taken, options.seed.unwrap_or(1))?;
        let beside = format!("{}-engines", root.file_name().unwrap_or_default().to_string_lossy());
        let mut handed_in = handed_in::engines(
            &students,
            &keys,
            self.roster.parent().unwrap_or(Path::new(".")),
            &root.with_file_name(beside),
            &options,
            kept,
            &tell,
        )?;
        let rules = settings::rules(&options)?;
        if !self.no_check {
            let begun_in = home_of(read.cup.as_ref().unwrap_or(&CupFile::single(&self.file)), &root, 0);
            try_out(&mut handed_in, &begun_in, &options, &rules, kept, &tell)?;
        }
        say_who_cannot_play(&handed_in, &tell);
        let mut engines: Vec<EngineSpec> =
            handed_in.iter().filter_map(|one| one.engine.as_ref().ok().cloned()).collect();
        engines.extend(baselines);
        if engines.len() < 2 {
            return Err(Misuse::error(format!(
                "{} engine(s) can play, and a tournament needs two",
                engines.len()
            )));
        }
        let file = read.cup.unwrap_or_else(|| CupFile::single(&self.file));
        let points = settings::points(&options)?;
        let cup = Cup {
            file: file.clone(),
            options,
            rules,
            engines,
            event: "cup".to_owned(),
            only: None,
            again: false,
            check: false,
            quiet,
            tell: &tell,
        };
        let (code, stages, played) = cup.play_all(kept)?;
        let over = played.len() == stages.len() && played.iter().all(|stage| stage.progress.result.is_some());
        if !over {
            tell("the tournament is not over; there are no grades yet");
            return Ok(code);
        }
        let places = cup_files::places(&stages, &played);
        let elos = elos(&played);
        let mut rows = Vec::new();
        for student in &students {
            let key = keys.iter().find(|key| key.id == student.id).expect("every student has an alias");
            let handed_in =
                handed_in.iter().find(|one| one.alias == key.alias).expect("so has what is handed in");
            let achieved = achieved(handed_in, &places, &played, &file, &root, points)?;
            let given = scheme.grade(&achieved);
            let place = places.iter().find(|place| place.name == key.alias);
            let leading = place.map(|place| Leading {
                place: place.place,
                points: achieved.points,
                stage: place.reached + 1,
                elo: elos.get(&key.alias).copied(),
            });
            self.send(key, &given, leading.as_ref(), &stages, &file, &root)?;
            rows.push((key, given, place.map(|place| place.place)));
        }
        self.tables(&rows)?;
        Ok(code)
    }

    /// The aliases: those that were drawn before, and new ones for who is new.
    fn keys(&self, students: &[Student], taken: &[String], seed: u64) -> anyhow::Result<Vec<Known>> {
        let path = self.to.join("key.csv");
        let mut keys = if path.exists() { reveal::read(&path)? } else { Vec::new() };
        let fresh: Vec<&Student> =
            students.iter().filter(|student| !keys.iter().any(|key| key.id == student.id)).collect();
        let ids: Vec<String> = fresh.iter().map(|student| student.id.clone()).collect();
        let taken: Vec<String> =
            taken.iter().cloned().chain(keys.iter().map(|key| key.alias.clone())).collect();
        let secret = reveal::secret(&self.to.join("key.secret"))?;
        for (student, alias) in fresh.into_iter().zip(aliases::draw(&ids, &taken, seed, secret)) {
            let (id, name, mail) = (student.id.clone(), student.name.clone(), student.mail.clone());
            keys.push(Known { alias, id, name, mail });
        }
        reveal::write(&path, &keys)?;
        Ok(keys)
    }

    /// The folder for a student: the grade and why, own games, own stderr, and every loss by a fault explained.
    fn send(
        &self,
        key: &Known,
        given: &Grade,
        leading: Option<&Leading>,
        stages: &[CupStage],
        file: &CupFile,
        root: &Path,
    ) -> anyhow::Result<()> {
        let folder = self.to.join("students").join(&key.alias);
        for name in ["games", "stderr"] {
            fs::create_dir_all(folder.join(name))
                .with_context(|| format!("cannot make {}", display_path(&folder)))?;
        }
        let mut report = format!(
            "engine: {}\ngrade: {} ({})\nbecause: {}\n",
            key.alias,
            gradebook::number(given.grade),
            clean(&given.name),
            clean(&given.why)
        );
        if let Some(leading) = leading {
            let stage = clean(&stages[leading.stage - 1].name);
            report.push_str(&format!("place: {}\nlast stage: {stage}\n", leading.place));
        }
        for number in 0..stages.len() {
            let path = home_of(file, root, number);
            let event = path.file_name().map(|name| display_path(Path::new(name))).unwrap_or_default();
            if leading.is_none() || !Store::is_in(&path) {
                continue;
            }
            let of_student = Filter { engine: Some(key.alias.clone()), ..Filter::default() };
            Store::read(&path)?.games(&of_student, |stored| {
                let record = &stored.record;
                let name = format!("{}-{}.txt", number + 1, record.id);
                fs::write(folder.join("games").join(&name), notation::write(record, &event))?;
                for (seat, own) in record.seats.iter().filter(|(_, seat)| seat.entrant == key.alias) {
                    if !stored.stderr[seat].is_empty() {
                        fs::write(folder.join("stderr").join(&name), &stored.stderr[seat])?;
                    }
                    if let Some(decided) =
                        record.decided().filter(|one| one.termination.forfeited() == Some(seat))
                    {
                        report.push_str(&format!(
                            "lost as {} in {name}: {}: {}\n",
                            clean(&own.side),
                            decided.termination,
                            clean(&decided.reason)
                        ));
                    }
                }
                Ok(())
            })?;
        }
        let json = gradebook::gradescope(given.grade, &report, leading);
        let put = |name: &str, text: &str| {
            atomic::write(&folder.join(name), |to| to.write_all(text.as_bytes()).map_err(Into::into))
        };
        put("report.txt", &report)?;
        put("results.json", &json)
    }

    /// `grades.csv`, and the forms of the learning systems.
    fn tables(&self, rows: &[(&Known, Grade, Option<usize>)]) -> anyhow::Result<()> {
        let put = |name: &str, text: &str| {
            atomic::write(&self.to.join(name), |to| to.write_all(text.as_bytes()).map_err(Into::into))
        };
        let mut out = csv::Writer::from_writer(Vec::new());
        out.write_record(["id", "name", "mail", "alias", "place", "grade", "step", "why"])?;
        for (key, given, place) in rows {
            out.write_record([
                cell(&key.id),
                cell(&key.name),
                cell(&key.mail),
                key.alias.clone(),
                place.map(|place| place.to_string()).unwrap_or_default(),
                gradebook::number(given.grade),
                cell(&given.name),
                cell(&given.why),
            ])?;
        }
        put("grades.csv", &String::from_utf8_lossy(&out.into_inner()?))?;
        let entry = |(key, given, _): &(&Known, Grade, Option<usize>)| GradebookEntry {
            id: key.id.clone(),
            mail: key.mail.clone(),
            grade: given.grade,
        };
        let entries: Vec<GradebookEntry> = rows.iter().map(entry).collect();
        put("brightspace.csv", &gradebook::brightspace(&self.item, &entries)?)?;
        put("moodle.csv", &gradebook::moodle(&self.item, &entries)?)?;
        if let Some(book) = &self.canvas {
            let (filled, missing) = gradebook::canvas(&text_of(book)?, &self.item, &entries)
                .map_err(|error| Misuse::error(format!("{}: {error}", display_path(book))))?;
            put("canvas.csv", &filled)?;
            if !missing.is_empty() {
                super::out(&format!(
                    "{}: has no row for {}\n",
                    display_path(book),
                    clean(&missing.join(", "))
                ))?;
            }
        }
        let shown: Vec<Vec<String>> = rows
            .iter()
            .map(|(key, given, place)| {
                let place = place.map(|place| place.to_string()).unwrap_or_default();
                vec![
                    key.alias.clone(),
                    place,
                    gradebook::number(given.grade),
                    given.name.clone(),
                    given.why.clone(),
                ]
            })
            .collect();
        super::out(&columns(&["alias", "place", "grade", "step", "why"], &shown))
    }
}

fn text(path: &Path, what: &str) -> anyhow::Result<String> {
    let bytes = settings::read(path, 64 << 20, what)?;
    String::from_utf8(bytes).map_err(|_| Misuse::error(format!("{}: is not UTF-8 text", display_path(path))))
}

fn text_of(path: &Path) -> anyhow::Result<String> {
    text(path, "a CSV file")
}

/// The engines of a folder that play along to be beaten.
fn baselines(path: &Path) -> anyhow::Result<Vec<EngineSpec>> {
    let listing = folder::read(path).map_err(|error| {
        Misuse::error(format!("{}: cannot be read as a folder: {error}", display_path(path)))
    })?;
    match listing.broken.first() {
        Some(broken) => Err(Misuse::error(format!("{}: {}", broken.what, broken.why))),
        None => Ok(listing.engines),
    }
}

/// Tries what was handed in. Who surely cannot play does not enter. An engine that has played in the first stage was tried
/// before that, and stays in.
fn try_out(
    handed_in: &mut [StudentSubmission],
    begun_in: &Path,
    options: &Options,
    rules: &Arc<dyn Rules>,
    kept: &RunContext,
    tell: &dyn Fn(&str),
) -> anyhow::Result<()> {
    let in_it = if Store::is_in(begun_in) { Store::read(begun_in)?.entrants()? } else { Vec::new() };
    let mut fresh: Vec<&mut StudentSubmission> =
        (handed_in.iter_mut()).filter(|one| one.engine.is_ok() && !in_it.contains(&one.alias)).collect();
    if fresh.is_empty() {
        return Ok(());
    }
    tell(&format!("trying {} engines ...", fresh.len()));
    let engines = fresh.iter().filter_map(|one| one.engine.as_ref().ok().cloned()).collect();
    let run = settings::run(options, rules.clone(), engines, options.time_control()?)?;
    isolation::are_in_force(&run, kept)?;
    for (one, verdict) in fresh.iter_mut().zip(tryout::all(&run, kept)?) {
        match verdict {
            TryoutVerdict::Plays => {}
            TryoutVerdict::Doubtful(why) => {
                let before = one.remark.take().map(|before| format!("{before}; "));
                one.remark = Some(before.unwrap_or_default() + &why);
            }
            TryoutVerdict::Cannot(why) => one.engine = Err(format!("it failed when it was tried: {why}")),
        }
    }
    Ok(())
}

/// Says who cannot play, and why, before the cup begins.
fn say_who_cannot_play(handed_in: &[StudentSubmission], tell: &dyn Fn(&str)) {
    let row = |one: &StudentSubmission| match (&one.engine, &one.remark) {
        (Err(why), _) => Some(vec![one.alias.clone(), "cannot play".to_owned(), why.clone()]),
        (Ok(_), Some(remark)) => Some(vec![one.alias.clone(), "plays".to_owned(), remark.clone()]),
        (Ok(_), None) => None,
    };
    let rows: Vec<Vec<String>> = handed_in.iter().filter_map(row).collect();
    if !rows.is_empty() {
        tell(columns(&["alias", "", "why"], &rows).trim_end());
    }
}

/// The rating of everybody who has played, from all games of all stages.
fn elos(played: &[PlayedStage]) -> HashMap<String, f64> {
    let shorts = || played.iter().flat_map(|stage| &stage.shorts);
    let names: BTreeSet<&str> = shorts().flat_map(|short| &short.names).map(String::as_str).collect();
    let names: Vec<&str> = names.into_iter().collect();
    let of = |name: &String| names.binary_search(&name.as_str()).expect("every name was taken");
    let meetings: Vec<Meeting> = shorts()
        .map(|short| Meeting {
            first: of(&short.names[0]),
            second: of(&short.names[1]),
            games: wdl(short.places),
        })
        .collect();
    let fitted = Ratings::fit(names.len(), &meetings, Prior::USUAL);
    fitted.map_or_else(HashMap::new, |fitted| {
        let elo = |(name, rating): (&&str, &f64)| ((*name).to_owned(), rating * fitted.to_elo());
        names.iter().zip(&fitted.ratings).map(elo).collect()
    })
}

/// One game as the first of two sees it.
fn wdl([own, other]: [u8; 2]) -> Wdl {
    let mut game = Wdl::default();
    match own.cmp(&other) {
        std::cmp::Ordering::Less => game.wins += 1,
        std::cmp::Ordering::Equal => game.draws += 1,
        std::cmp::Ordering::Greater => game.losses += 1,
    }
    game
}

/// What an engine has come to.
#[allow(clippy::cast_precision_loss)] // fewer than 2^53 entrants and games
fn achieved(
    handed_in: &StudentSubmission,
    places: &[CupPlace],
    played: &[PlayedStage],
    file: &CupFile,
    root: &Path,
    points: Points,
) -> anyhow::Result<Achieved> {
    if let Err(why) = &handed_in.engine {
        return Ok(Achieved { broken: Some(why.clone()), ..Achieved::default() });
    }
    let alias = &handed_in.alias;
    let mut plies = 0;
    let mut total = Wdl::default();
    let mut against: std::collections::BTreeMap<&str, Wdl> = std::collections::BTreeMap::new();
    for short in played.iter().flat_map(|stage| &stage.shorts) {
        let Some(own) = short.names.iter().position(|name| name == alias) else { continue };
        let other = 1 - own;
        plies += short.plies[own];
        let game = wdl([short.places[own], short.places[other]]);
        total += game;
        *against.entry(short.names[other].as_str()).or_default() += game;
    }
    if plies == 0 {
        let mut why = "it never made a legal move".to_owned();
        let path = home_of(file, root, 0);
        let of_engine = Filter { engine: Some(alias.clone()), by_fault: true, ..Filter::default() };
        let mut first = true;
        Store::read(&path)?.games(&of_engine, |stored| {
            if let Some(decided) = stored.record.decided().filter(|_| std::mem::take(&mut first)) {
                why = format!("{why}: {}: {}", decided.termination, decided.reason);
            }
            Ok(())
        })?;
        return Ok(Achieved { broken: Some(why), ..Achieved::default() });
    }
    let most = (points.win() * total.games()).to_f64();
    let place = places.iter().find(|place| place.name == *alias);
    let behind = places.iter().filter(|other| place.is_some_and(|place| other.place > place.place)).count();
    let beaten = against.iter().filter(|(_, games)| points.of(**games) > points.of(games.reversed()));
    Ok(Achieved {
        broken: None,
        stage: place.map_or(0, |place| place.reached + 1),
        points: 100.0 * points.of(total).to_f64() / most,
        percentile: 100.0 * behind as f64 / (places.len().max(2) - 1) as f64,
        beaten: beaten.map(|(name, _)| (*name).to_owned()).collect(),
    })
}
