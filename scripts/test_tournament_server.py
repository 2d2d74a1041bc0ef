#!/usr/bin/env python3
"""Tests of the stand-in tournament server.

The rules are tested by calling them; everything a client sees is tested by
running the script and playing against it over the loopback interface, each
client a thread of this process.

    python3 scripts/test_tournament_server.py
"""

from __future__ import print_function, unicode_literals

import json
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.dont_write_bytecode = True
SCRIPT_FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, SCRIPT_FOLDER)

import tournament_server as server

LONGEST_RUN = 8.0

SAMPLE_BOARD = ["CCRCY", "BRYGC", "YBBBG", "CRRRG", "YGBGY"]


def board_of(*rows):
    """Return the board with these rows, a dot being an empty square."""
    return [[None if tile == "." else tile for tile in row] for row in rows]


def reply(payload):
    """Return the bytes with which a well-behaved client answers."""
    message = {"payload": payload + "\n", "status": True}
    return json.dumps(message).encode("utf-8")


class Client(threading.Thread):
    """A scripted client: Order passes, Chaos fills the board row by row.

    `answer` may be set to a function of the client and the number of the
    request, counted over the whole connection; it returns the bytes to send,
    None to answer as usual, or b"" to leave.
    """

    def __init__(self, name, answer=None, size=5):
        super(Client, self).__init__()
        self.daemon = True
        self.bot_name = name
        self.answer = answer or (lambda client, request: None)
        self.size = size
        self.messages = []
        self.requests = 0
        self.placements = 0
        self.role = None
        self.error = None

    def connect(self, port):
        """Connect, say the name, and start to play in the background."""
        self.connection = socket.create_connection(("127.0.0.1", port))
        self.connection.settimeout(LONGEST_RUN)
        self.connection.sendall(self.bot_name.encode("utf-8"))
        self.start()

    def run(self):
        """Handle messages until the end of the connection."""
        buffered = ""
        try:
            while True:
                data = self.connection.recv(4096)
                if not data:
                    break
                buffered = self.handle_all(buffered + data.decode("utf-8"))
        except socket.error as error:
            self.error = error
        finally:
            self.connection.close()

    def handle_all(self, buffered):
        """Handle the complete messages in the text; return what remains."""
        while buffered:
            try:
                message, end = json.JSONDecoder().raw_decode(buffered)
            except ValueError:
                break
            buffered = buffered[end:]
            self.messages.append(message)
            self.handle(message)
        return buffered

    def handle(self, message):
        """Note the role, and answer the message if it wants an answer."""
        lines = message.get("payload", "").split("\n")
        if len(lines) > 1 and lines[1] in (server.ORDER, server.CHAOS):
            self.role = lines[1]
            self.placements = 0
        if message["purpose"] == "update":
            chosen = self.answer(self, self.requests)
            self.requests += 1
            if chosen == b"":
                self.connection.shutdown(socket.SHUT_RDWR)
            else:
                self.connection.sendall(chosen or self.usual_answer())

    def usual_answer(self):
        """Return a legal move in the present role."""
        if self.role == server.ORDER:
            return reply("0 0 0 0")
        square = divmod(self.placements, self.size)
        self.placements += 1
        return reply("%d %d" % square)

    def heard(self, purpose):
        """Return the messages of one purpose."""
        return [message for message in self.messages
                if message["purpose"] == purpose]


class Outcome(object):
    """What a finished server left behind: status, output, error, result."""

    def __init__(self, status, output, error):
        self.status = status
        self.output = output.decode("utf-8")
        self.error = error.decode("utf-8")
        last_line = self.output.rstrip("\n").split("\n")[-1]
        self.result = None
        if last_line.startswith("RESULT "):
            self.result = json.loads(last_line[len("RESULT "):])


