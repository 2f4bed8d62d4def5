//! Games that the organiser lets play again: each keeps a page of its own, beside that of the game
//! that counts, and the two say why and lead to one another.

use agon_printable::clean;
use agon_record::Decision;
use agon_standings::result::GameId;
use agon_store::MadeDecision;
use maud::{Markup, html};

use super::address::{Form, Links, Page};

/// A game that does not count, because it is played again.
pub(super) struct ReplacedGame {
    /// The number that it has in the plan, like the game that counts.
    pub(super) id: GameId,
    /// What its page is known by, in place of that number.
    pub(super) name: String,
    /// The decision.
    pub(super) made: MadeDecision,
}

/// Those among the decisions that hold. A game may be played again more than once.
pub(super) fn replaced(decisions: &[MadeDecision]) -> Vec<ReplacedGame> {
    let mut all: Vec<ReplacedGame> = Vec::new();
    let mut again: Vec<&MadeDecision> =
        decisions.iter().filter(|found| found.made.decision == Some(Decision::Replay)).collect();
    again.sort_by_key(|found| found.number);
    for found in again {
        let Some(id) = found.game else { continue };
        let before = all.iter().filter(|other| other.id == id).count();
        all.push(ReplacedGame { id, name: format!("{id}-before-{}", before + 1), made: found.clone() });
    }
    all
}

/// What a page of a game tells of such games.
pub(super) struct Replacements<'a> {
    /// Those of the run.
    pub(super) all: &'a [ReplacedGame],
    /// The links of the page.
    pub(super) links: &'a Links,
    /// Whether each game that counts has a page.
    pub(super) has_replay: &'a [bool],
}

impl Replacements<'_> {
    /// The page of a game, as a link if there is one.
    fn link(&self, name: &str, has_page: bool, words: &str) -> Markup {
        html! {
            @match has_page && self.links.form() != Form::Alone {
                true => a href=(self.links.page(Page::Game(name.to_owned()))) { (words) },
                false => (words),
            }
        }
    }

    /// Of the game that counts, or of the last one that was played again: of which it takes the
    /// place, and why.
    pub(super) fn before(&self, id: GameId) -> Markup {
        let own = self.all.iter().filter(|game| game.id == id);
        html! {
            @for game in own {
                p.ruled {
                    "It was played again, by decision of the organiser: " (clean(&game.made.made.why)) ". "
                    (self.link(&game.name, has_pages(self.has_replay), "The game before")) " does not count."
                }
            }
        }
    }

    /// Of a game that is played again, whose verdict says why: which one counts in its place. It
    /// takes the number of that one among those that count.
    pub(super) fn after(&self, game: &ReplacedGame, place: Option<usize>) -> Markup {
        html! {
            p.ruled {
                @match place {
                    Some(place) => {
                        (self.link(&game.id.to_string(), self.has_replay.get(place) == Some(&true), "The game that was played again"))
                        " counts in its place."
                    }
                    None => "It has not been played again yet.",
                }
            }
        }
    }
}

/// Whether games that are played again have pages: as soon as any game has one.
pub(super) fn has_pages(has_replay: &[bool]) -> bool {
    has_replay.contains(&true)
}
