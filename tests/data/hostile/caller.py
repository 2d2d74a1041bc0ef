"""Tries to reach a Unix socket by its path, also from a socket pair: caller.py WORD at:SOCKET"""
import socket
import sys

path = sys.argv[2].removeprefix("at:")
for name, reach in [
    ("stream", lambda: socket.socket(socket.AF_UNIX).connect(path)),
    ("datagram", lambda: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"x", path + "-datagrams")),
    ("pair", lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendto(b"x", path + "-datagrams")),
]:
    try:
        reach()
        print("was heard by a", name, file=sys.stderr)
    except OSError as error:
        print(name, error.strerror, file=sys.stderr)
