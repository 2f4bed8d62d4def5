//! The games that the engines play: for each its seats, and how to read a position.

use std::fmt::Display;
use std::fs;
use std::sync::Arc;

use agon_games::abalone::{Abalone, AbalonePosition};
use agon_games::chess::{Chess, ChessPosition};
use agon_games::connect4::{self, ConnectFour};
use agon_games::letters::{self, Letters};
use agon_games::lexicon::Lexicon;
use agon_games::mill::{self, Mill};
use agon_games::mnk::{self, Mnk};
use agon_games::morris::{Morris, MorrisPosition};
use agon_games::{Position, Rules};
use agon_seats::Refusal;

/// Reads a position of a game with its options fixed.
type Read<P> = dyn Fn(&str) -> Result<P, String>;

/// One game with its options.
pub(crate) struct Table<P> {
    /// The game in the form of `--game`.
    pub(crate) spec: String,
    /// The names of the seats, the first one begins.
    pub(crate) seats: &'static [&'static str],
    read: Box<Read<P>>,
}

impl<P: Position> Table<P> {
    fn new(rules: &impl Rules, read: impl Fn(&str) -> Result<P, Refusal> + 'static) -> Self {
        let read = move |text: &str| read(text).map_err(|refusal| refusal.to_string());
        Table { spec: rules.spec(), seats: rules.seats(), read: Box::new(read) }
    }

    /// Reads a position; an empty text is the start position.
    pub(crate) fn read(&self, text: &str) -> Result<P, String> {
        let text = if text.trim().is_empty() { "startpos" } else { text };
        (self.read)(text).map_err(|why| format!("the position: {why}"))
    }
}

fn wrong(error: impl Display) -> String {
    error.to_string()
}

/// Four in a line in the cube.
pub(crate) fn mill(options: &str) -> Result<Table<mill::MillCube>, String> {
    let rules: Mill = options.parse().map_err(wrong)?;
    Ok(Table::new(&rules, str::parse))
}

/// m,n,k tic-tac-toe.
pub(crate) fn mnk(options: &str) -> Result<Table<mnk::MnkBoard>, String> {
    let rules: Mnk = options.parse().map_err(wrong)?;
    Ok(Table::new(&rules, move |text| rules.read(text)))
}

/// Abalone.
pub(crate) fn abalone(options: &str) -> Result<Table<AbalonePosition>, String> {
    let rules: Abalone = options.parse().map_err(wrong)?;
    Ok(Table::new(&rules, move |text| rules.position_from(text)))
}

/// Six or nine men's morris.
pub(crate) fn morris(options: &str) -> Result<Table<MorrisPosition>, String> {
    let rules: Morris = options.parse().map_err(wrong)?;
    Ok(Table::new(&rules, move |text| rules.position_from(text)))
}

/// Chess and Chess960.
pub(crate) fn chess(options: &str) -> Result<Table<ChessPosition>, String> {
    let rules: Chess = options.parse().map_err(wrong)?;
    Ok(Table::new(&rules, move |text| rules.position_from(text)))
}

/// Connect four.
pub(crate) fn connect4(options: &str) -> Result<Table<connect4::Grid>, String> {
    let rules: ConnectFour = options.parse().map_err(wrong)?;
    Ok(Table::new(&rules, str::parse))
}

/// The letter cube, with the words of the file `dictionary` in the working directory. The start
/// position is that of the file `board` beside it.
pub(crate) fn letters(options: &str) -> Result<Table<letters::Cube>, String> {
    let file = |name: &str| fs::read(name).map_err(|error| format!("the file {name}: {error}"));
    let lexicon = Arc::new(Lexicon::parse(&file("dictionary")?).map_err(wrong)?);
    let rules = Letters::with_options(options, lexicon.clone()).map_err(wrong)?;
    let read = move |text: &str| match text {
        "startpos" => {
            let board = file("board").map_err(Refusal::unreadable)?;
            let given = Letters::from_board(&board, lexicon.clone());
            Ok(given.map_err(|error| Refusal::unreadable(error.to_string()))?.position(0))
        }
        _ => letters::Cube::parse_text(text, lexicon.clone()),
    };
    Ok(Table::new(&rules, read))
}
