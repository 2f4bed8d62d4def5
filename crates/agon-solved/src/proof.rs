//! What a search of a few plies proves of the moves of a game: wins that were missed, and moves
//! after which the other side wins whatever is played. It needs no values of the game, so it serves
//! games that are not solved.

use agon_games::{Ending, Position, Status};
use agon_seats::{Refusal, Seat};

/// How far a search looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProofSearch {
    /// The plies of the longest line.
    pub depth: u32,
    /// The most positions that it looks at for one question. What takes more is not claimed.
    pub positions: u64,
}

/// What was proved of a played move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProvedMove {
    /// The number of the ply, from 1.
    pub number: usize,
    /// The side that made it.
    pub seat: Seat,
    /// The move, with its side.
    pub text: String,
    /// A win that it missed: the shortest line that wins.
    pub missed: Option<Vec<String>>,
    /// A loss that it allowed.
    pub lost: Option<AllowedLoss>,
    /// What it scored in the unit of the game.
    pub gain: i32,
    /// The move that scores most at once, and how much, if it scores more.
    pub best_gain: Option<(i32, String)>,
}

/// A move after which the other side wins, where another one could save the game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AllowedLoss {
    /// The shortest line with which the other side wins.
    pub line: Vec<String>,
    /// A move after which no such line was found.
    pub saving: String,
}

/// What was proved of a game.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ProvedGame {
    /// Its moves.
    pub moves: Vec<ProvedMove>,
    /// The side that has lost by the rules.
    pub loser: Option<Seat>,
}

impl ProvedGame {
    /// The last move of the loser at which the game could be saved.
    pub fn last_moment(&self) -> Option<&ProvedMove> {
        let loser = self.loser?;
        self.moves.iter().rfind(|played| played.seat == loser && played.lost.is_some())
    }
}

/// Plays the moves of a game from a position, and looks at each of them.
///
/// # Errors
/// The number of the ply that cannot be played, from 1, and why.
pub(crate) fn proved<P: Position>(
    mut position: P,
    seats: &[&str],
    moves: &[String],
    search: ProofSearch,
) -> Result<ProvedGame, (usize, Refusal)> {
    let mut all = Vec::new();
    for (number, line) in (1..).zip(moves) {
        let Status::ToMove(seat) = position.status() else {
            return Err((number, Refusal::illegal("the game is over")));
        };
        let side = seats[seat.index()];
        let bare = line.split_once(',').filter(|(named, _)| named.eq_ignore_ascii_case(side));
        let mv = position.parse(bare.map_or(line.as_str(), |(_, mv)| mv)).map_err(|why| (number, why))?;
        all.push(looked_at(&mut position, seats, (number, seat), mv, search));
        position.play(mv);
    }
    let loser = match position.status() {
        Status::Over(Ending::Win(winner, _)) => Some(winner.other()),
        _ => None,
    };
    Ok(ProvedGame { moves: all, loser })
}

fn looked_at<P: Position>(
    position: &mut P,
    seats: &[&str],
    (number, seat): (usize, Seat),
    played: P::Move,
    search: ProofSearch,
) -> ProvedMove {
    let told = |line: &[P::Move]| {
        let sides = [seat, seat.other()].into_iter().cycle();
        line.iter().zip(sides).map(|(mv, by)| format!("{},{mv}", seats[by.index()])).collect::<Vec<_>>()
    };
    let mut moves = Vec::new();
    position.moves(&mut moves);
    let before = position.score(seat);
    let gains: Vec<i32> =
        moves.iter().map(|mv| after(position, *mv, |next| next.score(seat) - before)).collect();
    let gain = moves.iter().zip(&gains).find(|(mv, _)| **mv == played).map_or(0, |(_, gain)| *gain);
    let best = moves.iter().zip(&gains).max_by_key(|(_, gain)| **gain).filter(|(_, best)| **best > gain);

    let win = Prover::of(search).shortest_win(position, search.depth);
    let missed = win.filter(|line| {
        let one_less = search.depth.saturating_sub(1);
        after(position, played, |next| match next.status() {
            Status::Over(Ending::Win(winner, _)) => winner != seat,
            Status::Over(Ending::Draw(_)) => true,
            Status::ToMove(_) => {
                let mut prover = Prover::of(search);
                let wins_too = prover.longest_loss(next, one_less).is_some();
                // Whether a slower win was played is open if the search was cut off.
                !wins_too && (line.len() == 1 || !prover.is_cut)
            }
        })
    });
    let lost = after(position, played, |next| losing(next, search)).ok().flatten();
    let lost = lost.and_then(|line| {
        let saves = |mv: &&P::Move| {
            **mv != played && matches!(after(position, **mv, |next| losing(next, search)), Ok(None))
        };
        let saving = moves.iter().find(saves)?;
        let sides = [seat.other(), seat].into_iter().cycle();
        let line = line.iter().zip(sides).map(|(mv, by)| format!("{},{mv}", seats[by.index()])).collect();
        Some(AllowedLoss { line, saving: told(&[*saving]).remove(0) })
    });
    ProvedMove {
        number,
        seat,
        text: told(&[played]).remove(0),
        missed: missed.map(|line| told(&line)),
        lost,
        gain,
        best_gain: best.map(|(mv, gain)| (*gain, told(&[*mv]).remove(0))),
    }
}

