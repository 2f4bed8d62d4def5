//! From options to a run: reads the files they name, finds the rules, fills in what was not given.

use std::collections::HashSet;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::{Arc, Once};

use agon_config::{GameTime, Misuse, OpeningsFrom, Options, Seconds, TournamentFile};
use agon_export::events::Events;
use agon_export::{atomic, foreign};
use agon_games::letters::{LetterBoard, Letters};
use agon_games::lexicon::Lexicon;
use agon_games::{Needs, Rules, UnknownGame};
use agon_match::hosted::{GameRules, HostedRules};
use agon_match::openings::Openings;
use agon_match::processes::{GameTerms, Limits};
use agon_match::referee::{adjudication, by_scores};
use agon_printable::{are, clean, counted, escape, without_mark};
use agon_programs::program::display_path;
use agon_programs::spec::EngineSpec;
use agon_programs::{odds, wine};
use agon_seats::{SearchLimits, Seat, TimeControl};
use agon_standings::points::Points;
use agon_standings::scoring::Scoring;
use agon_standings::table_plan::TablePlan;
use agon_standings::{Losses, Standings, Tally};
use agon_store::hash;

use crate::entrants::{self, BuildPlace, EngineBuilder, elsewhere, isolation, kept};
use crate::run::{PlayedAgain, Run, shell_path};
use crate::terminal;
use anyhow::Context;

use super::seeds;

/// The word list of a game for which none is given. The program has it once: of a constant each
/// crate that uses it would have its own.
pub static WORDS: &[u8] = include_bytes!("../../../../fixtures/words.txt");

/// Warns of keys of a `tournament.toml` that are options of the letter cube now. They work until
/// 0.3.0. A night reads its file several times, and warns once.
pub fn warn_of_keys(file: &TournamentFile) {
    static SAID: Once = Once::new();
    if let Some((place, game)) = &file.old {
        SAID.call_once(|| terminal::warn_of_old(place, &format!("game = {game:?}")));
    }
}

/// Whether the options name a game, if only by what belongs to the letter cube alone.
pub fn names_game(options: &Options) -> bool {
    options.game.is_some()
        || options.size.is_some()
        || options.letters.is_some()
        || options.board.is_some()
        || options.dictionary.is_some()
}

/// Makes the game that all engines play the game of the options, if these name none. Engines whose
/// `engine.toml` does not list their games play all.
///
/// # Errors
/// [`Misuse`], when there is no such game or a choice of them, or an engine does not play the one
/// that is named.
pub fn choose_game(options: &mut Options, engines: &[EngineSpec]) -> anyhow::Result<()> {
    let lists = || engines.iter().filter(|engine| !engine.games.is_empty());
    let plays = |engine: &EngineSpec| format!("{} plays {}", engine.name, engine.games.join(", "));
    if names_game(options) {
        let spec = match options.game.as_ref().filter(|game| game.folder().is_some()) {
            // Its options do not matter: an engine lists the name of the game.
            Some(game) => HostedRules::find(game, options.seats)?.folder.name,
            None => options.spec()?,
        };
        let Some(other) = lists().find(|engine| !engine.plays(&spec)) else { return Ok(()) };
        return Err(Misuse::hinted(
            format!("{}, not {spec}", plays(other)),
            "give a game of its list with --game, or correct games in its engine.toml",
        ));
    }
    let mut common: Vec<&String> = Vec::new();
    for game in lists().flat_map(|engine| &engine.games) {
        if !common.contains(&game) && engines.iter().all(|engine| engine.plays(game)) {
            common.push(game);
        }
    }
    // A list of `mnk:7x7,4` and `mnk` plays all of mnk, and 7x7,4 where nothing else is asked for.
    let chosen = common.clone();
    common.retain(|game| {
        let with_options =
            |other: &&&String| other.strip_prefix(game.as_str()).is_some_and(|rest| rest.starts_with(':'));
        chosen.iter().filter(with_options).count() != 1
    });
    // Two spellings of one game are no choice.
    let mut meanings = HashSet::new();
    common.retain(|game| meanings.insert(agon_games::canonical(game).unwrap_or_else(|_| (*game).clone())));
    match common[..] {
        [only] if agon_games::entry(only).is_err() => {
            let who = lists().next().map_or_else(String::new, plays);
            return Err(Misuse::hinted(
                format!("no game is given, and {who}, which is no built-in game"),
                format!("name the folder of its referee program, as in --game ./{only}"),
            ));
        }
        [only] => options.game = Some(only.as_str().into()),
        [] => {
            let Some(first) = lists().next() else { return Ok(()) };
            let other = lists().find(|other| !first.games.iter().any(|game| other.plays(game)));
            let all: Vec<String> = [Some(first), other].into_iter().flatten().map(plays).collect();
            return Err(Misuse::hinted(
                format!("there is no game that all these engines play: {}", all.join("; ")),
                "leave one out, or correct games in an engine.toml",
            ));
        }
        [first, ..] => {
            let all: Vec<&str> = common.iter().map(|game| game.as_str()).collect();
            return Err(Misuse::hinted(
                format!("no game is given, and these engines play {}", all.join(", ")),
                format!("choose one, as in --game {first}"),
            ));
        }
    }
    Ok(())
}

