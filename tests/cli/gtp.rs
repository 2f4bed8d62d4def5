//! The harness's side of the Go Text Protocol, against a scripted engine.

use std::fs;
use std::process::Command;

use super::support::not_tried;
use crate::scripted::{Scripted, ending, moves};
use crate::support::side_by_side;

const GTP: &str = "protocol = \"gtp\"\n";

/// Engines of these modes.
fn pair(one: &str, two: &str) -> Scripted {
    let home = Scripted::new();
    for (name, mode) in [("one", one), ("two", two)] {
        home.engine(name, "gtp.py", GTP, &[("GTP_MODE", mode)]);
    }
    home
}

#[test]
fn one_process_plays_a_pairing_and_gets_one_command_at_a_time() {
    let home = pair("plain", "plain");
    let games = home.play("--game mnk:10x10,10 --games 2 --tc 60 --max-plies 20 --concurrency 1");
    let words = "X,a1 O,b1 X,c1 O,d1 X,e1 O,f1 X,g1 O,h1 X,i1 O,j1 X,a2";
    assert!(moves(&games[0]).starts_with(words), "{}", moves(&games[0]));
    let log = home.log("one");
    let first: Vec<&str> = log.iter().take(14).map(String::as_str).collect();
    assert_eq!(
        first,
        [
            "STARTED",
            "1 name",
            "2 version",
            "3 list_commands",
            "4 boardsize 10",
            "5 clear_board",
            "6 time_settings 60 0 0",
            "7 time_left B 60 0",
            "8 genmove B",
            "9 play W B1",
            // Rounded down: some of the first second is gone.
            "10 time_left B 59 0",
            "11 genmove B",
            "12 play W D1",
            "13 time_left B 59 0"
        ]
    );
    assert!(home.log("two").contains(&"7 play B A1".to_owned()) && log.contains(&"18 play W H1".to_owned()));
    // The column behind H is J.
    assert!(home.log("two").iter().any(|line| line.ends_with("play B J1")), "{:?}", home.log("two"));
    for (line, times) in [("STARTED", 1), ("quit", 1), ("LEFT", 1)] {
        assert_eq!(log.iter().filter(|logged| *logged == line).count(), times, "{line}");
    }
    // The second game of the process.
    let again = log.iter().rposition(|line| line.ends_with(" clear_board")).unwrap();
    assert_eq!(log[again - 1], "1 list_commands");
    assert_eq!(log[again + 1], "3 time_settings 60 0 0");
}

#[test]
#[ignore = "slow"]
fn what_differs_between_engines_is_understood() {
    for mode in
        ["crlf", "no-ids", "timeless", "small", "notes", "chatters", "late-error", "crlf+notes+timeless"]
    {
        let home = pair(mode, "plain");
        let games = home.play("--game mnk:3x3,3 --games 2 --tc 60");
        for game in &games {
            assert_eq!(ending(game).0, "\"normal\"", "{mode}: {:?}", ending(game));
        }
        assert_eq!(games[0]["result"], "1-0", "{mode}");
        let tells_time = home.log("one").iter().any(|line| line.contains("time_left"));
        assert_eq!(tells_time, !mode.contains("timeless"), "{mode}");
    }
    let home = pair("no-ids", "plain");
    home.play("--game mnk:3x3,3 --games 2");
    assert_eq!(home.log("one")[1..5], ["1 name", "name", "version", "list_commands"]);
}

#[test]
fn a_clock_is_told_as_far_as_the_protocol_can() {
    for (control, settings, left) in [
        ("--st 5", "time_settings 0 5 1", None),
        ("--tc 2/60+1", "time_settings 0 60 2", Some("time_left B 60 2")),
        ("--tc 90.7", "time_settings 90 0 0", Some("time_left B 90 0")),
    ] {
        let home = pair("plain", "plain");
        home.play(&format!("--game mnk:3x3,3 --games 2 {control} --concurrency 1"));
        let log = home.log("one");
        assert!(log.contains(&format!("6 {settings}")), "{control}: {log:?}");
        let told = log.iter().find(|line| line.contains("time_left"));
        assert_eq!(told.map(|line| line.split_once(' ').unwrap().1), left, "{control}");
    }
}

