"""Speaks the protocol of protocol/referee.md to a referee in another process, for the tests in this folder."""

import json
import random
import subprocess
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


class Failure(Exception):
    """The referee replied with an error."""

    def __init__(self, error):
        super().__init__(error["message"])
        self.code = error["code"]


class Referee:
    """A referee's process. Use it in a `with` statement."""

    def __init__(self, folder, *arguments, quiet=False):
        self.manifest = tomllib.loads((folder / "game.toml").read_text(encoding="utf-8"))
        errors = subprocess.DEVNULL if quiet else None
        command = [*self.manifest["command"], *arguments]
        self.process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors)
        self.number = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(10)
        self.process.stdout.close()

    def send(self, line):
        """Sends a line as bytes, and returns the reply."""
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()
        reply = self.process.stdout.readline()
        assert reply.endswith(b"\n"), "the referee exited"
        return json.loads(reply)

    def ask(self, method, **params):
        """Returns the result of a request, or raises `Failure`."""
        self.number += 1
        request = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        reply = self.send(json.dumps(request).encode())
        assert reply["jsonrpc"] == "2.0" and reply["id"] == self.number, reply
        if "error" in reply:
            raise Failure(reply["error"])
        return reply["result"]

    def start(self, game, seed, seats=2, settings=None, **others):
        """Starts a game, and returns a function that plays moves or draws what chance decides."""
        luck = random.Random(seed)
        status = self.ask("start", game=game, seats=seats, settings=settings or {}, **others)
        return self.settle(game, status, luck), luck

    def settle(self, game, status, luck):
        """Draws all that chance decides now."""
        while "draws" in status:
            values = [luck.getrandbits(64) for _ in range(status["draws"])]
            status = self.ask("draw", game=game, values=values)
        return status

    def play_out(self, game, seed, seats=2, settings=None):
        """Plays a game of random moves to its end. Returns the moves, and all statuses."""
        status, luck = self.start(game, seed, seats, settings)
        choices, moves, statuses = random.Random(seed), [], [status]
        while "scores" not in status:
            moves.append(choices.choice(self.ask("moves", game=game)["moves"]))
            status = self.ask("play", game=game, seat=status["seat"], move=moves[-1])
            status = self.settle(game, status, luck)
            statuses.append(status)
        self.ask("end", game=game)
        return moves, statuses
