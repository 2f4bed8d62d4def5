//! Tests of the rules about lines: positions by hand, and a second, naive renju.

use std::collections::BTreeSet;

use super::*;

fn rules(text: &str) -> Mnk {
    text.parse().unwrap()
}

fn after(text: &str, moves: &str) -> MnkBoard {
    let mut board = rules(text).board();
    for text in moves.split_whitespace() {
        let cell = board.parse(text).unwrap();
        board.play(cell);
    }
    board
}

/// A board with these stones of the first and the second seat. The side to move may be wrong.
fn placed(game: &str, first: &str, second: &str) -> MnkBoard {
    let mut board = rules(game).board();
    for (seat, cells) in [(Seat::FIRST, first), (Seat::SECOND, second)] {
        for text in cells.split_whitespace() {
            let cell = board.parse(text).unwrap();
            board.stones_mut(seat).flip(cell);
        }
    }
    board
}

/// What a stone of the seat on this cell would end.
fn end(board: &MnkBoard, seat: Seat, cell: &str) -> End {
    let (mut after, cell) = (*board, board.parse(cell).unwrap());
    after.stones_mut(seat).flip(cell);
    after.end_after(seat, cell)
}

/// What the first seat's stone on h8 would end in renju: `None` for five, an empty text for
/// nothing.
fn on_h8(first: &str, second: &str) -> Option<&'static str> {
    match end(&placed("15x15,5,renju", first, second), Seat::FIRST, "h8") {
        End::Open => Some(""),
        End::Line => None,
        End::Foul(foul, _) => Some(foul.why()),
    }
}

const OVERLINE: Option<&str> = Some("a forbidden overline");
const FOURS: Option<&str> = Some("a forbidden double four");
const THREES: Option<&str> = Some("a forbidden double three");
const NOTHING: Option<&str> = Some("");
const FIVE: Option<&str> = None;

#[test]
fn six_in_a_row_do_not_win_where_exactly_five_are_needed() {
    let joined = "a1 a3 b1 b3 c1 c3 e1 e3 f1 g3 d1";
    assert_eq!(after("15x15,5,exact", joined).status(), Status::ToMove(Seat::SECOND));
    assert_eq!(after("15x15,5", joined).score(Seat::FIRST), 1);
    // The six stay where they are, and five elsewhere win.
    let mut later = after("15x15,5,exact", &format!("{joined} i3 a5 k3 a6 m3 a7 o3 a8 o5"));
    let cell = later.parse("a4").unwrap();
    let row = later.frame(cell).row.into_iter().map(|index| later.rules.cell(index).to_string());
    assert_eq!(row.collect::<Vec<_>>(), ["a8", "a7", "a6", "a5", "a4"]);
    later.play(cell);
    assert_eq!(later.status(), Status::Over(Ending::Win(Seat::FIRST, "a line of exactly k")));
    // A row of six shows no row.
    let before = after("15x15,5,exact", joined.strip_suffix(" d1").unwrap());
    assert!(before.frame(before.parse("d1").unwrap()).row.is_empty());
}

#[test]
fn five_with_the_opponent_at_both_ends_do_not_win_in_caro() {
    let won = |game: &str, first: &str, second: &str, cell: &str| {
        let board = placed(game, first, second);
        let is_won = end(&board, Seat::FIRST, cell) == End::Line;
        assert_eq!(board.wins(Seat::FIRST, board.parse(cell).unwrap()), is_won, "{game} {cell}");
        is_won
    };
    for game in ["15x15,5,caro", "15x15,5,exact,caro"] {
        assert!(won(game, "d8 e8 f8 g8", "", "h8"));
        assert!(won(game, "d8 e8 f8 g8", "c8", "h8"));
        assert!(!won(game, "d8 e8 f8 g8", "c8 i8", "h8"));
        assert!(!won(game, "d8 e8 g8 h8", "c8 i8", "f8"));
        assert!(!won(game, "h4 h5 h6 h7", "h3 h9", "h8"));
        assert!(!won(game, "d4 e5 f6 g7", "c3 i9", "h8"));
        assert!(!won(game, "l4 k5 j6 i7", "m3 g9", "h8"));
        // The edge of the board blocks no line.
        assert!(won(game, "a8 b8 c8 d8", "f8", "e8"));
        assert!(won(game, "o1 n2 m3 l4", "j6", "k5"));
        assert!(won(game, "d15 e15 f15 g15", "c15", "h15"));
        // One that is blocked does not spoil another.
        assert!(won(game, "d8 e8 f8 g8 h9 h10 h11 h12", "c8 i8", "h8"));
    }
    // Six win, blocked or not, unless exactly five are needed.
    for (second, caro) in [("", true), ("b8 i8", true)] {
        assert_eq!(won("15x15,5,caro", "c8 d8 e8 f8 g8", second, "h8"), caro);
        assert!(!won("15x15,5,exact,caro", "c8 d8 e8 f8 g8", second, "h8"));
    }
    // On three columns no line of three can be blocked.
    assert!(won("3x3,3,caro", "a1 b1", "a2 b2", "c1"));
    let board = after("15x15,5,caro", "d8 c8 e8 i8 f8 a1 g8 a2 h8");
    assert_eq!(board.status(), Status::ToMove(Seat::SECOND));
    let reason = "a line of k or more that is not blocked";
    assert_eq!(
        after("15x15,5,caro", "d8 c8 e8 a3 f8 a1 g8 a2 h8").status(),
        Status::Over(Ending::Win(Seat::FIRST, reason))
    );
}

