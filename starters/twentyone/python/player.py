"""A player of TwentyOne that looks one card ahead. It speaks JSON lines on standard input and output."""

import json
import sys

# Cards are counted by rank: at 1 the aces, at 2 to 9 the cards of that number, at 10 all that are worth ten.
RANKS = range(1, 11)
DECK = [0, 4, 4, 4, 4, 4, 4, 4, 4, 4, 16]

# What hands are worth that are no plain total.
BUST, CHARLIE, COMBO = 0, 22, 23


def rank_of(card):
    rank = card[1:]
    return 1 if rank == "A" else int(rank) if rank.isdigit() else 10


def cards_of(hand):
    return hand["dealt"] + hand.get("drawn", [])


def count(counts, cards):
    for card in cards:
        counts[rank_of(card)] += 1


def worth(hard, has_ace, cards):
    """The worth of a hand of so many cards and this total, aces being one: worths compare as hands do."""
    total = hard + 10 if has_ace and hard <= 11 else hard
    if total > 21:
        return BUST
    if cards == 2 and total == 21:
        return COMBO
    return CHARLIE if cards >= 5 else total


def dealer_chances(up_card, unseen):
    """How likely each worth of the dealer's hand is. The dealer draws to 16."""
    total = sum(unseen)
    chances = [0.0] * (COMBO + 1)
    # Hands that it draws to, by total and by whether there is an ace in them.
    open_hands = [[0.0, 0.0] for _ in range(17)]
    open_hands[up_card][up_card == 1] = 1.0
    for cards in range(2, 18):
        longer_hands = [[0.0, 0.0] for _ in range(17)]
        for hard in range(17):
            for has_ace in (False, True):
                for rank in RANKS if open_hands[hard][has_ace] > 0.0 else ():
                    chance = open_hands[hard][has_ace] * unseen[rank] / total
                    new_hard, new_ace = hard + rank, has_ace or rank == 1
                    if new_hard <= 16 and not (new_ace and 7 <= new_hard <= 11):
                        longer_hands[new_hard][new_ace] += chance
                    else:
                        chances[worth(new_hard, new_ace, cards)] += chance
        open_hands = longer_hands
    return chances


def value_of(own, dealer):
    """The chance to win less that to lose, with a hand of this worth."""
    if own == BUST:
        return -1.0
    return sum(dealer[:own]) - sum(dealer[own + 1:])


# ------------------------------------------------------------------ what to change first

def choose_bid(unseen, points, least, most):
    """The smallest bid, and a hundredth of the points while aces and tens are more than usual."""
    is_rich = 13 * (unseen[1] + unseen[10]) > 5 * sum(unseen)
    bid = points // 100 if is_rich else least
    return min(max(bid, least), most, points)


def choose_action(hand, up_card, unseen):
    """Another card if the hand is worth as much with it, on average, as without."""
    dealer = dealer_chances(up_card, unseen)
    hard, has_ace, cards = sum(hand), 1 in hand, len(hand)
    standing = value_of(worth(hard, has_ace, cards), dealer)
    hitting = 0.0
    for rank in RANKS:
        drawn = value_of(worth(hard + rank, has_ace or rank == 1, cards + 1), dealer)
        hitting += drawn * unseen[rank] / sum(unseen)
    # Without a margin rounding would decide where both are equal.
    return "hit" if hitting > standing - 1e-9 else "stand"

# ----------------------------------------------------------------------------------------


def counted(call):
    """The cards gone before this round: how many, and of each rank those that were seen."""
    numbers = [int(word) for word in (call.get("memory") or "").split()] or [0] * (1 + len(DECK))
    number, gone = numbers[0], numbers[1:]
    # Only a bid's call has all of the last round, and by the engine's rules not even that.
    if call.get("hand") or call["settings"]["rules"] == "engine":
        return number, gone
    hands = [cards_of(hand) for shown in call.get("shown", []) for hand in shown["hands"]]
    dealer = call.get("dealer")
    if dealer:
        # The hidden card is gone even if nobody saw it.
        hands.append([dealer["up_card"], dealer.get("hidden"), *dealer.get("drawn", [])])
    for cards in hands:
        number += len(cards)
        count(gone, [card for card in cards if card])
    decks = call["settings"]["decks"]
    while number >= decks * sum(DECK):
        # The shoe has ended in that round, and the rest came from a fresh one.
        number -= decks * sum(DECK)
        gone = [max(0, seen - decks * cards) for seen, cards in zip(gone, DECK)]
    return number, gone


def unseen_cards(call, number, gone):
    """The cards that may come next, by rank."""
    decks = call["settings"]["decks"]
    on_table = [0] * len(DECK)
    if call.get("hand"):
        count(on_table, cards_of(call["hand"]) + [call["up_card"]])
    dealt = 2 * (len(call["points"]) + 1)
    if number + dealt >= decks * sum(DECK):
        # This round goes into the next shoe.
        decks *= 2
    unseen = [max(0, decks * cards - seen - shown) for cards, seen, shown in zip(DECK, gone, on_table)]
    return unseen if sum(unseen) > 0 else DECK


def answer(call):
    number, gone = counted(call)
    unseen = unseen_cards(call, number, gone)
    said = {}
    if call.get("hand"):
        hand = [rank_of(card) for card in cards_of(call["hand"])]
        said["action"] = choose_action(hand, rank_of(call["up_card"]), unseen)
    else:
        points, settings = dict(call["points"])[call["id"]], call["settings"]
        said["action"] = "bid"
        said["points"] = choose_bid(unseen, points, settings["min_bid"], settings["max_bid"])
    said["memory"] = " ".join(map(str, [number, *gone]))
    return said


def main():
    for line in sys.stdin:
        if line.strip():
            # Without flush the line waits in a buffer, and the clock runs.
            print(json.dumps(answer(json.loads(line)), separators=(",", ":")), flush=True)


if __name__ == "__main__":
    main()
