// A player of Guess Who that looks one question ahead. It speaks plain lines on standard input and output.

#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

using Words = std::vector<std::string>;

struct Person {
    std::string name;
    std::map<std::string, std::string> values;  // of each attribute
};

struct Board {
    Words attributes;
    std::vector<Person> persons;
};

Words words_of(const std::string &line) {
    std::istringstream input(line);
    Words words;
    for (std::string word; input >> word;) words.push_back(word);
    return words;
}

Board read_board(const std::string &path) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error("cannot read " + path);
    Board board;
    bool is_new_block = true, are_persons = false;
    for (std::string line; std::getline(file, line);) {
        const Words words = words_of(line);
        if (words.empty()) {
            are_persons = are_persons || !board.attributes.empty();
            is_new_block = true;
        } else if (!are_persons) {
            board.attributes.push_back(words[0]);
        } else if (is_new_block) {
            board.persons.push_back({words[0], {}});
            is_new_block = false;
        } else {
            board.persons.back().values[words.at(0)] = words.at(1);
        }
    }
    return board;
}

// The true answer to a guess, "Attribute hat red" or "Person P5", if it is about this person.
bool answer(const Words &guess, const Person &person) {
    if (guess.at(0) == "Person") return guess.at(1) == person.name;
    const auto found = person.values.find(guess.at(1));
    return found != person.values.end() && found->second == guess.at(2);
}

// What can be asked: about each value that a candidate has, then about each candidate.
std::vector<Words> guesses(const Board &board, const std::vector<Person> &candidates) {
    std::vector<Words> all;
    for (const std::string &attribute : board.attributes) {
        std::set<std::string> known;
        for (const Person &person : candidates) {
            const std::string &value = person.values.at(attribute);
            if (known.insert(value).second) all.push_back({"Attribute", attribute, value});
        }
    }
    for (const Person &person : candidates) all.push_back({"Person", person.name});
    return all;
}

// ------------------------------------------------------------------ what to change first

// How many candidates the answer leaves on average, times their number. A right name leaves none.
long candidates_left(const std::vector<Person> &candidates, const Words &guess) {
    long yes = 0, no = 0;
    for (const Person &person : candidates) ++(answer(guess, person) ? yes : no);
    return guess[0] == "Person" ? no * no : yes * yes + no * no;
}

// The guess that leaves the fewest candidates; a name if only that can still tie.
Words choose_guess(const Board &board, const std::vector<Person> &candidates, bool is_last_chance) {
    if (is_last_chance) return {"Person", candidates.at(0).name};
    Words best;
    long fewest = -1;
    for (const Words &guess : guesses(board, candidates)) {
        const long left = candidates_left(candidates, guess);
        if (fewest < 0 || left < fewest) {
            fewest = left;
            best = guess;
        }
    }
    return best;
}

// ----------------------------------------------------------------------------------------

void say(const std::string &line) {
    // endl flushes: otherwise the line waits in a buffer, and the clock runs.
    std::cout << line << std::endl;
}

std::string word_for(bool truth) { return truth ? "true" : "false"; }

int main() {
    Board board;
    Person own;
    std::vector<Person> candidates;
    bool is_last_chance = false;
    std::string line;
    while (std::getline(std::cin, line)) {
        Words words = words_of(line);
        if (words.empty()) continue;
        const std::string request = words[0];
        Words guess(words.begin() + 1, words.end());
        if (request == "load") {
            const size_t start = line.find_first_not_of(" \t", line.find("load") + 4);
            const size_t end = line.find_last_not_of(" \t\r");
            board = read_board(line.substr(start, end + 1 - start));
            say("loaded " + std::to_string(board.persons.size()));
        } else if (request == "chosen") {
            for (const Person &person : board.persons) {
                if (person.name == guess.at(0)) own = person;
            }
            candidates = board.persons;
            is_last_chance = false;
            say("ok");
        } else if (request == "guess?") {
            std::string said = "guess";
            for (const std::string &word : choose_guess(board, candidates, is_last_chance)) said += " " + word;
            say(said);
        } else if (request == "answer?") {
            const bool truth = answer(guess, own);
            is_last_chance = truth && guess[0] == "Person";
            say("answer " + word_for(truth));
        } else if (request == "result") {
            const bool truth = guess.back() == "true";
            guess.pop_back();
            std::vector<Person> left;
            for (const Person &person : candidates) {
                if (answer(guess, person) == truth) left.push_back(person);
            }
            candidates = left;
            say("finished " + word_for(truth && guess[0] == "Person"));
        } else if (request == "quit") {
            break;
        } else {
            say("error unknown request " + request);
        }
    }
}
