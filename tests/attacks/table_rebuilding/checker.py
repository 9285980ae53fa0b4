"""Checks the proofs of an analysis of tables of counts, without a solver."""

import csv
import hashlib
import io
import itertools
import json
import sys
from collections import Counter
from pathlib import Path

BOUNDS = ("least", "largest")


def is_whole(found):
    """Say whether no number in it is a fraction."""
    if isinstance(found, dict | list):
        return all(map(is_whole, found.values() if isinstance(found, dict) else found))
    return type(found) is not float


def cells_of(codes, sizes):
    every = zip(codes, sizes, strict=True)
    return [*itertools.product(*(range(n) if c is None else [c] for c, n in every))]


def contradicts(proof, rows, box):
    """Say whether no counts fit the rows with some cells within (least, most)."""
    if "at_most" in proof:
        cell, at = tuple(proof["cell"]), proof["at_most"]
        least, most = box.get(cell, (0, None))
        below = (least, at if most is None else min(at, most))
        above = (max(least, at + 1), most)
        return contradicts(proof["below"], rows, {**box, cell: below}) and (
            contradicts(proof["above"], rows, {**box, cell: above})
        )
    total, times = 0, Counter()
    for place, n in proof["rows"].items():
        low, high, cells = rows[int(place)]
        side = low if n > 0 else high
        if side is None:
            return False
        total += n * side
        for cell in cells:
            times[cell] += n
    for cell, n in times.items():
        least, most = box.get(cell, (0, None))
        if n > 0 and most is None:
            return False
        total -= n * (most if n > 0 else least)
    return total > 0


def check_region(region, sizes):
    """Yield what is wrong with the claims about a region."""
    name, every = region["region"], {*cells_of([None] * len(sizes), sizes)}
    rows = [(r["low"], r["high"], cells_of(r["cell"], sizes)) for r in region["rows"]]
    databases = [{tuple(c): n for c, n in each} for each in region["databases"]]
    for database in databases:
        if min(database.values(), default=0) < 0 or not {*database} <= every:
            yield f"a database of {name!r} has no counts of cells"
        for low, high, cells in rows:
            n = sum(database.get(cell, 0) for cell in cells)
            if not low <= n <= (n if high is None else high):
                yield f"a database of {name!r} does not fit"
    empty = {cell for _, high, cells in rows if high == 0 for cell in cells}
    claims = [(kind, tuple(c["cell"]), c) for c in region["claims"] for kind in BOUNDS]
    claims = [(kind, cell, claim) for kind, cell, claim in claims if kind in claim]
    expected = Counter(itertools.product(BOUNDS, every - empty))
    if Counter((kind, cell) for kind, cell, _ in claims) != expected:
        yield f"the claims about {name!r} are not one of each bound of each cell"
    n_proved = sum(claim.get("least") or 0 for _, _, claim in claims)
    if n_proved != region["n_records_proved"]:
        yield f"the claims about {name!r} prove {n_proved} records"
    for kind, cell, claim in claims:
        value, place = claim[kind], claim["database"]
        if value is None:
            continue
        if place is not None:
            is_one = place in range(len(databases))
            if not is_one or databases[place].get(cell, 0) != value:
                yield f"the bound of {claim} is not taken"
        beyond = (0, value - 1) if kind == "least" else (value + 1, None)
        proof = claim.get("proof", {"rows": {}})
        if beyond != (0, -1) and not contradicts(proof, rows, {cell: beyond}):
            yield f"{claim} is not proved"


def published(given, domains):
    """Yield what a file says: values by attribute, least and largest count."""
    content = Path(given["file"]).read_bytes()
    if hashlib.sha256(content).hexdigest() != given["sha256"]:
        raise SystemExit(f"{given['file']} is not the file that was read")
    base, below, noise = given["rounded_to"] or 1, given["below"], given["noise"] or 0
    around = {"nearest": (base // 2,) * 2, "down": (0, base - 1)}
    down, up = around.get(given["rounding"] or "nearest", (base - 1, base - 1))
    lines = [*csv.DictReader(io.StringIO(content.decode("utf-8-sig")))]
    for line in lines:
        text = line.pop("count")
        if text in ("", *given["suppressed"]):
            yield line, (1, below - 1) if below else (0, None)
        else:
            low, high = int(text) - down - noise, int(text) + up + noise
            yield line, (max(0, low), high)
    if given["unlisted"] == "zero":
        listed = {tuple(line.values()) for line in lines}
        for values in itertools.product(*(domains[name] for name in lines[0])):
            if values not in listed:
                yield dict(zip(lines[0], values, strict=True)), (0, 0)


def check_files(written):
    """Yield the rows that are not as the files have them."""
    attributes, by = written["attributes"], written["region"]
    regions = [region["region"] for region in written["regions"]]
    told, domains = Counter(), attributes | {by: regions}
    for given in written["files"]:
        for line, bounds in published(given, domains):
            codes = (
                None if line.get(name, "*") in ("", "*") else values.index(line[name])
                for name, values in attributes.items()
            )
            told[line.get(by, ""), given["file"], *codes, *bounds] += 1
    rows = Counter(
        (region["region"], row["table"], *row["cell"], row["low"], row["high"])
        for region in written["regions"]
        for row in region["rows"]
    )
    yield from (
        f"row {row} is not as in the file" for row in (told - rows) + (rows - told)
    )


def check(written):
    """Yield what is wrong with the claims of an analysis."""
    if not is_whole(written):
        yield "a number is not whole"
        return
    if written["files"]:
        yield from check_files(written)
    sizes = [len(values) for values in written["attributes"].values()]
    for region in written["regions"]:
        yield from check_region(region, sizes)


if __name__ == "__main__":
    proofs = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    print("\n".join(check(proofs)) or "All claims are proved.")
    if not proofs["files"]:
        print("The tables were made of records: their rows are in no file to compare.")
