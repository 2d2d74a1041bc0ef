"""The rules of Tic-Tac-Toe. Replace them with the rules of your game."""

from turnwise_referee import Game, IllegalMove, RefereeError, choose, run

# The cells are numbered row by row:
#     0 1 2
#     3 4 5
#     6 7 8
ROWS = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


class TicTacToe(Game):
    def __init__(self, settings, seats):
        self.board = ["."] * 9
        self.is_opening_due = settings.get("random_opening", False)

    @classmethod
    def from_position(cls, settings, seats, position):
        game = cls({}, seats)
        game.board = list(position)
        is_complete = len(position) == 9 and set(position) <= set("XO.")
        if not is_complete or position.count("X") - position.count("O") not in (0, 1):
            raise RefereeError("expected nine letters X, O and . with as many X as O or one more")
        return game

    def position(self):
        return "".join(self.board)

    def draws(self):
        return 1 if self.is_opening_due else 0

    def draw(self, values):
        self.is_opening_due = False
        cell = choose(values[0], range(9))
        self.board[cell] = "X"
        return ["X on cell %s" % cell]

    def winner(self):
        """Returns the seat with three in a row, or None."""
        for first, second, third in ROWS:
            if self.board[first] != "." and self.board[first] == self.board[second] == self.board[third]:
                return "XO".index(self.board[first])
        return None

    def turn(self):
        if self.winner() is not None or "." not in self.board:
            return None
        return self.board.count("X") - self.board.count("O")

    def moves(self):
        return [str(cell) for cell in range(9) if self.board[cell] == "."]

    def play(self, move):
        # A player may send any text.
        if move not in ("0", "1", "2", "3", "4", "5", "6", "7", "8"):
            raise IllegalMove("expected a cell, a number from 0 to 8")
        if self.board[int(move)] != ".":
            raise IllegalMove("cell %s is taken" % move)
        self.board[int(move)] = "XO"[self.turn()]

    def scores(self):
        winner = self.winner()
        return [0.5, 0.5] if winner is None else [1 - winner, winner]

    def ending(self):
        return "the board is full" if self.winner() is None else "three in a row"

    def observation(self, seat):
        return {"board": self.position(), "piece": "XO"[seat]}

    def view(self, seat):
        turn, winner = self.turn(), self.winner()
        if turn is not None:
            caption = "%s places a piece." % "XO"[turn]
        else:
            caption = "The board is full." if winner is None else "%s has three in a row." % "XO"[winner]
        is_moving = turn is not None and seat == turn
        choices = [
            {"notation": move, "words": "place %s on cell %s" % ("XO"[turn], move), "to": int(move)}
            for move in self.moves() if is_moving
        ]
        letters = self.position().replace(".", " ")
        return {
            "caption": caption,
            "grid": {"columns": 3, "letters": letters, "names": [str(cell) for cell in range(9)]},
            "choices": choices,
        }


if __name__ == "__main__":
    run(TicTacToe)
