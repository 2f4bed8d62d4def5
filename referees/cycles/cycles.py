"""Referee of light cycles, drawn with frames: up to four seats move at the same time.

Rules. Each seat has a cycle on a square grid. In each turn all cycles go one cell `up`, `right`,
`down` or `left`, and what they leave behind is a wall. A cycle crashes if it goes over the edge, into
a wall or a rock, or into the same cell as another. The last cycle that drives wins. The score is the
number of turns that a seat has outlived. The starts, and the rocks, `rocks` in each quarter, come
from the seed. All quarters are alike.

An engine reads at the start, and then in each turn:
    size 16                 the grid: cell 1,1 is at the top left, 16,1 at the top right
    rock 3,4                a cell that nobody can enter
    at 2 5,9                seat 2 starts on this cell, or has gone to it
    crash 2                 seat 2 has crashed. Its wall stays
    turn 8                  the number of the turn that begins
    legal up left           the directions that are free, or all four if none is

A seat that does not answer goes on in its direction. An illegal answer is a crash.
"""

import random
import sys

sys.stdin.reconfigure(encoding="utf-8", errors="replace", newline="\n")

WAYS = {"up": (0, -1), "right": (1, 0), "down": (0, 1), "left": (-1, 0)}


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


class Grid:
    """The walls, and the cell and the direction of each cycle that drives."""

    def __init__(self, seats, size, rocks, chance):
        self.size = size
        self.slot = {(i % size, i // size): i for i in range(size * size)}
        quarter = [(x, y) for x in range(size // 2) for y in range(size // 2)]
        start, *stones = chance.sample(quarter, 1 + rocks)
        self.rocks = [cell for stone in stones for cell in self.turned(stone)]
        a, b, c, d = self.turned(start)  # two seats start opposite each other
        self.at = dict(zip(range(1, seats + 1), (a, c, b, d)))
        self.way = dict(zip(self.at, ("right", "left", "down", "up")))
        self.walls = set(self.rocks) | set(self.at.values())

    def turned(self, cell):
        """This cell and its three images when the grid is turned by 90 degrees."""
        (x, y), last = cell, self.size - 1
        return [(x, y), (last - y, x), (last - x, last - y), (y, last - x)]

    def next(self, seat, way):
        return self.at[seat][0] + WAYS[way][0], self.at[seat][1] + WAYS[way][1]

    def free(self, cell):
        return cell in self.slot and cell not in self.walls

    def draw(self):
        """Writes the board, and tells every seat the same in words."""
        say("tell all size", self.size)
        say("board size", self.size * 100, self.size * 100)
        for x, y in self.slot:
            say("board slot", x * 100 + 50, y * 100 + 50, "square", name((x, y)))
        for rock in self.rocks:
            say("tell all rock", name(rock))
        for seat, cell in self.at.items():
            say("tell all at", seat, name(cell))
        items = [f'{self.slot[rock]}="#' for rock in self.rocks]
        say("board start", *items, *(f"{self.slot[cell]}={seat}" for seat, cell in self.at.items()))

    def turn(self):
        """Asks all cycles for their way and moves them, or lets them crash."""
        for seat in self.at:
            say("tell", seat, "legal", *([way for way in WAYS if self.free(self.next(seat, way))] or WAYS))
        crashed, items, said = [], [], []
        for seat, answer in ask(list(self.at)).items():
            if answer in WAYS:
                self.way[seat] = answer
                say("move", seat, answer)
            elif answer is None:
                say("public", seat, self.way[seat], "by default")
            else:
                crashed.append(seat)
                say("bad", seat, "the answer is not a direction")
        to = {seat: self.next(seat, self.way[seat]) for seat in self.at if seat not in crashed}
        for seat, cell in to.items():
            if self.free(cell) and list(to.values()).count(cell) == 1:
                items += [f"{self.slot[cell]}={seat}", f"*{self.slot[cell]}"]
                said.append(f"{seat} goes {self.way[seat]}")
            else:
                crashed.append(seat)
                say("out", seat)
        for seat in sorted(crashed):
            items.append(f"!{self.slot[self.at.pop(seat)]}")
            said.append(f"{seat} crashes")
            say("tell all crash", seat)
        for seat in self.at:
            self.at[seat] = to[seat]
            self.walls.add(to[seat])
            say("tell all at", seat, name(to[seat]))
        say("frame", " ".join(items) + "|" + ", ".join(said))


def name(cell):
    return f"{cell[0] + 1},{cell[1] + 1}"


def play(seats, options, chance):
    """One game, from the first line of its first step to `end`."""
    grid = Grid(seats, int(options["size"]), int(options["rocks"]), chance)
    grid.draw()
    score = dict.fromkeys(grid.at, 0)
    while len(grid.at) > 1:
        say("tell all turn", max(score.values()) + 1)
        grid.turn()
        score.update({seat: score[seat] + 1 for seat in grid.at})
    say("end", *score.values(), ":", f"seat {min(grid.at)} drives on" if grid.at else "the last cycles crashed")


def main():
    setting = {}  # what agon has said last, by the first word of the line
    for line in sys.stdin:
        word, _, rest = line.rstrip("\n").partition(" ")
        setting[word] = rest
        if word == "clock":
            print("referee 1 cycles 1", "seats 2 4", "scores win", "ready", sep="\n", flush=True)
        elif word == "start":
            options = dict(option.split("=", 1) for option in setting["game"].split()[1:])
            play(int(setting["seats"]), options, random.Random(int(setting["seed"])))


main()
