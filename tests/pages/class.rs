//! A class in the browser: its server, with what its students have handed in and played.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use super::home::{Home, root};
use super::{EndsWithTest, has_browser, succeeds};

/// An engine that takes the first free cell, each time after so many seconds.
fn script(seconds: &str) -> String {
    format!(
        "#!/bin/sh\n\
         side=$1 mine=no; [ \"$1\" = \"$2\" ] && mine=yes\n\
         read a; read a; read a; read a\n\
         free='a1 b1 c1 a2 b2 c2 a3 b3 c3'\n\
         take() {{ left=; for cell in $free; do [ $cell = $1 ] || left=\"$left $cell\"; done; free=$left; }}\n\
         while :; do if [ $mine = yes ]; then set -- $free; [ -n \"$1\" ] || exit 0\n\
         sleep {seconds}; echo \"$side,$1\"; take $1; mine=no\n\
         else read move || exit 0; take ${{move#*,}}; mine=yes; fi; done\n"
    )
}

/// The archive of an engine.
fn archive(script: &str) -> Vec<u8> {
    let toml = "command = [\"./run\"]\nargs = [\"{side}\", \"{to_move}\"]\ngames = [\"mnk\"]\n";
    let mut all = tar::Builder::new(Vec::new());
    for (name, text) in [("engine.toml", toml), ("run", script)] {
        let mut head = tar::Header::new_ustar();
        head.set_size(text.len() as u64);
        head.set_mode(0o755);
        all.append_data(&mut head, name, text.as_bytes()).unwrap();
    }
    all.into_inner().unwrap()
}

/// A class of two, whose engines have played a night. The first of them then failed. Returns the
/// tokens of the student and the staff, and the alias.
fn class(home: &Home) -> [String; 3] {
    let agon = |words: &str| {
        let said = home.agon(words.split(' '));
        assert_eq!(said.code, Some(0), "{words}: {}", said.all());
        said.out()
    };
    let level =
        if home.agon("doctor --level strict".split(' ')).code == Some(0) { "strict" } else { "sandbox" };
    home.put("roster.csv", "id,name,mail\n11,Ada,a@x\n12,Bob,b@x\n");
    home.put(
        "tournament.toml",
        format!(
            "engines = \"pool\"\ngame = \"mnk:3x3,3\"\nisolation = \"{level}\"\nst = 5\ngames = 2\n\
             random-plies = 0\nseed = 1\nout = \"results\"\n"
        ),
    );
    for id in ["11", "12"] {
        home.put(format!("in/{id}.tar"), archive(&script("0")));
    }
    agon("inbox in --once --settle 0");
    let token = |words: &str| {
        let text = agon(words);
        text.lines().nth(1).unwrap().rsplit(',').next().unwrap().to_owned()
    };
    let tokens = [token("token"), token("token --staff eve")];
    let key = home.read("grades/key.csv");
    let alias = key.lines().find(|line| line.contains(",11,")).unwrap().split(',').next().unwrap().to_owned();
    let run = home.path(format!("pool/{alias}")).canonicalize().unwrap().join("run");
    // A try has three moves of each engine; this one fails in the fourth.
    let begin = "if [ $mine = yes ]; then ";
    let fails = "n=$((n+1)); [ \"$n\" = 4 ] && echo '<script>alert(1)</script>' >&2 && echo '<b>nonsense' && sleep 9\n";
    fs::write(run, script("0").replace(begin, &format!("{begin}{fails}"))).unwrap();
    let said = home.agon(["nightly", "tournament.toml"]);
    assert_eq!(said.code, Some(5), "a fault is news: {}", said.all());
    let [student, staff] = tokens;
    [student, staff, alias]
}

/// Starts a server. Returns its address too.
fn serve(home: &Home, words: &str) -> (EndsWithTest, String) {
    let mut served = Command::new(env!("CARGO_BIN_EXE_agon"));
    served.arg("serve").args(words.split(' ')).args(["--listen", "127.0.0.1:0"]).current_dir(home.path(""));
    let mut served = EndsWithTest(served.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap());
    let mut line = String::new();
    BufReader::new(served.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
    (served, line.trim().to_owned())
}

/// Starts a match that takes minutes.
fn long_match(home: &Home) -> Child {
    for name in ["one", "two"] {
        home.put(format!("slow/{name}/run"), script("2"));
        let run = home.path(format!("slow/{name}/run"));
        let words =
            format!("command = [\"sh\", \"{}\"]\nargs = [\"{{side}}\", \"{{to_move}}\"]\n", run.display());
        home.put(format!("slow/{name}/engine.toml"), words);
    }
    let words =
        "match slow/one slow/two --game mnk:3x3,3 --random-plies 0 --st 20 --games 40 --out live --quiet";
    let mut playing = Command::new(env!("CARGO_BIN_EXE_agon"));
    playing.args(words.split(' ')).current_dir(home.path("")).stdin(Stdio::null()).stdout(Stdio::null());
    playing.spawn().unwrap()
}

#[test]
fn students_and_staff_of_a_class_find_what_is_theirs() {
    if !has_browser() {
        return;
    }
    let home = Home::new();
    let [student, staff, alias] = class(&home);
    let _playing = EndsWithTest(long_match(&home));
    let began = std::time::Instant::now();
    while home.agon(["status", "live"]).code != Some(0) {
        assert!(began.elapsed().as_secs() < 300);
    }
    let (_class, address) = serve(&home, "results --accept in --host class.test");
    let (_live, live) = serve(&home, "live");
    home.put("new.tar", archive(&script("0")));
    let port = address.trim_end_matches('/').rsplit(':').next().unwrap().to_owned();
    let tokens = serde_json::json!({
        "student": student, "staff": staff, "alias": alias, "archive": home.path("new.tar"),
    });
    let mut script = Command::new("node");
    script.arg(root().join("tests/browser/class.js")).args([port, live, tokens.to_string()]);
    assert!(succeeds(script), "its output stands above");
}
