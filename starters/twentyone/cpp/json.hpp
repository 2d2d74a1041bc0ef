// As much of JSON as the calls of a table need.

#pragma once

#include <cctype>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

struct Json {
    enum class Kind { Nothing, Truth, Number, Text, List, Object };

    Kind kind = Kind::Nothing;
    bool truth = false;
    double number = 0;
    std::string text;
    std::vector<Json> items;
    std::vector<std::string> names;  // of an object's members, whose values are the items

    // A member of an object; nothing if it is absent.
    const Json &operator[](const std::string &name) const {
        static const Json nothing;
        for (size_t at = 0; at < names.size(); ++at) {
            if (names[at] == name) return items[at];
        }
        return nothing;
    }

    bool is_nothing() const { return kind == Kind::Nothing; }

    long whole() const {
        if (kind != Kind::Number) throw std::runtime_error("a number is missing in the call");
        return static_cast<long>(number);
    }
};

class JsonReader {
public:
    explicit JsonReader(const std::string &line) : line(line) {}

    Json read() {
        const char next = peek();
        Json value;
        if (next == '{') {
            value.kind = Json::Kind::Object;
            for (take('{'); peek() != '}'; skip(',')) {
                value.names.push_back(read_text());
                take(':');
                value.items.push_back(read());
            }
            take('}');
        } else if (next == '[') {
            value.kind = Json::Kind::List;
            for (take('['); peek() != ']'; skip(',')) value.items.push_back(read());
            take(']');
        } else if (next == '"') {
            value.kind = Json::Kind::Text;
            value.text = read_text();
        } else {
            read_word(value);
        }
        return value;
    }

private:
    char peek() {
        while (at < line.size() && std::isspace(static_cast<unsigned char>(line[at]))) ++at;
        if (at == line.size()) throw std::runtime_error("the call ends too early");
        return line[at];
    }

    void take(char expected) {
        if (peek() != expected) throw std::runtime_error(std::string("expected ") + expected + " in the call");
        ++at;
    }

    void skip(char separator) {
        if (peek() == separator) ++at;
    }

    // An escaped character stands for itself: the calls have no others.
    std::string read_text() {
        std::string text;
        for (take('"'); line.at(at) != '"'; ++at) {
            if (line[at] == '\\') ++at;
            text += line.at(at);
        }
        ++at;
        return text;
    }

    void read_word(Json &value) {
        const size_t end = line.find_first_of(",]} \r", at);
        const std::string word = line.substr(at, end - at);
        at += word.size();
        if (word == "true" || word == "false") {
            value.kind = Json::Kind::Truth;
            value.truth = word == "true";
        } else if (word != "null") {
            value.kind = Json::Kind::Number;
            value.number = std::stod(word);
        }
    }

    const std::string &line;
    size_t at = 0;
};
