"""Check a certificate without a solver: python check_certificate.py CERTIFICATE.json.

For `proofs/table_rebuilding/*.json` and `proofs/query_answers/*.json` of a study.
Prints how many claims hold, or the first that does not, with exit status 1.

The first part, seventy lines besides texts, decides whether numbers are as rows say and
whether a proof holds. The others say what certificates of each form claim.
"""

import json
import sys
from fractions import Fraction
from itertools import combinations

NOTHING = {"low": 0, "factors": []}
"""A row: the sum of some numbers, each times its factor, is `low` or more."""


def is_whole(part):
    """Whether no number in it is a fraction."""
    if isinstance(part, dict | list):
        return all(map(is_whole, part.values() if isinstance(part, dict) else part))
    return type(part) is not float


def room(row, low, high):
    """Return by how much a row can exceed `low`; of `ranks`, the sum of some terms."""
    if "squares" in row:
        return most_of_squares(row, low, high) - row["low"]
    terms = sorted(f * (high if f > 0 else low)[n] for n, f in row["factors"])
    return sum(terms[row["ranks"]] if "ranks" in row else terms) - row["low"]


def squares(sign, ranges):
    """Return what the squares of numbers within ranges add up to at most, signed."""
    if sign > 0:
        return sum(max(a * a, b * b) for a, b in ranges)
    return -sum(max(0, a, -b) ** 2 for a, b in ranges)


