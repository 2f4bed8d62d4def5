"""Referee of Dots and Boxes, drawn with frames: perfect information, and turns of several moves.

Rules. There are `size` times `size` boxes between dots. A dot has a letter for its column and a
number for its row, counted from the bottom left: a1. A move draws the edge between two neighbouring
dots, `a1-b1` or `a1-a2`, with the left or the lower dot first. A seat that draws the fourth edge of
a box owns the box and moves again; one edge can close two boxes. When all edges are drawn, the seat
with more boxes wins. At most `lots` edges, one of each box, are drawn by lot before the first move. A seat
that does not answer, or has an illegal answer, has lost.

An engine reads:
    size 4              at the start
    drawn b3-c3         this edge is drawn by lot
    1 a1-b1             seat 1 has drawn this edge
    box 1 a1            seat 1 has closed the box with this dot at its lower left corner
    legal a1-a2 b2-c2   it is to answer with one of these
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


def dot(column, row):
    return "abcdefghijklm"[column] + str(row + 1)


class Sheet:
    """The edges that are free, the edges of each open box, and the slot of each edge and box."""

    def __init__(self, size):
        self.size = size
        self.free = {}  # an edge and the place of its middle, in half boxes
        self.boxes = {}  # a box and its edges
        for row in range(size + 1):
            for column in range(size + 1):
                if column < size:
                    self.free[f"{dot(column, row)}-{dot(column + 1, row)}"] = 2 * column + 1, 2 * row
                if row < size:
                    self.free[f"{dot(column, row)}-{dot(column, row + 1)}"] = 2 * column, 2 * row + 1
        name = {place: edge for edge, place in self.free.items()}
        for row in range(1, 2 * size, 2):
            for column in range(1, 2 * size, 2):
                around = (column, row - 1), (column, row + 1), (column - 1, row), (column + 1, row)
                self.boxes[dot(column // 2, row // 2)] = [name[place] for place in around]
        self.slot = {thing: number for number, thing in enumerate([*self.free, *self.boxes])}

    def draw(self):
        """Writes the board: edges, boxes and dots are slots, in this order."""
        side = self.size * 100 + 200
        say("board size", side, side)

        def at(x, y):  # in half boxes
            return f"{x * 50 + 100} {side - y * 50 - 100}"

        for edge, (x, y) in self.free.items():
            across, up = x % 2, y % 2
            say("board edge", at(x - across, y - up), at(x + across, y + up), edge)
        for row in range(self.size):
            for column in range(self.size):
                say("board slot", at(2 * column + 1, 2 * row + 1), "square", "box", dot(column, row))
        for row in range(self.size + 1):
            for column in range(self.size + 1):
                say("board slot", at(2 * column, 2 * row), "round", "dot", dot(column, row))
        for place in range(self.size + 1):
            say("board label", at(2 * place, -1), dot(place, 0)[0])
            say("board label", at(-1, 2 * place), place + 1)

    def start(self, edges, most):
        """Draws at most so many of these edges, and only one of each box. Returns them."""
        drawn = []
        for edge in edges:
            around = [edges for edges in self.boxes.values() if edge in edges]
            if len(drawn) < most and all(len(self.free.keys() & edges) == 4 for edges in around):
                self.play(edge)
                drawn.append(edge)
        return drawn

    def play(self, edge):
        """Draws an edge. Returns the boxes that it has closed."""
        del self.free[edge]
        closed = [box for box, edges in self.boxes.items() if not self.free.keys() & edges]
        for box in closed:
            del self.boxes[box]
        return closed


def play(size, lots, chance):
    """One game, from the first line of its first step to `end`."""
    sheet, boxes, seat = Sheet(size), {1: 0, 2: 0}, 1
    sheet.draw()
    say("tell all size", size)
    drawn = sheet.start(chance.sample(list(sheet.free), len(sheet.free)), lots)
    say("board start", *(f'{sheet.slot[edge]}="+' for edge in drawn))
    for edge in drawn:
        say("tell all drawn", edge)
    while sheet.free:
        say("tell", seat, "legal", *sheet.free)
        edge = ask(seat)
        if edge not in sheet.free:
            if edge is not None:
                say("bad", seat, "the answer is not an edge that is free")
            boxes[seat] = -1
            break
        closed = sheet.play(edge)
        say("move", seat, edge)
        say("tell all", seat, edge)
        items = [f"{sheet.slot[thing]}={seat}" for thing in [edge, *closed]]
        said = f"{seat} draws {edge}"
        for box in closed:
            items.append(f"!{sheet.slot[box]}")
            say("tell all box", seat, box)
        boxes[seat] += len(closed)
        if closed:
            said += " and closes " + " and ".join(closed)
            say("score", seat, boxes[seat])
        else:
            seat = 3 - seat
        if not sheet.free:
            said += ": all edges are drawn"
        say("frame", *items, f"*{sheet.slot[edge]}|{said}")
    say("end", boxes[1], boxes[2], ":", f"seat {seat} has lost" if sheet.free else "all edges are drawn")


def main():
    setting = {}  # what agon has said last, by the first word of the line
    for line in sys.stdin:
        word, _, rest = line.rstrip("\n").partition(" ")
        setting[word] = rest
        if word == "clock":
            print("referee 1 dots 1", "seats 2 2", "scores win", "ready", sep="\n", flush=True)
        elif word == "start":
            options = dict(option.split("=", 1) for option in setting["game"].split()[1:])
            play(int(options["size"]), int(options["lots"]), random.Random(int(setting["seed"])))


main()
