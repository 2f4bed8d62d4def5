//! Exact search of games in which two sides fill cells and the first full line wins: m,n,k games,
//! and with gravity mill.
//!
//! A score counts from the end. On a board of `n` cells, a win with stone number `t` has the score
//! `n + 1 - t` for the winner and its negative for the loser. A draw has 0. So a score does not
//! depend on how the position was reached, and a quicker win is better.

use agon_seats::Seat;

use crate::limit::{GaveUp, PositionsLeft};
use crate::transposition::{Bound, Transpositions};
use crate::value::{Remoteness, Solution, Valuation, Value};

/// The most cells that a search can have.
pub(crate) const MOST_CELLS: u32 = 28;

/// With more stones than this, symmetric positions are too rare to look for.
const SYMMETRIC: u32 = 13;

/// The table of positions of the rest of a game has 2 to the power of so many entries.
const REST_BITS: u32 = 18;

/// Free cells and the lines over them. A line that lacks some stones is the set of cells it lacks.
pub(crate) struct LineGame {
    /// The number of cells.
    cells: u32,
    /// The lines of each side; no line is empty.
    lines: [Vec<u32>; 2],
    /// The side that puts the first stone.
    begins: usize,
    /// Cells that need no stone below. Another cell needs one in the cell of the next lower number.
    floor: u32,
    /// The maps of the cells that keep the lines, by byte, without the identity.
    symmetries: Vec<[[u32; 256]; 4]>,
    seen: Transpositions,
}

impl LineGame {
    /// The game on a whole board without gravity, on which every line is open to both sides. A
    /// symmetry is the image of each cell; the table of positions has 2 to the power of `bits`
    /// entries.
    pub(crate) fn whole(cells: u32, lines: Vec<u32>, symmetries: &[Vec<u32>], bits: u32) -> Self {
        LineGame::new(cells, [lines.clone(), lines], 0, u32::MAX, symmetries, bits)
    }

