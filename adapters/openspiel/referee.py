"""Referees a game of OpenSpiel: turnwise starts this program for `--game openspiel:NAME`.

NAME is a game of `python3 referee.py --list`, with parameters if needed: `go(board_size=9)`.
"""

import copy
import difflib
import importlib.metadata
import math
import random
import re
import sys
from pathlib import Path

# In the repository, the library is part of the template for games in Python.
sys.path.append(str(Path(__file__).resolve().parents[2] / "templates/game/python"))
from turnwise_referee import Game, IllegalMove, Referee, RefereeError, serve  # noqa: E402

try:
    import pyspiel
except ImportError:
    pyspiel = None

# turnwise ends longer games.
LONGEST = 10_000

# A view with more choices than this does not say to which cells they go, which takes a copy of the state for each.
MOST_CELLS = 400

# The games in which OpenSpiel's guesses cannot be used. In Hearts, they may leave a player without a legal card. In the
# others, they contain a secret: the offer of another player, or the card that the dealer discarded.
USELESS_GUESSES = ["hearts", "colored_trails", "euchre"]


def load(name):
    """Loads a game that turnwise can play. Raises `RefereeError` with the reason if it cannot."""
    if pyspiel is None:
        raise RefereeError("open_spiel is not installed: pip install open_spiel")
    short_name = name.split("(")[0]
    if short_name not in pyspiel.registered_names():
        import open_spiel.python.games  # noqa: F401  Registers the games that are written in Python.
    if short_name not in pyspiel.registered_names():
        similar = difflib.get_close_matches(short_name, pyspiel.registered_names(), 5, 0.5)
        hint = "; similar names: %s" % ", ".join(similar) if similar else ""
        raise RefereeError("OpenSpiel has no game %s%s" % (short_name, hint))
    try:
        game = pyspiel.load_game(name)
    except Exception as error:  # Besides SpielError, some games raise exceptions of the C++ library.
        raise RefereeError("OpenSpiel cannot load %s: %s" % (name, str(error).strip().splitlines()[-1]))
    about = game.get_type()
    if about.dynamics == pyspiel.GameType.Dynamics.MEAN_FIELD:
        raise RefereeError("a mean-field game has no players that take turns")
    if not 2 <= game.num_players() <= 10:
        raise RefereeError("expected 2 to 10 players, got %s" % game.num_players())
    if about.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
        raise RefereeError("the game does not list the outcomes of chance")
    if not (math.isfinite(game.min_utility()) and math.isfinite(game.max_utility())):
        raise RefereeError("the scores have no bounds")
    if is_hidden(game) and not (about.provides_information_state_string or about.provides_observation_string):
        raise RefereeError("the game does not describe what each player sees")
    return game


def is_simultaneous(game):
    return game.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS


def is_hidden(game):
    return game.get_type().information == pyspiel.GameType.Information.IMPERFECT_INFORMATION


def is_won_or_lost(game):
    is_zero_sum = game.get_type().utility == pyspiel.GameType.Utility.ZERO_SUM
    return game.num_players() == 2 and is_zero_sum and (game.min_utility(), game.max_utility()) == (-1, 1)


def manifest(game):
    """Returns the keys of game.toml for a game."""
    name = re.sub("[^a-z0-9_-]+", "_", str(game).lower().replace("()", "")).strip("_")[:40]
    moves = game.max_game_length()
    if is_simultaneous(game):
        moves *= game.num_players()
    about = {
        "name": name,
        "title": game.get_type().long_name,
        "version": importlib.metadata.version("open_spiel"),
        "summary": "%s, a game of OpenSpiel" % game.get_type().long_name,
        "seats": game.num_players(),
        "longest": max(1, min(moves, LONGEST)),
        # A player does not know the moves that wait for its own.
        "hidden": is_hidden(game) or is_simultaneous(game),
        "simultaneous": is_simultaneous(game),
    }
    if is_won_or_lost(game):
        about["scoring"] = "win"
    else:
        about.update(scoring="points", points=[game.min_utility(), game.max_utility()])
    return about


def what_is_seen(game, state, seat):
    """Returns what a seat sees of a state, as a text."""
    if not is_hidden(game):
        return str(state)
    if game.get_type().provides_information_state_string:
        return state.information_state_string(seat)
    return state.observation_string(seat)


