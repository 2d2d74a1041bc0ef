#!/usr/bin/env python3
"""A stand-in for the Python tournament server of the game Entropy.

The tournament is run by a Python 2 server that players neither choose nor
change. This script speaks the same wire protocol and enforces the same rules,
leniencies and penalties included, so that a player can be tried against the
conditions it will meet without that server at hand. It runs under Python 3
and Python 2.7 with the standard library alone.

    python3 scripts/tournament_server.py PORT MAX_CLIENTS            (prompt)
    python3 scripts/tournament_server.py 0 2 --wars 3 --port-file F  (script)

What a client sees:

* It connects and speaks first: its bare name, read by a single recv.
* The server sends JSON objects with nothing between them. `reset` starts a
  game, `update_only` informs, `update` wants exactly one reply, `kill` says
  goodbye.
* Each reply is one recv of 1024 bytes and one json.loads. Nothing is ever
  drained or put together from pieces, so a byte too many or too early spoils
  the turn that reads it.

What is deliberately different from the real server:

* A client that leaves ends the program with a message and exit status 1.
* A client that stays silent for PATIENCE seconds beyond its limit is given
  up, where the real server would wait for ever.
* Squares outside the board are always illegal.
* Each game is printed with its own board and timers; the published sample of
  the real output shows those of the last game under both.
"""

from __future__ import print_function, unicode_literals

import argparse
import json
import os
import random
import socket
import sys
import time

ORDER = "ORDER"
CHAOS = "CHAOS"

# What Order scores when the given role ends the game by a fault.
FAULT_SCORES = {ORDER: 0, CHAOS: 100}

NAME_BYTES = 100
REPLY_BYTES = 1024

# Seconds a silent client is waited for beyond the limit it was set.
PATIENCE = 10.0

LARGEST_SIZE = 26

TEXT = type("")

now = getattr(time, "monotonic", time.time)


class Fault(Exception):
    """The player whose turn it is broke the protocol or the rules."""


class ClientLeft(Exception):
    """A client is of no more use.

    name: the name of the client
    manner: what it did, mostly "left"
    """

    def __init__(self, name, manner="left"):
        super(ClientLeft, self).__init__(name, manner)
        self.name = name
        self.manner = manner


# ---------------------------------------------------------------------------
# Terminal


def say(line="", end="\n"):
    """Write a line to standard output at once, always in UTF-8."""
    stream = getattr(sys.stdout, "buffer", sys.stdout)
    stream.write((line + end).encode("utf-8"))
    stream.flush()


def complain(line):
    """Write a line to standard error at once, always in UTF-8."""
    stream = getattr(sys.stderr, "buffer", sys.stderr)
    stream.write((line + "\n").encode("utf-8"))
    stream.flush()


def read_line():
    """Return the next line of standard input as text, or None at its end."""
    line = getattr(sys.stdin, "buffer", sys.stdin).readline()
    if not line:
        return None
    return line.decode("utf-8", "replace").strip()


# ---------------------------------------------------------------------------
# Rules


def empty_board(size):
    """Return a square board, a list of rows, on which every square is None."""
    return [[None] * size for _ in range(size)]


def shuffled_tiles(size, generator):
    """Return the tiles of one game, `size` of each colour, in random order.

    The shuffle is spelled out because random.shuffle differs between Python 2
    and 3: one seed deals the same tiles under both.
    """
    tiles = [chr(ord("A") + colour) for colour in range(size)] * size
    for last in range(len(tiles) - 1, 0, -1):
        chosen = int(generator.random() * (last + 1))
        tiles[last], tiles[chosen] = tiles[chosen], tiles[last]
    return tiles


def line_score(tiles):
    """Return the summed lengths of all palindromes of two tiles or more.

    An empty square is part of no palindrome.
    """
    total = 0
    for start in range(len(tiles)):
        for end in range(start + 2, len(tiles) + 1):
            piece = tiles[start:end]
            if None not in piece and piece == piece[::-1]:
                total += len(piece)
    return total


