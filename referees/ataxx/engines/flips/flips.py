"""Plays Ataxx in UAI: the move after which it has most stones, when the opponent has answered as well.

It answers the greetings of UCI, UGI and TEI too, so it plays under each protocol = "..." of them."""

import sys

SIZE = 7
FIELDS = [(x, y) for y in range(SIZE) for x in range(SIZE)]
NEAR, FAR = ({(x, y): [(u, v) for u, v in FIELDS if max(abs(u - x), abs(v - y)) == distance] for x, y in FIELDS}
             for distance in (1, 2))


def read(words):
    """The board and the side to move of the words behind `position`."""
    fen = words[1:3] if words[0] == "fen" else ["x5o/7/7/7/7/7/o5x", "x"]
    board = {}
    for y, row in zip(range(SIZE - 1, -1, -1), fen[0].split("/")):
        contents = "".join("." * int(letter) if letter.isdigit() else letter for letter in row)
        board.update({(x, y): content for x, content in enumerate(contents)})
    return board, fen[1]


def field(name):
    return ord(name[0]) - ord("a"), int(name[1]) - 1


def name(at):
    return "abcdefg"[at[0]] + str(at[1] + 1)


def played(board, side, move):
    """The board after a move."""
    board = dict(board)
    if move != "0000":
        if len(move) == 4:
            board[field(move)] = "."
        target = field(move[-2:])
        board.update({other: side for other in NEAR[target] if board[other] in "xo"})
        board[target] = side
    return board


def moves(board, side):
    own = [at for at, content in board.items() if content == side]
    new = {name(to) for at in own for to in NEAR[at] if board[to] == "."}
    return sorted(new) + [name(at) + name(to) for at in own for to in FAR[at] if board[to] == "."] or ["0000"]


def lead(board, side):
    contents = list(board.values())
    return contents.count(side) - contents.count("o" if side == "x" else "x")


def best(board, side):
    """The move whose worst answer is the best, and what it leads to."""
    other = "o" if side == "x" else "x"

    def worth(move):
        after = played(board, side, move)
        return min(lead(played(after, other, answer), side) for answer in moves(after, other))

    return max((worth(move), move) for move in moves(board, side))


position = read(["startpos"])
for line in sys.stdin:
    words = line.split()
    if words[:1] in (["uai"], ["uci"], ["ugi"], ["tei"]):
        print("id name flips", f"{words[0]}ok", sep="\n", flush=True)
    elif words == ["isready"]:
        print("readyok", flush=True)
    elif words[:1] == ["position"]:
        board, side = read(words[1:])
        for move in words[words.index("moves") + 1:] if "moves" in words else []:
            board, side = played(board, side, move), "o" if side == "x" else "x"
        position = board, side
    elif words[:1] == ["go"]:
        score, move = best(*position)
        print(f"info depth 2 score cp {100 * score} pv {move}", f"bestmove {move}", sep="\n", flush=True)
    elif words == ["quit"]:
        break
