//! `agon check`: what it says about the mistakes that students make.

use super::home::Home;
use crate::support::side_by_side;

/// Checks a Python program as an engine for mnk:3x3,3 with a second a move.
fn check(program: &str) -> (Option<i32>, String) {
    let home = Home::new();
    home.put("mine/engine.toml", "command = [\"python3\", \"{folder}/mine.py\"]\n");
    home.put("mine/mine.py", program);
    tried(&home)
}

/// Checks the engine in `mine`, again where the machine was too busy for a verdict.
fn tried(home: &Home) -> (Option<i32>, String) {
    tried_with(home, "")
}

/// The same with more options.
fn tried_with(home: &Home, options: &str) -> (Option<i32>, String) {
    for _ in 0..5 {
        let said = home.agon(format!("check mine --game mnk --st 1{options}").split(' '));
        if !said.all().contains("is the machine busy") {
            return (said.code, said.all());
        }
    }
    panic!("the machine is too busy for this test");
}

/// Plays the first free cell of an mnk board; the first lines read it.
const FIRST_FREE: &str = "
import sys
side, cells = sys.argv[1], []
READ
def free():
    return next(x + y for y in '321' for x in 'abc' if cells['321'.index(y)]['abc'.index(x)] == '.')
def play(mark, cell):
    cells['321'.index(cell[1])]['abc'.index(cell[0])] = mark
moves = sum(cell != '.' for row in cells for cell in row)
while moves < 9:
    if 'XO'[moves % 2] == side:
        cell = free()
        SAY
    else:
        cell = NEXT
        if not cell: break
    play('XO'[moves % 2], cell)
    moves += 1
";
const READ: &str = "sys.stdin.readline()\ncells = [list(sys.stdin.readline().strip()) for _ in range(3)]";
const SAY: &str = "print(side + ',' + cell, flush=True)";
const NEXT: &str = "sys.stdin.readline().strip()[2:]";

fn engine(read: &str, say: &str, next: &str) -> String {
    FIRST_FREE.replace("READ", read).replace("SAY", say).replace("NEXT", next)
}

#[test]
#[ignore = "slow"]
fn reading_to_the_end_of_the_input_is_told_from_a_missing_flush() {
    let all = "lines = iter(sys.stdin.read().split('\\n') + [''] * 9)\nnext(lines)\n\
               cells = [list(next(lines)) for _ in range(3)]";
    let cases = [
        (
            engine(READ, "print(side + ',' + cell)", NEXT),
            ["it does not flush", "flush=True"],
            "reads to the end",
        ),
        (engine(all, SAY, "next(lines)[2:]"), ["it reads to the end of the input", ""], "does not flush"),
    ];
    side_by_side(&cases, |(program, words, unsaid)| {
        let (code, said) = check(program);
        assert_eq!(code, Some(1), "{said}");
        assert!(words.iter().all(|words| said.contains(words)) && !said.contains(unsaid), "{said}");
    });
}

#[test]
fn an_engine_that_forgets_that_the_board_may_not_be_empty_is_told_so() {
    let (code, said) = check(&engine(READ, SAY, NEXT));
    assert!(code == Some(0) && said.matches("nothing wrong").count() == 4, "{said}");
    assert!(said.contains("3 moves after the start (O to move, as with --random-plies"), "{said}");
    let blind =
        engine(READ, SAY, NEXT).replace("while moves", "cells = [list('...') for _ in '...']\nwhile moves");
    let (code, said) = check(&blind);
    assert!(code == Some(1), "{said}");
    let (usual, other) = said.split_once("3 moves after the start").expect("another start");
    assert!(!usual.contains("WRONG") && other.contains("WRONG"), "{said}");
}

#[test]
fn a_resignation_at_the_first_move_is_wrong() {
    let (code, said) = check("import sys\nprint(sys.argv[1] + ',R', flush=True)\nsys.stdin.read()\n");
    assert!(code == Some(1) && said.contains("WRONG  it resigned at its first move"), "{said}");
}

