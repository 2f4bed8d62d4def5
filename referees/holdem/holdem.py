"""Referee of no-limit hold'em with one flop: hidden cards, bets of any size, and side pots.

Rules. Each seat begins with `stack` chips, and has two cards from a deck of 52 in each hand. The two
seats after the button pay blinds of 1 and 2 chips; of two seats, the button pays the 1. All bet; then
three open cards, the flop, come on the table, and all bet again. The best five cards win, as far as
their owner has bet: cards.py has the ranking and the side pots. In turn, a seat can `fold`, `check`,
`call`, or raise: `raise=40` makes its bets 40 chips since the blinds or the flop. A raise is to twice
the highest bet or more, at least to 2, or all that the seat has. Then the others have another turn. A
seat that does not answer checks, or folds to a bet; after an illegal answer it always does. A seat
without chips is out. The score is the chips won or lost in all hands.

An engine reads, in each hand:
    hand 3 button 1 chips 90 110    the button, and the chips of each seat
    hole As Td                      its own cards: ranks 23456789TJQKA, suits cdhs
    2 blind 1                       seat 2 has paid a blind
    1 raise=6                       what a seat does
    flop 2c 7h Qs                   the open cards
    legal fold call raise=4 raise=98    it is to answer with one of these, or a raise between the two
    show 2 Ah Kd                    at the end: the cards of a seat that has not folded
    won 4 -4                        the chips that each seat has won in this hand
"""

import random
import re
import sys

from cards import DECK, divided, strength
from drawing import Drawing, say

sys.stdin.reconfigure(encoding="utf-8", errors="replace", newline="\n")


def ask(seat):
    """Asks a seat. Returns its answer, or None if there is a fault instead."""
    say("ask", seat)
    say("wait")
    word, _, rest = sys.stdin.readline().rstrip("\n").partition(" ")
    return rest.partition(" ")[2] if word == "answer" else None


def everyone(*words):
    """Tells a line to all seats and shows it to spectators."""
    say("tell all", *words)
    say("public", *words)


class Table:
    """The chips of each seat, those it has `bet` since the blinds or the flop, and `paid` in all."""

    def __init__(self, seats, stack):
        self.chips, self.gone = dict.fromkeys(range(1, seats + 1), stack), set()
        self.drawing = Drawing(seats, self.chips)

    def pay(self, seat, chips):
        chips = min(chips, self.chips[seat])
        self.chips[seat] -= chips
        self.bet[seat] += chips
        self.paid[seat] += chips

    def act(self, seat):
        """Lets this seat act. Returns whether it has raised."""
        top, most = max(self.bet.values()), self.bet[seat] + self.chips[seat]
        least = min(max(2, 2 * top), most)
        legal = ["check"] if self.bet[seat] == top else ["fold", "call"]
        if most > top and any(self.chips[other] for other in self.live if other != seat):
            legal += dict.fromkeys((f"raise={least}", f"raise={most}"))
        say("tell", seat, "legal", *legal)
        answer = None if seat in self.gone else ask(seat)
        to = re.fullmatch("raise=([1-9][0-9]{0,6})", answer or "")
        if answer in legal or to and legal[-1] == f"raise={most}" and least <= int(to[1]) <= most:
            say("move", seat, answer)
        else:
            if answer is not None:
                say("bad", seat, "the answer is not legal")
                self.gone.add(seat)
            answer, to = legal[0], None
            say("public", seat, answer, "by default")
        say("tell all", seat, answer)
        if answer == "fold":
            self.live.remove(seat)
        elif answer != "check":
            self.pay(seat, (int(to[1]) if to else top) - self.bet[seat])
        self.drawing.acts(seat, answer.replace("=", " to "), self.chips, sum(self.paid.values()))
        return bool(to)

    def round(self, turn):
        """All seats act in turn until nobody is left to answer a raise."""
        queue = turn
        while queue and len(self.live) > 1:
            seat, *queue = queue
            others = [other for other in self.live if other != seat and self.chips[other]]
            if seat in self.live and self.chips[seat] and (others or self.bet[seat] < max(self.bet.values())):
                if self.act(seat):
                    queue = turn[turn.index(seat) + 1:] + turn[:turn.index(seat)]

    def play_hand(self, order, deck):
        """One hand. The button is the last seat in order."""
        self.live, self.paid, self.bet = list(order), dict.fromkeys(self.chips, 0), dict.fromkeys(self.chips, 0)
        flop, hole = deck[:3], self.drawing.deal({seat: deck[2 * seat + 1:2 * seat + 3] for seat in order})
        for seat in order:
            say("secret", seat, "hole", *hole[seat])
            say("tell", seat, "hole", *hole[seat])
        turn = order[2:] + order[:2] if len(order) > 2 else order[::-1]  # the blinds are last
        for seat, blind in zip(turn[-2:], (1, 2)):
            self.pay(seat, blind)
            everyone(seat, "blind", self.bet[seat])
        self.round(turn)
        if len(self.live) > 1:
            everyone("flop", *flop)
            self.drawing.flop(flop, self.chips, sum(self.paid.values()))
            self.bet = dict.fromkeys(self.chips, 0)
            self.round(order)
        for seat in self.live if len(self.live) > 1 else ():
            everyone("show", seat, *hole[seat])
        won = divided(self.paid, {seat: strength(hole[seat] + flop) for seat in self.live})
        for seat in self.chips:
            self.chips[seat] += self.paid[seat] + won[seat]
        everyone("won", *won.values())
        self.drawing.ends(hole if len(self.live) > 1 else {}, self.live, won, self.chips)


def play(seats, options, chance):
    """One game, from the first line of its first step to `end`."""
    table, stack, button = Table(seats, int(options["stack"])), int(options["stack"]), 0
    for hand in range(1, int(options["hands"]) + 1):
        order = [seat for seat in [*range(button + 1, seats + 1), *range(1, button + 1)] if table.chips[seat]]
        if len(order) > 1 and not table.gone.issuperset(order):
            button = order[0]
            everyone("hand", hand, "button", button, "chips", *table.chips.values())
            table.play_hand(order[1:] + order[:1], chance.sample(DECK, 52))
            for seat in order:
                say("score", seat, table.chips[seat] - stack)
                if not table.chips[seat] and seat not in table.gone:
                    say("out", seat)
    say("end", *(chips - stack for chips in table.chips.values()), ":", "the last hand is played")


def main():
    setting = {}  # what agon has said last, by the first word of the line
    for line in sys.stdin:
        word, _, rest = line.rstrip("\n").partition(" ")
        setting[word] = rest
        if word == "clock":
            print("referee 1 holdem 1", "seats 2 6", "scores sum", "ready", sep="\n", flush=True)
        elif word == "start":
            options = dict(option.split("=", 1) for option in setting["game"].split()[1:])
            play(int(setting["seats"]), options, random.Random(int(setting["seed"])))


main()
