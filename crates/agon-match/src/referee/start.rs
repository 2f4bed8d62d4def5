//! How an engine is started for a game: its command with everything filled in, its environment, its
//! directory.

use std::ffi::CString;
use std::path::Path;
use std::sync::Arc;

use agon_config::Confinement;
use agon_games::{Game, GameFile, Rules};
use agon_programs::engine_file::WorkingDirectory;
use agon_programs::manifest::{Manifest, Reason};
use agon_programs::program;
use agon_programs::spec::{BoardTold, EngineSpec};
use agon_programs::wine::{self, Wine};
use agon_protocol::{ProcessSpan, Start, lines, without_side};
use agon_seats::{Seat, TimeControl};
use sha2::{Digest, Sha256};

use super::solved_tables::{table_files, tables};
use crate::hosted::HostedRules;
use crate::processes::{InPause, Prompts, Setup, TIMES, TIMES_FILE, WorkDir};

/// Where a game starts, as this engine is told. `moves` lead there, if they are known.
pub fn start(
    rules: &dyn Rules,
    engine: &EngineSpec,
    seat: Seat,
    game: &dyn Game,
    moves: Option<&[String]>,
) -> Start {
    let mut start = Start::new(rules, game, seat, moves);
    start.tells_board = engine.board == BoardTold::Stdin;
    // Its arguments tell it whose turn it is.
    if TURN.iter().any(|word| engine.asks_for(word)) { Start { turn_sign: None, ..start } } else { start }
}

/// Sees that the arguments of an engine tell it who begins, where nothing else does.
///
/// # Errors
/// Words that name its file and what to write there.
fn knows_who_begins(rules: &dyn Rules, engine: &EngineSpec) -> Result<(), String> {
    let mut telling: Vec<&str> = rules.must_ask().to_vec();
    let is_told = engine.arguments.is_none() && engine.protocol.has_usual_arguments();
    if telling.is_empty() || is_told || engine.console.is_some() {
        return Ok(());
    }
    // One process plays several games there, and its arguments are those of the first.
    if engine.process != ProcessSpan::Pairing {
        telling.push("to_move");
    }
    if telling.iter().any(|word| engine.asks_for(word)) {
        return Ok(());
    }
    let words: Vec<String> = telling.iter().map(|word| format!("{{{word}}}")).collect();
    Err(format!(
        "{}: key args: {} begins in {}, and nothing tells this engine so; add one of {} to args",
        program::display_path(&engine.source.join("engine.toml")),
        rules.seats()[Seat::FIRST.index()],
        rules.spec(),
        words.join(" ")
    ))
}

/// Sees that the protocol of an engine can play the game.
fn speaks_of(rules: &dyn Rules, engine: &EngineSpec) -> Result<(), String> {
    engine.protocol.fits(rules).map_err(|why| {
        let file = program::display_path(&engine.source.join("engine.toml"));
        format!("{file}: key protocol: {} {why}", engine.protocol.name())
    })?;
    engine.words.fits(rules).map_err(|why| {
        format!("{}: key ugi: {why}", program::display_path(&engine.source.join("engine.toml")))
    })?;
    match &engine.console {
        Some(console) => console.fits(rules).map_err(|why| in_table(engine, &why)),
        None => Ok(()),
    }
}

/// What is wrong with the table of a console program, with its file.
fn in_table(engine: &EngineSpec, why: &str) -> String {
    format!("{}: table [console]: {why}", program::display_path(&engine.source.join("engine.toml")))
}

/// The seed of an engine on its seat. The seed of the game does not follow from it: that one would
/// tell the cards. Below 2^48, as seeds of games are.
pub(super) fn own_seed(game: u64, engine: &str, seat: Seat) -> u64 {
    let mut hash = Sha256::new();
    hash.update(b"the own seed of an engine");
    hash.update(game.to_le_bytes());
    hash.update([u8::try_from(seat.index()).expect("a game has at most 16 seats")]);
    hash.update(engine.as_bytes());
    let bytes: [u8; 8] = hash.finalize()[..8].try_into().expect("a SHA-256 has 32 bytes");
    u64::from_le_bytes(bytes) >> 16
}

/// What an engine may be told of one game, besides its start.
pub struct GameWords {
    /// The position in which the engine comes in, as one line.
    pub position: String,
    /// The seed of the game.
    pub seed: u64,
}

