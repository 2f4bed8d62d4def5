//! Changes of exported games, which `agon import` refuses with the line and the key, without
//! storing any.

use std::fs;

use serde_json::{Value, json};

use super::database::two_nights;
use super::place::Place;

/// The name of the change, the game it changes, the change, and words of the message.
type Change = (&'static str, &'static str, fn(&mut Value), &'static str);

const ILLEGAL: &str = "\"illegal_move\"";
const CRASH: &str = "\"crash\"";
const LATE: &str = "\"time_forfeit\"";
const NORMAL: &str = "\"termination\":\"normal\"";

/// The seat that lost by a fault.
fn loser(game: &Value) -> usize {
    let seat = game["verdict"]["decided"]["termination"]["forfeit"][0].as_u64().unwrap();
    usize::try_from(seat).unwrap()
}

fn lost(game: &mut Value) -> &mut Value {
    let seat = loser(game);
    &mut game["seats"][seat]
}

#[rustfmt::skip]
const CHANGES: &[Change] = &[
    ("another game", NORMAL, |game| game["rules"] = json!("mill"), "key rules: is mill, but the other games are of letters:4x4x2"),
    ("a game that is not there", NORMAL, |game| game["rules"] = json!("shogi"), "key rules: "),
    ("a side that is a path", CRASH, |game| game["seats"][0]["side"] = json!("x/../../y"), "key seats[0].side: is \"x/../../y\""),
    ("a side of another game", NORMAL, |game| game["seats"][1]["side"] = json!("X"), "key seats[1].side"),
    ("a third seat", NORMAL, |game| { let seat = game["seats"][0].clone(); game["seats"].as_array_mut().unwrap().push(seat); game["verdict"]["decided"]["places"] = json!([1, 2, 2]); game["verdict"]["decided"]["scores"] = json!([1, 1, 1]); game["engine_hashes"] = json!(["a", "b", "c"]); }, "key seats: there are 3 seats"),
    ("one seat", NORMAL, |game| { game["seats"].as_array_mut().unwrap().pop(); game["verdict"]["decided"]["places"] = json!([1]); game["verdict"]["decided"]["scores"] = json!([1]); game["engine_hashes"] = json!(["a"]); game["plies"] = json!([]); game["seats"][0].as_object_mut().unwrap().remove("spent"); }, "key seats: there are 1 seats"),
    ("an engine against itself", NORMAL, |game| game["seats"][0]["entrant"] = game["seats"][1]["entrant"].clone(), "key seats[1].entrant: "),
    ("an engine without a name", NORMAL, |game| game["seats"][0]["entrant"] = json!(""), "key seats[0].entrant: "),
    ("a name that a terminal obeys", NORMAL, |game| game["seats"][0]["entrant"] = json!("\u{1b}[2J"), "key seats[0].entrant: \"\\x1b[2J\""),
    ("a newline in a ply", NORMAL, |game| game["plies"][0]["text"] = json!("W,P\n0\t0\t0\tB,P"), "key plies[0].text: "),
    ("another move", NORMAL, |game| game["plies"][0]["text"] = json!("W,P2"), "key plies[0].text: "),
    ("a move of the other", NORMAL, |game| game["plies"][0]["seat"] = json!(1), "key plies[0].seat: is B, but it is W's turn"),
    ("points of a move", NORMAL, |game| game["plies"][0]["points"] = json!(999), "key plies[0].points: says 999"),
    ("a move that took an hour", NORMAL, |game| game["plies"][0]["micros"] = json!(3_600_000_000u64), "key plies[0].micros: "),
    ("a newline in a thought", NORMAL, |game| game["plies"][0]["thought"] = json!("a\nb"), "key plies[0].thought: "),
    ("a move less", NORMAL, |game| drop(game["plies"].as_array_mut().unwrap().remove(0)), "key "),
    ("another start", NORMAL, |game| game["start"] = json!("nowhere"), "key start: is not a position"),
    ("another end", NORMAL, |game| game["last"] = game["start"].clone(), "key last: says"),
    ("the winner exchanged", NORMAL, |game| game["verdict"]["decided"]["places"].as_array_mut().unwrap().reverse(), "key verdict.decided.places: says"),
    ("scores", NORMAL, |game| game["verdict"]["decided"]["scores"][0] = json!(999), "key verdict.decided.scores: says 999"),
    ("a reason", NORMAL, |game| game["verdict"]["decided"]["reason"] = json!("luck"), "key verdict.decided.reason: says \"luck\""),
    ("a resignation at the end", NORMAL, |game| game["verdict"]["decided"]["termination"] = json!({"resignation": 0}), "key verdict.decided.termination: "),
    ("a legal move called illegal", ILLEGAL, |game| { let side = lost(game)["side"].as_str().unwrap().to_owned(); game["verdict"]["decided"]["reason"] = json!(format!("\"{side},P\": it is illegal")); drop(game["verdict"]["decided"].as_object_mut().unwrap().remove("reason_data")); }, "is a legal move there"),
    ("another reason than the data", ILLEGAL, |game| game["verdict"]["decided"]["reason"] = json!("luck"), "but by verdict.decided.reason_data it is"),
    ("the other one forfeits", CRASH, |game| { let other = 1 - loser(game); game["verdict"]["decided"]["termination"] = json!({"forfeit": [other, "crash"]}); }, "key verdict.decided.termination: "),
    ("a crash without an end", CRASH, |game| lost(game)["exit"] = Value::Null, "exit: is missing"),
    ("late without a time", LATE, |game| drop(lost(game).as_object_mut().unwrap().remove("unanswered")), "unanswered: is missing"),
    ("late in time", LATE, |game| lost(game)["unanswered"]["micros"] = json!(5), "the engine lost on time"),
    ("no transcript", CRASH, |game| drop(lost(game).as_object_mut().unwrap().remove("evidence")), "evidence: is missing"),
    ("a sum of times", NORMAL, |game| game["seats"][0]["micros"] = json!(987_654_321), "key seats[0].micros: says 987654321 us"),
    ("the longest move", NORMAL, |game| game["seats"][0]["longest_micros"] = json!(987_654_321), "key seats[0].longest_micros: "),
    ("a time control", NORMAL, |game| game["seats"][0]["time_control"] = json!("soon"), "key seats[0].time_control: "),
    ("a time control of nobody", NORMAL, |game| game["time_control"] = json!("st=99"), "key time_control: "),
    ("a number that is there", NORMAL, |game| { game["id"] = json!({"round": 1, "pairing": 1, "game": 1}); game["key"] = json!("0123456789abcdef"); }, "key id: r01-p0001-g01 is in line 1 already"),
    ("a key", NORMAL, |game| game["key"] = json!("none"), "key key: "),
    ("a hash", NORMAL, |game| game["engine_hashes"] = json!(["a b", "c"]), "key engine_hashes[0]: "),
    ("a place less", NORMAL, |game| game["verdict"]["decided"]["places"] = json!([1]), "1 places for 2 seats"),
    ("an end before the start", NORMAL, |game| { let (started, finished) = (game["started"].clone(), game["finished"].clone()); game["started"] = finished; game["finished"] = started; }, "key finished: is "),
    ("more time than there was", NORMAL, |game| game["finished"] = json!("2001-01-01T00:00:00Z"), "key finished: is "),
    ("a level of nobody", NORMAL, |game| game["isolation"]["level"] = json!("limitsx"), "key isolation.level: is \"limitsx\", but the levels are none, limits, sandbox, strict"),
    ("a mechanism that a terminal obeys", NORMAL, |game| game["isolation"]["in_force"] = json!(["\u{1b}[2J"]), "key isolation.in_force[0]: "),
    ("a round of nobody", NORMAL, |game| game["id"]["round"] = json!(0), "key id.round: is 0"),
    ("a share above one", NORMAL, |game| game["machine"]["pressure"] = json!(1.5), "key machine.pressure: is 1.5"),
    ("a load below zero", NORMAL, |game| game["machine"]["load"] = json!(-1.0), "key machine.load: is -1"),
    ("a lateness of an hour", NORMAL, |game| game["seats"][0]["lateness_micros"] = json!(3_600_000_000_000u64), "key seats[0].lateness_micros: says"),
    ("a negative time", NORMAL, |game| game["seats"][0]["micros"] = json!(-1), "no game: "),
    ("an exit status that there is not", NORMAL, |game| game["seats"][0]["exit"] = json!({"code": 256}), "key seats[0].exit: is the status 256"),
    ("a signal that there is not", NORMAL, |game| game["seats"][0]["exit"] = json!({"signal": 0}), "key seats[0].exit: is the signal 0"),
    ("a pause longer than the game", NORMAL, |game| game["seats"][0]["pauses"] = json!([{"micros": 999_000_000_000u64, "waited_for": "x", "why": ""}]), "key seats[0].pauses: says"),
    ("a turn that lost more than it took", NORMAL, |game| game["seats"][0]["spent"] = json!([{"question": 1, "micros": 5, "ran_micros": 1, "waited_micros": 1, "slept_micros": 1, "starved_micros": 9}]), "key seats[0].spent[0].starved_micros: "),
    ("a turn after the end", NORMAL, |game| game["seats"][0]["spent"] = json!([{"question": 9999, "micros": 5, "ran_micros": 1, "waited_micros": 1, "slept_micros": 1, "starved_micros": 0}]), "key seats[0].spent[0].question: "),
    ("a transcript after the end", ILLEGAL, |game| lost(game)["evidence"]["lines"][0]["micros"] = json!(999_000_000_000u64), "evidence.lines[0].micros: says"),
    ("a transcript that a terminal obeys", ILLEGAL, |game| lost(game)["evidence"]["stderr"] = json!("\u{1b}[2J"), "evidence.stderr: "),
    ("points of another number of seats", NORMAL, |game| game["counted_as"]["points"] = json!("4-3-2-1"), "key counted_as.points: "),
    ("other points than the other games", NORMAL, |game| game["counted_as"]["points"] = json!("3-1-0"), "key counted_as: is"),
    ("a cause that there is not", CRASH, |game| game["verdict"]["decided"]["termination"] = json!({"forfeit": [0, "\u{1b}[2J"]}), "no game: unknown variant"),
];

#[test]
fn a_changed_game_is_refused_with_its_line_and_key_and_nothing_is_taken_in() {
    let place = two_nights();
    place.done("export json run games.jsonl");
    let games = fs::read_to_string(place.path("games.jsonl")).unwrap();
    let lines: Vec<&str> = games.lines().collect();
    let mut missed = Vec::new();
    for (what, kind, change, words) in CHANGES {
        let at = (1..lines.len()).find(|at| lines[*at].contains(kind)).unwrap();
        let mut game: Value = serde_json::from_str(lines[at]).unwrap();
        change(&mut game);
        let mut changed: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        changed[at] = game.to_string();
        fs::write(place.path("changed.jsonl"), changed.join("\n")).unwrap();
        let _ = fs::remove_dir_all(place.path("new")); // of the last change
        let (code, said) = place.agon("import new changed.jsonl");
        let line = format!("changed.jsonl: line {}: ", at + 1);
        let shown = said.lines().all(|line| !line.chars().any(char::is_control));
        if code != Some(2) || !said.contains(&line) || !said.contains(words) || !shown {
            missed.push(format!("{what}: exit code {code:?}, not {line}{words:?}:\n{said}"));
        }
        assert!(!place.path("new").exists(), "{what}: something is left of it");
    }
    assert!(missed.is_empty(), "{} missed\n{}", missed.len(), missed.join("\n"));
}

#[test]
fn games_of_another_game_or_under_taken_numbers_stay_outside() {
    let place = Place::new();
    place.mover("mover");
    place.mover("other");
    for game in ["mill", "connect4"] {
        place.done(&format!(
            "match engines/mover engines/other --game {game} --st 1 --games 2 --out {game} --quiet"
        ));
        place.done(&format!("export json {game} {game}.jsonl"));
    }
    let (code, said) = place.agon("import mill connect4.jsonl");
    assert!(
        code == Some(2) && said.contains("line 1: key rules: is connect4, but the other games are of mill"),
        "{said}"
    );
    place
        .done("match engines/mover engines/other --game mill --st 1 --games 2 --seed 99 --out third --quiet");
    place.done("export json third third.jsonl");
    let (code, said) = place.agon("import mill third.jsonl");
    assert!(code == Some(2) && said.contains("key id: another game counts as r01-p0001-g01"), "{said}");
    assert!(place.done("import mill mill.jsonl").starts_with("0 games taken in; 2 count"));
    place.done("verify mill");
}

#[test]
fn the_history_of_a_run_travels_as_history() {
    let place = two_nights();
    place.done("export json run all.jsonl --all");
    assert!(place.done("import new all.jsonl").contains(" games taken in; 30 count"));
    let said = place.done("verify new");
    assert!(said.contains("40 games checked, 0 with differences"), "{said}");
    assert!(place.done("import new all.jsonl").starts_with("0 games taken in; 30 count"));
    // The chain contains which games count, although no plan says it.
    place.copy("new", "forged").execute_batch("UPDATE game SET current = NULL WHERE number = 3").unwrap();
    let (code, said) = place.agon("verify forged");
    assert!(code == Some(1) && said.contains("other games count than"), "{said}");
}

/// A transcript of the protocol `lines` tells the moves of the game.
#[test]
fn a_transcript_that_tells_other_moves_is_refused() {
    let place = Place::new();
    place.sample("greedy", "agon-greedy");
    // It makes two moves, and is gone.
    let greedy = place.path("engines/greedy").display().to_string();
    place.toml(
        "late",
        &format!("command = [\"sh\", \"-c\", \"{greedy} \\\"$@\\\" | sed -u 2q\", \"late\"]\n"),
    );
    place.done(
        "match engines/greedy engines/late --game letters:4x4x2 --st 1 --games 2 --seed 5 --out run --quiet",
    );
    place.done("export json run games.jsonl");
    place.done("import whole games.jsonl");
    let games = fs::read_to_string(place.path("games.jsonl")).unwrap();
    let lines: Vec<&str> = games.lines().collect();
    let at = (0..2).find(|at| lines[*at].contains("\"way\":\"told\"")).unwrap();
    let mut seen = [false, false];
    for (way, seen) in ["told", "said"].into_iter().zip(&mut seen) {
        let mut game: Value = serde_json::from_str(lines[at]).unwrap();
        let seat = loser(&game);
        let heard = game["seats"][seat]["evidence"]["lines"].as_array_mut().unwrap();
        // Of two lines exchanged both are moves, but not there.
        let own: Vec<usize> = (0..heard.len())
            .filter(|line| heard[*line]["way"] == way && heard[*line]["text"].as_str().unwrap().contains(','))
            .collect();
        let [first, second, ..] = own[..] else { continue };
        let text = heard[first]["text"].clone();
        heard[first]["text"] = heard[second]["text"].clone();
        heard[second]["text"] = text;
        if heard[first]["text"] == heard[second]["text"] {
            continue;
        }
        *seen = true;
        fs::write(place.path("changed.jsonl"), format!("{game}\n")).unwrap();
        let (code, said) = place.agon("import new changed.jsonl");
        let key = format!("key seats[{seat}].evidence.lines[{first}].text: is");
        assert!(code == Some(2) && said.contains(&key), "{way}: {said}");
    }
    assert_eq!(seen, [true, true], "{}", lines[at]);
}
