"""Stands in place of a bot: passes its stdin and stdout through a socket to the adapter.

agon_relay.py DIRECTORY SEAT: the socket is in the directory.
"""
import os
import selectors
import socket
import sys

directory, seat = sys.argv[1:]
os.chdir(directory)  # the path of a socket may have 107 bytes at most
adapter = socket.socket(socket.AF_UNIX)
adapter.connect("socket")
adapter.sendall(f"{seat}\n".encode())

waiting = selectors.DefaultSelector()
waiting.register(0, selectors.EVENT_READ)
waiting.register(adapter, selectors.EVENT_READ)
while True:
    for key, _ in waiting.select():
        if key.fileobj == 0:
            data = os.read(0, 65536)
            if not data:  # the referee needs this bot no more
                sys.exit(0)
            try:
                adapter.sendall(data)
            except OSError:  # nobody listens any more
                pass
        else:
            data = adapter.recv(65536)
            if not data:  # the seat answers no more: the referee sees the end of its stdout
                waiting.unregister(adapter)
                os.close(1)
            while data:
                data = data[os.write(1, data):]
