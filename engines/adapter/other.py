"""A program that knows nothing of agon: it plays stones on a board, and speaks words of its own."""

import random
import sys

print("other 1.0, by nobody in particular")
print("READY", flush=True)
free = set()
for line in sys.stdin:
    word, *numbers = line.split()
    if word == "new":
        columns, rows = map(int, numbers)
        free = {(x, y) for x in range(columns) for y in range(rows)}
    elif word in ("own", "other"):
        free.discard(tuple(map(int, numbers)))
    elif word == "move?":
        print("thinking ...")
        print("move", *random.choice(sorted(free)), flush=True)
    elif word == "bye":
        break
