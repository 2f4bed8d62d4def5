//! The runs that are looked at, played by the real program, and their reports.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::home::{Home, programs, root};

/// A name that is markup, a script, and a change of the direction of writing.
const MARKUP: &str = "\"><script>alert(1)</script><img src=x onerror=alert(2)>\u{202e}\u{2066}";

/// The games whose boards are looked at, with the most plies of a game.
const GAMES: [(&str, &str); 7] = [
    ("letters:4x4x2", "60"),
    ("mill", "64"),
    ("mnk:5x5,4", "25"),
    ("connect4", "42"),
    ("morris", "60"),
    ("morris:nine", "60"),
    ("abalone", "60"),
];

/// The kinds of pages of a run.
const KINDS: [&str; 7] =
    ["index.html", "crosstable.html", "engine/", "games/", "game/", "history.html", "about.html"];

/// An engine that plays any legal move at once, and says nothing.
fn mover(home: &Home, name: &str, protocol: &str) {
    let program = programs().join("agon-mover");
    let args = match protocol {
        "ugi" => "[\"{game}\", \"ugi\"]",
        _ => "[\"{game}\", \"{side}\", \"{control}\", \"{position}\"]",
    };
    home.put(
        format!("{name}/engine.toml"),
        format!("command = [{program:?}]\nprotocol = \"{protocol}\"\nargs = {args}\n"),
    );
}

/// An engine that searches a few plies, and tells its thoughts.
fn thinker(home: &Home, name: &str) {
    let program = programs().join("agon-alphabeta");
    home.put(
        format!("{name}/engine.toml"),
        format!("command = [{program:?}]\nprotocol = \"ugi\"\nargs = [\"{{game}}\", \"ugi\"]\noptions = {{ Depth = 2 }}\n"),
    );
}

/// An engine that misbehaves in this way.
fn stub(home: &Home, name: &str, way: &str) {
    let program = programs().join("agon-stub");
    home.put(format!("{name}/engine.toml"), format!("command = [{program:?}, {way:?}]\n"));
}

/// Runs agon, and expects that it succeeds.
#[track_caller]
fn agon(home: &Home, line: &str) {
    let said = home.agon(line.split(' '));
    assert_eq!(said.code, Some(0), "{line}\n{}", said.all());
}

/// Plays all runs and writes all reports. Returns the list of the reports.
pub(crate) fn write(home: &Home) -> PathBuf {
    let mut sites = Vec::new();
    games(home, &mut sites);
    club(home, &mut sites);
    cup(home, &mut sites);
    tables(home, &mut sites);
    hostile(home, &mut sites);
    long(home, &mut sites);
    home.put("sites.json", Value::from(sites).to_string())
}

fn site(home: &Home, name: &str, mut what: Value) -> Value {
    what["name"] = name.into();
    what["path"] = home.path(name).to_str().into();
    what["single"] = name.ends_with(".html").into();
    what
}

/// A game of each kind.
fn games(home: &Home, sites: &mut Vec<Value>) {
    mover(home, "first", "lines");
    mover(home, "second", "lines");
    thinker(home, "thinker");
    for (game, plies) in GAMES {
        let name = game.replace([':', ','], "-");
        let first = if game == "connect4" { "thinker" } else { "first" };
        agon(
            home,
            &format!(
                "match {first} second --game {game} --games 2 --st 2 --max-plies {plies} --seed 3 --out {name}"
            ),
        );
        agon(home, &format!("report {name} --out {name}-report"));
        sites.push(site(
            home,
            &format!("{name}-report"),
            json!({ "board": name, "thorough": ["game/"], "http": game == "mill" }),
        ));
    }
}

/// Two nights of a club in which a program changed, with faults of every usual kind.
fn club(home: &Home, sites: &mut Vec<Value>) {
    let names = ["anna", "bert", "cleo", "dora"];
    names.iter().for_each(|name| mover(home, &format!("club/{name}"), "ugi"));
    stub(home, "club/ends", "exit-now");
    stub(home, "club/sleeps", "half-line-stall");
    let night = "tournament club --game mnk:4x4,3 --games 14 --st 0.05 --random-plies 2 --seed 5 --no-check --out clubrun --concurrency 2";
    agon(home, night);
    let program = programs().join("agon-mover");
    home.put("club/dora/engine.toml", format!("command = [{program:?}]\nargs = [\"{{game}}\", \"{{side}}\", \"{{control}}\", \"{{position}}\"]\n"));
    agon(home, night);
    for (name, options, what) in [
        ("club-report", "", json!({ "thorough": KINDS, "http": true })),
        ("club-public", " --for public", json!({})),
        ("club-own", " --for ends --top 2", json!({ "thorough": ["index.html"] })),
        ("club-hidden", " --hide-results", json!({ "thorough": ["engine/", "game/"] })),
    ] {
        agon(home, &format!("report clubrun --out {name} --replays 20{options}"));
        sites.push(site(home, name, what));
    }
    agon(home, "report clubrun --single club.html --replays 20");
    sites.push(site(home, "club.html", json!({ "thorough": ["index", "game/"], "http": true })));
    agon(home, "report clubrun --single club-hidden.html --replays 4 --hide-results");
    sites.push(site(home, "club-hidden.html", json!({})));
}

