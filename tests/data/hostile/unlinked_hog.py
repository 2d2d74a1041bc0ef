"""Fills 1 GiB of files without a name, open or mapped, and says how much there is: unlinked_hog.py WORD open|mapped"""
import mmap
import os
import sys
import tempfile
import time

kept = []
for folder in [os.environ["HOME"], ".", "/tmp", "/dev/shm", "/var/tmp"]:
    written = 0
    try:
        for _ in range(64):
            file = tempfile.TemporaryFile(dir=folder, buffering=0)
            for _ in range(16):
                written += file.write(b"x" * (1 << 20))
            if sys.argv[2] == "mapped":
                # The map of Python has a file of its own.
                path = os.path.join(folder, sys.argv[1])
                os.link(f"/proc/self/fd/{file.fileno()}", path, follow_symlinks=True)
            kept.append(file)
        print(folder, "all of it", file=sys.stderr, flush=True)
    except OSError as error:
        print(folder, written >> 20, "MiB:", error.strerror, file=sys.stderr, flush=True)
time.sleep(1000)
