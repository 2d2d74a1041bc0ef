"""Tests of the library for referees in Python, and of the game that the template contains."""

import json
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from driver import ROOT, Failure, Referee

FOLDER = ROOT / "templates/game/python"

# Moves that a hostile player can send, as the text between the quotes of a JSON string.
HOSTILE_MOVES = [
    b"", b" 4", b"4\\n", b"\\u0000", b"4\\u0000", b"\\ud800", b"\\udc00\\ud800", b"\xef\xbc\x94", b"\\u00b2", b"-1",
    b"1e0", b"9" * 10_000, b"x" * (1 << 20), b'{\\"move\\":4}', b"\\u001b[31m", b"null",
]


class Python(unittest.TestCase):
    """The game of the template, whose referees in Python and in Java pass the same tests."""

    folder = FOLDER

    def setUp(self):
        self.referee = Referee(self.folder, quiet=True)
        self.addCleanup(self.referee.__exit__)

    def test_describe_names_the_game_and_all_abilities(self):
        about = self.referee.ask("describe", protocol=1)
        self.assertEqual(about["protocol"], 1)
        self.assertEqual(about["name"], "tictactoe")
        self.assertEqual(sorted(about["abilities"]), ["moves", "position", "rollout", "view", "views"])

    def test_the_game_of_the_protocol(self):
        page = (ROOT / "protocol/referee.md").read_text(encoding="utf-8")
        lines = page.split("## A game\n")[1].split("```")[1].splitlines()
        requests = [line[2:] for line in lines if line.startswith("> ")]
        replies = [line[2:] for line in lines if line.startswith("< ")]
        self.assertEqual(len(requests), 10)
        for request, reply in zip(requests, replies, strict=True):
            got = self.referee.send(request.encode())
            # The notation of a move is optional, and the twin in Java always sends it.
            got["result"].pop("notation", None)
            self.assertEqual(got, json.loads(reply))

    def test_game_from_start_to_end(self):
        status, _ = self.referee.start(1, seed=1)
        greeting = {"type": "start", "game": "tictactoe", "seat": 1, "seats": 2, "settings": {}}
        self.assertEqual(json.loads(status["greetings"][1][0]), greeting)
        question = {"type": "move", "seat": 0, "moves": [str(cell) for cell in range(9)],
                    "state": {"board": ".........", "piece": "X"}}
        self.assertEqual(json.loads(status["lines"][0]), question)
        for seat, move in [(0, "0"), (1, "3"), (0, "1"), (1, "4")]:
            status = self.referee.ask("play", game=1, seat=seat, move=move)
            self.assertEqual(status["seat"], 1 - seat)
            self.assertNotIn("greetings", status)
        status = self.referee.ask("play", game=1, seat=0, move="2")
        status.pop("notation", None)
        self.assertEqual(status, {"scores": [1, 0], "ending": "three in a row"})
        self.assertEqual(self.referee.ask("end", game=1), {})

    def test_chance_decides_the_opening(self):
        status = self.referee.ask("start", game=1, seats=2, settings={"random_opening": True})
        self.assertEqual(status, {"draws": 1})
        status = self.referee.ask("draw", game=1, values=[2**64 - 1])
        self.assertEqual(json.loads(status["lines"][0])["state"]["board"], "........X")
        self.assertEqual((status["seat"], status["drawn"]), (1, ["X on cell 8"]))
        self.assertEqual(len(status["greetings"]), 2)
        self.assertEqual(len(self.referee.ask("views", game=1)["views"]), 1)

    def test_hostile_moves_are_illegal_and_change_nothing(self):
        self.referee.start(1, seed=1)
        self.referee.ask("play", game=1, seat=0, move="0")
        before = self.referee.ask("view", game=1, seat=1)
        for move in HOSTILE_MOVES:
            with self.subTest(move=move[:20]):
                request = b'{"jsonrpc":"2.0","id":1,"method":"play","params":{"game":1,"seat":1,"move":"%s"}}' % move
                reply = self.referee.send(request)
                self.assertEqual(list(reply["result"]), ["illegal"])
        self.assertEqual(self.referee.ask("play", game=1, seat=1, move="0"), {"illegal": "cell 0 is taken"})
        self.assertEqual(self.referee.ask("view", game=1, seat=1), before)
        self.assertEqual(len(self.referee.ask("views", game=1)["views"]), 2)
        self.assertEqual(self.referee.ask("play", game=1, seat=1, move="4")["seat"], 0)

    def test_malformed_requests_get_errors(self):
        cases = [
            (b"", -32700), (b"{", -32700), (b"\xff", -32700), (b'{"id":1} 2', -32700), (b"[" * 100_000, -32700),
            (b"[]", -32600), (b"1", -32600), (b"{}", -32601), (b'{"method":["play"]}', -32601),
            (b'{"method":"__init__"}', -32601), (b'{"method":"resample"}', -32601), (b'{"method":"values"}', -32601),
            (b'{"method":"play"}', -32000), (b'{"method":"play","params":{"game":7,"seat":0,"move":"1"}}', -32602),
            (b'{"method":"play","params":[1]}', -32000), (b'{"method":"start","params":{"game":{}}}', -32000),
        ]
        for request, code in cases:
            with self.subTest(request=request[:40]):
                self.assertEqual(self.referee.send(request)["error"]["code"], code)
        self.assertIn("seat", self.referee.start(1, seed=1)[0])

    def test_a_seat_cannot_move_for_another(self):
        self.referee.start(1, seed=1)
        with self.assertRaises(Failure) as caught:
            self.referee.ask("play", game=1, seat=1, move="0")
        self.assertEqual(caught.exception.code, -32602)

    def test_games_do_not_disturb_each_other(self):
        statuses = {1: self.referee.start(1, seed=1)[0], 2: self.referee.start(2, seed=2)[0]}
        moves = {1: list("031420"), 2: list("84756")}
        for game in (1, 2, 2, 1, 1, 2, 1, 2, 2):
            statuses[game] = self.referee.ask(
                "play", game=game, seat=statuses[game]["seat"], move=moves[game].pop(0))
        self.assertEqual(self.referee.ask("position", game=1)["position"], "XX.OO....")
        self.assertEqual(statuses[2]["ending"], "three in a row")
        self.referee.ask("end", game=2)
        self.assertEqual(self.referee.ask("play", game=1, seat=0, move="2")["scores"], [1, 0])

    def test_equal_luck_and_moves_give_equal_games(self):
        settings = {"random_opening": True}
        self.assertEqual(self.referee.play_out(1, 5, settings=settings), self.referee.play_out(2, 5, settings=settings))
        openings = {self.referee.start(3, seed, settings=settings)[0]["lines"][0] for seed in range(50)}
        self.assertEqual(len(openings), 9)

    def test_view_offers_choices_to_the_seat_to_move_only(self):
        self.referee.start(1, seed=1)
        self.referee.ask("play", game=1, seat=0, move="4")
        view = self.referee.ask("view", game=1, seat=1)
        self.assertEqual(view["grid"]["letters"], "    X    ")
        self.assertEqual([choice["to"] for choice in view["choices"]], [0, 1, 2, 3, 5, 6, 7, 8])
        self.assertEqual(self.referee.ask("view", game=1, seat=0)["choices"], [])
        self.assertEqual(self.referee.ask("view", game=1, seat=None)["choices"], [])

    def test_views_repeat_the_game(self):
        self.referee.start(1, seed=1)
        seen = [self.referee.ask("view", game=1, seat=None)]
        for seat, move in [(0, "0"), (1, "3"), (0, "1"), (1, "4"), (0, "2")]:
            self.referee.ask("play", game=1, seat=seat, move=move)
            seen.append(self.referee.ask("view", game=1, seat=None))
        self.assertEqual(self.referee.ask("views", game=1)["views"], seen)

    def test_position_begins_an_equal_game(self):
        self.referee.start(1, seed=1)
        self.referee.ask("play", game=1, seat=0, move="4")
        position = self.referee.ask("position", game=1)["position"]
        status, _ = self.referee.start(2, seed=1, position=position)
        self.assertEqual(status["seat"], 1)
        self.assertEqual(self.referee.ask("view", game=2, seat=1), self.referee.ask("view", game=1, seat=1))
        self.assertEqual(len(self.referee.ask("views", game=2)["views"]), 1)
        for invalid in ["", "X", "XX.......", "O........", "X" * 1000, "\n" * 9]:
            with self.assertRaises(Failure):
                self.referee.start(3, seed=1, position=invalid)

    def test_rollout_changes_nothing_and_depends_on_its_seed(self):
        self.referee.start(1, seed=1)
        result = self.referee.ask("rollout", game=1, moves=["0", "3", "3", "1"], seed=7)
        self.assertEqual((result["played"], result["seat"]), (2, 0))
        self.assertEqual(result["moves"], ["1", "2", "4", "5", "6", "7", "8"])
        self.assertEqual(sum(result["scores"]), 1)
        self.assertEqual(self.referee.ask("rollout", game=1, moves=["0", "3", "3", "1"], seed=7), result)
        paths = {str(self.referee.ask("rollout", game=1, moves=[], seed=seed)["path"]) for seed in range(20)}
        self.assertGreater(len(paths), 10)
        self.assertEqual(len(self.referee.ask("moves", game=1)["moves"]), 9)
        over = self.referee.ask("rollout", game=1, moves=["0", "3", "1", "4", "2", "5"], seed=2**64 - 1)
        self.assertEqual(over, {"played": 5, "seat": None, "moves": [], "path": [], "scores": [1, 0]})