/// A hint for engines that never made a move in a game that nobody has named, if half of all or
/// more are such. The second is whether no engine made any.
pub fn forgotten_game(options: &Options, rules: &GameRules, standings: &Standings) -> Option<(String, bool)> {
    if names_game(options) {
        return None;
    }
    let tallies = || standings.names().filter_map(|name| Some((name, standings.tally(name)?)));
    let never = |tally: &Tally| {
        let Losses { normal, adjudication, .. } = tally.losses;
        tally.plies == 0 && tally.losses.forfeits() > 0 && normal + adjudication == 0
    };
    let names: Vec<String> =
        tallies().filter(|(_, tally)| never(tally)).map(|(name, _)| clean(name)).collect();
    let hint = hint_of_forgotten_game(&names, tallies().count(), rules)?;
    Some((hint, tallies().all(|(_, tally)| tally.plies == 0)))
}

/// The same before the games: `names` are the engines that could not play when they were tried, of
/// so many.
pub fn forgotten_before(
    options: &Options,
    rules: &GameRules,
    names: &[String],
    tried: usize,
) -> Option<String> {
    if names_game(options) { None } else { hint_of_forgotten_game(names, tried, rules) }
}

/// The hint, if half of all or more never made a move.
pub(super) fn hint_of_forgotten_game(names: &[String], all: usize, rules: &GameRules) -> Option<String> {
    let (first, more) = names.split_first().filter(|_| 2 * names.len() >= all)?;
    let who = match more.len() {
        0 => first.clone(),
        more => format!("{first} and {more} more"),
    };
    Some(format!("hint: {who} never made a move, and {}", of_no_name(rules)))
}

/// What the game was, since nobody has named it, and where to name another one.
pub fn of_no_name(rules: &GameRules) -> String {
    format!(
        "no --game was given, so the game was {}; if that is not its game, name it with --game, or list it in \
         engine.toml: games = [\"mill\"]",
        rules.spec()
    )
}

/// The rules of the game that is to be played. The referee program of a game is built and tried
/// before. Options that are not given become those of the game.
pub fn rules_to_play(options: &mut Options, builder: &EngineBuilder<'_>) -> anyhow::Result<GameRules> {
    let rules = rules(options)?;
    let Some(hosted) = rules.hosted() else { return Ok(rules) };
    for (key, given) in [
        ("openings", options.openings.is_some()),
        ("random-plies", options.random_plies.is_some_and(|plies| plies > 0)),
        ("dictionary", options.dictionary.is_some()),
    ] {
        if given {
            return Err(options.misuse(key, "", "is for built-in games; leave it out"));
        }
    }
    use_time_of(hosted, options);
    let mut hosted = hosted.clone();
    make_referee_ready(&mut hosted, options, builder)?;
    let limits = limits_of_trial(options, builder);
    isolation::is_available(&builder.confinement, builder.context)?;
    entrants::try_referee(&hosted, options.time_controls()?[0], &limits, builder.context)
        .map_err(|error| options.placed(&["game"], error))?;
    Ok(hosted.into())
}

