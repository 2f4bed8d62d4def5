//! `agon replay`: plays a recorded game again and checks it.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use agon_audit::hosted::{RefereedGames, Unchecked};
use agon_config::{Misuse, Options, Seconds, whole};
use agon_export::notation::{self, Notation, player_tag};
use agon_export::replay::{self, Replay};
use agon_games::{Rules, Unfilmed, film};
use agon_match::keeper::RunContext;
use agon_match::{hosted, openings};
use agon_pages::report::terminal::TableLook;
use agon_pages::report::{drawing, hosted as shown};
use agon_printable::{clean, counted, escape};
use agon_programs::program::display_path;
use agon_record::GameRecord;
use agon_seats::{Seat, TimeControl};
use agon_standings::result::GameId;
use agon_store::{Filter, Store};
use agon_tournament::competition::settings;
use clap::Args;

use crate::cli::games::as_engine::AsEngineOption;
use crate::cli::out;
use crate::cli::results::play_on;
use crate::cli::stage_option::StageOption;

/// The largest record file, in bytes.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// Plays a recorded game again, checks it and shows it
///
/// It checks every move, the points and the result.
///
/// The record is a file of games/ in a run's directory, or one written by hand in the same form. It
/// may also be given as a run's directory and the number of a game in its database. All games of a
/// file are checked, and the one with the number is shown. Of a game of a referee program, the
/// lines of the referee are shown, from a run's directory. Exit code 2: the record is wrong, and
/// the message names the line and the move.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon replay agon-run r01-p0001-g01 --ply 12
  agon replay agon-run/games/r01.txt
  agon replay agon-run/games/r01.txt r01-p0001-g01
  agon replay agon-run r01-p0001-g01 --frames
  agon replay agon-run r01-p0001-g01 --from 12 --engine ./mine --engine ./theirs
  agon replay agon-run r01-p0001-g01 --seat 2
  agon replay agon-run r01-p0001-g01 --ply 12 --as-engine ./mine --side X
  agon replay agon-run r01-p0001-g01 --ply 12 --as-engine ./mine --side X --input | ./mine/run X 3 3 3 5
  agon replay game.txt --game abalone --quiet")]
pub(crate) struct ReplayedArgs {
    /// The record, or the directory of a run
    #[arg(value_name = "FILE|DIR")]
    file: PathBuf,

    /// The number of the game
    #[arg(value_name = "ID")]
    id: Option<GameId>,

    /// Shows the position after this number of plies instead of the last one
    #[arg(long, value_name = "N", value_parser = whole::<usize>, allow_negative_numbers = true)]
    ply: Option<usize>,

    /// Prints the board as a diagram and what each ply changes on it, for programs that draw the
    /// game
    #[arg(long, conflicts_with_all = ["ply", "quiet", "as_engine"])]
    frames: bool,

    /// Shows only what this seat was told and asked, and what it answered, in a game of a referee
    /// program. SEAT is the number of the seat, or its name
    #[arg(long, value_name = "SEAT", conflicts_with_all = ["ply", "quiet", "frames", "as_engine"])]
    seat: Option<String>,

    /// Plays the game on from the position after this number of plies, by --engine
    #[arg(
        long,
        value_name = "PLY",
        requires = "engine",
        conflicts_with_all = ["ply", "quiet", "frames", "as_engine"],
        value_parser = whole::<usize>,
        allow_negative_numbers = true
    )]
    from: Option<usize>,

    /// The engine that plays on, on both sides; given twice, one for each side in order of play
    #[arg(long, value_name = "ENGINE", requires = "from")]
    engine: Vec<PathBuf>,

    /// Seconds for each move that is played on [default: 5]
    #[arg(long, value_name = "SECONDS", requires = "from", allow_negative_numbers = true)]
    st: Option<Seconds>,

    #[command(flatten)]
    told: AsEngineOption,

    /// Prints nothing if the record is right
    #[arg(long, short, conflicts_with = "as_engine")]
    quiet: bool,

    /// The game, for a record without a tag Game
    #[arg(long, value_name = "GAME")]
    game: Option<String>,

    /// The word list of the letter cube [default: a built-in list of English words]
    #[arg(long, value_name = "FILE")]
    dictionary: Option<PathBuf>,

    #[command(flatten)]
    of: StageOption,
}

