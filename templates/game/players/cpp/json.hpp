// A reader for the JSON of a game's messages.

#pragma once

#include <cctype>
#include <stdexcept>
#include <string>
#include <vector>

struct Json {
    enum class Kind { Null, Boolean, Number, Text, List, Object };

    Kind kind = Kind::Null;
    bool boolean = false;
    double number = 0;
    std::string text;
    std::vector<Json> items;
    std::vector<std::string> names;  // the names of an object's members, whose values are the items

    // Returns a member of an object, or null if it is absent.
    const Json &operator[](const std::string &name) const {
        static const Json null;
        for (size_t at = 0; at < names.size(); ++at) {
            if (names[at] == name) return items[at];
        }
        return null;
    }

    bool is_null() const { return kind == Kind::Null; }

    long whole() const {
        if (kind != Kind::Number) throw std::runtime_error("a number is missing in the message");
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
        if (at == line.size()) throw std::runtime_error("the message ends too early");
        return line[at];
    }

    void take(char expected) {
        if (peek() != expected) throw std::runtime_error(std::string("expected ") + expected + " in the message");
        ++at;
    }

    void skip(char separator) {
        if (peek() == separator) ++at;
    }

    // Supports the escapes \" and \\ only.
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
            value.kind = Json::Kind::Boolean;
            value.boolean = word == "true";
        } else if (word != "null") {
            value.kind = Json::Kind::Number;
            value.number = std::stod(word);
        }
    }

    const std::string &line;
    size_t at = 0;
};