class ServerCase(unittest.TestCase):
    """Runs the script on a free port and clients against it."""

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def run_server(self, clients, *options, **settings):
        """Return the Outcome of a server that these clients join in order.

        options: further words of the command line
        typed: what is typed at the prompt
        seats: MAX_CLIENTS, if not the number of clients
        """
        port_file = os.path.join(self.folder, "port")
        seats = settings.get("seats", len(clients))
        process = subprocess.Popen(
            [sys.executable, os.path.join(SCRIPT_FOLDER,
                                          "tournament_server.py"),
             "0", "%d" % seats, "--pause", "0", "--port-file", port_file]
            + list(options),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        watchdog = threading.Timer(LONGEST_RUN, process.kill)
        watchdog.start()
        try:
            self.connect_all(clients, port_file)
            output, error = process.communicate(
                settings.get("typed", "").encode("utf-8"))
        finally:
            watchdog.cancel()
        for client in clients:
            client.join(LONGEST_RUN)
        return Outcome(process.returncode, output, error)

    def connect_all(self, clients, port_file):
        """Connect the clients in the order given; use up the port file."""
        deadline = time.time() + LONGEST_RUN
        while not os.path.exists(port_file) and time.time() < deadline:
            time.sleep(0.005)
        with open(port_file) as stream:
            port = int(stream.read())
        os.remove(port_file)
        for client in clients:
            client.connect(port)

    def assert_only_fault(self, outcome, role, reason):
        """Check that a war of Alpha and Beta had one fault, by Beta."""
        self.assertEqual(1, len(outcome.result["faults"]), outcome.result)
        self.assert_first_fault(outcome, role, reason)

    def assert_first_fault(self, outcome, role, reason):
        """Check that the first fault of a war was this one, by Beta.

        More may follow: a reply too many shifts all later ones, across games.
        """
        self.assertEqual(1, outcome.status)
        fault = outcome.result["faults"][0]
        self.assertEqual(("Beta", role), (fault["bot"], fault["role"]))
        self.assertIn(reason, fault["reason"])
        self.assertIn(reason, outcome.error)


class ScoreTest(unittest.TestCase):
    """The score of lines and boards."""

    def test_examples_of_the_assignment(self):
        self.assertEqual(30, server.line_score(list("GGGGG")))
        self.assertEqual(8, server.line_score(list("RGBGR")))
        self.assertEqual(14, server.line_score(list("RGRGR")))

    def test_printed_board(self):
        self.assertEqual(38, server.board_score(board_of(*SAMPLE_BOARD)))

    def test_empty_squares_are_part_of_no_palindrome(self):
        self.assertEqual(0, server.board_score(board_of("A.A", "...", "A.A")))

    def test_board_is_printed_as_in_the_assignment(self):
        self.assertEqual("  0 1 2 3 4 (cols)\n"
                         "0  C C R C Y\n"
                         "1  B R Y G C\n"
                         "2  Y B B B G\n"
                         "3  C R R R G\n"
                         "4  Y G B G Y",
                         server.board_text(board_of(*SAMPLE_BOARD)))


class TileTest(unittest.TestCase):
    """The dealing of tiles."""

    def test_as_many_tiles_of_each_colour_as_the_board_is_wide(self):
        tiles = server.shuffled_tiles(5, random.Random())
        self.assertEqual(list("AAAAABBBBBCCCCCDDDDDEEEEE"), sorted(tiles))

    def test_a_seed_deals_the_same_under_every_python(self):
        generator = random.Random(7)
        self.assertEqual("AACBCABBC",
                         "".join(server.shuffled_tiles(3, generator)))
        self.assertEqual("BBCBCACAA",
                         "".join(server.shuffled_tiles(3, generator)))


class MoveTest(unittest.TestCase):
    """What the server lets Order and Chaos do."""

    def moved(self, rows, *move):
        """Return the rows after Order's move."""
        board = board_of(*rows)
        server.move_tile(board, *move)
        return ["".join(tile or "." for tile in row) for row in board]

    def assert_refused(self, rows, *move):
        """Check that Order's move is a fault and changes nothing."""
        board = board_of(*rows)
        self.assertRaises(server.Fault, server.move_tile, board, *move)
        self.assertEqual(board_of(*rows), board)

    def test_legal_moves(self):
        rows = ["...", ".A.", "..."]
        self.assertEqual(["...", "..A", "..."], self.moved(rows, 1, 1, 1, 2))
        self.assertEqual(["...", "A..", "..."], self.moved(rows, 1, 1, 1, 0))
        self.assertEqual([".A.", "...", "..."], self.moved(rows, 1, 1, 0, 1))
        self.assertEqual(["...", "...", ".A."], self.moved(rows, 1, 1, 2, 1))

    def test_equal_squares_are_a_pass(self):
        self.assertEqual(["A.", ".."], self.moved(["A.", ".."], 0, 0, 0, 0))
        self.assertEqual(["A.", ".."], self.moved(["A.", ".."], 1, 1, 1, 1))

    def test_the_destination_is_never_looked_at(self):
        rows = ["AB.", "C..", "..."]
        self.assertEqual([".A.", "C..", "..."], self.moved(rows, 0, 0, 0, 1))
        self.assertEqual(["B..", "C..", "..."], self.moved(rows, 0, 1, 0, 0))
        self.assertEqual([".B.", "A..", "..."], self.moved(rows, 0, 0, 1, 0))
        self.assertEqual(["CB.", "...", "..."], self.moved(rows, 1, 0, 0, 0))

    def test_the_path_is_looked_at_rightwards_and_downwards_only(self):
        self.assert_refused(["AB.", "...", "..."], 0, 0, 0, 2)
        self.assert_refused(["A..", "B..", "..."], 0, 0, 2, 0)
        self.assertEqual(["AB.", "...", "..."],
                         self.moved([".BA", "...", "..."], 0, 2, 0, 0))
        self.assertEqual(["A..", "B..", "..."],
                         self.moved(["...", "B..", "A.."], 2, 0, 0, 0))

    def test_refused_moves(self):
        self.assert_refused(["A..", "...", "..."], 1, 1, 1, 2)
        self.assert_refused(["A..", "...", "..."], 0, 0, 1, 1)
        self.assert_refused(["A..", "...", "..."], 0, 0, 0, 3)
        self.assert_refused(["A..", "...", "..."], 0, 0, -1, 0)

    def test_chaos_needs_an_empty_square(self):
        board = board_of("A.", "..")
        self.assertRaises(server.Fault, server.place_tile, board, 0, 0, "B")
        self.assertRaises(server.Fault, server.place_tile, board, 0, 2, "B")
        server.place_tile(board, 0, 1, "B")
        self.assertEqual(board_of("AB", ".."), board)


class ReplyTest(unittest.TestCase):
    """What the server makes of the bytes of a reply."""

    def test_good_reply(self):
        self.assertEqual("1 2\n", server.parse_reply(
            b'{"payload":"1 2\\n","status":true}'))

    def test_bad_replies(self):
        for data in (b"", b"1 2\n", b"[]", b"{}", b"\xff", b"[" * 1024,
                     b'{"status":true}', b'{"payload":"1 2\\n"}',
                     b'{"payload":12,"status":true}',
                     b'{"payload":"1 2\\n","status":false}',
                     reply("1 2") + b"x", reply("1 2") + reply("1 2")):
            self.assertRaises(server.Fault, server.parse_reply, data)

    def test_moves_are_whole_numbers(self):
        self.assertEqual([1, 2], server.parse_integers("1 2\n", 2))
        for line in ("", "1", "1 2 3", "1 b", "1 2.0", "1 0_2"):
            self.assertRaises(server.Fault, server.parse_integers, line, 2)

    def test_silence_is_a_fault_and_an_end_is_a_departure(self):
        near, far = socket.socketpair()
        self.addCleanup(near.close)
        player = server.RemotePlayer(near, ("127.0.0.1", 0), "Alpha")
        self.assertRaises(server.Fault, player.receive, 0.05)
        far.close()
        self.assertRaises(server.ClientLeft, player.receive, 1.0)

    def test_a_client_that_never_gives_its_name(self):
        near, far = socket.socketpair()
        self.addCleanup(far.close)
        with self.assertRaises(server.ClientLeft) as caught:
            server.join(near, ("127.0.0.1", 1), 0.05)
        self.assertEqual("stayed silent", caught.exception.manner)


class WarTest(ServerCase):
    """Wars from first connection to last message."""

    def test_a_whole_war(self):
        first, second = Client("Alpha"), Client("Beta")
        outcome = self.run_server([first, second], "--wars", "1")
        self.assertEqual(("", 0), (outcome.error, outcome.status))
        self.assertEqual([None, None], [first.error, second.error])
        self.check_result(outcome)
        self.check_envelope(first)
        self.check_envelope(second)
        self.check_order(first.messages[1:26])
        self.check_chaos(second.messages[1:26])
        self.check_order(second.messages[27:52])
        self.check_chaos(first.messages[28:53])

    def check_result(self, outcome):
        """Check the result line and that it agrees with what is printed."""
        result = outcome.result
        self.assertEqual(["Alpha", "Beta"], result["bots"])
        self.assertEqual((1, [], None),
                         (result["wars"], result["faults"], result["left"]))
        scores = result["scores"][0]
        wins = {"Alpha": int(scores[0] > scores[1]),
                "Beta": int(scores[1] > scores[0])}
        self.assertEqual(wins, result["wins"])
        for timers in result["timers"][0]:
            self.assertTrue(50 < timers["ORDER"] <= 60, timers)
            self.assertTrue(50 < timers["CHAOS"] <= 60, timers)
        self.assertIn("Alpha as ORDER: %d\n" % scores[0], outcome.output)
        self.assertIn("Beta as ORDER: %d\n" % scores[1], outcome.output)
        self.assertIn("[%d, %d]\n" % tuple(scores), outcome.output)
        self.assertIn("  0 1 2 3 4 (cols)\n0  ", outcome.output)

    def check_envelope(self, client):
        """Check that there were two games, and a farewell at the end."""
        purposes = [message["purpose"] for message in client.messages]
        self.assertEqual(2, purposes.count("reset"))
        self.assertEqual("reset", purposes[0])
        self.assertEqual(["kill"], purposes[-1:])
        self.assertEqual(1, purposes.count("kill"))
        self.assertEqual(24 + 25, purposes.count("update"))

    def check_order(self, messages):
        """Check what Order hears between two resets."""
        self.assertEqual({"purpose": "update_only", "payload": "5\nORDER\n"},
                         messages[0])
        for number, message in enumerate(messages[1:]):
            self.assertEqual("update", message["purpose"])
            start = "%d %d " % divmod(number, 5)
            self.assertEqual(start, message["payload"][:-2])
            self.assertIn(message["payload"][-2:],
                          ["A\n", "B\n", "C\n", "D\n", "E\n"])

    def check_chaos(self, messages):
        """Check what Chaos hears between two resets."""
        self.assertEqual("5\nCHAOS\n", messages[0]["payload"][:-2])
        for message in messages[1:]:
            self.assertEqual("0 0 0 0\n", message["payload"][:-2])
        tiles = [message["payload"][-2] for message in messages]
        self.assertEqual(sorted("ABCDE" * 5), sorted(tiles))
        self.assertEqual({"update"},
                         {message["purpose"] for message in messages})

    def test_the_last_placement_wants_no_reply(self):
        first, second = Client("Alpha"), Client("Beta")
        self.run_server([first, second], "--wars", "1")
        last = first.messages[26]
        self.assertEqual("update_only", last["purpose"])
        self.assertEqual("4 4 ", last["payload"][:-2])

    def test_the_games_of_a_war_are_dealt_separately(self):
        first, second = Client("Alpha"), Client("Beta")
        self.run_server([first, second], "--wars", "1", "--seed", "1")
        dealt = [[message["payload"][-2] for message in messages]
                 for messages in (second.messages[1:26],
                                  first.messages[28:53])]
        self.assertEqual(sorted(dealt[0]), sorted(dealt[1]))
        self.assertNotEqual(dealt[0], dealt[1])

    def test_a_seed_repeats_the_scores(self):
        runs = [self.run_server(
            [Client("Twin", size=3), Client("Twin", size=3)],
            "--wars", "3", "--seed", "5", "--size", "3", "--quiet").result
                for _ in range(2)]
        self.assertEqual(3, len(runs[0]["scores"]))
        self.assertEqual(runs[0]["scores"], runs[1]["scores"])
        self.assertEqual({"Twin (0)", "Twin (1)"}, set(runs[0]["wins"]))

    def test_an_overwritten_tile_leaves_a_hole(self):
        def overwrite(client, request):
            if client.role == server.ORDER and request == 1:
                return reply("0 1 0 0")
        outcome = self.run_server([Client("Alpha", overwrite),
                                   Client("Beta")], "--wars", "1")
        self.assertEqual(0, outcome.status)
        holed = outcome.output.split("Beta as ORDER")[0]
        row = [line for line in holed.split("\n") if line[:3] == "0  "][0]
        self.assertEqual(".", row.split()[2])

    def test_a_board_of_one_square(self):
        outcome = self.run_server([Client("Alpha"), Client("Beta")],
                                  "--wars", "1", "--size", "1")
        self.assertEqual((0, [[0, 0]]),
                         (outcome.status, outcome.result["scores"]))

    def test_one_client_is_not_enough(self):
        lonely = Client("Alpha")
        outcome = self.run_server([lonely], "--wars", "1",
                                  "--accept-seconds", "0.5", seats=2)
        self.assertEqual((1, None), (outcome.status, outcome.result))
        self.assertIn("1 joined", outcome.error)
        self.assertEqual(1, len(lonely.heard("kill")))


class FaultTest(ServerCase):
    """Clients that do wrong: Alpha never does, Beta always does."""

    def outcome_of(self, answer, *options):
        """Return the outcome of a war in which Beta answers like this."""
        return self.run_server([Client("Alpha"), Client("Beta", answer)],
                               "--wars", "1", *options)

    def test_illegal_placement(self):
        def occupied(client, request):
            if client.role == server.CHAOS and request == 1:
                return reply("0 0")
        outcome = self.outcome_of(occupied)
        self.assert_only_fault(outcome, "CHAOS", "illegal")
        self.assertEqual(100, outcome.result["scores"][0][0])
        self.assertEqual({"Alpha": 1, "Beta": 0}, outcome.result["wins"])

    def test_illegal_move(self):
        def empty(client, request):
            if client.role == server.ORDER:
                return reply("4 4 3 4")
        outcome = self.outcome_of(empty)
        self.assert_only_fault(outcome, "ORDER", "illegal")
        self.assertEqual(0, outcome.result["scores"][0][1])

    def test_status_false(self):
        def concede(client, request):
            if client.role == server.ORDER:
                return b'{"status": false, "comment": "no more"}'
        outcome = self.outcome_of(concede)
        self.assert_only_fault(outcome, "ORDER", "no more")
        self.assertEqual(0, outcome.result["scores"][0][1])

    def test_two_replies_at_once(self):
        def twice(client, request):
            if request == 0:
                return reply("0 0") + reply("0 1")
        self.assert_only_fault(self.outcome_of(twice), "CHAOS", "unparsable")

    def test_an_early_byte_breaks_the_next_turn(self):
        def stutter(client, request):
            if request == 0:
                client.connection.sendall(client.usual_answer())
                time.sleep(0.1)
                return b"x"

        def think(client, request):
            if request == 0:
                time.sleep(0.2)
        outcome = self.run_server(
            [Client("Alpha", think), Client("Beta", stutter)], "--wars", "1")
        self.assert_first_fault(outcome, "CHAOS", "unparsable")

    def test_a_reply_in_pieces(self):
        def dribble(client, request):
            if request == 0:
                client.connection.sendall(reply("0 0")[:5])
                time.sleep(0.1)
                return reply("0 0")[5:]
        outcome = self.outcome_of(dribble)
        self.assert_first_fault(outcome, "CHAOS", "unparsable")

    def test_a_late_reply(self):
        def dawdle(client, request):
            if client.role == server.CHAOS:
                time.sleep(0.4)
        outcome = self.outcome_of(dawdle, "--clock", "0.3")
        self.assert_only_fault(outcome, "CHAOS", "late")
        self.assertEqual(100, outcome.result["scores"][0][0])
        self.assertTrue(outcome.result["timers"][0][0]["CHAOS"] < 0)

    def test_the_pause_counts_for_chaos(self):
        outcome = self.outcome_of(None, "--pause", "0.2")
        for timers in outcome.result["timers"][0]:
            self.assertTrue(timers["CHAOS"] < 59.8 < timers["ORDER"], timers)


class DepartureTest(ServerCase):
    """Clients that leave."""

    def test_leaving_in_the_middle_of_a_game(self):
        def leave(client, request):
            return b"" if request == 3 else None
        first, second = Client("Alpha"), Client("Beta", leave)
        outcome = self.run_server([first, second], "--wars", "1")
        self.assertEqual((1, "Beta"), (outcome.status, outcome.result["left"]))
        self.assertEqual(0, outcome.result["wars"])
        self.assertIn("Beta left", outcome.error)
        self.assertNotIn("Traceback", outcome.error)
        self.assertEqual([], first.heard("kill"))

    def test_leaving_without_a_name(self):
        def nameless(port):
            socket.create_connection(("127.0.0.1", port)).close()
        client = Client("")
        client.connect = nameless
        client.join = lambda timeout: None
        outcome = self.run_server([client], "--wars", "1", seats=2)
        self.assertEqual(1, outcome.status)
        self.assertIn("without a name", outcome.error)
        self.assertNotIn("Traceback", outcome.error)


class PromptTest(ServerCase):
    """The operator's prompt."""

    def test_wars_and_mistakes(self):
        first, second = Client("Alpha"), Client("Beta")
        outcome = self.run_server(
            [first, second],
            typed="0 v 1 v 0\n0 v 0\n0 v 2\nwhat\n\n0 v 1\n1 v 0\nq\n")
        self.assertEqual((0, ""), (outcome.status, outcome.error))
        self.assertIn("0. Alpha ('127.0.0.1', ", outcome.output)
        self.assertIn("leagues are not supported", outcome.output)
        self.assertIn("cannot play against itself", outcome.output)
        self.assertIn("not understood: 0 v 2", outcome.output)
        self.assertIn("not understood: what", outcome.output)
        self.assertEqual(4, len(first.heard("reset")))
        self.assertEqual(1, len(first.heard("kill")))

    def test_a_human_can_play(self):
        client = Client("Alpha", size=2)
        moves = "0 0\n0 1\n1 0\n1 1\n0 0 0 0\nnonsense\n"
        outcome = self.run_server([client], "--size", "2",
                                  typed="0 v h\n" + moves + "q\n")
        self.assertEqual((0, ""), (outcome.status, outcome.error))
        self.assertIn("human as ORDER: 0\nFault of human", outcome.output)
        self.assertEqual(1, len(client.heard("kill")))

    def test_the_end_of_input_quits(self):
        client = Client("Alpha")
        outcome = self.run_server([client])
        self.assertEqual(0, outcome.status)
        self.assertEqual(1, len(client.heard("kill")))


if __name__ == "__main__":
    unittest.main()
