"""Reads the result of a game from what a referee has written."""
import json
import os


def result(output, log, seats):
    """The scores and the errors of the seats: from the file `log`, from the last line of the output
    in JSON, or from its last lines with a number each. None if there is no result."""
    lines = [line.strip() for line in output.decode(errors="replace").split("\n") if line.strip()]
    texts = [open(log, encoding="utf-8", errors="replace").read()] if os.path.exists(log) else []
    for text in texts + lines[-1:]:
        try:
            found = json.loads(text)
        except ValueError:
            continue
        scores = scores_in(found) if isinstance(found, dict) else None
        if scores and len(scores) == seats:
            return whole(scores), found.get("errors") or [0] * seats
    try:
        scores = [float(line) for line in lines[-seats:]]
    except ValueError:
        return None
    return (whole(scores), [0] * seats) if len(scores) == seats else None


def scores_in(found):
    """`scores` (more is better), `ranks` (less is better), or Halite's `stats` with ranks."""
    if "scores" in found:
        return by_player(found["scores"])
    ranks = by_player(found.get("ranks") or found.get("stats") or [])
    ranks = [rank["rank"] if isinstance(rank, dict) else rank for rank in ranks]
    return [len(ranks) - rank for rank in ranks]


def by_player(values):
    return [values[key] for key in sorted(values, key=int)] if isinstance(values, dict) else values


def whole(scores):
    scale = 1 if all(float(score).is_integer() for score in scores) else 1000
    return [round(score * scale) for score in scores]
