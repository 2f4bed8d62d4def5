"""What the scripts of this folder share: they run the real programs, print a table of what they
measured and checked, and exit with 1 if a check failed."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Said:
    """What a program said, and its exit code."""

    def __init__(self, code, out, err, seconds):
        self.code, self.out, self.err, self.seconds = code, out, err, seconds

    @property
    def all(self):
        return f"exit code {self.code}\n{self.out}{self.err}"


class User:
    """A user with the programs of agon and an empty folder, and the table of measures."""

    def __init__(self, title, programs, home):
        self.title, self.programs, self.home = title, programs, home
        self.rows = []
        self.failed = 0

    def program(self, name):
        return str(self.programs / name)

    def run(self, *command, cwd=None, env=None, limit=600):
        """Runs a command in the folder of the user, or in CWD inside it."""
        begun = time.monotonic()
        ended = subprocess.run(
            [str(word) for word in command],
            cwd=self.home / (cwd or "."),
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=limit,
        )
        return Said(ended.returncode, ended.stdout, ended.stderr, time.monotonic() - begun)

    def agon(self, *words, cwd=None, env=None, limit=600):
        return self.run(self.program("agon"), *words, cwd=cwd, env=env, limit=limit)

    def put(self, path, text):
        """Writes a file of the user; text, or bytes."""
        path = self.home / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def engine(self, path, *command, name=None):
        """A folder with an engine.toml."""
        named = f"name = {json.dumps(name)}\n" if name else ""
        words = json.dumps([str(word) for word in command])
        self.put(f"{path}/engine.toml", f"{named}command = {words}\n")

    def games(self, directory):
        """The games of a run that count, as `agon export json` gives them out."""
        said = self.agon("export", "json", directory)
        if said.code != 0:
            raise RuntimeError(f"agon export json {directory}: {said.all}")
        return [json.loads(line) for line in said.out.splitlines()]

    def note(self, what, value):
        """A row that is not judged."""
        self.rows.append((what, str(value), ""))

    def check(self, what, value, good, more=""):
        """A row that is judged. MORE is printed if it is not good."""
        self.rows.append((what, str(value), "ok" if good else "WRONG"))
        if not good:
            self.failed += 1
            print(f"WRONG: {what}: {value}\n{str(more).rstrip()}", file=sys.stderr)
        return good

    def equal(self, what, found, wanted, more=""):
        """Checks that two values are equal."""
        shown = found if len(str(found)) <= 40 else "as counted again"
        return self.check(what, shown, found == wanted, f"found  {found}\nwanted {wanted}\n{more}")

    def table(self):
        widths = [max(len(row[column]) for row in self.rows) for column in range(2)]
        print(f"== {self.title}")
        for what, value, verdict in self.rows:
            print(f"{what:<{widths[0]}}  {value:<{widths[1]}}  {verdict}".rstrip())
        print(f"{sum(1 for row in self.rows if row[2])} checks, {self.failed} wrong")


def main(title, journey):
    """Calls JOURNEY with a User in a temporary folder. The programs are in the directory that the
    first argument or AGON_BIN names."""
    given = sys.argv[1] if len(sys.argv) == 2 else os.environ.get("AGON_BIN")
    if len(sys.argv) > 2 or not given or not os.access(Path(given) / "agon", os.X_OK):
        name = Path(sys.argv[0]).name
        print(f"usage: tests/users/{name} PROGRAMS, or AGON_BIN=PROGRAMS tests/users/{name}", file=sys.stderr)
        print("hint: PROGRAMS is where cargo puts agon, like target/release", file=sys.stderr)
        sys.exit(2)
    home = Path(tempfile.mkdtemp(prefix=f"agon-{title.split()[-1]}-"))
    user = User(title, Path(given).resolve(), home)
    begun = time.monotonic()
    try:
        journey(user)
    except Exception:  # the table so far is still worth reading
        user.check("the journey", "ended early", False, traceback.format_exc())
    user.note("seconds", round(time.monotonic() - begun))
    user.table()
    if user.failed and os.environ.get("AGON_KEEP"):
        print(f"kept: {home}", file=sys.stderr)
    else:
        shutil.rmtree(home, ignore_errors=True)
    sys.exit(1 if user.failed else 0)
