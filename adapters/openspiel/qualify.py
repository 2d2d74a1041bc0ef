"""Plays random games through the protocol and with OpenSpiel alone, and compares the scores."""

import bisect
import itertools
import json
import random
import subprocess
import sys
import time

import pyspiel

import referee

# The seconds within which a game of random moves must end.
SECONDS = 20


class Disqualified(Exception):
    """The game cannot be played through the protocol, for the reason in the message."""


def ask_directly(name):
    """Returns a function that sends requests to a referee in this process."""
    spiel = referee.SpielReferee(name)

    def ask(method, **params):
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        reply = json.loads(spiel.answer(json.dumps(request).encode()))
        if "error" in reply:
            raise Disqualified(reply["error"]["message"])
        return reply["result"]

    return ask


def play_random_game(ask, about, seed):
    """Plays a game through the protocol. Returns the scores and, for each move, its index among the legal moves."""
    luck, choices, indices = random.Random(seed), random.Random(seed), []
    deadline = time.monotonic() + SECONDS
    status = ask("start", game=1, seats=about["seats"], settings={})
    while "scores" not in status:
        if time.monotonic() > deadline:
            raise Disqualified("a game of random moves takes longer than %s seconds" % SECONDS)
        if "draws" in status:
            status = ask("draw", game=1, values=[luck.getrandbits(64)])
            continue
        if len(indices) == about["longest"]:
            raise Disqualified("a game of random moves has more than %s moves" % about["longest"])
        moves = ask("moves", game=1)["moves"]
        if len(set(moves)) < len(moves) or not all(0 < len(move) <= 1000 and move.isprintable() for move in moves):
            raise Disqualified("the names of the moves are not unique lines of at most 1000 characters: %s" % moves)
        indices.append(choices.randrange(len(moves)))
        status = ask("play", game=1, seat=status["seat"], move=moves[indices[-1]])
        if "illegal" in status:
            raise Disqualified("a legal move was rejected")
    ask("end", game=1)
    return status["scores"], indices


def play_alone(name, indices, seed):
    """Plays the same game with OpenSpiel alone, and returns the returns. Simultaneous moves become turns."""
    luck, indices = random.Random(seed), iter(indices)
    state = pyspiel.load_game_as_turn_based(name).new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, probabilities = zip(*state.chance_outcomes())
            sums = list(itertools.accumulate(probabilities))
            outcome = bisect.bisect(sums, luck.getrandbits(64) / 2**64)
            state.apply_action(outcomes[min(outcome, len(outcomes) - 1)])
        else:
            state.apply_action(state.legal_actions()[next(indices)])
    assert next(indices, None) is None, "the game through the protocol is longer"
    return state.returns()


def compare(name, ask, seeds):
    """Raises `Disqualified` if games through the protocol end with other scores than games with OpenSpiel alone."""
    about = ask("describe", protocol=1)["about"]
    for seed in seeds:
        scores, indices = play_random_game(ask, about, seed)
        returns = play_alone(name, indices, seed)
        if about["scoring"] == "win":
            if any(score not in (0, 0.5, 1) for score in scores):
                raise Disqualified("expected a win, a draw or a loss, got the scores %s" % scores)
            scores = [2 * score - 1 for score in scores]
        elif not all(about["points"][0] <= score <= about["points"][1] for score in scores):
            raise Disqualified("the scores %s are not within the bounds %s" % (scores, about["points"]))
        if scores != list(returns):
            raise Disqualified("the scores %s differ from OpenSpiel's returns %s" % (scores, returns))


def verdict(name, games):
    """Returns "yes", or the reason why the game does not qualify. Runs another process, because a game may crash."""
    command = [sys.executable, __file__, name, str(games)]
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=4 * SECONDS)
    except subprocess.TimeoutExpired:
        return "takes longer than %s seconds" % (4 * SECONDS)
    last_line = (result.stdout or result.stderr).strip().splitlines()[-1:]
    return last_line[0] if last_line else "OpenSpiel crashes"


def print_all():
    """Prints whether each game of OpenSpiel qualifies."""
    import open_spiel.python.games  # noqa: F401  Registers the games that are written in Python.
    count = 0
    for name in pyspiel.registered_names():
        answer = verdict(name, 1)
        count += answer == "yes"
        print("%-32s %s" % (name, answer), flush=True)
    print("%s games qualify" % count)


if __name__ == "__main__":
    try:
        compare(sys.argv[1], ask_directly(sys.argv[1]), range(int(sys.argv[2])))
        print("yes")
    except Disqualified as reason:
        print(reason)
