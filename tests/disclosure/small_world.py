"""Every table of a few records, and the page that the public form makes of it.

A table is two QIDs, each a partition of the records, and a sensitive value of each
record. Partitions have any number of blocks, so that no domain bounds them.
"""

from collections import Counter
from itertools import pairwise

import pandas as pd

from microleak.attacks.collective import laws
from microleak.disclosure import book, rounding
from microleak.disclosure.laws import ENDS
from microleak.study.tables import tables as specs

SUBSETS = ("a", "b", "a|b")
CLASSES = specs()["blocks"].saying("share")


def coarse(monkeypatch, steps=(50,), records_a_step=3):
    """Let shares be of few records, in steps of a few."""
    monkeypatch.setattr(rounding, "FEWEST_RECORDS", 1)
    monkeypatch.setattr(rounding, "RECORDS_A_STEP", records_a_step)
    monkeypatch.setattr(rounding, "STEPS", steps)
    for module in (book, laws):
        monkeypatch.setattr(module, "STEPS", steps)


def partitions(n):
    """All partitions of n records, as the block of each."""
    found = [[0]]
    for _ in range(n - 1):
        found = [[*p, b] for p in found for b in range(max(p) + 2)]
    return [tuple(p) for p in found]


def first_of_shape(n):
    """One partition of n records of each shape."""
    shapes = {}
    for partition in partitions(n):
        shapes.setdefault(tuple(sorted(Counter(partition).values())), partition)
    return [*shapes.values()]


def below(partition):
    """Records in blocks of fewer than each of the ends."""
    sizes = Counter(partition)
    return tuple(sum(n for n in sizes.values() if n < end) for end in ENDS)


def right(partition, ill):
    """Right guesses of who is ill."""
    pairs = Counter(zip(partition, ill, strict=True))
    best = {}
    for (block, _), count in pairs.items():
        best[block] = max(best.get(block, 0), count)
    return sum(best.values())


def worlds(n, is_sensitive=True):
    """The counts of all tables of n records: of blocks by subset, and right guesses.

    Records are alike, so one partition of each shape is enough for the first QID.
    """
    every = partitions(n)
    values = every if is_sensitive else [tuple(range(n))]
    found = set()
    for a in first_of_shape(n):
        for b in every:
            both = tuple(zip(a, b, strict=True))
            counts = tuple(below(each) for each in (a, b, both))
            for ill in values:
                guesses = tuple(right(each, ill) for each in ([0] * n, a, b, both))
                found.add((counts, guesses))
    return found


def page(world, n, step):
    """The shares of a table that are published."""
    counts, guesses = world

    def pct(count):
        return int(rounding.percent(pd.Series([count]), n, step)[0])

    return (
        tuple(tuple(map(pct, each)) for each in counts),
        tuple(map(pct, guesses)),
    )


def tables_of_page(shares, step):
    """The tables `blocks` and `inference` of a page, as they are published."""
    blocks, guesses = shares
    common = {"analysis": "x", "table": "t", "focal": "1", "auxiliary": ""}

    def row(qids, key, best):
        is_worst = "|" in qids or qids == best
        own = {"qids": qids, "n_qids": len(qids.split("|"))}
        return common | own | {"is_worst": is_worst, "step_pct": step} | key

    def best(values):
        return "a" if values[0] >= values[1] else "b"

    rows = []
    for qids, of in zip(SUBSETS, blocks, strict=True):
        edges = [0, *of, 100]
        shown = [b - a for a, b in pairwise(edges)]
        rows.append(row(qids, dict(zip(CLASSES, shown, strict=True)), best(blocks)))
    prior, *posterior = guesses
    guessed = [
        row(
            q,
            {"sensitive": "ill", "prior_pct": prior, "posterior_pct": p},
            best(posterior),
        )
        for q, p in zip(SUBSETS, posterior, strict=True)
    ]
    return {
        "blocks": {"x": pd.DataFrame(rows)},
        "inference": {"x": pd.DataFrame(guessed)},
    }
