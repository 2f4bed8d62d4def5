"""Referees with a program that starts its bots itself, over `referee 1`: it is given relay stubs.

relay.py [OPTION ...] -- COMMAND ...: in the command {seed}, {seats}, {log}, {bot1}, {bot2} are filled
in; an argument {bots} becomes one argument for each bot. The README lists the options.
"""
import argparse
import os
import re
import sys
import tempfile
import time

from inner import Failure, Inner
from result import result

FOLDER = os.path.dirname(os.path.abspath(__file__))
PATIENCE = 5  # seconds in which the referee may wait although no seat has new lines


def say(*words):
    print(*words)


def hear():
    """The next line of agon as its first word and the rest."""
    sys.stdout.flush()
    word, _, rest = sys.stdin.readline().rstrip("\n").partition(" ")
    if word in ("quit", ""):
        sys.exit(0)
    return word, rest


class Game:
    """One game: its questions and its end."""

    def __init__(self, options, seats, directory):
        self.options, self.seats, self.directory = options, range(1, seats + 1), directory
        self.log, self.failed = os.path.join(directory, "log"), set()
        self.inner = Inner(directory, self.seats)

    def command(self, seed):
        bots = [f"{sys.executable} {FOLDER}/agon_relay.py {self.directory} {seat}" for seat in self.seats]
        values = {"seed": seed, "seats": len(bots), "log": self.log}
        values |= {f"bot{seat}": bot for seat, bot in enumerate(bots, 1)}
        for word in self.options.command:
            if word == "{bots}":
                yield from bots
            else:
                yield re.sub(r"\{(\w+)\}", lambda name: str(values.get(name[1], name[0])), word)

    def play(self, seed):
        self.inner.start(list(self.command(seed)), FOLDER)
        looks, since = 0, time.monotonic()
        while not self.inner.over():
            looks = looks + 1 if self.inner.quiet(self.options.quiet / 2000) else 0
            if not looks or looks > 1 and self.ask():
                looks, since = 0, time.monotonic()
            elif time.monotonic() - since > PATIENCE:
                raise Failure("it waits, and no seat has new lines")
        self.end()

    def tell(self, seat):
        for line in self.inner.new[seat]:
            say("tell", seat, line)
        self.inner.new[seat] = []

    def ask(self):
        """Asks all seats that have new lines, in one step. False if there is none."""
        asked = [seat for seat in self.seats if self.inner.new[seat] and seat not in self.failed
                 and re.search(self.options.when, self.inner.new[seat][-1])]
        for seat in asked:
            self.tell(seat)
            say("ask", seat, *(["lines", self.options.answers] if self.options.answers > 1 else []))
        if asked:
            say("wait")
        for seat in asked:
            self.inner.answer(seat, self.answers(seat))
        return bool(asked)

    def answers(self, seat):
        """The lines of a seat, or None after a fault: then its stub closes its stdout."""
        lines = []
        while len(lines) < self.options.answers:
            word, rest = hear()
            if word == "fault":
                self.failed.add(seat)
                return None
            lines.append(rest.partition(" ")[2])
            say("secret", seat, lines[-1])  # whether it is hidden, the adapter cannot know
        return lines

    def end(self):
        for seat in self.seats:
            self.tell(seat)
        status = self.inner.process.wait()
        found = result(self.inner.output, self.log, len(self.seats))
        if found is None and not self.failed:
            raise Failure(f"it ended without a result, exit status {status}")
        # A referee may not be able to go on without a bot. Then the seat that failed has lost.
        scores, errors = found or ([int(seat not in self.failed) for seat in self.seats], [])
        for seat, error in zip(self.seats, errors):
            if error and seat not in self.failed:
                say("bad", seat, "an error, says the result of the referee")
        say("end", *scores)


def main():
    sys.stdin.reconfigure(encoding="utf-8", errors="replace", newline="\n")
    sys.stdout.reconfigure(encoding="utf-8")
    parser = argparse.ArgumentParser()
    parser.add_argument("--quiet", type=float, default=20)
    parser.add_argument("--when", default="")
    parser.add_argument("--answers", type=int, default=1)
    parser.add_argument("command", nargs="*")
    options = parser.parse_args()
    say("referee 1 relay 1")
    if not options.command or " " in FOLDER:
        return say("error", "the path of this folder has a space" if options.command else
                   "game.toml names no referee after `--` in its command")
    while True:
        word, rest = hear()
        if word == "seats":
            seats = int(rest)
        elif word == "clock":
            say("scores win\nready")
        elif word == "seed":
            seed = int(rest)
        elif word == "start":
            with tempfile.TemporaryDirectory() as directory:
                game = Game(options, seats, directory)
                try:
                    game.play(seed)
                except (Failure, OSError, LookupError, TypeError, ValueError) as failure:
                    say("void the inner referee:", str(failure) or repr(failure))
                game.inner.close()
                os.chdir(FOLDER)


main()