def board_score(board):
    """Return the score of a board: that of all its rows and columns."""
    columns = [list(column) for column in zip(*board)]
    return sum(line_score(line) for line in board + columns)


def on_board(board, row, column):
    """Tell whether the board has such a square."""
    return 0 <= row < len(board) and 0 <= column < len(board)


def place_tile(board, row, column, tile):
    """Carry out Chaos's move on the board, or raise Fault and leave it be."""
    if not on_board(board, row, column):
        raise Fault("illegal: %d %d is not on the board" % (row, column))
    if board[row][column] is not None:
        raise Fault("illegal: %d %d is occupied" % (row, column))
    board[row][column] = tile


def path_looks_free(board, from_row, from_column, to_row, to_column):
    """Tell whether the server finds nothing between two squares in a line.

    Only paths to the right and downwards are looked at: to the left and
    upwards any tile may be jumped. Neither end is part of the path.
    """
    to_the_right = [board[from_row][column]
                    for column in range(from_column + 1, to_column)]
    downwards = [board[row][from_column]
                 for row in range(from_row + 1, to_row)]
    return all(tile is None for tile in to_the_right + downwards)


def check_order_move(board, from_row, from_column, to_row, to_column):
    """Raise Fault if the server refuses Order's move.

    The check is as lax as the real one: equal squares are a pass, occupied or
    not; the destination is never looked at, so its tile may be overwritten;
    for the path see path_looks_free.
    """
    source, destination = (from_row, from_column), (to_row, to_column)
    for square in (source, destination):
        if not on_board(board, *square):
            raise Fault("illegal: %d %d is not on the board" % square)
    if source == destination:
        return
    if board[from_row][from_column] is None:
        raise Fault("illegal: %d %d is empty" % source)
    if from_row != to_row and from_column != to_column:
        raise Fault("illegal: %d %d to %d %d is not a straight line"
                    % (source + destination))
    if not path_looks_free(board, from_row, from_column, to_row, to_column):
        raise Fault("illegal: the path from %d %d to %d %d is blocked"
                    % (source + destination))


def move_tile(board, from_row, from_column, to_row, to_column):
    """Carry out Order's move on the board, or raise Fault and leave it be."""
    check_order_move(board, from_row, from_column, to_row, to_column)
    tile = board[from_row][from_column]
    board[from_row][from_column] = None
    board[to_row][to_column] = tile


def parse_integers(line, count):
    """Return the `count` integers a move consists of, or raise Fault."""
    words = line.split()
    if len(words) != count or "_" in line:
        raise Fault("unparsable: %d numbers wanted, not %s"
                    % (count, json.dumps(line)))
    try:
        return [int(word) for word in words]
    except ValueError:
        raise Fault("unparsable: not numbers: %s" % json.dumps(line))


# ---------------------------------------------------------------------------
# Players


def parse_reply(data):
    """Return the move line in the bytes of one reply, or raise Fault."""
    try:
        reply = json.loads(data.decode("utf-8"))
    except (ValueError, RuntimeError):  # RuntimeError: nested too deeply
        raise Fault("unparsable: not one JSON object: %r" % data[:80])
    if not isinstance(reply, dict) or "status" not in reply:
        raise Fault("unparsable: no status in %r" % data[:80])
    if not reply["status"]:
        raise Fault("conceded: %s" % json.dumps(reply.get("comment")))
    if not isinstance(reply.get("payload"), TEXT):
        raise Fault("unparsable: no payload in %r" % data[:80])
    return reply["payload"]


