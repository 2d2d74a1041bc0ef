"""Connect Four with the moves, the views and the lines of the example in Rust, examples/connect4."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[4] / "templates/game/python"))
from turnwise_referee import Game, IllegalMove, run  # noqa: E402

COLUMNS, ROWS = 7, 6
NAMES = ["Red", "Yellow"]


class ConnectFour(Game):
    def __init__(self, settings, seats):
        # The letters of each column, from below.
        self.columns = [""] * COLUMNS
        self.last = None
        self.winner = None

    def __deepcopy__(self, memo):
        clone = ConnectFour({}, 2)
        clone.columns, clone.last, clone.winner = list(self.columns), self.last, self.winner
        return clone

    def seat(self):
        return sum(map(len, self.columns)) % 2

    def turn(self):
        return self.seat() if self.winner is None and self.moves() else None

    def moves(self):
        return [str(column) for column in range(COLUMNS) if len(self.columns[column]) < ROWS]

    def play(self, move):
        if move not in self.moves():
            is_column = move.isascii() and move.isdigit()
            rule = "column %s is full or outside of the board" if is_column else "expected a column, got %r"
            raise IllegalMove(rule % move[:40])
        column, seat = int(move), self.seat()
        self.columns[column] += "RY"[seat]
        self.last = column
        directions = [(1, 0), (0, 1), (1, 1), (1, -1)]
        if any(1 + self.run(right, up) + self.run(-right, -up) >= 4 for right, up in directions):
            self.winner = seat

    def at(self, column, row):
        is_piece = 0 <= column < COLUMNS and 0 <= row < len(self.columns[column])
        return self.columns[column][row] if is_piece else " "

    def run(self, right, up):
        """Counts the pieces that follow the last piece in one direction and have its color."""
        column, row = self.last, len(self.columns[self.last]) - 1
        length = 0
        while self.at(column + right * (length + 1), row + up * (length + 1)) == self.at(column, row):
            length += 1
        return length

    def scores(self):
        return [0.5, 0.5] if self.winner is None else [1 - self.winner, self.winner]

    def ending(self):
        return "the board is full" if self.winner is None else "four in a row"

    def lines(self, seat):
        return ["go" if self.last is None else str(self.last)]

    def greetings(self, seat, start):
        return [NAMES[seat].upper()]

    def top_cell(self, column):
        """Returns the cell where a piece in this column lands, counted row by row from above."""
        return (ROWS - 1 - len(self.columns[column])) * COLUMNS + column

    def view(self, seat):
        turn = self.turn()
        if self.winner is not None:
            caption = "%s has four in a row." % NAMES[self.winner]
        else:
            caption = "The board is full." if turn is None else "%s drops a piece." % NAMES[turn]
        columns = [int(move) for move in self.moves() if turn is not None and seat == turn]
        return {
            "caption": caption,
            "grid": {
                "columns": COLUMNS,
                "letters": "".join(self.at(column, row) for row in reversed(range(ROWS)) for column in range(COLUMNS)),
            },
            "choices": [
                {"notation": str(column), "words": "drop into column %s" % column, "to": self.top_cell(column)}
                for column in columns
            ],
        }


if __name__ == "__main__":
    run(ConnectFour)
