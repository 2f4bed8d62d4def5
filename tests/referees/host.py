"""A minimal host of the protocol `referee 1`, for tests without agon: it has no clocks and no boxes.

It believes nothing: each line of the referee is checked against docs/referee.md, and a line that
breaks the protocol raises Broken with the last lines in both directions.
"""

import os
import random
import re
import select
import shlex
import subprocess
import time
import tomllib

KINDS = ("late", "crash", "flood", "closed")
LINE = 64 * 1024


class Broken(Exception):
    """The referee broke the protocol."""


class Fault(Exception):
    """A player gave no answer: one of KINDS, and why."""

    def __init__(self, kind, why="on purpose"):
        super().__init__(why)
        self.kind = kind


def game_of(text):
    """The folder, its game.toml, and all its options: defaults and those of FOLDER:NAME=VALUE,..."""
    folder, _, given = text.partition(":")
    with open(os.path.join(folder, "game.toml"), "rb") as file:
        settings = tomllib.load(file)
    known = settings.get("options", {})
    options = {name: written(option["default"]) for name, option in known.items()}
    for part in filter(None, given.split(",")):
        name, _, value = part.partition("=")
        if name not in known:
            raise SystemExit(f"error: {folder} has no option {name}")
        options[name] = value
    return folder, settings, options


def written(value):
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def command_of(settings, folder):
    """The command with `{folder}` filled in and doubled braces made single, as agon does it."""
    def one(found):
        word = found[0]
        if word not in ("{{", "}}", "{folder}"):
            raise SystemExit(f"error: key command: {word} is unknown; double the braces")
        return folder if word == "{folder}" else word[0]
    return [re.sub(r"\{\{|\}\}|\{[^{}]*\}|[{}]", one, word) for word in settings["command"]]


class Referee:
    """A referee's process. `lines` are those of one game, as (">" or "<", text)."""

    def __init__(self, game, seats=None, clock="st=1", step=120.0):
        folder, self.settings, self.options = game_of(game)
        low, _, high = str(self.settings.get("seats", 2)).partition("-")
        self.seats = seats or int(low)
        if not int(low) <= self.seats <= int(high or low):
            raise SystemExit(f"error: {folder} is for {self.settings['seats']} seats")
        build = self.settings.get("build")
        if build:
            subprocess.run(build, cwd=folder, check=True, shell=isinstance(build, str))
        self.step, self.lines, self.buffer, self.read = step, [], bytearray(), 0
        # Without this variable Python keeps what is not flushed, and a missing flush is found.
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
        self.process = subprocess.Popen(command_of(self.settings, folder), cwd=folder, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, bufsize=0, env=environment)
        options = "".join(f" {name}={value}" for name, value in sorted(self.options.items()))
        self.send(f"game {self.settings['name']}{options}", f"seats {self.seats}", f"clock {clock}")
        try:
            self.handshake()
        except (SystemExit, Broken):
            self.kill()
            raise
        self.opening = len(self.lines)

    def handshake(self):
        if not re.fullmatch(r"referee 1 \S+ \S+", self.hear()):
            self.broken("the first line is not `referee 1 NAME VERSION`")
        while (line := self.hear()) != "ready":
            word, _, rest = line.partition(" ")
            if word == "error":
                raise SystemExit(f"error: {rest}")
            if word == "seats":
                low, high = map(int, rest.split())
                if not low <= self.seats <= high:
                    self.broken("it cannot take this number of seats")
            elif not (word == "scores" and rest == self.settings.get("scores", "win")) and word != "note":
                self.broken("not a line of the handshake")

    def send(self, *lines):
        self.lines += [(">", line) for line in lines]
        try:
            self.process.stdin.write("".join(line + "\n" for line in lines).encode())
        except BrokenPipeError:
            pass  # what it wrote before its end says why; hear() reads that first

    def hear(self):
        deadline = time.monotonic() + self.step
        while (end := self.buffer.find(b"\n")) < 0:
            if len(self.buffer) > LINE:
                self.broken("a line of more than 64 KiB")
            if not select.select([self.process.stdout], [], [], max(0, deadline - time.monotonic()))[0]:
                self.broken("no line in time")
            data = os.read(self.process.stdout.fileno(), 65536)
            if not data:
                self.broken(f"it has closed its stdout, rest {bytes(self.buffer)!r}")
            self.buffer += data
        line = bytes(self.buffer[:end]).decode()
        del self.buffer[:end + 1]
        self.lines.append(("<", line))
        return line

    def broken(self, why):
        last = "\n".join(f"{way} {line}" for way, line in self.lines[-20:])
        raise Broken(f"{self.settings['name']}, {self.seats} seats: {why}\n{last}")

    def play(self, seed, players):
        """One game: each player has `answer(lines, form)`, which raises Fault or returns a line, or
        a list of lines where the form is ("lines", N) or ("until", WORD). Returns the Game."""
        if self.read and not self.settings.get("keep"):
            raise SystemExit("error: this referee plays one game in each process")
        self.read += 1
        del self.lines[self.opening:]
        game = Game(self)
        self.send(f"seed {seed}", "start")
        while not game.over:
            asked = game.step()
            answers = []
            for seat, form in asked:
                told, game.told[seat] = game.told[seat], []
                answers += game.answer(players[seat - 1], seat, told, form)
            if answers:
                self.send(*answers)
        return game

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()

    def close(self):
        """Says `quit` and expects the process to end by itself."""
        self.send("quit")
        self.process.stdin.close()
        if self.process.wait(timeout=120) != 0:
            self.broken(f"exit code {self.process.returncode} after quit")
        if self.process.stdout.read():
            self.broken("it wrote after quit")
        self.process.stdout.close()