/// Builds the referee program of a game if that is due, and notes what it is.
fn make_referee_ready(
    hosted: &mut HostedRules,
    options: &Options,
    builder: &EngineBuilder<'_>,
) -> anyhow::Result<()> {
    let referee = &hosted.folder.referee;
    entrants::make_ready(referee, builder, BuildPlace::BoxedIfForeign)
        .map_err(|error| options.placed(&["game"], error))?;
    hosted.hash = hash::of_engine(referee)?;
    Ok(())
}

/// The game of a referee program that the options name, which is built but not tried; none if they
/// name a built-in game. Its time control is that of the options, if these have none.
pub fn hosted_to_play(
    options: &mut Options,
    builder: &EngineBuilder<'_>,
) -> anyhow::Result<Option<HostedRules>> {
    let rules = rules(options)?;
    let Some(hosted) = rules.hosted() else { return Ok(None) };
    let mut hosted = hosted.clone();
    use_time_of(&hosted, options);
    make_referee_ready(&mut hosted, options, builder)?;
    Ok(Some(hosted))
}

/// Takes the time control of a game where the options give none.
fn use_time_of(hosted: &HostedRules, options: &mut Options) {
    if options.st.is_empty() && options.tc.is_empty() {
        match hosted.folder.time {
            Some(TimeControl::PerMove(time)) => options.st = vec![Seconds(time)],
            Some(control) => options.tc = vec![GameTime(control)],
            None => {}
        }
    }
}

/// The limits of a program that is tried before a run.
pub fn limits_of_trial(options: &Options, builder: &EngineBuilder<'_>) -> Limits {
    let terms = GameTerms {
        margin: options.margin(),
        bank: options.bank(),
        startup: options.startup(),
        search: SearchLimits::default(),
        confinement: builder.confinement.clone(),
    };
    Limits::new(terms, Some(builder.context.stop.clone()))
}

/// The rules of the built-in game that is named.
///
/// # Errors
/// As [`rules`], or a referee program alone knows the positions of the game.
pub fn built_in(options: &Options) -> anyhow::Result<Arc<dyn Rules>> {
    rules(options)?.with_positions()
}

/// The rules of the game that is named. A referee program is not started.
pub fn rules(options: &Options) -> anyhow::Result<GameRules> {
    let seats = options.seats;
    let no_tables = || options.misuse("tables", "", "is for games with more than two seats; leave it out");
    if let Some(game) = options.game.as_ref().filter(|game| game.folder().is_some()) {
        for (key, given) in [("size", &options.size), ("letters", &options.letters)]
            .map(|(key, given)| (key, given.is_some()))
        {
            if given {
                return Err(options.misuse(key, "", "is for the letter cube; leave it out"));
            }
        }
        if options.board.is_some() {
            return Err(options.misuse("board", "", "is for the letter cube; leave it out"));
        }
        let rules =
            HostedRules::find(game, seats).map_err(|error| options.placed(&["game", "seats"], error))?;
        if options.tables.is_some() && rules.seats().len() == 2 {
            return Err(no_tables());
        }
        return Ok(rules.into());
    }
    if options.tables.is_some() {
        return Err(no_tables());
    }
    let spec = options.spec()?;
    let entry = agon_games::entry(&spec).map_err(|error| no_such_game(options, &spec, &error))?;
    if let Some(other) = seats.filter(|seats| *seats != 2) {
        let why = format!("the built-in games have two seats; {spec} has no {other}");
        return Err(options.misuse("seats", other, &why));
    }
    let lexicon = if entry.needs_lexicon { Some(Arc::new(lexicon(options)?)) } else { None };
    if let Some(file) = &options.board {
        let Some(lexicon) = lexicon.filter(|_| entry.name == "letters") else {
            let why = format!("is for the letter cube, and the game is {}", entry.name);
            return Err(options.misuse("board", "", &why));
        };
        if options.size.is_some() || options.letters.is_some() || spec.contains(':') {
            let why = "has its own size and letters; leave out size and letters";
            return Err(options.misuse("board", "", why));
        }
        return board(file, lexicon)
            .map(GameRules::BuiltIn)
            .map_err(|error| options.placed(&["board"], error));
    }
    agon_games::find(&spec, &Needs { lexicon })
        .map(GameRules::BuiltIn)
        .map_err(|error| options.placed(&["game", "size", "letters"], Misuse::error(error.to_string())))
}

