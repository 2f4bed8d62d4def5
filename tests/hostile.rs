//! Engines that misbehave, one row per attack: the expected verdict, on the right side, in time,
//! and with no process left. Each plays both seats against an honest opponent, which must not be
//! affected.
//!
//! There is no isolation here. Attacks that only isolation prevents (a fork bomb, a signal to the
//! parent) are in the tables too, with what must hold even so. The harness, or its keeper, survives
//! and cleans up.

#![allow(clippy::unwrap_used)] // helpers of tests may panic

mod support;

use std::time::Duration;

use serde_json::Value;
use support::{Arena, Game, Metronome, SLACK};

/// Thinks briefly and plays words.
const OPPONENT: &str = "last-moment --word --ms 60";
/// The time for a move. It is short for an attacker that is to lose by its clock. All others have
/// as much as a busy machine may need.
const LIMIT: Duration = Duration::from_secs(30);
const SHORT_LIMIT: Duration = Duration::from_millis(400);
/// Of an attacker that is to lose by its clock after some moves in time.
const NOT_SO_SHORT_LIMIT: Duration = Duration::from_millis(1200);
/// What a start and a turn take at most on an idle machine.
const START: Duration = Duration::from_secs(2);
const TURN: Duration = Duration::from_secs(3);
/// The time for an engine to exit, and for a killed one to disappear.
const ENDING: Duration = Duration::from_millis(200 + 2000);
/// The head and the tail of a log with every byte escaped, and a line between.
const MOST_LOG: u64 = 4 * 64 * 1024 + 200;

/// One attack and its verdict.
struct Attack {
    /// Its number in the list of attacks, or `-`.
    id: &'static str,
    /// The stub's mode and options.
    mode: &'static str,
    /// The termination in the words of the tables; `a | b` if either is right. Unless it is
    /// `normal`, the attacker has lost by it.
    verdict: &'static str,
    /// How many moves of the attacker count on the first seat, and on the second.
    moves: Option<[usize; 2]>,
    /// More facts about each game.
    facts: fn(&Arena, &Game),
}

const fn attack(id: &'static str, mode: &'static str, verdict: &'static str) -> Attack {
    Attack { id, mode, verdict, moves: None, facts: |_, _| () }
}

impl Attack {
    const fn moves(self, first: usize, second: usize) -> Self {
        Attack { moves: Some([first, second]), ..self }
    }

    const fn facts(self, facts: fn(&Arena, &Game)) -> Self {
        Attack { facts, ..self }
    }
}

fn all_are_right(attacks: &[Attack]) {
    attacks.iter().for_each(is_right);
}

fn is_right(attack: &Attack) {
    let arena = Arena::new();
    arena.stub("bad", attack.mode);
    arena.stub("good", OPPONENT);
    let Attack { id, mode, .. } = attack;
    let clocks = match attack.moves {
        _ if !attack.verdict.contains("time forfeit") => "--startup 20".to_owned(),
        None | Some([0, 0]) => format!("--startup 2 --time bad=st={}", SHORT_LIMIT.as_secs_f64()),
        Some(_) => format!("--startup 2 --time bad=st={}", NOT_SO_SHORT_LIMIT.as_secs_f64()),
    };
    let options = format!(
        "--game letters:4x4x2 --seed 3 --st {} --margin 0.1 {clocks} --concurrency 2 --isolation none",
        LIMIT.as_secs()
    );
    let metronome = Metronome::start();
    let finished = arena.play("bad", "good", &options);
    let late = metronome.late();
    let what = format!("{id} {mode}: {finished:?}");
    assert_eq!(finished.code, Some(0), "{what}");
    let games = arena.games();
    assert_eq!(games.len(), 2, "{what}");
    let mut bound = SLACK;
    for game in &games {
        the_verdict_is_right(attack, game);
        the_innocent_one_is_unhurt(attack, game, late);
        let plies = game.0["record"]["plies"].as_array().unwrap().len();
        bound += START + TURN * (u32::try_from(plies).unwrap() + 1) + ENDING;
        (attack.facts)(&arena, game);
    }
    assert!(finished.took < bound, "{what}: it may take {bound:?}");
    what_was_written_is_sound(&arena, &games, &what);
    arena.assert_nothing_left(&what);
    arena.assert_harmless(&what);
}

