"""Fills memory, first alone and then with children, 2 GiB at most, and says how much it holds."""
import os
import sys
import time

held = []
for number in range(16):
    try:
        held.append(b"x" * (64 << 20))
    except MemoryError:
        print("refused beyond", number * 64, "MiB", file=sys.stderr, flush=True)
        break
held.clear()
for number in range(16):
    if os.fork() == 0:
        held.append(b"x" * (64 << 20))
        time.sleep(1000)
time.sleep(3)
print("all children have their memory", file=sys.stderr, flush=True)
time.sleep(1000)
