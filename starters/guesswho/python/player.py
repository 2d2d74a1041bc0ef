"""A player of Guess Who that looks one question ahead. It speaks plain lines on standard input and output."""

import sys


def read_board(path):
    """The attributes' names, and of each person by name the value of every attribute."""
    blocks = [[]]
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if words:
                blocks[-1].append(words)
            elif blocks[-1]:
                blocks.append([])
    attributes, *persons = filter(None, blocks)
    return [words[0] for words in attributes], {block[0][0]: dict(block[1:]) for block in persons}


def answer(persons, guess, name):
    """The true answer to a guess, which is a list of words, if the person is the one of this name."""
    if guess[0] == "Person":
        return guess[1] == name
    return persons[name].get(guess[1]) == guess[2]


def guesses(attributes, persons, candidates):
    """What can be asked: about each value that a candidate has, then about each candidate."""
    for attribute in attributes:
        for value in dict.fromkeys(persons[name][attribute] for name in candidates):
            yield ["Attribute", attribute, value]
    for name in candidates:
        yield ["Person", name]


# ------------------------------------------------------------------ what to change first

def candidates_left(persons, candidates, guess):
    """How many candidates the answer leaves on average, times their number. A right name leaves none."""
    yes = sum(answer(persons, guess, name) for name in candidates)
    no = len(candidates) - yes
    return no * no if guess[0] == "Person" else yes * yes + no * no


def choose_guess(attributes, persons, candidates, is_last_chance):
    """The guess that leaves the fewest candidates; a name if only that can still tie."""
    if is_last_chance:
        return ["Person", candidates[0]]
    return min(guesses(attributes, persons, candidates), key=lambda guess: candidates_left(persons, candidates, guess))

# ----------------------------------------------------------------------------------------


def say(*words):
    # Without flush the line waits in a buffer, and the clock runs.
    print(*words, flush=True)


def word_for(truth):
    return "true" if truth else "false"


def main():
    for stream in (sys.stdin, sys.stdout):
        stream.reconfigure(encoding="utf-8")
    attributes, persons, candidates = [], {}, []
    own, is_last_chance = None, False
    for line in sys.stdin:
        words = line.split()
        if not words:
            continue
        request, guess = words[0], words[1:]
        if request == "load":
            attributes, persons = read_board(line.split(maxsplit=1)[1].strip())
            say("loaded", len(persons))
        elif request == "chosen":
            own, candidates, is_last_chance = words[1], list(persons), False
            say("ok")
        elif request == "guess?":
            say("guess", *choose_guess(attributes, persons, candidates, is_last_chance))
        elif request == "answer?":
            truth = answer(persons, guess, own)
            is_last_chance = truth and guess[0] == "Person"
            say("answer", word_for(truth))
        elif request == "result":
            truth = guess.pop() == "true"
            candidates = [name for name in candidates if answer(persons, guess, name) == truth]
            say("finished", word_for(truth and guess[0] == "Person"))
        elif request == "quit":
            break
        else:
            say("error", "unknown request", request)


if __name__ == "__main__":
    main()
