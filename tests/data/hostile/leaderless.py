"""Four processes end their first thread, so that they look like zombies, and fill 1 GiB each in a second thread."""
import ctypes
import os
import sys
import threading
import time


def fill():
    held = []
    for _ in range(1024):
        held.append(b"x" * (1 << 20))
        time.sleep(0.001)
    print("all of it", file=sys.stderr, flush=True)
    time.sleep(1000)


os.fork()
os.fork()
threading.Thread(target=fill).start()
ctypes.CDLL(None).syscall(60 if os.uname().machine == "x86_64" else 93, 0)
