//! Submissions by the server of the pages: who may bring one, how often, and who sees what.

use std::fs;
use std::process::{Child, Command, Stdio};

use super::home::Home;
use super::inbox::{alias, broken, class, engine};
use super::serve::{Answer, Served};

/// The level at which submissions of everybody have to be played here.
fn level() -> &'static str {
    let doctor = Home::new().agon("doctor --level strict".split(' '));
    if doctor.code == Some(0) { "strict" } else { "sandbox" }
}

/// A class with tokens, in whose folder of submissions there was work before.
fn with_tokens() -> (Home, Vec<String>) {
    let home = class(level());
    let said = home.agon("inbox in --once".split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    let tokens = home.agon(["token"]);
    assert_eq!(tokens.code, Some(0), "{}", tokens.all());
    let staff = home.agon("token --staff eve".split(' '));
    let of = |text: &str| -> Vec<String> {
        text.lines().skip(1).filter_map(|line| line.rsplit(',').next()).map(str::to_owned).collect()
    };
    let mut all = of(&tokens.out());
    all.extend(of(&staff.out()));
    assert!(all.len() == 8 && all.iter().all(|token| token.len() == 32), "{all:?}");
    (home, all)
}

/// `agon inbox` at work; it ends with the test.
struct Watching(Child);

impl Watching {
    fn begin(home: &Home) -> Watching {
        let mut agon = Command::new(env!("CARGO_BIN_EXE_agon"));
        agon.args("inbox in".split(' '))
            .current_dir(home.path(""))
            .stdin(Stdio::null())
            .stderr(Stdio::null());
        Watching(agon.spawn().unwrap())
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let pid = rustix::process::Pid::from_child(&self.0);
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
        let _ = self.0.wait();
    }
}

/// Posts a body.
fn post(served: &Served, path: &str, headers: &str, body: &[u8]) -> Answer {
    let address = served.address;
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\nConnection: close\r\n\
         Content-Length: {}\r\n{headers}\r\n",
        body.len()
    );
    served.raw(&[head.as_bytes(), body].concat())
}

/// Submits an archive as the body of a request.
fn submit(served: &Served, token: &str, archive: &[u8]) -> Answer {
    post(served, "/submit", &format!("Authorization: Bearer {token}\r\n"), archive)
}

/// Posts a form.
fn form(served: &Served, path: &str, fields: &[(&str, &[u8])]) -> Answer {
    let mut body = Vec::new();
    for (name, value) in fields {
        let file = if *name == "archive" { "; filename=\"a.zip\"" } else { "" };
        let head = format!("--line\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n");
        body.extend(head.as_bytes());
        body.extend(*value);
        body.extend(b"\r\n");
    }
    body.extend(b"--line--\r\n");
    post(served, path, "Content-Type: multipart/form-data; boundary=line\r\nAccept: text/html\r\n", &body)
}

