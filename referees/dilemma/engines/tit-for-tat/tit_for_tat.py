"""Tit for tat in the prisoner's dilemma: cooperates first, then does what the other did last."""

import sys

answer = "cooperate"
for line in sys.stdin:
    words = line.split()
    if words[0] == "done":
        answer = words[2]
    elif words[0] == "?":
        print(answer, flush=True)
