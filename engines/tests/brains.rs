//! The sample engines that search, tested by hand-written conversations in both protocols, and
//! their strength.

#![allow(clippy::unwrap_used)] // helpers of tests may panic

#[path = "../../tests/support/metronome.rs"]
mod metronome;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use agon_games::letters::Letters;
use agon_games::lexicon::Lexicon;
use agon_games::{Game, Needs, Rules, Status, find};
use agon_seats::Seat;
use metronome::Metronome;

const ALPHABETA: &str = env!("CARGO_BIN_EXE_agon-alphabeta");
const MOVER: &str = env!("CARGO_BIN_EXE_agon-mover");
const TRYST: &str = env!("CARGO_BIN_EXE_agon-tryst");

/// The engines with the games they play.
const PLAYERS: [(&str, &[&str]); 3] = [
    (MOVER, &["mill", "mnk:7x5,4", "mnk:9x9,5,renju", "abalone", "morris", "morris:nine", "connect4"]),
    (
        ALPHABETA,
        &[
            "mill",
            "mnk:7x5,4",
            "mnk:9x9,5,renju",
            "mnk:7x7,4,exact",
            "mnk:3x3,3,first=O",
            "abalone",
            "morris",
            "morris:nine",
            "connect4",
        ],
    ),
    (TRYST, &["mnk:3x3,3", "mnk:15x15,5", "mnk:7x7,5,renju", "mnk:4x3,3,first=O"]),
];

/// Enough time for an immediate answer, even on a busy machine.
const SOON: Duration = Duration::from_secs(20);

/// A running engine, with its output.
struct Engine {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Engine {
    fn start(program: &str, arguments: &[&str]) -> Self {
        Self::start_in(Path::new("/"), program, arguments)
    }

    fn start_in(directory: &Path, program: &str, arguments: &[&str]) -> Self {
        let mut child = Command::new(program)
            .args(arguments)
            .current_dir(directory)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take().unwrap());
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Engine { child, stdin, lines }
    }

    fn tell(&mut self, text: &str) {
        writeln!(self.stdin.as_mut().unwrap(), "{text}").unwrap();
    }

    fn hear(&self) -> String {
        self.lines.recv_timeout(SOON).expect("it says something")
    }

    /// The first line with this beginning; earlier lines are dropped.
    fn hear_from(&self, beginning: &str) -> String {
        loop {
            let line = self.hear();
            if line.starts_with(beginning) {
                return line;
            }
        }
    }

    fn best_move(&mut self, position: &str, go: &str) -> String {
        self.tell(position);
        self.tell(go);
        self.hear_from("bestmove ")["bestmove ".len()..].to_owned()
    }

    /// Closes its stdin; it must exit by itself.
    fn leave(mut self) -> ExitStatus {
        self.stdin = None;
        self.gone()
    }

    fn gone(&mut self) -> ExitStatus {
        let until = Instant::now() + SOON;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(Instant::now() < until, "it does not exit");
            thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.child.kill(); // it may be gone
        let _ = self.child.wait(); // just killed
    }
}

fn rules(spec: &str) -> Arc<dyn Rules> {
    find(spec, &Needs::default()).unwrap()
}

/// A legal move that depends on the game and the ply alone.
fn any_move(game: &dyn Game, ply: usize) -> String {
    let moves = game.moves();
    moves[ply * 7919 % moves.len()].clone()
}

/// Plays at most this many plies of a game against arbitrary moves, in `lines`. Returns the
/// engine's moves, which the referee has accepted.
fn play_lines(engine: &mut Engine, rules: &dyn Rules, own: Seat, mut game: Box<dyn Game>) -> Vec<String> {
    for line in game.view(own).lines() {
        engine.tell(line);
    }
    let mut said = Vec::new();
    for ply in 0..24 {
        let Status::ToMove(seat) = game.status() else { break };
        if seat == own {
            let line = engine.hear();
            let played = game.play(line.as_bytes());
            let played = played.unwrap_or_else(|refusal| panic!("{}, {line}: {refusal}", rules.spec()));
            assert_eq!(played.text, line, "it writes the one text of its move");
            said.push(line);
        } else {
            let mv = any_move(&*game, ply);
            game.play(mv.as_bytes()).unwrap();
            engine.tell(&mv);
        }
    }
    said
}

