"""Referee of the iterated prisoner's dilemma with noise: both seats answer at the same time.

Rules. In each round both seats `cooperate` or `defect`, without knowing what the other does. With
the chance `noise`, a seat does the opposite of what it chose. Each gets points by what was done:

    both cooperate            each gets `reward`
    both defect               each gets `punishment`
    one defects alone         it gets `temptation`, the other gets `sucker`

The options must keep temptation > reward > punishment >= sucker. The score is the sum of the points.

An engine reads, in each round:
    round 5                     the number of the round
    legal cooperate defect      it is to answer with one of these
    done defect cooperate       what it did itself and what the other did, after the noise
    points 5 0                  the points of this round, its own first

A seat that does not answer cooperates. After three faults, or an illegal answer, it always does.
"""

import random
import sys

sys.stdin.reconfigure(encoding="utf-8", errors="replace", newline="\n")

ACTIONS = ("cooperate", "defect")


def say(*words):
    """Writes a line to agon. Only the end of a step must be sent at once."""
    print(*words, flush=words[0] in ("ready", "wait", "end"))


def ask(seats):
    """Asks these seats together. Returns the answer of each, None if there is a fault instead."""
    for seat in seats:
        say("ask", seat)
    say("wait")
    answers = {}
    for seat in seats:  # in the same order
        word, _, rest = sys.stdin.readline().rstrip("\n").partition(" ")
        answers[seat] = rest.partition(" ")[2] if word == "answer" else None
    return answers


class Players:
    """The faults of each seat, and the seats that are still asked."""

    def __init__(self):
        self.faults = {1: 0, 2: 0}
        self.asked = [1, 2]

    def choose(self):
        """What each seat chose in this round."""
        chosen = {1: "cooperate", 2: "cooperate"}
        for seat in self.asked:
            say("tell", seat, "legal", *ACTIONS)
        for seat, answer in ask(self.asked).items():
            if answer in ACTIONS:
                chosen[seat] = answer
                say("move", seat, answer)
                continue
            say("public", seat, "cooperate by default")
            self.faults[seat] += 1
            if answer is not None:
                say("bad", seat, "the answer is neither cooperate nor defect")
            elif self.faults[seat] == 3:
                say("out", seat)
            if answer is not None or self.faults[seat] == 3:
                self.asked.remove(seat)
        return chosen


def play(options, chance):
    """One game, from the first line of its first step to `end`."""
    payoff = {
        ("cooperate", "cooperate"): int(options["reward"]),
        ("cooperate", "defect"): int(options["sucker"]),
        ("defect", "cooperate"): int(options["temptation"]),
        ("defect", "defect"): int(options["punishment"]),
    }
    players, total = Players(), {1: 0, 2: 0}
    for number in range(1, int(options["rounds"]) + 1):
        if not players.asked:
            break
        say("tell all round", number)
        done = players.choose()
        for seat in done:
            # The noise is drawn in every round, so that it does not depend on the answers.
            if chance.random() < float(options["noise"]):
                done[seat] = "defect" if done[seat] == "cooperate" else "cooperate"
        say("public round", number, "done", done[1], done[2])
        points = {1: payoff[done[1], done[2]], 2: payoff[done[2], done[1]]}
        for seat, other in ((1, 2), (2, 1)):
            say("tell", seat, "done", done[seat], done[other])
            say("tell", seat, "points", points[seat], points[other])
            total[seat] += points[seat]
            say("score", seat, total[seat])
    say("end", total[1], total[2], ":", "all rounds are played" if players.asked else "nobody plays any more")


def error_in(options):
    """What is wrong with the options, or nothing."""
    order = [int(options[name]) for name in ("temptation", "reward", "punishment", "sucker")]
    if not order[0] > order[1] > order[2] >= order[3]:
        return "the options must keep temptation > reward > punishment >= sucker"
    return ""


def main():
    setting, options = {}, {}
    for line in sys.stdin:
        word, _, rest = line.rstrip("\n").partition(" ")
        setting[word] = rest
        if word == "game":
            options = dict(option.split("=", 1) for option in rest.split()[1:])
        elif word == "clock":
            print("referee 1 dilemma 1", "seats 2 2", "scores sum", sep="\n")
            if error_in(options):
                say("error", error_in(options))
            say("ready")
        elif word == "start":
            play(options, random.Random(int(setting["seed"])))


main()
