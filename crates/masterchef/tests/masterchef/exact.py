"""MasterChef cases of long numbers, solved by brute force over fractions.

    python3 crates/masterchef/tests/masterchef/exact.py SEED COUNT

prints a JSON object a line: the input file, the ID to pick, and the advantage as an exact decimal number.
Everything here is written from the assignment's text alone. It reads each number from its own spelling, as
the program under test has to, and adds and compares fractions.
"""

import json
import random
import sys
from fractions import Fraction

BONUS = 120


def power(team, captain):
    digits = {member["id"] % 10 for member in team}
    strength = sum((member["gain"][captain] for member in team), Fraction(0))
    return strength + (BONUS if len(digits) == len(team) else 0)


def value(pool, teams):
    """The advantage under perfect play; A moves whenever both teams have the same size."""
    if len(teams[0]) == 5 and len(teams[1]) == 5:
        return power(teams[0], 0) - power(teams[1], 1)
    captain = 0 if len(teams[0]) == len(teams[1]) else 1
    values = []
    for index, member in enumerate(pool):
        rest = pool[:index] + pool[index + 1:]
        after = list(teams)
        after[captain] = teams[captain] + [member]
        values.append(value(rest, after))
    return max(values) if captain == 0 else min(values)


def solve(members):
    pool = [member for member in members if member["state"] == 0]
    teams = [[member for member in members if member["state"] == state] for state in (1, 2)]
    best = None
    for member in sorted(pool, key=lambda member: member["id"]):
        rest = [other for other in pool if other is not member]
        found = value(rest, [teams[0] + [member], teams[1]])
        if best is None or found > best[0]:
            best = (found, member["id"])
    return best


def exact_decimal(number):
    """A fraction whose denominator divides a power of ten, without trailing zeros."""
    decimals = 0
    while (10**decimals * number).denominator != 1:
        decimals += 1
    digits = str(abs(10**decimals * number).numerator).rjust(decimals + 1, "0")
    whole, fraction = digits[: len(digits) - decimals], digits[len(digits) - decimals:]
    return ("-" if number < 0 else "") + whole + ("." + fraction if fraction else "")


def spelled(rng, number):
    """A double as programs print it: 17 digits, 16 digits, the shortest, in scientific notation, in full."""
    return rng.choice(["%.17g", "%.16g", "%r", "%.16e", "%.15e", "%.40f"]) % number


def tiny(rng):
    """A double far below one, often too small for any sum of doubles to notice."""
    known = [5e-324, 2.2250738585072014e-308, 1e-05, 1e-10, 1.4901161193847656e-08]
    return rng.choice(known + [rng.random() * 10.0 ** -rng.randrange(1, 320)])


def attributes(rng, kind):
    """Capacity and both happinesses, as text."""
    if kind == "uniform":
        return [spelled(rng, 200 * rng.random()), spelled(rng, rng.random()), spelled(rng, rng.random())]
    if kind == "tiny":
        numbers = [rng.choice([200 * rng.random(), tiny(rng)]), tiny(rng), tiny(rng)]
        return [spelled(rng, number) for number in numbers]
    if kind == "tie":
        # Products of a few factors, split between capacity and happiness in different ways: equal as
        # decimal numbers, rarely equal as doubles.
        factor = rng.choice([1, 2, 4, 5, 8])
        capacity = factor * 12345678901234567
        happy = [rng.choice([40, 80, 120]) // factor * 1012345678901234 for _ in range(2)]
        return ["%d.%015d" % divmod(capacity, 10**15), *("0.%017d" % part for part in happy)]
    if kind == "near":
        # As good as equal: products differ in the thirtieth decimal.
        happy = ["0.3333333333333%03d%d" % (rng.randrange(998, 1000), rng.randrange(10)) for _ in range(2)]
        return ["150.00000000000%03d" % rng.randrange(3), *happy]
    raise ValueError(kind)


def case(rng, number):
    kind = ["uniform", "tiny", "tie", "near"][number % 4]
    # Free contestants and picks left: brute force is quick on these.
    free, left = rng.choice([(6, 2), (9, 2), (5, 4), (6, 4)])
    picked = 10 - left
    tens = rng.sample(range(1000, 10000), free + picked)
    digits = rng.choice([3, 6, 10])
    members, lines = [], []
    for index, ten in enumerate(tens):
        identity = 10 * ten + rng.randrange(digits)
        state = 1 + index % 2 if index < picked else 0
        texts = attributes(rng, kind)
        capacity, *happy = [Fraction(text) for text in texts]
        assert 0 <= capacity <= 200 and all(0 <= part <= 1 for part in happy), texts
        members.append({"id": identity, "gain": [capacity * part for part in happy], "state": state})
        lines.append("%d,%s,%d" % (identity, ",".join(texts), state))
    rng.shuffle(lines)
    advantage, pick = solve(members)
    text = "%d\n%s\n%s\n" % (len(lines), rng.choice(["minimax", "ab"]), "\n".join(lines))
    return {"kind": kind, "input": text, "pick": pick, "advantage": exact_decimal(advantage)}


def main():
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    rng = random.Random(seed)
    for number in range(count):
        print(json.dumps(case(rng, number)))


main()