/// The same in UGI, with one process for all games.
fn play_ugi(engine: &mut Engine, rules: &dyn Rules, own: Seat, start: &str, go: &str) -> Vec<String> {
    let mut game = rules.resume(start).unwrap();
    let mut moves = Vec::new();
    let mut said = Vec::new();
    let position = if start == "startpos" { start.to_owned() } else { format!("fen {start}") };
    for ply in 0..24 {
        let Status::ToMove(seat) = game.status() else { break };
        let mv = if seat == own {
            let so_far = if moves.is_empty() { String::new() } else { format!(" moves {}", moves.join(" ")) };
            let mv = engine.best_move(&format!("position {position}{so_far}"), go);
            let line = format!("{},{mv}", rules.seats()[seat.index()]);
            let played = game.play(line.as_bytes());
            played.unwrap_or_else(|refusal| panic!("{}, {mv}: {refusal}", rules.spec()));
            said.push(mv.clone());
            mv
        } else {
            let line = any_move(&*game, ply);
            game.play(line.as_bytes()).unwrap();
            line.split_once(',').unwrap().1.to_owned()
        };
        moves.push(mv);
    }
    said
}

#[test]
fn every_answer_in_lines_is_legal_and_at_the_end_they_leave() {
    for (program, specs) in PLAYERS {
        for spec in specs {
            let rules = rules(spec);
            for seat in [Seat::FIRST, Seat::SECOND] {
                let mut engine = Engine::start(program, &[spec, rules.seats()[seat.index()], "0.03"]);
                let said = play_lines(&mut engine, &*rules, seat, rules.start(0));
                assert!(!said.is_empty(), "{program} {spec}");
                assert!(engine.leave().success(), "{program} {spec}");
            }
        }
    }
}

#[test]
fn every_answer_in_ugi_is_legal_whatever_game_came_before() {
    for (program, specs) in PLAYERS {
        for spec in specs {
            let rules = rules(spec);
            let mut engine = Engine::start(program, &[spec, "ugi"]);
            engine.tell("ugi");
            assert!(engine.hear_from("id name ").starts_with("id name agon-"));
            engine.hear_from("ugiok");
            for (seat, fresh) in [(Seat::FIRST, true), (Seat::SECOND, false), (Seat::FIRST, false)] {
                if fresh {
                    engine.tell("uginewgame");
                }
                engine.tell("isready");
                engine.hear_from("readyok");
                let said = play_ugi(&mut engine, &*rules, seat, "startpos", "go movetime 20");
                assert!(!said.is_empty(), "{program} {spec}");
            }
            engine.tell("quit");
            assert!(engine.gone().success(), "{program} {spec}");
        }
    }
}

#[test]
fn games_go_on_from_a_positions_text_with_spaces_in_it() {
    for (program, spec, plies) in
        [(MOVER, "abalone", 5), (ALPHABETA, "abalone", 5), (ALPHABETA, "morris", 3), (TRYST, "mnk:3x3,3", 2)]
    {
        let rules = rules(spec);
        let mut game = rules.start(0);
        for ply in 0..plies {
            game.play(any_move(&*game, ply).as_bytes()).unwrap();
        }
        let Status::ToMove(seat) = game.status() else { panic!("the game is over") };
        let start = game.text();
        let mut engine = Engine::start(program, &[spec, "ugi"]);
        assert!(!play_ugi(&mut engine, &*rules, seat, &start, "go movetime 20").is_empty());
        assert!(engine.leave().success());
        let side = rules.seats()[seat.index()];
        let mut engine = Engine::start(program, &[spec, side, "0.03", &start]);
        assert!(!play_lines(&mut engine, &*rules, seat, game).is_empty());
        assert!(engine.leave().success());
    }
}