/// The error for a name that is no game. It may be the name of a folder here.
fn no_such_game(options: &Options, spec: &str, error: &UnknownGame) -> anyhow::Error {
    match folder_named(spec) {
        Some(hint) => options.placed(&["game"], Misuse::hinted(error.to_string(), hint)),
        None => options.misuse("game", "", &error.to_string()),
    }
}

/// A hint, if this name without a slash is that of the folder of a game in the working directory.
pub fn folder_named(spec: &str) -> Option<String> {
    let (name, _) = spec.split_once(':').unwrap_or((spec, ""));
    let is_game = !name.is_empty() && Path::new(name).join(agon_match::hosted::FILE).is_file();
    is_game.then(|| format!("a folder is named with a slash: {}", shell_path(&Path::new(".").join(spec))))
}

/// The rules of the letter cube, played on the board in this file.
fn board(file: &Path, lexicon: Arc<Lexicon>) -> anyhow::Result<Arc<dyn Rules>> {
    let bytes = read(file, LetterBoard::MAX_BYTES, "a board")?;
    let letters = Letters::from_board(&bytes, lexicon)
        .map_err(|error| Misuse::error(format!("{}: {error}", display_path(file))))?;
    Ok(Arc::new(letters))
}

fn lexicon(options: &Options) -> anyhow::Result<Lexicon> {
    match &options.dictionary {
        Some(file) => word_list(file).map_err(|error| options.placed(&["dictionary"], error)),
        None => Ok(Lexicon::parse(WORDS).expect("the built-in list is a word list")),
    }
}

fn word_list(file: &Path) -> anyhow::Result<Lexicon> {
    let bytes = match kept::dictionary(file) {
        Some(stored) => stored?,
        None => read(file, Lexicon::MAX_BYTES, "a word list")?,
    };
    let lexicon =
        Lexicon::parse(&bytes).map_err(|error| Misuse::error(format!("{}: {error}", display_path(file))))?;
    if lexicon.skipped() > 0 {
        let (words, skipped) = (lexicon.len(), lexicon.skipped());
        terminal::say(&format!(
            "{}: {}; {} skipped, which {} not three or more letters a-z",
            display_path(file),
            counted(words, "word"),
            counted(skipped, "line"),
            are(skipped)
        ));
    }
    Ok(lexicon)
}

/// Reads a text that the user names, without a byte order mark, as [`read_as_it_is`].
pub fn read(path: &Path, most: u64, what: &str) -> anyhow::Result<Vec<u8>> {
    read_as_it_is(path, most, what).map(|bytes| without_mark(&bytes).to_owned())
}

/// Reads a file that the user names, if it is a regular file of at most `most` bytes.
pub fn read_as_it_is(path: &Path, most: u64, what: &str) -> anyhow::Result<Vec<u8>> {
    let wrong = |why: String| Misuse::error(format!("{}: {why}", display_path(path)));
    let about = std::fs::metadata(path).map_err(|error| wrong(format!("cannot be read: {error}")))?;
    // Reading a FIFO or a device could block, or never end.
    if !about.is_file() {
        return Err(wrong(format!("not a file; give {what}")));
    }
    if about.len() > most {
        return Err(wrong(format!(
            "{} bytes, and {what} has at most {most}; is it the right file?",
            about.len()
        )));
    }
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(most).read_to_end(&mut bytes))
        .map_err(|error| wrong(format!("cannot be read: {error}")))?;
    Ok(bytes)
}

