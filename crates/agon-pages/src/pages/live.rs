//! The page of the games in play: a board for each as it stands, and the last results.

use std::cmp::Reverse;
use std::sync::Arc;
use std::time::Duration;

use agon_export::live::LiveGame;
use agon_games::{Rules, Status, film};
use agon_printable::{clean, percent};
use agon_record::GameRecord;
use agon_seats::{Clock, PerSeat, Seat};
use agon_standings::result::GameId;
use agon_store::times::allowances;
use maud::{Markup, html};

use super::address::{Address, Links, Page};
use super::gather::{GameRow, RunFacts};
use super::move_list;
use super::read_game::without_marks;
use super::view::View;
use super::{board, plot, replay};

/// The most results that are listed.
const RESULTS: usize = 12;
/// The most moves of a game that are listed.
const MOVES: usize = 10;
/// The most games that are shown when none is in play.
pub(super) const LAST: usize = 4;

/// A game that is shown.
pub(super) struct RuledGame {
    /// The game.
    pub(super) game: LiveGame,
    /// The number of its run.
    pub(super) run: usize,
    /// Its rules; `None` if this program has none for it.
    pub(super) rules: Option<Arc<dyn Rules>>,
}

/// A stored game in the form of one that was just played.
pub(super) fn of_record(record: &GameRecord, place: usize) -> LiveGame {
    let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
    let seats = record.seats.values();
    LiveGame {
        id: record.id.to_string(),
        rules: record.rules.clone(),
        start: record.start.clone(),
        engines: seats.iter().map(|seat| seat.entrant.clone()).collect(),
        moves: record.plies.iter().map(|ply| ply.text.clone()).collect(),
        last_micros: record.plies.last().map_or(0, |ply| micros(ply.time)),
        place,
        controls: seats.iter().map(|seat| seat.time_control.clone()).collect(),
        times: record.plies.iter().map(|ply| micros(ply.time)).collect(),
        since: 0,
        result: Some(record.result_text()),
        earlier: 0,
        lines: Vec::new(),
        scores: Vec::new(),
    }
}

/// The last games that count, each with the number of its run, the last one first.
pub(super) fn last_games(runs: &[RunFacts], most: usize) -> Vec<(usize, &GameRow)> {
    let all = runs.iter().enumerate();
    let mut all: Vec<_> =
        all.flat_map(|(run, facts)| facts.games.iter().map(move |row| (run, row))).collect();
    all.sort_unstable_by_key(|(run, row)| Reverse((row.finished, *run, row.id)));
    all.truncate(most);
    all
}

/// What the page shows besides the games.
pub(super) struct LivePage<'a> {
    /// All runs.
    pub(super) runs: &'a [RunFacts],
    /// What is shown of them.
    pub(super) view: &'a View,
    /// The links of the page.
    pub(super) links: &'a Links,
    /// Whether the games are the last stored ones, because none is in play.
    pub(super) is_of_stored: bool,
    /// Counts the changes of the games in play.
    pub(super) revision: &'a str,
}

/// All boards, and the last results.
pub(super) fn content(page: &LivePage<'_>, games: &[RuledGame]) -> Markup {
    html! {
        div.live-page data-live=(page.revision) {
            @if page.is_of_stored { p.none { "No game is in play now." @if !games.is_empty() { " These were the last." } } }
            div.boards data-key="boards" data-count=(games.len()) {
                @for (number, one) in games.iter().enumerate() { (page.one(one, number)) }
            }
            (page.strip())
        }
    }
}

