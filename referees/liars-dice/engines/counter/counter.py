"""Liar's dice by the laws of chance: it takes the bids of others for noise.

It doubts a bid that is true with a chance below one half, unless a bid of its own is better. Its bid
is the one that is most likely true; among equals, the highest.
"""

import sys
from math import comb

total, own = 0, []


def likely(bid):
    """The chance that a bid is true, given our own dice."""
    count, face = (int(number) for number in bid.split("x"))
    missing, others = count - own.count(face), total - len(own)
    return sum(comb(others, hits) * 5 ** (others - hits) for hits in range(max(0, missing), others + 1)) / 6**others


last, legal = None, []
for line in sys.stdin:
    words = line.split()
    if words[0] == "round":
        total, last = sum(int(word) for word in words[1:]), None
    elif words[0] == "roll":
        own = [int(word) for word in words[1:]]
    elif words[0] in ("1", "2", "3", "4"):
        last = words[1]
    elif words[0] == "legal":
        legal = words[1:]
    elif words[0] == "?":
        bids = [bid for bid in legal if bid != "liar"]
        best = max(reversed(bids), key=likely, default="liar")
        doubt = last and (best == "liar" or 1 - likely(last) > max(0.5, likely(best)))
        print("liar" if doubt else best, flush=True)