#[test]
fn an_opening_is_told_by_play_in_order_or_by_turns() {
    let home = pair("plain", "plain");
    fs::write(home.path("openings"), "c3 b3 a3\nXO./.../..X\n").unwrap();
    home.play("--game mnk:3x3,3 --games 4 --openings openings --concurrency 1");
    let log = home.log("one");
    let plays = |from: &str| {
        let at =
            log.iter().position(|line| line.ends_with(from)).unwrap_or_else(|| panic!("{from}: {log:?}"));
        log[at..at + 3].iter().map(|line| line.split_once(' ').unwrap().1).collect::<Vec<_>>()
    };
    assert_eq!(plays("play B C3"), ["play B C3", "play W B3", "play B A3"]);
    assert_eq!(plays("play B C1"), ["play B C1", "play W B3", "play B A3"]);
    home.verify();
}

#[test]
#[ignore = "slow"]
fn what_goes_wrong_is_named() {
    let expected = [
        ("mute+in-games", "time_forfeit", "it did not say = in answer to name before the game"),
        (
            "no-empty-line+in-games",
            "time_forfeit",
            "it did not say the empty line that ends an answer before the game",
        ),
        ("slow-play", "time_forfeit", "no answer within"),
        ("resigns", "resignation", "it resigned"),
        ("passes", "protocol", "its answer is no move: \"=8 PASS\": a pass is no move in this game"),
        ("wrong", "protocol", "its answer is no move: \"=8 I5\": it is no vertex"),
        (
            "cannot-move",
            "protocol",
            "its answer is no move: \"?8 cannot move\": it answers genmove with an error",
        ),
        ("quotes", "illegal_move", "; its line was \"=8 A1 \"; its line was \"x\"\""),
        ("long-answer", "illegal_move", "; its line was \"=8 A1\""),
        ("taken", "illegal_move", "; its line was \"=8 A1\""),
        ("refuses-play", "protocol", "\"? illegal move\": it refuses play B C1"),
        ("leaves-in-game-2", "crash", "exit status 3"),
    ];
    side_by_side(&expected, |&(mode, cause, words)| {
        let number = usize::from(mode == "leaves-in-game-2");
        let home = pair("plain", if mode == "refuses-play" { "refuses-play+no-ids" } else { mode });
        let is_late = cause == "time_forfeit";
        // Its opponent has time enough on a busy machine.
        let times = if is_late { "--st 20 --time two=st=0.5 --startup 5" } else { "--st 20 --startup 20" };
        let games = home.play(&format!("--game mnk:3x3,3 --games 2 --concurrency 1 {times}"));
        let (termination, why) = ending(&games[number]);
        assert!(termination.contains(cause) && why.contains(words), "{mode}: {termination} {why}");
        assert_eq!(games[number]["result"], ["1-0", "0-1"][number], "{mode}");
        home.verify();
    });
}

#[test]
fn a_size_that_is_refused_is_found_before_the_first_game() {
    let home = pair("plain", "small-boards");
    let why = home.refused("--game mnk:19x19,5");
    let words = "two: the engine cannot play mnk:19x19,5: it answered boardsize 19 with \"unacceptable size\": \
                 it does not play on a board of 19x19";
    assert!(why.contains(words) && why.contains("hint: give a game that it plays with --game"), "{why}");
    assert_eq!(home.play("--game mnk:3x3,3 --games 2").len(), 2);
    let oblong = home.refused("--game mnk:7x6,4");
    let square = "key protocol: gtp has only square boards, and mnk:7x6,4 has 7 columns and 6 rows";
    assert!(oblong.contains(square), "{oblong}");
    assert!(home.refused("--game connect4").contains("gtp is for games of mnk, and not for connect4"));
    // A tournament of the others, if that is asked for.
    home.mover("three");
    std::fs::create_dir(home.path("all")).unwrap();
    for name in ["one", "two", "three"] {
        std::fs::rename(home.path(name), home.path("all").join(name)).unwrap();
    }
    let options = ["--game", "mnk:19x19,5", "--games", "2", "--st", "5", "--max-plies", "4", "--out", "out"];
    let whole = home.agon(&[&["tournament", "all"], &options[..]].concat());
    assert_eq!(whole.status.code(), Some(2), "{whole:?}");
    let others = home.agon(&[&["tournament", "all", "--skip-broken"], &options[..]].concat());
    let told = String::from_utf8_lossy(&others.stderr);
    assert!(others.status.success() && told.contains("left out ") && told.contains(words), "{told}");
    assert!(String::from_utf8_lossy(&others.stdout).lines().count() == 4, "{others:?}");
    let night =
        home.agon(&[&["nightly", "all", "--seed", "1"], &options[..8], &["--out", "nights"]].concat());
    let told = String::from_utf8_lossy(&night.stdout);
    assert!(told.contains("left out: two (the engine cannot play mnk:19x19,5"), "{night:?}");
}

