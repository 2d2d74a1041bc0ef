"""An honest player that counts to COUNT before each answer: counted.py COUNT PLAYER.py"""
import builtins
import runpy
import sys

count, answer = int(sys.argv[1]), print


def answer_after_counting(*words, **options):
    for _ in range(count):
        pass
    answer(*words, **options)


builtins.print = answer_after_counting
runpy.run_path(sys.argv[2], run_name="__main__")
