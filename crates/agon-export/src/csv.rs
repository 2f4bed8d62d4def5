//! `standings.csv`, `crosstable.csv`, `games.csv` and `seats.csv`, for spreadsheets and scripts.
//!
//! The columns are an interface: new ones may be added at the end, and none changes its meaning. A
//! row is a line. Numbers have a decimal point.

use std::borrow::Borrow;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

use agon_printable::decimal;
use agon_programs::program::display_path;
use agon_record::{GameRecord, PlayedElsewhere, SeatRecord, Verdict};
use agon_seats::{PerSeat, Seat};
use agon_standings::strengths::Strengths;
use agon_standings::table::{Crosstable, Row};
use anyhow::{Context, Result, ensure};
use chrono::SecondsFormat;

use super::cells::{CsvCell, CsvWriter};
use super::millis;
use super::standing_columns::{StandingColumn, columns_of};

/// More bytes than the head of `games.csv` for 256 seats takes.
const MOST_HEAD: u64 = 64 * 1024;

/// Writes `standings.csv`, one row per entrant, in the order given.
///
/// If games have more than two seats, the last columns are the average place and the games on each
/// place, alone or with others. Cells of tie-breaks by points of opponents are empty if points are
/// summed scores.
///
/// # Errors
/// The writer fails.
pub fn standings(rows: &[Row], to: impl Write) -> Result<()> {
    let mut out = CsvWriter::new(to);
    let columns = columns_of(rows);
    let mut head: Vec<String> = columns.iter().map(StandingColumn::name).collect();
    let places = places(rows);
    if places > 0 {
        head.push("average_place".to_owned());
        head.extend((1..=places).map(|place| format!("place_{place}")));
    }
    out.head(head)?;
    for row in rows {
        let mut cells: Vec<CsvCell> = columns.iter().map(|column| column.of(row).cell()).collect();
        if places > 0 {
            let finishes = &row.tally.finishes;
            cells.push(CsvCell::maybe(finishes.average().map(|place| decimal(place, 3))));
            cells.extend((1..=places).map(|place| CsvCell::exact(finishes.on(place))));
        }
        out.row(cells)?;
    }
    out.flush()
}

/// The number of places of a game; 0 if no game has more than two seats.
pub(super) fn places(rows: &[Row]) -> u8 {
    let counts = rows.iter().any(|row| row.tally.finishes.games() > 0);
    let seats = rows.iter().map(|row| row.tally.seats.len()).max().filter(|_| counts);
    seats.map_or(0, |seats| u8::try_from(seats).unwrap_or(u8::MAX))
}

/// Writes `ratings.csv`, one row per entrant, part by part, the strongest of each first. A row has
/// the Elo around 0 with its error bar, the error bar of resampled games if there is one, the
/// likelihood of superiority over the next entrant of its part, and the number of its part. An
/// entrant without a game has its name alone.
///
/// # Errors
/// The writer fails.
pub fn ratings(found: &Strengths, to: impl Write) -> Result<()> {
    let mut out = CsvWriter::new(to);
    out.head(["engine", "games", "elo", "error95", "drawn_anew95", "stronger_than_next", "part"])?;
    let number = |value: Option<f64>| CsvCell::maybe(value.map(|value| decimal(value, 1)));
    for (part, rows) in (1..).zip(found.parts.iter().map(|part| &part.rows)) {
        for row in rows {
            out.row([
                CsvCell::text(&row.entrant),
                CsvCell::exact(row.games),
                number(Some(row.elo)),
                number(Some(row.error)),
                number(row.drawn_anew),
                CsvCell::maybe(row.over_next.map(likelihood)),
                CsvCell::exact(part),
            ])?;
        }
    }
    for name in &found.unrated {
        let none = || CsvCell::maybe(None::<u64>);
        let cells = [CsvCell::text(name), CsvCell::exact(0), none(), none(), none(), none(), none()];
        out.row(cells)?;
    }
    out.flush()
}

/// A likelihood with four digits, or with more where these would say that it is certain.
fn likelihood(value: f64) -> String {
    let text = format!("{value:.4}");
    if ["0.0000", "1.0000"].contains(&text.as_str()) { format!("{value:.12}") } else { text }
}

