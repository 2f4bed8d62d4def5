"""A scripted engine that speaks UGI for mnk:3x3,3 and tries to get markup, scripts and controls into every text of a page.

MARKUP_MODE: `plays` takes the first free cell; `illegal` answers with markup; `ends` leaves in the game."""

import os
import sys

MODE = os.environ["MARKUP_MODE"]
CELLS = [column + row for row in "123" for column in "abc"]
HOSTILE = b'"><script>alert(1)</script><img src=x onerror=alert(2)>&lt;\'`\xe2\x80\xae\xe2\x81\xa6\x1b[31m\x00\xff\xfe\xed\xa0\x80'


def say(words):
    sys.stdout.buffer.write(words + b"\n")
    sys.stdout.buffer.flush()


def complain(size):
    sys.stderr.buffer.write(HOSTILE * (size // len(HOSTILE)) + b"\n" + HOSTILE + b"</pre></details>\n")
    sys.stderr.buffer.flush()


taken = []
for line in sys.stdin:
    words = line.split()
    if words[0] == "ugi":
        complain(65536)
        say(b"ugiok")
    elif words[0] == "isready":
        say(b"readyok")
    elif words[0] == "position":
        taken = words[words.index("moves") + 1 :] if "moves" in words else []
        if words[1] == "fen":
            marks = "".join(reversed(words[2].split("/")))
            taken += [cell for cell, mark in zip(CELLS, marks) if mark != "."]
    elif words[0] == "go":
        free = [cell for cell in CELLS if cell not in taken]
        complain(100)
        if MODE == "ends" and len(taken) >= 2:
            sys.exit(3)
        say(b"info depth 3 score cp 5 pv " + HOSTILE)
        if MODE == "illegal" and len(taken) >= 2:
            say(b"bestmove " + HOSTILE)
        else:
            say(b"bestmove " + free[0].encode())
    elif words[0] == "quit":
        break
