//! Playing in the browser, over HTTP: whole games, what is refused, and the end of engines.

use std::fs;
use std::io::Write;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::home::{Home, programs};
use super::serve::{Answer, PATIENCE, Served};
use super::support::Metronome;

/// A home with the engines greedy, tryst and alphabeta, and one that ends at once.
pub(super) fn home() -> Home {
    let home = Home::new();
    home.engine("engines/greedy", "agon-greedy");
    let programs = programs();
    let toml =
        |program: &str, rest: &str| format!("command = [\"{}\"]\n{rest}", programs.join(program).display());
    home.put(
        "engines/tryst/engine.toml",
        toml(
            "agon-tryst",
            "args = [\"{game}\", \"ugi\"]\nprotocol = \"ugi\"\ngames = [\"mnk\"]\n[options]\nLevels = 2\n\
             DrawValue = \"0.5\"\nExpert = false\n",
        ),
    );
    home.put_program("engines/broken", "#!/bin/sh\nexit 3\n");
    // It is known by its path among the processes, starts no other one, and does not leave in time.
    home.put_program("slow/thinker", "#!/bin/bash\nexec -a \"$0\" sleep 600\n");
    home.put(
        "engines/slow/engine.toml",
        "command = [\"../../slow/thinker\"]\nargs = [\"{game}\", \"{side}\", \"{control}\", \"{position}\"]\n\
         games = [\"abalone\"]\n",
    );
    home
}

impl Served {
    pub(super) fn post(&self, headers: &str, body: &str) -> Answer {
        let host = self.address;
        self.raw(
            format!(
                "POST /play/ask HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{headers}Content-Length: {}\r\n\r\n\
                 {body}",
                body.len()
            )
            .as_bytes(),
        )
    }

    /// The status and the answer of what a page asks.
    pub(super) fn asked(&self, body: &Value) -> (u16, Value) {
        let answer = self.post(&format!("Origin: http://{}\r\n", self.address), &body.to_string());
        (answer.status, serde_json::from_slice(&answer.body).unwrap_or_else(|_| panic!("{answer:?}")))
    }

    /// Opens a table, and gives its key.
    pub(super) fn open(&self, body: &Value) -> String {
        let (status, answer) = self.asked(body);
        assert_eq!(status, 200, "{answer}");
        answer["key"].as_str().unwrap().to_owned()
    }

    fn at(&self, key: &str, request: &Value) -> (u16, Value) {
        self.asked(&json!({ "do": "at", "key": key, "request": request }))
    }

    fn move_at(&self, key: &str, text: &str, ply: u64) -> (u16, Value) {
        self.at(key, &json!({ "do": "move", "text": text, "ply": ply }))
    }

    /// The state of a table once it holds.
    pub(super) fn state(&self, key: &str, holds: impl Fn(&Value) -> bool) -> Value {
        let (began, mut after) = (Instant::now(), json!(0));
        loop {
            let (status, body) = self.asked(&json!({ "do": "wait", "key": key, "after": after }));
            assert_eq!(status, 200, "{body}");
            after = body["revision"].clone();
            if !body["state"].is_null() && holds(&body["state"]) {
                return body["state"].clone();
            }
            assert!(began.elapsed() < PATIENCE, "{body}");
        }
    }
}

impl Served {
    /// Why a table was closed, once it is.
    fn why_closed(&self, key: &str) -> String {
        let began = Instant::now();
        loop {
            let (status, body) = self.asked(&json!({ "do": "wait", "key": key, "after": 0 }));
            if status == 410 {
                return body["error"].as_str().unwrap().to_owned();
            }
            assert!(began.elapsed() < PATIENCE, "{body}");
        }
    }
}

pub(super) fn person() -> Value {
    json!({ "kind": "person" })
}

fn engine(name: &str, time: &str) -> Value {
    json!({ "kind": "engine", "engine": name, "time": time })
}

fn plies(state: &Value) -> u64 {
    u64::try_from(state["plies"].as_array().unwrap().len()).unwrap()
}