#[test]
fn a_missing_file_names_the_folder() {
    let hint = "write {folder}/FILE";
    let (code, said) = check("import sys\nopen('table.txt')\n");
    assert!(code == Some(1) && said.contains(hint) && said.contains("directory = \"folder\""), "{said}");
    let home = Home::new();
    home.put("mine/mine.py", "");
    home.put("mine/engine.toml", "command = [\"python3\", \"mine.py\"]\n");
    let said = home.agon("check mine --game mnk --st 1".split(' '));
    assert!(said.code == Some(1) && said.out().contains(hint), "{}", said.all());
    // The same where the game was played: `why` says it too.
    home.put(
        "mover/engine.toml",
        "command = [\"agon-mover\"]\nargs = [\"{game}\", \"{side}\", \"{seconds}\"]\n",
    );
    let played = home.agon("match mine mover --game mnk --games 2 --out run --quiet".split(' '));
    assert_eq!(played.code, Some(0), "{}", played.all());
    let why = home.agon("why run mine".split(' '));
    assert!(why.out().contains(hint), "{}", why.all());
}

/// Checks an engine of mnk:3x3,3 in which `more` stands before each of its moves, with a second a
/// move.
fn check_late(more: &str) -> (Option<i32>, String) {
    let home = Home::new();
    home.put("mine/engine.toml", "command = [\"python3\", \"{folder}/mine.py\"]\n");
    let say = format!("{more}; print(side + ',' + cell, flush=True)");
    home.put("mine/mine.py", engine(READ, &say, NEXT).replace("import sys", "import sys, time"));
    // It is greeted in other protocols for the time of a start, and may compute meanwhile.
    tried_with(&home, " --startup 1")
}

#[test]
#[ignore = "slow"]
fn an_engine_that_is_a_little_too_slow_is_told_so_and_nothing_else() {
    let (code, said) = check_late("time.sleep(1.2)");
    assert!(code == Some(1) && said.contains("no answer within"), "{said}");
    assert!(said.contains("It answered after ") && said.contains("its limit is 1 s"), "{said}");
    // It has answered in time before.
    let (code, later) = check_late("time.sleep(5 * (moves == 4))");
    assert!(code == Some(1) && later.contains("It answered before, but not this time"), "{later}");
    for said in [said, later] {
        for wrong in ["reads to the end", "flush", "does not leave", "prompt"] {
            assert!(!said.contains(wrong), "{wrong}: {said}");
        }
    }
}

#[test]
#[ignore = "slow"]
fn an_engine_that_computes_for_too_long_hears_that_alone() {
    let (code, said) = check_late("exec('while True: pass')");
    assert!(code == Some(1) && said.contains("It was computing all the time"), "{said}");
    assert_eq!(said.matches("WRONG").count(), 2, "{said}");
    for wrong in ["does not leave", "flush", "prompt"] {
        assert!(!said.contains(wrong), "{wrong}: {said}");
    }
}

#[test]
fn a_check_says_the_game_and_plays_enough_of_it() {
    // It counts the columns of connect four from 0, and finds the middle one right by chance.
    let home = Home::new();
    home.put("mine/engine.toml", "command = [\"python3\", \"{folder}/mine.py\"]\ngames = [\"connect4\"]\n");
    let middle = "import sys\nside = sys.argv[1]\nboard = [sys.stdin.readline() for _ in range(7)]\n\
                  turn = sum(c in 'XO' for row in board for c in row) % 2 == (side == 'O')\n\
                  while True:\n    if turn: print(side + ',4', flush=True)\n    \
                  elif not sys.stdin.readline(): break\n    turn = not turn\n";
    home.put("mine/mine.py", middle);
    let said = home.agon("check mine --st 3 --seed 1".split(' '));
    assert!(said.code == Some(1) && said.out().starts_with("connect4, st=3\n"), "{}", said.all());
    assert!(said.out().contains("is not legal"), "{}", said.all());
    // A right one plays several games where they are short, as each side and from another start.
    let (code, said) = check(&engine(READ, SAY, NEXT));
    assert!(code == Some(0) && said.contains("mnk:3x3,3, st=1\n"), "{said}");
    assert_eq!(said.matches(" games, started in ").count(), 4, "{said}");
}

