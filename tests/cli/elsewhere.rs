//! Engines that the organiser lets play elsewhere: who may, what the others still may not, and how
//! much of a lag is allowed for.

use std::fs;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::home::{Home, Said, programs};
use super::hosted;
use super::remote::{MOVER, connected, far, free_port, listening, mover, ssh, sshd};
use super::support::not_tried;

/// A folder whose engine answers so many seconds late, with more lines for its engine.toml.
fn late(home: &Home, name: &str, seconds: f64, more: &str) {
    let script = format!("\"$@\" | while read -r line; do sleep {seconds}; echo \"$line\"; done");
    let program = programs().join("agon-mover");
    home.put(
        format!("{name}/engine.toml"),
        format!(
            "command = [\"/bin/sh\", \"-c\", {script:?}, \"far\", {program:?}]\nargs = [{MOVER}]\n{more}"
        ),
    );
}

/// An echo that takes so many seconds.
fn echo(seconds: f64) -> String {
    let script = format!("while read -r line; do sleep {seconds}; echo \"$line\"; done");
    format!("echo = [\"/bin/sh\", \"-c\", {script:?}]\n")
}

fn play(home: &Home, words: &str) -> Said {
    home.agon(format!("match far mover --game mnk:3x3,3 --concurrency 1 {words}").split_whitespace())
}

fn json(home: &Home, run: &str) -> Vec<serde_json::Value> {
    let said = home.agon(["export", "json", run]);
    said.out().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The seat of an engine in a game.
fn seat<'a>(game: &'a serde_json::Value, engine: &str) -> &'a serde_json::Value {
    game["seats"].as_array().unwrap().iter().find(|seat| seat["entrant"] == engine).unwrap()
}

#[test]
#[ignore = "slow"]
fn an_answer_may_come_later_by_what_was_measured_and_by_no_more_than_was_asked() {
    let home = Home::new();
    late(&home, "far", 60.0, &format!("place = \"lab1\"\n{}", echo(0.8)));
    mover(&home);
    // Its opponent has time enough on a busy machine.
    let short = "--games 2 --max-plies 2 --st 20 --time far=st=0.3";
    let without = play(&home, &format!("{short} --elsewhere far --out without"));
    assert_eq!(without.code, Some(0), "{}", without.all());
    assert!(without.all().contains("none of them allowed for"), "{}", without.all());
    assert_eq!(home.read("without/games.csv").matches("time forfeit").count(), 2);
    // Both the measured lag and the asked one are too short.
    let asked = play(&home, &format!("{short} --elsewhere far --lag 0.2 --out asked"));
    assert!(asked.all().contains("far at lab1: "), "{}", asked.all());
    assert!(asked.all().contains("200 ms of them allowed for"), "{}", asked.all());
    assert_eq!(home.read("asked/games.csv").matches("time forfeit").count(), 2);
    let more = play(&home, &format!("{short} --elsewhere far --lag 30 --out more"));
    assert!(more.all().contains("all of them allowed for"), "{}", more.all());
    assert_eq!(home.read("more/games.csv").matches("time forfeit").count(), 2);
    for game in json(&home, "more") {
        let lag = &seat(&game, "far")["elsewhere"]["lag"];
        let measured = lag["measured_micros"].as_u64().unwrap();
        assert!((300_000..20_000_000).contains(&measured) && lag["allowed_micros"] == measured, "{lag}");
    }
    for run in ["without", "asked", "more"] {
        let proved = home.agon(["verify", run]);
        assert_eq!(proved.code, Some(0), "{}", proved.all());
    }
}

