//! Alpha-beta with iterative deepening, the same for every game.
//!
//! The order of moves: the cache's move, then by the game's promise, killers and history. The first
//! move is searched with the full window, the others with a null window until one is better, late
//! ones less deep. A forced move does not cost depth.

use agon_games::{Ending, Status};
use agon_seats::Seat;

use super::cache::{Bound, Cache};
use super::evaluate::{ALMOST_WON, Evaluate, key_of};
use super::talk::Watch;
use super::talk::watch::{Score, Thought};

/// The value of a game that is won in this position.
const WON: i32 = 30_000;

/// The most plies below the root, even with forced moves.
const PLIES: usize = 128;

/// The number of history counters, which moves share.
const SLOTS: usize = 4096;

/// The clock is read once in this many positions.
const NODES_A_LOOK: u64 = 1024;

/// A search, with its memory from move to move.
pub(crate) struct Search<P: Evaluate> {
    cache: Cache<P::Move>,
    history: [Vec<i32>; 2],
    killers: Vec<[Option<P::Move>; 2]>,
    /// The moves at each ply, in reused vectors.
    lists: Vec<Vec<(i32, P::Move)>>,
    plain: Vec<P::Move>,
    nodes: u64,
    stopped: bool,
    deepest: usize,
}

impl<P: Evaluate> Search<P> {
    /// A search with a cache of this many megabytes.
    pub(crate) fn new(megabytes: u32) -> Self {
        Search {
            cache: Cache::new(megabytes),
            history: [vec![0; SLOTS], vec![0; SLOTS]],
            killers: vec![[None; 2]; PLIES],
            lists: (0..PLIES).map(|_| Vec::new()).collect(),
            plain: Vec::new(),
            nodes: 0,
            stopped: false,
            deepest: PLIES,
        }
    }

    /// The best move found in time; `None` if the game is over.
    pub(crate) fn choose(&mut self, start: &P, depth: u32, watch: &mut Watch<'_>) -> Option<P::Move> {
        let Status::ToMove(seat) = start.status() else { return None };
        self.nodes = 0;
        self.stopped = false;
        self.killers.fill([None; 2]);
        self.history.iter_mut().flatten().for_each(|count| *count /= 8);

        let mut position = start.clone();
        let moves = self.ordered(&position, seat, 0);
        let only = moves.len() == 1;
        let mut best = moves.first().map(|(_, mv)| *mv)?;
        self.lists[0] = moves;
        // Reduced late moves may take three off the depth in one ply.
        let rounds = depth.min(watch.depth).min(start.plies_left().saturating_mul(3)).max(1);
        for round in 1..=rounds {
            let Some((mv, value)) = self.round(&mut position, seat, round, watch) else { break };
            best = mv;
            if self.stopped {
                break;
            }
            let score = score(value);
            let line = self.line(start, best, round);
            watch.tell(&Thought { depth: round, score, nodes: self.nodes, line });
            // A forced win does not change any more, and a forced move needs no search.
            if only || !matches!(score, Score::Points(_)) || watch.should_stop() {
                break;
            }
        }
        Some(best)
    }

    /// Searches to this depth. Returns the best move and its value; if it had to stop, the best of
    /// the moves it finished, or `None` if it finished none.
    fn round(
        &mut self,
        position: &mut P,
        seat: Seat,
        round: u32,
        watch: &mut Watch<'_>,
    ) -> Option<(P::Move, i32)> {
        let depth = i32::try_from(round).unwrap_or(i32::MAX);
        self.deepest = (2 * round as usize + 8).min(PLIES - 1);
        let moves = self.ordered(position, seat, 0);
        let mut best = None;
        let mut alpha = -WON;
        for &(_, mv) in &moves {
            let undo = position.play(mv);
            let other = seat.other();
            let mut value = if best.is_none() {
                -self.value(position, other, depth - 1, -WON, -alpha, 1, watch)
            } else {
                -self.value(position, other, depth - 1, -alpha - 1, -alpha, 1, watch)
            };
            if value > alpha && best.is_some() && !self.stopped {
                value = -self.value(position, other, depth - 1, -WON, -alpha, 1, watch);
            }
            position.undo(undo);
            if self.stopped {
                break;
            }
            if best.is_none() || value > alpha {
                best = Some((mv, value));
                alpha = value;
            }
        }
        if let Some((mv, value)) = best
            && !self.stopped
        {
            self.cache.note(position.key(), Some(mv), value, 0, depth, Bound::Exact);
        }
        self.lists[0] = moves;
        best
    }

