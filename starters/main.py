"""A starter for @GAME@: it plays random legal moves. Your ideas go into choose().

Handed in alone, without its engine.toml, it is started as these two lines say:
agon: args = @ARGS@
agon: games = @GAMES@

agon starts it as: main.py SIDE TO_MOVE SECONDS. The position comes on standard input, then each move
of the opponent. A move of ours is one line on standard output; notes belong on standard error.
"""

import random
import sys


def read_line():
    """The next line without its newline. At the end of the input the game is over."""
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    return line.strip()


#: mnk connect4
class Position:
    """The rows of the board from the top; a cell is X, O or a dot."""

    def __init__(self):
        self.columns, self.rows, self.k = (int(number) for number in read_line().split())
        self.cells = [list(read_line()) for _ in range(self.rows)]

#: mnk
    def moves(self, side):
        """All free cells: the letter of the column, and the number of the row from the bottom."""
        return [
            f"{chr(ord('a') + column)}{self.rows - row}"
            for row in range(self.rows)
            for column in range(self.columns)
            if self.cells[row][column] == "."
        ]

    def play(self, side, move):
        self.cells[self.rows - int(move[1:])][ord(move[0]) - ord("a")] = side

#: connect4
    def moves(self, side):
        """The numbers of the columns that are not full."""
        return [str(column + 1) for column in range(self.columns) if self.cells[0][column] == "."]

    def play(self, side, move):
        for row in reversed(self.cells):
            if row[int(move) - 1] == ".":
                row[int(move) - 1] = side
                return

#: chess
STRAIGHT = [(1, 0), (-1, 0), (0, 1), (0, -1)]
SLANTED = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
LEAPS = [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)]
STEPS = {"n": LEAPS, "b": SLANTED, "r": STRAIGHT, "q": STRAIGHT + SLANTED, "k": STRAIGHT + SLANTED}


def name(square):
    return "abcdefgh"[square[0]] + str(square[1] + 1)