/// How an engine is started on this seat, in a directory that has the game's files already.
///
/// # Errors
/// Words that name an argument nobody can fill in, or a protocol that cannot play the game. Asked
/// once before a run, it does not fail in it.
pub fn setup(
    rules: &dyn Rules,
    engine: &EngineSpec,
    start: &Start,
    control: TimeControl,
    own: &WorkDir,
    confinement: &Confinement,
    game: GameWords,
) -> Result<Setup, String> {
    let confinement = &engine.confinement(confinement);
    speaks_of(rules, engine)?;
    knows_who_begins(rules, engine)?;
    if let Some(console) = &engine.console {
        console.can_start(start).map_err(|why| in_table(engine, &why))?;
    }
    let of_game = GameTold {
        spec: rules.spec(),
        seats: rules.seats(),
        settings: rules.settings(),
        supplies: rules.supplies(),
    };
    let mut words = words(of_game, start.seat, control, place(own, confinement), &engine.folder);
    words.push(("position", game.position));
    words.push(("seed", own_seed(game.seed, &engine.name, start.seat).to_string()));
    words.push(("tables", tables_word(engine, place(own, confinement))));
    words.push(("to_move", rules.seats()[start.to_move.index()].to_owned()));
    match &start.moves {
        Some(moves) => words.push(("moves", told(moves).collect::<Vec<_>>().join(" "))),
        None if engine.asks_for("moves") => {
            return Err(format!(
                "{}: key args: {{moves}} needs games that begin after moves, and a game begins at a position; \
                 write the openings as moves",
                program::display_path(&engine.source.join("engine.toml"))
            ));
        }
        None if engine.words.map.is_some() => {
            return Err(format!(
                "{}: key ugi: an engine with a move map is told moves only, and a game begins at a position; \
                 write the openings as moves",
                program::display_path(&engine.source.join("engine.toml"))
            ));
        }
        None => {}
    }
    let usual = if engine.protocol.has_usual_arguments() { usual_arguments(rules) } else { Vec::new() };
    let arguments = engine.c_command(&usual, &words)?;
    in_place(engine, arguments, own, confinement)
}

/// How an engine is started on this seat of a game of a referee program. `seed` is its own.
///
/// # Errors
/// Words that name an argument nobody can fill in.
pub fn hosted_setup(
    rules: &HostedRules,
    engine: &EngineSpec,
    seat: Seat,
    control: TimeControl,
    seed: u64,
    own: &WorkDir,
    confinement: &Confinement,
) -> Result<Setup, String> {
    let confinement = &engine.confinement(confinement);
    let of_game = GameTold {
        spec: rules.spec(),
        seats: rules.seats(),
        settings: rules.settings(),
        supplies: Vec::new(),
    };
    let mut words = words(of_game, seat, control, place(own, confinement), &engine.folder);
    words.push(("seat", (seat.index() + 1).to_string()));
    words.push(("seed", seed.to_string()));
    let usual = ["{seat}", "{seats}", "{seconds}"].map(str::to_owned);
    let usual = if engine.protocol.has_usual_arguments() { &usual[..] } else { &[] };
    let arguments = engine.c_command(usual, &words)?;
    in_place(engine, arguments, own, confinement)
}

/// How the referee program of a game is started.
///
/// # Errors
/// Words that name an argument nobody can fill in.
pub(super) fn referee_setup(
    referee: &EngineSpec,
    own: &WorkDir,
    confinement: &Confinement,
) -> Result<Setup, String> {
    let words = [("folder", referee.folder.to_string_lossy().into_owned())];
    in_place(referee, referee.c_command(&[], &words)?, own, confinement)
}

/// How the echo of an engine elsewhere is started; `None` if it has none. It is confined like the
/// engine.
///
/// # Errors
/// Words that name an argument nobody can fill in, or a program that cannot be found.
pub(super) fn echo_setup(
    engine: &EngineSpec,
    own: &WorkDir,
    confinement: &Confinement,
) -> Result<Option<Setup>, String> {
    let Some(echo) = engine.of_echo()? else { return Ok(None) };
    let words = [("folder", echo.folder.to_string_lossy().into_owned())];
    let arguments = echo.c_command(&[], &words)?;
    in_place(&echo, arguments, own, &engine.confinement(confinement)).map(Some)
}

/// What the box of an engine shows besides what every box has.
pub fn manifest(engine: &EngineSpec, confinement: &Confinement) -> Manifest {
    Manifest::of(engine, &confinement.show).with(table_files(), Reason::Tables)
}

/// What `{tables}` stands for: the directory of the tables of solved games. An engine without
/// tables is given a directory that holds none.
fn tables_word(engine: &EngineSpec, own: &Path) -> String {
    let tables = tables().filter(|_| engine.asks_for("tables")).and_then(|tables| tables.canonicalize().ok());
    tables.as_deref().filter(|tables| tables.is_dir()).unwrap_or(own).to_string_lossy().into_owned()
}

/// Moves without their sides.
fn told(moves: &[String]) -> impl Iterator<Item = &str> {
    moves.iter().map(|text| without_side(text))
}

/// The files of the game beside `board`, in the directory of an engine: those of the rules, and
/// `moves` if moves lead to its start.
pub fn files(rules: &dyn Rules, start: &Start) -> Vec<GameFile> {
    let mut files = rules.supplies();
    if let Some(moves) = start.moves.as_ref().filter(|moves| !moves.is_empty()) {
        let text: String = moves.iter().map(|text| format!("{text}\n")).collect();
        files.push(GameFile { name: "moves", bytes: Arc::new(text.into_bytes()) });
    }
    files
}

/// Where a program finds its directory: in a box it is always at the same place.
pub(super) fn place<'a>(own: &'a WorkDir, confinement: &Confinement) -> &'a Path {
    if confinement.level.is_boxed() { Path::new(agon_sandbox::OWN) } else { own.path() }
}

