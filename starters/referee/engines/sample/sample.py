"""A sample engine: sample.py SEAT SEATS SECONDS SEED. It plays at random, but ends the game if it can.

It reads the lines that the referee tells its seat. When it is to answer, it reads the line `?`, and
writes one line.
"""

import random
import sys

seat, seed = sys.argv[1], sys.argv[4]
chance = random.Random(seed)
heap, legal = 0, []
for line in sys.stdin:
    words = line.split()
    if words[:1] == ["heap"]:  # heap 17
        heap = int(words[1])
    elif words[:1] == ["legal"]:  # legal 1 2 3
        legal = words[1:]
    elif words == ["?"]:
        answer = str(heap) if str(heap) in legal else chance.choice(legal)
        heap -= int(answer)
        print(answer, flush=True)
    elif len(words) == 2:  # 2 3: seat 2 has taken three stones
        heap -= int(words[1])
