"""A scripted engine of Gomocup: it takes the first free cell by a fixed order and writes down what it is told.

GOMOCUP_LOG names the file it appends to. GOMOCUP_QUIRKS lists its manners, with commas:

    raw            it notes the ends of lines as well
    lf             it refuses a START that ends in CR LF, and ends
    lf-words=loud  it reads a number before CR LF, but knows no word before it; without =loud it says nothing
    tail           its OK has a tail
    talks          it writes MESSAGE lines and an empty line before its OK
    no-rectangle   it refuses RECTSTART
    size=20        it plays on boards of this size alone
    error-move     on each TURN it writes ERROR and later a move
    error-silence  on each TURN it writes ERROR and waits for the next command
    drops          it drops a command that comes before its search has ended, 1 ms after its last move (drops=0.2: 0.2 s)
    slow=0.4       its first search takes so many seconds more
    clock=0.5      it thinks for so many seconds of processor time
    points         it writes a line with several points, which is no move, and nothing else
    suggest        it suggests a move, and plays what it is sent
    eager          it writes a hundred MESSAGE lines, and then a suggestion and its move at once
    floods         it writes MESSAGE lines as fast as it can, and then waits
    blank          it writes its move with a blank
    forgets        it does not hear its second turn
    late           on BOARD it writes the answer to the TURN before, and then that to BOARD
    cr             its lines end in CR alone
    ends           it ends after its first move without a newline
    mute           it answers START with nothing
    fills          it fills the disk of its box on its second turn, and ends
    stays          it does not leave at END
    dies           it ends on START
    hangs          it sleeps on its second turn, not in a read
    beside         it plays beside the board
    saves          it leaves 300 ms after END, and writes a file before
    polls          it waits for input in select, and reads what has come
    nameless       it does not know ABOUT
    twice          it writes a second move right behind each of its moves
    keeps          it writes a file into the folder that it is told of, and says in a MESSAGE what it finds there
    no-restart     it does not know RESTART
"""

import os
import select
import sys
import threading
import time

QUIRKS = dict((quirk.split("=") + [""])[:2] for quirk in os.environ.get("GOMOCUP_QUIRKS", "").split(",") if quirk)
log = open(os.environ["GOMOCUP_LOG"], "a")
width = height = 0
taken = set()
searches = 0
folder = ""
search = None
missed = None


def has(quirk):
    return quirk in QUIRKS


def say(text):
    end = "\r" if has("cr") else "\n"
    os.write(1, (text + end).encode())


def free_cell():
    # Neighbours lie five apart, so that a game of two such engines takes a while.
    cells = [(x, y) for y in range(height) for x in range(width)]
    order = sorted(cells, key=lambda cell: ((cell[0] + 2 * cell[1]) % 5, cell[1], cell[0]))
    return next(cell for cell in order if cell not in taken)


def move():
    """Searches and moves: on a thread of its own where that matters, as strong engines do."""
    global search
    if not has("drops"):
        return search_and_move()
    search = threading.Thread(target=search_and_move)
    search.start()


def search_and_move():
    global searches
    searches += 1
    if has("slow") and searches == 1:
        time.sleep(float(QUIRKS["slow"]))
    if has("clock"):
        until = time.process_time() + float(QUIRKS["clock"])
        while time.process_time() < until:
            pass
    if has("hangs") and searches == 2:
        time.sleep(60)
    if has("fills") and searches == 2:
        with open("big", "wb") as big:
            while True:
                big.write(bytes(1 << 20))
    if has("floods"):
        for _ in range(400000 if searches == 1 else 0):
            os.write(1, b"MESSAGE\n")
        return
    if has("blank"):
        say("8, 8")
        return
    if has("points"):
        say("11,7 10,6 13,5")
        return
    if has("beside"):
        say(f"{width},{height}")
        return
    cell = free_cell()
    if has("eager"):
        for number in range(100):
            say(f"MESSAGE {number}")
            time.sleep(0.001)
        taken.add(cell)
        say("SUGGEST %d,%d\n%d,%d" % (cell + cell))
        return
    if has("suggest"):
        say("SUGGEST %d,%d" % cell)
        return
    play(cell)


