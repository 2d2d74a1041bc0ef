"""Referees games that another program plays from start to end: it starts the players itself, and reports the scores.

turnwise starts the players, so that their time is measured and they can be isolated. The program gets a command for
each player, which connects it to the player here. What the program writes to a player is a question once the program
waits; the lines that the player writes are the answers. Arguments: the program's command, in which {p1} to {p10} are
replaced by the commands of the players, {seed} by the seed, and {scores} by a file for the scores.
"""

import array
import fcntl
import json
import os
import re
import selectors
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
from pathlib import Path

from turnwise_referee import Game, IllegalMove, Referee, RefereeError, name_in_game_toml, serve

# A program whose threads all sleep waits for a player if they still sleep after this time, in seconds, without having
# run in between. A thread may also wake up again and again to look for input: then all must be seen asleep this often.
STILL = 0.002
OFTEN = 25

# The longest question, and the part of the output that may contain the scores, in bytes.
LONGEST_QUESTION = 1 << 20
LONGEST_SCORES = 1 << 16


class Seat:
    """A player, as the program sees it: two named pipes, which the player's command connects to its streams."""

    def __init__(self, folder, number):
        self.command = folder / ("player%s" % number)
        questions, answers = folder / ("questions%s" % number), folder / ("answers%s" % number)
        # The command is one word, because some programs split commands at blanks.
        paths = shlex.quote(str(answers)), shlex.quote(str(questions))
        self.command.write_text("#!/bin/sh\ncat <%s &\nexec cat >%s\n" % paths)
        self.command.chmod(0o700)
        os.mkfifo(questions)
        os.mkfifo(answers)
        self.questions = os.open(questions, os.O_RDONLY | os.O_NONBLOCK)
        # Opened for reading as well, it opens before the command runs.
        self.answers = os.open(answers, os.O_RDWR)
        self.unread = b""
        self.is_there = True

    def close(self):
        if self.is_there:
            self.is_there = False
            os.close(self.questions)
            os.close(self.answers)


class WholeGame(Game):
    """A game that a program plays from start to end."""

    def __init__(self, settings, seats):
        self.count = seats
        self.process = None
        self.seat = None
        self.final = None

    def draws(self):
        return 0 if self.process else 1

    def draw(self, values):
        self.folder = Path(tempfile.mkdtemp(prefix="turnwise-"))
        self.seats = [Seat(self.folder, number + 1) for number in range(self.count)]
        self.selector = selectors.DefaultSelector()
        for seat in self.seats:
            self.selector.register(seat.questions, selectors.EVENT_READ, seat)
        # Java's Random, for example, accepts only signed numbers.
        known = {"seed": str(values[0] >> 33), "scores": str(self.folder / "scores")}
        known.update(("p%s" % number, str(seat.command)) for number, seat in enumerate(self.seats, 1))
        command = [re.sub(r"\{(\w+)\}", lambda name: known.get(name[1], name[0]), word) for word in sys.argv[1:]]
        with open(self.folder / "stdout", "wb") as stdout, open(self.folder / "stderr", "wb") as stderr:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr,
                                            start_new_session=True)
        self.wait()

    def read(self, seat):
        data = os.read(seat.questions, 1 << 16)
        seat.unread += data
        if len(seat.unread) > LONGEST_QUESTION:
            raise RefereeError("the program wrote more than %s bytes to a player before it waited" % LONGEST_QUESTION)
        if not data:
            self.leave(seat)

    def leave(self, seat):
        """Closes the streams of a player, because it failed or the program has ended it."""
        if seat.is_there:
            self.selector.unregister(seat.questions)
            seat.close()

    def wait(self):
        """Waits until the program waits for a player or ends."""
        last, asleep = None, 0
        while True:
            ready = self.selector.select(STILL)
            for key, _ in ready:
                self.read(key.data)
            if ready:
                last, asleep = None, 0
                continue
            if self.process.poll() is not None:
                self.end_game()
                return
            seat = self.asked()
            runs = runs_of(self.process.pid)
            asleep = 0 if seat is None or runs is None else asleep + 1
            if asleep and runs and runs == last or asleep == OFTEN:
                self.seat = seat
                return
            last = runs

    def asked(self):
        """Returns the seat that must answer if the program waits: one with a question, or else the last one again."""
        for index, seat in enumerate(self.seats):
            if seat.is_there and b"\n" in seat.unread:
                return index
        last = None if self.seat is None else self.seats[self.seat]
        return self.seat if last and last.is_there and not unread(last.answers) else None

    def turn(self):
        return None if self.final else self.seat

    def lines(self, seat):
        complete, newline, rest = self.seats[seat].unread.rpartition(b"\n")
        self.seats[seat].unread = rest
        return complete.decode("utf-8", "replace").replace("\r", "").split("\n") if newline else []

    def greetings(self, seat, start):
        return []

    def play(self, move):
        seat = self.seat
        os.write(self.seats[seat].answers, move.encode() + b"\n")
        self.wait()
        if self.final and seat in self.final.failed and self.count == 2:
            raise IllegalMove("the game ended with " + self.final.words)

    def out(self, seat):
        self.leave(self.seats[seat])
        self.wait()

    def end_game(self):
        output = self.folder / "scores"
        if not output.exists():
            output = self.folder / "stdout"
        try:
            if self.process.returncode != 0:
                raise RefereeError("the program ended with status %s: %s" % (
                    self.process.returncode, last_line(self.folder / "stderr")))
            self.final = parse_scores(tail(output), self.count)
        finally:
            self.close()

    def scores(self):
        return self.final.shares()

    def ending(self):
        return self.final.words

    def close(self):
        """Ends the program and its players."""
        if not self.process or not self.folder.exists():
            return
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        for seat in self.seats:
            seat.close()
        self.selector.close()
        shutil.rmtree(self.folder, ignore_errors=True)