    /// The value for `seat`, which is to move unless the game is over.
    #[allow(clippy::too_many_arguments)] // the window, the depth and the place are what alpha-beta is about
    fn value(
        &mut self,
        position: &mut P,
        seat: Seat,
        depth: i32,
        mut alpha: i32,
        mut beta: i32,
        ply: i32,
        watch: &mut Watch<'_>,
    ) -> i32 {
        self.nodes += 1;
        if self.nodes.is_multiple_of(NODES_A_LOOK) && watch.must_stop(self.nodes) {
            self.stopped = true;
        }
        if self.stopped {
            return 0;
        }
        match position.status() {
            Status::Over(Ending::Win(winner, _)) if winner == seat => return WON - ply,
            Status::Over(Ending::Win(..)) => return ply - WON,
            Status::Over(Ending::Draw(_)) => return 0,
            Status::ToMove(_) => {}
        }
        let here = ply as usize;
        if depth <= 0 || here >= self.deepest {
            return position.evaluate();
        }
        // A win takes at least one ply from here, a loss at least two.
        alpha = alpha.max(ply - WON);
        beta = beta.min(WON - ply - 1);
        if alpha >= beta {
            return alpha;
        }

        let key = position.key();
        if let Some(value) = self.known(key, depth, alpha, beta, ply) {
            return value;
        }

        let moves = self.ordered(position, seat, here);
        let forced = moves.len() == 1;
        let deeper = if forced { depth } else { depth - 1 };
        let before = alpha;
        let mut best = None;
        let mut most = -WON;
        for (number, &(_, mv)) in moves.iter().enumerate() {
            let undo = position.play(mv);
            let other = seat.other();
            let mut value;
            if number == 0 {
                value = -self.value(position, other, deeper, -beta, -alpha, ply + 1, watch);
            } else {
                let less =
                    if depth >= 3 && number >= 4 { 1 + i32::from(depth >= 6 && number >= 12) } else { 0 };
                value = -self.value(position, other, deeper - less, -alpha - 1, -alpha, ply + 1, watch);
                if less > 0 && value > alpha {
                    value = -self.value(position, other, deeper, -alpha - 1, -alpha, ply + 1, watch);
                }
                if value > alpha && value < beta {
                    value = -self.value(position, other, deeper, -beta, -alpha, ply + 1, watch);
                }
            }
            position.undo(undo);
            if self.stopped {
                break;
            }
            if value > most {
                (most, best) = (value, Some(mv));
            }
            alpha = alpha.max(value);
            if alpha >= beta {
                self.praise(mv, seat, here, depth);
                break;
            }
        }
        self.lists[here] = moves;
        if self.stopped {
            return 0;
        }
        let bound = match most {
            most if most >= beta => Bound::Lower,
            most if most > before => Bound::Exact,
            _ => Bound::Upper,
        };
        let best = best.filter(|_| bound != Bound::Upper);
        self.cache.note(key, best, most, ply, depth, bound);
        most
    }

    /// The value that an earlier search of this depth has found, if that is enough for this window.
    fn known(&self, key: u64, depth: i32, alpha: i32, beta: i32, ply: i32) -> Option<i32> {
        let known = self.cache.find(key).filter(|known| i32::from(known.depth) >= depth)?;
        let value = known.value(ply);
        let is_enough = match known.bound {
            Bound::Exact => true,
            Bound::Lower => value >= beta,
            Bound::Upper => value <= alpha,
        };
        is_enough.then_some(value)
    }