class RemotePlayer(object):
    """A client at the other end of a connection.

    Every method that talks to the client raises ClientLeft once it is gone.
    """

    def __init__(self, connection, address, name):
        self.connection = connection
        self.address = address
        self.name = name

    def reset(self):
        """Announce a new game."""
        self.send({"purpose": "reset"})

    def tell(self, payload):
        """Inform the client; no reply is wanted."""
        self.send({"purpose": "update_only", "payload": payload})

    def ask(self, payload, seconds):
        """Return the client's move line, or raise Fault.

        `seconds` is the longest to wait for the reply. What has arrived by
        the first and only recv is the reply, whenever it was sent.
        """
        self.send({"purpose": "update", "payload": payload})
        return parse_reply(self.receive(seconds))

    def watch(self, board):
        """Take no notice of the board: clients keep track themselves."""

    def dismiss(self):
        """Tell the client that all is over, if it is still there."""
        try:
            self.send({"purpose": "kill"})
        except ClientLeft:
            pass

    def close(self):
        """Close the connection."""
        self.connection.close()

    def send(self, message):
        """Send one message of the envelope, with no delimiter after it."""
        self.connection.settimeout(PATIENCE)
        try:
            self.connection.sendall(json.dumps(message).encode("utf-8"))
        except socket.error:
            raise ClientLeft(self.name)

    def receive(self, seconds):
        """Return the bytes of one recv, or raise Fault after `seconds`."""
        self.connection.settimeout(seconds)
        try:
            data = self.connection.recv(REPLY_BYTES)
        except socket.timeout:
            raise Fault("late: no reply at all")
        except socket.error:
            raise ClientLeft(self.name)
        if not data:
            raise ClientLeft(self.name)
        return data


class HumanPlayer(object):
    """A person at the terminal, with the interface of a RemotePlayer."""

    name = "human"

    def reset(self):
        """Announce a new game."""
        say("A new game begins.")

    def tell(self, payload):
        """Show a message that wants no answer."""
        say(payload, end="")

    def ask(self, payload, seconds):
        """Return the line typed; at the end of input the human concedes.

        The terminal is not interrupted after `seconds`: the clock is looked
        at when the line is complete.
        """
        say(payload, end="")
        say("Your move: ", end="")
        line = read_line()
        if line is None:
            raise Fault("conceded: end of input")
        return line

    def watch(self, board):
        """Show the board."""
        say(board_text(board))


# ---------------------------------------------------------------------------
# Games and wars


class Game(object):
    """One game between two players and, once played, its outcome.

    score: what Order scored, by the board or by a fault
    fault: (role, reason) if a fault ended the game, else None
    board: the final board
    remaining: the seconds left on each role's clock, below zero when late
    """

    def __init__(self, order, chaos, options):
        self.players = {ORDER: order, CHAOS: chaos}
        self.board = empty_board(options.size)
        self.remaining = {ORDER: options.clock, CHAOS: options.clock}
        self.pause = options.pause
        self.tiles = shuffled_tiles(options.size, options.generator)
        self.mover = CHAOS
        self.fault = None
        self.score = None

    def play(self):
        """Play the game to its end; only ClientLeft is let through."""
        try:
            self.play_turns()
            self.score = board_score(self.board)
        except Fault as fault:
            self.fault = (self.mover, TEXT(fault))
            self.score = FAULT_SCORES[self.mover]

    def play_turns(self):
        """Greet both players, then let them move until the tiles run out."""
        self.greet()
        news = "%d\n%s\n" % (len(self.board), CHAOS)
        for tile in self.tiles[:-1]:
            placement = self.chaos_turn(news, tile)
            news = self.order_turn(placement)
        placement = self.chaos_turn(news, self.tiles[-1])
        self.players[ORDER].tell(placement)

    def greet(self):
        """Reset both players, pause, and tell Order its role.

        All of it counts on Chaos's clock. Chaos learns its role along with
        its first tile.
        """
        started = now()
        self.players[ORDER].reset()
        self.players[CHAOS].reset()
        time.sleep(self.pause)
        self.players[ORDER].tell("%d\n%s\n" % (len(self.board), ORDER))
        self.remaining[CHAOS] -= now() - started

    def chaos_turn(self, news, tile):
        """Have Chaos place the tile; return the news of it for Order."""
        line = self.ask(CHAOS, "%s%s\n" % (news, tile))
        row, column = parse_integers(line, 2)
        place_tile(self.board, row, column, tile)
        return "%d %d %s\n" % (row, column, tile)

    def order_turn(self, news):
        """Have Order move; return the news of it for Chaos."""
        squares = parse_integers(self.ask(ORDER, news), 4)
        move_tile(self.board, *squares)
        return "%d %d %d %d\n" % tuple(squares)

    def ask(self, role, payload):
        """Return the reply of the player in the role, on that role's clock.

        Raise Fault if the reply is none or if it came late.
        """
        self.mover = role
        player = self.players[role]
        player.watch(self.board)
        started = now()
        try:
            limit = max(0.0, self.remaining[role]) + PATIENCE
            line = player.ask(payload, limit)
        finally:
            self.remaining[role] -= now() - started
        if self.remaining[role] < 0:
            raise Fault("late: by %.3f s" % -self.remaining[role])
        return line


