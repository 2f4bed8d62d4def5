//! Pages from a server: who gets them, what they carry, how soon they show what is new, and what
//! clients can do to each other.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::home::Home;
use super::support::Metronome;

/// Longer than any answer takes on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(300);

/// A server that ends with the test.
pub(crate) struct Served {
    pub(crate) process: Child,
    pub(crate) address: SocketAddr,
}

impl Served {
    pub(crate) fn of(home: &Home, words: &[&str]) -> Served {
        let mut process = Command::new(env!("CARGO_BIN_EXE_agon"))
            .arg("serve")
            .args(words)
            .args(["--listen", "127.0.0.1:0"])
            .current_dir(home.path(""))
            .env("XDG_CACHE_HOME", home.path("cache"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("http://").and_then(|rest| rest.strip_suffix('/'));
        let address = address.unwrap_or_else(|| panic!("{line:?}")).parse().unwrap();
        Served { process, address }
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// The answer to bytes that are sent as they are; empty if the server closes without one.
    pub(crate) fn raw(&self, bytes: &[u8]) -> Answer {
        let mut stream = self.connect();
        // It may answer and close before it has read everything.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        Answer::of(&answer)
    }

    pub(crate) fn ask(&self, method: &str, path: &str, headers: &str) -> Answer {
        let host = self.address;
        self.raw(
            format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{headers}\r\n")
                .as_bytes(),
        )
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, "")
    }

    /// A number from a file of the kernel about the process.
    pub(crate) fn status(&self, name: &str) -> u64 {
        let text = fs::read_to_string(format!("/proc/{}/status", self.process.id())).unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim_matches(|letter: char| !letter.is_ascii_digit()).parse().unwrap()
    }

    /// Waits until a page says something.
    pub(crate) fn wait_for(&self, path: &str, holds: impl Fn(&Answer) -> bool) -> Answer {
        let began = Instant::now();
        loop {
            let answer = self.get(path);
            if holds(&answer) {
                return answer;
            }
            assert!(began.elapsed() < PATIENCE, "{answer:?}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn of(bytes: &[u8]) -> Answer {
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").map_or(bytes.len(), |end| end + 4);
        let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        Answer { status, head, body: bytes[end..].to_vec() }
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        let line = self.head.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")));
        line.unwrap_or_else(|| panic!("no {name}: {}", self.head))
    }
}

pub(crate) fn play(home: &Home, games: u32) {
    let words = format!(
        "match engines/greedy engines/random --game letters:3x3x1 --st 5 --seed 7 --games {games} --out run --quiet"
    );
    let said = home.agon(words.split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
}

#[test]
fn pages_come_with_their_headers_to_those_who_may_read_them() {
    let home = Home::with_two();
    play(&home, 2);
    let served = Served::of(&home, &["run", "--host", "agon.example.org"]);
    let first = served.get("/");
    assert_eq!((first.status, first.header("content-type")), (200, "text/html; charset=utf-8"));
    assert!(first.text().contains("greedy") && first.text().contains("data-revision="), "{}", first.text());
    assert_eq!(first.body, served.get("/index.html").body);
    let policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
        form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
    // Refusals carry them too.
    for answer in [&first, &served.get("/nowhere"), &served.ask("POST", "/", "")] {
        assert_eq!(answer.header("content-security-policy"), policy);
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
        assert_eq!(answer.header("referrer-policy"), "no-referrer");
        assert_eq!(answer.header("cross-origin-resource-policy"), "same-origin");
        assert_eq!(answer.header("cross-origin-opener-policy"), "same-origin");
        assert!(
            !answer.head.contains("access-control") && !answer.head.contains("set-cookie"),
            "{}",
            answer.head
        );
    }
    for page in ["crosstable", "history", "about", "games/1", "engine/greedy", "game/r01-p0001-g01"] {
        assert_eq!(served.get(&format!("/{page}.html")).status, 200, "{page}");
    }
    for file in ["agon.css", "agon.js", "live.js", "games.js", "status.json", "revision"] {
        assert_eq!(served.get(&format!("/{file}")).status, 200, "{file}");
    }
    for nothing in [
        "engine/nobody.html",
        "game/r09-p0001-g01.html",
        "games/2.html",
        "agon.db",
        "../agon.db",
        "%2e%2e/agon.db",
        // Each page has one address.
        "games/01.html",
        "games/+1.html",
        "games/%31.html",
        "games/1.html/",
        "Games/1.html",
        "/games/1.html",
        "./index.html",
        "index.html/",
        "live.html/games/1.html",
        "game/r1-p0001-g01.html",
        "xgames.js",
        "engine//greedy.html",
    ] {
        assert_eq!(served.get(&format!("/{nothing}")).status, 404, "{nothing}");
    }
    // What a browser has it need not get again.
    let tag = first.header("etag").to_owned();
    let same = served.ask("GET", "/", &format!("If-None-Match: \"x\", W/{tag}\r\n"));
    assert_eq!((same.status, same.body.len()), (304, 0));
    assert_eq!(served.ask("GET", "/", "If-None-Match: \"x\"\r\n").status, 200);
    let packed = served.ask("GET", "/", "Accept-Encoding: br, gzip;q=0.8\r\n");
    assert_eq!(packed.header("content-encoding"), "gzip");
    let mut text = String::new();
    flate2::read::GzDecoder::new(&packed.body[..]).read_to_string(&mut text).unwrap();
    assert_eq!(text, first.text());
    // Names that are known, and others.
    let host = |name: &str| {
        served.raw(format!("GET / HTTP/1.1\r\nHost: {name}\r\nConnection: close\r\n\r\n").as_bytes()).status
    };
    assert_eq!(["agon.example.org", "agon.example.org:443"].map(host), [200, 200]);
    assert_eq!(["evil.example", "agon.example.org.evil.example"].map(host), [421, 421]);
    assert_eq!(served.raw(b"GET / HTTP/1.0\r\n\r\n").status, 421);
    let origin = format!("Origin: http://{}\r\n", served.address);
    assert_eq!(served.ask("POST", "/", "Origin: http://evil.example\r\n").status, 403);
    assert_eq!(served.ask("DELETE", "/", &origin).status, 405);
    // It has no rights that it does not need.
    if cfg!(target_os = "linux") {
        assert_eq!(served.status("Seccomp:"), 2);
    }
}

#[test]
fn what_cannot_be_served_is_said_in_one_sentence() {
    let home = Home::with_two();
    play(&home, 2);
    let refused = |words: &str| {
        let said = home.agon(format!("serve {words}").split(' '));
        assert_eq!(said.code, Some(2), "{}", said.all());
        assert!(said.out().is_empty() && said.err().lines().count() <= 4, "{}", said.all());
        said.err()
    };
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    assert!(
        refused(&format!("run --listen {address}"))
            .contains(&format!("--listen {address}: Address already in use"))
    );
    assert!(refused("engines").contains("there is no agon.db in it"));
    assert!(refused("nowhere").contains("nowhere"));
    assert!(refused("run --for nobody").contains("no engine has this name"));
    assert!(refused("run --for staff --listen 0.0.0.0:0").contains("others could read these pages"));
    for wrong in ["here", "8080", "localhost"] {
        let said = refused(&format!("run --listen {wrong}"));
        assert!(said.contains("--listen") && said.contains("write one like 127.0.0.1:8080"), "{said}");
    }
    assert!(refused("run --stage 2").contains("does not hold the stages of a cup"));
    let db = rusqlite::Connection::open(home.path("run/agon.db")).unwrap();
    db.pragma_update(None, "user_version", 999).unwrap();
    drop(db);
    let newer = refused("run");
    assert!(newer.contains("agon.db has schema version 999; this is agon "), "{newer}");
}

#[test]
fn without_an_address_it_listens_on_loopback_alone() {
    let home = Home::with_two();
    play(&home, 2);
    let mut process = Command::new(env!("CARGO_BIN_EXE_agon"))
        .args(["serve", "run"])
        .current_dir(home.path(""))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = String::new();
    BufReader::new(process.stdout.take().unwrap()).read_line(&mut said).unwrap();
    let _ = process.kill();
    let _ = process.wait();
    // Another program may have the port, and then that is said.
    process.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(said.contains("127.0.0.1:8080"), "{said}");
}

#[test]
fn what_is_new_reaches_every_open_page_soon() {
    let home = Home::with_two();
    play(&home, 2);
    let served = Served::of(&home, &["run"]);
    // Sixty viewers with three pages each.
    let mut streams: Vec<BufReader<TcpStream>> = (0..180)
        .map(|_| {
            let mut stream = served.connect();
            write!(stream, "GET /events HTTP/1.1\r\nHost: {}\r\n\r\n", served.address).unwrap();
            BufReader::new(stream)
        })
        .collect();
    let number = |stream: &mut BufReader<TcpStream>| loop {
        let mut line = String::new();
        assert!(stream.read_line(&mut line).unwrap() > 0, "the stream has ended");
        // The second number belongs to the games in play.
        if let Some(numbers) = line.strip_prefix("data: ") {
            return numbers.split(' ').next().unwrap().to_owned();
        }
    };
    let first: Vec<String> = streams.iter_mut().map(number).collect();
    assert!(first.iter().all(|one| *one == first[0]), "{first:?}");
    assert!(served.get("/").text().contains(&format!("data-revision=\"{}\"", first[0])));
    play(&home, 4);
    let began = Instant::now();
    for stream in &mut streams {
        while number(stream) == first[0] {}
    }
    // A second is the aim; this machine may be busy.
    assert!(began.elapsed() < PATIENCE, "{:?}", began.elapsed());
    served.wait_for("/status.json", |answer| answer.text().contains("\"done\":4"));
    assert_eq!(served.get("/game/r01-p0001-g04.html").status, 200);
    // Beyond the limit a page has to ask by itself.
    let more: Vec<TcpStream> = (0..60)
        .map(|_| {
            let mut stream = served.connect();
            write!(stream, "GET /events HTTP/1.1\r\nHost: {}\r\n\r\n", served.address).unwrap();
            stream
        })
        .collect();
    assert_eq!(served.get("/events").status, 503);
    assert_eq!(served.get("/").status, 200);
    drop(more);
}

/// Begins to play into `run`, and waits until the run has begun.
fn begin(home: &Home, words: &str) -> Child {
    let path = std::env::var_os("PATH").unwrap();
    let path = [super::home::programs()].into_iter().chain(std::env::split_paths(&path));
    let playing = Command::new(env!("CARGO_BIN_EXE_agon"))
        .args(words.split_whitespace())
        .env("PATH", std::env::join_paths(path).unwrap())
        .current_dir(home.path(""))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let began = Instant::now();
    while home.agon(["status", "run"]).code != Some(0) {
        assert!(began.elapsed() < PATIENCE);
    }
    playing
}

/// An engine that takes the first free cell, after a while.
fn slow_engine(home: &Home, name: &str) {
    let script = "#!/bin/sh\n\
        side=$1 mine=no; [ \"$1\" = \"$2\" ] && mine=yes\n\
        read a; read a; read a; read a\n\
        free='a1 b1 c1 a2 b2 c2 a3 b3 c3'\n\
        take() { left=; for cell in $free; do [ $cell = $1 ] || left=\"$left $cell\"; done; free=$left; }\n\
        while :; do if [ $mine = yes ]; then set -- $free; [ -n \"$1\" ] || exit 0\n\
        sleep 0.15; echo \"$side,$1\"; take $1; mine=no\n\
        else read move || exit 0; take ${move#*,}; mine=yes; fi; done\n";
    home.put(format!("slow/{name}/run"), script);
    let run = home.path(format!("slow/{name}/run"));
    let toml = format!("command = [\"sh\", \"{}\"]\nargs = [\"{{side}}\", \"{{to_move}}\"]\n", run.display());
    home.put(format!("slow/{name}/engine.toml"), toml);
}

#[test]
#[ignore = "slow"]
fn a_game_is_on_the_pages_soon_after_its_end_while_others_go_on() {
    let home = Home::new();
    ["one", "two"].iter().for_each(|name| slow_engine(&home, name));
    let words = "match slow/one slow/two --game mnk:3x3,3 --random-plies 0 --st 20 --games 12 --concurrency 2 \
        --out run --quiet";
    let mut playing = begin(&home, words);
    let served = Served::of(&home, &["run"]);
    let metronome = Metronome::start();
    let now = || std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos();
    let mut stream = served.connect();
    write!(stream, "GET /events HTTP/1.1\r\nHost: {}\r\n\r\n", served.address).unwrap();
    let mut lines = BufReader::new(stream).lines();
    let mut seen: Vec<(u128, usize)> = Vec::new();
    while seen.last().is_none_or(|(_, done)| *done < 12) {
        if !lines.next().unwrap().unwrap().starts_with("data: ") {
            continue;
        }
        let status = served.get("/status.json").text();
        let done = status.split("\"done\":").nth(1).unwrap().split([',', '}']).next().unwrap();
        seen.push((now(), done.parse().unwrap()));
    }
    let most = metronome.most(Duration::from_secs(3)).as_secs_f64();
    assert!(playing.wait().unwrap().success());
    let db = rusqlite::Connection::open(home.path("run/agon.db")).unwrap();
    let mut ends = db.prepare("SELECT finished FROM game ORDER BY finished").unwrap();
    let ends: Vec<i64> = ends.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    for (games, end) in (1..).zip(&ends) {
        let (when, _) = seen.iter().find(|(_, done)| *done >= games).unwrap();
        let seconds = (*when as f64 - *end as f64) / 1e9;
        // A second is the aim. The first ones ended before the server began.
        assert!(
            seconds < most || *when == seen[0].0,
            "game {games} came after {seconds} s: {seen:?} {ends:?}"
        );
    }
    assert!(seen.len() > 3, "the games came one by one: {seen:?}");
}

#[test]
#[ignore = "slow"]
fn nobody_keeps_the_pages_from_others() {
    let home = Home::with_two();
    play(&home, 2);
    let served = Served::of(&home, &["run", "--play", "engines"]);
    // Connections that say nothing or half a request, many more than there are places.
    let most = if super::support::is_thorough() { 10_000 } else { 1500 };
    let files = rustix::process::getrlimit(rustix::process::Resource::Nofile);
    let raised = rustix::process::Rlimit { current: files.maximum, ..files };
    rustix::process::setrlimit(rustix::process::Resource::Nofile, raised).unwrap();
    // One that sends an archive slowly all the while, and is not pushed out.
    let mut slow = served.connect();
    let body = "{\"do\":\"at\",\"key\":7}";
    write!(
        slow,
        "POST /play/ask HTTP/1.1\r\nHost: {0}\r\nOrigin: http://{0}\r\nConnection: close\r\nContent-Length: {1}\r\n\r\n",
        served.address,
        body.len()
    )
    .unwrap();
    served.get("/");
    let mut held = Vec::new();
    for at in 0..most {
        let mut stream = served.connect();
        if at % 2 == 0 {
            let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n");
        }
        held.push(stream);
        if at % 100 == 99 {
            assert_eq!(served.get("/").status, 200, "with {at} others");
        }
    }
    slow.write_all(body.as_bytes()).unwrap();
    let mut answer = Vec::new();
    slow.read_to_end(&mut answer).unwrap();
    assert_eq!(Answer::of(&answer).status, 400, "the slow one is answered");
    let before = served.status("VmRSS:");
    // Clients that take nothing of what they asked for.
    for stream in &mut held[most - 250..] {
        let _ = stream.write_all(
            format!("GET /agon.css HTTP/1.1\r\nHost: {}\r\n\r\n", served.address).repeat(50).as_bytes(),
        );
    }
    assert_eq!(served.get("/").status, 200);
    let after = served.status("VmRSS:");
    assert!(after < before + 60_000, "slow readers: {before} KiB before, {after} after");
    drop(held);
    let long = "x".repeat(100_000);
    assert_eq!(served.ask("GET", &format!("/{long}"), "").status / 100, 4);
    assert_eq!(served.ask("GET", "/", &format!("X: {long}\r\n")).status, 431);
    // Requests of every kind: no error of the server, and no growth.
    served.get("/");
    let before = served.status("VmRSS:");
    let pieces = [
        "/",
        "index.html",
        "game/",
        "engine/",
        "games/",
        "..",
        "%00",
        "%2e%2e%2f",
        "r01-p0001-g01",
        ".html",
        "é",
        "?a=b",
        "games.js",
        "status.json",
        "crosstable",
        "-1",
        "99999999999999999999",
        "//",
        "index",
        "stage-1/",
        "\"'<x>",
        "play",
        "play/ask",
        "submit",
    ];
    let methods = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "get", "X"];
    let [empty, list, open, at] =
        ["{}", "[1]", "{\"do\":\"open\"}", "{\"do\":\"at\",\"key\":7}"].map(|body| {
            let length = body.len();
            format!("Origin: http://{}\r\nContent-Length: {length}\r\n\r\n{body}", served.address)
        });
    let headers = [
        &empty,
        &list,
        &open,
        &at,
        "",
        "Range: bytes=0-1\r\n",
        "If-None-Match: *\r\n",
        "Accept-Encoding: gzip\r\n",
        "Content-Length: 5\r\n",
        "Transfer-Encoding: chunked\r\n",
        "Expect: 100-continue\r\n",
        "Content-Length: -1\r\n",
        "Host: again\r\n",
        "X\r\n",
    ];
    let many = if std::env::var_os("AGON_THOROUGH").is_some() { 5000 } else { 1000 };
    let mut seed = 1u32;
    let mut draw = |of: usize| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) as usize % of
    };
    for _ in 0..many {
        let path: String = (0..draw(5)).map(|_| pieces[draw(pieces.len())]).collect();
        let (method, header) = (methods[draw(methods.len())], headers[draw(headers.len())]);
        let answer = served.ask(method, &format!("/{path}"), header);
        assert!(answer.status < 500, "{method} /{path} {header}: {answer:?}");
    }
    for header in [&empty, &list, &open, &at] {
        let answer = served.ask("POST", "/play/ask", header);
        assert!(answer.status == 400, "{header}: {answer:?}");
    }
    let after = served.status("VmRSS:");
    assert!(after < before + 30_000, "{before} KiB before, {after} after");
}

#[test]
fn stages_appear_when_they_begin_and_results_stay_hidden() {
    let home = Home::with_two();
    home.put(
        "cup.toml",
        "engines = \"engines\"\ngame = \"letters:3x3x1\"\nst = 5\ngames = 2\n[[stages]]\nname = \"first\"\nadvance = 2\n\
         [[stages]]\nname = \"second\"\n",
    );
    let said = home.agon(["tournament", "cup.toml", "--out", "cup", "--quiet"]);
    assert_eq!(said.code, Some(0), "{}", said.all());
    fs::rename(home.path("cup/stage-2"), home.path("later")).unwrap();
    let served = Served::of(&home, &["cup", "--hide-results"]);
    let first = served.get("/");
    assert!(
        first.text().contains("stage-1/index.html") && !first.text().contains("stage-2"),
        "{}",
        first.text()
    );
    assert_eq!(served.get("/stage-1/engine/greedy.html").status, 200);
    assert_eq!(served.get("/stage-2/index.html").status, 404);
    assert_eq!(served.get("/stage-1/crosstable.html").status, 404, "it has the results");
    fs::rename(home.path("later"), home.path("cup/stage-2")).unwrap();
    served.wait_for("/stage-2/index.html", |answer| answer.status == 200);
    assert!(served.get("/").text().contains("stage-2/index.html"));
}

#[test]
fn runs_of_a_folder_are_served_side_by_side() {
    let home = Home::with_two();
    fs::create_dir(home.path("all")).unwrap();
    for name in ["all/agon.css", "all/b <b>"] {
        let said = home.agon(
            "match engines/greedy engines/random --game letters:3x3x1 --st 5 --games 2 --quiet --out"
                .split(' ')
                .chain([name]),
        );
        assert_eq!(said.code, Some(0), "{}", said.all());
    }
    let served = Served::of(&home, &["all"]);
    let first = served.get("/").text();
    assert!(first.contains("run-agon.css/index.html") && first.contains("b &lt;b&gt;"), "{first}");
    let other = first
        .split("href=\"")
        .find_map(|rest| rest.strip_prefix("run-b").map(|rest| rest.split('"').next().unwrap()));
    for page in ["/agon.css", "/run-agon.css/crosstable.html", &format!("/run-b{}", other.unwrap())] {
        assert_eq!(served.get(page).status, 200, "{page}");
    }
    fs::rename(home.path("all/b <b>"), home.path("b")).unwrap();
    served.wait_for("/", |answer| !answer.text().contains("&lt;b&gt;"));
    let said = home.agon(["report", "all"]);
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(home.read("all-report/run-agon.css/index.html").contains("crosstable.html"));
}

#[test]
#[ignore = "slow"]
fn games_in_play_are_shown_move_by_move() {
    let home = Home::with_two();
    let args = "args = [\"{game}\", \"{side}\", \"{control}\", \"{position}\"]\n";
    for (name, program) in [("one", "agon-alphabeta"), ("two", "agon-mover")] {
        home.put(format!("thinkers/{name}/engine.toml"), format!("command = [\"{program}\"]\n{args}"));
    }
    let words = "match thinkers/one thinkers/two --game mnk:7x7,5 --random-plies 2 --st 0.4 --games 2 --out run --quiet";
    let mut playing = begin(&home, words);
    let [open, hidden] = [&["run"][..], &["run", "--hide-results"]].map(|words| Served::of(&home, words));
    let moved = open.wait_for("/live.html", |answer| answer.text().contains("Ply "));
    let text = moved.text();
    assert!(
        text.contains("data-engine=\"one\"")
            && text.contains("<svg class=\"board")
            && text.contains("data-live="),
        "{text}"
    );
    // Two random plies, and at least one that was played.
    assert!(text.matches("<use href=\"#b0x0p").count() >= 3, "{text}");
    assert!(open.get("/").text().contains("live.html"));
    open.wait_for("/live.html", |answer| answer.status == 200 && !answer.text().contains(&text));
    assert_eq!(hidden.get("/live.html").status, 404);
    assert!(!hidden.get("/").text().contains("live.html"));
    assert!(playing.wait().unwrap().success());
    assert!(!home.path("run/live.json").exists());
    // How the last games ended stays to be seen.
    let last = open.wait_for("/live.html", |answer| {
        let text = answer.text();
        text.contains("No game is in play now.") && text.matches("class=\"result\"").count() == 2
    });
    assert!(last.text().contains("href=\"game/r01-p0001-g02.html\""), "{}", last.text());
}
