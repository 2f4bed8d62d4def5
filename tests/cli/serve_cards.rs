//! The cards of `agon serve --play`: games that begin against an engine without a form.

use serde_json::{Value, json};

use super::serve::Served;
use super::serve_play::{home, person};

#[test]
fn each_game_has_a_card_and_an_engine_plays_with_the_strength_that_is_chosen() {
    let home = home();
    let served = Served::of(&home, &["--play", "engines"]);
    let (_, lobby) = served.asked(&json!({ "do": "lobby" }));
    // Each game has a card: a board with something on it, and a sentence.
    for game in lobby["games"].as_array().unwrap() {
        let picture = game["picture"].as_str().unwrap_or_default();
        let on_board = picture.split("class=\"slots\"").nth(1).unwrap_or_default();
        assert!(on_board.contains("<use") || on_board.contains("<text"), "{game}");
        assert!(game["aim"].as_str().unwrap().ends_with('.'), "{game}");
    }
    let strengths: Vec<&str> =
        lobby["strengths"].as_array().unwrap().iter().map(|one| one[0].as_str().unwrap()).collect();
    assert_eq!(strengths, ["easy", "medium", "strong"]);
    let wished = |seat: Value| {
        let body = json!({ "do": "open", "game": "mnk", "seats": [seat, person()] });
        let (status, answer) = served.asked(&body);
        (status, answer["error"].as_str().unwrap_or_default().to_owned())
    };
    for (seat, why) in [
        (
            json!({ "kind": "engine", "engine": "tryst", "strength": "godlike" }),
            "there are easy, medium, strong",
        ),
        (json!({ "kind": "engine", "engine": "tryst", "strength": "easy", "time": "st=1" }), "not both"),
        (json!({ "kind": "person", "strength": "easy" }), "Only an engine"),
    ] {
        let (status, said) = wished(seat);
        assert!(status == 422 && said.contains(why), "{said}");
    }
    // Easy is one second a move, and medium two.
    for (name, milliseconds) in [("easy", 1000), ("medium", 2000)] {
        let tryst = json!({ "kind": "engine", "engine": "tryst", "strength": name });
        let key = served.open(&json!({ "do": "open", "game": "mnk", "seats": [person(), tryst] }));
        let begun = served.state(&key, |state| state["phase"] == "person");
        assert_eq!(begun["players"][1]["left"], milliseconds, "{begun}");
        served.asked(&json!({ "do": "at", "key": key, "request": { "do": "close" } }));
    }
}