class Final:
    """The scores of a game, where more is better, the seats that failed, and how the game ended."""

    def __init__(self, scores, failed, words):
        self.values = scores
        self.failed = failed
        self.words = words

    def shares(self):
        """Returns what turnwise counts: the number of opponents with a lower score; an equal score counts half."""
        return [sum((own > other) + (own == other) / 2 for other in self.values) - 0.5 for own in self.values]


def parse_scores(text, seats):
    """Reads the scores from the output of the program: JSON, a line with all scores, or a line for each score."""
    for line in reversed(text.splitlines() + [text]):
        try:
            result = json.loads(line)
        except ValueError:
            continue
        if isinstance(result, dict) and ("ranks" in result or "scores" in result):
            return scores_in_json(result, seats)
    number = r"-?\d+(?:\.\d+)?"
    lines = text.splitlines()
    for first in reversed(range(len(lines))):
        for last in (first + 1, first + seats):
            words = " ".join(lines[first:last]).split()
            if len(words) == seats and all(re.fullmatch(number, word) for word in words):
                scores = [float(word) for word in words]
                # By convention, a player that failed has a negative score.
                failed = [seat for seat, score in enumerate(scores) if score < 0]
                return Final(scores, failed, "scores " + ", ".join(words))
    raise RefereeError("expected %s scores at the end of the program's output, got: %s" % (seats, text[-200:].strip()))


def scores_in_json(result, seats):
    what = "ranks" if "ranks" in result else "scores"
    values = listed(result[what], seats)
    words = what + " " + ", ".join("%g" % value for value in values)
    if what == "ranks":
        values = [-value for value in values]
    errors = result.get("errors")
    failed = [seat for seat, error in enumerate(errors) if error] if isinstance(errors, list) else []
    return Final(values, failed, words)


def listed(values, seats):
    """Returns a number for each seat. Some programs write an object with the numbers of the seats as names."""
    if isinstance(values, dict):
        values = [values.get(str(seat)) for seat in range(seats)]
    if not isinstance(values, list) or len(values) != seats or not all(isinstance(one, (int, float)) for one in values):
        raise RefereeError("expected %s numbers, got: %s" % (seats, json.dumps(values)[:200]))
    return values


def tail(path):
    with open(path, "rb") as file:
        file.seek(max(0, path.stat().st_size - LONGEST_SCORES))
        return file.read().decode("utf-8", "replace")


def last_line(path):
    return (tail(path).strip().splitlines() or ["no message"])[-1][:500]


def unread(descriptor):
    """Returns the number of bytes that the program has not read from a player."""
    count = array.array("i", [0])
    fcntl.ioctl(descriptor, termios.FIONREAD, count)
    return count[0]


def runs_of(process):
    """Returns how often each thread of the program has run, or None if one is running. Empty without Linux's /proc."""
    runs = {}
    todo = [process]
    while todo:
        for thread in Path("/proc/%s/task" % todo.pop()).glob("*"):
            try:
                status = (thread / "status").read_text()
                todo += (thread / "children").read_text().split()
            except OSError:
                # It has just ended.
                return None
            if "\nState:\tR" in status or "\nState:\tD" in status:
                return None
            runs[thread.name] = re.findall(r"ctxt_switches:\t(\d+)", status)
    return runs


class WholeGames(Referee):
    def end(self, params):
        session = self.sessions.get(params["game"])
        if session:
            session.game.close()
        return super().end(params)


if __name__ == "__main__":
    referee = WholeGames(WholeGame, name_in_game_toml())
    try:
        serve(referee)
    finally:
        for session in referee.sessions.values():
            session.game.close()