/// How an engine is started with these arguments, in a directory that has the game's files already.
///
/// # Errors
/// Words that say why there is no Wine for a Windows program.
fn in_place(
    engine: &EngineSpec,
    arguments: Vec<CString>,
    own: &WorkDir,
    confinement: &Confinement,
) -> Result<Setup, String> {
    let place = place(own, confinement);
    let wine = if wine::is_windows(&engine.program) {
        let wine = wine::ready(&|_| {});
        Some(wine.map_err(|why| format!("{}: {why}", program::display_path(&engine.program)))?)
    } else {
        None
    };
    let (program, arguments) = match wine {
        Some(wine) => wine.command(arguments),
        None => (engine.c_program(), arguments),
    };
    let mut environment = environment(engine, place, wine);
    if engine.elsewhere.as_ref().is_some_and(|elsewhere| !elsewhere.most().is_zero()) {
        let file = own.path().join(TIMES);
        let variable = [TIMES_FILE.as_bytes(), b"=", file.as_os_str().as_encoded_bytes()].concat();
        environment.push(CString::new(variable).expect("a path has no NUL"));
    }
    Ok(Setup {
        program,
        arguments,
        environment,
        directory: match engine.directory {
            WorkingDirectory::Own => c_path(place),
            WorkingDirectory::Folder => c_path(&engine.folder),
        },
        is_in_its_folder: engine.directory == WorkingDirectory::Folder,
        files: own.c_path(),
        shown: if confinement.level.is_boxed() {
            manifest(engine, confinement).places().iter().map(|place| c_path(&place.path)).collect()
        } else {
            Vec::new()
        },
        confinement: confinement.clone(),
        greeting: Vec::new(),
        single: false,
        grace: engine.protocol.grace(),
        lenient: engine.protocol.is_lenient(),
        pty: engine.pty,
        has_helpers: wine.is_some(),
        in_pause: if engine.elsewhere.is_some() { InPause::GoesOn } else { InPause::Stopped },
        prompts: match &engine.console {
            None => Prompts::Ignored,
            Some(console) if console.awaits_prompts() => Prompts::Awaited,
            Some(_) => Prompts::Heard,
        },
    })
}

/// The arguments of an engine of `lines` that asks for no others: `{side} {rows} {columns} {planes}
/// {seconds}`.
fn usual_arguments(rules: &dyn Rules) -> Vec<String> {
    lines::arguments(rules.settings().iter().map(|(word, _)| *word))
}

/// What an engine's arguments ask for if they tell it whose turn it is.
const TURN: [&str; 3] = ["to_move", "position", "moves"];

/// What engines are told of a game.
struct GameTold {
    spec: String,
    seats: &'static [&'static str],
    settings: Vec<(&'static str, String)>,
    supplies: Vec<GameFile>,
}

/// What an engine's arguments may ask for in braces.
fn words(
    game: GameTold,
    seat: Seat,
    control: TimeControl,
    own: &Path,
    folder: &Path,
) -> Vec<(&'static str, String)> {
    let mut words = vec![("side", game.seats[seat.index()].to_owned())];
    words.extend(game.settings);
    words.push(("seconds", control.seconds()));
    words.push(("control", control.to_string()));
    words.push(("game", game.spec));
    words.push(("board", own.join("board").to_string_lossy().into_owned()));
    for supply in game.supplies {
        // `dictionary.sorted` would be an odd thing to write in braces.
        if !supply.name.contains('.') {
            words.push((supply.name, own.join(supply.name).to_string_lossy().into_owned()));
        }
    }
    words.push(("folder", folder.to_string_lossy().into_owned()));
    words
}

/// The variables an engine inherits. No other variable reaches it.
const INHERITED: [&str; 5] = ["PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ"];

fn environment(engine: &EngineSpec, own: &Path, wine: Option<&Wine>) -> Vec<CString> {
    use std::os::unix::ffi::OsStrExt;
    let mut variables: Vec<Vec<u8>> = Vec::new();
    let mut set = |name: &str, value: &[u8]| {
        if !engine.environment.contains_key(name) {
            variables.push([name.as_bytes(), b"=", value].concat());
        }
    };
    for name in INHERITED {
        if let Some(value) = std::env::var_os(name) {
            set(name, value.as_bytes());
        }
    }
    set("HOME", own.as_os_str().as_bytes());
    set("TMPDIR", own.as_os_str().as_bytes());
    for (name, value) in wine.map(|wine| wine.environment(own)).into_iter().flatten() {
        set(name, value.as_bytes());
    }
    if engine.pty {
        // It can draw and colour what it likes: that is taken out again.
        set("TERM", b"dumb");
    }
    variables.extend(engine.environment.iter().map(|(name, value)| format!("{name}={value}").into_bytes()));
    variables.into_iter().map(|variable| CString::new(variable).expect("variables hold no NUL")).collect()
}

fn c_path(path: &Path) -> CString {
    use std::os::unix::ffi::OsStrExt;
    CString::new(path.as_os_str().as_bytes()).expect("a path that was found has no NUL")
}
