//! The first page of a cup: its champion, its stages, its bracket with links to the games, and the
//! way of each engine.

use std::collections::HashMap;

use agon_printable::{clean, counted};
use agon_standings::cup;
use agon_standings::league::Move;
use agon_standings::matches::{Match, Score};
use agon_standings::stage::{self, Duel, Format};
use agon_standings::table::Row;
use agon_store::ranking::{DerivedStage, StageSpec};
use maud::{Markup, html};

use super::address::{Address, Links, Page};
use super::gather::{GameRow, RunFacts};
use super::legend;
use super::outcome;
use super::standings;
use super::story;
use super::ties;
use super::view::{Audience, View};
use crate::report::cup_bracket;
use crate::report::terminal::named_group;

/// A cup, and what its page depends on.
pub(super) struct CupPage<'a> {
    /// Its stages, or the runs of a folder.
    pub(super) stages: &'a [RunFacts],
    /// Whether each game of each stage has a page.
    pub(super) has_replay: &'a [Vec<bool>],
    /// The bracket as text; `None` if these are not the stages of a cup.
    pub(super) text: Option<String>,
    /// What is shown.
    pub(super) view: &'a View,
    /// The links of the page.
    pub(super) links: &'a Links,
}

/// The stages in their order, who has won, and the bracket.
pub(super) fn content(page: &CupPage<'_>) -> Markup {
    let shown = page.shown();
    let is_cup = page.text.is_some() && shown.len() == page.stages.len();
    html! {
        (page.event())
        @if is_cup { (champions(&shown)) }
        ol { @for stage in page.stages { li { (page.stage(stage)) } } }
        @if let Some(stage) = page.stages.first() { (standings::about_game(stage)) }
        // Those of the last stage that has begun.
        @if let Some(stage) = shown.iter().rev().find(|stage| !stage.facts.games.is_empty()) {
            (story::games_to_look_at(stage.facts, &|to| page.to(stage.facts, to), &page.has_replay[stage.number], true))
        }
        @if let Some(text) = page.text.as_ref().filter(|_| is_cup) {
            h2 { "Bracket" }
            @if let Some(stage) = page.stages.first() {
                p { "The numbers are points: " (legend::worth(stage.standings.scoring())) ". Those in bold went on, or have won." }
            }
            div.wide tabindex="0" role="region" aria-label="Bracket" {
                div.bracket { @for stage in &shown { (stage.columns()) } }
            }
            details { summary { "The bracket as text" } pre tabindex="0" { (text) } }
            (ways(page, &shown))
        }
    }
}

