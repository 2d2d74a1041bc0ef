"""Referees a classic game of PettingZoo: turnwise starts this program for `--game pettingzoo:NAME`.

NAME is a game of `python3 referee.py --list`, with the environment's parameters if needed: `go_v5(board_size=9)`.
"""

import ast
import importlib
import importlib.metadata
import re
import sys
import warnings
from pathlib import Path

# In the repository, the library is part of the template for games in Python.
sys.path.append(str(Path(__file__).resolve().parents[2] / "templates/game/python"))
from turnwise_referee import Game, IllegalMove, Referee, RefereeError, serve  # noqa: E402


class ZooGame(Game):
    """A game of PettingZoo. A subclass is a game; its attribute `new_env` creates the environment.

    The state is kept as the seed and the actions, because most environments lose their state when they are copied.
    """

    needs = []
    # False if the game has no chance and needs no seed.
    has_chance = False
    is_hidden = False

    @staticmethod
    def manifest(env):
        """Returns the keys of game.toml in which the game differs from a game that is won or lost."""
        return {"scoring": "win"}

    def __init__(self, settings, seats):
        self.env = self.new_env()
        if seats != len(self.env.possible_agents):
            raise RefereeError("expected %s players, got %s" % (len(self.env.possible_agents), seats))
        self.actions = []
        self.is_begun = False
        if not self.has_chance:
            self.begin(0)

    def __deepcopy__(self, memo):
        clone = type(self)({}, len(self.env.possible_agents))
        if self.is_begun:
            clone.begin(self.seed)
        for action in self.actions:
            clone.step(action)
        return clone

    def begin(self, seed):
        self.seed = seed
        self.env.reset(seed=seed)
        self.totals = dict.fromkeys(self.env.possible_agents, 0)
        self.is_begun = True

    def draws(self):
        return 0 if self.is_begun else 1

    def draw(self, values):
        # The generators of numpy accept seeds of 32 bits.
        self.begin(values[0] >> 32)

    def step(self, action):
        self.env.step(action)
        self.actions.append(action)
        for agent, reward in self.env.rewards.items():
            self.totals[agent] += reward

    def turn(self):
        agent = self.env.agent_selection
        is_over = not self.env.agents or self.env.terminations[agent] or self.env.truncations[agent]
        return None if is_over else self.env.possible_agents.index(agent)

    def legal_actions(self):
        agent = self.env.agent_selection
        observation = self.env.observe(agent)
        if not isinstance(observation, dict):
            return range(self.env.action_space(agent).n)
        return [action for action, is_legal in enumerate(observation["action_mask"]) if is_legal]

    def action_name(self, action):
        """Returns the name of an action of the agent to move."""
        return str(action)

    def moves(self):
        return [self.action_name(action) for action in self.legal_actions()]

    def play(self, move):
        for action in self.legal_actions():
            if self.action_name(action) == move:
                self.step(action)
                return
        raise IllegalMove("expected one of the legal moves, such as %s" % self.moves()[0])

    def scores(self):
        scores = [float(score) for score in self.totals.values()]
        return [(score + 1) / 2 for score in scores] if self.manifest(self.env)["scoring"] == "win" else scores

    def observation(self, seat):
        """Returns PettingZoo's observation, as lists of numbers."""
        observation = self.env.observe(self.env.possible_agents[seat])
        return (observation["observation"] * 1 if isinstance(observation, dict) else observation).tolist()

    def board(self):
        """Returns the rows of the board, with a blank for each empty cell, or None."""
        return None

    def cell(self, action):
        """Returns the cell of the board to which an action goes, or None."""
        return None

    def facts(self, seat):
        """Returns the names and values that a seat, or everybody if the seat is None, sees beside the board."""
        return {}

    def view(self, seat):
        turn = self.turn() if self.is_begun else None
        view = {"caption": "The game is over." if turn is None else "Player %s is to move." % (turn + 1)}
        if self.board():
            view["grid"] = {"columns": len(self.board()[0]), "letters": "".join(self.board())}
        view["facts"] = [{"name": name, "value": str(value)} for name, value in self.facts(seat).items()]
        if turn is not None and seat == turn:
            view["choices"] = [self.choice(action) for action in self.legal_actions()]
        return view

    def choice(self, action):
        name, cell = self.action_name(action), self.cell(action)
        return {"notation": name, "words": name, **({} if cell is None else {"to": cell})}


class TicTacToe(ZooGame):
    title = "Tic-Tac-Toe"

    def board(self):
        # The cells are numbered column by column.
        letters = [" XO"[piece] for piece in self.env.board.squares]
        return ["".join(letters[row::3]) for row in range(3)]

    def cell(self, action):
        return action % 3 * 3 + action // 3


class ConnectFour(ZooGame):
    title = "Connect Four"

    def board(self):
        letters = "".join(" XO"[piece] for piece in self.env.board)
        return [letters[start:start + 7] for start in range(0, 42, 7)]

    def cell(self, action):
        return max(cell for cell in range(action, 42, 7) if self.env.board[cell] == 0)


class Chess(ZooGame):
    title = "Chess"
    needs = ["chess"]

    def board(self):
        return str(self.env.board).replace(" ", "").replace(".", " ").splitlines()

    def action_name(self, action):
        from pettingzoo.classic.chess.chess_utils import action_to_move
        return action_to_move(self.env.board, action, self.turn()).uci()


