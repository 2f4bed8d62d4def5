//! The values of the positions of games that have a page: from a table or a small search.

use std::collections::HashMap;
use std::fs::File;

use agon_games::Rules;
use agon_match::referee::solved_tables;
use agon_printable::{clean, counted};
use agon_protocol::without_side;
use agon_record::GameRecord;
use agon_seats::{PerSeat, Seat};
use agon_solved::{Extent, LegalChoice, MoveQuality, Remoteness, Solver, Valuation, Value};
use maud::{Markup, html};

use crate::analysis::{AnalysedGame, AnalysedPly, EngineAnalyses, PlayedGame};

/// How far pages look for the values of positions, in games that are solved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ValueSearch {
    /// The most positions that a search for one value looks at, in games without a table; 0 for no
    /// search.
    pub positions: u64,
    /// Whether a table is made if it takes no more than seconds. Otherwise stored ones are used
    /// alone.
    pub makes_tables: bool,
}

/// The values of each game that was met, by its rules; `None` where pages have none.
pub(super) type KnownSolvers = HashMap<String, Option<Solver>>;

/// What the values say of the engines of a run.
#[derive(Default)]
pub(super) struct RunValues {
    /// The engines by name.
    pub(super) engines: EngineAnalyses,
    /// The games that each engine threw away.
    pub(super) thrown: HashMap<String, Vec<ThrownRow>>,
}

/// A game that an engine threw away.
pub(super) struct ThrownRow {
    /// The index of the game in `RunFacts::games`.
    pub(super) game: usize,
    /// The engine's first ply that changed the value; `None` if no move did.
    pub(super) ply: Option<AnalysedPly>,
}

impl RunValues {
    /// Adds a game to its engines.
    pub(super) fn add(&mut self, place: usize, game: &AnalysedGame) {
        self.engines.add(game);
        for (seat, ply) in game.thrown_away() {
            let row = ThrownRow { game: place, ply: ply.cloned() };
            self.thrown.entry(game.game.entrants[seat].clone()).or_default().push(row);
        }
    }
}

/// The values of a game of a record; `None` if none of them is known.
pub(super) fn values_of(
    rules: &dyn Rules,
    record: &GameRecord,
    search: ValueSearch,
    solvers: &mut KnownSolvers,
) -> Option<AnalysedGame> {
    if record.referee.is_some() {
        return None;
    }
    let spec = rules.spec();
    let solver = solvers.entry(spec.clone()).or_insert_with(|| solver(rules, search)).as_ref()?;
    let game = PlayedGame::of(record);
    let follow = || {
        let mut followed = solver.follow(&record.start)?;
        followed.list_choices();
        Ok(followed)
    };
    let analysed = match solver.extent() {
        Extent::Table | Extent::Endgames => AnalysedGame::new(&spec, game, follow().ok()?.as_mut()),
        _ => AnalysedGame::from_both_ends(&spec, game, &follow),
    };
    // A move that the values refuse belongs to a record that somebody has changed.
    let analysed = analysed.ok()?;
    analysed.values().iter().any(|(_, value)| value.known().is_some()).then_some(analysed)
}

/// The values of a game for pages; `None` where they would take long.
fn solver(rules: &dyn Rules, search: ValueSearch) -> Option<Solver> {
    let solver = solved_tables::solver(rules, Some(search.positions));
    let has_table = || solver.path().is_some_and(|path| File::open(path).is_ok());
    let is_quick = match solver.extent() {
        Extent::Nothing => false,
        // Some seconds, once.
        Extent::Table => search.makes_tables || has_table(),
        // A minute.
        Extent::Endgames => has_table(),
        // A search of letters takes up to a second, whatever its limit.
        Extent::Search => search.positions > 0 && !rules.spec().starts_with("letters"),
    };
    is_quick.then_some(solver)
}

