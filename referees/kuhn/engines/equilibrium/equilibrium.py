"""An equilibrium of Kuhn poker for two seats: python3 equilibrium.py SEAT SEATS SECONDS SEED ALPHA

Neither side can win more than -1/18 chips a hand as the first player, or 1/18 as the second, against
this program. It is the family of Kuhn, "A simplified two-person poker" (1950), with the free number
ALPHA from 0 to 1/3: the first player bets with card 1 in ALPHA of the hands, and with card 3 in
three times as many.
"""

import random
import sys

seat, chance, alpha = sys.argv[1], random.Random(sys.argv[4]), float(sys.argv[5])
if sys.argv[2] != "2" or not 0 <= alpha <= 1 / 3:
    sys.exit("this program is for two seats, and alpha is from 0 to 1/3")

# How often to bet, by whether we act first, what was done in this hand, and our card.
BET = {
    (True, ""): {1: alpha, 2: 0, 3: 3 * alpha},
    (True, "pass bet"): {1: 0, 2: alpha + 1 / 3, 3: 1},
    (False, "pass"): {1: 1 / 3, 2: 0, 3: 1},
    (False, "bet"): {1: 0, 2: 1 / 3, 3: 1},
}

first, card, done = False, 0, []
for line in sys.stdin:
    words = line.split()
    if words[0] == "hand":
        first, done = words[3] == seat, []
    elif words[0] == "card":
        card = int(words[1])
    elif words[0] in ("1", "2"):
        done.append(words[1])
    elif words[0] == "?":
        bets = chance.random() < BET[first, " ".join(done)][card]
        print("bet" if bets else "pass", flush=True)
