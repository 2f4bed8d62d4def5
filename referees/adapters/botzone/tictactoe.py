"""An example of a judge for Botzone: tic-tac-toe. It is started for each turn and reads all turns."""
import json

LINES = [[(x, y) for y in range(3)] for x in range(3)] + [[(x, y) for x in range(3)] for y in range(3)]
LINES += [[(i, i) for i in range(3)], [(i, 2 - i) for i in range(3)]]


def judged(log):
    """What the judge says after the turns of `log`."""
    board, move = {}, {"x": -1, "y": -1}
    for ply, turn in enumerate(log[1::2]):
        player = ply % 2
        answer = turn[str(player)]
        move = answer.get("response")
        place = (move.get("x"), move.get("y")) if isinstance(move, dict) else None
        if answer["verdict"] != "OK" or place is None or place in board or not set(place) <= {0, 1, 2}:
            return {"command": "finish", "content": {str(player): 0, str(1 - player): 2},
                    "display": {"error": answer["verdict"], "loser": player}}
        board[place] = player
        if any(all(board.get(cell) == player for cell in line) for line in LINES):
            return {"command": "finish", "content": {str(player): 2, str(1 - player): 0}, "display": move}
        if len(board) == 9:
            return {"command": "finish", "content": {"0": 1, "1": 1}, "display": move}
    return {"command": "request", "content": {str(len(board) % 2): move}, "display": move}


print(json.dumps(judged(json.loads(input())["log"])))