#[test]
fn mover_gives_the_same_move_in_the_same_position_in_both_protocols() {
    let mut not_the_first = 0;
    for spec in PLAYERS[0].1 {
        let rules = rules(spec);
        let side = rules.seats()[0];
        let lines = || {
            play_lines(&mut Engine::start(MOVER, &[spec, side, "1"]), &*rules, Seat::FIRST, rules.start(0))
        };
        let said = lines();
        assert_eq!(lines(), said);
        let ugi = play_ugi(
            &mut Engine::start(MOVER, &[spec, "ugi"]),
            &*rules,
            Seat::FIRST,
            "startpos",
            "go movetime 1000",
        );
        let with_side: Vec<String> = ugi.iter().map(|mv| format!("{side},{mv}")).collect();
        assert_eq!(with_side, said);
        let first = rules.start(0).moves()[0].clone();
        not_the_first += usize::from(said[0] != first);
    }
    // Always taking the first move would also repeat the same move.
    assert!(not_the_first > 3);
}

#[test]
fn mover_plays_letters_with_the_files_beside_it() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("dictionary"), "cat\ntea\nzoo\n").unwrap();
    fs::write(directory.path().join("board"), "2 3 2\ncat\ntea\nzoo\nxxx\n").unwrap();
    let lexicon = Arc::new(Lexicon::parse(b"cat\ntea\nzoo\n").unwrap());
    let rules = Letters::from_board(b"2 3 2\ncat\ntea\nzoo\nxxx\n", lexicon).unwrap();
    for seat in [Seat::FIRST, Seat::SECOND] {
        let side = ["W", "B"][seat.index()];
        let mut engine = Engine::start_in(directory.path(), MOVER, &["letters:2x3x2", side, "1"]);
        assert!(!play_lines(&mut engine, &rules, seat, rules.start(0)).is_empty());
        assert!(engine.leave().success());
    }
}

#[test]
fn nobody_moves_before_the_board_has_come() {
    let mut engine = Engine::start(MOVER, &["mill", "W", "1"]);
    assert!(engine.lines.recv_timeout(Duration::from_millis(200)).is_err());
    engine.tell("4 4 4");
    assert!(engine.hear().starts_with("W,"));
}

#[test]
#[ignore = "slow"]
fn answers_come_within_the_time() {
    for (program, spec) in [
        (ALPHABETA, "mill"),
        (ALPHABETA, "mnk:20x20,6"),
        (ALPHABETA, "abalone"),
        (ALPHABETA, "morris:nine"),
        (TRYST, "mnk:20x20,6"),
    ] {
        let rules = rules(spec);
        let mut engine = Engine::start(program, &[spec, "ugi"]);
        engine.tell("isready");
        engine.hear_from("readyok");
        for (go, most) in [
            ("go movetime 1000", 1000),
            ("go movetime 1000 p1time 3 p2time 3", 1000),
            ("go p1time 2000 p2time 1 p1inc 0 p2inc 0", 700),
            ("go p1time 300 p2time 300000", 200),
        ] {
            let mut game = rules.start(0);
            let mut moves = String::new();
            for ply in 0..6 {
                let mv = any_move(&*game, ply);
                game.play(mv.as_bytes()).unwrap();
                moves.push_str(&format!(" {}", mv.split_once(',').unwrap().1));
            }
            // A busy machine may stand still for a while, but not each time for longer than it does
            // for a thread that sleeps.
            let mut over = Duration::MAX;
            for _ in 0..3 {
                let (metronome, began) = (Metronome::start(), Instant::now());
                engine.best_move(&format!("position startpos moves{moves}"), go);
                let took = began.elapsed();
                over = over.min(took.saturating_sub(metronome.most(Duration::from_millis(most))));
                if over.is_zero() {
                    break;
                }
            }
            assert!(over.is_zero(), "{program} {spec} {go}: {over:?} more than {most} ms");
        }
    }
}

#[test]
fn endless_thinking_ends_at_stop_and_readiness_is_told_meanwhile() {
    for (program, spec) in [(ALPHABETA, "abalone"), (ALPHABETA, "mnk:3x3,3"), (TRYST, "mnk:4x4,4")] {
        let mut engine = Engine::start(program, &[spec, "ugi"]);
        engine.tell("position startpos\ngo infinite\nisready");
        engine.hear_from("readyok");
        let early = Instant::now() + Duration::from_millis(300);
        while let Ok(line) = engine.lines.recv_timeout(early.saturating_duration_since(Instant::now())) {
            assert!(!line.starts_with("bestmove"), "{program} {spec}");
        }
        engine.tell("stop");
        assert_ne!(engine.hear_from("bestmove "), "bestmove 0000");
        engine.tell("go infinite\nquit");
        engine.hear_from("bestmove ");
        assert!(engine.gone().success());
    }
}

