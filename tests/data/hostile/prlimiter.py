"""Changes limits, priority, scheduling and cores of its parent and of process PID, and leaves its core:
prlimiter.py WORD PID"""
import os
import resource
import sys

for pid in [os.getppid(), int(sys.argv[2])]:
    for name, change in [
        ("limit", lambda: resource.prlimit(pid, resource.RLIMIT_NOFILE, (5, 5))),
        ("priority", lambda: os.setpriority(os.PRIO_PROCESS, pid, 19)),
        ("group's priority", lambda: os.setpriority(os.PRIO_PGRP, os.getpgid(pid), 19)),
        ("user's priority", lambda: os.setpriority(os.PRIO_USER, 0, 19)),
        ("scheduling", lambda: os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0))),
        ("cores", lambda: os.sched_setaffinity(pid, {min(os.sched_getaffinity(0))})),
        ("own cores", lambda: os.sched_setaffinity(0, set(range(os.cpu_count())))),
    ]:
        try:
            change()
            print("changed the", name, file=sys.stderr)
        except OSError as error:
            print(name, error.strerror, file=sys.stderr)
