//! The page of one game: its board, its moves, its times, and how it ended.

use agon_config::EventFile;
use agon_diagram::{Film, Frame, SlotContent};
use agon_export::{evidence, notation};
use agon_games::{Rules, film};
use agon_match::hosted::{self, UNKNOWN};
use agon_printable::{clean, clean_lines, percent};
use agon_record::reason::EndReason;
use agon_record::{GameRecord, PUBLIC_VOID, PlayedElsewhere, RefereeRecord, Verdict};
use agon_seats::{PerSeat, Seat, TimeControl};
use agon_standings::result::Termination;
use agon_store::Stored;
use agon_store::times::allowances;
use maud::{Markup, PreEscaped, html};
use serde_json::json;

use super::address::{Form, Links, Page};
use super::board;
use super::charts;
use super::gather::RunFacts;
use super::move_list::MoveList;
use super::outcome;
use super::read_game::without_marks;
use super::replaced::{ReplacedGame, Replacements};
use super::values;
use super::view::View;
use crate::analysis::AnalysedGame;
use crate::report::hosted as shown;

/// A game and what its page depends on.
pub(super) struct ReplayedGame<'a> {
    /// The run.
    pub(super) facts: &'a RunFacts,
    /// The game's place in [`RunFacts::games`]; `None` if it is played again.
    pub(super) place: Option<usize>,
    /// The game as one that is played again.
    pub(super) replaced: Option<&'a ReplacedGame>,
    /// The game with its moves.
    pub(super) stored: &'a Stored,
    /// Its rules; `None` if this program has none for it.
    pub(super) rules: Option<&'a dyn Rules>,
    /// What is shown.
    pub(super) view: &'a View,
    /// The links of the page.
    pub(super) links: &'a Links,
    /// Whether each game of [`RunFacts::games`] has a page.
    pub(super) has_replay: &'a [bool],
    /// The values of its positions, if any is known and may be shown.
    pub(super) values: Option<&'a AnalysedGame>,
}

/// The title of the page: who plays whom, and, unless it is hidden, the result.
pub(super) fn title(record: &GameRecord, view: &View) -> String {
    let names: Vec<String> = record.seats.values().iter().map(|seat| clean(&seat.entrant)).collect();
    let names = names.join(" - ");
    let result = record.result_text();
    match record.winner() {
        _ if view.hide_results => names,
        // The marks in such a result are those of a record, not of a title.
        Some(winner) if result.contains('(') => {
            let winner = clean(&record.seats[winner].entrant);
            format!("{names} {}, {winner} won", without_marks(&result))
        }
        None if result.contains('(') => format!("{names} {}", without_marks(&result)),
        _ => format!("{names} {result}"),
    }
}

/// The page without its title.
pub(super) fn content(game: &ReplayedGame<'_>) -> Markup {
    let (record, view) = (&game.stored.record, game.view);
    let film = film_of(record, game.rules, game.facts.shows_secrets(view)).ok();
    let played = match &record.referee {
        Some(_) => Some(Played::unknown(record)),
        None => game.rules.and_then(|rules| Played::new(rules, record)),
    };
    let scores = played.as_ref().filter(|_| record.referee.is_none()).map(|played| played.scores.as_slice());
    let list = MoveList::new(record, scores, game.values);
    html! {
        @if let (Some(film), Some(played)) = (&film, &played) {
            // Where results are hidden, the script shows an ending behind the last ply.
            div.ending hidden[view.hide_results] { (result(game)) }
            (drawn(game, film, played, &list))
            div.ending hidden[view.hide_results] { (lines(game)) (private(game)) }
        } @else if view.hide_results {
            (seats(game, false))
            details { summary { "Show the moves and the end" } (written(game, played.as_ref(), &list)) }
        } @else {
            (seats(game, false))
            (written(game, played.as_ref(), &list))
        }
        (neighbours(game))
    }
}

/// The board of a game with a picture for each move; otherwise why there is none. `is_open` says
/// whether the reader may see what hands hold.
pub(super) fn film_of(record: &GameRecord, rules: Option<&dyn Rules>, is_open: bool) -> Result<Film, String> {
    match (&record.referee, rules) {
        (Some(referee), _) => drawing_of(record, referee, is_open),
        (None, Some(rules)) => {
            let moves = record.plies.iter().map(|ply| ply.text.as_str());
            film(rules, &record.start, moves).map_err(|_| "Its board cannot be drawn.".to_owned())
        }
        (None, None) => Err("Its rules are not known here.".to_owned()),
    }
}