#[test]
fn thoughts_have_depth_score_nodes_time_and_moves() {
    let mut engine = Engine::start(ALPHABETA, &["connect4", "ugi"]);
    engine.tell("position startpos moves 4\ngo depth 4");
    let mut depths = Vec::new();
    loop {
        let line = engine.hear();
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["info", "depth", depth, "score", "cp", cp, "nodes", nodes, "time", time, "pv", first, ..] => {
                depths.push(depth.parse::<u32>().unwrap());
                assert!(cp.parse::<i32>().is_ok() && nodes.parse::<u64>().is_ok());
                assert!(time.parse::<u64>().is_ok() && ("1"..="7").contains(&first));
            }
            ["bestmove", _] => break,
            _ => panic!("{line}"),
        }
    }
    assert_eq!(depths, [1, 2, 3, 4]);
    engine.tell("position startpos moves 1 2 1 2 1 2\ngo depth 9");
    assert!(engine.hear().contains("score mate 1 "));
    assert_eq!(engine.hear(), "bestmove 1");
}

#[test]
fn queries_are_answered_from_the_position() {
    let mut engine = Engine::start(MOVER, &["mill", "ugi"]);
    let mut ask = |position: &str, what: &str| {
        engine.tell(&format!("position {position}\nquery {what}"));
        engine.hear()
    };
    let (open, black) = ("startpos moves 11", "startpos moves 44 11 43 11 42 11 33 11");
    let white = "startpos moves 11 12 21 22 31 32 41";
    assert_eq!(ask("startpos", "p1turn"), "response true");
    assert_eq!(ask(open, "p1turn"), "response false");
    assert_eq!(ask(open, "gameover"), "response false");
    assert_eq!(ask(open, "result"), "response none");
    assert_eq!(ask(white, "gameover"), "response true");
    assert_eq!(ask(white, "result"), "response p1win");
    assert_eq!(ask(black, "result"), "response p2win");
    assert_eq!(ask(white, "p1turn"), "response false");
    // Unknown words are ignored.
    engine.tell("query weather\nxyzzy\n\nisready");
    assert_eq!(engine.hear(), "readyok");
}

#[test]
fn a_position_that_cannot_be_read_is_named_and_nothing_is_played_from_it() {
    let mut engine = Engine::start(ALPHABETA, &["mill", "ugi"]);
    for (position, why) in [
        ("startpos moves 11 55", "move 2, \"55\": there is no column 55"),
        ("fen 1/2", "the position: "),
        ("fen", "a position is startpos or fen TEXT"),
        ("elsewhere", "a position is startpos or fen TEXT"),
    ] {
        engine.tell(&format!("position {position}\ngo movetime 20"));
        let line = engine.hear();
        assert!(line.starts_with("info string ") && line.contains(why), "{line}");
        assert_eq!(engine.hear(), "bestmove 0000");
    }
    let over = "position startpos moves 11 12 21 22 31 32 41";
    assert_eq!(engine.best_move(over, "go movetime 20"), "0000");
    assert_ne!(engine.best_move("position startpos", "go movetime 20"), "0000");
}