/// The seat of the side that `--side` names, of a game whose seats have these names.
pub fn side(side: &str, names: &[&str]) -> anyhow::Result<Seat> {
    let seat = names.iter().position(|name| name.eq_ignore_ascii_case(side)).map(Seat::new);
    seat.ok_or_else(|| {
        Misuse::hinted(
            format!("--side: {} is not a side of this game", escape(side.as_bytes(), 20)),
            format!("the sides are {}", names.join(" and ")),
        )
    })
}

/// The run that the options describe, at this time control.
pub fn run(
    options: &Options,
    rules: GameRules,
    mut entrants: Vec<EngineSpec>,
    control: TimeControl,
) -> anyhow::Result<Run> {
    let spec = rules.spec();
    entrants = entrants.into_iter().map(|engine| engine.in_game(&spec)).collect();
    elsewhere::appoint_known(options, &mut entrants);
    odds::give(options, &mut entrants)?;
    let score_rules = by_scores::wanted(options, &rules, &entrants)?;
    let needs_wine = entrants.iter().any(|engine| wine::is_windows(&engine.program));
    let startup = if needs_wine && options.startup.is_none() { wine::STARTUP } else { options.startup() };
    Ok(Run {
        again: again(options, &rules, control),
        terms: GameTerms {
            margin: options.margin(),
            bank: options.bank(),
            startup,
            search: odds::search_of_all(options, &entrants)?,
            confinement: options.confinement()?,
        },
        // The same moves with other cards are another game, and the record has no position to tell.
        repeats_count_once: rules.built_in().is_some(),
        tables: TablePlan { seats: rules.seats().len(), format: options.tables.unwrap_or_default() },
        openings: openings(options, &rules)?,
        control,
        max_plies: options.max_plies,
        adjudicate: adjudication::wanted(&rules, options.adjudicate)?,
        score_rules,
        longest_pause: options.longest_pause(),
        keep: options.keep(),
        label: options.label.clone(),
        event: options.event.clone(),
        concurrency: elsewhere::concurrency(options.concurrency()?, &entrants),
        entrants,
        gone: Vec::new(),
        pin: options.pin.clone().unwrap_or_default(),
        seed: options.seed.unwrap_or_else(|| match &rules {
            GameRules::Hosted(_) => seeds::secret(),
            GameRules::BuiltIn(_) => seeds::of_this_moment(),
        }),
        points: scoring(
            options,
            rules.seats().len(),
            rules.hosted().is_some_and(|hosted| hosted.folder.sum),
        )?,
        rules,
    })
}

/// What a game for two is worth.
pub fn points(options: &Options) -> anyhow::Result<Points> {
    Ok(scoring(options, 2, false)?.between_two())
}

/// The number of seats of the game that is named.
pub fn seats(options: &Options) -> anyhow::Result<usize> {
    let is_hosted = options.game.as_ref().is_some_and(|game| game.folder().is_some());
    Ok(if is_hosted { rules(options)?.seats().len() } else { 2 })
}

/// Refuses a number of games, points or time controls that the game of `whole` cannot have. Misuse
/// is named at its place among `options`, a part of `whole`.
pub(crate) fn check_part(options: &Options, whole: &Options) -> anyhow::Result<()> {
    let seats = seats(whole)?;
    options.games_at(seats)?;
    scoring(options, seats, false)?;
    options.time_controls().map(|_| ())
}

/// What a game of so many seats is worth. Where scores add up, they are the points, unless others
/// are given.
fn scoring(options: &Options, seats: usize, sum: bool) -> anyhow::Result<Scoring> {
    match &options.points {
        None if sum => Ok(Scoring::Sum),
        None => Ok(Scoring::usual(seats)),
        Some(text) => {
            Scoring::read(text, seats).map_err(|error| options.misuse("points", "", &error.to_string()))
        }
    }
}

