//! A starter for @GAME@: it plays random legal moves. Your ideas go into `choose`.
//!
//! Handed in alone, without its engine.toml, it is started as these two lines say:
//! agon: args = @ARGS@
//! agon: games = @GAMES@
//!
//! agon starts it as: main SIDE TO_MOVE SECONDS. The position comes on standard input, then each
//! move of the opponent. A move of ours is one line on standard output; notes belong on standard
//! error.

//: abalone
use std::collections::{BTreeMap, HashSet};
//: letters
use std::collections::HashMap;
//: all
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::io::Write;

/// The next line. At the end of the input the game is over.
fn read_line() -> String {
    let mut line = String::new();
    if std::io::stdin().read_line(&mut line).unwrap_or(0) == 0 {
        std::process::exit(0);
    }
    line.trim_end().to_owned()
}

//: mnk connect4 mill morris letters
fn number(text: &str) -> usize {
    text.parse().expect("a number")
}

//: mnk connect4
/// The rows of the board from the top; a cell is X, O or a dot.
#[derive(Clone)]
struct Position {
    columns: usize,
    rows: usize,
    cells: Vec<Vec<char>>,
}

impl Position {
    fn read() -> Self {
        let sizes: Vec<usize> = read_line().split(' ').map(number).collect(); // the third is k
        let (columns, rows) = (sizes[0], sizes[1]);
        Position { columns, rows, cells: (0..rows).map(|_| read_line().chars().collect()).collect() }
    }

//: mnk
    /// All free cells: the letter of the column, and the number of the row from the bottom.
    fn moves(&self, _side: char) -> Vec<String> {
        let cells = (0..self.rows).flat_map(|row| (0..self.columns).map(move |column| (row, column)));
        let free = cells.filter(|&(row, column)| self.cells[row][column] == '.');
        free.map(|(row, column)| format!("{}{}", (b'a' + column as u8) as char, self.rows - row)).collect()
    }

    fn play(&mut self, side: char, mv: &str) {
        let column = usize::from(mv.as_bytes()[0] - b'a');
        self.cells[self.rows - number(&mv[1..])][column] = side;
    }
}

//: connect4
    /// The numbers of the columns that are not full.
    fn moves(&self, _side: char) -> Vec<String> {
        let free = (0..self.columns).filter(|&column| self.cells[0][column] == '.');
        free.map(|column| (column + 1).to_string()).collect()
    }

    fn play(&mut self, side: char, mv: &str) {
        let column = number(mv) - 1;
        let row = (0..self.rows).rev().find(|&row| self.cells[row][column] == '.').expect("a free cell");
        self.cells[row][column] = side;
    }
}

//: chess
/// The steps of a rook, then those of a bishop, then those of a knight.
const STEPS: [(i32, i32); 16] = [
    (0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1),
    (1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1),
];

/// The steps of a kind of piece, and how many of them it takes at most.
fn steps(kind: char) -> (&'static [(i32, i32)], i32) {
    match kind {
        'r' => (&STEPS[..4], 7),
        'b' => (&STEPS[4..8], 7),
        'q' => (&STEPS[..8], 7),
        'k' => (&STEPS[..8], 1),
        _ => (&STEPS[8..], 1),
    }
}

fn side_of(piece: char) -> Option<char> {
    (piece != '.').then(|| if piece.is_ascii_uppercase() { 'W' } else { 'B' })
}

/// The board as FEN writes it: `cells[rank][file]`, both from 0, capitals for white, a dot for a free
/// square. This starter never castles itself; to know when it may is left to you.
#[derive(Clone)]
struct Position {
    cells: [[char; 8]; 8],
    /// The square that a pawn has passed.
    passed: Option<(i32, i32)>,
}

impl Position {
    fn read() -> Self {
        let line = read_line();
        let fields: Vec<&str> = line.split(' ').collect();
        let mut cells = [['.'; 8]; 8];
        for (row, text) in fields[0].split('/').enumerate() {
            let mut file = 0;
            for sign in text.chars() {
                match sign.to_digit(10) {
                    Some(free) => file += free as usize,
                    None => {
                        cells[7 - row][file] = sign;
                        file += 1;
                    }
                }
            }
        }
        let passed = (fields[3] != "-").then(|| square(fields[3]));
        Position { cells, passed }
    }

    /// The piece on a square; nothing off the board.
    fn at(&self, rank: i32, file: i32) -> Option<char> {
        self.cells.get(usize::try_from(rank).ok()?)?.get(usize::try_from(file).ok()?).copied()
    }

