"""A player of Entropy that looks one ply ahead. It speaks plain lines on standard input and output."""

import sys


def line_score(line):
    """Tiles of all palindromes of two or more tiles in a row or column, each palindrome counted."""
    total = 0
    for start in range(len(line)):
        for end in range(start + 2, len(line) + 1):
            part = line[start:end]
            if None in part:
                break
            if part == part[::-1]:
                total += len(part)
    return total


def score(board):
    return sum(line_score(row) for row in board) + sum(line_score(list(column)) for column in zip(*board))


def empty_cells(board):
    return [(row, column) for row, line in enumerate(board) for column, tile in enumerate(line) if tile is None]


def slides(board):
    """All moves of Order: from, to. A tile slides over empty cells along its row or column."""
    size = len(board)
    for row in range(size):
        for column in range(size):
            if board[row][column] is None:
                continue
            for down, right in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                to_row, to_column = row + down, column + right
                while 0 <= to_row < size and 0 <= to_column < size and board[to_row][to_column] is None:
                    yield (row, column), (to_row, to_column)
                    to_row, to_column = to_row + down, to_column + right


def slide(board, start, end):
    board[end[0]][end[1]], board[start[0]][start[1]] = board[start[0]][start[1]], None


def value_after_slide(board, start, end):
    slide(board, start, end)
    value = score(board)
    slide(board, end, start)
    return value


def value_after_placing(board, cell, tile):
    board[cell[0]][cell[1]] = tile
    value = score(board)
    board[cell[0]][cell[1]] = None
    return value


# ------------------------------------------------------------------ what to change first

def choose_slide(board):
    """Order: the slide after which most palindromes lie on the board."""
    return max(slides(board), key=lambda move: value_after_slide(board, *move))


def choose_cell(board, tile):
    """Chaos: the empty cell where the tile makes the fewest."""
    return min(empty_cells(board), key=lambda cell: value_after_placing(board, cell, tile))

# ----------------------------------------------------------------------------------------


def say(*numbers):
    # Without flush the line waits in a buffer, and the clock runs.
    print(*numbers, flush=True)


def main():
    board, role = [], None
    for line in sys.stdin:
        words = line.split()
        if not words:
            continue
        if words[0] in ("ORDER", "CHAOS"):
            role = words[0]
        elif len(words) == 1 and words[0].isdigit():
            size = int(words[0])
            board = [[None] * size for _ in range(size)]
        elif len(words) == 1:
            cell = choose_cell(board, words[0])
            board[cell[0]][cell[1]] = words[0]
            say(*cell)
        elif len(words) == 3:
            board[int(words[0])][int(words[1])] = words[2]
            if role == "ORDER" and empty_cells(board):
                start, end = choose_slide(board)
                slide(board, start, end)
                say(*start, *end)
        elif len(words) == 4:
            start, end = tuple(map(int, words[:2])), tuple(map(int, words[2:]))
            if start != end:  # A pass leaves the board as it is.
                slide(board, start, end)


if __name__ == "__main__":
    main()
