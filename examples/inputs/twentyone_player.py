"""A TwentyOne player to start from: bids the minimum and draws to 17. The wire: protocol/twentyone.md."""

import json
import sys


def value(hand):
    """Points of a hand, an ace counting 11 where that fits."""
    ranks = [card[1:] for card in hand]
    low = sum(1 if r == "A" else int(r) if r.isdigit() else 10 for r in ranks)
    return low + 10 if "A" in ranks and low <= 11 else low


for line in sys.stdin:
    call = json.loads(line)
    if not call.get("hand"):
        points = dict(call["points"])[call["id"]]
        answer = {"action": "bid", "points": min(call["settings"]["min_bid"], points)}
    else:
        answer = {"action": "hit" if value(call["hand"]) < 17 else "stand"}
    print(json.dumps(answer), flush=True)
