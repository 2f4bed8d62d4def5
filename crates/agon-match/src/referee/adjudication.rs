//! Games that end before their rules end them, because their value is known and one side wins soon.

use std::sync::Arc;

use agon_config::Misuse;
use agon_games::Rules;
use agon_record::reason::EndReason;
use agon_seats::{PerSeat, Seat, result};
use agon_solved::{Extent, Followed, Solver, SolverSettings, Value, Warning};

use super::solved_tables::solver;
use crate::hosted::GameRules;

/// The most positions that a search after one ply looks at: some hundredths of a second. A value
/// that it does not find is unknown, and the game goes on.
const POSITIONS: u64 = 50_000;

/// Sees that a run can adjudicate games by their values. 0 is never.
///
/// # Errors
/// [`Misuse`] if nothing of the game is solved.
pub fn wanted(rules: &GameRules, plies: Option<u32>) -> anyhow::Result<Option<u16>> {
    // No game lasts longer than the largest number.
    let plies = plies.filter(|plies| *plies > 0).map(|plies| u16::try_from(plies).unwrap_or(u16::MAX));
    let is_solved =
        |rules: &dyn Rules| Solver::new(rules, SolverSettings::default()).extent() != Extent::Nothing;
    if plies.is_some() && !rules.built_in().is_some_and(is_solved) {
        return Err(Misuse::hinted(
            format!("--adjudicate: nothing of {} is solved", rules.spec()),
            "leave it out; agon position value --help says which games are solved",
        ));
    }
    Ok(plies)
}

/// Whether each side has moved after so many plies. Before that a game would say nothing of the
/// engines.
pub fn has_begun(plies: usize) -> bool {
    plies >= 2
}

/// A game whose winner is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KnownEnd {
    /// The seat that wins.
    pub winner: Seat,
    /// The plies to its win, if both sides play perfectly.
    pub plies: u16,
}

impl KnownEnd {
    /// The reason in the record.
    pub fn reason(&self, sides: &[&str]) -> EndReason {
        let side = sides.get(self.winner.index()).copied().unwrap_or("nobody");
        EndReason::KnownWin { side: side.to_owned(), plies: self.plies }
    }

    /// The places: the winner has the first one.
    pub fn places(&self, seats: usize) -> PerSeat<u8> {
        let loser = PerSeat::from(vec![0u8; seats]).seats().find(|seat| *seat != self.winner);
        result::all_but(loser.unwrap_or(self.winner), seats)
    }
}

/// Ends games of one run whose value is known.
#[derive(Clone)]
pub struct Adjudicator {
    most: u16,
    solver: Arc<Solver>,
    /// What is found in one game must not depend on other games, so that the same seed gives the
    /// same games. A table gives the same answer always.
    is_shared: bool,
}

impl Adjudicator {
    /// For wins in at most `most` plies. Opens or makes the table of the game, if it has one.
    pub fn new(rules: &dyn Rules, most: u16) -> Adjudicator {
        let solver = Arc::new(solver(rules, Some(POSITIONS)));
        solver.prepare();
        let is_shared = solver.cells().is_some();
        Adjudicator { most, solver, is_shared }
    }

    /// What went wrong with its table, although the values are right.
    pub fn warnings(&self) -> Vec<Warning> {
        self.solver.take_warnings()
    }

    /// Follows one game from its start position on.
    pub fn follow(&self, rules: &dyn Rules, start: &str) -> FollowedGame {
        let own = (!self.is_shared).then(|| solver(rules, Some(POSITIONS)));
        let followed = own.as_ref().unwrap_or(&self.solver).follow(start).ok();
        FollowedGame { most: self.most, followed }
    }
}

/// A game that is followed ply by ply.
pub struct FollowedGame {
    most: u16,
    followed: Option<Box<dyn Followed>>,
}

impl FollowedGame {
    /// A move was made.
    pub fn played(&mut self, text: &str) {
        // The rules have taken it. If the values' own rules differ, nothing is said of the game.
        if self.followed.as_mut().is_some_and(|followed| followed.play(text).is_err()) {
            self.followed = None;
        }
    }

    /// How the game ends, if one side wins soon enough and no earlier position could change that.
    /// Soon enough means also before a limit of plies, of which `left` are left.
    pub fn end(&self, left: Option<usize>) -> Option<KnownEnd> {
        let followed = self.followed.as_deref()?;
        let solution = followed.value().known()?;
        let plies = solution.remoteness.plies().filter(|plies| (1..=self.most).contains(plies))?;
        if left.is_some_and(|left| usize::from(plies) > left) || followed.history_could_change() {
            return None;
        }
        let mover = followed.mover();
        let winner = match solution.value {
            Value::Won => mover,
            Value::Lost => Seat::new(1 - mover.index()),
            Value::Drawn => return None,
        };
        Some(KnownEnd { winner, plies })
    }
}

