"""An engine for the letter cube as an assignment for a class describes it.

Its arguments are its side, the sizes of the board and the seconds for a move. The board is in the
file `board`. Its stdin has the moves of its opponent and nothing else: it looks whether one is there
without waiting for it, and watches the clock itself.
"""

import os
import select
import sys
import time

VALUES = {letter: value for letters, value in (
    ("aeilnorstu", 1), ("dg", 2), ("bcmp", 3), ("fhvwy", 4), ("k", 5), ("jx", 8), ("qz", 10),
) for letter in letters}
DIRECTIONS = (0, 1, 0), (1, 0, 0), (0, 0, 1)
SHARE = 0.7  # of the time for a move; the rest is for the machine


class Board:
    """The cube as columns of letters: column (x, y) begins with its letter on plane 1."""

    def __init__(self, path):
        with open(path) as file:
            sizes, *lines = [line.rstrip("\n") for line in file if line.strip()]
        self.rows, self.columns, self.planes = map(int, sizes.split())
        self.stacks = {(x, y): [] for x in range(1, self.rows + 1) for y in range(1, self.columns + 1)}
        for number, line in enumerate(lines[:self.rows * self.planes]):
            for y, letter in enumerate(line[:self.columns], start=1):
                if letter.isalpha():
                    self.stacks[number % self.rows + 1, y].append(letter.lower())

    def letter(self, x, y, z):
        stack = self.stacks.get((x, y), ())
        return stack[z - 1] if z <= len(stack) else None

    def take(self, x1, y1, z1, x2, y2, z2):
        """Takes the letters of a line, the deepest first. What lies below them moves up."""
        for x in range(min(x1, x2), max(x1, x2) + 1):
            for y in range(min(y1, y2), max(y1, y2) + 1):
                del self.stacks[x, y][min(z1, z2) - 1:max(z1, z2)]

    def lines(self):
        """All lines that may be words: the first cell, the last cell and the letters."""
        for (x, y), stack in self.stacks.items():
            for dx, dy, dz in DIRECTIONS:
                letters, cell = "", (x, y, 1)
                while letter := self.letter(*cell):
                    letters += letter
                    if len(letters) >= 3:
                        yield (x, y, 1), cell, letters
                    cell = cell[0] + dx, cell[1] + dy, cell[2] + dz


class Input:
    """Stdin, of which a part of a line may have come."""

    def __init__(self):
        self.text = b""
        self.is_open = True

    def line(self):
        """The next line if it is there, or None."""
        if self.is_open and b"\n" not in self.text and select.select([0], [], [], 0)[0]:
            read = os.read(0, 4096)
            self.is_open = bool(read)
            self.text += read
        if b"\n" not in self.text:
            return None
        line, self.text = self.text.split(b"\n", 1)
        return line.decode().strip()


def read_words(path):
    """The words by their letters in alphabetical order."""
    with open(path) as file:
        return {"".join(sorted(word)): word for word in map(str.strip, file)}


def best(board, words, until):
    """The best move that is found before an instant, as text behind the side."""
    move, most = "P", 0
    for first, last, letters in board.lines():
        if time.monotonic() > until:
            break
        points = sum(VALUES[letter] for letter in letters)
        word = points > most and words.get("".join(sorted(letters)))
        if word:
            move, most = ",".join(map(str, (*first, *last, word))), points
    return move


def main():
    side, seconds = sys.argv[1], float(sys.argv[5])
    words, board, told = read_words("dictionary"), Board("board"), Input()

    def play(move):
        cells = move.split(",")
        if cells[0] != "P":
            board.take(*map(int, cells[:6]))

    is_turn = side == "W"
    while told.is_open or b"\n" in told.text:
        if is_turn:
            move = best(board, words, time.monotonic() + SHARE * seconds)
            print(f"{side},{move}", flush=True)
            play(move)
            is_turn = False
        elif line := told.line():
            play(line.split(",", 1)[1])
            is_turn = True
        else:
            time.sleep(0.0005)


main()
