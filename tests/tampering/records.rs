//! Changes of the record files of a run, which `agon replay` refuses with the line.

use std::fs;

use super::database::two_nights;

/// The old text, the new text, and words of the message.
#[rustfmt::skip]
const CHANGES: &[(&str, &str, &str)] = &[
    ("[Termination \"illegal move\"]", "[Termination \"protocol\"]", "is illegal move, not protocol"),
    ("[Termination \"protocol\"]", "[Termination \"illegal move\"]", "is protocol, not illegal move"),
    ("[Termination \"crash\"]", "[Termination \"normal\"]", "the game goes on with"),
    ("[Termination \"crash\"]", "[Termination \"resignation\"]", "the tag Reason says"),
    ("[Termination \"crash\"]", "[Termination \"adjudication\"]", "the tag Re"),
    ("[Termination \"crash\"]", "[Termination \"boredom\"]", "which is no termination of a game"),
    ("[Termination \"normal\"]", "[Termination \"crash\"]", "by the rules the game is over"),
    ("[Termination \"time forfeit\"]", "[Termination \"crash\"]", "the tag Result says"),
    ("[Result \"", "[Result \"9", "the result is"),
    ("[Scores \"", "[Scores \"9", "the tag Scores says"),
    ("[Plies \"", "[Plies \"9", "its tag Plies says"),
    ("[Last \"4x4x2 ", "[Last \"4x4x2 _", "the tag Last says"),
    ("[Start \"4x4x2 ", "[Start \"4x4x2 _", "the tag Start is not a position"),
    ("[Seats \"W,B\"]", "[Seats \"B,W\"]", "the tag Seats says"),
    ("[Game \"letters:4x4x2\"]", "[Game \"letters:4x4x3\"]", "the tag Start is not a position"),
    ("[Game \"letters:4x4x2\"]", "[Game \"shogi\"]", "there is no game"),
];

#[test]
fn a_changed_record_is_refused_with_its_line() {
    let place = two_nights();
    let rounds: Vec<String> = (1..=5)
        .map(|round| fs::read_to_string(place.path(&format!("run/games/r0{round}.txt"))).unwrap())
        .collect();
    let all = rounds.concat();
    fs::write(place.path("all.txt"), &all).unwrap();
    place.done("replay all.txt");
    let refused = |what: &str, text: &str, words: &str| {
        fs::write(place.path("changed.txt"), text).unwrap();
        let (code, said) = place.agon("replay changed.txt");
        assert!(
            code == Some(2) && said.contains("changed.txt: line ") && said.contains(words),
            "{what}: {said}"
        );
    };
    for (from, to, words) in CHANGES {
        assert!(all.contains(from), "{from}");
        refused(from, &all.replacen(from, to, 1), words);
    }
    // The winner, in the tag and below the moves: in letters its two totals show it, or a mark.
    let game = |kind: &str| {
        let start = all[..all.find(kind).unwrap()].rfind("[Event ").unwrap();
        let end = all[start + 1..].find("[Event ").map_or(all.len(), |end| start + 1 + end);
        all[start..end].to_owned()
    };
    let tag = |text: &str, name: &str| {
        let line = text.lines().find(|line| line.starts_with(&format!("[{name} "))).unwrap();
        line.split_once('"').unwrap().1.trim_end_matches("\"]").to_owned()
    };
    for kind in ["[Termination \"crash\"]", "[Termination \"time forfeit\"]", "[Termination \"normal\"]"] {
        let text = game(kind);
        let result = tag(&text, "Result");
        let (first, second) = result.split_once('-').unwrap();
        if first != second {
            refused(kind, &text.replace(&result, &format!("{second}-{first}")), "the tag Result says");
        }
    }
    let illegal = game("[Termination \"illegal move\"]");
    let reason = tag(&illegal, "Reason");
    for (other, words) in
        [("\\\"W,P\\\": it is illegal", ""), ("an illegal move", "does not begin with the engine's line")]
    {
        refused(other, &illegal.replace(&reason, other), words);
    }
}
