"""Referee of go, drawn with frames: a board game whose engines can speak GTP.

Black, seat 1, and white place stones in turn. Stones of one colour that touch along the lines are a
group; the free points beside it are its liberties. A move takes off the groups of the opponent that
it leaves without a liberty. It must not leave its own group without one, nor make a position that
was there before (positional superko). Two passes or 3 * size * size moves end the game. A seat has
its stones and the free points that border on them alone; white has `komi` more. No stone is dead:
take it off before you pass. The first `lots` moves are by lot. A seat that is at fault has lost.

An engine reads:
    size 9              at the start
    komi 7.5            at the start
    play B D4           black has moved there; of either seat, or by lot; or play W pass
    legal A1 B1 pass    it is to answer with one of these, or with resign
"""

import random
import sys

sys.stdin.reconfigure(encoding="utf-8", errors="replace", newline="\n")
COLUMNS = "ABCDEFGHJKLMNOPQRST"
COLOURS = " BW"  # by the number of the seat


def say(*words):
    """Writes a line to agon. Only the end of a step must be sent at once."""
    print(*words, flush=words[0] in ("wait", "end"))


def ask(seat):
    """Asks a seat. Returns its answer, or None if there is a fault instead."""
    say("ask", seat)
    say("wait")
    word, _, rest = sys.stdin.readline().rstrip("\n").partition(" ")
    return rest.partition(" ")[2] if word == "answer" else None


class Board:
    """Points are numbers from 0, row by row from A1; `stones` has a seat for each, or 0."""

    def __init__(self, size):
        self.size = size
        self.points = {f"{COLUMNS[point % size]}{point // size + 1}": point for point in range(size * size)}
        self.near = [[] for _ in range(size * size)]
        up = [(point, point + size) for point in range(size * size - size)]
        for one, other in up + [(point, point + 1) for point in range(size * size) if (point + 1) % size]:
            self.near[one].append(other)
            self.near[other].append(one)
        self.stones = [0] * (size * size)
        self.seen = {tuple(self.stones)}

    def area(self, stones, point):
        """The points of one content that hang together with this one, and the contents beside them."""
        found, beside, todo = {point}, set(), [point]
        while todo:
            for other in self.near[todo.pop()]:
                if stones[other] != stones[point]:
                    beside.add(stones[other])
                elif other not in found:
                    found.add(other)
                    todo.append(other)
        return found, beside

    def after(self, seat, point):
        """The stones after a move to a free point, or None if it is not legal."""
        stones = list(self.stones)
        stones[point] = seat
        for other in self.near[point]:
            if stones[other] == 3 - seat:
                group, beside = self.area(stones, other)
                for taken in group if 0 not in beside else ():
                    stones[taken] = 0
        return stones if 0 in self.area(stones, point)[1] and tuple(stones) not in self.seen else None

    def legal(self, seat):
        """The points that are legal, each with the stones after the move."""
        moves = {name: self.after(seat, at) for name, at in self.points.items() if not self.stones[at]}
        return {name: stones for name, stones in moves.items() if stones}

    def count(self):
        """The points of black less those of white."""
        total = 0
        for point, stone in enumerate(self.stones):
            owners = {stone} if stone else self.area(self.stones, point)[1]
            total += (owners == {1}) - (owners == {2})
        return total

    def draw(self):
        """Writes the empty board: its lines below the points, and the names of rows and columns."""
        end = self.size * 100
        say("board size", end + 100, end + 100)
        for name, point in self.points.items():
            say("board slot", point % self.size * 100 + 150, end - 50 - point // self.size * 100, "round", name)
        for at in range(50, end, 100):
            say("board line", 150, at, end + 50, at)
            say("board line", at + 100, 50, at + 100, end - 50)
            say("board label", 50, end - at, at // 100 + 1)
            say("board label", at + 100, end + 50, COLUMNS[at // 100])

    def play(self, stones):
        """Makes a move. Returns the items of its frame."""
        changed = [point for point, stone in enumerate(stones) if stone != self.stones[point]]
        self.stones = stones
        self.seen.add(tuple(stones))
        return [f"{point}={stones[point] or '.'}{f' *{point}' * bool(stones[point])}" for point in changed]


def play(size, komi, lots, chance):
    """One game, from the first line of its first step to `end`."""
    board, seat, answers = Board(size), 1, []
    board.draw()
    say("tell all size", size)
    say("tell all komi", komi)
    for _ in range(lots):
        name, stones = chance.choice(list(board.legal(seat).items()))
        board.play(stones)
        say("tell all play", COLOURS[seat], name)
        seat = 3 - seat
    say("board start", *(f"{point}={stone}" for point, stone in enumerate(board.stones) if stone))
    for _ in range(3 * size * size):
        legal, colour = board.legal(seat), COLOURS[seat]
        say("tell", seat, "legal", *legal, "pass")
        answer = ask(seat)
        if answer not in (*legal, "pass"):
            if answer == "resign":
                print(f"move {seat} resign", f"frame |{colour} resigns", sep="\n")
            elif answer is not None:
                say("bad", seat, "the answer is not a legal point, pass or resign")
            return say("end", seat - 1, 2 - seat, ":", colour, "resigns" if answer == "resign" else "is at fault")
        items = board.play(legal[answer]) if answer in legal else []
        say("move", seat, answer)
        say("tell all play", colour, answer)
        say("frame", f"{' '.join(items)}|{colour} {answer}")
        answers.append(answer)
        seat = 3 - seat
        if answers[-2:] == ["pass", "pass"]:
            break
    lead = board.count() - float(komi)
    say("end", int(lead > 0), int(lead < 0), f": {'B' if lead > 0 else 'W'}+{abs(lead):g}" if lead else ": a draw")


setting = {}  # what agon has said last, by the first word of the line
for line in sys.stdin:
    word, _, rest = line.rstrip("\n").partition(" ")
    setting[word] = rest
    if word == "clock":
        print("referee 1 go 1", "seats 2 2", "scores win", "ready", sep="\n", flush=True)
    elif word == "start":
        options = dict(option.split("=", 1) for option in setting["game"].split()[1:])
        play(int(options["size"]), options["komi"], int(options["lots"]), random.Random(int(setting["seed"])))