fn openings(options: &Options, rules: &GameRules) -> anyhow::Result<Openings> {
    let random_plies = options.random_plies.unwrap_or(0);
    if random_plies > 1000 {
        let why = "is out of range; give a number up to 1000";
        return Err(options.misuse("random-plies", random_plies, why));
    }
    if options.opening_plies.is_some() && !matches!(options.openings, Some(OpeningsFrom::File(_))) {
        return Err(options.misuse("opening-plies", "", "is for openings of a file; give --openings FILE"));
    }
    // Openings and random plies of a game of a referee program have been refused.
    let (Some(from), Some(rules)) = (&options.openings, rules.built_in()) else {
        return Ok(Openings::from_start(random_plies));
    };
    let openings = match from {
        OpeningsFrom::File(file) => openings_of(file, rules, options),
        OpeningsFrom::Book => Openings::book(rules, random_plies)
            .map_err(|why| Misuse::hinted(why, "give a file to --openings, or leave it out")),
    };
    openings.map_err(|error| options.placed(&["openings"], error))
}

fn openings_of(file: &Path, rules: &dyn Rules, options: &Options) -> anyhow::Result<Openings> {
    let text = read(file, 64 << 20, "a file of openings")?;
    let text = String::from_utf8(text).or_else(|error| {
        // The standard of PGN has Latin-1, in which each byte is a sign. Moves are the same in
        // both.
        if is_pgn(error.as_bytes()) {
            return Ok(error.as_bytes().iter().copied().map(char::from).collect());
        }
        let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + good.iter().filter(|byte| **byte == b'\n').count();
        Err(Misuse::error(format!("{}: line {line}: is not UTF-8 text", display_path(file))))
    })?;
    let most = options.opening_plies.map(|plies| plies as usize);
    Openings::parse_part(&text, rules, options.random_plies.unwrap_or(0), most)
        .map_err(|error| Misuse::error(format!("{}: {error}", display_path(file))))
}

/// Whether a file begins as one of PGN does, with a tag.
fn is_pgn(bytes: &[u8]) -> bool {
    bytes.trim_ascii_start().starts_with(b"[Event ")
}

/// The options that play a game of this run again, but for the folder of a referee program and for
/// the start. The words are those that the run has stored: its file may be another one by then.
fn again(options: &Options, rules: &GameRules, control: TimeControl) -> PlayedAgain {
    let mut again = String::new();
    if rules.hosted().is_none() {
        let mut supplies = rules.supplies();
        supplies.retain(|supply| supply.name == "dictionary" && options.dictionary.is_some());
        let game = Options {
            game: Some(rules.spec().as_str().into()),
            dictionary: supplies.first().map(|words| kept::stored_dictionary(&hash::of_bytes(&words.bytes))),
            ..Options::default()
        };
        again.push_str(&format!("--game {} ", shell_path(Path::new(&game.game_in_one()))));
    }
    again.push_str(&format!("--{}", control.to_string().replace('=', " ")));
    for (name, limit) in options.search().unwrap_or_default().given() {
        again.push_str(&format!(" --{name} {limit}"));
    }
    if let Some(level) = options.isolation {
        again.push_str(&format!(" --isolation {level}"));
    }
    PlayedAgain { options: again, from_position: options.board.is_some() }
}

/// Checks that a file can be written here, as far as is known without creating it.
pub fn writable(path: &Path) -> anyhow::Result<()> {
    if path.is_dir() {
        return Err(Misuse::error(format!("{}: a directory; give the name of a file", display_path(path))));
    }
    let parent = atomic::parent(path);
    if !parent.is_dir() {
        return Err(Misuse::error(format!(
            "{} cannot be made, because there is no directory {}; make that or give another",
            display_path(path),
            display_path(parent)
        )));
    }
    Ok(())
}

/// Where the events of the options go.
pub fn events(options: &Options) -> anyhow::Result<Option<Events>> {
    let Some(path) = &options.events else { return Ok(None) };
    if path == Path::new("-") {
        return Ok(Some(Events::to(Box::new(std::io::stdout()))));
    }
    writable(path)
        .and_then(|()| foreign::refuse(path, foreign::EVENTS))
        .map_err(|error| options.placed(&["events"], error))?;
    let events =
        Events::to_file(path).with_context(|| format!("cannot write events to {}", display_path(path)))?;
    Ok(Some(events))
}

/// Whether events go to stdout, so that text for people goes to stderr.
pub fn stdout_is_events(options: &Options) -> bool {
    options.events.as_deref() == Some(Path::new("-"))
}