    fn put(&mut self, (rank, file): (i32, i32), piece: char) {
        self.cells[rank as usize][file as usize] = piece;
    }

    /// Whether a side attacks a square.
    fn is_attacked(&self, (rank, file): (i32, i32), by: char) -> bool {
        let behind = if by == 'W' { -1 } else { 1 };
        let is = |rank: i32, file: i32, kind: char| {
            self.at(rank, file).is_some_and(|p| side_of(p) == Some(by) && p.to_ascii_lowercase() == kind)
        };
        let strikes = |kind: char| {
            let (steps, most) = steps(kind);
            steps.iter().any(|&(up, right)| {
                let mut far = 1;
                while far < most && self.at(rank + far * up, file + far * right) == Some('.') {
                    far += 1;
                }
                is(rank + far * up, file + far * right, kind)
            })
        };
        is(rank + behind, file - 1, 'p') || is(rank + behind, file + 1, 'p') || "rbqkn".chars().any(strikes)
    }

    /// All legal moves, but for castling: `e2e4`, `e7e8q`.
    fn moves(&self, side: char) -> Vec<String> {
        let mut found = Vec::new();
        for (rank, file) in (0..64).map(|at| (at / 8, at % 8)) {
            let piece = self.at(rank, file).expect("a square");
            if side_of(piece) != Some(side) {
                continue;
            }
            if piece.eq_ignore_ascii_case(&'p') {
                self.add_pawn_moves(&mut found, side, (rank, file));
                continue;
            }
            let (steps, most) = steps(piece.to_ascii_lowercase());
            for &(up, right) in steps {
                for far in 1..=most {
                    let to = (rank + far * up, file + far * right);
                    let Some(there) = self.at(to.0, to.1).filter(|&p| side_of(p) != Some(side)) else { break };
                    self.add(&mut found, side, name((rank, file)) + &name(to));
                    if there != '.' {
                        break;
                    }
                }
            }
        }
        found
    }

    fn add_pawn_moves(&self, found: &mut Vec<String>, side: char, (rank, file): (i32, i32)) {
        let (ahead, home) = if side == 'W' { (1, 1) } else { (-1, 6) };
        let mut targets = Vec::new();
        for to in [(rank + ahead, file - 1), (rank + ahead, file + 1)] {
            let taken = self.at(to.0, to.1).and_then(side_of);
            if self.passed == Some(to) || taken.is_some_and(|other| other != side) {
                targets.push(to);
            }
        }
        if self.at(rank + ahead, file) == Some('.') {
            targets.push((rank + ahead, file));
            if rank == home && self.at(rank + 2 * ahead, file) == Some('.') {
                targets.push((rank + 2 * ahead, file));
            }
        }
        for to in targets {
            let promotions: &[&str] = if to.0 % 7 == 0 { &["q", "r", "b", "n"] } else { &[""] };
            for promotion in promotions {
                self.add(found, side, name((rank, file)) + &name(to) + promotion);
            }
        }
    }

    /// Adds a move if it does not leave the own king in check.
    fn add(&self, found: &mut Vec<String>, side: char, mv: String) {
        let mut after = self.clone();
        after.play(side, &mv);
        let (king, other) = if side == 'W' { ('K', 'B') } else { ('k', 'W') };
        let at = (0..64).map(|at| (at / 8, at % 8)).find(|&(rank, file)| after.at(rank, file) == Some(king));
        if !at.is_some_and(|at| after.is_attacked(at, other)) {
            found.push(mv);
        }
    }

    fn play(&mut self, side: char, mv: &str) {
        let (from, to) = (square(&mv[..2]), square(&mv[2..4]));
        let piece = self.at(from.0, from.1).expect("a square");
        let is_pawn = piece.eq_ignore_ascii_case(&'p');
        let passed = self.passed.take();
        self.put(from, '.');
        let taken = self.at(to.0, to.1).and_then(side_of);
        if piece.eq_ignore_ascii_case(&'k') && (taken == Some(side) || (to.1 - from.1).abs() > 1) {
            // Castling: the king goes two files, or in Chess960 takes its own rook.
            let rook = if side == 'W' { 'R' } else { 'r' };
            let is_short = to.1 > from.1;
            let (corner, inward) = if is_short { (7, -1) } else { (0, 1) };
            let own = (0..8).map(|far| corner + far * inward).find(|&f| self.at(to.0, f) == Some(rook));
            let own = if taken == Some(side) { Some(to.1) } else { own };
            self.put((to.0, own.expect("a rook")), '.');
            self.put((to.0, if is_short { 6 } else { 2 }), piece);
            self.put((to.0, if is_short { 5 } else { 3 }), rook);
            return;
        }
        if is_pawn && passed == Some(to) {
            self.put((from.0, to.1), '.');
        }
        if is_pawn && (to.0 - from.0).abs() == 2 {
            self.passed = Some(((to.0 + from.0) / 2, to.1));
        }
        let promoted = mv.chars().nth(4).map(|kind| if side == 'W' { kind.to_ascii_uppercase() } else { kind });
        self.put(to, promoted.unwrap_or(piece));
    }
}