#[test]
fn a_row_of_three_counts_if_it_can_become_a_straight_four() {
    let cross = "i8 j8 h9 h10";
    assert_eq!(on_h8(cross, ""), THREES);
    assert_eq!(on_h8("g8 i8 h7 h9", ""), THREES);
    assert_eq!(on_h8("g9 j6 g7 i9", ""), THREES, "one of them has a gap");
    // Room for exactly five: a straight four needs six cells.
    assert_eq!(on_h8(cross, "f8 l8"), NOTHING);
    assert_eq!(on_h8(cross, "f8"), THREES);
    assert_eq!(on_h8(cross, "g8"), NOTHING);
    // A fourth stone further on makes the last free cell one for six.
    assert_eq!(on_h8("i8 j8 m8 h9 h10", "f8"), NOTHING);
    assert_eq!(on_h8("i8 j8 m8 h9 h10", ""), THREES);
    // At the edge.
    let board = placed("15x15,5,renju", "b2 b3 c1 d1", "");
    assert_eq!(end(&board, Seat::FIRST, "b1"), End::Open);
}

#[test]
fn a_three_whose_next_stone_is_forbidden_is_none() {
    // o8 decides: with l8 taken, only g8 makes a straight four of h8 i8 j8.
    let (cross, wall) = ("i8 j8 h9 h10", "l8");
    let with = |more: &str, second: &str| on_h8(&format!("{cross} {more}"), &format!("{wall} {second}"));
    assert_eq!(with("", ""), THREES);
    // An overline on g8.
    assert_eq!(with("g5 g6 g7 g9 g10", ""), NOTHING);
    // A second four on g8.
    assert_eq!(with("g9 g10 g11", "g12"), NOTHING);
    // Five on g8 is no straight four.
    assert_eq!(with("g4 g5 g6 g7", ""), NOTHING);
    // Two threes on g8 besides the four; then only one of them, so that g8 is allowed again.
    assert_eq!(with("g7 g6 f9 e10", ""), NOTHING);
    assert_eq!(with("g7 g6 f9 e10", "d11"), THREES);
    // One deeper: the three e10 f9 g8 needs d11 or h7, where now six would stand or a stone does.
    assert_eq!(with("g7 g6 f9 e10 d9 d10 d12 d13 d14", "i6"), THREES);
    assert_eq!(with("g7 g6 f9 e10 d9 d10 d12 d13", "i6"), THREES, "five on d11 is no straight four");
    assert_eq!(with("g7 g6 f9 e10 d12 d13", "i6"), NOTHING);
}

#[test]
fn fours_are_counted_by_their_stones() {
    assert_eq!(on_h8("e8 f8 g8", ""), NOTHING, "a straight four is one four");
    assert_eq!(on_h8("e8 f8 g8 h9 h10", "d8"), NOTHING, "a four and a three are allowed");
    assert_eq!(on_h8("e8 f8 g8 h9 h10 h11", "d8 h12"), FOURS);
    assert_eq!(on_h8("e8 f8 g8 h9 h10 h11", "d8 h12 h7"), NOTHING, "one of them is closed");
    // Two in one line.
    assert_eq!(on_h8("d8 e8 f8 j8 k8 l8", ""), FOURS);
    assert_eq!(on_h8("d8 e8 g8 j8 k8", ""), FOURS);
    assert_eq!(on_h8("d8 f8 g8 j8", ""), FOURS);
    assert_eq!(on_h8("f8 g8 j8 d8", "e8"), NOTHING);
    // Six, not five, would stand there.
    assert_eq!(on_h8("c8 d8 f8 g8 j8 k8", "b8"), NOTHING);
}

