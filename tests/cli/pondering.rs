//! Engines of UCI that think on their opponent's time, and engines that answer twice.

use super::home::{Home, Said};
use super::support::not_tried;

/// An engine of UCI that plays the moves of its list that are its turn's, each with the move of
/// `GUESSES` that it expects, and notes what it is told. `MODE` has its manners.
const THINKER: &str = r#"#!/usr/bin/env python3
import sys, threading, time
MODE, REST = "@MODE@".split(), float("@REST@")
MOVES, GUESSES = "@MOVES@".split(), "@GUESSES@".split()
log = open(__file__ + ".log", "a")
moves, ponders, owes = [], False, False
def say(line):
    print(line, flush=True)
def best():
    number = len(moves)
    say("bestmove " + MOVES[number] + " ponder " + GUESSES[number])
for line in sys.stdin:
    log.write(line)
    log.flush()
    words = line.split()
    if owes:
        say("bestmove h2h3")
        owes = False
    if words[0] == "uci":
        if "plain" not in MODE:
            say("option name Ponder type check default false")
        say("uciok")
    elif words[0] == "isready":
        time.sleep(0.3 if "slow" in MODE and moves else 0)
        say("readyok")
    elif words[0] == "position":
        moves = words[words.index("moves") + 1:] if "moves" in words else []
    elif words[0] == "go":
        ponders = "ponder" in words
        say("info depth " + ("9" if ponders else "3") + " score cp 50 pv a2a3")
        if ponders and "hasty" in MODE:
            say("bestmove h2h3 ponder h7h6")
            ponders, owes = False, "double" in MODE
        elif not ponders:
            time.sleep(REST if len(moves) < 2 or "once" not in MODE else 0)
            best()
            if "twice" in MODE:
                again = "bestmove " + MOVES[len(moves)]
                threading.Timer(0.1, say, [again]).start()
    elif words[0] == "ponderhit" and ponders:
        ponders = False
        best()
        if "double" in MODE:
            time.sleep(0.3)
            say("bestmove h2h3")
    elif words[0] == "stop" and ponders and "deaf" not in MODE:
        ponders = False
        say("bestmove h2h3")
        if "double" in MODE:
            say("bestmove h2h3")
    elif words[0] == "quit":
        break
"#;

const MATE: &str = "f2f3 e7e5 g2g4 d8h4";
const LATER_MATE: &str = "f2f3 e7e5 a2a3 a7a6 g2g4 d8h4";

fn engine(home: &Home, name: &str, mode: &str, rest: &str, guesses: &str) {
    let text = THINKER.replace("@MODE@", mode).replace("@REST@", rest);
    let moves = if mode.contains("plain") || mode.contains("longer") { LATER_MATE } else { MATE };
    let guesses = guesses.to_owned() + " a2a3 a2a3";
    home.put_program(name, text.replace("@MOVES@", moves).replace("@GUESSES@", &guesses));
}

/// Two engines. White expects what comes and black does not.
fn pair(one: (&str, &str), two: (&str, &str)) -> Home {
    let home = Home::new();
    engine(&home, "one", one.0, one.1, "e7e5 g2g4 d8h4 a2a3");
    engine(&home, "two", two.0, two.1, "e7e5 a2a3 d8h4 a2a3");
    home
}

