"""Plays like an honest program, on behalf of the playing attackers in the parent folder."""
import mmap
import os
import select
import subprocess
import tempfile
import time

# Maximum running time of a spinner in seconds, in case the arena does not end it.
LONGEST = 600



def shared(size):
    """Returns memory shared with processes forked later. The filter denies shared memory without a file."""
    with tempfile.TemporaryFile() as file:
        file.truncate(size)
        return mmap.mmap(file.fileno(), size)


# Holds 1 while the opponent thinks.
opponent_thinks = shared(1)


def play(words, hears=lambda request: None, waits=lambda: None):
    """Runs the program and forwards all bytes in both directions.

    Calls `hears` before a request reaches the program, and `waits` after an answer has reached the arena.
    Returns the program's exit code.
    """
    program = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    request, answer, to_program = 0, program.stdout.fileno(), program.stdin.fileno()
    open_streams = [request, answer]
    while True:
        # `select` instead of epoll, because epoll rejects /dev/null.
        ready, _, _ = select.select(open_streams, [], [])
        for stream in ready:
            data = os.read(stream, 1 << 16)
            if stream == request and data:
                opponent_thinks[0] = 0
                hears(data)
                os.write(to_program, data)
            elif stream == request:
                open_streams.remove(request)
                program.stdin.close()
            elif data:
                os.write(1, data)
                opponent_thinks[0] = 1
                waits()
            else:
                return program.wait()


def start(number, attack):
    """Starts processes that run `attack` in separate sessions, and returns their process ids."""
    started = []
    for _ in range(number):
        child = os.fork()
        if child == 0:
            os.setsid()
            attack()
            os._exit(0)
        started.append(child)
    return started


def spin():
    """Computes while the opponent thinks."""
    end = time.monotonic() + LONGEST
    while time.monotonic() < end:
        if opponent_thinks[0]:
            for _ in range(10_000):
                pass
        else:
            time.sleep(0.005)