#[test]
fn limits_of_the_search_and_options_are_refused() {
    let home = pair("plain", "plain");
    let why = home.refused("--game mnk:3x3,3 --nodes 100");
    assert!(why.contains("speaks the protocol gtp, which cannot tell it"), "{why}");
    home.write("one", "command = [\"sh\"]\nprotocol = \"gtp\"\n[options]\nHash = 1\n");
    assert!(home.refused("--game mnk:3x3,3").contains("key options: the protocol gtp has none"));
}

#[test]
fn twenty_games_with_a_sample_engine_are_proved() {
    let home = pair("plain", "plain");
    home.mover("two");
    let games = home.play("--game mnk:5x5,4 --games 20 --random-plies 2");
    assert_eq!(games.len(), 20);
    for game in &games {
        assert_eq!(ending(game).0, "\"normal\"");
    }
    assert!(home.verify().contains("20 games"));
}

#[test]
#[ignore = "slow"]
fn check_and_show_speak_it_too() {
    let home = pair("plain", "no-empty-line");
    let (well, said) = home.check("one", "--game mnk:5x5,4");
    assert!(well && !said.contains("not its turn"), "{said}");
    let (well, said) = home.check("two", "--game mnk:5x5,4 --startup 2");
    assert!(!well, "{said}");
    assert!(said.contains("reads each answer up to its empty line"), "{said}");
    let shown =
        home.agon(&["position", "show", "mnk:3x3,3", "--as-engine", "one", "--side", "O", "--moves", "b2"]);
    let said = String::from_utf8_lossy(&shown.stdout).into_owned();
    let wanted = ["boardsize 3", "clear_board", "play B B2", "genmove W"];
    assert!(wanted.iter().all(|words| said.contains(words)), "{said}");
}

/// A referee that asks two seats in turn, three times each, and takes every answer. A late one is a
/// pass. With the argument `waits`, it gives an engine that was late time to come to its end.
const PATIENT: &str = r#"import sys, time
def say(*words): print(*words, flush=True)
def hear(): return sys.stdin.readline().split()
hear(); hear(); hear(); say("referee 1 patient 1"); say("ready"); hear(); hear()
for number in range(6):
    seat = 1 + number % 2
    say("ask", seat); say("wait")
    word, _, *rest = hear()
    answer = rest[0] if word == "answer" else "pass"
    if word == "fault" and sys.argv[1:]: time.sleep(1)
    say("tell all note nothing"); say("tell all play", "WB"[seat % 2], answer)
    if word == "answer": say("move", seat, answer)
say("end 1 0 : enough")
"#;

/// The referee `patient` in this home, with these lines for its `game.toml`.
fn put_patient(home: &Scripted, lines: &str) {
    fs::create_dir_all(home.path("patient")).unwrap();
    fs::write(home.path("patient/patient.py"), PATIENT).unwrap();
    let command = if lines.starts_with('#') { "\"patient.py\", \"waits\"" } else { "\"patient.py\"" };
    let toml = format!("name = \"patient\"\ncommand = [\"python3\", {command}]\n{lines}");
    fs::write(home.path("patient/game.toml"), toml).unwrap();
}

