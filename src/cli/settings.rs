//! From options to a run: reads the files they name, finds the rules, fills in what was not given.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;

use crate::config::{Misuse, Options};
use crate::engine::program::shown;
use crate::engine::spec::EngineSpec;
use crate::export::atomic;
use crate::export::events::Events;
use crate::game::Rules;
use crate::games::letters::{Board, Letters};
use crate::games::lexicon::Lexicon;
use crate::games::{self, Needs};
use crate::run::{Run, shell_word};
use crate::standings::points::Points;

/// The word list for those who give none.
const WORDS: &[u8] = include_bytes!("../../fixtures/words.txt");

/// The rules that the options ask for.
pub(super) fn rules(options: &Options) -> anyhow::Result<Arc<dyn Rules>> {
    let spec = options.spec()?;
    let entry = games::entry(&spec).map_err(|error| Misuse::error(format!("--game: {error}")))?;
    let lexicon = if entry.needs_lexicon { Some(Arc::new(lexicon(options)?)) } else { None };
    if let Some(file) = &options.board {
        let Some(lexicon) = lexicon.filter(|_| entry.name == "letters") else {
            return Err(Misuse::error(format!(
                "--board is for the letter cube, and the game is {}",
                entry.name
            )));
        };
        if options.size.is_some() || options.letters.is_some() || spec.contains(':') {
            return Err(Misuse::error(
                "--board has its own size and letters; leave out --size and --letters",
            ));
        }
        let bytes = read(file, Board::MAX_BYTES, "a board")?;
        let letters = Letters::from_board(&bytes, lexicon)
            .map_err(|error| Misuse::error(format!("{}: {error}", shown(file))))?;
        return Ok(Arc::new(letters));
    }
    let needs = Needs { lexicon };
    games::find(&spec, &needs).map_err(|error| Misuse::error(error.to_string()))
}

fn lexicon(options: &Options) -> anyhow::Result<Lexicon> {
    let Some(file) = &options.dictionary else {
        return Ok(Lexicon::parse(WORDS).expect("the built-in list is a word list"));
    };
    let bytes = read(file, Lexicon::MAX_BYTES, "a word list")?;
    let lexicon =
        Lexicon::parse(&bytes).map_err(|error| Misuse::error(format!("{}: {error}", shown(file))))?;
    if lexicon.skipped() > 0 {
        let (words, skipped) = (lexicon.len(), lexicon.skipped());
        // To a closed stderr there is nobody to tell.
        let _ = writeln!(
            std::io::stderr(),
            "{}: {words} words; {skipped} lines skipped, which are not three or more letters a-z",
            shown(file)
        );
    }
    Ok(lexicon)
}

/// Reads a file that the user names, if it is one and of a sensible size.
pub(super) fn read(path: &Path, most: u64, what: &str) -> anyhow::Result<Vec<u8>> {
    let wrong = |why: String| Misuse::error(format!("{}: {why}", shown(path)));
    let about = std::fs::metadata(path).map_err(|error| wrong(format!("cannot be read: {error}")))?;
    // A FIFO or a device would keep us waiting, or never end.
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

/// The run that the options ask for.
pub(super) fn run(
    options: &Options,
    rules: Arc<dyn Rules>,
    entrants: Vec<EngineSpec>,
) -> anyhow::Result<Run> {
    let control = options.time_control()?;
    // Six digits can be read out and typed; whoever wants more gives them.
    let seed =
        options.seed.unwrap_or_else(|| u64::from(std::process::id()) * 7919 % 1_000_000 + of_this_moment());
    let mut again = match &options.board {
        Some(board) => format!("--board {}", absolute(board)),
        None => format!("--game {}", rules.spec()),
    };
    if let Some(dictionary) = &options.dictionary {
        again.push_str(&format!(" --dictionary {}", absolute(dictionary)));
    }
    again.push_str(&format!(" --{}", control.to_string().replace('=', " ")));
    Ok(Run {
        rules,
        entrants,
        control,
        margin: options.margin(),
        startup: options.startup(),
        concurrency: options.concurrency()?,
        seed,
        points: Points::TWO_ONE_NONE,
        again,
    })
}

fn absolute(path: &Path) -> String {
    shell_word(&std::path::absolute(path).unwrap_or_else(|_| path.to_owned()))
}

fn of_this_moment() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| u64::from(since.subsec_micros()))
}

/// Checks that a file can stand here, as far as can be seen without making it.
pub(super) fn writable(path: &Path) -> anyhow::Result<()> {
    if path.is_dir() {
        return Err(Misuse::error(format!("{}: a directory; give the name of a file", shown(path))));
    }
    let parent = atomic::parent(path);
    if !parent.is_dir() {
        return Err(Misuse::error(format!(
            "{} cannot be made, because there is no directory {}; make that or give another",
            shown(path),
            shown(parent)
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
    writable(path)?;
    let file = File::create(path).with_context(|| format!("cannot write events to {}", shown(path)))?;
    Ok(Some(Events::to(Box::new(file))))
}

/// Whether stdout is for programs, so that what people read goes to stderr.
pub(super) fn stdout_is_events(options: &Options) -> bool {
    options.events.as_deref() == Some(Path::new("-"))
}
