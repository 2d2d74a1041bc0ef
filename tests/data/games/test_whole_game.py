"""Tests of the template for games that another program plays from start to end."""

import importlib.util
import shutil
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

from driver import ROOT, Failure, Referee

LIBRARY = ROOT / "templates/game/python/turnwise_referee.py"


def template():
    """Returns the folder that `turnwise new whole-game` writes."""
    folder = Path(tempfile.mkdtemp())
    for path in [*(ROOT / "templates/whole-game").iterdir(), LIBRARY]:
        shutil.copy(path, folder)
    return folder


def referee_module():
    sys.path.append(str(LIBRARY.parent))
    specification = importlib.util.spec_from_file_location("whole_game", ROOT / "templates/whole-game/referee.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


class WholeGame(unittest.TestCase):
    def setUp(self):
        self.folder = template()
        self.addCleanup(shutil.rmtree, self.folder)

    def play(self, program, answers, seats=2):
        """Lets the program play with these answers of each seat. Returns the questions and the last status."""
        (self.folder / "play_game.py").write_text(textwrap.dedent(HEAD) + textwrap.dedent(program))
        text = (self.folder / "game.toml").read_text()
        players = ", ".join('"{p%s}"' % (seat + 1) for seat in range(seats))
        text = text.replace('"{seed}", "{p1}", "{p2}"', '"{seed}", "{scores}", ' + players)
        (self.folder / "game.toml").write_text(text)
        questions = []
        with Referee(self.folder, quiet=True) as referee:
            self.assertEqual(referee.ask("start", game=1, seats=seats, settings={}), {"draws": 1})
            status = referee.ask("draw", game=1, values=[7 << 33])
            while "seat" in status:
                seat = status["seat"]
                questions.append((seat, status["lines"]))
                status = referee.ask("play", game=1, seat=seat, move=answers[seat].pop(0))
            referee.ask("end", game=1)
        return questions, status

    def test_nim_is_played_and_equal_seeds_give_equal_heaps(self):
        with Referee(self.folder) as referee:
            ends, heaps = [], []
            for game in (1, 2):
                referee.ask("start", game=game, seats=2, settings={})
                status = referee.ask("draw", game=game, values=[5 << 33])
                heaps.append(int(status["lines"][0]))
                while "seat" in status:
                    taken = str(max(1, int(status["lines"][0]) % 4))
                    status = referee.ask("play", game=game, seat=status["seat"], move=taken)
                ends.append(status)
                referee.ask("end", game=game)
        self.assertEqual(heaps[0], heaps[1])
        self.assertEqual(ends[0], ends[1])
        self.assertEqual(sorted(ends[0]["scores"]), [0, 1])

    def test_a_failed_player_forfeits(self):
        questions, status = self.play("""
            ask(0, "a question")
            print(-1, 0)
        """, [["nonsense"], []])
        self.assertEqual(questions, [(0, ["a question"])])
        self.assertEqual(status, {"illegal": "the game ended with scores -1, 0"})

    def test_questions_and_answers_of_several_lines(self):
        questions, status = self.play("""
            tell(0, "one", "two")
            got = [hear(0), hear(0), hear(0)]
            tell(1, "".join(got))
            print(len(hear(1)), seed)
        """, [["a", "b", "c"], ["word"]])
        self.assertEqual(questions, [(0, ["one", "two"]), (0, []), (0, []), (1, ["abc"])])
        self.assertEqual((status["scores"], status["ending"]), ([0, 1], "scores 4, 7"))

    def test_questions_to_all_before_the_first_answer(self):
        questions, status = self.play("""
            tell(1, "second")
            tell(0, "first")
            print(hear(1), hear(0))
        """, [["1"], ["2"]])
        self.assertEqual(questions, [(0, ["first"]), (1, ["second"])])
        self.assertEqual(status["scores"], [1, 0])

    def test_a_program_that_looks_for_input_in_a_loop(self):
        questions, status = self.play("""
            import select, time
            for seat in (0, 1):
                tell(seat, "look")
                while not select.select([players[seat].stdout], [], [], 0)[0]:
                    time.sleep(0.001)
                hear(seat)
            print("1\\n1")
        """, [["x"], ["y"]])
        self.assertEqual(questions, [(0, ["look"]), (1, ["look"])])
        self.assertEqual(status["scores"], [0.5, 0.5])

    def test_a_program_that_computes_is_not_taken_for_one_that_waits(self):
        questions, _ = self.play("""
            import time
            tell(0, "part one")
            until = time.process_time() + 0.3
            while time.process_time() < until:
                pass
            ask(0, "part two")
            print(0, 0)
        """, [["x"], []])
        self.assertEqual(questions, [(0, ["part one", "part two"])])

    def test_three_players_and_a_file_of_scores(self):
        _, status = self.play("""
            for seat in range(3):
                ask(seat, str(seat))
            open(scores, "w").write('{"ranks": [1, 0, 1], "errors": [0, 0, 1]}')
            print("9 9 9")
        """, [["x"], ["y"], ["z"]], seats=3)
        self.assertEqual((status["scores"], status["ending"]), ([0.5, 2, 0.5], "ranks 1, 0, 1"))

    def test_a_player_that_the_program_ends(self):
        _, status = self.play("""
            ask(0, "go")
            players[1].kill()
            ask(0, "on")
            print(1, 0)
        """, [["x", "y"], []])
        self.assertEqual(status["scores"], [1, 0])

    def test_a_program_that_fails_is_reported(self):
        for program, expected in [("sys.exit('no maps')", "status 1: no maps"), ("print('hello')", "expected 2 scores")]:
            with self.subTest(program=program), self.assertRaises(Failure) as caught:
                self.play(program, [[], []])
            self.assertIn(expected, str(caught.exception))

    def test_forms_of_scores(self):
        module = referee_module()
        for text, expected in [
            ("3 1", ([3, 1], [])),
            ("seed=5\n3\n-1\ndone", ([3, -1], [1])),
            ("1 2\nturn 3\n3.5 1e\n2 0\n", ([2, 0], [])),
            ('{"ranks": [1, 0], "errors": [true, false]}', ([-1, 0], [0])),
            ('log\n{"scores": {"0": 2.5, "1": -3}}', ([2.5, -3], [])),
            ('{\n "scores": [1, 2]\n}', ([1, 2], [])),
        ]:
            with self.subTest(text=text):
                final = module.parse_scores(text, 2)
                self.assertEqual((final.values, final.failed), expected)
        for text in ["", "1 2 3", "1", '{"ranks": [0]}', '{"scores": {"0": 1}}', '{"scores": "no"}', "nan 1"]:
            with self.subTest(text=text), self.assertRaises(module.RefereeError):
                module.parse_scores(text, 2)


# The part that the programs of the tests have in common.
HEAD = """
    import subprocess, sys
    seed, scores, *commands = sys.argv[1:]
    players = [subprocess.Popen([command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
               for command in commands]
    def tell(seat, *lines):
        players[seat].stdin.write("".join(line + "\\n" for line in lines))
        players[seat].stdin.flush()
    def hear(seat):
        return players[seat].stdout.readline().strip()
    def ask(seat, line):
        tell(seat, line)
        return hear(seat)
"""


if __name__ == "__main__":
    unittest.main()