impl LivePage<'_> {
    fn to(&self, run: usize, page: Page) -> String {
        let part = self.runs.get(run).and_then(|facts| facts.part.clone());
        self.links.to(&Address { part, page })
    }

    /// The row of a game that is over, once it is stored.
    fn row(&self, one: &RuledGame) -> Option<&GameRow> {
        let result = one.game.result.as_ref()?;
        let id: GameId = one.game.id.parse().ok()?;
        self.runs.get(one.run)?.games.iter().find(|row| row.id == id && row.result == *result)
    }

    fn one(&self, one: &RuledGame, number: usize) -> Markup {
        let RuledGame { game, rules, .. } = one;
        let id = |element: &str| format!("b{}x{}{element}", one.run, game.place);
        let sides = rules.as_ref().map(|rules| rules.seats().to_vec()).unwrap_or_default();
        let played = rules.as_deref().and_then(|rules| Played::new(rules, game));
        let row = self.row(one);
        let names: Vec<String> = game.engines.iter().map(|name| clean(name)).collect();
        let key = format!("{}-{}", one.run, game.place);
        html! {
            article.over[game.result.is_some()].large[number == 0] data-key=(key) data-game=(game.id) data-since=(game.since) aria-labelledby=(id("title")) {
                h2 id=(id("title")) { (names.join(" - ")) }
                (self.seats(one, played.as_ref(), &sides, row, &id))
                @if let Some(played) = &played { (played.drawn(&sides, &id)) }
                p.caption {
                    @match game.moves.last() {
                        None => { "No move has been made." }
                        Some(last) => {
                            "Ply " (game.plies()) ": "
                            @match played.as_ref().and_then(|played| played.film.frames.last()) {
                                Some(frame) => (clean(&frame.caption)),
                                None => (clean(last)),
                            }
                            " (" (plot::time(game.last_micros)) ")"
                        }
                    }
                }
                @if let Some(result) = &game.result { (self.result(one, result, row)) }
                @if !game.lines.is_empty() {
                    pre tabindex="0" { @for line in &game.lines { (clean(line)) "\n" } }
                }
                p.told {
                    "Game " (game.id) " of " (clean(&game.rules)) ". "
                    @if row.is_some() { a href=(self.to(one.run, Page::Game(game.id.clone()))) { "Replay" } " " }
                    button.enlarge type="button" hidden { "Show it large" }
                }
                (line_of_moves(game))
            }
        }
    }

    /// Who plays, with clocks and scores.
    fn seats(
        &self,
        one: &RuledGame,
        played: Option<&Played>,
        sides: &[&str],
        row: Option<&GameRow>,
        id: &dyn Fn(&str) -> String,
    ) -> Markup {
        let game = &one.game;
        let clocks = played.and_then(|_| clocks(game, sides));
        let has_pieces = played.is_some_and(|played| replay::has_pieces(&played.film));
        let to_move = played.and_then(|played| played.to_move).filter(|_| game.result.is_none());
        let facts = self.runs.get(one.run);
        html! {
            ul.seats {
                @for (at, engine) in game.engines.iter().enumerate() {
                    @let has_won = row.is_some_and(|row| is_winner(row, at));
                    li.to-move[to_move == Some(Seat::new(at))].won[has_won] data-engine=(engine) {
                        @if has_pieces { (board::piece(Seat::new(at), id)) }
                        @match sides.get(at) {
                            Some(side) => { (side) " " }
                            None => { (at + 1) " " }
                        }
                        @let slug = facts.and_then(|facts| Some(facts.engines[facts.number(engine)?].slug.clone()));
                        @match slug {
                            Some(slug) => { a href=(self.to(one.run, Page::Engine(slug))) { (clean(engine)) } }
                            None => (clean(engine)),
                        }
                        @if let Some(clock) = clocks.as_ref().and_then(|clocks| clocks.get(at)) {
                            " " span.clock data-left=(clock.left) data-bank=[clock.bank.as_ref()] data-runs[to_move == Some(Seat::new(at))] {
                                (clock.text())
                            }
                        }
                        @match (game.scores.get(at), played.and_then(|played| played.scores.as_ref())) {
                            (Some(score), _) => { " " span.score { "score " (score) } }
                            (None, Some(scores)) => { " " span.score { "score " (scores[Seat::new(at)]) } }
                            _ => {}
                        }
                        " " a.follow href={ (self.links.file("live.html")) "?engine=" (percent(engine)) } { "follow" span.said { " " (clean(engine)) } }
                    }
                }
            }
        }
    }

    /// Who won, and why.
    fn result(&self, one: &RuledGame, result: &str, row: Option<&GameRow>) -> Markup {
        let names = &one.game.engines;
        let winner = row.and_then(|row| (0..names.len()).find(|at| is_winner(row, *at)));
        let loser = row.and_then(|row| row.forfeit).and_then(|(seat, _)| names.get(seat.index()));
        html! {
            p.result {
                b {
                    @match (winner, result) {
                        (Some(at), _) => { (clean(&names[at])) " won, " (without_marks(result)) }
                        (None, "*") => "The game is void",
                        (None, _) => { "Over, " (result) }
                    }
                }
                @if let Some(row) = row {
                    ". "
                    @if let Some((_, cause)) = row.forfeit { (cause.name()) ": " }
                    (self.view.reason(loser.map_or("", String::as_str), row.forfeit.map(|(_, cause)| cause), &row.reason)) "."
                }
            }
        }
    }

    /// The last results of all runs, each with a link to its replay.
    fn strip(&self) -> Markup {
        let last = last_games(self.runs, RESULTS);
        html! {
            @if !last.is_empty() {
                section.strip data-key="strip" aria-labelledby="strip" {
                    h2 id="strip" { "Last results" }
                    ul {
                        @for (run, row) in last {
                            @let facts = &self.runs[run];
                            li data-key={ (run) "-" (row.id) } {
                                a href=(self.to(run, Page::Game(row.id.to_string()))) { (result_line(facts, row)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A result in a line: both names with the result between them, the winner in bold.
pub(super) fn result_line(facts: &RunFacts, row: &GameRow) -> Markup {
    let name = |at: usize| {
        let name = row.seats.get(at).map(|number| clean(&facts.engines[*number].name)).unwrap_or_default();
        html! { @if is_winner(row, at) { b { (name) } } @else { (name) } }
    };
    html! {
        @if row.seats.len() == 2 {
            (name(0)) " " span.whole { (without_marks(&row.result)) } " " (name(1))
        } @else {
            @for at in 0..row.seats.len() { @if at > 0 { ", " } (name(at)) }
            " " span.whole { (row.result) }
        }
        @if let Some((_, cause)) = row.forfeit { ", " (cause.name()) }
    }
}

/// Whether this seat alone has the first place.
pub(super) fn is_winner(row: &GameRow, at: usize) -> bool {
    row.places.get(at) == Some(&1) && row.places.iter().filter(|place| **place == 1).count() == 1
}

/// The last moves as text.
fn line_of_moves(game: &LiveGame) -> Markup {
    let from = game.moves.len().saturating_sub(MOVES);
    let numbered = (game.earlier + from + 1..).zip(&game.moves[from..]);
    html! {
        @if !game.moves.is_empty() {
            p.last-moves { "Last moves: " @for (number, text) in numbered { span.whole { (number) ". " (clean(text)) } " " } }
        }
    }
}

/// A game that was played again.
struct Played {
    film: agon_diagram::Film,
    /// `None` where scores say nothing before the end.
    scores: Option<PerSeat<i32>>,
    to_move: Option<Seat>,
}

impl Played {
    /// `None` if it has no diagram, or its moves are not legal.
    fn new(rules: &dyn Rules, game: &LiveGame) -> Option<Played> {
        let film = film(rules, &game.start, game.moves.iter().map(String::as_str)).ok()?;
        let mut position = rules.resume(&game.start).ok()?;
        let mut has_scored = false;
        for (at, text) in game.moves.iter().enumerate() {
            position.play(text.as_bytes()).ok()?;
            let is_last = at + 1 == game.moves.len();
            has_scored |= !is_last && position.scores().values().iter().any(|score| *score != 0);
        }
        let to_move = match position.status() {
            Status::ToMove(seat) => Some(seat),
            Status::Over(_) => None,
        };
        Some(Played { film, scores: has_scored.then(|| position.scores()), to_move })
    }

    /// The board as it stands. What the last move has taken away is not marked: other things may
    /// stand there now.
    fn drawn(&self, sides: &[&str], id: &dyn Fn(&str) -> String) -> Markup {
        let film = &self.film;
        let mut contents = film.start.clone();
        let mut has_moved_away = false;
        for frame in &film.frames {
            has_moved_away = frame.takes_what_it_marks(&contents);
            if frame.apply(&mut contents).is_err() {
                return html! {};
            }
        }
        let (has_pieces, has_figures) = (replay::has_pieces(film), board::has_figures(&contents));
        let marks = film.frames.last().filter(|_| !has_moved_away).map_or(&[][..], |frame| &frame.marks);
        let row = film.frames.last().map_or(&[][..], |frame| &frame.row);
        html! {
            @if has_pieces || has_figures { (board::pieces(sides, has_figures, id)) }
            (board::svg(&film.diagram, &contents, (marks, row), id, false))
        }
    }
}

/// What a clock shows.
struct ShownClock {
    /// In milliseconds.
    left: u128,
    /// What is left of the bank, if there is one.
    bank: Option<String>,
}

impl ShownClock {
    fn of(clock: &Clock) -> ShownClock {
        let bank = Some(clock.bank()).filter(|bank| !bank.is_zero());
        ShownClock {
            left: clock.left().as_millis(),
            bank: bank.map(|bank| format!(" + {}", move_list::clock_text(bank))),
        }
    }

    fn text(&self) -> String {
        let left = Duration::from_millis(u64::try_from(self.left).unwrap_or(u64::MAX));
        move_list::clock_text(left) + self.bank.as_deref().unwrap_or_default()
    }
}

/// The clock of each seat after the last move; `None` if they are not known.
fn clocks(game: &LiveGame, sides: &[&str]) -> Option<Vec<ShownClock>> {
    if game.controls.len() != game.engines.len() || game.times.len() != game.moves.len() {
        return None;
    }
    let mut clocks = Vec::new();
    for control in &game.controls {
        let (control, margin, bank) = allowances(control).ok()?;
        clocks.push(Clock::new(control, margin, bank));
    }
    for (text, micros) in game.moves.iter().zip(&game.times) {
        let side = text.split(',').next()?;
        let clock = clocks.get_mut(sides.iter().position(|own| *own == side)?)?;
        clock.spend(Duration::from_micros(*micros), None);
    }
    Some(clocks.iter().map(ShownClock::of).collect())
}
