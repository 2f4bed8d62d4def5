//! Submissions by the server of the pages: who may bring one, how often, and who sees what.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::SystemTime;

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

#[test]
fn a_renewed_token_replaces_the_one_of_one_student_alone() {
    let home = class("limits");
    let rows = |text: &str| -> Vec<Vec<String>> {
        text.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
    };
    let first = rows(&home.agon(["token"]).out());
    let id = first[0][0].clone();
    let renewed = rows(&home.agon(["token", "--renew", &id]).out());
    assert_eq!(renewed.len(), 1, "{renewed:?}");
    assert!(renewed[0][..4] == first[0][..4] && renewed[0][4] != first[0][4], "{first:?}\n{renewed:?}");
    // Nobody is without a token, and the old one is revoked.
    let again = home.agon(["token"]);
    assert!(again.out().is_empty() && again.err().contains("every student has a token"), "{}", again.all());
    let listed = home.agon(["token", "--list"]).out();
    assert!(listed.contains("made ") && !listed.contains("revoked"), "{listed}");
    assert_eq!(home.agon(["token", "--renew", "nobody-of-this-id"]).code, Some(2));
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
#[ignore = "slow"]
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
        assert!(began.elapsed().as_secs() < 300, "{} {}", mine(ada, "").text(), mine(bob, "").text());
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
        |path: &str, token: &str| served.ask("GET", path, &format!("authorization: bearer  {token}\r\n"));
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
    let toml = home.read("tournament.toml").replace("\"sandbox\"", "\"strict\"");
    home.put("strict.toml", toml);
    assert_eq!(home.agon("inbox in strict.toml --once".split(' ')).code == Some(0), level() == "strict");
    assert!(refused("--accept in").contains("grades/tokens: there are no tokens in it"));
    assert!(refused("--accept in --for staff").contains("each reader has a token"));
    // Nor are engines of students started below that for people who play.
    for words in ["--play pool", "--play pool --isolation limits", "--play pool --isolation none"] {
        let why = refused(words);
        assert!(why.contains("engines of students would be started for everybody"), "{why}");
        assert!(why.contains(&format!("hint: give --isolation {}", level())), "{why}");
    }
    assert_eq!(home.agon(["token"]).code, Some(0));
    home.put("others/README", "");
    assert!(refused("--accept in --play others").contains("--play others: at isolation limits"));
    let boxed = format!("--accept in --play pool --isolation {}", level());
    let served = Served::of(&home, &format!("results {boxed}").split(' ').collect::<Vec<_>>());
    assert_eq!([served.get("/play").status, served.get("/submit").status], [403, 200], "nothing is public");
}

/// Sends bytes, and no more after them.
fn half(served: &Served, bytes: &[u8]) -> Answer {
    let mut stream = TcpStream::connect(served.address).unwrap();
    stream.set_read_timeout(Some(super::serve::PATIENCE)).unwrap();
    stream.write_all(bytes).unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer); // it may be closed at once
    Answer::of(&answer)
}

#[test]
fn an_upload_that_is_refused_costs_no_attempt_and_thirty_a_day_are_taken() {
    let (home, tokens) = with_tokens();
    let [ada, bob, ..] = &tokens[..] else { panic!() };
    let served = Served::of(&home, &["results", "--accept", "in"]);
    assert_eq!(submit(&served, ada, &vec![0; 3 << 20]).status, 413);
    assert_eq!(submit(&served, ada, b"hello").status, 415);
    let cut_off = |token: &str| {
        let head = format!(
            "POST /submit HTTP/1.1\r\nHost: {0}\r\nOrigin: http://{0}\r\nAuthorization: Bearer {token}\r\n\
             Content-Length: 5000\r\n\r\nPK\x03\x04",
            served.address
        );
        half(&served, head.as_bytes());
    };
    cut_off(ada);
    assert_eq!(form(&served, "/submit", &[("token", ada.as_bytes()), ("archive", b"hello")]).status, 415);
    let part =
        |head: &str, value: &str| format!("--line\r\nContent-Disposition: form-data; {head}\r\n\r\n{value}");
    let short =
        part("name=\"token\"", &format!("{ada}\r\n")) + &part("name=\"archive\"; filename=\"a.zip\"", "PK");
    let kind = "Content-Type: multipart/form-data; boundary=line\r\n";
    let short = post(&served, "/submit", kind, short.as_bytes());
    assert!(short.status == 400 && short.text().contains("has ended too early"), "{short:?}");
    assert_eq!(submit(&served, ada, &engine("one")).status, 202);
    assert_eq!(submit(&served, ada, &engine("one")).status, 429, "this one has counted");
    // Twenty-nine and thirty of a day.
    let of_bob = alias(&home, "12");
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
    let times = |count: u64| {
        let text: String = (0..count).map(|at| format!("{}\n", now - 4000 + 100 * at)).collect();
        home.put(format!("in/uploads/.{of_bob}.times"), text);
    };
    times(30);
    let full = submit(&served, bob, &engine("two"));
    assert!(
        full.status == 429 && full.text().contains("30 submissions a day are taken; the next one in"),
        "{full:?}"
    );
    let after: u64 = full.header("retry-after").parse().unwrap();
    assert!((24 * 3600 - 4100..=24 * 3600 - 3900).contains(&after), "{after}");
    times(29);
    assert_eq!(submit(&served, bob, &engine("two")).status, 202);
    assert_eq!(submit(&served, bob, &engine("two")).status, 429);
    // Nothing half is left behind.
    assert_eq!(uploads(&home).len(), 2, "{:?}", uploads(&home));
}