/// Games of referee programs: one at tables of three with hidden cards, in which an engine crashes,
/// and two that their referees draw.
fn tables(home: &Home, sites: &mut Vec<Value>) {
    let referees = root().join("referees");
    for name in ["ada", "bob", "cem"] {
        let program = referees.join("random-player/random_player.py");
        home.put(format!("tables/{name}/engine.toml"), format!("command = [\"python3\", {program:?}]\n"));
    }
    home.put_program("tables/dan", "#!/bin/sh\nread line\necho '<b>out of cards</b>' >&2\nexit 3\n");
    let game = |name: &str| referees.join(name).display().to_string();
    agon(
        home,
        &format!(
            "tournament tables --game {}:hands=3 --seats 3 --games 3 --seed 5 --out cards --quiet",
            game("kuhn")
        ),
    );
    agon(
        home,
        &format!(
            "match tables/ada tables/bob --game {}:size=3 --games 2 --seed 5 --out dots --quiet",
            game("dots")
        ),
    );
    agon(
        home,
        &format!(
            "match tables/ada tables/bob tables/cem --game {} --seats 3 --games 3 --seed 5 --out dice --quiet",
            game("liars-dice")
        ),
    );
    for (run, options, what) in [
        ("cards", "", json!({ "thorough": KINDS })),
        ("cards", " --for public", json!({ "thorough": ["game/"] })),
        ("dots", "", json!({ "thorough": ["game/"] })),
        ("dice", "", json!({ "thorough": ["game/"] })),
    ] {
        let name = format!("{run}{}-report", options.replace(' ', ""));
        agon(home, &format!("report {run} --out {name}{options}"));
        sites.push(site(home, &name, what));
    }
}

/// Groups and a knockout.
fn cup(home: &Home, sites: &mut Vec<Value>) {
    (1..=6).for_each(|number| mover(home, &format!("entrants/e{number}"), "lines"));
    home.put(
        "cup.toml",
        "engines = \"entrants\"\nout = \"cup\"\ngame = \"mnk:3x3,3\"\nst = 1\ngames = 2\nseed = 7\n\
         [[stages]]\nname = \"groups\"\ngroups = 2\nadvance = 2\n\n[[stages]]\nname = \"finals\"\nformat = \"knockout\"\nplay-offs = 1\n",
    );
    agon(home, "tournament cup.toml --no-check");
    agon(home, "report cup");
    sites.push(site(
        home,
        "cup-report",
        json!({ "thorough": ["index.html", "stage/index.html"], "http": true }),
    ));
    agon(home, "report cup --single cup.html");
    sites.push(site(home, "cup.html", json!({})));
}

/// Engines whose names, thoughts, moves and stderr are hostile.
fn hostile(home: &Home, sites: &mut Vec<Value>) {
    let script = root().join("tests/scripted/markup.py");
    let long = format!("{MARKUP}{}", "x".repeat(200));
    let names = [MARKUP, "</main></body>'`&amp;&lt;b&gt;", &long];
    for (at, (name, mode)) in names.iter().zip(["plays", "illegal", "ends"]).enumerate() {
        // A string of JSON is one of TOML too.
        let name = Value::from(*name);
        home.put(
            format!("hostile/h{at}/engine.toml"),
            format!("name = {name}\ncommand = [\"python3\", {script:?}]\nprotocol = \"ugi\"\n[env]\nMARKUP_MODE = \"{mode}\"\n"),
        );
    }
    agon(
        home,
        "tournament hostile --game mnk:3x3,3 --games 2 --random-plies 0 --st 2 --no-check --out hostilerun",
    );
    for (name, options) in [("hostile-report", ""), ("hostile-public", " --for public")] {
        agon(home, &format!("report hostilerun --out {name}{options}"));
        sites.push(site(home, name, json!({ "hostile": true })));
    }
    agon(home, "report hostilerun --single hostile.html");
    sites.push(site(home, "hostile.html", json!({ "hostile": true })));
}

/// A long game in one file.
fn long(home: &Home, sites: &mut Vec<Value>) {
    agon(home, "match first second --game abalone --games 2 --st 2 --max-plies 1000 --seed 4 --out longrun");
    agon(home, "report longrun --game r01-p0001-g01 --single long.html");
    sites.push(site(home, "long.html", json!({})));
}
