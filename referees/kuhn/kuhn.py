"""Referee of Kuhn poker: hidden cards, chance and bluffing in the smallest form.

Rules. There is one card more than there are seats: 1, 2, 3 for two seats, and 4 with three. In each
hand every seat pays one chip and gets one card. In turn the seats `pass` or `bet` one chip. After a
bet each other seat has one more turn: it pays one chip with `bet`, or gives up with `pass`. The
highest card of those who bet wins all chips; if nobody bet, the highest card of all wins them. The
seat that acts first changes from hand to hand. The score is the sum of chips won and lost.

An engine reads, in each hand:
    hand 3 first 2      seat 2 acts first
    card 1              its own card
    1 pass              what seat 1 did
    legal pass bet      it is to answer with one of these
    show 2 3            at the end: seat 2 had card 3. Seats that gave up show nothing
    won -1 1            the chips that each seat has won in this hand

A seat that does not answer passes. After three faults, or an illegal answer, it always passes.
"""

import random
import sys

sys.stdin.reconfigure(encoding="utf-8", errors="replace", newline="\n")


def say(*words):
    """Writes a line to agon. Only the end of a step must be sent at once."""
    print(*words, flush=words[0] in ("wait", "end"))


def ask(seat):
    """Asks a seat. Returns its answer, or None if there is a fault instead."""
    say("ask", seat)
    say("wait")
    word, _, rest = sys.stdin.readline().rstrip("\n").partition(" ")
    return rest.partition(" ")[2] if word == "answer" else None


class Table:
    """The chips of each seat over all hands, the faults of each, and the seats that are not asked."""

    def __init__(self, seats):
        self.seats = range(1, seats + 1)
        self.chips = dict.fromkeys(self.seats, 0)
        self.faults = dict.fromkeys(self.seats, 0)
        self.gone = set()

    def act(self, seat):
        """What this seat does: `pass` or `bet`."""
        answer = None
        if seat not in self.gone:
            say("tell", seat, "legal pass bet")
            answer = ask(seat)
            if answer is None:
                self.fault(seat)
        if answer in ("pass", "bet"):
            say("move", seat, answer)
        else:
            if answer is not None:
                say("bad", seat, "the answer is neither pass nor bet")
                self.gone.add(seat)
            answer = "pass"
            say("public", seat, "pass by default")
        say("tell all", seat, answer)
        return answer

    def fault(self, seat):
        self.faults[seat] += 1
        if self.faults[seat] == 3:
            say("out", seat)
            self.gone.add(seat)

    def play_hand(self, hand, order, cards):
        """One hand. `order` has the seats as they act, `cards` the card of each."""
        for line in ("tell all", "public"):
            say(line, "hand", hand, "first", order[0])
        for seat in self.seats:
            say("secret", seat, "card", cards[seat])
            say("tell", seat, "card", cards[seat])
        paid = dict.fromkeys(self.seats, 1)
        for place, seat in enumerate(order):
            if self.act(seat) == "bet":
                paid[seat] = 2
                for other in order[place + 1:] + order[:place]:
                    if self.act(other) == "bet":
                        paid[other] = 2
                break
        most = max(paid.values())
        shown = [seat for seat in order if paid[seat] == most]
        winner = max(shown, key=cards.get)
        for seat in shown if len(shown) > 1 else []:
            say("tell all show", seat, cards[seat])
        won = {seat: -paid[seat] for seat in self.seats}
        won[winner] += sum(paid.values())
        for line in ("tell all", "public"):
            say(line, "won", *won.values())
        for seat in self.seats:
            self.chips[seat] += won[seat]
            say("score", seat, self.chips[seat])


def play(seats, hands, chance):
    """One game, from the first line of its first step to `end`."""
    table = Table(seats)
    for hand in range(1, hands + 1):
        if len(table.gone) == seats:
            break
        order = [(hand - 1 + place) % seats + 1 for place in range(seats)]
        cards = dict(zip(table.seats, chance.sample(range(1, seats + 2), seats)))
        table.play_hand(hand, order, cards)
    left = "all hands are played" if len(table.gone) < seats else "nobody plays any more"
    say("end", *table.chips.values(), ":", left)


def main():
    setting = {}  # what agon has said last, by the first word of the line
    for line in sys.stdin:
        word, _, rest = line.rstrip("\n").partition(" ")
        setting[word] = rest
        if word == "clock":
            print("referee 1 kuhn 1", "seats 2 3", "scores sum", "ready", sep="\n", flush=True)
        elif word == "start":
            options = dict(option.split("=", 1) for option in setting["game"].split()[1:])
            play(int(setting["seats"]), int(options["hands"]), random.Random(int(setting["seed"])))


main()
