"""Reads what is not its own and says it: spy.py WORD at:PATH..."""
import os
import sys

for path in [*(word.removeprefix("at:") for word in sys.argv[2:]), "/root", "/proc/1/environ"]:
    try:
        found = os.listdir(path) if os.path.isdir(path) else open(path).read()
        print(path, "holds", found, file=sys.stderr)
    except OSError as error:
        print(path, error.strerror, file=sys.stderr)