/// The game of go that ships.
fn go(options: &str) -> String {
    format!("{}/referees/go:{options}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn a_game_of_a_referee_program_is_told_as_the_referee_tells_its_moves() {
    let home = pair("passes-fourth", "passes-fourth+no-ids+small");
    let game = go("size=5,komi=0.5,lots=2");
    let games = home.play(&format!("--game {game} --games 2 --tc 60 --seed 3 --concurrency 1"));
    for game in &games {
        assert_eq!(ending(game).0, "\"normal\"", "{:?}", ending(game));
    }
    let told: Vec<String> =
        games[0]["record"]["plies"].as_array().unwrap().iter().map(|ply| ply["text"].to_string()).collect();
    assert!(told.len() == 8 && told[6] == "\"pass\"", "{told:?}");
    let log = home.log("one");
    let commands: Vec<&str> = log.iter().filter_map(|line| Some(line.split_once(' ')?.1)).collect();
    let head = [
        "name",
        "version",
        "list_commands",
        "boardsize 5",
        "clear_board",
        "komi 0.5",
        "time_settings 60 0 0",
    ];
    assert_eq!(commands[..7], head);
    // The two moves by lot, and the first question.
    assert!(commands[7].starts_with("play B ") && commands[8].starts_with("play W "), "{commands:?}");
    assert_eq!(commands[9..11], ["time_left B 60 0", "genmove B"]);
    // Of the moves of the game it is told those of its opponent alone, spelt as GTP does.
    let other = told[1].trim_matches('"').to_owned();
    assert_eq!(commands[11], format!("play W {other}"));
    assert_eq!(commands[13], "genmove B");
    assert!(other == other.to_uppercase() && home.log("two").contains(&"komi 0.5".to_owned()));
    home.verify();
}

#[test]
#[ignore = "slow"]
fn a_board_that_may_differ_is_told_once_more() {
    // Its late answer comes before the next question, or behind it.
    let cases = [("slow-once", ""), ("slow-once+no-ids", ""), ("slow-once+no-ids", "# waits\n")];
    side_by_side(&cases, |&(mode, waits)| {
        let home = pair(mode, "plain");
        put_patient(&home, &format!("{waits}[gtp]\nsize = 9\n"));
        let games =
            home.play("--game ./patient --games 2 --st 20 --time one=st=2 --startup 20 --concurrency 1");
        // Its first answer was in time, its second one came late and was not played.
        let log = home.log("one");
        let plain: Vec<&str> = log
            .iter()
            .map(|line| line.trim_start_matches(|letter: char| letter.is_ascii_digit()).trim())
            .collect();
        let again = plain.iter().skip(8).position(|line| *line == "clear_board").map(|at| at + 8);
        let again = again.unwrap_or_else(|| panic!("{mode}: {plain:?}"));
        let until = plain[again..].iter().position(|line| line.starts_with("genmove")).unwrap();
        let first = games[0]["record"]["plies"].as_array().unwrap();
        let moved = |at: usize| first[at]["text"].as_str().unwrap();
        let wanted = [
            "clear_board".to_owned(),
            format!("play B {}", moved(0)),
            format!("play W {}", moved(1)),
            "play B pass".to_owned(),
            format!("play W {}", moved(2)),
        ];
        assert_eq!(plain[again..again + until], wanted, "{mode}: {plain:?}");
        assert!(first.len() == 5 && ending(&games[0]).0 == "\"normal\"", "{mode}: {games:?}");
        home.verify();
    });
}

#[test]
#[ignore = "slow"]
fn a_referee_judges_what_is_no_move() {
    let cases = [
        ("resigns-fourth", "\"normal\"", "W resigns"),
        ("cannot-move", "illegal", "not a legal point"),
        ("refuses-play", "illegal", "not a legal point"),
        ("mute+in-games", "start_failed", "it did not say = in answer to name before the game"),
    ];
    side_by_side(&cases, |&(mode, cause, words)| {
        let home = pair("plain", mode);
        let options = format!("--game {} --games 2 --startup 6 --concurrency 1", go("size=5,lots=0"));
        let games = home.play(&options);
        let (termination, why) = ending(&games[0]);
        let record = games[0]["record"].to_string();
        assert!(
            termination.contains(cause) && record.contains(words),
            "{mode}: {termination} {why} {record}"
        );
        assert_eq!(games[0]["result"], "1-0", "{mode}: {why}");
        home.verify();
    });
}

#[test]
fn an_engine_that_never_answers_is_refused_before_the_first_game() {
    let home = pair("plain", "mute");
    let output = home.agon(&["match", "one", "two", "--game", "mnk:3x3,3", "--startup", "4"]);
    let said = String::from_utf8_lossy(&output.stderr);
    let what = "/two: it did not say = in answer to name before the game: no answer within 4 s";
    let hint = "hint: see that it speaks the protocol gtp and flushes stdout after each line";
    assert!(output.status.code() == Some(2) && said.contains(what) && said.contains(hint), "{said}");
}

#[test]
fn a_game_that_cannot_be_told_is_refused_before_the_first_one() {
    let home = pair("plain", "small-boards");
    let why = home.refused(&format!("--game {}", go("size=19")));
    assert!(why.contains("the engine cannot play go:size=19: it answered boardsize 19"), "{why}");
    put_patient(&home, "");
    let why = home.refused("--game ./patient");
    assert!(why.contains("one speaks gtp, and the game.toml of patient has no table [gtp]"), "{why}");
    for (table, words) in [
        ("seats = \"2-3\"\n[gtp]\nsize = 9\n", "key gtp: GTP has two colours"),
        ("[gtp]\nsize = \"side\"\n", "line 3: key gtp.size: there is no option side"),
        ("[gtp]\nsize = 9.5\n", "key gtp.size: is no value"),
        ("[gtp]\nsize = 9\nblack = 3\n", "key gtp.black: is no seat of two; write 1 or 2"),
        ("[gtp]\nsize = 26\n", "has boards of 1 to 25 columns, and not of 26"),
        (
            "[gtp]\nsize = \"n\"\n[options.n]\ntype = \"text\"\ndefault = \"9\"\n",
            "the option n is not a whole number",
        ),
        ("[gpt]\nsize = 9\n", "there is no key gpt"),
    ] {
        put_patient(&home, table);
        let why = home.refused("--game ./patient");
        let (what, next) = words.split_once("; ").unwrap_or((words, ""));
        assert!(why.contains(what) && why.contains(next), "{table}: {why}");
    }
    home.write("one", "command = [\"sh\"]\nprotocol = \"uci\"\n");
    let why = home.refused(&format!("--game {}", go("size=5")));
    assert!(why.contains("one speaks uci, and the game.toml of go has no table [ugi]"), "{why}");
}

#[test]
#[ignore = "slow"]
fn gnu_go_plays_go_through_the_referee_that_ships() {
    let gnugo =
        ["/usr/games/gnugo", "/usr/bin/gnugo"].into_iter().find(|path| fs::exists(path).unwrap_or(false));
    let Some(gnugo) = gnugo else {
        not_tried!("GNU Go as an engine of go: gnugo is not on this machine; apt-get install gnugo");
        return;
    };
    let home = Scripted::new();
    // Both have a seed: at its lowest level GNU Go loses to random moves now and then.
    let words = "\"--mode\", \"gtp\", \"--level\", \"1\", \"--seed\", \"1\", \"--chinese-rules\", \
                 \"--positional-superko\", \"--capture-all-dead\"";
    home.write("one", &format!("command = [{gnugo:?}, {words}]\n{GTP}"));
    let player = format!("{}/referees/random-player/random_player.py", env!("CARGO_MANIFEST_DIR"));
    home.write("two", &format!("command = [\"python3\", {player:?}]\nargs = [\"{{seed}}\"]\n"));
    let games = home.play(&format!("--game {} --games 2 --st 30 --seed 1", go("size=5")));
    for game in &games {
        let (termination, why) = ending(game);
        assert_eq!(termination, "\"normal\"", "{why}");
        let wins = if game["record"]["seats"][0]["entrant"] == "one" { "1-0" } else { "0-1" };
        assert_eq!(game["result"], wins, "{why}");
    }
    home.verify();
}

#[test]
#[ignore = "slow"]
fn gnu_go_is_told_that_it_plays_another_game() {
    let gnugo =
        ["/usr/games/gnugo", "/usr/bin/gnugo"].into_iter().find(|path| fs::exists(path).unwrap_or(false));
    let Some(gnugo) = gnugo else {
        not_tried!("gnugo is not installed; Debian has it as gnugo");
        return;
    };
    assert!(Command::new(gnugo).arg("--version").output().unwrap().status.success());
    let home = Scripted::new();
    home.write("one", &format!("command = [{gnugo:?}, \"--mode\", \"gtp\"]\n{GTP}"));
    home.mover("two");
    let why = home.refused("--game mnk:20x20,5");
    assert!(why.contains("boardsize 20 with \"unacceptable size\""), "{why}");
    // It plays go, so that it answers every move until one is wrong here.
    let games = home.play("--game mnk:9x9,9 --games 2 --st 30 --max-plies 12");
    let (termination, reason) = ending(&games[0]);
    assert!(
        termination == "\"adjudication\"" || reason.contains("no move") || reason.contains(','),
        "{reason}"
    );
    assert!(games[0]["record"]["plies"].as_array().unwrap().len() > 2);
}
