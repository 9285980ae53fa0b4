"""Every table of a few records, and the page that the public form makes of it.

A set of QIDs is a partition of the records, a larger one refines it, and so a
sensitive attribute is one, too. No domain bounds their blocks.
"""

from collections import Counter
from itertools import pairwise

import pandas as pd

from microleak.attacks.collective import laws
from microleak.disclosure import book, proof, rounding
from microleak.disclosure.laws import ENDS
from microleak.study.tables import tables as specs

SUBSETS = ("a|b", "a|b|c")
CLASSES = specs()["blocks"].saying("share")


def coarse(monkeypatch, steps=(50,), records_a_step=3):
    """Let shares be of few records, in steps of a few."""
    monkeypatch.setattr(rounding, "FEWEST_RECORDS", 1)
    monkeypatch.setattr(proof, "FEW", -1)  # of two or three counts fewer are left
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


def refines(fine, coarse):
    """Whether each block of a partition is in one block of another."""
    of = {}
    return all(of.setdefault(f, c) == c for f, c in zip(fine, coarse, strict=True))


def worlds(n, is_sensitive=True):
    """The counts of all tables of n records: of blocks by subset, and right guesses.

    Two sets of QIDs, of which the second has all of the first. Records are alike, so
    one partition of each shape is enough for the first set.
    """
    every = partitions(n)
    values = every if is_sensitive else []
    found = set()
    for some in first_of_shape(n):
        for all_ in every:
            if not refines(all_, some):
                continue
            counts = below(some), below(all_)
            found.add((counts, ()))
            for ill in values:
                found.add(
                    (counts, tuple(right(each, ill) for each in ([0] * n, some, all_)))
                )
    return {each for each in found if bool(each[1]) == is_sensitive}


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
    common |= {"is_worst": "true", "step_pct": step}
    rows, guessed = [], []
    for place, (qids, of) in enumerate(zip(SUBSETS, blocks, strict=True)):
        own = common | {"qids": qids, "n_qids": len(qids.split("|"))}
        shown = [b - a for a, b in pairwise([0, *of, 100])]
        rows.append(own | dict(zip(CLASSES, shown, strict=True)))
        if guesses:
            pcts = {"prior_pct": guesses[0], "posterior_pct": guesses[place + 1]}
            guessed.append(own | {"sensitive": "ill"} | pcts)
    tables = {"blocks": rows} | ({"inference": guessed} if guessed else {})
    return {kind: {"x": pd.DataFrame(each)} for kind, each in tables.items()}
