"""An engine for the letter cube in plain Python: it plays the word that scores most."""

import sys

POINTS = dict(zip("abcdefghijklmnopqrstuvwxyz",
                  [1, 3, 3, 2, 1, 4, 2, 4, 1, 8, 5, 1, 3, 1, 1, 3, 10, 1, 1, 1, 1, 4, 4, 8, 4, 10]))


def read_dictionary():
    """Maps the letters of a word in alphabetical order to the word: "aelpp" -> "apple"."""
    words = {}
    for line in open("dictionary.sorted"):
        key, word = line.split()[:2]
        words[key] = word
    return words


def read_line():
    """The next line from the harness without its newline, or None when the game is over."""
    line = sys.stdin.readline()
    return line.rstrip("\r\n") if line else None


def read_board():
    """The three sizes, and a dictionary (x, y, z) -> letter that counts from 1 and holds no blanks."""
    rows, columns, planes = (int(size) for size in read_line().split())
    board = {}
    for z in range(1, planes + 1):
        for x in range(1, rows + 1):
            line = read_line()
            while line == "":  # there may be an empty line between two planes
                line = read_line()
            for y, letter in enumerate(line, start=1):
                if letter.isalpha():
                    board[x, y, z] = letter
    return rows, columns, planes, board


def take(board, planes, cells):
    """Takes the letters of these cells away, the deepest first; those below each move up."""
    for x, y, z in sorted(cells, key=lambda cell: -cell[2]):
        for deeper in range(z, planes):
            if (x, y, deeper + 1) in board:
                board[x, y, deeper] = board[x, y, deeper + 1]
            else:
                board.pop((x, y, deeper), None)
        board.pop((x, y, planes), None)


def cells_between(x1, y1, z1, x2, y2, z2):
    """All cells of a straight line, its two ends included."""
    steps = max(abs(x2 - x1), abs(y2 - y1), abs(z2 - z1))
    return [(x1 + (x2 - x1) * i // steps, y1 + (y2 - y1) * i // steps, z1 + (z2 - z1) * i // steps)
            for i in range(steps + 1)]


def best_move(board, words):
    """The cells and the word that score most, or None. A line begins on plane 1 and holds no blank."""
    best, best_points = None, 0
    for x, y, z in sorted(board):
        if z != 1:
            continue
        for dx, dy, dz in (0, 1, 0), (1, 0, 0), (0, 0, 1):
            cells, letters, points = [], "", 0
            cell = (x, y, 1)
            while cell in board:
                cells.append(cell)
                letters += board[cell]
                points += POINTS[board[cell]]
                if len(cells) >= 3 and points > best_points:
                    word = words.get("".join(sorted(letters)))
                    if word:
                        best, best_points = (cells[:], word), points
                cell = (cell[0] + dx, cell[1] + dy, cell[2] + dz)
    return best


def say(text):
    """Without the flush the answer would wait in a buffer, and the harness would wait for the answer."""
    print(text, flush=True)


def main():
    side = sys.argv[1]
    words = read_dictionary()
    rows, columns, planes, board = read_board()
    my_turn = side == "W"  # white begins
    while True:
        if my_turn:
            move = best_move(board, words)
            if move:
                cells, word = move
                take(board, planes, cells)
                ends = cells[0] + cells[-1]
                say(f"{side},{','.join(str(number) for number in ends)},{word}")
            else:
                say(f"{side},P")
        else:
            line = read_line()
            if line is None:  # the game is over
                return
            fields = line.split(",")
            if fields[1] != "P":
                take(board, planes, cells_between(*(int(field) for field in fields[1:7])))
        my_turn = not my_turn


main()