/// Writes `crosstable.csv`, a row and a column per entrant. A cell is `3.5 (3-1-2)`: the points and
/// the games won, drawn and lost by the engine of the row. It is empty if the two have not met.
/// With more than two seats these are three other kinds of games. It was placed ahead of the other
/// engine, shared its place, or was placed behind it. It has a point for each of the first kind,
/// and half a point for each of the second.
///
/// # Errors
/// The writer fails.
pub fn crosstable(table: &Crosstable, to: impl Write) -> Result<()> {
    let mut out = CsvWriter::new(to);
    let names = || table.entrants.iter().map(|name| CsvCell::text(name));
    out.row(std::iter::once(CsvCell::exact("engine")).chain(names()))?;
    for (name, line) in names().zip(&table.cells) {
        // Points first: a spreadsheet reads `3-1-2` alone as a date.
        let cells = line.iter().map(|cell| {
            CsvCell::maybe(cell.as_ref().map(|cell| format!("{} ({})", cell.points, cell.games)))
        });
        out.row(std::iter::once(name).chain(cells))?;
    }
    out.flush()
}

/// Writes a whole `games.csv`, one row per game, in the order given, without the columns of engines
/// elsewhere.
///
/// # Errors
/// The writer fails, or a game's number of seats differs from that of the columns.
pub fn games<R: Borrow<GameRecord>>(
    records: impl IntoIterator<Item = R>,
    seats: usize,
    to: impl Write,
) -> Result<()> {
    let mut out = GamesCsv::new(to, RowsOfGame::One { seats, extra: ExtraColumns::default() })?;
    for record in records {
        out.put(record.borrow(), Counting::Yes)?;
    }
    out.flush()
}

/// Whether a decided game counts in the standings. A void game never does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counting {
    /// It does.
    Yes,
    /// It repeats an earlier game, and is not counted again.
    Repeat,
    /// It is of a play-off, which has numbers of its own.
    PlayOff,
}

impl Counting {
    /// What the column `counts` says of a game with this record.
    fn told(self, record: &GameRecord) -> &'static str {
        match (&record.verdict, self) {
            (Verdict::Void { .. }, _) => "void",
            (_, Counting::Yes) => "yes",
            (_, Counting::Repeat) => "repeat",
            (_, Counting::PlayOff) => "play-off",
        }
    }
}

/// The rows of a game in a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RowsOfGame {
    /// `games.csv`: one row, with columns for so many seats.
    One {
        /// The number of seats.
        seats: usize,
        /// The columns that few runs have.
        extra: ExtraColumns,
    },
    /// `seats.csv`: one row for each seat.
    EachSeat {
        /// The columns that few runs have; there is none of decisions.
        extra: ExtraColumns,
    },
}

/// Columns at the end of a table that few runs have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ExtraColumns {
    /// Whether engines played elsewhere.
    pub elsewhere: bool,
    /// Whether the organiser has decided about games.
    pub decisions: bool,
}

impl RowsOfGame {
    /// The names of the columns, none of which needs quotes.
    pub(super) fn head(self) -> Vec<String> {
        match self {
            RowsOfGame::One { seats, extra } => head(seats, extra),
            RowsOfGame::EachSeat { extra } => {
                let mut columns = SEAT_COLUMNS.map(str::to_owned).to_vec();
                columns.extend(ELSEWHERE.map(str::to_owned).into_iter().filter(|_| extra.elsewhere));
                columns
            }
        }
    }
}

/// `games.csv` or `seats.csv` during a run: the cost of a row does not depend on the length of the
/// file.
pub struct GamesCsv<W: Write> {
    out: CsvWriter<W>,
    rows: RowsOfGame,
}

impl<W: Write> GamesCsv<W> {
    /// A new file with its head.
    ///
    /// # Errors
    /// The writer fails.
    pub fn new(to: W, rows: RowsOfGame) -> Result<Self> {
        let mut out = CsvWriter::new(to);
        out.head(rows.head())?;
        Ok(GamesCsv { out, rows })
    }

    /// Adds the rows of a game. They may stay in memory until [`GamesCsv::flush`].
    ///
    /// # Errors
    /// The writer fails, or the game's number of seats differs from that of the columns.
    pub fn put(&mut self, record: &GameRecord, counting: Counting) -> Result<()> {
        let counts = counting.told(record);
        let (seats, extra) = match self.rows {
            RowsOfGame::One { seats, extra } => (seats, extra),
            RowsOfGame::EachSeat { extra } => {
                let rows = record.seats.seats().map(|seat| one_seat(record, seat, counts, extra.elsewhere));
                return rows.into_iter().try_for_each(|row| self.out.row(row));
            }
        };
        let found = record.seats.len();
        ensure!(found == seats, "game {} has {found} seats, but the file has columns for {seats}", record.id);
        self.out.row(game(record, counts, extra))
    }

