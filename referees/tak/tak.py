"""Referee of Tak, drawn with frames: a board game whose engines can speak TEI.

On a board of 3x3 to 8x8 the seats, white and black, put stones on free squares: flats, walls (S) and capstones
(C). The first stone of each is a flat of the opponent. Who has a stone on top of a stack can move up to
`size` stones of it in a line, and leaves at least one on each square. Walls and capstones stop them, but
a capstone that goes the last step alone flattens a wall. A road of flats and capstones between two
opposite edges wins; who makes a road for both has won. When the board is full or a seat has no stone
left, more flats on top win. `komi` is what black has more, in half flats. 50 moves in a row without
a new stone are a draw. The first `lots` moves, at least the first two if there are any, are by lot,
and fewer are if one would end the game. A fault loses. In the drawing, 3w is a stack of three stones with
a white flat on top, bS a wall of black, and 2wC a capstone of white on another stone.

An engine reads (also `board.py` for the rules as a program):
    position tps x5/x5/x5/x5/x5 1 1   at the start: the empty board of this size
    move 2a1>11         white or black has moved, in turn, or by lot, in PTN without needless numbers
    legal a1 Sb2 c3+    it is to answer with one of these, or with resign. 1c3+1 and c3+* are c3+ too
"""

import copy
import random
import re
import sys

from board import PIECES, Board, name, owner

sys.stdin.reconfigure(encoding="utf-8", errors="replace", newline="\n")
SIDES = " white black".split(" ")
PTN = re.compile(r"([1-8]?)([FSC]?)([a-h][1-8])(?:([-+<>])([1-8]*)[FSC]?)?[*'!?]*")


def say(*words):
    """Writes a line to agon. Only the end of a step must be sent at once."""
    print(*words, flush=words[0] in ("wait", "end"))


def ask(seat):
    """Asks a seat. Returns its answer, or None if there is a fault instead."""
    say("ask", seat)
    say("wait")
    word, _, rest = sys.stdin.readline().rstrip("\n").partition(" ")
    return rest.partition(" ")[2] if word == "answer" else None


def normal(answer):
    """The usual form of a move in PTN. What is not PTN stays as it is."""
    parts = PTN.fullmatch(answer)
    if not parts or (parts[4] and parts[2]) or (not parts[4] and parts[1]):
        return answer
    count, kind, square, way, left = parts.groups(default="")
    if not way:
        return kind.replace("F", "") + square
    same = left == (count or "1")  # all stones on one square
    return (count if count != "1" else "") + square + way + ("" if same else left)


def content(stack):
    """What is drawn for a stack: a stone of its owner, or its height, its owner and the kind of its top."""
    height, kind = len(stack.rstrip("SC")), stack[len(stack.rstrip("SC")):]
    if height <= 1 and not kind:
        return stack or "."
    return '"' + (str(height) if height > 1 else "") + " wb"[owner(stack)] + kind


def draw(board):
    """Writes the empty board, with a letter for each column and a number for each row."""
    size = board.size
    say("board size", size * 100 + 100, size * 100 + 100)
    for x, y in board.stacks:
        say("board slot", x * 100 + 150, size * 100 - 50 - y * 100, "square", name(x, y))
    for at in range(size):
        say("board label", 50, size * 100 - 50 - at * 100, at + 1)
        say("board label", at * 100 + 150, size * 100 + 50, "abcdefgh"[at])


def play(size, komi, lots, chance):
    """One game, from the first line of its first step to `end`."""
    board = Board(size, komi)
    slots = {square: slot for slot, square in enumerate(board.stacks)}
    draw(board)
    say("tell all position tps", "/".join([f"x{size}"] * size), "1 1")
    for _ in range(max(lots, 2) if lots else 0):
        move = chance.choice([move for move in board.legal() if move[0] not in "SC"])
        before = copy.deepcopy(board)
        board.play(*board.legal()[move])
        if board.result():
            board = before  # nobody could be asked any more
            break
        say("tell all move", move)
    say("board start", *(f"{slots[square]}={content(stack)}" for square, stack in board.stacks.items() if stack))
    while True:
        seat, legal = board.seat, board.legal()
        say("tell", seat, "legal", *legal)
        answer = ask(seat)
        move = normal(answer or "")
        if move not in legal:
            if answer == "resign":
                print(f"move {seat} resign", f"frame |{SIDES[seat]} resigns", sep="\n")
            elif answer is not None:
                say("bad", seat, "the answer is not a legal move")
            why = "resigns" if answer == "resign" else "is at fault"
            return say("end", seat - 1, 2 - seat, ":", SIDES[seat], why)
        changed = board.play(*legal[move])
        say("move", seat, move)
        say("tell all move", move)
        over = board.result()
        items = [f"{slots[square]}={content(board.stacks[square])}" for square in changed]
        row = board.road(over[0]) if over and over[1] == "a road" else ()
        marks = [f"*{slots[square]}" for square in changed] + [f"!{slots[square]}" for square in row]
        say("frame", " ".join([*items, *marks]) + f"|{SIDES[seat]} {move}" + (f": {over[1]}" if over else ""))
        if over:
            return say("end", int(over[0] == 1), int(over[0] == 2), ":", over[1])


setting = {}  # what agon has said last, by the first word of the line
for line in sys.stdin:
    word, _, rest = line.rstrip("\n").partition(" ")
    setting[word] = rest
    if word == "clock":
        options = {key: int(value) for key, value in (option.split("=", 1) for option in setting["game"].split()[1:])}
        ready = "ready" if options["size"] in PIECES else "error size is a number from 3 to 8"
        print("referee 1 tak 1", "seats 2 2", "scores win", ready, sep="\n", flush=True)
    elif word == "start":
        play(options["size"], options["komi"], options["lots"], random.Random(int(setting["seed"])))