    /// The rest of a game: the cells of a board that are free now. `lines` are the cells of each
    /// line of the board, and `floor` says which of the free cells need no stone below them.
    pub(crate) fn rest<'a>(
        free: &[usize],
        lines: impl Iterator<Item = &'a [usize]>,
        owner: impl Fn(usize) -> Option<Seat>,
        begins: Seat,
        floor: u32,
    ) -> Self {
        let mut open = [Vec::new(), Vec::new()];
        for line in lines {
            let missing = (0..free.len()).filter(|at| line.contains(&free[*at])).map(|at| 1 << at).sum();
            for seat in [Seat::FIRST, Seat::SECOND] {
                if line.iter().filter_map(|cell| owner(*cell)).all(|owner| owner == seat) {
                    open[seat.index()].push(missing);
                }
            }
        }
        LineGame::new(free.len() as u32, open, begins.index(), floor, &[], REST_BITS)
    }

    fn new(
        cells: u32,
        lines: [Vec<u32>; 2],
        begins: usize,
        floor: u32,
        symmetries: &[Vec<u32>],
        bits: u32,
    ) -> Self {
        let by_bytes = |image: &Vec<u32>| {
            let mut tables = [[0; 256]; 4];
            for (byte, table) in tables.iter_mut().enumerate() {
                for (set, entry) in table.iter_mut().enumerate() {
                    let bits = (0..8).filter(|bit| set >> bit & 1 == 1).map(|bit| byte * 8 + bit);
                    *entry = bits.filter_map(|cell| image.get(cell)).fold(0, |all, cell| all | 1 << cell);
                }
            }
            tables
        };
        let symmetries = symmetries.iter().map(by_bytes).collect();
        let (lines, seen) = (lines.map(without_longer), Transpositions::new(bits));
        LineGame { cells, lines, begins, floor, symmetries, seen }
    }

    fn all(&self) -> u32 {
        (1 << self.cells) - 1
    }

    fn mover(&self, stones: u32) -> usize {
        (self.begins + stones as usize) % 2
    }

    fn has_gravity(&self) -> bool {
        self.floor & self.all() != self.all()
    }

    /// The free cells that can get a stone now.
    #[inline]
    fn landings(&self, free: u32) -> u32 {
        free & !(free << 1 & !self.floor)
    }

    /// The value of a position in which the game is not over, from the stones of the side to move
    /// and of the other. Unknown if the search gives up.
    pub(crate) fn valuation(&self, own: u32, other: u32, left: &PositionsLeft<'_>) -> Valuation {
        match self.score(own, other, left) {
            Err(GaveUp) => Valuation::Unknown { why: "too many cells are free to search to the end" },
            Ok(0) => Solution::DRAWN.into(),
            Ok(score) => {
                let remoteness = Remoteness::Plies(self.plies(score, (own | other).count_ones()) as u16);
                let value = if score > 0 { Value::Won } else { Value::Lost };
                Solution { value, remoteness }.into()
            }
        }
    }

    /// The exact score of a position in which the game is not over, from the stones of the side to
    /// move and of the other.
    ///
    /// # Errors
    /// [`GaveUp`], if it reaches its limit.
    fn score(&self, own: u32, other: u32, left: &PositionsLeft<'_>) -> Result<i8, GaveUp> {
        let run = Run { game: self, left };
        let stones = (own | other).count_ones();
        let (mut least, mut most) = (-self.soonest(stones + 2), self.soonest(stones + 1));
        // Short ends first: they are found soon, and the sign of the score is often clear then.
        let mut looked = false;
        while least < most {
            // The side to move ends the game with an odd number of plies from here, the other with
            // an even one.
            most -= i8::from(most > 0 && self.plies(most, stones).is_multiple_of(2));
            least += i8::from(least < 0 && !self.plies(least, stones).is_multiple_of(2));
            if least == most {
                break;
            }
            let near = most.max(-least);
            let is_sign_open = least < 1 && most > -1;
            let window = if near <= self.soonest(stones + 7) && is_sign_open && !looked {
                looked = true;
                (-1, 1)
            } else if most > 0 && most >= -least {
                (most - 1, most)
            } else {
                (least, least + 1)
            };
            let (alpha, beta) = (window.0.max(least), window.1.min(most));
            let score = run.search(own, other, alpha, beta)?;
            if score <= alpha {
                most = most.min(score.max(least));
            } else if score >= beta {
                least = least.max(score.min(most));
            } else {
                (least, most) = (score, score);
            }
        }
        Ok(least)
    }

    /// The plies from so many stones to the end with this score, which is not 0.
    fn plies(&self, score: i8, stones: u32) -> u32 {
        self.cells + 1 - u32::from(score.unsigned_abs()) - stones
    }

    /// The score of a win with this stone.
    fn soonest(&self, stone: u32) -> i8 {
        (self.cells as i8 + 1 - stone as i8).max(0)
    }

    /// Those of these cells with which a side completes a line.
    #[inline]
    fn wins(&self, side: usize, own: u32, cells: u32) -> u32 {
        let mut found = 0;
        for line in &self.lines[side] {
            let missing = line & !own;
            if missing & missing.wrapping_sub(1) == 0 {
                found |= missing & cells;
            }
        }
        found
    }

    /// The position as a number, the smallest of its images.
    fn number(&self, own: u32, other: u32) -> u64 {
        let symmetries = if (own | other).count_ones() <= SYMMETRIC { &self.symmetries[..] } else { &[] };
        let number = |own: u32, other: u32| u64::from(own) << MOST_CELLS | u64::from(other);
        let map = |table: &[[u32; 256]; 4], set: u32| {
            let [a, b, c, d] = set.to_le_bytes().map(usize::from);
            table[0][a] | table[1][b] | table[2][c] | table[3][d]
        };
        let images = symmetries.iter().map(|table| number(map(table, own), map(table, other)));
        images.fold(number(own, other), u64::min)
    }
}

/// Leaves out lines that contain another one: they are never full first.
fn without_longer(mut lines: Vec<u32>) -> Vec<u32> {
    lines.sort_unstable_by_key(|line| (line.count_ones(), *line));
    lines.dedup();
    let mut kept: Vec<u32> = Vec::new();
    for line in lines {
        if kept.iter().all(|shorter| line & shorter != *shorter) {
            kept.push(line);
        }
    }
    kept
}

/// One search, with what it may still look at.
struct Run<'a> {
    game: &'a LineGame,
    left: &'a PositionsLeft<'a>,
}

