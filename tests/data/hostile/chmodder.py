"""Changes mode, owner, times and attributes of another participant's file: chmodder.py WORD at:FILE"""
import os
import sys

path = sys.argv[2].removeprefix("at:")
for name, change in [
    ("mode", lambda: os.chmod(path, 0o600)),
    ("owner", lambda: os.chown(path, os.getuid(), os.getgid())),
    ("times", lambda: os.utime(path, (1, 1))),
    ("attributes", lambda: os.setxattr(path, "user.won", b"yes")),
]:
    try:
        change()
        print("changed the", name, file=sys.stderr)
    except OSError as error:
        print(name, error.strerror, file=sys.stderr)
