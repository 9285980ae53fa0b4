"""Checks that the rows of a certificate of answers are those of the files."""

import itertools
import json
from collections import Counter
from fractions import Fraction
from pathlib import Path

from tests.attacks.table_rebuilding.checker import lines_of, main

STATISTICS = ("sum", "mean", "median", "min", "max", "variance")
NO_END = 1 << 40


def published(given, domains, by):
    """Yield the rows of a file as a certificate has them, and their regions."""
    for line in lines_of(given):
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


if __name__ == "__main__":
    main(check_files)