/// A game that was played again: its positions and scores, those of the start first.
struct Played {
    positions: Vec<String>,
    scores: Vec<PerSeat<i32>>,
    drawing: String,
}

impl Played {
    /// A game whose positions its referee program alone knows.
    fn unknown(record: &GameRecord) -> Played {
        Played {
            positions: vec![UNKNOWN.to_owned(); record.plies.len() + 1],
            scores: Vec::new(),
            drawing: String::new(),
        }
    }

    /// `None` if the moves are not legal, as in a record that somebody has changed.
    fn new(rules: &dyn Rules, record: &GameRecord) -> Option<Played> {
        let mut game = rules.resume(&record.start).ok()?;
        let (mut positions, mut scores) = (vec![game.text()], vec![game.scores()]);
        for ply in &record.plies {
            game.play(ply.text.as_bytes()).ok()?;
            positions.push(game.text());
            scores.push(game.scores());
        }
        Some(Played { positions, scores, drawing: game.draw() })
    }
}

/// The drawing of a referee program with a picture for each move; otherwise why it is not shown.
fn drawing_of(record: &GameRecord, referee: &RefereeRecord, is_open: bool) -> Result<Film, String> {
    let mut film = match hosted::drawing(&referee.lines, is_open) {
        Ok(film) => {
            film.filter(|film| !film.diagram.slots.is_empty()).ok_or("Its referee has drawn nothing.")?
        }
        Err(error) => return Err(format!("Its drawing cannot be read: {error}.")),
    };
    for hand in &mut film.diagram.hands {
        if let Some((_, seat)) = record.seats.iter().find(|(seat, _)| *seat == hand.seat) {
            hand.holder = clean(&seat.entrant).to_string();
        }
    }
    if film.frames.len() == record.plies.len() {
        return Ok(film);
    }
    Ok(hosted::by_plies(film, &referee.lines, record.seats.len(), record.plies.len()))
}

/// What the referee program of a game wrote, as far as the reader may see it.
fn lines(game: &ReplayedGame<'_>) -> Markup {
    let (record, view) = (&game.stored.record, game.view);
    let Some(referee) = &record.referee else { return html! {} };
    let open = game.facts.shows_secrets(view);
    let steps = shown::steps(record, referee, &|line| view.shows_line(record, line, open));
    let fault = if view.is_staff() { shown::fault(referee) } else { String::new() };
    html! {
        h2 { "The game step by step" }
        p {
            "Refereed by " (clean(&referee.program)) ". "
            @if open { "Secrets are open, because the run is over." }
            @else { "Secrets are shown when the run is over: other games have the same ones." }
        }
        pre tabindex="0" { (clean_lines(steps.trim_start())) (clean_lines(&fault)) }
    }
}

/// A game with a board: what the script of the page moves through.
fn drawn(game: &ReplayedGame<'_>, film: &Film, played: &Played, list: &MoveList<'_>) -> Markup {
    let (links, record) = (game.links, &game.stored.record);
    let id = |element: &str| links.id(element);
    let with_ids = links.form() != Form::Single;
    let sides: Vec<&str> = record.seats.values().iter().map(|seat| seat.side.as_str()).collect();
    let has_pieces = has_pieces(film);
    html! {
        // A wide board has the whole width, and the moves are below it.
        div.replay.across[film.diagram.width > 2 * film.diagram.height] {
            div.stage {
                @let has_figures = board::has_figures(&film.start);
                @if has_pieces || has_figures { (board::pieces(&sides, has_figures, &id)) }
                (seats(game, has_pieces))
                (board::svg(&film.diagram, &film.start, (&[], &[]), &id, with_ids))
                p.caption id=(links.id("caption")) aria-live="polite" { (beginning(game)) }
                (controls(game, board::can_be_flipped(film), shows_hands(film)))
                @if let Some(values) = game.values { (values::strip(values, &record.seats.map(|_, seat| seat.side.clone()))) }
                @let charts = charts::of_game(record, list.scores);
                @if !game.view.hide_results { (charts) } @else { div.ending hidden { (charts) } }
                (tools(game))
            }
            (list.table(game.view.hide_results))
            script type="application/json" { (PreEscaped(data(film, &sides, played, list, game.view, beginning(game)))) }
        }
    }
}

