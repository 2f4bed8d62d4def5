"""The rules of Tak, without any talk. A stack is a text of stones from the bottom to the top: 1 and 2
are flats of the seats, and the last one may be S (a wall) or C (a capstone) after its owner, as 121C.

The referee and its engine `roads` have the same file: the folder of an engine is whole, so it plays in a box."""

PIECES = {3: (10, 0), 4: (15, 0), 5: (21, 1), 6: (30, 1), 7: (40, 2), 8: (50, 2)}
QUIET = 50  # moves in a row without a new stone, after which the game is a draw
WAYS = {"+": (0, 1), "-": (0, -1), "<": (-1, 0), ">": (1, 0)}


def name(x, y):
    return "abcdefgh"[x] + str(y + 1)


def owner(stack):
    """The seat whose stone is on top, 0 if there is none."""
    return int(stack.rstrip("SC")[-1]) if stack else 0


def drops(count, room):
    """The ways to leave so many stones on at most so many squares, at least one on each."""
    return [[first, *rest] for first in range(1, count + 1) if room
            for rest in ([[]] if first == count else drops(count - first, room - 1))]


class Board:
    """The stacks by their squares, from a1 on; what each seat still has; and the seat to move."""

    def __init__(self, size, komi=0):
        self.size, self.komi, self.plies, self.quiet, self.seat = size, komi, 0, 0, 1
        self.stacks = {(x, y): "" for y in range(size) for x in range(size)}
        self.flats = [None, *[PIECES[size][0]] * 2]
        self.caps = [None, *[PIECES[size][1]] * 2]

    def legal(self):
        """The legal moves in PTN, and what each one does: a stone, or a square, a way and its drops."""
        seat, moves = self.seat, {}
        kinds = ["", "S"] * (self.flats[seat] > 0) + ["C"] * (self.caps[seat] > 0) if self.plies >= 2 else [""]
        for (x, y), stack in self.stacks.items():
            if not stack:
                moves.update({kind + name(x, y): (kind, (x, y)) for kind in kinds})
            elif owner(stack) == seat and self.plies >= 2:
                for way in WAYS:
                    for count in range(1, min(self.size, len(stack.rstrip("SC"))) + 1):
                        for parts in self.walks((x, y), way, count):
                            left = "".join(map(str, parts)) if len(parts) > 1 else ""
                            first = str(count) if count > 1 else ""
                            moves[first + name(x, y) + way + left] = ((x, y), way, parts)
        return moves

    def walks(self, start, way, count):
        """The drops with which so many stones of a stack can go this way."""
        (x, y), (right, up), room, wall = start, WAYS[way], 0, False
        while (x + right, y + up) in self.stacks:
            x, y = x + right, y + up
            if self.stacks[x, y][-1:] in ("S", "C"):
                wall = self.stacks[x, y][-1] == "S" and self.stacks[start][-1] == "C"
                break
            room += 1
        # A capstone alone may be the last stone, and flatten a wall.
        crush = [[1]] if room == 0 and count == 1 else [[*parts, 1] for parts in drops(count - 1, room)
                                                        if len(parts) == room]
        return drops(count, room) + (crush if wall else [])

    def play(self, first, second, parts=None):
        """Makes a move. Returns the squares that it changes."""
        if parts is None:
            self.stacks[second] = str(self.seat if self.plies >= 2 else 3 - self.seat) + first
            (self.caps if first == "C" else self.flats)[int(self.stacks[second][0])] -= 1
            changed = [second]
        else:
            stack, changed, (right, up) = self.stacks[first], [first], WAYS[second]
            kind, stack = stack[len(stack.rstrip("SC")):], stack.rstrip("SC")
            self.stacks[first], hand = stack[:-sum(parts)], stack[-sum(parts):]
            for step, part in enumerate(parts, start=1):
                square = first[0] + step * right, first[1] + step * up
                self.stacks[square] = self.stacks[square].rstrip("SC") + hand[:part]
                changed, hand = [*changed, square], hand[part:]
            self.stacks[changed[-1]] += kind
        self.quiet = self.quiet + 1 if parts else 0
        self.plies, self.seat = self.plies + 1, 3 - self.seat
        return changed

    def road(self, seat):
        """The squares that join two opposite edges by flats and capstones of a seat, or none."""
        mine = {square for square, stack in self.stacks.items() if owner(stack) == seat and stack[-1] != "S"}
        for axis in (0, 1):
            todo = [square for square in mine if square[axis] == 0]
            found = set(todo)
            for x, y in todo:
                beside = [(x + right, y + up) for right, up in WAYS.values() if (x + right, y + up) in mine - found]
                found.update(beside)
                todo.extend(beside)
            if any(square[axis] == self.size - 1 for square in found):
                return found
        return set()

    def lead(self):
        """Flats of seat 1 less those of seat 2 on top of stacks, and less the komi, in half flats."""
        tops = [stack[-1:] for stack in self.stacks.values()]
        return 2 * (tops.count("1") - tops.count("2")) - self.komi

    def result(self):
        """The winner, 0 for a draw, and why; None while the game goes on. Asked after each move."""
        for seat in (3 - self.seat, self.seat):  # who has made both roads wins
            if self.road(seat):
                return seat, "a road"
        if all(self.stacks.values()) or any(self.flats[seat] + self.caps[seat] == 0 for seat in (1, 2)):
            lead = self.lead()
            why = f"{lead / 2:+g} flats for seat 1, with komi {self.komi / 2:g}"
            return (1 if lead > 0 else 2 if lead else 0), why
        return (0, f"no new stone in {QUIET} moves") if self.quiet >= QUIET else None
