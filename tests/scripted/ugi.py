"""A scripted engine that speaks UGI for mnk:3x3,3: it takes the first free cell and writes down what it is told.

UGI_LOG names the file it appends to; UGI_MODE changes its manners."""

import os
import sys
import time

MODE = os.environ.get("UGI_MODE", "plain")
CELLS = [column + row for row in "123" for column in "abc"]

log = open(os.environ["UGI_LOG"], "a")
was_tried = log.tell() > 0
log.write("STARTED\n")
taken = []
games = 0


def say(*words):
    print(*words, flush=True)


for line in sys.stdin:
    log.write(line)
    log.flush()
    words = line.split()
    if words[0] == "ugi":
        if MODE == "mute" or (MODE == "mute-in-games" and was_tried):
            continue
        if MODE == "slow-hello":
            time.sleep(0.3)
        say("id name scripted")
        say("option name Hash type spin default 1 min 1 max 10")
        say("ugiok")
    elif words[0] == "isready":
        say("readyok")
    elif words[0] == "uginewgame":
        games += 1
    elif words[0] == "position":
        taken = words[words.index("moves") + 1 :] if "moves" in words else []
        if words[1] == "fen":
            marks = "".join(reversed(words[2].split("/")))
            taken += [cell for cell, mark in zip(CELLS, marks) if mark != "."]
    elif words[0] == "go":
        free = [cell for cell in CELLS if cell not in taken]
        if MODE == "leaves-in-game-2" and games == 2:
            sys.exit(3)
        if MODE == "only-talks":
            while True:
                say("info depth 1 nodes 1")
                time.sleep(0.01)
        if MODE == "resigns":
            say("bestmove resign")
            continue
        if MODE == "wrong":
            say("bestmove z9")
            continue
        say("info string thinking, bestmove a1 would be a lie")
        say("info depth 1 score cp 5")
        say(f"info depth 2 score cp {len(free)} pv {free[0]}")
        say("info nodes 12")
        say(f"bestmove {free[0]} ponder {free[-1]}")
        # The seventh cell taken in order makes a line: the game is over.
        if MODE == "leaves-after-each" and len(taken) >= 5:
            break
    elif words[0] == "quit":
        break
log.write("LEFT\n")