#[test]
#[ignore = "slow"]
fn a_lag_is_charged_to_no_clock_and_is_in_the_record() {
    let home = Home::new();
    late(&home, "far", 2.6, &format!("place = \"lab1\"\n{}", echo(3.6)));
    mover(&home);
    // Each answer takes 2.6 s, of which 0.1 s are on the clock. If all were, the second one would
    // have no more than the margin and the lag. On a busy machine both together may take 2.4 s
    // more.
    let words = "--games 2 --max-plies 4 --tc 2.6 --elsewhere far --lag 2.5 --isolation sandbox --out out";
    let said = play(&home, words);
    assert_eq!(said.code, Some(0), "{}", said.all());
    let games = home.read("out/games.csv");
    assert!(!games.contains("forfeit"), "{games}");
    let head = games.lines().next().unwrap();
    assert!(head.ends_with("first_elsewhere,second_elsewhere,first_lag_ms,second_lag_ms"), "{head}");
    assert!(games.lines().nth(1).unwrap().ends_with(",lab1,,2500.000,"), "{games}");
    for game in json(&home, "out") {
        assert_eq!(game["isolation"]["level"], "sandbox");
        let elsewhere = &seat(&game, "far")["elsewhere"];
        assert_eq!(elsewhere["place"], "lab1");
        assert_eq!(elsewhere["isolation"]["level"], "limits");
        assert_eq!(elsewhere["lag"]["allowed_micros"], 2_500_000);
        let micros = seat(&game, "far")["micros"].as_u64().unwrap();
        assert!(micros > 4_600_000, "the time itself stays: {micros}");
        assert!(seat(&game, "mover").get("elsewhere").is_none());
    }
    let proved = home.agon(["verify", "out"]);
    assert_eq!(proved.code, Some(0), "{}", proved.all());
    assert!(proved.out().contains("2 lags"), "{}", proved.out());
    let notation = home.read("out/games/r01.txt");
    assert!(notation.contains("[Elsewhere \"X at lab1; "), "{notation}");
    assert_eq!(home.agon(["replay", "out/games/r01.txt"]).code, Some(0));
    for (reader, is_told) in [("staff", true), ("public", false)] {
        let report = home.agon(["report", "out", "--for", reader, "--single", "page.html"]);
        assert_eq!(report.code, Some(0), "{}", report.all());
        let page = home.read("page.html");
        assert_eq!(page.contains("elsewhere at lab1") && page.contains("lab1: its command"), is_told);
        assert_eq!(page.contains("lab1"), is_told, "{reader}");
        assert!(page.contains("2500 ms of them allowed for"), "{reader}");
    }
    // The record travels, and a lag that was made longer is seen.
    let whole = home.agon(["export", "json", "out"]).out();
    home.put("more.jsonl", whole.replace("\"allowed_micros\":2500000", "\"allowed_micros\":90000000"));
    let refused = home.agon(["import", "other", "more.jsonl"]);
    assert_ne!(refused.code, Some(0), "{}", refused.all());
    assert!(refused.err().contains("elsewhere.lag.allowed_micros"), "{}", refused.all());
}

#[test]
#[ignore = "slow"]
fn a_lag_counts_for_the_questions_of_a_referee_program_too() {
    let home = Home::new();
    hosted::engine(&home, "answer", "print('x')");
    hosted::engine(&home, "near", "print('y')");
    let script = "\"$@\" | while read -r line; do sleep 1; echo \"$line\"; done";
    let program = home.path("engines/answer");
    home.put(
        "engines/far/engine.toml",
        format!("command = [\"/bin/sh\", \"-c\", {script:?}, \"far\", {program:?}]\n{}", echo(1.2)),
    );
    // The first question has its own limit, and the second that of the clock.
    hosted::game(
        &home,
        "",
        "for how in ('300', ''):\n    ask(1, how); ask(2, how)\n    out('tell all ' + ' '.join(wait()))\n\
         out('end 1 1 : done')",
    );
    let words = ["--games", "2", "--st", "0.5", "--elsewhere", "far", "--lag", "1.15"];
    let said = hosted::play(&home, &["far", "near"], &words);
    assert_eq!(said.code, Some(0), "{}", said.all());
    for game in json(&home, "run") {
        assert_eq!(game["verdict"]["decided"]["reason"], "done", "{game}");
        assert!(!game["referee"]["lines"].to_string().contains(">fault"), "{game}");
    }
    let proved = home.agon(["verify", "run"]);
    assert_eq!(proved.code, Some(0), "{}", proved.all());
}

/// Counts who connects.
fn counted() -> (u16, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (port, count) = (listener.local_addr().unwrap().port(), Arc::new(AtomicUsize::new(0)));
    let counts = count.clone();
    std::thread::spawn(move || {
        for _ in listener.incoming() {
            counts.fetch_add(1, Ordering::SeqCst);
        }
    });
    (port, count)
}