#[test]
fn lines_after_the_end_of_the_input_are_told_as_such() {
    // At the end of its input it goes on with moves.
    let home = Home::new();
    home.put("mine/engine.toml", "command = [\"python3\", \"{folder}/mine.py\"]\n");
    let endless = engine(READ, SAY, NEXT).replace("if not cell: break", "if not cell: cell = free()");
    home.put("mine/mine.py", endless);
    for moves in ["1", "30"] {
        let said =
            home.agon(["check", "mine", "--game", "mnk", "--st", "3", "--moves", moves, "--seed", "2"]);
        assert!(said.code == Some(1) && said.out().contains("after its input had ended"), "{}", said.all());
        assert!(!said.out().contains("write notes to stderr"), "{}", said.all());
    }
}

#[test]
fn an_engine_that_takes_itself_for_the_first_to_move_is_told_who_begins() {
    let first = "moves = 0\nwhile moves";
    let (code, said) = check(&engine(READ, SAY, NEXT).replace("while moves", first));
    assert!(code == Some(1), "{said}");
    let (usual, other) = said.split_once("3 moves after the start").expect("another start");
    assert!(!usual.contains("WRONG"), "{said}");
    assert!(other.contains("n this start O begins") && other.contains("{to_move}"), "{said}");
}

#[test]
#[ignore = "slow"]
fn a_prompt_and_blanks_in_a_move_have_their_own_words() {
    let without_newline = engine(READ, "sys.stdout.write(side + ',' + cell); sys.stdout.flush()", NEXT);
    let with_blanks = engine(READ, "print(' ' + side + ', ' + cell + ' ', flush=True)", NEXT);
    let cases = [
        (
            "import sys\ninput('name?')\nsys.stdin.read()\n",
            ["\"name?\" without a newline, which is no move", "looks like a prompt"],
            "write X,",
        ),
        (&without_newline, ["end it with a newline", ""], "looks like a prompt"),
        (&with_blanks, ["remove the blanks and write X,", ""], "Only moves belong"),
    ];
    side_by_side(&cases, |&(program, words, unsaid)| {
        let (code, said) = check(program);
        assert_eq!(code, Some(1), "{said}");
        assert!(words.iter().all(|words| said.contains(words)) && !said.contains(unsaid), "{said}");
    });
}

#[test]
fn a_script_beside_an_engine_toml_is_checked_by_its_folder() {
    let home = Home::new();
    home.put("mine/engine.toml", "command = [\"python3\", \"{folder}/mine.py\"]\n");
    home.put("mine/mine.py", "print()\n");
    let said = home.agon("check mine/mine.py --game mnk".split(' '));
    assert!(said.code == Some(2) && said.err().contains("name the folder: "), "{}", said.all());
    assert!(!said.err().contains("chmod"), "{}", said.all());
}

#[test]
fn a_program_that_dies_at_once_did_not_start_and_unknown_options_are_noted() {
    let (code, said) = check("import nothing_of_this_name\n");
    assert!(code == Some(1) && said.contains("mine as X: 0 good move(s)\n"), "{said}");
    let home = Home::new();
    let program = super::home::programs().join("agon-alphabeta");
    home.put(
        "mine/engine.toml",
        format!(
            "command = [{program:?}]\nprotocol = \"ugi\"\nargs = [\"{{game}}\", \"ugi\"]\n\
             [options]\ndepth = 2\nNope = 1\n"
        ),
    );
    let said = home.agon("check mine --game mnk --st 3 --moves 1".split(' '));
    let note =
        |name: &str| said.out().contains(&format!("It is sent the option {name} of its engine.toml, but"));
    assert!(said.code == Some(0) && note("Nope") && !note("depth"), "{}", said.all());
}