    /// The moves to search, the best first. The caller returns the vector to `lists` afterwards.
    ///
    /// The cache's move is used only if it is one of them. It may belong to another position with
    /// the same key, or to this one after other moves.
    fn ordered(&mut self, position: &P, seat: Seat, ply: usize) -> Vec<(i32, P::Move)> {
        let mut list = std::mem::take(&mut self.lists[ply]);
        position.candidates(&mut self.plain);
        let known = self.cache.find(position.key()).and_then(|entry| entry.best);
        let [first, second] = self.killers[ply];
        let history = &self.history[seat.index()];
        list.clear();
        list.extend(self.plain.iter().map(|&mv| {
            let place = match Some(mv) {
                mv if mv == known => 1 << 30,
                mv if mv == first => 600 << 16,
                mv if mv == second => 500 << 16,
                _ => history[slot(mv)],
            };
            (place + (position.promise(mv) << 16), mv)
        }));
        list.sort_by_key(|(place, _)| std::cmp::Reverse(*place)); // stable: equals keep the game's order
        list
    }

    /// Stores a move that refuted the one before it.
    fn praise(&mut self, mv: P::Move, seat: Seat, ply: usize, depth: i32) {
        let killers = &mut self.killers[ply];
        if killers[0] != Some(mv) {
            *killers = [Some(mv), killers[0]];
        }
        let count = &mut self.history[seat.index()][slot(mv)];
        *count = (*count + ((depth * depth) << 6)).min(1 << 23);
    }

    /// The expected moves, as far as the cache knows them.
    fn line(&self, start: &P, first: P::Move, most: u32) -> Vec<String> {
        let mut position = start.clone();
        let mut line = vec![first.to_string()];
        let mut legal = Vec::new();
        position.play(first);
        for _ in 1..most {
            position.moves(&mut legal);
            let next = self.cache.find(position.key()).and_then(|entry| entry.best);
            let Some(mv) = next.filter(|mv| legal.contains(mv)) else { break };
            line.push(mv.to_string());
            position.play(mv);
        }
        line
    }
}

fn slot<M: std::hash::Hash>(mv: M) -> usize {
    key_of(&mv) as usize % SLOTS
}

fn score(value: i32) -> Score {
    match value {
        value if value > ALMOST_WON => Score::Wins((WON - value).unsigned_abs()),
        value if value < -ALMOST_WON => Score::Loses((WON + value).unsigned_abs()),
        value => Score::Points(value),
    }
}

#[cfg(test)]
mod tests {
    use agon_games::Position;
    use agon_games::abalone::Abalone;
    use agon_games::mill::MillCube;
    use agon_games::mnk::Mnk;
    use agon_games::morris::Morris;

    use super::*;

    fn chosen<P: Evaluate>(search: &mut Search<P>, position: &P, depth: u32) -> (String, Thought) {
        let mut last = None;
        let mut keep = |thought: &Thought, _| last = Some(thought.clone());
        let mut nobody = || false;
        let mut watch = Watch::new(std::time::Instant::now(), None, &mut nobody, &mut keep);
        let mv = search.choose(position, depth, &mut watch).unwrap();
        (mv.to_string(), last.unwrap())
    }

    fn looked_at<P: Evaluate>(search: &mut Search<P>, position: &P, seat: Seat) -> Vec<P::Move> {
        search.ordered(position, seat, 0).into_iter().map(|(_, mv)| mv).collect()
    }

    fn after<P: Position>(mut position: P, moves: &str) -> P {
        for mv in moves.split_whitespace() {
            position.play(position.parse(mv).unwrap());
        }
        position
    }

    /// The value by the rules alone: every move, to the end.
    fn plain<P: Position>(position: &mut P, seat: Seat, ply: i32) -> i32 {
        match position.status() {
            Status::Over(Ending::Win(winner, _)) if winner == seat => return WON - ply,
            Status::Over(Ending::Win(..)) => return ply - WON,
            Status::Over(Ending::Draw(_)) => return 0,
            Status::ToMove(_) => {}
        }
        let mut moves = Vec::new();
        position.moves(&mut moves);
        let values = moves.into_iter().map(|mv| {
            let undo = position.play(mv);
            let value = -plain(position, seat.other(), ply + 1);
            position.undo(undo);
            value
        });
        values.max().unwrap()
    }

