"""A player of MasterChef that looks one ply ahead. For each pick it reads input.txt and writes output.txt."""

from collections import namedtuple

# Capacity and happiness are counted in millionths: whole numbers, so that equal values tie exactly.
MILLION = 1_000_000
BONUS = 120 * MILLION * MILLION

FREE, OURS, THEIRS = 0, 1, 2

# Gains are what the contestant adds to our team and to theirs: happiness times capacity.
Contestant = namedtuple("Contestant", "id our_gain their_gain state")


def power(team, gain):
    """The power of a team as it stands: what its members add, and the bonus while their last digits differ."""
    digits = {one.id % 10 for one in team}
    return sum(gain(one) for one in team) + (BONUS if len(digits) == len(team) else 0)


def our_power(team):
    return power(team, lambda one: one.our_gain)


def their_power(team):
    return power(team, lambda one: one.their_gain)


# ------------------------------------------------------------------ what to change first

def value_of_pick(ours, theirs, one):
    """What our team is worth with this contestant, and what theirs would be: that is what they cannot have any more."""
    return our_power(ours + [one]) + their_power(theirs + [one])


def choose_pick(contestants):
    """The free contestant of the greatest value, of equal ones the smallest ID."""
    ours = [one for one in contestants if one.state == OURS]
    theirs = [one for one in contestants if one.state == THEIRS]
    free = [one for one in contestants if one.state == FREE]
    return min(free, key=lambda one: (-value_of_pick(ours, theirs, one), one.id))

# ----------------------------------------------------------------------------------------


def millionths(text):
    return int(float(text) * MILLION + 0.5)


def contestant(line):
    number, capacity, our_happiness, their_happiness, state = line.split(",")
    our_gain = millionths(our_happiness) * millionths(capacity)
    their_gain = millionths(their_happiness) * millionths(capacity)
    return Contestant(int(number), our_gain, their_gain, int(state))


def main():
    with open("input.txt") as file:
        # How many there are, the algorithm, and the contestants.
        _count, _algorithm, *lines = file.read().split()
    pick = choose_pick([contestant(line) for line in lines])
    with open("output.txt", "w", newline="\n") as file:
        file.write(f"{pick.id}\n")


if __name__ == "__main__":
    main()
