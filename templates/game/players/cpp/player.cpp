// A player of Tic-Tac-Toe that values each cell. It reads and writes lines of JSON.

#include <algorithm>
#include <array>
#include <iostream>
#include <string>
#include <vector>

#include "json.hpp"

constexpr std::array<std::array<int, 3>, 8> ROWS = {
    {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {0, 3, 6}, {1, 4, 7}, {2, 5, 8}, {0, 4, 8}, {2, 4, 6}}};

// ------------------------------------------------------------------ what to change first

// Returns how good a cell is: it completes a row, prevents the opponent's row, or lies in many rows.
int value(const std::string &board, char piece, int cell) {
    int total = 0;
    for (const auto &row : ROWS) {
        if (std::find(row.begin(), row.end(), cell) == row.end()) continue;
        std::string others;
        for (const int other : row) {
            if (other != cell) others += board.at(other);
        }
        if (others == std::string(2, piece)) {
            total += 100;
        } else if (others[0] == others[1] && others[0] != '.') {
            total += 10;
        } else {
            total += 1;
        }
    }
    return total;
}

// Returns the legal move with the highest value.
std::string choose_move(const std::vector<Json> &moves, const Json &state) {
    const std::string &board = state["board"].text;
    const char piece = state["piece"].text.at(0);
    std::string best;
    int best_value = -1;
    for (const Json &move : moves) {
        const int its_value = value(board, piece, std::stoi(move.text));
        if (its_value > best_value) {
            best = move.text;
            best_value = its_value;
        }
    }
    return best;
}

// ----------------------------------------------------------------------------------------

int main() {
    std::string line;
    while (std::getline(std::cin, line)) {
        const Json message = JsonReader(line).read();
        // Other messages need no answer.
        if (message["type"].text == "move") {
            const std::string move = choose_move(message["moves"].items, message["state"]);
            // endl flushes: otherwise, the line may wait in a buffer while the clock runs.
            std::cout << R"({"move":")" << move << R"("})" << std::endl;
        }
    }
}
