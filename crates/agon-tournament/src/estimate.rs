//! How long the games of a run will take, before the first of them is over: by games that were
//! played before, by the tries, or by the clock.

use std::fmt;
use std::time::{Duration, Instant};

use agon_games::{Rules, Status};
use agon_seats::TimeControl;
use indicatif::HumanDuration;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::run::Run;

/// How fast engines were in their tries.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct TriedPace {
    /// How many moves they made, and how long they thought.
    pub moves: u32,
    /// The time of these moves together.
    pub thinking: Duration,
    /// How many games they began.
    pub games: u32,
    /// The time of these starts together.
    pub startup: Duration,
}

impl TriedPace {
    /// Adds the tries of another engine.
    pub fn add(&mut self, other: TriedPace) {
        self.moves += other.moves;
        self.thinking += other.thinking;
        self.games += other.games;
        self.startup += other.startup;
    }
}

/// The time of games that are still to be played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimeEstimate {
    /// By games that were played, or by the tries.
    About(Duration),
    /// If every engine uses all of its time.
    ByTheClock(Duration),
    /// Nothing tells how long they are: a referee program knows no plies.
    Unknown,
}

impl fmt::Display for TimeEstimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TimeEstimate::About(time) => write!(f, "about {}", HumanDuration(*time)),
            TimeEstimate::ByTheClock(time) => {
                write!(f, "up to {} by the clock", HumanDuration(*time))
            }
            TimeEstimate::Unknown => f.write_str("and the first one will show how long they take"),
        }
    }
}

impl TimeEstimate {
    /// Whether it is worth a line before so many games: a run that takes less than a minute is over
    /// before anybody wonders how long it will take.
    pub fn is_worth_saying(self, games: u64) -> bool {
        match self {
            TimeEstimate::About(time) | TimeEstimate::ByTheClock(time) => time >= WORTH_SAYING,
            TimeEstimate::Unknown => games > 1,
        }
    }

    /// The most time that an engine has for so many moves in a trial, as each side from the start
    /// and from a drawn position.
    pub fn of_trial(control: TimeControl, moves: usize, seats: usize) -> TimeEstimate {
        let [moves, seats] = [moves, seats].map(|number| u32::try_from(number).unwrap_or(u32::MAX));
        TimeEstimate::ByTheClock(of_clock(control, moves, 1).saturating_mul(2 * seats))
    }

    /// The time of so many games of a run. `stored` is the mean time of its games so far.
    pub fn of(run: &Run, games: u64, stored: Option<Duration>, tried: TriedPace) -> TimeEstimate {
        let at_once = u64::try_from(run.concurrency).unwrap_or(1).clamp(1, games.max(1));
        let all = |game: Duration| {
            #[allow(clippy::cast_precision_loss)] // it is an estimate
            let seconds = game.as_secs_f64() * games as f64 / at_once as f64;
            Duration::from_secs_f64(seconds.min(LONGEST))
        };
        if let Some(game) = stored {
            return TimeEstimate::About(all(game));
        }
        let plies = run.rules.built_in().and_then(|rules| usual_plies(rules, run.seed));
        let Some(plies) = plies else { return TimeEstimate::Unknown };
        let plies = run.max_plies.map_or(plies, |most| plies.min(u32::try_from(most).unwrap_or(u32::MAX)));
        let seats = u32::try_from(run.rules.seats().len()).unwrap_or(2);
        if tried.moves > 0 {
            let startup = tried.startup / tried.games.max(1) * seats;
            return TimeEstimate::About(all(tried.thinking / tried.moves * plies + startup));
        }
        let engines = u32::try_from(run.entrants.len()).unwrap_or(1).max(1);
        let clocks = run.entrants.iter().map(|engine| of_clock(run.control_of(engine), plies, seats));
        let clocks = clocks.fold(Duration::ZERO, Duration::saturating_add) / engines;
        TimeEstimate::ByTheClock(all(clocks.saturating_add(run.terms.bank.saturating_mul(seats))))
    }
}

/// See [`TimeEstimate::is_worth_saying`].
const WORTH_SAYING: Duration = Duration::from_secs(60);

/// A thousand years, in seconds: longer estimates are cut.
const LONGEST: f64 = 3.2e10;

/// The time on all clocks of a game with so many plies.
fn of_clock(control: TimeControl, plies: u32, seats: u32) -> Duration {
    match control {
        TimeControl::PerMove(time) => time.saturating_mul(plies),
        TimeControl::WholeGame { base, increment } => {
            base.saturating_mul(seats).saturating_add(increment.saturating_mul(plies))
        }
        TimeControl::Repeating { moves, base, increment } => {
            let periods = plies.div_ceil(seats.max(1)).div_ceil(moves.max(1)).max(1);
            base.saturating_mul(periods * seats).saturating_add(increment.saturating_mul(plies))
        }
    }
}

/// How long random games are looked at, how many, and the most plies of one.
const LOOK: Duration = Duration::from_millis(300);
const GAMES: u64 = 5;
const MOST_PLIES: u32 = 200;

/// The plies of a game: the mean of a few games of random moves. `None` if even the first of them
/// takes too long.
fn usual_plies(rules: &dyn Rules, seed: u64) -> Option<u32> {
    let began = Instant::now();
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let (mut games, mut all) = (0, 0);
    for number in 1..=GAMES {
        let mut game = rules.start(number);
        let mut plies = 0;
        while plies < MOST_PLIES && matches!(game.status(), Status::ToMove(_)) {
            if began.elapsed() > LOOK {
                return (games > 0).then(|| all / games);
            }
            let moves = game.moves();
            let drawn = random.next_u64() % u64::try_from(moves.len().max(1)).unwrap_or(1);
            let drawn = moves.get(usize::try_from(drawn).unwrap_or(0))?;
            game.play(drawn.as_bytes()).ok()?;
            plies += 1;
        }
        games += 1;
        all += plies;
    }
    Some(all / games)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_gives_all_its_time_to_each_seat() {
        let seconds = |text: &str, plies| of_clock(text.parse().unwrap(), plies, 2).as_secs();
        assert_eq!(seconds("st=2", 40), 80);
        assert_eq!(seconds("tc=60", 40), 120);
        assert_eq!(seconds("tc=60+1", 40), 160);
        // Twenty moves of each seat are three periods of eight.
        assert_eq!(seconds("tc=8/60", 40), 360);
        assert_eq!(seconds("tc=8/60+1", 0), 120);
    }

    #[test]
    fn a_random_game_has_the_plies_that_its_board_allows() {
        let plies = |spec: &str| {
            let rules = agon_games::find(spec, &agon_games::Needs::default()).unwrap();
            usual_plies(rules.as_ref(), 1)
        };
        let range = |spec: &str, least: u32, most: u32| {
            let plies = plies(spec).unwrap();
            assert!((least..=most).contains(&plies), "{spec}: {plies}");
        };
        range("mnk:3x3,3", 5, 9);
        range("connect4", 7, 42);
        range("abalone", 50, MOST_PLIES);
    }
}
