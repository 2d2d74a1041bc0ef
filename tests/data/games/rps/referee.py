"""Rock, Paper, Scissors: in each round both seats choose at the same time, and the winner of most rounds wins."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[4] / "templates/game/python"))
from turnwise_referee import Game, IllegalMove, run  # noqa: E402

# Each shape is beaten by the next one.
SHAPES = ["rock", "paper", "scissors"]


class RockPaperScissors(Game):
    def __init__(self, settings, seats):
        self.rounds = settings["rounds"]
        self.played = []
        # The shape of the first seat, while the second seat has not answered.
        self.waiting = None

    def wins(self, seat):
        other = 1 - seat
        beats = [(SHAPES.index(shapes[seat]) - SHAPES.index(shapes[other])) % 3 == 1 for shapes in self.played]
        return sum(beats)

    def turn(self):
        lead, left = abs(self.wins(0) - self.wins(1)), self.rounds - len(self.played)
        return None if left == 0 or lead > left else 0 if self.waiting is None else 1

    def moves(self):
        return SHAPES

    def play(self, move):
        if move not in SHAPES:
            raise IllegalMove("expected rock, paper or scissors")
        if self.waiting is None:
            self.waiting = move
        else:
            self.played.append((self.waiting, move))
            self.waiting = None

    def resample(self, seat, random):
        if seat == 1 and self.waiting is not None:
            self.waiting = random.choice(SHAPES)

    def scores(self):
        first, second = self.wins(0), self.wins(1)
        return [0.5, 0.5] if first == second else [int(first > second), int(second > first)]

    def ending(self):
        return "%s rounds to %s" % (self.wins(0), self.wins(1))

    def observation(self, seat):
        return {"rounds": self.rounds, "own": [shapes[seat] for shapes in self.played],
                "other": [shapes[1 - seat] for shapes in self.played]}

    def view(self, seat):
        turn = self.turn()
        is_moving = turn is not None and seat == turn
        panels = []
        if self.played:
            cards = [{"name": shape, "state": state} for shape, state in zip(self.played[-1], ("first", "second"))]
            panels = [{"title": "Round %s" % len(self.played), "cards": cards}]
        return {
            "caption": "The game is over." if turn is None else "Both players choose a shape.",
            "panels": panels,
            "facts": [{"name": "rounds won", "value": "%s to %s" % (self.wins(0), self.wins(1))}],
            "choices": [{"notation": shape, "words": "choose %s" % shape} for shape in SHAPES if is_moving],
        }


if __name__ == "__main__":
    run(RockPaperScissors)
