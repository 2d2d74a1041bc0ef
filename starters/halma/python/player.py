"""A player of Halma that looks one ply ahead. For each move it reads input.txt and writes output.txt."""

SIZE = 16
DIRECTIONS = [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)]
CAMP_WIDTHS = [5, 5, 4, 3, 2]

# Squares are (x, y): column and row from the top left, as in output.txt.
BLACK_CAMP = {(x, y) for y, width in enumerate(CAMP_WIDTHS) for x in range(width)}
WHITE_CAMP = {(SIZE - 1 - x, SIZE - 1 - y) for x, y in BLACK_CAMP}


def own_camp(player):
    return BLACK_CAMP if player == "B" else WHITE_CAMP


def goal(player):
    return WHITE_CAMP if player == "B" else BLACK_CAMP


def goal_corner(player):
    return (SIZE - 1, SIZE - 1) if player == "B" else (0, 0)


def in_rows(squares):
    return sorted(squares, key=lambda square: (square[1], square[0]))


def at(board, square):
    return board[square[1]][square[0]]


def own_pieces(board, player):
    return [(x, y) for y in range(SIZE) for x in range(SIZE) if at(board, (x, y)) == player]


def is_empty(board, square):
    return all(0 <= number < SIZE for number in square) and at(board, square) == "."


def squared_distance(one, other):
    return (one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2


def steps(board, start):
    """Moves to a neighbouring square."""
    for right, down in DIRECTIONS:
        end = (start[0] + right, start[1] + down)
        if is_empty(board, end):
            yield [start, end]


def jumps(board, start):
    """Chains of jumps: for each square that they reach, one with the fewest jumps."""
    paths = [[start]]
    reached = {start}
    # The list grows while the loop goes over it.
    for path in paths:
        x, y = path[-1]
        for right, down in DIRECTIONS:
            over, end = (x + right, y + down), (x + 2 * right, y + 2 * down)
            # The piece itself has left its square: nothing can be jumped over there.
            if over != start and end not in reached and is_empty(board, end) and not is_empty(board, over):
                reached.add(end)
                paths.append(path + [end])
    return paths[1:]


def leads_away(player, start, end):
    """Further from the own corner in one axis, closer in none."""
    forward = 1 if player == "B" else -1
    return forward * (end[0] - start[0]) >= 0 and forward * (end[1] - start[1]) >= 0


def legal_moves(board, player):
    """All moves, each as the squares that it visits, by the rules of the addendum. They are legal without it, too."""
    camp, goal_squares = own_camp(player), goal(player)
    moves = []
    for start in own_pieces(board, player):
        moves += steps(board, start)
        moves += jumps(board, start)
    at_home = [move for move in moves if move[0] in camp]
    leaving = [move for move in at_home if move[-1] not in camp]
    if leaving:
        return leaving
    forward = [move for move in at_home if leads_away(player, move[0], move[-1])]
    if forward:
        return forward

    def is_allowed(move):
        if move[0] in goal_squares:
            return move[-1] in goal_squares
        return move[0] in camp or move[-1] not in camp

    return [move for move in moves if is_allowed(move)]


def play(board, start, end):
    board[end[1]][end[0]], board[start[1]][start[0]] = at(board, start), "."


# ------------------------------------------------------------------ what to change first

def distance_to_go(board, player):
    """The squares of the distances of all pieces outside the goal to the square that is to be filled next, added
    up. That is the one nearest the corner of those that the player does not hold."""
    goal_squares = goal(player)
    missing = [square for square in in_rows(goal_squares) if at(board, square) != player]
    if not missing:
        return 0
    target = min(missing, key=lambda square: squared_distance(square, goal_corner(player)))
    outside = [square for square in own_pieces(board, player) if square not in goal_squares]
    return sum(squared_distance(square, target) for square in outside)


def choose_move(board, player, seconds):
    """The move after which the least distance is left. All moves to come have so many seconds of CPU time together."""
    def value(move):
        play(board, move[0], move[-1])
        distance = distance_to_go(board, player)
        play(board, move[-1], move[0])
        return distance

    return min(legal_moves(board, player), key=value)

# ----------------------------------------------------------------------------------------


def is_step(move):
    (x, y), (to_x, to_y) = move[:2]
    return max(abs(to_x - x), abs(to_y - y)) == 1


def main():
    with open("input.txt") as file:
        # SINGLE or GAME, the colour, the time left, and 16 rows.
        _mode, colour, seconds, *rows = file.read().split()
    board = [list(row) for row in rows]
    move = choose_move(board, colour[0], float(seconds))
    letter = "E" if is_step(move) else "J"
    with open("output.txt", "w", newline="\n") as file:
        for (x, y), (to_x, to_y) in zip(move, move[1:]):
            file.write(f"{letter} {x},{y} {to_x},{to_y}\n")


if __name__ == "__main__":
    main()
