//! m,n,k games: open lines by the number of stones in them, counted for whole rows of the board at
//! once.

use agon_games::mnk::{LineRule, MnkBoard, MnkCell};
use agon_games::{Position, Status};
use agon_seats::Seat;

use super::evaluate::{Evaluate, key_of};

/// The value of an open line by the number of stones it lacks; zero if it lacks more.
const WORTH: [i32; 6] = [0, 150, 40, 12, 3, 1];

/// The most rows of a board, including the rim at both ends.
const ROWS: usize = 22;

type Rows = [u32; ROWS];

/// The evaluation of one side's open lines: k cells in a row without a stone of the opponent.
struct Scan {
    worth: i32,
    /// The free cells that would complete one.
    completing: Rows,
}

/// Counts the stones in all lines that begin in one row at once. Bit `column` of `digits[i]` is
/// digit `i` of the number of stones in the line that begins there.
fn scan(board: &MnkBoard, own: &Rows, other: &Rows) -> Scan {
    let rules = board.rules();
    let (columns, rows, k) = (u32::from(rules.columns()), usize::from(rules.rows()), usize::from(rules.k()));
    let mut scan = Scan { worth: 0, completing: [0; ROWS] };
    for (dx, dy) in [(1, 0), (0, 1), (1, 1), (-1, 1)] {
        let Some(starts) = starts(columns, k, dx) else { continue };
        let last = if dy == 0 { rows } else { (rows + 1).saturating_sub(k) };
        for row in 1..=last {
            let mut digits = [0_u32; 5];
            let mut open = starts;
            for step in 0..k {
                open &= !shifted(other[row + dy * step], dx, step);
                let mut carry = shifted(own[row + dy * step], dx, step);
                for digit in &mut digits {
                    (*digit, carry) = (*digit ^ carry, *digit & carry);
                }
            }
            if open == 0 {
                continue;
            }
            for (lacking, worth) in WORTH.iter().enumerate().take(k).skip(1) {
                scan.worth += worth * with(&digits, k - lacking, open).count_ones() as i32;
            }
            let almost = with(&digits, k - 1, open);
            if almost != 0 {
                for step in 0..k {
                    let there = row + dy * step;
                    let free = almost & !shifted(own[there], dx, step);
                    scan.completing[there] |= shifted(free, -dx, step);
                }
            }
        }
    }
    scan
}

/// The columns in which a line in this direction may begin; `None` if the board is too narrow.
fn starts(columns: u32, k: usize, dx: i32) -> Option<u32> {
    let span = if dx == 0 { 0 } else { k as u32 - 1 };
    let all = ((1 << columns.checked_sub(span)?) - 1) << 1;
    Some(if dx < 0 { all << span } else { all })
}

/// The row, shifted by this many steps in the direction.
fn shifted(row: u32, dx: i32, steps: usize) -> u32 {
    match dx {
        0 => row,
        1 => row >> steps,
        _ => row << steps,
    }
}

/// The lines among these with this number of stones.
fn with(digits: &[u32; 5], stones: usize, lines: u32) -> u32 {
    digits
        .iter()
        .enumerate()
        .fold(lines, |lines, (i, digit)| lines & if stones >> i & 1 == 1 { *digit } else { !*digit })
}

/// The evaluations of the side to move and of the opponent.
fn both(board: &MnkBoard) -> (Scan, Scan) {
    let seat = match board.status() {
        Status::ToMove(seat) => seat,
        Status::Over(_) => Seat::FIRST, // not called then
    };
    let (own, other) = (board.stone_rows(seat), board.stone_rows(seat.other()));
    let mut scans = (scan(board, own, other), scan(board, other, own));
    if board.rules().rule() != LineRule::Free {
        keep_wins(board, seat, &mut scans.0.completing);
        keep_wins(board, seat.other(), &mut scans.1.completing);
    }
    scans
}