    #[test]
    fn a_move_of_the_cache_that_is_not_legal_here_is_not_played() {
        let mut search = Search::new(1);
        let start = Abalone::default().position();
        let mv = start.parse("a1c3-b2").unwrap_err(); // white's
        assert!(mv.to_string().contains("a1"));
        let foreign = after(start.clone(), "i1g3-h2").parse("a1c3-b2").unwrap();
        search.cache.note(start.key(), Some(foreign), 10, 0, 1, Bound::Exact);
        assert!(!looked_at(&mut search, &start, Seat::FIRST).contains(&foreign));
        let (mv, _) = chosen(&mut search, &start, 2);
        assert!(start.parse(&mv).is_ok(), "{mv}");
    }

    #[test]
    fn a_board_that_was_there_before_is_not_brought_back() {
        // From another game the cache knows the way back as the best move; here the Ko rule forbids
        // it.
        let mut search = Search::new(1);
        let there = after(Abalone::default().position(), "g3-f3 c3-d3 f3-g3");
        assert!(there.parse("d3-c3").is_err());
        let mut elsewhere = there.text();
        elsewhere.truncate(elsewhere.rfind(' ').unwrap()); // without the number of plies
        let elsewhere = Abalone::default().position_from(&elsewhere).unwrap();
        let back = elsewhere.parse("d3-c3").unwrap();
        assert_eq!(there.key(), elsewhere.key());
        search.cache.note(elsewhere.key(), Some(back), 10, 0, 1, Bound::Exact);
        assert_eq!(looked_at(&mut search, &elsewhere, Seat::SECOND)[0], back);
        assert!(!looked_at(&mut search, &there, Seat::SECOND).contains(&back));
        let (mv, _) = chosen(&mut search, &there, 2);
        assert!(there.parse(&mv).is_ok(), "{mv}");
    }

    #[test]
    fn small_games_have_the_value_that_the_rules_give_them() {
        for (rules, moves) in [
            ("3x3,3", "b2"),
            ("4x3,3", "a1 b2 d2"),
            ("3x3,3", "a1 b1"),
            ("3x3,3", "b2 b1"),
            ("3x3,3", "a1 b2 c3"),
            ("4x3,3", "a1 b1 b2 c3"),
            ("3x4,4", "a1 b1 b2 c3 a2"),
            ("5x2,2", "a1"),
        ] {
            let mut board = after(rules.parse::<Mnk>().unwrap().board(), moves);
            let Status::ToMove(seat) = board.status() else { panic!("{rules} {moves} is over") };
            let (_, thought) = chosen(&mut Search::new(1), &board, 20);
            // It need not find the shortest win.
            let right = match (thought.score, score(plain(&mut board, seat, 0))) {
                (Score::Wins(found), Score::Wins(plies)) | (Score::Loses(found), Score::Loses(plies)) => {
                    found >= plies
                }
                (Score::Points(0), Score::Points(0)) => true,
                _ => false,
            };
            assert!(right, "{rules} {moves}: {}", thought.score);
        }
    }

    #[test]
    fn a_mill_that_wins_a_man_is_closed() {
        let position = after(Morris::default().position(), "0 3 1 4");
        let (mv, _) = chosen(&mut Search::new(1), &position, 3);
        assert!(mv.starts_with("2r"), "{mv}");
    }

    #[test]
    fn nothing_is_chosen_when_the_game_is_over() {
        let cube = after(MillCube::default(), "11 12 21 22 31 32 41");
        let (mut nobody, mut quiet) = (|| false, |_: &_, _| {});
        let mut watch = Watch::new(std::time::Instant::now(), None, &mut nobody, &mut quiet);
        assert_eq!(Search::new(1).choose(&cube, 3, &mut watch), None);
    }

    #[test]
    fn a_search_that_is_stopped_at_once_still_has_a_legal_move() {
        let board = after("15x15,5".parse::<Mnk>().unwrap().board(), "h8 h9 j10");
        let (mut everybody, mut quiet) = (|| true, |_: &_, _| {});
        let mut watch =
            Watch::new(std::time::Instant::now(), None, &mut everybody, &mut quiet).within(100, 0);
        let mv = Search::new(1).choose(&board, 100, &mut watch).unwrap();
        assert!(board.parse(&mv.to_string()).is_ok());
    }
}
