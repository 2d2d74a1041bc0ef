"""Plays, while twelve processes in separate sessions spin on the opponent's time: spinner.py WORD PROGRAM..."""
import sys

sys.dont_write_bytecode = True
from proxied import play, spin, start

start(12, spin)
sys.exit(play(sys.argv[2:]))