fn play(home: &Home, more: &str) -> Said {
    let words = format!("match one two --game chess --tc 20 --concurrency 1 --out run {more}");
    let said = home.agon(words.split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert_eq!(home.agon(["verify", "run"]).code, Some(0));
    said
}

/// What an engine was told in its games, without clocks: it goes through its handshake once before.
fn told(home: &Home, name: &str) -> Vec<String> {
    let log = home.read(&format!("{name}.log"));
    let games = log.lines().skip_while(|line| *line != "quit").skip(1);
    games.map(|line| line.split(" wtime ").next().unwrap().to_owned()).collect()
}

#[test]
fn an_engine_thinks_on_its_opponents_time_and_is_told_whether_it_guessed_the_move() {
    let home = pair(("thinks", "0"), ("thinks", "0.5"));
    let said = play(&home, "--games 2 --ponder on");
    assert!(said.out().contains("game 1: W one - B two: 0-1, 4 plies, checkmate"), "{}", said.all());
    let begins = ["uci", "setoption name Ponder value true", "ucinewgame", "isready"];
    let white = [
        "position startpos",
        "go",
        "isready",
        "position startpos moves f2f3 e7e5",
        "go ponder",
        "ponderhit",
        // The next move is mate: there is nothing to think about.
    ];
    let black = [
        "position startpos moves f2f3",
        "go",
        "isready",
        "position startpos moves f2f3 e7e5 a2a3",
        "go ponder",
        "stop",
        "isready",
        "position startpos moves f2f3 e7e5 g2g4",
        "go",
    ];
    let (one, two) = (told(&home, "one"), told(&home, "two"));
    assert_eq!(one[..10], [&begins[..], &white[..]].concat()[..], "{one:?}");
    assert_eq!(two[..13], [&begins[..], &black[..]].concat()[..], "{two:?}");
    // What it has thought on the other's time is its thought of that move, and costs it no time.
    let pgn = home.read("run/games/r01.pgn");
    let seconds = |before: &str| -> f64 {
        let behind = pgn.split_once(before).unwrap_or_else(|| panic!("{before}: {pgn}")).1;
        behind[..behind.find(['s', ' ', '}']).unwrap()].parse().unwrap()
    };
    let (guessed, alone) = (seconds("2. g4 {+0.50/9 "), seconds("1... e5 {+0.50/3 "));
    assert!(guessed < 0.4 && alone > 0.4, "{pgn}");
}

#[test]
fn what_thinks_when_a_game_ends_is_stopped_before_the_next_one() {
    let home = pair(("thinks", "0"), ("thinks", "0"));
    play(&home, "--games 2 --ponder on --max-plies 3");
    let two = told(&home, "two");
    let after = ["go ponder", "stop", "isready", "ucinewgame", "isready", "position startpos", "go"];
    assert_eq!(two[8..8 + after.len()], after.map(str::to_owned), "{two:?}");
    // The option is set once, and the engine thinks in the second game too.
    assert_eq!(two.iter().filter(|line| line.starts_with("setoption")).count(), 1, "{two:?}");
    assert_eq!(two.iter().filter(|line| *line == "go ponder").count(), 2, "{two:?}");
}

#[test]
fn nobody_is_let_think_without_the_option_or_who_has_not_said_that_it_can() {
    for (mode, more) in [("thinks", ""), ("plain", " --ponder on")] {
        let home = pair((mode, "0"), (mode, "0"));
        play(&home, &format!("--games 2{more}"));
        for name in ["one", "two"] {
            assert!(!home.read(&format!("{name}.log")).contains("onder"), "{mode}{more}");
        }
    }
}

#[test]
fn an_answer_while_it_thinks_is_none_and_the_engine_is_asked_anew() {
    let home = pair(("hasty", "0.2"), ("hasty", "0.2"));
    let said = play(&home, "--games 2 --ponder on");
    assert!(said.out().contains("game 1: W one - B two: 0-1, 4 plies, checkmate"), "{}", said.all());
    for name in ["one", "two"] {
        let told = told(&home, name);
        assert!(told.contains(&"go ponder".to_owned()), "{told:?}");
        assert!(!told.contains(&"ponderhit".to_owned()) && !told.contains(&"stop".to_owned()), "{told:?}");
    }
}

/// The engines of [`pair`] for the game of six plies. White expects what comes, and then nothing
/// that is legal; black expects another move each time.
fn longer_pair(mode: &str, rests: [&str; 2]) -> Home {
    let home = Home::new();
    engine(&home, "one", &format!("{mode} longer"), rests[0], "e7e5 g2g4 a1a8 a7a5 d8h4");
    engine(&home, "two", &format!("{mode} longer"), rests[1], "e7e5 h2h4 a7a6 h2h4 d8h4");
    home
}

#[test]
fn an_engine_that_answers_twice_while_it_thinks_neither_wins_nor_loses_by_an_old_move() {
    // It answers `stop` twice, writes a second answer when it has answered `ponderhit`, or one to
    // `go ponder` and another to the next line. The old move is legal for white, not for black.
    for (mode, rests) in
        [("double", ["0", "0"]), ("double", ["0.1", "0.1"]), ("hasty double", ["0.2", "0.2"])]
    {
        let home = longer_pair(mode, rests);
        let said = play(&home, "--games 2 --ponder on");
        for game in 1..=2 {
            let (white, black) = if game % 2 == 1 { ("one", "two") } else { ("two", "one") };
            let ends = format!("game {game}: W {white} - B {black}: 0-1, 6 plies, checkmate");
            assert!(said.out().contains(&ends), "{mode}: {}", said.all());
        }
    }
    // Without thinking on the other's time nobody is sent isready at a ply.
    let home = longer_pair("double", ["0", "0"]);
    play(&home, "--games 2");
    assert_eq!(told(&home, "one").iter().filter(|line| *line == "isready").count(), 2);
}

#[test]
fn an_engine_that_goes_on_thinking_when_it_is_to_stop_loses_its_own_time() {
    let home = pair(("thinks", "0"), ("deaf", "0"));
    let said = play(&home, "--games 2 --ponder on --time two=st=0.4");
    let why = "it was sent stop, which it has not answered with bestmove";
    assert!(said.out().contains("3 plies, time forfeit by two: no answer within 420 ms"), "{}", said.all());
    assert!(said.out().contains(why), "{}", said.all());
}

#[test]
fn a_second_answer_is_no_answer_to_the_next_question() {
    // Black is slow once: there the second answer is seen. The next one comes when white is asked.
    let home = pair(("twice slow plain", "0"), ("once plain", "0.4"));
    let said = play(&home, "--games 2");
    assert!(said.out().contains("game 1: W one - B two: 0-1, 6 plies, checkmate"), "{}", said.all());
    let one = told(&home, "one");
    // From then on an answer counts only behind that to isready.
    for position in ["position startpos moves f2f3 e7e5", "position startpos moves f2f3 e7e5 a2a3 a7a6"] {
        assert!(one.windows(3).any(|lines| lines == ["isready", position, "go"]), "{one:?}");
    }
    let two = told(&home, "two");
    assert_eq!(two.iter().filter(|line| *line == "isready").count(), 2, "once before each game: {two:?}");
}

#[test]
fn stockfish_thinks_on_its_opponents_time_with_two_settings() {
    let path = "/usr/games/stockfish";
    if !std::fs::exists(path).unwrap_or(false) {
        not_tried!("stockfish is not installed; Debian has it as stockfish");
        return;
    }
    let home = Home::new();
    let words = format!(
        "match {path}:Hash=16 {path}:Hash=32 --game chess --tc 1+0.02 --games 2 --max-plies 24 --ponder on \
         --margin 9 --concurrency 1 --log lines --out run"
    );
    let said = home.agon(words.split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    let lines = home.read("lines");
    assert!(lines.contains("go ponder") && lines.contains("setoption name Ponder value true"), "{lines}");
    assert!(!said.out().contains("forfeit by"), "{}", said.all());
    let refused = home.agon(format!("match {path}:Hsh=16 {path} --game chess").split(' '));
    assert!(refused.code == Some(2) && refused.err().contains("did you mean Hash?"), "{}", refused.all());
    assert_eq!(home.agon(["verify", "run"]).code, Some(0));
}