/// Rank and file of a square, both from 0.
fn square(name: &str) -> (i32, i32) {
    let bytes = name.as_bytes();
    (i32::from(bytes[1]) - i32::from(b'1'), i32::from(bytes[0]) - i32::from(b'a'))
}

fn name((rank, file): (i32, i32)) -> String {
    format!("{}{}", (b'a' + file as u8) as char, rank + 1)
}

//: mill
/// The cube as `cells[z][y][x]`, with the bottom plane first: 1 for W, 2 for B, or a dot.
#[derive(Clone)]
struct Position {
    cells: Vec<Vec<Vec<char>>>,
}

impl Position {
    fn read() -> Self {
        read_line(); // the size is always 4 4 4
        Position { cells: (0..4).map(|_| (0..4).map(|_| read_line().chars().collect()).collect()).collect() }
    }

    /// The columns, x and y, whose top cell is free.
    fn moves(&self, _side: char) -> Vec<String> {
        let columns = (0..4).flat_map(|x| (0..4).map(move |y| (x, y)));
        let free = columns.filter(|&(x, y): &(usize, usize)| self.cells[3][y][x] == '.');
        free.map(|(x, y)| format!("{}{}", x + 1, y + 1)).collect()
    }

    fn play(&mut self, side: char, mv: &str) {
        let (x, y) = (number(&mv[..1]) - 1, number(&mv[1..]) - 1);
        let plane = self.cells.iter_mut().find(|plane| plane[y][x] == '.').expect("a free cell");
        plane[y][x] = if side == 'W' { '1' } else { '2' };
    }
}

//: morris
/// The lines of the board. Those of three points are mills; those of two only join their points.
const SIX: &str = "0-1-2 3-4-5 10-11-12 13-14-15 0-6-13 3-7-10 5-8-12 2-9-15 1-4 6-7 8-9 11-14";
const NINE: &str = "0-1-2 3-4-5 6-7-8 9-10-11 12-13-14 15-16-17 18-19-20 21-22-23 \
                    0-9-21 3-10-18 6-11-15 1-4-7 16-19-22 8-12-17 5-13-20 2-14-23";

/// The points in order, each X, O or a dot, and the men in hand of X and of O.
#[derive(Clone)]
struct Position {
    points: Vec<char>,
    hand: [usize; 2],
    lines: Vec<Vec<usize>>,
}

impl Position {
    fn read() -> Self {
        let mut points = Vec::new();
        let mut line = read_line();
        while !line.contains(' ') {
            points.extend(line.chars());
            line = read_line();
        }
        let words: Vec<&str> = line.split(' ').collect();
        let lines = if points.len() == 16 { SIX } else { NINE };
        let lines = lines.split(' ').map(|line| line.split('-').map(number).collect()).collect();
        Position { points, hand: [number(words[1]), number(words[2])], lines }
    }

    fn of(&self, mark: char) -> Vec<usize> {
        (0..self.points.len()).filter(|&point| self.points[point] == mark).collect()
    }

    fn joined(&self, one: usize, other: usize) -> bool {
        let is = |pair: &[usize]| pair == [one, other] || pair == [other, one];
        self.lines.iter().any(|line| line.windows(2).any(is))
    }

    fn in_mill(&self, point: usize, side: char) -> bool {
        let mut mills = self.lines.iter().filter(|line| line.len() == 3 && line.contains(&point));
        mills.any(|mill| mill.iter().all(|&there| self.points[there] == side))
    }

    fn moves(&self, side: char) -> Vec<String> {
        let (own, free) = (self.of(side), self.of('.'));
        if self.hand[usize::from(side == 'O')] > 0 {
            return free.iter().flat_map(|&to| self.with_removals(side, None, to)).collect();
        }
        let every = || own.iter().flat_map(|&start| free.iter().map(move |&to| (start, to)));
        let mut steps: Vec<_> = every().filter(|&(start, to)| self.joined(start, to)).collect();
        if steps.is_empty() && own.len() == 3 {
            steps = every().collect(); // three men may fly
        }
        steps.into_iter().flat_map(|(start, to)| self.with_removals(side, Some(start), to)).collect()
    }