class War(object):
    """Two games between two players with the roles swapped."""

    def __init__(self, first, second, options):
        self.players = [first, second]
        self.games = []
        self.options = options

    def play(self):
        """Play both games, `first` being Order in the first of them."""
        first, second = self.players
        for order, chaos in ((first, second), (second, first)):
            game = Game(order, chaos, self.options)
            game.play()
            self.games.append(game)

    def scores(self):
        """Return what each player scored as Order."""
        return [game.score for game in self.games]

    def winner(self):
        """Return the index of the player that scored higher, None if none."""
        first, second = self.scores()
        if first == second:
            return None
        return 0 if first > second else 1


# ---------------------------------------------------------------------------
# Reports


def board_text(board):
    """Return the board in several lines, an empty square as a dot."""
    header = "  %s (cols)" % " ".join("%d" % index
                                      for index in range(len(board)))
    rows = ["%d  %s" % (index, " ".join(tile or "." for tile in row))
            for index, row in enumerate(board)]
    return "\n".join([header] + rows)


def report_game(game):
    """Print the outcome of one game."""
    say("%s as ORDER: %d" % (game.players[ORDER].name, game.score))
    if game.fault:
        role, reason = game.fault
        say("Fault of %s as %s: %s" % (game.players[role].name, role, reason))
    say("Timers ORDER: %.3f, CHAOS: %.3f"
        % (game.remaining[ORDER], game.remaining[CHAOS]))
    say(board_text(game.board))
    say()


def report_war(war, quiet):
    """Print the outcome of a war: all of it, or just the scores if quiet."""
    if not quiet:
        winner = war.winner()
        if winner is None:
            say("      DRAW")
        else:
            say("      BOT: %s WINS" % war.players[winner].name)
        for game in war.games:
            report_game(game)
    say("[%s]" % ", ".join("%d" % score for score in war.scores()))


def labels(players):
    """Return a label for each player: its name, or if another has the same
    name, that and its index.
    """
    names = [player.name for player in players]
    return [name if names.count(name) == 1 else "%s (%d)" % (name, index)
            for index, name in enumerate(names)]


def faults_of(war_number, war, bots):
    """Return a description of each fault in the war, for the result line."""
    faults = []
    for game_number, game in enumerate(war.games):
        if game.fault:
            role, reason = game.fault
            culprit = war.players.index(game.players[role])
            faults.append({"war": war_number, "game": game_number,
                           "bot": bots[culprit], "role": role,
                           "reason": reason})
    return faults


def timers_of(war):
    """Return the seconds left in each game of the war, for the result line."""
    return [{role: round(seconds, 3)
             for role, seconds in game.remaining.items()}
            for game in war.games]


def summary(players, wars, left):
    """Return what the result line says about the wars played to their end.

    bots: the labels of the two players
    wars: how many wars were played
    wins: by label, how many wars that bot won
    scores: for each war, what each of the two scored as Order
    faults: war and game (from 0), bot, role and reason of each
    timers: for each war and game, the seconds left by role
    left: the name of the client whose leaving ended it all, or null
    """
    bots = labels(players[:2])
    winners = [war.winner() for war in wars]
    return {
        "bots": bots,
        "wars": len(wars),
        "wins": {bot: winners.count(index) for index, bot in enumerate(bots)},
        "scores": [war.scores() for war in wars],
        "faults": [fault for number, war in enumerate(wars)
                   for fault in faults_of(number, war, bots)],
        "timers": [timers_of(war) for war in wars],
        "left": left,
    }