impl<'a> CupPage<'a> {
    /// Its stages with their results; none where results are hidden.
    pub(super) fn shown(&'a self) -> Vec<Stage<'a>> {
        if self.view.hide_results {
            return Vec::new();
        }
        let stages = self.stages.iter().enumerate();
        stages.filter_map(|(number, facts)| Stage::new(self, number, facts)).collect()
    }

    /// What the organiser says of the event.
    pub(super) fn event(&self) -> Markup {
        let said = self.stages.iter().find_map(|facts| facts.event.as_ref());
        html! { @if let Some(event) = said { (standings::about_event(event, false)) } }
    }

    pub(super) fn to(&self, facts: &RunFacts, page: Page) -> String {
        self.links.to(&Address { part: facts.part.clone(), page })
    }

    /// A stage with a link, how far it is, and who leads.
    pub(super) fn stage(&self, stage: &RunFacts) -> Markup {
        html! {
            a href=(self.to(stage, Page::Standings)) { (clean(&stage.title)) }
            ". " (standings::state(stage, self.view))
            @if !self.view.hide_results { (leaders(stage)) }
            @for made in stage.arranged.sentences() { " " (clean(&made)) "." }
            @if !stage.decisions.is_empty() && !self.view.hide_results && !matches!(self.view.audience, Audience::Engine(_)) {
                " The organiser has decided about " (counted(stage.decisions.len(), "game")) "."
            }
        }
    }

    /// The name of an engine, with a link to its way through the cup.
    fn name(&self, name: &str) -> Markup {
        let way = self.links.to_element(self.links.here(), &self.way(name));
        html! { a href=(way) { (clean(name)) } }
    }

    /// The element with the way of an engine.
    pub(super) fn way(&self, name: &str) -> String {
        let slug =
            self.stages.iter().find_map(|facts| Some(facts.engines[facts.number(name)?].slug.as_str()));
        format!("way-{}", slug.unwrap_or_default())
    }
}

/// Who has won the cup, and how.
pub(super) fn champions(shown: &[Stage<'_>]) -> Markup {
    let Some(last) = shown.last().filter(|stage| stage.spec.later.is_empty()) else { return html! {} };
    let Some(result) = &last.derived.progress.result else { return html! {} };
    let field = &last.derived.field;
    html! {
        @for (group, ranking) in result.iter().enumerate() {
            @if let Some(winner) = ranking.order.first() {
                p.champion {
                    @match !last.spec.is_night() && cup::decides(&last.spec.name, &field.titles[group], field.groups.len()) {
                        true => "Champion: ",
                        false => { "Winner of " (clean(&field.titles[group])) ": " }
                    }
                    b { (last.page.name(&field.names[*winner])) }
                    @if let Some((duel, one)) = outcome::last_duel(last.derived, group, *winner) {
                        ", " (last.outcome(one, *winner, &format!(" in the {}", duel.name))) ". " (last.games(one))
                    } @else {
                        " with " (last.derived.sums()[*winner].points.counted())
                        @if let Some(why) = ties::at_the_top(last.facts, &field.names[*winner]) { "; " (why) }
                    }
                }
            }
        }
    }
}

fn leaders(stage: &RunFacts) -> Markup {
    let firsts = DerivedStage::firsts(stage.stage.as_ref(), &stage.rows);
    let has_groups = stage.rows.iter().any(|row| row.group.is_some_and(|group| group > 1));
    let name = |row: &&Row| match has_groups {
        true => format!("{} ({})", clean(&row.entrant), named_group(row)),
        false => clean(&row.entrant),
    };
    let names: Vec<String> = firsts.iter().take(4).map(name).collect();
    let by = firsts.iter().find_map(|row| stage.standings.first_by(&stage.rows, row.group));
    html! {
        @if !names.is_empty() {
            @if stage.status.is_over && stage.status.parts.is_empty() { " First: " } @else { " Leading: " }
            b { (names.join(", ")) } @if let Some(by) = by { ", " (by) } "."
        }
    }
}

/// A stage of a cup.
pub(super) struct Stage<'a> {
    pub(super) page: &'a CupPage<'a>,
    pub(super) number: usize,
    pub(super) facts: &'a RunFacts,
    pub(super) spec: &'a StageSpec,
    pub(super) derived: &'a DerivedStage,
    /// Its games by the number of their pairing: indexes into [`RunFacts::games`].
    games: HashMap<u32, Vec<usize>>,
}

impl<'a> Stage<'a> {
    fn new(page: &'a CupPage<'a>, number: usize, facts: &'a RunFacts) -> Option<Stage<'a>> {
        let (spec, derived) = facts.stage.as_ref()?;
        let mut games: HashMap<u32, Vec<usize>> = HashMap::new();
        for (place, row) in facts.games.iter().enumerate() {
            games.entry(row.id.pairing).or_default().push(place);
        }
        Some(Stage { page, number, facts, spec, derived, games })
    }

    /// The matches of these two from this one on: play-offs follow it.
    fn with_play_offs(&self, one: &Match) -> impl Iterator<Item = &Match> {
        let pair = |one: &Match| {
            (one.pairing.first.min(one.pairing.second), one.pairing.first.max(one.pairing.second))
        };
        let (own, number) = (pair(one), one.pairing.pairing);
        let group = one.group;
        self.derived.progress.matches.iter().filter(move |other| {
            other.pairing.pairing == number
                || (other.play_off > 0 && other.group == group && pair(other) == own)
        })
    }

    /// What a match was for one of its entrants: `beat bert 3-1 in the final`.
    fn outcome(&self, one: &Match, entrant: usize, place: &str) -> Markup {
        outcome::outcome(self.derived, one, entrant, place, &|name| self.page.name(name))
    }

    /// Links to the games of a match and of its play-offs: each has the name of who won it.
    fn games(&self, one: &Match) -> Markup {
        let parts =
            self.with_play_offs(one).filter_map(|part| Some((part, self.games.get(&part.pairing.pairing)?)));
        html! {
            @for (part, places) in parts {
                span.games {
                    (match part.play_off {
                        0 => "Winners of the games: ",
                        play_off if play_off > self.derived.rules.play_offs => "Deciding pair: ",
                        _ => "Play-off: ",
                    })
                    @for (at, place) in places.iter().enumerate() { @if at > 0 { ", " } (self.game(*place)) }
                    ". "
                }
            }
        }
    }

    fn game(&self, place: usize) -> Markup {
        let row = &self.facts.games[place];
        let has_page = self.page.has_replay[self.number].get(place) == Some(&true);
        html! {
            @if has_page {
                a href=(self.page.to(self.facts, Page::Game(row.id.to_string()))) { (winner_of(self.facts, row)) }
            } @else { (winner_of(self.facts, row)) }
        }
    }

    /// One column of the bracket for each round of a knockout, or one for the groups.
    pub(super) fn columns(&self) -> Markup {
        if !matches!(self.derived.rules.format, Format::Knockout { .. }) {
            return self.group_column();
        }
        let duels = &self.derived.progress.duels;
        let most = duels.iter().map(|duel| duel.slots).max().unwrap_or(0);
        let rounds =
            std::iter::successors(Some(most), |slots| Some(slots / 2)).take_while(|slots| *slots > 1);
        html! {
            @for slots in rounds {
                @let mut own: Vec<&Duel> = duels.iter().filter(|duel| duel.slots == slots).collect();
                // The final comes first, the match for the third place below it.
                @let () = own.sort_by_key(|duel| duel.is_for_third);
                @if !own.is_empty() {
                    section.column {
                        h3 { (clean(&self.spec.name)) ": " (stage::round_name(slots)) }
                        @for duel in own { (self.duel(duel)) }
                    }
                }
            }
        }
    }

    fn duel(&self, duel: &Duel) -> Markup {
        let one = duel.at.map(|at| &self.derived.progress.matches[at]);
        let score = one.and_then(|one| Some((one, self.derived.scores.get(&one.pairing.pairing)?)));
        html! {
            div.duel {
                p { (clean(&duel.name)) }
                ul {
                    @for entrant in duel.entrants.iter().flatten() {
                        li {
                            @if duel.winner == Some(*entrant) { b { (self.page.name(&self.derived.field.names[*entrant])) span.said { " (winner)" } } }
                            @else { (self.page.name(&self.derived.field.names[*entrant])) }
                            @if let Some((one, score)) = score {
                                @let own = if one.pairing.first == *entrant { score.total() } else { score.total().reversed() };
                                " " span.whole { (self.derived.rules.points.of(own)) }
                            }
                        }
                    }
                    @if one.is_none() { li { "without an opponent" } }
                }
                @if let Some(words) = score.and_then(|(_, score)| score.unplayed_words()) { p { (words) } }
                @if let Some(tie) = &duel.tie { p { (ties::order(tie)) } }
                @if let Some(one) = one { p { (self.games(one)) } }
                (decided(&duel.words))
            }
        }
    }

    /// The groups of a stage: each with its order, and its matches.
    fn group_column(&self) -> Markup {
        let (progress, field) = (&self.derived.progress, &self.derived.field);
        let sums = self.derived.sums();
        // One that is to be drawn anew says nothing of who goes on.
        let next = self.page.stages.get(self.number + 1).and_then(|next| next.stage.as_ref());
        let next =
            next.filter(|next| self.facts.stage.as_ref().is_some_and(|own| cup_bracket::follows(own, next)));
        let go_on = |entrant: usize| match next {
            Some((_, next)) => next.field.begins_with(&field.names[entrant]),
            None => {
                let is_first = |ranking: &stage::Ranking| ranking.order.first() == Some(&entrant);
                self.spec.later.is_empty()
                    && progress.result.as_ref().is_some_and(|all| all.iter().any(is_first))
            }
        };
        let is_night = self.spec.is_night();
        html! {
            // Divisions stand beside each other, groups in a column of the bracket.
            section class=(if is_night { "ways" } else { "column" }) {
                @if !is_night { h3 { (clean(&self.spec.name)) } }
                @for (group, order) in progress.orders.iter().enumerate() {
                    div.duel {
                        p { (clean(field.titles[group].strip_prefix(&format!("{}, ", self.spec.name)).unwrap_or(&field.titles[group]))) }
                        ul {
                            @for (entrant, _) in order {
                                li {
                                    @let said = if is_night { " (first)" } else { " (goes on or has won)" };
                                    @if go_on(*entrant) { b { (self.page.name(&field.names[*entrant])) span.said { (said) } } }
                                    @else { (self.page.name(&field.names[*entrant])) }
                                    @if is_night { " " span.came { (self.came(&field.names[*entrant], group)) } (self.goes(*entrant, group)) }
                                    " " span.whole { (sums[*entrant].points) }
                                }
                            }
                        }
                        @for tie in progress.result.iter().flat_map(|result| &result[group].ties) {
                            @if is_night || ties::matters(tie) { p { (ties::sentence(tie, "")) } }
                        }
                        details {
                            summary { "Matches" }
                            ul {
                                @for one in progress.matches.iter().filter(|one| one.group == group) {
                                    @let places = self.games.get(&one.pairing.pairing);
                                    @let unplayed = self.derived.scores.get(&one.pairing.pairing).and_then(Score::unplayed_words);
                                    @if places.is_some() || unplayed.is_some() {
                                        li {
                                            @if one.play_off > 0 { "Play-off " }
                                            (clean(&field.names[one.pairing.first])) " - " (clean(&field.names[one.pairing.second])) ": "
                                            @for (at, place) in places.into_iter().flatten().enumerate() { @if at > 0 { ", " } (self.game(*place)) }
                                            @if let Some(words) = unplayed { @if places.is_some() { "; " } (words) }
                                        }
                                    }
                                }
                            }
                        }
                        (decided(progress.result.as_ref().map_or(&[][..], |result| &result[group].words)))
                    }
                }
            }
        }
    }

    /// How an engine came into its division since the night before, or that it has left it.
    fn came(&self, name: &str, division: usize) -> &'static str {
        if self.derived.has_withdrawn(name) {
            return "withdrawn";
        }
        let nights = self.page.stages[..self.number].iter().filter_map(|facts| facts.stage.as_ref());
        let of = |night: &DerivedStage| {
            let entrant = night.field.names.iter().position(|own| own == name)?;
            night.field.groups.iter().position(|group| group.contains(&entrant))
        };
        let before: Vec<Option<usize>> = nights.map(|(_, night)| of(night)).collect();
        match before.last() {
            None => "",
            Some(Some(own)) if *own > division => "came up",
            Some(Some(own)) if *own < division => "came down",
            Some(Some(_)) => "",
            Some(None) if before.iter().any(Option::is_some) => "back",
            Some(None) => "new",
        }
    }