/// The end of a game after these moves by its value, with the usual limit of positions. `None` if
/// it is not known, or if no side wins.
pub fn known_end<'m>(
    rules: &dyn Rules,
    start: &str,
    moves: impl IntoIterator<Item = &'m str>,
) -> Option<KnownEnd> {
    let followed = solver(rules, None).follow(start).ok()?;
    let mut game = FollowedGame { most: u16::MAX, followed: Some(followed) };
    moves.into_iter().for_each(|text| game.played(text));
    game.end(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(spec: &str) -> Arc<dyn Rules> {
        agon_games::find(spec, &agon_games::Needs::default()).unwrap()
    }

    fn end_of(spec: &str, most: u16, moves: &[&str], left: Option<usize>) -> Option<KnownEnd> {
        let rules = rules(spec);
        let adjudicator = Adjudicator::new(rules.as_ref(), most);
        let mut game = adjudicator.follow(rules.as_ref(), &rules.start(1).text());
        moves.iter().for_each(|text| game.played(text));
        game.end(left)
    }

    #[test]
    fn a_game_ends_where_one_side_wins_soon_enough() {
        let [x, o] = [Seat::new(0), Seat::new(1)];
        // A board of 4x3 with lines of three: the first side wins in 7.
        let end = KnownEnd { winner: x, plies: 7 };
        let first = Some(end);
        assert_eq!(end_of("mnk:4x3,3", 7, &[], None), first);
        assert_eq!(end_of("mnk:4x3,3", 6, &[], None), None, "too late");
        assert_eq!(end_of("mnk:4x3,3", 9, &[], Some(7)), first);
        assert_eq!(end_of("mnk:4x3,3", 9, &[], Some(6)), None, "the score decides before");
        assert_eq!(end_of("mnk:3x3,3", 9, &[], None), None, "drawn");
        let wins = ["X,a1", "O,b2", "X,c3", "O,a3", "X,b1"];
        assert_eq!(end_of("mnk:3x3,3", 9, &wins, None), Some(KnownEnd { winner: o, plies: 1 }));
        assert_eq!(end_of("mnk:3x3,3", 9, &[&wins[..], &["O,c1"]].concat(), None), None, "over already");
        assert_eq!(end_of("mnk:19x19,5", 9, &["X,j10"], None), None, "unknown");
        assert_eq!(end.reason(&["X", "O"]).to_string(), "X wins in 7 plies by perfect play");
        assert_eq!(KnownEnd { winner: o, plies: 1 }.places(2), PerSeat::from(vec![2, 1]));
    }

    /// The values of six men's morris, in memory.
    fn morris() -> &'static Solver {
        static SOLVER: std::sync::OnceLock<Solver> = std::sync::OnceLock::new();
        SOLVER.get_or_init(|| Solver::new(rules("morris").as_ref(), SolverSettings::default()))
    }

    fn morris_from(text: &str) -> FollowedGame {
        FollowedGame { most: u16::MAX, followed: Some(morris().follow(text).unwrap()) }
    }

    #[test]
    fn a_game_goes_on_where_a_repeated_position_could_change_its_value() {
        let mut game = morris_from("X.X.X......O.O.O x 0 0");
        let end = Some(KnownEnd { winner: Seat::new(0), plies: 1 });
        assert_eq!(game.end(None), end);
        ["0-3", "13-10", "3-0", "10-13"].iter().for_each(|text| game.played(text));
        assert_eq!(game.end(None), None, "the position is there for the second time");
        assert_eq!(morris_from("X.X.X......O.O.O x 0 0 4").end(None), end, "as late, and new");
    }

    #[test]
    fn a_game_goes_on_where_the_win_could_come_after_the_last_quiet_ply() {
        // A drawn position, and a move of which the loss takes several plies.
        let mut game = morris().follow("X.X.X...O..O.O.O x 0 0").unwrap();
        let plies = |value: agon_solved::Valuation| {
            value
                .known()
                .filter(|known| known.value == Value::Lost)
                .and_then(|known| known.remoteness.plies())
        };
        let slow = game.ranked().into_iter().find(|mv| plies(mv.valuation).is_some_and(|plies| plies > 3));
        game.play(&slow.unwrap().text).unwrap();
        let text = game.text();
        let board = text.split(' ').take(4).collect::<Vec<_>>().join(" ");
        let after = |quiet: u16| morris_from(&format!("{board} {quiet}")).end(None);
        let end = after(0).unwrap();
        assert!(end.plies > 2 && end.winner == Seat::new(1), "{text}: {end:?}");
        assert_eq!(after(200 - end.plies), Some(end), "the last removal comes in time");
        assert_eq!(after(201 - end.plies), None, "200 plies without a removal come first");
    }

    #[test]
    fn what_is_not_solved_is_refused() {
        assert_eq!(wanted(&rules("mnk:3x3,3").into(), Some(7)).unwrap(), Some(7));
        assert_eq!(wanted(&rules("mnk:3x3,3").into(), Some(0)).unwrap(), None);
        assert_eq!(wanted(&rules("abalone").into(), None).unwrap(), None);
        let refused = wanted(&rules("abalone").into(), Some(7)).unwrap_err().to_string();
        assert!(refused.contains("nothing of abalone"), "{refused}");
    }
}