# ---------------------------------------------------------------------------
# Running wars


def report_departure(departure):
    """Say on standard error who left and in what manner."""
    complain("%s %s: the server ends here"
             % (departure.name, departure.manner))


def report_faults(faults):
    """Say on standard error which games of a result were ended by a fault."""
    for fault in faults:
        complain("fault in war %(war)d, game %(game)d: "
                 "%(bot)s as %(role)s: %(reason)s" % fault)


def run_wars(players, options):
    """Play the wars asked for on the command line; return the exit status.

    The clients are dismissed unless one left: then the others, as with the
    real server, see nothing but the end of their connection.
    """
    if len(players) < 2:
        complain("a war takes two clients, but %d joined" % len(players))
        dismiss(players)
        return 1
    wars, left = [], None
    try:
        for _ in range(options.wars):
            war = War(players[0], players[1], options)
            war.play()
            wars.append(war)
            report_war(war, options.quiet)
        dismiss(players)
    except ClientLeft as departure:
        report_departure(departure)
        left = departure.name
    result = summary(players, wars, left)
    report_faults(result["faults"])
    say("RESULT %s" % json.dumps(result, sort_keys=True))
    return 1 if left is not None or result["faults"] else 0


def dismiss(players):
    """Send every client home."""
    for player in players:
        player.dismiss()


def show_prompt(players):
    """Print the bots connected and what may be typed."""
    say("-----Tournament Manager-----")
    say("Bots connected:")
    for index, player in enumerate(players):
        say("%d. %s ('%s', %d)" % ((index, player.name) + player.address))
    say('command examples: "1 v 2", "1 v 2 v 4" (league - N.Y.S),')
    say('                  use "h" as an index for human e.g "0 v h"')
    say('                  q for quitting (close clients first)')
    say("At your command: ", end="")


def pick_player(word, players):
    """Return the player a word of a command stands for, or None."""
    if word == "h":
        return HumanPlayer()
    if word in ["%d" % index for index in range(len(players))]:
        return players[int(word)]
    return None


def obey(command, players, options):
    """Play the war a command asks for, or say why that cannot be done."""
    words = [word.strip() for word in command.split("v")]
    chosen = [pick_player(word, players) for word in words]
    if None in chosen or len(chosen) < 2:
        say("not understood: %s" % command)
    elif len(chosen) > 2:
        say("leagues are not supported")
    elif chosen[0] is chosen[1]:
        say("a bot cannot play against itself")
    else:
        war = War(chosen[0], chosen[1], options)
        war.play()
        report_war(war, options.quiet)


def run_prompt(players, options):
    """Obey the operator until `q` or the end of input; return the status."""
    while True:
        show_prompt(players)
        command = read_line()
        if command is None or command == "q":
            dismiss(players)
            return 0
        if command:
            obey(command, players, options)


# ---------------------------------------------------------------------------
# Joining


