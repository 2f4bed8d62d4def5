//! The standings and the losses by fault, as tables on a terminal.

use std::fmt::Write;
use std::io::IsTerminal;
use std::os::fd::AsFd;

use agon_export::standing_columns::{StandingColumn, named};
use agon_printable::{clean, counted, decimal};
use agon_standings::faults::Faults;
use agon_standings::table::Row;
use agon_standings::tiebreaks::TieBreak;
use comfy_table::{Attribute, Cell, Table};

use super::table::{self, width};

/// The look of text for one output. The default is that of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TableLook {
    /// The columns of the terminal; `None` for a file, which has no width.
    pub width: Option<u16>,
    /// Whether bold and colours work.
    pub styled: bool,
}

/// The style of an error and of a fault: bold and red.
pub const FAULT: &str = "1;31";

impl TableLook {
    /// A text in a style, if styles work.
    pub fn styled(self, text: &str, style: &str) -> String {
        if self.styled { format!("\x1b[{style}m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// The look for this output. A terminal has its width, and styles unless `NO_COLOR` is set; any
    /// other output is plain and has no limit of width.
    pub fn of(output: &(impl IsTerminal + AsFd)) -> TableLook {
        if !output.is_terminal() {
            return TableLook::default();
        }
        let width =
            rustix::termios::tcgetwinsize(output).ok().map(|size| size.ws_col).filter(|width| *width > 0);
        let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        TableLook { width, styled: !plain }
    }
}

/// A column of a table for people.
#[derive(Clone)]
pub struct ShownColumn {
    /// Its head.
    pub head: &'static str,
    facts: ShownFacts,
}

#[derive(Clone)]
enum ShownFacts {
    /// The columns of `standings.csv` that it shows, with a colon between them.
    Listed(Vec<StandingColumn>),
    /// What no single column there has.
    Own(fn(&Row) -> String),
}

impl ShownColumn {
    /// Shows these columns of `standings.csv`.
    fn of(head: &'static str, names: &[&str]) -> Self {
        let listed = names.iter().map(|name| named(name).expect("it is a column of standings.csv"));
        ShownColumn { head, facts: ShownFacts::Listed(listed.collect()) }
    }

    fn own(head: &'static str, cell: fn(&Row) -> String) -> Self {
        ShownColumn { head, facts: ShownFacts::Own(cell) }
    }

    /// Whether it tells anything of any entrant. Without entrants each column does.
    fn is_known(&self, rows: &[Row]) -> bool {
        rows.is_empty() || rows.iter().any(|row| !self.cell(row).trim_matches(':').is_empty())
    }

    /// Its cell of an entrant.
    pub fn cell(&self, row: &Row) -> String {
        match &self.facts {
            ShownFacts::Own(cell) => cell(row),
            ShownFacts::Listed(columns) => {
                let cells: Vec<String> = columns.iter().map(|column| column.of(row).shown()).collect();
                cells.join(":")
            }
        }
    }
}

/// The columns of every table, by their names in `standings.csv`.
const COLUMNS: [(&str, &[&str]); 9] = [
    ("#", &["rank"]),
    ("engine", &["engine"]),
    ("games", &["games"]),
    ("+", &["wins"]),
    ("=", &["draws"]),
    ("-", &["losses"]),
    ("points", &["points"]),
    ("%", &["percent"]),
    ("score", &["score_for", "score_against"]),
];

/// The columns in place of wins, draws and losses, if places count: how often it was first, alone
/// or with others, and its average place.
fn of_places() -> [ShownColumn; 2] {
    let average =
        |row: &Row| row.tally.finishes.average().map_or_else(String::new, |place| decimal(place, 2));
    [ShownColumn::own("1st", |row| row.tally.finishes.on(1).to_string()), ShownColumn::own("place", average)]
}

/// The column of a tie-break, except of those that other columns show, and of lot.
fn of_tiebreak(tiebreak: TieBreak) -> Option<ShownColumn> {
    let (head, name) = match tiebreak {
        TieBreak::Wins | TieBreak::FewestFaults | TieBreak::Lot => return None,
        TieBreak::Direct => ("direct", "direct_encounter"),
        TieBreak::BlackWins => ("black+", "black_wins"),
        TieBreak::SonnebornBerger => ("SB", "sonneborn_berger"),
        TieBreak::Koya => ("Koya", "koya"),
        TieBreak::Progressive => ("progr", "progressive"),
        TieBreak::Buchholz => ("Buchholz", "buchholz"),
        TieBreak::BuchholzCut1 => ("Buchh-1", "buchholz_cut_1"),
        TieBreak::BuchholzMedian => ("Buchh-m", "buchholz_median"),
    };
    Some(ShownColumn::of(head, &[name]))
}

/// The column of the groups, which have the names of their headings: `A` below `group`.
fn of_group(rows: &[Row]) -> ShownColumn {
    let is_division = rows.iter().any(|row| named_group(row).starts_with("division "));
    let head = if is_division { "division" } else { "group" };
    ShownColumn::own(head, |row| {
        let name = named_group(row);
        let kinds = ["group ", "division ", "match for "];
        kinds.iter().find_map(|kind| name.strip_prefix(kind)).unwrap_or(&name).to_owned()
    })
}

/// The name of the group of an entrant; its number if it has no name.
pub(crate) fn named_group(row: &Row) -> String {
    let number = || row.group.map_or_else(String::new, |group| format!("group {group}"));
    row.group_name.as_deref().map_or_else(number, clean)
}

/// The columns that say nothing if points are summed scores.
const NOT_OF_SUMS: [&str; 6] = ["%", "SB", "Koya", "Buchholz", "Buchh-1", "Buchh-m"];

/// The index of the score among the columns.
const SCORE: usize = 8;

/// The columns that a narrow terminal drops, in this order. `standings.csv` has all of them.
const SPARE: [&str; 15] = [
    "SB",
    "direct",
    "black+",
    "Koya",
    "progr",
    "byes",
    "Buchh-m",
    "Buchholz",
    "Buchh-1",
    "score",
    "%",
    "void",
    "play-offs",
    "forfeits",
    "games",
];

/// A name is cut to this width before another column is dropped.
const SHORT_NAME: u16 = 12;

/// The columns of these standings: rank, engine, games, won, drawn, lost, points, their percentage,
/// and these tie-breaks in their order. After them come score for and against, and games lost by a
/// fault. There is a column for groups, play-offs and void attempts if there were any. With more
/// than two seats, first places and the average place come instead of wins, draws and losses.
pub fn standing_columns(rows: &[Row], tiebreaks: &[TieBreak]) -> Vec<ShownColumn> {
    let mut columns: Vec<ShownColumn> =
        COLUMNS.iter().map(|(head, names)| ShownColumn::of(head, names)).collect();
    columns.push(ShownColumn::own("forfeits", |row| row.tally.losses.forfeits().to_string()));
    if rows.iter().any(|row| row.play_offs.games() > 0) {
        columns.insert(SCORE + 1, ShownColumn::own("play-offs", play_offs));
    }
    // The usual tie-breaks are told by their last one, as a wide table is hard to read.
    let shown = if *tiebreaks == TieBreak::USUAL { &tiebreaks[2..] } else { tiebreaks };
    let mut shown: Vec<ShownColumn> = shown.iter().copied().filter_map(of_tiebreak).collect();
    if rows.iter().any(|row| row.byes.is_some()) {
        shown.push(ShownColumn::of("byes", &["byes"]));
        // A Swiss of an earlier agon has the usual tie-breaks.
        shown.extend(of_tiebreak(TieBreak::Buchholz).filter(|_| *tiebreaks == TieBreak::USUAL));
    }
    if rows.iter().any(|row| row.has_withdrawn || row.unplayed.games() > 0) {
        // Only a run that was closed has draws that nobody played.
        let has_draws = rows.iter().any(|row| row.unplayed.draws > 0);
        let names: &[&str] = match has_draws {
            true => &["forfeit_wins", "unplayed_draws", "forfeit_losses"],
            false => &["forfeit_wins", "forfeit_losses"],
        };
        shown.push(ShownColumn::of("unplayed", names));
    }
    columns.splice(SCORE..SCORE, shown);
    if rows.iter().any(|row| row.tally.finishes.games() > 0) {
        columns.retain(|column| !matches!(column.head, "+" | "=" | "-"));
        columns.splice(3..3, of_places());
        // Many opponents share one score against.
        let scores = columns.iter_mut().filter(|column| column.head == "score");
        scores.for_each(|column| *column = ShownColumn::of("score", &["score_for"]));
    }
    if rows.iter().any(|row| row.summed) {
        columns.retain(|column| !NOT_OF_SUMS.contains(&column.head));
    }
    if rows.iter().any(|row| row.group.is_some_and(|group| group > 1)) {
        columns.insert(0, of_group(rows));
    }
    if rows.iter().any(|row| row.tally.voids > 0) {
        columns.push(ShownColumn::of("void", &["void"]));
    }
    columns.retain(|column| column.is_known(rows));
    columns
}

/// The standings as a table of [`standing_columns`]. Ends with a newline.
///
/// Every row is one line: on a narrow terminal columns are dropped and names cut.
pub fn standings(rows: &[Row], tiebreaks: &[TieBreak], look: TableLook) -> String {
    let mut columns = standing_columns(rows, tiebreaks);
    let mut table = filled(&columns, rows, look);
    if let Some(room) = look.width {
        for spare in SPARE {
            if width(&table) <= room || width_beside_names(&table, &columns) + SHORT_NAME <= room {
                break;
            }
            columns.retain(|column| column.head != spare);
            table = filled(&columns, rows, look);
        }
        // At least the width of the engine column's head.
        let names = room.saturating_sub(width_beside_names(&table, &columns)).max(6);
        let engine = engine(&columns);
        let names = names.min(table.column_max_content_widths()[engine]);
        table::set_width(&mut table, engine, names);
    }
    table::lines(&table)
}

fn filled(columns: &[ShownColumn], rows: &[Row], look: TableLook) -> Table {
    let mut table = table::empty(true);
    if look.styled {
        table.enforce_styling();
    }
    table.set_header(columns.iter().map(|column| Cell::new(column.head).add_attribute(Attribute::Bold)));
    for row in rows {
        table::add(&mut table, columns.iter().map(|column| column.cell(row)));
    }
    if look.styled {
        let winners = rows.iter().map(|row| row.rank == 1);
        table::mark(&mut table, engine(columns), winners);
    }
    table::align(&mut table, |place| place != engine(columns));
    table
}

/// The index of the names among the columns.
fn engine(columns: &[ShownColumn]) -> usize {
    columns.iter().position(|column| column.head == "engine").expect("a table has names")
}

fn width_beside_names(table: &Table, columns: &[ShownColumn]) -> u16 {
    width(table) - table.column_max_content_widths()[engine(columns)]
}

/// The games of play-offs, and how many of them nobody played.
fn play_offs(row: &Row) -> String {
    match row.unplayed_play_offs.games() {
        0 => row.play_offs.to_string(),
        games => format!("{} ({games} unplayed)", row.play_offs),
    }
}

/// The games lost by a fault: engine, cause and number, and the first of them with their reasons.
/// Empty if there are none; otherwise ends with a newline.
pub fn faults(faults: &Faults) -> String {
    let mut out = String::new();
    let mut before = None;
    for (entrant, cause, faulty) in faults.iter() {
        if before.is_none() {
            out.push_str("Lost by an engine's own fault:\n");
        }
        if before != Some(entrant) {
            line(&mut out, format_args!("  {}", clean(entrant)));
            before = Some(entrant);
        }
        line(&mut out, format_args!("    {cause}: {}", counted(faulty.count, "game"), cause = cause.name()));
        for (id, reason) in &faulty.first {
            line(&mut out, format_args!("      {id}  {}", clean(reason)));
        }
        let more = faulty.count - faulty.first.len() as u64;
        if more > 0 && !faulty.first.is_empty() {
            line(&mut out, format_args!("      and {more} more"));
        }
    }
    out
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    let _ = writeln!(out, "{text}"); // writing to a String cannot fail
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_record::GameRecord;
    use agon_record::sample::{around, ended_by, game};
    use agon_seats::Seat;
    use agon_standings::Standings;
    use agon_standings::points::Points;
    use agon_standings::result::{Cause, Termination};
    use agon_standings::scoring::Scoring;
    use unicode_width::UnicodeWidthStr;

    fn lost(number: u32, cause: Cause, reason: &str) -> GameRecord {
        let fault = Termination::Forfeit(Seat::SECOND, cause);
        ended_by(game(number, "alpha", "a very long name of an engine", "1-0"), fault, reason)
    }

    fn rows(names: [&str; 3]) -> Vec<Row> {
        let mut standings = Standings::new(Points::CHESS, names);
        let crash = Termination::Forfeit(Seat::SECOND, Cause::Crash);
        ended_by(game(1, names[0], names[1], "1-0"), crash, "exit status 1").count_in(&mut standings);
        game(2, names[1], names[0], "1/2-1/2").count_in(&mut standings);
        standings.table()
    }

    #[test]
    fn the_table_looks_like_this() {
        let table = standings(
            &rows(["alpha", "a very long name of an engine", "idle"]),
            &TieBreak::USUAL,
            TableLook::default(),
        );
        assert_eq!(
            table,
            "\
#  engine                         games  +  =  -  points     %    SB  score  forfeits
──────────────────────────────────────────────────────────────────────────────────────
1  alpha                              2  1  1  0     1.5  75.0  0.75  17:14         0
2  a very long name of an engine      2  0  1  1     0.5  25.0  0.75  14:17         1
3  idle                               0  0  0  0       0           0    0:0         0
"
        );
    }

    #[test]
    fn of_three_seats_first_and_average_places_are_shown() {
        let games = [
            around(1, &[("alpha", 1, 9), ("bravo", 2, 5), ("charlie", 3, -2)]),
            around(2, &[("bravo", 2, 4), ("charlie", 1, 6), ("alpha", 2, 4)]),
        ];
        let shown = |scoring: Scoring| {
            let mut standings = Standings::new(scoring, ["idle"]);
            games.iter().for_each(|game| game.count_in(&mut standings));
            super::standings(&standings.table(), &TieBreak::USUAL, TableLook::default())
        };
        assert_eq!(
            shown(Scoring::usual(3)),
            "\
#  engine   games  1st  place  points     %    SB  score  forfeits
───────────────────────────────────────────────────────────────────
1  alpha        2    1   1.75     2.5  62.5  4.25     13         0
2  charlie      2    1   2.00       2  50.0     4      4         0
3  bravo        2    0   2.25     1.5  37.5  3.25      9         0
4  idle         0    0              0           0      0         0
"
        );
        assert_eq!(
            shown(Scoring::Sum),
            "\
#  engine   games  1st  place  points  score  forfeits
───────────────────────────────────────────────────────
1  alpha        2    1   1.75      13     13         0
2  bravo        2    0   2.25       9      9         0
3  charlie      2    1   2.00       4      4         0
4  idle         0    0              0      0         0
"
        );
    }

    #[test]
    fn a_narrow_terminal_gets_fewer_columns_and_shorter_names_but_one_line_a_row() {
        let rows = rows(["alpha", "a very long name of an engine", "idle"]);
        for room in 32..120 {
            let table = standings(&rows, &TieBreak::USUAL, TableLook { width: Some(room), styled: false });
            assert_eq!(table.lines().count(), 5, "{table}");
            let widest = table.lines().map(|line| line.chars().count()).max().unwrap();
            assert!(widest <= usize::from(room), "{widest} > {room}\n{table}");
        }
        let narrow = standings(&rows, &TieBreak::USUAL, TableLook { width: Some(40), styled: false });
        assert_eq!(
            narrow,
            "\
#  engine              +  =  -  points
───────────────────────────────────────
1  alpha               1  1  0     1.5
2  a very long name…   0  1  1     0.5
3  idle                0  0  0       0
"
        );
    }

    #[test]
    fn wide_names_and_combining_marks_keep_every_column_in_its_place() {
        let rows = rows(["国際的な棋士", "e\u{301}lan", "idle"]);
        let whole = standings(&rows, &TieBreak::USUAL, TableLook::default());
        for room in [None, Some(44), Some(36)] {
            let table = standings(&rows, &TieBreak::USUAL, TableLook { width: room, styled: false });
            let widths: Vec<usize> = table.lines().map(UnicodeWidthStr::width).collect();
            // The last column is to the right, so every row ends at the same place, which the line
            // under the head has.
            assert!(widths.iter().all(|width| *width + 1 >= widths[1]), "{widths:?}\n{table}");
            assert!(
                widths.iter().all(|width| room.is_none_or(|room| *width <= usize::from(room))),
                "{table}"
            );
        }
        assert!(whole.contains("1  国際的な棋士      2"), "{whole}");
    }

    #[test]
    fn bold_is_for_terminals_only() {
        let rows = rows(["alpha", "bravo", "idle"]);
        assert!(!standings(&rows, &TieBreak::USUAL, TableLook::default()).contains('\u{1b}'));
        assert!(
            standings(&rows, &TieBreak::USUAL, TableLook { width: None, styled: true }).contains("\u{1b}[1m")
        );
    }

    #[test]
    fn a_hostile_name_is_shown_escaped_and_on_one_line() {
        let table =
            standings(&rows(["\u{1b}[2J\u{202e}\n", "=cmd", "a\tb"]), &TieBreak::USUAL, TableLook::default());
        assert!(!table.contains(['\u{1b}', '\u{202e}', '\t']), "{table}");
        assert!(table.contains("\\x1b[2J\\u{202e}\\n"), "{table}");
        assert_eq!(table.lines().count(), 5);
    }

    #[test]
    fn losses_by_fault_are_counted_and_the_first_explained() {
        let mut list = Faults::new(2);
        assert_eq!(faults(&list), "");
        for number in 1..=4 {
            lost(number, Cause::TimeForfeit, "no answer within 5 s").note_fault(&mut list);
        }
        lost(5, Cause::IllegalMove, "\"B,\u{1b}\": no such cell").note_fault(&mut list);
        assert_eq!(
            faults(&list),
            "Lost by an engine's own fault:\n  a very long name of an engine\n    illegal move: 1 game\n      \
             r01-p0003-g01  \"B,\\x1b\": no such cell\n    time forfeit: 4 games\n      \
             r01-p0001-g01  no answer within 5 s\n      r01-p0001-g02  no answer within 5 s\n      and 2 more\n"
        );
    }
}