/// An engine that stops agon (its parent, and the parent of that) at its second move as O, as if
/// the machine stood still. It does so again and again, and not only until its time has run out.
const STANDS_STILL: &str = "
import os, signal, time
def stand_still():
    harness = os.getppid()
    keeper = int(open(f'/proc/{harness}/stat').read().rsplit(') ')[1].split()[1])
    for _ in range(5):
        os.kill(keeper, signal.SIGSTOP)
        os.kill(harness, signal.SIGSTOP)
        time.sleep(0.6)
        os.kill(harness, signal.SIGCONT)
        os.kill(keeper, signal.SIGCONT)
        time.sleep(0.02)
    time.sleep(9)
";

#[test]
#[ignore = "slow"]
fn an_engine_that_stops_agon_again_and_again_is_judged_nevertheless() {
    let home = Home::new();
    home.put("mine/engine.toml", "command = [\"python3\", \"{folder}/mine.py\"]\n");
    let say = "if side == 'O' and first == 0 and moves == 3: stand_still()\n        print(side + ',' + cell, flush=True)";
    let engine = engine(READ, say, NEXT).replace("while moves", "first = moves\nwhile moves");
    home.put("mine/mine.py", format!("{STANDS_STILL}{engine}"));
    let said = home.agon("check mine --game mnk --st 0.5 --isolation none".split(' '));
    let out = said.out();
    assert_eq!(said.code, Some(1), "{out}");
    let (before, rest) = out.split_once("mine as O: 1 good move(s), started in").expect(&out);
    assert!(before.contains("mine as X: ") && before.contains("nothing wrong was found"), "{out}");
    assert!(rest.contains("at its move 2: no answer within") && !out.contains("UNJUDGED"), "{out}");
}

/// Checks the same program of the letter cube, whose `engine.toml` has these lines more.
fn check_cube(home: &Home, lines: &str) -> (Option<i32>, String) {
    let samples = super::home::root().join("engines/board-file");
    let program = samples.join("cube.py");
    home.put(
        "cube/engine.toml",
        format!("command = [\"python3\", {program:?}]\ngames = [\"letters:3x3x2\"]\n{lines}"),
    );
    let said = home.agon("check cube --st 3 --seed 1".split(' '));
    (said.code, said.all())
}

#[test]
fn a_program_that_reads_the_file_board_is_told_the_line_to_write() {
    let home = Home::new();
    let (code, said) = check_cube(&home, "");
    assert!(code == Some(1) && said.contains("Write board = \"file\" in its engine.toml"), "{said}");
    let (code, said) = check_cube(&home, "board = \"file\"\n");
    assert!(code == Some(0) && said.matches("nothing wrong").count() == 4, "{said}");
    assert!(!said.contains("board ="), "{said}");
    // One that is wrong in any case hears nothing of it.
    let (code, said) = check(&engine(READ, "print(side + ',z9', flush=True)", NEXT));
    assert!(code == Some(1) && !said.contains("board ="), "{said}");
    // Its conversation has moves alone.
    let said =
        home.agon("position show letters:3x3x1 --as-engine cube --side B --moves W,P --seed 1".split(' '));
    assert!(said.out().contains("    < W,P\n") && !said.out().contains("    < 3 3 1\n"), "{}", said.all());
}

#[test]
fn the_bank_of_a_run_counts_in_its_check() {
    let home = Home::new();
    home.put("mine/engine.toml", "command = [\"python3\", \"{folder}/mine.py\"]\n");
    // It thinks for longer than its time, once.
    let say = "time.sleep(1.5 * (moves < 2)); print(side + ',' + cell, flush=True)";
    home.put("mine/mine.py", engine(READ, say, NEXT).replace("import sys", "import sys, time"));
    let check = |options: &str| {
        let said = home.agon(format!("check mine --game mnk --st 0.5 --startup 1{options}").split(' '));
        (said.code, said.all())
    };
    let (code, said) = check(" --bank 60");
    assert!(code == Some(0) && said.contains("mnk:3x3,3, st=0.5, bank=60\n"), "{said}");
    let (code, said) = check("");
    assert!(code == Some(1) && said.contains("no answer within"), "{said}");
}