#[test]
fn five_in_a_row_beat_every_forbidden_shape() {
    let five = "h4 h5 h6 h7";
    assert_eq!(on_h8("c8 d8 e8 f8 g8", ""), OVERLINE);
    assert_eq!(on_h8("e8 f8 g8 i8 j8 k8", ""), OVERLINE);
    assert_eq!(on_h8(&format!("c8 d8 e8 f8 g8 {five}"), ""), FIVE);
    assert_eq!(on_h8(&format!("e8 f8 g8 g9 f10 e11 {five}"), ""), FIVE);
    assert_eq!(on_h8(&format!("i8 j8 i9 j10 {five}"), ""), FIVE);
    assert_eq!(on_h8("i8 j8 k8 l8", ""), FIVE);
}

#[test]
fn the_second_seat_of_renju_may_make_every_shape() {
    let board = |second| placed("15x15,5,renju", "", second);
    for (second, ends) in [
        ("i8 j8 h9 h10", End::Open),
        ("e8 f8 g8 h9 h10 h11", End::Open),
        ("c8 d8 e8 f8 g8", End::Line),
        ("d8 e8 f8 g8", End::Line),
    ] {
        assert_eq!(end(&board(second), Seat::SECOND, "h8"), ends, "{second}");
    }
    let won = after("15x15,5,renju", "a1 c8 a3 d8 a5 e8 a7 f8 a9 g8");
    assert_eq!(won.status(), Status::Over(Ending::Win(Seat::SECOND, "a line of k or more")));
}

/// A double three on h8, and the position before it.
const FORK: &str = "i8 a1 j8 a3 h9 a5 h10 a7";

#[test]
fn a_forbidden_move_is_played_and_loses() {
    for (game, mark, other) in [("15x15,5,renju", "x", "O"), ("15x15,5,first=O,renju", "o", "X")] {
        let before = after(game, FORK);
        let lost = after(game, &format!("{FORK} h8"));
        assert_eq!(lost.status(), Status::Over(Ending::Win(Seat::SECOND, "a forbidden double three")));
        assert_eq!((lost.score(Seat::FIRST), lost.score(Seat::SECOND)), (0, 1));
        assert_eq!(lost.count(&mut Vec::new()), 0);
        assert_eq!(lost.parse("h7"), Err(Refusal::illegal("the game is over")));
        let text = lost.text();
        assert_eq!((text.matches(mark).count(), text.matches(other).count()), (1, 4), "{text}");
        assert_eq!(text.split('/').nth(7).unwrap().find(mark), Some(7));
        assert_eq!(rules(game).read(&text), Ok(lost));
        assert!(before.frame(before.parse("h8").unwrap()).row.is_empty());
        let mut back = lost;
        back.undo(before.parse("h8").unwrap());
        assert_eq!(back, before);
        // The same stones, but the last one stood somewhere else.
        let other_way = after(game, "i8 a1 j8 a3 h9 a5 h8 a7 h10");
        assert_eq!(other_way.status(), Status::ToMove(Seat::SECOND));
        assert_ne!(other_way, lost);
        assert_eq!(rules(game).read(&other_way.text()), Ok(other_way));
    }
}

#[test]
fn a_text_of_renju_that_no_game_leads_to_is_refused() {
    let unread = |text: &str| rules("7x7,5,renju").read(text).unwrap_err().to_string();
    let rest = "......./......./......./......./.......";
    assert_eq!(
        unread(&format!("{rest}/OOOO.O./XXXXXX.")),
        "X has six or more in a line, which ended the game; if the last move did it, write x there"
    );
    assert_eq!(
        unread(&format!("{rest}/OOOO.../XXxXX..")),
        "the x on c1 means a forbidden move, and this one is not"
    );
    assert_eq!(unread(&format!("{rest}/OO...../x......")), {
        "X has 1 and O has 2 on the board; X begins, so it has as many or one more"
    });
    assert_eq!(unread(&format!("{rest}/OO...../xX.....")), "the x on a1 is X's last move, and X is to move");
    assert_eq!(
        unread(&format!("{rest}/OOOOO../XXxXXX.")),
        "a side has a line, so the game was over before X made the last move on c1"
    );
    assert_eq!(unread(&format!("{rest}/OO...../xx.X...")), "row 7, cell 1 is 'x'; a cell is X, O or .");
    assert_eq!(unread(&format!("{rest}/o....../x......")), "row 6, cell 1 is 'o'; a cell is X, O or .");
    let lost = rules("7x7,5,renju").read(&format!("{rest}/OOO.OO./XXxXXX.")).unwrap();
    assert_eq!(lost.status(), Status::Over(Ending::Win(Seat::SECOND, "a forbidden overline")));
    // Both at once: five win, and the six beside them are no fault.
    let both = "..X..../..X..../..X..../..X..../XXXXXX./OOOO.OO/O.O.O..";
    let both = rules("7x7,5,renju").read(both).unwrap();
    assert_eq!(both.status(), Status::Over(Ending::Win(Seat::FIRST, "a line of exactly k")));
    // One stone cannot have made these two.
    assert_eq!(
        unread("X....../X....../X....../X....O./X...OOO/OOOO.OO/XXXXXX."),
        "X has lines that no single last move can have made"
    );
    // In exact, six are stones like any others.
    assert!(rules("7x7,5,exact").read(&format!("{rest}/OOOO.O./XXXXXX.")).is_ok());
}

