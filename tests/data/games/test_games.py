"""Tests of the games in this folder, whose referees use the library for Python."""

import json
import unittest
from pathlib import Path

from driver import Referee
from test_template import HOSTILE_MOVES

FOLDER = Path(__file__).resolve().parent
SEATS = {"connect4": [2], "rps": [2], "auction": [3, 4]}
SETTINGS = {"connect4": {}, "rps": {"rounds": 5}, "auction": {"items": 3}}


class Games(unittest.TestCase):
    def referee(self, name):
        return self.enterContext(Referee(FOLDER / name, quiet=True))

    def test_random_games_end_within_the_bounds_and_equal_luck_gives_equal_games(self):
        for name, numbers in SEATS.items():
            referee = self.referee(name)
            lowest, highest = referee.manifest.get("points", [0, 1])
            for seats in numbers:
                for seed in range(20):
                    with self.subTest(game=name, seats=seats, seed=seed):
                        moves, statuses = referee.play_out(1, seed, seats, SETTINGS[name])
                        self.assertLessEqual(len(moves), referee.manifest["longest"])
                        scores = statuses[-1]["scores"]
                        self.assertEqual(len(scores), seats)
                        self.assertTrue(all(lowest <= score <= highest for score in scores))
                        self.assertEqual(referee.play_out(2, seed, seats, SETTINGS[name]), (moves, statuses))

    def test_hostile_moves_are_illegal_and_change_nothing(self):
        for name, (seats, *_) in SEATS.items():
            referee = self.referee(name)
            status, _ = referee.start(1, 1, seats, SETTINGS[name])
            before = referee.ask("view", game=1, seat=status["seat"])
            for move in HOSTILE_MOVES:
                # In these games, " 4" and the like are no moves either.
                request = b'{"jsonrpc":"2.0","id":1,"method":"play","params":{"game":1,"seat":0,"move":"%s"}}' % move
                self.assertEqual(list(referee.send(request)["result"]), ["illegal"])
            self.assertEqual(referee.ask("view", game=1, seat=status["seat"]), before)

    def test_views_repeat_the_game(self):
        for name, (seats, *_) in SEATS.items():
            referee = self.referee(name)
            status, luck = referee.start(1, 1, seats, SETTINGS[name])
            seen = []
            while "scores" not in status:
                seen.append(referee.ask("view", game=1, seat=None))
                self.assertEqual(seen[-1]["choices"], [])
                moves = referee.ask("moves", game=1)["moves"]
                choices = referee.ask("view", game=1, seat=status["seat"])["choices"]
                self.assertEqual([choice["notation"] for choice in choices], moves)
                status = referee.ask("play", game=1, seat=status["seat"], move=moves[len(seen) % len(moves)])
                status = referee.settle(1, status, luck)
            seen.append(referee.ask("view", game=1, seat=None))
            self.assertEqual(referee.ask("views", game=1)["views"], seen)

    def test_waiting_moves_are_secret(self):
        for name, moves in (("rps", ["rock", "paper"]), ("auction", ["0", "100"])):
            referee = self.referee(name)
            seats = SEATS[name][0]
            seen = []
            for game, move in enumerate(moves):
                referee.start(game, 1, seats, SETTINGS[name])
                status = referee.ask("play", game=game, seat=0, move=move)
                self.assertEqual(status["seat"], 1)
                seen.append((status["lines"], [referee.ask("view", game=game, seat=seat) for seat in (None, 1)]))
            self.assertEqual(seen[0], seen[1])

    def test_guesses_replace_what_a_seat_does_not_know(self):
        referee = self.referee("rps")
        referee.start(1, 1, settings={"rounds": 1})
        referee.ask("play", game=1, seat=0, move="rock")
        ends = {str(referee.ask("rollout", game=1, moves=["rock"], seed=seed, resample=1)["scores"])
                for seed in range(30)}
        self.assertEqual(ends, {"[0.5, 0.5]", "[1, 0]", "[0, 1]"})
        known = {str(referee.ask("rollout", game=1, moves=["rock"], seed=seed, resample=0)["scores"])
                 for seed in range(30)}
        self.assertEqual(known, {"[0.5, 0.5]"})

    def test_four_in_a_row_in_all_directions(self):
        referee = self.referee("connect4")
        lines = ["0102030", "0101010", "01123223033", "32210110300"]
        for moves in lines:
            status, _ = referee.start(1, 1)
            for move in moves:
                self.assertIn("seat", status, moves)
                status = referee.ask("play", game=1, seat=status["seat"], move=move)
            self.assertEqual((status["scores"], status["ending"]), ([1, 0], "four in a row"), moves)
        self.assertEqual(referee.ask("view", game=1, seat=None)["caption"], "Red has four in a row.")

    def test_connect_four_speaks_lines(self):
        referee = self.referee("connect4")
        status, _ = referee.start(1, 1)
        self.assertEqual((status["lines"], status["greetings"]), (["go"], [["RED"], ["YELLOW"]]))
        self.assertEqual(referee.ask("play", game=1, seat=0, move="3")["lines"], ["3"])
        rule = {"illegal": "column 7 is full or outside of the board"}
        self.assertEqual(referee.ask("play", game=1, seat=1, move="7"), rule)
        self.assertEqual(referee.ask("view", game=1, seat=1)["choices"][3]["to"], 31)

    def test_an_auction_goes_on_without_a_seat(self):
        referee = self.referee("auction")
        status, luck = referee.start(1, 1, 4, {"items": 2})
        values = []
        for seat, bid in enumerate(["10", "90"]):
            values.append(json.loads(status["lines"][0])["state"]["value"])
            status = referee.ask("play", game=1, seat=seat, move=bid)
        self.assertEqual(referee.ask("out", game=1, seat=2)["seat"], 3)
        status = referee.settle(1, referee.ask("play", game=1, seat=3, move="20"), luck)
        self.assertEqual(json.loads(status["lines"][0])["state"]["points"], [0, values[1] - 90, 0, 0])
        self.assertEqual(len(referee.ask("views", game=1)["views"]), 5)
        for seat in (0, 1, 3):
            self.assertEqual(status["seat"], seat)
            status = referee.settle(1, referee.ask("out", game=1, seat=seat), luck)
        self.assertEqual(status["ending"], "1 items sold")


if __name__ == "__main__":
    unittest.main()
