// A player of Entropy that looks one ply ahead. It speaks plain lines on standard input and output.

#include <cctype>
#include <iostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

constexpr char EMPTY = '.';

struct Cell {
    int row, column;
};

struct Slide {
    Cell from, to;
};

using Board = std::vector<std::string>;

// Tiles of all palindromes of two or more tiles in a row or column, each palindrome counted.
int line_score(const std::string &line) {
    int total = 0;
    const int size = static_cast<int>(line.size());
    for (int start = 0; start < size; ++start) {
        for (int end = start + 1; end < size; ++end) {
            if (line[start] == EMPTY || line[end] == EMPTY) break;
            bool is_palindrome = true;
            for (int one = start, other = end; one < other; ++one, --other) {
                is_palindrome = is_palindrome && line[one] == line[other];
            }
            if (is_palindrome) total += end - start + 1;
        }
    }
    return total;
}

int score(const Board &board) {
    int total = 0;
    for (size_t number = 0; number < board.size(); ++number) {
        std::string column;
        for (const std::string &row : board) column += row[number];
        total += line_score(board[number]) + line_score(column);
    }
    return total;
}

std::vector<Cell> empty_cells(const Board &board) {
    std::vector<Cell> cells;
    const int size = static_cast<int>(board.size());
    for (int row = 0; row < size; ++row) {
        for (int column = 0; column < size; ++column) {
            if (board[row][column] == EMPTY) cells.push_back({row, column});
        }
    }
    return cells;
}

// All moves of Order. A tile slides over empty cells along its row or column.
std::vector<Slide> slides(const Board &board) {
    std::vector<Slide> moves;
    const int size = static_cast<int>(board.size());
    const int directions[4][2] = {{0, 1}, {1, 0}, {0, -1}, {-1, 0}};
    for (int row = 0; row < size; ++row) {
        for (int column = 0; column < size; ++column) {
            if (board[row][column] == EMPTY) continue;
            for (const auto &[down, right] : directions) {
                int to_row = row + down, to_column = column + right;
                while (to_row >= 0 && to_row < size && to_column >= 0 && to_column < size &&
                       board[to_row][to_column] == EMPTY) {
                    moves.push_back({{row, column}, {to_row, to_column}});
                    to_row += down;
                    to_column += right;
                }
            }
        }
    }
    return moves;
}

void play(Board &board, const Slide &move) {
    std::swap(board[move.from.row][move.from.column], board[move.to.row][move.to.column]);
}

// ------------------------------------------------------------------ what to change first

// Order: the slide after which most palindromes lie on the board.
Slide choose_slide(Board &board) {
    Slide best{};
    int most = -1;
    for (const Slide &move : slides(board)) {
        play(board, move);
        const int value = score(board);
        play(board, move);
        if (value > most) {
            most = value;
            best = move;
        }
    }
    return best;
}

// Chaos: the empty cell where the tile makes the fewest.
Cell choose_cell(Board &board, char tile) {
    Cell best{};
    int least = -1;
    for (const Cell &cell : empty_cells(board)) {
        board[cell.row][cell.column] = tile;
        const int value = score(board);
        board[cell.row][cell.column] = EMPTY;
        if (least < 0 || value < least) {
            least = value;
            best = cell;
        }
    }
    return best;
}

// ----------------------------------------------------------------------------------------

int main() {
    Board board;
    bool is_order = false;
    std::string line;
    while (std::getline(std::cin, line)) {
        std::istringstream input(line);
        std::vector<std::string> words;
        for (std::string word; input >> word;) words.push_back(word);
        if (words.empty()) continue;
        if (words[0] == "ORDER" || words[0] == "CHAOS") {
            is_order = words[0] == "ORDER";
        } else if (words.size() == 1 && std::isdigit(static_cast<unsigned char>(words[0][0]))) {
            const size_t size = std::stoul(words[0]);
            board.assign(size, std::string(size, EMPTY));
        } else if (words.size() == 1) {
            const char tile = words[0][0];
            const Cell cell = choose_cell(board, tile);
            board[cell.row][cell.column] = tile;
            // endl flushes: otherwise the line waits in a buffer, and the clock runs.
            std::cout << cell.row << ' ' << cell.column << std::endl;
        } else if (words.size() == 3) {
            board[std::stoi(words[0])][std::stoi(words[1])] = words[2][0];
            if (is_order && !empty_cells(board).empty()) {
                const Slide move = choose_slide(board);
                play(board, move);
                std::cout << move.from.row << ' ' << move.from.column << ' ' << move.to.row << ' '
                          << move.to.column << std::endl;
            }
        } else if (words.size() == 4) {
            // A pass swaps a cell with itself.
            play(board, {{std::stoi(words[0]), std::stoi(words[1])},
                         {std::stoi(words[2]), std::stoi(words[3])}});
        }
    }
}
