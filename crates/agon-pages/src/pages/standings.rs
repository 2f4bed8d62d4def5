//! The page of the standings, the first one of a run.

use std::collections::HashMap;

use agon_config::EventFile;
use agon_printable::{clean, counted, decimal};
use agon_standings::result::Cause;
use agon_standings::scoring::Scoring;
use agon_standings::stage::Format;
use agon_standings::table::{self, Row};
use agon_store::{MadeDecision, tested, until};
use maud::{Markup, html};

use super::address::{Links, Page};
use super::gather::RunFacts;
use super::legend;
use super::outcome;
use super::plot::{self, Scale};
use super::replaced;
use super::story;
use super::ties;
use super::view::{Audience, View};
use crate::report::columns::{ABOUT_BARS, score_bar};
use crate::report::terminal::{ShownColumn, named_group, standing_columns};

/// How many places above its own an engine outside the first places sees.
const ABOVE: usize = 3;

/// The standings: who leads, with tie-breaks, ratings, and games lost by a fault.
pub(super) fn content(facts: &RunFacts, view: &View, links: &Links, has_replay: &[bool]) -> Markup {
    html! {
        // Its title is the heading, unless the page is that of a stage.
        @if let Some(event) = &facts.event { (about_event(event, facts.part.is_some())) }
        @if !view.hide_results { (first(facts, links)) }
        p.state { (state(facts, view)) }
        (about_game(facts))
        @if view.hide_results { (names(facts, view, links)) } @else {
            (field_scores(facts, view, links))
            (table(facts, view, links))
            (faults(facts, view))
            (decisions(facts, view, links, has_replay))
            (story::content(facts, links, has_replay))
        }
    }
}