/// `X wins in 5`, `draw`, `unknown`, for people who look at both sides.
pub(super) fn for_both(sides: &[&str], (mover, value): (Seat, Valuation)) -> String {
    let Some(solution) = value.known() else { return "unknown".to_owned() };
    let side = |seat: usize| clean(sides.get(seat).copied().unwrap_or("?"));
    let winner = match solution.value {
        Value::Drawn => return "draw".to_owned(),
        Value::Won => side(mover.index()),
        Value::Lost => side(1 - mover.index()),
    };
    match solution.remoteness {
        Remoteness::Plies(0) => format!("{winner} has won"),
        Remoteness::Plies(plies) => format!("{winner} wins in {plies}"),
        Remoteness::None | Remoteness::Unknown => format!("{winner} wins"),
    }
}

/// What a move did, in one or two words, and which class it has on a page; `None` for most moves.
pub(super) fn mark(ply: &AnalysedPly) -> Option<&'static str> {
    match ply.quality() {
        MoveQuality::Blunder => Some("blunder"),
        MoveQuality::Slip(_) => Some("slip"),
        _ => ply.review.is_only().then_some("only move"),
    }
}

/// What should have been played and what it leads to, with the plies to the end: `O,b2: won in 5`.
/// Empty for a move that was as good.
pub(super) fn better(ply: &AnalysedPly) -> String {
    let (MoveQuality::Blunder | MoveQuality::Slip(_), Some(best)) = (ply.quality(), &ply.review.best) else {
        return String::new();
    };
    ply.review.before.known().map_or_else(String::new, |before| format!("{}: {before}", clean(best)))
}

/// The legal moves of the position before each ply, best first, as the script of a page reads
/// them: `b2=@4 c3-6@8 d1-e1+3@2>5`. Behind the text of a move is its sign: `+` it wins, `=` it
/// draws, `-` it loses, `?` its value is not known. Then come the plies to the end and the slots
/// from which and to which a piece goes. Nothing is said where no value is known.
pub(super) fn choices(game: &AnalysedGame) -> Vec<String> {
    let sign = |valuation: Valuation| match valuation.known().map(|known| (known.value, known.remoteness)) {
        None => "?".to_owned(),
        Some((Value::Drawn, _)) => "=".to_owned(),
        Some((value, remoteness)) => {
            let sign = if value == Value::Won { '+' } else { '-' };
            format!("{sign}{}", remoteness.plies().map_or_else(String::new, |plies| plies.to_string()))
        }
    };
    let one = |choice: &LegalChoice| {
        let slots = match choice.slots {
            None => String::new(),
            Some((from, to)) if from == to => format!("@{to}"),
            Some((from, to)) => format!("@{from}>{to}"),
        };
        format!("{}{}{slots}", clean(without_side(&choice.ranked.text)), sign(choice.ranked.valuation))
    };
    let of_ply = |ply: &AnalysedPly| {
        let choices = &ply.review.choices;
        let is_known = choices.iter().any(|choice| choice.ranked.valuation.known().is_some());
        let texts: Vec<String> = choices.iter().filter(|_| is_known).map(one).collect();
        texts.join(" ")
    };
    game.plies.iter().map(of_ply).collect()
}

/// The value of a position for the first seat: 1, 0 or -1.
fn sign((mover, value): (Seat, Valuation)) -> Option<i8> {
    let own = match value.known()?.value {
        Value::Won => 1,
        Value::Drawn => 0,
        Value::Lost => -1,
    };
    Some(if mover == Seat::FIRST { own } else { -own })
}

/// Stretches of positions with the same value for the first seat: their first and last ply.
fn stretches(game: &AnalysedGame) -> Vec<(usize, usize, Option<i8>)> {
    let mut all: Vec<(usize, usize, Option<i8>)> = Vec::new();
    for (ply, value) in game.values().into_iter().map(sign).enumerate() {
        match all.last_mut() {
            Some((_, last, same)) if *same == value => *last = ply,
            _ => all.push((ply, ply, value)),
        }
    }
    all
}

