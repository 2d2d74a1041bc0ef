"""Sleeps for ever while a child of its own computes."""
import os
import time

if os.fork() == 0:
    while True:
        pass
time.sleep(1000)