impl Run<'_> {
    /// The score if it is between `alpha` and `beta`, otherwise a bound beyond them.
    fn search(&self, own: u32, other: u32, mut alpha: i8, mut beta: i8) -> Result<i8, GaveUp> {
        debug_assert!(alpha < beta, "{alpha} {beta}");
        let game = self.game;
        let stones = (own | other).count_ones();
        let free = game.all() & !(own | other);
        let side = game.mover(stones);
        let landings = game.landings(free);
        if game.wins(side, own, landings) != 0 {
            return Ok(game.soonest(stones + 1));
        }
        let threats = game.wins(1 - side, other, landings);
        if threats & threats.wrapping_sub(1) != 0 {
            return Ok(-game.soonest(stones + 2));
        }
        if stones + 1 >= game.cells {
            return Ok(0);
        }
        self.left.count()?;

        // With gravity a side may have to put the stone on which the other one wins.
        let sooner = if game.has_gravity() { 2 } else { 4 };
        let (mut least, mut most) = (-game.soonest(stones + sooner), game.soonest(stones + 3));
        let number = game.number(own, other);
        match game.seen.get(number) {
            Some((score, Bound::Exact)) => return Ok(score),
            Some((score, Bound::AtLeast)) => least = least.max(score),
            Some((score, Bound::AtMost)) => most = most.min(score),
            None => {}
        }
        if least >= beta || least >= most {
            return Ok(least);
        }
        if most <= alpha {
            return Ok(most);
        }
        let ranks = Ranks::new(game, side, own, other, free);
        if most > 0 && ranks.cannot_win(0) {
            most = 0;
        }
        if least < 0 && ranks.cannot_win(1) {
            least = 0;
        }
        if least >= beta || least >= most {
            return Ok(least);
        }
        if most <= alpha {
            return Ok(most);
        }
        (alpha, beta) = (alpha.max(least), beta.min(most));

        let (mut moves, count) = ranks.moves(if threats != 0 { threats } else { landings });
        let (mut best, floor) = (i8::MIN, alpha);
        for next in 0..count {
            let cell = pick(&mut moves[next..count]);
            let score = -self.search(other, own | 1 << cell, -beta, -alpha)?;
            best = best.max(score);
            alpha = alpha.max(score);
            if alpha >= beta {
                break;
            }
        }
        let bound = match best {
            _ if best >= beta => Bound::AtLeast,
            _ if best <= floor => Bound::AtMost,
            _ => Bound::Exact,
        };
        game.seen.put(number, best, bound);
        Ok(best)
    }
}

/// Moves the highest entry to the front and returns its cell.
fn pick(moves: &mut [(u16, u8)]) -> u8 {
    let best = (0..moves.len()).max_by_key(|at| moves[*at].0).unwrap_or(0);
    moves.swap(0, best);
    moves[0].1
}

/// How promising the free cells are, and whether a side can still win.
struct Ranks {
    ranks: [u16; 32],
    /// Whether the side to move and the other have a line without a stone of their opponent.
    alive: [bool; 2],
    /// Whether two free cells of each of these lines can be paired. Then the opponent answers in
    /// the other cell of a pair, and the side never fills a line.
    is_paired: [bool; 2],
    /// The sum over these lines of one half to the power of the cells that they lack, in units of
    /// [`ONE`]. While it is less than 1 and the opponent is to move, the opponent always has a move
    /// that keeps it there (Erdős and Selfridge). A full line alone would count 1.
    weight: [u32; 2],
}

/// The weight of a full line. No line lacks more cells than a board has.
const ONE: u32 = 1 << 26;

impl Ranks {
    fn new(game: &LineGame, side: usize, own: u32, other: u32, free: u32) -> Self {
        // With gravity a side cannot answer where it likes.
        let is_paired = [!game.has_gravity(); 2];
        let mut found = Ranks { ranks: [0; 32], alive: [false; 2], is_paired, weight: [0; 2] };
        for (who, (mine, theirs)) in [(own, other), (other, own)].into_iter().enumerate() {
            let mut unpaired = free;
            for line in game.lines[side ^ who].iter().filter(|line| *line & theirs == 0) {
                found.alive[who] = true;
                let missing = line & free;
                found.weight[who] = found.weight[who].saturating_add(ONE >> missing.count_ones());
                let has = (line & mine).count_ones();
                let rank = 1 << (3 * has).min(12);
                let mut left = missing;
                while left != 0 {
                    found.ranks[left.trailing_zeros() as usize] += rank;
                    left &= left - 1;
                }
                let one = missing & unpaired;
                let two = one & one.wrapping_sub(1);
                if two == 0 {
                    found.is_paired[who] = false;
                } else {
                    unpaired &= !(one & one.wrapping_neg()) & !(two & two.wrapping_neg());
                }
            }
        }
        if game.has_gravity() {
            // Neither can it block where it likes.
            found.weight = [ONE; 2];
        }
        found
    }

    /// Whether the side to move (0) or the other one (1) can never fill a line, as far as is easy
    /// to see.
    fn cannot_win(&self, who: usize) -> bool {
        // A side that moves first can double the weight.
        let least = if who == 0 { ONE / 2 } else { ONE };
        !self.alive[who] || self.is_paired[who] || self.weight[who] < least
    }

    fn moves(&self, cells: u32) -> ([(u16, u8); 32], usize) {
        let mut moves = [(0, 0); 32];
        let mut count = 0;
        let mut left = cells;
        while left != 0 {
            let cell = left.trailing_zeros();
            moves[count] = (self.ranks[cell as usize], cell as u8);
            count += 1;
            left &= left - 1;
        }
        (moves, count)
    }
}
