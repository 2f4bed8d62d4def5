"""A scripted engine that speaks a relative of UGI for tic-tac-toe or connect four: it takes the first free cell.

NAME is the protocol (uci, tei, ...); LOG names the file it appends to; GAME is mnk or connect4; MODE changes its manners;
FORM is how it writes a cell, with {} for its name."""

import os
import sys

NAME = os.environ.get("NAME", "uci")
MODE = os.environ.get("MODE", "plain")
FORM = os.environ.get("FORM", "P@{}")
DROPS = os.environ.get("GAME") == "connect4"
COLUMNS, ROWS = ("abcdefg", "123456") if DROPS else ("abc", "123")

log = open(os.environ["LOG"], "a")
was_tried = log.tell() > 0
log.write("STARTED\n")
taken = []
variant = None


def say(*words):
    print(*words, flush=True)


def free():
    """The cells that a stone can go to, the first first."""
    cells = [column + row for row in ROWS for column in COLUMNS]
    if MODE == "floats":
        cells.reverse()
    cells = [cell for cell in cells if cell not in taken]
    if DROPS and MODE != "floats":
        return [cell for cell in cells if cell[1] == "1" or f"{cell[0]}{int(cell[1]) - 1}" in taken]
    return cells


for line in sys.stdin:
    log.write(line)
    log.flush()
    words = line.split()
    if words[0] == NAME:
        if MODE == "mute" or (MODE == "mute-in-games" and was_tried):
            continue
        say("id name scripted")
        say("option name UCI_Variant type combo default chess var tictactoe var connect4")
        say(os.environ.get("OK", f"{NAME}ok"))
    elif words[0] == "setoption":
        variant = words[-1]
    elif words[0] == "isready":
        say("readyok")
    elif words[0] == "position":
        before, after = FORM.split("{}")
        moves = words[words.index("moves") + 1 :] if "moves" in words else []
        taken = [move[len(before) : len(move) - len(after)] for move in moves]
    elif words[0] == "go":
        cell = free()[0]
        say("info depth 1 score cp 7 pv", FORM.format(cell))
        answers = {"none": "(none)", "nulls": "0000", "draws": "draw", "resigns": "resign", "chess": "e2e4"}
        answers["taken"] = FORM.format(taken[0] if taken else cell)
        say("bestmove", answers.get(MODE, FORM.format(cell)), "ponder", FORM.format(cell))
    elif words[0] == "quit":
        break
log.write("LEFT\n")