/// Plays the last legal move until the game is over.
fn play_to_the_end(served: &Served, key: &str) -> Value {
    let mut known = 0;
    loop {
        let is_mine =
            |state: &Value| state["phase"] == "over" || (state["phase"] == "person" && plies(state) >= known);
        let state = served.state(key, is_mine);
        if state["phase"] == "over" {
            return state;
        }
        let mv = state["moves"].as_array().unwrap().last().unwrap()["move"].as_str().unwrap();
        let (status, answer) = served.move_at(key, mv, plies(&state));
        assert_eq!(status, 200, "{mv}: {answer}");
        known = plies(&state) + 1;
    }
}

#[test]
fn whole_games_are_played_and_what_is_wrong_is_said() {
    let home = home();
    let served = Served::of(&home, &["--play", "engines"]);
    let first = served.get("/");
    assert!(first.status == 303 && first.head.contains("location: /play"), "{first:?}");
    let page = served.get("/play");
    assert!(page.status == 200 && page.text().contains("play.js"), "{page:?}");
    for file in ["play.js", "play.css", "agon.css"] {
        assert_eq!(served.get(&format!("/{file}")).status, 200, "{file}");
    }
    assert_eq!(served.get("/index.html").status, 303);
    assert_eq!(served.get("/crosstable.html").status, 503);
    let (_, lobby) = served.asked(&json!({ "do": "lobby" }));
    let names: Vec<&str> =
        lobby["engines"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["broken", "greedy", "slow", "tryst"]);

    // Against an engine that says what it expects, which begins.
    let settings = json!({ "Levels": "9", "Expert": "true" });
    let tryst = json!({ "kind": "engine", "engine": "tryst", "time": "st=10", "settings": settings });
    let key = served.open(&json!({ "do": "open", "game": "mnk:3x3,3", "seats": [tryst, person()] }));
    let begun = served.state(&key, |state| state["phase"] == "person");
    assert_eq!(begun["plies"][0]["move"], "c3");
    assert!(begun["plies"][0]["expected"].as_f64().unwrap() > 0.98, "{begun}");
    let (status, taken) = served.move_at(&key, "c3", 1);
    assert_eq!((status, &taken), (422, &json!({ "error": "c3 is taken." })));
    let (status, unread) = served.move_at(&key, "what", 1);
    assert!(status == 422 && unread["error"].as_str().unwrap().contains("what"), "{unread}");
    assert_eq!(served.move_at(&key, "a1", 0).0, 409, "a move for another position");
    let (_, hints) = served.at(&key, &json!({ "do": "hint" }));
    // A corner is held by the middle alone.
    assert_eq!(hints["moves"][0], json!({ "move": "b2", "value": "drawn", "sign": 0 }));
    let over = play_to_the_end(&served, &key);
    let result = over["result"].as_str().unwrap();
    assert!(result.contains("X has won") || result.contains("a draw"), "{result}");
    assert_eq!(served.move_at(&key, "a1", plies(&over)).0, 409);
    // The last move of the person is taken back, and the game goes on.
    assert_eq!(served.at(&key, &json!({ "do": "undo" })).0, 200);
    let back = served.state(&key, |state| state["phase"] == "person");
    assert!(plies(&back) < plies(&over), "{back}");
    assert_eq!(
        back["plies"].as_array().unwrap()[..],
        over["plies"].as_array().unwrap()[..back["plies"].as_array().unwrap().len()]
    );
    play_to_the_end(&served, &key);
    assert_eq!(served.at(&key, &json!({ "do": "again" })).0, 200);
    assert_eq!(plies(&served.state(&key, |state| state["phase"] == "person")), 1);
    assert_eq!(served.at(&key, &json!({ "do": "resign" })).0, 200);
    let resigned = served.state(&key, |state| state["phase"] == "over");
    assert_eq!(resigned["result"], "O resigns, so X has won");
    assert_eq!(served.at(&key, &json!({ "do": "close" })).0, 200);

    // The letter cube against an engine that keeps the game in its head: it is asked again after an
    // undo.
    let seats = json!([person(), engine("greedy", "st=5")]);
    let key = served.open(&json!({ "do": "open", "game": "letters:3x3x1", "seats": seats, "seed": 7 }));
    served.state(&key, |state| state["phase"] == "person");
    assert_eq!(served.move_at(&key, "p", 0).0, 200);
    served.state(&key, |state| plies(state) >= 2);
    assert_eq!(served.at(&key, &json!({ "do": "undo" })).0, 200);
    assert_eq!(plies(&served.state(&key, |state| state["phase"] == "person")), 0);
    let over = play_to_the_end(&served, &key);
    assert!(over["result"].as_str().unwrap().contains("no word is left"), "{over}");
    served.at(&key, &json!({ "do": "close" }));

    // Most boards of this size have no word. A game begins on one that has.
    for _ in 0..8 {
        let seats = json!([person(), engine("greedy", "st=5")]);
        let key = served.open(&json!({ "do": "open", "game": "letters:2x3x1", "seats": seats }));
        served.at(&key, &json!({ "do": "close" }));
    }

    // An engine that is at fault, and a person whose time is over.
    let key =
        served.open(&json!({ "do": "open", "game": "mill", "seats": [engine("broken", "st=5"), person()] }));
    let over = served.state(&key, |state| state["phase"] == "over");
    assert!(over["result"].as_str().unwrap().contains("broken has lost by"), "{over}");
    served.at(&key, &json!({ "do": "close" }));
    let late = json!({ "kind": "person", "time": "tc=0.3" });
    let key = served.open(&json!({ "do": "open", "game": "connect4", "seats": [late, person()] }));
    let over = served.state(&key, |state| state["phase"] == "over");
    assert_eq!(over["result"], "the time of X is over, so O has won");
}

