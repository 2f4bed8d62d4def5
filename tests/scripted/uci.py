#!/usr/bin/env python3
"""An engine of UCI. It plays the moves of its list that are its turn's, by the number of moves that
it is told, and notes what it is told in a file beside it. In place of a move, `silent` lets its time
run out."""
import sys, time
OPTIONS = [@OPTIONS@]
MOVES = "@MOVES@".split()
log = open(__file__ + ".log", "a")
moves = []
for line in sys.stdin:
    log.write(line)
    log.flush()
    words = line.split()
    if words[0] == "uci":
        for option in OPTIONS:
            print("option name " + option)
        print("uciok", flush=True)
    elif words[0] == "isready":
        print("readyok", flush=True)
    elif words[0] == "position":
        moves = words[words.index("moves") + 1:] if "moves" in words else []
    elif words[0] == "go":
        move = MOVES[len(moves)] if len(moves) < len(MOVES) else "resign"
        if move == "silent":
            time.sleep(30)
        print("info depth 3 multipv 1 score cp 25 nodes 9 pv " + move)
        print("info depth 3 multipv 2 score cp -99 nodes 9 pv a2a3")
        print("bestmove " + move + " ponder e7e5", flush=True)
    elif words[0] == "quit":
        break
