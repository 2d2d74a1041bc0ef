"""Plays a game of OpenSpiel with OpenSpiel's own Monte Carlo tree search, an opponent for that of turnwise.

NAME is the game, without hidden information, and NUMBER the simulations for each move:

    turnwise arena mcts:nodes=200 'cmd:python3 mcts_player.py NAME 200' --game openspiel:NAME

A question contains the position, but not the moves that led to it, so the player searches for moves of the others that
lead there from the position after its own last move.
"""

import json
import random
import sys

import pyspiel

# The weight of exploration in turnwise's search, for scores between 0 and 1.
EXPLORATION = 1.4


def arrive(state, question):
    """Returns the nearest position after `state` that the question shows, by breadth-first search."""
    positions = [state]
    while positions:
        for position in positions:
            if str(position) == question["state"] and position.current_player() == question["seat"]:
                return position
        positions = [position.child(action) for position in positions for action in position.legal_actions()]
    sys.exit("no moves lead to the position")


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: python3 mcts_player.py NAME NUMBER")
    game, seed = pyspiel.load_game(sys.argv[1]), random.getrandbits(31)
    evaluator = pyspiel.RandomRolloutEvaluator(n_rollouts=1, seed=seed)
    width = game.max_utility() - game.min_utility()
    # Without `solve`, OpenSpiel's search seldom visits the end of a game, which gets no bonus for exploration.
    bot = pyspiel.MCTSBot(game, evaluator, uct_c=EXPLORATION * width, max_simulations=int(sys.argv[2]),
                          max_memory_mb=1000, solve=True, seed=seed, verbose=False)
    state = game.new_initial_state()
    for line in sys.stdin:
        question = json.loads(line)
        if question["type"] == "start":
            state = game.new_initial_state()
        elif question["type"] == "move":
            state = arrive(state, question)
            action = bot.step(state)
            # The moves are in the order of OpenSpiel's actions.
            print(json.dumps({"move": question["moves"][state.legal_actions().index(action)]}), flush=True)
            state.apply_action(action)


if __name__ == "__main__":
    main()