    /// Hands all rows to the writer.
    ///
    /// # Errors
    /// The writer fails.
    pub fn flush(&mut self) -> Result<()> {
        self.out.flush()
    }
}

/// A `games.csv` or `seats.csv` that grows by whole games.
pub struct Growing {
    file: File,
    /// The end of its last whole row.
    end: u64,
    rows: RowsOfGame,
}

impl Growing {
    /// Appends to a file, or begins it. A last row that a crash has cut short is removed.
    ///
    /// # Errors
    /// The file cannot be opened or written, or has other columns; the message names it.
    pub fn append(path: &Path, rows: RowsOfGame) -> Result<Self> {
        Self::go_on(path, rows).with_context(|| format!("cannot append to {}", display_path(path)))
    }

    /// Syncs the file to the disk.
    ///
    /// # Errors
    /// Errors of the disk.
    pub fn sync(&self) -> Result<()> {
        Ok(self.file.sync_all()?)
    }

    fn go_on(path: &Path, rows: RowsOfGame) -> Result<Self> {
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        let end = end_of_last_line(&mut file)?;
        let names = rows.head().join(",");
        file.seek(SeekFrom::Start(0))?;
        let mut first = String::new();
        BufReader::new((&file).take(MOST_HEAD)).read_line(&mut first)?;
        // Checked before anything is cut off: the file may not be one of ours.
        let ours = if end == 0 { names.starts_with(&first) } else { first.trim_end() == names };
        ensure!(ours, "it has other columns; remove it, and agon writes it anew");
        file.set_len(end)?;
        file.seek(SeekFrom::Start(end))?;
        let mut growing = Growing { file, end, rows };
        if end == 0 {
            growing.write(|to| GamesCsv::new(to, rows).map(|_| ()))?;
        }
        Ok(growing)
    }

    /// Adds the rows of a game. When this returns, the system has them.
    ///
    /// # Errors
    /// The disk fails; then the file ends with the game before. Or as [`GamesCsv::put`].
    pub fn put(&mut self, record: &GameRecord, counting: Counting) -> Result<()> {
        let rows = self.rows;
        self.write(|to| {
            let mut out = GamesCsv { out: CsvWriter::new(to), rows };
            out.put(record, counting)?;
            out.flush()
        })
    }

    fn write(&mut self, fill: impl FnOnce(&mut Vec<u8>) -> Result<()>) -> Result<()> {
        let mut bytes = Vec::new();
        fill(&mut bytes)?;
        if let Err(error) = self.file.write_all(&bytes) {
            // A game is written whole or not at all. Even a full disk can shorten a file.
            let _ = self.file.set_len(self.end); // `append` does the same later
            return Err(error.into());
        }
        self.end += bytes.len() as u64;
        Ok(())
    }
}

/// The end of the last whole line. No cell has a newline, so a line is a row.
fn end_of_last_line(file: &mut File) -> Result<u64> {
    let mut end = file.metadata()?.len();
    let mut block = [0; 4096];
    while end > 0 {
        let length = end.min(block.len() as u64);
        let part = &mut block[..usize::try_from(length).expect("a block is small")];
        file.seek(SeekFrom::Start(end - length))?;
        file.read_exact(part)?;
        if let Some(at) = part.iter().rposition(|byte| *byte == b'\n') {
            return Ok(end - length + at as u64 + 1);
        }
        end -= length;
    }
    Ok(0)
}

/// The column names of `games.csv`, none of which needs quotes.
fn head(seats: usize, extra: ExtraColumns) -> Vec<String> {
    let every = |what: &str| -> Vec<String> {
        (0..seats).map(|seat| format!("{}_{what}", ordinal(Seat::new(seat)))).collect()
    };
    let fixed = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    [
        fixed(&["id", "round", "pairing", "game", "rules"]),
        every("engine"),
        every("side"),
        fixed(&["board_seed", "result", "termination", "reason", "plies"]),
        every("score"),
        every("time_ms"),
        every("longest_move_ms"),
        fixed(&["started", "finished", "result_text", "counts"]),
        ELSEWHERE.into_iter().filter(|_| extra.elsewhere).flat_map(every).collect(),
        fixed(if extra.decisions { &DECISIONS } else { &[] }),
    ]
    .concat()
}

