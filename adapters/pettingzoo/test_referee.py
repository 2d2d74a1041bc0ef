"""Compares games through the protocol with games that PettingZoo plays alone.

Run it with the Python that has PettingZoo: python3 -m unittest test_referee
"""

import importlib
import json
import os
import random
import sys
import unittest
from pathlib import Path
from unittest import mock

import referee

FOLDER = Path(__file__).resolve().parent
sys.path.append(str(FOLDER.parents[1] / "tests/data/games"))
from driver import Failure, Referee  # noqa: E402

try:
    import pettingzoo  # noqa: F401
    is_installed = True
except ImportError:
    is_installed = False
    print("skipped: the games of PettingZoo; pip install 'pettingzoo[classic]' makes their tests possible")

# A random game of go on the large board takes a second.
NAMES = [name for name in referee.GAMES if name != "go_v5"] + ["go_v5(board_size=5)", "texas_holdem_v4(num_players=4)"]
GAMES = 20


class WithoutPettingZoo(unittest.TestCase):
    def test_description_names_the_missing_packages(self):
        missing = ModuleNotFoundError("No module named 'pettingzoo'", name="pettingzoo")
        with mock.patch.object(importlib, "import_module", side_effect=missing):
            reply = json.loads(referee.ZooReferee("leduc_holdem_v4").answer(b'{"method":"describe","params":{}}'))
        message = "pettingzoo is not installed: pip install pettingzoo pygame rlcard"
        self.assertEqual(reply["error"]["message"], message)


@unittest.skipUnless(is_installed, "pettingzoo is not installed")
class WithPettingZoo(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # The command in game.toml must start this Python.
        path = os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]
        cls.enterClassContext(mock.patch.dict(os.environ, PATH=path))

    def referee(self, name):
        return self.enterContext(Referee(FOLDER, name, quiet=True))

    def play(self, game, seats, seed):
        """Plays a random game through the protocol. Returns the scores, the indices of the moves, and all lines."""
        status, luck = game.start(1, seed, seats)
        choices, indices, lines = random.Random(seed), [], []
        while "scores" not in status:
            moves = game.ask("moves", game=1)["moves"]
            self.assertEqual(len(set(moves)), len(moves))
            indices.append(choices.randrange(len(moves)))
            lines.append(status["lines"])
            status = game.ask("play", game=1, seat=status["seat"], move=moves[indices[-1]])
        return status["scores"], indices, lines

    def play_alone(self, name, indices, seed):
        """Plays the same game as PettingZoo's documentation does, and returns the sums of the rewards."""
        short_name, _, parameters = name.partition("(")
        module = importlib.import_module("pettingzoo.classic." + short_name)
        env = eval("module.env(" + (parameters or ")"), {"module": module})
        env.reset(seed=random.Random(seed).getrandbits(64) >> 32)
        indices, totals = iter(indices), dict.fromkeys(env.possible_agents, 0)
        for agent in env.agent_iter():
            observation, reward, termination, truncation, _ = env.last()
            totals[agent] += reward
            if termination or truncation:
                env.step(None)
                continue
            is_masked = isinstance(observation, dict)
            mask = observation["action_mask"] if is_masked else [1] * env.action_space(agent).n
            env.step([action for action, is_legal in enumerate(mask) if is_legal][next(indices)])
        return list(totals.values())

    def test_games_end_as_with_petting_zoo_alone(self):
        for name in NAMES:
            with self.subTest(game=name):
                game = self.referee(name)
                about = game.ask("describe", protocol=1)["about"]
                for seed in range(GAMES if name != "chess_v6" else 3):
                    scores, indices, lines = self.play(game, about["seats"], seed)
                    rewards = self.play_alone(name, indices, seed)
                    if about["scoring"] == "win":
                        self.assertEqual([2 * score - 1 for score in scores], rewards)
                    else:
                        self.assertEqual(scores, rewards)
                        self.assertTrue(all(about["points"][0] <= score <= about["points"][1] for score in scores))
                    self.assertLessEqual(len(indices), about.get("longest", 10_000))
                # Equal seeds give equal games.
                self.assertEqual(self.play(game, about["seats"], seed), (scores, indices, lines))

    def test_views_and_rollouts(self):
        for name in NAMES:
            with self.subTest(game=name):
                game = self.referee(name)
                about = game.ask("describe", protocol=1)["about"]
                status, _ = game.start(1, 5, about["seats"])
                moves = game.ask("moves", game=1)["moves"]
                view = game.ask("view", game=1, seat=status["seat"])
                self.assertEqual([choice["notation"] for choice in view["choices"]], moves)
                result = game.ask("rollout", game=1, moves=[moves[-1], "nonsense"], seed=1)
                self.assertEqual(result["played"], 1)
                self.assertEqual(game.ask("rollout", game=1, moves=[moves[-1]], seed=1), result)
                self.assertEqual(game.ask("view", game=1, seat=status["seat"]), view)
                game.ask("play", game=1, seat=status["seat"], move=moves[-1])
                self.assertEqual(game.ask("moves", game=1)["moves"], result["moves"])
                self.assertEqual(len(game.ask("views", game=1)["views"]), 2)

    def test_hands_and_waiting_moves_are_secret(self):
        game = self.referee("leduc_holdem_v4")
        game.ask("describe", protocol=1)
        game.start(1, 5)
        self.assertNotIn("hand", str(game.ask("view", game=1, seat=None)))
        game = self.referee("rps_v2")
        game.ask("describe", protocol=1)
        seen = []
        for number, move in ((1, "rock"), (2, "paper")):
            game.start(number, 5)
            status = game.ask("play", game=number, seat=0, move=move)
            seen.append((status, game.ask("view", game=number, seat=None), game.ask("view", game=number, seat=1)))
        self.assertEqual(seen[0][0]["lines"], seen[1][0]["lines"])
        self.assertEqual(seen[0][1:], seen[1][1:])
        moves = ["rock"] + ["paper"] * 28
        ends = {str(game.ask("rollout", game=1, moves=moves, seed=seed, resample=1)["scores"]) for seed in range(30)}
        self.assertEqual(len(ends), 3)

    def test_illegal_moves_change_nothing(self):
        game = self.referee("connect_four_v3")
        game.ask("describe", protocol=1)
        game.start(1, 5)
        before = game.ask("view", game=1, seat=0)
        for move in ("", "7", "-1", "3\n", "x" * (1 << 20), "\0"):
            reply = game.ask("play", game=1, seat=0, move=move)
            self.assertEqual(reply, {"illegal": "expected one of the legal moves, such as 0"})
        self.assertEqual(game.ask("view", game=1, seat=0), before)

    def test_errors(self):
        for name in ("nothing", "hanabi_v5", "go_v5(board_size)", "go_v5(size=9)", "rps_v2(num_actions=2)"):
            with self.assertRaises(Failure):
                self.referee(name).ask("describe", protocol=1)


if __name__ == "__main__":
    unittest.main()