@unittest.skipUnless(shutil.which("javac"), "javac is not installed")
class Java(Python):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory())) / "java"
        shutil.copytree(ROOT / "templates/game/java", cls.folder)
        subprocess.run(["make", "-s", "all"], cwd=cls.folder, check=True)


class Library(unittest.TestCase):
    """How the library deals with a game that fails."""

    def referee(self, rules):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (folder / "game.toml").write_text('name = "broken"\ncommand = ["python3", "referee.py"]\n')
        (folder / "turnwise_referee.py").symlink_to(FOLDER / "turnwise_referee.py")
        (folder / "referee.py").write_text(rules + "\nrun(Broken)\n")
        return self.enterContext(Referee(folder, quiet=True))

    def test_error_contains_the_line_of_the_game(self):
        referee = self.referee("""from turnwise_referee import *
class Broken(Game):
    def __init__(self, settings, seats):
        print("text for people")
    def turn(self):
        return int("one")""")
        with self.assertRaises(Failure) as caught:
            referee.start(1, seed=1)
        self.assertEqual(caught.exception.code, -32000)
        message = "ValueError: invalid literal for int() with base 10: 'one' (referee.py, line 6)"
        self.assertEqual(str(caught.exception), message)
        self.assertEqual(referee.ask("describe", protocol=1)["abilities"], [])

    def test_a_move_that_the_rules_cannot_read_is_illegal(self):
        referee = self.referee("""from turnwise_referee import *
class Broken(Game):
    def __init__(self, settings, seats):
        self.turns = 0
    def turn(self):
        return self.turns
    def moves(self):
        return ["1", "fail"]
    def play(self, move):
        self.turns += 1
        if move == "no":
            raise RefereeError("out of chalk")
        int(move)""")
        referee.start(1, seed=1)
        for move in ("x", "", "\0"):
            reply = referee.ask("play", game=1, seat=0, move=move)
            self.assertEqual(reply, {"illegal": "the rules cannot read this move"})
        # A listed move that fails is an error of the rules.
        with self.assertRaises(Failure):
            referee.ask("play", game=1, seat=0, move="fail")
        self.assertEqual(referee.ask("play", game=1, seat=0, move="1")["seat"], 1)
        # So is a move for which the rules raise `RefereeError`.
        with self.assertRaises(Failure):
            referee.ask("play", game=1, seat=1, move="no")

    def test_a_score_that_is_not_a_number_is_an_error(self):
        referee = self.referee("""from turnwise_referee import *
class Broken(Game):
    def __init__(self, settings, seats):
        pass
    def turn(self):
        return None
    def scores(self):
        return [float("nan"), 0]""")
        with self.assertRaises(Failure):
            referee.start(1, seed=1)

    def test_values_and_positions_are_abilities_of_their_own(self):
        referee = self.referee("""from turnwise_referee import *
class Broken(Game):
    def __init__(self, settings, seats):
        pass
    def turn(self):
        return 0
    def values(self):
        return {"left": 0.5, "right": -1}
    def position(self):
        return "always this" """)
        self.assertEqual(referee.ask("describe", protocol=1)["abilities"], ["values"])
        referee.start(1, seed=1)
        self.assertEqual(referee.ask("values", game=1), {"moves": ["left", "right"], "values": [0.5, -1]})

    def test_choose_and_shuffle_are_fair(self):
        import sys
        sys.path.insert(0, str(FOLDER))
        from turnwise_referee import choose, shuffle
        self.assertEqual([choose(value, "abcd") for value in (0, 2**62 - 1, 2**62, 2**64 - 1)], ["a", "a", "b", "d"])
        # Each value selects one of the remaining items, so two bits decide the first of four items.
        steps = [[first << 62, second * 2**64 // 3 + 1, third << 63, 0]
                 for first in range(4) for second in range(3) for third in range(2)]
        self.assertEqual(len({tuple(shuffle(values, "abcd")) for values in steps}), 24)


if __name__ == "__main__":
    unittest.main()