#[test]
fn rules_are_read_told_and_given_back() {
    for (spec, words, number) in [
        ("mnk:15x15,5", "", 0),
        ("mnk:15x15,5,exact", "exact", 1),
        ("mnk:20x20,5,caro", "caro", 8),
        ("mnk:20x15,5,exact,caro", "exact,caro", 9),
        ("mnk:15x15,5,renju", "renju", 4),
        ("mnk:15x15,5,first=O,renju", "renju", 4),
    ] {
        let rules = rules(&spec[4..]);
        assert_eq!(rules.spec(), spec);
        let told = Gomocup { columns: rules.columns(), rows: rules.rows(), rule: number };
        assert_eq!(rules.gomocup(), Some(told), "{spec}");
        let rule = rules.settings().into_iter().find(|(name, _)| *name == "rule");
        assert_eq!(rule, (!words.is_empty()).then(|| ("rule", words.to_owned())), "{spec}");
    }
    assert_eq!(rules("15x15,5,caro,exact").spec(), "mnk:15x15,5,exact,caro");
    assert_eq!(rules("15x15,5,renju,first=X").spec(), "mnk:15x15,5,renju");
    for game in ["3x3,3", "15x15,6,exact"] {
        assert_eq!(rules(game).gomocup(), None, "{game}");
    }
    let refused = |text: &str| text.parse::<Mnk>().unwrap_err().to_string();
    assert_eq!(refused("6x6,6,renju"), "renju with a line of 6: it is a game of five in a line");
    let one = "is not one rule: write exact, caro, exact,caro or renju";
    for words in ["exact,renju", "exact,exact", "caro,renju", "exact,caro,exact"] {
        assert_eq!(refused(&format!("15x15,5,{words}")), format!("\"{words}\" {one}"));
    }
    assert_eq!(
        refused("15x15,5,Renju"),
        "\"Renju\" is not an option: first=X, first=O, exact, caro and renju are"
    );
}

/// Renju once more, by the letter of the definitions: whole boards are scanned, and rows are sets
/// of cells.
mod naive {
    use super::*;

    type Cell = (i8, i8);
    type Row = BTreeSet<Cell>;

    #[derive(Clone)]
    pub(super) struct NaiveBoard {
        pub(super) columns: i8,
        pub(super) rows: i8,
        pub(super) first: Row,
        pub(super) second: Row,
    }

    #[derive(PartialEq, Eq, Debug)]
    pub(super) enum NaiveVerdict {
        Nothing,
        Five,
        Foul(Foul),
    }

    impl NaiveBoard {
        fn with(&self, cell: Cell) -> NaiveBoard {
            let mut board = self.clone();
            board.first.insert(cell);
            board
        }

        fn free(&self) -> Vec<Cell> {
            let all = (1..=self.rows).flat_map(|y| (1..=self.columns).map(move |x| (x, y)));
            all.filter(|cell| !self.first.contains(cell) && !self.second.contains(cell)).collect()
        }

        /// All unbroken rows of the first seat on the board, of this many stones.
        fn unbroken(&self, stones: usize) -> BTreeSet<Row> {
            let mut rows = BTreeSet::new();
            for &(x, y) in &self.first {
                for (dx, dy) in [(0, 1), (1, 1), (1, 0), (1, -1)] {
                    let at = |i: i8| (x + i * dx, y + i * dy);
                    if self.first.contains(&at(-1)) {
                        continue; // it does not begin here
                    }
                    let length = (0..).take_while(|i| self.first.contains(&at(*i))).count();
                    if length == stones {
                        rows.insert((0..length as i8).map(at).collect());
                    }
                }
            }
            rows
        }

