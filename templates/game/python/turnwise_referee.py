"""Lets turnwise referee a game that is written in Python: the rules are a subclass of `Game`, which `run` serves.

You need not change this file. The referee may print: the text goes to standard error, where turnwise shows it.
"""

import copy
import json
import os
import random
import re
import sys
import traceback

encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


class IllegalMove(Exception):
    """The move breaks a rule, which the message names: "cell 4 is taken"."""


class RefereeError(Exception):
    """The referee cannot continue. turnwise shows the message to the user and blames no player."""


class Game:
    """The rules and the state of one game.

    A subclass defines these methods:

    | method | purpose |
    |---|---|
    | `__init__(settings, seats)` | begins a game; `settings` maps the names in game.toml to values |
    | `turn()` | returns the seat to move, or None if the game is over |
    | `play(move)` | plays a move of that seat, or raises `IllegalMove` before it changes anything |
    | `scores()` | returns a score for each seat after the end |

    and these if it can; turnwise offers what they make possible:

    | method | purpose |
    |---|---|
    | `moves()` | returns the legal moves as texts; required for random agents and tree search |
    | `view(seat)` | returns what a user interface shows to this seat, or to all if the seat is None |
    | `position()` | returns the position as a text |
    | `from_position(settings, seats, position)` | class method: begins a game at the position |
    | `values()` | returns the immediate value of each legal move, as a dict |
    | `draw(values)` | settles what chance decides; may return a text for each value that says what it decided |
    | `resample(seat, random)` | replaces what the seat does not know by a guess that agrees with what it has seen |
    | `out(seat)` | removes a seat whose program failed; the others continue |

    `play` may return the move in the form for the log. The game must not use randomness except in `resample`.
    """

    def draws(self):
        """Returns the number of random values that the game needs now."""
        return 0

    def ending(self):
        """Returns how the game ended, as in "three in a row", or None."""
        return None

    def observation(self, seat):
        """Returns what this seat's program sees, as an object that JSON can express."""
        return None

    def lines(self, seat):
        """Returns the lines that ask this seat's program for a move."""
        question = {"type": "move", "seat": seat}
        if hasattr(self, "moves"):
            question["moves"] = self.moves()
        question["state"] = self.observation(seat)
        return [encode(question)]

    def greetings(self, seat, start):
        """Returns the lines that begin the game for this seat's program; `start` has the members of the first line."""
        return [encode(start)]


def choose(value, items):
    """Returns the item that a random value selects."""
    return items[value * len(items) >> 64]


def shuffle(values, items):
    """Returns the items in random order. One random value is needed for each item."""
    items = list(items)
    for index, value in enumerate(values):
        other = index + (value * (len(items) - index) >> 64)
        items[index], items[other] = items[other], items[index]
    return items


class Session:
    """A game in progress, with what is needed to play it once more."""

    def __init__(self, start, game):
        self.start = start
        self.game = game
        self.events = []
        self.is_greeted = False


# Each ability, and the method that a game needs for it.
ABILITIES = {"moves": "moves", "view": "view", "views": "view", "position": "from_position", "values": "values",
             "rollout": "moves", "resample": "resample", "out": "out"}


class RpcError(Exception):
    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