def public_observer(game):
    """Returns the observer that sees what all players see, or None if the game has none."""
    from open_spiel.python.observation import make_observation  # Takes long to import.
    kind = pyspiel.IIGObservationType(
        public_info=True, perfect_recall=False, private_info=pyspiel.PrivateInfoType.NONE)
    try:
        observer = make_observation(game, kind)
        return observer if observer and observer.string_from(game.new_initial_state(), 0) else None
    except pyspiel.SpielError:
        return None


class SpielGame(Game):
    """A game of OpenSpiel. A subclass has the attribute `spiel`, the loaded game.

    If several players move at the same time, their moves wait in `pending` until all have answered.
    """

    def __init__(self, settings, seats):
        if seats != self.spiel.num_players():
            raise RefereeError("expected %s players, got %s" % (self.spiel.num_players(), seats))
        self.state = self.spiel.new_initial_state()
        self.pending = []
        self.actions_by_name = None
        self.skip()

    def __deepcopy__(self, memo):
        # A state has no deep copy, and the game itself never changes.
        clone = copy.copy(self)
        clone.state = self.state.clone()
        clone.pending = list(self.pending)
        return clone

    def draws(self):
        return 1 if self.state.is_chance_node() else 0

    def draw(self, values):
        point, total = values[0] / 2**64, 0.0
        outcomes = self.state.chance_outcomes()
        for outcome, probability in outcomes:
            total += probability
            if point < total:
                break
        self.apply(outcome)

    def turn(self):
        if self.state.is_terminal():
            return None
        return len(self.pending) if self.state.is_simultaneous_node() else self.state.current_player()

    def actions(self):
        """Returns the legal actions by their names, which are unique."""
        if self.actions_by_name is None:
            seat, actions = self.turn(), {}
            for action in self.state.legal_actions(seat):
                name = " ".join(self.state.action_to_string(seat, action).split())[:900]
                actions["%s #%s" % (name, action) if not name or name in actions else name] = action
            self.actions_by_name = actions
        return self.actions_by_name

    def moves(self):
        return list(self.actions())

    def play(self, move):
        action = self.actions().get(move)
        if action is None:
            raise IllegalMove("expected one of %s legal moves, such as %s" % (len(self.actions()), self.moves()[0]))
        if self.state.is_simultaneous_node():
            self.pending.append(action)
            self.actions_by_name = None
            self.skip()
        else:
            self.apply(action)

    def apply(self, action):
        self.state.apply_action(action)
        self.actions_by_name = None
        self.skip()

    def skip(self):
        """Passes over seats that have no move at this time, and plays simultaneous moves that are complete."""
        while self.state.is_simultaneous_node():
            seat = len(self.pending)
            if seat == self.spiel.num_players():
                self.state.apply_actions(self.pending)
                self.pending = []
            elif self.state.legal_actions(seat):
                return
            else:
                # OpenSpiel ignores the action of a player that has none.
                self.pending.append(0)

    def scores(self):
        # Some games return numbers of numpy.
        returns = [float(score) for score in self.state.returns()]
        return [(score + 1) / 2 for score in returns] if is_won_or_lost(self.spiel) else returns

    def observation(self, seat):
        return what_is_seen(self.spiel, self.state, seat)

    def public_text(self):
        """Returns what all may see, as a text, which is empty if the game does not describe it."""
        if not is_hidden(self.spiel):
            return str(self.state)
        return self.observer.string_from(self.state, 0) if self.observer else ""

    def view(self, seat):
        turn = self.turn() if not self.draws() else None
        caption = "The game is over." if turn is None else "Player %s is to move." % (turn + 1)
        if self.state.is_simultaneous_node():
            # Another seat must not see that a seat has already moved.
            caption = "All players choose a move."
        view = {"caption": caption}
        text = self.public_text() if seat is None else self.observation(seat)
        grid = as_grid(text)
        if grid:
            view["grid"] = grid
        elif text.strip():
            card = {"name": "", "lines": text.strip("\n").splitlines(), "state": "open"}
            view["panels"] = [{"title": "Position", "cards": [card]}]
        if turn is not None and seat == turn:
            view["choices"] = [self.choice(move, grid) for move in self.moves()]
        return view

    def choice(self, move, grid):
        """Returns a choice, with the cells of the board that the move changes if they are clear."""
        choice = {"notation": move, "words": move}
        if grid and not self.state.is_simultaneous_node() and len(self.actions()) <= MOST_CELLS:
            clone = self.state.clone()
            clone.apply_action(self.actions()[move])
            before, after = grid["letters"], (as_grid(str(clone)) or grid)["letters"]
            changes = [cell for cell, (old, new) in enumerate(zip(before, after)) if old != new]
            filled = [cell for cell in changes if after[cell] != " "]
            emptied = [cell for cell in changes if after[cell] == " "]
            if len(filled) == 1:
                choice["to"] = filled[0]
                if len(emptied) == 1:
                    choice["from"] = emptied[0]
        return choice


