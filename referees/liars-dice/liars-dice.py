"""Referee of liar's dice, drawn with frames: hidden dice, chance, and bluffs that can be called.

Rules. Each seat has `dice` dice. At the start of a round all dice are rolled, and each seat sees its
own alone. In turn the seats bid: `3x5` says that there are at least three fives among all dice. A
bid must be higher than the one before: more dice, or as many dice of a higher face. Instead of a bid
a seat can say `liar`. Then all dice are shown. If the bid is true, the doubter loses a die; if not,
the bidder does. The loser opens the next round, or, if it has no dice left, the next seat with dice.
The last seat with dice wins. The score says how many seats have lost their dice before.

An engine reads, in each round:
    round 3 2 0 3       the number of dice of each seat
    roll 2 5 5          its own dice in this round
    legal 1x1 1x2 liar  it is to answer with one of these
    2 3x5               seat 2 bids three fives
    1 liar              seat 1 doubts it
    shown 1 2 5 5       at the end: seat 1 had these dice
    loses 2             this seat loses a die

The default action of a seat that does not answer is `liar`, or the lowest bid if there is no bid.
An illegal answer costs all dice at once; then a new round begins.
"""

import random
import sys

from drawing import Drawing

sys.stdin.reconfigure(encoding="utf-8", errors="replace", newline="\n")

FACES = range(1, 7)


def say(*words):
    """Writes a line to agon. Only the end of a step must be sent at once."""
    print(*words, flush=words[0] in ("wait", "end"))


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
    """The number of dice of each seat, and the seats that have lost theirs, the first one first."""

    def __init__(self, seats, dice):
        self.dice = dict.fromkeys(range(1, seats + 1), dice)
        self.lost = []
        self.drawing = Drawing(say, seats, dice)

    def after(self, seat):
        """The next seat that has dice."""
        seat = seat % len(self.dice) + 1
        return seat if self.dice[seat] else self.after(seat)

    def lose(self, seat, dice):
        self.dice[seat] -= dice
        everyone("loses", seat)
        if not self.dice[seat]:
            self.lost.append(seat)

    def act(self, seat, legal):
        """What this seat does, or None if its answer is illegal."""
        say("tell", seat, "legal", *legal)
        answer = ask(seat)
        if answer in legal:
            say("move", seat, answer)
        elif answer is None:
            answer = legal[-1] if legal[-1] == "liar" else legal[0]
            say("public", seat, answer, "by default")
        else:
            say("bad", seat, "the answer is not one of the legal ones")
            return None
        say("tell all", seat, answer)
        return answer

    def play_round(self, seat, chance):
        """One round, which this seat opens. Returns the seat that loses."""
        everyone("round", *self.dice.values())
        rolls = {}
        for owner, dice in self.dice.items():
            rolls[owner] = sorted(chance.choices(FACES, k=dice))
            if dice:
                say("secret", owner, "roll", *rolls[owner])
                self.drawing.hold(owner, rolls[owner])
                say("tell", owner, "roll", *rolls[owner])
        self.drawing.rolled(self.dice)
        bids = [f"{count}x{face}" for count in range(1, sum(self.dice.values()) + 1) for face in FACES]
        bidder, bid, legal = None, None, bids
        while True:
            answer = self.act(seat, legal)
            if answer is None:
                self.lose(seat, self.dice[seat])
                self.drawing.rolled(self.dice)
                self.drawing.frame([], f"seat {seat} has no legal answer and loses all its dice", self.dice)
                return seat
            if answer == "liar":
                break
            bidder, bid = seat, answer
            self.drawing.bid(seat, bid, self.dice)
            self.drawing.frame([self.drawing.panel(seat)], f"seat {seat} bids {bid}", self.dice)
            legal = bids[bids.index(bid) + 1:] + ["liar"]
            seat = self.after(seat)
        for owner in rolls:
            if rolls[owner]:
                everyone("shown", owner, *rolls[owner])
        count, face = (int(number) for number in bid.split("x"))
        there = sum(rolls.values(), []).count(face)
        loser = seat if there >= count else bidder
        self.lose(loser, 1)
        said = f"seat {seat} doubts {bid}; {there} dice show {face}, so seat {loser} loses a die"
        self.drawing.show(rolls, seat, face, said, self.dice)
        if not self.dice[loser]:
            say("out", loser)
        return loser


def play(seats, dice, chance):
    """One game, from the first line of its first step to `end`."""
    table, seat = Table(seats, dice), 1
    while len(table.lost) < seats - 1:
        loser = table.play_round(seat, chance)
        seat = loser if table.dice[loser] else table.after(loser)
    score = {seat: table.lost.index(seat) if seat in table.lost else seats - 1 for seat in table.dice}
    say("end", *score.values(), ":", f"seat {seat} has the last dice")


def main():
    setting = {}  # what agon has said last, by the first word of the line
    for line in sys.stdin:
        word, _, rest = line.rstrip("\n").partition(" ")
        setting[word] = rest
        if word == "clock":
            print("referee 1 liars-dice 1", "seats 2 4", "scores win", "ready", sep="\n", flush=True)
        elif word == "start":
            dice = int(setting["game"].rpartition("=")[2])
            play(int(setting["seats"]), dice, random.Random(int(setting["seed"])))


main()
