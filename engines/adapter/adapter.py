"""An adapter for m,n,k games: an engine that asks another program for its moves.

adapter.py SIDE COLUMNS ROWS PROGRAM [ARGUMENT...] speaks the protocol of lines with agon, and with
PROGRAM the words that `other.py` knows. For a program of another kind only `Other` changes.
"""

import subprocess
import sys


class Other:
    """The program, and how one talks to it. Cells are pairs (x, y) from 0, y upwards."""

    def __init__(self, command, columns, rows):
        # Text and line buffered: each line is at the program before we wait for its answer.
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.wait_for("READY")
        self.say(f"new {columns} {rows}")

    def say(self, line):
        print(line, file=self.process.stdin, flush=True)

    def wait_for(self, word):
        """The words after `word`, from the next line that begins with it. Other lines are its log."""
        for line in self.process.stdout:
            if line.split()[:1] == [word]:
                return line.split()[1:]
            sys.stderr.write(line)
        sys.exit("the program has ended")

    def put(self, owner, x, y):
        """A stone of `owner`, "own" or "other", stands here now."""
        self.say(f"{owner} {x} {y}")

    def move(self):
        self.say("move?")
        x, y = self.wait_for("move")
        return int(x), int(y)


def main():
    side, columns, rows = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    # First the program, with all that takes long; then the board. agon starts the clock of the first
    # move when the board has been read.
    other = Other(sys.argv[4:], columns, rows)
    sys.stdin.readline()  # columns, rows and k
    board = [sys.stdin.readline().strip() for _ in range(rows)]
    for y, row in enumerate(reversed(board)):
        for x, mark in enumerate(row):
            if mark != ".":
                other.put("own" if mark == side else "other", x, y)
    stones = sum(mark != "." for row in board for mark in row)
    to_move = "XO"[stones % 2]
    # The move that ends the game comes like any other, and then the end of the input.
    while stones < columns * rows:
        stones += 1
        if to_move == side:
            x, y = other.move()
            other.put("own", x, y)
            print(f"{side},{chr(ord('a') + x)}{y + 1}", flush=True)
        else:
            line = sys.stdin.readline()
            if not line:
                break  # the game is over
            cell = line.strip().split(",")[1]
            other.put("other", ord(cell[0]) - ord("a"), int(cell[1:]) - 1)
        to_move = "XO"["OX".index(to_move)]
    other.say("bye")
    other.process.wait()


main()