class Go(ZooGame):
    title = "Go"

    def board(self):
        return ["".join(" XO"[piece] for piece in row) for row in self.env._go.board]

    def action_name(self, action):
        size = len(self.env._go.board)
        if action == size * size:
            return "pass"
        return "%s%s" % ("ABCDEFGHJKLMNOPQRST"[action % size], size - action // size)

    def cell(self, action):
        return action if action < len(self.env._go.board) ** 2 else None


class RockPaperScissors(ZooGame):
    title = "Rock, Paper, Scissors"
    # The second player does not know the first player's move.
    is_hidden = True

    @staticmethod
    def manifest(env):
        rounds = env.max_cycles
        return {"scoring": "points", "points": [-rounds, rounds], "longest": 2 * rounds, "simultaneous": True}

    def resample(self, seat, generator):
        if seat == 1 and len(self.actions) % 2 == 1:
            actions = [*self.actions[:-1], generator.choice(self.legal_actions())]
            self.actions = []
            self.begin(0)
            for action in actions:
                self.step(action)

    def action_name(self, action):
        return self.env._moves[action].lower()

    def facts(self, seat):
        rounds = list(zip(self.actions[::2], self.actions[1::2]))
        last = ", ".join(map(self.action_name, rounds[-1])) if rounds else "none"
        return {"rounds": len(rounds), "last moves": last}


class Cards(ZooGame):
    """A game of cards, which PettingZoo takes from RLCard."""

    needs = ["rlcard"]
    has_chance = True
    is_hidden = True
    # The most that a player can lose.
    stake = 0

    @classmethod
    def manifest(cls, env):
        return {"scoring": "points", "points": [-cls.stake, cls.stake * (len(env.possible_agents) - 1)]}

    def action_name(self, action):
        return self.env.env.actions[action]

    def facts(self, seat):
        if not self.is_begun:
            return {}
        state = self.env.env.get_state(seat or 0)["raw_obs"]
        public = ["public_card", "public_cards", "all_chips"] + (["hand"] if seat is not None else [])
        return {name.replace("_", " "): as_text(state[name]) for name in public if name in state}


class Leduc(Cards):
    title = "Leduc Hold'em"
    stake = 7


class Limit(Cards):
    title = "Limit Texas Hold'em"
    stake = 25


class NoLimit(Cards):
    title = "No-limit Texas Hold'em"
    stake = 100

    def action_name(self, action):
        return self.env.env.actions(action).name.lower()


GAMES = {
    "tictactoe_v3": TicTacToe,
    "connect_four_v3": ConnectFour,
    "chess_v6": Chess,
    "go_v5": Go,
    "rps_v2": RockPaperScissors,
    "leduc_holdem_v4": Leduc,
    "texas_holdem_v4": Limit,
    "texas_holdem_no_limit_v6": NoLimit,
}
# The other classic games, with the reason why this adapter does not have them.
OTHERS = {"hanabi_v5": "use OpenSpiel's hanabi, which PettingZoo wraps"}


def as_text(value):
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def load(name):
    """Returns the class of a game. Raises `RefereeError` with the reason if it cannot be played."""
    match = re.fullmatch(r"(\w+)(?:\((.*)\))?", name)
    short_name, parameters = match.groups() if match else (name, None)
    if short_name not in GAMES:
        raise RefereeError(OTHERS.get(short_name, "expected one of %s, got %s" % (", ".join(GAMES), short_name)))
    rules = GAMES[short_name]
    try:
        pairs = [pair.split("=") for pair in (parameters or "").split(",") if pair]
        parameters = {key.strip(): ast.literal_eval(value.strip()) for key, value in pairs}
    except (ValueError, SyntaxError):
        raise RefereeError("expected parameters such as (board_size=9), got (%s)" % parameters)
    # Some environments warn about the bounds of their spaces.
    warnings.filterwarnings("ignore")
    try:
        module = importlib.import_module("pettingzoo.classic." + short_name)
    except ImportError as error:
        packages = " ".join(["pettingzoo", "pygame", *rules.needs])
        raise RefereeError("%s is not installed: pip install %s" % (error.name, packages))

    def new_env():
        return module.env(**parameters).unwrapped

    try:
        new_env()
    except (TypeError, AssertionError) as error:
        raise RefereeError("PettingZoo cannot create %s: %s" % (name, error))
    return type(short_name, (rules,), {"new_env": staticmethod(new_env)})


def manifest(name, rules):
    """Returns the keys of game.toml for a game."""
    env = rules.new_env()
    about = {
        "name": re.sub("[^a-z0-9_-]+", "_", name.lower()).strip("_")[:40],
        "title": rules.title,
        "version": importlib.metadata.version("pettingzoo"),
        "summary": "%s, a game of PettingZoo" % rules.title,
        "seats": len(env.possible_agents),
        "hidden": rules.is_hidden,
    }
    return {**about, **rules.manifest(env)}


class ZooReferee(Referee):
    """A referee that loads its game when turnwise asks for the description, so that an error reaches the user."""

    def __init__(self, name):
        super().__init__(ZooGame, name)
        self.game_name = name

    def describe(self, params):
        rules = load(self.game_name)
        about = manifest(self.game_name, rules)
        super().__init__(rules, about["name"])
        return dict(super().describe(params), about=about)


def print_all():
    for name in [*GAMES, *OTHERS]:
        try:
            load(name)
            print("%-26s yes" % name)
        except RefereeError as reason:
            print("%-26s %s" % (name, reason))


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: python3 referee.py GAME, or python3 referee.py --list")
    if sys.argv[1] == "--list":
        print_all()
    else:
        serve(ZooReferee(sys.argv[1]))


if __name__ == "__main__":
    main()