        /// The rows of this many stones through a cell that one more stone makes one longer without
        /// a gap. Each comes with all the stones that do so.
        fn nearly(&self, cell: Cell, stones: usize) -> Vec<(Row, Cell)> {
            let mut found = Vec::new();
            for more in self.free() {
                // Far away it lengthens no row through the cell.
                let (dx, dy) = ((more.0 - cell.0).abs(), (more.1 - cell.1).abs());
                if dx.max(dy) > 5 || (dx != dy && dx != 0 && dy != 0) {
                    continue;
                }
                for mut row in self.with(more).unbroken(stones + 1) {
                    if row.contains(&cell) && row.remove(&more) {
                        found.push((row, more));
                    }
                }
            }
            found
        }

        /// Whether an unbroken row of four can become five in two ways.
        fn is_straight(&self, four: &Row) -> bool {
            let cell = *four.first().unwrap();
            self.nearly(cell, 4).iter().filter(|(row, _)| row == four).count() == 2
        }

        /// What the first seat's stone on this cell makes. It is on the board.
        pub(super) fn verdict(&self, cell: Cell, inner: &mut u32) -> NaiveVerdict {
            if self.unbroken(5).iter().any(|row| row.contains(&cell)) {
                return NaiveVerdict::Five;
            }
            if (6..=20).any(|long| self.unbroken(long).iter().any(|row| row.contains(&cell))) {
                return NaiveVerdict::Foul(Foul::Overline);
            }
            let fours: BTreeSet<Row> = self.nearly(cell, 4).into_iter().map(|(row, _)| row).collect();
            if fours.len() > 1 {
                return NaiveVerdict::Foul(Foul::DoubleFour);
            }
            let mut threes = BTreeSet::new();
            for (three, more) in self.nearly(cell, 3) {
                let after = self.with(more);
                let mut four = three.clone();
                four.insert(more);
                if after.is_straight(&four) {
                    let verdict = after.verdict(more, inner);
                    if verdict == NaiveVerdict::Nothing {
                        threes.insert(three);
                    } else {
                        *inner += 1;
                    }
                }
            }
            if threes.len() > 1 { NaiveVerdict::Foul(Foul::DoubleThree) } else { NaiveVerdict::Nothing }
        }
    }
}

#[test]
fn a_naive_renju_agrees_on_random_boards() {
    use naive::{NaiveBoard, NaiveVerdict};
    let mut state = 17_u64;
    let mut below = |sides: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % sides
    };
    let (mut seen, mut inner) = ([0_u32; 5], 0);
    for round in 0..1500_u64 {
        let (columns, rows) = [(9, 9), (7, 11), (10, 6), (8, 8), (12, 12)][round as usize % 5];
        let rules = rules(&format!("{columns}x{rows},5,renju"));
        let mut board = rules.board();
        let mut plain = NaiveBoard { columns, rows, first: BTreeSet::new(), second: BTreeSet::new() };
        // From few stones of either side to many.
        let (own, other) = (8 + below(26), below(12));
        for row in 1..=rows {
            for column in 1..=columns {
                let (cell, at) = (MnkCell { column: column as u8, row: row as u8 }, (column, row));
                match below(100) {
                    dice if dice < own => {
                        board.first.flip(cell);
                        plain.first.insert(at);
                    }
                    dice if dice < own + other => {
                        board.second.flip(cell);
                        plain.second.insert(at);
                    }
                    _ => {}
                }
            }
        }
        for _ in 0..4 {
            let (column, row) = (1 + below(columns as u64) as i8, 1 + below(rows as u64) as i8);
            let (cell, at) = (MnkCell { column: column as u8, row: row as u8 }, (column, row));
            if board.owner(cell).is_some() {
                continue;
            }
            let mut after = board;
            after.first.flip(cell);
            plain.first.insert(at);
            let (ended, verdict) = (after.end_after(Seat::FIRST, cell), plain.verdict(at, &mut inner));
            plain.first.remove(&at);
            let (kind, same) = match verdict {
                NaiveVerdict::Nothing => (0, ended == End::Open),
                NaiveVerdict::Five => (1, ended == End::Line),
                NaiveVerdict::Foul(foul) => (2 + foul as usize, ended == End::Foul(foul, cell)),
            };
            assert!(same, "{cell}: {ended:?} in\n{}", after.text().replace('/', "\n"));
            seen[kind] += 1;
        }
    }
    assert!(seen.iter().all(|count| *count > 20) && inner > 100, "{seen:?}, {inner} false threes");
}