/// What holds behind a move, which is taken back.
fn after<P: Position, T>(position: &mut P, mv: P::Move, look: impl FnOnce(&mut P) -> T) -> T {
    let undo = position.play(mv);
    let seen = look(position);
    position.undo(undo);
    seen
}

/// The line with which the side to move wins, if there is one; an error if the search was cut off.
fn losing<P: Position>(position: &mut P, search: ProofSearch) -> Result<Option<Vec<P::Move>>, ()> {
    let mut prover = Prover::of(search);
    match prover.shortest_win(position, search.depth.saturating_sub(1)) {
        Some(line) => Ok(Some(line)),
        None if prover.is_cut => Err(()),
        None => Ok(None),
    }
}

/// A search for one question.
struct Prover {
    left: u64,
    is_cut: bool,
}

impl Prover {
    fn of(search: ProofSearch) -> Self {
        Prover { left: search.positions, is_cut: false }
    }

    /// Counts a position; false if there were too many.
    fn goes_on(&mut self) -> bool {
        self.is_cut |= self.left == 0;
        self.left = self.left.saturating_sub(1);
        !self.is_cut
    }

    /// The shortest line of at most so many plies with which the side to move wins by force.
    fn shortest_win<P: Position>(&mut self, position: &mut P, depth: u32) -> Option<Vec<P::Move>> {
        (1..=depth).step_by(2).find_map(|depth| self.win(position, depth))
    }

    fn win<P: Position>(&mut self, position: &mut P, depth: u32) -> Option<Vec<P::Move>> {
        let Status::ToMove(mover) = position.status() else { return None };
        let mut moves = Vec::new();
        position.moves(&mut moves);
        if depth == 1 {
            return moves
                .into_iter()
                .find(|mv| self.goes_on() && wins(position, *mv, mover))
                .map(|mv| vec![mv]);
        }
        moves.into_iter().find_map(|mv| {
            let rest = after(position, mv, |next| self.longest_loss(next, depth - 1))?;
            Some([vec![mv], rest].concat())
        })
    }

    /// The longest line of at most so many plies after which the side to move has lost, whatever it
    /// plays.
    fn longest_loss<P: Position>(&mut self, position: &mut P, depth: u32) -> Option<Vec<P::Move>> {
        let Status::ToMove(mover) = position.status() else { return None };
        if depth < 2 {
            return None;
        }
        let mut moves = Vec::new();
        position.moves(&mut moves);
        let mut longest: Vec<P::Move> = Vec::new();
        for mv in moves {
            if !self.goes_on() {
                return None;
            }
            let rest = after(position, mv, |next| match next.status() {
                Status::Over(Ending::Win(winner, _)) if winner != mover => Some(Vec::new()),
                Status::Over(_) => None,
                Status::ToMove(_) => self.shortest_win(next, depth - 1),
            })?;
            if rest.len() + 1 > longest.len() {
                longest = [vec![mv], rest].concat();
            }
        }
        Some(longest)
    }
}

fn wins<P: Position>(position: &mut P, mv: P::Move, mover: Seat) -> bool {
    after(
        position,
        mv,
        |next| matches!(next.status(), Status::Over(Ending::Win(winner, _)) if winner == mover),
    )
}

#[cfg(test)]
mod tests {
    use agon_games::mill::MillCube;
    use agon_games::mnk::Mnk;

    use super::*;

    const SEARCH: ProofSearch = ProofSearch { depth: 5, positions: 200_000 };

    fn mnk(size: &str, moves: &str, search: ProofSearch) -> ProvedGame {
        let rules: Mnk = size.parse().unwrap();
        let moves: Vec<String> = moves.split(' ').map(str::to_owned).collect();
        proved(rules.read("startpos").unwrap(), &["X", "O"], &moves, search).unwrap()
    }

    /// A ply, the line of a win that it missed, and that of a loss with the saving move.
    type Found = (usize, Option<String>, Option<(String, String)>);

