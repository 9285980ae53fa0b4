"""Checks the proofs of an analysis of answers to queries, without a solver."""

import csv
import hashlib
import io
import itertools
import json
import math
import sys
from collections import Counter
from fractions import Fraction
from pathlib import Path

STATISTICS = ("sum", "mean", "median", "min", "max")
BOUNDS = ("least", "largest")
NO_END = 1 << 40


def is_whole(found):
    """Say whether no number in it is a fraction."""
    if isinstance(found, dict | list):
        return all(map(is_whole, found.values() if isinstance(found, dict) else found))
    return type(found) is not float


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


def check_table(table, answers, least, most):
    """Yield what is wrong with the claims about one table of persons."""
    sizes, n = table["sizes"], sum(table["sizes"])
    low, high = narrowed(sizes, answers, table["steps"], [least] * n, [most] * n)
    if "refuted" in table:
        if not refutes(table["refuted"], sizes, answers, low, high):
            yield f"{sizes} is not refuted"
        return
    for values in [*table["taken"], *table["databases"]]:
        fit = (a["low"] <= total(a, values) <= a["high"] for a in answers)
        if not all(fit) or closed(sizes, values, values) != (values, values):
            yield f"{values} do not fit"
    for (value, claim), key in itertools.product(enumerate(table["claims"]), BOUNDS):
        bounds = [*low], [*high]
        side = BOUNDS.index(key)
        bounds[1 - side][value] = claim[key] + (1 if side else -1)
        proof = claim["proofs"][side] or {"steps": [], "rows": {}}
        if not refutes(proof, sizes, answers, *bounds):
            yield f"the {key} of {value} is not proved"
        taken = {values[value] for values in table["taken"]}
        if claim["is_exact"] and claim[key] not in taken:
            yield f"the {key} of {value} is not taken"
    if table["every"]:
        bounds = [[c[key] for c in table["claims"]] for key in BOUNDS]
        points = table["databases"]
        if not refutes(table["every"], sizes, answers, *bounds, points):
            yield f"there are more databases than those listed of {sizes}"


def check_alone(region, scale, certain):
    """Yield those who are not alone, or who were counted already."""
    for one in region["alone"]:
        cells, count, sum_ = Counter(), [0, 0], [0, 0]
        for place, times in one["rows"].items():
            row = region["rows"][int(place)]
            cells.update(dict.fromkeys(row["members"], times))
            for total, ranged in ((count, row["count"]), (sum_, sums(row, scale))):
                total[0] += times * ranged[times < 0]
                total[1] += times * ranged[times > 0]
        members = {cell for cell, times in cells.items() if times}
        if count != [1, 1] or {cells[cell] for cell in members} != {1}:
            yield f"{one} is not of one person"
        if sum_ != [one["value"]] * 2:
            yield f"{one} does not leave one value"
        if certain & members:
            yield f"{one} is of a person who was counted"
        certain |= members


def sums(row, scale):
    """Return the least and largest sum of the values of a row, in units."""
    n, most = row["count"]
    times = {"sum": 1, "mean": n} | (dict.fromkeys(STATISTICS, 1) if n == 1 else {})
    said = [(n, bounds) for n, bounds in row["numbers"].items() if n in times]
    if n != most or (n and not said):
        return -math.inf, math.inf
    ends = [[Fraction(b) * scale * times[n] for b in bounds] for n, bounds in said]
    ends = [(0, 0)] if n == 0 else ends
    return math.ceil(max(a for a, _ in ends)), math.floor(min(b for _, b in ends))


