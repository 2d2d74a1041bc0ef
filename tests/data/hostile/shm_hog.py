"""Fills 256 MiB of System V shared memory, which outlives the program, and opens queues: shm_hog.py WORD KEY"""
import ctypes
import sys

libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p
CREATE, SIZE = 0o1600, 256 << 20
key = int(sys.argv[2])
for name, make in [
    ("segment", lambda: libc.shmget(key, ctypes.c_size_t(SIZE), CREATE)),
    ("queue", lambda: libc.msgget(key, CREATE)),
    ("semaphores", lambda: libc.semget(key, 100, CREATE)),
    ("named queue", lambda: libc.mq_open(b"/" + sys.argv[1].encode(), 0o102, 0o600, None)),
]:
    made = make()
    print("made" if made >= 0 else "did not make", "a", name, file=sys.stderr)
    if made >= 0 and name == "segment":
        ctypes.memset(libc.shmat(made, None, 0), 1, SIZE)