    /// The move, or where it closes a mill, the move with each man that may be removed.
    fn with_removals(&self, side: char, start: Option<usize>, to: usize) -> Vec<String> {
        let text = start.map_or(to.to_string(), |start| format!("{start}-{to}"));
        let mut after = self.clone();
        if let Some(start) = start {
            after.points[start] = '.';
        }
        after.points[to] = side;
        let other = if side == 'X' { 'O' } else { 'X' };
        let men = if after.in_mill(to, side) { after.of(other) } else { Vec::new() };
        if men.is_empty() {
            return vec![text];
        }
        let outside: Vec<usize> = men.iter().copied().filter(|&man| !after.in_mill(man, other)).collect();
        let removed = if outside.is_empty() { men } else { outside };
        removed.iter().map(|man| format!("{text}r{man}")).collect()
    }

    fn play(&mut self, side: char, mv: &str) {
        let (step, removed) = mv.split_once('r').unwrap_or((mv, ""));
        let to = match step.split_once('-') {
            Some((start, to)) => {
                self.points[number(start)] = '.';
                to
            }
            None => {
                self.hand[usize::from(side == 'O')] -= 1;
                step
            }
        };
        self.points[number(to)] = side;
        if !removed.is_empty() {
            self.points[number(removed)] = '.';
        }
    }
}

//: abalone
/// The steps to the six neighbours. A cell is 10 * row + column; row f begins with column 2, so
/// that a step is the same everywhere.
const STEPS: [i32; 6] = [1, -1, 10, -10, 11, -11];

fn cell(name: &str) -> i32 {
    let (row, column) = (i32::from(name.as_bytes()[0] - b'a'), i32::from(name.as_bytes()[1] - b'0'));
    10 * row + column + (row - 4).max(0)
}

fn name(cell: i32) -> String {
    let row = cell / 10;
    format!("{}{}", (b'a' + row as u8) as char, cell % 10 - (row - 4).max(0))
}

fn marble(side: char) -> char {
    if side == 'B' { '#' } else { 'O' }
}

/// The marbles by their cells, # for black and O for white, and all boards so far.
struct Position {
    cells: BTreeMap<i32, char>,
    seen: HashSet<String>,
}

fn board(cells: &BTreeMap<i32, char>) -> String {
    cells.values().collect()
}

impl Position {
    fn read() -> Self {
        let mut cells = BTreeMap::new();
        for row in (0..9).rev() {
            let left = 10 * row + 1 + (row - 4).max(0);
            cells.extend((left..).zip(read_line().chars()));
        }
        read_line(); // the side to move
        Position { seen: HashSet::from([board(&cells)]), cells }
    }

    /// Moves along a line, with pushes. Broadside moves are left to you.
    fn moves(&self, side: char) -> Vec<String> {
        let mine = marble(side);
        let mut found = Vec::new();
        for (&tail, _) in self.cells.iter().filter(|(_, there)| **there == mine) {
            for step in STEPS {
                let at = |steps: i32| self.cells.get(&(tail + steps * step)).copied();
                let own = (1..).find(|&steps| at(steps) != Some(mine)).expect("the board ends");
                let is_theirs = |cell: Option<char>| cell.is_some_and(|there| there != mine && there != '.');
                let pushed = (0..).find(|pushed| !is_theirs(at(own + pushed))).expect("as above");
                let behind = at(own + pushed); // none over the edge
                let room = behind == Some('.') || behind.is_none() && pushed > 0;
                if own > 3 || pushed >= own || !room {
                    continue;
                }
                let head = if own > 1 { name(tail + (own - 1) * step) } else { String::new() };
                let mv = format!("{}{head}-{}", name(tail), name(tail + step));
                // No board may come back.
                if !self.seen.contains(&board(&self.after(side, &mv))) {
                    found.push(mv);
                }
            }
        }
        found
    }