/// The values over the plies: above the line won for the first seat, on it drawn, below it lost.
pub(super) fn strip(game: &AnalysedGame, sides: &PerSeat<String>) -> Markup {
    let all = stretches(game);
    let plies = game.plies.len();
    let bars = |of: i8, from: u8, high: u8| -> String {
        let bar = |(first, last, _): &(usize, usize, Option<i8>)| {
            format!("M{first} {from}h{}v{high}H{first}z", last + 1 - first)
        };
        all.iter().filter(|(_, _, value)| *value == Some(of)).map(bar).collect()
    };
    let blunders = game.plies.iter().filter(|ply| ply.quality() == MoveQuality::Blunder);
    let blunders: String = blunders.map(|ply| format!("M{}.5 26v8", ply.number)).collect();
    let first = clean(&sides[Seat::FIRST]);
    html! {
        figure.scores.values {
            svg viewBox={ "0 0 " (plies + 1) " 34" } preserveAspectRatio="none" role="img"
                aria-label={ "Values for " (first) ". " (in_words(&all)) " The list of moves has each." } {
                path.zero d={ "M0 12H" (plies + 1) } {}
                path.first d=(bars(1, 0, 12)) {}
                path.drawn d=(bars(0, 10, 4)) {}
                path.second d=(bars(-1, 12, 12)) {}
                path.blunders d=(blunders) {}
                path.now d="M.5 0V34" {}
            }
            figcaption { "The value of each position for " (first) ": above the line won, on it drawn, below it lost; \
                a bare line is not known. The marks below are blunders." }
        }
    }
}

/// `Plies 0 to 6 drawn, 7 to 9 lost.`
fn in_words(all: &[(usize, usize, Option<i8>)]) -> String {
    /// A game of random moves has a stretch for almost each ply.
    const MOST: usize = 20;
    let word = |value: &Option<i8>| match value {
        Some(1) => "won",
        Some(0) => "drawn",
        Some(_) => "lost",
        None => "unknown",
    };
    let told: Vec<String> = (all.iter().take(MOST))
        .map(|(first, last, value)| match first == last {
            true => format!("{first} {}", word(value)),
            false => format!("{first} to {last} {}", word(value)),
        })
        .collect();
    let more = if all.len() > MOST {
        format!(", and {}", counted(all.len() - MOST, "more change"))
    } else {
        String::new()
    };
    format!("Plies {}{more}.", told.join(", "))
}

#[cfg(test)]
mod tests {
    use agon_games::{Needs, find};
    use agon_solved::SolverSettings;

    use super::*;

    fn choices_of(spec: &str, start: &str, moves: &[&str]) -> Vec<String> {
        let rules = find(spec, &Needs::default()).unwrap();
        let solver = Solver::new(rules.as_ref(), SolverSettings::default());
        let game = PlayedGame {
            id: "one".to_owned(),
            entrants: PerSeat::two("first".to_owned(), "second".to_owned()),
            moves: moves.iter().map(|mv| (*mv).to_owned()).collect(),
            places: None,
        };
        let mut followed = solver.follow(start).unwrap();
        followed.list_choices();
        choices(&AnalysedGame::new(spec, game, followed.as_mut()).unwrap())
    }

    #[test]
    fn each_legal_move_has_its_value_and_its_slots() {
        let choices = choices_of("mnk:3x3,3", "startpos", &["a1", "b1"]);
        assert_eq!(choices.len(), 2);
        let first: Vec<&str> = choices[0].split(' ').collect();
        assert!(first.len() == 9 && first.iter().all(|one| one.contains("=@")), "{first:?}");
        let second: Vec<&str> = choices[1].split(' ').collect();
        assert_eq!((second.len(), second[0]), (8, "b2=@4"), "only the centre holds the draw");
        assert!(second[1..].iter().all(|one| one.contains('-')), "{second:?}");
    }

    #[test]
    fn a_ball_is_shown_where_it_comes_to_rest() {
        // Three in the lowest row: the fourth, x=4 y=1 z=1, wins.
        let rules = find("mill", &Needs::default()).unwrap();
        let mut game = rules.start(1);
        for mv in ["11", "12", "21", "22", "31", "32"] {
            game.play(format!("{},{mv}", rules.seats()[game.to_move().index()]).as_bytes()).unwrap();
        }
        let choices = choices_of("mill", &game.text(), &["41"]);
        assert_eq!(choices[0].split(' ').next(), Some("41+1@3"), "{choices:?}");
    }
}
