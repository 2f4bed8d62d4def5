"""Referees with a program that speaks the old line protocol of brutaltester, over `referee 1`.

brutaltester.py [--seed] [--missing TEXT] -- COMMAND ...: the command is started anew for each game.
With --seed it is sent the seed first, as brutaltester does when it is asked to. A referee that does
not expect a seed reads it as something else.
"""
import argparse
import subprocess
import sys


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
    """One game: what the line referee writes, turned into lines for agon."""

    def __init__(self, inner, seats, missing):
        self.inner, self.seats, self.missing = inner, seats, missing
        self.gone = {}  # the seats that are not asked again, or were late, and why
        self.blamed = set()

    def write(self, *lines):
        self.inner.stdin.write("".join(line + "\n" for line in lines))
        self.inner.stdin.flush()

    def play(self, seed):
        """Plays it with this seed; None for a referee that takes none."""
        if seed is not None:
            self.write(f"###Seed {seed % (2**31 - 1)}")
        self.write(f"###Start {self.seats}")
        told = None
        for line in self.inner.stdout:
            line = line.rstrip("\r\n")
            word, *words = line.split(" ") if line.startswith("###") else [""]
            if word == "###Input":
                told = self.seat(words[0])
            elif word == "###Output":
                told = None
                self.write(*self.answers(self.seat(words[0]), int(words[1])))
            elif word == "###Error":
                self.error(self.seat(words[0]), " ".join(words[1:]) or "an error, says the referee")
            elif word == "###End":
                return self.end(words)
            elif word:
                raise ValueError("not a line of the protocol")
            elif told:
                say("tell", told, line)
            else:
                print(line, file=sys.stderr)  # a message for the author
        raise EOFError

    def seat(self, index):
        if not 0 <= int(index) < self.seats:
            raise ValueError("no such player")
        return int(index) + 1

    def answers(self, seat, count):
        """Asks a seat for its lines. A seat that is out, or has failed, owes them all."""
        if seat in self.blamed:
            return [self.missing] * count
        say("ask", seat, *(["lines", count] if count > 1 else []))
        say("wait")
        lines = []
        while len(lines) < count:
            word, rest = hear()
            if word == "fault":
                self.gone[seat] = rest.split(" ")[1]
                return [self.missing] * count
            lines.append(rest.partition(" ")[2])
        self.gone.pop(seat, None)
        say("move", seat, " | ".join(lines))
        return lines

    def error(self, seat, text):
        """A complaint puts the seat out. It is no fault of the answer if there was none."""
        if seat not in self.blamed and seat not in self.gone:
            say("bad", seat, text)
        elif seat not in self.blamed and self.gone[seat] == "late":
            say("out", seat)
        say("public seat", f"{seat}:", text)
        self.blamed.add(seat)

    def end(self, places):
        """`###End 0 12`: player 0 is first, and 1 and 2 share the next place."""
        scores = [0] * self.seats
        for place, players in enumerate(places):
            for player in players:
                scores[self.seat(player) - 1] = self.seats - place
        say("end", *scores)


def main():
    sys.stdin.reconfigure(encoding="utf-8", errors="replace", newline="\n")
    sys.stdout.reconfigure(encoding="utf-8")
    split = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    before, command = sys.argv[1:split], sys.argv[split + 1:]
    given = argparse.ArgumentParser(prog="brutaltester.py")
    given.add_argument("--seed", action="store_true")
    given.add_argument("--missing", default="")
    given = given.parse_args(before)
    say("referee 1 brutaltester 1")
    if not command:
        return say("error game.toml names no referee after `--` in its command")
    while True:
        word, rest = hear()
        if word == "seats":
            seats = int(rest)
        elif word == "clock":
            say("scores win\nready")
        elif word == "seed":
            seed = int(rest)
        elif word == "start":
            play(command, seats, given.missing, seed if given.seed else None)


def play(command, seats, missing, seed):
    """A game with a referee process of its own. A failure of the process makes the game void."""
    try:
        inner = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8",
                                 errors="replace")
    except OSError as error:
        return say("void cannot start the referee:", error)
    game = Game(inner, seats, missing)
    try:
        game.play(seed)
    except (EOFError, BrokenPipeError):
        say("void the referee has ended without ###End, with exit status", inner.wait())
    except (ValueError, IndexError) as error:
        say("void the referee does not speak the old protocol:", error)
    finally:
        inner.kill()
        inner.wait()


main()
