"""Plays, records the tiles of Entropy, and confesses when the record of another game predicts the next tiles.

It keeps records in its own memory, in folders, and in a process that keeps running. The confession is an answer
that is not a move, so that the game ends with this program's fault: tile_recorder.py WORD PROGRAM...
"""
import os
import socket
import sys
import time

sys.dont_write_bytecode = True
from proxied import LONGEST, play, shared, start

# Number of common tiles that identifies a game; a chance match occurs once in thousands of games.
ALIKE = 8

word = sys.argv[1]
folders = {".", "/tmp", "/dev/shm", "/var/tmp", *(os.environ.get(name, ".") for name in ("HOME", "TMPDIR"))}
own_name = f"{word}-{time.time_ns()}"
# An abstract socket, which no file shows.
address = f"\0{word}"
current = shared(4096)
games = [""]


def stay():
    """Sends the tiles of this game to every process that connects later."""
    try:
        with socket.socket(socket.AF_UNIX) as door:
            door.bind(address)
            door.listen()
            door.settimeout(LONGEST)
            while True:
                with door.accept()[0] as peer:
                    peer.sendall(current[:].rstrip(b"\0"))
    except OSError:
        pass


def left_by_others():
    """Returns all readable tiles of earlier games."""
    found = []
    for folder in folders:
        try:
            for name in os.listdir(folder):
                if name.startswith(f"{word}-"):
                    with open(os.path.join(folder, name)) as file:
                        found.append(file.read())
        except OSError:
            pass
    try:
        with socket.socket(socket.AF_UNIX) as peer:
            peer.connect(address)
            found.append(peer.makefile().read())
    except OSError:
        pass
    return found


def record(request):
    """Records the tile of each line `C` or `row col C`; a line with a role starts a new game."""
    for line in request.decode(errors="replace").splitlines():
        last = line.split()[-1:]
        if last in (["ORDER"], ["CHAOS"]):
            games.append("")
        elif last and len(last[0]) == 1 and last[0].isalpha():
            games[-1] += last[0]
    own = games[-1]
    current[: len(own)] = own.encode()
    for folder in folders:
        try:
            with open(os.path.join(folder, own_name), "w") as file:
                file.write(own)
        except OSError:
            pass
    others = [*others_at_start, *games[:-1]]
    if len(own) >= ALIKE and any(len(other) > len(own) and other.startswith(own) for other in others):
        print("I know the tiles", flush=True)
        time.sleep(LONGEST)


others_at_start = left_by_others()
start(1, stay)
sys.exit(play(sys.argv[2:], hears=record))
