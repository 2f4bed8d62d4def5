//! From options to a run: reads the files they name, finds the rules, fills in what was not given.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use agon_games::letters::{LetterBoard, Letters};
use agon_games::lexicon::Lexicon;
use agon_games::{Needs, Rules, Seat};
use agon_printable::escape;
use agon_standings::points::Points;
use anyhow::Context;

use crate::clock::TimeControl;
use crate::config::{Misuse, Options};
use crate::engine::program::display_path;
use crate::engine::spec::EngineSpec;
use crate::export::atomic;
use crate::export::events::Events;
use crate::openings::Openings;
use crate::run::{Run, shell_word};

/// The word list of a game for which none is given.
const WORDS: &[u8] = include_bytes!("../../fixtures/words.txt");

/// The rules of the game that is named.
pub(super) fn rules(options: &Options) -> anyhow::Result<Arc<dyn Rules>> {
    let spec = options.spec()?;
    let entry = agon_games::entry(&spec).map_err(|error| options.misuse("game", "", &error.to_string()))?;
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
        return board(file, lexicon).map_err(|error| options.placed(&["board"], error));
    }
    agon_games::find(&spec, &Needs { lexicon })
        .map_err(|error| options.placed(&["game", "size", "letters"], Misuse::error(error.to_string())))
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
    let bytes = read(file, Lexicon::MAX_BYTES, "a word list")?;
    let lexicon =
        Lexicon::parse(&bytes).map_err(|error| Misuse::error(format!("{}: {error}", display_path(file))))?;
    if lexicon.skipped() > 0 {
        let (words, skipped) = (lexicon.len(), lexicon.skipped());
        super::say(&format!(
            "{}: {words} words; {skipped} lines skipped, which are not three or more letters a-z",
            display_path(file)
        ));
    }
    Ok(lexicon)
}

/// Reads a file that the user names, if it is a regular file of at most `most` bytes.
pub(super) fn read(path: &Path, most: u64, what: &str) -> anyhow::Result<Vec<u8>> {
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

/// The seat of the side that `--side` names.
pub(super) fn side(side: &str, rules: &dyn Rules) -> anyhow::Result<Seat> {
    let names = rules.seats();
    let seat = names.iter().position(|name| name.eq_ignore_ascii_case(side)).map(Seat::new);
    seat.ok_or_else(|| {
        Misuse::hinted(
            format!("--side: {} is not a side of this game", escape(side.as_bytes(), 20)),
            format!("the sides are {}", names.join(" and ")),
        )
    })
}

/// The run that the options describe, at this time control.
pub(super) fn run(
    options: &Options,
    rules: Arc<dyn Rules>,
    entrants: Vec<EngineSpec>,
    control: TimeControl,
) -> anyhow::Result<Run> {
    let own_controls = own_controls(options, &entrants)?;
    Ok(Run {
        again: again(options, rules.as_ref(), control)?,
        openings: openings(options, rules.as_ref())?,
        entrants,
        control,
        own_controls,
        bank: options.bank(),
        max_plies: options.max_plies,
        margin: options.margin(),
        startup: options.startup(),
        confinement: options.confinement()?,
        concurrency: options.concurrency()?,
        pin: options.pin.clone().unwrap_or_default(),
        seed: options.seed.unwrap_or_else(seed_of_this_moment),
        points: points(options)?,
        rules,
    })
}

/// What a game is worth.
pub(super) fn points(options: &Options) -> anyhow::Result<Points> {
    let Some(text) = &options.points else { return Ok(Points::TWO_ONE_NONE) };
    text.parse::<Points>().map_err(|error| options.misuse("points", "", &error.to_string()))
}

fn own_controls(options: &Options, entrants: &[EngineSpec]) -> anyhow::Result<HashMap<String, TimeControl>> {
    let mut own = HashMap::new();
    for time in &options.time {
        if !entrants.iter().any(|entrant| entrant.name == time.engine) {
            let names: Vec<&str> = entrants.iter().map(|entrant| entrant.name.as_str()).collect();
            let engine = escape(time.engine.as_bytes(), 60);
            let why = format!("there is no engine {engine}; there are {}", names.join(", "));
            return Err(options.misuse("time", "", &why));
        }
        own.insert(time.engine.clone(), time.control);
    }
    Ok(own)
}

fn openings(options: &Options, rules: &dyn Rules) -> anyhow::Result<Openings> {
    let random_plies = options.random_plies.unwrap_or(0);
    if random_plies > 1000 {
        let why = "is out of range; give a number up to 1000";
        return Err(options.misuse("random-plies", random_plies, why));
    }
    let Some(file) = &options.openings else { return Ok(Openings::from_start(random_plies)) };
    openings_of(file, rules, random_plies).map_err(|error| options.placed(&["openings"], error))
}

fn openings_of(file: &Path, rules: &dyn Rules, random_plies: u32) -> anyhow::Result<Openings> {
    let text = read(file, 64 << 20, "a file of openings")?;
    let text = String::from_utf8(text).map_err(|error| {
        let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + good.iter().filter(|byte| **byte == b'\n').count();
        Misuse::error(format!("{}: line {line}: is not UTF-8 text", display_path(file)))
    })?;
    Openings::parse(&text, rules, random_plies)
        .map_err(|error| Misuse::error(format!("{}: {error}", display_path(file))))
}

/// The options that play a game of this run again.
fn again(options: &Options, rules: &dyn Rules, control: TimeControl) -> anyhow::Result<String> {
    let mut again = match &options.board {
        Some(board) => format!("--board {}", absolute(board)),
        None => format!("--game {}", rules.spec()),
    };
    if let Some(dictionary) = &options.dictionary {
        again.push_str(&format!(" --dictionary {}", absolute(dictionary)));
    }
    if let Some(openings) = &options.openings {
        again.push_str(&format!(" --openings {}", absolute(openings)));
    }
    if let Some(plies) = options.random_plies {
        again.push_str(&format!(" --random-plies {plies}"));
    }
    again.push_str(&format!(" --{}", control.to_string().replace('=', " ")));
    Ok(again)
}

fn absolute(path: &Path) -> String {
    shell_word(&std::path::absolute(path).unwrap_or_else(|_| path.to_owned()))
}

/// A seed for a run that is given none. It has at most six digits, which a person can read out and
/// type.
fn seed_of_this_moment() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(1, |since| u64::from(since.subsec_micros()))
}

/// Checks that a file can be written here, as far as is known without creating it.
pub(super) fn writable(path: &Path) -> anyhow::Result<()> {
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
pub(super) fn events(options: &Options) -> anyhow::Result<Option<Events>> {
    let Some(path) = &options.events else { return Ok(None) };
    if path == Path::new("-") {
        return Ok(Some(Events::to(Box::new(std::io::stdout()))));
    }
    writable(path).map_err(|error| options.placed(&["events"], error))?;
    let file =
        File::create(path).with_context(|| format!("cannot write events to {}", display_path(path)))?;
    Ok(Some(Events::to(Box::new(file))))
}

/// Whether events go to stdout, so that text for people goes to stderr.
pub(super) fn stdout_is_events(options: &Options) -> bool {
    options.events.as_deref() == Some(Path::new("-"))
}