/// The record of one game in a file or in the database of a directory, and the rules of its game.
/// `asked` is the game for a record without a tag `Game`; `stage` is the stage of a cup's
/// directory.
pub(crate) fn recorded(
    file: &Path,
    id: Option<GameId>,
    asked: Option<&str>,
    dictionary: Option<&Path>,
    stage: Option<usize>,
) -> anyhow::Result<(Notation, Arc<dyn Rules>)> {
    let record = match id {
        Some(id) if file.is_dir() => stored(file, id, stage)?,
        None if file.is_dir() => {
            return Err(Misuse::hinted(
                format!("{} is a directory with many games", display_path(file)),
                "give the number of one, as agon games lists them",
            ));
        }
        id => one_of(file, read(file)?, id)?,
    };
    let rules = rules_of(file, &record, asked, dictionary)?;
    Ok((record, rules))
}

/// The game with this number, or the only one.
fn one_of(file: &Path, mut records: Vec<Notation>, id: Option<GameId>) -> anyhow::Result<Notation> {
    let place = display_path(file);
    let count = records.len();
    match id {
        None if count == 1 => Ok(records.remove(0)),
        None => Err(Misuse::hinted(
            format!("{place}: it has {count} games"),
            format!(
                "give the number of one, like {}",
                clean(records[0].tag("Id").unwrap_or("r01-p0001-g01"))
            ),
        )),
        Some(id) => {
            let found = records.into_iter().find(|record| record.tag("Id") == Some(&id.to_string()));
            found.ok_or_else(|| {
                Misuse::hinted(
                    format!("{place}: none of its {count} games is {id}"),
                    "give a number from one of its tags Id",
                )
            })
        }
    }
}

/// The records in a file.
fn read(file: &Path) -> anyhow::Result<Vec<Notation>> {
    let wrong = |why: String| Misuse::misread(&display_path(file), &why);
    let bytes = settings::read(file, MAX_BYTES, "a game's record")?;
    let text = std::str::from_utf8(&bytes).map_err(|error| {
        let line = bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count() + 1;
        wrong(format!("line {line}: it has a byte that is not UTF-8; save the file as UTF-8"))
    })?;
    notation::read_all(text).map_err(|error| {
        let has = |tag: &str| text.lines().any(|line| line.starts_with(tag));
        let what = format!("{}: {error}", display_path(file));
        match has("[White \"") && !has("[Game \"") {
            true => Misuse::hinted(
                what,
                "if this is PGN of chess, agon replay does not read it: give games/rNN.txt of its run, or the \
                 directory of the run and the game's number; as openings, --openings takes PGN",
            ),
            false => Misuse::error(what),
        }
    })
}

/// The record of a game from the database of a directory, as text.
fn stored(directory: &Path, id: GameId, stage: Option<usize>) -> anyhow::Result<Notation> {
    let record = stored_record(directory, id, stage)?;
    notation::read(&notation::write(&record, "replay")).map_err(|error| Misuse::error(error.to_string()))
}

/// The record of a game from the database of a directory.
fn stored_record(directory: &Path, id: GameId, stage: Option<usize>) -> anyhow::Result<GameRecord> {
    let mut found = Vec::new();
    for run in (StageOption { stage }).runs(directory)? {
        Store::read(&run.path)?.games(&Filter { id: Some(id), ..Filter::default() }, |stored| {
            found.push((run.number, stored.record));
            Ok(())
        })?;
    }
    if found.len() > 1 {
        let stages: Vec<String> =
            found.iter().map(|(number, _)| format!("--stage {}", number.unwrap_or(0))).collect();
        return Err(Misuse::hinted(
            format!("{}: several stages have a game {id}", display_path(directory)),
            format!("give {}", stages.join(" or ")),
        ));
    }
    found.pop().map(|(_, record)| record).ok_or_else(|| {
        Misuse::hinted(
            format!("{}: there is no game {id} that counts", display_path(directory)),
            "agon games lists the games",
        )
    })
}

