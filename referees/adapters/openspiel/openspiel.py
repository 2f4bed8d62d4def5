"""Referees the games of OpenSpiel, a library that ./install puts into .venv, over `referee 1`."""
import os
import sys

try:
    import pyspiel
    from table import Table, hear, say
except ImportError:
    python = os.path.join(os.path.dirname(os.path.abspath(__file__)), ".venv/bin/python")
    if os.path.exists(python) and "again" not in sys.argv:
        os.execv(python, [python, os.path.abspath(__file__), "again"])
    print("referee 1 openspiel 0")
    print("error OpenSpiel is not installed: run referees/adapters/openspiel/install")
    sys.exit(1)


def main():
    sys.stdin.reconfigure(encoding="utf-8", errors="replace", newline="\n")
    say("referee 1 openspiel", pyspiel.__version__)
    sys.stdout.reconfigure(encoding="utf-8")
    lines = dict(hear() for _ in ("game", "seats", "clock"))
    options = dict(pair.split("=", 1) for pair in lines["game"].split()[1:])
    try:
        table = Table(options, int(lines["seats"]))
    except (ValueError, pyspiel.SpielError) as error:
        return say(f"error game={options['game']}:", str(error).split("\n")[0])
    say(f"seats {max(2, table.least)} {min(16, table.most)}\nscores sum\nready")
    while True:
        word, rest = hear()
        try:
            if word == "seed":
                seed = int(rest)
            else:
                table.play(seed)
        except (ValueError, RuntimeError, pyspiel.SpielError) as error:
            say("void OpenSpiel:", str(error).split("\n")[0])


main()
