"""Referee of a negotiation for three: they divide a sum, and pass messages on to each other.

Rules. In each round every seat first writes a message, all at the same time, and reads the
others. Then one seat offers a division of the sum, `40-30-30`: a share for each seat, in whole
numbers that add up to the sum. The two others `accept` or `reject` it at the same time. If one of
them accepts, each seat gets its share, and the game is over. Otherwise the sum shrinks by `shrink`
percent, rounded down, and the next seat makes the offer in the next round. After the last round
nobody gets anything. The seed decides who makes the first offer.

An engine reads:
    round 2 sum 90 offers 3     the round, the sum that is left, and the seat that makes the offer
    message                     it is to answer with a message; an empty line or - is none
    said 1 you get half of it   seat 1 wrote this message, and never more than 200 characters
    offer                       it is to answer with an offer
    offered 3 30-0-60           seat 3 makes this offer
    vote                        it is to answer with accept or reject
    voted 1 accept              the vote of seat 1
    legal accept reject         before each question: moves for a player without ideas. Every
                                message and every offer that adds up is legal, listed or not

A seat that does not answer says nothing, makes no offer, or rejects. An illegal answer puts the seat
out: it gets nothing, and the last seat that is left gets the whole sum.
"""

import random
import re
import sys

sys.stdin.reconfigure(encoding="utf-8", errors="replace", newline="\n")
sys.stdout.reconfigure(encoding="utf-8", newline="\n")


def say(*words):
    """Writes a line to agon. Only the end of a step must be sent at once."""
    print(*words, flush=words[0] in ("wait", "end"))


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


def everyone(*words):
    """Tells a line to all seats and shows it to spectators."""
    say("tell all", *words)
    say("public", *words)


def clean(text):
    """A message of another program is not believed: it is bounded, and odd characters are replaced."""
    return "".join(letter if letter.isprintable() else "?" for letter in text[:200]).strip()


def talk(seats):
    """All seats write a message and read those of the others."""
    for seat in seats:
        say("tell", seat, "message")
        say("tell", seat, "legal -")
    for seat, answer in ask(seats).items():
        message = clean(answer or "")
        if answer is not None:
            say("move", seat, message or "-")
        if message not in ("", "-"):
            say("tell all said", seat, message)


def offer(seats, seat, total):
    """The offer of this seat as three shares, or None."""
    tenths = sorted({total * tenth // 10 for tenth in range(11)})
    offers = [f"{a}-{b}-{total - a - b}" for a in tenths for b in tenths if a + b <= total]
    say("tell", seat, "offer")
    say("tell", seat, "legal", *offers)
    answer = ask([seat])[seat]
    if answer is None:
        everyone("no offer of", seat)
        return None
    shares = [int(share) for share in re.findall("[0-9]+", answer)]
    if not re.fullmatch("[0-9]{1,4}-[0-9]{1,4}-[0-9]{1,4}", answer) or sum(shares) != total:
        say("bad", seat, "not an offer of three shares that add up to the sum")
        seats.remove(seat)
        return None
    say("move", seat, "-".join(map(str, shares)))
    everyone("offered", seat, "-".join(map(str, shares)))
    return shares


def vote(seats, voters):
    """Whether one of the voters accepts."""
    for seat in voters:
        say("tell", seat, "vote")
        say("tell", seat, "legal accept reject")
    accepted = False
    for seat, answer in ask(voters).items():
        if answer in ("accept", "reject"):
            say("move", seat, answer)
        elif answer is not None:
            say("bad", seat, "the answer is neither accept nor reject")
            seats.remove(seat)
        everyone("voted", seat, answer if answer == "accept" else "reject")
        accepted = accepted or answer == "accept"
    return accepted


def play(total, rounds, shrink, first):
    """One game, from the first line of its first step to `end`."""
    seats = [1, 2, 3]
    for number in range(1, rounds + 1):
        turn = (first + number - 1) % 3 + 1
        everyone("round", number, "sum", total, "offers", turn)
        talk(seats)
        shares = offer(seats, turn, total) if turn in seats else None
        voters = [seat for seat in seats if seat != turn]
        if shares and len(seats) > 1 and vote(seats, voters):
            gets = [share if seat in seats else 0 for seat, share in zip((1, 2, 3), shares)]
            return say("end", *gets, ":", f"they agree in round {number}")
        if len(seats) == 1:
            return say("end", *(total if seat in seats else 0 for seat in (1, 2, 3)), ": one seat is left")
        total -= -(-total * shrink // 100)
    say("end 0 0 0 : they do not agree")


def main():
    setting = {}  # what agon has said last, by the first word of the line
    for line in sys.stdin:
        word, _, rest = line.rstrip("\n").partition(" ")
        setting[word] = rest
        if word == "clock":
            print("referee 1 divide 1", "seats 3 3", "scores sum", "ready", sep="\n", flush=True)
        elif word == "start":
            options = dict(option.split("=", 1) for option in setting["game"].split()[1:])
            first = random.Random(int(setting["seed"])).randrange(3)
            play(int(options["sum"]), int(options["rounds"]), int(options["shrink"]), first)


main()