/// The game of a referee program with this number, if it is one.
fn refereed(directory: &Path, id: GameId, stage: Option<usize>) -> anyhow::Result<Option<GameRecord>> {
    let mut any = false;
    for run in (StageOption { stage }).runs(directory)? {
        any |= Store::read(&run.path)?.has_refereed_games()?;
    }
    if !any {
        return Ok(None);
    }
    Ok(Some(stored_record(directory, id, stage)?).filter(|record| record.referee.is_some()))
}

/// Whether all runs in a directory are over, so that no game is to come with the secrets of these.
fn are_over(directory: &Path, stage: Option<usize>) -> anyhow::Result<bool> {
    for run in (StageOption { stage }).runs(directory)? {
        let store = Store::read(&run.path)?;
        if !store.status(store.stage()?.as_ref())?.is_over {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The rules that a record names, or those of `--game`.
fn rules_of(
    file: &Path,
    record: &Notation,
    asked: Option<&str>,
    dictionary: Option<&Path>,
) -> anyhow::Result<Arc<dyn Rules>> {
    let wrong = |why: String| Misuse::misread(&display_path(file), &why);
    if record.found("Referee").is_some() {
        let id = clean(record.tag("Id").unwrap_or("ID"));
        return Err(Misuse::hinted(
            format!(
                "{}: {id} was refereed by a program, which alone knows its positions",
                display_path(file)
            ),
            format!("agon replay DIR {id} shows it, with the directory of its run"),
        ));
    }
    let game = match (record.found("Game"), asked) {
        (Some(tag), Some(asked)) if tag.value != *asked => {
            return Err(wrong(format!(
                "line {}: the tag Game says \"{}\", but --game {asked}; leave --game out",
                tag.line,
                clean(&tag.value)
            )));
        }
        (Some(tag), _) => tag.value.clone(),
        (None, Some(asked)) => asked.to_owned(),
        (None, None) => {
            return Err(wrong("there is no tag Game; name the game with --game".to_owned()));
        }
    };
    settings::built_in(&Options {
        game: Some(game.into()),
        dictionary: dictionary.map(Path::to_owned),
        ..Options::default()
    })
    .map_err(|error| match record.found("Game") {
        Some(tag) => wrong(format!("line {}: {error}", tag.line)),
        None => error,
    })
}

/// The time control of a side in the tag of a record: `st=5 margin=0.02`, or `X st=5, O tc=60`
/// where they differ.
fn control_of(tag: &str, side: &str) -> Option<TimeControl> {
    let own = tag.split(", ").find_map(|part| part.strip_prefix(side)?.strip_prefix(' '));
    own.unwrap_or(tag).split(' ').next()?.parse().ok()
}

/// The seat with this number or name.
fn seat_of(record: &GameRecord, asked: &str) -> anyhow::Result<Seat> {
    let named = record.seats.iter().find(|(_, own)| own.side == asked).map(|(seat, _)| seat);
    let number = asked.parse::<usize>().ok().filter(|number| (1..=record.seats.len()).contains(number));
    named.or(number.map(|number| Seat::new(number - 1))).ok_or_else(|| {
        let sides: Vec<String> = record.seats.values().iter().map(|seat| clean(&seat.side)).collect();
        Misuse::misread(
            "--seat",
            &format!("there is no seat {}; the seats are {}", escape(asked.as_bytes(), 40), sides.join(", ")),
        )
    })
}

impl ReplayedArgs {
    /// Whether engines are started.
    pub(crate) fn plays_on(&self) -> bool {
        self.from.is_some()
    }

    /// Plays the game on from one of its positions.
    pub(crate) fn play_on(&self, context: &RunContext) -> anyhow::Result<ExitCode> {
        let (game, dictionary) = (self.game.as_deref(), self.dictionary.as_deref());
        let (record, rules) = recorded(&self.file, self.id, game, dictionary, self.of.stage)?;
        let plies = self.from.unwrap_or(0);
        let most = record.plies.len();
        if plies > most {
            let place = display_path(&self.file);
            let why = format!("--from {plies}: the game has {}; give at most that", counted(most, "ply"));
            return Err(Misuse::misread(&place, &why));
        }
        let replay = replay::play(&record, rules.as_ref(), plies)
            .map_err(|error| Misuse::error(format!("{}: {error}", display_path(&self.file))))?;
        let start = replay::begin(&record, rules.as_ref())
            .map_err(|error| Misuse::error(format!("{}: {error}", display_path(&self.file))))?;
        let opening = openings::no_moves(&start.text(), rules.as_ref()).map(|_| replay.moves);
        play_on::play_on(context, &rules, replay.game, opening, plies, &self.engine, self.st)
    }

    pub(crate) fn run(&self) -> anyhow::Result<ExitCode> {
        let wrong = |why: String| Misuse::misread(&display_path(&self.file), &why);
        if let (Some(id), true) = (self.id, self.file.is_dir())
            && let Some(record) = refereed(&self.file, id, self.of.stage)?
        {
            return self.show_refereed(&record);
        }
        if self.seat.is_some() {
            let why = "is for games of referee programs; leave it out".to_owned();
            return Err(Misuse::misread("--seat", &why));
        }
        let (asked, dictionary) = (self.game.as_deref(), self.dictionary.as_deref());
        let (record, rules) = if self.file.is_dir() {
            recorded(&self.file, self.id, asked, dictionary, self.of.stage)?
        } else {
            let records = read(&self.file)?;
            let many = records.len() > 1;
            if many {
                self.check(&records)?;
            }
            if many && self.id.is_none() && self.ply.is_none() && !self.frames {
                let checked = format!(
                    "{} games: every move is legal, and all tags, points and results are correct.\n",
                    records.len()
                );
                return if self.quiet {
                    Ok(ExitCode::SUCCESS)
                } else {
                    out(&checked).map(|()| ExitCode::SUCCESS)
                };
            }
            let record = one_of(&self.file, records, self.id)?;
            let rules = rules_of(&self.file, &record, asked, dictionary)?;
            (record, rules)
        };
        let whole = replay::verify(&record, rules.as_ref())
            .map_err(|error| Misuse::error(format!("{}: {error}", display_path(&self.file))))?;
        if self.frames {
            return self.film(&record, rules.as_ref(), &whole.moves);
        }
        let plies = record.plies.len();
        let ply = self.ply.unwrap_or(plies);
        if ply > plies {
            return Err(wrong(format!(
                "--ply {ply}: the game has {}; give at most that",
                counted(plies, "ply")
            )));
        }
        if let Some(engine) = self.told.engine() {
            let start = replay::begin(&record, rules.as_ref())
                .map_err(|error| Misuse::error(format!("{}: {error}", display_path(&self.file))))?;
            let control = |side: &str| control_of(record.tag("TimeControl")?, side);
            let moves = &whole.moves[..ply];
            return self.told.show(engine, rules.as_ref(), &start.text(), moves, control);
        }
        if !self.quiet {
            let look = TableLook::of(&std::io::stdout());
            let text = self.show(&record, rules.as_ref(), &whole, ply, look);
            crate::cli::out_bytes(text.as_bytes())?;
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Shows a game of a referee program, without the program.
    fn show_refereed(&self, record: &GameRecord) -> anyhow::Result<ExitCode> {
        let place = display_path(&self.file);
        let Some(referee) = &record.referee else { return Ok(ExitCode::SUCCESS) };
        if self.told.engine().is_some() {
            return Err(Misuse::hinted(
                "--as-engine: the positions of this game are known to its referee program alone",
                "give --seat, which shows what a seat was told",
            ));
        }
        if self.ply.is_some() {
            return Err(Misuse::hinted(
                "--ply: the positions of this game are known to its referee program alone",
                "leave it out, or give --frames if the referee draws",
            ));
        }
        if self.frames {
            let is_open = are_over(&self.file, self.of.stage)?;
            let film = match hosted::drawing(&referee.lines, is_open) {
                Ok(film) => film.filter(|film| !film.diagram.slots.is_empty()),
                Err(error) => return Err(Misuse::error(format!("{place}: {}: {error}", record.id))),
            };
            if !is_open && film.as_ref().is_some_and(|film| !film.diagram.hands.is_empty()) {
                let why = "games to come have the same, so it is open when the run is over";
                crate::cli::say(&format!("note: what hands hold is not in these frames: {why}"));
            }
            return match film {
                Some(film) => out(&film.to_string()).map(|()| ExitCode::SUCCESS),
                None => Err(Misuse::hinted(
                    format!("{place}: {}: its referee has drawn nothing", record.id),
                    "leave --frames out to see its lines",
                )),
            };
        }
        match RefereedGames::by_lines_alone().check(record) {
            Ok(_) => {}
            Err(Unchecked::Wrong(difference)) => {
                return Err(Misuse::error(format!("{place}: {}: {difference}", record.id)));
            }
            Err(Unchecked::Trouble(error)) => return Err(error),
        }
        if self.quiet {
            return Ok(ExitCode::SUCCESS);
        }
        let text = match &self.seat {
            Some(asked) => shown::view(record, referee, seat_of(record, asked)?),
            None => shown::steps(record, referee, &|_| true) + &shown::fault(referee),
        };
        out(&format!(
            "{}{text}\nThe moves and the result follow from these lines; agon verify referees them again.\n",
            shown::head(record, referee)
        ))?;
        Ok(ExitCode::SUCCESS)
    }

    /// Prints the frames of a verified game.
    fn film(&self, record: &Notation, rules: &dyn Rules, moves: &[String]) -> anyhow::Result<ExitCode> {
        let place = display_path(&self.file);
        let moves = moves.iter().map(String::as_str);
        match film(rules, record.tag("Start").unwrap_or("startpos"), moves) {
            Ok(film) => out(&film.to_string()).map(|()| ExitCode::SUCCESS),
            Err(error @ Unfilmed::TooLarge) => Err(Misuse::hinted(
                format!("{place}: {error}"),
                "leave --frames out to see the board as text",
            )),
            Err(error) => Err(Misuse::misread(&place, &error.to_string())),
        }
    }

    /// Plays every game of a file again.
    fn check(&self, records: &[Notation]) -> anyhow::Result<()> {
        let wrong = |why: String| Misuse::error(format!("{}: {why}", display_path(&self.file)));
        // Most files are of one game, whose dictionary is read only once.
        let mut known: Option<(Option<String>, Arc<dyn Rules>)> = None;
        for record in records {
            let game = record.tag("Game").map(str::to_owned);
            let rules = match known {
                Some((of, rules)) if of == game => rules,
                _ => rules_of(&self.file, record, self.game.as_deref(), self.dictionary.as_deref())?,
            };
            replay::verify(record, rules.as_ref()).map_err(|error| wrong(error.to_string()))?;
            known = Some((game, rules));
        }
        Ok(())
    }

    fn show(
        &self,
        record: &Notation,
        rules: &dyn Rules,
        whole: &Replay,
        ply: usize,
        look: TableLook,
    ) -> String {
        let players: Vec<String> = rules
            .seats()
            .iter()
            .map(|side| format!("{side} {}", clean(record.tag(player_tag(side)).unwrap_or("?"))))
            .collect();
        let result = record.tag("Result").unwrap_or("*");
        let mut out = format!(
            "{}: {}: {}, {}, {}\n",
            rules.spec(),
            players.join(" - "),
            clean(result),
            whole.ending,
            counted(whole.moves.len(), "ply")
        );
        if let Some(mv) = ply.checked_sub(1).and_then(|last| whole.moves.get(last)) {
            let moves = whole.moves.iter().map(String::as_str);
            let shown =
                agon_games::shown_moves(&rules.spec(), record.tag("Start").unwrap_or("startpos"), moves);
            let shown = shown.and_then(|all| {
                let (side, _) = mv.split_once(',')?;
                Some(format!("{side},{}", all.get(ply - 1)?))
            });
            out.push_str(&format!("after ply {ply}, {}\n", shown.as_deref().unwrap_or(mv)));
        }
        let at = |plies| replay::play(record, rules, plies).expect("the whole game has been played").game;
        let before = ply.checked_sub(1).map(|before| at(before).draw());
        out.push('\n');
        out.push_str(&drawing::position(at(ply).as_ref(), rules, before.as_deref(), look));
        out.push_str("\nEvery move is legal, and all tags, points and results are correct.\n");
        out
    }
}
