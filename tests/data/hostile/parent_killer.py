"""Stops and kills its parent and its parent's group, and the process that is named: parent_killer.py WORD PID"""
import os
import signal
import sys
import time

named = int(sys.argv[2])
for number in (signal.SIGSTOP, signal.SIGKILL):
    for kill, whom in [(os.kill, named), (os.killpg, os.getpgid(os.getppid())), (os.kill, os.getppid())]:
        try:
            # Group 1 would mean every process.
            if kill is os.kill or whom > 1:
                kill(whom, number)
        except OSError as error:
            print(error, file=sys.stderr, flush=True)
time.sleep(1000)
