"""Plays any legal move, in every game whose referee lists them: python3 random_player.py SEED"""

import random
import sys

chance = random.Random(sys.argv[1])
for line in sys.stdin:
    words = line.split()
    if words[:1] == ["legal"]:
        legal = words[1:]
    elif words == ["?"]:
        print(chance.choice(legal), flush=True)
