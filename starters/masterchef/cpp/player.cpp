// A player of MasterChef that looks one ply ahead. For each pick it reads input.txt and writes output.txt.

#include <cstdint>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

// Capacity and happiness are counted in millionths: whole numbers, so that equal values tie exactly.
constexpr std::int64_t MILLION = 1'000'000;
constexpr std::int64_t BONUS = 120 * MILLION * MILLION;

enum State { FREE, OURS, THEIRS };

// Gains are what the contestant adds to our team and to theirs: happiness times capacity.
struct Contestant {
    std::int64_t id = 0, our_gain = 0, their_gain = 0;
    int state = FREE;
};

using Team = std::vector<Contestant>;

// The power of a team as it stands: what its members add, and the bonus while their last digits differ.
std::int64_t power(const Team &team, std::int64_t Contestant::*gain) {
    std::int64_t total = 0;
    std::set<std::int64_t> digits;
    for (const Contestant &one : team) {
        total += one.*gain;
        digits.insert(one.id % 10);
    }
    return digits.size() == team.size() ? total + BONUS : total;
}

std::int64_t our_power(const Team &team) { return power(team, &Contestant::our_gain); }

std::int64_t their_power(const Team &team) { return power(team, &Contestant::their_gain); }

Team with(Team team, const Contestant &one) {
    team.push_back(one);
    return team;
}

// ------------------------------------------------------------------ what to change first

// What our team is worth with this contestant, and what theirs would be: that is what they cannot have any more.
std::int64_t value_of_pick(const Team &ours, const Team &theirs, const Contestant &one) {
    return our_power(with(ours, one)) + their_power(with(theirs, one));
}

// The free contestant of the greatest value, of equal ones the smallest ID.
Contestant choose_pick(const std::vector<Contestant> &contestants) {
    Team ours, theirs;
    for (const Contestant &one : contestants) {
        if (one.state == OURS) ours.push_back(one);
        if (one.state == THEIRS) theirs.push_back(one);
    }
    Contestant best;
    std::int64_t most = -1;
    for (const Contestant &one : contestants) {
        if (one.state != FREE) continue;
        const std::int64_t value = value_of_pick(ours, theirs, one);
        if (value > most || (value == most && one.id < best.id)) {
            most = value;
            best = one;
        }
    }
    return best;
}

// ----------------------------------------------------------------------------------------

std::int64_t millionths(const std::string &text) {
    return static_cast<std::int64_t>(std::stod(text) * MILLION + 0.5);
}

Contestant contestant(const std::string &line) {
    std::istringstream input(line);
    std::vector<std::string> fields;
    for (std::string field; std::getline(input, field, ',');) fields.push_back(field);
    const std::int64_t capacity = millionths(fields[1]);
    return {std::stoll(fields[0]), millionths(fields[2]) * capacity, millionths(fields[3]) * capacity,
            std::stoi(fields[4])};
}

int main() {
    // How many there are, the algorithm, and the contestants.
    std::ifstream input("input.txt");
    std::string count, algorithm;
    input >> count >> algorithm;
    std::vector<Contestant> contestants;
    for (std::string line; input >> line;) contestants.push_back(contestant(line));
    const Contestant pick = choose_pick(contestants);
    std::ofstream("output.txt") << pick.id << '\n';
}
