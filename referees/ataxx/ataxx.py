"""Referee of Ataxx, drawn with frames: a board game whose engines can speak UAI.

On 7x7 fields, x, seat 1, and o have two stones each in the corners. A move puts a stone on a free
field: a new one beside a stone of its own, diagonals included, or one that jumps there from two fields
away. Then all stones of the opponent beside it change sides. Who cannot move passes, as 0000. The game
is over when neither can move, when a seat has no stones, or after 100 moves in a row without a new
stone, which is a draw. Otherwise more stones win. The option `board` is the first part of a
FEN, with `-` for fields that nobody can enter. The first `lots` moves are by lot. A fault loses.

An engine reads:
    position fen x5o/7/7/7/7/7/o5x x 0 1     at the start
    move g2             x or o has moved, in turn, or by lot: a new stone; or move a1c3, or move 0000
    legal f1 g2 a1a3    it is to answer with one of these, or with resign
"""

import random
import sys

sys.stdin.reconfigure(encoding="utf-8", errors="replace", newline="\n")
SIZE, PASS, SIDES = 7, "0000", " xo"  # a side by the number of its seat
NAMES = [f"{'abcdefg'[field % SIZE]}{field // SIZE + 1}" for field in range(SIZE * SIZE)]


def say(*words):
    """Writes a line to agon. Only the end of a step must be sent at once."""
    print(*words, flush=words[0] in ("wait", "end"))


def ask(seat):
    """Asks a seat. Returns its answer, or None if there is a fault instead."""
    say("ask", seat)
    say("wait")
    word, _, rest = sys.stdin.readline().rstrip("\n").partition(" ")
    return rest.partition(" ")[2] if word == "answer" else None


def around(field, distance):
    """The fields so far away, as a king walks."""
    away = [(abs(other % SIZE - field % SIZE), abs(other // SIZE - field // SIZE)) for other in range(SIZE * SIZE)]
    return [other for other, steps in enumerate(away) if max(steps) == distance]


NEAR, FAR = ([around(field, distance) for field in range(SIZE * SIZE)] for distance in (1, 2))


def read(text):
    """The fields of a board from a1 on: 0, the seat of a stone, or `-`. None if it is no board to play on."""
    rows = []
    for row in reversed(text.split("/")):
        row = "".join("." * int(letter) if letter in "1234567" else letter for letter in row)
        if len(row) != SIZE or row.strip(".xo-"):
            return None
        rows += [{".": 0, "x": 1, "o": 2, "-": "-"}[letter] for letter in row]
    return rows if len(rows) == SIZE * SIZE and 1 in rows and 2 in rows else None


class Board:
    """The stones, and how many moves in a row have made no new one."""

    def __init__(self, text):
        self.fields, self.quiet = read(text), 0

    def steps(self, seat):
        """The moves of a seat with their two fields. A new stone has no field where it was."""
        steps = {}
        for field, stone in enumerate(self.fields):
            if stone == seat:
                for target in NEAR[field] + FAR[field]:
                    if self.fields[target] == 0 and target in NEAR[field]:
                        steps[NAMES[target]] = (None, target)
                    elif self.fields[target] == 0:
                        steps[NAMES[field] + NAMES[target]] = (field, target)
        return steps

    def legal(self, seat):
        """The moves of a seat; none if the game is over."""
        if self.quiet >= 100 or not {1, 2} <= set(self.fields):
            return {}
        own = self.steps(seat)
        return own or ({PASS: (None, None)} if self.steps(3 - seat) else {})

    def play(self, seat, origin, target):
        """Makes a move. Returns the items of its frame."""
        self.quiet = 0 if origin is None and target is not None else self.quiet + 1
        if target is None:
            return []
        turned = [field for field in NEAR[target] if self.fields[field] == 3 - seat]
        for field in [target, *turned]:
            self.fields[field] = seat
        if origin is not None:
            self.fields[origin] = 0
        first = f"{target}={seat}" if origin is None else f"{origin}>{target}"
        return [first, *(f"{field}={seat}" for field in turned), f"*{target}"]

    def draw(self):
        """Writes the empty board, with a letter for each column and a number for each row."""
        say("board size", SIZE * 100 + 100, SIZE * 100 + 100)
        for field, name in enumerate(NAMES):
            say("board slot", field % SIZE * 100 + 150, SIZE * 100 - 50 - field // SIZE * 100, "square", name)
        for at in range(SIZE):
            say("board label", 50, SIZE * 100 - 50 - at * 100, at + 1)
            say("board label", at * 100 + 150, SIZE * 100 + 50, "abcdefg"[at])


def play(text, lots, chance):
    """One game, from the first line of its first step to `end`."""
    board, seat = Board(text), 1
    board.draw()
    say("tell all position fen", text, "x 0 1")
    for _ in range(lots):
        name, steps = chance.choice(list(board.legal(seat).items()))
        before = list(board.fields), board.quiet
        board.play(seat, *steps)
        if not board.legal(3 - seat):
            board.fields, board.quiet = before  # nobody could be asked any more
            break
        say("tell all move", name)
        seat = 3 - seat
    contents = [(field, '"#' if stone == "-" else stone) for field, stone in enumerate(board.fields) if stone]
    say("board start", *(f"{field}={content}" for field, content in contents))
    while legal := board.legal(seat):
        say("tell", seat, "legal", *legal)
        answer = ask(seat)
        if answer not in legal:
            if answer == "resign":
                print(f"move {seat} resign", f"frame |{SIDES[seat]} resigns", sep="\n")
            elif answer is not None:
                say("bad", seat, "the answer is not a legal move")
            return say("end", seat - 1, 2 - seat, ":", SIDES[seat], "resigns" if answer == "resign" else "is at fault")
        items = board.play(seat, *legal[answer])
        say("move", seat, answer)
        say("tell all move", answer)
        say("frame", f"{' '.join(items)}|{SIDES[seat]} {'passes' if answer == PASS else answer}")
        seat = 3 - seat
    x, o = (board.fields.count(number) for number in (1, 2))
    drawn = board.quiet >= 100 and x and o
    say(*["end 0 0 : no new stone in 100 moves"] if drawn else ["end", int(x > o), int(o > x), f": {x} stones to {o}"])


setting = {}  # what agon has said last, by the first word of the line
for line in sys.stdin:
    word, _, rest = line.rstrip("\n").partition(" ")
    setting[word] = rest
    if word == "clock":
        options = dict(option.split("=", 1) for option in setting["game"].split()[1:])
        fine = read(options["board"]) and Board(options["board"]).legal(1)
        last = "ready" if fine else "error board is no position of 7x7 in which somebody can move"
        print("referee 1 ataxx 1", "seats 2 2", "scores win", last, sep="\n", flush=True)
    elif word == "start":
        play(options["board"], int(options["lots"]), random.Random(int(setting["seed"])))
