"""Compares games through the protocol with games that OpenSpiel plays alone.

Run it with the Python that has OpenSpiel: python3 -m unittest test_referee
"""

import contextlib
import json
import os
import random
import subprocess
import sys
import time
import unittest
from pathlib import Path
from unittest import mock

import referee

FOLDER = Path(__file__).resolve().parent
sys.path.append(str(FOLDER.parents[1] / "tests/data/games"))
from driver import Failure, Referee  # noqa: E402

if referee.pyspiel is None:
    print("skipped: the games of OpenSpiel; pip install open_spiel makes their tests possible")
else:
    import qualify

# The random games to play of each game of OpenSpiel, and the seconds after which a slow game gets no further ones.
GAMES = 20
SECONDS = 2

# The reasons why a game does not qualify.
REASONS = ("expected 2 to 10 players", "OpenSpiel cannot load", "a mean-field game", "the game does not list")


class WithoutOpenSpiel(unittest.TestCase):
    def test_description_names_the_missing_package(self):
        with mock.patch.object(referee, "pyspiel", None):
            reply = json.loads(referee.SpielReferee("chess").answer(b'{"id":1,"method":"describe","params":{}}'))
        self.assertEqual(reply["error"]["message"], "open_spiel is not installed: pip install open_spiel")


@unittest.skipIf(referee.pyspiel is None, "open_spiel is not installed")
class WithOpenSpiel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # The command in game.toml must start this Python.
        path = os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]
        cls.enterClassContext(mock.patch.dict(os.environ, PATH=path))

    def referee(self, name):
        return self.enterContext(Referee(FOLDER, name, quiet=True))

    def test_games_end_as_with_open_spiel_alone(self):
        import open_spiel.python.games  # noqa: F401  Registers the games that are written in Python.
        count, slow = 0, []
        for name in referee.pyspiel.registered_names():
            try:
                referee.load(name)
            except referee.RefereeError as reason:
                self.assertTrue(str(reason).startswith(REASONS), "%s: %s" % (name, reason))
                continue
            count += 1
            deadline = time.monotonic() + SECONDS
            with self.subTest(game=name), Referee(FOLDER, name, quiet=True) as game:
                for seed in range(GAMES):
                    if time.monotonic() > deadline:
                        slow.append("%s (%s)" % (name, seed))
                        break
                    qualify.compare(name, game.ask, [seed])
        self.assertGreaterEqual(count, 60)
        print("%s games compared, each %s times; slow games, with their number: %s" % (count, GAMES, ", ".join(slow)))

    def test_guesses_agree_with_what_the_seat_has_seen(self):
        count = 0
        for name in referee.pyspiel.registered_names():
            with contextlib.suppress(referee.RefereeError):
                game = referee.load(name)
                if referee.is_hidden(game) and referee.can_resample(game):
                    count += 1
                    with self.subTest(game=name):
                        self.guess(name)
                        self.guess_secret_choices(game)
        print("%s games can guess what a player does not know" % count)

    def guess(self, name):
        """Plays a random game, with a rollout from a guess before each move."""
        game = self.referee(name)
        about = game.ask("describe", protocol=1)
        self.assertIn("resample", about["abilities"])
        status, luck = game.start(1, seed=3, seats=about["about"]["seats"])
        choices, deadline = random.Random(3), time.monotonic() + SECONDS
        while "scores" not in status and time.monotonic() < deadline:
            seat, moves = status["seat"], game.ask("moves", game=1)["moves"]
            result = game.ask("rollout", game=1, moves=[], seed=luck.getrandbits(64), resample=seat)
            self.assertEqual((result["seat"], result["moves"]), (seat, moves))
            status = game.ask("play", game=1, seat=seat, move=choices.choice(moves))
            status = game.settle(1, status, luck)

    def guess_secret_choices(self, game):
        """Compares guesses after choices of chance or of a player that the next player cannot tell apart."""
        generator, deadline = random.Random(3), time.monotonic() + SECONDS
        for _ in range(GAMES):
            state = game.new_initial_state()
            while not state.is_terminal() and time.monotonic() < deadline:
                actions = state.legal_actions()
                children = [state.child(action) for action in generator.sample(actions, min(2, len(actions)))]
                seat = children[0].current_player()
                seen = {(child.current_player(), referee.what_is_seen(game, child, seat)) for child in children
                        if seat >= 0}
                if len(children) == 2 and len(seen) == 1:
                    guesses = [child.resample_from_infostate(seat, random.Random(1).random) for child in children]
                    self.assertEqual(len({str(guess.history()) for guess in guesses}), 1, "%s" % state.history())
                state = generator.choice(children)

    def test_waiting_moves_are_secret(self):
        game = self.referee("goofspiel(imp_info=True)")
        game.ask("describe", protocol=1)
        status, _ = game.start(1, seed=1)
        spectators = game.ask("view", game=1, seat=None)
        seen = []
        for game_number, index in ((1, 0), (2, 12)):
            status, _ = game.start(game_number, seed=1)
            moves = game.ask("moves", game=game_number)["moves"]
            status = game.ask("play", game=game_number, seat=0, move=moves[index])
            self.assertEqual(status["seat"], 1)
            self.assertEqual(game.ask("view", game=game_number, seat=None), spectators)
            seen.append((status["lines"], game.ask("view", game=game_number, seat=1)))
        self.assertEqual(seen[0], seen[1])

    def test_search_does_not_know_waiting_moves(self):
        game = self.referee("matrix_mp")
        about = game.ask("describe", protocol=1)
        self.assertTrue(about["about"]["hidden"] and about["about"]["simultaneous"])
        game.start(1, seed=1)
        moves = game.ask("moves", game=1)["moves"]
        game.ask("play", game=1, seat=0, move=moves[0])
        answer = game.ask("moves", game=1)["moves"][0]
        ends = {str(game.ask("rollout", game=1, moves=[answer], seed=seed, resample=1)["scores"])
                for seed in range(30)}
        self.assertEqual(len(ends), 2)

    def test_illegal_moves_change_nothing(self):
        game = self.referee("connect_four")
        game.ask("describe", protocol=1)
        game.start(1, seed=1)
        before = game.ask("view", game=1, seat=0)
        for move in ("", "3", "o3", "x3\n", "x" * (1 << 20), "\0", "#3"):
            reply = game.ask("play", game=1, seat=0, move=move)
            self.assertEqual(reply, {"illegal": "expected one of 7 legal moves, such as x0"})
        self.assertEqual(game.ask("view", game=1, seat=0), before)
        self.assertEqual(before["grid"], {"columns": 7, "letters": " " * 42, "names": []})

    def test_choices_name_their_cells(self):
        cells = {"tic_tac_toe": (None, 0), "connect_four": (None, 35), "breakthrough": (8, 16), "chess": (48, 40)}
        for name, (start, end) in cells.items():
            game = self.referee(name)
            game.ask("describe", protocol=1)
            status, _ = game.start(1, seed=1)
            choice = game.ask("view", game=1, seat=status["seat"])["choices"][0]
            self.assertEqual((choice.get("from"), choice["to"]), (start, end), name)

    def test_example_player_wins_at_once(self):
        game = self.referee("tic_tac_toe")
        game.ask("describe", protocol=1)
        status, _ = game.start(1, seed=1)
        greeting = status["greetings"][0]
        for move in ("x(0,0)", "o(1,0)", "x(0,1)", "o(1,1)"):
            status = game.ask("play", game=1, seat=status["seat"], move=move)
        text = "\n".join([*greeting, *status["lines"], ""])
        command = [sys.executable, FOLDER / "mcts_player.py", "tic_tac_toe", "100"]
        output = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
        self.assertEqual(output, '{"move": "x(0,2)"}\n')

    def test_parameters_and_errors(self):
        about = self.referee("go(board_size=9)").ask("describe", protocol=1)
        self.assertEqual((about["name"], about["about"]["longest"]), ("go_board_size_9", 162))
        for name in ("nothing", "chess(", "kuhn_poker(players=77)", "2048"):
            with self.assertRaises(Failure):
                self.referee(name).ask("describe", protocol=1)


if __name__ == "__main__":
    unittest.main()
