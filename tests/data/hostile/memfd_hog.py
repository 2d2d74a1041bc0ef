"""Holds 1 GiB of unmapped memory, in memory files and in shared memory with a single mapped page."""
import ctypes
import mmap
import os
import sys
import time

PIECE, PIECES = 16 << 20, 64
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]


def file():
    place = os.memfd_create("held")
    for _ in range(PIECE >> 20):
        os.write(place, b"x" * (1 << 20))


def mapped(flags, place):
    address = libc.mmap(None, PIECE, mmap.PROT_READ | mmap.PROT_WRITE, flags, place, 0)
    if address in (None, ctypes.c_void_p(-1).value):
        raise OSError(ctypes.get_errno(), "not mapped")
    ctypes.memset(address, 1, PIECE)
    libc.munmap(address + 4096, PIECE - 4096)


for name, hold in [
    ("memory files", file),
    ("shared memory", lambda: mapped(mmap.MAP_SHARED | mmap.MAP_ANONYMOUS, -1)),
    ("/dev/zero", lambda: mapped(mmap.MAP_SHARED, os.open("/dev/zero", os.O_RDWR))),
]:
    try:
        for _ in range(PIECES):
            hold()
        print("all of it in", name, file=sys.stderr, flush=True)
    except OSError as error:
        print(name, error.strerror, file=sys.stderr, flush=True)
