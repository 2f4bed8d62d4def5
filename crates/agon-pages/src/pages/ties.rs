//! Why engines with equal points have different places: a sentence for each tie.

use agon_printable::clean;
use agon_standings::settled::{SettledTie, TieStep};
use agon_standings::stage::{Duel, Format};
use agon_store::ranking::DerivedStage;
use maud::{Markup, html};

use super::gather::RunFacts;

/// The most ties that are told; those that decide who goes on or is first come before others.
const MOST: usize = 12;

/// The most names that a sentence has.
const NAMES: usize = 6;

/// The ties of a run whose engines are all shown. `is_shown` says whether an engine is.
pub(super) fn content(facts: &RunFacts, is_shown: &dyn Fn(&str) -> bool) -> Markup {
    let mut ties = of_run(facts);
    ties.retain(|tie| tie.names.iter().all(|name| is_shown(name)));
    ties.sort_by_key(|tie| !matters(tie));
    html! {
        @if !ties.is_empty() {
            p { "Equal points, and what decided:" }
            ul.ties {
                @for tie in ties.iter().take(MOST) { li { (sentence(tie, &title(facts, tie))) } }
                @if ties.len() > MOST { li { "and " (ties.len() - MOST) " more" } }
            }
        }
    }
}

/// What put an engine ahead of others with as many points, if it is first by a tie-break: `ahead of
/// bob by lot`.
pub(super) fn at_the_top(facts: &RunFacts, name: &str) -> Option<String> {
    let is_own = |tie: &SettledTie| tie.rank == 1 && tie.names.first().is_some_and(|first| first == name);
    let tie = of_run(facts).into_iter().find(is_own)?;
    Some(match (&tie.names[..], &tie.steps[..]) {
        ([_, other], [step]) => format!("ahead of {} by {}", clean(other), of_two(step, name)),
        (all, _) => format!("first of {} with as many points", all.len()),
    })
}

/// Whether it decides who goes on or who is the first.
pub(super) fn matters(tie: &SettledTie) -> bool {
    tie.is_across_cut || tie.rank == 1
}

/// The ties of a run. Those of a stage are known when it is over, and those of a knockout after
/// each match.
fn of_run(facts: &RunFacts) -> Vec<SettledTie> {
    match &facts.stage {
        None => facts.standings.ties(),
        Some((_, derived)) if matches!(derived.rules.format, Format::Knockout { .. }) => {
            let duels = derived.progress.duels.iter().rev();
            duels.filter_map(|duel| duel.tie.clone()).collect()
        }
        Some((_, derived)) => of_groups(derived).cloned().collect(),
    }
}

fn of_groups(derived: &DerivedStage) -> impl Iterator<Item = &SettledTie> {
    derived.progress.result.iter().flatten().flat_map(|ranking| &ranking.ties)
}

/// What the tie was in and about: `group A, who goes on`, `semi-final 1`; empty where that is
/// clear.
fn title(facts: &RunFacts, tie: &SettledTie) -> String {
    let Some((spec, derived)) = &facts.stage else { return String::new() };
    let title = tie.title.strip_prefix(&spec.name).unwrap_or(&tie.title).trim_start_matches(", ");
    let is_knockout = matches!(derived.rules.format, Format::Knockout { .. });
    match (title, tie.is_across_cut && !is_knockout && !spec.later.is_empty()) {
        ("", true) => "who goes on".to_owned(),
        (title, true) => format!("{}, who goes on", clean(title)),
        (title, false) => clean(title),
    }
}

/// `Group A: ada and bob have 14 points each. ada is ahead by games won (7 to 6).`
pub(super) fn sentence(tie: &SettledTie, title: &str) -> String {
    let level = match tie.points {
        Some(points) => format!("have {points} points each"),
        None => "have the same share of their possible points".to_owned(),
    };
    let place = if title.is_empty() { String::new() } else { format!("{title}: ") };
    format!("{place}{} {level}. {}", names(&tie.names), order(tie))
}