fn the_verdict_is_right(attack: &Attack, game: &Game) {
    let (ending, at_fault) = game.ending();
    let Attack { id, mode, verdict, .. } = attack;
    assert!(
        verdict.split(" | ").any(|right| right == ending),
        "{id} {mode}: {ending}, {}: {}",
        game.reason(),
        game.0
    );
    assert_eq!(at_fault, (ending != "normal").then_some("bad"), "{id} {mode}: {}", game.reason());
    if ending != "normal" {
        assert_eq!(game.place("good"), 1, "{id} {mode}");
        assert_eq!(game.place("bad"), 2, "{id} {mode}");
    }
    if let Some(moves) = attack.moves {
        let seat = game.seat_number("bad");
        assert_eq!(game.moves_of("bad"), moves[seat], "{id} {mode} in seat {seat}: {}", game.0);
    }
}

fn the_innocent_one_is_unhurt(attack: &Attack, game: &Game, late: Duration) {
    let Attack { id, mode, .. } = attack;
    let good = game.seat("good");
    assert!(game.is_honest_exit("good", late), "{id} {mode}: {}, late by {late:?}", good["exit"]);
    assert_eq!(good["stragglers"], 0, "{id} {mode}");
    assert_eq!(good["evidence"], Value::Null, "{id} {mode}");
    assert_eq!(good["traffic"]["deaf"], false, "{id} {mode}");
    let longest = Duration::from_micros(good["longest_micros"].as_u64().unwrap());
    let most = Duration::from_millis(300) + late;
    assert!(longest < most, "{id} {mode}: it thought for 60 ms, not {longest:?}, and {most:?} is the most");
}

