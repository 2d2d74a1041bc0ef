"""Plays one game of Nim between two programs and prints their scores: play_game.py SEED PLAYER1 PLAYER2"""

import random
import subprocess
import sys

seed, *commands = sys.argv[1:]
players = [subprocess.Popen(command.split(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
           for command in commands]
heap = random.Random(int(seed)).randint(10, 40)
scores = [0, 0]
seat = 0
while heap > 0:
    players[seat].stdin.write("%s\n" % heap)
    answer = players[seat].stdout.readline().strip()
    if answer not in ("1", "2", "3") or int(answer) > heap:
        scores[seat] = -1
        break
    heap -= int(answer)
    if heap == 0:
        scores[seat] = 1
    seat = 1 - seat
for player in players:
    player.kill()
print(*scores)
