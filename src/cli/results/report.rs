//! `agon report`: pages of a run that open in any browser.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use agon_config::{Misuse, whole};
use agon_export::foreign;
use agon_pages::pages::{self, Asked, Replays, ValueSearch, View};
use agon_programs::program::display_path;
use agon_standings::result::GameId;
use agon_tournament::competition::{reported, settings};
use clap::Args;

use crate::cli::out;
use crate::cli::stage_option::StageOption;

/// Writes pages of a run that open in any browser
///
/// They need no network. A cup has pages too.
///
/// The pages show standings, a crosstable, every engine, the list of games, a replay of each game,
/// the history, and how it was played. They are made from the database alone, also while the run
/// goes on.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon report results
  agon report results --out /var/www/agon --for public
  agon report results --single results.html
  agon report results --game r01-p0001-g01 --single game.html
  agon report results --game r01-p0001-g01 --ply 17 --svg board.svg
  agon report results --game r01-p0001-g01 --moving --svg game.svg
  agon report cup --for public --hide-results")]
pub(crate) struct ReportArgs {
    /// The directory of the run, or of a cup
    #[arg(value_name = "DIR", default_value = "agon-run")]
    directory: PathBuf,

    /// The folder of the pages; it is replaced if agon report wrote it [default: DIR-report]
    #[arg(long, value_name = "FOLDER", conflicts_with = "file")]
    out: Option<PathBuf>,

    /// Writes one file with all pages instead
    #[arg(long, value_name = "FILE", group = "file")]
    single: Option<PathBuf>,

    /// Writes the last position of a game as a picture instead; with --game
    #[arg(long, value_name = "FILE", group = "file", requires = "game")]
    svg: Option<PathBuf>,

    /// Only this game; with --single its replay, with --svg its position
    #[arg(long, value_name = "ID", requires = "file")]
    game: Option<GameId>,

    /// The picture shows the position after N plies; 0 for that before the first; with --svg
    #[arg(long, value_name = "N", requires = "svg", conflicts_with = "single", value_parser = whole::<usize>, allow_negative_numbers = true)]
    ply: Option<usize>,

    /// The picture moves: it shows the game up to that position, again and again; with --svg
    #[arg(long, requires = "svg", conflicts_with = "single")]
    moving: bool,

    /// Who will read the pages: staff (everything), public (no stderr, evidence, path or host), or
    /// an engine's name (besides, its own stderr and evidence)
    #[arg(long = "for", value_name = "public|staff|NAME", default_value = "staff")]
    audience: String,

    /// Shows no result: in no title, list, address or count
    #[arg(long)]
    hide_results: bool,

    /// The standings show the first N places; with --for NAME also that engine and three above it
    #[arg(long, value_name = "N", value_parser = whole::<usize>, allow_negative_numbers = true)]
    top: Option<usize>,

    /// How many games get a page, those lost by a fault first, then the last ones; or all
    #[arg(long, value_name = "N|all", value_parser = replays, default_value = "2000", allow_negative_numbers = true)]
    replays: Replays,

    /// The most positions that a search for one value of a replay looks at, in games without a
    /// table; 0 for no search
    #[arg(long, value_name = "N", default_value_t = reported::POSITIONS, value_parser = whole::<u64>, allow_negative_numbers = true)]
    positions: u64,

    #[command(flatten)]
    of: StageOption,
}

fn replays(text: &str) -> Result<Replays, String> {
    if text == "all" {
        return Ok(Replays::All);
    }
    text.parse().map(Replays::Most).map_err(|_| "write a number of games, 0 for none, or all".to_owned())
}

impl ReportArgs {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let (site, parts) = reported::parts(&self.directory, self.of.stage)?;
        let view = View {
            audience: reported::audience(&self.audience, &parts)?,
            hide_results: self.hide_results,
            top: self.top,
        };
        let search = ValueSearch { positions: self.positions, makes_tables: true };
        let asked = Asked { site, parts, view, replays: self.replays, search };
        let (written, what) = match (&self.single, &self.svg, self.game) {
            (None, Some(file), Some(id)) => {
                if self.hide_results && self.ply.is_none() {
                    return Err(Misuse::hinted(
                        "--hide-results: the last position of a game tells its result",
                        "say with --ply N which position is shown",
                    ));
                }
                settings::writable(file)?;
                foreign::refuse(file, foreign::PICTURE)?;
                pages::write_picture(&asked, id, self.ply, self.moving, file)?;
                (display_path(file), "a picture".to_owned())
            }
            (Some(file), _, game) => {
                settings::writable(file)?;
                foreign::refuse(file, foreign::PAGES)?;
                match game {
                    Some(id) => pages::write_game(&asked, id, file)?,
                    None => pages::write_single(&asked, file)?,
                }
                (display_path(file), "one file".to_owned())
            }
            _ => {
                let folder = self.out.clone().unwrap_or_else(|| beside(&self.directory));
                let files = pages::write_folder(&asked, &folder)?;
                (display_path(&folder.join("index.html")), format!("{files} files"))
            }
        };
        out(&format!("{written}: {what}\n"))?;
        Ok(ExitCode::SUCCESS)
    }
}

/// The usual folder: beside the run, so that the run's own files stay alone in theirs.
fn beside(directory: &Path) -> PathBuf {
    let absolute = std::fs::canonicalize(directory).unwrap_or_else(|_| directory.to_owned());
    let mut name = absolute.file_name().unwrap_or_default().to_owned();
    name.push("-report");
    match directory.file_name() {
        Some(_) => directory.with_file_name(name),
        // `.` and `..` have no name to be replaced.
        None => absolute.with_file_name(name),
    }
}
