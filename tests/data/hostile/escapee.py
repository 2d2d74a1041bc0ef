"""Leaves a process behind in a session of its own, with an empty environment and no parent, and ends."""
import os
import sys

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execve(sys.executable, [sys.executable, "-c", "while True: pass", sys.argv[1]], {})
    os._exit(0)
os.wait()
