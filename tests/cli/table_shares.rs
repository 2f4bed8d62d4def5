//! How many tables of a server one client gets.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::serve::{PATIENCE, Served};
use super::serve_play::{home, person};

/// The control is another client, for whom there is room all the time.
#[test]
fn no_client_takes_all_tables() {
    let home = home();
    let served = Served::of(&home, &["--play", "engines", "--tables", "4"]);
    let origin = format!("Origin: http://{}\r\n", served.address);
    let ask = |client: &str, body: &Value| {
        let answer = served.post(&format!("{origin}X-Forwarded-For: {client}\r\n"), &body.to_string());
        let body: Value = serde_json::from_slice(&answer.body).unwrap_or_else(|_| panic!("{answer:?}"));
        (answer.status, body)
    };
    let open = json!({ "do": "open", "game": "mnk", "seats": [person(), person()] });
    let keys: Vec<Value> = (0..2)
        .map(|_| {
            let (status, body) = ask("192.0.2.1", &open);
            assert_eq!(status, 200, "{body}");
            body["key"].clone()
        })
        .collect();
    for _ in 0..3 {
        let (status, body) = ask("192.0.2.1", &open);
        let why = body["error"].as_str().unwrap();
        assert!(status == 503 && why.contains("Your address has 2 of the 4 tables"), "{status} {body}");
    }
    for _ in 0..2 {
        let (status, body) = ask("192.0.2.2", &open);
        assert_eq!(status, 200, "{body}");
    }
    let (status, body) = ask("192.0.2.3", &open);
    assert!(status == 503 && body["error"].as_str().unwrap().contains("All 4 tables"), "{body}");
    // A table that is closed makes room for its client again.
    let close = json!({ "do": "at", "key": keys[0], "request": { "do": "close" } });
    assert_eq!(ask("192.0.2.1", &close).0, 200);
    let begin = Instant::now();
    while ask("192.0.2.1", &open).0 != 200 {
        assert!(begin.elapsed() < PATIENCE, "no room after a table was closed");
        std::thread::sleep(Duration::from_millis(50));
    }
}