def play(cell):
    taken.add(cell)
    if has("keeps"):
        with open(os.path.join(folder, "learned"), "a") as file:
            file.write("x")
        paths = [os.path.join(folder, *name) for name in (["learned"], ["deep", "weights"])]
        say("MESSAGE found " + " ".join(open(path).read() for path in paths if os.path.exists(path)))
    else:
        say(f"MESSAGE depth 2, search {searches}")
        say(f"DEBUG search {searches}")
    if has("ends"):
        os.write(1, b"%d,%d" % cell)
        sys.exit(0)
    say("%d,%d" % cell)
    if has("twice"):
        say("%d,%d" % free_cell())
    if has("drops"):
        until = time.monotonic() + float(QUIRKS["drops"] or 0.001)
        while time.monotonic() < until:
            pass


def hear():
    data = b""
    while True:
        if has("polls"):
            select.select([0], [], [])
        byte = os.read(0, 1)
        if not byte:
            return None
        data += byte
        if byte == b"\n":
            return data


turns = 0
log.write("STARTED\n")
while (line := hear()) is not None:
    text = line.decode().rstrip("\r\n")
    log.write(f"{line.decode()!r}\n" if has("raw") else text + "\n")
    log.flush()
    if has("drops") and search and search.is_alive() and not text.startswith("END"):
        log.write("DROPPED\n")
        say("ERROR Unknown command: " + text)
        continue
    word, _, rest = text.partition(" ")
    if has("lf-words") and line.endswith(b"\r\n") and not rest:
        if QUIRKS["lf-words"]:
            say("UNKNOWN command")
        continue
    if word in ("START", "RECTSTART"):
        if has("mute"):
            continue
        if has("dies"):
            print("no such file: weights.bin", file=sys.stderr)
            sys.exit(2)
        if has("lf") and line.endswith(b"\r\n"):
            say("ERROR message - unsupported size or other error")
            sys.exit(84)
        if word == "RECTSTART" and has("no-rectangle"):
            say("ERROR Rectangular board is not supported.")
            continue
        sizes = [int(number) for number in rest.split(",")]
        width, height = sizes[0], sizes[-1]
        if has("size") and width != int(QUIRKS["size"]):
            say("ERROR unsupported size")
            continue
        if has("talks"):
            say("MESSAGE Scripted 1.0 is ready.")
            say("")
            say("DEBUG 7,7")
        say("OK - everything is good" if has("tail") else "OK")
    elif word == "RESTART":
        taken, turns = set(), 0
        say("UNKNOWN" if has("no-restart") else "OK")
    elif word == "INFO":
        if rest.startswith("folder "):
            folder = rest.removeprefix("folder ")
        if has("lf"):
            say("UNKNOWN")
    elif word == "ABOUT":
        say("UNKNOWN" if has("nameless") else 'name="Scripted", version="1.0", author="agon", country="none"')
    elif word == "BEGIN":
        move()
    elif word == "TURN":
        cell = tuple(int(number) for number in rest.split(","))
        if has("error-silence"):
            say("ERROR Unknown command: " + rest)
            continue
        taken.add(cell)
        turns += 1
        if has("forgets") and turns == 2:
            continue
        if has("late"):
            # It has not heard its turn; after BOARD it answers both.
            missed = free_cell()
            continue
        if has("error-move"):
            say(f"ERROR opponents's move [{rest}]")
            time.sleep(0.15)
        move()
    elif word == "BOARD":
        taken = set()
        while (stone := hear().decode().strip()) != "DONE":
            log.write(stone + "\n")
            taken.add(tuple(int(number) for number in stone.split(",")[:2]))
        log.write("DONE\n")
        if missed:
            say("%d,%d" % missed)
            taken.add(missed)
            missed = None
            time.sleep(0.02)
        move()
    elif word == "PLAY" and not has("eager"):
        play(tuple(int(number) for number in rest.split(",")))
    elif word == "END":
        if has("saves"):
            time.sleep(0.3)
            open(os.environ["GOMOCUP_LOG"] + ".saved", "w").write("saved")
        if has("stays"):
            time.sleep(60)
        break
log.write("LEFT\n")