fn uploads(home: &Home) -> Vec<String> {
    let entries = fs::read_dir(home.path("in/uploads")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut all: Vec<String> = names.filter(|name| !name.ends_with(".times")).collect();
    all.sort();
    all
}

#[test]
fn an_archive_comes_through_the_door_and_its_author_alone_reads_what_became_of_it() {
    let (home, tokens) = with_tokens();
    let [ada, bob, .., staff] = &tokens[..] else { panic!() };
    let [of_ada, of_bob] = ["11", "12"].map(|id| alias(&home, id));
    let served = Served::of(&home, &["results", "--accept", "in"]);
    // Nothing is public, and nobody is somebody without a token.
    for path in ["/", "/index.html", "/status.json", "/revision", "/events", "/games.js", "/staff"] {
        assert!([403, 405, 404].contains(&served.get(path).status), "{path}");
    }
    assert_eq!(served.get("/agon.css").status, 200);
    assert!(served.get("/submit").text().contains("enctype=\"multipart/form-data\""));
    assert_eq!(submit(&served, "0123", &engine("one")).status, 401);
    assert_eq!(served.raw(b"POST /submit HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").status, 421);
    let foreign = format!(
        "POST /mine HTTP/1.1\r\nHost: {}\r\nOrigin: http://evil\r\nConnection: close\r\n\r\n",
        served.address
    );
    assert_eq!(served.raw(foreign.as_bytes()).status, 403);
    // Two ways in, and what comes too soon, is too large or no archive.
    let taken = submit(&served, ada, &engine("one"));
    assert!(taken.status == 202 && taken.text().contains("number 1 in the queue"), "{taken:?}");
    let soon = submit(&served, ada, &engine("two"));
    assert!(soon.status == 429 && soon.text().contains("One submission a minute is taken"), "{soon:?}");
    assert!((1..=60).contains(&soon.header("retry-after").parse::<u32>().unwrap()));
    let second = form(&served, "/submit", &[("token", bob.as_bytes()), ("archive", &broken())]);
    assert!(second.status == 202 && second.text().contains("number 2 in the queue"), "{second:?}");
    let large = submit(&served, &tokens[2], &vec![0; 3 << 20]);
    assert!(large.status == 413 && large.text().contains("at most 2 MiB"), "{large:?}");
    let chunked = format!(
        "POST /submit HTTP/1.1\r\nHost: {0}\r\nOrigin: http://{0}\r\nConnection: close\r\n\
         Authorization: Bearer {1}\r\nTransfer-Encoding: chunked\r\n\r\n300000\r\n",
        served.address, tokens[3]
    );
    let chunk = vec![b'P'; 0x30_0000];
    let unannounced = served.raw(&[chunked.as_bytes(), &chunk, b"\r\n0\r\n\r\n"].concat());
    assert_eq!(unannounced.status, 413, "{unannounced:?}");
    assert_eq!(submit(&served, &tokens[4], b"hello").status, 415);
    assert_eq!(submit(&served, staff, &engine("x")).status, 403);
    assert_eq!(form(&served, "/submit", &[("archive", &engine("x")), ("token", ada.as_bytes())]).status, 401);
    let mut whole = vec![format!("{of_ada}.zip"), format!("{of_bob}.zip")];
    whole.sort();
    assert_eq!(uploads(&home), whole, "nothing else was stored");
    // It is answered while the server runs.
    let watching = Watching::begin(&home);
    let mine = |token: &str, alias: &str| {
        form(&served, "/mine", &[("token", token.as_bytes()), ("alias", alias.as_bytes())])
    };
    let began = std::time::Instant::now();
    while !mine(ada, "").text().contains(" was accepted") || !mine(bob, "").text().contains(" was rejected: ")
    {
        assert!(began.elapsed().as_secs() < 60, "{} {}", mine(ada, "").text(), mine(bob, "").text());
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    drop(watching);
    assert!(mine(bob, "").text().contains("its stderr says: I am lost"));
    assert_eq!(mine(bob, "").header("cache-control"), "no-store");
    assert!(mine(ada, &of_ada).status == 200 && mine(staff, &of_bob).status == 200);
    assert_eq!([mine(ada, &of_bob).status, mine("x", "").status], [403, 401]);
    let all = form(&served, "/staff", &[("token", staff.as_bytes())]);
    assert!(all.status == 200 && all.text().contains(&of_ada) && all.text().contains(&of_bob));
    assert_eq!(form(&served, "/staff", &[("token", ada.as_bytes())]).status, 403);
    // A night with another engine, and the logs of it.
    home.put("in/13.zip", engine("secret-of-13"));
    assert_eq!(home.agon("inbox in --once --settle 0".split(' ')).code, Some(0));
    assert_eq!(home.agon("nightly tournament.toml".split(' ')).code, Some(0));
    let log = |token: &str, fields: &[(&str, &str)]| {
        let fields = fields.iter().map(|(name, value)| (*name, value.as_bytes()));
        let all: Vec<(&str, &[u8])> = [("token", token.as_bytes())].into_iter().chain(fields).collect();
        form(&served, "/mine/log", &all)
    };
    let game = [("run", "0"), ("game", "r01-p0001-g01")];
    served.wait_for("/submit", |_| log(ada, &game).status == 200);
    let own = log(ada, &game);
    assert_eq!((own.text().as_str(), own.header("content-type")), ("one\n", "text/plain; charset=utf-8"));
    assert!(own.header("content-disposition").starts_with("attachment; "));
    assert_eq!(log(&tokens[2], &game).text(), "secret-of-13\n");
    assert_eq!(log(bob, &game).status, 404, "it did not play in it");
    assert_eq!(log(bob, &[("alias", &of_ada), game[0], game[1]]).status, 403);
    assert_eq!(log(bob, &[("file", "check.txt")]).text(), "I am lost\n");
    assert_eq!(log(ada, &[("alias", &of_bob), ("file", "check.txt")]).status, 403);
    assert_eq!(log(ada, &[("file", "../../inbox.log")]).status, 404);
    assert_eq!(log(staff, &[("alias", &of_bob), ("file", "check.txt")]).status, 200);
    // The results: the staff sees them at once, everybody when they are published, nobody later.
    let bearer =
        |path: &str, token: &str| served.ask("GET", path, &format!("Authorization: Bearer {token}\r\n"));
    assert_eq!([bearer("/", staff).status, bearer("/", ada).status, served.get("/").status], [200, 403, 403]);
    let page = format!("/engine/{of_ada}.html");
    assert!(!home.agon(["publish", "results"]).out().is_empty());
    assert_eq!([served.get("/").status, bearer("/", ada).status, bearer("/", "x").status], [200, 200, 401]);
    assert!(!served.get(&page).text().contains("11@x") && served.get(&page).status == 200);
    home.agon(["publish", "results", "--withdraw"]);
    assert_eq!(served.get("/").status, 403);
    // A token ends when it is revoked, without a new start.
    let revoked = home.agon("token --revoke 11".split(' '));
    assert!(revoked.err().contains("11: revoked"), "{}", revoked.all());
    assert_eq!([mine(ada, "").status, mine(bob, "").status], [401, 200]);
    assert_eq!(submit(&served, ada, &engine("one")).status, 401);
    let listed = home.agon(["token", "--list"]).out();
    assert!(listed.contains("revoked ") && tokens.iter().all(|token| !listed.contains(token)), "{listed}");
}

#[test]
fn submissions_of_everybody_are_accepted_only_where_engines_are_confined() {
    let home = class("sandbox");
    let refused = |words: &str| {
        let said = home.agon(format!("serve results --listen 127.0.0.1:0 {words}").split(' '));
        assert_eq!(said.code, Some(2), "{}", said.all());
        said.err()
    };
    assert!(refused("--accept in").contains("--accept in: no agon inbox has worked in it"));
    assert_eq!(home.agon("inbox in --once".split(' ')).code, Some(0));
    let next = refused("--accept in");
    if level() == "strict" {
        assert!(next.contains("at isolation sandbox, and strict is available"), "{next}");
        assert!(next.contains("hint: write isolation = \"strict\""), "{next}");
    } else {
        assert!(next.contains("warning: submissions are built and played at isolation sandbox"), "{next}");
    }
    assert_eq!(
        home.agon("inbox in --once --isolation strict".split(' ')).code == Some(0),
        level() == "strict"
    );
    assert!(refused("--accept in").contains("grades/tokens: there are no tokens in it"));
    assert!(refused("--accept in --for staff").contains("each reader has a token"));
}
