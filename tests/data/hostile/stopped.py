"""Plays, while sixty processes spin; stops the processes only during its own turns: stopped.py WORD PROGRAM..."""
import os
import signal
import sys
import time

sys.dont_write_bytecode = True
from proxied import LONGEST, play, start


def stop_and_spin():
    os.kill(os.getpid(), signal.SIGSTOP)
    end = time.monotonic() + LONGEST
    while time.monotonic() < end:
        pass


started = start(60, stop_and_spin)


def send(number):
    for child in started:
        os.kill(child, number)


sys.exit(play(sys.argv[2:], hears=lambda _: send(signal.SIGSTOP), waits=lambda: send(signal.SIGCONT)))
