"""An adapter for bots of Botzone, in games whose referee is the adapter of Botzone's judges with `input=request`.

botzone.py turn PROGRAM [ARGUMENT...]   starts the bot anew for each turn
botzone.py keep PROGRAM [ARGUMENT...]   starts it once: a bot that ends a turn with the line KEEP, below

In its first turn a bot reads all requests and responses in one line of JSON, {"requests": [...], "responses": [...]},
with `data` and `globaldata` if it has given these before. A bot that is started anew reads that in every turn, and then
the end of its input. One that keeps running reads the bare request in later turns.
"""

import json
import subprocess
import sys

KEEP = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<"


def compact(value):
    return json.dumps(value, separators=(",", ":"))


class Bot:
    """The bot, and what it is to be told of earlier turns."""

    def __init__(self, keeps, command):
        self.keeps, self.command, self.process = keeps, command, None
        self.requests, self.responses, self.data = [], [], {}

    def answer(self, request):
        """The bot's answer to a request, in one line."""
        self.requests.append(request)
        whole = {"requests": self.requests, "responses": self.responses, **self.data}
        is_first, text = self.process is None, None
        if is_first or not self.keeps:
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            if self.keeps:
                self.process.stdin.write(compact(whole if is_first else request) + "\n")
                self.process.stdin.flush()
                text = self.turn()
            else:
                text = self.process.communicate(compact(whole) + "\n")[0].strip()
        except BrokenPipeError:
            pass  # what follows says so
        if not text:
            sys.exit(f"the bot has ended with {self.process.wait()} and without an answer")
        return self.read(text)

    def turn(self):
        """The lines up to KEEP."""
        lines = []
        for line in self.process.stdout:
            if line.strip() == KEEP:
                break
            lines.append(line)
        return "".join(lines).strip()

    def read(self, text):
        """Notes an answer, and returns it in one line. What is no JSON is left to the judge."""
        text = text.removesuffix(KEEP).strip()
        try:
            value = json.loads(text)
        except ValueError:
            value = " ".join(text.split())
            self.responses.append(value)
            return value
        if isinstance(value, dict) and "response" in value:
            self.data |= {key: value[key] for key in ("data", "globaldata") if key in value}
            sys.stderr.write(f"{value['debug']}\n" if value.get("debug") else "")
            value = value["response"]
        self.responses.append(value)
        return compact({"response": value})


def main():
    if sys.argv[1:2] not in (["turn"], ["keep"]) or not sys.argv[2:]:
        sys.exit("write args = [\"turn\", PROGRAM], or \"keep\" for a bot that keeps running")
    bot = Bot(sys.argv[1] == "keep", sys.argv[2:])
    for line in sys.stdin:
        if line.strip() not in ("", "?"):
            print(bot.answer(json.loads(line)), flush=True)
    if bot.keeps and bot.process:
        bot.process.stdin.close()
        bot.process.wait()


main()