def answers_of(region, sizes, scale):
    """Return what rows say of values, if cells have so many persons."""
    cell_of = [cell for cell, n in enumerate(sizes) for _ in range(n)]
    found = []
    for row in region["rows"]:
        members = [i for i, cell in enumerate(cell_of) if cell in row["members"]]
        n = len(members)
        ranks = {"median": [(n + 1) // 2, n // 2 + 1], "min": [1, 1], "max": [n, n]}
        for name, bounds in row["numbers"].items():
            low, high = map(Fraction, bounds)
            times = {"mean": n, "median": 2 - n % 2}.get(name, 1) * scale
            told = {"low": math.ceil(low * times), "high": math.floor(high * times)}
            told["ranks"] = ranks.get(name, [1, n])
            found.append({"members": members, **told})
    return found


def check_region(region, n_cells, scale, least, most):
    """Yield what is wrong with the claims about a region."""
    possible, n_proved = [], len(region["alone"])
    if "tables" in region:
        counts = [
            {
                "members": row["members"],
                "ranks": [1, len(row["members"])],
                "low": row["count"][0],
                "high": row["count"][1],
            }
            for row in region["rows"]
        ]
        tables = [table["sizes"] for table in region["tables"]]
        bounds = [0] * n_cells, [NO_END] * n_cells
        if not refutes(region["every"], [1] * n_cells, counts, *bounds, tables):
            yield f"there are more tables of persons in {region['region']!r}"
        possible = [table for table in region["tables"] if "refuted" not in table]
    if any(len(table["claims"]) != sum(table["sizes"]) for table in possible):
        yield f"the claims about {region['region']!r} are not one of each value"
        return
    for table in region.get("tables", ()):
        answers = answers_of(region, table["sizes"], scale)
        yield from check_table(table, answers, least, most)
    certain = [min(each) for each in zip(*(t["sizes"] for t in possible), strict=True)]
    for cell, n in enumerate(certain):
        for rank in range(n):
            claims = [t["claims"][sum(t["sizes"][:cell]) + rank] for t in possible]
            ends = {c["least"] for c in claims} | {c["largest"] for c in claims}
            n_proved += len(ends) == 1
    yield from check_alone(region, scale, {cell for cell, n in enumerate(certain) if n})
    if n_proved != region["n_values_proved"]:
        yield f"the claims about {region['region']!r} prove {n_proved} values"


def published(given, domains, by):
    """Yield the rows of a file as a certificate has them, and their regions."""
    content = Path(given["file"]).read_bytes()
    if hashlib.sha256(content).hexdigest() != given["sha256"]:
        raise SystemExit(f"{given['file']} is not the file that was read")
    for line in csv.DictReader(io.StringIO(content.decode("utf-8-sig"))):
        told = {n: t for n, t in line.items() if n in ("count", *STATISTICS)}
        group = {n: t for n, t in line.items() if n not in told and t not in ("", "*")}
        told = {n: t for n, t in told.items() if t not in ("", *given["suppressed"])}
        bounds = {}
        for name in (name for name in STATISTICS if name in told):
            half = Fraction(1, 2 * 10 ** len(told[name].partition(".")[2]))
            bounds[name] = Fraction(told[name]) - half, Fraction(told[name]) + half
        low, high = bounds.get("sum", (0, 0))
        count = [int(bool({*bounds} - {"sum"}) or not low <= 0 <= high), NO_END]
        if "count" in told:
            count = [max(count[0], int(told["count"])), int(told["count"])]
        elif given["below"]:
            count = [given["below"], NO_END] if bounds else [0, given["below"] - 1]
        is_of = [
            all(group.get(n, v) == v for n, v in zip(domains, cell, strict=True))
            for cell in itertools.product(*domains.values())
        ]
        yield (
            group.get(by, ""),
            {
                "table": str(Path(given["file"])),
                "members": [cell for cell, is_member in enumerate(is_of) if is_member],
                "count": count,
                "numbers": {name: [*map(str, each)] for name, each in bounds.items()},
            },
        )


def check_files(written):
    """Yield the rows that are not as the files have them."""
    domains, by = written["attributes"], written["region"]
    rows = [
        (each["region"], row) for each in written["regions"] for row in each["rows"]
    ]
    told = [row for given in written["files"] for row in published(given, domains, by)]
    both = [Counter(json.dumps(row) for row in each) for each in (rows, told)]
    others = (both[0] - both[1]) + (both[1] - both[0])
    yield from (f"row {row} is not as in the file" for row in others)


def check(written, least, most):
    """Yield what is wrong with the claims of an analysis; bounds are in units."""
    if not is_whole(written):
        yield "a number is not whole"
        return
    if written["files"]:
        yield from check_files(written)
    n_cells = math.prod(map(len, written["attributes"].values()))
    for region in written["regions"]:
        scale = 10 ** written["decimals"]
        yield from check_region(region, n_cells, scale, least, most)


if __name__ == "__main__":
    proofs = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    faults = check(proofs, int(sys.argv[2]), int(sys.argv[3]))
    print("\n".join(faults) or "All claims are proved.")
    if not proofs["files"]:
        print("The answers were made of records: they are in no file to compare.")
