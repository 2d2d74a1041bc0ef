"""A sealed-bid auction: the highest bid wins the item and is paid; the points are the item's value minus the bid."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[4] / "templates/game/python"))
from turnwise_referee import Game, IllegalMove, choose, run  # noqa: E402

HIGHEST = 100
BIDS = [str(bid) for bid in range(HIGHEST + 1)]


class Auction(Game):
    def __init__(self, settings, seats):
        self.items = settings["items"]
        self.points = [0] * seats
        self.sold = 0
        # The seats that bid, in order. A seat whose program failed no longer bids.
        self.bidders = list(range(seats))
        # The value of the item for each seat, and the seat from which on ties are resolved.
        self.values, self.first = None, 0
        self.bids = []
        self.last = None

    def draws(self):
        return 0 if self.values or self.turn() is None else len(self.points) + 1

    def draw(self, values):
        *values, first = values
        self.values = [choose(value, range(HIGHEST + 1)) for value in values]
        self.first = choose(first, range(len(values)))
        worth = ["seat %s: value %s" % (seat, value) for seat, value in enumerate(self.values)]
        return worth + ["ties: from seat %s on" % self.first]

    def turn(self):
        return self.bidders[len(self.bids)] if self.sold < self.items and self.bidders else None

    def moves(self):
        return BIDS

    def play(self, move):
        if move not in BIDS:
            raise IllegalMove("expected a bid, a number from 0 to %s" % HIGHEST)
        self.bids.append(int(move))
        self.sell_if_complete()

    def out(self, seat):
        place = self.bidders.index(seat)
        del self.bidders[place]
        del self.bids[place:place + 1]
        self.sell_if_complete()

    def sell_if_complete(self):
        if len(self.bids) < len(self.bidders) or not self.bidders:
            return
        seats = len(self.points)
        bid, winner = max(zip(self.bids, self.bidders), key=lambda pair: (pair[0], -((pair[1] - self.first) % seats)))
        self.points[winner] += self.values[winner] - bid
        self.last = (winner, bid)
        self.sold += 1
        self.values, self.bids = None, []

    def resample(self, seat, random):
        def guess(known, other):
            return known if other == seat else random.randint(0, HIGHEST)

        self.values = [guess(value, other) for other, value in enumerate(self.values)]
        self.first = random.randrange(len(self.points))
        self.bids = [guess(bid, other) for bid, other in zip(self.bids, self.bidders)]

    def scores(self):
        return self.points

    def ending(self):
        return "%s items sold" % self.sold

    def observation(self, seat):
        return {"value": self.values[seat], "points": self.points, "left": self.items - self.sold, "last": self.last}

    def view(self, seat):
        turn = self.turn()
        is_bidding = turn is not None and bool(self.values)
        bidders = [{"name": "Seat %s" % other, "lines": ["%s points" % points], "state": "open"}
                   for other, points in enumerate(self.points)]
        facts = [{"name": "items left", "value": str(self.items - self.sold)}]
        if self.last:
            facts.append({"name": "last sale", "value": "seat %s for %s" % self.last})
        if is_bidding and seat is not None:
            facts.append({"name": "value for you", "value": str(self.values[seat])})
        return {
            "caption": "All items are sold." if turn is None else "All seats bid for item %s." % (self.sold + 1),
            "panels": [{"title": "Bidders", "cards": bidders}],
            "facts": facts,
            "choices": [{"notation": bid, "words": "bid %s" % bid} for bid in BIDS if is_bidding and seat == turn],
        }


if __name__ == "__main__":
    run(Auction)