#[test]
fn only_the_engine_that_the_organiser_names_has_a_network() {
    let home = Home::new();
    let engine = |folder: &str, name: &str| {
        let (port, count) = counted();
        home.put(format!("engines/{folder}/mover"), fs::read(programs().join("agon-mover")).unwrap());
        let script = format!("(exec 3<>/dev/tcp/127.0.0.1/{port}) 2>/dev/null; exec \"$0\" \"$@\"");
        let script = format!("\"/bin/bash\", \"-c\", {script:?}, \"{{folder}}/mover\"");
        home.put(
            format!("engines/{folder}/engine.toml"),
            format!("name = \"{name}\"\ncommand = [{script}]\nargs = [{MOVER}]\n"),
        );
        count
    };
    let (named, boxed) = (engine("named", "named"), engine("boxed", "boxed"));
    let ready = home.shell("chmod +x engines/*/mover; chmod -R a+rX .");
    assert_eq!(ready.code, Some(0));
    let words =
        "tournament engines --game mnk:3x3,3 --games 2 --isolation sandbox --elsewhere named --out out";
    let said = home.agon(words.split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(!home.read("out/games.csv").contains("forfeit"), "{}", home.read("out/games.csv"));
    assert!(named.load(Ordering::SeqCst) > 0, "the control: one who may reaches it");
    assert_eq!(boxed.load(Ordering::SeqCst), 0);
    // An engine cannot name itself into the list.
    engine("boxed", "named");
    engine("named", "other");
    home.shell("chmod +x engines/*/mover; chmod -R a+rX .");
    fs::remove_dir_all(home.path("engines/named")).unwrap();
    mover(&home);
    fs::rename(home.path("mover"), home.path("engines/mover")).unwrap();
    let refused = home.agon(words.split(' '));
    assert_eq!(refused.code, Some(2), "{}", refused.all());
    assert!(refused.err().contains("named is a name that an engine.toml has chosen"), "{}", refused.all());
}

#[test]
fn what_is_wrong_with_an_engine_elsewhere_is_said_before_the_first_game() {
    let home = Home::new();
    mover(&home);
    let refused = |toml: &str, words: &str, wanted: &[&str]| {
        late(&home, "far", 0.0, toml);
        let said = play(&home, &format!("--games 2 --out out {words}"));
        assert_eq!(said.code, Some(2), "{toml}{words}: {}", said.all());
        for part in wanted {
            assert!(said.err().contains(part), "{toml}{words}: {}", said.all());
        }
        assert!(!home.path("out/agon.db").exists());
    };
    refused("", "--elsewhere fare", &["--elsewhere: there is no engine fare", "far, mover"]);
    refused("", "--lag 0.1", &["--lag: is for engines that play elsewhere", "--elsewhere"]);
    refused("", "--lag x --elsewhere far", &["--lag"]);
    refused("", "--lag -1 --elsewhere far", &["--lag", "write a number"]);
    refused("", "--lag 0.1 --elsewhere far", &["far has no echo", "engine.toml"]);
    refused("place = \"\"\n", "", &["key place"]);
    refused("echo = \"cat\"\n", "", &["engine.toml", "line 3"]);
    refused("elsewhere = true\n", "", &["engine.toml", "elsewhere"]);
    let far = "--elsewhere far --startup 0.5";
    refused("echo = [\"./nothing\"]\n", far, &["key echo", "nothing", "hint"]);
    refused("echo = [\"/bin/false\"]\n", far, &["key echo", "exit status 1", "give each line back"]);
    refused("echo = [\"sleep\", \"100\"]\n", far, &["key echo", "no answer within 500 ms"]);
    refused("echo = [\"yes\"]\n", far, &["key echo", "not the line that it was sent"]);
    let said = "it wrote \"y\"";
    refused("echo = [\"yes\"]\n", far, &[said]);
    // Nobody is asked for the echo of an engine that plays here.
    late(&home, "far", 0.0, "echo = [\"/bin/false\"]\n");
    let here = play(&home, "--games 2 --max-plies 2");
    assert_eq!(here.code, Some(0), "{}", here.all());
}

#[test]
fn only_the_games_of_an_engine_are_played_again_when_it_moves_elsewhere() {
    let home = Home::new();
    late(&home, "engines/far", 0.0, &echo(0.0));
    mover(&home);
    for name in ["a", "b"] {
        home.put(format!("engines/{name}/engine.toml"), home.read("mover/engine.toml"));
    }
    let file = |more: &str| {
        home.put(
            "t.toml",
            format!(
                "engines = \"engines\"\ngame = \"mnk:3x3,3\"\ngames = 2\nseed = 1\nout = \"out\"\n{more}"
            ),
        );
        let said = home.agon(["tournament", "t.toml", "--again"]);
        assert_eq!(said.code, Some(0), "{}", said.all());
        let proved = home.agon(["verify", "out"]);
        assert_eq!(proved.code, Some(0), "{}", proved.all());
        said.err()
    };
    file("");
    // At the level limits it plays elsewhere as it does here.
    assert!(file("elsewhere = \"far\"\n").contains("nothing has changed"));
    let moved = file("elsewhere = [\"far\"]\nlag = 0.5\n");
    let again = "far has st=5 lag=0.5 instead of st=5: its 2 pairings are played again";
    assert!(moved.contains(again), "{moved}");
    let back = file("");
    assert!(back.contains("far has st=5 instead of st=5 lag=0.5"), "{back}");
    assert!(back.contains("older games count again"), "{back}");
}

#[test]
fn an_engine_whose_echo_is_silent_is_left_out_and_the_others_play() {
    let home = Home::new();
    late(&home, "engines/far", 0.0, "echo = [\"/bin/false\"]\n");
    mover(&home);
    for name in ["a", "b"] {
        home.put(format!("engines/{name}/engine.toml"), home.read("mover/engine.toml"));
    }
    let words = "engines --game mnk:3x3,3 --games 2 --st 5 --seed 1 --elsewhere far --out";
    let tournament = |more: &str| home.agon(format!("tournament {words} {more}").split_whitespace());
    let refused = tournament("out");
    assert!(refused.code == Some(2) && refused.err().contains("key echo: /bin/false"), "{}", refused.all());
    let said = tournament("out --skip-broken");
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(said.err().contains("left out") && said.err().contains("key echo: /bin/false"), "{}", said.all());
    assert_eq!(json(&home, "out").len(), 2, "those of a and b");
    let night = home.agon(format!("nightly {words} night").split_whitespace());
    assert_eq!(night.code, Some(5), "{}", night.all());
    assert!(
        night.out().contains("2 engines, 2 games") && night.out().contains("left out: far"),
        "{}",
        night.all()
    );
    // A name of nobody is still refused.
    let wrong = home.agon(format!("nightly {words} night --elsewhere fare").split_whitespace());
    assert!(wrong.code == Some(2) && wrong.err().contains("there is no engine fare"), "{}", wrong.all());
}

#[test]
fn the_lag_over_listen_and_connect_is_measured_by_its_own_echo() {
    let home = Home::new();
    let port = free_port();
    far(&home, &listening(&home, port), MOVER);
    let echo = listening(&home, port).replace("\"--\"", "\"--echo\"");
    home.put(
        "far/engine.toml",
        format!("{}echo = [{echo}]\nplace = \"lab2\"\n", home.read("far/engine.toml")),
    );
    mover(&home);
    let engine = programs().join("agon-mover");
    let _machine = connected(&home, port, &[engine.to_str().unwrap()]);
    let said = play(&home, "--games 4 --elsewhere far --lag 0.5 --st 10 --out out");
    assert_eq!(said.code, Some(0), "{}{}", said.all(), home.read("connect.log"));
    assert!(said.all().contains("far at lab2: "), "{}", said.all());
    assert!(!home.read("out/games.csv").contains("forfeit"), "{}", home.read("out/games.csv"));
    let log = home.read("connect.log");
    assert!(log.contains("game 4: starts") && !log.contains("lost"), "{log}");
    for game in json(&home, "out") {
        let lag = &seat(&game, "far")["elsewhere"]["lag"];
        assert!(lag["measured_micros"].as_u64().unwrap() < 500_000, "{lag}");
        assert_eq!(lag["measured_micros"], lag["allowed_micros"]);
    }
}

#[test]
fn the_lag_over_ssh_is_measured_and_the_others_stay_in_their_boxes() {
    let home = Home::new();
    let (_server, port) = match sshd(&home) {
        Ok(found) => found,
        Err(why) => return not_tried!("{why}"),
    };
    let (ssh, engine) = (ssh(&home, port), programs().join("agon-mover"));
    far(&home, &format!("{ssh}, {engine:?}"), MOVER);
    home.put(
        "far/engine.toml",
        format!("{}echo = [{ssh}, \"cat\"]\nplace = \"lab1\"\n", home.read("far/engine.toml")),
    );
    home.engine("mover/engine", "agon-mover");
    fs::copy(programs().join("agon-mover"), home.path("mover/own")).unwrap();
    fs::remove_file(home.path("mover/engine")).unwrap();
    home.put("mover/engine.toml", format!("command = [\"./own\"]\nargs = [{MOVER}]\n"));
    home.shell("chmod -R a+rX mover");
    let said = play(&home, "--games 4 --isolation sandbox --elsewhere far --lag 0.5 --st 10 --out out");
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(said.all().contains("far at lab1: "), "{}", said.all());
    assert!(!home.read("out/games.csv").contains("forfeit"), "{}", home.read("out/games.csv"));
    let proved = home.agon(["verify", "out"]);
    assert_eq!(proved.code, Some(0), "{}", proved.all());
}