#[test]
fn settings_are_told_set_and_refused_with_what_they_take() {
    let mut engine = Engine::start(TRYST, &["mnk:3x3,3", "ugi"]);
    engine.tell("ugi");
    assert_eq!(engine.hear_from("option"), "option name Levels type spin default 2 min 0 max 200");
    assert_eq!(engine.hear(), "option name DrawValue type string default 0.5");
    assert_eq!(engine.hear(), "option name Expert type check default false");
    for (setting, refused) in [
        ("name Levels value 201", "Levels is a whole number from 0 to 200, not \"201\""),
        ("name DrawValue value 1.5", "DrawValue is a number from 0 to 1, not \"1.5\""),
        ("name Expert value yes", "Expert is true or false, not \"yes\""),
        ("name Colour value red", "there is no setting \"Colour\"; there are: Levels, DrawValue, Expert"),
    ] {
        engine.tell(&format!("setoption {setting}"));
        engine.hear_from("info string ").contains(refused).then_some(()).expect(refused);
    }
    // Without search all cells are equal, and the last is played; with a full search a corner is
    // best.
    engine.tell("setoption name levels value 0");
    let middle_taken = "position startpos moves c3";
    assert_eq!(engine.best_move(middle_taken, "go movetime 5000"), "b3");
    engine.tell("setoption name expert value true");
    assert_eq!(engine.best_move(middle_taken, "go movetime 5000"), "b2");
}

#[test]
fn the_tryst_program_takes_its_settings_from_the_command_line() {
    let first = |arguments: &[&str]| {
        let mut engine = Engine::start(TRYST, &[&["mnk:3x3,3", "X", "5"], arguments].concat());
        engine.tell("3 3 3");
        engine.hear()
    };
    assert_eq!(first(&["--expert"]), "X,c3");
    assert_eq!(first(&["--levels", "0"]), "X,c3");
    assert_eq!(first(&["--levels=1", "--draw-value", "0.25"]), "X,c3");
}

#[test]
fn arguments_that_will_not_do_are_named_and_nothing_is_played() {
    for (program, arguments, why) in [
        (MOVER, &[][..], "the game is missing"),
        (MOVER, &["shogi", "W", "1"], "it does not play \"shogi\""),
        (ALPHABETA, &["letters", "W", "1"], "it does not play \"letters\""),
        (TRYST, &["mill", "W", "1"], "it plays mnk"),
        (MOVER, &["mill", "X", "1"], "\"X\" is not a side of mill; the sides are W and B"),
        (MOVER, &["mill", "W", "soon"], "\"soon\" is not a number of seconds"),
        (MOVER, &["mill", "W", "1", "1/2"], "the position: "),
        (MOVER, &["mill", "W"], "after the game come SIDE SECONDS"),
        (MOVER, &["mill:x", "W", "1"], "mill takes no options"),
        (MOVER, &["letters", "W", "1"], "the file dictionary: "),
        (TRYST, &["mnk", "X", "1", "--levels"], "--levels needs a value"),
        (TRYST, &["mnk", "X", "1", "--levels", "-1"], "Levels is a whole number from 0 to 200"),
        (ALPHABETA, &["mill", "W", "1", "--levels", "3"], "there is no setting \"levels\""),
    ] {
        let output = Command::new(program).args(arguments).current_dir("/").output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(why) && output.stdout.is_empty(), "{arguments:?}: {said}");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn a_time_control_for_the_whole_game_is_kept_to() {
    let rules = rules("mill");
    let mut engine = Engine::start(ALPHABETA, &["mill", "W", "tc=2"]);
    let (metronome, began) = (Metronome::start(), Instant::now());
    assert!(play_lines(&mut engine, &*rules, Seat::FIRST, rules.start(0)).len() > 2);
    let took = began.elapsed();
    let most = metronome.most(Duration::from_secs(2));
    assert!(took < most, "{took:?} {most:?}");
}

#[test]
fn a_small_cache_full_of_other_pasts_never_gives_a_forbidden_move() {
    // The boards of these games repeat all the time, and the Ko rule forbids the earlier best move.
    for spec in ["abalone", "morris"] {
        let rules = rules(spec);
        let mut engine = Engine::start(ALPHABETA, &[spec, "ugi"]);
        engine.tell("setoption name Hash value 1");
        let mut game = rules.start(0);
        let mut moves = String::new();
        for ply in 0..60 {
            let Status::ToMove(seat) = game.status() else { break };
            let mv = engine.best_move(&format!("position startpos{moves}"), "go depth 3");
            let line = format!("{},{mv}", rules.seats()[seat.index()]);
            game.play(line.as_bytes()).unwrap_or_else(|refusal| panic!("ply {ply}: {mv}: {refusal}"));
            moves = if moves.is_empty() { format!(" moves {mv}") } else { format!("{moves} {mv}") };
        }
    }
}
