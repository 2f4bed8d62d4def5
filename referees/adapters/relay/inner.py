"""Runs a referee that starts its bots: its process, the stubs in place of the bots, and when it waits."""
import contextlib
import glob
import os
import selectors
import signal
import socket
import subprocess

LONGEST = 60_000  # bytes of a line; agon takes 64 KiB
KEPT = 2**20  # bytes of the output, from its end


class Failure(Exception):
    """The inner referee has failed, and how."""


def asleep(session):
    """Whether all threads of a session wait for something. Without /proc nothing is known: yes."""
    for path in glob.glob("/proc/[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if int(open(path).read().rpartition(")")[2].split()[3]) == session:
                for thread in glob.glob(path[:-5] + "/task/*/stat"):
                    if open(thread).read().rpartition(")")[2].split()[0] not in "SIZ":
                        return False
    return True


class Inner:
    """The process of a referee. `new` has the whole lines that it wrote to the bots, by seat."""

    def __init__(self, directory, seats):
        self.new, self.rest = {seat: [] for seat in seats}, dict.fromkeys(seats, b"")
        self.stubs, self.output, self.process = {}, b"", None
        self.waiting, self.door = selectors.DefaultSelector(), socket.socket(socket.AF_UNIX)
        os.chdir(directory)  # the path of a socket may have 107 bytes at most
        self.door.bind("socket")
        self.door.listen(len(seats))
        self.waiting.register(self.door, selectors.EVENT_READ)

    def start(self, command, folder):
        self.process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, bufsize=0, start_new_session=True)
        self.waiting.register(self.process.stdout, selectors.EVENT_READ)

    def over(self):
        """Whether the output and all stubs are at their end."""
        return len(self.waiting.get_map()) == 1

    def quiet(self, seconds):
        """Reads what there is. True if there was nothing for this time, and all processes sleep."""
        ready = [key.fileobj for key, _ in self.waiting.select(seconds)]
        for source in ready:
            if source is self.door:
                stub = self.door.accept()[0]
                self.stubs[stub] = int(stub.makefile("rb", 0).readline())
                self.waiting.register(stub, selectors.EVENT_READ)
                continue
            data = source.recv(65536) if source in self.stubs else source.read(65536)
            if not data:
                self.waiting.unregister(source)
            elif source in self.stubs:
                self.hear(self.stubs[source], data)
            else:
                self.output = (self.output + data)[-KEPT:]
        return not ready and asleep(self.process.pid)

    def hear(self, seat, data):
        *lines, self.rest[seat] = (self.rest[seat] + data).split(b"\n")
        if max(map(len, [self.rest[seat], *lines])) > LONGEST:
            raise Failure(f"it wrote a line of more than {LONGEST} bytes to seat {seat}")
        self.new[seat] += [line.decode(errors="replace").rstrip("\r") for line in lines]

    def answer(self, seat, lines):
        """What the bot of a seat answers: lines, or None if it answers nothing more."""
        stub = next(stub for stub, of in self.stubs.items() if of == seat)
        with contextlib.suppress(OSError):  # the referee may have ended its bot
            if lines is None:
                stub.shutdown(socket.SHUT_WR)
            else:
                stub.sendall("".join(line + "\n" for line in lines).encode())

    def close(self):
        if self.process:
            with contextlib.suppress(ProcessLookupError):  # it may have ended by itself, and been waited for
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            self.process.stdout.close()
        for source in [self.door, *self.stubs]:
            source.close()
        self.waiting.close()