class Game:
    """What one game has come to: `scores`, `reason`, `bad` and `out` seats, and the drawing."""

    def __init__(self, referee):
        self.referee, self.over, self.scores, self.reason = referee, False, None, ""
        self.seats = range(1, referee.seats + 1)
        self.told = {seat: [] for seat in self.seats}
        self.bad, self.out, self.dead, self.unmoved = {}, set(), {}, dict.fromkeys(self.seats, 0)
        self.board, self.frames, self.first = [], [], True

    def seat(self, text):
        if not re.fullmatch(r"[1-9]\d*", text) or int(text) not in self.seats:
            self.referee.broken(f"no seat {text!r}")
        return int(text)

    def step(self):
        """Reads a step to its end. Returns the questions: each a seat and the form of the answer."""
        asked = {}
        while True:
            word, _, rest = self.referee.hear().partition(" ")
            first, _, text = rest.partition(" ")
            if word == "wait" and not rest:
                if not asked:
                    self.referee.broken("`wait` without a question")
                self.first = False
                return sorted(asked.items())
            if word == "tell":
                for seat in self.seats if first == "all" else [self.seat(first)]:
                    self.told[seat].append(text)
            elif word == "ask":
                seat = self.seat(first)
                if seat in asked or seat in self.out or seat in self.bad:
                    self.referee.broken(f"seat {seat} is asked twice, or is out")
                form = re.fullmatch(r"(\d+ ?)?((lines) (\d+)|(until) (\S+))?", text)
                if not form:
                    self.referee.broken("not a form of `ask`")
                asked[seat] = form[3] and ("lines", int(form[4])) or form[5] and ("until", form[6]) or None
            elif word == "move":
                seat = self.seat(first)
                if not self.unmoved[seat]:
                    self.referee.broken(f"a move of seat {seat} without an answer")
                self.unmoved[seat] -= 1
            elif word == "bad":
                if self.seat(first) in self.bad:
                    self.referee.broken(f"seat {first} is bad twice")
                self.bad[self.seat(first)] = text
            elif word == "out":
                self.out.add(self.seat(first))
            elif word in ("secret", "score"):
                self.seat(first)
                if word == "score" and not re.fullmatch(r"-?\d+", text):
                    self.referee.broken("not a score")
            elif word == "board" and self.first:
                self.board.append(rest)
            elif word == "frame":
                self.frames.append(rest)
            elif word == "end" and not asked:
                return self.end(rest)
            elif word == "void":
                self.referee.broken("void")
            elif word not in ("public", "note"):
                self.referee.broken("not a line of a step")

    def end(self, rest):
        scores, _, self.reason = rest.partition(" : ")
        self.scores = [int(score) for score in scores.split() if re.fullmatch(r"-?\d+", score)]
        if len(self.scores) != len(self.seats) or len(scores.split()) != len(self.seats):
            self.referee.broken("not one score for each seat")
        if self.board or self.frames:
            check_drawing(self.board, self.frames)
        self.over = True
        return []

    def answer(self, player, seat, told, form):
        """The lines for the referee. Who crashed once has crashed for good."""
        try:
            if seat in self.dead:
                raise Fault(*self.dead[seat])
            answer = player.answer(told, form)
        except Fault as fault:
            if fault.kind != "late":
                self.dead[seat] = fault.kind, str(fault)
            return [f"fault {seat} {fault.kind} {fault}"]
        self.unmoved[seat] += 1
        return [f"answer {seat} {line}" for line in (answer if form else [answer])]


