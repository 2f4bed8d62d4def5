"""Light cycles: goes where it can reach the most cells before the others can."""

import sys

WAYS = {"up": (0, -1), "right": (1, 0), "down": (0, 1), "left": (-1, 0)}
me, size, walls, heads = sys.argv[1], 0, set(), {}


def neighbours(cell):
    for dx, dy in WAYS.values():
        x, y = cell[0] + dx, cell[1] + dy
        if 1 <= x <= size and 1 <= y <= size and (x, y) not in walls:
            yield x, y


def territory(start):
    """The number of cells that we reach first when all spread out from their heads."""
    owner, front = {start: me}, [start]
    for seat, head in heads.items():
        if seat != me:
            for cell in neighbours(head):
                # A cell that another can enter in this turn as well is not safe.
                front += [cell] if owner.setdefault(cell, seat) == seat else []
                if cell == start:
                    return 0
    for cell in front:  # the list grows while the loop runs
        for other in neighbours(cell):
            if other not in owner:
                owner[other] = owner[cell]
                front.append(other)
    return list(owner.values()).count(me)


for line in sys.stdin:
    word, *rest = line.split()
    if word == "size":
        size = int(rest[0])
    elif word in ("rock", "at"):
        cell = tuple(int(number) for number in rest[-1].split(","))
        walls.add(cell)
        if word == "at":
            heads[rest[0]] = cell
    elif word == "crash":
        del heads[rest[0]]
    elif word == "legal":
        legal = rest
    elif word == "?":
        x, y = heads[me]
        print(max(legal, key=lambda way: territory((x + WAYS[way][0], y + WAYS[way][1]))), flush=True)
