//! `agon report`: pages of a run that open in any browser.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use agon_config::{Misuse, whole};
use agon_export::{atomic, foreign};
use agon_match::keeper::Hindrance;
use agon_pages::pages::{self, Asked, PictureFiles, Replays, ValueSearch, View};
use agon_programs::program::display_path;
use agon_raster::{FontFault, FontFiles, Lettering};
use agon_standings::result::GameId;
use agon_tournament::competition::{reported, settings};
use clap::{ArgGroup, Args};

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
#[command(group = ArgGroup::new("file").multiple(true), group = ArgGroup::new("picture").multiple(true))]
#[command(after_help = "\
Examples:
  agon report results
  agon report results --out /var/www/agon --for public
  agon report results --single results.html
  agon report results --game r01-p0001-g01 --single game.html
  agon report results --game r01-p0001-g01 --ply 17 --svg board.svg
  agon report results --game r01-p0001-g01 --moving --gif game.gif
  agon report cup --for public --hide-results")]
pub(crate) struct ReportArgs {
    /// The directory of the run, or of a cup
    #[arg(value_name = "DIR", default_value = "agon-run")]
    directory: PathBuf,

    /// The folder of the pages; it is replaced if agon report wrote it [default: DIR-report]
    #[arg(long, value_name = "FOLDER", conflicts_with = "file")]
    out: Option<PathBuf>,

    /// Writes one file with all pages instead
    #[arg(long, value_name = "FILE", group = "file", conflicts_with = "picture")]
    single: Option<PathBuf>,

    /// Writes the last position of a game as a picture instead; with --game
    #[arg(long, value_name = "FILE", groups = ["file", "picture"], requires = "game")]
    svg: Option<PathBuf>,

    /// The same picture for mails, chats and slides, which show no SVG; it needs a font
    #[arg(long, value_name = "FILE", groups = ["file", "picture"], requires = "game")]
    gif: Option<PathBuf>,

    /// The font of the texts of --gif, alone: TrueType or OpenType [default: one of this machine]
    #[arg(long, value_name = "FILE", requires = "gif")]
    font: Option<PathBuf>,

    /// Only this game; with --single its replay, with --svg and --gif its position
    #[arg(long, value_name = "ID", requires = "file")]
    game: Option<GameId>,

    /// The picture shows the position after N plies; 0 for that before the first; with --svg, --gif
    #[arg(long, value_name = "N", requires = "picture", conflicts_with = "single", value_parser = whole::<usize>, allow_negative_numbers = true)]
    ply: Option<usize>,

    /// The picture moves: it shows the game up to that position, again and again; with --svg, --gif
    #[arg(long, requires = "picture", conflicts_with = "single")]
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
        if let (Some(id), true) = (self.game, self.svg.is_some() || self.gif.is_some()) {
            return self.pictures(&asked, id);
        }
        let (written, what) = match &self.single {
            Some(file) => {
                settings::writable(file)?;
                foreign::refuse(file, foreign::PAGES)?;
                match self.game {
                    Some(id) => pages::write_game(&asked, id, file)?,
                    None => pages::write_single(&asked, file)?,
                }
                (display_path(file), "one file".to_owned())
            }
            None => {
                let folder = self.out.clone().unwrap_or_else(|| beside(&self.directory));
                let files = pages::write_folder(&asked, &folder)?;
                (display_path(&folder.join("index.html")), format!("{files} files"))
            }
        };
        out(&format!("{written}: {what}\n"))?;
        Ok(ExitCode::SUCCESS)
    }

    /// Writes one game as pictures.
    fn pictures(&self, asked: &Asked, id: GameId) -> anyhow::Result<ExitCode> {
        if self.hide_results && self.ply.is_none() {
            return Err(Misuse::hinted(
                "--hide-results: the last position of a game tells its result",
                "say with --ply N which position is shown",
            ));
        }
        let files = [(&self.svg, foreign::PICTURE), (&self.gif, foreign::GIF)];
        let files = files.iter().filter_map(|(file, kind)| Some((file.as_deref()?, *kind)));
        for (file, kind) in files.clone() {
            settings::writable(file)?;
            foreign::refuse(file, kind)?;
        }
        if self.svg.as_deref().map(place) == self.gif.as_deref().map(place) {
            return Err(Misuse::hinted("--svg and --gif name the same file", "give each a name of its own"));
        }
        let gif = match &self.gif {
            Some(file) => Some((file.as_path(), lettering(self.font.as_deref())?)),
            None => None,
        };
        let svg = self.svg.as_deref();
        pages::write_pictures(asked, id, PictureFiles { ply: self.ply, is_moving: self.moving, svg, gif })?;
        for (file, _) in files {
            out(&format!("{}: a picture\n", display_path(file)))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Where a file is or would be, however its path is written.
fn place(file: &Path) -> PathBuf {
    let folder = std::fs::canonicalize(atomic::parent(file)).unwrap_or_default();
    folder.join(file.file_name().unwrap_or_default())
}

/// The signs of this font, or of the fonts of this machine.
fn lettering(font: Option<&Path>) -> anyhow::Result<Lettering> {
    let other = "name a file in TrueType or OpenType with --font FILE";
    let files = match font {
        Some(file) => FontFiles::of_file(file)
            .map_err(|why| Misuse::hinted(format!("--font {}: {why}", display_path(file)), other))?,
        None => FontFiles::of_machine().map_err(|why: FontFault| Hindrance {
            what: format!("--gif has texts to draw, and {why}"),
            hint: format!("install one, with apt-get install fonts-dejavu-core on Debian, or {other}"),
        })?,
    };
    Ok(Lettering::new(files))
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