    fn lines(game: &ProvedGame) -> Vec<Found> {
        let told = |played: &ProvedMove| {
            let lost = played.lost.as_ref().map(|lost| (lost.line.join(" "), lost.saving.clone()));
            (played.number, played.missed.as_ref().map(|line| line.join(" ")), lost)
        };
        game.moves.iter().map(told).filter(|(_, missed, lost)| missed.is_some() || lost.is_some()).collect()
    }

    #[test]
    fn a_missed_win_a_missed_block_and_the_last_moment_are_found() {
        // X threatens a2 b2 c2, and O does not see it. Nor does X, which does not see b1 either.
        let game = mnk("3x3,3", "b2 a1 a2 c1 a3 b1", SEARCH);
        assert_eq!(game.loser, Some(Seat::FIRST));
        let found = lines(&game);
        let of = |number: usize| found.iter().find(|(own, ..)| *own == number).cloned().unwrap();
        assert_eq!(of(4).2, Some(("X,c2".to_owned(), "O,c2".to_owned())));
        let (_, missed, lost) = of(5);
        assert_eq!(missed.as_deref(), Some("X,c2"));
        assert_eq!(lost, Some(("O,b1".to_owned(), "X,b1".to_owned())));
        assert_eq!(game.last_moment().map(|played| played.number), Some(5));
    }

    #[test]
    fn a_fork_is_a_loss_by_force_and_nothing_is_claimed_when_the_search_is_cut_off() {
        // After an edge in answer to a corner, X forks.
        let game = mnk("3x3,3", "a1 b1 a3 a2 c3 b2 b3", ProofSearch { depth: 7, ..SEARCH });
        let lost: Vec<usize> = game
            .moves
            .iter()
            .filter(|played| played.seat == Seat::SECOND && played.lost.is_some())
            .map(|played| played.number)
            .collect();
        assert_eq!(lost, [2], "the edge loses, and nothing saves the game later");
        assert_eq!(game.last_moment().map(|played| played.text.as_str()), Some("O,b1"));
        let few = mnk("3x3,3", "a1 b1 a3 a2 c3 b2 b3", ProofSearch { depth: 7, positions: 3 });
        assert!(few.moves[1].lost.is_none());
    }

    #[test]
    fn every_claim_about_tic_tac_toe_agrees_with_its_values() {
        use crate::{Solver, SolverSettings, Value};
        let rules: Mnk = "3x3,3".parse().unwrap();
        let solver = Solver::new(&rules, SolverSettings::default());
        // All games that begin in a corner and go on with the first cells that differ.
        for seed in 0..60_usize {
            let mut position = rules.read("startpos").unwrap();
            let (mut moves, mut number) = (Vec::new(), seed * 7919 + 13);
            while let Status::ToMove(_) = position.status() {
                let mut legal = Vec::new();
                position.moves(&mut legal);
                let mv = legal[number % legal.len()];
                number = number / legal.len() * 31 + 17;
                moves.push(mv.to_string());
                position.play(mv);
            }
            let game = proved(
                rules.read("startpos").unwrap(),
                &["X", "O"],
                &moves,
                ProofSearch { depth: 9, ..SEARCH },
            );
            let mut followed = solver.follow("startpos").unwrap();
            for played in game.unwrap().moves {
                let review = followed.review(&played.text).unwrap();
                let [before, value] =
                    [review.before, review.played].map(|value| value.known().unwrap().value);
                assert_eq!(
                    played.missed.is_some(),
                    before == Value::Won && value != Value::Won,
                    "{played:?}"
                );
                assert_eq!(
                    played.lost.is_some(),
                    before != Value::Lost && value == Value::Lost,
                    "{played:?}"
                );
            }
        }
    }

    #[test]
    fn mill_is_searched_though_it_is_not_solved() {
        let moves: Vec<String> = "11 22 11 22 11 33 12".split(' ').map(str::to_owned).collect();
        let start: MillCube = "startpos".parse().unwrap();
        let search = ProofSearch { depth: 3, ..SEARCH };
        let game = proved(start, &["W", "B"], &moves, search).unwrap();
        let found = lines(&game);
        // Three balls on 11 win at once: black does not block, and white does not see it.
        assert_eq!(found.iter().map(|(number, ..)| *number).collect::<Vec<_>>(), [6, 7], "{found:?}");
        assert_eq!(found[0].2.as_ref().map(|(line, _)| line.as_str()), Some("W,11"));
        assert_eq!(found[0].2.as_ref().map(|(_, saving)| saving.as_str()), Some("B,11"));
        assert_eq!(found[1].1.as_deref(), Some("W,11"));
    }
}
