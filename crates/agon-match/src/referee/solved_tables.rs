//! The tables of solved games: where they are, and made before engines ask for them.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::OnceLock;

use agon_games::Rules;
use agon_programs::spec::EngineSpec;
use agon_solved::{Solver, SolverSettings, Tell};

/// How this process shows that a table is made; see [`show_with`].
static SHOWN_BY: OnceLock<fn() -> Tell> = OnceLock::new();

/// From now on every table that is made shows its progress this way. The first call counts.
pub fn show_with(tell: fn() -> Tell) {
    SHOWN_BY.get_or_init(|| tell);
}

/// The folder of the tables of solved games, as the XDG Base Directory Specification names it;
/// `None` without a home.
pub fn tables() -> Option<PathBuf> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
    Some(base.join("agon"))
}

/// The tables in [`tables`], each a file, in the order of their names. Other files of that folder
/// are not for engines.
pub(crate) fn table_files() -> Vec<PathBuf> {
    let folder = tables().and_then(|folder| folder.canonicalize().ok());
    let entries = folder.and_then(|folder| std::fs::read_dir(folder).ok()).into_iter().flatten().flatten();
    let is_table = |path: &PathBuf| path.extension().is_some_and(|end| end == "table") && path.is_file();
    let mut all: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_table).collect();
    all.sort();
    all
}

/// What agon has made in the folder of [`tables`]: the tables, the templates of Wine, and what was
/// left of them when they were made. Nothing else there is agon's.
pub fn cached() -> Vec<PathBuf> {
    let entries = tables().and_then(|folder| std::fs::read_dir(folder).ok()).into_iter().flatten().flatten();
    let is_ours = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_file = path.is_file() && !path.is_symlink();
        let is_left = name.starts_with(".agon-") && name.ends_with(".tmp");
        is_file && (name.ends_with(".table") || is_left || name == "wine.lock")
            || path.is_dir() && !path.is_symlink() && name.starts_with("wine-")
    };
    let mut all: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_ours).collect();
    all.sort();
    all
}

/// What is said where a table is needed and [`tables`] is nowhere.
pub const NOWHERE: &str = "neither XDG_CACHE_HOME nor HOME names a folder for tables of solved games";

/// The values of a game, with a table in the folder of the tables.
pub fn solver(rules: &dyn Rules, most_positions: Option<u64>) -> Solver {
    let threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let tell = SHOWN_BY.get().map(|tell| tell());
    let settings =
        SolverSettings { directory: tables(), threads, tell, most_positions, ..SolverSettings::default() };
    Solver::new(rules, settings)
}

/// Makes the table of a game, if the game has one, it is missing, and one of these engines asks for
/// it. That takes longer than an engine has for a move. Returns what went wrong, for people.
pub fn made_for<'e>(rules: &dyn Rules, mut engines: impl Iterator<Item = &'e EngineSpec>) -> Option<String> {
    engines.find(|engine| engine.asks_for("tables"))?;
    let solver = solver(rules, None);
    solver.cells()?;
    let without = format!("engines find no table of {}", rules.spec());
    if solver.path().is_none() {
        return Some(format!("{NOWHERE}; {without}"));
    }
    solver.prepare();
    let warnings: Vec<String> = solver.take_warnings().iter().map(ToString::to_string).collect();
    let is_there = solver.path().is_some_and(|path| path.is_file());
    match (warnings.is_empty(), is_there) {
        (true, _) => None,
        (false, true) => Some(warnings.join("; ")),
        (false, false) => Some(format!("{}; {without}", warnings.join("; "))),
    }
}