class Position:
    """The pieces by their squares, as FEN writes them: white ones are capitals. A square is (file, rank),
    both from 0. This starter never castles itself; to know when it may is left to you."""

    def __init__(self):
        rows, _, _, passed = read_line().split()[:4]
        self.pieces = {}
        for row, signs in enumerate(rows.split("/")):
            file = 0
            for sign in signs:
                if sign.isdigit():
                    file += int(sign)
                else:
                    self.pieces[file, 7 - row] = sign
                    file += 1
        self.passed = passed  # the square behind a pawn that has made two steps

    def side(self, square):
        """The side of the piece on a square; None if there is none, or no square."""
        piece = self.pieces.get(square)
        return piece and ("W" if piece.isupper() else "B")

    def reached(self, square, side):
        """The squares where a piece of this side goes, and of a pawn those that it attacks."""
        kind = self.pieces[square].lower()
        if kind == "p":
            steps = [(1, 1), (-1, 1)] if side == "W" else [(1, -1), (-1, -1)]
        else:
            steps = STEPS[kind]
        for files, ranks in steps:
            file, rank = square[0] + files, square[1] + ranks
            while 0 <= file < 8 and 0 <= rank < 8:
                yield file, rank
                if kind in "pnk" or (file, rank) in self.pieces:
                    break
                file, rank = file + files, rank + ranks

    def steps(self, side):
        """The moves, whether or not they leave the own king in check."""
        for square in [square for square in self.pieces if self.side(square) == side]:
            targets = [to for to in self.reached(square, side) if self.side(to) != side]
            if self.pieces[square].lower() == "p":
                ahead, home = (1, 1) if side == "W" else (-1, 6)
                targets = [to for to in targets if to in self.pieces or name(to) == self.passed]
                one, two = (square[0], square[1] + ahead), (square[0], square[1] + 2 * ahead)
                if one not in self.pieces:
                    targets += [one] + ([two] if square[1] == home and two not in self.pieces else [])
            for to in targets:
                last = self.pieces[square].lower() == "p" and to[1] in (0, 7)
                for promotion in "qrbn" if last else [""]:
                    yield name(square) + name(to) + promotion

    def moves(self, side):
        """Those of the steps after which the own king is not attacked."""
        legal = []
        for text in list(self.steps(side)):
            before = dict(self.pieces), self.passed
            self.play(side, text)
            other = "B" if side == "W" else "W"
            king = next(square for square, piece in self.pieces.items() if piece == "kK"[side == "W"])
            theirs = [square for square in self.pieces if self.side(square) == other]
            if not any(king in self.reached(square, other) for square in theirs):
                legal.append(text)
            self.pieces, self.passed = before
        return legal

    def play(self, side, move):
        start, to = [("abcdefgh".index(move[at]), int(move[at + 1]) - 1) for at in (0, 2)]
        piece = self.pieces.pop(start)
        kind, passed, self.passed = piece.lower(), self.passed, "-"
        if kind == "k" and (self.side(to) == side or abs(to[0] - start[0]) > 1):
            # Castling: the king goes two files, or in Chess960 takes its own rook.
            short, rank = to[0] > start[0], start[1]
            outwards = [(file, rank) for file in (range(start[0] + 1, 8) if short else range(start[0]))]
            rooks = [square for square in outwards if self.pieces.get(square, "").lower() == "r"]
            rook = to if self.side(to) == side else (rooks[-1] if short else rooks[0])
            sign = self.pieces.pop(rook)
            self.pieces[6 if short else 2, rank] = piece
            self.pieces[5 if short else 3, rank] = sign
            return
        if kind == "p" and name(to) == passed:
            del self.pieces[to[0], start[1]]
        if kind == "p" and abs(to[1] - start[1]) == 2:
            self.passed = name((to[0], (to[1] + start[1]) // 2))
        promotion = move[4:]
        self.pieces[to] = (promotion.upper() if side == "W" else promotion) or piece

#: mill
class Position:
    """The cube as cells[z][y][x], with the bottom plane first; a cell is W, B or a dot."""

    def __init__(self):
        read_line()  # the size is always 4 4 4
        letters = {"1": "W", "2": "B", ".": "."}
        self.cells = [[[letters[cell] for cell in read_line()] for _ in range(4)] for _ in range(4)]

    def moves(self, side):
        """The columns, x and y, whose top cell is free."""
        return [f"{x + 1}{y + 1}" for x in range(4) for y in range(4) if self.cells[3][y][x] == "."]

    def play(self, side, move):
        x, y = int(move[0]) - 1, int(move[1]) - 1
        for plane in self.cells:
            if plane[y][x] == ".":
                plane[y][x] = side
                return

#: morris
# The lines of the board. Those of three points are mills; those of two only join their points.
SIX = "0-1-2 3-4-5 10-11-12 13-14-15 0-6-13 3-7-10 5-8-12 2-9-15 1-4 6-7 8-9 11-14"
NINE = """0-1-2 3-4-5 6-7-8 9-10-11 12-13-14 15-16-17 18-19-20 21-22-23
    0-9-21 3-10-18 6-11-15 1-4-7 16-19-22 8-12-17 5-13-20 2-14-23"""


class Position:
    """The points in order, each X, O or a dot, and the men in hand."""

    def __init__(self):
        self.points = []
        line = read_line()
        while " " not in line:
            self.points += line
            line = read_line()
        x, o = line.split()[1:3]
        self.hand = {"X": int(x), "O": int(o)}
        text = SIX if len(self.points) == 16 else NINE
        self.lines = [[int(point) for point in line.split("-")] for line in text.split()]

    def of(self, mark):
        return [point for point, there in enumerate(self.points) if there == mark]

    def joined(self, one, other):
        return any(pair in (line[:2], line[1:]) for line in self.lines for pair in ([one, other], [other, one]))

    def in_mill(self, point, side):
        mills = [line for line in self.lines if len(line) == 3 and point in line]
        return any(all(self.points[there] == side for there in mill) for mill in mills)

    def moves(self, side):
        own, free = self.of(side), self.of(".")
        if self.hand[side] > 0:
            steps = [(None, to) for to in free]
        else:
            steps = [(start, to) for start in own for to in free if self.joined(start, to)]
            if not steps and len(own) == 3:  # three men may fly
                steps = [(start, to) for start in own for to in free]
        return [text for start, to in steps for text in self.with_removals(side, start, to)]

    def with_removals(self, side, start, to):
        """The move, or where it closes a mill, the move with each man that may be removed."""
        text = str(to) if start is None else f"{start}-{to}"
        before = self.points[:]
        if start is not None:
            self.points[start] = "."
        self.points[to] = side
        other = "O" if side == "X" else "X"
        men = self.of(other) if self.in_mill(to, side) else []
        outside = [man for man in men if not self.in_mill(man, other)]
        self.points = before
        return [f"{text}r{man}" for man in outside or men] or [text]

    def play(self, side, move):
        step, _, removed = move.partition("r")
        start, dash, to = step.rpartition("-")
        if dash:
            self.points[int(start)] = "."
        else:
            self.hand[side] -= 1
        self.points[int(to)] = side
        if removed:
            self.points[int(removed)] = "."

#: abalone
# The steps to the six neighbours. A cell is (row, column); row f begins with column 2, so that a step is
# the same everywhere.
STEPS = [(0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, -1)]
MARBLES = {"B": "#", "W": "O"}


def cell(name):
    row = ord(name[0]) - ord("a")
    return row, int(name[1]) + max(0, row - 4)


def name(cell):
    row, column = cell
    return f"{chr(ord('a') + row)}{column - max(0, row - 4)}"


def add(cell, step, times=1):
    return cell[0] + step[0] * times, cell[1] + step[1] * times


class Position:
    """The marbles by their cells, # for black and O for white, and all boards so far."""

    def __init__(self):
        self.cells = {}
        for row in range(8, -1, -1):
            for number, marble in enumerate(read_line(), start=1):
                self.cells[row, number + max(0, row - 4)] = marble
        read_line()  # the side to move
        self.seen = {self.board()}

    def board(self):
        return "".join(self.cells.values())

    def moves(self, side):
        """Moves along a line, with pushes. Broadside moves are left to you."""
        mine, found = MARBLES[side], []
        for tail in [place for place, marble in self.cells.items() if marble == mine]:
            for step in STEPS:
                own = pushed = 0
                while self.cells.get(add(tail, step, own)) == mine:
                    own += 1
                while self.cells.get(add(tail, step, own + pushed)) not in (mine, ".", None):
                    pushed += 1
                behind = self.cells.get(add(tail, step, own + pushed))  # None over the edge
                if own <= 3 and pushed < own and (behind == "." or behind is None and pushed > 0):
                    head = name(add(tail, step, own - 1)) if own > 1 else ""
                    found.append(f"{name(tail)}{head}-{name(add(tail, step))}")
        return [move for move in found if self.after(side, move) not in self.seen]

    def after(self, side, move):
        """The board after a move. No board may come back."""
        before = dict(self.cells)
        self.move(side, move)
        board = self.board()
        self.cells = before
        return board

    def move(self, side, move):
        start, to = move.split("-")
        tail, head, to = cell(start[:2]), cell(start[-2:]), cell(to)
        step = to[0] - tail[0], to[1] - tail[1]
        length = max(abs(head[0] - tail[0]), abs(head[1] - tail[1]))
        if add(tail, step, length) == head:  # along the line: each marble moves the next one on
            carried, place = ".", tail
            while place in self.cells:
                carried, self.cells[place] = self.cells[place], carried
                if carried == ".":
                    return
                place = add(place, step)
        else:
            for i in range(length + 1):
                place = tail if i == 0 else add(tail, ((head[0] - tail[0]) // length, (head[1] - tail[1]) // length), i)
                self.cells[place] = "."
                self.cells[add(place, step)] = MARBLES[side]

    def play(self, side, move):
        self.move(side, move)
        self.seen.add(self.board())

#: letters
class Position:
    """The cube as letters[x, y, z], counted from 1; blanks are not in it."""

    def __init__(self):
        self.rows, self.columns, self.planes = (int(number) for number in read_line().split())
        self.letters = {}
        for z in range(1, self.planes + 1):
            for x in range(1, self.rows + 1):
                line = read_line()
                while not line:  # there may be an empty line between two planes
                    line = read_line()
                for y, letter in enumerate(line, start=1):
                    if letter != "_":
                        self.letters[x, y, z] = letter
        self.words = {}  # the letters of a word in alphabetical order, and the word
        for line in open("dictionary.sorted"):
            key, word = line.split()[:2]
            self.words[key] = word

    def moves(self, side):
        """Every line that makes a word, from its first cell to its last; without one, the pass."""
        found = []
        for x, y, z in [cell for cell in self.letters if cell[2] == 1]:
            for dx, dy, dz in [(0, 1, 0), (1, 0, 0), (0, 0, 1)]:
                letters, end = "", (x, y, z)
                while end in self.letters:
                    letters += self.letters[end]
                    word = self.words.get("".join(sorted(letters)))
                    if len(letters) >= 3 and word:
                        found.append(f"{x},{y},{z},{end[0]},{end[1]},{end[2]},{word}")
                    end = end[0] + dx, end[1] + dy, end[2] + dz
        return found or ["P"]

    def play(self, side, move):
        if move == "P":
            return
        x1, y1, z1, x2, y2, z2 = (int(number) for number in move.split(",")[:6])
        for x in range(min(x1, x2), max(x1, x2) + 1):
            for y in range(min(y1, y2), max(y1, y2) + 1):
                for z in range(z1, z2 + 1):
                    self.letters.pop((x, y, z), None)
                # The column closes up.
                column = [self.letters.pop((x, y, z), "") for z in range(1, self.planes + 1)]
                for z, letter in enumerate("".join(column), start=1):
                    self.letters[x, y, z] = letter

#: all


def choose(position, side, moves):
    """The move to play. Replace this by something better."""
    return random.choice(moves)


def main():
    side, to_move = sys.argv[1], sys.argv[2]
    position = Position()
    my_turn = side == to_move
    while True:
        if my_turn:
            moves = position.moves(side)
            if not moves:  # the game is over
                return
            move = choose(position, side, moves)
            position.play(side, move)
            print(f"{side},{move}", flush=True)  # without the flush it would wait in a buffer
        else:
            other, move = read_line().split(",", 1)
            position.play(other, move)
        my_turn = not my_turn


main()