/// Of the cells that complete a line, keeps those that win. By some rules a line may be too long,
/// or blocked.
fn keep_wins(board: &MnkBoard, seat: Seat, completing: &mut Rows) {
    if !any(completing) {
        return;
    }
    let mut moves = Vec::new();
    board.moves(&mut moves);
    for cell in moves {
        if has(completing, cell) && !board.wins(seat, cell) {
            completing[usize::from(cell.row())] &= !(1 << cell.column());
        }
    }
}

/// The cells within two steps of a stone; the middle of an empty board.
fn neighbourhood(board: &MnkBoard) -> Rows {
    let (first, second) = (board.stone_rows(Seat::FIRST), board.stone_rows(Seat::SECOND));
    let mut near = [0; ROWS];
    if board.plies() == 0 {
        let rules = board.rules();
        near[usize::from(rules.rows()).div_ceil(2)] = 1 << rules.columns().div_ceil(2);
        return near;
    }
    for row in 0..ROWS {
        let stones = first[row] | second[row];
        let wide = stones | stones << 1 | stones << 2 | stones >> 1 | stones >> 2;
        for other in &mut near[row.saturating_sub(2)..(row + 3).min(ROWS)] {
            *other |= wide;
        }
    }
    near
}

fn any(rows: &Rows) -> bool {
    rows.iter().any(|row| *row != 0)
}

fn has(rows: &Rows, cell: MnkCell) -> bool {
    rows[usize::from(cell.row())] >> cell.column() & 1 == 1
}

impl Evaluate for MnkBoard {
    fn key(&self) -> u64 {
        let rows = usize::from(self.rules().rows());
        let stones = [Seat::FIRST, Seat::SECOND].map(|seat| &self.stone_rows(seat)[1..=rows]);
        key_of(&stones)
    }

    fn evaluate(&self) -> i32 {
        let (own, other) = both(self);
        if any(&own.completing) {
            5000
        } else if other.completing.iter().map(|row| row.count_ones()).sum::<u32>() > 1 {
            -5000
        } else {
            // The side to move is half a step ahead.
            own.worth * 5 / 4 - other.worth
        }
    }

    fn plies_left(&self) -> u32 {
        u32::from(self.rules().columns()) * u32::from(self.rules().rows()) - u32::from(self.plies())
    }

    /// A move that wins; else those that stop the opponent from winning; else all near other
    /// stones.
    fn candidates(&self, moves: &mut Vec<MnkCell>) {
        self.moves(moves);
        let (own, other) = both(self);
        let wanted = if any(&own.completing) {
            own.completing
        } else if any(&other.completing) {
            other.completing
        } else {
            neighbourhood(self)
        };
        if moves.iter().any(|cell| has(&wanted, *cell)) {
            moves.retain(|cell| has(&wanted, *cell));
        }
        if any(&own.completing) {
            moves.truncate(1);
        }
    }

    /// Cells near the middle first.
    fn promise(&self, cell: MnkCell) -> i32 {
        let off = |at: u8, length: u8| (2 * i32::from(at) - i32::from(length) - 1).abs();
        40 - off(cell.column(), self.rules().columns()).max(off(cell.row(), self.rules().rows()))
    }
}

#[cfg(test)]
mod tests {
    use agon_games::mnk::Mnk;

    use super::*;

    fn after(rules: &str, moves: &str) -> MnkBoard {
        let mut board = rules.parse::<Mnk>().unwrap().board();
        for mv in moves.split_whitespace() {
            board.play(board.parse(mv).unwrap());
        }
        board
    }

    fn candidates(board: &MnkBoard) -> Vec<String> {
        let mut moves = Vec::new();
        board.candidates(&mut moves);
        moves.iter().map(ToString::to_string).collect()
    }

    /// The cells that would win at once if `seat` were to move now, computed by the rules.
    fn winning(board: &MnkBoard, seat: Seat) -> Vec<String> {
        let mut moves = Vec::new();
        board.moves(&mut moves);
        let mut found = Vec::new();
        for mv in moves {
            let mut text: Vec<u8> = board.text().into_bytes();
            let width = usize::from(board.rules().columns()) + 1;
            let row = usize::from(board.rules().rows() - mv.row());
            text[row * width + usize::from(mv.column()) - 1] = b"XO"[seat.index()];
            let stones = String::from_utf8(text).unwrap();
            // The rules do not read a position with one stone too many; the opponent's last stone
            // may be anywhere.
            if line_in(&stones, b"XO"[seat.index()], board.rules().k().into()) {
                found.push(mv.to_string());
            }
        }
        found
    }