def open_listener(port):
    """Return a socket listening on the port, on a free one for port 0."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((str(""), port))
        listener.listen(5)
    except socket.error:
        listener.close()
        raise
    return listener


def write_atomically(path, content):
    """Put the text in the file such that no reader ever sees a part of it."""
    unfinished = "%s.%d.unfinished" % (path, os.getpid())
    with open(unfinished, "wb") as stream:
        stream.write(content.encode("utf-8"))
    getattr(os, "replace", os.rename)(unfinished, path)


def announce(listener, port_file):
    """Make known which port is listened on."""
    port = listener.getsockname()[1]
    say("listening on %d" % port)
    if port_file:
        write_atomically(port_file, "%d\n" % port)


def join(connection, address, seconds):
    """Return the player at a new connection once it has given its name.

    Nobody else is served meanwhile. Raise ClientLeft if it leaves instead or
    says nothing for that many seconds.
    """
    visitor = "a client without a name at %s:%d" % address
    name = b""
    connection.settimeout(seconds)
    try:
        name = connection.recv(NAME_BYTES)
    except socket.timeout:
        raise ClientLeft(visitor, "stayed silent")
    except socket.error:
        pass
    finally:
        if not name:
            connection.close()
    if not name:
        raise ClientLeft(visitor)
    return RemotePlayer(connection, address, name.decode("utf-8", "replace"))


def accept_players(listener, options, players):
    """Add clients to `players`, one by one, until full or time is up."""
    deadline = now() + options.accept_seconds
    while len(players) < options.max_clients and now() < deadline:
        listener.settimeout(max(0.001, deadline - now()))
        try:
            connection, address = listener.accept()
        except socket.timeout:
            return
        patience = max(0.0, deadline - now()) + PATIENCE
        players.append(join(connection, address, patience))
        if not options.quiet:
            say("%s joined" % players[-1].name)


# ---------------------------------------------------------------------------
# Command line


def whole_number(lowest, highest=None):
    """Return a parser of the integers from `lowest` to `highest`."""
    def parse(word):
        number = int(word)
        if number < lowest or (highest is not None and number > highest):
            raise ValueError(word)
        return number
    parse.__name__ = str("number")
    return parse


def seconds(word):
    """Parse a finite number of seconds that is not negative."""
    number = float(word)
    if not 0 <= number < 1e9:
        raise ValueError(word)
    return number


def read_options(arguments):
    """Return the options in the arguments, with the generator they ask for."""
    parser = argparse.ArgumentParser(
        description="A stand-in for the Entropy tournament server.")
    parser.add_argument("port", type=whole_number(0, 65535), metavar="PORT",
                        help="port to listen on, 0 for any free one")
    parser.add_argument("max_clients", type=whole_number(1),
                        metavar="MAX_CLIENTS",
                        help="how many clients to let join")
    parser.add_argument("--size", type=whole_number(1, LARGEST_SIZE),
                        default=5, metavar="N",
                        help="side of the board (default 5)")
    parser.add_argument("--wars", type=whole_number(1), metavar="K",
                        help="play K wars `0 v 1` and exit (default prompt)")
    parser.add_argument("--clock", type=seconds, default=60.0,
                        metavar="SECONDS",
                        help="time for each role in a game (default 60)")
    parser.add_argument("--seed", type=int, metavar="S",
                        help="make the tiles repeatable (default unseeded)")
    parser.add_argument("--accept-seconds", type=seconds, default=20.0,
                        metavar="SECONDS",
                        help="how long to let clients join (default 20)")
    parser.add_argument("--port-file", metavar="FILE",
                        help="file to write the port to, once listening")
    parser.add_argument("--pause", type=seconds, default=0.1,
                        metavar="SECONDS",
                        help="time from reset to first payload (default 0.1)")
    parser.add_argument("--quiet", action="store_true",
                        help="of each war print only the scores")
    options = parser.parse_args(arguments)
    options.generator = random.Random(options.seed)
    return options


def serve(listener, options):
    """Let clients join and play; return the exit status."""
    players = []
    try:
        announce(listener, options.port_file)
        accept_players(listener, options, players)
        if options.wars is not None:
            return run_wars(players, options)
        return run_prompt(players, options)
    except ClientLeft as departure:
        report_departure(departure)
        return 1
    finally:
        for player in players:
            player.close()


def main(arguments=None):
    """Run the server as the arguments say; return the exit status."""
    options = read_options(arguments)
    try:
        listener = open_listener(options.port)
    except socket.error as error:
        complain("cannot listen on port %d: %s" % (options.port, error))
        return 1
    try:
        return serve(listener, options)
    except KeyboardInterrupt:
        complain("interrupted")
        return 1
    finally:
        listener.close()


if __name__ == "__main__":
    sys.exit(main())