def most_of_squares(row, low, high):
    """Return at most what squares of all differences of two numbers add up to, signed.

    Also by how far they are from the middle of `total`, their sum, all times 2 n.
    """
    sign, ends = row["squares"], [(low[n], high[n]) for n in row["members"]]
    pairs, n = combinations(ends, 2), len(ends)
    most = squares(sign, [(a - d, b - c) for (a, b), (c, d) in pairs])
    if not row["total"] or not ends:
        return most
    first, last = row["total"]
    off = [[2 * n * end - first - last for end in both] for both in ends]
    unknown = n * (last - first) ** 2 * (sign < 0)
    return min(most, (squares(sign, off) + unknown) // (4 * n))


def impossible(rows, low, high):
    """Whether bounds leave a number no value, or a row does not hold within them."""
    is_empty = any(a > b for a, b in zip(low, high, strict=True))
    return is_empty or any(room(row, low, high) < 0 for row in rows)


def narrowed(rows, low, high):
    """Return bounds as rows, one after the other, leave them."""
    low, high = [*low], [*high]
    for row in rows:
        left = room(row, low, high)
        for n, factor in () if "ranks" in row else row["factors"]:
            if factor > 0:
                low[n] = max(low[n], high[n] - left // factor)
            elif factor < 0:
                high[n] = min(high[n], low[n] + left // -factor)
    return low, high


def split(low, high, n, at):
    """Return bounds if a number is at most so much, and if it is more."""
    under = [*high[:n], min(high[n], at), *high[n + 1 :]]
    return (low, under), ([*low[:n], max(low[n], at + 1), *low[n + 1 :]], high)


def stepped(steps, rows, low, high):
    """Return bounds without cases, one after the other, that are refuted."""
    for n, at, case, proof in steps:
        cases = split(low, high, n, at)
        if refutes(proof, rows, *cases[case]):
            low, high = cases[1 - case]
    return low, high


def summed(proof, rows):
    """Return what rows add up to, each times a multiplier above 0."""
    used = [(rows.get(place, NOTHING), times) for place, times in proof.get("sum", ())]
    factors = {}
    for row, times in used:
        for n, factor in row["factors"]:
            factors[n] = factors.get(n, 0) + times * factor
    low = sum(n * row["low"] if n > 0 else float("-inf") for row, n in used)
    return {"low": low, "factors": factors.items()}


def refutes(proof, rows, low, high, lists=()):
    """Whether no whole numbers within bounds are as rows say, but for some lists."""
    used = [rows.get(place, NOTHING) for place in proof.get("rows", ())]
    low, high = narrowed(used, *stepped(proof.get("steps", ()), rows, low, high))
    if impossible([*used, summed(proof, rows)], low, high) or low == high in lists:
        return True
    sides, at = proof.get("cases", ()), proof.get("at_most", 0)
    cases = split(low, high, proof["number"], at) if sides else ()
    pairs = [*zip(sides, cases, strict=False)]
    return len(pairs) == 2 and all(refutes(p, rows, *c, lists) for p, c in pairs)


def is_list(numbers, rows, low, high):
    """Whether numbers are within bounds, and as rows say."""
    bounds = ((), low, numbers), ((), numbers, high), (rows, numbers, numbers)
    return not any(impossible(*each) for each in bounds)


# What proofs/table_rebuilding/ claims (docs/decisions/0023-published-tables.md).

ENDS = ("least", "largest")


def table_claims(told):
    """Yield each claim about a cell, and whether it holds."""
    sizes = [len(values) for values in told["attributes"].values()]
    for region in told["regions"]:
        yield from cell_claims(region, sizes)


def cells_of(codes, sizes):
    """Return the cells of the joint table that have codes, None being any."""
    cells = [()]
    for code, size in zip(codes, sizes, strict=True):
        last = range(size) if code is None else [code]
        cells = [(*cell, each) for cell in cells for each in last]
    return cells


def two_rows(place, members, low, high):
    """Return the rows of a sum by place: it is `low` or more, and `high` or less."""
    rows = {place: {"low": low, "factors": [(n, 1) for n in members]}}
    if high is not None:
        rows[~place] = {"low": -high, "factors": [(n, -1) for n in members]}
    return rows


def with_multipliers(rows):
    """Return rows and multipliers, those below 0 being of what is at most `high`."""
    return [(int(place) if n > 0 else ~int(place), abs(n)) for place, n in rows.items()]


def cell_claims(region, sizes):
    """Yield each claim about a cell of a region, and whether it holds."""
    name, rows, empty = region["region"], {}, set()
    place = {cell: n for n, cell in enumerate(cells_of([None] * len(sizes), sizes))}
    for i, row in enumerate(region["rows"]):
        cells = cells_of(row["cell"], sizes)
        rows |= two_rows(i, [place[cell] for cell in cells], row["low"], row["high"])
        empty |= {*cells} if row["high"] == 0 else set()
    bounds = [0] * len(place), [float("inf")] * len(place)
    databases = [{tuple(cell): n for cell, n in each} for each in region["databases"]]
    for database in databases:
        counts = [database.get(cell, 0) for cell in place]
        if not database.keys() <= place.keys():
            yield f"a database of {name!r} is of other cells", False
        if not is_list(counts, rows.values(), *bounds):
            yield f"a database of {name!r} does not fit", False
    made, n_proved = [], 0
    for n, claim in enumerate(region["claims"]):
        cell, used = tuple(claim["cell"]), claim["database"]
        proof = cell_proof(claim.get("proof", {}), place)
        for end in (end for end in ENDS if end in claim):
            made.append((end, cell))
            if claim[end] is None:
                continue
            n_proved += claim[end] if end == "least" else 0
            at, case = (claim[end] - 1, 0) if end == "least" else (claim[end], 1)
            beyond = split(*bounds, place[cell], at)[case]
            is_taken = used is None or (
                used in range(len(databases))
                and databases[used].get(cell, 0) == claim[end]
            )
            said = "" if is_taken else " is not taken"
            said = said if refutes(proof, rows, *beyond) else " is not proved"
            yield f"claim {n} about {name!r}: the {end}{said}", not said
    if sorted(made) != sorted((e, cell) for e in ENDS for cell in place.keys() - empty):
        yield f"the claims about {name!r} are not one of each bound of each cell", False
    if n_proved != region["n_records_proved"]:
        yield f"the claims about {name!r} prove {n_proved} records", False


def cell_proof(proof, place):
    """Return a proof about cells with the places of numbers and rows."""
    if "at_most" not in proof:
        return {"sum": with_multipliers(proof.get("rows", {}))}
    sides = [proof[side] for side in ("below", "above") if side in proof]
    cases = [cell_proof(side, place) for side in sides]
    number = place[tuple(proof["cell"])]
    return {"number": number, "at_most": proof["at_most"], "cases": cases}


# What proofs/query_answers/ claims (docs/decisions/0029-query-answers.md).

RANKS = ("median", "min", "max")
NO_END = 1 << 40


def answer_claims(told):
    """Yield each claim about a value, and whether it holds."""
    n_cells = 1
    for values in told["attributes"].values():
        n_cells *= len(values)
    for region in told["regions"]:
        yield from value_claims(told, region, n_cells)


def value_claims(told, region, n_cells):
    """Yield each claim about a value of a region, and whether it holds."""
    name, scale = region["region"], 10 ** told["decimals"]
    tables = region.get("tables", ())
    if "tables" in region:
        sizes = [table["sizes"] for table in tables]
        rows, order = system_of(counts_of(region), [1] * n_cells)
        bounds = [0] * n_cells, [NO_END] * n_cells
        is_all = refutes(value_proof(region["every"], order), rows, *bounds, sizes)
        said = "the tables of persons are" + ("" if is_all else " not") + " all"
        yield f"{said} of {name!r}", is_all
    possible = [table for table in tables if "refuted" not in table]
    if any(len(table["claims"]) != sum(table["sizes"]) for table in possible):
        yield f"the claims about {name!r} are not one of each value", False
        return
    for n, table in enumerate(tables):
        answers = answers_of(region, table["sizes"], scale)
        bounds = [[told[end]] * sum(table["sizes"]) for end in ("least", "most")]
        for said, holds in claims_of_persons(table, answers, bounds):
            yield f"table {n} of persons of {name!r}: {said}", holds
    certain = [min(each) for each in zip(*(t["sizes"] for t in possible), strict=True)]
    n_proved = len(region["alone"])
    for cell, n in enumerate(certain):
        for rank in range(n):
            claims = [t["claims"][sum(t["sizes"][:cell]) + rank] for t in possible]
            n_proved += len({claim[end] for claim in claims for end in ENDS}) == 1
    yield from alone_claims(
        region, scale, {cell for cell, n in enumerate(certain) if n}
    )
    if n_proved != region["n_values_proved"]:
        yield f"the claims about {name!r} prove {n_proved} values", False


def system_of(answers, sizes):
    """Return what answers say of values in their order within cells, as rows.

    An answer is of some ranks of some values. It is a sum of numbers, too, if it is of
    all of its values or of those of one cell. `order` are the places of rows that say
    the order, forwards and backwards.
    """
    starts = [sum(sizes[:cell]) for cell in range(len(sizes) + 1)]
    cells = [
        [*range(start, start + n)] for start, n in zip(starts, sizes, strict=False)
    ]
    rows, order = {}, []
    for number, answer in enumerate(answers):
        if "total" in answer:
            for place, sign in ((number, 1), (~number, -1)):
                low = answer["low"] if sign > 0 else -answer["high"]
                told = {"low": low, "factors": [], "squares": sign}
                rows["ranks", place] = {**answer, **told}
            continue
        members, (first, last) = answer["members"], answer["ranks"]
        low, high, n = answer["low"], answer["high"], len(members)
        both = two_rows(0, members, low, high)
        rows["ranks", number] = both[0] | {"ranks": slice(first - 1, last)}
        rows["ranks", ~number] = both[~0] | {"ranks": slice(n - last, n - first + 1)}
        if (first, last) == (1, n) or members in cells:
            rows |= two_rows(number, members[first - 1 : last], low, high)
    for value in range(1, starts[-1]):
        if value not in starts:
            order.append(len(answers) + value - 1)
            rows[order[-1]] = {"low": 0, "factors": [(value - 1, -1), (value, 1)]}
    return rows, order + order[::-1]


def value_proof(proof, order):
    """Return a proof about values with the places of rows.

    A step says that a value is `bound` or more, or with another sign or less, as an
    answer excludes the others.
    """
    steps = [
        (value, bound - (sign > 0), int(sign < 0), {"rows": excluding(order, number)})
        for value, sign, bound, number in proof["steps"]
    ]
    found = {"steps": steps, "rows": order}
    if "answer" in proof:
        found["rows"] = excluding(order, proof["answer"])
    if "cases" in proof:
        sides = [proof[side] for side in ("below", "above") if side in proof]
        found["number"], found["at_most"] = proof["cases"]
        found["cases"] = [value_proof(side, order) for side in sides]
    return found | {"sum": with_multipliers(proof.get("rows", {}))}


def excluding(order, number):
    """Return the places of the order of values, and of an answer by its ranks."""
    return [*order, ("ranks", number), ("ranks", ~number)]


def claims_of_persons(table, answers, bounds):
    """Yield each claim about one table of persons, and whether it holds."""
    rows, order = system_of(answers, table["sizes"])
    root = value_proof({"steps": table["steps"]}, order)
    low, high = stepped(root["steps"], rows, *bounds)
    if "refuted" in table:
        holds = refutes(value_proof(table["refuted"], order), rows, low, high)
        yield "is" + ("" if holds else " not") + " refuted", holds
        return
    for values in [*table["taken"], *table["databases"]]:
        if not is_list(values, rows.values(), low, high):
            yield "values do not fit", False
    for value, claim in enumerate(table["claims"]):
        taken = {values[value] for values in table["taken"]}
        for case, end in enumerate(ENDS):
            proof = value_proof(claim["proofs"][case] or {"steps": []}, order)
            beyond = split(low, high, value, claim[end] - (case == 0))[case]
            said = ""
            if not refutes(proof, rows, *beyond):
                said = " is not proved"
            elif claim["is_exact"] and claim[end] not in taken:
                said = " is not taken"
            yield f"the {end} of {value}{said}", not said
    if table["every"]:
        ends = [[claim[end] for claim in table["claims"]] for end in ENDS]
        proof = value_proof(table["every"], order)
        is_all = refutes(proof, rows, *ends, table["databases"])
        yield f"there are {'no' if is_all else 'perhaps'} more databases", is_all


def counts_of(region):
    """Return what rows say of how many persons cells have."""
    return [
        {
            "members": row["members"],
            "ranks": [1, len(row["members"])],
            "low": row["count"][0],
            "high": row["count"][1],
        }
        for row in region["rows"]
    ]


def answers_of(region, sizes, scale):
    """Return what rows say of values, if cells have so many persons."""
    cell_of = [cell for cell, n in enumerate(sizes) for _ in range(n)]
    found = []
    for row in region["rows"]:
        members = [i for i, cell in enumerate(cell_of) if cell in row["members"]]
        n = len(members)
        ranks = {"median": [(n + 1) // 2, n // 2 + 1], "min": [1, 1], "max": [n, n]}
        said = {
            name: units(bounds, scale * (n if name == "mean" else 1))
            for name, bounds in row["numbers"].items()
            if name in ("sum", "mean")
        }
        lows, highs = zip(*said.values(), strict=True) if said else ((), ())
        total = (max(lows), min(highs)) if said else ()
        for name, bounds in row["numbers"].items():
            if name == "variance":
                low, high = units(bounds, (n * scale) ** 2)
                found.append(
                    {"members": members, "low": low, "high": high, "total": total}
                )
                continue
            times = {"mean": n, "median": 2 - n % 2}.get(name, 1) * scale
            low, high = units(bounds, times)
            told = {"low": low, "high": high, "ranks": ranks.get(name, [1, n])}
            found.append({"members": members, **told})
    return found


def units(bounds, times):
    """Return the least and the largest whole number within bounds times a number."""
    low, high = (Fraction(each) * times for each in bounds)
    return -(-low // 1), high // 1


def alone_claims(region, scale, certain):
    """Yield whether each is one person with one value, who was not counted already."""
    for place, one in enumerate(region["alone"]):
        cells, count, sum_ = {}, [0, 0], [0, 0]
        for row, times in ((region["rows"][int(p)], t) for p, t in one["rows"].items()):
            for cell in {*row["members"]}:
                cells[cell] = cells.get(cell, 0) + times
            for total, ranged in ((count, row["count"]), (sum_, sums(row, scale))):
                total[0] += times * ranged[times < 0]
                total[1] += times * ranged[times > 0]
        members, said = {cell for cell, times in cells.items() if times}, ""
        if count != [1, 1] or {cells[cell] for cell in members} != {1}:
            said = " is not of one person"
        elif sum_ != [one["value"]] * 2:
            said = " does not leave one value"
        elif certain & members:
            said = " is of a person who was counted"
        certain |= members
        yield f"who is alone, {place} of {region['region']!r}{said}", not said


def sums(row, scale):
    """Return the least and largest sum of the values of a row, in units."""
    n, most = row["count"]
    times = {"sum": 1, "mean": n} | (dict.fromkeys(RANKS, 1) if n == 1 else {})
    said = [units(b, scale * times[k]) for k, b in row["numbers"].items() if k in times]
    if n == most == 0:
        return 0, 0
    if n != most or not said:
        return -float("inf"), float("inf")
    return max(low for low, _ in said), min(high for _, high in said)


def claims_of(told):
    """Yield each claim of a certificate, with what is wrong, and whether it holds."""
    if not is_whole(told):
        yield "a number is not whole", False
    elif told != {}:
        yield from (answer_claims if "decimals" in told else table_claims)(told)


def check(told):
    """Yield what does not hold."""
    yield from (said for said, holds in claims_of(told) if not holds)


def main(path):
    """Print how many claims of a file hold, or end with the first that does not."""
    try:
        with open(path, encoding="utf-8") as file:  # noqa: PTH123
            told = json.load(file)
        n_claims = 0
        for said, holds in claims_of(told):
            if not holds:
                sys.exit(f"{path}: {said}")
            n_claims += 1
    except (AttributeError, LookupError, OSError, TypeError, ValueError) as error:
        sys.exit(f"{path} is no certificate of microleak ({type(error).__name__}).")
    print(f"{n_claims} claims hold.")


if __name__ == "__main__":
    main(sys.argv[-1])