    /// Where an engine plays on the next night, if it moves.
    fn goes(&self, entrant: usize, division: usize) -> Markup {
        let rules = self.spec.league_rules();
        let words = match rules.and_then(|rules| self.derived.move_of(rules, division, entrant)) {
            Some(Move::Up) => "goes up",
            Some(Move::Down) => "goes down",
            Some(Move::Stay) | None => return html! {},
        };
        html! { " " span.came { (words) } }
    }

    /// The group and the rank of an entrant in it.
    pub(super) fn rank(&self, entrant: usize) -> Option<(usize, usize)> {
        let orders = self.derived.progress.orders.iter().enumerate();
        let found = |(group, order): (usize, &Vec<(usize, usize)>)| {
            Some((group, order.iter().find(|(own, _)| *own == entrant)?.1))
        };
        orders.filter_map(found).next()
    }

    /// The way of an entrant through the stage, a sentence for each match of a knockout.
    fn way(&self, entrant: usize) -> Markup {
        let (progress, field) = (&self.derived.progress, &self.derived.field);
        if !matches!(self.derived.rules.format, Format::Knockout { .. }) {
            let Some((group, rank)) = self.rank(entrant) else { return html! {} };
            let points = self.derived.sums()[entrant].points;
            return html! { li { (clean(&field.titles[group])) ": place " (rank) " with " (points.counted()) } };
        }
        let own = progress.duels.iter().filter(|duel| duel.entrants.contains(&Some(entrant)));
        html! {
            @for duel in own {
                li {
                    (clean(&duel.name)) ": "
                    @match duel.at.map(|at| &progress.matches[at]) {
                        Some(one) => { (self.outcome(one, entrant, "")) ". " (self.games(one)) }
                        None => "without an opponent",
                    }
                }
            }
        }
    }
}

/// How a tie was decided.
fn decided(words: &[String]) -> Markup {
    html! {
        @if !words.is_empty() {
            details { summary { "How the tie was decided" } @for words in words { p { (clean(words)) } } }
        }
    }
}

/// Who won a game: the link to it says so.
fn winner_of(facts: &RunFacts, row: &GameRow) -> Markup {
    let winner = (0..row.seats.len()).find(|at| super::live::is_winner(row, *at));
    html! {
        @match winner {
            Some(at) => (clean(&facts.engines[row.seats[at]].name)),
            None if row.places.is_empty() => "void",
            None => "draw",
        }
    }
}

/// The way of each engine through the cup, the one that came farthest first.
fn ways(page: &CupPage<'_>, shown: &[Stage<'_>]) -> Markup {
    // Its name, the last stage it reached, and its group and rank there.
    let mut reached: HashMap<&str, (usize, usize, usize)> = HashMap::new();
    for stage in shown {
        for (entrant, name) in stage.derived.field.names.iter().enumerate() {
            let (group, rank) = stage.rank(entrant).unwrap_or((0, usize::MAX));
            reached.insert(name, (stage.number, rank, group));
        }
    }
    let mut order: Vec<(&str, (usize, usize, usize))> = reached.into_iter().collect();
    order.sort_by_key(|(name, (stage, rank, group))| (usize::MAX - stage, *rank, *group, *name));
    html! {
        h2 { "The way of each engine" }
        div.ways {
            @for (name, (last, _, _)) in order {
                section id=(page.links.id(&page.way(name))) {
                    @let facts = shown[last].facts;
                    @let slug = facts.number(name).map(|number| facts.engines[number].slug.clone());
                    h3 { @match slug {
                        Some(slug) => { a href=(page.to(facts, Page::Engine(slug))) { (clean(name)) } }
                        None => (clean(name)),
                    } }
                    ol {
                        @for stage in shown {
                            @if let Some(entrant) = stage.derived.field.names.iter().position(|own| own == name) { (stage.way(entrant)) }
                        }
                    }
                }
            }
        }
    }
}
