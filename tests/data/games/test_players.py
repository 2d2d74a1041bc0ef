"""Tests of the starter players for the game that the template contains: legal moves, and the same in all languages."""

import itertools
import json
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from driver import ROOT, Referee

COMMANDS = {
    "python": ["python3", "player.py"],
    "java": ["java", "-cp", ".", "Player"],
    "cpp": ["./player"],
    "rust": ["./player"],
}
COMPILERS = {"python": "python3", "java": "javac", "cpp": "g++", "rust": "rustc"}


class Players(unittest.TestCase):
    def questions(self):
        """Returns the lines that ask for a move, from games of random moves."""
        with Referee(ROOT / "templates/game/python") as referee:
            games = (referee.play_out(1, seed, settings={"random_opening": True})[1] for seed in range(30))
            statuses = list(itertools.chain.from_iterable(games))
        return [status["lines"][0] for status in statuses if "lines" in status]

    def test_all_languages_choose_the_same_legal_moves(self):
        questions = self.questions()
        start = {"type": "start", "game": "tictactoe", "seat": 0, "seats": 2, "settings": {"new": [1.5, None, True]}}
        text = "".join(line + "\n" for line in [json.dumps(start), *questions])
        answers = {}
        for language, command in COMMANDS.items():
            if shutil.which(COMPILERS[language]) is None:
                print(f"skipped: the player in {language}; {COMPILERS[language]} is not installed")
                continue
            folder = Path(self.enterContext(tempfile.TemporaryDirectory())) / language
            shutil.copytree(ROOT / "templates/game/players" / language, folder)
            subprocess.run(["make", "-s", "all"], cwd=folder, check=True)
            # The output ends with the input, and the exit code is 0.
            output = subprocess.run(command, cwd=folder, input=text, capture_output=True, text=True, check=True).stdout
            answers[language] = [json.loads(line)["move"] for line in output.splitlines()]
        for language, moves in answers.items():
            self.assertEqual(moves, answers["python"], language)
        self.assertEqual(len(answers["python"]), len(questions))
        for question, move in zip(questions, answers["python"]):
            self.assertIn(move, json.loads(question)["moves"])

    def test_the_player_completes_a_row_before_it_prevents_one(self):
        question = {"type": "move", "seat": 0, "moves": list("2578"), "state": {"board": "XX.OO.X..", "piece": "O"}}
        folder = ROOT / "templates/game/players/python"
        output = subprocess.run(
            COMMANDS["python"], cwd=folder, input=json.dumps(question), capture_output=True, text=True, check=True)
        self.assertEqual(json.loads(output.stdout), {"move": "5"})


if __name__ == "__main__":
    unittest.main()
