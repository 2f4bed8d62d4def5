"""A scripted bot in the words of riddles.io or theaigames.com for connect four and m,n,k: it takes the first free cell.

LOG names the file it appends to; MODE changes its manners."""

import os
import sys
import time

MODE = os.environ.get("MODE", "plain")
log = open(os.environ["LOG"], "a")
log.write("STARTED\n")
settings = {}
field = []

for line in sys.stdin:
    log.write(line)
    log.flush()
    words = line.split()
    if words[0] == "settings":
        settings[words[1]] = words[2]
    elif words[:3] == ["update", "game", "field"]:
        field = words[3].replace(";", ",").split(",")
    elif words[:2] == ["action", "move"]:
        columns = int(settings.get("field_columns") or settings["field_width"])
        free = ["0"] if "field_columns" in settings else ["."]
        if MODE == "slow":
            time.sleep(float(os.environ.get("SLEEP", "2")))
        if MODE == "talks":
            print("no idea", flush=True)
        elif MODE == "no-moves":
            print("no_moves", flush=True)
        elif os.environ.get("GAME") == "mnk":
            cell = next(at for at, sign in enumerate(field) if sign in free)
            if MODE == "taken":
                cell = next((at for at, sign in enumerate(field) if sign not in free), cell)
            if MODE == "outside":
                cell = len(field)
            print("place_move", cell % columns, cell // columns, flush=True)
        else:
            column = next(at for at in range(columns) if field[at] in free)
            if MODE == "outside":
                column = columns
            if MODE == "huge":
                column = 2**64 - 1
            print("place_disc", column, "the first" if MODE == "comments" else "", flush=True)
log.write("LEFT\n")
