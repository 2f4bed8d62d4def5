"""A starter for a referee of your own game. The game in it is small: two seats take 1 to `most` stones
in turn from one heap, and the seat that takes the last stone wins.

agon starts this program and sends it lines; docs/referee.md of agon describes all of them. It plays by
their rules: flush at the end of each step, and draw all chance from the seed.
"""

import random
import sys

# An engine can write any bytes. Only a newline ends a line, and what is not UTF-8 is replaced.
sys.stdin.reconfigure(encoding="utf-8", errors="replace", newline="\n")
sys.stdout.reconfigure(encoding="utf-8")


def say(*words):
    """Writes a line to agon. It must be sent at once where a step ends: with wait and end."""
    print(*words, flush=words[0] in ("wait", "end"))


def hear():
    """Reads a line from agon: its first word, and the rest. At the end of the input both are empty."""
    word, _, rest = sys.stdin.readline().rstrip("\n").partition(" ")
    return word, rest


def ask(seat):
    """Asks a seat. Returns its answer, or None if there is a fault instead: late, crash, flood, closed."""
    say("ask", seat)
    say("wait")
    word, rest = hear()  # "answer", "1 3" or "fault", "1 late no answer within 1.02 s"
    return rest.partition(" ")[2] if word == "answer" else None


def play(heap, most):
    """One game, from the first line of its first step to `end`."""
    seat = 1
    say("tell all heap", heap)
    while True:
        legal = [str(number) for number in range(1, min(most, heap) + 1)]
        # With this line, an engine that knows nothing of the game can play at random.
        say("tell", seat, "legal", *legal)
        answer = ask(seat)
        other = 3 - seat
        if answer not in legal:
            # A fault is agon's to judge, and a bad answer is ours. Both lose this game.
            if answer is not None:
                say("bad", seat, "the answer is none of", *legal)
            winner, why = other, f"seat {seat} has lost"
            break
        heap -= int(answer)
        say("move", seat, answer)  # for the record, and for those who watch
        say("tell", other, seat, answer)
        if heap == 0:
            winner, why = seat, f"seat {seat} has taken the last stone"
            break
        seat = other
    # The score of each seat in order, and the reason. The highest score has the first place.
    say("end", int(winner == 1), int(winner == 2), ":", why)


def main():
    told = {}
    while True:
        word, rest = hear()
        told[word] = rest
        if word == "clock":
            # agon has sent game, seats and clock. An option that makes no sense: "error TEXT".
            print("referee 1 @NAME@ 1", "seats 2 2", "scores win", "ready", sep="\n", flush=True)
        elif word == "start":
            options = dict(option.split("=", 1) for option in told["game"].split()[1:])
            chance = random.Random(int(told["seed"]))  # the only source of chance
            play(chance.randint(10, int(options["stones"])), int(options["most"]))
        elif word in ("quit", ""):
            return


main()