class Resampling(SpielGame):
    """A game in which OpenSpiel can guess what a player does not know."""

    def resample(self, seat, generator):
        self.state = self.state.resample_from_infostate(seat, generator.random)
        self.actions_by_name = None


class Simultaneous(SpielGame):
    """A game with simultaneous moves, in which a player knows all but the moves that wait."""

    def resample(self, seat, generator):
        for other in range(len(self.pending)):
            if other != seat:
                self.pending[other] = generator.choice(self.state.legal_actions(other) or [0])


def as_grid(text):
    """Returns the board that a text shows, one character for each cell, or None if it shows none."""
    fen = re.match("(?:[pnbrqk1-8]+/){7}[pnbrqk1-8]+ ", text, re.IGNORECASE)
    if fen:
        # A position of chess gets the labels that the boards of other games have.
        rows = re.sub("[1-8]", lambda match: "." * int(match.group()), fen.group().strip()).split("/")
        rows = ["%s%s" % (8 - index, row) for index, row in enumerate(rows)] + [" abcdefgh"]
    else:
        rows = text.strip("\n").splitlines()
    if all(len(row) % 2 == 1 and set(row[1::2]) <= {" "} for row in rows):
        rows = [row[::2] for row in rows]
    if len(rows) < 2 or len(rows[0]) < 2 or any(len(row) != len(rows[0]) for row in rows):
        return None
    files, ranks, names = rows[-1][1:], [row[0] for row in rows[:-1]], []
    if "abcdefghi".startswith(files) and all(rank.isdigit() for rank in ranks):
        # The last row and the first column are labels.
        rows = [row[1:] for row in rows[:-1]]
        names = [file + rank for rank in ranks for file in files]
    return {"columns": len(rows[0]), "letters": "".join(rows).replace(".", " "), "names": names}


def can_resample(game):
    """Returns true if the game can guess what a player does not know, in each position of a random game."""
    if is_simultaneous(game) or game.get_type().short_name in USELESS_GUESSES:
        return False
    generator, state = random.Random(1), game.new_initial_state()
    try:
        while not state.is_terminal() and state.move_number() < 1000:
            if state.is_chance_node():
                outcomes, probabilities = zip(*state.chance_outcomes())
                state.apply_action(generator.choices(outcomes, probabilities)[0])
            else:
                seat = state.current_player()
                guess = state.resample_from_infostate(seat, generator.random)
                if what_is_seen(game, guess, seat) != what_is_seen(game, state, seat):
                    return False
                state.apply_action(generator.choice(state.legal_actions()))
    except pyspiel.SpielError:
        return False
    return True


class SpielReferee(Referee):
    """A referee that loads its game when turnwise asks for the description, so that an error reaches the user."""

    def __init__(self, name):
        super().__init__(SpielGame, name)
        self.game_name = name

    def describe(self, params):
        game = load(self.game_name)
        about = manifest(game)
        if is_hidden(game):
            kind = Resampling if can_resample(game) else SpielGame
        else:
            kind = Simultaneous if is_simultaneous(game) else SpielGame
        observer = public_observer(game) if is_hidden(game) else None
        rules = type("Rules", (kind,), {"spiel": game, "observer": observer})
        super().__init__(rules, about["name"])
        return dict(super().describe(params), about=about)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: python3 referee.py GAME, or python3 referee.py --list")
    if sys.argv[1] == "--list":
        import qualify
        qualify.print_all()
    else:
        serve(SpielReferee(sys.argv[1]))


if __name__ == "__main__":
    main()
