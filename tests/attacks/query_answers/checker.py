"""Checks the proofs of an analysis of answers to queries, without a solver."""

import itertools
import json
import sys
from pathlib import Path


def closed(sizes, low, high):
    """Narrow bounds by the order within cells."""
    low, high, end = [*low], [*high], 0
    for size in sizes:
        start, end = end, end + size
        low[start:end] = itertools.accumulate(low[start:end], max)
        high[start:end] = [*itertools.accumulate(high[start:end][::-1], min)][::-1]
    return low, high


def total(answer, values):
    first, last = answer["ranks"]
    return sum(sorted(values[i] for i in answer["members"])[first - 1 : last])


def excludes(answer, low, high):
    return total(answer, high) < answer["low"] or total(answer, low) > answer["high"]


def is_empty(low, high):
    return any(a > b for a, b in zip(low, high, strict=True))


def narrowed(sizes, answers, steps, low, high):
    """Narrow bounds by steps that hold; others are left out."""
    low, high = closed(sizes, low, high)
    for value, sign, bound, number in steps:
        beyond_low, beyond_high = [*low], [*high]
        if sign > 0:
            beyond_high[value] = min(high[value], bound - 1)
        else:
            beyond_low[value] = max(low[value], bound + 1)
        beyond = closed(sizes, beyond_low, beyond_high)
        if is_empty(*beyond) or excludes(answers[number], *beyond):
            if sign > 0:
                low[value] = max(low[value], bound)
            else:
                high[value] = min(high[value], bound)
            low, high = closed(sizes, low, high)
    return low, high


def row_of(sizes, answers, number):
    """Return values, factors and bounds of a row, if it is one."""
    if number >= len(answers):
        value = number - len(answers)
        inside = value + 1 not in itertools.accumulate(sizes)
        return ({value: -1, value + 1: 1}, 0, None) if inside else None
    answer, (first, last) = answers[number], answers[number]["ranks"]
    members, ends = answer["members"], [0, *itertools.accumulate(sizes)]
    cells = [[*range(a, b)] for a, b in itertools.pairwise(ends)]
    if (first, last) != (1, len(members)) and members not in cells:
        return None
    summed = dict.fromkeys(members[first - 1 : last], 1)
    return summed, answer["low"], answer["high"]


def refutes(proof, sizes, answers, low, high, points=()):
    """Say whether no values fit within bounds, but perhaps listed points."""
    low, high = narrowed(sizes, answers, proof["steps"], low, high)
    if is_empty(low, high):
        return True
    if "point" in proof:
        return low == high == points[proof["point"]]
    if "answer" in proof:
        return excludes(answers[proof["answer"]], low, high)
    if "cases" in proof:
        (value, at), under, above = proof["cases"], [*high], [*low]
        under[value], above[value] = min(high[value], at), max(low[value], at + 1)
        return refutes(proof["below"], sizes, answers, low, under, points) and (
            refutes(proof["above"], sizes, answers, above, high, points)
        )
    sum_, factors = 0, dict.fromkeys(range(len(low)), 0)
    for number, times in proof["rows"].items():
        row, least, most = row_of(sizes, answers, int(number)) or ({}, None, None)
        side = least if times > 0 else most
        if side is None:
            return False
        sum_ += times * side
        for value, factor in row.items():
            factors[value] += times * factor
    ranges = zip(factors.values(), low, high, strict=True)
    return sum_ > sum(f * (b if f > 0 else a) for f, a, b in ranges)


def check_table(table, least, most):
    """Yield what is wrong with the claims about one table of persons."""
    sizes, answers, n = table["sizes"], table["answers"], sum(table["sizes"])
    low, high = narrowed(sizes, answers, table["steps"], [least] * n, [most] * n)
    if "refuted" in table:
        if not refutes(table["refuted"], sizes, answers, low, high):
            yield f"{sizes} is not refuted"
        return
    for values in [*table["taken"], *table["databases"]]:
        fit = (a["low"] <= total(a, values) <= a["high"] for a in answers)
        if not all(fit) or closed(sizes, values, values) != (values, values):
            yield f"{values} do not fit"
    for value, claim in enumerate(table["claims"]):
        for place, key in enumerate(("least", "largest")):
            below, above = [*low], [*high]
            if key == "least":
                above[value] = claim[key] - 1
            else:
                below[value] = claim[key] + 1
            proof = claim["proofs"][place] or {"steps": [], "rows": {}}
            if not refutes(proof, sizes, answers, below, above):
                yield f"the {key} of {value} is not proved"
            taken = {values[value] for values in table["taken"]}
            if claim["is_exact"] and claim[key] not in taken:
                yield f"the {key} of {value} is not taken"
    if table["every"]:
        bounds = [[c[key] for c in table["claims"]] for key in ("least", "largest")]
        points = table["databases"]
        if not refutes(table["every"], sizes, answers, *bounds, points):
            yield f"there are more databases than those listed of {sizes}"


def check_alone(region):
    """Yield groups of one person that are not one, or of one who was counted."""
    every = [t["sizes"] for t in region.get("tables", ()) if "refuted" not in t]
    certain = {i for i, n in enumerate(map(min, zip(*every, strict=True))) if n}
    for one in region["alone"]:
        lows, highs = zip(*one["values"], strict=True)
        if [*one["count"]] != [1, 1] or not max(lows) == min(highs) == one["value"]:
            yield f"{one} does not leave one value"
        if certain & {*one["members"]}:
            yield f"{one} is of a person who was counted"
        certain |= {*one["members"]}


def check(written, least, most):
    """Yield what is wrong with the claims of an analysis; bounds are in units."""
    for region in written["regions"]:
        yield from check_alone(region)
        if "tables" in region:
            counts = region["counts"]
            n = len(region["tables"][0]["sizes"]) if region["tables"] else 1
            tables = [table["sizes"] for table in region["tables"]]
            bounds = [0] * n, [1 << 40] * n
            if not refutes(region["every"], [1] * n, counts, *bounds, tables):
                yield f"there are more tables of persons in {region['region']!r}"
            for table in region["tables"]:
                yield from check_table(table, least, most)


if __name__ == "__main__":
    text = Path(sys.argv[1]).read_text(encoding="utf-8")
    faults = check(json.loads(text), int(sys.argv[2]), int(sys.argv[3]))
    print("\n".join(faults) or "All claims are proved.")
