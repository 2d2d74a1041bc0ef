"""Fills 1 GiB of unlinked files, open or mapped, and reports their size: unlinked_hog.py WORD open|mapped"""
import ctypes
import mmap
import os
import sys
import tempfile
import time

SIZE = 16 << 20
libc = ctypes.CDLL(None)
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
kept = []
for folder in [os.environ["HOME"], ".", "/tmp", "/dev/shm", "/var/tmp"]:
    written = 0
    try:
        for _ in range(64):
            file = tempfile.TemporaryFile(dir=folder, buffering=0)
            for _ in range(SIZE >> 20):
                written += file.write(b"x" * (1 << 20))
            if sys.argv[2] == "mapped":
                # One mapped page keeps the file alive; Python's own mmap would also keep the file open.
                libc.mmap(None, 4096, mmap.PROT_READ, mmap.MAP_SHARED, file.fileno(), 0)
                file.close()
            else:
                kept.append(file)
            # Without pauses, a fast disk takes everything between two checks of the watch.
            time.sleep(0.05)
        print(folder, "all of it", file=sys.stderr, flush=True)
    except OSError as error:
        print(folder, written >> 20, "MiB:", error.strerror, file=sys.stderr, flush=True)
time.sleep(1000)
