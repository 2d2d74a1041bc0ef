"""Ends its first thread, so that the system calls it a zombie, and fills 1 GiB of memory in another one, four times."""
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