/// The scores by which the engines of a run for a question are ranked. Their points are something
/// else.
fn field_scores(facts: &RunFacts, view: &View, links: &Links) -> Markup {
    let found = facts.status.question.as_ref().filter(|found| found.stand.pairs > 0 && view.top.is_none());
    let end = |elo: f64| if elo.is_finite() { decimal(elo, 0) } else { String::new() };
    html! {
        @if let Some(found) = found {
            @let has_bars = !found.stand.bars.is_empty();
            div.wide tabindex="0" role="region" aria-label="Scores against the whole field" {
                table {
                    caption { "Scores against the whole field, by which they are ranked: each opponent has the same weight" }
                    thead { tr {
                        th scope="col" { "#" } th scope="col" { "engine" } th scope="col" { "%" }
                        @if has_bars { th scope="col" { "Elo from" } th scope="col" { "to" } }
                    } }
                    tbody {
                        @for (place, at) in (1..).zip(&found.stand.ranking) {
                            @let engine = facts.engines.iter().find(|engine| engine.name == found.names[*at]);
                            tr {
                                td { (place) }
                                th scope="row" {
                                    @match engine {
                                        Some(engine) => a href=(links.page(Page::Engine(engine.slug.clone()))) { (clean(&engine.name)) },
                                        None => (clean(&found.names[*at])),
                                    }
                                }
                                td { (decimal(100.0 * found.stand.scores[*at], 1)) }
                                @for elo in found.stand.bars.get(*at).into_iter().flatten() { td { (end(*elo)) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Who has won, or leads. Nobody does in a test, whose end is another one.
fn first(facts: &RunFacts, links: &Links) -> Markup {
    /// More equals are counted, and not named.
    const MOST: usize = 3;
    // A test and a question have an answer of their own, which may be another one.
    let has_answer = facts.status.test.is_some() || facts.status.question.is_some();
    let firsts = if has_answer { Vec::new() } else { table::firsts(&facts.rows) };
    let groups: Vec<&[&Row]> = firsts.chunk_by(|one, other| one.group == other.group).collect();
    let has_groups = facts.rows.iter().any(|row| row.group.is_some_and(|group| group > 1));
    let name = |name: &str| {
        let slug = facts.number(name).map(|at| facts.engines[at].slug.clone());
        html! { a href=(links.page(Page::Engine(slug.unwrap_or_default()))) { (clean(name)) } }
    };
    html! {
        @for group in groups {
            p.champion {
                (match (facts.status.is_over, group.len()) {
                    (true, 1) => "Winner",
                    (true, _) => "First",
                    (false, _) => "Leading",
                })
                @if has_groups { " of " (named_group(group[0])) }
                ": "
                @if group.len() > MOST { (group.len()) " engines" }
                @else {
                    @for (number, row) in group.iter().enumerate() {
                        @if number > 0 { (if number + 1 == group.len() { " and " } else { ", " }) }
                        b { (name(&row.entrant)) }
                    }
                }
                @if let ([row], Some(how)) = (group, group.first().and_then(|row| last_match(facts, row, &name))) {
                    @if facts.status.is_over { ", " (how) } @else { (with_points(facts, row, false)) }
                } @else {
                    (with_points(facts, group[0], group.len() > 1))
                }
            }
        }
    }
}

/// How the first of a knockout won its last match: `beat bert 3-1 in the final`.
fn last_match(facts: &RunFacts, row: &Row, name: &dyn Fn(&str) -> Markup) -> Option<Markup> {
    let (_, derived) = facts.stage.as_ref()?;
    let entrant = derived.field.names.iter().position(|own| *own == row.entrant)?;
    let (duel, one) = outcome::last_duel(derived, row.group? - 1, entrant)?;
    Some(outcome::outcome(derived, one, entrant, &format!(" in the {}", duel.name), name))
}

/// ` with 20 points: 10 games won, 0 drawn, 4 lost`; of several equals the points alone.
fn with_points(facts: &RunFacts, row: &Row, each: bool) -> Markup {
    let (games, finishes) = (row.tally.total(), &row.tally.finishes);
    html! {
        @if each { ", each" }
        " with " (row.points.counted())
        @if let Some(by) = facts.standings.first_by(&facts.rows, row.group) { ", " (by) }
        @if each {} @else if facts.standings.has_tables() {
            ", first in " (finishes.on(1)) " of " (counted(finishes.games(), "game"))
        } @else {
            ": " (counted(games.wins, "game")) " won, " (games.draws) " drawn, " (games.losses) " lost"
        }
        @if let (false, Some(why)) = (each, ties::at_the_top(facts, &row.entrant)) { "; " (why) }
    }
}

/// The event in the organiser's words.
pub(super) fn about_event(event: &EventFile, with_title: bool) -> Markup {
    let title = event.title.clone().filter(|_| with_title);
    let facts: Vec<String> = [&title, &event.date, &event.place, &event.organiser]
        .into_iter()
        .flatten()
        .map(|fact| clean(fact))
        .collect();
    html! {
        // The words beside it say what it shows.
        @if let Some(logo) = &event.logo { img.logo src=(logo.address()) alt=""; }
        @if !facts.is_empty() { p.event { (facts.join(" · ")) } }
        @for line in event.text.iter().flat_map(|text| written(text)) { p { (clean(line)) } }
        @match event.prizes.iter().flat_map(|prizes| written(prizes)).collect::<Vec<&str>>()[..] {
            [] => {}
            [one] => { p { "To win: " (clean(one)) } }
            ref several => {
                p { "To win:" }
                ul { @for line in several { li { (clean(line)) } } }
            }
        }
    }
}

/// The lines of a text in which something is written. An organiser writes several in a file as
/// `"""`.
fn written(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty())
}

/// The game in a sentence, for who does not know it; nothing of a game of a referee program.
pub(super) fn about_game(facts: &RunFacts) -> Markup {
    let card = agon_games::entry(&facts.rules).ok().map(|entry| &entry.about.card);
    html! { @if let Some(card) = card { p.game { (card.name) ": " (card.aim) } } }
}

/// How far the run has come, in a sentence.
pub(super) fn state(facts: &RunFacts, view: &View) -> String {
    let status = &facts.status;
    let of = facts.rules.clone();
    let games = match view.hide_results {
        // A test ends with any game, and so does a run for a question.
        false if status.test.is_some() || status.question.is_some() => {
            format!("{} of {of}", counted(status.done, "game"))
        }
        true => format!("{} of {of}", counted(status.planned, "planned game")),
        false => format!("{} of {} of {of}", status.done, counted(status.planned, "game")),
    };
    let how = match (&status.holder, status.is_over) {
        (_, true) if !status.parts.is_empty() => "This part is finished",
        (_, true) => "Over",
        (Some(_), false) => "Under way",
        (None, false) => "Stopped",
    };
    let mut text = format!("{how}: {games}");
    if !view.hide_results {
        let for_nobody = facts.standings.for_nobody();
        if for_nobody > 0 {
            text.push_str(&format!(", {for_nobody} for nobody"));
        }
        if status.void > 0 {
            text.push_str(&format!(", {} void", status.void));
        }
        if let Some(left) = status.left {
            text.push_str(&format!(", about {} left", counted(left.as_secs().div_ceil(60), "minute")));
        }
    }
    if let Some(stand) = status.test.as_ref().filter(|_| !view.hide_results) {
        text.push_str(&format!(". {}: {}", clean(&stand.engine), tested::words(stand)));
    }
    if let Some(found) = status.question.as_ref().filter(|_| !view.hide_results) {
        text.push_str(&format!(". {}", until::words(found)));
    }
    text + "."
}

/// The engines by name, without any result.
fn names(facts: &RunFacts, view: &View, links: &Links) -> Markup {
    let listed = facts.listed(view);
    html! {
        p { "The results are hidden." }
        ul { @for engine in listed.iter().map(|number| &facts.engines[*number]) { li { a href=(links.page(Page::Engine(engine.slug.clone()))) { (clean(&engine.name)) } } } }
    }
}

/// Which rows are shown: all, or the first ones, and the reader's own with some above it.
fn shown(rows: &[Row], view: &View) -> Vec<bool> {
    let top = view.top.unwrap_or(rows.len());
    let own = match &view.audience {
        Audience::Engine(name) => rows.iter().position(|row| row.entrant == *name),
        Audience::Public | Audience::Staff => None,
    };
    let is_near = |at: usize| own.is_some_and(|own| (own.saturating_sub(ABOVE)..=own).contains(&at));
    (0..rows.len()).map(|at| rows[at].rank <= top || is_near(at)).collect()
}

/// The table of the standings, and what its columns say.
struct StandingsTable<'a> {
    facts: &'a RunFacts,
    view: &'a View,
    links: &'a Links,
    /// The points, and the columns behind the rating. The rank, the name, the group and the
    /// forfeits have cells of another kind.
    points: Vec<ShownColumn>,
    others: Vec<ShownColumn>,
    scale: Scale,
    has_rating: bool,
    has_bars: bool,
    /// How many of each group go on, and to which stage.
    goes_on: Option<(usize, &'a str)>,
}

fn table(facts: &RunFacts, view: &View, links: &Links) -> Markup {
    let columns = standing_columns(&facts.rows, facts.standings.tiebreaks());
    let is_plain = |column: &ShownColumn| {
        !matches!(column.head, "#" | "engine" | "group" | "division" | "forfeits")
            && (column.head != "score" || has_scores(&facts.rows))
    };
    // Points and rating come first, so that a phone shows them.
    let (points, others) = columns.into_iter().filter(is_plain).partition(|column| column.head == "points");
    let ends = facts.ratings.all.values().flat_map(|(elo, error)| [elo - error, elo + error]);
    let goes_on = facts.stage.as_ref().and_then(|(spec, _)| {
        Some((*spec.cuts.last().filter(|_| !spec.is_night())?, spec.later.first()?.as_str()))
    });
    let shown = shown(&facts.rows, view);
    let is_shown = |name: &str| facts.number(name).is_some_and(|at| shown[at]);
    let table = StandingsTable {
        facts,
        view,
        links,
        points,
        others,
        scale: Scale::over(ends, plot::BAR),
        has_rating: !facts.ratings.all.is_empty() && facts.status.done > 0,
        has_bars: facts.rows.iter().any(|row| row.field.bars().is_some()),
        goes_on,
    };
    html! {
        (table.content(&shown))
        (ties::content(facts, &is_shown))
        @for made in facts.arranged.sentences() { p { (clean(&made)) "." } }
        @if table.has_rating && facts.ratings.parts > 1 {
            p { "The field falls into " (facts.ratings.parts) " parts whose engines have not met, not even through others. \
                In each of them Elo is around 0, and engines of different parts cannot be compared by it." }
        }
    }
}

/// Whether the scores tell more than who has won: in many games a win is 1:0, and 0:0 if a fault
/// has decided.
fn has_scores(rows: &[Row]) -> bool {
    let within = |score: i64, most: u64| u64::try_from(score).is_ok_and(|score| score <= most);
    let is_told = |row: &Row| {
        let games = row.tally.total();
        within(row.tally.score_for, games.wins) && within(row.tally.score_against, games.losses)
    };
    rows.iter().any(|row| row.tally.finishes.games() > 0 || !is_told(row))
}

/// Whether the share of the points ranks, because some have played more games than others.
fn goes_by_share(facts: &RunFacts) -> bool {
    let games = |row: &Row| (row.tally.total() + row.unplayed).games() + row.byes.unwrap_or(0);
    let is_unequal = facts.rows.windows(2).any(|two| games(&two[0]) != games(&two[1]));
    let is_by_points = |format| !matches!(format, Format::Gauntlet { .. });
    let is_stage = facts.stage.as_ref().is_some_and(|(spec, _)| is_by_points(spec.format));
    is_unequal && !is_stage && facts.rows.iter().any(|row| row.share.is_some())
}

impl StandingsTable<'_> {
    fn content(&self, shown: &[bool]) -> Markup {
        let facts = self.facts;
        let before = ranks_before(facts);
        let has_more = self.has_bars || self.has_rating;
        let groups: Vec<&[Row]> = facts.rows.chunk_by(|one, other| one.group == other.group).collect();
        let mut first = 0;
        html! {
            div.standings {
                p {
                    "Points: " (legend::worth(facts.standings.scoring())) "."
                    @if self.others.iter().any(|column| column.head == "score") {
                        " Score: what was made within the games"
                        (if facts.standings.scoring() == Scoring::Sum { "." } else { "; it decides no place." })
                    }
                    @if facts.stage.as_ref().is_some_and(|(spec, _)| matches!(spec.format, Format::Knockout { .. })) {
                        " The order is that of the knockout: who went out later is ahead."
                    }
                    @if goes_by_share(facts) { " Some have played more games than others, so the order is by %." }
                    @if let Some((cut, stage)) = self.goes_on {
                        " The first " @if cut > 1 { (cut) " " } @if groups.len() > 1 { "of each group " }
                        (if cut > 1 { "go" } else { "goes" }) " on to " (clean(stage)) ", in bold."
                    }
                }
                div.wide tabindex="0" role="region" aria-label="Standings" {
                    table.sortable {
                        caption { "Standings" }
                        thead { tr {
                            @for (head, more) in self.heads() { th scope="col" class=[more.then_some("more")] { (head) } }
                        } }
                        @for group in &groups {
                            @let own = first..first + group.len();
                            @let () = first = own.end;
                            tbody {
                                @if groups.len() > 1 { tr.group { th scope="rowgroup" colspan=(self.heads().len()) { (named_group(&group[0])) } } }
                                @for at in own {
                                    @if shown[at] { (self.row(at, &before)) }
                                    @else if at > 0 && shown[at - 1] { tr { td colspan=(self.heads().len()) { "…" } } }
                                }
                            }
                        }
                    }
                }
                @let heads: Vec<&str> = self.heads().iter().map(|(head, _)| *head).collect();
                (legend::content(&heads, &facts.standings))
                @if has_more { label.all { input type="checkbox"; " All columns" } }
                @if self.has_bars { p.more { (ABOUT_BARS) } }
            }
        }
    }

    /// The heads of all columns, and whether a column is shown with all others alone.
    fn heads(&self) -> Vec<(&'static str, bool)> {
        let of =
            |columns: &[ShownColumn]| columns.iter().map(|column| (column.head, false)).collect::<Vec<_>>();
        let mut heads = vec![("#", false), ("engine", false)];
        heads.extend(of(&self.points));
        if self.has_rating {
            heads.extend([("Elo", false), ("±", false)]);
        }
        heads.extend(of(&self.others));
        if self.has_bars {
            heads.extend([("% at any time", true), ("% fixed", true)]);
        }
        if self.has_rating {
            heads.push(("Elo, 95 %", true));
        }
        heads.push(("forfeits", false));
        heads
    }

    fn row(&self, at: usize, before: &HashMap<&str, u64>) -> Markup {
        let (row, engine) = (&self.facts.rows[at], &self.facts.engines[at]);
        let is_own = matches!(&self.view.audience, Audience::Engine(name) if *name == engine.name);
        let rating = self.facts.ratings.all.get(&row.entrant);
        let bars = row.field.bars();
        let name =
            html! { a href=(self.links.page(Page::Engine(engine.slug.clone()))) { (clean(&engine.name)) } };
        html! {
            tr class=[is_own.then_some("own")] {
                td { (row.rank) (arrow(row, before)) }
                th scope="row" {
                    @if self.goes_on.is_some_and(|(cut, _)| row.rank <= cut) { b { (name) } } @else { (name) }
                }
                @for column in &self.points { td { (column.cell(row)) } }
                @if self.has_rating {
                    td { @if let Some((elo, _)) = rating { (decimal(*elo, 0)) } }
                    td { @if let Some((_, error)) = rating { "±" (decimal(*error, 0)) } }
                }
                @for column in &self.others { td { (column.cell(row)) } }
                @if self.has_bars {
                    td.more { (score_bar(bars.map(|bars| bars.any_time))) }
                    td.more { (score_bar(bars.map(|bars| bars.fixed))) }
                }
                @if self.has_rating {
                    td.more { @if let Some((elo, error)) = rating { (plot::bar(self.scale, *elo, *error)) } }
                }
                td.lost { (forfeits(row)) }
            }
        }
    }
}

/// What the organiser has decided and still holds. The author of an engine sees what is about its
/// own games.
fn decisions(facts: &RunFacts, view: &View, links: &Links, has_replay: &[bool]) -> Markup {
    /// The most that are listed; the page of each game has its own.
    const MOST: usize = 40;
    let is_shown = |found: &&MadeDecision| match &view.audience {
        Audience::Engine(own) => found.engines.contains(own),
        Audience::Public | Audience::Staff => true,
    };
    let shown: Vec<&MadeDecision> = facts.decisions.iter().filter(is_shown).collect();
    // What the page of its game is known by, if it has one.
    let to = |found: &MadeDecision| -> Option<String> {
        if let Some(game) = facts.replaced.iter().find(|game| game.made.number == found.number) {
            return replaced::has_pages(has_replay).then(|| game.name.clone());
        }
        let place = facts.games.iter().position(|game| Some(game.id) == found.game)?;
        has_replay[place].then(|| facts.games[place].id.to_string())
    };
    html! {
        @if !shown.is_empty() {
            h2 { "Decisions of the organiser" }
            ul {
                @for found in shown.iter().take(MOST) {
                    @let game = found.game.map_or_else(|| "a pruned game".to_owned(), |id| id.to_string());
                    li {
                        @match to(found) {
                            Some(page) => a href=(links.page(Page::Game(page))) { (game) },
                            None => (game),
                        }
                        ", " (clean(&found.engines.join(" - "))) ": " (clean(&found.sentence()))
                    }
                }
                @if shown.len() > MOST { li { "and " (shown.len() - MOST) " more, on the pages of their games" } }
            }
        }
    }
}

/// The rank of each engine in the run before the last finished one.
fn ranks_before(facts: &RunFacts) -> HashMap<&str, u64> {
    let Some(last) = facts.history.last().map(|moved| moved.run) else { return HashMap::new() };
    let of_last = facts.history.iter().filter(|moved| moved.run == last);
    of_last.filter_map(|moved| Some((moved.engine.as_str(), moved.before?))).collect()
}

/// How the rank changed since the run before, as an arrow and in words.
fn arrow(row: &Row, before: &HashMap<&str, u64>) -> Markup {
    let now = row.rank as u64;
    html! {
        @match before.get(row.entrant.as_str()) {
            Some(then) if *then > now => { " " span.up { span aria-hidden="true" { "▲" } (then - now) span.said { " up" } } }
            Some(then) if *then < now => { " " span.down { span aria-hidden="true" { "▼" } (now - then) span.said { " down" } } }
            _ => {}
        }
    }
}

/// Who has lost games by faults, in a sentence: the column stands at the end of a wide table.
fn faults(facts: &RunFacts, view: &View) -> Markup {
    /// More engines are in the table alone.
    const MOST: usize = 8;
    let shown = shown(&facts.rows, view);
    let mut bad: Vec<&Row> = (facts.rows.iter().zip(shown))
        .filter_map(|(row, is_shown)| (is_shown && row.tally.losses.forfeits() > 0).then_some(row))
        .collect();
    bad.sort_by_key(|row| std::cmp::Reverse(row.tally.losses.forfeits()));
    html! {
        @if !bad.is_empty() {
            p {
                "Lost by faults: "
                @for (at, row) in bad.iter().take(MOST).enumerate() {
                    @if at > 0 { "; " }
                    (clean(&row.entrant)) " " (forfeits(row))
                }
                @if bad.len() > MOST { "; and " (bad.len() - MOST) " more engines" }
                "."
            }
        }
    }
}

/// The games lost by a fault, and by which: `3: time forfeit 2, crash 1`.
fn forfeits(row: &Row) -> Markup {
    let causes: Vec<String> = (Cause::ALL.iter())
        .filter(|cause| row.tally.losses.by(**cause) > 0)
        .map(|cause| format!("{} {}", cause.name(), row.tally.losses.by(*cause)))
        .collect();
    html! {
        (row.tally.losses.forfeits())
        @for (at, cause) in causes.iter().enumerate() { (if at == 0 { ": " } else { ", " }) span.whole { (cause) } }
    }
}

#[cfg(test)]
mod tests {
    use agon_standings::Standings;
    use agon_standings::points::Points;

    use super::*;

    #[test]
    fn outside_the_first_places_an_engine_sees_itself_and_three_above() {
        let names: Vec<String> = (0..12).map(|number| format!("e{number:02}")).collect();
        let mut rows = Standings::new(Points::default(), names).table();
        for (at, row) in rows.iter_mut().enumerate() {
            row.rank = at + 1;
        }
        let seen = |audience, top| {
            let shown = shown(&rows, &View { audience, hide_results: false, top });
            (1..).zip(shown).filter(|(_, shown)| *shown).map(|(rank, _)| rank).collect::<Vec<usize>>()
        };
        let own = |name: &str| Audience::Engine(name.to_owned());
        assert_eq!(seen(Audience::Public, Some(3)), [1, 2, 3]);
        assert_eq!(seen(own("e09"), Some(3)), [1, 2, 3, 7, 8, 9, 10]);
        assert_eq!(seen(own("e01"), Some(3)), [1, 2, 3]);
        assert_eq!(seen(own("e09"), None).len(), 12);
    }
}