class Referee:
    """Answers requests. Each method with the name of a request takes its parameters and returns the result."""

    def __init__(self, game, name):
        self.new_game = game
        self.name = name
        self.sessions = {}
        self.abilities = [ability for ability, method in ABILITIES.items() if hasattr(game, method)]
        # "resample" is a parameter of "rollout".
        self.requests = ["describe", "start", "draw", "play", "end"]
        self.requests += [ability for ability in self.abilities if ability != "resample"]

    def describe(self, params):
        return {"protocol": 1, "name": self.name, "abilities": self.abilities}

    def start(self, params):
        self.sessions[params["game"]] = session = Session(params, self.begin(params))
        return self.status(session)

    def draw(self, params):
        session = self.session(params)
        drawn = session.game.draw(params["values"])
        session.events.append(("draw", params["values"]))
        status = self.status(session)
        if drawn is not None:
            status["drawn"] = drawn
        return status

    def play(self, params):
        session = self.session(params)
        if params["seat"] != session.game.turn():
            raise RpcError(-32602, "seat %s is not to move" % params["seat"])
        try:
            notation = session.game.play(params["move"])
        except IllegalMove as reason:
            return {"illegal": str(reason)[:500]}
        except RefereeError:
            raise
        except Exception:
            if not hasattr(session.game, "moves"):
                raise
            # Rules that cannot read a text, as in int("x"), must not fail because of a player. They may have changed
            # the game before they failed.
            session.game = self.replay(session)
            if params["move"] in session.game.moves():
                raise
            traceback.print_exc()
            return {"illegal": "the rules cannot read this move"}
        session.events.append(("play", params["move"]))
        status = self.status(session)
        if notation is not None:
            status["notation"] = notation
        return status

    def out(self, params):
        session = self.session(params)
        session.game.out(params["seat"])
        session.events.append(("out", params["seat"]))
        return self.status(session)

    def end(self, params):
        self.sessions.pop(params["game"], None)
        return {}

    def moves(self, params):
        return {"moves": self.session(params).game.moves()}

    def view(self, params):
        return self.session(params).game.view(params["seat"])

    def views(self, params):
        """Plays the game once more, so that games of which nobody wants the views do not pay for them."""
        session = self.session(params)
        game = self.begin(session.start)
        views = [None if game.draws() else game.view(None)]
        for name, argument in session.events:
            getattr(game, name)(argument)
            if name != "draw":
                views.append(None)
            if not game.draws():
                views[-1] = game.view(None)
        return {"views": views}

    def position(self, params):
        return {"position": self.session(params).game.position()}

    def values(self, params):
        values = self.session(params).game.values()
        return {"moves": list(values), "values": list(values.values())}

    def rollout(self, params):
        generator = random.Random(params["seed"])
        game = copy.deepcopy(self.session(params).game)
        if params.get("resample") is not None:
            game.resample(params["resample"], generator)
        played, path = 0, []
        self.settle(game, generator)
        for move in params["moves"]:
            try:
                if game.turn() is None:
                    break
                game.play(move)
            except IllegalMove:
                break
            played += 1
            self.settle(game, generator)
        seat = game.turn()
        moves = [] if seat is None else game.moves()
        while game.turn() is not None:
            path.append(generator.choice(game.moves()))
            game.play(path[-1])
            self.settle(game, generator)
        return {"played": played, "seat": seat, "moves": moves, "path": path, "scores": game.scores()}

    @staticmethod
    def settle(game, generator):
        while game.draws():
            game.draw([generator.getrandbits(64) for _ in range(game.draws())])

    def replay(self, session):
        """Returns the game as it was after its last event."""
        game = self.begin(session.start)
        for name, argument in session.events:
            getattr(game, name)(argument)
        return game

    def begin(self, params):
        if params.get("position") is not None:
            return self.new_game.from_position(params["settings"], params["seats"], params["position"])
        return self.new_game(params["settings"], params["seats"])

    def session(self, params):
        session = self.sessions.get(params["game"])
        if session is None:
            raise RpcError(-32602, "no game %s" % params["game"])
        return session

    def status(self, session):
        game = session.game
        draws = game.draws()
        if draws:
            return {"draws": draws}
        seat = game.turn()
        if seat is None:
            ending = game.ending()
            return {"scores": game.scores()} if ending is None else {"scores": game.scores(), "ending": ending}
        status = {"seat": seat, "lines": game.lines(seat)}
        if not session.is_greeted:
            session.is_greeted = True
            status["greetings"] = self.greetings(session)
        return status

    def greetings(self, session):
        seats, settings = session.start["seats"], session.start["settings"]
        start = {"type": "start", "game": self.name, "seat": None, "seats": seats, "settings": settings}
        return [session.game.greetings(seat, dict(start, seat=seat)) for seat in range(seats)]

    def answer(self, line):
        """Returns the reply to a request, both as bytes without line breaks."""
        reply = {"jsonrpc": "2.0", "id": None}
        try:
            request = parse(line)
            reply["id"], method = request.get("id"), request.get("method")
            if method not in self.requests:
                raise RpcError(-32601, "no method %s" % method)
            return encode(dict(reply, result=getattr(self, method)(request.get("params")))).encode("utf-8", "replace")
        except RpcError as error:
            failure = {"code": error.code, "message": str(error)}
        except RefereeError as error:
            failure = {"code": -32000, "message": str(error)}
        except Exception as error:
            traceback.print_exc()
            failure = {"code": -32000, "message": describe_error(error)}
        return encode(dict(reply, error=failure)).encode("utf-8", "replace")


def parse(line):
    try:
        request = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise RpcError(-32700, "the request is not JSON: %s" % error)
    if not isinstance(request, dict):
        raise RpcError(-32600, "the request is not an object")
    return request


def describe_error(error):
    """Returns the error and the line of this folder's code that caused it."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if os.path.abspath(frame.filename).startswith(os.getcwd())]
    frame = (own or frames)[-1]
    return "%s: %s (%s, line %s)" % (type(error).__name__, error, os.path.basename(frame.filename), frame.lineno)


def name_in_game_toml():
    with open("game.toml", encoding="utf-8") as file:
        return re.search(r'^name *= *"([^"]*)"', file.read(), re.MULTILINE).group(1)


def serve(referee):
    """Answers requests from standard input until it ends."""
    replies, sys.stdout = sys.stdout.buffer, sys.stderr
    for line in sys.stdin.buffer:
        replies.write(referee.answer(line) + b"\n")
        replies.flush()


def run(game):
    """Serves the game, which is a subclass of `Game`, to turnwise."""
    serve(Referee(game, name_in_game_toml()))
