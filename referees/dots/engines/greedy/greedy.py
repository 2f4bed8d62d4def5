"""Dots and Boxes: closes a box where it can, and otherwise avoids the third edge of a box. It draws
lots between equal edges: python3 greedy.py SEED"""

import random
import sys

chance = random.Random(sys.argv[1])
size, free = 0, set()


def boxes(edge):
    """The boxes beside an edge, each as its four edges."""
    column, row = "abcdefghijklm".index(edge[0]), int(edge[1:].split("-")[0])
    upright = edge[0] == edge.split("-")[1][0]  # an upright edge has a box to the left and one to the right
    corners = [(column, row), (column - 1, row) if upright else (column, row - 1)]
    for x, y in corners:
        if 0 <= x < size and 1 <= y <= size:
            a, b = "abcdefghijklm"[x], "abcdefghijklm"[x + 1]
            yield {f"{a}{y}-{b}{y}", f"{a}{y + 1}-{b}{y + 1}", f"{a}{y}-{a}{y + 1}", f"{b}{y}-{b}{y + 1}"}


def worth(edge):
    """The boxes that this edge closes, less a half for each that the other can close next."""
    left = [len(box & free) for box in boxes(edge)]
    return left.count(1) - left.count(2) / 2


for line in sys.stdin:
    words = line.split()
    if words[0] == "size":
        size = int(words[1])
    elif words[0] == "legal":
        free = set(words[1:])
    elif words[0] == "?":
        edges = sorted(free)
        chance.shuffle(edges)
        print(max(edges, key=worth), flush=True)