fn ordinal(seat: Seat) -> String {
    match seat.index() {
        0 => "first".to_owned(),
        1 => "second".to_owned(),
        index => format!("seat_{}", index + 1),
    }
}

/// The column names of `seats.csv`.
const SEAT_COLUMNS: [&str; 15] = [
    "id",
    "round",
    "pairing",
    "game",
    "seat",
    "side",
    "engine",
    "place",
    "score",
    "time_ms",
    "longest_move_ms",
    "fault",
    "fault_times",
    "fault_reason",
    "counts",
];

/// What is told of a seat in runs with engines elsewhere.
const ELSEWHERE: [&str; 2] = ["elsewhere", "lag_ms"];

/// What is told of a game about which the organiser has decided; empty in the row of another one.
const DECISIONS: [&str; 4] = ["decision", "played_result", "played_termination", "played_reason"];

fn one_seat(record: &GameRecord, seat: Seat, counts: &'static str, elsewhere: bool) -> Vec<CsvCell> {
    let (id, own, decided) = (record.id, &record.seats[seat], record.decided());
    let fault = record.fault_of(seat);
    let times = record.seat_fault(seat).map(|own| own.times);
    let mut cells = vec![
        CsvCell::exact(id),
        CsvCell::exact(id.round),
        CsvCell::exact(id.pairing),
        CsvCell::exact(id.game),
        CsvCell::exact(seat.index() + 1),
        CsvCell::text(&own.side),
        CsvCell::text(&own.entrant),
        CsvCell::maybe(decided.map(|decided| decided.places[seat])),
        CsvCell::maybe(decided.map(|decided| decided.scores[seat])),
        CsvCell::exact(millis(own.time)),
        CsvCell::exact(millis(own.longest)),
        CsvCell::maybe(fault.as_ref().map(|(cause, _)| cause.name())),
        CsvCell::maybe(times.or(fault.as_ref().map(|_| 1))),
        CsvCell::text(&fault.map_or_else(String::new, |(_, why)| why.to_string())),
        CsvCell::exact(counts),
    ];
    if elsewhere {
        cells.extend([place(own), lag(own)]);
    }
    cells
}

fn game(record: &GameRecord, counts: &'static str, extra: ExtraColumns) -> Vec<CsvCell> {
    let scores = match &record.verdict {
        Verdict::Decided(decided) => decided.scores.map(|_, score| CsvCell::exact(score)),
        Verdict::Void { .. } => PerSeat::from_fn(record.seats.len(), |_| CsvCell::maybe(None::<i32>)),
    };
    let (termination, reason) = record.verdict.ended();
    let id = record.id;
    let moment =
        |at: chrono::DateTime<chrono::Utc>| CsvCell::exact(at.to_rfc3339_opts(SecondsFormat::Millis, true));
    let seats = || record.seats.values().iter();
    let mut cells = vec![
        CsvCell::exact(id),
        CsvCell::exact(id.round),
        CsvCell::exact(id.pairing),
        CsvCell::exact(id.game),
        CsvCell::text(&record.rules),
    ];
    cells.extend(seats().map(|seat| CsvCell::text(&seat.entrant)));
    cells.extend(seats().map(|seat| CsvCell::text(&seat.side)));
    cells.extend([
        CsvCell::exact(record.seed),
        CsvCell::exact(record.result()),
        CsvCell::exact(termination),
        CsvCell::text(&reason),
        CsvCell::exact(record.plies.len()),
    ]);
    cells.extend(scores.values().iter().cloned());
    cells.extend(seats().map(|seat| CsvCell::exact(millis(seat.time))));
    cells.extend(seats().map(|seat| CsvCell::exact(millis(seat.longest))));
    cells.extend([moment(record.started), moment(record.finished), CsvCell::text(&record.result_text())]);
    cells.push(CsvCell::exact(counts));
    if extra.elsewhere {
        cells.extend(seats().map(place));
        cells.extend(seats().map(lag));
    }
    if extra.decisions {
        cells.extend(decision(record));
    }
    cells
}

/// The decision about a game, and how it ended as it was played.
fn decision(record: &GameRecord) -> [CsvCell; 4] {
    let Some(ruling) = &record.ruling else { return [(); 4].map(|()| CsvCell::maybe(None::<u64>)) };
    let played = record.clone().as_played();
    let (termination, reason) = played.verdict.ended();
    [
        CsvCell::exact(ruling.decision.word()),
        CsvCell::exact(played.result()),
        CsvCell::exact(termination),
        CsvCell::text(&reason),
    ]
}