#[test]
fn archives_that_attack_come_through_the_door_and_are_refused_in_one_sentence_each() {
    let (home, tokens) = with_tokens();
    let served = Served::of(&home, &["results", "--accept", "in"]);
    let attacks = super::inbox::attacks();
    for (token, (archive, _)) in tokens.iter().zip(&attacks) {
        assert_eq!(submit(&served, token, archive).status, 202);
    }
    // Lists of more than the rows of a form: a flood of fields is no archive.
    assert_eq!(home.agon("inbox in --once".split(' ')).code, Some(0));
    for (token, (_, why)) in tokens.iter().zip(&attacks) {
        let page = form(&served, "/mine", &[("token", token.as_bytes())]).text();
        assert!(page.contains(&format!(" was rejected: what was handed in {why}")), "{why}: {page}");
        assert!(!page.contains(&*home.path("").to_string_lossy()), "{page}");
    }
    assert_eq!(fs::read_dir(home.path("pool")).unwrap().count(), 0);
}

#[test]
fn what_an_engine_did_in_a_game_is_shown_to_its_author_as_text() {
    let (home, tokens) = with_tokens();
    let [ada, bob, .., staff] = &tokens[..] else { panic!() };
    home.put("in/11.zip", engine("one"));
    home.put("in/12.zip", engine("two"));
    assert_eq!(home.agon("inbox in --once --settle 0".split(' ')).code, Some(0));
    let [of_ada, of_bob] = ["11", "12"].map(|id| alias(&home, id));
    // It passed its check, and fails in the night.
    let run = home.path(format!("pool/{of_ada}")).canonicalize().unwrap();
    let run = [run.join("run"), run.join("mine/run")].into_iter().find(|path| path.is_file()).unwrap();
    // A try has three moves of each engine; this one fails in the fourth.
    let fails = "n=$((n+1)); [ \"$n\" = 4 ] && echo '<script>alert(1)</script>' >&2 && echo '<b>\u{202e}nonsense' && sleep 9\n";
    let text = fs::read_to_string(&run).unwrap();
    let begin = "if [ $mine = yes ]; then ";
    assert!(text.contains(begin), "{text}");
    fs::write(run, text.replace(begin, &format!("{begin}{fails}"))).unwrap();
    assert_eq!(home.agon("nightly tournament.toml".split(' ')).code, Some(5), "a fault is news");
    let served = Served::of(&home, &["results", "--accept", "in"]);
    let mine = form(&served, "/mine", &[("token", ada.as_bytes())]).text();
    let row = mine.split("<tr>").find(|row| row.contains("nonsense")).unwrap_or_else(|| panic!("{mine}"));
    let game = row.trim_start_matches("<td>").split('<').next().unwrap().to_owned();
    assert!(row.contains(&of_bob) && row.contains("&lt;b&gt;") && row.contains("nonsense"), "{row}");
    assert!(!row.contains("<b>") && !mine.contains("<script>alert") && !row.contains('\u{202e}'), "{row}");
    let fields = [("token", ada.as_bytes()), ("run", &b"0"[..]), ("game", game.as_bytes())];
    let log = form(&served, "/mine/log", &fields);
    assert!(log.text().contains("<script>") && log.header("content-disposition").starts_with("attachment"));
    // The other author reads nothing of it, and the staff all.
    let others = form(&served, "/mine", &[("token", bob.as_bytes())]).text();
    assert!(!others.contains("nonsense"), "{others}");
    let of_staff =
        form(&served, "/mine", &[("token", staff.as_bytes()), ("alias", of_ada.as_bytes())]).text();
    assert!(of_staff.contains("nonsense"), "{of_staff}");
    // A token hears of news in eight places at most, and leaves the places of others.
    let hears = |token: &str| {
        let mut stream = TcpStream::connect(served.address).unwrap();
        stream.set_read_timeout(Some(super::serve::PATIENCE)).unwrap();
        let (address, to) = (served.address, &mut stream);
        write!(to, "GET /events HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n\r\n")
            .unwrap();
        let mut status = [0; 12];
        to.read_exact(&mut status).unwrap();
        (String::from_utf8_lossy(&status[9..]).into_owned(), stream)
    };
    let held: Vec<_> = (0..8).map(|_| hears(staff)).collect();
    assert!(held.iter().all(|(status, _)| status == "200"));
    assert_eq!(hears(staff).0, "503");
    let other = home.agon("token --staff mallory".split(' ')).out();
    let other = other.lines().last().unwrap().rsplit(',').next().unwrap().to_owned();
    assert_eq!(hears(&other).0, "200");
    drop(held);
    // Who shows the run of a class to everybody is told so.
    let taken = std::net::TcpListener::bind("0.0.0.0:0").unwrap();
    let words = format!("serve results --listen {}", taken.local_addr().unwrap());
    let warned = || home.agon(words.split(' ')).err().contains("shows everybody the results of the class");
    assert!(warned());
    assert_eq!(home.agon("publish results".split(' ')).code, Some(0));
    assert!(!warned());
}

