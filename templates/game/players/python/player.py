"""A player of Tic-Tac-Toe that values each cell. It reads and writes lines of JSON."""

import json
import sys

ROWS = ["012", "345", "678", "036", "147", "258", "048", "246"]


# ------------------------------------------------------------------ what to change first

def value(board, piece, cell):
    """Returns how good a cell is: it completes a row, prevents the opponent's row, or lies in many rows."""
    total = 0
    for row in ROWS:
        if cell in row:
            others = [board[int(other)] for other in row if other != cell]
            if others == [piece, piece]:
                total += 100
            elif others[0] == others[1] != ".":
                total += 10
            else:
                total += 1
    return total


def choose_move(moves, state):
    """Returns the legal move with the highest value."""
    return max(moves, key=lambda move: value(state["board"], state["piece"], move))

# ----------------------------------------------------------------------------------------


def main():
    for line in sys.stdin:
        message = json.loads(line)
        # Other messages need no answer.
        if message["type"] == "move":
            move = choose_move(message["moves"], message["state"])
            # Without a flush, the line may wait in a buffer while the clock runs.
            print(json.dumps({"move": move}), flush=True)


if __name__ == "__main__":
    main()
