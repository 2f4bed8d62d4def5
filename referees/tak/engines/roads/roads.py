"""Plays Tak in TEI: a road if it can make one, no road for the opponent, or else most flats and neighbours.

It answers the greetings of UGI, UCI and UAI too, so it plays under each protocol = "..." of them."""

import copy
import random
import sys

from board import Board, owner


def after(board, move):
    """The board after a move."""
    new = copy.copy(board)
    new.stacks, new.flats, new.caps = dict(board.stacks), list(board.flats), list(board.caps)
    new.play(*move)
    return new


def worth(board, seat):
    """How good a board is for the seat that has just moved: pairs of own stones beside each other, and flats."""
    over = board.result()
    if over:
        return 1000 * (over[0] == seat) - 1000 * (over[0] == 3 - seat)
    mine = {square: owner(stack) if stack[-1:] != "S" else 0 for square, stack in board.stacks.items()}
    pairs = sum(sign * (mine[x, y] == side) * (mine.get((x + 1, y)) == side) +
                sign * (mine[x, y] == side) * (mine.get((x, y + 1)) == side)
                for x, y in mine for side, sign in ((seat, 1), (3 - seat, -1)))
    return pairs + board.lead() * (1 if seat == 1 else -1) / 2


def best(board, chance):
    """A move that no road answers, if there is one, with the most worth."""
    moves = list(board.legal().items())
    chance.shuffle(moves)
    scored = [(worth(after(board, move), board.seat), name) for name, move in moves]
    ranked = sorted(scored, reverse=True, key=lambda scored: scored[0])
    legal = dict(moves)
    if board.plies < 2 or ranked[0][0] >= 1000:
        return ranked[0]
    for score, name in ranked[:5]:
        there = after(board, legal[name])
        if not any(after(there, reply).road(3 - board.seat) for reply in there.legal().values()):
            return score, name
    return ranked[0]


size, position, chance = 5, Board(5), random.Random(1)
for line in sys.stdin:
    words = line.split()
    if words[:1] in (["tei"], ["ugi"], ["uci"], ["uai"]):
        print("id name roads", f"{words[0]}ok", sep="\n", flush=True)
    elif words == ["isready"]:
        print("readyok", flush=True)
    elif words and words[0].endswith("newgame") and len(words) == 2:
        size = int(words[1])
    elif words[:1] == ["position"]:
        # A position is the empty board: its rows in TPS tell the size.
        position = Board(words[2].count("/") + 1 if words[1] in ("tps", "fen") else size)
        for move in words[words.index("moves") + 1:] if "moves" in words else []:
            position.play(*position.legal()[move])
    elif words[:1] == ["go"]:
        score, move = best(position, chance)
        print(f"info depth 1 score cp {round(100 * score)} pv {move}", f"bestmove {move}", sep="\n", flush=True)
    elif words == ["quit"]:
        break
