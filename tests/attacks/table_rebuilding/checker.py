"""Checks the proofs of an analysis of tables of counts, without a solver."""

import itertools
import json
import sys
from pathlib import Path


def matches(cell, row):
    return all(r is None or r == c for c, r in zip(cell, row["cell"], strict=True))


def contradicts(proof, rows, cells, box):
    """Say whether no counts fit the rows with some cells within (least, most)."""
    if "at_most" in proof:
        cell, at = tuple(proof["cell"]), proof["at_most"]
        least, most = box.get(cell, (0, None))
        below = (least, at if most is None else min(at, most))
        above = (max(least, at + 1), most)
        return contradicts(proof["below"], rows, cells, {**box, cell: below}) and (
            contradicts(proof["above"], rows, cells, {**box, cell: above})
        )
    if any(type(times) is not int for times in proof["rows"].values()):
        return False
    used = [(rows[int(place)], times) for place, times in proof["rows"].items()]
    sides = [(row["low" if times > 0 else "high"], times) for row, times in used]
    if any(side is None for side, _ in sides):
        return False
    total = sum(side * times for side, times in sides)
    for cell in cells:
        times = sum(times for row, times in used if matches(cell, row))
        least, most = box.get(cell, (0, None))
        if times > 0 and most is None:
            return False
        total -= times * (most if times > 0 else least)
    return total > 0


def check(written):
    """Yield what is wrong with the claims of an analysis."""
    sizes = [len(values) for values in written["attributes"].values()]
    cells = list(itertools.product(*map(range, sizes)))
    for region in written["regions"]:
        databases = [{tuple(c): n for c, n in each} for each in region["databases"]]
        for row, database in itertools.product(region["rows"], databases):
            n = sum(n for cell, n in database.items() if matches(cell, row))
            if min(database.values(), default=0) < 0 or not {*database} <= {*cells}:
                yield f"a database of {region['region']!r} has no counts of cells"
            if not row["low"] <= n <= (n if row["high"] is None else row["high"]):
                yield f"a database of {region['region']!r} does not fit"
        for claim in region["claims"]:
            if ("least" in claim) == ("largest" in claim):
                yield f"{claim} claims no bound"
                continue
            cell = tuple(claim["cell"])
            value = claim.get("least", claim.get("largest"))
            if value is None:
                continue
            if (place := claim["database"]) is not None:
                is_one = place in range(len(databases))
                if not is_one or databases[place].get(cell, 0) != value:
                    yield f"the bound of {claim} is not taken"
            if "least" in claim and value == 0:
                continue
            beyond = (0, value - 1) if "least" in claim else (value + 1, None)
            proof = claim.get("proof", {"rows": {}})
            if not contradicts(proof, region["rows"], cells, {cell: beyond}):
                yield f"{claim} is not proved"


if __name__ == "__main__":
    text = Path(sys.argv[1]).read_text(encoding="utf-8")
    print("\n".join(check(json.loads(text))) or "All claims are proved.")
