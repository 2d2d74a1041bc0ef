"""A player of Entropy on the JSON wire of the Python tournament server, of nothing but the standard library.

usage: json_client.py PORT NAME first|last|illegal [QUESTION]

It plays the first or the last legal move, or illegal ones. Asked for the QUESTION-th time it ends without a
word. When the server goes away it comes back; when it says goodbye it ends.
"""

import json
import socket
import sys
import time

TRIES = 600
PAUSE = 0.1


def objects(stream):
    """The JSON objects of a stream that has nothing between them."""
    decoder = json.JSONDecoder()
    text = ""
    while True:
        try:
            value, end = decoder.raw_decode(text)
            text = text[end:]
            yield value
        except ValueError:
            received = stream.recv(4096)
            if not received:
                return
            text += received.decode()


class Game:
    """The board as one player knows it."""

    def __init__(self, style):
        self.style = style
        self.size, self.role, self.tile, self.board = 0, None, None, {}

    def hear(self, line):
        words = line.split()
        if len(words) == 4:
            self.slide([int(word) for word in words])
        elif len(words) == 3:
            self.board[int(words[0]), int(words[1])] = words[2]
        elif words[0].isdigit():
            self.size = int(words[0])
        elif words[0] in ("ORDER", "CHAOS"):
            self.role = words[0]
        else:
            self.tile = words[0]

    def slide(self, cells):
        tile = self.board.pop((cells[0], cells[1]))
        self.board[cells[2], cells[3]] = tile

    def slides(self):
        for row, column in sorted(self.board):
            for down, right in ((-1, 0), (0, -1), (0, 1), (1, 0)):
                to = row + down, column + right
                while all(0 <= at < self.size for at in to) and to not in self.board:
                    yield [row, column, *to]
                    to = to[0] + down, to[1] + right

    def move(self):
        if self.style == "illegal":
            return "0 0 9 9" if self.role == "ORDER" else "9 9"
        chosen = 0 if self.style == "first" else -1
        if self.role == "ORDER":
            cells = list(self.slides())[chosen]
            self.slide(cells)
        else:
            every = [(row, column) for row in range(self.size) for column in range(self.size)]
            cells = [cell for cell in every if cell not in self.board][chosen]
            self.board[cells] = self.tile
        return " ".join(map(str, cells))


def play(stream, name, style, leaves_at):
    """True once the server has said goodbye."""
    stream.sendall(name.encode())
    game = Game(style)
    questions = 0
    for said in objects(stream):
        if said["purpose"] == "kill":
            print(said.get("comment", "goodbye"), flush=True)
            return True
        if said["purpose"] == "reset":
            game = Game(style)
            continue
        for line in said["payload"].splitlines():
            game.hear(line)
        if said["purpose"] == "update":
            questions += 1
            if questions == leaves_at:
                sys.exit(1)
            answer = {"payload": game.move() + "\n", "status": True}
            stream.sendall(json.dumps(answer).encode())
    return False


def main():
    port, name, style = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    leaves_at = int(sys.argv[4]) if len(sys.argv) > 4 else None
    for _ in range(TRIES):
        try:
            with socket.create_connection(("127.0.0.1", port)) as stream:
                if play(stream, name, style, leaves_at):
                    return
        except OSError:
            pass
        time.sleep(PAUSE)
    sys.exit("nobody answers")


main()