/// What is said of the position before the first ply.
fn beginning(game: &ReplayedGame<'_>) -> &'static str {
    let record = &game.stored.record;
    match game.rules.map(|rules| rules.start(record.seed).text()) {
        Some(start) if record.referee.is_none() && start != record.start => {
            "The position in which the engines begin, after an opening that was drawn or given."
        }
        _ => "The start position.",
    }
}

/// Whether there are pieces on the board at any time; a board of letters has none.
pub(super) fn has_pieces(film: &Film) -> bool {
    let is_piece = |content: &SlotContent| matches!(content, SlotContent::Piece(_));
    let changes = film.frames.iter().flat_map(|frame| &frame.changes);
    film.start.iter().any(is_piece) || changes.map(|(_, content)| content).any(is_piece)
}

/// Whether the film shows what hands hold and others did not see.
fn shows_hands(film: &Film) -> bool {
    let is_held = |content: &SlotContent| matches!(content, SlotContent::Held(_));
    let mut changes = film.frames.iter().flat_map(|frame| &frame.changes);
    film.start.iter().any(is_held) || changes.any(|(_, content)| is_held(content))
}

/// Who plays on which side, with places for clocks and scores.
fn seats(game: &ReplayedGame<'_>, has_pieces: bool) -> Markup {
    let facts = game.facts;
    html! {
        ul.seats {
            @for (seat, own) in game.stored.record.seats.iter() {
                li {
                    @if has_pieces { (board::piece(seat, &|element| game.links.id(element))) }
                    (clean(&own.side)) " "
                    @match facts.number(&own.entrant) {
                        Some(number) if game.links.form() != Form::Alone => {
                            a href=(game.links.page(Page::Engine(facts.engines[number].slug.clone()))) { (clean(&own.entrant)) }
                        }
                        _ => b { (clean(&own.entrant)) },
                    }
                    @if let Some(elsewhere) = &own.elsewhere { " (elsewhere " (clean(&as_seen(elsewhere, game.view).to_string())) ")" }
                    " " span.clock { (each_move(own.time_control.as_str())) } " " span.score {}
                }
            }
        }
    }
}

/// The time of each move, which is no clock that runs down.
pub(super) fn each_move(text: &str) -> String {
    match allowances(text) {
        Ok((TimeControl::PerMove(time), _, _)) => format!("{} s a move", time.as_secs_f64()),
        _ => String::new(),
    }
}

/// The buttons, the slider and the field; the script shows them, because without it they do
/// nothing.
fn controls(game: &ReplayedGame<'_>, flips: bool, has_hands: bool) -> Markup {
    // The length of a game whose result is hidden is not told: the slider grows with the game.
    let plies = if game.view.hide_results { 0 } else { game.stored.record.plies.len() };
    html! {
        div.controls hidden {
            @for (name, key) in [("First", "Home"), ("Back", "arrow left"), ("Play", "space"), ("Forward", "arrow right"), ("Last", "End")] {
                button type="button" title={ "Key: " (key) } { (name) } " "
            }
            @if flips { button.flip type="button" title="Key: f" { "Flip the board" } " " }
            @if has_hands { button.hands type="button" title="Key: h" aria-pressed="true" { "Hands" } " " }
            @if game.values.is_some() {
                button.next type="button" title="Key: b" { "Next blunder" } " "
                button.worth type="button" title="Key: v" aria-pressed="true" { "Values of moves" } " "
            }
            label { "Go to ply " input type="number" min="0" max=[(plies > 0).then_some(plies)] value="0"; } " "
            label { "Speed " select {
                @for speed in ["0.5", "1", "2", "4", "8"] { option value=(speed) selected[speed == "1"] { (speed) "×" } }
                option value="real" { "as played" }
            } }
            input type="range" aria-label="Ply" min="0" max=(plies) value="0";
        }
    }
}

/// What a reader can take away: the position, a link, the record.
fn tools(game: &ReplayedGame<'_>) -> Markup {
    let record = &game.stored.record;
    html! {
        div.tools {
            div hidden {
                // The positions of a referee program are not known.
                @if record.referee.is_none() {
                    label { "Position " input.position readonly value=(record.start); }
                    button.copy type="button" { "Copy position" } " "
                }
                button.link type="button" { "Copy link to this ply" } " "
                span role="status" {}
            }
            p.ending hidden[game.view.hide_results] { (download(game)) }
            details.words hidden { summary { "Position in words" } p {} }
            @if game.values.is_some() {
                details.legal hidden { summary { "Legal moves by their values" } p {} }
            }
        }
    }
}

/// A link that saves the record of the game as a file.
fn download(game: &ReplayedGame<'_>) -> Markup {
    let (facts, record) = (game.facts, as_read(game));
    let of_run = facts.runs.last().map_or("", |run| run.event.as_str());
    let (event, site) = EventFile::tags(facts.event.as_ref(), of_run);
    let mut text = notation::write_at(&record, event, site);
    if !game.facts.shows_seed(game.view) {
        text = text.split_inclusive('\n').filter(|line| !line.starts_with("[Seed ")).collect();
    }
    let address = format!("data:text/plain;charset=utf-8,{}", percent(&text));
    html! { a download={ (record.id) ".txt" } href=(address) { "Download the record" } }
}

/// A game without a board: its moves, its end and its last position as text.
fn written(game: &ReplayedGame<'_>, played: Option<&Played>, list: &MoveList<'_>) -> Markup {
    let record = &game.stored.record;
    html! {
        (result(game))
        p {
            "This game is shown without a board. "
            @if let Some(Err(why)) = record.referee.as_ref().map(|referee| drawing_of(record, referee, game.facts.shows_secrets(game.view))) { (clean(&why)) " " }
            (download(game))
        }
        (charts::of_game(record, list.scores))
        (list.table(false))
        @if record.referee.is_some() {
            (lines(game))
        } @else {
            h2 { "The last position" }
            @if let Some(played) = played { pre tabindex="0" { (clean_lines(&played.drawing)) } }
            pre tabindex="0" { (clean(&record.last)) }
        }
        (private(game))
    }
}

/// In a stage, the match of which it is a game: `finals, semi-final 1, play-off 1: `. A play-off
/// tells that a match was level.
fn of_match(game: &ReplayedGame<'_>) -> Option<String> {
    let (spec, derived) = game.facts.stage.as_ref()?;
    let place = outcome::place_of(derived, game.stored.record.id.pairing)?;
    let place = if place.is_empty() { spec.name.clone() } else { format!("{}, {place}", spec.name) };
    Some(clean(&place) + ": ")
}

/// Who won, and why, in words.
fn result(game: &ReplayedGame<'_>) -> Markup {
    let record = &game.stored.record;
    let name = |seat: Seat| format!("{} ({})", clean(&record.seats[seat].entrant), record.seats[seat].side);
    let who = match (&record.verdict, record.winner()) {
        (Verdict::Void { .. }, _) => "The game is void and counts for nobody".to_owned(),
        (_, Some(winner)) => format!("{} won, {}", name(winner), without_marks(&record.result_text())),
        (_, None) if record.seats.len() > 2 => {
            let places = record.decided().map(|decided| &decided.places);
            let first = record.seats.seats().filter(|seat| places.is_some_and(|places| places[*seat] == 1));
            let names: Vec<String> = first.map(name).collect();
            format!("{} share the first place, {}", names.join(" and "), record.result_text())
        }
        (_, None) => format!("A draw, {}", record.result_text()),
    };
    let how = match record.decided().map(|decided| decided.termination) {
        Some(Termination::Resignation(seat)) => format!("{} resigned", name(seat)),
        Some(Termination::Forfeit(seat, cause)) if record.referee.is_some() || record.winner().is_none() => {
            format!("{} was at fault, {}: {}", name(seat), cause.name(), reason(game))
        }
        Some(Termination::Forfeit(seat, cause)) => {
            format!("{} lost by a fault, {}: {}", name(seat), cause.name(), reason(game))
        }
        Some(Termination::Adjudication) => format!("a rule of the match ended the game: {}", reason(game)),
        Some(Termination::Decision) => format!("the organiser decided so: {}", reason(game)),
        Some(Termination::Normal) | None => reason(game),
    };
    html! {
        p.result { (of_match(game).unwrap_or_default()) b { (who) } ". The reason: " (how) "." }
        @if let Some(ruling) = &record.ruling {
            @let played = record.clone().as_played();
            p.ruled {
                "As it was played, its result was " (played.result_text()) ", " (ruling.played.ended().0) ": "
                (reason_of(game, &ruling.played)) "."
            }
        }
        @let facts = game.facts;
        @let all = Replacements { all: &facts.replaced, links: game.links, has_replay: game.has_replay };
        @match game.replaced {
            Some(own) => (all.after(own, facts.games.iter().position(|row| row.id == own.id))),
            None => (all.before(record.id)),
        }
        @for pause in record.pauses() { p { "The organiser paused the game for " (clean(&pause)) "." } }
    }
}

/// The reason as the reader may see it.
fn reason(game: &ReplayedGame<'_>) -> String {
    let record = &game.stored.record;
    match &record.verdict {
        // The words of the organiser are for everybody.
        Verdict::Void { why } if record.ruling.is_some() => clean(&why.to_string()),
        verdict => reason_of(game, verdict),
    }
}

/// The reason of a verdict about the game, as the reader may see it.
fn reason_of(game: &ReplayedGame<'_>, verdict: &Verdict) -> String {
    let record = &game.stored.record;
    match verdict {
        Verdict::Decided(decided) => {
            let forfeit = match decided.termination {
                Termination::Forfeit(seat, cause) => Some((seat, cause)),
                _ => None,
            };
            let loser = forfeit.map_or("", |(seat, _)| record.seats[seat].entrant.as_str());
            game.view.reason(loser, forfeit.map(|(_, cause)| cause), &decided.reason)
        }
        Verdict::Void { why } if game.view.is_staff() => clean(&why.to_string()),
        Verdict::Void { .. } => PUBLIC_VOID.to_owned(),
    }
}

/// The record with the reason and the places as the reader may see them.
fn as_read(game: &ReplayedGame<'_>) -> GameRecord {
    let mut record = game.stored.record.clone();
    let reason = reason(game);
    match &mut record.verdict {
        Verdict::Decided(decided) => decided.reason = EndReason::Words(reason),
        Verdict::Void { why } => *why = reason.into(),
    }
    if let Some(ruling) = &mut record.ruling {
        let reason = reason_of(game, &ruling.played);
        match &mut ruling.played {
            Verdict::Decided(decided) => decided.reason = EndReason::Words(reason),
            Verdict::Void { why } => *why = reason.into(),
        }
    }
    for (_, seat) in record.seats.iter_mut() {
        seat.elsewhere = seat.elsewhere.as_ref().map(|own| as_seen(own, game.view));
    }
    record
}

/// How an engine played elsewhere. The place may be the name of a machine, which is for the staff.
fn as_seen(elsewhere: &PlayedElsewhere, view: &View) -> PlayedElsewhere {
    let place = elsewhere.place.clone().filter(|_| view.is_staff());
    PlayedElsewhere { place, ..elsewhere.clone() }
}

/// What only some readers see: the evidence of a fault, and what the engines wrote to stderr.
fn private(game: &ReplayedGame<'_>) -> Markup {
    let view = game.view;
    // Another engine may have ended the game, and the reason may quote its stderr.
    let record = &as_read(game);
    html! {
        @for (seat, own) in record.seats.iter() {
            @if let Some(found) = own.evidence.as_ref().filter(|_| view.shows_evidence(record, seat)) {
                h2 { "Evidence against " (clean(&own.entrant)) }
                @let [(_, why), (_, lines), ..] = evidence::files(record, own, found, "");
                pre tabindex="0" { (clean_lines(&why)) }
                p { "The last lines on its pipes: < it was told, > it answered, ! it wrote unasked, ? it did not finish." }
                pre tabindex="0" { (clean_lines(&lines)) }
                @let game_name = if record.referee.is_some() { "FOLDER-OF-THE-GAME".to_owned() } else { clean(&record.rules) };
                p { "To try the engine: " code { "agon check ENGINE --game " (game_name) " --" (clean(&record.time_control.replacen('=', " ", 1))) } }
            }
            @if let Some(text) = view.stderr(own, &game.stored.stderr[seat]) {
                h2 { "stderr of " (clean(&own.entrant)) " (" (clean(&own.side)) ")" }
                pre tabindex="0" { (text) }
            }
        }
    }
}

/// Links to the games before and after it in its pairing.
fn neighbours(game: &ReplayedGame<'_>) -> Markup {
    let id = game.stored.record.id;
    let beside = |place: Option<usize>| {
        let row = game.facts.games.get(place?)?;
        let is_same = (row.id.round, row.id.pairing) == (id.round, id.pairing);
        (is_same && game.has_replay[place?]).then(|| row.id.to_string())
    };
    let place = game.place;
    let (before, after) =
        (beside(place.and_then(|place| place.checked_sub(1))), beside(place.map(|place| place + 1)));
    let link = |id: String| game.links.page(Page::Game(id));
    html! {
        @if game.links.form() != Form::Alone && (before.is_some() || after.is_some()) {
            p.neighbours {
                @if game.stored.record.seats.len() > 2 { "At this table: " } @else { "In this pairing: " }
                @if let Some(id) = before { a rel="prev" href=(link(id)) { "previous game" } " " }
                @if let Some(id) = after { a rel="next" href=(link(id)) { "next game" } }
            }
        }
    }
}

/// What the script needs, as JSON: the frames, the names of slots and sides, and the positions.
fn data(
    film: &Film,
    sides: &[&str],
    played: &Played,
    list: &MoveList<'_>,
    view: &View,
    begin: &str,
) -> String {
    let names: Vec<&str> = film.diagram.slots.iter().map(|slot| slot.name.as_str()).collect();
    let changes =
        film.start.iter().cloned().enumerate().filter(|(_, content)| *content != SlotContent::Empty);
    let start = Frame { changes: changes.collect(), ..Frame::default() };
    let frames: Vec<String> = film.frames.iter().map(Frame::to_string).collect();
    let lit = film.each(|before, frame| frame.takes_what_it_marks(before));
    let lit = (1..).zip(lit).filter_map(|(ply, takes): (usize, bool)| takes.then_some(ply));
    let seats: Vec<usize> = list.record.plies.iter().map(|ply| ply.seat.index()).collect();
    let times: Vec<u128> = list.record.plies.iter().map(|ply| ply.time.as_millis()).collect();
    let pairs = played.positions.windows(2).map(|pair| change(&pair[0], &pair[1]));
    let data = json!({
        "names": names,
        "begin": begin,
        "sides": sides,
        "start": start.to_string(),
        "frames": frames,
        "lit": lit.collect::<Vec<_>>(),
        "seats": seats,
        "times": times,
        "position": played.positions[0],
        "positions": pairs.collect::<Vec<_>>(),
        "clocks": list.clocks.as_ref().map(|(start, _)| start),
        "clock": list.column("clock"),
        "score": list.column("score"),
        "value": list.column("value"),
        "choices": list.values.map(values::choices),
        "hides": view.hide_results,
    });
    // Within a script element nothing may look like its end.
    data.to_string().replace('<', "\\u003c")
}

/// A text as a change of the one before. It says how many characters of the start and of the end
/// are the same, and what is between. A position of a thousand cells takes some twenty bytes.
fn change(before: &str, after: &str) -> (usize, usize, String) {
    // JavaScript counts other units than Rust in other texts.
    if !before.is_ascii() || !after.is_ascii() {
        return (0, 0, after.to_owned());
    }
    let (before, bytes) = (before.as_bytes(), after.as_bytes());
    let same = |pairs: &mut dyn Iterator<Item = (&u8, &u8)>| pairs.take_while(|(a, b)| a == b).count();
    let head = same(&mut before.iter().zip(bytes));
    let tail = same(&mut before[head..].iter().rev().zip(bytes[head..].iter().rev()));
    (head, tail, after[head..after.len() - tail].to_owned())
}

#[cfg(test)]
mod tests {
    use agon_games::{Needs, find};

    use std::time::Duration;

    use super::*;
    use crate::pages::move_list::clocks;
    use agon_record::Ply;
    use agon_record::sample;

    /// A game of connect four in which the first seat wins by its seventh ply.
    fn connect_four() -> GameRecord {
        let mut record = sample::game(1, "alpha", "bravo", "1-0");
        let rules = find("connect4", &Needs::default()).unwrap();
        record.rules = "connect4".to_owned();
        record.start = rules.start(1).text();
        let moves = ["X,1", "O,2", "X,1", "O,2", "X,1", "O,2", "X,1"];
        record.plies = (moves.iter().enumerate())
            .map(|(at, text)| Ply {
                seat: Seat::new(at % 2),
                text: (*text).to_owned(),
                points: 0,
                time: Duration::from_millis(1500),
                thought: None,
            })
            .collect();
        for (seat, side) in ["X", "O"].iter().enumerate() {
            record.seats[Seat::new(seat)].side = (*side).to_owned();
        }
        record
    }

    fn data_of(record: &GameRecord) -> serde_json::Value {
        let rules = find(&record.rules, &Needs::default()).unwrap();
        let film =
            film(rules.as_ref(), &record.start, record.plies.iter().map(|ply| ply.text.as_str())).unwrap();
        let played = Played::new(rules.as_ref(), record).unwrap();
        let list = MoveList::new(record, Some(played.scores.as_slice()), None);
        let view = View { audience: crate::pages::Audience::Public, hide_results: false, top: None };
        let text = data(&film, &["<X>", "O"], &played, &list, &view, "The start position.");
        assert!(!text.contains('<'), "{text}");
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn the_positions_of_the_data_are_those_of_the_rules() {
        let record = connect_four();
        let data = data_of(&record);
        let rules = find("connect4", &Needs::default()).unwrap();
        let mut game = rules.resume(&record.start).unwrap();
        let mut position = data["position"].as_str().unwrap().to_owned();
        assert_eq!(position, game.text());
        for (ply, pair) in record.plies.iter().zip(data["positions"].as_array().unwrap()) {
            game.play(ply.text.as_bytes()).unwrap();
            let (head, tail) = (pair[0].as_u64().unwrap() as usize, pair[1].as_u64().unwrap() as usize);
            let middle = pair[2].as_str().unwrap();
            position = format!("{}{middle}{}", &position[..head], &position[position.len() - tail..]);
            assert_eq!(position, game.text());
        }
        assert_eq!(data["sides"][0], "<X>");
        assert_eq!(data["frames"].as_array().unwrap().len(), 7);
    }

    #[test]
    fn a_change_gives_the_new_text_whatever_the_texts_are() {
        for (before, after) in
            [("", ""), ("a", ""), ("", "a"), ("aaa", "aa"), ("aa", "aaa"), ("abc", "axc"), ("äb", "äc")]
        {
            let (head, tail, middle) = change(before, after);
            let whole = format!("{}{middle}{}", &before[..head], &before[before.len() - tail..]);
            assert_eq!(whole, after, "{before} {after}");
        }
    }

    #[test]
    fn clocks_run_as_in_the_game_and_a_time_for_each_move_has_none() {
        let mut record = connect_four();
        assert_eq!(clocks(&record), None);
        record.seats[Seat::FIRST].time_control = "tc=60+1 margin=0.02".to_owned();
        record.seats[Seat::SECOND].time_control = "st=1 margin=0.02 bank=2".to_owned();
        let (start, after) = clocks(&record).unwrap();
        assert_eq!(start, ["1:00.0", "0:01.0 + 0:02.0"]);
        assert_eq!(after[..4], ["0:59.5", "0:01.0 + 0:01.5", "0:59.0", "0:01.0 + 0:01.0"]);
        let list = MoveList::new(&record, None, None);
        assert_eq!(list.columns().collect::<Vec<_>>(), ["ply", "move", "time", "clock"]);
    }

    #[test]
    fn what_engines_wrote_is_text_in_the_list() {
        let mut record = connect_four();
        record.plies[0].thought = Some("\"><script>alert(1)</script>".to_owned());
        let drawn = MoveList::new(&record, None, None).table(true).into_string();
        assert!(!drawn.contains("<script") && drawn.contains("&lt;script&gt;"), "{drawn}");
        assert_eq!(drawn.matches("<tr hidden>").count(), 7, "all but the start");
    }

    #[test]
    fn a_record_in_an_address_reads_back() {
        assert_eq!(percent("a \"<é%\n"), "a%20%22%3C%C3%A9%25%0A");
    }
}
