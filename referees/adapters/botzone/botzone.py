"""Referees with a judge of Botzone, which is started for each turn, over `referee 1`.

botzone.py [--initdata TEXT] -- COMMAND ...: SEED in the text becomes the seed of the game.
"""
import json
import subprocess
import sys

VERDICTS = {"late": "TLE", "crash": "RE", "flood": "OLE", "closed": "RE"}  # what Botzone calls faults
# The line with which a bot ends its turn and keeps running.
KEEP = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<"
LONGEST = 60_000  # characters of a line, all of them ASCII; agon takes 64 KiB


def say(*words):
    print(*words)


def hear():
    """The next line of agon as its first word and the rest."""
    sys.stdout.flush()
    word, _, rest = sys.stdin.readline().rstrip("\n").partition(" ")
    return sys.exit(0) if word in ("quit", "") else (word, rest)


def compact(value):
    return json.dumps(value, separators=(",", ":"))


class Failure(Exception):
    """The judge has failed, and how."""


class Game:
    """One game: the log that the judge reads each turn, and what it answers."""

    def __init__(self, command, initdata, options):
        self.command, self.initdata, self.options = command, initdata, options
        self.log, self.requests, self.responses, self.data, self.shown = [], {}, {}, {}, []

    def play(self, seats):
        while True:
            output = self.judge()
            if "initdata" in output:
                self.initdata = output["initdata"]
            self.log.append({"verdict": "OK", "time": 0, "memory": 0, "output": output})
            self.display(output.get("display"))
            content = {int(index): value for index, value in output["content"].items()}
            if not set(content) <= set(range(seats)):
                raise Failure("it names a player that there is not")
            if output["command"] == "finish":
                for line in self.shown:
                    say("public", line)
                whole = all(float(score).is_integer() for score in content.values())
                return say("end", *(round(content[index] * (1 if whole else 1000)) for index in range(seats)))
            if output["command"] != "request" or not content:
                raise Failure("its command is neither request nor finish")
            self.log.append(self.ask(dict(sorted(content.items()))))

    def judge(self):
        """One turn of the judge: a process, a line of JSON for it, and a line of JSON from it."""
        question = compact({"log": self.log, "initdata": self.initdata}) + "\n"
        try:
            done = subprocess.run(self.command, input=question.encode(), stdout=subprocess.PIPE)
        except OSError as error:
            raise Failure(f"it cannot be started: {error}") from None
        lines = done.stdout.decode(errors="replace").split("\n")
        try:
            return json.loads(next(line for line in lines if line.strip()))
        except (StopIteration, ValueError):
            raise Failure(f"it wrote no line of JSON, exit status {done.returncode}") from None

    def display(self, value):
        if value in (None, "") or self.options["display"] == "none":
            return
        line = compact({"display": value})[:LONGEST]
        if self.options["display"] == "live":
            say("public", line)
        else:
            self.shown.append(line)

    def ask(self, content):
        """One step: each player of the request has one line of JSON, and answers with one."""
        for index, request in content.items():
            requests = self.requests.setdefault(index, [])
            requests.append(request)
            if self.options["input"] in ["history", "botzone" if len(requests) == 1 else ""]:
                request = {"requests": requests, "responses": self.responses.get(index, []),
                           **self.data.get(index, {})}
            line = compact(request)
            if len(line) > LONGEST:
                raise Failure(f"a line of {len(line)} bytes for seat {index + 1}")
            say("tell", index + 1, line)
            say("ask", index + 1, *["until", KEEP] * (self.options["input"] == "botzone"))
        say("wait")
        return {str(index): self.answer(index) for index in content}

    def answer(self, index):
        """The answer as the log has it: JSON if it is JSON, with or without the key `response`."""
        lines = []
        while not lines or self.options["input"] == "botzone" and word == "answer" and text != KEEP:
            word, rest = hear()
            text = rest.partition(" ")[2]
            lines.append(text)
        if word == "fault":
            self.responses.setdefault(index, []).append(None)
            return {"verdict": VERDICTS[text.partition(" ")[0]], "time": 0, "memory": 0}
        try:
            text = " ".join(line for line in lines if line != KEEP).strip()
            value = json.loads(text, parse_constant=int)  # NaN is no JSON
        except (ValueError, RecursionError):
            value = text
        if isinstance(value, dict) and "response" in value:
            self.data[index] = {key: value[key] for key in ("data", "globaldata") if key in value}
            value = value["response"]
        # What the display shows only after the game may be hidden until then.
        say("move" if self.options["display"] == "live" else "secret", index + 1, compact(value)[:LONGEST])
        self.responses.setdefault(index, []).append(value)
        return {"verdict": "OK", "time": 0, "memory": 0, "response": value}


def main():
    sys.stdin.reconfigure(encoding="utf-8", errors="replace", newline="\n")
    sys.stdout.reconfigure(encoding="utf-8")
    split = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    before, command = sys.argv[1:split], sys.argv[split + 1:]
    initdata = before[1] if before[:1] == ["--initdata"] and len(before) > 1 else ""
    say("referee 1 botzone 1")
    if not command:
        return say("error game.toml names no judge after `--` in its command")
    while True:
        word, rest = hear()
        if word == "game":
            options = dict(pair.split("=", 1) for pair in rest.split(" ")[1:])
        elif word == "seats":
            seats = int(rest)
        elif word == "clock":
            say("scores win\nready")
        elif word == "seed":
            seed = rest
        elif word == "start":
            try:
                Game(command, initdata.replace("SEED", seed), options).play(seats)
            except Failure as failure:
                say("void the judge has failed:", failure)
            except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
                say("void the judge wrote JSON that is not of Botzone:", repr(error))


main()