/// `ada is ahead by games won (7 to 6).`
pub(super) fn order(tie: &SettledTie) -> String {
    if let ([first, _], [step]) = (&tie.names[..], &tie.steps[..]) {
        return format!("{} is ahead by {}.", clean(first), of_two(step, first));
    }
    let steps: Vec<String> = tie.steps.iter().map(|step| step_words(step, &tie.names)).collect();
    format!("Their order is by {}.", steps.join(", then by "))
}

/// What separated two, as one of them sees it: `play-off 1 (4 to 0)`.
fn of_two(step: &TieStep, name: &str) -> String {
    let (own, others): (Vec<_>, Vec<_>) = step.order.iter().partition(|(own, _)| own == name);
    match (&own[..], &others[..]) {
        ([(_, own)], [(_, other)]) if !own.is_empty() => {
            format!("{} ({own} to {other}{})", step.by, unplayed(step))
        }
        _ => step.by.clone(),
    }
}

/// How a match of two that was level was decided, for one of them: `play-off 1 (4 to 0)`.
pub(super) fn decided(duel: &Duel, name: &str) -> Option<String> {
    Some(of_two(duel.tie.as_ref()?.steps.last()?, name))
}

/// What is added to a step in which games were not played.
fn unplayed(step: &TieStep) -> String {
    step.unplayed.as_ref().map_or_else(String::new, |words| format!("; {words}"))
}

/// `games won (ada: 7, bob: 6, cem: 6)`, `lot (ada before bob)`.
fn step_words(step: &TieStep, all: &[String]) -> String {
    let is_lot = step.order.iter().all(|(_, number)| number.is_empty());
    // The order of all of them is told already, and many names hide it.
    if step.order.len() > NAMES || (is_lot && step.order.len() == all.len()) {
        return step.by.clone();
    }
    let one = |(name, number): &(String, String)| match is_lot {
        true => clean(name),
        false => format!("{}: {number}", clean(name)),
    };
    let told: Vec<String> = step.order.iter().map(one).collect();
    format!("{} ({}{})", step.by, told.join(if is_lot { " before " } else { ", " }), unplayed(step))
}

/// `ada, bob and cem`; of many the first ones.
fn names(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(NAMES).map(|name| clean(name)).collect();
    match shown.split_last() {
        Some(_) if names.len() > NAMES => format!("{} and {} more", shown.join(", "), names.len() - NAMES),
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => shown.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(by: &str, order: &[(&str, &str)]) -> TieStep {
        let order = order.iter().map(|(name, number)| ((*name).to_owned(), (*number).to_owned()));
        TieStep { by: by.to_owned(), order: order.collect(), unplayed: None }
    }

    #[test]
    fn a_tie_is_told_in_one_line_with_what_decided() {
        let two = SettledTie {
            title: String::new(),
            names: vec!["ada".to_owned(), "bob".to_owned()],
            points: "14".parse().ok(),
            rank: 3,
            is_across_cut: false,
            steps: vec![step("games won", &[("ada", "7"), ("bob", "6")])],
        };
        assert_eq!(
            sentence(&two, ""),
            "ada and bob have 14 points each. ada is ahead by games won (7 to 6)."
        );
        let three = SettledTie {
            names: ["cem", "ada", "bob"].map(str::to_owned).to_vec(),
            points: None,
            steps: vec![
                step("play-off 1", &[("cem", "4"), ("ada", "2"), ("bob", "2")]),
                step("lot", &[("ada", ""), ("bob", "")]),
            ],
            ..two
        };
        assert_eq!(
            sentence(&three, "group A"),
            "group A: cem, ada and bob have the same share of their possible points. \
             Their order is by play-off 1 (cem: 4, ada: 2, bob: 2), then by lot (ada before bob)."
        );
        let many: Vec<String> = (0..9).map(|number| format!("e{number}")).collect();
        let lot = step("lot", &many.iter().map(|name| (name.as_str(), "")).collect::<Vec<_>>());
        let many = SettledTie { names: many, points: None, steps: vec![lot], ..three };
        assert!(sentence(&many, "").starts_with("e0, e1, e2, e3, e4, e5 and 3 more have"));
        assert!(sentence(&many, "").ends_with("Their order is by lot."));
    }
}
