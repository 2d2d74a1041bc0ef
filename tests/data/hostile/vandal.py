"""Writes into folders that are not its own, and removes what is there: vandal.py WORD at:FOLDER..."""
import os
import shutil
import sys

folders = [word.removeprefix("at:") for word in sys.argv[2:]]
for folder in [*folders, os.path.dirname(os.path.abspath(__file__))]:
    for name in ["log", "result.jsonl", "player.py"]:
        try:
            with open(os.path.join(folder, name), "w") as file:
                file.write("I have won.\n")
            print("wrote into", folder, file=sys.stderr)
        except OSError as error:
            print(folder, error.strerror, file=sys.stderr)
for folder in folders:
    shutil.rmtree(folder, ignore_errors=True)