def check_drawing(board, frames):
    """Raises Broken where the lines are not the format of docs/frames.md."""
    if not board or not re.fullmatch(r"size \d+ \d+", board[0]) or not re.fullmatch(r"start( \S+)*", board[-1]):
        raise Broken("a board goes from size to start")
    kinds = r"(slot \d+ \d+ (square|round)|edge \d+ \d+ \d+ \d+|panel \d+ \d+ \d+) \S.{0,39}"
    places = [line for line in board if re.fullmatch(kinds, line)]
    panels = {str(at) for at, line in enumerate(places) if line.startswith("panel ")}
    slots = len(places)
    others = sum(bool(re.fullmatch(r"line \d+ \d+ \d+ \d+|label \d+ \d+ \S.{0,39}|hand [1-9]( \d+)+", line)) for line in board)
    if slots + others + 2 != len(board):
        raise Broken("a line of the board is wrong")
    for items, caption in [(board[-1][6:], "start"), *(frame.split("|", 1) for frame in frames)]:
        if not 1 <= len(caption) <= 200 or caption != caption.strip() or not caption.isprintable() or "\\" in caption:
            raise Broken(f"not a caption: {caption!r}")
        seen = set()
        for item in items.split(" ") if items else []:
            match = re.fullmatch(r'(\d+)(>)(\d+)|(\d+)=(\.|[1-9]|"[^\s|]{1,40})|([*!])(\d+)', item)
            if not match:
                raise Broken(f"not an item: {item!r} in {items!r}")
            if any(int(number) >= slots for number in match.group(1, 3, 4, 7) if number):
                raise Broken(f"no such slot: {item!r} of {slots}")
            if match[4] and len(match[5]) > 5 and match[4] not in panels:
                raise Broken(f"too long for a cell: {item!r}")
            key = ("=", match[4]) if match[4] else (match[6], match[7]) if match[6] else (">", match[1])
            if key in seen or match[3] and ("to", match[3]) in seen:
                raise Broken(f"a slot twice: {item!r} in {items!r}")
            seen |= {key, ("to", match[3])} if match[3] else {key}


class Random:
    """Plays any of the moves that its last `legal` line names; at times a fault or an odd answer."""

    ODD = ["", " ", "?", "legal", "pass\x00", "1", "-1", "99999999999999999999", "٣", "1 2 3 4 5 6 7 8", "é\rmove 1 x",
           "x" * 5000, "%s", "fold\tfold", "nan", "1e9", "accept accept", "bet 0", "raise -5", "raise 1.5", "offer 1 1"]

    def __init__(self, seed, odd=0.0, faults=0.0):
        self.random, self.odd, self.faults, self.legal = random.Random(seed), odd, faults, [""]

    def answer(self, lines, form=None):
        for line in lines:
            if line.split()[:1] == ["legal"]:
                self.legal = line.split()[1:]
        if self.random.random() < self.faults:
            raise Fault(self.random.choice(KINDS))
        if self.random.random() < self.odd:
            answer = self.random.choice(self.ODD)
        else:
            answer = self.random.choice(self.legal)
        return [answer] if form else answer


class Engine:
    """A program that speaks `lines`: a folder with engine.toml, an executable, or a Python file."""

    def __init__(self, path, seat, seats, seed, seconds=5, prompt="?"):
        values = {"seat": seat, "side": seat, "seats": seats, "seconds": seconds, "seed": seed, "folder": path}
        path, *arguments = shlex.split(path)
        command, args = [os.path.abspath(path)], ["{seat}", "{seats}", "{seconds}"]
        if os.path.isdir(path):
            values["folder"] = os.path.abspath(path)
            with open(os.path.join(path, "engine.toml"), "rb") as file:
                settings = tomllib.load(file)
            command, args = settings["command"], settings.get("args", args)
        elif path.endswith(".py"):
            command = ["python3", os.path.abspath(path)]
        command = [re.sub(r"\{(\w+)\}", lambda name: str(values[name[1]]), word) for word in command + args]
        self.prompt, self.seconds, self.buffer = prompt, seconds, b""
        self.process = subprocess.Popen(command + arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)

    def answer(self, lines, form=None):
        try:
            lines = lines + [self.prompt] * bool(self.prompt)
            self.process.stdin.write("".join(line + "\n" for line in lines).encode())
        except BrokenPipeError:
            raise Fault("crash", "the process has ended") from None
        deadline = time.monotonic() + self.seconds
        if not form:
            return self.line(deadline)
        if form[0] == "lines":
            return [self.line(deadline) for _ in range(form[1])]
        return list(iter(lambda: self.line(deadline), form[1]))

    def line(self, deadline):
        while b"\n" not in self.buffer:
            if not select.select([self.process.stdout], [], [], max(0, deadline - time.monotonic()))[0]:
                raise Fault("late", f"no answer within {self.seconds} s")
            data = os.read(self.process.stdout.fileno(), 65536)
            if not data:
                raise Fault("crash", "the process has ended")
            self.buffer += data
        line, _, self.buffer = self.buffer.partition(b"\n")
        return line.decode(errors="replace").rstrip("\r")

    def close(self):
        """The game is over: its stdin is closed, and it gets a second to exit."""
        self.process.stdin.close()
        try:
            self.process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