#[test]
#[ignore = "slow"]
fn five_thousand_requests_of_every_kind_get_an_answer_and_cost_no_memory() {
    let (home, tokens) = with_tokens();
    home.put("in/13.zip", engine("one"));
    home.put("in/14.zip", engine("two"));
    assert_eq!(home.agon("inbox in --once --settle 0".split(' ')).code, Some(0));
    assert_eq!(home.agon("nightly tournament.toml".split(' ')).code, Some(0));
    let served = Served::of(&home, &["results", "--accept", "in"]);
    let address = served.address;
    let mut seed = 7u32;
    let mut draw = |of: usize| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) as usize % of
    };
    let archive = engine("one");
    let field = |name: &str, value: &[u8]| {
        let head = format!("--line\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n");
        [head.as_bytes(), value, b"\r\n"].concat()
    };
    let of_form = |fields: &[(&str, &[u8])]| -> Vec<u8> {
        let mut body: Vec<u8> = fields.iter().flat_map(|(name, value)| field(name, value)).collect();
        body.extend(b"--line--\r\n");
        body
    };
    let ada = tokens[0].as_bytes();
    let long = vec![b'x'; 300];
    let bodies: Vec<Vec<u8>> = vec![
        Vec::new(),
        b"{}".to_vec(),
        archive.clone(),
        archive[..archive.len() / 2].to_vec(),
        vec![0xff; 70_000],
        of_form(&[("token", ada)]),
        of_form(&[("token", &long)]),
        of_form(&[("token", b"\x00\xff"), ("alias", b"../..")]),
        of_form(&[("token", ada), ("alias", b"../../etc"), ("file", b"../inbox.log")]),
        of_form(&[("token", ada), ("file", b"log.txt")]),
        of_form(&[("token", ada), ("run", b"99999999999999999999"), ("game", b"r01-p0001-g01")]),
        of_form(&[("archive", &archive), ("token", ada)]),
        of_form(&[("token", tokens[7].as_bytes()), ("alias", b"'\"><x>")]),
        of_form(&vec![("token", &b"x"[..]); 300]),
        field("token", ada), // no end
        b"--line\r\n\r\n".to_vec(),
        b"--line--".to_vec(),
    ];
    let kinds = [
        "",
        "Content-Type: multipart/form-data; boundary=line\r\n",
        "Content-Type: multipart/form-data\r\n",
        "Content-Type: application/x-www-form-urlencoded\r\n",
        "Content-Type: é\r\n",
    ];
    let owners = [
        String::new(),
        format!("Authorization: Bearer {}\r\n", tokens[0]),
        format!("Authorization: Bearer {}\r\n", tokens[7]),
        "Authorization: Bearer \r\n".to_owned(),
        "Authorization: Basic YTpi\r\n".to_owned(),
        format!("Authorization: Bearer {}\r\n", "0".repeat(5000)),
    ];
    let paths = [
        "/",
        "/submit",
        "/mine",
        "/mine/log",
        "/staff",
        "/submit/",
        "/mine/log/..",
        "/revision",
        "/live.html",
        "/%00",
        "/engine/%2e%2e.html",
    ];
    let methods = ["GET", "POST", "POST", "POST", "PUT", "DELETE", "OPTIONS"];
    let mut one = || {
        let (method, path) = (methods[draw(methods.len())], paths[draw(paths.len())]);
        let (kind, owner) = (kinds[draw(kinds.len())], &owners[draw(owners.len())]);
        let body = if method == "GET" { &bodies[0] } else { &bodies[draw(bodies.len())] };
        let own = if draw(8) == 0 {
            "Origin: http://evil.example\r\n".to_owned()
        } else {
            format!("Origin: http://{address}\r\n")
        };
        let chunked = draw(4) == 0 && !body.is_empty();
        let length = if chunked {
            "Transfer-Encoding: chunked\r\n".to_owned()
        } else {
            format!("Content-Length: {}\r\n", body.len())
        };
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{own}{kind}{owner}{length}\r\n"
        );
        let mut bytes = head.clone().into_bytes();
        if chunked {
            bytes.extend(format!("{:x}\r\n", body.len()).as_bytes());
        }
        bytes.extend(body);
        bytes.extend(if chunked { &b"\r\n0\r\n\r\n"[..] } else { b"" });
        let answer = served.raw(&bytes);
        // A form of half a line is answered; nothing is closed without a word.
        assert!((200..500).contains(&answer.status), "{head}{:?} {answer:?}", String::from_utf8_lossy(body));
    };
    (0..500).for_each(|_| one());
    let before = served.status("VmRSS:");
    (500..5000).for_each(|_| one());
    let after = served.status("VmRSS:");
    assert!(after < before + 20_000, "{before} KiB before, {after} after");
    assert_eq!(served.get("/submit").status, 200);
}
