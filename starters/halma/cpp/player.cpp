// A player of Halma that looks one ply ahead. For each move it reads input.txt and writes output.txt.

#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

constexpr int SIZE = 16;
constexpr char EMPTY = '.';
constexpr int DIRECTIONS[8][2] = {{-1, -1}, {0, -1}, {1, -1}, {-1, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}};
constexpr int CAMP_HEIGHT = 5;
constexpr int CAMP_WIDTHS[CAMP_HEIGHT] = {5, 5, 4, 3, 2};

// Column and row from the top left, as in output.txt.
struct Square {
    int x, y;
};

// The squares that a piece visits.
using Move = std::vector<Square>;

using Board = std::vector<std::string>;

bool same(Square one, Square other) { return one.x == other.x && one.y == other.y; }

// The square seen from the opposite side of the board.
Square opposite(Square square) { return {SIZE - 1 - square.x, SIZE - 1 - square.y}; }

bool is_in_own_camp(char player, Square square) {
    const Square seen = player == 'B' ? square : opposite(square);
    return seen.y < CAMP_HEIGHT && seen.x < CAMP_WIDTHS[seen.y];
}

bool is_in_goal(char player, Square square) { return is_in_own_camp(player, opposite(square)); }

Square goal_corner(char player) { return player == 'B' ? Square{SIZE - 1, SIZE - 1} : Square{0, 0}; }

char at(const Board &board, Square square) { return board[square.y][square.x]; }

bool is_empty(const Board &board, Square square) {
    const bool is_on_board = square.x >= 0 && square.x < SIZE && square.y >= 0 && square.y < SIZE;
    return is_on_board && at(board, square) == EMPTY;
}

std::vector<Square> all_squares() {
    std::vector<Square> squares;
    for (int y = 0; y < SIZE; ++y) {
        for (int x = 0; x < SIZE; ++x) squares.push_back({x, y});
    }
    return squares;
}

int squared_distance(Square one, Square other) {
    return (one.x - other.x) * (one.x - other.x) + (one.y - other.y) * (one.y - other.y);
}

// Moves to a neighbouring square.
void add_steps(const Board &board, Square start, std::vector<Move> &moves) {
    for (const auto &[right, down] : DIRECTIONS) {
        const Square end{start.x + right, start.y + down};
        if (is_empty(board, end)) moves.push_back({start, end});
    }
}

// Chains of jumps: for each square that they reach, one with the fewest jumps.
void add_jumps(const Board &board, Square start, std::vector<Move> &moves) {
    std::vector<Move> paths{{start}};
    std::vector<std::string> reached(SIZE, std::string(SIZE, ' '));
    reached[start.y][start.x] = 'x';
    // The list grows while the loop goes over it.
    for (size_t number = 0; number < paths.size(); ++number) {
        const Square last = paths[number].back();
        for (const auto &[right, down] : DIRECTIONS) {
            const Square over{last.x + right, last.y + down}, end{last.x + 2 * right, last.y + 2 * down};
            // The piece itself has left its square: nothing can be jumped over there.
            if (!is_empty(board, end) || is_empty(board, over) || same(over, start)) continue;
            if (reached[end.y][end.x] == 'x') continue;
            reached[end.y][end.x] = 'x';
            Move path = paths[number];
            path.push_back(end);
            paths.push_back(path);
        }
    }
    moves.insert(moves.end(), paths.begin() + 1, paths.end());
}

// Further from the own corner in one axis, closer in none.
bool leads_away(char player, const Move &move) {
    const int forward = player == 'B' ? 1 : -1;
    const Square start = move.front(), end = move.back();
    return forward * (end.x - start.x) >= 0 && forward * (end.y - start.y) >= 0;
}

// All moves by the rules of the addendum. They are legal without it, too.
std::vector<Move> legal_moves(const Board &board, char player) {
    std::vector<Move> moves, leaving, forward, others;
    for (const Square start : all_squares()) {
        if (at(board, start) != player) continue;
        add_steps(board, start, moves);
        add_jumps(board, start, moves);
    }
    for (const Move &move : moves) {
        const Square start = move.front(), end = move.back();
        const bool begins_at_home = is_in_own_camp(player, start), ends_at_home = is_in_own_camp(player, end);
        if (begins_at_home && !ends_at_home) leaving.push_back(move);
        if (begins_at_home && leads_away(player, move)) forward.push_back(move);
        const bool is_allowed =
            is_in_goal(player, start) ? is_in_goal(player, end) : begins_at_home || !ends_at_home;
        if (is_allowed) others.push_back(move);
    }
    return !leaving.empty() ? leaving : !forward.empty() ? forward : others;
}

void play(Board &board, Square start, Square end) {
    std::swap(board[end.y][end.x], board[start.y][start.x]);
}

// ------------------------------------------------------------------ what to change first

// The squares of the distances of all pieces outside the goal to the square that is to be filled next, added
// up. That is the one nearest the corner of those that the player does not hold.
int distance_to_go(const Board &board, char player) {
    const Square corner = goal_corner(player);
    Square target{-1, -1};
    for (const Square square : all_squares()) {
        if (!is_in_goal(player, square) || at(board, square) == player) continue;
        if (target.x < 0 || squared_distance(square, corner) < squared_distance(target, corner)) target = square;
    }
    if (target.x < 0) return 0;
    int total = 0;
    for (const Square square : all_squares()) {
        if (at(board, square) == player && !is_in_goal(player, square)) total += squared_distance(square, target);
    }
    return total;
}

// The move after which the least distance is left. All moves to come have so many seconds of CPU time together.
Move choose_move(Board &board, char player, double /* seconds */) {
    Move best;
    int least = 0;
    for (const Move &move : legal_moves(board, player)) {
        play(board, move.front(), move.back());
        const int distance = distance_to_go(board, player);
        play(board, move.back(), move.front());
        if (best.empty() || distance < least) {
            least = distance;
            best = move;
        }
    }
    return best;
}

// ----------------------------------------------------------------------------------------

bool is_step(const Move &move) {
    return std::abs(move[1].x - move[0].x) <= 1 && std::abs(move[1].y - move[0].y) <= 1;
}

int main() {
    // SINGLE or GAME, the colour, the time left, and 16 rows.
    std::ifstream input("input.txt");
    std::string mode, colour;
    double seconds = 0;
    input >> mode >> colour >> seconds;
    Board board(SIZE);
    for (std::string &row : board) input >> row;
    const Move move = choose_move(board, colour[0], seconds);
    std::ofstream output("output.txt");
    for (size_t number = 0; number + 1 < move.size(); ++number) {
        output << (is_step(move) ? 'E' : 'J') << ' ' << move[number].x << ',' << move[number].y << ' '
               << move[number + 1].x << ',' << move[number + 1].y << '\n';
    }
}
