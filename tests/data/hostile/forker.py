"""Plays, while twenty processes fork and exit continuously on the opponent's time: forker.py WORD PROGRAM..."""
import os
import sys
import time

sys.dont_write_bytecode = True
from proxied import LONGEST, opponent_thinks, play, start


def fork_on():
    """Forks, exits, and continues in the child, so that a newly created process always exists."""
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