/// Where an engine played; empty if it played here.
fn place(seat: &SeatRecord) -> CsvCell {
    CsvCell::text(seat.elsewhere.as_ref().map_or("", PlayedElsewhere::place_or_elsewhere))
}

/// How much of its lag was allowed for; empty if it played here.
fn lag(seat: &SeatRecord) -> CsvCell {
    CsvCell::maybe(seat.elsewhere.as_ref().map(|_| millis(seat.allowed_lag())))
}

#[cfg(test)]
mod tests {
    use agon_standings::result::Cause;
    use std::fs;
    use std::time::Duration;

    use super::*;
    use agon_record::sample::{around, ended_by, game as sample, void};
    use agon_record::{Isolated, Lag};
    use agon_standings::Standings;
    use agon_standings::points::Points;
    use agon_standings::result::Termination;
    use agon_standings::scoring::Scoring;

    fn written(write: impl FnOnce(&mut Vec<u8>)) -> Vec<String> {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).unwrap().lines().map(str::to_owned).collect()
    }

    fn some() -> Standings {
        let mut standings = Standings::new(Points::CHESS, ["idle"]);
        let crash = Termination::Forfeit(Seat::SECOND, Cause::TimeForfeit);
        ended_by(sample(1, "alpha", "=cmd", "1-0"), crash, "no answer").count_in(&mut standings);
        sample(2, "=cmd", "alpha", "1/2-1/2").count_in(&mut standings);
        standings
    }

    #[test]
    fn the_standings_have_a_row_an_entrant() {
        let lines = written(|out| standings(&some().table(), out).unwrap());
        assert_eq!(
            lines,
            [
                "rank,engine,games,wins,draws,losses,points,percent,sonneborn_berger,score_for,score_against,\
                 won_by_forfeit,lost_normally,lost_by_adjudication,lost_by_illegal_move,lost_by_time_forfeit,\
                 lost_by_crash,lost_by_protocol,lost_by_closed_output,lost_by_output_limit,lost_by_stdin_blocked,\
                 lost_by_start_failed,lost_by_memory_limit,lost_by_process_limit,lost_by_cpu_limit,\
                 average_move_ms,longest_move_ms,direct_encounter,koya,progressive,byes,buchholz,\
                 buchholz_cut_1,buchholz_median,lost_by_pondering,lost_by_obstruction,void,black_wins,\
                 group,play_off_wins,play_off_draws,play_off_losses,\
                 fixed_low,fixed_high,any_time_low,any_time_high",
                "1,alpha,2,1,1,0,1.5,75.0,0.75,17,14,1,0,0,0,0,0,0,0,0,0,0,0,0,0,10.333,20.500,,0,1.5,,,,,0,0,0,0,,,,,28.6,91.4,0.0,100.0",
                "2,'=cmd,2,0,1,1,0.5,25.0,0.75,14,17,0,0,0,0,1,0,0,0,0,0,0,0,0,0,10.333,20.500,,0.5,0.5,,,,,0,0,0,0,,,,,8.6,71.4,0.0,100.0",
                "3,idle,0,0,0,0,0,,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,,0.000,,0,0,,,,,0,0,0,0,,,,,,,,",
            ]
        );
    }

    #[test]
    fn the_crosstable_has_points_and_games_in_each_cell() {
        let lines = written(|out| crosstable(&some().crosstable(), out).unwrap());
        assert_eq!(
            lines,
            ["engine,alpha,'=cmd,idle", "alpha,,1.5 (1-1-0),", "'=cmd,0.5 (0-1-1),,", "idle,,,"]
        );
    }

    #[test]
    fn of_three_seats_the_places_are_the_last_columns_and_a_cell_counts_who_was_ahead() {
        let record = |number, seats: [(&str, u8, i32); 3]| around(number, &seats);
        let games = [
            record(1, [("alpha", 1, 9), ("bravo", 2, 5), ("charlie", 3, -2)]),
            record(2, [("bravo", 2, 4), ("charlie", 1, 6), ("alpha", 2, 4)]),
        ];
        let mut all = Standings::new(Scoring::usual(3), ["idle"]);
        let mut summed = Standings::new(Scoring::Sum, ["idle"]);
        for game in &games {
            game.count_in(&mut all);
            game.count_in(&mut summed);
        }
        let lines = written(|out| standings(&all.table(), out).unwrap());
        assert!(lines[0].ends_with(",play_off_losses,average_place,place_1,place_2,place_3"), "{}", lines[0]);
        assert_eq!(
            lines[1],
            "1,alpha,2,1,0,1,2.5,62.5,4.25,13,13,0,1,0,0,0,0,0,0,0,0,0,0,0,0,15.000,20.500,,1,2.5,,,,,0,0,0,0,,,,,\
             1.750,1,1,0"
        );
        assert!(lines[4].starts_with("4,idle,") && lines[4].ends_with(",,0,0,0"), "{}", lines[4]);
        let lines = written(|out| standings(&summed.table(), out).unwrap());
        assert_eq!(
            lines[1],
            "1,alpha,2,1,0,1,13,,,13,13,0,1,0,0,0,0,0,0,0,0,0,0,0,0,15.000,20.500,,,13,,,,,0,0,0,0,,,,,1.750,1,1,0"
        );
        let lines = written(|out| crosstable(&all.crosstable(), out).unwrap());
        assert_eq!(
            lines,
            [
                "engine,alpha,charlie,bravo,idle",
                "alpha,,1 (1-0-1),1.5 (1-1-0),",
                "charlie,1 (1-0-1),,1 (1-0-1),",
                "bravo,0.5 (0-1-1),1 (1-0-1),,",
                "idle,,,,"
            ]
        );
    }

    #[test]
    fn a_game_is_a_row_and_a_void_one_has_no_scores() {
        let records =
            [sample(1, "alpha", "bravo", "1-0"), void(sample(2, "bravo", "alpha", "0-1"), "no disk")];
        let lines = written(|out| games(&records, 2, out).unwrap());
        assert_eq!(
            lines,
            [
                "id,round,pairing,game,rules,first_engine,second_engine,first_side,second_side,board_seed,result,\
                 termination,reason,plies,first_score,second_score,first_time_ms,second_time_ms,\
                 first_longest_move_ms,second_longest_move_ms,started,finished,result_text,counts",
                "r01-p0001-g01,1,1,1,letters:6x6x3,alpha,bravo,W,B,1234,1-0,normal,two passes in a row,3,12,9,\
                 30.000,30.000,20.500,20.500,2027-01-15T08:00:00.000Z,2027-01-15T08:00:01.250Z,12-9,yes",
                "r01-p0001-g02,1,1,2,letters:6x6x3,bravo,alpha,W,B,1234,*,void,no disk,3,,,\
                 30.000,30.000,20.500,20.500,2027-01-15T08:00:00.000Z,2027-01-15T08:00:01.250Z,*,void",
            ]
        );
    }

    #[test]
    fn what_engines_and_files_are_called_is_no_formula_in_a_game() {
        let mut record = ended_by(sample(1, "=1+1", "bravo", "0-1"), Termination::Normal, "@SUM(A1)");
        record.rules = "-rules".to_owned();
        let mut out = Vec::new();
        games([&record], 2, &mut out).unwrap();
        let row = csv::Reader::from_reader(&out[..]).records().next().unwrap().unwrap();
        assert_eq!((&row[4], &row[5], &row[12]), ("'-rules", "'=1+1", "'@SUM(A1)"));
    }

    #[test]
    fn a_negative_score_is_a_number_and_stays_one() {
        let mut record = sample(1, "alpha", "bravo", "0-1");
        if let Verdict::Decided(decided) = &mut record.verdict {
            decided.scores = PerSeat::two(-7, 7);
        }
        assert!(written(|out| games([&record], 2, out).unwrap())[1].contains(",3,-7,7,"));
    }

    #[test]
    fn a_file_is_gone_on_with_and_a_torn_row_is_taken_off() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("games.csv");
        let records: Vec<GameRecord> = (1..=4).map(|n| sample(n, "alpha", "bravo", "1-0")).collect();
        for record in &records[..2] {
            let mut out =
                Growing::append(&path, RowsOfGame::One { seats: 2, extra: ExtraColumns::default() }).unwrap();
            out.put(record, Counting::Yes).unwrap();
        }
        let mut torn = fs::read(&path).unwrap();
        torn.extend_from_slice(b"r01-p0002-g01,1,2");
        torn.extend_from_slice(&[b'x'; 10_000]);
        fs::write(&path, torn).unwrap();
        let mut out =
            Growing::append(&path, RowsOfGame::One { seats: 2, extra: ExtraColumns::default() }).unwrap();
        records[2..].iter().for_each(|record| out.put(record, Counting::Yes).unwrap());
        let mut whole = Vec::new();
        games(&records, 2, &mut whole).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), String::from_utf8(whole).unwrap());
    }

    #[test]
    fn a_file_with_other_columns_is_not_touched() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("games.csv");
        for theirs in ["id,winner\n1,alpha\n2,br", "my notes"] {
            fs::write(&path, theirs).unwrap();
            let error = Growing::append(&path, RowsOfGame::One { seats: 2, extra: ExtraColumns::default() })
                .err()
                .unwrap();
            assert!(format!("{error:#}").contains("games.csv: it has other columns"), "{error:#}");
            assert_eq!(fs::read_to_string(&path).unwrap(), theirs);
        }
        fs::write(&path, "id,round,pai").unwrap();
        assert!(Growing::append(&path, RowsOfGame::One { seats: 2, extra: ExtraColumns::default() }).is_ok());
    }

    #[test]
    fn each_seat_has_a_row_with_its_place() {
        let records = [
            around(1, &[("alpha", 1, 9), ("=cmd", 2, -5), ("charlie", 2, -5)]),
            void(around(2, &[("charlie", 1, 9), ("alpha", 2, 5), ("=cmd", 3, 0)]), "no disk"),
        ];
        let lines = written(|out| {
            let mut rows =
                GamesCsv::new(out, RowsOfGame::EachSeat { extra: ExtraColumns::default() }).unwrap();
            records.iter().for_each(|record| rows.put(record, Counting::Yes).unwrap());
            rows.flush().unwrap();
        });
        let head =
            "id,round,pairing,game,seat,side,engine,place,score,time_ms,longest_move_ms,fault,fault_times,";
        assert_eq!(lines[0], format!("{head}fault_reason,counts"));
        assert!(
            lines[2].starts_with("r01-p0001-g01,1,1,1,2,") && lines[2].contains(",'=cmd,2,-5,"),
            "{lines:?}"
        );
        assert!(
            lines[4].starts_with("r01-p0001-g02,1,1,2,1,") && lines[4].contains(",charlie,,,"),
            "{lines:?}"
        );
        assert_eq!(lines.len(), 7);
    }

    #[test]
    fn where_an_engine_played_elsewhere_the_last_columns_say_so() {
        let mut record = around(1, &[("alpha", 1, 9), ("bravo", 2, 5), ("charlie", 3, -2)]);
        let (measured, allowed) = (Duration::from_micros(23_400), Duration::from_millis(20));
        record.seats[Seat::SECOND].elsewhere = Some(PlayedElsewhere {
            place: Some("=lab".to_owned()),
            isolation: Isolated { level: "limits".to_owned(), in_force: Vec::new() },
            lag: Some(Lag { measured, allowed }),
        });
        let rows = |rows: RowsOfGame| {
            written(|out| {
                let mut table = GamesCsv::new(out, rows).unwrap();
                table.put(&record, Counting::Yes).unwrap();
                table.flush().unwrap();
            })
        };
        let extra = ExtraColumns { elsewhere: true, decisions: false };
        let games = rows(RowsOfGame::One { seats: 3, extra });
        assert!(games[0].ends_with(
            "result_text,counts,first_elsewhere,second_elsewhere,seat_3_elsewhere,first_lag_ms,second_lag_ms,seat_3_lag_ms"
        ));
        assert!(games[1].ends_with(",,'=lab,,,20.000,"), "{}", games[1]);
        let seats = rows(RowsOfGame::EachSeat { extra });
        assert!(seats[0].ends_with(",fault_reason,counts,elsewhere,lag_ms"), "{}", seats[0]);
        assert!(seats[1].ends_with(",,") && seats[2].ends_with(",'=lab,20.000"), "{seats:?}");
    }

    #[test]
    fn a_game_with_more_seats_than_columns_is_refused() {
        let mut out =
            GamesCsv::new(Vec::new(), RowsOfGame::One { seats: 3, extra: ExtraColumns::default() }).unwrap();
        let error = out.put(&sample(1, "alpha", "bravo", "1-0"), Counting::Yes).unwrap_err();
        assert_eq!(error.to_string(), "game r01-p0001-g01 has 2 seats, but the file has columns for 3");
    }
}