    /// The marbles after a move.
    fn after(&self, side: char, mv: &str) -> BTreeMap<i32, char> {
        let mut cells = self.cells.clone();
        let (start, to) = mv.split_once('-').expect("a move has a -");
        let (tail, head) = (cell(&start[..2]), cell(&start[start.len() - 2..]));
        let step = cell(to) - tail;
        let line = STEPS.into_iter().find(|&line| tail + line == head || tail + 2 * line == head);
        match line.filter(|line| *line != step) {
            None => {
                // Along the line: each marble moves the next one on.
                let (mut place, mut carried) = (tail, '.');
                while let Some(there) = cells.insert(place, carried) {
                    carried = there;
                    place += step;
                    if there == '.' || !cells.contains_key(&place) {
                        break;
                    }
                }
            }
            Some(line) => {
                for place in (0..3).map(|i| tail + i * line).take_while(|place| *place != head + line) {
                    cells.insert(place, '.');
                    cells.insert(place + step, marble(side));
                }
            }
        }
        cells
    }

    fn play(&mut self, side: char, mv: &str) {
        self.cells = self.after(side, mv);
        self.seen.insert(board(&self.cells));
    }
}

//: letters
/// The cube: `letters[x][y]` is the column from plane 1 down; x and y are counted from 0.
struct Position {
    letters: Vec<Vec<Vec<char>>>,
    /// The letters of a word in alphabetical order, and the word.
    words: HashMap<String, String>,
}

impl Position {
    fn read() -> Self {
        let sizes: Vec<usize> = read_line().split(' ').map(number).collect();
        let (rows, columns, planes) = (sizes[0], sizes[1], sizes[2]);
        let mut letters = vec![vec![Vec::new(); columns]; rows];
        // There may be an empty line between two planes.
        let lines = std::iter::repeat_with(read_line).filter(|line| !line.is_empty());
        for (number, line) in lines.take(rows * planes).enumerate() {
            for (y, letter) in line.chars().enumerate().filter(|(_, letter)| *letter != '_') {
                letters[number % rows][y].push(letter);
            }
        }
        let text = std::fs::read_to_string("dictionary.sorted").expect("the dictionary");
        let mut words = HashMap::new();
        for line in text.lines() {
            let mut parts = line.split(' ').map(str::to_owned);
            words.extend(parts.next().zip(parts.next()));
        }
        Position { letters, words }
    }

    /// Every line that makes a word, from its first cell to its last; without one, the pass.
    fn moves(&self, _side: char) -> Vec<String> {
        let mut found = Vec::new();
        for x in 0..self.letters.len() {
            for y in 0..self.letters[0].len() {
                for (dx, dy, dz) in [(0, 1, 0), (1, 0, 0), (0, 0, 1)] {
                    let mut key = Vec::new();
                    for i in 0.. {
                        let (a, b, c) = (x + i * dx, y + i * dy, i * dz);
                        let column = self.letters.get(a).and_then(|row| row.get(b));
                        let Some(letter) = column.and_then(|column| column.get(c)) else { break };
                        key.push(*letter);
                        key.sort_unstable();
                        let word = self.words.get(&key.iter().collect::<String>());
                        if let (Some(word), true) = (word, key.len() >= 3) {
                            let ends = format!("{},{},1,{},{},{}", x + 1, y + 1, a + 1, b + 1, c + 1);
                            found.push(format!("{ends},{word}"));
                        }
                    }
                }
            }
        }
        if found.is_empty() { vec!["P".to_owned()] } else { found }
    }

    fn play(&mut self, _side: char, mv: &str) {
        if mv == "P" {
            return;
        }
        let ends: Vec<usize> = mv.split(',').take(6).map(number).collect();
        for x in ends[0].min(ends[3])..=ends[0].max(ends[3]) {
            for y in ends[1].min(ends[4])..=ends[1].max(ends[4]) {
                self.letters[x - 1][y - 1].drain(ends[2] - 1..ends[5]); // the column closes up
            }
        }
    }
}

//: all
/// The move to play. Replace this by something better.
fn choose(_position: &Position, _side: char, moves: &[String]) -> String {
    let random = RandomState::new().hash_one(0) as usize; // another number in each process and call
    moves[random % moves.len()].clone()
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let side = arguments[1].chars().next().expect("a side");
    let mut position = Position::read();
    let mut my_turn = arguments[1] == arguments[2];
    loop {
        if my_turn {
            let moves = position.moves(side);
            if moves.is_empty() {
                return; // the game is over
            }
            let mv = choose(&position, side, &moves);
            position.play(side, &mv);
            println!("{side},{mv}");
            std::io::stdout().flush().expect("agon reads"); // otherwise it could wait in a buffer
        } else {
            let line = read_line();
            let (other, mv) = line.split_once(',').expect("a move has a side");
            position.play(other.chars().next().expect("a side"), mv);
        }
        my_turn = !my_turn;
    }
}
