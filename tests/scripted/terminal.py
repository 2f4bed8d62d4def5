"""Runs a command in a terminal of its own and types at it: terminal.py "wait for this" "type this" ... -- COMMAND ...

Each pair is a text to wait for and what to type then (^C is the key, SIGTERM the signal). Prints what the terminal showed and leaves
with the command's exit code; with 99 when a text does not come within ten seconds."""

import os
import pty
import select
import signal
import sys
import time

cut = sys.argv.index("--")
script, command = sys.argv[1:cut], sys.argv[cut + 1 :]
pid, terminal = pty.fork()
if pid == 0:
    # What a shell has started with & ignores the key ^C, and so would this.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.execvp(command[0], command)

shown = b""


def read_until(text):
    global shown
    begin, until = len(shown), time.monotonic() + 10
    while text is None or text not in shown[begin:]:
        if not select.select([terminal], [], [], max(0, until - time.monotonic()))[0]:
            return False
        try:
            piece = os.read(terminal, 4096)
        except OSError:
            return text is None
        if not piece:
            return text is None
        shown += piece
    return True


all_seen = True
for text, keys in zip(script[::2], script[1::2]):
    all_seen = read_until(text.encode())
    if not all_seen:
        break
    if keys == "SIGTERM":
        os.kill(pid, signal.SIGTERM)
    else:
        os.write(terminal, b"\x03" if keys == "^C" else keys.encode() + b"\n")
if all_seen:
    all_seen = read_until(None)
sys.stdout.buffer.write(shown)
sys.stdout.flush()
if not all_seen:
    os.kill(pid, 9)
status = os.waitpid(pid, 0)[1]
sys.exit(os.waitstatus_to_exitcode(status) if all_seen else 99)