    fn line_in(text: &str, stone: u8, k: usize) -> bool {
        let rows: Vec<&[u8]> = text.split('/').map(str::as_bytes).collect();
        let at = |x: i32, y: i32| {
            usize::try_from(y)
                .ok()
                .and_then(|y| rows.get(y))
                .and_then(|row| row.get(usize::try_from(x).ok()?))
        };
        (0..20).any(|y| {
            (0..20).any(|x| {
                [(1, 0), (0, 1), (1, 1), (-1, 1)]
                    .iter()
                    .any(|(dx, dy)| (0..k as i32).all(|i| at(x + i * dx, y + i * dy) == Some(&stone)))
            })
        })
    }

    #[test]
    fn the_cells_that_complete_a_line_are_those_of_the_rules() {
        let mut seen = 0;
        for rules in ["3x3,3", "7x5,4", "5x8,4", "15x15,5", "20x3,3", "1x6,2", "9x20,6", "4x4,1"] {
            for game in 0..3_usize {
                let mut board = after(rules, "");
                let mut moves = Vec::new();
                for ply in 0.. {
                    board.moves(&mut moves);
                    if moves.is_empty() {
                        break;
                    }
                    let (own, other) = both(&board);
                    let Status::ToMove(seat) = board.status() else { unreachable!() };
                    for (scan, seat) in [(own, seat), (other, seat.other())] {
                        let cells: Vec<String> = moves
                            .iter()
                            .filter(|cell| has(&scan.completing, **cell))
                            .map(ToString::to_string)
                            .collect();
                        assert_eq!(cells, winning(&board, seat), "{rules} {}", board.text());
                        seen += cells.len();
                    }
                    board.play(moves[(game * 7919 + ply * 104_729) % moves.len()]);
                }
            }
        }
        assert!(seen > 100, "{seen}");
    }

    #[test]
    fn moves_far_from_any_stone_are_not_looked_at() {
        assert_eq!(candidates(&after("15x15,5", "")), ["h8"]);
        assert_eq!(candidates(&after("15x15,5", "h8")).len(), 24);
        assert_eq!(candidates(&after("15x15,5", "a1")).len(), 8);
    }

    #[test]
    fn a_win_is_taken_and_a_threat_is_stopped() {
        assert_eq!(candidates(&after("15x15,5", "a1 a3 b1 b3 c1 c3 d1 d3")), ["e1"]);
        assert_eq!(candidates(&after("15x15,5", "b1 b3 c1 c3 d1 d3 e1")), ["a1", "f1"]);
    }

    #[test]
    fn a_line_that_does_not_win_is_no_win_to_take() {
        // a1 to d1 and f1: e1 makes six.
        let moves = "a1 a3 b1 b3 c1 c4 d1 d4 f1 f4";
        assert_eq!(candidates(&after("15x15,5", moves)), ["e1"]);
        assert_ne!(candidates(&after("15x15,5,exact", moves)), ["e1"]);
        assert_ne!(candidates(&after("15x15,5,renju", moves)), ["e1"]);
        assert_eq!(candidates(&after("15x15,5,caro", moves)), ["e1"]);
        // b1 to e1 between a1 and g1: f1 is blocked.
        let moves = "b1 a1 c1 g1 d1 g3 e1 g5";
        assert_eq!(candidates(&after("15x15,5,exact", moves)), ["f1"]);
        assert_ne!(candidates(&after("15x15,5,caro", moves)), ["f1"]);
    }

    #[test]
    fn k_of_one_is_a_game_of_one_move() {
        assert_eq!(candidates(&after("4x4,1", "")).len(), 1);
    }
}
