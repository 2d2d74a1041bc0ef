"""Plays, while four processes spin on the opponent's time; a timer continues the processes after each stop.

continuer.py WORD PROGRAM...
"""
import ctypes
import signal
import sys

sys.dont_write_bytecode = True
from proxied import play, spin, start

MONOTONIC = 1


class Sigevent(ctypes.Structure):
    # The kernel's structure has 64 bytes; notification 0 sends a signal to the process.
    _fields_ = [
        ("value", ctypes.c_void_p),
        ("signal", ctypes.c_int),
        ("notification", ctypes.c_int),
        ("rest", ctypes.c_char * 48),
    ]


class Setting(ctypes.Structure):
    # The interval and the first expiry, each in seconds and nanoseconds.
    _fields_ = [(name, ctypes.c_long) for name in ("every_s", "every_ns", "first_s", "first_ns")]


def continued():
    """Spins, and continues itself every millisecond if the system allows the timer."""
    # The kernel does not restart a timer with an ignored signal.
    signal.signal(signal.SIGCONT, lambda *_: None)
    libc = ctypes.CDLL(None)
    timer = ctypes.c_void_p()
    event = Sigevent(signal=signal.SIGCONT, notification=0)
    if libc.timer_create(MONOTONIC, ctypes.byref(event), ctypes.byref(timer)) == 0:
        every_millisecond = Setting(0, 1_000_000, 0, 1_000_000)
        libc.timer_settime(timer, 0, ctypes.byref(every_millisecond), None)
    spin()


start(4, continued)
sys.exit(play(sys.argv[2:]))