fn what_was_written_is_sound(arena: &Arena, games: &[Game], what: &str) {
    let rows = arena.rows("games.csv");
    assert_eq!(rows.len(), games.len(), "{what}");
    let cell = |row: &[(String, String)], name: &str| -> String {
        row.iter().find(|(column, _)| column == name).unwrap().1.clone()
    };
    for game in games {
        let ours: Vec<_> = rows.iter().filter(|row| cell(row, "id") == game.id()).collect();
        assert_eq!(ours.len(), 1, "{what}: one row a game");
        assert_eq!(cell(ours[0], "termination"), game.ending().0, "{what}");
        let evidence =
            arena.path(&format!("out/evidence/{}-{}", game.id(), game.seat("bad")["side"].as_str().unwrap()));
        assert_eq!(
            evidence.is_dir(),
            game.ending().1.is_some(),
            "{what}: evidence of a fault and of no other"
        );
    }
    let played: u64 =
        arena.rows("standings.csv").iter().map(|row| cell(row, "games").parse::<u64>().unwrap()).sum();
    assert_eq!(played, 2 * games.len() as u64, "{what}");
    assert_eq!(arena.rows("crosstable.csv").len(), 2, "{what}");
    for entry in std::fs::read_dir(arena.path("out/logs")).into_iter().flatten().flatten() {
        let length = entry.metadata().unwrap().len();
        assert!(length <= MOST_LOG, "{what}: a log of {length} bytes");
    }
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// The attacker's stderr in the results.
fn log(arena: &Arena, game: &Game) -> String {
    arena.log(game.id(), game.seat("bad")["side"].as_str().unwrap())
}

fn says(game: &Game, words: &str) {
    assert!(game.reason().contains(words), "{words:?} is not in {:?}", game.reason());
}

#[test]
fn output_without_measure() {
    all_are_right(&[
        attack("A01", "endless-output", "output limit").moves(0, 0).facts(|_, game| says(game, "\"aaaa")),
        attack("A02", "huge-line", "output limit").moves(0, 0),
        attack("A03", "chatter", "protocol").moves(0, 0),
        attack("A03", "drip", "time forfeit").moves(0, 0).facts(|_, game| says(game, "without a newline")),
        attack("A16", "stderr-flood --mb 16", "normal").facts(|arena, game| {
            assert!(number(&game.seat("bad")["traffic"]["logged"]) > 15 << 20);
            assert!(log(arena, game).contains("bytes left out"));
        }),
        attack("A17", "three-way", "normal | protocol | output limit"),
        attack("A21", "byte-storm", "output limit | time forfeit").moves(0, 0),
        attack("A21", "late-flood", "protocol").facts(|_, game| {
            assert!(number(&game.seat("bad")["traffic"]["unasked"]) > 1000, "{}", game.0);
        }),
    ]);
}

#[test]
fn output_that_is_no_text() {
    all_are_right(&[
        attack("A04", "nul", "protocol").facts(|_, game| says(game, "\\x00")),
        attack("A05", "invalid-utf8", "protocol").facts(|_, game| says(game, "\\xff\\xfe")),
        attack("A06", "crlf", "normal").facts(|_, game| {
            assert_eq!(game.seat("bad")["traffic"]["crlf"], true);
            assert_eq!(game.seat("good")["traffic"]["crlf"], false);
        }),
        attack("A06", "bare-cr", "time forfeit").moves(0, 0).facts(|_, game| says(game, ",P\\r\"")),
        // The `\r` begins a line before the next question, so that line is not an answer.
        attack("A06", "lf-cr", "time forfeit").moves(1, 1),
        attack("A08", "half-line-stall", "time forfeit")
            .moves(0, 0)
            .facts(|_, game| says(game, ",1,1,1,1,\"")),
        attack("A09", "half-line-exit", "crash").moves(0, 0).facts(|_, game| says(game, "has no newline")),
    ]);
}

#[test]
#[ignore = "slow"]
fn answers_to_questions_that_were_not_asked() {
    let unasked = |_: &Arena, game: &Game| assert!(number(&game.seat("bad")["traffic"]["unasked"]) > 0);
    all_are_right(&[
        attack("A10", "early-start", "normal").facts(unasked),
        // It is asked as it starts.
        attack("A10", "early-start-silent", "time forfeit").moves(1, 1),
        attack("A10", "early-opponent", "normal").facts(unasked),
        attack("A10", "early-opponent-silent", "time forfeit").moves(1, 1).facts(unasked),
        attack("A10", "early-half", "time forfeit").moves(1, 1).facts(unasked),
        attack("A11", "three-moves", "normal").facts(unasked),
        attack("A11", "three-moves-silent", "time forfeit").moves(1, 1).facts(|_, game| {
            says(game, "2 line(s) it wrote when it was not asked did not count");
        }),
        attack("A11", "late-lines", "normal").facts(unasked),
        attack("F03", "guess", "normal").facts(unasked),
    ]);
}

#[test]
#[ignore = "slow"]
fn answers_on_the_edge_of_time() {
    // A busy machine may be late to see that an engine has begun, and so is its clock. Those that
    // lose would answer long after that.
    all_are_right(&[
        attack("A12", "slow-bytes --finish-ms 250", "normal").facts(|_, game| {
            let longest = number(&game.seat("bad")["longest_micros"]);
            assert!(longest >= 250_000, "it is timed by its newline: {longest}");
        }),
        attack("A12", "slow-bytes --finish-ms 3000", "time forfeit").moves(0, 0),
        attack("F06", "hang", "time forfeit").moves(0, 0),
        attack("F06", "hang-at", "time forfeit").moves(2, 2),
        attack("F07", "last-moment --ms 250", "normal"),
        attack("F07", "last-moment --ms 3000", "time forfeit").moves(0, 0),
        attack("F09", "hogs", "normal"),
        attack("-", "no-flush", "time forfeit").moves(0, 0),
        attack("B09", "slow-start --ms 600", "normal").facts(|_, game| {
            assert!(number(&game.seat("bad")["startup_micros"]) >= 590_000, "starting is not thinking");
        }),
    ]);
}

/// Lines before the answer must not move the deadline either.
#[test]
fn chatter_before_an_answer_does_not_stretch_the_deadline() {
    let arena = Arena::new();
    arena.engine_with("bad", &[support::STUB, "ugi-flood"], "protocol = \"ugi\"\nargs = [\"{side}\"]");
    arena.stub("good", "honest");
    // Short, so that the limit of bytes per turn is not reached first.
    let options = "--game letters:4x4x2 --seed 3 --st 30 --time bad=st=0.1 --startup 1 --concurrency 1";
    let finished = arena.play("bad", "good", options);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    for game in arena.games() {
        assert_eq!(game.ending(), ("time forfeit".to_owned(), Some("bad")), "{}", game.reason());
        assert_eq!(game.moves_of("bad"), 0);
    }
    // The flood goes on for two minutes.
    assert!(finished.took < SLACK, "{finished:?}");
    arena.assert_nothing_left("a flood of information");
}

#[test]
fn pipes_that_are_shut_or_not_read() {
    all_are_right(&[
        attack("A14", "close-stdout", "closed output").moves(0, 0).facts(|_, game| {
            assert_eq!(game.seat("bad")["exit"], "killed");
        }),
        attack("A15", "close-stdin", "normal").facts(|_, game| {
            assert_eq!(game.seat("bad")["traffic"]["deaf"], true);
        }),
        attack("A20", "answer-exit", "crash").moves(1, 1).facts(|_, game| says(game, "(exit status 0)")),
        attack("B01", "deaf", "time forfeit").moves(0, 0).facts(|_, game| {
            says(game, "it has not read its standard input");
        }),
    ]);
}

/// The processor time of its start belongs to no question.
#[test]
fn an_engine_that_computes_and_never_reads_is_told_the_time_of_its_question() {
    let arena = Arena::new();
    arena.engine_with("bad", &["/bin/sh", "-c", "while :; do :; done"], "");
    arena.stub("good", "honest");
    let finished = arena.play("bad", "good", "--game letters:4x4x2 --st 0.3 --startup 0.6 --concurrency 1");
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let game = &arena.games()[0];
    let reason = game.reason();
    // Such as 310 of "; ran 310 ms, waited 12 ms, slept 0 ms".
    let words = reason.split_once("; ran ").expect(reason).1;
    let ran: f64 = words.split_once(" ms, waited ").expect(reason).0.parse().unwrap();
    let spent = &game.seat("bad")["spent"][0];
    assert!(ran * 1000.0 <= spent["micros"].as_f64().unwrap() * 1.2, "{reason}: {spent}");
}

#[test]
fn deaths_and_refusals_to_die() {
    all_are_right(&[
        attack("B04", "exit-now", "crash").moves(0, 0).facts(|_, game| says(game, "(exit status 0)")),
        attack("B04", "exit-now --code 3", "crash").facts(|_, game| says(game, "(exit status 3)")),
        attack("B04", "exit-now --code 127", "crash").facts(|_, game| says(game, "(exit status 127)")),
        attack("B04", "exit-now --code 255", "crash").facts(|_, game| says(game, "(exit status 255)")),
        attack("B05", "exit-after", "crash").moves(2, 2),
        attack("B06", "signal", "crash").facts(|_, game| says(game, "SIGSEGV")),
        attack("B06", "signal --number 8", "crash").facts(|_, game| says(game, "SIGFPE")),
        attack("B06", "signal --number 6", "crash").facts(|_, game| says(game, "SIGABRT")),
        attack("B06", "signal --number 4", "crash").facts(|_, game| says(game, "SIGILL")),
        // Not sent by the harness: the record must not blame it.
        attack("B06", "signal --number 9", "crash").facts(|_, game| says(game, "SIGKILL")),
        attack("B06", "stack-overflow", "crash").facts(|_, game| says(game, "killed by SIG")),
        attack("B07", "stubborn", "normal").facts(|_, game| assert_eq!(game.seat("bad")["exit"], "killed")),
        attack("B08", "slow-leave", "normal").facts(|_, game| assert_eq!(game.seat("bad")["exit"], "killed")),
        attack("B10", "stop-self", "time forfeit").moves(0, 0),
        attack("B12", "tty", "normal").facts(|arena, game| {
            assert!(log(arena, game).contains("refused (/dev/tty: "), "{}", log(arena, game));
        }),
    ]);
}

/// Only isolation stops them in the game, but none of them may be left at any level.
#[test]
#[ignore = "slow"]
fn families_of_processes() {
    let stragglers =
        |_: &Arena, game: &Game| assert!(number(&game.seat("bad")["stragglers"]) > 0, "{}", game.0);
    all_are_right(&[
        attack("C01", "fork-bomb --count 100", "normal"),
        attack("C02", "threads", "normal"),
        attack("C03", "daemon", "normal").facts(stragglers),
        attack("C04", "daemon-holds-stdout", "normal").facts(stragglers),
        attack("C05", "child-answers", "crash").moves(2, 2),
        attack("C06", "hydra --ms 50", "normal"),
        attack("C07", "zombies", "normal"),
        attack("C08", "sleepers --count 100", "normal").facts(stragglers),
        // Its helper exits soon after it, and may be gone before it is counted.
        attack("D11", "ponder-helper", "normal"),
    ]);
}

#[test]
#[ignore = "slow"]
fn litter_and_greed() {
    all_are_right(&[
        attack("D01", "memory --mb 64", "normal"),
        attack("D03", "memfd --mb 64", "normal"),
        attack("D04", "reserve", "normal"),
        attack("D06", "disk --mb 16", "normal"),
        attack("D07", "files", "normal"),
        attack("D08", "keepsake", "normal").facts(|arena, game| {
            assert!(log(arena, game).contains("refused (keepsake in ./: "), "{}", log(arena, game));
        }),
        attack("D10", "ponder", "normal"),
        attack("E04", "look-around", "normal"),
    ]);
}

#[test]
fn moves_that_are_none() {
    all_are_right(&[
        attack("-", "illegal", "illegal move").moves(0, 0).facts(|_, game| says(game, "zzz")),
        attack("-", "wrong-side", "illegal move").moves(0, 0).facts(|_, game| says(game, "turn")),
        attack("-", "garbage", "protocol").moves(0, 0),
        attack("-", "empty-line", "protocol").moves(0, 0),
        attack("-", "look-alike", "protocol").moves(0, 0).facts(|_, game| says(game, "U+0441")),
        attack("-", "prompt", "protocol").moves(0, 0).facts(|_, game| says(game, "Your move?")),
    ]);
}

#[test]
fn text_that_means_to_be_something_else() {
    all_are_right(&[
        attack("G01", "escape-codes", "protocol").facts(|arena, game| {
            says(game, "\\x1b[2J");
            assert!(log(arena, game).contains("\\u{202e}"));
        }),
        attack("G02", "formula", "protocol").facts(|arena, _| {
            for row in arena.rows("games.csv") {
                for (name, cell) in row {
                    assert!(!cell.starts_with(['=', '+', '-', '@', '\t', '\r']), "{name}: {cell}");
                }
            }
        }),
        attack("G03", "html", "protocol").facts(|_, game| says(game, "<script>")),
        attack("G05", "log-forging", "normal").facts(|arena, _| {
            assert!(!std::fs::read_to_string(arena.path("stderr")).unwrap().contains("RESULT"));
        }),
        attack("G06", "forged-result", "normal").facts(|_, game| {
            assert!(number(&game.seat("bad")["traffic"]["unasked"]) >= 6, "{}", game.0);
        }),
    ]);
}
