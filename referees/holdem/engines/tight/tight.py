"""Hold'em with a flop: deals the unknown cards many times, counts how often it wins, and bets on that.

python3 tight.py SEAT SEATS SECONDS SEED
"""

import random
import sys
from collections import Counter

RANKS = "23456789TJQKA"
DECK = [rank + suit for rank in RANKS for suit in "cdhs"]
me, chance = sys.argv[1], random.Random(sys.argv[4])


def worth(cards):
    """A number for five cards: groups of equal ranks first; straights and flushes above three alike."""
    ranks = Counter(RANKS.index(card[0]) for card in cards)
    order = sorted(ranks, key=lambda rank: (ranks[rank], rank), reverse=True)
    alike = sorted(ranks.values(), reverse=True)
    if len(ranks) == 5:
        straight = max(ranks) - min(ranks) == 4 or sorted(ranks) == [0, 1, 2, 3, 12]
        flush = len({card[1] for card in cards}) == 1
        alike = [5] if straight and flush else [3, 1.5 if flush else 1.2] if straight or flush else alike
    return alike, order


def wins(hole, flop, others):
    """How often these cards win against as many random hands."""
    rest, won, times = [card for card in DECK if card not in hole + flop], 0, 100
    for _ in range(times):
        dealt = chance.sample(rest, 2 * others + 3 - len(flop))
        table = flop + dealt[2 * others:]
        best = max(worth(dealt[2 * other:2 * other + 2] + table) for other in range(others))
        won += worth(hole + table) >= best
    return won / times


def choose():
    """Raises to about the pot with a good hand, and calls where that pays on average."""
    often, owes, total = wins(hole, flop, len(live) - 1), max(bet.values()) - bet[me], pot + sum(bet.values())
    raises = [int(word[6:]) for word in legal if word.startswith("raise=")]
    to = min(max(raises[0], bet[me] + owes + total), raises[-1]) if raises else 0
    if raises and often > 1.5 / len(live) and (to < 40 or often > 0.8):
        return f"raise={to}"
    if "check" in legal:
        return "check"
    return "call" if often * (total + owes) > owes else "fold"


# The bets count a call as a full one, even if the seat had fewer chips.
hole, flop, bet, pot, live, legal = [], [], Counter({me: 0}), 0, set(), []
for line in sys.stdin:
    words = line.split()
    if words[0] == "hand":
        live = {str(seat) for seat, chips in enumerate(words[5:], start=1) if chips != "0"}
        flop, bet, pot = [], Counter({me: 0}), 0
    elif words[0] == "hole":
        hole = words[1:]
    elif words[0] == "flop":
        flop, pot, bet = words[1:], pot + sum(bet.values()), Counter({me: 0})
    elif words[0] == "legal":
        legal = words[1:]
    elif words[0] == "?":
        print(choose(), flush=True)
    elif words[1] == "fold":
        live.discard(words[0])
    elif words[1] == "blind":
        bet[words[0]] = int(words[2])
    elif words[1] == "call":
        bet[words[0]] = max(bet.values())
    elif words[1].startswith("raise="):
        bet[words[0]] = int(words[1][6:])