/// Sends a request at once, and does not wait for its answer.
fn begun(served: &Served, body: &Value) -> std::net::TcpStream {
    let (host, body) = (served.address, body.to_string());
    let mut stream = served.connect();
    write!(
        stream,
        "POST /play/ask HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nOrigin: http://{host}\r\nContent-Length: \
         {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    stream
}

fn answer_of(mut stream: std::net::TcpStream) -> Answer {
    let mut answer = Vec::new();
    let _ = std::io::Read::read_to_end(&mut stream, &mut answer);
    Answer::of(&answer)
}

#[test]
#[cfg(target_os = "linux")]
fn boards_that_are_large_are_refused_and_moves_pass_by_what_is_computed() {
    let home = home();
    let served = Served::of(&home, &["--play", "engines", "--tables", "8"]);
    let position = |game: &str| json!({ "do": "position", "game": game });
    for game in ["letters:64x64x64", "letters:9x8x8", "letters:1x1x64,uniform,", &"letters:".repeat(100)] {
        let (status, body) = served.asked(&position(game));
        assert_eq!(status, 422, "{game}: {body}");
        let seats = json!([person(), person()]);
        assert_eq!(served.asked(&json!({ "do": "open", "game": game, "seats": seats })).0, 422);
    }
    let words = "a1 ".repeat(2001);
    let (status, body) = served.asked(&json!({ "do": "position", "game": "mnk", "position": words }));
    assert!(status == 422 && body.to_string().contains("2000 words"), "{body}");
    let key = served.open(&json!({ "do": "open", "game": "mnk:5x5,4", "seats": [person(), person()] }));
    served.state(&key, |state| state["phase"] == "person");
    // The largest board there is, many times at once, and a move behind them, which waits for none.
    // The process of the tables is held up until all lie before it.
    let tables = process_of_tables(&served);
    let mut ply = 0;
    let mut round = || {
        rustix::process::kill_process(tables, rustix::process::Signal::STOP).unwrap();
        let large: Vec<_> = (0..30).map(|_| begun(&served, &position("letters:8x8x8"))).collect();
        assert_eq!(served.get("/play").status, 200, "the server has read them");
        let text = ["a1", "b1", "c1", "d1", "e1", "a2"][ply];
        let asked = json!({ "do": "at", "key": key, "request": { "do": "move", "text": text, "ply": ply } });
        let moved = begun(&served, &asked);
        assert_eq!(served.get("/play").status, 200);
        rustix::process::kill_process(tables, rustix::process::Signal::CONT).unwrap();
        assert_eq!(answer_of(moved).status, 200);
        ply += 1;
        let is_waiting = |stream: &std::net::TcpStream| {
            stream.set_nonblocking(true).unwrap();
            let waits = stream.peek(&mut [0]).is_err();
            stream.set_nonblocking(false).unwrap();
            waits
        };
        let was_first = large.iter().any(is_waiting);
        let answers: Vec<Answer> = large.into_iter().map(answer_of).collect();
        let put_off: Vec<&Answer> = answers.iter().filter(|answer| answer.status == 429).collect();
        let computed = answers.iter().filter(|answer| answer.status == 200).count();
        assert!(computed > 0 && computed + put_off.len() == 30, "{computed}");
        assert!(put_off.iter().all(|answer| answer.head.contains("retry-after: ")), "{put_off:?}");
        was_first && !put_off.is_empty()
    };
    // A busy machine may hold up the test, or one thread of the tables, until all was computed.
    assert!((0..5).any(|_| round()), "the move was answered behind all that is computed");
    // Those that are gone leave their places to others.
    drop((0..30).map(|_| begun(&served, &position("letters:8x8x8"))).collect::<Vec<_>>());
    let began = Instant::now();
    while served.asked(&position("mnk")).0 != 200 {
        assert!(began.elapsed() < PATIENCE);
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// The process that keeps the tables: the one below its keeper.
#[cfg(target_os = "linux")]
fn process_of_tables(served: &Served) -> rustix::process::Pid {
    let child = |of: String| {
        let children = fs::read_to_string(format!("/proc/{of}/task/{of}/children")).unwrap();
        children.split_whitespace().next().map(str::to_owned)
    };
    let keeper = child(served.process.id().to_string()).unwrap();
    let tables = child(keeper.clone()).unwrap_or(keeper);
    rustix::process::Pid::from_raw(tables.parse().unwrap()).unwrap()
}

#[test]
#[cfg(target_os = "linux")]
fn a_move_counts_from_when_it_arrived_even_if_the_tables_are_held_up() {
    use rustix::process::{Signal, kill_process};
    let home = home();
    let served = Served::of(&home, &["--play", "engines"]);
    let tables = process_of_tables(&served);
    let time = Duration::from_millis(1500);
    // Opens a table, stops the process of the tables, and moves after so long. Then it stands still
    // until the time of the person is over. Returns when the move was made, from before the table
    // was opened, the answer to it, and the state after it.
    let round = |after: Duration| {
        let began = Instant::now();
        let seats = json!([{ "kind": "person", "time": "tc=1.5" }, person()]);
        let key = served.open(&json!({ "do": "open", "game": "mnk:5x5,4", "seats": seats }));
        served.state(&key, |state| state["phase"] == "person");
        kill_process(tables, Signal::STOP).unwrap();
        std::thread::sleep(after);
        let asked = json!({ "do": "at", "key": key, "request": { "do": "move", "text": "c3", "ply": 0 } });
        let sent = begun(&served, &asked);
        // What comes behind it has been answered by the server.
        assert_eq!(served.get("/play").status, 200);
        let made = began.elapsed();
        std::thread::sleep(time);
        kill_process(tables, Signal::CONT).unwrap();
        let status = answer_of(sent).status;
        let state = served.state(&key, |state| state["phase"] == "over" || plies(state) == 1);
        served.at(&key, &json!({ "do": "close" }));
        (made, status, state)
    };
    // On a busy machine the move itself may come too late. Then it is made once more.
    let in_time = std::iter::repeat_with(|| round(Duration::ZERO)).take(10).find(|(made, ..)| *made < time);
    let (made, status, state) = in_time.unwrap();
    assert_eq!(status, 200, "{made:?} {state}");
    let micros = Duration::from_micros(state["plies"][0]["micros"].as_u64().unwrap());
    assert!(micros <= made, "{micros:?} {made:?}");
    // The control: the same, but it arrives after the time is over.
    let (made, status, state) = round(time + Duration::from_millis(100));
    assert_eq!(status, 409, "{made:?} {state}");
    assert_eq!(state["result"], "the time of X is over, so O has won");
}

#[test]
fn tables_are_few_and_only_pages_of_the_server_open_them() {
    let home = home();
    let served = Served::of(&home, &["--play", "engines", "--tables", "1", "--table-minutes", "10"]);
    let two = json!({ "do": "open", "game": "mnk", "seats": [person(), person()] });
    // Others get nothing, whatever they send.
    for headers in ["", "Origin: http://evil.example\r\n", "Sec-Fetch-Site: cross-site\r\n"] {
        assert_eq!(served.post(headers, &two.to_string()).status, 403, "{headers}");
    }
    assert_eq!(served.ask("PUT", "/play/ask", &format!("Origin: http://{}\r\n", served.address)).status, 405);
    let refused = |body: Value, status: u16, why: &str| {
        let (is, answer) = served.asked(&body);
        assert!(is == status && answer["error"].as_str().unwrap().contains(why), "{is} {answer}");
    };
    let seats = json!([person(), person()]);
    refused(json!([]), 400, "JSON object");
    refused(json!({ "do": "dance" }), 400, "cannot be read");
    refused(json!({ "do": "open", "game": "shogi", "seats": seats }), 422, "there is no game \"shogi\"");
    refused(json!({ "do": "open", "game": "mnk", "seats": [person()] }), 422, "This game has 2 seats.");
    refused(
        json!({ "do": "open", "game": "mnk", "seats": [person(), engine("nobody", "st=1")] }),
        422,
        "no engine",
    );
    refused(
        json!({ "do": "open", "game": "mill", "seats": [person(), engine("tryst", "st=1")] }),
        422,
        "plays mnk",
    );
    refused(json!({ "do": "open", "game": "mnk", "seats": seats, "position": "xyz" }), 422, "The position:");
    refused(
        json!({ "do": "open", "game": "mnk", "seats": seats, "moves": ["a1", "a1"] }),
        422,
        "a1 is taken",
    );
    refused(
        json!({ "do": "open", "game": "mnk", "seats": [person(), engine("tryst", "st=601")] }),
        422,
        "10 minutes",
    );
    let settings = json!({ "kind": "engine", "engine": "tryst", "settings": { "Nothing": "1" } });
    refused(json!({ "do": "open", "game": "mnk", "seats": [person(), settings] }), 422, "no such setting");
    refused(json!({ "do": "at", "key": "0".repeat(32), "request": { "do": "undo" } }), 410, "closed");
    refused(json!({ "do": "wait", "key": "0".repeat(32), "after": 0 }), 410, "no such table");
    refused(json!({ "do": "x".repeat(100_000) }), 413, "64 kB");
    // One table, with a remote seat that has a key of its own.
    let remote = json!({ "do": "open", "game": "mnk", "seats": [{ "kind": "remote" }, person()] });
    let (status, opened) = served.asked(&remote);
    assert_eq!(status, 200, "{opened}");
    let (own, operator) = (opened["key"].as_str().unwrap(), opened["links"]["0"].as_str().unwrap());
    refused(two.clone(), 503, "All 1 tables are in use.");
    served.state(own, |state| state["phase"] == "remote");
    assert_eq!(served.move_at(own, "b2", 0).0, 403, "the operator enters it");
    for request in ["undo", "again", "close"] {
        assert_eq!(served.at(operator, &json!({ "do": request })).0, 403, "{request}");
    }
    assert_eq!(served.at(operator, &json!({ "do": "entered" })).0, 200);
    assert_eq!(served.at(operator, &json!({ "do": "answered" })).0, 200);
    assert_eq!(served.move_at(operator, "b2", 0).0, 200);
    let moved = served.state(own, |state| plies(state) == 1);
    assert!(moved["plies"][0]["overhead"].is_u64(), "{moved}");
    assert_eq!(served.move_at(operator, "a1", 1).0, 403);
    assert_eq!(served.at(own, &json!({ "do": "close", "why": "<b>" })).0, 200);
    assert_eq!(served.why_closed(operator), "This table was closed.");
    served.open(&two);
    let wrong = home.agon(["serve", "--play", "engines", "--tables", "0"]);
    assert!(wrong.code == Some(2) && wrong.err().contains("--tables"), "{}", wrong.all());
    let wrong = home.agon(["serve", "--play", "nowhere"]);
    assert!(wrong.code == Some(2) && wrong.err().contains("nowhere"), "{}", wrong.all());
}

/// How many processes of the engine `slow` of this home there are.
fn slow(home: &Home) -> usize {
    let own = home.path("").display().to_string();
    let is_one = |entry: &fs::DirEntry| {
        fs::read(entry.path().join("cmdline")).is_ok_and(|line| {
            let line = String::from_utf8_lossy(&line);
            line.contains(&own) && line.contains("slow/thinker")
        })
    };
    fs::read_dir("/proc").unwrap().filter(|entry| entry.as_ref().is_ok_and(is_one)).count()
}

fn wait_until(what: &str, holds: impl Fn() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
#[ignore = "slow"]
fn no_engine_outlives_its_page_or_the_server() {
    if !cfg!(target_os = "linux") {
        return; // processes are looked up in /proc
    }
    let home = home();
    let mut served = Served::of(&home, &["--play", "engines"]);
    let thinking = json!({ "do": "open", "game": "abalone", "seats": [engine("slow", "st=600"), person()] });
    let [left, seen] = [(); 2].map(|()| served.open(&thinking));
    wait_until("two engines think", || slow(&home) == 2);
    // A browser that has vanished without a word leaves its last request open. That is no look.
    let body = json!({ "do": "wait", "key": left, "after": 2 }).to_string();
    let host = served.address;
    let mut vanished = served.connect();
    vanished
        .write_all(
            format!(
                "POST /play/ask HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            )
            .as_bytes(),
        )
        .unwrap();
    // A page asks again and again; the other one was closed.
    let (metronome, began) = (Metronome::start(), Instant::now());
    while slow(&home) == 2 {
        served.asked(&json!({ "do": "wait", "key": seen, "after": 2 }));
        assert!(began.elapsed() < PATIENCE, "the engine thinks on for nobody");
    }
    // The promise is 10 seconds; a busy machine may need more.
    let (took, most) = (began.elapsed(), metronome.most(Duration::from_secs(25)));
    assert!(took < most, "closed after {took:?}, {most:?} at most");
    assert!(served.why_closed(&left).contains("Nobody was at this table"));
    assert_eq!(slow(&home), 1);
    // An engine that thinks does not keep anybody from giving up.
    assert_eq!(served.at(&seen, &json!({ "do": "resign" })).0, 200);
    served.state(&seen, |state| state["phase"] == "over");
    assert_eq!(slow(&home), 0);
    served.open(&thinking);
    wait_until("an engine thinks", || slow(&home) == 1);
    served.process.kill().unwrap();
    wait_until("the engine outlives the server", || slow(&home) == 0);
}

#[test]
fn pages_of_a_run_lead_to_the_tables() {
    let home = home();
    home.engine("engines/random", "agon-random");
    let words = "match engines/greedy engines/random --game letters:3x3x1 --st 5 --seed 7 --games 2 --out run --quiet";
    assert_eq!(home.agon(words.split(' ')).code, Some(0));
    let served = Served::of(&home, &["run", "--play", "engines"]);
    assert!(served.get("/").text().contains("play.html"), "no entry in the menu");
    assert!(served.get("/play.html").text().contains("index.html"), "no way back");
    let post = served.ask("POST", "/", &format!("Origin: http://{}\r\n", served.address));
    assert_eq!(post.status, 405);
    let without = Served::of(&home, &["run"]);
    assert_eq!(without.get("/play").status, 404);
    assert_eq!(without.post(&format!("Origin: http://{}\r\n", without.address), "{}").status, 405);
}

/// A seat whose moves an operator enters, with this time.
fn remote(name: &str, time: &str) -> Value {
    json!({ "kind": "remote", "name": name, "time": time })
}

#[test]
fn a_game_between_two_programs_elsewhere_can_be_kept_and_replayed() {
    let home = home();
    let served = Served::of(&home, &["--play", "engines", "--operator-seconds", "60"]);
    let seats = json!([remote("Ann's cube", "st=0.2"), remote("Lab 2", "st=0.2")]);
    let (status, opened) = served.asked(&json!({ "do": "open", "game": "mnk", "seats": seats }));
    assert_eq!(status, 200, "{opened}");
    let own = opened["key"].as_str().unwrap();
    let operators = ["0", "1"].map(|seat| opened["links"][seat].as_str().unwrap());
    served.state(own, |state| state["phase"] == "remote");
    // Longer than the time of the seat, and still the operator's own.
    std::thread::sleep(Duration::from_millis(400));
    for (ply, mv) in (0..).zip(["a1", "b1", "a2", "b2", "a3"]) {
        let [moving, other] = if ply % 2 == 0 { [0, 1] } else { [1, 0] };
        assert_eq!(served.move_at(operators[other], mv, ply).0, 403, "the other seat is to move");
        assert_eq!(served.move_at(operators[moving], mv, ply).0, 200);
        served.state(own, |state| plies(state) == ply + 1);
    }
    let over = served.state(own, |state| state["phase"] == "over");
    assert_eq!(over["plies"][0]["micros"], 0, "the operator's time is not the program's");
    let record = over["record"].as_str().unwrap();
    for part in
        ["[X \"Ann's cube\"]", "[O \"Lab 2\"]", "[Result \"1-0\"]", "[TimeControl \"st=0.2\"]", "3. a3"]
    {
        assert!(record.contains(part), "{part}: {record}");
    }
    home.put("game.txt", record);
    let replay = home.agon(["replay", "game.txt"]);
    assert!(replay.code == Some(0) && replay.out().contains("1-0"), "{}", replay.all());
    // Without extra time the same wait loses.
    drop(served);
    let strict = Served::of(&home, &["--play", "engines", "--operator-seconds", "0"]);
    let seats = json!([remote("Ann's cube", "st=0.2"), person()]);
    let key = strict.open(&json!({ "do": "open", "game": "mnk", "seats": seats }));
    let over = strict.state(&key, |state| state["phase"] == "over");
    assert_eq!(over["result"], "the time of X is over, so O has won");
    assert!(over["record"].as_str().unwrap().contains("[Termination \"time forfeit\"]"), "{over}");
    let long = json!([remote(&"x".repeat(61), "st=1"), person()]);
    let (status, why) = strict.asked(&json!({ "do": "open", "game": "mnk", "seats": long }));
    assert!(status == 422 && why["error"].as_str().unwrap().contains("60 characters"), "{why}");
}

#[test]
#[ignore = "slow"]
fn a_table_closes_when_its_time_is_over() {
    let home = home();
    let served = Served::of(&home, &["--play", "engines", "--table-minutes", "0.05"]);
    let began = Instant::now();
    let key = served.open(&json!({ "do": "open", "game": "mnk", "seats": [person(), person()] }));
    assert_eq!(served.why_closed(&key), "The time of this table is over.");
    assert!(began.elapsed() >= Duration::from_secs(3), "{:?}", began.elapsed());
    for time in ["tc=4", "st=4", "tc=40/4", "tc=1+4", "tc=40/1+4"] {
        let long = json!([{ "kind": "person", "time": time }, person()]);
        let (status, why) = served.asked(&json!({ "do": "open", "game": "mnk", "seats": long }));
        let why = why["error"].as_str().unwrap();
        assert!(status == 422 && why.contains("longer than a table"), "{time}: {why}");
    }
    let wrong = home.agon(["serve", "--play", "engines", "--table-minutes", "0"]);
    assert!(wrong.code == Some(2) && wrong.err().contains("--table-minutes"), "{}", wrong.all());
}

#[test]
fn engines_of_tables_are_confined_as_asked() {
    let home = home();
    // The first process of a box has a small number, and so has what it starts.
    let script = "#!/bin/sh\nwhile read -r line; do :; [ \"$line\" ] && break; done\n\
        if [ $$ -lt 20 ]; then echo X,a1; else echo X,c3; fi\nsleep 60\n";
    home.put_program("engines/confined", script);
    let first_move = |level: &str| {
        let served = Served::of(&home, &["--play", "engines", "--isolation", level]);
        let seats = json!([engine("confined", "st=20"), person()]);
        let key = served.open(&json!({ "do": "open", "game": "mnk:3x3,3", "seats": seats }));
        let state = served.state(&key, |state| plies(state) == 1 || state["phase"] == "over");
        assert_eq!(plies(&state), 1, "{state}");
        state["plies"][0]["move"].as_str().unwrap().to_owned()
    };
    assert_eq!(first_move("limits"), "c3");
    if home.agon(["doctor"]).all().contains("sandbox: not available") {
        println!("NOT TRIED: tables at the level sandbox, which this machine does not have");
        return;
    }
    assert_eq!(first_move("sandbox"), "a1");
}

#[test]
fn tryst_plays_on_a_board_of_20_by_20() {
    let home = home();
    let served = Served::of(&home, &["--play", "engines"]);
    let settings = json!({ "Levels": "1" });
    let tryst = json!({ "kind": "engine", "engine": "tryst", "time": "st=60", "settings": settings });
    let key = served.open(&json!({ "do": "open", "game": "mnk:20x20,5", "seats": [tryst, person()] }));
    let state = served.state(&key, |state| state["phase"] == "person");
    assert_eq!(state["moves"].as_array().unwrap().len(), 399);
    let expected = state["plies"][0]["expected"].as_f64().unwrap();
    assert!((0.0..=1.0).contains(&expected), "{state}");
}
