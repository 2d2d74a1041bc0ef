"""Plays, while twenty processes become others without end on the opponent's time: forker.py WORD PROGRAM..."""
import os
import sys
import time

sys.dont_write_bytecode = True
from proxied import LONGEST, opponent_thinks, play, start


def fork_on():
    """Forks, ends, and goes on in the child, so that there is always one that was just born."""
    end = time.monotonic() + LONGEST
    while time.monotonic() < end:
        if not opponent_thinks[0]:
            time.sleep(0.005)
            continue
        try:
            if os.fork() > 0:
                return
        except OSError:
            time.sleep(0.005)


start(20, fork_on)
sys.exit(play(sys.argv[2:]))
