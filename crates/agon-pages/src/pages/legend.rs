//! What the columns of the standings mean.

use agon_standings::Standings;
use agon_standings::points::Amount;
use agon_standings::scoring::Scoring;
use maud::{Markup, html};

/// What a game is worth: `2 for a win, 1 for a draw`.
pub(super) fn worth(scoring: Scoring) -> String {
    match scoring {
        Scoring::Results(points) => {
            let loss = match points.loss() {
                Amount::ZERO => String::new(),
                loss => format!(", {loss} for a loss"),
            };
            format!("{} for a win, {} for a draw{loss}", points.win(), points.draw())
        }
        Scoring::Places(places) => format!("{places} for the places in a game, the first place first"),
        Scoring::Sum => "the scores of all games, added up".to_owned(),
    }
}

/// The meaning of each of these heads of columns, and the order of engines with equal points.
pub(super) fn content(heads: &[&str], standings: &Standings) -> Markup {
    let meanings: Vec<(&str, String)> =
        heads.iter().filter_map(|head| Some((*head, meaning(head, standings.scoring())?))).collect();
    let tiebreaks: Vec<&str> = standings
        .tiebreaks()
        .iter()
        .filter(|one| standings.scoring() != Scoring::Sum || !one.takes_opponents())
        .map(|one| one.words())
        .collect();
    html! {
        details {
            summary { "What the columns mean" }
            dl.facts { @for (head, meaning) in meanings { dt { (head) } dd { (meaning) } } }
            @if !tiebreaks.is_empty() {
                p { "Engines with equal points are ordered by " (tiebreaks.join(", then by ")) "." }
            }
        }
    }
}

/// What a column says; `None` where its head does.
fn meaning(head: &str, scoring: Scoring) -> Option<String> {
    let words = match head {
        "points" => return Some(format!("of the standings: {}", worth(scoring))),
        "Elo" => "the rating by these games; 0 is the average",
        "±" => "the error of the rating, 95 %; it is right if it is looked at once",
        "+" => "games won",
        "=" => "games drawn",
        "-" => "games lost",
        "1st" => "games in which it was the first, alone or with others",
        "place" => "its average place in its games",
        "%" => "its points in per cent of those for as many wins",
        "score" => {
            "what the engines made within the games, by the rules of the game: its own, and its opponents'"
        }
        "play-offs" => "games won, drawn and lost in play-offs, which are in no other column but the rating",
        "direct" => "the points in the games between those with equal points",
        "SB" => {
            "Sonneborn-Berger: the points of beaten opponents, and half the points of opponents drawn with"
        }
        "Koya" => "the points against engines that have at least half of the possible points",
        "progr" => "the sum of the points after each round",
        "Buchholz" => "the points of the opponents, once for each game",
        "Buchh-1" => "Buchholz without the weakest opponent",
        "Buchh-m" => "Buchholz without the weakest and the strongest opponent",
        "black+" => "games won with a seat other than the first",
        "byes" => "games won without an opponent, which count in the points",
        "unplayed" => "games that were not played and count: won, drawn if any was, and lost",
        "void" => "attempts at games that count for nobody",
        "forfeits" => "games lost by a fault, and by which",
        _ => return None,
    };
    Some(words.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_of_every_scoring_are_told() {
        let told = |text: &str, seats| worth(Scoring::read(text, seats).unwrap());
        assert_eq!(told("2-1-0", 2), "2 for a win, 1 for a draw");
        assert_eq!(told("3-1-0.5", 2), "3 for a win, 1 for a draw, 0.5 for a loss");
        assert_eq!(told("2-1-0", 3), "2-1-0 for the places in a game, the first place first");
        assert_eq!(told("sum", 2), "the scores of all games, added up");
    }
}
