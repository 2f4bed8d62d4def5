"""A starter for @GAME@: it answers at random. Your ideas go into choose().

Handed in alone, without its engine.toml, it is started as these two lines say:
agon: args = @ARGS@
agon: games = @GAMES@

agon starts it as: main.py SEAT SEATS SECONDS SEED. It reads the lines that the referee tells its seat.
When it is to answer, it reads the line `@PROMPT@`. Then it writes one line. Notes belong on standard
error.
"""

import random
import sys

seat, seats, seconds, seed = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), sys.argv[4]
chance = random.Random(seed)


def choose(told, legal):
    """The answer. `told` has all lines of the game so far, and `legal` the answers of the last line
    `legal`. A referee that lists no legal answers leaves it empty: then the rules of the game say what
    an answer is."""
    return chance.choice(legal) if legal else "0"


told, legal = [], []
for line in sys.stdin:  # at the end of the game the input ends
    line = line.rstrip("\n")
    if line == "@PROMPT@":
        # Without flush the answer would wait in a buffer.
        print(choose(told, legal), flush=True)
        continue
    told.append(line)
    words = line.split()
    if words[:1] == ["legal"]:
        legal = words[1:]
