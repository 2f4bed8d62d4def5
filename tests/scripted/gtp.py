"""A scripted engine that speaks GTP for square boards of m,n,k: it takes the first free vertex, with quirks as modes.

GTP_LOG names the file it appends to; GTP_MODE changes its manners, several words joined by `+`. With the
word in-games, it has no quirks when it is started for the first time, for its handshake."""

import os
import sys
import time

MODES = os.environ.get("GTP_MODE", "plain").split("+")
COLUMNS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"

log = open(os.environ["GTP_LOG"], "a")
if "in-games" in MODES and log.tell() == 0:
    MODES = ["plain"]
log.write("STARTED\n")
size = 19
taken = set()
games = 0
asked = 0
COMMANDS = "protocol_version name version list_commands boardsize clear_board play genmove komi quit"
TIMES = " time_settings time_left"


def answer(sign, number, text):
    end = "\r\n" if "crlf" in MODES else "\n"
    if "notes" in MODES:
        sys.stdout.write(f"# thinking{end}")
    sys.stdout.write(f"{sign}{number} {text}{end}" + ("" if "no-empty-line" in MODES else end))
    sys.stdout.flush()


def moved():
    """The answer to genmove."""
    global asked
    asked += 1
    if asked == 2 and "slow-once" in MODES:
        time.sleep(3)
    if asked == 4 and "resigns-fourth" in MODES:
        return "resign"
    if asked > 3 and "passes-fourth" in MODES:
        return "PASS"
    vertex = sorted(taken)[0] if taken else "A1"
    if "long-answer" in MODES:
        return vertex + "\nwords" * 100
    if "quotes" in MODES:
        return vertex + ' "; its line was "x"'
    for mode, text in [("resigns", "resign"), ("passes", "PASS"), ("wrong", "I5"), ("taken", vertex)]:
        if mode in MODES:
            return text
    for row in range(1, size + 1):
        for letter in COLUMNS[:size]:
            vertex = f"{letter}{row}"
            if vertex not in taken:
                taken.add(vertex)
                return vertex.lower() if "small" in MODES else vertex
    return "PASS"


for line in sys.stdin:
    log.write(line)
    log.flush()
    words = line.split("#")[0].split()
    if not words:
        continue
    number = ""
    if "no-ids" not in MODES and words[0].isdigit():
        number = words.pop(0)
    command, args = words[0], words[1:]
    if command == "name":
        if "mute" in MODES:
            continue
        answer("=", number, "scripted")
    elif command == "version":
        answer("=", number, "")
    elif command == "list_commands":
        known = COMMANDS + ("" if "timeless" in MODES else TIMES)
        answer("=", number, known.replace(" ", "\r\n" if "crlf" in MODES else "\n"))
    elif command == "boardsize":
        if "no-size" in MODES or int(args[0]) > 15 and "small-boards" in MODES:
            answer("?", number, "unacceptable size")
            continue
        size = int(args[0])
        answer("=", number, "")
    elif command == "clear_board":
        taken = set()
        games += 1
        asked = 0
        answer("=", number, "")
    elif command == "play":
        if "slow-play" in MODES:
            time.sleep(3)
        if "refuses-play" in MODES and len(taken) > 1:
            answer("?", number, "illegal move")
            continue
        if "late-error" in MODES:
            # The answer to a command that nobody has sent, and then the right one.
            answer("?", str(int(number) - 1), "too late")
        taken.add(args[1].upper())
        answer("=", number, "")
    elif command == "genmove":
        if "leaves-in-game-2" in MODES and games == 2:
            sys.exit(3)
        if "cannot-move" in MODES:
            answer("?", number, "cannot move")
            continue
        if "chatters" in MODES:
            sys.stdout.write("White(1): A1\n\n")
        answer("=", number, moved())
    elif command == "komi":
        answer("=", number, "")
    elif command in ("time_settings", "time_left"):
        answer("?" if "timeless" in MODES else "=", number, "")
    elif command == "quit":
        answer("=", number, "")
        break
    else:
        answer("?", number, "unknown command")
log.write("LEFT\n")
