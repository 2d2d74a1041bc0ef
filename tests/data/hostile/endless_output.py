"""Says nonsense without end on both of its streams."""
import os
import threading


def flood(stream):
    while True:
        os.write(stream, b"nonsense\n" * 1000)


threading.Thread(target=flood, args=(2,)).start()
flood(1)
