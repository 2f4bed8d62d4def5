//! `agon check`: what it says about the mistakes that students make.

use super::home::Home;

/// Checks a Python program as an engine for mnk:3x3,3 with a second a move.
fn check(program: &str) -> (Option<i32>, String) {
    let home = Home::new();
    home.put("mine/engine.toml", "command = [\"python3\", \"{folder}/mine.py\"]\n");
    home.put("mine/mine.py", program);
    let said = home.agon("check mine --game mnk --st 1".split(' '));
    (said.code, said.all())
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
fn reading_to_the_end_of_the_input_is_told_from_a_missing_flush() {
    let (code, said) = check(&engine(READ, "print(side + ',' + cell)", NEXT));
    assert!(code == Some(1) && said.contains("it does not flush") && said.contains("flush=True"), "{said}");
    assert!(!said.contains("reads to the end"), "{said}");
    let all = "lines = iter(sys.stdin.read().split('\\n') + [''] * 9)\nnext(lines)\n\
               cells = [list(next(lines)) for _ in range(3)]";
    let (code, said) = check(&engine(all, SAY, "next(lines)[2:]"));
    assert!(code == Some(1) && said.contains("it reads to the end of the input"), "{said}");
    assert!(!said.contains("does not flush"), "{said}");
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
